//! The servers of clients' configurations: the choice of servers, their start, and one file for several.

use super::*;
use crate::support::upstream::Upstream;

/// A home with configurations, a project below it, and servers that answer with files.
pub(super) struct Desk {
    pub(super) folder: Folder,
    stages: std::cell::RefCell<Vec<Stage>>,
}

impl Desk {
    pub(super) fn new() -> Desk {
        let desk = Desk {
            folder: Folder::new(),
            stages: Default::default(),
        };
        std::fs::create_dir_all(desk.work()).expect("make a folder");
        desk
    }

    pub(super) fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    /// A server with these tools, each of which returns a text: its command and arguments.
    pub(super) fn server(&self, tools: &[(&str, &str)]) -> Vec<String> {
        let stage = Stage::new("");
        let listed: Vec<Value> = tools
            .iter()
            .map(|(name, _)| json!({"name": name}))
            .collect();
        let command = script(&stage, &Value::from(listed));
        for (name, text) in tools {
            stage.tool(name, result_of(text));
        }
        self.stages.borrow_mut().push(stage);
        let word = |word: OsString| word.into_string().expect("Unicode");
        command.into_iter().map(word).collect()
    }

    /// Cursor's configuration in the home.
    pub(super) fn cursor(&self, servers: &Value) {
        let text = json!({ "mcpServers": servers }).to_string();
        self.folder.write(".cursor/mcp.json", text);
    }

    pub(super) fn tamis(&self, words: &[&str]) -> Finished {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        self.program(&words).run("")
    }

    pub(super) fn program(&self, words: &[OsString]) -> Program {
        let mut line = vec![OsString::from(TAMIS)];
        line.extend_from_slice(words);
        Program::new(&line, &self.work())
            .env("HOME", self.folder.path())
            .env("TAMIS_STATE_DIR", self.folder.path().join("state"))
            .env("TAMIS_CACHE_DIR", COMPILED)
    }

    pub(super) fn policy(&self) -> String {
        read(&self.work().join("filters.toml"))
    }

    /// Fails unless `tamis check` finds no problem, and this many tests pass.
    #[track_caller]
    pub(super) fn is_sound(&self, tests: usize) {
        let checked = self.tamis(&["check", "filters.toml", "--deny", "notes"]);
        ended(&checked, 0, &["no errors"]);
        let passed = format!("{tests} passed; 0 failed");
        let said: &[&str] = if tests > 0 { &[&passed] } else { &[] };
        ended(&self.tamis(&["test", "filters.toml"]), 0, said);
    }
}

/// A server of a client's configuration.
pub(super) fn entry(line: &[String]) -> Value {
    json!({"command": line[0], "args": line[1..]})
}

/// Null members, which `null-stripper` removes.
pub(super) fn nulls() -> String {
    let members = (0..60).map(|index| {
        let value = if index % 3 == 0 {
            json!(format!("value {index}"))
        } else {
            Value::Null
        };
        (format!("field_{index}"), value)
    });
    Value::Object(members.collect()).to_string()
}

/// An image in a member, which `blob` removes.
fn image() -> String {
    let shot: String = (0..2000_u32)
        .map(|index| char::from(b'A' + (index * 7919 % 26) as u8))
        .collect();
    format!("{{\"page\":1,\"shot\":\"data:image/png;base64,{shot}\"}}")
}

#[test]
fn all_servers_of_a_client_are_one_file() {
    let desk = Desk::new();
    let with_key = |line: &[String]| {
        let test = "test \"$KEY\" = s3cret-value || { echo \"no key\" >&2; exit 3; }; exec \"$@\"";
        let mut words = vec!["-c".to_owned(), test.to_owned(), "sh".to_owned()];
        words.extend_from_slice(line);
        json!({"command": "sh", "args": words, "env": {"KEY": "s3cret-value"}})
    };
    let files = desk.server(&[("read", "a text"), ("list", "a list")]);
    let wrapped = desk.server(&[("git_log", "a log")]);
    let mut behind = vec![
        "run".to_owned(),
        "--config".to_owned(),
        "/nowhere/filters.toml".to_owned(),
        "--server".to_owned(),
        "git".to_owned(),
        "--no-read-tool".to_owned(),
        "--".to_owned(),
    ];
    behind.extend(wrapped);
    desk.cursor(&json!({
        "files": with_key(&files),
        "repository": {"command": "/usr/bin/tamis", "args": behind},
        "tamis": {"command": "/usr/bin/tamis", "args": ["mcp"]},
        "off": {"command": "no-such-server", "disabled": true},
        "broken": {"command": "sh", "args": ["-c", "echo oh >&2; exit 4"]},
        "asks": {"command": "sh", "args": [], "env": {"KEY": "${input:key}"}},
        "odd": {"args": []},
    }));
    let done = desk.tamis(&["init", "--client", "cursor"]);
    ended(
        &done,
        1,
        &[
            "Cursor, ",
            ".cursor/mcp.json: 7 servers",
            "tamis is not asked: it is the read tool",
            "off is not asked: it is off in the configuration",
            "[1/5] asking files (Cursor)",
            "broken (Cursor) is left out: the server exited with status 4",
            "asks (Cursor) is left out: its configuration has `{input:key}`",
            "odd (Cursor) is left out: it has no command",
            "written: filters.toml, for 3 tools of 2 servers",
            "left out: broken (Cursor): the server exited",
        ],
    );
    let policy = desk.policy();
    for line in [
        "# How Tamis filters the output of 2 MCP servers.",
        "# Server files (Cursor; calls itself script 1). Its tools:\n#\n#   read\n#   list\n",
        "# Server repository (Cursor; calls itself script 1). Its tools:\n#\n#   git_log\n",
    ] {
        assert!(policy.contains(line), "no `{line}` in\n{policy}");
    }
    assert!(
        !policy.contains("servers = "),
        "one chain does it:\n{policy}"
    );
    let all = text(&done.stdout) + &text(&done.stderr) + &policy;
    assert!(!all.contains("s3cret"), "{all}");
    desk.is_sound(0);

    // One of them, by either of its names. Then nothing fails.
    for name in ["git", "repository"] {
        let done = desk.tamis(&["init", "--client=cursor", "--server", name, "--force"]);
        ended(&done, 0, &["asking repository", "for 1 tool"]);
    }
    let done = desk.tamis(&["init", "--client=cursor", "--server", "nobody", "--force"]);
    let known = "no server `nobody` in these configurations; known servers: asks, broken, files";
    ended(&done, 2, &[known]);
    let done = desk.tamis(&["init", "--client=cursor", "--server", "broken", "--force"]);
    ended(
        &done,
        2,
        &["ask broken (Cursor): the server exited with status 4"],
    );
    let off = desk.tamis(&["init", "--client=cursor", "--server", "off", "--force"]);
    ended(&off, 2, &["`no-such-server` is not found"]);
}

#[test]
fn a_chain_is_bound_to_a_server_where_another_needs_another() {
    let desk = Desk::new();
    let (nulls, image) = (nulls(), image());
    desk.cursor(&json!({
        "one": entry(&desk.server(&[("get", &nulls), ("only", &nulls), ("same", &nulls)])),
        "two": entry(&desk.server(&[("get", &image), ("same", &nulls)])),
    }));
    let tries = ["one:get", "two:get", "one:same", "two:same", "only"];
    let mut words = vec!["init", "--client", "cursor", "--json"];
    words.extend(tries.iter().flat_map(|tool| ["--try", tool]));
    let done = desk.tamis(&words).succeeded();
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let policy = desk.policy();
    let shape = |of: &str| {
        let found = report[of].as_array().expect("a list").iter();
        found.cloned().collect::<Vec<Value>>()
    };
    assert_eq!(
        shape("chains"),
        [
            json!({"name": "get of one", "servers": ["one"], "tools": ["get"]}),
            json!({"name": "get of two", "servers": ["two"], "tools": ["get"]}),
            json!({"name": "only and 1 more", "servers": [], "tools": ["only", "same"]}),
        ],
        "{policy}"
    );
    let servers: Vec<_> = shape("servers")
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(servers, ["one", "two"]);
    assert_eq!(report["failed"], json!([]));
    assert!(
        policy.contains("servers = [\"one\"]\ntools = [\"get\"]\n"),
        "{policy}"
    );
    assert!(
        policy.contains("server = \"two\"\ntool = \"get\"\n"),
        "{policy}"
    );
    desk.is_sound(3);

    // A name of two servers is ambiguous.
    let done = desk.tamis(&["init", "--client=cursor", "--force", "--try", "get"]);
    ended(
        &done,
        2,
        &["several servers have a tool `get` (one, two): write SERVER:TOOL"],
    );
    let done = desk.tamis(&["init", "--client=cursor", "--force", "--try", "two:only"]);
    ended(
        &done,
        2,
        &["no server has a tool `two:only`; the tools are get, only, same"],
    );
    assert_eq!(desk.policy(), policy);
}

#[test]
fn results_are_of_the_server_that_their_folder_names() {
    let desk = Desk::new();
    let work = desk.work();
    desk.cursor(&json!({
        "one": entry(&desk.server(&[("get", "")])),
        "two": entry(&desk.server(&[("get", "")])),
    }));
    desk.folder.write("work/results/one/get.json", nulls());
    desk.folder.write("work/results/two/get.json", image());
    let init = ["init", "--client=cursor", "--results", "results"];
    ended(
        &desk.tamis(&init),
        0,
        &["for 2 tools of 2 servers", "from 2 results"],
    );
    let policy = desk.policy();
    assert!(
        policy.contains("servers = [\"one\"]\ntools = [\"get\"]\n"),
        "{policy}"
    );
    assert!(
        policy.contains("servers = [\"two\"]\ntools = [\"get\"]\n"),
        "{policy}"
    );
    desk.is_sound(2);

    // Without a server's name, it belongs to both: one chain suffices.
    std::fs::remove_dir_all(work.join("results")).expect("remove");
    desk.folder.write("work/results/get.json", nulls());
    let mut init = init.to_vec();
    init.push("--force");
    ended(&desk.tamis(&init), 0, &["from 2 results"]);
    let policy = desk.policy();
    assert!(!policy.contains("servers = "), "{policy}");
    assert!(policy.contains("\ntools = [\"get\"]\n"), "{policy}");
    desk.is_sound(1);
}

#[test]
fn a_server_that_two_clients_have_is_asked_once() {
    let desk = Desk::new();
    let same = entry(&desk.server(&[("read", &nulls())]));
    let other = entry(&desk.server(&[("read", &image()), ("write", "")]));
    desk.cursor(&json!({"files": same, "notes": same}));
    let servers = json!({"mcpServers": {"files": same, "notes": other}});
    desk.folder
        .write(".codeium/windsurf/mcp_config.json", servers.to_string());
    let tries = ["--try", "files:read", "--call"];
    let mut words = vec!["init", "--all-clients"];
    words.extend(tries);
    let done = desk.tamis(&words);
    ended(
        &done,
        0,
        &[
            "[1/3] asking files (Cursor, Windsurf)",
            "[2/3] asking notes (Cursor)",
            "[3/3] asking notes (Windsurf)",
            "for 4 tools of 3 servers",
        ],
    );
    let policy = desk.policy();
    let note = "one of several with this name, which chains cannot tell apart";
    assert_eq!(policy.matches(note).count(), 2, "{policy}");
    assert!(policy.contains("servers = [\"files\"]"), "{policy}");
    desk.is_sound(1);
}

#[test]
fn servers_of_the_projects_files_are_started_only_after_a_yes() {
    let desk = Desk::new();
    let mark = desk.folder.path().join("started");
    let line = desk.server(&[("read", "")]);
    let script = format!("touch '{}'; exec \"$@\"", mark.display());
    let mut words = vec!["-c".to_owned(), script, "sh".to_owned()];
    words.extend(line);
    let servers = json!({"mcpServers": {"theirs": {"command": "sh", "args": words}}});
    desk.folder.write("work/.mcp.json", servers.to_string());
    let done = desk.tamis(&["init", "--client", "claude-code"]);
    ended(
        &done,
        2,
        &[
            "files of this project, which others may have written, name these servers:",
            "theirs (Claude Code): sh -c 'touch",
            "pass --yes",
        ],
    );
    assert!(!mark.exists());
    ended(
        &desk.tamis(&["init", "--client=claude-code", "--yes"]),
        0,
        &["for 1 tool"],
    );
    assert!(mark.exists());
}

#[test]
fn servers_of_other_projects_are_not_asked() {
    let desk = Desk::new();
    let here = desk.work();
    let line = entry(&desk.server(&[("read", "")]));
    let servers = json!({"mcpServers": {}, "projects": {
        here.to_str().expect("Unicode"): {"mcpServers": {"mine": line}},
        "/elsewhere": {"mcpServers": {"foreign": {"command": "no-such-server"}}},
    }});
    desk.folder.write(".claude.json", servers.to_string());
    let done = desk.tamis(&["init", "--client", "claude-code"]);
    let said = [
        "foreign is not asked: it is for the project /elsewhere",
        "asking mine",
    ];
    ended(&done, 0, &said);
}

#[test]
fn a_configuration_is_named_by_its_path_in_each_format() {
    let desk = Desk::new();
    let line = desk.server(&[("read", "")]);
    let list = |words: &[String]| {
        let words: Vec<String> = words
            .iter()
            .map(|it| Value::from(it.as_str()).to_string())
            .collect();
        format!("[{}]", words.join(", "))
    };
    let check = "test \"$KEY\" = key && test \"$(basename \"$PWD\")\" = inner && exec \"$@\"";
    let mut words = vec!["-c".to_owned(), check.to_owned(), "sh".to_owned()];
    words.extend(line);
    let words = list(&words);
    std::fs::create_dir_all(desk.work().join("inner")).expect("make a folder");
    for (name, text) in [
        (
            "a.json",
            format!(
                "{{\"servers\": {{\"x\": {{\"command\": \"sh\", \"args\": {words}, \"env\": {{\"KEY\": \"${{env:WORD}}\"}}, \"cwd\": \"${{workspaceFolder}}/inner\"}}, // one\n}}}}"
            ),
        ),
        (
            "b.toml",
            format!(
                "[mcp_servers.x]\ncommand = \"sh\"\nargs = {words}\nenv = {{ KEY = \"key\" }}\ncwd = \"inner\"\n"
            ),
        ),
        (
            "c.yaml",
            format!(
                "mcpServers:\n  - name: x\n    command: sh\n    args: {words}\n    cwd: inner # here\n    env:\n      KEY: 'key' # the one\n"
            ),
        ),
    ] {
        desk.folder.write(&format!("work/{name}"), text);
        let words = [
            "init",
            "--client-config",
            name,
            "-o",
            "made.toml",
            "--force",
        ];
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        let done = desk.program(&words).env("WORD", "key").run("");
        ended(&done, 0, &[&format!("asking x ({name})"), "for 1 tool"]);
    }
    for (name, text, said) in [
        ("d.txt", "", "ends in .json, .jsonc, .toml, .yaml or .yml"),
        ("e.json", "{\"servers\": [", "e.json: line 1, column"),
        ("f.json", "{}", "the configurations have no servers"),
    ] {
        desk.folder.write(&format!("work/{name}"), text);
        ended(&desk.tamis(&["init", "--client-config", name]), 2, &[said]);
    }
    ended(
        &desk.tamis(&["init", "--client-config", "no.json"]),
        2,
        &["no.json: it cannot be read"],
    );
    ended(
        &desk.tamis(&["init", "--client", "zed"]),
        2,
        &[
            "no configuration is at any of these places:",
            ".config/zed/settings.json",
            "no servers",
        ],
    );
    // A broken one beside a valid one.
    desk.folder.write(".cursor/mcp.json", "{");
    desk.folder.write("work/made.toml", "");
    let line = entry(&desk.server(&[("read", "")]));
    let servers = json!({"mcpServers": {"files": line}}).to_string();
    desk.folder
        .write(".codeium/windsurf/mcp_config.json", servers);
    let done = desk.tamis(&["init", "--client", "cursor,windsurf"]);
    ended(
        &done,
        1,
        &[".cursor/mcp.json: left out: line 1", "for 1 tool"],
    );
    assert!(!desk.work().join("fixtures").exists());
}

#[test]
fn several_servers_are_named_by_hand() {
    let desk = Desk::new();
    let word = |text: &String| format!("'{}'", text.replace('\'', r"'\''"));
    let named = |name: &str, line: &[String]| {
        let words: Vec<String> = line.iter().map(word).collect();
        format!("{name}={}", words.join(" "))
    };
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let (upstream, address) = runtime.block_on(Upstream::start());
    let one = named("one", &desk.server(&[("read", "")]));
    let two = named("two", &desk.server(&[("write", "")]));
    let url = format!("web=http://{address}/mcp");
    let last = desk.server(&[("last", "")]);
    let mut words = vec!["init", "--command", &one, "--command", &two];
    words.extend(["--url", &url, "--header", "X-Key: ${WORD}", "--"]);
    words.extend(last.iter().map(String::as_str));
    let words: Vec<OsString> = words.iter().map(Into::into).collect();
    let done = desk.program(&words).env("WORD", "s3cret").run("");
    let run = format!("--server web --url http://{address}/mcp\n");
    ended(
        &done,
        0,
        &["for 6 tools of 4 servers", "--server one -- sh -c", &run],
    );
    let policy = desk.policy();
    for name in [
        "# Server sh (",
        "# Server one (",
        "# Server two (",
        "# Server web (",
    ] {
        assert!(policy.contains(name), "no `{name}` in\n{policy}");
    }
    let headers = &upstream.received_of("tools/list")[0].headers;
    assert_eq!(headers["x-key"], "s3cret");
    desk.is_sound(0);

    // One, with the name that `tamis run` gives it.
    let mut words = vec!["init", "--server", "mine", "-o", "-", "--"];
    words.extend(last.iter().map(String::as_str));
    let done = desk.tamis(&words);
    ended(
        &done,
        0,
        &["# Server mine (calls itself script 1). Its tools:"],
    );

    for (options, said) in [
        (&["--command", "npx server"][..], "allowed: NAME=COMMAND"),
        (
            &["--command", "a=npx | sh"],
            "`|` has a meaning for a shell",
        ),
        (&["--url", "files"], "files is not a URL"),
        (&["--all-clients", "--client", "zed"], "cannot be used with"),
        (
            &["--merge", "--force", "--client", "zed"],
            "cannot be used with",
        ),
        (&[], "required"),
        (
            &["--header", "A: b", "--command", "a=b"],
            "--header is for one server",
        ),
    ] {
        let mut words = vec!["init", "-o", "x.toml"];
        words.extend(options);
        ended(&desk.tamis(&words), 2, &[said]);
    }
}

#[test]
fn a_server_that_hangs_keeps_no_other_from_being_asked() {
    let desk = Desk::new();
    let hangs = "trap '' TERM; while :; do sleep 60; done";
    let welcome = "echo Welcome; while read -r line; do :; done";
    desk.cursor(&json!({
        "hangs": {"command": "sh", "args": ["-c", hangs]},
        "noise": {"command": "sh", "args": ["-c", welcome]},
        "works": entry(&desk.server(&[("read", "")])),
    }));
    let done = desk.tamis(&["init", "--client", "cursor", "--timeout", "1"]);
    ended(
        &done,
        1,
        &[
            "[1/3] hangs (Cursor) is left out: the server did not answer `initialize` within 1 s",
            "no MCP message: Welcome",
            "for 1 tool",
        ],
    );
    let none = desk.tamis(&[
        "init",
        "--client=cursor",
        "--server=hangs,noise",
        "--timeout=1",
        "--force",
    ]);
    ended(&none, 2, &["no server listed its tools"]);
}

#[test]
fn a_signal_ends_the_whole_round() {
    let desk = Desk::new();
    let waits = json!({"command": "sh", "args": ["-c", "echo up >&2; exec cat >/dev/null"]});
    desk.cursor(&json!({"one": waits, "two": {"command": "no-such-server"}}));
    let words = ["init", "--client", "cursor"].map(OsString::from);
    let mut running = desk.program(&words).start();
    running.wait_for_log(0, "up\n");
    running.signal(Signal::INT);
    let done = running.finish();
    ended(&done, 130, &["interrupted; nothing is written"]);
    assert!(
        !text(&done.stderr).contains("two"),
        "{}",
        text(&done.stderr)
    );
    assert!(!desk.work().join("filters.toml").exists());
}

#[test]
fn real_servers_of_a_configuration_are_one_file() {
    let desk = Desk::new();
    let (files, git) = (Server::Filesystem.folder(), Server::Git.folder());
    let words = |line: Vec<OsString>| -> Vec<String> {
        let word = |word: OsString| word.into_string().expect("Unicode");
        line.into_iter().map(word).collect()
    };
    desk.cursor(&json!({
        "files": entry(&words(Server::Filesystem.command(&files))),
        "git": entry(&words(Server::Git.command(&git))),
        "everything": entry(&words(Server::Everything.command(&files))),
    }));
    let log = format!(
        "git_log={}",
        json!({"repo_path": git.path().join("repository")})
    );
    let done = desk.tamis(&["init", "--client", "cursor", "--call", "--try", &log]);
    ended(&done, 0, &["[3/3] asking everything", "of 3 servers"]);
    let policy = desk.policy();
    assert!(
        policy.contains("# Server files (Cursor; calls itself secure-filesystem-server"),
        "{policy}"
    );
    assert!(policy.contains("#   git_log"), "{policy}");
    desk.is_sound(1);
    // A second run adds nothing.
    let again = desk.tamis(&["init", "--client", "cursor", "--merge"]);
    ended(&again, 0, &["nothing is added to filters.toml"]);
    assert_eq!(desk.policy(), policy);
}
