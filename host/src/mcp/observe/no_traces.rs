//! Spans in a program that was built without them: none is made.

use super::account::Account;
use std::convert::Infallible;
#[cfg(feature = "http")]
use {
    anyhow::{Result, bail},
    axum::http::{HeaderMap, StatusCode},
    tokio::runtime::Handle,
};

/// The destination of spans: never one.
#[cfg(feature = "http")]
pub struct Traces(Infallible);

/// A request in progress: none has a span.
#[derive(Clone)]
pub struct Trace(Infallible);

/// The parent for the spans of a request's answer: never one.
pub struct ResultTrace(Infallible);

#[cfg(feature = "http")]
impl Traces {
    /// # Errors
    ///
    /// Always: the policy wants spans.
    pub fn to(_: &str, _: reqwest::Client, _: Handle) -> Result<Traces> {
        bail!("this Tamis was built without traces (the cargo feature `traces`)")
    }

    pub(in crate::mcp) fn begin(&self, _: &str, _: &str, _: Option<&str>, _: &HeaderMap) -> Trace {
        match self.0 {}
    }

    pub fn close(&self) {
        match self.0 {}
    }
}

#[cfg(feature = "http")]
impl Trace {
    pub(in crate::mcp) fn write_to(&self, _: &mut HeaderMap) {
        match self.0 {}
    }

    pub(in crate::mcp) fn answered(&self, _: StatusCode) {
        match self.0 {}
    }

    pub(in crate::mcp) fn failed(&self, _: &str) {
        match self.0 {}
    }
}

impl Trace {
    pub(in crate::mcp) fn of_result(&self) -> ResultTrace {
        match self.0 {}
    }
}

impl ResultTrace {
    pub(super) fn filtered(&self, _: &Account<'_>) {
        match self.0 {}
    }
}
