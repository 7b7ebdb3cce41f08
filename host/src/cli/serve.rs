//! `tamis serve`: the proxy in front of many servers, over HTTP.

use super::policy::{self, PolicyArguments};
use crate::chain::Chains;
use crate::ledger::{self, Ledger};
use crate::mcp::gate::Gate;
use crate::mcp::http::access::{Access, Caller};
use crate::mcp::http::local::Local;
use crate::mcp::http::remote::{self, Remote};
use crate::mcp::http::{Connect, Hub, Upstream, listen};
use crate::mcp::receipts::Receipts;
use crate::mcp::rewriter::Rewriter;
use crate::policy::{Policy, Secret, ServeSpec, UpstreamSpec};
use crate::store::{Limits, Store};
use anyhow::{Context, Result, anyhow, bail};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// How long exchanges that run get to end after SIGTERM: those of most tools do.
const GRACE: Duration = Duration::from_secs(10);

/// Stands in front of the policy's servers, over HTTP.
///
/// Each `[server.NAME]` of the policy is at http://ADDRESS/NAME/mcp: that is what goes into a client's
/// configuration as the server's URL. /healthz says that the proxy is there.
#[derive(clap::Args)]
#[command(
    after_help = "In filters.toml:\n  [server.docs]\n  url = \"https://mcp.example.com/mcp\"\n\nExamples:\n  tamis serve --config filters.toml\n  tamis serve --config filters.toml --listen 127.0.0.1:0    # any free port; which, is printed"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// Where to listen, as HOST:PORT. Default: `listen` of [serve], else 127.0.0.1:8808.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Show clients only the tools of this profile (`[profile.NAME]` in the policy).
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let policy = arguments.policy.read(None)?;
    let address = listen_address(arguments, &policy);
    let servers = servers(&policy)?;
    let access = access(&policy.serve)?;
    let sandbox = arguments.policy.sandbox()?;
    let chains = Arc::new(policy::load_watched(policy, &sandbox)?);
    let gate = Arc::new(Gate::new(chains.policy(), arguments.profile.as_deref())?);
    let names: Vec<String> = servers.iter().map(|(name, _)| name.clone()).collect();
    let stores = Stores::new(&chains);
    let ledger = open_ledger(&chains);
    let receipts = ledger.clone();
    let connect: Connect = Box::new(move |server, caller| {
        let store = stores.of(caller);
        let mut rewriter =
            Rewriter::new(Arc::clone(&chains), server, store).with_gate(Arc::clone(&gate));
        if let Some(ledger) = &receipts {
            rewriter = rewriter.with_receipts(Receipts::new(ledger.clone()));
        }
        Arc::new(rewriter)
    });
    let has_tokens = access.has_tokens();
    let hub = Arc::new(Hub::new(servers, access, connect));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.context("start the threads that serve")?;
    let all_ended = runtime.block_on(async {
        let listener = TcpListener::bind(&address).await;
        let listener = listener.with_context(|| format!("listen on {address}"))?;
        let bound = listener.local_addr().context("look where to listen")?;
        if !bound.ip().is_loopback() && !has_tokens {
            bail!(
                "{bound} is reached from other machines, and anybody may come: name who may in `tokens` of [serve], or listen on 127.0.0.1"
            );
        }
        let mut terminate = signal(SignalKind::terminate()).context("wait for SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).context("wait for SIGINT")?;
        println!("listening on http://{bound}");
        for name in &names {
            println!("  http://{bound}/{name}/mcp");
        }
        let ends = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        Ok(listen::serve(listener, hub.router(), ends, GRACE).await)
    })?;
    if !all_ended {
        tracing::warn!("some calls were not answered when the proxy ended");
    }
    runtime.shutdown_background();
    if let Some(ledger) = ledger {
        ledger.close();
    }
    Ok(ExitCode::SUCCESS)
}

fn listen_address(arguments: &Arguments, policy: &Policy) -> String {
    let listen = arguments.listen.as_ref().or(policy.serve.listen.as_ref());
    listen
        .cloned()
        .unwrap_or_else(|| ServeSpec::LISTEN.to_owned())
}

fn servers(policy: &Policy) -> Result<Vec<(String, Upstream)>> {
    let path = policy.source.path().display();
    if policy.servers.is_empty() {
        bail!(
            "{path} has no server: add one, for example\n\n  [server.docs]\n  url = \"https://mcp.example.com/mcp\""
        );
    }
    let client = remote::client().context("read the system's certificates")?;
    let mut servers = Vec::new();
    for server in &policy.servers {
        let name = &server.name;
        let upstream = match &server.upstream {
            UpstreamSpec::Http { url, headers } => {
                let headers = header_map(name, headers)?;
                let remote = Remote::new(client.clone(), url, headers);
                Upstream::Remote(remote.map_err(|error| anyhow!("[server.{name}]: {error}"))?)
            }
            UpstreamSpec::Command(words) => {
                Upstream::Local(Local::new(words.iter().map(Into::into).collect()))
            }
        };
        servers.push((name.clone(), upstream));
    }
    Ok(servers)
}

fn header_map(server: &str, headers: &[(String, Secret)]) -> Result<HeaderMap> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let value =
            resolve(value).with_context(|| format!("header `{name}` of [server.{server}]"))?;
        let name: HeaderName = name
            .parse()
            .with_context(|| format!("header `{name}` of [server.{server}]"))?;
        let mut value = HeaderValue::from_str(&value)
            .with_context(|| format!("header `{name}` of [server.{server}]"))?;
        value.set_sensitive(true);
        map.insert(name, value);
    }
    Ok(map)
}

fn access(serve: &ServeSpec) -> Result<Access> {
    let mut tokens = Vec::new();
    for (client, token) in &serve.tokens {
        let token =
            resolve(token).with_context(|| format!("the token of `{client}` in [serve]"))?;
        if token.is_empty() {
            bail!("the token of `{client}` in [serve] is empty");
        }
        tokens.push((client.clone(), token));
    }
    let (hosts, origins) = (serve.hosts.clone(), serve.origins.clone());
    Ok(Access::new(hosts, origins, tokens))
}

/// A text that may end with an environment variable, with its value.
pub(super) fn expand(text: &str) -> Result<String> {
    let secret = Secret::parse(text);
    let secret = secret.ok_or_else(|| {
        anyhow!("allowed is a text of printable ASCII, which may end with ${{NAME}}")
    })?;
    resolve(&secret)
}

fn resolve(secret: &Secret) -> Result<String> {
    let value = secret.resolve();
    value.map_err(|name| anyhow!("the environment variable {name} is not set"))
}

/// Originals: those of each caller lie in a directory of their own, so that nobody reads another's.
struct Stores {
    may_cut: bool,
    known: Mutex<HashMap<Caller, Option<Store>>>,
}

/// Stores that are kept open: past that all are opened anew when they are next needed.
const STORES_OPEN: usize = 1000;

impl Stores {
    fn new(chains: &Chains) -> Stores {
        Stores {
            may_cut: chains.may_cut(),
            known: Mutex::default(),
        }
    }

    fn of(&self, caller: &Caller) -> Option<Store> {
        if !self.may_cut {
            return None;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = known.get(caller) {
            return store.clone();
        }
        if known.len() >= STORES_OPEN {
            known.clear();
        }
        let store = match caller {
            Caller::Anyone => super::store::open(),
            caller => open_for(caller),
        };
        known.insert(caller.clone(), store.clone());
        store
    }
}

fn open_for(caller: &Caller) -> Option<Store> {
    let directory = Store::default_directory()?
        .join("callers")
        .join(caller.key());
    let store = Store::open(&directory, Limits::default());
    store
        .inspect_err(|error| tracing::warn!("originals cannot be kept, so nothing is cut: {error}"))
        .ok()
}

/// Without a ledger the proxy works all the same; nobody learns what it saved.
fn open_ledger(chains: &Chains) -> Option<Ledger> {
    if chains.is_empty() {
        return None;
    }
    let directory = Store::default_directory()?;
    Ledger::open(&directory, ledger::Limits::default())
        .inspect_err(|error| tracing::warn!("what is saved is not noted: {error}"))
        .ok()
}
