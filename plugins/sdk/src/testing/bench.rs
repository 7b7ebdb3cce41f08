//! One filter on a test bench: settings, a call, documents in and out.

use super::host::{self, Facts, Host};
use crate::{Call, Document, Filter, Surface, Verdict};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use tamis_document::{Document as Whole, TapeWanted};

/// A filter with its settings, and the call that its documents come from.
pub struct Bench<F> {
    filter: F,
    call: Facts,
    keeps: bool,
    has_paths: bool,
    session: Option<RefCell<BTreeMap<String, String>>>,
}

/// What became of a document.
#[derive(Debug)]
pub struct Applied {
    document: Whole,
    /// False when the filter left the document as it was.
    pub changed: bool,
    /// Members that it set in the result's `_meta`: key and JSON.
    pub result_meta: Vec<(String, String)>,
    /// What it logged: `level: message`.
    pub log: Vec<String>,
    /// Prefixes under which it had the original kept.
    pub kept: Vec<String>,
    /// How many bytes of text it fetched from the host.
    pub fetched_bytes: u64,
    /// How many bytes of text it had the host count tokens of.
    pub counted_bytes: u64,
}

impl Applied {
    /// The document's text.
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// Whether the document is JSON.
    pub fn is_json(&self) -> bool {
        self.document.kind() == tamis_document::Kind::Json
    }
}

impl<F: Filter> Bench<F> {
    /// The filter with settings, given as JSON.
    ///
    /// # Panics
    ///
    /// If the filter refuses them; [`Bench::refusal`] is for tests of that.
    pub fn new(settings: impl Display) -> Self {
        let filter = crate::guest::configure(&settings.to_string());
        Bench {
            filter: filter.unwrap_or_else(|error| panic!("settings {settings}: {error}")),
            call: Facts::default(),
            keeps: true,
            has_paths: true,
            session: None,
        }
    }

    /// What the filter says against settings; none if it takes them.
    pub fn refusal(settings: impl Display) -> Option<String> {
        crate::guest::configure::<F>(&settings.to_string()).err()
    }

    /// The name of the tool that was called.
    pub fn tool(mut self, tool: &str) -> Self {
        self.call.tool = tool.to_owned();
        self
    }

    /// The call's arguments, a JSON object.
    pub fn arguments(mut self, arguments: impl Display) -> Self {
        self.call.arguments = arguments.to_string();
        self
    }

    /// Where the document comes from.
    pub fn surface(mut self, surface: Surface) -> Self {
        surface.name().clone_into(&mut self.call.surface);
        self
    }

    /// Which part of the result the document is, and the block's index.
    pub fn part(mut self, part: crate::Part, index: u32) -> Self {
        part.name().clone_into(&mut self.call.part);
        self.call.index = index;
        self
    }

    /// Whether upstream marked the result as an error.
    pub fn is_error(mut self, is_error: bool) -> Self {
        self.call.is_error = is_error;
        self
    }

    /// What the document was when upstream sent it: JSON, unless this says otherwise.
    pub fn sent_as(mut self, kind: crate::Kind) -> Self {
        self.call.sent_as = kind;
        self
    }

    /// Whether originals are kept: they are, unless this says no.
    pub fn keeps(mut self, keeps: bool) -> Self {
        self.keeps = keeps;
        self
    }

    /// As where no file on the filter's machine holds what is kept: it has no path.
    pub fn without_paths(mut self) -> Self {
        self.has_paths = false;
        self
    }

    /// With one session for all documents: what the filter sets for one is there for the next.
    pub fn in_one_session(mut self) -> Self {
        self.session = Some(RefCell::default());
        self
    }

    /// What the filter gives as its legend.
    pub fn legend(&self) -> Option<String> {
        self.filter.legend()
    }

    /// What the filter names as its triggers.
    pub fn triggers(&self) -> Vec<String> {
        self.filter.triggers()
    }

    /// Filters one document, which is JSON if it is a JSON object or array, as in a text block, and
    /// carries the verdict out. The rule that a document must not grow is not applied.
    ///
    /// # Panics
    ///
    /// If the filter fails, if what it answers cannot be carried out, or if it changes a document
    /// that has none of its triggers.
    pub fn apply(&self, text: &str) -> Applied {
        self.try_apply(text)
            .unwrap_or_else(|error| panic!("{error} on {text:?}"))
    }

    /// As [`Bench::apply`], with a filter's own error as an error.
    ///
    /// # Panics
    ///
    /// As [`Bench::apply`], but for the filter's own error.
    pub fn try_apply(&self, text: &str) -> Result<Applied, String> {
        let before = Whole::detect(text);
        let host = Host {
            document: Some(before.clone()),
            call: self.call.clone(),
            keeps: self.keeps,
            has_paths: self.has_paths,
            session: self.session.as_ref().map(RefCell::take).unwrap_or_default(),
            ..Host::default()
        };
        let (verdict, host) = host::serve(host, || {
            self.filter.apply(&Document::current(), &Call::current())
        });
        if let Some(session) = &self.session {
            session.replace(host.session);
        }
        let document = carry_out(&before, verdict?).unwrap_or_else(|error| {
            panic!("the answer cannot be carried out: {error} on {text:?}")
        });
        let changed = document.text() != before.text();
        let triggers = self.triggers();
        let triggered = triggers.is_empty() || triggers.iter().any(|it| text.contains(it.as_str()));
        assert!(
            triggered || !changed,
            "changed a document that holds none of its triggers {triggers:?}: {text:?}"
        );
        Ok(Applied {
            document,
            changed,
            result_meta: host.result_meta,
            log: host.log,
            kept: host.kept,
            fetched_bytes: host.fetched_bytes,
            counted_bytes: host.counted_bytes,
        })
    }
}

fn carry_out(before: &Whole, verdict: Verdict) -> Result<Whole, String> {
    match verdict {
        Verdict::Unchanged => Ok(before.clone()),
        Verdict::Edited(edits) => before
            .edit(&edits.operations, &edits.text, TapeWanted::No)
            .map_err(|error| error.to_string()),
        Verdict::Spliced(splices) => before
            .splice(&splices.ranges, &splices.text)
            .map_err(|error| error.to_string()),
        Verdict::Rewritten(rewrite) => match rewrite.kind {
            crate::Kind::Text => Ok(Whole::text_only(rewrite.text)),
            crate::Kind::Json => Whole::json(rewrite.text).map_err(|error| error.to_string()),
        },
    }
}
