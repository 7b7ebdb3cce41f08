//! Texts of operators with places that a filter fills: `{shown} of {total} tests`.

/// A text with `{name}` in it. A brace without a name and a closing brace after it is an ordinary character, so the
/// text may contain JSON.
///
/// # Examples
///
/// ```
/// use tamis_sdk::Template;
///
/// // A setting of an operator:
/// let wording = Template::new("{shown} of {total} tests, {\"as\": \"JSON\"}");
/// assert_eq!(wording.names().collect::<Vec<_>>(), ["shown", "total"]);
/// assert_eq!(wording.unknown_name(&["shown", "hidden"]), Some("total"));
///
/// let line = wording.fill_with(&[("shown", "3"), ("total", "40")]);
/// assert_eq!(line, "3 of 40 tests, {\"as\": \"JSON\"}");
///
/// // A value that is missing makes no line.
/// let line = wording.fill(|name, out| match name {
///     "shown" => { out.push('3'); true }
///     _ => false,
/// });
/// assert_eq!(line, None);
/// # let line = wording.fill(|name, out| { out.push_str(&name[..1]); true });
/// # assert_eq!(line.as_deref(), Some("s of t tests, {\"as\": \"JSON\"}"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(String),
}

/// Characters of names beside letters and digits: enough for paths and formats.
const IN_NAMES: &str = "_-.:*";

impl Template {
    /// Finds the names in a text. Every text is allowed.
    ///
    /// [Example](Template#examples).
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut written = 0;
        let mut from = 0;
        while let Some(open) = text[from..].find('{').map(|at| from + at) {
            from = open + 1;
            let Some(len) = text[from..].find('}') else {
                break;
            };
            let name = &text[from..from + len];
            let is_name = |letter: char| letter.is_alphanumeric() || IN_NAMES.contains(letter);
            if name.is_empty() || !name.chars().all(is_name) {
                continue;
            }
            if written < open {
                parts.push(Part::Text(text[written..open].to_owned()));
            }
            parts.push(Part::Name(name.to_owned()));
            from += len + 1;
            written = from;
        }
        if written < text.len() {
            parts.push(Part::Text(text[written..].to_owned()));
        }
        Template { parts }
    }

    /// The names in the text, in order.
    ///
    /// [Example](Template#examples).
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The first name that is not in `known`.
    ///
    /// [Example](Template#examples).
    pub fn unknown_name(&self, known: &[&str]) -> Option<&str> {
        self.names().find(|name| !known.contains(name))
    }

    /// The text with the values of its names: `write` appends a value to the string, or returns false, and then the
    /// result is none.
    ///
    /// [Example](Template#examples).
    pub fn fill(&self, mut write: impl FnMut(&str, &mut String) -> bool) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Name(name) if write(name, &mut out) => {}
                Part::Name(_) => return None,
            }
        }
        Some(out)
    }

    /// The text with these values for these names; unknown names become empty.
    ///
    /// [Example](Template#examples).
    pub fn fill_with(&self, values: &[(&str, &str)]) -> String {
        let filled = self.fill(|name, out| {
            let value = values.iter().find(|(known, _)| *known == name);
            out.push_str(value.map_or("", |(_, value)| value));
            true
        });
        filled.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_and_other_braces_stay() {
        let template = Template::new(r#"{shown} of {total}: read {"ref":"{ref}"} {} {a b} {"#);
        assert_eq!(
            template.names().collect::<Vec<_>>(),
            ["shown", "total", "ref"]
        );
        assert_eq!(
            template.fill_with(&[("shown", "3"), ("total", "{shown}"), ("ref", "é")]),
            r#"3 of {shown}: read {"ref":"é"} {} {a b} {"#
        );
        assert_eq!(template.unknown_name(&["shown", "total"]), Some("ref"));
    }

    #[test]
    fn there_is_no_text_without_a_value() {
        let template = Template::new("{a}{b}");
        assert_eq!(template.fill(|name, _| name == "a"), None);
        assert_eq!(template.fill_with(&[]), "");
        assert_eq!(Template::new("").fill(|_, _| false).as_deref(), Some(""));
    }
}
