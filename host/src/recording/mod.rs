//! Recordings of real calls, each in a file of its own, to replay them under another policy. A recording of
//! failures has only the calls in which a step failed, with its input, for the author of the filter.
//!
//! Owns the form of such a file, the folder of the files, and the thread that writes them.
//! Refuses to know protocols, chains and policies: the code that starts the recording removes
//! the parts that may not be recorded ([`Terms::redact`]).
//!
//! A call must not wait for any of it. [`Recorder::record`] puts it into a bounded queue; calls that do not
//! fit are dropped, and the log says how many.

mod call;
mod failure;
mod folder;
mod recorder;

pub use call::{Call, Client, is_call};
pub use failure::Failure;
pub use folder::{Recorded, read};
pub use recorder::{Purpose, Recorder, Redact, Terms};
