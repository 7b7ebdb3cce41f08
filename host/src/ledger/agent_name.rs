//! Names of agents in the ledger.

use std::ops::Range;

/// Begins the name of an agent of `tamis serve`; it sorts after digits and `-`, with which other names begin.
const OF_CALLER: char = '@';

/// One run of an agent, with all of its servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentName {
    name: String,
    /// Length of the beginning that all agents of one caller share. Zero: it is an agent of this machine.
    shared: usize,
}

impl AgentName {
    /// An agent of this machine: its processes start Tamis.
    pub fn of_machine(name: String) -> AgentName {
        AgentName { name, shared: 0 }
    }

    /// An agent that reaches Tamis over HTTP. `caller` has letters and digits alone, and is empty for all callers
    /// that cannot be told apart.
    pub fn of_caller(caller: &str, name: &str) -> AgentName {
        let beginning = format!("{OF_CALLER}{caller}.");
        AgentName {
            shared: beginning.len(),
            name: beginning + name,
        }
    }

    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The names of all agents of this machine, or of the same caller.
    pub(super) fn alike(&self) -> Range<String> {
        match self.name[..self.shared].strip_suffix('.') {
            None => String::new()..OF_CALLER.to_string(),
            // `/` follows `.`.
            Some(caller) => format!("{caller}.")..format!("{caller}/"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AgentName;

    #[test]
    fn agents_of_a_machine_or_of_one_caller_are_alike() {
        let machine = AgentName::of_machine("77-1234".to_owned());
        let orphan = AgentName::of_machine("-77".to_owned());
        let known = AgentName::of_caller("0a9f", "1-2-3");
        let known_too = AgentName::of_caller("0a9f", "4-5-6");
        let longer = AgentName::of_caller("0a9f0", "1-2-3");
        let unknown = AgentName::of_caller("", "1-2-3");
        let groups = [
            vec![machine, orphan],
            vec![known, known_too],
            vec![longer],
            vec![unknown],
        ];
        for (place, group) in groups.iter().enumerate() {
            for (other_place, other) in groups.iter().enumerate() {
                for (one, two) in group
                    .iter()
                    .flat_map(|one| other.iter().map(move |two| (one, two)))
                {
                    let is_alike = one.alike().contains(&two.as_str().to_owned());
                    assert_eq!(is_alike, place == other_place, "{one:?} {two:?}");
                }
            }
        }
    }
}
