//! A host of a later contract: its bindings come from `contract/grown/filter.wit`, which has one more version,
//! capability, surface and fact about the call than `wit/filter.wit`. A plugin that wasmtime loads here would load in a
//! Tamis with that contract.
//!
//! It has the contract's sandbox without limits, grants and edits. It shows whether types fit, and whether a plugin
//! works with unknown names.

use tamis::sandbox::component_of;
use tamis::sandbox::wasi::{self, RandomBytes, WasiView};
use wasmtime::component::{Component, ComponentType, HasSelf, Linker, Lower};
use wasmtime::{Config, Engine, OptLevel, Result, Store, StoreContextMut};

// Every test file compiles this module and uses a part of it.
#[allow(dead_code)]
mod bindings {
    wasmtime::component::bindgen!({
        path: "../tests/contract/grown",
        world: "plugin",
    });
}

use bindings::exports::tamis::filter::filter::Verdict;
use bindings::tamis::filter as imports;
use bindings::tamis::filter::document::DocumentKind;

/// The version of the later contract.
#[allow(dead_code)]
pub const VERSION: &str = "0.1.1";
/// The surface that the later contract adds.
#[allow(dead_code)]
pub const SURFACE: &str = "elicitation";

/// Derives the later contract from `contract`.
#[allow(dead_code)]
pub fn contract(contract: &str) -> String {
    let mut grown = contract.replace(tamis::sandbox::CONTRACT_VERSION, VERSION);
    for (before, anchor, after) in [
        (
            "",
            "  /// | `history` | a past tool result in a chat transcript |\n",
            "  /// | `elicitation` | a question of the server's to the user |\n",
        ),
        (
            "",
            "  arguments: func() -> string;\n",
            "  /// Name of the client that called.\n  client: func() -> string;\n",
        ),
        (
            "/// The time. Requires a grant: `allow = [\"clock\"]`.\n\
             interface clock {\n  /// Milliseconds since 1970.\n  now: func() -> u64;\n}\n\n",
            "/// The imports that a filter plugin may use, and its exports.\n",
            "",
        ),
        ("", "  import session;\n", "  import clock;\n"),
    ] {
        assert_eq!(grown.matches(anchor).count(), 1, "{anchor}");
        grown = grown.replace(anchor, &format!("{before}{anchor}{after}"));
    }
    grown
}

/// The host's side of one call.
pub struct Host {
    document: &'static str,
    surface: &'static str,
    random: RandomBytes,
}

impl Host {
    /// Makes a host with a text document from a surface.
    pub fn new(document: &'static str, surface: &'static str) -> Host {
        Host {
            document,
            surface,
            random: RandomBytes::default(),
        }
    }
}

impl WasiView for Host {
    fn print(&mut self, _bytes: &[u8]) {}

    fn random_bytes(&mut self) -> &mut RandomBytes {
        &mut self.random
    }
}

impl imports::document::Host for Host {
    fn kind(&mut self) -> DocumentKind {
        DocumentKind::Text
    }

    fn len(&mut self) -> u32 {
        u32::try_from(self.document.len()).expect("a short text")
    }

    fn text(&mut self) -> String {
        self.document.to_owned()
    }

    fn slice(&mut self, start: u32, end: u32) -> String {
        let end = self.document.len().min(end as usize);
        self.document[start as usize..end].to_owned()
    }

    fn tape(&mut self) -> Vec<u32> {
        Vec::new()
    }
}

impl imports::call::Host for Host {
    fn server(&mut self) -> String {
        "server".to_owned()
    }

    fn tool(&mut self) -> String {
        "tool".to_owned()
    }

    fn surface(&mut self) -> String {
        self.surface.to_owned()
    }

    fn part(&mut self) -> String {
        "content".to_owned()
    }

    fn index(&mut self) -> u32 {
        0
    }

    fn is_error(&mut self) -> bool {
        false
    }

    fn sent_as(&mut self) -> DocumentKind {
        DocumentKind::Text
    }

    fn arguments(&mut self) -> String {
        "{}".to_owned()
    }

    fn client(&mut self) -> String {
        panic!("nobody knows of it")
    }
}

impl imports::clock::Host for Host {
    fn now(&mut self) -> u64 {
        panic!("nobody knows of it")
    }
}

impl imports::types::Host for Host {}

impl imports::log::Host for Host {
    fn log(&mut self, _level: imports::log::Level, _message: String) {}
}

impl imports::panic::Host for Host {
    fn say(&mut self, message: String) {
        eprintln!("{message}");
    }
}

impl imports::tokens::Host for Host {
    fn count(&mut self, _text: String) -> u32 {
        1
    }
}

impl imports::result_meta::Host for Host {
    fn set(&mut self, _key: String, _value: String) -> Result<(), String> {
        Ok(())
    }
}

impl imports::original::Host for Host {
    fn keep(&mut self, _prefix: String) -> Option<imports::original::Kept> {
        Some(imports::original::Kept {
            reference: "reference".to_owned(),
            call: String::new(),
            path: None,
        })
    }
}

impl imports::session::Host for Host {
    fn get(&mut self, _key: String) -> Option<String> {
        None
    }

    fn set(&mut self, _key: String, _value: String) -> Result<(), String> {
        Ok(())
    }
}

/// A plugin's name, and its new document; none if the document is unchanged.
#[allow(dead_code)]
pub struct Answer {
    pub name: String,
    pub text: Option<String>,
}

fn engine() -> Result<Engine> {
    // Short runs need no optimised code.
    Engine::new(Config::new().cranelift_opt_level(OptLevel::None))
}

fn linker(engine: &Engine, component: &Component) -> Result<Linker<Host>> {
    let mut linker = Linker::new(engine);
    bindings::Plugin::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host)?;
    wasi::link(&mut linker, engine, component)?;
    // A host may link another contract beside this one.
    linker
        .instance("tamis:filter/document@0.2.0")?
        .func_wrap("kind", |_: StoreContextMut<'_, Host>, (): ()| {
            Ok(("json".to_owned(),))
        })?;
    Ok(linker)
}

fn instantiate(wasm: &[u8], host: Host) -> Result<(Store<Host>, bindings::Plugin)> {
    let engine = engine()?;
    let component = Component::new(&engine, component_of(wasm).expect("a component"))?;
    let pre = linker(&engine, &component)?.instantiate_pre(&component)?;
    let mut store = Store::new(&engine, host);
    let plugin = bindings::PluginPre::new(pre)?.instantiate(&mut store)?;
    Ok((store, plugin))
}

/// Loads a plugin, and returns its name.
#[allow(dead_code)]
pub fn load(wasm: &[u8]) -> Result<String> {
    let (mut store, plugin) = instantiate(wasm, Host::new("", SURFACE))?;
    let filter = plugin.tamis_filter_filter();
    Ok(filter.call_describe(&mut store)?.name)
}

/// Loads a plugin with settings, and filters the host's document.
#[allow(dead_code)]
pub fn call(wasm: &[u8], settings: &str, host: Host) -> Result<Answer> {
    let (mut store, plugin) = instantiate(wasm, host)?;
    let filter = plugin.tamis_filter_filter();
    let name = filter.call_describe(&mut store)?.name;
    let configured = filter.call_configure(&mut store, settings)?;
    configured.unwrap_or_else(|error| panic!("{name} refuses {settings}: {error}"));
    let verdict = filter.call_apply(&mut store)?;
    let text = match verdict.unwrap_or_else(|error| panic!("{name}: {error}")) {
        Verdict::Unchanged => None,
        Verdict::Rewritten(rewrite) => Some(rewrite.text),
        other => panic!("{name}: {other:?}"),
    };
    Ok(Answer { name, text })
}

/// Like [`load`], with a contract that grew in a forbidden way.
#[allow(dead_code)]
pub fn load_with_a_third_kind_of_document(wasm: &[u8]) -> Result<()> {
    #[derive(ComponentType, Lower, Clone, Copy)]
    #[component(enum)]
    #[repr(u8)]
    enum Kind {
        #[component(name = "json")]
        Json,
        #[component(name = "text")]
        #[expect(dead_code, reason = "the type is what counts")]
        Text,
        #[component(name = "image")]
        #[expect(dead_code, reason = "the type is what counts")]
        Image,
    }
    let engine = engine()?;
    let component = Component::new(&engine, component_of(wasm).expect("a component"))?;
    let mut linker = linker(&engine, &component)?;
    linker.allow_shadowing(true);
    let name = format!("tamis:filter/document@{VERSION}");
    linker
        .instance(&name)?
        .func_wrap("kind", |_: StoreContextMut<'_, Host>, (): ()| {
            Ok((Kind::Json,))
        })?;
    linker.instantiate_pre(&component).map(drop)
}
