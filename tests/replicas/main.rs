//! Several replicas of `tamis serve`, with what they share: an object store, Redis, and a balancer in front of them.
//!
//! The services are real: HAProxy and Redis of Debian, and an S3-compatible server of crates.io. A test whose services
//! are not installed says SKIPPED, and how to install them.

mod cost;
mod drain;
mod examples;
mod fleet;
mod ledger;
mod originals;
mod policy;
mod replica;
mod resumed;
mod services;
mod sessions;
#[path = "../support/mod.rs"]
mod support;
mod tls;
