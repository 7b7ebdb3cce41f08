//! Each call that a summary names works: it leads to the original, and finds what it promises.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};
use tamis::built_in;
use tamis::chain::{self, Chain, Chains};
use tamis::mcp::read_tool;
use tamis::mcp::shape::{self, CallContext, OutputSchema};
use tamis::mcp::shown::ClientDisplay;
use tamis::policy::{Piece, Policy, ReadTool, Source, Structured, Surface as Bound};
use tamis::sandbox::{CacheDir, Sandbox, Surface};
use tamis::store::Reference;

static CHAINS: LazyLock<Chains> = LazyLock::new(|| {
    let policy = include_str!("../../host/src/cli/default.toml");
    let source = Source::new("(built-in policy)", policy).expect("a policy");
    let policy = Policy::parse(source, &built_in::names()).expect("a policy without mistakes");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    let sandbox = Sandbox::new(Some(CacheDir::at(cache))).expect("a sandbox");
    chain::load(policy, &sandbox).expect("the filters load")
});

/// The chain of a call that reads no file.
fn chain() -> &'static Arc<Chain> {
    let piece = Piece {
        arguments: Some("{}"),
        ..Piece::new(Bound::Result, "tool")
    };
    CHAINS.find(&piece).expect("a chain")
}

fn context() -> CallContext<'static> {
    CallContext {
        server: "test",
        surface: Surface::Result,
        name: "tool",
        arguments: "{}",
        session: None,
        schema: OutputSchema::Unknown,
        enforces_audience: false,
        view: ClientDisplay::default(),
        structured: Structured::Text,
        keep: Arc::new(|result, _, _| {
            let reference = Reference::of(result);
            Ok(read_tool::names(
                &ReadTool::default(),
                &reference,
                Some(Path::new("")),
            ))
        }),
    }
}

/// The text that a model gets of a result.
fn shown(result: &[u8]) -> String {
    let call = context();
    let chain = chain();
    let filtered = shape::filter_result(chain, &call, result);
    let result = filtered.result.expect("a summary");
    let result: Value = serde_json::from_str(&result).expect("JSON");
    let blocks = result["content"].as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// The calls that a summary names: the first whole, the others as members that take the place of its last.
fn named(shown: &str) -> Vec<Map<String, Value>> {
    let (_, rest) = shown
        .split_once("More: tamis_read ")
        .unwrap_or_else(|| panic!("no call: {shown}"));
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
    let first = values.next().expect("a call").expect("an object");
    let mut others = rest[values.byte_offset()..].to_owned();
    let mut calls = vec![first.clone()];
    // `; or "query":"SELECT … FROM rows"; or "search":"word", or "path":"$[3]"`
    while let Some(at) = others.find("or \"") {
        others.drain(..at + "or ".len());
        let end = [", or ", "; or ", "\n"]
            .iter()
            .filter_map(|next| others.find(next))
            .min();
        let members = format!("{{{}}}", others[..end.unwrap_or(others.len())].trim_end());
        let members: Map<String, Value> = serde_json::from_str(&members)
            .unwrap_or_else(|error| panic!("{members}: {error} in {shown}"));
        let mut call = first.clone();
        call.retain(|name, _| name == "ref" || name == "part");
        call.extend(members);
        calls.push(call);
    }
    calls
}

/// Asks each call of a result, with `*` for the columns that it leaves open.
#[track_caller]
fn check(result: &Value, least: usize) {
    let result = result.to_string();
    let shown = shown(result.as_bytes());
    let mut asked = 0;
    for mut call in named(&shown) {
        let is_open = |text: &str| text == "…" || text == "$…";
        if call.values().any(|it| it.as_str().is_some_and(is_open)) {
            continue;
        }
        if let Some(query) = call.get_mut("query") {
            *query = query.as_str().expect("SQL").replace('…', "count(*)").into();
        }
        let call = Value::Object(call).to_string();
        let answer =
            read_tool::answer_from(&ReadTool::default(), result.as_bytes(), call.as_bytes());
        let answer = answer.unwrap_or_else(|error| panic!("{call}: {error}\nof {shown}"));
        let finds = answer.lines().nth(1).is_some_and(|line| line != "0");
        assert!(
            finds && !answer.starts_with("no "),
            "{call}: {answer}\nof {shown}"
        );
        asked += 1;
    }
    assert!(asked >= least, "{asked} calls, not {least}: {shown}");
}

fn orders() -> Value {
    let order = |id: usize| {
        let state = ["open", "paid", "sent"][id % 3];
        json!({"id": id, "state": state, "total": id * 7, "note": format!("order number {id} of a customer")})
    };
    (1..400).map(order).collect()
}

fn csv() -> String {
    let row = |id: usize| {
        format!(
            "{id},{},{},customer {id} of the shop\n",
            id * 7,
            ["open", "paid"][id % 2]
        )
    };
    "id,total,state,note\n".to_owned() + &(1..300).map(row).collect::<String>()
}

fn log() -> String {
    let line = |at: usize| {
        format!(
            "2026-03-01 10:{:02}:{:02} INFO worker {} did job {at} of the day\n",
            at / 60,
            at % 60,
            at % 7
        )
    };
    (0..300).map(line).collect::<String>() + "2026-03-01 11:00:00 ERROR the disk is full\n"
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn structured(value: Value) -> Value {
    json!({"content": [{"type": "text", "text": "see structuredContent"}], "structuredContent": value})
}

#[test]
fn they_name_the_part_where_another_could_be_meant() {
    let words = orders().to_string();
    let value = |value: Value| json!({"content": [{"type": "text", "text": words}], "structuredContent": value});
    let blocks = |count: usize| -> Vec<Value> {
        let block = |at| json!({"type": "text", "text": format!("{}{at}\n", log())});
        (0..count).map(block).collect()
    };
    for (result, expected) in [
        (text(&words), None),
        (text(&log()), None),
        // What says the same is one part.
        (value(json!({"result": orders()})), None),
        (value(json!({"result": words})), None),
        (
            structured(json!({"result": orders()})),
            Some("structuredContent"),
        ),
        (json!({"content": blocks(2)}), Some("content[0]")),
    ] {
        let result = result.to_string();
        let shown = shown(result.as_bytes());
        for call in named(&shown) {
            let part = call.get("part").map(|part| part.as_str().expect("a part"));
            assert_eq!(part, expected, "{shown}");
        }
        check(&serde_json::from_str(&result).expect("JSON"), 1);
    }
}

/// A text by itself, as of `tamis hook`: the call reads it, whatever it looks like.
#[test]
fn of_a_text_by_itself_that_looks_like_a_result() {
    let rows = orders();
    for (text, part) in [
        (log(), None),
        (rows.to_string(), None),
        (json!({"rows": rows, "n": 1}).to_string(), None),
        (json!({"structuredContent": {"rows": rows}}).to_string(), Some("result")),
        (
            json!({"content": [{"type": "text", "text": "3 rows"}], "structuredContent": {"rows": rows}})
                .to_string(),
            Some("result"),
        ),
        (json!({"content": [{"type": "text", "text": "a"}], "rows": rows}).to_string(), Some("result")),
    ] {
        let call = context();
        let chain = chain();
        let shown = shape::filter_lone_text(chain, &call, &text).result.expect("a summary");
        for mut call in named(&shown) {
            assert_eq!(call.get("part").and_then(Value::as_str), part, "{shown}");
            if let Some(query) = call.get_mut("query") {
                *query = query.as_str().expect("SQL").replace('…', "count(*)").into();
            }
            if call.values().any(|it| it == "…") {
                continue;
            }
            let call = Value::Object(call).to_string();
            let answer = read_tool::answer_from(&ReadTool::default(), text.as_bytes(), call.as_bytes());
            let answer = answer.unwrap_or_else(|error| panic!("{call}: {error}\nof {shown}"));
            assert!(!answer.starts_with("no "), "{call}: {answer}");
        }
    }
}

#[test]
fn of_rows_wherever_they_stand() {
    let orders = orders();
    let words = orders.to_string();
    for (result, least) in [
        (text(&words), 3),
        (
            text(&json!({"orders": orders, "count": 399}).to_string()),
            3,
        ),
        // A key that SQL would not take for a name, one with a space, and a list in a member of a member.
        (text(&json!({"index": orders, "count": 399}).to_string()), 3),
        (
            text(&json!({"all orders": orders, "count": 399}).to_string()),
            3,
        ),
        (
            text(&json!({"data": {"page": {"orders": orders}}}).to_string()),
            3,
        ),
        (structured(json!({"result": orders})), 3),
        // Data in strings.
        (structured(json!({"result": [words], "count": 1})), 3),
        (structured(json!({"output": words, "code": 0})), 3),
        (structured(json!({"result": [csv()], "count": 1})), 1),
        (structured(json!({"output": csv(), "code": 0})), 1),
        (text(&format!("Contents of the page:\n{words}")), 3),
        (text(&format!("```json\n{words}\n```\n")), 3),
        (text(&csv()), 3),
    ] {
        check(&result, least);
    }
}

#[test]
fn of_trees_maps_and_texts_wherever_they_stand() {
    fn tree(depth: usize) -> Value {
        let entry = |at: usize| match depth {
            0 => json!({"name": format!("file {at}.rs"), "type": "file"}),
            _ => {
                json!({"name": format!("folder {at}"), "type": "directory", "children": tree(depth - 1)})
            }
        };
        (0..7).map(entry).collect()
    }
    let orders = orders();
    let rows = orders.as_array().expect("a list");
    let map: Map<String, Value> = rows
        .iter()
        .map(|order| (format!("order-{}", order["id"]), order.clone()))
        .collect();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for result in [
        text(&tree(3).to_string()),
        text(&json!({"tree": tree(3)}).to_string()),
        text(&Value::Object(map.clone()).to_string()),
        text(&json!({"orders": map}).to_string()),
        text(&log()),
        text(&json!({"log": log(), "exit": 1}).to_string()),
        structured(json!({"result": [log()], "outputs": [log()], "count": 1})),
        structured(json!({"lines": lines(&log())})),
        structured(json!({"result": log()})),
        json!({"content": [{"type": "text", "text": log()}, {"type": "text", "text": log()}]}),
    ] {
        check(&result, 1);
    }
}
