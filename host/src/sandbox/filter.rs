//! A filter: a plugin that has accepted its settings.

use super::bindings::exports::tamis::filter::filter as contract;
use super::bindings::tamis::filter::types::Fidelity;
use super::call_info::CallInfo;
use super::description::Description;
use super::error::CallError;
use super::instance::Applied;
use super::instances::Instances;
use super::loaded::Loaded;
use super::original::Originals;
use super::profile::{Profile, Sampler};
use super::spent::Spent;
use crate::document::{Document, TapeWanted, Triggers};
use crate::policy::Capability;
use std::sync::Arc;

/// Longest legend, in bytes: about a hundred tokens, which a model reads once a session.
const LEGEND_BYTES: usize = 500;

/// A plugin that has accepted its settings, ready to be called. Clones share their instances.
#[derive(Clone)]
pub struct Filter {
    instances: Arc<Instances>,
    triggers: Triggers,
    literals: Vec<String>,
    least_bytes: usize,
    fidelity: Fidelity,
    legend: Option<String>,
}

impl Filter {
    /// `least_bytes`: the filter has said that it changes no shorter text.
    pub(super) fn new(
        instances: Arc<Instances>,
        configured: contract::Configured,
        least_bytes: usize,
    ) -> Filter {
        Filter {
            instances,
            triggers: Triggers::new(configured.triggers.clone()),
            literals: configured.triggers,
            least_bytes,
            fidelity: configured.fidelity,
            legend: legend(&configured.legend),
        }
    }

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

    /// The text that a model needs in order to read the filter's output.
    pub fn legend(&self) -> Option<&str> {
        self.legend.as_deref()
    }

    /// The same filter, configured again in each call: its snapshot is measured and checked against this.
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

    /// Literals of which one must occur for the filter to be called; none: it is always called.
    pub fn triggers(&self) -> &[String] {
        &self.literals
    }

    /// The filter changes no document whose text has fewer bytes, so such a call can be left out.
    pub fn least_bytes(&self) -> usize {
        self.least_bytes
    }

    /// Whether any of the filter's triggers occurs; if not, the call can be left out.
    pub fn is_triggered(&self, document: &Document) -> bool {
        self.triggers.occur_in(document.text())
    }

    /// Runs the filter on a document, in a fresh instance. `next`: whether another filter will read the output.
    /// `originals`: where the whole result can be stored.
    ///
    /// # Errors
    ///
    /// The filter failed, or exceeded a limit.
    pub fn apply(
        &self,
        document: &Document,
        call: &CallInfo<'_>,
        originals: &Originals,
        next: TapeWanted,
    ) -> Result<Applied, CallError> {
        self.call(document, call, originals, next, None)
    }

    /// Runs the filter on documents one after the other in a single instance, which shows whether it keeps state. No
    /// other call does this. Ends at the first call that fails otherwise than in the filter's own words: an instance
    /// that trapped or reached a limit cannot be called again.
    pub fn apply_in_one_instance(
        &self,
        documents: &[&Document],
        call: &CallInfo<'_>,
        originals: &Originals,
    ) -> Vec<Result<Applied, CallError>> {
        let Some(first) = documents.first() else {
            return Vec::new();
        };
        let mut instance = match self.instances.make(first, originals, call.tool, None) {
            Ok(instance) => instance,
            Err(error) => return vec![Err(error)],
        };
        let mut answers = Vec::new();
        for document in documents {
            instance.go_on(&self.instances.plugin.room, document, originals);
            let answer = instance.apply(call, self.name(), TapeWanted::Yes);
            let is_usable = matches!(answer, Ok(_) | Err(CallError::Filter(_)));
            answers.push(answer);
            if !is_usable {
                break;
            }
        }
        answers
    }

    /// Measures where a call spends its time. The call is repeated until the samples suffice.
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
        if let Some(session) = call.session
            && self.instances.plugin.imports.contains(&Capability::Session)
        {
            session.load();
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

fn legend(legend: &str) -> Option<String> {
    let legend = legend.trim();
    let cut = &legend[..legend.floor_char_boundary(LEGEND_BYTES)];
    (!cut.is_empty()).then(|| cut.to_owned())
}
