//! Results of tools: from files that the operator names, and from calls.

use crate::chain::{Chain, Chains};
use crate::cli::output;
use crate::dry_run::{self, Call, Output};
use crate::file;
use crate::json;
use crate::mcp::inquiry::Tool;
use crate::policy::Surface;
use crate::printable;
use crate::recording;
use crate::shell;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Largest file that is read. A larger result passes every chain as it is.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// A result of a tool, as MCP has it.
#[derive(Debug)]
pub(super) struct Sample {
    /// Index of the tool in the server's list.
    pub(super) tool: usize,
    /// Of the call, where they are known.
    pub(super) arguments: Map<String, Value>,
    pub(super) result: Vec<u8>,
    /// The file that holds these very bytes.
    pub(super) file: Option<PathBuf>,
}

impl Sample {
    /// The arguments as filters get them.
    pub(super) fn arguments(&self) -> String {
        Value::Object(self.arguments.clone()).to_string()
    }

    /// What a chain makes of it, whatever it made of others before.
    pub(super) fn filtered(&self, chains: &Chains, chain: &Chain, tool: &str) -> Output {
        chain.forget_faults();
        let arguments = self.arguments();
        let call = Call {
            server: "",
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
pub(super) fn read(paths: &[PathBuf], tools: &[Tool]) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for path in paths {
        if !path.is_dir() {
            let bytes = read_file(path)?;
            let Some(sample) = sample(path, None, bytes, tools)? else {
                bail!(
                    "{}: no tool of this server has that name. A result's file is named by its tool (list_users.json, list_users-2.json, list_users/1.json), or is a recorded call; the tools are: {}",
                    shell::word(path),
                    names(tools)
                );
            };
            samples.push(sample);
            continue;
        }
        let found = samples.len();
        let mut left = Vec::new();
        for file in files(path)? {
            let bytes = read_file(&file)?;
            match sample(&file, Some(path), bytes, tools)? {
                Some(sample) => samples.push(sample),
                None => left.push(shell::word(&file)),
            }
        }
        if samples.len() == found {
            bail!(
                "{} contains no recorded call, and no file named after a tool of this server (list_users.json, list_users-2.json, list_users/1.json); the tools are: {}",
                shell::word(path),
                names(tools)
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
        result,
        file: None,
    }
}

/// Whether the tool says that it failed: what such a result looks like says little about the others.
pub(super) fn is_error(result: &[u8]) -> bool {
    let [is_error] = json::members(result, ["isError"]);
    is_error.is_some_and(|at| &result[at] == b"true")
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    file::read(path, MOST_BYTES).with_context(|| format!("read {}", path.display()))
}

/// What a file holds. None: it is of no tool of this server.
fn sample(
    path: &Path,
    root: Option<&Path>,
    bytes: Vec<u8>,
    tools: &[Tool],
) -> Result<Option<Sample>> {
    if recording::is_call(&bytes) {
        let call = recording::Call::parse(&bytes)
            .map_err(|why| anyhow!("read {}: {why}", path.display()))?;
        let arguments = serde_json::from_str(&call.arguments)
            .with_context(|| format!("read the arguments in {}", path.display()))?;
        let tool = tools.iter().position(|tool| tool.name == call.tool);
        return Ok(tool.map(|tool| called(tool, arguments, call.result)));
    }
    let Some(tool) = tool_of(path, root, tools) else {
        return Ok(None);
    };
    let (result, file) = if dry_run::is_frame(Surface::Result, &bytes) {
        (bytes, Some(path.to_owned()))
    } else {
        let result = result_in(&bytes)
            .with_context(|| format!("read {}: it is neither a result nor text", path.display()))?;
        (result, None)
    };
    Ok(Some(Sample {
        tool,
        arguments: Map::new(),
        result,
        file,
    }))
}

/// The result that a file holds which is none itself: that of a whole message, or a text. None: it is not
/// Unicode.
fn result_in(bytes: &[u8]) -> Option<Vec<u8>> {
    let [message, result] = json::members(bytes, ["jsonrpc", "result"]);
    let in_message = message.and(result).map(|at| &bytes[at]);
    if let Some(result) = in_message.filter(|it| dry_run::is_frame(Surface::Result, it)) {
        return Some(result.to_vec());
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let result = json!({"content": [{"type": "text", "text": text}]});
    Some(result.to_string().into_bytes())
}

/// The tool that a file is named by, or the folder in `root` that it is in: the longest name that fits.
fn tool_of(file: &Path, root: Option<&Path>, tools: &[Tool]) -> Option<usize> {
    let folders = root.and_then(|root| file.parent()?.strip_prefix(root).ok());
    let folders = folders.into_iter().flat_map(|it| it.iter().rev());
    let mut names = file.file_name().into_iter().chain(folders);
    names.find_map(|name| {
        let name = name.to_str()?;
        let fits = |tool: &Tool| {
            let rest = name.strip_prefix(&tool.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_', ' ']))
        };
        let fitting = tools.iter().enumerate().filter(|(_, tool)| fits(tool));
        let longest = fitting.max_by_key(|(_, tool)| tool.name.len());
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

/// The tools' names, for a message about one that is none.
pub(super) fn names(tools: &[Tool]) -> String {
    let names = tools.iter().map(|tool| printable::line(&tool.name));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(names: &[&str]) -> Vec<Tool> {
        let tool = |name: &&str| Tool {
            name: (*name).to_owned(),
            description: None,
            read_only: None,
            destructive: None,
            needs_arguments: false,
        };
        names.iter().map(tool).collect()
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
        let file = |tool: &str| {
            let call = recording::Call {
                server: "files".to_owned(),
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
        let read = file("list").expect("it is of a tool");
        assert_eq!(read.result, br#"{"content":[] }"#);
        assert_eq!(read.arguments(), r#"{"n":100}"#);
        assert!(file("gone").is_none());
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
