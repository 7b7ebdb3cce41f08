//! A client that recognises its own answers.
//!
//! The server behind the proxy writes the name of the session's client and the number of the call into each result.
//! Every answer must have both, or be an error with a clear message, within the deadline.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::support::proxy::post;

/// Most time of a request, until an answer or an error. A request that exceeds it hangs.
const DEADLINE: Duration = Duration::from_secs(30);

/// Clear messages about a server that was killed.
const CLEAR: [&str; 4] = [
    "the upstream server cannot be reached",
    "the upstream server ended before it answered",
    "the upstream server broke off its answer",
    "the upstream server has ended",
];

/// One in this many calls has a result so large that it is cut.
const LARGE_EVERY: u64 = 100;

pub struct Client {
    http: reqwest::Client,
    url: String,
    pub name: String,
    session: Option<String>,
    /// The number of the last call.
    number: u64,
    /// Connections may break, because Tamis itself is killed.
    pub may_break: bool,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// This call's own result.
    Answered,
    /// An error with the reason for the missing result.
    Failed,
    /// The session ended, and a new one must begin.
    Forgotten,
    /// The proxy was killed.
    Broken,
}

/// The content of an HTTP answer.
enum Reply {
    Message(Value),
    Forgotten,
    Broken(String),
}

impl Client {
    pub fn new(http: &reqwest::Client, url: &str, at: usize) -> Client {
        Client {
            http: http.clone(),
            url: url.to_owned(),
            name: format!("client-{at}"),
            session: None,
            number: 0,
            may_break: false,
        }
    }

    /// Begins a session, with as many attempts as needed.
    pub async fn begin(&mut self) {
        let begin = async {
            while !self.greet().await {
                // The server is still starting.
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        if tokio::time::timeout(DEADLINE, begin).await.is_err() {
            panic!("{}: no session begins", self.name);
        }
    }

    async fn greet(&mut self) -> bool {
        // An error may also have an id.
        self.session = None;
        let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": self.name, "version": "1"},
        }});
        match self.ask(&greeting).await {
            Reply::Message(message) if message["error"].is_null() => {
                assert_eq!(message["result"]["serverInfo"]["name"], "load", "{message}");
                assert!(
                    self.session.is_some(),
                    "{}: the session has no id",
                    self.name
                );
                let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                self.ask(&ready).await;
                true
            }
            Reply::Message(error) => {
                self.assert_clear(&error, 0);
                false
            }
            Reply::Forgotten => panic!("{}: a session that is to begin was not there", self.name),
            Reply::Broken(why) => {
                self.assert_may_break(&why);
                false
            }
        }
    }

    /// Calls the tool once. Panics if the answer belongs to another client, and if none comes.
    pub async fn call(&mut self) -> Outcome {
        let (number, request) = self.next();
        match self.ask(&request).await {
            Reply::Message(answer) if answer["error"].is_null() => {
                self.assert_own(&answer, number);
                Outcome::Answered
            }
            Reply::Message(error) => {
                self.assert_clear(&error, number);
                Outcome::Failed
            }
            Reply::Forgotten => Outcome::Forgotten,
            Reply::Broken(why) => {
                self.assert_may_break(&why);
                Outcome::Broken
            }
        }
    }

    /// Calls the tool, and leaves after a while.
    pub async fn call_and_go(&mut self, after: Duration) {
        let (_, request) = self.next();
        // Dropping the request closes its connection.
        let _ = tokio::time::timeout(after, self.ask(&request)).await;
    }

    /// Writes the beginning of a request, and leaves.
    pub async fn begin_request_and_go(&mut self, part: f64) {
        use tokio::io::AsyncWriteExt;
        let (_, request) = self.next();
        let body = request.to_string();
        let address = self.url.trim_start_matches("http://");
        let (address, path) = address.split_once('/').expect("a path");
        let session = self.session.as_deref().unwrap_or_default();
        let request = format!(
            "POST /{path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nmcp-session-id: {session}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = tokio::net::TcpStream::connect(address)
            .await
            .expect("it listens");
        let end = (request.len() as f64 * part) as usize;
        stream
            .write_all(&request.as_bytes()[..end])
            .await
            .expect("it reads");
    }

    /// Ends the session.
    pub async fn end(&mut self) {
        let Some(session) = self.session.take() else {
            return;
        };
        let request = self
            .http
            .delete(&self.url)
            .header("mcp-session-id", session);
        let ended = tokio::time::timeout(DEADLINE, request.send()).await;
        ended
            .expect("the end of a session does not hang")
            .expect("an answer");
    }

    fn next(&mut self) -> (u64, Value) {
        self.number += 1;
        let number = self.number;
        let bytes = if number.is_multiple_of(LARGE_EVERY) {
            40 << 10
        } else {
            (2 << 10) << (number % 4)
        };
        let request = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "rows",
            "arguments": {"number": number, "bytes": bytes},
        }});
        (number, request)
    }

    /// Sends a message, and reads the answer to its end.
    async fn ask(&mut self, message: &Value) -> Reply {
        match tokio::time::timeout(DEADLINE, self.exchange(message)).await {
            Ok(Ok(said)) => said,
            Ok(Err(error)) => Reply::Broken(format!("{error:?}")),
            Err(_) => panic!("{}: no answer within {DEADLINE:?} to {message}", self.name),
        }
    }

    async fn exchange(&mut self, message: &Value) -> reqwest::Result<Reply> {
        let mut request = post(&self.http, &self.url, message);
        if let Some(session) = &self.session {
            // In one of these versions, answers are streams that can be resumed; in the other they are JSON.
            let version = if self.name.ends_with(['0', '2', '4', '6', '8']) {
                "2025-11-25"
            } else {
                "2025-06-18"
            };
            request = request
                .header("mcp-session-id", session)
                .header("mcp-protocol-version", version);
        }
        let answer = request.send().await?;
        if answer.status() == 404 {
            return Ok(Reply::Forgotten);
        }
        if let Some(session) = answer.headers().get("mcp-session-id") {
            self.session = Some(session.to_str().expect("text").to_owned());
        }
        let kind = answer.headers().get(CONTENT_TYPE).cloned();
        let body = answer.text().await?;
        if message["id"].is_null() {
            return Ok(Reply::Message(Value::Null));
        }
        let json = if kind.is_some_and(|kind| kind == "text/event-stream") {
            let mut data = body.lines().filter_map(|line| line.strip_prefix("data:"));
            data.find(|data| data.len() > 1).unwrap_or_default()
        } else {
            &body
        };
        let answer = serde_json::from_str(json);
        let answer =
            answer.unwrap_or_else(|_| panic!("{}: no answer to {message}: {body}", self.name));
        Ok(Reply::Message(answer))
    }

    fn assert_own(&self, answer: &Value, number: u64) {
        let own = format!("{}#{number}", self.name);
        assert_eq!(answer["id"], number, "{own} was given {answer}");
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{own} was given {answer}"));
        assert!(
            !text.contains("\"discount\":null"),
            "{own} was not filtered: {answer}"
        );
        let named: Vec<&str> = text
            .match_indices("client-")
            .map(|(at, _)| {
                let rest = &text[at..];
                let end =
                    rest.find(|char: char| !(char.is_ascii_alphanumeric() || "-#".contains(char)));
                &rest[..end.unwrap_or(rest.len())]
            })
            .collect();
        // A result that was cut lacks its end.
        let times = if number.is_multiple_of(LARGE_EVERY) {
            1
        } else {
            2
        };
        assert_eq!(named, vec![&*own; times], "{own} was given {answer}");
    }

    fn assert_clear(&self, error: &Value, number: u64) {
        assert_eq!(error["id"], number, "{} was given {error}", self.name);
        let why = error["error"]["message"].as_str().unwrap_or_default();
        assert!(
            CLEAR.iter().any(|clear| why.contains(clear)),
            "{}: this does not say what happened: {error}",
            self.name
        );
    }

    fn assert_may_break(&self, why: &str) {
        assert!(self.may_break, "{}: the connection broke: {why}", self.name);
    }
}
