//! What a call costs through several replicas, and by what they share. The table in docs/replicas.md has these figures.
//!
//! TAMIS_REPLICAS_COST: measure long enough for figures. Otherwise a few calls show that the measurement works.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::fleet::balancing;
use crate::replica::{CHAIN, Client, KEY, LARGE, Listening, SMALL, replica_within};
use crate::services::{ObjectStore, Redis, Service, free_port, haproxy};
use crate::support::{Folder, proxy};

/// Clients at one time: full load for a few cores.
const CLIENTS: usize = 64;

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

/// What runs for one setting.
struct Setting {
    replicas: usize,
    share: Share,
    base: String,
    clients: Vec<Client>,
    session_kib: f64,
    started: Vec<Listening>,
    redis: Redis,
    // To the end.
    _objects: ObjectStore,
    _balancer: Service,
    _server: Listening,
    _folder: Folder,
}

/// The figures of one round, for each call.
struct Cost {
    cpu_us: f64,
    /// What all programs together took of the same processors.
    all_us: f64,
    redis: f64,
    objects: f64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_costs_the_same_through_any_number_of_replicas() {
    let is_long = std::env::var_os("TAMIS_REPLICAS_COST").is_some();
    let (calls, rounds, sessions) = match is_long {
        true => (1600, 9, SESSIONS),
        false => (400, 1, CLIENTS),
    };
    let mut settings = Vec::new();
    for (replicas, share) in [
        (1, NOTHING),
        (1, SEALED),
        (1, WINDOWS),
        (1, ALL),
        (2, ALL),
        (4, ALL),
    ] {
        let Some(setting) = Setting::start(replicas, share, sessions).await else {
            return;
        };
        // Each replica counts the tokens of its first 32 MiB exactly, and later those of samples.
        run(&setting.clients[..CLIENTS], &setting.base, calls * replicas).await;
        settings.push(setting);
    }
    // In turns: what else the machine does changes the figures of all.
    let mut costs: Vec<Vec<Cost>> = settings.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (setting, costs) in settings.iter().zip(&mut costs) {
            costs.push(setting.round(calls).await);
        }
    }
    let mut table = vec![
        "| replicas | shared | CPU of Tamis for each call | time for each call | Redis commands | S3 requests | memory for each session |".to_owned(),
        "|---|---|---|---|---|---|---|".to_owned(),
    ];
    for (setting, costs) in settings.iter().zip(&costs) {
        let of = |figure: fn(&Cost) -> f64| median(costs.iter().map(figure));
        assert!(of(|it| it.cpu_us) > 0.0, "nothing was measured");
        table.push(format!(
            "| {} | {} | {:.0} µs | {:.0} µs | {:.2} | {:.2} | {:.1} KiB |",
            setting.replicas,
            setting.share.name,
            of(|it| it.cpu_us),
            of(|it| it.all_us),
            of(|it| it.redis),
            of(|it| it.objects),
            setting.session_kib
        ));
    }
    println!("{}", table.join("\n"));
    let [.., one, two, four] = &costs[..] else {
        unreachable!("six settings are measured");
    };
    let ratio = |several: &[Cost], figure: fn(&Cost) -> f64| {
        let rounds = several.iter().zip(one);
        median(rounds.map(|(several, one)| figure(several) / figure(one)))
    };
    let [cpu, all] = [|it: &Cost| it.cpu_us, |it: &Cost| it.all_us]
        .map(|figure| [ratio(two, figure), ratio(four, figure)]);
    println!(
        "a call through 2 and 4 replicas, times one through one, median of {rounds} rounds: {:.2}, {:.2} of the time, {:.2}, {:.2} of the CPU of Tamis",
        all[0], all[1], cpu[0], cpu[1]
    );
    for setting in settings {
        for replica in setting.started {
            replica.end().succeeded();
        }
    }
}

impl Setting {
    /// None: a program is missing, and the test says so.
    async fn start(replicas: usize, share: Share, sessions: usize) -> Option<Setting> {
        let folder = Folder::new();
        let (objects, redis) = (ObjectStore::start(&folder), Redis::start(&folder)?);
        let ports: Vec<u16> = (0..replicas).map(|_| free_port()).collect();
        let port = free_port();
        let balancer = haproxy(&folder, &balancing(port, &ports), port)?;
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
            let processors = share_of_processors(at, replicas);
            let command = ["taskset", "--cpu-list", &processors];
            let address = format!("127.0.0.1:{port}");
            let replica = replica_within(&command, &folder, &name, &address, &environment);
            Listening::start(replica)
        });
        let started: Vec<Listening> = started.collect();
        let base = format!("http://127.0.0.1:{port}");
        let http = proxy::client();
        until_ready(&http, &base).await;

        let before = started.iter().map(resident_kib).sum::<u64>();
        let clients = begin(&http, &base, sessions).await;
        let after = started.iter().map(resident_kib).sum::<u64>();
        Some(Setting {
            replicas,
            share,
            base,
            clients,
            session_kib: after.saturating_sub(before) as f64 / sessions as f64,
            started,
            redis,
            _objects: objects,
            _balancer: balancer,
            _server: server,
            _folder: folder,
        })
    }

    async fn round(&self, calls: usize) -> Cost {
        let cpu = || self.started.iter().map(cpu_us).sum::<f64>();
        let requests = objects_requested(&self.started).await;
        let (cpu_before, redis) = (cpu(), commands(&self.redis));
        let begun = Instant::now();
        let failed = run(&self.clients[..CLIENTS], &self.base, calls).await;
        let elapsed = begun.elapsed();
        let (cpu_after, redis_after) = (cpu(), commands(&self.redis));
        let requests_after = objects_requested(&self.started).await;
        assert_eq!(failed, 0, "{} at {}", self.share.name, self.replicas);
        let each = |sum: f64| sum / calls as f64;
        Cost {
            cpu_us: each(cpu_after - cpu_before),
            all_us: each(elapsed.as_secs_f64() * 1e6),
            redis: each((redis_after - redis) as f64),
            objects: each((requests_after - requests) as f64),
        }
    }
}

/// The processors of a replica: its share of all that this test may use, as a container has.
fn share_of_processors(at: usize, replicas: usize) -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("the state of this process");
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let ranges = allowed.expect("its processors").trim().split(',');
    let all: Vec<u32> = ranges
        .flat_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let number = |text: &str| text.parse::<u32>().expect("a number");
            number(first)..=number(last)
        })
        .collect();
    let share = (all.len() / replicas).max(1);
    let first = at * share % all.len();
    let own = all[first..].iter().take(share).map(u32::to_string);
    own.collect::<Vec<_>>().join(",")
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
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

/// Makes calls; how many failed.
async fn run(clients: &[Client], base: &str, calls: usize) -> usize {
    let mut running = JoinSet::new();
    for client in clients {
        let (mut client, base) = (client.clone(), base.to_owned());
        running.spawn(async move {
            let mut failed = 0;
            for number in 0..calls / CLIENTS {
                let bytes = match number % LARGE_EVERY {
                    0 => LARGE,
                    size => SMALL << (size % 4),
                };
                // Another number in each run, so that no original is known already.
                let arguments = json!({"number": random_number() >> 16, "bytes": bytes});
                let (status, answer) = client.call(&base, "rows", arguments).await;
                failed += usize::from(status != 200 || !answer["error"].is_null());
            }
            failed
        });
    }
    running.join_all().await.into_iter().sum()
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

async fn objects_requested(replicas: &[Listening]) -> u64 {
    let mut sum = 0;
    for replica in replicas {
        sum += replica.requests_to("originals").await;
    }
    sum
}
