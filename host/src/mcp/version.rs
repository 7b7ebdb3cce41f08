//! Versions of the protocol, and the protocol's errors.

/// The member with a request's version, from 2026-07-28 on.
pub(in crate::mcp) const OF_REQUEST: &str = "io.modelcontextprotocol/protocolVersion";

/// Versions in which a client begins a session.
pub(in crate::mcp) const WITH_SESSIONS: [&str; 4] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version in which every request stands alone.
pub(in crate::mcp) const WITHOUT_SESSIONS: &str = "2026-07-28";

/// JSON-RPC's own errors, and those of protocol 2026-07-28.
pub(in crate::mcp) const PARSE_ERROR: i64 = -32700;
pub(in crate::mcp) const INVALID_REQUEST: i64 = -32600;
pub(in crate::mcp) const METHOD_NOT_FOUND: i64 = -32601;
pub(in crate::mcp) const INVALID_PARAMS: i64 = -32602;
pub(in crate::mcp) const UNSUPPORTED_VERSION: i64 = -32022;
