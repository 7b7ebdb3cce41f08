//! Text of files is shown exactly or not at all, so that an edit that copies from it succeeds.

use super::{claude, shell, tamis_with};
use crate::support::Folder;
use serde_json::{Value, json};

/// Steps that would change any of these texts.
const CHANGING: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"ansi\", \"unwrap\", \"yaml\", \"summary\", \"row-encoder\", \"paths\"]\n";

/// The answer's output and the note beside it; none if the hook writes nothing.
fn answer(policy: &str, folder: &Folder, event: &Value) -> Option<(Value, Option<String>)> {
    let done = tamis_with(policy, folder, &["hook"], event.to_string().as_bytes()).succeeded();
    if done.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let output = &answer["hookSpecificOutput"];
    let note = output["additionalContext"].as_str().map(str::to_owned);
    Some((output["updatedToolOutput"].clone(), note))
}

/// The part of a command's output that the model sees.
fn shown(folder: &Folder, command: &str, output: &str) -> String {
    let response = json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false});
    let event = claude("Bash", &json!({"command": command}), &response);
    match answer(CHANGING, folder, &event) {
        Some((updated, _)) => updated["stdout"].as_str().expect("a text").to_owned(),
        None => output.to_owned(),
    }
}

fn read_event(content: &str, start: usize) -> Value {
    let response = json!({"type": "text", "file": {
        "filePath": "/home/dev/app/a.rs", "content": content,
        "numLines": content.split('\n').count(), "startLine": start, "totalLines": 4002,
    }});
    claude(
        "Read",
        &json!({"file_path": "/home/dev/app/a.rs"}),
        &response,
    )
}

/// Source with content that filters change: JSON, colours, paths, YAML, runs of white space.
fn source(lines: usize) -> String {
    let line = |n: usize| match n % 6 {
        0 => format!("pub fn step_{n}() {{   // \u{1b}[31mred\u{1b}[0m\n"),
        1 => format!("\tlet a_{n} = r#\"{{\"id\": {n}, \"none\": null}}\"#;\n"),
        2 => format!("    open(\"src/app/models/file_{n}.rs\");  \n"),
        3 => format!("    - name: step {n}\n"),
        4 => "\n".to_owned(),
        _ => format!("}} // \u{e4} {n}\n"),
    };
    (0..lines).map(line).collect()
}

fn rows(count: usize) -> String {
    let rows: Vec<Value> = (0..count)
        .map(|n| json!({"id": n, "name": format!("ember-{n}"), "labels": [], "assignee": null}))
        .collect();
    serde_json::to_string_pretty(&rows).expect("JSON") + "\n"
}

/// The first call of the read command in a text.
fn call_in(text: &str) -> &str {
    let end = text.find("}'").expect("a call") + 2;
    text[..end].rsplit(": ").next().expect("a call")
}

/// Replaces a text of the file that was copied from `seen`. The text must be unique.
fn edit(file: &str, seen: &str, from: &str, to: &str) {
    let start = seen.find(from).expect("the first line is shown");
    let end = seen[start..].find(to).expect("the last line is shown") + start + to.len();
    let old = &seen[start..end];
    assert!(old.lines().count() > 3, "{old}");
    assert_eq!(
        file.matches(old).count(),
        1,
        "the edit does not hold: {old}"
    );
}

#[test]
fn five_edits_that_copy_from_a_read_hold() {
    let folder = Folder::new();
    // A small file stays unchanged.
    let small = source(80);
    edit(
        &small,
        &shown(&folder, "cat src/a.rs", &small),
        "pub fn step_6(",
        "// \u{e4} 17\n",
    );
    // Lines of a small table.
    let table = rows(40);
    let some: String = table.split_inclusive('\n').take(120).collect();
    let seen = shown(&folder, "cd app && sed -n '1,120p' data.json", &some);
    edit(&table, &seen, "    \"id\": 3,", "    \"name\": \"ember-5\"");
    // The beginning of a large file.
    let large = source(1200);
    let seen = shown(&folder, "LC_ALL=C cat src/large.rs | head -n 1200", &large);
    assert!(seen.len() < large.len() / 4, "{seen}");
    edit(&large, &seen, "pub fn step_6(", "// \u{e4} 17\n");
    // Omitted lines, read by the call that the outline names.
    let call = call_in(&seen);
    let rest = shell(&folder, call);
    edit(&large, &rest, "pub fn step_600(", "// \u{e4} 611\n");
    // The tool that reads files.
    let (output, note) = answer(CHANGING, &folder, &read_event(&large, 1)).expect("an outline");
    let content = output["file"]["content"].as_str().expect("a text");
    edit(&large, content, "pub fn step_6(", "// \u{e4} 17\n");
    assert!(note.is_some());
}

#[test]
fn a_large_file_is_numbered_as_the_file() {
    let folder = Folder::new();
    let large = source(1200);
    for start in [1, 500] {
        let event = read_event(&large, start);
        let (output, note) = answer(CHANGING, &folder, &event).expect("an outline");
        let file = &output["file"];
        let content = file["content"].as_str().expect("a text");
        assert!(large.starts_with(content) && large[content.len()..].starts_with('\n'));
        let count = content.lines().count();
        assert_eq!(file["numLines"], count);
        assert_eq!(file["startLine"], start);
        let note = note.expect("a note");
        let (shown, next, last) = (start + count - 1, start + count, start + 1199);
        for said in [
            format!("Lines {start}-{shown} of this read are shown"),
            format!("lines {next}-{last} are left out"),
            format!("offset {next} "),
        ] {
            assert!(note.contains(&said), "{said}: {note}");
        }
        let call = call_in(&note);
        let left_out: String = large.split_inclusive('\n').skip(count).collect();
        assert!(shell(&folder, call).contains(left_out.trim_end()), "{call}");
    }
    // A small file stays unchanged, and so does one whose first line is too long to show.
    for content in [source(60), format!("{}\nx\n", "x y ".repeat(20_000))] {
        assert_eq!(answer(CHANGING, &folder, &read_event(&content, 1)), None);
    }
}

#[test]
fn an_outline_says_which_lines_it_shows() {
    let folder = Folder::new();
    let large = rows(700);
    let lines: Vec<&str> = large.split_inclusive('\n').collect();
    let seen = shown(&folder, "cat data.json", &large);
    let count = lines.len();
    assert!(
        seen.starts_with(&format!("[tamis] This output has {count} lines.")),
        "{seen}"
    );
    let (_, rest) = seen
        .split_once("[tamis] Lines 1-")
        .expect("the first lines");
    let (head, rest) = rest.split_once(":\n").expect("a line break");
    let head: usize = head.parse().expect("a number");
    let (first, rest) = rest.split_once("[tamis] Lines ").expect("the last lines");
    assert_eq!(first, lines[..head].concat());
    let (tail, last) = rest.split_once(&format!("-{count}:\n")).expect("the end");
    let tail: usize = tail.parse().expect("a number");
    assert_eq!(last, lines[tail - 1..].concat());
    assert!(
        seen.contains(&format!(" Lines {}-{} are left out", head + 1, tail - 1)),
        "{seen}"
    );
    let call = call_in(&seen);
    assert!(
        shell(&folder, call).contains(lines[head..tail - 1].concat().trim_end()),
        "{call}"
    );
}

#[test]
fn outputs_of_other_commands_are_filtered() {
    let folder = Folder::new();
    let large = rows(700);
    for command in [
        "make",
        "curl -s https://example.com/a.json",
        "kubectl get pods -o json",
    ] {
        let seen = shown(&folder, command, &large);
        assert!(seen.starts_with("Summary of "), "{command}: {seen}");
    }
    for command in [
        "git diff",
        "bash -c 'cat a'",
        "make && nl -ba a",
        "cat <<E\nE",
        "./x a.json",
    ] {
        let seen = shown(&folder, command, &large);
        assert!(
            seen.starts_with("[tamis] This output has "),
            "{command}: {seen}"
        );
        assert_eq!(
            shown(&folder, command, &source(60)),
            source(60),
            "{command}"
        );
    }
}

#[test]
fn an_original_that_is_read_back_is_not_filtered_again() {
    let folder = Folder::new();
    let large = rows(700);
    let call = r#"tamis read '{"ref":"fl3zeusg3y6ua7uu","lines":"1-2000"}'"#;
    assert_eq!(shown(&folder, call, &large), large);
    let response =
        json!({"filePath": "a", "originalFile": large, "oldString": "a", "newString": "b"});
    let event = claude("Edit", &json!({"file_path": "a"}), &response);
    assert_eq!(answer(CHANGING, &folder, &event), None);
}

#[test]
fn a_policy_that_cuts_nothing_or_hides_something_has_its_way_with_files() {
    let folder = Folder::new();
    let large = source(1200);
    let response = json!({"stdout": large, "stderr": ""});
    let event = claude("Bash", &json!({"command": "cat a"}), &response);
    let plain = "[[chain]]\ntools = [\"*\"]\nsteps = [\"ansi\"]\n";
    assert_eq!(answer(plain, &folder, &event), None);
    let hiding =
        "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"ansi\", on-error = \"block\" }]\n";
    let (output, _) = answer(hiding, &folder, &event).expect("it is filtered");
    let text = output["stdout"].as_str().expect("a text");
    assert!(
        !text.contains('\u{1b}') && text.contains("step_1194"),
        "{text}"
    );
}

#[test]
fn a_large_saved_file_is_outlined_by_its_own_lines() {
    let folder = Folder::new();
    let large = rows(5000);
    let path = folder.write("b9on81pwz.txt", &large);
    let response = json!({"stdout": &large[..30_000], "stderr": "", "persistedOutputPath": path, "persistedOutputSize": large.len()});
    let event = claude("Bash", &json!({"command": "cat data.json"}), &response);
    let (output, _) = answer(CHANGING, &folder, &event).expect("an outline");
    let text = output["stdout"].as_str().expect("a text");
    let count = large.lines().count();
    assert!(
        text.starts_with(&format!("[tamis] This output has {count} lines.")),
        "{text}"
    );
    assert!(
        text.len() < 3000,
        "the agent itself shows 2,000 characters: {text}"
    );
}
