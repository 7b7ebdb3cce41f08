//! Values that plugins store for later results of a session, and the effect of `repeat`, as a client sees them: over
//! standard input and output, and outside MCP.

use crate::support::built;
use crate::support::built::Target;
use crate::support::mcp::{Client, Stage, references};
use crate::support::{Finished, Program};
use serde_json::{Value, json};

const REPEAT: &str =
    "[[chain]]\non = [\"result\", \"history\"]\ntools = [\"*\"]\nsteps = [\"repeat\"]\n";

fn text(number: usize) -> String {
    format!("text {number}: {}", "some words ".repeat(60))
}

fn result(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

/// A stage whose tool `read_N` returns the text of that number.
fn stage(policy: &str) -> Stage {
    let stage = Stage::new(policy);
    for number in 0..4 {
        stage.tool(&format!("read_{number}"), result(&text(number)));
    }
    stage
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

fn call(client: &mut Client, tool: &str, arguments: &Value) -> String {
    text_of(&client.call(tool, arguments)).to_owned()
}

#[test]
fn a_repeated_result_is_a_line_with_a_call_that_gives_all_of_it() {
    let stage = stage(REPEAT);
    let mut client = stage.start();
    let arguments = json!({"path": "a.rs"});
    assert_eq!(call(&mut client, "read_1", &arguments), text(1));
    let again = client.call("read_1", &arguments);
    let line = text_of(&again);
    let expected = format!(
        r#"[tamis] Same as the result of read_1 {{"path":"a.rs"}} earlier in this session ({} bytes). Again in full: tamis_read {{"ref":""#,
        text(1).len()
    );
    assert!(line.starts_with(&expected), "{line}");
    // One line: Tamis itself adds none.
    assert_eq!(again["content"].as_array().map(Vec::len), Some(1));

    // The call, unchanged.
    let (_, arguments) = line.split_once("tamis_read ").expect("a call");
    let arguments: Value = serde_json::from_str(arguments).expect("its arguments");
    let read = call(&mut client, "tamis_read", &arguments);
    assert!(read.contains(&text(1)), "{read}");
    let reference = references(line).next().expect("a reference").to_owned();
    let whole = client.read_back("tamis_read", &reference);
    assert_eq!(whole, Ok(result(&text(1))));

    // Other texts pass unchanged; the same text from another call does not.
    assert_eq!(call(&mut client, "read_2", &json!({})), text(2));
    stage.tool("search", result(&text(1)));
    assert!(call(&mut client, "search", &json!({})).contains("the result of read_1 {"));
    // An original that is read does not count as a result of the chain, and an argument returns it whole.
    assert_eq!(call(&mut client, "read_1", &json!({"full": true})), text(1));
    client.finish().succeeded();
}

#[test]
fn sessions_are_apart_and_go_on_when_they_come_back() {
    let stage = stage(&format!("{REPEAT}[session]\nkey = \"argument:who\"\n"));
    let mut client = stage.start();
    let (a, b, nobody) = (json!({"who": "a"}), json!({"who": "b"}), json!({}));
    for session in [&a, &b, &nobody] {
        assert_eq!(call(&mut client, "read_1", session), text(1), "{session}");
    }
    for session in [&a, &b, &nobody, &a] {
        let line = call(&mut client, "read_1", session);
        assert!(line.starts_with("[tamis] Same as"), "{session}: {line}");
    }
    client.finish().succeeded();
    // Another proxy has no such values.
    let mut client = stage.start();
    assert_eq!(call(&mut client, "read_1", &a), text(1));
}

#[test]
fn the_same_course_of_a_session_gives_the_same_bytes() {
    let course = || {
        let stage = stage(REPEAT);
        let mut client = stage.start();
        let mut bytes = Vec::new();
        for number in [1, 2, 1, 1, 3, 2] {
            let params = json!({"name": format!("read_{number}"), "arguments": {"n": number}});
            let id = client.send("tools/call", &params);
            bytes.extend(client.line(id));
        }
        String::from_utf8(bytes).expect("text")
    };
    let first = course();
    assert_eq!(first.matches("Same as").count(), 3, "{first}");
    assert_eq!(first, course());
}

#[test]
fn calls_at_the_same_time_lose_nothing() {
    let stage = stage(REPEAT);
    let mut client = stage.start();
    let ids: Vec<u64> = (0..60)
        .map(|call| {
            let params = json!({"name": format!("read_{}", call % 4), "arguments": {}});
            client.send("tools/call", &params)
        })
        .collect();
    for (place, id) in ids.into_iter().enumerate() {
        let answer = client.answer(id);
        let found = text_of(&answer["result"]);
        let name = format!("the result of read_{} ", place % 4);
        assert!(
            found == text(place % 4) || found.contains(&name),
            "{place}: {found}"
        );
    }
    for number in 0..4 {
        let line = call(&mut client, &format!("read_{number}"), &json!({}));
        assert!(line.starts_with("[tamis] Same as"), "{line}");
    }
}

#[test]
fn two_blocks_of_one_result_are_an_earlier_and_a_later_one() {
    let stage = Stage::new(REPEAT);
    let block = json!({"type": "text", "text": text(1)});
    stage.tool("twice", json!({"content": [block, block]}).to_string());
    let mut client = stage.start();
    let result = client.call("twice", &json!({}));
    assert_eq!(text_of(&result), text(1));
    let second = result["content"][1]["text"].as_str().expect("a text");
    assert!(second.contains(r#""part":"content[1]""#), "{second}");
}

/// A policy in which `a` and `b` are two plugins of one file, each bound to its own tools.
fn tallies() -> String {
    let path = built::path(Target::Unknown, "tally");
    let path = path.display();
    ["a", "b"]
        .map(|name| {
            format!(
                "[[plugin]]\nname = \"{name}\"\npath = \"{path}\"\nallow = [\"session\"]\n\n\
                 [[chain]]\ntools = [\"{name}_*\"]\nsteps = [\"{name}\"]\n\n"
            )
        })
        .concat()
}

fn tally_stage(policy: &str) -> Stage {
    let stage = Stage::new(policy);
    for tool in ["a", "b"] {
        for kind in ["count", "fail", "longer", "too much", "clear"] {
            let name = format!("{tool}_{}", kind.replace(' ', "_"));
            stage.tool(&name, result(&format!("{kind}, {}", text(1))));
        }
    }
    stage
}

#[test]
fn what_is_set_counts_once_the_verdict_was_accepted() {
    let stage = tally_stage(&tallies());
    let mut client = stage.start();
    let mut ask = |tool: &str| call(&mut client, tool, &json!({}));
    assert_eq!(ask("a_count"), "document 1");
    assert_eq!(ask("a_count"), "document 2");
    // Each plugin has its own values, although both are one file.
    assert_eq!(ask("b_count"), "document 1");
    // A failure, and a document whose change was discarded because it became larger.
    assert!(ask("a_fail").starts_with("fail, text"));
    assert!(ask("a_longer").starts_with("longer, text"));
    assert_eq!(ask("a_count"), "document 3");
    assert_eq!(ask("a_clear"), "document 4");
    assert_eq!(ask("a_count"), "document 1");
    assert_eq!(ask("b_count"), "document 2");
    let refused = ask("a_too_much");
    for bound in [
        "1 to 64 bytes, and this one has 65",
        "at most 1024 bytes, and that of `k` has 1025",
        "at most 64 keys in a session, and `k63` is one more",
    ] {
        assert!(refused.contains(bound), "{refused}");
    }
}

#[test]
fn in_shadow_mode_and_for_withheld_results_nothing_counts() {
    let (tally, lie) = (
        built::path(Target::Unknown, "tally"),
        built::path(Target::Unknown, "lie"),
    );
    let chains = [
        ("shadow", r#"{ filter = "tally", shadow = true }"#),
        (
            "withheld",
            r#""tally", { filter = "lie", lie = "an-error", on-error = "block" }"#,
        ),
        ("counts", r#""tally""#),
    ];
    let mut policy = format!(
        "[[plugin]]\nname = \"tally\"\npath = {tally:?}\nallow = [\"session\"]\n\n\
         [[plugin]]\nname = \"lie\"\npath = {lie:?}\n\n"
    );
    for (tool, steps) in chains {
        policy += &format!("[[chain]]\ntools = [\"{tool}\"]\nsteps = [{steps}]\n\n");
    }
    let stage = Stage::new(&policy);
    stage.answers("tools/call", result(&text(1)));
    let mut client = stage.start();
    for _ in 0..3 {
        assert_eq!(call(&mut client, "shadow", &json!({})), text(1));
        let found = call(&mut client, "withheld", &json!({}));
        assert!(found.contains("withheld"), "{found}");
    }
    assert_eq!(call(&mut client, "counts", &json!({})), "document 1");
    assert_eq!(call(&mut client, "counts", &json!({})), "document 2");
}

#[test]
fn a_plugin_that_was_not_granted_a_session_is_refused() {
    let policy = tallies().replace("allow = [\"session\"]\n", "");
    let done = tally_stage(&policy).proxy(&[]).run("");
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success(), "{}", done.report());
    assert!(log.contains(r#"allow = ["session"]"#), "{log}");
}

/// Runs a command of Tamis on some input.
fn tamis(stage: &Stage, arguments: &[&str], input: &Value) -> Finished {
    let config = stage.path().join("filters.toml");
    let mut line = vec![env!("CARGO_BIN_EXE_tamis"), arguments[0], "--config"];
    line.push(config.to_str().expect("a path in UTF-8"));
    line.extend(&arguments[1..]);
    stage
        .in_state(Program::new(&line, stage.path()))
        .run(input.to_string().as_bytes())
}

#[test]
fn a_transcript_is_a_session() {
    let stage = stage(REPEAT);
    let message = |text: &str| json!({"role": "tool", "name": "read", "content": text});
    let transcript = json!([message(&text(1)), message(&text(2)), message(&text(1))]);
    let done = tamis(&stage, &["history"], &transcript).succeeded();
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(found[0], transcript[0]);
    assert_eq!(found[1], transcript[1]);
    let line = found[2]["content"].as_str().expect("a text");
    assert!(
        line.starts_with("[tamis] Same as the result of read earlier"),
        "{line}"
    );
    assert!(line.contains(" read '{\"ref\":\""), "{line}");
    let twice = tamis(&stage, &["history"], &found).succeeded();
    assert_eq!(twice.stdout, done.stdout);
}

#[test]
fn an_agents_session_lasts_from_hook_to_hook() {
    let stage = stage(REPEAT);
    let hook = |session: Option<&str>| {
        let mut input = json!({
            "transcript_path": "/home/dev/.claude/projects/app/4f74d315-9fbb-4171-831e-4754c230c75a.jsonl",
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
            "tool_response": {"stdout": text(1), "stderr": ""},
            "tool_use_id": "toolu_00000001",
        });
        if let Some(session) = session {
            input["session_id"] = session.into();
        }
        let done = tamis(&stage, &["hook"], &input).succeeded();
        String::from_utf8(done.stdout).expect("text")
    };
    for session in [Some("one"), Some("../other"), None, None] {
        assert_eq!(hook(session), "", "{session:?}");
    }
    for session in ["one", "one", "../other"] {
        let answer = hook(Some(session));
        assert!(
            answer.contains(r#"Same as the result of Bash {\"command\":\"make\"}"#),
            "{answer}"
        );
    }
    let folder = stage.state().join("sessions");
    let files: Vec<_> = std::fs::read_dir(&folder).expect("the sessions").collect();
    assert_eq!(files.len(), 2, "{files:?}");
    // A broken file starts a new session.
    for file in files {
        std::fs::write(file.expect("a file").path(), "{\"a").expect("break it");
    }
    assert_eq!(hook(Some("one")), "");
    assert!(hook(Some("one")).contains("Same as"));
}

#[test]
fn a_run_on_a_file_begins_with_an_empty_session() {
    let stage = stage(REPEAT);
    let input: Value = serde_json::from_str(&result(&text(1))).expect("JSON");
    for _ in 0..2 {
        let done = tamis(&stage, &["apply", "--tool", "read"], &input).succeeded();
        assert_eq!(String::from_utf8_lossy(&done.stdout), input.to_string());
    }
}

#[test]
fn a_legend_comes_once_a_session_with_the_first_result_that_needs_it() {
    let policy = "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"row-encoder\", level = \"dense\" }]\n[session]\nkey = \"argument:who\"\n";
    let stage = Stage::new(policy);
    let table = |rows: usize| {
        let rows: Vec<Value> = (0..rows)
            .map(|id| json!({"identifier": id, "assignee": "nobody", "state": "open"}))
            .collect();
        result(&Value::from(rows).to_string())
    };
    stage.tool("large", table(40));
    // Worth encoding, but not with a legend.
    stage.tool("small", table(3));
    stage.tool("object", result("{ \"a\": 1,\n \"b\": 2 }"));
    let mut client = stage.start();
    let texts = |result: &Value| -> Vec<String> {
        let blocks = result["content"].as_array().expect("blocks").iter();
        blocks
            .map(|block| block["text"].as_str().expect("a text").to_owned())
            .collect()
    };
    let a = json!({"who": "a"});
    let json_alone = texts(&client.call("object", &a));
    assert_eq!(json_alone, ["{\"a\":1,\"b\":2}"], "JSON needs no legend");
    let small = client.call("small", &a);
    assert_eq!(texts(&small)[0].matches("identifier").count(), 3, "{small}");
    let [encoded, legend] = &texts(&client.call("large", &a))[..] else {
        panic!("a legend of its own");
    };
    assert_eq!(encoded.matches("identifier").count(), 1);
    assert!(legend.starts_with("[tamis] "), "{legend}");
    assert_eq!(texts(&client.call("large", &a)).len(), 1, "once");
    let small = texts(&client.call("small", &a));
    assert_eq!(small[0].matches("identifier").count(), 1, "{small:?}");
    assert_eq!(texts(&client.call("large", &json!({"who": "b"}))).len(), 2);
    // The list of tools does not contain it.
    let listed = client.ask("tools/list", &json!({}));
    assert!(!listed.to_string().contains(&legend[8..]), "{listed}");
}
