//! Frames that readers could read differently: which of them are refused, and the errors for the waiting side.

use super::{ASKED_BY, LOOKED_AT_BYTES, Refused, Relay, Rewrite};
use crate::json;
use crate::mcp::doubt;
use crate::mcp::frame::{Doubt, Frame, MessageView, RequestId};
use crate::mcp::job::{self, Job};
use memchr::memmem;
use std::sync::atomic::Ordering;

impl<R: Rewrite> Relay<R> {
    /// Why the upstream must not get a frame of the client's.
    pub(super) fn doubt_in_request(&self, bytes: &[u8], frame: &Frame) -> Option<Doubt> {
        let views = frame.views();
        let is_strict = self.in_force.is_strict();
        let params = |view: &MessageView| {
            let params = view.params.clone().filter(|_| view.method.is_some())?;
            let is_named = || memmem::find(&bytes[params.clone()], b"\"name\"").is_some();
            let is_looked_at = is_strict || params.len() <= LOOKED_AT_BYTES && !is_named();
            is_looked_at.then(|| doubt::of_members(&bytes[params], &ASKED_BY))?
        };
        let doubt = match is_strict {
            true => doubt::of_frame(bytes, frame),
            false => views.iter().find_map(|view| view.doubt),
        };
        let name = |view: &MessageView| {
            let (method, params) = (view.method.clone()?, view.params.clone());
            let key = match &*json::text(&bytes[method])? {
                "tools/call" | "prompts/get" => "name",
                "resources/read" => "uri",
                _ => return None,
            };
            let named = params.and_then(|params| {
                let [name] = json::members(&bytes[params.clone()], [key]);
                json::text(&bytes[params][name?])
            });
            named.is_none().then_some(Doubt::Name)
        };
        let doubt = doubt.or_else(|| views.iter().find_map(params));
        let doubt = doubt.or_else(|| match is_strict {
            true => views.iter().find_map(name),
            false => None,
        });
        self.judge("client", doubt)
    }

    /// Whether a doubt counts. The log has one word of it in any case, since a side that sends such frames may
    /// send many.
    pub(super) fn judge(&self, side: &str, doubt: Option<Doubt>) -> Option<Doubt> {
        let (doubt, is_refused) = (doubt?, self.in_force.is_strict());
        let (why, fate) = match is_refused {
            true => (doubt.why(), "it is refused"),
            false => (doubt.why(), "it passes, since the policy hides nothing"),
        };
        if self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::debug!("a frame of the {side} {why}: {fate}");
        } else {
            tracing::warn!(
                "a frame of the {side} {why}: {fate}; more of them are logged as `debug`"
            );
        }
        is_refused.then_some(doubt)
    }

    /// Ends the requests that a refused frame answers, as far as that can be made out.
    pub(super) fn refuse(&self, bytes: &[u8], frame: &Frame, doubt: Doubt) -> Refused {
        let views = frame.views().iter();
        let mut messages: Vec<&[u8]> = views.map(|view| &bytes[view.whole.clone()]).collect();
        if messages.is_empty() {
            messages.push(bytes);
        }
        let mut refused = Refused {
            doubt,
            requests: Vec::new(),
            errors: Vec::new(),
        };
        let why = format!(
            "the upstream server's answer {}, so it is withheld",
            doubt.why()
        );
        let mut state = self.state();
        for message in messages {
            let has = |name| !json::taken_for(message, name).is_empty();
            if !has("result") && !has("error") {
                continue;
            }
            for span in json::taken_for(message, "id") {
                let id = RequestId::parse(&message[span]);
                let unquoted = id.as_ref().and_then(RequestId::unquoted);
                for id in [id, unquoted].into_iter().flatten() {
                    if let Some(spelled) = state.pending.remove(&id) {
                        refused.errors.push(job::error(&spelled, &why));
                        refused.requests.push(id);
                    }
                }
            }
        }
        refused
    }
}

/// An error for each request of a refused frame of the client's.
pub(super) fn refusals(bytes: &[u8], frame: &Frame, doubt: Doubt) -> Vec<Job> {
    let views = frame.views().iter();
    let mut messages: Vec<&[u8]> = views.map(|view| &bytes[view.whole.clone()]).collect();
    if messages.is_empty() {
        messages.push(bytes);
    }
    let why = format!(
        "tamis: the request {}, and the policy hides things, so the server does not get it",
        doubt.why()
    );
    let asks = |message: &&[u8]| !json::taken_for(message, "method").is_empty();
    let ids = messages.into_iter().filter(asks).filter_map(|message| {
        let ids = json::taken_for(message, "id").into_iter();
        let mut ids = ids.map(|span| &message[span]);
        ids.rfind(|id| RequestId::parse(id).is_some())
    });
    ids.map(|id| Job::ready(job::error(id, &why))).collect()
}
