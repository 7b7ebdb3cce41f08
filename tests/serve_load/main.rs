//! `tamis serve` under load while programs are killed: no answer is lost, none reaches another client, nothing hangs,
//! and memory does not grow.
//!
//! This is a binary of its own, because it measures its memory.
//!
//! TAMIS_LOAD_CALLS: calls of the thousand sessions, instead of 25,000. TAMIS_LOAD_SEED: the order of kills.

mod client;
mod load;
mod programs;
#[path = "../support/mod.rs"]
mod support;

use crate::support::proxy;
use std::sync::Arc;
use std::time::Duration;

use self::client::{Client, Outcome};
use self::load::{Load, Random};
use self::programs::{Listening, policy_for_command, policy_for_url};
use crate::support::Folder;
use rustix::process::{Resource, Signal, getrlimit, kill_process, setrlimit};
use tokio::sync::Barrier;

const SESSIONS: usize = 1000;

/// Clients during kills.
const CLIENTS: usize = 64;

/// Clients with a process of their own each.
const PROCESSES: usize = 12;

/// The number of kills.
const KILLS: usize = 8;

/// Answers between two kills: the minimum, and the most more.
const ANSWERS_BETWEEN: (u64, u64) = (50, 300);

/// Time for programs to end by themselves.
const DEADLINE: Duration = Duration::from_secs(30);

/// Calls of each session before memory is measured.
const WARM_UP: usize = 5;

/// Memory is measured before and after each of these windows, in which each session makes as many calls.
const WINDOWS: usize = 5;

/// Most growth of memory in the window in which it grows least. Heaps grow until each thread has served each kind of call
/// often, on a busy machine for 60 MiB, and then stay as they are: 3 MiB more in 12,000 calls. If one result of each call
/// stayed in memory, each window of 5,000 calls would take 32 MiB.
const GROWTH_KIB: u64 = 8 << 10;

/// Most memory of a session at the end: 230 to 310 KiB were measured.
const SESSION_KIB: u64 = 448;

fn clients(proxy: &Listening, count: usize) -> Vec<Client> {
    let http = proxy::client();
    let url = format!("http://{}/load/mcp", proxy.address);
    (0..count).map(|at| Client::new(&http, &url, at)).collect()
}

/// This process, and the server behind the proxy, have two connections a session.
fn allow_many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("up to the hard limit it is allowed");
}

/// Waits until a condition holds, and reports the state if it never does.
async fn until(what: &str, mut is_so: impl FnMut() -> Result<(), String>) {
    let begun = std::time::Instant::now();
    while let Err(found) = is_so() {
        assert!(begun.elapsed() < DEADLINE, "{what}: {found}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_thousand_sessions_get_each_their_own_answers_and_memory_stays_flat() {
    allow_many_files();
    let calls = std::env::var("TAMIS_LOAD_CALLS").ok();
    let calls = calls.map_or(25_000, |calls| calls.parse().expect("a number"));
    let of_session = calls / SESSIONS / WINDOWS;
    let folder = Folder::new();
    let server = Listening::server(&folder, "127.0.0.1:0");
    folder.write("filters.toml", policy_for_url(&server.address));
    let proxy = Listening::proxy(&folder, "127.0.0.1:0");
    let stage = Arc::new(Barrier::new(SESSIONS + 1));
    let mut sessions = tokio::task::JoinSet::new();
    for mut client in clients(&proxy, SESSIONS) {
        let stage = Arc::clone(&stage);
        sessions.spawn(async move {
            client.begin().await;
            for window in 0..=WINDOWS {
                for _ in 0..if window == 0 { WARM_UP } else { of_session } {
                    assert_eq!(client.call().await, Outcome::Answered, "{}", client.name);
                }
                // All sessions exist until the last call is answered.
                stage.wait().await;
                stage.wait().await;
            }
            client.end().await;
        });
    }
    let mut resident = Vec::new();
    for _ in 0..=WINDOWS {
        tokio::select! {
            _ = stage.wait() => {}
            Some(ended) = sessions.join_next() => panic!("a client ended: {:?}", ended.err()),
        }
        resident.push(proxy.resident_kib());
        stage.wait().await;
    }
    while let Some(ended) = sessions.join_next().await {
        ended.expect("no client panics");
    }
    println!("{calls} calls in {WINDOWS} windows: {resident:?} KiB around them");
    let growth = resident
        .windows(2)
        .map(|around| around[1].saturating_sub(around[0]));
    let least = growth.min().expect("there are windows");
    assert!(
        least <= GROWTH_KIB,
        "memory grew in each of {WINDOWS} windows of {calls} calls: {resident:?} KiB"
    );
    let end = resident[WINDOWS];
    assert!(
        end <= SESSION_KIB * SESSIONS as u64,
        "{SESSIONS} sessions take {end} KiB"
    );
    proxy.end();
    server.kill();
}

#[tokio::test]
async fn a_server_that_is_killed_costs_its_sessions_and_no_more() {
    let mut random = Random::new();
    let folder = Folder::new();
    let mut server = Listening::server(&folder, "127.0.0.1:0");
    folder.write("filters.toml", policy_for_url(&server.address));
    let proxy = Listening::proxy(&folder, "127.0.0.1:0");
    let mut load = Load::start(clients(&proxy, CLIENTS), false, &mut random);
    for _ in 0..KILLS {
        load.answers(between(&mut random)).await;
        let address = server.address.clone();
        server.kill();
        server = Listening::server(&folder, &address);
    }
    let tally = load.settle().await;
    assert!(
        tally.failed > 0 && tally.forgotten > 0,
        "nothing was hit: {tally:?}"
    );
    proxy.end();
    server.kill();
}

#[tokio::test]
async fn clients_that_go_leave_nothing_behind() {
    let mut random = Random::new();
    let folder = Folder::new();
    let server = Listening::server(&folder, "127.0.0.1:0");
    folder.write("filters.toml", policy_for_url(&server.address));
    let proxy = Listening::proxy(&folder, "127.0.0.1:0");
    let mut load = Load::start(clients(&proxy, CLIENTS), true, &mut random);
    load.answers(1500).await;
    let tally = load.settle().await;
    assert!(tally.gone >= 1500, "{tally:?}");
    assert_eq!((tally.failed, tally.forgotten), (0, 0), "{tally:?}");
    // Idle connections for later: one a client on either side.
    let most = 2 * CLIENTS + 64;
    until("connections that nobody uses are closed", || {
        match proxy.open_files() {
            open if open <= most => Ok(()),
            open => Err(format!("{open} files are open, more than {most}")),
        }
    })
    .await;
    proxy.end();
    server.kill();
}

#[tokio::test]
async fn a_proxy_that_is_killed_goes_on_where_it_is_started_again() {
    let mut random = Random::new();
    let folder = Folder::new();
    let server = Listening::server(&folder, "127.0.0.1:0");
    folder.write("filters.toml", policy_for_url(&server.address));
    let mut proxy = Listening::proxy(&folder, "127.0.0.1:0");
    let mut all = clients(&proxy, CLIENTS);
    all.iter_mut().for_each(|client| client.may_break = true);
    let mut load = Load::start(all, false, &mut random);
    for _ in 0..KILLS {
        load.answers(between(&mut random)).await;
        let address = proxy.address.clone();
        proxy.kill();
        proxy = Listening::proxy(&folder, &address);
    }
    let tally = load.settle().await;
    assert!(tally.broken > 0, "nothing was hit: {tally:?}");
    assert_eq!(
        tally.failed, 0,
        "the server was there all the time: {tally:?}"
    );
    proxy.end();
    server.kill();
}

#[tokio::test]
async fn a_process_that_is_killed_costs_its_own_session_alone() {
    let mut random = Random::new();
    let folder = Folder::new();
    folder.write("filters.toml", policy_for_command());
    let proxy = Listening::proxy(&folder, "127.0.0.1:0");
    let mut load = Load::start(clients(&proxy, PROCESSES), false, &mut random);
    for _ in 0..KILLS * 4 {
        load.answers(between(&mut random) / 4).await;
        let children = proxy.children();
        let Some(one) = children.get(random.below(children.len().max(1) as u64) as usize) else {
            continue;
        };
        // The process may have ended by itself.
        let _ = kill_process(*one, Signal::KILL);
    }
    let tally = load.settle().await;
    assert!(
        tally.failed + tally.forgotten > 0,
        "nothing was hit: {tally:?}"
    );
    // A kill costs one call and its session, or one of the two.
    let most = 4 * KILLS as u64;
    assert!(
        tally.failed <= most && tally.forgotten <= most,
        "others were hit: {tally:?}"
    );
    until("processes end with their sessions", || {
        match proxy.children() {
            left if left.is_empty() => Ok(()),
            left => Err(format!("{left:?} are left")),
        }
    })
    .await;
    proxy.end();
}

fn between(random: &mut Random) -> u64 {
    let (least, more) = ANSWERS_BETWEEN;
    least + random.below(more)
}
