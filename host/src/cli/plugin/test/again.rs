//! Runs a filter on documents that the author names, and on saved failures.

use super::{Arguments, EXIT_FAILED};
use crate::authoring::{self, Tried};
use crate::cli::output::{self, Printed};
use crate::cli::plugin::document::{self, Given};
use crate::cli::plugin::subject::Subject;
use crate::hex;
use crate::sandbox::Plugin;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// The outcome for a document, as printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// All holds, and nothing was wrong before.
    Ok,
    /// The document failed when it was saved, and passes now.
    Fixed,
    /// The document fails as it did when it was saved.
    Same,
    /// The document fails, and did not before, or in another way.
    Failed,
    /// The filter says in words that it cannot.
    Refused,
}

pub(super) fn run(arguments: &Arguments, subject: &Subject, plugin: &Plugin) -> Result<ExitCode> {
    let mut out = Printed::stdout(arguments.json);
    let mut code = ExitCode::SUCCESS;
    let mut earlier = None;
    for path in &arguments.document {
        for given in document::read(path, subject, plugin)? {
            let filter = given.filter(plugin, &arguments.settings, &given.limits())?;
            let (name, document) = (&given.name, &given.document);
            let tried =
                authoring::try_one(&filter, name, document, earlier.as_ref(), &given.call());
            earlier = Some(document.clone());
            let state = state(&given, &tried);
            if matches!(state, State::Same | State::Failed) {
                code = ExitCode::from(EXIT_FAILED);
            }
            let text = match arguments.json {
                true => format!("{}\n", as_json(&given, &tried, state)),
                false => in_words(&given, &tried, state, subject),
            };
            out.write_all(text.as_bytes()).map_err(output::failed)?;
        }
    }
    Ok(code)
}

fn state(given: &Given, tried: &Tried) -> State {
    let was = given
        .saved
        .as_ref()
        .map(|saved| saved.failure.outcome.as_str());
    let is = match (tried.call_error(), &tried.refused) {
        (Some(error), _) => Some(error.outcome()),
        (_, Some(_)) => Some("filter-error"),
        _ => None,
    };
    match (was, is) {
        (Some(was), Some(is)) if was == is => State::Same,
        _ if tried.failed() => State::Failed,
        (_, Some(_)) => State::Refused,
        (Some(_), None) => State::Fixed,
        (None, None) => State::Ok,
    }
}

fn in_words(given: &Given, tried: &Tried, state: State, subject: &Subject) -> String {
    let name = &given.name;
    let was = given.saved.as_ref().map(|saved| &saved.failure);
    let same_file = was
        .and_then(|failure| failure.sha256.as_deref())
        .is_some_and(|then| then == hex::sha256(&subject.wasm));
    let mut text = match state {
        State::Ok => format!("ok      {name}: {}\n", made(tried)),
        State::Refused => {
            let words = tried.refused.as_deref().unwrap_or_default();
            format!("refused {name}: {words}\n")
        }
        State::Fixed => {
            let error = was.map_or("", |failure| &failure.error);
            let but = match same_file {
                true => {
                    "        the plugin is the same file: it may take longer on a busy machine, or depend on the session\n"
                }
                false => "",
            };
            format!(
                "fixed   {name}: {}\n        it was: {error}\n{but}",
                made(tried)
            )
        }
        State::Same => format!("FAILED  {name}: the same failure as when it was saved\n"),
        State::Failed => {
            let bytes = given.document.text().len();
            let before = was.map_or(String::new(), |failure| {
                format!(": another failure; it was: {}", failure.error)
            });
            format!("FAILED  {name} ({bytes} bytes){before}\n")
        }
    };
    if matches!(state, State::Same | State::Failed) {
        let words = tried.refused.iter().cloned();
        let broken = tried.broken.iter().filter(|broken| !broken.is_mended());
        for line in broken.map(ToString::to_string).chain(words) {
            text += &format!("        {line}\n");
        }
        text += &super::help(tried);
    }
    if tried.keeps_state() {
        text += &format!("warning: {name}: {}\n", authoring::KEEPS_STATE);
    }
    text
}

/// The filter's output.
fn made(tried: &Tried) -> String {
    let before = tried.before.text().len();
    match &tried.after {
        None => format!("{before} bytes, unchanged"),
        Some(after) => format!("{before} bytes → {} bytes", after.text().len()),
    }
}

fn as_json(given: &Given, tried: &Tried, state: State) -> Value {
    let mut object = super::as_json(tried, tried.failed());
    object["state"] = match state {
        State::Same | State::Failed => "failed".into(),
        State::Fixed => "fixed".into(),
        State::Ok | State::Refused => object["state"].take(),
    };
    if let Some(saved) = &given.saved {
        object["was"] = json!({
            "filter": saved.failure.filter,
            "outcome": saved.failure.outcome,
            "error": saved.failure.error,
        });
        object["same_failure"] = (state == State::Same).into();
    }
    object
}
