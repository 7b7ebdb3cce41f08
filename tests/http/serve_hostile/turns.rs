//! Slow filters delay only their own caller.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::server::Server;
use super::{OF_CLIENTS, policy};
use crate::support::built::{self, Target};
use crate::support::proxy::{Proxy, call};

/// A policy under which results of `slow` stay in a filter until the test ends.
fn slow(limits: &str) -> String {
    let path = built::path(Target::Unknown, "spin");
    let path = path.display();
    format!(
        "[[plugin]]\nname = \"spin\"\npath = \"{path}\"\nlimits = {{ time = \"60s\" }}\n\
         [[chain]]\ntools = [\"slow\"]\nsteps = [{{ filter = \"spin\", rounds = 9223372036854775807 }}]\n\
         [[chain]]\ntools = [\"quick\"]\nsteps = [\"null-stripper\"]\n\
         [serve]\ntokens = {{ alice = \"${{ALICE}}\", bob = \"${{BOB}}\" }}\n{limits}"
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
