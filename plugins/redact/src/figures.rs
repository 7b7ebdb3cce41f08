//! The figures of the README: recall and false finds of each preset, beside those of gitleaks.

use crate::innocent::{PRESETS, finds, made, read};
use crate::recall::{BY_NAME, Case, Row, cases, rows};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const BEGIN: &str = "<!-- figures -->\n";
const END: &str = "<!-- /figures -->";

/// The presets for which gitleaks has rules.
const OF_GITLEAKS: [&str; 5] = [
    "api-keys",
    BY_NAME,
    "jwts",
    "private-keys",
    "connection-strings",
];

/// What gitleaks finds.
struct Anchor {
    version: String,
    /// By row: in how many texts it finds anything, and in how many that are `NAME=value`, of how many.
    found: HashMap<&'static str, (usize, usize, usize)>,
    /// Lines with a find in the texts without secrets.
    made: usize,
    workspace: usize,
}

/// A folder that is removed with its files.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("redact-figures-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("make a folder");
        Folder(path)
    }

    fn write<'t>(&self, name: &str, texts: impl Iterator<Item = &'t str>) -> PathBuf {
        let folder = self.0.join(name);
        std::fs::create_dir_all(&folder).expect("make a folder");
        for (number, text) in texts.enumerate() {
            std::fs::write(folder.join(format!("{number}.txt")), text).expect("write a text");
        }
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The numbers of the files in which gitleaks finds anything, with its own rules, and how many lines of them.
fn found_by(gitleaks: &str, folder: &Path) -> (HashSet<usize>, usize) {
    let report = folder.with_extension("json");
    let run = Command::new(gitleaks)
        .arg("dir")
        .arg(folder)
        .args(["--no-banner", "--log-level", "error", "--exit-code", "0"])
        .args(["--report-format", "json", "--report-path"])
        .arg(&report)
        .status();
    assert!(run.expect("run gitleaks").success());
    let report = std::fs::read(report).expect("its report");
    let report: Vec<Value> = serde_json::from_slice(&report).expect("a list");
    let number = |find: &Value| -> usize {
        let file = Path::new(find["File"].as_str().expect("a file"));
        let number = file.file_stem().and_then(|it| it.to_str()?.parse().ok());
        number.expect("a number")
    };
    let files = report.iter().map(number).collect();
    let line = |find: &Value| (number(find), find["StartLine"].as_u64());
    let lines: HashSet<_> = report.iter().map(line).collect();
    (files, lines.len())
}

fn anchor(
    gitleaks: &str,
    all: &[Case],
    made: &[(&str, String)],
    read: &[(&str, String)],
) -> Anchor {
    let folder = Folder::new();
    let texts = |texts: &[(&str, String)], name| {
        let texts = texts.iter().map(|(_, text)| text.as_str());
        found_by(gitleaks, &folder.write(name, texts)).1
    };
    let mut found = HashMap::new();
    for (number, row) in OF_GITLEAKS.into_iter().enumerate() {
        let cases: Vec<&Case> = all.iter().filter(|case| case.row == row).collect();
        let texts = cases.iter().map(|case| case.text.as_str());
        let (files, _) = found_by(gitleaks, &folder.write(&number.to_string(), texts));
        let plain = |number: &usize| cases[*number].place == "NAME=value";
        let plain_found = files.iter().filter(|number| plain(number)).count();
        let plain = (0..cases.len()).filter(plain).count();
        found.insert(row, (files.len(), plain_found, plain));
    }
    let version = Command::new(gitleaks).arg("version").output();
    let version = String::from_utf8(version.expect("run gitleaks").stdout).expect("a version");
    Anchor {
        version: version.trim().to_owned(),
        found,
        made: texts(made, "made"),
        workspace: texts(read, "workspace"),
    }
}

/// A share in percent. All is 100 %, and nothing else is.
fn percent(found: usize, cases: usize) -> String {
    match found == cases {
        true => "100 %".to_owned(),
        false => format!("{:.1} %", (found * 1000 / cases) as f64 / 10.0),
    }
}

/// What the README says of a row without the workspace and gitleaks, which change without this filter.
fn of_row(name: &str, row: &Row) -> String {
    let share = percent(row.found, row.cases);
    format!("| {name} | {} | {} | {share} |", row.forms, row.cases)
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// The tables of the README.
fn tables(gitleaks: &str) -> String {
    let (all, made, read) = (cases(), made(), read());
    let anchor = anchor(gitleaks, &all, &made, &read);
    let version = &anchor.version;
    let mut text = format!(
        "| preset | forms | texts | `redact` hides the secret | gitleaks {version} finds something | … in `NAME=value` |\n|---|--:|--:|--:|--:|--:|\n"
    );
    for (name, row) in rows(&all) {
        let [all, plain] = match anchor.found.get(name) {
            Some((all, plain, of)) => [percent(*all, row.cases), percent(*plain, *of)],
            None => ["no rule".to_owned(), String::new()],
        };
        let _ = writeln!(text, "{} {all} | {plain} |", of_row(name, &row));
    }
    let bytes = |texts: &[(&str, String)]| texts.iter().map(|(_, text)| text.len()).sum();
    let _ = writeln!(
        text,
        "\n| lines with a false find | {} of generated text | {} of sources and pages |\n|---|--:|--:|",
        megabytes(bytes(&made)),
        megabytes(bytes(&read))
    );
    for preset in PRESETS {
        let [of_made, of_read] = [&made, &read].map(|texts| finds(preset, texts).0.len());
        let _ = writeln!(text, "| `{preset}` | {of_made} | {of_read} |");
    }
    let _ = writeln!(
        text,
        "| gitleaks {version}, all rules | {} | {} |",
        anchor.made, anchor.workspace
    );
    text
}

/// The tables in the README, and the README around them.
fn parts(readme: &str) -> (&str, &str, &str) {
    let (before, rest) = readme.split_once(BEGIN).expect("figures begin");
    let (figures, after) = rest.split_once(END).expect("figures end");
    (before, figures, after)
}

/// Writes the tables to the README. `GITLEAKS` names the program:
/// `GITLEAKS=/path/gitleaks cargo test --release -p redact -- --ignored figures`
#[test]
#[ignore = "writes the README; needs gitleaks"]
fn figures() {
    let gitleaks = std::env::var("GITLEAKS").expect("GITLEAKS is the path of the program gitleaks");
    let readme = std::fs::read_to_string(README).expect("the README");
    let (before, _, after) = parts(&readme);
    let tables = tables(&gitleaks);
    println!("{tables}");
    std::fs::write(README, format!("{before}{BEGIN}{tables}{END}{after}")).expect("write it");
}

#[test]
fn the_readme_has_the_recall_of_today() {
    let readme = std::fs::read_to_string(README).expect("the README");
    let (_, figures, _) = parts(&readme);
    for (name, row) in rows(&cases()) {
        let line = of_row(name, &row);
        assert!(
            figures.lines().any(|it| it.starts_with(&line)),
            "the README does not have {line}: run the test `figures`"
        );
    }
}
