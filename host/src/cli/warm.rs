//! Makes a policy's filters ready before the first server needs them.

use super::lookup;
use super::output;
use super::policy::{self, SandboxArguments};
use anyhow::Result;
use std::path::Path;

/// Compiles the filters of the policy that servers will run with: the named one, else the one that a server
/// started here would find. An error is only a warning: each server tries again when it starts.
pub(super) fn warm(config: Option<&Path>) {
    if let Err(error) = compile(config) {
        output::tell(format_args!(
            "tamis: warning: the filters are not compiled ahead: {error:#}"
        ));
    }
}

fn compile(config: Option<&Path>) -> Result<()> {
    let policy = lookup::policy(config)?;
    let sandbox = SandboxArguments::default().open()?;
    policy::load_watched(policy, &sandbox).map(drop)
}
