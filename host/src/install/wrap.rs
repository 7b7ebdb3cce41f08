//! Puts Tamis in front of a server's command, and removes it again.
//!
//! `npx -y x` becomes `tamis run --server NAME -- npx -y x`. The old command and its arguments stay unchanged,
//! behind the `--`, so the text alone is enough to undo it. If another server of the list has the read tool
//! (`reader`), `--no-read-tool` is added before the `--`.

use crate::system::files;
use std::iter::once;
use std::path::{Path, PathBuf};

use super::reader::{self, Added};
use super::server::{Arguments, Launch, Server, Stdio, Word};
use super::splice::{Splice, apply};
use super::{Format, json};

/// The words to put in front of a command.
#[derive(Debug, Clone)]
pub struct Wrapping {
    /// The command with which the client starts this program.
    pub program: String,
    /// `--config` of the command, if it is to have one.
    pub config: Option<String>,
}

impl Wrapping {
    /// The words before the old command. `has_reader`: another server of the list has the read tool.
    pub fn words(&self, server: &str, has_reader: bool) -> Vec<String> {
        let mut words = vec!["run".to_owned()];
        for (option, value) in [
            ("--config", self.config.as_deref()),
            ("--server", Some(server)),
        ] {
            match value {
                None => {}
                // A value that looks like an option.
                Some(value) if value.starts_with('-') => words.push(format!("{option}={value}")),
                Some(value) => words.extend([option.to_owned(), value.to_owned()]),
            }
        }
        if has_reader {
            words.push("--no-read-tool".to_owned());
        }
        words.push("--".to_owned());
        words
    }
}

/// A server that is to be wrapped.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    pub server: &'a Server,
    /// Another server of its list has the read tool.
    pub has_reader: bool,
}

impl Server {
    /// Why the server cannot be wrapped; none if it can.
    pub fn obstacle(&self, program: &str) -> Option<String> {
        match &self.launch {
            Launch::Remote(_) => {
                Some("remote: Tamis is for servers that the client starts".to_owned())
            }
            Launch::Unclear(why) => Some(why.clone()),
            Launch::Stdio(stdio) if stdio.is_wrapped(program) => Some("wrapped already".to_owned()),
            Launch::Stdio(stdio) if reader::is_reader(stdio, program) => {
                Some("it is the read tool of the wrapped servers".to_owned())
            }
            Launch::Stdio(stdio) if stdio.command.value.is_empty() => {
                Some("its command is empty".to_owned())
            }
            // Some clients expand the command, but not the words after `--`.
            Launch::Stdio(stdio) if stdio.command.value.starts_with('~') => {
                Some("its command begins with `~`: write the whole path first".to_owned())
            }
            Launch::Stdio(_) => None,
        }
    }

    /// Whether Tamis stands in front of it.
    pub fn is_wrapped(&self, program: &str) -> bool {
        matches!(&self.launch, Launch::Stdio(stdio) if stdio.is_wrapped(program))
    }
}

/// A server that Tamis stands in front of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inner<'a> {
    /// The name that it was given.
    pub server: Option<&'a str>,
    /// The policy that it was given.
    pub config: Option<&'a str>,
    /// The server itself.
    pub behind: Behind<'a>,
}

/// The server behind `tamis run`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behind<'a> {
    /// A command with its arguments.
    Command(Vec<&'a str>),
    /// A server that is somewhere else.
    Url {
        /// Its address.
        url: &'a str,
        /// The values of `--header`.
        headers: Vec<&'a str>,
    },
}

impl Stdio {
    /// Whether the command is `tamis run … -- COMMAND`. `program`: another command that starts Tamis.
    pub fn is_wrapped(&self, program: &str) -> bool {
        self.is_tamis(program) && self.old_command().is_some()
    }

    /// The server that Tamis runs. None: the program is not Tamis. `program`: another command that starts
    /// Tamis.
    pub fn inner(&self, program: &str) -> Option<Inner<'_>> {
        if !self.is_tamis(program) {
            return None;
        }
        let words = self.words();
        let options = words.iter().take_while(|word| word.value != "--");
        let options: Vec<&str> = options.map(|word| word.value.as_str()).collect();
        if !options.contains(&"run") {
            return None;
        }
        let values = |name: &str| {
            let joined = format!("{name}=");
            let mut found = Vec::new();
            for (index, option) in options.iter().enumerate() {
                if *option == name {
                    found.extend(options.get(index + 1).copied());
                } else if let Some(value) = option.strip_prefix(&joined) {
                    found.push(value);
                }
            }
            found
        };
        let server = values("--server").pop();
        let config = values("--config").pop();
        if let Some(url) = values("--url").pop() {
            let headers = values("--header");
            return Some(Inner {
                server,
                config,
                behind: Behind::Url { url, headers },
            });
        }
        let line = words[self.old_command()?..].iter();
        let line = line.map(|word| word.value.as_str()).collect();
        Some(Inner {
            server,
            config,
            behind: Behind::Command(line),
        })
    }

    /// Whether it is `tamis mcp`, the server that has the read tool. `program`: another command that starts
    /// Tamis.
    pub fn is_reader(&self, program: &str) -> bool {
        reader::is_reader(self, program)
    }

    /// Whether the program is Tamis. `program`: another command that starts Tamis.
    pub(super) fn is_tamis(&self, program: &str) -> bool {
        let command = self.command.value.as_str();
        // Either separator, on every system: the file may come from another.
        let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
        matches!(name, "tamis" | "tamis.exe") || command == program
    }

    /// The position of the old command among the arguments.
    fn old_command(&self) -> Option<usize> {
        let words = self.words();
        let end = words.iter().position(|word| word.value == "--")?;
        let runs = words[..end].iter().any(|word| word.value == "run");
        (runs && end + 1 < words.len()).then_some(end + 1)
    }

    fn wrap(
        &self,
        text: &str,
        format: Format,
        wrapping: &Wrapping,
        chosen: Chosen<'_>,
    ) -> Vec<Splice> {
        let old = text[self.command.span.clone()].to_owned();
        let mut words: Vec<String> = wrapping
            .words(chosen.server.name(), chosen.has_reader)
            .iter()
            .map(|word| quote(word, format))
            .collect();
        let program = quote(&wrapping.program, format);
        if let Arguments::Behind { inside, .. } = &self.arguments {
            let at = self.command.span.start;
            let between = between(&text[inside.start..at]);
            words.insert(0, program);
            return vec![Splice::new(at..at, words.join(&between) + &between)];
        }
        words.push(old);
        let command = Splice::new(self.command.span.clone(), program);
        let arguments = match &self.arguments {
            Arguments::Behind { .. } => return Vec::new(),
            Arguments::Missing { at, before, after } => {
                let list = words.join(", ");
                Splice::new(*at..*at, format!("{before}[{list}]{after}"))
            }
            Arguments::Listed {
                inside,
                words: there,
                separator,
                ..
            } => match there.first() {
                None => Splice::new(inside.start..inside.start, words.join(", ")),
                Some(first) => {
                    let at = first.span.start;
                    let comma = || between(&text[inside.start..at]);
                    let between = separator.clone().unwrap_or_else(comma);
                    let list = words.join(&between);
                    Splice::new(at..at, list + &between)
                }
            },
        };
        vec![command, arguments]
    }

    fn unwrap(&self, text: &str, had_arguments: bool) -> Option<Vec<Splice>> {
        let old = self.old_command()?;
        if let Arguments::Behind { words, .. } = &self.arguments {
            let cut = self.command.span.start..words[old].span.start;
            return Some(vec![Splice::new(cut, "")]);
        }
        let Arguments::Listed {
            inside,
            words,
            whole,
            separator,
        } = &self.arguments
        else {
            return None;
        };
        let command = text[words[old].span.clone()].to_owned();
        let command = Splice::new(self.command.span.clone(), command);
        let kept: &[Word] = &words[old + 1..];
        let start = words[0].span.start;
        let cut: Vec<_> = match kept.first() {
            Some(first) => once(start..first.span.start).collect(),
            // A list on lines of its own cannot be empty.
            None if !had_arguments || separator.is_some() => {
                if whole.is_empty() {
                    return None;
                }
                whole.clone()
            }
            None => {
                let end = words[old].span.end;
                let comma = json::comma(text, end..inside.end);
                comma.into_iter().chain(once(start..end)).collect()
            }
        };
        let cut = cut.into_iter().map(|range| Splice::new(range, ""));
        Some(once(command).chain(cut).collect())
    }
}

/// The text with Tamis in front of these of its servers, and with these servers added. None if two of
/// them are at one place.
pub fn wrapped(
    text: &str,
    format: Format,
    wrapping: &Wrapping,
    servers: &[Chosen<'_>],
    added: &[Added],
) -> Option<String> {
    let splices = servers
        .iter()
        .filter_map(|chosen| match &chosen.server.launch {
            Launch::Stdio(stdio) => Some(stdio.wrap(text, format, wrapping, *chosen)),
            _ => None,
        })
        .flatten()
        .chain(added.iter().map(|insertion| {
            Splice::new(
                insertion.position..insertion.position,
                insertion.text.clone(),
            )
        }))
        .collect();
    apply(text, splices)
}

/// The text without Tamis in front of these of its servers. `had_arguments`: whether a server had a
/// list of arguments before.
pub fn unwrapped(text: &str, servers: &[(&Server, bool)]) -> Option<String> {
    let mut splices = Vec::new();
    for (server, had_arguments) in servers {
        if let Launch::Stdio(stdio) = &server.launch {
            splices.extend(stdio.unwrap(text, *had_arguments)?);
        }
    }
    apply(text, splices)
}

/// The text to put between words of a list, from the text before its first.
fn between(lead: &str) -> String {
    match lead.rfind('\n') {
        None => ", ".to_owned(),
        Some(newline) => {
            let start = newline - usize::from(lead[..newline].ends_with('\r'));
            // A comment may stand between the indentation and the word.
            let blank = lead[newline + 1..]
                .chars()
                .take_while(|c| c.is_whitespace())
                .count();
            format!(",{}", &lead[start..newline + 1 + blank])
        }
    }
}

pub(super) fn quote(text: &str, format: Format) -> String {
    match format {
        Format::Json | Format::Yaml => serde_json::Value::from(text).to_string(),
        Format::Toml => toml_edit::Value::from(text).to_string(),
    }
}

/// The program of that name that a shell would start: the first one. `path`: the value of `PATH`.
pub fn on_path(name: &Path, path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    path.into_iter()
        .flat_map(std::env::split_paths)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

/// How a client is to start this program. `shared`: in a file that others use too, where the name
/// alone is right if it leads here; else the whole path, since a client may have another `PATH`.
pub fn program(this: &Path, path: Option<&std::ffi::OsStr>, shared: bool) -> Option<String> {
    let name = this.file_name()?;
    let on_path = on_path(Path::new(name), path)
        .filter(|candidate| files::real_path(candidate).ok() == files::real_path(this).ok());
    let path = match on_path {
        Some(_) if shared => Path::new(name).to_owned(),
        // The path on PATH: a link that stays when this program is renewed.
        Some(candidate) => candidate,
        None => this.to_owned(),
    };
    path.to_str().map(str::to_owned)
}
