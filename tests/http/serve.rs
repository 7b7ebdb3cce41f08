//! `tamis serve` between clients and servers: filtered and untouched messages, access, and the end of either side.

use crate::support::proxy;
use std::io::{Read, Write};
use std::time::Duration;

use crate::support::Folder;
use crate::support::proxy::{Proxy, call, initialize, piece, program};
use crate::support::upstream::{NOISY, Upstream, answer_of};
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const CLEANED: &str = r#"{"b":1,"c":2.50}"#;

fn policy(address: std::net::SocketAddr, more: &str) -> String {
    format!("[server.a]\nurl = \"http://{address}/mcp\"\n{more}")
}

const CHAIN: &str = "[[chain]]\ntools = [\"noisy\", \"stream\", \"slow\", \"huge\", \"breaks-off\", \"ends-early\"]\nsteps = [\"null-stripper\"]\n";

fn stderr(done: &crate::support::Finished) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&done.stderr)
}

/// A chain that cuts, so that originals are stored.
const CUTTING: &str =
    "[[chain]]\ntools = [\"long\"]\nsteps = [{ filter = \"truncate\", limit = 400 }]\n";

#[tokio::test]
async fn what_a_chain_is_bound_to_is_filtered_and_nothing_else_is_touched() {
    let (_, address) = Upstream::start().await;
    let proxy = Proxy::start(&policy(address, CHAIN));
    let session = proxy.session("a").await;
    let id = json!(1);
    assert_eq!(
        proxy.call("a", &session, "noisy").await,
        answer_of(&id, CLEANED)
    );
    assert_eq!(
        proxy.call("a", &session, "plain").await,
        answer_of(&id, NOISY)
    );
    let huge = json!({"jsonrpc": "2.0", "id": "h", "method": "tools/call", "params": {
        "name": "huge", "arguments": {"words": 10_000_000},
    }});
    let huge = proxy.post("a", &huge).header("mcp-session-id", &session);
    let huge = huge
        .send()
        .await
        .expect("an answer")
        .text()
        .await
        .expect("a body");
    assert!(
        huge == answer_of(&json!("h"), &"a word ".repeat(10_000_000)),
        "{} bytes",
        huge.len()
    );
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_stream_goes_on_piece_by_piece_and_its_result_is_filtered() {
    let (upstream, address) = Upstream::start().await;
    let proxy = Proxy::start(&policy(address, CHAIN));
    let session = proxy.session("a").await;
    for (tool, text) in [("stream", CLEANED), ("stream-plain", NOISY)] {
        let request = proxy
            .post("a", &call(1, tool))
            .header("mcp-session-id", &session);
        let mut answer = request.send().await.expect("an answer");
        // The upstream waits with the rest until the test has this.
        assert_eq!(piece(&mut answer).await.as_deref(), Some(": hello\n\n"));
        upstream.go_on.notify_one();
        let progress = piece(&mut answer).await.expect("a piece");
        assert!(
            progress.starts_with("data: {") && progress.contains("notifications/progress"),
            "{progress}"
        );
        upstream.go_on.notify_one();
        let last = piece(&mut answer).await.expect("a piece");
        let expected = format!(
            "id: 7\nevent: message\ndata: {}\n\n",
            answer_of(&json!(1), text)
        );
        assert_eq!(last, expected, "{tool}");
        assert_eq!(piece(&mut answer).await, None);
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_client_that_goes_takes_the_request_to_the_server_with_it() {
    let (upstream, address) = Upstream::start().await;
    let proxy = Proxy::start(&policy(address, CHAIN));
    let session = proxy.session("a").await;
    for tool in ["stream", "stream-plain"] {
        let request = proxy
            .post("a", &call(1, tool))
            .header("mcp-session-id", &session);
        let mut answer = request.send().await.expect("an answer");
        piece(&mut answer).await;
        drop(answer);
        upstream.left.notified().await;
    }
    let listening = proxy.get("/a/mcp").header("mcp-session-id", &session);
    let mut listening = listening.send().await.expect("an answer");
    assert_eq!(
        piece(&mut listening).await.as_deref(),
        Some(": listening\n\n")
    );
    drop(listening);
    upstream.left.notified().await;
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_server_that_goes_leaves_no_request_without_an_answer() {
    let (upstream, address) = Upstream::start().await;
    let proxy = Proxy::start(&policy(address, CHAIN));
    let session = proxy.session("a").await;
    for (tool, why) in [("breaks-off", "broke off"), ("ends-early", "ended before")] {
        let request = proxy
            .post("a", &call(9, tool))
            .header("mcp-session-id", &session);
        let mut answer = request.send().await.expect("an answer");
        piece(&mut answer).await;
        upstream.go_on.notify_one();
        let last = piece(&mut answer).await.expect("an error");
        let data = last.trim_start_matches("event: message\ndata: ").trim();
        let error: Value = serde_json::from_str(data).unwrap_or_else(|_| panic!("{last}"));
        assert_eq!(error["id"], 9);
        assert!(
            error["error"]["message"].to_string().contains(why),
            "{last}"
        );
    }
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("listen");
    let address = closed.local_addr().expect("an address");
    drop(closed);
    let proxy = Proxy::start(&policy(address, CHAIN));
    let answer = proxy
        .post("a", &call(9, "noisy"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
    let error: Value = answer.json().await.expect("JSON");
    assert_eq!(error["id"], 9);
    assert!(
        error["error"]["message"]
            .to_string()
            .contains("cannot be reached"),
        "{error}"
    );
}

#[tokio::test]
async fn no_server_gets_what_belongs_to_another() {
    let (one, one_at) = Upstream::start().await;
    let (other, other_at) = Upstream::start().await;
    let both = format!(
        "[server.one]\nurl = \"http://{one_at}/mcp\"\n[server.other]\nurl = \"http://{other_at}/mcp\"\nheaders = {{ authorization = \"Bearer ${{OTHER}}\" }}\n"
    );
    let proxy = Proxy::start_with(&both, &[("OTHER", "of-the-operator")]);
    let session = proxy.session("one").await;
    let stolen = proxy
        .post("other", &call(1, "plain"))
        .header("mcp-session-id", &session);
    assert_eq!(
        stolen.send().await.expect("an answer").status(),
        StatusCode::NOT_FOUND
    );
    assert!(
        other.received().is_empty(),
        "the id did not reach the other server"
    );
    for server in ["one", "other"] {
        let request = proxy
            .post(server, &call(1, "plain"))
            .header("authorization", "Bearer of-the-client")
            .header("cookie", "secret=of-another")
            .header("x-own", "goes on");
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert!(!answer.headers().contains_key("set-cookie"));
    }
    let sent = |upstream: &Upstream| {
        upstream
            .received_of("tools/call")
            .pop()
            .expect("a call")
            .headers
    };
    assert_eq!(sent(&one)["authorization"], "Bearer of-the-client");
    assert_eq!(sent(&other)["authorization"], "Bearer of-the-operator");
    for upstream in [&one, &other] {
        assert!(!sent(upstream).contains_key("cookie"));
        assert_eq!(sent(upstream)["x-own"], "goes on");
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn strangers_stay_outside() {
    let (upstream, address) = Upstream::start().await;
    let tokens = "[serve]\ntokens = { alice = \"${ALICE}\", bob = \"${BOB}\" }\nhosts = [\"tamis.example.com\"]\n";
    let proxy = Proxy::start_with(
        &policy(address, tokens),
        &[("ALICE", "s3cret"), ("BOB", "other")],
    );
    let ask = || proxy.post("a", &initialize());
    for (request, status) in [
        (ask(), StatusCode::UNAUTHORIZED),
        (ask().bearer_auth("wrong"), StatusCode::UNAUTHORIZED),
        (
            ask().bearer_auth("s3cret").header("host", "evil.com"),
            StatusCode::FORBIDDEN,
        ),
        (
            ask()
                .bearer_auth("s3cret")
                .header("origin", "http://evil.com"),
            StatusCode::FORBIDDEN,
        ),
    ] {
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), status);
        let said: Value = answer.json().await.expect("JSON");
        assert!(
            said["error"]["message"]
                .as_str()
                .is_some_and(|it| it.starts_with("tamis: ")),
            "{said}"
        );
    }
    assert!(upstream.received().is_empty());
    let known = ask()
        .bearer_auth("s3cret")
        .header("host", "tamis.example.com");
    let known = known.send().await.expect("an answer");
    assert_eq!(known.status(), 200);
    let session = known.headers()["mcp-session-id"].clone();
    assert!(
        !upstream.received()[0].headers.contains_key("authorization"),
        "Tamis's own token"
    );
    // A session belongs to its owner, even if others know its id.
    let stolen = proxy.post("a", &call(1, "plain")).bearer_auth("other");
    let stolen = stolen.header("mcp-session-id", session);
    assert_eq!(
        stolen.send().await.expect("an answer").status(),
        StatusCode::NOT_FOUND
    );
    proxy.end().succeeded();
}

#[test]
fn what_other_machines_reach_needs_tokens() {
    let folder = Folder::new();
    folder.write(
        "filters.toml",
        "[server.a]\nurl = \"http://127.0.0.1:9/mcp\"\n[serve]\nlisten = \"0.0.0.0:0\"\n",
    );
    let line = [
        env!("CARGO_BIN_EXE_tamis"),
        "serve",
        "--config",
        "filters.toml",
    ];
    let done = crate::support::Program::new(&line, folder.path()).run("");
    assert_eq!(done.status.code(), Some(2), "{}", done.report());
    assert!(
        stderr(&done).contains("`tokens` to [serve]"),
        "{}",
        done.report()
    );
}

#[tokio::test]
async fn originals_are_read_by_those_who_were_given_them_alone() {
    let (_, address) = Upstream::start().await;
    let tokens = "[serve]\ntokens = { alice = \"${ALICE}\", bob = \"${BOB}\" }\n";
    let text = policy(address, &format!("{CUTTING}{tokens}"));
    let proxy = Proxy::start_with(&text, &[("ALICE", "s3cret"), ("BOB", "other")]);
    let ask = async |token: &str, message: Value| -> Value {
        let answer = proxy.post("a", &message).bearer_auth(token).send().await;
        answer.expect("an answer").json().await.expect("JSON")
    };
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for token in ["s3cret", "other"] {
        let listed = ask(token, list.clone()).await;
        assert!(listed.to_string().contains("tamis_read"), "{listed}");
    }
    let cut = ask("s3cret", call(1, "long")).await;
    let text = cut["result"]["content"].to_string();
    let reference = text
        .split("ref=")
        .nth(1)
        .or_else(|| text.split("\\\"ref\\\":\\\"").nth(1));
    let reference: String = reference
        .unwrap_or_else(|| panic!("{text}"))
        .trim_start_matches(['"', '\\'])
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    let read = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "tamis_read", "arguments": {"ref": reference, "lines": "1500-1510"},
    }});
    let own = ask("s3cret", read.clone()).await;
    assert!(own.to_string().contains("0123456789"), "{own}");
    let foreign = ask("other", read).await;
    assert!(!foreign.to_string().contains("0123456789"), "{foreign}");
    assert_eq!(foreign["result"]["isError"], true, "{foreign}");
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_call_that_runs_is_answered_before_the_proxy_ends() {
    let (upstream, address) = Upstream::start().await;
    let mut proxy = Proxy::start(&policy(address, CHAIN));
    let slow = proxy.post("a", &call(1, "slow"));
    let slow = tokio::spawn(async move { slow.send().await.expect("an answer").text().await });
    while upstream.received_of("tools/call").is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    proxy.running.signal(rustix::process::Signal::TERM);
    // New clients are refused from now on, and the running call ends normally.
    while proxy.get("/healthz").send().await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    upstream.go_on.notify_one();
    let answer = slow.await.expect("it is answered").expect("a body");
    assert_eq!(answer, answer_of(&json!(1), CLEANED));
    proxy.running.finish().succeeded();
}

#[tokio::test]
async fn a_policy_that_is_saved_is_in_force_for_all_who_are_connected() {
    let (_, address) = Upstream::start().await;
    let mut proxy = Proxy::start(&policy(address, CHAIN));
    let session = proxy.session("a").await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let list = proxy.post("a", &list).header("mcp-session-id", &session);
    list.send().await.expect("an answer");
    let listening = proxy.get("/a/mcp").header("mcp-session-id", &session);
    let mut listening = listening.send().await.expect("an answer");
    assert_eq!(
        piece(&mut listening).await.as_deref(),
        Some(": listening\n\n")
    );
    let hidden = format!("{CHAIN}[tool.plain]\nhidden = true\n");
    proxy.folder.write("filters.toml", policy(address, &hidden));
    proxy.running.signal(rustix::process::Signal::HUP);
    let notice = piece(&mut listening).await.expect("a piece");
    assert!(
        notice.contains("notifications/tools/list_changed"),
        "{notice}"
    );
    let refused = proxy.call("a", &session, "plain").await;
    assert!(refused.contains("the operator has hidden it"), "{refused}");
    proxy.end().succeeded();
}

#[tokio::test]
async fn sessions_may_be_told_apart_by_a_header() {
    let (_, address) = Upstream::start().await;
    let cap = "[session]\nkey = \"header:x-agent\"\ncalls = 1\n";
    let proxy = Proxy::start(&policy(address, cap));
    let call = async |agent: &str| {
        let request = proxy.post("a", &call(1, "plain")).header("x-agent", agent);
        request
            .send()
            .await
            .expect("an answer")
            .text()
            .await
            .expect("a body")
    };
    assert!(!call("one").await.contains("limit reached"));
    assert!(!call("two").await.contains("limit reached"));
    assert!(call("one").await.contains("[Tool call limit reached]"));
    proxy.end().succeeded();
}

#[tokio::test]
async fn requests_that_are_too_large_or_no_messages_are_refused() {
    let (_, address) = Upstream::start().await;
    let proxy = Proxy::start(&policy(address, ""));
    let address = proxy.base.trim_start_matches("http://");
    let mut raw = std::net::TcpStream::connect(address).expect("it listens");
    let head = "POST /a/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 200000000\r\n\r\n";
    raw.write_all(head.as_bytes()).expect("write");
    let mut status = [0; 12];
    raw.read_exact(&mut status)
        .expect("an answer before there is a body");
    assert_eq!(&status, b"HTTP/1.1 413");
    let unknown = proxy
        .post("b", &initialize())
        .send()
        .await
        .expect("an answer");
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
    let put = proxy
        .get("/a/mcp")
        .header("mcp-session-id", "x".repeat(5000));
    assert_eq!(
        put.send().await.expect("an answer").status(),
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        proxy
            .get("/healthz")
            .send()
            .await
            .expect("an answer")
            .status(),
        200
    );
    proxy.end().succeeded();
}

#[test]
fn a_policy_without_servers_says_how_to_add_one() {
    let folder = Folder::new();
    folder.write("filters.toml", "");
    let done = program(&folder).run("");
    assert_eq!(done.status.code(), Some(2), "{}", done.report());
    assert!(stderr(&done).contains("[server.docs]"), "{}", done.report());
}

#[tokio::test]
async fn numbers_are_for_those_who_may_call() {
    let (_, address) = Upstream::start().await;
    let tokens = "[serve]\ntokens = { alice = \"${ALICE}\" }\n";
    let text = policy(address, &format!("{CHAIN}{tokens}"));
    let proxy = Proxy::start_with(&text, &[("ALICE", "s3cret")]);
    for tool in ["noisy", "noisy", "plain"] {
        let call = proxy.post("a", &call(1, tool)).bearer_auth("s3cret");
        assert_eq!(call.send().await.expect("an answer").status(), 200);
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(
            proxy.get(path).send().await.expect("an answer").status(),
            200,
            "{path}"
        );
    }
    let stranger = proxy.get("/metrics").send().await.expect("an answer");
    assert_eq!(stranger.status(), StatusCode::UNAUTHORIZED);
    let mut numbers = String::new();
    // The instance of a call is dropped after its answer.
    for _ in 0..1000 {
        let answer = proxy.get("/metrics").bearer_auth("s3cret").send().await;
        numbers = answer.expect("an answer").text().await.expect("a body");
        if numbers.contains("\ntamis_instances 1\n") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    for line in [
        r#"tamis_calls_total{server="a",tool="noisy",outcome="edited"} 2"#,
        r#"tamis_calls_total{server="a",tool="plain",outcome="passed"} 1"#,
        r#"tamis_filter_seconds_count{server="a"} 2"#,
        &format!(
            r#"tamis_text_bytes_total{{server="a",stage="before"}} {}"#,
            2 * NOISY.len()
        ),
        &format!(
            r#"tamis_text_bytes_total{{server="a",stage="after"}} {}"#,
            2 * CLEANED.len()
        ),
        "tamis_sessions 0",
        // One instance is prepared for the next call.
        "tamis_instances 1",
        "# EOF",
    ] {
        assert!(
            numbers.lines().any(|one| one == line),
            "no {line} in\n{numbers}"
        );
    }
    proxy.end().succeeded();
}

#[tokio::test]
async fn clients_may_have_to_speak_tls() {
    let (_, address) = Upstream::start().await;
    let folder = Folder::new();
    let names = vec!["localhost".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let certificate = folder.write("chain.pem", made.cert.pem());
    let key = folder.write("key.pem", made.signing_key.serialize_pem());
    let tls = format!("[serve]\ncertificate = {certificate:?}\nkey = {key:?}\n");
    let proxy = Proxy::start(&policy(address, &format!("{CHAIN}{tls}")));
    let port = proxy.base.rsplit(':').next().expect("a port");
    assert!(proxy.base.starts_with("https://"), "{}", proxy.base);
    let known = reqwest::Certificate::from_pem(made.cert.pem().as_bytes()).expect("PEM");
    let client = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([known]);
    let client = client.build().expect("a client");
    let url = format!("https://localhost:{port}/a/mcp");
    let answer = proxy::post(&client, &url, &call(1, "noisy")).send().await;
    let answer = answer.expect("an answer").text().await.expect("a body");
    assert_eq!(answer, answer_of(&json!(1), CLEANED));
    let plain = format!("http://localhost:{port}/a/mcp");
    let plain = proxy::post(&client, &plain, &call(1, "noisy")).send().await;
    assert!(plain.is_err(), "{plain:?}");
    proxy.end().succeeded();
}

#[tokio::test]
async fn names_that_fit_no_tool_are_said_once_all_servers_have_listed_theirs() {
    let (_one, one_at) = Upstream::start().await;
    let (_other, other_at) = Upstream::start().await;
    let policy = format!(
        "[server.one]\nurl = \"http://{one_at}/mcp\"\n[server.other]\nurl = \"http://{other_at}/mcp\"\n\
         [tool.nosiy]\nhidden = true\n[[chain]]\nservers = [\"other\"]\ntools = [\"plain\", \"pain\"]\nsteps = [\"ansi\"]\n"
    );
    let proxy = Proxy::start(&policy);
    let list = async |server: &str| {
        let session = proxy.session(server).await;
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let list = proxy.post(server, &list).header("mcp-session-id", &session);
        list.send()
            .await
            .expect("an answer")
            .text()
            .await
            .expect("a body")
    };
    list("one").await;
    list("one").await;
    assert!(!proxy.log().contains("no tool"), "{}", proxy.log());
    for _ in 0..3 {
        list("other").await;
    }
    let done = proxy.end().succeeded();
    for said in [
        "the servers have no tool `nosiy`: hides nothing; did you mean `noisy`?",
        "the servers have no tool `pain`: did you mean `plain`?",
    ] {
        assert_eq!(stderr(&done).matches(said).count(), 1, "{}", done.report());
    }
    assert_eq!(
        stderr(&done).matches("no tool").count(),
        2,
        "{}",
        done.report()
    );
}

#[tokio::test]
async fn a_scraper_reaches_the_metrics_and_nothing_else() {
    let (_, address) = Upstream::start().await;
    let serve = "[serve]\nmetrics = \"127.0.0.1:0\"\ntokens = { alice = \"${ALICE}\" }\n";
    let text = policy(address, &format!("{CHAIN}{serve}"));
    let mut proxy = Proxy::start_with(&text, &[("ALICE", "s3cret")]);
    let base = loop {
        let line = String::from_utf8(proxy.running.receive_line()).expect("text");
        if let Some(base) = line.trim().strip_suffix("/metrics") {
            break base.to_owned();
        }
    };
    let client = proxy::client();
    let get = async |path: &str, headers: &[(&'static str, &'static str)]| {
        let mut request = client.get(format!("{base}{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = request.send().await.expect("an answer");
        (
            answer.status().as_u16(),
            answer.text().await.expect("a body"),
        )
    };
    // As Prometheus and a kubelet ask: by an address, without a token.
    let by_address = [("host", "10.1.2.3:9090")];
    let (status, metrics) = get("/metrics", &by_address).await;
    assert_eq!(status, 200, "{metrics}");
    assert!(
        metrics.contains("tamis_policy_info{digest=\"sha256:"),
        "{metrics}"
    );
    assert_eq!(get("/healthz", &by_address).await, (200, "ok\n".to_owned()));
    let digest = |text: &str| {
        let ready: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(ready["ready"], true);
        ready["policy"]["digest"].as_str().map(str::to_owned)
    };
    let (status, ready) = get("/readyz", &by_address).await;
    let in_force = digest(&ready).expect("the policy");
    assert_eq!(status, 200);
    let sha256 = Sha256::digest(&text);
    assert_eq!(in_force, format!("sha256:{sha256:x}"));
    // A page whose name leads to this machine, and one of another site.
    let rebound = [("host", "evil.example:9090")];
    assert_eq!(get("/metrics", &rebound).await.0, 403);
    let (_, ready) = get("/readyz", &rebound).await;
    assert_eq!(digest(&ready), None, "{ready}");
    let page = [("host", "10.1.2.3:9090"), ("origin", "http://evil.example")];
    assert_eq!(get("/metrics", &page).await.0, 403);
    // No server is here, whoever asks.
    let at = format!("{base}/a/mcp");
    let server = proxy::post(&client, &at, &call(1, "noisy")).bearer_auth("s3cret");
    assert_eq!(server.send().await.expect("an answer").status(), 404);

    // At the other address, strangers learn that it is ready, and no more.
    let stranger = proxy.get("/readyz").send().await.expect("an answer");
    assert_eq!(stranger.status(), 200);
    assert_eq!(digest(&stranger.text().await.expect("a body")), None);
    let alice = proxy.get("/readyz").bearer_auth("s3cret").send().await;
    let alice = alice.expect("an answer").text().await.expect("a body");
    assert_eq!(digest(&alice), Some(in_force));
    // A broken policy stays out of force, and is named.
    proxy.folder.write("filters.toml", "[[chain]");
    let error = loop {
        let (_, ready) = get("/readyz", &by_address).await;
        let ready: Value = serde_json::from_str(&ready).expect("JSON");
        if let Some(error) = ready["policy"]["error"].as_str() {
            break error.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(error.contains("filters.toml:1"), "{error}");
    let (_, metrics) = get("/metrics", &by_address).await;
    assert!(metrics.contains("tamis_policy_failing 1"), "{metrics}");
    proxy.end().succeeded();
}
