//! Takes the content that a chain is bound to apart into documents, and puts it together again.
//!
//! The chain runs on each document separately. The results are put into the frame by edits. So the rest of the
//! frame (images, links, unknown blocks, key order, number spelling) stays byte for byte. `result` does that
//! for tools' results, `strings` for all simpler frames.

mod keeper;
mod pass;
mod readable;
mod result;
mod strings;

use crate::chain::{Chain, Chains, Receipt, Redaction, Run};
use crate::document::Document;
use crate::json_schema::Guarded;
use crate::policy::Structured;
use crate::sandbox::{CallInfo, NotKept, Part, SessionView, StoredOriginal, Storing, Surface};
use std::sync::Arc;

use super::shown::ClientDisplay;
use super::withheld::Withheld;
use crate::json::tree::FRAME_DEPTH;
use keeper::Keeper;
use pass::Pass;
pub use readable::readable;

/// A call whose content a chain is bound to.
#[derive(Clone)]
pub struct CallContext<'a> {
    pub server: &'a str,
    pub surface: Surface,
    /// Name of the tool or prompt, or the URI of the resource; empty for instructions.
    pub name: &'a str,
    /// A JSON object.
    pub arguments: &'a str,
    /// The values that filters store from one result to the next; none if results are independent.
    pub session: Option<&'a SessionView>,
    /// How to treat `structuredContent`.
    pub structured: Structured,
    /// The schema that a new `structuredContent` must fit.
    pub schema: OutputSchema<'a>,
    /// Whether to leave out blocks that are for the user alone.
    pub enforces_audience: bool,
    /// The parts of a result that the client shows its model.
    pub view: ClientDisplay,
    /// Stores results.
    pub keep: Keep,
}

/// A tool's `outputSchema`, as far as it is known.
#[derive(Clone, Copy)]
pub enum OutputSchema<'a> {
    /// The tool was not listed yet, or its schema cannot be used.
    Unknown,
    /// The tool has no schema.
    None,
    Known(&'a Guarded),
}

/// Stores a result, under a file name with this prefix, and returns its names.
pub type Keep = Arc<dyn Fn(&[u8], &str, Storing) -> Result<StoredOriginal, NotKept> + Send + Sync>;

/// A result after its chain.
#[derive(Debug)]
pub struct Filtered {
    /// The new result; none if the result stays unchanged.
    pub result: Option<String>,
    /// The outcome for each document of the result.
    pub documents: Vec<FilteredDocument>,
    /// Reference of the original, if something was cut from it.
    pub kept: Option<String>,
    /// The line that Tamis added: how to read the result, and the cut.
    pub note: Option<String>,
    /// The client got a notice in place of the result.
    pub withheld: bool,
}

/// The outcome for one document of a result.
#[derive(Debug)]
pub struct FilteredDocument {
    pub part: Part,
    /// Position in `content`, from 0.
    pub index: u32,
    pub receipts: Vec<Receipt>,
}

impl Filtered {
    /// The outcome for a message that a chain got whole.
    pub fn of_message(receipts: Vec<Receipt>, withheld: bool) -> Filtered {
        let after = receipts.iter().rev().find(|receipt| !receipt.shadow);
        Filtered {
            result: after.map(|receipt| receipt.after.text().to_string()),
            documents: vec![FilteredDocument {
                part: Part::Whole,
                index: 0,
                receipts,
            }],
            kept: None,
            note: None,
            withheld,
        }
    }
}

/// Runs the chain on every document of a result.
///
/// `result` is raw JSON that was not checked. Anything other than a result passes unchanged. But a chain with a
/// step that blocks withholds it, and also withholds a result that contains text that no filter gets.
///
/// If programs compute on results, nothing is cut. If the client itself cuts the unfiltered result to less than
/// it would show of the filtered one, the result passes unchanged.
pub fn filter_result(chain: &Chain, call: &CallContext<'_>, result: &[u8]) -> Filtered {
    let frame = std::str::from_utf8(result)
        .ok()
        .and_then(|text| Document::json_with_depth(text, FRAME_DEPTH).ok());
    let Some(frame) = frame else {
        let keeper = Keeper::none();
        let mut pass = Pass::new(chain, call, &keeper);
        pass.run_unreadable("the result is not JSON");
        let result = pass.withheld.map(Withheld::result);
        return pass.into_filtered(result, None);
    };
    let uncut = Keeper::not_worth_it();
    let keeper = match computes(chain, call) {
        true => Keeper::not_worth_it(),
        false => Keeper::new(chain, call, &frame),
    };
    let mut pass = Pass::new(chain, call, &keeper);
    let put_together = |pass: &mut Pass<'_>| match call.surface {
        Surface::Result => result::filter(&frame, pass),
        _ => strings::filter(&frame, pass),
    };
    let result = match put_together(&mut pass) {
        Ok(result) => result,
        Err(NoteTooLong) => {
            // Savings without a cut are used all the same.
            pass = Pass::new(chain, call, &uncut);
            put_together(&mut pass).unwrap_or_default()
        }
    };
    if let Some(new) = &result
        && pass.is_shown_less(frame.text(), new)
    {
        tracing::debug!(
            tool = call.name,
            "the result passes unchanged: the client shows its model less of it than the chain would"
        );
        return pass.into_filtered(None, None);
    }
    pass.commit();
    pass.into_filtered(result, keeper.kept())
}

/// Whether a result must stay the same value. If a chain hides content, it hides it from programs too.
fn computes(chain: &Chain, call: &CallContext<'_>) -> bool {
    call.surface == Surface::Result && call.view.computes() && !chain.hides()
}

/// Runs the chains that get whole messages on a message (raw JSON that was not checked).
pub fn redact(chains: &Chains, call: &CallInfo<'_>, message: &[u8]) -> Redaction {
    let text = std::str::from_utf8(message).ok();
    match text.and_then(|text| Document::json(text).ok()) {
        Some(document) => chains.redact(&document, call),
        None => chains.redact_unreadable(
            "it is not JSON, or nests deeper than a filter is given",
            call,
        ),
    }
}

/// Runs a chain on one text, for example a tool's description. None: the text stays unchanged.
pub fn filter_text(chain: &Chain, call: &CallContext<'_>, text: &str) -> Option<String> {
    filter_lone_text(chain, call, text).result
}

/// Does the same as [`filter_text`], with the outcome of each step.
pub fn filter_lone_text(chain: &Chain, call: &CallContext<'_>, text: &str) -> Filtered {
    let frame = Document::text_only(text);
    let keeper = Keeper::new(chain, call, &frame);
    let mut pass = Pass::new(chain, call, &keeper);
    let result = strings::filter_one(text, &mut pass).unwrap_or_default();
    pass.commit();
    pass.into_filtered(result, keeper.kept())
}

/// Runs a chain on one document that is part of nothing. Filters may name its original, and no line about a cut is
/// added to it.
pub fn run_document(chain: &Chain, call: &CallContext<'_>, info: &CallInfo<'_>, text: &str) -> Run {
    let keeper = match call.surface {
        Surface::Result => Keeper::new(chain, call, &Document::text_only(text)),
        _ => Keeper::none(),
    };
    chain.run(&Document::detect(text), info, keeper.originals())
}

/// The line about the cut is so long that nothing is saved.
struct NoteTooLong;
