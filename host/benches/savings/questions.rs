//! Three plausible questions about a result, with their answers.
//!
//! They are made from the original: the field of a record that is known by something else, how many
//! records have a value, how often a word occurs, a line with a word, the last item, a range. The reader gets the
//! question's words alone, and with them the names of the members that it is about, as who asks knows them.

use std::collections::HashMap;

use serde_json::Value;

/// What is asked.
#[derive(Debug)]
pub enum Ask {
    /// What the record in which this stands says: in this member, if it has a name.
    Record { known: Leaf, wanted: Option<String> },
    /// How many records have this value in this member.
    CountOf { member: String, value: Value },
    /// How often this word occurs.
    CountOfWord { word: String },
    /// The line with this word.
    Word { word: String },
    /// The last record, or this member of it, or the last line.
    Last { wanted: Option<String> },
    /// Records counted from 0, or this member of them, or lines counted from 1.
    Range {
        from: usize,
        to: usize,
        wanted: Option<String>,
    },
}

/// A text or number of a record.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// Its member, as `user.login`; none inside of a list.
    pub member: Option<String>,
    pub text: String,
    pub is_text: bool,
}

/// What a right answer holds.
#[derive(Debug)]
pub enum Answer {
    Text(String),
    Number(usize),
}

/// One question.
#[derive(Debug)]
pub struct Question {
    pub ask: Ask,
    pub answer: Answer,
}

/// From so many rows on, a list is what a result is about.
const ROWS: usize = 14;

/// Bytes of a line that are known to who asks for it.
const KNOWN: usize = 30;

/// Three questions about what upstream sent: its text blocks, or `structuredContent`.
pub fn of(texts: &[String], structured: Option<&Value>, name: &str) -> Vec<Question> {
    let mut random = Random::seeded(name);
    let parsed: Vec<Value> = texts
        .iter()
        .filter_map(|text| {
            let read = serde_json::from_str(text).or_else(|_| as_json(text));
            read.ok().or_else(|| after_a_sentence(text))
        })
        .collect();
    let document = match parsed.as_slice() {
        [one] if texts.len() == 1 => Some(one.clone()),
        many if many.len() == texts.len() && !many.is_empty() => Some(Value::Array(many.to_vec())),
        _ if texts.is_empty() => structured.cloned(),
        _ => None,
    };
    let all = texts.join("\n");
    // The text that the result is about.
    let longest_text = texts.iter().max_by_key(|text| text.len());
    let main = longest_text.filter(|text| text.len() * 10 >= all.len() * 9);
    let main = main.unwrap_or(&all);
    let document = document.or_else(|| values_by_line(main));
    let Some(document) = document else {
        return of_lines(main, &mut random);
    };
    match longest(&document, false) {
        Some((rows, is_nested)) if rows.len() >= ROWS => {
            of_rows(rows, is_nested, &all, &mut random)
        }
        _ => of_members(&document, &all, &mut random),
    }
}

/// Python's `repr` as JSON, where that takes no more than this.
fn as_json(text: &str) -> serde_json::Result<Value> {
    let text = text.replace('\'', "\"").replace("None", "null");
    let text = text.replace("True", "true").replace("False", "false");
    serde_json::from_str(&text.replace('(', "[").replace(')', "]"))
}

/// Values that stand one in a line each.
fn values_by_line(text: &str) -> Option<Value> {
    let value = |line| {
        let value = serde_json::from_str(line).or_else(|_| as_json(line)).ok();
        value.filter(|value: &Value| value.is_object() || value.is_array())
    };
    let values: Option<Vec<Value>> = text.lines().map(value).collect();
    values
        .filter(|values| values.len() >= ROWS)
        .map(Value::Array)
}

/// JSON that follows a line or two of words.
fn after_a_sentence(text: &str) -> Option<Value> {
    let (first, rest) = text.split_once('\n')?;
    let begins = |text: &str| text.trim_start().starts_with(['{', '[']);
    if begins(first) {
        return None;
    }
    match begins(rest) {
        true => serde_json::from_str(rest).ok(),
        false => serde_json::from_str(rest.split_once('\n')?.1).ok(),
    }
}

/// Of rows that are in rows themselves, as in a tree, nobody asks how many there are.
fn of_rows(rows: &[Value], is_nested: bool, all: &str, random: &mut Random) -> Vec<Question> {
    if is_nested {
        return (0..3).filter_map(|_| record(rows, all, random)).collect();
    }
    let mut found: Vec<Question> = record(rows, all, random).into_iter().collect();
    found.extend(count(rows, random));
    let is_last = random.next().is_multiple_of(2);
    let at = if is_last { rows.len() - 1 } else { 11 };
    if let Some(leaf) = leaves(&rows[at]).pop() {
        let wanted = leaf.member;
        let ask = match is_last {
            true => Ask::Last { wanted },
            false => Ask::Range {
                from: 10,
                to: 13,
                wanted,
            },
        };
        let answer = Answer::Text(leaf.text);
        found.push(Question { ask, answer });
    }
    found
}

fn leaves(row: &Value) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    scalars(row, Some(""), &mut leaves);
    leaves
}

/// What else a record says that is known by what it says.
fn record(rows: &[Value], all: &str, random: &mut Random) -> Option<Question> {
    let row = random.pick(rows)?;
    let mut said = leaves(row);
    // What a record is known by stands in few others.
    said.sort_by_cached_key(|leaf| all.matches(leaf.text.as_str()).count());
    let [known, rest @ ..] = said.as_slice() else {
        return None;
    };
    let asked = random.pick(rest).unwrap_or(known).clone();
    Some(Question {
        ask: Ask::Record {
            known: known.clone(),
            wanted: asked.member,
        },
        answer: Answer::Text(asked.text),
    })
}

/// What the members say whose names are in few other places.
fn of_members(document: &Value, all: &str, random: &mut Random) -> Vec<Question> {
    let mut found = Vec::new();
    members(document, &mut found);
    found.retain(|(key, _)| key.len() > 3 && all.matches(key.as_str()).count() <= 10);
    let asked = (0..3).filter_map(|_| {
        let (key, value) = random.pick(&found)?.clone();
        Some(Question {
            ask: Ask::Record {
                known: Leaf {
                    member: None,
                    text: key,
                    is_text: true,
                },
                wanted: None,
            },
            answer: Answer::Text(value),
        })
    });
    let asked: Vec<Question> = asked.collect();
    match document.as_array() {
        Some(list) if asked.is_empty() && list.len() >= ROWS => vec![
            Question {
                ask: Ask::Last { wanted: None },
                answer: Answer::Text(list[list.len() - 1].to_string()),
            },
            Question {
                ask: Ask::Range {
                    from: 10,
                    to: 13,
                    wanted: None,
                },
                answer: Answer::Text(list[11].to_string()),
            },
        ],
        _ => asked,
    }
}

/// Members that are texts or numbers long enough to look for.
fn members(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| members(item, found)),
        Value::Object(all) => {
            for (key, value) in all {
                if !value.is_array() && !value.is_object() {
                    let leaves = leaves(value).into_iter();
                    found.extend(leaves.map(|leaf| (key.clone(), leaf.text)));
                }
                members(value, found);
            }
        }
        _ => {}
    }
}

/// How many rows have one of a few values.
fn count(rows: &[Value], random: &mut Random) -> Option<Question> {
    let members: Vec<&String> = rows.first()?.as_object()?.keys().collect();
    let counted: Vec<(String, Value, usize)> = members
        .into_iter()
        .filter_map(|member| {
            let mut counts: HashMap<String, (Value, usize)> = HashMap::new();
            for value in rows.iter().filter_map(|row| row.get(member)) {
                let is_plain = match value {
                    Value::String(text) => text.len() < 30 && is_plain(text),
                    other => other.is_boolean() || other.is_u64(),
                };
                if !is_plain {
                    return None;
                }
                let entry = counts.entry(value.to_string());
                entry.or_insert((value.clone(), 0)).1 += 1;
            }
            let mut counts: Vec<(Value, usize)> = counts.into_values().collect();
            counts.sort_by_cached_key(|(value, _)| value.to_string());
            let is_few = (2..=20).contains(&counts.len());
            let (value, count) = random.pick(&counts).filter(|_| is_few)?;
            Some((member.clone(), value.clone(), *count))
        })
        .collect();
    let (member, value, count) = random.pick(&counted)?.clone();
    Some(Question {
        ask: Ask::CountOf { member, value },
        answer: Answer::Number(count),
    })
}

fn of_lines(all: &str, random: &mut Random) -> Vec<Question> {
    let lines: Vec<&str> = all.lines().collect();
    let mut frequency: HashMap<String, usize> = HashMap::new();
    for line in &lines {
        let mut words: Vec<String> = words(line).map(str::to_lowercase).collect();
        words.sort_unstable();
        words.dedup();
        for word in words {
            *frequency.entry(word).or_default() += 1;
        }
    }
    let with_words: Vec<&&str> = lines
        .iter()
        .filter(|line| words(line).next().is_some())
        .collect();
    let mut found = Vec::new();
    // Whoever looks for one line knows how a part of it goes, from a word on that is in few others.
    for _ in 0..20 {
        let Some(line) = random.pick(&with_words) else {
            break;
        };
        let rarest = words(line).min_by_key(|word| frequency[&word.to_lowercase()]);
        let at = rarest.and_then(|word| line.find(word)).unwrap_or_default();
        let upto =
            |len: usize| line[at..line.floor_char_boundary((at + len).min(line.len()))].trim_end();
        if all.matches(upto(KNOWN)).count() == 1 {
            found.push(Question {
                ask: Ask::Word {
                    word: upto(KNOWN).to_owned(),
                },
                answer: Answer::Text(upto(2 * KNOWN).to_owned()),
            });
            break;
        }
    }
    let mut often: Vec<&String> = frequency
        .iter()
        .filter(|(_, count)| **count > 1)
        .map(|(word, _)| word)
        .collect();
    often.sort_unstable();
    if let Some(word) = random.pick(&often) {
        let occurrences = all.to_lowercase().matches(word.as_str()).count();
        found.push(Question {
            ask: Ask::CountOfWord {
                word: (*word).clone(),
            },
            answer: Answer::Number(occurrences),
        });
    }
    let shown = |line: &str| {
        let line = line.trim();
        line[..line.floor_char_boundary(40.min(line.len()))].to_owned()
    };
    match lines.as_slice() {
        [.., last] if random.next().is_multiple_of(2) || lines.len() < ROWS => {
            let last = last.trim_end();
            let tail = &last[last.floor_char_boundary(last.len().saturating_sub(40))..];
            // From a whole word on.
            let is_cut = tail.len() < last.len();
            let tail = tail.trim_start_matches(|it: char| is_cut && it.is_alphanumeric());
            let tail = tail.trim();
            found.push(Question {
                ask: Ask::Last { wanted: None },
                answer: Answer::Text(tail.to_owned()),
            });
        }
        many => found.push(Question {
            ask: Ask::Range {
                from: 10,
                to: 13,
                wanted: None,
            },
            answer: Answer::Text(many.get(10).map(|line| shown(line)).unwrap_or_default()),
        }),
    }
    found
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|it: char| !it.is_ascii_alphanumeric() && it != '_')
        .filter(|word| (5..40).contains(&word.len()))
}

/// The list of objects or lists with the most bytes, at any depth, and whether it is in another list.
fn longest(value: &Value, is_nested: bool) -> Option<(&[Value], bool)> {
    let is_within = is_nested || value.is_array();
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return None,
    };
    let is_row = |item: &Value| item.is_object() || item.is_array();
    let own = value
        .as_array()
        .filter(|items| items.len() >= ROWS && items.iter().all(is_row))
        .map(Vec::as_slice);
    if let Some(own) = own {
        return Some((own, is_nested));
    }
    let size =
        |(rows, _): &(&[Value], bool)| rows.iter().map(|row| row.to_string().len()).sum::<usize>();
    let inner = inner.into_iter();
    inner
        .filter_map(|value| longest(value, is_within))
        .max_by_key(size)
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.is_ascii() && !text.contains(['"', '\'', '\\', '\n', '<', '&'])
}

/// Texts and numbers that are long enough to look for.
/// `member`: the name of the value's member, empty for the record itself, none inside of a list.
fn scalars(value: &Value, member: Option<&str>, found: &mut Vec<Leaf>) {
    let leaf = |text: String, is_text| Leaf {
        member: member.filter(|name| !name.is_empty()).map(str::to_owned),
        text,
        is_text,
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, None, found)),
        Value::Object(members) => {
            for (key, value) in members {
                let name = member.map(|outer| match outer {
                    "" => key.clone(),
                    outer => format!("{outer}.{key}"),
                });
                scalars(value, name.as_deref(), found);
            }
        }
        Value::String(text) if (4..60).contains(&text.len()) && is_plain(text) => {
            found.push(leaf(text.clone(), true));
        }
        Value::Number(number) if number.to_string().len() > 3 && number.is_u64() => {
            found.push(leaf(number.to_string(), false));
        }
        _ => {}
    }
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn seeded(name: &str) -> Random {
        Random(name.bytes().fold(0xCBF2_9CE4_8422_2325, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 3
    }

    fn pick<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        let length = u64::try_from(list.len())
            .ok()
            .filter(|length| *length > 0)?;
        usize::try_from(self.next() % length)
            .ok()
            .and_then(|at| list.get(at))
    }
}
