//! Blocks of lines, such as the lines of a record: which block a line is in.
//!
//! Owns where a block begins, and which of its first lines tells it apart from other blocks. Refuses to know which lines
//! are shown.

use crate::source::Source;
use crate::trim::{is_blank, trim};

/// Most lines of a block above a line.
const MOST: usize = 24;

/// The line that tells the block of a line apart from others, with its number: the first one below an empty line, or the
/// line that this one is indented below. None if the line stands in no block, or begins it.
pub fn title<'t>(source: &Source<'t>, place: usize, line: &str) -> Option<(usize, &'t str)> {
    let first = (place - 1).saturating_sub(MOST);
    let above: Vec<(usize, &'t str)> = source.lines_after(first).take(place - 1 - first).collect();
    // Cells of a table may be empty below those that have the same.
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t', '│', '|']).len();
    let says = |line: &str| line.contains(char::is_alphanumeric);
    let mut least = indent(line);
    let mut begin = None;
    for (at, (_, line)) in above.iter().enumerate().rev() {
        if is_blank(line) {
            begin = begin.or(Some(at + 1));
            break;
        }
        if indent(line) < least && says(line) {
            (least, begin) = (indent(line), Some(at));
        }
    }
    let mut lines = above.get(begin?..)?.iter();
    let patterns = source.patterns();
    let is_own = |(number, line): &&(usize, &str)| {
        let pattern = patterns.of_line(*number).map(|at| &patterns.all[at]);
        pattern.is_none_or(|it| it.count == 1 || it.first.0 == *number || it.first.1 != trim(line))
    };
    lines.find(|line| says(line.1) && is_own(line)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title_of(text: &str, part: &str) -> Option<usize> {
        let source = Source::of(text);
        let found = source.lines().find(|(_, line)| line.contains(part));
        let (place, line) = found.expect("the line is there");
        title(&source, place, line).map(|(number, _)| number)
    }

    #[test]
    fn a_line_is_in_the_block_above_which_it_begins() {
        let hosts = "start\n\nhost 1\nup\nport 22\n\nhost 2\nup\nport 80\n";
        assert_eq!(title_of(hosts, "80"), Some(7));
        assert_eq!(title_of(hosts, "host 2"), None);
        assert_eq!(title_of(hosts, "start"), None);
        let nested = "a {\n  id: 1\n  state: UP\n}\na {\n  id: 2\n  state: DOWN\n}\n";
        assert_eq!(title_of(nested, "DOWN"), Some(6), "each begins with `a {{`");
        let list = "- one\n  size: 1\n- two\n  size: 2\n";
        assert_eq!(title_of(list, "size: 2"), Some(3));
        let cells = "│ a │ 1 │\n│   │ 2 │\n├───┼───┤\n│ b │ 3 │\n├───┼───┤\n│   │ 4 │\n";
        assert_eq!(title_of(cells, "4"), Some(4));
        let plain = "a\n".repeat(40) + "b\n";
        assert_eq!(title_of(&plain, "b"), None);
    }
}
