//! `tamis doctor`: each thing that can be wrong on a machine is told, with its repair; nothing is changed.

use crate::support::mcp::Stage;
use crate::support::{Finished, Program, TAMIS, text};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A home with configurations, whose servers are the stage's.
struct Machine {
    stage: Stage,
}

impl Machine {
    fn new() -> Machine {
        let stage = Stage::new("");
        stage.answers(
            "initialize",
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#,
        );
        stage.answers(
            "tools/list",
            r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]}"#,
        );
        for folder in ["home", "work"] {
            std::fs::create_dir_all(stage.path().join(folder)).expect("make a folder");
        }
        Machine { stage }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.stage.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("make folders");
        std::fs::write(path, content).expect("write");
    }

    /// The entry of a server that answers, behind these words.
    fn server(&self, words: &[&str]) -> Value {
        let mut line: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let server = self.stage.server();
        line.extend(
            server
                .iter()
                .map(|word| word.to_string_lossy().into_owned()),
        );
        json!({"command": line[0], "args": line[1..]})
    }

    fn doctor(&self, words: &[&str]) -> Finished {
        let mut line = vec![TAMIS, "doctor"];
        line.extend(words);
        let path = std::env::var("PATH").expect("PATH");
        let folder = PathBuf::from(TAMIS);
        let folder = folder.parent().expect("a folder").display();
        self.stage
            .in_state(Program::new(&line, &self.path("work")))
            .env("HOME", self.path("home"))
            .env("PATH", format!("{folder}:{path}"))
            .run("")
    }

    /// The checks as JSON, and the exit code.
    fn checks(&self, words: &[&str]) -> (Vec<Value>, i32) {
        let mut all = vec!["--json"];
        all.extend(words);
        let run = self.doctor(&all);
        let report: Value = match serde_json::from_slice(&run.stdout) {
            Ok(report) => report,
            Err(_) => run.fail("no JSON"),
        };
        let checks = report["checks"].as_array().expect("checks").clone();
        let problems = checks.iter().filter(|check| check["status"] == "problem");
        assert_eq!(report["problems"], problems.count());
        (checks, run.status.code().expect("a code"))
    }
}

/// The check that is about this, and says this.
#[track_caller]
fn said<'c>(checks: &'c [Value], status: &str, about: &str, words: &str) -> &'c Value {
    let found = checks.iter().find(|check| {
        let message = check["message"].as_str().unwrap_or_default();
        check["status"] == status && check["about"] == about && message.contains(words)
    });
    found.unwrap_or_else(|| panic!("no {status} about {about} with {words:?} in {checks:#?}"))
}

#[test]
fn a_machine_where_nothing_is_wrong_is_told_so() {
    let machine = Machine::new();
    let wrapped = machine.server(&[TAMIS, "run", "--server", "files", "--"]);
    let config = json!({"mcpServers": {"files": wrapped}});
    machine.write("home/.cursor/mcp.json", config.to_string());
    let (checks, code) = machine.checks(&[]);
    assert_eq!(code, 0, "{checks:#?}");
    said(&checks, "ok", "program", env!("CARGO_PKG_VERSION"));
    said(&checks, "ok", "state", "state");
    said(&checks, "ok", "cache", "compiled");
    said(&checks, "ok", "policy", "the default policy");
    said(&checks, "ok", "client", "1 of 1 servers run through Tamis");
    // The server's two tools; the read tool is Tamis's own.
    said(&checks, "ok", "server", "files (Cursor): 3 tools after");
    let run = machine.doctor(&[]).succeeded();
    let shown = text(&run.stdout);
    assert!(shown.ends_with("\nnothing is wrong\n"), "{shown}");
}

#[test]
fn what_is_wrong_with_a_clients_servers_is_told_with_its_repair() {
    let machine = Machine::new();
    let gone = machine.path("gone/tamis").display().to_string();
    let old = machine.server(&[&gone, "run", "--server", "old", "--"]);
    let unknown = machine.server(&[
        TAMIS,
        "run",
        "--config",
        "/none/filters.toml",
        "--server",
        "unknown",
        "--",
    ]);
    let config = json!({"mcpServers": {
        "old": old,
        "unknown": unknown,
        "bare": machine.server(&["env"]),
        "missing": {"command": "no-such-program-here"},
        "ends": {"command": "sh", "args": ["-c", "echo broken; exit 3"]},
        "variable": {"command": "sh", "env": {"KEY": "${NO_SUCH_VARIABLE}"}},
        "off": {"command": "no-such-program-here", "disabled": true},
        "remote": {"url": "https://example.invalid/mcp"},
    }});
    machine.write("home/.cursor/mcp.json", config.to_string());
    machine.write("home/.gemini/settings.json", "{\"mcpServers\": {");
    let (checks, code) = machine.checks(&["--timeout", "20"]);
    assert_eq!(code, 1);
    let check = said(&checks, "problem", "client", "`old` starts");
    assert_eq!(
        check["repair"],
        "tamis uninstall --server old, then tamis install"
    );
    said(
        &checks,
        "problem",
        "client",
        "/none/filters.toml, which is missing",
    );
    let note = said(
        &checks,
        "note",
        "client",
        "2 of 6 servers run through Tamis; without it: bare, missing, ends, variable",
    );
    assert_eq!(note["repair"], "tamis install --client cursor");
    said(&checks, "problem", "client", "Gemini CLI");
    said(&checks, "ok", "server", "bare (Cursor): 2 tools");
    said(&checks, "problem", "server", "missing (Cursor)");
    said(&checks, "problem", "server", "ends (Cursor)");
    said(&checks, "problem", "server", "variable (Cursor): ");
    said(&checks, "problem", "server", "old (Cursor)");
    let about_off = |check: &Value| check["message"].to_string().contains("off (Cursor)");
    assert!(!checks.iter().any(about_off));
    // As text, each with its repair below it.
    let shown = text(&machine.doctor(&["--no-start"]).stdout);
    assert!(
        shown.contains("repair: tamis install --client cursor\n"),
        "{shown}"
    );
    assert!(shown.contains("3 problems, 1 note\n"), "{shown}");
    assert!(!shown.contains("  server "), "{shown}");
}

#[test]
fn servers_of_a_projects_file_start_only_if_asked() {
    let machine = Machine::new();
    let started = machine.path("started");
    let script = format!("touch {}; exit 1", started.display());
    let config = json!({"mcpServers": {"theirs": {"command": "sh", "args": ["-c", script]}}});
    machine.write("work/.git/HEAD", "");
    machine.write("work/.mcp.json", config.to_string());
    let (checks, code) = machine.checks(&[]);
    assert_eq!(code, 0);
    said(
        &checks,
        "note",
        "server",
        "not started: theirs (Claude Code)",
    );
    assert!(!started.exists());
    let (checks, code) = machine.checks(&["--project"]);
    assert_eq!(code, 1);
    said(&checks, "problem", "server", "theirs (Claude Code)");
    assert!(started.exists());
}

#[test]
fn a_policy_and_folders_that_cannot_be_used_are_told() {
    let machine = Machine::new();
    machine.write(
        "home/.config/tamis/filters.toml",
        "[[chain]]\nsteps = [\"no-such-filter\"]\n",
    );
    let (checks, code) = machine.checks(&[]);
    assert_eq!(code, 1);
    let check = said(&checks, "problem", "policy", "filters.toml");
    assert!(
        check["repair"]
            .as_str()
            .unwrap()
            .starts_with("tamis check "),
        "{check}"
    );
    // A file where the folder should be.
    let machine = Machine::new();
    machine.write("file", "");
    let line = [TAMIS, "doctor", "--json"];
    let run = Program::new(&line, &machine.path("work"))
        .env("HOME", machine.path("home"))
        .env("TAMIS_STATE_DIR", machine.path("file"))
        .env("TAMIS_CACHE_DIR", machine.path("file"))
        .run("");
    assert_eq!(run.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("checks");
    said(checks, "problem", "state", "file");
    said(checks, "problem", "cache", "file");
    // An untrusted project's file is named.
    let machine = Machine::new();
    machine.write("work/.git/HEAD", "");
    machine.write("work/filters.toml", "");
    let (checks, code) = machine.checks(&[]);
    assert_eq!(code, 0, "{checks:#?}");
    let check = said(&checks, "note", "policy", "you do not trust it");
    assert!(
        check["repair"].as_str().unwrap().contains("tamis trust "),
        "{check}"
    );
}
