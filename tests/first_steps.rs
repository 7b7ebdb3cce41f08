//! The README's first steps, as a newcomer takes them: its commands are run by a shell, its blocks of TOML go
//! where it says, and its entry for an agent's configuration is what a client starts.

#[path = "support/mcp.rs"]
mod mcp;
mod support;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use mcp::Client;
use serde_json::{Value, json};
use support::{Finished, Folder, Program};

const TAMIS: &str = env!("CARGO_BIN_EXE_tamis");
const COMPILED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");

/// Stands for npm's runner, which would fetch the newest version: the server is installed for the tests.
const NPX: &str = r#"#!/bin/sh
[ "$1" = -y ] || { echo "npx: without -y it would ask" >&2; exit 1; }
package=$2
shift 2
exec node "$SERVERS/$package/dist/index.js" "$@"
"#;

/// A block of code of a page.
struct Block {
    language: String,
    text: String,
}

fn repository() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    path.canonicalize().expect("the repository")
}

/// The blocks of the README's section, in its order.
fn first_steps() -> Vec<Block> {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("a README");
    let (_, section) = readme
        .split_once("\n## First steps\n")
        .expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in section.lines() {
        let line = line.strip_prefix("   ").unwrap_or(line);
        match line.strip_prefix("```") {
            Some(language) => {
                inside = !inside;
                if inside {
                    blocks.push(Block {
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
            }
            None if inside => {
                let block = blocks.last_mut().expect("a block is open");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    blocks
}

/// A clone of the repository, as far as the steps look at it, and what is on the newcomer's `PATH`.
struct Desk {
    folder: Folder,
}

impl Desk {
    fn new() -> Desk {
        let folder = Folder::new();
        folder.write("tools/npx", NPX);
        let npx = folder.path().join("tools/npx");
        std::fs::set_permissions(&npx, PermissionsExt::from_mode(0o755)).expect("a mode");
        // What `make build` leaves behind.
        let release = folder.path().join("clone/target/release");
        std::fs::create_dir_all(&release).expect("make a folder");
        symlink(TAMIS, release.join("tamis")).expect("link the program");
        copy_names(
            &repository().join("examples"),
            &folder.path().join("clone/examples"),
        );
        Desk { folder }
    }

    fn clone(&self) -> PathBuf {
        self.folder.path().join("clone")
    }

    fn program(&self, line: &[&str]) -> Program {
        let path = std::env::var("PATH").expect("a PATH");
        let tools = self.folder.path().join("tools");
        Program::new(line, &self.clone())
            .env("PATH", format!("{}:{path}", tools.display()))
            .env("HOME", self.folder.path())
            .env("SERVERS", repository().join("tests/node_modules"))
            .env("TAMIS_STATE_DIR", self.folder.path().join("state"))
            .env("TAMIS_CACHE_DIR", COMPILED)
    }

    /// All of a block, in a shell that stops at the first command that fails.
    fn shell(&self, commands: &str) -> Finished {
        let script = format!("set -eu\n{commands}");
        self.program(&["sh", "-c", &script]).run("").succeeded()
    }
}

/// The same files without what is in them.
fn copy_names(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("make a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_names(&entry.path(), &to);
        } else {
            std::fs::write(to, "").expect("write a file");
        }
    }
}

#[test]
fn lead_to_a_real_server_behind_a_chain_and_a_test_of_ones_own() {
    let blocks = first_steps();
    let languages: Vec<&str> = blocks.iter().map(|block| block.language.as_str()).collect();
    assert_eq!(languages, ["sh", "sh", "toml", "toml", "sh", "json"]);
    let [build, look, chain, test, check, entry] = [0, 1, 2, 3, 4, 5].map(|it| &blocks[it].text);
    let desk = Desk::new();

    // What was built is found by the name that all other commands use.
    let (make, path) = build.split_once('\n').expect("two commands");
    assert_eq!(make, "make build");
    let found = desk.shell(&format!("{path}command -v tamis"));
    let tamis = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    assert_eq!(Path::new(&tamis), desk.clone().join("target/release/tamis"));
    let shell = |commands: &str| desk.shell(&format!("{path}{commands}"));

    let looked = shell(look);
    let said = String::from_utf8_lossy(&looked.stderr).into_owned();
    if !said.contains("written: first-steps/filters.toml, for 14 tools") {
        looked.fail("it should have written a policy for the tools of that server");
    }
    let file = desk.clone().join("first-steps/filters.toml");
    let written = std::fs::read_to_string(&file).expect("the policy");

    // Where the README says.
    let mark = "# Chains of your own go here";
    let at = written
        .find(mark)
        .unwrap_or_else(|| panic!("no `{mark}` in\n{written}"));
    let at = at + written[at..].find('\n').expect("the end of the line") + 1;
    let (before, after) = written.split_at(at);
    std::fs::write(&file, format!("{before}\n{chain}{after}\n{test}")).expect("write the policy");

    let checked = shell(check);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    // The test of the starter, and the newcomer's.
    if !said.contains("no errors") || !said.contains("2 passed; 0 failed") {
        checked.fail("both tests should have passed");
    }
    let table = String::from_utf8_lossy(&checked.stderr).into_owned();
    if !table.contains("reshape") || !table.contains("% saved") {
        checked.fail("it should have shown what each step does");
    }

    // And what the agent's client starts.
    let entry = entry.replace("/path/to", desk.clone().to_str().expect("Unicode"));
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
    let mut client = Client::of(desk.program(&line));
    client.greet("a newcomer's agent");
    let result = client.call("directory_tree", &json!({"path": "examples"}));
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("README.md") && !text.contains("directory"),
        "{result}"
    );
    client.finish().succeeded();
}
