//! Which filters.toml a command uses, and its chains, loaded.

use crate::built_in;
use crate::chain::{self, Chains};
use crate::policy::{Policy, Report};
use crate::sandbox::{CacheDir, Sandbox};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct PolicyArguments {
    /// The policy. Default: `tamis/filters.toml` in the user's configuration directory. A
    /// filters.toml in the current directory is not used unless it is named.
    #[arg(long, short, env = "TAMIS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Compile filters anew, and keep no compiled code.
    #[arg(long)]
    no_cache: bool,
}

impl PolicyArguments {
    /// Reads, checks and loads the policy. Warnings go to standard error.
    pub(super) fn load(&self) -> Result<Chains> {
        let path = match &self.config {
            Some(path) => path.clone(),
            None => default_path()?,
        };
        let policy = Policy::load(&path, &built_in::names())?;
        warn(&path, &policy);
        let sandbox = self.sandbox()?;
        chain::load(policy, &sandbox)
    }

    fn sandbox(&self) -> Result<Sandbox> {
        let cache = if self.no_cache {
            None
        } else {
            CacheDir::from_environment()
        };
        let has_cache = cache.is_some();
        Sandbox::new(cache).or_else(|error| {
            if !has_cache {
                return Err(error);
            }
            // A proxy that starts slowly is better than none.
            tracing::warn!("compiled filters are not kept: {error:#}");
            Sandbox::new(None)
        })
    }
}

fn default_path() -> Result<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let Some(directory) =
        variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))
    else {
        bail!("name the policy with --config FILE: there is no home directory to look in");
    };
    let path = directory.join("tamis/filters.toml");
    if !path.exists() {
        bail!(
            "there is no policy at {}: create it, or name one with --config FILE",
            path.display()
        );
    }
    Ok(path)
}

fn warn(path: &Path, policy: &Policy) {
    if policy.warnings.is_empty() {
        return;
    }
    let report = Report::new(policy.source.clone(), policy.warnings.clone());
    tracing::warn!("{} has findings:\n{report}", path.display());
}

/// Reads a file, or standard input for `-` and nothing.
pub(super) fn read_input(path: Option<&Path>) -> Result<Vec<u8>> {
    use std::io::Read;
    match path.filter(|path| *path != Path::new("-")) {
        Some(path) => std::fs::read(path).with_context(|| format!("read {}", path.display())),
        None => {
            let mut input = Vec::new();
            std::io::stdin()
                .read_to_end(&mut input)
                .context("read standard input")?;
            Ok(input)
        }
    }
}
