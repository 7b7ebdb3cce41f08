//! An MCP server with everything that the protocol's own conformance suite asks for.
//!
//! Owns the command line and the two transports. A session of the older protocols (up to 2025-11-25) has its own state,
//! over HTTP as over standard input and output. Requests of 2026-07-28 have none. Refuses to know Tamis: the suite runs
//! against it directly and through Tamis, and must have the same results.

mod changes;
mod content;
mod everything;
mod prompts;
mod questions;
mod resources;
mod rounds;
mod streams;
mod tools;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use axum::serve::ListenerExt as _;
use clap::Parser;
use rmcp::ServiceExt as _;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::changes::Changes;
use crate::everything::Everything;
use crate::streams::Sessions;

/// Answers everything that the conformance suite of MCP asks a server.
#[derive(Parser)]
#[command(version)]
#[group(required = true, multiple = false)]
struct Arguments {
    /// Serve Streamable HTTP here, and say where on standard output (port 0: any that is free)
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Serve one client over standard input and output
    #[arg(long)]
    stdio: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    match arguments.listen {
        Some(address) => over_http(address).await,
        None => over_stdio().await,
    }
}

async fn over_http(address: SocketAddr) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .with_context(|| format!("listen on {address}"))?;
    let address = listener.local_addr().context("ask for the own address")?;
    // All sessions see changes: requests of the stateless protocol share nothing else.
    let changes = Changes::default();
    let service = StreamableHttpService::new(
        move || Ok(Everything::new(changes.clone())),
        Arc::new(Sessions::default()),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().route_service("/mcp", service);
    println!("listening on http://{address}/mcp");
    // Otherwise small answers would wait for acknowledgements, and a proxy would look slow.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await.context("serve HTTP")
}

async fn over_stdio() -> anyhow::Result<()> {
    let session = Everything::new(Changes::default())
        .serve(rmcp::transport::stdio())
        .await
        .context("start a session")?;
    session.waiting().await.context("serve a session")?;
    Ok(())
}
