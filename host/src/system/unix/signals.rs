//! Signals that ask this process to end, or to read its files again.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::{Handle, Signals};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::thread;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The terminal is gone; programs that go on read their files again.
pub(crate) const HANGUP: i32 = SIGHUP;
/// Ctrl-C.
pub(crate) const INTERRUPT: i32 = SIGINT;
/// The request to end.
pub(crate) const TERMINATE: i32 = SIGTERM;

/// Signals that are watched until this is closed.
#[derive(Debug)]
pub(crate) struct Watch(Handle);

impl Watch {
    /// Ends the watch.
    pub(crate) fn close(&self) {
        self.0.close();
    }
}

/// Calls `hear` with the number of each of these signals, on a thread of its own, until it returns false. The signals
/// have no other effect from now on.
///
/// # Errors
///
/// The signals cannot be watched, or the system has no thread.
pub(crate) fn watch(
    numbers: &[i32],
    mut hear: impl FnMut(i32) -> bool + Send + 'static,
) -> io::Result<Watch> {
    let mut signals = Signals::new(numbers)?;
    let handle = signals.handle();
    let watch = move || {
        for signal in signals.forever() {
            if !hear(signal) {
                break;
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(watch)?;
    Ok(Watch(handle))
}

/// Notes the number of the last of these signals in `seen`. Once `ends` is set, a signal ends the process at once, with
/// the status that shells report for it.
///
/// # Errors
///
/// The signals cannot be watched.
pub(crate) fn note(
    numbers: &[i32],
    seen: &Arc<AtomicUsize>,
    ends: &Arc<AtomicBool>,
) -> io::Result<()> {
    for &signal in numbers {
        let number = usize::try_from(signal).unwrap_or(0);
        flag::register_usize(signal, Arc::clone(seen), number)?;
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(ends))?;
    }
    Ok(())
}

/// The signals that ask a server to end.
pub(crate) struct Ends {
    terminate: Signal,
    interrupt: Signal,
}

impl Ends {
    /// Watches for them from now on, within an async runtime.
    ///
    /// # Errors
    ///
    /// The signals cannot be watched.
    pub(crate) fn watch() -> io::Result<Ends> {
        Ok(Ends {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for one of them.
    pub(crate) async fn wait(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// The signal's name.
pub(crate) fn name(signal: i32) -> Option<&'static str> {
    signal_hook::low_level::signal_name(signal)
}
