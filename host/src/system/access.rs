//! Who may read a new file.

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Its owner alone. On Windows: who may read the folder that it is in, see `owners`.
    Owner,
    /// Everybody; its owner alone may write to it.
    All,
}
