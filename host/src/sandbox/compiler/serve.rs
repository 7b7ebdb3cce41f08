//! The process that compiles, from within: `tamis compile-plugin`, which [`super::process`] starts.

use super::{CodeOptions, make};
use crate::sandbox::error::LoadError;
use crate::system::limits;
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::time::Duration;

/// Name of the hidden command.
const COMMAND: &str = "compile-plugin";

/// The settings and limits of a compilation.
#[derive(Debug, Clone, Copy)]
pub struct CompileJob {
    /// Memory of the process.
    pub memory_bytes: u64,
    /// Wall-clock time, which the waiting process enforces; in this process, time of all processors together.
    pub time: Duration,
    pub options: CodeOptions,
    /// Functions that are compiled at the same time.
    pub threads: usize,
}

/// The output of a process that compiles, with a last byte for its kind.
pub(super) enum Outcome {
    /// See [`super::Made`].
    Made(Vec<u8>),
    DoesNotCompile(String),
    CannotBeAdapted(String),
}

impl CompileJob {
    /// The arguments of the program that compiles.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            COMMAND.to_owned(),
            format!("--memory-bytes={}", self.memory_bytes),
            format!("--seconds={}", self.time.as_secs_f64().ceil()),
            format!("--threads={}", self.threads),
        ];
        let CodeOptions {
            counts_fuel,
            readable_state,
        } = self.options;
        arguments.extend(counts_fuel.then(|| "--fuel".to_owned()));
        arguments.extend(readable_state.then(|| "--readable-state".to_owned()));
        arguments
    }

    /// Limits this process. A limit that cannot be set is an error.
    fn bound(&self) -> Result<()> {
        let seconds = self.time.as_secs().saturating_add(1);
        let processor_seconds = seconds.saturating_mul(self.threads as u64);
        limits::bound_this_process(self.memory_bytes, processor_seconds)
    }
}

impl Outcome {
    fn write(&self, output: &mut impl Write) -> std::io::Result<()> {
        let (kind, bytes) = match self {
            Outcome::Made(bytes) => (0, bytes.as_slice()),
            Outcome::DoesNotCompile(why) => (1, why.as_bytes()),
            Outcome::CannotBeAdapted(why) => (2, why.as_bytes()),
        };
        output.write_all(bytes)?;
        output.write_all(&[kind])?;
        output.flush()
    }

    pub(super) fn read(mut bytes: Vec<u8>) -> Option<Outcome> {
        let kind = bytes.pop()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match kind {
            0 => Some(Outcome::Made(bytes)),
            1 => Some(Outcome::DoesNotCompile(text(&bytes))),
            2 => Some(Outcome::CannotBeAdapted(text(&bytes))),
            _ => None,
        }
    }
}

/// Compiles the plugin on standard input, and writes the result to standard output.
///
/// # Errors
///
/// This process cannot be limited, or no process reads its output.
pub fn serve(job: &CompileJob) -> Result<()> {
    job.bound()?;
    let mut wasm = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut wasm)
        .context("read the plugin")?;
    let outcome = match make(&wasm, job.options) {
        Ok(made) => Outcome::Made(made.bytes),
        Err(LoadError::Adapt(why)) => Outcome::CannotBeAdapted(format!("{why:#}")),
        Err(LoadError::Compile(why)) => Outcome::DoesNotCompile(format!("{why:#}")),
        Err(error) => bail!("{error}"),
    };
    outcome
        .write(&mut std::io::stdout().lock())
        .context("write what was made")
}
