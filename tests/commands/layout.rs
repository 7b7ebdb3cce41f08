//! The layout of the code: rooms use only lower ones, without circles, each test file belongs to a test binary, and the table
//! of surfaces fits the code.

use crate::support::{Program, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The module path of a file or of its uses, from the root of the crate.
type ModulePath = Vec<String>;

/// Pairs of adjacent modules of which one uses the other, each with the file that does so.
type Arrows = BTreeMap<(String, String), String>;

/// The Rust files directly in a folder, without their ending.
fn files_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| {
            let stem = path.file_stem().expect("a name");
            stem.to_string_lossy().into_owned()
        })
        .collect()
}

/// The modules that a file declares.
fn declared_in(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).expect("a source");
    let names = text.lines().filter_map(|line| {
        let declaration = line.trim_start_matches("pub ");
        declaration.strip_prefix("mod ")?.strip_suffix(';')
    });
    names.map(str::to_owned).collect()
}

#[test]
fn every_test_file_is_part_of_a_test_binary() {
    let tests = repository().join("tests");
    let manifest = fs::read_to_string(repository().join("host/Cargo.toml")).expect("a manifest");
    let mut files = 0;
    assert_eq!(
        files_in(&tests),
        BTreeSet::new(),
        "a file beside the folders is in no binary"
    );
    for entry in fs::read_dir(&tests).expect("the tests") {
        let folder = entry.expect("an entry").path();
        let main = folder.join("main.rs");
        if !main.exists() {
            continue;
        }
        let area = folder.file_name().expect("a name").to_string_lossy();
        let path = format!("\"../tests/{area}/main.rs\"");
        assert!(
            manifest.contains(&path),
            "host/Cargo.toml has no [[test]] with path = {path}"
        );
        let declared = declared_in(&main);
        for module in files_in(&folder) {
            if module == "main" {
                continue;
            }
            assert!(
                declared.contains(&module),
                "tests/{area}/main.rs has no `mod {module};`"
            );
            files += 1;
            let children = folder.join(&module);
            if !children.is_dir() {
                continue;
            }
            let declared = declared_in(&folder.join(format!("{module}.rs")));
            for child in files_in(&children) {
                assert!(
                    declared.contains(&child),
                    "tests/{area}/{module}.rs has no `mod {child};`"
                );
            }
        }
    }
    assert!(files > 40, "only {files} files of tests were found");
}

/// All source files of the host with their module paths.
fn modules() -> Vec<(ModulePath, String)> {
    let root = repository().join("host/src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let relative = path
                .strip_prefix(&root)
                .expect("below the root")
                .with_extension("");
            let mut module: ModulePath = relative
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            if module.last().is_some_and(|name| name == "mod") {
                module.pop();
            }
            let is_test = module.last().is_some_and(|name| name == "tests");
            let is_root = matches!(&*module, [name] if name == "lib" || name == "main");
            if !is_test && !is_root {
                found.push((
                    module,
                    code_of(&fs::read_to_string(&path).expect("a source")),
                ));
            }
        }
    }
    found
}

/// A source without comments and tests.
fn code_of(source: &str) -> String {
    let code = source
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that begin with `crate`, `super` or `self` in the code of a module, from the root of the crate.
fn used_in(module: &ModulePath, code: &str) -> Vec<ModulePath> {
    let mut paths = Vec::new();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for first in ["crate", "super", "self"] {
        for (at, _) in code.match_indices(&format!("{first}::")) {
            let before = at.checked_sub(1).map(|before| code.as_bytes()[before]);
            if before.is_some_and(|byte| is_word(byte) || byte == b':' || byte == b'$') {
                continue;
            }
            let base = match first {
                "crate" => Vec::new(),
                "self" => module.clone(),
                _ => module[..module.len() - 1].to_vec(),
            };
            tree(&code[at + first.len() + 2..], base, &mut paths);
        }
    }
    paths
}

/// Reads the text after `::`: a name and its content, or a list of names in braces. Returns the rest.
fn tree<'a>(mut rest: &'a str, mut path: ModulePath, paths: &mut Vec<ModulePath>) -> &'a str {
    loop {
        rest = rest.trim_start();
        if let Some(mut list) = rest.strip_prefix('{') {
            loop {
                list = list.trim_start();
                if let Some(rest) = list.strip_prefix('}') {
                    return rest;
                }
                let left = tree(list, path.clone(), paths);
                if left.len() == list.len() {
                    return left;
                }
                list = left.trim_start().trim_start_matches(',');
            }
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let name = &rest[..end];
        rest = &rest[end..];
        match name {
            "super" => drop(path.pop()),
            "self" | "" => {}
            name => path.push(name.to_owned()),
        }
        match rest.strip_prefix("::") {
            Some(after) => rest = after,
            None => {
                paths.push(path);
                let alias = rest.trim_start().strip_prefix("as ");
                return alias.map_or(rest, |alias| {
                    alias.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
                });
            }
        }
    }
}

/// The arrows between the modules directly in `folder`: uses of one module by a file below another.
fn arrows_in(folder: &[&str], modules: &[(ModulePath, String)]) -> Arrows {
    let depth = folder.len();
    let is_below = |path: &ModulePath| {
        path.len() > depth && path.iter().zip(folder).all(|(name, wanted)| name == wanted)
    };
    let side_by_side: BTreeSet<&str> = modules
        .iter()
        .filter(|(module, _)| is_below(module))
        .map(|(module, _)| &*module[depth])
        .collect();
    let mut arrows = Arrows::new();
    for (module, code) in modules.iter().filter(|(module, _)| is_below(module)) {
        for used in used_in(module, code).iter().filter(|used| is_below(used)) {
            let (from, to) = (&module[depth], &used[depth]);
            if from != to && side_by_side.contains(&**to) {
                arrows.insert((from.clone(), to.clone()), module.join("/"));
            }
        }
    }
    arrows
}

/// Modules that use each other in a circle, each followed by the one that it uses.
fn circle(arrows: &Arrows) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        arrows: &Arrows,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(begin) = way.iter().position(|name| name == module) {
            return Some(way[begin..].to_vec());
        }
        if !done.insert(module.to_owned()) {
            return None;
        }
        way.push(module.to_owned());
        let found = arrows
            .keys()
            .filter(|(from, _)| from == module)
            .find_map(|(_, to)| visit(to, arrows, way, done));
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    arrows
        .keys()
        .find_map(|(from, _)| visit(from, arrows, &mut Vec::new(), &mut done))
}

/// The layers of ARCHITECTURE.md, the highest first.
fn layers() -> Vec<BTreeSet<String>> {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, after) = text
        .split_once("<!-- layers -->\n```\n")
        .expect("a block of layers");
    let (block, _) = after.split_once("```").expect("the end of the block");
    block
        .lines()
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn rooms_use_only_what_lies_below_them() {
    let modules = modules();
    let layers = layers();
    let layer_of = |room: &str| layers.iter().position(|layer| layer.contains(room));
    let rooms: BTreeSet<&str> = modules.iter().map(|(module, _)| &*module[0]).collect();
    for room in &rooms {
        assert!(
            layer_of(room).is_some(),
            "ARCHITECTURE.md names no layer of `{room}`"
        );
    }
    for room in layers.iter().flatten() {
        assert!(rooms.contains(&**room), "there is no room `{room}`");
    }
    let arrows = arrows_in(&[], &modules);
    assert!(arrows.len() > 60, "only {} arrows were found", arrows.len());
    for ((from, to), place) in &arrows {
        assert!(
            layer_of(from) < layer_of(to),
            "{place} uses `{to}`, which is not below `{from}`"
        );
    }
}

/// Other systems are checked by `make platforms`, which most people do not run.
#[test]
fn only_the_room_of_the_system_asks_which_system_it_is() {
    let of_a_system = [
        "cfg(unix",
        "cfg(windows",
        "cfg(not(unix",
        "cfg(not(windows",
        "target_os",
        "target_family",
        "std::os::",
        "os::unix",
        "os::windows",
        "consts::OS",
        "rustix",
        "signal_hook",
        "windows_sys",
        "tokio::signal",
        "libc::",
    ];
    let modules = modules();
    let in_room = modules.iter().filter(|(module, _)| module[0] == "system");
    assert!(in_room.count() > 15, "the room is missing");
    let is_elsewhere = |module: &ModulePath| {
        // Tests make pipes and links; no other system runs them.
        module[0] != "system" && !module.iter().any(|name| name == "tests")
    };
    for (module, code) in modules.iter().filter(|(module, _)| is_elsewhere(module)) {
        for word in of_a_system {
            assert!(
                !code.contains(word),
                "{} has `{word}`: what differs by system belongs in host/src/system",
                module.join("/")
            );
        }
    }
    let sides = ["unix", "windows"].map(|side| {
        let folder = repository().join("host/src/system").join(side);
        files_in(&folder)
    });
    assert_eq!(sides[0], sides[1], "the systems have different files");
}

#[test]
fn no_modules_of_a_room_use_each_other_in_a_circle() {
    let modules = modules();
    for folder in [
        &["mcp"][..],
        &["mcp", "http"],
        &["mcp", "observe"],
        &["sandbox"],
        &["json"],
    ] {
        let arrows = arrows_in(folder, &modules);
        let found = circle(&arrows);
        assert_eq!(found, None, "in {}: {arrows:#?}", folder.join("/"));
    }
}

/// A row must not name a file that was moved.
#[test]
fn every_file_that_the_table_of_changes_names_exists() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, after) = text
        .split_once("## To change something\n")
        .expect("the table");
    let (table, _) = after.split_once("\n## ").expect("the next section");
    let mut named = 0;
    for path in table.split('`').skip(1).step_by(2) {
        let is_path = path.contains('/') || path.ends_with(".rs");
        if !is_path || path.contains("NAME") {
            continue;
        }
        named += 1;
        let places = [
            repository().join("host/src").join(path),
            repository().join(path),
        ];
        assert!(
            places.iter().any(|place| place.exists()),
            "there is no {path}"
        );
    }
    assert!(named > 20, "only {named} files were found");
}

#[test]
fn the_code_has_each_surface_that_make_surfaces_removes() {
    let line = ["bash", "tests/surfaces.sh", "check"];
    Program::new(&line, &repository()).run("").succeeded();
}
