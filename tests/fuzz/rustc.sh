#!/usr/bin/env bash
# The compiler of `make fuzz-targets`, as RUSTC_WRAPPER: libFuzzer's instruments are in the crates that read what
# strangers write, and in no others, so that it follows their branches alone. Wasmtime and Cranelift, which no target
# runs, are not even optimized (but for the build script): their build is the longest part of this one.
set -euo pipefail
is_never_run=
case ${CARGO_PKG_NAME:-} in
    tamis* | serde_json | toml* | jsonc-parser) exec "$@" ;;
    cranelift* | regalloc2 | pulley* | wasmtime*) [[ " $* " != *" --target "* ]] || is_never_run=yes ;;
esac
arguments=()
for argument in "$@"; do
    case $argument in
        -Cpasses=sancov-module | -Cllvm-args=-sanitizer-coverage*) ;;
        *) arguments+=("$argument") ;;
    esac
done
[ -z "$is_never_run" ] || arguments+=(-Copt-level=0)
exec "${arguments[@]}"
