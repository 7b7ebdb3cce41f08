//! Tamis: an MCP proxy that passes tool output through sandboxed WebAssembly filters.
//!
//! See `ARCHITECTURE.md` for the map. The library exists for the binary, the tests and the
//! benchmarks; its interface may change with every version.

pub mod built_in;
pub mod chain;
pub mod cli;
pub mod document;
pub mod excerpt;
pub mod mcp;
pub mod policy;
pub mod sandbox;
pub mod store;
pub mod tokens;
