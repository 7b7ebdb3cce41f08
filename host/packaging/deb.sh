#!/usr/bin/env bash
# Makes the Debian package: the program of `make dist`, manual pages, completions.
#
#   deb.sh              into target/packages/deb: one .deb
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cargo deb --version >/dev/null 2>&1 || {
    echo "packaging: cargo-deb is missing: cargo install --locked cargo-deb" >&2
    exit 1
}
python3 "$here/extras.py" >/dev/null
out=$here/../../target/packages/deb
rm -rf "$out"
mkdir -p "$out"
exec "$here/dist.sh" cargo deb --manifest-path host/Cargo.toml --profile dist --no-build --no-strip --locked \
    ${DIST_TARGET:+--target "$DIST_TARGET"} --output "$out/"
