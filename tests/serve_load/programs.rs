//! The programs under load: the proxy, and the server behind it. Both can be killed, and started again at the same
//! address.

use rustix::process::Pid;

use crate::support::{CHAIN, COMPILED, Folder, Program, Running, built_program};

/// Default limit of open files on most systems.
const USUAL_FILES: u32 = 1024;

/// A program that listens.
pub struct Listening {
    running: Running,
    pub address: String,
}

impl Listening {
    fn start(program: Program) -> Listening {
        let mut running = program.limit(std::time::Duration::from_secs(300)).start();
        let line = String::from_utf8(running.receive_line()).expect("it is text");
        let Some(address) = line.trim().strip_prefix("listening on ") else {
            running.fail("it does not listen");
        };
        let address = address.trim_start_matches("http://").to_owned();
        Listening { running, address }
    }

    /// The server, over HTTP.
    pub fn server(folder: &Folder, address: &str) -> Listening {
        let program = built_program("load-server");
        let line = [program.as_os_str(), "--listen".as_ref(), address.as_ref()];
        Listening::start(Program::new(&line, folder.path()))
    }

    /// The proxy, with the `filters.toml` in this folder.
    pub fn proxy(folder: &Folder, address: &str) -> Listening {
        // As an operator starts it who does not know limits of open files.
        let script = format!("ulimit -Sn {USUAL_FILES} && exec \"$0\" \"$@\"");
        let line = [
            "sh",
            "-c",
            &script,
            env!("CARGO_BIN_EXE_tamis"),
            "serve",
            "--config",
            "filters.toml",
            "--listen",
            address,
        ];
        let program = Program::new(&line, folder.path())
            .env("TAMIS_STATE_DIR", folder.path().join("state"))
            .env("TAMIS_CACHE_DIR", COMPILED);
        Listening::start(program)
    }

    pub fn pid(&self) -> Pid {
        self.running.pid()
    }

    pub fn kill(self) {
        self.running.kill();
    }

    /// Ends the proxy with its own signal, and fails the test if it ends badly.
    pub fn end(mut self) {
        self.running.signal(rustix::process::Signal::TERM);
        self.running.finish().succeeded();
    }

    /// Memory in use, in KiB.
    pub fn resident_kib(&self) -> u64 {
        let path = format!("/proc/{}/status", self.pid().as_raw_nonzero());
        let status =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        kib.unwrap_or_else(|| panic!("{path}: no VmRSS: {status}"))
    }

    /// Open files and sockets.
    pub fn open_files(&self) -> usize {
        let path = format!("/proc/{}/fd", self.pid().as_raw_nonzero());
        std::fs::read_dir(path).expect("it runs").count()
    }

    /// Processes that it started.
    pub fn children(&self) -> Vec<Pid> {
        let tasks = format!("/proc/{}/task", self.pid().as_raw_nonzero());
        let tasks = std::fs::read_dir(tasks).expect("it runs").flatten();
        let lists =
            tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        let all = lists.collect::<Vec<_>>().join(" ");
        let pids = all.split_whitespace().filter_map(|pid| pid.parse().ok());
        pids.filter_map(Pid::from_raw).collect()
    }
}

/// A policy in front of a server at this address.
pub fn policy_for_url(address: &str) -> String {
    format!("[server.load]\nurl = \"http://{address}/mcp\"\n{CHAIN}")
}

/// A policy in front of a server that is started for each session.
pub fn policy_for_command() -> String {
    format!(
        "[server.load]\ncommand = [{:?}]\n{CHAIN}",
        built_program("load-server")
    )
}
