//! `[state]`: the state of `tamis serve` that several replicas share.

use std::fmt;
use std::path::PathBuf;

use super::keys;
use super::names;
use super::raw::{Fields, Findings, Value};
use super::report::Finding;
use super::serve::Secret;
use super::source::{Source, Span};

/// `[state]`: where `tamis serve` keeps what all of its replicas must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateSpec {
    /// The object store of originals: `s3://`, `az://` or `gs://`, a bucket and a prefix. None: files of this
    /// machine.
    pub originals: Option<Placed<String>>,
    /// The URL of Redis, for what sessions share. None: each replica has its own sessions.
    pub sessions: Option<Placed<Secret>>,
    /// The URL of PostgreSQL, for the ledger of all replicas. None: each replica has its own alone.
    pub ledger: Option<Placed<Secret>>,
    /// The operator's key. It seals ids of sessions, and originals in an object store.
    pub key: Option<Placed<KeyPlace>>,
    /// The key before it, which still opens.
    pub previous_key: Option<Placed<Secret>>,
}

/// Where the operator's key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    Variable(Secret),
    File(PathBuf),
}

/// A value, and its place in the file.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    pub value: T,
    pub span: Span,
}

/// The same value in another line is no change.
impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Placed<T>) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Placed<T> {}

impl<T: fmt::Display> fmt::Display for Placed<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(out)
    }
}

impl StateSpec {
    /// The secrets that environment variables hold.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        let key = self.key.as_ref().and_then(|key| match &key.value {
            KeyPlace::Variable(secret) => Some(secret),
            KeyPlace::File(_) => None,
        });
        key.into_iter()
            .chain(self.sessions.as_ref().map(|placed| &placed.value))
            .chain(self.ledger.as_ref().map(|placed| &placed.value))
            .chain(self.previous_key.as_ref().map(|placed| &placed.value))
    }
}

/// Variables with which object stores prove who asks. No program that Tamis starts gets them.
pub(super) const OF_OBJECT_STORES: [&str; 8] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
];

const ORIGINALS: &str =
    "a URL such as \"s3://bucket/prefix\", \"az://container/prefix\" or \"gs://bucket/prefix\"";
const KEY: &str = "an environment variable, such as \"${TAMIS_STATE_KEY}\"";

/// Reads the table `state`.
pub(super) fn read(value: &Value<'_>, source: &Source, findings: &mut Findings<'_>) -> StateSpec {
    let mut state = StateSpec::default();
    let Some(fields) = findings.table(value, "the state", "a table [state]") else {
        return state;
    };
    fields.deny_unknown(&keys::STATE.names(), findings);
    state.originals = fields
        .get("originals")
        .and_then(|value| originals(value, findings));
    // A report shows the line that it is about, and a line with a secret is not to be shown.
    let header = Span::from(value.span());
    state.sessions = fields
        .get("sessions")
        .and_then(|value| url(value, &REDIS, header, findings));
    state.ledger = fields
        .get("ledger")
        .and_then(|value| url(value, &POSTGRES, header, findings));
    state.key = key(&fields, source, header, findings);
    state.previous_key = fields
        .get("previous-key")
        .and_then(|value| variable(value, "`previous-key`", header, findings));
    if state.previous_key.is_some()
        && fields.get("key").is_none()
        && fields.get("key-file").is_none()
    {
        fields.require("key", keys::STATE.example("key"), findings);
    }
    if state.sessions.is_some() && fields.get("key").is_none() && fields.get("key-file").is_none() {
        let span = state
            .sessions
            .as_ref()
            .map_or_else(|| Span::from(value.span()), |placed| placed.span);
        let message = "`sessions` requires `key`";
        let label = "without a key, ids of sessions belong to one replica";
        findings.push(Finding::error(span, message, label).help(
            "make a key with `openssl rand -base64 32`, give it to all replicas in an environment variable, and add key = \"${TAMIS_STATE_KEY}\"",
        ));
    }
    state
}

fn originals(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<Placed<String>> {
    let (text, span) = findings.string(value, "`originals`", ORIGINALS)?;
    let fits = |scheme: &str| {
        let rest = text.strip_prefix(scheme)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_bucket = (1..=255).contains(&bucket.len()) && bucket.chars().all(is_fit);
        let prefix = prefix.trim_end_matches('/');
        let is_prefix = prefix.is_empty()
            || prefix.split('/').all(|part| {
                !part.is_empty() && part != "." && part != ".." && part.chars().all(is_fit)
            });
        (is_bucket && is_prefix && prefix.len() <= 512).then_some(())
    };
    if !["s3://", "az://", "gs://"]
        .into_iter()
        .any(|scheme| fits(scheme).is_some())
    {
        let message = format!("{} is not a valid place for originals", names::quote(text));
        let finding = Finding::error(span, message, format!("allowed: {ORIGINALS}"));
        findings.push(finding.help(
            "credentials, region and endpoint are in the provider's usual environment variables: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL",
        ));
        return None;
    }
    has_feature(span, "originals in an object store", findings).then(|| Placed {
        value: text.to_owned(),
        span,
    })
}

/// A service that a URL names, which may contain a password.
struct Service {
    key: &'static str,
    name: &'static str,
    feature: &'static str,
    expected: &'static str,
    variable: &'static str,
    fits: fn(&str) -> bool,
}

const REDIS: Service = Service {
    key: "sessions",
    name: "Redis",
    feature: "sessions in Redis",
    expected: "a URL such as \"redis://redis.example.com:6379/0\", or an environment variable with one: \"${TAMIS_REDIS_URL}\"",
    variable: "${TAMIS_REDIS_URL}",
    fits: is_redis,
};

const POSTGRES: Service = Service {
    key: "ledger",
    name: "PostgreSQL",
    feature: "a ledger in PostgreSQL",
    expected: "a URL such as \"postgres://postgres.example.com/tamis\", or an environment variable with one: \"${TAMIS_POSTGRES_URL}\"",
    variable: "${TAMIS_POSTGRES_URL}",
    fits: is_postgres,
};

fn url(
    value: &Value<'_>,
    service: &Service,
    header: Span,
    findings: &mut Findings<'_>,
) -> Option<Placed<Secret>> {
    let Service { key, expected, .. } = service;
    let (text, span) = findings.string(value, &format!("`{key}`"), expected)?;
    let is_fit = |secret: &Secret| match secret {
        Secret::Variable { before, .. } => before.is_empty() || (service.fits)(before),
        Secret::Literal(url) => (service.fits)(url),
    };
    let Some(secret) = Secret::parse(text).filter(is_fit) else {
        // It may contain a password.
        let message = format!("`{key}` is not the URL of {}", service.name);
        let label = format!("allowed: {expected}");
        findings.push(Finding::error(header, message, label));
        return None;
    };
    if let Secret::Literal(url) = &secret
        && url.contains('@')
    {
        let message = format!("`{key}` in the file contains credentials");
        let label = "everyone who can read the file can read them";
        findings.push(Finding::error(header, message, label).help(format!(
            "put the whole URL into an environment variable: {key} = \"{}\"",
            service.variable
        )));
        return None;
    }
    has_feature(span, service.feature, findings).then_some(Placed {
        value: secret,
        span,
    })
}

/// Whether a URL is one of PostgreSQL.
pub fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// Whether a URL is one of Redis.
pub fn is_redis(url: &str) -> bool {
    url.starts_with("redis://") || url.starts_with("rediss://") || url.starts_with("redis+unix://")
}

fn key(
    fields: &Fields<'_>,
    source: &Source,
    header: Span,
    findings: &mut Findings<'_>,
) -> Option<Placed<KeyPlace>> {
    match (fields.get("key"), fields.get("key-file")) {
        (Some(_), Some(file)) => {
            let message = "a key is either in `key` or in `key-file`, not in both";
            let label = "this one has both";
            findings.push(Finding::error(Span::from(file.span()), message, label));
            None
        }
        (Some(value), None) => {
            let Placed { value, span } = variable(value, "`key`", header, findings)?;
            Some(Placed {
                value: KeyPlace::Variable(value),
                span,
            })
        }
        (None, Some(value)) => {
            let (path, span) = findings.string(value, "`key-file`", "a path")?;
            Some(Placed {
                value: KeyPlace::File(source.resolve(path)),
                span,
            })
        }
        (None, None) => None,
    }
}

/// A secret that the file does not contain.
fn variable(
    value: &Value<'_>,
    what: &str,
    header: Span,
    findings: &mut Findings<'_>,
) -> Option<Placed<Secret>> {
    let (text, span) = findings.string(value, what, KEY)?;
    match Secret::parse(text) {
        Some(secret @ Secret::Variable { .. }) => Some(Placed {
            value: secret,
            span,
        }),
        _ => {
            let message = format!("{what} is not an environment variable");
            let label = "everyone who can read the file can read a key in it";
            findings.push(Finding::error(header, message, label).help(format!("allowed: {KEY}")));
            None
        }
    }
}

/// Whether this program can use what the key names.
fn has_feature(span: Span, what: &str, findings: &mut Findings<'_>) -> bool {
    if cfg!(feature = "replicas") {
        return true;
    }
    let message = format!("this Tamis was built without {what} (the cargo feature `replicas`)");
    let label = "use a released one, or build it with this feature";
    findings.push(Finding::error(span, message, label));
    false
}
