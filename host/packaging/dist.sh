#!/usr/bin/env bash
# Builds the program as it is released: profile `dist`, without paths of this machine in it.
#
#   dist.sh                         target/dist/tamis
#   DIST_TARGET=TRIPLE dist.sh      target/TRIPLE/dist/tamis
#   dist.sh COMMAND...              runs a command (maturin, cargo deb) that builds the same
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
remap="--remap-path-prefix=$root=/tamis"
# Not the sources of folders, whose names begin with a hyphen: `packages-check` has such.
for registry in "$cargo_home"/registry/src/[!-]*/; do
    [ -d "$registry" ] && remap+=$'\x1f'"--remap-path-prefix=${registry%/}=/crates"
done
flags= c_flags=
# Functions with the same code are in the program once: the linker of this target alone can do that. Rust promises
# functions no addresses of their own; SQLite compares a few, and browsers link it this way.
target=${DIST_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
case $target in
    x86_64-unknown-linux-gnu) flags=-Clink-arg=-Wl,--icf=all ;;
esac
# No panic passes through C: tables of how to unwind its calls are 150 KB that nothing reads.
case $target in
    *-linux-*) c_flags='-fno-asynchronous-unwind-tables ' ;;
esac
if [ "${OS:-}" = Windows_NT ]; then
    # Windows runs no script in place of a program. There, the program differs by the folder that it was built in.
    flags+=${flags:+$'\x1f'}$remap
else
    export TAMIS_REMAP_FLAGS=$remap RUSTC_WRAPPER=$here/rustc.sh
fi
export CARGO_ENCODED_RUSTFLAGS=$flags
export CARGO_TARGET_DIR=$root/target
# C sources name their files in assertions.
export CFLAGS="${CFLAGS:+$CFLAGS }$c_flags-ffile-prefix-map=$root=/tamis -ffile-prefix-map=$cargo_home=/cargo"
BUILD_COMMIT=$(python3 "$here/facts.py" commit)
export BUILD_COMMIT
# A date that changes with each commit would have all C sources compiled again; the program holds none.
unset SOURCE_DATE_EPOCH
cd "$root"
if [ $# -gt 0 ]; then
    exec "$@"
fi
exec "${CARGO:-cargo}" build --profile dist --locked --manifest-path host/Cargo.toml \
    ${DIST_TARGET:+--target "$DIST_TARGET"}
