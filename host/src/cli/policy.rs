//! Which filters.toml a command uses, and its chains, loaded.

use crate::built_in;
use crate::chain::{self, Chains};
use crate::policy::{Policy, Report, Source};
use crate::sandbox::{CacheDir, Sandbox};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The policy where there is none.
const DEFAULT: &str = include_str!("default.toml");

#[derive(clap::Args)]
pub(super) struct PolicyArguments {
    /// The policy. Default: `tamis/filters.toml` in the user's configuration directory; without
    /// that file, a policy for all servers that is part of Tamis. A filters.toml in the current
    /// directory is not used unless it is named.
    #[arg(long, short, env = "TAMIS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Compile filters anew, and keep no compiled code.
    #[arg(long)]
    no_cache: bool,
}

impl PolicyArguments {
    /// Reads, checks and loads the policy. Warnings go to standard error.
    pub(super) fn load(&self) -> Result<Chains> {
        let policy = self.read()?;
        self.load_chains(policy)
    }

    /// Reads and checks the policy.
    pub(super) fn read(&self) -> Result<Policy> {
        Policy::parse(self.source(None)?, &built_in::names()).map_err(Into::into)
    }

    /// Loads the chains of a policy that was read. Warnings go to standard error.
    pub(super) fn load_chains(&self, policy: Policy) -> Result<Chains> {
        let chains = chain::load(policy, &self.sandbox()?)?;
        warn(&chains.warnings());
        Ok(chains)
    }

    /// The file that is used, if there is one. `named`: one that the command line names beside
    /// `--config`.
    pub(super) fn path(&self, named: Option<&Path>) -> Option<PathBuf> {
        let named = named.map(Path::to_owned).or_else(|| self.config.clone());
        named.or_else(|| default_path().filter(|path| path.exists()))
    }

    /// The policy's text.
    pub(super) fn source(&self, named: Option<&Path>) -> Result<Source> {
        match self.path(named) {
            Some(path) => Source::read(&path),
            None => {
                tracing::info!("there is no filters.toml: the built-in policy is used");
                Ok(Source::new("(built-in policy)", DEFAULT)?)
            }
        }
    }

    pub(super) fn sandbox(&self) -> Result<Sandbox> {
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

/// Where a user's own policy is.
fn default_path() -> Option<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let directory =
        variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
    Some(directory.join("tamis/filters.toml"))
}

fn warn(report: &Report) {
    if !report.findings().is_empty() {
        let path = report.source().path().display();
        tracing::warn!("{path} has findings:\n{report}");
    }
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
