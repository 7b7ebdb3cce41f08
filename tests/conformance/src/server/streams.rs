//! Sessions over HTTP whose streams a tool can close before its answer: the client comes back for the answer.
//!
//! Owns the number of each request's stream within its session, and the notice that a client came back. The SDK's own
//! session manager counts the streams from 0 and does not announce the number. Here, requests enter a session one after
//! the other, and are counted too. The manager forgets a stream once its answer is written, so the answer must wait.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionHandle, LocalSessionManager,
};
use rmcp::transport::streamable_http_server::session::{
    EventStream, RestoreOutcome, SessionId, SessionManager,
};
use tokio::sync::{Mutex, Notify};

/// Time that a client should wait before it comes back.
const RETRY: Duration = Duration::from_millis(50);

/// Most time that the server waits for a client to come back.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stream for a request's answer, among the request's extensions.
#[derive(Clone)]
pub struct AnswerStream {
    session: LocalSessionHandle,
    number: u64,
    came_back: Arc<Notify>,
}

impl AnswerStream {
    /// Ends the stream, and waits until the client has opened another one.
    pub async fn close(&self) -> anyhow::Result<()> {
        let retry = Some(RETRY);
        self.session.close_sse_stream(self.number, retry).await?;
        // If the client stays away, nothing is lost: it gets the same answer.
        let _ = tokio::time::timeout(PATIENCE, self.came_back.notified()).await;
        Ok(())
    }
}

#[derive(Default)]
pub struct Sessions {
    inner: LocalSessionManager,
    streams: Mutex<HashMap<SessionId, Streams>>,
}

/// The streams of one session.
#[derive(Default)]
struct Streams {
    /// Number of streams so far.
    count: u64,
    came_back: Arc<Notify>,
}

type Inner = LocalSessionManager;
type Error = <Inner as SessionManager>::Error;

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Error> {
        self.inner.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.streams.lock().await.remove(id);
        self.inner.close_session(id).await
    }

    #[expect(
        refining_impl_trait,
        reason = "the SDK's name for a stream is all that there is here"
    )]
    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<EventStream, Error> {
        let mut streams = self.streams.lock().await;
        let session = self.inner.sessions.read().await.get(id).cloned();
        if let Some(session) = session {
            let streams = streams.entry(id.clone()).or_default();
            message.insert_extension(AnswerStream {
                session,
                number: streams.count,
                came_back: Arc::clone(&streams.came_back),
            });
            streams.count += 1;
        }
        Ok(Box::pin(self.inner.create_stream(id, message).await?))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Error> {
        self.inner.accept_message(id, message).await
    }

    #[expect(
        refining_impl_trait,
        reason = "the SDK's name for a stream is all that there is here"
    )]
    async fn create_standalone_stream(&self, id: &SessionId) -> Result<EventStream, Error> {
        Ok(Box::pin(self.inner.create_standalone_stream(id).await?))
    }

    #[expect(
        refining_impl_trait,
        reason = "the SDK's name for a stream is all that there is here"
    )]
    async fn resume(&self, id: &SessionId, last_event_id: String) -> Result<EventStream, Error> {
        let stream = self.inner.resume(id, last_event_id).await?;
        if let Some(streams) = self.streams.lock().await.get(id) {
            streams.came_back.notify_one();
        }
        Ok(Box::pin(stream))
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, Error> {
        self.inner.restore_session(id).await
    }
}
