//! Tests of the bench: its facts for a filter, and its handling of the answers.

use super::{PROBE, Probed, filtered, filtered_by};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tamis_sdk::testing::{Bench, Saving, assert_schema, recorded, recorded_in};
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Growth, Kind, Level, Part, Surface,
    Verdict, guest, rewritten_text,
};

#[test]
fn a_call_is_what_the_test_says() {
    let show = |document: &Document, call: &Call| {
        let _ = document;
        rewritten_text(format!(
            "{} {} {:?} {:?} {} {} {:?} {}",
            call.server(),
            call.tool(),
            call.surface(),
            call.part(),
            call.index(),
            call.is_error(),
            call.sent_as(),
            call.arguments()
        ))
    };
    assert_eq!(
        filtered("[]", show).text(),
        "server tool Result Content 0 false DocumentKind::Json {}"
    );
    let bench = Bench::<Probed>::new("{}")
        .tool("search")
        .surface(Surface::Prompt)
        .is_error(true)
        .sent_as(Kind::Text)
        .arguments(r#"{"a":1}"#);
    assert_eq!(
        filtered_by(&bench, "[]", show).text(),
        "server search Prompt Content 0 true DocumentKind::Text {\"a\":1}"
    );
    // Each setting alone has its effect.
    let bench = Bench::<Probed>::new("{}").is_error(false);
    filtered_by(&bench, "[]", |_, call| {
        assert!(!call.is_error() && matches!(call.part(), Part::Content));
        Verdict::Unchanged
    });
}

#[test]
fn what_a_filter_asks_of_the_host_is_seen() {
    let applied = filtered("[1]", |document, _| {
        for (level, message) in [
            (Level::Error, "one"),
            (Level::Warn, "two"),
            (Level::Info, "three"),
            (Level::Debug, "four"),
        ] {
            tamis_sdk::log(level, message);
        }
        assert_eq!(tamis_sdk::tokens("hello world"), 2);
        assert_eq!(tamis_sdk::tokens(""), 0);
        assert_eq!(tamis_sdk::tokens(&"a ".repeat(32 * 1024)), 32 * 1024 + 1);
        assert_eq!(tamis_sdk::set_result_meta("a", "1"), Ok(()));
        assert_eq!(tamis_sdk::set_result_meta("b", "[]"), Ok(()));
        assert_eq!(tamis_sdk::set_result_meta("a", "{}"), Ok(()));
        let refusal = tamis_sdk::set_result_meta("c", "no JSON").expect_err("it is no JSON");
        assert!(refusal.contains("`c`"), "{refusal}");
        assert_eq!(document.text(), "[1]");
        assert_eq!(document.slice(1, 2), "1");
        Verdict::Unchanged
    });
    assert!(!applied.changed);
    assert_eq!(
        applied.log,
        ["error: one", "warn: two", "info: three", "debug: four"]
    );
    assert_eq!(applied.counted_bytes, 11 + 64 * 1024);
    let meta = [("b", "[]"), ("a", "{}")].map(|(key, json)| (key.to_owned(), json.to_owned()));
    assert_eq!(applied.result_meta, meta);
    assert_eq!(applied.fetched_bytes, 3);
    assert!(applied.kept.is_empty());
}

#[test]
fn more_tokens_than_are_counted_at_once_end_the_call() {
    let count = || {
        filtered("", |_, _| {
            tamis_sdk::tokens(&"a".repeat(64 * 1024 + 1));
            Verdict::Unchanged
        })
    };
    assert!(catch_unwind(AssertUnwindSafe(count)).is_err());
}

#[test]
fn originals_are_kept_unless_the_test_says_no() {
    let keep = |_: &Document, _: &Call| {
        let named = tamis_sdk::keep_original("pre");
        let plain = tamis_sdk::keep_original("");
        rewritten_text(match (named, plain) {
            (Some(named), Some(plain)) => {
                let path = |path: Option<String>| path.unwrap_or_default();
                format!("{} {} {}", path(named.path), path(plain.path), plain.call)
            }
            _ => "nothing is kept".to_owned(),
        })
    };
    let applied = filtered("[]", keep);
    assert_eq!(
        applied.text(),
        r#"/originals/pre_abcdefghij234567.json /originals/abcdefghij234567.json tamis_read {"ref":"abcdefghij234567"}"#
    );
    assert_eq!(applied.kept, ["pre", ""]);
    for (keeps, expected) in [(false, "nothing is kept"), (true, applied.text())] {
        let bench = Bench::new("{}").keeps(keeps);
        assert_eq!(filtered_by(&bench, "[]", keep).text(), expected);
    }
}

#[test]
fn a_session_keeps_what_fits() {
    let long = |len: usize| "k".repeat(len);
    let bench = Bench::new("{}").in_one_session();
    filtered_by(&bench, "", move |_, _| {
        for (key, value, is_kept) in [
            (long(64), long(1024), true),
            (long(65), "v".to_owned(), false),
            ("a".to_owned(), long(1025), false),
            (String::new(), "v".to_owned(), false),
            ("gone".to_owned(), "v".to_owned(), true),
            ("gone".to_owned(), String::new(), true),
        ] {
            let set = tamis_sdk::set_session_value(&key, &value);
            assert_eq!(set.is_ok(), is_kept, "{} {}", key.len(), value.len());
        }
        assert_eq!(tamis_sdk::session_value("gone"), None);
        for at in 1..64 {
            assert_eq!(
                tamis_sdk::set_session_value(&format!("key {at}"), "1"),
                Ok(())
            );
        }
        assert!(tamis_sdk::set_session_value("one more", "1").is_err());
        assert_eq!(tamis_sdk::set_session_value("key 7", "2"), Ok(()));
        Verdict::Unchanged
    });
    filtered_by(&bench, "", |_, _| {
        assert_eq!(tamis_sdk::session_value("key 7").as_deref(), Some("2"));
        assert_eq!(tamis_sdk::session_value("one more"), None);
        Verdict::Unchanged
    });
    // Without one session, no value lasts.
    let bench = Bench::new("{}");
    for _ in 0..2 {
        filtered_by(&bench, "", |_, _| {
            assert_eq!(tamis_sdk::session_value("key"), None);
            assert_eq!(tamis_sdk::set_session_value("key", "1"), Ok(()));
            assert_eq!(tamis_sdk::session_value("key").as_deref(), Some("1"));
            Verdict::Unchanged
        });
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Word that every document gets at its end.
    word: String,
}

/// A filter with its own text for every output.
struct Talking(String);

impl Filter for Talking {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = r#"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings",
        "type": "object",
        "properties": {"word": {"type": "string", "description": "Word that every document gets at its end."}},
        "required": ["word"],
        "additionalProperties": false
    }"#;

    fn describe() -> Description {
        Description::new("talking", "1.2.3", "says more")
            .fidelity(Fidelity::Exact)
            .wants(&[Capability::Log, Capability::Session])
            .idempotent()
            .may_grow()
            .snapshot()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        match settings.word.as_str() {
            "" => Err("`word` is empty".to_owned()),
            _ => Ok(Talking(settings.word)),
        }
    }

    fn triggers(&self) -> Vec<String> {
        vec!["hear".to_owned(), "listen".to_owned()]
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Partial
    }

    fn legend(&self) -> Option<String> {
        Some(format!("the last word is {}", self.0))
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        match document.text() {
            "hear nothing" => Err("nothing is heard".to_owned()),
            "be quiet" => Ok(Verdict::Unchanged),
            text => Ok(rewritten_text(format!("{text} {}", self.0))),
        }
    }
}

#[test]
fn a_filter_says_to_the_host_what_it_says_itself() {
    let description = guest::describe::<Talking>();
    assert_eq!(
        format!("{description:?}"),
        format!(
            "Description {{ name: \"talking\", version: \"1.2.3\", summary: \"says more\", settings: {:?}, fidelity: Fidelity::Exact, wants: [\"log\", \"session\"], idempotent: true, growth: Growth::Lasting, snapshot: true, more: [] }}",
            Talking::SETTINGS_SCHEMA
        )
    );
    let careful = guest::describe::<Probed>();
    assert!(
        matches!(careful.growth, Growth::None) && matches!(careful.fidelity, Fidelity::Partial)
    );
    assert!(!careful.idempotent && !careful.snapshot && careful.wants.is_empty());
    assert_eq!(careful.settings, r#"{"type":"object"}"#);

    let filter: Talking = guest::configure(r#"{"word":"so"}"#).expect("settings");
    let configured = guest::configured(&filter);
    assert_eq!(configured.triggers, ["hear", "listen"]);
    assert!(matches!(configured.fidelity, Fidelity::Partial));
    assert_eq!(configured.legend, "the last word is so");
    let plain = guest::configured(&guest::configure::<Probed>("{}").expect("settings"));
    assert!(plain.triggers.is_empty() && plain.legend.is_empty());
    assert!(matches!(plain.fidelity, Fidelity::Partial));

    for (settings, why) in [
        ("{}", "missing field `word`"),
        (r#"{"word":1}"#, "invalid type"),
        (r#"{"word":"a","more":1}"#, "unknown field `more`"),
        (r#"{"word":""}"#, "`word` is empty"),
    ] {
        let refusal = guest::configure::<Talking>(settings).err().expect(settings);
        assert!(refusal.contains(why), "{refusal}");
        assert_eq!(Bench::<Talking>::refusal(settings), Some(refusal));
    }
    assert_eq!(Bench::<Talking>::refusal(r#"{"word":"a"}"#), None);
}

#[test]
fn growth_and_fidelity_are_promised_by_name() {
    struct Preparing;
    impl Filter for Preparing {
        type Settings = ();
        fn describe() -> Description {
            Description::new("preparing", "1", "prepares")
                .fidelity(Fidelity::Equivalent)
                .prepares()
        }
        fn configure((): ()) -> Result<Self, String> {
            Ok(Preparing)
        }
        fn apply(&self, _: &Document, _: &Call) -> Result<Verdict, String> {
            Ok(Verdict::Unchanged)
        }
    }
    assert!(matches!(
        guest::describe::<Preparing>().growth,
        Growth::Interim
    ));
    assert!(matches!(Preparing.fidelity(), Fidelity::Equivalent));
}

#[test]
fn nothing_is_filtered_before_configure() {
    let call = |_: &Document, _: &Call| {
        let refusal = guest::apply::<Talking>(None).expect_err("there is no filter");
        assert!(refusal.contains("before configure"), "{refusal}");
        let filter = Talking("end".to_owned());
        guest::apply(Some(&filter)).expect("there is a filter")
    };
    assert_eq!(filtered("hear", call).text(), "hear end");
}

#[test]
fn the_bench_says_what_the_filter_says() {
    let bench = Bench::<Talking>::new(r#"{"word":"so"}"#);
    assert_eq!(bench.triggers(), ["hear", "listen"]);
    assert_eq!(bench.legend().as_deref(), Some("the last word is so"));
    assert_eq!(bench.apply("I hear").text(), "I hear so");
    assert!(bench.apply("I listen").changed);
    assert!(!bench.apply("be quiet").changed);
    let error = bench.try_apply("hear nothing").err();
    assert_eq!(error.as_deref(), Some("nothing is heard"));
    let panics = |text: &str| catch_unwind(AssertUnwindSafe(|| bench.apply(text))).is_err();
    assert!(panics("hear nothing"));
    assert!(panics("changed without a trigger"));
    assert!(catch_unwind(|| Bench::<Talking>::new("{}")).is_err());
}

#[test]
fn an_answer_that_cannot_be_carried_out_fails_the_test() {
    let answers: [fn() -> Verdict; 2] = [
        || tamis_sdk::rewritten_json("no JSON".to_owned()),
        || {
            let mut splices = tamis_sdk::Splices::new();
            splices.replace(3, 2, "");
            splices.into()
        },
    ];
    for answer in answers {
        let applied = catch_unwind(|| filtered("text", move |_, _| answer()));
        assert!(applied.is_err());
    }
}

#[test]
fn a_schema_is_held_to_the_settings() {
    if std::env::var_os("TAMIS_BLESS").is_none() {
        assert_schema::<Talking>("no file is read or written");
    }
    /// The same filter with another schema.
    struct Forgetful;
    impl Filter for Forgetful {
        type Settings = Settings;
        fn describe() -> Description {
            Talking::describe()
        }
        fn configure(_: Settings) -> Result<Self, String> {
            Ok(Forgetful)
        }
        fn apply(&self, _: &Document, _: &Call) -> Result<Verdict, String> {
            Ok(Verdict::Unchanged)
        }
    }
    if std::env::var_os("TAMIS_BLESS").is_none() {
        assert!(catch_unwind(|| assert_schema::<Forgetful>("no file is read or written")).is_err());
    }
}

#[test]
fn recorded_results_are_filtered_and_counted() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("server")).expect("a folder");
    let shorter = r#"{"content":[{"type":"text","text":"one two three"},{"type":"image"}],"structuredContent":{"a":[1]}}"#;
    for (name, text) in [
        ("b.json", shorter),
        (
            "server/a.json",
            r#"{"content":[{"type":"text","text":"quiet"}]}"#,
        ),
        ("_tools.json", "no result"),
        ("notes.txt", "no result"),
    ] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    PROBE.replace(Some(Box::new(|document, _| match document.kind() {
        Kind::Text if document.len_bytes() > 5 => rewritten_text("one".to_owned()),
        Kind::Json if document.len_bytes() > 2 => tamis_sdk::rewritten_json("{}".to_owned()),
        _ => Verdict::Unchanged,
    })));
    let saving = recorded_in(&folder, &Bench::<Probed>::new("{}"));
    saving.assert_smaller();
    assert_eq!(saving.documents, 3);
    let name = |place| format!("{} {place}", folder.join("b.json").display());
    assert_eq!(saving.changed, [(name(0), 3, 1), (name(1), 5, 1)]);
    if std::env::var_os("TAMIS_DATA").is_none() {
        assert!(recorded(&Bench::<Probed>::new("{}")).is_none());
    }
    let same = Saving {
        changed: vec![("a".to_owned(), 2, 2)],
        documents: 1,
    };
    assert!(catch_unwind(|| same.assert_smaller()).is_err());
}

#[test]
fn what_changes_twice_without_saying_so_is_found() {
    struct Growing(bool);
    impl Filter for Growing {
        type Settings = bool;
        fn describe() -> Description {
            Description::new("growing", "1", "adds a word each time").idempotent()
        }
        fn configure(grows: bool) -> Result<Self, String> {
            Ok(Growing(grows))
        }
        fn apply(&self, document: &Document, _: &Call) -> Result<Verdict, String> {
            let text = document.text();
            Ok(match self.0 || !text.ends_with("more") {
                true => rewritten_text(format!("{text} more")),
                false => Verdict::Unchanged,
            })
        }
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("growing");
    std::fs::create_dir_all(&folder).expect("a folder");
    let result = r#"{"content":[{"type":"text","text":"word"}]}"#;
    std::fs::write(folder.join("a.json"), result).expect("a file");
    let run = |grows: bool| {
        let folder = folder.clone();
        catch_unwind(move || recorded_in(&folder, &Bench::<Growing>::new(grows)))
    };
    assert!(run(true).is_err());
    let saving = run(false).expect("the second time changes nothing");
    assert_eq!(saving.changed.len(), 1);
    assert!(catch_unwind(|| saving.assert_smaller()).is_err(), "it grew");
}
