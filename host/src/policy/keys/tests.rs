//! The table of keys, held against the parser.

use super::super::{Draft, LIMITS, Severity, Source, Unit};
use super::*;

/// A file in which one key of a table has this value, and the other keys that are required with it.
fn file(table: &Table, key: &str, value: &str) -> String {
    let line = format!("{key} = {value}\n");
    let chain = |body: &str| format!("[[chain]]\n{body}");
    match table.name {
        "chain" => {
            let mut body = line.clone();
            for (other, value) in [("tools", "[\"a\"]"), ("steps", "[\"cap\"]")] {
                if other != key {
                    body += &format!("{other} = {value}\n");
                }
            }
            match key {
                "prompts" => body += "on = [\"result\", \"prompt\"]\n",
                "resources" => body += "on = [\"result\", \"resource\"]\n",
                _ => {}
            }
            chain(&body)
        }
        "step" if key == "filter" => chain(&format!(
            "tools = [\"a\"]\nsteps = [{{ {key} = {value} }}]\n"
        )),
        "step" => chain(&format!(
            "tools = [\"a\"]\nsteps = [{{ filter = \"cap\", {key} = {value} }}]\n"
        )),
        "plugin" => {
            let mut body = line.clone();
            for (other, value) in [("name", "\"own\""), ("path", "\"own.wasm\"")] {
                if other != key && (other, key) != ("path", "oci") {
                    body += &format!("{other} = {value}\n");
                }
            }
            format!("[[plugin]]\n{body}")
        }
        "client" => {
            let mut body = line.clone();
            for (other, value) in [("name", "\"own\""), ("sees", "\"both\"")] {
                if other != key {
                    body += &format!("{other} = {value}\n");
                }
            }
            format!("[[client]]\n{body}")
        }
        "client.cap" => {
            let over = if key == "over" { "" } else { "over = 9\n" };
            format!("[[client]]\nname = \"own\"\nsees = \"both\"\n[client.cap]\n{line}{over}")
        }
        "chain.when" => {
            let chain = chain("tools = [\"a\"]\nsteps = [\"cap\"]\n");
            format!("{chain}[chain.when]\n{line}")
        }
        "tool" | "profile" => {
            let header = format!("[{}.some]\n", table.name);
            let tools = match (table.name, key) {
                ("profile", "tools") | ("tool", _) => "",
                _ => "tools = [\"a\"]\n",
            };
            format!("{header}{tools}{line}")
        }
        "serve" => {
            let other = match key {
                "certificate" => "key = \"key.pem\"\n",
                "key" => "certificate = \"chain.pem\"\n",
                _ => "",
            };
            format!("[serve]\n{line}{other}")
        }
        "state" => {
            let other = match key {
                "previous-key" | "sessions" => "key = \"${KEY}\"\n",
                _ => "",
            };
            format!("[state]\n{line}{other}")
        }
        "server" => {
            let url = match key {
                "url" | "command" => "",
                "env" | "ready" => "command = [\"some-server\"]\n",
                _ => "url = \"http://127.0.0.1/mcp\"\n",
            };
            format!("[server.some]\n{url}{line}")
        }
        "test" => {
            let mut body = line.clone();
            for (other, value) in [("tool", "\"a\""), ("input", "'{}'"), ("max-bytes", "9")] {
                if other != key && (other, key) != ("input", "input-file") {
                    body += &format!("{other} = {value}\n");
                }
            }
            let chain = chain("name = \"explain\"\ntools = [\"a\"]\nsteps = [\"cap\"]\n");
            format!("{chain}[[test]]\n{body}")
        }
        "record" => {
            let chain = chain(
                "name = \"secrets\"\non = []\nsteps = [{ filter = \"cap\", on-error = \"block\" }]\n",
            );
            format!("{chain}[record]\n{line}")
        }
        "file" => line,
        name => format!("[{name}]\n{line}"),
    }
}

fn errors(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("team.toml"), "").expect("the file of an example");
    let source = Source::new(folder.path().join("filters.toml"), text).expect("text");
    let draft = Draft::parse(source, &["cap", "null-stripper"]).unwrap_or_else(|report| {
        panic!("{report}\nin\n{text}");
    });
    let findings = draft.findings().iter();
    let errors = findings.filter(|finding| finding.severity == Severity::Error);
    errors
        .map(|finding| format!("{}: {}", finding.code.name(), finding.message))
        .collect()
}

#[test]
fn every_example_of_a_key_is_accepted() {
    for table in TABLES {
        for key in table.keys {
            let text = file(table, key.name, key.example);
            assert_eq!(errors(&text), Vec::<String>::new(), "in\n{text}");
        }
    }
}

#[test]
fn every_key_is_read_so_that_a_date_is_refused_there() {
    for table in TABLES {
        for key in table.keys {
            let text = file(table, key.name, "2026-01-01");
            assert_ne!(errors(&text), Vec::<String>::new(), "in\n{text}");
        }
    }
}

#[test]
fn what_is_in_no_table_is_refused() {
    // A step's other keys are settings.
    for table in TABLES.into_iter().filter(|table| table.name != "step") {
        let text = file(table, "no-such-key", "1");
        let found = errors(&text);
        assert!(
            found.iter().any(|code| code.starts_with("unknown-key")),
            "{found:?} in\n{text}"
        );
    }
}

#[test]
fn every_default_is_what_holds_without_the_key() {
    // Spans differ, and are no part of the file's meaning.
    let spans = regex::Regex::new(r"Span \{[^}]*\}").expect("a pattern");
    let meaning = |text: &str| {
        let source = Source::new("filters.toml", text).expect("text");
        let draft = Draft::parse(source, &["cap", "null-stripper"]);
        let policy = draft.and_then(Draft::into_policy);
        let policy = policy.unwrap_or_else(|report| panic!("{report}\nin\n{text}"));
        let shown = format!(
            "{:?}",
            (
                policy.plugins,
                policy.chains,
                policy.read_tool,
                policy.tools,
                policy.profiles,
                policy.session,
                policy.record,
                policy.clients,
                policy.tests,
            )
        );
        spans.replace_all(&shown, "").replace("Some()", "None")
    };
    let mut looked = 0;
    for table in TABLES {
        for key in table
            .keys
            .iter()
            .filter(|key| key.without == Without::Example)
        {
            let with = file(table, key.name, key.example);
            let line = format!("{} = {}\n", key.name, key.example);
            let without = with.replacen(&line, "", 1);
            assert_ne!(with, without);
            assert_eq!(meaning(&with), meaning(&without), "in\n{with}");
            looked += 1;
        }
    }
    assert!(looked >= 10, "only {looked} keys have a default");
}

#[test]
fn the_schema_has_every_limit_with_its_default() {
    let schema = schema(&[]);
    for row in LIMITS {
        let found = &schema["definitions"]["limits"]["properties"][row.name];
        let default = match row.unit {
            Unit::Count => serde_json::json!(row.default),
            unit => serde_json::json!(unit.show(row.default)),
        };
        assert_eq!(found["default"], default, "`{}`", row.name);
    }
}
