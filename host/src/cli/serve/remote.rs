//! A policy from a URL or a registry: the options for it, and when its place is asked.

use super::in_force::InForce;
use crate::built_in;
use crate::cli::connect::header_map;
use crate::cli::plugin::signed::public_key;
use crate::cli::reload::{Next, Origin, is_the_same};
use crate::mcp::http::remote;
use crate::policy::{PluginSpec, Policy, Source, Watch, is_remote};
use crate::remote_policy::{Copies, Fetched, Place, RemotePolicy, Trust};
use crate::secrets;
use crate::state::State;
use anyhow::{Context, Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the place is asked: with the time to fetch and to load, another policy is in force within ten seconds. A
/// question costs a registry one request without a body.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// When a policy that could not be loaded is tried again: a plugin of its own may have been away.
const TRY_AGAIN: Duration = Duration::from_secs(60);

/// The variables with the credentials for a registry. No program that Tamis starts gets them.
const OF_REGISTRY: [&str; 2] = ["TAMIS_REGISTRY_USER", "TAMIS_REGISTRY_PASSWORD"];

/// Options for a policy from a URL or a registry.
#[derive(clap::Args, Clone, Default)]
pub(in crate::cli) struct RemoteArguments {
    /// With --config URL or oci://…: use the policy only if the owner of this public key signed it
    /// (`tamis publish`). May be given several times: one of the keys suffices.
    #[arg(long = "policy-key", value_name = "FILE")]
    keys: Vec<PathBuf>,
    /// With --config URL or oci://…: use a policy that has neither a signature nor a digest in its name.
    /// Whoever can write to that place then decides what this proxy does.
    #[arg(long, conflicts_with = "keys")]
    unsigned_policy: bool,
    /// With --config URL or oci://…: let the policy start programs (servers with `command`).
    #[arg(long)]
    policy_commands: bool,
    /// With --config URL: a header of each request for the policy, `Name: value`. The value may end with
    /// an environment variable, `${NAME}`. May be given several times.
    #[arg(long = "policy-header", value_name = "HEADER")]
    headers: Vec<String>,
}

/// The place of a policy, as an origin that is asked again and again.
pub(super) struct Remote {
    remote: RemotePolicy,
    may_start_programs: bool,
    /// The files of this machine that the policy names: plugins and keys.
    watch: Watch,
    next: Instant,
    in_force: Arc<InForce>,
    /// The policy in force.
    current: Fetched,
    /// The one that was read last, and may come to be in force.
    candidate: Option<Fetched>,
    /// The digest of a policy that could not be loaded, and when it is tried again.
    failed: Option<(String, Instant)>,
    /// The error that the log has.
    told: Option<String>,
}

/// What the place has.
enum Answer {
    /// The policy in force.
    Current,
    Other(Box<Fetched>),
    /// It cannot be had, or may not be used, and the log says so already.
    SameError,
}

impl RemoteArguments {
    /// The place of the policy, if it is remote.
    ///
    /// # Errors
    ///
    /// It is none, nothing says when to trust it, or options for one were given without one.
    pub(super) fn open(
        &self,
        named: Option<&Path>,
        in_force: &Arc<InForce>,
    ) -> Result<Option<(Remote, Policy)>> {
        let Some(text) = named.filter(|path| is_remote(path)).and_then(Path::to_str) else {
            let options = [
                ("--policy-key", !self.keys.is_empty()),
                ("--unsigned-policy", self.unsigned_policy),
                ("--policy-commands", self.policy_commands),
                ("--policy-header", !self.headers.is_empty()),
            ];
            if let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) {
                bail!(
                    "{option} is for a policy from a URL or a registry, as in `--config oci://registry.example/team/policy:prod`"
                );
            }
            return Ok(None);
        };
        let place =
            Place::parse(text).with_context(|| format!("--config {}", without_secrets(text)))?;
        let keys = self.keys.iter().map(|path| public_key(path));
        let trust = Trust {
            keys: keys.collect::<Result<_>>()?,
            may_be_unsigned: self.unsigned_policy,
        };
        let name = place.name();
        if trust.keys.is_empty() && !trust.may_be_unsigned && place.digest().is_none() {
            bail!(
                "nothing says which policy of {name} may be used: name the key that signs it (--policy-key team.pub), or its digest (oci://…@sha256:…, https://…#sha256=…). With --unsigned-policy, whoever can write there decides what this proxy does"
            );
        }
        if matches!(place, Place::Registry(_)) && !self.headers.is_empty() {
            bail!(
                "--policy-header is for a policy from a URL: credentials for a registry are those of `docker login`, or in {}",
                OF_REGISTRY.join(" and ")
            );
        }
        secrets::note(OF_REGISTRY.map(str::to_owned));
        let headers = header_map("--policy-header", &self.headers)?;
        let client = remote::client().context("read the system's certificates")?;
        let state = State::find().inspect_err(|error| {
            tracing::warn!("no copy of the policy is stored, and a start while {name} does not answer will fail: {error}");
        });
        let copies = state.ok().map(|state| Copies::in_folder(state.policies()));
        let remote = RemotePolicy::new(place, trust, client, headers, copies)?;
        let fetched = remote
            .first()
            .with_context(|| format!("the policy {name}"))?;
        if fetched.copied_since.is_none() {
            in_force.checked();
        }
        let mut remote = Remote {
            remote,
            may_start_programs: self.policy_commands,
            watch: Watch::new(Vec::new()),
            next: Instant::now() + ASK_EVERY,
            in_force: Arc::clone(in_force),
            current: fetched,
            candidate: None,
            failed: None,
            told: None,
        };
        let policy = remote.policy(&remote.current)?;
        remote.follow(&policy);
        Ok(Some((remote, policy)))
    }
}

impl Remote {
    /// The policy that the proxy begins with is in force.
    pub(super) fn begins(&mut self) {
        self.remote.is_in_force(&self.current);
        if let Some(why) = &self.current.copied_since {
            tracing::warn!(
                "{} is the copy that was stored when it was last in force: {why}",
                self.remote.name()
            );
            self.in_force.is_copy(why);
            self.told = Some(why.clone());
        }
    }

    fn policy(&self, fetched: &Fetched) -> Result<Policy> {
        let digest = fetched.digest.to_string();
        let source = Source::remote(&self.remote.name(), &digest, &fetched.policy)?;
        let policy = Policy::parse_remote(source, &built_in::names(), self.may_start_programs)?;
        secrets::note(policy.secret_variables());
        Ok(policy)
    }

    fn follow(&mut self, policy: &Policy) {
        let files = policy.plugins.iter().flat_map(PluginSpec::files);
        self.watch.follow(files.collect());
    }

    /// Asks the place.
    fn ask(&mut self) -> Result<Answer> {
        if self.remote.is_pinned() {
            return Ok(Answer::Current);
        }
        match self.remote.fetch() {
            Ok(fetched) => {
                self.in_force.checked();
                if self.told.take().is_some() {
                    // What is known of a policy that failed before is to be said again.
                    self.failed = None;
                }
                Ok(fetched.map_or(Answer::Current, |fetched| Answer::Other(Box::new(fetched))))
            }
            Err(error) => {
                let error = error.to_string();
                if self.told.as_ref() == Some(&error) {
                    self.in_force.note(Err(&error));
                    return Ok(Answer::SameError);
                }
                self.told = Some(error.clone());
                Err(anyhow!(error))
            }
        }
    }
}

impl Origin for Remote {
    fn name(&self) -> String {
        format!("the policy {}", self.remote.name())
    }

    fn poll(&mut self) -> bool {
        // A pinned place has the same policy for ever.
        let is_due = Instant::now() >= self.next && !self.remote.is_pinned();
        is_due || self.watch.poll()
    }

    fn next(&mut self, before: &Policy, asked: bool, _: bool) -> Result<Next> {
        let written = self.watch.settle();
        self.next = Instant::now() + ASK_EVERY;
        let fetched = match self.ask()? {
            Answer::SameError => return Ok(Next::Nothing),
            Answer::Other(fetched) => *fetched,
            Answer::Current => {
                self.failed = None;
                let policy = self.policy(&self.current)?;
                self.follow(&policy);
                return Ok(match !asked && is_the_same(&policy, before, &written) {
                    true => Next::Same,
                    false => Next::Policy(Box::new(policy), written),
                });
            }
        };
        let digest = fetched.digest.to_string();
        let is_known =
            |(known, again): &(String, Instant)| *known == digest && Instant::now() < *again;
        if self.failed.as_ref().is_some_and(is_known) && written.is_empty() && !asked {
            return Ok(Next::Nothing);
        }
        self.failed = Some((digest, Instant::now() + TRY_AGAIN));
        let policy = self.policy(&fetched)?;
        self.follow(&policy);
        self.candidate = Some(fetched);
        Ok(Next::Policy(Box::new(policy), written))
    }

    fn is_behind(&self) -> bool {
        self.current.copied_since.is_some()
    }

    fn ended(&mut self, is_in_force: bool) {
        let candidate = self.candidate.take();
        if let Some(fetched) = candidate.filter(|_| is_in_force) {
            self.failed = None;
            self.remote.is_in_force(&fetched);
            self.current = fetched;
        }
    }
}

/// A place that cannot be understood, without its query and its credentials.
fn without_secrets(text: &str) -> &str {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match text.split_once("://") {
        Some((scheme, rest)) if rest.contains('@') && scheme != "oci" => scheme,
        _ => text,
    }
}
