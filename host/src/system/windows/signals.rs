//! Requests to end this process, by the numbers of the signals that other systems have for them.
//!
//! The system calls a function for Ctrl-C, Ctrl-Break, a closed console, a logoff and a shutdown. Nothing here asks a
//! process to read its files again: it sees by itself that they were written.

use super::calls;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT,
};

/// No event has this number here.
pub(crate) const HANGUP: i32 = 1;
/// Ctrl-C.
pub(crate) const INTERRUPT: i32 = 2;
/// The request to end.
pub(crate) const TERMINATE: i32 = 15;

/// How long the system waits for a process whose console was closed.
const LAST_MOMENT: Duration = Duration::from_secs(5);

static WATCHES: Mutex<Vec<Watched>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);
static IS_HANDLING: OnceLock<Result<(), io::ErrorKind>> = OnceLock::new();

struct Watched {
    id: u64,
    numbers: Vec<i32>,
    heard: Sender<i32>,
}

/// Requests that are watched until this is closed.
#[derive(Debug)]
pub(crate) struct Watch(u64);

impl Watch {
    /// Ends the watch.
    pub(crate) fn close(&self) {
        watches().retain(|watched| watched.id != self.0);
    }
}

fn watches() -> MutexGuard<'static, Vec<Watched>> {
    WATCHES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Called by the system, on a thread of its own.
extern "system" fn handle(event: u32) -> windows_sys::core::BOOL {
    let number = match event {
        CTRL_C_EVENT => INTERRUPT,
        CTRL_BREAK_EVENT | CTRL_CLOSE_EVENT | CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT => TERMINATE,
        _ => return 0,
    };
    let mut is_heard = false;
    for watched in watches().iter() {
        is_heard |= watched.numbers.contains(&number) && watched.heard.send(number).is_ok();
    }
    // When this returns from one of these, the system ends the process.
    if is_heard
        && matches!(
            event,
            CTRL_CLOSE_EVENT | CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT
        )
    {
        thread::sleep(LAST_MOMENT);
    }
    is_heard.into()
}

fn register(numbers: &[i32], heard: Sender<i32>) -> io::Result<Watch> {
    let handling = IS_HANDLING
        .get_or_init(|| calls::handle_console_events(handle).map_err(|error| error.kind()));
    handling.map_err(io::Error::from)?;
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    watches().push(Watched {
        id,
        numbers: numbers.to_vec(),
        heard,
    });
    Ok(Watch(id))
}

/// Calls `hear` with the number of each of these requests, on a thread of its own, until it returns false. The requests
/// have no other effect from now on.
///
/// # Errors
///
/// The requests cannot be watched, or the system has no thread.
pub(crate) fn watch(
    numbers: &[i32],
    mut hear: impl FnMut(i32) -> bool + Send + 'static,
) -> io::Result<Watch> {
    let (heard, hearing) = mpsc::channel();
    let watch = register(numbers, heard)?;
    let listen = move || {
        for number in hearing {
            if !hear(number) {
                break;
            }
        }
    };
    thread::Builder::new()
        .name("signals".into())
        .spawn(listen)?;
    Ok(watch)
}

/// Notes the number of the last of these requests in `seen`. Once `ends` is set, a request ends the process at once,
/// with the status that shells report for the signal.
///
/// # Errors
///
/// The requests cannot be watched.
pub(crate) fn note(
    numbers: &[i32],
    seen: &Arc<AtomicUsize>,
    ends: &Arc<AtomicBool>,
) -> io::Result<()> {
    let (seen, ends) = (Arc::clone(seen), Arc::clone(ends));
    watch(numbers, move |number| {
        seen.store(usize::try_from(number).unwrap_or(0), Ordering::SeqCst);
        if ends.load(Ordering::SeqCst) {
            std::process::exit(128 + number);
        }
        true
    })
    .map(drop)
}

/// The requests that ask a server to end.
pub(crate) struct Ends(tokio::sync::mpsc::UnboundedReceiver<()>);

impl Ends {
    /// Watches for them from now on, within an async runtime.
    ///
    /// # Errors
    ///
    /// The requests cannot be watched.
    pub(crate) fn watch() -> io::Result<Ends> {
        let (heard, hearing) = tokio::sync::mpsc::unbounded_channel();
        watch(&[TERMINATE, INTERRUPT], move |_| heard.send(()).is_ok())?;
        Ok(Ends(hearing))
    }

    /// Waits for one of them.
    pub(crate) async fn wait(mut self) {
        self.0.recv().await;
    }
}

/// The name of a signal: none is reported here.
pub(crate) fn name(_: i32) -> Option<&'static str> {
    None
}
