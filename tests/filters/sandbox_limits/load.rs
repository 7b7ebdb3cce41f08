//! Plugins that are refused before any call, each for its own reason, and plugins that are accepted.

use super::{SANDBOX, Target, applied, filter, limits, wasm};
use crate::support::module::number;
use serde_json::json;
use tamis::policy::{Capability, Grants};
use tamis::sandbox::{CallError, LoadError, Sandbox};

/// The first eight bytes of a core module and of a component.
const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

#[track_caller]
fn refusal(wasm: &[u8], grants: Grants) -> LoadError {
    match SANDBOX.load("plugin", wasm, grants, &limits()) {
        Ok(plugin) => panic!("it loads: {:?}", plugin.description()),
        Err(error) => error,
    }
}

/// Reads a number in WebAssembly's encoding (LEB128), and returns its length too.
fn read_number(bytes: &[u8]) -> (usize, usize) {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return (value, at + 1);
        }
    }
    panic!("a number without an end")
}

/// A core module with a second, unused memory.
pub(super) fn with_second_memory(module: &[u8], pages: usize) -> Vec<u8> {
    const MEMORIES: u8 = 5;
    // No maximum.
    with_second(module, MEMORIES, &[&[0][..], &number(pages)].concat())
}

/// A core module with a second, unused table of functions.
fn with_second_table(module: &[u8], elements: usize) -> Vec<u8> {
    const TABLES: u8 = 4;
    const FUNCTIONS_WITHOUT_MAXIMUM: [u8; 2] = [0x70, 0];
    with_second(
        module,
        TABLES,
        &[&FUNCTIONS_WITHOUT_MAXIMUM[..], &number(elements)].concat(),
    )
}

/// A core module with a second item in a section with one.
fn with_second(module: &[u8], section: u8, item: &[u8]) -> Vec<u8> {
    let mut out = module[..8].to_vec();
    let mut rest = &module[8..];
    let mut found = false;
    while let [id, after @ ..] = rest {
        let (len, len_len) = read_number(after);
        let (body, next) = after[len_len..].split_at(len);
        let mut body = body.to_vec();
        if *id == section {
            assert_eq!(body[0], 1, "the section has one item");
            body[0] = 2;
            body.extend(item);
            found = true;
        }
        out.push(*id);
        out.extend(number(body.len()));
        out.extend(body);
        rest = next;
    }
    assert!(found, "the module has no section {section}");
    out
}

/// The same bytes with another version of the contract.
fn with_contract_version(wasm: &[u8], version: &str) -> Vec<u8> {
    const OWN: &[u8] = b"0.1.0";
    assert_eq!(version.len(), OWN.len());
    let mut wasm = wasm.to_vec();
    let mut replaced = 0;
    for at in 0..wasm.len() - OWN.len() {
        let is_contract = wasm[..at].ends_with(b"@") && wasm[at..].starts_with(OWN);
        if is_contract {
            wasm[at..at + OWN.len()].copy_from_slice(version.as_bytes());
            replaced += 1;
        }
    }
    assert!(replaced > 0, "the plugin names no version of the contract");
    wasm
}

#[test]
fn every_target_of_rust_loads_and_runs() {
    for (target, form) in [
        (Target::Unknown, CORE_MODULE),
        (Target::Wasip1, CORE_MODULE),
        (Target::Wasip2, COMPONENT),
    ] {
        assert!(wasm(target, "noop").starts_with(form), "{target:?}");
        let noop = filter(target, "noop", json!({}), &limits());
        assert_eq!(noop.description().name, "noop", "{target:?}");
        assert_eq!(applied(&noop, "text"), "text", "{target:?}");
    }
}

#[test]
fn tables_have_so_many_elements_together() {
    let noop = wasm(Target::Unknown, "noop");
    let load = |elements| {
        let wasm = with_second_table(&noop, elements);
        SANDBOX.load("noop", &wasm, Grants::all(), &limits())
    };
    // The module has its own small table.
    let obeyed = load(99_000).expect("its tables fit");
    let obeyed = obeyed
        .configure("{}", &limits())
        .expect("it takes its settings");
    assert_eq!(applied(&obeyed, "text"), "text");
    assert!(load(100_000).is_err());
}

#[test]
fn what_is_not_webassembly() {
    for (bytes, found) in [
        (&b""[..], "begins with ``"),
        (b"\0as", r"begins with `\x00as`"),
        (b"#!/bin/sh\n", "begins with `#!/bin/s`"),
        (b"{\"a\": 1}", r#"begins with `{\"a\": 1}`"#),
        // The first bytes without the rest, and unknown versions of the format.
        (b"\0asm", r"begins with `\x00asm`"),
        (b"\0asm\x01\0", r"begins with `\x00asm\x01\x00`"),
        (b"\0asm\x02\0\0\0", r"begins with `\x00asm\x02\x00\x00\x00`"),
        (
            b"\0asm\x0e\0\x01\0",
            r"begins with `\x00asm\x0e\x00\x01\x00`",
        ),
    ] {
        let error = refusal(bytes, Grants::all());
        assert!(matches!(error, LoadError::NotWasm { .. }), "{error:?}");
        let message = error.to_string();
        assert!(message.contains(found), "{message}");
    }
}

#[test]
fn webassembly_that_is_cut_short() {
    for target in [Target::Unknown, Target::Wasip1, Target::Wasip2] {
        let noop = wasm(target, "noop");
        for len in [9, 100, noop.len() / 2, noop.len() - 1] {
            let error = refusal(&noop[..len], Grants::all());
            assert!(
                matches!(error, LoadError::Compile(_)),
                "{target:?}, {len} bytes: {error:?}"
            );
        }
    }
}

/// The section that names the contract of a core module, with its name.
fn contract_section(module: &[u8]) -> std::ops::Range<usize> {
    let mut at = 8;
    while at < module.len() {
        let (len, len_len) = read_number(&module[at + 1..]);
        let start = at + 1 + len_len;
        let section = start..start + len;
        if module[at] == 0 && module[start + 1..].starts_with(b"component-type") {
            return section;
        }
        at = section.end;
    }
    panic!("the module does not say what it was made for")
}

/// The host survives, whether it refuses the bytes or not.
#[test]
fn webassembly_with_wrong_bytes() {
    let component = wasm(Target::Wasip2, "noop");
    let module = wasm(Target::Unknown, "wrong-contract");
    let section = contract_section(&module);
    // Numbers that look random and are the same each time (splitmix64).
    let mut seed: u64 = 0;
    let mut next = |below: usize| {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    };
    // Compiled code of these is not stored.
    let sandbox = Sandbox::new(None).expect("start the sandbox");
    for round in 0..300 {
        let (original, range) = match round % 15 {
            0 => (&component, 8..component.len()),
            1..5 => (&module, 8..module.len()),
            _ => (&module, section.clone()),
        };
        let mut wasm = original.clone();
        for _ in 0..=next(4) {
            let at = range.start + next(range.len());
            wasm[at] = next(256) as u8;
        }
        if round % 2 == 0 {
            wasm.truncate(next(original.len()));
        }
        let load = || sandbox.load("scrambled", &wasm, Grants::all(), &limits());
        let loaded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(load));
        assert!(loaded.is_ok(), "round {round} makes the host panic");
    }
}

#[test]
fn webassembly_that_is_no_plugin() {
    for empty in [CORE_MODULE, COMPONENT] {
        let error = refusal(empty, Grants::all());
        assert!(matches!(error, LoadError::Contract(_)), "{error:?}");
    }
}

/// Each is a component with one core module of one section.
#[test]
fn proposals_that_are_switched_off() {
    let component = |section: &[u8]| {
        let module = [CORE_MODULE, section].concat();
        [COMPONENT, &[1], &number(module.len()), &module].concat()
    };
    let control = refusal(&component(&[5, 3, 1, 0, 1]), Grants::all());
    assert!(matches!(control, LoadError::Contract(_)), "{control:?}");
    for (proposal, section) in [
        ("threads", &[5, 4, 1, 3, 1, 1][..]),
        ("memory64", &[5, 3, 1, 4, 1]),
        ("garbage collection", &[1, 3, 1, 0x5f, 0]),
        ("exceptions", &[1, 4, 1, 0x60, 0, 0, 13, 3, 1, 0, 0]),
    ] {
        let error = refusal(&component(section), Grants::all());
        assert!(
            matches!(error, LoadError::Compile(_)),
            "{proposal}: {error:?}"
        );
    }
}

#[test]
fn an_import_that_was_not_granted() {
    let flood = wasm(Target::Unknown, "flood");
    let others = Grants::all().iter().filter(|it| *it != Capability::Log);
    let other_grants = others.collect();
    let error = refusal(&flood, other_grants);
    assert!(
        matches!(error, LoadError::NotGranted(Capability::Log)),
        "{error:?}"
    );
    let message = error.to_string();
    assert!(message.contains(r#"allow = ["log"]"#), "{message}");
    let only_log = Grants::from_iter([Capability::Log]);
    let plugin = SANDBOX.load("flood", &flood, only_log, &limits());
    assert_eq!(
        plugin.expect("it is granted").description().wants,
        [Capability::Log]
    );
}

#[test]
fn an_import_that_nothing_grants() {
    let error = refusal(&wasm(Target::Wasip2, "imports-net"), Grants::all());
    assert!(
        matches!(&error, LoadError::UnknownImport(name) if name.starts_with("wasi:sockets/")),
        "{error:?}"
    );
    let message = error.to_string();
    assert!(message.contains("wasi:sockets/"), "{message}");
}

#[test]
fn another_version_of_the_contract() {
    let patched = with_contract_version(&wasm(Target::Unknown, "noop"), "0.2.0");
    for wasm in [wasm(Target::Unknown, "wrong-contract"), patched] {
        let error = refusal(&wasm, Grants::all());
        assert!(
            matches!(
                &error,
                LoadError::ContractVersion { plugin, host: "0.1.0" } if plugin == "0.2.0"
            ),
            "{error:?}"
        );
    }
}

/// The same bytes with another name of the same length.
fn with_name(wasm: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut wasm = wasm.to_vec();
    let places: Vec<usize> = wasm
        .windows(old.len())
        .enumerate()
        .filter_map(|(at, found)| (found == old).then_some(at))
        .collect();
    assert!(!places.is_empty(), "the plugin does not name it");
    for at in places {
        wasm[at..at + new.len()].copy_from_slice(new);
    }
    wasm
}

/// A feature of a later contract is named, with both versions.
#[test]
fn what_a_later_contract_has() {
    let later = with_contract_version(&wasm(Target::Unknown, "every-import"), "0.1.3");
    let interface = with_name(&later, b"tamis:filter/tokens@", b"tamis:filter/clocks@");
    let function = with_name(&later, b"\x05count", b"\x05price");
    let newer = with_contract_version(&wasm(Target::Unknown, "newer"), "0.1.3");
    for (wasm, named) in [
        (interface, "the import `tamis:filter/clocks`"),
        (function, "the function `price` of `tamis:filter/tokens`"),
        (
            newer,
            "the capability `clock` (known: log, tokens, result-meta, original, session)",
        ),
    ] {
        let error = refusal(&wasm, Grants::all());
        match &error {
            LoadError::NotInContract { what, plugin, host } => {
                assert_eq!(
                    (what.as_str(), plugin.as_str(), *host),
                    (named, "0.1.3", "0.1.0")
                );
            }
            other => panic!("{named}: {other:?}"),
        }
        let message = error.to_string();
        assert!(message.contains("built for version 0.1.3"), "{message}");
        assert!(error.remedy().is_some());
    }
}

/// A patch of the contract's wording is the same contract.
#[test]
fn another_patch_of_the_contract() {
    let wasm = with_contract_version(&wasm(Target::Unknown, "noop"), "0.1.7");
    let plugin = SANDBOX
        .load("noop", &wasm, Grants::all(), &limits())
        .unwrap_or_else(|error| panic!("0.1.7 does not load: {error}"));
    let noop = plugin
        .configure("{}", &limits())
        .expect("it takes its settings");
    assert_eq!(applied(&noop, "text"), "text");
}

#[test]
fn settings_that_a_plugin_refuses() {
    let plugin = super::load(Target::Unknown, "spin", &limits());
    for (settings, named) in [
        (r#"{"ruonds": 1}"#, "ruonds"),
        (r#"{"rounds": -1}"#, "-1"),
        (r#"{"rounds": "many"}"#, "many"),
    ] {
        let result = plugin.configure(settings, &limits()).err();
        match result {
            Some(LoadError::Settings(message)) if message.contains(named) => {}
            other => panic!("{settings}: {other:?}"),
        }
    }
    assert!(plugin.configure("{}", &limits()).is_ok());
}

#[test]
fn a_crash_while_settings_are_taken() {
    let plugin = super::load(Target::Unknown, "panic", &limits());
    let result = plugin
        .configure(r#"{"at_configure": true}"#, &limits())
        .err();
    assert!(
        matches!(result, Some(LoadError::Configure(CallError::Trap { .. }))),
        "{result:?}"
    );
    assert!(
        plugin.configure("{}", &limits()).is_ok(),
        "the plugin still works"
    );
}
