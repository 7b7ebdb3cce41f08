#!/usr/bin/env bash
# Licences, sources and bans of all dependencies, and advisories where their database can be had.
set -euo pipefail
cd "$(dirname "$0")/.."
for manifest in Cargo.toml plugins/Cargo.toml; do
    echo "$manifest"
    cargo deny --manifest-path "$manifest" --offline --locked check --config deny.toml licenses bans sources
done
if cargo deny fetch db >/dev/null 2>&1; then
    cargo deny --locked check --config deny.toml advisories
else
    echo "deny: the database of advisories cannot be reached: advisories were not checked"
fi
