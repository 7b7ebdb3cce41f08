//! The contract with plugins: its text, and the package of it that tools for WebAssembly read.

use anyhow::{Context, Result};
use wit_component::metadata::Bindgen;

/// The contract.
pub const TEXT: &str = include_str!(concat!(env!("BUILD_ROOT"), "/wit/filter.wit"));

/// The contract as a WIT package: a component that has only types, with their comments. The same text gives the same
/// bytes.
///
/// # Errors
///
/// The text is no WIT.
pub fn package() -> Result<Vec<u8>> {
    let mut types = Bindgen::default().resolve;
    let package = types
        .push_str("filter.wit", TEXT)
        .context("read the contract")?;
    wit_component::encode(&types, package).context("encode the contract")
}
