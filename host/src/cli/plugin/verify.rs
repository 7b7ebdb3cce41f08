//! `tamis plugin verify`: whose signatures a plugin has.

use super::signed::{Signed, public_key};
use crate::cli::output;
use crate::shell;
use crate::signature::PublicKey;
use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code when no key signed the plugin.
const EXIT_UNSIGNED: u8 = 1;

/// Shows which of your keys signed a plugin.
///
/// Reads the signatures in FILE.sig, or those that the registry has now. A signature of another key, or of other
/// bytes, is listed as one of an unknown key. Exit codes: 0 one of the keys signed the plugin, 1 none did, 2 an error.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin verify house-style.wasm --key team.pub\n  tamis plugin verify registry.example/team/house-style:0.1.0@sha256:8a8b1c… --key team.pub --key vendor.pub"
)]
pub(super) struct Arguments {
    /// The plugin's file, or its reference with the digest.
    #[arg(value_name = "FILE|REFERENCE")]
    plugin: String,
    /// A public key; repeat it for more.
    #[arg(long = "key", value_name = "FILE", required = true)]
    keys: Vec<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let keys = arguments.keys.iter().map(|path| public_key(path));
    let keys: Vec<PublicKey> = keys.collect::<Result<_>>()?;
    let plugin = Signed::open(&arguments.plugin)?;
    let signatures = plugin.signatures()?.keys(&plugin, &keys);
    let is_signed = signatures.iter().any(Option::is_some);
    let text = if arguments.json {
        let signatures: Vec<_> = signatures
            .iter()
            .map(|index| {
                json!({
                    "file": index.map(|index| &arguments.keys[index]),
                    "key": index.map(|index| keys[index].to_string()),
                })
            })
            .collect();
        let verified = json!({
            "plugin": arguments.plugin,
            "signed": is_signed,
            "signatures": signatures,
        });
        format!("{verified:#}\n")
    } else {
        let mut text = match (is_signed, signatures.is_empty()) {
            (true, _) => format!("{plugin}: signed\n"),
            (false, true) => format!("{plugin}: nobody signed it\n"),
            (false, false) => format!("{plugin}: none of these keys signed it\n"),
        };
        for index in signatures {
            text += &match index {
                Some(index) => format!(
                    "  {}  {}\n",
                    shell::word(&arguments.keys[index]),
                    keys[index]
                ),
                None => "  an unknown key, or other bytes\n".to_owned(),
            };
        }
        text
    };
    output::print_either(&text, arguments.json)?;
    Ok(match is_signed {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(EXIT_UNSIGNED),
    })
}
