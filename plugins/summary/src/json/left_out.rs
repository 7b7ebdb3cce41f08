//! Names of the members for which there is no room.
//!
//! Owns how few words name many. Refuses to know which members these are.

use crate::paper::{REST, characters, listed_short};
use crate::telling;

/// The names of members, of which only lines are known: `: used_… 30, hz, …`. Names that begin with the same
/// word are one, and those of one object: `info.{license, version}`. A member that is nothing has no name. `all`: the
/// number of these members and of others.
pub fn named(lines: &[String], all: usize, room: usize) -> String {
    const MOST: usize = 64;
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut count = 0;
    let members = lines.iter().filter_map(|line| name_and_value(line));
    for (name, _) in members.filter(|(_, value)| !telling::is_nothing(value)) {
        let word = match name.rfind(['.', '"']) {
            Some(at) if name[at..].starts_with('.') => &name[..=at],
            None => name.find('_').map_or(name, |at| &name[..=at]),
            // `info["a.b"]`
            Some(_) => name,
        };
        match groups.iter().position(|(known, _)| *known == word) {
            Some(at) => groups[at].1.push(name),
            None if groups.len() < MOST => groups.push((word, vec![name])),
            None => continue,
        }
        count += 1;
    }
    let mut out = String::from(":");
    for (place, (word, names)) in groups.into_iter().enumerate() {
        out.push_str(if place > 0 { ", " } else { " " });
        let left = room.saturating_sub(characters(&out) + REST);
        let name = match names[..] {
            [name] => name.to_owned(),
            _ if word.ends_with('.') => {
                let inside = names.iter().map(|name| &name[word.len()..]);
                let inside: Vec<&str> = inside.collect();
                let room = left.saturating_sub(characters(word) + "{}".len());
                format!("{word}{{{}}}", listed_short(&inside, room))
            }
            _ => format!("{word}… {}", names.len()),
        };
        if characters(&name) > left || name.contains("{and ") {
            out.push('…');
            count = all;
            break;
        }
        out.push_str(&name);
    }
    if count < all {
        out.push_str(", …");
    }
    // No name has room.
    match &*out {
        ": …" | ":, …" | ":" => String::new(),
        _ => out,
    }
}

/// The name of a member and its value in `name: value`. A name may have a key with `: ` in it: `info["a: b"]`.
fn name_and_value(line: &str) -> Option<(&str, &str)> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = line.bytes().position(|byte| {
        is_quoted ^= byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        byte == b':' && !is_quoted
    })?;
    Some((&line[..end], line[end + 1..].trim_start()))
}
