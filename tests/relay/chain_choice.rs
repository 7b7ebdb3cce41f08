//! The choice of a result's chain: by server, tool, error, arguments, size and client; tools hidden by pattern; names
//! that match no tool.

use crate::support::mcp::{Client, Stage};
use serde_json::{Value, json};

/// Each chain leaves a different trace in [`document`].
const POLICY: &str = r#"
[[chain]]
name = "of another server"
servers = ["*", "!mine"]
tools = ["*"]
steps = [{ filter = "reshape", drop = ["hint", "none"] }]

[[chain]]
name = "errors"
tools = ["*"]
errors = true
steps = []

[[chain]]
name = "logs"
tools = ["*", "!plain"]
when = { arguments = { path = "*.log" }, larger-than = "1KB", client = ["Agent*"] }
steps = [{ filter = "reshape", drop = ["hint"] }]

[[chain]]
name = "rest"
tools = ["*"]
steps = [{ filter = "reshape", drop = ["none"] }]
"#;

fn document(words: usize) -> Value {
    json!({"ok": true, "hint": "a hint to drop ".repeat(words), "none": "of this as well".repeat(words)})
}

fn result(words: usize, is_error: bool) -> String {
    let text = document(words).to_string();
    json!({"content": [{"type": "text", "text": text}], "isError": is_error}).to_string()
}

fn stage(policy: &str) -> Stage {
    let stage = Stage::new(policy);
    stage.answers("tools/call", result(100, false));
    stage.tool("small", result(10, false));
    stage.tool("broken", result(100, true));
    let names = [
        "open",
        "plain",
        "small",
        "broken",
        "delete_one",
        "delete_two",
    ];
    let tools = names.map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
    stage.answers("tools/list", json!({"tools": tools}).to_string());
    stage.answers("initialize", r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#);
    stage
}

/// The members of the document that a call leaves.
fn left(client: &mut Client, tool: &str, arguments: &Value) -> String {
    let result = client.call(tool, arguments);
    let text = result["content"][0]["text"].as_str().expect("a text");
    let document: Value = serde_json::from_str(text.split("\n[tamis]").next().unwrap_or(text))
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    let members = document.as_object().expect("an object").keys();
    members.map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_first_chain_whose_conditions_hold_is_the_chain() {
    let stage = stage(POLICY);
    let log = json!({"path": "a b.log"});
    let mut agent = Client::of(stage.proxy(&["--server", "mine"]));
    agent.greet("agent-x");
    let all = "ok hint none";
    let sorted = |said: String| {
        let mut words: Vec<&str> = said.split(' ').collect();
        words.sort_by_key(|word| all.find(word));
        words.join(" ")
    };
    let mut agent_left = |tool: &str, arguments: &Value| sorted(left(&mut agent, tool, arguments));
    assert_eq!(agent_left("open", &log), "ok none", "logs");
    assert_eq!(
        agent_left("open", &json!({"path": "a.txt"})),
        "ok hint",
        "another argument"
    );
    assert_eq!(agent_left("open", &json!({})), "ok hint", "no argument");
    assert_eq!(agent_left("plain", &log), "ok hint", "an exception");
    assert_eq!(agent_left("small", &log), "ok hint", "not larger");
    assert_eq!(agent_left("broken", &log), all, "an error passes");
    let mut other = Client::of(stage.proxy(&["--server", "mine"]));
    other.greet("another");
    assert_eq!(
        sorted(left(&mut other, "open", &log)),
        "ok hint",
        "another client"
    );
    let mut elsewhere = Client::of(stage.proxy(&["--server", "yours"]));
    elsewhere.greet("agent-x");
    assert_eq!(
        sorted(left(&mut elsewhere, "open", &log)),
        "ok",
        "another server"
    );
}

#[test]
fn an_error_passes_byte_for_byte() {
    let stage = stage(POLICY);
    let spaced = r#"{"isError" : true, "content":[ {"type":"text","text":"no \u0041"} ] }"#;
    stage.tool("broken", spaced);
    let mut client = Client::of(stage.proxy(&["--server", "mine"]));
    let id = client.send("tools/call", &json!({"name": "broken", "arguments": {}}));
    let line = client.line(id);
    assert!(String::from_utf8_lossy(&line).contains(spaced), "{line:?}");
}

#[test]
fn tools_are_hidden_by_pattern_and_one_of_them_is_not() {
    let stage = stage(
        "[tool.\"delete_*\"]\nhidden = true\n[tool.delete_one]\nhidden = false\n\
         [profile.most]\ntools = [\"*\", \"!plain\"]\n",
    );
    let listed = |client: &mut Client| -> Vec<String> {
        let answer = client.ask("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let mut client = stage.start();
    assert_eq!(
        listed(&mut client),
        ["open", "plain", "small", "broken", "delete_one"]
    );
    let refused = client.call("delete_two", &json!({})).to_string();
    assert!(refused.contains("the operator has hidden it"), "{refused}");
    let mut most = Client::of(stage.proxy(&["--profile", "most"]));
    assert_eq!(listed(&mut most), ["open", "small", "broken", "delete_one"]);
}

#[test]
fn names_that_fit_no_tool_are_in_the_log() {
    let stage = stage(
        "[[chain]]\ntools = [\"opne\"]\nsteps = [\"null-stripper\"]\n\n[tool.delete_tow]\nhidden = true\n",
    );
    let mut client = stage.start();
    client.ask("tools/list", &json!({}));
    client.ask("tools/list", &json!({}));
    let log = client.finish().report();
    for said in [
        "the server has no tool `opne`: did you mean `open`?",
        "the server has no tool `delete_tow`: hides nothing; did you mean `delete_two`?",
        "line=2",
    ] {
        assert_eq!(log.matches(said).count(), 1, "{said}: {log}");
    }
}

#[test]
fn a_required_tool_that_the_server_lacks_closes_all_of_them() {
    let listed = |client: &mut Client| client.ask("tools/list", &json!({})).to_string();
    let stage = stage("[tool.delete_tow]\nhidden = true\nrequired = true\n");
    let mut client = stage.start();
    let early = client.call("open", &json!({})).to_string();
    assert!(early.contains("list the tools first"), "{early}");
    let why =
        "the policy requires the tool `delete_tow` (filters.toml, line 1), and the server has none";
    let list = listed(&mut client);
    assert!(list.contains(why), "{list}");
    assert_eq!(list.matches("inputSchema").count(), 1, "{list}");
    for tool in ["open", "delete_two", "tamis_closed"] {
        let refused = client.call(tool, &json!({})).to_string();
        assert!(
            refused.contains(why) && !refused.contains("a hint"),
            "{refused}"
        );
    }
    let log = client.finish().report();
    let said =
        "the server has no tool `delete_tow`: clients get no tools; did you mean `delete_two`?";
    assert_eq!(log.matches(said).count(), 1, "{log}");

    let stage = self::stage(
        "[tool.\"*_two\"]\nhidden = true\nrequired = true\n[tool.open]\nrequired = true\n",
    );
    let mut client = stage.start();
    let list = listed(&mut client);
    assert!(
        list.contains("delete_one") && !list.contains("delete_two"),
        "{list}"
    );
    assert!(
        client
            .call("open", &json!({}))
            .to_string()
            .contains("a hint")
    );
}

#[test]
fn arguments_with_a_secret_do_not_reach_the_server() {
    let stage = stage(
        "[[chain]]\non = [\"arguments\"]\ntools = [\"*\", \"!plain\"]\nsteps = [{ filter = \"redact\", hide = [\"emails\"] }]\n",
    );
    let mut client = stage.start();
    let mut call = |tool, arguments| client.call(tool, &arguments).to_string();
    let secret = json!({"to": ["a@example.org"]});
    for arguments in [
        secret.clone(),
        json!({"a@example.org": 1}),
        json!({"body": secret.to_string()}),
    ] {
        let refused = call("open", arguments);
        assert!(
            refused.contains("is refused because of its arguments"),
            "{refused}"
        );
        assert!(
            refused.contains("\"isError\":true") && !refused.contains("a hint"),
            "{refused}"
        );
    }
    assert!(call("open", json!({"to": "nobody"})).contains("a hint"));
    assert!(call("plain", secret).contains("a hint"), "an exception");
}

#[test]
fn a_call_by_a_name_that_is_no_text_is_refused_where_something_is_hidden() {
    let hides =
        "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"redact\", hide = [\"emails\"] }]\n";
    for (policy, passes) in [(hides, false), ("", true)] {
        let stage = stage(policy);
        let mut client = stage.start();
        for (id, name) in (90u64..).zip([r#""x\ud800""#, "5", r#"["x"]"#]) {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{name},"arguments":{{}}}}}}"#
            );
            client.program().send(format!("{line}\n"));
            let answer = String::from_utf8_lossy(&client.line(id)).into_owned();
            let refused = answer.contains("by a name that is no text");
            assert_eq!(refused, !passes, "{name}: {answer}");
        }
    }
}
