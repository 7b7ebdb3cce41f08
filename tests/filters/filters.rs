//! Promises of every built-in filter, on generated documents. Without a trigger it changes nothing, edited JSON stays
//! JSON, and filtering twice equals filtering once if the filter says so. `null-stripper` also follows the same rules
//! over a tree.

use crate::support::manifests;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::LazyLock;
use tamis::built_in::{self, Role};
use tamis::document::{Document, Kind, TapeWanted};
use tamis::policy::Limits;
use tamis::sandbox::{CacheDir, CallInfo, Filter, Originals, Sandbox, StoredOriginal, Verdict};

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    Sandbox::new(Some(CacheDir::at(cache))).expect("a sandbox")
});

fn limits() -> Limits {
    Limits {
        // A busy machine must not fail a property.
        time: std::time::Duration::from_secs(60),
        ..Limits::default()
    }
}

fn load(filter: &built_in::BuiltIn) -> Filter {
    let plugin = SANDBOX.load_built_in(filter.name, filter.wasm, &limits());
    let plugin = plugin.unwrap_or_else(|error| panic!("{}: {error}", filter.name));
    let described = plugin.description();
    assert_eq!(
        (&*described.name, &*described.summary),
        (filter.name, filter.summary),
        "a filter describes itself as its manifest does"
    );
    plugin
        .configure(&manifests::small_settings(filter.name), &limits())
        .unwrap_or_else(|error| panic!("{}: {error}", filter.name))
}

static FILTERS: LazyLock<Vec<Filter>> =
    LazyLock::new(|| built_in::FILTERS.iter().map(load).collect());

/// Filters with snapshots, each loaded without its snapshot.
static WITHOUT_SNAPSHOT: LazyLock<Vec<Filter>> = LazyLock::new(|| {
    let filters = FILTERS.iter().zip(built_in::FILTERS);
    filters
        .filter(|(filter, _)| filter.description().snapshot)
        .map(|(_, filter)| load(filter).without_snapshot())
        .collect()
});

/// Stores every original under one name.
fn originals() -> Originals {
    Originals::new(|prefix, _| {
        Ok(Some(StoredOriginal {
            reference: "abcdefghij234567".to_owned(),
            call: r#"tamis_read {"ref":"abcdefghij234567"}"#.to_owned(),
            path: Some(format!("/originals/{prefix}_abcdefghij234567.json")),
            only_part: Some("content[0]".to_owned()),
            is_all: false,
        }))
    })
}

fn apply(filter: &Filter, document: &Document) -> Option<Document> {
    let call = CallInfo::of_result("server", "tool");
    let applied = filter.apply(document, &call, &originals(), TapeWanted::Yes);
    match applied
        .unwrap_or_else(|error| panic!("{}: {error} on {document:?}", filter.name()))
        .verdict
    {
        Verdict::Unchanged => None,
        Verdict::Changed { document, .. } => Some(document),
    }
}

/// Keys that filters look for, among others.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-e]{1,2}",
        1 => prop_oneof![
            Just("success".to_owned()),
            Just("data".to_owned()),
            Just("_pending_annotations".to_owned()),
            Just("_meta".to_owned()),
            Just("count".to_owned()),
            Just("unannotated_nodes".to_owned()),
        ],
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0u8..5).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!("")),
        "\\PC{0,12}".prop_map(Value::from),
        "([A-Za-z0-9+/]{4}){50,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 120, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// JSON text: compact or pretty, now and then with keys spelled in escapes.
fn json_text() -> impl Strategy<Value = String> {
    (value(), any::<bool>(), 0u8..4).prop_map(|(value, pretty, escapes)| {
        let text = if pretty {
            format!("{value:#}")
        } else {
            value.to_string()
        };
        match escapes {
            0 => text
                .replace("\"data\"", "\"d\\u0061ta\"")
                .replace("_annotations", "\\u005fannotations"),
            _ => text,
        }
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => json_text(), 1 => "\\PC{0,200}", 1 => json_text().prop_map(|text| text + "]")]
}

/// `null-stripper`'s defaults, over a tree.
fn strip(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(strip),
        Value::Object(members) => {
            members.values_mut().for_each(strip);
            members.retain(|key, value| {
                let empty = match value {
                    Value::Null => true,
                    Value::Array(elements) => elements.is_empty(),
                    Value::Object(members) => members.is_empty(),
                    Value::String(text) => text.is_empty(),
                    _ => false,
                };
                !empty || key == "success" || (key == "data" && !value.is_null())
            });
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_filter_has_nothing_to_do_without_a_trigger(text in any_text()) {
        let document = Document::detect(text);
        for filter in FILTERS.iter().filter(|filter| !filter.is_triggered(&document)) {
            let changed = apply(filter, &document);
            prop_assert!(changed.is_none(), "{} changed {document:?} to {changed:?}", filter.name());
        }
    }

    #[test]
    fn json_stays_json_and_text_is_left_alone(text in any_text()) {
        let document = Document::detect(text);
        for filter in FILTERS.iter().filter(|filter| manifests::has_role(&[filter.name()], Role::Edits)) {
            let Some(changed) = apply(filter, &document) else { continue };
            prop_assert_eq!(document.kind(), Kind::Json, "{} changed text", filter.name());
            let parsed = serde_json::from_str::<Value>(changed.text());
            prop_assert!(parsed.is_ok(), "{}: {changed:?}", filter.name());
        }
    }

    #[test]
    fn a_snapshot_changes_nothing_but_the_time(text in any_text()) {
        let document = Document::detect(text);
        prop_assert!(!WITHOUT_SNAPSHOT.is_empty(), "no filter keeps anything");
        for anew in WITHOUT_SNAPSHOT.iter() {
            let kept = FILTERS.iter().find(|filter| filter.name() == anew.name()).expect("the same filter");
            let [kept, anew] = [kept, anew].map(|filter| apply(filter, &document));
            prop_assert_eq!(kept.map(|it| it.text().to_string()), anew.map(|it| it.text().to_string()));
        }
    }

    #[test]
    fn filtering_twice_is_filtering_once(text in json_text()) {
        let document = Document::detect(text);
        for filter in FILTERS.iter().filter(|filter| filter.description().idempotent) {
            let Some(once) = apply(filter, &document) else { continue };
            let twice = apply(filter, &once);
            prop_assert!(twice.is_none(), "{}: {document:?}, {once:?}, {twice:?}", filter.name());
        }
    }

    #[test]
    fn null_stripper_does_what_its_rules_say(text in json_text()) {
        let filter = FILTERS.iter().find(|filter| filter.name() == "null-stripper").expect("it is built in");
        let mut expected: Value = serde_json::from_str(&text).expect("JSON");
        let document = Document::detect(text);
        if document.kind() == Kind::Json {
            strip(&mut expected);
        }
        let found = apply(filter, &document).unwrap_or(document);
        let found: Value = serde_json::from_str(found.text()).expect("JSON");
        prop_assert_eq!(found.to_string(), expected.to_string());
    }
}
