//! Stand-in upstream servers: programs that answer like real MCP servers, with answers of the same sizes. So the
//! examples, the demo and the tests need no other servers.
//!
//! Owns the command line and the choice of a system. A system is a module that returns an
//! [`Upstream`](server::Upstream): its tools, its prompts and its instructions, as data. To add one, write the module,
//! add a variant to [`System`] and name it in [`System::upstream`].
//!
//! Refuses to know Tamis. Small functions make everything from constants, without clock, random numbers and files. So
//! the same call returns the same bytes on every machine.

mod compact_index;
mod compact_rows;
mod lenspr;
mod schemas;
mod server;
mod sessions;
mod spill;

use clap::{Parser, Subcommand};

/// Answers over standard input and output as one of the systems below does.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    system: System,
}

#[derive(Clone, Copy, Subcommand)]
enum System {
    /// A code parser: nine tools that print objects at length where a table would do
    CompactRows,
    /// LensPR: a code graph with envelopes, long callers, session notes and annotation reminders
    Lenspr,
    /// Twenty tools with an output schema each, of twenty kinds
    Schemas,
    /// A notes agent: long notes, lists and searches in sessions that grow
    Sessions,
    /// An editor bridge: builds, logs, tests and scans of 10 to 50 KB
    Spill,
    /// A memory server: search results with their bodies
    Memory,
}

impl System {
    fn upstream(self) -> server::Upstream {
        match self {
            System::CompactRows => compact_rows::upstream(),
            System::Lenspr => lenspr::upstream(),
            System::Schemas => schemas::upstream(),
            System::Sessions => sessions::upstream(),
            System::Spill => spill::upstream(),
            System::Memory => compact_index::upstream(),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    server::serve(Arguments::parse().system.upstream()).await
}
