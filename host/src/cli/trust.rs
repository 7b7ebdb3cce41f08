//! `tamis trust`: let a project's own filters.toml be used.

use super::output;
use super::{ask, lookup};
use crate::built_in;
use crate::hex;
use crate::policy::{
    self, Capability, ChainSpec, KeyChange, KeySpec, Lock, Part, PartKind, PluginPlace, PluginSpec,
    Policy, Surface, ToolPattern, short,
};
use crate::printable;
use crate::shell;
use crate::state::State;
use crate::system::owners;
use crate::trust::{self, Change, Fingerprint, NAME, Project, Record, Records, Standing};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code when the answer was no.
const EXIT_DECLINED: u8 = 1;

/// Approves the filters.toml of a project.
///
/// Tamis finds a project's filters.toml in the current folder, or above it in the same git repository (or below
/// your home). It uses the file only after you approve it here, and only while nothing changes: the file, those
/// that it includes, filters.lock in its folder, each key that they name, and the bytes of each plugin. After a change Tamis uses no
/// policy in this project until you trust the file again (`tamis trust` shows the changes) or revoke the trust.
/// Until then `tamis run` answers every request with instructions, and other commands fail.
///
/// After --revoke, Tamis acts as if you had never trusted the file. A file that you name with `--config` or
/// TAMIS_CONFIG, and the one in your own configuration folder, need no trust. Only in those do `[server.NAME]`
/// and `[serve]` take effect.
///
/// Without FILE: the filters.toml of this project. Exit codes: 0 done, 1 you answered no, 2 an error.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis trust                        # show this project's filters.toml, and ask\n  tamis trust --yes filters.toml     # without asking\n  tamis trust --revoke\n  tamis trust --list"
)]
pub(super) struct Arguments {
    /// The filters.toml.
    #[arg(value_name = "FILE", conflicts_with = "list")]
    file: Option<PathBuf>,
    /// Revoke the trust.
    #[arg(long, conflicts_with = "list")]
    revoke: bool,
    /// List trusted files, and whether each is unchanged.
    #[arg(long)]
    list: bool,
    /// With `--list`: print JSON.
    #[arg(long, requires = "list")]
    json: bool,
    /// Do not ask.
    #[arg(long, short, conflicts_with_all = ["revoke", "list"])]
    yes: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let records = State::find()?.trusted()?;
    if arguments.list {
        return list(&records, arguments.json);
    }
    let named = arguments.file.clone();
    let found = || lookup::in_project().or_else(lookup::lapsed_in_project);
    let Some(path) = named.or_else(found) else {
        bail!("no {NAME} in this project: name the file, as in `tamis trust FILE`");
    };
    if arguments.revoke {
        return revoke(&records, &path);
    }
    let path = trust::absolute(&path).with_context(|| format!("look at {}", path.display()))?;
    if path.parent().and_then(lookup::found_in).as_ref() != Some(&path) {
        bail!(
            "{} is not a project's policy, which is called {NAME}, and is not in your home or configuration folder. Other files need no trust: name them with --config",
            shell::word(&path)
        );
    }
    let project = Project::read(&path, &built_in::names())?;
    let Fingerprint { keys, plugins, .. } = project.fingerprint();
    for (noun, digests) in [("key", keys), ("plugin", plugins)] {
        if let Some((name, _)) = digests.iter().find(|(_, sha256)| sha256.is_none()) {
            bail!("{noun} `{name}` cannot be read, so it cannot be trusted: tamis check shows why");
        }
    }
    let before = records.get(&path).ok().flatten();
    output::print(&describe(&path, &project, before.as_ref()))?;
    if !ask::confirm("Trust it?", arguments.yes)? {
        output::tell(format_args!(
            "tamis: nothing changed: the file is not trusted"
        ));
        return Ok(ExitCode::from(EXIT_DECLINED));
    }
    // The record is of the shown file: the files are not read again.
    records.put(&Record {
        path: path.clone(),
        fingerprint: project.fingerprint().clone(),
        pairs: Some(project.pairs()),
    })?;
    let folder = path.parent().unwrap_or(&path);
    output::print(&format!(
        "trusted: Tamis uses it in {} and below, until it changes\n",
        shell::word(folder)
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn revoke(records: &Records, path: &Path) -> Result<ExitCode> {
    // The folder may be missing, while the record still exists.
    let path = trust::absolute(path).unwrap_or_else(|_| path.to_owned());
    if !records.remove(&path)? {
        output::tell(format_args!(
            "tamis: {} was not trusted",
            shell::word(&path)
        ));
        return Ok(ExitCode::SUCCESS);
    }
    output::print(&format!(
        "{} is not trusted any more. Tamis uses the next policy instead\n",
        shell::word(&path)
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn list(records: &Records, as_json: bool) -> Result<ExitCode> {
    let mut text = String::new();
    let mut listed = Vec::new();
    for record in records.list()? {
        let changes = match trust::standing(&record.path, records, &built_in::names()) {
            Ok(Standing::Trusted(_)) => Vec::new(),
            Ok(Standing::Untrusted) => continue,
            Ok(Standing::Changed(_)) if record.path.symlink_metadata().is_err() => {
                vec!["the file is missing".to_owned()]
            }
            Ok(Standing::Changed(changes)) => changes.iter().map(Change::to_string).collect(),
            Err(error) => vec![format!("{error:#}")],
        };
        let state = match changes.as_slice() {
            [] => "trusted".to_owned(),
            changes => format!("not used: {}", printable::line(&changes.join(", "))),
        };
        let _ = writeln!(text, "{}  {state}", shell::word(&record.path));
        listed.push(json!({
            "path": record.path,
            "sha256": hex::encode(&record.fingerprint.policy),
            "trusted": changes.is_empty(),
            "changes": changes,
        }));
    }
    match (as_json, listed.is_empty()) {
        (true, _) => output::print_json(&format!("{:#}\n", json!(listed)))?,
        (false, true) => output::print("No project's filters.toml is trusted.\n")?,
        (false, false) => output::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The effects of the file, for its user to judge. Any text in it may be made to deceive.
fn describe(path: &Path, project: &Project, before: Option<&Record>) -> String {
    let policy = project.policy();
    let mut text = format!(
        "{}\n  sha256 {}\n",
        shell::word(path),
        hex::encode(&project.fingerprint().policy)
    );
    if let Some((owner, user)) = owners::stranger(path) {
        let _ = writeln!(text, "  belongs to user {owner}; you are user {user}");
    }
    if let Some(before) = before {
        text += &differences(before, project);
    }
    let included = &project.fingerprint().included;
    if !included.is_empty() {
        text += "\nincluded files\n";
    }
    for (path, sha256) in included {
        let line = format!("{path}: sha256 {}", hex::encode(sha256));
        let _ = writeln!(text, "  {}", printable::line(&line));
    }
    text += "\nchains\n";
    for chain in &policy.chains {
        text += &self::chain(policy, chain);
    }
    if policy.chains.is_empty() {
        text += "  none\n";
    }
    text += "\nplugins\n";
    for plugin in &policy.plugins {
        text += &self::plugin(plugin);
    }
    if policy.plugins.is_empty() {
        text += "  none: it uses only built-in filters\n";
    }
    if let Some(lock) = project.fingerprint().lock {
        let _ = writeln!(
            text,
            "\nlock file\n  {}, sha256 {}",
            shell::word(Lock::path_for(path)),
            short(&lock)
        );
    }
    text += &everything(project);
    if !policy.warnings.is_empty() {
        let _ = writeln!(
            text,
            "\n{} warnings: tamis check {}",
            policy.warnings.len(),
            shell::word(path)
        );
    }
    text + "\n"
}

/// Every key of the file that is not a default, with its value. The same list is shown, recorded and compared:
/// see `policy::parts`.
fn everything(project: &Project) -> String {
    let parts = policy::parts(project.policy());
    let mut text = String::from("\neverything in the file that is not a default\n");
    for part in &parts {
        let _ = writeln!(text, "  {}", printable::line(&part.to_string()));
        for (key, value) in &part.pairs {
            let line = format!("{key} = {value}");
            let _ = writeln!(text, "    {}", printable::line(&line));
        }
    }
    if parts.is_empty() {
        text += "  nothing\n";
    }
    let is_served = |part: &Part| matches!(part.kind, PartKind::Server | PartKind::Serve);
    if parts.iter().any(is_served) {
        text += "  [server.NAME] and [serve] take effect only if you name the file with --config: `tamis serve --config` runs these commands\n";
    }
    text
}

/// The differences from the trusted file, key by key.
fn differences(before: &Record, project: &Project) -> String {
    let changes = before.fingerprint.changes(project.fingerprint());
    if changes.is_empty() {
        return "\nThe file is as you trusted it.\n".to_owned();
    }
    let line = |text: &str| format!("  {}\n", printable::line(text));
    let mut text = String::from("\nchanges since you trusted the file\n");
    let Some(pairs) = &before.pairs else {
        return text
            + &line(&trust::listed(&changes))
            + "  (the record does not contain the file's earlier content)\n";
    };
    let keys = policy::key_changes(pairs, &project.pairs());
    if keys.is_empty() {
        // Comments, say, or the order of tables.
        text += &line(&format!(
            "{}; without an effective change",
            trust::listed(&changes)
        ));
    }
    for KeyChange { key, before, after } in keys {
        if let Some(before) = &before {
            text += &line(&format!("- {key} = {before}"));
        }
        if let Some(after) = &after {
            text += &line(&format!("+ {key} = {after}"));
        }
    }
    text
}

fn chain(policy: &Policy, chain: &ChainSpec) -> String {
    let steps: Vec<&str> = chain
        .steps
        .iter()
        .map(|step| policy.filter_name(&step.filter))
        .collect();
    let names = |patterns: &[ToolPattern]| {
        let names: Vec<&str> = patterns.iter().map(ToolPattern::as_str).collect();
        names.join(", ")
    };
    let binding = &chain.binding;
    let on: Vec<String> = binding
        .on
        .iter()
        .map(|surface| match surface {
            Surface::Result => format!("results of {}", names(&binding.tools)),
            Surface::Description => format!("descriptions of {}", names(&binding.tools)),
            Surface::Arguments => format!("arguments of {}", names(&binding.tools)),
            Surface::History => format!("past results of {}", names(&binding.tools)),
            Surface::Prompt => format!("prompts {}", names(&binding.prompts)),
            Surface::Resource => format!("resources {}", names(&binding.resources)),
            Surface::Instructions => "instructions".to_owned(),
            Surface::Message => "every message of the server".to_owned(),
        })
        .collect();
    let on = match on.is_empty() {
        true => "only recordings, nothing that a model sees".to_owned(),
        false => on.join("; "),
    };
    let blocks = match chain.redacts() {
        true => " (withholds the result if the filter fails)",
        false => "",
    };
    let line = format!("{}: {}: {}{blocks}", chain.name, on, steps.join(", "));
    format!("  {}\n", printable::line(&line))
}

fn plugin(plugin: &PluginSpec) -> String {
    let allowed: Vec<&str> = plugin.grants.iter().map(Capability::name).collect();
    let allowed = match allowed.as_slice() {
        [] => "no grants".to_owned(),
        allowed => format!("may use: {}", allowed.join(", ")),
    };
    let (place, bytes) = match &plugin.place {
        PluginPlace::File(path) => (
            shell::word(path),
            plugin.read().map_or_else(str::to_owned, |file| {
                format!("sha256 {}", hex::encode(&file.sha256))
            }),
        ),
        PluginPlace::Registry { reference, .. } => (
            reference.to_string(),
            format!(
                "is fetched from {} when it is first used",
                reference.reference().registry()
            ),
        ),
    };
    let mut text = format!("  {}: {place}\n    {bytes}\n    {allowed}\n", plugin.name);
    for list in &plugin.signed_by {
        let keys: Vec<String> = list.keys.iter().map(key).collect();
        let _ = writeln!(text, "    signed by {}", keys.join(" or "));
    }
    text
}

/// A key, and enough of its digest to compare it with what its owner says.
fn key(key: &KeySpec) -> String {
    let known = key
        .read()
        .map_or_else(str::to_owned, |public| public.to_string());
    match &key.file {
        Some(file) => printable::line(&format!("{} ({known})", file.name)),
        None => known,
    }
}
