//! The command line of `tamis init`.

use crate::cli::connect::HeaderArguments;
use crate::cli::policy::SandboxArguments;
use crate::install::Client;
use crate::shell;
use anyhow::{Result, anyhow, bail};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Writes a commented filters.toml for the tools of servers, as a start.
///
/// The servers are those of your clients' configurations (`--client`), or those that you name. Starts each as
/// `tamis run` does, and lists its tools. The file contains the chain of the default policy, and lists every
/// tool with the server's description. If results exist, Tamis runs the chain on them and writes the tokens
/// before and after. Tools for which another chain saves more get that chain; it is bound to servers only if a
/// tool of the same name needs another one elsewhere. For each chain one result becomes a `[[test]]`. Tamis
/// calls no tool without `--try` or `--call`.
///
/// `--merge` adds to a file that exists: chains and tests for the tools that no chain in it takes. The rest of
/// the file stays unchanged, byte for byte.
///
/// Exit codes: 0 done, 1 some servers are left out because they failed, or you answered no, 2 an error: nothing
/// is written.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis init -- npx -y @modelcontextprotocol/server-filesystem .\n  tamis init --try 'directory_tree={\"path\":\".\"}' -- npx -y @modelcontextprotocol/server-filesystem .\n  tamis init --client cursor,claude-code           # the servers that these clients have\n  tamis init --client cursor --server github --merge    # one of them, into the file that exists\n  tamis init --command 'files=npx -y @modelcontextprotocol/server-filesystem .' --command 'git=uvx mcp-server-git'\n  tamis init --results recorded/ -- uvx mcp-server-git\n  tamis init --call -o everything.toml -- npx -y @modelcontextprotocol/server-everything\n  tamis init -o - -- my-server | less"
)]
pub(in crate::cli) struct Arguments {
    /// The file to write; `-`: standard output.
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = crate::trust::NAME
    )]
    pub(super) output: PathBuf,
    /// The servers in this client's configurations, yours and those of the project in the current
    /// folder. May be given several times. Tamis asks before it starts a server of the project.
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub(super) client: Vec<Client>,
    /// The servers in the configurations of every client that `tamis install` knows.
    #[arg(long, conflicts_with = "client")]
    pub(super) all_clients: bool,
    /// The servers in this file, which is written as a client's configuration (JSON, TOML or YAML). May
    /// be given several times.
    #[arg(long, value_name = "FILE")]
    pub(super) client_config: Vec<PathBuf>,
    /// Of these servers, only those with this name. May be given several times. With one server by hand
    /// (`-- COMMAND`, `--url`): the name that `tamis run --server` gives it.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) server: Vec<String>,
    /// A server by hand: its name and its command, taken apart as a shell does. May be given several
    /// times.
    #[arg(long = "command", value_name = "NAME=COMMAND", value_parser = NamedCommand::parse)]
    pub(super) commands: Vec<NamedCommand>,
    /// A server that speaks Streamable HTTP. Its name is that of its host, unless one is given. May be
    /// given several times.
    #[arg(long = "url", value_name = "[NAME=]URL", value_parser = Address::parse)]
    pub(super) urls: Vec<Address>,
    #[command(flatten)]
    pub(super) headers: HeaderArguments,
    /// Results of tools: files named after their tools (list_users.json, list_users-2.json), and
    /// folders of such files. Each contains a result as MCP has it, or the output of a tool as JSON or
    /// text. Recorded calls may have any name. If several servers have the tool, the one counts that a
    /// folder is named after, or that the recorded call names.
    #[arg(long, alias = "from-results", value_name = "PATH", num_args = 1..)]
    pub(super) results: Vec<PathBuf>,
    /// Call this tool with these arguments, to get a result. May be given several times. If several
    /// servers have the tool: SERVER:TOOL.
    #[arg(long = "try", value_name = "TOOL=JSON", value_parser = Trial::parse)]
    pub(super) trials: Vec<Trial>,
    /// Call the tools that need no arguments and that the server declares to be read-only, to get results.
    /// Tamis cannot verify the declaration.
    #[arg(long)]
    pub(super) call: bool,
    /// How long to wait for each answer of a server. Its list of tools is one answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) timeout: u64,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(super) force: bool,
    /// Add the missing chains for these tools to an existing file, and change nothing else in it.
    #[arg(long, conflicts_with = "force")]
    pub(super) merge: bool,
    /// Start servers of the project's own files without asking.
    #[arg(long, short)]
    pub(super) yes: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) sandbox: SandboxArguments,
    /// The server's command and its arguments.
    #[arg(
        last = true,
        value_name = "COMMAND",
        required_unless_present_any = ["client", "all_clients", "client_config", "commands", "urls"]
    )]
    pub(super) command: Vec<OsString>,
}

/// A call that the operator asks for.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
}

impl Trial {
    fn parse(text: &str) -> Result<Trial, String> {
        let (tool, arguments) = match text.split_once('=') {
            Some((tool, arguments)) => (tool, serde_json::from_str(arguments)),
            None => (text, Ok(Map::new())),
        };
        let arguments = arguments.map_err(|error| {
            format!(r#"a JSON object must follow the `=`, such as {{"path":"."}}: {error}"#)
        })?;
        Ok(Trial {
            tool: tool.to_owned(),
            arguments,
        })
    }
}

/// A server by hand.
#[derive(Debug, Clone)]
pub(super) struct NamedCommand {
    pub(super) name: String,
    pub(super) words: Vec<String>,
}

impl NamedCommand {
    fn parse(text: &str) -> Result<NamedCommand, String> {
        let (name, command) = text.split_once('=').filter(|(name, _)| is_name(name)).ok_or(
            "allowed: NAME=COMMAND, as in 'files=npx -y @modelcontextprotocol/server-filesystem .'",
        )?;
        Ok(NamedCommand {
            name: name.to_owned(),
            words: shell::words(command).map_err(|error| error.to_string())?,
        })
    }
}

/// A server by its URL.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) name: Option<String>,
    pub(super) url: String,
}

impl Address {
    fn parse(text: &str) -> Result<Address, String> {
        let (name, url) = match text.split_once('=') {
            Some((name, url)) if is_name(name) => (Some(name.to_owned()), url),
            _ => (None, text),
        };
        crate::cli::connect::url(url).map_err(|error| format!("{error:#}"))?;
        Ok(Address {
            name,
            url: url.to_owned(),
        })
    }
}

/// Whether it can be the name of a server, and is no command or URL with a `=`.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

impl Arguments {
    pub(super) fn is_to_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// Whether servers of configurations are asked.
    pub(super) fn has_clients(&self) -> bool {
        self.all_clients || !self.client.is_empty() || !self.client_config.is_empty()
    }

    /// Whether `--server` is the name of the one server by hand.
    pub(super) fn names_the_server(&self) -> bool {
        let by_hand = usize::from(!self.command.is_empty()) + self.urls.len();
        let is_unnamed = self.urls.iter().all(|url| url.name.is_none());
        by_hand == 1
            && is_unnamed
            && self.commands.is_empty()
            && !self.has_clients()
            && self.server.len() == 1
    }

    /// Whether a server of this name is to be asked.
    pub(super) fn picks(&self, name: &str) -> bool {
        self.server.is_empty() || self.server.iter().any(|server| server == name)
    }

    /// Finds mistakes that show before a server is started.
    pub(super) fn check(&self) -> Result<()> {
        if self.is_to_stdout() {
            if self.json {
                bail!("--json and `-o -` both write to standard output: name a file");
            }
            if self.merge {
                bail!(
                    "--merge changes a file, and `-o -` prints: name the file, as in `-o filters.toml`"
                );
            }
            return Ok(());
        }
        let path = shell::word(&self.output);
        if self.output.is_dir() {
            bail!("{path} is a folder: name the file, as in `-o {path}/filters.toml`");
        }
        if self.output.symlink_metadata().is_ok() && !self.force && !self.merge {
            return Err(self.is_there());
        }
        let folder = self.folder();
        if !folder.is_dir() {
            bail!("no folder {}", shell::word(folder));
        }
        Ok(())
    }

    pub(super) fn is_there(&self) -> anyhow::Error {
        anyhow!(
            "{} already exists: --merge adds to it what it lacks, --force overwrites it, -o FILE names another file, `-o -` prints",
            shell::word(&self.output)
        )
    }

    /// The folder that paths in the file start from.
    pub(super) fn folder(&self) -> &Path {
        match self.output.parent() {
            Some(folder) if !folder.as_os_str().is_empty() && !self.is_to_stdout() => folder,
            _ => Path::new("."),
        }
    }
}
