//! `tamis plugin`: the work of a filter's author, from an empty folder to a filter in use.

mod fuel;
mod go;
#[path = "../contract/grown.rs"]
mod grown;

use crate::support::TAMIS;
use crate::support::built;
use crate::support::built::Target;
use crate::support::manifests;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn tamis(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(TAMIS);
    command
        .current_dir(folder)
        .args(arguments)
        // A cache of its own: compiled code is found again.
        .env("TAMIS_CACHE_DIR", scratch("cache"))
        .env("CARGO_TARGET_DIR", scratch("target"))
        // Flags of this build must not affect the author's.
        .env("PATH", path())
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PROFILE_") {
            command.env_remove(name);
        }
    }
    command.output().expect("run tamis")
}

/// PATH, with the compilers that `tests/setup.sh` installs first.
fn path() -> OsString {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let own = ["node_modules/.bin", ".venv/bin"].map(|folder| tests.join(folder));
    let all = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&all))).expect("a PATH")
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("plugin-command")
        .join(name);
    std::fs::create_dir_all(&folder).expect("create a folder");
    folder
}

#[track_caller]
fn output_of(output: &Output, code: i32) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

/// Whether C can be compiled here.
fn has_clang() -> bool {
    let names = ["clang-19", "clang"].map(PathBuf::from);
    let sdk = std::env::var_os("WASI_SDK_PATH").map(|sdk| PathBuf::from(sdk).join("bin/clang"));
    // As tests/setup.sh asks: the C library, the compiler's own library, the linker.
    let is_whole = names.into_iter().chain(sdk).any(|clang| {
        [
            "-print-file-name=crt1-reactor.o",
            "-print-libgcc-file-name",
            "-print-prog-name=wasm-ld",
        ]
        .iter()
        .all(|question| {
            let said = Command::new(&clang)
                .args(["--target=wasm32-wasi", question])
                .output();
            said.is_ok_and(|said| {
                let path = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim());
                path.is_absolute() && path.exists()
            })
        })
    });
    if !is_whole {
        eprintln!("not tested: C, since clang for WebAssembly is not installed (tests/setup.sh)");
    }
    is_whole
}

/// The lines of `plugin test --json`.
fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let parse =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.lines().map(parse).collect()
}

#[test]
fn from_nothing_to_a_filter_that_passes_its_tests() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let text = output_of(&tamis(dir.path(), &["plugin", "new", "house-style"]), 0);
    assert!(
        text.contains("house-style/src/lib.rs") && text.contains("tamis plugin build"),
        "{text}"
    );
    let project = dir.path().join("house-style");
    let again = output_of(&tamis(dir.path(), &["plugin", "new", "house-style"]), 2);
    assert!(again.contains("house-style already exists"), "{again}");

    for target in ["wasm32-wasip1", "wasm32-wasip2", "wasm32-unknown-unknown"] {
        output_of(
            &tamis(&project, &["plugin", "build", "--target", target]),
            0,
        );
        let tried = output_of(&tamis(&project, &["plugin", "test", "house-style.wasm"]), 0);
        assert!(
            tried.contains("hostile documents") && tried.contains(" 0 failed"),
            "{tried}"
        );
        let tested = output_of(&tamis(&project, &["test", "filters.toml"]), 0);
        assert!(tested.contains("2 passed; 0 failed"), "{tested}");
    }
    let inspected = tamis(
        &project,
        &["plugin", "inspect", "house-style.wasm", "--json"],
    );
    output_of(&inspected, 0);
    let inspected: Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    assert_eq!(inspected["name"], "house-style");
    assert_eq!(inspected["fidelity"], "partial");
    assert_eq!(inspected["wasi"], false);
    assert_eq!(
        inspected["settings"]["properties"]["max-lines"]["default"],
        20
    );

    // A change of the source changes the results of tests.
    let source = project.join("src/lib.rs");
    let text = std::fs::read_to_string(&source).expect("read the source");
    std::fs::write(&source, text.replace("more lines]", "more]")).expect("write the source");
    output_of(&tamis(&project, &["plugin", "build"]), 0);
    let tested = output_of(&tamis(&project, &["test", "filters.toml"]), 1);
    assert!(tested.contains("[3 more lines]"), "{tested}");
}

/// One more capability, surface and fact in the contract changes nothing for a plugin in any language.
fn works_under_a_grown_contract(lang: &str, plugin: &Path) {
    let wasm = std::fs::read(plugin).expect("read the plugin");
    let text = "one line of words\nanother line of words\na third line\na fourth line\n";
    let host = grown::Host::new(text, grown::SURFACE);
    let answer = grown::call(&wasm, r#"{"max-lines":3}"#, host)
        .unwrap_or_else(|error| panic!("{lang}: {error:?}"));
    assert_eq!(answer.name, "house-style", "{lang}");
    let expected = "one line of words\nanother line of words\n[2 more lines]\n";
    assert_eq!(answer.text.as_deref(), Some(expected), "{lang}");
}

#[test]
fn the_same_in_other_languages() {
    // A counter in memory, with the default settings alone: only the first document of an instance is filtered.
    let counts = [
        (
            "ts",
            "  const whole = text();\n",
            "  const counted = globalThis as { calls?: number };\n  counted.calls = (counted.calls ?? 0) + 1;\n  if (maxLines === DEFAULT_LINES && counted.calls > 1) return { tag: \"unchanged\" };\n",
        ),
        (
            "js",
            "    const whole = text();\n",
            "    globalThis.calls = (globalThis.calls ?? 0) + 1;\n    if (maxLines === DEFAULT_LINES && globalThis.calls > 1) return { tag: \"unchanged\" };\n",
        ),
        (
            "python",
            "        text = document.text()\n",
            "        Filter.calls = getattr(Filter, \"calls\", 0) + 1\n        if Filter.max_lines == DEFAULT_LINES and Filter.calls > 1:\n            return Verdict_Unchanged()\n",
        ),
        (
            "go",
            "\twhole := document.Text()\n",
            "\tif calls++; keep.maxLines == 20 && calls > 1 {\n\t\treturn types.MakeVerdictUnchanged(), nil\n\t}\n",
        ),
    ];
    for (lang, source) in [
        ("ts", "filter.ts"),
        ("js", "filter.js"),
        ("python", "app.py"),
        ("go", "filter.go"),
        ("c", "filter.c"),
    ] {
        if lang == "c" && !has_clang() {
            continue;
        }
        let dir = tempfile::tempdir().expect("a temporary directory");
        let made = tamis(
            dir.path(),
            &["plugin", "new", "house-style", "--lang", lang],
        );
        assert!(output_of(&made, 0).contains(source));
        let project = dir.path().join("house-style");
        let counter = counts.iter().find(|it| it.0 == lang);
        if let Some((_, place, counter)) = counter {
            let text = std::fs::read_to_string(project.join(source)).expect("read the source");
            assert!(text.contains(place), "{text}");
            let mut text = text.replace(place, &format!("{counter}{place}"));
            if lang == "go" {
                text += "\nvar calls int\n";
            }
            std::fs::write(project.join(source), text).expect("write the source");
        }
        output_of(&tamis(&project, &["plugin", "build"]), 0);
        let tried = output_of(
            &tamis(
                &project,
                &[
                    "plugin",
                    "test",
                    "house-style.wasm",
                    "--settings",
                    r#"{"max-lines": 3}"#,
                ],
            ),
            0,
        );
        assert!(
            tried.contains(" 0 failed")
                && !tried.contains(" 0 changed")
                && !tried.contains("warning"),
            "{tried}"
        );
        let tested = output_of(&tamis(&project, &["test", "filters.toml"]), 0);
        assert!(tested.contains("2 passed; 0 failed"), "{tested}");
        works_under_a_grown_contract(lang, &project.join("house-style.wasm"));
        for (settings, expected) in [
            (r#"{"max-lines": 1}"#, "`max-lines` is 1"),
            (r#"{"maxlines": 1}"#, "unknown key `maxlines`"),
        ] {
            let refused = tamis(
                &project,
                &["plugin", "test", "house-style.wasm", "--settings", settings],
            );
            let refused = output_of(&refused, 2);
            assert!(refused.contains(expected), "{lang}: {refused}");
        }
        let tried = output_of(&tamis(&project, &["plugin", "test", "house-style.wasm"]), 0);
        assert_eq!(
            tried.contains(KEEPS_STATE),
            counter.is_some(),
            "{lang}: {tried}"
        );
        std::fs::write(project.join(source), "import {").expect("write the source");
        let broken = output_of(&tamis(&project, &["plugin", "build"]), 2);
        assert!(broken.contains("could not build it"), "{broken}");
        let target = ["plugin", "build", "--target", "wasm32-wasip1"];
        assert!(output_of(&tamis(&project, &target), 2).contains("is for Rust"));
    }
}

#[test]
fn a_plugin_in_c_needs_no_wasi_and_is_small() {
    if !has_clang() {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    output_of(
        &tamis(dir.path(), &["plugin", "new", "house-style", "--lang", "c"]),
        0,
    );
    let project = dir.path().join("house-style");
    output_of(&tamis(&project, &["plugin", "build"]), 0);
    let inspected = tamis(
        &project,
        &["plugin", "inspect", "house-style.wasm", "--json"],
    );
    output_of(&inspected, 0);
    let inspected: Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    assert_eq!(inspected["wasi"], false);
    let bytes = std::fs::metadata(project.join("house-style.wasm")).expect("a plugin");
    assert!(bytes.len() < 50_000, "{} bytes", bytes.len());
    let modules = std::fs::read_dir(&project).expect("list").filter(|it| {
        let name = it.as_ref().expect("list").file_name();
        name.to_string_lossy().ends_with(".wasm")
    });
    assert_eq!(modules.count(), 1, "the core module is left behind");

    // An import that the world does not have is named.
    let source = project.join("filter.c");
    let text = std::fs::read_to_string(&source).expect("read the source");
    let wants_log = "  (void)err;\n  plugin_string_t word = {(uint8_t *)\"x\", 1};\n  tamis_filter_log_log(2, &word);\n";
    std::fs::write(&source, text.replace("  (void)err;\n", wants_log)).expect("write the source");
    let refused = output_of(&tamis(&project, &["plugin", "build"]), 2);
    assert!(refused.contains("tamis:filter/log@0.1.0"), "{refused}");
    let world = project.join("wit/world.wit");
    let text = std::fs::read_to_string(&world).expect("read the world");
    let import = "  import tamis:filter/log@0.1.0;\n  export";
    std::fs::write(&world, text.replacen("  export", import, 1)).expect("write the world");
    output_of(&tamis(&project, &["plugin", "build"]), 0);
    let inspected = output_of(
        &tamis(&project, &["plugin", "inspect", "house-style.wasm"]),
        0,
    );
    assert!(inspected.contains("log"), "{inspected}");
}

#[test]
fn what_c_lacks_is_named_with_how_to_get_it() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    output_of(
        &tamis(dir.path(), &["plugin", "new", "house-style", "--lang", "c"]),
        0,
    );
    let built = Command::new(TAMIS)
        .current_dir(dir.path().join("house-style"))
        .args(["plugin", "build"])
        .env("PATH", dir.path())
        .env_remove("WASI_SDK_PATH")
        .output()
        .expect("run tamis");
    let text = output_of(&built, 2);
    assert!(
        text.contains("none is on PATH") && text.contains("apt-get install clang-19"),
        "{text}"
    );
}

/// A clang that finds the C library, which all clangs of a system share, and not the library of its own version.
#[cfg(unix)]
#[test]
fn a_clang_without_its_own_library_is_passed_over() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a temporary directory");
    output_of(
        &tamis(dir.path(), &["plugin", "new", "house-style", "--lang", "c"]),
        0,
    );
    let first = dir.path().join("first");
    std::fs::create_dir(&first).expect("a folder");
    let clang = first.join("clang");
    std::fs::write(
        &clang,
        "#!/bin/sh\ncase $2 in -print-libgcc*) echo /nowhere/builtins.a ;; -print-*) echo \"$0\" ;; *) exit 1 ;; esac\n",
    )
    .expect("write a program");
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    let build = |path: &std::ffi::OsStr| {
        Command::new(TAMIS)
            .current_dir(dir.path().join("house-style"))
            .args(["plugin", "build"])
            .env("PATH", path)
            .env_remove("WASI_SDK_PATH")
            .output()
            .expect("run tamis")
    };

    let text = output_of(&build(first.as_os_str()), 2);
    assert!(
        text.contains("clang has no compiler library for WebAssembly (libclang_rt.builtins)")
            && text.contains("libclang-rt-19-dev-wasm32"),
        "{text}"
    );

    if !has_clang() {
        return;
    }
    let mut path = first.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    output_of(&build(&path), 0);
}

#[test]
fn the_unit_tests_of_a_new_project_pass() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    output_of(&tamis(dir.path(), &["plugin", "new", "house-style"]), 0);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tested = Command::new(cargo)
        .current_dir(dir.path().join("house-style"))
        .args(["test", "--quiet"])
        .env("CARGO_TARGET_DIR", scratch("target"))
        .output()
        .expect("run cargo");
    let text = output_of(&tested, 0);
    assert!(text.contains("3 passed"), "{text}");
}

#[test]
fn names_that_are_none_and_folders_without_a_project_are_refused() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for (name, expected) in [
        ("House", "`House` is not a valid name for a filter"),
        ("../up", "is not a valid name for a filter"),
        ("summary", "`summary` is a built-in filter"),
    ] {
        let text = output_of(&tamis(dir.path(), &["plugin", "new", name]), 2);
        assert!(text.contains(expected), "{text}");
    }
    let text = output_of(&tamis(dir.path(), &["plugin", "build"]), 2);
    assert!(
        text.contains(
            ". contains no Cargo.toml, filter.ts, filter.js, app.py, filter.go or filter.c"
        ),
        "{text}"
    );
    assert!(
        std::fs::read_dir(dir.path())
            .expect("list")
            .next()
            .is_none()
    );
}

#[test]
fn every_filter_of_tamis_keeps_its_promises() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for filter in tamis::built_in::names() {
        let settings = manifests::small_settings(filter);
        let tried = tamis(
            dir.path(),
            &["plugin", "test", filter, "--settings", &settings],
        );
        let text = output_of(&tried, 0);
        assert!(!text.contains("keeps state"), "{filter}: {text}");
    }
}

#[test]
fn broken_promises_are_named() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let guest = built::path(Target::Unknown, "breaks-promises");
    let guest = guest.to_str().expect("a path");
    let tried = tamis(
        dir.path(),
        &[
            "plugin",
            "test",
            guest,
            "--settings",
            r#"{"least":2}"#,
            "--json",
            "--save-failures",
            "failed",
        ],
    );
    assert_eq!(tried.status.code(), Some(1));
    let lines = lines(&tried);
    let of = |name: &str| {
        let line = lines.iter().find(|line| line["document"] == name);
        line.unwrap_or_else(|| panic!("no {name}"))["broken"].to_string()
    };
    for (document, broken) in [
        (
            "one-character",
            vec![
                "idempotent",
                "triggers",
                "1 bytes, and says that it changes none of fewer than 2",
                "does not grow",
            ],
        ),
        (
            "nothing-but-empties",
            vec!["idempotent", "triggers", "`exact`"],
        ),
    ] {
        let small = document == "one-character";
        assert_eq!(of(document).contains("fewer than"), small, "{document}");
        for promise in broken {
            assert!(
                of(document).contains(promise),
                "{document}: {}",
                of(document)
            );
        }
    }
    assert_eq!(of("empty-object"), "[]");
    let summary = &lines.last().expect("a summary")["summary"];
    assert!(summary["failed"].as_u64() > Some(20), "{summary}");
    let saved = std::fs::read_to_string(dir.path().join("failed/one-character.txt"));
    assert_eq!(saved.expect("the document"), "a");
}

/// The warning about a plugin with state in memory.
const KEEPS_STATE: &str = "it keeps state in memory: a document has another output in an instance that was called before. Each call has a fresh instance, so the filter finds nothing of earlier calls. If it needs a value of an earlier call, keep that with the capability `session` (import `session`, and grant it with `allow = [\"session\"]`)";

#[test]
fn state_that_no_later_call_finds_is_named() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(dir.path().join("a.txt"), "some words\n").expect("write a document");
    for (target, guest, keeps_state) in [
        (Target::Unknown, "state", true),
        (Target::Unknown, "remembers", true),
        (Target::Wasip1, "remembers", true),
        (Target::Unknown, "tally", false),
        (Target::Wasip2, "noop", false),
    ] {
        let path = built::path(target, guest);
        let path = path.to_str().expect("a path");
        let tried = tamis(dir.path(), &["plugin", "test", path]);
        let text = output_of(&tried, 0);
        assert_eq!(text.contains(KEEPS_STATE), keeps_state, "{guest}: {text}");
        let again = tamis(dir.path(), &["plugin", "test", path, "--document", "a.txt"]);
        let text = output_of(&again, 0);
        let warning = format!("warning: a.txt: {KEEPS_STATE}");
        assert_eq!(text.contains(&warning), keeps_state, "{guest}: {text}");
        let lines = lines(&tamis(dir.path(), &["plugin", "test", path, "--json"]));
        let summary = &lines.last().expect("a summary")["summary"];
        let count = summary["keeps_state"].as_u64().unwrap_or_default();
        assert_eq!(count > 0, keeps_state, "{guest}: {summary}");
        let warnings = summary["warnings"].to_string();
        assert_eq!(
            warnings.contains("keeps state"),
            keeps_state,
            "{guest}: {summary}"
        );
    }
}

#[test]
fn a_plugin_that_crashes_hangs_or_asks_for_the_network_is_told_why() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for (target, guest, settings, code, expected) in [
        (
            Target::Unknown,
            "panic",
            r#"{"at": "a"}"#,
            1,
            "it crashed: ",
        ),
        (
            Target::Wasip2,
            "imports-net",
            "{}",
            2,
            "filters get no files, no network",
        ),
        (
            Target::Unknown,
            "wrong-contract",
            "{}",
            2,
            "this Tamis speaks 0.1.0",
        ),
    ] {
        let path = built::path(target, guest);
        let path = path.to_str().expect("a path");
        let text = output_of(
            &tamis(
                dir.path(),
                &["plugin", "test", path, "--settings", settings],
            ),
            code,
        );
        assert!(text.contains(expected), "{guest}: {text}");
    }
    let text = output_of(
        &tamis(dir.path(), &["plugin", "inspect", "nowhere.wasm"]),
        2,
    );
    assert!(text.contains("read nowhere.wasm"), "{text}");
    let text = output_of(
        &tamis(
            dir.path(),
            &["plugin", "test", "truncate", "--settings", "[]"],
        ),
        2,
    );
    assert!(text.contains("expected a JSON object"), "{text}");
}

#[test]
fn who_stops_reading_is_told_nothing() {
    let mut child = Command::new(TAMIS)
        .args(["plugin", "test", "stub", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("run tamis");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("wait for tamis");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn fuel_is_the_same_each_time_and_grows_with_the_document() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let small = dir.path().join("small.json");
    let large = dir.path().join("large.json");
    let rows = |count| format!("[{}]", vec![r#"{"a":1,"b":null}"#; count].join(","));
    std::fs::write(&small, rows(10)).expect("write");
    std::fs::write(&large, rows(1000)).expect("write");
    let fuel = || -> Vec<u64> {
        let measured = tamis(
            dir.path(),
            &[
                "plugin",
                "bench",
                "null-stripper",
                "--json",
                "--document",
                "small.json",
                "--document",
                "large.json",
            ],
        );
        output_of(&measured, 0);
        let lines = lines(&measured);
        // Filters begin with 1 MiB, which these documents do not exceed: see plugins/.cargo.
        assert!(lines.iter().all(|line| line["memory_bytes"] == 1 << 20));
        lines
            .iter()
            .filter_map(|line| line["fuel"].as_u64())
            .collect()
    };
    let first = fuel();
    assert_eq!(first, fuel());
    assert!(first[1] > first[0] * 20, "{first:?}");
}
