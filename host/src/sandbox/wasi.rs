//! WASI for guests whose standard library imports it: no files, no environment, no network. Their output goes to
//! the log sink, never to the host's standard output.
//!
//! Clocks stand still and random numbers repeat, so that the same document gives the same bytes. Waiting is
//! refused: a guest that sleeps in a host call would not see its deadline.

use super::call_state::CallState;
use super::wasi_state::WasiState;
use wasmtime::component::{Linker, Resource};
use wasmtime::{Result, StoreContextMut, bail};
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::{WasiCtxView, WasiView};

/// Interfaces of WASI 0.2 that a filter may import. All of them are harmless with an empty context; other
/// interfaces (sockets, HTTP) are refused at load.
const ALLOWED: [&str; 21] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/timezone",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

/// Version of the WASI interfaces that wasmtime links; guests may ask for any 0.2.
const POLL: &str = "wasi:io/poll@0.2.12";

/// Whether a filter may import an interface (its name without the version).
pub(super) fn allows(interface: &str) -> bool {
    ALLOWED.contains(&interface)
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let log = &self.log;
        let wasi = self
            .wasi
            .get_or_insert_with(|| Box::new(WasiState::new(log)));
        WasiCtxView {
            ctx: &mut wasi.ctx,
            table: &mut wasi.table,
        }
    }
}

pub(super) fn link(linker: &mut Linker<CallState>) -> Result<()> {
    wasmtime_wasi::p2::add_to_linker_sync(linker)?;
    linker.allow_shadowing(true);
    let mut poll = linker.instance(POLL)?;
    poll.func_wrap(
        "poll",
        |_: StoreContextMut<'_, CallState>, (_,): (Vec<Resource<DynPollable>>,)| {
            refuse_to_wait::<(Vec<u32>,)>()
        },
    )?;
    poll.func_wrap(
        "[method]pollable.block",
        |_: StoreContextMut<'_, CallState>, (_,): (Resource<DynPollable>,)| refuse_to_wait::<()>(),
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

fn refuse_to_wait<T>() -> Result<T> {
    bail!("the filter waits for something (a sleep, a timer, input), which no filter may do")
}
