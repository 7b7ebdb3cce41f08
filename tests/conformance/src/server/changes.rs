//! Lists that change while the server runs, and their subscribers.
//!
//! Owns a tool and a prompt that appear and disappear, and the streams of `subscriptions/listen`. A stream gets every
//! change after its acknowledgement, because it subscribes before the acknowledgement goes out.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use rmcp::service::{SubscriptionContext, SubscriptionSendError};
use tokio::sync::broadcast;

/// Most changes that a slow stream may fall behind. The suite makes one at a time.
const BACKLOG: usize = 64;

#[derive(Clone, Copy)]
pub enum List {
    Tools,
    Prompts,
}

/// The current entries, shared by all sessions.
#[derive(Clone)]
pub struct Changes {
    there: Arc<[AtomicBool; 2]>,
    sender: broadcast::Sender<List>,
}

impl Default for Changes {
    fn default() -> Changes {
        Changes {
            there: Arc::default(),
            sender: broadcast::Sender::new(BACKLOG),
        }
    }
}

impl Changes {
    /// Whether the changing entry of a list is present.
    pub fn is_there(&self, list: List) -> bool {
        self.there[list as usize].load(Ordering::SeqCst)
    }

    /// Adds or removes the entry, and tells every stream.
    pub fn change(&self, list: List) {
        self.there[list as usize].fetch_xor(true, Ordering::SeqCst);
        // A change without listeners is no failure.
        let _ = self.sender.send(list);
    }
}

/// The streams that one service has acknowledged, or is about to acknowledge.
#[derive(Default)]
pub struct Listeners {
    /// One for each stream whose filter was accepted and that does not run yet, oldest first.
    waiting: Mutex<VecDeque<broadcast::Receiver<List>>>,
}

impl Listeners {
    /// Subscribes before a stream is acknowledged.
    pub fn line_up(&self, changes: &Changes) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back(changes.sender.subscribe());
    }

    /// Passes changes on until the client leaves.
    pub async fn run(
        &self,
        stream: SubscriptionContext,
        changes: &Changes,
    ) -> Result<(), ErrorData> {
        let lined_up = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.pop_front()
        };
        let mut receiver = lined_up.unwrap_or_else(|| changes.sender.subscribe());
        loop {
            let list = tokio::select! {
                () = stream.cancelled() => return Ok(()),
                list = receiver.recv() => list,
            };
            let told = match list {
                Ok(List::Tools) => stream.sink().notify_tool_list_changed().await,
                Ok(List::Prompts) => stream.sink().notify_prompt_list_changed().await,
                Err(broadcast::error::RecvError::Lagged(_)) => continue,
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            };
            match told {
                // The filter of this stream leaves it out.
                Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => {}
                Err(error) => return Err(ErrorData::internal_error(error.to_string(), None)),
            }
        }
    }
}
