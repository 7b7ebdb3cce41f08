#!/bin/sh
# Builds the guests that misbehave, for the tests: target/guests/<target>/release/<guest>.wasm.
set -eu
cd "$(dirname "$0")"

targets="wasm32-unknown-unknown wasm32-wasip1 wasm32-wasip2"
for target in $targets; do
    if [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
        echo "the guests need Rust's target $target: run \`rustup target add $targets\`" >&2
        exit 1
    fi
done

# build TARGET GUEST…
build() {
    target=$1
    shift
    for guest; do
        set -- "$@" --package "$guest"
        shift
    done
    cargo build --quiet --release --locked --target "$target" --target-dir ../../target/guests "$@"
}

build wasm32-unknown-unknown \
    breaks-promises deep-stack every-import flood hog huge-output lie newer noop panic remembers spin state tally wrong-contract
# What goes through Rust's own library, which asks for WASI there.
build wasm32-wasip1 noop prints remembers sleep start-spin
build wasm32-wasip2 handles imports-net noop prints sleep
