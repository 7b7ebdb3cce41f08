//! Runs a program for a test: the real `tamis`, or a program to compare with.
//!
//! Owns the hard limit on a program's time, the end of every started process, and the report that a failure prints:
//! command, configuration, standard output and standard error. Knows nothing of MCP.
//!
//! A program is killed with its process group, because a failed test must leave no process. Nothing here sleeps or
//! polls: every wait ends with its event or with the deadline.

// Each test binary compiles this module and uses a part of it.
#![allow(dead_code)]

pub mod built;
pub mod manifests;
pub mod mcp;
pub mod module;
pub mod proxy;
pub mod reach;
pub mod registry;
pub mod stage;
pub mod transcript;
pub mod upstream;

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Default time limit of a program. It is far above any need, so that a loaded machine fails no test, and low enough to
/// notice a hang within a minute. In an emulator, a program that compiles filters takes longer.
pub const LIMIT: Duration = Duration::from_secs(match option_env!("TAMIS_TESTS_IN_EMULATOR") {
    None => 60,
    Some(_) => 600,
});

/// A failure prints this many first and last bytes of each output.
const SHOWN_BYTES: usize = 2000;

/// The program under test.
pub const TAMIS: &str = env!("CARGO_BIN_EXE_tamis");

/// Where compiled filters are stored for all tests.
pub const COMPILED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");

/// A chain that cuts large results of the load server. Its limits are enough time for each step on a busy machine: a
/// step that exceeds it is skipped.
pub const CHAIN: &str = r#"
[[chain]]
tools = ["rows"]
steps = [
    { filter = "null-stripper", limits = { time = "10s" } },
    { filter = "row-encoder", limits = { time = "10s" } },
    { filter = "truncate", limit = 8000, limits = { time = "10s" } },
]
"#;

/// The folder of the repository.
pub fn repository() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    path.canonicalize().expect("the repository")
}

/// A program that is built beside `tamis`.
pub fn built_program(name: &str) -> PathBuf {
    let path = Path::new(TAMIS).with_file_name(name);
    assert!(path.exists(), "{} is not built: make build", path.display());
    path
}

/// The command line of `tamis run` with this configuration in front of a server.
pub fn tamis_run<S: AsRef<OsStr>>(config: &Path, server: &[S]) -> Vec<OsString> {
    let mut line: Vec<OsString> = vec![TAMIS.into(), "run".into()];
    line.extend(["--config".into(), config.into(), "--".into()]);
    line.extend(server.iter().map(|word| word.as_ref().to_owned()));
    line
}

/// A test's own folder, deleted when it is dropped. Its path has no symbolic link, so every program spells it the same.
pub struct Folder {
    path: PathBuf,
    _owner: tempfile::TempDir,
}

impl Folder {
    pub fn new() -> Folder {
        let owner = tempfile::tempdir().expect("make a temporary folder");
        let path = owner.path().canonicalize().expect("resolve the folder");
        Folder {
            path,
            _owner: owner,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, and creates the folders around it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(name);
        std::fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("make the file's folder");
        std::fs::write(&path, content).expect("write the file");
        path
    }
}

/// The output of a program as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks that a program ended with this status, and wrote all of these words to standard output or standard error.
#[track_caller]
pub fn exits(run: &Finished, code: i32, words: &[&str]) {
    if run.status.code() != Some(code) {
        run.fail(&format!("it should have ended with status {code}"));
    }
    let said = text(&run.stdout) + &text(&run.stderr);
    for word in words {
        if !said.contains(word) {
            run.fail(&format!("it should have said: {word}"));
        }
    }
}

/// The command, folder and limits of a program.
pub struct Program {
    command: Command,
    limit: Duration,
    configs: Vec<PathBuf>,
}

impl Program {
    /// Makes a program: the first word is its name. It runs in `folder` with an environment of `PATH` only.
    pub fn new<S: AsRef<OsStr>>(line: &[S], folder: &Path) -> Program {
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).current_dir(folder).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.process_group(0);
        let configs = line
            .iter()
            .map(|word| PathBuf::from(word.as_ref()))
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "toml")
            })
            .collect();
        Program {
            command,
            limit: LIMIT,
            configs,
        }
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Program {
        self.command.env(name, value);
        self
    }

    pub fn limit(mut self, limit: Duration) -> Program {
        self.limit = limit;
        self
    }

    pub fn start(mut self) -> Running {
        let account = self.account();
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = match self.command.spawn() {
            Ok(child) => child,
            Err(error) => panic!("cannot start: {error}\n{account}"),
        };
        let group = Pid::from_child(&child);
        let (input, to_write) = mpsc::channel::<Vec<u8>>();
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        thread::spawn(move || {
            for bytes in to_write {
                // The program's output shows that it ended.
                if stdin.write_all(&bytes).is_err() {
                    return;
                }
            }
        });
        let stdout = Output::collect(child.stdout.take().expect("standard output is a pipe"));
        let stderr = Output::collect(child.stderr.take().expect("standard error is a pipe"));
        let (ended, exit) = mpsc::channel();
        thread::spawn(move || {
            let _ = ended.send(child.wait().expect("wait for the program"));
        });
        Running {
            account,
            group,
            deadline: Instant::now() + self.limit,
            limit: self.limit,
            input: Some(input),
            stdout,
            stderr,
            taken: 0,
            exit,
            status: None,
        }
    }

    /// Runs the program to its end with `input` as its standard input.
    pub fn run(self, input: impl Into<Vec<u8>>) -> Finished {
        let mut running = self.start();
        running.send(input);
        running.finish()
    }

    fn account(&self) -> String {
        let mut account = format!("command: {:?}\n", self.command);
        for path in &self.configs {
            let content = std::fs::read_to_string(path).unwrap_or_else(|error| error.to_string());
            let _ = write!(account, "{}:\n{content}\n", path.display());
        }
        account
    }
}

/// A running program. Dropping it kills it.
pub struct Running {
    account: String,
    group: Pid,
    deadline: Instant,
    limit: Duration,
    input: Option<Sender<Vec<u8>>>,
    stdout: Arc<Output>,
    stderr: Arc<Output>,
    /// Bytes of standard output that the test has received.
    taken: usize,
    exit: Receiver<ExitStatus>,
    status: Option<ExitStatus>,
}

impl Running {
    /// Queues bytes for standard input, without waiting until the program reads them.
    pub fn send(&mut self, bytes: impl Into<Vec<u8>>) {
        let input = self.input.as_ref().expect("standard input is open");
        let _ = input.send(bytes.into());
    }

    /// Ends standard input, after everything that was sent.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The next line of standard output, with its line break; the rest if the output ends first.
    pub fn receive_line(&mut self) -> Vec<u8> {
        let from = self.taken;
        let mut end = None;
        let arrived = self.stdout.wait(self.deadline, |output| {
            end = output.bytes[from..].iter().position(|&byte| byte == b'\n');
            output.ended || end.is_some()
        });
        if !arrived {
            self.fail("waited for a line");
        }
        let output = self.stdout.state.lock().expect("no reader panics");
        self.taken = end.map_or(output.bytes.len(), |at| from + at + 1);
        output.bytes[from..self.taken].to_vec()
    }

    /// Waits for this many bytes of standard output, or its end.
    pub fn wait_for_bytes(&mut self, count: usize) {
        let there = |output: &Collected| output.ended || output.bytes.len() >= count;
        if !self.stdout.wait(self.deadline, there) {
            self.fail(&format!("waited for {count} bytes"));
        }
    }

    /// Waits until standard error contains a text, from byte `from` on. Returns the offset after it.
    pub fn wait_for_log(&mut self, from: usize, text: &str) -> usize {
        let mut end = None;
        let said = |output: &Collected| {
            let log = String::from_utf8_lossy(&output.bytes[from..]);
            end = log.find(text).map(|at| from + at + text.len());
            output.ended || end.is_some()
        };
        self.stderr.wait(self.deadline, said);
        match end {
            Some(end) => end,
            None => self.fail(&format!("waited for standard error to say: {text}")),
        }
    }

    /// The standard error so far.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&self.stderr.all()).into_owned()
    }

    pub fn pid(&self) -> Pid {
        self.group
    }

    /// Fails the test if the program ever took 300 MiB of memory or more.
    pub fn stayed_small(&mut self) {
        const MOST_KIB: u64 = 300 << 10;
        let path = format!("/proc/{}/status", self.group.as_raw_nonzero());
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        match kib {
            Some(kib) if kib < MOST_KIB => println!("it took {kib} KiB at most"),
            other => self.fail(&format!("{path}: VmHWM is {other:?} KiB: {status}")),
        }
    }

    /// Sends a signal to the program alone.
    pub fn signal(&mut self, signal: Signal) {
        if self.exit.try_recv().is_ok() || kill_process(self.group, signal).is_err() {
            self.fail("it has ended before the signal");
        }
    }

    /// Closes standard input and waits until the program has ended and nobody holds its outputs.
    pub fn finish(mut self) -> Finished {
        self.close();
        let ended = |output: &Collected| output.ended;
        if !self.stdout.wait(self.deadline, ended) || !self.stderr.wait(self.deadline, ended) {
            self.fail("waited for the end of its outputs");
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.exit.recv_timeout(left) {
            Ok(status) => self.status = Some(status),
            Err(_) => self.fail("waited for its end"),
        }
        Finished {
            status: self.status.expect("it has just ended"),
            stdout: self.stdout.all(),
            stderr: self.stderr.all(),
            account: std::mem::take(&mut self.account),
        }
    }

    /// Kills its process group, and waits until nobody holds its outputs. Returns its output.
    pub fn kill(self) -> Finished {
        if self.exit.try_recv().is_err() {
            // The process still runs, or its end is not reported yet.
            let _ = kill_process_group(self.group, Signal::KILL);
        }
        self.finish()
    }

    /// Fails the test with a report on this program.
    pub fn fail(&mut self, what: &str) -> ! {
        let late = Instant::now() >= self.deadline;
        let status = self.exit.try_recv().ok();
        let report = report(
            &self.account,
            status,
            &self.stdout.all(),
            &self.stderr.all(),
        );
        let limit = if late {
            format!(" (its {:?} are over)", self.limit)
        } else {
            String::new()
        };
        self.status = status;
        panic!("{what}{limit}\n{report}")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.status.is_none() && self.exit.try_recv().is_err() {
            // Nobody has waited for the process yet, so the number is still that of our group.
            let _ = kill_process_group(self.group, Signal::KILL);
            let _ = self.exit.recv();
        }
    }
}

/// A program that has ended.
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    account: String,
}

impl Finished {
    /// Fails the test unless the program ended with status 0.
    #[track_caller]
    pub fn succeeded(self) -> Finished {
        if !self.status.success() {
            self.fail("it should have succeeded");
        }
        self
    }

    /// Fails the test with a report on this program.
    #[track_caller]
    pub fn fail(&self, what: &str) -> ! {
        panic!("{what}\n{}", self.report())
    }

    /// Command, configuration, exit, standard output and standard error.
    pub fn report(&self) -> String {
        report(&self.account, Some(self.status), &self.stdout, &self.stderr)
    }
}

/// One output of a program, read by a thread as it arrives.
#[derive(Default)]
struct Output {
    state: Mutex<Collected>,
    changed: Condvar,
}

#[derive(Default)]
struct Collected {
    bytes: Vec<u8>,
    ended: bool,
}

impl Output {
    fn collect(mut from: impl Read + Send + 'static) -> Arc<Output> {
        let output = Arc::new(Output::default());
        let reader = Arc::clone(&output);
        thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                let count = from.read(&mut buffer).unwrap_or(0);
                let mut state = reader.state.lock().expect("no waiter panics");
                state.bytes.extend_from_slice(&buffer[..count]);
                state.ended = count == 0;
                reader.changed.notify_all();
                if state.ended {
                    return;
                }
            }
        });
        output
    }

    /// Waits until the condition holds; false if the deadline comes first.
    fn wait(&self, deadline: Instant, mut holds: impl FnMut(&Collected) -> bool) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let state = self.state.lock().expect("no reader panics");
        let waited = self
            .changed
            .wait_timeout_while(state, left, |state| !holds(state));
        !waited.expect("no reader panics").1.timed_out()
    }

    fn all(&self) -> Vec<u8> {
        self.state.lock().expect("no reader panics").bytes.clone()
    }
}

fn report(account: &str, status: Option<ExitStatus>, stdout: &[u8], stderr: &[u8]) -> String {
    let end = match status.map(|status| (status.code(), status.signal())) {
        None => "still running".to_owned(),
        Some((Some(code), _)) => format!("status {code}"),
        Some((None, Some(signal))) => format!("signal {signal}"),
        Some((None, None)) => "unknown".to_owned(),
    };
    format!(
        "{account}end: {end}\nstandard output, {} bytes:\n{}\nstandard error, {} bytes:\n{}",
        stdout.len(),
        excerpt(stdout),
        stderr.len(),
        excerpt(stderr),
    )
}

/// Bytes for a human: all of them if they are few, else the first and the last.
pub fn excerpt(bytes: &[u8]) -> String {
    if bytes.len() <= 2 * SHOWN_BYTES {
        let text = String::from_utf8_lossy(bytes);
        let shown = |char: char| char == '\n' || !char.is_control();
        let mut excerpt = String::new();
        for char in text.chars() {
            if shown(char) {
                excerpt.push(char);
            } else {
                excerpt.extend(char.escape_default());
            }
        }
        return excerpt;
    }
    let (head, tail) = (&bytes[..SHOWN_BYTES], &bytes[bytes.len() - SHOWN_BYTES..]);
    let left_out = bytes.len() - 2 * SHOWN_BYTES;
    format!("{}\n… {left_out} bytes …\n{}", excerpt(head), excerpt(tail))
}
