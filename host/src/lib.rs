//! Tamis: an MCP proxy that passes tool output through sandboxed WebAssembly filters.
//!
//! See `ARCHITECTURE.md` for the map. The library exists for the binary, the tests and the
//! benchmarks; its interface may change with every version.

// But for `sandbox/precompiled.rs`, and calls of the system in `system/*/calls.rs`.
#![deny(unsafe_code)]
// Output for people goes through `cli/output.rs`, so no terminal obeys text of others.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
// What only a left-out part uses is dead code without it. With all parts, dead code is an error.
#![cfg_attr(
    not(all(
        feature = "http",
        feature = "login",
        feature = "oci",
        feature = "replicas",
        feature = "traces"
    )),
    allow(dead_code)
)]

pub mod authoring;
#[cfg(feature = "replicas")]
mod away;
pub mod built_in;
pub mod cases;
mod causes;
pub mod chain;
pub mod cli;
pub use tamis_document as document;
pub mod diff;
pub mod dry_run;
pub mod excerpt;
mod file;
mod file_text;
mod hex;
pub mod install;
mod json;
pub mod json_schema;
pub mod ledger;
mod lock;
#[cfg(feature = "http")]
mod login;
pub mod mcp;
mod numbers;
pub mod policy;
pub mod printable;
mod private;
mod project;
mod queue;
pub mod recording;
pub mod registry;
#[cfg(feature = "http")]
mod remote_policy;
pub mod replay;
pub mod sandbox;
#[cfg(feature = "http")]
mod sealed;
mod secrets;
mod serving;
#[cfg(feature = "replicas")]
mod shared;
#[cfg(all(feature = "http", not(feature = "replicas")))]
#[path = "shared/absent.rs"]
mod shared;
mod shell;
pub mod signature;
mod state;
pub mod store;
mod system;
pub mod tokens;
pub mod trust;
