//! How WebAssembly becomes machine code: all settings that the code depends on.
//!
//! `build.rs` includes this file, and compiles the built-in filters with these settings; the engine starts from
//! them. So code that was compiled at build time equals the code that the engine would make, and the engine
//! accepts it.

use wasmtime::{Config, WasmBacktraceDetails};
use wasmtime_wizer::Wizer;

/// The settings for code, here and in `build.rs`. `for_windows`: whether the code runs there.
pub fn config(for_windows: bool) -> Config {
    let mut config = Config::new();
    config
        // Synchronous calls alone: three times cheaper, and less surface.
        .concurrency_support(false)
        .wasm_component_model(true)
        // Garbage collection, exceptions and threads are not even compiled into wasmtime.
        .wasm_memory64(false)
        .wasm_stack_switching(false)
        .relaxed_simd_deterministic(true)
        .epoch_interruption(true)
        // Function names come from the name section; nobody debugs a filter's addresses here. Less compiled
        // data means less to load at every start.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .generate_address_map(false)
        // Windows walks the stack by it, and wasmtime insists.
        .native_unwind_info(for_windows);
    config
}

/// The name of the export through which the host reads an instance's state, in a component of [`with_readable_state`].
#[allow(dead_code, reason = "`build.rs` only compiles")]
pub const READABLE_STATE: &str = "wasmtime:wizer/access";

/// A component with further exports, through which the host reads the state of its instances: snapshots are made of it.
/// It is otherwise the same, so its code is used for calls, too.
pub fn with_readable_state(component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let (_, readable) = Wizer::new().instrument_component(component)?;
    Ok(readable)
}
