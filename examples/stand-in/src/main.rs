//! Stand-in upstream servers: programs that answer as real MCP servers do, at the same sizes, so
//! that the examples, the demo and the tests need nothing installed.
//!
//! Owns the command line and the choice of a system. A system is a module that returns an
//! [`Upstream`](server::Upstream): its tools, its prompts and its instructions, as data. To add
//! one, write the module, add a variant to [`System`] and name it in [`System::upstream`].
//!
//! Refuses to know Tamis. Everything is made from constants by small functions, with no clock, no
//! random numbers and no files, so that the same call gives the same bytes on every machine.

mod lenspr;
mod server;

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
    /// LensPR: a code graph with envelopes, long callers, session notes and annotation reminders
    Lenspr,
}

impl System {
    fn upstream(self) -> server::Upstream {
        match self {
            System::Lenspr => lenspr::upstream(),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    server::serve(Arguments::parse().system.upstream()).await
}
