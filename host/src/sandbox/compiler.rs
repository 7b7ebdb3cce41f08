//! Which process compiles a plugin, and the resulting machine code.
//!
//! A compiler reads input from strangers, and may take any time and memory for it. So the program starts itself
//! again to compile ([`process`]), with limits that the system enforces. If no such program is known, as in
//! tests and in other programs that use this library, this process compiles. The plugin's size was checked
//! earlier, see `bounds`.

pub(super) mod process;
mod serve;

use super::code;
use super::error::LoadError;
use super::form::to_component;
use crate::policy::CompileLimits;
use crate::system::Platform;
use std::borrow::Cow;
use std::path::PathBuf;
use wasmtime::Engine;

pub use serve::{CompileJob, serve};

/// How a plugin is compiled, besides the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeOptions {
    /// Whether the code counts fuel.
    pub counts_fuel: bool,
    /// Whether the host can read an instance's whole state, for a snapshot of it.
    pub readable_state: bool,
}

/// The process that compiles.
#[derive(Debug, Clone)]
pub(super) enum Compiler {
    /// This process, without a bound on memory or time.
    Here,
    /// This program, started again.
    Process(PathBuf),
}

/// Machine code, made by [`make`] here or in a process of this program's own; and, if the plugin is not a
/// component, the component made from it. The proof in `precompiled` relies on this: no other way to get a value
/// of this type exists.
pub(super) struct Made {
    /// Length of the component, the component, its machine code. Nothing of a component where the plugin is one.
    bytes: Vec<u8>,
    code_at: usize,
}

/// Bytes of the length that `Made::bytes` begins with.
const LENGTH_BYTES: usize = size_of::<u64>();

impl Made {
    fn new(adapted: Option<&[u8]>, code: &[u8]) -> Made {
        let component = adapted.unwrap_or_default();
        let mut bytes = Vec::with_capacity(LENGTH_BYTES + component.len() + code.len());
        bytes.extend((component.len() as u64).to_le_bytes());
        bytes.extend(component);
        bytes.extend(code);
        Made {
            code_at: bytes.len() - code.len(),
            bytes,
        }
    }

    /// The output of [`process`] from another process of this program, which ended well.
    fn of_process(bytes: Vec<u8>) -> Option<Made> {
        Made::of_bytes(bytes)
    }

    /// A file of the directory of machine code, if it has the hash that was written with it.
    pub(super) fn kept(bytes: Vec<u8>) -> Option<Made> {
        Made::of_bytes(bytes)
    }

    fn of_bytes(bytes: Vec<u8>) -> Option<Made> {
        let (len, rest) = bytes.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        let code_at = LENGTH_BYTES + (len <= rest.len()).then_some(len)?;
        Some(Made { bytes, code_at })
    }

    /// The bytes to store.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The machine code.
    pub(super) fn code(&self) -> &[u8] {
        &self.bytes[self.code_at..]
    }

    /// The component: the plugin itself, or the component made from it.
    pub(super) fn component<'a>(&'a self, plugin: &'a [u8]) -> &'a [u8] {
        match &self.bytes[LENGTH_BYTES..self.code_at] {
            [] => plugin,
            adapted => adapted,
        }
    }
}

impl Compiler {
    /// Compiles a plugin: a component, or a core module, which is adapted first.
    pub(super) fn make(
        &self,
        wasm: &[u8],
        options: CodeOptions,
        limits: &CompileLimits,
    ) -> Result<Made, LoadError> {
        match self {
            Compiler::Here => make(wasm, options),
            Compiler::Process(program) => process::make(program, wasm, options, limits),
        }
    }
}

/// Compiles a plugin in this process.
fn make(wasm: &[u8], options: CodeOptions) -> Result<Made, LoadError> {
    let mut config = code::config(Platform::here() == Platform::Windows);
    config.consume_fuel(options.counts_fuel);
    let engine = Engine::new(&config).map_err(|error| LoadError::Engine(error.into()))?;
    let component: Cow<'_, [u8]> = to_component(&engine, wasm)?;
    let readable = options
        .readable_state
        .then(|| code::with_readable_state(&component).ok())
        .flatten()
        .and_then(|readable| engine.precompile_component(&readable).ok());
    let code = match readable {
        Some(code) => code,
        // One whose state cannot be made readable has no snapshots. One that does not compile says why.
        None => engine
            .precompile_component(&component)
            .map_err(|error| LoadError::Compile(error.into()))?,
    };
    let adapted = match &component {
        Cow::Borrowed(_) => None,
        Cow::Owned(adapted) => Some(adapted.as_slice()),
    };
    Ok(Made::new(adapted, &code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_read_back_and_what_is_cut_short_is_not() {
        let made = Made::new(Some(b"component"), b"code");
        let again = Made::kept(made.as_bytes().to_vec()).unwrap();
        assert_eq!(again.component(b"module"), b"component");
        assert_eq!(again.code(), b"code");
        let of_component = Made::new(None, b"code");
        assert_eq!(of_component.component(b"plugin"), b"plugin");
        assert_eq!(of_component.code(), b"code");
        for len in 0..LENGTH_BYTES + b"component".len() {
            assert!(
                Made::kept(made.as_bytes()[..len].to_vec()).is_none(),
                "{len}"
            );
        }
        assert!(Made::kept(vec![0xff; 100]).is_none());
    }
}
