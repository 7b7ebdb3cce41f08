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

/// Puts an unexpected error into the example of a language, and checks the message.
fn bug(lang: &str, source: &str, from: &str, to: &str, expected: &[&str]) {
    bug_with(lang, source, ("", ""), from, to, expected);
}

/// The same, with another change first, such as an import.
fn bug_with(
    lang: &str,
    source: &str,
    first: (&str, &str),
    from: &str,
    to: &str,
    expected: &[&str],
) {
    let author = Author::new();
    output_of(
        &author.tamis(&["plugin", "new", "buggy", "--lang", lang]),
        0,
    );
    let path = author.folder.path().join("buggy").join(source);
    let text = std::fs::read_to_string(&path).expect("the source");
    assert!(text.contains(from), "{text}");
    let text = text.replacen(first.0, first.1, 1).replace(from, to);
    let line = text
        .lines()
        .position(|line| line.contains("nothing"))
        .expect("the bug")
        + 1;
    std::fs::write(&path, text).expect("write the source");
    output_of(&author.tamis_in("buggy", &["plugin", "build"]), 0);
    author.folder.write("buggy/a.txt", "one\ntwo\n");
    let tried = ["plugin", "test", "buggy.wasm", "--document", "a.txt"];
    let tried = output_of(&author.tamis_in("buggy", &tried), 1);
    has_all(&tried, &["FAILED", "it crashed: "]);
    let expected: Vec<String> = expected
        .iter()
        .map(|words| words.replace("LINE", &line.to_string()))
        .collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    has_all(&tried, &expected);
}

#[test]
fn an_error_in_javascript_tells_its_message_and_line() {
    bug(
        "js",
        "filter.js",
        "    const whole = text();\n",
        "    const whole = text();\n    if (whole) null.nothing();\n",
        &[
            "TypeError: cannot read property 'nothing' of null",
            "filter.js:LINE",
            "help: fix the place",
        ],
    );
}

#[test]
fn an_exception_in_python_tells_its_message_and_line() {
    bug(
        "python",
        "app.py",
        "        text = document.text()\n",
        "        text = document.text()\n        {}[\"nothing\"]\n",
        &["KeyError: 'nothing'", "line LINE of", "help: fix the place"],
    );
}

#[test]
fn what_a_filter_does_not_have_is_named_with_the_way_out_in_javascript() {
    for (code, expected) in [
        (
            "console.log(\"nothing\");",
            &["console is not defined", "allow = [\"log\"]"][..],
        ),
        (
            "if (new Date() > 1) return \"nothing\";",
            &["a filter has no clock", "arguments of the call"],
        ),
    ] {
        let text = "    const whole = text();\n";
        bug(
            "js",
            "filter.js",
            text,
            &format!("{text}    {code}\n"),
            expected,
        );
    }
}

#[test]
fn what_a_filter_does_not_have_is_named_with_the_way_out_in_python() {
    for (code, expected) in [
        ("print(\"nothing\")", &["stdout", "allow = [\"log\"]"][..]),
        (
            "functools.nothing = datetime.datetime.now()",
            &[
                "wall_clock",
                "a filter has no clock",
                "arguments of the call",
            ],
        ),
    ] {
        let text = "        text = document.text()\n";
        let source = format!("{text}        {code}\n");
        bug_with(
            "python",
            "app.py",
            ("import functools\n", "import functools\nimport datetime\n"),
            text,
            &source,
            expected,
        );
    }
}
