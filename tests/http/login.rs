//! Servers that require a login: the login, its stored tokens, and its expiry.

mod guarded;

use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use self::guarded::Guarded;
use crate::support::{Finished, Folder, Program};
use serde_json::{Value, json};

/// A user's machine, with a browser that agrees to everything.
struct Machine {
    folder: Folder,
    browser: PathBuf,
}

impl Machine {
    fn new() -> Machine {
        let folder = Folder::new();
        // A browser takes time to load the page, and its caller does not wait.
        let browser = folder.write("browser", "#!/bin/sh\nexec curl -sSL -o page \"$1\"\n");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&browser, mode).expect("a mode");
        Machine { folder, browser }
    }

    fn tamis(&self, words: &[&str]) -> Program {
        let mut line = vec![env!("CARGO_BIN_EXE_tamis")];
        line.extend(words);
        let state = self.folder.path().join("state");
        Program::new(&line, self.folder.path()).env("TAMIS_STATE_DIR", state)
    }

    fn browsing(&self, words: &[&str]) -> Program {
        self.tamis(words).env("BROWSER", &self.browser)
    }

    fn kept(&self) -> Vec<PathBuf> {
        let folder = self.folder.path().join("state/logins");
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("a file").path()).collect()
    }
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}/mcp")
}

fn request(id: u64, method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}).to_string() + "\n"
}

fn answers(done: &Finished) -> Vec<Value> {
    let lines = done.stdout.split(|&byte| byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    let read = |line| serde_json::from_slice(line).expect("a message");
    lines.map(read).collect()
}

fn good_for(id: u64, scope: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"good-for": scope}})
}

/// Checks that no secret was printed, at the most verbose level.
#[track_caller]
fn is_discreet(guarded: &Guarded, done: &Finished) {
    let said = [&*done.stdout, &*done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    for secret in guarded
        .happened()
        .secrets
        .iter()
        .chain(&["sesame".to_owned()])
    {
        assert!(!said.contains(secret), "{secret} in:\n{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_logs_in_is_let_in_until_they_log_out() {
    let guarded = Guarded {
        lifetime: Some(3600),
        ..Guarded::default()
    };
    let (guarded, address) = guarded.start().await;
    let (machine, url) = (Machine::new(), url(address));

    // Without a login and a user, the error says what to do.
    let connect = ["connect", &url, "--log", "trace"];
    let done = machine.tamis(&connect).run(request(1, "look")).succeeded();
    let error = answers(&done)[0]["error"]["message"].to_string();
    assert!(error.contains(&format!("tamis login {url}")), "{error}");

    let done = machine.browsing(&["login", &url, "--log", "trace"]).run("");
    let done = done.succeeded();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains(&url) && said.contains("for 60 min"), "{said}");
    let shown = String::from_utf8_lossy(&done.stderr);
    assert!(shown.contains("/authorize?"), "{shown}");
    is_discreet(&guarded, &done);
    {
        let happened = guarded.happened();
        let login = &happened.logins[0];
        assert_eq!(login["scope"], "read");
        assert_eq!(login["resource"], url);
        assert_eq!(login["code_challenge_method"], "S256");
    }

    let done = machine.tamis(&connect).run(request(1, "look")).succeeded();
    assert_eq!(answers(&done), [good_for(1, "read")]);
    is_discreet(&guarded, &done);
    let kept = machine.kept();
    for file in &kept {
        let mode = std::fs::metadata(file).expect("a file").mode();
        assert_eq!(mode & 0o7777, 0o600, "{}", file.display());
    }
    assert!(!kept.is_empty());
    // The token is for this URL, and for no other URL of the same server.
    let other = format!("{url}?other");
    let done = machine.tamis(&["connect", &other]).run(request(1, "look"));
    assert!(answers(&done)[0]["error"].is_object());
    assert_eq!(guarded.happened().bearers.last(), Some(&None));

    let done = machine.tamis(&["login", "--list", "--json"]).run("");
    let list: Value = serde_json::from_slice(&done.succeeded().stdout).expect("JSON");
    assert_eq!(list[0]["url"], url);
    assert_eq!(list[0]["renews"], true);

    machine.tamis(&["logout", &url]).run("").succeeded();
    let done = machine.tamis(&connect).run(request(1, "look"));
    assert!(answers(&done)[0]["error"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_takes_the_place_of_a_login() {
    let (guarded, address) = Guarded::default().start().await;
    let (machine, url) = (Machine::new(), url(address));
    machine.browsing(&["login", &url]).run("").succeeded();
    let header = ["--header", "Authorization: Bearer of-the-operator"];
    let connect = [&["connect", &url][..], &header].concat();
    let done = machine.browsing(&connect).run(request(1, "look"));
    assert!(answers(&done)[0]["error"].is_object());
    let happened = guarded.happened();
    assert_eq!(happened.logins.len(), 1);
    let last = happened.bearers.last().expect("a request");
    assert_eq!(last.as_deref(), Some("Bearer of-the-operator"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_over_is_renewed_once_whoever_asks() {
    // Every token has expired when it arrives, so each request renews it.
    for lifetime in [None, Some(1)] {
        let guarded = Guarded {
            lifetime,
            ..Guarded::default()
        };
        let (guarded, address) = guarded.start().await;
        let (machine, url) = (Machine::new(), url(address));
        machine.browsing(&["login", &url]).run("").succeeded();
        guarded.forget_tokens();
        let connect = ["connect", &url, "--log", "trace"];
        let mut both = [
            machine.tamis(&connect).start(),
            machine.tamis(&connect).start(),
        ];
        for one in &mut both {
            for id in 1..=4 {
                one.send(request(id, "look"));
            }
        }
        for one in both {
            let done = one.finish().succeeded();
            let mut answers = answers(&done);
            answers.sort_by_key(|answer| answer["id"].as_u64());
            let expected: Vec<Value> = (1..=4).map(|id| good_for(id, "read")).collect();
            assert_eq!(answers, expected);
            is_discreet(&guarded, &done);
        }
        let happened = guarded.happened();
        assert_eq!(happened.thieves, 0);
        assert_eq!((happened.logins.len(), happened.registered), (1, 1));
        if lifetime.is_none() {
            assert_eq!(happened.renewals, 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_is_asked_when_nothing_else_helps() {
    let guarded = Guarded {
        wants: "write",
        ..Guarded::default()
    };
    let (guarded, address) = guarded.start().await;
    let (machine, url) = (Machine::new(), url(address));
    // Without a login, many requests require one.
    let connect = ["connect", &url, "--log", "trace"];
    let mut client = machine.browsing(&connect).start();
    for id in 1..=3 {
        client.send(request(id, "look"));
    }
    for _ in 1..=3 {
        let line = client.receive_line();
        let answer: Value = serde_json::from_slice(&line).expect("a message");
        assert_eq!(answer["result"]["good-for"], "read");
    }
    // A token with more scopes, which include the old ones.
    client.send(request(4, "admin"));
    let line = client.receive_line();
    let answer: Value = serde_json::from_slice(&line).expect("a message");
    assert_eq!(answer, good_for(4, "read write"));
    // A token that cannot be renewed.
    guarded.forget_all();
    client.send(request(5, "look"));
    let done = client.finish().succeeded();
    assert_eq!(answers(&done)[4]["id"], 5);
    assert!(answers(&done)[4]["result"].is_object());
    is_discreet(&guarded, &done);
    assert_eq!(guarded.happened().logins.len(), 3);
    // No user to ask.
    guarded.forget_all();
    let done = machine.tamis(&connect).run(request(1, "look"));
    let error = answers(&done)[0]["error"]["message"].to_string();
    assert!(
        error.contains("the login has expired: tamis login"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_refuses_everything_is_not_asked_for_ever() {
    // No token ever suffices for this.
    let (guarded, address) = Guarded {
        wants: "nothing helps",
        ..Guarded::default()
    }
    .start()
    .await;
    let (machine, url) = (Machine::new(), url(address));
    let mut client = machine.browsing(&["connect", &url]).start();
    for id in 1..=2 {
        client.send(request(id, "admin"));
        let line = client.receive_line();
        let answer: Value = serde_json::from_slice(&line).expect("a message");
        assert!(answer["error"].is_object(), "{answer}");
    }
    client.finish().succeeded();
    assert_eq!(guarded.happened().logins.len(), 3);
}

#[test]
fn what_cannot_be_is_said() {
    let machine = Machine::new();
    let cases: [(&[&str], &str); 4] = [
        (&["login", "http://mcp.example.com/mcp"], "is not encrypted"),
        (&["login", "http://127.0.0.1:1/mcp"], "cannot be reached"),
        (&["login", "mcp.example.com"], "is not a URL"),
        (
            &["login", "https://a/mcp", "--header", "Authorization: x"],
            "leave it out",
        ),
    ];
    for (words, why) in cases {
        let done = machine.tamis(words).run("");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success() && said.contains(why), "{said}");
    }
}
