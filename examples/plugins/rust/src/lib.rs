//! `keep-lines`: keeps the first lines of a long text, and adds a line with the number of omitted ones.

use serde::Deserialize;
use tamis_sdk::{Call, Description, Document, Fidelity, Filter, Kind, Verdict, rewritten_text};

/// The settings.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Maximum number of lines that stay, including the line about the rest.
    max_lines: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_lines: 20 }
    }
}

struct KeepLines {
    max_lines: usize,
}

impl Filter for KeepLines {
    type Settings = Settings;

    // `TAMIS_BLESS=1 cargo test` writes it.
    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "keep-lines",
            env!("CARGO_PKG_VERSION"),
            "keeps the first lines of a long text",
        )
        // The filter cuts content, so Tamis stores the original and tells the model how to read it.
        .fidelity(Fidelity::Partial)
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        if settings.max_lines < 2 {
            return Err(format!(
                "`max-lines` is {}: 2 or more are allowed, one of them for what is left out",
                settings.max_lines
            ));
        }
        Ok(KeepLines {
            max_lines: settings.max_lines as usize,
        })
    }

    fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
        if document.kind() != Kind::Text {
            return Ok(Verdict::Unchanged);
        }
        let text = document.text();
        let total = text.lines().count();
        if total <= self.max_lines {
            return Ok(Verdict::Unchanged);
        }
        let kept = self.max_lines - 1;
        let mut shorter: String = text.split_inclusive('\n').take(kept).collect();
        shorter += &format!("[{} more lines]\n", total - kept);
        if shorter.len() >= text.len() {
            return Ok(Verdict::Unchanged);
        }
        Ok(rewritten_text(shorter))
    }
}

// An instance serves one document, so its allocator need not free memory.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(KeepLines);

#[cfg(test)]
mod tests {
    use super::KeepLines;
    use serde_json::json;
    use tamis_sdk::testing::{Bench, assert_schema};

    #[test]
    fn the_first_lines_stay() {
        let bench = Bench::<KeepLines>::new(json!({"max-lines": 3}));
        let text = "a line of words\n".repeat(5);
        assert_eq!(
            bench.apply(&text).text(),
            "a line of words\na line of words\n[3 more lines]\n"
        );
        assert!(!bench.apply("one\ntwo\n").changed);
    }

    #[test]
    fn nonsense_is_refused() {
        let refusal = Bench::<KeepLines>::refusal(json!({"max-lines": 1}));
        assert!(refusal.is_some_and(|words| words.contains("2 or more")));
    }

    #[test]
    fn the_schema_is_that_of_the_settings() {
        assert_schema::<KeepLines>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
    }
}
