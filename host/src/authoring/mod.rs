//! Checks for authors of plugins: documents that are hard for filters, the promises of a filter compared
//! with its behaviour, the costs of a call, and the functions that use its time.
//!
//! Refuses to know how any of it is printed, and how plugins are built.

pub mod contract;
mod cost;
mod hostile;
mod profile;
pub mod project;
mod promises;
mod triggers;

pub use cost::{Measured, measure};
pub use hostile::{Hostile, documents};
pub use profile::{Hot, Profiled, profile};
pub use promises::{Broken, KEEPS_STATE, Tried, limits, try_all, try_one};
pub use triggers::with_triggers;
