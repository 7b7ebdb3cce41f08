//! The rest of a request that is answered before all of it was read: it is too large, or its sender may not ask.
//!
//! Owns how long the rest is taken and thrown away. A connection that is closed with bytes in it that nobody read is reset,
//! and its client may never see the answer. Refuses to know why nobody reads.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::EXPECT;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// Time for the rest to arrive. Then the connection is closed, whatever its client sends.
const REST_TIME: Duration = Duration::from_secs(5);

/// Has the rest of this request's body taken when its reader drops it.
pub(super) fn take_rest(request: Request) -> Request {
    // A client that asks first does not send what nobody wants.
    let asks_first = request.headers().contains_key(EXPECT);
    request.map(|body| match body.is_end_stream() {
        true => body,
        false => Body::new(Watched {
            body,
            is_sent: !asks_first,
        }),
    })
}

/// A body whose rest is taken when it is dropped.
struct Watched {
    /// Empty at its end.
    body: Body,
    /// Its client sends it.
    is_sent: bool,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.is_sent = true;
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(None | Some(Err(_))) = frame {
            self.body = Body::empty();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !self.is_sent || self.body.is_end_stream() {
            return;
        }
        let mut body = std::mem::take(&mut self.body);
        // Without a runtime, the connection ends as well.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(timeout(REST_TIME, async move {
                while let Some(Ok(_)) = body.frame().await {}
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A request whose body is so many pieces, and how many of them were taken.
    fn request(headers: &[(&str, &str)], pieces: usize) -> (Request, Arc<AtomicUsize>) {
        struct Pieces(usize, Arc<AtomicUsize>);
        impl HttpBody for Pieces {
            type Data = Bytes;
            type Error = axum::Error;
            fn poll_frame(
                mut self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
                if self.1.load(Ordering::SeqCst) == self.0 {
                    return Poll::Ready(None);
                }
                self.as_mut().1.fetch_add(1, Ordering::SeqCst);
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"piece")))))
            }
        }
        let taken = Arc::new(AtomicUsize::new(0));
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Body::new(Pieces(pieces, Arc::clone(&taken)));
        (request.body(body).unwrap(), taken)
    }

    /// Lets what was spawned go on.
    async fn yielded() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn what_its_reader_left_is_taken() {
        let (request, taken) = request(&[], 7);
        let mut body = take_rest(request).into_body();
        body.frame().await.unwrap().unwrap();
        assert_eq!(taken.load(Ordering::SeqCst), 1);
        drop(body);
        yielded().await;
        assert_eq!(taken.load(Ordering::SeqCst), 7);
    }

    #[tokio::test]
    async fn what_was_read_whole_is_not_asked_again() {
        let (request, taken) = request(&[], 3);
        let body = take_rest(request).into_body();
        assert_eq!(body.collect().await.unwrap().to_bytes().len(), 15);
        taken.store(0, Ordering::SeqCst);
        yielded().await;
        assert_eq!(taken.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn a_client_that_asks_first_is_not_told_to_go_on() {
        let (request, taken) = request(&[("expect", "100-continue")], 3);
        drop(take_rest(request));
        yielded().await;
        assert_eq!(taken.load(Ordering::SeqCst), 0);
    }
}
