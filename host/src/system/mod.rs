//! What differs from one operating system to another.
//!
//! Owns every question of which system this is: owners of files and private folders, processes and their groups,
//! pipes that can be waited for, signals, limits, memory that is executable, and the folders where programs keep
//! their data. Refuses to know what any of it is used for.
//!
//! `unix` and `windows` have files of the same names with the same functions. The rest of the program uses this room
//! and asks nothing else (the test `layout` holds that). If a system lacks something, the function returns an
//! error or does nothing, and its comment says so. Calls that need `unsafe` are in the file `calls.rs` of each.

mod access;
mod ending;
mod places;
mod platform;
mod transfer;
mod unfit;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use self::unix as here;
#[cfg(windows)]
use self::windows as here;

pub(crate) use self::access::Access;
pub(crate) use self::ending::Ending;
pub(crate) use self::here::{calls, files, limits, owners, pipes, processes, signals};
pub(crate) use self::places::{Place, home_variable};
pub use self::platform::Platform;
pub(crate) use self::platform::Shell;
pub(crate) use self::transfer::{Read, Written};
pub(crate) use self::unfit::Unfit;
