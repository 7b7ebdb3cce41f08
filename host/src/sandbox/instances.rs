//! Fresh instances of a filter. One is made ahead if time permits.

use super::bindings::PluginPre;
use super::call_state::CallState;
use super::error::CallError;
use super::instance::Instance;
use super::loaded::Loaded;
use super::original::Originals;
use super::profile::Sampler;
use super::room::TakesSnapshot;
use crate::document::Document;
use crate::lock::lock;
use crate::policy::Limits;
use std::sync::{Arc, Mutex, OnceLock};

/// The template for instances of a filter, and the instance that was made ahead.
pub(super) struct Instances {
    pub(super) plugin: Arc<Loaded>,
    pub(super) settings: String,
    pub(super) limits: Limits,
    /// The template for instances that need no `configure`, once such a snapshot exists.
    pub(super) configured: OnceLock<PluginPre<CallState>>,
    ahead: Mutex<Option<Instance>>,
}

impl Instances {
    pub(super) fn new(
        plugin: Arc<Loaded>,
        settings: &str,
        limits: &Limits,
        configured: Option<PluginPre<CallState>>,
    ) -> Instances {
        Instances {
            plugin,
            settings: settings.to_owned(),
            limits: *limits,
            configured: configured.map_or_else(OnceLock::new, OnceLock::from),
            ahead: Mutex::default(),
        }
    }

    /// An instance that has its settings, and no document yet.
    pub(super) fn take(
        &self,
        document: &Document,
        originals: &Originals,
        tool: &str,
    ) -> Result<Instance, CallError> {
        match self.ahead().take() {
            Some(mut session) => {
                session.go_on(&self.plugin.room, document, originals);
                Ok(session)
            }
            None => self.make(document, originals, tool, None),
        }
    }

    /// Makes an instance.
    pub(super) fn make(
        &self,
        document: &Document,
        originals: &Originals,
        tool: &str,
        sampler: Option<&Sampler>,
    ) -> Result<Instance, CallError> {
        let Loaded {
            name, room, pre, ..
        } = &*self.plugin;
        let configured = self.configured.get();
        let pre = configured.unwrap_or(pre);
        let document = document.clone();
        let mut session = Instance::begin(room, pre, document, originals, &self.limits)?;
        if let Some(sampler) = sampler {
            session.sampled_by(room, sampler);
        }
        if configured.is_none() {
            let taken = session.configure(&self.settings);
            let taken = taken.and_then(|taken| taken.map_err(|error| session.refusal(&error)));
            if let Err(error) = taken {
                session.write_log(name, tool);
                return Err(error);
            }
        }
        Ok(session)
    }

    /// Makes an instance for the next call. Not for a plugin that may look at clocks, files or random numbers:
    /// it would see other values before its call than in it. The next call makes its own instance if this fails,
    /// and reports the error.
    pub(super) fn make_ahead(&self) {
        let room = &self.plugin.room;
        if self.plugin.needs_wasi || room.counts_fuel || self.ahead().is_some() {
            return;
        }
        let nothing = Document::text_only("");
        let Ok(mut session) = self.make(&nothing, &Originals::none(), "", None) else {
            return;
        };
        session.rest();
        if !session.is_in_the_way() {
            *self.ahead() = Some(session);
        }
    }

    fn ahead(&self) -> std::sync::MutexGuard<'_, Option<Instance>> {
        lock(&self.ahead)
    }
}

impl TakesSnapshot for Instances {
    fn take_snapshot(&self) {
        if let Some(snapshot) = self.plugin.after_configure(&self.settings, &self.limits) {
            // One that is there already is the same.
            let _ = self.configured.set(snapshot);
        }
    }
}
