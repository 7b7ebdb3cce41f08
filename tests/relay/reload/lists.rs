//! The list of tools under two policies in turn: the client is told that the list changed. Until it requests the list
//! again, the old list counts.

use super::{Proxy, Stage};
use crate::support::mcp::references;
use serde_json::{Value, json};

const CHANGED: &str = "notifications/tools/list_changed";
const TOLD: &str = "the client is told that its list of tools has changed";

/// A server with two tools, one of which promises `structuredContent`.
fn stage(policy: &str, capabilities: &Value) -> Stage {
    let stage = Stage::new(policy);
    let greeting = json!({
        "protocolVersion": "2025-11-25", "capabilities": capabilities,
        "serverInfo": {"name": "server", "version": "1"},
    });
    stage.answers("initialize", greeting.to_string());
    stage.answers("ping", "{}");
    let schema = json!({"type": "object"});
    let tools = json!([
        {"name": "open", "description": "Opens.", "inputSchema": schema},
        {"name": "typed", "inputSchema": schema, "outputSchema": schema},
    ]);
    stage.answers("tools/list", json!({"tools": tools}).to_string());
    let rows: Vec<Value> = (0..300)
        .map(|id| json!({"id": id, "name": format!("row {id}"), "none": null}))
        .collect();
    let document = json!({"rows": rows, "none": null});
    let result = json!({
        "content": [{"type": "text", "text": document.to_string()}],
        "structuredContent": document,
    });
    stage.answers("tools/call", result.to_string());
    stage
}

fn chain(step: &str) -> String {
    format!(
        "[[chain]]\ntools = [\"*\"]\nsteps = [{{ filter = \"{step}\", limits = {{ time = \"10s\" }} }}]\n"
    )
}

fn list(proxy: &mut Proxy) -> Vec<Value> {
    let listed = proxy.client.ask("tools/list", &json!({}));
    listed["result"]["tools"].as_array().expect("tools").clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    let names = tools.iter().map(|tool| tool["name"].as_str());
    names.map(Option::unwrap_or_default).collect()
}

/// The number of notices to the client about a changed list.
fn told(proxy: &mut Proxy) -> usize {
    let notices = proxy.client.notices();
    assert!(
        notices.iter().all(|it| it["method"] == CHANGED),
        "{notices:?}"
    );
    notices.len()
}

#[test]
fn the_client_is_told_when_its_list_has_changed_and_only_then() {
    let hidden = format!("{}[tool.open]\nhidden = true\n", chain("null-stripper"));
    let mut proxy = Proxy::start(stage(&chain("null-stripper"), &json!({"tools": {}})), &[]);
    let greeting = proxy.client.greet("test");
    let promised = &greeting["result"]["capabilities"];
    assert_eq!(*promised, json!({"tools": {"listChanged": true}}));
    // The client has no list yet.
    proxy.change(&hidden, "[tool] changed");
    assert_eq!(told(&mut proxy), 0);
    assert_eq!(names(&list(&mut proxy)), ["typed"]);

    proxy.change(&chain("null-stripper"), TOLD);
    assert_eq!(told(&mut proxy), 1);
    assert_eq!(names(&list(&mut proxy)), ["open", "typed"]);
    // Another filter, and the same list.
    proxy.change(&chain("unwrap"), "chain `chain 1` changed");
    assert_eq!(told(&mut proxy), 0);
    // A legend is sent with results, not in the list.
    let exact = chain("row-encoder\", level = \"exact");
    proxy.change(&exact, "chain `chain 1` changed");
    assert_eq!(told(&mut proxy), 0);
    // A chain that cuts adds the tool that reads originals.
    proxy.change(&chain("truncate"), TOLD);
    assert_eq!(told(&mut proxy), 1);
    assert_eq!(names(&list(&mut proxy)), ["open", "typed", "tamis_read"]);
    proxy.client.finish().succeeded();
}

#[test]
fn a_list_that_a_missing_tool_closed_opens_with_the_next_policy() {
    let required = |name| format!("[tool.{name}]\nrequired = true\n");
    let mut proxy = Proxy::start(stage(&required("opne"), &json!({"tools": {}})), &[]);
    proxy.client.greet("test");
    assert_eq!(names(&list(&mut proxy)), ["tamis_closed"]);
    proxy.change(&required("open"), TOLD);
    assert_eq!(told(&mut proxy), 1);
    assert_eq!(names(&list(&mut proxy)), ["open", "typed"]);
    proxy.change(&required("typde"), TOLD);
    assert_eq!(told(&mut proxy), 1);
    assert_eq!(names(&list(&mut proxy)), ["tamis_closed"]);
    proxy.client.finish().succeeded();
}

#[test]
fn a_client_that_was_promised_nothing_is_told_nothing() {
    let empty = "# no chain yet\n";
    let mut proxy = Proxy::start(stage(empty, &json!({"tools": {"listChanged": false}})), &[]);
    let greeting = proxy.client.greet("test");
    let promised = &greeting["result"]["capabilities"];
    assert_eq!(*promised, json!({"tools": {"listChanged": false}}));
    list(&mut proxy);
    proxy.change(&chain("truncate"), "cannot notify the client");
    assert_eq!(told(&mut proxy), 0);
    proxy.client.finish().succeeded();
}

#[test]
fn a_promise_of_the_servers_own_is_enough() {
    let empty = "# no chain yet\n";
    let mut proxy = Proxy::start(stage(empty, &json!({"tools": {"listChanged": true}})), &[]);
    proxy.client.greet("test");
    list(&mut proxy);
    proxy.change(&chain("truncate"), TOLD);
    assert_eq!(told(&mut proxy), 1);
    proxy.client.finish().succeeded();
}

/// A server of protocol 2026-07-28 that offers to announce changes, and never does.
const LISTENING: &str = r#"
while IFS= read -r line; do
    id=${line#*'"id":'} id=${id%%,*}
    case $line in
        *subscriptions/listen*) printf '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{"toolsListChanged":true}}}\n' "$id" ;;
        *tools/list*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":[{"name":"open","inputSchema":{}}]}}\n' "$id" ;;
        *) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
    esac
done
"#;

#[test]
fn a_client_that_listens_is_told_as_it_asked_to_be() {
    let mut proxy = Proxy::before(Stage::new(""), &["sh", "-c", LISTENING]);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listening = proxy.client.send("subscriptions/listen", &filter);
    list(&mut proxy);
    proxy.change("[tool.open]\nhidden = true\n", TOLD);
    let notices = proxy.client.notices();
    let id = |notice: &Value| {
        notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone()
    };
    let ids: Vec<Value> = notices.iter().map(id).collect();
    assert_eq!(ids, [json!(listening), json!(listening)], "{notices:?}");
    assert_eq!(notices[1]["method"], CHANGED);
    assert_eq!(list(&mut proxy), [] as [Value; 0]);
    proxy.client.finish();
}

#[test]
fn a_schema_that_was_shown_is_kept_to_until_the_client_lists_anew() {
    let mut proxy = Proxy::start(stage("", &json!({"tools": {"listChanged": true}})), &[]);
    proxy.client.greet("test");
    let shape = |proxy: &mut Proxy, tool: &str| {
        let result = proxy.client.call(tool, &json!({}));
        let text = result["content"][0]["text"].as_str().expect("a text");
        (
            text.contains("null"),
            result.get("structuredContent").is_some(),
        )
    };
    let schema = |tools: &[Value]| tools[1].get("outputSchema").is_some();
    assert!(schema(&list(&mut proxy)));
    proxy.change(&chain("null-stripper"), TOLD);
    assert_eq!(shape(&mut proxy, "typed"), (false, true));
    assert_eq!(
        shape(&mut proxy, "open"),
        (false, false),
        "nothing was promised of it"
    );
    assert!(!schema(&list(&mut proxy)));
    assert_eq!(shape(&mut proxy, "typed"), (false, false));
    proxy.change("", TOLD);
    assert_eq!(shape(&mut proxy, "typed"), (true, true));
    assert!(schema(&list(&mut proxy)));
    proxy.client.finish().succeeded();
}

#[test]
fn nothing_is_cut_before_the_client_can_read_it_back_and_all_that_was_cut_stays_readable() {
    let read_tool = |name: &str| format!("{}[read-tool]\nname = \"{name}\"\n", chain("truncate"));
    let mut proxy = Proxy::start(stage("", &json!({"tools": {"listChanged": true}})), &[]);
    proxy.client.greet("test");
    let call = |proxy: &mut Proxy| {
        let result = proxy.client.call("open", &json!({})).to_string();
        references(&result).next().map(str::to_owned)
    };
    list(&mut proxy);
    proxy.change(&read_tool("get_back"), TOLD);
    assert_eq!(
        call(&mut proxy),
        None,
        "the client has no tool to read it with"
    );
    assert_eq!(names(&list(&mut proxy)), ["open", "typed", "get_back"]);
    let first = call(&mut proxy).expect("it is cut now");

    proxy.change(&read_tool("fetch"), TOLD);
    assert_eq!(call(&mut proxy), None);
    list(&mut proxy);
    let second = call(&mut proxy).expect("it is cut again");
    proxy.change(&chain("null-stripper"), "chain `chain 1` changed");
    // References that the model received stay valid, under their old names.
    for (tool, reference) in [
        ("get_back", &first),
        ("fetch", &second),
        ("get_back", &second),
    ] {
        let whole = proxy.client.read_back(tool, reference);
        assert!(whole.is_ok_and(|text| text.contains("row 299")), "{tool}");
    }
    assert_eq!(call(&mut proxy), None);
    proxy.client.finish().succeeded();
}
