//! A server that says in the place of anything else why it has nothing: where no policy may be used.

use super::{NEWEST_WITH_SESSIONS, ReadServer, Refused, server_info, version, versions};
use crate::mcp::read_tool;
use crate::policy::ReadTool;
use serde_json::{Map, Value, json};

/// Of JSON-RPC, for errors of the server's own.
const CLOSED: i64 = -32000;

impl ReadServer {
    /// A server that answers every request with `why`, and lists nothing.
    pub fn closed(why: &'static str) -> ReadServer {
        ReadServer {
            closed: Some(why),
            ..ReadServer::new(ReadTool::default(), Vec::new(), None, None)
        }
    }
}

/// The result of a request: to connect is allowed, so that the client is told; nothing else is.
pub(super) fn result(
    why: &str,
    method: &str,
    params: &Map<String, Value>,
) -> Result<Value, Refused> {
    match method {
        "initialize" => {
            let asked = params.get("protocolVersion").and_then(Value::as_str);
            let known = asked.filter(|asked| version::WITH_SESSIONS.contains(asked));
            Ok(json!({
                "protocolVersion": known.unwrap_or(NEWEST_WITH_SESSIONS),
                "capabilities": {"tools": {}},
                "serverInfo": server_info(),
                "instructions": why,
            }))
        }
        "server/discover" => Ok(json!({
            "supportedVersions": versions(),
            "capabilities": {"tools": {}},
            "instructions": why,
            "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
        })),
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
