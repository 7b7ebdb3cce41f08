//! What is different in another policy, in one line for the operator.

use super::{ChainSpec, FilterRef, Policy};
use std::fmt::Debug;
use std::path::PathBuf;

/// Differences named; of more only the number, so that the line stays one.
const NAMED: usize = 6;

/// What `after` has that `before` had not, and the other way round. `written`: files whose content may
/// be another.
pub fn describe_change(before: &Policy, after: &Policy, written: &[PathBuf]) -> String {
    let mut changes = Vec::new();
    let chains = |policy: &Policy| -> Vec<(String, String)> {
        let chains = policy.chains.iter();
        chains
            .map(|chain| (chain.name.clone(), chain_as_text(policy, chain)))
            .collect()
    };
    compare("chain", &chains(before), &chains(after), &mut changes);
    let plugins = |policy: &Policy, written: &[PathBuf]| -> Vec<(String, String)> {
        let plugins = policy.plugins.iter();
        plugins
            .map(|it| {
                let is_written = it
                    .place
                    .file()
                    .is_some_and(|file| written.iter().any(|written| written.as_path() == file));
                (it.name.clone(), as_text(&(it, is_written)))
            })
            .collect()
    };
    compare(
        "plugin",
        &plugins(before, &[]),
        &plugins(after, written),
        &mut changes,
    );
    for (name, before, after) in [
        ("[tool]", as_text(&before.tools), as_text(&after.tools)),
        (
            "[profile]",
            as_text(&before.profiles),
            as_text(&after.profiles),
        ),
        (
            "[session]",
            as_text(&before.session),
            as_text(&after.session),
        ),
        ("[record]", as_text(&before.record), as_text(&after.record)),
        (
            "[read-tool]",
            as_text(&before.read_tool),
            as_text(&after.read_tool),
        ),
        (
            "[[client]]",
            as_text(&before.clients),
            as_text(&after.clients),
        ),
    ] {
        if before != after {
            changes.push(format!("{name} changed"));
        }
    }
    let more = changes.len().saturating_sub(NAMED);
    changes.truncate(NAMED);
    match (changes.is_empty(), more) {
        (true, _) => "nothing that counts has changed".to_owned(),
        (false, 0) => changes.join(", "),
        (false, more) => format!("{}, and {more} more", changes.join(", ")),
    }
}

/// Compares what is there by name.
fn compare(
    kind: &str,
    before: &[(String, String)],
    after: &[(String, String)],
    changes: &mut Vec<String>,
) {
    let find =
        |list: &[(String, String)], name: &str| list.iter().position(|(known, _)| known == name);
    let mut kept = Vec::new();
    for (name, text) in after {
        match find(before, name) {
            None => changes.push(format!("{kind} `{name}` added")),
            Some(index) => {
                kept.push(index);
                if before[index].1 != *text {
                    changes.push(format!("{kind} `{name}` changed"));
                }
            }
        }
    }
    for (name, _) in before {
        if find(after, name).is_none() {
            changes.push(format!("{kind} `{name}` removed"));
        }
    }
    if !kept.is_sorted() {
        changes.push(format!("{kind}s in another order"));
    }
}

/// A chain with its filters by name: a plugin's index says nothing in another policy.
fn chain_as_text(policy: &Policy, chain: &ChainSpec) -> String {
    let mut chain = chain.clone();
    for step in &mut chain.steps {
        step.filter = FilterRef::BuiltIn(policy.filter_name(&step.filter).to_owned());
    }
    as_text(&chain)
}

/// All that a part of a policy says, without where in the file it says so.
fn as_text(part: &impl Debug) -> String {
    let mut text = String::new();
    for (index, piece) in format!("{part:?}").split("Span {").enumerate() {
        let rest = match index {
            0 => piece,
            _ => piece.split_once('}').map_or("", |(_, rest)| rest),
        };
        text.push_str(rest);
    }
    text
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
        let said = |after: &str, written: &[&str]| {
            let written: Vec<PathBuf> = written.iter().map(PathBuf::from).collect();
            describe_change(&policy(before), &policy(after), &written)
        };
        let nothing = "nothing that counts has changed";
        assert_eq!(said(before, &["/p/filters.toml"]), nothing);
        assert_eq!(said(&format!("# Moved\\n\n{before}"), &[]), nothing);
        assert_eq!(said(before, &["/p/p.wasm"]), "plugin `p` changed");
        assert_eq!(
            said(&before.replace("n = 1", "n = 2"), &[]),
            "chain `one` changed"
        );
        assert_eq!(
            said(&before.replace("\"two\"", "\"three\""), &[]),
            "chain `three` added, chain `two` removed"
        );
        let other = format!("{before}[session]\ncalls = 3\n[tool.x]\nhidden = true\n");
        assert_eq!(said(&other, &[]), "[tool] changed, [session] changed");
        // Another plugin before it is no change of the chain.
        let plugin = "[[plugin]]\nname = \"o\"\npath = \"o.wasm\"\n";
        assert_eq!(said(&format!("{plugin}{before}"), &[]), "plugin `o` added");
        let (first, second) = before.split_at(before.find("[[chain]]\nname = \"two\"").unwrap());
        let (head, one) = first.split_at(first.find("[[chain]]").unwrap());
        let turned = format!("{head}{second}{one}");
        assert_eq!(said(&turned, &[]), "chains in another order");
    }

    #[test]
    fn many_changes_are_counted() {
        let chain = |index: usize| {
            format!("[[chain]]\nname = \"c{index}\"\ntools = [\"t{index}\"]\nsteps = [\"a\"]\n")
        };
        let many: String = (0..10).map(chain).collect();
        let said = describe_change(&policy(""), &policy(&many), &[]);
        assert!(said.ends_with("chain `c5` added, and 4 more"), "{said}");
    }
}
