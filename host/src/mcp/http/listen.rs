//! Listening: connections of clients, their limits, and the end.

use crate::file;
use anyhow::Context;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// Most connections of clients at the same time; more wait until one ends. A client has one for its requests and
/// one to listen.
const CONNECTIONS: usize = 8192;

/// Time for all headers of a request to arrive.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Size of all headers of a request together.
const HEADER_BYTES: usize = 64 << 10;

/// Size of a certificate chain or a key: far more than any has.
const PEM_BYTES: u64 = 1 << 20;

/// When a connection could not be taken because this process has too many files open.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// The acceptor that speaks TLS with clients, from a certificate chain and its key, both PEM.
///
/// # Errors
///
/// A file cannot be read, is no certificate chain or key, or does not fit the other file.
pub fn tls(certificate: &Path, key: &Path) -> anyhow::Result<TlsAcceptor> {
    let read = || certificate.display().to_string();
    let chain = file::read(certificate, PEM_BYTES).with_context(read)?;
    let chain = CertificateDer::pem_slice_iter(&chain);
    let chain = chain.collect::<Result<Vec<_>, _>>().with_context(read)?;
    if chain.is_empty() {
        anyhow::bail!("{} has no certificate", certificate.display());
    }
    let read = || key.display().to_string();
    let key = file::read(key, PEM_BYTES).with_context(read)?;
    let key = PrivateKeyDer::from_pem_slice(&key).with_context(read)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("the certificate and the key")?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves until `ends` completes, then waits for running exchanges, for `grace` at most. Returns whether all of
/// them ended.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Option<TlsAcceptor>,
    ends: impl Future<Output = ()>,
    grace: Duration,
) -> bool {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HEADER_BYTES);
    let mut ends = std::pin::pin!(ends);
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            () = &mut ends => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut ends => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!("a connection was not taken: {error}");
                tokio::time::sleep(AFTER_ERROR).await;
                continue;
            }
        };
        // Without it an answer waits for the acknowledgement of the one before: 40 ms.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let (builder, watcher, tls) = (builder.clone(), graceful.watcher(), tls.clone());
        tokio::spawn(async move {
            let ended = match tls {
                None => {
                    let connection = builder.serve_connection(TokioIo::new(stream), service);
                    watcher.watch(connection).await
                }
                Some(tls) => {
                    let greeting = tokio::time::timeout(HEADER_TIMEOUT, tls.accept(stream));
                    let Ok(Ok(stream)) = greeting.await else {
                        tracing::debug!("a connection did not come to speak TLS");
                        return;
                    };
                    let connection = builder.serve_connection(TokioIo::new(stream), service);
                    watcher.watch(connection).await
                }
            };
            if let Err(error) = ended {
                tracing::debug!("a connection ended: {error}");
            }
            drop(place);
        });
    }
    drop(listener);
    tokio::time::timeout(grace, graceful.shutdown())
        .await
        .is_ok()
}
