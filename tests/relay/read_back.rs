//! Nothing is lost: Tamis stores an original before the answer goes out, and `tamis_read` returns it, byte for byte,
//! even after a kill. If Tamis cannot store the original, it does not cut.

use crate::support::mcp::Stage;
use crate::support::{Folder, Program, Running, tamis_run};
use serde_json::{Value, json};

const POLICY: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"pending-to-meta\"]\n";

/// A proxy before a server with one answer to every message.
struct Proxy {
    folder: Folder,
    answer: String,
}

impl Proxy {
    fn new(answer: &Value) -> Proxy {
        Proxy {
            folder: Folder::new(),
            answer: answer.to_string(),
        }
    }

    fn start(&self, state: &str) -> Running {
        let config = self.folder.write("filters.toml", POLICY);
        let answer = self
            .folder
            .write("answer.json", format!("{}\n", self.answer));
        let script = format!("while read -r line; do cat '{}'; done", answer.display());
        Program::new(
            &tamis_run(&config, &["sh", "-c", &script]),
            self.folder.path(),
        )
        .env("TAMIS_STATE_DIR", self.folder.path().join(state))
        .env(
            "TAMIS_CACHE_DIR",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"),
        )
        .start()
    }
}

fn request(method: &str, params: &Value) -> String {
    format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    )
}

fn ask(running: &mut Running, method: &str, params: &Value) -> Value {
    running.send(request(method, params));
    let line = running.receive_line();
    match serde_json::from_slice(&line) {
        Ok(answer) => answer,
        Err(error) => running.fail(&format!("{error}: {}", String::from_utf8_lossy(&line))),
    }
}

fn call(running: &mut Running, tool: &str, arguments: &Value) -> Value {
    ask(
        running,
        "tools/call",
        &json!({"name": tool, "arguments": arguments}),
    )
}

/// A large document with a block that the chain removes.
fn large_document() -> String {
    let rows: Vec<Value> = (0..3000)
        .map(|id| json!({"id": id, "name": format!("módulo.función_{id}"), "note": "a \"quoted\"\nline"}))
        .collect();
    let hint = "ACTION REQUIRED: ".repeat(20);
    json!({"data": rows, "_pending_annotations": {"nodes": ["a", "b"], "count": 2, "hint": hint}})
        .to_string()
}

fn answer_with(text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}})
}

fn text(answer: &Value, block: usize) -> &str {
    answer["result"]["content"][block]["text"]
        .as_str()
        .unwrap_or_default()
}

/// The arguments of the call in a note.
fn arguments_of(note: &str) -> Value {
    let (said, arguments) = note
        .split_once("tamis_read ")
        .unwrap_or_else(|| panic!("no call in {note:?}"));
    assert!(said.starts_with("[tamis] "), "{note}");
    serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{error} in {note:?}"))
}

#[test]
fn what_was_cut_is_read_back_whole_after_a_kill() {
    let document = large_document();
    let proxy = Proxy::new(&answer_with(&document));
    let mut first = proxy.start("state");
    let answer = call(&mut first, "any", &json!({}));
    assert!(!text(&answer, 0).contains("ACTION REQUIRED"), "{answer}");
    let mut arguments = arguments_of(text(&answer, 1));
    // The whole original as the server sent it: without a query, the shortest form is returned.
    arguments["lines"] = "1-".into();
    // SIGKILL, to Tamis and its server.
    drop(first);

    let mut second = proxy.start("state");
    let mut whole = String::new();
    for page in 0.. {
        assert!(page < 1000, "the pages do not end");
        let answer = call(&mut second, "tamis_read", &arguments);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let (header, payload) = text(&answer, 0).split_once('\n').expect("a header");
        whole += payload;
        let Some((_, next)) = header.split_once("next: ref `") else {
            break;
        };
        arguments["ref"] = next.trim_end_matches('`').into();
    }
    assert_eq!(whole.len(), document.len());
    assert!(whole == document, "what came back is not what was sent");
}

#[test]
fn a_part_is_read_by_path_and_by_words() {
    let proxy = Proxy::new(&answer_with(&large_document()));
    let mut running = proxy.start("state");
    let answer = call(&mut running, "any", &json!({}));
    let mut arguments = arguments_of(text(&answer, 1));
    arguments["path"] = "$._pending_annotations.nodes[*]".into();
    let nodes = call(&mut running, "tamis_read", &arguments);
    assert!(
        text(&nodes, 0).contains("\"a\"") && text(&nodes, 0).contains("\"b\""),
        "{nodes}"
    );
    arguments.as_object_mut().expect("an object").remove("path");
    arguments["search"] = "función_2999".into();
    let found = call(&mut running, "tamis_read", &arguments);
    assert!(text(&found, 0).contains("2999"), "{found}");
}

#[test]
fn the_same_result_gives_the_same_bytes_in_another_process_and_store() {
    let proxy = Proxy::new(&answer_with(&large_document()));
    let answers = ["one", "two"].map(|state| {
        let mut running = proxy.start(state);
        running.send(request(
            "tools/call",
            &json!({"name": "any", "arguments": {}}),
        ));
        running.receive_line()
    });
    assert!(answers[0].len() > 1000);
    assert!(answers[0] == answers[1], "two processes gave two answers");
}

#[test]
fn what_cannot_be_kept_is_not_cut_and_the_operator_is_told() {
    let proxy = Proxy::new(&answer_with(&large_document()));
    // A file where the store's directory should be.
    proxy.folder.write("state", "");
    let mut running = proxy.start("state");
    running.send(request(
        "tools/call",
        &json!({"name": "any", "arguments": {}}),
    ));
    let line = running.receive_line();
    assert!(
        line == format!("{}\n", proxy.answer).into_bytes(),
        "the answer was changed"
    );
    let finished = running.finish();
    let said = String::from_utf8_lossy(&finished.stderr);
    assert!(said.contains("nothing is cut"), "{said}");
}

#[test]
fn a_state_directory_that_cannot_be_used_is_named_with_the_cause_and_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let proxy = Proxy::new(&answer_with("x"));
    proxy.folder.write("file", "");
    let open = proxy.folder.path().join("open");
    std::fs::create_dir(&open).expect("a folder");
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).expect("its owner may");
    for (state, cause) in [
        ("file", "it is not a directory"),
        ("file/below", "Not a directory"),
        ("open", "`chmod go-w`"),
        ("open/below", "`chmod go-w`"),
    ] {
        let finished = proxy.start(state).finish();
        let said = String::from_utf8_lossy(&finished.stderr).into_owned();
        let directory = proxy.folder.path().join(state);
        let directory = format!("the state directory {}", directory.display());
        for what in ["originals cannot be stored", "savings are not recorded"] {
            let line = said.lines().find(|line| line.contains(what));
            let line = line.unwrap_or_else(|| panic!("{state}: nothing of {what}: {said}"));
            for part in [&*directory, cause, "TAMIS_STATE_DIR"] {
                assert!(line.contains(part), "{state}: no {part}: {line}");
            }
        }
    }
}

#[test]
fn an_unknown_reference_says_what_to_do() {
    let proxy = Proxy::new(&answer_with("x"));
    let mut running = proxy.start("state");
    for reference in ["aaaaaaaaaaaaaaaa", "no reference", ""] {
        let answer = call(&mut running, "tamis_read", &json!({"ref": reference}));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text(&answer, 0).contains("call the tool again"), "{answer}");
    }
}

fn listing(names: &[&str], next: Option<&str>) -> Value {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}))
        .collect();
    let mut result = json!({"tools": tools});
    if let Some(next) = next {
        result["nextCursor"] = next.into();
    }
    json!({"jsonrpc": "2.0", "id": 1, "result": result})
}

fn listed(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().expect("a list");
    tools
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"))
        .collect()
}

#[test]
fn the_tool_is_listed_once_on_the_last_page() {
    let middle = Proxy::new(&listing(&["one", "two"], Some("page 2")));
    let answer = ask(&mut middle.start("state"), "tools/list", &json!({}));
    assert_eq!(listed(&answer), ["one", "two"]);
    let last = Proxy::new(&listing(&["three"], None));
    let answer = ask(&mut last.start("state"), "tools/list", &json!({}));
    assert_eq!(listed(&answer), ["three", "tamis_read"]);
    // Filtered tools answer only with text, so their schema is not announced.
    assert_eq!(answer["result"]["tools"][0].get("outputSchema"), None);
}

#[test]
fn a_servers_own_tool_of_that_name_is_left_alone() {
    let proxy = Proxy::new(&listing(&["tamis_read"], None));
    let mut running = proxy.start("state");
    let answer = ask(&mut running, "tools/list", &json!({}));
    assert_eq!(listed(&answer), ["tamis_read"]);
    // The call reaches the server, whose only answer is the list.
    let answer = call(&mut running, "tamis_read", &json!({}));
    assert_eq!(listed(&answer), ["tamis_read"]);
}

#[test]
fn a_name_that_was_given_out_stays_tamiss() {
    let document = large_document();
    let proxy = Proxy::new(&answer_with(&document));
    let mut running = proxy.start("state");
    let answer = call(&mut running, "any", &json!({}));
    let mut arguments = arguments_of(text(&answer, 1));
    arguments["lines"] = "1-".into();
    // From now on the server has such a tool, which must not get the model's requests for originals.
    let says = |answer: &Value| proxy.folder.write("answer.json", format!("{answer}\n"));
    says(&listing(&["one", "tamis_read"], None));
    let answer = ask(&mut running, "tools/list", &json!({}));
    assert_eq!(listed(&answer), ["one", "tamis_read"]);
    let its_own = &answer["result"]["tools"][1];
    assert!(
        its_own["description"].is_string(),
        "it is Tamis's: {its_own}"
    );
    says(&answer_with("of the server's own"));
    let answer = call(&mut running, "tamis_read", &arguments);
    let read = text(&answer, 0);
    assert!(
        read.contains("módulo") && !read.contains("of the server's own"),
        "{read}"
    );
    // Later notes name it as before.
    says(&answer_with(&document));
    let answer = call(&mut running, "any", &json!({}));
    assert!(text(&answer, 1).contains("tamis_read"), "{answer}");
}

#[test]
fn a_pattern_that_takes_too_much_work_is_refused_and_takes_little_memory() {
    let stage = Stage::new(
        "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"truncate\", limit = 1000 }]\n",
    );
    let mut state = 1u64;
    let mut digit = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state & 1 == 0 { '0' } else { '1' }
    };
    let digits: String = (0..1_000_000).map(|_| digit()).collect();
    let result = json!({"content": [{"type": "text", "text": digits}]});
    stage.tool("digits", result.to_string());
    let mut client = stage.start();
    let cut = client.call("digits", &json!({}));
    let blocks = cut["content"].as_array().into_iter().flatten();
    let mut texts = blocks.filter_map(|block| block["text"].as_str());
    let note = texts.find(|text| text.starts_with("[tamis] "));
    let mut arguments = arguments_of(note.unwrap_or_else(|| panic!("no note: {cut}")));
    for pattern in [
        "[01]*1[01]{1000}x",
        "(1|0)*1[01]{700}x",
        "[01]{500}1[01]{500}x|y",
    ] {
        arguments["search"] = pattern.into();
        arguments["regex"] = true.into();
        let answer = client.call("tamis_read", &arguments);
        let why = answer["content"][0]["text"].as_str().unwrap_or_default();
        assert!(why.contains("too much time"), "{pattern}: {answer}");
    }
    client.program().stayed_small();
    client.finish().succeeded();
}
