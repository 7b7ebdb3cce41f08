//! `cap`: limits the length of lists and texts, and adds a note about the cut.
//!
//! A list keeps its first or last elements, in an order that the operator chooses. Related lists share one limit
//! fairly. A text keeps bytes or lines, and gets a line about the cut. The caller's argument overrides the limit. A
//! list with a duplicate key stays: readers take the last one, and a note beside it could belong to either.
//!
//! The whole document (`$`) is a list or a text with nothing beside it, so the note of a list is its last element.

mod note;
mod plan;
mod settings;
mod share;
mod text;

use note::{Noted, Notes};
use plan::Plan;
use serde_json::{Map, Value};
use settings::{ARGUMENT, Cap, CapKind, ROOT, Settings};
use std::cmp::Ordering;
use tamis_sdk::{
    Call, Description, Document, Fidelity, Filter, Found, Node, NodeKind, Paths, Splices, Template,
    Verdict, cut_string, quote,
};
use text::{Cut, Side, Text};

struct Capper {
    caps: Vec<Cap>,
    /// The paths of all caps.
    paths: Paths,
    /// The index of each path's cap. Caps of the whole document have no path.
    cap_of_path: Vec<usize>,
}

/// One document, its call, and the plan so far.
struct Work<'a, 't> {
    document: &'a Document,
    /// None for a text.
    root: Option<Node<'t>>,
    arguments: Map<String, Value>,
    plan: Plan<'t>,
}

/// The value by which an element is ordered.
enum SortKey {
    Missing,
    Number(f64),
    Text(String),
}

impl SortKey {
    fn of(document: &Document, element: Node<'_>, path: &Paths) -> SortKey {
        let Some(found) = path.find_one(document, element) else {
            return SortKey::Missing;
        };
        match found.value.kind() {
            NodeKind::Number => {
                let number = document.raw(found.value).parse();
                number.map_or(SortKey::Missing, SortKey::Number)
            }
            _ => document
                .string(found.value)
                .map_or(SortKey::Missing, |text| SortKey::Text(text.into_owned())),
        }
    }

    /// Compares keys: a missing key comes first, and numbers come before texts.
    fn compare(&self, other: &SortKey) -> Ordering {
        let rank = |key: &SortKey| match key {
            SortKey::Missing => 0,
            SortKey::Number(_) => 1,
            SortKey::Text(_) => 2,
        };
        match (self, other) {
            (SortKey::Number(a), SortKey::Number(b)) => a.total_cmp(b),
            (SortKey::Text(a), SortKey::Text(b)) => a.cmp(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl<'t> Work<'_, 't> {
    fn cap(&mut self, cap: &Cap, found: &[Found<'t>]) {
        let limit = self.limit(cap);
        match cap.kind {
            CapKind::Fair => self.cap_groups(cap, limit, found),
            CapKind::Bytes | CapKind::FirstLines | CapKind::LastLines => {
                for found in found
                    .iter()
                    .filter(|found| found.value.kind() == NodeKind::String)
                {
                    if self.plan.take(found.value) {
                        self.cap_string(cap, limit, found);
                    }
                }
            }
            CapKind::First | CapKind::Last => {
                for found in found
                    .iter()
                    .filter(|found| found.value.kind() == NodeKind::Array)
                {
                    let is_taken = self.plan.take(found.value);
                    let is_short = found.value.children() as usize <= limit;
                    let stays = is_short && cap.order_by.is_none();
                    if is_taken && !stays && self.is_once(found) {
                        self.cap_list(cap, limit, found);
                    }
                }
            }
        }
    }

    /// Reserves values that this filter must not cut, because filtering twice would cut more: the keys that order a
    /// list, and the notes beside lists.
    fn reserve(&mut self, cap: &Cap, found: &[Found<'t>]) {
        for found in found
            .iter()
            .filter(|found| found.value.kind() == NodeKind::Array)
        {
            if let Some(path) = &cap.order_by {
                for element in found.value.elements() {
                    if let Some(key) = path.find_one(self.document, element) {
                        self.reserve_down_to(element, key.value);
                    }
                }
            }
            if let Some((note, _)) = self.last_element_note(cap, found.value) {
                self.plan.take(note);
            }
            let name = found.key.and_then(|key| self.document.string(key));
            let note = name.and_then(|name| cap.note_key.key_beside(&name));
            if let Some(note) = note.and_then(|note| self.member(found.holder, &note))
                && note.kind() == NodeKind::String
            {
                self.plan.take(note);
            }
        }
    }

    /// The caller's limit, or the operator's.
    fn limit(&self, cap: &Cap) -> usize {
        let argument = cap.argument.as_ref();
        let given = argument.and_then(|name| self.arguments.get(name));
        let given = given.and_then(Value::as_u64);
        given.map_or(cap.limit, |given| {
            usize::try_from(given).unwrap_or(usize::MAX)
        })
    }

    /// Reserves the key of an order, and all containers around it in its element.
    fn reserve_down_to(&mut self, element: Node<'t>, key: Node<'t>) {
        let mut at = Some(element);
        while let Some(node) = at {
            self.plan.take(node);
            let has_key =
                |child: &Node<'t>| (child.index()..child.next_index()).contains(&key.index());
            at = match node.kind() {
                NodeKind::Array => node.elements().find(has_key),
                NodeKind::Object => node.members().map(|(_, value)| value).find(has_key),
                _ => None,
            };
        }
    }

    /// Whether a value's key is unique in its object.
    fn is_once(&self, found: &Found<'t>) -> bool {
        let Some(key) = found.key else { return true };
        let name = self.document.string(key);
        name.is_some_and(|name| {
            let members = found.holder.members();
            let same = members.filter(|(other, _)| self.document.key_is(*other, &name));
            same.count() == 1
        })
    }

    /// The note of an earlier run, at the end of a list that is the whole document.
    fn last_element_note(&self, cap: &Cap, list: Node<'t>) -> Option<(Node<'t>, Noted)> {
        cap.note.as_ref().filter(|_| cap.is_root)?;
        let (last, others) = list
            .elements()
            .fold((None, 0_usize), |(last, count), element| {
                (Some(element), count + usize::from(last.is_some()))
            });
        let last = last.filter(|last| last.kind() == NodeKind::String)?;
        let noted = self.notes(cap).read(&self.document.string(last)?, others)?;
        Some((last, noted))
    }

    fn notes<'n>(&'n self, cap: &'n Cap) -> Notes<'n> {
        Notes {
            cap,
            arguments: &self.arguments,
        }
    }

    fn cap_list(&mut self, cap: &Cap, limit: usize, found: &Found<'t>) {
        let mut stays: Vec<Node<'t>> = found.value.elements().collect();
        let noted = self.last_element_note(cap, found.value);
        if noted.is_some() {
            stays.pop();
            if stays.len() <= limit && cap.order_by.is_none() {
                return;
            }
        }
        let count = stays.len();
        let known_total = noted.as_ref().and_then(|(_, noted)| noted.total);
        let total = known_total.unwrap_or(count);
        if let Some(path) = &cap.order_by {
            let document = self.document;
            let mut keyed: Vec<_> = stays
                .into_iter()
                .map(|element| (SortKey::of(document, element, path), element))
                .collect();
            // Elements with equal keys keep their order.
            keyed.sort_by(|(a, _), (b, _)| a.compare(b));
            stays = keyed.into_iter().map(|(_, element)| element).collect();
        }
        let shown = limit.min(count);
        match cap.kind {
            CapKind::Last => drop(stays.drain(..count - shown)),
            _ => stays.truncate(shown),
        }
        let mut note = None;
        if shown < count {
            let says = cap.is_root && cap.note.is_some();
            note = says.then(|| quote(&self.notes(cap).write(shown, total)));
            self.tell(cap, found, shown, total);
        } else if let Some((node, _)) = noted {
            stays.push(node);
        }
        self.plan.keep(found.value, stays, note);
    }

    fn cap_groups(&mut self, cap: &Cap, limit: usize, found: &[Found<'t>]) {
        let is_list = |found: &&Found<'t>| found.value.kind() == NodeKind::Array;
        let mut lists: Vec<&Found<'t>> = Vec::new();
        for found in found.iter().filter(is_list) {
            // Two paths may lead to one list.
            if self.plan.take(found.value) && self.is_once(found) {
                lists.push(found);
            }
        }
        let elements: Vec<Vec<Node<'t>>> = lists
            .iter()
            .map(|it| it.value.elements().collect())
            .collect();
        let sizes: Vec<usize> = elements.iter().map(Vec::len).collect();
        let total: usize = sizes.iter().sum();
        if total <= limit {
            return;
        }
        for ((list, mut stays), share) in lists.iter().zip(elements).zip(share::fair(&sizes, limit))
        {
            stays.truncate(share);
            self.plan.keep(list.value, stays, None);
        }
        if let Some(first) = lists.first() {
            self.tell(cap, first, limit, total);
        }
    }

    fn cap_string(&mut self, cap: &Cap, limit: usize, found: &Found<'t>) {
        let quoted = self.document.raw(found.value);
        let string = Text {
            raw: &quoted[1..quoted.len() - 1],
            is_json: true,
        };
        let cut = match cap.kind {
            CapKind::Bytes if !cap.whole_lines => self.cut_characters(cap, limit, &quoted, found),
            _ => {
                let cut = self.cut_text(cap, limit, string, Some(found.holder));
                cut.map(|cut| format!("\"{}\"", cut.applied(string.raw)))
            }
        };
        if let Some(cut) = cut {
            self.plan.replace(found.value, cut);
        }
    }

    /// Cuts a string exactly at its limit.
    fn cut_characters(
        &self,
        cap: &Cap,
        limit: usize,
        quoted: &str,
        found: &Found<'t>,
    ) -> Option<String> {
        // A smaller limit has no room for the line about the cut.
        let limit = limit.max(cap.least_bytes);
        let cut = cut_string(quoted, limit, |shown, total| {
            self.note(cap, Some(found.holder), shown, total)
                .unwrap_or_default()
        });
        // A document's value in the note may leave no room for anything else.
        cut.or_else(|| {
            cut_string(quoted, limit, |shown, total| {
                Template::new(note::fallback(&cap.kind))
                    .fill_with(&[("shown", shown), ("total", total)])
            })
        })
    }

    /// Cuts a text between its lines, if one fits.
    fn cut_text(
        &self,
        cap: &Cap,
        limit: usize,
        text: Text<'_>,
        holder: Option<Node<'t>>,
    ) -> Option<Cut> {
        let side = match cap.kind {
            CapKind::FirstLines => Side::First,
            CapKind::LastLines => Side::Last,
            _ => {
                let limit = limit.max(cap.least_bytes);
                let cut = text.cut_bytes(limit, cap.whole_lines, |shown, total| {
                    self.note(cap, holder, &shown.to_string(), &total.to_string())
                        .unwrap_or_default()
                });
                return cut.or_else(|| {
                    text.cut_bytes(limit, cap.whole_lines, |shown, total| {
                        let (shown, total) = (shown.to_string(), total.to_string());
                        Template::new(note::fallback(&cap.kind))
                            .fill_with(&[("shown", &shown), ("total", &total)])
                    })
                });
            }
        };
        text.cut_lines(&side, limit, &self.notes(cap))
    }

    /// Adds members about the cut beside a list, if an object contains it.
    fn tell(&mut self, cap: &Cap, list: &Found<'t>, shown: usize, total: usize) {
        let Some(key) = list.key else { return };
        let Some(name) = self.document.string(key) else {
            return;
        };
        let (shown, total) = (shown.to_string(), total.to_string());
        if let Some(flag) = cap.flag.key_beside(&name) {
            match self.member(list.holder, &flag) {
                None => self.plan.add_member(list.holder, flag, "true".to_owned()),
                Some(old) if old.kind() == NodeKind::False => {
                    self.plan.replace(old, "true".to_owned());
                }
                // Upstream uses this name for something else.
                Some(_) => {}
            }
        }
        if let Some(key) = cap.total.key_beside(&name)
            && self.member(list.holder, &key).is_none()
        {
            self.plan.add_member(list.holder, key, total.clone());
        }
        if let Some(key) = cap.note_key.key_beside(&name)
            && self.member(list.holder, &key).is_none()
            && let Some(note) = self.note(cap, Some(list.holder), &shown, &total)
        {
            self.plan.add_member(list.holder, key, quote(&note));
        }
    }

    fn member(&self, object: Node<'t>, name: &str) -> Option<Node<'t>> {
        let mut members = object.members();
        let member = members.find(|(key, _)| self.document.key_is(*key, name));
        member.map(|(_, value)| value)
    }

    /// The operator's wording, or the default if that asks for a missing value.
    fn note(
        &self,
        cap: &Cap,
        holder: Option<Node<'t>>,
        shown: &str,
        total: &str,
    ) -> Option<String> {
        let wording = cap.note.as_ref()?;
        let filled = wording.template.fill(|name, out| {
            let value = match name {
                "shown" => Some(shown.to_owned()),
                "total" => Some(total.to_owned()),
                _ if name.starts_with(ARGUMENT) => note::argument(&self.arguments, name),
                _ => wording
                    .places
                    .iter()
                    .find(|(known, _)| known == name)
                    .and_then(|(_, path)| self.value(path, holder)),
            };
            out.push_str(value.as_deref().unwrap_or_default());
            value.is_some()
        });
        Some(filled.unwrap_or_else(|| {
            Template::new(note::fallback(&cap.kind))
                .fill_with(&[("shown", shown), ("total", total)])
        }))
    }

    /// The value of a path beside a list, else from the root: a text, a number or a boolean.
    fn value(&self, path: &Paths, holder: Option<Node<'t>>) -> Option<String> {
        let value = [holder, self.root]
            .into_iter()
            .flatten()
            .find_map(|from| path.find_one(self.document, from))?
            .value;
        match value.kind() {
            NodeKind::String => self.document.string(value).map(|text| text.into_owned()),
            NodeKind::Number | NodeKind::True | NodeKind::False => {
                Some(self.document.raw(value).into_owned())
            }
            _ => None,
        }
    }

    /// Cuts a text document by the first cap for it.
    fn whole_text(&self, caps: &[Cap]) -> Verdict {
        let mut splices = Splices::new();
        let text = Text {
            raw: self.document.text(),
            is_json: false,
        };
        let cap = caps.iter().find(|cap| cap.is_root && cap.kind.is_text());
        if let Some(cap) = cap
            && let Some(cut) = self.cut_text(cap, self.limit(cap), text, None)
        {
            let (start, end) = (cut.bytes.start as u32, cut.bytes.end as u32);
            splices.replace(start, end, &cut.note);
        }
        splices.into()
    }
}

impl Capper {
    /// The values of each cap's paths, with groups in the order of the settings.
    fn by_cap<'t>(&self, root: Node<'t>, found: &[Found<'t>]) -> Vec<Vec<Found<'t>>> {
        let mut by_cap: Vec<Vec<Found<'t>>> = self.caps.iter().map(|_| Vec::new()).collect();
        for found in found {
            by_cap[self.cap_of_path[found.path]].push(*found);
        }
        for found in &mut by_cap {
            found.sort_by_key(|found| found.path);
        }
        let whole = Found {
            path: 0,
            holder: root,
            key: None,
            value: root,
        };
        for (cap, found) in self.caps.iter().zip(&mut by_cap) {
            if cap.is_root {
                found.push(whole);
            }
        }
        by_cap
    }
}

impl Filter for Capper {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "cap",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.caps.is_empty() {
            return Err(
                "`caps` is empty: give at least one, such as { path = \"data.tests\", first = 15 }"
                    .to_owned(),
            );
        }
        let mut paths: Vec<String> = Vec::new();
        let mut seen: Vec<(String, bool)> = Vec::new();
        let mut cap_of_path = Vec::new();
        let mut caps = Vec::new();
        for (place, raw) in settings.caps.into_iter().enumerate() {
            let subject = raw.paths().next().map_or_else(
                || format!("`caps`: number {}", place + 1),
                |path| format!("`caps`: `{path}`"),
            );
            let own: Vec<String> = raw.paths().map(str::to_owned).collect();
            let cap = raw.check().map_err(|error| format!("{subject}: {error}"))?;
            for path in own {
                // One path may lead to a list in one result and to a text in another.
                let subject = (path.clone(), cap.kind.is_text());
                if seen.contains(&subject) {
                    return Err(format!(
                        "`caps`: `{path}` is there twice: give each path once for lists, and once for texts"
                    ));
                }
                seen.push(subject);
                if path != ROOT {
                    paths.push(path);
                    cap_of_path.push(place);
                }
            }
            caps.push(cap);
        }
        settings::check_orders(&caps)?;
        Ok(Capper {
            paths: Paths::parse(&paths).map_err(|error| format!("`caps`: {error}"))?,
            cap_of_path,
            caps,
        })
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        let root = document.root();
        let mut work = Work {
            document,
            root,
            // Arguments that are no object override nothing.
            arguments: serde_json::from_str(call.arguments()).unwrap_or_default(),
            plan: Plan::default(),
        };
        let Some(root) = root else {
            return Ok(work.whole_text(&self.caps));
        };
        let found = self.paths.find(document, root);
        let found_by_cap = self.by_cap(root, &found);
        for (cap, found) in self.caps.iter().zip(&found_by_cap) {
            work.reserve(cap, found);
        }
        for (cap, found) in self.caps.iter().zip(&found_by_cap) {
            work.cap(cap, found);
        }
        Ok(work.plan.edits(document).into())
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Capper);

#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_examples;
