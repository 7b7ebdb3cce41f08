//! The state of a connection that outlasts a policy: the client, the list that it was shown, its calls,
//! and the names of the read tool that it received.

use super::clients::Client;
use super::sessions::Sessions;
use super::tools::Tools;
use crate::lock::lock;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub(super) struct Lasting {
    client: Mutex<Option<Arc<Client>>>,
    pub(super) sessions: Sessions,
    pub(super) tools: Tools,
    /// Held while a message is redacted.
    pub(super) redacting: Mutex<()>,
    /// Names of the read tool. A model has them in its context, even if the tool has another name now.
    read_tools: Mutex<HashSet<String>>,
    /// Names of the read tool that a client was shown, in a list or in a note. They stay Tamis's: a server that
    /// later took such a name would learn which content the model wants to read.
    given_out: Mutex<HashSet<String>>,
}

impl Lasting {
    pub(super) fn client(&self) -> Option<Arc<Client>> {
        lock(&self.client).clone()
    }

    pub(super) fn note_client(&self, client: Client) {
        let mut known = lock(&self.client);
        if known.as_deref() != Some(&client) {
            *known = Some(Arc::new(client));
        }
    }

    /// Notes that originals may be named by this read tool from now on.
    pub(super) fn note_read_tool(&self, name: &str) {
        lock(&self.read_tools).insert(name.to_owned());
    }

    /// Whether any read tool may have named originals.
    pub(super) fn has_read_tool(&self) -> bool {
        !lock(&self.read_tools).is_empty()
    }

    /// Notes that the client sees this name of the read tool.
    pub(super) fn give_out(&self, name: &str) {
        let mut given_out = lock(&self.given_out);
        if !given_out.contains(name) {
            given_out.insert(name.to_owned());
        }
    }

    /// Whether a client was shown this name of the read tool.
    pub(super) fn is_given_out(&self, name: &str) -> bool {
        lock(&self.given_out).contains(name)
    }

    /// Whether the upstream had a tool of this name before Tamis gave the name out.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.tools.is_listed(name) && !self.is_given_out(name)
    }

    /// Whether this is Tamis's own tool: it may have named originals, and the name is not the upstream's.
    pub(super) fn is_read_tool(&self, name: &str) -> bool {
        lock(&self.read_tools).contains(name) && !self.is_taken(name)
    }
}
