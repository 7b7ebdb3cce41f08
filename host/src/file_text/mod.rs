//! Text of files: which calls of tools print it, and how much of it is shown.
//!
//! An agent copies from such text to edit the file, and an edit whose text differs by one character
//! fails. So text of files is shown exactly or not at all. A small text passes unchanged. Of a large one the
//! model sees whole lines, their numbers, and the call that reads the rest. No filter changes it.
//!
//! Owns that decision, for the tools of agents and of MCP servers alike. Refuses to know who sends the
//! text and where its original is stored.

mod call;
mod command;
mod outline;
mod words;

pub use call::{Reads, reads};
pub use outline::{Budget, Head, call_for_lines, head, outline};

use serde_json::Value;

/// How the output of a call is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handling {
    /// The text is of no file: filters may change it.
    Filter,
    /// The text is of a file, or may be: it is shown exactly.
    Exact,
    /// The text passes unchanged, regardless of its size: it was just read back, or nobody reads it.
    Leave,
}

/// Tools that read files, by the names that agents and servers give them.
const READERS: &[&str] = &[
    "read_file",
    "readfile",
    "view_file",
    "open_file",
    "cat_file",
    "read_text_file",
    "read_many_files",
    "read_multiple_files",
    "get_file_contents",
    "get_file_content",
    "fs_read",
];

/// Readers by names that mean a file only if the tool is an agent's own.
const OWN_READERS: &[&str] = &["read", "view", "notebookread"];

/// Tools that write files. Their output repeats the file for the agent's own use.
const WRITERS: &[&str] = &[
    "edit_file",
    "write_file",
    "create_file",
    "apply_patch",
    "str_replace",
    "fs_write",
];

/// Writers by names that mean a file only if the tool is an agent's own.
const OWN_WRITERS: &[&str] = &[
    "edit",
    "multiedit",
    "write",
    "notebookedit",
    "replace",
    "patch",
    "create",
];

/// Tools that run a command, which is their argument `command` or `cmd`.
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "local_shell",
    "exec_command",
    "run_command",
    "run_shell_command",
    "run_terminal_command",
    "execute_command",
    "run_in_terminal",
];

/// Tools that print the later output of a command that this call does not name.
const LATER_OUTPUT: &[&str] = &[
    "bashoutput",
    "taskoutput",
    "write_stdin",
    "powershell",
    "read_bash",
    "write_bash",
    "shell_output",
    "read_powershell",
];

/// Whose a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Agent,
    /// An MCP server.
    Server,
}

/// How the output of a tool is treated. `tool` is its own name, without a prefix for its server;
/// `arguments` is a JSON object.
pub fn handling(owner: Owner, tool: &str, arguments: &str) -> Handling {
    let tool = tool.to_lowercase();
    let is_one_of = |tools: &[&str]| tools.contains(&tool.as_str());
    let is_own = owner == Owner::Agent;
    if is_one_of(WRITERS) || is_own && is_one_of(OWN_WRITERS) {
        return Handling::Leave;
    }
    if is_one_of(READERS) || is_own && (is_one_of(OWN_READERS) || is_one_of(LATER_OUTPUT)) {
        return Handling::Exact;
    }
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    if is_own && tool == "grep" {
        let context = ["-A", "-B", "-C", "context"];
        let has_context = context.iter().any(|name| arguments.get(name).is_some());
        return if has_context {
            Handling::Exact
        } else {
            Handling::Filter
        };
    }
    if !is_one_of(SHELLS) {
        return Handling::Filter;
    }
    match arguments.get("command").or_else(|| arguments.get("cmd")) {
        Some(Value::String(command)) => command::handling(command),
        Some(Value::Array(words)) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.map_or(Handling::Exact, |words| command::handling_of_words(&words))
        }
        // A shell that does not report its command may have printed anything.
        _ => Handling::Exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_by_their_names() {
        for (tool, arguments, expected) in [
            ("Read", "{}", Handling::Exact),
            ("read_text_file", "{}", Handling::Exact),
            ("Edit", "{}", Handling::Leave),
            ("Grep", r#"{"pattern":"x"}"#, Handling::Filter),
            ("Grep", r#"{"pattern":"x","-C":3}"#, Handling::Exact),
            ("list_issues", r#"{"command":"cat x"}"#, Handling::Filter),
            ("Bash", "{}", Handling::Exact),
            ("BashOutput", r#"{"bash_id":"1"}"#, Handling::Exact),
            ("Bash", r#"{"command":"make"}"#, Handling::Filter),
            (
                "shell",
                r#"{"cmd":["bash","-lc","cat a"]}"#,
                Handling::Exact,
            ),
            ("shell", r#"{"cmd":["make","all"]}"#, Handling::Filter),
            ("shell", r#"{"cmd":[1]}"#, Handling::Exact),
            ("Bash", "no JSON", Handling::Exact),
        ] {
            let found = handling(Owner::Agent, tool, arguments);
            assert_eq!(found, expected, "{tool} {arguments}");
        }
        // A server's tools of such names may also be about pages and issues.
        for (tool, expected) in [
            ("read", Handling::Filter),
            ("create", Handling::Filter),
            ("read_text_file", Handling::Exact),
            ("write_file", Handling::Leave),
        ] {
            assert_eq!(handling(Owner::Server, tool, "{}"), expected, "{tool}");
        }
    }
}
