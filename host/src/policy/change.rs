//! The difference between two policies: in one line for the operator, or key by key.

use super::Policy;
use super::parts::{Part, PartKind, parts};
use std::path::PathBuf;

/// Most differences that are named; of more, only the number, so that the line stays one line.
const NAMED: usize = 6;

/// How a reload reports a kind of table.
enum Reported {
    /// Each table that was added, removed or changed.
    Each(&'static str),
    /// Each table, and a change of their order.
    InOrder(&'static str),
    /// Only that something changed.
    AsOne(&'static str),
    /// Nothing: no proxy uses it.
    Nothing,
}

fn reported(kind: PartKind) -> Reported {
    match kind {
        PartKind::Chain => Reported::InOrder("chain"),
        PartKind::Plugin => Reported::InOrder("plugin"),
        PartKind::Server => Reported::Each("server"),
        PartKind::Serve => Reported::AsOne("[serve]"),
        PartKind::State => Reported::AsOne("[state]"),
        PartKind::Tool => Reported::AsOne("[tool]"),
        PartKind::Profile => Reported::AsOne("[profile]"),
        PartKind::Session => Reported::AsOne("[session]"),
        PartKind::Record => Reported::AsOne("[record]"),
        PartKind::ReadTool => Reported::AsOne("[read-tool]"),
        PartKind::Client => Reported::AsOne("[[client]]"),
        // That plugins are others than locked is an error of its own.
        PartKind::Test | PartKind::Tests | PartKind::Locked => Reported::Nothing,
    }
}

/// The kinds in the order of the report.
const KINDS: [PartKind; 11] = [
    PartKind::Chain,
    PartKind::Plugin,
    PartKind::Server,
    PartKind::Serve,
    PartKind::State,
    PartKind::Tool,
    PartKind::Profile,
    PartKind::Session,
    PartKind::Record,
    PartKind::ReadTool,
    PartKind::Client,
];

/// Describes the tables that only `after` has, and those that only `before` has. `written`: files whose content
/// may have changed.
pub fn describe_change(before: &Policy, after: &Policy, written: &[PathBuf]) -> String {
    let mut now = parts(after);
    for plugin in &after.plugins {
        let is_written = plugin.files().iter().any(|file| written.contains(file));
        let part = now
            .iter_mut()
            .find(|part| part.kind == PartKind::Plugin && part.name == plugin.name);
        if is_written && let Some(part) = part {
            part.pairs
                .push(("its bytes".to_owned(), "written".to_owned()));
        }
    }
    let then = parts(before);
    let mut changes = Vec::new();
    for kind in KINDS {
        let of_kind = |parts: &'_ [Part]| -> Vec<Part> {
            let parts = parts.iter().filter(|part| part.kind == kind);
            parts.cloned().collect()
        };
        let (then, now) = (of_kind(&then), of_kind(&now));
        match reported(kind) {
            Reported::Each(noun) => compare(noun, &then, &now, false, &mut changes),
            Reported::InOrder(noun) => compare(noun, &then, &now, true, &mut changes),
            Reported::AsOne(name) if then != now => changes.push(format!("{name} changed")),
            Reported::AsOne(_) | Reported::Nothing => {}
        }
    }
    let more = changes.len().saturating_sub(NAMED);
    changes.truncate(NAMED);
    match (changes.is_empty(), more) {
        (true, _) => "no effective change".to_owned(),
        (false, 0) => changes.join(", "),
        (false, more) => format!("{}, and {more} more", changes.join(", ")),
    }
}

/// Compares parts by name.
fn compare(noun: &str, before: &[Part], after: &[Part], in_order: bool, changes: &mut Vec<String>) {
    let find = |list: &[Part], name: &str| list.iter().position(|part| part.name == name);
    let mut kept = Vec::new();
    for part in after {
        let name = &part.name;
        match find(before, name) {
            None => changes.push(format!("{noun} `{name}` added")),
            Some(index) => {
                kept.push(index);
                if before[index].pairs != part.pairs {
                    changes.push(format!("{noun} `{name}` changed"));
                }
            }
        }
    }
    for Part { name, .. } in before {
        if find(after, name).is_none() {
            changes.push(format!("{noun} `{name}` removed"));
        }
    }
    if in_order && !kept.is_sorted() {
        changes.push(format!("{noun}s in another order"));
    }
}

/// A key of a policy with its values in two policies; none: the key is absent.
#[derive(Debug, PartialEq, Eq)]
pub struct KeyChange {
    /// The key with its table: `[server.docs] url`.
    pub key: String,
    /// The value in the first policy.
    pub before: Option<String>,
    /// The value in the second policy.
    pub after: Option<String>,
}

/// Every key that differs between two lists of pairs, in the order of the second, then those that only the first
/// has. Keys are unique in each.
pub fn key_changes(before: &[(String, String)], after: &[(String, String)]) -> Vec<KeyChange> {
    use std::collections::HashMap;
    let as_map =
        |pairs: &[(String, String)]| -> HashMap<String, String> { pairs.iter().cloned().collect() };
    let (then, now) = (as_map(before), as_map(after));
    let changed = after
        .iter()
        .filter(|(key, value)| then.get(key) != Some(value));
    let mut changes: Vec<KeyChange> = changed
        .map(|(key, value)| KeyChange {
            key: key.clone(),
            before: then.get(key).cloned(),
            after: Some(value.clone()),
        })
        .collect();
    let gone = before.iter().filter(|(key, _)| !now.contains_key(key));
    changes.extend(gone.map(|(key, value)| KeyChange {
        key: key.clone(),
        before: Some(value.clone()),
        after: None,
    }));
    changes
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn policy(text: &str) -> Policy {
        let source = Source::new("/p/filters.toml", text);
        let policy = source.and_then(|source| Policy::parse(source, &["a", "b"]));
        policy.unwrap_or_else(|report| panic!("{report}"))
    }

    #[test]
    fn what_changed_is_said_in_a_line() {
        let before = "[[plugin]]\nname = \"p\"\npath = \"p.wasm\"\n\
            [[chain]]\nname = \"one\"\ntools = [\"*\"]\nsteps = [{ filter = \"a\", n = 1 }]\n\
            [[chain]]\nname = \"two\"\ntools = [\"*\"]\nsteps = [\"p\"]\n";
        let changes = |after: &str, written: &[&str]| {
            let written: Vec<PathBuf> = written.iter().map(PathBuf::from).collect();
            describe_change(&policy(before), &policy(after), &written)
        };
        let nothing = "no effective change";
        assert_eq!(changes(before, &["/p/filters.toml"]), nothing);
        assert_eq!(changes(&format!("# Moved\\n\n{before}"), &[]), nothing);
        assert_eq!(changes(before, &["/p/p.wasm"]), "plugin `p` changed");
        assert_eq!(
            changes(&before.replace("n = 1", "n = 2"), &[]),
            "chain `one` changed"
        );
        assert_eq!(
            changes(&before.replace("\"two\"", "\"three\""), &[]),
            "chain `three` added, chain `two` removed"
        );
        let other = format!("{before}[session]\ncalls = 3\n[tool.x]\nhidden = true\n");
        assert_eq!(changes(&other, &[]), "[tool] changed, [session] changed");
        let serving =
            format!("{before}[server.s]\ncommand = [\"x\"]\n[serve]\nlisten = \"127.0.0.1:1\"\n");
        assert_eq!(changes(&serving, &[]), "server `s` added, [serve] changed");
        let other = serving
            .replace("[\"x\"]", "[\"x\", \"y\"]")
            .replace(":1", ":2");
        assert_eq!(
            describe_change(&policy(&serving), &policy(&other), &[]),
            "server `s` changed, [serve] changed"
        );
        // Another plugin before it is no change of the chain.
        let plugin = "[[plugin]]\nname = \"o\"\npath = \"o.wasm\"\n";
        assert_eq!(
            changes(&format!("{plugin}{before}"), &[]),
            "plugin `o` added"
        );
        let (first, second) = before.split_at(before.find("[[chain]]\nname = \"two\"").unwrap());
        let (head, one) = first.split_at(first.find("[[chain]]").unwrap());
        let turned = format!("{head}{second}{one}");
        assert_eq!(changes(&turned, &[]), "chains in another order");
    }

    #[test]
    fn keys_are_compared() {
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            let list = list.iter();
            list.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect()
        };
        let before = pairs(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let after = pairs(&[("d", "2"), ("c", "1"), ("a", "2")]);
        let changes: Vec<String> = key_changes(&before, &after)
            .into_iter()
            .map(|change| format!("{} {:?} {:?}", change.key, change.before, change.after))
            .collect();
        assert_eq!(
            changes,
            [
                "d None Some(\"2\")",
                "a Some(\"1\") Some(\"2\")",
                "b Some(\"1\") None",
            ]
        );
    }

    #[test]
    fn many_changes_are_counted() {
        let chain = |index: usize| {
            format!("[[chain]]\nname = \"c{index}\"\ntools = [\"t{index}\"]\nsteps = [\"a\"]\n")
        };
        let many: String = (0..10).map(chain).collect();
        let changes = describe_change(&policy(""), &policy(&many), &[]);
        assert!(
            changes.ends_with("chain `c5` added, and 4 more"),
            "{changes}"
        );
    }
}
