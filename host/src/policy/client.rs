//! `[[client]]`: how a client shows results to its model, for clients that the built-in table lacks or has
//! wrong.

use super::code::Code;
use super::keys;
use super::pattern::ToolPattern;
use super::raw::{Fields, Findings, Value};
use super::report::Finding;
use super::source::Span;

/// The part of a result that a client's model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sees {
    /// `structuredContent` if present, else the text.
    Structured,
    /// The text alone.
    Content,
    /// The model reads both; once, if the text is `structuredContent` to the letter.
    Both,
    /// The model reads both; once, if the text is the same JSON.
    BothOnce,
    /// `content` as JSON, with all content of its blocks.
    Blocks,
    /// The result itself, as JSON.
    Result,
    /// Nothing: a program reads the result as a value of the type in `outputSchema`.
    Value,
}

impl Sees {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, Sees); 7] = [
        ("structured", Sees::Structured),
        ("content", Sees::Content),
        ("both", Sees::Both),
        ("both-once", Sees::BothOnce),
        ("blocks", Sees::Blocks),
        ("result", Sees::Result),
        ("value", Sees::Value),
    ];
}

/// The part of a list of tools that each request to a client's model contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ToolList {
    /// Name, description and arguments of each.
    #[default]
    Listed,
    /// Name, description and arguments, which the client shortens by itself.
    Trimmed,
    /// Names: the model finds tools by a search.
    Searched,
    /// Names, except for tools that request to be always listed (`_meta` `anthropic/alwaysLoad`).
    Pinned,
}

impl ToolList {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, ToolList); 4] = [
        ("listed", ToolList::Listed),
        ("trimmed", ToolList::Trimmed),
        ("searched", ToolList::Searched),
        ("pinned", ToolList::Pinned),
    ];
}

/// The facts about clients of one name.
#[derive(Debug, Clone)]
pub struct ClientSpec {
    /// Pattern for `clientInfo.name`, in lower case.
    pub name: ToolPattern,
    /// The client's version at the measurement; may be empty.
    pub version: String,
    /// The part of a result that its model reads.
    pub sees: Sees,
    /// Whether its model reads texts inside JSON, with escapes. A cap applies to the text before escaping.
    pub escaped: bool,
    /// Tokens that the client adds around each result.
    pub wrapping: usize,
    /// How much of a result its model is shown; none: all of it.
    pub cap: Option<ClientCap>,
    /// The part of a list of tools that each request contains.
    pub tools: ToolList,
    /// Whether a server's `instructions` reach its model.
    pub instructions: bool,
    /// Whether it removes blocks that are for the user alone (`annotations.audience`).
    pub heeds_audience: bool,
}

/// How a client shows a long result. All but `notice` are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientCap {
    /// A result of more characters than this is cut.
    pub over: usize,
    /// Characters of its beginning that stay.
    pub first: usize,
    /// Characters of its end that stay.
    pub last: usize,
    /// Tokens that the client adds about the cut.
    pub notice: usize,
}

/// Longer results than any client takes whole.
pub(super) const MOST_CHARACTERS: u64 = 1_000_000_000;
/// Most tokens of a client's notice about a cut: a few lines.
pub(super) const MOST_NOTICE: u64 = 10_000;

/// Reads one `[[client]]`.
pub(super) fn read(fields: Fields<'_>, findings: &mut Findings<'_>) -> Option<ClientSpec> {
    fields.deny_unknown(&keys::CLIENT.names(), findings);
    let name = fields
        .require("name", keys::CLIENT.example("name"), findings)
        .and_then(|value| findings.string(value, "`name`", "a client's name"));
    let sees = fields
        .require("sees", keys::CLIENT.example("sees"), findings)
        .and_then(|value| {
            findings.choice(
                value,
                "sees",
                "structured, content, both, both-once, blocks, result or value",
                &Sees::ALL,
            )
        });
    let version = fields
        .get("version")
        .and_then(|value| findings.string(value, "`version`", "a client's version"))
        .map_or("", |(version, _)| version);
    let cap = fields
        .get("cap")
        .and_then(|value| read_cap(value, findings));
    let tools = fields
        .get("tools")
        .and_then(|value| {
            let expected = "listed, trimmed, searched or pinned";
            findings.choice(value, "tools", expected, &ToolList::ALL)
        })
        .unwrap_or_default();
    let wrapping = match fields.get("wrapping") {
        None => 0,
        Some(value) => findings.count(value, "wrapping", MOST_NOTICE).unwrap_or(0),
    };
    let mut flag = |key: &str| {
        fields
            .get(key)
            .and_then(|value| findings.boolean(value, &format!("`{key}`")))
            .unwrap_or(false)
    };
    let escaped = flag("escaped");
    let instructions = flag("instructions");
    let heeds_audience = flag("heeds-audience");
    let (name, span) = name?;
    // A client's name may have spaces, which no tool's has.
    let pattern = ToolPattern::new(name.to_lowercase().replace(' ', "*"));
    match pattern {
        Ok(name) => Some(ClientSpec {
            name,
            version: version.to_owned(),
            sees: sees?,
            escaped,
            wrapping,
            cap,
            tools,
            instructions,
            heeds_audience,
        }),
        Err(error) => {
            let label = "allowed: a client's name; `*` matches any characters";
            findings.push(Finding::error(span, error.to_string(), label));
            None
        }
    }
}

fn read_cap(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<ClientCap> {
    let expected = "a table such as { over = 25000, first = 2000 }";
    let fields = findings.table(value, "a client's cap", expected)?;
    fields.deny_unknown(&keys::CLIENT_CAP.names(), findings);
    let over = fields
        .require("over", keys::CLIENT_CAP.example("over"), findings)
        .and_then(|value| findings.count(value, "over", MOST_CHARACTERS));
    let mut optional = |key: &str, most: u64| match fields.get(key) {
        None => Some(0),
        Some(value) => findings.count(value, key, most),
    };
    let first = optional("first", MOST_CHARACTERS);
    let last = optional("last", MOST_CHARACTERS);
    let notice = optional("notice", MOST_NOTICE);
    let cap = ClientCap {
        over: over?,
        first: first?,
        last: last?,
        notice: notice?,
    };
    if cap.first + cap.last > cap.over {
        let message = "a client's cap shows more characters than the results that it cuts have";
        let label = format!(
            "`first` and `last` are {} together, allowed: `over` ({}) at most",
            cap.first + cap.last,
            cap.over
        );
        let span = Span::from(value.span());
        findings.push(Finding::error(span, message, label).code(Code::OutOfRange));
        return None;
    }
    Some(cap)
}
