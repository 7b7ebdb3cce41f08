//! `tamis init --merge`: the additions to an existing file, and the unchanged rest.

use super::clients::{Desk, entry, nulls};
use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A user's own policy, with comments and an unusual order.
const OWN: &str = "\
# Ours. Do not touch.
[read-tool]   # as we like it
listed = true

[[chain]]
name   = 'reads'
tools = [ \"read*\" ]
steps = [\"ansi\"]  # only this
";

/// A desk whose Cursor has the servers `files` (read, read_all, write) and `git` (git_log, read_ref).
fn desk() -> Desk {
    let desk = Desk::new();
    let files = [
        ("read", "a text"),
        ("read_all", "texts"),
        ("write", &*nulls()),
    ];
    desk.cursor(&json!({
        "files": entry(&desk.server(&files)),
        "git": entry(&desk.server(&[("git_log", "a log"), ("read_ref", "a ref")])),
    }));
    desk
}

/// Writes the file, merges, and returns the new content.
#[track_caller]
fn merged(desk: &Desk, policy: impl AsRef<[u8]>, options: &[&str], said: &[&str]) -> Vec<u8> {
    desk.folder.write("work/filters.toml", policy);
    let mut words = vec!["init", "--merge", "--client", "cursor"];
    words.extend(options);
    ended(&desk.tamis(&words), 0, said);
    std::fs::read(desk.work().join("filters.toml")).expect("the file")
}

#[test]
fn only_what_no_chain_takes_is_added_and_the_rest_stays() {
    let desk = desk();
    let now = merged(
        &desk,
        OWN,
        &["--try", "write"],
        &[
            "added to filters.toml: 2 chains and 1 test, for 2 tools of 2 servers",
            "already present: the chain `reads` (line 5) takes 3 tools of these servers",
            "tamis check filters.toml",
        ],
    );
    let now = String::from_utf8(now).expect("UTF-8");
    let added = now.strip_prefix(OWN).expect("the old text");
    for line in [
        "\n# Added by `tamis init --merge`: chains for tools that no chain above takes.\n",
        "# Server files (Cursor; calls itself script 1). Its tools, and the tokens",
        "#   write\n",
        "tools = [\"write\"]\n",
        "#   git_log\n",
        "tools = [\"git_log\"]\n",
        "name = \"write, as it answered\"\nserver = \"files\"\n",
    ] {
        assert!(added.contains(line), "no `{line}` in\n{added}");
    }
    assert!(!added.contains("read"), "{added}");
    desk.is_sound(1);

    // A second run adds nothing.
    let again = desk
        .tamis(&["init", "--merge", "--client=cursor", "--json"])
        .succeeded();
    let report: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!(
        (&report["merged"], &report["changed"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&report["chains"], &report["tests"]),
        (&json!([]), &json!([]))
    );
    let has: Vec<&Value> = report["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|it| &it["has_chain"])
        .collect();
    assert_eq!(has, ["reads", "reads", "write", "default", "reads"]);
    assert_eq!(desk.policy(), now);
}

#[test]
fn a_server_without_any_chain_gets_one_for_all_of_its_tools() {
    let desk = desk();
    let own = "[[chain]]\nname = \"default\"\nservers = [\"other\"]\ntools = [\"*\"]\nsteps = []\n";
    let now = merged(&desk, own, &["--json"], &["\"changed\": true"]);
    let now = String::from_utf8(now).expect("UTF-8");
    let chain = "name = \"default (2)\"\nservers = [\"files\", \"git\"]\ntools = [\"*\"]\n";
    assert_eq!(now.matches(chain).count(), 1, "{now}");
    assert_eq!(now.matches("[[chain]]").count(), 2, "{now}");
    let tools = desk.tamis(&["explain", "git_log", "-c", "filters.toml"]);
    ended(&tools, 0, &["default (2)"]);
    let again = merged(&desk, &now, &[], &["nothing is added", "takes 5 tools"]);
    assert_eq!(again, now.as_bytes());
}

#[test]
fn a_chain_for_every_tool_leaves_nothing_to_add() {
    let desk = desk();
    let own = format!("{OWN}\n[[chain]]\nname = \"all\"\ntools = [\"*\"]\nsteps = []");
    let now = merged(
        &desk,
        &own,
        &["--call"],
        &[
            "nothing is added to filters.toml",
            "already present: the chain `all` (line 10) takes every tool that no chain above it takes",
        ],
    );
    assert_eq!(now, own.as_bytes());
}

#[test]
fn a_chain_that_takes_some_results_only_is_not_enough() {
    let desk = desk();
    for condition in [
        "errors = true",
        "when = { larger-than = \"1MB\" }",
        "when = { client = [\"cursor*\"] }",
        "on = [\"description\"]",
        "servers = [\"f\"]",
    ] {
        let own = format!(
            "[[chain]]\nname = \"some\"\ntools = [\"*\"]\n{condition}\nsteps = [\"ansi\"]\n"
        );
        let now = merged(&desk, &own, &[], &["1 chain and 0 tests, for 5 tools"]);
        let now = String::from_utf8(now).expect("UTF-8");
        assert!(
            now.contains("servers = [\"files\", \"git\"]"),
            "{condition}\n{now}"
        );
        desk.is_sound(0);
        assert_eq!(
            merged(&desk, &now, &[], &["nothing is added"]),
            now.as_bytes()
        );
    }
    // A tool that clients do not see needs no chain.
    let own = format!("{OWN}[tool.write]\nhidden = true\n");
    let now = merged(
        &desk,
        &own,
        &[],
        &["for 1 tool", "already present: 1 tool is hidden"],
    );
    let now = String::from_utf8(now).expect("UTF-8");
    assert!(
        now.contains("\ntools = [\"git_log\"]\n") || now.contains("servers = [\"git\"]"),
        "{now}"
    );
    assert!(!now.contains("\"write\""), "{now}");
}

#[test]
fn line_ends_and_a_last_line_without_one_stay() {
    let desk = desk();
    let windows = OWN.replace('\n', "\r\n");
    for own in [
        OWN.trim_end().to_owned(),
        windows.clone(),
        windows.trim_end().to_owned(),
        format!("\u{feff}{OWN}"),
        format!("{OWN}# the end"),
        String::new(),
        "# nothing but a comment".to_owned(),
    ] {
        let now = merged(&desk, &own, &["--try", "write"], &["added to filters.toml"]);
        let now = String::from_utf8(now).expect("UTF-8");
        let added = now
            .strip_prefix(&own)
            .unwrap_or_else(|| panic!("{own:?}\n{now:?}"));
        let (lines, pairs) = (now.matches('\n').count(), now.matches("\r\n").count());
        assert_eq!(pairs, if own.contains('\r') { lines } else { 0 }, "{now:?}");
        assert!(
            own.is_empty() || added.trim_start().starts_with("# Added by"),
            "{now:?}"
        );
        desk.is_sound(1);
        let again = merged(&desk, &now, &[], &["nothing is added"]);
        assert_eq!(again, now.as_bytes());
        let _ = std::fs::remove_dir_all(desk.work().join("fixtures"));
    }
    // If no file exists, it is written.
    std::fs::remove_file(desk.work().join("filters.toml")).expect("remove");
    ended(
        &desk.tamis(&["init", "--merge", "--client=cursor"]),
        0,
        &["written: filters.toml"],
    );
}

/// Fails unless the command fails with this message, and nothing changed.
#[track_caller]
fn refused(desk: &Desk, policy: &str, options: &[&str], said: &[&str]) -> Finished {
    let file = desk.folder.write("work/filters.toml", policy);
    let mut words = vec!["init", "--merge", "--client", "cursor"];
    words.extend(options);
    let done = desk.tamis(&words);
    ended(&done, 2, said);
    assert_eq!(read(&file), policy);
    assert!(!desk.work().join("fixtures").exists());
    done
}

#[test]
fn a_file_with_mistakes_is_refused_before_a_server_is_started() {
    let desk = desk();
    for (policy, said) in [
        ("[[chain]]\ntols = [\"a\"]\nsteps = [\"ansi\"]\n", "tols"),
        (
            "[[chain]]\ntools = [\"a\"]\nsteps = [{ filter = \"truncate\", limit = \"x\" }]\n",
            "limit",
        ),
        (
            "[[plugin]]\nname = \"mine\"\npath = \"gone.wasm\"\n[[chain]]\ntools = [\"a\"]\nsteps = [\"mine\"]\n",
            "gone.wasm",
        ),
        ("= 1\n", "filters.toml:1"),
    ] {
        let done = refused(
            &desk,
            policy,
            &[],
            &["has mistakes, so nothing is added to it", said],
        );
        assert!(
            !text(&done.stderr).contains("asking"),
            "{}",
            text(&done.stderr)
        );
    }
    // A spelling to which nothing can be added.
    let inline = "chain = [{ tools = [\"a\"], steps = [\"ansi\"] }]\n";
    refused(
        &desk,
        inline,
        &["--try", "write"],
        &["with the addition filters.toml would have mistakes"],
    );
}

#[test]
fn a_test_that_would_fail_keeps_the_file_as_it_is() {
    let desk = desk();
    let own = format!(
        "{OWN}\n[[test]]\nname = \"passes whole\"\ntool = \"git_log\"\ninput = '''{}'''\nunchanged = true\n",
        json!(
            (0..30)
                .map(|it| json!({"id": it, "name": "n"}))
                .collect::<Vec<_>>()
        )
    );
    refused(
        &desk,
        &own,
        &["--try", "write"],
        &["these tests would fail: filters.toml:10 (passes whole)"],
    );
}

#[test]
fn a_test_that_the_files_own_redaction_would_fail_is_not_added() {
    let desk = Desk::new();
    let line = desk.server(&[("whois", "someone@example.com")]);
    desk.cursor(&json!({"people": entry(&line)}));
    let own = "[[chain]]\non = [\"*\"]\nsteps = [{ filter = \"redact\", hide = [\"emails\"] }]\n";
    let added = ["added to filters.toml: 1 chain and 0 tests"];
    let now = merged(&desk, own, &["--try", "whois"], &added);
    assert!(now.starts_with(own.as_bytes()));
    assert!(!desk.work().join("fixtures").exists());
    // Without the redaction, a chain is added.
    let added = ["added to filters.toml: 1 chain and 1 test"];
    merged(&desk, "", &["--try", "whois"], &added);
    assert!(desk.policy().contains("contains = [\"someone\"]"));
}

#[test]
fn a_file_that_cannot_be_written_is_said_before_a_server_is_started() {
    let desk = desk();
    let file = desk.folder.write("work/filters.toml", OWN);
    let mode =
        |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).expect("a mode");
    mode(0o444);
    let done = desk.tamis(&["init", "--merge", "--client", "cursor"]);
    ended(
        &done,
        2,
        &[
            "filters.toml cannot be written to",
            "chmod u+w filters.toml",
        ],
    );
    assert!(!text(&done.stderr).contains("asking"));
    mode(0o640);
    ended(
        &desk.tamis(&["init", "--merge", "--client=cursor"]),
        0,
        &["added to"],
    );
    let now = std::fs::metadata(&file)
        .expect("the file")
        .permissions()
        .mode();
    assert_eq!(now & 0o777, 0o640);
    ended(
        &desk.tamis(&["init", "--merge", "--client=cursor", "-o", "-"]),
        2,
        &["--merge changes a file"],
    );
    ended(
        &desk.tamis(&["init", "--merge", "--client=cursor", "-o", "."]),
        2,
        &["is a folder"],
    );
}

#[test]
fn a_link_stays_a_link() {
    let desk = desk();
    desk.folder.write("dotfiles/filters.toml", OWN);
    symlink("../dotfiles/filters.toml", desk.work().join("filters.toml")).expect("a link");
    ended(
        &desk.tamis(&["init", "--merge", "--client=cursor"]),
        0,
        &["added to filters.toml"],
    );
    let link = desk.work().join("filters.toml");
    assert!(link.symlink_metadata().expect("the link").is_symlink());
    assert!(read(&desk.folder.path().join("dotfiles/filters.toml")).starts_with(OWN));
}

#[test]
fn a_file_that_changes_meanwhile_is_not_written_over() {
    let desk = Desk::new();
    let file = desk.folder.write("work/filters.toml", OWN);
    let line = desk.server(&[("write", "")]);
    let script = format!("echo '# mine' >> '{}'; exec \"$@\"", file.display());
    let mut words = vec!["-c".to_owned(), script, "sh".to_owned()];
    words.extend(line);
    desk.cursor(&json!({"files": {"command": "sh", "args": words}}));
    let done = desk.tamis(&["init", "--merge", "--client", "cursor", "--try", "write"]);
    ended(
        &done,
        2,
        &["filters.toml changed while Tamis asked the servers"],
    );
    assert_eq!(read(&file), format!("{OWN}# mine\n"));
    assert!(!desk.work().join("fixtures").exists());
}

#[test]
fn a_trusted_file_has_to_be_trusted_again() {
    let desk = desk();
    desk.folder.write("work/.git/HEAD", "");
    desk.folder.write("work/filters.toml", OWN);
    ended(&desk.tamis(&["trust", "--yes", "filters.toml"]), 0, &[]);
    let done = desk.tamis(&["init", "--merge", "--client", "cursor"]);
    ended(
        &done,
        0,
        &["tamis trust filters.toml\nbecause you trusted the old file"],
    );
}

#[test]
fn one_server_by_hand_is_merged_by_the_names_of_its_tools() {
    let desk = Desk::new();
    let line = desk.server(&[("read", ""), ("write", &nulls()), ("two words", "")]);
    desk.folder.write("work/filters.toml", OWN);
    let mut words = vec!["init", "--merge", "--try", "write", "--"];
    words.extend(line.iter().map(String::as_str));
    let done = desk.tamis(&words);
    ended(
        &done,
        0,
        &["without a chain, because no pattern stands for their names alone: two words"],
    );
    let policy = desk.policy();
    assert!(policy.contains("\ntools = [\"write\"]\n"), "{policy}");
    assert!(!policy.contains("servers = "), "{policy}");
    desk.is_sound(1);
    ended(
        &desk.tamis(&words),
        0,
        &["nothing is added to filters.toml"],
    );
    // With a name, one chain takes all other tools.
    desk.folder.write("work/filters.toml", "");
    words.splice(1..1, ["--server", "files"]);
    ended(&desk.tamis(&words), 0, &["added to filters.toml"]);
    let policy = desk.policy();
    assert!(
        policy.contains("servers = [\"files\"]\ntools = [\"*\"]\n"),
        "{policy}"
    );
    desk.is_sound(1);
}
