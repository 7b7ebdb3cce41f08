//! `tamis check`: every folder in `cases/check` has a filters.toml and its report. `TAMIS_BLESS=1` writes
//! `expected.txt` again; read it before you commit it. The same program checks the broken files of
//! `cases/policy-errors`.

#[cfg(target_os = "linux")]
mod compiling_process;
mod formats;
mod hostile_plugins;
mod pipes;

use crate::support::built::Target;
use crate::support::{Finished, Folder, Program, TAMIS, repository};
use proptest::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tamis::policy::{Draft, Source};
use tamis::sandbox::{CacheDir, Sandbox};
use tamis::{built_in, chain};

/// Compiled filters, shared by the cases so that each filter is compiled once.
static CACHE: LazyLock<Folder> = LazyLock::new(Folder::new);

fn cases(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/cases")
        .join(name);
    let mut cases: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a case").path())
        .collect();
    cases.sort();
    cases
}

fn check(arguments: &[&str], folder: &Path) -> Finished {
    let mut line = vec![TAMIS, "check"];
    line.extend(arguments);
    program(&line, folder).run("")
}

fn program(line: &[&str], folder: &Path) -> Program {
    // A file in the user's own folder is no project's.
    let home = match folder.join(".git").exists() {
        true => folder.join("home"),
        false => folder.to_owned(),
    };
    Program::new(line, folder)
        .env("TAMIS_CACHE_DIR", CACHE.path())
        .env("TAMIS_STATE_DIR", folder.join("state"))
        .env("HOME", home)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// A copy of a case with the guests that its plugins may name. If it has a folder `trusted`, it is a project whose
/// user trusted the files of that folder, and these changed since.
fn staged(case: &Path) -> Folder {
    let folder = Folder::new();
    let trusted = case.join("trusted");
    if trusted.exists() {
        std::fs::create_dir(folder.path().join(".git")).expect("a repository");
        copy(&trusted, &folder);
        let line = [TAMIS, "trust", "--yes"];
        program(&line, folder.path()).run("").succeeded();
    }
    copy(case, &folder);
    for (target, guest, link) in [
        (Target::Unknown, "noop", "guests"),
        (Target::Wasip2, "noop", "components"),
    ] {
        let guests = crate::support::built::path(target, guest);
        let guests = guests.parent().expect("a folder of guests");
        std::os::unix::fs::symlink(guests, folder.path().join(link)).expect("link the guests");
    }
    folder
}

fn copy(from: &Path, folder: &Folder) {
    for entry in std::fs::read_dir(from).expect("the case") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_file() {
            folder.write(&name, std::fs::read(&path).expect("the file"));
        }
    }
}

/// A case with a `tools.json` is also checked against the tools in it.
fn arguments(case: &Path) -> Vec<&'static str> {
    let mut line = vec!["filters.toml"];
    if case.join("tools.json").exists() {
        line.extend(["--tools", "tools.json"]);
    }
    line
}

#[test]
fn every_case_is_told_what_it_should_be() {
    let cases = cases("check");
    assert!(cases.len() >= 40, "only {} cases were found", cases.len());
    let bless = std::env::var_os("TAMIS_BLESS").is_some();
    let mut failures = String::new();
    for case in &cases {
        let folder = staged(case);
        let run = check(&arguments(case), folder.path());
        let told = text(&run.stdout);
        let golden = case.join("expected.txt");
        if bless {
            std::fs::write(&golden, &told).expect("write expected.txt");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        let code = i32::from(told.contains("error["));
        if told != expected || run.status.code() != Some(code) || !run.stderr.is_empty() {
            failures += &format!(
                "\n== {}\n--- expected\n{expected}\n--- got\n{}\n",
                case.display(),
                run.report()
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn the_json_form_says_the_same_places_with_codes_that_are_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/check.md");
    let page = std::fs::read_to_string(page).expect("docs/check.md");
    for case in cases("check") {
        let folder = staged(&case);
        let line = arguments(&case);
        let told = text(&check(&line, folder.path()).stdout);
        let run = check(&[&line[..], &["--json"]].concat(), folder.path());
        let report: Value = serde_json::from_slice(&run.stdout)
            .unwrap_or_else(|error| run.fail(&format!("not JSON: {error}")));
        let findings = report["findings"].as_array().expect("findings");
        assert_eq!(report["file"], "filters.toml");
        assert_eq!(report["ok"], Value::from(run.status.success()));
        for finding in findings {
            let file = finding["file"].as_str().expect("a file");
            let source = std::fs::read_to_string(case.join(file)).expect("the file");
            let (severity, code) = (&finding["severity"], &finding["code"]);
            let (severity, code) = (
                severity.as_str().expect("text"),
                code.as_str().expect("text"),
            );
            let title = format!(
                "{severity}[{code}]: {}",
                finding["message"].as_str().expect("text")
            );
            assert!(told.contains(&title), "{title} is not in\n{told}");
            assert!(
                page.contains(&format!("| `{code}` |")),
                "`{code}` is not in docs/check.md"
            );
            let (line, column) = (&finding["line"], &finding["column"]);
            assert!(
                told.contains(&format!("{file}:{line}:{column}\n")),
                "{finding} in\n{told}"
            );
            let span = |name: &str| finding[name].as_u64().expect("an offset") as usize;
            let marked = &source[span("start")..span("end")];
            assert!(
                !marked.is_empty(),
                "{finding} marks nothing in {}",
                case.display()
            );
            let lines = source[..span("start")].matches('\n').count() as u64 + 1;
            assert_eq!(finding["line"], lines);
        }
        let counted =
            ["errors", "warnings", "notes"].map(|name| report[name].as_u64().expect("a number"));
        assert_eq!(counted.iter().sum::<u64>() as usize, findings.len());
    }
}

#[test]
fn every_broken_policy_is_reported_and_none_brings_the_program_down() {
    let all = cases("policy-errors");
    let mut broken = 0;
    for case in &all {
        let run = check(&["filters.toml"], case);
        let told = text(&run.stdout);
        if !matches!(run.status.code(), Some(0 | 1)) || told.contains("panicked") {
            run.fail(&format!("{} should be reported", case.display()));
        }
        broken += usize::from(run.status.code() == Some(1));
        assert!(told.contains("filters.toml: "), "{told}");
    }
    let with_filters = cases("check").into_iter();
    let expected = with_filters.map(|case| std::fs::read_to_string(case.join("expected.txt")));
    let also = expected.filter(|text| text.as_ref().is_ok_and(|text| text.contains("error[")));
    let broken = broken + also.count();
    assert!(broken >= 60, "only {broken} broken files");
}

#[test]
fn policies_that_come_with_tamis_have_nothing_to_be_told() {
    let root = repository();
    let mut policies = vec![root.join("host/src/cli/default.toml")];
    for entry in std::fs::read_dir(root.join("examples")).expect("examples") {
        let policy = entry.expect("an example").path().join("filters.toml");
        policies.extend(policy.exists().then_some(policy));
    }
    assert!(policies.len() >= 5, "{policies:?}");
    // Kustomize reads no file outside of its folder.
    let copies = ["filters.toml", "kubernetes/filters.toml"];
    let copies = copies.map(|name| std::fs::read(root.join("examples/replicas").join(name)));
    let [one, other] = copies.map(|copy| copy.expect("an example of replicas"));
    assert!(one == other, "the policies in examples/replicas differ");
    let folder = Folder::new();
    for policy in policies {
        let path = policy.display().to_string();
        let run = check(&[&path, "--deny", "notes"], folder.path()).succeeded();
        let last = text(&run.stdout);
        assert_eq!(last, format!("{path}: no errors\n"));
    }
}

/// A snapshot of `jq` takes seconds to compile, and a check runs no filter.
#[test]
fn a_check_of_many_chains_with_jq_compiles_nothing() {
    let folder = Folder::new();
    let chain = |index: usize| {
        format!(
            "[[chain]]\nname = \"c{index}\"\ntools = [\"t{index}\"]\nsteps = [{{ filter = \"jq\", program = \"del(.a{index})\" }}]\n"
        )
    };
    folder.write("filters.toml", (0..10).map(chain).collect::<String>());
    let line = [TAMIS, "check", "filters.toml"];
    let cache = folder.path().join("cache");
    let run = Program::new(&line, folder.path())
        .env("TAMIS_CACHE_DIR", &cache)
        .env("HOME", folder.path())
        .run("");
    assert!(
        text(&run.stdout).ends_with("filters.toml: no errors\n"),
        "{}",
        run.report()
    );
    let mut left = vec![cache];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => left.push(path),
                false => panic!("{} was compiled", path.display()),
            }
        }
    }
}

const WARNED: &str =
    "[[chain]]\ntools = [\"get_*\"]\nsteps = [\"null-stripper\", \"row-encoder\"]\n\n[tool.odd]\n";

#[test]
fn deny_and_allow_decide_what_fails() {
    let folder = Folder::new();
    folder.write("filters.toml", WARNED);
    let code = |arguments: &[&str]| {
        let mut all = vec!["filters.toml"];
        all.extend(arguments);
        check(&all, folder.path()).status.code()
    };
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--deny", "warnings"]), Some(1));
    assert_eq!(code(&["--deny", "order-table-first"]), Some(1));
    assert_eq!(code(&["--deny", "order-cut-first"]), Some(0));
    assert_eq!(
        code(&["--deny", "warnings", "--allow", "order-table-first"]),
        Some(0)
    );
    let run = check(&["--deny", "chain-shadow"], folder.path());
    assert_eq!(run.status.code(), Some(2));
    assert!(
        text(&run.stderr).contains("did you mean `chain-shadowed`?"),
        "{}",
        run.report()
    );
}

#[test]
fn without_a_file_it_checks_what_run_would_use_and_says_which() {
    let folder = Folder::new();
    let run = check(&[], folder.path()).succeeded();
    assert_eq!(text(&run.stdout), "(default policy): no errors\n");

    let own = folder.write(".config/tamis/filters.toml", WARNED);
    let run = check(&[], folder.path()).succeeded();
    assert!(
        text(&run.stdout).ends_with(&format!("{}: 1 warning, 1 note\n", own.display())),
        "{}",
        run.report()
    );

    let named = folder.write("named.toml", "chian = 1");
    let line = [env!("CARGO_BIN_EXE_tamis"), "check"];
    let run = Program::new(&line, folder.path())
        .env("TAMIS_CONFIG", &named)
        .run("");
    assert_eq!(run.status.code(), Some(1));
    assert!(
        text(&run.stdout).contains("named.toml: 1 error"),
        "{}",
        run.report()
    );
    let run = check(&["--config", "named.toml"], folder.path());
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn a_file_that_cannot_be_read_is_another_failure() {
    let folder = Folder::new();
    let run = check(&["gone.toml"], folder.path());
    assert_eq!(
        (run.status.code(), run.stdout.len()),
        (Some(2), 0),
        "{}",
        run.report()
    );
    assert!(text(&run.stderr).contains("gone.toml"), "{}", run.report());
    let run = check(&["gone.toml", "--json"], folder.path());
    assert_eq!(run.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["findings"][0]["code"], "file-unreadable");
    // A file that is no text is as broken as any other.
    folder.write("odd.toml", b"\xff\xfe");
    assert_eq!(check(&["odd.toml"], folder.path()).status.code(), Some(1));
}

#[test]
fn what_serves_logs_warnings_once_and_no_notes() {
    let folder = Folder::new();
    folder.write("filters.toml", WARNED);
    let line = [
        env!("CARGO_BIN_EXE_tamis"),
        "apply",
        "-c",
        "filters.toml",
        "-t",
        "tool",
    ];
    let program = Program::new(&line, folder.path()).env("TAMIS_CACHE_DIR", CACHE.path());
    let run = program.run("[]").succeeded();
    let log = text(&run.stderr);
    assert_eq!(
        log.matches("order-table-first").count(),
        1,
        "{}",
        run.report()
    );
    assert!(!log.contains("tool-without-chain"), "{}", run.report());
}

/// A policy with one of everything that is checked beyond the grammar.
const VALID: &str = r#"
[[plugin]]
name = "own"
path = "own.wasm"
allow = ["log"]

[[chain]]
name = "rows"
tools = ["list_*", "get"]
blocks = "merge"
steps = [
  "unwrap",
  { filter = "null-stripper", depth = 2, keep = ["id"], empty = ["null", "[]"] },
  { filter = "cap", caps = [{ path = "data.rows", first = 3 }, { groups = ["a", "b"], fair = 5 }] },
  { filter = "truncate", limit = 4000, unit = "chars", limits = { time = "1s" }, shadow = true },
]

[[chain]]
on = ["prompt", "resource"]
prompts = ["review*"]
steps = [{ filter = "truncate", tail = 10 }]

[tool.list_all]
needs = ["git"]

[session]
key = "argument:file"
calls = 5
"#;

/// Pieces that are inserted in wrong places.
const PIECES: [&str; 20] = [
    "[",
    "]",
    "{",
    "}",
    "\"",
    "=",
    ",",
    "\n",
    "-1",
    "0.5",
    "true",
    "\"x\"",
    "[[chain]]\n",
    "steps",
    "filter = ",
    "a.b",
    "{}",
    "é",
    "9999999999",
    "caps = 3, ",
];

static SANDBOX: LazyLock<Sandbox> =
    LazyLock::new(|| Sandbox::new(Some(CacheDir::at(CACHE.path()))).expect("a sandbox"));

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_mutated_policy_is_examined_to_its_end(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..10_usize, 0..PIECES.len()), 1..4),
    ) {
        let mut text = VALID.to_owned();
        for (at, cut, piece) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + cut).min(text.len())).max(start);
            text.replace_range(start..end, PIECES[piece]);
        }
        let source = Source::new("filters.toml", text.as_bytes()).expect("text");
        let report = match Draft::parse(source.clone(), &built_in::names()) {
            Ok(draft) => {
                let report = chain::examine(&draft, &SANDBOX);
                // A draft can be served exactly if it has no errors.
                let served = draft.into_policy().map_err(anyhow::Error::from);
                let served = served.and_then(|policy| chain::load(policy, &SANDBOX));
                if served.is_ok() {
                    prop_assert!(!report.has_errors(), "it is served:\n{report}");
                }
                report
            }
            Err(report) => report,
        };
        for finding in report.findings() {
            if let Some(span) = finding.span {
                prop_assert!(span.start <= span.end && span.end <= text.len(), "{finding:?}");
            }
        }
        prop_assert!(report.render(true).contains("filters.toml"));
    }
}

/// A policy of thousands of lines: the comparisons between them must be bounded.
const LARGE_BYTES: usize = 1 << 18;

#[test]
fn large_files_are_checked_within_the_tests_limit() {
    let filled = |head: &str, one: &dyn Fn(usize) -> String, tail: &str| {
        let mut text = head.to_owned();
        for index in 0.. {
            let next = one(index);
            if text.len() + next.len() + tail.len() > LARGE_BYTES {
                break;
            }
            text += &next;
        }
        text + tail
    };
    let chain = "[[chain]]\ntools = [\"a\"]\nsteps = [\"ansi\"]\n";
    let files = [
        filled(chain, &|index| format!("[tool.t{index}]\n"), ""),
        filled(
            "[[chain]]\nsteps = [\"ansi\"]\ntools = [",
            &|index| format!("\"*{index}\","),
            "]\n",
        ),
        filled(
            "",
            &|index| format!("[[chain]]\ntools=[\"{index}\"]\nsteps=[\"ansi\"]\n"),
            "",
        ),
        filled(
            "",
            &|index| format!("[[plugin]]\nname=\"p{index}\"\npath=\"gone\"\n"),
            chain,
        ),
        filled(
            "[[chain]]\ntools=[\"a\"]\nsteps=[",
            &|_| "\"ansi\",".to_owned(),
            "]\n",
        ),
        filled(
            "[[chain]]\ntools=[\"a\"]\nsteps=[",
            &|_| "{filter=\"ansi\",a=1,shadow_=2},".to_owned(),
            "]\n",
        ),
    ];
    let folder = Folder::new();
    for (index, text) in files.iter().enumerate() {
        assert!(text.len() > LARGE_BYTES / 2);
        folder.write("large.toml", text);
        let run = check(&["large.toml"], folder.path());
        if !matches!(run.status.code(), Some(0 | 1)) {
            run.fail(&format!("file {index}"));
        }
    }
}
