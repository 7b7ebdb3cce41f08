//! Limits that the system holds for this process.

use super::calls::{Bounds, Job};
use anyhow::{Context, Result};
use std::io;

/// Limits this process, which compiles a stranger's plugin, and keeps it from starting others.
///
/// # Errors
///
/// A limit cannot be set.
pub(crate) fn bound_this_process(memory_bytes: u64, processor_seconds: u64) -> Result<()> {
    let bounds = Bounds {
        memory_bytes,
        processor_seconds,
    };
    let job = Job::bounded(bounds).context("bound this process")?;
    job.add_this().context("bound this process")?;
    // The limits hold as long as the process.
    std::mem::forget(job);
    Ok(())
}

/// Raises the limit of open files: this system has none.
///
/// # Errors
///
/// None here.
pub(crate) fn allow_many_files() -> io::Result<()> {
    Ok(())
}
