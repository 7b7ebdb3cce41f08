//! What a chain is bound to taken apart into documents, and put together again.
//!
//! Each document goes down the chain by itself. What comes back is put into the frame by edits, so
//! that all the rest of it (images, links, unknown blocks, key order, number spelling) stays byte for
//! byte. `result` does that for tools' results, `strings` for everything that is simpler.

mod keeper;
mod pass;
mod readable;
mod result;
mod strings;

use crate::chain::{Chain, Receipt};
use crate::document::Document;
use crate::json_schema::Guarded;
use crate::policy::Structured;
use crate::sandbox::{Kept, NotKept, Part, SessionView, Storing, Surface};
use std::sync::Arc;

use super::shown::View;
use crate::json::tree::FRAME_DEPTH;
use keeper::Keeper;
use pass::Pass;
pub use readable::readable;

/// What is bound to a chain.
#[derive(Clone)]
pub struct CallContext<'a> {
    pub server: &'a str,
    pub surface: Surface,
    /// Of the tool or prompt, or the URI of the resource; empty for instructions.
    pub name: &'a str,
    /// A JSON object.
    pub arguments: &'a str,
    /// What filters keep from one result to the next; none where each is on its own.
    pub session: Option<&'a SessionView>,
    /// What becomes of `structuredContent`.
    pub structured: Structured,
    /// What a new `structuredContent` has to fit.
    pub schema: OutputSchema<'a>,
    /// Whether blocks that are for the user alone are left out.
    pub enforces_audience: bool,
    /// What the client shows its model of a result.
    pub view: View,
    /// Where results are kept.
    pub keep: Keep,
}

/// A tool's `outputSchema`, as far as it is known.
#[derive(Clone, Copy)]
pub enum OutputSchema<'a> {
    /// The tool was not listed yet, or its schema cannot be used.
    Unknown,
    /// It has none.
    None,
    Known(&'a Guarded),
}

/// Keeps a result, under a file name with this prefix, and says what it is called then.
pub type Keep = Arc<dyn Fn(&[u8], &str, Storing) -> Result<Kept, NotKept> + Send + Sync>;

/// What became of a result.
#[derive(Debug)]
pub struct Filtered {
    /// The new result; none if it stays as it was.
    pub result: Option<String>,
    /// What each document of it went through.
    pub documents: Vec<FilteredDocument>,
    /// Reference of the original, if something was cut from it.
    pub kept: Option<String>,
    /// The line that Tamis added: how to read the result, and what was cut from it.
    pub note: Option<String>,
    /// The client got word that there is a result, and not the result.
    pub withheld: bool,
}

/// What one document of a result went through.
#[derive(Debug)]
pub struct FilteredDocument {
    pub part: Part,
    /// Place in `content`, from 0.
    pub index: u32,
    pub receipts: Vec<Receipt>,
}

/// What the client gets in place of a result that a filter had to see and could not. For the
/// model: short, stable, no cause; the operator finds that in the log.
const WITHHELD: &str = "[tamis] This result is withheld: a filter that it must pass through failed. The operator's log says why.";

/// Passes every document of a result down a chain.
///
/// `result` is raw JSON that nobody has checked. What is not a result passes as it is. A chain with a
/// step that blocks withholds it then, and also where there is text in it that no filter is given.
///
/// Where programs compute on results, nothing is cut. And where the client shows its model less of the result than
/// the chain does, it passes as it was.
pub fn filter_result(chain: &Chain, call: &CallContext<'_>, result: &[u8]) -> Filtered {
    let frame = std::str::from_utf8(result)
        .ok()
        .and_then(|text| Document::json_with_depth(text, FRAME_DEPTH).ok());
    let Some(frame) = frame else {
        let keeper = Keeper::none();
        let mut pass = Pass::new(chain, call, &keeper);
        pass.run_unreadable("the result is not JSON");
        let result = pass.withheld.then(result::withheld);
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
            // What can be saved without cutting is saved all the same.
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

/// Whether a result has to stay the value that it is. Where a chain hides things, it hides them from programs too.
fn computes(chain: &Chain, call: &CallContext<'_>) -> bool {
    call.surface == Surface::Result && call.view.computes() && !chain.hides()
}

/// Passes one text down a chain, for example a tool's description. None: it stays as it is.
pub fn filter_text(chain: &Chain, call: &CallContext<'_>, text: &str) -> Option<String> {
    filter_lone_text(chain, call, text).result
}

/// As [`filter_text`], with what each step did.
pub fn filter_lone_text(chain: &Chain, call: &CallContext<'_>, text: &str) -> Filtered {
    let frame = Document::text_only(text);
    let keeper = Keeper::new(chain, call, &frame);
    let mut pass = Pass::new(chain, call, &keeper);
    let result = strings::filter_one(text, &mut pass).unwrap_or_default();
    pass.commit();
    pass.into_filtered(result, keeper.kept())
}

/// With the line that says what was cut, nothing is saved.
struct NoteTooLong;
