//! A plugin's project: what a new one is made of, and how one is built.
//!
//! Owns the templates, which lie beside this file, and the copy of the SDK that a project gets: the one that
//! this Tamis was built with, so that both speak the same contract.

mod build;

use crate::sandbox::CONTRACT_VERSION;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

pub use build::{Built, build};

/// A file of a new project: where it lies, and what is in it.
type File = (&'static str, &'static str);

const RUST: &[File] = &[
    ("Cargo.toml", include_str!("rust/Cargo.toml")),
    ("src/lib.rs", include_str!("rust/lib.rs")),
    (
        "settings.schema.json",
        include_str!("rust/settings.schema.json"),
    ),
    ("filters.toml", include_str!("filters.toml")),
    ("README.md", include_str!("rust/README.md")),
    (".gitignore", "/target\n*.wasm\n"),
    ("sdk/Cargo.toml", include_str!("rust/sdk.toml")),
    (
        "sdk/document/Cargo.toml",
        include_str!("rust/document.toml"),
    ),
];

/// The sources of the SDK and of what it needs, by where they lie in a project.
const SDK: &[File] = include!(concat!(env!("OUT_DIR"), "/sdk_table.rs"));

/// Where the SDK finds the contract in Tamis's repository, and in a project.
const WIT_PATH: (&str, &str) = ("\"../../wit\"", "\"wit\"");

/// Writes a new project into `folder`, which must not be there. Returns the files, in the order in which to
/// read them, the SDK's left out.
///
/// # Errors
///
/// The name is none for a filter, the folder is there, or cannot be written.
pub fn create(name: &str, folder: &Path) -> Result<Vec<PathBuf>> {
    check_name(name)?;
    if folder.exists() {
        bail!(
            "{} is there already: name another folder with --dir, or remove it",
            folder.display()
        );
    }
    let fill = |text: &str| {
        text.replace("{{name}}", name)
            .replace("{{version}}", env!("CARGO_PKG_VERSION"))
            .replace("{{contract}}", CONTRACT_VERSION)
    };
    let mut own = Vec::new();
    for (path, text) in RUST {
        write(&folder.join(path), &fill(text))?;
        if !path.starts_with("sdk/") {
            own.push(folder.join(path));
        }
    }
    for (path, text) in SDK {
        write(&folder.join(path), &text.replace(WIT_PATH.0, WIT_PATH.1))?;
    }
    Ok(own)
}

fn check_name(name: &str) -> Result<()> {
    let is_fine = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= 64
        && name
            .bytes()
            .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
        && !name.ends_with('-');
    if !is_fine {
        bail!(
            "`{}` is no name for a filter: it begins with a lower-case letter, and lower-case letters, digits and hyphens follow, at most 64",
            name.escape_default()
        );
    }
    if crate::built_in::find(name).is_some() {
        bail!("`{name}` is a filter that is part of Tamis: take another name");
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("write {}", path.display()))
}
