//! The upstream server as a process: starts it, and ends it.
//!
//! Owns: the process and the process group that it leads. Refuses to know: frames, and when the process must
//! end.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use crate::secrets;
use crate::system::processes::{self, Group};

pub(super) use crate::system::Ending;
pub(super) use crate::system::processes::Watcher;

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
    group: Group,
    reaped: bool,
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
        let mut command = Command::new(processes::program(program));
        secrets::remove_from(&mut command);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        command
            .args(arguments)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let group = Group::start(&mut command);
        let mut group = group.map_err(|error| refused(program, error))?;
        let missing = || io::Error::other("a pipe of the upstream server is missing");
        let (stdin, stdout) = group.take_pipes().ok_or_else(missing)?;
        let reaped = false;
        Ok((Upstream { group, reaped }, stdin, stdout))
    }

    /// What waits for the process, from any thread.
    pub(super) fn watcher(&self) -> Watcher {
        self.group.watcher()
    }

    /// Whether its leader has ended.
    #[cfg(feature = "http")]
    pub(super) fn has_ended(&self) -> bool {
        self.reaped || self.watcher().has_ended()
    }

    /// Sends a signal to all processes of the group.
    pub(super) fn signal(&self, signal: i32) {
        if !self.reaped
            && let Err(error) = self.group.signal(signal)
        {
            tracing::debug!(%error, signal, "signal the upstream server");
        }
    }

    /// Ends all processes of the group at once.
    pub(super) fn kill(&self) {
        if !self.reaped
            && let Err(error) = self.group.kill()
        {
            tracing::debug!(%error, "kill the upstream server");
        }
    }

    /// Removes the process that a [`Watcher`] saw end from the process table.
    pub(super) fn reap(&mut self) {
        if let Err(error) = self.group.reap() {
            tracing::warn!(%error, "reap the upstream server");
        }
        self.reaped = true;
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            self.reap();
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
