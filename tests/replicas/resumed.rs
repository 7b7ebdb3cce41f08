//! The stream of a call that a client resumes at another replica, which does not know the call.

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::replica::{Client, KEY, Listening};
use crate::support::Folder;
use crate::support::proxy::client;

/// A text that a chain changes, with a secret that another redacts.
const RESULT: &str = r#"{"a":null,"token":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}"#;
const SECRET: &str = "ghp_0123456789abcdefghij";

/// A server whose stream breaks off after an event without content; who resumes it gets the result.
async fn server() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn answer(method: Method, headers: HeaderMap, body: Bytes) -> Response {
    let stream = |event: String| ([("content-type", "text/event-stream")], event).into_response();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = |id: &Value, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    if method == Method::GET {
        assert_eq!(
            headers["mcp-session-id"], "the-session",
            "Tamis opened the id"
        );
        let known = headers.get("last-event-id").and_then(|id| id.to_str().ok());
        if known != Some("first") {
            return StatusCode::METHOD_NOT_ALLOWED.into_response();
        }
        let content = json!({"content": [{"type": "text", "text": RESULT}]});
        let event = result(&json!(7), content);
        return stream(format!("id: second\nevent: message\ndata: {event}\n\n"));
    }
    match message["method"].as_str() {
        Some("initialize") => {
            let greeting = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "upstream", "version": "1"},
            });
            let greeting = result(&message["id"], greeting).to_string();
            let headers = [
                ("mcp-session-id", "the-session"),
                ("content-type", "application/json"),
            ];
            (headers, greeting).into_response()
        }
        Some("tools/list") => {
            let tools = json!({"tools": [{"name": "rows", "inputSchema": {"type": "object"}}]});
            let headers = [("content-type", "application/json")];
            (headers, result(&message["id"], tools).to_string()).into_response()
        }
        Some("tools/call") => stream("id: first\nretry: 10\ndata: \n\n".to_owned()),
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

/// Begins a call at one replica, and resumes its stream at another; what arrives there.
async fn resumed(chain: &str) -> String {
    let folder = Folder::new();
    let address = server().await;
    let policy = format!(
        "[server.a]\nurl = \"http://{address}/mcp\"\n[state]\nkey = \"${{TAMIS_STATE_KEY}}\"\n{chain}"
    );
    let environment = [("TAMIS_STATE_KEY".to_owned(), KEY.to_owned())];
    let [a, b] = ["a", "b"].map(|name| {
        folder.write(&format!("{name}.toml"), &policy);
        Listening::replica(&folder, name, "127.0.0.1:0", &environment)
    });
    let mut caller = Client::new(None);
    caller.begin_at(&a.url(), "a", "alice").await;
    let session = caller.session.clone().expect("an id");
    let headers = |request: reqwest::RequestBuilder| {
        request
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", "2025-11-25")
            .header("accept", "application/json, text/event-stream")
            .timeout(std::time::Duration::from_secs(60))
    };
    let http = client();
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "rows", "arguments": {},
    }});
    let asked = headers(http.post(format!("{}/a/mcp", a.url())))
        .header("content-type", "application/json")
        .body(call.to_string());
    let begun = asked.send().await.expect("an answer");
    let begun = begun.text().await.expect("it breaks off");
    assert!(begun.contains("id: first"), "{begun}");
    let asked = headers(http.get(format!("{}/a/mcp", b.url()))).header("last-event-id", "first");
    let answer = asked.send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    answer.text().await.expect("it ends")
}

#[tokio::test]
async fn a_stream_that_is_resumed_at_another_replica_arrives_there_unfiltered_or_withheld() {
    let cleans = "[[chain]]\ntools = [\"rows\"]\nsteps = [\"null-stripper\"]\n";
    let text = resumed(cleans).await;
    assert!(text.contains("id: second"), "{text}");
    let whole = serde_json::to_string(RESULT).expect("JSON");
    assert!(text.contains(&whole), "as the server sent it: {text}");

    // Nobody knows whether the result is one that a chain redacts, so it does not arrive.
    let redacts = "[[chain]]\ntools = [\"rows\"]\nsteps = [{ filter = \"redact\", hide = [\"api-keys\"], on-error = \"block\" }]\n";
    let text = resumed(redacts).await;
    assert!(!text.contains(SECRET), "{text}");
    assert!(
        text.contains("\"id\":7"),
        "the client gets an answer: {text}"
    );
    assert!(text.contains("withheld"), "{text}");
}
