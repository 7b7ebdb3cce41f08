//! Who owns files and folders, and who may write to them: by security identifiers and lists of rights.
//!
//! A folder of Tamis is made with a list of its own: this user, the system and administrators have all rights, and its
//! files inherit that. The system and administrators count as this user: they could take any file.

use super::super::Unfit;
use super::calls::{self, Security};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use windows_sys::Win32::Security::INHERIT_ONLY_ACE;

/// The system, administrators, the installer of Windows, and whoever owns the file.
const TRUSTED: &[&str] = &[
    "S-1-5-18",
    "S-1-5-32-544",
    "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
    "S-1-3-0",
    "S-1-3-4",
];

/// The kinds of entries that allow something: simply, and under a condition.
const ALLOWS: [u8; 2] = [0, 9];

/// To read data; all of reading; everything.
const READS: u32 = 0x1 | 0x8000_0000 | 0x1000_0000;
/// To put something in the place of a folder: to delete what is in it, to delete it, to change its rights or owner.
const REPLACES: u32 = 0x40 | 0x1_0000 | 0x4_0000 | 0x8_0000 | 0x1000_0000;
/// That, and to write or add data.
const WRITES: u32 = REPLACES | 0x2 | 0x4 | 0x4000_0000;

/// What there is to say of a file's security.
struct View {
    security: Security,
    user: String,
}

impl View {
    fn new(security: Security) -> io::Result<View> {
        Ok(View {
            security,
            user: calls::user()?,
        })
    }

    fn at(path: &Path) -> io::Result<View> {
        View::new(calls::security_at(path)?)
    }

    fn is_trusted(&self, user: &str) -> bool {
        user == self.user || TRUSTED.contains(&user)
    }

    fn is_own(&self) -> bool {
        self.is_trusted(&self.security.owner)
    }

    /// Another user, or a group of users, with some of these rights.
    fn other_with(&self, rights: u32) -> Option<&str> {
        let Some(entries) = &self.security.entries else {
            return Some("everybody");
        };
        let other = entries.iter().find(|entry| {
            // One that only new files inherit says nothing of this one.
            u32::from(entry.flags) & INHERIT_ONLY_ACE == 0
                && ALLOWS.contains(&entry.kind)
                && entry.rights & rights != 0
                && !self.is_trusted(&entry.user)
        });
        other.map(|entry| entry.user.as_str())
    }
}

/// Makes a folder and the missing ones above it, for this user only.
pub(crate) fn make_folder(directory: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing: Vec<&Path> = directory.ancestors().take_while(is_missing).collect();
    let user = calls::user()?;
    let rights = format!("D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");
    for folder in missing.iter().rev() {
        match calls::make_folder(folder, &rights) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    match fs::metadata(directory)?.is_dir() {
        true => Ok(()),
        false => Err(ErrorKind::AlreadyExists.into()),
    }
}

/// Whether a folder belongs to this user, and nobody else may write to it.
pub(crate) fn check_folder(directory: &Path) -> Result<(), Unfit> {
    let view = View::at(directory).map_err(Unfit::io("look at"))?;
    if !view.is_own() {
        return Err(Unfit::Unsafe(format!(
            "it belongs to user {}, and this is user {}",
            view.security.owner, view.user
        )));
    }
    match view.other_with(WRITES) {
        None => Ok(()),
        Some(other) => Err(Unfit::Unsafe(format!(
            "others may write there ({other}); `icacls` shows who, and takes the right away"
        ))),
    }
}

/// Whether nobody else can put something in the place of a directory that is there. `from`: 0 looks at itself, too, 1
/// at those above it.
pub(crate) fn check_folders_above(directory: &Path, from: usize) -> Result<(), Unfit> {
    let written = std::path::absolute(directory).map_err(Unfit::io("find"))?;
    let real = directory.canonicalize().map_err(Unfit::io("find"))?;
    for path in [&written, &real] {
        // Nearest first: that is the one to be told of.
        for folder in path.ancestors().skip(from) {
            let view = View::at(folder).map_err(Unfit::io("look at a folder above"))?;
            check_one_above(folder, &view)?;
        }
    }
    Ok(())
}

fn check_one_above(folder: &Path, view: &View) -> Result<(), Unfit> {
    let folder: PathBuf = folder.to_owned();
    let folder = folder.display();
    if !view.is_own() {
        return Err(Unfit::Unsafe(format!(
            "the folder {folder} above it belongs to user {}, who could put another in its place",
            view.security.owner
        )));
    }
    match view.other_with(REPLACES) {
        None => Ok(()),
        Some(other) => Err(Unfit::Unsafe(format!(
            "others may replace what is in the folder {folder} above it ({other}); `icacls` shows who, and takes the right away"
        ))),
    }
}

/// Whether an open file belongs to this user.
pub(crate) fn is_own(file: &File) -> io::Result<bool> {
    Ok(View::new(calls::security_of(file)?)?.is_own())
}

/// Whether others may write to the file at a path.
pub(crate) fn others_may_write(path: &Path, _: &Metadata) -> io::Result<bool> {
    Ok(View::at(path)?.other_with(WRITES).is_some())
}

/// Whether an open file belongs to this user, and nobody else may write to it.
pub(crate) fn is_written_by_owner_alone(file: &File) -> io::Result<bool> {
    let view = View::new(calls::security_of(file)?)?;
    Ok(view.is_own() && view.other_with(WRITES).is_none())
}

/// Why the file at a path may hold no secret of this user: the problem and its fix.
pub(crate) fn why_not_secret(path: &Path, _: &Metadata) -> io::Result<Option<String>> {
    let (view, shown) = (View::at(path)?, path.display());
    if !view.is_own() {
        return Ok(Some(format!(
            "{shown} belongs to user {}, and this is user {}: it is not used",
            view.security.owner, view.user
        )));
    }
    Ok(view.other_with(READS | WRITES).map(|other| {
        format!(
            "others can read {shown} ({other}): take the right away with `icacls`, or log in again"
        )
    }))
}

/// The owner of a file, and this user, if they differ.
pub(crate) fn stranger(path: &Path) -> Option<(String, String)> {
    let view = View::at(path).ok()?;
    let (owner, user) = (view.security.owner.clone(), view.user.clone());
    (!view.is_own()).then_some((owner, user))
}
