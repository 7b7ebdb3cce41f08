//! A plugin that was built against a version of the contract loads and works for as long as Tamis speaks it.
//!
//! `contract/VERSION.wasm` is the guest `every-import`, as it was built when that version came out. These files
//! are never built anew: see CONTRIBUTING.md.

use std::path::{Path, PathBuf};
use tamis::document::{Document, TapeWanted};
use tamis::policy::{Grants, Limits};
use tamis::sandbox::{
    Applied, CONTRACT_VERSION, CallError, CallInfo, Kept, Originals, Sandbox, SessionView, Verdict,
};

/// What a busy machine may take.
const PATIENT: std::time::Duration = std::time::Duration::from_secs(60);

fn plugins() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/contract");
    let entries = std::fs::read_dir(&folder).expect("list tests/contract");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// One call of a plugin of an old build.
fn call(path: &Path, verdict: &str, text: &str) -> Result<Applied, CallError> {
    let limits = Limits {
        time: PATIENT,
        ..Limits::default()
    };
    let wasm = std::fs::read(path).expect("read the plugin");
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let plugin = sandbox
        .load("old", &wasm, Grants::all(), &limits)
        .unwrap_or_else(|error| panic!("{} does not load: {error}", path.display()));
    assert_eq!(path.file_stem(), Some(plugin.contract().as_ref()));
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
        ..CallInfo::of_result("server", "tool")
    };
    let originals = Originals::new(|prefix, _| {
        Ok(Some(Kept {
            reference: format!("{prefix}-reference"),
            call: String::new(),
            path: Some(String::new()),
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

#[test]
fn the_version_in_force_has_a_plugin() {
    let versions = plugins();
    let named = |path: &PathBuf| path.file_stem() == Some(CONTRACT_VERSION.as_ref());
    assert!(
        versions.iter().any(named),
        "no {CONTRACT_VERSION}.wasm in {versions:?}"
    );
}

#[test]
fn plugins_of_every_version_work() {
    for path in plugins() {
        let of = |verdict: &str, document: &str| {
            call(&path, verdict, document)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let json = of("edited", r#"{"a":1}"#);
        assert_eq!(
            text(&json),
            r#"{"a":1,"said":"tool {} true 7 [{\"a\"] every-reference "}"#
        );
        assert_eq!(
            json.result_meta,
            [("com.example/tokens".to_owned(), "5".to_owned())]
        );
        assert_eq!(json.session, [("calls".to_owned(), "+".to_owned())]);
        assert_eq!(
            text(&of("spliced", "a text")),
            "tool {} false 6 [a te] every-reference  text"
        );
        assert_eq!(
            text(&of("rewritten", "a text")),
            "tool {} false 6 [a te] every-reference "
        );
        let error = call(&path, "none", "a text")
            .expect_err("it panics")
            .to_string();
        assert!(error.contains("no verdict none"), "{error}");
    }
}
