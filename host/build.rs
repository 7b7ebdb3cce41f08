//! Builds the built-in filters for WebAssembly: the crates in `plugins/` that have a manifest. Makes components of
//! them, and writes the table of them that `built_in/mod.rs` includes. Compiles them to machine code, too, and writes
//! the table that `sandbox/precompiled.rs` includes.

#[path = "src/sandbox/code.rs"]
mod code;
#[path = "src/built_in/manifest.rs"]
mod manifest;
#[path = "src/built_in/role.rs"]
#[expect(dead_code, reason = "the order of roles is for the program")]
mod role;

use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

fn main() -> Result<()> {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").context("OUT_DIR is not set")?);
    // The whole folder, so that a new filter is seen.
    println!("cargo::rerun-if-changed={}", plugins.display());
    println!("cargo::rerun-if-changed=../wit");
    let manifests = manifest::read(&plugins)?;
    let crates = || {
        let filters = manifests.iter().map(|manifest| manifest.name.as_str());
        filters.chain([manifest::NO_OP])
    };
    build(&plugins, &out, crates())?;

    let engine = engine_for_target()?;
    let mut table = String::from("&[\n");
    let mut precompiled = String::from("&[\n");
    for filter in crates() {
        let module = out.join(format!(
            "plugins/{TARGET}/release/{}.wasm",
            filter.replace('-', "_")
        ));
        let module =
            std::fs::read(&module).with_context(|| format!("read {}", module.display()))?;
        let component = wit_component::ComponentEncoder::default()
            .validate(true)
            .module(&module)
            .and_then(|mut encoder| encoder.encode())
            .with_context(|| format!("make a component of the filter {filter}"))?;
        let path = out.join(format!("{filter}.wasm"));
        std::fs::write(&path, &component).with_context(|| format!("write {}", path.display()))?;
        let Some(manifest) = manifests.iter().find(|it| it.name == filter) else {
            continue;
        };
        if let Some(engine) = &engine {
            let code = engine
                .precompile_component(&component)
                .map_err(anyhow::Error::from)
                .with_context(|| format!("compile the filter {filter}"))?;
            let path = out.join(format!("{filter}.code"));
            std::fs::write(&path, code).with_context(|| format!("write {}", path.display()))?;
            writeln!(
                precompiled,
                "    ({filter:?}, &Pages(*include_bytes!({path:?}))),"
            )?;
        }
        let settings = plugins.join(filter).join("settings.schema.json");
        table += &manifest.row(&path, &settings);
    }
    table.push(']');
    std::fs::write(out.join("built_in_table.rs"), table).context("write the table of filters")?;
    precompiled.push(']');
    std::fs::write(out.join("precompiled_table.rs"), precompiled)
        .context("write the table of compiled filters")?;
    write_sdk_table(&plugins, &out)
}

/// What compiles for the machines that this build is for, whatever the one is that builds. None: this
/// build of wasmtime does not know their architecture, so filters are compiled where they run.
fn engine_for_target() -> Result<Option<wasmtime::Engine>> {
    let target = std::env::var("TARGET").context("TARGET is not set")?;
    let system = std::env::var("CARGO_CFG_TARGET_OS").context("CARGO_CFG_TARGET_OS is not set")?;
    let mut config = code::config(system == "windows");
    // A target that is named is one of which nothing is known but its architecture: what is compiled
    // runs on all processors of it.
    let engine = config
        .target(&target)
        .and_then(|config| wasmtime::Engine::new(config));
    Ok(engine
        .inspect_err(|error| {
            println!("cargo::warning=no built-in filter is compiled ahead for {target}: {error}");
        })
        .ok())
}

/// Writes the table of the SDK's sources that `tamis plugin new` puts into a project.
fn write_sdk_table(plugins: &Path, out: &Path) -> Result<()> {
    let mut table = String::from("&[\n");
    for (folder, place) in [
        ("sdk/src", "sdk/src"),
        ("../host/document/src", "sdk/document/src"),
        ("../wit", "sdk/wit"),
    ] {
        let folder = plugins.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        list(&folder, place, &mut table)?;
    }
    table.push(']');
    std::fs::write(out.join("sdk_table.rs"), table).context("write the table of the SDK")
}

/// Adds the files of a folder to a table, but for tests.
fn list(folder: &Path, place: &str, table: &mut String) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let place = format!("{place}/{name}");
        if !path.is_dir() {
            let path = path.canonicalize()?;
            writeln!(table, "    ({place:?}, include_str!({path:?})),")?;
        } else if name != "tests" {
            list(&path, &place, table)?;
        }
    }
    Ok(())
}

/// Runs cargo on the plugins' own workspace, in a target directory of its own: the one of this
/// build is locked.
fn build<'a>(plugins: &Path, out: &Path, crates: impl Iterator<Item = &'a str>) -> Result<()> {
    let cargo = std::env::var_os("CARGO").context("CARGO is not set")?;
    let mut command = Command::new(cargo);
    command
        .current_dir(plugins)
        .args([
            "build",
            "--release",
            "--locked",
            "--target",
            TARGET,
            "--target-dir",
        ])
        .arg(out.join("plugins"));
    for name in crates {
        command.args(["--package", name]);
    }
    // Flags and wrappers of this build are for the host's own target.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let foreign = [
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTFLAGS",
            "RUSTC_WORKSPACE_WRAPPER",
            "CARGO_BUILD_TARGET",
            // Code that is compiled in pieces takes up to half more work in a filter.
            "CARGO_INCREMENTAL",
        ];
        if foreign.contains(&name.as_str())
            || name.starts_with("CARGO_PROFILE_")
            || name.starts_with("CARGO_FEATURE_")
        {
            command.env_remove(name);
        }
    }
    let output = command
        .output()
        .context("run cargo for the built-in filters")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("may not be installed") {
        bail!(
            "Rust's target {TARGET} is not installed, and the built-in filters need it: run `rustup target add {TARGET}`"
        );
    }
    if errors.contains("--locked") {
        bail!(
            "plugins/Cargo.lock does not list the crates of plugins/: run `cargo update --workspace` there\n{errors}"
        );
    }
    ensure!(
        output.status.success(),
        "cargo could not build the built-in filters:\n{errors}"
    );
    Ok(())
}
