//! The side of the contract that faces the host: generated bindings, and the functions with which [`crate::export!`]
//! connects a [`Filter`] to them.

use crate::{Call, Capability, Description, Document, Filter};
use bindings::exports::tamis::filter::filter as contract;

// Generated from `wit/` by `make bindings`: whoever builds a filter need not build the generator.
pub mod bindings;

/// `describe` of the contract.
pub fn describe<F: Filter>() -> contract::Description {
    description(F::describe(), F::SETTINGS_SCHEMA)
}

/// A description with a schema of settings, in the contract's form.
pub fn description(description: Description, settings: &str) -> contract::Description {
    let Description {
        name,
        version,
        summary,
        fidelity,
        wants,
        idempotent,
        growth,
        snapshot,
    } = description;
    contract::Description {
        name: name.to_owned(),
        version: version.to_owned(),
        summary: summary.to_owned(),
        settings: settings.to_owned(),
        fidelity,
        wants: wants
            .into_iter()
            .map(Capability::name)
            .map(str::to_owned)
            .collect(),
        idempotent,
        growth,
        snapshot,
        more: Vec::new(),
    }
}

/// `configure` of the contract.
pub fn configure<F: Filter>(settings: &str) -> Result<F, String> {
    F::configure(serde_json::from_str(settings).map_err(|error| error.to_string())?)
}

/// Makes a panic report its message before it traps.
pub fn report_panics() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|panic| {
        bindings::tamis::filter::panic::say(&panic.to_string());
    }));
}

/// The result of `configure` in the contract.
pub fn configured<F: Filter>(filter: &F) -> contract::Configured {
    contract::Configured {
        triggers: filter.triggers(),
        fidelity: filter.fidelity(),
        legend: filter.legend().unwrap_or_default(),
        more: match filter.least_bytes() {
            0 => Vec::new(),
            least => vec![("least-bytes".to_owned(), least.to_string())],
        },
    }
}

/// `apply` of the contract.
pub fn apply<F: Filter>(filter: Option<&F>) -> Result<contract::Verdict, String> {
    filter
        .ok_or("the host called apply before configure")?
        .apply(&Document::current(), &Call::current())
}

/// Makes a plugin from a [`Filter`](crate::Filter). Outside of WebAssembly, it only checks the type, because linkers do
/// not accept the names of the exports.
///
/// # Examples
///
/// ```
/// use tamis_sdk::{Call, Description, Document, Filter, Verdict, rewritten_text};
///
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Settings {}
///
/// struct Trim;
///
/// impl Filter for Trim {
///     type Settings = Settings;
///
///     fn describe() -> Description {
///         Description::new("trim", "1.0.0", "removes white space at the ends of a text")
///     }
///
///     fn configure(_settings: Settings) -> Result<Self, String> {
///         Ok(Trim)
///     }
///
///     fn apply(&self, document: &Document, _call: &Call) -> Result<Verdict, String> {
///         Ok(rewritten_text(document.text().trim().to_owned()))
///     }
/// }
///
/// tamis_sdk::export!(Trim);
/// # fn main() {
/// # assert_eq!(tamis_sdk::testing::Bench::<Trim>::new("{}").apply(" ok\n").text(), "ok");
/// # }
/// ```
#[macro_export]
macro_rules! export {
    ($filter:ty) => {
        #[cfg(not(target_family = "wasm"))]
        const _: fn() -> $crate::Description = <$filter as $crate::Filter>::describe;

        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::guest;
            use $crate::guest::bindings::exports::tamis::filter::filter as contract;

            static FILTER: std::sync::OnceLock<$filter> = std::sync::OnceLock::new();

            struct Plugin;

            impl contract::Guest for Plugin {
                fn describe() -> contract::Description {
                    guest::describe::<$filter>()
                }

                fn configure(settings: String) -> Result<contract::Configured, String> {
                    guest::report_panics();
                    let filter = guest::configure::<$filter>(&settings)?;
                    Ok(guest::configured(FILTER.get_or_init(|| filter)))
                }

                fn apply() -> Result<contract::Verdict, String> {
                    guest::apply(FILTER.get())
                }
            }

    guest::bindings::export!(Plugin with_types_in $crate::guest::bindings);
        };
    };
}
