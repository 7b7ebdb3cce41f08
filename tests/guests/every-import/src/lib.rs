//! `every-import`: calls each import of the contract. `tests/contract` has a build of it for each released version.

use serde::Deserialize;
use tamis_sdk::{
    Call, Capability, Description, Document, Edits, Fidelity, Filter, Kind, Level, Part, Splices,
    Surface, Verdict, rewritten_text,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The verdict: `edited`, `spliced` or `rewritten`. `too-early`: asks about the call before it is called. Any other
    /// value is a panic.
    verdict: String,
}

struct EveryImport(Settings);

impl Filter for EveryImport {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str =
        r#"{"type":"object","properties":{"verdict":{"type":"string"}}}"#;

    fn describe() -> Description {
        Description::new("every-import", "0.1.0", "calls each import")
            .fidelity(Fidelity::Partial)
            .wants(&[
                Capability::Log,
                Capability::Tokens,
                Capability::ResultMeta,
                Capability::Original,
                Capability::Session,
            ])
            .may_grow()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.verdict == "too-early" {
            tamis_sdk::guest::bindings::tamis::filter::call::tool();
        }
        Ok(EveryImport(settings))
    }

    fn triggers(&self) -> Vec<String> {
        vec!["a".to_owned()]
    }

    fn legend(&self) -> Option<String> {
        Some("a legend".to_owned())
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        tamis_sdk::log(Level::Warn, "a message");
        let kept =
            tamis_sdk::keep_original("every").map_or_else(String::new, |kept| kept.reference);
        let before = tamis_sdk::session_value("calls").unwrap_or_default();
        tamis_sdk::set_session_value("calls", &format!("{before}+"))?;
        tamis_sdk::set_result_meta(
            "com.example/tokens",
            &tamis_sdk::tokens(document.text()).to_string(),
        )?;
        let facts = format!(
            "{} {} {} {} {} {} {} {}",
            call.server(),
            call.tool(),
            call.surface_name(),
            call.part_name(),
            call.index(),
            call.is_error(),
            call.sent_as() == Kind::Json,
            call.arguments()
        );
        let known = (call.surface() != Surface::Other, call.part() != Part::Other);
        let said = format!(
            "{facts} {known:?} {} {} [{}] {kept} {before}",
            document.kind() == Kind::Json,
            document.len_bytes(),
            document.slice(0, 4)
        );
        match self.0.verdict.as_str() {
            "edited" => {
                let mut edits = Edits::new();
                let root = document.root().ok_or("no JSON")?;
                edits.append_member(root, "said", &tamis_sdk::quote(&said));
                Ok(edits.into())
            }
            "spliced" => {
                let mut splices = Splices::new();
                splices.replace(0, 1, &said);
                Ok(splices.into())
            }
            "rewritten" => Ok(rewritten_text(said)),
            other => panic!("no verdict {other}"),
        }
    }
}

tamis_sdk::export!(EveryImport);
