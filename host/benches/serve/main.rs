//! `make bench`: what a call costs more through `tamis serve` than without it, in time.
//!
//! The same calls go to a bare server, through Tamis with no chain bound, and through a chain of three filters, in
//! turns in one run. What is printed is how long an answer takes at the median and at the 99th percentile, and
//! how much of that is added. One client asks on an idle machine; of many at once, answers wait for processors, so their
//! times are compared with the bare server's, and the calls of a second with those without a chain. A thousand clients
//! show that none gets an error, and that memory stays as it is.
//!
//! TAMIS_SERVE_PROGRAM: another program than the one that is built beside, as `make bench` has it: the released one.

mod client;

use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{io::BufRead, io::BufReader, thread};

use client::Client;

/// Sizes of results, asked for in turn.
const KILOBYTES: [usize; 4] = [2, 4, 8, 16];

/// Calls of one client to each server.
const CALLS: usize = 4000;

/// How many of them follow each other: what a program still does after its answer delays its own next answer, not that
/// of another.
const CALLS_IN_TURN: usize = 100;

/// Clients at once, rounds in which each server has its turn, and calls of each client in a round.
const CLIENTS: usize = 64;
const ROUNDS: usize = 12;
const CALLS_IN_ROUND: usize = 40;

/// So many clients at once, calls of each in a round, and rounds after the first. Memory is measured after each round.
const MANY_CLIENTS: usize = 1000;
const MANY_CALLS: usize = 10;
const MANY_ROUNDS: usize = 4;

/// Bytes of a client's thread.
const CLIENT_STACK: usize = 256 << 10;

const CHAIN: &str = "[[chain]]\ntools = [\"rows\"]\nsteps = [\"null-stripper\", \"row-encoder\", { filter = \"truncate\", limit = 20000 }]\n";

/// What hides secrets in every message, before that chain.
const REDACTION: &str = "[[chain]]\nname = \"hide-secrets\"\non = [\"*\"]\nsteps = [{ filter = \"redact\", hide = [\"api-keys\", \"jwts\", \"private-keys\", \"connection-strings\", \"emails\"] }]\n";

/// How much of this is done: all by `cargo bench`, a four-hundredth by `cargo test`, to see that it can be.
fn scaled(of_bench: usize) -> usize {
    match std::env::args().any(|argument| argument == "--bench") {
        true => of_bench,
        false => of_bench.div_ceil(400),
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let bare = Server::start(
        &program("load-server"),
        &["--listen", "127.0.0.1:0"],
        folder.path(),
    );
    let unbound = Server::proxy(&bare, "", &folder.path().join("unbound"));
    let bound = Server::proxy(&bare, CHAIN, &folder.path().join("bound"));
    let both = format!("{REDACTION}{CHAIN}");
    let redacted = Server::proxy(&bare, &both, &folder.path().join("redacted"));
    assert_filters(&bare, &unbound, &bound);
    let servers = [
        ("bare server", &bare),
        ("through Tamis, no chain bound", &unbound),
        ("through Tamis, a chain of three filters", &bound),
        ("the same, and every message redacted", &redacted),
    ];
    one_client(&servers);
    many_clients(&servers);
    a_thousand_clients(&bound);
}

type Servers<'a> = [(&'static str, &'a Server); 4];

fn one_client(servers: &Servers) {
    let mut clients = servers.map(|(_, server)| Client::new(&server.address, server.path, "one"));
    let mut times: [Vec<Vec<Duration>>; 4] = Default::default();
    times
        .iter_mut()
        .for_each(|times| times.resize(KILOBYTES.len(), Vec::new()));
    let calls: Vec<usize> = (0..scaled(CALLS) + scaled(CALLS) / 10).collect();
    for turn in calls.chunks(CALLS_IN_TURN) {
        for (client, times) in clients.iter_mut().zip(&mut times) {
            for &call in turn {
                let size = call % KILOBYTES.len();
                let time = client.call(call, KILOBYTES[size] << 10);
                if call >= calls.len() / 11 {
                    times[size].push(time);
                }
            }
        }
    }
    print_header("a call over HTTP, one client, 2 to 16 KB");
    let all = times.each_ref().map(|times| Times::of(times.concat()));
    for ((name, _), times) in servers.iter().zip(&all) {
        times.print(name, &all[0]);
    }
    let [.., bound, redacted] = &all;
    let more = (redacted.p50 / bound.p50 - 1.0) * 100.0;
    println!(
        "{:<44} {more:>+9.1} %",
        "  redaction adds to the chain, p50"
    );
    for (size, kilobytes) in KILOBYTES.iter().enumerate() {
        let [bare, _, bound, _] = times.each_ref().map(|times| Times::of(times[size].clone()));
        bound.print(&format!("  of which {kilobytes} KB"), &bare);
    }
    println!();
}

fn many_clients(servers: &Servers) {
    let mut clients =
        servers.map(|(_, server)| connected(server, scaled(CLIENTS), scaled(CALLS_IN_ROUND)));
    let mut times: [Vec<Duration>; 4] = Default::default();
    let mut took = [Duration::ZERO; 4];
    for round in 0..=scaled(ROUNDS) {
        for (at, clients) in clients.iter_mut().enumerate() {
            let begun = Instant::now();
            let all = call_at_once(clients);
            if round > 0 {
                took[at] += begun.elapsed();
                times[at].extend(all);
            }
        }
    }
    print_header(&format!("the same, {CLIENTS} clients at once"));
    let calls = times[0].len() as f64;
    let all = times.map(Times::of);
    for ((name, _), times) in servers.iter().zip(&all) {
        times.print(name, &all[0]);
    }
    println!(
        "\n{:<44} {:>12} {:>12} {:>12} {:>12}",
        "", "p50, times", "p99, times", "calls/s", "of no chain"
    );
    let in_second = took.map(|took| calls / took.as_secs_f64());
    for (((name, _), times), calls) in servers.iter().zip(&all).zip(in_second) {
        println!(
            "{name:<44} {:>12.2} {:>12.2} {calls:>12.0} {:>10.0} %",
            times.p50 / all[0].p50,
            times.p99 / all[0].p99,
            calls / in_second[1] * 100.0
        );
    }
    println!();
}

/// A client that gets an error ends the program, so what is printed had none.
fn a_thousand_clients(bound: &Server) {
    let count = scaled(MANY_CLIENTS);
    let mut clients = connected(bound, count, MANY_CALLS);
    let mut times = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..=MANY_ROUNDS {
        times = call_at_once(&mut clients);
        memory.extend(bound.resident_mib());
    }
    let calls = count * MANY_CALLS * (MANY_ROUNDS + 1);
    let times = Times::of(times);
    println!("{count} clients at once, three filters: {calls} calls, no error");
    println!(
        "{:<44} {:>9.0} µs {:>9.0} µs",
        "  p50 and p99", times.p50, times.p99
    );
    if !memory.is_empty() {
        let memory: Vec<_> = memory.iter().map(u64::to_string).collect();
        let memory = memory.join(", ");
        println!(
            "{:<44} {memory} MiB",
            "  memory after each tenth call of all"
        );
    }
    println!();
}

/// A client, and its calls in a round.
struct Caller {
    client: Client,
    calls: usize,
}

fn connected(server: &Server, count: usize, calls: usize) -> Vec<Caller> {
    let client = |at| Client::new(&server.address, server.path, &format!("many-{at}"));
    (0..count)
        .map(|at| Caller {
            client: client(at),
            calls,
        })
        .collect()
}

/// The times of the calls of a round, in which all clients ask at once.
fn call_at_once(callers: &mut [Caller]) -> Vec<Duration> {
    thread::scope(|scope| {
        let running: Vec<_> = callers
            .iter_mut()
            .map(|caller| {
                let thread = thread::Builder::new().stack_size(CLIENT_STACK);
                thread
                    .spawn_scoped(scope, || calls(caller))
                    .expect("a thread")
            })
            .collect();
        let ended = running
            .into_iter()
            .map(|client| client.join().expect("no client panics"));
        ended.flatten().collect()
    })
}

fn calls(caller: &mut Caller) -> Vec<Duration> {
    let Caller { client, calls } = caller;
    let call = |call| client.call(call, KILOBYTES[call % KILOBYTES.len()] << 10);
    (0..*calls).map(call).collect()
}

/// What is measured has to be what is said.
fn assert_filters(bare: &Server, unbound: &Server, bound: &Server) {
    let [bare, unbound, bound] = [bare, unbound, bound].map(|server| {
        let mut client = Client::new(&server.address, server.path, "first");
        client.call(1, 8 << 10);
        String::from_utf8(client.body().to_vec()).expect("text")
    });
    assert_eq!(bare, unbound, "what no chain is bound to is not touched");
    assert!(bare.len() > 8 << 10 && bare.contains("discount"), "{bare}");
    assert!(
        bound.len() < bare.len() / 2 && !bound.contains("discount"),
        "{bound}"
    );
    assert!(bound.contains("first#1"), "{bound}");
}

/// How long answers took.
struct Times {
    p50: f64,
    p99: f64,
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Times {
        times.sort_unstable();
        let at = |part: f64| times[(times.len() as f64 * part) as usize].as_secs_f64() * 1e6;
        Times {
            p50: at(0.5),
            p99: at(0.99),
        }
    }

    fn print(&self, name: &str, bare: &Times) {
        let (p50, p99) = (self.p50 - bare.p50, self.p99 - bare.p99);
        println!(
            "{name:<44} {:>9.0} µs {:>9.0} µs {p50:>+9.0} µs {p99:>+9.0} µs",
            self.p50, self.p99
        );
    }
}

fn print_header(title: &str) {
    println!(
        "{title:<44} {:>12} {:>12} {:>12} {:>12}",
        "p50", "p99", "added p50", "added p99"
    );
}

/// A program that listens.
struct Server {
    child: Child,
    address: String,
    path: &'static str,
    /// Kept open for what else it prints.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a program, and waits until it says where it listens.
    fn start(program: &Path, arguments: &[&str], folder: &Path) -> Server {
        let mut child = Command::new(program)
            .args(arguments)
            .env("TAMIS_CACHE_DIR", folder.join("cache"))
            .env("TAMIS_STATE_DIR", folder.join("state"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        let mut output = BufReader::new(output);
        output.read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .trim_start_matches("listening on ")
            .trim_start_matches("http://");
        assert!(!address.is_empty(), "{} does not listen", program.display());
        Server {
            child,
            address: address.to_owned(),
            path: "/mcp",
            _output: output,
        }
    }

    /// Starts Tamis in front of a server.
    fn proxy(upstream: &Server, chain: &str, folder: &Path) -> Server {
        std::fs::create_dir_all(folder).expect("make a folder");
        let policy = format!(
            "[server.load]\nurl = \"http://{}/mcp\"\n{chain}",
            upstream.address
        );
        let config = folder.join("filters.toml");
        std::fs::write(&config, policy).expect("write a policy");
        let config = config.to_str().expect("a path in Unicode");
        let arguments = [
            "serve",
            "--config",
            config,
            "--listen",
            "127.0.0.1:0",
            "--log",
            "error",
        ];
        let released = std::env::var_os("TAMIS_SERVE_PROGRAM").map(PathBuf::from);
        let program = released.unwrap_or_else(|| env!("CARGO_BIN_EXE_tamis").into());
        let mut proxy = Server::start(&program, &arguments, folder);
        proxy.path = "/load/mcp";
        proxy
    }
}

impl Server {
    /// The program's memory. None on a system that does not tell.
    fn resident_mib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kib >> 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of a program that this benchmark was built beside.
fn program(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_tamis")).with_file_name(name);
    assert!(
        path.exists(),
        "{} is missing: `make build` builds it",
        path.display()
    );
    path
}
