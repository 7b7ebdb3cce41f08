//! Which chains several files have, and in which order they count.
//!
//! A file may override its included files, and does not weaken them by accident: chains that redact stay, and
//! stay first.

use std::collections::HashMap;

use super::chains::{Chains, Declared};
use super::code::Code;
use super::names;
use super::raw::Findings;
use super::report::Finding;
use super::surface::Surface;

impl Declared {
    /// Whether no file that includes it may take its place.
    fn is_protected(&self) -> bool {
        self.spec.redacts() && !self.overridable
    }
}

impl Chains {
    /// Whether a file includes another, itself or through others.
    pub(super) fn includes(&self, outer: usize, inner: usize) -> bool {
        let mut above = self.by[inner];
        while let Some(file) = above {
            if file == outer {
                return true;
            }
            above = self.by[file];
        }
        false
    }

    /// Reports duplicate names, including the default names of chains. A chain takes the place of one with its name in
    /// a file that its own file includes.
    pub(super) fn check_names(&mut self, findings: &mut Findings<'_>) {
        let mut taken: HashMap<&str, usize> = HashMap::new();
        let mut replaced = Vec::new();
        for (index, chain) in self.declared.iter().enumerate() {
            let name = chain.spec.name.as_str();
            let Some(first) = taken.get(name).copied() else {
                taken.insert(name, index);
                continue;
            };
            let quoted = names::quote(name);
            let first = &self.declared[first];
            // Files are read before those that they include.
            if !(self.includes(first.file, chain.file) && first.is_named && chain.is_named) {
                let message = format!("two chains have the name {quoted}");
                let finding = Finding::error(chain.name_span, message, "again");
                let help = "a chain without a name is named by its position: `chain 1`, `chain 2`";
                let finding = finding.also(first.name_span, "first here").help(help);
                findings.push(finding.code(Code::DuplicateName));
                continue;
            }
            replaced.push(index);
            if !chain.spec.redacts() {
                continue;
            }
            let place = (chain.name_span, "the chain that redacts");
            let finding = if chain.overridable {
                let message = format!("chain {quoted} replaces one that redacts");
                Finding::note(first.name_span, message, "as the included file allows")
            } else {
                let message = format!("chain {quoted} would replace one that redacts");
                let label = "an included file has a chain of this name";
                let help = "use another name: the included chain comes first; the included file can allow this with `overridable = true`";
                Finding::error(first.name_span, message, label).help(help)
            };
            let finding = finding.also(place.0, place.1);
            findings.push(finding.code(Code::RedactionOverridden));
        }
        for index in replaced {
            self.declared[index].replaced = true;
        }
    }

    /// Puts the chains into the order in which they count. Those of an included file come after the chains of
    /// the including file. Those that redact do not: before them come only the chains before them in their own
    /// file.
    pub(super) fn put_in_order(&mut self) {
        let order = self.order_of(0);
        let mut declared: Vec<Option<Declared>> = std::mem::take(&mut self.declared)
            .into_iter()
            .map(Some)
            .collect();
        let in_order = order.into_iter().filter_map(|index| declared[index].take());
        self.declared = in_order.collect();
    }

    /// The chains of a file and of those that it includes, in order, by their indexes.
    fn order_of(&self, file: usize) -> Vec<usize> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for inner in (0..self.by.len()).filter(|inner| self.by[*inner] == Some(file)) {
            let (first, last) = self.apart(self.order_of(inner));
            before.extend(first);
            after.extend(last);
        }
        let own = self.declared.iter().enumerate();
        let own = own.filter(|(_, chain)| chain.file == file && !chain.replaced);
        before.extend(own.map(|(index, _)| index));
        before.append(&mut after);
        before
    }

    /// Divides the chains of an included file: those that stay before the chains of the including file, and the
    /// others. The order of two chains that may get the same output stays unchanged.
    fn apart(&self, chains: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let mut surfaces: Vec<Surface> = Vec::new();
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for index in chains.into_iter().rev() {
            let chain = &self.declared[index];
            let on = &chain.spec.binding.on;
            if chain.is_protected() || on.iter().any(|surface| surfaces.contains(surface)) {
                surfaces.extend(on);
                first.push(index);
            } else {
                last.push(index);
            }
        }
        first.reverse();
        last.reverse();
        (first, last)
    }
}
