//! Which steps a chain has, and their bounds.

use super::super::{OnError, Policy, Report, Source, Via};

const FILTERS: [&str; 4] = ["ansi", "null-stripper", "redact", "unwrap"];

fn parse(text: &str) -> Result<Policy, Report> {
    Policy::parse(Source::new("filters.toml", text)?, &FILTERS)
}

/// Each chain with its steps, `!` behind those that withhold and `~` behind those in shadow mode.
fn chains(text: &str) -> Vec<String> {
    let policy = parse(text).unwrap_or_else(|report| panic!("{report}"));
    let chains = policy.chains.iter().map(|chain| {
        let steps = chain.steps.iter().map(|step| {
            let mut name = policy.filter_name(&step.filter).to_owned();
            name.extend((step.on_error == OnError::Block).then_some('!'));
            name.extend(step.shadow.then_some('~'));
            name
        });
        format!("{}: {}", chain.name, steps.collect::<Vec<_>>().join(" "))
    });
    chains.collect()
}

fn error(text: &str) -> String {
    parse(text).expect_err("it is broken").to_string()
}

#[test]
fn names_of_lists_become_their_steps_in_place() {
    let text = r#"
[steps]
secrets = ["ansi", { filter = "redact", hide = ["emails"] }]
all = ["unwrap", "secrets"]
[[chain]]
name = "a"
tools = ["a"]
steps = ["all", "null-stripper"]
[[chain]]
name = "b"
tools = ["b"]
shadow = true
steps = [{ filter = "null-stripper", shadow = false }, "unwrap"]
[[chain]]
name = "c"
on = ["*"]
steps = ["secrets"]
"#;
    assert_eq!(
        chains(text),
        [
            "a: unwrap! ansi! redact! null-stripper",
            "b: null-stripper unwrap~",
            "c: ansi! redact!",
        ]
    );
    let policy = parse(text).expect("a policy");
    let via = |step: usize| policy.chains[0].steps[step].via.clone();
    assert_eq!(via(0), Some(Via::List("all".into())));
    assert_eq!(via(2), Some(Via::List("all".into())));
    assert_eq!(via(3), None);
}

#[test]
fn the_prefix_comes_first_unless_a_chain_leaves_it_out() {
    let prefix = "prefix = [\"unwrap\"]\n";
    let rest = r#"
[[chain]]
name = "with"
tools = ["a"]
steps = ["null-stripper"]
[[chain]]
name = "shadow"
tools = ["b"]
shadow = true
steps = ["null-stripper"]
[[chain]]
name = "empty"
on = ["prompt"]
steps = []
[[chain]]
name = "without"
tools = ["c"]
prefix = false
steps = []
[[chain]]
name = "messages"
on = ["*"]
steps = ["redact"]
[[chain]]
name = "arguments"
on = ["arguments"]
tools = ["*"]
steps = ["redact"]
[[chain]]
name = "record"
on = []
steps = ["redact"]
[record]
redact = "record"
"#;
    assert_eq!(
        chains(&(prefix.to_owned() + rest)),
        [
            "with: unwrap null-stripper",
            "shadow: unwrap null-stripper~",
            "empty: unwrap",
            "without: ",
            "messages: redact!",
            "arguments: redact!",
            "record: redact!",
        ]
    );
    let report = error(rest);
    assert!(
        report.contains("a chain without steps has no effect here"),
        "{report}"
    );
}

#[test]
fn what_redacts_later_makes_the_prefix_withhold() {
    let text = "prefix = [\"ansi\"]\n[[chain]]\nname = \"a\"\ntools = [\"a\"]\nsteps = [\"redact\"]\n[[chain]]\nname = \"b\"\ntools = [\"b\"]\nsteps = [\"null-stripper\"]\n";
    assert_eq!(chains(text), ["a: ansi! redact!", "b: ansi null-stripper"]);
    let shown =
        "prefix = [\"redact\"]\n[[chain]]\ntools = [\"a\"]\nstructured = \"keep\"\nsteps = []\n";
    let report = error(shown);
    assert!(report.contains("structured-shows-hidden"), "{report}");
}

#[test]
fn the_prefix_of_the_file_is_not_found_in_a_table() {
    let report = error("[[chain]]\ntools = [\"a\"]\nsteps = []\nprefix = [\"ansi\"]\n");
    assert!(
        report.contains("move the list above the first table"),
        "{report}"
    );
    let report = error("[tool.x]\nhidden = true\nprefix = [\"ansi\"]\ninclude = [\"a.toml\"]\n");
    assert!(
        report.contains("move `prefix` above the first table"),
        "{report}"
    );
    assert!(
        report.contains("move `include` above the first table"),
        "{report}"
    );
}

#[test]
fn circles_and_depth_are_errors_that_are_said_once() {
    let circle = "[steps]\na = [\"b\"]\nb = [\"a\"]\n[[chain]]\ntools = [\"x\"]\nsteps = [\"a\", \"b\", \"a\"]\n";
    let report = error(circle);
    assert_eq!(report.matches("error[circle]").count(), 1, "{report}");
    assert!(report.contains("found: a → b → a"), "{report}");
    let deep = |levels: usize| {
        let mut text = "[steps]\n".to_owned();
        for level in 1..levels {
            text += &format!("l{level} = [\"l{}\"]\n", level + 1);
        }
        text + &format!("l{levels} = [\"ansi\"]\n[[chain]]\ntools = [\"x\"]\nsteps = [\"l1\"]\n")
    };
    assert_eq!(chains(&deep(8)), ["chain 1: ansi"]);
    assert!(error(&deep(9)).contains("lists are nested too deep"));
    // The inner ones are known when the outer ones are read.
    let inner_first = deep(9).replace("steps = [\"l1\"]", "steps = [\"l5\", \"l1\"]");
    assert!(error(&inner_first).contains("lists are nested too deep"));
    assert!(error(&deep(400)).contains("lists are nested too deep"));
}

#[test]
fn lists_do_not_multiply_without_a_bound() {
    let mut text = "[steps]\n".to_owned();
    for level in 1..8 {
        let names = vec![format!("\"l{}\"", level + 1); 40].join(", ");
        text += &format!("l{level} = [{names}]\n");
    }
    text += "l8 = [\"ansi\"]\n[[chain]]\ntools = [\"x\"]\nsteps = [\"l1\", \"l1\"]\n";
    let report = error(&text);
    assert_eq!(
        report.matches("put too many steps into chains").count(),
        1,
        "{report}"
    );
    let many: String = (0..501).map(|n| format!("l{n} = [\"ansi\"]\n")).collect();
    assert!(error(&format!("[steps]\n{many}")).contains("too many named lists"));
}

#[test]
fn a_name_is_a_filters_or_a_lists() {
    for (text, words) in [
        (
            "[steps]\nredact = [\"ansi\"]\n",
            "the list `redact` has the name of a built-in filter",
        ),
        (
            "[[plugin]]\nname = \"mine\"\npath = \"m.wasm\"\n[steps]\nmine = [\"ansi\"]\n",
            "the list `mine` has the name of a plugin",
        ),
        (
            "[steps]\ntidy = [\"ansi\"]\n[[chain]]\ntools = [\"a\"]\nsteps = [\"tdy\"]\n",
            "did you mean `tidy`?",
        ),
        (
            "[steps]\ntidy = [\"ansi\"]\n[[chain]]\ntools = [\"a\"]\nsteps = [{ filter = \"tidy\" }]\n",
            "`tidy` is a list of steps, which takes no settings",
        ),
        (
            "[[steps]]\ntidy = [\"ansi\"]\n",
            "`steps` has the wrong type",
        ),
        (
            "[steps]\ntidy = \"ansi\"\n",
            "put it in brackets: [\"ansi\"]",
        ),
        ("[steps]\ntidy = []\n", "the list `tidy` is empty"),
    ] {
        let report = error(text);
        assert!(report.contains(words), "{words}\n{report}");
    }
}

#[test]
fn a_mistake_in_a_list_is_reported_once() {
    let text = "[steps]\ntidy = [\"no-such\"]\n[[chain]]\nname = \"a\"\ntools = [\"a\"]\nsteps = [\"tidy\"]\n[[chain]]\nname = \"b\"\ntools = [\"b\"]\nsteps = [\"tidy\"]\n";
    let report = error(text);
    assert_eq!(report.matches("error[").count(), 1, "{report}");
    // One that no chain uses is read, too.
    let report = error("[steps]\ntidy = [\"no-such\"]\n");
    assert_eq!(report.matches("error[").count(), 1, "{report}");
}
