//! A pattern, and a bound on the work of searching for it.
//!
//! A regular expression takes time in proportion to its size times that of the text, which is seconds for
//! `[01]{1000}` on a megabyte. So the search uses an automaton that is built as the text needs it, in little
//! memory. When that memory has been filled a few times, the search gives up with an error. The same question
//! always gives up at the same place: no clock decides.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_automata::hybrid::{dfa, regex as hybrid};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchError, MatchErrorKind};

use super::ReadError;
use super::wording::shorten;

/// Largest compiled pattern, in bytes.
const PATTERN_BYTES: usize = 1 << 20;
/// Memory of the automaton. Most patterns need some kilobytes; filling it takes some 40 ms.
const AUTOMATON_BYTES: usize = 4 << 20;
/// How often this memory may be filled in one search.
const FILLED: usize = 8;
/// Steps without the automaton, which cannot find word boundaries in a text that is not all ASCII: a second of
/// work.
const STEPS: u64 = 200_000_000;

pub(super) struct Pattern {
    text: String,
    /// The pattern matches its own text, in any surroundings.
    pub(super) literal: bool,
    /// It is a text with quotes, as JSON has them.
    pub(super) has_quotes: bool,
    /// It may be in a text that XML writes with entities.
    pub(super) has_signs: bool,
    automaton: hybrid::Regex,
    memory: RefCell<hybrid::Cache>,
    /// Searches where the automaton cannot.
    slow: Regex,
    steps: Cell<u64>,
    has_given_up: Cell<bool>,
}

impl Pattern {
    pub(super) fn new(
        pattern: &str,
        is_regex: bool,
        ignore_case: bool,
    ) -> Result<Pattern, ReadError> {
        if pattern.is_empty() {
            return Err(ReadError::EmptyPattern);
        }
        let source = if is_regex {
            Cow::Borrowed(pattern)
        } else {
            Cow::Owned(with_any_space(&regex::escape(pattern)))
        };
        let refused = |reason: String| ReadError::Pattern {
            pattern: pattern.to_owned(),
            reason,
        };
        let too_large = "it is too large";
        let slow = RegexBuilder::new(&source)
            .case_insensitive(ignore_case)
            .multi_line(true)
            .size_limit(PATTERN_BYTES)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => refused(too_large.to_owned()),
                // The last line names the error, those above draw its place.
                error => {
                    let message = error.to_string();
                    let last = message.lines().last().unwrap_or_default();
                    refused(shorten(last.trim_start_matches("error: ")).into_owned())
                }
            })?;
        let automaton = hybrid::Regex::builder()
            .syntax(
                syntax::Config::new()
                    .case_insensitive(ignore_case)
                    .multi_line(true),
            )
            .thompson(thompson::Config::new().nfa_size_limit(Some(PATTERN_BYTES)))
            .dfa(
                dfa::Config::new()
                    .unicode_word_boundary(true)
                    .cache_capacity(AUTOMATON_BYTES)
                    .skip_cache_capacity_check(true)
                    .minimum_cache_clear_count(Some(FILLED))
                    .minimum_bytes_per_state(None),
            )
            .build(&source)
            .map_err(|_| refused(too_large.to_owned()))?;
        let is_sign = |c: char| !c.is_ascii() || "&<>\"'".contains(c);
        Ok(Pattern {
            has_quotes: !is_regex && pattern.contains('"'),
            has_signs: is_regex || pattern.contains(is_sign),
            text: pattern.to_owned(),
            literal: !is_regex,
            memory: RefCell::new(automaton.create_cache()),
            automaton,
            slow,
            steps: Cell::new(0),
            has_given_up: Cell::new(false),
        })
    }

    /// Whether the pattern is a text with an escape of JSON, as the original may spell it.
    pub(super) fn is_of_escapes(&self) -> bool {
        self.literal && (self.text.contains("\\u") || self.text.contains("\\/"))
    }

    /// What its author should know if it occurs nowhere.
    pub(super) fn hint(&self) -> &'static str {
        const SIGNS: [&str; 8] = ["|", "*", "^", "\\d", "\\w", "\\s", "\\b", ".+"];
        const BREAKS: [&str; 4] = ["\n", "\\n", "(?s", "\\S]"];
        let has = |signs: &[&str]| signs.iter().any(|sign| self.text.contains(sign));
        if self.text.contains('\n') || !self.literal && has(&BREAKS) {
            return "; a search looks at one line, row or value at a time";
        }
        let is_like_regex = self.literal && (has(&SIGNS) || self.text.ends_with('$'));
        match is_like_regex {
            true => "; this is plain text: \"regex\":true makes it a regular expression",
            false => "",
        }
    }

    /// Whether the pattern occurs in a text. False after the search has given up.
    pub(super) fn is_in(&self, text: &str) -> bool {
        if self.has_given_up.get() {
            return false;
        }
        let input = Input::new(text).earliest(true);
        let found = {
            let mut memory = self.memory.borrow_mut();
            let forward = self.automaton.forward();
            forward.try_search_fwd(memory.forward_mut(), &input)
        };
        match found {
            Ok(found) => found.is_some(),
            Err(error) => self.may_be_slow(&error, text) && self.slow.is_match(text),
        }
    }

    /// The first occurrence in a text, from a position on.
    fn find_from(&self, text: &str, at: usize) -> Option<Range<usize>> {
        if self.has_given_up.get() || at > text.len() {
            return None;
        }
        let found = {
            let mut memory = self.memory.borrow_mut();
            let input = Input::new(text).range(at..);
            self.automaton.try_search(&mut memory, &input)
        };
        match found {
            Ok(found) => found.map(|found| found.range()),
            Err(error) if self.may_be_slow(&error, &text[at..]) => {
                self.slow.find_at(text, at).map(|found| found.range())
            }
            Err(_) => None,
        }
    }

    /// All occurrences, without overlaps.
    fn finds<'s>(&'s self, text: &'s str) -> impl Iterator<Item = Range<usize>> + 's {
        let mut at = 0;
        std::iter::from_fn(move || {
            let found = self.find_from(text, at)?;
            // An empty match counts once at each place.
            at = match found.is_empty() {
                true => text.ceil_char_boundary(found.end + 1).max(found.end + 1),
                false => found.end,
            };
            Some(found)
        })
    }

    /// The text of its first group where it is first, or of all of it, if it has no group. Groups are found in texts up
    /// to a size.
    pub(super) fn first_group(&self, text: &str) -> Option<String> {
        /// Groups are found without the automaton.
        const LONGEST_BYTES: usize = 64 << 10;
        let found = self.find_from(text, 0)?;
        let whole = || text[found.clone()].to_owned();
        if self.slow.captures_len() < 2 || text.len() > LONGEST_BYTES {
            return Some(whole());
        }
        let groups = self.slow.captures_at(text, found.start)?;
        groups.get(1).map(|group| group.as_str().to_owned())
    }

    /// The number of occurrences in a text.
    pub(super) fn count(&self, text: &str) -> u64 {
        self.finds(text).count() as u64
    }

    /// The first occurrences.
    pub(super) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        /// More are not shown in one line or row.
        const MOST: usize = 1_000;
        self.finds(text).take(MOST).collect()
    }

    /// An error, if the search has given up.
    pub(super) fn done(&self) -> Result<(), ReadError> {
        if !self.has_given_up.get() {
            return Ok(());
        }
        Err(ReadError::Pattern {
            pattern: self.text.clone(),
            reason: "it takes too much time on this original".to_owned(),
        })
    }

    /// Whether the remaining work allows a search of this text without the automaton, which cannot search it.
    fn may_be_slow(&self, error: &MatchError, text: &str) -> bool {
        let states = self.automaton.forward().get_nfa().states().len() as u64;
        let steps = states.saturating_mul(text.len() as u64);
        let steps = self.steps.get().saturating_add(steps);
        self.steps.set(steps);
        let may = matches!(error.kind(), MatchErrorKind::Quit { .. }) && steps <= STEPS;
        if !may {
            self.has_given_up.set(true);
        }
        may
    }
}

/// A literal pattern that finds JSON however many blanks it has beside its signs: `"id":7` finds `"id": 7`.
fn with_any_space(pattern: &str) -> String {
    const SPELLINGS: [(&str, &str); 4] = [
        ("\": ", "\":"),
        ("\":", "\"\\s*:\\s*"),
        (", \"", ",\""),
        (",\"", ",\\s*\""),
    ];
    let mut source = pattern.to_owned();
    for (from, to) in SPELLINGS {
        source = source.replace(from, to);
    }
    source
}
