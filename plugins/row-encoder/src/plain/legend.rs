//! The legend in a tool's description: the meaning of keys, and how to read rows. Results need not repeat it.

use std::fmt::Write;

use super::Plain;

/// The legend for the output. The same settings always give the same text.
pub fn legend(plain: &Plain) -> String {
    let mut text = "Answers are compact JSON".to_owned();
    if let Some(group) = &plain.group_by {
        push(
            &mut text,
            format_args!(", one member for each {}", group.about),
        );
    }
    text.push('.');
    let described = plain.keys.iter().filter(|key| key.about != key.name);
    let keys: Vec<String> = described
        .map(|key| format!("`{}`: {}", key.name, key.about))
        .collect();
    if !keys.is_empty() {
        push(&mut text, format_args!(" {}.", keys.join(", ")));
    }
    if plain.columns.is_empty() {
        return text;
    }
    text.push_str(" `h`: names of the columns, joined by `|`");
    if let Some(detail) = &plain.detail {
        push(
            &mut text,
            format_args!(" (more or fewer by `{}`)", detail.argument),
        );
    }
    let columns = plain.columns.iter().filter(|it| it.about != it.name);
    let columns: Vec<String> = columns
        .map(|it| format!("{}: {}", it.name, it.about))
        .collect();
    if !columns.is_empty() {
        push(&mut text, format_args!(" ({})", columns.join(", ")));
    }
    text.push('.');
    if !plain.sets.is_empty() {
        let sets = plain
            .sets
            .iter()
            .map(|set| format!("`{}`: {}", set.key, set.about));
        let sets: Vec<String> = sets.collect();
        push(&mut text, format_args!(" Rows: {}.", sets.join(", ")));
    }
    for map in &plain.maps {
        push(
            &mut text,
            format_args!(
                " `{}`: {}, rows by {}.",
                map.rows.key, map.rows.about, map.group_by.about
            ),
        );
    }
    text.push_str(
        " One row a line, its fields joined by `|` in the order of `h`; an empty field is null or \
         missing. Split at each `|` that no backslash escapes; then, inside a field, `\\\\` is a \
         backslash, `\\n` a newline, `\\r` a carriage return and `\\|` a pipe. `\"@\":{\"t\":true}`: \
         truncated, more rows exist than are shown.",
    );
    text
}

fn push(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("a string takes any text");
}
