//! Why a directory is not to be used.

use std::io;

/// Why a directory is not to be used.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// It is not safe: the problem and its fix.
    #[error("{0}")]
    Unsafe(String),
    /// The attempted operation ("create"), and the system's error.
    #[error("cannot {doing} it")]
    Io {
        /// The attempted operation, for example "create".
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

impl Unfit {
    /// Names the operation that failed.
    pub fn io(doing: &'static str) -> impl Fn(io::Error) -> Unfit {
        move |source| Unfit::Io { doing, source }
    }
}
