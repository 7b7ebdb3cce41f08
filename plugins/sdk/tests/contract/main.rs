//! Tests of a filter's view of a document and its call, and of the effect of its answers.

mod bench;
mod document;
mod edits;
mod paths;
mod texts;

use std::cell::RefCell;
use tamis_sdk::testing::{Applied, Bench};
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

type Probe = Box<dyn Fn(&Document, &Call) -> Verdict>;

thread_local! {
    static PROBE: RefCell<Option<Probe>> = const { RefCell::new(None) };
}

/// A filter with the behaviour of its test.
struct Probed;

impl Filter for Probed {
    type Settings = serde_json::Map<String, serde_json::Value>;

    fn describe() -> Description {
        Description::new("probed", "1.0.0", "does what its test says")
    }

    fn configure(_settings: Self::Settings) -> Result<Self, String> {
        Ok(Probed)
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        PROBE.with_borrow(|probe| Ok(probe.as_ref().ok_or("no probe")?(document, call)))
    }
}

/// A document after the filter `filter`.
fn filtered(text: &str, filter: impl Fn(&Document, &Call) -> Verdict + 'static) -> Applied {
    filtered_by(&Bench::new("{}"), text, filter)
}

fn filtered_by(
    bench: &Bench<Probed>,
    text: &str,
    filter: impl Fn(&Document, &Call) -> Verdict + 'static,
) -> Applied {
    PROBE.replace(Some(Box::new(filter)));
    bench.apply(text)
}

/// A filter's view of a document, as text, and the bytes that it fetched.
fn seen(text: &str, look: impl Fn(&Document, &Call) -> String + 'static) -> (String, u64) {
    let applied = filtered(text, move |document, call| {
        tamis_sdk::rewritten_text(look(document, call))
    });
    (applied.text().to_owned(), applied.fetched_bytes)
}
