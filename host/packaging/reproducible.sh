#!/usr/bin/env bash
# Builds the last commit once more, from a clone in another folder, and compares the bytes with those of `make dist`.
#
#   reproducible.sh             everything is compiled again: as long as the first build
#   reproducible.sh --quick     takes the compiled crates of others (those of registries) from the first build
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ -n "$(git -C "$root" status --porcelain --untracked-files=no)" ]; then
    echo "reproducible: commit your changes first: a clone has none of them" >&2
    exit 1
fi
commit=$(git -C "$root" rev-parse HEAD)
first=$(python3 "$here/facts.py" binary)
"$here/dist.sh"
# Another path of another length.
again=$(mktemp -d "${TMPDIR:-/tmp}/a-clone-in-another-folder-XXXXXX")
trap 'rm -rf "$again"' EXIT
git clone --quiet --no-hardlinks "$root" "$again/source"
# Not a commit that was made since.
git -C "$again/source" checkout --quiet --detach "$commit"
if [ "${1:-}" = --quick ]; then
    mkdir -p "$again/source/target"
    cp -a --reflink=auto "$root/target/dist" "$again/source/target/"
fi
"$again/source/host/packaging/dist.sh"
second=$again/source/${first#"$root/"}
sha256sum "$first" "$second"
if ! cmp "$first" "$second"; then
    cp "$second" "$first-again"
    echo "reproducible: two builds of ${commit:0:12} differ: compare ${first#"$root/"} and ${first#"$root/"}-again" >&2
    exit 1
fi
echo "reproducible: two builds of ${commit:0:12} are the same $(stat -c %s "$first") bytes"
