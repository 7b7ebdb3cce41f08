//! Makes what `[state]` names: the operator's key, and the services that all replicas share.

use crate::file;
use crate::ledger::Mirror;
use crate::mcp::http::{SessionSeal, Sharing};
use crate::policy::{
    Finding, KeyPlace, Policy, Report, Secret, ServeLimit, Span, StateSpec, is_redis,
};
use crate::sealed::LEAST_KEY_CHARACTERS;
use crate::secrets;
use crate::shared::Shared as Redis;
use crate::state::State;
use crate::store::Objects;
use anyhow::Result;

/// What all replicas share.
pub(super) struct Shared {
    /// The object store of originals.
    pub(super) objects: Option<Objects>,
    /// Copies the ledger to PostgreSQL.
    pub(super) mirror: Option<Mirror>,
    /// What connections share.
    pub(super) sharing: Sharing,
}

/// A file with a key is no longer than this: one of megabytes is another file.
const KEY_FILE_BYTES: u64 = 4096;

/// Opens what the policy's `[state]` names.
///
/// # Errors
///
/// A variable is not set, a key is too short, or a service refuses. Each says at which line.
pub(super) fn open(policy: &Policy) -> Result<Shared> {
    let StateSpec {
        originals,
        sessions,
        ledger,
        key,
        previous_key,
    } = &policy.state;
    let place = Place { policy };
    let key = match key {
        None => None,
        Some(key) => {
            let text = match &key.value {
                KeyPlace::Variable(secret) => place.value(secret, key.span, "`key`")?,
                KeyPlace::File(path) => {
                    let text = file::read_text(path, KEY_FILE_BYTES).map_err(|error| {
                        let message = format!("no key can be read from {}: {error}", path.display());
                        let help = "allowed: a file with one line of at least 32 characters, that Tamis may read";
                        place.error(key.span, &message, "`key-file` of [state]", help)
                    })?;
                    text.trim().to_owned()
                }
            };
            place.check_key(&text, key.span)?;
            Some(text)
        }
    };
    let previous = match previous_key {
        None => None,
        Some(previous) => {
            let text = place.value(&previous.value, previous.span, "`previous-key`")?;
            place.check_key(&text, previous.span)?;
            Some(text)
        }
    };
    let limits = policy.serve.limits;
    let keys = key.map(|key| (key, previous));
    let of_objects = keys
        .as_ref()
        .map(|(key, previous)| (key.as_str(), previous.as_deref()));
    let objects = match originals {
        None => None,
        Some(url) => {
            let time = limits.time(ServeLimit::OriginalsTime);
            let objects = Objects::open(&url.value, time, of_objects);
            Some(objects.map_err(|error| {
                let message = format!("the object store cannot be used: {error}");
                let help = "check the bucket, and the provider's environment variables, for example AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
                place.error(url.span, &message, "`originals` of [state]", help)
            })?)
        }
    };
    let redis = match (sessions, &keys) {
        (Some(sessions), Some((key, _))) => {
            let url = place.value(&sessions.value, sessions.span, "`sessions`")?;
            let time = limits.time(ServeLimit::SessionsTime);
            let redis = match is_redis(&url) {
                true => Redis::open(&url, key, time).map_err(|error| error.to_string()),
                false => Err("its URL begins with redis:// or rediss://".to_owned()),
            };
            Some(redis.map_err(|why| {
                let message = format!("Redis cannot be used: {why}");
                let help = "allowed: a URL such as redis://redis.example.com:6379/0; with a password: redis://:PASSWORD@redis.example.com:6379/0";
                place.error(sessions.span, &message, "`sessions` of [state]", help)
            })?)
        }
        _ => None,
    };
    let mirror = match ledger {
        None => None,
        Some(ledger) => {
            let url = place.value(&ledger.value, ledger.span, "`ledger`")?;
            let directory = State::find()?.directory().to_owned();
            let mirror = Mirror::start(&directory, &url);
            Some(mirror.map_err(|error| {
                let message = format!("PostgreSQL cannot be used: {error}");
                let help = "allowed: a URL such as postgres://USER:PASSWORD@postgres.example.com/tamis?sslmode=require, of a user who may create tables, or for whom they exist";
                place.error(ledger.span, &message, "`ledger` of [state]", help)
            })?)
        }
    };
    let seal = keys.map(|(key, previous)| SessionSeal::new(&key, previous.as_deref()));
    Ok(Shared {
        sharing: Sharing {
            seal,
            waits: objects.is_some() || redis.is_some(),
            sessions: redis,
        },
        objects,
        mirror,
    })
}

/// Says where in the policy an error is.
struct Place<'p> {
    policy: &'p Policy,
}

impl Place<'_> {
    fn error(&self, span: Span, message: &str, label: &str, help: &str) -> anyhow::Error {
        let finding = Finding::error(span, message, label).help(help);
        Report::new(self.policy.source.clone(), vec![finding]).into()
    }

    fn value(&self, secret: &Secret, span: Span, key: &str) -> Result<String> {
        secrets::note(secret.variable().map(str::to_owned));
        secret.resolve().map_err(|variable| {
            let message = format!("the environment variable {variable} is not set");
            let help =
                format!("set {variable} before Tamis starts, to the same value for all replicas");
            self.error(span, &message, &format!("{key} of [state] needs it"), &help)
        })
    }

    fn check_key(&self, key: &str, span: Span) -> Result<()> {
        let characters = key.chars().count();
        if characters >= LEAST_KEY_CHARACTERS {
            return Ok(());
        }
        let message = format!("the key is too short: {characters} characters");
        let label = format!("allowed: at least {LEAST_KEY_CHARACTERS} characters");
        Err(self.error(
            span,
            &message,
            &label,
            "make one with `openssl rand -base64 32`",
        ))
    }
}
