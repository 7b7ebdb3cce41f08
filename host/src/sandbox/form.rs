//! The forms of a plugin's file: a component, or a core module from which a component is made.

use super::error::LoadError;
use std::borrow::Cow;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmtime::{Engine, Module};

/// The first eight bytes of a core module and of a component: magic, version, layer.
const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// The component in a plugin's file, or the component made from its core module.
///
/// # Errors
///
/// The file is neither, or cannot be adapted.
pub fn component_of(wasm: &[u8]) -> Result<Cow<'_, [u8]>, LoadError> {
    to_component(&Engine::default(), wasm)
}

/// Whether a file begins as a plugin does.
pub(super) fn check_form(wasm: &[u8]) -> Result<(), LoadError> {
    if wasm.starts_with(COMPONENT) || wasm.starts_with(CORE_MODULE) {
        return Ok(());
    }
    let found = wasm[..wasm.len().min(8)].escape_ascii().to_string();
    Err(LoadError::NotWasm {
        found: format!("`{found}`"),
    })
}

/// A component unchanged, or the component of an adapted core module.
pub(super) fn to_component<'a>(
    engine: &Engine,
    wasm: &'a [u8],
) -> Result<Cow<'a, [u8]>, LoadError> {
    check_form(wasm)?;
    if wasm.starts_with(COMPONENT) {
        return Ok(Cow::Borrowed(wasm));
    }
    // The encoder takes it for granted that a module is valid, and panics if it is not.
    Module::validate(engine, wasm).map_err(|error| LoadError::Compile(error.into()))?;
    wit_component::ComponentEncoder::default()
        .validate(true)
        .module(wasm)
        .and_then(|encoder| {
            encoder.adapter(
                WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
                WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
            )
        })
        .and_then(|mut encoder| encoder.encode())
        .map(Cow::Owned)
        .map_err(LoadError::Adapt)
}
