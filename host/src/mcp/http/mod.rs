//! The relay over Streamable HTTP: one process in front of many servers, each at `/NAME/mcp`.
//!
//! Owns: which request belongs to which server and connection, who may connect, and which parts of a request and
//! of its answer are forwarded. Refuses to know: filters, TOML, and the meaning of frames (that is `relay`).
//!
//! ```text
//! listen ──▶ hub ──▶ server ──▶ exchange, connections ──▶ remote ──▶ upstream
//!             │         ▲                                    │
//!     access, bodies    └── turns ◀── answer, stream ◀───────┤
//!                                                            └──▶ process (local)
//! ```
//!
//! Only POST, GET and DELETE reach a server, after Tamis has checked the credentials that it requires. Tamis answers
//! all other requests itself.
//!
//! When a client leaves, its exchange ends, and with it the request to the upstream: nothing is read without a reader.

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
mod sealed_session;
mod server;
mod stream;
mod turns;
mod unread;
mod version;

pub use events::read_all as sse_events;
pub use hub::{Hub, MetricsText, Upstream};
pub use sealed_session::SessionSeal;
pub use server::{Connect, Sharing};
