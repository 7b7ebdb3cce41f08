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

    let source = project.join("filter.go");
    let good = std::fs::read_to_string(&source).expect("read the source");
    let document = dir.path().join("document.txt");
    std::fs::write(&document, "a line of words\n".repeat(100)).expect("write a document");
    let document = document.to_str().expect("a path");
    assert!(good.contains(PLACE), "{good}");
    for (line, expected) in [
        (
            "\t_ = settingsSchema[len(whole)*100]\n",
            "panic: runtime error: index out of range [160000] with length",
        ),
        (
            "\tpanic(len(whole))\n",
            "panic: 1600, in main.(*keepLines).Apply, line 90 of house-style/filter.go",
        ),
        (
            "\tvar held [][]byte\n\tfor range 1000 {\n\t\theld = append(held, make([]byte, 1<<20))\n\t}\n\tfmt.Print(held)\n",
            "(limit `memory`)",
        ),
        ("\tfor {\n\t}\n", "(limit `time`)"),
        (
            "\ttime.Sleep(time.Second)\n",
            "in wasi_snapshot_preview1.poll_oneoff <",
        ),
        // What a machine with nothing answers.
        (
            "\t_, err := os.ReadFile(\"x\")\n\tpanic(fmt.Sprint(err, \" \", os.Args, time.Now().Unix()))\n",
            "open x: Bad file number [] 0",
        ),
    ] {
        let mut text = good.replace(PLACE, &format!("{line}{PLACE}"));
        for package in ["os", "time"] {
            if line.contains(&format!("{package}.")) {
                let imports = format!("\t\"fmt\"\n\t{package:?}\n");
                text = text.replacen("\t\"fmt\"\n", &imports, 1);
            }
        }
        std::fs::write(&source, text).expect("write the source");
        output_of(&tamis(&project, &["plugin", "build"]), 0);
        let tried = tamis(
            &project,
            &["plugin", "test", "house-style.wasm", "--document", document],
        );
        let tried = output_of(&tried, 1);
        assert!(tried.contains(expected), "{line}: {tried}");
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
