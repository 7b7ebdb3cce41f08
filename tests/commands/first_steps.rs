//! The README and the first steps, as a newcomer follows them: a shell runs their commands, their blocks of TOML go
//! into the named files, and a client starts the entry for its configuration. Also the commands of the guide, and the
//! links of all pages.

mod desk;

use std::path::Path;

use self::desk::{Desk, blocks};
use crate::support::{Running, repository};
use serde_json::{Value, json};

#[test]
fn lead_to_a_real_server_behind_a_chain_and_a_test_of_ones_own() {
    let blocks = blocks(&page("docs/first-steps.md"));
    let languages: Vec<&str> = blocks.iter().map(|block| block.language.as_str()).collect();
    assert_eq!(languages, ["sh", "sh", "toml", "toml", "sh", "json"]);
    let [build, look, chain, test, check, entry] = [0, 1, 2, 3, 4, 5].map(|it| &blocks[it].text);
    let desk = Desk::new();

    // The built program is found by the name in all other commands.
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

    // At the place that the page names.
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

    // The agent's client starts this entry.
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

#[test]
fn the_readmes_before_becomes_its_after() {
    let blocks = blocks(&page("README.md"));
    let [before, after] = ["json", "text"].map(|language| {
        let block = blocks.iter().find(|block| block.language == language);
        block.expect("a block").text.trim_end().to_owned()
    });
    let desk = Desk::new();
    let file = desk.folder.write("before.json", &before);
    let applied = desk.shell(&format!(
        "target/release/tamis apply -t get_orders {}",
        file.display()
    ));
    let shown = String::from_utf8_lossy(&applied.stdout).into_owned();
    if shown.trim_end() != after {
        applied.fail(&format!("the README shows\n{after}"));
    }
    let readme = page("README.md");
    assert!(readme.contains(&format!("A server sends {} bytes:", before.len())));
    assert!(readme.contains(&format!("The model reads {} bytes", after.len())));
}

#[test]
fn the_readmes_quick_start_wraps_the_servers_of_a_client() {
    let quick_start = page("README.md");
    let (_, quick_start) = quick_start
        .split_once("\n## Quick start\n")
        .expect("the section");
    let block = blocks(quick_start).swap_remove(0);
    assert_eq!(block.language, "sh");
    assert_eq!(block.text.lines().count(), 3, "{}", block.text);
    let commands = block.text.strip_prefix("make build\n");
    let commands = commands.expect("the first command builds");
    let desk = Desk::new();
    let configuration = desk.folder.write(".cursor/mcp.json", ENTRY);
    desk.shell(&format!("{ANSWERED}{commands}"));
    let wrapped = std::fs::read_to_string(configuration).expect("the configuration");
    let wrapped: Value = serde_json::from_str(&wrapped).expect("JSON");
    assert_eq!(wrapped["mcpServers"]["files"]["args"][0], "run");
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

/// A client's configuration with one server.
const ENTRY: &str = r#"{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}}}"#;

/// Answers yes to commands that ask.
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
    let guide = page("docs/guide.md");
    let desk = Desk::new();
    let configuration = desk.folder.write(".cursor/mcp.json", ENTRY);
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
    assert_eq!(after, ENTRY, "what was installed was uninstalled");
    assert!(desk.root().join("filters.lock").exists());
}

#[test]
fn commands_in_the_guides_prose_are_commands() {
    let guide = page("docs/guide.md");
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
fn links_in_every_page_lead_somewhere() {
    let mut pages: Vec<String> = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "ARCHITECTURE.md",
    ]
    .map(str::to_owned)
    .to_vec();
    for entry in std::fs::read_dir(repository().join("docs")).expect("the pages") {
        let name = entry.expect("an entry").file_name();
        let name = name.into_string().expect("Unicode");
        pages.extend(name.ends_with(".md").then(|| format!("docs/{name}")));
    }
    assert!(pages.len() >= 15, "only {} pages", pages.len());
    for page in &pages {
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

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The anchor of a heading in links.
fn anchor(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let kept: String = heading.chars().filter(is_kept).collect();
    Some(kept.to_lowercase().replace(' ', "-"))
}
