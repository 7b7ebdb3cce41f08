//! `tamis explain`: a tool's chain, the reason, and the files that define it.

use crate::support::{COMPILED, Finished, Folder, Program};
use serde_json::{Value, json};
use tamis::built_in;

/// `house-style` is a built-in filter under another name, so that the plugin always exists.
const POLICY: &str = r#"
[[plugin]]
name = "house-style"
path = "house_style.wasm"
allow = ["log"]
limits = { time = "90ms", memory = "32MiB" }

[[chain]]
name = "first"
tools = ["git_*", "svn_log"]
steps = ["null-stripper"]

[[chain]]
name = "explain"
tools = ["lens_explain", "lens_s*"]
steps = [
  { filter = "house-style", limits = { time = "40ms" }, on-error = "pass", keep = ["id"] },
  { filter = "truncate", limit = 40, shadow = true },
]

[[chain]]
name = "rest"
on = ["result", "prompt"]
tools = ["lens_*"]
prompts = ["review"]
structured = "keep"
steps = ["null-stripper"]

[[client]]
name = "my-agent*"
sees = "both"

[tool.lens_scan]
needs = ["no-such-program-anywhere"]

[profile.small]
tools = ["lens_explain"]
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("filters.toml", POLICY);
    let filter = built_in::find("null-stripper").expect("it is built in");
    folder.write("house_style.wasm", filter.wasm.unpack());
    folder
}

fn explain(folder: &Folder, arguments: &[&str]) -> Finished {
    let mut line = vec![env!("CARGO_BIN_EXE_tamis"), "explain"];
    line.extend(arguments);
    line.extend(["--config", "filters.toml"]);
    Program::new(&line, folder.path())
        .env("TAMIS_CACHE_DIR", COMPILED)
        .run("")
}

#[track_caller]
fn as_json(folder: &Folder, arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.push("--json");
    let done = explain(folder, &all).succeeded();
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| done.fail(&error.to_string()))
}

#[track_caller]
fn assert_contains(done: &Finished, wanted: &[&str]) {
    let said = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    for wanted in wanted {
        if !said.contains(wanted) {
            done.fail(&format!("it should have said `{wanted}`"));
        }
    }
}

#[test]
fn the_chain_and_the_reasons_for_it() {
    let folder = folder();
    let account = as_json(&folder, &["lens_explain"]);
    let verdicts: Vec<Value> = account["candidates"]
        .as_array()
        .expect("chains")
        .iter()
        .map(|it| json!([it["chain"], it["verdict"], it["patterns"], it["at"]]))
        .collect();
    assert_eq!(
        verdicts,
        [
            json!([
                "first",
                "no-pattern-fits",
                ["git_*", "svn_log"],
                "filters.toml:8"
            ]),
            json!(["explain", "used", ["lens_explain"], "filters.toml:13"]),
            json!(["rest", "comes-later", ["lens_*"], "filters.toml:21"]),
        ]
    );
    let prompt = as_json(&folder, &["review", "--on", "prompt"]);
    assert_eq!(prompt["chain"]["name"], "rest");
    assert_eq!(prompt["candidates"][0]["verdict"], "not-bound-to-this");
    let none = as_json(&folder, &["other"]);
    assert_eq!(none["chain"], Value::Null);
    let done = explain(&folder, &["other"]).succeeded();
    assert_contains(
        &done,
        &["no chain of filters.toml matches, so it passes byte for byte"],
    );
}

#[test]
fn every_value_says_where_it_is_from() {
    let folder = folder();
    let account = as_json(&folder, &["lens_explain"]);
    let step = &account["chain"]["steps"][0];
    let at = |value: Value, from: &str, line: Option<u32>| {
        let at = line.map(|line| format!("filters.toml:{line}"));
        json!({"from": from, "at": at, "value": value})
    };
    assert_eq!(
        step["settings"]["keep"],
        at(json!(["id"]), "step", Some(17))
    );
    assert_eq!(step["settings"]["depth"], at(json!(0), "default", None));
    assert_eq!(step["limits"]["time"], at("40ms".into(), "step", Some(17)));
    assert_eq!(
        step["limits"]["memory"],
        at("32MiB".into(), "plugin", Some(6))
    );
    assert_eq!(step["limits"]["input"], at("16MiB".into(), "default", None));
    assert_eq!(step["on_error"], at("pass".into(), "step", Some(17)));
    assert_eq!(
        step["grants"]["log"],
        json!({"granted": true, "wanted": false})
    );
    assert_eq!(step["plugin"]["at"], "filters.toml:2");
    assert_eq!(step["fidelity"], "equivalent");
    let second = &account["chain"]["steps"][1];
    assert_eq!(second["fidelity"], "partial");
    assert_eq!(second["shadow"], true);
    assert_eq!(second["settings"]["limit"], at(json!(40), "step", Some(18)));

    let done = explain(&folder, &["lens_explain"]).succeeded();
    assert_contains(
        &done,
        &[
            "lens_explain (result): chain explain, filters.toml:13\n",
            "→ explain: `lens_explain` matches, and no earlier chain does  filters.toml:13\n",
            "first: does not match `git_*`, `svn_log`",
            "1. house-style ",
            "plugin house_style.wasm  filters.toml:2\n",
            "[\"id\"]  step, filters.toml:17\n",
            "memory 32MiB  plugin, filters.toml:6\n",
            "2. truncate ",
            "in shadow mode",
            "it is part of the profile `small`",
        ],
    );
    assert!(!done.stdout.contains(&0x1b), "colour is for terminals");
}

#[test]
fn what_clients_get() {
    let folder = folder();
    let account = as_json(&folder, &["lens_explain"]);
    let clients = account["chain"]["shape"]["clients"]
        .as_array()
        .expect("clients");
    let of = |name: &str| {
        let found = clients.iter().find(|it| it["client"] == name);
        found.map(|it| (it["sees"].clone(), it["structured"].clone()))
    };
    assert_eq!(of("my-agent*"), Some(("both".into(), "text".into())));
    assert_eq!(of("kimi*"), Some(("both-once".into(), "text".into())));
    assert_eq!(of("any other"), Some((Value::Null, "text".into())));
    let one = as_json(&folder, &["lens_other", "--client", "My-Agent 2"]);
    let shape = &one["chain"]["shape"];
    assert_eq!(shape["structured"], "keep");
    assert_eq!(shape["structured_at"], "filters.toml:26");
    assert_eq!(shape["clients"][0]["structured"], "keep");
    assert_eq!(shape["clients"].as_array().expect("clients").len(), 1);
}

#[test]
fn whether_the_tool_is_there() {
    let folder = folder();
    let done = explain(&folder, &["lens_scan"]).succeeded();
    assert_contains(
        &done,
        &[
            "the tool is not listed",
            "it requires the program `no-such-program-anywhere`",
            "it is not part of the profile `small`",
        ],
    );
    let account = as_json(&folder, &["lens_other", "--profile", "small"]);
    assert_eq!(
        account["visibility"]["refusal"],
        "[tamis] The tool `lens_other` is not available: it is not part of the profile `small`."
    );
    let done = explain(&folder, &["lens_other", "--profile", "smal"]);
    assert_eq!(done.status.code(), Some(2));
    assert_contains(&done, &["unknown profile `smal`"]);
}

#[test]
fn with_an_input_it_shows_the_difference() {
    let folder = folder();
    folder.write("in.json", r#"{"id":null,"name":null,"list":[1,2]}"#);
    let done = explain(&folder, &["lens_explain", "--input", "in.json"]).succeeded();
    assert_contains(
        &done,
        &[
            "│ whole      house-style   edited",
            "- before\n+ after\n",
            "  {\n    \"id\": null,\n-   \"name\": null,\n    \"list\": [\n",
        ],
    );
    let account = as_json(&folder, &["lens_explain", "--input", "in.json"]);
    assert_eq!(account["run"]["output"], r#"{"id":null,"list":[1,2]}"#);
    folder.write("same.txt", "nothing to do");
    let done = explain(&folder, &["lens_explain", "--input", "same.txt"]).succeeded();
    assert_contains(&done, &["The output equals the input."]);
}

#[test]
fn what_was_asked_wrongly_is_said() {
    let folder = folder();
    let done = explain(&folder, &["x", "--on", "results"]);
    assert_eq!(done.status.code(), Some(2));
    assert_contains(&done, &["allowed: result, instructions, description"]);
    let done = explain(&folder, &["--on", "prompt"]);
    assert_eq!(done.status.code(), Some(2));
    assert_contains(&done, &["tamis explain NAME --on prompt"]);
    explain(&folder, &["--on", "instructions"]).succeeded();
}

/// One chain redacts every message, one redacts some results, and one filters prompts.
const SURFACES: &str = r#"
[[chain]]
name = "everything"
on = ["*"]
steps = [{ filter = "redact", hide = ["emails"] }]

[[chain]]
name = "mail"
tools = ["read_mail", "list_*"]
steps = [{ filter = "redact", hide = ["phones"] }]

[[chain]]
name = "outgoing"
on = ["arguments"]
tools = ["*"]
steps = [{ filter = "redact", hide = ["api-keys"] }]

[[chain]]
name = "prompts"
on = ["prompt"]
prompts = ["*"]
steps = ["null-stripper"]
"#;

#[test]
fn surfaces_lists_which_chains_get_each_part_of_a_server() {
    let folder = Folder::new();
    folder.write("filters.toml", SURFACES);
    let account = as_json(&folder, &["--surfaces"]);
    let parts = account["parts"].as_array().expect("parts");
    let part = |name: &str| {
        let found = parts.iter().find(|part| part["part"] == name);
        let found = found.unwrap_or_else(|| panic!("`{name}` is not in {account:#}"));
        (found["redacted_by"].clone(), found["filtered_by"].clone())
    };
    let every = json!(["everything"]);
    assert_eq!(
        part("results of tools: texts, structuredContent"),
        (json!(["everything", "mail (read_mail, list_*)"]), json!([]))
    );
    assert_eq!(
        part("messages of prompts"),
        (every.clone(), json!(["prompts"]))
    );
    assert_eq!(
        part("to the server: arguments of calls"),
        (json!(["outgoing"]), json!([]))
    );
    for part in parts {
        let is_sent = part["part"] == "to the server: arguments of calls";
        assert_eq!(part["redacted_by"][0] == "everything", !is_sent, "{part}");
    }
    let done = explain(&folder, &["--surfaces"]).succeeded();
    assert_contains(
        &done,
        &[
            "what a client gets",
            "errors of the protocol                           everything ",
        ],
    );
    // Without the chain for every message, most parts have no chain.
    let alone = SURFACES.replacen("on = [\"*\"]\n", "tools = [\"get_*\"]\n", 1);
    folder.write("filters.toml", alone);
    let account = as_json(&folder, &["--surfaces"]);
    let parts = account["parts"].as_array().expect("parts");
    let redacted = |part: &&Value| part["redacted_by"] != json!([]);
    assert_eq!(parts.iter().filter(redacted).count(), 2, "{account:#}");
}
