//! The size of a plugin's WebAssembly, counted before it is compiled.
//!
//! A compiler takes more than linear time and memory for some declarations of a module, so each kind of
//! declaration has a limit. Counting reads the file once and holds only numbers. Refuses to know whether the
//! module is valid: the compiler checks that.

use super::error::{Breach, LoadError};
use crate::policy::{CompileLimits, LimitKey};
use wasmparser::{FunctionBody, Parser, Payload, TypeSectionReader};

/// Counts the declarations of a core module or a component, including everything nested in it.
///
/// # Errors
///
/// It exceeds a limit, or is cut short.
pub(super) fn check(wasm: &[u8], limits: &CompileLimits) -> Result<(), LoadError> {
    let mut counted = Counted::new(limits);
    // Of modules that are nested in modules: which one the next payload is of.
    let mut modules = vec![Module::default()];
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(unreadable)?;
        match &payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                counted.items(1)?;
                modules.push(Module::default());
            }
            Payload::End(_) => {
                modules.pop();
            }
            other => {
                let module = modules.last_mut();
                counted.payload(other, module.unwrap_or(&mut Module::default()))?;
            }
        }
    }
    Ok(())
}

fn unreadable(error: wasmparser::BinaryReaderError) -> LoadError {
    LoadError::Compile(error.into())
}

/// The facts about the module that is being read.
#[derive(Default)]
struct Module {
    /// Parameters of each type; none for those that are no functions'.
    parameters: Vec<u32>,
    /// Type of each function that has a body, in order.
    functions: Vec<u32>,
    /// Bodies seen.
    bodies: usize,
}

/// Sums over the whole plugin.
struct Counted<'a> {
    limits: &'a CompileLimits,
    functions: u64,
    types: u64,
    items: u64,
}

impl Counted<'_> {
    fn new(limits: &CompileLimits) -> Counted<'_> {
        Counted {
            limits,
            functions: 0,
            types: 0,
            items: 0,
        }
    }

    fn payload(&mut self, payload: &Payload<'_>, module: &mut Module) -> Result<(), LoadError> {
        match payload {
            Payload::TypeSection(types) => {
                self.types(types.count())?;
                module.parameters.extend(parameters(types)?);
            }
            Payload::CoreTypeSection(types) => self.types(types.count())?,
            Payload::ComponentTypeSection(types) => self.types(types.count())?,
            Payload::FunctionSection(functions) => {
                self.functions(functions.count())?;
                for index in functions.clone() {
                    module.functions.push(index.map_err(unreadable)?);
                }
            }
            Payload::CodeSectionEntry(body) => {
                let index = module.functions.get(module.bodies);
                module.bodies += 1;
                let parameters = index.and_then(|index| module.parameters.get(*index as usize));
                self.body(body, parameters.copied().unwrap_or_default())?;
            }
            Payload::ImportSection(section) => self.items(section.count())?,
            Payload::TableSection(section) => self.items(section.count())?,
            Payload::MemorySection(section) => self.items(section.count())?,
            Payload::TagSection(section) => self.items(section.count())?,
            Payload::GlobalSection(section) => self.items(section.count())?,
            Payload::ExportSection(section) => self.items(section.count())?,
            Payload::ElementSection(section) => self.items(section.count())?,
            Payload::DataSection(section) => self.items(section.count())?,
            Payload::InstanceSection(section) => self.items(section.count())?,
            Payload::ComponentInstanceSection(section) => self.items(section.count())?,
            Payload::ComponentAliasSection(section) => self.items(section.count())?,
            Payload::ComponentCanonicalSection(section) => self.items(section.count())?,
            Payload::ComponentImportSection(section) => self.items(section.count())?,
            Payload::ComponentExportSection(section) => self.items(section.count())?,
            // It begins a nested component, whose contents are counted there.
            Payload::Version { .. } => {}
            // Each other payload occurs once, or is no part of the code.
            _ => self.items(1)?,
        }
        Ok(())
    }

    fn body(&self, body: &FunctionBody<'_>, parameters: u32) -> Result<(), LoadError> {
        let len_bytes = body.range().len() as u64;
        within(
            len_bytes,
            self.limits.function_bytes,
            LimitKey::FunctionBytes,
        )?;
        let mut locals = u64::from(parameters);
        for group in body.get_locals_reader().map_err(unreadable)? {
            let (count, _) = group.map_err(unreadable)?;
            locals += u64::from(count);
            within(locals, u64::from(self.limits.locals), LimitKey::Locals)?;
        }
        within(locals, u64::from(self.limits.locals), LimitKey::Locals)
    }

    fn functions(&mut self, more: u32) -> Result<(), LoadError> {
        self.functions += u64::from(more);
        within(
            self.functions,
            u64::from(self.limits.functions),
            LimitKey::Functions,
        )
    }

    fn types(&mut self, more: u32) -> Result<(), LoadError> {
        self.types += u64::from(more);
        within(self.types, u64::from(self.limits.types), LimitKey::Types)
    }

    fn items(&mut self, more: u32) -> Result<(), LoadError> {
        self.items += u64::from(more);
        within(self.items, u64::from(self.limits.items), LimitKey::Items)
    }
}

fn parameters(types: &TypeSectionReader<'_>) -> Result<Vec<u32>, LoadError> {
    let types = types.clone().into_iter_err_on_gc_types();
    types
        .map(|kind| {
            let parameters = kind.map_err(unreadable)?.params().len();
            Ok(u32::try_from(parameters).unwrap_or(u32::MAX))
        })
        .collect()
}

fn within(found: u64, allowed: u64, key: LimitKey) -> Result<(), LoadError> {
    if found <= allowed {
        return Ok(());
    }
    Err(LoadError::TooMuch(Breach {
        key,
        found,
        allowed,
    }))
}
