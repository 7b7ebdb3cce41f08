//! The file of the ledger: how it is made, who may read it, its form, and which rows expire.
//!
//! A ledger appears whole: it is made under another name and then linked to its own. So if two
//! processes start at once, one makes it and the other finds it, and a process killed in between
//! leaves nothing half made. It is in WAL mode: readers and writers do not wait for each other, and a
//! killed writer loses only its own transaction.
//!
//! Only SQLite opens the file itself. Closing any other descriptor of it would give up the locks that SQLite
//! holds in this process.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::LedgerError;
use super::error::{failed, failed_io};
use crate::private::{self, Unfit};
use crate::system::{Access, files, owners};

/// The application id of a ledger in an SQLite file: "Tami".
const APPLICATION_ID: i64 = 0x5461_6d69;

/// How the file comes from each form to the next, from nothing on. `user_version` says which it has.
const FORMS: [&str; 3] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
];

/// How long to wait for another process's transaction. They take milliseconds; only the ledger's own
/// thread and `tamis stats` wait here.
const BUSY: Duration = Duration::from_secs(5);

/// The path of the ledger in a state directory.
pub fn file(state_directory: &Path) -> PathBuf {
    state_directory.join("ledger.sqlite")
}

/// A ledger of the form that this program knows.
#[derive(Debug)]
pub(super) struct Database {
    pub path: PathBuf,
    connection: Connection,
}

impl Database {
    /// Opens the ledger, making it and the directory if they are not there.
    pub fn open_or_create(state_directory: &Path) -> Result<Database, LedgerError> {
        private::make(state_directory).map_err(|unfit| match unfit {
            Unfit::Unsafe(why) => LedgerError::Unsafe {
                path: state_directory.to_owned(),
                why,
            },
            Unfit::Io { doing, source } => failed_io(doing, state_directory)(source),
        })?;
        match Database::open(state_directory)? {
            Some(database) => Ok(database),
            None => {
                create(state_directory)?;
                let path = file(state_directory);
                Database::open(state_directory)?
                    .ok_or_else(|| failed_io("open", &path)(ErrorKind::NotFound.into()))
            }
        }
    }

    /// Opens the ledger, if it exists.
    pub fn open(state_directory: &Path) -> Result<Option<Database>, LedgerError> {
        let path = file(state_directory);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed_io("look at", &path)(error)),
            Ok(found)
                if !found.is_file()
                    || owners::others_may_write(&path, &found)
                        .map_err(failed_io("look at", &path))? =>
            {
                return Err(LedgerError::Unsafe {
                    path,
                    why: "it is not a file that only you may write to".to_owned(),
                });
            }
            Ok(_) => {}
        }
        let mut connection = connect(&path).map_err(failed("open", &path))?;
        adopt(&mut connection, &path)?;
        Ok(Some(Database { path, connection }))
    }

    /// Runs writes in one transaction: all take effect, or none.
    pub fn write(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), LedgerError> {
        // At once for writing: a transaction that has read first could not wait for another's end.
        let behavior = TransactionBehavior::Immediate;
        let written = self
            .connection
            .transaction_with_behavior(behavior)
            .and_then(|transaction| {
                write(&transaction)?;
                transaction.commit()
            });
        written.map_err(failed("write to", &self.path))
    }

    /// Runs reads in one transaction, so they see one moment.
    pub fn read<T>(
        &mut self,
        read: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let read = self
            .connection
            .transaction()
            .and_then(|transaction| read(&transaction));
        read.map_err(failed("read", &self.path))
    }

    /// Removes rows older than `max_age`. Their space is used again.
    pub fn forget(&mut self, max_age: Duration) -> Result<(), LedgerError> {
        let oldest = unix_ms(SystemTime::now()).saturating_sub(whole_ms(max_age));
        self.write(|transaction| {
            // With a call, its steps and reads are deleted.
            transaction.execute("DELETE FROM calls WHERE time_ms < ?1", [oldest])?;
            transaction.execute(
                "DELETE FROM reads WHERE call IS NULL AND time_ms < ?1",
                [oldest],
            )?;
            transaction.execute("DELETE FROM drops WHERE time_ms < ?1", [oldest])?;
            // An agent that is still there may have had its list for so long.
            transaction.execute(
                "DELETE FROM listings WHERE time_ms < ?1 \
                 AND agent NOT IN (SELECT agent FROM calls WHERE agent IS NOT NULL)",
                [oldest],
            )?;
            Ok(())
        })
    }
}

/// Milliseconds since 1970. A time outside of the range becomes the nearest in it.
pub(super) fn unix_ms(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, whole_ms)
}

pub(super) fn whole_ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // In WAL mode a power cut costs the last transactions and never the file; a killed process costs
    // nothing. So nobody waits for the disk.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The file may come from elsewhere: its schema must not run code.
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Makes a whole ledger, unless another process made one meanwhile.
fn create(state_directory: &Path) -> Result<(), LedgerError> {
    // The standard library's hasher keys are its only source of random bits.
    let random = RandomState::new().build_hasher().finish();
    let unnamed = state_directory.join(format!("ledger-{random:016x}.new"));
    let path = file(state_directory);
    let made = make(&unnamed).and_then(|()| match fs::hard_link(&unnamed, &path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(failed_io("create", &path)(error))
        }
        _ => Ok(()),
    });
    let _ = fs::remove_file(&unnamed);
    made
}

fn make(path: &Path) -> Result<(), LedgerError> {
    // SQLite gives the files that it adds the same mode.
    let mut options = files::options(Access::Owner);
    options
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed_io("create", path))?;
    let make = || {
        let mut connection = connect(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        bring_up(&transaction, 0)?;
        transaction.commit()?;
        // Everything is in the file itself when this has returned, so that it can be linked alone.
        connection.close().map_err(|(_, error)| error)
    };
    make().map_err(failed("create", path))
}

/// Checks that a file is a ledger, and brings it to the newest form. A newer one stays unchanged.
fn adopt(connection: &mut Connection, path: &Path) -> Result<(), LedgerError> {
    let read = failed("read", path);
    let newest = FORMS.len() as i64;
    let header = header_of(connection).map_err(read)?;
    if header.application_id != APPLICATION_ID {
        return Err(LedgerError::NotALedger {
            path: path.to_owned(),
            source: None,
        });
    }
    if header.form > newest {
        return Err(LedgerError::Newer {
            path: path.to_owned(),
            found: header.form,
            known: newest,
        });
    }
    if header.form == newest {
        return Ok(());
    }
    let mut upgrade = || {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have done it in the meantime.
        let form = header_of(&transaction)?.form;
        bring_up(&transaction, usize::try_from(form).unwrap_or(0))?;
        transaction.commit()
    };
    upgrade().map_err(failed("bring up to date", path))
}

struct LedgerHeader {
    application_id: i64,
    form: i64,
}

fn header_of(connection: &Connection) -> rusqlite::Result<LedgerHeader> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok(LedgerHeader {
        application_id: pragma("application_id")?,
        form: pragma("user_version")?,
    })
}

fn bring_up(transaction: &Transaction<'_>, form: usize) -> rusqlite::Result<()> {
    for change in FORMS.iter().skip(form) {
        transaction.execute_batch(change)?;
    }
    transaction.pragma_update(None, "user_version", FORMS.len().max(form) as i64)
}
