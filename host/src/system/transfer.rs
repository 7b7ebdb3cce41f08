//! The outcomes of reads and writes that can be cancelled.

/// The outcome of a read that can be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// The number of bytes read; zero is the end.
    Bytes(usize),
    /// The read was cancelled before any bytes arrived.
    CalledOff,
}

/// The outcome of a write that can be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// All bytes were written.
    All,
    /// The write was cancelled.
    CalledOff,
}
