//! Catalogs of translations: lines of `msgid "…"` and `msgstr "…"`.
//!
//! Owns which entries are unfinished. Refuses to know how their lines are told.

use crate::search::has;
use crate::source::Source;

/// Lines of which one begins an entry.
const FIRST: usize = 64;

pub fn is_one(source: &Source<'_>) -> bool {
    let mut first = source.texts().take(FIRST);
    first.any(|line| line.starts_with("msgid \""))
}

/// The lines, by their numbers from 1, that lack a translation, or mark one as uncertain.
pub fn unfinished(source: &Source<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut empty = None;
    // A long translation, and the header, begin below their key.
    for (number, line) in source.lines() {
        found.extend(empty.take().filter(|_| !line.starts_with('"')));
        let is_translation = line.starts_with("msgstr");
        empty = (is_translation && line.ends_with(" \"\"")).then_some(number);
        if line.starts_with("#,") && has(line, "fuzzy") {
            found.push(number);
        }
    }
    found.extend(empty);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_without_a_translation_and_uncertain_ones_are_unfinished() {
        let text = "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"\"\n\n#, fuzzy\nmsgid \"b\"\nmsgstr \"c\"\n\nmsgid \"d\"\nmsgstr \"\"\n\"e\"\n\nmsgid \"f\"\nmsgstr[0] \"g\"\nmsgstr[1] \"\"\n";
        let source = Source::of(text);
        assert!(is_one(&source));
        assert_eq!(unfinished(&source), [6, 8, 18]);
    }
}
