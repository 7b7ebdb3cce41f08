//! The policy of a command: its options, and its chains, loaded.

use super::lookup::{self, Chosen};
use super::progress::Progress;
use crate::chain::{self, Chains};
use crate::policy::{Policy, Report};
use crate::sandbox::{CacheDir, Sandbox};
use crate::secrets;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

#[derive(clap::Args, Clone)]
pub(super) struct PolicyArguments {
    /// The policy. Default: the filters.toml of this project, if you trust it (`tamis trust`); else
    /// `tamis/filters.toml` in your configuration directory; else the default policy, which is part of
    /// Tamis.
    #[arg(long, short, env = "TAMIS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Require a file: fail if no file is named, this project has no trusted one, and your
    /// configuration directory has none.
    #[arg(long)]
    require_policy: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

#[derive(clap::Args, Clone, Default)]
pub(super) struct SandboxArguments {
    /// Compile filters again, and do not cache compiled code.
    #[arg(long)]
    no_cache: bool,
}

impl PolicyArguments {
    /// Reads, checks and loads the policy. Warnings go to standard error.
    pub(super) fn load(&self) -> Result<Chains> {
        self.load_chains(self.read(None)?)
    }

    /// Loads the chains of a policy that was read. Warnings go to standard error.
    pub(super) fn load_chains(&self, policy: Policy) -> Result<Chains> {
        load_watched(policy, &self.sandbox()?)
    }

    /// The path of the policy, or of the file that it would be in.
    pub(super) fn place(&self) -> Option<PathBuf> {
        lookup::place(self.config.as_deref())
    }

    /// The policy's file, if it has one. `named`: a file that the command line names without `--config`.
    pub(super) fn path(&self, named: Option<&Path>) -> Option<PathBuf> {
        lookup::in_force(named.or(self.config.as_deref()))
    }

    /// The policy that the command line or the environment names.
    pub(super) fn named(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Reads and checks the policy. `named`: a file that the command line names without `--config`.
    pub(super) fn read(&self, named: Option<&Path>) -> Result<Policy> {
        let named = named.or(self.config.as_deref());
        Ok(self.choose_from(named)?.policy)
    }

    /// Reads and checks the policy; with it, why it is this one.
    pub(super) fn choose(&self) -> Result<Chosen> {
        self.choose_from(self.config.as_deref())
    }

    fn choose_from(&self, named: Option<&Path>) -> Result<Chosen> {
        let chosen = lookup::choose(named, self.require_policy)?;
        secrets::note(chosen.policy.secret_variables());
        Ok(chosen)
    }

    pub(super) fn sandbox(&self) -> Result<Sandbox> {
        self.sandbox.open()
    }
}

impl SandboxArguments {
    /// Starts the engine.
    pub(super) fn open(&self) -> Result<Sandbox> {
        let cache = if self.no_cache {
            None
        } else {
            CacheDir::from_environment()
        };
        let has_cache = cache.is_some();
        let sandbox = Sandbox::new(cache).or_else(|error| {
            if !has_cache {
                return Err(error);
            }
            // A proxy that starts slowly is better than none.
            tracing::warn!("compiled filters are not cached: {error:#}");
            Sandbox::new(None)
        })?;
        sandbox.compiled_by_this_program()
    }
}

/// Loads a policy. Warnings go to standard error.
pub(super) fn load(policy: Policy, sandbox: &Sandbox) -> Result<Chains> {
    let chains = chain::load(policy, sandbox)?;
    warn(&chains.warnings());
    Ok(chains)
}

/// Loads the chains, with progress for somebody who waits at a terminal.
pub(super) fn load_watched(policy: Policy, sandbox: &Sandbox) -> Result<Chains> {
    let progress = Progress::of_compiling(sandbox);
    let chains = chain::load(policy, sandbox)?;
    drop(progress);
    warn(&chains.warnings());
    Ok(chains)
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
