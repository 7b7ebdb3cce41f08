//! Plugins that attack the compiler: `check` and `run` refuse each in bounded time and memory, and name the broken
//! limit.

use super::{TAMIS, text};
use crate::support::module::{
    component_of, doubling, functions, idle, list, module, section, tangled,
};
use crate::support::{Finished, Folder, Program};
use serde_json::Value;

/// Most memory of any process of a command, at any time.
const MOST_KIB: u64 = 300 * 1024;

/// Runs a command, and writes the peak memory of it and of all processes that it started, in KiB.
const MEASURED: &str = "import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open(sys.argv[1], 'w').write(str(peak))
sys.exit(code)";

/// A folder with a plugin and a policy that uses it. `limits`: of the plugin.
pub(super) fn stage(wasm: &[u8], limits: &str) -> Folder {
    let folder = Folder::new();
    folder.write("plugin.wasm", wasm);
    folder.write(
        "filters.toml",
        format!(
            "[[plugin]]\nname = \"p\"\npath = \"plugin.wasm\"\nlimits = {{ {limits} }}\n\n[[chain]]\ntools = [\"*\"]\nsteps = [\"p\"]\n"
        ),
    );
    folder
}

/// Runs `tamis` with an empty cache. Returns its output, and the peak memory.
#[track_caller]
fn measured(folder: &Folder, arguments: &[&str]) -> (Finished, u64) {
    let mut line = vec!["python3", "-c", MEASURED, "peak", TAMIS];
    line.extend(arguments);
    let run = Program::new(&line, folder.path())
        .env("HOME", folder.path())
        .env("TAMIS_CACHE_DIR", folder.path().join("cache"))
        .run("");
    let peak = std::fs::read_to_string(folder.path().join("peak")).expect("it was measured");
    let peak_kib: u64 = peak.parse().expect("a number");
    if peak_kib > MOST_KIB {
        run.fail(&format!("it took {peak_kib} KiB"));
    }
    (run, peak_kib)
}

/// The output of `tamis check` with one error of a plugin.
#[track_caller]
fn refused(folder: &Folder) -> String {
    let (run, _) = measured(folder, &["check", "--config", "filters.toml"]);
    let told = text(&run.stdout);
    if run.status.code() != Some(1) || !told.contains("error[plugin-invalid]") {
        run.fail("it should have refused the plugin");
    }
    told
}

#[test]
fn a_module_with_too_much_of_anything_is_refused_uncompiled() {
    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";
    let types = [1, 0x60, 0, 0];
    let function = list(3, 100_001, &[0]);
    for (what, wasm, said) in [
        (
            "1.2 MB",
            functions(&[tangled(1_200_000, 100)], 0),
            "has 1199983 bytes, and 524288 are allowed",
        ),
        (
            "2,000 locals",
            functions(&[tangled(45_000, 2_000)], 0),
            "has 2000 local",
        ),
        (
            "locals and parameters",
            functions(&[idle(10, 999)], 2),
            "has 1001 local",
        ),
        (
            "functions",
            module(&[section(1, &types), function]),
            "has 100001 functions",
        ),
        (
            "types",
            module(&[list(1, 10_001, &types[1..])]),
            "defines 10001 types",
        ),
        (
            "globals",
            module(&[list(6, 100_001, &[0x7f, 0, 0x41, 0, 0x0b])]),
            "declares 100001 items",
        ),
        (
            "modules",
            component_of(100_001, EMPTY),
            "declares 100001 items",
        ),
    ] {
        let folder = stage(&wasm, "");
        let told = refused(&folder);
        assert!(told.contains(said), "{what}: {told}");
        assert!(told.contains("are allowed (limit `"), "{what}: {told}");
        assert!(told.contains("limits = { "), "{what}: {told}");
        assert!(!folder.path().join("cache/code").exists(), "{what}");

        let run = ["run", "--config", "filters.toml", "--", "cat"];
        let (run, _) = measured(&folder, &run);
        if run.status.code() != Some(2) || !text(&run.stderr).contains(said) {
            run.fail(what);
        }
    }
}

#[test]
fn who_knows_better_raises_a_limit() {
    for (wasm, limit) in [
        (
            functions(&[idle(600_000, 0)], 0),
            "function-bytes = \"1MiB\"",
        ),
        (functions(&[idle(3_000, 2_000)], 0), "locals = 2_000"),
        (module(&[list(1, 10_001, &[0x60, 0, 0])]), "types = 10_001"),
    ] {
        // It is compiled, and is no filter.
        let told = refused(&stage(&wasm, limit));
        assert!(told.contains("does not fit the contract"), "{told}");
        let told = refused(&stage(&wasm, ""));
        assert!(told.contains("are allowed (limit `"), "{told}");
    }
}

/// Every function is within the limits, and as expensive as they allow.
#[test]
fn what_takes_too_much_to_compile_is_given_up() {
    for functions in [
        functions(&[tangled(304_000, 990)], 0),
        functions(&vec![tangled(250_000, 990); 4], 0),
        functions(&vec![idle(2, 0); 100_000], 0),
        // 600 bytes, and a thousand million instances.
        doubling(30),
    ] {
        let folder = stage(&functions, "");
        let told = refused(&folder);
        assert!(told.contains("limit `compile-memory`"), "{told}");
        assert!(told.contains("limits = { compile-memory = "), "{told}");
        let run = ["run", "--config", "filters.toml", "--", "cat"];
        let (run, _) = measured(&folder, &run);
        if run.status.code() != Some(2) || !text(&run.stderr).contains("compile-memory") {
            run.fail("it should have ended");
        }
    }
    let slow = functions(&vec![tangled(30_000, 400); 30], 0);
    let told = refused(&stage(
        &slow,
        "compile-time = \"1s\", compile-memory = \"1GiB\"",
    ));
    assert!(
        told.contains("longer than 1s (limit `compile-time`"),
        "{told}"
    );
    assert!(told.contains("limits = { compile-time = "), "{told}");
}

/// A plugin that can be compiled may still be too large to run.
#[test]
fn a_component_with_more_instances_than_there_is_room_for_is_refused() {
    let told = refused(&stage(&doubling(17), ""));
    assert!(told.contains("131072 core module instances"), "{told}");
}

/// A project of another person, which the user explores.
fn project() -> (Folder, std::path::PathBuf) {
    let folder = Folder::new();
    let guest = crate::support::built::path(super::Target::Unknown, "noop");
    let wasm = std::fs::read(guest).expect("the guest");
    folder.write("project/.git/HEAD", "ref: refs/heads/main\n");
    folder.write("project/noop.wasm", wasm);
    let policy = "[[plugin]]\nname = \"own\"\npath = \"noop.wasm\"\nallow = [\"log\"]\nlimits = { compile-memory = \"8GiB\" }\n\n[[chain]]\ntools = [\"*\"]\nsteps = [\"own\", { filter = \"jq\", program = \".\" }]\n";
    let policy = folder.write("project/filters.toml", policy);
    (folder, policy)
}

fn check_project(folder: &Folder, arguments: &[&str]) -> Finished {
    let line = [&[TAMIS, "check"], arguments].concat();
    Program::new(&line, &folder.path().join("project"))
        .env("HOME", folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TAMIS_CACHE_DIR", folder.path().join("cache"))
        .run("")
}

#[test]
fn nothing_of_a_project_that_is_not_trusted_is_compiled_unless_it_is_asked_for() {
    let (folder, policy) = project();
    let was_compiled = || folder.path().join("cache/code").exists();
    let policy = policy.to_str().expect("Unicode");
    for named in ["filters.toml", policy] {
        let run = check_project(&folder, &[named]).succeeded();
        let told = text(&run.stdout);
        for part in ["warning[plugin-not-compiled]", "Unchecked: ", "--compile"] {
            assert!(told.contains(part), "{}", run.report());
        }
        assert!(!told.contains("grant-unused"), "{}", run.report());
        assert!(!was_compiled(), "{}", run.report());
    }
    let run = check_project(&folder, &["filters.toml", "--json"]);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["findings"][0]["code"], "plugin-not-compiled");
    let denied = check_project(&folder, &["filters.toml", "--deny", "warnings"]);
    assert_eq!(denied.status.code(), Some(1), "{}", denied.report());

    let run = check_project(&folder, &["filters.toml", "--compile"]).succeeded();
    assert!(
        text(&run.stdout).contains("grant-unused"),
        "{}",
        run.report()
    );
    assert!(was_compiled(), "{}", run.report());
}

#[test]
fn what_is_trusted_or_named_with_config_is_compiled() {
    let (folder, _) = project();
    let run = check_project(&folder, &["--config", "filters.toml"]).succeeded();
    assert!(
        text(&run.stdout).contains("grant-unused"),
        "{}",
        run.report()
    );

    let line = [TAMIS, "trust", "--yes"];
    Program::new(&line, &folder.path().join("project"))
        .env("HOME", folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .run("")
        .succeeded();
    let run = check_project(&folder, &["filters.toml"]).succeeded();
    assert!(
        text(&run.stdout).contains("grant-unused"),
        "{}",
        run.report()
    );
}

#[test]
fn a_plugin_of_an_untrusted_project_that_holds_too_much_is_an_error_all_the_same() {
    let (folder, _) = project();
    folder.write("project/noop.wasm", functions(&[tangled(600_000, 10)], 0));
    let run = check_project(&folder, &["filters.toml"]);
    assert_eq!(run.status.code(), Some(1), "{}", run.report());
    let told = text(&run.stdout);
    assert!(told.contains("limit `function-bytes`"), "{}", run.report());
}

/// A cache that others may write to, or replace, is not used.
#[test]
fn a_cache_below_a_folder_that_others_may_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let guest = crate::support::built::path(super::Target::Unknown, "noop");
    let folder = stage(&std::fs::read(guest).expect("the guest"), "");
    let open = folder.path().join("open");
    let cache = open.join("own/cache");
    std::fs::create_dir_all(&cache).expect("folders");
    let check = |mode: u32| {
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(mode)).expect("a mode");
        Program::new(&[TAMIS, "check", "--config", "filters.toml"], folder.path())
            .env("HOME", folder.path())
            .env("TAMIS_CACHE_DIR", &cache)
            .run("")
            .succeeded()
    };
    // For 0775, the group's owner matters: `private::tests`.
    for mode in [0o777, 0o757, 0o722] {
        let run = check(mode);
        let log = text(&run.stderr);
        assert!(
            log.contains("compiled filters are not cached"),
            "{}",
            run.report()
        );
        assert!(log.contains("open above it"), "{}", run.report());
        let kept = std::fs::read_dir(&cache).expect("the cache").count();
        assert_eq!(kept, 0, "{}", run.report());
    }
    // As `/tmp` is; and a folder of one's own.
    for mode in [0o1777, 0o755] {
        let run = check(mode);
        assert!(run.stderr.is_empty(), "{}", run.report());
        assert!(cache.join("code").exists(), "{}", run.report());
    }
}
