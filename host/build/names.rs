//! The names of functions that a module holds, which a message about a filter that failed shows.

use anyhow::Result;
use wasm_encoder::{NameMap, NameSection, RawSection};
use wasmparser::{KnownCustom, Name, Parser, Payload};

/// Characters of a name: as many as tell which function it is.
const LONGEST: usize = 48;

/// The same module with the names of its functions as they are read, and not as a linker needs them: a third of the
/// bytes.
pub fn shortened(module: &[u8]) -> Result<Vec<u8>> {
    let mut out = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if let Payload::CustomSection(section) = &payload
            && let KnownCustom::Name(names) = section.as_known()
        {
            let mut functions = NameMap::new();
            for names in names {
                if let Name::Function(names) = names? {
                    for named in names {
                        let named = named?;
                        functions.append(named.index, &short(named.name));
                    }
                }
            }
            let mut names = NameSection::new();
            names.functions(&functions);
            out.section(&names);
        } else if let Some((id, range)) = payload.as_section() {
            let data = &module[range];
            out.section(&RawSection { id, data });
        }
    }
    Ok(out.finish())
}

/// A name as Rust's own messages write it, without the hash, and cut.
fn short(name: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(name));
    name.chars().take(LONGEST).collect()
}
