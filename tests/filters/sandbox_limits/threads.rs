//! Many calls at once, and calls after failures: nothing is exhausted, nothing is poisoned.

use super::{
    FOR_EVER, Limits, MIB, SHORT, Target, applied, apply, apply_now, ends, failure, filter,
    filter_in, limits, memory, sandbox,
};
use serde_json::json;
use std::sync::{Arc, Barrier};
use std::time::Instant;
use tamis::document::Document;
use tamis::sandbox::{CallError, Filter, Spent, Verdict};

/// More threads than instances.
const THREADS: usize = 100;

/// Runs `work` on that many threads at the same time, each with its number.
fn at_once<T: Send + 'static>(
    threads: usize,
    work: impl Fn(usize) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let work = Arc::new(work);
    let barrier = Arc::new(Barrier::new(threads));
    let handles: Vec<_> = (0..threads)
        .map(|number| {
            let (work, barrier) = (Arc::clone(&work), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                work(number)
            })
        })
        .collect();
    let join = |handle: std::thread::JoinHandle<T>| handle.join().expect("no thread panics");
    handles.into_iter().map(join).collect()
}

/// Endless calls occupy every instance until their time limit; the others wait.
#[test]
fn calls_beyond_the_pool_wait_and_succeed() {
    let limits = Limits {
        time: SHORT,
        ..limits()
    };
    let settings = json!({"rounds": FOR_EVER});
    let spin = filter(Target::Unknown, "spin", settings, &limits);
    let noop = filter(Target::Unknown, "noop", json!({}), &super::limits());
    let calls = ends(move || {
        at_once(THREADS, move |number| {
            let called = if number % 5 == 0 { &noop } else { &spin };
            apply(called, &Document::detect("text"))
        })
    });
    for (number, call) in calls.iter().enumerate() {
        let as_expected = match call {
            Ok(_) => number % 5 == 0,
            Err(error) => number % 5 != 0 && matches!(error, CallError::Timeout { .. }),
        };
        assert!(as_expected, "thread {number}: {call:?}");
    }
}

/// No instance is returned before all calls have their answers.
#[test]
fn instances_that_nobody_puts_away_leave_places_for_others() {
    let sandbox = sandbox();
    let noop = filter_in(&sandbox, Target::Unknown, "noop", json!({}), &limits());
    let all_answered = Barrier::new(THREADS);
    let put_away = ends(move || {
        at_once(THREADS, move |_| {
            let (applied, spent) = Spent::collect(|| apply_now(&noop, &Document::detect("text")));
            assert!(matches!(applied, Ok(Verdict::Unchanged)), "{applied:?}");
            all_answered.wait();
            !spent.is_empty()
        })
    });
    let later = put_away.iter().filter(|&&later| later).count();
    assert!(later > 0 && later < THREADS, "{later}");
}

#[test]
fn a_call_does_not_wait_for_the_instance_that_was_made_ahead() {
    let settings = json!({"rounds": 200_000_000, "at_configure": true});
    let sandbox = sandbox();
    let slow_to_make = filter_in(&sandbox, Target::Unknown, "spin", settings, &limits());
    let (first, later) = ends(move || {
        let time = || {
            let begun = Instant::now();
            let (applied, spent) =
                Spent::collect(|| apply_now(&slow_to_make, &Document::detect("text")));
            let time = begun.elapsed();
            assert!(matches!(applied, Ok(Verdict::Unchanged)), "{applied:?}");
            drop(spent);
            time
        };
        (time(), time())
    });
    assert!(later < first / 2, "{first:?}, {later:?}");
}

#[test]
fn a_call_after_a_trap_works() {
    let panic = filter(Target::Unknown, "panic", json!({"at": "boom"}), &limits());
    // More traps than instances: a trap frees its instance.
    ends(move || {
        for _ in 0..THREADS {
            let error = failure(&panic, "boom");
            assert!(matches!(error, CallError::Trap { .. }), "{error:?}");
            assert_eq!(applied(&panic, "calm"), "calm");
        }
    });
}

#[test]
fn failures_leave_their_neighbours_alone() {
    let short = Limits {
        time: SHORT,
        ..limits()
    };
    let unknown =
        |guest, settings, limits: &Limits| filter(Target::Unknown, guest, settings, limits);
    let bad: Arc<[Filter]> = Arc::new([
        unknown("panic", json!({}), &limits()),
        unknown("hog", json!({"bytes": 32 * MIB}), &memory(16 * MIB)),
        unknown("spin", json!({"rounds": FOR_EVER}), &short),
        unknown("lie", json!({"lie": "edits-odd-words"}), &limits()),
        unknown("deep-stack", json!({"depth": 1_000_000_000}), &limits()),
    ]);
    let good = unknown("state", json!({}), &limits());
    let answers = ends(move || {
        at_once(20, move |number| {
            (0..10)
                .map(|round| {
                    if number % 2 == 0 {
                        return applied(&good, "text");
                    }
                    // An endless call takes a second, so once a thread is enough.
                    let which = if round == 0 {
                        number / 2
                    } else {
                        number / 2 % 2
                    };
                    failure(&bad[which % bad.len()], "text")
                        .outcome()
                        .to_owned()
                })
                .collect::<Vec<_>>()
        })
    });
    for (number, answers) in answers.iter().enumerate() {
        for answer in answers {
            if number % 2 == 0 {
                assert_eq!(answer, "configured 1, applied 1", "thread {number}");
            } else {
                let outcomes = ["trap", "memory", "timeout", "filter-error"];
                assert!(
                    outcomes.contains(&answer.as_str()),
                    "thread {number}: {answer}"
                );
            }
        }
    }
}

/// Memory of one call is cleared before the next, even if it stays resident.
#[test]
fn no_call_sees_another() {
    let hog = filter(
        Target::Unknown,
        "hog",
        json!({"bytes": 3 * MIB}),
        &memory(16 * MIB),
    );
    let state = filter(Target::Unknown, "state", json!({}), &limits());
    for _ in 0..THREADS {
        assert_eq!(applied(&hog, "text"), "text");
        assert_eq!(applied(&state, "text"), "configured 1, applied 1");
    }
}
