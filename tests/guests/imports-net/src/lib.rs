//! `imports-net`: tries to open a connection.

use serde::Deserialize;
use std::net::TcpStream;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Host and port.
    address: String,
}

struct ImportsNet(Settings);

impl Filter for ImportsNet {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("imports-net", "0.1.0", "opens a connection")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(ImportsNet(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        TcpStream::connect(&self.0.address).map_err(|error| error.to_string())?;
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(ImportsNet);
