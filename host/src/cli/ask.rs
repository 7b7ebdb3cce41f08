//! Questions to the person at the terminal.

use crate::printable;
use anyhow::{Context, Result, bail};
use std::io::{IsTerminal, Write};

/// Asks the user; only a plain yes counts as one. `answered`: `--yes` was given, so nobody is asked.
///
/// # Errors
///
/// No terminal exists to ask at.
pub(super) fn confirm(question: &str, answered: bool) -> Result<bool> {
    if answered {
        return Ok(true);
    }
    let stdin = std::io::stdin();
    if !stdin.is_terminal() || !std::io::stderr().is_terminal() {
        bail!("no terminal to ask (\"{question}\"): pass --yes to answer yes");
    }
    // The question may contain texts of others, such as servers of a project.
    let mut stderr = std::io::stderr();
    write!(stderr, "{} [y/N] ", printable::line(question)).context("ask")?;
    stderr.flush().context("ask")?;
    let mut answer = String::new();
    stdin.read_line(&mut answer).context("read the answer")?;
    Ok(matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}
