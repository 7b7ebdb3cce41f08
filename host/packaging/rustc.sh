#!/bin/sh
# Runs the compiler so that the folder of the sources leaves no trace in what it makes: `rustc.sh RUSTC ARGUMENTS…`, as
# cargo calls RUSTC_WRAPPER. `dist.sh` and `build.rs` set TAMIS_REMAP_FLAGS, flags separated by the byte 0x1f.
#
# These flags are no RUSTFLAGS, because cargo names a build script's folder by a hash of those, and such names are in the
# program. And functions of our crates are not named by cargo's hash, which has the folder of a crate from outside the
# workspace, as host/document is for the filters. Cargo does not see a change of this file: after one, remove target/dist
# and target/built-in-filters.
set -eu
root=$(cd "${0%/*}/../.." && pwd)
case ${CARGO_MANIFEST_DIR:-}/ in
    "$root"/*)
        kinds= before=
        for argument; do
            case $before$argument in
                --crate-type*) kinds=$kinds-$argument ;;
                -Copt-level=z)
                    # The compiler optimizes all crates together as it does the program's own `main.rs`. Each function keeps
                    # the level of its crate, but at `z` here, no loop would become vectors, at any level.
                    [ "${CARGO_BIN_NAME:-}" != tamis ] || argument=opt-level=2
                    ;;
                -Cmetadata=*) argument=metadata=$CARGO_PKG_NAME$kinds ;;
            esac
            before=$argument
            set -- "$@" "$argument"
            shift
        done
        ;;
esac
set -f
IFS=$(printf '\037')
# Without quotes: these are several.
exec "$@" $TAMIS_REMAP_FLAGS
