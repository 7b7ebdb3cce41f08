//! `tamis run --record`: where calls are recorded, and by which chain they are redacted.

use crate::chain::{Chain, Chains};
use crate::mcp::observe::recording::Recording;
use crate::policy::{quote, step_that_passes};
use crate::recording::{Purpose, Recorder};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(clap::Args)]
pub(super) struct RecordArguments {
    /// Record each call of a tool in this folder, for `tamis replay`: its arguments, and the result as
    /// the server sent it. One file a call, readable only by you. `[record]` in the policy sets the
    /// bounds.
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Run this chain on arguments and results before they are recorded. A call that it withholds is
    /// not recorded. Default: `[record] redact` in the policy.
    #[arg(long, value_name = "NAME", requires = "record")]
    record_chain: Option<String>,
}

/// A recording that continues under a new policy.
pub(super) struct Opened {
    recorder: Recorder,
    /// The folder, for messages.
    folder: PathBuf,
    chain: Option<String>,
    has_warned: bool,
}

impl RecordArguments {
    /// Opens the folder; none: nothing is to be recorded.
    pub(super) fn open(&self) -> Result<Option<Opened>> {
        let Some(folder) = &self.record else {
            return Ok(None);
        };
        Ok(Some(Opened {
            recorder: Recorder::open(folder, Purpose::Replay)?,
            folder: folder.clone(),
            chain: self.record_chain.clone(),
            has_warned: false,
        }))
    }
}

impl Opened {
    /// The recording under this policy.
    ///
    /// # Errors
    ///
    /// The policy lacks the named chain, or the chain lets calls pass if it fails.
    pub(super) fn under(&mut self, chains: &Chains) -> Result<Recording> {
        let spec = &chains.policy().record;
        let redact = match &self.chain {
            Some(name) => Some(named(chains, name)?),
            // The policy was checked for it.
            None => spec.redact.as_ref().and_then(|name| chains.named(name)),
        };
        let redact = redact.map(|(_, chain)| Arc::clone(chain));
        if redact.is_none() && !self.has_warned {
            tracing::warn!(
                "calls are recorded whole in {}: to redact them, name a chain in `[record] redact` of filters.toml or with --record-chain",
                self.folder.display()
            );
            self.has_warned = true;
        }
        Ok(Recording::new(self.recorder.clone(), spec, redact))
    }

    /// Writes the waiting calls.
    pub(super) fn close(self) {
        self.recorder.close();
    }
}

type Named<'a> = (&'a crate::policy::ChainSpec, &'a Arc<Chain>);

/// The chain that the command line names.
fn named<'a>(chains: &'a Chains, name: &str) -> Result<Named<'a>> {
    let file = chains.policy().source.path().display();
    let Some((spec, chain)) = chains.named(name) else {
        let known: Vec<String> = chains.iter().map(|(spec, _)| quote(&spec.name)).collect();
        let known = match known.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}", known.join(", ")),
        };
        bail!(
            "--record-chain: unknown chain {} in {file}: {known}",
            quote(name)
        );
    };
    if let Some(step) = step_that_passes(spec) {
        bail!(
            "--record-chain: filter `{}` in chain {} of {file} would record calls whole if it fails: each step of a chain that redacts requires `on-error = \"block\"`, and no `shadow`",
            chains.policy().filter_name(&step.filter),
            quote(name)
        );
    }
    Ok((spec, chain))
}
