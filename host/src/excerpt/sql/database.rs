//! A database in memory with the tables that a query names.

use std::time::Instant;

use rusqlite::config::DbConfig;
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Statement, ToSql, params_from_iter};

use super::super::selection::count_lines;
use super::super::view::DocumentView;
use super::guard;
use super::names::{quote, spelled};
use super::tables::{self, Cell, PARENT, ROW, Row, Table, TableKind};
use super::{LINES, TABLES};
use crate::document::scan::compact;
use crate::document::{Node, NodeKind, Tape};
use std::borrow::Cow;
use tamis_formats::{is_number, without_escapes};

pub(super) struct Database {
    connection: Connection,
    start: Instant,
    /// Notes for the reader about the columns in the query.
    pub(super) notes: Vec<String>,
}

impl Database {
    /// The database for one query. It has no rows for tables that the query does not name.
    pub(super) fn of(
        view: &DocumentView<'_>,
        tables: &[Table],
        text: Option<&str>,
        query: &str,
    ) -> Result<Database, String> {
        let start = Instant::now();
        let connection = Connection::open_in_memory().map_err(|error| error.to_string())?;
        let mut database = Database {
            connection,
            start,
            notes: Vec::new(),
        };
        let filled = database.fill(view, tables, text, &query.to_lowercase());
        filled.map_err(|error| database.reason(&error))?;
        Ok(database)
    }

    fn fill(
        &mut self,
        view: &DocumentView<'_>,
        tables: &[Table],
        text: Option<&str>,
        query: &str,
    ) -> rusqlite::Result<()> {
        let connection = &mut self.connection;
        connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA temp_store=MEMORY")?;
        // A name in quotes that no column has is a mistake, and no text.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        guard::bound(connection, self.start)?;
        let transaction = connection.transaction()?;
        if query.contains(TABLES) {
            list(&transaction, view, tables, text)?;
        }
        if let Some(text) = text.filter(|_| query.contains(LINES)) {
            lines(&transaction, text)?;
        }
        if let Some(tape) = view.tape() {
            for table in tables {
                let is_all = table.path == "$" && table.kind == TableKind::Outer;
                let is_named = |name: &str| {
                    let name = name.to_lowercase();
                    query.contains(&name) || query.contains(&name.replace('"', "\"\""))
                };
                if is_named(&table.name) || is_all && is_named(tables::ROWS) {
                    insert(&transaction, (view, tape), table, query, &mut self.notes)?;
                }
                if is_all && table.name != tables::ROWS && is_named(tables::ROWS) {
                    let name = quote(&table.name);
                    let rows = tables::ROWS;
                    transaction
                        .execute_batch(&format!("CREATE VIEW {rows} AS SELECT * FROM {name}"))?;
                }
            }
        }
        transaction.commit()?;
        guard::close(connection)
    }

    pub(super) fn prepare(&self, query: &str) -> Result<Statement<'_>, String> {
        // `prepare` refuses a second statement.
        self.connection
            .prepare(query)
            .map_err(|error| self.reason(&error))
    }

    /// Why SQLite did not answer, in words for the author of the query.
    pub(super) fn reason(&self, error: &rusqlite::Error) -> String {
        use rusqlite::ErrorCode::{
            AuthorizationForStatementDenied, OperationInterrupted, OutOfMemory,
        };
        match error.sqlite_error_code() {
            Some(OperationInterrupted) => format!(
                "it takes longer than {} s: ask for less, or without a join",
                guard::DEADLINE.as_secs()
            ),
            Some(OutOfMemory) => format!(
                "it takes more than {} MiB: ask for less",
                guard::MEMORY_BYTES >> 20
            ),
            Some(AuthorizationForStatementDenied) => {
                "only SELECT is allowed, with SQLite's functions for text, numbers, dates and JSON"
                    .to_owned()
            }
            _ => match error {
                rusqlite::Error::SqlInputError { msg, .. } if msg.starts_with("no such column") => {
                    format!("{msg} (texts stand in 'single quotes')")
                }
                rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
                rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
                rusqlite::Error::MultipleStatement => "it is more than one statement".to_owned(),
                error => error.to_string(),
            },
        }
    }
}

/// The table of tables.
fn list(
    connection: &Connection,
    view: &DocumentView<'_>,
    tables: &[Table],
    text: Option<&str>,
) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "CREATE TABLE {TABLES} (name TEXT, path TEXT, rows INTEGER, columns TEXT)"
    ))?;
    let mut insert = connection.prepare(&format!("INSERT INTO {TABLES} VALUES (?,?,?,?)"))?;
    for table in tables {
        let columns = table.columns(view).names.join(", ");
        insert.execute((&table.name, &table.path, table.rows.len() as i64, columns))?;
    }
    if let Some(text) = text {
        let lines = count_lines(text) as i64;
        insert.execute((LINES, "", lines, "line, text"))?;
    }
    Ok(())
}

fn lines(connection: &Connection, text: &str) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "CREATE TABLE {LINES} (line INTEGER PRIMARY KEY, text TEXT)"
    ))?;
    let mut insert = connection.prepare(&format!("INSERT INTO {LINES} VALUES (?,?)"))?;
    for (number, line) in (1_i64..).zip(text.lines()) {
        insert.execute((number, &*without_escapes(line)))?;
    }
    Ok(())
}

/// `query`: in lower case.
fn insert<'v>(
    connection: &Connection,
    (view, tape): (&'v DocumentView<'_>, &'v Tape),
    table: &'v Table,
    query: &str,
    notes: &mut Vec<String>,
) -> rusqlite::Result<()> {
    let columns_of = table.columns(view);
    let names = &columns_of.names;
    let mut kinds = vec![Kinds::default(); names.len()];
    let each = |row: &Row, take: &mut dyn FnMut(usize, Value<'v>)| {
        tables::cells(view, tape, table, row, &mut |name, cell| {
            if let Some(place) = columns_of.place(name) {
                take(place, Value::of(view, cell));
            }
        });
    };
    for row in &table.rows {
        each(row, &mut |place, value| kinds[place].add(&value));
    }
    let says_boolean = query.contains("'true'") || query.contains("'false'");
    for (name, kinds) in names.iter().zip(&kinds) {
        let is_named = query.contains(&name.to_lowercase());
        if is_named && kinds.is_doubtful() {
            notes.push(format!(
                "{name} holds texts: CAST({} AS REAL) compares as numbers",
                spelled(name)
            ));
        } else if is_named && says_boolean && kinds.has_booleans {
            notes.push(format!("{name} is 1 or 0"));
        }
    }
    let mut columns = vec![format!("{ROW} INTEGER")];
    if table.kind == TableKind::Inner {
        columns.push(format!("{PARENT} INTEGER"));
    }
    let own = names.iter().zip(&kinds);
    columns.extend(own.map(|(name, kinds)| format!("{} {}", quote(name), kinds.affinity())));
    let name = quote(&table.name);
    connection.execute_batch(&format!("CREATE TABLE {name} ({})", columns.join(",")))?;
    let marks = vec!["?"; columns.len()].join(",");
    let mut insert = connection.prepare(&format!("INSERT INTO {name} VALUES ({marks})"))?;
    let first = columns.len() - names.len();
    for (place, row) in table.rows.iter().enumerate() {
        let mut values = vec![Value::Null; columns.len()];
        values[0] = Value::Integer(place as i64);
        if first > 1 {
            values[1] = Value::Integer(row.parent as i64);
        }
        each(row, &mut |place, value| {
            let is_gap = matches!(&value, Value::Text(text) if text.is_empty());
            // Among numbers nothing is no number.
            values[first + place] = match is_gap && kinds[place].are_numbers() {
                true => Value::Null,
                false => value,
            };
        });
        insert.execute(params_from_iter(values.iter()))?;
    }
    Ok(())
}

/// A cell in SQLite's types.
#[derive(Clone)]
enum Value<'v> {
    Null,
    Boolean(bool),
    Integer(i64),
    Real(f64),
    Text(Cow<'v, str>),
}

impl<'v> Value<'v> {
    fn of(view: &'v DocumentView<'_>, cell: Cell<'v>) -> Value<'v> {
        let node = match cell {
            Cell::Key(key) => return Value::Text(key),
            Cell::Node(node) | Cell::Record(node) => node,
        };
        match node.kind {
            NodeKind::Null => Value::Null,
            NodeKind::True => Value::Boolean(true),
            NodeKind::False => Value::Boolean(false),
            NodeKind::Number => Value::number(view, node),
            NodeKind::String | NodeKind::Key => Value::Text(view.string(node)),
            NodeKind::Array | NodeKind::Object => Value::Text(compact(view.spelling(node)).into()),
        }
    }

    /// A whole number of more than 64 bits is an identifier rather than a quantity: it keeps its digits.
    fn number(view: &'v DocumentView<'_>, node: Node) -> Value<'v> {
        let spelling = view.spelling(node);
        if let Ok(number) = spelling.parse() {
            return Value::Integer(number);
        }
        let is_whole = spelling
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        match spelling.parse::<f64>() {
            Ok(number) if !is_whole && number.is_finite() => Value::Real(number),
            _ => Value::Text(spelling.into()),
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Value::Null => Ok(ToSqlOutput::from(rusqlite::types::Null)),
            Value::Boolean(value) => Ok(ToSqlOutput::from(i64::from(*value))),
            Value::Integer(number) => Ok(ToSqlOutput::from(*number)),
            Value::Real(number) => Ok(ToSqlOutput::from(*number)),
            Value::Text(text) => Ok(ToSqlOutput::from(&**text)),
        }
    }
}

/// The kinds of values in a column.
#[derive(Clone, Default)]
struct Kinds {
    has_numbers: bool,
    /// Texts that are not numbers.
    has_words: bool,
    /// Decimals of the first text that is a number, and whether another has more or fewer.
    decimals: Option<usize>,
    has_other_decimals: bool,
    has_booleans: bool,
}

impl Kinds {
    fn add(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => {}
            Value::Boolean(_) => {
                self.has_booleans = true;
                self.has_numbers = true;
            }
            Value::Integer(_) | Value::Real(_) => self.has_numbers = true,
            Value::Text(text) => {
                if text.is_empty() {
                    return;
                }
                self.has_words |= !is_quantity(text);
                let decimals = text
                    .split_once('.')
                    .map_or(0, |(_, decimals)| decimals.len());
                let first = *self.decimals.get_or_insert(decimals);
                self.has_other_decimals |= first != decimals;
            }
        }
    }

    /// Whether all values are numbers, or texts that are: with as many decimals each, since `1.1` and `1.10` may be
    /// versions.
    fn are_numbers(&self) -> bool {
        let has_any = self.has_numbers || self.decimals.is_some();
        has_any && !self.has_words && !self.has_other_decimals
    }

    /// Whether texts are numbers that compare as texts.
    fn is_doubtful(&self) -> bool {
        self.decimals.is_some() && !self.has_words && self.has_other_decimals
    }

    /// Texts that are all numbers compare as numbers; a column of other texts compares as text, with a number too.
    fn affinity(&self) -> &'static str {
        match self {
            kinds if kinds.are_numbers() => "NUMERIC",
            Kinds {
                has_numbers: false, ..
            } => "TEXT",
            _ => "",
        }
    }
}

/// Whether SQLite loses nothing of a decimal number but zeros at the end: it has no more digits than a float
/// keeps.
fn is_quantity(text: &str) -> bool {
    const DIGITS: usize = 15;
    is_number(text) && text.bytes().filter(u8::is_ascii_digit).count() <= DIGITS
}
