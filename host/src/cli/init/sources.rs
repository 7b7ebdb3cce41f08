//! The servers that are to be asked: those of the command line, and those of clients' configurations.

use super::Arguments;
use crate::cli::client_server::{self, Variables};
use crate::cli::{ask, clients, connect, output};
use crate::install::{Behind, Client, Configuration, Format, Launch, Scope, Server, Unusable};
use crate::mcp::inquiry::Start;
use crate::printable;
use crate::shell;
use crate::system::files;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Most servers that are asked.
const MOST: usize = 200;

/// Most names in a message.
const NAMED: usize = 50;

/// A server that is to be asked.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The name that people know it by.
    pub(super) title: String,
    /// The name by which `tamis run` knows it, and so the policy.
    pub(super) name: String,
    /// Whether that name is its own. If not, it is that of its program, which others may have too.
    pub(super) is_named: bool,
    /// The clients that have it; empty: it is on the command line.
    pub(super) origins: Vec<String>,
    /// How it is started, or why it cannot be.
    pub(super) start: Result<Start, String>,
    /// The words after `tamis run --config FILE`, for a server of the command line.
    pub(super) words: Option<Vec<OsString>>,
    /// The server is in a file of the project, which others may have written.
    is_of_project: bool,
}

/// The servers of the command line and of the configurations.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) candidates: Vec<Candidate>,
    /// Configurations that cannot be read, and why.
    pub(super) broken: Vec<(String, String)>,
}

impl Candidate {
    /// The server's name, and the clients that it is from.
    pub(super) fn described(&self) -> String {
        let title = printable::line(&short(&self.title));
        match self.origins[..] {
            [] => title,
            _ => format!("{title} ({})", self.origins.join(", ")),
        }
    }

    /// Whether it is started as another one is, under the same name.
    fn is_same(&self, other: &Candidate) -> bool {
        self.name == other.name && self.start.is_ok() && self.start == other.start
    }
}

/// The text cut to the longest allowed name.
fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Finds the servers, and says where they were looked for.
pub(super) fn find(arguments: &Arguments) -> Result<Sources> {
    let mut sources = Sources::default();
    by_hand(arguments, &mut sources)?;
    let in_files = arguments.has_clients();
    if in_files {
        in_configurations(arguments, &mut sources)?;
    }
    if !(arguments.names_the_server() || arguments.server.is_empty()) {
        check_names(&arguments.server, &sources.candidates)?;
        sources
            .candidates
            .retain(|server| arguments.picks(&server.title) || arguments.picks(&server.name));
    }
    let mut once: Vec<Candidate> = Vec::new();
    for candidate in sources.candidates {
        match once.iter_mut().find(|known| known.is_same(&candidate)) {
            Some(known) => {
                known.is_of_project &= candidate.is_of_project;
                known.origins.extend(candidate.origins);
            }
            None => once.push(candidate),
        }
    }
    sources.candidates = once;
    if sources.candidates.len() > MOST {
        bail!(
            "{} servers are more than the {MOST} that Tamis asks: choose some with --server",
            sources.candidates.len()
        );
    }
    if sources.candidates.is_empty() {
        let more = match sources.broken.is_empty() {
            true => "",
            false => " that Tamis can read",
        };
        bail!("the configurations have no servers{more}; the lines above say where Tamis looked");
    }
    Ok(sources)
}

/// Asks before a server is started that a file of the project names. False: the answer is no.
pub(super) fn confirm(candidates: &[Candidate], answered: bool) -> Result<bool> {
    let of_project = candidates
        .iter()
        .filter(|candidate| candidate.is_of_project);
    let lines: Vec<String> = of_project
        .filter_map(|candidate| {
            let start = candidate.start.as_ref().ok()?;
            let words: Vec<String> = start.command.iter().map(shell::word).collect();
            Some(format!("  {}: {}", candidate.described(), words.join(" ")))
        })
        .collect();
    if lines.is_empty() {
        return Ok(true);
    }
    output::tell(format_args!(
        "tamis: files of this project, which others may have written, name these servers:"
    ));
    for line in &lines {
        output::tell(format_args!("{}", printable::line(line)));
    }
    ask::confirm("Start them, to list their tools?", answered)
}

fn by_hand(arguments: &Arguments, sources: &mut Sources) -> Result<()> {
    let mut add = |title: String, is_named: bool, start: Start, words: Vec<OsString>| {
        sources.candidates.push(Candidate {
            name: title.clone(),
            title,
            is_named,
            origins: Vec::new(),
            start: Ok(start),
            words: Some(words),
            is_of_project: false,
        });
    };
    let server = |name: &str| -> Vec<OsString> { vec!["--server".into(), name.into()] };
    let given = arguments
        .server
        .first()
        .filter(|_| arguments.names_the_server());
    if let Some(program) = arguments.command.first() {
        let file = Path::new(program).file_name().unwrap_or_default();
        let mut words = given.map_or_else(Vec::new, |name| server(name));
        words.push("--".into());
        words.extend(arguments.command.iter().cloned());
        let title = given.cloned();
        let title = title.unwrap_or_else(|| file.to_string_lossy().into_owned());
        let start = Start {
            command: arguments.command.clone(),
            ..Start::default()
        };
        add(title, given.is_some(), start, words);
    }
    for named in &arguments.commands {
        let command: Vec<OsString> = named.words.iter().map(Into::into).collect();
        let mut words = server(&named.name);
        words.push("--".into());
        words.extend(command.iter().cloned());
        let start = Start {
            command,
            ..Start::default()
        };
        add(named.name.clone(), true, start, words);
    }
    let headers = arguments.headers.pairs()?;
    if !headers.is_empty() && arguments.urls.len() != 1 {
        bail!("--header is for one server: give --url once, and other servers in another call");
    }
    for address in &arguments.urls {
        let name = address.name.as_ref().or(given);
        let host = connect::host(&address.url)?;
        let (command, env) = connect::command_to_ask(&address.url, &headers, true)?;
        let mut words = name.map_or_else(Vec::new, |name| server(name));
        words.extend(["--url".into(), address.url.clone().into()]);
        let start = Start {
            command,
            env,
            folder: None,
        };
        // A host is as good a name: `tamis run --url` has no other.
        add(name.cloned().unwrap_or(host), true, start, words);
    }
    Ok(())
}

fn in_configurations(arguments: &Arguments, sources: &mut Sources) -> Result<()> {
    let home = clients::home()?;
    let here = std::env::current_dir()
        .and_then(files::real_path)
        .context("look at the current folder")?;
    let reader = Reader {
        arguments,
        home,
        here,
        program: std::env::current_exe()
            .ok()
            .and_then(|name| name.to_str().map(str::to_owned))
            .unwrap_or_default(),
    };
    if arguments.all_clients || !arguments.client.is_empty() {
        let search = clients::find(&arguments.client)?;
        for found in &search.found {
            let title = found.place.client.title();
            let project = match &found.place.scope {
                Scope::User => None,
                Scope::Project(root) => Some(root.as_path()),
            };
            match &found.read {
                Ok(configuration) => reader.take(configuration, title, project, sources),
                Err(error) => {
                    let place = format!("{title}, {}", shell::word(&found.place.path));
                    broken(place, error, sources);
                }
            }
        }
        if search.found.is_empty() {
            output::tell(format_args!(
                "tamis: no configuration is at any of these places:\n{}",
                clients::lines(&search.missing).trim_end()
            ));
        }
    }
    for path in &arguments.client_config {
        let (format, lists) = form(path)?;
        let place = shell::word(path);
        let configuration = Configuration::read_file(path, format, &lists)
            .map_err(|error| anyhow!("{place}: {error}"))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        reader.take(&configuration, &printable::line(&name), None, sources);
    }
    Ok(())
}

fn broken(place: String, error: &Unusable, sources: &mut Sources) {
    let why = match error {
        Unusable::ByHand => "Tamis cannot read YAML of this form".to_owned(),
        error => printable::line(&error.to_string()),
    };
    output::tell(format_args!("tamis: {place}: left out: {why}"));
    sources.broken.push((place, why));
}

/// How a configuration is written, by the ending of its name, and where the clients of that format have servers.
fn form(path: &Path) -> Result<(Format, Vec<&'static [&'static str]>)> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let format = match ending.to_ascii_lowercase().as_str() {
        "json" | "jsonc" => Format::Json,
        "toml" => Format::Toml,
        "yaml" | "yml" => Format::Yaml,
        _ => bail!(
            "{}: the name of a client's configuration ends in .json, .jsonc, .toml, .yaml or .yml",
            shell::word(path)
        ),
    };
    let mut lists = Vec::new();
    let clients = Client::value_variants().iter();
    for list in clients
        .filter(|client| client.format() == format)
        .flat_map(|client| client.lists())
    {
        if !lists.contains(list) {
            lists.push(*list);
        }
    }
    Ok((format, lists))
}

/// Takes servers from configurations.
struct Reader<'a> {
    arguments: &'a Arguments,
    home: PathBuf,
    /// The current folder.
    here: PathBuf,
    /// The path of this program.
    program: String,
}

/// How a server of a configuration is reached.
struct Reached {
    start: Start,
    /// The server's name for `tamis run`.
    name: Option<String>,
    is_named: bool,
}

impl Reader<'_> {
    fn take(
        &self,
        configuration: &Configuration,
        origin: &str,
        project: Option<&Path>,
        sources: &mut Sources,
    ) {
        let file = shell::word(&configuration.path);
        let servers = configuration.servers.len();
        output::tell(format_args!(
            "tamis: {origin}, {file}: {}",
            match servers {
                1 => "1 server".to_owned(),
                servers => format!("{servers} servers"),
            }
        ));
        for server in &configuration.servers {
            if let Some(why) = self.passed_over(server) {
                let name = printable::line(&short(server.name()));
                output::tell(format_args!("tamis:   {name} is not asked: {why}"));
                continue;
            }
            let reached = self.reach(server, project);
            let title = server.name().to_owned();
            let (name, is_named, start) = match reached {
                Ok(reached) => (reached.name, reached.is_named, Ok(reached.start)),
                Err(why) => (None, true, Err(why)),
            };
            sources.candidates.push(Candidate {
                name: name.unwrap_or_else(|| title.clone()),
                title,
                is_named,
                origins: vec![origin.to_owned()],
                start,
                words: None,
                is_of_project: project.is_some(),
            });
        }
    }

    /// Why a server is none that could be asked; none if it can be.
    fn passed_over(&self, server: &Server) -> Option<String> {
        let picked = self
            .arguments
            .server
            .iter()
            .any(|name| name == server.name());
        if let Launch::Stdio(stdio) = &server.launch
            && stdio.is_reader(&self.program)
        {
            return Some("it is the read tool of the wrapped servers".to_owned());
        }
        if let Some(project) = server.project() {
            let folder = files::real_path(project);
            if !folder.is_ok_and(|folder| self.here.starts_with(folder)) {
                let project = printable::line(&short(project));
                return Some(format!("it is for the project {project}"));
            }
        }
        if server.details.is_off && !picked {
            return Some("it is off in the configuration (--server NAME asks it)".to_owned());
        }
        None
    }

    fn reach(&self, server: &Server, project: Option<&Path>) -> Result<Reached, String> {
        let environment = |name: &str| std::env::var(name).ok();
        let variables = Variables {
            home: &self.home,
            folder: project.unwrap_or(&self.here),
            environment: &environment,
        };
        let stdio = match &server.launch {
            Launch::Unclear(why) => return Err(why.clone()),
            Launch::Remote(url) => {
                return client_server::remote(url, &server.details.headers, &variables)
                    .map(Reached::from);
            }
            Launch::Stdio(stdio) => stdio,
        };
        let Some(inner) = stdio.inner(&self.program) else {
            return client_server::local(&stdio.line(), &server.details, &variables)
                .map(Reached::from);
        };
        let host = match inner.behind {
            Behind::Url { url, .. } => connect::host(url).ok(),
            Behind::Command(_) => None,
        };
        let start = match inner.behind {
            Behind::Command(line) => client_server::local(&line, &server.details, &variables)?,
            Behind::Url { url, headers } => {
                let pair = |header: &&str| {
                    let (name, value) = header.split_once(':').unwrap_or((header, ""));
                    (name.trim().to_owned(), value.trim().to_owned())
                };
                let headers: Vec<(String, String)> = headers.iter().map(pair).collect();
                client_server::remote(url, &headers, &variables)?
            }
        };
        // Without `--server`, `tamis run` names a server by its host or program.
        let is_named = inner.server.is_some() || host.is_some();
        let file = || {
            let program = start.command.first().map(Path::new)?;
            Some(program.file_name()?.to_string_lossy().into_owned())
        };
        let name = inner.server.map(str::to_owned);
        Ok(Reached {
            name: name.or(host).or_else(file),
            is_named,
            start,
        })
    }
}

impl From<Start> for Reached {
    fn from(start: Start) -> Reached {
        Reached {
            start,
            name: None,
            is_named: true,
        }
    }
}

/// A name that no server has is a slip, and must not pass for "nothing to do".
fn check_names(names: &[String], candidates: &[Candidate]) -> Result<()> {
    for name in names {
        if candidates
            .iter()
            .any(|candidate| candidate.title == *name || candidate.name == *name)
        {
            continue;
        }
        let mut known: Vec<String> = candidates
            .iter()
            .map(|candidate| printable::line(&short(&candidate.title)))
            .collect();
        known.sort();
        known.dedup();
        known.truncate(NAMED);
        let known = match known.is_empty() {
            true => "none".to_owned(),
            false => known.join(", "),
        };
        bail!(
            "--server: no server `{}` in these configurations; known servers: {known}",
            printable::line(&short(name))
        );
    }
    Ok(())
}
