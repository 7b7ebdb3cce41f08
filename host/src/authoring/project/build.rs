//! Builds a project: its own tool chain makes a component, or a module that becomes one.

use super::{Language, c, go};
use crate::sandbox;
use crate::system::files;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wit_component::StringEncoding;
use wit_component::metadata::Bindgen;

/// A plugin that was built.
#[derive(Debug)]
pub struct Built {
    /// The component.
    pub path: PathBuf,
    pub bytes: usize,
}

/// The default target of Rust's projects.
const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the project in `folder`, and writes the component into it. `target`: one of Rust's. The
/// compiler's messages go to standard error.
///
/// # Errors
///
/// The folder has no project, its compiler is missing or fails, or its output is no plugin.
pub fn build(folder: &Path, target: Option<&str>) -> Result<Built> {
    let has = |file: &str| folder.join(file).is_file();
    let known = [
        ("Cargo.toml", Language::Rust),
        ("filter.ts", Language::TypeScript),
        ("filter.js", Language::JavaScript),
        ("app.py", Language::Python),
        ("filter.go", Language::Go),
        ("filter.c", Language::C),
    ];
    let Some((_, language)) = known.into_iter().find(|(file, _)| has(file)) else {
        bail!(
            "{} contains no Cargo.toml, filter.ts, filter.js, app.py, filter.go or filter.c: `tamis plugin build` builds a project made by `tamis plugin new`, or one like it",
            folder.display()
        );
    };
    if let Some(target) = target.filter(|_| language != Language::Rust) {
        bail!("--target {target} is for Rust, and this project is not");
    }
    let path = match language {
        Language::Rust => rust(folder, target.unwrap_or(TARGET))?,
        Language::TypeScript => typescript(folder)?,
        Language::JavaScript => javascript(folder, "filter.js")?,
        Language::Python => python(folder)?,
        Language::C => {
            let world = world(folder)?;
            of_module(folder, &world, &c::module(folder, &world)?)?
        }
        Language::Go => {
            let world = world(folder)?;
            written(folder, &world, &go::component(folder, &world)?)?
        }
    };
    let component = std::fs::read(&path).with_context(|| format!("read {}", path.display()))?;
    let bytes = component.len();
    Ok(Built { path, bytes })
}

/// A component of the crate, with the crate's name.
fn rust(folder: &Path, target: &str) -> Result<PathBuf> {
    let module = cargo(folder, target)?;
    let wasm = std::fs::read(&module).with_context(|| format!("read {}", module.display()))?;
    let stem = module.file_stem().unwrap_or_default().to_string_lossy();
    of_module(folder, &stem.replace('_', "-"), &wasm)
}

/// Makes a component of a module, and writes it into the folder.
fn of_module(folder: &Path, name: &str, module: &[u8]) -> Result<PathBuf> {
    let component =
        sandbox::component_of(module).with_context(|| format!("make a component of {name}"))?;
    written(folder, name, &component)
}

/// Writes a component into the folder.
fn written(folder: &Path, name: &str, component: &[u8]) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.wasm"));
    std::fs::write(&path, component).with_context(|| format!("write {}", path.display()))?;
    Ok(path)
}

/// Scripts of the checked sources, and then as for JavaScript.
fn typescript(folder: &Path) -> Result<PathBuf> {
    let local = folder.join("node_modules/.bin/tsc");
    let help = "run `npm install` in it";
    run(folder, Some(local), "tsc", &["--project", "."], &[], help)?;
    javascript(folder, "build/filter.js")
}

/// QuickJS and the script in one component, with nothing of WASI.
fn javascript(folder: &Path, script: &str) -> Result<PathBuf> {
    let world = world(folder)?;
    let output = format!("{world}.wasm");
    let local = folder.join("node_modules/.bin/jco");
    let arguments = [
        "componentize",
        script,
        // Else it would read all paths from the script's folder.
        "--cwd",
        ".",
        "--wit",
        "wit",
        "--world-name",
        &world,
        "--backend",
        "qjs",
        "--backend-qjs-disable-async",
        "--backend-qjs-stub-wasi",
        "--out",
        &output,
    ];
    let help = "run `npm install` in it";
    run(folder, Some(local), "jco", &arguments, &[], help)?;
    Ok(folder.join(output))
}

/// CPython and the module in one component, with nothing of WASI.
fn python(folder: &Path) -> Result<PathBuf> {
    let world = world(folder)?;
    let output = format!("{world}.wasm");
    let local = folder.join(".venv/bin/componentize-py");
    let arguments = [
        "--wit-path",
        "wit",
        "--world",
        &world,
        "componentize",
        "--stub-wasi",
        "app",
        "--output",
        &output,
    ];
    let help = "run `python3 -m venv .venv && .venv/bin/pip install -r requirements.txt` in it";
    run(
        folder,
        Some(local),
        "componentize-py",
        &arguments,
        &[],
        help,
    )?;
    Ok(folder.join(output))
}

/// The name of the project's world, which is the filter's.
fn world(folder: &Path) -> Result<String> {
    let path = folder.join("wit/world.wit");
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let name = text.lines().find_map(|line| {
        let name = line.trim_start().strip_prefix("world ")?;
        Some(name.trim_matches(['%', '{', ' ']).to_owned())
    });
    name.with_context(|| format!("{} has no line `world NAME {{`", path.display()))
}

/// The module with the types of the project's world, as a component's encoder looks for them.
pub(super) fn typed(mut module: Vec<u8>, wit: &Path) -> Result<Vec<u8>> {
    let mut types = Bindgen::default().resolve;
    let (package, _) = types
        .push_dir(wit)
        .with_context(|| format!("read {}", wit.display()))?;
    let world = types
        .select_world(&[package], None)
        .with_context(|| format!("find the world in {}", wit.display()))?;
    wit_component::embed_component_metadata(&mut module, &types, world, StringEncoding::UTF8)
        .context("write the types of its world into the module")?;
    Ok(module)
}

/// Runs a compiler: the project's own, or one on PATH. If it fails, the error has its messages.
pub(super) fn run(
    folder: &Path,
    local: Option<PathBuf>,
    name: &str,
    arguments: &[&str],
    environment: &[(&str, &str)],
    help: &str,
) -> Result<()> {
    let local = local.and_then(|local| files::real_path(&local).ok());
    let program = local.unwrap_or_else(|| PathBuf::from(name));
    let done = Command::new(&program)
        .current_dir(folder)
        .args(arguments)
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output();
    let output = match done {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "{name} is neither in the project {} nor on PATH: {help}",
            folder.display()
        ),
        done => done.with_context(|| format!("start {}", program.display()))?,
    };
    if !output.status.success() {
        let messages = [&output.stdout[..], &output.stderr].concat();
        bail!(
            "{name} could not build it:\n{}",
            String::from_utf8_lossy(&messages).trim_end()
        );
    }
    Ok(())
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
    let output = child
        .stdout
        .take()
        .context("cargo has no standard output")?;
    let mut modules: Vec<PathBuf> = Vec::new();
    for line in BufReader::new(output).lines() {
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
