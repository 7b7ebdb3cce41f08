//! Filters in WebAssembly: load, limits, host imports, one call.
//!
//! The only module that names wasmtime. It does not know TOML or MCP: a plugin is bytes, settings
//! are a JSON text, a call is a [`CallInfo`].
//!
//! Every call gets a fresh instance, so no state leaks from one document to the next and a trap
//! poisons nothing. Instances come from a pool that keeps memory resident, which makes that cost
//! about 10 µs.

mod bindings;
mod cache;
mod call;
mod engine;
mod error;
mod imports;
mod limiter;
mod log;
mod plugin;
mod slots;
mod ticker;
mod wasi;

pub use bindings::tamis::filter::types::{Fidelity, Part, Surface};
pub use cache::{CACHE_DIR_VARIABLE, CacheDir};
pub use call::{Applied, CallInfo, Verdict};
pub use engine::Sandbox;
pub use error::{CallError, LoadError};
pub use plugin::{Description, Filter, Plugin};
