//! Used instances that are not yet returned to the pool.
//!
//! To return an instance, its memory is restored page by page, and the next instance is made. That takes longer
//! than many filters, and no answer must wait for it. The caller collects the instances used for an answer, and
//! drops them after it has sent the answer.

use std::cell::RefCell;
use std::sync::Arc;

use super::instance::Instance;
use super::instances::Instances;

thread_local! {
    /// The instances that calls on this thread leave, while a caller collects them.
    static COLLECTING: RefCell<Option<Spent>> = const { RefCell::new(None) };
}

/// Instances that are returned when this is dropped; then one for the next call is made for each.
#[derive(Default)]
#[must_use = "dropping it takes time: not before the answer is on its way"]
pub struct Spent(Vec<(Instance, Arc<Instances>)>);

impl Spent {
    /// Does some work on this thread, and collects the instances that its calls leave.
    pub fn collect<T>(work: impl FnOnce() -> T) -> (T, Spent) {
        let outer = Restore(COLLECTING.replace(Some(Spent::default())));
        let made = work();
        let spent = COLLECTING.take().unwrap_or_default();
        drop(outer);
        (made, spent)
    }

    /// Leaves an instance to the caller that collects. If no caller collects, or the pool has no place to spare,
    /// the instance is returned now: those who would return it later may be waiting for a place.
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

    /// Whether the collection is empty.
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

/// Restores the outer collection, even if the work panics.
struct Restore(Option<Spent>);

impl Drop for Restore {
    fn drop(&mut self) {
        COLLECTING.set(self.0.take());
    }
}
