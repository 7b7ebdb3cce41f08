//! Plugins in Go: its runtime and its library in the sandbox.

use super::{output_of, tamis};
use serde_json::Value;
use std::path::PathBuf;

/// A line of the example after which it cuts.
const PLACE: &str = "\tkept := keep.maxLines - 1\n";

/// A filter that uses every import, also from another goroutine, and leaves garbage of 200 MB.
const EVERY_IMPORT: &str = include_str!("every_import.go.txt");

fn project() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let made = tamis(
        dir.path(),
        &["plugin", "new", "house-style", "--lang", "go"],
    );
    output_of(&made, 0);
    let project = dir.path().join("house-style");
    (dir, project)
}

#[test]
fn a_plugin_in_go_needs_no_wasi_and_its_failures_are_told() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    output_of(
        &tamis(
            dir.path(),
            &["plugin", "new", "house-style", "--lang", "go"],
        ),
        0,
    );
    let project = dir.path().join("house-style");
    output_of(&tamis(&project, &["plugin", "build"]), 0);
    let inspected = tamis(
        &project,
        &["plugin", "inspect", "house-style.wasm", "--json"],
    );
    output_of(&inspected, 0);
    let inspected: Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    assert_eq!(inspected["wasi"], false);
    let modules = std::fs::read_dir(&project).expect("list").filter(|it| {
        let name = it.as_ref().expect("list").file_name();
        name.to_string_lossy().ends_with(".wasm")
    });
    assert_eq!(modules.count(), 1, "the core module is left behind");

    // One plugin for all failures: the first byte of the document says which. Its size takes seconds to compile.
    let failures = [
        (
            "_ = settingsSchema[len(whole)*100]",
            "panic: runtime error: index out of range [160000] with length",
        ),
        (
            "panic(len(whole))",
            "panic: 1600, in main.(*keepLines).Apply, line LINE of house-style/filter.go",
        ),
        (
            "var held [][]byte\nfor range 1000 {\nheld = append(held, make([]byte, 1<<20))\n}\nfmt.Print(held)",
            "(limit `memory`)",
        ),
        ("for {\n}", "(limit `time`)"),
        (
            "time.Sleep(time.Second)",
            "in wasi_snapshot_preview1.poll_oneoff <",
        ),
        // What a machine with nothing answers.
        (
            "_, err := os.ReadFile(\"x\")\npanic(fmt.Sprint(err, \" \", os.Args, time.Now().Unix()))",
            "open x: Bad file number [] 0",
        ),
    ];
    let cases: String = failures
        .iter()
        .enumerate()
        .map(|(at, (code, _))| format!("case '{at}':\n{code}\n"))
        .collect();
    let source = project.join("filter.go");
    let good = std::fs::read_to_string(&source).expect("read the source");
    assert!(good.contains(PLACE), "{good}");
    let text = good
        .replace(PLACE, &format!("switch whole[0] {{\n{cases}}}\n{PLACE}"))
        .replacen("\t\"fmt\"\n", "\t\"fmt\"\n\t\"os\"\n\t\"time\"\n", 1);
    let line = text.lines().position(|line| line == "panic(len(whole))");
    let line = (line.expect("the panic") + 1).to_string();
    std::fs::write(&source, text).expect("write the source");
    output_of(&tamis(&project, &["plugin", "build"]), 0);
    let document = dir.path().join("document.txt");
    for (at, (code, expected)) in failures.into_iter().enumerate() {
        std::fs::write(&document, format!("{at} line of words\n").repeat(100))
            .expect("write a document");
        let document = document.to_str().expect("a path");
        let tried = tamis(
            &project,
            &["plugin", "test", "house-style.wasm", "--document", document],
        );
        let tried = output_of(&tried, 1);
        let expected = expected.replace("LINE", &line);
        assert!(tried.contains(&expected), "{code}: {tried}");
    }
}

#[test]
fn a_plugin_in_go_has_every_import_and_collects_its_garbage() {
    let (_dir, project) = project();
    std::fs::write(project.join("filter.go"), EVERY_IMPORT).expect("write the source");
    let refused = output_of(&tamis(&project, &["plugin", "build"]), 2);
    assert!(refused.contains("tamis:filter/"), "{refused}");
    let world = project.join("wit/world.wit");
    let text = std::fs::read_to_string(&world).expect("read the world");
    let imports: String = [
        "call",
        "log",
        "tokens",
        "result-meta",
        "original",
        "session",
    ]
    .map(|name| format!("  import tamis:filter/{name}@0.1.0;\n"))
    .concat();
    let text = text.replacen("  export", &format!("{imports}  export"), 1);
    std::fs::write(&world, text).expect("write the world");
    output_of(&tamis(&project, &["plugin", "build"]), 0);
    std::fs::write(
        project.join("all.toml"),
        "[[plugin]]\nname = \"house-style\"\npath = \"house-style.wasm\"\nallow = [\"log\", \"tokens\", \"result-meta\", \"original\", \"session\"]\n\n[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"house-style\", limits = { time = \"10s\" } }]\n",
    )
    .expect("write a policy");
    std::fs::write(
        project.join("result.json"),
        serde_json::json!({"content": [{"type": "text", "text": "a line of words\n".repeat(100)}]})
            .to_string(),
    )
    .expect("write a result");
    let applied = tamis(
        &project,
        &[
            "apply",
            "--config",
            "all.toml",
            "--tool",
            "any",
            "result.json",
        ],
    );
    output_of(&applied, 0);
    let applied: Value = serde_json::from_slice(&applied.stdout).expect("JSON");
    // 2000 times the text and 100000 bytes, and the tokens of `a li`.
    let sum = 2000 * (1600 + 100_000) + 2;
    let expected = format!(
        "sum {sum}, length 1600, \"\" false \"yes\", tags 0 0 true, stored true true, call any result content 0 false 1 {{}}"
    );
    assert_eq!(applied["content"][0]["text"], expected);
    assert_eq!(applied["_meta"]["com.example/count"], 1);
}
