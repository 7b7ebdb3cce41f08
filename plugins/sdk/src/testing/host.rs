//! The host's side of the contract for one native call, on the thread that makes it.

use crate::{Kept, Kind, Level, Part, Surface};
use std::cell::RefCell;
use std::collections::BTreeMap;
use tamis_document::{Document, Tape};

/// Facts about the call.
#[derive(Clone)]
pub(crate) struct Facts {
    pub(crate) tool: String,
    pub(crate) surface: String,
    pub(crate) part: String,
    pub(crate) index: u32,
    pub(crate) is_error: bool,
    pub(crate) sent_as: Kind,
    pub(crate) arguments: String,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts {
            tool: "tool".to_owned(),
            surface: Surface::Result.name().to_owned(),
            part: Part::Content.name().to_owned(),
            index: 0,
            is_error: false,
            sent_as: Kind::Json,
            arguments: "{}".to_owned(),
        }
    }
}

impl Facts {
    /// The part as a call of the read tool names it. The first block is the only one.
    fn part_argument(&self) -> String {
        let address = match (self.part.as_str(), self.index) {
            ("content", 0) => return String::new(),
            ("content", index) => format!("content[{index}]"),
            ("structured-content", _) => "structuredContent".to_owned(),
            _ => "content".to_owned(),
        };
        format!(r#","part":"{address}""#)
    }
}

/// The answers for one call, and its traces.
#[derive(Default)]
pub(crate) struct Host {
    pub(crate) call: Facts,
    pub(crate) has_paths: bool,
    pub(crate) document: Option<Document>,
    pub(crate) keeps: bool,
    pub(crate) fetched_bytes: u64,
    pub(crate) counted_bytes: u64,
    pub(crate) log: Vec<String>,
    pub(crate) result_meta: Vec<(String, String)>,
    pub(crate) kept: Vec<String>,
    pub(crate) session: BTreeMap<String, String>,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

/// Runs `call` with `host` as the host, and returns both results.
pub(crate) fn serve<R>(host: Host, call: impl FnOnce() -> R) -> (R, Host) {
    HOST.replace(host);
    let answer = call();
    (answer, HOST.take())
}

fn with_document<R>(read: impl FnOnce(&Document) -> R) -> R {
    HOST.with_borrow(|host| {
        let document = host.document.as_ref();
        read(document.expect("a document is there only inside `Bench::apply`"))
    })
}

fn fact<R>(read: impl FnOnce(&Facts) -> R) -> R {
    HOST.with_borrow(|host| read(&host.call))
}

pub fn call_server() -> String {
    "server".to_owned()
}

pub fn call_tool() -> String {
    fact(|call| call.tool.clone())
}

pub fn call_surface() -> String {
    fact(|call| call.surface.clone())
}

pub fn call_part() -> String {
    fact(|call| call.part.clone())
}

pub fn call_index() -> u32 {
    fact(|call| call.index)
}

pub fn call_is_error() -> bool {
    fact(|call| call.is_error)
}

pub fn call_sent_as() -> Kind {
    fact(|call| call.sent_as)
}

pub fn call_arguments() -> String {
    fact(|call| call.arguments.clone())
}

pub fn kind() -> Kind {
    with_document(|document| match document.kind() {
        tamis_document::Kind::Json => Kind::Json,
        tamis_document::Kind::Text => Kind::Text,
    })
}

pub fn len() -> u32 {
    with_document(|document| u32::try_from(document.text().len()).expect("a document under 4 GiB"))
}

pub fn text() -> String {
    fetched(with_document(|document| document.text().to_string()))
}

pub fn slice(start: u32, end: u32) -> String {
    fetched(with_document(|document| {
        document.slice(start, end).to_owned()
    }))
}

/// Counts fetched bytes: a filter that needs a part should not fetch the whole.
fn fetched(text: String) -> String {
    HOST.with_borrow_mut(|host| host.fetched_bytes += text.len() as u64);
    text
}

pub fn tape() -> Vec<u32> {
    with_document(|document| {
        let words = document.tape().map(Tape::words);
        words.map_or_else(Vec::new, |words| words.to_vec())
    })
}

pub fn log(level: Level, message: &str) {
    let level = match level {
        Level::Error => "error",
        Level::Warn => "warn",
        Level::Info => "info",
        Level::Debug => "debug",
    };
    let line = format!("{level}: {message}");
    HOST.with_borrow_mut(|host| host.log.push(line));
}

pub fn tokens(text: &str) -> u32 {
    assert!(
        text.len() <= 64 * 1024,
        "tokens of {} bytes at once; 65536 are allowed",
        text.len()
    );
    HOST.with_borrow_mut(|host| host.counted_bytes += text.len() as u64);
    let count = tiktoken::get_encoding("o200k_base").map(|encoding| encoding.count(text));
    u32::try_from(count.expect("the vocabulary is built in")).expect("at most a token a byte")
}

pub fn set_result_meta(key: &str, value: &str) -> Result<(), String> {
    Document::json(value).map_err(|error| format!("the value of `{key}` is not JSON: {error}"))?;
    HOST.with_borrow_mut(|host| {
        host.result_meta.retain(|(known, _)| known != key);
        host.result_meta.push((key.to_owned(), value.to_owned()));
    });
    Ok(())
}

pub fn session_value(key: &str) -> Option<String> {
    HOST.with_borrow(|host| host.session.get(key).cloned())
}

pub fn set_session_value(key: &str, value: &str) -> Result<(), String> {
    HOST.with_borrow_mut(|host| {
        let session = &mut host.session;
        if key.is_empty() || key.len() > 64 || value.len() > 1024 {
            return Err(format!("`{key}` or its value is too long"));
        }
        if value.is_empty() {
            session.remove(key);
        } else if session.len() < 64 || session.contains_key(key) {
            session.insert(key.to_owned(), value.to_owned());
        } else {
            return Err("there are 64 keys".to_owned());
        }
        Ok(())
    })
}

/// Always returns the same reference, because the bytes of the result are unknown here.
pub fn keep_original(prefix: &str) -> Option<Kept> {
    HOST.with_borrow_mut(|host| {
        host.keeps.then(|| {
            host.kept.push(prefix.to_owned());
            let reference = "abcdefghij234567";
            let separator = if prefix.is_empty() { "" } else { "_" };
            Kept {
                reference: reference.to_owned(),
                call: format!(
                    "tamis_read {{\"ref\":\"{reference}\"{}}}",
                    host.call.part_argument()
                ),
                path: host
                    .has_paths
                    .then(|| format!("/originals/{prefix}{separator}{reference}.json")),
            }
        })
    })
}
