//! Folders that are tests: an input (`input.json` or `input.txt`) and its expected output (`expected.json` or
//! `expected.txt`). Optional: `filters.toml`, `arguments.json`, and `test.toml` with the keys of a `[[test]]`.

use super::{Case, Suite};
use crate::built_in;
use crate::dry_run::MOST_BYTES;
use crate::file;
use crate::policy::{CaseFolder, Finding, Policy, Report, Source, TestSpec};
use crate::sandbox::Sandbox;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Folders are looked for so deep: a link that leads back up must end somewhere.
const DEEPEST: usize = 8;

/// A folder that is a test.
pub(super) struct TestFolder {
    pub(super) folder: PathBuf,
    input: PathBuf,
    /// The name by which a filter on the command line finds the test.
    name: String,
}

/// The tests in a folder: in it, and in every folder below. Those without a filters.toml of their own are added
/// to `suite`; each of the others is a suite. Each broken test is an error by itself.
pub fn gather(
    folder: &Path,
    mut suite: Option<&mut Suite>,
    sandbox: &Sandbox,
) -> (Vec<Suite>, Vec<anyhow::Error>) {
    let (places, mut errors) = places(folder);
    let mut suites = Vec::new();
    for place in places {
        match take(&place, suite.as_deref_mut(), sandbox) {
            Ok(own) => suites.extend(own),
            Err(error) => errors.push(error),
        }
    }
    (suites, errors)
}

/// The folders that are tests, in order.
pub(super) fn places(top: &Path) -> (Vec<TestFolder>, Vec<anyhow::Error>) {
    let (mut places, mut errors) = (Vec::new(), Vec::new());
    if let Err(error) = look_into(top, top, 0, &mut places) {
        errors.push(error);
    }
    (places, errors)
}

fn look_into(top: &Path, folder: &Path, depth: usize, places: &mut Vec<TestFolder>) -> Result<()> {
    if let Some(input) = input_of(folder) {
        let name = folder.strip_prefix(top).unwrap_or(folder);
        let name = match name.as_os_str().is_empty() {
            true => folder.file_name().unwrap_or(folder.as_os_str()).into(),
            false => name.to_owned(),
        };
        places.push(TestFolder {
            folder: folder.to_owned(),
            input,
            name: name.display().to_string(),
        });
        return Ok(());
    }
    if depth == DEEPEST {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
        .with_context(|| format!("read the folder {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders.into_iter().filter(|path| path.is_dir()) {
        look_into(top, &folder, depth + 1, places)?;
    }
    Ok(())
}

/// Adds a test to the suite; one with a policy of its own is returned as a suite.
fn take(place: &TestFolder, suite: Option<&mut Suite>, sandbox: &Sandbox) -> Result<Option<Suite>> {
    if let Some(own) = own_policy(place, sandbox)? {
        return Ok(Some(own));
    }
    let folder = &place.folder;
    let Some(suite) = suite else {
        bail!(
            "{} has no filters.toml: name one with --config, or put one there",
            folder.display()
        );
    };
    if !folder.join("test.toml").exists() {
        bail!(
            "{} names no tool and no chain: add a test.toml with `tool = \"NAME\"` or `chain = \"NAME\"`",
            folder.display()
        );
    }
    let case = read(place, suite.policy())?;
    suite.cases.push(case);
    Ok(None)
}

/// The suite of a folder with a filters.toml.
pub(super) fn own_policy(place: &TestFolder, sandbox: &Sandbox) -> Result<Option<Suite>> {
    let own = place.folder.join("filters.toml");
    if !own.exists() {
        return Ok(None);
    }
    let policy = Policy::load(&own, &built_in::names())?;
    let case = read(place, &policy)?;
    let mut suite = Suite::new(policy, sandbox)?;
    // Its `[[test]]` tables are tests of that file alone.
    suite.cases = vec![case];
    Ok(Some(suite))
}

/// The input of a folder that is a test.
pub(super) fn input_of(folder: &Path) -> Option<PathBuf> {
    let names = ["input.json", "input.txt"];
    let mut paths = names.into_iter().map(|name| folder.join(name));
    paths.find(|path| path.is_file())
}

pub(super) fn read(place: &TestFolder, policy: &Policy) -> Result<Case> {
    let TestFolder {
        folder,
        input,
        name,
    } = place;
    if input.ends_with("input.json") && folder.join("input.txt").exists() {
        bail!(
            "{} has input.json and input.txt: leave out one",
            folder.display()
        );
    }
    let candidates = ["expected.json", "expected.txt"].map(|name| folder.join(name));
    let there: Vec<&PathBuf> = candidates.iter().filter(|path| path.exists()).collect();
    if there.len() > 1 {
        bail!(
            "{} has expected.json and expected.txt: leave out one",
            folder.display()
        );
    }
    let has_expected = !there.is_empty();
    // A new file gets the suffix of the input.
    let beside = input.with_file_name(
        if input
            .extension()
            .is_some_and(|extension| extension == "txt")
        {
            "expected.txt"
        } else {
            "expected.json"
        },
    );
    let expected = there.first().map_or(beside, |path| (*path).clone());
    let case = CaseFolder {
        name: name.clone(),
        input: input.clone(),
        expected,
        has_expected,
        arguments: arguments(&folder.join("arguments.json"))?,
    };
    let test = folder.join("test.toml");
    let test = test.exists().then(|| Source::read(&test)).transpose()?;
    Ok(Case {
        spec: TestSpec::of_folder(case, test.as_ref(), policy)?,
        folder: Some(folder.to_owned()),
    })
}

fn arguments(path: &Path) -> Result<Option<String>> {
    if !path.exists() {
        return Ok(None);
    }
    let text =
        file::read_text(path, MOST_BYTES).with_context(|| format!("read {}", path.display()))?;
    let is_object =
        serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.is_object());
    if !is_object {
        let source = Source::new(path, &text)?;
        let finding = Finding::error(None, "the arguments of a call are a JSON object", "");
        let finding = finding.help("for example: {\"path\": \"src\", \"limit\": 20}");
        return Err(Report::new(source, vec![finding]).into());
    }
    Ok(Some(text.trim().to_owned()))
}
