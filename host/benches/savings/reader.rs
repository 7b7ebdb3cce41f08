//! A scripted reader: answers questions about a result as a model would that was shown only what is left of
//! it, with calls of the read tool.
//!
//! It knows what the summary says (columns, counts, totals, the calls that it names) and the question's
//! words, and nothing of the original. Every call that it makes is counted, arguments and answer.

use serde_json::{Map, Value, json};
use tamis::mcp::read_tool;
use tamis::policy::ReadTool;
use tamis::tokens;

use super::questions::{Answer, Ask, Question};

/// Calls that a reader makes for one question before it gives up.
const CALLS: usize = 4;

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
            (Ask::CountLines { word }, Answer::Number(number)) => {
                session.finds(json!({"search": word})) == Some(*number)
            }
            (ask, Answer::Text(text)) => session.look_up(ask, text),
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
        self.call.get("rows")?;
        let mut arguments = json!({"rows": format!("{from}:{to}")});
        if let Some(path) = self.call.get("path") {
            arguments["path"] = path.clone();
        }
        Some(arguments)
    }

    /// How many there are by the answer's first line: `matches 1–5 of 31; …`.
    fn finds(&mut self, arguments: Value) -> Option<usize> {
        let answer = self.read(arguments);
        if answer.starts_with("no matches") {
            return Some(0);
        }
        let (_, rest) = answer.lines().next()?.split_once(" of ")?;
        rest.split([';', ' ']).next()?.replace(',', "").parse().ok()
    }

    /// How many rows have a value, by a query; none if there is no such table.
    fn query_count(&mut self, member: &str, value: &Value) -> Option<usize> {
        let path = self.call.get("path").and_then(Value::as_str);
        let last = path.unwrap_or("$").rsplit('.').next()?;
        let table = match last.trim_end_matches("[*]") {
            "$" => "rows",
            name => name,
        };
        let value = match value {
            Value::String(text) => format!("'{}'", text.replace('\'', "''")),
            other => other.to_string(),
        };
        let condition = match value.as_str() {
            "null" => "IS NULL".to_owned(),
            value => format!("= {value}"),
        };
        let query = format!("SELECT count(*) FROM \"{table}\" WHERE \"{member}\" {condition}");
        let answer = self.read(json!({"query": query}));
        answer.lines().nth(1)?.parse().ok()
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
            Ask::Record { known } => json!({"search": known}),
            Ask::Word { word } => json!({"search": word}),
            Ask::Range { from, to } => match self.rows(*from, *to) {
                Some(rows) => rows,
                None => json!({"lines": format!("{from}-{to}")}),
            },
            Ask::Last => {
                let total = self.reader.total(self.call.get("path"));
                match (total.and_then(|total| self.rows(total - 1, total)), lines) {
                    (Some(rows), _) => rows,
                    // It is there to be seen.
                    (None, _) if self.reader.shown.contains(wanted) => return true,
                    (None, Some(lines)) => json!({"lines": lines.to_string()}),
                    (None, None) => return false,
                }
            }
            Ask::CountOf { .. } | Ask::CountLines { .. } => return false,
        };
        let mut answer = self.read(first);
        while !answer.contains(wanted) && self.reading.calls < CALLS {
            let next = self.around(&answer).or_else(|| cursor(&answer));
            let Some(next) = next else { return false };
            answer = self.read(next);
        }
        answer.contains(wanted)
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

/// The next page.
fn cursor(answer: &str) -> Option<Value> {
    let (_, rest) = answer.lines().next()?.split_once("next: cursor `")?;
    Some(json!({"cursor": rest.split('`').next()?}))
}
