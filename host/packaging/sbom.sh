#!/usr/bin/env bash
# Lists the program's dependencies, with versions and licences, as CycloneDX.
#
#   sbom.sh             target/packages/sbom/NAME-VERSION.cdx.json
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cargo cyclonedx --version >/dev/null 2>&1 || {
    echo "packaging: cargo-cyclonedx is missing: cargo install --locked cargo-cyclonedx" >&2
    exit 1
}
name=$(python3 "$here/facts.py" crate)
version=$(python3 "$here/facts.py" version)
SOURCE_DATE_EPOCH=$(python3 "$here/facts.py" epoch)
export SOURCE_DATE_EPOCH
out=$root/target/packages/sbom
mkdir -p "$out"
# The tool writes beside each manifest of the workspace.
trap 'find "$root" -path "$root/target" -prune -o -name "sbom-of-*.json" -exec rm -f {} +' EXIT
cd "$root"
cargo cyclonedx --quiet --format json --spec-version 1.5 --manifest-path host/Cargo.toml --override-filename "sbom-of-$name"
# Without the folder of this machine.
sed "s#file://$root/#file:///$name/#g" "host/sbom-of-$name.json" >"$out/$name-$version.cdx.json"
echo "$out/$name-$version.cdx.json"
