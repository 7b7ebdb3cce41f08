//! A replica that is told to end while clients call: the balancer sends new calls elsewhere, and no client gets an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::fleet::balancing;
use crate::replica::{Client, KEY, Listening};
use crate::services::{free_port, haproxy};
use crate::support::Folder;
use crate::support::proxy::client;
use crate::support::upstream::Upstream;

/// Calls that are open when the replica is told to end.
const OPEN: usize = 8;
/// Clients that call all the time.
const CLIENTS: usize = 4;

/// Calls of the server that wait for their answers.
fn waiting(server: &Upstream) -> usize {
    let calls = server.received_of("tools/call");
    let is_slow =
        |call: &&crate::support::upstream::Received| call.body["params"]["name"] == "slow";
    calls.iter().filter(is_slow).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_ends_behind_a_balancer_costs_no_client_an_answer() {
    let folder = Folder::new();
    let (port, ports) = (free_port(), [free_port(), free_port()]);
    let Some(balancer) = haproxy(&folder, &balancing(port, &ports), port) else {
        return;
    };
    let (server, address) = Upstream::start().await;
    let metrics = free_port();
    let policy = format!(
        "[server.a]\nurl = \"http://{address}/mcp\"\n[state]\nkey = \"${{TAMIS_STATE_KEY}}\"\n\
         [[chain]]\ntools = [\"slow\"]\nsteps = [\"null-stripper\"]\n\
         [serve]\nlimits = {{ drain = \"3s\" }}\n"
    );
    folder.write(
        "a.toml",
        format!("{policy}metrics = \"127.0.0.1:{metrics}\"\n"),
    );
    folder.write("b.toml", &policy);
    let environment = [("TAMIS_STATE_KEY".to_owned(), KEY.to_owned())];
    let [a, b] = ["a", "b"].map(|name| {
        let port = ports[usize::from(name == "b")];
        Listening::replica(&folder, name, &format!("127.0.0.1:{port}"), &environment)
    });
    let base = format!("http://127.0.0.1:{}", balancer.port());
    let http = client();
    let ready = async |at: String| {
        let answer = http.get(format!("{at}/readyz")).send().await;
        answer.expect("an answer").status().as_u16()
    };
    while ready(base.clone()).await != 200 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    // Open calls at the replica that is to end, and clients that never stop, through the balancer.
    let call = |number: usize, tool: &str| {
        json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": tool, "arguments": {},
        }})
    };
    let mut session = Client::new(None);
    session.begin_at(&base, "a", "alice").await;
    let open: Vec<_> = (0..OPEN)
        .map(|number| {
            let (mut client, at) = (session.clone(), a.url());
            let call = call(number, "slow");
            tokio::spawn(async move { client.try_send(&at, "a", &call).await })
        })
        .collect();
    while waiting(&server) < OPEN {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (stops, answered) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (stops, answered, base) = (Arc::clone(&stops), Arc::clone(&answered), base.clone());
            let call = call(1, "noisy");
            // Connections of its own, so that requests meet every moment of the end.
            let mut client = session.clone().over_new_connections();
            tokio::spawn(async move {
                while !stops.load(Relaxed) {
                    let (status, answer) = client
                        .try_send(&base, "a", &call)
                        .await
                        .expect("no connection breaks");
                    assert_eq!(status, 200, "{answer}");
                    assert!(answer["result"].is_object(), "{answer}");
                    answered.fetch_add(1, Relaxed);
                }
            })
        })
        .collect();
    let more = async |count: usize| {
        let wanted = answered.load(Relaxed) + count;
        while answered.load(Relaxed) < wanted {
            assert!(
                !clients.iter().any(|client| client.is_finished()),
                "a client failed"
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    more(100).await;

    let mut a = a;
    a.running.signal(Signal::TERM);
    let told = Instant::now();
    // At both addresses, while calls are open; the other replica stays ready.
    for at in [a.url(), format!("http://127.0.0.1:{metrics}")] {
        while ready(at.clone()).await != 503 {
            assert!(
                told.elapsed() < Duration::from_secs(1),
                "it says that it is ready"
            );
        }
    }
    assert_eq!(ready(b.url()).await, 200);
    more(500).await;
    // The balancer has noticed, and Tamis no longer listens.
    while http
        .get(format!("{}/healthz", a.url()))
        .send()
        .await
        .is_ok()
    {
        assert!(told.elapsed() < Duration::from_secs(20), "it still listens");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    more(100).await;
    let status = ready(format!("http://127.0.0.1:{metrics}")).await;
    assert_eq!(status, 503, "until it has ended, it says that it ends");
    server.go_on.notify_waiters();
    for call in open {
        let (status, answer) = call.await.expect("no panic").expect("an answer");
        assert_eq!(status, 200);
        assert_ne!(
            answer["result"]["content"][0]["text"],
            Value::Null,
            "{answer}"
        );
    }
    a.running.finish().succeeded();
    more(100).await;
    stops.store(true, Relaxed);
    for client in clients {
        client.await.expect("no client got an error");
    }
    drop((b, balancer));
}
