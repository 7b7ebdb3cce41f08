//! The server: over standard input and output, and over HTTP as JSON and as a stream of events.

use super::places::{Place, Replies, places};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Prints the file `METHOD/TURN` of the folder, with the request's id for `"ID"`. Appends each line that it gets to the
/// file `received`.
pub const SHELL: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >> "$0/received"
    case $line in *'"id":'*'"method":'*) ;; *) continue ;; esac
    id=${line#*'"id":'} id=${id%%,*}
    method=${line#*'"method":"'} method=${method%%'"'*}
    turn=${line#*'"turn":'} turn=${turn%%[!0-9]*}
    file=$0/$method/$turn
    if [ -f "$file" ]; then
        sed "s/\"ID\"/$id/" "$file"
    else
        printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id"
    fi
done
"#;

/// Writes the server's messages over standard input and output to a folder.
pub fn write_frames(folder: &Path, version: &str) -> PathBuf {
    let frames = folder.join("frames");
    let (_, replies) = places(version);
    for Replies {
        method,
        turn,
        messages,
    } in replies
    {
        let file = frames.join(method).join(turn.to_string());
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("make a folder");
        let lines: String = messages
            .iter()
            .filter(|message| page(message).is_none())
            .map(|message| format!("{message}\n"))
            .collect();
        std::fs::write(&file, lines).expect("write a file");
    }
    frames
}

/// A page in place of a message, which is sent over HTTP alone, and whether its type has a parameter with a secret.
fn page(message: &str) -> Option<(&str, bool)> {
    let noted = message.strip_prefix("NOTED PAGE ").map(|page| (page, true));
    noted.or_else(|| Some((message.strip_prefix("PAGE ")?, false)))
}

/// A server on the loopback interface.
pub struct Server {
    pub url: String,
}

struct Content {
    places: Vec<Place>,
    replies: Vec<Replies>,
}

impl Content {
    fn secret(&self, name: &str) -> &str {
        let place = self.places.iter().find(|place| place.name == name);
        &place.expect("a place").secret
    }
}

impl Server {
    pub async fn start(version: &str) -> Server {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("listen");
        let address = listener.local_addr().expect("an address");
        let (places, replies) = places(version);
        let content = Arc::new(Content { places, replies });
        let router = Router::new().fallback(answer).with_state(content);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Server {
            url: format!("http://{address}/mcp"),
        }
    }
}

async fn answer(
    State(content): State<Arc<Content>>,
    method: Method,
    _headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    if method != Method::POST || request["id"].is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let id = request["id"].to_string();
    let turn = request["params"]["_meta"]["turn"].as_u64().unwrap_or(0) as usize;
    let name = request["method"].as_str().unwrap_or_default();
    let replies = content
        .replies
        .iter()
        .find(|it| it.method == name && it.turn == turn);
    let headers = [
        ("x-note", content.secret("http a header").to_owned()),
        (
            "retry-after",
            content.secret("http the time to ask again").to_owned(),
        ),
        ("mcp-session-id", "session-1".to_owned()),
    ];
    let Some(replies) = replies else {
        let empty = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        return (headers, [("content-type", "application/json")], empty).into_response();
    };
    let messages = replies.messages.iter().filter(|it| !it.starts_with("LOG "));
    let messages: Vec<String> = messages.map(|it| it.replacen("\"ID\"", &id, 1)).collect();
    if let Some((page, is_noted)) = page(&messages[0]) {
        let kind = match is_noted {
            true => format!(
                "text/html; note={}",
                content.secret("http the type of an answer")
            ),
            false => "text/html".to_owned(),
        };
        let login = format!(
            "Bearer error_description=\"{}\"",
            content.secret("http the reason to log in")
        );
        let login = [("www-authenticate", login), ("content-type", kind)];
        return (StatusCode::UNAUTHORIZED, headers, login, page.to_owned()).into_response();
    }
    if let [message] = &messages[..] {
        return (
            headers,
            [("content-type", "application/json")],
            message.clone(),
        )
            .into_response();
    }
    let mut events = format!(
        ": {}\n\nretry: {}\nevent: {}\ndata: {}\n\n",
        content.secret("http a comment in a stream"),
        content.secret("http the time to wait of an event"),
        content.secret("http the name of an event"),
        messages[0],
    );
    for message in &messages[1..] {
        events += &format!("event: message\ndata: {message}\n\n");
    }
    (headers, [("content-type", "text/event-stream")], events).into_response()
}
