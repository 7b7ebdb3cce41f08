//! The WASI state of a filter: clocks that stand still, random numbers that repeat, and a log for its output.

use super::log::LogSink;
use bytes::Bytes;
use std::time::Duration;
use tokio::io::AsyncWrite;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder};

/// Most random bytes that a guest gets at once. They use the host's memory until they are copied.
const LARGEST_RANDOM_BYTES: u64 = 64 * 1024;

/// The WASI state of one call.
pub(super) struct WasiState {
    pub(super) ctx: WasiCtx,
    pub(super) table: ResourceTable,
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
