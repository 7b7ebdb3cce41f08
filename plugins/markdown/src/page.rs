//! Recognises the beginning of HTML in a text.
//!
//! A page begins with `<!doctype html>` or `<html>`, perhaps after a few lines of a tool (`Contents of URL:`). A part
//! of a page begins with the tag of an element that contains text, and ends with a tag. A doubtful text is not HTML.

use crate::MARK;
use crate::element::Element;

/// The position of the HTML in a text.
pub struct Page<'t> {
    /// Lines before the HTML, which stay.
    pub before: &'t str,
    pub html: &'t str,
    pub is_fragment: bool,
}

/// Most bytes, and most lines, before a page.
const BEFORE_BYTES: usize = 1024;
const BEFORE_LINES: usize = 5;

impl<'t> Page<'t> {
    /// The page in a text; with `fragments`, also a part of one.
    pub fn find(text: &'t str, fragments: bool) -> Option<Page<'t>> {
        if text.starts_with(MARK) {
            return None;
        }
        let mut at = 0;
        for _ in 0..=BEFORE_LINES {
            let rest = &text[at..];
            let begun = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
            if begins_page(begun) {
                // White space before the page ends the lines before it.
                let (before, _) = text.split_at(at);
                return Some(Page {
                    before,
                    html: begun,
                    is_fragment: false,
                });
            }
            let Some(line) = rest.find('\n').map(|end| at + end + 1) else {
                break;
            };
            let is_plain = !text[at..line].contains(['<', '`']);
            if !is_plain || line > BEFORE_BYTES {
                break;
            }
            at = line;
        }
        let html = text.trim();
        (fragments && begins_part(html)).then_some(Page {
            before: "",
            html,
            is_fragment: true,
        })
    }
}

/// Whether a text begins with a tag of a whole page, after comments.
fn begins_page(text: &str) -> bool {
    let mut rest = text;
    if let Some(after) = rest.strip_prefix("<?xml") {
        let Some((_, after)) = after.split_once("?>") else {
            return false;
        };
        rest = after.trim_start();
    }
    while let Some(after) = rest.strip_prefix("<!--") {
        let Some((_, after)) = after.split_once("-->") else {
            return false;
        };
        rest = after.trim_start();
    }
    begins(rest, "<!doctype html") || begins(rest, "<html")
}

/// Whether a text begins with this word, in any case.
fn begins(text: &str, start: &str) -> bool {
    let Some((head, rest)) = text.split_at_checked(start.len()) else {
        return false;
    };
    head.eq_ignore_ascii_case(start)
        && rest.starts_with(|next: char| next == '>' || next.is_ascii_whitespace())
}

/// Whether a text is between the tags of elements that contain text.
fn begins_part(html: &str) -> bool {
    let Some(rest) = html.strip_prefix('<') else {
        return false;
    };
    let length = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    let name = rest[..length].to_ascii_lowercase();
    let is_ended = rest[length..].starts_with(['>', '/', ' ', '\t', '\r', '\n']);
    is_ended && Element::of(name.as_bytes()).holds_text() && html.ends_with('>')
}
