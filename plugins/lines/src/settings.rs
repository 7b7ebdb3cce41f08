//! The settings, and errors in them.

use crate::ends::LineLimits;
use crate::repeats::Equal;
use crate::replace::{Replacement, Replacements};
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;
use tamis_sdk::{Paths, thousands};

/// Which lines of a text stay, and how they are written.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Regular expressions: a line that one of them matches is dropped, even if `keep` matches it.
    pub drop: Vec<String>,
    /// Regular expressions: if you set any, only lines that one of them matches stay.
    pub keep: Vec<String>,
    /// Lines that stay before and after each line that `keep` matches. Lines that `drop` matches do not count.
    pub context: u32,
    /// Blank lines: "keep", or "drop" for lines of white space alone.
    pub blank: Blank,
    /// Replacements inside the lines that stay, in order.
    pub replace: Vec<Replace>,
    /// Adjacent equal lines: "keep", or "count" for one line with their number, such as `(×37)`.
    pub repeats: RepeatsMode,
    /// With `repeats`: lines that differ only in numbers also count as equal.
    pub ignore_numbers: bool,
    /// Maximum number of lines at the beginning, of those that the settings above leave. Without `last`, the other
    /// lines are cut.
    pub first: Option<u32>,
    /// Maximum number of lines at the end, of those that the settings above leave. Without `first`, the other lines are
    /// cut.
    pub last: Option<u32>,
    /// Note on the number of dropped lines: "end" for a line at the text's end, or "none".
    pub marks: Marks,
    /// Paths of the strings of JSON that are texts. A path is keys joined by dots, from the root. `*` stands for any
    /// key or element, `**` for any number of levels. Without paths, every string with a line break is a text.
    pub members: Vec<String>,
}

/// One replacement.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Replace {
    /// A regular expression.
    #[serde(rename = "match")]
    pub pattern: String,
    /// Replacement of each match: `$1` or `${name}` for a group, `$$` for a dollar.
    pub with: String,
}

/// The treatment of blank lines.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Blank {
    #[default]
    Keep,
    Drop,
}

/// The treatment of adjacent equal lines.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RepeatsMode {
    #[default]
    Keep,
    Count,
}

/// The position of the note on dropped lines.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Marks {
    #[default]
    End,
    None,
}

/// Checked settings, ready to run.
pub struct Rules {
    drop: Option<RegexSet>,
    blank: Blank,
    /// None: all lines stay that `drop` does not match.
    pub keep: Option<RegexSet>,
    pub context: usize,
    pub replace: Option<Replacements>,
    pub equal: Equal,
    pub limits: Option<LineLimits>,
    pub marks: Marks,
    /// None: every string with a line break.
    pub members: Option<Paths>,
}

/// Most patterns in each list.
const MOST_PATTERNS: usize = 64;
/// Most bytes of a pattern, and of a replacement.
const MOST_BYTES: usize = 512;
/// Most bytes of one compiled pattern.
const PATTERN_BYTES: usize = 512 << 10;
/// Most bytes of a compiled list, because a filter has little memory.
const LIST_BYTES: usize = 4 << 20;
/// Most lines of `context`: this many may wait for a kept line.
const MOST_CONTEXT: u32 = 1000;
/// Most lines of `first` and `last`: this many may wait for the end of the text.
const MOST_LINES: u32 = 100_000;

impl Rules {
    /// Whether a line is dropped, regardless of `keep`.
    pub fn drops(&self, line: &str) -> bool {
        (self.blank == Blank::Drop && line.trim().is_empty())
            // No pattern of `drop` matches the empty string.
            || (!line.is_empty() && self.drop.as_ref().is_some_and(|drop| drop.is_match(line)))
    }
}

impl Settings {
    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// The settings have no effect, or do not fit together. The text names the key, the entry, and the allowed values.
    pub fn check(self) -> Result<Rules, String> {
        let is_idle = self.drop.is_empty()
            && self.keep.is_empty()
            && self.blank == Blank::Keep
            && self.replace.is_empty()
            && self.repeats == RepeatsMode::Keep
            && self.first.is_none()
            && self.last.is_none();
        if is_idle {
            return Err(
                "no setting changes a line: set `drop`, `keep`, `blank`, `replace`, `repeats`, `first` or `last`, for example drop = ['^\\s*Compiling ']"
                    .to_owned(),
            );
        }
        if self.context > 0 && self.keep.is_empty() {
            return Err(format!(
                "`context` is {}, and `keep` is empty: set `keep` too, or leave `context` out",
                self.context
            ));
        }
        if self.context > MOST_CONTEXT {
            return Err(format!(
                "`context` is {}: 0 to {} lines are allowed",
                self.context,
                thousands(u64::from(MOST_CONTEXT))
            ));
        }
        if self.ignore_numbers && self.repeats == RepeatsMode::Keep {
            return Err(
                "`ignore-numbers` is true, and `repeats` is \"keep\": set repeats = \"count\", or leave `ignore-numbers` out"
                    .to_owned(),
            );
        }
        Ok(Rules {
            drop: self.drop()?,
            blank: self.blank,
            keep: self.keep()?,
            context: self.context as usize,
            replace: self.replace()?,
            equal: match (self.repeats, self.ignore_numbers) {
                (RepeatsMode::Keep, _) => Equal::Never,
                (RepeatsMode::Count, false) => Equal::Exactly,
                (RepeatsMode::Count, true) => Equal::ButNumbers,
            },
            limits: self.limits()?,
            marks: self.marks,
            members: self.members()?,
        })
    }

    fn drop(&self) -> Result<Option<RegexSet>, String> {
        let patterns: Vec<&str> = self.drop.iter().map(String::as_str).collect();
        set("drop", &patterns, |place, regex| {
            if regex.is_match("") {
                return Err(format!(
                    "{} matches the empty string, and so may match every line: write a pattern that needs a character; blank = \"drop\" drops blank lines",
                    entry("drop", place, regex.as_str())
                ));
            }
            Ok(())
        })
    }

    fn keep(&self) -> Result<Option<RegexSet>, String> {
        let patterns: Vec<&str> = self.keep.iter().map(String::as_str).collect();
        set("keep", &patterns, |_, _| Ok(()))
    }

    fn replace(&self) -> Result<Option<Replacements>, String> {
        let patterns: Vec<&str> = self.replace.iter().map(|it| it.pattern.as_str()).collect();
        let replacement = |place: usize, regex: &Regex| {
            let Replace { pattern, with } = &self.replace[place];
            let subject = entry("replace", place, pattern);
            if with.len() > MOST_BYTES {
                return Err(format!(
                    "{subject}: `with` has {} bytes, allowed: {MOST_BYTES}",
                    thousands(with.len() as u64)
                ));
            }
            Replacement::parse(with, regex).map_err(|why| format!("{subject}: `with` {why}"))
        };
        let any = set("replace", &patterns, |place, regex| {
            replacement(place, regex).map(drop)
        })?;
        let Some(any) = any else { return Ok(None) };
        let mut list = Vec::new();
        for (place, pattern) in patterns.iter().enumerate() {
            let regex = compile("replace", place, pattern)?;
            let replacement = replacement(place, &regex)?;
            list.push((regex, replacement));
        }
        Ok(Some(Replacements::new(list, any)))
    }

    fn limits(&self) -> Result<Option<LineLimits>, String> {
        for (key, lines) in [("first", self.first), ("last", self.last)] {
            if lines.is_some_and(|lines| !(1..=MOST_LINES).contains(&lines)) {
                return Err(format!(
                    "`{key}` is {}: 1 to {} lines are allowed; leave `{key}` out to keep none there",
                    lines.unwrap_or_default(),
                    thousands(u64::from(MOST_LINES))
                ));
            }
        }
        let is_limited = self.first.is_some() || self.last.is_some();
        Ok(is_limited.then(|| LineLimits {
            first: self.first.unwrap_or_default() as usize,
            last: self.last.unwrap_or_default() as usize,
        }))
    }

    fn members(&self) -> Result<Option<Paths>, String> {
        if self.members.is_empty() {
            return Ok(None);
        }
        let paths = Paths::parse(&self.members).map_err(|error| format!("`members`: {error}"))?;
        Ok(Some(paths))
    }
}

/// Names an entry of a list, as the operator sees it.
fn entry(key: &str, place: usize, pattern: &str) -> String {
    format!("`{key}`: entry {} (`{pattern}`)", place + 1)
}

/// Compiles one pattern, so that an error names it.
fn compile(key: &str, place: usize, pattern: &str) -> Result<Regex, String> {
    if pattern.is_empty() || pattern.len() > MOST_BYTES {
        return Err(format!(
            "`{key}`: entry {} has {} bytes, allowed: 1 to {MOST_BYTES}",
            place + 1,
            thousands(pattern.len() as u64)
        ));
    }
    RegexBuilder::new(pattern)
        .size_limit(PATTERN_BYTES)
        .build()
        .map_err(|error| format!("{} {}", entry(key, place, pattern), explain(&error)))
}

fn explain(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => format!(
            "takes over {} bytes as a program: use fewer or smaller repetitions, and (?-u:\\w) for ASCII",
            thousands(PATTERN_BYTES as u64)
        ),
        // The last line of a syntax error has the message.
        error => {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            format!("is not a regular expression: {why}")
        }
    }
}

/// Compiles all patterns of a list, each checked separately first; none for an empty list.
fn set(
    key: &str,
    patterns: &[&str],
    check: impl Fn(usize, &Regex) -> Result<(), String>,
) -> Result<Option<RegexSet>, String> {
    if patterns.is_empty() {
        return Ok(None);
    }
    if patterns.len() > MOST_PATTERNS {
        return Err(format!(
            "`{key}` has {} entries, allowed: {MOST_PATTERNS}; use a second step of the chain",
            patterns.len()
        ));
    }
    // One at a time, because a filter's memory never shrinks.
    for (place, pattern) in patterns.iter().enumerate() {
        check(place, &compile(key, place, pattern)?)?;
    }
    let set = RegexSetBuilder::new(patterns)
        .size_limit(LIST_BYTES)
        .build();
    let set = set.map_err(|_| {
        format!(
            "the patterns of `{key}` take over {} bytes together as a program: use a second step of the chain",
            thousands(LIST_BYTES as u64)
        )
    })?;
    Ok(Some(set))
}
