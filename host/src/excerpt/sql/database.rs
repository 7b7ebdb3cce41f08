//! A database in memory with the tables that a query names.

use std::time::Instant;

use rusqlite::config::DbConfig;
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Statement, ToSql, params_from_iter};

use super::super::selection::count_lines;
use super::super::view::DocumentView;
use super::forms::Order;
use super::guard;
use super::kinds::{self, Kinds, Storage};
use super::names::{quote, spelled};
use super::reading;
use super::tables::{self, Cell, PARENT, ROW, Row, Table, TableKind};
use super::usage::Usage;
use super::{LINES, TABLES};
use crate::document::scan::compact;
use crate::document::{Node, NodeKind, Tape};
use crate::numbers::grouped;
use std::borrow::Cow;
use tamis_formats::as_shown;

pub(super) struct Database {
    connection: Connection,
    start: Instant,
    /// Notes for the reader about the columns in the query.
    pub(super) notes: Vec<String>,
    /// What the query is told of the columns.
    told: Told,
}

/// How a query must spell values, so that columns are compared with them.
#[derive(Default)]
struct Told {
    /// The names of columns of texts that compare as numbers, in lower case.
    exact: Vec<String>,
    /// Texts that are amounts, where columns, in lower case, have their numbers.
    amounts: Vec<(String, String, f64)>,
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
            told: Told::default(),
        };
        let filled = database.fill(view, tables, text, query);
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
        let usage = Usage::of(query);
        let query = &*query.to_lowercase();
        let connection = &mut self.connection;
        connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA temp_store=MEMORY")?;
        // A name in quotes that no column has is a mistake, and no text.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        guard::bound(connection, self.start)?;
        connection.create_collation(kinds::NUMBERS, reading::compare)?;
        connection.create_collation(kinds::SPELLINGS, |one, other| {
            reading::compare(one, other).then_with(|| one.cmp(other))
        })?;
        let transaction = connection.transaction()?;
        if query.contains(TABLES) {
            list(&transaction, view, tables, text)?;
        }
        if let Some(text) = text.filter(|_| query.contains(LINES)) {
            lines(&transaction, text)?;
        }
        if let Some(tape) = view.tape() {
            let by_end = by_end(tables, &usage);
            let has_rows = tables.iter().any(|table| table.name == tables::ROWS);
            for table in tables {
                let is_all = table.path == "$"
                    && table.kind == TableKind::Outer
                    && !(table.is_of_lists && has_rows);
                let is_named = |name: &str| {
                    let name = name.to_lowercase();
                    query.contains(&name) || query.contains(&name.replace('"', "\"\""))
                };
                let alias = table.alias.as_deref().filter(|alias| is_named(alias));
                let ends = by_end.iter().filter(|(_, own)| std::ptr::eq(*own, table));
                let ends: Vec<&str> = ends.map(|(end, _)| *end).collect();
                if is_named(&table.name) || !ends.is_empty() || is_all && is_named(tables::ROWS) {
                    self.notes.extend(same_key(tables, table, &usage));
                    self.notes
                        .extend(without_parent(tables, table, (query, &usage)));
                    let asked = (query, &usage);
                    let said = (&mut self.notes, &mut self.told);
                    insert(&transaction, (view, tape), table, asked, said)?;
                    for alias in alias.into_iter().chain(ends) {
                        let (alias, name) = (quote(alias), quote(&table.name));
                        transaction.execute_batch(&format!(
                            "CREATE VIEW {alias} AS SELECT * FROM {name}"
                        ))?;
                    }
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
        if usage.has_like_beyond_ascii() {
            guard::add_like(connection)?;
        }
        guard::close(connection)
    }

    /// The query with long numbers as texts where they are compared with texts, and with numbers for amounts.
    pub(super) fn with_own_values(&self, query: &str) -> Option<String> {
        let Told { exact, amounts } = &self.told;
        let is_exact = |name: &str| exact.iter().any(|own| own == name);
        let with_amounts =
            (!amounts.is_empty()).then(|| Usage::of(query).with_amounts(query, amounts));
        let query = with_amounts.as_deref().unwrap_or(query);
        let long = match exact.is_empty() {
            true => None,
            false => Usage::of(query).with_long_numbers(query, is_exact),
        };
        long.or(with_amounts)
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
        let columns: Vec<&str> = table.named_columns(view).collect();
        let columns = columns.join(", ");
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
        insert.execute((number, &*as_shown(line)))?;
    }
    Ok(())
}

/// The tables that a query calls by the end of their names, as `node.edges` for `repositories.node.edges`, if that is the
/// name of no other.
fn by_end<'t, 'u>(tables: &'t [Table], usage: &'u Usage) -> Vec<(&'u str, &'t Table)> {
    let is_known = |name: &str| {
        let names = tables.iter().map(|table| &table.name);
        let mut names = names.chain(tables.iter().filter_map(|table| table.alias.as_ref()));
        matches!(name, tables::ROWS | LINES | TABLES) || names.any(|own| own.to_lowercase() == name)
    };
    let mut found: Vec<(&str, &Table)> = Vec::new();
    for name in usage.read().filter(|name| !is_known(name)) {
        let end = format!(".{name}");
        let has_end = |table: &&Table| {
            let (path, _) = tables::with_dots(&table.path);
            [&table.name, &path]
                .iter()
                .any(|own| own.to_lowercase().ends_with(&end))
        };
        let mut all = tables.iter().filter(has_end);
        let is_new = found.iter().all(|(own, _)| *own != name);
        if let (Some(table), None, true) = (all.next(), all.next(), is_new) {
            found.push((name, table));
        }
    }
    found
}

/// Says which of the lists with the same key a query reads, if it says the key alone.
fn same_key(tables: &[Table], table: &Table, usage: &Usage) -> Option<String> {
    const NAMED: usize = 3;
    if table.others.is_empty() || !usage.reads(&table.name.to_ascii_lowercase()) {
        return None;
    }
    let others = table.others.iter().take(NAMED).map(|name| {
        let rows = tables.iter().find(|other| other.name == *name);
        let rows = rows.map_or(0, |other| other.rows.len());
        format!("{} ({rows})", spelled(name))
    });
    let mut others: Vec<String> = others.collect();
    if table.others.len() > NAMED {
        others.push("…".to_owned());
    }
    Some(format!(
        "{} is {} ({} rows), not {}",
        table.name,
        table.path,
        table.rows.len(),
        others.join(", ")
    ))
}

/// Says which column joins a list in rows with these rows, if a query reads both without it. `query`: in lower case.
fn without_parent(
    tables: &[Table],
    table: &Table,
    (query, usage): (&str, &Usage),
) -> Option<String> {
    if table.kind != TableKind::Inner || query.contains(PARENT) {
        return None;
    }
    let path = table.path.strip_suffix("[*]").unwrap_or(&table.path);
    let holders = path
        .rmatch_indices("[*]")
        .chain(path.rmatch_indices(".*"))
        .map(|(end, _)| end)
        .max();
    let holder = tables
        .iter()
        .find(|it| Some(it.path.len()) == holders && path.starts_with(&it.path))?;
    let reads = |table: &Table| usage.reads(&table.name.to_ascii_lowercase());
    (reads(table) && reads(holder)).then(|| {
        let (name, holder) = (spelled(&table.name), spelled(&holder.name));
        format!("{name}.{PARENT} is the {ROW} of {holder}")
    })
}

/// `query`: in lower case.
fn insert<'v>(
    connection: &Connection,
    (view, tape): (&'v DocumentView<'_>, &'v Tape),
    table: &'v Table,
    (query, usage): (&str, &Usage),
    (notes, told): (&mut Vec<String>, &mut Told),
) -> rusqlite::Result<()> {
    let columns_of = table.columns(view);
    let names = &columns_of.names;
    let kinds_of = |name: &String| Kinds::of(name, usage, view.is_of_texts);
    let mut kinds: Vec<Kinds> = names.iter().map(kinds_of).collect();
    // Cells that no query reads are NULL.
    let may_be_read: Vec<bool> = names
        .iter()
        .map(|name| usage.may_read(query, &name.to_lowercase()))
        .collect();
    let each = |row: &Row, take: &mut dyn FnMut(usize, Value<'v>)| {
        tables::cells(view, tape, table, row, &mut |name, cell| {
            if let Some(place) = columns_of.place(name).filter(|place| may_be_read[*place]) {
                take(place, Value::of(view, cell));
            }
        });
    };
    for row in &table.rows {
        each(row, &mut |place, value| kinds[place].add(&value));
    }
    let stored: Vec<Storage> = names
        .iter()
        .zip(&kinds)
        .map(|(name, kinds)| kinds.storage(name, usage))
        .collect();
    notes.extend(
        stored
            .iter()
            .flat_map(|stored| stored.notes.iter().cloned()),
    );
    let collation = |name: &str| quote(&format!("{} {name}", table.name));
    let affinities = names.iter().zip(&stored).map(|(name, stored)| {
        let Some(form) = stored.order.clone() else {
            return Ok(stored.affinity.clone());
        };
        let order = Order::of(form, usage.literals());
        // SQLite takes the name without its quotes.
        let own = format!("{} {name}", table.name);
        connection.create_collation(&*own, move |one, other| order.compare(one, other))?;
        Ok(format!("TEXT COLLATE {}", collation(name)))
    });
    let affinities: Vec<String> = affinities.collect::<rusqlite::Result<_>>()?;
    let own = names.iter().zip(&stored);
    let own = own.filter(|(_, stored)| stored.is_exact);
    told.exact
        .extend(own.map(|(name, _)| name.to_ascii_lowercase()));
    for (name, stored) in names.iter().zip(&stored) {
        let name = name.to_ascii_lowercase();
        let amounts = stored.amounts.iter();
        let own = amounts.map(|(text, number)| (name.clone(), text.clone(), *number));
        told.amounts.extend(own);
    }
    for (column, own) in &table.singles {
        let column = column.to_lowercase();
        if query.contains(&format!("{column}.")) && !usage.reads(&own.to_ascii_lowercase()) {
            let own = spelled(own);
            notes.push(format!(
                "where {column} is a list, its columns are NULL: table {own} has all"
            ));
        }
    }
    for (member, column) in columns_of.renamed() {
        if query.contains(&member.to_lowercase()) {
            let another = match names.contains(&member) {
                true => "another ",
                false => "",
            };
            let column = spelled(column);
            notes.push(format!(
                "{another}{member} is the column {column}, since that name is taken"
            ));
        }
    }
    let mut columns = vec![format!("{ROW} INTEGER")];
    if table.kind == TableKind::Inner {
        columns.push(format!("{PARENT} INTEGER"));
    }
    let own = names.iter().zip(&affinities);
    columns.extend(own.map(|(name, affinity)| format!("{} {affinity}", quote(name))));
    let name = quote(&table.name);
    connection.execute_batch(&format!("CREATE TABLE {name} ({})", columns.join(",")))?;
    let marks = vec!["?"; columns.len()].join(",");
    let mut insert = connection.prepare(&format!("INSERT INTO {name} VALUES ({marks})"))?;
    let first = columns.len() - names.len();
    // The last row that has a value in each column, and the rows that have a second one there: an object with a key again.
    let (mut filled, mut doubled) = (vec![usize::MAX; names.len()], vec![0_u64; names.len()]);
    for (number, row) in table.rows.iter().enumerate() {
        let mut values = vec![Value::Null; columns.len()];
        values[0] = Value::Integer((number as u64 + table.first_row) as i64, "");
        if first > 1 {
            values[1] = Value::Integer(row.parent as i64, "");
        }
        each(row, &mut |place, value| {
            doubled[place] += u64::from(filled[place] == number);
            filled[place] = number;
            let is_gap = matches!(&value, Value::Text(text) if text.is_empty());
            // Among numbers nothing is no number.
            let stored = &stored[place];
            let is_nothing = |text: &str| stored.nothing.is_some_and(|is_it| is_it(text));
            values[first + place] = match value {
                _ if is_gap && stored.has_no_gaps => Value::Null,
                Value::Text(text) if is_nothing(&text) => Value::Null,
                Value::Integer(_, text) | Value::Real(_, text) if stored.as_texts => {
                    Value::Text(text.into())
                }
                value => match &stored.conversion {
                    Some(conversion) => conversion.of(value),
                    None => value,
                },
            };
        });
        insert.execute(params_from_iter(values.iter()))?;
    }
    let doubled = names.iter().zip(doubled).filter(|(_, more)| *more > 0);
    notes.extend(doubled.map(|(name, more)| {
        let (name, more) = (spelled(name), grouped(more));
        format!("{name} has the last value of rows that have this key again: {more} earlier values are no cells")
    }));
    Ok(())
}

/// A cell in SQLite's types. Numbers come with their spelling.
#[derive(Clone)]
pub(super) enum Value<'v> {
    Null,
    Boolean(bool),
    Integer(i64, &'v str),
    Real(f64, &'v str),
    /// A whole number of more than 64 bits.
    Long(&'v str),
    Text(Cow<'v, str>),
}

impl<'v> Value<'v> {
    fn of(view: &'v DocumentView<'_>, cell: Cell<'v>) -> Value<'v> {
        let node = match cell {
            Cell::Key(key) => return Value::Text(key),
            Cell::Node(node) | Cell::Record(node) | Cell::Entry(node) => node,
        };
        match node.kind {
            NodeKind::Null => Value::Null,
            NodeKind::True => Value::Boolean(true),
            NodeKind::False => Value::Boolean(false),
            // In a table of texts a number is a text: `1.10`, `007`.
            NodeKind::Number if view.is_of_texts => Value::Text(view.spelling(node).into()),
            NodeKind::Number => Value::number(view, node),
            NodeKind::String | NodeKind::Key => Value::Text(view.string(node)),
            NodeKind::Array | NodeKind::Object => {
                Value::Text(without_json_escapes(compact(view.spelling(node))).into())
            }
        }
    }

    fn number(view: &'v DocumentView<'_>, node: Node) -> Value<'v> {
        let spelling = view.spelling(node);
        if let Ok(number) = spelling.parse() {
            return Value::Integer(number, spelling);
        }
        let is_whole = spelling
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        match spelling.parse::<f64>() {
            Ok(number) if !is_whole && number.is_finite() => Value::Real(number, spelling),
            _ => Value::Long(spelling),
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Value::Null => Ok(ToSqlOutput::from(rusqlite::types::Null)),
            Value::Boolean(value) => Ok(ToSqlOutput::from(i64::from(*value))),
            Value::Integer(number, _) => Ok(ToSqlOutput::from(*number)),
            Value::Real(number, _) => Ok(ToSqlOutput::from(*number)),
            Value::Long(text) => Ok(ToSqlOutput::from(*text)),
            Value::Text(text) => Ok(ToSqlOutput::from(&**text)),
        }
    }
}

/// JSON whose strings have their letters as they are: `\u00e9` and `\/` say no more than `é` and `/`.
fn without_json_escapes(json: String) -> String {
    if !json.contains("\\u") && !json.contains("\\/") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = &*json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let unit = |from: usize| {
            let digits = rest.get(from..from + 6)?.strip_prefix("\\u")?;
            u16::from_str_radix(digits, 16).ok()
        };
        let units: Vec<u16> = [unit(0), unit(6)]
            .into_iter()
            .map_while(|unit| unit)
            .collect();
        let letter = char::decode_utf16(units).next().and_then(Result::ok);
        let letter = letter.filter(|c| !c.is_control() && !matches!(c, '"' | '\\'));
        let length = match letter {
            Some(letter) => {
                out.push(letter);
                6 * letter.len_utf16()
            }
            None if rest.starts_with("\\/") => {
                out.push('/');
                2
            }
            None => {
                let length = 2.min(rest.len());
                out.push_str(&rest[..length]);
                length
            }
        };
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}
