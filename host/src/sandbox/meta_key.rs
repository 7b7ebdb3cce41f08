//! Which keys a filter may set in the `_meta` of a result.
//!
//! The protocol requires a prefix of labels, and reserves some prefixes: those whose second label is
//! `modelcontextprotocol` or `mcp` (2025-11-25), and, in earlier versions, those in which one of these stands
//! before the last label. A filter's key must not look like the protocol's own data, such as the task that a
//! result belongs to, so both rules apply.

/// Labels that the protocol reserves.
const RESERVED: [&str; 2] = ["modelcontextprotocol", "mcp"];

/// Why a filter may not set this key, in words for its author.
pub(super) fn fault(key: &str) -> Option<String> {
    let is_label = |label: &&str| {
        label.starts_with(|c: char| c.is_ascii_alphabetic())
            && label.ends_with(|c: char| c.is_ascii_alphanumeric())
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let (prefix, name) = key.split_once('/').unwrap_or_default();
    let labels: Vec<&str> = prefix.split('.').collect();
    if labels.len() < 2 || !labels.iter().all(is_label) || name.is_empty() {
        return Some(format!(
            "`{key}` is no key for `_meta`: it needs a reverse-DNS prefix, such as `com.example/count`"
        ));
    }
    let is_reserved = |label: &str| RESERVED.iter().any(|name| label.eq_ignore_ascii_case(name));
    if is_reserved(labels[1]) || is_reserved(labels[labels.len() - 2]) {
        return Some(format!(
            "`{key}` is a key of the protocol's own: MCP reserves every prefix whose second label is `modelcontextprotocol` or `mcp`, or in which one of these stands before the last label; use a name of your own, such as `com.example/count`"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn prefixes_of_the_protocol_are_reserved() {
        for own in [
            "com.example/count",
            "com.example.mcp/count",
            "dev.tamis/unannotated_nodes",
            "com.mcp-tools/x",
            "a.b.c/mcp",
        ] {
            assert_eq!(fault(own), None, "{own}");
        }
        for reserved in [
            "io.modelcontextprotocol/related-task",
            "modelcontextprotocol.io/x",
            "mcp.dev/x",
            "dev.mcp/x",
            "tools.mcp.com/x",
            "com.mcp.tools/x",
            "api.modelcontextprotocol.org/x",
            "org.modelcontextprotocol.api/x",
            "a.b.MCP.com/x",
            "IO.ModelContextProtocol/x",
        ] {
            let why = fault(reserved).unwrap_or_else(|| panic!("{reserved} is allowed"));
            assert!(why.contains("reserves"), "{why}");
        }
        for broken in [
            "count",
            "mcp/x",
            "com.example/",
            "com..x/y",
            "1com.example/x",
            "/x",
        ] {
            let why = fault(broken).unwrap_or_else(|| panic!("{broken} is allowed"));
            assert!(why.contains("reverse-DNS"), "{why}");
        }
    }
}
