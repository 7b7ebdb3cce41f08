//! From a checked policy to chains that can run: plugins are read, verified, compiled and given
//! their settings. All that can go wrong is reported at once, at its place in filters.toml.

use super::breaker::Breaker;
use super::plugins::{self, MadeBy, Plugins, made_by};
use super::settings::{self, Schema};
use super::{Chain, Pending, Step, advice};
use crate::built_in;
use crate::policy::{
    ChainSpec, Code, Draft, FilterRef, Finding, Limits, Piece, PluginPlace, Policy, Report,
    Severity, StepSpec,
};
use crate::sandbox::{Ahead, Filter, LoadError, Plugin, Sandbox};
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The chains of a policy, ready to run.
pub struct Chains {
    pub(super) policy: Policy,
    /// In the order of the policy.
    pub(super) chains: Vec<Arc<Chain>>,
    /// Probable mistakes in the policy, and facts worth knowing.
    findings: Vec<Finding>,
    // Asked for every frame, and the same for good.
    may_cut: bool,
    hides: bool,
    are_ready: bool,
}

impl Chains {
    /// The chain of a piece of output: the first that gets it, or may.
    pub fn find(&self, piece: &Piece<'_>) -> Option<&Arc<Chain>> {
        let index = self.policy.chain_for(piece)?;
        Some(&self.chains[index])
    }

    /// The chains that a piece of output may have, in order.
    pub fn all_for(&self, piece: &Piece<'_>) -> impl Iterator<Item = &Arc<Chain>> {
        self.policy
            .chains_for(piece)
            .map(|index| &self.chains[index])
    }

    /// The chain at an index of the policy's.
    pub fn get(&self, index: usize) -> Option<&Arc<Chain>> {
        self.chains.get(index)
    }

    /// The chain with this name.
    pub fn named(&self, name: &str) -> Option<(&ChainSpec, &Arc<Chain>)> {
        let mut chains = self.policy.chains.iter().zip(&self.chains);
        chains.find(|(spec, _)| spec.name == name)
    }

    /// The chains with their specifications, in the policy's order.
    pub fn iter(&self) -> impl Iterator<Item = (&ChainSpec, &Chain)> {
        let chains = self.chains.iter().map(Arc::as_ref);
        self.policy.chains.iter().zip(chains)
    }

    /// The policy that they were loaded from.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The same chains without pauses: the result of a document does not depend on others whose filters failed.
    /// Call it before anybody else holds one of the chains.
    #[must_use]
    pub fn without_pauses(mut self) -> Chains {
        for chain in self.chains.iter_mut().filter_map(Arc::get_mut) {
            chain.never_pause();
        }
        self
    }

    /// Probable mistakes in the policy, which can be used all the same.
    pub fn warnings(&self) -> Report {
        let is_warning = |finding: &&Finding| finding.severity == Severity::Warning;
        let warnings = self.findings.iter().filter(is_warning).cloned().collect();
        Report::new(self.policy.source.clone(), warnings)
    }

    /// Whether a chain can cut content, and lets the model have it back.
    pub fn may_cut(&self) -> bool {
        self.may_cut
    }

    /// Whether a chain hides things.
    pub fn hides(&self) -> bool {
        self.hides
    }

    /// Whether they can run: their filters are ready.
    pub fn are_ready(&self) -> bool {
        self.are_ready
    }

    /// Whether the policy has no chain at all.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }
}

/// Loads every filter that a chain of the policy uses.
///
/// # Errors
///
/// A [`Report`] of all filters that do not load or refuse their settings.
pub fn load(policy: Policy, sandbox: &Sandbox) -> Result<Chains> {
    sandbox.compiling().expect(in_use(&policy).len());
    compile_ahead(&policy, sandbox);
    let mut loading = Loading::new(&policy, sandbox, false);
    let chains: Vec<Chain> = policy
        .chains
        .iter()
        .map(|chain| made_of(chain, loading.steps(&chain.steps)))
        .collect();
    let mut findings = loading.findings;
    findings.extend(policy.warnings.iter().cloned());
    if findings.iter().any(|it| it.severity == Severity::Error) {
        return Err(Report::new(policy.source, without_echoes(findings)).into());
    }
    findings.extend(advice::findings(&policy, &chains));
    Ok(together(policy, chains, findings, true))
}

/// Whether a policy is loaded in an instant: every filter is part of Tamis, and was compiled with it. Mistakes
/// in it are then known before a server starts.
pub fn is_instant(policy: &Policy) -> bool {
    let steps = policy.chains.iter().flat_map(|chain| &chain.steps);
    let mut filters = steps.map(|spec| &spec.filter);
    filters.all(|filter| match filter {
        FilterRef::BuiltIn(name) => Sandbox::is_precompiled(name),
        FilterRef::Plugin(_) => false,
    })
}

/// Whether a plugin in use is not to be had, or is another than was approved: that takes no compiling to
/// find out. Registries are not asked.
pub fn lacks_plugins(policy: &Policy) -> bool {
    let in_use = in_use(policy);
    let mut plugins = in_use.iter().filter_map(|(filter, _)| match filter {
        FilterRef::Plugin(index) => Some(&policy.plugins[*index]),
        FilterRef::BuiltIn(_) => None,
    });
    plugins.any(|spec| {
        matches!(spec.place, PluginPlace::File(_)) && plugins::read(policy, spec).is_err()
    })
}

/// The chains of a policy while [`load`] makes their filters ready: what there is to know of them but for
/// their filters. They take the place of nothing: one that is run all the same panics.
pub fn while_loading(policy: Policy) -> Chains {
    let chains = policy.chains.iter().map(|spec| Chain {
        pending: Some(Pending {
            has_steps: !spec.steps.is_empty(),
            hides: spec.redacts(),
        }),
        ..made_of(spec, Vec::new())
    });
    let chains = chains.collect();
    together(policy, chains, Vec::new(), false)
}

fn made_of(spec: &ChainSpec, steps: Vec<Step>) -> Chain {
    Chain {
        name: spec.name.clone(),
        structured: spec.structured,
        blocks: spec.blocks,
        guard: spec.guard,
        audience: spec.audience,
        input_schema: spec.input_schema,
        pin_tools: spec.pin_tools,
        steps,
        pending: None,
    }
}

fn together(policy: Policy, chains: Vec<Chain>, findings: Vec<Finding>, are_ready: bool) -> Chains {
    let chains: Vec<Arc<Chain>> = chains.into_iter().map(Arc::new).collect();
    let bound = || {
        let chains = policy.chains.iter().zip(&chains);
        // No client sees the result of a chain without a surface.
        chains.filter_map(|(spec, chain)| (!spec.binding.on.is_empty()).then_some(chain))
    };
    Chains {
        may_cut: bound().any(|chain| chain.may_cut() && !chain.hides()),
        hides: bound().any(|chain| chain.hides()),
        policy,
        findings,
        chains,
        are_ready,
    }
}

/// The filters to compile, each once.
fn in_use(policy: &Policy) -> HashSet<(&FilterRef, MadeBy)> {
    let steps = policy.chains.iter().flat_map(|chain| &chain.steps);
    steps
        .map(|spec| (&spec.filter, made_by(&spec.limits)))
        .collect()
}

/// Has the built-in filters made ready at the same time.
fn compile_ahead(policy: &Policy, sandbox: &Sandbox) {
    let steps = policy.chains.iter().flat_map(|chain| &chain.steps);
    let built_in = steps.filter_map(|spec| match &spec.filter {
        FilterRef::BuiltIn(name) => Some(Ahead {
            name,
            wasm: built_in::find(name)?.wasm,
            stack_bytes: spec.limits.stack_bytes,
        }),
        FilterRef::Plugin(_) => None,
    });
    let mut filters: Vec<Ahead<'_>> = built_in.collect();
    // The largest first: nobody waits for one that was begun last.
    filters.sort_by_key(|it| (Reverse(it.wasm.len_bytes()), it.name, it.stack_bytes));
    filters.dedup_by_key(|it| (it.name, it.stack_bytes));
    sandbox.compile_ahead(&filters);
}

/// All findings about a policy, whether it can run or not: those of [`load`], those about unused parts (plugins
/// that no chain uses, settings against a filter's own schema), and those about the sound parts of a broken
/// file.
pub fn examine(draft: &Draft, sandbox: &Sandbox) -> Report {
    let policy = draft.policy();
    let in_use = in_use(policy);
    let is_in_use = |index: &usize| {
        let plugin = FilterRef::Plugin(*index);
        in_use.iter().any(|(filter, _)| **filter == plugin)
    };
    let unused = (0..policy.plugins.len()).filter(|index| !is_in_use(index));
    sandbox.compiling().expect(in_use.len() + unused.count());
    let mut loading = Loading::new(policy, sandbox, true);
    if !draft.may_compile() {
        loading.plugins = loading.plugins.without_compiling();
    }
    let is_sound = |step: &&StepSpec| match step.filter {
        FilterRef::BuiltIn(_) => true,
        FilterRef::Plugin(index) => draft.is_sound(index),
    };
    let chains: Vec<Chain> = policy
        .chains
        .iter()
        .map(|chain| {
            let steps: Vec<StepSpec> = chain.steps.iter().filter(is_sound).cloned().collect();
            made_of(chain, loading.steps(&steps))
        })
        .collect();
    for index in 0..policy.plugins.len() {
        if draft.is_sound(index) {
            let mut found = Vec::new();
            loading.plugins.unused(index, &mut found);
            // An unused part does not stop the policy from being served.
            for finding in &mut found {
                finding.severity = finding.severity.max(Severity::Warning);
            }
            loading.findings.append(&mut found);
        }
    }
    let mut findings = loading.findings;
    findings.extend_from_slice(draft.findings());
    let lacks_a_step =
        |it: &Finding| it.severity == Severity::Error || it.code == Code::PluginNotCompiled;
    if !findings.iter().any(lacks_a_step) {
        // The order of steps cannot be judged in chains that lack a step.
        findings.extend(advice::findings(policy, &chains));
    }
    Report::new(policy.source.clone(), without_echoes(findings))
}

/// A key that the filter does not have needs no warning that the filter gets it.
fn without_echoes(mut findings: Vec<Finding>) -> Vec<Finding> {
    let is_unknown = |it: &&Finding| it.code == Code::SettingsUnknownKey;
    let unknown: HashSet<_> = findings
        .iter()
        .filter(is_unknown)
        .map(|it| it.span)
        .collect();
    findings.retain(|it| it.code != Code::SettingsNearMiss || !unknown.contains(&it.span));
    findings
}

struct Loading<'a> {
    plugins: Plugins<'a>,
    findings: Vec<Finding>,
    policy: &'a Policy,
    /// Of the filters whose settings were looked into; an error says why that cannot be.
    schemas: HashMap<FilterRef, Result<Schema, String>>,
    /// The filters that took their settings, by these and the limits of a call: several chains may have the same step.
    configured: HashMap<(FilterRef, String), Vec<(Limits, Filter)>>,
    /// Whether settings are held against the schema where the filter takes them, too.
    thorough: bool,
}

impl<'a> Loading<'a> {
    fn new(policy: &'a Policy, sandbox: &'a Sandbox, thorough: bool) -> Loading<'a> {
        Loading {
            plugins: Plugins::new(policy, sandbox, thorough),
            findings: policy
                .lock
                .as_ref()
                .map_or_else(Vec::new, |lock| lock.check_included(&policy.source)),
            policy,
            schemas: HashMap::new(),
            configured: HashMap::new(),
            thorough,
        }
    }

    /// The steps that could be loaded.
    fn steps(&mut self, specs: &[StepSpec]) -> Vec<Step> {
        specs.iter().filter_map(|spec| self.step(spec)).collect()
    }

    fn step(&mut self, spec: &StepSpec) -> Option<Step> {
        let plugin = self.plugins.get(spec, &mut self.findings)?;
        let settings = spec.settings_with(|name| std::env::var(name).ok());
        let settings = settings
            .map_err(|missing| self.findings.extend(missing))
            .ok()?;
        let settings = serde_json::to_string(&settings).expect("TOML settings are JSON");
        match self.configure(&plugin, spec, settings) {
            Ok(filter) => {
                if self.thorough {
                    let mut found = self.against_schema(&plugin, spec, Severity::Warning);
                    self.findings.append(&mut found);
                }
                Some(Step {
                    filter,
                    on_error: spec.on_error,
                    shadow: spec.shadow,
                    // Large documents of one server must not withhold what others send.
                    breaker: match spec.redacts() {
                        true => Breaker::never(),
                        false => Breaker::default(),
                    },
                    told: AtomicBool::new(false),
                })
            }
            Err(error) => {
                let mut found = match &error {
                    LoadError::Settings(_) => self.against_schema(&plugin, spec, Severity::Error),
                    _ => Vec::new(),
                };
                if !found.iter().any(|it| it.severity == Severity::Error) {
                    found.push(match spec.variables().is_empty() {
                        true => refused(self.policy, spec, &error),
                        // The filter's message may cite a value.
                        false => refused_in_silence(self.policy, spec),
                    });
                }
                self.findings.append(&mut found);
                None
            }
        }
    }

    /// Gives the plugin its settings, unless it has them already.
    fn configure(
        &mut self,
        plugin: &Plugin,
        spec: &StepSpec,
        settings: String,
    ) -> Result<Filter, LoadError> {
        let known = self.configured.entry((spec.filter.clone(), settings));
        let settings = known.key().1.clone();
        let known = known.or_default();
        if let Some((_, filter)) = known.iter().find(|(limits, _)| *limits == spec.limits) {
            return Ok(filter.clone());
        }
        let filter = match spec.variables().is_empty() {
            true => plugin.configure(&settings, &spec.limits)?,
            // A snapshot is a file, and values of variables are for memory alone.
            false => plugin.configure_in_memory(&settings, &spec.limits)?,
        };
        known.push((spec.limits, filter.clone()));
        Ok(filter)
    }

    fn against_schema(&mut self, plugin: &Plugin, spec: &StepSpec, as_: Severity) -> Vec<Finding> {
        let name = self.policy.filter_name(&spec.filter);
        if spec.settings.is_empty() && as_ != Severity::Error {
            return Vec::new();
        }
        let is_built_in = matches!(spec.filter, FilterRef::BuiltIn(_));
        let schema = self
            .schemas
            .entry(spec.filter.clone())
            .or_insert_with(|| Schema::new(&plugin.description().settings, is_built_in));
        match schema {
            // Of values, the schema would see the names of variables.
            Ok(schema) if !spec.variables().is_empty() => {
                let of_keys = [Code::SettingsUnknownKey, Code::SettingsMissingKey];
                let mut found = schema.findings(spec, name, as_);
                found.retain(|it| of_keys.contains(&it.code));
                found
            }
            Ok(schema) => schema.findings(spec, name, as_),
            Err(error) => vec![settings::not_checked(spec, name, error)],
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
    let finding = Finding::error(span, message, label).code(Code::SettingsRefused);
    match error.remedy() {
        Some(remedy) => finding.help(remedy),
        None => finding,
    }
}

/// A filter that refuses settings of which some are values of environment variables: what it says is not repeated.
fn refused_in_silence(policy: &Policy, spec: &StepSpec) -> Finding {
    let name = policy.filter_name(&spec.filter);
    let message = format!("filter `{name}` refuses its settings");
    let variables = spec.variables().join(", ");
    let label = format!("some are from the environment: {variables}");
    let help = "Tamis does not repeat what the filter says, since that may contain a value; write a value here to see it";
    let finding = Finding::error(spec.span, message, label).help(help);
    finding.code(Code::SettingsRefused)
}
