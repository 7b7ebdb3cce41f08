//! The summary of a JSON document: members to keep, outcomes, small members, then tables and long texts.
//!
//! Owns the choice of parts, and the division of the room between them. Refuses to know how a table or a text is
//! summarised.

mod large;
mod left_out;
mod small;

use crate::data::TextData;
use crate::lines::Reading;
use crate::order;
use crate::outline::{Outline, ROOT, Step};
use crate::paper::{Paper, characters, cut, minified};
use crate::table::{self, Style};
use crate::telling;
use crate::texts::{self, Need, Text};
use std::cell::OnceCell;
use tamis_formats::Lines;
use tamis_sdk::{Document, NodeKind};

/// Values of at most this many characters stay unchanged.
const SMALL_STRING: usize = 160;
const SMALL_VALUE: usize = 240;
/// Beside so many tables and texts, scalars come before the elements of lists.
const FEW_LARGE: usize = 2;

/// The parts of a document outside its tables.
#[derive(Default)]
struct Parts {
    kept: Vec<(usize, String)>,
    small: Vec<(usize, String)>,
    tables: Vec<usize>,
    texts: Vec<usize>,
    /// Members that the outline left out: it is bounded.
    left_out: usize,
}

/// What a summary shows of the main place.
#[derive(Clone, Copy, Default)]
pub struct Shown {
    /// Its first rows.
    pub rows: usize,
    /// The first and the last of its lines to look at first.
    pub point: Option<(usize, usize)>,
}

/// What the text at the main place holds.
pub enum Main<'t> {
    Data(&'t TextData<'t>, Box<Digest<'t>>),
    Text(Box<Reading<'t>>),
    /// The main place is no text.
    None,
}

impl<'t> Main<'t> {
    /// `data`: the data of the text at the main place, if it is data.
    pub fn of(digest: &'t Digest<'_>, data: Option<&'t TextData<'t>>, keep: &[String]) -> Main<'t> {
        let path = digest.outline.full_path(digest.main());
        let held = data.and_then(|data| Some((data, data.document.root()?)));
        if let Some((data, root)) = held {
            let outline = data.outline(root, digest.outline.distinct);
            let inner = Digest::of(&data.document, outline.inside(&path), keep);
            return Main::Data(data, Box::new(inner));
        }
        digest.main_text().map_or(Main::None, |text| {
            // Paths and queries lead into one string.
            Main::Text(Box::new(Reading::inside(
                &text.content,
                (text.strings == 1).then_some(path),
            )))
        })
    }

    /// The name of the largest table among the lines of the text.
    pub fn table(&self) -> Option<&str> {
        match self {
            Main::Text(reading) => reading.table(),
            Main::Data(..) | Main::None => None,
        }
    }
}

/// An analysed document.
pub struct Digest<'d> {
    document: &'d Document,
    outline: Outline<'d>,
    parts: Parts,
    /// The main place, once it is known.
    main: OnceCell<usize>,
    /// The text at the main place, once it is read.
    main_text: OnceCell<Option<Text<'d>>>,
    /// The row of the rarest value at the main place, once it is known.
    main_odd_row: OnceCell<Option<(usize, String)>>,
}

impl<'d> Digest<'d> {
    pub fn of(document: &'d Document, outline: Outline<'d>, keep: &[String]) -> Digest<'d> {
        let mut parts = Parts::default();
        sort(&outline, ROOT, keep, &mut parts);
        Digest {
            document,
            outline,
            parts,
            main: OnceCell::new(),
            main_text: OnceCell::new(),
            main_odd_row: OnceCell::new(),
        }
    }

    pub fn outline(&self) -> &Outline<'d> {
        &self.outline
    }

    /// The index of the largest part whose key is about a failure, or else of the largest table or text; of a smaller table
    /// if its values are more urgent.
    pub fn main(&self) -> usize {
        *self.main.get_or_init(|| {
            let bytes = |at: &&usize| self.outline.fields[**at].bytes;
            let parts = self.parts.tables.iter().chain(&self.parts.texts);
            let failures = parts.filter(|at| self.is_failure(**at));
            if let Some(failure) = failures.max_by_key(|at| (bytes(at), std::cmp::Reverse(**at))) {
                return *failure;
            }
            let tables = self.parts.tables.iter().rev().max_by_key(bytes);
            let texts = self.parts.texts.iter().rev().max_by_key(bytes);
            match (tables, texts) {
                (Some(table), Some(text)) if bytes(&text) > 4 * bytes(&table) => *text,
                (Some(table), _) => self.urgent_table(*table),
                (None, Some(text)) => *text,
                (None, None) => {
                    let small = self.parts.small.iter().rev().map(|(at, _)| at);
                    small.max_by_key(bytes).copied().unwrap_or(ROOT)
                }
            }
        })
    }

    /// The largest table, or one beside it that has errors where that has none, or rare values if it is not much smaller.
    fn urgent_table(&self, largest: usize) -> usize {
        /// A table that is smaller than one part in so many is beside the point.
        const MUCH_SMALLER: u64 = 8;
        if self.parts.tables.len() < 2 {
            return largest;
        }
        let bytes = |at: usize| self.outline.fields[at].bytes;
        let need = |at: usize| table::need(&self.outline, at);
        let known = need(largest);
        if known <= Need::Errors {
            return largest;
        }
        let mut others: Vec<usize> = self.parts.tables.clone();
        others.retain(|at| *at != largest);
        order::most_first(&mut others, |at| bytes(*at) as i64);
        let others = others.into_iter().take(large::EXAMINED);
        let others = others.map(|at| (need(at), at));
        let urgent = others.filter(|(need, at)| {
            *need < known && (*need <= Need::Errors || bytes(*at) * MUCH_SMALLER >= bytes(largest))
        });
        urgent
            .min_by_key(|(need, _)| *need)
            .map_or(largest, |(_, at)| at)
    }

    /// The bytes of the main place.
    pub fn main_bytes(&self) -> u64 {
        self.outline.fields[self.main()].bytes
    }

    /// The number of lines of the text at the main place; none without a text.
    pub fn main_lines(&self) -> Option<usize> {
        let text = self.main_text();
        text.map(|text| Lines::of(&text.content).count())
    }

    /// The row of the main table with its most important rare value, and where in it the value is, if in a list.
    pub fn main_odd_row(&self) -> Option<&(usize, String)> {
        let find = || table::odd_row(&self.outline, self.outline.rows(self.main())?);
        self.main_odd_row.get_or_init(find).as_ref()
    }

    /// The text at the main place.
    pub fn main_text(&self) -> Option<&Text<'d>> {
        let main = self.main();
        let is_text = self.outline.rows(main).is_none() || self.parts.texts.contains(&main);
        let read = || texts::text(self.document, &self.outline, main);
        let read = || is_text.then(read).flatten();
        self.main_text.get_or_init(read).as_ref()
    }

    /// Whether the key of a place is about a failure.
    fn is_failure(&self, at: usize) -> bool {
        matches!(self.outline.fields[at].step, Step::Member(key) if telling::is_failure(key))
    }

    /// Whether a member says that the result is not all.
    fn is_partial(&self, at: usize) -> bool {
        let field = &self.outline.fields[at];
        let Step::Member(key) = field.step else {
            return false;
        };
        telling::is_partial(key, self.outline.raw(field.first))
    }

    /// Writes the summary to `paper`. Returns what it shows of the main place.
    pub fn tell(&self, main: &Main<'_>, style: Style, paper: &mut Paper) -> Shown {
        let (outline, parts) = (&self.outline, &self.parts);
        let mut kept = Paper::new(paper.left() * 2 / 3);
        for (at, value) in &parts.kept {
            let name = outline.name(*at);
            let room = kept.left();
            kept.line(&cut(&format!("{name}: {value}"), room.saturating_sub(1)));
        }
        paper.paste(&kept);
        let has_more = !parts.tables.is_empty() || !parts.texts.is_empty();
        if !has_more {
            paper.paste(&self.tell_small(paper.left(), paper.left() / 2).0);
            return Shown::default();
        }
        let room = paper.left();
        let mut third = room.saturating_sub(style.grown) / 3;
        let (mut small, mut more) = self.tell_small(third, room / 2);
        if small.wanted() > 0 {
            third = (third + small.wanted()).min(room / 2);
            (small, more) = self.tell_small(third, room / 2);
        }
        if more > 0 && parts.tables.len() + parts.texts.len() <= FEW_LARGE {
            let scalars = self.needed(false).min(room / 2);
            if scalars > third {
                (small, more) = self.tell_small(scalars, room / 2);
            }
        }
        let mut large = Paper::new(room - characters(small.text()));
        let shown = self.tell_large(main, style, &mut large);
        // Small members take the room that the others leave.
        if large.left() > 0 {
            let left = room - characters(large.text());
            let whole = self.needed_for_all();
            if whole <= left && whole > characters(small.text()) {
                let (all, fewer) = self.tell_small(whole, left);
                if fewer <= more {
                    small = all;
                }
            } else if more > 0 {
                let (longer, fewer) = self.tell_small(self.needed(true).min(left), left);
                if fewer < more {
                    small = longer;
                }
            }
        }
        paper.paste(&small);
        paper.paste(&large);
        shown
    }
}

/// Sorts the single values at a place into parts.
fn sort(outline: &Outline<'_>, at: usize, keep: &[String], parts: &mut Parts) {
    let field = &outline.fields[at];
    let raw = outline.raw(field.first);
    let is_single = field.tally.values() <= 1;
    if at != ROOT && is_kept(outline, at, keep) {
        parts.kept.push((at, minified(raw, usize::MAX - 1)));
        return;
    }
    let limit = match field.first.kind() {
        NodeKind::Array | NodeKind::Object => SMALL_VALUE,
        _ => SMALL_STRING,
    };
    // A small table of a text is a result of its own.
    let may_be_small = at != ROOT && is_single && !outline.is_table_of_text(at);
    if may_be_small && raw.len() <= 8 * limit {
        let small = minified(raw, limit);
        if characters(&small) <= limit {
            parts.small.push((at, small));
            return;
        }
    }
    let mut inside = field
        .children
        .iter()
        .filter(|child| {
            matches!(
                outline.fields[**child].step,
                Step::Member(_) | Step::Place(_)
            )
        })
        .peekable();
    if outline.rows(at).is_some() {
        if texts::is_lines(outline, at) {
            parts.texts.push(at);
        } else {
            parts.tables.push(at);
        }
    } else if inside.peek().is_some() {
        let members = field.first.children() as usize;
        parts.left_out += members.saturating_sub(field.children.len());
        inside.for_each(|child| sort(outline, *child, keep, parts));
    } else {
        parts.texts.push(at);
    }
}

fn is_kept(outline: &Outline<'_>, at: usize, keep: &[String]) -> bool {
    let Step::Member(key) = outline.fields[at].step else {
        return false;
    };
    let name = key.get(1..key.len() - 1).unwrap_or_default();
    keep.iter().any(|wanted| {
        wanted == name || {
            let path = wanted.trim_start_matches('$').trim_start_matches('.');
            wanted.contains(['.', '[']) && path == outline.path(ROOT, at)
        }
    })
}
