//! A client that costs next to nothing, so that what is measured is the server: one connection, requests that are
//! put together before the clock starts, and answers that are read, not parsed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A client with a session.
pub struct Client {
    stream: TcpStream,
    /// All of a request's head but its length.
    head: String,
    answer: Vec<u8>,
    body_start: usize,
}

impl Client {
    /// Connects, and begins a session by this name.
    pub fn new(address: &str, path: &str, name: &str) -> Client {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n"
        );
        let mut client = Client {
            stream,
            head,
            answer: Vec::new(),
            body_start: 0,
        };
        client.ask(&format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"{name}","version":"1"}}}}}}"#
        ));
        let session = client
            .header("mcp-session-id")
            .expect("a session")
            .to_owned();
        client.head +=
            &format!("mcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n");
        client.ask(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    /// Calls the tool. How long the answer took.
    pub fn call(&mut self, number: usize, bytes: usize) -> Duration {
        let time = self.ask(&format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{"name":"rows","arguments":{{"number":{number},"bytes":{bytes}}}}}}}"#
        ));
        let is_result = memchr::memmem::find(self.body(), b"\"result\"").is_some();
        assert!(is_result, "{}", String::from_utf8_lossy(&self.answer));
        time
    }

    /// The body of the last answer.
    pub fn body(&self) -> &[u8] {
        &self.answer[self.body_start..]
    }

    fn ask(&mut self, message: &str) -> Duration {
        let request = format!(
            "{}content-length: {}\r\n\r\n{message}",
            self.head,
            message.len()
        );
        self.answer.clear();
        let begun = Instant::now();
        self.stream
            .write_all(request.as_bytes())
            .expect("the server reads");
        let mut whole = None;
        let mut buffer = [0; 32 << 10];
        while whole.is_none_or(|whole| self.answer.len() < whole) {
            let count = self.stream.read(&mut buffer).expect("an answer");
            assert!(count > 0, "the server has gone");
            self.answer.extend_from_slice(&buffer[..count]);
            if whole.is_none()
                && let Some(end) = memchr::memmem::find(&self.answer, b"\r\n\r\n")
            {
                self.body_start = end + 4;
                let length = self
                    .header("content-length")
                    .map_or(0, |length| length.parse().expect("a length"));
                whole = Some(self.body_start + length);
            }
        }
        begun.elapsed()
    }

    /// A header of the last answer.
    fn header(&self, name: &str) -> Option<&str> {
        let head = std::str::from_utf8(&self.answer[..self.body_start]).expect("text");
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}
