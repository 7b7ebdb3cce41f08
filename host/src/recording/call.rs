//! One recorded call, and the bytes of its file.
//!
//! The file is JSON with a member a line. The bytes of the client and the server (`arguments`, `result`)
//! are in it unchanged.

use super::Failure;
use crate::document::Document;
use crate::json;
use crate::json::tree::FRAME_DEPTH;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The member by which a recorded call is known; its value is the version of the form.
const MARK: &str = "tamis_recording";

/// The version that this program writes, and the only one that it reads.
const VERSION: u64 = 1;

/// Characters of an error that quotes a file.
const MOST_ERROR: usize = 200;

/// A tool's call, as the client made it and the server answered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The upstream, as filters and logs call it.
    pub server: String,
    pub tool: String,
    /// The client; none: it did not give its name.
    pub client: Option<Client>,
    /// A hash that is the same for all calls of a session, and for no others.
    pub session: String,
    /// When the answer came.
    pub time: SystemTime,
    /// A JSON object.
    pub arguments: String,
    /// The result as the server sent it, before any filter: a JSON value.
    pub result: Vec<u8>,
    /// Steps that failed on it. None of a call that was recorded for its own sake.
    pub failures: Vec<Failure>,
}

/// The client that called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Client {
    pub name: String,
    pub version: String,
}

impl Call {
    /// The bytes of its file.
    ///
    /// # Errors
    ///
    /// Arguments or result are no JSON: why, in one line.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        check("the arguments are", self.arguments.as_bytes())?;
        check("the result is", &self.result)?;
        let time = self.time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let head = [
            (MARK, json!(VERSION)),
            ("server", json!(self.server)),
            ("tool", json!(self.tool)),
            ("client", json!(self.client)),
            ("session", json!(self.session)),
            ("time_ms", json!(time.as_millis() as u64)),
        ];
        let head: Vec<String> = head
            .iter()
            .map(|(name, value)| format!("\"{name}\": {value}"))
            .collect();
        let head = head.join(",\n ");
        let mut bytes = Vec::with_capacity(head.len() + self.memory_bytes());
        for piece in [
            b"{",
            head.as_bytes(),
            b",\n \"arguments\": ",
            self.arguments.as_bytes(),
            b",\n \"result\": ",
            &self.result,
        ] {
            bytes.extend_from_slice(piece);
        }
        if !self.failures.is_empty() {
            bytes.extend_from_slice(b",\n \"failures\": ");
            bytes.extend_from_slice(json!(self.failures).to_string().as_bytes());
        }
        bytes.extend_from_slice(b"}\n");
        Ok(bytes)
    }

    /// Reads the output of [`Call::to_bytes`].
    ///
    /// # Errors
    ///
    /// It is no recorded call: the problem, in one line.
    pub fn parse(bytes: &[u8]) -> Result<Call, String> {
        check("it is", bytes)?;
        let version = number(bytes, MARK)
            .ok_or_else(|| format!("it is not a recorded call: it has no `{MARK}`"))?;
        if version != VERSION {
            return Err(format!(
                "it has the form {version} of recorded calls, and this Tamis reads the form {VERSION}"
            ));
        }
        let text = |name: &str| {
            let raw = member(bytes, name).and_then(json::text);
            let text = raw.ok_or_else(|| format!("its `{name}` is missing, or not a string"))?;
            Ok::<String, String>(text.into_owned())
        };
        let time_ms = number(bytes, "time_ms")
            .ok_or("its `time_ms` is missing, or not a number of milliseconds since 1970")?;
        let arguments = member(bytes, "arguments").filter(|raw| raw.starts_with(b"{"));
        let arguments = arguments.ok_or("its `arguments` are missing, or not an object")?;
        let result = member(bytes, "result").ok_or("its `result` is missing")?;
        let failures = match member(bytes, "failures").map(serde_json::from_slice) {
            None => Vec::new(),
            Some(failures) => failures.map_err(|error| {
                // The error quotes the file, whose texts have any length.
                let why: String = error.to_string().chars().take(MOST_ERROR).collect();
                format!("its `failures`: {why}")
            })?,
        };
        Ok(Call {
            server: text("server")?,
            tool: text("tool")?,
            client: member(bytes, "client").and_then(client),
            session: text("session")?,
            time: UNIX_EPOCH + Duration::from_millis(time_ms),
            // All of it was found to be JSON, so it is UTF-8.
            arguments: String::from_utf8_lossy(arguments).into_owned(),
            result: result.to_vec(),
            failures,
        })
    }

    /// Memory that it holds, near enough.
    pub(super) fn memory_bytes(&self) -> usize {
        let texts = [&self.server, &self.tool, &self.session, &self.arguments];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        let failures: usize = self.failures.iter().map(Failure::memory_bytes).sum();
        size_of::<Call>() + texts + self.result.len() + failures
    }
}

/// Whether these bytes are, or claim to be, a recorded call.
pub fn is_call(bytes: &[u8]) -> bool {
    number(bytes, MARK).is_some() && member(bytes, "result").is_some()
}

fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let [span] = json::members(object, [name]);
    Some(&object[span?])
}

fn number(object: &[u8], name: &str) -> Option<u64> {
    serde_json::from_slice(member(object, name)?).ok()
}

fn client(raw: &[u8]) -> Option<Client> {
    let client: Value = serde_json::from_slice(raw).ok()?;
    let text = |name: &str| client[name].as_str().map(str::to_owned);
    Some(Client {
        name: text("name")?,
        version: text("version").unwrap_or_default(),
    })
}

/// Whether something is JSON. `what` begins the message: "it is".
fn check(what: &str, bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{what} not UTF-8"))?;
    match Document::json_with_depth(text, FRAME_DEPTH) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{what} {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Limits;

    fn call() -> Call {
        Call {
            server: "demo".to_owned(),
            tool: "read \"it\"".to_owned(),
            client: Some(Client {
                name: "agent".to_owned(),
                version: "2".to_owned(),
            }),
            session: "00ff".to_owned(),
            time: UNIX_EPOCH + Duration::from_millis(1_763_800_000_123),
            arguments: r#"{ "n": 1e2, "n": 1 }"#.to_owned(),
            result: br#"{"content":[ {"type":"text","text":"\u00e9"}],"x":1.0}"#.to_vec(),
            failures: Vec::new(),
        }
    }

    #[test]
    fn what_is_written_is_read_again_byte_for_byte() {
        let unnamed = Call {
            client: None,
            ..call()
        };
        let failed = Call {
            failures: vec![Failure {
                filter: "house-style".to_owned(),
                plugin: "house".to_owned(),
                version: "1.0.0".to_owned(),
                sha256: None,
                settings: serde_json::Map::new(),
                limits: Failure::limits_by_key(&Limits::default()),
                part: "content".to_owned(),
                index: 1,
                is_error: true,
                outcome: "trap".to_owned(),
                error: "it crashed".to_owned(),
                is_json: false,
                document: "\u{e9}\n\"".to_owned(),
            }],
            ..call()
        };
        assert_eq!(failed.failures[0].limits(), Limits::default());
        for call in [call(), unnamed, failed] {
            let bytes = call.to_bytes().expect("it is JSON");
            assert!(is_call(&bytes));
            assert_eq!(Call::parse(&bytes), Ok(call));
        }
    }

    #[test]
    fn what_is_no_json_is_not_recorded() {
        let broken = Call {
            result: b"{\"a\":".to_vec(),
            ..call()
        };
        let error = broken.to_bytes().expect_err("it is broken");
        assert!(
            error.starts_with("the result is not JSON at byte "),
            "{error}"
        );
        let broken = Call {
            arguments: "{]".to_owned(),
            ..call()
        };
        broken.to_bytes().expect_err("it is broken");
    }

    #[test]
    fn what_is_no_recorded_call_is_refused_with_the_reason() {
        let bytes = call().to_bytes().expect("it is JSON");
        let text = String::from_utf8(bytes).expect("text");
        for (from, to, reason) in [
            ("\"tamis_recording\": 1", "\"tamis_recording\": 2", "form 2"),
            ("tamis_recording", "other", "it is not a recorded call"),
            ("\"tool\": ", "\"tool\": 1, \"x\": ", "`tool`"),
            ("\"time_ms\": ", "\"time_ms\": -", "`time_ms`"),
            (
                "\"arguments\": ",
                "\"arguments\": [], \"x\": ",
                "`arguments`",
            ),
            ("\"result\"", "\"results\"", "`result`"),
            ("]", "", "it is not JSON"),
        ] {
            let broken = text.replacen(from, to, 1);
            assert_ne!(broken, text);
            let error = Call::parse(broken.as_bytes()).expect_err(&broken);
            assert!(error.contains(reason), "{error}");
        }
        assert!(!is_call(br#"{"content":[]}"#));
    }
}
