//! `spill`: replaces a large result by a short summary, and names the file and call of the whole result.
//!
//! Owns the settings and the decision. [`size`] measures a printed result, [`places`] finds the paths of the settings,
//! and [`summary`] writes the summary. Refuses to know how the original is stored: the host stores and names it.

mod places;
mod size;
mod summary;
#[cfg(test)]
mod tests;

use crate::places::Path;
use crate::summary::Summary;
use serde::Deserialize;
use std::collections::BTreeMap;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Node, NodeKind, Verdict,
    rewritten_json,
};

/// The settings: which results are too large, and the parts of the summary.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Size above which a result is summarised: characters of its JSON when printed with an indent of two spaces, or of
    /// its text. For example "4000 chars".
    above: String,
    /// Fields that the summary repeats, in this order, if they exist. Dots lead into objects: `data.status`.
    keep: Vec<String>,
    /// Lists that the summary counts and shows the beginning of, in this order, if they exist. Dots lead into objects.
    /// `*` stands for every list, and for every string longer than `longest`, whose lines are counted. An entry is a
    /// name, or a table that also sets the two names in the summary: `{ list = "errors", count-as = "error_count",
    /// preview-as = "errors_preview" }`.
    count: Vec<Counted>,
    /// Maximum number of elements of a list that are shown.
    preview: u32,
    /// Maximum number of lines of a text that are shown.
    preview_lines: u32,
    /// Maximum number of characters of a field, element or line that are shown. The rest is cut, and the value becomes
    /// a string that ends with `…`.
    longest: u32,
    /// Beginning of the file's name: one text for all tools, or a table from tools to texts. Lower-case letters,
    /// digits, `-` and `_`, at most 64. Default: the tool's name.
    prefix: Prefix,
    /// Ends the summary with `full_output_call`, the call that reads the result, for clients that cannot open the file.
    read_call: bool,
}

/// A list that is counted.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(untagged)]
enum Counted {
    Named(String),
    Renamed(Renamed),
}

/// A list, and the names of its count and its beginning in the summary.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Renamed {
    /// Path of the list.
    list: String,
    /// Name of its count.
    count_as: Option<String>,
    /// Name of its beginning.
    preview_as: Option<String>,
}

/// The beginning of the files' names.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(untagged)]
enum Prefix {
    All(String),
    PerTool(BTreeMap<String, String>),
}

impl Default for Settings {
    fn default() -> Self {
        let keep = [
            "success",
            "status",
            "error",
            "return_code",
            "exit_code",
            "build_time_seconds",
        ];
        Settings {
            above: "4000 chars".to_owned(),
            keep: keep.map(str::to_owned).to_vec(),
            count: vec![Counted::Named("*".to_owned())],
            preview: 3,
            preview_lines: 10,
            longest: 1000,
            prefix: Prefix::PerTool(BTreeMap::new()),
            read_call: true,
        }
    }
}

/// The longest prefix that the host accepts.
const PREFIX_BYTES: usize = 64;
/// The name of a list without a name: the whole document.
const ITEMS: &str = "items";
/// The name of the lines of a text document.
const LINES: &str = "lines";

struct Spill {
    above_chars: u64,
    keep: Vec<Path>,
    count: Vec<Count>,
    settings: Settings,
}

/// A list that is counted, read from the settings.
struct Count {
    path: Path,
    count_as: Option<String>,
    preview_as: Option<String>,
}

impl Spill {
    fn prefix(&self, tool: &str) -> String {
        match &self.settings.prefix {
            Prefix::All(prefix) => prefix.clone(),
            Prefix::PerTool(tools) => tools.get(tool).cloned().unwrap_or_else(|| plain(tool)),
        }
    }

    /// Writes the requested parts of a JSON document into the summary.
    fn tell(&self, summary: &mut Summary<'_>, root: Node<'_>) {
        for path in &self.keep {
            if let Some(value) = path.find(summary.document, root) {
                summary.field(path, value);
            }
        }
        for Count {
            path,
            count_as,
            preview_as,
        } in &self.count
        {
            let names = (count_as.as_deref(), preview_as.as_deref());
            if root.kind() == NodeKind::Array && path.is_every() {
                summary.list(ITEMS, names, root);
            }
            for (name, value) in path.find_all(summary.document, root) {
                match value.kind() {
                    NodeKind::Array => summary.list(&name, names, value),
                    NodeKind::String if !path.is_every() || summary.is_long(value) => {
                        summary.lines_of(&name, names, value);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A tool's name without characters that a file's name should not have.
fn plain(tool: &str) -> String {
    let letters = tool.chars().map(|letter| match letter {
        'a'..='z' | '0'..='9' | '-' | '_' => letter,
        'A'..='Z' => letter.to_ascii_lowercase(),
        _ => '_',
    });
    letters.take(PREFIX_BYTES).collect()
}

fn check_prefix(key: &str, prefix: &str) -> Result<(), String> {
    if prefix.is_empty() || plain(prefix) != prefix {
        return Err(format!(
            "`{key}` is {prefix:?}: 1 to {PREFIX_BYTES} lower-case letters, digits, `-` and `_` are allowed"
        ));
    }
    Ok(())
}

fn characters(above: &str) -> Option<u64> {
    let (number, unit) = above.split_once(' ')?;
    let number = number.parse().ok()?;
    (unit == "chars" && number > 0).then_some(number)
}

impl Filter for Spill {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "spill",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Original])
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        let Some(above_chars) = characters(&settings.above) else {
            return Err(format!(
                "`above` is {:?}: a number of characters is allowed, 1 or more, such as \"4000 chars\"",
                settings.above
            ));
        };
        match &settings.prefix {
            Prefix::All(prefix) => check_prefix("prefix", prefix)?,
            Prefix::PerTool(tools) => {
                for (tool, prefix) in tools {
                    check_prefix(&format!("prefix.{tool}"), prefix)?;
                }
            }
        }
        if settings.longest == 0 {
            return Err("`longest` is 0: nothing could be shown, so 1 or more".to_owned());
        }
        let paths = settings.keep.iter();
        let keep: Result<Vec<Path>, String> =
            paths.map(|path| Path::parse("keep", path, false)).collect();
        let count = settings.count.iter().cloned().map(|counted| {
            let (path, count_as, preview_as) = match counted {
                Counted::Named(path) => (path, None, None),
                Counted::Renamed(it) => (it.list, it.count_as, it.preview_as),
            };
            let path = Path::parse("count", &path, true)?;
            if path.is_every() && (count_as.is_some() || preview_as.is_some()) {
                return Err("`count` names `*` and one name for all: name the lists".to_owned());
            }
            Ok(Count {
                path,
                count_as,
                preview_as,
            })
        });
        let count: Result<Vec<Count>, String> = count.collect();
        Ok(Spill {
            above_chars,
            keep: keep?,
            count: count?,
            settings,
        })
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        let root = document.root();
        let large = match root {
            Some(root) => {
                size::printed_is_above(document, root, self.above_chars)
                    && !summary::is_one(document, root)
            }
            None => size::text_is_above(document, self.above_chars),
        };
        if !large {
            return Ok(Verdict::Unchanged);
        }
        let Some(kept) = tamis_sdk::keep_original(&self.prefix(call.tool())) else {
            return Ok(Verdict::Unchanged);
        };
        let mut summary = Summary::begin(document, &self.settings, kept.path.as_deref());
        match root {
            Some(root) => self.tell(&mut summary, root),
            None => summary.text(LINES),
        }
        let names_call = self.settings.read_call || kept.path.is_none();
        let call = names_call.then_some(kept.call.as_str());
        Ok(rewritten_json(summary.end(call)))
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Spill);
