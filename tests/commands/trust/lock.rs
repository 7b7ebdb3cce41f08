//! `tamis lock`: a plugin that differs from the locked one is refused.

use super::{BY_DEFAULT, DOCUMENT, Home, STRIPPED, WITH_PLUGIN, exits, text};
use serde_json::Value;

const NAME: &str = "home/project/filters.toml";
const LOCK: &str = "home/project/filters.lock";

fn locked() -> Home {
    let home = Home::new();
    home.write(NAME, WITH_PLUGIN);
    home.guest("home/project/mine.wasm");
    exits(
        &home.tamis(&["lock"]),
        0,
        &["new     mine  0.1.0 (sha256 ", "filters.lock is written"],
    );
    home
}

fn apply(home: &Home) -> super::Finished {
    let line = ["apply", "--config", "filters.toml", "--tool", "any"];
    home.program("home/project", &line).run(DOCUMENT)
}

#[test]
fn a_plugin_that_was_exchanged_is_refused_until_it_is_accepted() {
    let home = locked();
    let lock = std::fs::read_to_string(home.path(LOCK)).expect("a lock file");
    for line in [
        "version = 1",
        "name = \"mine\"",
        "path = \"mine.wasm\"",
        "contract = \"0.1.0\"",
    ] {
        assert!(lock.contains(&format!("\n{line}\n")), "{line}: {lock}");
    }
    let run = apply(&home).succeeded();
    assert_eq!(
        (text(&run.stdout), text(&run.stderr)),
        (STRIPPED.to_owned(), String::new())
    );
    exits(
        &home.tamis(&["lock", "--check"]),
        0,
        &["same    mine", "is up to date"],
    );

    home.exchanged("home/project/mine.wasm");
    let run = apply(&home);
    exits(
        &run,
        2,
        &[
            "filters.toml:3:8",
            "plugin `mine` is not the one in filters.lock",
            "(version 0.1.0), found: sha256 ",
            "if you intended the change, accept it: tamis lock filters.toml",
        ],
    );
    assert!(run.stdout.is_empty());
    let run = home.tamis(&["lock", "--check"]);
    exits(
        &run,
        1,
        &[
            "changed mine  0.1.0 (sha256 ",
            " -> sha256 ",
            "is not up to date",
        ],
    );
    let run = home.tamis(&["lock", "--check", "--json"]);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["up_to_date"], false);
    assert_eq!(report["plugins"][0]["state"], "changed");
    assert_eq!(
        std::fs::read_to_string(home.path(LOCK)).expect("a lock file"),
        lock
    );

    exits(
        &home.tamis(&["lock"]),
        0,
        &["changed mine  0.1.0 (sha256 ", ") -> 0.1.0 (sha256 "],
    );
    apply(&home).succeeded();
}

#[test]
fn a_plugin_that_nobody_locked_is_refused_and_one_that_is_gone_is_noted() {
    let home = locked();
    let other = WITH_PLUGIN.replace("\"mine\"", "\"yours\"");
    home.write(NAME, other);
    exits(
        &apply(&home),
        2,
        &[
            "plugin `yours` is not in filters.lock",
            "tamis lock filters.toml",
        ],
    );
    exits(
        &home.tamis(&["lock", "--check"]),
        1,
        &["gone    mine", "new     yours"],
    );
    home.write(NAME, super::STRIPPING);
    let run = apply(&home).succeeded();
    assert_eq!(text(&run.stdout), STRIPPED);
    exits(
        &run,
        0,
        &["filters.lock has plugin `mine`, which this file no longer has"],
    );
    exits(
        &home.tamis(&["lock"]),
        0,
        &["gone    mine", "the policy has no plugins"],
    );
    let run = apply(&home).succeeded();
    assert!(run.stderr.is_empty(), "{}", text(&run.stderr));
}

#[test]
fn a_broken_lock_file_is_reported_at_its_line() {
    let home = locked();
    let lock = std::fs::read_to_string(home.path(LOCK)).expect("a lock file");
    let cases = [
        (
            lock.replace("version = 1\n", "version = 2\n"),
            "unknown `version`",
        ),
        (lock.replace("version = 1\n", ""), "version"),
        (lock.replace("contract", "contrakt"), "contract"),
        (lock.replace("sha256 = \"", "sha256 = \"x"), "is not a hash"),
        (format!("{lock}<<<<<<< mine\n"), "filters.lock:"),
        (
            format!("{lock}{}", &lock[lock.find("[[").expect("a table")..]),
            "duplicate plugin",
        ),
    ];
    for (text, words) in cases {
        home.write(LOCK, &text);
        exits(
            &apply(&home),
            2,
            &[words, "filters.lock:", "`tamis lock` rewrites the file"],
        );
        exits(&home.tamis(&["lock", "--check"]), 2, &[words]);
        exits(&home.tamis(&["lock"]), 0, &["was broken, and is rewritten"]);
        assert_eq!(
            std::fs::read_to_string(home.path(LOCK)).expect("a lock file"),
            lock
        );
    }
    std::fs::remove_file(home.path(LOCK)).expect("remove");
    std::os::unix::fs::symlink("no-such-file", home.path(LOCK)).expect("a link");
    exits(&apply(&home), 2, &["filters.lock", "No such file"]);
}

#[test]
fn what_cannot_be_locked_is_reported_at_its_line() {
    let home = Home::new();
    home.write(NAME, WITH_PLUGIN);
    exits(
        &home.tamis(&["lock"]),
        2,
        &["filters.toml:3:8", "plugin `mine` cannot be read"],
    );
    home.write("home/project/mine.wasm", "not wasm");
    exits(
        &home.tamis(&["lock"]),
        2,
        &["filters.toml:3:8", "this is not WebAssembly"],
    );
    assert!(!home.path(LOCK).exists());
    home.guest("home/project/mine.wasm");
    exits(&home.tamis(&["lock", "--check"]), 1, &["does not exist"]);
    // Without a lock file, nothing changes.
    apply(&home).succeeded();
    // A lock file of another policy does not count.
    home.write("home/project/other.lock", "broken");
    apply(&home).succeeded();
    assert_ne!(BY_DEFAULT, STRIPPED);
}
