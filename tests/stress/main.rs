//! What Tamis does under load, without room, killed, and cold.

mod cold_start;
mod full_disk;
mod killed;
mod serve_load;

#[path = "../support/mod.rs"]
mod support;
