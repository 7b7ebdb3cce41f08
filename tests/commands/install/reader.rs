//! The server `tamis`: added once to each list with a wrapped server, and removed again.

use serde_json::{Value, json};

use super::{Home, TAMIS, exits, output_of};

fn json_of(home: &Home, path: &str) -> Value {
    serde_json::from_str(&home.read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn wrapped(name: &str, has_reader: bool, old: &[&str]) -> Value {
    let mut words = vec!["run", "--server", name];
    words.extend(has_reader.then_some("--no-read-tool"));
    words.push("--");
    words.extend(old);
    json!(words)
}

#[test]
fn each_list_that_wraps_a_server_gets_one_and_no_other() {
    let home = Home::new();
    home.write(
        "home/.claude.json",
        r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}},
            "projects": {"/p": {"mcpServers": {"c": {"command": "z"}}},
                         "/q": {"mcpServers": {"r": {"type": "http", "url": "https://example.com"}}},
                         "/s": {"mcpServers": {}}}}"#,
    );
    let run = home.tamis(&["install", "--yes"]).succeeded();
    exits(&run, 0, &["tamis  add: ", "tamis (in /p)  add: "]);
    let config = json_of(&home, "home/.claude.json");
    let reader = json!({"type": "stdio", "command": TAMIS, "args": ["mcp"]});
    assert_eq!(config["mcpServers"]["tamis"], reader);
    assert_eq!(config["projects"]["/p"]["mcpServers"]["tamis"], reader);
    assert_eq!(
        config["mcpServers"]["a"]["args"],
        wrapped("a", true, &["x"])
    );
    for project in ["/q", "/s"] {
        let servers = &config["projects"][project]["mcpServers"];
        assert!(servers.get("tamis").is_none(), "{servers}");
    }
}

#[test]
fn each_client_gets_it_in_its_own_form() {
    let home = Home::new();
    let plain = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let files = [
        ("home/.gemini/settings.json", plain),
        ("home/.copilot/mcp-config.json", plain),
        (
            "home/.cline/data/settings/cline_mcp_settings.json",
            r#"{"mcpServers": {"a": {"transport": {"type": "stdio", "command": "x"}}}}"#,
        ),
        (
            "home/.config/opencode/opencode.json",
            r#"{"mcp": {"a": {"type": "local", "command": ["x", "y"]}}}"#,
        ),
        (
            "home/.vibe/config.toml",
            "[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"\n",
        ),
    ];
    for (path, text) in files {
        home.write(path, text);
    }
    let run = home.tamis(&["install", "--yes", "--config"]);
    exits(&run, 2, &["--config"]);
    home.tamis(&["install", "--yes"]).succeeded();
    let reader = |path: &str, list: &str| json_of(&home, path)[list]["tamis"].clone();
    assert_eq!(
        reader(files[0].0, "mcpServers"),
        json!({"command": TAMIS, "args": ["mcp"]})
    );
    assert_eq!(
        reader(files[1].0, "mcpServers"),
        json!({"type": "local", "command": TAMIS, "args": ["mcp"], "tools": ["*"]})
    );
    assert_eq!(
        reader(files[2].0, "mcpServers"),
        json!({"transport": {"type": "stdio", "command": TAMIS, "args": ["mcp"]}})
    );
    let opencode = json_of(&home, files[3].0);
    assert_eq!(
        opencode["mcp"]["tamis"],
        json!({"type": "local", "command": [TAMIS, "mcp"]})
    );
    assert_eq!(
        opencode["mcp"]["a"]["command"],
        json!([
            TAMIS,
            "run",
            "--server",
            "a",
            "--no-read-tool",
            "--",
            "x",
            "y"
        ])
    );
    let vibe = home.read(files[4].0);
    let expected = format!(
        "[[mcp_servers]]\nname = \"a\"\n\
         args = [\"run\", \"--server\", \"a\", \"--no-read-tool\", \"--\", \"x\"]\ncommand = \"{TAMIS}\"\n\n\
         [[mcp_servers]]\nname = \"tamis\"\ntransport = \"stdio\"\ncommand = \"{TAMIS}\"\nargs = [\"mcp\"]\n"
    );
    assert_eq!(vibe, expected);
}

#[test]
fn a_server_of_that_name_is_not_doubled() {
    // An entry of the user is an ordinary server, and the wrapped ones list the tool.
    let home = Home::new();
    let text = r#"{"mcpServers": {"a": {"command": "x"}, "tamis": {"command": "other"}}}"#;
    home.write("home/.cursor/mcp.json", text);
    let run = home.tamis(&["install", "--yes"]).succeeded();
    exits(&run, 0, &["it is not Tamis's"]);
    let servers = json_of(&home, "home/.cursor/mcp.json")["mcpServers"].take();
    assert_eq!(servers.as_object().map(|it| it.len()), Some(2));
    assert_eq!(servers["a"]["args"], wrapped("a", false, &["x"]));
    assert_eq!(
        servers["tamis"]["args"],
        wrapped("tamis", false, &["other"])
    );
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert_eq!(home.read("home/.cursor/mcp.json"), text);

    // An entry for Tamis is used, and stays.
    let text = r#"{"mcpServers": {"tamis": {"command": "tamis", "args": ["mcp"]}, "a": {"command": "x"}}}"#;
    home.write("home/.cursor/mcp.json", text);
    let run = home.tamis(&["install", "--yes"]).succeeded();
    exits(&run, 0, &["it is the read tool"]);
    let servers = json_of(&home, "home/.cursor/mcp.json")["mcpServers"].take();
    assert_eq!(servers.as_object().map(|it| it.len()), Some(2));
    assert_eq!(servers["a"]["args"], wrapped("a", true, &["x"]));
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert_eq!(home.read("home/.cursor/mcp.json"), text);
}

#[test]
fn it_stays_as_long_as_a_server_of_its_list_is_wrapped() {
    let home = Home::new();
    let path = "home/.cursor/mcp.json";
    let text = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" },\n    \"b\": { \"command\": \"y\" }\n  }\n}\n";
    home.write(path, text);
    let has_reader = || json_of(&home, path)["mcpServers"].get("tamis").is_some();
    home.tamis(&["install", "--yes", "--server", "a"])
        .succeeded();
    assert!(has_reader());
    let run = home
        .tamis(&["install", "--yes", "--server", "b"])
        .succeeded();
    assert!(!output_of(&run).contains("add: "), "{}", output_of(&run));
    home.tamis(&["uninstall", "--yes", "--server", "a"])
        .succeeded();
    assert!(has_reader(), "{}", home.read(path));
    let servers = json_of(&home, path)["mcpServers"].take();
    assert_eq!(servers["b"]["args"], wrapped("b", true, &["y"]));
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert_eq!(home.read(path), text);

    // Two at once, and removed one after the other.
    home.tamis(&["install", "--yes"]).succeeded();
    home.tamis(&["uninstall", "--yes", "--server", "a"])
        .succeeded();
    assert!(has_reader());
    home.tamis(&["uninstall", "--yes", "--server", "b"])
        .succeeded();
    assert_eq!(home.read(path), text);
}

#[test]
fn it_goes_from_a_file_that_was_changed_since_unless_it_is_something_else_by_now() {
    let home = Home::new();
    let json = "home/.cursor/mcp.json";
    let toml = "home/.codex/config.toml";
    home.write(json, r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    home.write(toml, "[mcp_servers.a]\ncommand = \"x\"\n");
    home.tamis(&["install", "--yes"]).succeeded();
    // Other programs write the files again.
    let mut config = json_of(&home, json);
    config["theme"] = "dark".into();
    home.write(json, &config.to_string());
    let text = home.read(toml).replace("[\"mcp\"]", "[ 'mcp' ]");
    home.write(toml, &format!("model = \"m\"\n\n{text}\n[tui]\nx = 1\n"));
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert_eq!(
        json_of(&home, json),
        json!({"mcpServers": {"a": {"command": "x"}}, "theme": "dark"})
    );
    assert_eq!(
        home.read(toml),
        "model = \"m\"\n\n[mcp_servers.a]\ncommand = \"x\"\n\n[tui]\nx = 1\n"
    );

    // The user gave the name to another server.
    home.write(json, r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    home.tamis(&["install", "--yes", "--client", "cursor"])
        .succeeded();
    let mut config = json_of(&home, json);
    config["mcpServers"]["tamis"] = json!({"command": "mine"});
    home.write(json, &config.to_string());
    home.tamis(&["uninstall", "--yes"]).succeeded();
    assert_eq!(
        json_of(&home, json)["mcpServers"],
        json!({"a": {"command": "x"}, "tamis": {"command": "mine"}})
    );
}

#[test]
fn it_is_said_where_nothing_was_found_and_how_to_do_it_by_hand() {
    let home = Home::new();
    let run = home.tamis(&["install", "--yes"]).succeeded();
    exits(
        &run,
        0,
        &[
            "Not found:",
            "Gemini CLI: ",
            ".vibe/config.toml",
            "tamis run --server NAME --",
        ],
    );
    let run = home.tamis(&["install", "--json"]).succeeded();
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let missing = report["missing"].as_array().expect("places");
    assert!(missing.iter().any(|it| {
        it.as_str()
            .is_some_and(|it| it.ends_with(".copilot/mcp-config.json"))
    }));
}
