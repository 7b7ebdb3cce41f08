//! Tamis without room, killed, and with an empty cache.

mod cold_start;
mod full_disk;
mod killed;

#[path = "../support/mod.rs"]
mod support;
