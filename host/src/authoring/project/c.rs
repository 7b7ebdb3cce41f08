//! Builds a project in C: clang makes a module of it, and the project's world names its imports and exports.

use super::build::typed;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "--target=wasm32-wasi";

/// clang's names: many systems have its version in them.
const NAMES: [&str; 8] = [
    "clang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16",
];

/// The variable with the path of the WASI project's SDK, which has a clang of its own.
const SDK_VARIABLE: &str = "WASI_SDK_PATH";

/// How to install missing programs.
const INSTALL: &str = "on Debian `apt-get install clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32`, elsewhere the WASI SDK (https://github.com/WebAssembly/wasi-sdk) with WASI_SDK_PATH set to its folder";

/// The core module of the project's sources, with the types of its world in it. Messages of clang go to
/// standard error.
pub(super) fn module(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let clang = clang()?;
    let sources = sources(folder)?;
    let output = folder.join(format!("{name}.module.wasm"));
    let mut command = Command::new(&clang);
    command
        .args([TARGET, "-mexec-model=reactor", "-O2", "-Wall", "-Wextra"])
        // The C library's own debug information would be most of the plugin. Function names stay.
        .arg("-Wl,--strip-debug")
        .arg("-I")
        .arg(folder.join("bindings"))
        .args(sources)
        .arg("-o")
        .arg(&output)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let status = command
        .status()
        .with_context(|| format!("start {}", clang.display()))?;
    if !status.success() {
        bail!(
            "{} could not build it (above is why; if the linker or the C library is missing: {INSTALL})",
            clang.display()
        );
    }
    let module = std::fs::read(&output).with_context(|| format!("read {}", output.display()));
    // It is of use to nobody without its types.
    let _ = std::fs::remove_file(&output);
    typed(module?, &folder.join("wit"))
}

/// The folder's own sources, and the generated sources of the contract.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for folder in [folder.to_owned(), folder.join("bindings")] {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "c") {
                sources.push(path);
            }
        }
    }
    // The same sources give the same bytes, in any order on disk.
    sources.sort();
    Ok(sources)
}

/// The first clang that has a C library for WebAssembly, the compiler's own library for it, and a linker. Systems
/// have several clangs, and all find one C library: the others belong to one version each.
fn clang() -> Result<PathBuf> {
    let sdk = std::env::var_os(SDK_VARIABLE).map(|sdk| PathBuf::from(sdk).join("bin/clang"));
    let mut first_lack = None;
    for clang in sdk.into_iter().chain(NAMES.map(PathBuf::from)) {
        match lack(&clang) {
            None => continue,
            Some(Ok(())) => return Ok(clang),
            Some(Err(lack)) => first_lack.get_or_insert((clang, lack)),
        };
    }
    match first_lack {
        None => bail!("C needs clang, and none is on PATH: {INSTALL}"),
        Some((clang, lack)) => bail!("{} has {lack}: {INSTALL}", clang.display()),
    }
}

/// What this clang lacks to build for WebAssembly. `None`: there is no such program.
fn lack(clang: &Path) -> Option<std::result::Result<(), &'static str>> {
    for (question, lack) in [
        (
            "-print-file-name=crt1-reactor.o",
            "no C library for WebAssembly",
        ),
        (
            "-print-libgcc-file-name",
            "no compiler library for WebAssembly (libclang_rt.builtins)",
        ),
        (
            "-print-prog-name=wasm-ld",
            "no linker for WebAssembly (wasm-ld)",
        ),
    ] {
        let output = Command::new(clang)
            .args([TARGET, question])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        // Of what is missing, clang prints the name alone, or the path where it would be.
        let path = String::from_utf8_lossy(&output.stdout);
        let path = Path::new(path.trim());
        if !path.is_absolute() || !path.exists() {
            return Some(Err(lack));
        }
    }
    Some(Ok(()))
}
