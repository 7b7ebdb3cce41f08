//! The ledger of all replicas, in PostgreSQL.
//!
//! A replica writes its own ledger, as ever. A thread copies the new rows from there, in transactions that also say how
//! far the copy is. So a row is copied once, no call waits, and nothing is lost while PostgreSQL is away.
//! `tamis stats --from` copies the rows back into a ledger of its own, for the same reports.

use super::LedgerError;
use super::database::Database;
use super::report::Since;
use crate::file;
use crate::hex;
use crate::lock::lock;
use crate::sealed;
use rusqlite::types::Value as Cell;
use rusqlite::{Transaction, params_from_iter};
use serde_json::Value;
use std::collections::HashMap;
use std::error::Error as _;
use std::io::ErrorKind;
use std::path::Path;
use std::str::FromStr;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::{Client, Config};

mod tls;

/// How often new rows are copied.
const COPY_EVERY: Duration = Duration::from_secs(2);

/// How long one transaction may take, and a connection.
const TIME: Duration = Duration::from_secs(10);

/// How long the last copy may take, when the process ends.
const LAST_COPY: Duration = Duration::from_secs(2);

/// Most rows of a table in one transaction.
const ROWS: i64 = 1000;

/// Most rows of a table that a report reads: of more, ask PostgreSQL itself.
const MOST_ROWS: usize = 5_000_000;

/// Rows of a table that a report reads at a time.
const PAGE: i64 = 5000;

/// The file with the name of this replica's ledger, in the state directory.
const NAME_FILE: &str = "ledger-name";

/// Only one replica makes the tables.
const MAKING: i64 = 0x7461_6d69;

/// A table of the ledger: its name, its key after `replica`, and its columns. Texts have a `t`.
struct Table {
    name: &'static str,
    /// The number by which rows are copied.
    by: &'static str,
    key: &'static str,
    columns: &'static [(&'static str, bool)],
}

const TABLES: [Table; 5] = [
    Table {
        name: "calls",
        by: "id",
        key: "id",
        columns: &[
            ("id", false),
            ("time_ms", false),
            ("server", true),
            ("tool", true),
            ("chain", true),
            ("client", true),
            ("client_version", true),
            ("session", true),
            ("withheld", false),
            ("failed", false),
            ("bytes_before", false),
            ("bytes_after", false),
            ("tokens_before", false),
            ("tokens_after", false),
            ("time_us", false),
            ("reference", true),
            ("shown_before", false),
            ("shown_after", false),
            ("agent", true),
            ("is_estimated", false),
        ],
    },
    Table {
        name: "steps",
        by: "call",
        key: "call, step, outcome",
        columns: &[
            ("call", false),
            ("step", false),
            ("outcome", true),
            ("filter", true),
            ("documents", false),
            ("failed", false),
            ("cut", false),
            ("bytes_before", false),
            ("bytes_after", false),
            ("tokens_before", false),
            ("tokens_after", false),
            ("time_us", false),
        ],
    },
    Table {
        name: "reads",
        by: "id",
        key: "id",
        columns: &[
            ("id", false),
            ("time_ms", false),
            ("server", true),
            ("session", true),
            ("reference", true),
            ("call", false),
            ("bytes", false),
            ("tokens", false),
            ("agent", true),
            ("is_estimated", false),
        ],
    },
    Table {
        name: "listings",
        by: "id",
        key: "id",
        columns: &[
            ("id", false),
            ("time_ms", false),
            ("agent", true),
            ("server", true),
            ("part", true),
            ("tokens", false),
        ],
    },
    Table {
        name: "drops",
        by: "id",
        key: "id",
        columns: &[("id", false), ("time_ms", false), ("receipts", false)],
    },
];

/// Why PostgreSQL cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The URL is wrong.
    #[error("it is not a URL of PostgreSQL")]
    Url,
    /// No connection, or a statement failed. The text has no password.
    #[error("{0}")]
    Failed(String),
    /// PostgreSQL refuses the user.
    #[error("{0}")]
    Refused(String),
    /// It has more rows than a report reads.
    #[error("it has more than {MOST_ROWS} rows for this report: give a later time with --since")]
    TooMany,
    /// The ledger of this machine.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The system refused a thread.
    #[error("start a thread: {0}")]
    Thread(std::io::Error),
}

impl From<tokio_postgres::Error> for PostgresError {
    fn from(error: tokio_postgres::Error) -> PostgresError {
        let mut text = error.to_string();
        if let Some(cause) = error.source() {
            text = format!("{text}: {cause}");
        }
        // Class 28: invalid authorization. 3D000: no such database. 42501: a missing right.
        let code = error.code().map(|code| code.code().to_owned());
        match code.as_deref() {
            Some(code) if code.starts_with("28") || code == "3D000" || code == "42501" => {
                PostgresError::Refused(text)
            }
            _ => PostgresError::Failed(text),
        }
    }
}

/// Copies the ledger of a state directory to PostgreSQL until it is closed. Clones are the same.
#[derive(Clone)]
pub struct Mirror {
    running: Arc<Mutex<Option<Running>>>,
}

/// The thread that copies, and what ends it when it is dropped.
type Running = (Sender<()>, JoinHandle<()>);

impl Mirror {
    /// Begins to copy the ledger in `state_directory` to the database at `url`, and makes missing tables there.
    ///
    /// # Errors
    ///
    /// The URL is wrong, or PostgreSQL refuses. Where it does not answer, that is no error: rows wait in the ledger.
    pub fn start(state_directory: &Path, url: &str) -> Result<Mirror, PostgresError> {
        let config = config(url)?;
        let mut copying = Copying {
            runtime: runtime()?,
            config,
            client: None,
            database: Database::open_or_create(state_directory)?,
            name: name(state_directory)?,
            has_told: false,
        };
        if let Err(error) = copying.copy() {
            if matches!(error, PostgresError::Refused(_)) {
                return Err(error);
            }
            copying.tell(&error);
        }
        let (end, ended) = mpsc::channel();
        let work = move || {
            loop {
                let is_last = !matches!(
                    ended.recv_timeout(COPY_EVERY),
                    Err(RecvTimeoutError::Timeout)
                );
                match copying.copy() {
                    Ok(()) => copying.has_told = false,
                    Err(error) => copying.tell(&error),
                }
                if is_last {
                    return;
                }
            }
        };
        let thread = thread::Builder::new()
            .name("postgres".to_owned())
            .spawn(work);
        let thread = thread.map_err(PostgresError::Thread)?;
        Ok(Mirror {
            running: Arc::new(Mutex::new(Some((end, thread)))),
        })
    }

    /// Copies the last rows, for two seconds at most.
    pub fn close(&self) {
        let Some((end, thread)) = lock(&self.running).take() else {
            return;
        };
        drop(end);
        let (done, waits) = mpsc::channel();
        let joining = thread::Builder::new().spawn(move || {
            let _ = thread.join();
            let _ = done.send(());
        });
        if joining.is_ok() && waits.recv_timeout(LAST_COPY).is_err() {
            tracing::warn!(
                "the last receipts are not in PostgreSQL yet: they are in the ledger of this machine"
            );
        }
    }
}

/// Writes all rows of all replicas into the ledger of `state_directory`, which is new.
///
/// # Errors
///
/// PostgreSQL cannot be read, or has too many rows.
pub fn fetch(url: &str, state_directory: &Path, since: Option<Since>) -> Result<(), PostgresError> {
    let config = config(url)?;
    let mut database = Database::open_or_create(state_directory)?;
    let since = match since {
        None => 0,
        Some(since) => database.read(|transaction| since.unix_ms(transaction))?,
    };
    let runtime = runtime()?;
    let client = runtime.block_on(async {
        let connecting = timeout(TIME, connect(&config)).await;
        connecting.unwrap_or_else(|_| Err(late()))
    })?;
    let mut ids: HashMap<(String, i64), i64> = HashMap::new();
    for table in &TABLES {
        let mut last: Option<(String, Vec<Value>)> = None;
        let mut count = 0;
        loop {
            let rows = runtime.block_on(page(&client, table, since, last.as_ref()))?;
            if rows.is_empty() {
                break;
            }
            count += rows.len();
            if count > MOST_ROWS {
                return Err(PostgresError::TooMany);
            }
            last = rows.last().map(|row| {
                let key = table.key.split(", ").map(|name| row[name].clone());
                (text(row, "replica"), key.collect())
            });
            database.write(|transaction| {
                rows.iter()
                    .try_for_each(|row| add(transaction, table, row, &mut ids))
            })?;
        }
    }
    Ok(())
}

/// The next rows of a table, in the order of its key.
async fn page(
    client: &Client,
    table: &Table,
    since: i64,
    last: Option<&(String, Vec<Value>)>,
) -> Result<Vec<Value>, PostgresError> {
    let Table { name, key, .. } = table;
    let recent = match *name {
        "steps" => "(replica, call) IN (SELECT replica, id FROM tamis_calls WHERE time_ms >= $1)",
        _ => "time_ms >= $1",
    };
    let after = match last {
        None => String::new(),
        // Its values are numbers and texts of the table itself, quoted as JSON is.
        Some((replica, key_values)) => {
            let values = key_values
                .iter()
                .map(literal)
                .collect::<Vec<_>>()
                .join(", ");
            format!(
                " AND (replica, {key}) > ({}, {values})",
                literal(&Value::from(replica.as_str()))
            )
        }
    };
    let question = format!(
        "SELECT coalesce(json_agg(t), '[]')::text FROM (SELECT * FROM tamis_{name} WHERE {recent}{after} ORDER BY replica, {key} LIMIT {PAGE}) t"
    );
    let asked = timeout(6 * TIME, client.query_one(&question, &[&since])).await;
    let row = asked.map_err(|_| late())??;
    let rows: String = row.get(0);
    serde_json::from_str(&rows).map_err(|error| PostgresError::Failed(error.to_string()))
}

/// A value as SQL spells it.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{}'", text.replace('\'', "''")),
        other => other.to_string(),
    }
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

/// Adds one row to a ledger, under a number of its own.
fn add(
    transaction: &Transaction<'_>,
    table: &Table,
    row: &Value,
    ids: &mut HashMap<(String, i64), i64>,
) -> rusqlite::Result<()> {
    let replica = text(row, "replica");
    let number = |name: &str| row[name].as_i64();
    let id_of_call = |id: Option<i64>| {
        let id = id?;
        ids.get(&(replica.clone(), id)).copied()
    };
    let mut call = id_of_call(number("call"));
    if table.name == "steps" && call.is_none() {
        return Ok(());
    }
    if table.name == "reads" && call.is_none() {
        // The call may be another replica's.
        let find =
            "SELECT id FROM calls WHERE reference = ?1 ORDER BY session = ?2 DESC, id DESC LIMIT 1";
        let found = transaction.query_row(
            find,
            [text(row, "reference"), text(row, "session")],
            |row| row.get(0),
        );
        call = found.ok();
    }
    let columns: Vec<&(&str, bool)> = table
        .columns
        .iter()
        .filter(|(name, _)| *name != "id")
        .collect();
    let cells = columns.iter().map(|(name, is_text)| match *name {
        "call" => call.map_or(Cell::Null, Cell::Integer),
        name if *is_text => row[name]
            .as_str()
            .map_or(Cell::Null, |text| Cell::Text(text.to_owned())),
        name => number(name).map_or(Cell::Null, Cell::Integer),
    });
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let places: Vec<String> = (1..=names.len()).map(|place| format!("?{place}")).collect();
    let insert = format!(
        "INSERT INTO {} ({}) VALUES ({})",
        table.name,
        names.join(", "),
        places.join(", ")
    );
    transaction
        .prepare(&insert)?
        .execute(params_from_iter(cells))?;
    if table.name == "calls"
        && let Some(id) = number("id")
    {
        ids.insert((replica, id), transaction.last_insert_rowid());
    }
    Ok(())
}

/// What copies the rows.
struct Copying {
    runtime: Runtime,
    config: Config,
    client: Option<Client>,
    database: Database,
    name: String,
    has_told: bool,
}

/// The rows of one table that are new.
struct New {
    rows: String,
    last: i64,
}

impl Copying {
    fn tell(&mut self, error: &PostgresError) {
        if !self.has_told {
            tracing::warn!(
                "receipts wait in the ledger of this machine, since PostgreSQL does not take them: {error}"
            );
        }
        self.has_told = true;
        self.client = None;
    }

    /// Copies all new rows.
    fn copy(&mut self) -> Result<(), PostgresError> {
        if self.client.is_none() {
            let connecting = async {
                let client = connect(&self.config).await?;
                make(&client).await?;
                Ok(client)
            };
            let client = self
                .runtime
                .block_on(async { timeout(TIME, connecting).await });
            self.client = Some(client.unwrap_or_else(|_| Err(late()))?);
        }
        while self.copy_some()? {}
        Ok(())
    }

    /// Copies up to [`ROWS`] rows of each table; whether there may be more.
    fn copy_some(&mut self) -> Result<bool, PostgresError> {
        let Copying {
            runtime,
            client,
            database,
            name,
            ..
        } = self;
        let Some(client) = client else {
            return Ok(false);
        };
        let copied = runtime.block_on(async {
            timeout(TIME, async {
                let transaction = client.transaction().await?;
                let place = "INSERT INTO tamis_replicas (replica) VALUES ($1) ON CONFLICT (replica) DO UPDATE SET seen = now() RETURNING calls, reads, listings, drops";
                let place = transaction.query_one(place, &[name]).await?;
                let before: [i64; 4] = [place.get(0), place.get(1), place.get(2), place.get(3)];
                let [calls, reads, listings, drops] = before;
                let new = database.read(|ledger| {
                    let new_calls = rows(ledger, &TABLES[0], name, calls, None)?;
                    let new_steps = rows(ledger, &TABLES[1], name, calls, Some(new_calls.last))?;
                    let new_reads = rows(ledger, &TABLES[2], name, reads, None)?;
                    let new_listings = rows(ledger, &TABLES[3], name, listings, None)?;
                    let new_drops = rows(ledger, &TABLES[4], name, drops, None)?;
                    Ok([new_calls, new_steps, new_reads, new_listings, new_drops])
                })?;
                for (table, new) in TABLES.iter().zip(&new) {
                    if new.rows == "[]" {
                        continue;
                    }
                    let table = table.name;
                    let insert = format!("INSERT INTO tamis_{table} SELECT * FROM json_populate_recordset(NULL::tamis_{table}, $1::text::json) ON CONFLICT DO NOTHING");
                    transaction.execute(&insert, &[&new.rows]).await?;
                }
                let [calls, _, reads, listings, drops] = &new;
                let done = [calls.last, reads.last, listings.last, drops.last];
                let set = "UPDATE tamis_replicas SET calls = $2, reads = $3, listings = $4, drops = $5 WHERE replica = $1";
                transaction.execute(set, &[name, &done[0], &done[1], &done[2], &done[3]]).await?;
                transaction.commit().await?;
                Ok::<bool, PostgresError>(done != before)
            })
            .await
        });
        copied.unwrap_or_else(|_| Err(late()))
    }
}

/// Rows after this number, as JSON; up to [`ROWS`], or up to a number.
fn rows(
    ledger: &Transaction<'_>,
    table: &Table,
    replica: &str,
    after: i64,
    until: Option<i64>,
) -> rusqlite::Result<New> {
    let Table {
        name, by, columns, ..
    } = table;
    let by = if *name == "drops" { "rowid" } else { by };
    let members: Vec<String> = columns
        .iter()
        .map(|(column, _)| match (*name, *column) {
            ("drops", "id") => "'id', number".to_owned(),
            (_, column) => format!("'{column}', {column}"),
        })
        .collect();
    let (upto, limit) = match until {
        Some(until) => (format!(" AND {by} <= {until}"), String::new()),
        None => (String::new(), format!(" LIMIT {ROWS}")),
    };
    let question = format!(
        "SELECT json_group_array(json_object('replica', ?1, {})), coalesce(max(number), ?2) \
         FROM (SELECT {by} AS number, * FROM {name} WHERE {by} > ?2{upto} ORDER BY {by}{limit})",
        members.join(", ")
    );
    ledger.query_row(&question, rusqlite::params![replica, after], |row| {
        Ok(New {
            rows: row.get(0)?,
            last: row.get(1)?,
        })
    })
}

/// Makes the tables that are missing.
async fn make(client: &Client) -> Result<(), PostgresError> {
    let known = client
        .query_one("SELECT to_regclass('tamis_drops') IS NOT NULL", &[])
        .await?;
    if known.get::<_, bool>(0) {
        return Ok(());
    }
    let mut script = format!("BEGIN; SELECT pg_advisory_xact_lock({MAKING});\n");
    script += "CREATE TABLE IF NOT EXISTS tamis_replicas (replica text PRIMARY KEY, calls bigint NOT NULL DEFAULT 0, \
               reads bigint NOT NULL DEFAULT 0, listings bigint NOT NULL DEFAULT 0, drops bigint NOT NULL DEFAULT 0, \
               seen timestamptz NOT NULL DEFAULT now());\n";
    for table in &TABLES {
        let columns = table.columns.iter().map(|(name, is_text)| {
            let kind = if *is_text { "text" } else { "bigint" };
            format!("{name} {kind}")
        });
        let columns: Vec<String> = columns.collect();
        script += &format!(
            "CREATE TABLE IF NOT EXISTS tamis_{} (replica text NOT NULL, {}, PRIMARY KEY (replica, {}));\n",
            table.name,
            columns.join(", "),
            table.key
        );
        if table.name != "steps" {
            script += &format!(
                "CREATE INDEX IF NOT EXISTS tamis_{0}_by_time ON tamis_{0} (time_ms);\n",
                table.name
            );
        }
    }
    script += "COMMIT";
    client.batch_execute(&script).await?;
    Ok(())
}

async fn connect(config: &Config) -> Result<Client, PostgresError> {
    let (client, connection) = config.connect(tls::Tls::new()).await?;
    // Its error is that of the next question.
    tokio::spawn(async move { drop(connection.await) });
    Ok(client)
}

fn config(url: &str) -> Result<Config, PostgresError> {
    // The error may quote the URL.
    let mut config = Config::from_str(url).map_err(|_| PostgresError::Url)?;
    config.connect_timeout(TIME).application_name("tamis");
    Ok(config)
}

fn runtime() -> Result<Runtime, PostgresError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(PostgresError::Thread)
}

fn late() -> PostgresError {
    PostgresError::Failed(format!("no answer within {} s", TIME.as_secs()))
}

/// The name of the ledger of this state directory, among those of all replicas.
fn name(state_directory: &Path) -> Result<String, PostgresError> {
    let path = state_directory.join(NAME_FILE);
    let failed =
        |error: std::io::Error| PostgresError::Failed(format!("{}: {error}", path.display()));
    match file::read_text(&path, 64) {
        Ok(name) if name.len() == 32 => return Ok(name),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let name = hex::encode(&sealed::random::<16>());
    file::replace(&path, name.as_bytes(), crate::system::Access::Owner).map_err(failed)?;
    Ok(name)
}
