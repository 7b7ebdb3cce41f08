//! The policy of a folder's project: trusted, absent, or not allowed.
//!
//! A project's filters.toml that was trusted once and changed redacts nothing any more. If the next policy took
//! its place, the model would see that content. So the project has no policy until its user decides
//! ([`Lapsed`]). Only this module finds that out, for all commands.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::change::{Change, listed};
use super::find::NAME;
use super::{Changed, Records, Standing, standing};
use crate::policy::{Policy, Report};
use crate::{printable, project, shell};

/// The filters.toml of a project, by how far it is trusted.
pub enum Found {
    /// No filters.toml, and none was trusted.
    Nothing,
    /// The file is unchanged since its user trusted it.
    Trusted {
        /// The parsed file.
        policy: Box<Policy>,
        /// A nearer file that was never trusted.
        passed_over: Option<PathBuf>,
    },
    /// Nobody trusted the file.
    Untrusted(PathBuf),
    /// The file was trusted, and is not now: nothing may be used in its place.
    Lapsed(Lapsed),
}

/// A project's filters.toml that was trusted once and has changed.
#[derive(Debug)]
pub struct Lapsed {
    /// The path of the file, even if it is missing.
    pub path: PathBuf,
    /// The differences.
    pub changes: Vec<Change>,
}

impl std::error::Error for Lapsed {}

impl fmt::Display for Lapsed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (changes, file) = (listed(&self.changes), shell::word(&self.path));
        write!(
            out,
            "this project's filters.toml changed after you trusted it ({}), so Tamis uses neither it nor another policy. To review and trust the change: tamis trust {file}. To use no policy for this project: tamis trust --revoke {file}",
            printable::line(&changes)
        )
    }
}

impl Lapsed {
    /// The text for the model in place of any result. It has no path of the machine and no text of the project.
    pub const TO_MODEL: &str = "[tamis] Withheld: the filters.toml of this project changed after its user trusted it, so Tamis passes nothing. Only the user can fix this: `tamis trust`, in a terminal in the project's folder, shows the changes and asks. Tell the user to do that, and to reconnect this MCP server afterwards.";
}

/// Finds the filters.toml of a folder's project. `folder` and `home` have no symbolic links in them;
/// `records`: none without a state directory; `own`: a file that is no project's.
///
/// # Errors
///
/// Its user trusted the file, and this Tamis cannot use it.
pub fn project_policy(
    folder: &Path,
    home: Option<&Path>,
    own: Option<&Path>,
    records: Option<&Result<Records>>,
    builtin: &[&str],
) -> Result<Found> {
    let mut untrusted = None;
    let of_project = project::folders(folder, home);
    for (above, folder) in folder.ancestors().enumerate() {
        let path = folder.join(NAME);
        if Some(&*path) == own {
            continue;
        }
        // A repository inside of a trusted project (a submodule, or one that somebody made there) is part of it.
        // Of strangers' files further up nothing is read.
        let was_trusted = || matches!(records, Some(Ok(records)) if records.has(&path));
        if above >= of_project.len() && !was_trusted() {
            continue;
        }
        let is_there = path.symlink_metadata().is_ok();
        let found = match records {
            None => Ok(Standing::Untrusted),
            Some(Ok(records)) => match standing(&path, records, builtin) {
                // Nothing says that this project was ever trusted.
                Err(_) if !is_there && !records.has(&path) => continue,
                found => found,
            },
            Some(Err(_)) if !is_there => continue,
            Some(Err(error)) => Err(anyhow::anyhow!("{error:#}")),
        };
        match found {
            Ok(Standing::Trusted(policy)) => {
                return Ok(Found::Trusted {
                    policy,
                    passed_over: untrusted,
                });
            }
            Ok(Standing::Changed(changes)) => return Ok(Found::Lapsed(Lapsed { path, changes })),
            Ok(Standing::Untrusted) if is_there => {
                untrusted.get_or_insert(path);
            }
            Ok(Standing::Untrusted) => {}
            // A trusted file that cannot be used is an error, as is a file that the user named.
            Err(error) if error.is::<Report>() => return Err(error),
            // It may have been.
            Err(error) => {
                let why = format!("Tamis cannot tell whether it is trusted: {error:#}");
                let changes = vec![Change::new(Changed::Policy, why)];
                return Ok(Found::Lapsed(Lapsed { path, changes }));
            }
        }
    }
    Ok(untrusted.map_or(Found::Nothing, Found::Untrusted))
}
