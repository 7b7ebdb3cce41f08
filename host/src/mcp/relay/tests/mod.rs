//! Frames of a client and an upstream, and the frames that the other side gets.

use crate::json;
use std::sync::Mutex;

use super::*;

mod hiding;
mod own_answers;
mod policies;
mod results;
mod tasks;

/// Binds the tools `bound` and `panics`; its results show the binding and the input.
#[derive(Default)]
struct Policy {
    name: &'static str,
    lists: bool,
    hides: bool,
    announces: bool,
    /// Its redaction of every message, if it redacts messages.
    redacts: Option<fn() -> Redacted>,
    cancelled: Mutex<Vec<String>>,
    /// Lists of tools that it let pass.
    passed: Mutex<usize>,
}

impl Rewrite for Policy {
    type Trace = ();
    type Bound = String;

    fn bind(&self, asked: Asked<'_, ()>) -> Option<String> {
        let Asked { method, params, .. } = asked;
        if method != "tools/call" {
            return matches!(method, "initialize" | "tasks/result").then(|| method.to_owned());
        }
        let (tool, arguments) = call_of(params?)?;
        matches!(&*tool, "bound" | "panics").then(|| format!("{tool} {arguments}"))
    }

    fn answer_locally(&self, asked: Asked<'_, ()>) -> Option<LocalWork> {
        let Asked { method, params, .. } = asked;
        if method != "tools/call" {
            return None;
        }
        let (tool, arguments) = call_of(params?)?;
        match &*tool {
            "own" => Some(Box::new(move || {
                LocalAnswer::Result(format!("[{arguments},\n0]").into_bytes())
            })),
            "own refuses" => Some(Box::new(|| {
                LocalAnswer::Error(b"{\"code\":-32002}".to_vec())
            })),
            "own panics" => Some(Box::new(|| panic!("as intended"))),
            _ => None,
        }
    }

    fn result(&self, bound: &String, result: &[u8]) -> Option<Vec<u8>> {
        assert!(!bound.starts_with("panics"), "as intended");
        let untouched = result.starts_with(b"\"leave");
        let name = self.name;
        (!untouched).then(|| format!("<{name}{bound}: {}>", result.len()).into_bytes())
    }

    fn tools_list(&self, _result: &[u8]) -> Option<Vec<u8>> {
        Some(format!("\r[\"{}tools\"]\n", self.name).into_bytes())
    }

    fn tools_list_passes(&self, _result: &[u8]) {
        *self.passed.lock().unwrap() += 1;
    }

    fn announces_list_changes(&self) -> bool {
        self.announces
    }

    fn changes_tools_list(&self) -> bool {
        self.lists
    }

    fn hides(&self) -> bool {
        self.hides
    }

    fn redacts_messages(&self) -> bool {
        self.redacts.is_some()
    }

    fn redact(&self, _message: &[u8]) -> Redacted {
        self.redacts.map_or(Redacted::Unchanged, |redact| redact())
    }

    fn rewrites_tools_list(&self) -> bool {
        self.lists
    }

    fn cancelled(&self, bound: &mut String) -> bool {
        self.cancelled.lock().unwrap().push(std::mem::take(bound));
        true
    }
}

/// The tool and the arguments of a call.
fn call_of(params: &[u8]) -> Option<(String, String)> {
    let [tool, arguments] = json::members(params, ["name", "arguments"]);
    let tool = json::text(&params[tool?])?.into_owned();
    let arguments = arguments.map_or(&b"none"[..], |span| &params[span]);
    Some((tool, String::from_utf8_lossy(arguments).into_owned()))
}

fn relay() -> Relay<Policy> {
    Relay::new(Arc::new(Policy::default()))
}

/// Sends a frame that the upstream must get unchanged, and that nobody answers yet.
fn send(relay: &Relay<Policy>, frame: &str) {
    let noted = relay.from_client(frame.as_bytes(), Origin::default());
    assert_eq!(noted.forward, Forward::AsItIs, "{frame}");
    assert!(noted.answers.is_empty(), "{frame}");
}

fn call(relay: &Relay<Policy>, id: &str, tool: &str) {
    send(
        relay,
        &format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"n":1}}}}}}"#
        ),
    );
}

/// The bytes that the client gets for a frame.
fn receive(relay: &Relay<Policy>, frame: &str) -> String {
    match relay.from_upstream(frame.as_bytes()) {
        FromUpstream::Forward => frame.to_owned(),
        FromUpstream::Rewrite(job) => String::from_utf8(job.run().0).unwrap(),
        FromUpstream::Refused(refused) => {
            let errors = refused.errors.into_iter();
            errors
                .map(|error| String::from_utf8(error).unwrap() + "\n")
                .collect()
        }
    }
}

fn untouched(relay: &Relay<Policy>, frame: &str) {
    assert_eq!(receive(relay, frame), frame);
}

fn hiding() -> Relay<Policy> {
    Relay::new(Arc::new(Policy {
        hides: true,
        ..Policy::default()
    }))
}
