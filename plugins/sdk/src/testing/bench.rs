//! A test bench for one filter, or for one function: settings, a call, documents in and out.

use super::host::{self, Facts, Host};
use crate::{Call, Description, Document, Filter, Surface, Verdict};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use tamis_document::{Document as Whole, TapeWanted};

/// A filter with its settings, and the call that its documents belong to.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Kind, Part, Surface, Verdict, keep_original, rewritten_text, testing::Bench};
///
/// // A filter of its own type has settings: `Bench::<MyFilter>::new(settings)`.
/// let bench = Bench::of(|_document, call| {
///     let path = keep_original("").and_then(|kept| kept.path);
///     let path = path.unwrap_or("no file".to_owned());
///     let (surface, part) = (call.surface_name(), call.part_name());
///     let sent_as = if call.sent_as() == Kind::Json { "JSON" } else { "text" };
///     Ok(rewritten_text(format!(
///         "{} {} {surface} {part} {} {} {sent_as} {path}",
///         call.tool(), call.arguments(), call.index(), call.is_error()
///     )))
/// });
/// assert_eq!(
///     bench.apply("[]").text(),
///     "tool {} result content 0 false JSON /originals/abcdefghij234567.json"
/// );
///
/// let bench = bench
///     .tool("search")
///     .arguments(r#"{"limit":3}"#)
///     .surface(Surface::History)
///     .part(Part::Content, 2)
///     .is_error(true)
///     .sent_as(Kind::Text)
///     .without_paths();
/// assert_eq!(
///     bench.apply("[]").text(),
///     r#"search {"limit":3} history content 2 true text no file"#
/// );
/// ```
pub struct Bench<F> {
    filter: F,
    call: Facts,
    keeps: bool,
    has_paths: bool,
    session: Option<RefCell<BTreeMap<String, String>>>,
}

/// The result of filtering a document.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Level, keep_original, log, rewritten_text, set_result_meta, testing::Bench, tokens};
///
/// let bench = Bench::of(|document, _call| {
///     keep_original("page");
///     log(Level::Info, "cut");
///     let shown = document.slice(0, 11).into_owned();
///     set_result_meta("com.example/tokens", &tokens(&shown).to_string())?;
///     Ok(rewritten_text(shown))
/// });
/// let applied = bench.apply("hello world, and more");
/// assert_eq!((applied.text(), applied.is_json()), ("hello world", false));
/// assert!(applied.changed);
/// assert_eq!(applied.result_meta, [("com.example/tokens".to_owned(), "2".to_owned())]);
/// assert_eq!((applied.log, applied.kept), (vec!["info: cut".to_owned()], vec!["page".to_owned()]));
/// assert_eq!((applied.fetched_bytes, applied.counted_bytes), (11, 11));
/// ```
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
    ///
    /// [Example](Applied#examples).
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// Whether the document is JSON.
    ///
    /// [Example](Applied#examples).
    pub fn is_json(&self) -> bool {
        self.document.kind() == tamis_document::Kind::Json
    }
}

/// A function as a filter without settings: see [`Bench::of`].
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Call, Document, Verdict, rewritten_text, testing::{Bench, Function}};
///
/// fn shout(document: &Document, _call: &Call) -> Result<Verdict, String> {
///     Ok(rewritten_text(document.text().to_uppercase()))
/// }
///
/// type Shout = fn(&Document, &Call) -> Result<Verdict, String>;
/// let bench: Bench<Function<Shout>> = Bench::of(shout as Shout);
/// assert_eq!(bench.apply("ok").text(), "OK");
/// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::{Document, rewritten_text, testing::Bench};
    ///
    /// /// The part of a filter that is tested alone.
    /// fn title(document: &Document) -> Option<String> {
    ///     let key = document.keys_named("title").next()?;
    ///     Some(document.string(key.following()?)?.into_owned())
    /// }
    ///
    /// let bench = Bench::of(|document, _call| {
    ///     Ok(rewritten_text(title(document).ok_or("it has no title")?))
    /// });
    /// assert_eq!(bench.apply(r#"{"issue":{"title":"a bug"}}"#).text(), "a bug");
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// # use tamis_sdk::{Call, Description, Document, Filter, Verdict, rewritten_text};
    /// # struct Head(u32);
    /// # #[derive(serde::Deserialize)]
    /// # struct Settings { bytes: u32 }
    /// # impl Filter for Head {
    /// #     type Settings = Settings;
    /// #     fn describe() -> Description {
    /// #         Description::new("head", "1.0.0", "shows the first bytes")
    /// #     }
    /// #     fn configure(settings: Settings) -> Result<Self, String> {
    /// #         if settings.bytes == 0 {
    /// #             return Err("`bytes` is 0: allowed are 1 and more".to_owned());
    /// #         }
    /// #         Ok(Head(settings.bytes))
    /// #     }
    /// #     fn triggers(&self) -> Vec<String> {
    /// #         vec!["log".to_owned()]
    /// #     }
    /// #     fn legend(&self) -> Option<String> {
    /// #         Some(format!("Only the first {} bytes are shown.", self.0))
    /// #     }
    /// #     fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
    /// #         Ok(rewritten_text(document.slice(0, self.0).into_owned()))
    /// #     }
    /// # }
    /// use tamis_sdk::testing::Bench;
    ///
    /// // A filter that shows the first bytes of a log:
    /// let bench = Bench::<Head>::new(r#"{"bytes":3}"#);
    /// assert_eq!(bench.apply("log of a build").text(), "log");
    /// assert_eq!(bench.triggers(), ["log"]);
    /// assert_eq!(bench.legend().as_deref(), Some("Only the first 3 bytes are shown."));
    ///
    /// let refusal = Bench::<Head>::refusal(r#"{"bytes":0}"#);
    /// assert_eq!(refusal.as_deref(), Some("`bytes` is 0: allowed are 1 and more"));
    /// assert_eq!(Bench::<Head>::refusal(r#"{"bytes":1}"#), None);
    /// # assert!(std::panic::catch_unwind(|| Bench::<Head>::new(r#"{"bytes":0}"#)).is_err());
    /// # assert!(std::panic::catch_unwind(move || bench.apply("no trigger")).is_err());
    /// ```
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
    ///
    /// [Example](Bench::new).
    pub fn refusal(settings: impl Display) -> Option<String> {
        crate::guest::configure::<F>(&settings.to_string()).err()
    }

    /// Sets the name of the called tool.
    ///
    /// [Example](Bench#examples).
    pub fn tool(mut self, tool: &str) -> Self {
        self.call.tool = tool.to_owned();
        self
    }

    /// Sets the call's arguments, a JSON object.
    ///
    /// [Example](Bench#examples).
    pub fn arguments(mut self, arguments: impl Display) -> Self {
        self.call.arguments = arguments.to_string();
        self
    }

    /// Sets the source of the document.
    ///
    /// [Example](Bench#examples).
    pub fn surface(mut self, surface: Surface) -> Self {
        surface.name().clone_into(&mut self.call.surface);
        self
    }

    /// Sets the part of the result that the document is, and the block's index.
    ///
    /// [Example](Bench#examples).
    pub fn part(mut self, part: crate::Part, index: u32) -> Self {
        part.name().clone_into(&mut self.call.part);
        self.call.index = index;
        self
    }

    /// Sets whether upstream marked the result as an error.
    ///
    /// [Example](Bench#examples).
    pub fn is_error(mut self, is_error: bool) -> Self {
        self.call.is_error = is_error;
        self
    }

    /// Sets the kind of the document when upstream sent it. Default: JSON.
    ///
    /// [Example](Bench#examples).
    pub fn sent_as(mut self, kind: crate::Kind) -> Self {
        self.call.sent_as = kind;
        self
    }

    /// Sets whether originals are stored. Default: yes.
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::{Verdict, keep_original, rewritten_text, testing::Bench};
    ///
    /// let bench = Bench::of(|_document, _call| match keep_original("") {
    ///     Some(kept) => Ok(rewritten_text(kept.call)),
    ///     None => Ok(Verdict::Unchanged),
    /// });
    /// assert!(bench.apply("a long text").changed);
    /// assert!(!bench.keeps(false).apply("a long text").changed);
    /// ```
    pub fn keeps(mut self, keeps: bool) -> Self {
        self.keeps = keeps;
        self
    }

    /// Stores originals without a path, as on a host where no file has them.
    ///
    /// [Example](Bench#examples).
    pub fn without_paths(mut self) -> Self {
        self.has_paths = false;
        self
    }

    /// Uses one session for all documents, so that later ones see the values of earlier ones.
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::{Verdict, session_value, set_session_value, testing::Bench};
    ///
    /// let bench = Bench::of(|_document, _call| {
    ///     let seen = session_value("seen").unwrap_or("nothing".to_owned());
    ///     set_session_value("seen", "a document")?;
    ///     Ok(tamis_sdk::rewritten_text(seen))
    /// });
    /// assert_eq!(bench.apply("one").text(), "nothing");
    /// assert_eq!(bench.apply("two").text(), "nothing");
    ///
    /// let bench = bench.in_one_session();
    /// assert_eq!(bench.apply("one").text(), "nothing");
    /// assert_eq!(bench.apply("two").text(), "a document");
    /// ```
    pub fn in_one_session(mut self) -> Self {
        self.session = Some(RefCell::default());
        self
    }

    /// The filter's legend.
    ///
    /// [Example](Bench::new).
    pub fn legend(&self) -> Option<String> {
        self.filter.legend()
    }

    /// The filter's triggers.
    ///
    /// [Example](Bench::new).
    pub fn triggers(&self) -> Vec<String> {
        self.filter.triggers()
    }

    /// Bytes of the shortest text that the filter changes.
    ///
    /// [Example](Filter::least_bytes).
    pub fn least_bytes(&self) -> u32 {
        self.filter.least_bytes()
    }

    /// Filters one document and applies the verdict. As in a text block, the document is JSON if it is a JSON object or
    /// array. The document may grow.
    ///
    /// [Example](Bench::new).
    ///
    /// # Panics
    ///
    /// If the filter fails, if its answer cannot be applied, or if it changes a document without any of its triggers or of
    /// fewer than its least bytes.
    pub fn apply(&self, text: &str) -> Applied {
        self.try_apply(text)
            .unwrap_or_else(|error| panic!("{error} on {text:?}"))
    }

    /// Filters one document like [`Bench::apply`], but returns a filter's own error.
    ///
    /// # Panics
    ///
    /// As [`Bench::apply`], except for the filter's own error.
    ///
    /// # Examples
    ///
    /// ```
    /// use tamis_sdk::{Verdict, testing::Bench};
    ///
    /// let bench = Bench::of(|document, _call| {
    ///     document.root().ok_or("the document is a text")?;
    ///     Ok(Verdict::Unchanged)
    /// });
    /// assert_eq!(bench.try_apply("text").unwrap_err(), "the document is a text");
    /// assert_eq!(bench.try_apply("[]").expect("JSON").text(), "[]");
    /// ```
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
        let least = self.least_bytes() as usize;
        assert!(
            !changed || text.len() >= least,
            "changed a document of fewer than {least} bytes: {text:?}"
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
