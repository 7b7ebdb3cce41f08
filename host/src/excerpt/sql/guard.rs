//! The limits of a query: it may only read, with these functions, for this time, in this memory.
//!
//! Owns the bounds of a query. They hold as soon as the document's rows are in the database; no part of the
//! query runs before.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;

use super::super::pattern::Pattern;

/// Time that the rows and the query may take together.
pub(super) const DEADLINE: Duration = Duration::from_secs(3);
/// Memory of all of SQLite in this process, in bytes: queries that would need more fail.
pub(super) const MEMORY_BYTES: u64 = 256 << 20;
/// Steps of SQLite's machine between two checks of the clock.
const STEPS: i32 = 2_000;

/// Most steps of one LIKE that knows the case of all letters: the letters of the pattern times those of the text.
const LIKE_STEPS: usize = 50_000_000;

const LIMITS: [(Limit, i32); 9] = [
    // One value.
    (Limit::SQLITE_LIMIT_LENGTH, 16 << 20),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Functions that a query may call. `random`, and functions that read the time of day, are not among them.
const FUNCTIONS: [&str; 88] = [
    "->",
    "->>",
    "abs",
    "avg",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "count",
    "cume_dist",
    "date",
    "datetime",
    "dense_rank",
    "first_value",
    "format",
    "glob",
    "group_concat",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_each",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_quote",
    "json_tree",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "lower",
    "ltrim",
    "max",
    "min",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "printf",
    "quote",
    "rank",
    "regexp",
    "regexp_substr",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "split_part",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "subtype",
    "sum",
    "time",
    "timediff",
    "total",
    "trim",
    "typeof",
    "unhex",
    "unicode",
    "unixepoch",
    "unlikely",
    "upper",
    "ceil",
    "ceiling",
    "floor",
    "mod",
    "pow",
    "power",
    "sqrt",
    "trunc",
    "median",
    "percentile",
];

/// Sets the bounds that also hold while rows are inserted.
pub(super) fn bound(connection: &mut Connection, start: Instant) -> rusqlite::Result<()> {
    connection.pragma_update(None, "hard_heap_limit", MEMORY_BYTES as i64)?;
    for (limit, most) in LIMITS {
        connection.set_limit(limit, most)?;
    }
    connection.progress_handler(STEPS, Some(move || start.elapsed() > DEADLINE))
}

/// Makes the connection read-only from now on.
pub(super) fn close(connection: &mut Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    // `text REGEXP pattern` calls `regexp(pattern, text)`.
    let last = Last::default();
    connection.create_scalar_function("regexp", 2, flags, move |context| {
        let (wanted, text): (String, Option<String>) = (context.get(0)?, context.get(1)?);
        last.ask(&wanted, text, |pattern, text| pattern.is_in(text))
    })?;
    let last = Last::default();
    connection.create_scalar_function("regexp_substr", 2, flags, move |context| {
        let (text, wanted): (Option<String>, String) = (context.get(0)?, context.get(1)?);
        let found = last.ask(&wanted, text, |pattern, text| pattern.first_group(text))?;
        Ok(found.flatten())
    })?;
    connection.create_scalar_function("split_part", 3, flags, |context| {
        let text: Option<String> = context.get(0)?;
        let (separator, place): (String, i64) = (context.get(1)?, context.get(2)?);
        Ok(text.map(|text| part(&text, &separator, place).to_owned()))
    })?;
    // SQLite's own know the case of ASCII alone.
    for (name, change) in [
        ("lower", str::to_lowercase as fn(&str) -> String),
        ("upper", str::to_uppercase),
    ] {
        connection.create_scalar_function(name, 1, flags, move |context| {
            Ok(match context.get_raw(0) {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(format!("{number:?}")),
                ValueRef::Text(text) | ValueRef::Blob(text) => {
                    Some(change(&String::from_utf8_lossy(text)))
                }
            })
        })?;
    }
    connection.authorizer(Some(|context: AuthContext<'_>| match context.action {
        AuthAction::Select | AuthAction::Recursive | AuthAction::Read { .. } => {
            Authorization::Allow
        }
        AuthAction::Function { function_name }
            if FUNCTIONS
                .iter()
                .any(|name| name.eq_ignore_ascii_case(function_name)) =>
        {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }))
}

/// Replaces LIKE by one that knows the case of all letters.
pub(super) fn add_like(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    for arguments in [2, 3] {
        connection.create_scalar_function("like", arguments, flags, |context| {
            let letters = |place: usize| -> rusqlite::Result<Option<Vec<char>>> {
                Ok(match context.get_raw(place) {
                    ValueRef::Null => None,
                    ValueRef::Integer(number) => Some(number.to_string().chars().collect()),
                    ValueRef::Real(number) => Some(format!("{number:?}").chars().collect()),
                    ValueRef::Text(text) | ValueRef::Blob(text) => {
                        Some(String::from_utf8_lossy(text).chars().collect())
                    }
                })
            };
            let escape = match context.len() {
                3 => letters(2)?.and_then(|escape| escape.first().copied()),
                _ => None,
            };
            let (Some(pattern), Some(text)) = (letters(0)?, letters(1)?) else {
                return Ok(None);
            };
            let most = LIKE_STEPS / pattern.len().max(1);
            if text.len() > most {
                return Err(rusqlite::Error::UserFunctionError(
                    "a text is too long for this LIKE: use REGEXP".into(),
                ));
            }
            Ok(Some(is_like(&pattern, &text, escape)))
        })?;
    }
    Ok(())
}

/// Whether a text is like a pattern, in which `%` stands for any letters, and `_` for one.
fn is_like(pattern: &[char], text: &[char], escape: Option<char>) -> bool {
    let is_same =
        |one: char, other: char| one == other || one.to_lowercase().eq(other.to_lowercase());
    let (mut at, mut in_text) = (0, 0);
    // After the last `%`, and the text that it does not stand for yet.
    let mut retry = None;
    loop {
        let sign = pattern.get(at).copied();
        let is_escaped = sign.is_some() && sign == escape;
        if sign == Some('%') && !is_escaped {
            at += 1;
            retry = Some((at, in_text));
            continue;
        }
        let Some(&letter) = text.get(in_text) else {
            return sign.is_none();
        };
        let wanted = match is_escaped {
            true => pattern.get(at + 1).copied(),
            false => sign,
        };
        let is_met =
            wanted.is_some_and(|wanted| !is_escaped && wanted == '_' || is_same(wanted, letter));
        if is_met {
            at += 1 + usize::from(is_escaped);
            in_text += 1;
        } else if let Some((after, from)) = retry {
            (at, in_text) = (after, from + 1);
            retry = Some((after, from + 1));
        } else {
            return false;
        }
    }
}

/// The pattern that the last row asked for: the next one asks for the same.
#[derive(Default)]
struct Last(Mutex<Option<(String, Pattern)>>);

impl Last {
    fn ask<T>(
        &self,
        wanted: &str,
        text: Option<String>,
        answer: impl Fn(&Pattern, &str) -> T,
    ) -> rusqlite::Result<Option<T>> {
        let Some(text) = text else { return Ok(None) };
        let mut last = crate::lock::lock(&self.0);
        let failed =
            |error: super::ReadError| rusqlite::Error::UserFunctionError(error.to_string().into());
        if last.as_ref().is_none_or(|(known, _)| known != wanted) {
            let pattern = Pattern::new(wanted, true, false).map_err(failed)?;
            *last = Some((wanted.to_owned(), pattern));
        }
        let Some((_, pattern)) = last.as_ref() else {
            return Ok(None);
        };
        let answer = answer(pattern, &text);
        pattern.done().map_err(failed)?;
        Ok(Some(answer))
    }
}

/// The part of a text between separators at a place, counted from 1, or from the end if negative; empty if the
/// place is out of range.
fn part<'t>(text: &'t str, separator: &str, place: i64) -> &'t str {
    let nth = usize::try_from(place.unsigned_abs().saturating_sub(1)).unwrap_or(usize::MAX);
    let found = match (separator, place) {
        (_, 0) => None,
        ("", _) => (nth == 0).then_some(text),
        (_, 1..) => text.split(separator).nth(nth),
        _ => text.rsplit(separator).nth(nth),
    };
    found.unwrap_or_default()
}
