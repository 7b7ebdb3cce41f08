//! The JSON Schema of filters.toml, for editors.
//!
//! Draft 7, because TOML language servers (taplo, Even Better TOML) know it. They complete keys from
//! `properties`, `allOf` and `anyOf`, and underline what `if`/`then` refuses. So the schema contains the
//! settings of the built-in filters twice: all together as possible keys of a step (each `anyOf` itself or
//! anything, which refuses nothing), and once for the step with that filter.

use serde_json::{Map, Value, json};

use super::super::defaults::{LIMITS, LimitRow, SERVE_LIMITS, Unit};
use super::{CHAIN, FILE, PLUGIN, STEP, Table, Takes, Without};

/// The name of a filter or of a list of steps.
const NAME_OF_STEPS: &str = "^[a-z0-9][a-z0-9-]{0,63}$";

/// A built-in filter and the JSON Schema of its settings.
pub type BuiltInSettings<'a> = (&'a str, Value);

/// The schema, with the settings of these filters.
pub fn schema(filters: &[BuiltInSettings<'_>]) -> Value {
    let mut definitions = Map::new();
    let names: Vec<&str> = filters.iter().map(|(name, _)| *name).collect();
    let of_call = "Limits of one call of a filter, and of compiling its plugin.";
    definitions.insert("limits".to_owned(), limits(of_call, &LIMITS));
    let of_serve = "Bounds on what callers of `tamis serve` may use.";
    definitions.insert("serve-limits".to_owned(), limits(of_serve, &SERVE_LIMITS));
    definitions.insert("step".to_owned(), step(filters, &names));
    for (name, settings) in filters {
        definitions.insert(format!("filter-{name}"), filter(name, settings));
        let defined = settings.get("$defs").and_then(Value::as_object);
        for (key, value) in defined.into_iter().flatten() {
            definitions.insert(format!("{name}-{key}"), draft_7(name, value));
        }
    }
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "filters.toml",
    });
    let file = table(&FILE);
    merge(&mut schema, file);
    schema["definitions"] = definitions.into();
    schema
}

fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}

fn table(table: &Table) -> Value {
    let properties: Map<String, Value> = table
        .keys
        .iter()
        .map(|key| {
            let mut value = takes(&key.takes);
            if !key.meaning.is_empty() {
                value["description"] = sentence(key.meaning).into();
            }
            if key.without == Without::Example
                && let Some(default) = json_of(key.example)
            {
                value["default"] = default;
            }
            (key.name.to_owned(), value)
        })
        .collect();
    let mut schema = json!({
        "description": table.about,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    let required: Vec<&str> = table
        .keys
        .iter()
        .filter(|key| key.without == Without::Refused)
        .map(|key| key.name)
        .collect();
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    if std::ptr::eq(table.keys, CHAIN.keys) {
        schema["allOf"] = bound_to_what_on_says();
    }
    if std::ptr::eq(table.keys, PLUGIN.keys) {
        schema["oneOf"] = json!([{"required": ["path"]}, {"required": ["oci"]}]);
    }
    schema
}

/// `tools` is required for kinds of output that are named by tool, and invalid for others; likewise
/// `prompts` and `resources`.
fn bound_to_what_on_says() -> Value {
    let on_has = |surfaces: Value| json!({"properties": {"on": {"contains": {"enum": surfaces}}}, "required": ["on"]});
    let by_tool = json!(["result", "description", "history", "arguments"]);
    json!([
        {
            "if": {"anyOf": [{"not": {"required": ["on"]}}, on_has(by_tool)]},
            "then": {"required": ["tools"]},
            "else": {"properties": {"tools": false}},
        },
        {"if": {"required": ["prompts"]}, "then": on_has(json!(["prompt"]))},
        {"if": {"required": ["resources"]}, "then": on_has(json!(["resource"]))},
    ])
}

fn takes(takes_: &Takes) -> Value {
    match takes_ {
        Takes::Text { pattern: "", .. } => json!({"type": "string"}),
        Takes::Text { pattern, .. } => json!({"type": "string", "pattern": pattern}),
        Takes::Flag => json!({"type": "boolean"}),
        Takes::Any => json!({}),
        Takes::Object => json!({"type": "object"}),
        Takes::Count { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Takes::Word(words) => json!({"type": "string", "enum": words()}),
        Takes::Amount(unit) => amount(*unit),
        Takes::List {
            items,
            may_be_empty,
        } => {
            let mut list = json!({"type": "array", "items": takes(items)});
            if !may_be_empty {
                list["minItems"] = 1.into();
            }
            list
        }
        Takes::Either(all) => json!({"anyOf": all.iter().map(takes).collect::<Vec<_>>()}),
        Takes::Limits => json!({"allOf": [{"$ref": "#/definitions/limits"}]}),
        Takes::ServeLimits => json!({"allOf": [{"$ref": "#/definitions/serve-limits"}]}),
        Takes::Steps => json!({
            "type": "array", "items": {"$ref": "#/definitions/step"},
        }),
        Takes::NamedSteps => json!({
            "type": "object",
            "propertyNames": {"pattern": NAME_OF_STEPS},
            "additionalProperties": {
                "type": "array", "items": {"$ref": "#/definitions/step"}, "minItems": 1,
            },
        }),
        Takes::Table(of) => table(of),
        Takes::Tables(of) => json!({"type": "array", "items": table(of)}),
        Takes::Named(of) => json!({"type": "object", "additionalProperties": table(of)}),
    }
}

fn amount(unit: Unit) -> Value {
    let suffixes: Vec<&str> = unit.suffixes().iter().map(|(suffix, _)| *suffix).collect();
    json!({"type": "string", "pattern": format!("^[0-9]+({})$", suffixes.join("|"))})
}

fn limits<K>(about: &str, rows: &[LimitRow<K>]) -> Value {
    let properties: Map<String, Value> = rows
        .iter()
        .map(|row| {
            let mut value = match row.unit {
                Unit::Count => {
                    json!({"type": "integer", "minimum": row.least, "maximum": row.most})
                }
                unit => amount(unit),
            };
            let (least, most) = (row.unit.show(row.least), row.unit.show(row.most));
            value["description"] = sentence(&format!("{}. {least} to {most}", row.why)).into();
            value["default"] = json_of(&row.example()).unwrap_or_default();
            (row.name.to_owned(), value)
        })
        .collect();
    json!({
        "description": about,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// A step: a name, or a table whose settings are those of its filter.
fn step(filters: &[BuiltInSettings<'_>], names: &[&str]) -> Value {
    let own = table(&STEP)["properties"].take();
    let mut properties = own.as_object().cloned().unwrap_or_default();
    properties["filter"]["anyOf"] = json!([{"enum": names}, {}]);
    for (filter, settings) in filters {
        for (key, value) in members(settings) {
            let known = properties
                .entry(key)
                .or_insert_with(|| json!({"anyOf": []}));
            let about = value["description"].as_str().unwrap_or_default();
            let before = known["description"].as_str().map(str::to_owned);
            let before = before.map_or(String::new(), |text| text + "\n\n");
            known["description"] = format!("{before}`{filter}`: {about}").into();
            if let Some(any) = known["anyOf"].as_array_mut() {
                any.retain(|form| *form != json!({}));
                any.push(draft_7(filter, value));
                any.push(json!({}));
            }
        }
    }
    let mut all = vec![
        json!({"anyOf": [{"enum": names}, {}]}),
        json!({"properties": properties, "required": ["filter"]}),
    ];
    let of = |(name, _): &BuiltInSettings<'_>| {
        json!({
            "if": {"type": "object", "properties": {"filter": {"const": name}}, "required": ["filter"]},
            "then": {"$ref": format!("#/definitions/filter-{name}")},
        })
    };
    all.extend(filters.iter().map(of));
    json!({
        "description": STEP.about,
        "type": ["string", "object"],
        "pattern": NAME_OF_STEPS,
        "allOf": all,
    })
}

fn members(settings: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = settings.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

/// A step of one filter: its settings, and the keys that every step has.
fn filter(name: &str, settings: &Value) -> Value {
    let mut schema = draft_7(name, settings);
    let Some(object) = schema.as_object_mut() else {
        return schema;
    };
    for gone in ["$schema", "$defs", "title"] {
        object.shift_remove(gone);
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.extend(
            STEP.names()
                .into_iter()
                .map(|key| (key.to_owned(), json!({}))),
        );
    }
    schema
}

/// A schema of a filter's settings in the older draft. TOML has no null, so the converted schema does not allow
/// it.
fn draft_7(filter: &str, schema: &Value) -> Value {
    let Value::Object(object) = schema else {
        return schema.clone();
    };
    let mut new = Map::new();
    for (key, value) in object {
        let value = match (key.as_str(), value) {
            ("default", Value::Null) | ("format", _) => continue,
            ("properties" | "patternProperties", Value::Object(members)) => {
                let members = members.iter();
                let members: Map<String, Value> = members
                    .map(|(key, value)| (key.clone(), draft_7(filter, value)))
                    .collect();
                members.into()
            }
            ("anyOf" | "allOf" | "oneOf", Value::Array(all)) => {
                all.iter().map(|one| draft_7(filter, one)).collect()
            }
            ("items" | "additionalProperties" | "not", value) => draft_7(filter, value),
            ("type", Value::Array(types)) => {
                let types: Vec<&Value> = types.iter().filter(|one| *one != "null").collect();
                match types.as_slice() {
                    [one] => (*one).clone(),
                    types => json!(types),
                }
            }
            _ => value.clone(),
        };
        new.insert(key.clone(), value);
    }
    if object.get("format") == Some(&json!("uint32")) {
        new.insert("maximum".to_owned(), u32::MAX.into());
    }
    if let Some(Value::Array(any)) = new.get_mut("anyOf") {
        any.retain(|one| *one != json!({"type": "null"}));
        if any.len() == 1
            && let Some(one) = new.shift_remove("anyOf")
        {
            new.insert("allOf".to_owned(), one);
        }
    }
    if let Some(Value::String(reference)) = new.get("$ref")
        && let Some(of) = reference.strip_prefix("#/$defs/")
    {
        let reference = json!({"$ref": format!("#/definitions/{filter}-{of}")});
        // In this draft, other keywords next to a `$ref` are ignored.
        if new.len() == 1 {
            return reference;
        }
        new.shift_remove("$ref");
        new.insert("allOf".to_owned(), json!([reference]));
    }
    new.into()
}

/// A value as spelled in filters.toml.
fn json_of(toml: &str) -> Option<Value> {
    let table: toml::Table = toml::from_str(&format!("value = {toml}")).ok()?;
    serde_json::to_value(table.get("value")?).ok()
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    let text: String = first.into_iter().flatten().chain(characters).collect();
    if text.ends_with('.') {
        text
    } else {
        text + "."
    }
}
