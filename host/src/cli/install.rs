//! `tamis install`: Tamis in front of the servers that clients have.

use super::output;
use super::{EXIT_ERROR, ask, clients, diff, lookup, warm};
use crate::built_in;
use crate::install::{
    self, Client, Configuration, Launch, Place, Scope, Server, Standing, Unusable, Wrapped,
    Wrapping,
};
use crate::policy::Policy;
use crate::printable;
use crate::shell;
use crate::state::State;
use crate::system::files;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code when the answer was no.
pub(super) const EXIT_DECLINED: u8 = 1;

/// Puts Tamis in front of the MCP servers in your clients' configurations.
///
/// Finds the configurations of fifteen clients (see --client): your own, and those of the project in
/// the current folder. Shows each change, and asks. Only the command and the arguments of a server
/// change; comments, order and everything else stay. Servers that the client reaches over the network
/// stay unchanged. `tamis uninstall` restores the files.
///
/// Adds one server, `tamis`, to each list of servers. It has the read tool (`tamis mcp`). The wrapped
/// servers do not list that tool, so the client has it once.
///
/// For a client that Tamis does not know: put `tamis run --server NAME --` in front of the server's
/// command.
///
/// Exit codes: 0 done, 1 you answered no, 2 an error: a configuration could not be read or written.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis install --dry-run\n  tamis install --client gemini-cli,opencode\n  tamis install --client cursor --server github\n  tamis install --yes --config ~/filters.toml"
)]
pub(super) struct Arguments {
    /// Only this client's configurations. May be given several times.
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    client: Vec<Client>,
    /// Only servers with this name. May be given several times.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    server: Vec<String>,
    /// The policy that the servers run with. Default: each proxy finds its own policy when it starts
    /// (see `tamis run --help`).
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Show the changes, and write nothing.
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    /// Print the servers and the changes as JSON.
    #[arg(long)]
    json: bool,
}

/// A configuration that was found.
struct Found {
    place: Place,
    /// Or why it cannot be used.
    read: Result<Configuration, Unusable>,
    wrapping: Wrapping,
}

/// The paths of configurations, and those without one.
struct Search {
    found: Vec<Found>,
    missing: Vec<Place>,
}

/// A change to be made.
struct Change<'a> {
    found: &'a Found,
    configuration: &'a Configuration,
    wrapped: Wrapped<'a>,
}

impl Found {
    /// Why a server cannot be wrapped; none if it can.
    fn obstacle(&self, server: &Server) -> Option<String> {
        let obstacle = server.obstacle(&self.wrapping.program);
        obstacle.or_else(|| {
            let program = &self.wrapping.program;
            (self.place.client == Client::MistralVibe && !install::is_one_word(program)).then(|| {
                "Vibe would split the path of this program into several words: move it to a folder without blanks".to_owned()
            })
        })
    }

    /// Whether it could not be read, though Tamis edits such files.
    fn is_broken(&self) -> bool {
        matches!(&self.read, Err(error) if !matches!(error, Unusable::ByHand))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let config = arguments.config.as_deref().map(sound).transpose()?;
    let search = find(&arguments.client, config.as_deref())?;
    let found = &search.found;
    check_names(arguments, found)?;
    let mut changes = Vec::new();
    for file in found {
        let Ok(configuration) = &file.read else {
            continue;
        };
        let chosen: Vec<&Server> = configuration
            .servers
            .iter()
            .filter(|server| arguments.picks(server) && file.obstacle(server).is_none())
            .collect();
        if !chosen.is_empty() {
            let wrapped = configuration
                .wrap(file.place.client, &file.wrapping, &chosen)
                .with_context(|| configuration.path.display().to_string())?;
            changes.push(Change {
                found: file,
                configuration,
                wrapped,
            });
        }
    }
    if !arguments.json {
        show(arguments, &search, &changes)?;
    }
    let count: usize = changes
        .iter()
        .map(|change| change.wrapped.servers.len())
        .sum();
    let mut failed = found.iter().any(Found::is_broken);
    let mut written = false;
    if count > 0 && !arguments.dry_run {
        let servers = if count == 1 {
            "this server"
        } else {
            "these servers"
        };
        if !ask::confirm(&format!("Put Tamis in front of {servers}?"), arguments.yes)? {
            output::tell(format_args!("tamis: nothing is changed"));
            return Ok(ExitCode::from(EXIT_DECLINED));
        }
        written = true;
        failed |= !write(arguments, &changes)?;
    }
    if arguments.json {
        output::print_json(&format!(
            "{:#}\n",
            report(arguments, &search, &changes, written && !failed)
        ))?;
    }
    if written {
        warm::warm(config.as_deref().map(Path::new));
    }
    Ok(if failed {
        ExitCode::from(EXIT_ERROR)
    } else {
        ExitCode::SUCCESS
    })
}

impl Arguments {
    fn picks(&self, server: &Server) -> bool {
        self.server.is_empty() || self.server.iter().any(|name| name == server.name())
    }
}

/// The policy by its whole path: clients start servers elsewhere. A broken one would stop them all.
fn sound(path: &Path) -> Result<String> {
    Policy::load(path, &built_in::names())?;
    let path = files::real_path(path).with_context(|| format!("look at {}", path.display()))?;
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| anyhow!("{} cannot be named: it is not Unicode", path.display()))
}

/// Every configuration that is there, with how its servers would be wrapped.
fn find(clients: &[Client], config: Option<&str>) -> Result<Search> {
    let this = std::env::current_exe().context("find out where this program is")?;
    let path = std::env::var_os("PATH");
    let search = clients::find(clients)?;
    let mut found = Vec::new();
    for clients::Found { place, read } in search.found {
        let shared = place.scope != Scope::User;
        let program = install::program(&this, path.as_deref(), shared)
            .with_context(|| format!("{} cannot be named: it is not Unicode", this.display()))?;
        let config = config.map(str::to_owned);
        found.push(Found {
            place,
            read,
            wrapping: Wrapping { program, config },
        });
    }
    let missing = search.missing;
    Ok(Search { found, missing })
}

/// A name that no server has is a slip, and must not pass for "nothing to do".
fn check_names(arguments: &Arguments, found: &[Found]) -> Result<()> {
    let known: Vec<&str> = found
        .iter()
        .filter_map(|found| found.read.as_ref().ok())
        .flat_map(|configuration| configuration.servers.iter().map(Server::name))
        .collect();
    for name in &arguments.server {
        if !known.contains(&name.as_str()) {
            let mut known: Vec<String> = known.iter().map(|name| printable::line(name)).collect();
            known.sort();
            known.dedup();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            bail!(
                "no client has a server `{}`; known servers: {known}",
                printable::line(name)
            );
        }
    }
    Ok(())
}

fn show(arguments: &Arguments, search: &Search, changes: &[Change<'_>]) -> Result<()> {
    let mut text = String::new();
    for file in &search.found {
        text += &format!(
            "{}: {}\n",
            file.place.client.title(),
            shell::word(&file.place.path)
        );
        match &file.read {
            Err(Unusable::ByHand) => text += &by_hand(file),
            Err(error) => text += &format!("  skipped: {}\n", printable::line(&error.to_string())),
            Ok(configuration) => {
                text += &servers(arguments, file, configuration);
                let change = changes
                    .iter()
                    .find(|change| std::ptr::eq(change.found, file));
                if let Some(change) = change {
                    text += &readers(change);
                    text += &diff::lines(&configuration.text, &change.wrapped.text);
                    if file.place.scope != Scope::User {
                        text += "  note: this file belongs to the project; everyone who works on it gets the change\n";
                    }
                }
            }
        }
    }
    if !search.missing.is_empty() {
        text += "Not found:\n";
        text += &clients::lines(&search.missing);
    }
    if search.found.is_empty() {
        text += "No client configuration was found. For another client, put `tamis run --server NAME --` in front of the server's command.\n";
    } else if changes.is_empty() {
        text += "Found no server to wrap.\n";
    }
    output::print_coloured(&text)
}

/// How to do it where Tamis does not edit the file.
fn by_hand(found: &Found) -> String {
    let program = &found.wrapping.program;
    let wrapped = found.wrapping.words("NAME", true);
    let reader = install::reader_line(&found.wrapping);
    let list = |words: &[String]| {
        let words: Vec<String> = words
            .iter()
            .map(|word| Value::from(word.as_str()).to_string())
            .collect();
        words.join(", ")
    };
    let text = format!(
        "  left: Tamis cannot edit YAML of this form. By hand, put Tamis in front of the command of each server in\n  \
         `mcpServers`, behind `--` the old command, and add the server that has the read tool:\n    \
         - name: NAME\n      \
         command: {}\n      \
         args: [{}, THE OLD COMMAND AND ITS ARGUMENTS]\n    \
         - name: {}\n      \
         command: {}\n      \
         args: [{}]\n",
        Value::from(program.as_str()),
        list(&wrapped),
        install::READER,
        Value::from(program.as_str()),
        list(&reader[1..]),
    );
    text.lines()
        .map(|line| printable::line(line) + "\n")
        .collect()
}

/// The read tool of each list in which something is wrapped.
fn readers(change: &Change<'_>) -> String {
    let line = install::reader_line(&change.found.wrapping).join(" ");
    let mut text = String::new();
    let mut seen: Vec<&[String]> = Vec::new();
    for chosen in &change.wrapped.servers {
        let list = chosen.server.list();
        if seen.contains(&list) {
            continue;
        }
        seen.push(list);
        let project = chosen
            .server
            .project()
            .map_or_else(String::new, |project| format!(" (in {project})"));
        let is_added = change
            .wrapped
            .added
            .iter()
            .any(|server| server.at.starts_with(list));
        let standing = install::standing(
            &change.configuration.servers,
            list,
            &change.found.wrapping.program,
        );
        let what = match standing {
            _ if is_added => format!("add: {line}, the read tool of the wrapped servers"),
            Standing::Reader => continue,
            Standing::Foreign => {
                "left: it is not Tamis's, so the wrapped servers list the read tool themselves"
                    .to_owned()
            }
            Standing::Absent => {
                "not added: this list takes no other server, so the wrapped ones list the read tool themselves".to_owned()
            }
        };
        let line = format!("{}{project}  {what}", install::READER);
        text += &format!("  {}\n", printable::line(&line));
    }
    text
}

fn servers(arguments: &Arguments, found: &Found, configuration: &Configuration) -> String {
    let mut text = String::new();
    for server in &configuration.servers {
        let obstacle = found.obstacle(server);
        let plan = match (obstacle, &server.launch) {
            (Some(obstacle), _) => format!("left: {obstacle}"),
            (None, _) if !arguments.picks(server) => "left: not asked for".to_owned(),
            (None, Launch::Stdio(stdio)) => format!("wrap: {}", stdio.line().join(" ")),
            (None, _) => continue,
        };
        let project = server
            .project()
            .map_or_else(String::new, |project| format!(" (in {project})"));
        let line = format!("{}{project}  {plan}", server.name());
        text += &format!("  {}\n", printable::line(&line));
    }
    if configuration.servers.is_empty() {
        text += "  no servers\n";
    }
    text
}

/// Writes all that can be written; whether that was everything.
fn write(arguments: &Arguments, changes: &[Change<'_>]) -> Result<bool> {
    let installs = State::find()?.installs();
    let mut complete = true;
    for change in changes {
        let done = installs.install(
            change.found.place.client,
            change.configuration,
            &change.wrapped,
            &change.found.wrapping,
        );
        let path = shell::word(&change.found.place.path);
        match done {
            Ok(()) if arguments.json => {}
            Ok(()) => output::print_coloured(&format!("written: {path}\n"))?,
            Err(error) => {
                output::tell(format_args!("tamis: {path} is not changed: {error:#}"));
                complete = false;
            }
        }
    }
    if complete && !arguments.json {
        output::print_coloured("Restart the clients to use it. `tamis uninstall` undoes it.\n")?;
        warn_of_policy(arguments);
    }
    Ok(complete)
}

/// Servers that are started without a policy of their own find one. A broken one would stop them.
fn warn_of_policy(arguments: &Arguments) {
    if arguments.config.is_none()
        && let Err(error) = lookup::policy(None)
    {
        output::tell(format_args!(
            "tamis: the servers will not start until you fix this:"
        ));
        super::print_error(&error);
    }
}

fn report(arguments: &Arguments, search: &Search, changes: &[Change<'_>], written: bool) -> Value {
    let files: Vec<Value> = search
        .found
        .iter()
        .map(|file| {
            let client = file.place.client.to_possible_value();
            let client = client.as_ref().map_or("", |value| value.get_name());
            match &file.read {
                Err(error) => {
                    json!({"client": client, "path": file.place.path, "error": error.to_string()})
                }
                Ok(configuration) => {
                    let servers: Vec<Value> = configuration
                        .servers
                        .iter()
                        .map(|server| server_report(arguments, file, server))
                        .collect();
                    let added: Vec<&[String]> = changes
                        .iter()
                        .filter(|change| std::ptr::eq(change.found, file))
                        .flat_map(|change| change.wrapped.added.iter().map(|server| server.at.as_slice()))
                        .collect();
                    json!({"client": client, "path": file.place.path, "servers": servers, "added": added})
                }
            }
        })
        .collect();
    let missing: Vec<&Path> = search
        .missing
        .iter()
        .map(|place| place.path.as_path())
        .collect();
    json!({"written": written, "files": files, "missing": missing})
}

fn server_report(arguments: &Arguments, found: &Found, server: &Server) -> Value {
    let obstacle = found.obstacle(server);
    let state = match &obstacle {
        Some(_) if server.is_wrapped(&found.wrapping.program) => "wrapped",
        None if arguments.picks(server) => "wrap",
        _ => "left",
    };
    let command = match &server.launch {
        Launch::Stdio(stdio) => Some(stdio.line()),
        _ => None,
    };
    json!({
        "name": server.name(),
        "project": server.project(),
        "state": state,
        "why": obstacle,
        "command": command,
    })
}
