//! The functions that use a call's time: a profile for the Firefox profiler, and its most important functions.

use super::promises::originals;
use crate::document::Document;
use crate::sandbox::{CallInfo, Filter, Profile};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};

/// The name of a nameless function in a profile.
const NAMELESS: &str = "<wasm function ";

/// A profile, and its most important functions.
#[derive(Debug)]
pub struct Profiled {
    pub profile: Profile,
    /// The functions that were seen, those first in which most time was spent.
    pub functions: Vec<Hot>,
    /// The plugin has no names of functions.
    pub is_nameless: bool,
}

/// A function that was seen in a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Hot {
    pub name: String,
    /// Share of the samples in which it ran itself.
    pub own: f64,
    /// Share of the samples in which it, or a function that it called, ran.
    pub total: f64,
}

/// The part of the processed format that is needed here.
#[derive(Deserialize)]
struct Processed {
    threads: Vec<Thread>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    samples: Samples,
    stack_table: StackTable,
    frame_table: FrameTable,
    func_table: FuncTable,
    string_array: Vec<String>,
}

#[derive(Deserialize)]
struct Samples {
    stack: Vec<Option<usize>>,
}

#[derive(Deserialize)]
struct StackTable {
    prefix: Vec<Option<usize>>,
    frame: Vec<usize>,
}

#[derive(Deserialize)]
struct FrameTable {
    func: Vec<usize>,
}

#[derive(Deserialize)]
struct FuncTable {
    name: Vec<usize>,
}

/// Finds out where a filter's call spends its time.
///
/// # Errors
///
/// The profile cannot be made. A call that fails is part of it.
pub fn profile(filter: &Filter, document: &Document, call: &CallInfo<'_>) -> Result<Profiled> {
    // Documents that the host holds ready have an index by then.
    let _ = document.kind();
    let profile = filter.profile(document, call, &originals())?;
    let processed: Processed =
        serde_json::from_slice(&profile.json).context("read the profile back")?;
    let functions = functions(&processed);
    let is_nameless = !functions.is_empty()
        && functions
            .iter()
            .all(|function| function.name.starts_with(NAMELESS));
    Ok(Profiled {
        profile,
        functions,
        is_nameless,
    })
}

fn functions(processed: &Processed) -> Vec<Hot> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut samples = 0;
    for thread in &processed.threads {
        for innermost in thread.samples.stack.iter().filter_map(|stack| *stack) {
            samples += 1;
            let mut seen = HashSet::new();
            let mut next = Some(innermost);
            while let Some(stack) = next {
                let Some(name) = thread.function(stack) else {
                    break;
                };
                let (own, total) = counts.entry(name).or_default();
                *own += usize::from(stack == innermost);
                // A function that calls itself is there once.
                *total += usize::from(seen.insert(name));
                next = thread.stack_table.prefix.get(stack).copied().flatten();
            }
        }
    }
    let share = |count: usize| count as f64 / samples as f64;
    let mut functions: Vec<Hot> = counts
        .into_iter()
        .map(|(name, (own, total))| Hot {
            name: name.to_owned(),
            own: share(own),
            total: share(total),
        })
        .collect();
    functions.sort_by(|a, b| {
        let order = b.own.total_cmp(&a.own).then(b.total.total_cmp(&a.total));
        order.then_with(|| a.name.cmp(&b.name))
    });
    functions
}

impl Thread {
    fn function(&self, stack: usize) -> Option<&str> {
        let frame = *self.stack_table.frame.get(stack)?;
        let function = *self.frame_table.func.get(frame)?;
        let name = *self.func_table.name.get(function)?;
        self.string_array.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{Hot, Processed, functions};

    #[test]
    fn a_function_has_the_samples_that_it_and_what_it_called_were_seen_in() {
        // `a` calls itself and `b`; one sample saw nothing of the guest.
        let processed: Processed = serde_json::from_str(
            r#"{"threads": [{
                "samples": {"stack": [2, 2, 1, null, 0]},
                "stackTable": {"prefix": [null, 0, 1], "frame": [0, 1, 2]},
                "frameTable": {"func": [0, 1, 2]},
                "funcTable": {"name": [0, 0, 1]},
                "stringArray": ["a", "b"]
            }]}"#,
        )
        .expect("a profile");
        let hot = |name: &str, own, total| Hot {
            name: name.to_owned(),
            own,
            total,
        };
        assert_eq!(
            functions(&processed),
            [hot("a", 0.5, 1.0), hot("b", 0.5, 0.5)]
        );
    }
}
