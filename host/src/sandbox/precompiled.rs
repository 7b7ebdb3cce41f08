//! Machine code that wasmtime made earlier. Built-in filters: `build.rs` compiled them for this binary's target,
//! so they are never compiled on the user's machine. Plugins: a process of this program's own compiled them.
//!
//! The one file with `unsafe` in it, besides calls of the system: wasmtime runs such code without a check.

#![cfg_attr(
    not(code_ahead),
    allow(
        dead_code,
        unused_imports,
        reason = "`build.rs` compiles nothing for another architecture than its own"
    )
)]

use super::compiler::Made;
use crate::built_in::{Like, Packed};
use crate::lock::lock;
use crate::system::calls::{RUNS_IN_PLACE, make_executable};
use std::ptr::NonNull;
use std::sync::{Arc, LazyLock, Mutex};
use wasmtime::component::Component;
use wasmtime::{Config, CustomCodeMemory, Engine};

/// Names and code. Nothing for a target that `build.rs` could not compile for: `code_ahead` is not set then.
static CODE: &[(&str, Code)] = include!(concat!(env!("OUT_DIR"), "/precompiled_table.rs"));

/// The largest code of the default policy, with which other filters are compressed.
static LARGEST: &Pages<[u8]> = include!(concat!(env!("OUT_DIR"), "/precompiled_largest.rs"));

/// The code with which that of other filters with patterns is compressed.
static LIKE_PATTERNS: Packed = include!(concat!(env!("OUT_DIR"), "/like_patterns.rs"));

/// The filters that run where this program's file is mapped. They are never unloaded, as their code is not.
static IN_PLACE: LazyLock<Vec<Mutex<Option<Component>>>> =
    LazyLock::new(|| CODE.iter().map(|_| Mutex::default()).collect());

/// Whole pages of memory, so that the right to run them can be set for them alone.
#[repr(C, align(4096))]
struct Pages<T: ?Sized>(T);

/// How the program holds the code of a filter.
enum Code {
    /// As it runs: the filters of the default policy, which most processes start.
    Ready(&'static Pages<[u8]>),
    /// Compressed: the other filters. A process that uses one unpacks it, in a few milliseconds.
    Packed(Packed),
}

/// Whether machine code of this filter exists.
pub(super) fn has(name: &str) -> bool {
    CODE.iter().any(|(known, _)| *known == name)
}

/// A built-in filter, if its code was compiled ahead, and this processor and this engine can run it.
///
/// The first engine that asks runs the code in place, if it is not compressed: no copy, and processes share the
/// pages. Other engines get a copy.
pub(super) fn component(engine: &Engine, name: &str) -> Option<Component> {
    let index = CODE.iter().position(|(known, _)| *known == name)?;
    let component = match &CODE[index].1 {
        Code::Ready(pages) => ready(engine, index, &MachineCode(&pages.0)),
        Code::Packed(packed) => load(engine, &MachineCode(&packed.unpack())),
    };
    component
        .inspect_err(|error| tracing::debug!(filter = name, "the code made ahead: {error:#}"))
        .ok()
}

fn ready(
    engine: &Engine,
    index: usize,
    code: &MachineCode<'static>,
) -> wasmtime::Result<Component> {
    let mut loaded = lock(&IN_PLACE[index]);
    match &*loaded {
        Some(component) if Engine::same(component.engine(), engine) => Ok(component.clone()),
        None if RUNS_IN_PLACE => in_place(engine, code).inspect(|it| *loaded = Some(it.clone())),
        _ => load(engine, code),
    }
}

/// A compiled plugin.
pub(super) fn plugin(engine: &Engine, made: &Made) -> wasmtime::Result<Component> {
    load(engine, &MachineCode(made.code()))
}

/// Bytes that `Engine::precompile_component` returned. Made in this file alone, of these two:
///
/// - Of `CODE`: files that `build.rs` wrote with that function alone, in the build of this very binary, which
///   holds them in memory that nobody can write to. What a linker would read is not in them (`build/elf.rs`). Or of a
///   copy of such a file that was compressed in that build: [`Packed`] returns the same bytes, or nothing, since a
///   checksum is with them.
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
    // SAFETY: the bytes must be what `Engine::precompile_component` returned; they are, see
    // `MachineCode`. The function itself checks that they suit this processor, these settings and this
    // version of wasmtime, and otherwise returns an error.
    unsafe { Component::deserialize(engine, code.0) }
}

#[expect(
    unsafe_code,
    reason = "wasmtime cannot see whether bytes are code that it made, nor how long they live"
)]
fn in_place(engine: &Engine, code: &MachineCode<'static>) -> wasmtime::Result<Component> {
    // SAFETY: as for `load`. Besides, the memory must live and stay unchanged as long as the component: it is a
    // static that nobody can write to. wasmtime must not get the same memory twice: `ready` asks once for
    // each entry of `CODE`, and holds its lock.
    unsafe { Component::deserialize_raw(engine, NonNull::from(code.0)) }
}

/// Lets engines with these settings run built-in filters in place.
pub(super) fn run_in_place(config: &mut Config) {
    if RUNS_IN_PLACE {
        config.with_custom_code_memory(Some(Arc::new(Protection)));
    }
}

/// Makes code executable: wasmtime's own memory, and the memory of `CODE`, which wasmtime does not change by itself.
struct Protection;

impl CustomCodeMemory for Protection {
    fn required_alignment(&self) -> usize {
        align_of::<Pages<()>>()
    }

    #[expect(unsafe_code, reason = "the rights of memory are changed")]
    fn publish_executable(&self, start: *const u8, bytes: usize) -> wasmtime::Result<()> {
        // SAFETY: wasmtime passes whole pages that hold code alone, and nobody writes to them: wasmtime has done so
        // before, and `CODE` is constant.
        unsafe { make_executable(start, bytes) }?;
        Ok(())
    }

    /// Does nothing. wasmtime frees its own memory next, and another component may run the code in `CODE`.
    fn unpublish_executable(&self, _: *const u8, _: usize) -> wasmtime::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;
    use crate::policy::Limits;
    use crate::sandbox::{Sandbox, code};
    use crate::system::Platform;

    fn engine() -> Engine {
        let mut config = code::config(Platform::here() == Platform::Windows);
        run_in_place(&mut config);
        Engine::new(&config).expect("an engine")
    }

    #[cfg(code_ahead)]
    #[test]
    fn one_engine_runs_a_filter_in_place_and_others_run_a_copy() {
        let first = CODE
            .iter()
            .enumerate()
            .find_map(|(index, (name, code))| match code {
                Code::Ready(pages) => Some((index, *name, &pages.0)),
                Code::Packed(_) => None,
            });
        let (index, name, code) = first.expect("the default policy has a filter");
        let [first, second] = [engine(), engine()];
        let components = [&first, &first, &second]
            .map(|engine| component(engine, name).expect("the filter loads"));
        let is_in_place = |component: &Component| {
            let range = component.image_range();
            let here = code.as_ptr_range();
            here.start <= range.start && range.end <= here.end
        };
        let places = components.each_ref().map(is_in_place);
        // Tests of this process that loaded the filter before may have its place.
        assert!(places.iter().filter(|place| **place).count() <= 2);
        assert!(!places[2] || !places[0], "two engines have one place");
        if RUNS_IN_PLACE {
            let loaded = lock(&IN_PLACE[index]);
            assert!(loaded.as_ref().is_some_and(is_in_place));
        }
    }

    #[cfg(code_ahead)]
    #[test]
    fn filters_outside_of_the_default_policy_are_unpacked_and_run() {
        let engine = engine();
        let packed = CODE
            .iter()
            .filter(|(_, code)| matches!(code, Code::Packed(_)));
        let names: Vec<&str> = packed.map(|(name, _)| *name).collect();
        assert!(names.contains(&"jq"), "{names:?}");
        for name in names {
            assert!(component(&engine, name).is_some(), "{name}");
        }
    }

    #[cfg(code_ahead)]
    #[test]
    fn the_state_of_filters_with_snapshots_alone_is_readable() {
        let engine = engine();
        let sandbox = Sandbox::new(None).expect("a sandbox");
        for filter in built_in::FILTERS {
            let name = filter.name;
            let code = component(&engine, name).expect("the filter loads");
            let is_readable = code.get_export_index(None, code::READABLE_STATE).is_some();
            let plugin = sandbox.load_built_in(name, filter.wasm, &Limits::default());
            let described = plugin.expect("the filter loads").description().snapshot;
            assert_eq!(
                is_readable, described,
                "{name}: `snapshot` in its manifest is not what it says of itself"
            );
        }
    }

    #[test]
    fn no_code_has_what_a_linker_would_read() {
        /// The place of the headers of sections in the header of an ELF file, their size, and a type of them.
        const SECTIONS: usize = 0x28;
        const HEADER: usize = 64;
        const SYMBOLS: &[u8] = &[2, 0, 0, 0];
        for (name, code) in CODE {
            let code = match code {
                Code::Ready(pages) => pages.0.to_vec(),
                Code::Packed(packed) => packed.unpack(),
            };
            let sections = code[SECTIONS..SECTIONS + 8].try_into().expect("8 bytes");
            let sections = usize::try_from(u64::from_le_bytes(sections)).expect("a place");
            let mut types = code[sections..].chunks_exact(HEADER).map(|it| &it[4..8]);
            assert!(types.len() > 5, "{name}");
            assert!(types.all(|it| it != SYMBOLS), "{name}");
        }
    }
}
