//! The process that compiles a plugin, seen from outside during its work: its knowledge, its limits, and its end with
//! the waiting process.

use super::TAMIS;
use super::hostile_plugins::stage;
use crate::support::module::{functions, tangled};
use crate::support::{Program, Running};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait here, on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);
const MIB: u64 = 1 << 20;

/// The plugin's limit, and some more for its size.
const MOST_BYTES: u64 = 1_200 * MIB;

/// A token of a server or client.
const TOKEN: &str = "a-token-that-no-plugin-may-read";

/// `tamis check` of a plugin that takes seconds to compile.
fn start() -> (crate::support::Folder, Running) {
    let slow = functions(&vec![tangled(30_000, 400); 60], 0);
    let folder = stage(
        &slow,
        "compile-time = \"60s\", compile-memory = \"1000MiB\"",
    );
    let line = [TAMIS, "check", "--config", "filters.toml"];
    let running = Program::new(&line, folder.path())
        .env("HOME", folder.path())
        .env("TAMIS_CACHE_DIR", folder.path().join("cache"))
        .env("UPSTREAM_TOKEN", TOKEN)
        .start();
    (folder, running)
}

fn read(process: Pid, name: &str) -> String {
    let path = format!("/proc/{}/{name}", process.as_raw_nonzero());
    // A process that ended has no files.
    fs::read(path).map_or_else(
        |_| String::new(),
        |bytes| String::from_utf8_lossy(&bytes).into_owned(),
    )
}

/// A line of `/proc/PID/status`.
fn status(process: Pid, name: &str) -> Option<String> {
    let status = read(process, "status");
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches(':').trim().to_owned())
}

fn children(of: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{}/task", of.as_raw_nonzero()));
    let tasks = tasks.into_iter().flatten().flatten();
    let children = tasks.map(|task| fs::read_to_string(task.path().join("children")));
    let children: String = children.filter_map(Result::ok).collect();
    let children = children.split_whitespace().filter_map(|it| it.parse().ok());
    children.filter_map(Pid::from_raw).collect()
}

/// Looks until `find` finds something.
fn wait_for<T>(running: &mut Running, what: &str, find: impl Fn(Pid) -> Option<T>) -> T {
    let deadline = Instant::now() + LONGEST;
    while Instant::now() < deadline {
        if let Some(found) = find(running.pid()) {
            return found;
        }
        thread::sleep(Duration::from_millis(2));
    }
    running.fail(&format!("waited for {what}"))
}

/// The compiling process, stopped in the middle. Its threads show that it has begun, so all its limits are set. It ends
/// only if it is killed.
fn stopped(running: &mut Running) -> Pid {
    let compiles = |process: &Pid| {
        let threads = status(*process, "Threads").and_then(|threads| threads.parse().ok());
        read(*process, "cmdline").contains("compile-plugin") && threads > Some(1u32)
    };
    let process = wait_for(running, "a process that compiles", |tamis| {
        children(tamis).into_iter().find(compiles)
    });
    kill_process(process, Signal::STOP).expect("it compiles");
    wait_for(running, "its stop", |_| {
        status(process, "State").filter(|state| state.starts_with('T'))
    });
    process
}

/// The hard limit of a resource; none without a limit.
fn limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name));
    let mut words = line.expect(name).split_whitespace();
    words.nth(1).expect("a hard limit").parse().ok()
}

#[test]
fn the_process_that_compiles_has_no_environment_and_limits() {
    let (_folder, mut running) = start();
    let process = stopped(&mut running);
    assert!(
        read(running.pid(), "environ").contains(TOKEN),
        "Tamis has it"
    );
    let environment = read(process, "environ");
    let names = environment.split_terminator('\0');
    let names: Vec<_> = names.filter_map(|it| Some(it.split_once('=')?.0)).collect();
    let own = ["MIMALLOC_ARENA_EAGER_COMMIT", "RAYON_NUM_THREADS"];
    assert_eq!(names, own, "{environment:?}");

    let limits = read(process, "limits");
    assert_eq!(limit(&limits, "Max core file size"), Some(0), "{limits}");
    let data = limit(&limits, "Max data size");
    assert!(data.is_some_and(|bytes| bytes <= MOST_BYTES), "{limits}");
    let address_space = limit(&limits, "Max address space");
    assert!(
        address_space.is_some_and(|bytes| bytes <= MOST_BYTES + 4_096 * MIB),
        "{limits}"
    );
    assert!(limit(&limits, "Max cpu time").is_some(), "{limits}");
    running.kill();
}

#[test]
fn the_process_that_compiles_ends_with_the_one_that_waits_for_it() {
    let (_folder, mut running) = start();
    let process = stopped(&mut running);
    // The system ends a stopped process in a group without other processes, so this group keeps one.
    let mut other = Command::new("cat")
        .stdin(Stdio::piped())
        .process_group(running.pid().as_raw_pid())
        .spawn()
        .expect("another member of the group");
    running.signal(Signal::KILL);
    // The process that inherits it may not reap it.
    wait_for(&mut running, "the end of the process that compiles", |_| {
        status(process, "State")
            .is_none_or(|state| state.starts_with('Z'))
            .then_some(())
    });
    other.kill().expect("it waits for its input");
    other.wait().expect("it was killed");
}
