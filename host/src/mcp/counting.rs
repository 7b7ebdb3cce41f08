//! The count of a call that other replicas count too.
//!
//! Who counts asks another machine. A thread that waited for the answer would have to give its connections away, and be
//! woken. So the relay asks twice: the first time it learns only the question, and the second time the answer is here.

use crate::lock::lock;
use crate::shared::{NoAnswer, Shared, Window};
use std::sync::Mutex;

/// The count of one call.
#[derive(Debug, Default)]
pub struct Counting(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Unasked,
    Open(Question),
    Counted(Result<bool, NoAnswer>),
}

/// Whether a call is within its window.
#[derive(Debug, Clone)]
pub struct Question {
    pub shared: Shared,
    pub window: Window,
}

impl Question {
    /// Asks, and blocks this thread until there is an answer.
    pub fn ask_now(self) -> Result<bool, NoAnswer> {
        self.shared.count_now(self.window)
    }

    /// Asks.
    pub async fn ask(self) -> Result<bool, NoAnswer> {
        self.shared.count(self.window).await
    }
}

impl Counting {
    /// The answer to a question. None: it must be asked first.
    pub fn answer(&self, question: Question) -> Option<Result<bool, NoAnswer>> {
        let mut state = lock(&self.0);
        if let State::Counted(counted) = *state {
            return Some(counted);
        }
        *state = State::Open(question);
        None
    }

    /// Whether there is a question that is not answered yet.
    pub fn is_open(&self) -> bool {
        matches!(*lock(&self.0), State::Open(_))
    }

    /// The question that is not answered yet.
    pub fn question(&self) -> Option<Question> {
        match &*lock(&self.0) {
            State::Open(question) => Some(question.clone()),
            State::Unasked | State::Counted(_) => None,
        }
    }

    /// Notes the answer to the question.
    pub fn note(&self, counted: Result<bool, NoAnswer>) {
        *lock(&self.0) = State::Counted(counted);
    }
}
