//! `tamis connect`: a server that speaks HTTP, as one over standard input and output.

use super::serve;
use crate::login::Login;
use crate::mcp::http::connect::connect;
use crate::policy::Secret;
use crate::state::State;
use anyhow::{Context, Result, bail};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;
use std::ffi::OsString;
use std::process::ExitCode;
use tokio::runtime::Runtime;

/// Connects standard input and output to a server that speaks Streamable HTTP, without a policy.
///
/// `tamis run --url` does the same, and filters.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis connect https://mcp.example.com/mcp\n  tamis connect https://mcp.example.com/mcp --header 'Authorization: Bearer ${TOKEN}'"
)]
pub(super) struct Arguments {
    /// The URL of the server.
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    headers: HeaderArguments,
    /// Use a stored login, and do not ask for one.
    #[arg(long, hide = true)]
    no_login_page: bool,
}

#[derive(clap::Args, Clone, Default)]
pub(super) struct HeaderArguments {
    /// A header of every request: `Name: value`. The value may end with an environment variable,
    /// `${NAME}`, so that it does not appear in the list of processes. May be given several times.
    #[arg(long = "header", value_name = "HEADER")]
    headers: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let url = url(&arguments.url)?;
    let headers = arguments.headers.resolve()?;
    let login = login(&url, &headers, !arguments.no_login_page);
    let runtime = runtime()?;
    let done = runtime.block_on(connect(url, headers, login));
    // Nobody waits for streams that still listen.
    runtime.shutdown_background();
    done.map(|()| ExitCode::SUCCESS)
}

/// The login to use. None if a header identifies the caller, or no login can be stored. `may_ask`: the user is
/// here, and may be shown a page.
pub(super) fn login(url: &Url, headers: &HeaderMap, may_ask: bool) -> Option<Login> {
    if headers.contains_key(AUTHORIZATION) {
        return None;
    }
    let keeping = State::find().ok()?.logins();
    let keeping = keeping.inspect_err(|error| tracing::warn!("no login is used: {error:#}"));
    Login::new(keeping.ok()?, url.clone(), may_ask)
}

/// The threads that talk to a server.
pub(super) fn runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.context("start the threads that talk to the server")
}

impl HeaderArguments {
    /// Whether any header was given.
    pub(super) fn any(&self) -> bool {
        !self.headers.is_empty()
    }

    /// Each as a name and a value, whose variable is filled in.
    pub(super) fn pairs(&self) -> Result<Vec<(String, String)>> {
        let pair = |header: &String| {
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            let value = serve::expand(value.trim()).with_context(|| format!("--header {name}"))?;
            Ok((name.trim().to_owned(), value))
        };
        self.resolve()?;
        self.headers.iter().map(pair).collect()
    }

    pub(super) fn resolve(&self) -> Result<HeaderMap> {
        header_map("--header", &self.headers)
    }
}

/// The headers of an option, each `Name: value`, with the values of variables.
pub(super) fn header_map(option: &str, headers: &[String]) -> Result<HeaderMap> {
    let mut map = HeaderMap::new();
    for header in headers {
        let Some((name, value)) = header.split_once(':') else {
            bail!(
                "{option} {header:?} is not a header: for example {option} 'Authorization: Bearer ${{TOKEN}}'"
            );
        };
        let name = name.trim();
        let of = || format!("{option} {name}");
        let value = serve::expand(value.trim()).with_context(of)?;
        let name: HeaderName = name.parse().with_context(of)?;
        let mut value = HeaderValue::from_str(&value).with_context(of)?;
        value.set_sensitive(true);
        map.insert(name, value);
    }
    Ok(map)
}

/// A program, its arguments, and its environment variables added to those of Tamis that are no secret.
pub(super) type CommandAndEnv = (Vec<OsString>, Vec<(String, String)>);

/// The command that is the upstream of `tamis run --url`. It has the variables that the headers name.
pub(super) fn command(url: &str, headers: &HeaderArguments) -> Result<CommandAndEnv> {
    self::url(url)?;
    headers.resolve()?;
    let values = headers.headers.iter();
    let values = values.filter_map(|header| Some(header.split_once(':')?.1.trim()));
    let variables = values.filter_map(|value| {
        let name = Secret::parse(value)?.variable()?.to_owned();
        let value = std::env::var(&name).ok()?;
        Some((name, value))
    });
    let variables = variables.collect();
    let program = std::env::current_exe().context("find this program")?;
    let mut command = vec![program.into(), "connect".into(), url.into()];
    for header in &headers.headers {
        command.extend(["--header".into(), header.into()]);
    }
    Ok((command, variables))
}

/// The command that reaches a server by its URL for Tamis itself. Values of headers are no words of the command:
/// programs of others could read them there. `may_ask`: the user named the server, and may be shown a page to log in.
pub(super) fn command_to_ask(
    url: &str,
    headers: &[(String, String)],
    may_ask: bool,
) -> Result<CommandAndEnv> {
    self::url(url)?;
    let program = std::env::current_exe().context("find this program")?;
    let mut command: Vec<OsString> = vec![program.into(), "connect".into()];
    if !may_ask {
        command.push("--no-login-page".into());
    }
    let mut variables = Vec::new();
    for (index, (name, value)) in headers.iter().enumerate() {
        let variable = format!("TAMIS_HEADER_{index}");
        command.extend(["--header".into(), format!("{name}: ${{{variable}}}").into()]);
        variables.push((variable, value.clone()));
    }
    command.extend(["--".into(), url.into()]);
    Ok((command, variables))
}

/// The host of a URL: the server's name in logs.
pub(super) fn host(url: &str) -> Result<String> {
    Ok(self::url(url)?.host_str().unwrap_or_default().to_owned())
}

pub(super) fn url(text: &str) -> Result<Url> {
    let url: Url = text
        .parse()
        .with_context(|| format!("{text} is not a URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("{text} is not a URL of a server: https://…");
    }
    Ok(url)
}
