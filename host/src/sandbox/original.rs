//! What a filter may do with the unfiltered result: have it kept, and learn what it is called then.

use std::sync::Arc;

/// Longest prefix of a file name that a filter may ask for, in bytes.
const PREFIX_BYTES: usize = 64;

/// How an original that was kept is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its reference.
    pub reference: String,
    /// The call that reads it back.
    pub call: String,
    /// Absolute path of the file that holds it, if one on this machine does.
    pub path: Option<String>,
}

/// Whether what is named is to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storing {
    /// Before the name is given out.
    Now,
    /// Never: what the filter makes is thrown away.
    Not,
}

/// Why an original is not kept, so that nothing may be cut from it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotKept {
    /// For the operator.
    #[error("{0}")]
    Failed(String),
    /// Saying how to get it back takes more than cutting saves.
    #[error("the line that says how to get it back is longer than what was cut")]
    NotWorthIt,
}

type Keep = dyn Fn(&str, Storing) -> Result<Option<Kept>, NotKept> + Send + Sync;

/// Where the result that a document is part of can be kept.
#[derive(Clone)]
pub struct Originals {
    keep: Arc<Keep>,
    storing: Storing,
}

impl Originals {
    /// `keep` takes the prefix of the file's name and keeps the original; none where nothing is
    /// kept on purpose.
    pub fn new(
        keep: impl Fn(&str, Storing) -> Result<Option<Kept>, NotKept> + Send + Sync + 'static,
    ) -> Originals {
        Originals {
            keep: Arc::new(keep),
            storing: Storing::Now,
        }
    }

    /// Nothing is kept, and filters may cut all the same.
    pub fn none() -> Originals {
        Originals::new(|_, _| Ok(None))
    }

    /// Nothing may be cut.
    pub fn not_worth_it() -> Originals {
        Originals::new(|_, _| Err(NotKept::NotWorthIt))
    }

    /// The same names, with nothing kept.
    pub fn names_only(&self) -> Originals {
        Originals {
            keep: Arc::clone(&self.keep),
            storing: Storing::Not,
        }
    }

    /// Keeps the original. `prefix` begins the name of its file.
    ///
    /// # Errors
    ///
    /// It is not kept, so nothing may be cut.
    pub fn keep(&self, prefix: &str) -> Result<Option<Kept>, NotKept> {
        (self.keep)(prefix, self.storing)
    }
}

/// Whether a file's name may begin like this.
pub(super) fn is_prefix(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    text.len() <= PREFIX_BYTES && text.bytes().all(plain)
}
