//! `tamis serve` as a program, and a client of it.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{COMPILED, Folder, Program, Running};

/// A listening proxy.
pub struct Proxy {
    pub folder: Folder,
    pub running: Running,
    pub base: String,
    client: reqwest::Client,
}

impl Proxy {
    /// Starts a proxy with this policy.
    pub fn start(policy: &str) -> Proxy {
        Proxy::start_with(policy, &[])
    }

    /// Starts a proxy with this policy and these environment variables.
    pub fn start_with(policy: &str, environment: &[(&str, &str)]) -> Proxy {
        let folder = Folder::new();
        folder.write("filters.toml", policy);
        let mut program = program(&folder);
        for (name, value) in environment {
            program = program.env(name, value);
        }
        let mut running = program.start();
        let line = String::from_utf8(running.receive_line()).expect("it is text");
        let Some(base) = line.trim().strip_prefix("listening on ") else {
            running.fail("it does not listen");
        };
        let base = base.to_owned();
        Proxy {
            folder,
            running,
            base,
            client: client(),
        }
    }

    pub fn url(&self, server: &str) -> String {
        format!("{}/{server}/mcp", self.base)
    }

    /// A POST of this message to a server.
    pub fn post(&self, server: &str, message: &Value) -> RequestBuilder {
        post(&self.client, &self.url(server), message)
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.base))
    }

    /// Begins a session, and returns its id.
    pub async fn session(&self, server: &str) -> String {
        let answer = self
            .post(server, &initialize())
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 200);
        let id = answer.headers()["mcp-session-id"]
            .to_str()
            .expect("text")
            .to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let ready = self.post(server, &ready).header("mcp-session-id", &id);
        assert_eq!(ready.send().await.expect("an answer").status(), 202);
        id
    }

    /// Calls a tool in a session, and returns the answer as text.
    pub async fn call(&self, server: &str, session: &str, tool: &str) -> String {
        let request = self
            .post(server, &call(1, tool))
            .header("mcp-session-id", session);
        let answer = request.send().await.expect("an answer");
        answer.text().await.expect("a body")
    }

    /// The log so far.
    pub fn log(&self) -> String {
        self.running.log()
    }

    /// Ends the proxy, and returns its output.
    pub fn end(mut self) -> crate::support::Finished {
        self.running.signal(Signal::TERM);
        self.running.finish()
    }
}

pub fn program(folder: &Folder) -> Program {
    let line = [
        env!("CARGO_BIN_EXE_tamis"),
        "serve",
        "--config",
        "filters.toml",
        "--listen",
        "127.0.0.1:0",
        "--log",
        "info",
    ];
    Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TAMIS_CACHE_DIR", COMPILED)
        .limit(Duration::from_secs(120))
}

pub fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy();
    client.build().expect("a client")
}

pub fn post(client: &reqwest::Client, url: &str, message: &Value) -> RequestBuilder {
    client
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(message.to_string())
}

pub fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

pub fn call(id: u64, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool,
        "arguments": {},
        "_meta": {"progressToken": 1},
    }})
}

/// The next bytes of a streamed answer; none at its end.
pub async fn piece(answer: &mut Response) -> Option<String> {
    let piece = answer.chunk().await.expect("the stream goes on");
    piece.map(|bytes| String::from_utf8(bytes.to_vec()).expect("text"))
}
