#!/usr/bin/env bash
# Adds a built-in filter to a copy of this repository, as its folder alone, and shows that the program knows it:
# `tamis check`, `tamis explain` and `tamis apply`, and the tests that run every filter. Removes it, and compares.
#
# Shares target/ with the repository, so that only the crates of this workspace are built again (two minutes).
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
tree=$repository/target/new-filter
rm -rf "$tree" && mkdir -p "$tree"
git ls-files -z | xargs -0 cp --parents -t "$tree"

# What cargo and TAMIS_BLESS=1 write: no one edits these files by hand.
generated='^(plugins/Cargo\.lock|docs/filters\.schema\.json|docs/[a-z-]+\.md|CONTRIBUTING\.md)$'

filter=$tree/plugins/shouter
mkdir -p "$filter/src"
cat > "$filter/Cargo.toml" <<'TOML'
[package]
name = "shouter"
description = "writes the word `quiet` in capitals"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
publish.workspace = true

[package.metadata.tamis]
roles = []

[lib]
crate-type = ["cdylib", "lib"]

[dependencies]
serde.workspace = true
tamis-sdk.workspace = true
TOML
cat > "$filter/README.md" <<'MD'
# shouter

Writes the word `quiet` in capitals. It has no settings.
MD
printf '{\n  "type": "object",\n  "additionalProperties": false,\n  "properties": {}\n}\n' > "$filter/settings.schema.json"
cat > "$filter/src/lib.rs" <<'RUST'
//! `shouter`: writes the word `quiet` in capitals.

use tamis_sdk::{Call, Description, Document, Fidelity, Filter, Kind, Splices, Verdict};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

struct Shouter;

impl Filter for Shouter {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new("shouter", env!("CARGO_PKG_VERSION"), env!("CARGO_PKG_DESCRIPTION"))
            .fidelity(Fidelity::Equivalent)
            .may_grow()
    }

    fn configure(_settings: Settings) -> Result<Self, String> {
        Ok(Shouter)
    }

    fn triggers(&self) -> Vec<String> {
        vec!["quiet".to_owned()]
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let mut splices = Splices::new();
        if document.kind() == Kind::Text {
            for (start, word) in document.text().match_indices("quiet") {
                splices.replace(start as u32, (start + word.len()) as u32, "QUIET");
            }
        }
        Ok(splices.into())
    }
}

tamis_sdk::export!(Shouter);
RUST

# Without optimisation: it is built to be asked a few questions.
options=(--release --workspace --target-dir "$repository/target" --config 'profile.release.package.tamis.opt-level=0')
(cd "$tree/plugins" && cargo update --quiet --workspace --offline)
(cd "$tree" && cargo build --locked --offline "${options[@]}" --bin tamis)

tamis=$repository/target/release/tamis
policy=$tree/target/filters.toml
mkdir -p "$tree/target"
printf '[[chain]]\ntools = ["*"]\nsteps = ["shouter"]\n' > "$policy"
printf 'be quiet' > "$tree/target/text.txt"
"$tamis" check "$policy"
"$tamis" explain --config "$policy" any_tool | grep shouter
printed=$("$tamis" apply --config "$policy" --tool any_tool "$tree/target/text.txt")
[ "$printed" = "be QUIET" ] || { echo "new-filter: tamis apply printed $printed"; exit 1; }

echo "new-filter: the tests that run every filter on generated documents"
(cd "$tree" && TAMIS_BLESS=1 cargo test --quiet --locked --offline "${options[@]}" --test commands -- docs schema --skip cookbook)
(cd "$tree" && cargo test --quiet --locked --offline "${options[@]}" --test filters -- filters:: manifests::)

rm -rf "$filter"
(cd "$tree/plugins" && cargo update --quiet --workspace --offline)
changed=$(git ls-files | while read -r file; do
    cmp -s "$file" "$tree/$file" || echo "$file"
done | grep -vE "$generated" || true)
if [ -n "$changed" ]; then
    echo "new-filter: a new filter changed these files outside of its folder:"
    echo "$changed"
    exit 1
fi
rm -rf "$tree"
# The program of the repository takes its place in target/release again.
cargo build --quiet --release --locked --workspace
echo "new-filter: ok: the folder alone made the filter, and nothing else changed but generated files"
