//! Hostile servers and configurations: their text stays text, and has bounds.

use super::clients::{Desk, entry};
use super::*;

/// Text that must not reach a terminal, nor have an effect in TOML.
const HOSTILE: &str =
    "\u{1b}[2Jgone\u{202e}\"\"\"\n[[plugin]]\nname = \"x\"\r\n# '''\u{7}\\\u{e0041}";

/// Fails if a text has characters that control a terminal.
#[track_caller]
fn is_plain(text: &str) {
    let is_odd = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{e0041}".contains(c);
    assert!(!text.contains(is_odd), "{text:?}");
}

#[test]
fn names_and_descriptions_stay_text() {
    let desk = Desk::new();
    let stage = Stage::new("");
    let tools = json!([
        {"name": HOSTILE, "description": HOSTILE},
        {"name": "a\"]\nsteps = []", "description": "\"\"\"\n\n# \u{2028}[[chain]]"},
        {"name": "plain", "description": "one\u{85}[[chain]]"},
        {"name": "*"},
        {"name": "!plain"},
        {"name": "n".repeat(100_000), "description": "d".repeat(100_000)},
    ]);
    let line = script(&stage, &tools);
    stage.answers(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": HOSTILE, "version": HOSTILE}})
        .to_string(),
    );
    let line: Vec<String> = line
        .into_iter()
        .map(|it| it.into_string().expect("Unicode"))
        .collect();
    let other = desk.server(&[("plain", "")]);
    let long = "s".repeat(100_000);
    desk.cursor(
        &json!({HOSTILE: entry(&line), "*": entry(&other), long.clone(): entry(&other),
        "gone\u{1b}]0;x\u{7}": {"command": "no-such\u{1b}[2J"}}),
    );
    for options in [&["--force"][..], &["--merge", "-o", "merged.toml"]] {
        if options.contains(&"--merge") {
            desk.folder.write("work/merged.toml", "# ours\n");
        }
        let mut words = vec!["init", "--client", "cursor"];
        words.extend(options);
        let done = desk.tamis(&words);
        ended(&done, 1, &["4 servers", "[1/4] asking \\u{1b}[2Jgone"]);
        is_plain(&(text(&done.stdout) + &text(&done.stderr)));
        assert!(done.stderr.len() < 20_000, "{}", text(&done.stderr));
        let file = options.last().filter(|it| it.ends_with("toml"));
        let file = file.copied().unwrap_or("filters.toml");
        let policy = read(&desk.work().join(file));
        is_plain(&policy);
        assert!(policy.len() < 100_000);
        ended(&desk.tamis(&["check", file]), 0, &["no errors"]);
        let tools = desk.tamis(&["tools", "-c", file, "--json", "--", "true"]);
        assert_ne!(tools.status.code(), None);
    }
    let json = desk.tamis(&["init", "--client", "cursor", "--force", "--json"]);
    let report: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(report["servers"][0]["name"], HOSTILE);
    is_plain(&text(&json.stdout));
}

#[test]
fn ten_thousand_tools_are_one_chain() {
    let desk = Desk::new();
    let names: Vec<String> = (0..10_000)
        .map(|it| format!("tool_{it:05}_{}", "x".repeat(100)))
        .collect();
    let stage = Stage::new("");
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "description": name}))
        .collect();
    let line = script(&stage, &Value::from(tools));
    let line: Vec<String> = line
        .into_iter()
        .map(|it| it.into_string().expect("Unicode"))
        .collect();
    desk.cursor(&json!({"many": entry(&line)}));
    ended(
        &desk.tamis(&["init", "--client", "cursor"]),
        0,
        &["for 10000 tools"],
    );
    assert!(desk.policy().contains("#   and 9500 more\n"));
    desk.is_sound(0);

    desk.folder.write("work/filters.toml", "");
    ended(
        &desk.tamis(&["init", "--client=cursor", "--merge"]),
        0,
        &["1 chain and 0 tests"],
    );
    let policy = desk.policy();
    assert!(
        policy.contains("servers = [\"many\"]\ntools = [\"*\"]\n"),
        "{policy}"
    );
    desk.is_sound(0);
    // A list of all names would be too long to read.
    desk.folder.write("work/filters.toml", "");
    let mut words = vec!["init", "--merge", "--"];
    words.extend(line.iter().map(String::as_str));
    ended(
        &desk.tamis(&words),
        2,
        &["10000 tools have no chain in this file", "--server NAME"],
    );
    assert_eq!(desk.policy(), "");
}

#[test]
fn a_list_without_an_end_is_left_out() {
    let desk = Desk::new();
    let endless = r#"while IFS= read -r line; do
        case $line in *'"id":'*) ;; *) continue ;; esac
        id=${line#*'"id":'} id=${id%%,*}
        case $line in
            *initialize*) printf '{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{}}}\n' "$id" ;;
            *) n=$((n + 1)); printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t%s"}],"nextCursor":"%s"}}\n' "$id" "$n" "$n" ;;
        esac
    done"#;
    let works = desk.server(&[("read", "")]);
    let stage = Stage::new("");
    let tool = |index: usize| json!({"name": index.to_string()});
    let listed: Vec<Value> = (0..=20_000).map(tool).collect();
    let many = script(&stage, &Value::from(listed));
    let many: Vec<String> = many
        .into_iter()
        .map(|it| it.into_string().expect("Unicode"))
        .collect();
    desk.cursor(&json!({
        "many": entry(&many),
        "endless": {"command": "sh", "args": ["-c", endless]},
        "works": entry(&works),
    }));
    let done = desk.tamis(&["init", "--client", "cursor"]);
    ended(
        &done,
        1,
        &[
            "many (Cursor) is left out: the server's list has more than 20000 tools",
            "endless (Cursor) is left out: the server's list of tools has no end",
            "for 1 tool",
        ],
    );
}
