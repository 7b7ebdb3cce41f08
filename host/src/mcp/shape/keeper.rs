//! The original of a frame: stored at most once, when something is first cut from the frame.

use super::{CallContext, Keep};
use crate::chain::Chain;
use crate::document::Document;
use crate::excerpt::Original;
use crate::sandbox::{NotKept, Originals, StoredOriginal, Storing};
use std::sync::{Arc, OnceLock};

/// Stores one frame.
pub(super) struct Keeper {
    kept: Arc<OnceLock<Result<StoredOriginal, NotKept>>>,
    originals: Originals,
}

impl Keeper {
    /// A chain that redacts stores nothing.
    pub(super) fn new(chain: &Chain, call: &CallContext<'_>, frame: &Document) -> Keeper {
        if chain.hides() {
            return Keeper::none();
        }
        let kept: Arc<OnceLock<Result<StoredOriginal, NotKept>>> = Arc::default();
        let (keep, frame, once): (Keep, _, _) =
            (Arc::clone(&call.keep), frame.clone(), Arc::clone(&kept));
        let originals = Originals::new(move |prefix, storing| {
            let keep = |prefix| {
                let kept = keep(frame.text().as_bytes(), prefix, storing)?;
                let original = match frame.tape() {
                    Some(_) => Original::of_document(&frame),
                    // A text by itself, as `tamis read` finds it.
                    None => Original::new(frame.text().as_bytes()),
                };
                let is_all = frame.tape().is_none() && !original.is_text();
                let only_part = original.only_part().filter(|_| !is_all);
                Ok(StoredOriginal {
                    only_part,
                    is_all,
                    ..kept
                })
            };
            if storing == Storing::Not {
                return keep(prefix).map(Some);
            }
            let plain = once.get_or_init(|| keep("")).clone();
            let named = match plain {
                Ok(plain) if prefix.is_empty() => Ok(plain),
                Ok(_) => keep(prefix),
                Err(error) => Err(error),
            };
            named.map(Some)
        });
        Keeper { kept, originals }
    }

    /// A keeper that stores nothing.
    pub(super) fn none() -> Keeper {
        Keeper {
            kept: Arc::default(),
            originals: Originals::none(),
        }
    }

    /// A keeper that stores nothing, so nothing may be cut.
    pub(super) fn not_worth_it() -> Keeper {
        Keeper {
            kept: Arc::default(),
            originals: Originals::not_worth_it(),
        }
    }

    pub(super) fn originals(&self) -> &Originals {
        &self.originals
    }

    /// The names of the stored frame, if it was stored.
    pub(super) fn kept(&self) -> Option<&StoredOriginal> {
        self.kept.get()?.as_ref().ok()
    }
}
