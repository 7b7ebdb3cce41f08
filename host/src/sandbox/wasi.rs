//! WASI for guests whose standard library asks for it: no files, no environment, no network; what
//! they print goes to the log sink, never to the host's standard output.
//!
//! Clocks stand still and random numbers repeat, so that the same document gives the same bytes.
//! Waiting is refused: a guest that sleeps in a host call would not see its deadline.

use super::call::CallState;
use super::log::LogSink;
use bytes::Bytes;
use std::time::Duration;
use tokio::io::AsyncWrite;
use wasmtime::component::{Linker, Resource, ResourceTable};
use wasmtime::{Result, StoreContextMut, bail};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{DynPollable, OutputStream, Pollable, StreamResult};
use wasmtime_wasi::{
    Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView,
    WasiView,
};

/// Interfaces of WASI 0.2 that a filter may import. All of them are harmless with a context that
/// has nothing in it; what is not here (sockets, HTTP) is refused at load.
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

/// Random bytes that a guest gets at once. They are the host's memory until they are copied.
const LARGEST_RANDOM_BYTES: u64 = 64 * 1024;

/// Whether an interface (its name without the version) is one that a filter may import.
pub(super) fn allows(interface: &str) -> bool {
    ALLOWED.contains(&interface)
}

/// The WASI state of one call.
pub(super) struct WasiState {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl WasiState {
    pub(super) fn new(log: &LogSink) -> WasiState {
        let ctx = WasiCtxBuilder::new()
            .stdout(Sink(log.clone()))
            .stderr(Sink(log.clone()))
            .wall_clock(Standstill)
            .monotonic_clock(Standstill)
            .secure_random(Deterministic::new((0..=255).collect()))
            .insecure_random(Deterministic::new((0..=255).collect()))
            .insecure_random_seed(0x5eed)
            .max_random_size(LARGEST_RANDOM_BYTES)
            .build();
        WasiState {
            ctx,
            table: ResourceTable::new(),
        }
    }
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

/// Time does not pass in a filter.
struct Standstill;

impl HostWallClock for Standstill {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for Standstill {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

/// Standard output and standard error: into the log.
struct Sink(LogSink);

impl IsTerminal for Sink {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Sink {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // For WASI 0.3, which is not linked.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(SinkStream(self.0.clone()))
    }
}

struct SinkStream(LogSink);

#[wasmtime_wasi::async_trait]
impl Pollable for SinkStream {
    async fn ready(&mut self) {}
}

impl OutputStream for SinkStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.0.bytes(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 * 1024)
    }
}
