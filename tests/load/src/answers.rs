//! The server's answers. Every result has the name of its session's client and the number of the call, in the first row
//! and in the last. So a test notices a result, or a part of one, that reaches another client.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The kind of answer to a message.
pub enum Answer {
    /// A session begins, for the client with this name.
    Begins {
        client: String,
        message: String,
    },
    Message(String),
    Nothing,
}

/// The answer to a message in the session of `client`.
pub fn to(message: &[u8], client: Option<&str>) -> Answer {
    let message: Value = serde_json::from_slice(message).unwrap_or_default();
    let id = &message["id"];
    if id.is_null() {
        return Answer::Nothing;
    }
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let params = &message["params"];
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => {
            let name = params["clientInfo"]["name"].as_str();
            Answer::Begins {
                client: name.unwrap_or_default().to_owned(),
                message: result(json!({
                    "protocolVersion": params["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "load", "version": "1"},
                })),
            }
        }
        "tools/list" => {
            let tool =
                json!({"name": "rows", "description": "Orders", "inputSchema": {"type": "object"}});
            Answer::Message(result(json!({"tools": [tool]})))
        }
        "tools/call" => {
            let arguments = &params["arguments"];
            let number = arguments["number"].as_u64().unwrap_or_default();
            let bytes = arguments["bytes"].as_u64().unwrap_or(2048);
            let text = rows(client.unwrap_or_default(), number, bytes as usize);
            // Formatted by hand: text that is escaped once needs no tree.
            let text = Value::from(text);
            Answer::Message(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#
            ))
        }
        _ => Answer::Message(result(json!({}))),
    }
}

/// Orders as a shop's server lists them, of at least this many bytes. As in real ones, most members are empty or equal
/// in all rows.
fn rows(client: &str, number: u64, bytes: usize) -> String {
    let mut text = format!(
        r#"{{"success":true,"error":null,"warnings":[],"call":"{client}#{number}","orders":["#
    );
    let mut row = 0;
    while row == 0 || text.len() + 60 < bytes {
        let comma = if row == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}{{"id":{},"sku":"A-{:05}","title":"Ball bearing, {} mm, sealed","price":{}.{:02},"currency":"EUR","stock":{},"discount":null,"tags":[],"warehouse":{{"city":"Lyon","shelf":"{}-{}"}},"updated":"2026-05-{:02}T08:{:02}:00Z"}}"#,
            row + 1,
            (row * 7919 + number) % 99_991,
            6 + row % 40,
            3 + row % 90,
            row * 13 % 100,
            row * 31 % 400,
            (b'A' + (row % 20) as u8) as char,
            row % 60,
            1 + row % 28,
            row * 7 % 60,
        );
        row += 1;
    }
    let _ = write!(text, r#"],"end":"{client}#{number}"}}"#);
    text
}
