//! What the documents say, held to what the program does. `TAMIS_BLESS=1` writes the generated
//! parts anew.

use std::path::{Path, PathBuf};

use tamis::built_in;
use tamis::policy::{Code, LIMITS, LimitRow, Policy, SERVE_LIMITS, Source, TABLES, Unit};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A table of limits, made from the one that the program uses.
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

/// Holds what stands between two marks of a page to what the program says.
fn generated(page: &str, begin: &str, end: &str, expected: &str) {
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
        assert!(
            policy.warnings.is_empty(),
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
    let mut failures = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        let blocks = text.split("```toml\n").skip(1);
        for block in blocks.filter_map(|rest| rest.split("```").next()) {
            // A filter's page may show a step alone.
            let step = format!("[[chain]]\ntools = [\"*\"]\nsteps = [\n{block}]\n");
            let policy = if block.contains("[[") || block.contains("\n[") || block.starts_with('[')
            {
                block
            } else {
                &step
            };
            let source = Source::new("filters.toml", policy).expect("text");
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

/// A promise whose test was renamed or removed is one that nobody keeps.
#[test]
fn every_test_that_security_md_names_exists() {
    let text = std::fs::read_to_string(repository().join("SECURITY.md")).expect("SECURITY.md");
    let sources = sources(&["host/src", "tests"]);
    let mut looked_for = 0;
    // A name of a test has four words or more, and no dot: not a file's, nor a setting's.
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
