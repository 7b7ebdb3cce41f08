//! What a call costs through several replicas, and by what they share. The table in docs/replicas.md has these figures.
//!
//! TAMIS_REPLICAS_COST: measure long enough for figures. Otherwise a few calls show that the measurement works.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::fleet::balancing;
use crate::replica::{CHAIN, Client, KEY, LARGE, Listening, SMALL};
use crate::services::{ObjectStore, Redis, free_port, haproxy};
use crate::support::{Folder, proxy};

/// Clients at one time.
const CLIENTS: usize = 16;

/// Sessions that are opened to see what one takes in memory.
const SESSIONS: usize = 2000;

/// One in so many results is cut.
const LARGE_EVERY: usize = 10;

/// What replicas share.
#[derive(Clone, Copy)]
struct Share {
    name: &'static str,
    state: &'static str,
    more: &'static str,
}

const NOTHING: Share = Share {
    name: "nothing shared",
    state: "",
    more: "",
};
const SEALED: Share = Share {
    name: "sealed ids",
    state: "[state]\nkey = \"${TAMIS_STATE_KEY}\"\n",
    more: "",
};
const WINDOWS: Share = Share {
    name: "sealed ids, windows in Redis",
    state: "[state]\nkey = \"${TAMIS_STATE_KEY}\"\nsessions = \"${TAMIS_REDIS_URL}\"\n",
    more: "[session]\ncalls = 1_000_000\n",
};
const ALL: Share = Share {
    name: "sealed ids, windows in Redis, originals in S3",
    state: "[state]\nkey = \"${TAMIS_STATE_KEY}\"\nsessions = \"${TAMIS_REDIS_URL}\"\noriginals = \"s3://tamis/cost\"\n",
    more: "[session]\ncalls = 1_000_000\n",
};

/// The figures of one setting, for each call.
struct Cost {
    cpu_us: f64,
    median_us: f64,
    redis: f64,
    objects: f64,
    session_kib: f64,
    call_failed: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_costs_the_same_through_any_number_of_replicas() {
    let is_long = std::env::var_os("TAMIS_REPLICAS_COST").is_some();
    let calls = if is_long { 8000 } else { 400 };
    let mut table = vec![
        "| replicas | shared | CPU of Tamis for each call | median | Redis commands | S3 requests | memory for each session |".to_owned(),
        "|---|---|---|---|---|---|---|".to_owned(),
    ];
    let mut by_replicas = Vec::new();
    for (replicas, share) in [
        (1, NOTHING),
        (1, SEALED),
        (1, WINDOWS),
        (1, ALL),
        (2, ALL),
        (4, ALL),
    ] {
        let Some(cost) = measure(replicas, share, calls, is_long).await else {
            return;
        };
        assert_eq!(cost.call_failed, 0, "{} at {replicas}", share.name);
        table.push(format!(
            "| {replicas} | {} | {:.0} µs | {:.1} ms | {:.2} | {:.2} | {:.1} KiB |",
            share.name,
            cost.cpu_us,
            cost.median_us / 1000.0,
            cost.redis,
            cost.objects,
            cost.session_kib
        ));
        if share.name == ALL.name {
            by_replicas.push(cost.cpu_us);
        }
    }
    println!("{}", table.join("\n"));
    let ratios = by_replicas
        .iter()
        .map(|cost| format!("{:.2}", cost / by_replicas[0]));
    let ratios: Vec<String> = ratios.collect();
    println!(
        "through 1, 2 and 4 replicas, times the cost through one: {}",
        ratios.join(", ")
    );
    assert!(
        by_replicas.iter().all(|cost| *cost > 0.0),
        "{by_replicas:?}"
    );
}

async fn measure(replicas: usize, share: Share, calls: usize, is_long: bool) -> Option<Cost> {
    let folder = Folder::new();
    let (objects, redis) = (ObjectStore::start(&folder), Redis::start(&folder)?);
    let ports: Vec<u16> = (0..replicas).map(|_| free_port()).collect();
    let port = free_port();
    let _balancer = haproxy(&folder, &balancing(port, &ports), port)?;
    let server = Listening::server(&folder);
    let policy = format!(
        "[server.load]\nurl = \"http://{}/mcp\"\n{}{}{CHAIN}",
        server.address, share.state, share.more
    );
    let mut environment = [objects.environment(), redis.environment()].concat();
    environment.push(("TAMIS_STATE_KEY".to_owned(), KEY.to_owned()));
    // The default. With `info`, the tokens of each result are counted for its line.
    environment.push(("TAMIS_LOG".to_owned(), "warn".to_owned()));
    let started = ports.iter().enumerate().map(|(at, port)| {
        let name = at.to_string();
        folder.write(&format!("{name}.toml"), &policy);
        Listening::replica(&folder, &name, &format!("127.0.0.1:{port}"), &environment)
    });
    let started: Vec<Listening> = started.collect();
    let base = format!("http://127.0.0.1:{port}");
    let http = proxy::client();
    until_ready(&http, &base).await;

    let before = started.iter().map(resident_kib).sum::<u64>();
    let sessions = if is_long { SESSIONS } else { CLIENTS };
    let clients = begin(&http, &base, sessions).await;
    let after = started.iter().map(resident_kib).sum::<u64>();

    // Each replica counts the tokens of its first 32 MiB exactly, and later those of samples.
    run(&clients[..CLIENTS], &base, calls / 4 * replicas).await;
    let counters = || {
        let cpu: f64 = started.iter().map(cpu_us).sum();
        (cpu, commands(&redis))
    };
    let requests = objects_requested(&http, &started).await;
    let (cpu, redis_before) = counters();
    let (mut times, call_failed) = run(&clients[..CLIENTS], &base, calls).await;
    let (cpu_after, redis_after) = counters();
    let requests_after = objects_requested(&http, &started).await;
    times.sort_unstable();
    let each = |sum: f64| sum / calls as f64;
    let cost = Cost {
        cpu_us: each(cpu_after - cpu),
        median_us: times[times.len() / 2].as_secs_f64() * 1e6,
        redis: each((redis_after - redis_before) as f64),
        objects: each((requests_after - requests) as f64),
        session_kib: after.saturating_sub(before) as f64 / sessions as f64,
        call_failed,
    };
    for replica in started {
        replica.end().succeeded();
    }
    Some(cost)
}

async fn begin(http: &reqwest::Client, base: &str, sessions: usize) -> Vec<Client> {
    let turns = Arc::new(Semaphore::new(CLIENTS));
    let mut beginning = JoinSet::new();
    for at in 0..sessions {
        let (turns, base) = (Arc::clone(&turns), base.to_owned());
        let mut client = Client::over(http, Some(&format!("token-{}", at % 50)));
        beginning.spawn(async move {
            let _turn = turns.acquire().await.expect("it stays open");
            client.begin(&base, &format!("client-{at}")).await;
            let list = json!({"jsonrpc": "2.0", "id": "l", "method": "tools/list"});
            client.send(&base, &list).await;
            client
        });
    }
    beginning.join_all().await
}

/// Waits until the balancer has found its replicas.
async fn until_ready(http: &reqwest::Client, base: &str) {
    let begun = Instant::now();
    loop {
        let asked = http.get(format!("{base}/readyz")).send().await;
        if asked.is_ok_and(|answer| answer.status() == 200) {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "no replica is ready"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Makes calls; how long each took, and how many failed.
async fn run(clients: &[Client], base: &str, calls: usize) -> (Vec<Duration>, usize) {
    let mut running = JoinSet::new();
    for client in clients {
        let (mut client, base) = (client.clone(), base.to_owned());
        running.spawn(async move {
            let mut times = Vec::new();
            let mut failed = 0;
            for number in 0..calls / CLIENTS {
                let bytes = match number % LARGE_EVERY {
                    0 => LARGE,
                    size => SMALL << (size % 4),
                };
                let begun = Instant::now();
                // Another number in each run, so that no original is known already.
                let arguments = json!({"number": random_number() >> 16, "bytes": bytes});
                let (status, answer) = client.call(&base, "rows", arguments).await;
                times.push(begun.elapsed());
                failed += usize::from(status != 200 || !answer["error"].is_null());
            }
            (times, failed)
        });
    }
    let mut all = (Vec::new(), 0);
    for (times, failed) in running.join_all().await {
        all.0.extend(times);
        all.1 += failed;
    }
    all
}

fn random_number() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

/// Processor time that a program has used.
fn cpu_us(replica: &Listening) -> f64 {
    let path = format!("/proc/{}/stat", replica.running.pid().as_raw_nonzero());
    let stat = std::fs::read_to_string(path).expect("it runs");
    let (_, fields) = stat.rsplit_once(") ").expect("the name in parentheses");
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks: f64 = fields[11..13]
        .iter()
        .map(|field| field.parse::<f64>().expect("a number"))
        .sum();
    // Linux counts in hundredths of a second.
    ticks * 10_000.0
}

fn resident_kib(replica: &Listening) -> u64 {
    let path = format!("/proc/{}/status", replica.running.pid().as_raw_nonzero());
    let status = std::fs::read_to_string(path).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kib.expect("memory in use")
}

/// Commands that Redis has run, without those of scripts.
fn commands(redis: &Redis) -> u64 {
    let url = redis.environment().remove(0).1;
    let mut connection = redis::Client::open(url)
        .and_then(|client| client.get_connection())
        .expect("Redis answers");
    let info: String = redis::cmd("INFO")
        .arg("commandstats")
        .query(&mut connection)
        .expect("figures");
    let calls = info.lines().filter_map(|line| {
        let (name, figures) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        let asked = ["evalsha", "hgetall", "hset", "hdel", "ping"];
        let (calls, _) = figures.split_once(',')?;
        asked
            .contains(&name)
            .then(|| calls.parse::<u64>().expect("a number"))
    });
    calls.sum()
}

async fn objects_requested(http: &reqwest::Client, replicas: &[Listening]) -> u64 {
    let mut sum = 0;
    for replica in replicas {
        let asked = http.get(format!("{}/metrics", replica.url())).send();
        let text = asked
            .await
            .expect("an answer")
            .text()
            .await
            .expect("a body");
        let line = "tamis_service_requests_total{service=\"originals\"} ";
        let count = text.lines().find_map(|text| text.strip_prefix(line));
        sum += count.map_or(0, |count| count.parse::<u64>().expect("a number"));
    }
    sum
}
