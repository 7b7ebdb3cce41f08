//! Servers in TOML: where their commands and arguments are.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike, Value};

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

struct Reader<'t> {
    text: &'t str,
    /// Of the parsed text in the whole.
    base: usize,
}

impl Reader<'_> {
    fn find(
        &self,
        table: &dyn TableLike,
        keys: &[&str],
        at: &mut Vec<String>,
        servers: &mut Vec<Server>,
    ) {
        for (name, item) in table.iter() {
            match keys.split_first() {
                None => {
                    let mut at = at.clone();
                    at.push(name.to_owned());
                    servers.push(Server {
                        at,
                        launch: self.launch(item),
                    });
                }
                Some((key, rest)) if *key == "*" || *key == name => {
                    if let Some(inner) = item.as_table_like() {
                        at.push(name.to_owned());
                        self.find(inner, rest, at, servers);
                        at.pop();
                    }
                }
                Some(_) => {}
            }
        }
    }

    fn launch(&self, item: &Item) -> Launch {
        let Some(server) = item.as_table_like() else {
            return Launch::Unclear("it is no table".to_owned());
        };
        let Some(command) = server.get("command") else {
            return match server.get("url").and_then(Item::as_str) {
                Some(address) => Launch::Remote(address.to_owned()),
                None => Launch::Unclear("it has no command".to_owned()),
            };
        };
        let Some(command) = command.as_value().and_then(|value| self.word(value)) else {
            return Launch::Unclear("`command` is no string".to_owned());
        };
        let arguments = match server.get("args") {
            None => self.missing(item, server, &command),
            Some(arguments) => self.listed(item, server, arguments),
        };
        match arguments {
            Ok(arguments) => Launch::Stdio(Stdio { command, arguments }),
            Err(why) => Launch::Unclear(why.to_owned()),
        }
    }

    fn word(&self, value: &Value) -> Option<Word> {
        Some(Word {
            value: value.as_str()?.to_owned(),
            span: self.span(value.span())?,
        })
    }

    fn listed(
        &self,
        item: &Item,
        server: &dyn TableLike,
        arguments: &Item,
    ) -> Result<Arguments, &'static str> {
        let unclear = "`args` is no list of strings";
        let list = arguments.as_array().ok_or(unclear)?;
        let span = self.span(list.span()).ok_or(unclear)?;
        let words = list.iter().map(|value| self.word(value));
        let key = server.key("args").and_then(|key| self.span(key.span()));
        let key = key.ok_or(unclear)?;
        let whole = if item.is_inline_table() {
            self.in_line(key.start..span.end)
        } else {
            self.of_own(key.start..span.end)
        };
        Ok(Arguments::Listed {
            inside: span.start + 1..span.end - 1,
            words: words.collect::<Option<_>>().ok_or(unclear)?,
            whole: vec![whole],
        })
    }

    /// A list is put on a line of its own before the command's, or right behind the command where all
    /// is on one line.
    fn missing(
        &self,
        item: &Item,
        server: &dyn TableLike,
        command: &Word,
    ) -> Result<Arguments, &'static str> {
        let unclear = "its command is written in a way that this does not know";
        if let Some(table) = item.as_inline_table() {
            if table.is_dotted() {
                return Err(unclear);
            }
            return Ok(Arguments::Missing {
                at: command.span.end,
                before: ", args = ".to_owned(),
                after: String::new(),
            });
        }
        let key = server.key("command").and_then(|key| self.span(key.span()));
        let key = key.ok_or(unclear)?;
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

    /// An entry among others on a line, with the one comma that goes with it.
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
