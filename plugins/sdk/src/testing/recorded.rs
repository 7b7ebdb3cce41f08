//! Recorded results of real servers, for a filter's tests and figures.

use super::Bench;
use crate::Filter;
use std::path::{Path, PathBuf};

/// The filter's results on recorded documents.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{rewritten_text, testing::{Bench, Saving, recorded_in}};
///
/// # let folder = std::env::temp_dir().join(format!("tamis-sdk-saving-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).expect("a folder");
/// # let result = r#"{"content":[{"type":"text","text":"DEBUG connected\ndone"},{"type":"text","text":"ok"}]}"#;
/// # std::fs::write(folder.join("result.json"), result).expect("a file");
/// let bench = Bench::of(|document, _call| {
///     let lines: Vec<&str> = document.text().lines().filter(|line| !line.starts_with("DEBUG")).collect();
///     Ok(rewritten_text(lines.join("\n")))
/// });
/// let saving: Saving = recorded_in(&folder, &bench);
/// # std::fs::remove_dir_all(&folder).expect("the folder");
/// assert_eq!((saving.changed.len(), saving.documents), (1, 2));
/// saving.assert_smaller();
///
/// let larger = Saving { changed: vec![("result.json 0".to_owned(), 5, 6)], documents: 1 };
/// assert!(std::panic::catch_unwind(|| larger.assert_smaller()).is_err());
/// ```
#[derive(Debug, Default)]
pub struct Saving {
    /// Documents that the filter changed, each with its name and its tokens before and after.
    pub changed: Vec<(String, u32, u32)>,
    /// The number of all documents.
    pub documents: usize,
}

impl Saving {
    /// Checks that each changed document became smaller.
    ///
    /// [Example](Saving#examples).
    ///
    /// # Panics
    ///
    /// If a document has as many tokens as before, or more.
    pub fn assert_smaller(&self) {
        for (name, before, after) in &self.changed {
            assert!(after < before, "{name}: {before} tokens became {after}");
        }
    }
}

/// Runs a filter over every text and every `structuredContent` in the folder `corpus` of `TAMIS_DATA`, and prints its
/// savings in o200k tokens. None if that variable is not set; the test then passes.
///
/// # Panics
///
/// If a result cannot be read, or if filtering twice changes more although the filter promises that it does not.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Edits, NodeKind, testing::{Bench, recorded}};
///
/// let bench = Bench::of(|document, _call| {
///     let mut edits = Edits::new();
///     for (key, value) in document.root().into_iter().flat_map(|root| root.members()) {
///         if value.kind() == NodeKind::Null {
///             edits.remove(key);
///         }
///     }
///     Ok(edits.into())
/// });
/// // Without TAMIS_DATA, no recorded results exist, and the test passes.
/// let saving = recorded(&bench);
/// # assert_eq!(saving.is_some(), std::env::var_os("TAMIS_DATA").is_some());
/// if let Some(saving) = saving {
///     saving.assert_smaller();
/// }
/// ```
pub fn recorded<F: Filter>(bench: &Bench<F>) -> Option<Saving> {
    let Some(data) = std::env::var_os("TAMIS_DATA") else {
        println!("TAMIS_DATA is not set: nothing is measured");
        return None;
    };
    Some(recorded_in(&Path::new(&data).join("corpus"), bench))
}

/// Runs a filter like [`recorded`], over the results below a folder.
///
/// # Panics
///
/// As [`recorded`].
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use tamis_sdk::{Verdict, testing::{Bench, recorded_in}};
///
/// # fn check() {
/// // Results of real servers, as files of JSON:
/// let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/results"));
/// # }
/// # let folder = std::env::temp_dir().join(format!("tamis-sdk-recorded-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).expect("a folder");
/// # let result = r#"{"content":[{"type":"text","text":"ok"}],"structuredContent":{"ok":true}}"#;
/// # std::fs::write(folder.join("result.json"), result).expect("a file");
/// let bench = Bench::of(|_document, _call| Ok(Verdict::Unchanged));
/// let saving = recorded_in(&folder, &bench);
/// # std::fs::remove_dir_all(&folder).expect("the folder");
/// assert_eq!((saving.documents, saving.changed.len()), (2, 0));
/// ```
pub fn recorded_in<F: Filter>(folder: &Path, bench: &Bench<F>) -> Saving {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let mut saving = Saving::default();
    for file in &files {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("read {}: {error}", file.display()));
        let recorded: serde_json::Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("parse {}: {error}", file.display()));
        // A result with its call, or the result alone.
        let result = recorded.get("result").unwrap_or(&recorded);
        let texts = result["content"].as_array().into_iter().flatten();
        let mut documents: Vec<String> = texts
            .filter_map(|block| block["text"].as_str().map(str::to_owned))
            .collect();
        documents.extend(result.get("structuredContent").map(ToString::to_string));
        for (place, document) in documents.iter().enumerate() {
            saving.documents += 1;
            let applied = bench.apply(document);
            if !applied.changed {
                continue;
            }
            let again = bench.apply(applied.text());
            assert!(
                !F::describe().idempotent || !again.changed,
                "filtering {} twice changes more",
                file.display()
            );
            let name = format!("{} {place}", file.display());
            let tokens = (tokens(document), tokens(applied.text()));
            println!("{:>7} -> {:>7} {name}", tokens.0, tokens.1);
            saving.changed.push((name, tokens.0, tokens.1));
        }
    }
    let (before, after) = saving
        .changed
        .iter()
        .fold((0, 0), |(before, after), it| (before + it.1, after + it.2));
    println!(
        "{} of {} documents changed, {before} -> {after} tokens",
        saving.changed.len(),
        saving.documents
    );
    saving
}

fn tokens(text: &str) -> u32 {
    let encoding = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    u32::try_from(encoding.count(text)).expect("at most a token a byte")
}

/// The results below a folder, without the lists of tools.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("read {}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if path.is_dir() {
            collect(&path, files);
        } else if name.ends_with(".json") && !name.starts_with('_') {
            files.push(path);
        }
    }
}
