//! The steps of a chain: the values in force for each, and their places.

use super::account::{place, spelled};
use crate::chain::Chain;
use crate::policy::{
    Capability, ChainSpec, FilterRef, Grants, LIMITS, OnError, Policy, StepSpec, Via,
};
use crate::sandbox::{Fidelity, Filter, Growth};
use serde_json::{Value, json};

/// The text in place of texts that a filter makes of settings with values of environment variables.
const NOT_SHOWN: &str = "(not shown: made of values from the environment)";

/// A step, with the values in force for it.
pub(super) struct ExplainedStep {
    pub(super) filter: String,
    pub(super) version: String,
    pub(super) summary: String,
    /// The place where the step names it.
    pub(super) place: String,
    /// The place where the chain has it from, if not from its own steps: a named list, or the prefix.
    pub(super) via: Option<String>,
    /// The file of a plugin, with the place of its `[[plugin]]`; none: it is built in.
    pub(super) plugin: Option<(String, String)>,
    pub(super) fidelity: &'static str,
    pub(super) growth: &'static str,
    pub(super) idempotent: bool,
    /// The triggers of the filter; none: it is always called.
    pub(super) triggers: Vec<String>,
    /// Bytes of the shortest document that the filter changes.
    pub(super) least_bytes: usize,
    pub(super) legend: Option<String>,
    /// The functions of the host that it may use, and whether it asks for them.
    pub(super) grants: Vec<Grant>,
    pub(super) settings: Vec<Setting>,
    pub(super) limits: Vec<Limit>,
    pub(super) on_error: (&'static str, From),
    pub(super) shadow: bool,
    /// Whether it leaves every document unchanged, since it needs an original and the chain stores none.
    pub(super) lacks_original: bool,
}

pub(super) struct Grant {
    pub(super) name: &'static str,
    pub(super) granted: bool,
    pub(super) wanted: bool,
}

pub(super) struct Setting {
    pub(super) key: String,
    /// The value; none: it has no default.
    pub(super) value: Option<Value>,
    pub(super) from: From,
}

pub(super) struct Limit {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) from: From,
}

/// The origin of a value, and its place.
pub(super) enum From {
    Default,
    Plugin(String),
    Step(String),
}

impl From {
    pub(super) fn name(&self) -> &'static str {
        match self {
            From::Default => "default",
            From::Plugin(_) => "plugin",
            From::Step(_) => "step",
        }
    }

    pub(super) fn place(&self) -> Option<&str> {
        match self {
            From::Default => None,
            From::Plugin(place) | From::Step(place) => Some(place),
        }
    }
}

pub(super) fn describe(policy: &Policy, spec: &ChainSpec, chain: &Chain) -> Vec<ExplainedStep> {
    let steps = spec.steps.iter().zip(chain.filters());
    steps
        .zip(chain.lacks_original())
        .map(|((spec, filter), lacks_original)| ExplainedStep {
            lacks_original,
            ..step(policy, spec, filter)
        })
        .collect()
}

fn step(policy: &Policy, spec: &StepSpec, filter: &Filter) -> ExplainedStep {
    let description = filter.description();
    let plugin = match &spec.filter {
        FilterRef::BuiltIn(_) => None,
        FilterRef::Plugin(index) => policy.plugins.get(*index),
    };
    let origin = |own: Option<_>, of_plugin: Option<_>| match (own, of_plugin) {
        (Some(span), _) => From::Step(place(policy, span)),
        (None, Some(span)) => From::Plugin(place(policy, span)),
        (None, None) => From::Default,
    };
    let limits = LIMITS.iter().map(|row| {
        let of_plugin = plugin.and_then(|plugin| plugin.origins.limit(row.key));
        Limit {
            name: row.name,
            value: row.unit.show(spec.limits.value(row.key)),
            from: origin(spec.origins.limit(row.key), of_plugin),
        }
    });
    let of_plugin = plugin.and_then(|plugin| plugin.origins.on_error);
    // A filter's texts about its settings may contain the value of a variable.
    let is_secret = !spec.variables().is_empty();
    let unless_secret = |texts: Vec<String>| match is_secret && !texts.is_empty() {
        true => vec![NOT_SHOWN.to_owned()],
        false => texts,
    };
    ExplainedStep {
        filter: filter.name().to_owned(),
        version: description.version.clone(),
        summary: description.summary.clone(),
        place: place(policy, spec.span),
        via: spec.via.as_ref().map(|via| match via {
            Via::List(name) => format!("steps.{name}"),
            Via::Prefix => "prefix".to_owned(),
        }),
        plugin: plugin.map(|declared| (declared.place.to_string(), place(policy, declared.span))),
        fidelity: fidelity(filter.fidelity()),
        growth: growth(description.growth),
        idempotent: description.idempotent,
        triggers: unless_secret(filter.triggers().to_vec()),
        least_bytes: filter.least_bytes(),
        legend: filter.legend().map(|legend| match is_secret {
            true => NOT_SHOWN.to_owned(),
            false => legend.to_owned(),
        }),
        grants: grants(plugin.map(|declared| declared.grants), &description.wants),
        settings: settings(policy, spec, &description.settings),
        limits: limits.collect(),
        on_error: (
            spelled(&OnError::ALL, spec.on_error),
            origin(spec.origins.on_error, of_plugin),
        ),
        shadow: spec.shadow,
        lacks_original: false,
    }
}

/// Every setting that the filter has, in the order of its schema.
fn settings(policy: &Policy, spec: &StepSpec, schema: &Value) -> Vec<Setting> {
    let mut settings = Vec::new();
    let given = |key: &str, value: &Value| {
        let span = spec.setting_spans.get(key).unwrap_or(spec.span);
        Setting {
            key: key.to_owned(),
            value: Some(value.clone()),
            from: From::Step(place(policy, span)),
        }
    };
    let known = schema.get("properties").and_then(Value::as_object);
    for (key, about) in known.into_iter().flatten() {
        settings.push(match spec.settings.get(key) {
            Some(value) => given(key, value),
            None => Setting {
                key: key.clone(),
                value: about.get("default").cloned(),
                from: From::Default,
            },
        });
    }
    let unlisted = |key: &String| !known.is_some_and(|known| known.contains_key(key));
    let others = spec.settings.iter().filter(|(key, _)| unlisted(key));
    settings.extend(others.map(|(key, value)| given(key, value)));
    settings
}

/// `granted`: none for a built-in filter, which has all.
fn grants(granted: Option<Grants>, wants: &[Capability]) -> Vec<Grant> {
    let all = Capability::ALL.into_iter().map(|capability| Grant {
        name: capability.name(),
        granted: granted.is_none_or(|granted| granted.has(capability)),
        wanted: wants.contains(&capability),
    });
    // Unused permissions of a built-in filter are not worth a line.
    all.filter(|grant| grant.wanted || (grant.granted && granted.is_some()))
        .collect()
}

fn fidelity(fidelity: Fidelity) -> &'static str {
    match fidelity {
        Fidelity::Exact => "exact",
        Fidelity::Equivalent => "equivalent",
        Fidelity::Partial => "partial",
    }
}

fn growth(growth: Growth) -> &'static str {
    match growth {
        Growth::None => "none",
        Growth::Interim => "interim",
        Growth::Lasting => "lasting",
    }
}

impl ExplainedStep {
    pub(super) fn json(&self) -> Value {
        let from = |from: &From| json!({"from": from.name(), "at": from.place()});
        let with = |value: Value, origin: &From| {
            let mut object = from(origin);
            object["value"] = value;
            object
        };
        let mut settings = serde_json::Map::new();
        for setting in &self.settings {
            let value = setting.value.clone().unwrap_or_default();
            settings.insert(setting.key.clone(), with(value, &setting.from));
        }
        let mut limits = serde_json::Map::new();
        for limit in &self.limits {
            limits.insert(
                limit.name.to_owned(),
                with(limit.value.clone().into(), &limit.from),
            );
        }
        let mut grants = serde_json::Map::new();
        for grant in &self.grants {
            let value = json!({"granted": grant.granted, "wanted": grant.wanted});
            grants.insert(grant.name.to_owned(), value);
        }
        json!({
            "filter": self.filter,
            "version": self.version,
            "summary": self.summary,
            "at": self.place,
            "via": self.via,
            "plugin": self.plugin.as_ref().map(|(path, at)| json!({"path": path, "at": at})),
            "fidelity": self.fidelity,
            "growth": self.growth,
            "idempotent": self.idempotent,
            "triggers": self.triggers,
            "least_bytes": self.least_bytes,
            "legend": self.legend,
            "grants": grants,
            "settings": settings,
            "limits": limits,
            "on_error": with(self.on_error.0.into(), &self.on_error.1),
            "shadow": self.shadow,
            "lacks_original": self.lacks_original,
        })
    }
}
