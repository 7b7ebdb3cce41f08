//! The effects of a policy beside filtered results, as a client sees them: the read tool and originals as resources,
//! hidden tools, sessions, chains on instructions, descriptions, prompts and resources, and the modes of a chain.

use crate::support::mcp::{Client, Stage, references};
use serde_json::{Value, json};

const CHAIN: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"pending-to-meta\"]\n";
const MARKER: &str = "ACTION REQUIRED";

/// A document with a block that the chain removes.
fn document() -> Value {
    let hint = MARKER.repeat(30);
    let rows: Vec<String> = (0..100)
        .map(|id| format!("the row of number {id}"))
        .collect();
    json!({"ok": true, "rows": rows, "_pending_annotations": {"count": 1, "nodes": ["a"], "hint": hint}})
}

fn result() -> Value {
    json!({"content": [
        {"type": "text", "text": document().to_string()},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    ]})
}

fn stage(policy: &str) -> Stage {
    let stage = Stage::new(policy);
    stage.answers("tools/call", result().to_string());
    let tools = json!([
        {"name": "open", "description": document().to_string(), "inputSchema": {"type": "object"}},
        {"name": "shut", "inputSchema": {"type": "object"}},
    ]);
    stage.answers("tools/list", json!({"tools": tools}).to_string());
    stage
}

fn reference_in(result: &Value) -> String {
    let text = result.to_string();
    let reference = references(&text).next();
    reference
        .unwrap_or_else(|| panic!("no reference in {text}"))
        .to_owned()
}

fn listed(client: &mut Client) -> Vec<String> {
    let answer = client.ask("tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().expect("tools").clone();
    let name = |tool: Value| tool["name"].as_str().expect("a name").to_owned();
    tools.into_iter().map(name).collect()
}

#[test]
fn the_read_tool_by_another_name_and_with_another_cap() {
    let stage = stage(&format!(
        "{CHAIN}[read-tool]\nname = \"get_back\"\ncap = 200\n"
    ));
    let mut client = stage.start();
    assert_eq!(listed(&mut client), ["open", "shut", "get_back"]);
    let answer = client.call("open", &json!({}));
    assert!(answer.to_string().contains("get_back {"), "{answer}");
    let reference = reference_in(&answer);
    assert_eq!(
        client.read_back("get_back", &reference),
        Ok(result().to_string())
    );
    let page = client.call("get_back", &json!({"ref": reference, "part": "result"}));
    let page = page["content"][0]["text"].as_str().expect("a page");
    assert!(
        page.contains("next: ref"),
        "one page of 200 tokens is not all: {page}"
    );
    // The default is the server's name again.
    assert_eq!(
        client.call("tamis_read", &json!({}))["content"][1],
        result()["content"][1]
    );
}

#[test]
fn a_cut_is_said_in_the_text_and_in_what_stands_beside_it() {
    let stage = Stage::new(&format!("{CHAIN}structured = \"rewrite\"\n"));
    let tool = json!({"name": "open", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}});
    stage.answers("tools/list", json!({"tools": [tool]}).to_string());
    let both = json!({
        "content": [{"type": "text", "text": document().to_string()}],
        "structuredContent": document(),
    });
    stage.answers("tools/call", both.to_string());
    let mut client = stage.start();
    listed(&mut client);
    let answer = client.call("open", &json!({}));
    assert!(!answer.to_string().contains(MARKER), "{answer}");
    for place in ["content", "structuredContent"] {
        let reference = reference_in(&answer[place]);
        let read = client.read_back("tamis_read", &reference);
        assert_eq!(read, Ok(both.to_string()), "{place}");
    }
}

#[test]
fn the_read_tool_that_is_not_listed_answers_all_the_same() {
    let stage = stage(&format!("{CHAIN}[read-tool]\nlisted = false\n"));
    let mut client = stage.start();
    assert_eq!(listed(&mut client), ["open", "shut"]);
    let reference = reference_in(&client.call("open", &json!({})));
    assert_eq!(
        client.read_back("tamis_read", &reference),
        Ok(result().to_string())
    );
}

#[test]
fn an_original_is_a_resource_and_so_is_its_image() {
    let stage = stage(CHAIN);
    let mut client = stage.start();
    let reference = reference_in(&client.call("open", &json!({})));
    let mut read = |place: &str| {
        let uri = format!("tamis://original/{reference}{place}");
        client.ask("resources/read", &json!({"uri": uri}))
    };
    let whole = read("")["result"]["contents"][0].take();
    assert_eq!(whole["text"].as_str(), Some(&*result().to_string()));
    assert_eq!(whole["mimeType"], "application/json");
    let image = read("/content/1")["result"]["contents"][0].take();
    assert_eq!(
        (&image["blob"], &image["mimeType"]),
        (&json!("iVBORw0KGgo="), &json!("image/png"))
    );
    let text = read("/content/0")["result"]["contents"][0].take();
    assert_eq!(text["text"].as_str(), Some(&*document().to_string()));
    for wrong in ["/content/9", "/content/x", "x"] {
        assert_eq!(read(wrong)["error"]["code"], -32002, "{wrong}");
    }
    // The read tool returns a link, not the image's letters.
    let link = client.call(
        "tamis_read",
        &json!({"ref": reference, "part": "content[1]"}),
    );
    let link = &link["content"][0];
    assert_eq!(link["type"], "resource_link");
    assert_eq!(
        link["uri"],
        format!("tamis://original/{reference}/content/1")
    );
}

#[test]
fn tools_that_are_not_there() {
    let needs = |needs: &str| format!("[tool.shut]\nneeds = [{needs}]\n");
    for (policy, shut) in [
        ("[tool.shut]\nhidden = true\n".to_owned(), true),
        (needs("\"no-such-program-at-all\""), true),
        (needs("\"sh\", \"env:NO_SUCH_VARIABLE\""), true),
        (
            needs("[\"no-such-program-at-all\", \"sh\"], \"env:PATH\""),
            false,
        ),
        (needs("\"file:filters.toml\""), false),
        (needs("\"file:no-such-file\""), true),
    ] {
        let stage = stage(&policy);
        let mut client = stage.start();
        let expected: &[&str] = if shut { &["open"] } else { &["open", "shut"] };
        assert_eq!(listed(&mut client), expected, "{policy}");
        let answer = client.call("shut", &json!({}));
        assert_eq!(answer["isError"] == true, shut, "{policy}{answer}");
        if shut {
            assert!(
                answer.to_string().contains("`shut` is not available"),
                "{answer}"
            );
        }
        assert_eq!(client.call("open", &json!({})), result(), "{policy}");
    }
}

#[test]
fn a_profile_is_some_of_the_tools() {
    let stage = stage("[profile.small]\ntools = [\"op*\"]\n");
    let mut client = Client::of(stage.proxy(&["--profile", "small"]));
    assert_eq!(listed(&mut client), ["open"]);
    assert_eq!(client.call("shut", &json!({}))["isError"], true);
    assert_eq!(client.call("open", &json!({})), result());
    let wrong = stage.proxy(&["--profile", "large"]).run("");
    assert!(!wrong.status.success(), "{}", wrong.report());
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("`small`"),
        "{}",
        wrong.report()
    );
}

#[test]
fn a_session_has_so_many_calls() {
    let session = "[session]\nkey = \"argument:file\"\ncalls = 2\nlimit-text = \"that was all\"\n";
    let stage = stage(session);
    let mut client = stage.start();
    for (file, is_answered) in [
        ("a", true),
        ("a", true),
        ("b", true),
        ("a", false),
        ("b", true),
        ("b", false),
    ] {
        let answer = client.call("open", &json!({"file": file}));
        assert_eq!(answer == result(), is_answered, "{file}: {answer}");
        assert_eq!(
            answer.to_string().contains("that was all"),
            !is_answered,
            "{answer}"
        );
    }
}

#[test]
fn chains_on_everything_else_that_a_model_reads() {
    let on = |surface: &str| {
        format!(
            "[[chain]]\nname = \"{surface}\"\non = [\"{surface}\"]\nsteps = [\"pending-to-meta\"]\n"
        )
    };
    let surfaces = ["instructions", "prompt", "resource"].map(on).concat();
    let description = on("description").replace("on =", "tools = [\"*\"]\non =");
    let stage = stage(&format!("{surfaces}{description}"));
    let text = document().to_string();
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}, "instructions": text});
    stage.answers("initialize", greeting.to_string());
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    stage.answers("prompts/get", json!({"messages": [message]}).to_string());
    stage.answers(
        "resources/read",
        json!({"contents": [{"uri": "file:///a", "text": text}]}).to_string(),
    );
    let mut client = stage.start();
    let greeting = client.greet("somebody")["result"]["instructions"].take();
    let prompt = client.ask("prompts/get", &json!({"name": "p"}))["result"]["messages"][0]["content"]["text"].take();
    let resource = client.ask("resources/read", &json!({"uri": "file:///a"}))["result"]["contents"]
        [0]["text"]
        .take();
    let tools = client.ask("tools/list", &json!({}));
    let described = tools["result"]["tools"][0]["description"].clone();
    for (surface, said) in [
        ("instructions", greeting),
        ("prompt", prompt),
        ("resource", resource),
        ("description", described),
    ] {
        let said = said
            .as_str()
            .unwrap_or_else(|| panic!("{surface}: no text"));
        assert!(!said.contains(MARKER), "{surface}: {said}");
        assert!(
            said.contains("unannotated_nodes") && said.contains("rows"),
            "{surface}: {said}"
        );
        let reference = references(said)
            .next()
            .unwrap_or_else(|| panic!("{surface}: no note in {said}"));
        let whole = client.read_back("tamis_read", reference);
        assert!(
            whole.as_ref().is_ok_and(|whole| whole.contains(MARKER)),
            "{surface}: {whole:?}"
        );
    }
    // No chain applies to results here.
    assert_eq!(client.call("open", &json!({})), result());
}

#[test]
fn blocks_that_are_one_list() {
    let stage =
        stage("[[chain]]\ntools = [\"*\"]\nblocks = \"merge\"\nsteps = [\"null-stripper\"]\n");
    let block = |text: &str| json!({"type": "text", "text": text});
    let one = block(r#"{"a": null, "n": 1}"#);
    stage.tool(
        "json",
        json!({"content": [one, block(r#"{"a": null, "n": 2}"#)]}).to_string(),
    );
    stage.tool(
        "words",
        json!({"content": [one, block("words")]}).to_string(),
    );
    let mut client = stage.start();
    let merged = client.call("json", &json!({}));
    let texts = merged["content"].as_array().expect("blocks");
    assert_eq!(texts.len(), 1, "{merged}");
    let list: Value =
        serde_json::from_str(texts[0]["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(list, json!([{"n": 1}, {"n": 2}]));
    // Content that is not all JSON stays in separate blocks.
    let mixed = client.call("words", &json!({}));
    assert_eq!(
        mixed["content"].as_array().map(Vec::len),
        Some(2),
        "{mixed}"
    );
    assert_eq!(mixed["content"][1], block("words"));
}

#[test]
fn a_shadow_changes_nothing_and_is_counted() {
    let stage = stage(&format!("{CHAIN}shadow = true\n"));
    let mut client = stage.start();
    assert_eq!(client.call("open", &json!({})), result());
    client.finish().succeeded();
    let line = [env!("CARGO_BIN_EXE_tamis"), "stats"];
    let stats = stage
        .in_state(crate::support::Program::new(&line, stage.path()))
        .run("")
        .succeeded();
    let said = String::from_utf8_lossy(&stats.stdout);
    assert!(
        said.contains("open"),
        "the ledger says nothing of it: {said}"
    );
    let originals = stage.state().join("originals");
    let kept = originals.read_dir().map_or(0, Iterator::count);
    assert_eq!(kept, 0, "nothing was cut, and something is kept");
}

#[test]
fn what_costs_more_tokens_is_not_sent_under_the_guard_of_tokens() {
    let policy = |guard: &str| format!("{CHAIN}guard = \"{guard}\"\n");
    // The cut is so small that the note about it has more tokens, although fewer bytes.
    let nodes: Vec<String> = (0..1).map(|_| " ".repeat(120)).collect();
    let little =
        json!({"ok": true, "_pending_annotations": {"count": 1, "nodes": nodes, "hint": ""}});
    let little = json!({"content": [{"type": "text", "text": little.to_string()}]});
    let ask = |guard: &str| {
        let stage = stage(&policy(guard));
        stage.tool("little", little.to_string());
        let mut client = stage.start();
        (
            client.call("little", &json!({})),
            client.call("open", &json!({})),
        )
    };
    let (by_bytes, _) = ask("bytes");
    assert_ne!(by_bytes, little, "the case is none: fewer bytes are sent");
    let (by_tokens, large) = ask("tokens");
    assert_eq!(by_tokens, little);
    assert!(!large.to_string().contains(MARKER), "{large}");
}

/// 800 characters of base64 whose bytes begin like an image.
fn image() -> String {
    let mut state = 1u64;
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(digits[(state >> 58) as usize])
    };
    format!("iVBORw0KGgoA{}", (12..800).map(digit).collect::<String>())
}

#[test]
fn what_stands_in_the_place_of_a_blob_is_a_call_that_gives_it() {
    let stage = Stage::new("[[chain]]\ntools = [\"*\"]\nsteps = [\"blob\"]\n");
    let shots = json!({"shots": [1, {"odd key": {"png": image()}}], "end": image()});
    let log = format!("first\nshot: {}\nlast", image());
    let text = |text: &str| json!({"type": "text", "text": text});
    let result = json!({"content": [text(&shots.to_string()), text(&log)]});
    stage.tool("open", result.to_string());
    let mut client = stage.start();
    let found = client.call("open", &json!({}));
    let said = |block: usize| found["content"][block]["text"].as_str().expect("a text");
    let document: Value = serde_json::from_str(said(0)).expect("JSON");
    let calls = [
        (&document["shots"][1]["odd key"]["png"], image()),
        (&document["end"], image()),
        (&found["content"][1]["text"], format!("shot: {}", image())),
    ];
    for (line, expected) in calls {
        let line = line.as_str().expect("a line");
        let (before, call) = line.split_once("tamis_read ").expect("a call");
        assert!(
            before.ends_with("[image/png, base64, 600 bytes: "),
            "{line}"
        );
        let (call, _) = call.rsplit_once(']').expect("the line ends");
        let arguments: Value = serde_json::from_str(call).expect("arguments");
        let read = client.call("tamis_read", &arguments);
        let read = read["content"][0]["text"].as_str().expect("a text");
        assert!(read.contains(&expected), "{call}: {read}");
        assert!(
            !read.contains("first") && !read.contains("shots\":"),
            "{read}"
        );
    }
}

#[test]
fn a_withheld_message_says_that_no_filter_could_be_given_it() {
    let stage = Stage::new(
        "[[chain]]\non = [\"*\"]\nsteps = [{ filter = \"redact\", hide = [\"emails\"] }]\n",
    );
    let nested = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    stage.answers("prompts/get", nested);
    let mut client = stage.start();
    let answer = client.ask("prompts/get", &json!({"name": "review"}));
    assert_eq!(
        answer["error"]["message"],
        "[tamis] This answer is withheld: it contains content that no filter of its chain can check. The operator's log says why."
    );
    client.finish().succeeded();
}

#[test]
fn a_withheld_prompt_says_whether_a_filter_failed_or_could_check_nothing() {
    let stage = Stage::new(
        "[[chain]]\non = [\"prompt\"]\nsteps = [{ filter = \"null-stripper\", limits = { input = \"1KiB\" }, on-error = \"block\" }]\n",
    );
    let image = json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"});
    let long =
        json!({"type": "text", "text": json!({"a": "x".repeat(5000), "b": null}).to_string()});
    for (content, reason) in [
        (
            image,
            "it contains content that no filter of its chain can check",
        ),
        (long, "a filter that it must pass through failed"),
    ] {
        let prompt = json!({"messages": [{"role": "user", "content": content}]});
        stage.answers("prompts/get", prompt.to_string());
        let mut client = stage.start();
        let answer = client.ask("prompts/get", &json!({"name": "review"}));
        let text =
            format!("[tamis] This result is withheld: {reason}. The operator's log says why.");
        assert_eq!(
            answer["result"]["messages"],
            json!([{"role": "user", "content": {"type": "text", "text": text}}])
        );
    }
}
