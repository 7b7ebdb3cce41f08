//! `[serve] traces`: the spans of a request and its filters that a collector gets.

// Other tests need more of it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::proxy::{Proxy, call, piece};
use crate::support::upstream::{NOISY, Upstream};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value as Any};
use opentelemetry_proto::tonic::trace::v1::{Span, status::StatusCode};
use prost::Message as _;
use serde_json::json;

const CALLER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const CHAIN: &str = "[[chain]]\nname = \"tidy\"\ntools = [\"noisy\", \"stream\", \"ends-early\"]\nsteps = [\"null-stripper\", \"row-encoder\"]\n";

fn policy(upstream: SocketAddr, collector: SocketAddr) -> String {
    format!(
        "[server.a]\nurl = \"http://{upstream}/mcp\"\n{CHAIN}[serve]\ntraces = \"http://{collector}\"\n"
    )
}

/// The body of each request.
type Received = Arc<Mutex<Vec<Bytes>>>;

/// A collector with the parts that spans need.
async fn collector() -> (Received, SocketAddr) {
    let received = Received::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("listen");
    let address = listener.local_addr().expect("an address");
    let take = async |State(received): State<Received>, body: Bytes| {
        received.lock().expect("no test panics here").push(body);
        [("content-type", "application/x-protobuf")]
    };
    let router = Router::new().route("/v1/traces", axum::routing::post(take));
    let router = router.with_state(Arc::clone(&received));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (received, address)
}

fn spans(received: &Received) -> Vec<Span> {
    let received = received.lock().expect("no test panics here");
    let mut spans = Vec::new();
    for body in received.iter() {
        let request = ExportTraceServiceRequest::decode(body.clone()).expect("it is OTLP");
        for of_resource in request.resource_spans {
            let resource = of_resource.resource.expect("who sent it");
            assert_eq!(text(&resource.attributes, "service.name"), "tamis");
            spans.extend(of_resource.scope_spans.into_iter().flat_map(|it| it.spans));
        }
    }
    spans
}

fn attribute<'a>(attributes: &'a [KeyValue], key: &str) -> &'a Any {
    let found = attributes.iter().find(|it| it.key == key);
    let value = found.and_then(|it| it.value.as_ref()?.value.as_ref());
    value.unwrap_or_else(|| panic!("no {key} in {attributes:?}"))
}

fn text<'a>(attributes: &'a [KeyValue], key: &str) -> &'a str {
    match attribute(attributes, key) {
        Any::StringValue(text) => text,
        other => panic!("{key} is {other:?}"),
    }
}

fn number(span: &Span, key: &str) -> i64 {
    match attribute(&span.attributes, key) {
        Any::IntValue(number) => *number,
        other => panic!("{key} is {other:?}"),
    }
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    let [span] = found[..] else {
        panic!(
            "{} of {name} in {:?}",
            found.len(),
            spans.iter().map(|it| &it.name).collect::<Vec<_>>()
        )
    };
    span
}

fn assert_within(inner: &Span, outer: &Span) {
    assert_eq!(inner.trace_id, outer.trace_id, "{}", inner.name);
    assert_eq!(inner.parent_span_id, outer.span_id, "{}", inner.name);
    assert!(inner.start_time_unix_nano >= outer.start_time_unix_nano);
    assert!(inner.start_time_unix_nano <= inner.end_time_unix_nano);
    assert!(inner.end_time_unix_nano <= outer.end_time_unix_nano);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

// The collector answers while the test waits for the proxy's end.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_and_its_filters_are_spans_within_the_callers() {
    let (upstream, address) = Upstream::start().await;
    let (received, collector) = collector().await;
    let proxy = Proxy::start(&policy(address, collector));
    let session = proxy.session("a").await;
    for tool in ["noisy", "plain"] {
        let call = proxy
            .post("a", &call(1, tool))
            .header("traceparent", CALLER);
        let call = call.header("mcp-session-id", &session);
        assert_eq!(call.send().await.expect("an answer").status(), 200);
    }
    // Names that a client chose, and text that may be an argument.
    let endless = "ä".repeat(1000);
    let uri = json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "x://secret", "name": "secret"}});
    for request in [call(2, &endless), uri] {
        let request = proxy.post("a", &request).header("mcp-session-id", &session);
        assert_eq!(request.send().await.expect("an answer").status(), 200);
    }
    proxy.end().succeeded();

    let spans = spans(&received);
    let bound = named(&spans, "tools/call noisy");
    let plain = named(&spans, "tools/call plain");
    for span in [bound, plain] {
        assert_eq!(hex(&span.trace_id), &CALLER[3..35]);
        assert_eq!(hex(&span.parent_span_id), &CALLER[36..52]);
        assert_eq!(number(span, "http.response.status_code"), 200);
        assert_eq!(text(&span.attributes, "tamis.server"), "a");
    }
    assert_eq!(text(&plain.attributes, "gen_ai.tool.name"), "plain");
    let chain = named(&spans, "chain tidy");
    assert_within(chain, bound);
    assert_eq!(text(&chain.attributes, "tamis.outcome"), "edited");
    assert_eq!(number(chain, "tamis.bytes.before"), NOISY.len() as i64);
    for (filter, outcome) in [("null-stripper", "edited"), ("row-encoder", "unchanged")] {
        let step = named(&spans, &format!("filter {filter}"));
        assert_within(step, chain);
        assert_eq!(text(&step.attributes, "tamis.outcome"), outcome);
    }
    // Without a caller's trace, a new one; notifications and streams have none.
    assert!(named(&spans, "initialize").parent_span_id.is_empty());
    named(&spans, &format!("tools/call {}", &endless[..128]));
    assert!(
        named(&spans, "resources/read")
            .attributes
            .iter()
            .all(|it| it.key != "gen_ai.tool.name")
    );
    assert_eq!(spans.len(), 8);

    // Requests of the upstream during a call are part of its trace too.
    let calls = upstream.received_of("tools/call");
    for (call, span) in calls.iter().zip([bound, plain]) {
        let sent = call.headers["traceparent"].to_str().expect("text");
        let expected = format!("00-{}-{}-01", &CALLER[3..35], hex(&span.span_id));
        assert_eq!(sent, expected);
    }
}

// The collector answers while the test waits for the proxy's end.
#[tokio::test(flavor = "multi_thread")]
async fn a_span_lasts_as_long_as_its_stream_and_says_how_it_failed() {
    let (upstream, address) = Upstream::start().await;
    let (received, collector) = collector().await;
    let proxy = Proxy::start(&policy(address, collector));
    let session = proxy.session("a").await;
    let request = proxy
        .post("a", &call(1, "stream"))
        .header("mcp-session-id", &session);
    let mut answer = request.send().await.expect("an answer");
    piece(&mut answer).await.expect("the first piece");
    tokio::time::sleep(Duration::from_millis(300)).await;
    for _ in 0..2 {
        upstream.go_on.notify_one();
        piece(&mut answer).await.expect("a piece");
    }
    while piece(&mut answer).await.is_some() {}
    let request = proxy
        .post("a", &call(2, "ends-early"))
        .header("mcp-session-id", &session);
    request
        .send()
        .await
        .expect("an answer")
        .text()
        .await
        .expect("a body");
    proxy.end().succeeded();

    let spans = spans(&received);
    let stream = named(&spans, "tools/call stream");
    let nanos = stream.end_time_unix_nano - stream.start_time_unix_nano;
    assert!(nanos >= 300_000_000, "{nanos}");
    assert_within(named(&spans, "chain tidy"), stream);
    let failed = named(&spans, "tools/call ends-early");
    let status = failed.status.as_ref().expect("a status");
    assert_eq!(status.code(), StatusCode::Error);
    assert!(
        status.message.contains("ended before it answered"),
        "{status:?}"
    );
}

#[tokio::test]
async fn a_collector_that_is_not_there_holds_up_nothing() {
    let (_, address) = Upstream::start().await;
    // No program listens on a port that was just released.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("listen");
    let collector = gone.local_addr().expect("an address");
    drop(gone);
    let proxy = Proxy::start(&policy(address, collector));
    let session = proxy.session("a").await;
    let begun = Instant::now();
    for _ in 0..100 {
        proxy.call("a", &session, "noisy").await;
    }
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    let done = proxy.end();
    let log = String::from_utf8_lossy(&done.stderr);
    let told = log.matches("the collector does not take spans").count();
    assert_eq!(told, 1, "{log}");
    done.succeeded();
}
