//! The tokens for servers on disk: one file for each URL, for its owner alone.

use crate::hex;
use crate::system::{Access, files, owners};
use crate::{file, private};
use anyhow::{Context, Result, bail};
use axum::http::HeaderValue;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Largest file: tokens that name a thousand groups have a tenth of this.
const MAX_BYTES: u64 = 1 << 20;

/// A token that is good for less than this may not be when it arrives.
const MARGIN_SECONDS: u64 = 30;

/// The logins of one state directory.
#[derive(Clone)]
pub struct LoginStore {
    state: PathBuf,
}

/// The token for a server. It has no `Debug`, which could put it into a log.
#[derive(Clone, Serialize, Deserialize)]
pub struct StoredLogin {
    /// The URL of the server.
    pub url: String,
    /// The registration that asked for the token.
    pub client: RegisteredClient,
    /// The issuer of the token, if known.
    pub issuer: Option<String>,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// The end of its validity, in seconds since 1970; none: unknown.
    pub expires_at: Option<u64>,
    pub(super) access: String,
    pub(super) refresh: Option<String>,
}

/// This program's registration at an authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub struct RegisteredClient {
    pub id: String,
    pub secret: Option<String>,
    /// The address that the browser is sent to in the end.
    pub redirect: String,
    /// The operator said so; else the authorization server gave the id to this program, and would give another.
    pub is_given: bool,
}

/// Held by one process at a time.
pub struct Lock {
    _file: File,
}

impl StoredLogin {
    /// Whether it is better renewed before it is used.
    pub fn is_over(&self) -> bool {
        self.expires_at
            .is_some_and(|end| end < now() + MARGIN_SECONDS)
    }

    /// Whether it can be renewed without its user.
    pub fn renews(&self) -> bool {
        self.refresh.is_some()
    }

    /// The header to send with a request.
    pub fn bearer(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.access)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl LoginStore {
    /// The logins in a state directory, which need not exist yet.
    ///
    /// # Errors
    ///
    /// The path is relative: then a project could bring logins of its own along.
    pub fn in_directory(state: &Path) -> Result<LoginStore> {
        let state = private::absolute_state(state, "Tamis cannot store a login there")?;
        Ok(LoginStore {
            state: state.to_owned(),
        })
    }

    /// The token for the server at `url`.
    ///
    /// # Errors
    ///
    /// It cannot be read, or others can read or could have written it.
    pub fn get(&self, url: &Url) -> Result<Option<StoredLogin>> {
        let kept = read(&self.file(url))?;
        Ok(kept.filter(|kept| kept.url == name(url)))
    }

    /// All of them, by URL.
    ///
    /// # Errors
    ///
    /// One of them cannot be read.
    pub fn list(&self) -> Result<Vec<StoredLogin>> {
        let directory = self.directory();
        let files = file::json_files(&directory);
        let mut all = Vec::new();
        for path in files.with_context(|| format!("list {}", directory.display()))? {
            all.extend(read(&path)?);
        }
        all.sort_by(|one, other| one.url.cmp(&other.url));
        Ok(all)
    }

    pub(super) fn put(&self, kept: &StoredLogin) -> Result<()> {
        self.make()?;
        let url: Url = kept.url.parse().context("read the server's URL")?;
        let path = self.file(&url);
        let json = serde_json::to_vec_pretty(kept).context("write a login")?;
        file::replace(&path, &json, file::Access::Owner)
            .with_context(|| format!("write {}", path.display()))
    }

    /// Removes the token. False if none was stored.
    ///
    /// # Errors
    ///
    /// It cannot be removed.
    pub fn remove(&self, url: &Url) -> Result<bool> {
        let path = self.file(url);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            removed => {
                removed.with_context(|| format!("remove {}", path.display()))?;
                Ok(true)
            }
        }
    }

    /// Waits until no other process does `what` for the server, and excludes others: a refresh token may be
    /// good for one renewal only.
    pub(super) async fn lock(&self, url: &Url, what: &'static str) -> Result<Lock> {
        self.make()?;
        let path = self.directory().join(format!("{}.{what}", digest(url)));
        let lock = move || {
            let mut options = files::options(Access::Owner);
            let file = options
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .with_context(|| format!("open {}", path.display()))?;
            files::lock(&file).with_context(|| format!("lock {}", path.display()))?;
            Ok(Lock { _file: file })
        };
        tokio::task::spawn_blocking(lock)
            .await
            .context("wait for a lock")?
    }

    fn make(&self) -> Result<()> {
        Ok(private::make_state(&self.directory())?)
    }

    fn directory(&self) -> PathBuf {
        self.state.join("logins")
    }

    fn file(&self, url: &Url) -> PathBuf {
        self.directory().join(format!("{}.json", digest(url)))
    }
}

/// The server's name for the file: a fragment is not sent.
pub(super) fn name(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}

pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

fn digest(url: &Url) -> String {
    hex::sha256(name(url))
}

fn read(path: &Path) -> Result<Option<StoredLogin>> {
    let shown = path.display();
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.with_context(|| format!("look at {shown}"))?,
    };
    let looked = owners::why_not_secret(path, &found);
    if let Some(why) = looked.with_context(|| format!("look at {shown}"))? {
        bail!("{why}");
    }
    let bytes = match file::read(path, MAX_BYTES) {
        // Somebody has logged out.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        bytes => bytes.with_context(|| format!("read {shown}"))?,
    };
    // The parser's message could quote a token.
    let Ok(kept) = serde_json::from_slice(&bytes) else {
        bail!(
            "{shown} is not a login that this version of Tamis wrote: delete it, and log in again"
        );
    };
    Ok(Some(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    fn kept(url: &str, access: &str) -> StoredLogin {
        StoredLogin {
            url: url.to_owned(),
            client: RegisteredClient {
                id: "id".to_owned(),
                secret: None,
                redirect: "http://127.0.0.1:1/callback".to_owned(),
                is_given: false,
            },
            issuer: None,
            scopes: Vec::new(),
            expires_at: None,
            access: access.to_owned(),
            refresh: None,
        }
    }

    #[test]
    fn a_login_is_for_one_url_and_for_its_owner() {
        let state = tempfile::tempdir().expect("a folder");
        let keeping = LoginStore::in_directory(state.path()).expect("it is absolute");
        let one: Url = "https://a.example/mcp".parse().expect("a URL");
        let other: Url = "https://a.example/mcp/".parse().expect("a URL");
        assert!(keeping.list().expect("none").is_empty());
        keeping.put(&kept(one.as_str(), "x")).expect("it is kept");
        assert!(keeping.get(&other).expect("none").is_none());
        let found = keeping.get(&one).expect("one").expect("one");
        assert_eq!(found.bearer().expect("a header"), "Bearer x");
        let path = keeping.file(&one);
        let mode = fs::metadata(&path).expect("a file").mode();
        assert_eq!(mode & 0o7777, 0o600);
        // A file under another's name is not believed.
        fs::copy(&path, keeping.file(&other)).expect("copy");
        assert!(keeping.get(&other).expect("none").is_none());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
        let error = keeping.get(&one).err().expect("others can read it");
        assert!(error.to_string().contains("chmod 600"), "{error}");
        assert!(keeping.remove(&one).expect("it goes"));
        assert!(!keeping.remove(&one).expect("it is gone"));
    }

    #[test]
    fn a_broken_file_is_told_of_without_its_words() {
        let state = tempfile::tempdir().expect("a folder");
        let keeping = LoginStore::in_directory(state.path()).expect("it is absolute");
        let url: Url = "https://a.example/mcp".parse().expect("a URL");
        keeping.put(&kept(url.as_str(), "x")).expect("it is kept");
        fs::write(keeping.file(&url), r#"{"url": "sesame"}"#).expect("write");
        let error = keeping.get(&url).err().expect("it is broken");
        assert!(!format!("{error:#}").contains("sesame"), "{error:#}");
        assert!(error.to_string().contains("log in again"), "{error}");
    }

    #[test]
    fn a_token_is_over_before_its_end() {
        let mut kept = kept("https://a.example/mcp", "x");
        assert!(!kept.is_over());
        kept.expires_at = Some(now() + 3600);
        assert!(!kept.is_over());
        kept.expires_at = Some(now() + 5);
        assert!(kept.is_over());
    }
}
