//! Which chains a file needs: as few as do for all tools.
//!
//! Tools with the same steps have one chain. It is bound to servers only where a tool of one name needs other steps
//! on another server. Knows tools and steps; how a chain is written is in `page`.

use super::chains::Finding;
use super::listing::{Listing, is_exact};
use super::page::is_name;
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Most tools that a chain names one by one. Nobody reads more, and the file has a largest size.
const NAMED: usize = 1_000;

/// The name of the chain with the steps of the default policy.
pub(super) const BASE_NAME: &str = "default";

/// A chain that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Planned {
    /// The name; none: by its position.
    pub(super) name: Option<String>,
    /// Empty: all.
    pub(super) servers: Vec<String>,
    pub(super) tools: Vec<String>,
    /// Its steps and other keys.
    pub(super) lines: Vec<String>,
    /// The tools whose results were measured, by their indexes.
    pub(super) measured: Vec<usize>,
}

/// Names of chains or tests that are taken.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    pub(super) fn new<'n>(taken: impl IntoIterator<Item = &'n str>) -> Names {
        Names(taken.into_iter().map(str::to_owned).collect())
    }

    /// A name that nothing has yet. None: it cannot be one.
    pub(super) fn take(&mut self, wanted: &str) -> Option<String> {
        if !is_name(wanted) {
            return None;
        }
        let others = (2..1_000).map(|number| format!("{wanted} ({number})"));
        let free = std::iter::once(wanted.to_owned())
            .chain(others)
            .find(|name| is_name(name) && !self.0.contains(name))?;
        self.0.insert(free.clone());
        Some(free)
    }
}

/// A tool of a server by name: servers of one name are one to a policy.
type Key<'a> = (&'a str, &'a str);

fn key(listing: &Listing, tool: usize) -> Key<'_> {
    (&listing.server(tool).name, &listing.tools[tool].name)
}

/// Whether a chain can be bound to the servers of this name.
fn can_bind(listing: &Listing, name: &str) -> bool {
    let mut servers = listing.servers.iter().filter(|server| server.name == name);
    servers.all(super::listing::Asked::can_be_bound)
}

/// Takes chains of their own from tools to which no chain can be bound alone. Returns the names of those tools.
pub(super) fn settle(
    listing: &Listing,
    findings: &mut [Option<Finding>],
    wanted: &[bool],
) -> Vec<String> {
    let mut by_key: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
    let mut by_tool: HashMap<&str, Vec<usize>> = HashMap::new();
    for tool in (0..listing.tools.len()).filter(|tool| wanted[*tool]) {
        by_key.entry(key(listing, tool)).or_default().push(tool);
        by_tool
            .entry(&listing.tools[tool].name)
            .or_default()
            .push(tool);
    }
    let own_lines = |findings: &[Option<Finding>], tool: usize| -> Option<Vec<String>> {
        let (lines, _) = findings[tool].as_ref()?.own.as_ref()?;
        Some(lines.clone())
    };
    let mut taken = BTreeSet::new();
    for tool in (0..listing.tools.len()).filter(|tool| wanted[*tool]) {
        let Some(lines) = own_lines(findings, tool) else {
            continue;
        };
        let name = listing.tools[tool].name.as_str();
        let is_alike = |others: &[usize]| {
            others
                .iter()
                .all(|other| own_lines(findings, *other).as_ref() == Some(&lines))
        };
        let is_fit = is_exact(name)
            && is_alike(&by_key[&key(listing, tool)])
            && (is_alike(&by_tool[name]) || can_bind(listing, &listing.server(tool).name));
        if !is_fit {
            taken.insert(tool);
        }
    }
    // Where one of two servers of one name loses it, so does the other: both are in `taken` then.
    let mut names = Vec::new();
    for tool in taken {
        if let Some(finding) = &mut findings[tool] {
            finding.own = None;
            names.push(listing.tools[tool].name.clone());
        }
    }
    names
}

/// A chain in the making.
struct Group<'a> {
    lines: &'a [String],
    /// The servers; none: all.
    servers: Option<BTreeSet<&'a str>>,
    /// Tools by name, in the order of the list.
    tools: Vec<&'a str>,
}

/// The chains of tools that have steps of their own.
pub(super) fn chains_with_own_steps(
    listing: &Listing,
    findings: &[Option<Finding>],
    wanted: &[bool],
    names: &mut Names,
) -> Vec<Planned> {
    // For each tool by name: its servers, and those with each list of steps.
    let mut order: Vec<&str> = Vec::new();
    let mut servers: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    let mut needs: HashMap<&str, BTreeMap<&[String], BTreeSet<&str>>> = HashMap::new();
    for tool in (0..listing.tools.len()).filter(|tool| wanted[*tool]) {
        let (server, name) = key(listing, tool);
        servers.entry(name).or_default().insert(server);
        if let Some((lines, _)) = findings[tool]
            .as_ref()
            .and_then(|finding| finding.own.as_ref())
        {
            let of_tool = needs.entry(name).or_default();
            if of_tool.is_empty() {
                order.push(name);
            }
            of_tool.entry(lines).or_default().insert(server);
        }
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for name in &order {
        for (lines, of) in &needs[name] {
            let bound = (*of != servers[name]).then(|| of.clone());
            let known = groups
                .iter_mut()
                .find(|group| group.lines == *lines && group.servers == bound);
            match known {
                Some(group) => group.tools.push(name),
                None => groups.push(Group {
                    lines,
                    servers: bound,
                    tools: vec![name],
                }),
            }
        }
    }
    let groups = joined(groups, &servers);
    let measured = |group: &Group<'_>| {
        let tools = (0..listing.tools.len()).filter(|tool| {
            let (server, name) = key(listing, *tool);
            let own = findings[*tool]
                .as_ref()
                .and_then(|finding| finding.own.as_ref());
            own.is_some_and(|(lines, _)| lines == group.lines)
                && group.tools.contains(&name)
                && group
                    .servers
                    .as_ref()
                    .is_none_or(|names| names.contains(server))
        });
        tools.collect()
    };
    let planned = groups.iter().map(|group| {
        let title = match (&group.tools[..], &group.servers) {
            ([tool], None) => (*tool).to_owned(),
            ([tool], Some(servers)) => {
                let servers: Vec<&str> = servers.iter().copied().collect();
                format!("{tool} of {}", servers.join(", "))
            }
            ([tool, others @ ..], _) => format!("{tool} and {} more", others.len()),
            ([], _) => String::new(),
        };
        Planned {
            name: names.take(&title),
            servers: list(group.servers.iter().flatten()),
            tools: list(&group.tools),
            lines: group.lines.to_vec(),
            measured: measured(group),
        }
    });
    planned.collect()
}

fn list<'a>(names: impl IntoIterator<Item = &'a &'a str>) -> Vec<String> {
    names.into_iter().map(|name| (*name).to_owned()).collect()
}

/// Puts the tools of a chain for all servers into a chain for some, where only these have them.
fn joined<'a>(
    mut groups: Vec<Group<'a>>,
    servers: &HashMap<&'a str, BTreeSet<&'a str>>,
) -> Vec<Group<'a>> {
    let mut index = 0;
    while index < groups.len() {
        let home = |tool: &&str| {
            groups.iter().position(|other| {
                let bound = other.servers.as_ref();
                other.lines == groups[index].lines
                    && bound.is_some_and(|bound| servers[tool].is_subset(bound))
            })
        };
        let homes: Option<Vec<usize>> = match groups[index].servers {
            None => groups[index].tools.iter().map(home).collect(),
            Some(_) => None,
        };
        let Some(homes) = homes else {
            index += 1;
            continue;
        };
        let tools = std::mem::take(&mut groups[index].tools);
        for (tool, home) in tools.into_iter().zip(homes) {
            groups[home].tools.push(tool);
        }
        groups.remove(index);
    }
    groups
}

/// The chains with the steps of the default policy, for the tools without another chain: of servers all of
/// whose tools are wanted, and of others by name. The second list is of tools that no pattern can name.
///
/// # Errors
///
/// The list of names would be too long to read.
pub(super) fn rest(
    listing: &Listing,
    findings: &[Option<Finding>],
    wanted: &[bool],
    has_chain: &[bool],
    base: &[String],
    names: &mut Names,
) -> Result<(Vec<Planned>, Vec<String>)> {
    let is_left = |tool: usize| {
        let has_own = findings[tool]
            .as_ref()
            .is_some_and(|finding| finding.own.is_some());
        wanted[tool] && !has_own
    };
    let known = (0..listing.tools.len()).filter(|tool| has_chain[*tool]);
    let known: HashSet<&str> = known.map(|tool| key(listing, tool).0).collect();
    let names_of_servers = listing.servers.iter().map(|server| server.name.as_str());
    let whole: BTreeSet<&str> = names_of_servers
        .filter(|name| !known.contains(name) && can_bind(listing, name))
        .collect();
    let (mut of_whole, mut by_name, mut odd) = (BTreeSet::new(), Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for tool in (0..listing.tools.len()).filter(|tool| is_left(*tool)) {
        let (server, name) = key(listing, tool);
        if whole.contains(server) {
            of_whole.insert(server);
        } else if !is_exact(name) {
            odd.push(name.to_owned());
        } else if seen.insert(name) {
            by_name.push(name.to_owned());
        }
    }
    if by_name.len() > NAMED {
        bail!(
            "{} tools have no chain in this file, and Tamis names at most {NAMED} in one. Add a chain with `tools = [\"*\"]` yourself, or give the server a name that no chain of the file has (--server NAME)",
            by_name.len()
        );
    }
    let mut planned = Vec::new();
    let mut add = |servers: Vec<String>, tools: Vec<String>| {
        planned.push(Planned {
            name: names.take(BASE_NAME),
            servers,
            tools,
            lines: base.to_vec(),
            measured: Vec::new(),
        });
    };
    if !by_name.is_empty() {
        add(Vec::new(), by_name);
    }
    if !of_whole.is_empty() {
        let servers = of_whole.into_iter().map(str::to_owned).collect();
        add(servers, vec!["*".to_owned()]);
    }
    Ok((planned, odd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::init::chains::Measure;
    use crate::cli::init::listing::Asked;
    use crate::mcp::inquiry::{ServerName, Tool};

    fn listing(servers: &[(&str, bool, &[&str])]) -> Listing {
        let mut listing = Listing::default();
        for (name, is_named, tools) in servers {
            let asked = Asked {
                title: (*name).to_owned(),
                name: (*name).to_owned(),
                is_named: *is_named,
                origins: Vec::new(),
                words: None,
                says: ServerName::default(),
            };
            let tool = |name: &&str| Tool {
                name: (*name).to_owned(),
                description: None,
                read_only: None,
                destructive: None,
                needs_arguments: false,
            };
            listing.add(asked, tools.iter().map(tool).collect());
        }
        listing
    }

    /// `steps`: of each tool; empty: those of the base.
    fn findings(steps: &[&str]) -> Vec<Option<Finding>> {
        let measure = Measure {
            results: 1,
            before: 100,
            after: 50,
            cut: 0,
            uncut: 50,
        };
        let finding = |steps: &&str| {
            let own = (!steps.is_empty()).then(|| (vec![(*steps).to_owned()], measure));
            Some(Finding { base: measure, own })
        };
        steps.iter().map(finding).collect()
    }

    /// Each chain as `servers: tools = steps`.
    fn planned(listing: &Listing, steps: &[&str]) -> Vec<String> {
        let mut findings = findings(steps);
        let wanted = vec![true; listing.tools.len()];
        settle(listing, &mut findings, &wanted);
        let chains = chains_with_own_steps(listing, &findings, &wanted, &mut Names::default());
        let line_of = |chain: &Planned| {
            format!(
                "{}: {} = {}",
                chain.servers.join(" "),
                chain.tools.join(" "),
                chain.lines.join(" ")
            )
        };
        chains.iter().map(line_of).collect()
    }

    #[test]
    fn chains_are_bound_to_servers_only_where_they_differ() {
        let two = listing(&[("a", true, &["x", "y"]), ("b", true, &["x", "z"])]);
        assert_eq!(planned(&two, &["", "", "", ""]), [""; 0]);
        // The same everywhere: one chain for all.
        assert_eq!(planned(&two, &["s", "s", "s", "s"]), [": x y z = s"]);
        // Other steps, or those of the base, on another server.
        assert_eq!(planned(&two, &["s", "", "t", ""]), ["a: x = s", "b: x = t"]);
        assert_eq!(planned(&two, &["s", "", "", ""]), ["a: x = s"]);
        // A tool that only this server has needs no chain more.
        assert_eq!(
            planned(&two, &["s", "s", "t", ""]),
            ["a: x y = s", "b: x = t"]
        );
        assert_eq!(
            planned(&two, &["s", "s", "t", "s"]),
            ["a: x = s", "b: x = t", ": y z = s"]
        );
    }

    #[test]
    fn a_chain_is_bound_to_no_name_that_others_have_too() {
        // `npx` is a program, and a star is a pattern.
        for name in ["npx", "a*", "!a", "two words", "", "line\nend"] {
            let is_named = name != "npx";
            let two = listing(&[(name, is_named, &["x"]), ("b", true, &["x"])]);
            assert_eq!(planned(&two, &["s", "t"]), ["b: x = t"], "{name}");
            assert_eq!(planned(&two, &["s", "s"]), [": x = s"], "{name}");
        }
        // Two servers of one name are one to a policy.
        let twice = listing(&[("a", true, &["x"]), ("a", true, &["x", "y"])]);
        assert_eq!(planned(&twice, &["s", "t", "u"]), [": y = u"]);
        assert_eq!(planned(&twice, &["s", "s", ""]), [": x = s"]);
        let odd = listing(&[("a", true, &["x*", "!y", "", "z"])]);
        assert_eq!(planned(&odd, &["s", "s", "s", "s"]), [": z = s"]);
    }

    #[test]
    fn what_no_chain_takes_gets_one_by_server_where_that_can_be() {
        let all = listing(&[
            ("a", true, &["x", "y"]),
            ("b", true, &["x", "z"]),
            ("npx", false, &["u", "v*"]),
            ("c", true, &["w"]),
        ]);
        let none = findings(&[""; 7]);
        let has_chain = [false, false, true, false, false, false, false];
        let wanted: Vec<bool> = has_chain.iter().map(|has| !has).collect();
        let base = ["base".to_owned()];
        let mut names = Names::new(["default"]);
        let (chains, odd) =
            rest(&all, &none, &wanted, &has_chain, &base, &mut names).expect("few tools");
        let shape: Vec<_> = chains
            .iter()
            .map(|chain| (&chain.servers[..], &chain.tools[..]))
            .collect();
        let texts = |list: &[&str]| {
            list.iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            shape,
            [
                (&[][..], &texts(&["z", "u"])[..]),
                (&texts(&["a", "c"])[..], &texts(&["*"])[..])
            ]
        );
        assert_eq!(odd, ["v*"]);
        assert_eq!(chains[0].name.as_deref(), Some("default (2)"));
        let many: Vec<String> = (0..=NAMED).map(|number| format!("t{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let all = listing(&[("npx", false, &many)]);
        let (none, wanted) = (findings(&vec![""; many.len()]), vec![true; many.len()]);
        let has_chain = vec![false; many.len()];
        let refused = rest(&all, &none, &wanted, &has_chain, &base, &mut names);
        assert!(refused.is_err());
    }
}
