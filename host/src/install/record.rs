//! The record of `tamis install`, in the state directory: for each file the bytes from before, digests
//! of before and after, and the wrapped servers.
//!
//! A file that is wrapped twice has two entries here, and undoing goes back through them. If a file is
//! unchanged since, the bytes from before are put back. If it changed, the wrapped servers in it are unwrapped.
//! The server with the read tool is removed from lists without wrapped servers, and all else stays.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::reader::{self, Added, Standing};
use super::{Chosen, Client, Configuration, Format, MAX_CONFIGURATION_BYTES, Server, Wrapping};
use super::{read_text, servers, unwrapped, wrapped};
use crate::hex;
use crate::{file, private};

/// Largest record: one of a thousand servers has a tenth of this.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// The records of one state directory.
pub struct Installs {
    state: PathBuf,
}

/// The changes to one file, in order.
#[derive(Debug, Serialize, Deserialize)]
pub struct Install {
    /// The configuration, links followed.
    pub path: String,
    /// The client, by its title.
    pub client: String,
    format: Format,
    lists: Vec<Vec<String>>,
    steps: Vec<EditRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
struct EditRecord {
    /// SHA-256 of the file before and after.
    before: String,
    after: String,
    /// The file that holds the bytes from before.
    backup: String,
    /// The command that starts Tamis.
    program: String,
    servers: Vec<Entry>,
    /// Servers that were added.
    #[serde(default)]
    added: Vec<Added>,
}

/// A server that was wrapped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The keys that lead to it.
    pub at: Vec<String>,
    /// Whether it had a list of arguments.
    pub had_arguments: bool,
}

/// The result of undoing an install.
#[derive(Debug)]
pub struct Undone {
    /// The file as found; none if it is missing.
    pub found: Option<String>,
    /// The new content of the file.
    pub text: Option<String>,
    /// Names of the servers that are unwrapped, and of those that were added and go.
    pub servers: Vec<String>,
    /// Whether these are the very bytes from before.
    pub exact: bool,
    /// The rest of the record.
    left: Vec<EditRecord>,
    /// Backups that are not needed any more.
    spent: Vec<String>,
}

impl Installs {
    /// The records in a state directory, which need not exist yet.
    pub fn in_directory(state: &Path) -> Installs {
        Installs {
            state: state.to_owned(),
        }
    }

    /// All that is on record, by path.
    ///
    /// # Errors
    ///
    /// A record cannot be read.
    pub fn list(&self) -> Result<Vec<Install>> {
        let directory = self.directory();
        if !directory.exists() {
            return Ok(Vec::new());
        }
        self.make()?;
        let files = file::json_files(&directory);
        let mut installs = Vec::new();
        for path in files.with_context(|| format!("list {}", directory.display()))? {
            installs.extend(read(&path)?);
        }
        installs.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(installs)
    }

    /// Puts Tamis in front of servers of a configuration. The record is written first, so that each change can
    /// be undone.
    ///
    /// # Errors
    ///
    /// The file changed meanwhile, or it or the record cannot be written.
    pub fn install(
        &self,
        client: Client,
        configuration: &Configuration,
        change: &Wrapped<'_>,
        wrapping: &Wrapping,
    ) -> Result<()> {
        let text = change.text.as_str();
        let path = configuration.path.to_str().ok_or_else(|| {
            anyhow!(
                "{} cannot be recorded: its name is not Unicode",
                configuration.path.display()
            )
        })?;
        self.make()?;
        let file = self.file(path);
        let mut install = read(&file)?.unwrap_or_else(|| Install {
            path: path.to_owned(),
            client: client.title().to_owned(),
            format: client.format(),
            lists: client
                .lists()
                .iter()
                .map(|keys| keys.iter().map(|&key| key.to_owned()).collect())
                .collect(),
            steps: Vec::new(),
        });
        let before = digest(&configuration.text);
        let backup = format!("{}-{}.before", stem(path), &before[..16]);
        let backup_path = self.directory().join(&backup);
        file::replace(
            &backup_path,
            configuration.text.as_bytes(),
            file::Access::Owner,
        )
        .with_context(|| format!("write the backup {}", backup_path.display()))?;
        install.steps.push(EditRecord {
            before,
            after: digest(text),
            backup,
            program: wrapping.program.clone(),
            servers: change
                .servers
                .iter()
                .map(|chosen| Entry::of(chosen.server))
                .collect(),
            added: change.added.clone(),
        });
        self.write(&file, &install)?;
        replace(&configuration.path, &configuration.text, text)
    }

    /// The result of undoing an install, of all servers or of those that `chosen` picks. Writes nothing.
    ///
    /// # Errors
    ///
    /// The configuration or a backup cannot be read.
    pub fn plan(&self, install: &Install, chosen: &dyn Fn(&str) -> bool) -> Result<Undone> {
        let path = Path::new(&install.path);
        let mut undone = Undone {
            found: None,
            text: None,
            servers: Vec::new(),
            exact: true,
            left: Vec::new(),
            spent: Vec::new(),
        };
        if path.symlink_metadata().is_err() {
            undone.spent = install
                .steps
                .iter()
                .map(|step| step.backup.clone())
                .collect();
            return Ok(undone);
        }
        let found = read_text(path)?;
        let mut text = found.clone();
        let mut added = Vec::new();
        for step in install.steps.iter().rev() {
            let (mine, others): (Vec<Entry>, Vec<Entry>) = step
                .servers
                .iter()
                .cloned()
                .partition(|entry| chosen(entry.name()));
            if mine.is_empty() {
                undone.left.push(step.with(others));
                continue;
            }
            let backup = self.backup(step)?;
            if others.is_empty() && digest(&text) == step.after && backup.is_some() {
                undone
                    .servers
                    .extend(mine.iter().map(|entry| entry.name().to_owned()));
                let readers = step.added.iter().map(|_| reader::NAME.to_owned());
                undone.servers.extend(readers);
                text = backup.unwrap_or_default();
            } else {
                text = install.unwrap(&text, step, &mine, &mut undone.servers)?;
                undone.exact = false;
                if others.is_empty() {
                    added.extend(
                        step.added
                            .iter()
                            .map(|entry| (entry.clone(), step.program.clone())),
                    );
                }
            }
            match others.is_empty() {
                true => undone.spent.push(step.backup.clone()),
                false => undone.left.push(step.with(others)),
            }
        }
        undone.left.reverse();
        // Servers that are left wrapped need the read tool.
        for step in &mut undone.left {
            let program = step.program.clone();
            added.extend(step.added.drain(..).map(|server| (server, program.clone())));
        }
        for (reader, program) in added {
            let list = &reader.at[..reader.at.len().saturating_sub(1)];
            let wraps =
                |step: &&mut EditRecord| step.servers.iter().any(|entry| entry.list() == list);
            match undone.left.iter_mut().find(wraps) {
                Some(step) => step.added.push(reader),
                None => {
                    if let Some(without) = install.without(&text, &reader, &program) {
                        text = without;
                        undone.servers.push(reader::NAME.to_owned());
                    }
                }
            }
        }
        undone.found = Some(found);
        undone.text = Some(text);
        Ok(undone)
    }

    /// Applies a plan of [`Installs::plan`].
    ///
    /// # Errors
    ///
    /// The file changed meanwhile, or it or the record cannot be written.
    pub fn undo(&self, mut install: Install, undone: Undone) -> Result<()> {
        if let (Some(found), Some(text)) = (&undone.found, &undone.text)
            && found != text
        {
            replace(Path::new(&install.path), found, text)?;
        }
        let file = self.file(&install.path);
        let spent: Vec<&String> = undone
            .spent
            .iter()
            .filter(|backup| undone.left.iter().all(|step| step.backup != **backup))
            .collect();
        install.steps = undone.left;
        if install.steps.is_empty() {
            remove(&file)?;
        } else {
            self.write(&file, &install)?;
        }
        for backup in spent {
            remove(&self.directory().join(backup))?;
        }
        Ok(())
    }

    /// The text from before a step; none if the backup is missing or damaged.
    fn backup(&self, step: &EditRecord) -> Result<Option<String>> {
        let path = self.directory().join(&step.backup);
        let bytes = match file::read(&path, MAX_CONFIGURATION_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.with_context(|| format!("read the backup {}", path.display()))?,
        };
        let text = String::from_utf8(bytes).ok();
        Ok(text.filter(|text| digest(text) == step.before))
    }

    fn write(&self, file: &Path, install: &Install) -> Result<()> {
        let text = serde_json::to_string_pretty(install).context("encode the record")?;
        file::replace(file, format!("{text}\n").as_bytes(), file::Access::Owner)
            .with_context(|| format!("write the record {}", file.display()))
    }

    fn directory(&self) -> PathBuf {
        self.state.join("install")
    }

    fn file(&self, path: &str) -> PathBuf {
        self.directory().join(format!("{}.json", stem(path)))
    }

    /// Makes the folders, for this user only: text from them is written into configurations that start
    /// programs.
    fn make(&self) -> Result<()> {
        for directory in [&self.state, &self.directory()] {
            private::make_state(directory)?;
        }
        Ok(())
    }
}

impl Install {
    /// Names of the servers that were wrapped.
    pub fn servers(&self) -> Vec<&str> {
        let entries = self.steps.iter().flat_map(|step| &step.servers);
        entries.map(Entry::name).collect()
    }

    fn lists(&self) -> Vec<Vec<&str>> {
        let lists = self.lists.iter();
        lists
            .map(|keys| keys.iter().map(String::as_str).collect())
            .collect()
    }

    /// The text without a server that was added, if it is still there.
    fn without(&self, text: &str, added: &Added, program: &str) -> Option<String> {
        let lists = self.lists();
        let lists: Vec<&[&str]> = lists.iter().map(Vec::as_slice).collect();
        reader::without(text, self.format, &lists, added, program)
    }

    /// The text without Tamis in front of these servers, where it still is.
    fn unwrap(
        &self,
        text: &str,
        step: &EditRecord,
        entries: &[Entry],
        names: &mut Vec<String>,
    ) -> Result<String> {
        let lists = self.lists();
        let lists: Vec<&[&str]> = lists.iter().map(Vec::as_slice).collect();
        let there = servers(text, self.format, &lists)
            .with_context(|| format!("{} is broken, so nothing is undone in it", self.path))?;
        let mut wrapped = Vec::new();
        for entry in entries {
            let server = there.iter().find(|server| server.at == entry.at);
            if let Some(server) = server.filter(|server| server.is_wrapped(&step.program)) {
                wrapped.push((server, entry.had_arguments));
                names.push(entry.name().to_owned());
            }
        }
        unwrapped(text, &wrapped).context("take Tamis out of it")
    }
}

impl EditRecord {
    /// This record with fewer servers.
    fn with(&self, servers: Vec<Entry>) -> EditRecord {
        EditRecord {
            before: self.before.clone(),
            after: self.after.clone(),
            backup: self.backup.clone(),
            program: self.program.clone(),
            servers,
            added: self.added.clone(),
        }
    }
}

impl Entry {
    fn of(server: &Server) -> Entry {
        Entry {
            at: server.at.clone(),
            had_arguments: server.has_arguments(),
        }
    }

    fn name(&self) -> &str {
        self.at.last().map_or("", String::as_str)
    }

    fn list(&self) -> &[String] {
        &self.at[..self.at.len().saturating_sub(1)]
    }
}

/// A configuration with Tamis in front of some of its servers.
#[derive(Debug)]
pub struct Wrapped<'a> {
    /// The whole file.
    pub text: String,
    /// The wrapped servers.
    pub servers: Vec<Chosen<'a>>,
    /// The added servers: one for each list that wraps a server and has none yet.
    pub added: Vec<Added>,
}

impl Configuration {
    /// Puts Tamis in front of some servers, and adds the server with the read tool. Removing both again
    /// gives the old text; otherwise the result is an error and nothing may be written.
    ///
    /// # Errors
    ///
    /// The edits cannot be undone exactly.
    pub fn wrap<'a>(
        &self,
        client: Client,
        wrapping: &Wrapping,
        chosen: &[&'a Server],
    ) -> Result<Wrapped<'a>> {
        // Where a list takes no other server, the wrapped ones list the read tool themselves.
        self.wrap_with(client, wrapping, chosen, true)
            .or_else(|_| self.wrap_with(client, wrapping, chosen, false))
    }

    fn wrap_with<'a>(
        &self,
        client: Client,
        wrapping: &Wrapping,
        chosen: &[&'a Server],
        adds: bool,
    ) -> Result<Wrapped<'a>> {
        let (format, program) = (client.format(), wrapping.program.as_str());
        let mut added: Vec<Added> = Vec::new();
        let mut marked: Vec<Chosen<'a>> = Vec::new();
        for &server in chosen {
            let list = server.list();
            let is_added = || {
                let other = marked.iter().find(|other| other.server.list() == list);
                other.map(|other| other.has_reader)
            };
            let has_reader = match reader::standing(&self.servers, list, program) {
                Standing::Reader => true,
                Standing::Foreign => false,
                Standing::Absent => is_added().unwrap_or_else(|| {
                    let reader = adds
                        .then(|| reader::addition(&self.text, client, list, wrapping))
                        .flatten();
                    let is_possible = reader.is_some();
                    added.extend(reader);
                    is_possible
                }),
            };
            marked.push(Chosen { server, has_reader });
        }
        let text =
            wrapped(&self.text, format, wrapping, &marked, &added).context("put Tamis into it")?;
        // The read tool first: it was put there together with the others.
        let mut undone = Some(text.clone());
        for reader in &added {
            let without =
                |text: String| reader::without(&text, format, client.lists(), reader, program);
            undone = undone.and_then(without);
        }
        let undone = undone.and_then(|text| {
            let there = servers(&text, format, client.lists()).ok()?;
            let pairs: Vec<(&Server, bool)> = chosen
                .iter()
                .filter_map(|server| {
                    let again = there.iter().find(|again| again.at == server.at)?;
                    let is_wrapped = again.is_wrapped(program);
                    is_wrapped.then_some((again, server.has_arguments()))
                })
                .collect();
            (pairs.len() == chosen.len()).then(|| unwrapped(&text, &pairs))?
        });
        if undone.as_ref() != Some(&self.text) {
            bail!("the change could not be undone exactly, so it is not made");
        }
        Ok(Wrapped {
            text,
            servers: marked,
            added,
        })
    }
}

/// Writes a configuration that nobody else has written to since it was read.
fn replace(path: &Path, found: &str, text: &str) -> Result<()> {
    let now = read_text(path)?;
    if now != found {
        bail!("{} was changed meanwhile: try again", path.display());
    }
    file::replace(path, text.as_bytes(), file::Access::Owner)
        .with_context(|| format!("write {}", path.display()))
}

fn read(path: &Path) -> Result<Option<Install>> {
    let bytes = match file::read(path, MAX_RECORD_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        bytes => bytes.with_context(|| format!("read the record {}", path.display()))?,
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .with_context(|| format!("the record {} is damaged", path.display()))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("remove {}", path.display())),
    }
}

fn digest(text: &str) -> String {
    hex::sha256(text)
}

fn stem(path: &str) -> String {
    digest(path)[..32].to_owned()
}
