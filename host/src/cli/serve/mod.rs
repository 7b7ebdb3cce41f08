//! `tamis serve`: the proxy in front of many servers, over HTTP.

mod clients;
mod in_force;
mod remote;
mod servers;
mod shared;

use super::lookup::Chosen;
use super::policy::{self, PolicyArguments};
use super::reload::{Files, Reload};
use crate::cli::output;
use crate::mcp::gate::Gate;
use crate::mcp::http::{Hub, listen};
use crate::policy::{Policy, ServeLimit, ServeSpec};
use crate::state;
use crate::store::StoreLimits;
use crate::system::{limits, signals};
use anyhow::{Context, Result, bail};
use clients::{Clients, Connecting};
use in_force::InForce;
use remote::{Remote, RemoteArguments};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

pub(super) use servers::expand;

/// Threads that may block: one for each process that ends, one for each filter that runs, and some that look at large
/// frames.
const BLOCKING_THREADS: usize = 2048;

/// Tasks that a thread runs before it looks at its connections again. Some of them filter a result, which takes as long as
/// hundreds of others.
const TASKS_BETWEEN_EVENTS: u32 = 8;

/// How long exchanges that run get to end after SIGTERM: those of most tools do.
const GRACE: Duration = Duration::from_secs(10);

/// Serves the policy's servers over HTTP, and filters their output.
///
/// Each `[server.NAME]` of the policy is at http://ADDRESS/NAME/mcp. Put that URL into a client's
/// configuration. /healthz answers while the proxy runs, /readyz while it accepts requests, and
/// /metrics returns metrics for Prometheus.
#[derive(clap::Args)]
#[command(
    after_help = "In filters.toml:\n  [server.docs]\n  url = \"https://mcp.example.com/mcp\"\n\n  [server.files]\n  command = [\"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]\n\nExamples:\n  tamis serve --config filters.toml\n  tamis serve --config filters.toml --listen 127.0.0.1:0    # any free port; Tamis prints it"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    #[command(flatten)]
    remote: RemoteArguments,
    /// The address to listen on, as HOST:PORT. Default: `listen` of [serve], else 127.0.0.1:8808.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Show clients only the tools of this profile (`[profile.NAME]` in the policy).
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Do not reload the policy. By default Tamis reloads it, as `tamis run` does, except for the
    /// servers.
    #[arg(long)]
    no_reload: bool,
}

/// The place of the policy, from which another may come.
enum Place {
    /// Another one does not come.
    Fixed,
    Files(Reload<Files>),
    Remote(Box<Remote>),
}

/// The policy, and where another may come from.
fn policy(arguments: &Arguments, in_force: &Arc<InForce>) -> Result<(Policy, Place)> {
    let named = arguments.policy.named();
    if let Some((remote, policy)) = arguments.remote.open(named, in_force)? {
        return Ok((policy, Place::Remote(Box::new(remote))));
    }
    let mut reload = if arguments.no_reload {
        None
    } else {
        Reload::new(&arguments.policy, arguments.profile.clone())?
    };
    let Chosen {
        policy,
        what,
        is_found,
    } = arguments.policy.choose()?;
    if is_found {
        output::tell(format_args!("tamis: the policy is {what}"));
    }
    if let Some(reload) = &mut reload {
        reload.follow(&policy);
    }
    Ok((policy, reload.map_or(Place::Fixed, Place::Files)))
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    allow_many_files();
    let in_force = Arc::new(InForce::default());
    let (policy, mut place) = policy(arguments, &in_force)?;
    let address = listen_address(arguments, &policy);
    let metrics_address = policy.serve.metrics.clone();
    let drain = policy.serve.limits.time(ServeLimit::Drain);
    let servers = servers::servers(&policy)?;
    let names: Vec<String> = servers.iter().map(|(name, _)| name.clone()).collect();
    let access = servers::access(&policy.serve)?;
    let has_tokens = access.has_tokens();
    let serve_limits = policy.serve.limits;
    let tls = policy.serve.tls.as_ref();
    let tls = tls.map(|(certificate, key)| listen::tls(certificate, key));
    let tls = tls.transpose().context("certificate and key of [serve]")?;
    let collector = policy.serve.traces.clone();
    let scheme = if tls.is_some() { "https" } else { "http" };
    let shared = shared::open(&policy)?;
    let sandbox = arguments.policy.sandbox()?;
    let begun = Instant::now();
    let chains = policy::load_watched(policy, &sandbox)?;
    let load = begun.elapsed();
    let gate = Gate::new(chains.policy(), arguments.profile.as_deref())?;
    state::sweep_callers(StoreLimits::of_bytes(
        serve_limits.value(ServeLimit::Originals),
    ));
    let redis = shared.sharing.sessions.clone();
    let connecting = Arc::new(Connecting::new(
        chains,
        gate,
        load,
        sandbox.numbers(),
        !arguments.no_reload && !matches!(place, Place::Fixed),
        Arc::clone(&in_force),
        shared.objects,
        redis,
    ));
    if let Place::Remote(remote) = &mut place {
        remote.begins();
    }
    let connect = Arc::clone(&connecting);
    let connect = Box::new(move |server: &str, caller: &_| connect.connect(server, caller));
    let numbers = Arc::clone(&connecting);
    let metrics = Box::new(move |sessions| numbers.metrics(sessions));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(Hub::threads())
        .max_blocking_threads(BLOCKING_THREADS)
        .event_interval(TASKS_BETWEEN_EVENTS)
        .enable_all()
        .build();
    let runtime = runtime.context("start the threads that serve")?;
    if let Some(redis) = &shared.sharing.sessions {
        redis.ask_on(runtime.handle().clone());
    }
    let traces = servers::traces(collector.as_deref(), runtime.handle())?;
    let hub = Hub::new(
        servers,
        access,
        connect,
        metrics,
        serve_limits,
        shared.sharing,
    )
    .with_traces(traces.clone())
    .with_policy(Box::new(move || in_force.json()));
    let hub = Arc::new(hub);
    runtime.spawn(Hub::end_idle_sessions(Arc::downgrade(&hub)));
    if !arguments.no_reload {
        let _runtime = runtime.enter();
        let clients = Clients::new(&connecting, &hub);
        match place {
            Place::Fixed => {}
            Place::Files(reload) => reload.start(sandbox, clients)?,
            Place::Remote(remote) => {
                Reload::of(*remote, arguments.profile.clone())?.start(sandbox, clients)?;
            }
        }
    }
    let all_ended = runtime.block_on(async {
        let listener = TcpListener::bind(&address).await;
        let listener = listener.with_context(|| format!("listen on {address}"))?;
        let bound = listener.local_addr().context("look where to listen")?;
        if !bound.ip().is_loopback() && !has_tokens {
            bail!(
                "other machines can reach {bound}, and anyone could connect: add `tokens` to [serve], or listen on 127.0.0.1"
            );
        }
        let ends = signals::Ends::watch().context("wait for signals to end")?;
        output::print(&format!("listening on {scheme}://{bound}\n"))?;
        for name in &names {
            output::print(&format!("  {scheme}://{bound}/{name}/mcp\n"))?;
        }
        if let Some(address) = metrics_address {
            let listener = TcpListener::bind(&address).await;
            let listener = listener.with_context(|| format!("listen on {address} for metrics"))?;
            let bound = listener.local_addr().context("look where to listen")?;
            output::print(&format!("  http://{bound}/metrics\n"))?;
            // Until the process ends: who looks must see that this replica ends.
            let never = std::future::pending();
            tokio::spawn(listen::serve(
                listener,
                hub.metrics_router(),
                None,
                never,
                GRACE,
            ));
        }
        let keeping = tokio::spawn(Arc::clone(&hub).keep_ready());
        let closing = Arc::clone(&hub);
        let ends = async move {
            ends.wait().await;
            closing.drain();
            tokio::time::sleep(drain).await;
            closing.close();
        };
        let all_ended = listen::serve(listener, hub.router(), tls, ends, GRACE).await;
        // It ends the processes that wait for sessions.
        let _ = keeping.await;
        Ok(all_ended)
    })?;
    if !all_ended {
        tracing::warn!("some calls were not answered when the proxy ended");
    }
    if let Some(traces) = traces {
        traces.close();
    }
    runtime.shutdown_background();
    connecting.close();
    if let Some(mirror) = shared.mirror {
        mirror.close();
    }
    Ok(ExitCode::SUCCESS)
}

/// A client has a connection to the proxy and one to the server, each a file that is open.
fn allow_many_files() {
    if let Err(error) = limits::allow_many_files() {
        tracing::warn!("cannot raise the limit of open files: {error}");
    }
}

fn listen_address(arguments: &Arguments, policy: &Policy) -> String {
    let listen = arguments.listen.as_ref().or(policy.serve.listen.as_ref());
    listen
        .cloned()
        .unwrap_or_else(|| ServeSpec::LISTEN.to_owned())
}
