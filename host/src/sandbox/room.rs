//! The parts that calls in one engine share: the engine, its linker, its clock, and its compiler.

use super::bindings::PluginPre;
use super::cache::Opened;
use super::call_state::CallState;
use super::compiler::{CodeOptions, Compiler, Made};
use super::error::LoadError;
use super::kept_dir::{self, Key};
use super::numbers::Numbers;
use super::precompiled;
use super::slots::Slots;
use super::ticker::Ticker;
use super::wasi;
use crate::policy::CompileLimits;
use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

/// A filter that runs without its snapshot until the snapshot is taken.
pub(super) trait TakesSnapshot: Send + Sync {
    /// Takes the delayed snapshot.
    fn take_snapshot(&self);
}

/// The filters that wait for a snapshot.
pub(super) type Later = Mutex<Vec<Weak<dyn TakesSnapshot>>>;

/// An engine, and the parts that all its calls share.
pub(super) struct Room {
    pub engine: Engine,
    pub counts_fuel: bool,
    pub linker: Linker<CallState>,
    pub ticker: Ticker,
    pub slots: Slots,
    pub cache: Option<Arc<Opened>>,
    pub later: Option<Arc<Later>>,
    pub compiler: Compiler,
    pub numbers: Arc<Numbers>,
}

impl Room {
    /// Gives a component its imports.
    pub fn prepare(&self, component: &Component) -> wasmtime::Result<PluginPre<CallState>> {
        let kind = component.component_type();
        let needs_wasi = kind
            .imports(&self.engine)
            .any(|(name, _)| wasi::allows(name));
        let mut linker = Cow::Borrowed(&self.linker);
        if needs_wasi {
            wasi::link(linker.to_mut(), &self.engine, component)?;
        }
        linker.instantiate_pre(component).and_then(PluginPre::new)
    }

    /// Compiles a plugin, or takes it from the cache, into which another process may be putting it. Returns the
    /// component, too. The state of its instances can be read.
    pub fn compile(
        &self,
        wasm: &[u8],
        limits: &CompileLimits,
    ) -> Result<(Component, Made), LoadError> {
        self.compile_as(wasm, true, limits)
    }

    /// As [`Room::compile`], for a component of which no snapshot is made.
    pub fn compile_snapshot(
        &self,
        wasm: &[u8],
        limits: &CompileLimits,
    ) -> Result<Component, LoadError> {
        let (component, _) = self.compile_as(wasm, false, limits)?;
        Ok(component)
    }

    fn compile_as(
        &self,
        wasm: &[u8],
        readable_state: bool,
        limits: &CompileLimits,
    ) -> Result<(Component, Made), LoadError> {
        let options = CodeOptions {
            counts_fuel: self.counts_fuel,
            readable_state,
        };
        let Some(cache) = &self.cache else {
            return self.compile_now(wasm, options, limits);
        };
        let engine = (self.engine.precompile_compatibility_hash(), options);
        let key = Key::new(&engine, wasm, "", 0);
        let turn = cache.turns.take(&key, limits.time_for(wasm.len()));
        let known = cache.code.find(&key).and_then(Made::kept);
        let known = known.and_then(|made| Some((self.runnable(&made).ok()?, made)));
        let found = match known {
            Some(known) => known,
            None => {
                let (component, made) = self.compile_now(wasm, options, limits)?;
                match cache.code.keep(&key, made.as_bytes()) {
                    Ok(()) => kept_dir::sweep(&cache.directory),
                    Err(error) => tracing::debug!("the compiled code is not stored: {error:#}"),
                }
                (component, made)
            }
        };
        if let Some(turn) = turn {
            turn.made();
        }
        Ok(found)
    }

    fn compile_now(
        &self,
        wasm: &[u8],
        options: CodeOptions,
        limits: &CompileLimits,
    ) -> Result<(Component, Made), LoadError> {
        self.numbers.compiled.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        let made = self.compiler.make(wasm, options, limits)?;
        let (bytes, ms) = (wasm.len(), begun.elapsed().as_millis());
        tracing::debug!("compiled {bytes} bytes of WebAssembly in {ms} ms");
        let component = self.runnable(&made)?;
        Ok((component, made))
    }

    fn runnable(&self, made: &Made) -> Result<Component, LoadError> {
        precompiled::plugin(&self.engine, made).map_err(|error| LoadError::Compile(error.into()))
    }
}
