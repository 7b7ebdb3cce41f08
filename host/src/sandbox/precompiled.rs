//! Machine code that wasmtime made earlier. Built-in filters: `build.rs` compiled them for this binary's target,
//! so they are never compiled on the user's machine. Plugins: a process of this program's own compiled them.
//!
//! The one file with `unsafe` in it: wasmtime runs such code without a check.

use super::compiler::Made;
use wasmtime::Engine;
use wasmtime::component::Component;

/// Names and code. Nothing for a target that `build.rs` could not compile for.
static CODE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/precompiled_table.rs"));

/// Whether machine code of this filter exists.
pub(super) fn has(name: &str) -> bool {
    CODE.iter().any(|(known, _)| *known == name)
}

/// A built-in filter, if its code was compiled ahead, and this processor and this engine can run it.
pub(super) fn component(engine: &Engine, name: &str) -> Option<Component> {
    let (_, code) = CODE.iter().find(|(known, _)| *known == name)?;
    load(engine, &MachineCode(code))
        .inspect_err(|error| tracing::debug!(filter = name, "the code made ahead: {error:#}"))
        .ok()
}

/// A compiled plugin.
pub(super) fn plugin(engine: &Engine, made: &Made) -> wasmtime::Result<Component> {
    load(engine, &MachineCode(made.code()))
}

/// Bytes that `Engine::precompile_component` returned. Made in this file alone, of these two:
///
/// - Of `CODE`: files that `build.rs` wrote with that function alone, in the build of this very binary, which
///   holds them in memory that nobody can write to.
/// - Of a [`Made`], whose bytes nobody can change, and which comes from three places. `compiler::make` returns
///   what that function returned, in this process. `compiler::process` takes what another process wrote into a
///   pipe that it alone had: that process was started from this program's own executable, runs `compiler::make`
///   and nothing else, and counts only if it ended well. `Made::kept` takes a file that one of these wrote before,
///   from the cache directory: its owner is this user, no other user may write to it nor to a folder above
///   it (`CacheDir::open`), and it has the hash that was written with it. Who could forge one of these could
///   as well replace this program, or write to its memory.
struct MachineCode<'a>(&'a [u8]);

#[expect(
    unsafe_code,
    reason = "wasmtime cannot see whether bytes are code that it made"
)]
fn load(engine: &Engine, code: &MachineCode<'_>) -> wasmtime::Result<Component> {
    // SAFETY: the bytes have to be what `Engine::precompile_component` returned; they are, see
    // `MachineCode`. That they suit this processor, these settings and this version of wasmtime is
    // checked by the function itself, and is an error.
    unsafe { Component::deserialize(engine, code.0) }
}
