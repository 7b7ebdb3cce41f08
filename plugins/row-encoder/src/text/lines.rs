//! Lines of one form, such as those of a progress report: `epoch 1/400 loss=2.25`.
//!
//! Owns the search for the form, and its notation. Words with a digit are values; all other text must be equal in all
//! lines. A run of such lines becomes its form, once, and a line of values for each. Nothing is lost: the form, filled
//! with the values, is the line. Refuses to know the meaning of the values.

use std::fmt::Write as _;
use std::ops::Range;

/// Fewer lines are short enough.
const FEWEST_LINES: usize = 8;

/// A run must begin within this many lines, and bytes. Otherwise the text is not of this kind.
const FIRST_LINES: usize = 24;
const FIRST_BYTES: usize = 4_000;

/// Fewest words of a form: lines of numbers are data or source code.
const FEWEST_WORDS: usize = 2;

/// A line with more values is a row of data.
const MOST_VALUES: usize = 16;

/// A longer line has no form.
const LONGEST_LINE: usize = 1_000;

/// Between the number of lines and their form.
const FORM: &str = " lines of the form \"";
const VALUES: &str = "\", with these values:";

/// A text with its runs of lines as form and values; none if the text does not begin with such a run.
pub(super) fn encode(text: &str) -> Option<String> {
    let mut first: &[&str] = &lines_of(first_part(text))
        .take(FIRST_LINES)
        .collect::<Vec<_>>();
    loop {
        let run = Run::at_the_beginning(first.iter().copied());
        if run.write(&mut String::new()) {
            break;
        }
        first = first
            .get(run.lines..)
            .filter(|rest| rest.len() >= FEWEST_LINES)?;
    }
    // Text that looks like this notation would be restored to another text. Escape sequences of a terminal would be
    // torn apart, with their digits as values.
    let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
    if text.contains(FORM) || text.bytes().any(is_control) {
        return None;
    }
    let mut out = String::with_capacity(text.len() / 2);
    let mut rest = text;
    while !rest.is_empty() {
        let run = Run::at_the_beginning(lines_of(rest));
        if !run.write(&mut out) {
            out.push_str(&rest[..run.bytes]);
        }
        rest = &rest[run.bytes..];
    }
    Some(out)
}

/// The text before its runs were encoded; none if it has no valid run.
#[cfg(test)]
pub(super) fn restore(encoded: &str) -> Option<String> {
    let mut out = String::new();
    let mut lines = lines_of(encoded);
    while let Some(line) = lines.next() {
        let form = line.split_once(FORM).and_then(|(count, rest)| {
            Some((count.parse::<usize>().ok()?, rest.rsplit_once(VALUES)?))
        });
        let Some((count, (form, end))) = form else {
            out += line;
            continue;
        };
        for _ in 0..count {
            let values = lines.next()?.trim_end_matches(['\r', '\n']);
            let mut filled = form.to_owned();
            for (number, value) in values.split('\t').enumerate() {
                filled = filled.replace(&format!("{{{}}}", number + 1), value);
            }
            out += &filled;
            out += end;
        }
    }
    Some(out)
}

fn first_part(text: &str) -> &str {
    let end = text.floor_char_boundary(FIRST_BYTES);
    let first = &text[..end];
    // A cut line does not count.
    match first.rfind('\n') {
        Some(last) if end < text.len() => &first[..=last],
        _ if end < text.len() => "",
        _ => first,
    }
}

/// The lines of a text, each with its line break.
fn lines_of(text: &str) -> std::str::SplitInclusive<'_, char> {
    text.split_inclusive('\n')
}

/// Consecutive lines of one form.
struct Run<'t> {
    /// The first line, and the positions of its values.
    first: &'t str,
    places: Vec<Range<usize>>,
    /// The values of all lines.
    values: Vec<&'t str>,
    lines: usize,
    bytes: usize,
}

impl<'t> Run<'t> {
    /// The run that begins with the first line, which may be its only line.
    fn at_the_beginning(mut lines: impl Iterator<Item = &'t str>) -> Run<'t> {
        let first = lines.next().unwrap_or_default();
        let places = places(first);
        let mut run = Run {
            values: places.iter().map(|place| &first[place.clone()]).collect(),
            lines: 1,
            bytes: first.len(),
            places,
            first,
        };
        if run.places.is_empty() || !run.is_form() {
            return run;
        }
        for line in lines {
            let places = places_like(line, run.first, &run.places);
            let Some(places) = places else { break };
            run.values
                .extend(places.into_iter().map(|place| &line[place]));
            run.lines += 1;
            run.bytes += line.len();
        }
        run
    }

    /// Whether the first line may have a form.
    fn is_form(&self) -> bool {
        let words = self.first.split(|c: char| !c.is_alphabetic());
        let words = words.filter(|word| word.len() > 2).count();
        self.first.len() <= LONGEST_LINE
            && self.places.len() <= MOST_VALUES
            && words >= FEWEST_WORDS
            && !self.first.contains(['{', '}', '"', '\t'])
    }

    /// Writes the form and the values, if there are enough lines.
    fn write(&self, out: &mut String) -> bool {
        let width = self.places.len();
        if self.lines < FEWEST_LINES {
            return false;
        }
        let column = |column: usize| self.values.iter().skip(column).step_by(width);
        // A column is constant, equals another one, or has a number of its own.
        let mut own: Vec<usize> = Vec::new();
        let mut form = String::new();
        let mut written = 0;
        for (place, range) in self.places.iter().enumerate() {
            if column(place).all(|value| *value == self.values[place]) {
                continue;
            }
            form.push_str(&self.first[written..range.start]);
            written = range.end;
            let like = own
                .iter()
                .position(|other| column(*other).eq(column(place)));
            let number = like.unwrap_or_else(|| {
                own.push(place);
                own.len() - 1
            });
            // Writing to a string cannot fail.
            let _ = write!(form, "{{{}}}", number + 1);
        }
        if own.is_empty() {
            return false;
        }
        let body = self.first.trim_end_matches(['\r', '\n']);
        form.push_str(&body[written..]);
        let end = &self.first[body.len()..];
        let _ = write!(out, "{}{FORM}{form}{VALUES}{end}", self.lines);
        for row in self.values.chunks(width) {
            for (number, column) in own.iter().enumerate() {
                out.push_str(if number > 0 { "\t" } else { "" });
                out.push_str(row[*column]);
            }
            out.push_str(end);
        }
        true
    }
}

/// The positions of the words with a digit: letters and digits, and signs between two digits.
fn places(line: &str) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let (mut start, mut has_digit) = (None, false);
    let bytes = line.as_bytes();
    if !bytes.iter().any(u8::is_ascii_digit) {
        return places;
    }
    for (at, c) in line.char_indices() {
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let joins =
            matches!(c, '.' | ':' | ',' | '-') && at > 0 && is_digit(at - 1) && is_digit(at + 1);
        if c.is_alphanumeric() || joins {
            start = start.or(Some(at));
            has_digit |= c.is_ascii_digit();
        } else if let Some(begin) = start.take() {
            if has_digit {
                places.push(begin..at);
            }
            has_digit = false;
        }
    }
    if let Some(begin) = start.filter(|_| has_digit) {
        places.push(begin..line.len());
    }
    places
}

/// The positions of the values in a line, if all other text equals that of the first line.
fn places_like(
    line: &str,
    first: &str,
    first_places: &[Range<usize>],
) -> Option<Vec<Range<usize>>> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    let places = places(line);
    if places.len() != first_places.len() {
        return None;
    }
    let (mut end, mut first_end) = (0, 0);
    for (place, other) in places.iter().zip(first_places) {
        if line[end..place.start] != first[first_end..other.start] {
            return None;
        }
        (end, first_end) = (place.end, other.end);
    }
    (line[end..] == first[first_end..]).then_some(places)
}
