//! `tamis plugin new`: a project to begin with.

use crate::authoring::project::{self, Language, Sdk};
use crate::cli::output;
use crate::shell;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

/// Creates a folder with a working filter, its tests, and a policy that uses it.
///
/// The filter shows only the first lines of a long text. Change it as you like. The folder also contains
/// Tamis's SDK for the language, so the build downloads nothing of Tamis; `--sdk published` names its package
/// in the language's registry instead.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis plugin new house-style\n  tamis plugin new house-style --dir filters/house-style\n  tamis plugin new house-style --lang python\n  tamis plugin new house-style --lang ts --sdk published"
)]
pub(super) struct Arguments {
    /// The filter's name: lower-case letters, digits and hyphens.
    name: String,
    /// The language.
    #[arg(long, value_enum, default_value_t = Lang::Rust)]
    lang: Lang,
    /// The source of Tamis's SDK: its crate, its types for TypeScript, its stubs for Python.
    #[arg(long, value_enum, default_value_t = Source::Copy)]
    sdk: Source,
    /// The folder to create [default: the filter's name, in the current folder].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Lang {
    /// The smallest and quickest.
    Rust,
    /// In QuickJS: 1.6 MB, 0.1 ms a call. The types of the contract are checked.
    Ts,
    /// As `ts`; nothing is checked for you.
    Js,
    /// In CPython: 18 MB, 1 ms a call.
    Python,
    /// With Go's runtime: 4.5 MB, 0.1 ms a call.
    Go,
    /// As small and as quick as Rust; nothing is checked for you.
    C,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Source {
    /// A copy in the project.
    Copy,
    /// The package of crates.io, npm or PyPI, in the version of this Tamis.
    Published,
}

impl Source {
    fn sdk(self) -> Sdk {
        match self {
            Source::Copy => Sdk::Copied,
            Source::Published => Sdk::Published,
        }
    }
}

impl Lang {
    fn language(self) -> Language {
        match self {
            Lang::Rust => Language::Rust,
            Lang::Ts => Language::TypeScript,
            Lang::Js => Language::JavaScript,
            Lang::Python => Language::Python,
            Lang::Go => Language::Go,
            Lang::C => Language::C,
        }
    }

    /// The commands to run once before a project is built.
    fn set_up(self) -> &'static str {
        match self {
            Lang::Rust | Lang::Go | Lang::C => "",
            Lang::Ts | Lang::Js => "  npm install\n",
            Lang::Python => {
                "  python3 -m venv .venv && .venv/bin/pip install -r requirements.txt\n"
            }
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let name = &arguments.name;
    let folder = arguments.dir.clone().unwrap_or_else(|| name.into());
    let files = project::create(
        name,
        arguments.lang.language(),
        arguments.sdk.sdk(),
        &folder,
    )?;
    let mut text = format!("{name}: a filter to begin with\n");
    for file in files {
        text += &format!("  {}\n", file.display());
    }
    text += &format!(
        "next:\n  cd {}\n{}  tamis plugin build\n  tamis test filters.toml\n  tamis plugin test {name}.wasm\n",
        shell::word(&folder),
        arguments.lang.set_up()
    );
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
