//! One pass of a frame's documents through a chain: the outcome for each document, and for all together.

use super::super::withheld::Withheld;
use super::{CallContext, Filtered, FilteredDocument, Keeper, NoteTooLong};
use crate::chain::{Chain, Emission, Run};
use crate::document::Document;
use crate::policy::{Audience, Guard};
use crate::sandbox::{CallInfo, Originals, Part, SessionView, StoredOriginal, Surface};
use crate::tokens;

pub(super) struct Pass<'a> {
    pub(super) chain: &'a Chain,
    pub(super) call: &'a CallContext<'a>,
    pub(super) is_error: bool,
    /// Why some content must not be seen, if so.
    pub(super) withheld: Option<Withheld>,
    /// Content other than documents was left out, such as a block.
    pub(super) left_out: bool,
    pub(super) documents: Vec<FilteredDocument>,
    pub(super) result_meta: Vec<(String, String)>,
    /// The line that Tamis put into the frame, about a cut and how to read the rest.
    pub(super) note: Option<String>,
    /// The session's values, with what the steps have set.
    session: SessionView,
    originals: Originals,
    keeper: &'a Keeper,
}

impl<'a> Pass<'a> {
    pub(super) fn new(chain: &'a Chain, call: &'a CallContext<'a>, keeper: &'a Keeper) -> Pass<'a> {
        Pass {
            chain,
            call,
            is_error: false,
            withheld: None,
            left_out: false,
            documents: Vec::new(),
            result_meta: Vec::new(),
            note: None,
            session: call.session.cloned().unwrap_or_default(),
            originals: keeper.originals().clone(),
            keeper,
        }
    }

    /// Runs the chain on one document; none if no filter can be given it. Returns the new document, if it
    /// changed.
    pub(super) fn run(
        &mut self,
        part: Part,
        index: u32,
        document: Option<Document>,
    ) -> Option<Document> {
        self.run_with(part, index, document, &self.originals.clone())
    }

    /// Does the same as [`Pass::run`], without a cut.
    pub(super) fn run_uncut(
        &mut self,
        part: Part,
        index: u32,
        document: Option<Document>,
    ) -> Option<Document> {
        self.run_with(part, index, document, &Originals::not_worth_it())
    }

    fn run_with(
        &mut self,
        part: Part,
        index: u32,
        document: Option<Document>,
        originals: &Originals,
    ) -> Option<Document> {
        let Some(document) = document else {
            self.run_unreadable("it is not Unicode, or nests deeper than a filter is given");
            return None;
        };
        let info = CallInfo {
            server: self.call.server,
            tool: self.call.name,
            surface: self.call.surface,
            part,
            index,
            is_error: self.is_error,
            sent: None,
            arguments: self.call.arguments,
            session: Some(&self.session),
        };
        let run = self.chain.run(&document, &info, originals);
        self.note(part, index, run)
    }

    /// Notes a document that no filter can be given.
    pub(super) fn run_unreadable(&mut self, why: &str) {
        let run = self.chain.run_unreadable(why, &self.session);
        let before = self.withheld;
        self.note(Part::Whole, 0, run);
        if self.withheld.is_some() {
            self.withheld = before.or(Some(Withheld::Unchecked));
        }
    }

    fn note(&mut self, part: Part, index: u32, run: Run) -> Option<Document> {
        self.session = run.session;
        self.documents.push(FilteredDocument {
            part,
            index,
            receipts: run.receipts,
        });
        for (key, value) in run.result_meta {
            self.result_meta.retain(|(known, _)| *known != key);
            self.result_meta.push((key, value));
        }
        match run.emission {
            Emission::Unchanged => None,
            Emission::Changed(document) => Some(document),
            Emission::Withheld => {
                self.withheld.get_or_insert(Withheld::Failed);
                None
            }
        }
    }

    /// Makes sure that the frame is stored, so that a part of it can be left out.
    pub(super) fn leave_out(&mut self) -> bool {
        let may = self.originals.keep("").is_ok();
        self.left_out |= may;
        may
    }

    /// The legends for the steps' output that the session's model has not received. None for a result without a
    /// session: its reader is unknown.
    fn legends(&self) -> Vec<&str> {
        let mut legends = Vec::new();
        if self.call.session.is_none() {
            return legends;
        }
        let receipts = self
            .documents
            .iter()
            .flat_map(|document| &document.receipts);
        for legend in receipts.filter_map(|receipt| receipt.legend.as_deref()) {
            if !legends.contains(&legend) && !self.session.was_told(legend) {
                legends.push(legend);
            }
        }
        legends
    }

    /// The line that must accompany `said`: how to read the text, and the cut.
    pub(super) fn line_for(
        &self,
        text: &str,
        shown_bytes: usize,
        total_bytes: usize,
    ) -> Option<String> {
        let legends = self.legends();
        let note = self.note_for(text, shown_bytes, total_bytes);
        let legend = (!legends.is_empty()).then(|| format!("[tamis] {}", legends.join(" ")));
        let lines: Vec<String> = legend.into_iter().chain(note).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Notes that the result goes out with its legends.
    fn tell_legends(&mut self) {
        let told: Vec<String> = self.legends().into_iter().map(str::to_owned).collect();
        for legend in told {
            self.session.tell(&legend);
        }
    }

    /// Whether a step cut anything.
    pub(super) fn has_cut(&self) -> bool {
        self.left_out || self.documents.iter().any(FilteredDocument::has_cut)
    }

    /// The note about a cut in `said`: none if `said` already contains it. `shown_bytes` are left of
    /// `total_bytes`.
    pub(super) fn note_for(
        &self,
        text: &str,
        shown_bytes: usize,
        total_bytes: usize,
    ) -> Option<String> {
        // In a transcript a member of the result tells the cut, and the stub stays unchanged.
        let kept = self
            .keeper
            .kept()
            .filter(|_| self.call.surface != Surface::History)?;
        let unsaid = self.has_cut() && !text.contains(&kept.reference);
        unsaid.then(|| note(shown_bytes, total_bytes, kept))
    }

    /// Whether an emission without a note is worth sending in place of `before`: escapes can make a shorter text
    /// a longer string.
    pub(super) fn saves(&self, emitted: &str, before: &str) -> bool {
        let may_grow = self.chain.may_grow() || self.chain.hides();
        may_grow || emitted.len() < before.len()
    }

    /// Whether the client would show its model less of the unfiltered result (raw JSON) than of the new one.
    /// Content that the operator wants hidden, left out or added does not depend on this.
    pub(super) fn is_shown_less(&self, before: &str, after: &str) -> bool {
        let enforced = self.left_out && self.chain.audience == Some(Audience::Enforce);
        self.call.surface == Surface::Result
            && self.withheld.is_none()
            && !self.chain.hides()
            && !self.chain.may_grow()
            && !enforced
            && self.call.view.shows_less(before, after)
    }

    /// Whether an emission, with its note, is worth sending in place of `before`. If so, it is sent.
    pub(super) fn check_saving(
        &mut self,
        emitted: &str,
        note: &str,
        before: &str,
    ) -> Result<(), NoteTooLong> {
        let saves = match self.chain.guard {
            Guard::Bytes => emitted.len() < before.len(),
            Guard::Tokens => {
                let (shown, total) = self.tokens();
                shown + tokens::count(note) < total
            }
        };
        // Content that the operator wants left out is left out, even if that saves nothing.
        let enforced = self.left_out && self.chain.audience == Some(Audience::Enforce);
        if saves || enforced || self.chain.may_grow() || self.chain.hides() {
            self.note = Some(note.to_owned());
            self.tell_legends();
            Ok(())
        } else {
            Err(NoteTooLong)
        }
    }

    /// All documents after their steps.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().filter_map(|document| {
            let receipts = &document.receipts;
            let last = receipts.iter().rev().find(|receipt| !receipt.shadow);
            let after = last.map(|receipt| &receipt.after);
            let document = after.or_else(|| Some(&receipts.first()?.before))?;
            Some(document.text().as_ref())
        })
    }

    /// Tokens of all documents after their steps, and before.
    pub(super) fn tokens(&self) -> (u32, u32) {
        let mut sums = (0, 0);
        for receipts in self.documents.iter().map(|document| &document.receipts) {
            let last = receipts.iter().rev().find(|receipt| !receipt.shadow);
            if let (Some(first), Some(last)) = (receipts.first(), last) {
                sums.0 += tokens::count(last.after.text());
                sums.1 += tokens::count(first.before.text());
            }
        }
        sums
    }

    /// Makes the values that the steps set in the session take effect, unless the client sees nothing of the
    /// result.
    pub(super) fn commit(&mut self) {
        let session = std::mem::take(&mut self.session);
        if self.withheld.is_none() {
            session.commit();
        }
    }

    pub(super) fn into_filtered(
        self,
        result: Option<String>,
        kept: Option<&StoredOriginal>,
    ) -> Filtered {
        let kept = kept
            .filter(|_| result.is_some() && self.has_cut())
            .map(|kept| kept.reference.clone());
        Filtered {
            result,
            documents: self.documents,
            kept,
            note: self.note,
            withheld: self.withheld.is_some(),
        }
    }
}

impl FilteredDocument {
    /// Whether a step cut something from the document.
    pub fn has_cut(&self) -> bool {
        self.receipts.iter().any(|receipt| receipt.cut)
    }
}

/// The text for the model about a cut, and how to undo it. The same for the same result, since prompt caches
/// depend on that.
fn note(shown_bytes: usize, total_bytes: usize, kept: &StoredOriginal) -> String {
    let call = &kept.call;
    format!("[tamis] {shown_bytes} of {total_bytes} bytes shown; all of it: {call}")
}
