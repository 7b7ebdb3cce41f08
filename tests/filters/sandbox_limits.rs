//! The sandbox's permissions and refusals: guests that behave badly, each limit obeyed and violated by the same guest.
//!
//! `make guests` builds the guests (tests/guests).

mod compile;
mod lies;
mod load;
mod snapshots;
mod threads;
mod world;

use crate::support::built;
use crate::support::built::Target;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{LazyLock, mpsc};
use std::time::Duration;
use tamis::document::{Document, TapeWanted};
use tamis::policy::{Grants, Limits};
use tamis::sandbox::{
    CacheDir, CallError, CallInfo, Filter, LoadError, Originals, Plugin, Sandbox, Spent, Verdict,
};

/// Far above the time of any call here, on a busy machine.
const HANG: Duration = Duration::from_secs(60);
/// A time limit that nothing exceeds by accident.
const PATIENT: Duration = Duration::from_secs(60);
/// A time limit for endless calls: long enough for a busy machine to configure the filter.
const SHORT: Duration = Duration::from_secs(1);
const FOR_EVER: u64 = u64::MAX;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(sandbox);

/// A sandbox with a pool of its own.
fn sandbox() -> Sandbox {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    Sandbox::new(Some(CacheDir::at(cache))).expect("start the sandbox")
}

/// The default limits without a tight time limit.
fn limits() -> Limits {
    Limits {
        time: PATIENT,
        ..Limits::default()
    }
}

fn wasm(target: Target, guest: &str) -> Vec<u8> {
    let path = built::path(target, guest);
    std::fs::read(&path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
}

fn load(target: Target, guest: &str, limits: &Limits) -> Plugin {
    load_in(&SANDBOX, target, guest, limits)
}

fn load_in(sandbox: &Sandbox, target: Target, guest: &str, limits: &Limits) -> Plugin {
    sandbox
        .load(guest, &wasm(target, guest), Grants::all(), limits)
        .unwrap_or_else(|error| panic!("{guest} for {target:?} does not load: {error}"))
}

/// A guest with settings, and limits for its calls.
fn filter(target: Target, guest: &str, settings: Value, limits: &Limits) -> Filter {
    filter_in(&SANDBOX, target, guest, settings, limits)
}

/// As [`filter`]: other tests do not take its places in this sandbox's pool.
fn filter_in(
    sandbox: &Sandbox,
    target: Target,
    guest: &str,
    settings: Value,
    limits: &Limits,
) -> Filter {
    let patient = Limits {
        time: PATIENT,
        ..*limits
    };
    load_in(sandbox, target, guest, &patient)
        .configure(&settings.to_string(), limits)
        .unwrap_or_else(|error| panic!("{guest} does not take {settings}: {error}"))
}

const CALL: CallInfo<'static> = CallInfo::of_result("server", "tool");

/// Calls a filter as the relay does: the next call gets a prepared instance.
fn apply(filter: &Filter, document: &Document) -> Result<Verdict, CallError> {
    let (applied, spent) = Spent::collect(|| apply_now(filter, document));
    drop(spent);
    applied
}

fn apply_now(filter: &Filter, document: &Document) -> Result<Verdict, CallError> {
    filter
        .apply(document, &CALL, &Originals::none(), TapeWanted::No)
        .map(|applied| applied.verdict)
}

/// The filtered text, or the text itself if the filter leaves it unchanged.
#[track_caller]
fn applied(filter: &Filter, text: &str) -> String {
    match apply(filter, &Document::detect(text)) {
        Ok(Verdict::Unchanged) => text.to_owned(),
        Ok(Verdict::Changed { document, .. }) => document.text().to_string(),
        Err(error) => panic!("{} failed: {error}", filter.name()),
    }
}

#[track_caller]
fn failure(filter: &Filter, text: &str) -> CallError {
    match apply(filter, &Document::detect(text)) {
        Ok(verdict) => panic!("{} should have failed: {verdict:?}", filter.name()),
        Err(error) => error,
    }
}

/// Runs work that may never end.
#[track_caller]
fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver
        .recv_timeout(HANG)
        .expect("it panicked, or it is still running")
}

/// Checks the operator's message about a broken limit: its key, and the name of the outcome.
#[track_caller]
fn names(error: &CallError, key: &str, outcome: &str) {
    let message = error.to_string();
    assert!(
        message.contains(&format!("(limit `{key}`)")),
        "the message does not name `{key}`: {message}"
    );
    assert_eq!(error.outcome(), outcome, "{message}");
}

#[test]
fn time_obeyed() {
    let spin = filter(
        Target::Unknown,
        "spin",
        json!({"rounds": 1_000_000}),
        &limits(),
    );
    assert_eq!(applied(&spin, "text"), "text");
}

#[test]
fn time_violated() {
    let limits = Limits {
        time: SHORT,
        ..limits()
    };
    let spin = filter(
        Target::Unknown,
        "spin",
        json!({"rounds": FOR_EVER}),
        &limits,
    );
    let error = ends(move || failure(&spin, "text"));
    assert!(
        matches!(error, CallError::Timeout { limit } if limit == SHORT),
        "{error:?}"
    );
    names(&error, "time", "timeout");
    assert!(error.is_fault());
}

#[test]
fn time_violated_while_settings_are_taken() {
    let limits = Limits {
        time: SHORT,
        ..limits()
    };
    let plugin = load(Target::Unknown, "spin", &limits);
    let settings = json!({"rounds": FOR_EVER, "at_configure": true}).to_string();
    let result = ends(move || plugin.configure(&settings, &limits).err());
    assert!(
        matches!(
            result,
            Some(LoadError::Configure(CallError::Timeout { .. }))
        ),
        "{result:?}"
    );
}

#[test]
fn time_of_a_start_function_obeyed() {
    let start_spin = filter(Target::Wasip1, "start-spin", json!({}), &limits());
    assert_eq!(applied(&start_spin, "text"), "text");
}

#[test]
fn time_of_a_start_function_violated() {
    let shortest = Limits {
        time: Duration::from_millis(1),
        ..limits()
    };
    let wasm = wasm(Target::Wasip1, "start-spin");
    let result = SANDBOX.load("start-spin", &wasm, Grants::all(), &shortest);
    assert!(
        matches!(result, Err(LoadError::Describe(CallError::Timeout { .. }))),
        "{:?}",
        result.err()
    );
    let plugin = load(Target::Wasip1, "start-spin", &limits());
    let result = plugin.configure("{}", &shortest).err();
    assert!(
        matches!(
            result,
            Some(LoadError::Configure(CallError::Timeout { .. }))
        ),
        "{result:?}"
    );
}

fn memory(bytes: u64) -> Limits {
    Limits {
        memory_bytes: bytes,
        ..limits()
    }
}

#[test]
fn memory_obeyed() {
    let hog = filter(
        Target::Unknown,
        "hog",
        json!({"bytes": 3 * MIB, "times": 4}),
        &memory(16 * MIB),
    );
    assert_eq!(applied(&hog, "text"), "text");
}

#[test]
fn memory_violated() {
    for settings in [
        json!({"bytes": 32 * MIB}),
        json!({"bytes": 3 * MIB, "times": 8}),
    ] {
        let hog = filter(Target::Unknown, "hog", settings.clone(), &memory(16 * MIB));
        let error = failure(&hog, "text");
        assert!(
            matches!(error, CallError::Memory { limit_bytes } if limit_bytes == 16 * MIB),
            "{settings}: {error:?}"
        );
        names(&error, "memory", "memory");
        assert!(error.is_fault());
    }
}

#[test]
fn a_guest_that_copes_without_memory_is_heard() {
    let settings = json!({"bytes": 32 * MIB, "politely": true});
    let hog = filter(Target::Unknown, "hog", settings, &memory(16 * MIB));
    let error = failure(&hog, "text");
    assert!(
        matches!(&error, CallError::Filter(message) if message == "there is no more memory"),
        "{error:?}"
    );
}

/// The limit holds for the sum of all memories of a guest. Its own has less than 2 MiB here.
#[test]
fn memory_is_summed() {
    let noop = wasm(Target::Unknown, "noop");
    let load = |pages| {
        let wasm = load::with_second_memory(&noop, pages);
        SANDBOX.load("noop", &wasm, Grants::all(), &memory(8 * MIB))
    };
    let obeyed = load(6 * 16).expect("6 MiB and its own fit 8 MiB");
    let obeyed = obeyed
        .configure("{}", &memory(8 * MIB))
        .expect("it takes its settings");
    assert_eq!(applied(&obeyed, "text"), "text");
    let violated = load(8 * 16 - 1).err();
    assert!(
        matches!(
            violated,
            Some(LoadError::Describe(CallError::Memory { .. }))
        ),
        "{violated:?}"
    );
}

fn input_limits() -> Limits {
    Limits {
        input_bytes: KIB,
        ..limits()
    }
}

#[test]
fn input_obeyed() {
    let noop = filter(Target::Unknown, "noop", json!({}), &input_limits());
    let text = "x".repeat(1024);
    assert_eq!(applied(&noop, &text), text);
}

/// The guest would panic if it were called.
#[test]
fn input_violated() {
    let panic = filter(Target::Unknown, "panic", json!({}), &input_limits());
    let error = failure(&panic, &"x".repeat(1025));
    assert!(
        matches!(
            error,
            CallError::InputTooLarge {
                len_bytes: 1025,
                limit_bytes: 1024
            }
        ),
        "{error:?}"
    );
    names(&error, "input", "input-too-large");
    assert!(!error.is_fault(), "a large document is nobody's fault");
}

fn output_limits() -> Limits {
    Limits {
        output_bytes: 64 * KIB,
        ..limits()
    }
}

const OUTPUT_WAYS: [&str; 4] = ["rewrite", "operand", "splices", "log"];

#[test]
fn output_obeyed() {
    for way in OUTPUT_WAYS {
        let settings = json!({"bytes": 32 * KIB, "way": way});
        let huge = filter(Target::Unknown, "huge-output", settings, &output_limits());
        applied(&huge, "[1]");
    }
    let settings = json!({"bytes": 32 * KIB, "way": "error"});
    let huge = filter(Target::Unknown, "huge-output", settings, &output_limits());
    let error = failure(&huge, "[1]");
    assert!(
        // The filter's message is reported, but cut to 32 KiB.
        matches!(&error, CallError::Filter(message) if message.len() == KIB as usize + '…'.len_utf8()),
        "{error:?}"
    );
    let settings = json!({"bytes": 32 * KIB, "way": "triggers"});
    filter(Target::Unknown, "huge-output", settings, &output_limits());
}

#[test]
fn output_violated() {
    for way in OUTPUT_WAYS.into_iter().chain(["error"]) {
        let settings = json!({"bytes": 128 * KIB, "way": way});
        let huge = filter(Target::Unknown, "huge-output", settings, &output_limits());
        let error = failure(&huge, "[1]");
        assert!(
            matches!(error, CallError::OutputTooLarge { limit_bytes } if limit_bytes == 64 * KIB),
            "{way}: {error:?}"
        );
        names(&error, "output", "output-too-large");
        assert!(error.is_fault());
    }
    let settings = json!({"bytes": 128 * KIB, "way": "triggers"}).to_string();
    let plugin = load(Target::Unknown, "huge-output", &limits());
    let result = plugin.configure(&settings, &output_limits()).err();
    assert!(
        matches!(
            result,
            Some(LoadError::Configure(CallError::OutputTooLarge { .. }))
        ),
        "{result:?}"
    );
}

#[test]
fn handles_obeyed() {
    for settings in [
        json!({"count": 40}),
        json!({"count": 1000, "give_back": true}),
    ] {
        let handles = filter(Target::Wasip2, "handles", settings, &limits());
        assert_eq!(applied(&handles, "text"), "text");
    }
}

#[test]
fn handles_violated() {
    let handles = filter(Target::Wasip2, "handles", json!({"count": 65}), &limits());
    let error = failure(&handles, "text");
    assert!(
        matches!(error, CallError::Handles { limit: 64 }),
        "{error:?}"
    );
    names(&error, "handles", "trap");
    assert!(error.is_fault());
}

fn stack(bytes: u64) -> Limits {
    Limits {
        stack_bytes: bytes,
        ..limits()
    }
}

#[test]
fn stack_obeyed() {
    let nested = json!({"depth": 4000});
    let deep = filter(Target::Unknown, "deep-stack", nested, &stack(MIB));
    assert_eq!(applied(&deep, "text"), "text");
}

#[test]
fn stack_violated() {
    let nested = json!({"depth": 4000});
    let deep = filter(Target::Unknown, "deep-stack", nested, &stack(64 * KIB));
    let error = failure(&deep, "text");
    assert!(
        matches!(error, CallError::Stack { limit_bytes } if limit_bytes == 64 * KIB),
        "{error:?}"
    );
    names(&error, "stack", "trap");
    let bottomless = json!({"depth": 1_000_000_000});
    let deep = filter(Target::Unknown, "deep-stack", bottomless, &stack(MIB));
    let error = failure(&deep, "text");
    assert!(matches!(error, CallError::Stack { .. }), "{error:?}");
    assert!(error.is_fault());
}

#[test]
fn a_trap_is_told_in_the_names_of_the_guest() {
    let panic = filter(Target::Unknown, "panic", json!({}), &limits());
    let error = failure(&panic, "text");
    assert!(matches!(error, CallError::Trap { .. }), "{error:?}");
    assert_eq!(error.outcome(), "trap");
    assert!(error.is_fault());
    let message = error.to_string();
    assert!(message.contains("fall_over"), "{message}");
}
