//! The relay over stdio, between real servers, real clients and hostile ones.

mod agents;
mod call_log;
mod chain_choice;
mod client_families;
mod conformance;
mod default_policy;
mod frame_readers;
mod hostile_frames;
mod inspector;
mod many_blocks;
mod output_schemas;
mod pinned_tools;
mod progress;
mod read_back;
mod real_servers;
mod relay_stdio;
mod reload;
mod same_bytes;
mod sessions;
mod store_elsewhere;
mod surfaces;

#[path = "../support/mod.rs"]
mod support;
