//! The client that the protocol's own conformance suite runs against its servers, a scenario at a time.
//!
//! Owns the command line, the two transports, and the protocol version. [`visit`] has the actions of a scenario,
//! [`answers`] the answers of the user and the model, [`authorization`] the tokens. Refuses to know Tamis: it gets the
//! address of its server.

mod answers;
mod authorization;
mod visit;

use std::env;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Parser;
use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::Value;

use crate::answers::Answers;

/// Time in which a server ends after its input.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// Does what a scenario of MCP's conformance suite wants a client to do.
///
/// The suite says which one in the environment: MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_PROTOCOL_VERSION and
/// MCP_CONFORMANCE_CONTEXT.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Talk to a command over its standard input and output, not to a URL
    #[arg(long)]
    stdio: bool,
    /// The server's URL, or its command line
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    server: Vec<String>,
}

/// The suite's information about a scenario.
pub struct Scenario {
    pub name: String,
    /// Data for the client, if any.
    pub context: Value,
    version: ProtocolVersion,
}

impl Scenario {
    fn from_environment() -> anyhow::Result<Scenario> {
        let version = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").context(
            "MCP_CONFORMANCE_PROTOCOL_VERSION is not set: this client is run by the conformance suite",
        )?;
        let context = match env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(context) => {
                serde_json::from_str(&context).context("read MCP_CONFORMANCE_CONTEXT")?
            }
            Err(_) => Value::Null,
        };
        Ok(Scenario {
            name: env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default(),
            context,
            version: serde_json::from_value(Value::String(version))
                .context("read MCP_CONFORMANCE_PROTOCOL_VERSION")?,
        })
    }

    /// The start of a session: older versions shake hands, later ones ask for the server's features.
    fn lifecycle(&self) -> ClientLifecycleMode {
        if self.version.as_str() < ProtocolVersion::V_2026_07_28.as_str() {
            ClientLifecycleMode::Initialize
        } else {
            ClientLifecycleMode::Discover {
                preferred_versions: vec![self.version.clone()],
            }
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let scenario = Scenario::from_environment()?;
    // Only one provider is compiled in, but the client library requires a choice.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let visited = if arguments.stdio {
        visit_over_stdio(&arguments.server, &scenario).await
    } else {
        let [url] = arguments.server.as_slice() else {
            bail!("expected one URL; with --stdio, a command line");
        };
        if scenario.name.starts_with("auth/") {
            authorization::visit(url, &scenario).await
        } else {
            let transport = StreamableHttpClientTransportConfig::with_uri(url.as_str());
            visit_over_http(transport, &scenario).await
        }
    };
    visited.with_context(|| format!("scenario {}", scenario.name))
}

type Session = RunningService<RoleClient, Answers>;

async fn visit_over_http(
    transport: StreamableHttpClientTransportConfig,
    scenario: &Scenario,
) -> anyhow::Result<()> {
    let transport = StreamableHttpClientTransport::from_config(transport);
    let session = Answers::to(&scenario.version)
        .serve_with_lifecycle(transport, scenario.lifecycle())
        .await;
    visit(session.context("begin a session")?, scenario).await
}

async fn visit_over_stdio(command: &[String], scenario: &Scenario) -> anyhow::Result<()> {
    let child = tokio::process::Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child = child.with_context(|| format!("start {}", command.join(" ")))?;
    let pipes = child.stdout.take().zip(child.stdin.take());
    let session = Answers::to(&scenario.version)
        .serve_with_lifecycle(pipes.context("no pipes")?, scenario.lifecycle())
        .await;
    visit(session.context("begin a session")?, scenario).await?;
    // Its input has ended.
    let ended = tokio::time::timeout(SHUTDOWN, child.wait()).await;
    ended.context("the server did not end with its input")??;
    Ok(())
}

async fn visit(session: Session, scenario: &Scenario) -> anyhow::Result<()> {
    let visited = visit::run(&session, scenario).await;
    session.cancel().await.context("end the session")?;
    visited
}
