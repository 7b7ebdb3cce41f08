//! A server that answers every request with the reason why it offers nothing: no policy may be used.

use super::{ReadServer, Refused, discovery, greeting};
use crate::mcp::observe::Observer;
use crate::mcp::read_tool;
use crate::policy::ReadTool;
use serde_json::{Map, Value, json};

/// The code of JSON-RPC for errors of the server's own.
const CLOSED: i64 = -32000;

impl ReadServer {
    /// A server that answers every request with `why`, and lists nothing.
    pub fn closed(why: &'static str) -> ReadServer {
        ReadServer {
            closed: Some(why),
            ..ReadServer::new(ReadTool::default(), Vec::new(), None, Observer::default())
        }
    }
}

/// The result of a request. Connecting is allowed, so that the client learns the reason; nothing else is.
pub(super) fn result(
    why: &str,
    method: &str,
    params: &Map<String, Value>,
) -> Result<Value, Refused> {
    let with_why = |mut answer: Value| {
        answer["instructions"] = why.into();
        answer
    };
    match method {
        "initialize" => Ok(with_why(greeting(params))),
        "server/discover" => Ok(with_why(discovery())),
        "ping" => Ok(json!({})),
        // Models read the results of tools; not all clients show them errors.
        "tools/call" => Ok(serde_json::from_slice(&read_tool::refusal(why)).unwrap_or_default()),
        _ => Err(Refused {
            code: CLOSED,
            message: why.to_owned(),
            data: None,
        }),
    }
}
