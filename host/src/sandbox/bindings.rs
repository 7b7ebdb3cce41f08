//! The host's side of the contract, generated from `wit/`. Host imports are linked by hand in
//! `imports`, since that lets a document cross without being copied first.

wasmtime::component::bindgen!({
    path: "../wit",
    world: "plugin",
    ownership: Borrowing { duplicate_if_necessary: true },
});

/// The version of the filter contract that this Tamis speaks.
pub const CONTRACT_VERSION: &str = "0.1.0";
