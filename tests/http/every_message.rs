//! `on = ["*"]`: a server puts a secret of its own into every place of the protocol, in every spelling. No secret
//! reaches the client, over standard input and output and over HTTP, in three versions of the protocol.

mod places;
mod server;
mod surfaces;

use self::places::{Place, places};
use self::server::Server;
use crate::support::proxy::{Proxy, client, post};
use crate::support::{COMPILED, Folder, Program, tamis_run};
use serde_json::{Value, json};
use std::time::Duration;

const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// The first recipe of the cookbook.
const REDACTED: &str = include_str!("../../examples/cookbook/hide-secrets/filters.toml");

/// The client's requests, so that the server answers from every place.
fn requests(version: &str) -> Vec<Value> {
    let first = match version {
        "2026-07-28" => "server/discover",
        _ => "initialize",
    };
    let methods = [
        first,
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
        "logging/setLevel",
        "ping",
        "tasks/list",
        "later/method",
    ];
    let mut all = Vec::new();
    for method in methods {
        // The server answers a method in several ways, one after the other.
        for turn in 0..places::TURNS {
            let mut params = json!({"name": "open", "arguments": {}, "uri": "test://a"});
            match version {
                "2026-07-28" => {
                    params["_meta"] = json!({
                        "io.modelcontextprotocol/protocolVersion": version,
                        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                        "io.modelcontextprotocol/clientCapabilities": {},
                        "turn": turn,
                    });
                }
                _ => params["_meta"] = json!({"turn": turn, "progressToken": 1}),
            }
            if method == "initialize" {
                if turn > 0 {
                    continue;
                }
                params["protocolVersion"] = version.into();
                params["capabilities"] = json!({"sampling": {}, "elicitation": {}});
                params["clientInfo"] = json!({"name": "test", "version": "1"});
            }
            let id = all.len() + 1;
            all.push(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        }
    }
    all
}

/// All bytes that a client gets over standard input and output.
fn over_stdio(policy: &str, version: &str) -> Vec<u8> {
    talk(&Folder::new(), policy, version, requests(version))
}

/// The same for these requests, with the files of the policy and of the server in a folder.
fn talk(folder: &Folder, policy: &str, version: &str, requests: Vec<Value>) -> Vec<u8> {
    folder.write("filters.toml", policy);
    let frames = server::write_frames(folder.path(), version);
    let line = tamis_run(
        &folder.path().join("filters.toml"),
        &[
            "sh".into(),
            "-c".into(),
            server::SHELL.into(),
            frames.into_os_string(),
        ],
    );
    let program = Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TAMIS_CACHE_DIR", COMPILED)
        .limit(Duration::from_secs(120));
    let mut running = program.start();
    let mut got = Vec::new();
    for request in requests {
        let id = &request["id"];
        running.send(format!("{request}\n"));
        loop {
            let line = running.receive_line();
            if !line.ends_with(b"\n") {
                running.fail(&format!("it ended before it answered {request}"));
            }
            got.extend_from_slice(&line);
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            let is_answer = message["method"].is_null() && message["id"] == *id;
            if is_answer || message[0]["id"] == *id {
                break;
            }
        }
    }
    running.finish();
    got
}

/// All bytes that a client gets over HTTP, with the headers.
async fn over_http(policy: &str, version: &str) -> Vec<u8> {
    let server = Server::start(version).await;
    let policy = format!("{policy}\n[server.a]\nurl = \"{}\"\n", server.url);
    let proxy = Proxy::start(&policy);
    let client = client();
    let mut session = None;
    let mut got = Vec::new();
    for request in requests(version) {
        let method = request["method"].as_str().expect("a method").to_owned();
        let mut post = post(&client, &proxy.url("a"), &request).timeout(Duration::from_secs(30));
        if version == "2026-07-28" {
            post = post.header("mcp-method", &method);
            if matches!(&*method, "tools/call" | "prompts/get") {
                post = post.header("mcp-name", "open");
            }
            if method == "resources/read" {
                post = post.header("mcp-name", "test://a");
            }
        }
        if method != "initialize" {
            post = post.header("mcp-protocol-version", version);
        }
        if let Some(session) = &session {
            post = post.header("mcp-session-id", session);
        }
        let answer = post.send().await.expect("an answer");
        for (name, value) in answer.headers() {
            if name == "mcp-session-id" && version != "2026-07-28" {
                session = Some(value.clone());
            }
            got.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\n"].concat());
        }
        got.extend_from_slice(&answer.bytes().await.expect("a body"));
        got.push(b'\n');
    }
    proxy.end();
    got
}

/// The places whose secret a client could read, in any spelling.
fn leaks(got: &[u8], places: &[Place]) -> Vec<String> {
    let seen = places::readings(got);
    let leak = |place: &&Place| seen.iter().any(|text| text.contains(&place.secret));
    places
        .iter()
        .filter(leak)
        .map(|it| it.name.to_owned())
        .collect()
}

fn of_stdio(place: &Place) -> bool {
    !place.name.starts_with("http ")
}

#[test]
fn nothing_reaches_a_client_over_stdio() {
    for version in VERSIONS {
        let (mut places, _) = places(version);
        places.retain(of_stdio);
        assert!(places.len() >= 60, "{} places", places.len());
        let bare = leaks(&over_stdio("", version), &places);
        let names: Vec<&str> = places.iter().map(|place| place.name).collect();
        assert_eq!(
            bare, names,
            "{version}: without the chain, each secret arrives"
        );
        let got = over_stdio(REDACTED, version);
        assert_eq!(
            leaks(&got, &places),
            Vec::<String>::new(),
            "{version}: {}",
            text(&got)
        );
    }
}

#[tokio::test]
async fn nothing_reaches_a_client_over_http() {
    for version in VERSIONS {
        let (mut places, _) = places(version);
        places.retain(|place| !place.name.starts_with("stdio "));
        let bare = leaks(&over_http("", version).await, &places);
        let names: Vec<&str> = places.iter().map(|place| place.name).collect();
        assert_eq!(
            bare, names,
            "{version}: without the chain, each secret arrives"
        );
        let got = over_http(REDACTED, version).await;
        assert_eq!(
            leaks(&got, &places),
            Vec::<String>::new(),
            "{version}: {}",
            text(&got)
        );
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
