//! `tamis tools`, and `tamis check` with the tools of a server.

use crate::support::{Folder, Program, exits, text};
use serde_json::{Value, json};

const POLICY: &str = r#"[[chain]]
name = "reads"
tools = ["read_*", "wriet_file", "!read_all"]
steps = ["null-stripper"]

[tool."delete_*"]
hidden = true
"#;

fn tamis(folder: &Folder, line: &[&str]) -> Program {
    let line: Vec<&str> = [env!("CARGO_BIN_EXE_tamis")]
        .into_iter()
        .chain(line.iter().copied())
        .collect();
    Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TAMIS_CACHE_DIR", folder.path().join("cache"))
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("filters.toml", POLICY);
    let tools =
        ["read_file", "write_file", "delete_file", "read_all"].map(|name| json!({"name": name}));
    folder.write("tools.json", json!({"tools": tools}).to_string());
    folder
}

#[test]
fn each_tool_has_its_chains_and_each_name_without_a_tool_is_said() {
    let folder = folder();
    let line = ["tools", "--config", "filters.toml", "--tools", "tools.json"];
    let run = tamis(&folder, &line).run("");
    exits(
        &run,
        1,
        &[
            "the server has no tool `wriet_file`",
            "did you mean `write_file`?",
        ],
    );
    let rows: Vec<String> = text(&run.stdout)
        .lines()
        .take(5)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let expected = [
        "tool for clients chains of its results",
        "read_file listed reads",
        "write_file listed none: they pass",
        "delete_file hidden none: they pass",
        "read_all listed none: they pass",
    ];
    assert_eq!(rows, expected);
    let run = tamis(&folder, &[&line[..], &["--json"]].concat()).run("");
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["tools"][0]["chains"], json!(["reads"]), "{report}");
    assert_eq!(report["unmatched"][0]["line"], 3, "{report}");
}

#[test]
fn a_server_is_asked_for_its_tools() {
    let folder = folder();
    let server = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    result = {"tools": [{"name": "read_file", "inputSchema": {}}]} if asked["method"] == "tools/list" else \
        {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;
    folder.write("server.py", server);
    let line = [
        "check",
        "filters.toml",
        "--deny",
        "tool-unmatched",
        "--",
        "python3",
        "server.py",
    ];
    let run = tamis(&folder, &line).run("");
    exits(
        &run,
        1,
        &[
            "warning[tool-unmatched]",
            "wriet_file",
            "delete_*",
            "filters.toml:3",
        ],
    );
    folder.write(
        "filters.toml",
        "[[chain]]\ntools = [\"read_file\"]\nsteps = [\"null-stripper\"]\n",
    );
    let run = tamis(&folder, &line).run("");
    exits(&run, 0, &["filters.toml: no errors"]);
}

#[test]
fn a_list_that_is_none_is_said() {
    let folder = folder();
    folder.write("tools.json", "{}");
    let run = tamis(&folder, &["check", "filters.toml", "--tools", "tools.json"]).run("");
    exits(
        &run,
        2,
        &["tools.json", "allowed: the result of `tools/list`"],
    );
    let run = tamis(&folder, &["tools", "--config", "filters.toml"]).run("");
    exits(&run, 2, &["name the server"]);
}
