//! Servers in JSON with comments: where their commands and arguments are.

use std::iter::once;
use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::details::Details;
use super::server::{Arguments, Launch, Server, Stdio, Word};
use super::{Unusable, broken, surrogates};

/// The mark at the start of a configuration that some editors of Windows save.
const BOM: &str = "\u{feff}";

/// The syntax that clients accept: JSON, with the additions of VS Code and Zed.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The servers under the keys `lists`; see [`super::servers`].
pub(super) fn servers(text: &str, lists: &[&[&str]]) -> Result<Vec<Server>, Unusable> {
    let base = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let body = surrogates::replaced(&text[base..]);
    let parsed = parse_to_ast(&body, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| broken(text, base + error.range().start, error.kind().to_string()))?;
    let reader = Reader { text, base };
    let mut servers = Vec::new();
    match parsed.value {
        // An empty file has no servers.
        None => {}
        Some(Value::Object(root)) => {
            for keys in lists {
                reader.find(&root, keys, &mut Vec::new(), &mut servers)?;
            }
        }
        Some(other) => {
            return Err(broken(text, base + other.start(), "it is not an object"));
        }
    }
    Ok(servers)
}

/// The position for another server in a list that has one, and the blanks before it.
pub(super) fn end_of_list(text: &str, list: &[String]) -> Option<(usize, String)> {
    let base = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let body = surrogates::replaced(&text[base..]);
    let parsed = parse_to_ast(&body, &CollectOptions::default(), &OPTIONS).ok()?;
    let mut object = match parsed.value? {
        Value::Object(root) => root,
        _ => return None,
    };
    for key in list {
        let place = object
            .properties
            .iter()
            .position(|property| property.name.as_str() == key)?;
        object = match object.properties.swap_remove(place).value {
            Value::Object(inner) => inner,
            _ => return None,
        };
    }
    let last = object.properties.last()?;
    let before = &text[..last.start() + base];
    let lead = before[before.trim_end().len()..].to_owned();
    Some((last.end() + base, lead))
}

/// The other settings of a server. Some clients have them in an object with the command.
fn details(server: &Object<'_>) -> Details {
    let own = Details::read(
        |key| scalar(&server.get(key)?.value),
        |key| match server.get(key).map(|property| &property.value) {
            Some(Value::Object(table)) => {
                let pairs = table.properties.iter();
                let pair = |property: &ObjectProp<'_>| {
                    Some((property.name.as_str().to_owned(), scalar(&property.value)?))
                };
                pairs.filter_map(pair).collect()
            }
            _ => Vec::new(),
        },
    );
    let inner = ["transport", "command"]
        .iter()
        .find_map(|key| match &server.get(key)?.value {
            Value::Object(inner) => Some(inner),
            _ => None,
        });
    match inner {
        Some(inner) => own.with(details(inner)),
        None => own,
    }
}

fn scalar(value: &Value<'_>) -> Option<String> {
    match value {
        Value::StringLit(text) => Some(text.value.to_string()),
        Value::NumberLit(number) => Some(number.value.to_owned()),
        Value::BooleanLit(truth) => Some(truth.value.to_string()),
        _ => None,
    }
}

struct Reader<'t> {
    text: &'t str,
    /// The position of the parsed text in the whole.
    base: usize,
}

impl Reader<'_> {
    fn find(
        &self,
        object: &Object<'_>,
        keys: &[&str],
        at: &mut Vec<String>,
        servers: &mut Vec<Server>,
    ) -> Result<(), Unusable> {
        let Some((key, rest)) = keys.split_first() else {
            for (index, property) in object.properties.iter().enumerate() {
                let name = property.name.as_str();
                let others = &object.properties[index + 1..];
                let is_twice = others.iter().any(|other| other.name.as_str() == name)
                    || object.properties[..index]
                        .iter()
                        .any(|other| other.name.as_str() == name);
                let launch = match &property.value {
                    _ if is_twice => Launch::Unclear("it is defined twice".to_owned()),
                    Value::Object(server) => self.launch(server, "command"),
                    _ => Launch::Unclear("it is not an object".to_owned()),
                };
                let details = match &property.value {
                    Value::Object(server) => details(server),
                    _ => Details::default(),
                };
                let mut at = at.clone();
                at.push(name.to_owned());
                servers.push(Server {
                    at,
                    launch,
                    details,
                    whole: self.whole(object, property),
                });
            }
            return Ok(());
        };
        let mut found = 0;
        for property in &object.properties {
            let name = property.name.as_str();
            if *key != "*" && name != *key {
                continue;
            }
            found += 1;
            if *key != "*" && found > 1 {
                let message = format!("duplicate `{key}`");
                return Err(broken(self.text, self.base + property.start(), message));
            }
            if let Value::Object(inner) = &property.value {
                at.push(name.to_owned());
                self.find(inner, rest, at, servers)?;
                at.pop();
            }
        }
        Ok(())
    }

    fn launch(&self, server: &Object<'_>, key: &str) -> Launch {
        for key in [key, "args", "transport"] {
            if server
                .properties
                .iter()
                .filter(|property| property.name.as_str() == key)
                .count()
                > 1
            {
                return Launch::Unclear(format!("duplicate `{key}`"));
            }
        }
        let Some(property) = server.get(key) else {
            // Cline has the command in an object of its own.
            if let Some(Value::Object(transport)) =
                server.get("transport").map(|property| &property.value)
                && key == "command"
            {
                return self.launch(transport, key);
            }
            let address = ["url", "serverUrl", "httpUrl"];
            return match address.iter().find_map(|key| server.get_string(key)) {
                Some(address) => Launch::Remote(address.value.to_string()),
                None => Launch::Unclear("it has no command".to_owned()),
            };
        };
        let command = match &property.value {
            Value::StringLit(_) => self.word(&property.value),
            // Zed had the whole command under this key once.
            Value::Object(command) if key == "command" => return self.launch(command, "path"),
            Value::Array(words) => return self.line(server, words),
            _ => None,
        };
        let Some(command) = command else {
            return Launch::Unclear(format!("`{key}` is not a string"));
        };
        let arguments = match server.get("args") {
            None => self.missing(property),
            Some(arguments) => match self.listed(server, arguments) {
                Some(listed) => listed,
                None => return Launch::Unclear("`args` is not a list of strings".to_owned()),
            },
        };
        Launch::Stdio(Stdio { command, arguments })
    }

    /// A command that is a list with its arguments.
    fn line(&self, server: &Object<'_>, list: &Array<'_>) -> Launch {
        if server.get("args").is_some() {
            return Launch::Unclear("`command` is a list, and `args` is set too".to_owned());
        }
        let words: Option<Vec<Word>> = list
            .elements
            .iter()
            .map(|element| self.word(element))
            .collect();
        let Some(mut words) = words else {
            return Launch::Unclear("`command` is not a list of strings".to_owned());
        };
        if words.is_empty() {
            return Launch::Unclear("its command is empty".to_owned());
        }
        let span = self.span(list);
        Launch::Stdio(Stdio {
            command: words.remove(0),
            arguments: Arguments::Behind {
                inside: span.start + 1..span.end - 1,
                words,
            },
        })
    }

    fn word(&self, value: &Value<'_>) -> Option<Word> {
        let Value::StringLit(text) = value else {
            return None;
        };
        Some(Word {
            span: self.span(value),
            value: text.value.to_string(),
        })
    }

    fn listed(&self, server: &Object<'_>, property: &ObjectProp<'_>) -> Option<Arguments> {
        let Value::Array(list) = &property.value else {
            return None;
        };
        let span = self.span(list);
        let words = list.elements.iter().map(|value| self.word(value));
        Some(Arguments::Listed {
            inside: span.start + 1..span.end - 1,
            words: words.collect::<Option<_>>()?,
            whole: self.whole(server, property),
            separator: None,
        })
    }

    /// A list is put right behind the command, in the way in which the command stands there.
    fn missing(&self, command: &ObjectProp<'_>) -> Arguments {
        let key = self.span(&command.name).start;
        let value = self.span(&command.value);
        let before = &self.text[..key];
        let lead = &before[before.trim_end().len()..];
        let colon = &self.text[self.span(&command.name).end..value.start];
        let colon = if colon.ends_with(char::is_whitespace) {
            ": "
        } else {
            ":"
        };
        Arguments::Missing {
            at: value.end,
            before: format!(",{lead}\"args\"{colon}"),
            after: String::new(),
        }
    }

    /// The ranges to cut to remove a property, with its one comma.
    fn whole(&self, server: &Object<'_>, property: &ObjectProp<'_>) -> Vec<Range<usize>> {
        let span = self.span(property);
        let index = server
            .properties
            .iter()
            .position(|other| other.start() == property.start());
        let before = index.and_then(|index| server.properties.get(index.checked_sub(1)?));
        if let Some(before) = before {
            let before = self.span(before).end;
            if self.text[before..span.start].trim() == "," {
                return once(before..span.end).collect();
            }
            let comma = comma(self.text, before..span.start);
            return comma.into_iter().chain([span]).collect();
        }
        let end = server
            .properties
            .get(1)
            .map_or(server.end() + self.base, |next| self.span(next).start);
        if self.text[span.end..end].trim() == "," {
            return once(span.start..end).collect();
        }
        let comma = comma(self.text, span.end..end);
        comma.into_iter().chain([span]).collect()
    }

    fn span(&self, node: &impl Ranged) -> Range<usize> {
        node.start() + self.base..node.end() + self.base
    }
}

/// The comma in a part of a text that has but commas, comments (of JSON or TOML) and blanks.
pub(super) fn comma(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let mut at = part.start;
    while at < part.end {
        let rest = &text[at..part.end];
        if rest.starts_with(',') {
            return Some(at..at + 1);
        }
        at += if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n')?
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else {
            rest.chars().next()?.len_utf8()
        };
    }
    None
}
