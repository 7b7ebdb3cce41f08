//! The choice of the policy: a project's policy counts only after its user trusts it, and plugins only as they were
//! locked.
//!
//! `make guests` builds the guests (tests/guests).

#[allow(dead_code, reason = "other tests name the other guests")]
mod hostile_text;
mod included;
mod lapsed;
mod lock;
mod shown;
mod signatures;

use crate::support::built;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::built::Target;
use crate::support::{Finished, Folder, Program, TAMIS, exits, text};
use serde_json::Value;

/// The file that a project's policy includes.
const NAME_OF_TEAM: &str = "home/project/team.toml";

/// A document whose results under the three policies of these tests differ.
const DOCUMENT: &str = r#"{"a":null,"list":[1,2,3]}"#;
const BY_DEFAULT: &str = DOCUMENT;
const STRIPPED: &str = r#"{"list":[1,2,3]}"#;

const STRIPPING: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n";

/// A policy with a plugin without effect, and a filter that shows that the policy is used.
const WITH_PLUGIN: &str = "[[plugin]]\nname = \"mine\"\npath = \"mine.wasm\"\nallow = [\"log\"]\n\n[[chain]]\nname = \"all of it\"\ntools = [\"*\"]\nsteps = [\"mine\", \"null-stripper\"]\n";

/// A home, with a project and a state.
struct Home {
    folder: Folder,
}

impl Home {
    fn new() -> Home {
        let home = Home {
            folder: Folder::new(),
        };
        for folder in ["home/project/.git", "home/project/src", "state"] {
            std::fs::create_dir_all(home.path(folder)).expect("make a folder");
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.folder.write(name, content)
    }

    /// Adds a plugin without effect.
    fn guest(&self, name: &str) {
        self.write(name, noop());
    }

    /// Adds another plugin without effect: it has one more custom section.
    fn exchanged(&self, name: &str) {
        self.write(name, [noop().as_slice(), b"\0\x05\x04note"].concat());
    }

    fn program(&self, folder: &str, line: &[&str]) -> Program {
        let mut all = vec![TAMIS];
        all.extend(line);
        Program::new(&all, &self.path(folder))
            .env("HOME", self.path("home"))
            .env("TAMIS_STATE_DIR", self.path("state"))
            .env(
                "TAMIS_CACHE_DIR",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled"),
            )
    }

    fn tamis(&self, line: &[&str]) -> Finished {
        self.program("home/project", line).run("")
    }

    /// The document filtered by the policy of a folder, and the messages.
    fn applied(&self, folder: &str) -> (String, String) {
        let run = self
            .program(folder, &["apply", "--tool", "any"])
            .run(DOCUMENT)
            .succeeded();
        (text(&run.stdout), text(&run.stderr))
    }

    #[track_caller]
    fn uses_project(&self) {
        assert_eq!(
            self.applied("home/project/src"),
            (STRIPPED.to_owned(), String::new())
        );
    }

    #[track_caller]
    fn refuses_project(&self, words: &[&str]) {
        let (output, said) = self.applied("home/project/src");
        assert_eq!(output, BY_DEFAULT, "{said}");
        assert_eq!(said.matches("WARN").count(), 1, "one warning: {said}");
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}

impl Home {
    /// Checks that no policy is used, and that one line tells the reason.
    #[track_caller]
    fn closes_project(&self, words: &[&str]) {
        let run = self
            .program("home/project/src", &["apply", "--tool", "any"])
            .run(DOCUMENT);
        let said = text(&run.stderr);
        if run.status.code() != Some(2) || !run.stdout.is_empty() || said.lines().count() != 1 {
            run.fail("it should have put out nothing but one line");
        }
        for word in words
            .iter()
            .chain(&["changed after you trusted it", "tamis trust /"])
        {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}

fn noop() -> Vec<u8> {
    std::fs::read(built::path(Target::Unknown, "noop")).expect("a guest")
}

#[test]
fn a_projects_policy_is_used_once_trusted_and_until_it_changes() {
    let home = Home::new();
    let path = home.write("home/project/filters.toml", STRIPPING);
    let path = path.to_str().expect("Unicode");
    home.refuses_project(&[
        "you do not trust it",
        &format!("tamis check {path}"),
        &format!("tamis trust {path}"),
    ]);
    let run = home.tamis(&["trust"]);
    exits(
        &run,
        2,
        &[
            "chain 1: results of *: null-stripper",
            "no terminal to ask",
            "--yes",
        ],
    );
    home.refuses_project(&["you do not trust it"]);

    // From a folder below, by its path there.
    let run = home
        .program("home/project/src", &["trust", "--yes", "../filters.toml"])
        .run("");
    exits(
        &run,
        0,
        &[path, "only built-in filters", "trusted: Tamis uses it in"],
    );
    home.uses_project();
    let run = home.tamis(&["trust", "--list", "--json"]).succeeded();
    let list: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(
        (&list[0]["path"], &list[0]["trusted"]),
        (&path.into(), &true.into())
    );

    home.write("home/project/filters.toml", format!("# \n{STRIPPING}"));
    home.closes_project(&[
        "changed after you trusted it (filters.toml)",
        "To review and trust the change",
    ]);
    exits(
        &home.tamis(&["trust", "--list"]),
        0,
        &["not used: filters.toml"],
    );
    home.write("home/project/filters.toml", STRIPPING);
    home.uses_project();

    exits(
        &home.tamis(&["trust", "--revoke"]),
        0,
        &["not trusted any more"],
    );
    home.refuses_project(&["you do not trust it"]);
    exits(&home.tamis(&["trust", "--revoke"]), 0, &["was not trusted"]);
    exits(
        &home.tamis(&["trust", "--list"]),
        0,
        &["No project's filters.toml is trusted"],
    );
}

#[test]
fn trust_covers_plugins_and_the_lock_file() {
    let home = Home::new();
    home.write("home/project/filters.toml", WITH_PLUGIN);
    let run = home.tamis(&["trust", "--yes"]);
    exits(&run, 2, &["plugin `mine` cannot be read"]);
    home.guest("home/project/mine.wasm");
    let run = home.tamis(&["trust", "--yes"]);
    exits(
        &run,
        0,
        &[
            "all of it: results of *: mine, null-stripper",
            "may use: log",
            "sha256 ",
        ],
    );
    home.uses_project();

    home.exchanged("home/project/mine.wasm");
    home.closes_project(&["changed after you trusted it (plugin `mine` (", " was "]);
    std::fs::remove_file(home.path("home/project/mine.wasm")).expect("remove");
    home.closes_project(&["plugin `mine` cannot be read"]);
    // A link to the same bytes counts as the same; a link to a device is not read.
    home.guest("elsewhere.wasm");
    symlink(
        home.path("elsewhere.wasm"),
        home.path("home/project/mine.wasm"),
    )
    .expect("a link");
    home.uses_project();
    std::fs::remove_file(home.path("home/project/mine.wasm")).expect("remove");
    symlink("/dev/zero", home.path("home/project/mine.wasm")).expect("a link");
    home.closes_project(&["plugin `mine` cannot be read"]);
    std::fs::remove_file(home.path("home/project/mine.wasm")).expect("remove");
    home.guest("home/project/mine.wasm");
    home.uses_project();

    let ends = ["this ends the trust in", "tamis trust /"];
    exits(&home.tamis(&["lock"]), 0, &ends);
    home.closes_project(&["filters.lock is new"]);
    home.tamis(&["trust", "--yes"]).succeeded();
    home.uses_project();
    // Locking again does not end the trust.
    let run = home.tamis(&["lock"]).succeeded();
    assert!(run.stderr.is_empty(), "{}", text(&run.stderr));
    home.uses_project();
    std::fs::remove_file(home.path("home/project/filters.lock")).expect("remove");
    home.closes_project(&["filters.lock is missing"]);
}

#[test]
fn what_is_named_or_the_users_own_needs_no_trust() {
    let home = Home::new();
    let named = home.write("home/project/filters.toml", STRIPPING);
    let line = ["apply", "--tool", "any"];
    let run = home
        .program("home/project", &line)
        .env("TAMIS_CONFIG", &named)
        .run(DOCUMENT);
    assert_eq!(
        (text(&run.stdout), text(&run.stderr)),
        (STRIPPED.to_owned(), String::new())
    );
    // The user's own policy, also in its own folder.
    std::fs::remove_file(named).expect("remove");
    home.write("home/.config/tamis/filters.toml", STRIPPING);
    for folder in ["home/project", "home/.config/tamis", "home"] {
        assert_eq!(
            home.applied(folder),
            (STRIPPED.to_owned(), String::new()),
            "{folder}"
        );
    }
    // A project's policy that is not trusted leaves the user's own in force.
    home.write(
        "home/project/filters.toml",
        "[[chain]]\ntools = [\"*\"]\nsteps = [\"ansi\"]\n",
    );
    let (output, said) = home.applied("home/project");
    assert_eq!(output, STRIPPED);
    assert!(said.contains("you do not trust it"), "{said}");
}

#[test]
fn hostile_projects_change_nothing() {
    let home = Home::new();
    let name = "home/project/filters.toml";
    // Opening a pipe would wait for ever, and reading a device would never end.
    rustix::fs::mkfifoat(rustix::fs::CWD, home.path(name), 0o600.into()).expect("make a pipe");
    home.refuses_project(&["you do not trust it"]);
    exits(
        &home.tamis(&["trust", "--yes"]),
        2,
        &["it is not a regular file"],
    );
    std::fs::remove_file(home.path(name)).expect("remove");
    symlink("/dev/zero", home.path(name)).expect("a link");
    home.refuses_project(&["you do not trust it"]);
    exits(
        &home.tamis(&["trust", "--yes"]),
        2,
        &["it is not a regular file"],
    );
    std::fs::remove_file(home.path(name)).expect("remove");
    // Trusted first, then replaced.
    home.write(name, STRIPPING);
    home.tamis(&["trust", "--yes"]).succeeded();
    std::fs::remove_file(home.path(name)).expect("remove");
    rustix::fs::mkfifoat(rustix::fs::CWD, home.path(name), 0o600.into()).expect("make a pipe");
    home.closes_project(&["it is not a regular file"]);
    std::fs::remove_file(home.path(name)).expect("remove");
    symlink("no-such-file", home.path(name)).expect("a link");
    home.closes_project(&["No such file"]);
    std::fs::remove_file(home.path(name)).expect("remove");

    // A folder's name with control characters is quoted, for terminals and for shells.
    let folder = "home/\u{1b}[2J; touch x '";
    home.write(&format!("{folder}/filters.toml"), STRIPPING);
    let run = home
        .program(folder, &["apply", "--tool", "any"])
        .run(DOCUMENT);
    let said = text(&run.stderr);
    assert!(!said.contains('\u{1b}') && said.contains(r"$'"), "{said:?}");
    assert!(said.contains(r"[2J; touch x \'"), "{said:?}");

    // So is the name of a chain.
    let policy = "[[chain]]\nname = \"x\\u202Ey\"\ntools = [\"*\"]\nsteps = [\"ansi\"]\n";
    home.write(name, policy);
    let run = home.tamis(&["trust", "--yes"]);
    assert!(
        !text(&run.stdout).contains('\u{202e}'),
        "{}",
        text(&run.stdout)
    );
}

#[test]
fn records_that_others_could_have_written_count_for_nothing() {
    let home = Home::new();
    home.write("home/project/filters.toml", STRIPPING);
    home.tamis(&["trust", "--yes"]).succeeded();
    home.uses_project();
    let state = home.path("state");
    for folder in [state.join("trust"), state.clone()] {
        let open = |mode| {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).expect("mode");
        };
        open(0o777);
        home.closes_project(&[
            "cannot tell whether it is trusted",
            "others may write there",
        ]);
        open(0o700);
        home.uses_project();
    }
    // A project with a state of its own, for users who set a relative path.
    let copy = home.path("home/project/state");
    std::fs::create_dir_all(copy.join("trust")).expect("a folder");
    for folder in [copy.join("trust"), copy.clone()] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).expect("mode");
    }
    for entry in std::fs::read_dir(state.join("trust")).expect("a folder") {
        let path = entry.expect("an entry").path();
        std::fs::copy(
            &path,
            copy.join("trust").join(path.file_name().expect("a name")),
        )
        .expect("copy");
    }
    let run = home
        .program("home/project", &["apply", "--tool", "any"])
        .env("TAMIS_STATE_DIR", Path::new("state"))
        .run(DOCUMENT);
    exits(&run, 2, &["the path is relative"]);
    assert_eq!(text(&run.stdout), "");
    // A record of another file under this one's name.
    let record = std::fs::read_dir(state.join("trust"))
        .expect("a folder")
        .next();
    let record = record.expect("a record").expect("an entry").path();
    let other = std::fs::read_to_string(&record)
        .expect("a record")
        .replace("project", "other");
    std::fs::write(&record, other).expect("write");
    home.refuses_project(&["you do not trust it"]);
    std::fs::write(&record, "{").expect("write");
    home.closes_project(&["is damaged"]);
}

#[test]
fn other_files_are_not_what_is_trusted() {
    let home = Home::new();
    home.write("home/project/other.toml", STRIPPING);
    let run = home.tamis(&["trust", "--yes", "other.toml"]);
    exits(&run, 2, &["is not a project's policy", "--config"]);
    for own in ["home/filters.toml", "home/.config/tamis/filters.toml"] {
        let path = home.write(own, STRIPPING);
        let run = home.tamis(&["trust", "--yes", path.to_str().expect("Unicode")]);
        exits(&run, 2, &["is not a project's policy", "--config"]);
        std::fs::remove_file(path).expect("remove");
    }
    exits(
        &home.tamis(&["trust"]),
        2,
        &["no filters.toml in this project"],
    );
    home.write("home/project/filters.toml", "[[chain]]\ntools = 1\n");
    exits(&home.tamis(&["trust", "--yes"]), 2, &["filters.toml:2:9"]);
}
