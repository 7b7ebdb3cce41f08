//! Builds the built-in filters for WebAssembly: the crates in `plugins/` that have a manifest. Makes components of
//! them, and writes the table of them that `built_in/mod.rs` includes. Compiles them to machine code, too, and writes
//! the table that `sandbox/precompiled.rs` includes.
//!
//! The crate as it is published has the components in `prebuilt/` (`packaging/crate.py`), with the other files that the
//! repository has outside of this folder. So who installs that crate needs no target for WebAssembly.

#[path = "src/sandbox/code.rs"]
mod code;
#[path = "build/elf.rs"]
mod elf;
#[path = "src/built_in/manifest.rs"]
mod manifest;
#[path = "build/names.rs"]
mod names;
#[path = "src/built_in/role.rs"]
#[expect(dead_code, reason = "the order of roles is for the program")]
mod role;

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// The policy whose filters most processes start.
const DEFAULT_POLICY: &str = "src/cli/default.toml";

/// The level of zstd in a program that is optimized for size: the smallest that takes seconds to make. It unpacks as
/// quickly as others.
const SMALLEST: i32 = 19;
/// The level of zstd in others.
const QUICKEST: i32 = 1;

/// The filter whose component is the dictionary that the others are compressed with: filters share much code. This one
/// is itself needed at starts, for its snapshots.
const LIKE_OTHERS: &str = "redact";

/// The filter whose component is the dictionary of those that are much smaller with it: filters that recognise the same
/// data share more code.
const LIKE_FORMATS: &str = "summary";

/// So many bytes smaller with it, since it is unpacked before.
const MUCH_SMALLER: usize = 2 << 10;

/// The filter whose machine code is the dictionary of those that are much smaller with it: filters with patterns share
/// the code that finds them.
const LIKE_PATTERNS: &str = "redact";

/// So many bytes smaller with it, since it takes a few milliseconds to unpack before.
const MUCH_SMALLER_CODE: usize = 128 << 10;

/// The beginning of names in a published crate that cargo would leave out: folders with a `Cargo.toml`, and names that
/// begin with a dot.
const PREBUILT_NAME: &str = "prebuilt-";

fn main() -> Result<()> {
    // As it is when this runs: cargo runs a program that it compiled for a copy of this folder, too.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").context("CARGO_MANIFEST_DIR is not set")?;
    let here = Path::new(&here);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").context("OUT_DIR is not set")?);
    let prebuilt = here.join("prebuilt");
    let is_prebuilt = prebuilt.is_dir();
    let root = match is_prebuilt {
        true => out.join("prebuilt"),
        false => here.join(".."),
    };
    if is_prebuilt {
        println!("cargo::rerun-if-changed={}", prebuilt.display());
        copy(&prebuilt, &root)?;
    }
    write_facts(&root)?;
    let plugins = root.join("plugins");
    if !is_prebuilt {
        // The whole folder, so that a new filter is seen.
        println!("cargo::rerun-if-changed={}", plugins.display());
        println!("cargo::rerun-if-changed=../wit");
    }
    let manifests = manifest::read(&plugins)?;
    let crates = || {
        let filters = manifests.iter().map(|manifest| manifest.name.as_str());
        filters.chain([manifest::NO_OP])
    };
    let built = built_filters(&out)?;
    if !is_prebuilt {
        build(&plugins, &built, crates())?;
    }

    let engine = engine_for_target()?;
    println!("cargo::rustc-check-cfg=cfg(code_ahead)");
    if engine.is_some() {
        println!("cargo::rustc-cfg=code_ahead");
    }
    let mut components = BTreeMap::new();
    let mut codes = BTreeMap::new();
    for filter in crates() {
        let component = match is_prebuilt {
            true => read(&root.join(format!("components/{filter}.wasm")))?,
            false => component(&built, filter)?,
        };
        // For `packaging/crate.py`.
        write(&out.join(format!("{filter}.wasm")), &component)?;
        if let Some(engine) = engine.as_ref().filter(|_| filter != manifest::NO_OP) {
            let takes_snapshots = |it: &&manifest::Manifest| it.name == filter && it.facts.snapshot;
            let code = match manifests.iter().find(takes_snapshots) {
                Some(_) => code::with_readable_state(&component)
                    .and_then(|component| in_one_order(engine, &component)),
                None => engine.precompile_component(&component),
            };
            let code = code
                .map_err(anyhow::Error::from)
                .with_context(|| format!("compile the filter {filter}"))?;
            let code = elf::without_symbols(&code)
                .with_context(|| format!("leave out the symbols of the filter {filter}"))?;
            codes.insert(filter.to_owned(), code);
        }
        components.insert(filter.to_owned(), component);
    }

    let named = |filter: &str| {
        let component = components.get(filter);
        component.with_context(|| format!("a dictionary is the filter {filter}, which is none"))
    };
    let (others, formats) = (named(LIKE_OTHERS)?, named(LIKE_FORMATS)?);
    let path = |filter: &str| out.join(format!("{filter}.wasm.zst"));
    let like_others = packed(&path(LIKE_OTHERS), compressed(others, None)?, others)?;
    let like_formats = packed(
        &path(LIKE_FORMATS),
        compressed(formats, Some(others))?,
        formats,
    )?;
    let like_formats = format!("{like_formats}.like(Like::Packed(&LIKE_OTHERS))");
    write(&out.join("like_others.rs"), like_others.as_bytes())?;
    write(&out.join("like_formats.rs"), like_formats.as_bytes())?;
    let mut table = String::from("&[\n");
    for (filter, component) in &components {
        let value = match filter.as_str() {
            LIKE_OTHERS => "LIKE_OTHERS".to_owned(),
            LIKE_FORMATS => "LIKE_FORMATS".to_owned(),
            _ => {
                let (with_others, with_formats) = (
                    compressed(component, Some(others))?,
                    compressed(component, Some(formats))?,
                );
                let (bytes, like) = match with_formats.len() + MUCH_SMALLER < with_others.len() {
                    true => (with_formats, "LIKE_FORMATS"),
                    false => (with_others, "LIKE_OTHERS"),
                };
                let packed = packed(&path(filter), bytes, component)?;
                format!("{packed}.like(Like::Packed(&{like}))")
            }
        };
        match manifests.iter().find(|it| it.name == *filter) {
            Some(manifest) => {
                let settings = plugins.join(filter).join("settings.schema.json");
                table += &manifest.row(&value, &settings);
            }
            None => write(&out.join(format!("{filter}.rs")), value.as_bytes())?,
        }
    }
    table.push(']');
    write(&out.join("built_in_table.rs"), table.as_bytes())?;
    write_codes(&out, &codes, &filters_of_default_policy(here)?)?;
    write_sdk_table(&plugins, &out)
}

/// The machine code of a component with readable state: the same in each build. wasmtime writes the exports of that state
/// in the order of a map with a random seed, `global0` and `memory1` in half of all attempts.
fn in_one_order(engine: &wasmtime::Engine, component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    const MOST_ATTEMPTS: usize = 40;
    let mut code = engine.precompile_component(component)?;
    for _ in 0..MOST_ATTEMPTS {
        // Each after its length.
        let places = [b"\x07global0", b"\x07memory1"]
            .map(|name| code.windows(name.len()).position(|it| it == name));
        if places.is_sorted() {
            return Ok(code);
        }
        code = engine.precompile_component(component)?;
    }
    println!("cargo::warning=the order of a filter's exports changes with each build");
    Ok(code)
}

/// Writes the table of machine code: that of the default policy as it runs, and that of other filters compressed. The
/// largest of the former is the dictionary of the latter: filters share much code.
fn write_codes(
    out: &Path,
    codes: &BTreeMap<String, Vec<u8>>,
    in_default_policy: &[String],
) -> Result<()> {
    let is_ready = |filter: &String| in_default_policy.contains(filter);
    let ready = codes.iter().filter(|(filter, _)| is_ready(filter));
    let largest = ready.max_by_key(|(_, code)| code.len());
    let is_packed = largest.is_some() && !in_default_policy.iter().any(|it| it == LIKE_PATTERNS);
    let patterns = codes.get(LIKE_PATTERNS).filter(|_| is_packed);
    let mut like_patterns = "Packed::new(&[], 0)".to_owned();
    let mut table = String::from("&[\n");
    for (filter, code) in codes {
        let path = out.join(format!("{filter}.code"));
        let value = match largest {
            Some((name, _)) if name == filter => "Code::Ready(LARGEST)".to_owned(),
            _ if is_ready(filter) => format!("Code::Ready(&Pages(*include_bytes!({path:?})))"),
            Some((_, largest)) => {
                let with_largest = compressed(code, Some(largest))?;
                let others = patterns.filter(|_| filter != LIKE_PATTERNS);
                let with_patterns = others
                    .map(|like| compressed(code, Some(like)))
                    .transpose()?;
                let (bytes, like) = match with_patterns {
                    Some(bytes) if bytes.len() + MUCH_SMALLER_CODE < with_largest.len() => {
                        (bytes, "Like::Packed(&LIKE_PATTERNS)")
                    }
                    _ => (with_largest, "Like::Bytes(&LARGEST.0)"),
                };
                let packed = format!("{}.like({like})", packed(&path, bytes, code)?);
                if filter == LIKE_PATTERNS {
                    like_patterns = packed;
                    "Code::Packed(LIKE_PATTERNS)".to_owned()
                } else {
                    format!("Code::Packed({packed})")
                }
            }
            None => format!(
                "Code::Packed({})",
                packed(&path, compressed(code, None)?, code)?
            ),
        };
        if is_ready(filter) {
            write(&path, code)?;
        }
        writeln!(table, "    ({filter:?}, {value}),")?;
    }
    table.push(']');
    write(&out.join("precompiled_table.rs"), table.as_bytes())?;
    write(&out.join("like_patterns.rs"), like_patterns.as_bytes())?;
    let largest = match largest {
        Some((filter, _)) => {
            let path = out.join(format!("{filter}.code"));
            format!("&Pages(*include_bytes!({path:?}))")
        }
        None => "&Pages([])".to_owned(),
    };
    write(&out.join("precompiled_largest.rs"), largest.as_bytes())
}

/// Tells the program where the repository's other files are while it is built, and what `tamis --version` shows.
fn write_facts(root: &Path) -> Result<()> {
    let target = std::env::var("TARGET").context("TARGET is not set")?;
    println!("cargo::rustc-env=BUILD_TARGET={target}");
    println!("cargo::rustc-env=BUILD_ROOT={}", root.display());
    let commit = root.join("commit");
    if commit.is_file() {
        let commit = String::from_utf8(read(&commit)?).context("read the commit")?;
        println!("cargo::rustc-env=BUILD_COMMIT={}", commit.trim());
    }
    Ok(())
}

/// The names that stand in the steps of the default policy.
fn filters_of_default_policy(here: &Path) -> Result<Vec<String>> {
    println!("cargo::rerun-if-changed={DEFAULT_POLICY}");
    let text = String::from_utf8(read(&here.join(DEFAULT_POLICY))?)?;
    let policy: toml::Table = text.parse().context("read the default policy")?;
    let chains = policy.get("chain").and_then(toml::Value::as_array);
    let steps = chains
        .into_iter()
        .flatten()
        .filter_map(|chain| chain.get("steps")?.as_array())
        .flatten();
    let names = steps.map(|step| step.get("filter").unwrap_or(step).as_str());
    names
        .map(|name| Ok(name.context("a step without a filter")?.to_owned()))
        .collect()
}

/// The component of a filter that `build` compiled.
fn component(built: &Path, filter: &str) -> Result<Vec<u8>> {
    let module = filter.replace('-', "_");
    let module = read(&built.join(format!("{TARGET}/release/{module}.wasm")))?;
    let module = names::shortened(&module)
        .with_context(|| format!("shorten the names of functions of the filter {filter}"))?;
    wit_component::ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .with_context(|| format!("make a component of the filter {filter}"))
}

/// Bytes compressed. With a dictionary, what it contains is not stored again.
fn compressed(bytes: &[u8], dictionary: Option<&Vec<u8>>) -> Result<Vec<u8>> {
    let dictionary = dictionary.map_or(&[][..], Vec::as_slice);
    let level = match std::env::var("OPT_LEVEL").as_deref() {
        Ok("s" | "z") => SMALLEST,
        _ => QUICKEST,
    };
    let mut compressor = zstd::bulk::Compressor::with_dictionary(level, dictionary)?;
    compressor.include_checksum(true)?;
    Ok(compressor.compress(bytes)?)
}

/// Writes compressed bytes. Returns the value for `built_in::Packed`, in Rust.
fn packed(path: &Path, compressed: Vec<u8>, bytes: &[u8]) -> Result<String> {
    write(path, &compressed)?;
    Ok(format!(
        "Packed::new(include_bytes!({path:?}), {})",
        bytes.len()
    ))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("read {}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("write {}", path.display()))
}

/// Copies a folder. Manifests get their name back.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("create {}", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("list {}", from.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = match name.to_str() {
            Some(text) => text.strip_prefix(PREBUILT_NAME).unwrap_or(text).into(),
            None => name,
        };
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to.join(name))?,
            false => write(&to.join(name), &read(&entry.path())?)?,
        }
    }
    Ok(())
}

/// What compiles for the machines that this build is for, whatever the one is that builds. None: this
/// build of wasmtime does not know their architecture, so filters are compiled where they run.
fn engine_for_target() -> Result<Option<wasmtime::Engine>> {
    let target = std::env::var("TARGET").context("TARGET is not set")?;
    let system = std::env::var("CARGO_CFG_TARGET_OS").context("CARGO_CFG_TARGET_OS is not set")?;
    let mut config = code::config(system == "windows");
    // Of a target that is named, nothing is known but its architecture.
    let engine = config.target(&target).and_then(|config| {
        let is_x86_64 = target.starts_with("x86_64");
        for extension in X86_64_V3.iter().filter(|_| is_x86_64) {
            // SAFETY: the flags are those of extensions, which wasmtime asks the processor for before it runs the code.
            unsafe { config.cranelift_flag_enable(extension) };
        }
        wasmtime::Engine::new(config)
    });
    Ok(engine
        .inspect_err(|error| {
            println!("cargo::warning=no built-in filter is compiled ahead for {target}: {error}");
        })
        .ok())
}

/// What processors for PCs and servers have had since 2013 (x86-64-v3 of the System V ABI). With it, filters take up to a
/// third less time. A processor without it refuses the code, and compiles the filters at their first use.
const X86_64_V3: [&str; 11] = [
    "has_sse3",
    "has_ssse3",
    "has_sse41",
    "has_sse42",
    "has_popcnt",
    "has_avx",
    "has_avx2",
    "has_fma",
    "has_bmi1",
    "has_bmi2",
    "has_lzcnt",
];

/// Writes the table of the SDK's sources that `tamis plugin new` puts into a project.
fn write_sdk_table(plugins: &Path, out: &Path) -> Result<()> {
    let mut table = String::from("&[\n");
    for (folder, place) in [
        ("sdk/src", "sdk/src"),
        ("../host/document/src", "sdk/document/src"),
    ] {
        let folder = plugins.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        list(&folder, place, &mut table)?;
    }
    table.push(']');
    write(&out.join("sdk_table.rs"), table.as_bytes())
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

/// Leaves this machine's paths out of a filter, whose panics name their places. So the same sources become the same
/// filter in every folder. No RUSTFLAGS of the environment: they would take the place of those of `plugins/.cargo`, and
/// names of functions have a hash of them.
fn leave_local_paths_out(command: &mut Command, plugins: &Path) -> Result<()> {
    let root = plugins.join("..").canonicalize()?;
    let mut flags = vec![format!("--remap-path-prefix={}=/tamis", root.display())];
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = || std::env::home_dir().map(|home| home.join(".cargo"));
    if let Some(cargo_home) = cargo_home.or_else(home)
        && let Ok(registries) = std::fs::read_dir(cargo_home.join("registry/src"))
    {
        for registry in registries {
            let registry = registry?;
            // The sources of a folder, which no filter is made of.
            if registry.file_name().to_string_lossy().starts_with('-') {
                continue;
            }
            let registry = registry.path();
            flags.push(format!(
                "--remap-path-prefix={}=/crates",
                registry.display()
            ));
        }
    }
    if cfg!(windows) {
        // Windows runs no script in place of a program.
        let flags: Vec<String> = flags.iter().map(|flag| format!("{flag:?}")).collect();
        let flags = flags.join(", ");
        command.args([
            "--config",
            &format!("target.{TARGET}.rustflags = [{flags}]"),
        ]);
    } else {
        command
            .env("RUSTC_WRAPPER", root.join("host/packaging/rustc.sh"))
            .env("TAMIS_REMAP_FLAGS", flags.join("\x1f"));
    }
    Ok(())
}

/// The target directory of the filters: one for all profiles, features and platforms of the host, beside theirs. If
/// cargo's folders are not `TARGET-DIRECTORY/[TARGET/]PROFILE/build/tamis-…/out`, it is of this build alone.
fn built_filters(out: &Path) -> Result<PathBuf> {
    let target = std::env::var("TARGET").context("TARGET is not set")?;
    let is_build = |folder: &Path| folder.file_name().is_some_and(|name| name == "build");
    let mut folders = out.ancestors().skip(2);
    let folder = match folders.next() {
        Some(folder) if is_build(folder) => {
            let mut folders = folders.skip(1);
            let folder =
                folders.find(|folder| folder.file_name().is_none_or(|name| *name != *target));
            folder.unwrap_or(out)
        }
        _ => out,
    };
    Ok(folder.join("built-in-filters"))
}

/// Runs cargo on the plugins' own workspace, in a target directory of its own: the one of this
/// build is locked.
fn build<'a>(plugins: &Path, built: &Path, crates: impl Iterator<Item = &'a str>) -> Result<()> {
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
        .arg(built);
    for name in crates {
        command.args(["--package", name]);
    }
    leave_local_paths_out(&mut command, plugins)?;
    // Flags and wrappers of this build are for the host's own target.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let foreign = [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
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
