//! Text and names in HTML.

use super::super::names::shortened;
use crate::numbers;
use std::fmt::{self, Write};

/// The length of a name in a chart.
const NAME_CHARS: usize = 40;
/// The length of a name elsewhere.
const FULL_NAME_CHARS: usize = 300;

/// Text, as content of an element or of a quoted attribute.
pub(super) struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => f.write_str("&amp;"),
                '<' => f.write_str("&lt;"),
                '>' => f.write_str("&gt;"),
                '"' => f.write_str("&quot;"),
                '\'' => f.write_str("&#39;"),
                char => f.write_char(char),
            }?;
        }
        Ok(())
    }
}

/// A name that somebody else chose, isolated from the direction of the text around it.
pub(super) fn name(name: &str) -> String {
    let short = shortened(name, NAME_CHARS);
    if short == name {
        return format!("<bdi>{}</bdi>", Text(name));
    }
    let title = title(name);
    format!("<bdi title=\"{title}\">{}</bdi>", Text(&short))
}

/// A name for an attribute or a tooltip.
pub(super) fn title(name: &str) -> String {
    Text(&shortened(name, FULL_NAME_CHARS)).to_string()
}

/// A share, with a real minus sign, but without one if it is rounded to zero.
pub(super) fn percent(percent: Option<f64>) -> String {
    match percent {
        Some(percent) if percent <= -0.05 => format!("−{:.1} %", -percent),
        percent => numbers::percent(percent.map(|percent| percent.max(0.0))),
    }
}
