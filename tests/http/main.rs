//! The relay over HTTP: `tamis serve`, `tamis run --url`, `tamis login`.

mod every_message;
mod login;
mod pinned_tools;
mod ready;
mod run_url;
mod serve;
mod serve_command;
mod serve_hostile;
mod traces;

#[path = "../support/mod.rs"]
mod support;
