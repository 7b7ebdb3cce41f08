//! Host imports: the functions that a plugin may import, and their implementations. An import without a grant is
//! refused, by name, when the plugin is loaded.

use super::bindings::CONTRACT_VERSION;
use super::bindings::tamis::filter::document::DocumentKind;
use super::call_info::Facts;
use super::call_state::CallState;
use super::error::LoadError;
use super::log::Level;
use super::original::StoredOriginal;
use super::wasi;
use crate::document::{Kind, Tape};
use crate::policy::{Capability, Grants, Surface};
use std::sync::{Arc, LazyLock};
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{
    Component, ComponentNamedList, ComponentType, Lift, Linker, LinkerInstance, Lower,
};
use wasmtime::{Engine, Result, StoreContextMut, bail};

/// The interfaces that a plugin may import, each with its functions; those of capabilities need a grant.
const INTERFACES: [(&str, &[&str]); 9] = [
    ("document", &["kind", "len", "text", "slice", "tape"]),
    (
        "call",
        &[
            "server",
            "tool",
            "surface",
            "part",
            "index",
            "is-error",
            "sent-as",
            "arguments",
        ],
    ),
    ("types", &[]),
    ("panic", &["say"]),
    ("log", &["log"]),
    ("tokens", &["count"]),
    ("result-meta", &["set"]),
    ("original", &["keep"]),
    ("session", &["get", "set"]),
];

/// The export of a plugin, before the version of the contract.
const CONTRACT: &str = "tamis:filter/filter@";

/// `level` of the contract's interface `log`.
#[derive(ComponentType, Lift, Clone, Copy)]
#[component(enum)]
#[repr(u8)]
#[expect(dead_code, reason = "values come from guests")]
enum LogLevel {
    #[component(name = "error")]
    Error,
    #[component(name = "warn")]
    Warn,
    #[component(name = "info")]
    Info,
    #[component(name = "debug")]
    Debug,
}

/// `kept` of the contract's interface `original`.
#[derive(ComponentType, Lower)]
#[component(record)]
struct KeptNames {
    reference: String,
    call: String,
    path: Option<String>,
}

impl KeptNames {
    /// Names for a filter of this part.
    fn new(kept: StoredOriginal, part: &str) -> KeptNames {
        KeptNames {
            call: kept.call_for(part),
            reference: kept.reference,
            path: kept.path,
        }
    }
}

/// Longest text whose tokens are counted in one call. Counting cannot be interrupted, and takes up to
/// 0.3 µs a byte on text made to be slow.
const LARGEST_COUNTED_BYTES: usize = 64 * 1024;

/// The tape of a document that has none.
static NO_TAPE: LazyLock<Arc<Vec<u32>>> = LazyLock::new(Arc::default);

/// A component's imports.
#[derive(Default)]
pub(super) struct Imports {
    pub wasi: bool,
    pub capabilities: Vec<Capability>,
}

/// Checks every import of a component against its grants.
pub(super) fn check(
    engine: &Engine,
    component: &Component,
    grants: Grants,
) -> Result<Imports, LoadError> {
    let mut imports = Imports::default();
    for (name, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else {
            return Err(LoadError::UnknownImport(name.to_owned()));
        };
        let (interface, version) = name.split_once('@').unwrap_or((name, ""));
        if let Some(own) = interface.strip_prefix("tamis:filter/") {
            check_version(version)?;
            let Some((_, functions)) = INTERFACES.iter().find(|(name, _)| *name == own) else {
                let what = format!("the import `{interface}`");
                return Err(LoadError::not_in_contract(what, version));
            };
            for (function, item) in instance.exports(engine) {
                let is_function = matches!(item.ty, ComponentItem::ComponentFunc(_));
                if is_function && !functions.contains(&function) {
                    let what = format!("the function `{function}` of `{interface}`");
                    return Err(LoadError::not_in_contract(what, version));
                }
            }
            match Capability::named(own) {
                Some(capability) if grants.has(capability) => imports.capabilities.push(capability),
                Some(capability) => return Err(LoadError::NotGranted(capability)),
                None => {}
            }
        } else if wasi::allows(interface) {
            imports.wasi = true;
        } else {
            return Err(LoadError::UnknownImport(name.to_owned()));
        }
    }
    Ok(imports)
}

/// The version of the contract that a component was built for, by its exports.
pub(super) fn contract_of(engine: &Engine, component: &Component) -> Option<String> {
    let kind = component.component_type();
    let mut exports = kind.exports(engine);
    exports.find_map(|(name, _)| Some(name.strip_prefix(CONTRACT)?.to_owned()))
}

/// Below 1.0.0 a minor version is another contract.
fn check_version(version: &str) -> Result<(), LoadError> {
    let minor = |version: &str| version.rsplit_once('.').map(|(minor, _)| minor.to_owned());
    if minor(version) == minor(CONTRACT_VERSION) {
        return Ok(());
    }
    Err(LoadError::ContractVersion {
        plugin: version.to_owned(),
        host: CONTRACT_VERSION,
    })
}

fn document_kind(kind: Kind) -> DocumentKind {
    match kind {
        Kind::Json => DocumentKind::Json,
        Kind::Text => DocumentKind::Text,
    }
}

/// Links a function of the interface `call`.
fn fact<T: Lower + Send + Sync + 'static>(
    call: &mut LinkerInstance<'_, CallState>,
    name: &str,
    of: impl Fn(&Facts) -> T + Send + Sync + 'static,
) -> Result<()>
where
    (T,): ComponentNamedList,
{
    call.func_wrap(
        name,
        move |store: StoreContextMut<'_, CallState>, (): ()| Ok((of(store.data().facts()?),)),
    )
}

/// Links every interface of the contract.
pub(super) fn link(linker: &mut Linker<CallState>) -> Result<()> {
    type Context<'a> = StoreContextMut<'a, CallState>;
    let name = |interface: &str| format!("tamis:filter/{interface}@{CONTRACT_VERSION}");

    let mut document = linker.instance(&name("document"))?;
    document.func_wrap("kind", |store: Context<'_>, (): ()| {
        Ok((document_kind(store.data().document.kind()),))
    })?;
    document.func_wrap("len", |store: Context<'_>, (): ()| {
        // Checked before the call: `input` can't allow 4 GiB.
        Ok((store.data().document.text().len() as u32,))
    })?;
    document.func_wrap("text", |store: Context<'_>, (): ()| {
        Ok((store.data().document.text().clone(),))
    })?;
    document.func_wrap("slice", |store: Context<'_>, (start, end): (u32, u32)| {
        Ok((store.data().document.slice(start, end).to_owned(),))
    })?;
    document.func_wrap("tape", |store: Context<'_>, (): ()| {
        let words = store.data().document.tape().map(Tape::words);
        Ok((words.unwrap_or(&NO_TAPE).clone(),))
    })?;

    let mut call = linker.instance(&name("call"))?;
    fact(&mut call, "server", |facts| facts.server.clone())?;
    fact(&mut call, "tool", |facts| facts.tool.clone())?;
    fact(&mut call, "surface", |facts| match facts.surface {
        Surface::Message => "message",
        named => named.name(),
    })?;
    fact(&mut call, "part", |facts| facts.part.name())?;
    fact(&mut call, "index", |facts| facts.index)?;
    fact(&mut call, "is-error", |facts| facts.is_error)?;
    fact(&mut call, "sent-as", |facts| document_kind(facts.sent_as))?;
    fact(&mut call, "arguments", |facts| facts.arguments.clone())?;

    linker.instance(&name("log"))?.func_wrap(
        "log",
        |store: Context<'_>, (level, message): (LogLevel, String)| {
            let level = match level {
                LogLevel::Error => Level::Error,
                LogLevel::Warn => Level::Warn,
                LogLevel::Info => Level::Info,
                LogLevel::Debug => Level::Debug,
            };
            store.data().log.message(level, &message);
            Ok(())
        },
    )?;

    linker.instance(&name("panic"))?.func_wrap(
        "say",
        |mut store: Context<'_>, (message,): (String,)| {
            store.data_mut().last_words(&message);
            Ok(())
        },
    )?;

    linker.instance(&name("tokens"))?.func_wrap(
        "count",
        |mut store: Context<'_>, (text,): (String,)| {
            store.data().check_deadline()?;
            // The vocabulary is the process's, and no filter's time.
            store.data_mut().deadline += crate::tokens::load();
            if text.len() > LARGEST_COUNTED_BYTES {
                bail!("it asked for the tokens of {} bytes at once; {LARGEST_COUNTED_BYTES} are allowed", text.len());
            }
            Ok((crate::tokens::count(&text),))
        },
    )?;

    linker.instance(&name("original"))?.func_wrap(
        "keep",
        |mut store: Context<'_>, (prefix,): (String,)| {
            let kept = store.data_mut().keep_original(&prefix)?;
            let part = store.data().facts()?.address();
            Ok((kept.map(|kept| KeptNames::new(kept, &part)),))
        },
    )?;

    let mut session = linker.instance(&name("session"))?;
    session.func_wrap("get", |store: Context<'_>, (key,): (String,)| {
        let value = store.data().session_value(&key).map(str::to_owned);
        Ok((value,))
    })?;
    session.func_wrap(
        "set",
        |mut store: Context<'_>, (key, value): (String, String)| {
            Ok((store.data_mut().set_session_value(key, value),))
        },
    )?;

    linker.instance(&name("result-meta"))?.func_wrap(
        "set",
        |mut store: Context<'_>, (key, value): (String, String)| {
            Ok((store.data_mut().set_result_meta(key, value),))
        },
    )?;
    Ok(())
}
