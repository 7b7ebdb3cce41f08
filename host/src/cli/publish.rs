//! `tamis publish`: a policy for other machines, signed.

use super::output;
use super::plugin::signed::{key_password, key_text};
use crate::built_in;
use crate::policy::{MAX_FILE_BYTES, Policy, Source, UpstreamSpec};
use crate::registry::{ArtifactSignature, Credentials, Reference, Registry};
use crate::signature::{self, PrivateKey};
use crate::{file, hex, shell};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Publishes a policy for `tamis serve --config oci://…` or `--config https://…`, signed by your key.
///
/// With a place in an OCI registry, pushes the policy and its signature, and only then lets the tag name it: a proxy
/// never sees the policy without its signature. Without a place, writes the signature to FILE.sig: upload both files
/// to the same folder of a web server, FILE.sig first. A proxy finds a new policy within ten seconds.
///
/// The policy is checked before: it is one file, so it includes none, and names no file by a relative path. The key is
/// a private key in PEM of `tamis plugin keygen`, cosign or openssl; the password of an encrypted one is in
/// TAMIS_KEY_PASSWORD, else in COSIGN_PASSWORD. Credentials for the registry are those of `tamis plugin push`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis publish filters.toml oci://registry.example/team/policy:prod --key team.key\n  tamis publish filters.toml --key team.key      # writes filters.toml.sig"
)]
pub(super) struct Arguments {
    /// The policy.
    file: PathBuf,
    /// The place in a registry: oci://REGISTRY/REPOSITORY:TAG.
    #[arg(value_parser = place)]
    place: Option<Reference>,
    /// The private key that signs the policy.
    #[arg(long, value_name = "FILE", required_unless_present = "unsigned")]
    key: Option<PathBuf>,
    /// Push the policy without a signature: a proxy then needs its digest, or --unsigned-policy.
    #[arg(long, conflicts_with = "key", requires = "place")]
    unsigned: bool,
    /// Keep the signatures that are in FILE.sig, for example those of the policy that is published now.
    #[arg(long, conflicts_with = "place")]
    add: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

fn place(text: &str) -> Result<Reference> {
    let reference = text.strip_prefix("oci://").ok_or_else(|| {
        anyhow!("a place begins with oci://, as in oci://registry.example/team/policy:prod")
    })?;
    let reference = Reference::parse(reference).map_err(|error| anyhow!("{error}"))?;
    if reference.pinned().is_some() {
        bail!("{text} has a digest, which is known only after the push: leave it out");
    }
    if reference.tag().is_none() {
        bail!("{text} has no tag: for example {text}:prod");
    }
    Ok(reference)
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let path = &arguments.file;
    let policy = file::read(path, MAX_FILE_BYTES as u64)
        .with_context(|| format!("read {}", path.display()))?;
    let checked = check(path, &policy)?;
    let key = arguments.key.as_ref().map(|path| {
        PrivateKey::from_pem(&key_text(path)?, key_password().as_deref())
            .with_context(|| format!("the key {}", path.display()))
    });
    let key = key.transpose()?;
    let signed_by = key.as_ref().map(|key| key.public().to_string());
    let (place, digest) = match (&arguments.place, &key) {
        (Some(reference), key) => push(reference, &policy, key.as_ref())
            .with_context(|| format!("publish at oci://{reference}"))?,
        (None, Some(key)) => {
            let beside = signature::path_beside(path);
            let before = match arguments.add {
                true => signature::read_beside(path)
                    .with_context(|| format!("read {}", beside.display()))?,
                false => Vec::new(),
            };
            let text = signature::with_another(&before, &key.sign(&policy)?);
            file::replace(&beside, text.as_bytes(), file::Access::All)
                .with_context(|| format!("write {}", beside.display()))?;
            (
                shell::word(&beside),
                format!("sha256:{}", hex::sha256(&policy)),
            )
        }
        (None, None) => unreachable!("without a place, a key is required"),
    };
    let text = if arguments.json {
        let published = json!({
            "place": place,
            "digest": digest,
            "key": signed_by,
        });
        format!("{published:#}\n")
    } else {
        text_for_people(arguments, &checked, &place, signed_by.as_deref())
    };
    output::print_either(&text, arguments.json)?;
    Ok(ExitCode::SUCCESS)
}

/// The policy, if other machines can use it.
fn check(path: &Path, bytes: &[u8]) -> Result<Policy> {
    let name = path.file_name().unwrap_or_default();
    // The digest that it will have is not known yet, and no finding names it.
    let source = Source::remote(&name.to_string_lossy(), "", bytes)?;
    Ok(Policy::parse_remote(source, &built_in::names(), true)?)
}

/// Pushes a policy, then its signature, then the tag. The place with the digest, and the digest.
fn push(
    reference: &Reference,
    policy: &[u8],
    key: Option<&PrivateKey>,
) -> Result<(String, String)> {
    let credentials = Credentials::of_environment(reference.registry())?;
    let registry = Registry::new(reference.clone(), credentials);
    let pushed = registry.push_policy(policy)?;
    let pinned = &pushed.pinned;
    if let Some(key) = key {
        let public = key.public();
        let before = registry.signatures_now(pinned)?;
        // The same policy, published again.
        if !before.iter().any(|one| one.is_of(&public, pinned)) {
            let payload = ArtifactSignature::payload_for(pinned);
            let signature = key.sign(payload.bytes())?;
            let new = ArtifactSignature { payload, signature };
            registry.push_signature(pinned, &new)?;
        }
    }
    registry.tag(&pushed)?;
    Ok((format!("oci://{pinned}"), pinned.digest().to_string()))
}

fn text_for_people(
    arguments: &Arguments,
    policy: &Policy,
    place: &str,
    signed_by: Option<&str>,
) -> String {
    let mut text = format!("{place}\n");
    match signed_by {
        Some(key) => text += &format!("  signed by {key}\n"),
        None => text += "  not signed\n",
    }
    let is_program = |upstream: &UpstreamSpec| matches!(upstream, UpstreamSpec::Command { .. });
    let commands = policy
        .servers
        .iter()
        .any(|server| is_program(&server.upstream));
    let trust = match signed_by {
        Some(_) => " --policy-key KEY.pub",
        None => "",
    };
    let commands = if commands { " --policy-commands" } else { "" };
    match &arguments.place {
        Some(reference) if signed_by.is_some() => {
            text += &format!("  tamis serve --config oci://{reference}{trust}{commands}\n");
        }
        Some(_) => text += &format!("  tamis serve --config {place}{commands}\n"),
        None => {
            text += &format!("  tamis serve --config https://…{trust}{commands}\n");
        }
    }
    text
}
