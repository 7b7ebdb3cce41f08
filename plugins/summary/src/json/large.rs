//! Tables and long texts of a document: which are described, in which order, and which are only named.
//!
//! Owns the choice, and the share of each. Refuses to know how a table or a text is summarised.

use super::{Digest, Main, SMALL_VALUE, Shown};
use crate::doubled;
use crate::lines;
use crate::order;
use crate::paper::{Paper, characters, cut, minified};
use crate::table::{self, Style};
use crate::texts::{self, Need, Text};
use tamis_formats::Lines;

/// Most tables that are described in full. The others are named.
const TABLES: usize = 6;
/// Most tables whose values decide on their order.
pub const EXAMINED: usize = 12;
/// The least room of a table or a long text that is described.
const LEAST_SHARE: usize = 160;
/// The room for each further table or text that is described rather than named.
const ROOM_EACH: usize = 240;

impl Digest<'_> {
    /// Describes tables and texts. Those about failures come first, each with its share of the room. The others are
    /// named. Returns what is shown of the main place.
    pub(super) fn tell_large(&self, held: &Main<'_>, style: Style, paper: &mut Paper) -> Shown {
        let outline = &self.outline;
        let (told, named) = self.chosen(paper.left());
        let in_short = |has_room: bool| {
            let named = named.iter().map(|at| {
                let same = self.same(*at, &told);
                same.unwrap_or_else(|| table::in_short(outline, *at, has_room))
            });
            let named: Vec<String> = named.collect();
            let needed: usize = named.iter().map(|line| characters(line) + 1).sum();
            (named, needed)
        };
        // Rows of pairs say more than the last columns of a table.
        let (mut named, mut needed) = in_short(false);
        let (with_pairs, longer) = in_short(true);
        let mut most = paper.left() / 4;
        if longer > needed && longer <= paper.left() * 2 / 5 {
            (named, needed, most) = (with_pairs, longer, longer);
        }
        let reserve = needed.min(most);
        let mut left = told.len();
        let mut seen: Vec<usize> = Vec::new();
        let (main, mut of_main) = (self.main(), Shown::default());
        for at in told {
            let room = (paper.left().saturating_sub(reserve)) / left;
            left -= 1;
            if let Some(same) = self.same(at, &seen) {
                paper.cut_line(&same);
                continue;
            }
            seen.push(at);
            if room < LEAST_SHARE {
                let mut named = table::in_short(outline, at, true);
                if characters(&named) >= room {
                    named = table::in_short(outline, at, false);
                }
                paper.cut_line(&named);
                continue;
            }
            let mut share = Paper::new(room);
            let shown = if outline.rows(at).is_some() && !self.parts.texts.contains(&at) {
                let rows = table::tell(outline, at, style, &mut share);
                Shown { rows, point: None }
            } else {
                self.tell_text(at, held, style, &mut share)
            };
            if at == main {
                of_main = shown;
            }
            paper.paste(&share);
        }
        if needed <= paper.left() {
            named.iter().for_each(|line| paper.cut_line(line));
        } else {
            paper.list(named.into_iter(), |line| line, "like these");
        }
        of_main
    }

    /// Names the value among those described that is the same, to the byte.
    fn same(&self, at: usize, seen: &[usize]) -> Option<String> {
        let outline = &self.outline;
        let raw = |at: usize| outline.raw(outline.fields[at].first);
        let same = seen.iter().find(|seen| raw(**seen) == raw(at))?;
        let (path, same) = (outline.full_path(at), outline.full_path(*same));
        Some(format!("{path}: the same as {same}"))
    }

    /// The parts that are described, and those that are only named. Both are in document order, after those about
    /// failures.
    fn chosen(&self, room: usize) -> (Vec<usize>, Vec<usize>) {
        let fields = &self.outline.fields;
        let is_one = self.parts.texts.len() + self.parts.tables.len() == 1;
        let needs = self.parts.texts.iter().map(|at| {
            if is_one {
                return (Need::Other, *at);
            }
            let text = texts::text(self.document, &self.outline, *at);
            let need = text.map_or(Need::Other, |text| {
                texts::need(&self.outline, *at, &text.content)
            });
            (need, *at)
        });
        let tables = self
            .parts
            .tables
            .iter()
            .map(|at| match self.is_failure(*at) {
                true => (Need::Failure, *at),
                false => (Need::Other, *at),
            });
        let mut all: Vec<(Need, usize)> = tables.chain(needs).collect();
        let sort = |all: &mut Vec<(Need, usize)>| {
            order::least_first(all, |(_, at)| *at as i64);
            order::most_first(all, |(_, at)| fields[*at].bytes as i64);
            order::least_first(all, |(need, _)| *need as i64);
        };
        sort(&mut all);
        let count = (room / ROOM_EACH).clamp(1, TABLES).min(all.len());
        if all.len() > count {
            let others = all.iter_mut().filter(|(need, _)| *need == Need::Other);
            for (need, at) in others.take(EXAMINED) {
                if self.parts.tables.contains(at) {
                    *need = table::need(&self.outline, *at);
                }
            }
            sort(&mut all);
        }
        let mut named: Vec<usize> = all.split_off(count).into_iter().map(|(_, at)| at).collect();
        named.sort_unstable();
        order::least_first(&mut all, |(_, at)| *at as i64);
        order::least_first(&mut all, |(need, _)| *need as i64);
        (all.into_iter().map(|(_, at)| at).collect(), named)
    }

    /// Describes a string that is a text, a list of its lines, or a value of unknown kind. `held`: what the main text
    /// holds. Returns what is shown of it.
    fn tell_text(&self, at: usize, held: &Main<'_>, style: Style, paper: &mut Paper) -> Shown {
        let field = &self.outline.fields[at];
        let path = self.outline.full_path(at);
        let is_main = at == self.main();
        let other;
        let text = if is_main {
            self.main_text()
        } else {
            other = texts::text(self.document, &self.outline, at);
            other.as_ref()
        };
        let Some(Text { content, strings }) = text else {
            let raw = minified(self.outline.raw(field.first), SMALL_VALUE);
            paper.cut_line(&format!("{path}: {}", cut(&raw, SMALL_VALUE)));
            return Shown::default();
        };
        let (lines, count) = (Lines::of(content).count(), characters(content));
        if let Main::Data(data, digest) = held
            && is_main
        {
            let title = data.title(&path);
            paper.cut_line(&format!("{path}: text of {count} characters, {title}"));
            let doubled = doubled::told(&digest.outline);
            let lines = data.around().into_iter().chain(doubled);
            lines.for_each(|line| paper.cut_line(&line));
            return digest.tell(&Main::None, style, paper);
        }
        let lines = if lines > 1 {
            format!(", {lines} lines")
        } else {
            String::new()
        };
        let of = match texts::member(&self.outline, at) {
            Some(member) => format!("{strings} rows of {member}, a text whose line 1 is row 0,"),
            None if *strings > 1 => format!("{strings} strings, a text"),
            None => "text".to_owned(),
        };
        paper.cut_line(&format!("{path}: {of} of {count} characters{lines}"));
        let point = match held {
            Main::Text(reading) if is_main => {
                reading.tell(style.cell, paper);
                reading.point()
            }
            _ => lines::tell(content, style.cell, paper),
        };
        Shown { rows: 0, point }
    }
}
