//! The module as its callers see it: whole files in, a policy or a report out.
//!
//! A broken file is a folder in `tests/cases/policy-errors`: `filters.toml` and, in `expected.txt`,
//! the message for the operator. `TAMIS_BLESS=1` writes the second again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;

const BUILTIN: [&str; 4] = ["null-stripper", "reshape", "spill", "table"];

const VALID: &str = r#"
[[plugin]]
name = "house-style"
path = "filters/house_style.wasm"
sha256 = "00000000000000000000000000000000000000000000000000000000000000fF"
allow = ["log", "result-meta"]
limits = { time = "50ms", memory = "32MiB", log-lines = 0 }
on-error = "block"

[[chain]]
name = "explain"
tools = ["lens_explain", "git_*"]
steps = [
  "house-style",
  { filter = "house-style", limits = { time = "1s" }, on-error = "pass" },
  { filter = "reshape", z = [1, -2.5, true], drop = ["llm_hint"], preview = { "a.*.b" = { lines = 3, as = "é" } } },
]

[[chain]]
tools = ["*_all", "lens_*"]

[[chain.steps]]
filter = "null-stripper"
deep.key = 0xff
limits.handles = 10_000

[[chain.steps]]
filter = "spill"
"#;

fn source(text: impl AsRef<[u8]>) -> Result<Source, Report> {
    Source::new("conf/filters.toml", text)
}

fn parse(text: impl AsRef<[u8]>) -> Result<Policy, Report> {
    Policy::parse(source(text)?, &BUILTIN)
}

fn valid(text: &str) -> Policy {
    parse(text).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn broken_files_say_what_is_wrong() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/policy-errors");
    let bless = std::env::var_os("TAMIS_BLESS").is_some_and(|value| value == "1");
    let mut cases: Vec<PathBuf> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .map(|entry| entry.expect("an entry of the folder of cases").path())
        .collect();
    cases.sort();
    assert!(
        cases.len() >= 30,
        "only {} cases in {}",
        cases.len(),
        root.display()
    );

    let mut failures = Vec::new();
    for case in cases {
        let bytes = fs::read(case.join("filters.toml")).expect("read filters.toml of a case");
        let policy =
            Source::new("filters.toml", &bytes).and_then(|source| Policy::parse(source, &BUILTIN));
        let report = match policy {
            Ok(policy) => Report::new(policy.source, policy.warnings),
            Err(report) => {
                assert!(
                    report.has_errors(),
                    "{}: no error in {report}",
                    case.display()
                );
                report
            }
        };
        assert!(
            !report.findings().is_empty(),
            "{}: nothing is wrong",
            case.display()
        );
        let (actual, golden) = (format!("{report}\n"), case.join("expected.txt"));
        if bless {
            fs::write(&golden, &actual).expect("write expected.txt of a case");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        if expected != actual {
            let name = case.display();
            failures.push(format!(
                "{name}\n--- expected\n{expected}\n--- actual\n{actual}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_plugin_is_what_its_table_says() {
    let policy = valid(VALID);
    let [plugin] = policy.plugins.as_slice() else {
        panic!("{:?}", policy.plugins);
    };
    assert_eq!(plugin.name, "house-style");
    let file = Path::new("conf/filters/house_style.wasm");
    assert_eq!(plugin.place.file(), Some(file));
    assert_eq!(
        plugin.sha256.map(|hash| (hash[0], hash[31])),
        Some((0, 0xff))
    );
    let granted = Capability::ALL.map(|capability| plugin.grants.has(capability));
    assert_eq!(granted, [true, false, true, false, false]);
    let expected = Limits {
        time: Duration::from_millis(50),
        memory_bytes: 32 << 20,
        log_lines: 0,
        ..Limits::default()
    };
    assert_eq!(plugin.limits, expected);
    assert_eq!(plugin.on_error, OnError::Block);
    assert_eq!(policy.source.slice(plugin.span), "[[plugin]]");
    assert_eq!(
        policy.source.slice(plugin.place_span),
        "\"filters/house_style.wasm\""
    );
}

#[test]
fn a_step_takes_limits_and_on_error_from_its_plugin_and_overrides_them() {
    let policy = valid(VALID);
    let steps = &policy.chains[0].steps;
    let plugin = &policy.plugins[0];
    assert_eq!(steps[0].filter, FilterRef::Plugin(0));
    assert_eq!(
        (steps[0].limits, steps[0].on_error),
        (plugin.limits, OnError::Block)
    );
    let time = Duration::from_secs(1);
    let expected = Limits {
        time,
        ..plugin.limits
    };
    assert_eq!(
        (steps[1].limits, steps[1].on_error),
        (expected, OnError::Pass)
    );
    assert_eq!(
        (steps[2].limits, steps[2].on_error),
        (Limits::default(), OnError::Pass)
    );
    assert_eq!(policy.chains[1].steps[0].limits.handles, 10_000);
}

#[test]
fn settings_are_the_steps_other_keys_in_order_with_their_places() {
    let policy = valid(VALID);
    let step = &policy.chains[0].steps[2];
    let settings = serde_json::to_string(&*step.settings).expect("settings are JSON");
    let expected =
        r#"{"z":[1,-2.5,true],"drop":["llm_hint"],"preview":{"a.*.b":{"lines":3,"as":"é"}}}"#;
    assert_eq!(settings, expected);
    assert_eq!(
        policy.chains[1].steps[0].settings.get("deep"),
        Some(&json!({"key": 255}))
    );

    let slice = |span: Option<Span>| span.map(|span| policy.source.slice(span));
    assert_eq!(policy.source.slice(step.span), "\"reshape\"");
    assert_eq!(
        slice(step.setting_spans.get("drop")),
        Some("[\"llm_hint\"]")
    );
    assert_eq!(slice(step.setting_spans.get("limits")), None);
    assert_eq!(
        slice(step.setting_spans.at("/preview/a.*.b/as")),
        Some("\"é\"")
    );
    assert_eq!(slice(step.setting_spans.at("/z/1/x/y")), Some("-2.5"));
    assert_eq!(slice(step.setting_spans.at("")), None);
}

#[test]
fn a_pointer_into_the_settings_may_have_escapes() {
    let step = "{ filter = 'table', 'a/b' = { '~1' = 5 } }";
    let policy = valid(&format!("[[chain]]\ntools = ['*']\nsteps = [{step}]"));
    let spans = &policy.chains[0].steps[0].setting_spans;
    let slice = |span: Option<Span>| span.map(|span| policy.source.slice(span));
    assert_eq!(slice(spans.at("/a~1b/~01")), Some("5"));
    assert_eq!(slice(spans.at("/a/b")), None);
}

#[test]
fn limits_reach_from_the_least_to_the_most_and_no_further() {
    let read = |row: &LimitRow, amount: i128| {
        let text = match row.unit {
            Unit::Count => amount.to_string(),
            Unit::Time => format!("'{amount}us'"),
            Unit::Size => format!("'{amount}B'"),
        };
        let limits = format!("limits = {{ {} = {text} }}", row.name);
        parse(format!(
            "[[chain]]\ntools = ['*']\nsteps = [{{ filter = 'table', {limits} }}]"
        ))
        .map(|policy| policy.chains[0].steps[0].limits.value(row.key))
        .map_err(|report| report.to_string())
    };
    for row in LIMITS {
        for amount in [row.least, row.most] {
            assert_eq!(read(&row, amount.into()), Ok(amount), "`{}`", row.name);
        }
        for amount in [i128::from(row.least) - 1, i128::from(row.most) + 1] {
            let report = read(&row, amount).expect_err("the value is not allowed");
            // Negative times and sizes have another message.
            assert!(
                report.contains("out of range") || (amount < 0 && report.contains("is not a")),
                "`{}` of {amount}: {report}",
                row.name
            );
        }
    }
}

#[test]
fn settings_keep_numbers_of_64_bits() {
    let policy = valid(
        "[[chain]]\ntools = ['*']\nsteps = [{ filter = 'table', a = -9223372036854775808, \
         b = 0xffff_ffff_ffff_ffff, c = 1_000.5 }]",
    );
    let settings = serde_json::Value::from(Settings::clone(&policy.chains[0].steps[0].settings));
    assert_eq!(settings, json!({"a": i64::MIN, "b": u64::MAX, "c": 1000.5}));
}

#[test]
fn the_first_chain_that_fits_is_the_tools_chain() {
    let policy = valid(VALID);
    let cases = [
        ("lens_explain", Some(0)),
        ("git_all", Some(0)),
        ("hg_all", Some(1)),
        ("lens_map", Some(1)),
        ("lens", None),
        ("", None),
    ];
    for (tool, expected) in cases {
        assert_eq!(
            policy.chain_for(&Piece::new(Surface::Result, tool)),
            expected,
            "for `{tool}`"
        );
    }
    assert_eq!(policy.chains[0].name, "explain");
    assert_eq!(policy.chains[1].name, "chain 2");
    let codes: Vec<_> = policy.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(
        codes,
        [Code::RedactionReach],
        "a sound policy has no other warnings"
    );
}

#[test]
fn a_chain_is_bound_to_what_on_says() {
    let policy = valid(
        r#"
[[chain]]
name = "words"
on = ["instructions", "prompt"]
prompts = ["review*"]
steps = ["null-stripper"]

[[chain]]
name = "both"
on = ["result", "description", "resource"]
tools = ["a"]
steps = ["null-stripper"]
"#,
    );
    let cases = [
        (Surface::Instructions, "", Some(0)),
        (Surface::Prompt, "review_code", Some(0)),
        (Surface::Prompt, "other", None),
        (Surface::Result, "a", Some(1)),
        (Surface::Description, "a", Some(1)),
        (Surface::Description, "b", None),
        (Surface::Resource, "file:///anything", Some(1)),
    ];
    for (surface, name, expected) in cases {
        assert_eq!(
            policy.chain_for(&Piece::new(surface, name)),
            expected,
            "{surface:?} `{name}`"
        );
    }
}

#[test]
fn tools_profiles_sessions_clients_and_the_read_tool_are_what_their_tables_say() {
    let policy = valid(
        r#"
[read-tool]
name = "more"
cap = 500
listed = false

[tool.scan]
needs = ["bandit", ["pip-audit", "env:NPM"], "file:data/x.db"]

[tool.export]
hidden = true
required = true

[profile.small]
tools = ["scan", "read_*"]

[session]
key = "argument:active_file"
calls = 10
window = "60s"

[[client]]
name = "My Agent*"
sees = "content"
heeds-audience = true
"#,
    );
    let read_tool = ReadTool {
        name: "more".to_owned(),
        cap_tokens: 500,
        listed: false,
    };
    assert_eq!(policy.read_tool, read_tool);
    let [scan, export] = policy.tools.as_slice() else {
        panic!("{:?}", policy.tools);
    };
    let any = vec![
        Need::Program("pip-audit".into()),
        Need::Variable("NPM".into()),
    ];
    let needs = [
        Need::Program("bandit".into()),
        Need::Any(any),
        Need::File("conf/data/x.db".into()),
    ];
    assert_eq!((scan.needs.as_slice(), scan.hidden), (&needs[..], false));
    assert!(export.hidden && export.required && !scan.required);
    assert!(export.needs.is_empty());
    assert!(
        policy.profiles[0]
            .tools
            .iter()
            .any(|tool| tool.matches("read_file"))
    );
    assert_eq!(
        policy.session.key,
        SessionKey::Argument("active_file".into())
    );
    assert_eq!(policy.session.calls, Some(10));
    assert_eq!(policy.session.window, Some(Duration::from_secs(60)));
    assert!(
        policy
            .session
            .limit_text
            .ends_with("[Tool call limit reached]")
    );
    assert!(policy.clients[0].name.matches("my agent 2") && policy.clients[0].heeds_audience);
}

#[test]
fn an_empty_file_is_a_policy_without_chains() {
    for text in ["", "\n", "# nothing yet\r\n", "\u{feff}"] {
        let policy = valid(text);
        assert!(
            policy.chains.is_empty() && policy.plugins.is_empty(),
            "{text:?}"
        );
        assert_eq!(policy.chain_for(&Piece::new(Surface::Result, "any")), None);
    }
}

#[test]
fn line_endings_and_a_byte_order_mark_change_nothing() {
    let policy = valid(VALID);
    let other = valid(&format!("\u{feff}{}", VALID.replace('\n', "\r\n")));
    let steps = |policy: &Policy| -> Vec<(FilterRef, Settings)> {
        let steps = policy.chains.iter().flat_map(|chain| &chain.steps);
        steps
            .map(|step| (step.filter.clone(), Settings::clone(&step.settings)))
            .collect()
    };
    assert_eq!(steps(&policy), steps(&other));
}

#[test]
fn a_file_of_the_largest_size_is_read_and_one_byte_more_is_not() {
    let comment = "#".repeat(MAX_FILE_BYTES);
    assert!(parse(&comment).is_ok());
    let report = parse(comment + "#")
        .expect_err("the file is too large")
        .to_string();
    assert!(report.contains("larger than 1 MiB"), "{report}");
    assert!(report.contains("conf/filters.toml"), "{report}");
}

#[test]
fn load_tells_a_broken_file_from_one_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("filters.toml");
    let error = Policy::load(&path, &BUILTIN).expect_err("there is no file");
    assert!(error.downcast_ref::<Report>().is_none(), "{error:#}");
    assert!(error.to_string().contains("filters.toml"), "{error:#}");

    fs::write(&path, "chian = 1").expect("write the file");
    let error = Policy::load(&path, &BUILTIN).expect_err("the file is broken");
    let report = error.downcast_ref::<Report>().expect("a report");
    assert_eq!(report.findings().len(), 1, "{report}");

    fs::write(&path, VALID).expect("write the file");
    let policy = Policy::load(&path, &BUILTIN).expect("the file is sound");
    let expected = folder.path().join("filters/house_style.wasm");
    assert_eq!(policy.plugins[0].place.file(), Some(expected.as_path()));
}

#[test]
fn findings_of_others_are_shown_in_the_same_form() {
    let policy = valid(VALID);
    let span = policy.chains[0].steps[2].span;
    let refused = Finding::error(
        span,
        "filter `reshape` refuses its settings",
        "`z` is unknown",
    );
    let outside = Span {
        start: usize::MAX - 1,
        end: usize::MAX,
    };
    let odd = Finding::warning(outside, "beyond the end", "").also(span, "and here");
    let report = Report::new(policy.source, vec![odd, refused]);
    let text = report.to_string();
    assert!(text.contains("--> conf/filters.toml:16:14"), "{text}");
    assert!(text.contains("^^^^^^^^^ `z` is unknown"), "{text}");
    assert!(
        text.find("refuses") < text.find("beyond"),
        "not in the order of the file:\n{text}"
    );
    assert!(
        text.ends_with("conf/filters.toml: 1 error, 1 warning"),
        "{text}"
    );
}

#[test]
fn a_hundred_findings_are_shown_and_the_rest_is_counted() {
    let text: String = (0..103).map(|key| format!("key-{key} = 0\n")).collect();
    let report = parse(text).expect_err("the file is broken").to_string();
    assert_eq!(
        report.matches("error[unknown-key]: unknown key").count(),
        100,
        "{report}"
    );
    assert!(
        report.ends_with("... and 3 more\n\nconf/filters.toml: 103 errors"),
        "{report}"
    );
}

#[test]
fn colour_is_there_only_when_asked_for() {
    let report = parse("chian = 1").expect_err("the file is broken");
    assert!(!report.render(false).contains('\u{1b}'));
    assert!(report.render(true).contains('\u{1b}'));
    assert_eq!(
        anstream::adapter::strip_str(&report.render(true)).to_string(),
        report.to_string()
    );
}

/// Pieces that the grammar gives a meaning, to put where they do not belong.
const PIECES: [&str; 24] = [
    "[",
    "]",
    "[[chain]]",
    "[plugin]",
    "{",
    "}",
    "\"",
    "'''",
    "=",
    ".",
    ",",
    "\n",
    "\r",
    "#",
    "*",
    "\0",
    "é",
    "🎉",
    "inf",
    "1e999",
    "2026-01-01",
    "name",
    "filter = ",
    "limits",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_mutated_file_is_read_or_refused(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, 0..PIECES.len()), 1..6),
        colour in any::<bool>(),
    ) {
        let mut text = VALID.to_owned();
        for (at, cut, piece) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary(start + cut);
            text.replace_range(start..end.max(start), PIECES[piece]);
        }
        check(text.as_bytes(), colour)?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes, false)?;
    }
}

/// Neither outcome may panic, and an error names its place.
fn check(text: &[u8], colour: bool) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(policy) => {
            for step in policy.chains.iter().flat_map(|chain| &chain.steps) {
                prop_assert_ne!(policy.filter_name(&step.filter), "");
            }
        }
        Err(report) => {
            prop_assert!(report.has_errors());
            prop_assert!(report.render(colour).contains("filters.toml"));
            let starts: Vec<_> = report
                .findings()
                .iter()
                .map(|finding| finding.span.map(|span| span.start))
                .collect();
            prop_assert!(
                starts.is_sorted(),
                "not in the order of the file: {starts:?}"
            );
        }
    }
    Ok(())
}
