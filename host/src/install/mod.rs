//! Client configurations, and Tamis in front of the servers in them.
//!
//! Owns where clients keep their lists of servers, and how those are read. Puts `tamis run` in front
//! of a server's command and removes it again. Only the bytes of the command and its arguments
//! change: a file is never printed again, so comments, order and spelling stay. Refuses to know how
//! somebody is asked.
//!
//! `json`, `toml` and `yaml` find each server's command and arguments in a text. `wrap` makes edits of that,
//! the same for all, and `reader` adds the server that has the read tool. `record` stores the changes and the
//! bytes from before. If a file is unchanged since, undoing puts these bytes back.

mod clients;
mod details;
mod json;
mod reader;
mod record;
mod server;
mod splice;
mod surrogates;
mod toml;
mod wrap;
mod yaml;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use clients::{Client, Place, Platform, Scope, Surroundings, places};
pub use details::Details;
pub use reader::{Added, NAME as READER, Standing, line as reader_line, standing};
pub use record::{Entry, Install, Installs, Undone, Wrapped};
pub use server::{Launch, Server, Stdio};
pub use toml::is_one_word;
pub use wrap::{Behind, Chosen, Inner, Wrapping, on_path, program, unwrapped, wrapped};

use crate::file;

/// Largest configuration that is read: Claude Code's own contains prompts, and few have a tenth of
/// this.
const MAX_CONFIGURATION_BYTES: u64 = 64 << 20;

/// How a configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON, with the comments and trailing commas that some clients allow.
    Json,
    /// TOML.
    Toml,
    /// YAML, as people write lists of servers in it.
    Yaml,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is broken, or has a key twice.
    #[error("line {line}, column {column}: {message}")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// The problem.
        message: String,
    },
    /// A link in a project leads out of it.
    #[error("it is a link that leads out of the project, to {0}")]
    Elsewhere(PathBuf),
    /// The file may be right, but its form is one that Tamis cannot edit.
    #[error("Tamis cannot edit YAML of this form")]
    ByHand,
}

/// A configuration as read.
#[derive(Debug, Clone)]
pub struct Configuration {
    /// The file itself: links were followed.
    pub path: PathBuf,
    /// The content of the file.
    pub text: String,
    /// The servers, in the order of the file.
    pub servers: Vec<Server>,
}

impl Configuration {
    /// Reads the configuration at a place; none if the file is missing.
    ///
    /// # Errors
    ///
    /// The file exists and cannot be used.
    pub fn read(place: &Place) -> Result<Option<Configuration>, Unusable> {
        if place.path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let path = fs::canonicalize(&place.path)?;
        if let Scope::Project(root) = &place.scope
            && !path.starts_with(root)
        {
            return Err(Unusable::Elsewhere(path));
        }
        let text = read_text(&path)?;
        let servers = servers(&text, place.client.format(), place.client.lists())?;
        Ok(Some(Configuration {
            path,
            text,
            servers,
        }))
    }
}

impl Configuration {
    /// Reads a file that need not be where a client has its configuration. `lists`: as for [`servers`].
    ///
    /// # Errors
    ///
    /// It is missing or cannot be used.
    pub fn read_file(
        path: &Path,
        format: Format,
        lists: &[&[&str]],
    ) -> Result<Configuration, Unusable> {
        let path = fs::canonicalize(path)?;
        let text = read_text(&path)?;
        let servers = servers(&text, format, lists)?;
        Ok(Configuration {
            path,
            text,
            servers,
        })
    }
}

/// Reads a configuration's text.
fn read_text(path: &Path) -> Result<String, Unusable> {
    let bytes = file::read(path, MAX_CONFIGURATION_BYTES)?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        broken(&text, text.len(), "it is not UTF-8 here")
    })
}

/// The servers in a text. `lists`: the keys that lead to the tables of servers; `*` is any key.
///
/// # Errors
///
/// The text is broken.
pub fn servers(text: &str, format: Format, lists: &[&[&str]]) -> Result<Vec<Server>, Unusable> {
    match format {
        Format::Json => json::servers(text, lists),
        Format::Toml => toml::servers(text, lists),
        Format::Yaml => yaml::servers(text, lists),
    }
}

fn broken(text: &str, at: usize, message: impl Into<String>) -> Unusable {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    Unusable::Broken {
        line: before.matches('\n').count() + 1,
        column: before[line_start..]
            .trim_start_matches('\u{feff}')
            .chars()
            .count()
            + 1,
        message: message.into(),
    }
}
