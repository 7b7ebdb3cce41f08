//! A plugin: how Tamis asks for its description, and gives it its settings.

use super::bindings::PluginPre;
use super::bindings::exports::tamis::filter::filter as contract;
use super::call_state::CallState;
use super::description::{Description, description, least_bytes};
use super::error::{LoadError, one_line};
use super::filter::Filter;
use super::imports::{self, Imports};
use super::instance::Instance;
use super::instances::Instances;
use super::loaded::Loaded;
use super::original::Originals;
use super::room::{Room, TakesSnapshot};
use crate::document::Document;
use crate::lock::lock;
use crate::policy::{Capability, Limits};
use std::sync::{Arc, Weak};

/// A plugin that compiled, got its imports, and described itself.
#[derive(Clone)]
pub struct Plugin(Arc<Loaded>);

impl Plugin {
    pub(super) fn describe(
        name: &str,
        wasm: impl FnOnce() -> Vec<u8>,
        room: Arc<Room>,
        pre: PluginPre<CallState>,
        imports: Imports,
        limits: &Limits,
    ) -> Result<Plugin, LoadError> {
        let described = Instance::begin(
            &room,
            &pre,
            Document::text_only(""),
            &Originals::none(),
            limits,
        )
        .and_then(|mut session| {
            let described = session.describe();
            session.write_log(name, "");
            described
        })
        .map_err(LoadError::Describe)?;
        let description = description(described, &contract_of(&pre))?;
        Ok(Plugin(Arc::new(Loaded {
            name: name.to_owned(),
            wasm: description.snapshot.then(wasm),
            description,
            room,
            pre,
            needs_wasi: imports.wasi,
            imports: imports.capabilities,
        })))
    }

    /// The plugin's description of itself.
    pub fn description(&self) -> &Description {
        &self.0.description
    }

    /// The capabilities that the plugin imports. Capabilities that it requests but does not import are not
    /// included.
    pub fn imports(&self) -> &[Capability] {
        &self.0.imports
    }

    /// Whether the plugin imports any of WASI.
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
    /// The plugin refuses them, or fails.
    pub fn configure(&self, settings: &str, limits: &Limits) -> Result<Filter, LoadError> {
        let (configured, least_bytes) = self.accept(settings, limits)?;
        let room = &self.0.room;
        let later = room.later.as_ref().filter(|_| self.0.wasm.is_some());
        let snapshot = match later {
            None => self.0.after_configure(settings, limits),
            Some(_) => self.0.found_after_configure(settings, limits),
        };
        let is_taken = snapshot.is_some();
        let instances = Instances::new(self.0.clone(), settings, limits, snapshot);
        let instances = Arc::new(instances);
        if let Some(later) = later.filter(|_| !is_taken) {
            let mut later = lock(later);
            let waiting: Weak<dyn TakesSnapshot> = Arc::downgrade(&instances) as _;
            later.push(waiting);
        }
        Ok(Filter::new(instances, configured, least_bytes))
    }

    /// Configures the plugin with settings that no file may have, so no snapshot is taken: each call runs
    /// `configure`.
    ///
    /// # Errors
    ///
    /// As [`Plugin::configure`].
    pub fn configure_in_memory(
        &self,
        settings: &str,
        limits: &Limits,
    ) -> Result<Filter, LoadError> {
        let (configured, least_bytes) = self.accept(settings, limits)?;
        let instances = Instances::new(self.0.clone(), settings, limits, None);
        Ok(Filter::new(Arc::new(instances), configured, least_bytes))
    }

    /// Asks the plugin whether it takes the settings. Returns its answer, and the bytes of the shortest text that it then
    /// changes.
    fn accept(
        &self,
        settings: &str,
        limits: &Limits,
    ) -> Result<(contract::Configured, usize), LoadError> {
        let Loaded {
            name, room, pre, ..
        } = &*self.0;
        let configured = Instance::begin(
            room,
            pre,
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
        let least_bytes = least_bytes(&configured.more, || self.contract())?;
        Ok((configured, least_bytes))
    }
}

/// The version of the contract that a plugin was built for.
fn contract_of(pre: &PluginPre<CallState>) -> String {
    let pre = pre.instance_pre();
    imports::contract_of(pre.engine(), pre.component()).unwrap_or_default()
}
