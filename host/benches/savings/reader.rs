//! A scripted reader: answers questions about a result as a model would that was shown only what is left of
//! it, with calls of the read tool.
//!
//! It knows what the summary says (columns, counts, totals, the calls and the table that it names), the question's
//! words and the read tool's page of the documentation, and nothing of the original. It asks by query where the
//! summary names a table. Every call that it makes is counted, arguments and answer.

use serde_json::{Map, Value, json};
use tamis::mcp::read_tool;
use tamis::policy::ReadTool;
use tamis::tokens;

use super::questions::{Answer, Ask, Leaf, Question};

/// Calls that a reader makes for one question before it gives up.
const CALLS: usize = 4;
/// Characters of a line from which on nobody reads a whole line for its end.
const LONG_LINE: usize = 1_000;

/// What it has before it.
pub struct Reader<'a> {
    /// What is left of the result.
    pub shown: &'a str,
    /// What the store would give: only the read tool looks at it.
    pub original: &'a [u8],
}

/// What answering took.
pub struct Reading {
    pub is_right: bool,
    pub calls: usize,
    pub tokens: usize,
}

/// One question's calls.
struct Session<'a> {
    reader: &'a Reader<'a>,
    /// The first call that the summary names.
    call: Map<String, Value>,
    reading: Reading,
}

impl Reader<'_> {
    pub fn answer(&self, question: &Question) -> Reading {
        let mut session = Session {
            reader: self,
            call: self.named_call().unwrap_or_default(),
            reading: Reading {
                is_right: false,
                calls: 0,
                tokens: 0,
            },
        };
        session.reading.is_right = match (&question.ask, &question.answer) {
            (Ask::CountOf { member, value }, Answer::Number(number)) => {
                session.count_of(member, value) == Some(*number)
            }
            (Ask::CountOfWord { word }, Answer::Number(number)) => {
                session.occurrences(word) == Some(*number)
            }
            (ask, Answer::Text(text)) => {
                let query = session.query_for(ask);
                let found = query.is_some_and(|query| session.finds_by_query(&query, text));
                found || session.look_up(ask, text)
            }
            (_, Answer::Number(_)) => false,
        };
        session.reading
    }

    /// The arguments of the first call that the summary names.
    fn named_call(&self) -> Option<Map<String, Value>> {
        let at = self.shown.find("tamis_read {")? + "tamis_read ".len();
        let mut values = serde_json::Deserializer::from_str(&self.shown[at..]).into_iter();
        values.next()?.ok()
    }

    /// The table that the summary says can be asked, and the path at which it stands.
    fn table(&self) -> Option<(Option<Value>, &str)> {
        let (before, rest) = self.shown.split_once(r#""query":"SELECT … FROM "#)?;
        let path = before.rsplit_once("or \"path\":");
        let path = path.and_then(|(_, path)| serde_json::from_str(path.strip_suffix(',')?).ok());
        Some((path, rest.split('"').next()?))
    }

    /// The number before a word, after this beginning of a line: `$.orders: 60 rows`.
    fn number(&self, beginning: &str, unit: &str) -> Option<usize> {
        self.shown.lines().find_map(|line| {
            let rest = line.strip_prefix(beginning)?;
            let (before, _) = rest.split_once(unit)?;
            before.rsplit(' ').next()?.parse().ok()
        })
    }

    /// How many rows the summary says that there are: at this path, or of the first list.
    fn total(&self, path: Option<&Value>) -> Option<usize> {
        let beginning = match path.and_then(Value::as_str) {
            Some(path) => format!("{path}: "),
            None => "$".to_owned(),
        };
        let of = |unit| self.number(&beginning, unit);
        of(" rows").or_else(|| of(" values"))
    }
}

impl Session<'_> {
    /// Calls the read tool: the named call's reference and part, and these arguments.
    fn read(&mut self, arguments: Value) -> String {
        let mut call = self.call.clone();
        call.retain(|name, _| name == "ref" || name == "part");
        call.extend(arguments.as_object().cloned().unwrap_or_default());
        let call = Value::Object(call).to_string();
        let answer =
            read_tool::answer_from(&ReadTool::default(), self.reader.original, call.as_bytes())
                .unwrap_or_else(|error| error);
        self.reading.calls += 1;
        self.reading.tokens += (tokens::count(&call) + tokens::count(&answer)) as usize;
        if std::env::var_os("TAMIS_SHOW_CALLS").is_some() {
            println!("      {call}\n      {answer}");
        }
        answer
    }

    /// The arguments for rows of what the summary is about; none if it names no rows.
    fn rows(&self, from: usize, to: usize) -> Option<Value> {
        let mut arguments = json!({"rows": format!("{from}:{to}")});
        if self.call.contains_key("rows") {
            if let Some(path) = self.call.get("path") {
                arguments["path"] = path.clone();
            }
            return Some(arguments);
        }
        // Of a text with tables, a range is one of its lines.
        if self.reader.shown.starts_with("Summary of text, ") {
            return None;
        }
        // The list that the summary is about.
        let mut heads = self
            .reader
            .shown
            .lines()
            .filter(|line| line.starts_with('$'));
        let (path, rest) = heads.next()?.split_once(": ")?;
        if path != "$" {
            arguments["path"] = path.into();
        }
        rest.contains(" rows").then_some(arguments)
    }

    /// How many there are by the answer's first line: `matches 1–5 of 31; …`, or `3 matches; …`.
    fn finds(&mut self, arguments: Value) -> Option<usize> {
        let answer = self.read(arguments);
        found_in(answer.lines().next()?)
    }

    /// How often a word occurs: by a query of the lines, or as the header of a search says, of the text that the
    /// summary is about.
    fn occurrences(&mut self, word: &str) -> Option<usize> {
        // A text that is one value of a document.
        let path = self
            .call
            .get("path")
            .filter(|_| !self.call.contains_key("rows"));
        let with_path = |mut arguments: Value| {
            if let Some(path) = path {
                arguments["path"] = path.clone();
            }
            arguments
        };
        let (letters, length) = (text(word), word.len());
        let query = format!(
            "SELECT sum(length(text)-length(replace(lower(text),{letters},'')))/{length} n FROM lines"
        );
        let [query, search] = [json!({"query": query}), json!({"search": word})].map(with_path);
        let answer = self.read(query);
        if let Some(count) = answer.lines().nth(1).and_then(|row| row.parse().ok()) {
            return Some(count);
        }
        let answer = self.read(search);
        let header = answer.lines().next()?;
        match header.split_once(" occurrences") {
            Some((before, _)) => before.rsplit(' ').next()?.replace(',', "").parse().ok(),
            None => found_in(header),
        }
    }

    /// How many rows have a value, by a query; none if there is no such table.
    fn query_count(&mut self, member: &str, value: &Value) -> Option<usize> {
        let table = name(self.reader.table()?.1);
        let condition = match value {
            Value::Null => "IS NULL".to_owned(),
            Value::String(value) => format!("= {}", text(value)),
            other => format!("= {other}"),
        };
        let member = name(member);
        let query = format!("SELECT count(*) FROM {table} WHERE {member} {condition}");
        let answer = self.query(&query);
        answer.lines().nth(1)?.parse().ok()
    }

    /// The query that answers a question about members of rows, or about the end of a very long line.
    fn query_for(&self, ask: &Ask) -> Option<String> {
        if let Ask::Last { .. } = ask
            && let Some(lines) = self.reader.number("Summary of text, ", " lines")
            && let Some(characters) = self.reader.number("Summary of text, ", " characters")
            && characters > lines * LONG_LINE
        {
            let last = "SELECT substr(text, -80) FROM lines ORDER BY line DESC LIMIT 1";
            return Some(last.to_owned());
        }
        let table = name(self.reader.table()?.1);
        match ask {
            Ask::Record {
                known:
                    Leaf {
                        member: Some(known),
                        text: value,
                        is_text,
                    },
                wanted: Some(wanted),
            } if known != wanted => {
                let value = match is_text {
                    true => text(value),
                    false => value.clone(),
                };
                let [known, wanted] = [known, wanted].map(|member| name(member));
                Some(format!(
                    "SELECT {wanted} FROM {table} WHERE {known} = {value}"
                ))
            }
            Ask::Last {
                wanted: Some(wanted),
            } => {
                let total = self.reader.total(self.call.get("path"))?;
                let (wanted, last) = (name(wanted), total - 1);
                Some(format!(
                    "SELECT {wanted} FROM {table} LIMIT 1 OFFSET {last}"
                ))
            }
            Ask::Range {
                from,
                to,
                wanted: Some(wanted),
            } => {
                let (wanted, rows) = (name(wanted), to - from);
                Some(format!(
                    "SELECT {wanted} FROM {table} LIMIT {rows} OFFSET {from}"
                ))
            }
            _ => None,
        }
    }

    fn finds_by_query(&mut self, query: &str, wanted: &str) -> bool {
        let answer = self.query(query);
        holds(&answer, wanted)
    }

    fn query(&mut self, query: &str) -> String {
        let mut arguments = json!({"query": query});
        if let Some((Some(path), _)) = self.reader.table() {
            arguments["path"] = path;
        }
        self.read(arguments)
    }

    /// From the summary's counts, if they are there, else by a query, else by a search.
    fn count_of(&mut self, member: &str, wanted: &Value) -> Option<usize> {
        let value = match wanted {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let total = self.reader.total(self.call.get("path"));
        for line in self.reader.shown.lines() {
            if let Some(counts) = line.strip_prefix(&format!(" {member}: ")) {
                let mut counts = counts.split(", ");
                let counted = counts.find_map(|count| count.strip_prefix(&format!("{value} ")));
                if let Some(count) = counted.and_then(|count| count.parse().ok()) {
                    return Some(count);
                }
            }
            let constants = line.strip_prefix(" constant: ");
            let constant = format!("{member}={value}");
            if constants.is_some_and(|all| all.split(", ").any(|one| one == constant)) {
                return total;
            }
        }
        if let Some(count) = self.query_count(member, wanted) {
            return Some(count);
        }
        let value = value.replace('.', "\\.");
        self.finds(
            json!({"search": format!(r#"['"]{member}['"]: ?['"]?{value}['",}}]"#), "regex": true}),
        )
    }

    /// Reads until the answer has been read.
    fn look_up(&mut self, ask: &Ask, wanted: &str) -> bool {
        let lines = self.reader.number("Summary of text, ", " lines");
        let first = match ask {
            Ask::Record { known, .. } => json!({"search": known.text}),
            Ask::Word { word } => json!({"search": word}),
            Ask::Range { from, to, .. } => match self.rows(*from, *to) {
                Some(rows) => rows,
                None => self.lines(&format!("{from}-{to}")),
            },
            Ask::Last { .. } => {
                let total = self.reader.total(self.call.get("path"));
                match (total.and_then(|total| self.rows(total - 1, total)), lines) {
                    (Some(rows), _) => rows,
                    // It is there to be seen.
                    (None, _) if self.reader.shown.contains(wanted) => return true,
                    (None, Some(lines)) => self.lines(&lines.to_string()),
                    (None, None) => return false,
                }
            }
            Ask::CountOf { .. } | Ask::CountOfWord { .. } => return false,
        };
        let mut answer = self.read(first);
        while !holds(&answer, wanted) && self.reading.calls < CALLS {
            let next = self.around(&answer).or_else(|| cursor(&answer));
            let Some(next) = next else { return false };
            answer = self.read(next);
        }
        holds(&answer, wanted)
    }

    /// The arguments for lines of the text that the summary is about.
    fn lines(&self, range: &str) -> Value {
        let mut arguments = json!({"lines": range});
        if let (Some(path), None) = (self.call.get("path"), self.call.get("rows")) {
            arguments["path"] = path.clone();
        }
        arguments
    }

    /// The whole record of a find of which only a part was shown: its row, or the lines around it.
    fn around(&self, answer: &str) -> Option<Value> {
        let find = answer.lines().nth(1)?;
        let path = self.call.get("path").and_then(Value::as_str).unwrap_or("$");
        if let Some(rest) = find.strip_prefix(path) {
            let place: usize = rest.strip_prefix('[')?.split(']').next()?.parse().ok()?;
            return self.rows(place, place + 1);
        }
        if let Some(rest) = find.strip_prefix('[') {
            let place: usize = rest.split(']').next()?.parse().ok()?;
            let is_cut = find.contains("characters left out)");
            return self.rows(place, place + 1).filter(|_| is_cut);
        }
        let line: usize = find.split(':').next()?.parse().ok()?;
        let from = line.saturating_sub(5).max(1);
        Some(json!({"lines": format!("{from}-{}", line + 15)}))
    }
}

/// Whether an answer holds a text, as it is or with the same words in the same order in one line.
fn holds(answer: &str, wanted: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        let words = text.split(|it: char| !it.is_alphanumeric() && it != '.');
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let is_in_order = |line: &str| {
        let line = words(line);
        let mut line = line.iter();
        let wanted = words(wanted);
        !wanted.is_empty() && wanted.iter().all(|word| line.any(|it| it == word))
    };
    answer.contains(wanted)
        || answer
            .lines()
            .skip(1)
            .any(|line| line.len() < LONG_LINE && is_in_order(line))
}

/// How many there are by the first line of an answer: `matches 1–5 of 31; …`, or `3 matches; …` for all.
fn found_in(header: &str) -> Option<usize> {
    if header.starts_with("no matches") {
        return Some(0);
    }
    let range = header.split(';').next()?;
    let total = match range.split_once(" of ") {
        Some((_, total)) => total,
        None => range.split(' ').next()?,
    };
    total.replace(',', "").parse().ok()
}

/// A name as SQL spells it.
fn name(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '.';
    match name.chars().all(is_plain) {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// A text as SQL spells it.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The next page.
fn cursor(answer: &str) -> Option<Value> {
    let (_, rest) = answer.lines().next()?.split_once("next: ref `")?;
    Some(json!({"ref": rest.split('`').next()?}))
}
