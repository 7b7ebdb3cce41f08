//! Several files together: the order of their chains, overrides, and the places of mistakes.

use std::path::Path;

use super::super::{Draft, Policy, Report, Source};

const FILTERS: [&str; 4] = ["ansi", "null-stripper", "redact", "unwrap"];

struct Files(tempfile::TempDir);

impl Files {
    fn of(files: &[(&str, &str)]) -> Files {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, text).expect("a file");
        }
        Files(folder)
    }

    fn source(&self) -> Source {
        Source::read(&self.0.path().join("filters.toml")).expect("the file")
    }

    fn parse(&self) -> Result<Policy, Report> {
        Policy::parse(self.source(), &FILTERS)
    }

    /// The names of the chains in order.
    fn chains(&self) -> Vec<String> {
        let policy = self.parse().unwrap_or_else(|report| panic!("{report}"));
        policy.chains.into_iter().map(|chain| chain.name).collect()
    }

    /// The report, without the folder.
    fn report(&self) -> String {
        let report = match self.parse() {
            Err(report) => report,
            Ok(policy) => Report::new(policy.source, policy.warnings),
        };
        let folder = format!("{}/", self.0.path().display());
        report.to_string().replace(&folder, "")
    }
}

/// A chain for results of these tools.
fn chain(name: &str, tools: &str, step: &str) -> String {
    format!("[[chain]]\nname = \"{name}\"\ntools = [\"{tools}\"]\nsteps = [\"{step}\"]\n")
}

#[test]
fn chains_come_after_those_of_the_including_file_unless_they_redact() {
    let own = "include = [\"a.toml\", \"b.toml\"]\n".to_owned() + &chain("own", "x", "ansi");
    let a = "include = [\"c.toml\"]\n".to_owned()
        + &chain("a first", "1", "ansi")
        + &chain("a hides", "2", "redact")
        + &chain("a last", "3", "ansi");
    let b = chain("b", "4", "ansi")
        + "[[chain]]\nname = \"b prompts\"\non = [\"prompt\"]\nsteps = [\"redact\"]\n";
    let c = chain("c hides", "5", "redact") + &chain("c last", "6", "ansi");
    let files = Files::of(&[
        ("filters.toml", &own),
        ("a.toml", &a),
        ("b.toml", &b),
        ("c.toml", &c),
    ]);
    assert_eq!(
        files.chains(),
        [
            "c hides",
            "a first",
            "a hides",
            "b prompts",
            "own",
            "a last",
            "c last",
            "b",
        ]
    );
    // As the file allows.
    let open = a.replace(
        "steps = [\"redact\"]",
        "steps = [\"redact\"]\noverridable = true",
    );
    let files = Files::of(&[
        ("filters.toml", &own),
        ("a.toml", &open),
        ("b.toml", &b),
        ("c.toml", &c),
    ]);
    assert_eq!(
        files.chains(),
        [
            "c hides",
            "b prompts",
            "own",
            "a first",
            "a hides",
            "a last",
            "c last",
            "b",
        ]
    );
}

#[test]
fn a_chain_replaces_one_of_its_name_that_does_not_redact() {
    let own = "include = [\"a.toml\"]\n".to_owned() + &chain("logs", "x", "ansi");
    let a = chain("logs", "y", "null-stripper") + &chain("rest", "*", "ansi");
    let files = Files::of(&[("filters.toml", &own), ("a.toml", &a)]);
    let policy = files.parse().unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(files.chains(), ["logs", "rest"]);
    assert_eq!(policy.chains[0].binding.tools[0].as_str(), "x");

    let a = chain("logs", "y", "redact");
    let files = Files::of(&[("filters.toml", &own), ("a.toml", &a)]);
    let report = files.report();
    assert!(
        report.contains("error[redaction-overridden]: chain `logs` would replace one that redacts"),
        "{report}"
    );
    assert!(
        report.contains("filters.toml:3:8") && report.contains("a.toml:2:8"),
        "{report}"
    );

    let a = a + "overridable = true\n";
    let files = Files::of(&[("filters.toml", &own), ("a.toml", &a)]);
    assert_eq!(files.chains(), ["logs"]);

    // Of two files that a third includes, none is above the other.
    let own = "include = [\"a.toml\", \"b.toml\"]\n";
    let one = chain("logs", "y", "ansi");
    let files = Files::of(&[("filters.toml", own), ("a.toml", &one), ("b.toml", &one)]);
    assert!(files.report().contains("two chains have the name `logs`"));
    // Names by position replace nothing.
    let unnamed = "[[chain]]\ntools = [\"y\"]\nsteps = [\"ansi\"]\n";
    let own = format!("include = [\"a.toml\"]\n{}", unnamed.replace('y', "x"));
    let files = Files::of(&[("filters.toml", &own), ("a.toml", unnamed)]);
    assert_eq!(files.parse().expect("a policy").chains.len(), 2);
}

#[test]
fn only_redaction_that_is_overridden_is_said() {
    let own = "include = [\"a.toml\"]\n".to_owned() + &chain("own", "*", "ansi");
    let files = Files::of(&[
        ("filters.toml", &own),
        ("a.toml", &chain("rest", "x", "unwrap")),
    ]);
    assert_eq!(files.report(), "filters.toml: no errors");
    let open = chain("hides", "x", "redact") + "overridable = true\n";
    let files = Files::of(&[("filters.toml", &own), ("a.toml", &open)]);
    let report = files.report();
    let note = "note[redaction-overridden]: chain `hides` is never used";
    assert!(report.contains(note), "{report}");
    let files = Files::of(&[
        ("filters.toml", &own),
        ("a.toml", &chain("hides", "*", "redact")),
    ]);
    let report = files.report();
    let warning = "warning[chain-shadowed]: chain `own` is never used";
    assert!(report.contains(warning), "{report}");
    assert!(
        report.contains("an included file's chain that redacts comes first"),
        "{report}"
    );
}

#[test]
fn a_prefix_that_redacts_is_left_out_in_its_own_file_alone() {
    let steps = |files: &Files| -> Vec<String> {
        let policy = files.parse().unwrap_or_else(|report| panic!("{report}"));
        let chains = policy.chains.iter().map(|chain| {
            let steps = chain
                .steps
                .iter()
                .map(|step| policy.filter_name(&step.filter));
            format!("{}: {}", chain.name, steps.collect::<Vec<_>>().join(" "))
        });
        chains.collect()
    };
    let own = "include = [\"a.toml\"]\nprefix = [\"unwrap\"]\n".to_owned()
        + &chain("own", "x", "null-stripper");
    let a = "prefix = [\"ansi\"]\n".to_owned() + &chain("a", "y", "null-stripper");
    let files = Files::of(&[("filters.toml", &own), ("a.toml", &a)]);
    assert_eq!(
        steps(&files),
        [
            "own: ansi unwrap null-stripper",
            "a: ansi unwrap null-stripper"
        ]
    );

    let out = own.clone() + "prefix = false\n";
    let files = Files::of(&[("filters.toml", &out), ("a.toml", &a)]);
    assert_eq!(
        steps(&files),
        ["own: null-stripper", "a: ansi unwrap null-stripper"]
    );

    let hiding = a.replace("\"ansi\"", "\"ansi\", \"redact\"");
    let files = Files::of(&[("filters.toml", &out), ("a.toml", &hiding)]);
    let report = files.report();
    assert!(
        report.contains("error[redaction-overridden]: this chain would leave out"),
        "{report}"
    );

    // In its own file the chain may leave it out, and an included file cannot leave out that of the including one.
    let a = hiding + "prefix = false\n";
    let own = own.replace("prefix = [\"unwrap\"]", "prefix = [\"redact\"]");
    let files = Files::of(&[("filters.toml", &own), ("a.toml", &a)]);
    let steps = steps(&files);
    assert!(
        steps.contains(&"a: redact null-stripper".to_owned()),
        "{steps:?}"
    );
}

#[test]
fn mistakes_are_reported_in_their_own_file() {
    let own = "include = [\"sub/a.toml\"]\n[steps]\nown = [\"no-such-1\"]\n";
    let a = "[steps]\n# é\na = [\"ansi\", \"no-such-2\"]\nown = [\"ansi\"]\n[server.x]\nurl = \"https://x.example\"\n";
    let files = Files::of(&[("filters.toml", own), ("sub/a.toml", a)]);
    let report = files.report();
    for words in [
        "--> filters.toml:3:8",
        "--> sub/a.toml:3:14",
        "3 | a = [\"ansi\", \"no-such-2\"]",
        "two lists have the name `own`",
        "an included file cannot have `[server]`",
    ] {
        assert!(report.contains(words), "{words}\n{report}");
    }
    let broken = Files::of(&[("filters.toml", own), ("sub/a.toml", "a = 1\nb = = 2\n")]);
    let report = broken.report();
    assert!(report.contains("--> sub/a.toml:2:5"), "{report}");
    let open = Files::of(&[
        ("filters.toml", own),
        ("sub/a.toml", "[steps]\na = [\"ansi\"\n"),
    ]);
    let report = open.report();
    assert!(
        report.contains("sub/a.toml:2:5") && report.contains("opened here"),
        "{report}"
    );
    // The escape is another spelling of the key.
    let hidden = Files::of(&[("filters.toml", "\"incl\\u0075de\" = [\"gone.toml\"]\n")]);
    assert!(hidden.report().contains("cannot include `gone.toml`"));
}

#[test]
fn paths_of_an_included_file_are_relative_to_it() {
    let own = "include = [\"team/a.toml\"]\n";
    let a = "include = [\"b.toml\"]\n[[plugin]]\nname = \"p\"\npath = \"p.wasm\"\n[tests]\nfolder = \"cases\"\n[[test]]\ntool = \"x\"\ninput-file = \"in.json\"\nlacks = [\"y\"]\n";
    let files = Files::of(&[
        ("filters.toml", own),
        ("team/a.toml", a),
        ("team/b.toml", "[tool.x]\nneeds = [\"file:f\"]\n"),
    ]);
    let policy = files.parse().unwrap_or_else(|report| panic!("{report}"));
    let folder = files.0.path().join("team");
    assert_eq!(
        policy.plugins[0].place.file(),
        Some(&*folder.join("p.wasm"))
    );
    assert_eq!(
        policy.test_folder.as_ref().map(|(path, _)| path.clone()),
        Some(folder.join("cases"))
    );
    assert!(format!("{:?}", policy.tests[0].input).contains("team/in.json"));
    assert!(format!("{:?}", policy.tools[0].needs).contains("team/f"));
    let named: Vec<&Path> = policy.source.included().map(Source::path).collect();
    assert_eq!(named, [&*folder.join("a.toml"), &*folder.join("b.toml")]);
}

#[test]
fn circles_depth_and_number_have_bounds() {
    let circle = Files::of(&[
        ("filters.toml", "include = [\"a.toml\"]\n"),
        ("a.toml", "include = [\"b.toml\"]\n"),
        (
            "b.toml",
            "include = [\"./a.toml\", \"filters.toml\", \"b.toml\"]\n",
        ),
    ]);
    let report = circle.report();
    assert_eq!(report.matches("error[circle]").count(), 3, "{report}");
    // A file that two files include is no circle, and counts once.
    let both = Files::of(&[
        (
            "filters.toml",
            "include = [\"a.toml\", \"b.toml\"]\n[[chain]]\ntools = [\"*\"]\nsteps = [\"c\"]\n",
        ),
        ("a.toml", "include = [\"c.toml\"]\n"),
        ("b.toml", "include = [\"c.toml\"]\n"),
        ("c.toml", "[steps]\nc = [\"ansi\"]\n"),
    ]);
    assert_eq!(both.report(), "filters.toml: no errors");
    let name = |level: usize| match level {
        0 => "filters.toml".to_owned(),
        level => format!("{level}.toml"),
    };
    let deep = |levels: usize| {
        let files = Files::of(&[]);
        for level in 0..=levels {
            let text = match level == levels {
                true => "[[chain]]\ntools = [\"*\"]\nsteps = [\"ansi\"]\n".to_owned(),
                false => format!("include = [\"{}\"]\n", name(level + 1)),
            };
            std::fs::write(files.0.path().join(name(level)), text).expect("a file");
        }
        files
    };
    assert_eq!(deep(8).report(), "filters.toml: no errors");
    assert!(deep(9).report().contains("too many included files"));
    let names: Vec<String> = (0..33).map(|n| format!("\"{n}.toml\"")).collect();
    let many = Files::of(&[(
        "filters.toml",
        &format!("include = [{}]\n", names.join(", ")),
    )]);
    for n in 0..33 {
        std::fs::write(many.0.path().join(format!("{n}.toml")), "").expect("a file");
    }
    let report = many.report();
    assert_eq!(report.matches("error[").count(), 1, "{report}");
    let large = "# comment\n".repeat(60_000);
    let files = Files::of(&[
        ("filters.toml", "include = [\"a.toml\", \"b.toml\"]\n"),
        ("a.toml", &large),
        ("b.toml", &large),
    ]);
    assert!(
        files
            .report()
            .contains("cannot include `b.toml`: the files are too large")
    );
}

#[test]
fn what_was_read_once_is_not_read_again() {
    let files = Files::of(&[
        ("filters.toml", "include = [\"a.toml\"]\n"),
        ("a.toml", "[tool.x]\nhidden = true\n"),
    ]);
    let (source, findings) = files.source().with_included();
    assert_eq!(findings, []);
    std::fs::write(files.0.path().join("a.toml"), "[[").expect("a file");
    let policy = Policy::parse(source, &FILTERS).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(policy.tools.len(), 1);
    assert!(Draft::parse(files.source(), &FILTERS).is_err());
}
