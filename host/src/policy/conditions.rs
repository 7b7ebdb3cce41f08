//! When a chain gets a piece of output: of which servers (`servers`), errors or not (`errors`), of which calls and
//! clients and from which size (`when`).

use serde_json::Value;

use super::code::Code;
use super::defaults::Unit;
use super::keys;
use super::pattern::{self, ToolPattern};
use super::raw::{self, Fields, Findings};
use super::report::Finding;
use super::source::Span;
use super::surface::Surface;
use crate::file_text::{Reads, reads};
use crate::json;

/// A piece of a server's output, as far as it is known. A field that is none is not known yet.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The kind of output.
    pub surface: Surface,
    /// Name of the tool or prompt, or the URI of the resource; empty for output without a name.
    pub name: &'a str,
    /// The server's name in the policy.
    pub server: Option<&'a str>,
    /// The call's arguments: a JSON object.
    pub arguments: Option<&'a str>,
    /// The client's name; empty if it gave none.
    pub client: Option<&'a str>,
    /// The result of a tool.
    pub result: Option<ResultFacts>,
}

/// The facts about a result that choose its chain.
#[derive(Debug, Clone, Copy)]
pub struct ResultFacts {
    /// The tool says that it failed (`isError`).
    pub is_error: bool,
    /// Size of the result as the server sent it.
    pub bytes: usize,
    /// A JSON object begins with one of the first lines of its text.
    pub is_object: bool,
}

impl ResultFacts {
    /// The facts of a text that is no error.
    pub fn of_text(text: &str) -> ResultFacts {
        ResultFacts {
            is_error: false,
            bytes: text.len(),
            is_object: text
                .trim_start_matches('\u{feff}')
                .trim_start()
                .lines()
                .take(FIRST_LINES)
                .any(|line| line.starts_with('{')),
        }
    }

    /// The facts of a result as MCP has it, or of any other text, which is no error.
    pub fn of(result: &[u8]) -> ResultFacts {
        let is_object = result.trim_ascii_start().first() == Some(&b'{');
        let [is_error, content] = match is_object {
            true => json::members(result, ["isError", "content"]),
            false => [const { None }; 2],
        };
        ResultFacts {
            is_error: is_error.is_some_and(|span| result[span].trim_ascii() == b"true"),
            bytes: result.len(),
            is_object: match content {
                Some(span) => begins_as_object(&result[span]),
                None => is_object,
            },
        }
    }

    /// Whether a call that reads this reads a file that someone edits.
    pub fn reads_file(&self, reads: Reads) -> bool {
        match reads {
            Reads::Nothing => false,
            Reads::Json => self.is_object,
            Reads::Text => true,
        }
    }
}

impl<'a> Piece<'a> {
    /// A piece of which only the kind and the name are known.
    pub const fn new(surface: Surface, name: &'a str) -> Piece<'a> {
        Piece {
            surface,
            name,
            server: None,
            arguments: None,
            client: None,
            result: None,
        }
    }

    /// Any message of a server.
    pub const fn of_message(server: &'a str) -> Piece<'a> {
        Piece {
            server: Some(server),
            ..Piece::new(Surface::Message, "")
        }
    }
}

/// The lines, and bytes as JSON spells them, in which a JSON object may begin.
const FIRST_LINES: usize = 5;
const FIRST_BYTES: usize = 1_000;

/// Whether a JSON object begins with one of the first lines of the first of these blocks.
fn begins_as_object(content: &[u8]) -> bool {
    let mut text = None;
    let block = content.strip_prefix(b"[").unwrap_or(content);
    json::each_member(block, |key, value| {
        if &*key == b"text" {
            text = Some(&block[value]);
        }
    });
    let Some(mut text) = text.and_then(|text| text.strip_prefix(b"\"")) else {
        return false;
    };
    while let Some(rest) = [&b"\\n"[..], b"\\r", b"\\t", b" ", json::BYTE_ORDER_MARK]
        .iter()
        .find_map(|blank| text.strip_prefix(*blank))
    {
        text = rest;
    }
    // Servers put a line before a file: `[Reading 23 lines from the start]`.
    let mut lines = memchr::memmem::find_iter(&text[..text.len().min(FIRST_BYTES)], b"\\n");
    text.starts_with(b"{") || {
        lines
            .by_ref()
            .take(FIRST_LINES - 1)
            .any(|end| text[end + 2..].starts_with(b"{"))
    }
}

/// Whether a chain gets a piece of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    No,
    /// The fit depends on facts that are not known yet.
    Maybe,
    Yes,
}

/// The conditions of a chain. All of them must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Names of servers; empty: all.
    pub servers: Vec<ToolPattern>,
    /// Only results that are errors, or only those that are none.
    pub errors: Option<bool>,
    /// Arguments of the call by name, and the patterns for their values.
    pub arguments: Vec<(String, ToolPattern)>,
    /// Only calls that read a file that someone edits, or only others.
    pub reads_file: Option<bool>,
    /// Least size of the result, less one byte.
    pub larger_than: Option<u64>,
    /// Names of clients, in lower case; empty: all.
    pub client: Vec<ToolPattern>,
}

impl Conditions {
    /// Whether they may depend on the result.
    pub fn need_result(&self) -> bool {
        self.errors.is_some() || self.larger_than.is_some() || self.reads_file.is_some()
    }

    /// Whether all hold.
    pub fn fit(&self, piece: &Piece<'_>) -> Fit {
        // Without `..`, so that the compiler names a condition that was forgotten here.
        let Conditions {
            servers,
            errors,
            arguments,
            reads_file,
            larger_than,
            client,
        } = self;
        let named = |patterns: &[ToolPattern], name: Option<&str>| match name {
            _ if patterns.is_empty() => Fit::Yes,
            None => Fit::Maybe,
            Some(name) => of(pattern::matches_any(patterns, name)),
        };
        let client_name = match client[..] {
            [] => None,
            _ => piece.client.map(str::to_lowercase),
        };
        let arguments = match piece.arguments {
            _ if arguments.is_empty() => Fit::Yes,
            None => Fit::Maybe,
            Some(raw) => of(match_arguments(arguments, raw)),
        };
        let reads_file = match (*reads_file, piece.arguments) {
            (None, _) => Fit::Yes,
            (Some(_), None) => Fit::Maybe,
            (Some(wanted), Some(raw)) => match (reads(piece.name, raw), piece.result) {
                (reads, Some(result)) => of(result.reads_file(reads) == wanted),
                (Reads::Json, None) => Fit::Maybe,
                (reads, None) => of((reads == Reads::Text) == wanted),
            },
        };
        let errors = match (*errors, piece.result) {
            (None, _) => Fit::Yes,
            (Some(_), None) => Fit::Maybe,
            (Some(errors), Some(result)) => of(result.is_error == errors),
        };
        let size = match (*larger_than, piece.result) {
            (None, _) => Fit::Yes,
            (Some(_), None) => Fit::Maybe,
            (Some(least), Some(result)) => of(result.bytes as u64 > least),
        };
        named(servers, piece.server)
            .min(named(client, client_name.as_deref()))
            .min(arguments)
            .min(reads_file)
            .min(errors)
            .min(size)
    }

    /// Each as it stands in filters.toml: `errors = true`.
    pub fn listed(&self) -> Vec<String> {
        let Conditions {
            servers,
            errors,
            arguments,
            reads_file,
            larger_than,
            client,
        } = self;
        let mut listed = Vec::new();
        let patterns = |patterns: &[ToolPattern]| {
            let patterns = patterns
                .iter()
                .map(|pattern| format!("{:?}", pattern.as_str()));
            patterns.collect::<Vec<_>>().join(", ")
        };
        if !servers.is_empty() {
            listed.push(format!("servers = [{}]", patterns(servers)));
        }
        listed.extend(errors.map(|errors| format!("errors = {errors}")));
        if !arguments.is_empty() {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|(name, pattern)| format!("{name} = {:?}", pattern.as_str()))
                .collect();
            listed.push(format!("when.arguments = {{ {} }}", arguments.join(", ")));
        }
        listed.extend(reads_file.map(|reads| format!("when.reads-file = {reads}")));
        if let Some(size) = larger_than {
            listed.push(format!("when.larger-than = \"{}\"", Unit::Size.show(*size)));
        }
        if !client.is_empty() {
            listed.push(format!("when.client = [{}]", patterns(client)));
        }
        listed
    }
}

/// Whether a call's arguments (a JSON object) match these conditions.
fn match_arguments(conditions: &[(String, ToolPattern)], arguments: &str) -> bool {
    let raw = arguments.as_bytes();
    // Unreadable arguments may be any: the chain may redact.
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
        return true;
    };
    let fits = |(name, pattern): &(String, ToolPattern)| match arguments.get(name) {
        _ if json::taken_for(raw, name).len() > 1 => true,
        None => false,
        Some(Value::String(text)) => pattern.matches(text),
        Some(other) => pattern.matches(&other.to_string()),
    };
    conditions.iter().all(fits)
}

fn of(holds: bool) -> Fit {
    match holds {
        true => Fit::Yes,
        false => Fit::No,
    }
}

/// Reads the conditions of a chain that is bound to these kinds of output.
pub(super) fn read(fields: Fields<'_>, on: &[Surface], findings: &mut Findings<'_>) -> Conditions {
    let mut conditions = Conditions::default();
    if let Some(value) = fields.get("servers") {
        conditions.servers = pattern::read(value, "`servers`", findings).0;
    }
    if let Some(value) = fields.get("errors") {
        conditions.errors = findings.boolean(value, "`errors`");
    }
    if on != [Surface::Result] {
        for key in ["errors", "when"] {
            if let Some(value) = fields.get(key) {
                let message = format!("`{key}` has no effect in this chain");
                let label = "it is about results of tools: allowed with on = [\"result\"] alone";
                let finding = Finding::error(Span::from(value.span()), message, label);
                findings.push(finding.code(Code::KeyWithoutEffect));
            }
        }
        return conditions;
    }
    let Some(value) = fields.get("when") else {
        return conditions;
    };
    let Some(when) = findings.table(value, "`when`", "a table of conditions") else {
        return conditions;
    };
    when.deny_unknown(&keys::WHEN.names(), findings);
    if let Some(value) = when.get("client") {
        let patterns = pattern::read(value, "`client`", findings).0;
        conditions.client = patterns.iter().map(ToolPattern::lower_case).collect();
    }
    if let Some(value) = when.get("reads-file") {
        conditions.reads_file = findings.boolean(value, "`reads-file`");
    }
    if let Some(value) = when.get("larger-than")
        && let Some((text, span)) = findings.string(value, "`larger-than`", "a size")
    {
        match Unit::Size.parse(text) {
            Ok(size) => conditions.larger_than = Some(size),
            Err(_) => {
                let label = "allowed: a whole number with B, KB, KiB, MB or MiB";
                let finding = Finding::error(span, "`larger-than` is not a size", label);
                findings.push(finding.help("for example: larger-than = \"20KB\""));
            }
        }
    }
    if let Some(value) = when.get("arguments")
        && let Some(table) = findings.table(value, "`arguments`", "a table of patterns")
    {
        for entry in raw::entries(table.table()) {
            let what = "a pattern of the argument's value";
            let Some((text, span)) = findings.string(entry.value, entry.key, what) else {
                continue;
            };
            match ToolPattern::of_text(text) {
                Ok(pattern) => conditions.arguments.push((entry.key.to_owned(), pattern)),
                Err(error) => {
                    let label = "allowed: a text; `*` matches any characters";
                    findings.push(Finding::error(span, error.to_string(), label));
                }
            }
        }
    }
    conditions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions() -> Conditions {
        let pattern = |text: &str| ToolPattern::of_text(text).expect("a pattern");
        Conditions {
            servers: vec![pattern("git*"), pattern("!gitlab")],
            errors: Some(false),
            arguments: vec![
                ("path".to_owned(), pattern("*.log")),
                ("all".to_owned(), pattern("true")),
            ],
            reads_file: None,
            larger_than: Some(100),
            client: vec![pattern("claude*")],
        }
    }

    #[test]
    fn all_must_hold_and_what_is_not_known_may() {
        let all = Piece {
            server: Some("github"),
            arguments: Some(r#"{"path":"a b.log","all":true}"#),
            client: Some("Claude-Code"),
            result: Some(ResultFacts {
                is_error: false,
                bytes: 101,
                is_object: false,
            }),
            ..Piece::new(Surface::Result, "read")
        };
        let conditions = conditions();
        assert_eq!(conditions.fit(&all), Fit::Yes);
        let unknown = [
            Piece {
                server: None,
                ..all
            },
            Piece {
                arguments: None,
                ..all
            },
            Piece {
                client: None,
                ..all
            },
            Piece {
                result: None,
                ..all
            },
        ];
        assert!(
            unknown
                .iter()
                .all(|piece| conditions.fit(piece) == Fit::Maybe)
        );
        let unreadable = [
            r#"{"path":"a.txt","all":true,"z":1e999}"#,
            "[]",
            r#"{"path":"a.log","path":"a.txt","all":true}"#,
        ];
        for arguments in unreadable {
            let piece = Piece {
                arguments: Some(arguments),
                ..all
            };
            assert_eq!(conditions.fit(&piece), Fit::Yes, "{arguments}");
        }
        let others = [
            Piece {
                server: Some("gitlab"),
                result: None,
                ..all
            },
            Piece {
                server: Some("files"),
                ..all
            },
            Piece {
                arguments: Some(r#"{"path":"a.txt","all":true}"#),
                ..all
            },
            Piece {
                arguments: Some(r#"{"path":"a.log"}"#),
                ..all
            },
            Piece {
                client: Some(""),
                ..all
            },
            Piece {
                result: Some(ResultFacts {
                    is_error: true,
                    bytes: 101,
                    is_object: false,
                }),
                ..all
            },
            Piece {
                result: Some(ResultFacts {
                    is_error: false,
                    bytes: 100,
                    is_object: false,
                }),
                ..all
            },
        ];
        assert!(others.iter().all(|piece| conditions.fit(piece) == Fit::No));
    }

    #[test]
    fn a_file_of_json_is_read_to_be_edited_if_it_is_an_object() {
        let conditions = Conditions {
            reads_file: Some(true),
            ..Conditions::default()
        };
        let fit = |path: &str, result: Option<&str>| {
            let arguments = format!(r#"{{"path":"{path}"}}"#);
            conditions.fit(&Piece {
                arguments: Some(&arguments),
                result: result.map(|result| ResultFacts::of(result.as_bytes())),
                ..Piece::new(Surface::Result, "read_file")
            })
        };
        assert_eq!(fit("a.toml", None), Fit::Yes);
        assert_eq!(fit("a.json", None), Fit::Maybe);
        for object in [
            r#"{"content":[{"type":"text","text":"{\"a\":1}"}]}"#,
            r#"{"content": [ {"text":"\n\t {}","type":"text"}, {"type":"text","text":"[1]"}]}"#,
            "{\"content\":[{\"type\":\"text\",\"text\":\"\u{feff}{}\"}]}",
            r#" {"name":"a"}"#,
            r#"{"content":[{"type":"text","text":"[Reading 3 lines]\n\n{\n  \"a\": 1\n}"}]}"#,
            r#"{"content":[{"type":"text","text":"File: a.json\n```json\n{}\n```"}]}"#,
        ] {
            assert_eq!(fit("a.json", Some(object)), Fit::Yes, "{object}");
        }
        for other in [
            r#"{"content":[{"type":"text","text":"[{\"a\":1}]"}]}"#,
            r#"{"content":[{"type":"text","text":"no {}"}]}"#,
            r#"{"content":[{"type":"text","text":"[Reading 3 lines]\n[\n  {\n  \"a\": 1}]"}]}"#,
            r#"{"content":[{"type":"text","text":"1\n2\n3\n4\n5\n{"}]}"#,
            r#"{"content":[]}"#,
            r#"{"content":[{"type":"image"}]}"#,
            r#"{"content":"{}"}"#,
            "[{}]",
            "",
        ] {
            assert_eq!(fit("a.json", Some(other)), Fit::No, "{other}");
            assert_eq!(fit("a.toml", Some(other)), Fit::Yes, "{other}");
        }
    }
}
