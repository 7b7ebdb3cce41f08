//! Slow filters delay only their own caller.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

use super::server::Server;
use super::{OF_CLIENTS, policy};
use crate::support::built::{self, Target};
use crate::support::proxy::{Proxy, call};

const SPIN: &str = "{ filter = \"spin\", rounds = 9223372036854775807 }";

/// A filter that does not end before the test does, and two callers.
fn spinning() -> String {
    let path = built::path(Target::Unknown, "spin");
    let path = path.display();
    format!(
        "[[plugin]]\nname = \"spin\"\npath = \"{path}\"\nlimits = {{ time = \"60s\" }}\n\
         [serve]\ntokens = {{ alice = \"${{ALICE}}\", bob = \"${{BOB}}\" }}\n"
    )
}

/// A policy under which results of `slow` stay in a filter until the test ends.
fn slow(limits: &str) -> String {
    let spinning = spinning();
    format!(
        "{spinning}{limits}\
         [[chain]]\ntools = [\"slow\"]\nsteps = [{SPIN}]\n\
         [[chain]]\ntools = [\"quick\"]\nsteps = [\"null-stripper\"]\n"
    )
}

fn ask(proxy: &Proxy, token: &str, tool: &str) -> reqwest::RequestBuilder {
    proxy.post("a", &call(1, tool)).bearer_auth(token)
}

#[tokio::test]
async fn slow_filters_of_one_caller_hold_up_nobody_else() {
    let server = Server::start().await;
    let mut proxy = Proxy::start_with(&policy(&server, &slow("")), &OF_CLIENTS);
    let mut waiting = JoinSet::new();
    for _ in 0..8 {
        waiting.spawn(ask(&proxy, "of-alice", "slow").send());
    }
    super::until("the server has answered all of them", || {
        server.received().len() == 8
    })
    .await;
    for _ in 0..4 {
        let alive = proxy.get("/healthz").send().await.expect("an answer");
        assert_eq!(alive.status(), 200);
        let quick = ask(&proxy, "of-bob", "quick").send().await;
        let quick = quick.expect("an answer").text().await.expect("a body");
        assert!(quick.contains(r#"{\"b\":1}"#), "{quick}");
    }
    assert!(waiting.try_join_next().is_none(), "they are in the filter");
    drop(waiting);
    proxy.running.stayed_small();
    proxy.running.kill();
}

/// Filters of a chain for one server never end, and each of these calls needs them, on one processor: a caller of
/// another server does not wait for it.
async fn another_caller_does_not_wait(server: &Server, chain: &str) {
    let other = Server::start().await;
    let (spinning, of_other) = (spinning(), &other.url);
    let more = format!(
        "[server.b]\nurl = \"{of_other}\"\n{spinning}[[chain]]\nservers = [\"a\"]\n{chain}\n"
    );
    let policy = policy(server, &more);
    let mut proxy = on_one_processor(|| Proxy::start_with(&policy, &OF_CLIENTS));
    let mut waiting = JoinSet::new();
    for _ in 0..8 {
        waiting.spawn(ask(&proxy, "of-alice", "slow").send());
    }
    for _ in 0..40 {
        let begun = Instant::now();
        let quick = proxy.post("b", &call(1, "quick")).bearer_auth("of-bob");
        let quick = quick.timeout(Duration::from_secs(20)).send().await;
        assert_eq!(quick.expect("an answer").status(), 200);
        let alive = proxy.get("/healthz").timeout(Duration::from_secs(20));
        assert_eq!(alive.send().await.expect("an answer").status(), 200);
        let time = begun.elapsed();
        assert!(time < Duration::from_secs(5), "{time:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(waiting.try_join_next().is_none(), "they are in the filter");
    drop(waiting);
    proxy.running.stayed_small();
    proxy.running.kill();
}

/// Runs work with one processor, which programs that it starts have from it.
fn on_one_processor<T>(work: impl FnOnce() -> T) -> T {
    let before = sched_getaffinity(None).expect("processors");
    let mut one = CpuSet::new();
    let first = (0..CpuSet::MAX_CPU).find(|cpu| before.is_set(*cpu));
    one.set(first.expect("a processor"));
    sched_setaffinity(None, &one).expect("one of them");
    let result = work();
    sched_setaffinity(None, &before).expect("all of them");
    result
}

#[tokio::test]
async fn slow_filters_of_arguments_hold_up_nobody_else() {
    let server = Server::start().await;
    let chain = format!("on = [\"arguments\"]\ntools = [\"slow\"]\nsteps = [{SPIN}]");
    another_caller_does_not_wait(&server, &chain).await;
    let received = server.received();
    let slow = |received: &super::server::Received| received.body["params"]["name"] == "slow";
    assert!(!received.iter().any(slow), "they are not checked");
}

#[tokio::test]
async fn slow_filters_of_messages_that_wait_for_each_other_hold_up_nobody_else() {
    let server = Server::start().await;
    let chain = format!(
        "on = [\"*\"]\nsteps = [{{ filter = \"redact\", hide = [\"emails\"], with = \"pseudonym\" }}, {SPIN}]"
    );
    another_caller_does_not_wait(&server, &chain).await;
}

#[tokio::test]
async fn slow_filters_of_headers_hold_up_nobody_else() {
    let server = Server::start().await;
    server.says("application/json; charset=\"utf-8\"");
    let chain = format!("on = [\"*\"]\nsteps = [{SPIN}]");
    another_caller_does_not_wait(&server, &chain).await;
}

#[tokio::test]
async fn what_finds_no_place_to_wait_is_told_so() {
    let server = Server::start().await;
    let mut proxy = Proxy::start_with(
        &policy(&server, &slow("limits = { waiting = 1 }\n")),
        &OF_CLIENTS,
    );
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    // As many as run, one that waits, and some too many.
    let (fit, too_many) = (processors.clamp(2, 32) + 1, 4);
    let mut waiting = JoinSet::new();
    for _ in 0..fit + too_many {
        waiting.spawn(ask(&proxy, "of-alice", "slow").send());
    }
    for _ in 0..too_many {
        let refused = waiting.join_next().await.expect("it is refused");
        let refused = refused.expect("no panic").expect("an answer");
        assert_eq!(refused.status(), 503);
        let refused: Value = refused.json().await.expect("JSON");
        assert_eq!(refused["id"], json!(1));
        let why = refused["error"]["message"].to_string();
        assert!(why.contains("wait for their filters"), "{why}");
    }
    assert!(waiting.try_join_next().is_none());
    let quick = ask(&proxy, "of-bob", "quick").send().await;
    assert_eq!(quick.expect("an answer").status(), 200);
    drop(waiting);
    proxy.running.stayed_small();
    proxy.running.kill();
}
