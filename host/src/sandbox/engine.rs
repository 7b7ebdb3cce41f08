//! The engine: how code is compiled, how instances are pooled, and what is switched off.

use super::bindings;
use super::cache::CacheDir;
use super::call::CallState;
use super::compiling::Compiling;
use super::imports;
use super::numbers::Numbers;
use super::plugin::Plugin;
use super::slots::Slots;
use super::snapshot_dir::SnapshotDir;
use super::ticker::Ticker;
use super::{LoadError, wasi};
use crate::policy::{Grants, Limits};
use anyhow::{Context, Result};
use std::collections::HashMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use wasmtime::component::{Component, Linker};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig,
    WasmBacktraceDetails,
};

/// Instances that can exist at once. Calls are synchronous, so this many threads would have to be
/// filtering; a call that finds none free waits for one.
const POOL_INSTANCES: u32 = 64;
/// Core instances of one component: a Rust filter is one, one adapted from `wasm32-wasip1` four,
/// a Python one (a library each) about thirty.
const CORE_INSTANCES_PER_COMPONENT: u32 = 64;
/// Memories and tables of one component: adapters have one of their own.
const MEMORIES_PER_COMPONENT: u32 = 4;
const TABLES_PER_COMPONENT: u32 = 64;
/// Pages of an instance's memory that stay mapped between calls. Most filters touch less than
/// this; re-zeroing it costs less than faulting it in again.
const KEEP_RESIDENT_BYTES: usize = 8 * 1024 * 1024;
const TABLE_KEEP_RESIDENT_BYTES: usize = 64 * 1024;
/// The largest memory that a limit can allow (`memory` in filters.toml).
const LARGEST_MEMORY_BYTES: usize = 1024 * 1024 * 1024;

/// Loads plugins and runs their calls. One for each process.
pub struct Sandbox {
    /// Whether the fuel of each call is counted, which makes calls slower.
    counts_fuel: bool,
    cache: Option<wasmtime::Cache>,
    snapshots: Option<Arc<SnapshotDir>>,
    /// One engine for each stack limit in use, since wasmtime has that limit there.
    engines: Mutex<HashMap<u64, Arc<Room>>>,
    /// Built-in filters that were compiled ahead of their use, by stack limit and name.
    ahead: Mutex<HashMap<(u64, String), Component>>,
    compiling: Arc<Compiling>,
    numbers: Arc<Numbers>,
}

/// A built-in filter to be compiled ahead of its use.
pub struct Ahead<'a> {
    pub name: &'a str,
    pub wasm: &'a [u8],
    pub stack_bytes: u64,
}

/// An engine with all that calls in it share.
pub(super) struct Room {
    pub engine: Engine,
    pub counts_fuel: bool,
    pub linker: Linker<CallState>,
    pub ticker: Ticker,
    pub slots: Slots,
    pub snapshots: Option<Arc<SnapshotDir>>,
}

impl Sandbox {
    /// A sandbox that keeps compiled code in `cache`, or nowhere.
    ///
    /// # Errors
    ///
    /// The cache directory cannot be used.
    pub fn new(cache: Option<CacheDir>) -> Result<Sandbox> {
        let (cache, snapshots) = cache.map(CacheDir::open).transpose()?.unzip();
        Ok(Sandbox::with(false, cache, snapshots))
    }

    /// A sandbox that counts the fuel of each call, which makes calls slower; it keeps no compiled code.
    pub fn counting_fuel() -> Sandbox {
        Sandbox::with(true, None, None)
    }

    fn with(
        counts_fuel: bool,
        cache: Option<wasmtime::Cache>,
        snapshots: Option<SnapshotDir>,
    ) -> Sandbox {
        let numbers = Arc::<Numbers>::default();
        Sandbox {
            counts_fuel,
            cache,
            snapshots: snapshots.map(Arc::new),
            engines: Mutex::default(),
            ahead: Mutex::default(),
            compiling: Arc::new(Compiling::new(Arc::clone(&numbers))),
            numbers,
        }
    }

    /// What was done so far.
    pub fn numbers(&self) -> Arc<Numbers> {
        Arc::clone(&self.numbers)
    }

    /// How far compiling is.
    pub fn compiling(&self) -> Arc<Compiling> {
        Arc::clone(&self.compiling)
    }

    /// Compiles built-in filters (or takes them from the cache) on all processors, for calls of
    /// [`Sandbox::load_built_in`] that follow. What goes wrong is said there.
    pub fn compile_ahead(&self, filters: &[Ahead<'_>]) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(filter) = filters.get(next.fetch_add(1, Ordering::Relaxed)) {
                let _at_work = self.compiling.begin(filter.name);
                let room = self.room(filter.stack_bytes).ok();
                let component =
                    room.and_then(|room| Component::new(&room.engine, filter.wasm).ok());
                if let Some(component) = component {
                    let key = (filter.stack_bytes, filter.name.to_owned());
                    let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
                    ahead.insert(key, component);
                }
            }
        };
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            for _ in 1..processors.min(filters.len()) {
                // Where no thread is to be had, this one does it all.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    }

    /// Compiles a plugin (or takes it from the cache), checks its imports against what it was
    /// granted, and asks it what it is.
    ///
    /// `wasm` is a component of the world `tamis:filter/plugin`, or a core module that
    /// wit-bindgen made for it, which is adapted first.
    ///
    /// # Errors
    ///
    /// It does not compile, imports what it was not granted, or fails to describe itself.
    pub fn load(
        &self,
        name: &str,
        wasm: &[u8],
        grants: Grants,
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        let _at_work = self.compiling.begin(name);
        let room = self.room(limits.stack_bytes).map_err(LoadError::Engine)?;
        let wasm = super::plugin::to_component(&room.engine, wasm)?;
        let component = Component::new(&room.engine, &wasm)
            .map_err(|error| LoadError::Compile(error.into()))?;
        Sandbox::link(name, &wasm, room, component, grants, limits)
    }

    fn link(
        name: &str,
        wasm: &[u8],
        room: Arc<Room>,
        component: Component,
        grants: Grants,
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        let imports = imports::check(&room.engine, &component, grants)?;
        let pre = room
            .linker
            .instantiate_pre(&component)
            .and_then(bindings::PluginPre::new)
            .map_err(|error| LoadError::Contract(error.into()))?;
        Plugin::describe(name, wasm, room, pre, imports, limits)
    }

    /// As [`Sandbox::load`], for a filter that is part of Tamis: it is granted what it asks for.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::load`].
    pub fn load_built_in(
        &self,
        name: &str,
        wasm: &[u8],
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        let ahead = {
            let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
            ahead.remove(&(limits.stack_bytes, name.to_owned()))
        };
        match ahead {
            Some(component) => {
                let room = self.room(limits.stack_bytes).map_err(LoadError::Engine)?;
                Sandbox::link(name, wasm, room, component, Grants::all(), limits)
            }
            None => self.load(name, wasm, Grants::all(), limits),
        }
    }

    fn room(&self, stack_bytes: u64) -> Result<Arc<Room>> {
        let mut engines = self
            .engines
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(room) = engines.get(&stack_bytes) {
            return Ok(room.clone());
        }
        let mut config = config(stack_bytes, self.cache.clone())?;
        config.consume_fuel(self.counts_fuel);
        let engine = Engine::new(&config)
            .map_err(anyhow::Error::from)
            .context("start the WebAssembly engine")?;
        let mut linker = Linker::new(&engine);
        imports::link(&mut linker)
            .map_err(anyhow::Error::from)
            .context("link the host's imports")?;
        wasi::link(&mut linker)
            .map_err(anyhow::Error::from)
            .context("link WASI")?;
        let room = Arc::new(Room {
            ticker: Ticker::start(&engine)?,
            slots: Slots::new(POOL_INSTANCES, Arc::clone(&self.numbers)),
            snapshots: self.snapshots.clone(),
            counts_fuel: self.counts_fuel,
            engine,
            linker,
        });
        engines.insert(stack_bytes, room.clone());
        Ok(room)
    }
}

fn config(stack_bytes: u64, cache: Option<wasmtime::Cache>) -> Result<Config> {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(POOL_INSTANCES)
        .total_core_instances(POOL_INSTANCES * CORE_INSTANCES_PER_COMPONENT)
        .max_core_instances_per_component(CORE_INSTANCES_PER_COMPONENT)
        .total_memories(POOL_INSTANCES * MEMORIES_PER_COMPONENT)
        .max_memories_per_component(MEMORIES_PER_COMPONENT)
        .max_memories_per_module(MEMORIES_PER_COMPONENT)
        .total_tables(POOL_INSTANCES * TABLES_PER_COMPONENT)
        .max_tables_per_component(TABLES_PER_COMPONENT)
        .max_tables_per_module(TABLES_PER_COMPONENT)
        // Stacks are for asynchronous calls.
        .total_stacks(0)
        .max_memory_size(LARGEST_MEMORY_BYTES)
        .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
        .table_keep_resident(TABLE_KEEP_RESIDENT_BYTES)
        .pagemap_scan(Enabled::Auto);

    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .cache(cache)
        // Synchronous calls alone: three times cheaper, and less surface.
        .concurrency_support(false)
        .wasm_component_model(true)
        .wasm_gc(false)
        .wasm_function_references(false)
        .wasm_exceptions(false)
        .wasm_threads(false)
        .wasm_memory64(false)
        .wasm_stack_switching(false)
        .relaxed_simd_deterministic(true)
        .max_wasm_stack(usize::try_from(stack_bytes).context("the stack limit")?)
        .epoch_interruption(true)
        // Function names come from the name section; nobody debugs a filter's addresses here. What is
        // not compiled need not be loaded at every start.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .generate_address_map(false)
        .native_unwind_info(false);
    Ok(config)
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").finish_non_exhaustive()
    }
}
