//! The settings of the operator, and checks of them.

use serde::Deserialize;

/// A smaller summary has no room for its calls: it is at most half of this.
const LEAST_CHARACTERS: u32 = 1_000;
/// A token has about four characters.
pub const CHARACTERS_PER_TOKEN: u32 = 4;
/// Most sample rows. More are a page, which the read tool returns.
const MOST_ROWS: u32 = 20;
/// Most different values. More are a table of their own.
const MOST_DISTINCT: u32 = 20;
const CELL: std::ops::RangeInclusive<u32> = 10..=1_000;

/// Which documents are summarised, and what a summary shows of them.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Documents over this size are summarised: `"4000 chars"`, `"16000 bytes"`, `"1000 tokens"`, or
    /// a number of characters. JSON is measured without the whitespace between its tokens. A
    /// summary is at most half as large.
    pub above: Written,
    /// Leave JSON alone that a later `row-encoder` brings under `above` characters.
    pub tables: bool,
    /// Sample rows of each table, 0 to 20.
    pub rows: u32,
    /// Counts the values of a column one by one if it has at most this many different ones, 0 to 20.
    pub distinct: u32,
    /// Characters of the longest cell or line that is shown whole, 10 to 1000.
    pub cell: u32,
    /// Size up to which code, a file, a diff, prose or a page that a model asked for stays unchanged: `"2000 tokens"`,
    /// or as in `above`; 0 for none. Logs, listings, hits of a search, tests and tables are summarised.
    pub whole: Written,
    /// Members that stay unchanged outside of tables: a key (`success`) or a path (`$.result.status`).
    pub keep: Vec<String>,
}

/// A size as the settings spell it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize, schemars::JsonSchema))]
#[serde(untagged)]
pub enum Written {
    /// Characters.
    Number(u32),
    /// A number and its unit: `chars`, `bytes` or `tokens`.
    Text(String),
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            above: Written::Text("4000 chars".to_owned()),
            tables: true,
            rows: 2,
            distinct: 6,
            cell: 60,
            whole: Written::Text("2000 tokens".to_owned()),
            keep: Vec::new(),
        }
    }
}

/// A checked size.
#[derive(Clone, Copy)]
pub struct Size {
    pub count: u32,
    pub unit: Unit,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Characters,
    Bytes,
    Tokens,
}

impl Size {
    /// Most characters of a summary: half of the size.
    pub fn budget_characters(self) -> usize {
        let characters = match self.unit {
            // A summary usually has few characters of several bytes, but it may have only such.
            Unit::Characters => self.count / 2,
            Unit::Bytes => self.count / 4,
            Unit::Tokens => self.count / 4 * CHARACTERS_PER_TOKEN,
        };
        characters as usize
    }
}

impl Settings {
    /// Checks `above` and `whole`. Errors are for the operator.
    pub fn check(&self) -> Result<(Size, Size), String> {
        let size = self.above.size("above")?;
        let whole = self.whole.size("whole")?;
        let (least, unit) = match size.unit {
            Unit::Characters => (LEAST_CHARACTERS, "chars"),
            Unit::Bytes => (LEAST_CHARACTERS * 2, "bytes"),
            Unit::Tokens => (LEAST_CHARACTERS / 2, "tokens"),
        };
        if size.count < least {
            let count = size.count;
            return Err(format!(
                "`above` is {count} {unit}: it is at least {least} {unit}, so that half of it holds a summary"
            ));
        }
        for (key, found, most) in [
            ("rows", self.rows, MOST_ROWS),
            ("distinct", self.distinct, MOST_DISTINCT),
        ] {
            if found > most {
                return Err(format!("`{key}` is {found}: it is 0 to {most}"));
            }
        }
        if !CELL.contains(&self.cell) {
            let (cell, least, most) = (self.cell, CELL.start(), CELL.end());
            return Err(format!("`cell` is {cell}: it is {least} to {most}"));
        }
        if self.keep.iter().any(|key| key.trim().is_empty()) {
            return Err("`keep` has an empty string: name a key or a path".to_owned());
        }
        Ok((size, whole))
    }
}

impl Written {
    fn size(&self, key: &str) -> Result<Size, String> {
        match self {
            Written::Number(count) => Ok(Size {
                count: *count,
                unit: Unit::Characters,
            }),
            Written::Text(text) => size(text).ok_or_else(|| {
                format!("`{key}` is \"{text}\": it takes a number and a unit, such as \"4000 chars\", \"16000 bytes\" or \"1000 tokens\"")
            }),
        }
    }
}

fn size(text: &str) -> Option<Size> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let count = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "chars" | "char" | "characters" | "" => Unit::Characters,
        "bytes" | "byte" => Unit::Bytes,
        "tokens" | "token" => Unit::Tokens,
        _ => return None,
    };
    Some(Size { count, unit })
}
