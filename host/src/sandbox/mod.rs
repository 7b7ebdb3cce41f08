//! Filters in WebAssembly: load, limits, host imports, one call.
//!
//! The only module that names wasmtime. It does not know TOML or MCP: a plugin is bytes, settings are a JSON
//! text, a call is a [`CallInfo`].
//!
//! Every call gets a fresh instance, so no state leaks from one document to the next, and a trap damages no
//! later call. Instances come from a pool that keeps memory resident, so an instance costs about 10 µs. If a
//! client waits for an answer, instances are returned to the pool, and one for the next call is made, after the
//! answer.

mod bindings;
mod bounds;
mod cache;
mod call_info;
mod call_state;
mod code;
mod compiler;
mod compiling;
mod description;
mod engine;
mod error;
mod filter;
mod form;
mod imports;
mod instance;
mod instances;
mod kept_dir;
mod limiter;
mod loaded;
mod log;
mod meta_key;
mod numbers;
mod original;
mod plugin;
mod precompiled;
mod profile;
mod room;
mod session;
mod slots;
mod snapshot;
mod spent;
mod ticker;
mod turns;
pub mod wasi;

pub use crate::policy::Surface;
pub use bindings::CONTRACT_VERSION;
pub use bindings::tamis::filter::types::{Fidelity, Growth};
pub use cache::CacheDir;
pub use call_info::{CallInfo, Part};
pub use compiler::{CodeOptions, CompileJob, serve as compile_plugin};
pub use compiling::Compiling;
pub use description::Description;
pub use engine::{Ahead, Sandbox};
pub use error::{Breach, CallError, LoadError};
pub use filter::Filter;
pub use form::component_of;
pub use instance::{Applied, Cost, Verdict};
pub use numbers::Numbers;
pub use original::{NotKept, Originals, StoredOriginal, Storing};
pub use plugin::Plugin;
pub use profile::Profile;
pub use session::{Plugins as PluginsValues, SessionValues, SessionView, Values, ValuesElsewhere};
pub use spent::Spent;
