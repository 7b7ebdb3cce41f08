//! `[session]`: the key of a session, and its limit of calls.

use std::time::Duration;

use super::defaults::Unit;
use super::effect;
use super::keys;
use super::raw::{Findings, Value};
use super::report::Finding;

/// Sessions and their limit of calls.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    /// The key that identifies a session.
    pub key: SessionKey,
    /// Most tool calls in a window; none: no limit.
    pub calls: Option<u32>,
    /// The length of a window, from its first call; none: as long as the session.
    pub window: Option<Duration>,
    /// The text of the answer to a call over the limit.
    pub limit_text: String,
}

/// The part of a request that identifies a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionKey {
    /// The connection is the session.
    Connection,
    /// An argument of the call.
    Argument(String),
    /// A key in the request's `_meta`.
    Meta(String),
    /// A header of the request, if the transport has headers.
    Header(String),
}

/// The highest limit of calls: a higher one is no limit.
pub(super) const MOST_CALLS: u64 = 1_000_000;

/// The text for a model that has used up its calls.
const LIMIT_TEXT: &str = "No more tool calls are answered in this turn: go on with what you have.\n\n[Tool call limit reached]";

impl Default for SessionSpec {
    fn default() -> SessionSpec {
        SessionSpec {
            key: SessionKey::Connection,
            calls: None,
            window: None,
            limit_text: LIMIT_TEXT.to_owned(),
        }
    }
}

pub(super) fn read(value: &Value<'_>, findings: &mut Findings<'_>) -> SessionSpec {
    let mut session = SessionSpec::default();
    let Some(fields) = findings.table(value, "the session", "a table [session]") else {
        return session;
    };
    fields.deny_unknown(&keys::SESSION.names(), findings);
    if let Some(value) = fields.get("key")
        && let Some(key) = key(value, findings)
    {
        session.key = key;
    }
    effect::session_keys(fields, findings);
    session.calls = fields
        .get("calls")
        .and_then(|value| findings.calls(value, "`calls`", MOST_CALLS))
        .and_then(|calls| u32::try_from(calls).ok());
    session.window = fields
        .get("window")
        .and_then(|value| window(value, findings));
    if let Some((text, _)) = fields
        .get("limit-text")
        .and_then(|value| findings.string(value, "`limit-text`", "a text"))
    {
        text.clone_into(&mut session.limit_text);
    }
    session
}

fn key(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<SessionKey> {
    let expected = "\"connection\", \"argument:NAME\", \"meta:KEY\" or \"header:NAME\"";
    let (text, span) = findings.string(value, "`key`", expected)?;
    let key = match text.split_once(':') {
        None if text == "connection" => Some(SessionKey::Connection),
        Some((_, "")) => None,
        Some(("argument", name)) => Some(SessionKey::Argument(name.to_owned())),
        Some(("meta", name)) => Some(SessionKey::Meta(name.to_owned())),
        Some(("header", name)) => Some(SessionKey::Header(name.to_owned())),
        _ => None,
    };
    if key.is_none() {
        let label = format!("allowed: {expected}");
        findings.push(Finding::error(
            span,
            "`key` does not name a part of a request",
            label,
        ));
    }
    key
}

fn window(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<Duration> {
    let expected = "a time such as \"60s\"";
    let (text, span) = findings.string(value, "`window`", expected)?;
    match Unit::Time.parse(text) {
        Ok(micros) if micros > 0 => Some(Duration::from_micros(micros)),
        _ => {
            let label = format!("allowed: {expected}");
            findings.push(Finding::error(span, "`window` is not a time", label));
            None
        }
    }
}
