//! The names of functions that a module holds, which a message about a filter that failed shows.

use anyhow::Result;
use wasm_encoder::{NameMap, NameSection, RawSection};
use wasmparser::{KnownCustom, Name, Parser, Payload};

/// Characters of a name: as many as tell which function it is.
const LONGEST: usize = 48;

/// The same module with the names of its functions as they are read, and not as a linker needs them: a fifth of the
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

/// A name as Rust's own messages write it, without the hash and the modules around each type and function, and cut:
/// `<String as Write>::write_str`, `ptr::swap`.
fn short(name: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(name));
    let is_in_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let mut short = String::new();
    let mut rest = &*name;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !is_in_path(c)).unwrap_or(rest.len());
        let (path, after) = rest.split_at(length.max(first.len_utf8()));
        short.push_str(ends_of(path));
        rest = after;
    }
    short.chars().take(LONGEST).collect()
}

/// The last part of a path, and that before it if it is a function's.
fn ends_of(path: &str) -> &str {
    let is_type = |part: &str| part.starts_with(char::is_uppercase);
    let parts = path.rmatch_indices("::").map(|(at, _)| at);
    let mut starts = parts.filter(|at| *at > 0).map(|at| at + "::".len());
    let Some(last) = starts.next().filter(|_| !path.starts_with("::")) else {
        return path;
    };
    match is_type(&path[last..]) {
        true => &path[last..],
        false => &path[starts.next().unwrap_or_default()..],
    }
}
