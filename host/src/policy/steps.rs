//! Steps: those of chains, of named lists (`[steps]`), and of the prefix, which each chain runs first.
//!
//! A named list is read once, however many chains use it, so a mistake in it is reported once. Owns the bounds
//! on steps from lists: otherwise lists in lists would make a few lines of TOML into more steps than memory
//! holds.

use std::collections::HashMap;

use toml::de::DeValue;

use super::code::Code;
use super::filters::Filters;
use super::names;
use super::raw::{self, Findings, Value};
use super::report::Finding;
use super::source::Span;
use super::step;
use super::{OnError, StepSpec, Via};

/// Deepest nesting of lists in lists. Two levels say everything that a person wants to say; a program that writes
/// policies writes the steps.
const DEEPEST: usize = 8;

/// Most named lists: each is compared with filters and plugins by name, and a policy with more is not read by people.
const MOST_LISTS: usize = 500;

/// Most text of steps, in bytes of the file, that lists and prefixes put into chains together: as much as a file may
/// have if it says every step where it runs.
const MOST_TEXT_BYTES: usize = 4 << 20;

/// The cost of a step in a chain beyond its text in the file, in bytes of text: it bounds many short steps,
/// too.
const STEP_BYTES: usize = 64;

/// A step as written, before it belongs to a chain.
#[derive(Clone)]
pub(super) struct Listed {
    spec: StepSpec,
    /// The step's own `shadow`; without it, the chain's counts.
    shadow: Option<bool>,
    /// Its text in the file.
    bytes: usize,
}

/// Steps that were read, and how deep the lists go that they came by.
#[derive(Clone, Default)]
struct Read {
    steps: Vec<Listed>,
    depth: usize,
}

enum State {
    Unread,
    Reading,
    Read(Read),
}

struct List<'t> {
    name_span: Span,
    value: &'t Value<'t>,
    state: State,
    used: bool,
    /// The list is for other files, so it may be unused.
    is_included: bool,
}

/// The prefix of one file.
struct Prefix {
    steps: Vec<Listed>,
    span: Span,
    /// Index of the file.
    file: usize,
    used: bool,
}

/// The named lists and the prefixes of a policy.
#[derive(Default)]
pub(super) struct Lists<'t> {
    lists: HashMap<&'t str, List<'t>>,
    /// The prefixes in the order in which the chains run them: those of included files first.
    prefixes: Vec<Prefix>,
    /// Text that was put into chains so far.
    bytes: usize,
    is_full: bool,
}

impl<'t> Lists<'t> {
    /// Takes note of the lists under `steps` in a file. Their steps are read when something names them.
    pub(super) fn declare(
        &mut self,
        value: &'t Value<'t>,
        is_included: bool,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) {
        let DeValue::Table(table) = value.get_ref() else {
            let help = "for example: [steps], and below it secrets = [\"ansi\", \"redact\"]";
            let expected = "a table [steps] of named lists";
            findings.wrong_type(value, "`steps`", expected, Some(help.to_owned()));
            return;
        };
        for entry in raw::entries(table) {
            let quoted = names::quote(entry.key);
            if self.lists.len() == MOST_LISTS {
                let label = format!("allowed: {MOST_LISTS} in all files together");
                let finding = Finding::error(entry.key_span, "too many named lists", label);
                findings.push(finding.code(Code::OutOfRange));
                return;
            }
            if let Some(what) = filters.kind_of(entry.key) {
                let message = format!("the list {quoted} has the name of {what}");
                let help = "rename the list: a chain could not distinguish the two";
                let finding = Finding::error(entry.key_span, message, "taken").help(help);
                findings.push(finding.code(Code::DuplicateName));
            } else if let Some(first) = self.lists.get(entry.key) {
                let message = format!("two lists have the name {quoted}");
                let finding = Finding::error(entry.key_span, message, "again");
                let finding = finding.also(first.name_span, "first here");
                findings.push(finding.code(Code::DuplicateName));
                continue;
            } else if !names::is_plugin_name(entry.key) {
                let label = "allowed: lower case letters, digits and hyphens, at most 64";
                let message = format!("{quoted} is not a list's name");
                findings.push(Finding::error(entry.key_span, message, label));
            }
            let list = List {
                name_span: entry.key_span,
                value: entry.value,
                state: State::Unread,
                used: false,
                is_included,
            };
            if filters.kind_of(entry.key).is_none() {
                filters.know_list(entry.key);
            }
            self.lists.insert(entry.key, list);
        }
    }

    /// Reads the lists that nothing named, for their mistakes: call this after the chains. Warns of them.
    pub(super) fn finish(&mut self, filters: &mut Filters<'_>, findings: &mut Findings<'_>) {
        let mut unread: Vec<(Span, &'t str)> = Vec::new();
        for (name, list) in &self.lists {
            if matches!(list.state, State::Unread) {
                unread.push((list.name_span, name));
            }
        }
        unread.sort();
        for (span, name) in unread {
            self.list(name, span, &mut Vec::new(), filters, findings);
        }
    }

    /// Warns of lists that no chain uses, and of prefixes that no chain runs.
    pub(super) fn warn_unused(&self, findings: &mut Findings<'_>) {
        let lists = self.lists.iter();
        for (name, list) in lists.filter(|(_, list)| !list.used && !list.is_included) {
            let message = format!("the list {} is never used", names::quote(name));
            let label = "no chain names it";
            let warning = Finding::warning(list.name_span, message, label);
            let help = format!("to use it in a chain: steps = [\"{name}\"]");
            findings.push(warning.help(help).code(Code::StepsUnused));
        }
        for prefix in &self.prefixes {
            if !prefix.used && prefix.file == 0 {
                let message = "no chain runs the prefix";
                let label =
                    "chains bound to every message, to arguments or to nothing do not run it";
                let warning = Finding::warning(prefix.span, message, label);
                findings.push(warning.code(Code::StepsUnused));
            }
        }
    }

    /// Reads the prefix of a file, by its index. Those of included files come first, so call this for them first.
    pub(super) fn declare_prefix(
        &mut self,
        value: &'t Value<'t>,
        file: usize,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) {
        let expected = "a list of steps";
        let items = findings.filled_list(value, "`prefix`", expected);
        let mut read = self.items(items, &mut Vec::new(), filters, findings);
        for listed in &mut read.steps {
            listed.spec.via = Some(Via::Prefix);
        }
        self.prefixes.push(Prefix {
            steps: read.steps,
            span: value.span().into(),
            file,
            used: false,
        });
    }

    /// Whether a file has a prefix.
    pub(super) fn has_prefix(&self) -> bool {
        !self.prefixes.is_empty()
    }

    /// The place of a prefix that redacts, of another file than this one.
    pub(super) fn redacting_prefix_of_another(&self, file: usize) -> Option<(usize, Span)> {
        let mut prefixes = self.prefixes.iter();
        let found = prefixes.find(|prefix| prefix.file != file && prefix.redacts());
        found.map(|prefix| (prefix.file, prefix.span))
    }

    /// The steps that a chain runs before its own. Its `shadow` is about its own steps, not about these. `only_others`:
    /// those of a prefix that redacts, in another file than the chain's.
    pub(super) fn prefix(
        &mut self,
        only_others: Option<usize>,
        span: Span,
        findings: &mut Findings<'_>,
    ) -> Vec<StepSpec> {
        let mut steps = Vec::new();
        for index in 0..self.prefixes.len() {
            let prefix = &mut self.prefixes[index];
            if only_others.is_some_and(|file| prefix.file == file || !prefix.redacts()) {
                continue;
            }
            prefix.used = true;
            let listed = prefix.steps.clone();
            if self.charge(&listed, span, findings) {
                steps.extend(listed.into_iter().map(|step| step.in_chain(false)));
            }
        }
        steps
    }

    /// The steps that a chain names. `shadow`: the chain's.
    pub(super) fn of_chain(
        &mut self,
        items: &'t [Value<'t>],
        shadow: bool,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) -> Vec<StepSpec> {
        let read = self.items(items, &mut Vec::new(), filters, findings);
        let steps = read.steps.into_iter();
        steps.map(|step| step.in_chain(shadow)).collect()
    }

    /// Reads steps; names of lists become their steps. `trail`: the lists that are being read.
    fn items(
        &mut self,
        items: &'t [Value<'t>],
        trail: &mut Vec<&'t str>,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) -> Read {
        let mut read = Read::default();
        for item in items {
            let span: Span = item.span().into();
            match item.get_ref() {
                DeValue::String(name) if self.lists.contains_key(name.as_ref()) => {
                    let list = self.list(name, span, trail, filters, findings);
                    if self.charge(&list.steps, span, findings) {
                        read.depth = read.depth.max(list.depth);
                        read.steps.extend(list.steps);
                    }
                }
                _ => {
                    let bytes = span.end.saturating_sub(span.start);
                    let step = self.step(item, filters, findings);
                    let listed = |(spec, shadow)| Listed {
                        spec,
                        shadow,
                        bytes,
                    };
                    read.steps.extend(step.map(listed));
                }
            }
        }
        read
    }

    /// The steps of a list, which something names at `span`.
    fn list(
        &mut self,
        name: &str,
        span: Span,
        trail: &mut Vec<&'t str>,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) -> Read {
        let Some((name, _)) = self.lists.get_key_value(name) else {
            return Read::default();
        };
        let name: &'t str = name;
        let Some(list) = self.lists.get_mut(name) else {
            return Read::default();
        };
        match &list.state {
            State::Read(read) => {
                list.used = true;
                let depth = trail.len() + read.depth;
                let read = read.clone();
                if depth <= DEEPEST {
                    return read;
                }
                too_deep(span, findings);
                return Read::default();
            }
            State::Reading => {
                let first = trail.iter().position(|list| *list == name).unwrap_or(0);
                let circle: Vec<&str> = trail[first..].iter().copied().chain([name]).collect();
                let message = format!("the list {} contains itself", names::quote(name));
                let label = format!("found: {}", circle.join(" → "));
                let finding = Finding::error(span, message, label);
                let finding = finding.also(list.name_span, "this list");
                let help = "write the steps that you mean in the place of this name";
                findings.push(finding.help(help).code(Code::Circle));
                return Read::default();
            }
            State::Unread if trail.len() >= DEEPEST => {
                too_deep(span, findings);
                return Read::default();
            }
            State::Unread => {}
        }
        list.state = State::Reading;
        let (value, name_span) = (list.value, list.name_span);
        let what = format!("the list `{}`", names::clip(name));
        let items = findings.filled_list(value, &what, "a list of steps");
        trail.push(name);
        let mut read = self.items(items, trail, filters, findings);
        trail.pop();
        read.depth += 1;
        for listed in &mut read.steps {
            // The outermost name is the one in the chain.
            listed.spec.via = Some(Via::List(name.into()));
        }
        if let Some(list) = self.lists.get_mut(name) {
            list.state = State::Read(read.clone());
            // A list that is read only for its mistakes is named at its own header.
            list.used |= span != name_span;
        }
        read
    }

    /// Whether these steps may be put into one more place.
    fn charge(&mut self, steps: &[Listed], span: Span, findings: &mut Findings<'_>) -> bool {
        let bytes = steps
            .iter()
            .map(|step| step.bytes + STEP_BYTES)
            .sum::<usize>();
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MOST_TEXT_BYTES {
            return true;
        }
        if !self.is_full {
            self.is_full = true;
            let message = "named lists and the prefix put too many steps into chains";
            let label = format!("allowed: {} MiB of steps together", MOST_TEXT_BYTES >> 20);
            let finding = Finding::error(span, message, label);
            findings.push(finding.code(Code::OutOfRange));
        }
        false
    }

    /// A step, and its own `shadow`.
    fn step(
        &self,
        value: &Value<'_>,
        filters: &mut Filters<'_>,
        findings: &mut Findings<'_>,
    ) -> Option<(StepSpec, Option<bool>)> {
        if let DeValue::Table(table) = value.get_ref()
            && let Some(named) = table.get("filter")
            && let DeValue::String(name) = named.get_ref()
            && self.lists.contains_key(name.as_ref())
        {
            let quoted = names::quote(name);
            let message = format!("{quoted} is a list of steps, which takes no settings");
            let label = "allowed: a filter's name";
            let help = format!("write its name alone: steps = [\"{}\"]", names::clip(name));
            let finding = Finding::error(Span::from(named.span()), message, label).help(help);
            findings.push(finding.code(Code::UnknownFilter));
            return None;
        }
        step::read(value, filters, findings)
    }
}

impl Prefix {
    fn redacts(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| step.spec.on_error == OnError::Block && step.shadow != Some(true))
    }
}

impl Listed {
    fn in_chain(self, shadow: bool) -> StepSpec {
        StepSpec {
            shadow: self.shadow.unwrap_or(shadow),
            ..self.spec
        }
    }
}

fn too_deep(span: Span, findings: &mut Findings<'_>) {
    let label = format!("allowed: {DEEPEST} levels");
    let finding = Finding::error(span, "lists are nested too deep", label);
    findings.push(finding.code(Code::OutOfRange));
}

#[cfg(test)]
mod tests;
