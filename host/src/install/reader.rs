//! The server `tamis` (`tamis mcp`), which has the read tool for the wrapped servers of a list.
//!
//! Every wrapped server could list the read tool itself, but then a client has it once for each of them.
//! The model would pay for all and choose among them, and some model APIs refuse two tools of one name.
//! So a list that wraps a server gets one server more, and the wrapped ones do not list the tool. If
//! a list already has another server `tamis`, the wrapped ones list it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::server::{Launch, Server, Stdio};
use super::toml::{Room, end_of_list};
use super::wrap::{Wrapping, quote};
use super::{Client, Format, json as json_text, servers, yaml};

/// The server's name in a client's configuration.
pub const NAME: &str = "tamis";

/// A server that is added to a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// The keys that lead to it.
    pub at: Vec<String>,
    /// The text that is put there.
    pub text: String,
    /// The position in the text from before.
    #[serde(skip)]
    pub position: usize,
}

/// The kind of entry that a list has under the server's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Absent,
    /// The server with the read tool.
    Reader,
    /// Another server.
    Foreign,
}

/// The entry in a list, given all servers of its file. `program`: the command that starts Tamis.
pub fn standing(servers: &[Server], list: &[String], program: &str) -> Standing {
    let found = servers
        .iter()
        .find(|server| server.list() == list && server.name() == NAME);
    match found.map(|server| &server.launch) {
        None => Standing::Absent,
        Some(Launch::Stdio(stdio)) if is_reader(stdio, program) => Standing::Reader,
        Some(_) => Standing::Foreign,
    }
}

/// Whether a command is `tamis mcp`.
pub(super) fn is_reader(stdio: &Stdio, program: &str) -> bool {
    let first = stdio.words().first();
    stdio.is_tamis(program) && first.is_some_and(|word| word.value == "mcp")
}

/// The words after the program.
fn arguments(wrapping: &Wrapping) -> Vec<String> {
    let mut words = vec!["mcp".to_owned()];
    match wrapping.config.as_deref() {
        None => {}
        Some(value) if value.starts_with('-') => words.push(format!("--config={value}")),
        Some(value) => words.extend(["--config".to_owned(), value.to_owned()]),
    }
    words
}

/// The command line of the server.
pub fn line(wrapping: &Wrapping) -> Vec<String> {
    let mut line = vec![wrapping.program.clone()];
    line.extend(arguments(wrapping));
    line
}

/// The server for a list of a client's configuration. None: this does not know how to add one there.
pub(super) fn addition(
    text: &str,
    client: Client,
    list: &[String],
    wrapping: &Wrapping,
) -> Option<Added> {
    let (position, added) = match client.format() {
        Format::Json => {
            let (position, lead) = json_text::end_of_list(text, list)?;
            let entry = spaced(&entry(client, wrapping));
            (position, format!(",{lead}\"{NAME}\": {entry}"))
        }
        Format::Toml => in_toml(text, client, list, wrapping)?,
        Format::Yaml => in_yaml(text, list, wrapping)?,
    };
    let mut at = list.to_vec();
    at.push(NAME.to_owned());
    Some(Added {
        at,
        text: added,
        position,
    })
}

/// The server as the client writes one.
fn entry(client: Client, wrapping: &Wrapping) -> Value {
    let (program, words) = (&wrapping.program, arguments(wrapping));
    match client {
        Client::ClaudeCode | Client::VsCode => {
            json!({"type": "stdio", "command": program, "args": words})
        }
        Client::Zed => json!({"source": "custom", "command": program, "args": words}),
        Client::OpenCode => json!({"type": "local", "command": line(wrapping)}),
        Client::CopilotCli => {
            json!({"type": "local", "command": program, "args": words, "tools": ["*"]})
        }
        Client::Cline => {
            json!({"transport": {"type": "stdio", "command": program, "args": words}})
        }
        _ => json!({"command": program, "args": words}),
    }
}

fn in_toml(
    text: &str,
    client: Client,
    list: &[String],
    wrapping: &Wrapping,
) -> Option<(usize, String)> {
    let quoted = |word: &str| quote(word, Format::Toml);
    let words: Vec<String> = arguments(wrapping)
        .iter()
        .map(|word| quoted(word))
        .collect();
    let mut fields = Vec::new();
    if client == Client::MistralVibe {
        fields.push(format!("name = {}", quoted(NAME)));
        fields.push(format!("transport = {}", quoted("stdio")));
    }
    fields.push(format!("command = {}", quoted(&wrapping.program)));
    fields.push(format!("args = [{}]", words.join(", ")));
    match end_of_list(text, list)? {
        Room::Behind { at, is_array } => {
            let fields = fields.join(", ");
            let key = if is_array {
                String::new()
            } else {
                format!("{NAME} = ")
            };
            Some((at, format!(", {key}{{ {fields} }}")))
        }
        Room::AtEnd { is_array } => {
            let key = list.first()?;
            let header = if is_array {
                format!("[[{key}]]")
            } else {
                format!("[{key}.{NAME}]")
            };
            let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let mut lines = vec![String::new(), header];
            lines.extend(fields);
            let mut added = lines.join(newline) + newline;
            if !text.ends_with('\n') {
                added.insert_str(0, newline);
            }
            Some((text.len(), added))
        }
    }
}

fn in_yaml(text: &str, list: &[String], wrapping: &Wrapping) -> Option<(usize, String)> {
    let quoted = |word: &str| quote(word, Format::Yaml);
    let words: Vec<String> = arguments(wrapping)
        .iter()
        .map(|word| quoted(word))
        .collect();
    let (at, indent) = yaml::end_of_list(text, list)?;
    let newline = yaml::newline(text);
    let lines = [
        format!("{indent}- name: {NAME}"),
        format!("{indent}  command: {}", quoted(&wrapping.program)),
        format!("{indent}  args: [{}]", words.join(", ")),
    ];
    let added = lines.join(newline);
    Some(match text[..at].ends_with('\n') {
        true => (at, added + newline),
        false => (at, format!("{newline}{added}")),
    })
}

/// JSON on one line, with blanks as people write them.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let members: Vec<String> = object
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// Removes an added server: by its exact text if that occurs once, else by its place in the format. None: the
/// server is missing, is another one now, or cannot be cut out.
pub(super) fn without(
    text: &str,
    format: Format,
    lists: &[&[&str]],
    added: &Added,
    program: &str,
) -> Option<String> {
    let before = servers(text, format, lists).ok()?;
    let server = before.iter().find(|server| server.at == added.at)?;
    let Launch::Stdio(stdio) = &server.launch else {
        return None;
    };
    if !is_reader(stdio, program) {
        return None;
    }
    // Nothing else may be lost with it.
    let is_right = |text: &str| {
        servers(text, format, lists).is_ok_and(|after| {
            let names = |servers: &[Server]| -> Vec<Vec<String>> {
                servers.iter().map(|server| server.at.clone()).collect()
            };
            let mut expected = names(&before);
            expected.retain(|at| *at != added.at);
            names(&after) == expected
        })
    };
    let mut places = text.match_indices(&added.text);
    if let (Some((at, found)), None) = (places.next(), places.next()) {
        let text = format!("{}{}", &text[..at], &text[at + found.len()..]);
        if is_right(&text) {
            return Some(text);
        }
    }
    if server.whole.is_empty() {
        return None;
    }
    let text = cut(text, &server.whole)?;
    is_right(&text).then_some(text)
}

fn cut(text: &str, ranges: &[Range<usize>]) -> Option<String> {
    let splices = ranges
        .iter()
        .map(|range| super::splice::Splice::new(range.clone(), ""))
        .collect();
    super::splice::apply(text, splices)
}
