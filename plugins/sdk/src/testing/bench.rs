//! A test bench for one filter, or for one function: settings, a call, documents in and out.

use super::host::{self, Facts, Host};
use crate::{Call, Description, Document, Filter, Surface, Verdict};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use tamis_document::{Document as Whole, TapeWanted};

/// A filter with its settings, and the call that its documents belong to.
pub struct Bench<F> {
    filter: F,
    call: Facts,
    keeps: bool,
    has_paths: bool,
    session: Option<RefCell<BTreeMap<String, String>>>,
}

/// The result of filtering a document.
#[derive(Debug)]
pub struct Applied {
    document: Whole,
    /// False if the filter left the document unchanged.
    pub changed: bool,
    /// Members that the filter set in the result's `_meta`: key and JSON.
    pub result_meta: Vec<(String, String)>,
    /// Messages that it logged: `level: message`.
    pub log: Vec<String>,
    /// Prefixes of the originals that it stored.
    pub kept: Vec<String>,
    /// Bytes of text that it fetched from the host.
    pub fetched_bytes: u64,
    /// Bytes of text whose tokens it asked the host to count.
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

/// A function as a filter without settings: see [`Bench::of`].
pub struct Function<A>(A);

impl<A> Filter for Function<A>
where
    A: Fn(&Document, &Call) -> Result<Verdict, String> + 'static,
{
    type Settings = serde::de::IgnoredAny;

    fn describe() -> Description {
        Description::new("function", "0.0.0", "calls a function")
    }

    fn configure(_settings: Self::Settings) -> Result<Self, String> {
        Err("a function has no settings".to_owned())
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        (self.0)(document, call)
    }
}

impl<A> Bench<Function<A>>
where
    A: Fn(&Document, &Call) -> Result<Verdict, String> + 'static,
{
    /// Makes a bench for one function, without settings: for a part of a filter that takes a document or asks the host.
    pub fn of(apply: A) -> Self {
        Bench::with_filter(Function(apply))
    }
}

impl<F: Filter> Bench<F> {
    /// Makes a bench for a filter with settings, given as JSON.
    ///
    /// # Panics
    ///
    /// If the filter refuses the settings. To test that, use [`Bench::refusal`].
    pub fn new(settings: impl Display) -> Self {
        let filter = crate::guest::configure(&settings.to_string());
        Bench::with_filter(filter.unwrap_or_else(|error| panic!("settings {settings}: {error}")))
    }

    fn with_filter(filter: F) -> Self {
        Bench {
            filter,
            call: Facts::default(),
            keeps: true,
            has_paths: true,
            session: None,
        }
    }

    /// The filter's error about settings; none if it accepts them.
    pub fn refusal(settings: impl Display) -> Option<String> {
        crate::guest::configure::<F>(&settings.to_string()).err()
    }

    /// Sets the name of the called tool.
    pub fn tool(mut self, tool: &str) -> Self {
        self.call.tool = tool.to_owned();
        self
    }

    /// Sets the call's arguments, a JSON object.
    pub fn arguments(mut self, arguments: impl Display) -> Self {
        self.call.arguments = arguments.to_string();
        self
    }

    /// Sets the source of the document.
    pub fn surface(mut self, surface: Surface) -> Self {
        surface.name().clone_into(&mut self.call.surface);
        self
    }

    /// Sets the part of the result that the document is, and the block's index.
    pub fn part(mut self, part: crate::Part, index: u32) -> Self {
        part.name().clone_into(&mut self.call.part);
        self.call.index = index;
        self
    }

    /// Sets whether upstream marked the result as an error.
    pub fn is_error(mut self, is_error: bool) -> Self {
        self.call.is_error = is_error;
        self
    }

    /// Sets the kind of the document when upstream sent it. Default: JSON.
    pub fn sent_as(mut self, kind: crate::Kind) -> Self {
        self.call.sent_as = kind;
        self
    }

    /// Sets whether originals are stored. Default: yes.
    pub fn keeps(mut self, keeps: bool) -> Self {
        self.keeps = keeps;
        self
    }

    /// Stores originals without a path, as on a host where no file has them.
    pub fn without_paths(mut self) -> Self {
        self.has_paths = false;
        self
    }

    /// Uses one session for all documents, so that later ones see the values of earlier ones.
    pub fn in_one_session(mut self) -> Self {
        self.session = Some(RefCell::default());
        self
    }

    /// The filter's legend.
    pub fn legend(&self) -> Option<String> {
        self.filter.legend()
    }

    /// The filter's triggers.
    pub fn triggers(&self) -> Vec<String> {
        self.filter.triggers()
    }

    /// Filters one document and applies the verdict. As in a text block, the document is JSON if it is a JSON object or
    /// array. The document may grow.
    ///
    /// # Panics
    ///
    /// If the filter fails, if its answer cannot be applied, or if it changes a document without any of its triggers.
    pub fn apply(&self, text: &str) -> Applied {
        self.try_apply(text)
            .unwrap_or_else(|error| panic!("{error} on {text:?}"))
    }

    /// Filters one document like [`Bench::apply`], but returns a filter's own error.
    ///
    /// # Panics
    ///
    /// As [`Bench::apply`], except for the filter's own error.
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
