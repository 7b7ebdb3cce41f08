//! Compares the documents with the program. `TAMIS_BLESS=1` writes the generated parts again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{COMPILED, Finished, Folder, Program, exits, repository, text};
use tamis::built_in;
use tamis::policy::{Code, LIMITS, LimitRow, Policy, SERVE_LIMITS, Source, TABLES, Unit};

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A table of limits, made from the program's own.
fn limits_table<K>(rows: &[LimitRow<K>]) -> String {
    let mut table = String::from(
        "| key | default | allowed | meaning, and reason for the default |\n|---|--:|---|---|\n",
    );
    for row in rows {
        let range = format!(
            "{} to {}",
            row.unit.show(row.least),
            row.unit.show(row.most)
        );
        let example = row.example();
        assert_eq!(
            example.starts_with('"'),
            row.unit != Unit::Count,
            "{example}"
        );
        table += &format!("| `{}` | `{example}` | {range} | {} |\n", row.name, row.why);
    }
    table
}

/// Compares the text between two marks of a page with the program's.
pub(crate) fn generated(page: &str, begin: &str, end: &str, expected: &str) {
    let path = repository().join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let (before, rest) = text
        .split_once(begin)
        .unwrap_or_else(|| panic!("{page} has no {begin}"));
    let (found, after) = rest.split_once(end).expect("what is generated ends");
    if std::env::var_os("TAMIS_BLESS").is_some() {
        let text = format!("{before}{begin}{expected}{end}{after}");
        std::fs::write(path, text).expect("write the page");
        return;
    }
    assert_eq!(
        found, expected,
        "{page} after {begin}: run the test with TAMIS_BLESS=1"
    );
}

#[test]
fn the_limits_are_those_of_the_program() {
    generated(
        "docs/filters-toml.md",
        "<!-- limits -->\n",
        "<!-- /limits -->",
        &limits_table(&LIMITS),
    );
    generated(
        "docs/http.md",
        "<!-- serve limits -->\n",
        "<!-- /serve limits -->",
        &limits_table(&SERVE_LIMITS),
    );
}

#[test]
fn the_reference_has_every_key() {
    for table in TABLES {
        let begin = format!("<!-- keys: {} -->\n", table.name);
        let page = "docs/filters-toml.md";
        generated(page, &begin, "<!-- /keys -->", &table.reference());
    }
}

#[test]
fn the_page_about_checking_has_every_code() {
    let mut table = String::from("| code | meaning |\n|---|---|\n");
    for code in Code::ALL {
        table += &format!("| `{}` | {} |\n", code.name(), code.about());
    }
    generated(
        "docs/check.md",
        "<!-- codes -->\n",
        "<!-- /codes -->",
        &table,
    );
}

#[test]
fn every_policy_in_the_readme_and_the_first_steps_is_one() {
    let text = page("README.md") + &page("docs/first-steps.md");
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.trim() {
            "```toml" => {
                inside = true;
                blocks.push(String::new());
            }
            "```" => inside = false,
            _ if inside => {
                let block = blocks.last_mut().expect("a block is open");
                block.push_str(line.strip_prefix("   ").unwrap_or(line));
                block.push('\n');
            }
            _ => {}
        }
    }
    assert!(
        blocks.len() >= 3,
        "{} blocks of TOML were found",
        blocks.len()
    );
    for block in blocks {
        let source = Source::new("README.md", block.clone().into_bytes()).expect("text");
        let policy = Policy::parse(source, &built_in::names());
        let policy = policy.unwrap_or_else(|report| panic!("{report}\nin\n{block}"));
        // A block may be the part of a file that has no chain.
        let mut findings = policy.warnings.iter();
        assert!(
            findings.all(|finding| finding.code == Code::NoChain),
            "{:?} in\n{block}",
            policy.warnings
        );
    }
}

#[test]
fn every_policy_in_the_reference_and_the_filters_pages_is_one() {
    let mut pages = vec![
        repository().join("docs/filters-toml.md"),
        repository().join("docs/testing.md"),
        repository().join("docs/guide.md"),
    ];
    let names = built_in::names();
    pages.extend(
        names
            .iter()
            .map(|name| repository().join(format!("plugins/{name}/README.md"))),
    );
    let folder = Folder::new();
    let mut failures = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        let blocks = text.split("```toml\n").skip(1);
        for block in blocks.filter_map(|rest| rest.split("```").next()) {
            // A filter's page may show only a step.
            let step = format!("[[chain]]\ntools = [\"*\"]\nsteps = [\n{block}]\n");
            let policy = if block.contains("[[") || block.contains("\n[") || block.starts_with('[')
            {
                block
            } else {
                &step
            };
            // A block may include the one before it.
            if policy.starts_with("# team.toml\n") {
                folder.write("team.toml", policy);
            }
            let file = folder.path().join("filters.toml");
            let source = Source::new(file, policy).expect("text");
            if let Err(report) = Policy::parse(source, &names) {
                failures.push(format!("{}: {report}\nin\n{policy}", page.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn the_page_about_filters_has_every_built_in_one() {
    let mut table = String::from("| filter | what it does |\n|---|---|\n");
    for filter in built_in::FILTERS {
        let (name, summary) = (filter.name, filter.summary);
        table += &format!("| [`{name}`](../plugins/{name}/README.md) | {summary} |\n");
        let page = repository().join(format!("plugins/{name}/README.md"));
        assert!(page.exists(), "there is no {}", page.display());
    }
    generated(
        "docs/filters.md",
        "<!-- filters -->\n",
        "<!-- /filters -->",
        &table,
    );
}

/// Names as code, one after the other.
fn code(filters: &[&built_in::BuiltIn]) -> String {
    let names = filters.iter().map(|filter| format!("`{}`", filter.name));
    names.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_guide_has_every_built_in_filter_in_its_place() {
    let mut list = String::new();
    let mut left: Vec<&built_in::BuiltIn> = built_in::FILTERS.iter().collect();
    for (index, stage) in built_in::STAGES.iter().enumerate() {
        let is_here =
            |filter: &&built_in::BuiltIn| stage.roles.iter().any(|role| filter.has(*role));
        let (here, others) = left.into_iter().partition::<Vec<_>, _>(is_here);
        left = others;
        let (number, filters) = (index + 1, code(&here));
        list += &format!(
            "{number}. **{}**: {filters}. {}\n",
            stage.title, stage.about
        );
    }
    list += &format!(
        "\nWithout a place in this order: {}. Their pages say where to use them.\n",
        code(&left)
    );
    generated(
        "docs/guide.md",
        "<!-- order -->\n",
        "<!-- /order -->",
        &list,
    );
}

#[test]
fn the_page_for_contributors_has_every_role() {
    let mut table = String::from("| role | a filter with it | filters |\n|---|---|---|\n");
    for (role, name, about) in built_in::ROLES {
        let filters: Vec<_> = built_in::with_role(role).collect();
        table += &format!("| `{name}` | {about} | {} |\n", code(&filters));
    }
    generated(
        "CONTRIBUTING.md",
        "<!-- roles -->\n",
        "<!-- /roles -->",
        &table,
    );
}

#[test]
fn every_make_target_in_the_readme_is_one() {
    let makefile = std::fs::read_to_string(repository().join("Makefile")).expect("a Makefile");
    let readme = page("README.md");
    let mut named = 0;
    for after in readme.split("make ").skip(1) {
        let target: String = after
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || *c == '-')
            .collect();
        let before_is_code = readme.contains(&format!("`make {target}`"))
            || readme.contains(&format!("    make {target} "));
        if before_is_code {
            named += 1;
            assert!(
                makefile.contains(&format!("\n{target}:")),
                "`make {target}` is no target"
            );
        }
    }
    assert!(named >= 3, "only {named} targets were found");
}

/// All Rust sources of these folders, one after the other.
fn sources(folders: &[&str]) -> String {
    let mut todo: Vec<PathBuf> = folders.iter().map(|it| repository().join(it)).collect();
    let mut all = String::new();
    while let Some(path) = todo.pop() {
        let is_foreign = path.ends_with("node_modules") || path.ends_with(".venv");
        if path.is_dir() && !is_foreign {
            let entries = std::fs::read_dir(&path).expect("a folder");
            todo.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|it| it == "rs") {
            all += &std::fs::read_to_string(&path).expect("a source");
        }
    }
    all
}

/// A promise whose test was renamed or removed is no longer tested.
#[test]
fn every_test_that_security_md_names_exists() {
    let text = std::fs::read_to_string(repository().join("SECURITY.md")).expect("SECURITY.md");
    let sources = sources(&["host/src", "tests"]);
    let mut looked_for = 0;
    // A test's name has four words or more, and no dot, unlike the name of a file or a setting.
    for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '…' | '*')))
    {
        if word.matches('_').count() < 3 || word.contains('.') {
            continue;
        }
        let (word, is_end) = match word.strip_prefix('…') {
            Some(end) => (end, true),
            None => (word, false),
        };
        let (word, is_beginning) = match word.strip_suffix('…') {
            Some(beginning) => (beginning, true),
            None => (word, false),
        };
        let begin = if is_end { "" } else { "fn " };
        let end = if is_beginning { "" } else { "()" };
        looked_for += 1;
        assert!(
            sources.contains(&format!("{begin}{word}{end}")),
            "no test {word}"
        );
    }
    assert!(looked_for > 30, "only {looked_for} names");
}

const COOKBOOK: &str = "examples/cookbook";

/// Building and compiling the plugin in Python takes most of it.
const PYTHON_LIMIT: Duration = Duration::from_secs(300);

/// A recipe of the cookbook: the text below its heading.
struct Recipe {
    name: String,
    text: String,
}

impl Recipe {
    /// The blocks of code in this language.
    fn blocks(&self, language: &str) -> Vec<&str> {
        let begin = format!("```{language}\n");
        let after = self.text.split(begin.as_str()).skip(1);
        after.filter_map(|rest| rest.split("```").next()).collect()
    }

    fn file(&self, name: &str) -> String {
        page(&format!("{COOKBOOK}/{}/{name}", self.name))
    }
}

/// The recipes of the page, in its order.
fn recipes() -> Vec<Recipe> {
    let text = page("docs/cookbook.md");
    let sections = text.split("\n## ").skip(1);
    sections
        .map(|section| {
            let (name, text) = section.split_once('\n').expect("a section has a text");
            Recipe {
                name: name.to_owned(),
                text: text.to_owned(),
            }
        })
        .collect()
}

#[test]
fn every_block_of_the_cookbook_is_in_the_file_of_its_recipe() {
    let entries = std::fs::read_dir(repository().join(COOKBOOK)).expect("the recipes");
    let folders: BTreeSet<String> = entries
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.into_string().expect("Unicode")
        })
        .collect();
    let recipes = recipes();
    let names: BTreeSet<String> = recipes.iter().map(|recipe| recipe.name.clone()).collect();
    assert_eq!(names, folders, "sections of the page, folders of recipes");
    // The test `every_message` sends every secret of a hostile server through the first recipe.
    assert_eq!(recipes[0].name, "hide-secrets", "the first recipe");
    let cookbook = page("docs/cookbook.md");
    for recipe in &recipes {
        let name = &recipe.name;
        let row = format!("| [{name}](#{name}) |");
        assert!(
            cookbook.contains(&row),
            "the table at the front lacks {row}"
        );
        let link = format!("](../{COOKBOOK}/{name}/filters.toml)");
        assert!(recipe.text.contains(&link), "{name} does not link its file");
        let mut files = vec![recipe.file("filters.toml")];
        if files[0].contains("\ninclude = [\"team.toml\"]\n") {
            files.push(recipe.file("team.toml"));
        }
        for file in &files {
            let lines = file.lines().count();
            assert!(lines <= 40, "{name} has {lines} lines");
        }
        let blocks = recipe.blocks("toml");
        assert!(
            blocks.len() >= files.len(),
            "{name} shows nothing of a file"
        );
        for block in blocks {
            let shown = files.iter().any(|file| file.contains(block));
            assert!(shown, "{name}: not in its files:\n{block}");
        }
    }
    let ci = recipes.iter().find(|recipe| recipe.name == "ci");
    let ci = ci.expect("the recipe for CI");
    for (language, file) in [("sh", "check.sh"), ("yaml", "policy.yml")] {
        let blocks = ci.blocks(language);
        assert_eq!(blocks.len(), 1, "blocks of {language}");
        assert!(
            ci.file(file).contains(blocks[0]),
            "not in {file}: {}",
            blocks[0]
        );
    }
}

#[test]
fn both_commands_of_ci_are_the_same_on_every_page() {
    let pages = std::fs::read_dir(repository().join("docs")).expect("the pages");
    let pages = pages.map(|entry| entry.expect("a page").path());
    let ci = repository().join(COOKBOOK).join("ci");
    let files = pages.chain(["check.sh", "policy.yml"].map(|file| ci.join(file)));
    let test = "--deny untested --deny step-failed --deny step-no-original";
    let mut seen = 0;
    for file in files.filter(|file| file.is_file()) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.contains("--compile --deny warnings") && !line.contains(" # ") {
                let next = lines.next().unwrap_or_default();
                let is_whole = next.contains("tamis test ") && next.contains(test);
                assert!(is_whole, "{}: after {line}: {next}", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 8, "only {seen} were found");
}

/// Copies a folder of the repository, without build outputs.
fn copy(from: &Path, to: &str, folder: &Folder) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let to = format!("{to}/{name}");
        if name == ".venv" || name == "__pycache__" || name.ends_with(".wasm") {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to, folder);
        } else {
            folder.write(&to, std::fs::read(&path).expect("a file"));
        }
    }
}

/// Runs `tamis` in the folder of the recipes, with the Python that `tests/setup.sh` installs.
fn tamis_in(folder: &Folder, inside: &str, arguments: &[&str]) -> Finished {
    let mut line = vec![env!("CARGO_BIN_EXE_tamis")];
    line.extend(arguments);
    let python = repository().join("tests/.venv/bin");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(python).chain(std::env::split_paths(&others));
    let path = std::env::join_paths(all).expect("a PATH");
    Program::new(&line, &folder.path().join(inside))
        .env("PATH", path)
        .env("HOME", folder.path())
        .env("TAMIS_CACHE_DIR", COMPILED)
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .limit(PYTHON_LIMIT)
        .run("")
}

#[test]
fn every_recipe_of_the_cookbook_passes_and_prints_what_the_page_shows() {
    const PYTHON: &str = "examples/plugins/python";
    let folder = Folder::new();
    for part in [COOKBOOK, PYTHON] {
        copy(&repository().join(part), part, &folder);
    }
    exits(&tamis_in(&folder, PYTHON, &["plugin", "build"]), 0, &[]);

    let mut shown = 0;
    for recipe in recipes() {
        let file = format!("{COOKBOOK}/{}/filters.toml", recipe.name);
        let check = ["check", &file, "--compile", "--deny", "warnings"];
        exits(&tamis_in(&folder, "", &check), 0, &["no errors"]);
        let mut test = vec!["test", &file];
        for denied in ["untested", "step-failed", "step-no-original"] {
            test.extend(["--deny", denied]);
        }
        exits(&tamis_in(&folder, "", &test), 0, &["; 0 failed"]);

        for block in recipe.blocks("console") {
            let (command, expected) = block.split_once('\n').expect("a command and its output");
            let arguments = command
                .strip_prefix("$ tamis ")
                .expect("a command of Tamis");
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let run = tamis_in(&folder, "", &arguments);
            let output = text(&run.stdout);
            assert_eq!(output.trim_end(), expected.trim_end(), "`{command}`");
            shown += 1;
        }
    }
    assert!(shown >= 8, "only {shown} outputs were found");
}

#[test]
fn the_cookbook_shows_the_answers_for_blocked_tools() {
    let recipes = recipes();
    let recipe = recipes.iter().find(|recipe| recipe.name == "block-a-tool");
    let recipe = recipe.expect("the recipe");
    let folder = Folder::new();
    copy(&repository().join(COOKBOOK), COOKBOOK, &folder);
    let file = format!("{COOKBOOK}/block-a-tool/filters.toml");
    let hidden = ["explain", "write_file", "--config", &file];
    let left_out = [
        "explain",
        "create_directory",
        "--profile",
        "reader",
        "--config",
        &file,
    ];
    let mut answers = String::new();
    for arguments in [&hidden[..], &left_out[..]] {
        answers += &text(&tamis_in(&folder, "", arguments).succeeded().stdout);
    }
    let lines = recipe
        .text
        .lines()
        .filter(|line| line.starts_with("    [tamis]"));
    let lines: Vec<&str> = lines.map(str::trim).collect();
    assert_eq!(lines.len(), 2, "answers in the page");
    for line in lines {
        assert!(answers.contains(line), "not in\n{answers}\n{line}");
    }
}

#[test]
fn every_variable_of_tamis_is_in_the_list() {
    let listed = page("docs/operating.md");
    let (_, listed) = listed
        .split_once("## Environment variables")
        .expect("the list");
    let mut folders = vec![repository().join("host/src")];
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            // Variables of tests are not for users.
            let is_of_tests = path.components().any(|part| part.as_os_str() == "tests")
                || path.file_name().is_some_and(|name| name == "tests.rs");
            match path.extension().and_then(|it| it.to_str()) {
                _ if is_of_tests => {}
                None if path.is_dir() => folders.push(path),
                Some("rs" | "js") => {
                    let code = std::fs::read_to_string(path).expect("a file");
                    // Tamis does not read names in examples.
                    let starts = code.match_indices("TAMIS_").filter(|(at, _)| {
                        code[..*at].ends_with('"') || code[..*at].ends_with("process.env.")
                    });
                    let variables = starts.map(|(at, _)| {
                        let name = code[at..].split(|c: char| !c.is_ascii_uppercase() && c != '_');
                        name.into_iter().next().unwrap_or_default()
                    });
                    found.extend(variables.filter(|it| !it.ends_with('_')).map(str::to_owned));
                }
                _ => {}
            }
        }
    }
    assert!(found.len() > 5, "{found:?}");
    for variable in found {
        assert!(
            listed.contains(&format!("`{variable}`")),
            "{variable} is not in the list of docs/operating.md"
        );
    }
}
