//! Results of tools: from files that the operator names, and from calls.

use super::listing::Listing;
use crate::chain::{Chain, Chains};
use crate::cli::output;
use crate::dry_run::{self, Call, Output};
use crate::file;
use crate::json;
use crate::mcp::inquiry::Tool;
use crate::policy::Surface;
use crate::recording;
use crate::shell;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file that is read. A larger result passes every chain unchanged.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// A result of a tool, as MCP has it.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// Index of the tool in the list of all.
    pub(super) tool: usize,
    /// The arguments of the call, if they are known.
    pub(super) arguments: Map<String, Value>,
    pub(super) result: Arc<[u8]>,
    /// The file that holds these very bytes.
    pub(super) file: Option<PathBuf>,
}

impl Sample {
    /// The arguments as filters get them.
    pub(super) fn arguments(&self) -> String {
        Value::Object(self.arguments.clone()).to_string()
    }

    /// The output of a chain, without regard to its earlier faults.
    pub(super) fn filtered(
        &self,
        chains: &Chains,
        chain: &Chain,
        server: &str,
        tool: &str,
    ) -> Output {
        chain.forget_faults();
        let arguments = self.arguments();
        let call = Call {
            server,
            surface: Surface::Result,
            name: tool,
            arguments: &arguments,
            client: None,
            session: None,
        };
        let settings = &chains.policy().read_tool;
        dry_run::run_frame(chain, settings, &call, &self.result)
    }
}

/// Reads the files, and those in the folders: in the order that they are named, folders by name.
///
/// # Errors
///
/// One cannot be read, or a file that was named is of no tool.
pub(super) fn read(paths: &[PathBuf], listing: &Listing) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let bytes = read_file(path)?;
            let of_file = sample(path, None, bytes, listing)?;
            if of_file.is_empty() {
                bail!(
                    "{}: no tool of this server has that name. A result's file is named by its tool (list_users.json, list_users-2.json, list_users/1.json), or is a recorded call; the tools are: {}",
                    shell::word(path),
                    listing.names()
                );
            }
            samples.extend(of_file);
            continue;
        }
        let found = samples.len();
        let mut left = Vec::new();
        for file in files(path)? {
            let bytes = read_file(&file)?;
            let of_file = sample(&file, Some(path), bytes, listing)?;
            if of_file.is_empty() {
                left.push(shell::word(&file));
            }
            samples.extend(of_file);
        }
        if samples.len() == found {
            bail!(
                "{} contains no recorded call, and no file named after a tool of this server (list_users.json, list_users-2.json, list_users/1.json); the tools are: {}",
                shell::word(path),
                listing.names()
            );
        }
        for file in left {
            output::tell(format_args!(
                "tamis: {file}: left out, since no tool of this server has that name"
            ));
        }
    }
    Ok(samples)
}

/// The result of a call.
pub(super) fn called(tool: usize, arguments: Map<String, Value>, result: Vec<u8>) -> Sample {
    Sample {
        tool,
        arguments,
        result: result.into(),
        file: None,
    }
}

/// Whether the tool reports a failure: such a result says little about the others.
pub(super) fn is_error(result: &[u8]) -> bool {
    let [is_error] = json::members(result, ["isError"]);
    is_error.is_some_and(|at| &result[at] == b"true")
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    file::read(path, MOST_BYTES).with_context(|| format!("read {}", path.display()))
}

/// The results in a file, once for each possible server. Empty: it is of no tool of these servers.
fn sample(
    path: &Path,
    root: Option<&Path>,
    bytes: Vec<u8>,
    listing: &Listing,
) -> Result<Vec<Sample>> {
    if recording::is_call(&bytes) {
        let call = recording::Call::parse(&bytes)
            .map_err(|why| anyhow!("read {}: {why}", path.display()))?;
        let arguments: Map<String, Value> = serde_json::from_str(&call.arguments)
            .with_context(|| format!("read the arguments in {}", path.display()))?;
        let tools = of_server(listing.named(&call.tool), listing, |server| {
            *server == call.server
        });
        let result: Arc<[u8]> = call.result.into();
        let sample = |tool| Sample {
            tool,
            arguments: arguments.clone(),
            result: Arc::clone(&result),
            file: None,
        };
        return Ok(tools.into_iter().map(sample).collect());
    }
    let Some(tool) = tool_of(path, root, listing) else {
        return Ok(Vec::new());
    };
    let (result, file) = if dry_run::is_frame(Surface::Result, &bytes) {
        (bytes, Some(path.to_owned()))
    } else {
        let result = result_in(&bytes)
            .with_context(|| format!("read {}: it is neither a result nor text", path.display()))?;
        (result, None)
    };
    let folders = root.and_then(|root| path.parent()?.strip_prefix(root).ok());
    let is_in = |server: &String| {
        let mut folders = folders.into_iter().flat_map(Path::iter);
        folders.any(|folder| folder.to_str() == Some(server))
    };
    let tools = of_server(listing.named(&listing.tools[tool].name), listing, is_in);
    let result: Arc<[u8]> = result.into();
    let sample = |tool| Sample {
        tool,
        arguments: Map::new(),
        result: Arc::clone(&result),
        file: file.clone(),
    };
    Ok(tools.into_iter().map(sample).collect())
}

/// The tools of the server that is meant; all, if that is none of theirs.
fn of_server(
    tools: Vec<usize>,
    listing: &Listing,
    is_meant: impl Fn(&String) -> bool,
) -> Vec<usize> {
    let of_one: Vec<usize> = tools
        .iter()
        .copied()
        .filter(|tool| {
            let server = listing.server(*tool);
            is_meant(&server.name) || is_meant(&server.title)
        })
        .collect();
    match of_one.is_empty() {
        true => tools,
        false => of_one,
    }
}

/// The result that a file holds which is none itself: that of a whole message, or a text. None: it is not
/// Unicode.
fn result_in(bytes: &[u8]) -> Option<Vec<u8>> {
    let [message, result] = json::members(bytes, ["jsonrpc", "result"]);
    let in_message = message.and(result).map(|at| &bytes[at]);
    if let Some(result) = in_message.filter(|message| dry_run::is_frame(Surface::Result, message)) {
        return Some(result.to_vec());
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let result = json!({"content": [{"type": "text", "text": text}]});
    Some(result.to_string().into_bytes())
}

/// The tool that a file is named by, or the folder in `root` that it is in: the longest name that fits.
fn tool_of(file: &Path, root: Option<&Path>, listing: &Listing) -> Option<usize> {
    let folders = root.and_then(|root| file.parent()?.strip_prefix(root).ok());
    let folders = folders.into_iter().flat_map(|names| names.iter().rev());
    let mut names = file.file_name().into_iter().chain(folders);
    names.find_map(|name| {
        let name = name.to_str()?;
        let fits = |tool: &Tool| {
            let rest = name.strip_prefix(&tool.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_', ' ']))
        };
        let tools = listing.tools.iter().enumerate();
        let fitting = tools.filter(|(_, tool)| fits(tool));
        let longest = fitting.max_by_key(|(index, tool)| (tool.name.len(), Reverse(*index)));
        longest.map(|(index, _)| index)
    })
}

/// Every file in a folder and in those in it, by name; none that is hidden.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let reading = || format!("read the folder {}", folder.display());
    let mut files = Vec::new();
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(reading)? {
        entries.push(entry.with_context(reading)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // A link may lead back to where we are.
        let kind = entry.file_type().with_context(reading)?;
        if is_hidden {
            continue;
        }
        if kind.is_dir() {
            files.extend(self::files(&entry.path())?);
        } else {
            files.push(entry.path());
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::init::listing::Asked;
    use crate::mcp::inquiry::ServerName;

    fn tools(names: &[&str]) -> Listing {
        let tool = |name: &&str| Tool {
            name: (*name).to_owned(),
            description: None,
            read_only: None,
            destructive: None,
            needs_arguments: false,
        };
        let server = |name: &str| Asked {
            title: name.to_owned(),
            name: name.to_owned(),
            is_named: true,
            origins: Vec::new(),
            words: None,
            says: ServerName::default(),
        };
        let mut listing = Listing::default();
        listing.add(server("files"), names.iter().map(tool).collect());
        listing.add(server("other"), names.iter().take(1).map(tool).collect());
        listing
    }

    #[test]
    fn a_file_is_of_the_tool_that_it_is_named_by() {
        let tools = tools(&["list", "list_users", "get.it"]);
        let of = |path: &str| tool_of(Path::new(path), Some(Path::new("r")), &tools);
        for (path, tool) in [
            ("r/list.json", Some(0)),
            ("r/list_users.json", Some(1)),
            ("r/list_users-2.json", Some(1)),
            ("r/list_users", Some(1)),
            ("r/list_other.txt", Some(0)),
            ("r/get.it.json", Some(2)),
            ("r/get.it/2026/1.json", Some(2)),
            ("r/listed.json", None),
            ("r/1.json", None),
        ] {
            assert_eq!(of(path), tool, "{path}");
        }
        assert_eq!(tool_of(Path::new("list/1.json"), None, &tools), None);
    }

    #[test]
    fn a_recorded_call_says_itself_of_what_it_is() {
        let tools = tools(&["list"]);
        let file = |tool: &str, server: &str| {
            let call = recording::Call {
                server: server.to_owned(),
                tool: tool.to_owned(),
                client: None,
                session: String::new(),
                time: std::time::SystemTime::UNIX_EPOCH,
                arguments: r#"{"n":100}"#.to_owned(),
                result: br#"{"content":[] }"#.to_vec(),
                failures: Vec::new(),
            };
            let bytes = call.to_bytes().expect("it can be written");
            sample(Path::new("list.json"), None, bytes, &tools).expect("it is sound")
        };
        let read = file("list", "other");
        assert_eq!(read[0].result.as_ref(), br#"{"content":[] }"#);
        assert_eq!(read[0].arguments(), r#"{"n":100}"#);
        let of = |server: &str| {
            let samples = file("list", server);
            samples.iter().map(|sample| sample.tool).collect::<Vec<_>>()
        };
        assert_eq!(of("files"), [0]);
        assert_eq!(of("other"), [1]);
        assert_eq!(of("unknown"), [0, 1]);
        assert!(file("gone", "files").is_empty());
    }

    #[test]
    fn a_file_that_is_no_result_holds_one() {
        let text = |bytes: &[u8]| {
            let result = result_in(bytes).expect("a result");
            String::from_utf8(result).expect("text")
        };
        let result = r#"{"content":[],"n":1e2}"#;
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        assert_eq!(text(message.as_bytes()), result);
        assert_eq!(
            text(b"[1]\n"),
            r#"{"content":[{"type":"text","text":"[1]\n"}]}"#
        );
        assert_eq!(result_in(b"\xff"), None);
    }
}
