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

/// The name of the member `least-bytes` in what `configure` returns.
const LEAST_BYTES: &str = "least-bytes";

/// The bytes of the shortest text that a filter changes, by the named members of what `configure` returned. Refuses
/// members of later versions of the contract.
pub(super) fn least_bytes(
    more: &[(String, String)],
    contract: impl Fn() -> String,
) -> Result<usize, LoadError> {
    if let Some((name, _)) = more.iter().find(|(name, _)| name != LEAST_BYTES) {
        return Err(unknown("what its settings make of it", name, &contract()));
    }
    let [(_, value)] = more else {
        return match more.len() {
            0 => Ok(0),
            times => Err(LoadError::LeastBytes(format!("there {times} times"))),
        };
    };
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse().ok().filter(|_| is_number);
    number.ok_or_else(|| LoadError::LeastBytes(format!("{:?}", one_line(value))))
}

fn unknown(record: &str, name: &str, contract: &str) -> LoadError {
    LoadError::not_in_contract(
        format!("the member `{}` of {record}", one_line(name)),
        contract,
    )
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
    if let Some((name, _)) = described.more.first() {
        return Err(unknown("its description", name, contract));
    }
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
    use super::{contract, description, least_bytes};
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
            more: members(more),
        }
    }

    fn members(more: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        more.iter().map(owned).collect()
    }

    #[test]
    fn the_least_size_is_a_number_of_bytes() {
        let read = |more: &[(&str, &str)]| {
            least_bytes(&members(more), String::new).map_err(|error| error.to_string())
        };
        assert_eq!(read(&[]), Ok(0));
        assert_eq!(read(&[("least-bytes", "0")]), Ok(0));
        assert_eq!(read(&[("least-bytes", "4001")]), Ok(4001));
        for (value, found) in [
            ("", "\"\""),
            ("+1", "\"+1\""),
            ("-1", "\"-1\""),
            ("4k", "\"4k\""),
            ("99999999999999999999999", "\"99999999999999999999999\""),
        ] {
            let error = read(&[("least-bytes", value)]).expect_err(value);
            let beginning = format!("its member `least-bytes` is {found}, and must be a number");
            assert!(error.starts_with(&beginning), "{error}");
        }
        let twice = read(&[("least-bytes", "1"), ("least-bytes", "2")]).expect_err("twice");
        assert!(twice.contains("is there 2 times"), "{twice}");
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
        let made = least_bytes(&members(&[("a\u{7}b", "")]), || "0.1.3".to_owned());
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
