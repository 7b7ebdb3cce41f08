//! The built-in filters as machine code, which `build.rs` compiled for this binary's target: what every
//! server starts with is never compiled on the user's machine.
//!
//! The one file with `unsafe` in it: wasmtime runs such code as it is.

use wasmtime::Engine;
use wasmtime::component::Component;

/// Names and code. Nothing for a target that `build.rs` could not compile for.
static CODE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/precompiled_table.rs"));

/// Whether there is code of a filter.
pub(super) fn has(name: &str) -> bool {
    CODE.iter().any(|(known, _)| *known == name)
}

/// A built-in filter, if its code was compiled ahead, and this processor and this engine can run it.
#[expect(
    unsafe_code,
    reason = "wasmtime cannot see whether bytes are code that it made"
)]
pub(super) fn component(engine: &Engine, name: &str) -> Option<Component> {
    let (_, code) = CODE.iter().find(|(known, _)| *known == name)?;
    // SAFETY: the bytes have to be what `Engine::precompile_component` returned. They are: `CODE` is
    // made of files that `build.rs` wrote with that function alone, in the build of this very binary,
    // which holds them in memory that nobody can write to. That they suit this processor, these settings
    // and this version of wasmtime is checked by the function itself, and is an error.
    let loaded = unsafe { Component::deserialize(engine, code) };
    loaded
        .inspect_err(|error| tracing::debug!(filter = name, "the code made ahead: {error:#}"))
        .ok()
}
