//! Snapshots: a component in its state after `configure`, for filters that declare that this state is worth
//! storing (a compiled program, a table). Its memory and globals become part of a new component, which is
//! compiled like any other, and whose instances need no `configure`.
//!
//! `configure` runs in the limits of any call, with imports that refuse. Facts from the host would belong to
//! another call, and a handle would name nothing in a later instance. The caller makes sure that `configure` ran
//! well before; here every failure only means that no snapshot is made.

use super::Originals;
use super::bindings::{self, PluginPre};
use super::call_state::CallState;
use super::code::READABLE_STATE;
use super::instance::Instance;
use super::room::Room;
use crate::document::Document;
use crate::policy::Limits;
use anyhow::{Context as _, Result, anyhow, ensure};
use std::collections::HashMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use wasmtime::Store;
use wasmtime::component::{self, Component, ComponentNamedList, Lift, Linker, WasmList};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

/// Makes the component that begins at the end of `configure`. `compiled`: the plugin's code, with readable state.
pub(super) fn take(
    room: &Room,
    compiled: &Component,
    wasm: &[u8],
    settings: &str,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    // `configure` is called from here, and every export stays.
    wizer.keep_init_func(true);
    let (context, _) = wizer
        .instrument_component(wasm)
        .map_err(anyhow::Error::from)
        .context("make its state readable")?;
    compiled
        .get_export_index(None, READABLE_STATE)
        .context("its state cannot be read")?;
    let mut linker = Linker::<CallState>::new(&room.engine);
    linker
        .define_unknown_imports_as_traps(compiled)
        .map_err(anyhow::Error::from)
        .context("link imports that refuse")?;

    let mut instance = None;
    let mut session = Instance::begin_with(
        room,
        Document::text_only(""),
        &Originals::none(),
        limits,
        |store| {
            let made = linker.instantiate(&mut *store, compiled)?;
            instance = Some(made);
            bindings::Plugin::new(store, &made)
        },
    )?;
    session
        .configure(settings)?
        .map_err(|refusal| anyhow!("it refuses its settings: {refusal}"))?;
    let mut state = State {
        instance: instance.context("instantiate it")?,
        store: session.store_for_snapshot(),
        memories: HashMap::new(),
        failed: None,
    };
    let snapshot = at_once(wizer.snapshot_component(&context, &mut state))?;
    if let Some(error) = state.failed {
        return Err(error).context("read its state");
    }
    snapshot
        .map_err(anyhow::Error::from)
        .context("write its state down")
}

/// Compiles a snapshot. It must have the same imports as its component, whose imports were checked.
pub(super) fn load(
    room: &Room,
    snapshot: &[u8],
    made_of: &Component,
    limits: &Limits,
) -> Result<PluginPre<CallState>> {
    let component = room
        .compile_snapshot(snapshot, &limits.compile)
        .context("compile the snapshot")?;
    let imports = |component: &Component| -> Vec<String> {
        let kind = component.component_type();
        kind.imports(&room.engine)
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    ensure!(
        imports(&component) == imports(made_of),
        "the snapshot's imports are not those of its plugin"
    );
    let pre = room
        .prepare(&component)
        .map_err(anyhow::Error::from)
        .context("link the snapshot")?;
    Ok(pre)
}

/// The state of an instance, read through the exports that instrumenting added.
struct State<'s> {
    store: &'s mut Store<CallState>,
    instance: component::Instance,
    /// Memories that were read. They are read twice, and each reading makes them grow.
    memories: HashMap<String, Vec<u8>>,
    /// The first failure. Later reads have no meaning.
    failed: Option<anyhow::Error>,
}

impl State<'_> {
    fn call<R: Lift + 'static>(
        &mut self,
        instance: &str,
        function: &str,
    ) -> Result<R, wasmtime::Error>
    where
        (R,): ComponentNamedList,
    {
        let store = &mut *self.store;
        let export = self.instance.get_export_index(&mut *store, None, instance);
        let function = self
            .instance
            .get_export_index(&mut *store, export.as_ref(), function)
            .ok_or_else(|| wasmtime::format_err!("no export `{instance}#{function}`"))?;
        let function = self
            .instance
            .get_typed_func::<(), (R,)>(&mut *store, function)?;
        Ok(function.call(store, ())?.0)
    }

    fn value<R: Lift + Default + 'static>(&mut self, instance: &str, function: &str) -> R
    where
        (R,): ComponentNamedList,
    {
        self.call(instance, function).unwrap_or_else(|error| {
            self.failed.get_or_insert(error.into());
            R::default()
        })
    }

    fn memory(&mut self, instance: &str, function: &str) -> &[u8] {
        if !self.memories.contains_key(function) {
            let read = self.call::<WasmList<u8>>(instance, function);
            let bytes = match read {
                Ok(list) => list.as_le_slice(&*self.store).to_vec(),
                Err(error) => {
                    self.failed.get_or_insert(error.into());
                    Vec::new()
                }
            };
            self.memories.insert(function.to_owned(), bytes);
        }
        &self.memories[function]
    }
}

impl ComponentInstanceState for State<'_> {
    async fn call_func_ret_list_u8(
        &mut self,
        instance: &str,
        function: &str,
        contents: impl FnOnce(&[u8]) + Send,
    ) {
        contents(self.memory(instance, function));
    }

    async fn call_func_ret_s32(&mut self, instance: &str, function: &str) -> i32 {
        self.value(instance, function)
    }

    async fn call_func_ret_s64(&mut self, instance: &str, function: &str) -> i64 {
        self.value(instance, function)
    }

    async fn call_func_ret_f32(&mut self, instance: &str, function: &str) -> u32 {
        self.value::<f32>(instance, function).to_bits()
    }

    async fn call_func_ret_f64(&mut self, instance: &str, function: &str) -> u64 {
        self.value::<f64>(instance, function).to_bits()
    }
}

/// The value of a future that never waits: nothing here waits, since calls are synchronous.
fn at_once<T>(future: impl Future<Output = T>) -> Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err(anyhow!("taking the snapshot waits for something")),
    }
}
