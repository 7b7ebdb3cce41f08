use super::{Paths, TreeKeys, restore};
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::{Bench, assert_schema, recorded};

fn bench() -> Bench<Paths> {
    Bench::new(json!({}))
}

/// Filters a text that must change, and checks that it can be restored.
#[track_caller]
fn encoded(text: &str) -> String {
    let applied = bench().apply(text);
    assert!(applied.changed, "{text}");
    assert_restores(applied.text(), text);
    assert!(
        !bench().apply(applied.text()).changed,
        "twice: {}",
        applied.text()
    );
    applied.text().to_owned()
}

#[track_caller]
fn assert_restores(encoded: &str, text: &str) {
    let restored = restore(encoded, &TreeKeys::default());
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let restored =
                restored.map(|restored| serde_json::from_str::<Value>(&restored).unwrap());
            assert_eq!(restored, Some(value), "{encoded}");
        }
        Err(_) => assert_eq!(restored.as_deref(), Some(text), "{encoded}"),
    }
}

#[track_caller]
fn stays(text: &str) {
    assert_eq!(bench().apply(text).text(), text);
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Paths>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

const FILES: &str = "\
/home/dev/project/crates/core/build.rs
/home/dev/project/crates/core/src/error.rs
/home/dev/project/crates/core/src/handler/client.rs
/home/dev/project/crates/core/src/handler/server.rs
/home/dev/project/crates/core/src/lib.rs
/home/dev/project/crates/core/src/model.rs
/home/dev/project/crates/core/my notes.md
/home/dev/project/README.md
";

#[test]
fn a_list_of_files_is_written_by_directory() {
    let expected = "\
8 paths by directory:
/home/dev/project/:
 crates/core/: build.rs
  src/: error.rs
   handler/: client.rs server.rs
   lib.rs model.rs
  \"my notes.md\"
 README.md
";
    assert_eq!(encoded(FILES), expected);
    // Without the last line break, and with lines around it.
    encoded(FILES.trim_end());
    encoded(&format!("Found 8 files\n\n{FILES}\n(cut off)"));
}

#[test]
fn the_name_of_a_column_is_no_path() {
    let files = "lib/project/email/__init__.py\nlib/project/email/charset.py\nlib/project/email/encoders.py\nlib/project/email/errors.py\nlib/project/http/client.py";
    let table = encoded(&format!("5 rows\nfile\n{files}"));
    assert!(
        table.starts_with("5 rows\nfile\n5 paths by directory:\n"),
        "{table}"
    );
    // Of another number of rows, it may be a path.
    let list = encoded(&format!("6 rows\nfile\n{files}"));
    assert!(
        list.starts_with("6 rows\n6 paths by directory:\n"),
        "{list}"
    );
}

#[test]
fn a_text_in_the_only_member_of_a_document_is_taken_too() {
    let text = json!({"content": FILES}).to_string();
    assert!(
        encoded(&text)
            .starts_with(r#"{"content":"8 paths by directory:\n/home/dev/project/:\n crates"#)
    );
    stays(&json!({"content": FILES, "more": 1}).to_string());
}

#[test]
fn a_directory_listing_loses_its_tags() {
    let text = "[DIR] common\n[FILE] a.rs\n[FILE] b c.rs\n[DIR] src\n[FILE] README.md\n[FILE] x:";
    let expected = "6 entries ([DIR] ends in /):\ncommon/ a.rs \"b c.rs\" src/ README.md \"x:\"";
    let loose = Bench::<Paths>::new(json!({"margin": 0}));
    let applied = loose.apply(text);
    assert_eq!(applied.text(), expected);
    assert_restores(expected, text);
    assert!(!loose.apply(expected).changed);
    // With more of them, the encoding pays by default.
    encoded(&format!("{}\n", text.replace("x:", "x\n").repeat(4)));
}

#[test]
fn hits_go_under_their_file() {
    let text = "\
crates/core/src/lib.rs:1:use std::io;
crates/core/src/lib.rs:20:    let x = io::stdin();
crates/core/src/lib.rs:31:
crates/core/src/model.rs:7:12:def f():
--
crates/core/src/error.rs:9:a
crates/core/src/error.rs:10:b:
";
    let expected = "\
crates/core/src/
 lib.rs:
  1:use std::io;
  20:    let x = io::stdin();
  31:
 model.rs:7:12:def f():
--
crates/core/src/error.rs:
 9:a
 10:b:
";
    assert_eq!(encoded(text), expected);
}

#[test]
fn hits_below_one_directory_go_under_it() {
    let text = "\
Initial output:
/srv/app/proxy/src/mcp/metrics.rs:76:    pub fn new() -> Metrics {
/srv/app/proxy/src/mcp/lines.rs:39:fn new() -> Self {
/srv/app/proxy/src/chain.rs:12:a/b:3: c
/srv/app/proxy/src/chain.rs:14:
/srv/app/proxy/src/mcp/mod.rs:1:mod lines;
2 files were not read";
    let expected = "\
Initial output:
/srv/app/proxy/src/
 mcp/metrics.rs:76:    pub fn new() -> Metrics {
 mcp/lines.rs:39:fn new() -> Self {
 chain.rs:
  12:a/b:3: c
  14:
 mcp/mod.rs:1:mod lines;
2 files were not read";
    assert_eq!(encoded(text), expected);
    // A directory that is too short to be worth a line, and files that share none.
    // And a name that begins with a space.
    for text in [
        "/a.rs:1:x\n/b.rs:2:y",
        "a/x.rs:1:x\nb/y.rs:2:y",
        "/var/lib/data/x.txt:1:foo\n/var/lib/data/ b.txt:1:bar\n/var/lib/data/c.txt:1:q",
    ] {
        assert_eq!(crate::hits::encode(text, 2).as_deref(), Some(text));
    }
}

#[test]
fn a_list_beside_hits_is_not_taken_later() {
    let (file, folder) = ("src/".repeat(50), "lib/".repeat(15));
    let text = format!("{file}a.rs:1:x\n{file}a.rs:2:y\n{folder}b\n{folder}c\n");
    let bench = Bench::<Paths>::new(json!({"min-paths": 2}));
    let once = bench.apply(&text);
    assert!(once.changed);
    assert!(!bench.apply(once.text()).changed, "{}", once.text());
}

#[test]
fn a_list_in_json_stays_json() {
    let files: Vec<&str> = FILES.lines().collect();
    let text = json!({"files": files, "total": 8}).to_string();
    let applied = bench().apply(&text);
    assert_restores(applied.text(), &text);
    let got: Value = serde_json::from_str(applied.text()).unwrap();
    let expected = json!([{"/home/dev/project/": [
        {"crates/core/": ["build.rs", {"src/": ["error.rs", {"handler/": ["client.rs", "server.rs"]}, "lib.rs", "model.rs"]}, "my notes.md"]},
        "README.md",
    ]}]);
    assert_eq!(got, json!({"files": expected, "total": 8}));
    encoded(&json!(files).to_string());
}

#[test]
fn a_list_that_looks_encoded_keeps_the_document_as_it_is() {
    let files: Vec<&str> = FILES.lines().collect();
    stays(&json!([files, [{"a/": ["b"]}]]).to_string());
}

#[test]
fn a_tree_is_written_as_lines() {
    let file = |name: &str| json!({"name": name, "type": "file"});
    let directory = |name: &str, children: Value| json!({"name": name, "type": "directory", "children": children});
    let tree = json!([
        file("README.md"),
        directory(
            "clients",
            json!([
                directory("src", json!([file("a b"), file("main.rs")])),
                file("x")
            ])
        ),
        directory("empty", json!([])),
        directory(
            "outer",
            json!([directory("inner", json!([file("deep.rs")]))])
        ),
    ]);
    let expected = "\
10 files and directories, as a tree:
README.md
clients/:
 src/: \"a b\" main.rs
 x
empty/:
outer/inner/: deep.rs";
    for text in [tree.to_string(), format!("{tree:#}")] {
        assert_eq!(encoded(&text), expected);
    }
    let only = json!({"content": tree}).to_string();
    assert_eq!(encoded(&only), json!({"content": expected}).to_string());
    let root = directory("root", tree);
    assert!(encoded(&root.to_string()).starts_with(
        "11 files and directories, as a tree with one root:\nroot/: README.md\n clients/:"
    ));
    let kinds = json!({"tree": {"name": "path", "type": "kind", "children": "entries", "file": "f", "directory": "d"}});
    let other = root
        .to_string()
        .replace("name", "path")
        .replace("type", "kind")
        .replace("children", "entries")
        .replace("\"file\"", "\"f\"")
        .replace("\"directory\"", "\"d\"");
    stays(&other);
    assert!(Bench::<Paths>::new(kinds).apply(&other).changed);
}

#[test]
fn trees_of_another_shape_stay() {
    let rest = r#"{"name":"b","type":"file"},{"name":"c","type":"file"},{"name":"d","type":"file"},{"name":"e","type":"file"}"#;
    assert!(
        bench()
            .apply(&format!("[{{\"name\":\"a\",\"type\":\"file\"}},{rest}]"))
            .changed
    );
    for odd in [
        r#"{"name":"a"}"#,
        r#"{"name":"a","type":"link"}"#,
        r#"{"name":"a","type":"directory"}"#,
        r#"{"name":"a","type":"file","children":[]}"#,
        r#"{"name":"a","type":"file","size":1}"#,
        r#"{"name":"a","name":"a"}"#,
        r#"{"name":"a","type":"file","type":"file"}"#,
        r#"{"name":"a/b","type":"file"}"#,
        r#"{"name":"","type":"file"}"#,
        r#"{"name":1,"type":"file"}"#,
        r#"{"name":"\ud800","type":"file"}"#,
        r#"{"name":"a","type":"directory","children":{}}"#,
        r#"{"name":"a","type":"directory","children":["b"]}"#,
        "\"a\"",
    ] {
        stays(&format!("[{odd},{rest}]"));
    }
}

#[test]
fn other_kinds_of_text_stay() {
    for text in [
        "",
        "a/b/c",
        "one\ntwo\nthree\nfour\nfive\nsix\n",
        "a/1\nb/2\nc/3\nd/4\ne/5\nf/6\n",
        "see src/a.rs and src/b.rs\nthen src/c.rs\nor src/d.rs\nand src/e.rs\nor src/f.rs\n",
        "src/a,1\nsrc/a,2\nsrc/a,3\nsrc/a,4\nsrc/a,5\nsrc/a,6\n",
        "src/app/a.rs\nsrc/app/b.rs\nsrc/app/c.rs\nsrc/app/d.rs\n",
        "12:30:45:1:x\n12:30:46:1:x\n12:30:47:1:x\n12:30:48:1:x\n12:30:48:2:x\n",
        " a/b/c/d\n a/b/c/e\n a/b/c/f\n a/b/c/g\n a/b/c/h\n a/b/c/i\n",
        "8 paths by directory:\nlib/app/src/a\nlib/app/src/b\nlib/app/src/c\nlib/app/src/d\nlib/app/src/e",
    ] {
        stays(text);
    }
}

#[test]
fn a_margin_is_asked_for() {
    let text: String = ('a'..='z').map(|name| format!("lib/{name}.rs\n")).collect();
    assert!(bench().apply(&text).changed);
    assert!(
        !Bench::<Paths>::new(json!({"margin": 60}))
            .apply(&text)
            .changed
    );
    for (settings, says) in [
        (json!({"margin": 91}), "`margin` is 91"),
        (json!({"min-paths": 1}), "`min-paths` is 1"),
        (json!({"tree": {"name": "type"}}), "same word twice"),
    ] {
        let refusal = Bench::<Paths>::refusal(settings).expect("a refusal");
        assert!(refusal.contains(says), "{refusal}");
    }
}

#[test]
fn each_kind_can_be_left_out() {
    let hits = "src/lib.rs:1:a\n".repeat(9);
    let list = json!([FILES.lines().collect::<Vec<_>>()]).to_string();
    let tree = json!([{"name": "a", "type": "file"}, {"name": "b", "type": "file"}]).to_string();
    for (key, text) in [
        ("lists", FILES),
        ("hits", &hits),
        ("json-lists", &list),
        ("trees", &tree),
    ] {
        let only = |on: bool| Bench::<Paths>::new(json!({key: on, "min-paths": 2}));
        assert!(only(true).apply(text).changed, "{key}");
        assert!(!only(false).apply(text).changed, "{key}");
    }
}

#[test]
fn hostile_documents_are_survived() {
    let deep: Vec<String> = (1..600).map(|depth| "a/".repeat(depth) + "b").collect();
    bench().apply(&deep.join("\n"));
    let text = json!(deep).to_string();
    assert_restores(bench().apply(&text).text(), &text);
    let many: String = (0..100_000)
        .map(|file| format!("some/folder/{}/{file}\n", file / 100))
        .collect();
    assert!(bench().apply(&many).changed);
    let one: String = (0..100_000)
        .map(|file| format!("some/folder/file-{file}\n"))
        .collect();
    let applied = bench().apply(&one);
    assert!(applied.text().lines().all(|line| line.len() < 200));
    stays(&"/".repeat(100_000));
    let nested =
        |depth: usize, inside: &str| format!("{}{inside}{}", "[".repeat(depth), "]".repeat(depth));
    let files = json!(deep).to_string();
    for depth in [100, 126, 127] {
        let text = nested(depth, &files);
        bench().apply(&text);
    }
    let mut tree = json!({"name": "f", "type": "file"});
    for _ in 0..60 {
        tree = json!({"name": "a", "type": "directory", "children": [tree]});
    }
    encoded(&tree.to_string());
}

fn any_path() -> impl Strategy<Value = String> {
    let segment = prop_oneof![
        Just("src"),
        Just("lib"),
        Just("a b"),
        Just("\""),
        Just("x:"),
        Just(".."),
        Just(""),
        Just("é"),
        Just("a.rs"),
        Just("long-directory-name"),
    ];
    prop::collection::vec(segment, 1..6).prop_map(|segments| segments.join("/"))
}

fn any_tree() -> impl Strategy<Value = Value> {
    let name = "[a-c :\"]{1,4}|directory-[a-z]{4}";
    let file = name.prop_map(|name| json!({"name": name, "type": "file"}));
    let node = file.prop_recursive(6, 40, 5, move |node| {
        (name, prop::collection::vec(node, 0..5)).prop_map(
            |(name, children)| json!({"name": name, "type": "directory", "children": children}),
        )
    });
    prop_oneof![
        node.clone(),
        prop::collection::vec(node.clone(), 0..6).prop_map(Value::from),
        node.prop_map(|node| json!({"only": [node]})),
    ]
}

#[test]
fn recorded_results_become_smaller() {
    if let Some(saving) = recorded(&bench()) {
        saving.assert_smaller();
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "(\\PC|\n|/)*") {
        bench().apply(&text);
    }

    #[test]
    fn lists_come_back(paths in prop::collection::vec(any_path(), 2..30), prefix in "[a-z]{0,9}/?", ends in any::<bool>(), form in 0..5) {
        let loose = Bench::<Paths>::new(json!({"min-paths": 2, "margin": 0}));
        let paths: Vec<String> = paths.iter().map(|path| format!("{prefix}{path}")).collect();
        let mut text = paths.join("\n");
        if ends {
            text.push('\n');
        }
        let text = match form {
            0 => text,
            1 => paths.iter().enumerate().map(|(place, path)| format!("{path}:{place}:{path}\n")).collect(),
            2 => paths.iter().map(|path| format!("[{}] {path}\n", if path.len() % 2 == 0 { "FILE" } else { "DIR" })).collect(),
            3 => json!({"paths": paths, "n": 1}).to_string(),
            _ => json!({"text": text}).to_string(),
        };
        let applied = loose.apply(&text);
        if applied.changed {
            assert_restores(applied.text(), &text);
        }
        prop_assert!(!loose.apply(applied.text()).changed, "twice: {}", applied.text());
    }

    #[test]
    fn trees_come_back(tree in any_tree()) {
        let loose = Bench::<Paths>::new(json!({"min-paths": 2, "margin": 0}));
        let text = tree.to_string();
        let applied = loose.apply(&text);
        if applied.changed {
            assert_restores(applied.text(), &text);
        }
        prop_assert!(!loose.apply(applied.text()).changed, "twice: {}", applied.text());
    }
}
