//! `tamis test --format junit`, read by Python's own XML parser.

use super::{CHAIN, assert_contains, tamis, test};
use crate::support::{Finished, Folder, Program, text};
use serde_json::Value;

/// Prints the report on standard input as JSON: each element with its attributes, text and children.
const READER: &str = "
import json, sys
import xml.etree.ElementTree as tree
def shown(element):
    return {'tag': element.tag, 'text': element.text, **element.attrib, 'children': [shown(child) for child in element]}
print(json.dumps(shown(tree.fromstring(sys.stdin.buffer.read()))))
";

/// The report of a run: the root, whose totals match its suites and tests.
#[track_caller]
fn report(folder: &Folder, run: &Finished) -> Value {
    let reader = Program::new(&["python3", "-c", READER], folder.path());
    let read = reader.run(run.stdout.clone());
    if !read.status.success() {
        run.fail(&format!("not XML: {}", text(&read.stderr)));
    }
    let root: Value = serde_json::from_slice(&read.stdout).expect("JSON");
    assert_eq!(root["tag"], "testsuites");
    let number = |of: &Value, name: &str| -> f64 {
        let number = of[name].as_str().expect("an attribute");
        number.parse().expect("a number")
    };
    let with = |of: &Value, tag: &str| {
        let has = |test: &&Value| {
            let children = test["children"].as_array().expect("children");
            children.iter().any(|child| child["tag"] == tag)
        };
        tests(of).into_iter().filter(has).count() as f64
    };
    for suite in root["children"].as_array().expect("suites") {
        assert_eq!(suite["tag"], "testsuite");
        assert_eq!(number(suite, "tests"), tests(suite).len() as f64);
        assert_eq!(number(suite, "failures"), with(suite, "failure"));
        assert_eq!(number(suite, "errors"), with(suite, "error"));
        let times: f64 = tests(suite).iter().map(|test| number(test, "time")).sum();
        assert!((number(suite, "time") - times).abs() < 1e-3);
        for test in tests(suite) {
            assert_eq!(test["classname"], suite["name"]);
        }
    }
    for name in ["tests", "failures", "errors", "skipped"] {
        let suites = root["children"].as_array().expect("suites");
        let sum: f64 = suites.iter().map(|suite| number(suite, name)).sum();
        assert_eq!(number(&root, name), sum, "{name}");
    }
    root
}

/// The tests of a suite.
fn tests(suite: &Value) -> Vec<&Value> {
    let children = suite["children"].as_array().expect("children");
    let tests = children.iter().filter(|child| child["tag"] == "testcase");
    tests.collect()
}

#[test]
fn passed_and_failed_tests_are_cases() {
    let folder = Folder::new();
    let policy = format!(
        r#"{CHAIN}
[[test]]
name = "good"
tool = "get_it"
input = '{{"a":null}}'
expect = "{{}}"

[[test]]
name = "bad"
tool = "get_it"
input = '{{"a":null,"b":1}}'
expect = '{{"b":2}}'
lacks = ["b"]

[tests]
folder = "cases"
"#
    );
    folder.write("cases/group/one/input.json", "{\"a\":null}");
    folder.write("cases/group/one/expected.json", "{}");
    folder.write("cases/group/one/test.toml", "tool = \"get_it\"\n");
    folder.write("cases/own/input.json", "[]");
    folder.write(
        "cases/own/filters.toml",
        "[[chain]]\ntools = [\"tool\"]\nsteps = [\"null-stripper\"]\n",
    );
    let run = test(&folder, &policy, &["--format", "junit"], 1);
    assert_eq!(text(&run.stderr), "");
    let root = report(&folder, &run);
    assert_eq!(
        (&root["tests"], &root["failures"]),
        (&"4".into(), &"2".into())
    );
    let suite = &root["children"][0];
    assert_eq!(suite["name"], "filters.toml");
    let cases = tests(suite);
    let names: Vec<&Value> = cases.iter().map(|test| &test["name"]).collect();
    assert_eq!(names, ["good", "bad", "group/one"]);
    assert_eq!(cases[0]["children"], Value::Array(Vec::new()));
    assert_eq!(
        (&cases[1]["file"], &cases[1]["line"]),
        (&"filters.toml".into(), &"13".into())
    );
    assert_eq!(cases[2]["file"], "cases/group/one");
    assert_eq!(cases[2].get("line"), None);
    let failure = &cases[1]["children"][0];
    assert_eq!(
        failure["message"],
        "the output differs from the expected output; `lacks`: \"b\" is in it"
    );
    let told = failure["text"].as_str().expect("text");
    // The same as text for a person.
    let plain = test(&folder, &policy, &[], 1);
    assert_contains(&plain, &[told]);
    let other = &root["children"][1];
    assert_eq!(other["name"], "cases/own/filters.toml");
    assert_eq!(
        tests(other)[0]["children"][0]["message"],
        "the expected output is missing"
    );
}

#[test]
fn hostile_names_and_outputs_are_text() {
    let folder = Folder::new();
    let policy = format!(
        "{CHAIN}\n[[test]]\nname = \"<a b=\\\"c\\\">&amp; ]]> \u{1f980}\"\ntool = \"get_it\"\ninput = \"</failure><!-- & ]]> \\u0000\\u001b \\ufffe \\u202e\"\nexpect = \"x\"\n"
    );
    let run = test(&folder, &policy, &["--format", "junit"], 1);
    assert!(!run.stdout.contains(&0x1b), "{}", run.report());
    let root = report(&folder, &run);
    let case = tests(&root["children"][0])[0];
    assert_eq!(case["name"], "<a b=\"c\">&amp; ]]> \u{1f980}");
    let told = case["children"][0]["text"].as_str().expect("text");
    assert!(told.contains("</failure><!-- & ]]> "), "{told}");
    assert!(told.contains("- x"), "{told}");
}

#[test]
fn a_step_without_a_test_fails_if_it_is_denied() {
    let folder = Folder::new();
    let policy = format!(
        r#"{CHAIN}
[[chain]]
name = "logs"
tools = ["logs"]
steps = [
  "ansi",
  {{ filter = "truncate", limit = 100 }},
]

[[test]]
tool = "get_it"
input = '{{"a":null}}'
expect = "{{}}"
"#
    );
    let run = test(&folder, &policy, &["--format", "junit"], 0);
    let root = report(&folder, &run);
    assert_eq!(root["failures"], "0");
    let suite = &root["children"][0];
    let out = &suite["children"][1];
    assert_eq!(out["tag"], "system-out");
    let warnings = out["text"].as_str().expect("text");
    let wanted = "filters.toml:12: warning: no test exercises step 2 (`truncate`) of chain `logs`";
    assert!(warnings.contains(wanted), "{warnings}");

    let options = ["--format", "junit", "--deny", "untested"];
    let run = test(&folder, &policy, &options, 1);
    let root = report(&folder, &run);
    assert_eq!(
        (&root["tests"], &root["failures"]),
        (&"3".into(), &"2".into())
    );
    let step = tests(&root["children"][0])[2];
    assert_eq!(
        (&step["file"], &step["line"]),
        (&"filters.toml".into(), &"12".into())
    );
    assert_eq!(step["children"][0]["type"], "untested");
    assert_eq!(
        step["children"][0]["message"],
        "no test exercises step 2 (`truncate`) of chain `logs`"
    );
    // Without any test too, as the exit code shows.
    let run = test(&folder, CHAIN, &options, 1);
    assert_eq!(report(&folder, &run)["failures"], "1");
    let run = test(&folder, CHAIN, &["--format", "junit"], 0);
    assert_eq!(report(&folder, &run)["tests"], "0");
}

#[test]
fn what_is_broken_is_an_error_in_the_report_too() {
    let folder = Folder::new();
    let policy = format!(
        "{CHAIN}\n[[test]]\ntool = \"get_it\"\ninput = \"x\"\nexpect = \"x\"\nexpects = \"x\"\n"
    );
    let run = test(&folder, &policy, &["--format", "junit"], 2);
    assert_contains(&run, &["unknown key `expects` in a test"]);
    let root = report(&folder, &run);
    assert_eq!(
        (&root["tests"], &root["errors"]),
        (&"1".into(), &"1".into())
    );
    let case = tests(&root["children"][0])[0];
    assert_eq!(
        (&case["file"], &case["line"]),
        (&"filters.toml".into(), &"11".into())
    );
    let error = &case["children"][0];
    assert_eq!(error["message"], "unknown key `expects` in a test");
    assert_eq!(
        error["text"].as_str().expect("text").trim_end(),
        text(&run.stderr).trim_end()
    );
    let run = tamis(&folder, &["test", "gone.toml", "--format", "junit"]);
    assert_eq!(run.status.code(), Some(2));
    assert_contains(&run, &["no file or folder gone.toml"]);
}

#[test]
fn blessed_tests_passed() {
    let folder = Folder::new();
    let policy =
        format!("{CHAIN}\n[[test]]\ntool = \"get_it\"\ninput = '{{\"a\":null}}'\nexpect = \"x\"\n");
    let run = test(&folder, &policy, &["--format", "junit", "--bless"], 0);
    assert_eq!(text(&run.stderr), "wrote filters.toml\n");
    let root = report(&folder, &run);
    assert_eq!(
        (&root["tests"], &root["failures"]),
        (&"1".into(), &"0".into())
    );
}
