//! Limits that the system holds for this process.

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;

/// Address space beyond the allowed memory: a thread's allocator reserves 128 MiB and uses little.
const ADDRESS_SPACE_BYTES: u64 = 4 << 30;
/// Seconds from the first limit on time to the one that cannot be ignored.
const LAST_SECONDS: u64 = 5;

/// Limits this process, which compiles a stranger's plugin. On Linux it ends with the process that started it.
///
/// # Errors
///
/// A limit cannot be set.
pub(crate) fn bound_this_process(memory_bytes: u64, processor_seconds: u64) -> Result<()> {
    // The system's last word on time, should the first not be heard.
    let last_seconds = processor_seconds.saturating_add(LAST_SECONDS);
    let mut bounds = vec![
        (Resource::Core, 0, 0),
        (Resource::Cpu, processor_seconds, last_seconds),
        (Resource::Data, memory_bytes, memory_bytes),
    ];
    if cfg!(target_os = "linux") {
        let address_space = memory_bytes.saturating_add(ADDRESS_SPACE_BYTES);
        bounds.push((Resource::As, address_space, address_space));
    }
    for (resource, first, last) in bounds {
        // Less than that may be all that this user has; nobody can take more.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let bound = Rlimit {
            current: Some(first.min(most)),
            maximum: Some(last.min(most)),
        };
        setrlimit(resource, bound).with_context(|| format!("bound this process: {resource:?}"))?;
    }
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .context("end with the process that waits for this one")?;
    Ok(())
}

/// Raises the limit of open files to the most that this process may have. The usual limit, 1024, is for programs that
/// are older than this; up to the hard one it is the program's to set.
///
/// # Errors
///
/// The system refuses.
pub(crate) fn allow_many_files() -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}
