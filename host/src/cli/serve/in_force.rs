//! Which policy is in force, for `/readyz` and metrics.

use crate::lock::lock;
use crate::mcp::observe::metrics::PolicyFigures;
use crate::policy::Policy;
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// Longest error that `/readyz` shows, in characters: that of one mistake with its place.
const SHOWN_CHARACTERS: usize = 2000;

/// The policy in force, and what is known of its place.
#[derive(Default)]
pub(super) struct InForce(Mutex<Known>);

#[derive(Default)]
struct Known {
    figures: PolicyFigures,
    /// Why the place does not have the policy in force.
    error: Option<String>,
    /// The policy is the copy on this machine.
    is_copy: bool,
}

impl InForce {
    /// Another policy is in force.
    pub(super) fn replace(&self, policy: &Policy) {
        let mut known = lock(&self.0);
        known.is_copy = false;
        let figures = &mut known.figures;
        figures.digest = policy.source.digest();
        figures.source = policy.source.path().display().to_string();
        figures.since = SystemTime::now();
    }

    /// The policy in force is the copy on this machine, since its place does not answer.
    pub(super) fn is_copy(&self, error: &str) {
        lock(&self.0).is_copy = true;
        self.note(Err(error));
    }

    /// The place of the policy answered.
    pub(super) fn checked(&self) {
        lock(&self.0).figures.checked = Some(SystemTime::now());
    }

    /// The place has the policy in force; or one that cannot be used, or it does not answer.
    pub(super) fn note(&self, is_sound: Result<(), &str>) {
        let mut known = lock(&self.0);
        known.figures.is_failing = is_sound.is_err();
        known.figures.failures += u64::from(is_sound.is_err());
        known.is_copy &= is_sound.is_err();
        known.error = is_sound
            .err()
            .map(|error| error.chars().take(SHOWN_CHARACTERS).collect());
    }

    pub(super) fn figures(&self) -> PolicyFigures {
        lock(&self.0).figures.clone()
    }

    /// For those who may know.
    pub(super) fn json(&self) -> Value {
        let known = lock(&self.0);
        let figures = &known.figures;
        let mut policy = json!({
            "digest": figures.digest,
            "source": figures.source,
            "in_force_since": seconds(figures.since),
        });
        if let Some(checked) = figures.checked {
            policy["checked"] = seconds(checked).into();
        }
        if known.is_copy {
            policy["copy"] = true.into();
        }
        if let Some(error) = &known.error {
            policy["error"] = error.as_str().into();
        }
        policy
    }
}

/// Whole seconds since 1970.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}
