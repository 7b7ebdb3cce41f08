//! Settings of a filter: what a step says in TOML, as the JSON that the filter is given.

use serde_json::{Map, Number};
use toml::de::DeValue;

use super::names;
use super::raw::{self, Findings, Value};
use super::report::Finding;
use super::source::Span;

/// A JSON object, in the order of the file.
pub type Settings = Map<String, serde_json::Value>;

/// Deepest nesting of a setting, as deep as a JSON document may be. Dotted keys can nest where
/// brackets cannot, so that TOML's own limit is not enough.
const MAX_DEPTH: usize = 100;

/// Where a step's settings are in the file, nested ones included.
#[derive(Debug, Clone, Default)]
pub struct SettingSpans {
    inside: Vec<(String, Place)>,
}

#[derive(Debug, Clone)]
struct Place {
    span: Span,
    /// Members by key, elements by index.
    inside: SettingSpans,
}

impl SettingSpans {
    /// Where the value of a setting is.
    pub fn get(&self, key: &str) -> Option<Span> {
        self.find(key).map(|place| place.span)
    }

    /// Where a JSON Pointer (RFC 6901, such as `/preview/callers/0`) into the settings leads: to the
    /// value, or to the nearest one around it that the file has. `None` for the settings as a whole.
    pub fn at(&self, pointer: &str) -> Option<Span> {
        let mut spans = self;
        let mut nearest = None;
        for token in pointer.split('/').skip(1) {
            let Some(place) = spans.find(&token.replace("~1", "/").replace("~0", "~")) else {
                break;
            };
            nearest = Some(place.span);
            spans = &place.inside;
        }
        nearest
    }

    fn find(&self, key: &str) -> Option<&Place> {
        self.inside
            .iter()
            .find_map(|(known, place)| (known == key).then_some(place))
    }

    fn insert(&mut self, key: String, span: Span, inside: SettingSpans) {
        self.inside.push((key, Place { span, inside }));
    }
}

/// Reads the entries of a step that are settings.
pub(super) fn read(
    entries: &[raw::Entry<'_>],
    findings: &mut Findings<'_>,
) -> (Settings, SettingSpans) {
    let (mut settings, mut spans) = (Settings::new(), SettingSpans::default());
    for entry in entries {
        if let Some((value, inside)) = json(entry.value, 1, findings) {
            settings.insert(entry.key.to_owned(), value);
            spans.insert(entry.key.to_owned(), entry.value.span().into(), inside);
        }
    }
    (settings, spans)
}

/// A value as JSON, with the places inside it; none where JSON has no such value.
fn json(
    value: &Value<'_>,
    depth: usize,
    findings: &mut Findings<'_>,
) -> Option<(serde_json::Value, SettingSpans)> {
    let span: Span = value.span().into();
    let mut spans = SettingSpans::default();
    if depth > MAX_DEPTH {
        let label = format!("allowed: {MAX_DEPTH} levels");
        findings.push(Finding::error(span, "a setting is nested too deep", label));
        return None;
    }
    let json = match value.get_ref() {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Integer(number) => {
            let number = raw::integer(number).and_then(Number::from_i128);
            if number.is_none() {
                let label = "allowed: integers of 64 bits";
                let finding = Finding::error(span, "an integer is out of range", label);
                findings.push(finding.help("write it as a string if the filter takes one"));
            }
            number?.into()
        }
        DeValue::Float(number) => {
            let text = number.as_str();
            let number = text.parse::<f64>().ok().and_then(Number::from_f64);
            if number.is_none() {
                let label = format!("found {}, allowed: a finite number", names::quote(text));
                findings.push(Finding::error(span, "JSON has no such number", label));
            }
            number?.into()
        }
        DeValue::Datetime(date) => {
            let label = "found a date or time, allowed: string, number, boolean, array, table";
            let finding = Finding::error(span, "JSON has no dates", label);
            findings.push(finding.help(format!("put it in quotes: \"{date}\"")));
            return None;
        }
        DeValue::Array(items) => {
            let mut list = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                if let Some((json, inside)) = json(item, depth + 1, findings) {
                    list.push(json);
                    spans.insert(index.to_string(), item.span().into(), inside);
                }
            }
            list.into()
        }
        DeValue::Table(table) => {
            let mut object = Map::new();
            for entry in raw::entries(table) {
                if let Some((json, inside)) = json(entry.value, depth + 1, findings) {
                    object.insert(entry.key.to_owned(), json);
                    spans.insert(entry.key.to_owned(), entry.value.span().into(), inside);
                }
            }
            object.into()
        }
    };
    Some((json, spans))
}
