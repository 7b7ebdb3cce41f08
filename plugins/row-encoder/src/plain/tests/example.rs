//! The example `compact-rows`: nine tools, whose shapes come from its filters.toml alone.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tamis_sdk::testing::Bench;

use super::{cells, pretty, tokens};
use crate::RowEncoder;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The one step of each chain in a policy: the tool and the settings.
fn steps(file: &Path) -> Vec<(String, Value)> {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let policy: Value =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let step = |chain: &Value| {
        let tool = chain["tools"][0].as_str().expect("a tool").to_owned();
        let mut settings = chain["steps"][0].clone();
        let filter = settings.as_object_mut().expect("a step").remove("filter");
        assert_eq!(filter, Some(json!("row-encoder")));
        (tool, settings)
    };
    policy["chain"]
        .as_array()
        .expect("chains")
        .iter()
        .map(step)
        .collect()
}

/// The example's tools and settings.
pub fn chains() -> Vec<(String, Value)> {
    steps(&repository().join("examples/compact-rows/filters.toml"))
}

fn case(tool: &str) -> PathBuf {
    repository().join(format!(
        "tests/cases/apply/compact-rows-{}",
        tool.replace('_', "-")
    ))
}

/// The stand-in's answer to a call without arguments.
fn answer(tool: &str) -> String {
    let file = case(tool).join("input.json");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let result: Value = serde_json::from_str(&text).expect("a result");
    result["content"][0]["text"]
        .as_str()
        .expect("a text block")
        .to_owned()
}

fn settings(tool: &str) -> Value {
    let mut chains = chains().into_iter();
    chains.find(|(name, _)| name == tool).expect("a chain").1
}

fn filtered(tool: &str, arguments: Value) -> Value {
    let bench = Bench::<RowEncoder>::new(settings(tool)).arguments(arguments);
    let applied = bench.apply(&answer(tool));
    assert!(applied.changed, "{tool} is left alone");
    serde_json::from_str(applied.text()).expect("JSON")
}

fn rows(value: &Value) -> Vec<Vec<String>> {
    cells(value.as_str().expect("rows"))
}

#[test]
fn every_tool_has_a_chain_and_a_case_with_the_same_step() {
    let tools = chains();
    assert_eq!(tools.len(), 9);
    for (tool, settings) in tools {
        let of_case = steps(&case(&tool).join("filters.toml"));
        assert_eq!(of_case, [("tool".to_owned(), settings)], "{tool}");
    }
}

#[test]
fn every_case_gives_what_it_should() {
    for (tool, settings) in chains() {
        let applied = Bench::<RowEncoder>::new(settings).apply(&answer(&tool));
        let result = json!({"content": [{"type": "text", "text": applied.text()}]}).to_string();
        let file = case(&tool).join("expected.json");
        if std::env::var_os("TAMIS_BLESS").is_some() {
            std::fs::write(&file, result)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            continue;
        }
        let expected = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let expected: Value = serde_json::from_str(&expected).expect("a result");
        // After the text the host may add a note on cuts, which is not the filter's.
        assert_eq!(expected["content"][0]["text"], applied.text(), "{tool}");
    }
}

#[test]
fn a_map_of_code_shows_more_or_less_by_its_argument() {
    for (detail, header) in [
        ("minimal", "name|line"),
        ("signatures", "name|line|sig"),
        ("full", "name|line|sig|doc|code"),
    ] {
        let map = filtered("code_map", json!({"detail": detail}));
        let file = &map["src/calculator.rs"];
        assert_eq!(file["h"], header);
        assert_eq!(rows(&file["f"])[0][..2], ["add", "20"]);
        assert_eq!(rows(&file["s"])[0][0], "Calculator");
        assert_eq!(file["c"], "");
        let columns = header.split('|').count();
        assert!(rows(&file["f"]).iter().all(|row| row.len() == columns));
    }
    let map = filtered("code_map", json!({"max_tokens": 300}));
    assert_eq!(map["@"], json!({"t": true}));
    assert!(tokens(&map.to_string()) <= 300);
}

#[test]
fn shapes_are_those_of_the_example() {
    let none = || json!({});
    let usages = filtered("find_usages", none());
    assert_eq!(
        (&usages["sym"], &usages["h"]),
        (&json!("add"), &json!("file|line|col|type|context"))
    );
    assert!(
        rows(&usages["u"]).contains(
            &["src/main.rs", "42", "13", "call", "let x = add(1,2)"]
                .map(str::to_owned)
                .to_vec()
        )
    );
    assert_eq!(
        rows(&filtered("find_usages", json!({"max_context_lines": 7}))["u"]).len(),
        7
    );

    let symbol = filtered("symbol_at_line", none());
    assert_eq!(
        symbol,
        json!({"sym": "calculate", "kind": "fn",
            "sig": "pub fn calculate(&mut self, input: &str) -> Result<Number, CalcError>",
            "l": 40, "scope": "calculator::calculate"})
    );

    let diff = filtered("parse_diff", none());
    assert_eq!(
        (&diff["p"], &diff["cmp"]),
        (&json!("src/calculator.rs"), &json!("HEAD"))
    );
    assert_eq!(
        rows(&diff["changes"])[0],
        ["fn", "add", "20", "sig_changed: fn(i32,i32)->i64"]
    );
    assert_eq!(rows(&diff["changes"])[2][3], "body_changed");

    let code = filtered("view_code", none());
    let deps = code["deps"].as_object().expect("an object");
    let mut files: Vec<&String> = deps.keys().collect();
    files.sort();
    assert_eq!(files, ["src/errors.rs", "src/lexer.rs", "src/types.rs"]);
    let types = rows(&deps["src/types.rs"]);
    let names: Vec<&str> = types.iter().map(|row| row[0].as_str()).collect();
    // `Sign`, `Span` and `Apply` are not named in the parser.
    assert_eq!(names, ["Number", "Ast", "Operator"]);

    let context = filtered("template_context", none());
    assert_eq!(context["tpl"], "templates/calculator.html");
    assert_eq!(
        rows(&context["ctx"])[0],
        ["CalculatorContext", "result", "i32"]
    );

    let types = filtered("type_map", none());
    assert_eq!(
        rows(&types["types"])[0],
        ["Number", "type", "src/types.rs", "4", "58"]
    );
}

/// Saved tokens, in percent of those before.
fn saved(before: &str, after: &str) -> usize {
    100 - tokens(after) * 100 / tokens(before)
}

#[test]
fn uniform_lists_take_at_most_55_percent_of_their_tokens() {
    for (tool, list) in [
        ("find_usages", "u"),
        ("query_pattern", "m"),
        ("affected_by_diff", "affected"),
        ("template_context", "ctx"),
        ("type_map", "types"),
    ] {
        let after = filtered(tool, json!({}));
        let header: Vec<&str> = after["h"].as_str().expect("a header").split('|').collect();
        let rows = rows(&after[list]);
        assert!(rows.len() >= 20, "{tool} has {} rows", rows.len());
        // Against the output of upstream, and against the same cells alone, printed in the same way.
        let whole = saved(&answer(tool), &after.to_string());
        let objects = rows.iter().map(|row| {
            let members = header.iter().zip(row);
            members
                .map(|(name, cell)| ((*name).to_owned(), number_or_text(cell)))
                .collect::<Value>()
        });
        let same = json!({"keys": {"sym": after["sym"], "q": after["q"]}, list: objects.collect::<Vec<_>>()});
        let cells_alone = saved(&pretty(&same), &after.to_string());
        println!(
            "{tool}: {} rows, {whole} % of the answer, {cells_alone} % of the cells",
            rows.len()
        );
        assert!(whole >= 45, "{tool} saves {whole} %");
        assert!(
            cells_alone >= 45,
            "{tool} saves {cells_alone} % of its cells alone"
        );
    }
}

fn number_or_text(cell: &str) -> Value {
    cell.parse::<i64>()
        .map_or_else(|_| json!(cell), |number| json!(number))
}

#[test]
fn legends_say_what_the_keys_mean() {
    for (tool, settings) in chains() {
        let legend = Bench::<RowEncoder>::new(&settings).legend();
        let legend = legend.expect("it has one");
        println!("{tool}\n{legend}\n");
        assert!(legend.len() < 1100, "{tool}: {} bytes", legend.len());
        let shape = &settings["shape"];
        for row in shape["rows"].as_array().into_iter().flatten() {
            let key = row["key"]
                .as_str()
                .or_else(|| row.as_str()?.split('=').next())
                .expect("a key");
            assert!(legend.contains(&format!("`{key}`: ")), "{tool}: {key}");
        }
    }
}
