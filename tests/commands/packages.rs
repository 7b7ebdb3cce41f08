//! The makers of packages (`host/packaging`) without the packages: `packaging/check.py` installs those.

use crate::support::{Finished, Folder, Program, exits, repository};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Facts with names that the repository has nowhere else, about a program that is a script.
struct Renamed {
    folder: Folder,
    facts: Value,
}

impl Renamed {
    fn new() -> Renamed {
        let folder = Folder::new();
        let program = folder.path().join("program");
        let script = "#!/bin/sh\ncase $1 in\nman) echo page >\"$2/sieve.1\" ;;\ncompletions) echo complete ;;\n*) echo \"$@\"; cat; exit 7 ;;\nesac\n";
        write_program(&program, script);
        let facts = json!({
            "command": "sieve", "npm": "sieve-mcp", "npm-scope": "@sieve", "pypi": "sieve-py", "archive": "sieve-bin",
            "image": "sieve-image", "homepage": "https://sieve.example", "downloads": "https://sieve.example/9.8.7",
            "crate": "sieve", "description": "filters", "version": "9.8.7", "license": "MIT", "commit": "0123456789ab",
            "epoch": 1_700_000_000, "target": target(), "binary": program,
            "platforms": [{"target": target(), "os": node("process.platform"), "cpu": node("process.arch")}],
        });
        Renamed { folder, facts }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Runs a line of Python beside the makers of packages.
    #[track_caller]
    fn python(&self, line: &str) -> String {
        let packaging = repository().join("host/packaging");
        let done = Command::new("python3")
            .args(["-B", "-c", line])
            .env("PYTHONPATH", packaging)
            .env("PACKAGES_FACTS", self.facts.to_string())
            .env("PACKAGES_OUT", self.out())
            .output()
            .expect("Python starts");
        assert!(
            done.status.success(),
            "{line}\n{}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout).expect("text")
    }

    #[track_caller]
    fn install(&self, more: &[&str]) -> Finished {
        let script = self.out().join("archive/install.sh");
        let home = self.folder.path().join("home");
        let mut line = vec!["sh", script.to_str().expect("a path")];
        line.extend(more);
        Program::new(&line, self.folder.path())
            .env("HOME", &home)
            .run("")
    }
}

/// The target of this build, as the installer names this machine.
fn target() -> String {
    let told = Command::new(env!("CARGO_BIN_EXE_tamis"))
        .arg("--version")
        .output()
        .expect("it starts");
    let told = String::from_utf8(told.stdout).expect("text");
    let line = told.lines().find_map(|line| line.strip_prefix("target "));
    line.unwrap_or_else(|| panic!("no target in {told}"))
        .to_owned()
}

fn node(expression: &str) -> String {
    let told = Command::new("node")
        .args(["-p", expression])
        .output()
        .expect("Node starts");
    String::from_utf8(told.stdout)
        .expect("text")
        .trim()
        .to_owned()
}

fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a program");
    fs::set_permissions(path, Permissions::from_mode(0o755)).expect("its rights");
}

/// Every file in a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| match path.is_dir() {
        true => files_below(&path),
        false => vec![path],
    };
    paths.flat_map(below).collect()
}

fn manifest(path: &str) -> toml::Table {
    let text = fs::read_to_string(repository().join(path)).expect("a manifest");
    text.parse().expect("TOML")
}

#[test]
fn the_version_names_commit_contract_and_target() {
    let folder = Folder::new();
    let tamis = env!("CARGO_BIN_EXE_tamis");
    let told = Program::new(&[tamis, "--version"], folder.path()).run("");
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let heads: Vec<&str> = text
        .lines()
        .filter_map(|line| Some(line.split_once(' ')?.0))
        .collect();
    if heads != ["tamis", "commit", "contract", "target"] {
        told.fail("expected a line each for the version, commit, contract and target");
    }
    let contract = format!("contract tamis:filter@{}", tamis::sandbox::CONTRACT_VERSION);
    assert!(text.contains(&contract), "{text}");
    let short = Program::new(&[tamis, "-V"], folder.path()).run("");
    let expected = format!("tamis {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&short.stdout), expected);
}

#[test]
fn manifests_agree_on_names_and_versions() {
    let root = manifest("Cargo.toml");
    let plugins = manifest("plugins/Cargo.toml");
    let host = manifest("host/Cargo.toml");
    let version = |workspace: &toml::Table| {
        workspace["workspace"]["package"]["version"]
            .as_str()
            .map(str::to_owned)
    };
    assert_eq!(version(&root), version(&plugins));
    let version = version(&root).expect("a version");
    let dependencies = root["workspace"]["dependencies"]
        .as_table()
        .expect("a table");
    let mut crates = 0;
    for (name, dependency) in dependencies {
        if dependency.get("path").is_some() && name != "tamis" {
            assert_eq!(
                dependency["version"].as_str(),
                Some(version.as_str()),
                "{name}"
            );
            crates += 1;
        }
    }
    assert_eq!(crates, 3, "the crates that are published with Tamis");
    let metadata = &host["package"]["metadata"];
    let names = &metadata["packages"];
    let downloads = names["downloads"].as_str().expect("a URL");
    assert!(downloads.ends_with(&version), "{downloads}");
    // What other tools than ours read has the same names.
    assert_eq!(names["command"], host["bin"][0]["name"]);
    assert_eq!(metadata["deb"]["name"], host["package"]["name"]);
    let command = names["command"].as_str().expect("a name");
    let assets = metadata["deb"]["assets"].to_string();
    assert!(
        assets.contains(&format!("target/release/{command}\"")),
        "{assets}"
    );
}

#[test]
fn every_name_in_a_package_is_taken_from_one_place() {
    let renamed = Renamed::new();
    renamed.python("import npm, facts; npm.launcher(facts.facts(), facts.OUT / 'npm')");
    let npm = renamed.out().join("npm");
    let read = |name: &str| fs::read_to_string(npm.join(name)).expect("a file");
    let package: Value = serde_json::from_str(&read("package.json")).expect("JSON");
    assert_eq!(package["name"], "sieve-mcp");
    assert_eq!(package["bin"], json!({"sieve": "launcher.js"}));
    let platforms = package["optionalDependencies"]
        .as_object()
        .expect("an object");
    assert!(platforms.keys().all(|name| name.starts_with("@sieve/")));
    let texts = [
        read("package.json"),
        read("platforms.json"),
        read("launcher.js"),
        renamed.python("import pypi, facts; print(pypi.project(facts.facts()))"),
        renamed.python("import archive, facts; print(archive.installer(facts.facts(), {}))"),
    ];
    for text in texts {
        let text = text.replace(repository().to_str().expect("a path"), "");
        assert!(!text.to_lowercase().contains("tamis"), "{text}");
    }
}

#[test]
fn the_installer_refuses_another_archive_and_removes_what_it_installed() {
    let renamed = Renamed::new();
    renamed.python("import archive; archive.main()");
    let folder = renamed.out().join("archive");
    let from = folder.to_str().expect("a path");
    let local = renamed.folder.path().join("home/.local");
    let installed = renamed.install(&["--from", from]);
    if installed.status.code() != Some(0) {
        installed.fail("expected an installation");
    }
    let files = [
        "bin/sieve",
        "share/man/man1/sieve.1",
        "share/bash-completion/completions/sieve",
        "share/zsh/site-functions/_sieve",
        "share/fish/vendor_completions.d/sieve.fish",
    ];
    for file in files {
        assert!(local.join(file).is_file(), "{file}");
    }
    let removed = renamed.install(&["--remove"]);
    if removed.status.code() != Some(0) {
        removed.fail("expected a removal");
    }
    for file in files {
        assert!(!local.join(file).exists(), "{file}");
    }

    let archive = fs::read_dir(&folder).expect("a folder").find_map(|entry| {
        let path = entry.expect("an entry").path();
        (path.extension()? == "gz").then_some(path)
    });
    let archive = archive.expect("an archive");
    let mut bytes = fs::read(&archive).expect("an archive");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(&archive, bytes).expect("another archive");
    let refused = renamed.install(&["--from", from]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    if refused.status.code() != Some(1) || !said.contains("is not the released archive") {
        refused.fail("expected a refusal");
    }
    assert!(!local.join("bin/sieve").exists());
}

#[test]
fn the_same_files_make_the_same_archive() {
    let renamed = Renamed::new();
    let made = || {
        renamed.python("import archive; archive.main()");
        fs::read(renamed.out().join("archive/SHA256SUMS")).expect("digests")
    };
    let first = made();
    // Another time of the files.
    renamed.python("import os, facts; os.utime(facts.binary(facts.facts()), (1, 1))");
    assert_eq!(first, made());
}

#[test]
fn the_launcher_passes_everything_on_and_names_a_missing_package() {
    let renamed = Renamed::new();
    renamed.python("import npm, facts; npm.launcher(facts.facts(), facts.OUT / 'npm')");
    let launcher = renamed.out().join("npm/launcher.js");
    let run = || {
        let line = [
            "node",
            launcher.to_str().expect("a path"),
            "run",
            "--",
            "a b",
        ];
        Program::new(&line, renamed.folder.path()).run("input")
    };
    let missing = run();
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    if missing.status.code() != Some(2) || !said.contains("is not installed: install again") {
        missing.fail("expected the missing package by its name");
    }
    let platform = renamed.facts["platforms"][0].clone();
    let name = |key: &str| platform[key].as_str().expect("a name").to_owned();
    let package = format!("npm/node_modules/@sieve/{}-{}", name("os"), name("cpu"));
    let program = renamed.folder.path().join("program");
    let text = fs::read_to_string(program).expect("a program");
    write_program(&renamed.out().join(package).join("bin/sieve"), &text);
    let done = run();
    if done.status.code() != Some(7) || done.stdout != b"run -- a b\ninput" {
        done.fail("expected the program's own answer and exit code");
    }
}

#[test]
fn the_published_crate_has_all_that_it_includes() {
    let renamed = Renamed::new();
    let built = renamed.folder.path().join("built");
    fs::create_dir(&built).expect("a folder");
    for filter in tamis::built_in::FILTERS {
        fs::write(built.join(filter.name).with_extension("wasm"), "").expect("a component");
    }
    renamed.python(&format!(
        "import os; os.environ['PREBUILT_FROM'] = {built:?}; import crate, facts; crate.stage(facts.facts())"
    ));
    let stage = renamed.out().join("crate/stage");
    let host = stage.join("host");
    for file in [
        "build.rs",
        "prebuilt/wit/filter.wit",
        "prebuilt/commit",
        "prebuilt/components/ansi.wasm",
        "prebuilt/plugins/ansi/prebuilt-Cargo.toml",
        "prebuilt/plugins/ansi/settings.schema.json",
        "prebuilt/plugins/sdk/src/lib.rs",
        "prebuilt/examples/plugins/rust/prebuilt-Cargo.toml",
        "prebuilt/examples/plugins/rust/prebuilt-.gitignore",
    ] {
        assert!(host.join(file).is_file(), "{file}");
    }
    // Cargo packages all of them.
    let listed = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(&host)
        .args(["package", "--list", "--offline", "--allow-dirty"])
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&listed.stderr);
    assert!(listed.status.success(), "{said}");
    let listed = String::from_utf8_lossy(&listed.stdout);
    let packaged: Vec<&str> = listed.lines().collect();
    for file in files_below(&host.join("prebuilt")) {
        let name = file.strip_prefix(&host).expect("a file of it");
        let name = name.to_str().expect("a name");
        assert!(packaged.contains(&name), "{name} is not packaged");
    }
    for folder in ["host", "host/document", "plugins/formats", "plugins/rows"] {
        let path = stage.join(folder).join("Cargo.toml");
        let manifest = fs::read_to_string(path).expect("a manifest");
        for left_out in ["publish", "dev-dependencies", "[[test]]", "[[bench]]"] {
            assert!(
                !manifest.contains(left_out),
                "{folder} has {left_out}:\n{manifest}"
            );
        }
    }
    // Cargo takes the profiles of the crate as a root of its own, as `cargo install` builds it.
    let manifest = fs::read_to_string(host.join("Cargo.toml")).expect("a manifest");
    let profiles = manifest.find("[profile.").expect("profiles");
    let alone = renamed.folder.path().join("alone");
    fs::create_dir_all(alone.join("src")).expect("a folder");
    fs::write(alone.join("src/lib.rs"), "").expect("a library");
    let package = "[package]\nname = \"alone\"\n[workspace]\n";
    fs::write(
        alone.join("Cargo.toml"),
        format!("{package}{}", &manifest[profiles..]),
    )
    .expect("a manifest");
    let checked = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(&alone)
        .args(["check", "--release", "--offline", "--target-dir", "target"])
        .output()
        .expect("cargo starts");
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stderr)
    );
    // The program's own sources take nothing from outside of the crate.
    let mut folders = vec![host.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let depth = path.strip_prefix(&host).expect("inside").components();
            let outside = format!("include_str!(\"{}", "../".repeat(depth.count() - 1));
            assert!(
                !text.contains(&format!("{outside}../")),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn the_container_runs_as_nobody_from_nothing() {
    let path = repository().join("host/packaging/Containerfile");
    let text = fs::read_to_string(path).expect("a Containerfile");
    let has = |line: &str| text.lines().any(|known| known == line);
    assert!(has("FROM scratch") && has("USER 65532:65532"), "{text}");
    assert!(!text.contains("RUN "), "nothing to run it with:\n{text}");
}

/// The files that build, test and sign on machines of other systems.
const WORKFLOWS: [&str; 2] = ["check.yml", "release.yml"];

#[test]
fn the_workflows_have_the_form_of_workflows_and_build_every_platform() {
    let folder = repository().join(".github/workflows");
    let mut line = vec![
        repository().join("tests/.venv/bin/check-jsonschema"),
        "--builtin-schema".into(),
        "vendor.github-workflows".into(),
    ];
    line.extend(WORKFLOWS.map(|name| folder.join(name)));
    Program::new(&line, &folder).run("").succeeded();
    let release = fs::read_to_string(folder.join("release.yml")).expect("a workflow");
    let manifest = fs::read_to_string(repository().join("host/Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let platforms = &manifest["package"]["metadata"]["packages"]["platform"];
    let platforms = platforms.as_array().expect("platforms");
    for platform in platforms {
        let target = platform["target"].as_str().expect("a target");
        assert!(release.contains(&format!("target: {target},")), "{target}");
    }
    assert_eq!(release.matches("{ target: ").count(), platforms.len());
}

#[test]
fn the_notes_of_a_release_are_its_section_of_the_changelog() {
    let folder = Folder::new();
    let change = "# Changelog\n\n## 0.3.0 (unreleased)\n\n- new\n\n## 0.2.0 (2026-01-02)\n\n- one\n- two\n\n## 0.1.0\n\n- old\n";
    let script = folder.write(
        "root/host/packaging/notes.py",
        fs::read(repository().join("host/packaging/notes.py")).expect("a script"),
    );
    folder.write("root/CHANGELOG.md", change);
    let notes = |version: &str| {
        let line = ["python3", script.to_str().expect("a path"), version];
        Program::new(&line, folder.path()).run("")
    };
    let done = notes("0.2.0").succeeded();
    assert_eq!(done.stdout, b"- one\n- two\n");
    exits(&notes("0.3.0"), 1, &["0.3.0", "unreleased"]);
    exits(
        &notes("0.4.0"),
        1,
        &["no section 0.4.0", "0.2.0 (2026-01-02)"],
    );
}
