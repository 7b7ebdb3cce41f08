//! What authors of plugins need: documents that filters trip over, the promises that a filter makes held
//! against what it does, what a call costs, and where its time goes.
//!
//! Refuses to know how any of it is printed, and how plugins are built.

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
