//! A plugin's project: the files of a new one, and how one is built.
//!
//! Owns the templates, which are `examples/plugins`, and the copy of the SDK that a project gets: the one that
//! this Tamis was built with, so that both speak the same contract.

mod build;
mod c;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

pub use build::{Built, build};

/// A file of a new project: its path and its content.
type File = (&'static str, &'static str);

/// The language of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Rust,
    JavaScript,
    Python,
    C,
}

/// An example as the files of a new project.
macro_rules! example {
    ($($file:literal),*) => {
        &[$(($file, include_str!(concat!(env!("BUILD_ROOT"), "/examples/plugins/", $file)))),*]
    };
}

const RUST: &[File] = example![
    "rust/Cargo.toml",
    "rust/src/lib.rs",
    "rust/settings.schema.json",
    "rust/filters.toml",
    "rust/README.md",
    "rust/.gitignore"
];
const JAVASCRIPT: &[File] = example![
    "js/package.json",
    "js/filter.js",
    "js/filters.toml",
    "js/README.md",
    "js/.gitignore",
    "js/wit/world.wit"
];
const PYTHON: &[File] = example![
    "python/requirements.txt",
    "python/app.py",
    "python/filters.toml",
    "python/README.md",
    "python/.gitignore",
    "python/wit/world.wit"
];
const C: &[File] = example![
    "c/filter.c",
    "c/filters.toml",
    "c/README.md",
    "c/.gitignore",
    "c/wit/world.wit"
];
/// The contract in C, by path in a project.
const C_BINDINGS: &[File] = &[
    (
        "bindings/plugin.h",
        include_str!(concat!(
            env!("BUILD_ROOT"),
            "/examples/plugins/c/bindings/plugin.h"
        )),
    ),
    (
        "bindings/plugin.c",
        include_str!(concat!(
            env!("BUILD_ROOT"),
            "/examples/plugins/c/bindings/plugin.c"
        )),
    ),
    (
        "bindings/types.c",
        include_str!(concat!(
            env!("BUILD_ROOT"),
            "/examples/plugins/c/bindings/types.c"
        )),
    ),
];

/// The name that the examples have.
const EXAMPLE: &str = "keep-lines";

/// The sources of the SDK and of its dependencies, by path in a project, and their manifests.
const SDK: &[File] = include!(concat!(env!("OUT_DIR"), "/sdk_table.rs"));
const SDK_MANIFESTS: &[File] = &[
    ("sdk/Cargo.toml", include_str!("sdk.toml")),
    ("sdk/document/Cargo.toml", include_str!("document.toml")),
];
/// The path from Rust's example to the SDK, and from the SDK to the contract: in this repository, and in a
/// project of its own.
const SDK_PATH: (&str, &str) = ("../../../plugins/sdk", "sdk");
const WIT_PATH: (&str, &str) = ("\"../../wit\"", "\"wit\"");

/// The contract, and where other languages than Rust look for it.
const CONTRACT: File = (
    "wit/deps/tamis-filter/filter.wit",
    include_str!(concat!(env!("BUILD_ROOT"), "/wit/filter.wit")),
);

/// Writes a new project into `folder`, which must not be there. Returns the author's own files, in the order
/// in which to read them.
///
/// # Errors
///
/// The name is none for a filter, the folder is there, or cannot be written.
pub fn create(name: &str, language: Language, folder: &Path) -> Result<Vec<PathBuf>> {
    check_name(name)?;
    if folder.exists() {
        bail!(
            "{} already exists: name another folder with --dir, or delete it",
            folder.display()
        );
    }
    let files = match language {
        Language::Rust => RUST,
        Language::JavaScript => JAVASCRIPT,
        Language::Python => PYTHON,
        Language::C => C,
    };
    let mut own = Vec::new();
    for (path, text) in files {
        let (_, path) = path.split_once('/').unwrap_or_default();
        let text = text.replace(EXAMPLE, name).replace(SDK_PATH.0, SDK_PATH.1);
        write(&folder.join(path), &text)?;
        own.push(folder.join(path));
    }
    if language == Language::C {
        for (path, text) in C_BINDINGS {
            write(&folder.join(path), text)?;
        }
    }
    if language != Language::Rust {
        write(&folder.join(CONTRACT.0), CONTRACT.1)?;
        return Ok(own);
    }
    for (path, text) in SDK.iter().chain(SDK_MANIFESTS) {
        let text = text.replace(WIT_PATH.0, WIT_PATH.1);
        let text = text.replace("{{version}}", env!("CARGO_PKG_VERSION"));
        write(&folder.join(path), &text)?;
    }
    Ok(own)
}

fn check_name(name: &str) -> Result<()> {
    let is_fine = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= 64
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !name.ends_with('-');
    if !is_fine {
        bail!(
            "`{}` is not a valid name for a filter. Allowed: lower-case letters, digits and hyphens, at most 64, starting with a letter",
            name.escape_default()
        );
    }
    if crate::built_in::find(name).is_some() {
        bail!("`{name}` is a built-in filter: choose another name");
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("write {}", path.display()))
}
