//! The tables of the reference page.

use super::{Key, Table, Takes, Without};

impl Table {
    /// The table in Markdown: key, type, default, meaning.
    pub fn reference(&self) -> String {
        let mut text = String::from("| key | takes | default | meaning |\n|---|---|---|---|\n");
        for key in self.keys {
            let takes = key.takes.in_words().replace('|', "\\|");
            let without = key.without();
            text += &format!(
                "| `{}` | {takes} | {without} | {} |\n",
                key.name, key.meaning
            );
        }
        text
    }
}

impl Key {
    fn without(&self) -> String {
        match self.without {
            Without::Refused => "required".to_owned(),
            Without::Example => format!("`{}`", self.example),
            Without::Said(text) => text.to_owned(),
        }
    }
}

impl Takes {
    fn in_words(&self) -> String {
        match self {
            Takes::Text { what, .. } => (*what).to_owned(),
            Takes::Flag => "`true`, `false`".to_owned(),
            Takes::Any => "any value except a date".to_owned(),
            Takes::Object => "a table".to_owned(),
            Takes::Count { least, most } => format!("{least} to {most}"),
            Takes::Word(words) => {
                let words = words().into_iter().map(|word| format!("`\"{word}\"`"));
                words.collect::<Vec<_>>().join(", ")
            }
            Takes::Amount(unit) => format!("such as `\"{}\"`", unit.show(60_000_000)),
            Takes::List { items, .. } => format!("list of: {}", items.in_words()),
            Takes::Either(all) => {
                let all: Vec<String> = all.iter().map(Takes::in_words).collect();
                all.join("; or ")
            }
            Takes::Limits => "a table of [limits](#limits)".to_owned(),
            Takes::ServeLimits => "a table of [bounds](http.md#bounds)".to_owned(),
            Takes::Steps => "list of steps".to_owned(),
            Takes::NamedSteps => "a table: for each name, a list of steps".to_owned(),
            Takes::Table(table) => format!("`[{}]`", table.name),
            Takes::Tables(table) => format!("`[[{}]]`", table.name),
            Takes::Named(table) => format!("`[{}.NAME]`", table.name),
        }
    }
}
