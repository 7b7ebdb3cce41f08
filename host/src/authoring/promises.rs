//! The promises of a filter, compared with its behaviour on hostile documents.

use super::hostile::Hostile;
use crate::document::{Document, Kind, TapeWanted, same_value};
use crate::mcp::read_tool;
use crate::policy::{Limits, ReadTool};
use crate::sandbox::{Applied, CallError, CallInfo, Fidelity, Filter, Growth, Originals, Verdict};
use crate::store::Reference;
use std::path::Path;
use std::time::{Duration, Instant};

/// The outcome for one document.
#[derive(Debug)]
pub struct Tried {
    pub name: String,
    /// The document.
    pub before: Document,
    /// The output; none if the document stayed, or the filter refused it.
    pub after: Option<Document>,
    /// The filter's own words if it refused the document.
    pub refused: Option<String>,
    /// The broken promises; empty if all hold.
    pub broken: Vec<Broken>,
    /// How long the first call took.
    pub time: Duration,
}

impl Tried {
    /// Whether it took longer than a step may by default.
    pub fn is_slow(&self) -> bool {
        self.time > Limits::default().time
    }

    /// Whether something does not hold that the host does not make up for.
    pub fn failed(&self) -> bool {
        self.broken.iter().any(|broken| !broken.is_mended())
    }

    /// Whether the filter keeps state in memory, which no later call finds.
    pub fn keeps_state(&self) -> bool {
        let keeps = |broken: &Broken| matches!(broken, Broken::KeepsState);
        self.broken.iter().any(keeps)
    }

    /// How the call itself failed.
    pub fn call_error(&self) -> Option<&CallError> {
        self.broken.iter().find_map(|broken| match broken {
            Broken::Call(error) => Some(error),
            _ => None,
        })
    }

    /// Whether the filter was stopped since it ran too long.
    pub fn timed_out(&self) -> bool {
        let timeout = |broken: &Broken| matches!(broken, Broken::Call(CallError::Timeout { .. }));
        self.broken.iter().any(timeout)
    }
}

/// The limits of a trial: those of a step, with more time, since machines that try filters are busy.
pub fn limits() -> Limits {
    Limits {
        time: TIME,
        ..Limits::default()
    }
}

const TIME: Duration = Duration::from_secs(5);

/// The message about a filter that keeps state.
pub const KEEPS_STATE: &str = "it keeps state in memory: a document has another output in an instance that was called before. Each call has a fresh instance, so the filter finds nothing of earlier calls. If it needs a value of an earlier call, keep that with the capability `session` (import `session`, and grant it with `allow = [\"session\"]`). If not, let each call begin with new variables";

/// A promise that does not hold.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("{0}")]
    Call(CallError),
    #[error(
        "the same call gives another answer the second time: a filter must depend only on its input"
    )]
    NotTheSame,
    #[error("{KEEPS_STATE}")]
    KeepsState,
    #[error("it declares `idempotent`, and changes its own output again")]
    NotIdempotent,
    #[error(
        "it changes a document that contains none of its triggers: the host would not have called it"
    )]
    NotTriggered,
    #[error(
        "it changes a document of {bytes} bytes, and says that it changes none of fewer than {least}: the host would not have called it"
    )]
    TooSmall { bytes: usize, least: usize },
    #[error("its fidelity is `exact`, and the JSON of its output has another value")]
    NotExact,
    #[error(
        "it declares that it does not grow documents, and makes {after} bytes of {before}: the host discards such a change"
    )]
    Grown { before: usize, after: usize },
}

impl Broken {
    /// Whether the host makes up for it: it discards a change, or makes a fresh instance.
    pub fn is_mended(&self) -> bool {
        matches!(self, Broken::Grown { .. } | Broken::KeepsState)
    }
}

/// Tries a filter on documents, in order.
pub fn try_all<'a>(
    filter: &'a Filter,
    documents: &'a [Hostile],
) -> impl Iterator<Item = Tried> + 'a {
    let call = CallInfo::of_result("server", "tool");
    let mut earlier = None;
    documents.iter().map(move |hostile| {
        let earlier = earlier.replace(&hostile.document);
        try_one(filter, &hostile.name, &hostile.document, earlier, &call)
    })
}

/// Tries a filter on one document of a call. `earlier`: another document, which the filter might remember.
pub fn try_one(
    filter: &Filter,
    name: &str,
    before: &Document,
    earlier: Option<&Document>,
    call: &CallInfo<'_>,
) -> Tried {
    let mut tried = Tried {
        name: name.to_owned(),
        before: before.clone(),
        after: None,
        refused: None,
        broken: Vec::new(),
        time: Duration::ZERO,
    };
    let begun = Instant::now();
    let first = apply(filter, before, call);
    tried.time = begun.elapsed();
    let first = match first {
        Ok(applied) => applied,
        Err(CallError::Filter(words)) => {
            tried.refused = Some(words);
            return tried;
        }
        Err(error) => {
            tried.broken.push(Broken::Call(error));
            return tried;
        }
    };
    match apply(filter, before, call) {
        Ok(again) if is_same(&again, &first) => {
            if keeps_state(filter, before, earlier, call, &first) {
                tried.broken.push(Broken::KeepsState);
            }
        }
        _ => tried.broken.push(Broken::NotTheSame),
    }
    let after = changed(first);
    let Some(after) = after else { return tried };
    let description = filter.description();
    let (bytes, least) = (before.text().len(), filter.least_bytes());
    if bytes < least {
        tried.broken.push(Broken::TooSmall { bytes, least });
    }
    if !filter.is_triggered(before) {
        tried.broken.push(Broken::NotTriggered);
    }
    if description.idempotent {
        match apply(filter, &after, call).map(changed) {
            Ok(None) => {}
            Ok(Some(again)) if again.text() == after.text() => {}
            Ok(Some(_)) | Err(CallError::Filter(_)) => tried.broken.push(Broken::NotIdempotent),
            Err(error) => tried.broken.push(Broken::Call(error)),
        }
    }
    if filter.fidelity() == Fidelity::Exact && !says_the_same(before, &after) {
        tried.broken.push(Broken::NotExact);
    }
    let (was, is) = (before.text().len(), after.text().len());
    if description.growth == Growth::None && is >= was {
        tried.broken.push(Broken::Grown {
            before: was,
            after: is,
        });
    }
    tried.after = Some(after);
    tried
}

/// Whether a document has another output after calls for other documents, or for the same one, in one instance.
/// `fresh`: its output in a fresh instance.
fn keeps_state(
    filter: &Filter,
    document: &Document,
    earlier: Option<&Document>,
    call: &CallInfo<'_>,
    fresh: &Applied,
) -> bool {
    let differs = |earlier: &[&Document]| {
        let documents = [earlier, &[document]].concat();
        let answers = filter.apply_in_one_instance(&documents, call, &originals());
        match answers.get(earlier.len()) {
            Some(Ok(applied)) => !is_same(applied, fresh),
            Some(Err(CallError::Filter(_))) => true,
            // An instance may wear out: no call finds a used one.
            Some(Err(_)) | None => false,
        }
    };
    differs(&[document]) || earlier.is_some_and(|earlier| differs(&[earlier]))
}

/// Calls a filter.
pub(super) fn apply(
    filter: &Filter,
    document: &Document,
    call: &CallInfo<'_>,
) -> Result<Applied, CallError> {
    filter.apply(document, call, &originals(), TapeWanted::Yes)
}

/// Acts as if the original were stored: filters that cut ask for its name.
pub(super) fn originals() -> Originals {
    Originals::new(|prefix, _| {
        let settings = ReadTool::default();
        let file = format!(
            "{prefix}{}original.json",
            if prefix.is_empty() { "" } else { "-" }
        );
        Ok(Some(read_tool::names(
            &settings,
            &Reference::of(b"original"),
            Some(Path::new(&file)),
        )))
    })
}

fn changed(applied: Applied) -> Option<Document> {
    match applied.verdict {
        Verdict::Unchanged => None,
        Verdict::Changed { document, .. } => Some(document),
    }
}

/// Whether two calls have the same answer.
fn is_same(one: &Applied, other: &Applied) -> bool {
    let text = |applied: &Applied| match &applied.verdict {
        Verdict::Unchanged => None,
        Verdict::Changed { document, .. } => Some(document.text().clone()),
    };
    text(one) == text(other) && one.result_meta == other.result_meta && one.session == other.session
}

/// False only if both are JSON, can be compared, and differ: JSON that became text has a decoding
/// that the filter alone knows.
fn says_the_same(before: &Document, after: &Document) -> bool {
    if (before.kind(), after.kind()) != (Kind::Json, Kind::Json) {
        return true;
    }
    let (Some(a), Some(b)) = (before.tape(), after.tape()) else {
        return true;
    };
    let (a, b) = ((before, a.root()), (after, b.root()));
    // A document with a key twice is not the same as itself.
    !same_value(a, a) || same_value(a, b)
}
