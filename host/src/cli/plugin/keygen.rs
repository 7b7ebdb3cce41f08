//! `tamis plugin keygen`: a pair of keys to sign plugins with.

use super::signed::key_password;
use crate::cli::output;
use crate::shell;
use crate::signature::PrivateKey;
use crate::system::files;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::file::Access;

/// Makes a pair of keys, to sign plugins with.
///
/// Writes the private key to NAME.key, which only you can read (on Windows: who can read its folder), and the
/// public key to NAME.pub. Neither file may exist. Keep NAME.key secret: who has it signs in your name. Give
/// NAME.pub to those who use your plugins. The keys are ECDSA on the curve P-256, in PEM.
///
/// If TAMIS_KEY_PASSWORD is set (else COSIGN_PASSWORD), the private key is encrypted with it, in cosign's form:
/// `tamis plugin sign` and `cosign sign` then need it.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tamis plugin keygen team\n  tamis plugin keygen ~/keys/team")]
pub(super) struct Arguments {
    /// The path of the keys, without `.key` and `.pub`.
    name: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let private = with_ending(&arguments.name, ".key");
    let public = with_ending(&arguments.name, ".pub");
    if public.symlink_metadata().is_ok() {
        bail!("{} exists: choose another name", shell::word(&public));
    }
    let password = key_password().filter(|password| !password.is_empty());
    let (key, pem) = PrivateKey::generate(password.as_deref())?;
    write_new(&private, pem.as_bytes(), Access::Owner)?;
    write_new(&public, key.public().to_pem().as_bytes(), Access::All)?;
    output::print(&format!(
        "{}  the private key{}: keep it secret\n{}  the public key, {}\nin a filters.toml, above its tables or in a [[plugin]]:\n  signed-by = [\"{}\"]\n",
        shell::word(&private),
        if password.is_some() {
            ", encrypted"
        } else {
            ", not encrypted"
        },
        shell::word(&public),
        key.public(),
        public.file_name().unwrap_or_default().display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(ending);
    path.into()
}

/// Writes a file that must not exist.
fn write_new(path: &Path, bytes: &[u8], access: Access) -> Result<()> {
    let mut options = files::options(access);
    let opened = options.write(true).create_new(true).open(path);
    let mut file = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} exists: choose another name", shell::word(path));
        }
        opened => opened.with_context(|| format!("write {}", path.display()))?,
    };
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a key is useless, and would be in the way.
        let _ = fs::remove_file(path);
    }
    written.with_context(|| format!("write {}", path.display()))
}
