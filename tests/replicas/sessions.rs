//! Sessions on any replica: the id carries them, Redis counts their calls and has their values.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::replica::{CHAIN, Client, KEY, LARGE, Listening, OTHER_KEY, SMALL, cut};
use crate::services::{ObjectStore, Redis};
use crate::support::{Folder, text};

/// What a model is told whose calls are used up, and whose call cannot be counted.
const LIMIT: &str = "[Tool call limit reached]";
const UNCOUNTED: &str = "cannot be counted at the moment";

fn policy(server: &Listening, state: &str, more: &str) -> String {
    format!(
        "[server.load]\nurl = \"http://{}/mcp\"\n[state]\n{state}\n{more}\n{CHAIN}",
        server.address
    )
}

fn environment(more: Vec<(String, String)>, key: &str) -> Vec<(String, String)> {
    let mut environment = more;
    environment.push(("TAMIS_STATE_KEY".to_owned(), key.to_owned()));
    environment
}

const SEALED: &str = "key = \"${TAMIS_STATE_KEY}\"";
const SHARED: &str = "key = \"${TAMIS_STATE_KEY}\"\nsessions = \"${TAMIS_REDIS_URL}\"";

/// Replicas with one policy and key.
fn replicas<const N: usize>(
    folder: &Folder,
    policy: &str,
    key: &str,
    more: &[(String, String)],
) -> [Listening; N] {
    std::array::from_fn(|at| {
        let name = format!("{key}-{at}");
        folder.write(&format!("{name}.toml"), policy);
        let environment = environment(more.to_vec(), key);
        Listening::replica(folder, &name, "127.0.0.1:0", &environment)
    })
}

#[tokio::test]
async fn a_session_goes_on_at_any_replica_without_a_store() {
    let folder = Folder::new();
    let server = Listening::server(&folder);
    let policy = policy(&server, SEALED, "[tool.hidden]\nhidden = true");
    let [a, b] = replicas(&folder, &policy, KEY, &[]);
    let mut client = Client::new(Some("alice"));
    client.begin(&a.url(), "alice").await;
    let id = client.session.clone().expect("an id");
    // The upstream's ids are its process id and a number.
    let upstreams = format!("{}-0", server.running.pid().as_raw_nonzero());
    assert!(!id.contains(&upstreams) && id.len() < 400, "{id}");
    for (number, replica) in [&a, &b, &a, &b].into_iter().enumerate() {
        let result = client.rows(&replica.url(), number as u64, SMALL).await;
        assert!(result.contains(&format!("alice#{number}")), "{result}");
        assert!(!result.contains("\"discount\":null"), "{result}");
        assert_eq!(client.session.as_deref(), Some(&*id), "the id stays");
    }
    // A replica that did not show the list of tools knows what is hidden, and its own tool.
    let [c] = replicas(&folder, &policy, KEY, &[]);
    let (_, answer) = client.call(&c.url(), "hidden", json!({})).await;
    assert!(answer.to_string().contains("is not available"), "{answer}");
    let answer = client.read(&c.url(), "aaaaaaaaaaaaaaaa").await;
    assert!(answer.contains("is unknown or was deleted"), "{answer}");

    // For others the id is none.
    let other_caller = Client::new(Some("bob")).with_session(id.clone());
    let upstreams_id = client.clone().with_session(upstreams);
    let mut changed = id.clone();
    let other = if &changed[20..21] == "A" { "B" } else { "A" };
    changed.replace_range(20..21, other);
    let changed = client.clone().with_session(changed);
    // Neither where the session is known, nor at a replica that has only the id.
    let [fresh] = replicas(&folder, &policy, KEY, &[]);
    for mut wrong in [other_caller, upstreams_id, changed] {
        for replica in [&b, &fresh] {
            let (status, answer) = wrong.call(&replica.url(), "rows", json!({})).await;
            assert_eq!(status, 404, "{answer}");
            assert!(answer.to_string().contains("unknown or expired session"));
        }
    }
    let [stranger] = replicas(&folder, &policy, OTHER_KEY, &[]);
    let (status, _) = client
        .clone()
        .call(&stranger.url(), "rows", json!({}))
        .await;
    assert_eq!(status, 404);

    // After a change of the key, the earlier one opens.
    let turned = format!("{policy}\n");
    let turned = turned.replace(
        SEALED,
        "key = \"${TAMIS_STATE_KEY}\"\nprevious-key = \"${BEFORE}\"",
    );
    let before = [("BEFORE".to_owned(), KEY.to_owned())];
    let [next] = replicas(&folder, &turned, OTHER_KEY, &before);
    let result = client.rows(&next.url(), 7, SMALL).await;
    assert!(result.contains("alice#7"), "{result}");

    // An upstream that ends forgets its sessions, and the client hears of it everywhere.
    server.running.kill();
    let (status, _) = client.call(&a.url(), "rows", json!({})).await;
    assert_eq!(status, 502);
    for replica in [a, b, c, fresh, stranger, next] {
        let ended = replica.end().succeeded();
        assert!(!text(&ended.stderr).contains(&id), "{}", ended.report());
    }
}

#[tokio::test]
async fn calls_count_once_for_all_replicas() {
    let folder = Folder::new();
    let Some(mut redis) = Redis::start(&folder) else {
        return;
    };
    let server = Listening::server(&folder);
    let session = "[session]\ncalls = 10\n[serve]\nlimits = { sessions-time = \"500ms\" }";
    let policy = policy(&server, SHARED, session);
    let [a, b] = replicas(&folder, &policy, KEY, &redis.environment());
    let mut clients = [Client::new(None), Client::new(None)];
    for (client, base) in clients.iter_mut().zip([a.url(), b.url()]) {
        client.begin(&base, "counted").await;
    }
    // Both sessions at both replicas at once: each has ten calls.
    for client in &clients {
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..30_u64 {
            let (mut client, base) = (
                client.clone(),
                [a.url(), b.url()][number as usize % 2].clone(),
            );
            calls.spawn(async move { client.rows(&base, number, SMALL).await });
        }
        let answers = calls.join_all().await;
        let refused = answers.iter().filter(|text| text.contains(LIMIT)).count();
        assert_eq!(refused, 20, "{answers:?}");
    }
    // Calls at one time are counted in one question.
    let asked = a.requests_to("sessions").await + b.requests_to("sessions").await;
    assert!(asked < 60, "{asked} for 60 calls");
    // Redis is away: no call is made, and none waits. Nothing is forgotten.
    let mut fresh = Client::new(None);
    fresh.begin(&a.url(), "fresh").await;
    for number in 0..4 {
        let result = fresh.rows(&a.url(), number, SMALL).await;
        assert!(result.contains("fresh#"), "{result}");
    }
    redis.service.stop();
    let begun = Instant::now();
    for number in 0..20 {
        let result = fresh.rows(&b.url(), number, SMALL).await;
        assert!(result.contains(UNCOUNTED), "{result}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "{:?}",
        begun.elapsed()
    );
    redis.service.kill();
    redis.service.start_again();
    let back = Instant::now();
    let mut counted = 0;
    while counted < 6 {
        assert!(back.elapsed() < Duration::from_secs(20), "it stays away");
        let result = fresh.rows(&b.url(), 50, SMALL).await;
        match result.contains(UNCOUNTED) {
            true => tokio::time::sleep(Duration::from_millis(50)).await,
            false => {
                assert!(result.contains("fresh#50"), "{counted}: {result}");
                counted += 1;
            }
        }
    }
    let result = fresh.rows(&a.url(), 51, SMALL).await;
    assert!(result.contains(LIMIT), "{result}");
    for replica in [a, b] {
        let ended = replica.end().succeeded();
        let log = text(&ended.stderr);
        assert!(!log.contains(Redis::PASSWORD), "{}", ended.report());
    }
}

#[tokio::test]
async fn what_filters_store_in_a_session_is_at_every_replica() {
    let folder = Folder::new();
    let Some(mut redis) = Redis::start(&folder) else {
        return;
    };
    let store = ObjectStore::start(&folder);
    let server = Listening::server(&folder);
    let state = format!("{SHARED}\noriginals = \"s3://tamis/values\"");
    let policy = policy(
        &server,
        &state,
        "[serve]\nlimits = { sessions-time = \"300ms\" }",
    );
    // In this form a table needs an explanation.
    let policy = policy.replace("\"row-encoder\"", "\"row-encoder\", level = \"dense\"");
    let more = [redis.environment(), store.environment()].concat();
    let [a, b] = replicas(&folder, &policy, KEY, &more);
    let mut client = Client::new(None);
    client.begin(&a.url(), "values").await;
    // The first table of a session comes with a line that explains its form. The others do not, at any replica.
    let explained = |text: &str| text.contains("[tamis]") && !text.contains("bytes shown");
    let first = client.rows(&a.url(), 1, SMALL).await;
    assert!(explained(&first), "{first}");
    for replica in [&b, &a] {
        let next = client.rows(&replica.url(), 2, SMALL).await;
        assert!(!explained(&next), "{next}");
    }
    // Another session of the same caller is told anew.
    let mut other = Client::new(None);
    other.begin(&b.url(), "other").await;
    assert!(explained(&other.rows(&b.url(), 1, SMALL).await));
    // Without Redis, a model is told more, never less; and results are cut all the same.
    redis.service.kill();
    assert!(explained(&client.rows(&b.url(), 3, SMALL).await));
    let reference = cut(&client.rows(&a.url(), 4, LARGE).await);
    assert!(client.read(&b.url(), &reference).await.contains("values#4"));
    for replica in [a, b] {
        replica.end().succeeded();
    }
}
