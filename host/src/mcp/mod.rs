//! The protocol side: frames, the relay between a client and one upstream, and stdio.
//!
//! The relay is raw. It does not decode messages into typed values and encode them again, since that loses
//! unknown members, changes the spelling of numbers and reorders keys. A frame stays the bytes that arrived. If
//! a policy must change one value of a frame, the relay replaces that value's bytes, and all others stay.
//!
//! Refuses to know: wasmtime, TOML, what a filter is. Policy comes in through [`relay::Rewrite`].

mod child;
pub mod clients;
#[cfg(feature = "http")]
mod counting;
pub mod doubt;
pub mod frame;
pub mod gate;
#[cfg(feature = "http")]
pub mod http;
mod in_force;
mod input_schema;
pub mod inquiry;
mod job;
mod lasting;
mod lines;
mod listing;
mod loading;
mod notices;
pub mod observe;
mod pending;
pub mod read_server;
pub mod read_tool;
pub mod relay;
mod resource;
mod rewrite;
pub mod rewriter;
mod same;
mod sessions;
pub mod shape;
pub mod shown;
pub mod stdio;
mod supervisor;
mod tools;
mod unmatched;
mod version;
mod withheld;

pub use lines::lines_of_stream;
