//! `pin-tools` of `tamis serve`: each caller lists those tools at once that its own earlier agents used.

use crate::support::Folder;
use crate::support::proxy::{self, client};
use serde_json::{Value, json};

const POLICY: &str = r#"
[[chain]]
tools = ["*"]
pin-tools = "used"
steps = ["ansi"]

[serve]
tokens = { alice = "${ALICE}", bob = "${BOB}" }

[server.demo]
command = ["sh", "server.sh"]
"#;

const SERVER: &str = r#"while read -r line; do
    id=$(echo "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *initialize\"*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}' ;;
    *tools/list*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"write","inputSchema":{"type":"object"}}]}}' ;;
    *tools/call*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"a\u001b[31mred\u001b[0m"}]}}' ;;
    esac
done"#;

/// A session of an agent with this token. Returns the names of the tools that its list marks.
async fn session(folder: &Folder, token: Option<&str>, calls: &[&str]) -> Vec<String> {
    folder.write("server.sh", SERVER);
    let policy = match token {
        Some(_) => POLICY.to_owned(),
        None => POLICY.replace("tokens =", "# tokens ="),
    };
    folder.write("filters.toml", &policy);
    // Connections that a caller begins within a short time are of one agent; of another process, they are of another.
    let mut running = proxy::program(folder)
        .env("ALICE", "of-alice")
        .env("BOB", "of-bob")
        .start();
    let line = String::from_utf8(running.receive_line()).expect("it is text");
    let base = line
        .trim()
        .strip_prefix("listening on ")
        .expect("an address");
    let url = format!("{base}/demo/mcp");
    let client = client();
    let mut session: Option<String> = None;
    let mut answers = Vec::new();
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "1"}});
    let mut asked = vec![("initialize", greeting), ("tools/list", json!({}))];
    asked.extend(
        calls
            .iter()
            .map(|name| ("tools/call", json!({"name": name, "arguments": {}}))),
    );
    for (id, (method, params)) in asked.into_iter().enumerate() {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let mut request = proxy::post(&client, &url, &message);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &session {
            request = request.header("mcp-session-id", session);
        }
        let answer = request.send().await.expect("an answer");
        if let Some(id) = answer.headers().get("mcp-session-id") {
            session = Some(id.to_str().expect("text").to_owned());
        }
        let text = answer.text().await.expect("a body");
        let json = text
            .lines()
            .find_map(|line| line.strip_prefix("data: "))
            .unwrap_or(&text);
        answers.push(serde_json::from_str::<Value>(json).unwrap_or_else(|_| panic!("{text}")));
    }
    running.signal(rustix::process::Signal::TERM);
    running.finish().succeeded();
    let tools = answers[1]["result"]["tools"].as_array().expect("tools");
    let marked = tools
        .iter()
        .filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true);
    marked
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .filter(|name| name != "tamis_read")
        .collect()
}

#[tokio::test]
async fn each_caller_lists_what_its_own_agents_used() {
    let folder = Folder::new();
    let (alice, bob) = (Some("of-alice"), Some("of-bob"));
    // Nothing is known of a new caller: what changes nothing is listed.
    assert_eq!(session(&folder, alice, &["write"]).await, ["read"]);
    assert_eq!(session(&folder, alice, &["write"]).await, ["write"]);
    assert_eq!(session(&folder, bob, &[]).await, ["read"]);
    assert_eq!(session(&folder, bob, &["read"]).await, ["read"]);
    assert_eq!(session(&folder, alice, &[]).await, ["write"]);
}

#[tokio::test]
async fn callers_without_a_token_are_one_caller() {
    let folder = Folder::new();
    assert_eq!(session(&folder, None, &["write"]).await, ["read"]);
    assert_eq!(session(&folder, None, &[]).await, ["write"]);
}
