//! The guests that `build.sh` has built, by name.

use std::path::PathBuf;

/// What a guest was built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A core module that imports the contract alone.
    Unknown,
    /// A core module that imports WASI's first preview, too.
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
