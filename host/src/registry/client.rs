//! The client of a registry, by the distribution specification.
//!
//! oci-client logs in and pushes. This module pulls, since nothing that comes may be larger than its limit.

use super::artifact::{self, Artifact, Layer, Title};
use super::cache::Cache;
use super::credentials::Credentials;
use super::reference::{Digest, Pinned, Reference};
use super::signatures::{self, ArtifactSignature};
use super::{CONNECT, Error, IDLE, MAX_MANIFEST_BYTES, WHOLE};
use crate::lock::lock;
use crate::signature::Payload;
use oci_client::client::{Client, ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use oci_client::{Reference as Image, RegistryOperation};
use reqwest::StatusCode;
use reqwest::header::HeaderValue;
use std::error::Error as _;
use std::future::Future;
use std::sync::Mutex;
use std::time::Duration;

/// Is told of each piece of the plugin: its bytes, and those of all of it.
pub type Watching<'a> = &'a (dyn Fn(u64, u64) + Sync);

const USER_AGENT: &str = concat!("tamis/", env!("CARGO_PKG_VERSION"));

/// The client and token for reads of one repository.
struct Pulling {
    http: reqwest::Client,
    token: Option<String>,
    /// Its address.
    repository: String,
}

/// An artifact's place in a registry, and who asks.
pub struct Registry {
    reference: Reference,
    credentials: Credentials,
    /// How long all of a request may take.
    within: Duration,
    /// The token of the last login to read, if the registry gave one: so it is not asked for one each time.
    login: Mutex<Option<Option<String>>>,
}

/// A policy that was pushed.
pub struct Pushed {
    /// Its name, with the digest.
    pub pinned: Pinned,
    manifest: Vec<u8>,
}

impl Registry {
    /// Asks nobody yet.
    pub fn new(reference: Reference, credentials: Credentials) -> Registry {
        Registry {
            reference,
            credentials,
            within: WHOLE,
            login: Mutex::default(),
        }
    }

    /// The same, with this limit on the time of each request.
    #[must_use]
    pub fn within(self, within: Duration) -> Registry {
        Registry { within, ..self }
    }

    /// The plugin, which is then in the cache, and its reference with the digest.
    ///
    /// # Errors
    ///
    /// The registry does not have it, does not give it, or gives something else.
    pub fn pull(&self, watching: Watching<'_>) -> Result<(Pinned, Vec<u8>), Error> {
        let (manifest, wasm) = self.run(async {
            let pulling = self.pulling().await?;
            let manifest = self.manifest(&pulling).await?;
            let layer = Layer::of(&manifest)?;
            let wasm = self.layer(&pulling, &layer, watching).await?;
            Ok((manifest, wasm))
        })?;
        let pinned = self.reference.with_digest(Digest::of(&manifest));
        if let Some(cache) = Cache::from_environment()
            && let Err(error) = cache.keep(&manifest, &wasm)
        {
            tracing::warn!("{pinned} cannot be cached, and will be fetched again: {error:#}");
        }
        Ok((pinned, wasm))
    }

    /// Puts a plugin there. The same plugin is always the same artifact, with the same digest.
    ///
    /// # Errors
    ///
    /// The registry does not take it.
    pub fn push(&self, wasm: &[u8], title: &Title) -> Result<Pinned, Error> {
        let Artifact { manifest, config } = Artifact::of(wasm, title);
        let pinned = self.reference.with_digest(Digest::of(&manifest));
        self.put(vec![wasm.to_vec(), config], manifest)?;
        Ok(pinned)
    }

    /// The policy: its reference with the digest, its manifest and its bytes. It is in no cache.
    ///
    /// # Errors
    ///
    /// The registry does not have it, does not give it, or gives something else.
    pub fn pull_policy(&self) -> Result<(Pinned, Vec<u8>, Vec<u8>), Error> {
        let (manifest, policy) = self.again_if_expired(|| {
            self.run(async {
                let pulling = self.pulling().await?;
                let manifest = self.manifest(&pulling).await?;
                let layer = Layer::of_policy(&manifest)?;
                let path = format!("blobs/{}", layer.digest);
                let what = "the policy";
                let got = self.get(&pulling, &path, what, layer.bytes, &|_| {});
                Ok((manifest, verified(what, layer.digest, got.await?)?))
            })
        })?;
        let pinned = self.reference.with_digest(Digest::of(&manifest));
        Ok((pinned, manifest, policy))
    }

    /// The digest of the manifest that the registry has there now.
    ///
    /// # Errors
    ///
    /// It has none, or does not say.
    pub fn digest_now(&self) -> Result<Digest, Error> {
        self.again_if_expired(|| self.run(self.ask_digest()))
    }

    async fn ask_digest(&self) -> Result<Digest, Error> {
        let pulling = self.pulling().await?;
        let version = self.reference.version();
        let request = pulling
            .http
            .head(format!("{}/manifests/{version}", pulling.repository))
            .header("Accept", artifact::MANIFEST);
        let request = self.authorized(&pulling, request);
        let response = request.send().await.map_err(|error| self.failed(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.refused(status, ""));
        }
        let said = response.headers().get("docker-content-digest");
        match said.and_then(|digest| digest.to_str().ok()?.parse().ok()) {
            Some(digest) => Ok(digest),
            None => Ok(Digest::of(&self.manifest(&pulling).await?)),
        }
    }

    /// Asks; and once more with a new login, if that of an earlier request was refused.
    fn again_if_expired<T>(&self, ask: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
        let had_login = lock(&self.login).is_some();
        match ask() {
            Err(Error::Unauthorized { .. }) if had_login => ask(),
            answer => answer,
        }
    }

    /// Puts a policy there, by its digest: no tag names it yet, so nobody uses it before it is signed.
    ///
    /// # Errors
    ///
    /// The registry does not take it.
    pub fn push_policy(&self, policy: &[u8]) -> Result<Pushed, Error> {
        let Artifact { manifest, config } = Artifact::of_policy(policy);
        let pinned = self.reference.with_digest(Digest::of(&manifest));
        let by_digest = Registry::new(pinned.reference().clone(), self.credentials.clone());
        by_digest.put(vec![policy.to_vec(), config], manifest.clone())?;
        Ok(Pushed { pinned, manifest })
    }

    /// Lets the tag of this reference name a policy that was pushed.
    ///
    /// # Errors
    ///
    /// The registry does not take it.
    pub fn tag(&self, pushed: &Pushed) -> Result<(), Error> {
        self.put(Vec::new(), pushed.manifest.clone())
    }

    /// Puts blobs there, and then the manifest that names them.
    fn put(&self, blobs: Vec<Vec<u8>>, manifest: Vec<u8>) -> Result<(), Error> {
        self.run(async {
            let (client, image) = self.client();
            self.log_in(&client, &image, RegistryOperation::Push)
                .await?;
            for blob in blobs {
                let digest = Digest::of(&blob).to_string();
                let pushed = client.push_blob(&image, blob, &digest).await;
                pushed.map_err(|error| self.error_of(error))?;
            }
            let kind = HeaderValue::from_static(artifact::MANIFEST);
            let pushed = client.push_manifest_raw(&image, manifest, kind).await;
            pushed.map(drop).map_err(|error| self.error_of(error))
        })
    }

    /// The signatures of a plugin, which are then in the cache. That it has none is no error.
    ///
    /// # Errors
    ///
    /// The registry does not give them, or they are too many or too large.
    pub fn signatures(&self, plugin: &Pinned) -> Result<Vec<ArtifactSignature>, Error> {
        let all = self.signatures_now(plugin)?;
        if let Some(cache) = Cache::from_environment()
            && let Err(error) = cache.keep_signatures(plugin, &all)
        {
            tracing::warn!(
                "the signatures of {plugin} cannot be cached, and will be fetched again: {error:#}"
            );
        }
        Ok(all)
    }

    /// The signatures of an artifact. That it has none is no error.
    ///
    /// # Errors
    ///
    /// The registry does not give them, or they are too many or too large.
    pub fn signatures_now(&self, artifact: &Pinned) -> Result<Vec<ArtifactSignature>, Error> {
        let beside = self.beside(artifact);
        beside.run(async {
            let pulling = beside.pulling().await?;
            let Some(manifest) = beside.manifest_if_any(&pulling).await? else {
                return Ok(Vec::new());
            };
            let mut all = Vec::new();
            for layer in signatures::layers_of(&manifest)? {
                let path = format!("blobs/{}", layer.digest);
                let what = "a signed payload";
                let got = beside.get(&pulling, &path, what, layer.bytes, &|_| {});
                let payload = Payload::from_bytes(verified(what, layer.digest, got.await?)?);
                all.extend(payload.map(|payload| ArtifactSignature {
                    payload,
                    signature: layer.signature,
                }));
            }
            Ok(all)
        })
    }

    /// Checks that the registry has a plugin there.
    ///
    /// # Errors
    ///
    /// It has none, or something else.
    pub fn check_plugin(&self) -> Result<(), Error> {
        self.run(async {
            let pulling = self.pulling().await?;
            let manifest = self.manifest(&pulling).await?;
            Layer::of(&manifest).map(drop)
        })
    }

    /// Adds a signature to those of a plugin.
    ///
    /// # Errors
    ///
    /// The registry does not take it, or has too many.
    pub fn push_signature(&self, plugin: &Pinned, new: &ArtifactSignature) -> Result<(), Error> {
        let beside = self.beside(plugin);
        let before = beside.run(async {
            let pulling = beside.pulling().await?;
            beside.manifest_if_any(&pulling).await
        })?;
        let (manifest, config) = signatures::with_another(before.as_deref(), new)?;
        beside.put(vec![new.payload.bytes().to_vec(), config], manifest)
    }

    /// The place of a plugin's signatures.
    fn beside(&self, plugin: &Pinned) -> Registry {
        let beside = Registry::new(plugin.of_signatures(), self.credentials.clone());
        *lock(&beside.login) = lock(&self.login).clone();
        beside.within(self.within)
    }

    /// The manifest's bytes; none if the registry has no such artifact.
    async fn manifest_if_any(&self, pulling: &Pulling) -> Result<Option<Vec<u8>>, Error> {
        match self.manifest(pulling).await {
            Ok(manifest) => Ok(Some(manifest)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The manifest's bytes, which have the digest of the reference if it has one.
    async fn manifest(&self, pulling: &Pulling) -> Result<Vec<u8>, Error> {
        let path = format!("manifests/{}", self.reference.version());
        let got = self.get(pulling, &path, "the manifest", MAX_MANIFEST_BYTES, &|_| {});
        let manifest = got.await?;
        match self.reference.pinned() {
            Some(pinned) => verified("the manifest", pinned.digest(), manifest),
            None => Ok(manifest),
        }
    }

    async fn layer(
        &self,
        pulling: &Pulling,
        layer: &Layer,
        watching: Watching<'_>,
    ) -> Result<Vec<u8>, Error> {
        let path = format!("blobs/{}", layer.digest);
        let step = |bytes| watching(bytes, layer.bytes);
        let got = self.get(pulling, &path, "the plugin", layer.bytes, &step);
        verified("the plugin", layer.digest, got.await?)
    }

    /// The body at a path of the repository, at most so many bytes of it.
    async fn get(
        &self,
        pulling: &Pulling,
        path: &str,
        what: &'static str,
        most: u64,
        watching: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<u8>, Error> {
        let url = format!("{}/{path}", pulling.repository);
        let request = pulling.http.get(url).header("Accept", artifact::MANIFEST);
        let request = self.authorized(pulling, request);
        let failed = |error: reqwest::Error| self.failed(&error);
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        // The body of a refusal is read only as far as it is shown.
        let most = if status.is_success() {
            most
        } else {
            MAX_MANIFEST_BYTES
        };
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            if bytes.len() as u64 + piece.len() as u64 > most {
                return Err(Error::TooLarge { what, most });
            }
            bytes.extend_from_slice(&piece);
            watching(piece.len() as u64);
        }
        match status.is_success() {
            true => Ok(bytes),
            false => Err(self.refused(status, &String::from_utf8_lossy(&bytes))),
        }
    }

    /// A request with the credentials of this caller.
    fn authorized(
        &self,
        pulling: &Pulling,
        request: reqwest::RequestBuilder,
    ) -> reqwest::RequestBuilder {
        match (&pulling.token, self.auth()) {
            (Some(token), _) => request.bearer_auth(token),
            (None, RegistryAuth::Basic(name, password)) => request.basic_auth(name, Some(password)),
            (None, _) => request,
        }
    }

    /// Logs in to read, unless an earlier request did.
    async fn pulling(&self) -> Result<Pulling, Error> {
        let (client, image) = self.client();
        let before = lock(&self.login).clone();
        let token = match before {
            Some(token) => token,
            None => {
                let token = self.log_in(&client, &image, RegistryOperation::Pull);
                let token = token.await?;
                *lock(&self.login) = Some(token.clone());
                token
            }
        };
        let is_local = self.reference.is_local();
        let http = reqwest::Client::builder()
            // Also where one is sent on to another server.
            .https_only(!is_local)
            .connect_timeout(CONNECT)
            .read_timeout(IDLE)
            .user_agent(USER_AGENT)
            .build()
            .map_err(|error| self.failed(&error))?;
        let scheme = if is_local { "http" } else { "https" };
        // Docker's own registry has another name than its artifacts say.
        let registry = image.resolve_registry();
        Ok(Pulling {
            http,
            token,
            repository: format!("{scheme}://{registry}/v2/{}", image.repository()),
        })
    }

    /// The token that the registry gives, if it is one that does.
    async fn log_in(
        &self,
        client: &Client,
        image: &Image,
        operation: RegistryOperation,
    ) -> Result<Option<String>, Error> {
        let token = client.auth(image, &self.auth(), operation).await;
        token.map_err(|error| self.error_of(error))
    }

    /// A client for the operations of oci-client, and its name for the artifact.
    fn client(&self) -> (Client, Image) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::new(ClientConfig {
            protocol: match self.reference.is_local() {
                true => ClientProtocol::Http,
                false => ClientProtocol::Https,
            },
            connect_timeout: Some(CONNECT),
            read_timeout: Some(IDLE),
            user_agent: USER_AGENT,
            ..ClientConfig::default()
        });
        let image = Image::with_tag(
            self.reference.registry().to_owned(),
            self.reference.repository().to_owned(),
            self.reference.version(),
        );
        (client, image)
    }

    fn auth(&self) -> RegistryAuth {
        match &self.credentials {
            Credentials::None { .. } => RegistryAuth::Anonymous,
            Credentials::User { name, password, .. } => {
                RegistryAuth::Basic(name.clone(), password.clone())
            }
        }
    }

    /// Does it to the end, on a thread of its own: the caller's may be part of a runtime that must not wait.
    fn run<T: Send>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        let system = |doing: &'static str| {
            move |error: std::io::Error| Error::System {
                doing,
                cause: error.to_string(),
            }
        };
        let within = self.within;
        let work = || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(system("start a runtime"))?;
            runtime.block_on(async {
                let slow = Error::Slow {
                    registry: self.name(),
                    limit: within,
                };
                tokio::time::timeout(within, work)
                    .await
                    .unwrap_or(Err(slow))
            })
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("registry".to_owned());
            let running = thread
                .spawn_scoped(scope, work)
                .map_err(system("start a thread"))?;
            running.join().unwrap_or_else(|_| {
                Err(Error::System {
                    doing: "ask a registry",
                    cause: "it crashed".to_owned(),
                })
            })
        })
    }

    fn name(&self) -> String {
        self.reference.registry().to_owned()
    }

    fn refused(&self, status: StatusCode, body: &str) -> Error {
        let registry = self.name();
        // A token expires.
        *lock(&self.login) = None;
        let answer = format!("{status}: {}", line(body));
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Error::Unauthorized {
                registry,
                status: status.as_u16().to_string(),
                remedy: self.credentials.remedy(),
            },
            StatusCode::NOT_FOUND => Error::NotFound {
                registry,
                name: self.reference.to_string(),
            },
            StatusCode::TOO_MANY_REQUESTS => Error::Busy { registry, answer },
            status if status.is_server_error() => Error::Busy { registry, answer },
            _ => Error::Refused { registry, answer },
        }
    }

    /// An error of oci-client as one of this module.
    fn error_of(&self, error: OciDistributionError) -> Error {
        let status = |code: u16| StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
        match error {
            OciDistributionError::UnauthorizedError { .. }
            | OciDistributionError::AuthenticationFailure(_) => {
                self.refused(StatusCode::UNAUTHORIZED, "")
            }
            OciDistributionError::ServerError { code, message, .. } => {
                self.refused(status(code), &message)
            }
            OciDistributionError::RequestError(error) => self.failed(&error),
            OciDistributionError::RegistryError { envelope, .. } => Error::Refused {
                registry: self.name(),
                answer: line(&envelope.to_string()),
            },
            other => Error::Refused {
                registry: self.name(),
                answer: line(&other.to_string()),
            },
        }
    }

    /// An error of HTTP, with its causes: the first words alone say nothing.
    fn failed(&self, error: &reqwest::Error) -> Error {
        let registry = self.name();
        if error.is_timeout() {
            let limit = if error.is_connect() { CONNECT } else { IDLE };
            return Error::Slow { registry, limit };
        }
        let mut cause = String::new();
        let mut next = error.source();
        while let Some(error) = next {
            cause = error.to_string();
            next = error.source();
        }
        if cause.is_empty() {
            cause = error.to_string();
        }
        Error::Unreachable {
            registry,
            cause: line(&cause),
        }
    }
}

fn verified(what: &'static str, expected: Digest, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    let found = Digest::of(&bytes);
    match found == expected {
        true => Ok(bytes),
        false => Err(Error::OtherBytes {
            what,
            expected,
            found,
        }),
    }
}

/// A text of somebody else, on a line of a message.
fn line(text: &str) -> String {
    let text: String = text.trim().chars().take(300).collect();
    crate::printable::line(&text)
}
