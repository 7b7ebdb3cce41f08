//! The chains that get every message of a server whole (`on = ["*"]`), before any other chain.

use super::{Chain, Chains, Emission, Receipt, Run};
use crate::document::{Document, Kind, NodeKind};
use crate::policy::{Fit, Piece, Surface};
use crate::sandbox::{CallInfo, Originals, SessionView};
use std::sync::Arc;

/// The outcome of these chains for a message.
#[derive(Debug)]
pub struct Redaction {
    pub emission: Emission,
    /// The reason, if the message is withheld.
    pub why: Unsent,
    /// The index in the policy and the steps' receipts of each chain that ran.
    pub receipts: Vec<(usize, Vec<Receipt>)>,
    /// The session's values, with the new ones; they count when the caller commits them.
    pub session: SessionView,
}

/// Why a message is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsent {
    /// A step that blocks failed.
    StepFailed,
    /// No filter can be given the message.
    Unreadable,
    /// A chain leaves no message.
    NoMessage,
}

impl Chains {
    /// Whether a chain gets every message of a server.
    pub fn redacts_messages(&self, server: &str) -> bool {
        self.for_messages(server).next().is_some()
    }

    /// Whether a chain gets arguments of calls.
    pub fn get_arguments(&self) -> bool {
        let mut specs = self.policy.chains.iter();
        specs.any(|spec| spec.binding.on.contains(&Surface::Arguments))
    }

    /// Whether these chains use values that they set for earlier messages of the session.
    pub fn number_in_messages(&self, server: &str) -> bool {
        self.for_messages(server)
            .any(|(_, chain)| chain.uses_session())
    }

    fn for_messages(&self, server: &str) -> impl Iterator<Item = (usize, &Arc<Chain>)> {
        let piece = Piece::of_message(server);
        let specs = self.policy.chains.iter().enumerate();
        let bound = specs.filter(move |(_, spec)| spec.binding.fit(&piece) != Fit::No);
        bound.map(|(index, _)| (index, &self.chains[index]))
    }

    /// Runs these chains on a message, or on a text in place of one. They store no original: nobody can
    /// read the removed content.
    ///
    /// A JSON message is withheld if a chain leaves no JSON of its kind: it would be no message any more.
    pub fn redact(&self, message: &Document, call: &CallInfo<'_>) -> Redaction {
        self.redact_with(call, |chain, before, call| {
            let document = before.unwrap_or(message);
            let mut run = chain.run(document, call, &Originals::none());
            if let Emission::Changed(new) = &run.emission
                && kind(message).is_some()
                && kind(new) != kind(message)
            {
                tracing::warn!(
                    chain = chain.name,
                    "a message is withheld: the chain leaves no JSON of its kind"
                );
                run.emission = Emission::Withheld;
            }
            run
        })
    }

    /// The outcome for a message that no filter can get (`why`: for example, it is not Unicode).
    pub fn redact_unreadable(&self, why: &str, call: &CallInfo<'_>) -> Redaction {
        let redaction = self.redact_with(call, |chain, _, call| {
            chain.run_unreadable(why, call.session.unwrap_or(&SessionView::default()))
        });
        Redaction {
            why: Unsent::Unreadable,
            ..redaction
        }
    }

    fn redact_with(
        &self,
        call: &CallInfo<'_>,
        run: impl Fn(&Chain, Option<&Document>, &CallInfo<'_>) -> Run,
    ) -> Redaction {
        let mut redaction = Redaction {
            emission: Emission::Unchanged,
            why: Unsent::StepFailed,
            receipts: Vec::new(),
            session: call.session.cloned().unwrap_or_default(),
        };
        for (index, chain) in self.for_messages(call.server) {
            let before = match &redaction.emission {
                Emission::Changed(document) => Some(document),
                _ => None,
            };
            let call = CallInfo {
                session: Some(&redaction.session),
                ..*call
            };
            let run = run(chain, before, &call);
            let has_failed = run.receipts.iter().any(|receipt| receipt.withheld);
            redaction.receipts.push((index, run.receipts));
            redaction.session = run.session;
            match run.emission {
                Emission::Unchanged => {}
                Emission::Changed(document) => redaction.emission = Emission::Changed(document),
                Emission::Withheld => {
                    if !has_failed {
                        redaction.why = Unsent::NoMessage;
                    }
                    redaction.emission = Emission::Withheld;
                    break;
                }
            }
        }
        redaction
    }
}

/// The kind of a document's root; none for a text.
fn kind(document: &Document) -> Option<NodeKind> {
    let tape = document.tape().filter(|_| document.kind() == Kind::Json);
    tape.map(|tape| tape.root().kind)
}
