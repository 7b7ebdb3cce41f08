//! The guests that `build.sh` built, by name.

use std::path::PathBuf;

/// The target that a guest was built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A core module that imports only the contract.
    Unknown,
    /// A core module that also imports WASI's first preview.
    Wasip1,
    /// A component.
    Wasip2,
}

/// A guest's file.
pub fn path(target: Target, guest: &str) -> PathBuf {
    let folder = match target {
        Target::Unknown => "wasm32-unknown-unknown",
        Target::Wasip1 => "wasm32-wasip1",
        Target::Wasip2 => "wasm32-wasip2",
    };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../target/guests")
        .join(folder)
        .join("release")
        .join(format!("{}.wasm", guest.replace('-', "_")));
    path.canonicalize().unwrap_or_else(|error| {
        panic!(
            "the guest {guest} is not built ({}: {error}): run `make guests`",
            path.display()
        )
    })
}
