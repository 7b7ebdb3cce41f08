//! Every frame that at least one real reader takes for an answer is filtered by a policy that redacts, in any spelling.
//!
//! The readers are models (`frame_readers/readers.rs`), the official Python SDK, and the TypeScript SDK, over standard
//! input and output and over HTTP. The frames are generated, and named. `setup.sh` installs the clients.

mod generated;
mod readers;
mod upstream;

use self::upstream::{Reply, Upstream};
use crate::support::proxy;
use crate::support::proxy::Proxy;
use crate::support::stage::{Client, program, tests};
use crate::support::{Folder, Program, tamis_run};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;

/// Frames that at least one reader takes for an answer, over standard output.
const FRAMES: u64 = 10_000;

/// The same over HTTP, where each is a request of its own.
const FRAMES_OVER_HTTP: u64 = 600;

/// A text in every result, in a member that the chain drops.
const SECRET: &str = "SECRET";

/// The rest of the secret if its first letter is an escape.
const MARK: &str = "ECRET";

/// The server's message after all frames.
const LAST: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/last\"}\n";

const HIDING: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"reshape\", drop = [\"**.secret\"], on-error = \"block\" }]\n";

/// A policy that hides a tool, without other effects.
const GATED: &str = "[tool.forbidden]\nhidden = true\n";

/// Draws frames; `make fuzz` sets another seed each time.
fn drawn() -> impl FnMut(u64) -> Vec<u8> {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    move |id| {
        let mut choose = |below: usize| {
            let tree = (0..below).new_tree(&mut runner).expect("a number");
            tree.current()
        };
        generated::frame(id, SECRET, &mut choose)
    }
}

fn call(id: u64, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
    )
}

#[test]
fn no_frame_that_a_reader_takes_for_an_answer_passes_over_stdio() {
    let mut draw = drawn();
    let (mut down, mut asked, mut frames) = (Vec::new(), String::new(), Vec::new());
    let mut id = 0;
    while id < FRAMES {
        let mut frame = draw(id + 1);
        frame.push(b'\n');
        let answers = readers::in_lines(&frame);
        if !answers
            .iter()
            .any(|answer| answer.is_for(id + 1) && answer.holds(MARK))
        {
            continue;
        }
        id += 1;
        asked += &format!("{}\n", call(id, "secret"));
        down.extend_from_slice(&frame);
        frames.push(frame);
    }
    let folder = Folder::new();
    let config = folder.write("filters.toml", HIDING);
    folder.write("down", &down);
    folder.write("last", LAST);
    let script = format!("head -n {FRAMES} >up; cat down last; cat >rest");
    let line = tamis_run(&config, &["sh", "-c", &script]);
    let mut running = Program::new(&line, folder.path())
        .limit(std::time::Duration::from_secs(300))
        .start();
    running.send(asked);
    loop {
        match running.receive_line() {
            line if line == LAST.as_bytes() => break,
            line if line.is_empty() => running.fail("it ended early"),
            _ => {}
        }
    }
    running.stayed_small();
    let done = running.finish().succeeded();
    for answer in readers::in_lines(&done.stdout) {
        if answer.holds(MARK) {
            let of = frames.iter().zip(1..).find(|(_, id)| answer.is_for(*id));
            let frame = of.map(|(frame, _)| String::from_utf8_lossy(frame).into_owned());
            done.fail(&format!("{answer:?} passed: {frame:?}"));
        }
    }
    let said = String::from_utf8_lossy(&done.stdout);
    if let Some(at) = said.find(MARK) {
        done.fail(&format!(
            "…{}",
            crate::support::excerpt(&said.as_bytes()[at.saturating_sub(300)..])
        ));
    }
    // Most frames are read and filtered, and each request has its answer.
    let filtered = said.matches(r#"{\"keep\":1}"#).count();
    assert!(filtered > 300, "{filtered}");
    let answered = said.matches("\"error\":{\"code\":-32000").count();
    assert!(answered > 1000, "{answered}");
}

fn over_http(policy: &str, upstream: &Upstream) -> Proxy {
    let server = format!("[server.a]\nurl = \"http://{}/mcp\"\n", upstream.address);
    Proxy::start(&format!("{server}{policy}"))
}

async fn post(
    proxy: &Proxy,
    body: impl Into<reqwest::Body>,
    more: &[(&str, &str)],
) -> (StatusCode, Vec<u8>) {
    post_to(proxy, "a", body, more).await
}

async fn post_to(
    proxy: &Proxy,
    server: &str,
    body: impl Into<reqwest::Body>,
    more: &[(&str, &str)],
) -> (StatusCode, Vec<u8>) {
    let mut request = proxy::client()
        .post(proxy.url(server))
        .header("accept", "application/json, text/event-stream")
        .body(body);
    let kind = ("content-type", "application/json");
    let has_kind = more.iter().any(|(name, _)| *name == kind.0);
    for (name, value) in more.iter().chain((!has_kind).then_some(&kind)) {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    (status, answer.bytes().await.expect("a body").to_vec())
}

#[tokio::test]
async fn no_frame_that_a_reader_takes_for_an_answer_passes_over_http() {
    let upstream = Upstream::start().await;
    let mut proxy = over_http(HIDING, &upstream);
    let mut draw = drawn();
    let (mut id, mut filtered) = (0, 0);
    while id < FRAMES_OVER_HTTP {
        let frame = draw(id + 1);
        let is_stream = id % 2 == 1;
        let reply = match is_stream {
            false => Reply::json(&frame),
            true => Reply::events(&[b"data: ", &*frame, b"\n\n"].concat()),
        };
        let answers = match is_stream {
            false => readers::in_body(&reply.body),
            true => readers::in_events(&reply.body),
        };
        if !answers
            .iter()
            .any(|answer| answer.is_for(id + 1) && answer.holds(MARK))
        {
            continue;
        }
        id += 1;
        upstream.will_reply(id, reply);
        let (_, body) = post(&proxy, call(id, "secret"), &[]).await;
        let answers = [readers::in_body(&body), readers::in_events(&body)].concat();
        let said = String::from_utf8_lossy(&body);
        assert!(
            !answers.iter().any(|answer| answer.holds(MARK)) && !said.contains(MARK),
            "{} became {said}",
            String::from_utf8_lossy(&frame)
        );
        filtered += usize::from(said.contains(r#"{\"keep\":1}"#));
        assert!(!body.is_empty(), "{}", String::from_utf8_lossy(&frame));
    }
    assert!(filtered > 20, "{filtered}");
    proxy.running.stayed_small();
    proxy.end().succeeded();
}

/// An answer to request `id` with the secret in it.
fn answer(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{{\"keep\":1,\"secret\":\"{SECRET}\"}}"}}]}}}}"#
    )
}

/// Requests that some server takes for a call of `forbidden`.
fn hidden_calls() -> Vec<(&'static str, Vec<u8>)> {
    let plain = call(1, "forbidden");
    let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let widest: Vec<u8> = plain
        .chars()
        .flat_map(|it| u32::from(it).to_le_bytes())
        .collect();
    let twice = plain.replace("\"name\"", "\"name\":\"open\",\"name\"");
    let twice_the_other = plain.replace("\"arguments\"", "\"name\":\"open\",\"arguments\"");
    vec![
        ("plain", plain.clone().into_bytes()),
        ("escaped", plain.replace("name", "n\\u0061me").into_bytes()),
        ("mark", format!("\u{feff}{plain}").into_bytes()),
        ("utf-16", wide),
        ("utf-32", widest),
        ("return", format!("{{}}\r{plain}").into_bytes()),
        (
            "return between tokens",
            plain.replace(",\"id\"", ",\r\"id\"").into_bytes(),
        ),
        (
            "return in a string",
            format!("{{\"x\":\"\r{plain}\r\"}}").into_bytes(),
        ),
        ("nested", format!("[[{plain}]]").into_bytes()),
        ("comma", plain.replace("}}}", "}},}").into_bytes()),
        ("two", format!("{plain} {plain}").into_bytes()),
        ("case", plain.replace("\"name\"", "\"Name\"").into_bytes()),
        (
            "case of method",
            plain.replace("\"method\"", "\"METHOD\"").into_bytes(),
        ),
        ("twice", twice.into_bytes()),
        ("twice, the other first", twice_the_other.into_bytes()),
        (
            "bytes",
            plain
                .replace("\"id\"", "\"x\":\"\u{e9}\",\"id\"")
                .replace('\u{e9}', "\u{fffd}")
                .into_bytes(),
        ),
    ]
}

#[tokio::test]
async fn a_hidden_tool_is_not_called_over_http_however_the_request_is_spelled() {
    let upstream = Upstream::start().await;
    let proxy = over_http(GATED, &upstream);
    for (name, request) in hidden_calls() {
        let (status, said) = post(&proxy, request, &[]).await;
        let said: Value = serde_json::from_slice(&said).expect("JSON");
        let is_refused = said["result"]["isError"] == true
            || status == StatusCode::BAD_REQUEST && said["error"]["message"].is_string();
        assert!(is_refused, "{name}: {status} {said}");
    }
    for more in [
        ("content-type", "application/json; charset=utf-7"),
        ("content-encoding", "gzip"),
    ] {
        let (status, said) = post(&proxy, call(1, "open"), &[more]).await;
        let said = String::from_utf8_lossy(&said);
        assert_eq!(
            status,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "{more:?}: {said}"
        );
    }
    assert_eq!(upstream.received(), [""; 0], "the server got none of it");
    let (status, _) = post(&proxy, call(7, "open"), &[]).await;
    assert_eq!((status, upstream.received().len()), (StatusCode::OK, 1));
    proxy.end().succeeded();
}

#[test]
fn a_hidden_tool_is_not_called_over_stdio_however_the_request_is_spelled() {
    let folder = Folder::new();
    let config = folder.write("filters.toml", GATED);
    let line = tamis_run(&config, &["sh", "-c", "cat >up"]);
    let mut up = Vec::new();
    for (_, request) in hidden_calls() {
        up.extend_from_slice(&request);
        up.push(b'\n');
    }
    let done = Program::new(&line, folder.path()).run(up).succeeded();
    let reached = std::fs::read(folder.path().join("up")).expect("what the server got");
    if !reached.is_empty() {
        done.fail(&String::from_utf8_lossy(&reached));
    }
}

/// A server that greets, and writes its input to the file `$0`.
const NOTING: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >> "$0"
    case $line in
        *'"initialize"'*) printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}\n' ;;
    esac
done
"#;

#[tokio::test]
async fn a_post_that_is_no_message_is_a_bad_request_whatever_the_policy() {
    let upstream = Upstream::start().await;
    let folder = Folder::new();
    let noted = folder.path().join("noted");
    let program = json!(["sh", "-c", NOTING, noted]);
    let proxy = over_http(&format!("[server.b]\ncommand = {program}\n"), &upstream);
    let session = proxy.session("b").await;
    let in_session = [("mcp-session-id", &*session)];
    for body in [
        &b""[..],
        b"hello",
        b"{}",
        b"[]",
        b"1",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
        b"[[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]]",
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},null]",
    ] {
        for (server, more) in [("a", &[][..]), ("b", &in_session)] {
            let (status, said) = post_to(&proxy, server, body, more).await;
            let said: Value = serde_json::from_slice(&said).expect("JSON");
            assert_eq!(status, StatusCode::BAD_REQUEST, "{server}: {said}");
            assert!(
                said["id"].is_null() && said["error"]["code"].is_i64(),
                "{server}: {said}"
            );
        }
    }
    assert_eq!(upstream.received(), [""; 0]);
    // A carriage return between two tokens is no line break for the program.
    let notice = b"{\"jsonrpc\":\"2.0\",\r\"method\":\r\n\"notifications/test\"}\r\n";
    let (status, _) = post_to(&proxy, "b", &notice[..], &in_session).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    proxy.end().succeeded();
    let noted = std::fs::read_to_string(noted).expect("what the program got");
    let lines: Vec<&str> = noted.split('\n').collect();
    assert_eq!(lines.len(), 4, "{noted}");
    assert!(lines[0].contains("\"initialize\""), "{noted}");
    assert!(lines[1].contains("notifications/initialized"), "{noted}");
    assert_eq!(
        lines[2],
        "{\"jsonrpc\":\"2.0\", \"method\":  \"notifications/test\"}"
    );
}

#[test]
fn where_nothing_is_hidden_doubtful_frames_pass_with_one_warning() {
    let folder = Folder::new();
    let policy = "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n";
    let config = folder.write("filters.toml", policy);
    let mut down = String::new();
    for id in 1..=3 {
        let spelled = answer(id).replace("\"id\"", "\"ID\"");
        down += &spelled.replace("\"result\"", "\"Result\"");
        down += "\n";
    }
    folder.write("down", &down);
    let line = tamis_run(&config, &["sh", "-c", "head -n 3 >up; cat down"]);
    let asked: String = (1..=3).map(|id| call(id, "any") + "\n").collect();
    let done = Program::new(&line, folder.path()).run(asked);
    let said = String::from_utf8_lossy(&done.stdout);
    if !said.starts_with(&down) {
        done.fail("the frames should have passed as they are");
    }
    let log = String::from_utf8_lossy(&done.stderr);
    let warnings = log.matches("WARN").count();
    let told = log.matches("it passes, since the policy hides nothing");
    if (warnings, told.count()) != (1, 1) {
        done.fail("standard error should have one warning");
    }
}

/// Attempts of an HTTP server to send the secret past a proxy that trusts the declared form.
fn replies(id: u64) -> Vec<(&'static str, Reply)> {
    let plain = answer(id);
    let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let widest: Vec<u8> = plain
        .chars()
        .flat_map(|it| u32::from(it).to_be_bytes())
        .collect();
    let with_method = |method: &str| {
        let method = format!("\"method\":{method},\"id\"");
        Reply::json(plain.replace("\"id\"", &method).as_bytes())
    };
    let with = |name: &str, value: &str| Reply::json(plain.as_bytes()).with(name, value);
    let event = |text: &str| Reply::events(text.as_bytes());
    vec![
        ("plain", Reply::json(plain.as_bytes())),
        ("method null", with_method("null")),
        ("method 7", with_method("7")),
        ("method {}", with_method("{}")),
        ("mark", Reply::json(format!("\u{feff}{plain}").as_bytes())),
        ("utf-16", Reply::json(&wide)),
        ("utf-32", Reply::json(&widest)),
        (
            "utf-16, said",
            Reply::json(&wide).with("content-type", "application/json; charset=utf-16"),
        ),
        ("nested", Reply::json(format!("[[{plain}]]").as_bytes())),
        (
            "comma",
            Reply::json(plain.replace("]}}", "]},}").as_bytes()),
        ),
        (
            "case",
            Reply::json(plain.replace("\"result\"", "\"Result\"").as_bytes()),
        ),
        (
            "charset",
            with("content-type", "application/json; charset=utf-7"),
        ),
        ("coding", with("content-encoding", "br")),
        ("no type", with("content-type", "")),
        ("another type", with("content-type", "text/plain")),
        (
            "two types",
            with("content-type", "text/event-stream; application/json"),
        ),
        (
            "status",
            Reply {
                status: 400,
                ..with("content-type", "text/plain")
            },
        ),
        ("event, mark", event(&format!("data: \u{feff}{plain}\n\n"))),
        (
            "event, other lines",
            event(&format!("id: 7\u{2028}data: {plain}\u{2028}\u{2028}\n\n")),
        ),
        (
            "event, comment",
            event(&format!(": \u{85}data: {plain}\u{85}\u{85}\n\n")),
        ),
        (
            "event without an end",
            event(&format!(
                "data: {}",
                plain.replace("\"result\"", "\"RESULT\"")
            )),
        ),
        (
            "event, coded",
            event(&format!("data: {plain}\n\n")).with("content-encoding", "gzip"),
        ),
        (
            "event, charset",
            event(&format!("data: {plain}\n\n"))
                .with("content-type", "text/event-stream; charset=utf-16"),
        ),
        ("no stream", event(&plain)),
    ]
}

#[tokio::test]
async fn no_answer_that_cannot_be_read_reaches_the_client_over_http() {
    let upstream = Upstream::start().await;
    let mut proxy = over_http(HIDING, &upstream);
    for (id, (name, reply)) in (1..).zip(replies(0)) {
        drop(reply);
        let (_, reply) = replies(id).swap_remove(id as usize - 1);
        upstream.will_reply(id, reply);
        let (status, body) = post(&proxy, call(id, "secret"), &[]).await;
        let said = String::from_utf8_lossy(&body);
        assert!(
            !said.replace('\0', "").contains(MARK),
            "{name}: {status} {said}"
        );
        let expected = match name {
            "plain" | "method null" | "method 7" | "method {}" => r#"{\"keep\":1}"#.to_owned(),
            _ => format!("\"id\":{id},\"error\""),
        };
        assert!(said.contains(&expected), "{name}: {status} {said}");
    }
    // A notification is no request, so no answer may come back.
    upstream.will_reply(0, Reply::json(answer(1).as_bytes()));
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let (_, body) = post(&proxy, notice, &[]).await;
    assert!(!String::from_utf8_lossy(&body).contains(MARK));
    proxy.running.stayed_small();
    proxy.end().succeeded();
}

#[tokio::test]
async fn an_answer_to_a_bound_call_that_cannot_be_read_is_an_error_where_nothing_is_hidden_too() {
    let upstream = Upstream::start().await;
    let proxy = over_http(
        "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n",
        &upstream,
    );
    for (id, body) in [
        (1, format!("\u{feff}{}", answer(1))),
        (2, answer(2).replace("]}}", "]},}")),
        (3, format!("[[{}]]", answer(3))),
        (4, String::new()),
    ] {
        upstream.will_reply(id, Reply::json(body.as_bytes()));
        let (status, said) = post(&proxy, call(id, "any"), &[]).await;
        let said: Value = serde_json::from_slice(&said).expect("JSON");
        assert_eq!(status, StatusCode::BAD_GATEWAY, "{said}");
        assert_eq!(said["id"], id);
    }
    upstream.will_reply(
        5,
        Reply::events(b"data: ping\n\ndata: {\"id\":5,]\n\nid: 7\ndata: \n\n"),
    );
    let (_, said) = post(&proxy, call(5, "any"), &[]).await;
    let said = String::from_utf8_lossy(&said);
    assert!(
        said.contains("\"id\":5,\"error\"") && !said.contains("ping"),
        "{said}"
    );
    proxy.end().succeeded();
}

/// Answers of a hostile server to a call of a tool with this name, which may be that of an encoding. `#` is the call's
/// id.
const CASES: [(&str, &str); 14] = [
    ("plain", "ANSWER\n"),
    ("method-null", "{\"method\":null,MEMBERS}\n"),
    ("method-number", "{\"method\":7,MEMBERS}\n"),
    ("method-object", "{MEMBERS,\"method\":{}}\n"),
    ("method-text", "{MEMBERS,\"method\":\"ping\"}\n"),
    ("mark", "\\ufeffANSWER\n"),
    ("utf-16-le", "ANSWER\n"),
    ("utf-32-be", "ANSWER\n"),
    ("nested", "[[ANSWER]]\n"),
    ("comma", "{MEMBERS,}\n"),
    ("return", "{}\rANSWER\n"),
    ("return-in-list", "[0,\rANSWER\r]\n"),
    ("return-in-string", "{\"x\":\"\rANSWER\r\"}\n"),
    (
        "case",
        "{\"x\":1,\"jsonrpc\":\"2.0\",\"ID\":#,\"Result\":RESULT}\n",
    ),
];

#[test]
fn real_clients_never_see_the_secret_over_stdio() {
    let calls = CASES
        .iter()
        .map(|(name, _)| json!({"do": "call", "tool": name, "arguments": {}}));
    let scenario = json!({"roots": [], "steps": calls.collect::<Vec<_>>()}).to_string();
    let cases: serde_json::Map<String, Value> = CASES
        .iter()
        .map(|(name, line)| ((*name).to_owned(), json!(line)))
        .collect();
    for client in [Client::Python, Client::TypeScript1, Client::TypeScript2] {
        let folder = Folder::new();
        let config = folder.write("filters.toml", HIDING);
        let cases = folder.write("cases.json", Value::from(cases.clone()).to_string());
        let server: [OsString; 3] = [
            tests(".venv/bin/python").into(),
            tests("clients/hostile_server.py").into(),
            cases.into(),
        ];
        let mut line = client.command();
        line.push(folder.write("scenario.json", &scenario).into());
        line.extend(tamis_run(&config, &server));
        let done = program(&line, folder.path()).run("");
        let said = String::from_utf8_lossy(&done.stdout);
        if said.contains(MARK) {
            done.fail(&format!("{client:?} read the secret"));
        }
        // Where the frame can be read, the rest was filtered.
        let kept = said.matches("keep").count();
        // The TypeScript SDK accepts no answer with a `method`.
        let expected = if matches!(client, Client::Python) {
            4
        } else {
            1
        };
        if kept < expected {
            done.fail(&format!("{client:?} read {kept} results"));
        }
    }
}

#[test]
fn real_clients_never_see_the_secret_over_http() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("threads");
    let upstream = runtime.block_on(Upstream::start());
    let proxy = over_http(HIDING, &upstream);
    let names: Vec<&str> = replies(0).iter().map(|(name, _)| *name).collect();
    upstream.will_answer_calls(|id, number| {
        let mut replies = replies(id);
        replies.swap_remove(number).1
    });
    let clients: [Vec<OsString>; 2] = [
        vec![
            tests(".venv/bin/python").into(),
            tests("clients/http_calls.py").into(),
        ],
        vec!["node".into(), tests("clients/http_calls.mjs").into()],
    ];
    for mut line in clients {
        line.push(proxy.url("a").into());
        line.extend((0..names.len()).map(|number| number.to_string().into()));
        let folder = Folder::new();
        let done = program(&line, Path::new(folder.path())).run("").succeeded();
        let said = String::from_utf8_lossy(&done.stdout);
        if said.contains(MARK) || !said.contains("keep") {
            done.fail("the secret was read, or nothing was");
        }
        assert_eq!(said.lines().count(), names.len(), "{said}");
    }
    proxy.end().succeeded();
}
