//! How a process ended.

use super::signals;
use std::fmt;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With this status.
    Status(u32),
    /// By this signal.
    #[cfg_attr(windows, expect(dead_code, reason = "no signal ends a process there"))]
    Signal(i32),
}

impl Ending {
    /// The exit code that shells report for this ending. Windows has statuses that are larger than a shell's: they
    /// become 1.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Ending::Status(status) => u8::try_from(status).unwrap_or(1),
            Ending::Signal(signal) => 128 + signal as u8,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Windows reports faults so.
            Ending::Status(status) if *status > 0xffff => {
                write!(out, "exited with status {status:#010x}")
            }
            Ending::Status(status) => write!(out, "exited with status {status}"),
            Ending::Signal(signal) => {
                write!(out, "was killed by signal {signal}")?;
                match signals::name(*signal) {
                    Some(name) => write!(out, " ({name})"),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_shown_as_its_system_shows_it_and_becomes_a_shells() {
        for (ending, shown, code) in [
            (Ending::Status(3), "exited with status 3", 3),
            (
                Ending::Status(0xc000_0005),
                "exited with status 0xc0000005",
                1,
            ),
        ] {
            assert_eq!(
                (ending.to_string().as_str(), ending.exit_code()),
                (shown, code)
            );
        }
        assert_eq!(Ending::Signal(9).exit_code(), 137);
    }
}
