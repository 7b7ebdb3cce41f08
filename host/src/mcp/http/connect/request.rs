//! A line of the client.

use crate::json;
use crate::mcp::frame::{Frame, MessageView, RequestId};
use serde_json::Value;

/// One message of the client, or a batch.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) body: Vec<u8>,
    /// Ids of its requests that need an answer, in comparable form and as spelled.
    pub(super) ids: Vec<RequestId>,
    spelled: Vec<Box<[u8]>>,
    method: Option<String>,
}

impl Request {
    /// The request in a line. None: the line is no message.
    pub(super) fn read(line: &[u8]) -> Option<Request> {
        let views = match Frame::read(line) {
            Frame::Message(view) => vec![view],
            Frame::Batch(views) => views,
            Frame::Opaque => return None,
        };
        let asks = |view: &&MessageView| view.method.is_some() && view.id.is_some();
        let spelled = views.iter().filter(asks);
        let spelled = spelled.filter_map(|view| Some(line[view.id.clone()?].into()));
        let spelled: Vec<Box<[u8]>> = spelled.collect();
        let method = match &*views {
            [only] => only.method.clone(),
            _ => None,
        };
        Some(Request {
            ids: spelled
                .iter()
                .filter_map(|id| RequestId::parse(id))
                .collect(),
            method: method.and_then(|span| Some(json::text(&line[span])?.into_owned())),
            body: line.to_vec(),
            spelled,
        })
    }

    pub(super) fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }

    /// Whether later messages must wait for its answer.
    pub(super) fn is_greeting(&self) -> bool {
        self.is("initialize") || self.is("server/discover")
    }

    /// The request that the message cancels.
    pub(super) fn cancels(&self) -> Option<RequestId> {
        if !self.is("notifications/cancelled") {
            return None;
        }
        let message = self.json();
        RequestId::parse(message["params"]["requestId"].to_string().as_bytes())
    }

    /// The whole message, decoded, for rare questions.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// An error for each of these requests of the message.
    pub(super) fn errors(&self, unanswered: &[RequestId], why: &str) -> Vec<Vec<u8>> {
        let spelled = self.ids.iter().zip(&self.spelled);
        let wanted = spelled.filter(|(id, _)| unanswered.contains(id));
        wanted
            .map(|(_, id)| crate::mcp::job::error(id, why))
            .collect()
    }

    /// The id of the only request in the message, as spelled.
    pub(super) fn only_id(&self) -> Option<&[u8]> {
        match &*self.spelled {
            [only] => Some(only),
            _ => None,
        }
    }
}
