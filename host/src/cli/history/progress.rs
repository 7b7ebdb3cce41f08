//! How far it is, for somebody who waits at a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Nobody wonders before.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Progress {
    begun: Instant,
    done: u64,
    total: u64,
    is_watched: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(super) fn new(total: u64) -> Progress {
        Progress {
            begun: Instant::now(),
            done: 0,
            total,
            // What goes to the terminal itself shows how far it is.
            is_watched: std::io::stderr().is_terminal() && !std::io::stdout().is_terminal(),
            bar: None,
        }
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.done += bytes as u64;
        if !self.is_watched {
            return;
        }
        if self.bar.is_none() && self.begun.elapsed() > PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{wide_bar} {percent} %");
            self.bar = Some(match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            });
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
