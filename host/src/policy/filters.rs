//! The filters that a step can name: the built-in ones and the file's `[[plugin]]` tables.

use crate::hex;
use std::collections::HashMap;

use super::code::Code;
use super::contents::Together;
use super::limits::{self, Limits};
use super::names;
use super::raw::{Fields, Findings, Value};
use super::report::Finding;
use super::resolve::File;
use super::source::{Source, Span};
use super::{
    Contents, FilterRef, OnError, Origins, PluginPlace, PluginSpec, SignedBy, grants, keys,
    signed_by,
};
use crate::built_in::{self, Role};
use crate::registry::Reference;
use crate::shell;

pub(super) struct Filters<'b> {
    builtin: &'b [&'b str],
    declared: Vec<Declared>,
    /// Index into `declared`. It also contains invalid names, so that a step is not blamed for the mistake of a
    /// plugin.
    by_name: HashMap<String, usize>,
    /// Names of lists of steps, for messages.
    lists: Vec<String>,
    together: Together,
    /// The lists of keys that apply to all plugins.
    signed_by: Vec<SignedBy>,
}

/// A plugin, possibly with mistakes. A policy is made only from a file in which all plugins are correct.
struct Declared {
    spec: PluginSpec,
    name_span: Span,
    used: bool,
    /// Its table has no mistakes.
    sound: bool,
}

impl<'b> Filters<'b> {
    pub(super) fn new(builtin: &'b [&'b str]) -> Filters<'b> {
        Filters {
            builtin,
            declared: Vec::new(),
            by_name: HashMap::new(),
            lists: Vec::new(),
            together: Together::default(),
            signed_by: Vec::new(),
        }
    }

    /// Whether the table of each plugin has no mistakes.
    pub(super) fn sound(&self) -> Vec<bool> {
        self.declared.iter().map(|plugin| plugin.sound).collect()
    }

    pub(super) fn into_specs(self) -> Vec<PluginSpec> {
        self.declared
            .into_iter()
            .map(|plugin| plugin.spec)
            .collect()
    }

    /// Reads `signed-by` of a file: it applies to all plugins of the policy, those of other files too.
    pub(super) fn require_signatures(
        &mut self,
        file: &File<'_>,
        value: &Value<'_>,
        findings: &mut Findings<'_>,
    ) {
        self.signed_by
            .extend(signed_by::read(file.source, value, findings));
    }

    /// Reads one `[[plugin]]`. Every [`Filters::require_signatures`] comes before.
    pub(super) fn declare(
        &mut self,
        file: &File<'_>,
        fields: Fields<'_>,
        findings: &mut Findings<'_>,
    ) {
        let source = file.source;
        let errors = findings.errors();
        fields.deny_unknown(&keys::PLUGIN.names(), findings);
        let name = fields
            .require("name", keys::PLUGIN.example("name"), findings)
            .and_then(|value| findings.string(value, "`name`", "a name"));
        let place = place(source, fields, findings);
        let sha256 = fields.get("sha256");
        let allow = fields.get("allow");
        let own_keys = fields
            .get("signed-by")
            .and_then(|value| signed_by::read(source, value, findings));
        let signed_by = own_keys.into_iter().chain(self.signed_by.iter().cloned());
        let signed_by = signed_by.collect();
        let (limits, on_error, origins) =
            behaviour(fields, Limits::default(), OnError::Pass, findings);
        if let Some((name, span)) = name {
            self.check_name(name, span, findings);
            let index = self.declared.len();
            self.by_name.entry(name.to_owned()).or_insert(index);
        }
        let (name, name_span) = name.unwrap_or(("", fields.span));
        let (place, place_span) =
            place.unwrap_or_else(|| (PluginPlace::File(source.resolve("")), fields.span));
        self.declared.push(Declared {
            spec: PluginSpec {
                name: name.to_owned(),
                place,
                contents: Contents::of(&self.together),
                sha256: sha256.and_then(|value| read_hash(value, findings)),
                signed_by,
                allow_span: allow.map(|value| value.span().into()),
                grants: allow.map_or_else(Default::default, |value| grants::read(value, findings)),
                limits,
                on_error,
                origins,
                span: fields.span,
                place_span,
                sha256_span: sha256.map(|value| value.span().into()),
            },
            name_span,
            // It is there for other files, so it is no mistake that no chain uses it.
            used: file.is_included(),
            sound: false,
        });
        let sound = findings.errors() == errors;
        if let Some(plugin) = self.declared.last_mut() {
            plugin.sound = sound;
        }
    }

    fn check_name(&self, name: &str, span: Span, findings: &mut Findings<'_>) {
        let quoted = names::quote(name);
        if self.builtin.contains(&name) {
            let message = format!("{quoted} is the name of a built-in filter");
            let help = "rename the plugin: a chain could not distinguish the two";
            let finding = Finding::error(span, message, "taken").help(help);
            findings.push(finding.code(Code::DuplicateName));
        } else if let Some(first) = self.by_name.get(name) {
            let message = format!("two plugins have the name {quoted}");
            let finding = Finding::error(span, message, "again").code(Code::DuplicateName);
            findings.push(finding.also(self.declared[*first].name_span, "first here"));
        } else if !names::is_plugin_name(name) {
            let label = "allowed: lower case letters, digits and hyphens, at most 64";
            let finding = Finding::error(span, format!("{quoted} is not a plugin's name"), label);
            let folded = names::fold(name);
            findings.push(match names::is_plugin_name(&folded) {
                true => finding.help(format!("for example: name = \"{folded}\"")),
                false => finding,
            });
        }
    }

    /// The kind of the filter with this name, for messages.
    pub(super) fn kind_of(&self, name: &str) -> Option<&'static str> {
        if self.builtin.contains(&name) {
            return Some("a built-in filter");
        }
        self.by_name.contains_key(name).then_some("a plugin")
    }

    /// Adds a name of a list: steps can use it like a filter's.
    pub(super) fn know_list(&mut self, name: &str) {
        self.lists.push(name.to_owned());
    }

    /// The filter of that name. From now on it counts as used.
    pub(super) fn find(
        &mut self,
        name: &str,
        span: Span,
        findings: &mut Findings<'_>,
    ) -> Option<FilterRef> {
        if let Some(index) = self.by_name.get(name) {
            self.declared[*index].used = true;
            return Some(FilterRef::Plugin(*index));
        }
        if self.builtin.contains(&name) {
            return Some(FilterRef::BuiltIn(name.to_owned()));
        }
        let plugins = self.declared.iter().enumerate();
        let known: Vec<&str> = plugins
            .map(|(index, plugin)| (index, plugin.spec.name.as_str()))
            .filter(|(index, name)| self.by_name.get(*name) == Some(index))
            .map(|(_, name)| name)
            .chain(self.lists.iter().map(String::as_str))
            .chain(self.builtin.iter().copied())
            .collect();
        let message = format!("unknown filter {}", names::quote(name));
        findings.unknown(span, message, name, &known, Code::UnknownFilter);
        None
    }

    /// The name of a step's filter.
    pub(super) fn name<'f>(&'f self, filter: &'f FilterRef) -> &'f str {
        match filter {
            FilterRef::BuiltIn(name) => name,
            FilterRef::Plugin(index) => &self.declared[*index].spec.name,
        }
    }

    /// The behaviour of a step of this filter without keys of its own.
    pub(super) fn behaviour(&self, filter: &FilterRef) -> (Limits, OnError) {
        match filter {
            FilterRef::BuiltIn(name) => {
                let on_error =
                    match built_in::find(name).is_some_and(|filter| filter.has(Role::Redacts)) {
                        true => OnError::Block,
                        false => OnError::Pass,
                    };
                (Limits::default(), on_error)
            }
            FilterRef::Plugin(index) => {
                let spec = &self.declared[*index].spec;
                (spec.limits, spec.on_error)
            }
        }
    }

    pub(super) fn warn_unused(&self, findings: &mut Findings<'_>) {
        for plugin in self.declared.iter().filter(|plugin| !plugin.used) {
            let message = format!("plugin `{}` is never used", plugin.spec.name);
            let label = "no chain uses it";
            let warning = Finding::warning(plugin.name_span, message, label);
            findings.push(warning.code(Code::PluginUnused));
        }
    }
}

/// Reads `path` or `oci`.
fn place(
    source: &Source,
    fields: Fields<'_>,
    findings: &mut Findings<'_>,
) -> Option<(PluginPlace, Span)> {
    let value = match (fields.get("path"), fields.get("oci")) {
        (None, Some(value)) => {
            let (text, span) = findings.string(value, "`oci`", "a reference")?;
            return Some((artifact(text, span, findings)?, span));
        }
        (Some(path), Some(artifact)) => {
            let message = "a plugin takes either `path` or `oci`, not both";
            let label = "`path` is set too";
            let finding = Finding::error(Span::from(artifact.span()), message, label);
            findings.push(finding.also(Span::from(path.span()), "here"));
            return None;
        }
        (Some(path), None) => path,
        (None, None) => fields.require("path", keys::PLUGIN.example("path"), findings)?,
    };
    let (path, span) = findings.string(value, "`path`", "a path")?;
    check_path(path, span, findings);
    Some((PluginPlace::File(source.resolve(path)), span))
}

/// The artifact of a reference. The reference must have a digest: a tag can name another plugin tomorrow.
fn artifact(text: &str, span: Span, findings: &mut Findings<'_>) -> Option<PluginPlace> {
    let label = "allowed: registry.example/team/house-style@sha256:…";
    let reference = Reference::parse(text).map_err(|error| {
        let message = format!("`oci` cannot be read: {error}");
        findings.push(Finding::error(span, message, label));
    });
    let reference = reference.ok()?;
    let pinned = reference.pinned();
    if pinned.is_none() {
        let message = "`oci` has no digest, so the plugin could change";
        let help = format!(
            "`tamis plugin pull {}` prints the line with the current digest",
            shell::word(text)
        );
        findings.push(Finding::error(span, message, label).help(help));
    }
    Some(PluginPlace::Registry {
        reference: pinned?,
        may_fetch: true,
    })
}

fn check_path(path: &str, span: Span, findings: &mut Findings<'_>) {
    let label = "allowed: the path of a .wasm file";
    if path.is_empty() {
        let finding = Finding::error(span, "`path` is empty", label);
        findings.push(finding.code(Code::Empty));
    } else if path.chars().any(char::is_control) {
        // Most likely "C:\new.wasm", in which TOML has read a line break.
        let message = format!("`path` has a control character: {}", names::quote(path));
        let help = "in double quotes `\\` starts an escape: put the path in single quotes";
        findings.push(Finding::error(span, message, label).help(help));
    }
}

/// Reads `limits` and `on-error` of a plugin or a step; they override the values that hold without them.
pub(super) fn behaviour(
    fields: Fields<'_>,
    limits: Limits,
    on_error: OnError,
    findings: &mut Findings<'_>,
) -> (Limits, OnError, Origins) {
    let mut origins = Origins::default();
    let limits = match fields.get("limits") {
        Some(value) => limits::read(value, limits, &mut origins, findings),
        None => limits,
    };
    let own = fields.get("on-error").and_then(|value| {
        origins.on_error = Some(value.span().into());
        findings.choice(value, "on-error", "pass or block", &OnError::ALL)
    });
    (limits, own.unwrap_or(on_error), origins)
}

pub(super) fn read_hash(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<[u8; 32]> {
    let expected = "64 hexadecimal digits";
    let (text, span) = findings.string(value, "`sha256`", expected)?;
    let hash = hex::decode_sha256(text);
    if hash.is_none() {
        let found = match text.chars().find(|c| !c.is_ascii_hexdigit()) {
            Some(other) => names::quote(&other.to_string()),
            None => format!("{} digits", text.len()),
        };
        let label = format!("found {found}, allowed: {expected}");
        findings.push(Finding::error(span, "`sha256` is not a hash", label));
    }
    hash
}
