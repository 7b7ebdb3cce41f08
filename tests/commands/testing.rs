//! `tamis test`: `[[test]]` tables and folders of cases.

mod in_service;
mod junit;

use crate::support::{COMPILED, Finished, Folder, Program, text};
use serde_json::Value;

const CHAIN: &str = r#"
[[chain]]
name = "trim"
tools = ["get_*"]
steps = ["null-stripper"]
"#;

fn tamis(folder: &Folder, arguments: &[&str]) -> Finished {
    let mut line = vec![env!("CARGO_BIN_EXE_tamis")];
    line.extend(arguments);
    Program::new(&line, folder.path())
        .env("TAMIS_CACHE_DIR", COMPILED)
        .run("")
}

/// Runs the tests of a policy, and checks the exit code.
#[track_caller]
fn test(folder: &Folder, policy: &str, options: &[&str], code: i32) -> Finished {
    folder.write("filters.toml", policy);
    let mut arguments = vec!["test", "filters.toml"];
    arguments.extend(options);
    let done = tamis(folder, &arguments);
    if done.status.code() != Some(code) {
        done.fail(&format!("it should have ended with {code}"));
    }
    done
}

#[track_caller]
fn assert_contains(done: &Finished, wanted: &[&str]) {
    let said = text(&done.stdout) + &text(&done.stderr);
    for wanted in wanted {
        if !said.contains(wanted) {
            done.fail(&format!("it should have said `{wanted}`"));
        }
    }
}

#[test]
fn tests_that_hold_pass() {
    let folder = Folder::new();
    folder.write("in.json", "{\"a\":null,\"b\":1}\n");
    folder.write("out.json", "{\"b\":1}\n");
    let policy = format!(
        r#"{CHAIN}
[[test]]
name = "by file"
tool = "get_it"
input-file = "in.json"
expect-file = "out.json"

[[test]]
chain = "trim"
input = '{{"a":null,"b":{{"c":null,"d":"\"quoted\""}}}}'
expect = '{{"b":{{"d":"\"quoted\""}}}}'
contains = ['"quoted"']
lacks = ["null"]
max-bytes = 27
max-tokens = 20
unchanged = false

[[test]]
name = "values of TOML are JSON"
chain = "trim"
tool = "get_it"
input = {{ success = true, list = [1, {{ hint = [] }}] }}
expect = {{ list = [1, {{ }}], success = true }}

[[test]]
name = "a whole result"
tool = "get_it"
input = {{ content = [{{ type = "text", text = '{{"a":null}}' }}] }}
expect = {{ content = [{{ type = "text", text = "{{}}" }}] }}

[[test]]
name = "other tools pass"
tool = "set_it"
input = '{{"a":null}}'
unchanged = true
"#
    );
    let done = test(&folder, &policy, &[], 0);
    assert_contains(
        &done,
        &[
            "running 5 tests of filters.toml\ntest by file ... ok (",
            "\ntest test 2 ... ok (",
            "\ntest result: ok. 5 passed; 0 failed\n",
        ],
    );
    let named = test(&folder, &policy, &["whole", "file"], 0);
    assert_contains(
        &named,
        &["running 2 tests", "2 passed; 0 failed; 3 filtered out"],
    );
}

#[test]
fn a_test_can_say_whether_clients_see_a_tool() {
    let folder = Folder::new();
    let policy = |delete: bool, get: bool| {
        format!(
            r#"{CHAIN}
[tool."delete_*"]
hidden = true

[[test]]
name = "of delete"
tool = "delete_file"
hidden = {delete}

[[test]]
name = "of get"
tool = "get_it"
hidden = {get}
input = '{{"a":null}}'
expect = '{{}}'
"#
        )
    };
    let done = test(&folder, &policy(true, false), &[], 0);
    assert_contains(
        &done,
        &["test of delete ... ok", "test of get ... ok", "2 passed"],
    );
    let done = test(&folder, &policy(false, true), &[], 1);
    assert_contains(
        &done,
        &[
            "test of delete ... FAILED",
            "test of get ... FAILED",
            "---- of delete ----\nfilters.toml:10",
            "`hidden = false`: [tamis] The tool `delete_file` is not available",
            "`hidden = true`: clients see the tool `get_it`",
            "0 passed; 2 failed",
        ],
    );
}

#[test]
fn a_failure_says_where_and_how() {
    let folder = Folder::new();
    let policy = format!(
        r#"{CHAIN}
[[test]]
name = "wrong"
tool = "get_it"
input = '{{"a":null,"b":[1,2],"c":"x"}}'
expect = '{{"b":[1,3],"c":"x"}}'
contains = ["hello"]
lacks = ["x"]
max-bytes = 3
"#
    );
    let done = test(&folder, &policy, &[], 1);
    assert_contains(
        &done,
        &[
            "test wrong ... FAILED",
            "filters.toml:7, chain `trim`\n",
            "(JSON on one line is broken into lines here",
            "      1,\n-     3\n+     2\n",
            "`contains`: \"hello\" is not in it",
            "`lacks`: \"x\" is in it",
            "it has 19 bytes (`max-bytes = 3`)",
            "steps: null-stripper edited",
            "test result: FAILED. 0 passed; 1 failed",
        ],
    );
    assert!(!done.stdout.contains(&0x1b), "colour is for terminals");
}

#[test]
fn a_step_that_fails_or_withholds_fails_a_test_without_an_expected_output() {
    let folder = Folder::new();
    // A memory limit in which no filter can start is refused; an input limit is not.
    let chain = |on_error: &str| {
        format!(
            "[[chain]]\nname = \"c\"\ntools = [\"*\"]\nsteps = [{{ filter = \"null-stripper\", limits = {{ input = \"1KiB\" }}, on-error = \"{on_error}\" }}]\n"
        )
    };
    let large = format!(r#"{{"a":null,"b":"{}"}}"#, "x".repeat(2000));
    let table = |expect: &str| format!("\n[[test]]\nchain = \"c\"\ninput = '{large}'\n{expect}\n");
    let policy = chain("pass") + &table("contains = [\"xxx\"]");
    let done = test(&folder, &policy, &[], 1);
    assert_contains(&done, &["filter `null-stripper` failed: "]);
    let policy = chain("block") + &table("lacks = [\"xxx\"]");
    let done = test(&folder, &policy, &[], 1);
    assert_contains(&done, &["it is withheld (`withheld = true` expects that)"]);
    let policy = chain("block") + &table("withheld = true\nlacks = [\"xxx\"]");
    test(&folder, &policy, &[], 0);
    let policy = chain("pass") + &table("withheld = true");
    let done = test(&folder, &policy, &[], 1);
    assert_contains(&done, &["it is not withheld"]);
}

#[test]
fn the_named_chain_has_to_be_the_tools() {
    let folder = Folder::new();
    let policy = format!(
        r#"{CHAIN}
[[chain]]
name = "late"
tools = ["get_all", "set_*"]
steps = ["null-stripper"]

[[test]]
chain = "late"
tool = "get_all"
input = '{{"a":null}}'
expect = "{{}}"
"#
    );
    let done = test(&folder, &policy, &[], 1);
    assert_contains(&done, &["`get_all` has the chain `trim`, not `late`"]);
}

#[test]
fn bless_writes_files_and_strings_and_nothing_else() {
    let folder = Folder::new();
    folder.write("in.txt", "\u{1b}[1mone\u{1b}[0m\ntwo\n");
    let policy = |expect: &str| {
        format!(
            r#"# a comment
[[chain]]
name = "trim"   # another
tools = ["*"]
steps = ["ansi", "null-stripper"]

[[test]]
name = "file"
tool = "t"
input-file = "in.txt"
expect-file = "new/out.txt"

[[test]]
name = "inline"
tool = "t"
input = "\u001b[1mone\u001b[0m\n'''two\n"
expect   =   {expect}   # stays

[[test]]
name = "a list"
tool = "t"
input = [1, {{ a = [] }}]
expect = [1]
"#
        )
    };
    let done = test(&folder, &policy("\"old\""), &["--bless"], 1);
    assert_contains(
        &done,
        &[
            "wrote new/out.txt\nwrote filters.toml\n",
            "test file ... blessed",
            "test inline ... blessed",
            "not written: `expect` is not a string",
            "1 failed; 2 blessed",
        ],
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(read("new/out.txt"), "one\ntwo\n");
    let written = read("filters.toml");
    let (before, rest) = written.split_once("expect   =   ").expect("the key");
    let (value, after) = rest.split_once("   # stays").expect("the comment");
    assert_eq!(
        format!("{before}expect   =   {{expect}}   # stays{after}"),
        policy("{expect}")
    );
    assert_ne!(value, "\"old\"");
    let done = tamis(
        &folder,
        &["test", "filters.toml", "--bless", "file", "inline"],
    )
    .succeeded();
    assert_contains(&done, &["2 passed; 0 failed; 1 filtered out"]);
    assert_eq!(read("filters.toml"), written);
}

#[test]
fn steps_that_no_test_exercises_are_reported() {
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

[[test]]
tool = "logs"
input = "\u001b[1mone\u001b[0m"
expect = "one"
"#
    );
    let done = test(&folder, &policy, &[], 0);
    assert_contains(
        &done,
        &[
            "no test exercises step 2 of chain `logs`",
            "filters.toml:12:14",
            "changes nothing in any test: it acts above 100 chars, and the document has 3",
            "2 passed; 0 failed; 1 steps untested",
        ],
    );
    test(&folder, &policy, &["--deny", "untested"], 1);
    let json = text(&test(&folder, &policy, &["--json"], 0).stdout);
    assert!(json.contains(r#""why":"it acts above 100 chars"#), "{json}");
    // Some tests cover no steps of other chains.
    test(&folder, &policy, &["--deny", "untested", "test 1"], 0);
}

#[test]
fn a_step_of_five_chains_is_tested_once() {
    let folder = Folder::new();
    let chain = |number: u32| {
        let steps = match number % 2 {
            0 => "\"tidy\"",
            _ => "{ filter = \"null-stripper\", depth = 2 }, \"ansi\"",
        };
        format!("[[chain]]\nname = \"c{number}\"\ntools = [\"t{number}\"]\nsteps = [{steps}]\n")
    };
    let list = "[steps]\ntidy = [{ filter = \"null-stripper\", depth = 2 }, \"ansi\"]\n";
    let chains = list.to_owned() + &(1..=5).map(chain).collect::<String>();
    let of = |tool: &str, input: &str| {
        format!("[[test]]\ntool = \"{tool}\"\ninput = '{input}'\nexpect = \"{{}}\"\n")
    };
    let stripped = of("t2", r#"{"a":null}"#);
    let tests =
        format!("{stripped}[[test]]\ntool = \"t5\"\ninput = \"\\u001b[1ma\"\nexpect = \"a\"\n");
    let done = test(
        &folder,
        &(chains.clone() + &tests),
        &["--deny", "untested"],
        0,
    );
    assert_contains(&done, &["2 passed; 0 failed\n"]);
    // A step without a test is one step, too.
    let done = test(
        &folder,
        &(chains.clone() + &stripped),
        &["--deny", "untested"],
        1,
    );
    assert_contains(
        &done,
        &["no test exercises step 2 of chain `c1`", "1 steps untested"],
    );
    // With another setting it is another step.
    let other = chains.replacen(
        "depth = 2 }, \"ansi\"]\n[[chain]]\nname = \"c2\"",
        "depth = 3 }, \"ansi\"]\n[[chain]]\nname = \"c2\"",
        1,
    );
    assert_ne!(other, chains);
    let done = test(&folder, &(other + &tests), &["--deny", "untested"], 1);
    assert_contains(
        &done,
        &["no test exercises step 1 of chain `c1`", "1 steps untested"],
    );
}

#[test]
fn why_a_step_left_all_documents_unchanged_is_said() {
    let folder = Folder::new();
    let policy = r#"
[[chain]]
name = "large"
tools = ["large"]
steps = [{ filter = "summary", above = "1000 chars" }]

[[test]]
tool = "large"
input = "some words"
unchanged = true

[[test]]
tool = "large"
input = "some more words"
unchanged = true

[[chain]]
name = "colours"
tools = ["colours"]
steps = ["ansi"]

[[test]]
tool = "colours"
input = "words without colours"
unchanged = true
"#;
    let small = "changes nothing in any test: it acts above 1000 chars, and the document has 15";
    let colours = "changes nothing in any test: none of its triggers occurs in the document";
    assert_contains(&test(&folder, policy, &[], 0), &[small, colours]);
    let deny = ["--deny", "untested", "--format", "junit"];
    assert_contains(&test(&folder, policy, &deny, 1), &[small, colours]);

    // Only the filter knows whether a document is large enough.
    let long = policy.replace("some more words", &"a word. ".repeat(200));
    let said = text(&test(&folder, &long, &[], 0).stdout);
    assert!(!said.contains("acts above"), "{said}");
    assert!(said.contains(colours), "{said}");

    folder.write("filters.toml", policy);
    folder.write("words.txt", "some words");
    let apply = ["apply", "-c", "filters.toml", "--explain", "words.txt"];
    for (tool, why) in [
        (
            "large",
            "summary: it acts above 1000 chars, and the document has 10",
        ),
        (
            "colours",
            "ansi: none of its triggers occurs in the document",
        ),
    ] {
        let done = tamis(&folder, &[&apply[..], &["--tool", tool]].concat()).succeeded();
        assert_contains(&done, &[why]);
    }
}

#[test]
fn machines_get_a_line_of_json_each() {
    let folder = Folder::new();
    let policy = format!(
        "{CHAIN}\n[[test]]\ntool = \"get_it\"\ninput = '{{\"a\":null}}'\nexpect = \"[]\"\n\n[[chain]]\ntools = [\"x\"]\nsteps = [\"ansi\"]\n"
    );
    let done = test(&folder, &policy, &["--json"], 1);
    let said = text(&done.stdout);
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let types: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
    assert_eq!(types, ["test", "untested", "summary"]);
    assert_eq!(lines[0]["status"], "failed");
    assert_eq!(lines[0]["line"], 7);
    assert_eq!(lines[0]["output"], "{}");
    assert_eq!(lines[0]["steps"][0]["outcome"], "edited");
    assert_eq!(lines[0]["failures"][0]["expected_in"], "`expect`");
    assert_eq!(lines[1]["filter"], "ansi");
    assert_eq!(lines[2]["failed"], 1);
    let named = test(&folder, &policy, &["--format", "json"], 1);
    assert_eq!(text(&named.stdout), said);
}

#[test]
fn folders_are_tests() {
    let folder = Folder::new();
    let policy = format!("{CHAIN}\n[tests]\nfolder = \"cases\"\n");
    folder.write("cases/group/one/input.json", "{\"a\":null}");
    folder.write("cases/group/one/expected.json", "{}");
    folder.write("cases/group/one/test.toml", "tool = \"get_it\"\n");
    folder.write("cases/two/input.txt", "{\"a\":null,\"b\":[]}");
    folder.write("cases/two/arguments.json", "{\"limit\": 3}");
    folder.write("cases/two/test.toml", "chain = \"trim\"\nmax-bytes = 2\n");
    folder.write("cases/own/input.json", "[{\"a\":null}]");
    folder.write("cases/own/expected.json", "[{\"a\":null}]");
    folder.write(
        "cases/own/filters.toml",
        "[[chain]]\ntools = [\"other\"]\nsteps = [\"null-stripper\"]\n",
    );
    let done = test(&folder, &policy, &[], 0);
    assert_contains(
        &done,
        &[
            "test group/one ... ok",
            "test two ... ok",
            "test own ... ok",
            "3 passed; 0 failed",
        ],
    );
    // Without an expected file, the output is written to one.
    std::fs::remove_file(folder.path().join("cases/group/one/expected.json")).expect("it is there");
    let done = test(&folder, &policy, &[], 1);
    assert_contains(&done, &["expected.json is missing: `--bless` writes it"]);
    let done = test(&folder, &policy, &["--bless"], 0);
    assert_contains(&done, &["wrote cases/group/one/expected.json"]);
    test(&folder, &policy, &[], 0);
    // A folder alone, with a policy from elsewhere.
    let done = tamis(
        &folder,
        &["test", "cases/group", "--config", "filters.toml"],
    )
    .succeeded();
    assert_contains(&done, &["test one ... ok"]);
    let done = tamis(&folder, &["test", "cases/group"]);
    assert_eq!(done.status.code(), Some(2));
    assert_contains(&done, &["has no filters.toml: name one with --config"]);
}

#[test]
fn what_is_broken_is_shown_at_its_place() {
    let folder = Folder::new();
    let table = |lines: &str| format!("{CHAIN}\n[[test]]\ntool = \"get_it\"\n{lines}\n");
    let policy = table("input-file = \"nowhere.json\"\nunchanged = true");
    let done = test(&folder, &policy, &[], 2);
    assert_contains(&done, &["nowhere.json does not exist", "filters.toml:9:14"]);
    // A proxy does not need the files of tests.
    let applied = tamis(
        &folder,
        &["apply", "-t", "other", "-c", "filters.toml", "filters.toml"],
    );
    applied.succeeded();
    let done = test(&folder, &table("input = \"x\"\nexpects = \"x\""), &[], 2);
    assert_contains(
        &done,
        &["unknown key `expects` in a test", "did you mean `expect`?"],
    );
    let policy = format!("{CHAIN}\n[tests]\nfolder = \"nowhere\"\n");
    let done = test(&folder, &policy, &[], 2);
    assert_contains(&done, &["no folder nowhere", "filters.toml:8:10"]);
    folder.write("cases/a/input.json", "{}");
    folder.write("cases/a/test.toml", "tool = \"get_it\"\nmax-byte = 3\n");
    let policy = format!("{CHAIN}\n[tests]\nfolder = \"cases\"\n");
    let done = test(&folder, &policy, &[], 2);
    assert_contains(&done, &["unknown key `max-byte`", "test.toml:2:1"]);
    let done = tamis(&folder, &["test", "missing.toml"]);
    assert_eq!(done.status.code(), Some(2));
    assert_contains(&done, &["no file or folder missing.toml"]);
}

#[test]
fn a_policy_without_tests_says_so() {
    let folder = Folder::new();
    let done = test(&folder, CHAIN, &[], 0);
    assert_contains(&done, &["no tests found"]);
    test(&folder, CHAIN, &["--deny", "untested"], 1);
}

#[test]
fn the_tests_of_the_examples_pass() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folder = Folder::new();
    let mut policies = 0;
    for entry in std::fs::read_dir(examples).expect("the examples") {
        let file = entry.expect("an example").path().join("filters.toml");
        if !file.exists() {
            continue;
        }
        policies += 1;
        let done = tamis(&folder, &["test", file.to_str().expect("UTF-8"), "--json"]).succeeded();
        let said = text(&done.stdout);
        let last = said.lines().last().unwrap_or_default();
        let summary: Value = serde_json::from_str(last).expect("a summary");
        if summary["passed"] == 0 || summary["untested_steps"] != 0 {
            done.fail("every step of an example has a test");
        }
    }
    assert!(policies >= 5, "only {policies} examples were found");
}
