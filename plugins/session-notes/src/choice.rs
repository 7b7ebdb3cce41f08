//! The choice of notes, and their order.
//!
//! Owns the rules: removal by key, removal of repetitions, order, budget. Refuses to know the form of notes in a
//! document.

use crate::repeats::WordRuns;
use std::borrow::Cow;
use tamis_sdk::Glob;

/// One note, ready for the output.
pub struct Note<'d> {
    pub key: Cow<'d, str>,
    /// The whole note with its key, as the document spells it, and already cut to its limit.
    pub written: Cow<'d, str>,
    /// Its decoded text.
    pub text: Cow<'d, str>,
    /// Whether it was cut.
    pub is_cut: bool,
    /// Whether this is an earlier line about omitted notes: it stays at the end, and costs nothing.
    pub is_tally: bool,
}

/// The operator's rules.
pub struct Rules {
    pub drop: Vec<Glob>,
    pub drop_repeats: Vec<Glob>,
    pub recent: Vec<Glob>,
    pub repeat_percent: u32,
    pub first: Vec<Glob>,
    pub total_bytes: usize,
}

/// The chosen notes.
pub struct Choice {
    /// Indices of notes, in the order of the output.
    pub order: Vec<usize>,
    /// The number of notes without room in the budget.
    pub left_out: usize,
}

impl Choice {
    /// Whether all notes are chosen, in their original order.
    pub fn is_everything(&self, notes: &[Note<'_>]) -> bool {
        self.order.len() == notes.len() && self.order.is_sorted()
    }
}

pub fn is_any(globs: &[Glob], name: &str) -> bool {
    globs.iter().any(|glob| glob.matches(name))
}

impl Rules {
    /// Whether the rules name a key: a sign that these are notes.
    pub fn know(&self, key: &str) -> bool {
        [&self.drop, &self.drop_repeats, &self.first]
            .into_iter()
            .any(|globs| is_any(globs, key))
    }

    /// Chooses notes. `elsewhere` adds texts beside the notes that also tell recent changes. It is called only if a
    /// note may repeat them.
    pub fn choose(&self, notes: &[Note<'_>], elsewhere: impl FnOnce(&mut WordRuns)) -> Choice {
        let recent_runs = notes
            .iter()
            .any(|note| is_any(&self.drop_repeats, &note.key))
            .then(|| self.recent_changes(notes, elsewhere));
        let repeats = |note: &Note<'_>| {
            is_any(&self.drop_repeats, &note.key)
                && recent_runs.as_ref().is_some_and(|recent_runs| {
                    recent_runs.percent_of(&note.text) >= self.repeat_percent
                })
        };
        let stays =
            |note: &Note<'_>| note.is_tally || (!is_any(&self.drop, &note.key) && !repeats(note));
        let mut wanted: Vec<usize> = (0..notes.len()).filter(|n| stays(&notes[*n])).collect();
        let rank = |key: &str| {
            let named = self.first.iter().position(|glob| glob.matches(key));
            named.unwrap_or(self.first.len())
        };
        // Notes of one key keep their order, because the sort is stable.
        wanted.sort_by(|a, b| {
            let (a, b) = (&notes[*a], &notes[*b]);
            let of = |note: &Note<'_>| (note.is_tally, rank(&note.key));
            of(a).cmp(&of(b)).then_with(|| a.key.cmp(&b.key))
        });
        let mut left = self.total_bytes;
        let mut left_out = 0;
        wanted.retain(|n| {
            let note = &notes[*n];
            if note.is_tally {
                return true;
            }
            let fits = note.written.len() <= left;
            if fits {
                left -= note.written.len();
            } else {
                left_out += 1;
            }
            fits
        });
        Choice {
            order: wanted,
            left_out,
        }
    }

    fn recent_changes(
        &self,
        notes: &[Note<'_>],
        elsewhere: impl FnOnce(&mut WordRuns),
    ) -> WordRuns {
        let mut recent_runs = WordRuns::default();
        let recent = notes.iter().filter(|note| is_any(&self.recent, &note.key));
        // A note does not repeat itself.
        let recent = recent.filter(|note| !is_any(&self.drop_repeats, &note.key));
        recent.for_each(|note| recent_runs.add(&note.text));
        elsewhere(&mut recent_runs);
        recent_runs.complete()
    }
}
