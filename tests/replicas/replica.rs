//! Replicas of the proxy, the server behind them, and a client of theirs.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use rustix::process::Signal;
use serde_json::{Value, json};

pub use crate::support::CHAIN;
use crate::support::proxy::{client, post};
use crate::support::{COMPILED, Finished, Folder, Program, Running, TAMIS, built_program};

/// The operator's keys.
pub const KEY: &str = "a-key-of-the-operator-with-40-characters";
pub const OTHER_KEY: &str = "another-key-of-the-operator-40-characters";

const LIMIT: Duration = Duration::from_secs(3600);

/// Bytes of a result that is cut, and of one that is not.
pub const LARGE: u64 = 40 << 10;
pub const SMALL: u64 = 2 << 10;

/// A program that listens.
pub struct Listening {
    pub running: Running,
    pub address: String,
}

impl Listening {
    pub fn start(program: Program) -> Listening {
        let mut running = program.limit(LIMIT).start();
        let line = String::from_utf8(running.receive_line()).expect("it is text");
        let Some(address) = line.trim().strip_prefix("listening on ") else {
            running.fail("it does not listen");
        };
        let address = address.trim_start_matches("http://").to_owned();
        Listening { running, address }
    }

    /// The server behind the proxies.
    pub fn server(folder: &Folder) -> Listening {
        let program = built_program("load-server");
        let line = [
            program.as_os_str(),
            "--listen".as_ref(),
            "127.0.0.1:0".as_ref(),
        ];
        Listening::start(Program::new(&line, folder.path()))
    }

    /// The replica of this name, with the folder's `NAME.toml` and a state directory of its own.
    pub fn replica(
        folder: &Folder,
        name: &str,
        address: &str,
        environment: &[(String, String)],
    ) -> Listening {
        Listening::start(replica(folder, name, address, environment))
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its metrics.
    pub async fn metrics(&self) -> String {
        let asked = client().get(format!("{}/metrics", self.url())).send();
        let answer = asked.await.expect("an answer");
        answer.text().await.expect("a body")
    }

    /// Requests that it sent to this service so far.
    pub async fn requests_to(&self, service: &str) -> u64 {
        let line = format!("tamis_service_requests_total{{service=\"{service}\"}} ");
        let metrics = self.metrics().await;
        let count = metrics.lines().find_map(|text| text.strip_prefix(&line));
        count.map_or(0, |count| count.parse().expect("a number"))
    }

    /// Ends it as an operator does.
    pub fn end(mut self) -> Finished {
        self.running.signal(Signal::TERM);
        self.running.finish()
    }
}

/// The program of a replica. TAMIS_REPLICAS_PROGRAM: another than the one that is built for tests, which is built to be
/// built quickly.
pub fn replica(
    folder: &Folder,
    name: &str,
    address: &str,
    environment: &[(String, String)],
) -> Program {
    replica_within(&[], folder, name, address, environment)
}

/// The same, started through another command.
pub fn replica_within(
    command: &[&str],
    folder: &Folder,
    name: &str,
    address: &str,
    environment: &[(String, String)],
) -> Program {
    let file = format!("{name}.toml");
    let other = std::env::var("TAMIS_REPLICAS_PROGRAM").ok();
    let program = other.as_deref().unwrap_or(TAMIS);
    let own = [program, "serve", "--config", &file, "--listen", address];
    let mut program = Program::new(&[command, &own].concat(), folder.path())
        .env(
            "TAMIS_STATE_DIR",
            folder.path().join(format!("state-{name}")),
        )
        .env("TAMIS_CACHE_DIR", COMPILED)
        .env("TAMIS_LOG", "info");
    for (name, value) in environment {
        program = program.env(name, value);
    }
    program
}

/// A client of one session, which may ask a different replica each time.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    token: Option<String>,
    pub session: Option<String>,
    number: u64,
}

impl Client {
    /// A client with these credentials.
    pub fn new(token: Option<&str>) -> Client {
        Client::over(&client(), token)
    }

    /// A client with these credentials, over these connections.
    pub fn over(http: &reqwest::Client, token: Option<&str>) -> Client {
        Client {
            http: http.clone(),
            token: token.map(str::to_owned),
            session: None,
            number: 0,
        }
    }

    /// The same client with this id of a session.
    pub fn with_session(mut self, session: impl Into<String>) -> Client {
        self.session = Some(session.into());
        self
    }

    /// Sends a message; the status, and the answer.
    pub async fn send(&mut self, base: &str, message: &Value) -> (u16, Value) {
        self.try_send(base, "load", message)
            .await
            .expect("an answer")
    }

    /// Sends a message to a server; the status, and the answer, which is null if it is no JSON.
    pub async fn try_send(
        &mut self,
        base: &str,
        server: &str,
        message: &Value,
    ) -> reqwest::Result<(u16, Value)> {
        let mut request = post(&self.http, &format!("{base}/{server}/mcp"), message);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(session) = &self.session {
            request = request
                .header("mcp-session-id", session)
                .header("mcp-protocol-version", "2025-11-25");
        }
        let answer = request.send().await?;
        let status = answer.status().as_u16();
        if let Some(session) = answer.headers().get("mcp-session-id") {
            self.session = Some(session.to_str().expect("text").to_owned());
        }
        let is_stream = answer
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind == "text/event-stream");
        let body = answer.text().await?;
        let text = match is_stream {
            true => {
                let mut data = body.lines().filter_map(|line| line.strip_prefix("data:"));
                data.find(|data| data.len() > 1).unwrap_or_default()
            }
            false => &body,
        };
        Ok((status, serde_json::from_str(text).unwrap_or(Value::Null)))
    }

    /// The same client, over connections of its own.
    pub fn over_new_connections(self) -> Client {
        Client {
            http: client(),
            ..self
        }
    }

    /// Begins a session at this replica.
    pub async fn begin(&mut self, base: &str, name: &str) {
        self.begin_at(base, "load", name).await;
    }

    /// Begins a session with a server at this replica.
    pub async fn begin_at(&mut self, base: &str, server: &str, name: &str) {
        self.session = None;
        let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1"},
        }});
        let greeted = self.try_send(base, server, &greeting).await;
        let (status, answer) = greeted.expect("an answer");
        assert_eq!(status, 200, "{answer}");
        assert!(self.session.is_some(), "{answer}");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let ready = self.try_send(base, server, &ready).await;
        let (status, answer) = ready.expect("an answer");
        assert_eq!(status, 202, "{answer}");
    }

    /// Calls a tool at this replica.
    pub async fn call(&mut self, base: &str, tool: &str, arguments: Value) -> (u16, Value) {
        self.number += 1;
        let id = self.number;
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": tool,
            "arguments": arguments,
        }});
        self.send(base, &call).await
    }

    /// Calls `rows` for a result of this size, and returns its text.
    pub async fn rows(&mut self, base: &str, number: u64, bytes: u64) -> String {
        let arguments = json!({"number": number, "bytes": bytes});
        let (status, answer) = self.call(base, "rows", arguments).await;
        assert_eq!(status, 200, "{answer}");
        text_of(&answer)
    }

    /// Reads an original at this replica.
    pub async fn read(&mut self, base: &str, reference: &str) -> String {
        let arguments = json!({"ref": reference, "part": "result"});
        let (status, answer) = self.call(base, "tamis_read", arguments).await;
        assert_eq!(status, 200, "{answer}");
        text_of(&answer)
    }

    /// Reads a resource at this replica: the whole answer.
    pub async fn resource(&mut self, base: &str, uri: &str) -> Value {
        self.number += 1;
        let read = json!({"jsonrpc": "2.0", "id": self.number, "method": "resources/read", "params": {
            "uri": uri,
        }});
        self.send(base, &read).await.1
    }
}

/// All texts of a result.
pub fn text_of(answer: &Value) -> String {
    let blocks = answer["result"]["content"].as_array();
    let blocks = blocks.unwrap_or_else(|| panic!("no result: {answer}"));
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// The reference that a cut result names.
pub fn reference_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("tamis_read {\"ref\":\"")?;
    rest.split_once('"').map(|(reference, _)| reference)
}

/// The reference of a result that is cut.
#[track_caller]
pub fn cut(text: &str) -> String {
    reference_in(text)
        .unwrap_or_else(|| panic!("it is not cut: {text}"))
        .to_owned()
}
