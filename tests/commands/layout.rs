//! Where things are: each test file belongs to a test binary.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files and folders with Rust files directly in a folder, without their ending.
fn modules_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder of tests");
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

/// The modules that a file declares.
fn declared_in(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).expect("a source");
    text.lines()
        .filter_map(|line| {
            line.trim_start_matches("pub ")
                .strip_prefix("mod ")?
                .strip_suffix(';')
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_test_file_is_part_of_a_test_binary() {
    let tests = repository().join("tests");
    let manifest = fs::read_to_string(repository().join("host/Cargo.toml")).expect("a manifest");
    let mut files = 0;
    for entry in fs::read_dir(&tests).expect("the tests") {
        let folder = entry.expect("an entry").path();
        assert!(
            folder.extension().is_none_or(|ending| ending != "rs"),
            "{folder:?} is in no folder"
        );
        let main = folder.join("main.rs");
        if !main.exists() {
            continue;
        }
        let area = folder
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let path = format!("\"../tests/{area}/main.rs\"");
        assert!(
            manifest.contains(&path),
            "host/Cargo.toml has no [[test]] with path = {path}"
        );
        let declared = declared_in(&main);
        for module in modules_in(&folder) {
            if module == "main" {
                continue;
            }
            assert!(
                declared.contains(&module),
                "{main:?} has no `mod {module};`"
            );
            files += 1;
            let children = folder.join(&module);
            if children.is_dir() {
                let declared = declared_in(&folder.join(format!("{module}.rs")));
                for child in modules_in(&children) {
                    assert!(
                        declared.contains(&child),
                        "tests/{area}/{module}.rs has no `mod {child};`"
                    );
                }
            }
        }
    }
    assert!(files > 40, "only {files} files of tests were found");
}
