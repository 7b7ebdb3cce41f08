//! Builds a project: its own tool chain makes a module, and that becomes a component.

use crate::sandbox;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A plugin that was built.
#[derive(Debug)]
pub struct Built {
    /// The component.
    pub path: PathBuf,
    pub bytes: usize,
    /// What the compiler wrote.
    pub module: PathBuf,
    pub module_bytes: usize,
}

/// Builds the project in `folder` for one of Rust's targets, and writes the component beside its Cargo.toml.
/// What the compiler says goes to standard error.
///
/// # Errors
///
/// There is no project, its compiler fails, or what it makes is no plugin.
pub fn build(folder: &Path, target: &str) -> Result<Built> {
    if !folder.join("Cargo.toml").is_file() {
        bail!(
            "there is no Cargo.toml in {}: `tamis plugin build` builds a crate that `tamis plugin new` made, or one like it",
            folder.display()
        );
    }
    let module = cargo(folder, target)?;
    let wasm = std::fs::read(&module).with_context(|| format!("read {}", module.display()))?;
    let component = sandbox::component_of(&wasm)
        .with_context(|| format!("make a component of {}", module.display()))?;
    let stem = module.file_stem().unwrap_or_default().to_string_lossy();
    let path = folder.join(format!("{}.wasm", stem.replace('_', "-")));
    std::fs::write(&path, &component).with_context(|| format!("write {}", path.display()))?;
    Ok(Built {
        path,
        bytes: component.len(),
        module,
        module_bytes: wasm.len(),
    })
}

/// Runs cargo. Returns the module that it wrote.
fn cargo(folder: &Path, target: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut child = Command::new(&cargo)
        .current_dir(folder)
        .args(["build", "--release", "--target", target])
        .arg("--message-format=json-render-diagnostics")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!(
                "start {}: Rust is needed (https://rustup.rs)",
                cargo.display()
            )
        })?;
    let said = child
        .stdout
        .take()
        .context("cargo has no standard output")?;
    let mut modules: Vec<PathBuf> = Vec::new();
    for line in BufReader::new(said).lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.context("read what cargo says")?)
        else {
            continue;
        };
        let names = message["filenames"].as_array();
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        modules.extend(
            names
                .filter(|name| name.ends_with(".wasm"))
                .map(PathBuf::from),
        );
    }
    let status = child.wait().context("wait for cargo")?;
    if !status.success() {
        bail!(
            "cargo could not build it for {target} (above is why; a target that is missing is installed by `rustup target add {target}`)"
        );
    }
    match modules.as_slice() {
        [module] => Ok(module.clone()),
        [] => bail!("cargo made no .wasm file: `[lib]` needs `crate-type = [\"cdylib\"]`"),
        several => bail!(
            "cargo made {} .wasm files, and a plugin is one: build one crate",
            several.len()
        ),
    }
}
