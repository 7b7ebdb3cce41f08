//! Calls of the system that need `unsafe`.

use rustix::mm::{MprotectFlags, mprotect};
use std::io;

/// Whether code can run where this program's file is mapped. On other systems, the pages may be larger, or wasmtime
/// sets more than [`make_executable`] would.
pub(crate) const RUNS_IN_PLACE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// Lets the processor run code in memory that nobody writes to any more.
///
/// # Safety
///
/// The memory is whole pages that hold code alone, and nobody writes to them from now on.
#[expect(unsafe_code, reason = "the rights of memory are changed")]
pub(crate) unsafe fn make_executable(start: *const u8, bytes: usize) -> io::Result<()> {
    let rights = MprotectFlags::READ | MprotectFlags::EXEC;
    // SAFETY: as the caller promises. The pages stay readable.
    unsafe { mprotect(start.cast_mut().cast(), bytes, rights) }?;
    Ok(())
}
