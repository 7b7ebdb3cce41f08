//! Blocks of code between fences: lines of three or more backticks or tildes.
//!
//! Owns which lines are in such a block. Refuses to know what is looked for outside of them.

use crate::signs::{Line, Signs};

/// The blocks of a text, asked for its lines in order.
pub struct Fences {
    /// The numbers of their first and last lines, the first block last.
    blocks: Vec<(usize, usize)>,
}

impl Fences {
    /// Finds the blocks of numbered lines. A block that does not end is none. Empty lines may be left out.
    pub fn of<'t>(lines: impl Iterator<Item = (usize, impl Into<Line<'t>>)> + Clone) -> Fences {
        let mut blocks = Vec::new();
        // Most texts have none.
        let may_be = |line: Line<'t>| line.signs.have(Signs::TICK.or(Signs::TILDE));
        let is_fence = |line: Line<'t>| {
            let begins = |line: &str| matches!(line.as_bytes().get(start(line)), Some(b'`' | b'~'));
            may_be(line) && begins(line.text)
        };
        if !lines.clone().any(|(_, line)| is_fence(line.into())) {
            return Fences { blocks };
        }
        let mut open: Option<(usize, char, usize)> = None;
        let mut last = (0, "");
        for (number, line) in lines {
            let line: Line<'t> = line.into();
            let (before, above) = std::mem::replace(&mut last, (number, line.text));
            if !may_be(line) {
                continue;
            }
            let line = line.text;
            let start = start(line);
            let sign = match line.as_bytes().get(start) {
                Some(b'`') => '`',
                Some(b'~') => '~',
                _ => continue,
            };
            let text = &line[start..];
            let rest = text.trim_start_matches(sign);
            let length = text.len() - rest.len();
            if length >= 3 {
                // Signs below a line of text underline it, and code in a line has signs after it.
                let is_other =
                    sign == '~' && before + 1 == number && is_text(above) || rest.contains('`');
                let is_end = rest.trim().is_empty();
                match open {
                    Some((first, opened, least)) if is_end && sign == opened && length >= least => {
                        blocks.push((first, number));
                        open = None;
                    }
                    None if !is_other => open = Some((number, sign, length)),
                    _ => {}
                }
            }
        }
        blocks.reverse();
        Fences { blocks }
    }

    /// Whether no blocks are left.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The numbers of the first and last line of each block, in order.
    pub fn into_blocks(self) -> impl Iterator<Item = (usize, usize)> {
        self.blocks.into_iter().rev()
    }

    /// Whether a line is in a block, or one of its fences. `number`: not less than in the call before.
    pub fn contain(&mut self, number: usize) -> bool {
        while self.blocks.last().is_some_and(|(_, last)| *last < number) {
            self.blocks.pop();
        }
        self.blocks
            .last()
            .is_some_and(|(first, _)| *first <= number)
    }
}

/// The bytes of quotes and blanks before a line.
fn start(line: &str) -> usize {
    let is_before = |byte: &u8| matches!(byte, b'>' | b' ' | b'\t');
    line.bytes().take_while(is_before).count()
}

/// Whether a line has more than these.
fn is_text(line: &str) -> bool {
    let first = line.as_bytes().get(start(line));
    first.is_some_and(|byte| !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_blocks(text: &str) -> Vec<usize> {
        let lines = || (1..).zip(text.lines());
        let mut fences = Fences::of(lines());
        let numbers = lines().map(|(number, _)| number);
        numbers.filter(|number| fences.contain(*number)).collect()
    }

    #[test]
    fn a_block_ends_with_a_fence_of_its_sign_that_is_as_long() {
        assert_eq!(in_blocks("a\n```sh\nb\n```\nc\n"), [2, 3, 4]);
        assert_eq!(in_blocks("````\n```\na\n```\n````\nb"), [1, 2, 3, 4, 5]);
        assert_eq!(in_blocks("> ```\n> a\n> ```\nb"), [1, 2, 3]);
        assert_eq!(
            in_blocks("\n~~~\n```\n~~~\n```\na\n```\n"),
            [2, 3, 4, 5, 6, 7]
        );
    }

    #[test]
    fn code_in_a_line_an_underline_and_a_block_without_an_end_are_no_fences() {
        assert_eq!(
            in_blocks("```npm install```\n# A\n```npm test```\n"),
            [0; 0]
        );
        assert_eq!(in_blocks("Title\n~~~~~\ntext\n"), [0; 0]);
        assert_eq!(in_blocks("```\na\n# B\n"), [0; 0]);
    }
}
