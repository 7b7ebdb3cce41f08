//! Originals under a descriptive name: `named/build_output_REFERENCE.json`.
//!
//! A name is a second link to the original's file, so it takes no space and needs no copy. It lives as long as
//! its original: the reader of a name holds the original, and both expire together. A name may lead to another
//! file than the original, for example if the original was damaged and written again. It is replaced at its
//! next use.

use crate::system::files;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::failed;
use super::layout::{self, Layout};
use super::{Reference, StoreError};

/// Gives the original, which the caller holds, a name that begins with `prefix`.
pub(super) fn give(
    layout: &Layout,
    reference: &Reference,
    prefix: &str,
) -> Result<PathBuf, StoreError> {
    let name = layout.name(reference, prefix);
    if name.parent() != Some(&layout.named) {
        return Err(failed("create", &name)(ErrorKind::InvalidInput.into()));
    }
    let original = layout.original(reference);
    // A sweep may just be deciding about it, and have put it back between the two first looks.
    link(layout, &original, &name)
        .or_else(|error| match error.is_missing() {
            true => link(layout, &layout.going(reference), &name),
            false => Err(error),
        })
        .or_else(|error| match error.is_missing() {
            true => link(layout, &original, &name),
            false => Err(error),
        })?;
    Ok(name)
}

/// Makes `name` a link to the file `original`.
fn link(layout: &Layout, original: &Path, name: &Path) -> Result<(), StoreError> {
    match fs::hard_link(original, name) {
        Ok(()) => return layout::sync_directory(&layout.named),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed("create", name)(error)),
    }
    if is_same(original, name)? {
        return Ok(());
    }
    let partial = layout.unused();
    fs::hard_link(original, &partial).map_err(failed("create", &partial))?;
    let renamed = fs::rename(&partial, name).map_err(failed("create", name));
    // Where another process was faster, both are links to one file, and renaming does nothing.
    layout::remove(&partial)?;
    renamed?;
    layout::sync_directory(&layout.named)
}

/// Moves the names of removed originals away, for [`super::sweep`] to decide about; not those of
/// originals in `held`.
pub(super) fn move_orphans(layout: &Layout, leased: &HashSet<Reference>) -> Result<(), StoreError> {
    for name in layout::files(&layout.named)? {
        let Some(reference) = layout::reference_of_name(&name) else {
            continue;
        };
        if leased.contains(&reference) || leads_to_original(layout, &reference, &name)? {
            continue;
        }
        let Some(going) = layout.name_going(&name) else {
            continue;
        };
        match fs::rename(&name, &going) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed("move", &name)(error)),
        }
    }
    Ok(())
}

fn leads_to_original(
    layout: &Layout,
    reference: &Reference,
    name: &Path,
) -> Result<bool, StoreError> {
    let original = layout.original(reference);
    for place in [&original, &layout.going(reference), &original] {
        match is_same(place, name) {
            Err(error) if error.is_missing() => {}
            Ok(false) => {}
            found => return found,
        }
    }
    Ok(false)
}

/// Whether two paths are links to one file.
fn is_same(one: &Path, other: &Path) -> Result<bool, StoreError> {
    files::is_same(one, other).map_err(failed("look at", other))
}
