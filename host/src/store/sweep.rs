//! Removes old originals, and those beyond the size limit.
//!
//! No lock orders sweeps and puts, since a stopped process that holds a lock would stop every other. The order
//! of steps does instead. A put first writes the reference into its lease and then looks for the file. A sweep
//! first moves the file away and then reads the leases. So either the sweep sees the lease and moves the file
//! back, or the put finds no file and writes it. A sweep that is killed in between leaves the file where `get`
//! finds it and the next sweep decides. Names (see `names`) follow the same steps after their originals.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::error::failed;
use super::layout::{self, Layout};
use super::{Original, StoreError, StoreLimits, Swept, lease, names};

/// A file still being written after this long belongs to a process that was killed: the largest
/// original takes seconds.
const STRAY_AFTER: Duration = Duration::from_secs(60 * 60);

pub(super) fn list(layout: &Layout) -> Result<Vec<Original>, StoreError> {
    let mut originals = Vec::new();
    for path in layout::files(&layout.originals)? {
        let Some(reference) = layout::reference_of_original(&path) else {
            continue;
        };
        if let Some((file_bytes, last_used)) = size_and_time(&path)? {
            originals.push(Original {
                reference,
                file_bytes,
                last_used,
            });
        }
    }
    originals.sort_by_key(|original| (original.last_used, original.reference));
    Ok(originals)
}

pub(super) fn sweep(layout: &Layout, limits: &StoreLimits) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let now = SystemTime::now();
    let leased = lease::leased_by_live_processes(layout)?;
    let originals = list(layout)?;
    let mut bytes: u64 = originals.iter().map(|original| original.file_bytes).sum();
    let mut count = originals.len() as u64;
    for original in originals {
        let old = age(now, original.last_used) > limits.max_age;
        if !old && bytes <= limits.max_bytes && count <= limits.max_originals {
            continue;
        }
        if leased.contains(&original.reference) {
            swept.leased += 1;
            continue;
        }
        let path = layout.original(&original.reference);
        match fs::rename(&path, layout.going(&original.reference)) {
            Ok(()) => {
                bytes -= original.file_bytes;
                count -= 1;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed("move", &path)(error)),
        }
    }
    decide(layout, now, &mut swept)?;
    // A name that stays behind would keep the file's bytes.
    names::move_orphans(layout, &leased)?;
    decide(layout, now, &mut swept)?;
    Ok(swept)
}

/// Removes the files in `partial/`, or puts them back.
fn decide(layout: &Layout, now: SystemTime, swept: &mut Swept) -> Result<(), StoreError> {
    // Listed before the leases are read, so that files which another sweep moves here later are left to
    // that sweep.
    let found = layout::files(&layout.partial)?;
    let leased = lease::leased_by_live_processes(layout)?;
    for path in found {
        let Some((file_bytes, modified)) = size_and_time(&path)? else {
            continue;
        };
        if let Some((name, reference)) = layout::name_of_going(&path) {
            if leased.contains(&reference) {
                put_back(&path, &layout.named.join(name))?;
            } else {
                layout::remove(&path)?;
            }
            continue;
        }
        match layout::reference_of_going(&path) {
            Some(reference) if leased.contains(&reference) => {
                put_back(&path, &layout.original(&reference))?;
                swept.leased += 1;
            }
            Some(_) => {
                if layout::remove(&path)? {
                    swept.removed += 1;
                    swept.removed_bytes += file_bytes;
                }
            }
            None => {
                if age(now, modified) > STRAY_AFTER && layout::remove(&path)? {
                    swept.strays += 1;
                }
            }
        }
    }
    Ok(())
}

fn put_back(from: &Path, to: &Path) -> Result<(), StoreError> {
    // A link and not a rename: a put may have written the file again, and that one stays.
    match fs::hard_link(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        // Another sweep was here first, or the directory to put it back into is missing.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed("put back", to)(error)),
    }
    layout::remove(from)?;
    Ok(())
}

fn size_and_time(path: &Path) -> Result<Option<(u64, SystemTime)>, StoreError> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(failed("look at", path))?,
    };
    let modified = metadata.modified().map_err(failed("look at", path))?;
    Ok(Some((metadata.len(), modified)))
}

/// The age of a file; zero if its time is in the future.
fn age(now: SystemTime, then: SystemTime) -> Duration {
    now.duration_since(then).unwrap_or_default()
}
