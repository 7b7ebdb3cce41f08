//! Values of settings from environment variables: `"${NAME}"`, or text that ends with it, as in
//! `[server.NAME]`.
//!
//! A policy stores the names, and never the values, so code that shows a policy shows the names. The loader
//! asks for the values when it gives a filter its settings. Settings that are code take no variables, nor does
//! any other key that decides which code runs: the environment is data.

use serde_json::Value;

use super::code::Code;
use super::raw::Findings;
use super::report::Finding;
use super::settings::{SettingSpans, Settings};
use super::source::Span;
use super::{FilterRef, StepSpec};
use crate::built_in;

/// The beginning of a reference, and how a setting has these characters themselves.
const OPENS: &str = "${";
const ESCAPED: &str = "$${";

/// The form of a setting's text.
enum Form<'t> {
    Plain,
    /// Text with escapes, and no variable.
    Escaped,
    Variable {
        before: &'t str,
        name: &'t str,
    },
    Broken,
}

impl Form<'_> {
    fn of(text: &str) -> Form<'_> {
        let bare = text.replace(ESCAPED, "");
        if !bare.contains(OPENS) {
            return match bare.len() == text.len() {
                true => Form::Plain,
                false => Form::Escaped,
            };
        }
        let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let named = text.rfind(OPENS).and_then(|at| {
            let name = text[at + OPENS.len()..].strip_suffix('}')?;
            let before = &text[..at];
            let is_alone = !before.replace(ESCAPED, "").contains(OPENS) && !before.ends_with('$');
            (is_alone && !name.is_empty() && name.chars().all(is_fit)).then_some((before, name))
        });
        named.map_or(Form::Broken, |(before, name)| Form::Variable {
            before,
            name,
        })
    }
}

/// The settings of a filter that Tamis passes unchanged: code, and patterns in which `${name}` is no variable.
fn verbatim(filter: &FilterRef) -> &'static [&'static str] {
    match filter {
        FilterRef::BuiltIn(name) => built_in::find(name).map_or(&[], |filter| filter.verbatim),
        FilterRef::Plugin(_) => &[],
    }
}

/// Reports references that are broken, and those that are where Tamis reads none.
pub(super) fn check(
    filter: &FilterRef,
    settings: &Settings,
    spans: &SettingSpans,
    whole: Span,
    findings: &mut Findings<'_>,
) {
    let verbatim = verbatim(filter);
    for (key, value) in settings {
        let is_verbatim = verbatim.contains(&key.as_str());
        each_text(value, &format!("/{}", escaped(key)), &mut |at, text| {
            let span = spans.at(at).unwrap_or(whole);
            if is_verbatim {
                if let Some(name) = meant_in(text) {
                    let message = format!("`{key}` takes no value from the environment");
                    let label = format!("the filter gets `${{{name}}}` unchanged");
                    let help = "only settings that are data take values: this one is code";
                    let warning = Finding::warning(span, message, label).help(help);
                    findings.push(warning.code(Code::VariableInCode));
                }
            } else if matches!(Form::of(text), Form::Broken) {
                let message = "invalid reference to an environment variable";
                let label = "allowed: a text, which may end with ${NAME}";
                let help = "for the characters `${` themselves, write `$${`";
                findings.push(Finding::error(span, message, label).help(help));
            }
        });
    }
}

/// The first name in `${…}` that looks like that of a variable. Variables are in capitals, and groups of patterns are
/// not.
fn meant_in(text: &str) -> Option<&str> {
    let is_fit = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let mut opened = text.split(OPENS).skip(1);
    opened.find_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        let is_name = name.chars().all(is_fit) && name.contains(|c: char| c.is_ascii_uppercase());
        is_name.then_some(name)
    })
}

impl StepSpec {
    /// The environment variables that the settings name, each once, in the order of the file.
    pub fn variables(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let verbatim = verbatim(&self.filter);
        let taken = self.settings.iter();
        for (key, value) in taken.filter(|(key, _)| !verbatim.contains(&key.as_str())) {
            each_text(value, key, &mut |_, text| {
                if let Form::Variable { name, .. } = Form::of(text)
                    && !names.iter().any(|known| known == name)
                {
                    names.push(name.to_owned());
                }
            });
        }
        names
    }

    /// The settings as the filter gets them. `value_of`: the value of a variable.
    ///
    /// # Errors
    ///
    /// A finding for each place that names a variable without a value.
    pub fn settings_with(
        &self,
        value_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, Vec<Finding>> {
        let verbatim = verbatim(&self.filter);
        let mut findings = Vec::new();
        let mut settings = Settings::clone(&self.settings);
        for (key, value) in &mut settings {
            if verbatim.contains(&key.as_str()) {
                continue;
            }
            let at = format!("/{}", escaped(key));
            put_values(value, &at, &mut |at, text| match Form::of(text) {
                Form::Plain | Form::Broken => {}
                Form::Escaped => *text = text.replace(ESCAPED, OPENS),
                Form::Variable { before, name } => {
                    let before = before.replace(ESCAPED, OPENS);
                    match value_of(name) {
                        Some(value) => *text = before + &value,
                        None => {
                            let span = self.setting_spans.at(at).unwrap_or(self.span);
                            findings.push(missing(name, span));
                        }
                    }
                }
            });
        }
        match findings.is_empty() {
            true => Ok(settings),
            false => Err(findings),
        }
    }
}

fn missing(name: &str, span: Span) -> Finding {
    let message = format!("the environment variable {name} is not set");
    let help = format!("set {name} before Tamis starts, or write the value here");
    let finding = Finding::error(span, message, "this setting needs it").help(help);
    finding.code(Code::VariableMissing)
}

/// Calls `visit` with every text in a value, and the JSON Pointer to the text.
fn each_text(value: &Value, at: &str, visit: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => visit(at, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                each_text(item, &format!("{at}/{index}"), visit);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                each_text(value, &format!("{at}/{}", escaped(key)), visit);
            }
        }
        _ => {}
    }
}

/// Visits texts to change them.
fn put_values(value: &mut Value, at: &str, visit: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => visit(at, text),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                put_values(item, &format!("{at}/{index}"), visit);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                put_values(value, &format!("{at}/{}", escaped(key)), visit);
            }
        }
        _ => {}
    }
}

/// A key as a token of a JSON Pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::super::{Policy, Source};
    use super::*;

    fn step(setting: &str) -> StepSpec {
        let text = format!(
            "[[chain]]\ntools = [\"*\"]\nsteps = [{{ filter = \"null-stripper\", a = {setting} }}]\n"
        );
        let source = Source::new("filters.toml", text).expect("text");
        let policy = Policy::parse(source, &["null-stripper"]);
        let policy = policy.unwrap_or_else(|report| panic!("{report}"));
        policy.chains[0].steps[0].clone()
    }

    fn value_of(name: &str) -> Option<String> {
        (name == "TEAM").then(|| "blue ${X} \"".to_owned())
    }

    #[test]
    fn values_are_put_where_names_stand() {
        for (setting, expected) in [
            ("\"${TEAM}\"", serde_json::json!("blue ${X} \"")),
            ("\"é ${TEAM}\"", serde_json::json!("é blue ${X} \"")),
            ("\"$${TEAM}\"", serde_json::json!("${TEAM}")),
            ("\"$${a} ${TEAM}\"", serde_json::json!("${a} blue ${X} \"")),
            ("\"$TEAM {TEAM}\"", serde_json::json!("$TEAM {TEAM}")),
            (
                "[1, { b = [\"${TEAM}\"] }]",
                serde_json::json!([1, {"b": ["blue ${X} \""]}]),
            ),
        ] {
            let settings = step(setting).settings_with(value_of).expect("values");
            assert_eq!(settings["a"], expected, "{setting}");
        }
        assert_eq!(
            step("[\"${B}\", \"${A}\", \"x${B}\"]").variables(),
            ["B", "A"]
        );
    }

    #[test]
    fn a_variable_that_is_not_set_is_an_error_with_its_name() {
        let findings = step("\"${NO_SUCH}\"").settings_with(value_of);
        let findings = findings.expect_err("it is not set");
        let messages: Vec<&str> = findings
            .iter()
            .map(|finding| finding.message.as_str())
            .collect();
        assert_eq!(messages, ["the environment variable NO_SUCH is not set"]);
    }

    #[test]
    fn a_broken_reference_is_an_error() {
        for text in ["${", "${A", "${A} b", "${a-b}", "${A}${B}", "${}"] {
            let text = format!(
                "[[chain]]\ntools = [\"*\"]\nsteps = [{{ filter = \"null-stripper\", a = \"{text}\" }}]\n"
            );
            let source = Source::new("filters.toml", &text).expect("text");
            let report = Policy::parse(source, &["null-stripper"]);
            let report = report.expect_err("it is broken").to_string();
            assert!(report.contains("invalid reference"), "{report}");
        }
    }
}
