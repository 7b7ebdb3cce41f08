//! A plugin's project: the files of a new one, and how one is built.
//!
//! Owns the templates, which are `examples/plugins`, and the copy of the SDK that a project gets: the one that
//! this Tamis was built with, so that both speak the same contract. A project may name the published SDK instead.

mod build;
mod c;
mod go;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

pub use build::{Built, build};

/// A file of a new project: its path and its content.
type File = (&'static str, &'static str);

/// The language of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Rust,
    TypeScript,
    JavaScript,
    Python,
    Go,
    C,
}

/// Where a project gets Tamis's library for its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sdk {
    /// In the project: a build downloads nothing of Tamis.
    Copied,
    /// A package of the language's registry, in the version of this Tamis.
    Published,
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
const TYPESCRIPT: &[File] = example![
    "ts/package.json",
    "ts/tsconfig.json",
    "ts/filter.ts",
    "ts/filters.toml",
    "ts/README.md",
    "ts/.gitignore",
    "ts/wit/world.wit"
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
    "python/pyproject.toml",
    "python/app.py",
    "python/filters.toml",
    "python/README.md",
    "python/.gitignore",
    "python/wit/world.wit"
];
const GO: &[File] = example![
    "go/go.mod",
    "go/filter.go",
    "go/filters.toml",
    "go/README.md",
    "go/.gitignore",
    "go/wit/world.wit"
];
const C: &[File] = example![
    "c/filter.c",
    "c/filters.toml",
    "c/README.md",
    "c/.gitignore",
    "c/wit/world.wit"
];

/// The contract in other languages than Rust: generated files.
const TYPESCRIPT_TYPES: &[File] = example![
    "ts/types/plugin.d.ts",
    "ts/types/interfaces/tamis-filter-call.d.ts",
    "ts/types/interfaces/tamis-filter-document.d.ts",
    "ts/types/interfaces/tamis-filter-filter.d.ts",
    "ts/types/interfaces/tamis-filter-log.d.ts",
    "ts/types/interfaces/tamis-filter-original.d.ts",
    "ts/types/interfaces/tamis-filter-panic.d.ts",
    "ts/types/interfaces/tamis-filter-result-meta.d.ts",
    "ts/types/interfaces/tamis-filter-session.d.ts",
    "ts/types/interfaces/tamis-filter-tokens.d.ts",
    "ts/types/interfaces/tamis-filter-types.d.ts"
];
const PYTHON_TYPINGS: &[File] = example![
    "python/typings/componentize_py_types.pyi",
    "python/typings/wit_world/__init__.pyi",
    "python/typings/wit_world/exports/__init__.pyi",
    "python/typings/wit_world/exports/filter.pyi",
    "python/typings/wit_world/imports/__init__.pyi",
    "python/typings/wit_world/imports/call.pyi",
    "python/typings/wit_world/imports/document.pyi",
    "python/typings/wit_world/imports/log.pyi",
    "python/typings/wit_world/imports/original.pyi",
    "python/typings/wit_world/imports/panic.pyi",
    "python/typings/wit_world/imports/result_meta.pyi",
    "python/typings/wit_world/imports/session.pyi",
    "python/typings/wit_world/imports/tokens.pyi",
    "python/typings/wit_world/imports/types.pyi"
];
const GO_BINDINGS: &[File] = example![
    "go/bindings/call/call.go",
    "go/bindings/document/document.go",
    "go/bindings/filter/filter.go",
    "go/bindings/log/log.go",
    "go/bindings/original/original.go",
    "go/bindings/panic/panic.go",
    "go/bindings/plugin/exports.go",
    "go/bindings/plugin/plugin.go",
    "go/bindings/result_meta/result_meta.go",
    "go/bindings/session/session.go",
    "go/bindings/tokens/tokens.go",
    "go/bindings/types/types.go",
    "go/bindings/wit/wit.go"
];
const C_BINDINGS: &[File] = example![
    "c/bindings/plugin.h",
    "c/bindings/plugin.c",
    "c/bindings/types.c"
];

/// The name that the examples have.
const EXAMPLE: &str = "keep-lines";

/// The version of Tamis, which its SDKs have, too.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The packages with the contract's types. The names are those of `host/Cargo.toml`, as a test checks.
const NPM_PACKAGE: &str = "@tamis/sdk";
const PYPI_PACKAGE: &str = "tamis-sdk";

/// The sources of the SDK and of its dependencies, by path in a project, and their manifests.
const SDK: &[File] = include!(concat!(env!("OUT_DIR"), "/sdk_table.rs"));
const SDK_MANIFESTS: &[File] = &[
    ("sdk/Cargo.toml", include_str!("sdk.toml")),
    ("sdk/document/Cargo.toml", include_str!("document.toml")),
];

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
/// The name is none for a filter, no SDK is published for the language, the folder is there, or cannot be written.
pub fn create(name: &str, language: Language, sdk: Sdk, folder: &Path) -> Result<Vec<PathBuf>> {
    check_name(name)?;
    if sdk == Sdk::Published
        && matches!(language, Language::JavaScript | Language::Go | Language::C)
    {
        bail!(
            "no SDK is published for this language: leave --sdk out. All that the project needs of Tamis is copied into it"
        );
    }
    if folder.exists() {
        bail!(
            "{} already exists: name another folder with --dir, or delete it",
            folder.display()
        );
    }
    let (files, copied) = match language {
        Language::Rust => (RUST, &[][..]),
        Language::TypeScript => (TYPESCRIPT, TYPESCRIPT_TYPES),
        Language::JavaScript => (JAVASCRIPT, &[][..]),
        Language::Python => (PYTHON, PYTHON_TYPINGS),
        Language::Go => (GO, GO_BINDINGS),
        Language::C => (C, C_BINDINGS),
    };
    let mut own = Vec::new();
    for (path, text) in files {
        let (_, path) = path.split_once('/').unwrap_or_default();
        let mut text = text.replace(EXAMPLE, name);
        for (of_file, from, to) in sdk.changes(language) {
            if of_file == path {
                text = text.replace(from, &to);
            }
        }
        write(&folder.join(path), &text)?;
        own.push(folder.join(path));
    }
    if language != Language::Rust {
        write(&folder.join(CONTRACT.0), CONTRACT.1)?;
    }
    if sdk == Sdk::Published {
        return Ok(own);
    }
    for (path, text) in copied {
        let (_, path) = path.split_once('/').unwrap_or_default();
        // Packages of Go begin with the name of their module.
        write(&folder.join(path), &text.replace(EXAMPLE, name))?;
    }
    if language == Language::Rust {
        for (path, text) in SDK.iter().chain(SDK_MANIFESTS) {
            let text = text.replace("{{version}}", VERSION);
            write(&folder.join(path), &text)?;
        }
    }
    Ok(own)
}

impl Sdk {
    /// How a template becomes a project: the file, the text in it, and the text in its place.
    fn changes(self, language: Language) -> Vec<(&'static str, &'static str, String)> {
        match (self, language) {
            (Sdk::Copied, Language::Rust) => {
                vec![("Cargo.toml", "../../../plugins/sdk", "sdk".to_owned())]
            }
            (Sdk::Published, Language::Rust) => vec![
                (
                    "Cargo.toml",
                    "path = \"../../../plugins/sdk\"",
                    format!("version = \"{VERSION}\""),
                ),
                (
                    "README.md",
                    "`sdk/` is Tamis's library for filters (contract 0.1.0), which `tamis plugin new` wrote here:\n",
                    "The crate `tamis-sdk` is Tamis's library for filters (contract 0.1.0):\n"
                        .to_owned(),
                ),
            ],
            (Sdk::Published, Language::TypeScript) => vec![
                (
                    "package.json",
                    "    \"typescript\"",
                    format!("    \"{NPM_PACKAGE}\": \"{VERSION}\",\n    \"typescript\""),
                ),
                (
                    "tsconfig.json",
                    "\"types\": []",
                    format!("\"types\": [\"{NPM_PACKAGE}\"]"),
                ),
                ("tsconfig.json", ", \"types\"]", "]".to_owned()),
            ],
            (Sdk::Published, Language::Python) => vec![
                (
                    "requirements.txt",
                    "componentize-py",
                    format!("{PYPI_PACKAGE}=={VERSION}\ncomponentize-py"),
                ),
                ("pyproject.toml", "mypy_path = \"typings\"\n", String::new()),
            ],
            _ => Vec::new(),
        }
    }
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
