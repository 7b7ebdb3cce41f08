//! Text of others is shown literally: no terminal obeys it, and every character is visible.

use super::{Home, text};
use serde_json::json;

/// Direction, lines, a tag, no width, escapes of one and of two bytes.
const TRICKS: &str =
    "\u{202e}\u{2066}\u{2028}\u{2029}\u{85}\u{9b}31m\u{e0041}\u{200b}\u{feff}\u{1b}[8m";

/// A character that a terminal obeys or does not show, other than line feeds and tabs.
fn hidden(shown: &str) -> Option<char> {
    shown.chars().find(|&c| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    })
}

#[track_caller]
fn is_clean(run: &super::Finished, line: &str) {
    for shown in [text(&run.stdout), text(&run.stderr)] {
        if let Some(character) = hidden(&shown) {
            run.fail(&format!("{line}: {:?} is in {shown:?}", character));
        }
    }
}

/// A server whose names and texts consist of tricks.
fn server() -> String {
    let list = json!({"tools": [{"name": format!("t{TRICKS}"), "description": TRICKS, "inputSchema": {"type": "object", "properties": {TRICKS: {"type": "string"}}}, "annotations": {"readOnlyHint": true}}]});
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": TRICKS, "version": TRICKS}, "instructions": TRICKS});
    let result = json!({"content": [{"type": "text", "text": format!("{{\"a\":null,\"{TRICKS}\":[1,2,3]}}")}]});
    format!(
        r#"
while IFS= read -r line; do
    case $line in *'"id":'*) ;; *) continue ;; esac
    id=${{line#*'"id":'}} id=${{id%%,*}}
    case $line in
        *'"initialize"'*) result='{greeting}' ;;
        *'"tools/list"'*) result='{list}' ;;
        *) result='{result}' ;;
    esac
    printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}}"
done
"#
    )
}

#[test]
fn a_policys_words_are_shown_by_every_command() {
    let home = Home::new();
    // In TOML's spelling: a file may also contain it directly.
    let escapes: String = TRICKS
        .chars()
        .map(|c| format!("\\U{:08X}", u32::from(c)))
        .collect();
    let raw: String = TRICKS.chars().filter(|c| !c.is_control()).collect();
    let policy = format!(
        "# {raw}\n[[chain]]\nname = \"{raw}\"\ntools = [\"t*\"]\nsteps = [{{ filter = \"truncate\", limit = 50, marker = \"{escapes}\" }}, \"null-stripper\"]\n[tool.\"{raw}\"]\nhidden = true\n[session]\nlimit-text = \"{escapes}\"\ncalls = 2\n[[test]]\nname = \"{raw}\"\ntool = \"t\"\ninput = \"{escapes}\"\nexpect = \"{raw} other\"\n"
    );
    let name = "home/project/filters.toml";
    home.write(name, &policy);
    let input = home.write("home/project/input", format!("{{\"{raw}\":null}}"));
    let input = input.to_str().expect("Unicode");
    for line in [
        &["trust", "--yes"][..],
        &["trust", "--list"],
        &["check", "filters.toml"],
        &["check", "--json", "filters.toml"],
        &["explain", "t", "--config", "filters.toml"],
        &["explain", "t", "--json", "--config", "filters.toml"],
        &["explain", "t", "--config", "filters.toml", "--input", input],
        &["test", "filters.toml"],
        &["test", "--json", "filters.toml"],
        &["lock", "filters.toml"],
        &[
            "apply",
            "--log",
            "debug",
            "--explain",
            "--json",
            "--tool",
            "t",
            input,
        ],
    ] {
        let run = home.tamis(line);
        is_clean(&run, &line.join(" "));
    }
    // And in errors that cite it.
    for broken in [
        format!("[[chain]]\nname = \"{raw}\"\ntools = [\"{raw}\"]\nsteps = [\"{raw}\"]\n"),
        format!(
            "[[chain]]\ntools = [\"*\"]\nsteps = [{{ filter = \"truncate\", \"{raw}\" = \"{raw}\" }}]\n"
        ),
        format!("\"{raw}\" = 1\n{raw}\n"),
    ] {
        home.write(name, broken);
        for line in [
            &["check", "filters.toml"][..],
            &["check", "--json", "filters.toml"],
            &["apply", "--config", "filters.toml", "--tool", "t", input],
            &[
                "apply",
                "--log-json",
                "--config",
                "filters.toml",
                "--tool",
                "t",
                input,
            ],
            &["trust", "--yes"],
            &["lock"],
        ] {
            is_clean(&home.tamis(line), &line.join(" "));
        }
    }
}

#[test]
fn a_servers_words_are_shown_by_every_command() {
    let home = Home::new();
    let server = server();
    let policy = "[[chain]]\nname = \"c\"\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n";
    home.write("home/project/filters.toml", policy);
    let line = [
        "run",
        "--config",
        "filters.toml",
        "--record",
        "calls",
        "--log",
        "debug",
        "--server",
        TRICKS,
        "--",
        "sh",
        "-c",
        &server,
    ];
    let mut client = crate::support::mcp::Client::of(home.program("home/project", &line));
    client.greet(TRICKS);
    client.ask("tools/list", &json!({}));
    client.call(&format!("t{TRICKS}"), &json!({TRICKS: TRICKS}));
    let run = client.finish().succeeded();
    if let Some(character) = hidden(&text(&run.stderr)) {
        run.fail(&format!("{character:?} is in the log"));
    }
    let tool = format!("t{TRICKS}");
    for line in [
        &["stats"][..],
        &["stats", "--json"],
        &["stats", "--by", "tool"],
        &["stats", "--by", "client"],
        &["read"],
        &["read", "--json"],
        &["replay", "calls", "--config", "filters.toml", "--list"],
        &["replay", "calls", "--config", "filters.toml", "--json"],
        &[
            "replay",
            "calls",
            "--config",
            "filters.toml",
            "--show",
            &tool,
        ],
        &[
            "init",
            "--call",
            "-o",
            "made/filters.toml",
            "--",
            "sh",
            "-c",
            &server,
        ],
        &[
            "init",
            "--json",
            "--call",
            "-o",
            "made2/filters.toml",
            "--",
            "sh",
            "-c",
            &server,
        ],
        &["run", "--", &tool],
        &["explain", &tool, "--config", "filters.toml"],
        &["apply", "--config", &tool, "--tool", "t"],
    ] {
        is_clean(&home.tamis(line), &line.join(" "));
    }
}
