//! Instances that are done with, and nobody has put away yet.
//!
//! To put an instance away, its memory is brought back to what it was, page by page, and the next one has to be
//! made. That takes longer than many a filter, and no answer has to wait for it: whoever has an answer to hand on
//! collects what was spent on it, and drops that afterwards.

use std::cell::RefCell;
use std::sync::Arc;

use super::instance::Instance;
use super::instances::Instances;

thread_local! {
    /// What calls on this thread leave, while somebody collects it.
    static COLLECTING: RefCell<Option<Spent>> = const { RefCell::new(None) };
}

/// Instances that are put away when this is dropped; then one for the next call is made of each.
#[derive(Default)]
#[must_use = "dropping it takes time: not before the answer is on its way"]
pub struct Spent(Vec<(Instance, Arc<Instances>)>);

impl Spent {
    /// Does some work on this thread, and collects what the calls in it leave.
    pub fn collect<T>(work: impl FnOnce() -> T) -> (T, Spent) {
        let outer = Restore(COLLECTING.replace(Some(Spent::default())));
        let made = work();
        let spent = COLLECTING.take().unwrap_or_default();
        drop(outer);
        (made, spent)
    }

    /// Leaves an instance to whoever collects. It is put away now if nobody does, or if the pool has no place to
    /// spare: those who would put it away later may be waiting for one.
    pub(super) fn leave(mut session: Instance, instances: &Arc<Instances>) {
        session.rest();
        let now = COLLECTING.with_borrow_mut(|collecting| match collecting {
            Some(spent) if !session.is_in_the_way() => {
                spent.0.push((session, Arc::clone(instances)));
                None
            }
            _ => Some(session),
        });
        drop(now);
    }

    /// Whether there is nothing to put away.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Drop for Spent {
    fn drop(&mut self) {
        for (session, instances) in self.0.drain(..) {
            drop(session);
            instances.make_ahead();
        }
    }
}

/// What was collected around this goes on being so, even if the work panics.
struct Restore(Option<Spent>);

impl Drop for Restore {
    fn drop(&mut self) {
        COLLECTING.set(self.0.take());
    }
}
