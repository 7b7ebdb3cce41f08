//! The upstream server as a process: starts it, ends it, and describes in words how it ended.
//!
//! Owns: the process and the process group that it leads. Refuses to know: frames, and when the process must
//! end.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::secrets;

/// Why Tamis has no upstream.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("no command is given for the upstream server")]
    NoCommand,
    #[error("start the upstream server: command `{command}` is not found{hint}")]
    NotFound { command: String, hint: &'static str },
    #[error("start the upstream server: `{command}` cannot be executed: {reason}")]
    NotExecutable { command: String, reason: io::Error },
    #[error("set up the relay to the upstream server: {0}")]
    System(io::Error),
}

impl StartError {
    /// The exit status that shells use for this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            StartError::NoCommand => 2,
            StartError::NotFound { .. } => 127,
            StartError::NotExecutable { .. } => 126,
            StartError::System(_) => 1,
        }
    }
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        StartError::System(error)
    }
}

/// An upstream server that runs, or is dead and not yet reaped. The process does not outlive this value.
#[derive(Debug)]
pub(super) struct Upstream {
    child: Child,
    reaped: bool,
}

/// How the upstream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Status(u8),
    Signal(i32),
}

impl Upstream {
    /// Starts `command` as the leader of a new process group. The process gets Tamis's environment without its
    /// secrets (see [`secrets`]), and these variables. It shares Tamis's standard error.
    pub(super) fn start(
        command: &[OsString],
        env: &[(String, String)],
    ) -> Result<(Upstream, ChildStdin, ChildStdout), StartError> {
        Upstream::start_in(command, env, None)
    }

    /// Starts the server in another folder than Tamis's own.
    pub(super) fn start_in(
        command: &[OsString],
        env: &[(String, String)],
        folder: Option<&Path>,
    ) -> Result<(Upstream, ChildStdin, ChildStdout), StartError> {
        let (program, arguments) = command.split_first().ok_or(StartError::NoCommand)?;
        let mut command = Command::new(program);
        secrets::remove_from(&mut command);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let spawned = command
            .args(arguments)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .process_group(0)
            .spawn();
        let mut child = spawned.map_err(|error| refused(program, error))?;
        let missing = || io::Error::other("a pipe of the upstream server is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let reaped = false;
        Ok((Upstream { child, reaped }, stdin, stdout))
    }

    pub(super) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Sends a signal to all processes of the group. Until the dead leader is reaped, the system does not use
    /// the group's number again.
    pub(super) fn signal(&self, signal: Signal) {
        if !self.reaped
            && let Err(error) = kill_process_group(self.pid(), signal)
        {
            tracing::debug!(%error, ?signal, "signal the upstream server");
        }
    }

    /// Removes the process that [`wait`] saw end from the process table.
    pub(super) fn reap(&mut self) {
        if let Err(error) = self.child.wait() {
            tracing::warn!(%error, "reap the upstream server");
        }
        self.reaped = true;
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        if !self.reaped {
            self.signal(Signal::KILL);
            self.reap();
        }
    }
}

/// Waits until the process ends, and does not reap it.
pub(super) fn wait(pid: Pid) -> io::Result<Ending> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::Pid(pid), options) {
            Err(rustix::io::Errno::INTR) | Ok(None) => {}
            Err(error) => return Err(error.into()),
            Ok(Some(status)) => {
                return Ok(match status.terminating_signal() {
                    Some(signal) => Ending::Signal(signal),
                    None => Ending::Status(status.exit_status().unwrap_or(0) as u8),
                });
            }
        }
    }
}

impl Ending {
    /// The exit code that shells report for this ending.
    pub(super) fn exit_code(self) -> u8 {
        match self {
            Ending::Status(status) => status,
            Ending::Signal(signal) => 128 + signal as u8,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Status(status) => write!(out, "exited with status {status}"),
            Ending::Signal(signal) => {
                write!(out, "was killed by signal {signal}")?;
                match signal_hook::low_level::signal_name(*signal) {
                    Some(name) => write!(out, " ({name})"),
                    None => Ok(()),
                }
            }
        }
    }
}

fn refused(program: &OsStr, error: io::Error) -> StartError {
    let command = program.to_string_lossy().into_owned();
    if error.kind() != io::ErrorKind::NotFound {
        return StartError::NotExecutable {
            command,
            reason: error,
        };
    }
    let path = Path::new(program);
    let hint = if path.components().count() < 2 {
        " in any directory of PATH"
    } else if path.exists() {
        ": the file exists, but the interpreter that it names does not"
    } else {
        ""
    };
    StartError::NotFound { command, hint }
}
