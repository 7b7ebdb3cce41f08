//! The filters that a policy's steps use, each read, verified and compiled once.

use crate::built_in;
use crate::hex;
use crate::policy::{
    Capability, Code, CompileLimits, FilterRef, Finding, Limits, PluginPlace, PluginSpec, Policy,
    Span, StepSpec,
};
use crate::sandbox::{LoadError, Plugin, Sandbox};
use std::collections::HashMap;

/// Plugins by where they come from and the limits that their code is made by: the stack limit is part of how
/// code is set up to run.
pub(super) struct Plugins<'a> {
    policy: &'a Policy,
    sandbox: &'a Sandbox,
    loaded: HashMap<(FilterRef, MadeBy), Option<Plugin>>,
    /// Whether to report grants that have no effect.
    thorough: bool,
    /// Whether plugins may be compiled.
    compiles: bool,
}

/// Limits that code is made by.
pub(super) type MadeBy = (u64, CompileLimits);

pub(super) fn made_by(limits: &Limits) -> MadeBy {
    (limits.stack_bytes, limits.compile)
}

impl<'a> Plugins<'a> {
    pub(super) fn new(policy: &'a Policy, sandbox: &'a Sandbox, thorough: bool) -> Plugins<'a> {
        Plugins {
            policy,
            sandbox,
            loaded: HashMap::new(),
            thorough,
            compiles: true,
        }
    }

    /// These plugins, none of which is compiled. It finds the mistakes that show without that.
    pub(super) fn without_compiling(self) -> Plugins<'a> {
        Plugins {
            compiles: false,
            ..self
        }
    }

    /// The plugin of a step. One that cannot be had leaves one finding, however many steps use it.
    pub(super) fn get(&mut self, spec: &StepSpec, findings: &mut Vec<Finding>) -> Option<Plugin> {
        let key = (spec.filter.clone(), made_by(&spec.limits));
        if let Some(known) = self.loaded.get(&key) {
            return known.clone();
        }
        let plugin = match &spec.filter {
            FilterRef::BuiltIn(name) => self.built_in(name, spec, findings),
            FilterRef::Plugin(index) => {
                self.declared(&self.policy.plugins[*index], &spec.limits, findings)
            }
        };
        self.loaded.insert(key, plugin.clone());
        plugin
    }

    /// Looks into a plugin that no step uses.
    pub(super) fn unused(&mut self, index: usize, findings: &mut Vec<Finding>) {
        let filter = FilterRef::Plugin(index);
        if !self.loaded.keys().any(|(used, _)| *used == filter) {
            let plugin = &self.policy.plugins[index];
            self.declared(plugin, &plugin.limits, findings);
        }
    }

    fn built_in(&self, name: &str, spec: &StepSpec, findings: &mut Vec<Finding>) -> Option<Plugin> {
        let Some(filter) = built_in::find(name) else {
            let message = format!("unknown built-in filter `{name}`");
            let finding = Finding::error(spec.span, message, "not found");
            findings.push(finding.code(Code::UnknownFilter));
            return None;
        };
        let loaded = self.sandbox.load_built_in(name, filter.wasm, &spec.limits);
        loaded
            .map_err(|error| {
                let message = format!("built-in filter `{name}`: {error}");
                let finding = Finding::error(spec.span, message, "used here");
                findings.push(finding.code(Code::PluginInvalid));
            })
            .ok()
    }

    fn declared(
        &self,
        spec: &PluginSpec,
        limits: &Limits,
        findings: &mut Vec<Finding>,
    ) -> Option<Plugin> {
        let wasm = read(self.policy, spec)
            .map_err(|finding| findings.push(finding))
            .ok()?;
        if !self.compiles {
            findings.push(match Sandbox::check_bounds(wasm, limits) {
                Ok(()) => not_compiled(spec),
                Err(error) => unusable(spec, &error),
            });
            return None;
        }
        let loaded = self.sandbox.load(&spec.name, wasm, spec.grants, limits);
        match loaded {
            Ok(plugin) => {
                if self.thorough {
                    findings.extend(grants_for_nothing(spec, &plugin));
                }
                Some(plugin)
            }
            Err(LoadError::NotGranted(first)) => {
                let missing = self.missing_grants(spec, first, wasm, limits);
                findings.push(not_granted(spec, &missing));
                None
            }
            Err(error) => {
                findings.push(unusable(spec, &error));
                None
            }
        }
    }

    /// Every grant that the plugin needs and does not have, of which one is known.
    fn missing_grants(
        &self,
        spec: &PluginSpec,
        first: Capability,
        wasm: &[u8],
        limits: &Limits,
    ) -> Vec<Capability> {
        let mut missing = vec![first];
        let mut grants = spec.grants;
        grants.grant(first);
        // Each grant can be missing once.
        while let Err(LoadError::NotGranted(next)) =
            self.sandbox.load(&spec.name, wasm, grants, limits)
        {
            missing.push(next);
            grants.grant(next);
        }
        missing
    }
}

#[expect(
    clippy::result_large_err,
    reason = "made at most once a plugin, at load"
)]
pub(super) fn read<'a>(policy: &Policy, spec: &'a PluginSpec) -> Result<&'a [u8], Finding> {
    let PluginSpec { name, place, .. } = spec;
    let file = spec.read().map_err(|error| unreadable(spec, error))?;
    if let (Some(expected), Some(span)) = (&spec.sha256, &spec.sha256_span)
        && file.sha256 != *expected
    {
        return Err(Finding::error(
            *span,
            format!("plugin `{name}` is not the approved file: {place}"),
            "its SHA-256 differs",
        )
        .help(format!(
            "if you intended the change, set `sha256 = \"{}\"`",
            hex::encode(&file.sha256)
        ))
        .code(Code::PluginHash));
    }
    if let Some(lock) = &policy.lock {
        lock.check(spec, &file.sha256, policy.source.path())?;
    }
    spec.check_signatures(file)?;
    Ok(&file.wasm)
}

/// A plugin whose bytes cannot be had.
pub fn unreadable(spec: &PluginSpec, error: &str) -> Finding {
    let PluginSpec { name, place, .. } = spec;
    let message = format!("plugin `{name}` cannot be read: {place}: {error}");
    let (label, help) = match place {
        PluginPlace::File(_) => (
            "this file",
            "a relative path starts at the folder of filters.toml".to_owned(),
        ),
        PluginPlace::Registry { reference, .. } => (
            "this artifact",
            format!(
                "`tamis plugin pull {reference}` fetches it, and Tamis then reads it from the cache"
            ),
        ),
    };
    Finding::error(spec.place_span, message, label)
        .help(help)
        .code(Code::PluginUnreadable)
}

fn unusable(spec: &PluginSpec, error: &LoadError) -> Finding {
    let name = &spec.name;
    let message = format!("plugin `{name}` cannot be used: {error}");
    let finding = Finding::error(spec.place_span, message, "this plugin");
    let finding = match error.remedy() {
        Some(remedy) => finding.help(remedy),
        None => finding,
    };
    finding.code(match error {
        LoadError::ContractVersion { .. } | LoadError::NotInContract { .. } => Code::PluginContract,
        LoadError::UnknownImport(_) => Code::PluginImport,
        _ => Code::PluginInvalid,
    })
}

/// A plugin that is not looked into, for it came with a project that its user has not trusted yet.
fn not_compiled(spec: &PluginSpec) -> Finding {
    let name = &spec.name;
    let message = format!(
        "plugin `{name}` was not compiled, because you do not trust this filters.toml. Unchecked: whether it is a filter, its grants, the settings of its steps, and the order of steps"
    );
    Finding::warning(spec.place_span, message, "this plugin")
        .help("`tamis check --compile` checks all of it, in a process with bounded memory and time")
        .code(Code::PluginNotCompiled)
}

/// The place of a plugin's grants, or the place to add them.
fn allow_span(spec: &PluginSpec) -> Span {
    spec.allow_span.unwrap_or(spec.span)
}

fn not_granted(spec: &PluginSpec, missing: &[Capability]) -> Finding {
    let name = &spec.name;
    let interfaces: Vec<String> = missing
        .iter()
        .map(|capability| format!("`tamis:filter/{}`", capability.name()))
        .collect();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    let message = format!(
        "plugin `{name}` cannot be used: it imports {}, which {verb} not granted",
        interfaces.join(", ")
    );
    let label = match spec.allow_span {
        Some(_) => "a grant is missing",
        None => "no `allow` here",
    };
    let granted =
        |capability: &Capability| spec.grants.has(*capability) || missing.contains(capability);
    let line = allow_line(Capability::ALL.into_iter().filter(granted));
    Finding::error(allow_span(spec), message, label)
        .help(format!("to grant it, set `{line}` in its `[[plugin]]`"))
        .code(Code::GrantMissing)
}

fn allow_line(grants: impl Iterator<Item = Capability>) -> String {
    let names: Vec<String> = grants
        .map(|capability| format!("\"{}\"", capability.name()))
        .collect();
    format!("allow = [{}]", names.join(", "))
}

/// Grants that a plugin neither imports nor says that it wants, and those that it wants in vain.
fn grants_for_nothing(spec: &PluginSpec, plugin: &Plugin) -> Vec<Finding> {
    let name = &spec.name;
    let uses = |capability: &Capability| plugin.imports().contains(capability);
    let wants = |capability: &Capability| plugin.description().wants.contains(capability);
    let quoted = |list: Vec<Capability>| {
        let names: Vec<String> = list
            .iter()
            .map(|capability| format!("`{}`", capability.name()))
            .collect();
        names.join(", ")
    };
    let all = || Capability::ALL.into_iter();
    let needless = |capability: &Capability| {
        spec.grants.has(*capability) && !uses(capability) && !wants(capability)
    };
    let lacking = |capability: &Capability| wants(capability) && !spec.grants.has(*capability);
    let mut findings = Vec::new();
    let unused: Vec<Capability> = all().filter(needless).collect();
    if !unused.is_empty() {
        let message = format!("plugin `{name}` has unused grants: {}", quoted(unused));
        let rest = allow_line(
            all().filter(|capability| spec.grants.has(*capability) && !needless(capability)),
        );
        let note = Finding::note(allow_span(spec), message, "the plugin does not import it");
        findings.push(note.help(format!("set `{rest}`")).code(Code::GrantUnused));
    }
    let missing: Vec<Capability> = all().filter(lacking).collect();
    if !missing.is_empty() {
        let message = format!(
            "plugin `{name}` wants the grant {}, but works without",
            quoted(missing)
        );
        let line = allow_line(
            all().filter(|capability| spec.grants.has(*capability) || lacking(capability)),
        );
        let note = Finding::note(allow_span(spec), message, "not in `allow`");
        let help = format!("to grant it, set `{line}` in its `[[plugin]]`");
        findings.push(note.help(help).code(Code::GrantMissing));
    }
    findings
}
