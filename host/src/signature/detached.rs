//! The signatures of the file of a plugin or a policy, in a file beside it: `NAME.wasm.sig`, `filters.toml.sig`.
//!
//! A line of base64 for each signature of the file's bytes. With one line it is what `cosign sign-blob` prints
//! and `cosign verify-blob` reads.

use super::{MAX_SIGNATURE_TEXT, MAX_SIGNATURES, Signature};
use crate::file;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Largest file: all signatures, each with the end of its line.
pub const MAX_BYTES: u64 = (MAX_SIGNATURES * (MAX_SIGNATURE_TEXT + 2)) as u64;

/// The path of the signatures of a file.
pub fn path_beside(plugin: &Path) -> PathBuf {
    let mut path = OsString::from(plugin);
    path.push(".sig");
    path.into()
}

/// The signatures of a file; none if nobody signed it.
///
/// # Errors
///
/// They cannot be read, are too many, or one is not a signature.
pub fn read_beside(plugin: &Path) -> io::Result<Vec<Signature>> {
    match file::read_text(&path_beside(plugin), MAX_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        text => from_text(&text?),
    }
}

/// The signatures in the text of such a file.
///
/// # Errors
///
/// They are too many, or one is not a signature.
pub fn from_text(text: &str) -> io::Result<Vec<Signature>> {
    let invalid = |message: String| io::Error::new(ErrorKind::InvalidData, message);
    let mut signatures = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let signature = Signature::from_base64(line)
            .ok_or_else(|| invalid(format!("line {} is not a signature in base64", index + 1)))?;
        signatures.push(signature);
    }
    if signatures.len() > MAX_SIGNATURES {
        return Err(invalid(format!(
            "it has {} signatures, and {MAX_SIGNATURES} are allowed",
            signatures.len()
        )));
    }
    Ok(signatures)
}

/// The text of the file with one more signature.
pub fn with_another(signatures: &[Signature], new: &Signature) -> String {
    let all = signatures.iter().chain([new]);
    all.map(|signature| signature.to_base64() + "\n").collect()
}
