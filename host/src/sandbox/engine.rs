//! The engine: where code comes from, and how instances are pooled.

use super::cache::{CacheDir, Opened};
use super::code;
use super::compiler::Compiler;
use super::compiling::Compiling;
use super::imports;
use super::limiter::TABLE_ELEMENTS;
use super::numbers::Numbers;
use super::plugin::Plugin;
use super::precompiled;
use super::room::{Later, Room};
use super::slots::Slots;
use super::ticker::Ticker;
use super::{LoadError, bounds};
use crate::built_in::Packed;
use crate::lock::lock;
use crate::policy::{Grants, Limits};
use crate::system::{Platform, processes};
use anyhow::{Context, Result};
use std::collections::HashMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Most instances at once. Calls are synchronous, so it takes as many threads to reach it. A further call waits
/// for a free instance.
const POOL_INSTANCES: u32 = 64;
/// Core instances of one component: a Rust filter has one, a filter adapted from `wasm32-wasip1` four, a Python
/// filter (one for each library) about thirty. One more reads their state (`code::with_readable_state`).
const CORE_INSTANCES_PER_COMPONENT: u32 = 64 + 1;
/// Memories and tables of one component: adapters have their own.
const MEMORIES_PER_COMPONENT: u32 = 4;
const TABLES_PER_COMPONENT: u32 = 64;
/// Pages of an instance's memory that stay mapped between calls. Most filters touch less than this; zeroing
/// these pages costs less than faulting them in again.
const KEEP_RESIDENT_BYTES: usize = 8 * 1024 * 1024;
const TABLE_KEEP_RESIDENT_BYTES: usize = 64 * 1024;
/// The largest memory that a limit can allow (`memory` in filters.toml).
const LARGEST_MEMORY_BYTES: usize = 1024 * 1024 * 1024;

/// Loads plugins and runs their calls. One for each process.
pub struct Sandbox {
    /// Whether the fuel of each call is counted, which makes calls slower.
    counts_fuel: bool,
    cache: Option<Arc<Opened>>,
    compiler: Compiler,
    /// One engine for each stack limit in use, since wasmtime has that limit there.
    engines: Mutex<HashMap<u64, Arc<Room>>>,
    /// Built-in filters that were compiled before their use, by stack limit and name.
    ahead: Mutex<HashMap<(u64, String), Component>>,
    /// Filters whose snapshots are not taken yet; none: each snapshot is taken when its filter gets its
    /// settings.
    later: Option<Arc<Later>>,
    compiling: Arc<Compiling>,
    numbers: Arc<Numbers>,
}

/// A built-in filter to compile before its use.
pub struct Ahead<'a> {
    pub name: &'a str,
    pub wasm: Packed,
    pub stack_bytes: u64,
}

impl Sandbox {
    /// A sandbox that stores compiled code in `cache`, or nowhere.
    ///
    /// # Errors
    ///
    /// The cache directory cannot be used.
    pub fn new(cache: Option<CacheDir>) -> Result<Sandbox> {
        let cache = cache.map(CacheDir::open).transpose()?;
        Ok(Sandbox::with(false, cache))
    }

    /// A sandbox that counts the fuel of each call, which makes calls slower; it stores no compiled code.
    pub fn counting_fuel() -> Sandbox {
        Sandbox::with(true, None)
    }

    fn with(counts_fuel: bool, cache: Option<Opened>) -> Sandbox {
        let numbers = Arc::<Numbers>::default();
        Sandbox {
            counts_fuel,
            cache: cache.map(Arc::new),
            compiler: Compiler::Here,
            engines: Mutex::default(),
            ahead: Mutex::default(),
            later: None,
            compiling: Arc::new(Compiling::new(Arc::clone(&numbers))),
            numbers,
        }
    }

    /// Lets this program itself, started again, compile plugins: for the binary `tamis`, or a program that
    /// answers to `compile-plugin` as it does. Otherwise this process compiles them, with its own memory and
    /// time. Call this before anything is loaded.
    ///
    /// # Errors
    ///
    /// The program cannot be found.
    pub fn compiled_by_this_program(self) -> Result<Sandbox> {
        let program = processes::own_program().context("find this program")?;
        Ok(self.compiled_by(program))
    }

    /// Lets another program compile plugins: the binary `tamis` of this version.
    #[must_use]
    pub fn compiled_by(self, program: impl Into<PathBuf>) -> Sandbox {
        Sandbox {
            compiler: Compiler::Process(program.into()),
            ..self
        }
    }

    /// Delays snapshots until [`Sandbox::take_snapshots`]: until then each call of a filter that requests one
    /// runs `configure`. Call this before anything is loaded.
    #[must_use]
    pub fn with_snapshots_later(self) -> Sandbox {
        Sandbox {
            later: Some(Arc::default()),
            ..self
        }
    }

    /// Takes the delayed snapshots. This compiles, and may take seconds.
    pub fn take_snapshots(&self) {
        let Some(later) = &self.later else { return };
        let waiting = std::mem::take(&mut *lock(later));
        for instances in waiting.iter().filter_map(Weak::upgrade) {
            instances.take_snapshot();
        }
    }

    /// The counts of the work so far.
    pub fn numbers(&self) -> Arc<Numbers> {
        Arc::clone(&self.numbers)
    }

    /// The progress of compiling.
    pub fn compiling(&self) -> Arc<Compiling> {
        Arc::clone(&self.compiling)
    }

    /// Makes built-in filters ready on all processors, for later calls of [`Sandbox::load_built_in`], which
    /// report any errors.
    pub fn compile_ahead(&self, filters: &[Ahead<'_>]) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(filter) = filters.get(next.fetch_add(1, Ordering::Relaxed)) {
                let _at_work = self.compiling.begin(filter.name);
                let room = self.room(filter.stack_bytes).ok();
                let component = room.and_then(|room| {
                    let known = precompiled::component(&room.engine, filter.name);
                    let limits = Limits::default().compile;
                    known.or_else(|| Some(room.compile(&filter.wasm.unpack(), &limits).ok()?.0))
                });
                if let Some(component) = component {
                    let key = (filter.stack_bytes, filter.name.to_owned());
                    let mut ahead = lock(&self.ahead);
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

    /// Compiles a plugin (or takes it from the cache), checks its imports against its grants, and asks for its
    /// description.
    ///
    /// `wasm` is a component of the world `tamis:filter/plugin`, or a core module that wit-bindgen made for it,
    /// which is adapted first.
    ///
    /// # Errors
    ///
    /// It does not compile, has an import without a grant, or fails to describe itself.
    pub fn load(
        &self,
        name: &str,
        wasm: &[u8],
        grants: Grants,
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        Sandbox::check_bounds(wasm, limits)?;
        let _at_work = self.compiling.begin(name);
        let room = self.room(limits.stack_bytes).map_err(LoadError::Engine)?;
        let (component, made) = room.compile(wasm, &limits.compile)?;
        let bytes = || made.component(wasm).to_vec();
        Sandbox::link(name, bytes, room, component, grants, limits)
    }

    /// Checks whether a plugin is within the limits, without compiling it.
    ///
    /// # Errors
    ///
    /// It exceeds a limit, or is not WebAssembly.
    pub fn check_bounds(wasm: &[u8], limits: &Limits) -> Result<(), LoadError> {
        super::form::check_form(wasm)?;
        bounds::check(wasm, &limits.compile)
    }

    /// `wasm` returns the component's own bytes, which few plugins need.
    fn link(
        name: &str,
        wasm: impl FnOnce() -> Vec<u8>,
        room: Arc<Room>,
        component: Component,
        grants: Grants,
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        let imports = imports::check(&room.engine, &component, grants)?;
        let pre = room
            .prepare(&component)
            .map_err(|error| LoadError::Contract(error.into()))?;
        Plugin::describe(name, wasm, room, pre, imports, limits)
    }

    /// As [`Sandbox::load`], for a built-in filter: it is granted everything that it requests.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::load`].
    pub fn load_built_in(
        &self,
        name: &str,
        wasm: Packed,
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        let ahead = {
            let mut ahead = lock(&self.ahead);
            ahead.remove(&(limits.stack_bytes, name.to_owned()))
        };
        let room = self.room(limits.stack_bytes).map_err(LoadError::Engine)?;
        match ahead.or_else(|| precompiled::component(&room.engine, name)) {
            Some(component) => {
                let bytes = || wasm.unpack();
                Sandbox::link(name, bytes, room, component, Grants::all(), limits)
            }
            None => self.load(name, &wasm.unpack(), Grants::all(), limits),
        }
    }

    /// Whether a built-in filter was compiled together with Tamis.
    pub fn is_precompiled(name: &str) -> bool {
        precompiled::has(name)
    }

    fn room(&self, stack_bytes: u64) -> Result<Arc<Room>> {
        let mut engines = lock(&self.engines);
        if let Some(room) = engines.get(&stack_bytes) {
            return Ok(room.clone());
        }
        let engine = start(stack_bytes, self.counts_fuel)?;
        let mut linker = Linker::new(&engine);
        imports::link(&mut linker)
            .map_err(anyhow::Error::from)
            .context("link the host's imports")?;
        let room = Arc::new(Room {
            ticker: Ticker::start(&engine)?,
            slots: Slots::new(POOL_INSTANCES, Arc::clone(&self.numbers)),
            cache: self.cache.clone(),
            later: self.later.clone(),
            compiler: self.compiler.clone(),
            numbers: Arc::clone(&self.numbers),
            counts_fuel: self.counts_fuel,
            engine,
            linker,
        });
        engines.insert(stack_bytes, room.clone());
        Ok(room)
    }
}

/// Starts an engine. If the system does not reserve the address space of the pool, as with `ulimit -v`, each call
/// allocates its memory.
fn start(stack_bytes: u64, counts_fuel: bool) -> Result<Engine> {
    let start = |strategy| {
        let mut config = config(stack_bytes, strategy)?;
        config.consume_fuel(counts_fuel);
        Engine::new(&config)
            .map_err(anyhow::Error::from)
            .context("start the WebAssembly engine")
    };
    let no_pool = match start(InstanceAllocationStrategy::Pooling(pool())) {
        Ok(engine) => return Ok(engine),
        Err(error) => error,
    };
    // The error without a pool is no better than the first.
    let Ok(engine) = start(InstanceAllocationStrategy::OnDemand) else {
        return Err(no_pool);
    };
    tracing::warn!(
        "the address space for a pool of instances cannot be reserved, so each call of a filter allocates its memory, which is slower: {no_pool:#} (see `ulimit -v`)"
    );
    Ok(engine)
}

/// The pool of instances.
fn pool() -> PoolingAllocationConfig {
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
        .max_memory_size(LARGEST_MEMORY_BYTES)
        .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
        .table_elements(TABLE_ELEMENTS)
        .table_keep_resident(TABLE_KEEP_RESIDENT_BYTES)
        .pagemap_scan(Enabled::Auto);
    pool
}

/// Settings of an engine that runs code. It cannot compile: `compiler` decides which process does.
fn config(stack_bytes: u64, strategy: InstanceAllocationStrategy) -> Result<Config> {
    let mut config = code::config(Platform::here() == Platform::Windows);
    config
        .allocation_strategy(strategy)
        .enable_compiler(false)
        .max_wasm_stack(usize::try_from(stack_bytes).context("the stack limit")?);
    precompiled::run_in_place(&mut config);
    Ok(config)
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").finish_non_exhaustive()
    }
}
