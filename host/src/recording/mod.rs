//! Recordings: real calls, each in a file of its own, to be replayed under another policy; or only those in which
//! a step failed, with what it was given, to be looked into by who wrote the filter.
//!
//! Owns what such a file looks like, the folder that they are in, and the thread that writes them.
//! Refuses to know protocols, chains and policies: what may not be recorded is taken out by whoever
//! starts the recording ([`Terms::redact`]).
//!
//! A call must not wait for any of it. [`Recorder::record`] puts it into a bounded queue; what does not
//! fit is dropped, and the operator is told how much that was.

mod call;
mod failure;
mod folder;
mod recorder;

pub use call::{Call, Client, is_call};
pub use failure::Failure;
pub use folder::{Recorded, read};
pub use recorder::{Purpose, Recorder, Redact, Terms};
