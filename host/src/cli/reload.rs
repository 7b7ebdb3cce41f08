//! Puts a policy in force that was written while the proxy runs.
//!
//! The new policy is built whole while the old one is in force: read, checked, its plugins compiled, its
//! filters given their settings. Only then does it replace the old one, at once. A broken one changes nothing.
//!
//! The operator is told on standard error alone. A message to the client (`notifications/message`) would be the
//! only one that the server did not send, and hardly a client shows it.

use super::lookup;
use super::policy::{self, PolicyArguments};
use crate::chain::Chains;
use crate::mcp::gate::Gate;
use crate::mcp::relay::Replaced;
use crate::policy::{Lock, PluginSpec, Policy, Report, Watch, describe_change};
use crate::sandbox::Sandbox;
use crate::shell;
use crate::system::signals;
use anyhow::{Context, Result, anyhow};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the files are examined. From saving a file to its policy, twice that time passes at most, and
/// examining them costs microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Where a policy comes from, and when it may have changed there.
pub(super) trait Origin: Send + 'static {
    /// Its name, for the log.
    fn name(&self) -> String;

    /// Whether it may have changed. Called every [`LOOK_EVERY`].
    fn poll(&mut self) -> bool;

    /// Reads the policy. `asked`: an operator wants it, even if it looks unchanged. `is_behind`: the one that was read
    /// last is not in force.
    ///
    /// # Errors
    ///
    /// It cannot be used.
    fn next(&mut self, before: &Policy, asked: bool, is_behind: bool) -> Result<Next>;

    /// Whether the proxy begins with another policy than the origin has, as far as is known.
    fn is_behind(&self) -> bool {
        false
    }

    /// The policy that was read last is in force; or it is not, since it could not be loaded.
    fn ended(&mut self, _is_in_force: bool) {}
}

/// What an origin has.
pub(super) enum Next {
    /// Nothing else than it had before.
    Nothing,
    /// The policy in force, also if it had something else in between.
    Same,
    /// A policy, and the files that were written since the one before.
    Policy(Box<Policy>, Vec<PathBuf>),
}

/// A policy that may be replaced.
pub(super) struct Reload<O> {
    origin: O,
    profile: Option<String>,
    hung_up: Receiver<()>,
}

/// The files of a policy.
pub(super) struct Files {
    arguments: PolicyArguments,
    path: PathBuf,
    watch: Watch,
}

/// A proxy that serves clients by a policy.
pub(super) trait Service: Send + 'static {
    /// The policy in force.
    fn policy(&self) -> &Policy;

    /// Puts another one in force, which it took so long to load.
    ///
    /// # Errors
    ///
    /// It cannot be: then the one before stays.
    fn replace(&mut self, chains: Chains, gate: Gate, load: Duration) -> Result<Replaced>;

    /// Is told whether the origin has the policy in force, or one that cannot be used.
    fn note(&self, _is_sound: Result<(), &str>) {}
}

/// The proxy whose policy is replaced.
struct Proxy<S> {
    sandbox: Sandbox,
    service: S,
    /// The origin differs from the policy in force.
    is_behind: bool,
}

/// The outcome of an attempt.
enum Attempt {
    /// The origin has nothing else than before.
    Nothing,
    /// The policy is unchanged.
    Same,
    Done {
        changes: String,
        replaced: Replaced,
    },
}

impl Reload<Files> {
    /// Starts watching. Call it before the policy is read, so that no later write is missed. From now on SIGHUP
    /// does not end this process. None: no path for a file exists.
    pub(super) fn new(
        arguments: &PolicyArguments,
        profile: Option<String>,
    ) -> Result<Option<Reload<Files>>> {
        let Some(path) = arguments.place() else {
            return Ok(None);
        };
        let files = Files {
            arguments: arguments.clone(),
            watch: Watch::new(vec![path.clone()]),
            path,
        };
        Reload::of(files, profile).map(Some)
    }

    /// Watches the plugins of this policy, their signatures and keys, and its lock file. To be called before they are read.
    pub(super) fn follow(&mut self, policy: &Policy) {
        self.origin.follow(policy);
    }
}

impl<O: Origin> Reload<O> {
    /// From now on SIGHUP does not end this process.
    pub(super) fn of(origin: O, profile: Option<String>) -> Result<Reload<O>> {
        let (hangup, hung_up) = mpsc::channel();
        signals::watch(&[signals::HANGUP], move |_| hangup.send(()).is_ok())
            .context("wait for SIGHUP")?;
        Ok(Reload {
            origin,
            profile,
            hung_up,
        })
    }

    /// Looks at the origin from a thread of its own, for as long as the process runs.
    pub(super) fn start(mut self, sandbox: Sandbox, service: impl Service) -> Result<()> {
        let mut proxy = Proxy {
            sandbox,
            service,
            is_behind: self.origin.is_behind(),
        };
        spawn("reload", move || {
            proxy.sandbox.take_snapshots();
            loop {
                match self.hung_up.recv_timeout(LOOK_EVERY) {
                    Ok(()) => self.reload(&mut proxy, true),
                    Err(RecvTimeoutError::Timeout) => {
                        if self.origin.poll() {
                            self.reload(&mut proxy, false);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })
    }

    /// Tries, and logs the outcome. `asked`: even if the policy looks unchanged.
    fn reload(&mut self, proxy: &mut Proxy<impl Service>, asked: bool) {
        let name = self.origin.name();
        // A fault must not end the thread: the operator could not fix anything any more.
        let attempt = catch_unwind(AssertUnwindSafe(|| self.attempt(proxy, asked)))
            .unwrap_or_else(|_| Err(anyhow!("an internal error; the lines above show where")));
        match attempt {
            Ok(Attempt::Nothing) => {}
            Ok(Attempt::Same) => {
                if proxy.is_behind {
                    tracing::warn!("{name} is sound again, and is the policy in force");
                } else {
                    tracing::debug!("{name} has no effective change");
                }
                proxy.is_behind = false;
                proxy.service.note(Ok(()));
            }
            Ok(Attempt::Done { changes, replaced }) => {
                proxy.sandbox.take_snapshots();
                let client = client_is_told(&replaced);
                if proxy.is_behind {
                    // The log that reported the mistake reports its end.
                    tracing::warn!("reloaded {name}, which is sound again: {changes}{client}");
                } else {
                    tracing::info!("reloaded {name}: {changes}{client}");
                }
                proxy.is_behind = false;
                proxy.service.note(Ok(()));
            }
            Err(error) => {
                proxy.is_behind = true;
                proxy.service.note(Err(&format!("{error:#}")));
                tracing::error!(
                    "{name} cannot be used; the previous policy stays in force:\n{error:#}"
                );
            }
        }
    }

    fn attempt(&mut self, proxy: &mut Proxy<impl Service>, asked: bool) -> Result<Attempt> {
        let before = proxy.service.policy();
        let (policy, written) = match self.origin.next(before, asked, proxy.is_behind)? {
            Next::Nothing => return Ok(Attempt::Nothing),
            Next::Same => return Ok(Attempt::Same),
            Next::Policy(policy, written) => (*policy, written),
        };
        let done = self.put_in_force(proxy, policy, &written);
        self.origin.ended(done.is_ok());
        done
    }

    fn put_in_force(
        &self,
        proxy: &mut Proxy<impl Service>,
        policy: Policy,
        written: &[PathBuf],
    ) -> Result<Attempt> {
        let changes = describe_change(proxy.service.policy(), &policy, written);
        let begun = Instant::now();
        let chains = policy::load(policy, &proxy.sandbox)?;
        let gate = Gate::new(chains.policy(), self.profile.as_deref())?;
        let replaced = proxy.service.replace(chains, gate, begun.elapsed())?;
        Ok(Attempt::Done { changes, replaced })
    }
}

impl Files {
    fn follow(&mut self, policy: &Policy) {
        let plugins = policy.plugins.iter().flat_map(PluginSpec::files);
        // A plugin that was replaced may be waiting to be approved.
        let files = [self.path.clone(), Lock::path_for(&self.path)];
        // If the file is trusted again, it is used from then on.
        let record = lookup::record_of(&self.path);
        let included = policy.source.named().iter().cloned();
        let files = files.into_iter().chain(record).chain(included);
        self.watch.follow(files.chain(plugins).collect());
    }

    /// Watches the files that a broken policy includes, too: the mistake may be in one of them, or that one is
    /// missing.
    fn follow_broken(&mut self, error: &anyhow::Error) {
        if let Some(report) = error.downcast_ref::<Report>() {
            self.watch.follow_more(report.source().named());
        }
    }
}

impl Origin for Files {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn poll(&mut self) -> bool {
        self.watch.poll()
    }

    fn next(&mut self, before: &Policy, asked: bool, is_behind: bool) -> Result<Next> {
        let written = self.watch.settle();
        if !self.path.exists() {
            if before.source.path() != self.path {
                // No file existed when the proxy started, and none is necessary.
                return Ok(Next::Same);
            }
            return Err(anyhow!("the file is missing"));
        }
        let policy = self.arguments.read(None);
        let policy = policy.inspect_err(|error| self.follow_broken(error))?;
        if policy.source.path() != self.path {
            let file = shell::word(&self.path);
            return Err(anyhow!(
                "a proxy started now would use {}: if this file changed after you trusted it, check it (tamis check {file}), and trust it again (tamis trust {file})",
                policy.source.path().display()
            ));
        }
        // Before the plugins are read, so that a later write is seen the next time.
        self.follow(&policy);
        if !asked && !is_behind && is_the_same(&policy, before, &written) {
            return Ok(Next::Same);
        }
        Ok(Next::Policy(Box::new(policy), written))
    }
}

/// Whether nothing was written that the policy is made of, though something was.
pub(super) fn is_the_same(after: &Policy, before: &Policy, written: &[PathBuf]) -> bool {
    let is_written = |path: &Path| written.iter().any(|written| written == path);
    after.source.says_the_same(&before.source)
        && !after
            .plugins
            .iter()
            .flat_map(PluginSpec::files)
            .any(|file| is_written(&file))
}

fn client_is_told(replaced: &Replaced) -> &'static str {
    match (replaced.lists_changed, replaced.notices.is_empty()) {
        (false, _) => "",
        (true, false) => "; the client is told that its list of tools has changed",
        (true, true) => {
            "; its list of tools changed, but Tamis cannot notify the client, which sees the change when it reconnects"
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.to_owned());
    let spawned = thread.spawn(work).map(|_| ());
    spawned.with_context(|| format!("start the thread `{name}`"))
}
