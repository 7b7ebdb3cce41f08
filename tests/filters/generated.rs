//! Output generated from the command line's definition: completions, in a real shell, and manual pages.

use crate::support::TAMIS;
use std::path::Path;
use std::process::{Command, Output};

fn tamis(arguments: &[&str]) -> Output {
    Command::new(TAMIS)
        .args(arguments)
        .output()
        .expect("start tamis")
}

/// The commands that `tamis --help` lists.
fn commands() -> Vec<String> {
    let help = String::from_utf8(tamis(&["--help"]).stdout).expect("text");
    let lines = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1);
    lines
        .take_while(|line| !line.trim().is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn bash_completes_commands_and_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("tamis.bash");
    let written = tamis(&["completions", "bash"]);
    assert!(written.status.success(), "{written:?}");
    std::fs::write(&script, written.stdout).expect("write the script");
    for (words, expected) in [
        ("tamis expl", "explain"),
        ("tamis stats --by", "--by"),
        ("tamis completions fi", "fish"),
    ] {
        let ask = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); \
             _tamis tamis \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let answer = Command::new("bash")
            .args(["--norc", "-c", &ask])
            .output()
            .expect("start bash");
        let offered = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert_eq!(offered.trim(), expected, "{words}: {answer:?}");
    }
}

#[test]
fn every_shell_gets_every_command() {
    let commands = commands();
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = String::from_utf8(tamis(&["completions", shell]).stdout).expect("text");
        for command in &commands {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    let refused = tamis(&["completions", "tcsh"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("fish"), "{said}");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    let written = tamis(&["man", path]);
    assert!(written.status.success(), "{written:?}");
    for command in commands() {
        let page = folder.path().join(format!("tamis-{command}.1"));
        let page =
            std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page:?}: {error}"));
        assert!(page.contains(".SH DESCRIPTION"), "{command}: {page}");
    }
    let main = tamis(&["man"]).stdout;
    assert_eq!(
        String::from_utf8_lossy(&main),
        std::fs::read_to_string(folder.path().join("tamis.1")).expect("tamis.1")
    );
    let nowhere = tamis(&[
        "man",
        Path::new(path).join("none").to_str().expect("a path"),
    ]);
    let said = String::from_utf8_lossy(&nowhere.stderr);
    assert!(
        nowhere.status.code() == Some(2) && said.contains("none"),
        "{said}"
    );
}
