//! Notices to the client that its list of tools has changed: whether Tamis may send one, and its form.
//!
//! A policy changes only lists of tools: chains on prompts and resources change their content, not their lists.
//!
//! Up to protocol 2025-11-25 a server says in the handshake that the list may change. If a server does not say
//! so, Tamis adds the promise, since Tamis changes the list. From 2026-07-28 on a client subscribes to notices
//! (`subscriptions/listen`), and the server names those that it accepts. Tamis sends no others.

use super::frame::RequestId;
use super::pending::Pending;
use crate::json;
use crate::json::Span;
use std::collections::HashMap;

/// Most subscriptions. A subscription that has ended is found only when it is looked up.
const LISTENING_KEPT: usize = 64;

const METHOD: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed""#;
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// The notices that a connection agreed on.
#[derive(Debug, Default)]
pub(super) struct Notices {
    /// The client was told that the list may change.
    announced: bool,
    /// The client has ended its part of the handshake.
    ready: bool,
    /// Requests that listen for changes of the list, with their ids as spelled.
    listening: HashMap<RequestId, Box<[u8]>>,
}

impl Notices {
    /// Notes the promise in the result of `initialize`, and with `announces` that the list may change. Returns
    /// whether Tamis must add the promise.
    pub(super) fn greeting(&mut self, result: &[u8], announces: bool) -> bool {
        let promise = Promise::find(result);
        let made = promise.as_ref().is_some_and(|found| found.is_made(result));
        self.announced = made || promise.is_some() && announces;
        self.announced && !made
    }

    /// Another replica ended the handshake. `announces`: so the client was told that the list may change.
    #[cfg(feature = "http")]
    pub(super) fn taken_over(&mut self, announces: bool) {
        self.announced |= announces;
        self.ready = true;
    }

    /// The client ended the handshake.
    pub(super) fn client_is_ready(&mut self) {
        self.ready = true;
    }

    /// Notes which notices the upstream accepts. `params` is raw JSON.
    pub(super) fn acknowledged<B>(&mut self, params: &[u8], pending: &Pending<B>) {
        let [agreed, meta] = json::members(params, ["notifications", "_meta"]);
        let (Some(agreed), Some(meta)) = (agreed, meta) else {
            return;
        };
        let (agreed, meta) = (&params[agreed], &params[meta]);
        let [tools] = json::members(agreed, ["toolsListChanged"]);
        let [id] = json::members(meta, [SUBSCRIPTION]);
        let spelling = id.map(|span| &meta[span]);
        if tools.is_none_or(|span| &agreed[span] != b"true") {
            return;
        }
        let Some((id, spelling)) = spelling.and_then(|raw| Some((RequestId::parse(raw)?, raw)))
        else {
            return;
        };
        if self.listening.len() >= LISTENING_KEPT {
            self.listening.retain(|id, _| pending.waits_for(id));
        }
        if pending.waits_for(&id) && self.listening.len() < LISTENING_KEPT {
            self.listening.insert(id, spelling.into());
        }
    }

    /// The messages that say that the list of tools has changed. None: no client may be told.
    pub(super) fn tools_changed<B>(&mut self, pending: &Pending<B>) -> Vec<Vec<u8>> {
        self.listening.retain(|id, _| pending.waits_for(id));
        let mut messages = Vec::new();
        if self.announced && self.ready {
            messages.push(format!("{METHOD}}}").into_bytes());
        }
        for id in self.listening.values() {
            let head = format!(r#"{METHOD},"params":{{"_meta":{{"{SUBSCRIPTION}":"#);
            messages.push([head.as_bytes(), id, b"}}}"].concat());
        }
        messages
    }
}

/// The position in the result of `initialize` of the promise that the list of tools may change.
struct Promise {
    /// `capabilities.tools`, an object.
    tools: Span,
    /// The value of its `listChanged`.
    list_changed: Option<Span>,
}

impl Promise {
    /// Finds the promise. None: the server has no tools.
    fn find(result: &[u8]) -> Option<Promise> {
        let within = |outer: &Span, inner: Span| outer.start + inner.start..outer.start + inner.end;
        let [capabilities] = json::members(result, ["capabilities"]);
        let capabilities = capabilities?;
        let [tools] = json::members(&result[capabilities.clone()], ["tools"]);
        let tools = within(&capabilities, tools?);
        let [list_changed] = json::members(&result[tools.clone()], ["listChanged"]);
        let list_changed = list_changed.map(|span| within(&tools, span));
        (result[tools.start] == b'{').then_some(Promise {
            tools,
            list_changed,
        })
    }

    fn is_made(&self, result: &[u8]) -> bool {
        let promised = self.list_changed.clone();
        promised.is_some_and(|span| &result[span] == b"true")
    }
}

/// The result of `initialize`, with the promise to tell the client of changes of the list of tools.
pub(super) fn with_promise(result: &[u8]) -> Option<Vec<u8>> {
    let Promise {
        tools,
        list_changed,
    } = Promise::find(result)?;
    if let Some(span) = list_changed {
        return Some([&result[..span.start], b"true", &result[span.end..]].concat());
    }
    let (head, rest) = result.split_at(tools.start + 1);
    let is_empty = rest.trim_ascii_start().starts_with(b"}");
    let comma: &[u8] = if is_empty { b"" } else { b"," };
    Some([head, br#""listChanged":true"#, comma, rest].concat())
}

#[cfg(test)]
mod tests {
    use super::super::pending::Kind;
    use super::*;

    fn messages(notices: &mut Notices, pending: &Pending<()>) -> Vec<String> {
        let messages = notices.tools_changed(pending).into_iter();
        let messages = messages.map(|bytes| String::from_utf8(bytes).unwrap());
        messages.collect()
    }

    #[test]
    fn the_promise_is_added_where_it_is_not_made() {
        for (before, after) in [
            (
                r#"{"capabilities":{"tools":{}},"x":1e2}"#,
                r#"{"capabilities":{"tools":{"listChanged":true}},"x":1e2}"#,
            ),
            (
                r#"{"x":0, "capabilities": {"tools" : { "a":1 } } }"#,
                r#"{"x":0, "capabilities": {"tools" : {"listChanged":true, "a":1 } } }"#,
            ),
            (
                r#"{"capabilities":{"tools":{"listChanged":false,"a":1}}}"#,
                r#"{"capabilities":{"tools":{"listChanged":true,"a":1}}}"#,
            ),
        ] {
            let mut notices = Notices::default();
            assert!(!notices.greeting(before.as_bytes(), false));
            assert!(notices.greeting(before.as_bytes(), true));
            let promised = with_promise(before.as_bytes()).expect("it has tools");
            assert_eq!(String::from_utf8(promised).unwrap(), after);
            assert!(!notices.greeting(after.as_bytes(), true), "it is made");
        }
        for without in ["{}", r#"{"capabilities":{"tools":null}}"#, "[]", ""] {
            let mut notices = Notices::default();
            assert!(!notices.greeting(without.as_bytes(), true), "{without}");
            assert_eq!(with_promise(without.as_bytes()), None, "{without}");
        }
    }

    #[test]
    fn a_client_is_told_after_its_handshake_and_if_it_was_promised() {
        let pending = Pending::new();
        let mut notices = Notices::default();
        notices.greeting(br#"{"capabilities":{"tools":{}}}"#, true);
        assert_eq!(messages(&mut notices, &pending), [""; 0]);
        notices.client_is_ready();
        let told = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        assert_eq!(messages(&mut notices, &pending), [told]);
        notices.greeting(br#"{"capabilities":{"tools":{}}}"#, false);
        assert_eq!(messages(&mut notices, &pending), [""; 0]);
    }

    #[test]
    fn a_client_that_listens_is_told_as_long_as_it_does() {
        let mut pending = Pending::<()>::new();
        let mut notices = Notices::default();
        let agree = |id: &str, tools: bool| {
            format!(
                r#"{{"_meta":{{"{SUBSCRIPTION}":{id}}},"notifications":{{"toolsListChanged":{tools}}}}}"#
            )
        };
        for id in ["\"s\"", "2"] {
            let parsed = RequestId::parse(id.as_bytes()).unwrap();
            pending.insert(parsed, id.as_bytes(), Kind::Plain, false);
        }
        notices.acknowledged(agree("\"s\"", true).as_bytes(), &pending);
        notices.acknowledged(agree("2", false).as_bytes(), &pending);
        notices.acknowledged(agree("3", true).as_bytes(), &pending);
        let told = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{{"{SUBSCRIPTION}":"s"}}}}}}"#
        );
        assert_eq!(messages(&mut notices, &pending), [told]);
        pending.take(&RequestId::Text("s".into()));
        assert_eq!(messages(&mut notices, &pending), [""; 0]);
    }
}
