//! `ready`: processes of a server that are started ahead of their sessions.

use crate::support::proxy::{Proxy, initialize};
use crate::support::{Folder, Program};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// A server that notes its process when it starts, and answers calls with it.
const SERVER: &str = r#"echo $$ >> started
while read -r line; do
    id=$(echo "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $line in
    *initialize\"*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}' ;;
    *tools/call*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'$$'"}]}}' ;;
    esac
done"#;

fn start(keys: &str) -> Proxy {
    start_server(SERVER, keys)
}

fn start_server(server: &str, keys: &str) -> Proxy {
    Proxy::start(&format!(
        "[server.a]\ncommand = [\"sh\", \"-c\", {server:?}]\n{keys}"
    ))
}

/// The processes that were started, once there are so many.
async fn started(folder: &Path, number: usize) -> Vec<i32> {
    for _ in 0..1000 {
        let text = std::fs::read_to_string(folder.join("started")).unwrap_or_default();
        let all: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        assert!(all.len() <= number, "{number} are started, not {all:?}");
        if all.len() == number {
            return all;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{number} processes are not started");
}

async fn pid(proxy: &Proxy, session: &str) -> i32 {
    let answer = proxy.call("a", session, "pid").await;
    let mut data = answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let data = data.next_back().unwrap_or(&answer);
    let answer: Value = serde_json::from_str(data).expect("JSON");
    let text = answer["result"]["content"][0]["text"].as_str();
    text.and_then(|text| text.parse().ok()).expect("a number")
}

async fn ends(pid: i32) {
    let pid = Pid::from_raw(pid).expect("a process");
    for _ in 0..1000 {
        if test_kill_process(pid).is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{pid:?} lives on");
}

#[tokio::test]
async fn a_session_begins_with_a_process_that_was_started_ahead() {
    let proxy = start("ready = 2\n");
    let folder = proxy.folder.path().to_owned();
    let ahead = started(&folder, 2).await;
    // Each session has its own.
    let (one, other) = (proxy.session("a").await, proxy.session("a").await);
    let (first, second) = (pid(&proxy, &one).await, pid(&proxy, &other).await);
    assert_ne!(first, second);
    assert!(ahead.contains(&first) && ahead.contains(&second));
    let all = started(&folder, 4).await;
    let third = proxy.session("a").await;
    assert!(all[2..].contains(&pid(&proxy, &third).await));
    // More sessions than processes that wait.
    let mut late = Vec::new();
    for _ in 0..3 {
        late.push(pid(&proxy, &proxy.session("a").await).await);
    }
    late.sort_unstable();
    late.dedup();
    assert_eq!(late.len(), 3, "{late:?}");
    // Those that wait end with the proxy as well.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let all = std::fs::read_to_string(folder.join("started")).expect("processes");
    proxy.end().succeeded();
    for pid in all.lines().filter_map(|line| line.parse().ok()) {
        ends(pid).await;
    }
}

#[tokio::test]
async fn a_process_that_ended_while_it_waited_is_given_to_nobody() {
    let proxy = start("ready = 1\n");
    let folder = proxy.folder.path().to_owned();
    let [ahead] = started(&folder, 1).await[..] else {
        unreachable!("there is one")
    };
    kill_process(Pid::from_raw(ahead).expect("a process"), Signal::KILL).expect("it runs");
    // The system takes a moment.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let session = proxy.session("a").await;
    assert_ne!(pid(&proxy, &session).await, ahead);
    proxy.end().succeeded();
}

#[tokio::test]
async fn a_program_that_ends_at_once_is_not_started_again_and_again() {
    let proxy = start_server("echo $$ >> started", "ready = 1\n");
    let folder = proxy.folder.path().to_owned();
    started(&folder, 1).await;
    // Two rounds of the look at what waits.
    tokio::time::sleep(Duration::from_secs(5)).await;
    started(&folder, 1).await;
    let answer = proxy.post("a", &initialize()).send().await;
    let answer = answer.expect("an answer").text().await.expect("a body");
    assert!(answer.contains("ended before it answered"), "{answer}");
    let ended = proxy.end().succeeded();
    let said = String::from_utf8_lossy(&ended.stderr);
    let why = "a process that was started ahead has ended before its session began";
    assert_eq!(said.matches(why).count(), 1, "{said}");
}

#[tokio::test]
async fn a_process_waits_for_so_long_and_stubborn_ones_end_with_the_proxy() {
    let stubborn = "trap \"\" TERM HUP; echo $$ >> started; while :; do sleep 1; done";
    let keys = "ready = 1\n[serve]\nlimits = { idle-unused = \"1s\" }\n";
    let proxy = start_server(stubborn, keys);
    let folder = proxy.folder.path().to_owned();
    // Its successor is started, and it is ended though it does not want to.
    let mut all = Vec::new();
    for _ in 0..1000 {
        let text = std::fs::read_to_string(folder.join("started")).unwrap_or_default();
        all = text.lines().filter_map(|line| line.parse().ok()).collect();
        if all.len() >= 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ends(all[0]).await;
    let text = std::fs::read_to_string(folder.join("started")).expect("processes");
    proxy.end().succeeded();
    for pid in text.lines().filter_map(|line| line.parse().ok()) {
        ends(pid).await;
    }
}

#[tokio::test]
async fn a_proxy_that_cannot_listen_starts_no_process() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let folder = Folder::new();
    folder.write(
        "filters.toml",
        format!("[server.a]\ncommand = [\"sh\", \"-c\", {SERVER:?}]\nready = 2\n"),
    );
    let address = taken.local_addr().expect("an address").to_string();
    let line = [
        env!("CARGO_BIN_EXE_tamis"),
        "serve",
        "--config",
        "filters.toml",
        "--listen",
        &address,
    ];
    let run = Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .run("");
    assert_eq!(run.status.code(), Some(2));
    started(folder.path(), 0).await;
}

#[tokio::test]
async fn without_the_key_no_process_is_started_ahead() {
    let proxy = start("");
    tokio::time::sleep(Duration::from_millis(500)).await;
    started(proxy.folder.path(), 0).await;
    let session = proxy.session("a").await;
    let pid = pid(&proxy, &session).await;
    assert_eq!(started(proxy.folder.path(), 1).await, [pid]);
    proxy.end().succeeded();
}
