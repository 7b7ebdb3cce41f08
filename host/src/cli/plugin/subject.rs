//! The plugin that a command is about: a file, or one of Tamis's own by name; and its settings.

use crate::authoring;
use crate::built_in::{self, Packed};
use crate::file;
use crate::policy::{Grants, Limits, Settings};
use crate::registry::MAX_PLUGIN_BYTES;
use crate::sandbox::{Filter, LoadError, Plugin, Sandbox};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use std::path::Path;

/// A plugin's bytes, and its name.
pub(super) struct Subject {
    pub name: String,
    pub wasm: Vec<u8>,
    /// Set for a built-in filter, whose machine code the program has.
    built_in: Option<Packed>,
}

#[derive(clap::Args)]
pub(super) struct SettingsArguments {
    /// The filter's settings as a JSON object, as in a step of filters.toml [default: {}].
    #[arg(long, value_name = "JSON")]
    settings: Option<String>,
}

impl Subject {
    /// `named`: a file, else a built-in filter.
    pub fn open(named: &Path) -> Result<Subject> {
        let built_in = named.to_str().and_then(built_in::find);
        if let Some(filter) = built_in.filter(|_| !named.exists()) {
            return Ok(Subject {
                name: filter.name.to_owned(),
                wasm: filter.wasm.unpack(),
                built_in: Some(filter.wasm),
            });
        }
        if named.is_dir() {
            bail!(
                "{} is a folder: name the .wasm file that was built, such as target/wasm32-unknown-unknown/release/house-style.wasm",
                named.display()
            );
        }
        let wasm = file::read(named, MAX_PLUGIN_BYTES)
            .with_context(|| format!("read {}", named.display()))?;
        let stem = named.file_stem().unwrap_or_default();
        Ok(Subject {
            name: stem.to_string_lossy().into_owned(),
            wasm,
            built_in: None,
        })
    }

    /// Loads it, with all that it can be granted: nobody is served.
    pub fn load(&self, sandbox: &Sandbox) -> Result<Plugin> {
        let limits = authoring::limits();
        let loaded = match self.built_in {
            Some(wasm) => sandbox.load_built_in(&self.name, wasm, &limits),
            None => sandbox.load(&self.name, &self.wasm, Grants::all(), &limits),
        };
        loaded
            .map_err(with_remedy)
            .with_context(|| format!("the plugin {}", self.name))
    }
}

/// The problem with a plugin, and the fix in a line of its own.
fn with_remedy(error: LoadError) -> anyhow::Error {
    match error.remedy() {
        Some(remedy) => anyhow!("{error}\n  help: {remedy}"),
        None => error.into(),
    }
}

impl SettingsArguments {
    /// These settings, or the others if none are given.
    pub fn or(&self, others: &Settings) -> SettingsArguments {
        let settings = self.settings.clone();
        SettingsArguments {
            settings: Some(settings.unwrap_or_else(|| json!(others).to_string())),
        }
    }

    /// The given settings.
    pub fn read(&self) -> Result<Settings> {
        let given = self.settings.as_deref().unwrap_or("{}");
        serde_json::from_str(given)
            .with_context(|| format!("--settings {given}: expected a JSON object"))
    }

    /// The filter with these settings.
    pub fn configure(&self, plugin: &Plugin, limits: &Limits) -> Result<Filter> {
        let settings = self.read()?;
        let settings = serde_json::Value::Object(settings).to_string();
        plugin
            .configure(&settings, limits)
            .map_err(with_remedy)
            .with_context(|| format!("the plugin {}", plugin.description().name))
    }
}
