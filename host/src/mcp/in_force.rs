//! The policy in force, and the requests that hold an earlier one.
//!
//! Owns: the replacement of one policy by another while frames come and go. A request takes its policy once and
//! holds it until its answer arrives, so a call never mixes two policies. A policy is dropped, with its compiled
//! code, when the last call that began with it has ended.

use super::rewrite::{Asked, Rewrite};
use crate::lock::lock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Instant;

/// The policy in force.
pub(super) struct InForce<R> {
    policy: RwLock<Arc<R>>,
    /// Held while a list of tools is made, and while one policy replaces another. So either the list is the new
    /// policy's, or the new policy knows which list the client has.
    listing: Mutex<()>,
    /// Held by callers that wait for another policy, see [`Rewrite::wait_for_filters`].
    waiting: Mutex<()>,
    replaced: Condvar,
    /// See [`Rewrite::is_strict`].
    strict: AtomicBool,
    /// See [`InForce::has_hidden`].
    hid: AtomicBool,
    /// The last policy that redacted messages, once another has replaced it: for answers to earlier requests.
    redacted: Mutex<Option<Arc<R>>>,
}

/// The data that a policy bound to a request, and the policy.
pub(super) struct Binding<R: Rewrite> {
    policy: Arc<R>,
    bound: R::Bound,
}

impl<R: Rewrite> InForce<R> {
    pub(super) fn new(policy: Arc<R>) -> InForce<R> {
        InForce {
            strict: AtomicBool::new(policy.is_strict()),
            hid: AtomicBool::new(policy.hides()),
            policy: RwLock::new(policy),
            listing: Mutex::default(),
            waiting: Mutex::default(),
            redacted: Mutex::default(),
            replaced: Condvar::new(),
        }
    }

    pub(super) fn get(&self) -> Arc<R> {
        // An `Arc` is never half replaced.
        let policy = self.policy.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&policy)
    }

    /// Whether this policy, or an earlier one, withholds content from the model.
    pub(super) fn is_strict(&self) -> bool {
        self.strict.load(Ordering::Relaxed)
    }

    /// Whether this policy, or an earlier one, hides results. Answers to earlier requests may still arrive.
    pub(super) fn has_hidden(&self) -> bool {
        self.hid.load(Ordering::Relaxed)
    }

    /// The policy that redacts a message before it is used. `hides`: the message answers a request that began with
    /// a policy that hides content.
    pub(super) fn redacting(&self, hides: bool) -> Option<Arc<R>> {
        let policy = self.get();
        match policy.redacts_messages() {
            true => Some(policy),
            false => hides.then(|| lock(&self.redacted).clone())?,
        }
    }

    /// Waits until the policy in force can handle a method.
    pub(super) fn wait_for_filters(&self, method: &str) {
        let begun = Instant::now();
        let lacks = || {
            let patience = self.get().wait_for_filters(method)?;
            patience.checked_sub(begun.elapsed())
        };
        if lacks().is_none() {
            return;
        }
        let mut waiting = lock(&self.waiting);
        // Under the lock that a replacement takes before it wakes anybody.
        while let Some(left) = lacks() {
            let woken = self.replaced.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Puts another policy in force. Returns whether the client would now get another list of tools than the one
    /// it has.
    pub(super) fn replace(&self, policy: Arc<R>) -> bool {
        let _listing = lock(&self.listing);
        if policy.is_strict() {
            self.strict.store(true, Ordering::Relaxed);
        }
        if policy.hides() {
            self.hid.store(true, Ordering::Relaxed);
        }
        let mut place = self.policy.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *place, Arc::clone(&policy));
        drop(place);
        // Not under the lock that every frame takes: this may unmap megabytes of code.
        if before.redacts_messages() {
            *lock(&self.redacted) = Some(before);
        } else {
            drop(before);
        }
        drop(lock(&self.waiting));
        self.replaced.notify_all();
        policy.changes_tools_list()
    }

    /// See [`Rewrite::tools_list`].
    pub(super) fn tools_list(&self, result: &[u8]) -> Option<Vec<u8>> {
        let _listing = lock(&self.listing);
        self.get().tools_list(result)
    }

    /// See [`Rewrite::tools_list_passes`].
    pub(super) fn tools_list_passes(&self, result: &[u8]) {
        let _listing = lock(&self.listing);
        self.get().tools_list_passes(result);
    }
}

impl<R: Rewrite> Binding<R> {
    /// The data that this policy binds to a request, see [`Rewrite::bind`].
    pub(super) fn bind(policy: &Arc<R>, asked: Asked<'_, R::Trace>) -> Option<Arc<Binding<R>>> {
        let bound = policy.bind(asked)?;
        let policy = Arc::clone(policy);
        Some(Arc::new(Binding { policy, bound }))
    }

    /// See [`Rewrite::passes`].
    pub(super) fn passes(&self, result: &[u8]) -> bool {
        self.policy.passes(&self.bound, result)
    }

    /// See [`Rewrite::result`].
    pub(super) fn result(&self, result: &[u8]) -> Option<Vec<u8>> {
        self.policy.result(&self.bound, result)
    }

    /// See [`Rewrite::cancelled`].
    pub(super) fn cancelled(&mut self) -> bool {
        self.policy.cancelled(&mut self.bound)
    }
}
