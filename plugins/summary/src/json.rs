//! The summary of a JSON document: members to keep, outcomes, small members, then tables and long texts.
//!
//! Owns the choice of parts, and the division of the room between them. Refuses to know how a table or a text is
//! summarised.

use crate::data::TextData;
use crate::doubled;
use crate::lines::{self, Reading};
use crate::order;
use crate::outline::{Outline, ROOT, Step};
use crate::paper::{Paper, REST, characters, cut, listed_short, minified, some};
use crate::table::{self, Style};
use crate::telling;
use crate::texts::{self, Need, Text};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use tamis_formats::Lines;
use tamis_sdk::{Document, Node, NodeKind};

/// Values of at most this many characters stay unchanged.
const SMALL_STRING: usize = 160;
/// Bytes of a total that is shown whole.
const SMALL_TOTAL: usize = 60;
const SMALL_VALUE: usize = 240;
/// Characters of the keys and numbers of an object that is not shown whole.
const OUTLINED: usize = 80;
/// Beside so many tables and texts, scalars come before the elements of lists.
const FEW_LARGE: usize = 2;
/// The rank of a list or an object among small members.
const CONTAINER: u8 = 4;
/// Bytes of a short scalar.
const SMALL_SCALAR: usize = 40;
/// Characters of the line with the names of members that do not fit beside tables.
const NAMES: usize = 120;
/// Most members that tell of failures, of those that are told whatever the room.
const FAILURES: usize = 3;
/// Most tables that are described in full. The others are named.
const TABLES: usize = 6;
/// Most tables whose values decide on their order.
const EXAMINED: usize = 12;
/// The least room of a table or a long text that is described.
const LEAST_SHARE: usize = 160;
/// The room for each further table or text that is described rather than named.
const ROOM_EACH: usize = 240;

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

/// Lines of small members.
struct Members {
    lines: Vec<String>,
    /// There is room for all.
    all_fit: bool,
    /// So many of the first tell of a failure.
    failures: usize,
    /// The number of the first lines that tell an outcome, with those.
    outcomes: usize,
    /// The number of totals after these.
    totals: usize,
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
            main_text: OnceCell::new(),
            main_odd_row: OnceCell::new(),
        }
    }

    pub fn outline(&self) -> &Outline<'d> {
        &self.outline
    }

    /// The index of the largest part whose key is about a failure, or else of the largest table or text.
    pub fn main(&self) -> usize {
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
            (Some(at), _) | (None, Some(at)) => *at,
            (None, None) => {
                let small = self.parts.small.iter().rev().map(|(at, _)| at);
                small.max_by_key(bytes).copied().unwrap_or(ROOT)
            }
        }
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
        if more > 0 && large.left() > 0 {
            let left = room - characters(large.text());
            let (longer, fewer) = self.tell_small(self.needed(true).min(left), left);
            if fewer < more {
                small = longer;
            }
        }
        paper.paste(&small);
        paper.paste(&large);
        shown
    }

    /// The characters of the lines of small members that say much for their length, and of the line below them: numbers,
    /// flags and short strings, and lists and objects if they count too.
    fn needed(&self, with_containers: bool) -> usize {
        let is_counted = |(at, value): &&(usize, String)| match self.order(*at, value) {
            0 => true,
            1 => value.len() <= SMALL_SCALAR,
            rank => rank == CONTAINER && with_containers,
        };
        let counted = self.parts.small.iter().filter(is_counted);
        let line = |(at, value): &(usize, String)| {
            characters(&self.outline.path(ROOT, *at)) + characters(value) + ": \n".len()
        };
        REST + counted.map(line).sum::<usize>()
    }

    /// Small members in so many characters, and the number of those that do not fit. `most`: the same if one that tells a
    /// failure is long.
    fn tell_small(&self, room: usize, most: usize) -> (Paper, usize) {
        let parts = &self.parts;
        let has_more = !parts.tables.is_empty() || !parts.texts.is_empty();
        let mut small = Paper::new(room);
        let members = self.small(room);
        if members.failures > 0 && characters(&members.lines[0]) >= small.left() {
            // What failed is told, cut if it must be.
            small = Paper::new(most);
        }
        // Other outcomes and totals are short: `timed_out: true`.
        let outcomes = &members.lines[members.failures..members.outcomes + members.totals];
        let others: usize = outcomes.iter().map(|line| characters(line) + 1).sum();
        let reserve = REST + others.min(small.left() / 2);
        for line in &members.lines[..members.failures] {
            let room = small.left().saturating_sub(reserve + 1);
            small.want(line, room);
            small.cut_line(&cut(line, room));
        }
        let others = &members.lines[members.failures..];
        let rest = match members.all_fit && parts.left_out == 0 {
            true => 0,
            false if has_more => NAMES.min(REST + small.left() / 3),
            false => REST + small.left() / 3,
        };
        // Names of other members take no room from these.
        let (first, last) = others.split_at(outcomes.len());
        let hidden = match small.fitting(first.iter(), Clone::clone, rest.min(2 * REST)) {
            0 => small.fitting(last.iter(), Clone::clone, rest),
            hidden => hidden + last.len(),
        };
        let told = others.len() - hidden;
        let is_wanted = |(at, line): &(usize, &String)| {
            members.failures + at < members.outcomes || line.len() <= SMALL_TOTAL + SMALL_TOTAL / 2
        };
        let outcomes = outcomes.iter().enumerate().skip(told);
        outcomes
            .filter(is_wanted)
            .for_each(|(_, line)| small.want(line, 0));
        let more = hidden + parts.left_out;
        if more > 0 {
            let room = match has_more {
                true => small.left().min(NAMES),
                false => small.left(),
            };
            let names = named(&others[others.len() - hidden..], more, room);
            let more = some(more, "more members");
            small.cut_line(&format!(" and {more}{names}"));
        }
        (small, more)
    }

    /// The small members: all unchanged if they fit, or else the most important first.
    fn small(&self, room: usize) -> Members {
        let small = &self.parts.small;
        let line = |at: usize, value: &str| format!("{}: {value}", self.outline.name(at));
        let all: Vec<String> = small.iter().map(|(at, value)| line(*at, value)).collect();
        let size: usize = all.iter().map(|line| characters(line) + 1).sum();
        if size <= room {
            return Members {
                lines: all,
                all_fit: true,
                failures: 0,
                outcomes: 0,
                totals: 0,
            };
        }
        let mut outcomes = Vec::new();
        for (at, _) in small {
            self.outcomes(*at, &mut outcomes);
        }
        let usual = self.usual();
        order::least_first(&mut outcomes, |at| match self.is_failure(*at) {
            true => i64::from(!self.is_partial(*at)),
            // What a failure says tells more than where it is.
            false if self.is_message(*at) && !usual.contains(at) => 3,
            false => 2 + 2 * i64::from(!self.is_partial(*at)) + 2 * i64::from(usual.contains(at)),
        });
        let failures = outcomes.iter().take_while(|at| self.is_failure(**at));
        let failures = failures.count().min(FAILURES);
        let told = |at: &usize| {
            let value = minified(
                self.outline.raw(self.outline.fields[*at].first),
                SMALL_VALUE,
            );
            line(*at, &cut(&value, SMALL_VALUE))
        };
        let mut lines: Vec<String> = outcomes.iter().map(told).collect();
        let mut others: Vec<&(usize, String)> = small
            .iter()
            .filter(|(at, _)| !outcomes.contains(at))
            .collect();
        // Of equals, the first in the document.
        order::least_first(&mut others, |(at, value)| {
            let (order, is_usual) = (self.order(*at, value), usual.contains(at));
            let step = self.outline.fields[*at].step;
            let is_asked = order == 1 && step.key().is_some_and(telling::is_asked_for);
            let order = order + CONTAINER * u8::from(is_usual);
            2 * i64::from(order) - i64::from(is_asked)
        });
        lines.extend(others.iter().map(|(at, value)| self.outlined(*at, value)));
        let is_total = |(at, value): &&&(usize, String)| self.is_shown_total(*at, value);
        Members {
            lines,
            all_fit: false,
            failures,
            outcomes: outcomes.len(),
            totals: others.iter().take_while(is_total).count(),
        }
    }

    /// Small members of a list's elements whose values most of the other elements have too: the values that differ say more.
    fn usual(&self) -> Vec<usize> {
        const FEWEST: usize = 3;
        let fields = &self.outline.fields;
        let mut lists: BTreeMap<(usize, &str), Vec<(usize, &str)>> = BTreeMap::new();
        for (at, value) in &self.parts.small {
            let element = fields[*at].parent;
            if let (Step::Member(key), Step::Place(_)) = (fields[*at].step, fields[element].step) {
                let list = lists.entry((fields[element].parent, key)).or_default();
                list.push((*at, value));
            }
        }
        let mut usual = Vec::new();
        for values in lists.values().filter(|values| values.len() >= FEWEST) {
            let count = |value: &str| values.iter().filter(|(_, it)| *it == value).count();
            let is_usual = |(_, value): &&(usize, &str)| count(value) * 2 > values.len();
            usual.extend(values.iter().filter(is_usual).map(|(at, _)| *at));
        }
        usual
    }

    /// Adds members that tell an outcome, at a place and inside it, outside of lists.
    fn outcomes(&self, at: usize, to: &mut Vec<usize>) {
        let field = &self.outline.fields[at];
        let is_outcome =
            |step: &Step<'_>| matches!(step, Step::Member(key) if telling::is_outcome(key));
        let is_failure =
            |step: &Step<'_>| matches!(step, Step::Member(key) if telling::is_failure(key));
        let mut steps = self.outline.steps(ROOT, at).into_iter();
        let says_wrong = || matches!(field.step, Step::Member(key) if telling::says_wrong(key, self.outline.raw(field.first)));
        if is_outcome(&field.step)
            || self.is_partial(at)
            || says_wrong()
            || steps.any(|step| is_failure(&step))
        {
            return to.push(at);
        }
        for &child in &field.children {
            let step = self.outline.fields[child].step;
            if matches!(step, Step::Member(_) | Step::Place(_)) {
                self.outcomes(child, to);
            }
        }
        // A message says why a state failed.
        let fails =
            |at: &usize| telling::is_failing(self.outline.raw(self.outline.fields[*at].first));
        if field
            .children
            .iter()
            .any(|child| to.contains(child) && fails(child))
        {
            let messages = field.children.iter().copied();
            let messages = messages.filter(|at| self.is_message(*at) || self.is_sentence(*at));
            let messages: Vec<usize> = messages.filter(|at| !to.contains(at)).collect();
            to.extend(messages);
        }
    }

    /// Whether a member is the text of a message: `errors[0].message`.
    fn is_message(&self, at: usize) -> bool {
        let field = &self.outline.fields[at];
        let is_text = field.first.kind() == NodeKind::String;
        is_text && matches!(field.step, Step::Member(key) if telling::is_message(key))
    }

    /// Whether a member is a text of some words.
    fn is_sentence(&self, at: usize) -> bool {
        telling::is_sentence(self.outline.raw(self.outline.fields[at].first))
    }

    /// Whether a member, what holds it, or a member of it says how much there is in all: `hits.total.value`.
    fn is_total(&self, at: usize) -> bool {
        let is_total = |step: Step<'_>| matches!(step, Step::Member(key) if telling::is_total(key));
        let steps = self.outline.steps(ROOT, at);
        let inside = self.outline.fields[at].children.iter();
        let mut inside = inside.map(|child| self.outline.fields[*child].step);
        steps.into_iter().rev().take(2).any(is_total) || inside.any(is_total)
    }

    /// Whether a small member is a total that is shown whole: a short one, or numbers and short texts under one key.
    fn is_shown_total(&self, at: usize, value: &str) -> bool {
        let field = &self.outline.fields[at];
        let is_scalar = |(_, value): (Node<'_>, Node<'_>)| {
            !matches!(value.kind(), NodeKind::Array | NodeKind::Object)
                && value.len_bytes() <= SMALL_SCALAR as u32
        };
        let is_totals = matches!(field.step, Step::Member(key) if telling::is_totals(key));
        value.len() <= SMALL_TOTAL && self.is_total(at)
            || is_totals
                && field.first.kind() == NodeKind::Object
                && field.first.members().all(is_scalar)
    }

    /// The rank of a small member: totals, then numbers and flags, which tell most for their length, then short strings,
    /// then containers.
    fn order(&self, at: usize, value: &str) -> u8 {
        match self.outline.fields[at].first.kind() {
            _ if self.is_shown_total(at, value) => 0,
            _ if telling::is_nothing(value) => 3,
            NodeKind::Array | NodeKind::Object => CONTAINER,
            NodeKind::Null => 3,
            NodeKind::String if value.starts_with("\"http") => 3,
            NodeKind::String => 1 + u8::from(value.len() > 40),
            _ => 1,
        }
    }

    /// A small member unchanged, or for a container an outline.
    fn outlined(&self, at: usize, value: &str) -> String {
        let field = &self.outline.fields[at];
        let name = self.outline.name(at);
        match field.first.kind() {
            _ if self.is_shown_total(at, value) || telling::is_nothing(value) => {
                format!("{name}: {value}")
            }
            NodeKind::Array => format!("{name}: [{} elements]", field.first.children()),
            NodeKind::Object => {
                let keys: Vec<String> = field
                    .first
                    .members()
                    .map(|(key, value)| {
                        let key = self.outline.raw(key);
                        let key = key.get(1..key.len() - 1).unwrap_or_default();
                        match value.kind() {
                            NodeKind::Number => format!("{key}: {}", self.outline.raw(value)),
                            _ => key.to_owned(),
                        }
                    })
                    .collect();
                format!("{name}: {{{}}}", listed_short(&keys, OUTLINED))
            }
            _ => format!("{name}: {value}"),
        }
    }

    /// Describes tables and texts. Those about failures come first, each with its share of the room. The others are
    /// named. Returns what is shown of the main place.
    fn tell_large(&self, held: &Main<'_>, style: Style, paper: &mut Paper) -> Shown {
        let outline = &self.outline;
        let (told, named) = self.chosen(paper.left());
        let named = named.into_iter().map(|at| {
            let same = self.same(at, &told);
            same.unwrap_or_else(|| table::in_short(outline, at))
        });
        let named: Vec<String> = named.collect();
        let needed: usize = named.iter().map(|line| characters(line) + 1).sum();
        let reserve = needed.min(paper.left() / 4);
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
                paper.cut_line(&table::in_short(outline, at));
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

/// The names of members, of which only lines are known: `: used_… 30, hz, …`. Names that begin with the same
/// word are one, and those of one object: `info.{license, version}`. A member that is nothing has no name. `all`: the
/// number of these members and of others.
fn named(lines: &[String], all: usize, room: usize) -> String {
    const MOST: usize = 64;
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut count = 0;
    let members = lines.iter().filter_map(|line| name_and_value(line));
    for (name, _) in members.filter(|(_, value)| !telling::is_nothing(value)) {
        let word = match name.rfind(['.', '"']) {
            Some(at) if name[at..].starts_with('.') => &name[..=at],
            None => name.find('_').map_or(name, |at| &name[..=at]),
            // `info["a.b"]`
            Some(_) => name,
        };
        match groups.iter().position(|(known, _)| *known == word) {
            Some(at) => groups[at].1.push(name),
            None if groups.len() < MOST => groups.push((word, vec![name])),
            None => continue,
        }
        count += 1;
    }
    let mut out = String::from(":");
    for (place, (word, names)) in groups.into_iter().enumerate() {
        out.push_str(if place > 0 { ", " } else { " " });
        let left = room.saturating_sub(characters(&out) + REST);
        let name = match names[..] {
            [name] => name.to_owned(),
            _ if word.ends_with('.') => {
                let inside = names.iter().map(|name| &name[word.len()..]);
                let inside: Vec<&str> = inside.collect();
                let room = left.saturating_sub(characters(word) + "{}".len());
                format!("{word}{{{}}}", listed_short(&inside, room))
            }
            _ => format!("{word}… {}", names.len()),
        };
        if characters(&name) > left || name.contains("{and ") {
            out.push('…');
            count = all;
            break;
        }
        out.push_str(&name);
    }
    if count < all {
        out.push_str(", …");
    }
    // No name has room.
    match &*out {
        ": …" | ":, …" | ":" => String::new(),
        _ => out,
    }
}

/// The name of a member and its value in `name: value`. A name may have a key with `: ` in it: `info["a: b"]`.
fn name_and_value(line: &str) -> Option<(&str, &str)> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = line.bytes().position(|byte| {
        is_quoted ^= byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        byte == b':' && !is_quoted
    })?;
    Some((&line[..end], line[end + 1..].trim_start()))
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
    if at != ROOT && raw.len() <= 8 * limit && is_single {
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
