//! Originals in an object store, which all replicas share; the files of this machine are its cache.
//!
//! Owns the form of the objects, the time to wait for the store, and when it is left alone ([`Service`]). Refuses
//! to know which provider it is, but for making its client.
//!
//! An object is `PREFIX/CALLER/REFERENCE`. It begins with [`MAGIC`] and a digest of its content, so a replica sees
//! with one small read whether other content has its name. With a key of the operator's, the content is sealed for
//! its caller and its reference. So nobody who can write to the bucket can give one caller the original of another.
//!
//! Tamis deletes no object. The operator's lifecycle rule does. A replica refuses an object that is older than
//! [`super::MAX_AGE`], and stores content again whose object is half that old.

use super::connector::Connector;
use super::files::FileStore;
use super::{MAX_AGE, Original, OriginalStore, Reference, Store, StoreError, StoreLimits, Swept};
use crate::away::{self, Service};
use crate::lock::lock;
use crate::sealed::Sealer;
use crate::serving;
use object_store::path::Path as ObjectPath;
use object_store::{
    ClientOptions, GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt, PutMode,
    PutOptions, PutPayload, RetryConfig,
};
use ring::{digest, hmac};
use std::collections::HashMap;
use std::future::Future;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant, SystemTime};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// The beginning of an object, with the version of its form: plain, or sealed.
const MAGIC: [&[u8; 8]; 2] = [b"tamis 1p", b"tamis 1s"];

/// Bytes before the content: [`MAGIC`] and the digest.
const HEAD_BYTES: u64 = 8 + 32;

/// Time for each MiB in addition to the operator's limit: for a line of 64 Mbit/s.
const TIME_FOR_MIB: Duration = Duration::from_millis(125);

/// How often an original is asked for until the store answers. A result that is not stored stays whole; a reading that
/// fails leaves nothing to work with.
const READ_TRIES: usize = 3;

/// Most originals of one caller of which a replica remembers that they are in the object store.
const KNOWN: usize = 10_000;

/// How long it remembers, so that someone who empties a bucket by hand need not restart the replicas.
const KNOWN_FOR: Duration = Duration::from_secs(60 * 60);

/// The object store, for the originals of all callers. Clones are the same store.
#[derive(Debug, Clone)]
pub struct Objects {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    client: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    /// As the operator named it.
    url: String,
    sealer: Option<Sealer>,
    /// Makes digests that say nothing of the content to those without the operator's key.
    digests: Option<hmac::Key>,
    time: Duration,
    service: Service,
    runtime: Handle,
}

/// Why the object store cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum ObjectsError {
    /// The URL or the environment is wrong.
    #[error("{0}")]
    Settings(String),
    /// The store answers, and refuses.
    #[error("{0}")]
    Refused(String),
    /// The system refused a thread.
    #[error("start a thread for the object store: {0}")]
    Thread(std::io::Error),
}

/// The originals of one caller.
#[derive(Debug)]
struct CallersObjects {
    objects: Objects,
    caller: String,
    cache: FileStore,
    /// Originals that are in the object store, and since when this is known.
    known: Mutex<HashMap<Reference, Instant>>,
}

/// An error of the provider, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

impl Objects {
    /// The store that `url` names: `s3://BUCKET/PREFIX`, `az://CONTAINER/PREFIX` or `gs://BUCKET/PREFIX`. The
    /// provider's usual environment variables hold credentials, region and endpoint. `time`: how long to wait for
    /// an answer. `key` and the key before it: see [`Sealer::new`].
    ///
    /// # Errors
    ///
    /// The URL or the environment is wrong, or the store refuses the credentials. A store that does not answer is
    /// none: nothing is cut until it does.
    pub fn open(
        url: &str,
        time: Duration,
        key: Option<(&str, Option<&str>)>,
    ) -> Result<Objects, ObjectsError> {
        let (client, prefix) = client(url, time)?;
        let runtime = away::runtime().map_err(ObjectsError::Thread)?;
        let digests = key.map(|(current, _)| {
            let text = [b"tamis digests ".as_slice(), current.as_bytes()].concat();
            hmac::Key::new(hmac::HMAC_SHA256, &text)
        });
        let objects = Objects {
            shared: Arc::new(Shared {
                client,
                prefix,
                url: url.to_owned(),
                sealer: key.map(|(current, previous)| Sealer::new(current, previous, "originals")),
                digests,
                time,
                service: Service::new(format!("the object store {url}")),
                runtime,
            }),
        };
        objects.try_out()?;
        Ok(objects)
    }

    /// The originals of the caller with this key; empty for an unknown caller.
    pub fn of_caller(&self, caller: &str, cache: FileStore) -> Store {
        let caller = match caller {
            "" => "anyone",
            caller => caller,
        };
        Store::new(CallersObjects {
            objects: self.clone(),
            caller: caller.to_owned(),
            cache,
            known: Mutex::default(),
        })
    }

    /// Whether the store counts as away, and questions to it so far, and those that failed.
    pub fn state(&self) -> (bool, [u64; 2]) {
        let service = &self.shared.service;
        (service.is_away(), service.counts())
    }

    /// Looks for an object that does not exist: a store that refuses the credentials says so now, not at the
    /// first cut.
    fn try_out(&self) -> Result<(), ObjectsError> {
        let path = self.shared.prefix.clone().join("tamis");
        let asked = self.ask(0, move |client| async move {
            client.get(&path).await.map(|_| ())
        });
        use object_store::Error;
        match asked {
            Ok(()) => Ok(()),
            // An object is missing, or its bucket. Of a bucket, a list says so.
            Err(Refusal::Store(Error::NotFound { .. })) => match self.list_nothing() {
                Err(Refusal::Store(error)) if lacks_bucket(&error) => {
                    Err(ObjectsError::Refused(one_line(&error)))
                }
                // Listing may be forbidden.
                _ => Ok(()),
            },
            Err(Refusal::Store(
                error @ (Error::PermissionDenied { .. } | Error::Unauthenticated { .. }),
            )) => Err(ObjectsError::Refused(one_line(&error))),
            Err(refusal) => {
                let why = refusal.to_string();
                tracing::warn!(
                    "the object store {} does not answer, so nothing is cut until it does: {why}",
                    self.shared.url
                );
                Ok(())
            }
        }
    }

    fn list_nothing(&self) -> Result<(), Refusal> {
        let path = self.shared.prefix.clone().join("tamis");
        self.ask(0, move |client| async move {
            client.list_with_delimiter(Some(&path)).await.map(|_| ())
        })
    }

    /// Asks the store, and waits for the answer no longer than the time for so many bytes.
    fn ask<T, F>(
        &self,
        bytes: u64,
        question: impl FnOnce(Arc<dyn ObjectStore>) -> F,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        use object_store::Error;
        let shared = &self.shared;
        shared
            .service
            .admit()
            .map_err(|away| Refusal::NotAsked(away.to_string()))?;
        let time = shared.time + time_for(bytes);
        let asking = question(Arc::clone(&shared.client));
        let (done, answer) = mpsc::sync_channel(1);
        shared.runtime.spawn(async move {
            let _ = done.send(timeout(time, asking).await);
        });
        // The runtime's clock ends it; this one is for a runtime that has no time for it.
        let answer = serving::wait(|| answer.recv_timeout(time + time / 4));
        match answer {
            Ok(Ok(answer)) => {
                match &answer {
                    // The store answers, with what is to be expected, or with a refusal of this question.
                    Ok(_)
                    | Err(
                        Error::NotFound { .. }
                        | Error::AlreadyExists { .. }
                        | Error::Precondition { .. },
                    ) => shared.service.answered(),
                    Err(error) => shared.service.failed(&one_line(error)),
                }
                answer.map_err(Refusal::Store)
            }
            Ok(Err(_)) | Err(_) => {
                let why = format!("no answer within {} ms", time.as_millis());
                shared.service.failed(&why);
                Err(Refusal::NotAsked(why))
            }
        }
    }
}

/// Why there is no answer that helps.
enum Refusal {
    Store(object_store::Error),
    /// Not asked, or no answer in time.
    NotAsked(String),
}

impl Refusal {
    /// Whether the same question may have an answer in a moment.
    fn passes(&self) -> bool {
        match self {
            Refusal::NotAsked(_) => true,
            // A broken connection, and the provider's 5xx.
            Refusal::Store(error) => matches!(error, object_store::Error::Generic { .. }),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Store(error) => out.write_str(&one_line(error)),
            Refusal::NotAsked(why) => out.write_str(why),
        }
    }
}

/// The store's client, and the prefix of all objects.
fn client(url: &str, time: Duration) -> Result<(Arc<dyn ObjectStore>, ObjectPath), ObjectsError> {
    use object_store::aws::AmazonS3Builder;
    use object_store::azure::MicrosoftAzureBuilder;
    use object_store::gcp::GoogleCloudStorageBuilder;
    let settings = |error: object_store::Error| ObjectsError::Settings(one_line(&error));
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    // Each question has its own deadline; this one is for a body that arrives slowly.
    let connector = Connector {
        connect: time,
        whole: time + time_for(StoreLimits::default().max_original_bytes),
    };
    // An endpoint without TLS is for the operator to choose: a local one, or a proxy in the same pod.
    let options = ClientOptions::new().with_allow_http(true);
    // A third try would not end before the deadline of the question.
    let retry = RetryConfig {
        max_retries: 1,
        retry_timeout: time,
        ..RetryConfig::default()
    };
    let client: Arc<dyn ObjectStore> = match scheme {
        "s3" => Arc::new(
            AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_http_connector(connector)
                .with_client_options(options)
                .with_retry(retry)
                .build()
                .map_err(settings)?,
        ),
        "az" => Arc::new(
            MicrosoftAzureBuilder::from_env()
                .with_container_name(bucket)
                .with_http_connector(connector)
                .with_client_options(options)
                .with_retry(retry)
                .build()
                .map_err(settings)?,
        ),
        "gs" => Arc::new(
            GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_http_connector(connector)
                .with_client_options(options)
                .with_retry(retry)
                .build()
                .map_err(settings)?,
        ),
        _ => {
            let why = "the URL begins with s3://, az:// or gs://";
            return Err(ObjectsError::Settings(why.to_owned()));
        }
    };
    let prefix = ObjectPath::parse(prefix.trim_end_matches('/'))
        .map_err(|error| ObjectsError::Settings(error.to_string()))?;
    Ok((client, prefix))
}

/// The answer, or an error if it takes longer.
async fn within<T>(
    time: Duration,
    answer: impl Future<Output = object_store::Result<T>>,
) -> object_store::Result<T> {
    let late = |_| object_store::Error::Generic {
        store: "object store",
        source: format!("no answer within {} ms", time.as_millis()).into(),
    };
    timeout(time, answer)
        .await
        .unwrap_or_else(|error| Err(late(error)))
}

fn time_for(bytes: u64) -> Duration {
    TIME_FOR_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)
}

/// The provider's error without its long body: the first line, at most 300 characters.
fn one_line(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    let text: Vec<&str> = text.split_whitespace().collect();
    text.join(" ").chars().take(300).collect()
}

/// Whether a list failed because its bucket does not exist.
fn lacks_bucket(error: &object_store::Error) -> bool {
    let why = one_line(error);
    let codes = ["NoSuchBucket", "ContainerNotFound", "404 Not Found"];
    codes.iter().any(|code| why.contains(code))
}

impl CallersObjects {
    fn path(&self, reference: &Reference) -> ObjectPath {
        let prefix = self.objects.shared.prefix.clone();
        prefix
            .join(self.caller.as_str())
            .join(reference.to_string())
    }

    fn elsewhere(
        &self,
        doing: &'static str,
        reference: &Reference,
        refusal: &Refusal,
    ) -> StoreError {
        StoreError::Elsewhere {
            doing,
            place: self.place(reference),
            passes: refusal.passes(),
            source: Failed(refusal.to_string()).into(),
        }
    }

    /// What sealed content belongs to.
    fn about(&self, reference: &Reference) -> String {
        format!("{}/{reference}", self.caller)
    }

    fn head(&self, bytes: &[u8]) -> Vec<u8> {
        let digest = digest::digest(&digest::SHA256, bytes);
        match &self.objects.shared.digests {
            None => [MAGIC[0].as_slice(), digest.as_ref()].concat(),
            Some(key) => {
                let tag = hmac::sign(key, digest.as_ref());
                [MAGIC[1].as_slice(), tag.as_ref()].concat()
            }
        }
    }

    /// The object of an original.
    fn object(&self, reference: &Reference, bytes: &[u8]) -> Vec<u8> {
        let mut object = self.head(bytes);
        match &self.objects.shared.sealer {
            None => object.extend_from_slice(bytes),
            Some(sealer) => object.extend(sealer.seal(self.about(reference).as_bytes(), bytes)),
        }
        object
    }

    /// The original in an object. None: the object is of another form, or of another key.
    fn content(&self, reference: &Reference, object: &[u8]) -> Option<Vec<u8>> {
        let (head, content) = object.split_at_checked(HEAD_BYTES as usize)?;
        match &self.objects.shared.sealer {
            None => head.starts_with(MAGIC[0]).then(|| content.to_vec()),
            Some(sealer) => {
                let is_sealed = head.starts_with(MAGIC[1]);
                is_sealed.then(|| sealer.open(self.about(reference).as_bytes(), content))?
            }
        }
    }

    fn is_known(&self, reference: &Reference) -> bool {
        let known = lock(&self.known);
        let since = known.get(reference);
        since.is_some_and(|since| since.elapsed() < KNOWN_FOR)
    }

    fn note(&self, reference: Reference) {
        let mut known = lock(&self.known);
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(reference, Instant::now());
    }

    fn put_object(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError> {
        use object_store::Error;
        let path = self.path(&reference);
        let object = PutPayload::from(self.object(&reference, bytes));
        let size = bytes.len() as u64;
        let put = |mode: PutMode| {
            let (path, object) = (path.clone(), object.clone());
            self.objects.ask(size, move |client| async move {
                let options = PutOptions::from(mode);
                client.put_opts(&path, object, options).await.map(|_| ())
            })
        };
        match put(PutMode::Create) {
            Ok(()) => Ok(()),
            Err(Refusal::Store(Error::AlreadyExists { .. } | Error::Precondition { .. })) => {
                match self.look(&reference, bytes)? {
                    Stored::Same => Ok(()),
                    Stored::Old => put(PutMode::Overwrite)
                        .map_err(|refusal| self.elsewhere("write", &reference, &refusal)),
                    Stored::Other => Err(StoreError::Collision(reference)),
                }
            }
            Err(refusal) => Err(self.elsewhere("write", &reference, &refusal)),
        }
    }

    /// Compares the object that has the name of these bytes with them, without reading all of it.
    fn look(&self, reference: &Reference, bytes: &[u8]) -> Result<Stored, StoreError> {
        let path = self.path(reference);
        let looked = self.objects.ask(0, move |client| async move {
            let options = GetOptions {
                range: Some(GetRange::Bounded(0..HEAD_BYTES)),
                ..GetOptions::default()
            };
            let found = client.get_opts(&path, options).await?;
            let age = age(&found);
            Ok((found.bytes().await?, age))
        });
        let (head, age) = looked.map_err(|refusal| self.elsewhere("read", reference, &refusal))?;
        let expected = self.head(bytes);
        Ok(if head.as_ref() == expected {
            match age < MAX_AGE / 2 {
                true => Stored::Same,
                false => Stored::Old,
            }
        } else if age >= MAX_AGE || head.get(..8) != expected.get(..8) {
            // Expired, or from before the operator chose a key.
            Stored::Old
        } else if self.objects.shared.digests.is_some() {
            // The digest of an earlier key says nothing.
            match self.get_object(reference) {
                Ok(stored) if stored == bytes => Stored::Old,
                Ok(_) => Stored::Other,
                Err(StoreError::Damaged { .. } | StoreError::NotFound(_)) => Stored::Old,
                Err(error) => return Err(error),
            }
        } else {
            Stored::Other
        })
    }

    fn get_object(&self, reference: &Reference) -> Result<Vec<u8>, StoreError> {
        let path = self.path(reference);
        let most = self.max_original_bytes() + HEAD_BYTES + crate::sealed::SEAL_BYTES as u64;
        let time = self.objects.shared.time;
        // The time of the body depends on its size, which is known once it begins.
        let got = self.objects.ask(most, move |client| async move {
            let found = within(time, client.get(&path)).await?;
            if age(&found) >= MAX_AGE || found.meta.size > most {
                return Ok(None);
            }
            let time = time + time_for(found.meta.size);
            within(time, found.bytes()).await.map(Some)
        });
        let object = match got {
            Ok(Some(object)) => object,
            Ok(None) | Err(Refusal::Store(object_store::Error::NotFound { .. })) => {
                return Err(StoreError::NotFound(*reference));
            }
            Err(refusal) => return Err(self.elsewhere("read", reference, &refusal)),
        };
        self.content(reference, &object)
            .ok_or_else(|| StoreError::Damaged {
                reference: *reference,
                place: self.place(reference),
            })
    }
}

/// The object that has an original's name.
enum Stored {
    Same,
    /// It is to be written again.
    Old,
    Other,
}

fn age(found: &GetResult) -> Duration {
    let written = SystemTime::from(found.meta.last_modified);
    // Clocks of two machines differ.
    SystemTime::now()
        .duration_since(written)
        .unwrap_or_default()
}

impl OriginalStore for CallersObjects {
    fn max_original_bytes(&self) -> u64 {
        self.cache.max_original_bytes()
    }

    fn put(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError> {
        if !self.is_known(&reference) {
            self.put_object(reference, bytes)?;
            self.note(reference);
        }
        // The cache saves a question later. Without it the original can be read all the same.
        if let Err(error) = self.cache.put(reference, bytes) {
            tracing::debug!("original {reference} is not in the cache: {error}");
        }
        Ok(())
    }

    fn get(&self, reference: &Reference) -> Result<Vec<u8>, StoreError> {
        if let Ok(bytes) = self.cache.get(reference)
            && Reference::of(&bytes) == *reference
        {
            return Ok(bytes);
        }
        let mut tries = 1;
        let bytes = loop {
            match self.get_object(reference) {
                Err(StoreError::Elsewhere { passes: true, .. }) if tries < READ_TRIES => tries += 1,
                got => break got?,
            }
            if self.objects.shared.service.is_away() {
                serving::wait(|| std::thread::sleep(away::PAUSE));
            }
        };
        if Reference::of(&bytes) == *reference
            && let Err(error) = self.cache.put(*reference, &bytes)
        {
            tracing::debug!("original {reference} is not in the cache: {error}");
        }
        Ok(bytes)
    }

    fn get_range(&self, reference: &Reference, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        match self.cache.get_range(reference, range.clone()) {
            Ok(bytes) => Ok(bytes),
            Err(_) => {
                let bytes = self.get(reference)?;
                let clipped = |place: u64| {
                    usize::try_from(place).map_or(bytes.len(), |at| at.min(bytes.len()))
                };
                Ok(bytes[clipped(range.start)..clipped(range.end)].to_vec())
            }
        }
    }

    /// The file in the cache, on this machine alone.
    fn file(&self, reference: &Reference, prefix: &str) -> Result<Option<PathBuf>, StoreError> {
        self.cache.file(reference, prefix)
    }

    fn place(&self, reference: &Reference) -> String {
        let shared = &self.objects.shared;
        let url = shared.url.trim_end_matches('/');
        format!("{url}/{}/{reference}", self.caller)
    }

    /// Those in the cache: a bucket may hold millions.
    fn list(&self) -> Result<Vec<Original>, StoreError> {
        self.cache.list()
    }

    /// Sweeps the cache; the operator's lifecycle rule sweeps the bucket.
    fn sweep(&self) -> Result<Swept, StoreError> {
        self.cache.sweep()
    }
}
