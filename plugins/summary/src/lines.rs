//! A text as it is told: what kinds of lines it has, those that look like errors, the first and the
//! last.
//!
//! Owns the order and the room of these. Refuses to know how a kind of line is recognised.

use crate::failures;
use crate::kinds;
use crate::landmarks;
use crate::paper::{Paper, cut, one_line};

/// Lines that look like errors, and lines from the start and the end, that are shown.
const ERRORS: usize = 5;
const HEAD: usize = 5;
const TAIL: usize = 3;
/// The same where it is known what kind of lines there are.
const HEAD_OF_KIND: usize = 3;
const TAIL_OF_KIND: usize = 2;
/// Characters of a text in one line, or few, that are shown.
const FEW_LINES: usize = 8;

/// Tells of a text on `paper`. `cell`: characters of the longest line that is shown whole.
pub fn tell(text: &str, cell: usize, paper: &mut Paper) {
    let count = text.lines().count();
    let wide = 2 * cell;
    if count <= FEW_LINES {
        let room = paper.left() / (count.max(1) + 1);
        for (number, line) in text.lines().enumerate() {
            show(paper, number, line, room.min(6 * cell).saturating_sub(8));
        }
        // No call leads to the end of a line.
        let last = text.trim_end().lines().last().unwrap_or_default();
        let end = last.char_indices().rev().nth(wide);
        if let Some((at, _)) = end.filter(|(at, _)| *at > 6 * cell) {
            paper.cut_line(&format!("ends: …{}", one_line(&last[at..])));
        }
        return;
    }
    let kinds = kinds::told(text, paper.left() / 2);
    let (head, tail) = if kinds.text.is_empty() {
        (HEAD, TAIL)
    } else {
        (HEAD_OF_KIND, TAIL_OF_KIND)
    };
    let mut first = Paper::new(paper.left() / 3);
    for (number, line) in text.lines().take(head).enumerate() {
        show(&mut first, number, line, wide);
    }
    let mut last = Paper::new(paper.left() / 6);
    for (number, line) in text.lines().enumerate().skip(count - tail) {
        show(&mut last, number, line, wide);
    }
    let mut failures = Paper::new(paper.left() / 4);
    let errors = failures::errors(text.lines(), ERRORS);
    if errors.count > 0 && kinds.has_errors {
        let count = errors.count;
        failures.line(&format!(
            "{count} lines that look like errors, of each sort the first:"
        ));
        for (number, line) in &errors.first {
            show(&mut failures, *number, line, wide);
        }
    }
    if !kinds.text.is_empty() {
        paper.line(kinds.text.trim_end());
    }
    paper.paste(&failures);
    if !first.is_empty() {
        paper.line("lines:");
    }
    paper.paste(&first);
    if !last.is_empty() {
        paper.line("…");
    }
    paper.paste(&last);
}

/// Shows a line under its number, as the read tool's search does.
fn show(paper: &mut Paper, number: usize, line: &str, limit: usize) {
    let line = line.trim_end();
    if !line.is_empty() {
        let line = cut(landmarks::without_number(line), limit);
        paper.cut_line(&format!("{}: {}", number + 1, one_line(&line)));
    }
}
