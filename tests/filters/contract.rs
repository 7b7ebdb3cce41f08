//! A plugin built for a version of the contract loads and works while Tamis supports that version.
//!
//! `contract/VERSION.wasm` is the guest `every-import`, built at the release of that version, and never again: see
//! CONTRIBUTING.md. For an unreleased version, it is the build of `make guests`. `contract/grown` is a possible next
//! contract.

#[path = "../contract/grown.rs"]
mod grown;

use crate::support::built;
use crate::support::built::Target;
use crate::support::repository;
use std::path::{Path, PathBuf};
use tamis::document::{Document, TapeWanted};
use tamis::policy::{Grants, Limits};
use tamis::sandbox::{
    Applied, CONTRACT_VERSION, CallError, CallInfo, Originals, Sandbox, SessionView,
    StoredOriginal, Verdict,
};

/// Time limit for a busy machine.
const PATIENT: std::time::Duration = std::time::Duration::from_secs(60);

/// The guest's current build, and those of released versions, by version.
fn plugins() -> Vec<(String, PathBuf)> {
    let folder = repository().join("tests/contract");
    let entries = std::fs::read_dir(&folder).expect("list tests/contract");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let released = paths.filter(|path| path.extension().is_some_and(|it| it == "wasm"));
    let mut plugins: Vec<(String, PathBuf)> = released
        .map(|path| {
            let version = path.file_stem().expect("a name").to_string_lossy();
            (version.into_owned(), path)
        })
        .collect();
    let now = built::path(Target::Unknown, "every-import");
    plugins.push((CONTRACT_VERSION.to_owned(), now));
    plugins.sort();
    plugins
}

/// One call of a plugin of an old build.
fn call(version: &str, path: &Path, verdict: &str, text: &str) -> Result<Applied, CallError> {
    let limits = Limits {
        time: PATIENT,
        ..Limits::default()
    };
    let wasm = std::fs::read(path).expect("read the plugin");
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let plugin = sandbox
        .load("old", &wasm, Grants::all(), &limits)
        .unwrap_or_else(|error| panic!("{} does not load: {error}", path.display()));
    assert_eq!(plugin.contract(), version);
    assert_eq!(plugin.description().name, "every-import");
    assert_eq!(plugin.imports().len(), 5);
    let settings = format!(r#"{{"verdict":"{verdict}"}}"#);
    let filter = plugin
        .configure(&settings, &limits)
        .expect("it takes its settings");
    assert_eq!(
        (filter.triggers(), filter.legend()),
        (&["a".to_owned()][..], Some("a legend"))
    );
    let session = SessionView::default();
    let call = CallInfo {
        session: Some(&session),
        is_error: true,
        index: 3,
        arguments: r#"{"q":1}"#,
        ..CallInfo::of_result("server", "tool")
    };
    let originals = Originals::new(|prefix, _| {
        Ok(Some(StoredOriginal {
            reference: format!("{prefix}-reference"),
            call: String::new(),
            path: None,
            only_part: None,
            is_all: false,
        }))
    });
    filter.apply(&Document::detect(text), &call, &originals, TapeWanted::Yes)
}

fn text(applied: &Applied) -> String {
    match &applied.verdict {
        Verdict::Changed { document, .. } => document.text().to_string(),
        Verdict::Unchanged => panic!("nothing changed"),
    }
}

/// The section of CHANGELOG.md with the current contract tells whether it is released.
#[test]
fn a_version_that_is_out_has_its_plugin() {
    let changelog =
        std::fs::read_to_string(repository().join("CHANGELOG.md")).expect("CHANGELOG.md");
    let version = format!("`tamis:filter@{CONTRACT_VERSION}`");
    let sections = changelog.split("\n## ");
    let section = sections.into_iter().find(|it| it.contains(&version));
    let section = section.unwrap_or_else(|| panic!("CHANGELOG.md does not have {version}"));
    let heading = section.lines().next().unwrap_or_default();
    let file = repository().join(format!("tests/contract/{CONTRACT_VERSION}.wasm"));
    assert!(
        heading.contains("(unreleased)") || file.exists(),
        "{version} came out with {heading}: keep target/guests/wasm32-unknown-unknown/release/every_import.wasm as {}",
        file.display()
    );
}

#[test]
fn plugins_of_every_version_work() {
    for (version, path) in plugins() {
        let of = |verdict: &str, document: &str| {
            call(&version, &path, verdict, document)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let facts = |json: bool| {
            format!("server tool result content 3 true {json} {{\"q\":1}} (true, true)")
        };
        let json = of("edited", r#"{"a":1}"#);
        let said = format!("{} true 7 [{{\"a\"] every-reference ", facts(true));
        let said = serde_json::Value::String(said);
        assert_eq!(text(&json), format!(r#"{{"a":1,"said":{said}}}"#));
        assert_eq!(
            json.result_meta,
            [("com.example/tokens".to_owned(), "5".to_owned())]
        );
        assert_eq!(json.session, [("calls".to_owned(), "+".to_owned())]);
        assert_eq!(
            text(&of("spliced", "a text")),
            format!("{} false 6 [a te] every-reference  text", facts(false))
        );
        assert_eq!(
            text(&of("rewritten", "a text")),
            format!("{} false 6 [a te] every-reference ", facts(false))
        );
        let error = call(&version, &path, "none", "a text")
            .expect_err("it panics")
            .to_string();
        assert!(error.contains("no verdict none"), "{error}");
    }
}

#[test]
fn what_a_plugin_says_of_itself_depends_on_no_call() {
    let wasm = read(&built::path(Target::Unknown, "every-import"));
    let limits = Limits {
        time: PATIENT,
        ..Limits::default()
    };
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let plugin = sandbox.load("early", &wasm, Grants::all(), &limits);
    let refused = plugin
        .expect("it loads")
        .configure(r#"{"verdict":"too-early"}"#, &limits)
        .err();
    let refused = refused.expect("it asks too early").to_string();
    assert!(
        refused.contains("it asked about the call in `describe` or `configure`"),
        "{refused}"
    );
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
}

/// A later contract contains everything of this one, and more.
#[test]
fn the_grown_contract_is_this_one_and_more() {
    let this = std::fs::read_to_string(repository().join("wit/filter.wit")).expect("the contract");
    let grown = grown::contract(&this);
    let path = repository().join("tests/contract/grown/filter.wit");
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(&path, &grown).expect("write the grown contract");
    }
    let kept = std::fs::read_to_string(&path).expect("the grown contract");
    assert!(
        kept == grown,
        "tests/contract/grown is not made of wit/: run this test with TAMIS_BLESS=1"
    );
    let mut lines = grown.lines();
    for line in this.lines() {
        let line = line.replace(CONTRACT_VERSION, grown::VERSION);
        assert!(
            lines.any(|it| it == line),
            "the grown contract lacks {line:?}"
        );
    }
}

/// One more capability, surface and fact: old plugins do not notice.
#[test]
fn plugins_work_under_a_contract_that_has_grown() {
    for (version, path) in plugins() {
        let host = grown::Host::new("a text", grown::SURFACE);
        let answer = grown::call(&read(&path), r#"{"verdict":"rewritten"}"#, host)
            .unwrap_or_else(|error| panic!("{version}: {error:?}"));
        assert_eq!(answer.name, "every-import");
        assert_eq!(
            answer.text.as_deref(),
            Some(
                "server tool elicitation content 0 false false {} (false, true) false 6 [a te] reference "
            )
        );
    }
    for target in [Target::Unknown, Target::Wasip1, Target::Wasip2] {
        let host = grown::Host::new("a text", grown::SURFACE);
        let answer = grown::call(&read(&built::path(target, "noop")), "{}", host)
            .unwrap_or_else(|error| panic!("{target:?}: {error:?}"));
        assert_eq!((answer.name.as_str(), answer.text), ("noop", None));
    }
}

#[test]
fn the_filters_of_tamis_load_under_a_contract_that_has_grown() {
    for filter in tamis::built_in::FILTERS {
        let name = grown::load(&filter.wasm.unpack())
            .unwrap_or_else(|error| panic!("{}: {error:?}", filter.name));
        assert_eq!(name, filter.name);
    }
}

/// The reason why closed types of the contract say so.
#[test]
fn a_case_more_of_an_enum_keeps_old_plugins_out() {
    // The guest asks for the kind of its document.
    let plugin = read(&built::path(Target::Unknown, "every-import"));
    let error = grown::load_with_a_third_kind_of_document(&plugin).expect_err("another type");
    let error = format!("{error:?}");
    assert!(
        error.contains("tamis:filter/document@") && error.contains("expected enum of"),
        "{error}"
    );
}
