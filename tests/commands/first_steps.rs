//! The README's first steps, as a newcomer takes them: its commands are run by a shell, its blocks of TOML go
//! where it says, and its entry for an agent's configuration is what a client starts. And the guide's commands.

mod desk;

use std::path::Path;

use self::desk::{Desk, blocks, repository};
use crate::support::Running;
use serde_json::{Value, json};

#[test]
fn lead_to_a_real_server_behind_a_chain_and_a_test_of_ones_own() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("a README");
    let (_, section) = readme
        .split_once("\n## First steps\n")
        .expect("the section");
    let blocks = blocks(section.split("\n## ").next().unwrap_or_default());
    let languages: Vec<&str> = blocks.iter().map(|block| block.language.as_str()).collect();
    assert_eq!(languages, ["sh", "sh", "toml", "toml", "sh", "json"]);
    let [build, look, chain, test, check, entry] = [0, 1, 2, 3, 4, 5].map(|it| &blocks[it].text);
    let desk = Desk::new();

    // What was built is found by the name that all other commands use.
    let (make, path) = build.split_once('\n').expect("two commands");
    assert_eq!(make, "make build");
    let found = desk.shell(&format!("{path}command -v tamis"));
    let tamis = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    assert_eq!(Path::new(&tamis), desk.root().join("target/release/tamis"));
    let shell = |commands: &str| desk.shell(&format!("{path}{commands}"));

    let looked = shell(look);
    let said = String::from_utf8_lossy(&looked.stderr).into_owned();
    if !said.contains("written: first-steps/filters.toml, for 14 tools") {
        looked.fail("it should have written a policy for the tools of that server");
    }
    let file = desk.root().join("first-steps/filters.toml");
    let written = std::fs::read_to_string(&file).expect("the policy");

    // Where the README says.
    let mark = "# Chains of your own go here";
    let at = written
        .find(mark)
        .unwrap_or_else(|| panic!("no `{mark}` in\n{written}"));
    let at = at + written[at..].find('\n').expect("the end of the line") + 1;
    let (before, after) = written.split_at(at);
    let (after, _) = after.split_once("[[test]]").expect("a test");
    std::fs::write(&file, format!("{before}\n{chain}{after}{test}")).expect("write the policy");

    let checked = shell(check);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    if !said.contains("no errors") || !said.contains("1 passed; 0 failed") {
        checked.fail("the test should have passed");
    }
    let table = String::from_utf8_lossy(&checked.stderr).into_owned();
    if !table.contains("truncate") || !table.contains("% saved") {
        checked.fail("it should have shown what each step does");
    }

    // And what the agent's client starts.
    let entry = entry.replace("/path/to", desk.root().to_str().expect("Unicode"));
    let entry: Value = serde_json::from_str(&entry).expect("the entry is JSON");
    assert_eq!(entry["command"], "tamis");
    let mut line = vec![tamis.as_str()];
    line.extend(
        entry["args"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str),
    );
    let mut proxy = desk.program(&line).start();
    let client = json!({"name": "a newcomer's agent", "version": "1"});
    ask(
        &mut proxy,
        1,
        "initialize",
        &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
    );
    let call = json!({"name": "read_text_file", "arguments": {"path": "Cargo.lock"}});
    let result = ask(&mut proxy, 2, "tools/call", &call);
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("[[package]]") && text.contains("[truncated]"),
        "{result}"
    );
    proxy.finish().succeeded();
}

/// The result of a request.
fn ask(proxy: &mut Running, id: u64, method: &str, params: &Value) -> Value {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    proxy.send(format!("{request}\n"));
    loop {
        let line = proxy.receive_line();
        match serde_json::from_slice::<Value>(&line) {
            Ok(mut answer) if answer["id"] == id => return answer["result"].take(),
            Ok(_) => {}
            Err(error) => proxy.fail(&format!("{error} in what answers {method}")),
        }
    }
}

/// Commands that ask are answered with yes.
const ANSWERED: &str = r#"
tamis() {
    case " $* " in
    *" --dry-run "* | *" --list "*) command tamis "$@" ;;
    " install "* | " uninstall "* | " trust "*) command tamis "$@" --yes ;;
    *) command tamis "$@" ;;
    esac
}
"#;

#[test]
fn the_guides_commands_run_one_after_the_other() {
    let guide = std::fs::read_to_string(repository().join("docs/guide.md")).expect("the guide");
    let desk = Desk::new();
    let entry = r#"{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}}}"#;
    let configuration = desk.folder.write(".cursor/mcp.json", entry);
    let mut ran = 0;
    for block in blocks(&guide).iter().filter(|block| block.language == "sh") {
        let path = "PATH=$PWD/target/release:$PATH";
        desk.shell(&format!("{path}\n{ANSWERED}{}", block.text));
        ran += block
            .text
            .lines()
            .filter(|line| line.contains("tamis "))
            .count();
    }
    assert!(ran >= 15, "only {ran} commands were found");
    let after = std::fs::read_to_string(configuration).expect("the configuration");
    assert_eq!(after, entry, "what was installed was uninstalled");
    assert!(desk.root().join("filters.lock").exists());
}

#[test]
fn commands_in_the_guides_prose_are_commands() {
    let guide = std::fs::read_to_string(repository().join("docs/guide.md")).expect("the guide");
    let desk = Desk::new();
    let mut seen = 0;
    for span in guide
        .split('`')
        .filter(|span| span.starts_with("tamis ") && !span.contains('\n'))
    {
        let mut words = span.split_whitespace().skip(1);
        let command = words.next().expect("a command");
        let help = desk.shell(&format!("target/release/tamis {command} --help"));
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        for option in words.filter(|word| word.starts_with("--") && *word != "--") {
            assert!(help.contains(option), "`{span}`: no {option} in\n{help}");
        }
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} commands were found");
}

#[test]
fn links_in_the_guide_and_the_first_steps_lead_somewhere() {
    for page in ["docs/guide.md", "README.md"] {
        let path = repository().join(page);
        let text = std::fs::read_to_string(&path).expect("a page");
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if link.contains("://") {
                continue;
            }
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.with_file_name(file),
            };
            assert!(target.exists(), "{page}: {link}");
            if !place.is_empty() {
                let text = std::fs::read_to_string(&target).expect("a page");
                let found = text
                    .lines()
                    .any(|line| anchor(line).as_deref() == Some(place));
                assert!(found, "{page}: no heading for {link}");
            }
        }
    }
}

/// What a heading is called in links.
fn anchor(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let kept: String = heading.chars().filter(is_kept).collect();
    Some(kept.to_lowercase().replace(' ', "-"))
}
