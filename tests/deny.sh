#!/usr/bin/env bash
# Licences, sources and bans of all dependencies, and advisories where their database can be had. With OFFLINE=1
# nothing is fetched; the crates have to be on this machine then (`cargo fetch`).
set -euo pipefail
cd "$(dirname "$0")/.."
offline=${OFFLINE:+--offline}
config=$PWD/deny.toml
manifests='Cargo.toml plugins/Cargo.toml tests/fuzz/Cargo.toml tests/guests/Cargo.toml'
for manifest in $manifests; do
    echo "$manifest: licences, sources, bans"
    cargo deny --manifest-path "$manifest" --config "$config" --locked $offline check licenses bans sources
done
if [ -z "$offline" ] && cargo deny --config "$config" fetch db >/dev/null 2>&1; then
    for manifest in $manifests; do
        echo "$manifest: advisories"
        cargo deny --manifest-path "$manifest" --config "$config" --locked check advisories
    done
else
    echo "deny: the database of advisories cannot be reached: advisories were not checked"
fi
