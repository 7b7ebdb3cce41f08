//! The relay over Streamable HTTP: one process in front of many servers, each at `/NAME/mcp`.
//!
//! Owns: which request belongs to which server and connection, who may come in, and what goes on of a
//! request and of its answer. Refuses to know: filters, TOML, and what the frames mean (that is `relay`).
//!
//! ```text
//! listen ──▶ hub ──▶ server ──▶ exchange, connections ──▶ remote ──▶ upstream
//!             │         ▲                                    │
//!     access, bodies    └── turns ◀── answer, stream ◀───────┤
//!                                                            └──▶ process (local)
//! ```
//!
//! Only POST, GET and DELETE reach a server, with credentials that Tamis asks for checked; the rest it answers itself.
//!
//! Where a client goes, its exchange goes, and with it the request to the upstream: nothing is read for nobody.

pub mod access;
mod answer;
mod bodies;
mod body_kind;
mod browsers;
pub mod connect;
mod connections;
mod events;
mod exchange;
mod headers;
mod hub;
pub mod listen;
pub mod local;
mod mirror;
mod process;
pub mod remote;
mod reply;
mod request;
mod room;
mod server;
mod stream;
mod turns;
pub(in crate::mcp) mod version;

pub use events::read_all as sse_events;
pub use hub::{Hub, MetricsText, Upstream};
pub use server::Connect;
