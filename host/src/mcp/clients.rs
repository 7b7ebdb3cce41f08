//! The client of a connection, and its entry in the table of clients.

use crate::json;
use crate::policy::{ClientSpec, Policy, Source};
use std::sync::LazyLock;

/// Member of a request that names the client, without a handshake (protocol 2026-07-28).
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Longest name and version of a client, in bytes; of a longer one, the beginning counts.
const NAME_BYTES: usize = 256;

static KNOWN: LazyLock<Vec<ClientSpec>> = LazyLock::new(|| {
    let policy = Source::new("clients.toml", include_str!("clients.toml"))
        .and_then(|source| Policy::parse(source, &[]));
    match policy {
        Ok(policy) => policy.clients,
        Err(report) => panic!("the table of clients is part of Tamis: {report}"),
    }
});

/// A client, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Client {
    pub name: String,
    pub version: String,
}

impl Client {
    /// The client that a request names: in `clientInfo` (of `initialize`) or in `_meta`, both raw JSON.
    pub fn named_in(info: Option<&[u8]>, meta: Option<&[u8]>) -> Option<Client> {
        if let Some(info) = info {
            return Client::read(info);
        }
        let meta = meta?;
        let [info] = json::members(meta, [CLIENT_INFO]);
        Client::read(&meta[info?])
    }

    fn read(info: &[u8]) -> Option<Client> {
        let [name, version] = json::members(info, ["name", "version"]);
        // The text stays in memory as long as the connection lasts.
        let text = |span: Option<json::Span>| {
            let text = json::text(&info[span?])?;
            Some(text[..text.floor_char_boundary(NAME_BYTES)].to_owned())
        };
        Some(Client {
            name: text(name)?,
            version: text(version).unwrap_or_default(),
        })
    }

    /// The specification of this client; `own` tables come first.
    pub fn spec<'a>(&self, own: &'a [ClientSpec]) -> Option<&'a ClientSpec> {
        let name = self.name.to_lowercase();
        known(own).find(|spec| spec.name.matches(&name))
    }
}

/// All clients with a specification: the first that fits counts, and `own` tables come first.
pub fn known(own: &[ClientSpec]) -> impl Iterator<Item = &ClientSpec> {
    own.iter().chain(KNOWN.iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Sees;

    #[test]
    fn a_client_names_itself_in_the_handshake_or_in_every_request() {
        let info = br#"{"version":"2.1.121","name":"claude-code"}"#;
        let meta = br#"{"io.modelcontextprotocol/clientInfo":{"name":"Visual Studio Code","version":"1"}}"#;
        let claude = Client::named_in(Some(info), None).expect("it is named");
        assert_eq!(
            (&*claude.name, &*claude.version),
            ("claude-code", "2.1.121")
        );
        let code = Client::named_in(None, Some(meta)).expect("it is named");
        assert_eq!(code.spec(&[]).expect("it is known").sees, Sees::Structured);
        assert_eq!(Client::named_in(None, Some(b"{}")), None);
        assert!(
            Client {
                name: "nobody".into(),
                ..Client::default()
            }
            .spec(&[])
            .is_none()
        );
    }

    #[test]
    fn the_operators_table_comes_first() {
        let text = "[[client]]\nname = \"Claude-Code*\"\nsees = \"content\"\n";
        let policy =
            Source::new("filters.toml", text).and_then(|source| Policy::parse(source, &[]));
        let policy = policy.unwrap_or_else(|report| panic!("{report}"));
        let client = Client {
            name: "claude-code".into(),
            ..Client::default()
        };
        assert_eq!(
            client.spec(&policy.clients).expect("known").sees,
            Sees::Content
        );
    }
}
