//! Texts that do not come over MCP: a chain on each, with the original stored.

use crate::chain::{Chain, Chains, Emission};
use crate::document::Document;
use crate::mcp::observe::log;
use crate::mcp::read_tool;
use crate::mcp::shape::{self, CallContext, Keep, OutputSchema};
use crate::mcp::shown::ClientDisplay;
use crate::policy::{Piece, ResultFacts, Structured, Surface};
use crate::sandbox::{CallInfo, NotKept, SessionValues, StoredOriginal, Storing};
use crate::store::Store;
use std::borrow::Cow;
use std::env;
use std::sync::Arc;
use std::time::Instant;

/// Filters texts that tools said.
pub(super) struct Outside<'a> {
    chains: &'a Chains,
    surface: Surface,
    keep: Keep,
    session: SessionValues,
}

/// The origin of a text.
pub(super) struct Origin<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    /// A JSON object.
    pub(super) arguments: &'a str,
}

impl<'a> Outside<'a> {
    /// Through the chains that are bound to this kind of output.
    pub(super) fn new(chains: &'a Chains, surface: Surface) -> Outside<'a> {
        let store = chains.may_cut().then(super::store::open).flatten();
        Outside {
            chains,
            surface,
            keep: keep(store),
            session: SessionValues::default(),
        }
    }

    /// With the filters' earlier values of the session.
    pub(super) fn with_session(self, session: SessionValues) -> Outside<'a> {
        Outside { session, ..self }
    }

    /// The chain of a tool's text.
    pub(super) fn chain(&self, origin: &Origin<'_>, text: &str) -> Option<&'a Arc<Chain>> {
        self.chains.find(&Piece {
            server: Some(origin.server),
            arguments: Some(origin.arguments),
            client: Some(""),
            result: Some(ResultFacts::of_text(text)),
            ..Piece::new(self.surface, origin.tool)
        })
    }

    /// Whether chains get every text of a server, of any tool.
    pub(super) fn redacts(&self, server: &str) -> bool {
        self.chains.redacts_messages(server)
    }

    /// A text (or JSON) after the chains that get every one. None: it is withheld.
    pub(super) fn redact<'t>(&self, origin: &Origin<'_>, text: &'t str) -> Option<Cow<'t, str>> {
        if !self.redacts(origin.server) {
            return Some(Cow::Borrowed(text));
        }
        let session = self.session.view();
        let call = CallInfo::of_message(origin.server, Some(&session));
        let redaction = self.chains.redact(&Document::detect(text), &call);
        match redaction.emission {
            Emission::Unchanged => Some(Cow::Borrowed(text)),
            Emission::Withheld => None,
            Emission::Changed(document) => {
                redaction.session.commit();
                Some(Cow::Owned(document.text().to_string()))
            }
        }
    }

    /// The output of a chain for a text; none if it stays unchanged.
    pub(super) fn filter(&self, chain: &Chain, origin: &Origin<'_>, text: &str) -> Option<String> {
        let session = self.session.view();
        let call = CallContext {
            server: origin.server,
            surface: self.surface,
            name: origin.tool,
            arguments: origin.arguments,
            session: Some(&session),
            structured: Structured::Keep,
            schema: OutputSchema::Unknown,
            enforces_audience: false,
            view: ClientDisplay::default(),
            keep: Arc::clone(&self.keep),
        };
        let begun = Instant::now();
        let filtered = shape::filter_lone_text(chain, &call, text);
        let time = begun.elapsed();
        log::text(origin.server, origin.tool, &chain.name, &filtered, time);
        filtered.result
    }

    /// Stores a text. Returns the call that reads it; none if it cannot be stored, which is logged.
    pub(super) fn keep(&self, text: &str) -> Option<String> {
        match (self.keep)(text.as_bytes(), "", Storing::Now) {
            Ok(kept) => Some(kept.call),
            Err(error) => {
                tracing::warn!("a text is shown whole, because Tamis cannot store it: {error}");
                None
            }
        }
    }
}

/// Stores originals. The model has no read tool here, but it may have a shell.
fn keep(store: Option<Store>) -> Keep {
    let program = program();
    Arc::new(move |text, prefix, storing| {
        let Some(store) = &store else {
            let why = "no store is available";
            return Err(NotKept::Failed(why.to_owned()));
        };
        read_tool::keep_in(store, text, prefix, storing, |reference, path| {
            StoredOriginal {
                reference: reference.to_string(),
                // Filters add arguments to it, as they do to a call of the read tool.
                call: format!(r#"{program} read '{{"ref":"{reference}"}}'"#),
                path: path.map(|path| path.display().to_string()),
                only_part: None,
                is_all: false,
            }
        })
    })
}

/// This program as a word in a shell: its name if PATH has it, else its path.
pub(super) fn program() -> String {
    shell_word(&program_name())
}

/// This program: its name if PATH has it, else its path.
pub(super) fn program_name() -> String {
    const NAME: &str = "tamis";
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|directory| directory.join(NAME).is_file()) {
        return NAME.to_owned();
    }
    let program = env::current_exe().ok();
    program.map_or_else(
        || NAME.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

/// A word that every shell reads as this text.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
