//! The lines that stay: by the patterns of `drop` and `keep`, and lines around matches of `keep`.

use crate::line::{Kind, Line};
use crate::settings::Rules;
use std::collections::VecDeque;

/// The lines of one text so far.
pub struct Sieve<'r, 't> {
    rules: &'r Rules,
    /// The last lines that are not kept yet: a kept line may follow. Marks among them keep their position.
    waiting: VecDeque<Line<'t>>,
    /// Lines of content in `waiting`, at most `context`.
    content: usize,
    /// The number of next lines that stay, because they follow a kept line.
    after: usize,
    pub dropped: u64,
    pub total: u64,
}

impl<'r, 't> Sieve<'r, 't> {
    pub fn new(rules: &'r Rules) -> Self {
        Sieve {
            rules,
            waiting: VecDeque::new(),
            content: 0,
            after: 0,
            dropped: 0,
            total: 0,
        }
    }

    /// Takes the next line. Passes lines that stay to `next`, in order.
    pub fn push(&mut self, mut line: Line<'t>, next: &mut impl FnMut(Line<'t>)) {
        match line.kind {
            // A kept line may be among the lines that were cut here.
            Kind::Cut => return self.keep(line, next),
            Kind::Dropped => {
                self.waiting.push_back(line);
                return self.release_marks(next);
            }
            Kind::Content => {}
        }
        self.total += 1;
        if self.rules.drops(&line.text) {
            self.dropped += 1;
            return;
        }
        let Some(keep) = &self.rules.keep else {
            return next(line);
        };
        if keep.is_match(&line.text) {
            line.matched = true;
            self.keep(line, next);
        } else if self.after > 0 {
            self.after -= 1;
            next(line);
        } else {
            self.waiting.push_back(line);
            self.content += 1;
            if self.content > self.rules.context {
                self.release_marks(next);
                if self.waiting.pop_front().is_some() {
                    self.content -= 1;
                    self.dropped += 1;
                }
                self.release_marks(next);
            }
        }
    }

    /// Drops lines that still wait. Passes marks among them to `next`.
    pub fn finish(&mut self, next: &mut impl FnMut(Line<'t>)) {
        for line in self.waiting.drain(..) {
            if line.is_mark() {
                next(line);
            } else {
                self.dropped += 1;
            }
        }
        self.content = 0;
    }

    /// Keeps a line and the lines around it.
    fn keep(&mut self, line: Line<'t>, next: &mut impl FnMut(Line<'t>)) {
        self.waiting.drain(..).for_each(&mut *next);
        self.content = 0;
        self.after = self.rules.context;
        next(line);
    }

    /// Passes marks before the first waiting line to `next`.
    fn release_marks(&mut self, next: &mut impl FnMut(Line<'t>)) {
        while let Some(mark) = self.waiting.pop_front_if(|line| line.is_mark()) {
            next(mark);
        }
    }
}
