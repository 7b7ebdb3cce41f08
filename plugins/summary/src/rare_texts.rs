//! The rare ones of many texts of one line each: the values of a column, hits, rows of a page.
//!
//! Owns which reasons count, and their order. Refuses to know what makes a line rare or odd.

use crate::kinds;
use crate::levels;
use crate::odd_values::{self, Scope};
use crate::order;
use crate::rare_lines;
use crate::source::Source;
use tamis_formats::words as bytes;

/// More are not rare.
const CANDIDATES: usize = 4;

/// Texts of one line each as the lines of one.
fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut text = Vec::new();
    for line in texts {
        bytes::append(&mut text, line.as_bytes());
        text.push(b'\n');
    }
    text.pop();
    text.shrink_to_fit();
    String::from_utf8(text).unwrap_or_default()
}

/// The lines of a text that are not empty.
pub fn filled<'t>(source: &Source<'t>) -> impl Iterator<Item = (usize, &'t str)> + Clone {
    source.filled().map(|(place, line)| (place, line.text))
}

/// The lines with a value that stands out, by their numbers from 1 and in order.
#[inline(never)]
pub fn odd_places(source: &Source<'_>, scope: Scope) -> Vec<usize> {
    odd_values::lines(
        (source.text(), source.signs()),
        source.filled(),
        scope,
        Some(source),
    )
}

/// Of texts of one line each, those whose words few share, by their numbers from 1, the rarest first; none, if there are
/// more than a few.
pub fn rare_words<'t>(texts: impl ExactSizeIterator<Item = &'t str>) -> Vec<usize> {
    let count = texts.len();
    let text = joined(texts);
    places_of_rare_words(&Source::of(&text), (count, text.len()))
}

/// The same of the lines of a text. `size`: how many lines, and bytes.
fn places_of_rare_words(source: &Source<'_>, size: (usize, usize)) -> Vec<usize> {
    let (mut rare, ..) = rare_lines::rare(filled(source), source.patterns(), size, false);
    if rare.len() > CANDIDATES {
        return Vec::new();
    }
    order::most_first(&mut rare, |rare| rare.own_words() as i64);
    rare.iter().map(|rare| rare.place).collect()
}

/// The rarest of texts of one line each, by their numbers from 1, at most `most`: those with a value that stands out,
/// then those whose words few share.
pub fn rare_places<'t>(texts: impl ExactSizeIterator<Item = &'t str>, most: usize) -> Vec<usize> {
    let count = texts.len();
    let text = joined(texts);
    let source = Source::of(&text);
    let mut places = odd_places(&source, Scope::All);
    if places.len() > CANDIDATES {
        places.clear();
    }
    let may_be_log = kinds::may_be_log(source.texts(), count);
    let log = may_be_log.then(|| levels::of(source.texts())).flatten();
    let levels = log.map_or_else(Vec::new, |log| log.of_rare_levels());
    places.retain(|place| !levels.contains(place));
    places.splice(..0, levels.into_iter().take(CANDIDATES));
    let rare = places_of_rare_words(&source, (count, text.len()));
    let rare: Vec<usize> = rare.into_iter().filter(|it| !places.contains(it)).collect();
    places.extend(rare);
    places.truncate(most);
    places
}
