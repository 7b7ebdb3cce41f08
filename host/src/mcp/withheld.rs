//! The notices in place of content that the client must not see.
//!
//! Owns: their words. They are for the model: short, stable, without a cause. The operator finds the cause in the log.
//! Refuses to know: when content is withheld.

use crate::chain::Unsent;
use crate::json::tree::quote;

/// Why content is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Withheld {
    /// A step that blocks failed.
    Failed,
    /// No filter of the chain is given all of the content.
    Unchecked,
    /// A filter left something that is no message.
    NoMessage,
    /// The message belongs to no request that Tamis knows.
    Unbound,
    /// A fault in Tamis.
    Fault,
}

impl From<Unsent> for Withheld {
    fn from(why: Unsent) -> Withheld {
        match why {
            Unsent::StepFailed => Withheld::Failed,
            Unsent::Unreadable => Withheld::Unchecked,
            Unsent::NoMessage => Withheld::NoMessage,
        }
    }
}

impl Withheld {
    /// The text in place of a result.
    pub(super) fn text(self) -> String {
        format!("[tamis] This result is withheld: {}", self.reason())
    }

    /// The message of the error in place of any other answer.
    pub(super) fn answer(self) -> String {
        format!("[tamis] This answer is withheld: {}", self.reason())
    }

    /// A tool's result (JSON) with the text.
    pub(super) fn result(self) -> String {
        let text = quote(&self.text());
        format!(r#"{{"content":[{{"type":"text","text":{text}}}],"isError":true}}"#)
    }

    fn reason(self) -> &'static str {
        match self {
            Withheld::Failed => {
                "a filter that it must pass through failed. The operator's log says why."
            }
            Withheld::Unchecked => {
                "it contains content that no filter of its chain can check. The operator's log says why."
            }
            Withheld::NoMessage => {
                "a filter left something that is no message. The operator's log says why."
            }
            Withheld::Unbound => "Tamis cannot tell which chain it must pass through.",
            Withheld::Fault => {
                "a fault in Tamis prevented its filtering. The operator's log says why."
            }
        }
    }
}
