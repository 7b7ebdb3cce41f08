//! `tamis run --save-failures`: where calls are kept in which a step failed.

use crate::recording::{Purpose, Recorder};
use anyhow::Result;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct FailureArguments {
    /// Keep each call of a tool in which a step failed in this folder, a file a call, for your eyes alone: what the
    /// filter was given, its settings, and what it failed of. `tamis plugin test PLUGIN --document FILE` runs it
    /// again. At most 100 calls of 64 MiB together, and none whose chain hides things (`on-error = "block"`).
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
