//! How a server of a client's configuration is started, as its client starts it.

mod variables;

pub(super) use variables::{Unset, Variables};

use super::connect;
use crate::install::Details;
use crate::mcp::inquiry::Start;

/// The start of a server that the client starts. `line`: its command and arguments.
///
/// # Errors
///
/// The reason why it cannot be started, such as a variable that only the client knows.
pub(super) fn local(
    line: &[&str],
    details: &Details,
    variables: &Variables<'_>,
) -> Result<Start, String> {
    let words = line.iter().map(|word| variables.fill(word, Unset::Stays));
    let mut words: Vec<String> = words.collect::<Result<_, _>>()?;
    match words.first_mut() {
        Some(program) if !program.is_empty() => {
            if let Some(rest) = program.strip_prefix("~/") {
                *program = variables.home.join(rest).to_string_lossy().into_owned();
            }
        }
        _ => return Err("its command is empty".to_owned()),
    }
    let env = filled(&details.env, variables)?;
    let is_odd = |(name, value): &(String, String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    if env.iter().any(is_odd) || words.iter().any(|word| word.contains('\0')) {
        return Err("its command or a variable has a NUL character".to_owned());
    }
    let folder = match &details.folder {
        None => None,
        Some(folder) => Some(variables.folder.join(variables.fill(folder, Unset::Fails)?)),
    };
    Ok(Start {
        command: words.into_iter().map(Into::into).collect(),
        env,
        folder,
    })
}

/// The start of a program that connects to a server that is somewhere else.
///
/// # Errors
///
/// The reason why no connection is possible.
pub(super) fn remote(
    url: &str,
    headers: &[(String, String)],
    variables: &Variables<'_>,
) -> Result<Start, String> {
    let url = variables.fill(url, Unset::Fails)?;
    let headers = filled(headers, variables)?;
    let (command, env) =
        connect::command_to_ask(&url, &headers, false).map_err(|error| format!("{error:#}"))?;
    Ok(Start {
        command,
        env,
        folder: None,
    })
}

/// Names with their values filled in.
fn filled(
    pairs: &[(String, String)],
    variables: &Variables<'_>,
) -> Result<Vec<(String, String)>, String> {
    let filled =
        |(name, value): &(String, String)| Ok((name.clone(), variables.fill(value, Unset::Fails)?));
    pairs.iter().map(filled).collect()
}
