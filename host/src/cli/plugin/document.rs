//! Documents that the command line names: texts, JSON, and calls that `tamis run --save-failures` saved.

use super::subject::{SettingsArguments, Subject};
use crate::authoring;
use crate::document::Document;
use crate::file;
use crate::mcp::observe::failures;
use crate::policy::Limits;
use crate::recording::{self, Call, Failure};
use crate::sandbox::{CallInfo, Filter, Plugin};
use anyhow::{Context, Result, anyhow, bail};
use std::path::Path;

/// The largest file that is read: more than a filter may be given.
const MOST_BYTES: u64 = 1 << 30;

/// A document to call a filter on.
pub(super) struct Given {
    /// Its file, and where that holds several, which one.
    pub(super) name: String,
    pub(super) document: Document,
    /// The failure of a step, and its call; none for other documents.
    pub(super) saved: Option<Saved>,
}

/// A step's failure, and the call that it was part of.
pub(super) struct Saved {
    pub(super) failure: Failure,
    call: Call,
}

/// Reads a file. Of a saved call: the documents at which the plugin failed.
///
/// # Errors
///
/// It cannot be read, is no Unicode, or is a call in which the plugin did not fail.
pub(super) fn read(path: &Path, subject: &Subject, plugin: &Plugin) -> Result<Vec<Given>> {
    let context = || format!("read {}", path.display());
    let bytes = file::read(path, MOST_BYTES).with_context(context)?;
    if recording::is_call(&bytes) {
        let call = Call::parse(&bytes).map_err(|why| anyhow!("{}: {why}", context()))?;
        return of_call(path, call, subject, plugin);
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow!("{}: it is not UTF-8, but a document is text", context()))?;
    Ok(vec![Given {
        name: path.display().to_string(),
        document: Document::detect(text),
        saved: None,
    }])
}

fn of_call(path: &Path, call: Call, subject: &Subject, plugin: &Plugin) -> Result<Vec<Given>> {
    let path = path.display();
    if call.failures.is_empty() {
        bail!(
            "{path} is a recorded call in which no step failed: `tamis apply` runs a chain on it; `tamis run --save-failures DIR` saves calls with failed steps"
        );
    }
    let mut filters: Vec<&str> = call
        .failures
        .iter()
        .map(|failure| failure.filter.as_str())
        .collect();
    filters.sort_unstable();
    filters.dedup();
    // A plugin may have another name in filters.toml; if only one filter failed, it is the plugin.
    let is_ours = |failure: &&Failure| {
        filters.len() == 1
            || failure.plugin == plugin.description().name
            || failure.filter == subject.name
    };
    let ours: Vec<&Failure> = call.failures.iter().filter(is_ours).collect();
    if ours.is_empty() {
        bail!(
            "{path} has failures of {}, and none of {}",
            filters.join(", "),
            subject.name
        );
    }
    let several = ours.len() > 1;
    let given = |(index, failure): (usize, &Failure)| Given {
        name: match several {
            true => format!("{path} ({} of {})", index + 1, ours.len()),
            false => path.to_string(),
        },
        document: failure.document(),
        saved: Some(Saved {
            failure: failure.clone(),
            call: call.clone(),
        }),
    };
    Ok(ours.iter().copied().enumerate().map(given).collect())
}

impl Given {
    /// The filter for it, with the settings that the command line gives, else those that the step had.
    pub(super) fn filter(
        &self,
        plugin: &Plugin,
        settings: &SettingsArguments,
        limits: &Limits,
    ) -> Result<Filter> {
        match &self.saved {
            None => settings.configure(plugin, limits),
            Some(Saved { failure, .. }) => settings
                .or(&failure.settings)
                .configure(plugin, limits)
                .with_context(|| self.name.clone()),
        }
    }

    /// The limits that the step had, else those of a trial.
    pub(super) fn limits(&self) -> Limits {
        let saved = self.saved.as_ref();
        saved.map_or_else(authoring::limits, |saved| saved.failure.limits())
    }

    /// The facts about the call for the filter.
    pub(super) fn call(&self) -> CallInfo<'_> {
        let Some(Saved { failure, call }) = &self.saved else {
            return CallInfo::of_result("server", "tool");
        };
        CallInfo {
            part: failures::part(&failure.part),
            index: failure.index,
            is_error: failure.is_error,
            arguments: &call.arguments,
            ..CallInfo::of_result(&call.server, &call.tool)
        }
    }
}
