//! `[server.NAME]` and `[serve]`: the servers behind `tamis serve`, and who may connect.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use toml::de::DeValue;

use super::gate::named_tables;
use super::keys;
use super::names;
use super::raw::{self, Fields, Findings, Value};
use super::report::Finding;
use super::serve_limits::{self, ServeLimits};
use super::source::{Source, Span};
use super::state::{OF_OBJECT_STORES, StateSpec};

/// `[server.NAME]`: a server behind `tamis serve`, at `/NAME/mcp`.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Unique; lower case letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// How to reach it.
    pub upstream: UpstreamSpec,
    /// The name in the header.
    pub span: Span,
}

/// How to reach a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpstreamSpec {
    /// Over Streamable HTTP.
    Http {
        /// `http://` or `https://`, without user, password and fragment.
        url: String,
        /// Sent with every request: name and value.
        headers: Vec<(String, Secret)>,
        /// Clients reach it by the operator's own login (`tamis login`).
        login: bool,
    },
    /// Over standard input and output: a process for each session.
    Command {
        /// The program and its arguments; not empty.
        words: Vec<String>,
        /// Environment variables added to Tamis's own: name and value.
        env: Vec<(String, Secret)>,
        /// Processes that are started ahead of their sessions, at most [`MOST_READY`].
        ready: usize,
    },
}

/// Most processes of one server that wait for their sessions.
pub const MOST_READY: u64 = 8;

/// `[serve]`: who may connect to `tamis serve`, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServeSpec {
    /// `HOST:PORT` to listen on; none: the command line's, or [`ServeSpec::LISTEN`].
    pub listen: Option<String>,
    /// `HOST:PORT` of a listener for metrics and probes alone, without tokens; none: there is none.
    pub metrics: Option<String>,
    /// Accepted names in the `Host` header, in addition to those of the loopback interface.
    pub hosts: Vec<String>,
    /// Accepted values of the `Origin` header, in addition to those of the loopback interface.
    pub origins: Vec<String>,
    /// PEM files of the certificate chain and its key, for TLS; joined to the folder of filters.toml.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// URL of the OpenTelemetry collector for spans (OTLP over HTTP); none: no spans.
    pub traces: Option<String>,
    /// The server that lists the read tool.
    pub read_tool: ReadToolListing,
    /// Access tokens by client name. Empty: no token is required.
    pub tokens: Vec<(String, Secret)>,
    /// Limits of callers.
    pub limits: ServeLimits,
}

/// The servers behind `tamis serve` that list the read tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadToolListing {
    /// Each of them.
    #[default]
    Each,
    /// One server of Tamis's own, at `/tamis/mcp`, for the results of all servers. Clients need its URL as well.
    Once,
}

impl ReadToolListing {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, ReadToolListing); 2] = [
        ("each", ReadToolListing::Each),
        ("once", ReadToolListing::Once),
    ];
}

impl ServeSpec {
    /// The server that lists the read tool for all servers.
    pub const READ_TOOL_SERVER: &'static str = "tamis";

    /// The default address to listen on: for this machine alone.
    pub const LISTEN: &'static str = "127.0.0.1:8808";
}

/// A value that the file may leave out.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// A literal value in the file.
    Literal(String),
    /// The value of this environment variable, after the text `before`.
    Variable { before: String, name: String },
}

impl Secret {
    /// Parses `Bearer ${TOKEN}`: printable ASCII that may end with a variable. None: another form.
    pub fn parse(text: &str) -> Option<Secret> {
        if !text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
            return None;
        }
        let Some((before, rest)) = text.split_once("${") else {
            return (!text.is_empty()).then(|| Secret::Literal(text.to_owned()));
        };
        let name = rest.strip_suffix('}')?;
        let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_fit)).then(|| Secret::Variable {
            before: before.to_owned(),
            name: name.to_owned(),
        })
    }

    /// The environment variable that it names.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Secret::Literal(_) => None,
            Secret::Variable { name, .. } => Some(name),
        }
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// The name of the variable that is not set, or is not Unicode.
    pub fn resolve(&self) -> Result<String, String> {
        match self {
            Secret::Literal(value) => Ok(value.clone()),
            Secret::Variable { before, name } => match std::env::var(name) {
                Ok(value) => Ok(format!("{before}{value}")),
                Err(_) => Err(name.clone()),
            },
        }
    }
}

/// A literal is not shown: debug output ends up in logs.
impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Secret::Literal(_) => out.write_str("Literal(…)"),
            Secret::Variable { name, .. } => write!(out, "Variable({name})"),
        }
    }
}

/// The variables with the collector's credentials, by the OpenTelemetry specification.
const OF_COLLECTOR: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
];

/// The environment variables with secrets of Tamis or of one server: tokens of clients, headers, variables that
/// `env` names, the collector's credentials, and keys and credentials of the shared state. No program that Tamis
/// starts gets them.
pub(super) fn secret_variables(
    serve: &ServeSpec,
    state: &StateSpec,
    servers: &[ServerSpec],
) -> BTreeSet<String> {
    let of_servers = servers.iter().flat_map(|server| match &server.upstream {
        UpstreamSpec::Http { headers, .. } => headers,
        UpstreamSpec::Command { env, .. } => env,
    });
    let of_collector = OF_COLLECTOR.iter().filter(|_| serve.traces.is_some());
    let of_objects = OF_OBJECT_STORES
        .iter()
        .filter(|_| state.originals.is_some());
    serve
        .tokens
        .iter()
        .chain(of_servers)
        .map(|(_, secret)| secret)
        .chain(state.secrets())
        .filter_map(Secret::variable)
        .chain(of_collector.copied())
        .chain(of_objects.copied())
        .map(str::to_owned)
        .collect()
}

const SERVER_NAME: &str =
    "1 to 64 lower case letters, digits, `.`, `-` and `_`, beginning with a letter or digit";
const URL: &str = "a URL such as \"https://mcp.example.com/mcp\"";
const COLLECTOR: &str = "a URL such as \"http://127.0.0.1:4318\"";

/// Reads the tables under `server`.
pub(super) fn servers(
    value: &Value<'_>,
    source: &Source,
    findings: &mut Findings<'_>,
) -> Vec<ServerSpec> {
    let mut servers = Vec::new();
    for (name, span, fields) in named_tables(value, "server", "a server", findings) {
        fields.deny_unknown(&keys::SERVER.names(), findings);
        if !is_server_name(name) {
            let message = format!("{} cannot be part of a URL", names::quote(name));
            let label = format!("allowed: {SERVER_NAME}");
            findings.push(Finding::error(span, message, label));
        }
        let headers = fields
            .get("headers")
            .map(|value| headers(value, findings))
            .unwrap_or_default();
        let login = fields
            .get("login")
            .and_then(|value| findings.boolean(value, "`login`"))
            .unwrap_or(false);
        let upstream = match (fields.get("url"), fields.get("command")) {
            (Some(_), Some(command)) => {
                let message = "a server takes either `url` or `command`, not both";
                let label = "this one has both";
                findings.push(Finding::error(Span::from(command.span()), message, label));
                None
            }
            (Some(value), None) => {
                if let Some(env) = fields.get("env") {
                    let message = "`env` requires `command`";
                    let label = "Tamis starts no program here";
                    findings.push(Finding::error(Span::from(env.span()), message, label));
                }
                if let Some(ready) = fields.get("ready") {
                    let message = "`ready` requires `command`";
                    let label = "Tamis starts no program here";
                    findings.push(Finding::error(Span::from(ready.span()), message, label));
                }
                url(value, "`url`", URL, findings).map(|url| UpstreamSpec::Http {
                    url,
                    headers,
                    login,
                })
            }
            (None, Some(value)) => {
                if let Some(headers) = fields.get("headers") {
                    let message = "`headers` requires `url`";
                    let label = "Tamis sends no headers to a program";
                    findings.push(Finding::error(Span::from(headers.span()), message, label));
                }
                let env = fields.get("env").map(|value| env(value, findings));
                let ready = fields
                    .get("ready")
                    .and_then(|value| findings.count(value, "ready", MOST_READY));
                command(value, source, findings).map(|words| UpstreamSpec::Command {
                    words,
                    env: env.unwrap_or_default(),
                    ready: ready.unwrap_or_default(),
                })
            }
            (None, None) => {
                fields.require("url", keys::SERVER.example("url"), findings);
                None
            }
        };
        servers.extend(upstream.map(|upstream| ServerSpec {
            name: name.to_owned(),
            upstream,
            span,
        }));
    }
    servers
}

/// Reads the table `serve`.
pub(super) fn serve(value: &Value<'_>, source: &Source, findings: &mut Findings<'_>) -> ServeSpec {
    let mut serve = ServeSpec::default();
    let Some(fields) = findings.table(value, "the server", "a table [serve]") else {
        return serve;
    };
    fields.deny_unknown(&keys::SERVE.names(), findings);
    serve.listen = address(&fields, "listen", "127.0.0.1:8808", findings);
    serve.metrics = address(&fields, "metrics", "0.0.0.0:9090", findings);
    if let Some(value) = fields.get("hosts") {
        let expected = "a host's name, without a port, such as \"tamis.example.com\"";
        let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '*', ' ', '@']);
        serve.hosts = texts(value, "`hosts`", expected, is_host, findings);
    }
    if let Some(value) = fields.get("origins") {
        let expected = "an origin such as \"https://app.example.com\"";
        serve.origins = texts(value, "`origins`", expected, is_origin, findings);
    }
    let file = |key: &str, findings: &mut Findings<'_>| {
        let (path, _) = findings.string(fields.get(key)?, &format!("`{key}`"), "a path")?;
        Some(source.resolve(path))
    };
    match (file("certificate", findings), file("key", findings)) {
        (Some(certificate), Some(key)) => serve.tls = Some((certificate, key)),
        (None, None) => {}
        (certificate, _) => {
            let missing = if certificate.is_some() {
                "key"
            } else {
                "certificate"
            };
            fields.require(missing, keys::SERVE.example(missing), findings);
        }
    }
    if let Some(value) = fields.get("traces") {
        serve.traces = url(value, "`traces`", COLLECTOR, findings);
    }
    if let Some(value) = fields.get("read-tool") {
        let all = &ReadToolListing::ALL;
        serve.read_tool = findings
            .choice(value, "read-tool", "each or once", all)
            .unwrap_or_default();
    }
    if let Some(value) = fields.get("tokens") {
        serve.tokens = tokens(value, findings);
    }
    if let Some(value) = fields.get("limits") {
        serve.limits = serve_limits::read(value, findings);
    }
    serve
}

/// The server that lists the read tool for all has a name of its own.
pub(super) fn check_read_tool_server(
    serve: &ServeSpec,
    servers: &[ServerSpec],
    findings: &mut Findings<'_>,
) {
    let own = ServeSpec::READ_TOOL_SERVER;
    let taken = servers.iter().find(|server| server.name == own);
    if serve.read_tool == ReadToolListing::Once
        && let Some(server) = taken
    {
        let message =
            format!("the name `{own}` is reserved for the server that lists the read tool");
        let label = "allowed: another name, or `read-tool = \"each\"` in [serve]";
        findings.push(Finding::error(server.span, message, label));
    }
}

fn is_server_name(name: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=64).contains(&name.len())
        && name.starts_with(is_fit)
        && name.chars().all(|c| is_fit(c) || ".-_".contains(c))
}

/// An address to listen on.
fn address(
    fields: &Fields<'_>,
    key: &str,
    example: &str,
    findings: &mut Findings<'_>,
) -> Option<String> {
    let expected = format!("an address such as \"{example}\"");
    let value = fields.get(key)?;
    let (address, span) = findings.string(value, &format!("`{key}`"), &expected)?;
    if is_address(address) {
        return Some(address.to_owned());
    }
    let message = format!("{} is not an address to listen on", names::quote(address));
    findings.push(Finding::error(
        span,
        message,
        format!("allowed: {expected}"),
    ));
    None
}

fn is_address(address: &str) -> bool {
    let Some((host, port)) = address.rsplit_once(':') else {
        return false;
    };
    !host.is_empty() && port.parse::<u16>().is_ok() && !host.contains(['/', ' '])
}

fn is_origin(origin: &str) -> bool {
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*', ' ']))
}

fn url(
    value: &Value<'_>,
    what: &str,
    expected: &str,
    findings: &mut Findings<'_>,
) -> Option<String> {
    let (text, span) = findings.string(value, what, expected)?;
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let is_fit = |rest: &&str| {
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        !host.is_empty()
            && !host.contains('@')
            && !text.contains('#')
            && text.chars().all(|c| c.is_ascii_graphic())
    };
    if rest.filter(is_fit).is_none() {
        let message = format!("{} is not a valid URL for {what}", names::quote(text));
        let finding = Finding::error(span, message, format!("allowed: {expected}"));
        let help = if expected == URL {
            "do not put credentials into a URL; use headers = { authorization = \"Bearer ${TOKEN}\" }"
        } else {
            "do not put credentials into a URL; set the environment variable OTEL_EXPORTER_OTLP_HEADERS"
        };
        findings.push(finding.help(help));
        return None;
    }
    Some(text.to_owned())
}

fn command(value: &Value<'_>, source: &Source, findings: &mut Findings<'_>) -> Option<Vec<String>> {
    let expected = "a list such as [\"npx\", \"-y\", \"some-server\"]";
    let mut words = Vec::new();
    for item in findings.filled_list(value, "`command`", expected) {
        let (word, _) = findings.string(item, "a part of `command`", "a text")?;
        words.push(word.to_owned());
    }
    // As everywhere in the file, a path is relative to it.
    if let Some(program) = words.first_mut()
        && program.starts_with('.')
        && program.contains('/')
    {
        *program = source.resolve(program).display().to_string();
    }
    (!words.is_empty()).then_some(words)
}

fn headers(value: &Value<'_>, findings: &mut Findings<'_>) -> Vec<(String, Secret)> {
    let is_name = |name: &str| {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        !name.is_empty() && name.chars().all(is_fit)
    };
    let expected = "a table such as { authorization = \"Bearer ${TOKEN}\" }";
    secrets(value, "`headers`", expected, is_name, findings)
}

fn env(value: &Value<'_>, findings: &mut Findings<'_>) -> Vec<(String, Secret)> {
    let is_name = |name: &str| {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.chars().all(is_fit) && name.starts_with(|c: char| !c.is_ascii_digit())
    };
    let expected = "a table such as { API_KEY = \"${API_KEY}\" }";
    secrets(value, "`env`", expected, is_name, findings)
}

fn tokens(value: &Value<'_>, findings: &mut Findings<'_>) -> Vec<(String, Secret)> {
    let expected = "a table such as { alice = \"${TAMIS_TOKEN_ALICE}\" }";
    let is_name = |name: &str| !name.is_empty() && name.len() <= 64;
    let tokens = secrets(value, "`tokens`", expected, is_name, findings);
    let literal = |(_, secret): &(String, Secret)| matches!(secret, Secret::Literal(_));
    if tokens.iter().any(literal) {
        let message = "the file contains an access token";
        let label = "everyone who can read the file can read it";
        let finding = Finding::error(Span::from(value.span()), message, label);
        findings.push(finding.help(
            "name an environment variable that contains it: alice = \"${TAMIS_TOKEN_ALICE}\"",
        ));
    }
    tokens
}

fn secrets(
    value: &Value<'_>,
    what: &str,
    expected: &str,
    is_name: impl Fn(&str) -> bool,
    findings: &mut Findings<'_>,
) -> Vec<(String, Secret)> {
    let DeValue::Table(table) = value.get_ref() else {
        findings.wrong_type(value, what, expected, None);
        return Vec::new();
    };
    let mut secrets = Vec::new();
    for entry in raw::entries(table) {
        if !is_name(entry.key) {
            let message = format!("{} is not a valid name for {what}", names::quote(entry.key));
            let label = format!("allowed: {expected}");
            findings.push(Finding::error(entry.key_span, message, label));
            continue;
        }
        let Some((text, span)) = findings.string(entry.value, "a value", "a text") else {
            continue;
        };
        match Secret::parse(text) {
            Some(secret) => secrets.push((entry.key.to_owned(), secret)),
            None => {
                let message = "invalid reference to an environment variable";
                let label = "allowed: printable ASCII, which may end with ${NAME}";
                findings.push(Finding::error(span, message, label));
            }
        }
    }
    secrets
}

fn texts(
    value: &Value<'_>,
    what: &str,
    expected: &str,
    is_fit: impl Fn(&str) -> bool,
    findings: &mut Findings<'_>,
) -> Vec<String> {
    let mut texts = Vec::new();
    for item in findings.filled_list(value, what, &format!("a list with {expected}")) {
        let Some((text, span)) = findings.string(item, what, expected) else {
            continue;
        };
        if is_fit(text) {
            texts.push(text.to_ascii_lowercase());
        } else {
            let message = format!("{} is not a valid value for {what}", names::quote(text));
            findings.push(Finding::error(
                span,
                message,
                format!("allowed: {expected}"),
            ));
        }
    }
    texts
}
