//! The default policy on large results: the summary shows the point, and queries return the rest.

use crate::support::mcp::{Stage, references};
use serde_json::{Value, json};

const POLICY: &str = include_str!("../../host/src/cli/default.toml");

fn result(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

/// The reference that a summary names.
fn reference(summary: &str) -> String {
    let mut all = references(summary);
    all.next().expect("a reference").to_owned()
}

#[test]
fn a_log_of_many_megabytes_is_summarised_and_asked_by_query() {
    const LINES: usize = 150_000;
    const FAILED: usize = 97_531;
    let line = |number: usize| match number {
        FAILED => {
            "2026-03-01T10:59:59Z ERROR store volume 7 is full, writes are refused\n".to_owned()
        }
        _ => format!(
            "2026-03-01T10:{:02}:{:02}Z INFO worker-{} handled request {number} in {} ms without trouble\n",
            number / 60 % 60,
            number % 60,
            number % 8,
            number * 31 % 977
        ),
    };
    let log: String = (1..=LINES).map(line).collect();
    assert!(log.len() > 10 << 20);
    let stage = Stage::new(POLICY);
    stage.tool("log", result(&log));
    let mut client = stage.start();
    let summary = client.call("log", &json!({}));
    let summary = text(&summary);
    assert!(summary.len() < 4_000, "{} bytes", summary.len());
    let failed = format!("{FAILED}: 2026-03-01T10:59:59Z ERROR store volume 7 is full");
    assert!(summary.contains(&failed), "{summary}");
    let query = "SELECT line, regexp_substr(text, 'volume (\\d+)') AS volume FROM lines WHERE text LIKE '% ERROR %'";
    let answer = client.call(
        "tamis_read",
        &json!({"ref": reference(summary), "query": query}),
    );
    let row = format!("{{\"line\":{FAILED},\"volume\":\"7\"}}");
    assert!(text(&answer).contains(&row), "{answer}");
}

#[test]
fn many_blocks_of_text_are_one_text() {
    const BLOCKS: usize = 4_000;
    let key = |number: usize| match number {
        2_718 => "queue:dead-letters".to_owned(),
        _ => format!("session:{number:05}:user"),
    };
    let blocks = |range: std::ops::Range<usize>| {
        let blocks = range.map(|number| json!({"type": "text", "text": key(number)}));
        json!({"content": blocks.collect::<Vec<_>>()}).to_string()
    };
    let stage = Stage::new(POLICY);
    stage.tool("keys", blocks(0..BLOCKS));
    stage.tool("few", blocks(0..15));
    let mut client = stage.start();
    let begun = std::time::Instant::now();
    let keys = client.call("keys", &json!({}));
    // Each of them through a chain of its own took seconds.
    assert!(begun.elapsed().as_secs_f64() < 1.0, "{:?}", begun.elapsed());
    assert_eq!(keys["content"].as_array().map(Vec::len), Some(1), "{keys}");
    let summary = text(&keys);
    assert!(summary.len() < 4_000, "{summary}");
    assert!(summary.contains("2719: queue:dead-letters"), "{summary}");
    let asked = json!({"ref": reference(summary), "lines": "2719-2720"});
    let read = client.call("tamis_read", &asked);
    assert!(text(&read).contains("queue:dead-letters"), "{read}");
    assert!(text(&read).contains("session:02719:user"), "{read}");
    let few = client.call("few", &json!({}));
    assert_eq!(few["content"].as_array().map(Vec::len), Some(15), "{few}");
}

#[test]
fn the_text_of_a_file_is_exact_up_to_two_thousand_tokens() {
    let step = |number: usize| {
        format!(
            "      - name: step {number}\n        run: make part-{number} || exit 1\n        env:\n          LEVEL: warn\n"
        )
    };
    let yaml = |steps: usize| {
        let steps: String = (1..=steps).map(step).collect();
        format!("on: push\njobs:\n  test:\n    runs-on: linux\n    steps:\n{steps}")
    };
    let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"1.3.0\"\n";
    let short = yaml(5);
    let stage = Stage::new(POLICY);
    stage.tool("read_file", result(&yaml(60)));
    stage.tool("view", result(lock));
    stage.tool("bash", result(&short));
    stage.tool("read_text_file", result(&yaml(600)));
    let mut client = stage.start();
    // Over 4,000 characters, with words of failures.
    assert!(yaml(60).len() > 4_500);
    let file = client.call("read_file", &json!({"path": "ci.yml"}));
    assert_eq!(text(&file), yaml(60));
    let file = client.call("view", &json!({"file_path": "/srv/poetry.lock"}));
    assert_eq!(text(&file), lock);
    let file = client.call("bash", &json!({"command": "cat ci.yml"}));
    assert_eq!(text(&file), short);
    // What a program prints is no file.
    let printed = client.call("bash", &json!({"command": "show --steps ci.yml"}));
    assert!(text(&printed).len() < short.len(), "{printed}");
    let large = client.call("read_text_file", &json!({"path": "ci.yml"}));
    let large = text(&large);
    assert!(large.len() < 4_000, "{large}");
    let all = client.call(
        "tamis_read",
        &json!({"ref": reference(large), "lines": "1-5"}),
    );
    assert!(text(&all).contains("    runs-on: linux"), "{all}");
}

#[test]
fn a_file_of_json_is_exact_if_it_is_an_object_and_data_if_it_is_a_list() {
    let package = json!({"name": "a", "scripts": {"test": "node --test"}, "dependencies": {"b": "^1.2.0", "c": "~3.4.5"}});
    let package = format!("{package:#}\n");
    let row = |id: usize| json!({"id": id, "state": "open", "title": format!("Title {id}")});
    let rows = json!((0..6).map(row).collect::<Vec<_>>());
    let rows = format!("{rows:#}\n");
    let stage = Stage::new(POLICY);
    stage.tool("read_file", result(&package));
    stage.tool("view", result(&rows));
    stage.tool("get_package", result(&package));
    let mut client = stage.start();
    let file = client.call("read_file", &json!({"path": "package.json"}));
    assert_eq!(text(&file), package);
    let file = client.call("view", &json!({"path": "issues.json"}));
    assert!(text(&file).len() < rows.len() / 2, "{file}");
    // No file, but an answer.
    let answer = client.call("get_package", &json!({"path": "package.json"}));
    assert!(text(&answer).len() < package.len(), "{answer}");
}

#[test]
fn a_client_that_shows_text_alone_gets_no_line_about_the_rest() {
    // Over 2,000 characters, and no two lines alike.
    let words = [
        "plan", "write", "ask", "read", "note", "end", "begin", "look", "wait",
    ];
    let line = |step: usize| {
        let said = (0..step % 5 + 4).map(|place| words[(step * step + place * 7 + step) % 9]);
        format!("{}.\n", said.collect::<Vec<_>>().join(" "))
    };
    let guide: String = (0..70).map(line).collect();
    let whole = json!({
        "content": [{"type": "text", "text": guide}],
        "structuredContent": {"uri": "guide://one", "title": "Guide", "text": guide},
    });
    let stage = Stage::new(POLICY);
    stage.answers("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"}}).to_string());
    stage.tool("guide", whole.to_string());
    let texts = |client: &str| {
        let mut client_of = stage.start();
        client_of.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": client, "version": "1"},
            }),
        );
        let guide = client_of.call("guide", &json!({}));
        guide["content"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(texts("opencode"), 1);
    // Of one that nobody measured, all is told.
    assert_eq!(texts("another"), 2);
}

#[test]
fn the_query_that_a_summary_names_can_be_asked_as_it_stands() {
    let order = |id: usize| {
        let state = ["open", "paid"][id % 2];
        json!({"id": id, "state": state, "customer": {"name": format!("Customer {}", id % 7)}, "total": id * 3})
    };
    let orders: Vec<Value> = (0..200).map(order).collect();
    let wrapped =
        json!({"result": [{"type": "text", "text": json!({"orders": orders}).to_string()}]});
    let csv: String = (0..300)
        .map(|id| format!("{id},Customer {},{}\n", id % 7, id * 3))
        .collect();
    let stage = Stage::new(POLICY);
    stage.tool(
        "json",
        result(&json!({"next": null, "orders": orders}).to_string()),
    );
    stage.tool("blocks", result(&wrapped.to_string()));
    stage.tool("csv", result(&format!("id,customer,total\n{csv}")));
    let mut client = stage.start();
    for (tool, column, expected) in [
        ("json", "customer.name", "200"),
        ("blocks", "customer.name", "200"),
        ("csv", "customer", "300"),
    ] {
        let summary = client.call(tool, &json!({}));
        let summary = text(&summary);
        // The call in the summary, with the query instead of its rows.
        let at = summary.find("tamis_read {").expect("a call") + "tamis_read ".len();
        let call = serde_json::Deserializer::from_str(&summary[at..])
            .into_iter::<Value>()
            .next();
        let mut call = call.expect("arguments").expect("JSON");
        let (_, query) = summary
            .split_once("\"query\":\"SELECT … FROM ")
            .expect("a query");
        let table = query.split('"').next().expect("a table");
        let arguments = call.as_object_mut().expect("an object");
        arguments.remove("rows");
        let query = format!("SELECT count({column}) FROM {table}");
        arguments.insert("query".to_owned(), query.into());
        for with_path in [true, false] {
            if !with_path {
                call.as_object_mut().expect("an object").remove("path");
            }
            let answer = client.call("tamis_read", &call);
            let count = text(&answer).lines().nth(1).unwrap_or_default();
            assert_eq!(count, expected, "{tool} {call}: {answer}\n{summary}");
        }
    }
}

/// A list of 120 records, of which one is odd.
fn hosts() -> String {
    let state = |id: usize| if id == 97 { "zombie" } else { "running" };
    let host = |id: usize| json!({"pid": id * 7, "user": "root", "state": state(id), "load": id * 13 % 50});
    json!((0..120).map(host).collect::<Vec<_>>()).to_string()
}

/// A table of 120 rows, of which one is odd.
fn pods() -> String {
    let state = |id: usize| {
        if id == 97 {
            "CrashLoopBackOff"
        } else {
            "Running"
        }
    };
    let pod = |id: usize| format!("web-{id:<10} 1/1     {:<18} {}\n", state(id), id % 50);
    let rows: String = (0..120).map(pod).collect();
    format!("NAME           READY   STATUS             LOAD\n{rows}")
}

/// States of a spinner, one over the other.
fn spinner() -> String {
    let state = |at: usize| format!("\r\u{1b}[2K{} Fetching hosts", ["⠋", "⠙", "⠹"][at % 3]);
    (0..80).map(state).collect::<String>() + "\r\u{1b}[2K"
}

#[test]
fn data_is_summarised_and_read_whatever_a_terminal_was_told_beside_it() {
    let coloured = hosts().replace("zombie", "\u{1b}[31mzombie\u{1b}[0m");
    let quoted = serde_json::to_string(&(spinner() + &pods())).expect("JSON");
    let cases = [
        ("shell", format!("\u{1b}[?2004l\r{}\r\n", hosts())),
        ("end", hosts() + "\u{1b}[0m"),
        ("word", coloured),
        ("cursor", format!("\u{1b}[?25l{}\u{1b}[?25h\n", hosts())),
        ("spinner", spinner() + &hosts()),
        ("prompt", format!("\u{1b}[?2004l\r{}\u{1b}[?2004h", pods())),
        ("columns", spinner() + &pods()),
        ("quoted", format!("{quoted}\u{1b}[0m\n")),
        (
            "string",
            json!({"exit_code": 0, "stdout": spinner() + &pods()}).to_string(),
        ),
    ];
    let stage = Stage::new(POLICY);
    for (name, output) in &cases {
        stage.tool(name, result(output));
    }
    let mut client = stage.start();
    for (name, _) in &cases {
        let summary = client.call(name, &json!({}));
        let summary = text(&summary);
        assert!(summary.contains("120 rows"), "{name}: {summary}");
        let odd = ["zombie", "CrashLoopBackOff"];
        assert!(
            odd.iter().any(|odd| summary.contains(odd)),
            "{name}: {summary}"
        );
        assert!(summary.contains("SELECT "), "{name}: {summary}");
        let path = match *name {
            "string" => "$.stdout[97]",
            _ => "$[97]",
        };
        let is_odd = |answer: &Value| odd.iter().any(|odd| text(answer).contains(odd));
        let read = client.call(
            "tamis_read",
            &json!({"ref": reference(summary), "path": path}),
        );
        assert!(is_odd(&read), "{name}: {read}");
        for asked in [
            json!({"ref": reference(summary), "query": "SELECT count(*) FROM rows"}),
            json!({"ref": reference(summary), "query": "SELECT count(*) FROM rows WHERE LOAD >= 0"}),
        ] {
            let count = client.call("tamis_read", &asked);
            assert!(text(&count).contains("120"), "{name}: {count}");
        }
        if *name == "string" {
            continue;
        }
        let rows = client.call(
            "tamis_read",
            &json!({"ref": reference(summary), "rows": "97:98"}),
        );
        assert!(is_odd(&rows), "{name}: {rows}");
    }
}

#[test]
fn one_escape_sequence_is_removed_from_a_text_that_stays() {
    let words = "The build was started by hand.\nIt took a while, since the cache was cold\nand two of the mirrors did not answer.\n\nAll of its parts are in place now:\nthe program, its manual, and the notes for packagers.\n";
    let text_of = |mark: &str| format!("{words}{mark}Nothing else is left to do.\n");
    let stage = Stage::new(POLICY);
    stage.tool("plan", result(&text_of("\u{1b}[0m")));
    let mut client = stage.start();
    // Nothing else is written in another way, so there is nothing to weigh.
    let plan = client.call("plan", &json!({}));
    assert_eq!(text(&plan), text_of(""));
}

#[test]
fn lines_that_are_redrawn_are_told_and_asked_as_they_were_left() {
    let bar = |number: usize| {
        let states = (0..40).map(|at| format!("\rlayer {number}: {at:>3}%"));
        states.collect::<String>() + &format!("\rlayer {number}: done\n")
    };
    let log: String = (1..=60)
        .map(|number| match number {
            41 => bar(number) + "ERROR layer 41: checksum mismatch\n",
            _ => bar(number),
        })
        .collect();
    let stage = Stage::new(POLICY);
    stage.tool("pull", result(&log.repeat(5)));
    let mut client = stage.start();
    let summary = client.call("pull", &json!({}));
    let summary = text(&summary);
    assert!(summary.contains("305 lines"), "{summary}");
    assert!(
        summary.contains("\n42 (5 times, last 286): ERROR layer 41: checksum mismatch\n"),
        "{summary}"
    );
    let query = "SELECT count(*) FROM lines WHERE text LIKE 'layer %: done'";
    let count = client.call(
        "tamis_read",
        &json!({"ref": reference(summary), "query": query}),
    );
    assert!(text(&count).contains("300"), "{count}");
    let found = client.call(
        "tamis_read",
        &json!({"ref": reference(summary), "search": "layer 41: done"}),
    );
    assert!(text(&found).contains("41: layer 41: done"), "{found}");
    // A state that was drawn over is in the original still.
    let found = client.call(
        "tamis_read",
        &json!({"ref": reference(summary), "search": "layer 41:  17%"}),
    );
    assert!(text(&found).contains("layer 41:  17%"), "{found}");
}
