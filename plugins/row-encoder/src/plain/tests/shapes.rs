//! The effect of settings on documents.

use serde_json::{Value, json};
use tamis_sdk::testing::Bench;
use tamis_sdk::{Call, Description, Document, Filter, Level, Verdict};

use super::super::{Plain, Settings};
use super::{bench, cells, pretty, shaped};

#[test]
fn a_list_becomes_a_header_and_rows_after_the_keys() {
    let shape = json!({
        "keys": ["sym=symbol"], "columns": ["file", "line", "type=usage_type", "context"],
        "rows": ["u=usages"],
    });
    let document = json!({"total": 2, "usages": [
        {"file": "src/main.rs", "line": 42, "usage_type": "call", "context": "add(1,2)", "id": 7},
        {"file": "src/lib.rs", "line": 1e2, "usage_type": null, "context": "a | b\r\n\\c"},
    ], "symbol": "add"});
    let text = bench(&shape).apply(&pretty(&document)).text().to_owned();
    assert_eq!(
        text,
        r#"{"sym":"add","h":"file|line|type|context","u":"src/main.rs|42|call|add(1,2)\nsrc/lib.rs|100.0||a \\| b\\r\\n\\\\c"}"#
    );
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let rows = cells(value["u"].as_str().expect("rows"));
    assert_eq!(rows[1], ["src/lib.rs", "100.0", "", "a | b\r\n\\c"]);
}

#[test]
fn files_become_objects_with_a_string_for_each_kind() {
    let shape = json!({
        "columns": ["name", "line"], "rows": ["f=functions", "s=structs", "c=classes"],
        "group-by": {"in": "files", "by": "path", "relative": true},
        "relative-to": {"argument": "path"},
    });
    let document = json!({"files": [
        {"path": "/p/src/a.rs", "functions": [{"name": "add", "line": 10}],
         "structs": [{"name": "Calculator", "line": 3}], "classes": []},
        {"path": "/p/b.py", "functions": [], "classes": [{"name": "B", "line": 1}]},
    ]});
    let bench = bench(&shape).arguments(json!({"path": "/p/"}));
    assert_eq!(
        bench.apply(&pretty(&document)).text(),
        r#"{"src/a.rs":{"h":"name|line","f":"add|10","s":"Calculator|3","c":""},"b.py":{"h":"name|line","f":"","s":"","c":"B|1"}}"#
    );
}

#[test]
fn a_flat_list_is_grouped_by_a_value_of_its_rows_and_split_by_kind() {
    let shape = json!({
        "columns": ["name"],
        "rows": [
            {"key": "f", "from": "symbols", "when": {"kind": ["function", "method"]}},
            {"key": "s", "from": "symbols", "when": {"kind": "struct"}},
        ],
        "group-by": {"by": "file"},
    });
    let document = json!({"symbols": [
        {"name": "a", "kind": "function", "file": "x.rs"}, {"name": "B", "kind": "struct", "file": "y.rs"},
        {"name": "c", "kind": "method", "file": "x.rs"}, {"name": "D", "kind": "struct", "file": "x.rs"},
    ]});
    assert_eq!(
        shaped(&shape, &document),
        json!({"x.rs": {"h": "name", "f": "a\nc", "s": "D"}, "y.rs": {"h": "name", "f": "", "s": "B"}})
    );
}

#[test]
fn an_object_of_files_is_grouped_by_its_keys() {
    let shape = json!({
        "columns": ["name", "file=^@key"], "rows": ["f=functions"],
        "group-by": {"in": "files.*", "by": "@key"},
    });
    let document = json!({"files": {"x.rs": {"functions": [{"name": "a"}, {"name": "b"}]}}});
    assert_eq!(
        shaped(&shape, &document),
        json!({"x.rs": {"h": "name|file", "f": "a|x.rs\nb|x.rs"}})
    );
}

#[test]
fn the_calls_argument_chooses_the_columns() {
    let shape = json!({
        "columns": [
            "name", {"name": "sig", "from": "signature", "detail": "signatures"},
            {"name": "doc", "detail": "full"},
        ],
        "rows": ["f"],
        "detail": {"argument": "detail", "levels": ["minimal", "signatures", "full"], "default": "signatures"},
    });
    let document = pretty(&json!({"f": [{"name": "a", "signature": "fn a()", "doc": null}]}));
    for (asked, header) in [
        (json!({"detail": "minimal"}), "name"),
        (json!({}), "name|sig"),
        (json!({"detail": "everything"}), "name|sig"),
        (json!({"detail": 3}), "name|sig"),
        (json!({"detail": "full"}), "name|sig|doc"),
    ] {
        let applied = bench(&shape).arguments(&asked).apply(&document);
        let value: Value = serde_json::from_str(applied.text()).expect("JSON");
        assert_eq!(value["h"], header, "{asked}");
    }
}

#[test]
fn keys_alone_are_a_shape() {
    let shape = json!({"keys": [
        "sym=symbol.name", {"name": "kind", "from": ["symbol.kind", "kind"], "values": {"function": "fn"}},
        "l=symbol.line", "doc=symbol.doc", "also=missing?", {"name": "v", "value": "1"},
        {"name": "scope", "from": ["scope.*.name", "symbol.name"], "join": "::"},
        "range=symbol.range",
    ]});
    let document = json!({
        "symbol": {"name": "calculate", "line": 40, "doc": null, "range": {"start": [1, 2]}},
        "kind": "function", "scope": [{"name": "math"}, {"name": null}, {"name": "Calculator"}],
    });
    assert_eq!(
        bench(&shape).apply(&pretty(&document)).text(),
        r#"{"sym":"calculate","kind":"fn","l":40,"v":"1","scope":"math::Calculator::calculate","range":{"start":[1,2]}}"#
    );
}

#[test]
fn rows_may_lie_deep_and_see_what_encloses_them() {
    let shape = json!({
        "columns": ["struct=^name", "field=name", "root=^^template"], "rows": ["ctx=contexts.*.fields"],
    });
    let document = json!({"template": "t.html", "contexts": [
        {"name": "A", "fields": [{"name": "x"}, {"name": "y"}]}, {"name": "B", "fields": [{"name": "z"}]},
    ]});
    assert_eq!(
        shaped(&shape, &document)["ctx"],
        "A|x|t.html\nA|y|t.html\nB|z|t.html"
    );
}

#[test]
fn elements_that_are_no_objects_are_rows_too() {
    let list = shaped(
        &json!({"columns": ["name=."], "rows": ["names"]}),
        &json!({"names": ["a|b", 2, null]}),
    );
    assert_eq!(list, json!({"h": "name", "names": "a\\|b\n2\n"}));
    let map = shaped(
        &json!({"columns": ["field=@key", "type=."], "rows": ["x=fields.*"]}),
        &json!({"fields": {"result": "i32", "error": null}}),
    );
    assert_eq!(map, json!({"h": "field|type", "x": "result|i32\nerror|"}));
}

#[test]
fn rows_are_sorted_and_equal_ones_stay_as_they_stand() {
    let document = json!({"types": [
        {"name": "a", "n": 9}, {"name": "b", "n": 10}, {"name": "c"}, {"name": "d", "n": 9}, {"name": "e", "n": "x"},
    ]});
    let sorted = |by: &str| {
        let rows = json!({"key": "types", "sort-by": by});
        shaped(&json!({"columns": ["name"], "rows": [rows]}), &document)["types"].clone()
    };
    assert_eq!(sorted("n"), "a\nd\nb\ne\nc");
    assert_eq!(sorted("-n"), "e\nb\na\nd\nc");
}

/// Types by file, and code that names some of them.
fn dependencies(code: &str) -> Value {
    let kind = |name: &str, uses: u32, exported: bool| json!({"name": name, "uses": uses, "exported": exported});
    json!({"file": "p.rs", "functions": [{"name": "parse", "code": code}], "dependencies": [
        {"file": "a.rs", "types": [kind("Ast", 5, true), kind("Span", 9, true), kind("Op", 1, false)]},
        {"file": "b.rs", "types": [kind("Error", 7, true), kind("Hidden", 99, false)]},
        {"file": "c.rs", "types": [kind("Never", 2, true)]},
    ]})
}

fn with_dependencies() -> Value {
    json!({
        "keys": ["p=file"], "columns": ["name"], "rows": ["f=functions"],
        "maps": [{
            "key": "deps", "group-by": {"in": "dependencies", "by": "file"}, "from": "types",
            "mentioned": {
                "in": "functions.*.code", "name": "name", "at-least": 3,
                "otherwise": {"when": {"exported": "true"}, "sort-by": "-uses", "first": 3},
            },
        }],
    })
}

#[test]
fn only_types_that_the_code_names_are_shown() {
    let document = dependencies("fn parse() -> Result<Ast, Error> { Op::new(Spanner, x_Never) }");
    assert_eq!(
        shaped(&with_dependencies(), &document),
        json!({"p": "p.rs", "h": "name", "f": "parse", "deps": {"a.rs": "Ast\nOp", "b.rs": "Error"}})
    );
}

#[test]
fn with_fewer_than_three_the_exported_types_used_most_are_shown() {
    let document = dependencies("fn parse() -> Ast { Op }");
    assert_eq!(
        shaped(&with_dependencies(), &document)["deps"],
        json!({"a.rs": "Ast\nSpan", "b.rs": "Error"})
    );
}

#[test]
fn paths_are_shown_from_the_first_directory_that_they_lie_in() {
    let shape = json!({
        "columns": [{"name": "file", "relative": true}], "rows": ["m"],
        "relative-to": {"document": "root", "argument": ["path"], "directory": "/opt"},
    });
    let bench = bench(&shape).arguments(json!({"path": "/home/p/src"}));
    let document = json!({"root": "/home/p", "m": [
        {"file": "/home/p/src/a.rs"}, {"file": "/home/project/b.rs"}, {"file": "/opt/c.rs"},
        {"file": "./d.rs"}, {"file": "/home/p"}, {"file": "e.rs"},
    ]});
    let text = bench.apply(&pretty(&document)).text().to_owned();
    assert_eq!(
        text,
        r#"{"h":"file","m":"src/a.rs\n/home/project/b.rs\nc.rs\nd.rs\n/home/p\ne.rs"}"#
    );
}

#[test]
fn a_relative_argument_shortens_nothing() {
    let shape = json!({
        "columns": [{"name": "file", "relative": true}], "rows": ["m"], "relative-to": {"argument": "path"},
    });
    let document = pretty(&json!({"m": [{"file": "src/a.rs"}]}));
    let shown = |path: &str| {
        let applied = bench(&shape)
            .arguments(json!({"path": path}))
            .apply(&document);
        let value: Value = serde_json::from_str(applied.text()).expect("JSON");
        value["m"].clone()
    };
    assert_eq!(shown("src"), "src/a.rs");
    assert_eq!(shown("."), "src/a.rs");
}

#[test]
fn a_list_may_be_the_whole_document() {
    let shape = json!({"columns": ["name", "line"], "rows": [{"key": "f", "from": "."}]});
    let document = json!([{"name": "a", "line": 1}, {"name": "b", "line": 2}]);
    assert_eq!(
        shaped(&shape, &document),
        json!({"h": "name|line", "f": "a|1\nb|2"})
    );
}

/// `plain` as a filter that logs whether it cut.
struct Probe(Plain);

impl Filter for Probe {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("probe", "1.0.0", "says whether rows are missing")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Plain::configure(settings).map(Probe)
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        if let Some(shaped) = self.0.shape(document, call) {
            tamis_sdk::log(Level::Info, if shaped.cut { "cut" } else { "whole" });
        }
        Ok(Verdict::Unchanged)
    }
}

#[test]
fn a_shape_says_whether_rows_are_missing() {
    let says = |shape: &Value, document: &Value| {
        Bench::<Probe>::new(shape)
            .apply(&pretty(document))
            .log
            .concat()
            .replace("level::", "")
    };
    let rows = |budget: Value| json!({"columns": ["name"], "rows": ["f"], "budget": budget});
    let document = json!({"f": [{"name": "a"}, {"name": "b"}, {"name": "c"}]});
    assert_eq!(
        says(&rows(json!({"max-rows": 3})), &document),
        "info: whole"
    );
    assert_eq!(says(&rows(json!({"max-rows": 2})), &document), "info: cut");
    assert_eq!(
        says(&rows(json!({"max-tokens": 9})), &document),
        "info: cut"
    );
    // Types that nothing names are missing too, although nothing was too long.
    assert_eq!(
        says(&with_dependencies(), &dependencies("Ast, Op, Error")),
        "info: cut"
    );
    let all = "Ast, Span, Op, Error, Hidden, Never";
    assert_eq!(
        says(&with_dependencies(), &dependencies(all)),
        "info: whole"
    );
    assert_eq!(says(&rows(json!({})), &json!({"g": []})), "");
}

#[test]
fn the_legend_says_what_the_keys_are() {
    let legend = bench(&with_dependencies()).legend().expect("it has one");
    assert!(legend.starts_with("Answers are compact JSON"), "{legend}");
    for part in [
        "`p`: file",
        "`h`: names",
        "`f`: functions",
        "`deps`",
        "`\\|`",
        "`\"@\":{\"t\":true}`",
    ] {
        assert!(legend.contains(part), "{part} is not in {legend}");
    }
}
