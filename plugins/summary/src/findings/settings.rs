//! Rare lines of settings: `enabled = false`.
//!
//! Owns which values of settings are rare, and which are names that all differ.

use super::Findings;
use crate::hashing::{Map, hash};
use crate::levels;
use crate::rare_lines::Rare;
use crate::source::Source;
use crate::trim::{trim, trim_end, trim_start};
use tamis_formats::words as bytes;

impl<'t> Findings<'t> {
    /// Of a text of settings with a value that few others of its key have, forgets comments, and values of keys that have
    /// many: of many names and descriptions, all are rare.
    #[inline(never)]
    pub fn forget_usual_settings(&mut self, source: &Source<'t>) {
        /// So many different values of a key are many.
        const MANY: usize = 8;
        /// So many rare lines are all shown.
        const SETTINGS: usize = 8;
        if self.rare.iter().all(Rare::is_rare_by_words) {
            return;
        }
        let is_comment = |line: &str| line.starts_with(['#', ';']);
        let (mut settings, mut others) = (0, 0);
        // The different values of each key.
        let mut keys: Map<&str, Vec<u64>> = Map::default();
        for line in source.texts().map(trim).filter(|line| !line.is_empty()) {
            let Some((key, value)) = setting(line) else {
                // Sections, and lists in several lines.
                let is_part = is_comment(line) || line.starts_with(['[', ']', '{', '}']);
                others += usize::from(!is_part);
                continue;
            };
            settings += 1;
            let values = keys.entry(key).or_default();
            let value = hash(value.as_bytes());
            if values.len() < MANY && !values.contains(&value) {
                values.push(value);
            }
        }
        if settings <= 2 * others {
            return;
        }
        let is_usual = |line: &str| {
            setting(line).is_some_and(|(key, value)| {
                let values = keys.get(key).map_or(0, Vec::len);
                values == MANY && !value.is_empty()
            })
        };
        let is_odd = |rare: &Rare<'_>| {
            let line = trim(rare.line);
            !rare.is_rare_by_words() || !is_comment(line) && !is_usual(line)
        };
        if self.rare.len() > SETTINGS {
            self.rare.retain(is_odd);
        }
    }
}

/// The key and the value of a setting that a line is: `enabled = false`, `optional=true`.
pub fn setting(line: &str) -> Option<(&str, &str)> {
    let at = bytes::place_from(line.as_bytes(), 0, |bytes| bytes.are(b'='));
    let (key, value) = (trim_end(&line[..at]), line.get(at + 1..)?);
    let is_key = |byte: u8| levels::is_word(byte) || matches!(byte, b'-' | b'.');
    (!key.is_empty() && key.bytes().all(is_key)).then(|| (key, trim_start(value)))
}
