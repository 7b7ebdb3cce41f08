//! `tamis check --format`: every format has the same findings at the same positions.

use super::{cases, check, staged, text};
use crate::support::{Finished, Folder};
use serde_json::Value;
use std::path::Path;

/// The text of a file between two lines and columns, all from 1, with columns in UTF-16 code units as in SARIF.
fn region<'t>(file: &'t str, region: &Value) -> &'t str {
    let number = |name: &str| {
        let number = region[name].as_u64().expect("a number");
        assert!(number >= 1, "{region}");
        number as usize
    };
    let offset = |line: usize, column: usize| {
        let before: usize = file
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum();
        let mut units = 1;
        let ends = file[before..].char_indices().find(|(_, character)| {
            let is_here = units == column;
            units += character.len_utf16();
            is_here
        });
        match ends {
            Some((at, _)) => before + at,
            None => {
                assert_eq!(units, column, "{region}");
                file.len()
            }
        }
    };
    let start = offset(number("startLine"), number("startColumn"));
    let end = offset(number("endLine"), number("endColumn"));
    &file[start..end]
}

/// Runs a check in a JSON format.
#[track_caller]
fn json(arguments: &[&str], folder: &Path) -> (Value, Finished) {
    let run = check(arguments, folder);
    match serde_json::from_slice(&run.stdout) {
        Ok(value) => (value, run),
        Err(error) => run.fail(&format!("not JSON: {error}")),
    }
}

/// Checks the requirements of code scanning for a log, and returns its only run.
#[track_caller]
fn run_of(log: &Value) -> &Value {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().expect("a schema").contains("2.1.0"));
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let run = &runs[0];
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    assert!(run["results"].is_array());
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "Tamis");
    assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
    let mut ids: Vec<&str> = Vec::new();
    for rule in driver["rules"].as_array().expect("rules") {
        for text in ["shortDescription", "fullDescription", "help"] {
            let text = rule[text]["text"].as_str().expect("text");
            assert!(!text.is_empty(), "{rule}");
        }
        ids.push(rule["id"].as_str().expect("an id"));
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "each rule has its own id");
    run
}

/// The file of a position in a report; the policy's own for a finding about the whole file.
fn file_of<'r>(place: &'r Value, report: &'r Value) -> &'r str {
    let file = place["file"].as_str().or(report["file"].as_str());
    file.expect("a path")
}

/// Compares a log with the report as JSON.
#[track_caller]
fn compare_sarif(log: &Value, report: &Value, folder: &Path) {
    let text_of = |place: &Value| {
        let text = std::fs::read_to_string(folder.join(file_of(place, report))).expect("the file");
        text.trim_start_matches('\u{feff}').to_owned()
    };
    let run = run_of(log);
    let rules = &run["tool"]["driver"]["rules"];
    let results = run["results"].as_array().expect("results");
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["code"]);
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], finding["code"]);
        assert_eq!(result["level"], finding["severity"]);
        // Text that looks like a link or a placeholder has an extra space.
        let without_spaces = |text: &Value| text.as_str().unwrap_or_default().replace(' ', "");
        let message = without_spaces(&result["message"]["text"]);
        for part in ["message", "label", "help"] {
            let part = without_spaces(&finding[part]);
            assert!(message.contains(&part), "{part} is not in\n{message}");
        }
        let locations = result["locations"].as_array().expect("locations");
        assert_eq!(locations.len(), 1);
        let place = &locations[0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], file_of(finding, report));
        let marked = |of: &Value| match (of["start"].as_u64(), of["end"].as_u64()) {
            (Some(start), Some(end)) => text_of(of)[start as usize..end as usize].to_owned(),
            _ => String::new(),
        };
        assert_eq!(region(&text_of(finding), &place["region"]), marked(finding));
        if finding["line"].is_u64() {
            assert_eq!(place["region"]["startLine"], finding["line"]);
            assert_eq!(place["region"]["endLine"], finding["end_line"]);
        }
        let related = &result["relatedLocations"];
        match finding.get("also") {
            None => assert!(related.is_null()),
            Some(also) => {
                assert_eq!(related[0]["message"]["text"], also["label"]);
                let place = &related[0]["physicalLocation"];
                assert_eq!(place["artifactLocation"]["uri"], file_of(also, report));
                assert_eq!(region(&text_of(also), &place["region"]), marked(also));
            }
        }
    }
}

/// A workflow command as GitHub reads it: its name, its properties, its message.
fn command(line: &str) -> (&str, Vec<(&str, String)>, String) {
    let unescaped = |text: &str, more: bool| {
        let mut text = text.replace("%0D", "\r").replace("%0A", "\n");
        if more {
            text = text.replace("%3A", ":").replace("%2C", ",");
        }
        text.replace("%25", "%")
    };
    let rest = line.strip_prefix("::").expect("a command");
    let (head, message) = rest.split_once("::").expect("a message");
    let (name, properties) = head.split_once(' ').expect("properties");
    let properties = properties.split(',').map(|property| {
        let (name, value) = property.split_once('=').expect("a value");
        (name, unescaped(value, true))
    });
    (name, properties.collect(), unescaped(message, false))
}

/// Compares workflow commands with the report as JSON.
#[track_caller]
fn compare_github(commands: &str, report: &Value) {
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(commands.lines().count(), findings.len(), "{commands}");
    for (line, finding) in commands.lines().zip(findings) {
        let (name, properties, message) = command(line);
        let level = match finding["severity"].as_str() {
            Some("note") => "notice",
            Some(severity) => severity,
            None => panic!("{finding}"),
        };
        assert_eq!(name, level);
        let property = |wanted: &str| {
            let mut all = properties.iter().filter(|(name, _)| *name == wanted);
            let value = all.next().map(|(_, value)| value.as_str());
            assert!(all.next().is_none(), "{line}");
            value
        };
        let title = format!("Tamis ({})", finding["code"].as_str().expect("a code"));
        assert_eq!(property("title"), Some(&*title));
        assert_eq!(property("file"), Some(file_of(finding, report)));
        let same = |wanted: &str, number: &Value| {
            let number = number.as_u64().map(|number| number.to_string());
            assert_eq!(property(wanted), number.as_deref(), "{line}");
        };
        same("line", &finding["line"]);
        same("col", &finding["column"]);
        if finding["line"] == finding["end_line"] {
            same("endColumn", &finding["end_column"]);
        }
        for part in ["message", "label", "help"] {
            let part = finding[part].as_str().unwrap_or_default();
            assert!(message.contains(part), "{part} is not in\n{message}");
        }
    }
}

#[test]
fn every_form_has_the_same_findings_at_the_same_places() {
    let mut findings = 0;
    for case in [cases("check"), cases("policy-errors")].concat() {
        if std::fs::read_to_string(case.join("filters.toml")).is_err() {
            // Not UTF-8: the offsets are those of a replacement.
            continue;
        }
        let folder = staged(&case);
        let folder = folder.path();
        let (report, run) = json(&["filters.toml", "--format", "json"], folder);
        let short = check(&["filters.toml", "--json"], folder);
        assert_eq!(run.stdout, short.stdout);
        let code = run.status.code();
        let (log, run) = json(&["filters.toml", "--format", "sarif"], folder);
        assert_eq!(run.status.code(), code);
        assert_eq!(
            log["runs"][0]["invocations"][0]["executionSuccessful"],
            true
        );
        compare_sarif(&log, &report, folder);
        let run = check(&["filters.toml", "--format", "github"], folder);
        assert_eq!(run.status.code(), code);
        compare_github(&text(&run.stdout), &report);
        findings += report["findings"].as_array().map_or(0, Vec::len);
    }
    assert!(findings >= 100, "only {findings} findings");
}

/// A link, a workflow command and a character outside of the basic plane, before and inside a mistake.
const HOSTILE: &str = "# \u{1f980}\n[[chain]]\nname = \"\u{1f980}\"\ntools = [\"\u{1f980}\u{1f980}\", \"[a](https://a.example)\\n::error::100 %\\u001b[1m\"]\nsteps = [\"ansi\", { filter = \"\u{1f980}{0}[a](https://a.example)\\r\\n::stop-commands::x\" }]\n";

#[test]
fn columns_are_right_after_an_emoji_and_no_text_becomes_a_command() {
    let folder = Folder::new();
    folder.write("filters.toml", HOSTILE);
    let (report, _) = json(&["filters.toml", "--json"], folder.path());
    let (log, _) = json(&["filters.toml", "--format", "sarif"], folder.path());
    compare_sarif_places(&log, &report);
    let messages = log["runs"][0]["results"].to_string();
    assert!(messages.contains("[a] (https://a.example)"), "{messages}");
    assert!(messages.contains("{ 0}"), "{messages}");
    assert!(!messages.contains("]("), "{messages}");
    let run = check(&["filters.toml", "--format", "github"], folder.path());
    let told = text(&run.stdout);
    let findings = report["findings"].as_array().expect("findings").len();
    assert_eq!(told.lines().count(), findings, "{told}");
    for line in told.lines() {
        let (name, ..) = command(line);
        assert!(matches!(name, "error" | "warning" | "notice"), "{line}");
    }
    assert!(told.contains("::stop-commands::x"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told:?}");
}

/// Compares only the marked texts.
#[track_caller]
fn compare_sarif_places(log: &Value, report: &Value) {
    let results = run_of(log)["results"].as_array().expect("results");
    let findings = report["findings"].as_array().expect("findings");
    assert!(!findings.is_empty());
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        let offset = |name: &str| finding[name].as_u64().expect("an offset") as usize;
        let place = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(
            region(HOSTILE, place),
            &HOSTILE[offset("start")..offset("end")]
        );
    }
}

#[test]
fn a_policy_without_findings_is_a_valid_report_in_every_form() {
    let folder = Folder::new();
    folder.write(
        "filters.toml",
        "[[chain]]\ntools = [\"a\"]\nsteps = [\"ansi\"]\n",
    );
    let arguments = |format| ["filters.toml", "--deny", "notes", "--format", format];
    let (log, run) = json(&arguments("sarif"), folder.path());
    run.succeeded();
    assert_eq!(run_of(&log)["results"], Value::Array(Vec::new()));
    let run = check(&arguments("github"), folder.path()).succeeded();
    assert_eq!(text(&run.stdout), "");
    let run = check(&arguments("text"), folder.path()).succeeded();
    assert_eq!(text(&run.stdout), "filters.toml: no errors\n");
}

#[test]
fn deny_and_allow_count_in_every_form() {
    let folder = Folder::new();
    folder.write("filters.toml", super::WARNED);
    for format in ["text", "json", "sarif", "github"] {
        let code = |more: &[&str]| {
            let all = [&["filters.toml", "--format", format], more].concat();
            check(&all, folder.path()).status.code()
        };
        assert_eq!(code(&[]), Some(0), "{format}");
        assert_eq!(code(&["--deny", "warnings"]), Some(1), "{format}");
        let allowed = ["--deny", "warnings", "--allow", "order-table-first"];
        assert_eq!(code(&allowed), Some(0), "{format}");
    }
    let allowed = ["--allow", "order-table-first", "--format", "github"];
    let run = check(&[&["filters.toml"], &allowed[..]].concat(), folder.path());
    assert!(!text(&run.stdout).contains("order-table-first"));
}

#[test]
fn a_file_that_cannot_be_read_is_a_finding_in_every_form() {
    let folder = Folder::new();
    let (log, run) = json(&["gone.toml", "--format", "sarif"], folder.path());
    assert_eq!(run.status.code(), Some(2), "{}", run.report());
    let it = run_of(&log);
    assert_eq!(it["invocations"][0]["executionSuccessful"], false);
    assert_eq!(it["results"][0]["ruleId"], "file-unreadable");
    let place = &it["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "gone.toml");
    assert_eq!(place["region"]["startLine"], 1);
    let run = check(&["gone.toml", "--format", "github"], folder.path());
    assert_eq!(run.status.code(), Some(2), "{}", run.report());
    let told = text(&run.stdout);
    let start = "::error file=gone.toml,title=Tamis (file-unreadable)::";
    assert!(told.starts_with(start), "{told}");
    // A syntax error, and a file that is not UTF-8, are ordinary findings.
    folder.write("odd.toml", b"a = 1\n\xff\xfe = 2\n");
    folder.write("syntax.toml", "[[chain]\n");
    for (file, code, line) in [
        ("odd.toml", "file-encoding", 2),
        ("syntax.toml", "syntax", 1),
    ] {
        let (log, run) = json(&[file, "--format", "sarif"], folder.path());
        assert_eq!(run.status.code(), Some(1), "{}", run.report());
        let result = &run_of(&log)["results"][0];
        assert_eq!(result["ruleId"], code);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], line);
    }
}

#[test]
fn paths_begin_at_the_working_directory() {
    let folder = Folder::new();
    let broken = "chian = 1\n";
    let inside = folder.write("project/a b,c/filters.toml", broken);
    let outside = folder.write("outside.toml", broken);
    let here = folder.path().join("project");
    let outside_path = outside.canonicalize().expect("a path");
    let outside_path = outside_path.to_str().expect("UTF-8");
    let uri = "a%20b%2Cc/filters.toml";
    for (named, expected, file) in [
        ("a b,c/filters.toml", uri.to_owned(), "a b%2Cc/filters.toml"),
        (
            "./a b,c/../a b,c/filters.toml",
            uri.to_owned(),
            "a b%2Cc/filters.toml",
        ),
        (
            inside.to_str().expect("UTF-8"),
            uri.to_owned(),
            "a b%2Cc/filters.toml",
        ),
        (
            "../outside.toml",
            format!("file://{outside_path}"),
            outside_path,
        ),
    ] {
        let (log, _) = json(&[named, "--format", "sarif"], &here);
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], *expected);
        let run = check(&[named, "--format", "github"], &here);
        let told = text(&run.stdout);
        let start = format!("::error file={file},line=1,col=1,endColumn=6,");
        assert!(told.starts_with(&start), "{told}");
    }
}

#[test]
fn json_and_format_together_are_refused() {
    let folder = Folder::new();
    for command in ["check", "test"] {
        let line = [super::TAMIS, command, "--json", "--format", "json"];
        let run = crate::support::Program::new(&line, folder.path()).run("");
        assert_eq!(run.status.code(), Some(2), "{}", run.report());
        let told = text(&run.stderr);
        assert!(
            told.contains("'--json'") && told.contains("'--format"),
            "{told}"
        );
    }
}
