//! Headers that repeat parts of a request's body, so that programs between client and server can route the
//! request without reading it (protocol 2026-07-28): `Mcp-Method`, `Mcp-Name`, and `Mcp-Param-NAME` for
//! arguments that the tool's schema marks with `x-mcp-header`.
//!
//! If no program compares the two, a header can contradict the body. So where Tamis is the HTTP server, it
//! compares them, and where Tamis is the client, it writes the headers.

use crate::lock::lock;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

/// Marks an encoded value: no header can carry the value itself.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// Marks an argument in a tool's schema.
const MARK: &str = "x-mcp-header";

/// Tools whose marked arguments are known: more than a server lists.
const TOOLS_KNOWN: usize = 10_000;

/// The arguments of listed tools that are repeated in headers.
#[derive(Debug, Default)]
pub(super) struct Marked {
    by_tool: Mutex<HashMap<String, Vec<Argument>>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Argument {
    /// The names of members, from the arguments down.
    path: Vec<String>,
    /// The name after `Mcp-Param-`.
    header: String,
}

impl Marked {
    /// Learns from the result of a `tools/list`.
    pub(super) fn learn(&self, result: &Value) {
        let tools = result["tools"].as_array().into_iter().flatten();
        let mut by_tool = self.lock();
        for tool in tools {
            let Some(name) = tool["name"].as_str() else {
                continue;
            };
            let mut marked = Vec::new();
            find(&tool["inputSchema"], &mut Vec::new(), &mut marked);
            if marked.is_empty() {
                by_tool.remove(name);
            } else if by_tool.len() < TOOLS_KNOWN {
                by_tool.insert(name.to_owned(), marked);
            }
        }
    }

    /// Whether arguments of this tool are repeated in headers.
    pub(super) fn knows(&self, tool: &str) -> bool {
        self.lock().contains_key(tool)
    }

    /// The headers that a request must have.
    pub(super) fn expected(&self, request: &Value) -> Vec<(String, Option<String>)> {
        let Some(method) = request["method"].as_str() else {
            return Vec::new();
        };
        let params = &request["params"];
        let mut headers = vec![("mcp-method".to_owned(), Some(method.to_owned()))];
        let named = match method {
            "tools/call" | "prompts/get" => &params["name"],
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => &params["uri"],
            "tasks/get" | "tasks/update" | "tasks/cancel" => &params["taskId"],
            _ => &Value::Null,
        };
        if let Some(name) = named.as_str() {
            headers.push(("mcp-name".to_owned(), Some(name.to_owned())));
        }
        if method == "tools/call"
            && let Some(tool) = params["name"].as_str()
            && let Some(marked) = self.lock().get(tool)
        {
            for Argument { path, header } in marked {
                let arguments = Some(&params["arguments"]);
                let value = path.iter().fold(arguments, |value, name| value?.get(name));
                let text = value.and_then(as_text);
                headers.push((format!("mcp-param-{}", header.to_ascii_lowercase()), text));
            }
        }
        headers
    }

    /// Whether a request's headers agree with its body. An error names the difference.
    pub(super) fn check(&self, headers: &HeaderMap, request: &Value) -> Result<(), String> {
        for (name, expected) in self.expected(request) {
            let mut given = headers.get_all(&name).iter();
            let (first, more) = (given.next(), given.next());
            if more.is_some() {
                return Err(format!("the request has several {name} headers"));
            }
            let given = match first.map(HeaderValue::to_str) {
                None => None,
                Some(Ok(text)) => {
                    Some(decode(text).ok_or_else(|| format!("{name} is not valid Base64"))?)
                }
                Some(Err(_)) => {
                    return Err(format!("{name} has characters that no header may have"));
                }
            };
            match (given, expected) {
                (None, None) => {}
                (Some(given), Some(expected)) if given == expected => {}
                (None, Some(_)) => return Err(format!("the header {name} is missing")),
                (Some(_), None) => {
                    return Err(format!("{name} is present, and the argument is missing"));
                }
                (Some(given), Some(expected)) => {
                    return Err(format!(
                        "{name} is `{given}`, and the body says `{expected}`"
                    ));
                }
            }
        }
        Ok(())
    }

    /// The headers for a request that Tamis makes.
    pub(super) fn headers(&self, request: &Value) -> HeaderMap {
        let expected = self.expected(request).into_iter();
        let pairs = expected.filter_map(|(name, value)| {
            let name: HeaderName = name.parse().ok()?;
            Some((name, HeaderValue::from_str(&encode(&value?)).ok()?))
        });
        pairs.collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<Argument>>> {
        lock(&self.by_tool)
    }
}

/// Why a tool's schema has marks that no client may follow; none: its marks are valid.
pub(super) fn fault(schema: &Value) -> Option<String> {
    let mut headers = HashSet::new();
    fault_within(schema, true, true, &mut headers)
}

/// `is_reached`: by `properties` alone.
fn fault_within(
    schema: &Value,
    is_root: bool,
    is_reached: bool,
    headers: &mut HashSet<String>,
) -> Option<String> {
    let members = match schema {
        Value::Object(members) => members,
        Value::Array(items) => {
            let mut items = items.iter();
            return items.find_map(|item| fault_within(item, false, false, headers));
        }
        _ => return None,
    };
    if let Some(mark) = members.get(MARK) {
        if is_root || !is_reached {
            return Some(format!("{MARK} marks something that is no argument"));
        }
        let is_token = |name: &&str| {
            let is_fit = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
            !name.is_empty() && name.chars().all(is_fit)
        };
        let Some(name) = mark.as_str().filter(is_token) else {
            return Some(format!("{MARK} is {mark}, which is no header's name"));
        };
        if !headers.insert(name.to_ascii_lowercase()) {
            return Some(format!("two arguments are marked with {name}"));
        }
        let kind = members.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            return Some(format!(
                "{name} marks an argument that is no string, integer or boolean"
            ));
        }
    }
    members.iter().find_map(|(key, value)| match key.as_str() {
        // Data, not schemas.
        "default" | "const" | "enum" | "examples" | MARK => None,
        "properties" => {
            let properties = value.as_object().into_iter().flatten();
            properties
                .map(|(_, schema)| schema)
                .find_map(|schema| fault_within(schema, false, is_reached, headers))
        }
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" => {
            let schemas = value.as_object().into_iter().flatten();
            schemas
                .map(|(_, schema)| schema)
                .find_map(|schema| fault_within(schema, false, false, headers))
        }
        _ => fault_within(value, false, false, headers),
    })
}

/// Marks count where `properties` alone lead to them.
fn find(schema: &Value, path: &mut Vec<String>, marked: &mut Vec<Argument>) {
    // Deeper than any schema that is written by hand.
    if path.len() > 32 {
        return;
    }
    let properties = schema["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        path.push(name.clone());
        if let Some(header) = schema[MARK].as_str().filter(|name| !name.is_empty()) {
            marked.push(Argument {
                path: path.clone(),
                header: header.to_owned(),
            });
        }
        find(schema, path, marked);
        path.pop();
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

fn encode(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim() == value
        && !(value.starts_with(ENCODED.0) && value.ends_with(ENCODED.1));
    if is_plain {
        return value.to_owned();
    }
    let (before, after) = ENCODED;
    format!("{before}{}{after}", BASE64_STANDARD.encode(value))
}

fn decode(value: &str) -> Option<String> {
    let inner = value.strip_prefix(ENCODED.0);
    match inner.and_then(|inner| inner.strip_suffix(ENCODED.1)) {
        None => Some(value.to_owned()),
        Some(inner) => String::from_utf8(BASE64_STANDARD.decode(inner).ok()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn marked() -> Marked {
        let marked = Marked::default();
        marked.learn(
            &json!({"tools": [{"name": "t", "inputSchema": {"properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "deep": {"properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
                "items": {"items": {"x-mcp-header": "Not-Reached"}},
            }}}]}),
        );
        marked
    }

    #[test]
    fn so_many_tools_are_known_and_those_stay() {
        let marked = Marked::default();
        for first in [0, TOOLS_KNOWN] {
            let tools = (first..first + TOOLS_KNOWN).map(|name| {
                json!({"name": name.to_string(), "inputSchema": {"properties": {
                    "a": {"type": "string", "x-mcp-header": "A"},
                }}})
            });
            marked.learn(&json!({"tools": tools.collect::<Vec<_>>()}));
            assert_eq!(marked.lock().len(), TOOLS_KNOWN);
        }
        assert!(marked.knows("0") && !marked.knows(&TOOLS_KNOWN.to_string()));
    }

    #[test]
    fn what_is_written_passes_the_check() {
        for arguments in [
            json!({"region": "eu", "deep": {"n": 7}}),
            json!({"region": " ä\n", "deep": {}}),
            json!({"region": "=?base64?eA==?="}),
            json!({"region": null}),
            json!({}),
        ] {
            let request =
                json!({"method": "tools/call", "params": {"name": "t", "arguments": arguments}});
            let headers = marked().headers(&request);
            assert_eq!(marked().check(&headers, &request), Ok(()), "{headers:?}");
            assert!(!headers.contains_key("mcp-param-not-reached"));
        }
    }

    #[test]
    fn marks_that_no_client_may_follow_are_named() {
        let argument = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
        let marked =
            |mark: Value, kind: &str| argument(json!({"type": kind, "x-mcp-header": mark}));
        for sound in [
            json!({}),
            marked(json!("Region"), "string"),
            argument(marked(json!("N"), "integer")),
            argument(json!({"default": {"x-mcp-header": ""}})),
        ] {
            assert_eq!(fault(&sound), None, "{sound}");
        }
        for faulty in [
            json!({"x-mcp-header": "Root"}),
            marked(json!(""), "string"),
            marked(json!(null), "string"),
            marked(json!("two words"), "string"),
            marked(json!("N"), "number"),
            argument(json!({"items": {"type": "string", "x-mcp-header": "N"}})),
            json!({"$defs": {"d": {"type": "string", "x-mcp-header": "N"}}}),
            json!({"properties": {
                "a": {"type": "string", "x-mcp-header": "Same"},
                "b": {"type": "string", "x-mcp-header": "same"},
            }}),
        ] {
            assert!(fault(&faulty).is_some(), "{faulty}");
        }
    }

    #[test]
    fn headers_that_say_something_else_are_named() {
        let call = |name: &str, arguments: Value| json!({"method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let request = call("t", json!({"region": "eu"}));
        let refused = |body: &Value| marked().check(&marked().headers(body), &request);
        assert_eq!(refused(&request), Ok(()));
        for (other, header) in [
            (json!({"method": "tools/list"}), "mcp-method"),
            (call("u", json!({})), "mcp-name"),
            (call("t", json!({"region": "us"})), "mcp-param-region"),
            (call("t", json!({})), "mcp-param-region"),
            (
                call("t", json!({"region": "eu", "deep": {"n": 1}})),
                "mcp-param-n",
            ),
        ] {
            let why = refused(&other).expect_err("it is another request");
            assert!(why.contains(header), "{why}");
        }
        let mut twice = marked().headers(&request);
        twice.append("mcp-name", HeaderValue::from_static("t"));
        assert!(marked().check(&twice, &request).is_err());
    }
}
