//! A loaded plugin, and a filter: a plugin with its settings.

use super::bindings::PluginPre;
use super::bindings::exports::tamis::filter::filter as contract;
use super::call::{Applied, CallState, Session, one_line};
use super::call_info::CallInfo;
use super::engine::Room;
use super::error::{CallError, LoadError};
use super::imports::{self, Imports};
use super::instances::Instances;
use super::kept_dir::Key;
use super::original::Originals;
use super::profile::{Profile, Sampler};
use super::spent::Spent;
use super::{Fidelity, Growth, snapshot};
use crate::document::{Document, TapeWanted, Triggers};
use crate::policy::{Capability, Limits};
use std::borrow::Cow;
use std::sync::{Arc, PoisonError};
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmtime::{Engine, Module};

/// The first eight bytes of a core module and of a component: magic, version, layer.
const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// What a plugin says of itself.
#[derive(Debug, Clone)]
pub struct Description {
    /// Lower case letters, digits and hyphens.
    pub name: String,
    pub version: String,
    /// One line.
    pub summary: String,
    /// A JSON Schema of the settings.
    pub settings: serde_json::Value,
    pub fidelity: Fidelity,
    /// The capabilities that it wants.
    pub wants: Vec<Capability>,
    pub idempotent: bool,
    pub growth: Growth,
    /// Whether what `configure` does is worth a snapshot.
    pub snapshot: bool,
}

/// A plugin that compiled, got its imports, and said what it is.
#[derive(Clone)]
pub struct Plugin(Arc<Loaded>);

pub(super) struct Loaded {
    pub name: String,
    pub room: Arc<Room>,
    pub pre: PluginPre<CallState>,
    pub needs_wasi: bool,
    pub imports: Vec<Capability>,
    pub description: Description,
    /// The component itself, if it is one to take snapshots of.
    wasm: Option<Vec<u8>>,
}

/// A plugin with settings that it has taken, ready to be called.
pub struct Filter {
    instances: Arc<Instances>,
    triggers: Triggers,
    literals: Vec<String>,
    fidelity: Fidelity,
    legend: Option<String>,
}

/// A snapshot takes compiling the plugin with its state readable, and then what came of it.
const COMPILED_FOR_A_SNAPSHOT: u32 = 2;
/// Longest legend, in bytes: about a hundred tokens, which a model reads once a session.
const LEGEND_BYTES: usize = 500;

/// The component that a plugin's file is, or that its core module makes.
///
/// # Errors
///
/// It is neither, or cannot be adapted.
pub fn component_of(wasm: &[u8]) -> Result<Cow<'_, [u8]>, LoadError> {
    to_component(&Engine::default(), wasm)
}

/// Whether a file begins as a plugin does.
pub(super) fn check_form(wasm: &[u8]) -> Result<(), LoadError> {
    if wasm.starts_with(COMPONENT) || wasm.starts_with(CORE_MODULE) {
        return Ok(());
    }
    let found = wasm[..wasm.len().min(8)].escape_ascii().to_string();
    Err(LoadError::NotWasm {
        found: format!("`{found}`"),
    })
}

/// A component as it is, or what a core module makes when adapted.
pub(super) fn to_component<'a>(
    engine: &Engine,
    wasm: &'a [u8],
) -> Result<Cow<'a, [u8]>, LoadError> {
    check_form(wasm)?;
    if wasm.starts_with(COMPONENT) {
        return Ok(Cow::Borrowed(wasm));
    }
    // The encoder takes it for granted that a module is valid, and panics if it is not.
    Module::validate(engine, wasm).map_err(|error| LoadError::Compile(error.into()))?;
    wit_component::ComponentEncoder::default()
        .validate(true)
        .module(wasm)
        .and_then(|encoder| {
            encoder.adapter(
                WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
                WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
            )
        })
        .and_then(|mut encoder| encoder.encode())
        .map(Cow::Owned)
        .map_err(LoadError::Adapt)
}

impl Plugin {
    pub(super) fn describe(
        name: &str,
        wasm: &[u8],
        room: Arc<Room>,
        pre: PluginPre<CallState>,
        imports: Imports,
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        let said = Session::begin(
            &room,
            &pre,
            imports.wasi,
            Document::text_only(""),
            &Originals::none(),
            limits,
        )
        .and_then(|mut session| {
            let said = session.describe();
            session.write_log(name, "");
            said
        })
        .map_err(LoadError::Describe)?;
        let description = description(said, &contract_of(&pre))?;
        Ok(Plugin(Arc::new(Loaded {
            name: name.to_owned(),
            wasm: description.snapshot.then(|| wasm.to_vec()),
            description,
            room,
            pre,
            needs_wasi: imports.wasi,
            imports: imports.capabilities,
        })))
    }

    /// What the plugin says of itself.
    pub fn description(&self) -> &Description {
        &self.0.description
    }

    /// The capabilities that it imports; what it wants, but does not use, is not among them.
    pub fn imports(&self) -> &[Capability] {
        &self.0.imports
    }

    /// Whether it imports any of WASI.
    pub fn needs_wasi(&self) -> bool {
        self.0.needs_wasi
    }

    /// The version of the filter contract that the plugin was built for.
    pub fn contract(&self) -> String {
        contract_of(&self.0.pre)
    }

    /// Gives the plugin its settings, a JSON object.
    ///
    /// # Errors
    ///
    /// It refuses them, or fails.
    pub fn configure(&self, settings: &str, limits: &Limits) -> Result<Filter, LoadError> {
        let Loaded {
            name,
            room,
            pre,
            needs_wasi,
            ..
        } = &*self.0;
        let configured = Session::begin(
            room,
            pre,
            *needs_wasi,
            Document::text_only(""),
            &Originals::none(),
            limits,
        )
        .and_then(|mut session| {
            let configured = session.configure(settings);
            session.write_log(name, "");
            configured
        })
        .map_err(LoadError::Configure)?
        .map_err(|error| LoadError::Settings(one_line(&error)))?;
        known("what its settings make of it", &configured.more, || {
            self.contract()
        })?;
        let later = room.later.as_ref().filter(|_| self.0.wasm.is_some());
        let snapshot = match later {
            None => self.0.after_configure(settings, limits),
            Some(_) => self.0.found_after_configure(settings, limits),
        };
        let is_taken = snapshot.is_some();
        let instances = Instances::new(self.0.clone(), settings, limits, snapshot);
        let instances = Arc::new(instances);
        if let Some(later) = later.filter(|_| !is_taken) {
            let mut later = later.lock().unwrap_or_else(PoisonError::into_inner);
            later.push(Arc::downgrade(&instances));
        }
        Ok(Filter {
            instances,
            triggers: Triggers::new(configured.triggers.clone()),
            literals: configured.triggers,
            fidelity: configured.fidelity,
            legend: legend(&configured.legend),
        })
    }
}

impl Loaded {
    /// The plugin as it is after `configure`, if it wants that kept and it can be; the caller has seen
    /// that it takes the settings.
    pub(super) fn after_configure(
        &self,
        settings: &str,
        limits: &Limits,
    ) -> Option<PluginPre<CallState>> {
        if let Some(known) = self.found_after_configure(settings, limits) {
            return Some(known);
        }
        let wasm = self.wasm.as_ref()?;
        let room = &*self.room;
        let plugin = &*self.name;
        let made_of = self.pre.instance_pre().component();
        let key = self.snapshot_key(wasm, settings, limits);
        let patience = limits.compile.time_for(wasm.len()) * COMPILED_FOR_A_SNAPSHOT;
        let turn = room
            .cache
            .as_ref()
            .map(|cache| cache.turns.take(&key, patience));
        if let Some(None) = turn
            && let Some(known) = self.found_after_configure(settings, limits)
        {
            // Another process took it meanwhile.
            return Some(known);
        }
        let taken = snapshot::take(room, wasm, settings, limits)
            .and_then(|taken| Ok((snapshot::load(room, &taken, made_of, limits)?, taken)));
        match taken {
            Ok((pre, taken)) => {
                let bytes = taken.len();
                tracing::debug!(plugin, bytes, "its snapshot after `configure` was taken");
                let kept = room
                    .cache
                    .as_ref()
                    .map(|cache| cache.snapshots.keep(&key, &taken));
                match (kept, turn.flatten()) {
                    (Some(Err(error)), _) => tracing::debug!(
                        plugin,
                        "the snapshot after `configure` is not kept: {error:#}"
                    ),
                    (_, Some(turn)) => turn.made(),
                    _ => {}
                }
                Some(pre)
            }
            Err(error) => {
                tracing::debug!(
                    plugin,
                    "no snapshot after `configure`, so each call runs it: {error:#}"
                );
                None
            }
        }
    }

    /// The same, if it lies in the cache.
    fn found_after_configure(
        &self,
        settings: &str,
        limits: &Limits,
    ) -> Option<PluginPre<CallState>> {
        let wasm = self.wasm.as_ref()?;
        let room = &*self.room;
        let key = self.snapshot_key(wasm, settings, limits);
        let known = room.cache.as_ref()?.snapshots.find(&key)?;
        let made_of = self.pre.instance_pre().component();
        let pre = snapshot::load(room, &known, made_of, limits).ok()?;
        let plugin = &*self.name;
        tracing::debug!(plugin, "its snapshot after `configure` was found");
        Some(pre)
    }

    fn snapshot_key(&self, wasm: &[u8], settings: &str, limits: &Limits) -> Key {
        let engine = self.room.engine.precompile_compatibility_hash();
        Key::new(&engine, wasm, settings, limits.memory_bytes)
    }
}

impl Filter {
    /// Name that the operator gave the plugin.
    pub fn name(&self) -> &str {
        &self.instances.plugin.name
    }

    pub fn description(&self) -> &Description {
        &self.instances.plugin.description
    }

    /// How much of a document survives with these settings.
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    /// What a model has to know to read what the filter writes.
    pub fn legend(&self) -> Option<&str> {
        self.legend.as_deref()
    }

    /// The same filter, configured anew in each call: what its snapshot is measured and checked
    /// against.
    #[must_use]
    pub fn without_snapshot(mut self) -> Filter {
        let Instances {
            plugin,
            settings,
            limits,
            ..
        } = &*self.instances;
        self.instances = Arc::new(Instances::new(Arc::clone(plugin), settings, limits, None));
        self
    }

    /// Literals of which one has to occur for the filter to be called; none: it always is.
    pub fn triggers(&self) -> &[String] {
        &self.literals
    }

    /// Whether any of the filter's triggers occurs; if not, the call can be left out.
    pub fn is_triggered(&self, document: &Document) -> bool {
        self.triggers.occur_in(document.text())
    }

    /// Runs the filter on a document, in a fresh instance. `next`: whether another filter will read
    /// what comes out. `originals`: where the result that it is part of can be kept.
    ///
    /// # Errors
    ///
    /// The filter failed, or broke a limit.
    pub fn apply(
        &self,
        document: &Document,
        call: &CallInfo<'_>,
        originals: &Originals,
        next: TapeWanted,
    ) -> Result<Applied, CallError> {
        self.call(document, call, originals, next, None)
    }

    /// Finds out where a call spends its time. It is repeated until there are enough samples.
    ///
    /// # Errors
    ///
    /// The profile cannot be made. (A call that fails is part of it.)
    pub fn profile(
        &self,
        document: &Document,
        call: &CallInfo<'_>,
        originals: &Originals,
    ) -> anyhow::Result<Profile> {
        let Instances {
            plugin, configured, ..
        } = &*self.instances;
        let Loaded {
            name, room, pre, ..
        } = &**plugin;
        let pre = configured.get().unwrap_or(pre).instance_pre();
        Profile::of(name, room, pre.component(), |sampler| {
            self.call(document, call, originals, TapeWanted::Yes, Some(sampler))
                .map(drop)
        })
    }

    fn call(
        &self,
        document: &Document,
        call: &CallInfo<'_>,
        originals: &Originals,
        next: TapeWanted,
        sampler: Option<&Sampler>,
    ) -> Result<Applied, CallError> {
        let len_bytes = document.text().len() as u64;
        let limit_bytes = self.instances.limits.input_bytes;
        if len_bytes > limit_bytes {
            return Err(CallError::InputTooLarge {
                len_bytes,
                limit_bytes,
            });
        }
        let mut session = match sampler {
            None => self.instances.take(document, originals, call.tool)?,
            Some(_) => self
                .instances
                .make(document, originals, call.tool, sampler)?,
        };
        let name = self.name();
        let applied = session.apply(call, name, next);
        session.write_log(name, call.tool);
        Spent::leave(session, &self.instances);
        applied
    }
}

fn legend(said: &str) -> Option<String> {
    let said = said.trim();
    let cut = &said[..said.floor_char_boundary(LEGEND_BYTES)];
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// The version of the contract that a plugin was built for.
fn contract_of(pre: &PluginPre<CallState>) -> String {
    let pre = pre.instance_pre();
    imports::contract_of(pre.engine(), pre.component()).unwrap_or_default()
}

/// Refuses members that later versions of the contract have given a record. This one has given none.
fn known(
    record: &str,
    more: &[(String, String)],
    contract: impl Fn() -> String,
) -> Result<(), LoadError> {
    match more.first() {
        None => Ok(()),
        Some((name, _)) => Err(LoadError::not_in_contract(
            format!("the member `{}` of {record}", one_line(name)),
            &contract(),
        )),
    }
}

/// `contract`: the version that the plugin was built for.
fn description(said: contract::Description, contract: &str) -> Result<Description, LoadError> {
    let name_is_fine = !said.name.is_empty()
        && said
            .name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !name_is_fine {
        return Err(LoadError::Name(said.name.escape_default().to_string()));
    }
    known("its description", &said.more, || contract.to_owned())?;
    let wants = said.wants.iter().map(|name| {
        Capability::named(name).ok_or_else(|| {
            let known = Capability::ALL.map(Capability::name).join(", ");
            let what = format!("the capability `{}` (known: {known})", one_line(name));
            LoadError::not_in_contract(what, contract)
        })
    });
    Ok(Description {
        wants: wants.collect::<Result<_, _>>()?,
        settings: serde_json::from_str(&said.settings).map_err(LoadError::Schema)?,
        name: said.name,
        version: said.version,
        summary: said.summary,
        fidelity: said.fidelity,
        idempotent: said.idempotent,
        growth: said.growth,
        snapshot: said.snapshot,
    })
}

#[cfg(test)]
mod tests {
    use super::{contract, description, known};
    use crate::policy::Capability;
    use crate::sandbox::{Fidelity, Growth, LoadError};

    fn said(wants: &[&str], more: &[(&str, &str)]) -> contract::Description {
        let owned = |text: &&str| (*text).to_owned();
        contract::Description {
            name: "newer".to_owned(),
            version: "1.0.0".to_owned(),
            summary: String::new(),
            settings: "{}".to_owned(),
            fidelity: Fidelity::Exact,
            wants: wants.iter().map(owned).collect(),
            idempotent: false,
            growth: Growth::None,
            snapshot: false,
            more: more
                .iter()
                .map(|(key, value)| (owned(key), owned(value)))
                .collect(),
        }
    }

    #[test]
    fn every_capability_is_known_by_its_name() {
        let names = Capability::ALL.map(Capability::name);
        let described = description(said(&names, &[]), "0.1.0").expect("all are known");
        assert_eq!(described.wants, Capability::ALL);
    }

    #[test]
    fn names_of_later_contracts_are_refused() {
        let wants = description(said(&["log", "clock"], &[]), "0.1.3");
        let member = description(said(&[], &[("keeps-order", "true")]), "0.1.3");
        let made = known(
            "what its settings make of it",
            &[("a\u{7}b".to_owned(), String::new())],
            || "0.1.3".to_owned(),
        );
        for (refused, named) in [
            (
                wants.err(),
                "the capability `clock` (known: log, tokens, result-meta, original, session)",
            ),
            (member.err(), "the member `keeps-order` of its description"),
            (
                made.err(),
                "the member `a b` of what its settings make of it",
            ),
        ] {
            match refused {
                Some(LoadError::NotInContract { what, plugin, .. }) => {
                    assert_eq!((what.as_str(), plugin.as_str()), (named, "0.1.3"));
                }
                other => panic!("{named}: {other:?}"),
            }
        }
    }
}
