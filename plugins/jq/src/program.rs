//! A program: compiled at load, with the position in errors, and run on one value.

use crate::library;
use jaq_core::compile::Undefined;
use jaq_core::data::JustLut;
use jaq_core::load::{self, Arena, File, Loader, lex, parse};
use jaq_core::{Compiler, Ctx, Vars, unwrap_valr};
use jaq_json::{Map, Val};
use std::fmt::{self, Display, Write as _};
use tamis_sdk::Call;

/// The data type of programs.
pub type Data = JustLut<Val>;

/// Characters of a value that an error message shows.
const SHOWN: usize = 200;
/// Most errors of one program that are shown.
const ERRORS_SHOWN: usize = 3;

pub struct Program {
    filter: jaq_core::Filter<Data>,
    /// Whether the program uses the call's data.
    wants_call: bool,
}

impl Program {
    /// Compiles a program. An error names its position and the expected text.
    pub fn compile(code: &str) -> Result<Program, String> {
        let arena = Arena::default();
        let program = File { code, path: () };
        let modules = Loader::new(library::definitions())
            .load(&arena, program)
            .map_err(|errors| {
                report(
                    code,
                    errors.into_iter().flat_map(|(_, error)| syntax(error)),
                )
            })?;
        load::import(&modules, |_| Err(String::new())).map_err(|errors| {
            report(
                code,
                errors.into_iter().flat_map(|(_, error)| syntax(error)),
            )
        })?;
        let filter = Compiler::default()
            .with_funs(library::functions())
            .with_global_vars([library::CALL])
            .compile(modules)
            .map_err(|errors| {
                let errors = errors.into_iter().flat_map(|(_, errors)| errors);
                report(
                    code,
                    errors.map(|(name, what)| (name, undefined(name, &what))),
                )
            })?;
        Ok(Program {
            filter,
            wants_call: code.contains(library::CALL),
        })
    }

    /// All outputs for one input.
    pub fn run(&self, input: Val, call: &Call) -> Result<Vec<Val>, String> {
        let call = if self.wants_call {
            call_data(call)?
        } else {
            Val::Null
        };
        let context = Ctx::<Data>::new(&self.filter.lut, Vars::new([call]));
        self.filter
            .id
            .run((context, input))
            .map(|output| {
                unwrap_valr(output).map_err(|error| match error.into_val() {
                    // jq's own messages, and those that a program raises with `error("…")`.
                    Val::TStr(said) => short(&String::from_utf8_lossy(&said)),
                    value => short(&value),
                })
            })
            .collect()
    }
}

/// The value of `$call`.
fn call_data(call: &Call) -> Result<Val, String> {
    let arguments = jaq_json::read::parse_single(call.arguments().as_bytes())
        .map_err(|error| format!("the call's arguments are no value of jq's: {error}"))?;
    let text = |text: &str| Val::utf8_str(text.to_owned());
    let members = [
        ("server", text(call.server())),
        ("tool", text(call.tool())),
        ("surface", text(call.surface_name())),
        ("part", text(call.part_name())),
        ("index", Val::from(call.index() as usize)),
        ("is_error", Val::Bool(call.is_error())),
        ("arguments", arguments),
    ];
    let members = members.map(|(key, value)| (text(key), value));
    Ok(Val::obj(members.into_iter().collect::<Map>()))
}

/// An error: the part of the program that is wrong, and the message.
type Complaint<'s> = (&'s str, String);

fn syntax(error: load::Error<&str>) -> Vec<Complaint<'_>> {
    match error {
        load::Error::Lex(errors) => {
            let complaint = |(expected, found): lex::Error<_>| {
                let expected = match expected {
                    lex::Expect::Token => "an operator, a name or a value",
                    lex::Expect::Delim("{") => "a closing brace",
                    lex::Expect::Delim("[") => "a closing bracket",
                    lex::Expect::Delim("(") => "a closing parenthesis",
                    lex::Expect::Delim(_) => "a closing quote",
                    lex::Expect::Digit => "a digit",
                    lex::Expect::Ident => "a name",
                    lex::Expect::Escape => "an escape such as `\\n` or `\\(…)`",
                    _ => "four hexadecimal digits of a character",
                };
                (found, but_found(expected, found))
            };
            errors.into_iter().map(complaint).collect()
        }
        load::Error::Parse(errors) => {
            let complaint = |(expected, found): parse::Error<_>| {
                let expected = match expected {
                    parse::Expect::Just(token) => {
                        return (found, but_found(&format!("`{token}`"), found));
                    }
                    parse::Expect::Nothing => "an operator such as `|`, or the end",
                    parse::Expect::Term => "a value or a filter",
                    parse::Expect::Var => "a variable such as `$x`",
                    other => other.as_str(),
                };
                (found, but_found(expected, found))
            };
            errors.into_iter().map(complaint).collect()
        }
        load::Error::Io(imports) => imports
            .into_iter()
            .map(|(path, _)| {
                let why = "a filter has no files: write the definitions into `program`";
                (path, format!("it imports `{}`: {why}", short(path)))
            })
            .collect(),
    }
}

fn but_found(expected: &str, found: &str) -> String {
    // The rest of the line is enough to recognise the position.
    match found.lines().next().unwrap_or_default().trim_end() {
        "" => format!("expected {expected}, found the end"),
        found => format!(
            "expected {expected}, found `{}`",
            first_characters(found, 20)
        ),
    }
}

fn undefined(name: &str, what: &Undefined) -> String {
    if let Some(why) = library::why_not(name) {
        return format!("there is no `{name}`: {why}");
    }
    match what {
        Undefined::Filter(0) => format!("there is no filter `{name}` without arguments"),
        Undefined::Filter(1) => format!("there is no filter `{name}` with 1 argument"),
        Undefined::Filter(count) => format!("there is no filter `{name}` with {count} arguments"),
        Undefined::Var => format!("there is no variable `{name}`; `$call` is, and what `as` binds"),
        Undefined::Label => format!("there is no label `{name}` to break to"),
        _ => format!("there is no {} `{name}`", what.as_str()),
    }
}

fn report<'s>(code: &str, complaints: impl Iterator<Item = Complaint<'s>>) -> String {
    let complaints: Vec<_> = complaints.collect();
    let mut text = String::from("`program` is no jq: ");
    for (index, (place, complaint)) in complaints.iter().take(ERRORS_SHOWN).enumerate() {
        if index > 0 {
            text.push_str("; ");
        }
        // A part of the library has no position in the program.
        let offset = (place.as_ptr() as usize).checked_sub(code.as_ptr() as usize);
        if let Some(before) = offset.and_then(|offset| code.get(..offset)) {
            let line = before.matches('\n').count() + 1;
            let column = before[before.rfind('\n').map_or(0, |at| at + 1)..]
                .chars()
                .count()
                + 1;
            let _ = write!(text, "line {line}, column {column}: ");
        }
        text.push_str(complaint);
    }
    if let Some(more @ 1..) = complaints.len().checked_sub(ERRORS_SHOWN) {
        let _ = write!(text, "; and {more} more");
    }
    text
}

fn first_characters(text: &str, count: usize) -> String {
    match text.char_indices().nth(count) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text of a value or an error, cut if it is long: it may contain a whole document.
pub fn short(said: &(impl Display + ?Sized)) -> String {
    struct Short(String);

    impl fmt::Write for Short {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.push_str(text);
            // An error ends the formatting.
            if self.0.len() > SHOWN {
                Err(fmt::Error)
            } else {
                Ok(())
            }
        }
    }

    let mut short = Short(String::new());
    let _ = write!(short, "{said}");
    first_characters(&short.0, SHOWN)
}
