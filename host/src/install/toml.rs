//! Servers in TOML: where their commands and arguments are.

use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, Table, TableLike, Value};

use super::details::Details;
use super::server::{Arguments, Launch, Server, Stdio, Word};
use super::{Unusable, broken};

/// The servers under the keys `lists`; see [`super::servers`].
pub(super) fn servers(text: &str, lists: &[&[&str]]) -> Result<Vec<Server>, Unusable> {
    let base = text.len() - text.trim_start_matches('\u{feff}').len();
    let document = Document::parse(&text[base..]).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        broken(
            text,
            base + at,
            error.message().lines().next().unwrap_or_default(),
        )
    })?;
    let reader = Reader { text, base };
    let mut servers = Vec::new();
    for keys in lists {
        reader.find(document.as_table(), keys, &mut Vec::new(), &mut servers);
    }
    Ok(servers)
}

/// The position for another server in a list that has one.
pub(super) enum Room {
    /// Behind the other servers, in a list that is an inline table, or an inline array of them.
    Behind { at: usize, is_array: bool },
    /// In a table of its own at the end of the file: `[LIST.NAME]`, or `[[LIST]]`.
    AtEnd { is_array: bool },
}

/// The room in the list under one key.
pub(super) fn end_of_list(text: &str, list: &[String]) -> Option<Room> {
    let [key] = list else { return None };
    let base = text.len() - text.trim_start_matches('\u{feff}').len();
    let document = Document::parse(&text[base..]).ok()?;
    match document.as_table().get(key)? {
        Item::Table(_) => Some(Room::AtEnd { is_array: false }),
        Item::ArrayOfTables(_) => Some(Room::AtEnd { is_array: true }),
        Item::Value(Value::InlineTable(table)) => {
            let last = table.iter().last()?.1.span()?;
            let at = last.end + base;
            Some(Room::Behind {
                at,
                is_array: false,
            })
        }
        Item::Value(Value::Array(array)) => {
            let last = array.iter().last()?.span()?;
            let at = last.end + base;
            Some(Room::Behind { at, is_array: true })
        }
        _ => None,
    }
}

struct Reader<'t> {
    text: &'t str,
    /// The position of the parsed text in the whole.
    base: usize,
}

/// A table of a server, as it may be written.
#[derive(Clone, Copy)]
enum Written<'d> {
    /// On lines of its own, or dotted.
    Lines(&'d Table),
    Inline(&'d InlineTable),
}

impl<'d> Written<'d> {
    fn of(item: &'d Item) -> Option<Written<'d>> {
        match item {
            Item::Table(table) => Some(Written::Lines(table)),
            Item::Value(Value::InlineTable(table)) => Some(Written::Inline(table)),
            _ => None,
        }
    }

    fn table(self) -> &'d dyn TableLike {
        match self {
            Written::Lines(table) => table,
            Written::Inline(table) => table,
        }
    }
}

/// The other settings of a server.
fn details(server: &dyn TableLike) -> Details {
    Details::read(
        |key| scalar(server.get(key)?),
        |key| {
            let table = server.get(key).and_then(Item::as_table_like);
            let pairs = table.into_iter().flat_map(TableLike::iter);
            let pair = |(name, item): (&str, &Item)| Some((name.to_owned(), scalar(item)?));
            pairs.filter_map(pair).collect()
        },
    )
}

fn scalar(item: &Item) -> Option<String> {
    match item.as_value()? {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Float(number) => Some(number.value().to_string()),
        Value::Boolean(truth) => Some(truth.value().to_string()),
        _ => None,
    }
}

impl Reader<'_> {
    fn find(
        &self,
        table: &dyn TableLike,
        keys: &[&str],
        at: &mut Vec<String>,
        servers: &mut Vec<Server>,
    ) {
        let Some((key, rest)) = keys.split_first() else {
            return;
        };
        for (name, item) in table.iter() {
            if *key != "*" && *key != name {
                continue;
            }
            at.push(name.to_owned());
            if rest.is_empty() {
                self.list(item, at, servers);
            } else if let Some(inner) = item.as_table_like() {
                self.find(inner, rest, at, servers);
            }
            at.pop();
        }
    }

    /// The servers of a list: a table has them by their names, in an array each has a `name`.
    fn list(&self, item: &Item, at: &[String], servers: &mut Vec<Server>) {
        let mut add = |name: &str, launch: Launch, details: Details, whole: Vec<Range<usize>>| {
            let at: Vec<String> = at.iter().cloned().chain([name.to_owned()]).collect();
            let other = servers.iter_mut().find(|other| other.at == at);
            let launch = match other {
                None => launch,
                Some(other) => {
                    let twice = Launch::Unclear("it is defined twice".to_owned());
                    other.launch = twice.clone();
                    twice
                }
            };
            servers.push(Server {
                at,
                launch,
                details,
                whole,
            });
        };
        if let Some(table) = item.as_table_like() {
            for (name, item) in table.iter() {
                match Written::of(item) {
                    None => add(
                        name,
                        Launch::Unclear("it is not a table".to_owned()),
                        Details::default(),
                        Vec::new(),
                    ),
                    Some(written) => {
                        let key = table.key(name).and_then(|key| self.span(key.span()));
                        let details = details(written.table());
                        add(
                            name,
                            self.launch(written),
                            details,
                            self.whole(written, key),
                        );
                    }
                }
            }
            return;
        }
        let tables: Vec<Written<'_>> = match item {
            Item::ArrayOfTables(tables) => tables.iter().map(Written::Lines).collect(),
            Item::Value(Value::Array(values)) => values
                .iter()
                .filter_map(Value::as_inline_table)
                .map(Written::Inline)
                .collect(),
            _ => Vec::new(),
        };
        for written in tables {
            let name = written.table().get("name").and_then(Item::as_str);
            let launch = match (name, self.launch(written)) {
                (None, _) => Launch::Unclear("it has no name".to_owned()),
                // Vibe, whose servers are in an array, takes the command apart as a shell does.
                (_, Launch::Stdio(stdio)) if !is_one_word(&stdio.command.value) => {
                    let why = "its command is more than a word: move the others to `args` first";
                    Launch::Unclear(why.to_owned())
                }
                (_, launch) => launch,
            };
            let details = details(written.table());
            let whole = self.whole(written, None);
            add(name.unwrap_or_default(), launch, details, whole);
        }
    }

    fn launch(&self, written: Written<'_>) -> Launch {
        let server = written.table();
        let Some(command) = server.get("command") else {
            return match server.get("url").and_then(Item::as_str) {
                Some(address) => Launch::Remote(address.to_owned()),
                None => Launch::Unclear("it has no command".to_owned()),
            };
        };
        let Some(command) = command.as_value().and_then(|value| self.word(value)) else {
            return Launch::Unclear("`command` is not a string".to_owned());
        };
        let arguments = match server.get("args") {
            None => self.missing(written, &command),
            Some(arguments) => self.listed(written, arguments),
        };
        match arguments {
            Ok(arguments) => Launch::Stdio(Stdio { command, arguments }),
            Err(why) => Launch::Unclear(why.to_owned()),
        }
    }

    /// The ranges to cut to remove a server. `key`: its name, if that is a key.
    fn whole(&self, written: Written<'_>, key: Option<Range<usize>>) -> Vec<Range<usize>> {
        let cut = match (written, key) {
            (Written::Inline(table), Some(key)) if !table.is_dotted() => self
                .span(table.span())
                .map(|span| self.in_line(key.start..span.end)),
            (Written::Inline(table), None) => {
                self.span(table.span()).map(|span| self.in_line(span))
            }
            (Written::Lines(table), _) if !table.is_dotted() && !table.is_implicit() => {
                self.lines(table)
            }
            _ => None,
        };
        cut.into_iter().collect()
    }

    /// The lines of a table that has nothing but values, with one empty line before it.
    fn lines(&self, table: &Table) -> Option<Range<usize>> {
        let mut span = self.span(table.span())?;
        for (_, item) in table.iter() {
            span.end = span.end.max(self.span(item.as_value()?.span())?.end);
        }
        let lines = self.of_own(span);
        let before = &self.text[..lines.start];
        let start = ["\n\r\n", "\n\n"]
            .iter()
            .find(|end| before.ends_with(*end))
            .map_or(lines.start, |end| lines.start - end.len() + 1);
        Some(start..lines.end)
    }

    fn word(&self, value: &Value) -> Option<Word> {
        Some(Word {
            value: value.as_str()?.to_owned(),
            span: self.span(value.span())?,
        })
    }

    fn listed(&self, written: Written<'_>, arguments: &Item) -> Result<Arguments, &'static str> {
        let unclear = "`args` is not a list of strings";
        let list = arguments.as_array().ok_or(unclear)?;
        let span = self.span(list.span()).ok_or(unclear)?;
        let words = list.iter().map(|value| self.word(value));
        let key = written.table().key("args");
        let key = key.and_then(|key| self.span(key.span())).ok_or(unclear)?;
        let whole = if matches!(written, Written::Inline(_)) {
            self.in_line(key.start..span.end)
        } else {
            self.of_own(key.start..span.end)
        };
        Ok(Arguments::Listed {
            inside: span.start + 1..span.end - 1,
            words: words.collect::<Option<_>>().ok_or(unclear)?,
            whole: vec![whole],
            separator: None,
        })
    }

    /// A list is put on a line of its own before the command's, or right behind the command where all
    /// is on one line.
    fn missing(&self, written: Written<'_>, command: &Word) -> Result<Arguments, &'static str> {
        let unclear = "its command has an unknown form";
        if let Written::Inline(table) = written {
            if table.is_dotted() {
                return Err(unclear);
            }
            return Ok(Arguments::Missing {
                at: command.span.end,
                before: ", args = ".to_owned(),
                after: String::new(),
            });
        }
        let key = written.table().key("command");
        let key = key.and_then(|key| self.span(key.span())).ok_or(unclear)?;
        let line = self.text[..key.start]
            .rfind('\n')
            .map_or(self.base, |end| end + 1);
        // Blanks, and the names of tables where the key is dotted.
        let lead = &self.text[line..key.start];
        let end = self.text[command.span.end..].find('\n');
        let is_crlf = end.is_some_and(|end| self.text[..command.span.end + end].ends_with('\r'));
        Ok(Arguments::Missing {
            at: line,
            before: format!("{lead}args = "),
            after: if is_crlf { "\r\n" } else { "\n" }.to_owned(),
        })
    }

    /// An entry on lines of its own, whole.
    fn of_own(&self, entry: Range<usize>) -> Range<usize> {
        let start = self.text[..entry.start]
            .rfind('\n')
            .map_or(self.base, |end| end + 1);
        let rest = &self.text[entry.end..];
        let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        start..entry.end + end
    }

    /// An entry among others on a line, with its one comma.
    fn in_line(&self, entry: Range<usize>) -> Range<usize> {
        let before = self.text[..entry.start].trim_end();
        if before.ends_with(',') {
            return before.len() - 1..entry.end;
        }
        let rest = &self.text[entry.end..];
        let after = rest.trim_start();
        match after.strip_prefix(',') {
            Some(after) => entry.start..self.text.len() - after.trim_start().len(),
            None => entry,
        }
    }

    fn span(&self, span: Option<Range<usize>>) -> Option<Range<usize>> {
        span.map(|span| span.start + self.base..span.end + self.base)
    }
}

/// Whether a shell would take a command for one word, as it stands.
pub fn is_one_word(command: &str) -> bool {
    !command
        .chars()
        .any(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '\\'))
}
