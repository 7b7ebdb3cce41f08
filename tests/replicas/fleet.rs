//! Four replicas behind HAProxy, while replicas are killed, Redis is started again, and the object store is away.
//!
//! Every request is answered: by its own result, or by an error that says why. No session is lost that its upstream
//! still has. Each session has as many calls as it makes, so one that was counted twice would be refused at the end.
//! Every reference that a client was given is read: 400 at every replica, and the others at one. `make replicas` reads all
//! at every replica (TAMIS_REPLICAS_COST).
//!
//! TAMIS_REPLICAS_CALLS: calls of the thousand sessions, instead of 100,000.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::replica::{CHAIN, Client, KEY, LARGE, Listening, SMALL, reference_in, text_of};
use crate::services::{ObjectStore, Redis, Service, free_port, haproxy};
use crate::support::{Folder, built_program, proxy};

const REPLICAS: usize = 4;
const SESSIONS: usize = 1000;

/// Calls at one time.
const AT_A_TIME: usize = 64;

/// One in so many calls has a result that is cut.
const LARGE_EVERY: u64 = 10;

/// Calls between two kills, at least, unless they take longer than this time.
const CALLS_BETWEEN: u64 = 400;
const MOST_BETWEEN: Duration = Duration::from_secs(3);

/// How long the object store is away.
const AWAY: Duration = Duration::from_secs(10);

/// How long after Redis came back a replica may not have noticed: its pause of a second, and a connection.
const REDIS_MISSED: Duration = Duration::from_secs(3);

/// How long a call may be refused while Redis is there. A replica leaves Redis alone for a second after three answers that
/// took longer than one; then one call tries it out.
const COUNTED_WITHIN: Duration = Duration::from_secs(10);

/// References that are read at each replica, at least: all of the long form.
const READ: usize = 400;

/// In the text for a call that could not be counted.
const UNCOUNTED: &str = "cannot be counted at the moment";

/// How long a request may take. One that exceeds it hangs.
const DEADLINE: Duration = Duration::from_secs(30);

/// Everything in front of the server.
struct Fleet {
    folder: Folder,
    server: Listening,
    objects: ObjectStore,
    redis: Redis,
    balancer: Service,
    replicas: Vec<Option<Listening>>,
    ports: Vec<u16>,
    environment: Vec<(String, String)>,
}

impl Fleet {
    fn start(calls_of_session: u64) -> Option<Fleet> {
        let folder = Folder::new();
        let (objects, redis) = (ObjectStore::start(&folder), Redis::start(&folder)?);
        let ports: Vec<u16> = (0..REPLICAS).map(|_| free_port()).collect();
        let port = free_port();
        let balancer = haproxy(&folder, &balancing(port, &ports), port)?;
        let server = Listening::server(&folder);
        let program = built_program("load-server");
        let policy = format!(
            "[server.load]\nurl = \"http://{}/mcp\"\n[server.local]\ncommand = [{program:?}]\n\
             [state]\nkey = \"${{TAMIS_STATE_KEY}}\"\nsessions = \"${{TAMIS_REDIS_URL}}\"\noriginals = \"s3://tamis/fleet\"\n\
             [serve]\nlimits = {{ originals-time = \"1s\", sessions-time = \"1s\" }}\n\
             [session]\ncalls = {calls_of_session}\n{CHAIN}",
            server.address
        );
        for at in 0..REPLICAS {
            folder.write(&format!("{at}.toml"), &policy);
        }
        let mut environment = [objects.environment(), redis.environment()].concat();
        environment.push(("TAMIS_STATE_KEY".to_owned(), KEY.to_owned()));
        let mut fleet = Fleet {
            folder,
            server,
            objects,
            redis,
            balancer,
            replicas: (0..REPLICAS).map(|_| None).collect(),
            ports,
            environment,
        };
        (0..REPLICAS).for_each(|at| fleet.start_replica(at));
        Some(fleet)
    }

    fn start_replica(&mut self, at: usize) {
        let address = format!("127.0.0.1:{}", self.ports[at]);
        let replica =
            Listening::replica(&self.folder, &at.to_string(), &address, &self.environment);
        self.replicas[at] = Some(replica);
    }

    fn kill_replica(&mut self, at: usize) {
        let replica = self.replicas[at].take().expect("it runs");
        replica.running.kill();
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.balancer.port())
    }
}

/// The balancer's configuration, as docs/replicas.md has it.
pub fn balancing(port: u16, ports: &[u16]) -> String {
    let servers = |tail: &str| {
        let servers = ports.iter().enumerate();
        let servers =
            servers.map(|(at, port)| format!("    server r{at} 127.0.0.1:{port} {tail}\n"));
        servers.collect::<String>()
    };
    let (checked, tracked) = (
        servers("check inter 200ms fall 2 rise 1"),
        (0..ports.len())
            .map(|at| {
                format!(
                    "    server r{at} 127.0.0.1:{} track replicas/r{at}\n",
                    ports[at]
                )
            })
            .collect::<String>(),
    );
    format!(
        "\
global
    maxconn 8000
defaults
    mode http
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 2s
    retries 3
    option redispatch 1
frontend mcp
    bind 127.0.0.1:{port}
    use_backend by_session if {{ path /local/mcp }}
    default_backend replicas
backend replicas
    balance leastconn
    option httpchk GET /readyz
    http-check expect status 200
{checked}\
backend by_session
    balance roundrobin
    stick-table type string len 64 size 100k expire 24h
    stick store-response res.hdr(Mcp-Session-Id) if {{ res.hdr(Mcp-Session-Id) -m found }}
    stick match req.hdr(Mcp-Session-Id)
{tracked}"
    )
}

/// What became of all calls.
#[derive(Debug, Default)]
struct Tally {
    answered: AtomicU64,
    /// The connection to a replica broke, or the balancer found none.
    broken: AtomicU64,
    /// When Redis did not count a call, so it was not made.
    uncounted: Mutex<Vec<Instant>>,
    /// The result that should have been cut came whole.
    whole: AtomicU64,
    references: Mutex<Vec<(usize, u64, String)>>,
}

impl Tally {
    fn note_uncounted(&self) {
        let mut uncounted = self.uncounted.lock().expect("nothing panics");
        uncounted.push(Instant::now());
    }
}

/// The outcome of a request.
enum Outcome {
    Message(Value),
    Broken,
}

async fn ask(client: &mut Client, base: &str, server: &str, message: &Value) -> Outcome {
    let asking = client.try_send(base, server, message);
    let answer = tokio::time::timeout(DEADLINE, asking).await;
    match answer.unwrap_or_else(|_| panic!("no answer within {DEADLINE:?} to {message}")) {
        Err(_) => Outcome::Broken,
        // The balancer's own errors have no JSON.
        Ok((502..=504, Value::Null)) => Outcome::Broken,
        // A replica that was stopped while it answered.
        Ok((_, Value::Null)) if !message["id"].is_null() => Outcome::Broken,
        Ok((404, answer)) => panic!("a session is lost: {answer}"),
        Ok((_, answer)) => Outcome::Message(answer),
    }
}

/// Begins a session, with as many attempts as it takes.
async fn begin(client: &mut Client, base: &str, server: &str, name: &str) {
    let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    }});
    loop {
        client.session = None;
        if let Outcome::Message(answer) = ask(client, base, server, &greeting).await
            && answer["result"].is_object()
            && client.session.is_some()
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Makes the calls of one session.
async fn work(
    at: usize,
    calls: u64,
    mut client: Client,
    base: String,
    turns: Arc<Semaphore>,
    tally: Arc<Tally>,
) {
    let name = format!("client-{at}");
    {
        let _turn = turns.acquire().await.expect("it stays open");
        begin(&mut client, &base, "load", &name).await;
    }
    for number in 1..=calls {
        let _turn = turns.acquire().await.expect("it stays open");
        // Large results at other calls in each session.
        let is_large = (number + at as u64).is_multiple_of(LARGE_EVERY);
        let bytes = if is_large { LARGE } else { SMALL };
        let call = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "rows",
            "arguments": {"number": number, "bytes": bytes},
        }});
        let answer = match ask(&mut client, &base, "load", &call).await {
            Outcome::Broken => {
                tally.broken.fetch_add(1, Relaxed);
                continue;
            }
            Outcome::Message(answer) => answer,
        };
        assert_eq!(answer["id"], number, "{name}#{number} was given {answer}");
        let text = text_of(&answer);
        if text.contains(UNCOUNTED) {
            tally.note_uncounted();
            // As the text says.
            tokio::time::sleep(Duration::from_millis(300)).await;
            continue;
        }
        check_own(&text, &name, number);
        tally.answered.fetch_add(1, Relaxed);
        match reference_in(&text) {
            Some(reference) => {
                let mut references = tally.references.lock().expect("nothing panics");
                references.push((at, number, reference.to_owned()));
            }
            None if is_large => drop(tally.whole.fetch_add(1, Relaxed)),
            None => {}
        }
    }
}

/// The credentials of a client: a caller has many sessions.
fn token(at: usize) -> String {
    format!("token-{}", at % 50)
}

/// Whether a result is this call's own.
fn check_own(text: &str, name: &str, number: u64) {
    let own = format!("{name}#{number}\"");
    let others = text.matches("client-").count();
    let mine = text.matches(&own).count();
    assert!(
        mine > 0 && mine == others,
        "{name}#{number} was given {text}"
    );
}

/// Numbers from a seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// What was done to the fleet.
#[derive(Debug, Default)]
struct Disturbance {
    kills: u64,
    /// From when to when Redis was away.
    redis_away: Vec<Range<Instant>>,
}

impl Disturbance {
    /// Whether a call at this time may be left uncounted.
    fn excuses(&self, at: &Instant) -> bool {
        let mut away = self.redis_away.iter();
        away.any(|away| (away.start..away.end + REDIS_MISSED).contains(at))
    }
}

/// Kills and starts, until the calls are over.
fn disturb(mut fleet: Fleet, over: &AtomicBool, tally: &Tally, calls: u64) -> (Fleet, Disturbance) {
    let seed = std::env::var("TAMIS_REPLICAS_SEED").ok();
    let seed = seed.map_or(0x9e37_79b9_7f4a_7c15, |seed| {
        seed.parse().expect("a number")
    });
    println!("TAMIS_REPLICAS_SEED={seed}");
    let mut random = Random(seed);
    let mut done_to = Disturbance::default();
    let mut away_since: Option<Instant> = None;
    let mut was_away = false;
    while !over.load(Relaxed) || !was_away || away_since.is_some() {
        let at = random.below(REPLICAS as u64) as usize;
        fleet.kill_replica(at);
        done_to.kills += 1;
        std::thread::sleep(Duration::from_millis(random.below(300)));
        fleet.start_replica(at);
        let done = tally.answered.load(Relaxed) + tally.broken.load(Relaxed);
        let redis_kills = done_to.redis_away.len() as u64;
        if redis_kills < 2 && done > calls * (redis_kills + 1) / 4 {
            let killed = Instant::now();
            fleet.redis.service.kill();
            std::thread::sleep(Duration::from_millis(300));
            fleet.redis.service.start_again();
            done_to.redis_away.push(killed..Instant::now());
        }
        match away_since {
            None if !was_away && done > calls / 5 => {
                fleet.objects.service.stop();
                (away_since, was_away) = (Some(Instant::now()), true);
            }
            Some(since) if since.elapsed() >= AWAY => {
                fleet.objects.service.go_on();
                away_since = None;
            }
            _ => {}
        }
        // As many kills for the calls, however slow the machine is.
        let until = done + CALLS_BETWEEN;
        let waiting = Instant::now();
        std::thread::sleep(Duration::from_millis(300 + random.below(700)));
        while !over.load(Relaxed)
            && tally.answered.load(Relaxed) + tally.broken.load(Relaxed) < until
            && waiting.elapsed() < MOST_BETWEEN
        {
            std::thread::sleep(Duration::from_millis(10));
        }
        if over.load(Relaxed) && !was_away {
            break;
        }
    }
    if away_since.is_some() {
        fleet.objects.service.go_on();
    }
    (fleet, done_to)
}

/// Each session has connections on both sides of three programs.
fn allow_many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("up to the hard limit it is allowed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_answers_every_request_while_its_parts_are_killed() {
    allow_many_files();
    let calls: u64 = std::env::var("TAMIS_REPLICAS_CALLS")
        .map_or(100_000, |calls| calls.parse().expect("a number"));
    let of_session = calls / SESSIONS as u64;
    let Some(fleet) = Fleet::start(of_session) else {
        return;
    };
    let begun = Instant::now();
    let (tally, turns) = (
        Arc::new(Tally::default()),
        Arc::new(Semaphore::new(AT_A_TIME)),
    );
    let (base, http) = (fleet.url(), proxy::client());
    let mut sessions = JoinSet::new();
    for at in 0..SESSIONS {
        let (base, turns, tally) = (base.clone(), Arc::clone(&turns), Arc::clone(&tally));
        let client = Client::over(&http, Some(&token(at)));
        sessions.spawn(work(at, of_session, client, base, turns, tally));
    }
    let over = Arc::new(AtomicBool::new(false));
    let disturbing = {
        let (over, tally) = (Arc::clone(&over), Arc::clone(&tally));
        tokio::task::spawn_blocking(move || disturb(fleet, &over, &tally, calls))
    };
    let mut failure = None;
    while let Some(ended) = sessions.join_next().await {
        if let Err(error) = ended {
            sessions.abort_all();
            failure.get_or_insert(error);
        }
    }
    over.store(true, Relaxed);
    let (fleet, done_to) = disturbing.await.expect("it does not panic");
    if let Some(failure) = failure.filter(|failure| failure.is_panic()) {
        std::panic::resume_unwind(failure.into_panic());
    }
    let count = |count: &AtomicU64| count.load(Relaxed);
    let (answered, broken) = (count(&tally.answered), count(&tally.broken));
    let whole = count(&tally.whole);
    let uncounted_at = std::mem::take(&mut *tally.uncounted.lock().expect("nothing panics"));
    let (kills, uncounted) = (done_to.kills, uncounted_at.len() as u64);
    let at_other_times = uncounted_at
        .iter()
        .filter(|at| !done_to.excuses(at))
        .count() as u64;
    let references = std::mem::take(&mut *tally.references.lock().expect("nothing panics"));
    println!(
        "{answered} calls answered, {broken} broken by {kills} kills, {uncounted} not counted ({at_other_times} while Redis was there), {whole} large results whole, {} references, {:?}",
        references.len(),
        begun.elapsed()
    );
    assert_eq!(answered + broken + uncounted, of_session * SESSIONS as u64);
    assert!(kills > 5 && broken > 0, "nothing was hit");
    // How many calls that makes depends on the machine, and on how often a client calls again meanwhile.
    assert!(
        broken <= kills * 2 * (AT_A_TIME / REPLICAS) as u64,
        "a kill breaks no more than a replica's calls of its moment, and those that found no replica"
    );
    assert!(
        at_other_times <= calls / 20,
        "calls are counted while Redis is there"
    );
    assert!(answered > calls * 3 / 4, "most calls are answered");
    assert!(whole > 0, "the object store was away");
    assert!(references.len() as u64 > calls / LARGE_EVERY / 4);

    // Nothing was counted twice: each session has made no more calls than it has.
    let counted = count_in_redis(&fleet);
    assert!(
        (answered..=answered + broken + uncounted).contains(&counted),
        "{answered} calls were answered, and {counted} counted"
    );

    // Every reference: as a rule, the replica's own disk has it not.
    let every = match std::env::var_os("TAMIS_REPLICAS_COST") {
        Some(_) => 1,
        None => (references.len() / READ).max(1),
    };
    let mut reading = JoinSet::new();
    let turns = Arc::new(Semaphore::new(AT_A_TIME));
    for (place, (at, number, reference)) in references.into_iter().enumerate() {
        let ports = match place % every {
            0 => fleet.ports.clone(),
            _ => vec![fleet.ports[place % REPLICAS]],
        };
        for port in ports {
            let (turns, reference) = (Arc::clone(&turns), reference.clone());
            let mut client = Client::over(&http, Some(&token(at)));
            reading.spawn(async move {
                let _turn = turns.acquire().await.expect("it stays open");
                // A session of its own, since the calls of the others are used up.
                let base = format!("http://127.0.0.1:{port}");
                client.begin(&base, "reader").await;
                let original = client.read(&base, &reference).await;
                // The original is JSON with the result's text in a string.
                assert!(
                    original.contains(&format!("client-{at}#{number}\\\"")),
                    "{reference} of client-{at}#{number} at {base}: {original}"
                );
            });
        }
    }
    let mut read = 0;
    while let Some(done) = reading.join_next().await {
        if let Err(error) = done {
            std::panic::resume_unwind(error.into_panic());
        }
        read += 1;
    }
    println!("{read} reads of originals");
    local_sessions(&fleet).await;
    drop(fleet.server);
}

/// The result of a call to the local server, once it is counted. Redis is there, and may still be late on a machine that
/// has no time for it: the call is then made again, as its text says.
async fn counted(client: &mut Client, base: &str, call: &Value, late: &AtomicU64) -> String {
    let begun = Instant::now();
    let mut is_late = false;
    loop {
        let Outcome::Message(answer) = ask(client, base, "local", call).await else {
            panic!("no replica was killed");
        };
        let text = text_of(&answer);
        if !text.contains(UNCOUNTED) {
            late.fetch_add(u64::from(is_late), Relaxed);
            return text;
        }
        assert!(
            begun.elapsed() < COUNTED_WITHIN,
            "calls are counted while Redis is there"
        );
        is_late = true;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Calls that Redis has counted, of all sessions.
fn count_in_redis(fleet: &Fleet) -> u64 {
    let url = fleet.redis.environment().remove(0).1;
    let mut connection = redis::Client::open(url)
        .and_then(|client| client.get_connection())
        .expect("Redis answers");
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg("tamis:calls:*")
        .query(&mut connection)
        .expect("keys");
    let counts = keys.iter().map(|key| {
        let count: u64 = redis::cmd("GET")
            .arg(key)
            .query(&mut connection)
            .expect("a count");
        count
    });
    counts.sum()
}

/// Sessions with a process of their own stay on the replica that has it, by the balancer's rule.
async fn local_sessions(fleet: &Fleet) {
    let (base, late) = (fleet.url(), Arc::new(AtomicU64::new(0)));
    let mut sessions = JoinSet::new();
    for at in 0..12 {
        let (base, late) = (base.clone(), Arc::clone(&late));
        sessions.spawn(async move {
            let name = format!("client-{at}");
            let mut client = Client::new(Some("local"));
            begin(&mut client, &base, "local", &name).await;
            for number in 1..=10 {
                let call = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
                    "name": "rows",
                    "arguments": {"number": number, "bytes": SMALL},
                }});
                let text = counted(&mut client, &base, &call, &late).await;
                check_own(&text, &name, number);
            }
        });
    }
    while let Some(done) = sessions.join_next().await {
        if let Err(error) = done {
            std::panic::resume_unwind(error.into_panic());
        }
    }
    println!("{} calls to local servers counted late", late.load(Relaxed));
    assert!(
        late.load(Relaxed) <= 12 * 10 / 20,
        "calls are counted while Redis is there"
    );
}
