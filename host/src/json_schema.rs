//! JSON Schemas that others wrote: which are accepted, and how much work a check of a value may be.
//!
//! A schema can be made expensive: references that each stand for two more, patterns for every key, lists of
//! schemas in lists of schemas. So before a check of a value, the work is counted, keyword by keyword and value
//! by value, as for a validator that never finds a reason to stop. If the work exceeds the table of
//! limits, the value is not checked at all. Owns the guard, for schemas of servers and of plugins
//! alike. Refuses to know: what the values are, and what follows.

use crate::policy::SchemaBounds;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use std::collections::HashMap;

/// Characters of a text, times the states of a pattern, that cost as much as a keyword.
const PATTERN_STEPS: u64 = 64;

/// Keywords that name another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A schema that is taken, compiled.
pub struct Guarded {
    validator: Validator,
    root: Value,
    /// Subschemas that are referred to by a name, by that name.
    anchors: HashMap<String, Vec<String>>,
    bounds: SchemaBounds,
}

/// Holding a value against a schema would be more work than is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("to hold the value against it takes more than {allowed} steps")]
pub struct TooMuchWork {
    /// Steps.
    pub allowed: u64,
}

impl Guarded {
    /// Takes a schema.
    ///
    /// # Errors
    ///
    /// Why it cannot be used.
    pub fn new(root: Value, bounds: &SchemaBounds) -> Result<Guarded, String> {
        if root.to_string().len() > bounds.bytes {
            return Err(format!("it is larger than {} bytes", bounds.bytes));
        }
        let mut found = Found::default();
        found.collect(&root, "", 0)?;
        if found.references > bounds.references {
            let (references, allowed) = (found.references, bounds.references);
            return Err(format!(
                "it has {references} references, and {allowed} are allowed"
            ));
        }
        if found.patterns > bounds.patterns {
            let (patterns, allowed) = (found.patterns, bounds.patterns);
            return Err(format!(
                "it has {patterns} patterns, and {allowed} are allowed"
            ));
        }
        if found.references > 0 && found.has_inner_id {
            return Err("it has references, and a part of it has an `$id` of its own".to_owned());
        }
        if found.unevaluated > bounds.unevaluated {
            return Err(format!(
                "it says `unevaluatedProperties` or `unevaluatedItems` more than {} times",
                bounds.unevaluated
            ));
        }
        let patterns = PatternOptions::regex()
            .size_limit(bounds.pattern_bytes)
            .dfa_size_limit(bounds.pattern_bytes);
        let validator = jsonschema::options()
            .with_pattern_options(patterns)
            .build(&root)
            .map_err(|error| error.to_string())?;
        Ok(Guarded {
            validator,
            root,
            anchors: found.anchors,
            bounds: *bounds,
        })
    }

    /// Whether a value fits.
    ///
    /// # Errors
    ///
    /// To find out would be too much work.
    pub fn is_valid(&self, value: &Value) -> Result<bool, TooMuchWork> {
        Ok(self.validator_for(value)?.is_valid(value))
    }

    /// The validator for this value, if the check is little enough work.
    ///
    /// # Errors
    ///
    /// The check is too much work.
    pub fn validator_for(&self, value: &Value) -> Result<&Validator, TooMuchWork> {
        let allowed = self.bounds.work;
        let mut work = Work {
            schema: self,
            left: allowed,
        };
        match work.apply(&self.root, value, 0) {
            Some(()) => Ok(&self.validator),
            None => Err(TooMuchWork { allowed }),
        }
    }

    /// The schema.
    pub fn root(&self) -> &Value {
        &self.root
    }
}

/// The contents of a schema, at any depth. Data that look like keywords count, too, which harms nobody.
#[derive(Default)]
struct Found {
    references: usize,
    patterns: usize,
    unevaluated: usize,
    has_inner_id: bool,
    anchors: HashMap<String, Vec<String>>,
    /// Bytes of the anchors.
    anchor_bytes: usize,
}

/// The most bytes of anchors and of the paths to them: a schema has a few, near its root.
const ANCHOR_BYTES: usize = 64 << 10;

impl Found {
    fn collect(&mut self, value: &Value, pointer: &str, depth: usize) -> Result<(), String> {
        // A parsed document nests no deeper, but one that was put together may.
        if depth > 256 {
            return Err("it nests too deep".to_owned());
        }
        match value {
            Value::Object(members) => {
                for (key, inside) in members {
                    self.references += usize::from(REFERENCES.contains(&key.as_str()));
                    match (key.as_str(), inside) {
                        ("pattern", _) => self.patterns += 1,
                        ("patternProperties", Value::Object(patterns)) => {
                            self.patterns += patterns.len();
                        }
                        ("unevaluatedProperties" | "unevaluatedItems", _) => self.unevaluated += 1,
                        ("$id" | "id", Value::String(_)) if depth > 0 => self.has_inner_id = true,
                        ("$anchor" | "$dynamicAnchor", Value::String(name)) => {
                            self.anchor_bytes += pointer.len() + name.len();
                            if self.anchor_bytes > ANCHOR_BYTES {
                                return Err(
                                    "its anchors are too many, or too deep in it".to_owned()
                                );
                            }
                            let places = self.anchors.entry(name.clone()).or_default();
                            places.push(pointer.to_owned());
                        }
                        _ => {}
                    }
                    let token = key.replace('~', "~0").replace('/', "~1");
                    self.collect(inside, &format!("{pointer}/{token}"), depth + 1)?;
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.collect(item, &format!("{pointer}/{index}"), depth + 1)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Work, counted.
struct Work<'s> {
    schema: &'s Guarded,
    left: u64,
}

impl<'s> Work<'s> {
    /// Takes work off the rest. None: less is left.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps as u64)?;
        Some(())
    }

    /// Holds a value against a schema, without an answer. None: that is too much.
    fn apply(&mut self, schema: &'s Value, value: &Value, depth: usize) -> Option<()> {
        self.spend(1)?;
        if depth > self.schema.bounds.depth {
            return None;
        }
        let Value::Object(keywords) = schema else {
            return Some(());
        };
        for (keyword, inside) in keywords {
            self.keyword(keyword, inside, value, depth + 1)?;
            if matches!(
                keyword.as_str(),
                "unevaluatedProperties" | "unevaluatedItems"
            ) {
                // Evaluating the other keywords again finds the evaluated members.
                for (other, inside) in keywords.iter().filter(|(other, _)| *other != keyword) {
                    self.keyword(other, inside, value, depth + 1)?;
                }
            }
        }
        Some(())
    }

    fn keyword(
        &mut self,
        keyword: &str,
        inside: &'s Value,
        value: &Value,
        depth: usize,
    ) -> Option<()> {
        self.spend(1)?;
        match keyword {
            _ if REFERENCES.contains(&keyword) => {
                for target in self.targets(inside)? {
                    self.apply(target, value, depth)?;
                }
            }
            "allOf" | "anyOf" | "oneOf" => {
                for one in inside.as_array()? {
                    self.apply(one, value, depth)?;
                }
            }
            "not" | "if" | "then" | "else" => self.apply(inside, value, depth)?,
            "properties" => {
                for (name, one) in inside.as_object()? {
                    self.spend(1)?;
                    if let Some(child) = value.get(name) {
                        self.apply(one, child, depth)?;
                    }
                }
            }
            "patternProperties" => {
                for (pattern, one) in inside.as_object()? {
                    for (name, child) in value.as_object().into_iter().flatten() {
                        // Again for `additionalProperties`.
                        self.search(pattern, name)?;
                        self.search(pattern, name)?;
                        self.apply(one, child, depth)?;
                    }
                }
            }
            "additionalProperties" | "unevaluatedProperties" => {
                for child in value
                    .as_object()
                    .into_iter()
                    .flat_map(|members| members.values())
                {
                    self.apply(inside, child, depth)?;
                }
            }
            "propertyNames" => {
                for name in value
                    .as_object()
                    .into_iter()
                    .flat_map(|members| members.keys())
                {
                    self.spend(1 + name.len() / 16)?;
                    self.apply(inside, &Value::String(name.clone()), depth)?;
                }
            }
            "dependentSchemas" | "dependencies" => {
                for one in inside.as_object()?.values() {
                    self.apply(one, value, depth)?;
                }
            }
            "items" | "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems" => {
                let children = value.as_array().into_iter().flatten();
                match inside {
                    Value::Array(schemas) => {
                        for (one, child) in schemas.iter().zip(children) {
                            self.apply(one, child, depth)?;
                        }
                    }
                    one => {
                        for child in children {
                            self.apply(one, child, depth)?;
                        }
                    }
                }
            }
            "enum" | "const" => self.count(inside)?,
            "uniqueItems" => self.count(value)?,
            "required" | "dependentRequired" => self.count(inside)?,
            "minLength" | "maxLength" => self.spend(value.as_str().map_or(0, str::len) / 64)?,
            "pattern" => {
                if let Some(text) = value.as_str() {
                    self.search(inside.as_str()?, text)?;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// The schemas that a reference may mean. None: nobody knows.
    fn targets(&self, reference: &Value) -> Option<Vec<&'s Value>> {
        let fragment = match reference {
            Value::Bool(_) => "",
            reference => reference.as_str()?.strip_prefix('#')?,
        };
        let root = &self.schema.root;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(vec![root.pointer(&percent_decoded(fragment)?)?]);
        }
        let places = self.schema.anchors.get(&percent_decoded(fragment)?)?;
        places.iter().map(|place| root.pointer(place)).collect()
    }

    /// Looks for a pattern in a text.
    fn search(&mut self, pattern: &str, text: &str) -> Option<()> {
        let steps = states(pattern).saturating_mul(text.len() as u64 + 1) / PATTERN_STEPS;
        self.left = self.left.checked_sub(steps.saturating_add(1))?;
        Some(())
    }

    /// Looks at every part of a value.
    fn count(&mut self, value: &Value) -> Option<()> {
        self.spend(1)?;
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.count(item)),
            Value::Object(members) => members.values().try_for_each(|item| self.count(item)),
            Value::String(text) => self.spend(text.len() / 64),
            _ => Some(()),
        }
    }
}

/// The most states of a pattern: a repeated part counts as often as it is repeated.
fn states(pattern: &str) -> u64 {
    let mut states = pattern.len() as u64;
    for repeat in pattern.split('{').skip(1) {
        let numbers = repeat.split('}').next().unwrap_or_default().split(',');
        let most = numbers
            .filter_map(|number| number.trim().parse::<u64>().ok())
            .max();
        states = states.saturating_mul(most.unwrap_or(1).max(1));
    }
    states
}

fn percent_decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::OUTPUT_SCHEMA;
    use serde_json::json;

    fn guarded(schema: &str) -> Result<Guarded, String> {
        let schema = serde_json::from_str(schema).expect("JSON");
        Guarded::new(schema, &OUTPUT_SCHEMA)
    }

    /// Each level stands for two of the next.
    fn doubling(levels: usize, reference: &str) -> String {
        let level = |n: usize| {
            let next = format!(r##"{{"{reference}":"#/$defs/l{}"}}"##, n + 1);
            format!(r#""l{n}":{{"allOf":[{next},{next}]}}"#)
        };
        let levels_: Vec<String> = (0..levels).map(level).collect();
        format!(
            r##"{{"$ref":"#/$defs/l0","$defs":{{{},"l{levels}":{{"type":"object"}}}}}}"##,
            levels_.join(",")
        )
    }

    #[test]
    fn references_are_counted_however_they_are_spelled() {
        for spelled in [
            "$ref",
            "\\u0024ref",
            "$re\\u0066",
            "\\u0024dynamicRef",
            "$recursiveRef",
        ] {
            let error = guarded(&doubling(24, spelled)).err();
            let error = error.unwrap_or_else(|| panic!("{spelled} is taken"));
            assert!(error.contains("references"), "{spelled}: {error}");
            let few = guarded(&doubling(7, spelled));
            if spelled.contains("ref") || spelled.contains("\\u0066") {
                let few = few.expect("it is taken");
                assert_eq!(few.is_valid(&json!({})), Ok(true), "{spelled}");
            }
        }
    }

    #[test]
    fn work_is_bounded_and_not_size() {
        // Two references, and each level of the value doubles the work.
        let twice = guarded(
            r##"{"anyOf":[{"properties":{"a":{"$ref":"#"}},"required":["b"]},
                {"properties":{"a":{"$ref":"#"}},"required":["c"]}]}"##,
        );
        let twice = twice.expect("it is taken");
        let nested = |depth| (0..depth).fold(json!({}), |inner, _| json!({"a": inner}));
        assert_eq!(twice.is_valid(&nested(3)), Ok(false));
        assert!(twice.is_valid(&nested(60)).is_err());

        let keys = |count: usize| {
            let members = (0..count).map(|n| (format!("key-{n}"), json!(n)));
            Value::Object(members.collect())
        };
        let patterns = |count: usize| {
            let patterns = (0..count).map(|n| (format!("^x{n}[a-z]"), json!({"type": "integer"})));
            let patterns: serde_json::Map<String, Value> = patterns.collect();
            json!({"patternProperties": patterns}).to_string()
        };
        let error = guarded(&patterns(2000)).err().expect("it is refused");
        assert!(error.contains("2000 patterns"), "{error}");
        let many = guarded(&patterns(200)).expect("it is taken");
        assert_eq!(many.is_valid(&keys(100)), Ok(true));
        assert!(many.is_valid(&keys(40_000)).is_err());

        let slow = guarded(r#"{"pattern":"[01]*1[01]{1000}x"}"#);
        if let Ok(slow) = slow {
            assert!(slow.is_valid(&json!("01".repeat(500_000))).is_err());
        }
        let circle = guarded(r##"{"$ref":"#"}"##).expect("it is taken");
        assert!(circle.is_valid(&json!(1)).is_err());
    }

    #[test]
    fn schemas_as_servers_have_them_are_held_against_large_values() {
        let schema = r##"{"type":"object","$defs":{"row":{"type":"object","properties":{
            "id":{"type":"integer"},"name":{"type":"string","pattern":"^[a-z ]+$","maxLength":200},
            "tags":{"type":"array","items":{"enum":["a","b"]}}},"required":["id","name"]}},
            "properties":{"result":{"type":"array","items":{"$ref":"#/$defs/row"}}},"required":["result"]}"##;
        let schema = guarded(schema).expect("it is taken");
        let row = json!({"id": 1, "name": "some name", "tags": ["a", "b"]});
        let rows = json!({"result": vec![row; 20_000]});
        assert_eq!(schema.is_valid(&rows), Ok(true));
        assert_eq!(schema.is_valid(&json!({"result": [{}]})), Ok(false));
        let tree = r##"{"$ref":"#/$defs/t","$defs":{"t":{"$anchor":"tree","type":"object",
            "properties":{"children":{"type":"array","items":{"$ref":"#tree"}}}}}}"##;
        let tree = guarded(tree).expect("it is taken");
        let leaves = json!({"children": vec![json!({"children": []}); 1000]});
        assert_eq!(tree.is_valid(&leaves), Ok(true));
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        for (schema, why) in [
            (
                r##"{"$defs":{"a":{"$id":"http://a/b","$defs":{}}},"$ref":"#/$defs/a"}"##,
                "`$id`",
            ),
            (
                r#"{"allOf":[{"unevaluatedProperties":false},{"unevaluatedProperties":false},
                {"unevaluatedProperties":false},{"unevaluatedProperties":false},{"unevaluatedItems":false}]}"#,
                "unevaluated",
            ),
        ] {
            let error = guarded(schema).err().unwrap_or_else(|| panic!("{schema}"));
            assert!(error.contains(why), "{error}");
        }
    }
}
