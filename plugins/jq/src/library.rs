//! The functions that a program may call. Of jaq's library, those are missing that need a clock, an environment, other
//! inputs or a process to end. Functions that jq has and jaq lacks are added.

use crate::delete;
use crate::program::Data;
use jaq_core::load::parse::Def;
use jaq_core::native::{Fun, run, v};
use jaq_core::{box_iter::BoxIter, load, val::ValX};
use jaq_json::Val;
use tamis_sdk::Level;

/// The variable that holds the call's data.
pub const CALL: &str = "$call";

/// Names of jq that a filter cannot have, each with the reason.
const MISSING: [(&[&str], &str); 6] = [
    (
        &["now", "localtime", "strflocaltime"],
        "a filter has no clock and no time zone (`strftime`, `gmtime` and `todate` work)",
    ),
    (
        &["env", "$ENV", "$__prog_args"],
        "a filter has no environment (`$call` holds the call's data)",
    ),
    (
        &["input", "inputs", "input_filename", "input_line_number"],
        "a program is given one document, as `.`",
    ),
    (
        &["halt", "halt_error"],
        "a filter cannot end the proxy (`error(…)` gives up on the document)",
    ),
    (
        &["$__loc__", "get_search_list", "modulemeta"],
        "a filter has no files",
    ),
    (
        &["@base32", "@base32d", "fromstream", "truncate_stream"],
        "jaq, whose jq this is, does not have it",
    ),
];

/// Filters of jaq that a program must not call, or that this module replaces.
const LEFT_OUT: [&str; 7] = [
    "now",
    "localtime",
    "strflocaltime",
    "env",
    "halt",
    "halt_error",
    "delpaths",
];

/// Filters written in Rust that this module replaces.
const REPLACED: [&str; 2] = ["debug_empty", "stderr_empty"];

/// The reason why a name of jq is missing; none for a name that jq does not have.
pub fn why_not(name: &str) -> Option<&'static str> {
    let missing = MISSING.iter().find(|(names, _)| names.contains(&name));
    missing.map(|(_, why)| *why)
}

/// Filters written in jq. Later ones take precedence.
pub fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    let own = load::parse(include_str!("library.jq"), |parser| parser.defs()).unwrap_or_default();
    jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .filter(|definition| !LEFT_OUT.contains(&definition.name))
        .chain(own)
}

/// Filters written in Rust.
pub fn functions() -> impl Iterator<Item = Fun<Data>> {
    let is_kept = |(name, ..): &Fun<Data>| !LEFT_OUT.contains(name) && !REPLACED.contains(name);
    let own = [
        run::<Data>(("delpaths", v(1), delete::delpaths)),
        run::<Data>(("debug_empty", v(0), |input| say(Level::Debug, &input.1))),
        run::<Data>(("stderr_empty", v(0), |input| say(Level::Info, &input.1))),
    ];
    jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(is_kept)
        .chain(own)
}

/// Writes a value to the operator's log, and has no output.
fn say<'a>(level: Level, value: &Val) -> BoxIter<'a, ValX<'a, Val>> {
    tamis_sdk::log(level, &value.to_string());
    Box::new(std::iter::empty())
}
