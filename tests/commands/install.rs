//! `tamis install` and `tamis uninstall`: every client's configuration, there and back.
//!
//! `install/before` is a home and a project with the configurations of all clients. `install/after` has their state
//! after `tamis install`, with TAMIS for this program. `TAMIS_BLESS=1` writes these again.

mod edits;
mod pages;
mod places;
mod read_server;
mod reader;

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::mcp::Client;
use crate::support::{Finished, Folder, Program, TAMIS, exits};
use serde_json::{Value, json};

/// Files by their paths in a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn cases(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/install")
        .join(name)
}

fn files(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is inside");
                files.insert(name.to_owned(), std::fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

/// A home and a project of the test's own.
struct Home {
    folder: Folder,
}

impl Home {
    fn new() -> Home {
        let home = Home {
            folder: Folder::new(),
        };
        for folder in ["home", "work", "state"] {
            std::fs::create_dir_all(home.path(folder)).expect("make a folder");
        }
        home
    }

    fn with(files: &Files) -> Home {
        let home = Home::new();
        for (path, bytes) in files {
            home.folder.write(path.to_str().expect("Unicode"), bytes);
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        self.folder.write(name, text)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file")
    }

    /// All files except state.
    fn configurations(&self) -> Files {
        let mut files = files(self.folder.path());
        files.retain(|path, _| !path.starts_with("state"));
        files
    }

    fn tamis(&self, line: &[&str]) -> Finished {
        let mut all = vec![TAMIS];
        all.extend(line);
        Program::new(&all, &self.path("work"))
            .env("HOME", self.path("home"))
            .env("TAMIS_STATE_DIR", self.path("state"))
            .env("TAMIS_CACHE_DIR", self.path("state/compiled"))
            .run("")
    }
}

fn output_of(run: &Finished) -> String {
    let both = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn crlf(bytes: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    text.replace('\n', "\r\n").into_bytes()
}

fn bom(bytes: &[u8]) -> Vec<u8> {
    [b"\xef\xbb\xbf", bytes].concat()
}

fn tabs(bytes: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    text.replace("  ", "\t").into_bytes()
}

#[test]
fn install_then_uninstall_leaves_every_configuration_as_it_was() {
    type Variant = fn(&[u8]) -> Vec<u8>;
    let variants: [(&str, Variant); 5] = [
        ("as they are", |bytes| bytes.to_vec()),
        ("CRLF", crlf),
        ("byte order mark", bom),
        ("both", |bytes| bom(&crlf(bytes))),
        ("tabs", tabs),
    ];
    let originals = files(&cases("before"));
    assert_eq!(originals.len(), 25, "the fixtures are all there");
    for (name, variant) in variants {
        let before: Files = originals
            .iter()
            .map(|(path, bytes)| (path.clone(), variant(bytes)))
            .collect();
        let home = Home::with(&before);
        let run = home.tamis(&["install", "--yes"]).succeeded();
        let after = home.configurations();
        for (path, bytes) in &before {
            // One has no servers; every other one changes.
            let is_same = after[path] == *bytes;
            // YAML allows no tabs: a file with tabs is left to people.
            let is_empty = path.ends_with("-1a2b/mcp.json")
                || (name == "tabs" && path.extension().is_some_and(|it| it == "yaml"));
            assert_eq!(
                is_same,
                is_empty,
                "{name}: {}\n{}",
                path.display(),
                output_of(&run)
            );
        }
        if name == "as they are" {
            compare_to_golden(&after);
        }
        home.tamis(&["uninstall", "--yes"]).succeeded();
        assert!(home.configurations() == before, "{name}");
        let state = files(&home.path("state/install"));
        assert!(state.is_empty(), "nothing is left over: {state:?}");
    }
}

/// Compares the files after the installation with the golden ones.
fn compare_to_golden(after: &Files) {
    let shown = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        text.replace(TAMIS, "TAMIS")
    };
    for (path, bytes) in after {
        let golden = cases("after").join(path);
        if std::env::var_os("TAMIS_BLESS").is_some() {
            std::fs::create_dir_all(golden.parent().expect("a folder")).expect("make folders");
            std::fs::write(&golden, shown(bytes)).expect("write the golden file");
        }
        let expected = std::fs::read_to_string(&golden).expect("a golden file");
        assert_eq!(shown(bytes), expected, "{}", path.display());
    }
}

#[test]
fn a_second_install_leaves_what_is_wrapped() {
    let home = Home::with(&files(&cases("before")));
    home.tamis(&["install", "--yes"]).succeeded();
    let after = home.configurations();
    let run = home.tamis(&["install", "--yes"]).succeeded();
    exits(&run, 0, &["wrapped already", "Found no server to wrap"]);
    assert!(home.configurations() == after);
}

#[test]
fn clients_and_servers_can_be_picked_one_after_the_other() {
    let before = files(&cases("before"));
    let home = Home::with(&before);
    let changed = |home: &Home| -> Vec<String> {
        home.configurations()
            .into_iter()
            .filter(|(path, bytes)| before[path] != *bytes)
            .map(|(path, _)| path.display().to_string())
            .collect()
    };
    home.tamis(&["install", "--yes", "--client", "zed,windsurf"])
        .succeeded();
    assert_eq!(
        changed(&home),
        [
            "home/.codeium/windsurf/mcp_config.json",
            "home/.config/zed/settings.json",
            "work/.zed/settings.json"
        ]
    );
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert_eq!(changed(&home), [""; 0]);

    // Two servers of a file, one at a time, and removed in the other order.
    let path = "home/.codex/config.toml";
    home.tamis(&["install", "--yes", "--server", "docs"])
        .succeeded();
    let one = home.read(path);
    home.tamis(&["install", "--yes", "--server", "many-lines"])
        .succeeded();
    assert_eq!(changed(&home), [path]);
    home.tamis(&["uninstall", "--yes", "--server", "docs"])
        .succeeded();
    assert!(home.read(path).contains("[\"-y\", \"docs-mcp\"]   # yes"));
    assert!(home.read(path).contains("\"many-lines\""));
    assert_ne!(home.read(path), one);
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert_eq!(changed(&home), [""; 0]);

    let run = home.tamis(&["install", "--server", "no-such"]);
    exits(
        &run,
        2,
        &["no client has a server `no-such`", "github", "playwright"],
    );
    let run = home.tamis(&["uninstall", "--server", "docs"]);
    exits(&run, 2, &["wrapped no server `docs`"]);
}

#[test]
fn what_was_changed_since_keeps_its_changes() {
    let before = files(&cases("before"));
    let home = Home::with(&before);
    home.tamis(&["install", "--yes"]).succeeded();
    // Another program writes its file again, in another form and with another server.
    let path = home.path("home/.claude.json");
    let mut claude: Value =
        serde_json::from_str(&home.read("home/.claude.json").replace("\\ud83d\"", "\""))
            .expect("JSON");
    claude["numStartups"] = 42.into();
    claude["mcpServers"]["new"] = json!({"command": "new", "args": []});
    std::fs::write(&path, claude.to_string()).expect("write");
    // A person adds a comment, and takes Tamis out of one server by hand.
    let zed = "home/.config/zed/settings.json";
    let edited =
        format!("// mine\n{}", home.read(zed)).replace("\"vim_mode\": false", "\"vim_mode\": true");
    home.write(zed, &edited);
    // A file is deleted.
    std::fs::remove_file(home.path("work/.mcp.json")).expect("remove");

    let run = home.tamis(&["uninstall", "--yes"]).succeeded();
    exits(&run, 0, &["changed since", "the file is missing"]);
    let mut expected = claude;
    let servers = &mut expected["mcpServers"];
    servers["github"]["command"] = "npx".into();
    servers["github"]["args"] = json!(["-y", "@modelcontextprotocol/server-github"]);
    servers.as_object_mut().expect("servers").remove("tamis");
    let local = &mut expected["projects"]["/home/me/böse Ordner"]["mcpServers"]["playwright"];
    local["command"] = "npx".into();
    local["args"] = json!(["@playwright/mcp@latest"]);
    let local = &mut expected["projects"]["/home/me/böse Ordner"]["mcpServers"];
    local.as_object_mut().expect("servers").remove("tamis");
    let found: Value = serde_json::from_str(&home.read("home/.claude.json")).expect("JSON");
    assert_eq!(found, expected);
    let original = String::from_utf8(before[Path::new(zed)].clone()).expect("UTF-8");
    assert_eq!(
        home.read(zed),
        format!("// mine\n{original}").replace("\"vim_mode\": false", "\"vim_mode\": true")
    );
    let run = home.tamis(&["uninstall", "--yes"]).succeeded();
    exits(&run, 0, &["has changed nothing"]);
}

#[test]
fn nothing_is_written_without_a_yes() {
    let before = files(&cases("before"));
    let home = Home::with(&before);
    let run = home.tamis(&["install", "--dry-run"]).succeeded();
    exits(&run, 0, &["wrap: npx -y docs-mcp", "left: remote", "+ "]);
    let run = home.tamis(&["install"]);
    exits(&run, 2, &["no terminal to ask", "--yes"]);
    let run = home.tamis(&["install", "--dry-run", "--json"]).succeeded();
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["written"], false);
    let states = |name: &str| -> Vec<String> {
        let files = report["files"].as_array().expect("files");
        files
            .iter()
            .flat_map(|file| file["servers"].as_array().expect("servers"))
            .filter(|server| server["name"] == name)
            .map(|server| server["state"].as_str().expect("a state").to_owned())
            .collect()
    };
    assert_eq!(states("github"), ["wrap"]);
    assert_eq!(states("notion"), ["left"]);
    assert_eq!(states("from-an-extension"), ["left"]);
    assert!(home.configurations() == before);
    assert!(files(&home.path("state")).is_empty());
}

#[test]
fn a_broken_configuration_is_reported_at_its_line_and_never_written() {
    let home = Home::new();
    let broken = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" \"args\": [] }\n  }\n}\n";
    home.write("home/.cursor/mcp.json", broken);
    home.write(
        "home/.codeium/windsurf/mcp_config.json",
        "{\"mcpServers\": {\"b\": {\"command\": \"y\"}}}",
    );
    home.write(
        "home/.codex/config.toml",
        "[mcp_servers.c]\ncommand = \"x\ny = 1\n",
    );
    std::fs::write(
        home.path("home/.claude.json"),
        b"{\n\"mcpServers\": \"\xff\"}",
    )
    .expect("write");
    home.write(
        "home/.config/zed/settings.json",
        "{\"context_servers\": {}, \n \"context_servers\": {}}",
    );
    home.write("work/.vscode/mcp.json", &"[".repeat(100_000));
    let run = home.tamis(&["install", "--yes"]);
    exits(
        &run,
        2,
        &[
            "line 3, column",
            "line 2, column",
            "it is not UTF-8 here",
            "duplicate `context_servers`",
            "Maximum nesting depth",
            "written: ",
        ],
    );
    assert_eq!(home.read("home/.cursor/mcp.json"), broken);
    assert!(
        home.read("home/.codeium/windsurf/mcp_config.json")
            .contains("\"run\"")
    );
}

#[test]
fn what_cannot_be_wrapped_is_left_and_said() {
    let home = Home::new();
    let text = r#"{"mcpServers": {
        "twice": {"command": "x"}, "twice": {"command": "y"},
        "two-commands": {"command": "x", "command": "y"},
        "numbers": {"command": "x", "args": ["a", 1]},
        "list": {"command": ["x", 1]},
        "tilde": {"command": "~/bin/x"},
        "empty": {"command": ""},
        "by-hand": {"command": "/opt/tamis", "args": ["--log", "info", "run", "--", "npx", "x"]},
        "not-an-object": 1
    }}"#;
    home.write("home/.cursor/mcp.json", text);
    let run = home.tamis(&["install", "--yes"]).succeeded();
    exits(
        &run,
        0,
        &[
            "twice  left: it is defined twice",
            "two-commands  left: duplicate `command`",
            "numbers  left: `args` is not a list of strings",
            "list  left: `command` is not a list of strings",
            "tilde  left: its command begins with `~`",
            "empty  left: its command is empty",
            "by-hand  left: wrapped already",
            "not-an-object  left: it is not an object",
        ],
    );
    assert_eq!(home.read("home/.cursor/mcp.json"), text);
}

#[test]
fn links_are_followed_and_modes_kept_but_not_out_of_a_project() {
    let home = Home::new();
    let text = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}";
    let real = home.write("home/dotfiles/cursor.json", text);
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    std::fs::create_dir_all(home.path("home/.cursor")).expect("a folder");
    let link = home.path("home/.cursor/mcp.json");
    symlink("../dotfiles/cursor.json", &link).expect("a link");
    // A project that redirects the installation to another file.
    let other = home.write("elsewhere/private.json", text);
    symlink(&other, home.path("work/.mcp.json")).expect("a link");
    // One file by two paths is one file.
    std::fs::create_dir_all(home.path("home/.codeium/windsurf")).expect("a folder");
    symlink(&real, home.path("home/.codeium/windsurf/mcp_config.json")).expect("a link");

    let run = home.tamis(&["install", "--yes"]);
    exits(&run, 2, &["leads out of the project", "written: "]);
    assert!(link.is_symlink());
    assert!(home.read("home/dotfiles/cursor.json").contains("\"run\""));
    let mode = std::fs::metadata(&real)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(home.read("elsewhere/private.json"), text);
    // Stored files may contain secrets.
    for entry in std::fs::read_dir(home.path("state/install")).expect("a folder") {
        let mode = entry
            .expect("an entry")
            .metadata()
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0);
    }
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert!(link.is_symlink());
    assert_eq!(home.read("home/dotfiles/cursor.json"), text);
}

#[test]
fn a_wrapped_server_starts_and_answers() {
    let home = Home::new();
    let server = Path::new(TAMIS).with_file_name("stand-in");
    let config = json!({"mcpServers": {"lens": {
        "type": "stdio", "command": server, "args": ["lenspr"], "env": {"A": "b"},
    }}});
    home.write("work/.mcp.json", &format!("{config:#}"));
    let policy = home.write(
        "policy/filters.toml",
        "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n",
    );
    let policy = policy.to_str().expect("Unicode");
    let run = home.tamis(&["install", "--yes", "--config", "no-such.toml"]);
    exits(&run, 2, &["no-such.toml"]);
    home.tamis(&["install", "--yes", "--config", policy])
        .succeeded();
    let config: Value = serde_json::from_str(&home.read("work/.mcp.json")).expect("JSON");
    let lens = &config["mcpServers"]["lens"];
    assert_eq!(lens["env"], json!({"A": "b"}));
    let words = lens["args"].as_array().expect("arguments");
    let mut line = vec![lens["command"].as_str().expect("a command")];
    line.extend(words.iter().map(|word| word.as_str().expect("a string")));
    assert_eq!(line[1..5], ["run", "--config", policy, "--server"]);
    let program = Program::new(&line, &home.path("work"))
        .env("HOME", home.path("home"))
        .env("TAMIS_STATE_DIR", home.path("state"))
        .env(
            "TAMIS_CACHE_DIR",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"),
        );
    let mut client = Client::of(program);
    let greeting = client.greet("install");
    assert!(greeting["result"]["serverInfo"].is_object(), "{greeting}");
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    assert!(!tools.is_empty());
    let name = tools[0]["name"].as_str().expect("a name");
    let answer = client.ask("tools/call", &json!({"name": name, "arguments": {}}));
    assert!(
        answer["result"].is_object() || answer["error"].is_object(),
        "{answer}"
    );
    client.finish().succeeded();
}
