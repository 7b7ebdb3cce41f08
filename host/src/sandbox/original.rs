//! The unfiltered result, for a filter: storing it, and learning its names.

use std::sync::Arc;

/// Longest prefix of a file name that a filter may ask for, in bytes.
const PREFIX_BYTES: usize = 64;

/// The names of a stored original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOriginal {
    /// Its reference.
    pub reference: String,
    /// The call that reads the original.
    pub call: String,
    /// Absolute path of the file that contains the original, if a file on this machine does.
    pub path: Option<String>,
    /// The part that the call reads as it is: the only one with a text or a value. Other parts must be named.
    pub only_part: Option<String>,
    /// The document is all of the original, although this looks like a result: its part is `result`.
    pub is_all: bool,
}

impl StoredOriginal {
    /// The call that reads this part.
    pub(super) fn call_for(&self, part: &str) -> String {
        if self.only_part.as_deref() == Some(part) {
            return self.call.clone();
        }
        let part = if self.is_all { "result" } else { part };
        // A call of the tool, or of the program in a shell.
        let ends = ["}", "}'"];
        let end = ends.into_iter().find(|end| self.call.ends_with(end));
        let Some(end) = end else {
            return self.call.clone();
        };
        let open = self.call.strip_suffix(end).unwrap_or(&self.call);
        format!(r#"{open},"part":"{part}"{end}"#)
    }
}

/// Whether a named original is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storing {
    /// Before its name is given out.
    Now,
    /// Never: the filter's output is discarded.
    Not,
}

/// Why an original is not stored, so that nothing may be cut from it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotKept {
    /// For the operator.
    #[error("{0}")]
    Failed(String),
    /// The note on how to read the original takes more than the cut saves.
    #[error("the line that says how to get it back is longer than what was cut")]
    NotWorthIt,
}

type Keep = dyn Fn(&str, Storing) -> Result<Option<StoredOriginal>, NotKept> + Send + Sync;

/// The place for the original of the result that contains a document.
#[derive(Clone)]
pub struct Originals {
    keep: Arc<Keep>,
    storing: Storing,
}

impl Originals {
    /// `keep` takes the prefix of the file's name and stores the original; none if nothing is stored on purpose.
    pub fn new(
        keep: impl Fn(&str, Storing) -> Result<Option<StoredOriginal>, NotKept> + Send + Sync + 'static,
    ) -> Originals {
        Originals {
            keep: Arc::new(keep),
            storing: Storing::Now,
        }
    }

    /// Stores nothing, but lets filters cut.
    pub fn none() -> Originals {
        Originals::new(|_, _| Ok(None))
    }

    /// Lets filters cut nothing.
    pub fn not_worth_it() -> Originals {
        Originals::new(|_, _| Err(NotKept::NotWorthIt))
    }

    /// Names for originals, without storing any.
    pub fn names_only(&self) -> Originals {
        Originals {
            keep: Arc::clone(&self.keep),
            storing: Storing::Not,
        }
    }

    /// Stores the original. `prefix` begins the name of its file.
    ///
    /// # Errors
    ///
    /// The original is not stored, so nothing may be cut.
    pub fn keep(&self, prefix: &str) -> Result<Option<StoredOriginal>, NotKept> {
        (self.keep)(prefix, self.storing)
    }
}

/// Whether a file's name may begin like this.
pub(super) fn is_prefix(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    text.len() <= PREFIX_BYTES && text.bytes().all(plain)
}
