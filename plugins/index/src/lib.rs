//! `index`: writes each search result as one line, and says how to fetch the details of an id.
//!
//! Whole search results fill a budget with a few matches. An index of them lets a model choose among many. Upstream
//! decides order and scores. A document passes unchanged if it is not a list of results with the required fields, or if
//! the call asks for the verbose form.

mod column;

use column::{Column, Field};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tamis_sdk::{
    Call, Capability, Description, Document, Fidelity, Filter, Level, Node, NodeKind, Paths,
    Template, Verdict, quote, rewritten_text,
};

/// The settings: the paths of results, the form of a line, and the frame around the lines.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    /// Paths of the list of results; the first that leads to a list counts. A document that is a list is a list of
    /// results.
    results: Vec<String>,
    /// One line: its columns in braces, other text unchanged. `{type:8}` is padded to 8 characters, `{title:40.40}` is
    /// also cut at 40; `{score:.2f}` has two decimals.
    line: String,
    /// Paths of a column's value in a result; the first that leads to a value counts. Defaults exist for type, id,
    /// title, project, date and score. Any other column is a path by itself.
    fields: BTreeMap<String, Vec<String>>,
    /// Columns that require a value in every result. If one result lacks a value, the document passes unchanged.
    requires: Vec<String>,
    /// Text for a missing value.
    missing: String,
    /// Name in the frame, {name}. Empty: the server's name.
    name: String,
    /// Tools that return the full details of an id, {tools}. Empty: the called tool, with the argument for the verbose
    /// form.
    tools: Vec<String>,
    /// First line. You can use {name}, {tools}, {shown} and {total} (numbers of results), here and in the two settings
    /// below. Empty: no line.
    first_line: String,
    /// Second line, above the heading of the columns.
    second_line: String,
    /// Last line.
    last_line: String,
    /// Maximum number of characters of the output, with all of its lines.
    budget: u32,
    /// Argument of the call that asks for the verbose form. Empty: none.
    argument: String,
    /// Value of that argument for the verbose form.
    verbose: Value,
    /// Writes a line to the operator's log for each shown result.
    log_shown: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Settings {
            results: list(&[
                "results",
                "data.results",
                "items",
                "data.items",
                "memories",
                "matches",
            ]),
            line: "[{type:8}] {id:16} | {title:40.40} | {project:8} | {date:10.10} | {score:.2f}"
                .to_owned(),
            fields: BTreeMap::new(),
            requires: list(&["id", "title"]),
            missing: "-".to_owned(),
            name: String::new(),
            tools: Vec::new(),
            first_line: "--- {name} context (compact index, {shown} items) ---".to_owned(),
            second_line: "{shown} of {total} results; full details of an id: {tools}".to_owned(),
            last_line: "--- end {name} context ---".to_owned(),
            budget: 2000,
            argument: "compact".to_owned(),
            verbose: Value::Bool(false),
            log_shown: false,
        }
    }
}

/// Default paths of columns with these names.
const FIELDS: [(&str, &[&str]); 6] = [
    ("type", &["type", "kind"]),
    ("id", &["id"]),
    ("title", &["title", "name"]),
    ("project", &["project"]),
    ("date", &["date", "created_at", "timestamp", "updated_at"]),
    ("score", &["score"]),
];

/// Names in the frame's lines.
const IN_FRAME: [&str; 4] = ["name", "tools", "shown", "total"];
/// A smaller budget has no room for the frame and one line.
const LEAST_BUDGET: u32 = 200;
/// The name of results in the log.
const ID: &str = "id";

struct Index {
    settings: Settings,
    results: Paths,
    line: Template,
    /// In the order of the names in the line.
    columns: Vec<Column>,
    required: Vec<Field>,
    id: Field,
    frame: [Template; 3],
}

impl Settings {
    fn field(&self, name: &str) -> Result<Field, String> {
        let given = self.fields.get(name).map(Vec::as_slice);
        if given.is_some_and(<[String]>::is_empty) {
            return Err(format!(
                "`fields`: `{name}` is an empty list: name at least one path"
            ));
        }
        Field::new(&self.paths(name)).map_err(|error| format!("`fields`: `{name}`: {error}"))
    }

    fn paths(&self, name: &str) -> Vec<String> {
        if let Some(given) = self.fields.get(name) {
            return given.clone();
        }
        let known = FIELDS.iter().find(|(known, _)| *known == name);
        let paths = known.map(|(_, paths)| paths.iter().map(|path| (*path).to_owned()));
        paths.map_or_else(|| vec![name.to_owned()], Iterator::collect)
    }
}

impl Index {
    fn asks_for_verbose(&self, call: &Call) -> bool {
        let Settings {
            argument, verbose, ..
        } = &self.settings;
        if argument.is_empty() {
            return false;
        }
        // Arguments that are no object contain no argument.
        let arguments: Map<String, Value> =
            serde_json::from_str(call.arguments()).unwrap_or_default();
        // Models sometimes write "false" for false.
        let spelled = verbose.to_string();
        let is_verbose = |given: &Value| given == verbose || given.as_str() == Some(&*spelled);
        arguments.get(argument).is_some_and(is_verbose)
    }

    /// The results, if the document has some, and all of them have the required values.
    fn results<'t>(&self, document: &Document, root: Node<'t>) -> Option<Vec<Node<'t>>> {
        let list = if root.kind() == NodeKind::Array {
            root
        } else {
            let found = self.results.find(document, root);
            let is_list = |path: usize| {
                let mut of_path = found.iter().filter(|it| it.path == path);
                let list = of_path.next()?.value;
                (of_path.next().is_none() && list.kind() == NodeKind::Array).then_some(list)
            };
            (0..self.results.len()).find_map(is_list)?
        };
        let results: Vec<Node<'t>> = list.elements().collect();
        let is_result = |result: &Node<'_>| {
            result.kind() == NodeKind::Object
                && self
                    .required
                    .iter()
                    .all(|field| field.value(document, *result).is_some())
        };
        (!results.is_empty() && results.iter().all(is_result)).then_some(results)
    }

    /// One line, with each column as `write` writes it.
    fn line(&self, mut write: impl FnMut(&Column, &mut String)) -> String {
        let mut columns = self.columns.iter();
        let line = self.line.fill(|_, out| {
            let column = columns.next();
            column.inspect(|column| write(column, out)).is_some()
        });
        line.unwrap_or_default().trim_end().to_owned()
    }

    fn frame(&self, call: &Call, shown: usize, total: usize) -> [String; 3] {
        let Settings {
            name,
            tools,
            argument,
            verbose,
            ..
        } = &self.settings;
        let name = if name.is_empty() {
            call.server()
        } else {
            name.as_str()
        };
        let tools = if tools.is_empty() && argument.is_empty() {
            call.tool().to_owned()
        } else if tools.is_empty() {
            format!("{} {{{}:{verbose}}}", call.tool(), quote(argument))
        } else {
            tools.join(", ")
        };
        let (shown, total) = (shown.to_string(), total.to_string());
        let values = [name, &tools, &shown, &total];
        let values: Vec<(&str, &str)> = IN_FRAME.into_iter().zip(values).collect();
        [0, 1, 2].map(|line| self.frame[line].fill_with(&values))
    }

    /// The index with as many results as fit, and their number; none if no result fits.
    fn written(
        &self,
        document: &Document,
        call: &Call,
        results: &[Node<'_>],
    ) -> Option<(String, usize)> {
        let budget = self.settings.budget as usize;
        let mut lines = vec![self.line(|column, out| column.write_padded(&column.name, out))];
        let mut used = 0;
        for result in results {
            let missing = &self.settings.missing;
            let line = self.line(|column, out| column.write(document, *result, missing, out));
            used += line.chars().count();
            lines.push(line);
            if used > budget {
                break;
            }
        }
        for shown in (1..lines.len()).rev() {
            let [first, second, last] = self.frame(call, shown, results.len());
            let mut all = vec![first.as_str(), &second];
            all.extend(lines[..=shown].iter().map(String::as_str));
            all.push(&last);
            all.retain(|line| !line.is_empty());
            let breaks = all.len() - 1;
            let count: usize = all.iter().map(|line| line.chars().count()).sum();
            if count + breaks <= budget {
                return Some((all.join("\n"), shown));
            }
        }
        None
    }

    fn report(&self, document: &Document, call: &Call, shown: &[Node<'_>]) {
        for result in shown {
            if let Some(id) = self.id.value(document, *result) {
                let id = match id.kind() {
                    NodeKind::String => column::one_line(document, id),
                    _ => document.raw(id).into_owned(),
                };
                let record = json!({ "shown": id, "server": call.server(), "tool": call.tool() });
                tamis_sdk::log(Level::Info, &record.to_string());
            }
        }
    }
}

impl Filter for Index {
    type Settings = Settings;

    const SETTINGS_SCHEMA: &'static str = include_str!("../settings.schema.json");

    fn describe() -> Description {
        Description::new(
            "index",
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_DESCRIPTION"),
        )
        .fidelity(Fidelity::Partial)
        .wants(&[Capability::Log])
        .idempotent()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        let line = Template::new(&settings.line);
        let mut columns = Vec::new();
        for name in line.names() {
            let (name, format) = name.split_once(':').unwrap_or((name, ""));
            let column = Column::new(name, format, settings.field(name)?);
            columns.push(column.map_err(|error| format!("`line`: {error}"))?);
        }
        if columns.is_empty() {
            return Err(format!(
                "`line` is {}, with no column in it: name at least one, such as {{id}}",
                quote(&settings.line)
            ));
        }
        let frame = [
            ("first-line", &settings.first_line),
            ("second-line", &settings.second_line),
            ("last-line", &settings.last_line),
        ];
        for (key, text) in frame.iter().chain([&("line", &settings.line)]) {
            if text.contains(['\n', '\r']) {
                return Err(format!(
                    "`{key}` has a line break in it: it has to be one line"
                ));
            }
        }
        for (key, text) in frame {
            if let Some(name) = Template::new(text).unknown_name(&IN_FRAME) {
                return Err(format!(
                    "`{key}` holds {{{name}}}: allowed are {{name}}, {{tools}}, {{shown}}, {{total}}"
                ));
            }
        }
        if settings.budget < LEAST_BUDGET {
            return Err(format!(
                "`budget` is {}: allowed are {LEAST_BUDGET} and more",
                settings.budget
            ));
        }
        let required = settings.requires.iter().map(|name| settings.field(name));
        Ok(Index {
            results: Paths::parse(&settings.results)
                .map_err(|error| format!("`results`: {error}"))?,
            required: required.collect::<Result<_, _>>()?,
            id: settings.field(ID)?,
            frame: frame.map(|(_, text)| Template::new(text)),
            columns,
            line,
            settings,
        })
    }

    fn triggers(&self) -> Vec<String> {
        // Every result has a member for the first of `requires`, whose key may have escapes.
        let Some(name) = self.settings.requires.first() else {
            return Vec::new();
        };
        let paths = self.settings.paths(name);
        if paths
            .iter()
            .any(|path| path.contains(['.', '*', '"', '\\']))
        {
            return Vec::new();
        }
        let keys = paths.iter().map(|path| quote(path));
        keys.chain(["\\".to_owned()]).collect()
    }

    fn apply(&self, document: &Document, call: &Call) -> Result<Verdict, String> {
        let root = document.root();
        let Some(root) = root.filter(|_| !call.is_error() && !self.asks_for_verbose(call)) else {
            return Ok(Verdict::Unchanged);
        };
        let Some(results) = self.results(document, root) else {
            return Ok(Verdict::Unchanged);
        };
        let Some((text, shown)) = self.written(document, call, &results) else {
            return Ok(Verdict::Unchanged);
        };
        // The host would discard the change: nothing of it would be shown.
        if text.len() >= document.len_bytes() as usize {
            return Ok(Verdict::Unchanged);
        }
        if self.settings.log_shown {
            self.report(document, call, &results[..shown]);
        }
        Ok(rewritten_text(text))
    }
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[global_allocator]
static ALLOCATOR: tamis_sdk::Bump = tamis_sdk::Bump::new();

tamis_sdk::export!(Index);

#[cfg(test)]
mod tests;
