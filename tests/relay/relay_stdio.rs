//! The relay as a client sees it: the real binary between pipes, with upstreams made of `sh`.
//!
//! Without a policy, every byte must come out unchanged. Processes wait for each other's output or end; the time limit
//! only reports a hang.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crate::support::{Folder, LIMIT, excerpt, tamis_run};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getpgid, kill_process, pidfd_open};

/// The output of one stream so far, and whether it has ended.
type Stream = Arc<(Mutex<(Vec<u8>, bool)>, Condvar)>;

/// A running `tamis run`, with the test as its client.
struct Tamis {
    command: Vec<String>,
    pid: Pid,
    stdin: Option<Box<dyn Write + Send>>,
    stdout: Stream,
    stderr: Stream,
    ended: Receiver<ExitStatus>,
    _folder: Folder,
}

impl Tamis {
    /// Starts Tamis before a shell script.
    fn before(script: &str) -> Tamis {
        Tamis::before_command(&["sh", "-c", script])
    }

    fn before_command(upstream: &[&str]) -> Tamis {
        let (mut command, folder) = command(upstream);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("start tamis");
        let stdin = child.stdin.take().expect("standard input");
        let stdout = child.stdout.take().expect("standard output");
        Tamis::watch(child, command, folder, Box::new(stdin), Some(stdout))
    }

    fn watch(
        mut child: Child,
        command: Command,
        folder: Folder,
        stdin: Box<dyn Write + Send>,
        stdout: Option<impl Read + Send + 'static>,
    ) -> Tamis {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let command = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let pid = Pid::from_child(&child);
        let stderr = collect(child.stderr.take().expect("standard error"));
        let stdout = stdout.map_or_else(Stream::default, collect);
        let (end, ended) = channel();
        thread::spawn(move || end.send(child.wait().expect("wait for tamis")));
        Tamis {
            command,
            pid,
            stdin: Some(stdin),
            stdout,
            stderr,
            ended,
            _folder: folder,
        }
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Tamis {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        let sent = stdin.write_all(bytes.as_ref()).and_then(|()| stdin.flush());
        if let Err(error) = sent {
            self.fail(&format!("send: {error}"));
        }
        self
    }

    fn close(&mut self) -> &mut Tamis {
        self.stdin = None;
        self
    }

    fn signal(&mut self, signal: Signal) -> &mut Tamis {
        kill_process(self.pid, signal).expect("signal tamis");
        self
    }

    /// Waits for output that ends with `expected`, and returns all output until then.
    fn until(&self, expected: &str) -> String {
        let found = self.wait(|bytes| bytes.ends_with(expected.as_bytes()));
        found.unwrap_or_else(|| self.fail(&format!("no {expected:?} on standard output")))
    }

    /// Waits for the first line, which is the number of a process.
    fn pid_line(&self) -> Pid {
        let line = self.until("\n");
        let pid = line.trim().parse().ok().and_then(Pid::from_raw);
        pid.unwrap_or_else(|| self.fail("no process number"))
    }

    fn wait(&self, there: impl Fn(&[u8]) -> bool) -> Option<String> {
        let (state, changed) = &*self.stdout;
        let waiting = |state: &mut (Vec<u8>, bool)| !there(&state.0) && !state.1;
        let (state, _) = changed
            .wait_timeout_while(state.lock().unwrap(), LIMIT, waiting)
            .unwrap();
        there(&state.0).then(|| String::from_utf8_lossy(&state.0).into_owned())
    }

    /// Waits until Tamis ends. Returns its status, and all of its standard output and error.
    fn end(&self) -> (Option<i32>, Vec<u8>, String) {
        let Ok(status) = self.ended.recv_timeout(LIMIT) else {
            self.fail("tamis does not end")
        };
        let (Some(stdout), Some(stderr)) = (all(&self.stdout), all(&self.stderr)) else {
            self.fail("somebody holds the output of tamis open")
        };
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        (status.code(), stdout, stderr)
    }

    /// Waits until Tamis ends with this status and this output. Returns standard error.
    fn ends(&self, status: i32, stdout: &str) -> String {
        let (code, out, stderr) = self.end();
        if code != Some(status) || out != stdout.as_bytes() {
            self.fail(&format!(
                "expected status {status} and {stdout:?}, got {code:?}"
            ));
        }
        stderr
    }

    fn fail(&self, what: &str) -> ! {
        let shown = |stream: &Stream| excerpt(&stream.0.lock().unwrap().0);
        panic!(
            "{what}\ncommand: {:?}\nfilters.toml: empty\nstandard output:\n{}\nstandard error:\n{}",
            self.command,
            shown(&self.stdout),
            shown(&self.stderr),
        );
    }
}

impl Drop for Tamis {
    fn drop(&mut self) {
        // A failed test must leave no process. Tamis then ends its upstream.
        if self.ended.try_recv().is_err() {
            let _ = kill_process(self.pid, Signal::TERM);
        }
    }
}

/// `tamis run` with an empty policy before this upstream.
fn command(upstream: &[&str]) -> (Command, Folder) {
    let folder = Folder::new();
    let words = tamis_run(&folder.write("filters.toml", ""), upstream);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stderr(Stdio::piped());
    (command, folder)
}

fn collect(mut from: impl Read + Send + 'static) -> Stream {
    let stream = Stream::default();
    let copy = Arc::clone(&stream);
    thread::spawn(move || {
        let mut piece = vec![0; 1 << 16];
        loop {
            let count = from.read(&mut piece).unwrap_or(0);
            let mut state = copy.0.lock().unwrap();
            state.0.extend_from_slice(&piece[..count]);
            state.1 = count == 0;
            copy.1.notify_all();
            if count == 0 {
                return;
            }
        }
    });
    stream
}

/// The whole stream, once it has ended. None: a process keeps it open.
fn all(stream: &Stream) -> Option<Vec<u8>> {
    let (state, changed) = &**stream;
    let (state, _) = changed
        .wait_timeout_while(state.lock().unwrap(), LIMIT, |state| !state.1)
        .unwrap();
    state.1.then(|| state.0.clone())
}

/// Waits until a process that is not a child of this one has ended.
fn gone(pid: Pid) -> bool {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
        return true;
    };
    let limit = Timespec {
        tv_sec: LIMIT.as_secs() as i64,
        tv_nsec: 0,
    };
    poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&limit)).expect("poll") > 0
}

fn request(id: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"x\"}}}}\n"
    )
}

fn error(id: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32000,\"message\":\"the upstream server ended before it answered\"}}}}\n"
    )
}

#[test]
fn bytes_pass_in_both_directions_as_they_came() {
    let mut frames =
        b"{\"method\":\"a\" , \"x\":1e2,\"x\":1.0}\r\n\n\r\n  \nnot json\n[1,\n".to_vec();
    frames.extend_from_slice(b"\xff\xfe\x00 no UTF-8\n{\"id\":9,\"result\":{\"b\":[ ]}}\n");
    frames.extend_from_slice(b"{\"method\":\"the last line has no ending\"}");
    let mut tamis = Tamis::before("cat");
    let (code, stdout, _) = tamis.send(&frames).close().end();
    assert_eq!(code, Some(0));
    assert_eq!(
        stdout.escape_ascii().to_string(),
        frames.escape_ascii().to_string()
    );
}

#[test]
fn a_line_of_64_mb_passes_in_both_directions() {
    let mut line = b"{\"method\":\"long\",\"params\":\"".to_vec();
    line.resize(64 << 20, b'x');
    line.extend_from_slice(b"\"}\n{\"method\":\"next\"}\n");
    let mut tamis = Tamis::before("cat");
    let (code, stdout, _) = tamis.send(&line).close().end();
    assert_eq!(code, Some(0));
    assert!(
        stdout == line,
        "{} bytes came back of {}",
        stdout.len(),
        line.len()
    );
}

#[test]
fn a_line_that_comes_in_pieces_goes_on_when_it_is_complete() {
    let mut tamis = Tamis::before("printf par; read line; printf \"tial $line\\nnext\"; cat");
    tamis.send("a").send("b").send("c\n");
    assert_eq!(tamis.until("\n"), "partial abc\n");
    tamis.send("d\n");
    assert_eq!(tamis.until("d\n"), "partial abc\nnextd\n");
    tamis.close().ends(0, "partial abc\nnextd\n");
}

#[test]
fn each_line_goes_on_while_both_sides_wait() {
    let mut tamis = Tamis::before("cat");
    let mut sent = String::new();
    for index in 0..200 {
        let line = format!("{{\"method\":\"{index}\"}}\n");
        tamis.send(&line);
        sent += &line;
        assert_eq!(tamis.until(&line), sent);
    }
    tamis.close().ends(0, &sent);
}

#[test]
fn the_status_of_the_upstream_is_that_of_tamis() {
    let tamis = Tamis::before("exit 3");
    let stderr = tamis.ends(3, "");
    assert!(stderr.contains("exited with status 3"), "{stderr}");
}

#[test]
fn the_status_counts_even_if_the_client_closed_first() {
    let mut tamis = Tamis::before("cat; exit 3");
    let stderr = tamis.close().ends(3, "");
    assert!(stderr.contains("exited with status 3"), "{stderr}");
}

#[test]
fn calls_are_answered_when_the_upstream_is_killed() {
    let mut tamis = Tamis::before("echo $$; read a; read b; echo '{\"id\":1,\"result\":{}}'; cat");
    let upstream = tamis.pid_line();
    tamis.send(request("1") + &request("\"two\"") + &request("3"));
    let before = tamis.until("\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}\n");
    kill_process(upstream, Signal::KILL).expect("kill the upstream");
    let stderr = tamis.ends(137, &(before + &error("\"two\"") + &error("3")));
    assert!(
        stderr.contains("was killed by signal 9 (SIGKILL)"),
        "{stderr}"
    );
    assert!(gone(upstream));
}

#[test]
fn a_cancelled_call_is_not_answered() {
    let mut tamis = Tamis::before("echo $$; cat");
    let upstream = tamis.pid_line();
    tamis.send(request("1") + &request("2"));
    tamis.send("{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    let before = tamis.until("\"requestId\":1}}\n");
    kill_process(upstream, Signal::KILL).expect("kill the upstream");
    tamis.ends(137, &(before + &error("2")));
}

#[test]
fn an_error_does_not_join_a_line_that_was_cut_short() {
    let mut tamis = Tamis::before("read line; printf '{\"id\":1,\"resu'; kill -9 $$");
    tamis.send(request("1"));
    tamis.ends(137, &format!("{{\"id\":1,\"resu\n{}", error("1")));
}

#[test]
fn all_that_the_upstream_wrote_before_it_died_is_delivered() {
    let lines: String = (1..=100_000).map(|line| format!("{line}\n")).collect();
    let mut tamis = Tamis::before("read line; seq 1 100000; kill -9 $$");
    tamis.send(request("1"));
    tamis.ends(137, &(lines + &error("1")));
}

#[test]
fn processes_that_a_dead_upstream_left_behind_hold_nothing_up() {
    let mut tamis = Tamis::before("sleep 1000 & echo $!; read line; kill -9 $$");
    let left = tamis.pid_line();
    let before = tamis.until("\n");
    tamis.send(request("1"));
    tamis.ends(137, &(before + &error("1")));
    assert!(gone(left));
}

#[test]
fn a_process_that_left_the_group_holds_nothing_up_either() {
    let mut tamis = Tamis::before("setsid sleep 1000 2>/dev/null & echo $!; read line; kill -9 $$");
    let left = tamis.pid_line();
    let before = tamis.until("\n");
    tamis.send(request("1"));
    tamis.ends(137, &(before + &error("1")));
    // Tamis is not responsible for it.
    kill_process(left, Signal::KILL).expect("it still runs");
}

#[test]
fn an_upstream_that_closes_its_output_is_ended() {
    let mut tamis = Tamis::before("read line; exec >&-; sleep 1000");
    tamis.send(request("1"));
    assert_eq!(tamis.until("\n"), error("1"));
    tamis.send(request("2"));
    tamis.ends(143, &(error("1") + &error("2")));
}

#[test]
fn what_the_upstream_says_after_the_client_closed_is_delivered() {
    Tamis::before("cat; echo bye").close().ends(0, "bye\n");
}

#[test]
fn an_upstream_that_still_owes_an_answer_gets_more_time() {
    let mut tamis =
        Tamis::before("read line; sleep 3; echo '{\"id\":1,\"result\":{}}'; sleep 1000");
    tamis.send(request("1")).close();
    tamis.ends(0, "{\"id\":1,\"result\":{}}\n");
}

#[test]
fn an_upstream_that_ignores_everything_is_killed() {
    let mut tamis = Tamis::before("trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000");
    let sleep = tamis.pid_line();
    let group = getpgid(Some(sleep)).expect("process group");
    assert_ne!(
        Ok(group),
        getpgid(Some(tamis.pid)),
        "the upstream has a group of its own"
    );
    tamis
        .close()
        .ends(0, &format!("{}\n", sleep.as_raw_nonzero()));
    assert!(gone(sleep));
    assert!(gone(group));
}

#[test]
fn a_client_that_stops_reading_ends_the_relay() {
    for script in ["cat", "yes", "trap '' PIPE; yes; sleep 1000"] {
        let (mut command, folder) = command(&["sh", "-c", script]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("start tamis");
        drop(child.stdout.take());
        let stdin = Box::new(child.stdin.take().expect("standard input"));
        let mut tamis = Tamis::watch(child, command, folder, stdin, None::<std::io::Empty>);
        tamis.send("{\"method\":\"comes back\"}\n");
        let Ok(status) = tamis.ended.recv_timeout(LIMIT) else {
            tamis.fail("tamis does not end")
        };
        assert_eq!(status.code(), Some(0), "{script}");
    }
}

#[test]
fn a_client_that_vanishes_ends_an_upstream_that_does_not_read() {
    let (mut command, folder) = command(&["sh", "-c", "echo $$; exec sleep 1000"]);
    let (from_client, mut to_tamis) = std::io::pipe().expect("pipe");
    let (from_tamis, to_client) = std::io::pipe().expect("pipe");
    let child = command.stdin(from_client).stdout(to_client).spawn();
    let child = child.expect("start tamis");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut reader = std::io::BufReader::new(from_tamis);
    let mut number = String::new();
    std::io::BufRead::read_line(&mut reader, &mut number).expect("process number");
    // More than the upstream's pipe and Tamis's buffer hold (64 KiB each), so that Tamis waits for the upstream to
    // read. Less than they and Tamis's own pipe hold.
    let line = "x".repeat(4095) + "\n";
    to_tamis
        .write_all(line.repeat(40).as_bytes())
        .expect("fill the pipes");
    drop(to_tamis);
    drop(reader);
    let tamis = Tamis::watch(
        child,
        command,
        folder,
        Box::new(std::io::sink()),
        None::<std::io::Empty>,
    );
    let Ok(status) = tamis.ended.recv_timeout(LIMIT) else {
        tamis.fail("tamis does not end")
    };
    assert_eq!(status.code(), Some(0));
    let upstream = number.trim().parse().ok().and_then(Pid::from_raw);
    assert!(gone(upstream.expect("process number")));
}

#[test]
fn a_signal_ends_the_upstream_and_then_tamis() {
    // SIGHUP is for the policy: reload.rs.
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        for script in [
            "echo $$; exec sleep 1000",
            "trap '' TERM INT; echo $$; sleep 1000",
        ] {
            let mut tamis = Tamis::before(script);
            let upstream = tamis.pid_line();
            let line = format!("{}\n", upstream.as_raw_nonzero());
            tamis.signal(signal).ends(status, &line);
            assert!(gone(upstream));
        }
    }
}

#[test]
fn standard_error_is_the_upstreams() {
    let mut tamis = Tamis::before("echo 'Listening on stdio' >&2; cat");
    let stderr = tamis.close().ends(0, "");
    assert_eq!(stderr, "Listening on stdio\n");
}

#[test]
fn a_log_that_nobody_reads_ends_nothing() {
    let (mut command, _folder) = command(&["cat"]);
    command.env("TAMIS_LOG", "trace");
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("start tamis");
    drop(child.stderr.take());
    let line = "{\"method\":\"comes back\"}\n";
    let mut stdin = child.stdin.take().expect("standard input");
    stdin.write_all(line.as_bytes()).expect("send a line");
    drop(stdin);
    let done = child.wait_with_output().expect("wait for tamis");
    assert_eq!(String::from_utf8_lossy(&done.stdout), line);
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn a_command_that_cannot_be_started_is_named() {
    let stderr = Tamis::before_command(&["no-such-command"]).ends(127, "");
    assert!(
        stderr.contains("`no-such-command` is not found"),
        "{stderr}"
    );
    let stderr = Tamis::before_command(&["./no/such/file"]).ends(127, "");
    assert!(stderr.contains("`./no/such/file` is not found"), "{stderr}");
    let stderr = Tamis::before_command(&["/"]).ends(126, "");
    assert!(stderr.contains("`/` cannot be executed"), "{stderr}");
}

#[test]
fn descriptors_set_to_non_blocking_lose_nothing() {
    let (mut command, folder) = command(&["cat"]);
    let (from_client, to_tamis) = std::io::pipe().expect("pipe");
    let (from_tamis, to_client) = std::io::pipe().expect("pipe");
    rustix::io::ioctl_fionbio(&from_client, true).expect("set to non-blocking");
    rustix::io::ioctl_fionbio(&to_client, true).expect("set to non-blocking");
    let child = command.stdin(from_client).stdout(to_client).spawn();
    let child = child.expect("start tamis");
    // The command keeps its ends open otherwise.
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let stdout = Some(from_tamis);
    let mut tamis = Tamis::watch(child, command, folder, Box::new(to_tamis), stdout);
    let line = format!("{{\"method\":\"{}\"}}\n", "x".repeat(3 << 20));
    tamis.send(&line[..1000]).send(&line[1000..]).close();
    let (code, stdout, _) = tamis.end();
    assert_eq!(code, Some(0));
    assert!(
        stdout == line.as_bytes(),
        "{} bytes came back of {}",
        stdout.len(),
        line.len()
    );
}
