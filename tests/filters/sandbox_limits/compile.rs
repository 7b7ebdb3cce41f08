//! The compiler process for plugins: each limit obeyed and violated. This process makes no code if another one can.

use super::{Target, applied, limits, wasm};
use crate::support::TAMIS;
use crate::support::module::{component_of, functions, idle, list, module, section};
use serde_json::json;
use std::time::Duration;
use tamis::built_in;
use tamis::policy::{CompileLimits, Grants, LimitKey, Limits};
use tamis::sandbox::{Breach, CacheDir, LoadError, Sandbox};

/// A sandbox whose plugins the real program compiles.
fn sandbox() -> Sandbox {
    Sandbox::new(None)
        .expect("start the sandbox")
        .compiled_by(TAMIS)
}

fn with(compile: CompileLimits) -> Limits {
    Limits {
        compile,
        ..limits()
    }
}

#[track_caller]
fn refusal(sandbox: &Sandbox, wasm: &[u8], limits: &Limits) -> LoadError {
    match sandbox.load("plugin", wasm, Grants::all(), limits) {
        Ok(plugin) => panic!("it loads: {:?}", plugin.description()),
        Err(error) => error,
    }
}

#[test]
fn each_count_is_obeyed_to_the_last_and_violated_by_one_more() {
    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";
    let small = CompileLimits {
        function_bytes: 1_100,
        locals: 50,
        functions: 20,
        types: 30,
        items: 40,
        ..Limits::default().compile
    };
    let function = [0x60, 0, 0];
    let bodies = |count: usize| functions(&vec![idle(10, 0); count], 0);
    let globals = |count: usize| module(&[list(6, count, &[0x7f, 0, 0x41, 0, 0x0b])]);
    type Make<'a> = &'a dyn Fn(usize) -> Vec<u8>;
    let cases: [(LimitKey, u64, Make<'_>); 8] = [
        (LimitKey::FunctionBytes, 1_100, &|count| {
            functions(&[idle(10, 0), idle(count, 0)], 0)
        }),
        (LimitKey::Locals, 50, &|count| {
            functions(&[idle(100, count)], 0)
        }),
        (LimitKey::Locals, 50, &|count| {
            functions(&[idle(100, count - 9)], 9)
        }),
        (LimitKey::Functions, 20, &bodies),
        // The sum over all modules counts.
        (LimitKey::Functions, 20, &|count| {
            let modules = [bodies(15), bodies(count - 15)];
            let modules: Vec<u8> = modules.iter().flat_map(|it| section(1, it)).collect();
            [crate::support::module::COMPONENT, &modules].concat()
        }),
        (LimitKey::Types, 30, &|count| {
            module(&[list(1, count, &function)])
        }),
        (LimitKey::Items, 40, &|count| globals(count)),
        (LimitKey::Items, 40, &|count| component_of(count, EMPTY)),
    ];
    let sandbox = sandbox();
    for (key, allowed, make) in cases {
        let obeyed = refusal(&sandbox, &make(allowed as usize), &with(small));
        assert!(
            matches!(obeyed, LoadError::Contract(_)),
            "{key:?}: {obeyed:?}"
        );
        match refusal(&sandbox, &make(allowed as usize + 1), &with(small)) {
            LoadError::TooMuch(breach) => {
                assert_eq!((breach.key, breach.allowed), (key, allowed));
                assert!(breach.found > allowed, "{breach:?}");
            }
            other => panic!("{key:?}: {other:?}"),
        }
    }
}

#[test]
fn the_message_says_what_was_found_and_what_is_allowed() {
    let wasm = functions(&[idle(10, 2_000)], 0);
    let error = refusal(&sandbox(), &wasm, &limits());
    let LoadError::TooMuch(Breach { found, allowed, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!((found, allowed), (2_000, 1_000));
    assert_eq!(
        error.to_string(),
        "one of its functions has 2000 local variables or more, and 1000 are allowed (limit `locals`)"
    );
    let remedy = error.remedy().expect("there is one");
    assert!(remedy.contains("limits = { locals = … }"), "{remedy}");
}

/// All kinds of plugins, with snapshots and without, from this cache and without a cache.
#[test]
fn what_another_process_compiled_runs_as_if_it_had_been_compiled_here() {
    let cache = tempfile::tempdir().expect("a folder");
    let text = "some text";
    for cached in [false, true, true] {
        let cache = cached.then(|| CacheDir::at(cache.path().join("cache")));
        let sandbox = Sandbox::new(cache).expect("start the sandbox");
        let sandbox = sandbox.compiled_by(TAMIS);
        for target in [Target::Unknown, Target::Wasip1, Target::Wasip2] {
            let noop = sandbox
                .load("noop", &wasm(target, "noop"), Grants::all(), &limits())
                .expect("it loads");
            let noop = noop.configure("{}", &limits()).expect("it is configured");
            assert_eq!(applied(&noop, text), text, "{target:?}");
        }
        let remembers = wasm(Target::Unknown, "remembers");
        let remembers = sandbox
            .load("remembers", &remembers, Grants::all(), &limits())
            .expect("it loads");
        let settings = json!({"keep-kib": 10}).to_string();
        let filter = remembers
            .configure(&settings, &limits())
            .expect("it takes them");
        assert!(
            applied(&filter, text).contains("10240 bytes sound"),
            "{}",
            applied(&filter, text)
        );
    }
}

/// A library without such a program compiles in its own process, by the same rules.
#[test]
fn both_who_compile_refuse_the_same() {
    let here = Sandbox::new(None).expect("start the sandbox");
    let noop = wasm(Target::Unknown, "noop");
    for wasm in [
        &b"\0asm\x01\0\0\0"[..],
        &noop[..noop.len() / 2],
        &functions(&[vec![0, 0x0b, 0x0b]], 0),
        &functions(&[idle(600_000, 0)], 0),
        &component_of(1, &functions(&[vec![0, 0x6a, 0x0b]], 0)),
    ] {
        let there = refusal(&sandbox(), wasm, &limits()).to_string();
        assert_eq!(refusal(&here, wasm, &limits()).to_string(), there);
    }
}

#[test]
fn no_plugin_is_compiled_in_this_process_where_another_is_to_do_it() {
    let cache = tempfile::tempdir().expect("a folder");
    let cache = || Some(CacheDir::at(cache.path().join("cache")));
    let noop = wasm(Target::Unknown, "noop");
    let built_in = built_in::find("ansi").expect("a built-in filter");
    // The program is missing, prints nothing, fails, or prints other text.
    for program in ["/no/such/program", "/bin/true", "/bin/false", "/bin/echo"] {
        let sandbox = Sandbox::new(cache()).expect("start the sandbox");
        let sandbox = sandbox.compiled_by(program);
        let error = refusal(&sandbox, &noop, &limits());
        assert!(
            matches!(error, LoadError::Compiler { .. }),
            "{program}: {error:?}"
        );
        sandbox
            .load_built_in("ansi", built_in.wasm, &limits())
            .expect("it is part of the binary");
    }
    // Nothing of it was stored.
    let sandbox = Sandbox::new(cache()).expect("start the sandbox");
    let loaded = sandbox
        .compiled_by(TAMIS)
        .load("noop", &noop, Grants::all(), &limits());
    assert!(loaded.is_ok());
}

#[test]
fn a_program_that_never_answers_is_ended_in_time() {
    let sandbox = Sandbox::new(None).expect("start the sandbox");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sleeps");
    std::fs::write(&path, "#!/bin/sh\nexec sleep 1000\n").expect("a program");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("a mode");
    let second = CompileLimits {
        time: Duration::from_secs(1),
        ..Limits::default().compile
    };
    let noop = wasm(Target::Unknown, "noop");
    let error = refusal(&sandbox.compiled_by(path), &noop, &with(second));
    assert!(matches!(error, LoadError::CompileTime { .. }), "{error:?}");
}

/// Code in the cache that was changed is compiled again instead of running.
#[test]
fn code_that_was_changed_in_the_cache_is_not_run() {
    let cache = tempfile::tempdir().expect("a folder");
    let path = cache.path().join("cache");
    let noop = wasm(Target::Unknown, "noop");
    let load = || {
        let sandbox = Sandbox::new(Some(CacheDir::at(&path))).expect("start the sandbox");
        let sandbox = sandbox.compiled_by(TAMIS);
        let numbers = sandbox.numbers();
        sandbox
            .load("noop", &noop, Grants::all(), &limits())
            .expect("it loads");
        numbers.compiled()
    };
    assert_eq!((load(), load()), (1, 0));
    let mut entries = std::fs::read_dir(path.join("code/wasm")).expect("compiled code");
    let file = entries.next().expect("a file").expect("an entry").path();
    let mut bytes = std::fs::read(&file).expect("the code");
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&file, bytes).expect("it can be written");
    assert_eq!((load(), load()), (1, 0));
}
