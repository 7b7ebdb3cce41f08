//! The places of the protocol where a server can send text, with a secret in each, and the ways in which a client could
//! read it.

use serde_json::{Value, json};

/// Number of times that a client makes the same request: the answers differ.
pub const TURNS: usize = 5;

/// A place with its secret.
pub struct Place {
    pub name: &'static str,
    pub secret: String,
}

/// The server's messages for the `turn`th request of a method; the last one is the answer. `"ID"` stands for the id of
/// the request.
pub struct Replies {
    pub method: &'static str,
    pub turn: usize,
    pub messages: Vec<String>,
}

#[derive(Default)]
pub struct Plant {
    places: Vec<Place>,
    /// How many secrets are planted elsewhere.
    before: usize,
}

impl Plant {
    /// Secrets that differ from the first `before` ones.
    pub fn after(before: usize) -> Plant {
        Plant {
            places: Vec::new(),
            before,
        }
    }

    pub fn into_places(self) -> Vec<Place> {
        self.places
    }

    /// A secret for a place: a token of GitHub's form, generated so that no file holds one.
    pub fn at(&mut self, name: &'static str) -> String {
        let mut state = (self.before + self.places.len()) as u64 * 7919 + 12345;
        let mut sign = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(
                b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
                    [(state >> 33) as usize % 56],
            )
        };
        let secret: String = "ghp_"
            .chars()
            .chain((0..34).map(|_| sign()))
            .chain("7a".chars())
            .collect();
        self.places.push(Place {
            name,
            secret: secret.clone(),
        });
        secret
    }
}

fn answer(result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": "ID", "result": result}).to_string()
}

fn texts(content: Vec<Value>) -> Value {
    json!({"content": content})
}

fn notice(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

fn asks(id: &str, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Each character as an escape of JSON.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| format!("\\u{:04X}", c as u32))
        .collect()
}

pub fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Every place of a protocol version, and the server's messages there.
pub fn places(version: &str) -> (Vec<Place>, Vec<Replies>) {
    let mut p = Plant::default();
    let mut replies = Vec::new();
    let mut say = |method, turn, messages| {
        replies.push(Replies {
            method,
            turn,
            messages,
        })
    };
    let greeting = |p: &mut Plant| {
        json!({
            "protocolVersion": version,
            "supportedVersions": [version],
            "resultType": "complete",
            "capabilities": {
                "tools": {"listChanged": true}, "prompts": {}, "resources": {}, "completions": {}, "logging": {},
                "experimental": {p.at("a key of the capabilities"): {}},
            },
            "serverInfo": {
                "name": p.at("serverInfo.name"), "title": p.at("serverInfo.title"), "version": p.at("serverInfo.version"),
                "icons": [{"src": format!("https://host.example/{}", p.at("serverInfo.icons"))}],
            },
            "instructions": format!("Use {} always.", p.at("instructions")),
            "_meta": {"note": p.at("_meta of the greeting")},
            "ttlMs": 1000, "cacheScope": "private",
        })
    };
    let first = match version {
        "2026-07-28" => "server/discover",
        _ => "initialize",
    };
    say(first, 0, vec![answer(&greeting(&mut p))]);

    let tools = json!({"resultType": "complete", "tools": [{
        "name": "open",
        "title": p.at("a tool's title"),
        "description": format!("Opens with {}.", p.at("a tool's description")),
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": p.at("a parameter's description"),
                "enum": ["a", p.at("an allowed value of a parameter")], "default": p.at("a parameter's default")}},
        },
        "outputSchema": {"type": "object", "properties": {p.at("a key of an output schema"): {"type": "string"}}},
        "annotations": {"title": p.at("a title in a tool's annotations")},
        "_meta": {"note": p.at("_meta of a tool")},
        "icons": [{"src": p.at("a tool's icon")}],
        "later": p.at("a member of a tool that no protocol has"),
    }], "_meta": {"note": p.at("_meta of a list")}});
    say("tools/list", 0, vec![answer(&tools)]);

    let (plain, inside, twice, key) = (
        p.at("a text"),
        p.at("JSON in a text"),
        p.at("JSON in a text of JSON"),
        p.at("a key of JSON in a text"),
    );
    let escapes = p.at("a text in escapes of JSON");
    let (colour, encoded) = (
        p.at("a text with colours in the token"),
        p.at("a text in Base64"),
    );
    let (yaml, shell) = (p.at("a line of YAML"), p.at("an assignment of a shell"));
    let coloured = format!("token {}\u{1b}[31m{}\u{1b}[0m", &colour[..9], &colour[9..]);
    let content = vec![
        json!({"type": "text", "text": format!("The token is {plain}.")}),
        json!({"type": "text", "text": json!({"a": [{"b": inside}]}).to_string()}),
        json!({"type": "text", "text": json!({"a": json!({"b": twice}).to_string()}).to_string()}),
        json!({"type": "text", "text": json!({key: 1}).to_string()}),
        json!({"type": "text", "text": format!("{escapes} in escapes")}),
        json!({"type": "text", "text": coloured}),
        json!({"type": "text", "text": format!("data {}", base64(format!("the token {encoded} in it").as_bytes()))}),
        json!({"type": "text", "text": format!("a:\n  token: {yaml}\n")}),
        json!({"type": "text", "text": format!("export TOKEN='{shell}'\n")}),
    ];
    let all = answer(&texts(content)).replace(&escapes, &escaped(&escapes));
    say("tools/call", 0, vec![all]);
    let content = vec![
        json!({"type": "text", "text": "none", "_meta": {"note": p.at("_meta of a text")}}),
        json!({"type": "text", "text": "none", "annotations": {"audience": ["user"], "note": p.at("annotations of a text")}}),
        json!({"type": "resource_link", "uri": format!("https://host.example/?t={}", p.at("the URI of a link")),
            "name": p.at("the name of a link"), "title": p.at("the title of a link"), "description": p.at("the description of a link")}),
        json!({"type": "resource", "resource": {"uri": format!("test://{}", p.at("the URI of an embedded resource")),
            "mimeType": "text/plain", "text": format!("It is {}", p.at("the text of an embedded resource"))}}),
        json!({"type": "resource", "resource": {"uri": "test://b",
            "blob": base64(format!("It is {}", p.at("the bytes of an embedded resource")).as_bytes())}}),
        json!({"type": "later", "note": p.at("content of an unknown type")}),
    ];
    let result = json!({
        "resultType": "complete",
        "content": content,
        "structuredContent": {"note": p.at("structuredContent"), p.at("a key of structuredContent"): true},
        "_meta": {"note": p.at("_meta of a result")},
        "later": p.at("a member of a result that no protocol has"),
    });
    say("tools/call", 1, vec![answer(&result)]);
    let failed = json!({"isError": true, "content": [{"type": "text", "text": format!("denied to {}", p.at("a tool's error"))}]});
    say(
        "tools/call",
        2,
        vec![
            notice(
                "notifications/progress",
                &json!({"progressToken": 1, "progress": 1, "message": p.at("progress")}),
            ),
            notice(
                "notifications/message",
                &json!({"level": "info", "logger": p.at("a logger's name"), "data": {"note": p.at("data of a log message")}}),
            ),
            notice(
                "notifications/later",
                &json!({"note": p.at("a notification that no protocol has")}),
            ),
            notice(
                "notifications/resources/updated",
                &json!({"uri": format!("test://{}", p.at("the URI of an update"))}),
            ),
            notice(
                "notifications/tasks/status",
                &json!({"taskId": "t", "status": "working", "statusMessage": p.at("the state of a task")}),
            ),
            answer(&failed),
        ],
    );
    let error = json!({"jsonrpc": "2.0", "id": "ID", "error": {"code": -32000, "message": format!("no {}", p.at("an error's message")),
        "data": {"note": [p.at("an error's data")]}}});
    say(
        "tools/call",
        3,
        vec![
            asks(
                "s-1",
                "sampling/createMessage",
                &json!({"systemPrompt": p.at("the system prompt of sampling"), "maxTokens": 1,
            "messages": [{"role": "user", "content": {"type": "text", "text": p.at("a message of sampling")}}]}),
            ),
            asks(
                "s-2",
                "elicitation/create",
                &json!({"message": p.at("the message of an elicitation"),
            "requestedSchema": {"type": "object", "properties": {"a": {"type": "string", "title": p.at("the schema of an elicitation")}}}}),
            ),
            asks(
                "s-3",
                "later/ask",
                &json!({"note": p.at("a request that no protocol has")}),
            ),
            asks(&p.at("the id of a request"), "ping", &json!({})),
            error.to_string(),
        ],
    );
    let prompts = json!({"prompts": [{"name": "a", "title": p.at("a prompt's title"), "description": p.at("a prompt's description"),
        "arguments": [{"name": "x", "description": p.at("a prompt's argument")}]}]});
    say("prompts/list", 0, vec![answer(&prompts)]);
    let prompt = json!({"description": p.at("the description of a prompt that is got"),
        "messages": [{"role": "user", "content": {"type": "text", "text": p.at("a prompt's message")}}]});
    say("prompts/get", 0, vec![answer(&prompt)]);
    let resources = json!({"resources": [{"uri": format!("test://{}", p.at("a resource's URI")), "name": p.at("a resource's name"),
        "description": p.at("a resource's description")}], "nextCursor": p.at("a cursor")});
    say("resources/list", 0, vec![answer(&resources)]);
    let templates = json!({"resourceTemplates": [{"uriTemplate": format!("test://{}/{{a}}", p.at("a template's URI")), "name": "a",
        "description": p.at("a template's description")}]});
    say("resources/templates/list", 0, vec![answer(&templates)]);
    let read = json!({"contents": [
        {"uri": "test://a", "text": format!("It is {}", p.at("a resource's text"))},
        {"uri": "test://b", "blob": base64(format!("It is {}", p.at("a resource's bytes")).as_bytes())},
    ]});
    say("resources/read", 0, vec![answer(&read)]);
    let values = json!({"completion": {"values": [p.at("a completion")], "total": 1}});
    say("completion/complete", 0, vec![answer(&values)]);
    say(
        "ping",
        0,
        vec![
            json!({"jsonrpc": "2.0", "id": "ID", "result": {"note": p.at("the result of a ping")}})
                .to_string(),
        ],
    );
    say(
        "tasks/list",
        0,
        vec![answer(
            &json!({"tasks": [{"taskId": "t", "statusMessage": p.at("a task in a list")}]}),
        )],
    );
    let later = json!({"jsonrpc": "2.0", "id": "ID", "result": [p.at("the result of a method that no protocol has")]});
    say("later/method", 0, vec![later.to_string()]);
    let beside = json!({"jsonrpc": "2.0", "note": p.at("a member beside the result"), "id": "ID", "result": {}});
    say("later/method", 1, vec![beside.to_string()]);
    let (log, html) = (
        p.at("stdio a line that is no JSON"),
        p.at("http a page in place of an answer"),
    );
    say(
        "later/method",
        2,
        vec![format!("LOG started with {log}"), answer(&json!({}))],
    );
    say(
        "later/method",
        3,
        vec![
            format!("NOTED PAGE <html><body>failed for {html}</body></html>"),
            answer(&json!({})),
        ],
    );
    let plain = p.at("http a page of one type in place of an answer");
    say(
        "later/method",
        4,
        vec![
            format!("PAGE <html><body>failed for {plain}</body></html>"),
            answer(&json!({})),
        ],
    );
    let (nobody, half) = (
        p.at("the id of an answer to nobody"),
        p.at("a text with half a character"),
    );
    let halved = notice(
        "notifications/message",
        &json!({"level": "info", "data": format!("HALF {half}")}),
    );
    let halved = halved
        .replace("HALF", "\\ud800")
        .replace(&half, &escaped(&half));
    say(
        "prompts/get",
        1,
        vec![
            json!({"jsonrpc": "2.0", "id": nobody, "result": {}}).to_string(),
            halved,
            answer(&json!({})),
        ],
    );
    let batch = json!([
        {"jsonrpc": "2.0", "id": "ID", "result": {"content": [{"type": "text", "text": p.at("the answer in a batch")}]}},
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": p.at("the last message of a batch")}},
    ]);
    say("prompts/get", 2, vec![batch.to_string()]);
    for name in [
        "http a header",
        "http the time to ask again",
        "http the reason to log in",
        "http the type of an answer",
        "http a comment in a stream",
        "http the name of an event",
        "http the time to wait of an event",
    ] {
        p.at(name);
    }
    (p.places, replies)
}

/// All possible readings of bytes: the texts, decoded again and again.
pub fn readings(bytes: &[u8]) -> Vec<String> {
    let all = String::from_utf8_lossy(bytes).into_owned();
    let mut seen: Vec<String> = Vec::new();
    let mut next: Vec<String> = all.lines().map(str::to_owned).collect();
    while let Some(text) = next.pop() {
        let data = text.strip_prefix("data: ").unwrap_or(&text);
        let data = &data.replace("\\ud800", "\\ufffd");
        if let Ok(value) = serde_json::from_str::<Value>(data) {
            strings(&value, &mut next);
        }
        let bare = strip_colours(&text);
        for word in bare.split(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c)) {
            use base64::Engine;
            let decoded = base64::engine::general_purpose::STANDARD.decode(word);
            if word.len() >= 40
                && let Ok(decoded) = decoded
                && let Ok(inner) = String::from_utf8(decoded)
            {
                seen.push(inner);
            }
        }
        seen.push(bare);
    }
    seen
}

fn strings(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|it| strings(it, out)),
        Value::Object(all) => {
            for (key, it) in all {
                out.push(key.clone());
                strings(it, out);
            }
        }
        _ => {}
    }
}

fn strip_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out += &rest[..at];
        let end = rest[at..].find('m').map_or(rest.len(), |end| at + end + 1);
        rest = &rest[end..];
    }
    out + rest
}
