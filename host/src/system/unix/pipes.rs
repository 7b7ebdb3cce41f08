//! Reads and writes of pipes that another process may have set to non-blocking. Another thread can cancel a read or
//! a write.
//!
//! Refuses to know: lines, frames.

use super::super::{Read, Written};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::stdio::{stdin, stdout};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStdin, ChildStdout};

/// Cancels what waits with its [`Stop`], when it is dropped.
#[derive(Debug)]
pub(crate) struct Stopper {
    _open: PipeWriter,
}

/// The end of reads and writes.
#[derive(Debug)]
pub(crate) struct Stop(PipeReader);

/// What cancels, and what is cancelled by it.
///
/// # Errors
///
/// The system has no pipe.
pub(crate) fn stop_pair() -> io::Result<(Stopper, Stop)> {
    let (reader, writer) = io::pipe()?;
    Ok((Stopper { _open: writer }, Stop(reader)))
}

/// Where bytes come from.
#[derive(Debug)]
pub(crate) enum Input {
    /// Standard input.
    Client,
    /// The output of a process.
    Process(ChildStdout),
}

impl Input {
    /// Standard input.
    ///
    /// # Errors
    ///
    /// None here.
    pub(crate) fn client() -> io::Result<Input> {
        Ok(Input::Client)
    }

    /// The output of a process.
    ///
    /// # Errors
    ///
    /// None here.
    pub(crate) fn of(output: ChildStdout) -> io::Result<Input> {
        Ok(Input::Process(output))
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Input::Client => stdin(),
            Input::Process(output) => output.as_fd(),
        }
    }

    /// Reads available bytes; or waits until bytes arrive, or until it is stopped. Available bytes take precedence.
    ///
    /// # Errors
    ///
    /// The system cannot read.
    pub(crate) fn read_or_stop(
        &mut self,
        stop: Option<&Stop>,
        into: &mut [u8],
    ) -> io::Result<Read> {
        let fd = self.fd();
        loop {
            let mut fds = vec![PollFd::from_borrowed_fd(fd, PollFlags::IN)];
            fds.extend(stop.map(|stop| PollFd::new(&stop.0, PollFlags::IN)));
            wait(&mut fds)?;
            if fds[0].revents().is_empty() {
                return Ok(Read::CalledOff);
            }
            match read(fd, &mut *into) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                Ok(count) => return Ok(Read::Bytes(count)),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The input of a process.
#[derive(Debug)]
pub(crate) struct Output(ChildStdin);

impl Output {
    /// The input of a process.
    ///
    /// # Errors
    ///
    /// It cannot be set to non-blocking, so that a write that waits could not be stopped.
    pub(crate) fn of(input: ChildStdin) -> io::Result<Output> {
        rustix::io::ioctl_fionbio(&input, true)?;
        Ok(Output(input))
    }

    /// Writes all bytes unless it is stopped first. Calls `abandoned` while the process takes nothing, and once
    /// the client has hung up both standard input and output.
    ///
    /// # Errors
    ///
    /// The system cannot write.
    pub(crate) fn write_or_stop(
        &mut self,
        mut bytes: &[u8],
        stop: &Stop,
        mut abandoned: impl FnMut(),
    ) -> io::Result<Written> {
        let fd = self.0.as_fd();
        let mut peers = vec![stdin(), stdout()];
        while !bytes.is_empty() {
            match write(fd, bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let mut fds = vec![
                        PollFd::from_borrowed_fd(fd, PollFlags::OUT),
                        PollFd::new(&stop.0, PollFlags::IN),
                    ];
                    let watched = peers.iter();
                    fds.extend(
                        watched.map(|peer| PollFd::from_borrowed_fd(*peer, PollFlags::empty())),
                    );
                    wait(&mut fds)?;
                    if !fds[1].revents().is_empty() {
                        return Ok(Written::CalledOff);
                    }
                    // One that has hung up is not watched again, or the wait would not wait.
                    let before = peers.len();
                    let mut states = fds[2..].iter().map(PollFd::revents);
                    peers.retain(|_| states.next().is_some_and(|state| state.is_empty()));
                    if peers.is_empty() && before > 0 {
                        abandoned();
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Written::All)
    }
}

/// Writes all bytes to standard output, however long the client takes.
///
/// # Errors
///
/// The client has closed it, or the system cannot write.
pub(crate) fn write_to_client(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(stdout(), bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(&mut [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)])?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether the client has closed standard output. False for files.
pub(crate) fn client_hung_up() -> bool {
    let out = stdout();
    let mut fds = [PollFd::new(&out, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&now)).is_ok() && !fds[0].revents().is_empty()
}

/// Waits for one of `fds`. Their `revents` tell the event.
fn wait(fds: &mut [PollFd<'_>]) -> Result<(), Errno> {
    loop {
        match poll(fds, None) {
            Err(Errno::INTR) => {}
            other => return other.map(|_| ()),
        }
    }
}
