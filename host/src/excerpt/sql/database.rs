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
        if is_named && let Some(note) = kinds.note(name) {
            notes.push(note);
        } else if is_named && says_boolean && kinds.has_booleans {
            notes.push(format!("{name} is 1 or 0"));
        }
    }
    for (member, column) in columns_of.renamed() {
        if query.contains(&member.to_lowercase()) {
            let column = spelled(column);
            notes.push(format!(
                "{member} is the column {column}, since that name is taken"
            ));
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
            values[first + place] = match is_gap && kinds[place].is_numeric() {
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
struct Kinds<'v> {
    numbers: u64,
    /// Texts that are numbers.
    quantities: u64,
    /// Other texts, and the first of them.
    words: u64,
    word: Option<Cow<'v, str>>,
    /// A text would be another one as a number: `007`, or a number of many digits.
    has_codes: bool,
    has_gaps: bool,
    /// Decimals of the first text that is a number, and whether another has more or fewer.
    decimals: Option<usize>,
    has_other_decimals: bool,
    /// A text has an exponent, as no version has.
    has_powers: bool,
    has_booleans: bool,
}

impl<'v> Kinds<'v> {
    fn add(&mut self, value: &Value<'v>) {
        match value {
            Value::Null => {}
            Value::Boolean(_) => {
                self.has_booleans = true;
                self.numbers += 1;
            }
            Value::Integer(_) | Value::Real(_) => self.numbers += 1,
            Value::Text(text) if text.is_empty() => self.has_gaps = true,
            Value::Text(text) if is_quantity(text) => {
                self.quantities += 1;
                self.has_powers |= text.contains(['e', 'E']);
                let decimals = text
                    .split_once('.')
                    .map_or(0, |(_, decimals)| decimals.len());
                let first = *self.decimals.get_or_insert(decimals);
                self.has_other_decimals |= first != decimals;
            }
            Value::Text(text) => {
                self.words += 1;
                self.has_codes |= text.contains(|c: char| c.is_ascii_digit())
                    && text.trim().parse::<f64>().is_ok();
                self.word.get_or_insert_with(|| text.clone());
            }
        }
    }

    /// Whether the values are numbers, or texts that are, but for a few texts.
    fn are_quantities(&self) -> bool {
        let numbers = self.numbers + self.quantities;
        numbers > 0 && !self.has_codes && self.words <= numbers / 4
    }

    /// Whether texts that are numbers can be numbers in the database: with as many decimals each, since `1.1` and `1.10`
    /// may be versions.
    fn is_numeric(&self) -> bool {
        self.are_quantities() && (!self.has_other_decimals || self.has_powers)
    }

    /// What a query must know about the column; none if its values compare as they seem to.
    fn note(&self, name: &str) -> Option<String> {
        const WORD_CHARACTERS: usize = 20;
        if !self.are_quantities() || self.is_numeric() && self.words == 0 {
            return None;
        }
        let column = spelled(name);
        let word = self.word.iter().flat_map(|word| word.chars());
        let word: String = word.take(WORD_CHARACTERS).collect();
        let words = match self.words {
            1 => format!("1 text ({word:?})"),
            words => format!("{words} texts (like {word:?})"),
        };
        Some(if self.is_numeric() {
            format!(
                "{name} has {words} among numbers: larger than any of them, and 0 in avg and sum, unless left out by typeof({column}) <> 'text'"
            )
        } else {
            let value = match self.has_gaps {
                true => format!("NULLIF({column},'')"),
                false => column,
            };
            let words = match self.words {
                0 => String::new(),
                _ => format!("; {words} would be 0"),
            };
            format!("{name} holds texts: CAST({value} AS REAL) compares as numbers{words}")
        })
    }

    /// Texts that are all numbers, or nearly all, compare as numbers; a column of other texts compares as text, with a
    /// number too.
    fn affinity(&self) -> &'static str {
        match self {
            kinds if kinds.is_numeric() => "NUMERIC",
            Kinds { numbers: 0, .. } => "TEXT",
            _ => "",
        }
    }
}

/// Whether SQLite loses nothing of a decimal number but zeros at the end: it has no more digits than a float
/// keeps.
fn is_quantity(text: &str) -> bool {
    const DIGITS: usize = 15;
    let (number, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let power = power.strip_prefix(['-', '+']).unwrap_or(power);
    let is_power = (1..=3).contains(&power.len()) && power.bytes().all(|it| it.is_ascii_digit());
    is_number(number) && is_power && number.bytes().filter(u8::is_ascii_digit).count() <= DIGITS
}
