//! Processes that this one starts, as groups that end together.

use super::super::Ending;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt, ExitStatusExt, parent_id};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::{fs, io};

/// A process that leads a group: the processes that it starts belong to it, unless they leave.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
}

/// Waits for the leader of a group, from any thread.
#[derive(Debug, Clone)]
pub(crate) struct Watcher(Pid);

impl Group {
    /// Starts a program as the leader of a new group.
    ///
    /// # Errors
    ///
    /// The program cannot be started.
    pub(crate) fn start(command: &mut Command) -> io::Result<Group> {
        let leader = command.process_group(0).spawn()?;
        Ok(Group { leader })
    }

    /// The leader's input and output, once.
    pub(crate) fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.leader.stdin.take()?, self.leader.stdout.take()?))
    }

    /// What waits for the leader.
    pub(crate) fn watcher(&self) -> Watcher {
        Watcher(self.pid())
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.leader)
    }

    /// Sends a signal to all processes of the group. Until the dead leader is reaped, the system does not use the
    /// group's number again.
    ///
    /// # Errors
    ///
    /// The number is no signal, or no process is left.
    pub(crate) fn signal(&self, number: i32) -> io::Result<()> {
        let signal = Signal::from_named_raw(number).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(kill_process_group(self.pid(), signal)?)
    }

    /// Ends all processes of the group at once.
    ///
    /// # Errors
    ///
    /// No process is left.
    pub(crate) fn kill(&self) -> io::Result<()> {
        Ok(kill_process_group(self.pid(), Signal::KILL)?)
    }

    /// Removes the leader, which has ended, from the table of processes.
    ///
    /// # Errors
    ///
    /// It was removed before.
    pub(crate) fn reap(&mut self) -> io::Result<()> {
        self.leader.wait().map(drop)
    }
}

impl Watcher {
    /// Waits until the leader ends, and does not reap it.
    ///
    /// # Errors
    ///
    /// It was reaped before.
    pub(crate) fn wait(&self) -> io::Result<Ending> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.0), options) {
                Err(rustix::io::Errno::INTR) | Ok(None) => {}
                Err(error) => return Err(error.into()),
                Ok(Some(status)) => {
                    return Ok(match status.terminating_signal() {
                        Some(signal) => Ending::Signal(signal),
                        None => Ending::Status(status.exit_status().unwrap_or(0) as u8 as u32),
                    });
                }
            }
        }
    }

    /// Whether the leader has ended. Does not wait.
    #[cfg(feature = "http")]
    pub(crate) fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(self.0), options), Ok(None))
    }
}

/// Whether the system ended a process because it used up its time on the processor.
pub(crate) fn used_up_its_time(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::XCPU.as_raw())
}

/// Whether the system ended a process: it does so where no memory is left.
pub(crate) fn was_killed(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::KILL.as_raw())
}

/// The words of the system in an error output if no memory is left.
pub(crate) const OUT_OF_MEMORY: &[&str] = &["os error 12", "os error 11"];

/// The program that a command's first word means. Here the system looks for it itself.
pub(crate) fn program(name: &OsStr) -> OsString {
    name.to_owned()
}

/// Whether a program of this path exists.
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = path.metadata();
    metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Starts a program without this process's environment.
pub(crate) fn without_environment(command: &mut Command) -> &mut Command {
    command.env_clear()
}

/// The program that this process runs, to start it again. On Linux, the link to it leads to the same file even after
/// another version of the program has replaced it.
///
/// # Errors
///
/// It cannot be found.
pub(crate) fn own_program() -> io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return Ok(link.to_owned());
    }
    std::env::current_exe()
}

/// Identifies the process that started this one, among all that ran on this machine since it started.
pub(crate) fn parent() -> String {
    let parent = parent_id();
    // Numbers of processes are used again.
    let begun = fs::read_to_string(format!("/proc/{parent}/stat"));
    let begun = begun.ok().and_then(|stat| {
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_whitespace().nth(19).map(str::to_owned)
    });
    format!("{parent}-{}", begun.unwrap_or_default())
}
