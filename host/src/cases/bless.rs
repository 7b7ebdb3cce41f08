//! Writes expected outputs again (`tamis test --bless`).
//!
//! In filters.toml only the bytes of the value itself are replaced, so that comments and all else stay.

use super::{Case, Failure, Outcome, Suite};
use crate::dry_run::MOST_BYTES;
use crate::file;
use crate::policy::{Draft, Given, Policy, Source, Span};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Why a table or list is not written: it would lose the form that somebody gave it.
const AS_WRITTEN: &str =
    "not written: `expect` is not a string; change it by hand, or use `expect-file`";

/// Writes the output of every test whose expected output differs, and notes that in its outcome. Gives back each
/// file that was changed.
///
/// # Errors
///
/// A file cannot be written.
pub fn bless(suite: &Suite, outcomes: &mut [(&Case, Outcome)]) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    let mut inline: Vec<(Span, String)> = Vec::new();
    for (case, outcome) in outcomes {
        let Some(golden) = &case.spec.expect.golden else {
            continue;
        };
        let is_golden =
            |failure: &Failure| matches!(failure, Failure::Golden { .. } | Failure::NoGolden(_));
        if !outcome.failures.iter().any(is_golden) {
            continue;
        }
        let output = outcome.output.as_deref().unwrap_or_default();
        let refused = match golden {
            Given::File { path, .. } => {
                write(path, output)?;
                written.push(path.clone());
                None
            }
            Given::Text { span, .. } => match literal(output) {
                Ok(literal) => {
                    inline.push((*span, literal));
                    None
                }
                Err(why) => Some(why),
            },
            Given::Json { .. } => Some(AS_WRITTEN),
        };
        match refused {
            Some(why) => outcome.failures.push(Failure::Other(why.to_owned())),
            None => {
                outcome.failures.retain(|failure| !is_golden(failure));
                outcome.blessed = true;
            }
        }
    }
    // Included files first: the policy's own is read again with them.
    let own = suite.source();
    let files: Vec<&Source> = own.included().chain([own]).collect();
    for file in files {
        let is_here = |(span, _): &(Span, String)| std::ptr::eq(own.file_at(span.start), file);
        let (of_file, others) = inline.into_iter().partition(is_here);
        inline = others;
        rewrite(file, of_file, &mut written)?;
    }
    Ok(written)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("make the folder {}", folder.display()))?;
    }
    std::fs::write(path, bytes).with_context(|| format!("write {}", path.display()))
}

/// A TOML string.
fn literal(output: &[u8]) -> Result<String, &'static str> {
    let text = std::str::from_utf8(output)
        .map_err(|_| "not written: the output is not UTF-8, so it needs `expect-file`")?;
    Ok(toml_edit::Value::from(text).to_string())
}

/// Puts new values in place of others in a file.
fn rewrite(
    source: &Source,
    mut values: Vec<(Span, String)>,
    written: &mut Vec<PathBuf>,
) -> Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    let path = source.path();
    let context = || format!("write expected outputs into {}", path.display());
    let bytes = file::read(path, MOST_BYTES).with_context(context)?;
    let mark: &[u8] = if bytes.starts_with(b"\xef\xbb\xbf") {
        b"\xef\xbb\xbf"
    } else {
        b""
    };
    if &bytes[mark.len()..] != source.text().as_bytes() {
        bail!("{}: the file was changed in the meantime", context());
    }
    values.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = source.text().to_owned();
    for (span, value) in values {
        let span = source.local(span);
        text.replace_range(span.start..span.end, &value);
    }
    // A policy must not fail because of its tests. An included file alone may be no policy.
    let builtin = crate::built_in::names();
    let new = Source::new(path, &text)?;
    match source.start() {
        0 => drop(Policy::parse(new, &builtin).with_context(context)?),
        _ => drop(Draft::parse(new, &builtin).with_context(context)?),
    }
    std::fs::write(path, [mark, text.as_bytes()].concat()).with_context(context)?;
    written.push(path.to_owned());
    Ok(())
}
