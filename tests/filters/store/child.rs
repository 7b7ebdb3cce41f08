//! The other processes of these tests: the test program again with the test [`run`]. It follows an environment
//! variable, and reports in lines on standard output.

use std::env;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Resource, getrlimit, setrlimit};
use tamis::store::StoreError;

use super::{Random, content, count, named, open};

const DO: &str = "TAMIS_TEST_STORE_DO";
const DIRECTORY: &str = "TAMIS_TEST_STORE_DIRECTORY";
const SEED: &str = "TAMIS_TEST_STORE_SEED";

/// More than the tests' small disks hold.
const LARGE: usize = 1 << 20;

/// The task of a child.
#[derive(Debug, Clone, Copy)]
pub enum Task {
    /// Stores one content after the other, with a report after each, until it is killed.
    PutForever,
    /// Stores one content, reports it, and lives until its standard input ends.
    PutAndWait,
    /// Opens, stores, names, reads and closes, many times.
    ComeAndGo,
    /// Stores contents that fit and that do not, then again with room.
    FillUp,
    /// Stores into a directory that is read-only for a while.
    PutReadOnly,
}

const TASKS: [Task; 5] = [
    Task::PutForever,
    Task::PutAndWait,
    Task::ComeAndGo,
    Task::FillUp,
    Task::PutReadOnly,
];

#[test]
#[ignore = "the other tests run it as their child process"]
fn run() {
    let Ok(task) = env::var(DO) else { return };
    let directory = PathBuf::from(env::var_os(DIRECTORY).expect("a directory"));
    let seed: u64 = env::var(SEED).expect("a seed").parse().expect("a number");
    let task = TASKS.into_iter().find(|known| format!("{known:?}") == task);
    match task.expect("a known task") {
        Task::PutForever => put_forever(&directory, seed),
        Task::PutAndWait => put_and_wait(&directory, seed),
        Task::ComeAndGo => come_and_go(&directory, seed),
        Task::FillUp => fill_up(&directory),
        Task::PutReadOnly => put_read_only(&directory),
    }
}

fn put_forever(directory: &Path, seed: u64) {
    let store = open(directory);
    for number in 0.. {
        let reference = store.put(&content(seed, number)).expect("put");
        say(&format!("stored {number} {reference}"));
    }
}

fn put_and_wait(directory: &Path, seed: u64) {
    let store = open(directory);
    let reference = store.put(&content(seed, 0)).expect("put");
    say(&format!("stored 0 {reference}"));
    stdin()
        .read_to_end(&mut Vec::new())
        .expect("standard input");
}

fn come_and_go(directory: &Path, seed: u64) {
    for round in 0..150 {
        let store = open(directory);
        // Few contents, so that processes store the same ones.
        let bytes = content(0, (round + seed) % 5);
        let reference = store.put(&bytes).expect("put");
        let name = named(&store, &reference, "out").expect("name");
        for _ in 0..20 {
            let got = store.get(&reference);
            assert!(got.as_ref().is_ok_and(|got| *got == bytes), "{got:?}");
            assert!(is_there(directory, &name), "{}", name.display());
        }
    }
    say("done");
}

/// Whether a name exists, or a sweep is just deciding about it.
fn is_there(directory: &Path, name: &Path) -> bool {
    let file = name.file_name().and_then(|file| file.to_str());
    let file = file.expect("the name of a file");
    let going = directory.join("partial").join(format!("{file}.going"));
    [name, &going, name].iter().any(|place| place.exists())
}

fn fill_up(directory: &Path) {
    let store = open(directory);
    let small = store.put(b"small").expect("put what fits");
    let large = noise(LARGE);
    for _ in 0..3 {
        let result = store.put(&large);
        assert!(matches!(result, Err(StoreError::Full { .. })), "{result:?}");
        assert_eq!(
            count(&directory.join("partial")),
            0,
            "halves left on a full disk"
        );
    }
    assert_eq!(store.get(&small).expect("get"), b"small");
    store.put(b"small").expect("put the same again");
    store.put(b"another").expect("put what still fits");

    let mut limit = getrlimit(Resource::Fsize);
    if limit.current.is_some() {
        limit.current = limit.maximum;
        setrlimit(Resource::Fsize, limit).expect("lift the limit");
        let reference = store.put(&large).expect("put with room again");
        assert!(store.get(&reference).expect("get") == large, "other bytes");
    }
    say("done");
}

fn put_read_only(directory: &Path) {
    let store = open(directory);
    let before = store.put(b"before").expect("put");
    let within = ["originals", "partial", "leases"].map(|name| directory.join(name));
    let allow = |mode: u32| {
        for path in &within {
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("chmod");
        }
    };
    allow(0o500);
    let result = store.put(b"meanwhile");
    assert!(
        matches!(result, Err(StoreError::NotWritable { .. })),
        "{result:?}"
    );
    assert_eq!(store.get(&before).expect("get"), b"before");
    // A reader that never wrote.
    let reader = open(directory);
    assert_eq!(reader.get(&before).expect("get"), b"before");
    allow(0o700);
    let after = store.put(b"meanwhile").expect("put once allowed");
    assert_eq!(store.get(&after).expect("get"), b"meanwhile");
    say("done");
}

/// A child process with a task.
pub struct Spawned {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    task: Task,
}

impl Spawned {
    pub fn new(task: Task, directory: &Path, seed: u64) -> Spawned {
        Spawned::within(&[], task, directory, seed)
    }

    /// Starts the child through another command.
    pub fn within(command: &[&str], task: Task, directory: &Path, seed: u64) -> Spawned {
        let this = env::current_exe().expect("this program");
        let this = [this.to_str().expect("a plain path")];
        let words = [
            command,
            &this,
            &["store::child::run", "--exact", "--ignored", "--nocapture"],
        ]
        .concat();
        let mut process = Command::new(words[0])
            .args(&words[1..])
            .env(DO, format!("{task:?}"))
            .env(DIRECTORY, directory)
            .env(SEED, seed.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("start {words:?}: {error}"));
        Spawned {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().expect("standard output")),
            process,
            task,
        }
    }

    /// The next line of the child.
    pub fn line(&mut self) -> String {
        child_lines(&mut self.output)
            .next()
            .unwrap_or_else(|| panic!("{:?} ended early; its standard error is above", self.task))
    }

    /// All lines until the child ends.
    pub fn rest(&mut self) -> Vec<String> {
        child_lines(&mut self.output).collect()
    }

    pub fn kill(&mut self) {
        self.process.kill().expect("kill");
        self.process.wait().expect("wait");
    }

    /// Lets the child end, and returns its last lines.
    pub fn end(mut self) -> Vec<String> {
        drop(self.input.take());
        let lines = self.rest();
        let status = self.process.wait().expect("wait");
        assert!(
            status.success(),
            "{:?} ended with {status} after {lines:?}",
            self.task
        );
        lines
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // The children end with the test, however that ends.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The child's lines, without those of the test harness.
fn child_lines(output: &mut impl BufRead) -> impl Iterator<Item = String> {
    output.lines().map_while(Result::ok).filter_map(|line| {
        let said = line.strip_prefix("> ")?.strip_suffix('.')?;
        Some(said.to_owned())
    })
}

/// Writes a line at once, so that a kill leaves the line whole or missing. The mark at its end proves it.
fn say(line: &str) {
    // The harness does not end its own line.
    let line = format!("\n> {line}.\n");
    stdout()
        .write_all(line.as_bytes())
        .expect("standard output");
    stdout().flush().expect("standard output");
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut random = Random(1);
    (0..bytes).map(|_| random.next().to_le_bytes()[0]).collect()
}
