//! From a checked policy to chains that can run: plugins are read, verified, compiled and given
//! their settings. All that can go wrong is reported at once, at its place in filters.toml.

use super::breaker::Breaker;
use super::{Chain, Step};
use crate::built_in;
use crate::policy::{FilterRef, Finding, Limits, PluginSpec, Policy, Report, StepSpec, Surface};
use crate::sandbox::{LoadError, Plugin, Sandbox};
use anyhow::Result;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;

/// The chains of a policy, ready to run.
pub struct Chains {
    policy: Policy,
    /// In the order of the policy.
    chains: Vec<Arc<Chain>>,
    // Asked for every frame, and the same for good.
    may_cut: bool,
    hides: bool,
}

impl Chains {
    /// The chain of a piece of output: the first that fits. `name`: of the tool or prompt, or the
    /// URI of the resource.
    pub fn find(&self, surface: Surface, name: &str) -> Option<&Arc<Chain>> {
        let index = self.policy.chain_for(surface, name)?;
        Some(&self.chains[index])
    }

    /// What they were loaded from.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether a chain can cut content, and lets the model have it back.
    pub fn may_cut(&self) -> bool {
        self.may_cut
    }

    /// Whether a chain hides things.
    pub fn hides(&self) -> bool {
        self.hides
    }

    /// Whether there is no chain at all.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }
}

/// Plugins by where they come from and their stack limit, since that is part of how code is set
/// up to run.
type Plugins = HashMap<(FilterRef, u64), Result<Plugin, ()>>;

/// Loads every filter that a chain of the policy uses.
///
/// # Errors
///
/// A [`Report`] of all filters that do not load or refuse their settings.
pub fn load(policy: Policy, sandbox: &Sandbox) -> Result<Chains> {
    let mut plugins = Plugins::new();
    let mut findings = Vec::new();
    let mut chains = Vec::with_capacity(policy.chains.len());
    for chain in &policy.chains {
        let steps = chain
            .steps
            .iter()
            .filter_map(|spec| step(&policy, spec, sandbox, &mut plugins, &mut findings))
            .collect();
        chains.push(Arc::new(Chain {
            name: chain.name.clone(),
            structured: chain.structured,
            blocks: chain.blocks,
            guard: chain.guard,
            audience: chain.audience,
            steps,
        }));
    }
    if !findings.is_empty() {
        return Err(Report::new(policy.source, findings).into());
    }
    let is_readable = |chain: &Arc<Chain>| chain.may_cut() && !chain.hides();
    Ok(Chains {
        policy,
        may_cut: chains.iter().any(is_readable),
        hides: chains.iter().any(|chain| chain.hides()),
        chains,
    })
}

fn step(
    policy: &Policy,
    spec: &StepSpec,
    sandbox: &Sandbox,
    plugins: &mut Plugins,
    findings: &mut Vec<Finding>,
) -> Option<Step> {
    let plugin = plugins
        .entry((spec.filter.clone(), spec.limits.stack_bytes))
        .or_insert_with(|| {
            // One finding a plugin, however many steps use it.
            plugin(policy, spec, sandbox).map_err(|finding| findings.push(finding))
        })
        .as_ref()
        .ok()?;
    let settings = serde_json::to_string(&spec.settings).expect("TOML settings are JSON");
    match plugin.configure(&settings, &spec.limits) {
        Ok(filter) => Some(Step {
            filter,
            on_error: spec.on_error,
            shadow: spec.shadow,
            breaker: Breaker::default(),
        }),
        Err(error) => {
            findings.push(refused(policy, spec, &error));
            None
        }
    }
}

/// A complaint about settings, put under the setting that it names.
fn refused(policy: &Policy, spec: &StepSpec, error: &LoadError) -> Finding {
    let name = policy.filter_name(&spec.filter);
    let message = format!("filter `{name}`: {error}");
    let text = error.to_string();
    // Of several keys that it names, the first is the one that it complains of.
    let place = |key: &&String| text.find(&format!("`{key}`"));
    let named = spec
        .settings
        .keys()
        .filter(|key| place(key).is_some())
        .min_by_key(place);
    let (span, label) = match named.and_then(|key| spec.setting_spans.get(key)) {
        Some(span) => (span, "this setting"),
        None => (spec.span, "the settings of this step"),
    };
    Finding::error(span, message, label)
}

#[expect(
    clippy::result_large_err,
    reason = "made at most once a plugin, at load"
)]
fn plugin(policy: &Policy, spec: &StepSpec, sandbox: &Sandbox) -> Result<Plugin, Finding> {
    let limits = &spec.limits;
    match &spec.filter {
        FilterRef::BuiltIn(name) => {
            let Some(filter) = built_in::find(name) else {
                return Err(Finding::error(
                    spec.span,
                    format!("there is no built-in filter `{name}`"),
                    "not found",
                ));
            };
            sandbox
                .load_built_in(name, filter.wasm, limits)
                .map_err(|error| {
                    Finding::error(
                        spec.span,
                        format!("built-in filter `{name}`: {error}"),
                        "used here",
                    )
                })
        }
        FilterRef::Plugin(index) => {
            let plugin = &policy.plugins[*index];
            declared(plugin, limits, sandbox)
        }
    }
}

#[expect(
    clippy::result_large_err,
    reason = "made at most once a plugin, at load"
)]
fn declared(spec: &PluginSpec, limits: &Limits, sandbox: &Sandbox) -> Result<Plugin, Finding> {
    let PluginSpec { name, path, .. } = spec;
    let wasm = std::fs::read(path).map_err(|error| {
        Finding::error(
            spec.path_span,
            format!(
                "plugin `{name}` cannot be read: {}: {error}",
                path.display()
            ),
            "this file",
        )
        .help("a relative path starts at the folder of filters.toml")
    })?;
    if let (Some(expected), Some(span)) = (&spec.sha256, &spec.sha256_span) {
        let found: [u8; 32] = Sha256::digest(&wasm).into();
        if found != *expected {
            let digits: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
            return Err(Finding::error(
                *span,
                format!(
                    "plugin `{name}` is not the file that was approved: {}",
                    path.display()
                ),
                "its SHA-256 is another",
            )
            .help(format!(
                "if the change is meant, set `sha256 = \"{digits}\"`"
            )));
        }
    }
    sandbox
        .load(name, &wasm, spec.grants, limits)
        .map_err(|error| {
            Finding::error(
                spec.path_span,
                format!("plugin `{name}` cannot be used: {error}"),
                "this plugin",
            )
        })
}
