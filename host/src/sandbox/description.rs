//! A plugin's description of itself, as far as this contract knows it.

use super::bindings::exports::tamis::filter::filter as contract;
use super::bindings::tamis::filter::types::{Fidelity, Growth};
use super::error::{LoadError, one_line};
use crate::policy::Capability;

/// A plugin's description of itself.
#[derive(Debug, Clone)]
pub struct Description {
    /// Lower case letters, digits and hyphens.
    pub name: String,
    pub version: String,
    /// The purpose of the plugin, in one line.
    pub summary: String,
    /// A JSON Schema of the settings.
    pub settings: serde_json::Value,
    pub fidelity: Fidelity,
    /// The capabilities that the plugin requests.
    pub wants: Vec<Capability>,
    pub idempotent: bool,
    pub growth: Growth,
    /// Whether the state after `configure` is worth a snapshot.
    pub snapshot: bool,
}

/// Refuses members that later versions of the contract have added to a record. This version has added none.
pub(super) fn known(
    record: &str,
    more: &[(String, String)],
    contract: impl Fn() -> String,
) -> Result<(), LoadError> {
    match more.first() {
        None => Ok(()),
        Some((name, _)) => Err(LoadError::not_in_contract(
            format!("the member `{}` of {record}", one_line(name)),
            &contract(),
        )),
    }
}

/// `contract`: the version that the plugin was built for.
pub(super) fn description(
    described: contract::Description,
    contract: &str,
) -> Result<Description, LoadError> {
    let name_is_fine = !described.name.is_empty()
        && described
            .name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !name_is_fine {
        return Err(LoadError::Name(described.name.escape_default().to_string()));
    }
    known("its description", &described.more, || contract.to_owned())?;
    let wants = described.wants.iter().map(|name| {
        Capability::named(name).ok_or_else(|| {
            let known = Capability::ALL.map(Capability::name).join(", ");
            let what = format!("the capability `{}` (known: {known})", one_line(name));
            LoadError::not_in_contract(what, contract)
        })
    });
    Ok(Description {
        wants: wants.collect::<Result<_, _>>()?,
        settings: serde_json::from_str(&described.settings).map_err(LoadError::Schema)?,
        name: described.name,
        version: described.version,
        summary: described.summary,
        fidelity: described.fidelity,
        idempotent: described.idempotent,
        growth: described.growth,
        snapshot: described.snapshot,
    })
}

#[cfg(test)]
mod tests {
    use super::{contract, description, known};
    use crate::policy::Capability;
    use crate::sandbox::{Fidelity, Growth, LoadError};

    fn description_of(wants: &[&str], more: &[(&str, &str)]) -> contract::Description {
        let owned = |text: &&str| (*text).to_owned();
        contract::Description {
            name: "newer".to_owned(),
            version: "1.0.0".to_owned(),
            summary: String::new(),
            settings: "{}".to_owned(),
            fidelity: Fidelity::Exact,
            wants: wants.iter().map(owned).collect(),
            idempotent: false,
            growth: Growth::None,
            snapshot: false,
            more: more
                .iter()
                .map(|(key, value)| (owned(key), owned(value)))
                .collect(),
        }
    }

    #[test]
    fn every_capability_is_known_by_its_name() {
        let names = Capability::ALL.map(Capability::name);
        let described = description(description_of(&names, &[]), "0.1.0").expect("all are known");
        assert_eq!(described.wants, Capability::ALL);
    }

    #[test]
    fn names_of_later_contracts_are_refused() {
        let wants = description(description_of(&["log", "clock"], &[]), "0.1.3");
        let member = description(description_of(&[], &[("keeps-order", "true")]), "0.1.3");
        let made = known(
            "what its settings make of it",
            &[("a\u{7}b".to_owned(), String::new())],
            || "0.1.3".to_owned(),
        );
        for (refused, named) in [
            (
                wants.err(),
                "the capability `clock` (known: log, tokens, result-meta, original, session)",
            ),
            (member.err(), "the member `keeps-order` of its description"),
            (
                made.err(),
                "the member `a b` of what its settings make of it",
            ),
        ] {
            match refused {
                Some(LoadError::NotInContract { what, plugin, .. }) => {
                    assert_eq!((what.as_str(), plugin.as_str()), (named, "0.1.3"));
                }
                other => panic!("{named}: {other:?}"),
            }
        }
    }
}
