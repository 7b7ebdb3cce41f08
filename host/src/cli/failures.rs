//! `tamis run --save-failures`: saves the calls in which a step failed.

use crate::recording::{Purpose, Recorder};
use anyhow::Result;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct FailureArguments {
    /// Save each call in which a step failed to this folder, one file a call, readable only by you: the
    /// filter's input, its settings, and the failure. `tamis plugin test PLUGIN --document FILE` runs
    /// it again. At most 100 calls, of 64 MiB together, and none of a chain that redacts (`on-error =
    /// "block"`).
    #[arg(long, value_name = "DIR")]
    save_failures: Option<PathBuf>,
}

impl FailureArguments {
    /// Opens the folder; none: nothing is to be saved.
    pub(super) fn open(&self) -> Result<Option<Recorder>> {
        let folder = self.save_failures.as_deref();
        folder
            .map(|folder| Recorder::open(folder, Purpose::Failures))
            .transpose()
    }
}
