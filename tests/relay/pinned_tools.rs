//! `pin-tools`: a client whose model searches for tools lists those at once that earlier agents used, and at first some
//! that change nothing.

use crate::support::{Folder, Program};
use serde_json::{Value, json};

const POLICY: &str = "[[chain]]\ntools = [\"*\"]\npin-tools = \"used\"\nsteps = [\"ansi\"]\n";

/// A server with three tools.
const TOOLS: &str = r#"{"name":"used","inputSchema":{"type":"object"}},{"name":"idle","inputSchema":{"type":"object"}},{"name":"rare","inputSchema":{"type":"object"}}"#;

/// A server with these tools.
const SERVER: &str = r#"while read -r line; do
    case $line in
    *initialize*) echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}' ;;
    *tools/list*) echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[TOOLS]}}' ;;
    *) echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a\u001b[31mred\u001b[0m"}]}}' ;;
    esac
done"#;

/// A session of an agent, which is a process of its own. Returns the names of the tools that its list marks.
fn session(folder: &Folder, policy: &str, client: &str, calls: &[&str]) -> Vec<String> {
    session_with(folder, TOOLS, policy, client, calls)
}

fn session_with(
    folder: &Folder,
    tools: &str,
    policy: &str,
    client: &str,
    calls: &[&str],
) -> Vec<String> {
    folder.write("filters.toml", policy);
    folder.write("server.sh", SERVER.replace("TOOLS", tools));
    let agent = format!(
        "{} run --config filters.toml --server demo -- sh server.sh; exit",
        env!("CARGO_BIN_EXE_tamis")
    );
    let mut running = Program::new(&["sh", "-c", &agent], folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .start();
    let mut ask = |message: Value| {
        running.send(format!("{message}\n"));
        serde_json::from_slice::<Value>(&running.receive_line()).expect("JSON")
    };
    let greeting = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": client, "version": "1"},
    });
    ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting}));
    let list = ask(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    for tool in calls {
        let params = json!({"name": tool, "arguments": {}});
        ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    }
    running.finish().succeeded();
    marked(&list)
}

/// The names of the tools that a list marks.
fn marked(list: &Value) -> Vec<String> {
    let tools = list["result"]["tools"].as_array().expect("tools");
    let marked = tools
        .iter()
        .filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true);
    marked
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn tools_that_earlier_agents_used_are_marked() {
    let folder = Folder::new();
    let session = |client, calls: &[&str]| session(&folder, POLICY, client, calls);
    let none: [&str; 0] = [];
    // A session's list does not change within it, and says nothing of other servers' tools.
    assert_eq!(session("claude-code", &["used", "rare"]), none);
    assert_eq!(session("claude-code", &["used"]), ["used", "rare"]);
    // The models of others get every tool without a mark.
    assert_eq!(session("codex-mcp-client", &["used"]), none);
    assert_eq!(session("claude-code", &["used"]), ["used", "rare"]);
    // Less than a third used it.
    assert_eq!(session("claude-code", &["used"]), ["used"]);
}

/// Tools of which every second says that it changes nothing.
fn readers(number: usize) -> String {
    let tools = (0..number).map(|place| {
        let annotations = json!({"readOnlyHint": place % 2 == 0});
        json!({"name": format!("t{place}"), "inputSchema": {"type": "object"}, "annotations": annotations}).to_string()
    });
    tools.collect::<Vec<_>>().join(",")
}

#[test]
fn at_first_tools_that_change_nothing_are_marked() {
    let folder = Folder::new();
    let session =
        |client, calls: &[&str]| session_with(&folder, &readers(6), POLICY, client, calls);
    assert_eq!(session("claude-code", &[]), ["t0", "t2", "t4"]);
    assert!(session("codex-mcp-client", &[]).is_empty());
    assert_eq!(session("claude-code", &[]), ["t0", "t2", "t4"]);
    // Three agents used none of them.
    assert!(session("claude-code", &["t1"]).is_empty());
    assert!(session("claude-code", &["t1"]).is_empty());
    assert_eq!(session("claude-code", &[]), ["t1"]);
    // There is no room for all of many.
    let folder = Folder::new();
    let marked = session_with(&folder, &readers(30), POLICY, "claude-code", &[]);
    assert_eq!(marked, ["t0", "t2", "t4", "t6", "t8", "t10", "t12", "t14"]);
    // Tools that are hidden, and those of chains without the key, take no room.
    let folder = Folder::new();
    let policy = POLICY.replace("\"*\"", "\"t8\", \"t1*\", \"t2*\"");
    let policy = policy + "\n[tool.t10]\nhidden = true\n";
    let marked = session_with(&folder, &readers(30), &policy, "claude-code", &[]);
    assert_eq!(
        marked,
        ["t2", "t8", "t12", "t14", "t16", "t18", "t20", "t22"]
    );
}

#[test]
fn without_the_key_no_tool_is_marked() {
    let folder = Folder::new();
    let policy = POLICY.replace("pin-tools = \"used\"\n", "");
    for _ in 0..2 {
        assert!(session(&folder, &policy, "claude-code", &["used"]).is_empty());
    }
}
