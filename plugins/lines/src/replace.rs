//! Replacement of parts of a line. A replacement may name groups of its pattern.

use regex::{Captures, Regex, RegexSet};
use std::borrow::Cow;

/// Longest line that is changed. A pattern that looks far ahead of each match takes quadratic time in the line, and a
/// replacement that repeats groups could take any memory.
pub const MOST_LINE_BYTES: usize = 8192;

/// The replacements of a step, in order.
pub struct Replacements {
    list: Vec<(Regex, Replacement)>,
    /// Matches a line if one of the patterns does.
    any: RegexSet,
}

/// The replacement of a match.
pub struct Replacement(Vec<Part>);

enum Part {
    Text(String),
    /// Number of a group; 0: the whole match.
    Group(usize),
}

/// The lines of a text grow by more bytes than allowed.
pub struct Grown;

impl Replacement {
    /// Parses a replacement: `$1` or `${1}`, `${name}`, and `$$` for a dollar.
    ///
    /// # Errors
    ///
    /// The text names the mistake and the allowed forms.
    pub fn parse(text: &str, regex: &Regex) -> Result<Replacement, String> {
        if text.contains(['\n', '\r']) {
            return Err("has a line break: a line stays one line".to_owned());
        }
        let mut parts = Vec::new();
        let mut pieces = text.split('$');
        parts.push(Part::Text(pieces.next().unwrap_or_default().to_owned()));
        let mut is_dollar = false;
        for piece in pieces {
            if is_dollar {
                is_dollar = false;
                parts.push(Part::Text(piece.to_owned()));
                continue;
            }
            let (name, rest) = match piece.strip_prefix('{') {
                Some(braced) => braced
                    .split_once('}')
                    .ok_or("has `${` without `}`: write `$$` for a dollar")?,
                None => {
                    let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
                    piece.split_at(digits)
                }
            };
            if name.is_empty() {
                // `$$`: the piece between the two is empty.
                if !piece.is_empty() {
                    return Err(format!(
                        "has `${}`: allowed are `$1`, `${{name}}`, and `$$` for a dollar",
                        piece.chars().next().unwrap_or_default()
                    ));
                }
                is_dollar = true;
                parts.push(Part::Text("$".to_owned()));
                continue;
            }
            parts.push(Part::Group(group(name, regex)?));
            parts.push(Part::Text(rest.to_owned()));
        }
        // A dollar at the end has no name.
        if is_dollar {
            return Err("ends with `$`: write `$$` for a dollar".to_owned());
        }
        parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
        Ok(Replacement(parts))
    }

    fn texts<'a>(&'a self, found: &'a Captures<'_>) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(|part| match part {
            Part::Text(text) => text.as_str(),
            Part::Group(number) => found.get(*number).map_or("", |group| group.as_str()),
        })
    }
}

/// The number of the group that a replacement names.
fn group(name: &str, regex: &Regex) -> Result<usize, String> {
    let by_name = || regex.capture_names().position(|known| known == Some(name));
    match name.parse() {
        Ok(number) if number < regex.captures_len() => Ok(number),
        Ok(number) => Err(format!(
            "names group {number}, and the pattern has {}",
            regex.captures_len() - 1
        )),
        Err(_) => by_name().ok_or_else(|| {
            format!("names the group `{name}`, and the pattern has none of that name")
        }),
    }
}

impl Replacements {
    pub fn new(list: Vec<(Regex, Replacement)>, any: RegexSet) -> Replacements {
        Replacements { list, any }
    }

    /// Replaces every match of every pattern in a line, in order. `growth` is the number of bytes by which the text's
    /// lines may still grow.
    ///
    /// # Errors
    ///
    /// The line grows by more.
    pub fn apply(&self, line: &mut Cow<'_, str>, growth: &mut usize) -> Result<(), Grown> {
        if line.len() > MOST_LINE_BYTES || !self.any.is_match(line) {
            return Ok(());
        }
        for (regex, replacement) in &self.list {
            if line.len() > MOST_LINE_BYTES {
                return Ok(());
            }
            let mut out = String::new();
            let mut at = 0;
            let mut is_found = false;
            for found in regex.captures_iter(line) {
                let Some(all) = found.get(0) else { continue };
                is_found = true;
                out.push_str(&line[at..all.start()]);
                out.extend(replacement.texts(&found));
                at = all.end();
            }
            if !is_found {
                continue;
            }
            out.push_str(&line[at..]);
            let grown = out.len().saturating_sub(line.len());
            *growth = growth.checked_sub(grown).ok_or(Grown)?;
            *line = Cow::Owned(out);
        }
        Ok(())
    }
}
