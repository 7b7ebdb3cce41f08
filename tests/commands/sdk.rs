//! What projects of plugins depend on: types, stubs and the contract itself, as copies and as packages. `make
//! packages-check` installs the packages (`packaging/sdk_check.py`).

use crate::support::{Folder, Program, TAMIS, exits, repository, text};
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use wit_component::metadata::Bindgen;
use wit_component::{DecodedWasm, OutputToString, WitPrinter};

const RUST_BINDINGS: &str = "plugins/sdk/src/guest/bindings.rs";

/// A command of the tools that `tests/setup.sh` installs.
fn tool(line: &[&str], folder: &Path) -> Program {
    let tests = repository().join("tests");
    let own = ["node_modules/.bin", ".venv/bin"].map(|bin| tests.join(bin));
    let all = std::env::var_os("PATH").unwrap_or_default();
    let path: OsString =
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&all))).expect("a PATH");
    Program::new(line, folder)
        .env("PATH", path)
        .limit(std::time::Duration::from_secs(300))
}

fn project(folder: &Folder, arguments: &[&str]) -> PathBuf {
    let line = [&[TAMIS, "plugin", "new", "house-style"], arguments].concat();
    exits(&Program::new(&line, folder.path()).run(""), 0, &[]);
    folder.path().join("house-style")
}

#[track_caller]
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[track_caller]
fn replace(path: &Path, old: &str, new: &str) {
    let source = read(path);
    assert!(source.contains(old), "no `{old}` in {}", path.display());
    fs::write(path, source.replace(old, new)).expect("write the source");
}

/// The files of a folder, by path in it.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).expect("inside").to_owned();
                    found.push((name, read(&path)));
                }
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_wrong_verdict_in_typescript_is_an_error_of_its_types() {
    let folder = Folder::new();
    let project = project(&folder, &["--lang", "ts"]);
    let source = project.join("filter.ts");
    let good = read(&source);
    let verdict = r#"{ tag: "rewritten", val: { kind: "text", text: shorter } }"#;
    for (wrong, expected) in [
        (
            r#"{ tag: "rewriten", val: { kind: "text", text: shorter } }"#,
            "rewriten",
        ),
        (
            r#"{ tag: "rewritten", val: { kind: "txt", text: shorter } }"#,
            "DocumentKind",
        ),
        (
            r#"{ tag: "rewritten", val: { kind: "text" } }"#,
            "'text' is missing",
        ),
        (
            r#"{ tag: "rewritten", val: { kind: "text", text: shorter, more: 1 } }"#,
            "'more' does not exist",
        ),
    ] {
        replace(&source, verdict, wrong);
        let built = tool(&[TAMIS, "plugin", "build"], &project).run("");
        exits(
            &built,
            2,
            &["tsc could not build it", "filter.ts(", expected],
        );
        assert!(!project.join("build").exists(), "a script of wrong sources");
        fs::write(&source, &good).expect("write the source");
    }
}

#[test]
fn a_wrong_verdict_in_python_is_an_error_of_its_types() {
    let folder = Folder::new();
    let project = project(&folder, &["--lang", "python"]);
    let source = project.join("app.py");
    exits(&tool(&["mypy"], &project).run(""), 0, &["no issues found"]);
    let good = read(&source);
    let verdict = "Verdict_Rewritten(Rewrite(kind=DocumentKind.TEXT, text=shorter))";
    for (wrong, expected) in [
        ("shorter", "Incompatible return value type"),
        (
            "Verdict_Rewritten(Rewrite(kind=\"text\", text=shorter))",
            "expected \"DocumentKind\"",
        ),
        ("Verdict_Rewritten(shorter)", "expected \"Rewrite\""),
    ] {
        replace(&source, verdict, wrong);
        let checked = tool(&["mypy"], &project).run("");
        exits(&checked, 1, &["app.py:", expected]);
        fs::write(&source, &good).expect("write the source");
    }
}

#[test]
fn types_and_stubs_are_those_of_the_contract() {
    let folder = Folder::new();
    let script = repository().join("host/packaging/bindings.py");
    let out = folder.path().join("out");
    let line = [
        "python3",
        "-B",
        script.to_str().expect("a path"),
        "--out",
        out.to_str().expect("a path"),
    ];
    let made = tool(&line, folder.path()).run("");
    let mut places = vec!["ts/types", "python/typings"];
    // wit-bindgen takes minutes to build. Bindings that do not fit the contract make no component, which the tests of
    // Go and C would notice.
    if text(&made.stderr).contains("wit-bindgen is not installed") {
        eprintln!(
            "not tested: the bindings for Rust, Go and C, since wit-bindgen is not installed"
        );
    } else {
        exits(&made, 0, &[]);
        places.extend(["go/bindings", "c/bindings"]);
        let made = read(&out.join("rust/bindings/bindings.rs"));
        assert!(
            made == read(&repository().join(RUST_BINDINGS)),
            "run `make bindings`"
        );
    }
    for place in places {
        let kept = files(&repository().join("examples/plugins").join(place));
        let made = files(&out.join(place));
        assert!(made.len() > 1, "{place}: {made:?}");
        for file in &made {
            assert!(kept.contains(file), "{:?}: run `make bindings`", file.0);
        }
        if place.starts_with("ts/") || place.starts_with("python/") {
            assert_eq!(kept.len(), made.len(), "{place}: run `make bindings`");
        }
    }
}

#[test]
fn the_bindings_of_rust_are_of_this_contract() {
    let contract = fs::read(repository().join("wit/filter.wit")).expect("read the contract");
    let digest: String = Sha256::digest(contract)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let bindings = read(&repository().join(RUST_BINDINGS));
    assert!(
        bindings.contains(&format!("//! {digest}.\n")),
        "run `make bindings`"
    );
}

#[test]
fn a_project_has_the_whole_contract_in_its_language() {
    for (lang, name) in [
        ("ts", "types"),
        ("python", "typings"),
        ("go", "bindings"),
        ("c", "bindings"),
    ] {
        let folder = Folder::new();
        let new = project(&folder, &["--lang", lang]);
        let mut kept = files(&repository().join("examples/plugins").join(lang).join(name));
        for (_, content) in &mut kept {
            *content = content.replace("keep-lines", "house-style");
        }
        assert!(files(&new.join(name)) == kept, "{lang}");
    }
}

#[test]
fn a_project_may_name_the_published_sdk() {
    let manifest: toml::Table = read(&repository().join("host/Cargo.toml"))
        .parse()
        .expect("TOML");
    let names = &manifest["package"]["metadata"]["packages"];
    let name = |key: &str| names[key].as_str().expect("a name").to_owned();
    let version = env!("CARGO_PKG_VERSION");
    for (lang, file, copy, expected) in [
        (
            "rust",
            "Cargo.toml",
            "sdk",
            vec![
                format!("tamis-sdk = {{ version = \"{version}\" }}"),
                format!("tamis-sdk = {{ version = \"{version}\", features = [\"testing\"] }}"),
            ],
        ),
        (
            "ts",
            "package.json",
            "types",
            vec![format!("\"{}\": \"{version}\"", name("npm-sdk"))],
        ),
        (
            "ts",
            "tsconfig.json",
            "types",
            vec![
                format!("\"types\": [\"{}\"]", name("npm-sdk")),
                "\"include\": [\"*.ts\"]".to_owned(),
            ],
        ),
        (
            "python",
            "requirements.txt",
            "typings",
            vec![format!("{}=={version}\n", name("pypi-sdk"))],
        ),
    ] {
        let folder = Folder::new();
        let published = project(&folder, &["--lang", lang, "--sdk", "published"]);
        let found = read(&published.join(file));
        for line in expected {
            assert!(found.contains(&line), "{lang}: no `{line}` in {found}");
        }
        assert!(!published.join(copy).exists(), "{lang}: a copy");
        for (path, content) in files(&published) {
            assert!(
                !content.contains("plugins/sdk"),
                "{}: {content}",
                path.display()
            );
            assert!(
                !content.contains("\"typings\""),
                "{}: {content}",
                path.display()
            );
        }
        let folder = Folder::new();
        assert!(
            project(&folder, &["--lang", lang]).join(copy).exists(),
            "{lang}: no copy"
        );
    }
    for lang in ["js", "go", "c"] {
        let folder = Folder::new();
        let line = [
            TAMIS,
            "plugin",
            "new",
            "x",
            "--lang",
            lang,
            "--sdk",
            "published",
        ];
        exits(
            &Program::new(&line, folder.path()).run(""),
            2,
            &["leave --sdk out"],
        );
        assert!(!folder.path().join("x").exists());
    }
}

/// A WIT package as text, with its comments.
fn printed(package: &DecodedWasm) -> String {
    let DecodedWasm::WitPackage(types, package) = package else {
        panic!("a component, not a package");
    };
    let mut printer = WitPrinter::new(OutputToString::default());
    printer.print(types, *package, &[]).expect("print");
    printer.output.to_string()
}

#[test]
fn the_contract_is_a_wit_package() {
    let folder = Folder::new();
    let line = [TAMIS, "plugin", "wit"];
    let told = Program::new(&line, folder.path()).run("");
    exits(&told, 0, &[]);
    let contract = read(&repository().join("wit/filter.wit"));
    assert!(text(&told.stdout) == contract);

    let line = [TAMIS, "plugin", "wit", "--package", "contract.wasm"];
    exits(
        &Program::new(&line, folder.path()).run(""),
        0,
        &["contract.wasm: ", " bytes"],
    );
    let wasm = fs::read(folder.path().join("contract.wasm")).expect("a package");
    let decoded = printed(&wit_component::decode(&wasm).expect("decode"));
    assert!(decoded.contains("/// ## The tape\n"), "{decoded}");
    let mut types = Bindgen::default().resolve;
    let package = types.push_str("filter.wit", &contract).expect("WIT");
    let parsed = DecodedWasm::WitPackage(types, package);
    assert_eq!(decoded, printed(&parsed));
}
