//! Settings of a filter: converts the TOML of a step to the JSON that the filter receives.

use serde_json::{Map, Number};
use toml::de::DeValue;

use super::code::Code;
use super::names;
use super::raw::{self, Findings, Value};
use super::report::Finding;
use super::source::Span;

/// A JSON object, in the order of the file.
pub type Settings = Map<String, serde_json::Value>;

/// Deepest nesting of a setting, the same as for a JSON document. Dotted keys can nest deeper than brackets, so
/// TOML's own limit does not suffice.
const MAX_DEPTH: usize = 100;

/// The places of a step's settings in the file, nested ones included.
#[derive(Debug, Clone, Default)]
pub struct SettingSpans {
    inside: Vec<(String, SettingSpan)>,
}

#[derive(Debug, Clone)]
struct SettingSpan {
    /// The key; for an element, the element itself.
    key: Span,
    span: Span,
    /// Members by key, elements by index.
    inside: SettingSpans,
}

impl SettingSpans {
    /// The place of a setting's value.
    pub fn get(&self, key: &str) -> Option<Span> {
        self.find(key).map(|place| place.span)
    }

    /// The place of the key that a JSON Pointer leads to, if that member exists.
    pub fn key_at(&self, pointer: &str) -> Option<Span> {
        let (parent, last) = pointer.rsplit_once('/')?;
        let mut spans = self;
        for token in parent.split('/').skip(1) {
            spans = &spans.find(&unescape(token))?.inside;
        }
        spans.find(&unescape(last)).map(|place| place.key)
    }

    /// The place that a JSON Pointer (RFC 6901, such as `/preview/callers/0`) into the settings leads to: the
    /// value, or the nearest enclosing value in the file. `None` for the settings as a whole.
    pub fn at(&self, pointer: &str) -> Option<Span> {
        let mut spans = self;
        let mut nearest = None;
        for token in pointer.split('/').skip(1) {
            let Some(place) = spans.find(&unescape(token)) else {
                break;
            };
            nearest = Some(place.span);
            spans = &place.inside;
        }
        nearest
    }

    fn find(&self, key: &str) -> Option<&SettingSpan> {
        self.inside
            .iter()
            .find_map(|(known, place)| (known == key).then_some(place))
    }

    fn insert(&mut self, name: String, key: Span, span: Span, inside: SettingSpans) {
        self.inside.push((name, SettingSpan { key, span, inside }));
    }

    fn insert_entry(&mut self, entry: &raw::Entry<'_>, inside: SettingSpans) {
        let span = entry.value.span().into();
        self.insert(entry.key.to_owned(), entry.key_span, span, inside);
    }
}

/// A token of a JSON Pointer.
fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
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
            spans.insert_entry(entry, inside);
        }
    }
    (settings, spans)
}

/// A value as JSON, with the places inside it; none if JSON has no such value.
pub(super) fn json(
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
                let finding = Finding::error(span, "an integer is out of range", label)
                    .code(Code::OutOfRange);
                findings.push(finding.help("write it as a string if the filter accepts one"));
            }
            number?.into()
        }
        DeValue::Float(number) => {
            let text = number.as_str();
            let number = text.parse::<f64>().ok().and_then(Number::from_f64);
            if number.is_none() {
                let label = format!("found {}, allowed: a finite number", names::quote(text));
                findings.push(Finding::error(
                    span,
                    "JSON cannot represent this number",
                    label,
                ));
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
                    let span = item.span().into();
                    spans.insert(index.to_string(), span, span, inside);
                }
            }
            list.into()
        }
        DeValue::Table(table) => {
            let mut object = Map::new();
            for entry in raw::entries(table) {
                if let Some((json, inside)) = json(entry.value, depth + 1, findings) {
                    object.insert(entry.key.to_owned(), json);
                    spans.insert_entry(&entry, inside);
                }
            }
            object.into()
        }
    };
    Some((json, spans))
}
