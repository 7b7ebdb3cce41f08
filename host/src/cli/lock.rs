//! `tamis lock`: approve the plugins of a policy, byte for byte.

use super::lookup;
use super::output;
use super::policy::SandboxArguments;
use crate::hex;
use crate::policy::{Finding, Lock, LockedPlugin, PluginSpec, Policy, Report, short};
use crate::printable;
use crate::sandbox::Sandbox;
use crate::trust::Standing;
use crate::{built_in, chain};
use crate::{file, shell};
use anyhow::{Context, Result};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code of `--check` when the lock file is not up to date.
const EXIT_DIFFERS: u8 = 1;

/// Pins the plugins of a policy to their digests.
///
/// The lock file is in the policy's folder (filters.lock for filters.toml). It contains each plugin's SHA-256,
/// version and contract. If it exists, every command refuses a plugin with other bytes, and a plugin that is
/// not in it. `tamis lock` accepts the current plugins, and prints the changes. Writing a lock file ends the
/// trust in a project's filters.toml; `tamis trust` then shows both files.
///
/// Without FILE: TAMIS_CONFIG, else this project's filters.toml, else your own. Exit codes: 0 done or up to
/// date, 1 `--check` found a difference, 2 an error.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis lock\n  tamis lock --check filters.toml      # in CI\n  tamis lock --check --json | jq '.plugins[] | select(.state != \"same\")'"
)]
pub(super) struct Arguments {
    /// The policy.
    #[arg(env = "TAMIS_CONFIG", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write nothing; check whether the lock file is up to date.
    #[arg(long)]
    check: bool,
    /// Print the plugins as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
}

/// How a plugin stands to the lock file that was there.
struct Compared {
    name: String,
    before: Option<LockedPlugin>,
    /// The plugin now; none: filters.toml no longer has it.
    now: Option<LockedPlugin>,
}

/// The plugins, and the included files: these have a name, their path, and a digest.
struct AllCompared {
    plugins: Vec<Compared>,
    included: Vec<Compared>,
}

impl AllCompared {
    fn all(&self) -> impl Iterator<Item = &Compared> {
        self.plugins.iter().chain(&self.included)
    }
}

/// Included files in the form of plugins, to be compared and shown like them.
fn files(included: &[(String, [u8; 32])]) -> Vec<LockedPlugin> {
    let file = |(path, sha256): &(String, [u8; 32])| LockedPlugin {
        name: path.clone(),
        place: path.clone(),
        is_artifact: false,
        sha256: *sha256,
        version: String::new(),
        contract: String::new(),
    };
    included.iter().map(file).collect()
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let path = lookup::file(arguments.file.as_deref())?;
    let policy = Policy::parse(lookup::source(&path)?, &built_in::names())?;
    let policy = match lookup::may_fetch(&path) {
        true => policy,
        false => policy.without_fetching(),
    };
    // Read before anything is written: whether the file is trusted.
    let was_noted = matches!(
        lookup::standing(&path),
        Some(Standing::Trusted(_) | Standing::Changed(_))
    );
    let before = Lock::of(&path);
    // A broken lock file is no obstacle: writing it again fixes it. `--check` must fail.
    let (before, broken) = match before {
        Ok(before) => (before, None),
        Err(error) if !arguments.check => (None, Some(error)),
        Err(error) => return Err(error),
    };
    let there = before.is_some();
    let (known, known_files) = before.map_or_else(Default::default, |lock| {
        (lock.plugins, files(&lock.included))
    });
    let now = if arguments.check {
        hashed(&policy, &known)?
    } else {
        described(&policy, &arguments.sandbox.open()?)?
    };
    let lock = Lock::new(Lock::path_for(&path), now, policy.source.digests());
    let compared = AllCompared {
        plugins: compare(&known, &lock.plugins),
        included: compare(&known_files, &files(&lock.included)),
    };
    let is_same = there && compared.all().all(|plugin| plugin.before == plugin.now);
    if !arguments.check {
        let text = lock.text();
        // Nothing to write is nothing for others to take for a change.
        if Lock::bytes_of(&path).ok().flatten().as_deref() != Some(text.as_bytes()) {
            file::replace(lock.path(), text.as_bytes(), file::Access::All)
                .with_context(|| format!("write {}", lock.path().display()))?;
        }
        if let Some(error) = broken {
            tracing::warn!("the lock file was broken, and is rewritten: {error:#}");
        }
    }
    let text = if arguments.json {
        format!("{:#}\n", report(&path, &lock, &compared, is_same))
    } else {
        words(&path, &lock, &compared, there, arguments.check)
    };
    output::print_either(&text, arguments.json)?;
    if was_noted
        && !arguments.check
        && !matches!(lookup::standing(&path), Some(Standing::Trusted(_)))
    {
        // Trusting it here would approve text that was not shown.
        output::tell(format_args!(
            "tamis: this ends the trust in {file}. To use the file again: tamis trust {file}",
            file = shell::word(&path)
        ));
    }
    Ok(match arguments.check && !is_same {
        true => ExitCode::from(EXIT_DIFFERS),
        false => ExitCode::SUCCESS,
    })
}

/// The plugins of a policy, each with its own description. Their code runs, in the sandbox, with no grant used:
/// only `describe` is called.
fn described(policy: &Policy, sandbox: &Sandbox) -> Result<Vec<LockedPlugin>> {
    let mut findings = Vec::new();
    let mut plugins = Vec::new();
    for spec in &policy.plugins {
        let Some(sha256) = digest(spec, &mut findings) else {
            continue;
        };
        let wasm = &spec.read().expect("it was just hashed").wasm;
        match sandbox.load(&spec.name, wasm, spec.grants, &spec.limits) {
            Ok(plugin) => plugins.push(LockedPlugin {
                sha256,
                version: plugin.description().version.clone(),
                contract: plugin.contract(),
                ..unknown(policy, spec)
            }),
            Err(error) => findings.push(Finding::error(
                spec.place_span,
                format!("plugin `{}` cannot be used: {error}", spec.name),
                "this plugin",
            )),
        }
    }
    finish(policy, findings, plugins)
}

/// The plugins of a policy, with the known facts about unchanged ones: no plugin runs.
fn hashed(policy: &Policy, known: &[LockedPlugin]) -> Result<Vec<LockedPlugin>> {
    let mut findings = Vec::new();
    let mut plugins = Vec::new();
    for spec in &policy.plugins {
        let Some(sha256) = digest(spec, &mut findings) else {
            continue;
        };
        let same = known
            .iter()
            .find(|locked| locked.name == spec.name && locked.sha256 == sha256);
        let (version, contract) = same.map_or_else(Default::default, |locked| {
            (locked.version.clone(), locked.contract.clone())
        });
        plugins.push(LockedPlugin {
            sha256,
            version,
            contract,
            ..unknown(policy, spec)
        });
    }
    finish(policy, findings, plugins)
}

fn finish(
    policy: &Policy,
    findings: Vec<Finding>,
    plugins: Vec<LockedPlugin>,
) -> Result<Vec<LockedPlugin>> {
    match findings.is_empty() {
        true => Ok(plugins),
        false => Err(Report::new(policy.source.clone(), findings).into()),
    }
}

fn digest(spec: &PluginSpec, findings: &mut Vec<Finding>) -> Option<[u8; 32]> {
    match spec.read() {
        // What nobody signed is not approved either.
        Ok(file) => match spec.check_signatures(file) {
            Ok(()) => Some(file.sha256),
            Err(finding) => {
                findings.push(finding);
                None
            }
        },
        Err(error) => {
            findings.push(chain::unreadable(spec, error));
            None
        }
    }
}

/// The facts about a plugin in filters.toml.
fn unknown(policy: &Policy, spec: &PluginSpec) -> LockedPlugin {
    let place = match spec.place.file() {
        None => spec.place.to_string(),
        Some(file) => {
            let folder = policy.source.path().parent().unwrap_or(Path::new(""));
            // Joined to the folder it may lie outside: then it was absolute.
            let path = file.strip_prefix(folder).unwrap_or(file);
            path.to_string_lossy().into_owned()
        }
    };
    LockedPlugin {
        name: spec.name.clone(),
        place,
        is_artifact: spec.place.file().is_none(),
        sha256: [0; 32],
        version: String::new(),
        contract: String::new(),
    }
}

fn compare(before: &[LockedPlugin], now: &[LockedPlugin]) -> Vec<Compared> {
    let names: BTreeSet<&str> = before
        .iter()
        .chain(now)
        .map(|plugin| plugin.name.as_str())
        .collect();
    let find = |plugins: &[LockedPlugin], name| {
        let mut plugins = plugins.iter();
        plugins.find(|plugin| plugin.name == name).cloned()
    };
    names
        .into_iter()
        .map(|name| Compared {
            name: name.to_owned(),
            before: find(before, name),
            now: find(now, name),
        })
        .collect()
}

impl Compared {
    fn state(&self) -> &'static str {
        match (&self.before, &self.now) {
            (None, _) => "new",
            (_, None) => "gone",
            (Some(before), Some(now)) if before == now => "same",
            (Some(before), Some(now)) if before.sha256 == now.sha256 => "moved",
            _ => "changed",
        }
    }
}

fn words(path: &Path, lock: &Lock, compared: &AllCompared, there: bool, check: bool) -> String {
    let mut text = String::new();
    for plugin in compared.all() {
        let facts = match (&plugin.before, &plugin.now) {
            (Some(before), Some(now)) if plugin.state() == "changed" => {
                format!("{} -> {}", title(before), title(now))
            }
            (Some(before), Some(now)) if plugin.state() == "moved" => {
                format!(
                    "{} -> {}",
                    shell::word(&before.place),
                    shell::word(&now.place)
                )
            }
            (before, now) => now
                .as_ref()
                .or(before.as_ref())
                .map_or_else(String::new, title),
        };
        let name = printable::line(&plugin.name);
        text += &format!("{:8}{name}  {facts}\n", plugin.state());
    }
    let file = lock.path().display();
    let differs = compared.all().any(|plugin| plugin.state() != "same");
    text + &match (check, there) {
        (false, _) if lock.plugins.is_empty() && lock.included.is_empty() => {
            format!("{file} is written: the policy has no plugins\n")
        }
        (false, _) => format!("{file} is written\n"),
        (true, false) => format!(
            "{file} does not exist; to write it: tamis lock {}\n",
            shell::word(path)
        ),
        (true, true) if differs => {
            format!(
                "{file} is not up to date: tamis lock {}\n",
                shell::word(path)
            )
        }
        (true, true) => format!("{file} is up to date\n"),
    }
}

/// A plugin in a line: its own description is somebody else's text.
fn title(plugin: &LockedPlugin) -> String {
    let sha256 = short(&plugin.sha256);
    match plugin.version.as_str() {
        "" => format!("sha256 {sha256}"),
        version => format!("{} (sha256 {sha256})", printable::line(version)),
    }
}

fn report(path: &Path, lock: &Lock, compared: &AllCompared, is_same: bool) -> serde_json::Value {
    let plugin = |plugin: &LockedPlugin| {
        json!({
            plugin.place_key(): plugin.place,
            "sha256": hex::encode(&plugin.sha256),
            "version": plugin.version,
            "contract": plugin.contract,
        })
    };
    let listed = |compared: &[Compared], of: &dyn Fn(&LockedPlugin) -> serde_json::Value| {
        let all = compared.iter().map(|plugin| {
            json!({
                "name": plugin.name,
                "state": plugin.state(),
                "locked": plugin.before.as_ref().map(of),
                "found": plugin.now.as_ref().map(of),
            })
        });
        all.collect::<Vec<_>>()
    };
    let plugins = listed(&compared.plugins, &plugin);
    let included = listed(
        &compared.included,
        &|file| json!({"sha256": hex::encode(&file.sha256)}),
    );
    json!({"policy": path, "lock": lock.path(), "up_to_date": is_same, "plugins": plugins, "included": included})
}
