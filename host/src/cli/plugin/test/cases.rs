//! The cases of a plugin: folders with an input and its expected output.

use super::{Arguments, EXIT_FAILED};
use crate::built_in;
use crate::cases::{self, Tested};
use crate::cli::output::Printed;
use crate::cli::test::printer::{Format, Printer};
use crate::cli::test::run_suite;
use crate::cli::{EXIT_ERROR, print_error};
use crate::sandbox::{Plugin, Sandbox};
use crate::system::files;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folders with cases in a project.
const FOLDERS: [&str; 2] = ["cases", "tests"];

/// Runs them; there may be none.
pub(super) fn run(arguments: &Arguments, plugin: &Plugin, sandbox: &Sandbox) -> Result<ExitCode> {
    let named = arguments.plugin.as_path();
    let is_file = named.exists() || named.to_str().and_then(built_in::find).is_none();
    let Some(folder) = folder(arguments, is_file)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let file = is_file.then(|| files::real_path(named)).transpose();
    let tested = Tested {
        name: &plugin.description().name,
        file: file.with_context(|| format!("find {}", named.display()))?,
        imports: plugin.imports(),
        settings: arguments.settings.read()?,
    };
    let (suites, errors) = cases::of_plugin(&folder, &tested, sandbox);
    if !errors.is_empty() {
        for error in errors {
            print_error(&error);
        }
        return Ok(ExitCode::from(EXIT_ERROR));
    }
    let count = suites.iter().map(|suite| suite.cases.len()).sum();
    if count == 0 {
        bail!(
            "no cases in {}: a case is a folder with an input.json or input.txt",
            folder.display()
        );
    }
    let format = match arguments.json {
        true => Format::Json,
        false => Format::Text,
    };
    let mut printer = Printer::new(Printed::stdout(arguments.json), format);
    printer.begin(count, 0, &folder)?;
    for suite in &suites {
        run_suite(suite, |_| true, arguments.bless, &mut printer)?;
    }
    printer.end()?;
    Ok(match printer.counts.failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(EXIT_FAILED),
    })
}

/// The folder that is named, else the one of the project, if it has cases.
fn folder(arguments: &Arguments, is_file: bool) -> Result<Option<PathBuf>> {
    if let Some(folder) = &arguments.cases {
        if !folder.is_dir() {
            bail!("--cases {}: no such folder", folder.display());
        }
        return Ok(Some(folder.clone()));
    }
    let project = project(&arguments.plugin).filter(|_| is_file);
    let mut folders = project.into_iter().flat_map(|project| {
        FOLDERS
            .map(|name| project.join(name))
            .into_iter()
            .filter(|folder| folder.is_dir() && cases::has_cases(folder))
    });
    let found = folders.next();
    if found.is_none() && arguments.bless {
        bail!(
            "--bless found no cases: name their folder with --cases; a case is a folder with an input.json or input.txt"
        );
    }
    Ok(found)
}

/// The folder that a plugin is built into: its project's.
fn project(plugin: &Path) -> Option<&Path> {
    match plugin.parent()? {
        parent if parent.as_os_str().is_empty() => Some(Path::new(".")),
        parent => Some(parent),
    }
}
