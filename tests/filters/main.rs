//! Filters, chains and the store, called as a library or by `tamis apply`.

mod cases;
mod chain_errors;
mod contract;
mod filters;
mod fuzz_corpora;
mod generated;
mod manifests;
mod named_calls;
mod nothing_lost;
mod said_once;
mod sandbox_limits;
mod store;

#[path = "../support/mod.rs"]
mod support;
