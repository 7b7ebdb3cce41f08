//! `tamis plugin push`: a plugin, or the contract, into a registry.

use super::pull::reference;
use super::subject::Subject;
use crate::cli::output;
use crate::registry::{Credentials, Pinned, Reference, Registry, Title};
use crate::sandbox::{CacheDir, Sandbox};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Pushes a plugin to an OCI registry, and prints the line for filters.toml.
///
/// Also pushes a WIT package (`tamis plugin wit --package`), so that `wkg` finds it.
///
/// Writes an artifact that other WebAssembly tools can read (config
/// `application/vnd.wasm.config.v0+json`, one layer `application/wasm`). The same plugin always has the
/// same digest.
///
/// Reads your credentials from Docker's config.json (`docker login`), or from TAMIS_REGISTRY_USER and
/// TAMIS_REGISTRY_PASSWORD. Uses HTTPS for all registries except those on this machine.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin push house-style.wasm registry.example/team/house-style:0.1.0\n  tamis plugin push house-style.wasm localhost:5000/house-style:0.1.0 --json | jq -r .reference"
)]
pub(super) struct Arguments {
    /// The plugin, or a WIT package.
    file: PathBuf,
    /// The target: registry, repository and tag.
    #[arg(value_parser = reference)]
    reference: Reference,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let reference = &arguments.reference;
    if reference.pinned().is_some() {
        bail!("{reference} has a digest, which is known only after the push: leave it out");
    }
    let subject = Subject::open(&arguments.file)?;
    let package = Title::of_package(&subject.wasm);
    let is_package = package.is_some();
    let title = match package {
        Some(title) => title,
        None => {
            let sandbox = Sandbox::new(CacheDir::from_environment())?;
            let plugin = subject.load(&sandbox.compiled_by_this_program()?)?;
            let description = plugin.description();
            Title {
                name: description.name.clone(),
                version: description.version.clone(),
                summary: description.summary.clone(),
            }
        }
    };
    if reference.tag().is_none() {
        bail!(
            "{reference} has no tag: for example {reference}:{}",
            title.version
        );
    }
    let credentials = Credentials::of_environment(reference.registry())?;
    let pushed = Registry::new(reference.clone(), credentials).push(&subject.wasm, &title);
    let pinned = pushed.with_context(|| format!("push to {reference}"))?;
    let text = if arguments.json {
        let pushed = json!({
            "reference": pinned.to_string(),
            "digest": pinned.digest().to_string(),
            "bytes": subject.wasm.len(),
        });
        format!("{pushed:#}\n")
    } else if is_package {
        format!("{pinned}\n{} {}\n", title.name, title.version)
    } else {
        format!(
            "{pinned}\nin the [[plugin]] of a filters.toml:\n  {}\n",
            toml_line(&pinned)
        )
    };
    output::print_either(&text, arguments.json)?;
    Ok(ExitCode::SUCCESS)
}

/// How a policy names it.
pub(super) fn toml_line(pinned: &Pinned) -> String {
    format!("oci = \"{pinned}\"")
}
