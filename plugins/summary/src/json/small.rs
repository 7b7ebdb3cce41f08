//! Members outside of tables: those that tell an outcome, then totals, numbers and short texts, in the room that they have.
//!
//! Owns their order. Refuses to know tables, and how the room is divided.

use super::left_out::named;
use super::{Digest, SMALL_VALUE};
use crate::order;
use crate::outline::{ROOT, Step};
use crate::paper::{Paper, REST, characters, cut, listed_short, minified, some};
use crate::telling;
use std::collections::BTreeMap;
use tamis_sdk::{Node, NodeKind};

/// Characters of the keys and numbers of an object that is not shown whole.
const OUTLINED: usize = 80;
/// The rank of a list or an object among small members.
const CONTAINER: u8 = 4;
/// Members inside so many others come before those that are deeper.
const DEEP: usize = 3;
/// Bytes of a short scalar.
const SMALL_SCALAR: usize = 40;
/// Characters of the line with the names of members that do not fit beside tables.
const NAMES: usize = 120;
/// Most members that tell of failures, of those that are told whatever the room.
const FAILURES: usize = 3;
/// The names of operators in conditions of queries.
const OPERATORS: [&str; 15] = [
    "$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte", "$not", "$and", "$or", "$nor",
    "$regex", "$options", "$exists",
];
/// Bytes of a total that is shown whole.
const SMALL_TOTAL: usize = 60;

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

impl Digest<'_> {
    /// The characters of the lines of small members that say much for their length, and of the line below them: numbers,
    /// flags and short strings, and lists and objects if they count too.
    pub(super) fn needed(&self, with_containers: bool) -> usize {
        let is_counted = |(at, value): &&(usize, String)| match self.order(*at, value) {
            0 => true,
            1 => value.len() <= SMALL_SCALAR,
            rank => rank == CONTAINER && with_containers,
        };
        let counted = self.parts.small.iter().filter(is_counted);
        REST + counted.map(|member| self.length(member)).sum::<usize>()
    }

    /// The characters of the lines of all small members, each unchanged.
    pub(super) fn needed_for_all(&self) -> usize {
        let members = self.parts.small.iter();
        members.map(|member| self.length(member)).sum()
    }

    /// The characters of the line of a small member.
    fn length(&self, (at, value): &(usize, String)) -> usize {
        characters(&self.outline.name(*at)) + characters(value) + ": \n".len()
    }

    /// Small members in so many characters, and the number of those that do not fit. `most`: the same if one that tells a
    /// failure is long.
    pub(super) fn tell_small(&self, room: usize, most: usize) -> (Paper, usize) {
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
        let is_told =
            |at: &&usize| self.is_failure(**at) || self.is_message(**at) && !usual.contains(at);
        let failures = outcomes.iter().take_while(is_told);
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
            // Names of members deep inside take the room of several others.
            let is_deep = self.outline.steps(ROOT, *at).len() > DEEP;
            4 * i64::from(order) - 2 * i64::from(is_asked) + i64::from(is_deep)
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

    /// Whether a value is a condition of a query and no state: `status: {"$eq": "open"}`.
    fn is_condition(&self, value: Node<'_>) -> bool {
        let mut keys = value.members().map(|(key, _)| self.outline.raw(key));
        value.kind() == NodeKind::Object
            && value.children() > 0
            && keys.all(|key| OPERATORS.contains(&key.trim_matches('"')))
    }

    /// Adds members that tell an outcome, at a place and inside it, outside of lists.
    fn outcomes(&self, at: usize, to: &mut Vec<usize>) {
        let field = &self.outline.fields[at];
        let is_outcome =
            |step: &Step<'_>| matches!(step, Step::Member(key) if telling::is_outcome(key));
        let is_failure =
            |step: &Step<'_>| matches!(step, Step::Member(key) if telling::is_failure(key));
        if self.is_condition(field.first) {
            return;
        }
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
        // `failures[0].reason` may be an object with the reason.
        let is_text = matches!(field.first.kind(), NodeKind::String | NodeKind::Object);
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
        let is_number = field.first.kind() == NodeKind::Number;
        value.len() <= SMALL_TOTAL && self.is_total(at)
            || is_number && field.step.key().is_some_and(telling::begins_as_total)
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
}
