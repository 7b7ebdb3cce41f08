//! Names in a query: how to spell a name that SQL would not accept as one, and names that contain dots.

use super::super::view::DocumentView;
use super::tables::{Table, VALUE};
use std::borrow::Cow;

/// A name as a query spells it: in double quotes if it is not a plain word, or if it is a word of SQL.
pub(super) fn spelled(name: &str) -> String {
    let mut letters = name.chars();
    let is_plain = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain && !is_keyword(name) {
        name.to_owned()
    } else {
        quote(name)
    }
}

pub(super) fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Words that SQLite takes for no name where one is expected.
fn is_keyword(name: &str) -> bool {
    const RESERVED: [&str; 65] = [
        "add",
        "all",
        "alter",
        "and",
        "as",
        "autoincrement",
        "between",
        "case",
        "check",
        "collate",
        "commit",
        "constraint",
        "create",
        "default",
        "deferrable",
        "delete",
        "distinct",
        "drop",
        "else",
        "escape",
        "except",
        "exists",
        "foreign",
        "from",
        "group",
        "having",
        "in",
        "index",
        "insert",
        "intersect",
        "into",
        "is",
        "isnull",
        "join",
        "limit",
        "not",
        "nothing",
        "notnull",
        "null",
        "on",
        "or",
        "order",
        "primary",
        "references",
        "returning",
        "select",
        "set",
        "table",
        "then",
        "to",
        "transaction",
        "union",
        "unique",
        "update",
        "using",
        "values",
        "when",
        "where",
        "natural",
        "left",
        "right",
        "inner",
        "outer",
        "cross",
        "full",
    ];
    RESERVED.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// The query with quotes around names with dots (`owner.login`, `i.owner.login`) that are columns; none if it
/// contains no such name.
pub(super) fn quoted(query: &str, view: &DocumentView<'_>, tables: &[Table]) -> Option<String> {
    let columns = || {
        let names = tables.iter().flat_map(|table| &table.columns(view).names);
        let names = names.chain(tables.iter().map(|table| &table.name));
        names.chain(tables.iter().filter_map(|table| table.alias.as_ref()))
    };
    let known = |name: &str| columns().find(|column| column.eq_ignore_ascii_case(name));
    // `total-qty` and `Full Name`, as summaries write them.
    let odd = |rest: &str| {
        let odd = columns().filter(|name| name.contains(|c| !is_letter(c) && c != '.'));
        odd.filter(|name| {
            let start = rest.get(..name.len());
            let is_it = start.is_some_and(|start| start.eq_ignore_ascii_case(name));
            is_it && !rest[name.len()..].starts_with(is_letter)
        })
        .max_by_key(|name| name.len())
    };
    let mut out = String::with_capacity(query.len() + 16);
    let mut is_changed = false;
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let may_begin = !matches!(first, '\'' | '`' | '[' | '"') && !out.ends_with(is_letter);
        if let Some(name) = may_begin.then(|| odd(rest)).flatten() {
            out.push_str(&quote(name));
            is_changed = true;
            rest = &rest[name.len()..];
            continue;
        }
        let length = match first {
            '\'' | '`' => quoted_length(rest, first),
            // `["odd name"]`, `[3]` and `"[3]"`, as paths and summaries write them.
            '[' | '"' => match bracketed(rest).or_else(|| numbered(rest)) {
                Some((mut name, mut length)) if known(&name).is_some() => {
                    // `["odd name"].login`
                    while let Some((inner, more)) = member(&rest[length..])
                        && let longer = format!("{name}.{inner}")
                        && known(&longer).is_some()
                    {
                        name = longer;
                        length += more;
                    }
                    out.push_str(&quote(&name));
                    is_changed = true;
                    rest = &rest[length..];
                    continue;
                }
                _ if first == '"' => quoted_length(rest, first),
                _ => rest.find(']').map_or(rest.len(), |end| end + 1),
            },
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            c if is_letter(c) && !c.is_ascii_digit() => {
                let mut length = name_length(rest);
                let mut name = Cow::Borrowed(&rest[..length]);
                while let Some((inner, more)) = bracketed(&rest[length..]) {
                    name = format!("{name}.{inner}").into();
                    length += more;
                }
                let name = &*name;
                let own = known(name).map(|column| quote(column)).or_else(|| {
                    let (alias, column) = name.split_once('.')?;
                    let column = known(column)?;
                    Some(format!("{alias}.{}", quote(column)))
                });
                match own.filter(|_| name.contains('.')) {
                    Some(own) => {
                        out.push_str(&own);
                        is_changed = true;
                    }
                    None => out.push_str(&rest[..length]),
                }
                rest = &rest[length..];
                continue;
            }
            c if c.is_ascii_digit() => rest
                .find(|c: char| !is_letter(c) && c != '.')
                .unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    is_changed.then_some(out)
}

/// The name in `["…"]`, and the length of that.
pub(super) fn bracketed(text: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix('[')?;
    let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let name = strings.next()?.ok()?;
    let end = strings.byte_offset();
    rest[end..].starts_with(']').then_some((name, end + 2))
}

/// The name in a step of a path, `.name` or `["odd name"]`, and the length of the step.
fn member(text: &str) -> Option<(String, usize)> {
    let of_name = || {
        let rest = text.strip_prefix('.')?;
        let length = name_length(rest);
        Some((rest[..length].to_owned(), 1 + length))
    };
    bracketed(text).or_else(of_name)
}

/// The column of the values in a place of rows that are lists, `[3]`, `"[3]"` or `"[3].login"`, and the length of that.
fn numbered(text: &str) -> Option<(String, usize)> {
    let quotes = usize::from(text.starts_with('"'));
    let place = text[quotes..].strip_prefix('[')?;
    let (place, rest) = place.split_once(']')?;
    let inner = if quotes == 0 {
        ""
    } else {
        rest.split_once('"')?.0
    };
    let is_place = !place.is_empty() && place.bytes().all(|it| it.is_ascii_digit());
    let length = place.len() + inner.len() + 2 + 2 * quotes;
    is_place.then(|| (format!("{VALUE}{place}{inner}"), length))
}

pub(super) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Length of a text in quotes, in which a quote stands twice for itself.
pub(super) fn quoted_length(text: &str, quote: char) -> usize {
    let mut at = 1;
    loop {
        let Some(end) = text[at..].find(quote) else {
            return text.len();
        };
        at += end + 1;
        if !text[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
}

/// Length of words with dots between.
pub(super) fn name_length(text: &str) -> usize {
    let mut at = 0;
    loop {
        let word = &text[at..];
        at += word.find(|c| !is_letter(c)).unwrap_or(word.len());
        let next = text[at..]
            .strip_prefix('.')
            .and_then(|rest| rest.chars().next());
        if !next.is_some_and(is_letter) {
            return at;
        }
        at += 1;
    }
}
