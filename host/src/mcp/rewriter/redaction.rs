//! Redacts content that must not be seen: in messages of the server, and in arguments that would reach it.

use super::Rewriter;
use crate::chain::Emission;
use crate::document::Document;
use crate::lock::lock;
use crate::mcp::observe::{Account, Subject};
use crate::mcp::rewrite::Redacted;
use crate::mcp::sessions::CONNECTION;
use crate::mcp::shape::{self, Filtered};
use crate::policy::{Piece, Surface};
use crate::sandbox::{CallInfo, Originals, Part};
use crate::serving;
use std::time::Instant;

impl Rewriter {
    /// Why a call's arguments (raw JSON) must not reach the server: a chain would change them.
    pub(super) fn refuse_arguments(&self, tool: &str, arguments: Option<&[u8]>) -> Option<String> {
        let arguments = std::str::from_utf8(arguments.unwrap_or(b"{}"));
        let client = self.lasting.client();
        let piece = Piece {
            arguments: Some(arguments.unwrap_or_default()),
            ..self.piece(Surface::Arguments, tool, client.as_deref())
        };
        let chain = self.chains.find(&piece).filter(|chain| chain.has_steps())?;
        let document = arguments.ok().and_then(|text| Document::json(text).ok());
        let call = CallInfo {
            surface: Surface::Arguments,
            part: Part::Whole,
            ..CallInfo::of_result(&self.server, tool)
        };
        let emission =
            document.map(|document| chain.run(&document, &call, &Originals::none()).emission);
        let why = match emission {
            Some(Emission::Unchanged) => return None,
            Some(Emission::Changed(_)) => "they hold content that must not leave this machine",
            Some(Emission::Withheld) | None => "a filter that must check them could not",
        };
        let name = &chain.name;
        tracing::warn!(
            tool,
            chain = name,
            "a call is refused because of its arguments"
        );
        Some(format!(
            "[tamis] The call of `{tool}` is refused because of its arguments: {why}. The server did not get them."
        ))
    }

    /// A message of the server without the redacted content.
    pub(super) fn redacted(&self, message: &[u8]) -> Redacted {
        let begun = Instant::now();
        // Two messages at a time would each call its first value the first.
        let numbers = self.chains.number_in_messages(&self.server);
        let redacting = &self.lasting.redacting;
        let _turn = numbers.then(|| match redacting.try_lock() {
            Ok(turn) => turn,
            // The filters of another message run.
            Err(_) => serving::wait(|| lock(redacting)),
        });
        let session = self.lasting.sessions.values(CONNECTION).view();
        let call = CallInfo::of_message(&self.server, Some(&session));
        let redaction = shape::redact(&self.chains, &call, message);
        let time = begun.elapsed();
        let redacted = match redaction.emission {
            Emission::Unchanged => return Redacted::Unchanged,
            Emission::Changed(document) => {
                redaction.session.commit();
                Redacted::Changed(document.text().as_bytes().to_vec())
            }
            Emission::Withheld => Redacted::Withheld(redaction.why),
        };
        for (index, receipts) in redaction.receipts {
            let is_withheld = matches!(redacted, Redacted::Withheld(_));
            let filtered = Filtered::of_message(receipts, is_withheld);
            let Some(chain) = self.chains.get(index) else {
                continue;
            };
            let subject = Subject {
                server: &self.server,
                tool: "(message)",
                chain: &chain.name,
                client: self.lasting.client(),
                result: None,
            };
            self.observer
                .filtered(Account::new(subject, &filtered, time), None);
        }
        redacted
    }
}
