//! Few different landmarks that occur often: `## Tasks` of each day.
//!
//! Owns when they are few, and how they are told.

use super::Landmark;

/// Most different landmarks.
const MOST: usize = 8;
/// Each of them occurs so often on average.
const OFTEN: usize = 8;

/// A landmark, how often it occurs, and the number of the last line that has it.
pub struct Often<'l, 't> {
    first: &'l Landmark<'t>,
    times: usize,
    last: usize,
}

/// The different landmarks of a text, if each occurs often.
#[inline(never)]
pub fn of<'l, 't>(found: &'l [Landmark<'t>]) -> Option<Vec<Often<'l, 't>>> {
    let mut sorts: Vec<Often<'_, '_>> = Vec::new();
    for landmark in found {
        let last = landmark.number;
        let at = sorts.iter().position(|it| it.first.line == landmark.line);
        match at {
            Some(at) => (sorts[at].times, sorts[at].last) = (sorts[at].times + 1, last),
            None if sorts.len() == MOST => return None,
            None => sorts.push(Often {
                first: landmark,
                times: 1,
                last,
            }),
        }
    }
    // Equal lines alone are a run.
    let are_often = sorts.len() > 1 && sorts.len() * OFTEN <= found.len();
    are_often.then_some(sorts)
}

impl Often<'_, '_> {
    pub fn told(self) -> String {
        let told = self.first.told();
        match told.split_once(": ") {
            Some((first, text)) if self.times > 1 => {
                format!("{}x {first}..{}: {text}", self.times, self.last)
            }
            _ => told,
        }
    }
}
