//! Keys that an object has more than once, with other values: `{"state":"ok","state":"failed"}`.
//!
//! Owns what is said of them. All values count in the summary, as in paths. A reader of JSON takes the last one, and so
//! does a query, whose counts are smaller then.

use crate::outline::{Field, Outline, Step};
use crate::paper::listed;

/// Most characters of the paths.
const LONGEST: usize = 160;

/// The line about these keys; none if each object has each of its keys once.
pub fn told(outline: &Outline<'_>) -> Option<String> {
    let more = |field: &Field<'_>| match field.step {
        Step::Member(_) => field.tally.values().saturating_sub(field.holders),
        _ => 0,
    };
    let fields = (0..)
        .zip(&outline.fields)
        .filter(|(_, field)| more(field) > 0);
    let told = |(at, field)| format!("{} (+{})", outline.full_path(at), more(field));
    let doubled: Vec<String> = fields.map(told).collect();
    (!doubled.is_empty()).then(|| {
        let paths = listed(&doubled, LONGEST);
        format!(
            "keys that an object has again (all values count here, the last in a query): {paths}"
        )
    })
}
