//! `tamis plugin pull`: a plugin of a registry, and how a policy names it.

use super::super::progress::Progress;
use super::push::toml_line;
use super::signed::Signed;
use crate::cli::output;
use crate::hex;
use crate::registry::{self, Credentials, Reference, Registry};
use crate::{file, shell};
use anyhow::{Context, Result, anyhow};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

/// Fetches a plugin from an OCI registry, and prints the line for filters.toml.
///
/// The line contains the digest of the plugin: a tag can point to another plugin tomorrow, so a policy
/// cannot use one. Tamis stores the plugin and its signatures in the cache directory, and then uses them
/// without the registry.
///
/// Reads your credentials from Docker's config.json (`docker login`), or from TAMIS_REGISTRY_USER and
/// TAMIS_REGISTRY_PASSWORD. Uses HTTPS for all registries except those on this machine.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin pull registry.example/team/house-style:0.1.0\n  tamis plugin pull localhost:5000/house-style:0.1.0 -o filters/house-style.wasm\n  tamis plugin pull registry.example/team/house-style:0.1.0 --json | jq -r .reference"
)]
pub(super) struct Arguments {
    /// The artifact: registry, repository, and a tag or a digest.
    #[arg(value_parser = reference)]
    reference: Reference,
    /// Also write the plugin to this file.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Reads a reference of the command line.
pub(super) fn reference(text: &str) -> Result<Reference> {
    Reference::parse(text).map_err(|error| anyhow!("{error}"))
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let reference = &arguments.reference;
    let kept = reference
        .pinned()
        .and_then(|pinned| Some((pinned.clone(), registry::cached(&pinned)?)));
    let (pinned, wasm) = match kept {
        Some(kept) => kept,
        None => {
            let credentials = Credentials::of_environment(reference.registry())?;
            let progress = OnceLock::new();
            let watching = |piece, total| {
                let progress = progress.get_or_init(|| Progress::of_fetching(total));
                progress.advance(piece);
            };
            let pulled = Registry::new(reference.clone(), credentials).pull(&watching);
            pulled.with_context(|| format!("pull {reference}"))?
        }
    };
    let registry = Signed::registry(&pinned);
    let signatures = match registry.and_then(|it| Ok(it.signatures(&pinned)?)) {
        Ok(signatures) => signatures.len(),
        Err(error) => {
            // Only a policy with `signed-by` needs them.
            let known = registry::cached_signatures(&pinned).unwrap_or_default();
            tracing::warn!("the signatures of {pinned} cannot be fetched: {error:#}");
            known.len()
        }
    };
    if let Some(output) = &arguments.output {
        file::replace(output, &wasm, file::Access::All)
            .with_context(|| format!("write {}", output.display()))?;
    }
    let sha256 = hex::sha256(&wasm);
    let text = if arguments.json {
        let pulled = json!({
            "reference": pinned.to_string(),
            "digest": pinned.digest().to_string(),
            "sha256": sha256,
            "bytes": wasm.len(),
            "signatures": signatures,
            "file": arguments.output,
        });
        format!("{pulled:#}\n")
    } else {
        let file = arguments.output.as_ref().map(shell::word);
        let file = file.map_or_else(String::new, |file| format!(", in {file}"));
        format!(
            "{pinned}\n  {} bytes, sha256 {sha256}{file}{}\nin the [[plugin]] of a filters.toml:\n  {}\n",
            wasm.len(),
            match signatures {
                0 => String::new(),
                count => format!(
                    "\n  signatures: {count}; whose they are: tamis plugin verify {pinned} --key KEY.pub"
                ),
            },
            toml_line(&pinned)
        )
    };
    output::print_either(&text, arguments.json)?;
    Ok(ExitCode::SUCCESS)
}
