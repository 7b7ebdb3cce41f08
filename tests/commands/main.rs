//! The commands and pages that people use.

mod check;
mod debugging;
mod docs;
mod doctor;
mod explain;
mod first_steps;
mod init;
mod install;
mod layout;
mod outside_mcp;
mod packages;
mod platforms;
mod plugin_command;
mod registry;
mod replay;
mod schema;
mod sdk;
mod state;
mod stats;
mod stats_html;
mod testing;
mod tools;
mod trust;

#[path = "../support/mod.rs"]
mod support;
