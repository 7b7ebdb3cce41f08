//! A checked query: paths and patterns are parsed before the document is searched.
//!
//! Owns the demands of a query on a document, and how it becomes a selection. Refuses to know how much of the
//! selection is shown.

use super::path::Path;
use super::pattern::Pattern;
use super::recognised;
use super::search;
use super::selection::{Selection, describe_arrays, main_array};
use super::view::DocumentView;
use super::{Query, ReadError};
use crate::document::NodeKind;
use crate::numbers::grouped;

pub(super) enum Question {
    Whole,
    Path(Path),
    Rows {
        path: Option<Path>,
        from: u64,
        to: Option<u64>,
    },
    Lines {
        path: Option<Path>,
        from: u64,
        to: Option<u64>,
    },
    Search {
        pattern: Box<Pattern>,
        context: u64,
        path: Option<Path>,
    },
    Sql {
        query: String,
        path: Option<Path>,
    },
}

impl Question {
    pub(super) fn check(query: &Query) -> Result<Question, ReadError> {
        let optional = |path: &Option<String>| {
            let path = path.as_deref().filter(|path| !path.is_empty());
            path.map(Path::parse).transpose()
        };
        Ok(match query {
            // The document is another one, and all of it is asked for.
            Query::Whole | Query::Short => Question::Whole,
            Query::Path(path) => Question::Path(Path::parse(path)?),
            Query::Rows { path, from, to } => Question::Rows {
                path: optional(path)?,
                from: *from,
                to: *to,
            },
            Query::Lines { path, from, to } => Question::Lines {
                path: optional(path)?,
                from: *from,
                to: *to,
            },
            Query::Search {
                pattern,
                regex,
                ignore_case,
                context,
                path,
            } => Question::Search {
                pattern: Box::new(Pattern::new(pattern, *regex, *ignore_case)?),
                context: *context,
                path: optional(path)?,
            },
            Query::Sql { query, path } => Question::Sql {
                query: query.clone(),
                path: optional(path)?,
            },
            // A cursor stands for another question, never for a cursor.
            Query::Cursor(_) => return Err(ReadError::Cursor),
        })
    }

    /// Only JSON can answer.
    pub(super) fn is_of_json(&self) -> bool {
        match self {
            Question::Path(_) | Question::Rows { .. } | Question::Sql { .. } => true,
            Question::Search { path, .. } | Question::Lines { path, .. } => path.is_some(),
            Question::Whole => false,
        }
    }

    /// Whether it is about what the strings of JSON mean, however they are spelled.
    pub(super) fn is_of_values(&self) -> bool {
        match self {
            Question::Path(_) | Question::Rows { .. } | Question::Sql { .. } => true,
            Question::Lines { path, .. } => path.is_some(),
            Question::Search { pattern, .. } => !pattern.is_of_escapes(),
            Question::Whole => false,
        }
    }

    pub(super) fn is_of_lines(&self) -> bool {
        matches!(self, Question::Lines { path: None, .. })
    }

    /// Whether a path must lead to one value.
    pub(super) fn needs_one_value(&self) -> bool {
        matches!(
            self,
            Question::Lines { .. } | Question::Search { .. } | Question::Sql { .. }
        )
    }

    /// The value at the path as a document of its own, if the question is about that: the lines of a text, the rows
    /// of data in a string.
    pub(super) fn document_inside<'v>(
        &self,
        view: &'v DocumentView<'_>,
        node: u32,
    ) -> Option<DocumentView<'v>> {
        let value = view.tape()?.node(node);
        match self {
            Question::Lines { .. } => Some(
                view.strings_together(value)
                    .unwrap_or_else(|| view.inside(node)),
            ),
            Question::Sql { .. } => Some(view.inside(node)),
            Question::Search { .. } if value.kind == NodeKind::String => Some(view.inside(node)),
            Question::Rows { .. } => view.unwrap_string(value),
            Question::Search { .. } | Question::Whole | Question::Path(_) => None,
        }
    }

    /// The path whose matches are the selection.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Question::Path(path) => Some(path),
            Question::Rows { path, .. }
            | Question::Lines { path, .. }
            | Question::Search { path, .. }
            | Question::Sql { path, .. } => path.as_ref(),
            Question::Whole => None,
        }
    }

    /// The query in SQL.
    pub(super) fn query(&self) -> Option<&str> {
        match self {
            Question::Sql { query, .. } => Some(query),
            _ => None,
        }
    }

    /// The answer, uncut. `nodes`: the matches of the path, in `view`.
    pub(super) fn select<'v>(
        &'v self,
        view: &'v DocumentView<'v>,
        nodes: Option<Vec<u32>>,
    ) -> Result<Selection<'v>, ReadError> {
        match self {
            Question::Whole | Question::Sql { .. } => Ok(Selection::whole(view)),
            Question::Lines { from, to, .. } => Selection::lines(view, *from, *to),
            Question::Path(path) => Ok(Selection::values(view, nodes.unwrap_or_default(), path)),
            Question::Rows { path, from, to } => {
                let (Some(tape), Some(root)) = (view.tape(), view.root()) else {
                    let items = recognised::items_of(view).filter(|_| path.is_none());
                    let items = items.ok_or_else(|| ReadError::NotJson {
                        part: view.part.address().to_owned(),
                    })?;
                    return Selection::items(view, items, *from, *to);
                };
                let path = path
                    .as_ref()
                    .map_or_else(|| view.within.clone(), Path::to_string);
                let refuse = |there| Err(ReadError::NotArray { path, there });
                let array = match nodes.as_deref() {
                    None => main_array(tape, root),
                    Some(&[single]) => Some(tape.node(single)),
                    Some(many) => {
                        let many = grouped(many.len() as u64);
                        return refuse(format!("{many} values match; choose one"));
                    }
                };
                match array {
                    Some(array) if array.kind == NodeKind::Array => {
                        Selection::rows(view, array, *from, *to)
                    }
                    other => refuse(describe_arrays(view, other.unwrap_or(root))),
                }
            }
            Question::Search {
                pattern, context, ..
            } => {
                let single = nodes.as_deref().and_then(<[u32]>::first);
                let within = single.and_then(|single| Some(view.tape()?.node(*single)));
                search::search(view, pattern, *context, within)
            }
        }
    }
}
