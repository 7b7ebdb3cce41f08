//! Blocks of lines, such as the lines of a record: which block a line is in.
//!
//! Owns where a block begins, and which of its first lines tells it apart from other blocks. Refuses to know which lines
//! are shown.

use crate::source::Source;
use crate::trim::{is_blank, trim};

/// Most lines of a block above a line.
const MOST: usize = 24;

/// The line that tells the block of a line apart from others, with its number: one that this line is indented below, or
/// else one above it in the block, as the first one below an empty line. None if the line stands in no block, or begins it.
pub fn title<'t>(source: &Source<'t>, place: usize, line: &str) -> Option<(usize, &'t str)> {
    // Of a line alone, `# …` may be a comment.
    let is_comment = trim(line).starts_with("# ");
    if !says(line) || begins_block(line) && !is_comment {
        return None;
    }
    let first = (place - 1).saturating_sub(MOST);
    let above: Vec<(usize, &'t str)> = source.lines_after(first).take(place - 1 - first).collect();
    let patterns = source.patterns();
    let is_own = |(number, line): &(usize, &str)| {
        let pattern = patterns.of_line(*number).map(|at| &patterns.all[at]);
        pattern.is_none_or(|it| it.count == 1 || it.first.0 == *number || it.first.1 != trim(line))
    };
    let mut outermost = line;
    let mut below = indent(line);
    // The topmost lines around this one, beside it or one around it, and of the latter in a block that may be another.
    let (mut around, mut beside, mut others) = (None, None, None);
    let (mut is_inside, mut has_ended) = (false, false);
    for found in above.into_iter().rev() {
        let (_, text) = found;
        let (least, own) = (indent(outermost), indent(text));
        let begins = begins_block(text) && own == least;
        // A title that others share may be that of a part: `Answer:`.
        let is_first = begins && !is_inside && (is_own(&found) || !text.trim_end().ends_with(':'));
        if is_blank(text) || is_rule(text) || is_first {
            if !is_inside {
                let are_headings = is_comment && trim(text).starts_with('#');
                let title = Some(found).filter(|it| begins && says(text) && is_own(it));
                beside = title.or(others).filter(|_| !are_headings);
            }
            break;
        }
        let has_more = below.len() > own.len();
        below = own;
        let is_around = own.len() < least.len() && least.starts_with(own);
        if is_around && says(text) && !are_aligned(text, outermost) {
            outermost = text;
            around = Some(found).filter(is_own).or(around);
            beside = others.take().or(beside);
            (is_inside, has_ended) = (true, true);
        } else if own == least {
            // A block beside that ended, or an item, has nothing below itself.
            let is_other = !says(text) || has_more && has_ended || is_item(text);
            others = Some(found).filter(|it| !is_other && is_own(it)).or(others);
            has_ended |= has_more && !is_item(text) || !says(text);
        }
    }
    around.or(beside)
}

/// What a line is indented with. Cells of a table may be empty below those that have the same.
fn indent(line: &str) -> &str {
    let text = line.trim_start_matches([' ', '\t', '│', '|']);
    &line[..line.len() - text.len()]
}

fn says(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// A line of one sign.
fn is_rule(line: &str) -> bool {
    let line = trim(line).as_bytes();
    let first = line.first().filter(|sign| b"-=*_~#".contains(sign));
    line.len() > 2 && first.is_some_and(|first| line.iter().all(|sign| sign == first))
}

/// Whether a line is the title of those below it by its form, and in no block above: `[server]`, `## Two`, `=== Two ===`.
fn begins_block(line: &str) -> bool {
    let line = trim(line);
    let is_heading = || line.trim_start_matches('#').starts_with(' ');
    match line.as_bytes() {
        [b'#', ..] => is_heading(),
        [b'[', .., end] => *end == b']',
        [b'-', b'-', b'-', ..] | [b'=', b'=', b'=', ..] | [b'*', b'*', b'*', ..] => true,
        [.., end] => *end == b':',
        [] => false,
    }
}

/// Whether a line is an item of a list, or of code with its number: `12 | x`.
fn is_item(line: &str) -> bool {
    let line = trim(line);
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = line != rest && rest.trim_start().starts_with(['.', ')', '|']);
    has_number || line.starts_with(['-', '*', '+'])
}

/// Whether two lines begin with numbers that end in the same column: they are rows.
fn are_aligned(one: &str, other: &str) -> bool {
    let end = |line: &str| {
        let word = line[indent(line).len()..].split(' ').next()?;
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        is_number.then_some(indent(line).len() + word.len())
    };
    end(one).is_some_and(|column| end(other) == Some(column))
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

    #[test]
    fn a_block_that_ended_is_not_that_of_a_line() {
        let inner = "\na {\n  one {\n    x\n  }\n  two {\n    y\n  }\n}\na {\n  three {\n    x\n  }\n  four {\n    z\n  }\n}\n";
        assert_eq!(title_of(inner, "z"), Some(14), "`three` ended");
        let keys = "a:\n  one: 1\n  x:\n    y: 1\na:\n  two: 1\n  x:\n    y: 2\n";
        assert_eq!(title_of(keys, "y: 2"), Some(6), "beside one around");
        let flat = "\nzone {\n  x\n}\nlevel 5\n";
        assert_eq!(title_of(flat, "level"), None);
        let items = "all\n- one\n- two\n  size: 2\n\nall\n- three\n- four\n  size: 3\n";
        assert_eq!(title_of(items, "size: 3"), Some(8));
        let host = "\nhost\n  cpu 5\nstate bad\n";
        assert_eq!(title_of(host, "state"), Some(2), "nothing ended");
        let error = "\nerror: a\n  |\n4 | let x\n  |     ^ here\nhelp: b\n";
        assert_eq!(title_of(error, "help"), Some(2));
        let tabs = "\nx {\n    side\n\t\tdeep\n";
        assert_eq!(title_of(tabs, "deep"), Some(2), "blanks are no tabs");
    }

    #[test]
    fn titles_by_their_form_begin_a_block() {
        for [one, other] in [
            ["[one]", "[two]"],
            ["# One", "## Two"],
            ["One:", "Two:"],
            ["=== one", "--- two ---"],
        ] {
            let text = format!("\n{one}\nx = 1\n{other}\ny = 2\nz = 3\n");
            assert_eq!(title_of(&text, "z"), Some(4), "{text}");
            assert_eq!(title_of(&text, other), None, "{text}");
        }
        assert_eq!(title_of("\none\n-----\ntwo\nz\n", "z"), Some(4));
        let parts = "\nOne:\nAnswer:\nx\n\nTwo:\nAnswer:\nz\n";
        assert_eq!(title_of(parts, "z"), Some(6));
        let comment = "\nOne:\n# Source: a\nx\n\nTwo:\n# Source: b\nx\n";
        assert_eq!(title_of(comment, "Source: b"), Some(6));
        assert_eq!(title_of("\n# One\n# Two\n", "Two"), None);
        assert_eq!(title_of("\n# One\n```\nx\n", "```"), None);
        let crlf = "\r\n[one]\r\nx\r\n[two]\r\nz\r\n";
        assert_eq!(title_of(crlf, "z"), Some(4));
    }

    #[test]
    fn numbers_that_are_aligned_are_rows() {
        let rows: String = (0..MOST).map(|at| format!("   879 x{at}\n")).collect();
        assert_eq!(
            title_of(&format!("\nchain\n{rows}     0 LOG\n"), "LOG"),
            None
        );
        let list = "1) a\n   2) b\n2) a\n   3) c\n";
        assert_eq!(title_of(list, "c"), Some(3));
    }
}
