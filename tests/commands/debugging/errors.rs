//! A plugin that panics, loops, takes too much memory or asks for the network: each error names the cause, the limit
//! and the fix, both in tests and in use.

use super::author::{Author, guest, has_all, output_of};
use crate::support::built::Target;

struct Bad {
    guest: &'static str,
    target: Target,
    settings: &'static str,
    /// The cause, the limit, the fix.
    said: [&'static str; 3],
}

const CALLS: [Bad; 5] = [
    Bad {
        guest: "panic",
        target: Target::Unknown,
        settings: r#"{"at": "a"}"#,
        said: [
            "it crashed: panicked at panic/src/lib.rs:21:5: as the settings ask",
            "in panic::fall_over",
            "--save-failures DIR",
        ],
    },
    Bad {
        guest: "spin",
        target: Target::Unknown,
        settings: r#"{"rounds": 9223372036854775807}"#,
        said: [
            "it ran longer than",
            "(limit `time`)",
            "find the loop with `tamis plugin profile`; if it needs the time, allow it with `limits = { time",
        ],
    },
    Bad {
        guest: "hog",
        target: Target::Unknown,
        settings: r#"{"bytes": 200000000}"#,
        said: [
            "it asked for more than 67108864 bytes of memory",
            "(limit `memory`)",
            "allow it with `limits = { memory",
        ],
    },
    Bad {
        guest: "huge-output",
        target: Target::Unknown,
        settings: r#"{"bytes": 40000000}"#,
        said: [
            "it gave back more than 33554432 bytes",
            "(limit `output`)",
            "allow it with `limits = { output",
        ],
    },
    Bad {
        guest: "deep-stack",
        target: Target::Unknown,
        settings: r#"{"depth": 10000000}"#,
        said: [
            "it nested its calls deeper than 524288 bytes of stack",
            "(limit `stack`)",
            "loop where it calls itself",
        ],
    },
];

/// A step's settings in TOML.
fn toml(settings: &str) -> String {
    let settings: toml::Table = serde_json::from_str(settings).expect("settings");
    let pairs = settings
        .iter()
        .map(|(key, value)| format!("{key} = {value}"));
    pairs.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_call_that_fails_tells_the_cause_the_limit_and_the_remedy() {
    for Bad {
        guest: name,
        target,
        settings,
        said: expected,
    } in CALLS
    {
        let author = Author::new();
        author.folder.write("a.txt", "a document");
        let path = guest(target, name);
        let tried = [
            "plugin",
            "test",
            &path,
            "--settings",
            settings,
            "--document",
            "a.txt",
        ];
        has_all(&output_of(&author.tamis(&tried), 1), &expected);

        // The time limit of the others is far above their need on a busy machine.
        let time = if name == "spin" { "250ms" } else { "30s" };
        let policy = format!(
            "[[plugin]]\nname = \"bad\"\npath = {path:?}\nallow = [\"log\"]\nlimits = {{ time = \"{time}\" }}\n\n[[chain]]\ntools = [\"*\"]\nsteps = [{{ filter = \"bad\", {} }}]\n",
            toml(settings)
        );
        author.folder.write("filters.toml", policy);
        let apply = [
            "apply",
            "-c",
            "filters.toml",
            "--tool",
            "t",
            "--explain",
            "a.txt",
        ];
        let applied = output_of(&author.tamis(&apply), 0);
        has_all(&applied, &expected);
        // The log of a call says the same.
        let is_log = |line: &&str| line.contains("WARN") && line.contains(expected[0]);
        let log = applied.lines().find(is_log);
        has_all(
            log.unwrap_or_else(|| panic!("no log in {applied}")),
            &expected,
        );
    }
}

#[test]
fn a_plugin_that_wants_the_network_tells_what_it_imports_and_what_to_do() {
    let author = Author::new();
    let path = guest(Target::Wasip2, "imports-net");
    let expected = [
        "it imports `wasi:sockets/",
        "no grant allows: filters get no files, no network",
        "help: build it without what needs that, such as files, sockets and threads",
    ];
    for command in ["test", "inspect", "bench", "profile"] {
        has_all(
            &output_of(&author.tamis(&["plugin", command, &path]), 2),
            &expected,
        );
    }
    let policy = format!(
        "[[plugin]]\nname = \"bad\"\npath = {path:?}\n\n[[chain]]\ntools = [\"*\"]\nsteps = [{{ filter = \"bad\", address = \"a:1\" }}]\n"
    );
    author.folder.write("filters.toml", policy);
    // The file is not trusted, so `check` compiles only with `--compile`.
    for (command, code) in [(&["check", "--compile"][..], 1), (&["test"], 2)] {
        let refused = output_of(&author.tamis(&[command, &["filters.toml"]].concat()), code);
        let remedy = "build it without what needs that";
        has_all(&refused, &[expected[0], expected[1], remedy]);
    }
}

#[test]
fn settings_that_make_it_fall_over_are_told_with_the_place() {
    let author = Author::new();
    let path = guest(Target::Unknown, "panic");
    let tried = [
        "plugin",
        "test",
        &path,
        "--settings",
        r#"{"at_configure": true}"#,
    ];
    has_all(
        &output_of(&author.tamis(&tried), 2),
        &[
            "it failed to take its settings: it crashed: panicked at panic/src/lib.rs",
            "help: ",
        ],
    );
}

/// A line of code with a fault in it, which says `nothing`, and what Tamis says about it. LINE is its line.
type Fault<'a> = (&'a str, &'a [&'a str]);

/// A new project with all of these faults, each for the document that begins with its number: a plugin in Python takes
/// half a minute to be built and compiled.
fn faults(lang: &str, source: &str, first: (&str, &str), place: &str, faults: &[Fault<'_>]) {
    let author = Author::new();
    output_of(
        &author.tamis(&["plugin", "new", "buggy", "--lang", lang]),
        0,
    );
    let path = author.folder.path().join("buggy").join(source);
    let text = std::fs::read_to_string(&path).expect("the source");
    assert!(text.contains(place), "{text}");
    let lines = faults.iter().enumerate().map(|(number, (code, _))| {
        let indent = &place[..place.len() - place.trim_start().len()];
        match lang {
            "python" => format!("{indent}if text.startswith(\"{number}\"): {code}\n"),
            _ => format!("{indent}if (whole.startsWith(\"{number}\")) {{ {code} }}\n"),
        }
    });
    let text = text.replacen(first.0, first.1, 1);
    let text = text.replace(place, &format!("{place}{}", lines.collect::<String>()));
    std::fs::write(&path, &text).expect("write the source");
    output_of(&author.tamis_in("buggy", &["plugin", "build"]), 0);
    for (number, (code, expected)) in faults.iter().enumerate() {
        let line = text.lines().position(|line| line.contains(code));
        let line = line.expect("the fault") + 1;
        author
            .folder
            .write("buggy/a.txt", format!("{number}\ntwo\n"));
        let tried = ["plugin", "test", "buggy.wasm", "--document", "a.txt"];
        let tried = output_of(&author.tamis_in("buggy", &tried), 1);
        has_all(&tried, &["FAILED", "it crashed: "]);
        for words in *expected {
            has_all(&tried, &[&words.replace("LINE", &line.to_string())]);
        }
    }
}

#[test]
fn what_fails_in_javascript_is_told_with_its_line_and_the_way_out() {
    faults(
        "js",
        "filter.js",
        ("", ""),
        "    const whole = text();\n",
        &[
            (
                "null.nothing();",
                &[
                    "TypeError: cannot read property 'nothing' of null",
                    "filter.js:LINE",
                    "help: fix the place",
                ],
            ),
            (
                "console.log(\"nothing\");",
                &["console is not defined", "allow = [\"log\"]"],
            ),
            (
                "if (new Date() > 1) return \"nothing\";",
                &["a filter has no clock", "arguments of the call"],
            ),
        ],
    );
}

#[test]
fn what_fails_in_python_is_told_with_its_line_and_the_way_out() {
    faults(
        "python",
        "app.py",
        ("import functools\n", "import functools\nimport datetime\n"),
        "        text = document.text()\n",
        &[
            (
                "{}[\"nothing\"]",
                &["KeyError: 'nothing'", "line LINE of", "help: fix the place"],
            ),
            ("print(\"nothing\")", &["stdout", "allow = [\"log\"]"]),
            (
                "functools.nothing = datetime.datetime.now()",
                &[
                    "wall_clock",
                    "a filter has no clock",
                    "arguments of the call",
                ],
            ),
        ],
    );
}
