//! Why a server gave no answer, for the operator.

use super::super::child::StartError;
use std::time::Duration;

/// How many characters of a server's output are repeated.
const QUOTED: usize = 120;

/// Why no answer arrived.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("the server {ending} before it answered `{method}`{}; what it wrote to standard error is above", wrote(.noise))]
    Ended {
        method: &'static str,
        ending: String,
        noise: Option<String>,
    },
    #[error("the server closed its output before it answered `{method}`{}", wrote(.noise))]
    Closed {
        method: &'static str,
        noise: Option<String>,
    },
    #[error("the server did not answer `{method}` within {} s (--timeout){}", .patience.as_secs(), wrote(.noise))]
    Silent {
        method: &'static str,
        patience: Duration,
        noise: Option<String>,
    },
    #[error("the server refuses `{method}`: {}", quoted(.message))]
    Refused {
        method: &'static str,
        message: String,
    },
    #[error("what the server answers to `{method}` is not what MCP has there")]
    Broken { method: &'static str },
    #[error("the server's list of tools has no end: each page names a next one")]
    Endless,
    #[error("the server's list has more than {most} tools")]
    TooMany { most: usize },
    #[error("start the server: no folder {}", crate::shell::word(.0))]
    NoFolder(std::path::PathBuf),
    #[error("interrupted")]
    Interrupted(i32),
}

/// The output of a program that is not an MCP server, or not only one.
fn wrote(noise: &Option<String>) -> String {
    noise.as_deref().map_or_else(String::new, |noise| {
        format!(
            "; its standard output begins with what is no MCP message: {}",
            quoted(noise)
        )
    })
}

/// Text of the server on one line of a terminal.
fn quoted(text: &str) -> String {
    let short: String = text.chars().take(QUOTED).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    crate::printable::line(&short) + more
}
