//! What Tamis does without room, killed, and cold.

mod cold_start;
mod full_disk;
mod killed;

#[path = "../support/mod.rs"]
mod support;
