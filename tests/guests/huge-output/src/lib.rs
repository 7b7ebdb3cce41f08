//! `huge-output`: returns more to the host than it received.

use serde::Deserialize;
use tamis_sdk::guest::bindings::tamis::filter::types::Rewrite;
use tamis_sdk::{
    Call, Capability, Description, Document, Edits, Filter, Kind, Level, Splices, Verdict,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Approximate number of bytes.
    bytes: usize,
    /// The form of the output.
    #[serde(default)]
    way: Way,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum Way {
    /// A new document.
    #[default]
    Rewrite,
    /// One edit of the root, with a long operand.
    Operand,
    /// Many empty splices.
    Splices,
    /// The message of an error.
    Error,
    /// The triggers in the answer of `configure`.
    Triggers,
    /// A line for the log.
    Log,
}

struct HugeOutput(Settings);

impl Filter for HugeOutput {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("huge-output", "0.1.0", "gives back a lot").wants(&[Capability::Log])
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(HugeOutput(settings))
    }

    fn triggers(&self) -> Vec<String> {
        match self.0.way {
            Way::Triggers => vec!["x".repeat(self.0.bytes)],
            _ => Vec::new(),
        }
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        let text = || "x".repeat(self.0.bytes);
        match self.0.way {
            Way::Rewrite => Ok(Verdict::Rewritten(Rewrite {
                kind: Kind::Text,
                text: text(),
            })),
            Way::Operand => {
                let mut edits = Edits::new();
                if let Some(root) = document.root() {
                    edits.replace(root, &tamis_sdk::quote(&text()));
                }
                Ok(edits.into())
            }
            Way::Splices => {
                let mut splices = Splices::new();
                // A splice is sixteen bytes.
                for _ in 0..self.0.bytes / 16 {
                    splices.replace(0, 0, "");
                }
                Ok(splices.into())
            }
            Way::Error => Err(text()),
            Way::Triggers => Ok(Verdict::Unchanged),
            Way::Log => {
                tamis_sdk::log(Level::Info, &text());
                Ok(Verdict::Unchanged)
            }
        }
    }
}

tamis_sdk::export!(HugeOutput);
