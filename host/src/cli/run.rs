//! `tamis run`: the proxy in front of one server, over standard input and output.

use super::connect::{self, HeaderArguments};
use super::failures::FailureArguments;
use super::lookup::Chosen;
use super::output;
use super::policy::{self, PolicyArguments};
use super::recording::{self, RecordArguments};
use super::reload::{Files, Reload, Service};
use crate::chain::{self, Chains};
use crate::ledger::Ledger;
use crate::lock::lock;
use crate::mcp::gate::Gate;
use crate::mcp::observe::failures::Failures;
use crate::mcp::observe::receipts::Receipts;
use crate::mcp::read_server::ReadServer;
use crate::mcp::relay::Replaced;
use crate::mcp::rewriter::Rewriter;
use crate::mcp::stdio::{self, Options, Policies};
use crate::policy::Policy;
use crate::recording::Recorder;
use crate::sandbox::Sandbox;
use crate::store::Store;
use crate::system::signals::{self, HANGUP, INTERRUPT, TERMINATE};
use crate::trust::Lapsed;
use anyhow::{Context, Result, anyhow, bail};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The status of a process that a signal ended is this and the signal's number.
const SIGNALLED: u8 = 128;

/// Starts an MCP server, and filters its output for the client.
///
/// Put this command in front of the server's own command in a coding agent's MCP configuration (`tamis
/// install` does that). Standard input and output carry MCP messages; the log goes to standard error.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis run --config filters.toml -- npx -y @modelcontextprotocol/server-filesystem .\n  tamis run --url https://mcp.example.com/mcp --header 'Authorization: Bearer ${TOKEN}'\n  tamis run --record calls -- python3 server.py    # then: tamis replay calls --config new.toml\n  tamis run --save-failures failed -- python3 server.py    # then: tamis plugin test my.wasm --document failed/*"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: PolicyArguments,
    /// The server's name, for filters and the log. Default: the name of its program.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Show the client only the tools of this profile (`[profile.NAME]` in the policy).
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Do not reload the policy. By default, Tamis uses new versions of its file, and of the plugins
    /// that it names, when they are saved (and at once at SIGHUP). A broken file changes nothing.
    #[arg(long)]
    no_reload: bool,
    /// Do not list the read tool, because another server of this client lists it for all (`tamis mcp`,
    /// which `tamis install` adds). Without that server, a model cannot read what filters cut.
    #[arg(long)]
    no_read_tool: bool,
    #[command(flatten)]
    record: RecordArguments,
    #[command(flatten)]
    failures: FailureArguments,
    /// The URL of a server that speaks Streamable HTTP.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,
    #[command(flatten)]
    headers: HeaderArguments,
    /// The server's command and its arguments.
    #[arg(last = true, required_unless_present = "url", value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The proxy's data on this machine, opened when a policy first needs it.
#[derive(Default)]
struct State {
    store: Option<Store>,
    ledger: Option<Ledger>,
    recording: Option<recording::Opened>,
    failures: Option<Recorder>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut reload = if arguments.no_reload {
        None
    } else {
        Reload::new(&arguments.policy, arguments.profile.clone())?
    };
    let Chosen {
        policy,
        what,
        is_found,
    } = match arguments.policy.choose() {
        Ok(chosen) => chosen,
        Err(error) => return closed(error),
    };
    if is_found {
        output::tell(format_args!("tamis: the policy is {what}"));
    }
    if let Some(reload) = &mut reload {
        reload.follow(&policy);
    }
    let sandbox = arguments.policy.sandbox()?.with_snapshots_later();
    // Instant checks first: mistakes in the policy are reported before a server starts.
    let (chains, later) = if chain::is_instant(&policy) || chain::lacks_plugins(&policy) {
        (policy::load_watched(policy, &sandbox)?, None)
    } else {
        (chain::while_loading(policy.clone()), Some(policy))
    };
    let gate = Gate::new(chains.policy(), arguments.profile.as_deref())?;
    let ((command, env), name) = match &arguments.url {
        Some(url) => (
            connect::command(url, &arguments.headers)?,
            connect::host(url)?,
        ),
        None if arguments.headers.any() => {
            bail!("--header requires --url: Tamis sends no headers to a program")
        }
        None => (
            (arguments.command.clone(), Vec::new()),
            program_name(&arguments.command),
        ),
    };
    let server = arguments.server.clone().unwrap_or(name);
    let state = Arc::new(Mutex::new(State {
        recording: arguments.record.open()?,
        failures: arguments.failures.open()?,
        ..State::default()
    }));
    let gate = Arc::new(gate);
    let mut rewriter = lock(&state).first(server, chains)?;
    rewriter = rewriter.with_gate(Arc::clone(&gate));
    if arguments.no_read_tool {
        rewriter = rewriter.with_read_tool_elsewhere();
    }
    if reload.is_some() || later.is_some() {
        rewriter = rewriter.replaceable();
    }
    let rewriter = Arc::new(rewriter);
    let options = Options {
        ends_at_hangup: reload.is_none(),
        env,
        ..Options::default()
    };
    let proxy = match stdio::start(&command, Arc::clone(&rewriter), options) {
        Ok(proxy) => proxy,
        Err(error) => {
            output::tell(format_args!("tamis: {error}"));
            return Ok(ExitCode::from(error.exit_code()));
        }
    };
    let service = OneServer {
        current: rewriter,
        policies: proxy.policies(),
        state: Arc::clone(&state),
    };
    let start = Start {
        sandbox,
        service,
        gate,
        reload,
    };
    let loading = match later {
        None => start.follow().map(|()| None)?,
        Some(policy) => Some(start.load_beside(policy)?),
    };
    let code = proxy.wait();
    let loaded = loading.map_or(Ok(()), |loading| loading.end(code));
    let State {
        ledger,
        recording,
        failures,
        ..
    } = std::mem::take(&mut *lock(&state));
    if let Some(failures) = failures {
        failures.close();
    }
    if let Some(recording) = recording {
        recording.close();
    }
    if let Some(ledger) = ledger {
        ledger.close();
    }
    loaded.map(|()| ExitCode::from(code))
}

/// Serves instructions alone if the project's policy was trusted and is not now. The server is not even
/// started, so nothing of it reaches the model.
///
/// # Errors
///
/// Any other error is returned.
pub(super) fn closed(error: anyhow::Error) -> Result<ExitCode> {
    let lapsed = error.downcast::<Lapsed>()?;
    output::tell(format_args!("tamis: {lapsed}"));
    let server = ReadServer::closed(Lapsed::TO_MODEL);
    let code = server.run().context("say that nothing is passed on")?;
    Ok(ExitCode::from(code))
}

/// The work after the server's start.
struct Start {
    sandbox: Sandbox,
    service: OneServer,
    gate: Arc<Gate>,
    reload: Option<Reload<Files>>,
}

impl Start {
    /// Does the rest on a thread of its own. If that fails, it ends the relay.
    fn load_beside(mut self, policy: Policy) -> Result<Loading> {
        let policies = self.service.policies.clone();
        let has_failed = Arc::<AtomicBool>::default();
        let fails = Arc::clone(&has_failed);
        let work = move || {
            let loaded = catch_unwind(AssertUnwindSafe(move || {
                self.load(policy)?;
                self.follow()
            }));
            let fault = |_| Err(anyhow!("an internal error; the lines above show where"));
            let loaded = loaded.unwrap_or_else(fault);
            if loaded.is_err() {
                fails.store(true, Ordering::SeqCst);
                policies.end();
            }
            loaded
        };
        let thread = thread::Builder::new().name("load".to_owned()).spawn(work);
        Ok(Loading {
            thread: thread.context("start the thread that loads the policy")?,
            has_failed,
        })
    }

    /// Makes the filters of the policy ready, and puts it in force.
    fn load(&mut self, policy: Policy) -> Result<()> {
        let begun = Instant::now();
        let chains = policy::load_watched(policy, &self.sandbox)?;
        self.service.put_in_force(chains, Arc::clone(&self.gate))?;
        tracing::debug!(
            "the filters are ready after {} ms",
            begun.elapsed().as_millis()
        );
        Ok(())
    }

    /// Follows the policy's files from now on.
    fn follow(self) -> Result<()> {
        match self.reload {
            Some(reload) => reload.start(self.sandbox, self.service),
            None => {
                let work = move || self.sandbox.take_snapshots();
                let spawned = thread::Builder::new()
                    .name("snapshots".to_owned())
                    .spawn(work);
                spawned
                    .context("start the thread that takes snapshots")
                    .map(drop)
            }
        }
    }
}

/// A policy whose filters are made ready while the server starts.
struct Loading {
    thread: JoinHandle<Result<()>>,
    /// Set before the relay is ended for it.
    has_failed: Arc<AtomicBool>,
}

impl Loading {
    /// The result of loading, once the relay has ended with this status. If a client lost patience and left,
    /// its filters are compiled all the same, for the next time. After a signal nobody waits.
    fn end(self, code: u8) -> Result<()> {
        if code >= SIGNALLED && !self.has_failed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let always = Arc::new(AtomicBool::new(true));
        let ending = [HANGUP, INTERRUPT, TERMINATE];
        signals::note(&ending, &Arc::default(), &always).context("wait for signals")?;
        // It does not panic.
        self.thread.join().unwrap_or(Ok(()))
    }
}

/// The client of this process.
struct OneServer {
    current: Arc<Rewriter>,
    policies: Policies<Rewriter>,
    state: Arc<Mutex<State>>,
}

impl Service for OneServer {
    fn policy(&self) -> &Policy {
        self.current.chains().policy()
    }

    fn replace(&mut self, chains: Chains, gate: Gate, _load: Duration) -> Result<Replaced> {
        self.put_in_force(chains, Arc::new(gate))
    }
}

impl OneServer {
    fn put_in_force(&mut self, chains: Chains, gate: Arc<Gate>) -> Result<Replaced> {
        let next = lock(&self.state).next(&self.current, chains)?;
        let next = Arc::new(next.with_gate(gate));
        let replaced = self.policies.replace(Arc::clone(&next));
        self.current = next;
        Ok(replaced)
    }
}

impl State {
    fn first(&mut self, server: String, chains: Chains) -> Result<Rewriter> {
        let store = self.store(&chains);
        self.noting(Rewriter::new(chains, server, store))
    }

    /// Another policy for the proxy in which `current` is in force.
    ///
    /// # Errors
    ///
    /// It lacks the chain that redacts recordings.
    fn next(&mut self, current: &Rewriter, chains: Chains) -> Result<Rewriter> {
        let store = self.store(&chains);
        self.noting(current.next(chains, store))
    }

    fn store(&mut self, chains: &Chains) -> Option<Store> {
        if self.store.is_none() && chains.may_cut() {
            self.store = super::store::open();
        }
        self.store.clone()
    }

    /// The rewriter with an observer that records calls, if they are recorded, and notes savings in the ledger.
    fn noting(&mut self, rewriter: Rewriter) -> Result<Rewriter> {
        let mut observer = rewriter.observer().clone();
        if let Some(recording) = &mut self.recording {
            observer = observer.with_recording(recording.under(rewriter.chains())?);
        }
        if let Some(recorder) = &self.failures {
            observer = observer.with_failures(Failures::new(recorder.clone()));
        }
        if !observer.has_receipts() && !rewriter.chains().is_empty() {
            self.ledger = super::store::open_ledger();
            if let Some(ledger) = &self.ledger {
                observer = observer.with_receipts(Receipts::new(ledger.clone()).of_parent());
            }
        }
        Ok(rewriter.with_observer(observer))
    }
}

fn program_name(command: &[OsString]) -> String {
    let program = command.first().map(Path::new).and_then(Path::file_name);
    program.unwrap_or_default().to_string_lossy().into_owned()
}
