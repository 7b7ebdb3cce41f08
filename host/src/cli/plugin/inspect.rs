//! `tamis plugin inspect`: a plugin's description of itself, and its requirements.

use super::subject::Subject;
use crate::cli::output;
use crate::cli::policy::SandboxArguments;
use crate::hex;
use crate::policy::Capability;
use crate::sandbox::{Description, Fidelity, Growth, Plugin};
use crate::shell;
use crate::signature;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Shows a plugin's name, version, contract, settings, promises, signatures, and the grants that it needs.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin inspect house-style.wasm\n  tamis plugin inspect null-stripper --json | jq .settings"
)]
pub(super) struct Arguments {
    /// A .wasm file (component or core module), or a built-in filter's name.
    plugin: PathBuf,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let subject = Subject::open(&arguments.plugin)?;
    let plugin = subject.load(&arguments.sandbox.open()?)?;
    // Of a built-in filter, none are there.
    let beside = signature::path_beside(&arguments.plugin);
    let signatures = signature::read_beside(&arguments.plugin)
        .with_context(|| format!("read {}", beside.display()))?
        .len();
    let text = if arguments.json {
        format!("{:#}\n", as_json(&subject, &plugin, signatures))
    } else {
        in_words(&subject, &plugin, signatures, &arguments.plugin)
    };
    output::print_either(&text, arguments.json)?;
    Ok(ExitCode::SUCCESS)
}

fn sha256(subject: &Subject) -> String {
    hex::sha256(&subject.wasm)
}

fn form(subject: &Subject) -> &'static str {
    // The layer of the format: 0 is a core module.
    match subject.wasm.get(6) {
        Some(0) => "core module",
        _ => "component",
    }
}

fn as_json(subject: &Subject, plugin: &Plugin, signatures: usize) -> Value {
    let description = plugin.description();
    let names = |list: &[Capability]| -> Vec<&str> {
        list.iter().map(|capability| capability.name()).collect()
    };
    json!({
        "name": description.name,
        "version": description.version,
        "summary": description.summary,
        "contract": plugin.contract(),
        "form": form(subject),
        "bytes": subject.wasm.len(),
        "sha256": sha256(subject),
        "signatures": signatures,
        "fidelity": fidelity(description),
        "idempotent": description.idempotent,
        "growth": growth(description),
        "snapshot": description.snapshot,
        "wants": names(&description.wants),
        "imports": names(plugin.imports()),
        "wasi": plugin.needs_wasi(),
        "settings": description.settings,
    })
}

fn in_words(subject: &Subject, plugin: &Plugin, signatures: usize, named: &Path) -> String {
    let description = plugin.description();
    let mut text = format!(
        "{} {}: {}\n",
        description.name, description.version, description.summary
    );
    let mut line = |key: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {key:<11} {value}");
    };
    line(
        "file",
        format!("{} bytes, a {}", subject.wasm.len(), form(subject)),
    );
    line("sha256", sha256(subject));
    if signatures > 0 {
        line(
            "signatures",
            format!(
                "{signatures}; whose they are: tamis plugin verify {} --key KEY.pub",
                shell::word(named)
            ),
        );
    }
    line("contract", plugin.contract());
    line(
        "fidelity",
        match description.fidelity {
            Fidelity::Exact => {
                "exact: the output contains the whole input in another form".to_owned()
            }
            Fidelity::Equivalent => {
                "equivalent: removes only nulls, empty values and white space".to_owned()
            }
            Fidelity::Partial => "partial: content is cut".to_owned(),
        },
    );
    line("promises", promises(description));
    let imports: Vec<String> = plugin
        .imports()
        .iter()
        .map(|capability| format!("\"{}\"", capability.name()))
        .collect();
    line(
        "grants",
        if imports.is_empty() {
            "none needed".to_owned()
        } else {
            format!("allow = [{}]", imports.join(", "))
        },
    );
    if plugin.needs_wasi() {
        line(
            "WASI",
            "imported, harmless: only a log, and clocks that stand still".to_owned(),
        );
    }
    settings(&description.settings, &mut text);
    text
}

fn promises(description: &Description) -> String {
    let mut promises = vec![match description.growth {
        Growth::None => "makes no document larger",
        Growth::Interim => "makes documents larger for later steps",
        Growth::Lasting => "makes documents larger on purpose",
    }];
    if description.idempotent {
        promises.push("filtering twice is filtering once");
    }
    if description.snapshot {
        promises.push("configured once, by a snapshot");
    }
    promises.join("; ")
}

/// The keys that an operator may set, one a line.
fn settings(schema: &Value, text: &mut String) {
    let members = schema["properties"].as_object();
    let Some(members) = members.filter(|members| !members.is_empty()) else {
        text.push_str("  settings    none\n");
        return;
    };
    text.push_str("  settings\n");
    let required = schema["required"].as_array();
    let is_required = |key: &str| required.is_some_and(|keys| keys.iter().any(|name| name == key));
    for (key, schema) in members {
        let kind = match &schema["type"] {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => kinds
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" or "),
            _ => "any".to_owned(),
        };
        let default = match schema.get("default") {
            Some(default) => format!(", default {default}"),
            None if is_required(key) => ", required".to_owned(),
            None => String::new(),
        };
        let described = schema["description"].as_str().unwrap_or("(no description)");
        let described = described.split_whitespace().collect::<Vec<_>>().join(" ");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {key} ({kind}{default})\n      {described}");
    }
}

fn fidelity(description: &Description) -> &'static str {
    match description.fidelity {
        Fidelity::Exact => "exact",
        Fidelity::Equivalent => "equivalent",
        Fidelity::Partial => "partial",
    }
}

fn growth(description: &Description) -> &'static str {
    match description.growth {
        Growth::None => "none",
        Growth::Interim => "interim",
        Growth::Lasting => "lasting",
    }
}
