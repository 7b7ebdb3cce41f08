//! Each surface of `on` hides a secret that no other surface hides: with a surface less, a secret arrives.

use super::places::{Plant, places};
use super::{leaks, of_stdio, requests, talk};
use crate::support::{COMPILED, Folder, Program, TAMIS};
use serde_json::json;
use std::ffi::OsString;
use tamis::policy::Surface;

const VERSION: &str = "2025-11-25";

/// A place that a surface alone hides, for each surface. `*` gets messages whole, so the others are tried without it.
const ALONE: [(&str, &str); 8] = [
    ("result", "a text"),
    ("instructions", "instructions"),
    ("description", "a tool's description"),
    ("prompt", "a prompt's message"),
    ("resource", "a resource's text"),
    ("history", "a result in a transcript"),
    ("arguments", "an argument of a call"),
    ("*", "an error's message"),
];

/// A chain that redacts a surface.
fn chain(surface: &str) -> String {
    let names = match surface {
        "instructions" | "*" => "",
        "prompt" => "prompts = [\"*\"]",
        "resource" => "resources = [\"*\"]",
        _ => "tools = [\"*\"]",
    };
    format!(
        r#"
[[chain]]
name = "of {surface}"
on = ["{surface}"]
{names}
steps = ["ansi", {{ filter = "redact", hide = ["api-keys"], base64 = true }}]
"#
    )
}

/// The places that leak where a chain is bound to all surfaces but these.
fn leaked(left_out: &[&str]) -> Vec<String> {
    let all = Surface::ALL.iter().map(|(name, _)| *name);
    let policy: String = all
        .filter(|surface| !left_out.contains(surface))
        .map(chain)
        .collect();
    let (mut planted, _) = places(VERSION);
    planted.retain(of_stdio);
    let folder = Folder::new();
    let mut plant = Plant::after(planted.len() + 100);
    let (argument, result) = (
        plant.at("an argument of a call"),
        plant.at("a result in a transcript"),
    );
    let mut requests = requests(VERSION);
    let id = requests.len() + 1;
    requests.push(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "open", "arguments": {"token": argument}}}));
    let got = talk(&folder, &policy, VERSION, requests);
    let received = std::fs::read(folder.path().join("frames/received")).expect("what it received");
    let shortened = history(&folder, &result);
    let others = plant.into_places();
    let mut leaked = leaks(&got, &planted);
    leaked.extend(leaks(&received, &others[..1]));
    leaked.extend(leaks(&shortened, &others[1..]));
    leaked
}

/// What `tamis history` leaves of a transcript with a secret in a tool's result.
fn history(folder: &Folder, secret: &str) -> Vec<u8> {
    let transcript = json!([
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "open", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": format!("The token is {secret}.")},
    ]);
    let config = folder.path().join("filters.toml");
    let line: Vec<OsString> = vec![
        TAMIS.into(),
        "history".into(),
        "--config".into(),
        config.into(),
    ];
    let program = Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TAMIS_CACHE_DIR", COMPILED);
    program.run(transcript.to_string()).succeeded().stdout
}

#[test]
fn each_surface_hides_a_secret_that_no_other_hides() {
    let names: Vec<&str> = Surface::ALL.iter().map(|(name, _)| *name).collect();
    let tried: Vec<&str> = ALONE.iter().map(|(surface, _)| *surface).collect();
    assert_eq!(tried, names, "a surface without a secret of its own");
    let with_all = leaked(&[]);
    assert_eq!(with_all, Vec::<String>::new(), "with every surface");
    let named = leaked(&["*"]);
    for (surface, place) in ALONE {
        let (before, now) = match surface {
            "*" => (&with_all, named.clone()),
            _ => (&named, leaked(&["*", surface])),
        };
        let place = place.to_owned();
        assert!(
            !before.contains(&place) && now.contains(&place),
            "without `{surface}`, {place} must leak, and with it not; without: {now:?}"
        );
    }
}
