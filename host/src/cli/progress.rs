//! How far it is, for somebody who waits at a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Nobody wonders before.
const PATIENCE: Duration = Duration::from_secs(1);

/// Several threads may advance it.
pub(super) struct Progress {
    begun: Instant,
    total: u64,
    is_watched: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For a command that writes when all is done.
    pub(super) fn new(total: u64) -> Progress {
        Progress {
            begun: Instant::now(),
            total,
            is_watched: std::io::stderr().is_terminal(),
            state: Mutex::default(),
        }
    }

    /// For a command that writes as it goes: what goes to the terminal itself shows how far it is.
    pub(super) fn beside_output(total: u64) -> Progress {
        let mut progress = Progress::new(total);
        progress.is_watched &= !std::io::stdout().is_terminal();
        progress
    }

    pub(super) fn advance(&self, by: u64) {
        if !self.is_watched {
            return;
        }
        // Never half changed.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.done += by;
        if state.bar.is_none() && self.begun.elapsed() > PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{wide_bar} {percent} %");
            state.bar = Some(match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            });
        }
        if let Some(bar) = &state.bar {
            bar.set_position(state.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &state.bar {
            bar.finish_and_clear();
        }
    }
}
