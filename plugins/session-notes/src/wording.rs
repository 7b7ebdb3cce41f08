//! The two lines about omissions, in the operator's words, and the cut of one note to leave room for the first of them.

use tamis_sdk::{Template, cut_string, quote};

/// The operator's texts.
pub struct Wording {
    truncated: Template,
    left_out: Template,
    /// The call that returns whole notes.
    read: String,
    note_bytes: usize,
    /// Room for the line under a cut note, with its line feed.
    line_bytes: usize,
}

/// Digits of the largest document's size: the longest number in a line.
const DIGITS: &str = "4294967295";

impl Wording {
    /// Checks the texts. An error names the key.
    pub fn new(
        truncated: &str,
        left_out: &str,
        read: &str,
        note_bytes: usize,
    ) -> Result<Self, String> {
        for (key, text, known) in [
            ("truncated", truncated, &["shown", "total", "read"][..]),
            ("left-out", left_out, &["count", "read"][..]),
        ] {
            if let Some(name) = Template::new(text).unknown_name(known) {
                let known: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
                return Err(format!(
                    "`{key}` holds {{{name}}}: allowed are {}",
                    known.join(", ")
                ));
            }
            if text.contains('\n') || text.trim().is_empty() {
                return Err(format!("`{key}` is {}: it has to be one line", quote(text)));
            }
        }
        let mut wording = Wording {
            truncated: Template::new(truncated),
            left_out: Template::new(left_out),
            read: read.to_owned(),
            note_bytes,
            line_bytes: 0,
        };
        // As a JSON string, with a line feed of two bytes: the longest form of the line.
        wording.line_bytes = quote(&wording.line(DIGITS, DIGITS)).len();
        if wording.line_bytes * 2 > note_bytes {
            return Err(format!(
                "`note-bytes` is {note_bytes}, and the line that says that a note was cut takes up to {} of them: allow at least {}",
                wording.line_bytes,
                wording.line_bytes * 2
            ));
        }
        Ok(wording)
    }

    fn line(&self, shown: &str, total: &str) -> String {
        let values = [("shown", shown), ("total", total), ("read", &*self.read)];
        self.truncated.fill_with(&values)
    }

    /// The line that counts the omitted notes.
    pub fn left_out(&self, count: usize) -> String {
        let count = count.to_string();
        let values = [("count", &*count), ("read", &*self.read)];
        self.left_out.fill_with(&values)
    }

    /// Whether a line is an output of [`Wording::left_out`].
    pub fn is_left_out(&self, line: &str) -> bool {
        let form = self
            .left_out
            .fill_with(&[("count", "\0"), ("read", &self.read)]);
        let mut rest = line;
        for (place, text) in form.split('\0').enumerate() {
            if place > 0 {
                let digits = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
                if digits.len() == rest.len() {
                    return false;
                }
                rest = digits;
            }
            match rest.strip_prefix(text) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// A text cut to its limit, with the blank line after it. None if it fits unchanged.
    pub fn cut_text(&self, text: &str) -> Option<String> {
        let body = text.trim_end();
        if body.len() <= self.note_bytes {
            return None;
        }
        let end = body.floor_char_boundary(self.note_bytes - self.line_bytes);
        let line = self.line(&end.to_string(), &body.len().to_string());
        let blank = if text[body.len()..].matches('\n').count() > 1 {
            "\n"
        } else {
            ""
        };
        Some(format!("{}\n{line}\n{blank}", &body[..end]))
    }

    /// Any JSON value cut to its limit. A value that is no string becomes the beginning of its own text, as a string.
    /// None if it fits unchanged.
    pub fn cut_value(&self, value: &str) -> Option<String> {
        let line = |shown: &str, total: &str| self.line(shown, total);
        if value.starts_with('"') {
            return cut_string(value, self.note_bytes, line);
        }
        if value.len() <= self.note_bytes {
            return None;
        }
        cut_string(&quote(value), self.note_bytes, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wording(note_bytes: usize) -> Wording {
        Wording::new(
            "[truncated: {shown} of {total} bytes; {read}]",
            "[{count} more; {read}]",
            "read()",
            note_bytes,
        )
        .expect("wording")
    }

    #[test]
    fn any_value_is_cut_to_a_string_of_that_length() {
        for value in [
            quote(&"ab\n".repeat(100)),
            format!("[{}1]", "1,\"a\",".repeat(50)),
        ] {
            let cut = wording(200).cut_value(&value).expect("it is longer");
            assert!(cut.len() <= 202, "{cut}");
            let said: String = serde_json::from_str(&cut).expect("a JSON string");
            assert!(said.ends_with("bytes; read()]"), "{said}");
            assert_eq!(wording(200).cut_value(&cut), None, "a second time");
        }
        assert_eq!(wording(200).cut_value("[1]"), None);
        let text = "é ".repeat(100);
        let cut = wording(200).cut_text(&text).expect("it is longer");
        assert!(cut.len() <= 201 && cut.ends_with("read()]\n"), "{cut}");
    }

    #[test]
    fn left_out_lines_are_known_again() {
        let wording = wording(200);
        assert!(wording.is_left_out(&wording.left_out(12)));
        for other in [
            "[x more; read()]",
            "[ more; read()]",
            "[1 more; read()] ",
            "",
        ] {
            assert!(!wording.is_left_out(other), "{other}");
        }
    }
}
