//! `tamis plugin sign`: a signature of a plugin, beside its file or in its registry.

use super::signed::{Signatures, Signed, key_password, key_text};
use crate::cli::output;
use crate::file;
use crate::registry::ArtifactSignature;
use crate::shell;
use crate::signature::{self, MAX_SIGNATURES, PrivateKey};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Signs a plugin, so that policies can admit it by your key (`signed-by`).
///
/// Of a file, writes the signature to FILE.sig, as `cosign sign-blob` does: keep both files together. Signatures that
/// are there are those of an earlier build, and are replaced; `--add` keeps them. Of an artifact in a registry, pushes
/// the signature in cosign's form, beside those that are there. A plugin that has a signature of this key does not
/// get another.
///
/// The key is a private key in PEM (ECDSA on P-256, or Ed25519), of `tamis plugin keygen`, cosign or openssl. The
/// password of an encrypted one is in TAMIS_KEY_PASSWORD, else in COSIGN_PASSWORD. For registries, credentials are those
/// of `tamis plugin push`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin sign house-style.wasm --key team.key\n  tamis plugin sign registry.example/team/house-style:0.1.0@sha256:8a8b1c… --key team.key"
)]
pub(super) struct Arguments {
    /// The plugin's file, or its reference with the digest (`tamis plugin push` prints it).
    #[arg(value_name = "FILE|REFERENCE")]
    plugin: String,
    /// The private key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Keep the signatures of others in FILE.sig.
    #[arg(long)]
    add: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let key = PrivateKey::from_pem(&key_text(&arguments.key)?, key_password().as_deref())
        .with_context(|| format!("the key {}", arguments.key.display()))?;
    let public = key.public();
    let plugin = Signed::open(&arguments.plugin)?;
    if let Signed::Artifact(artifact) = &plugin {
        // Nobody means to sign a digest that is mistyped.
        let checked = Signed::registry(artifact)?.check_plugin();
        checked.with_context(|| format!("look at {artifact}"))?;
    }
    let before = plugin.signatures()?;
    let by_key = before.keys(&plugin, std::slice::from_ref(&public));
    let is_new = !by_key.contains(&Some(0));
    let stay = arguments.add || matches!(plugin, Signed::Artifact(_));
    if is_new && stay && by_key.len() >= MAX_SIGNATURES {
        bail!("{plugin} has {MAX_SIGNATURES} signatures, and no more are allowed");
    }
    let place = match (&plugin, &before) {
        (Signed::File { path, wasm }, Signatures::OfFile(signatures)) => {
            let beside = signature::path_beside(path);
            if is_new {
                let stay = if stay { &signatures[..] } else { &[] };
                let text = signature::with_another(stay, &key.sign(wasm)?);
                file::replace(&beside, text.as_bytes(), file::Access::All)
                    .with_context(|| format!("write {}", beside.display()))?;
            }
            shell::word(&beside)
        }
        (Signed::Artifact(artifact), _) => {
            if is_new {
                let payload = ArtifactSignature::payload_for(artifact);
                let signature = key.sign(payload.bytes())?;
                let new = ArtifactSignature { payload, signature };
                let pushed = Signed::registry(artifact)?.push_signature(artifact, &new);
                pushed.with_context(|| format!("push the signature of {artifact}"))?;
            }
            artifact.to_string()
        }
        (Signed::File { .. }, Signatures::OfArtifact(_)) => unreachable!("a file has its own kind"),
    };
    let text = if arguments.json {
        let signed = json!({
            "plugin": arguments.plugin,
            "signature": place,
            "new": is_new,
            "key": public.to_string(),
        });
        format!("{signed:#}\n")
    } else {
        let verb = if is_new {
            "signed"
        } else {
            "has a signature already, which stays"
        };
        format!("{plugin}: {verb}, by {public}\n  {place}\n")
    };
    output::print_either(&text, arguments.json)?;
    Ok(ExitCode::SUCCESS)
}
