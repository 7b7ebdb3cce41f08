#!/usr/bin/env bash
# The cargo features of the program: each alone lints, and without them it is a small program that filters.
#
#   features.sh count   counts the packages of the program without features, and compiles nothing
#   features.sh         the same, lints every feature alone, and filters a result with the program without any
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
most=250
bare=(--locked --package tamis --no-default-features)
packages=$($cargo tree "${bare[@]}" --edges normal,build --prefix none | sed 's/ (.*//' | sort -u | wc -l)
echo "features: without features the program is made of $packages packages (at most $((most - 1)))"
[ "$packages" -lt "$most" ]
# A dependency's feature brings it easily, with 300 KB of code, and no part of the program speaks it.
if $cargo tree --locked --package tamis --edges normal,build --prefix none | grep '^h2 '; then
    echo 'features: the program contains HTTP/2: `cargo tree --package tamis --edges normal,features --invert h2` says why' >&2
    exit 1
fi
[ "${1:-}" = count ] && exit

for features in '' http login oci replicas traces; do
    echo "features: lint with ${features:-none}"
    $cargo clippy --release "${bare[@]}" ${features:+--features "$features"} --bins -- -D warnings
done
# In the place of the whole program, which comes back afterwards: nothing is compiled twice.
home=$(mktemp -d)
tamis=$home/tamis
place=target/release/tamis
put_back() { [ ! -e "$home/whole" ] || mv "$home/whole" "$place"; rm -rf "$home"; }
trap put_back EXIT
[ ! -e "$place" ] || mv "$place" "$home/whole"
$cargo build --release "${bare[@]}"
mv "$place" "$tamis"
within() { env -i HOME="$home" PATH="$PATH" "$tamis" "$@"; }
printf '{"content":[{"type":"text","text":"a\\u001b[31mred\\u001b[0m"}]}' >"$home/result.json"
printf '[[chain]]\ntools = ["*"]\nsteps = ["ansi"]\n' >"$home/filters.toml"
within apply --tool any --config "$home/filters.toml" "$home/result.json" | grep -q '"ared"'
for absent in 'serve http' 'connect http' 'login login' 'logout login' 'plugin pull registry.example/p:1 oci' \
    'publish filters.toml oci://registry.example/p:1 --key k oci'; do
    if said=$(within ${absent% *} 2>&1); then
        echo "features: ${absent% *} did not fail without the feature ${absent##* }" >&2
        exit 1
    fi
    grep -q "the cargo feature \`${absent##* }\`" <<<"$said" || { echo "features: ${absent% *} says: $said" >&2; exit 1; }
done
printf '[[plugin]]\nname = "p"\noci = "registry.example/p:1@sha256:%064d"\n' 0 >"$home/filters.toml"
said=$(within check "$home/filters.toml" 2>&1 || true)
grep -q 'filters.toml:3' <<<"$said" && grep -q 'the cargo feature `oci`' <<<"$said" || { echo "features: check says: $said" >&2; exit 1; }
printf '[state]\noriginals = "s3://bucket"\n' >"$home/filters.toml"
said=$(within check "$home/filters.toml" 2>&1 || true)
grep -q 'filters.toml:2' <<<"$said" && grep -q 'the cargo feature `replicas`' <<<"$said" || { echo "features: check says: $said" >&2; exit 1; }
echo "features: every feature alone lints, and what was left out says so"
