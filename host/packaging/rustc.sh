#!/usr/bin/env bash
# Runs the compiler without paths of this machine in what it makes: `rustc.sh RUSTC ARGUMENTS…`, as cargo calls
# RUSTC_WRAPPER. `dist.sh` sets the flags, separated by the byte 0x1f.
#
# These flags are no RUSTFLAGS, because cargo names a build script's folder by a hash of those, and names of such folders
# are in the program: it would differ by the folder that it was built in.
set -euo pipefail
IFS=$'\x1f' read -r -a flags <<< "$TAMIS_REMAP_FLAGS"
exec "$@" "${flags[@]}"
