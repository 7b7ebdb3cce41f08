//! Systems that lack something: Tamis says so, and works.

use crate::docs::generated;
use crate::support::{Finished, Folder, Program, TAMIS, exits, repository, text};

/// Runs a chain on a document under this limit of address space, in KiB.
fn apply(folder: &Folder, limit: &str) -> Finished {
    let script = format!("ulimit -v {limit} && exec \"$0\" \"$@\"");
    let line = [
        "bash",
        "-c",
        &script,
        TAMIS,
        "apply",
        "--config",
        "filters.toml",
        "--tool",
        "list",
        "input.json",
    ];
    Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TAMIS_CACHE_DIR", folder.path().join("cache"))
        .run("")
}

#[test]
fn without_address_space_for_the_pool_filters_run_all_the_same_and_the_log_says_so() {
    let folder = Folder::new();
    folder.write(
        "filters.toml",
        "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n",
    );
    folder.write("input.json", "{\"a\": null, \"b\": [1], \"c\": 2}");
    let plenty = apply(&folder, "unlimited");
    exits(&plenty, 0, &[]);
    assert!(
        !text(&plenty.stderr).contains("address space"),
        "{}",
        text(&plenty.stderr)
    );
    // The pool reserves more than a tebibyte; one instance takes some gibibytes.
    let little = apply(&folder, "67108864");
    exits(
        &little,
        0,
        &["the address space for a pool of instances cannot be reserved"],
    );
    assert_eq!(text(&little.stdout), text(&plenty.stdout));
    assert!(
        !text(&little.stdout).contains("null"),
        "{}",
        text(&little.stdout)
    );
}

/// The page names what the script runs, and what it does not run.
#[test]
fn the_page_about_platforms_has_each_use_under_wine() {
    let script = std::fs::read_to_string(repository().join("tests/wine.py")).expect("the script");
    let (head, uses) = script.split_once("# --- the uses\n").expect("the uses");
    let mut table = String::new();
    for line in uses.lines() {
        let text = line.strip_prefix("    \"\"\"");
        if let Some(text) = text.and_then(|text| text.strip_suffix("\"\"\"")) {
            table += &format!("- {text}\n");
        }
    }
    assert!(table.lines().count() > 14, "{table}");
    generated(
        "docs/platforms.md",
        "<!-- wine -->\n",
        "<!-- /wine -->",
        &table,
    );
    let (_, left) = head.split_once("NOT_RUN = {\n").expect("what is not run");
    let (left, _) = left.split_once("}\n").expect("its end");
    let mut table = String::new();
    for line in left.lines() {
        let words: Vec<&str> = line.split('"').collect();
        table += &format!("- {}: {}\n", words[1], words[3]);
    }
    let (begin, end) = ("<!-- not run -->\n", "<!-- /not run -->");
    generated("docs/platforms.md", begin, end, &table);
}
