//! Files that a project's policy includes: they are trusted with it, and must be in the project.

use super::{Home, NAME_OF_TEAM as TEAM, exits, text};
use crate::support::mcp::Client;
use serde_json::json;
use std::os::unix::fs::symlink;

const NAME: &str = "home/project/filters.toml";
const INCLUDING: &str =
    "include = [\"team.toml\"]\n\n[[chain]]\ntools = [\"*\"]\nsteps = [\"tidy\"]\n";
const TIDY: &str = "[steps]\ntidy = [\"null-stripper\"]\n";

fn trusted() -> Home {
    let home = Home::new();
    home.write(NAME, INCLUDING);
    home.write(TEAM, TIDY);
    home.tamis(&["trust", "--yes"]).succeeded();
    home
}

#[test]
fn trust_shows_and_covers_every_included_file() {
    let home = Home::new();
    home.write(NAME, INCLUDING);
    let more = "include = [\"more/base.toml\"]\n".to_owned() + TIDY;
    home.write(TEAM, &more);
    home.write(
        "home/project/more/base.toml",
        "[profile.reader]\ntools = [\"read_*\"]\n",
    );
    let shown = home.tamis(&["trust", "--yes"]).succeeded();
    let shown = text(&shown.stdout);
    for words in [
        "included files\n  team.toml: sha256 ",
        "  more/base.toml: sha256 ",
        "steps[0] = null-stripper",
        "[profile.reader]",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    home.uses_project();

    home.write(TEAM, more.replace("null-stripper", "ansi"));
    home.closes_project(&["(team.toml)"]);
    let shown = home.tamis(&["trust", "--yes"]).succeeded();
    let shown = text(&shown.stdout);
    for words in [
        "- [[chain]] \"chain 1\" steps[0] = null-stripper",
        "+ [[chain]] \"chain 1\" steps[0] = ansi",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    home.write(TEAM, &more);
    home.tamis(&["trust", "--yes"]).succeeded();
    home.uses_project();

    // A comment is a change of the bytes.
    home.write(
        "home/project/more/base.toml",
        "# Note.\n[profile.reader]\ntools = [\"read_*\"]\n",
    );
    home.closes_project(&["(more/base.toml)"]);
    std::fs::remove_file(home.path("home/project/more/base.toml")).expect("remove the file");
    home.closes_project(&["cannot include `more/base.toml`"]);
    let listed = text(&home.tamis(&["trust", "--list"]).succeeded().stdout);
    assert!(listed.contains("not used: cannot include"), "{listed}");
    // Text that is not TOML is an ordinary change.
    home.write(TEAM, "[[");
    home.closes_project(&["team.toml"]);
}

#[test]
fn a_project_includes_files_of_the_project_alone() {
    let home = Home::new();
    home.write("home/other/team.toml", TIDY);
    home.write("home/project/team.toml", TIDY);
    let outside = |path: &str| {
        home.write(NAME, INCLUDING.replace("team.toml", path));
        for line in [
            &["trust", "--yes"][..],
            &["check", "filters.toml"],
            &["lock"],
        ] {
            let run = home.tamis(line);
            let said = text(&run.stdout) + &text(&run.stderr);
            assert!(!run.status.success(), "{line:?}: {said}");
            let finding = "error[include-outside]: cannot include";
            assert!(said.contains(finding), "{line:?}: {said}");
            assert!(said.contains("filters.toml:1:12"), "{line:?}: {said}");
        }
    };
    outside("../other/team.toml");
    outside("src/../../other/team.toml");
    outside(&home.path("home/other/team.toml").display().to_string());
    symlink(
        "../../other/team.toml",
        home.path("home/project/src/link.toml"),
    )
    .expect("a link");
    outside("src/link.toml");
    symlink("../other", home.path("home/project/folder")).expect("a link");
    outside("folder/team.toml");

    // A user who names the file accepts its included files.
    let run = home
        .program(
            "home/project",
            &["apply", "--tool", "any", "--config", "filters.toml"],
        )
        .run(super::DOCUMENT)
        .succeeded();
    assert_eq!(text(&run.stdout), super::STRIPPED);

    // Another folder of the repository is in the project.
    home.write(
        "home/project/src/filters.toml",
        INCLUDING.replace("team.toml", "../team.toml"),
    );
    let inside = home
        .program("home/project/src", &["trust", "--yes"])
        .run("");
    exits(&inside, 0, &["trusted"]);
}

#[test]
fn the_lock_covers_included_files() {
    let home = Home::new();
    home.write(NAME, INCLUDING);
    home.write(TEAM, TIDY);
    exits(&home.tamis(&["lock"]), 0, &["new     team.toml  sha256 "]);
    exits(
        &home.tamis(&["lock", "--check"]),
        0,
        &["same    team.toml", "is up to date"],
    );
    exits(&home.tamis(&["check", "filters.toml"]), 0, &["no errors"]);
    home.write(TEAM, "# Note.\n".to_owned() + TIDY);
    exits(&home.tamis(&["lock", "--check"]), 1, &["changed team.toml"]);
    let finding = "error[include-lock]: included file `team.toml` is not the one in";
    exits(
        &home.tamis(&["check", "filters.toml"]),
        1,
        &[finding, "filters.toml:1:12"],
    );
    let line = ["apply", "--tool", "any", "--config", "filters.toml"];
    let run = home.program("home/project", &line).run(super::DOCUMENT);
    exits(&run, 2, &[finding]);
    assert!(run.stdout.is_empty());
    home.tamis(&["lock"]).succeeded();
    home.program("home/project", &line)
        .run(super::DOCUMENT)
        .succeeded();
    home.write(
        NAME,
        "[[chain]]\ntools = [\"*\"]\nsteps = [\"null-stripper\"]\n",
    );
    let stale = "has included file `team.toml`, which this file no longer has";
    exits(
        &home.tamis(&["check", "filters.toml"]),
        0,
        &["warning[lock-stale]", stale],
    );
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let home = Home::new();
    home.write(NAME, INCLUDING);
    let fifo = home.path(TEAM);
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo").success());
    let run = home.tamis(&["check", "filters.toml"]);
    exits(
        &run,
        1,
        &["error[include-unreadable]: cannot include `team.toml`"],
    );
    std::fs::remove_file(&fifo).expect("remove it");
    std::fs::create_dir(&fifo).expect("a folder");
    let run = home.tamis(&["check", "filters.toml"]);
    exits(
        &run,
        1,
        &["error[include-unreadable]: cannot include `team.toml`"],
    );
    std::fs::remove_dir(&fifo).expect("remove it");
    home.write(TEAM, "# a comment that is long\n".repeat(50_000));
    let run = home.tamis(&["check", "filters.toml"]);
    exits(&run, 1, &["cannot include `team.toml`"]);
}

const SERVER: &str = r#"
while IFS= read -r line; do
    case $line in *'"id":'*) ;; *) continue ;; esac
    id=${line#*'"id":'} id=${id%%,*}
    case $line in
        *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
        *) result='{"content":[{"type":"text","text":"{\"a\":null,\"b\":\"\\u001b[1mbold\\u001b[0m\"}"}]}' ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
fn a_running_proxy_sees_a_change_of_an_included_file() {
    let home = Home::new();
    home.write(NAME, INCLUDING);
    home.write(TEAM, TIDY);
    let line = [
        "run",
        "--config",
        "../filters.toml",
        "--log",
        "info",
        "--",
        "sh",
        "-c",
        SERVER,
    ];
    let mut client = Client::of(home.program("home/project/src", &line));
    let shown =
        |client: &mut Client| client.call("any", &json!({}))["content"][0]["text"].to_string();
    assert!(!shown(&mut client).contains("null"));
    home.write(TEAM, TIDY.replace("null-stripper", "ansi"));
    let at = client.program().wait_for_log(0, "chain `chain 1` changed");
    let after = shown(&mut client);
    assert!(after.contains("null") && !after.contains("[1m"), "{after}");
    // A missing file changes nothing, and the report names it.
    std::fs::remove_file(home.path(TEAM)).expect("remove the file");
    let at = client
        .program()
        .wait_for_log(at, "cannot include `team.toml`");
    assert_eq!(shown(&mut client), after);
    home.write(TEAM, TIDY);
    client
        .program()
        .wait_for_log(at, "which is sound again: chain `chain 1` changed");
    assert!(!shown(&mut client).contains("null"));
    client.finish().succeeded();
}

#[test]
fn a_change_ends_the_trust_under_a_running_proxy() {
    let home = trusted();
    let line = ["run", "--log", "info", "--", "sh", "-c", SERVER];
    let mut client = Client::of(home.program("home/project/src", &line));
    let shown =
        |client: &mut Client| client.call("any", &json!({}))["content"][0]["text"].to_string();
    let before = shown(&mut client);
    assert!(!before.contains("null"));
    home.write(TEAM, TIDY.replace("null-stripper", "ansi"));
    let at = client
        .program()
        .wait_for_log(0, "the previous policy stays in force");
    assert!(client.program().log().contains("(team.toml)"));
    assert_eq!(shown(&mut client), before);
    home.tamis(&["trust", "--yes"]).succeeded();
    client
        .program()
        .wait_for_log(at, "which is sound again: chain `chain 1` changed");
    assert!(shown(&mut client).contains("null"));
    client.finish().succeeded();
}

const SECRET: &str = "hunter2-do-not-show";

#[test]
fn values_of_variables_are_shown_nowhere() {
    let home = Home::new();
    let policy = "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"redact\", patterns = [{ name = \"own\", match = \"${OUR_SECRET}\" }] }]\n";
    home.write(NAME, policy);
    let with = |value: &str, line: &[&str], input: &str| {
        let run = home.program("home/project", line).env("OUR_SECRET", value);
        let run = run.run(input);
        let said = text(&run.stdout) + &text(&run.stderr);
        (run, said)
    };
    let hidden = format!("{{\"a\":\"{SECRET}\"}}");
    let line = ["apply", "--tool", "any", "--config", "filters.toml"];
    let (run, said) = with(SECRET, &line, &hidden);
    assert_eq!(text(&run.succeeded().stdout), "{\"a\":\"[redacted:own]\"}");
    assert!(!said.contains(SECRET));
    for line in [
        &["check", "filters.toml"][..],
        &["check", "filters.toml", "--compile", "--json"],
        &["explain", "any", "--config", "filters.toml"],
        &["explain", "any", "--json", "--config", "filters.toml"],
        &["trust", "--yes"],
    ] {
        let (run, said) = with(SECRET, line, "");
        run.succeeded();
        assert!(!said.contains(SECRET), "{line:?}: {said}");
        let names = said.contains("OUR_SECRET") || line[0] == "check";
        assert!(names, "{line:?}: {said}");
    }
    // A value that the filter refuses, and would cite.
    let broken = format!("({SECRET}");
    for line in [&["check", "filters.toml"][..], &["explain", "any"]] {
        let (run, said) = with(&broken, line, "");
        assert!(!run.status.success(), "{said}");
        assert!(!said.contains(SECRET), "{said}");
        assert!(
            said.contains("some are from the environment: OUR_SECRET"),
            "{said}"
        );
    }
    let run = home.tamis(&["check", "filters.toml"]);
    exits(&run, 1, &["the environment variable OUR_SECRET is not set"]);
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");
    let found = std::process::Command::new("grep")
        .args(["-rlF", SECRET, cache])
        .output();
    assert!(
        found.expect("grep").stdout.is_empty(),
        "a value is in the cache"
    );
}
