//! Checks the settings of a step against the filter's JSON Schema. A mistake is shown at its key or value, with
//! the allowed ones.

use crate::json_schema::Guarded;
use crate::policy::{
    Code, Finding, OWN_SCHEMA, SETTINGS_SCHEMA, Settings, Severity, Span, StepSpec, nearest_name,
    quote,
};
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// A filter's schema of its settings.
pub(super) struct Schema(Guarded);

impl Schema {
    /// Takes a schema; one that is not part of Tamis may have been made to cost.
    ///
    /// # Errors
    ///
    /// Why it cannot be used.
    pub(super) fn new(root: &Value, is_built_in: bool) -> Result<Schema, String> {
        let bounds = match is_built_in {
            true => OWN_SCHEMA,
            false => SETTINGS_SCHEMA,
        };
        Guarded::new(root.clone(), &bounds).map(Schema)
    }

    /// The schema's findings about the settings of a step.
    pub(super) fn findings(&self, spec: &StepSpec, filter: &str, as_: Severity) -> Vec<Finding> {
        let settings = Value::from(Settings::clone(&spec.settings));
        let place = StepSettings {
            spec,
            filter,
            root: self.0.root(),
        };
        let mut findings: Vec<Finding> = Vec::new();
        let validator = match self.0.validator_for(&settings) {
            Ok(validator) => validator,
            Err(error) => return vec![not_checked(spec, filter, &error.to_string())],
        };
        let errors: Vec<ValidationError<'_>> = validator.iter_errors(&settings).collect();
        let is_wrong_type =
            |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
        for error in &errors {
            // A value of another type is no choice either: that is one mistake.
            let same = |other: &&ValidationError<'_>| {
                is_wrong_type(other) && other.instance_path() == error.instance_path()
            };
            if is_wrong_type(error) || errors.iter().find(same).is_none() {
                place.report(error, &mut findings);
            }
        }
        for finding in &mut findings {
            finding.severity = as_;
        }
        findings
    }

    /// The value of a setting: the step's own, else the default.
    pub(super) fn default<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
        schema.get("properties")?.get(name)?.get("default")
    }
}

/// The settings were not held against the filter's schema.
pub(super) fn not_checked(spec: &StepSpec, filter: &str, why: &str) -> Finding {
    let message = format!("the settings of filter `{filter}` are not checked: {why}");
    Finding::note(spec.span, message, "Tamis cannot use its schema").code(Code::SettingsSchema)
}

struct StepSettings<'a> {
    spec: &'a StepSpec,
    filter: &'a str,
    root: &'a Value,
}

impl StepSettings<'_> {
    fn report(&self, error: &ValidationError<'_>, findings: &mut Vec<Finding>) {
        use ValidationErrorKind as Kind;
        let at = error.instance_path().as_str();
        let what = self.what(at);
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                let known = self.sibling_keys(error);
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                for key in unexpected {
                    findings.push(self.unknown_key(at, key, &known));
                }
            }
            Kind::Required { property } => {
                let key = property.as_str().unwrap_or_default();
                let message = format!("{what} requires the key `{key}`");
                let label = format!("`{key}` is missing");
                let finding = Finding::error(self.value(at), message, label);
                findings.push(
                    self.explain(finding, &format!("{at}/{key}"))
                        .code(Code::SettingsMissingKey),
                );
            }
            Kind::Type { kind } => {
                let finding = self.wrong_type(error, &in_words(kind));
                findings.push(self.explain(finding, at));
            }
            Kind::Enum { options } => {
                let options: Vec<String> = options
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(shown)
                    .collect();
                findings.push(self.unknown_value(error, &options));
            }
            Kind::Constant { expected_value } => {
                findings.push(self.unknown_value(error, &[shown(expected_value)]));
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.report_nearest(error, context, findings);
            }
            Kind::Minimum { limit } => {
                findings.push(self.out_of_range(error, &format!("{limit} or more")))
            }
            Kind::Maximum { limit } => {
                findings.push(self.out_of_range(error, &format!("{limit} or less")))
            }
            Kind::ExclusiveMinimum { limit } => {
                findings.push(self.out_of_range(error, &format!("more than {limit}")))
            }
            Kind::ExclusiveMaximum { limit } => {
                findings.push(self.out_of_range(error, &format!("less than {limit}")))
            }
            Kind::MinItems { limit } => {
                findings.push(self.out_of_range(error, &format!("{limit} elements or more")))
            }
            Kind::MaxItems { limit } => {
                findings.push(self.out_of_range(error, &format!("{limit} elements or fewer")))
            }
            Kind::MinLength { limit } => {
                findings.push(self.out_of_range(error, &format!("{limit} characters or more")))
            }
            Kind::MaxLength { limit } => {
                findings.push(self.out_of_range(error, &format!("{limit} characters or fewer")))
            }
            _ => {
                let message = format!("{what} does not match the filter's schema");
                let finding = Finding::error(self.value(at), message, error.to_string());
                findings.push(self.explain(finding, at).code(Code::SettingsRefused));
            }
        }
    }

    /// If a value can have several forms, reports the errors of the one that was probably meant.
    fn report_nearest(
        &self,
        error: &ValidationError<'_>,
        forms: &[Vec<ValidationError<'static>>],
        findings: &mut Vec<Finding>,
    ) {
        let at = error.instance_path().as_str();
        let other_type = |form: &&Vec<ValidationError<'static>>| {
            form.iter().find_map(|inner| match inner.kind() {
                ValidationErrorKind::Type { kind } if inner.instance_path().as_str() == at => {
                    Some(in_words(kind))
                }
                _ => None,
            })
        };
        let of_this_type = forms.iter().filter(|form| other_type(form).is_none());
        match of_this_type.min_by_key(|form| form.len()) {
            Some(form) => {
                for inner in form {
                    self.report(inner, findings);
                }
            }
            None => {
                let mut types: Vec<String> =
                    forms.iter().filter_map(|form| other_type(&form)).collect();
                types.retain(|name| name != "null");
                let finding = self.wrong_type(error, &types.join(" or "));
                findings.push(self.explain(finding, at));
            }
        }
    }

    fn unknown_key(&self, at: &str, key: &str, known: &[&str]) -> Finding {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        let span = self
            .spec
            .setting_spans
            .key_at(&pointer)
            .unwrap_or(self.spec.span);
        let message = if at.is_empty() {
            format!("filter `{}` has no setting {}", self.filter, quote(key))
        } else {
            format!("unknown key {} in {}", quote(key), self.what(at))
        };
        let mut listed = known.to_vec();
        if at.is_empty() {
            listed.extend(["limits", "on-error", "shadow"]);
        }
        let label = match nearest_name(key, &listed) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "unknown".to_owned(),
        };
        Finding::error(span, message, label)
            .help(format!("allowed: {}", list(&listed)))
            .code(Code::SettingsUnknownKey)
    }

    fn wrong_type(&self, error: &ValidationError<'_>, allowed: &str) -> Finding {
        let at = error.instance_path().as_str();
        let found = type_of(error.instance());
        let message = format!("{} has the wrong type", self.what(at));
        let label = format!("found {found}, allowed: {allowed}");
        Finding::error(self.value(at), message, label).code(Code::SettingsWrongType)
    }

    fn unknown_value(&self, error: &ValidationError<'_>, options: &[String]) -> Finding {
        let at = error.instance_path().as_str();
        let found = shown(error.instance());
        let known: Vec<&str> = options.iter().map(String::as_str).collect();
        let message = format!("{} cannot be {}", self.what(at), quote(&found));
        let label = match nearest_name(&found, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "unknown".to_owned(),
        };
        Finding::error(self.value(at), message, label)
            .help(format!("allowed: {}", list(&known)))
            .code(Code::SettingsUnknownValue)
    }

    fn out_of_range(&self, error: &ValidationError<'_>, allowed: &str) -> Finding {
        let at = error.instance_path().as_str();
        let message = format!("{} is out of range", self.what(at));
        let finding = Finding::error(self.value(at), message, format!("allowed: {allowed}"));
        self.explain(finding, at).code(Code::SettingsOutOfRange)
    }

    /// The value, or the nearest around it that the file has.
    fn value(&self, at: &str) -> Span {
        self.spec.setting_spans.at(at).unwrap_or(self.spec.span)
    }

    /// `/caps/0/first` in words.
    fn what(&self, at: &str) -> String {
        let mut path = String::new();
        for token in at.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            if token.parse::<usize>().is_ok() {
                path += &format!("[{token}]");
            } else {
                if !path.is_empty() {
                    path.push('.');
                }
                // A token that is no bare key is quoted, as in TOML.
                match token
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
                {
                    true => path += &token,
                    false => path += &format!("\"{token}\""),
                }
            }
        }
        match path.as_str() {
            "" => format!("filter `{}`", self.filter),
            path => format!("setting {} of filter `{}`", quote(path), self.filter),
        }
    }

    /// Adds the filter's description of the setting.
    fn explain(&self, finding: Finding, at: &str) -> Finding {
        let Some(about) = self.about(at) else {
            return finding;
        };
        let name = at.rsplit('/').find(|token| token.parse::<usize>().is_err());
        let about = about.replace('\n', " ");
        let name = name.unwrap_or_default();
        finding.help(format!("`{name}`: {about}"))
    }

    /// The description of the member that a pointer into the settings leads to, or through.
    fn about(&self, at: &str) -> Option<&str> {
        let mut schema = self.root;
        let mut about = None;
        for token in at.split('/').skip(1) {
            let next = self.member(schema, token, 0)?;
            if token.parse::<usize>().is_err() {
                about = next.get("description").and_then(Value::as_str);
            }
            schema = next;
        }
        about
    }

    fn member<'s>(&'s self, schema: &'s Value, token: &str, depth: usize) -> Option<&'s Value> {
        // References can go in circles.
        if depth > 8 {
            return None;
        }
        let named = schema
            .get("properties")
            .and_then(|properties| properties.get(token));
        let element = || {
            schema
                .get("items")
                .filter(|_| token.parse::<usize>().is_ok())
        };
        let any = || {
            schema
                .get("additionalProperties")
                .filter(|value| value.is_object())
        };
        if let Some(found) = named.or_else(element).or_else(any) {
            return Some(found);
        }
        let reference = schema.get("$ref").and_then(Value::as_str);
        let referred = reference.and_then(|text| self.root.pointer(text.strip_prefix('#')?));
        let forms = ["anyOf", "oneOf", "allOf"];
        let forms = forms.iter().filter_map(|key| schema.get(key)?.as_array());
        referred
            .into_iter()
            .chain(forms.flatten())
            .find_map(|inner| self.member(inner, token, depth + 1))
    }

    /// The other keys in the table of one that is not allowed.
    fn sibling_keys(&self, error: &ValidationError<'_>) -> Vec<String> {
        let path = error.schema_path().as_str();
        let object = path
            .rsplit_once('/')
            .and_then(|(parent, _)| self.root.pointer(parent));
        let properties = object.and_then(|schema| schema.get("properties")?.as_object());
        properties
            .into_iter()
            .flat_map(|members| members.keys().cloned())
            .collect()
    }
}

fn list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| quote(name)).collect();
    names.join(", ")
}

/// A value as a message has it: text without its quotes.
fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a float",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "a table",
    }
}

/// JSON's types as TOML calls them.
fn in_words(kind: &TypeKind) -> String {
    let word = |name: &str| match name {
        "array" => "an array",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        "object" => "a table",
        "string" => "text in quotes",
        _ => "null",
    };
    match kind {
        TypeKind::Single(one) => word(one.as_str()).to_owned(),
        TypeKind::Multiple(several) => {
            let words = several.iter().map(|one| word(one.as_str()));
            words
                .filter(|name| *name != "null")
                .collect::<Vec<_>>()
                .join(" or ")
        }
    }
}
