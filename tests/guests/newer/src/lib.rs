//! `newer`: wants a capability of a later contract.

use tamis_sdk::{Call, Capability, Description, Document, Filter, Level, Verdict};

struct Newer;

impl Filter for Newer {
    type Settings = ();

    fn describe() -> Description {
        Description::new("newer", "0.1.0", "wants to know the time")
            .wants(&[Capability::Log, Capability::Named("clock")])
    }

    fn configure((): ()) -> Result<Self, String> {
        Ok(Newer)
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        tamis_sdk::log(Level::Info, "what time is it?");
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(Newer);
