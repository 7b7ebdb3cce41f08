//! Progress bars, for somebody who waits at a terminal.
//!
//! A bar is on standard error alone, appears after a second, and is removed when the work is done. A thread
//! draws it, so that it also moves during one long step.

use crate::sandbox::{Compiling, Sandbox};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The time before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it is drawn.
const FRAME: Duration = Duration::from_millis(100);

/// A bar for as long as this lives.
pub(super) struct Progress {
    done: Arc<AtomicU64>,
    /// Dropped to end the drawing.
    end: Option<Sender<()>>,
    drawing: Option<JoinHandle<()>>,
}

/// How far something is.
struct Position {
    done: u64,
    total: u64,
    /// The current item.
    at: String,
}

impl Progress {
    /// Progress over bytes that are read or written. For commands whose standard output may be the result.
    pub(super) fn of_bytes(total: u64) -> Progress {
        // Output to the terminal itself shows the progress.
        let is_watched = !std::io::stdout().is_terminal();
        Progress::counted(is_watched, "{wide_bar} {percent} %", "", total)
    }

    /// Progress over a few steps.
    pub(super) fn of_steps(doing: &'static str, total: u64) -> Progress {
        Progress::counted(true, "{spinner} {msg} {wide_bar} {pos}/{len}", doing, total)
    }

    /// Progress over bytes that are fetched.
    pub(super) fn of_fetching(total: u64) -> Progress {
        let template = "{spinner} {msg} {wide_bar} {bytes} of {total_bytes}";
        Progress::counted(true, template, "fetching", total)
    }

    /// Progress over filters that are compiled.
    pub(super) fn of_compiling(sandbox: &Sandbox) -> Progress {
        let compiling = sandbox.compiling();
        let position = move || at_work(&compiling);
        let template = "{spinner} compiling filters {wide_bar} {pos}/{len} {msg}";
        Progress::begin(true, template, Arc::default(), position)
    }

    fn counted(is_watched: bool, template: &'static str, at: &'static str, total: u64) -> Progress {
        let done = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&done);
        let position = move || Position {
            done: counted.load(Ordering::Relaxed),
            total,
            at: at.to_owned(),
        };
        Progress::begin(is_watched, template, done, position)
    }

    fn begin(
        is_watched: bool,
        template: &'static str,
        done: Arc<AtomicU64>,
        position: impl Fn() -> Position + Send + 'static,
    ) -> Progress {
        let mut progress = Progress {
            done,
            end: None,
            drawing: None,
        };
        if is_watched && std::io::stderr().is_terminal() {
            let (end, ended) = mpsc::channel();
            let thread = thread::Builder::new().name("progress".to_owned());
            // Without a thread nobody is shown anything, and the work is done all the same.
            let drawing = thread.spawn(move || draw(&ended, template, position));
            progress.drawing = drawing.ok();
            progress.end = Some(end);
        }
        progress
    }

    pub(super) fn advance(&self, by: u64) {
        self.done.fetch_add(by, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    /// Removes the bar before it returns, so that later output begins at the edge.
    fn drop(&mut self) {
        self.end = None;
        if let Some(drawing) = self.drawing.take() {
            let _ = drawing.join();
        }
    }
}

fn draw(ended: &Receiver<()>, template: &str, position: impl Fn() -> Position) {
    let goes_on = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !goes_on(PATIENCE) {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    loop {
        let Position { done, total, at } = position();
        bar.set_length(total);
        bar.set_position(done.min(total));
        bar.set_message(at);
        bar.tick();
        if !goes_on(FRAME) {
            break;
        }
    }
    bar.finish_and_clear();
}

fn at_work(compiling: &Compiling) -> Position {
    let now = compiling.now();
    Position {
        done: now.done,
        // More may come than was known at first.
        total: now.expected.max(now.done + now.at_work.len() as u64),
        at: now.at_work.join(", "),
    }
}
