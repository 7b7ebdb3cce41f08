//! One step of a chain: a filter's name, or a table with its settings.

use std::sync::Arc;

use toml::de::DeValue;

use super::chains::passes;
use super::code::Code;
use super::environment;
use super::filters::{self, Filters};
use super::keys;
use super::limits::Limits;
use super::names;
use super::raw::{self, Fields, Findings, Value};
use super::report::Finding;
use super::settings;
use super::{FilterRef, OnError, Origins, StepSpec};

/// Reads a step, and its own `shadow`.
pub(super) fn read(
    value: &Value<'_>,
    filters: &mut Filters<'_>,
    findings: &mut Findings<'_>,
) -> Option<(StepSpec, Option<bool>)> {
    let table = match value.get_ref() {
        DeValue::String(name) => {
            let span = value.span().into();
            let filter = filters.find(name, span, findings)?;
            let (limits, on_error) = filters.behaviour(&filter);
            let spec = StepSpec {
                filter,
                settings: Arc::default(),
                setting_spans: Arc::default(),
                limits,
                on_error,
                origins: Origins::default(),
                shadow: false,
                via: None,
                span,
            };
            return Some((spec, None));
        }
        DeValue::Table(table) => table,
        _ => {
            findings.wrong_type(value, "a step", "\"name\" or { filter = \"name\" }", None);
            return None;
        }
    };
    let fields = Fields::new(table, value.span().into(), "a step");
    let named = fields
        .require("filter", keys::STEP.example("filter"), findings)
        .and_then(|value| findings.string(value, "`filter`", "a filter's name"));
    let filter = named.and_then(|(name, span)| filters.find(name, span, findings));
    // The rest is read in any case: it has mistakes of its own.
    let (limits, on_error) = match &filter {
        Some(filter) => filters.behaviour(filter),
        None => (Limits::default(), OnError::Pass),
    };
    let redacts = matches!(
        (&filter, on_error),
        (Some(FilterRef::BuiltIn(_)), OnError::Block)
    );
    let (limits, on_error, origins) = filters::behaviour(fields, limits, on_error, findings);
    if let (true, OnError::Pass, Some(span), Some((name, _))) =
        (redacts, on_error, origins.on_error, named)
    {
        findings.push(passes(span, name));
    }
    let shadow = fields
        .get("shadow")
        .and_then(|value| findings.boolean(value, "`shadow`"));
    let own = keys::STEP.names();
    let entries: Vec<raw::Entry<'_>> = raw::entries(table)
        .into_iter()
        .filter(|entry| !own.contains(&entry.key))
        .inspect(|entry| warn_near_miss(entry, findings))
        .collect();
    let (settings, setting_spans) = settings::read(&entries, findings);
    let (_, span) = named?;
    if let Some(filter) = &filter {
        environment::check(filter, &settings, &setting_spans, span, findings);
    }
    let spec = StepSpec {
        filter: filter?,
        settings: Arc::new(settings),
        setting_spans: Arc::new(setting_spans),
        limits,
        on_error,
        origins,
        shadow: false,
        via: None,
        span,
    };
    Some((spec, shadow))
}

/// `on_error = "block"` would be a setting of the filter, and nothing would be blocked.
fn warn_near_miss(entry: &raw::Entry<'_>, findings: &mut Findings<'_>) {
    let letters = |text: &str| names::fold(text).replace('-', "");
    let own = keys::STEP.names().into_iter();
    let mut same = own.filter(|own| letters(own) == letters(entry.key));
    if let Some(own) = same.next() {
        let message = format!(
            "{} is passed to the filter as a setting",
            names::quote(entry.key)
        );
        let label = format!("did you mean `{own}`?");
        let warning = Finding::warning(entry.key_span, message, label);
        findings.push(warning.code(Code::SettingsNearMiss));
    }
}
