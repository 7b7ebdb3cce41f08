//! The guide for authors, followed: its blocks of code go into the named files, in order, and each step compiles.

use std::path::{Path, PathBuf};

use super::author::{Author, has_all, output_of};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// The blocks of code of a section: language and text.
fn blocks(page: &str, section: &str) -> Vec<(String, String)> {
    let (_, rest) = page.split_once(section).expect("the section");
    let section = rest.split("\n## ").next().unwrap_or_default();
    let pieces: Vec<&str> = section.split("   ```").collect();
    let blocks = pieces.iter().skip(1).step_by(2).map(|block| {
        let (language, text) = block.split_once('\n').expect("a block");
        let lines = text
            .lines()
            .map(|line| line.strip_prefix("   ").unwrap_or(line));
        (
            language.to_owned(),
            lines.map(|line| format!("{line}\n")).collect(),
        )
    });
    blocks.collect()
}

#[test]
fn the_filter_of_the_guide_is_built_step_by_step() {
    let page = std::fs::read_to_string(docs().join("plugins.md")).expect("the page");
    let blocks = blocks(&page, "\n## A filter, step by step\n");
    let languages: Vec<&str> = blocks
        .iter()
        .map(|(language, _)| language.as_str())
        .collect();
    assert_eq!(
        languages,
        ["sh", "rust", "json", "sh", "rust", "rust", "toml", "sh"]
    );
    let author = Author::new();
    let shell = |folder: &str, commands: &str| {
        let script = format!("set -eu\n{commands}");
        output_of(&author.program(folder, &["sh", "-c", &script]).run(""), 0)
    };
    let text = |index: usize| blocks[index].1.as_str();
    shell("", text(0));
    author.folder.write("drop-links/src/lib.rs", text(1));
    author
        .folder
        .write("drop-links/cases/user/input.json", text(2));
    let tested = shell("drop-links", text(3));
    has_all(
        &tested,
        &[
            "wrote ./cases/user/expected.json",
            "1 passed; 0 failed",
            " 0 failed",
        ],
    );
    let expected = author
        .folder
        .path()
        .join("drop-links/cases/user/expected.json");
    let expected = std::fs::read_to_string(expected).expect("it was written");
    has_all(&expected, &[r#"{"login": "ada", "id": 7}"#]);

    author
        .folder
        .write("drop-links/src/lib.rs", format!("{}\n{}", text(4), text(5)));
    author.folder.write("drop-links/filters.toml", text(6));
    let used = shell("drop-links", text(7));
    has_all(
        &used,
        &[
            "1 passed; 0 failed",
            "drop-links 0.2.0",
            "ending (string, default \"_url\")",
            "fuel",
        ],
    );
    let refused = author.tamis_in(
        "drop-links",
        &[
            "plugin",
            "test",
            "drop-links.wasm",
            "--settings",
            r#"{"ending": ""}"#,
        ],
    );
    has_all(&output_of(&refused, 2), &["`ending` is empty"]);
}

#[test]
fn pictures_and_pages_that_the_guide_names_are_there() {
    let page = std::fs::read_to_string(docs().join("plugins.md")).expect("the page");
    let mut pictures = 0;
    for link in page
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
    {
        if link.contains("://") {
            continue;
        }
        let file = docs().join(link.split('#').next().unwrap_or_default());
        assert!(file.exists(), "{link}");
        if link.ends_with(".svg") {
            let picture = std::fs::read_to_string(&file).expect("a picture");
            // It has texts for screen readers, and its own background.
            has_all(&picture, &["<title", "<desc", "<text", "<rect width="]);
            pictures += 1;
        }
    }
    assert_eq!(pictures, 3);
}
