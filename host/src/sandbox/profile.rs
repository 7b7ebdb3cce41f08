//! A profile: in which of its functions a filter spends its time, by samples of its stack.
//!
//! A sample is taken when the guest looks at the clock, about every millisecond. A shorter call is repeated,
//! each time in a fresh instance, until the samples suffice.

use super::call_state::CallState;
use super::error::CallError;
use super::room::Room;
use super::ticker::TICK;
use crate::lock::lock;
use anyhow::{Context, Result};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use wasmtime::component::Component;
use wasmtime::{GuestProfiler, StoreContextMut};

/// How long calls are repeated, and for how many samples.
const TIME: Duration = Duration::from_secs(1);
const ENOUGH_SAMPLES: u32 = 500;

/// Samples of a filter's calls.
#[derive(Debug)]
pub struct Profile {
    /// JSON of the processed format, which the Firefox profiler opens.
    pub json: Vec<u8>,
    pub samples: u32,
    pub calls: u32,
    /// Wall time of all calls.
    pub time: Duration,
    /// Why the last call failed; the samples contain its work until then.
    pub failed: Option<CallError>,
}

/// Takes the samples. Clones share them.
#[derive(Clone)]
pub(super) struct Sampler(Arc<Mutex<Sampling>>);

struct Sampling {
    profiler: GuestProfiler,
    samples: u32,
    calls: u32,
    last: Instant,
}

impl Profile {
    /// Repeats a call until its samples suffice.
    pub(super) fn of(
        name: &str,
        room: &Room,
        component: &Component,
        call: impl Fn(&Sampler) -> Result<(), CallError>,
    ) -> Result<Profile> {
        let profiler =
            GuestProfiler::new_component(&room.engine, name, TICK, component.clone(), [])
                .map_err(anyhow::Error::from)
                .context("begin a profile")?;
        let begun = Instant::now();
        let sampler = Sampler(Arc::new(Mutex::new(Sampling {
            profiler,
            samples: 0,
            calls: 0,
            last: begun,
        })));
        let (mut calls, mut failed) = (0, None);
        while failed.is_none()
            && (calls == 0 || begun.elapsed() < TIME && sampler.samples() < ENOUGH_SAMPLES)
        {
            failed = call(&sampler).err();
            calls += 1;
        }
        let time = begun.elapsed();
        let sampling = Arc::into_inner(sampler.0).context("a call goes on")?;
        let Sampling {
            profiler, samples, ..
        } = sampling
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut json = Vec::new();
        profiler
            .finish(&mut json)
            .map_err(anyhow::Error::from)
            .context("write the profile")?;
        Ok(Profile {
            json: with_readable_names(&json)?,
            samples,
            calls,
            time,
            failed,
        })
    }
}

/// The same profile with the names of functions as they are in Rust's sources, without hashes.
fn with_readable_names(json: &[u8]) -> Result<Vec<u8>> {
    let mut profile: Value = serde_json::from_slice(json).context("read the profile back")?;
    let threads = profile.get_mut("threads").and_then(Value::as_array_mut);
    for thread in threads.into_iter().flatten() {
        let names = thread.get_mut("stringArray").and_then(Value::as_array_mut);
        for name in names.into_iter().flatten() {
            if let Value::String(name) = name {
                *name = format!("{:#}", rustc_demangle::demangle(name));
            }
        }
    }
    serde_json::to_vec(&profile).context("write the profile")
}

impl Sampler {
    /// Notes the functions that the guest is in.
    pub(super) fn sample(&self, store: &StoreContextMut<'_, CallState>) {
        // Nothing panics while it is held.
        let mut sampling = lock(&self.0);
        let now = Instant::now();
        let since = now.duration_since(sampling.last);
        sampling.last = now;
        sampling.samples += 1;
        sampling.profiler.sample(store, since.min(TICK));
    }

    /// How long after its beginning a call is first looked at: another part of [`TICK`] for each call, so that all parts
    /// of a short call are seen alike.
    pub(super) fn first_look(&self) -> Duration {
        // The golden ratio spreads any number of calls evenly.
        const PART: f64 = 0.618_033_988_749_895;
        let mut sampling = lock(&self.0);
        sampling.calls += 1;
        TICK.mul_f64((f64::from(sampling.calls) * PART).fract())
    }

    fn samples(&self) -> u32 {
        lock(&self.0).samples
    }
}

#[cfg(test)]
mod tests {
    use super::with_readable_names;

    #[test]
    fn names_are_as_in_the_sources_and_without_hashes() {
        let profile = br#"{"threads":[{"stringArray":["_ZN1a1b17h6f9419f041385aacE","_RNvCs8f0u8Wc_1a4main","a[1]::hash"]}]}"#;
        let readable = with_readable_names(profile).expect("a profile");
        assert_eq!(
            String::from_utf8_lossy(&readable),
            r#"{"threads":[{"stringArray":["a::b","a::main","a[1]::hash"]}]}"#
        );
    }
}
