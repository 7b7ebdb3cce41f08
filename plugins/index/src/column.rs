//! One column of a line: the path of its value, and its format.

use std::fmt::Write as _;
use tamis_sdk::{Document, Node, NodeKind, Paths};

/// A column: `{title:40.40}` in the line's template.
pub struct Column {
    /// Its name in the heading.
    pub name: String,
    field: Field,
    /// Least characters, filled with spaces.
    width: usize,
    cut: Cut,
}

/// The way to shorten a value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Cut {
    No,
    /// A text keeps this many characters. Numbers stay, because a part of a number is another number.
    Characters(usize),
    /// A number gets this many decimals; texts stay.
    Decimals(usize),
}

/// The paths of a value: the first one in a result that leads to a value counts.
pub struct Field(Paths);

impl Field {
    pub fn new(paths: &[String]) -> Result<Field, String> {
        Paths::parse(paths).map(Field)
    }

    /// The value in a result: a text that is not empty, a number or a boolean. None for a duplicate key.
    pub fn value<'t>(&self, document: &Document, result: Node<'t>) -> Option<Node<'t>> {
        let found = self.0.find(document, result);
        (0..self.0.len()).find_map(|path| {
            let mut of_path = found.iter().filter(|it| it.path == path);
            let value = of_path.next()?.value;
            let is_shown = match value.kind() {
                NodeKind::String => value.len_bytes() > 2,
                NodeKind::Number | NodeKind::True | NodeKind::False => true,
                _ => false,
            };
            (is_shown && of_path.next().is_none()).then_some(value)
        })
    }
}

impl Column {
    /// Parses the text after a column's colon: `40`, `.40`, `40.40`, `.2f`.
    pub fn new(name: &str, format: &str, field: Field) -> Result<Column, String> {
        let bad = || {
            format!(
                "`{{{name}:{format}}}` is no format: allowed are a width (40), characters to cut at (.40), both (40.40), decimals of a number (.2f)"
            )
        };
        let (width, cut) = format.split_once('.').unwrap_or((format, ""));
        let number = |digits: &str| match digits.parse::<u16>() {
            Ok(number) if digits.starts_with(|it: char| it.is_ascii_digit()) => {
                Ok(usize::from(number))
            }
            _ => Err(bad()),
        };
        let width_given = !width.is_empty();
        let cut = match (format.contains('.'), cut.strip_suffix('f')) {
            (false, _) => Cut::No,
            (true, Some(decimals)) => Cut::Decimals(number(decimals)?),
            (true, None) => Cut::Characters(number(cut)?),
        };
        Ok(Column {
            name: name.to_owned(),
            width: if width_given { number(width)? } else { 0 },
            cut,
            field,
        })
    }

    /// Writes a result's value, padded, or the text for a missing value.
    pub fn write(&self, document: &Document, result: Node<'_>, missing: &str, out: &mut String) {
        match self.field.value(document, result) {
            Some(value) => {
                let text = self.text(document, value);
                self.write_padded(&text, out);
            }
            None => self.write_padded(missing, out),
        }
    }

    /// Writes a text as wide as the column.
    pub fn write_padded(&self, text: &str, out: &mut String) {
        out.push_str(text);
        let fill = self.width.saturating_sub(text.chars().count());
        out.extend(std::iter::repeat_n(' ', fill));
    }

    fn text(&self, document: &Document, value: Node<'_>) -> String {
        let raw = document.raw(value);
        match (value.kind(), self.cut) {
            (NodeKind::Number, Cut::Decimals(decimals)) => rounded(&raw, decimals),
            (NodeKind::String, cut) => {
                let text = one_line(document, value);
                match cut {
                    Cut::Characters(most) => {
                        let head: String = text.chars().take(most).collect();
                        head.trim_end().to_owned()
                    }
                    _ => text,
                }
            }
            _ => raw.into_owned(),
        }
    }
}

/// A text on one line: control characters such as line breaks become spaces, and several become one.
pub fn one_line(document: &Document, value: Node<'_>) -> String {
    let text = document.string(value);
    let text = text.unwrap_or_else(|| document.slice(value.start() + 1, value.end() - 1));
    let is_gap = |letter: char| letter.is_control() || letter.is_whitespace();
    let words = text.split(is_gap).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// A number with this many decimals. It stays unchanged if rounding would change its meaning: an integer, a number that
/// would become zero, and a number too large to be exact.
fn rounded(raw: &str, decimals: usize) -> String {
    /// Above this, not every integer is a floating-point number.
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    let number: f64 = raw.parse().unwrap_or(f64::INFINITY);
    if number.abs() > LARGEST_EXACT {
        return raw.to_owned();
    }
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write!(text, "{number:.decimals$}");
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
    if is_zero && number != 0.0 {
        raw.to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_what_a_number_means() {
        for (raw, expected) in [
            ("3.7249", "3.72"),
            ("3.7", "3.70"),
            ("1e2", "100.00"),
            ("7", "7.00"),
            ("0", "0.00"),
            ("-0.001", "-0.001"),
            ("0.0031", "0.0031"),
            ("0.996", "1.00"),
            ("12345678901234567890", "12345678901234567890"),
            ("1e999", "1e999"),
        ] {
            assert_eq!(rounded(raw, 2), expected, "{raw}");
        }
    }

    #[test]
    fn formats() {
        let field = || Field::new(&["x".to_owned()]).expect("a path");
        for (format, width, cut) in [
            ("", 0, Cut::No),
            ("8", 8, Cut::No),
            (".10", 0, Cut::Characters(10)),
            ("40.40", 40, Cut::Characters(40)),
            (".2f", 0, Cut::Decimals(2)),
            ("6.2f", 6, Cut::Decimals(2)),
        ] {
            let column = Column::new("x", format, field()).expect(format);
            assert_eq!((column.width, column.cut), (width, cut), "{format}");
        }
        for format in ["-8", "+8", "8.", "x", "8.x", ".f", "99999", "8.2.2"] {
            let error = Column::new("x", format, field()).err().expect(format);
            assert!(error.contains(&format!("{{x:{format}}}")), "{error}");
        }
    }
}
