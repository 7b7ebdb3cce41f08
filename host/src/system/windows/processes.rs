//! Processes that this one starts, as groups that end together (jobs).

use super::super::Ending;
use super::calls::{self, Job};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Arc;
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED};

/// The status of processes that are killed.
const KILLED: u32 = 1;
/// The status that the system gives to a process that used up its time.
const NOT_ENOUGH_QUOTA: i32 = 1816;
/// The endings of programs, where the system names none.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// A process that leads a group: the processes that it starts belong to it, and end with it or with this process.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
    process: Arc<OwnedHandle>,
    job: Job,
}

/// Waits for the leader of a group, from any thread.
#[derive(Debug, Clone)]
pub(crate) struct Watcher(Arc<OwnedHandle>);

impl Group {
    /// Starts a program as the leader of a new group.
    ///
    /// # Errors
    ///
    /// The program cannot be started.
    pub(crate) fn start(command: &mut Command) -> io::Result<Group> {
        let job = Job::ending_with_this()?;
        // It runs once it belongs to the group, so that all that it starts belongs to it, too.
        command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED);
        let mut leader = command.spawn()?;
        let begun = job
            .add(leader.as_handle())
            .and_then(|()| calls::resume(leader.id()))
            .and_then(|()| leader.as_handle().try_clone_to_owned());
        match begun {
            Ok(process) => Ok(Group {
                leader,
                process: Arc::new(process),
                job,
            }),
            Err(error) => {
                // The first error is the one to report.
                let _ = leader.kill();
                Err(error)
            }
        }
    }

    /// The leader's input and output, once.
    pub(crate) fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.leader.stdin.take()?, self.leader.stdout.take()?))
    }

    /// What waits for the leader.
    pub(crate) fn watcher(&self) -> Watcher {
        Watcher(Arc::clone(&self.process))
    }

    /// Sends Ctrl-Break to the group, which ends programs that do not handle it. A program without a console does not
    /// get it.
    ///
    /// # Errors
    ///
    /// The group has no console that this process shares.
    pub(crate) fn signal(&self, _: i32) -> io::Result<()> {
        calls::send_break(self.leader.id())
    }

    /// Ends all processes of the group at once.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub(crate) fn kill(&self) -> io::Result<()> {
        self.job.kill(KILLED)
    }

    /// Waits for the leader, which has ended.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub(crate) fn reap(&mut self) -> io::Result<()> {
        self.leader.wait().map(drop)
    }
}

impl Watcher {
    /// Waits until the leader ends.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub(crate) fn wait(&self) -> io::Result<Ending> {
        calls::wait_for(self.0.as_handle()).map(Ending::Status)
    }

    /// Whether the leader has ended. Does not wait.
    #[cfg(feature = "http")]
    pub(crate) fn has_ended(&self) -> bool {
        calls::has_ended(self.0.as_handle())
    }
}

/// Whether the system ended a process because it used up its time on the processor.
pub(crate) fn used_up_its_time(status: ExitStatus) -> bool {
    status.code() == Some(NOT_ENOUGH_QUOTA)
}

/// Whether the system ended a process because no memory is left. Here the process sees it, and says so.
pub(crate) fn was_killed(_: ExitStatus) -> bool {
    false
}

/// The words of the system in an error output if no memory is left.
pub(crate) const OUT_OF_MEMORY: &[&str] = &["os error 8)", "os error 14)", "os error 1455)"];

/// The program that a command's first word means. The system itself finds only `.exe`; `npx` is `npx.cmd`.
pub(crate) fn program(name: &OsStr) -> OsString {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return found(path).map_or_else(|| name.to_owned(), PathBuf::into_os_string);
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).find_map(|folder| found(&folder.join(name)));
    found.map_or_else(|| name.to_owned(), PathBuf::into_os_string)
}

/// Whether a program of this path exists, perhaps with the ending of a program.
pub(crate) fn is_program(path: &Path) -> bool {
    found(path).is_some()
}

fn found(path: &Path) -> Option<PathBuf> {
    let endings = env::var("PATHEXT").unwrap_or_else(|_| ENDINGS.to_owned());
    let has_ending = path.extension().is_some_and(|own| {
        let own = format!(".{}", own.to_string_lossy());
        endings
            .split(';')
            .any(|ending| ending.eq_ignore_ascii_case(&own))
    });
    if has_ending {
        return path.is_file().then(|| path.to_owned());
    }
    endings.split(';').find_map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending.to_ascii_lowercase());
        let path = PathBuf::from(name);
        path.is_file().then_some(path)
    })
}

/// Starts a program without this process's environment, but for the folder of the system, which libraries need.
pub(crate) fn without_environment(command: &mut Command) -> &mut Command {
    command.env_clear();
    if let Some(folder) = env::var_os("SystemRoot") {
        command.env("SystemRoot", folder);
    }
    command
}

/// The program that this process runs, to start it again. A running program cannot be replaced here.
///
/// # Errors
///
/// It cannot be found.
pub(crate) fn own_program() -> io::Result<PathBuf> {
    env::current_exe()
}

/// Identifies the process that started this one, among all that ran on this machine since it started.
pub(crate) fn parent() -> String {
    match calls::parent() {
        Ok((parent, Some(begun))) => format!("{parent}-{begun}"),
        Ok((parent, None)) => format!("{parent}-"),
        // Then each process is an agent of its own.
        Err(_) => format!("-{}", std::process::id()),
    }
}
