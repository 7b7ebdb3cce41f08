//! Reads and writes file descriptors that another process may have set to non-blocking. Another thread can
//! cancel a read or a write.
//!
//! Refuses to know: lines, frames, whose descriptor it is.

use std::io::PipeReader;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};

/// The outcome of a read that can be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// The number of bytes read; zero is the end.
    Bytes(usize),
    /// The read was cancelled before any bytes arrived.
    CalledOff,
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

/// Reads available bytes; or waits until bytes arrive, or until the other end of `stop` is closed. Available
/// bytes take precedence.
pub(super) fn read_or_stop(
    fd: BorrowedFd<'_>,
    stop: Option<&PipeReader>,
    into: &mut [u8],
) -> Result<Read, Errno> {
    loop {
        let mut fds = vec![PollFd::from_borrowed_fd(fd, PollFlags::IN)];
        fds.extend(stop.map(|stop| PollFd::new(stop, PollFlags::IN)));
        wait(&mut fds)?;
        if fds[0].revents().is_empty() {
            return Ok(Read::CalledOff);
        }
        match read(fd, &mut *into) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(count) => return Ok(Read::Bytes(count)),
            Err(error) => return Err(error),
        }
    }
}

/// Writes all bytes, however long the reader takes.
pub(super) fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match write(fd, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(&mut [PollFd::from_borrowed_fd(fd, PollFlags::OUT)])?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all bytes to a non-blocking descriptor, unless the other end of `stop` is closed first. Calls
/// `abandoned` while the reader takes nothing, and once all of `peers` have hung up.
pub(super) fn write_or_stop(
    fd: BorrowedFd<'_>,
    mut bytes: &[u8],
    stop: &PipeReader,
    peers: &[BorrowedFd<'_>],
    mut abandoned: impl FnMut(),
) -> Result<(), Errno> {
    let mut peers = peers.to_vec();
    while !bytes.is_empty() {
        match write(fd, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut fds = vec![
                    PollFd::from_borrowed_fd(fd, PollFlags::OUT),
                    PollFd::new(stop, PollFlags::IN),
                ];
                let watched = peers.iter();
                fds.extend(watched.map(|peer| PollFd::from_borrowed_fd(*peer, PollFlags::empty())));
                wait(&mut fds)?;
                if !fds[1].revents().is_empty() {
                    return Err(Errno::CANCELED);
                }
                // One that has hung up is not watched again, or the wait would not wait.
                let before = peers.len();
                let mut states = fds[2..].iter().map(PollFd::revents);
                peers.retain(|_| states.next().is_some_and(|state| state.is_empty()));
                if peers.is_empty() && before > 0 {
                    abandoned();
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether the other end of `fd` is closed. False for files.
pub(super) fn hung_up(fd: impl AsFd) -> bool {
    let mut fds = [PollFd::new(&fd, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&now)).is_ok() && !fds[0].revents().is_empty()
}
