//! Listening: connections of clients, their limits, and the end.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Connections of clients at the same time; more wait until one ends. A client has one for what it asks and
/// one for what it listens to.
const CONNECTIONS: usize = 8192;

/// For all headers of a request to arrive.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// For all headers of a request together.
const HEADER_BYTES: usize = 64 << 10;

/// When a connection could not be taken because this process has too many files open.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Serves until `ends` is there, then lets exchanges that run come to their end, for `grace` at most. Whether
/// all of them did.
pub async fn serve(
    listener: TcpListener,
    router: Router,
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
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
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
