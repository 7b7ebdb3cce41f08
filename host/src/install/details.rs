//! A server's entry in a configuration, except its command: variables, headers, the folder, whether it is on.
//!
//! `tamis install` leaves all of it unchanged. Commands need it that start a server as its client does.

/// The settings that a client has for a server. Values are unchanged: variables in them are not filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// Environment variables.
    pub env: Vec<(String, String)>,
    /// Headers of each request to a server that is somewhere else.
    pub headers: Vec<(String, String)>,
    /// The folder that it runs in.
    pub folder: Option<String>,
    /// The client does not use it.
    pub is_off: bool,
}

/// The keys under which clients have environment variables.
const ENV: [&str; 2] = ["env", "environment"];

/// The keys under which clients have headers.
const HEADERS: [&str; 2] = ["headers", "http_headers"];

impl Details {
    /// Reads them. `scalar`: a string, number or truth value under a key, as text; `table`: a table of such values.
    pub(super) fn read(
        scalar: impl Fn(&str) -> Option<String>,
        table: impl Fn(&str) -> Vec<(String, String)>,
    ) -> Details {
        let mut headers: Vec<(String, String)> =
            HEADERS.iter().flat_map(|key| table(key)).collect();
        // Codex names the variables of headers by themselves.
        let from_variable = |name: &str| format!("${{{name}}}");
        for (header, variable) in table("env_http_headers") {
            headers.push((header, from_variable(&variable)));
        }
        if let Some(variable) = scalar("bearer_token_env_var") {
            let value = format!("Bearer {}", from_variable(&variable));
            headers.push(("Authorization".to_owned(), value));
        }
        let is = |key: &str, value: &str| scalar(key).is_some_and(|found| found == value);
        Details {
            env: ENV.iter().flat_map(|key| table(key)).collect(),
            headers,
            folder: scalar("cwd"),
            is_off: is("disabled", "true") || is("enabled", "false"),
        }
    }

    /// These details, with those of a table inside of the server's.
    #[must_use]
    pub(super) fn with(mut self, inner: Details) -> Details {
        self.env.extend(inner.env);
        self.headers.extend(inner.headers);
        self.folder = inner.folder.or(self.folder);
        self.is_off |= inner.is_off;
        self
    }
}
