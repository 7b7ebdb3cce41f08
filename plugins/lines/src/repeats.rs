//! Merges adjacent equal lines into one line with their number.

use crate::line::{Line, same_but_numbers};
use std::mem;

/// More bytes than any count: if the other lines have more, the run always becomes one line.
const MORE_THAN_A_COUNT: usize = 64;

/// Which lines count as equal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Equal {
    Never,
    Exactly,
    ButNumbers,
}

/// The current run of equal lines.
pub struct Repeats<'t> {
    equal: Equal,
    run: Option<Run<'t>>,
}

struct Run<'t> {
    /// The first line, with the number of lines.
    first: Line<'t>,
    /// Bytes of the other lines.
    rest_bytes: usize,
    /// The other lines, while they are shorter than a count.
    rest: Vec<Line<'t>>,
}

impl<'t> Repeats<'t> {
    pub fn new(equal: Equal) -> Self {
        Repeats { equal, run: None }
    }

    /// Takes the next line. Passes a finished run to `next`.
    pub fn push(&mut self, line: Line<'t>, next: &mut impl FnMut(Line<'t>)) {
        if self.equal == Equal::Never {
            return next(line);
        }
        if let Some(run) = &mut self.run
            && run.takes(&line, self.equal)
        {
            return run.push(line);
        }
        self.finish(next);
        if line.is_mark() || !line.count.is_empty() {
            next(line);
        } else {
            self.run = Some(Run::new(line));
        }
    }

    /// Ends the last run, and passes it to `next`.
    pub fn finish(&mut self, next: &mut impl FnMut(Line<'t>)) {
        if let Some(run) = self.run.take() {
            run.end(next);
        }
    }
}

impl<'t> Run<'t> {
    fn new(first: Line<'t>) -> Self {
        Run {
            first,
            rest_bytes: 0,
            rest: Vec::new(),
        }
    }

    fn takes(&self, line: &Line<'t>, equal: Equal) -> bool {
        // A line with a count of an earlier run is not merged: the lines behind the count may differ from its
        // neighbour. A line that `keep` matches is not merged with one that is only near a match.
        !line.is_mark()
            && line.count.is_empty()
            && line.matched == self.first.matched
            && match equal {
                Equal::Never => false,
                Equal::Exactly => line.text == self.first.text,
                Equal::ButNumbers => same_but_numbers(&line.text, &self.first.text),
            }
    }

    fn push(&mut self, line: Line<'t>) {
        self.first.times += line.times;
        self.first.differ |= line.text != self.first.text;
        // Every line break counts as one byte, even if the last line has none.
        self.rest_bytes += line.text.len() + 1;
        if self.rest_bytes > MORE_THAN_A_COUNT {
            self.rest = Vec::new();
        } else {
            self.rest.push(line);
        }
    }

    /// Passes one line with a count to `next`, or the lines of the run if they are shorter.
    fn end(mut self, next: &mut impl FnMut(Line<'t>)) {
        if self.first.times == 1 || self.rest_bytes > self.first.note().len() {
            return next(self.first);
        }
        self.first.times = 1;
        if !mem::take(&mut self.first.differ) {
            next(self.first);
            return self.rest.into_iter().for_each(next);
        }
        // Not all are equal, but some may be.
        let mut exact = Repeats::new(Equal::Exactly);
        exact.push(self.first, next);
        for line in self.rest {
            exact.push(line, next);
        }
        exact.finish(next);
    }
}
