//! `tamis login` and `tamis logout`: the tokens that `tamis connect` and `tamis run --url` send.

use super::connect::{self, HeaderArguments};
use super::output;
use super::serve;
use crate::login::{self, LoginStore, StoredLogin, Wish};
use crate::mcp::http::remote;
use crate::printable;
use crate::state::State;
use anyhow::{Context, Result, anyhow, bail};
use axum::http::header::AUTHORIZATION;
use serde_json::json;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Logs in to an HTTP server that requires it (OAuth).
///
/// Opens the page of the server's authorization server in a browser (the program in BROWSER, else
/// xdg-open or open), waits until the browser returns to a port of this machine, and stores the token
/// in a file that only you can read. `tamis run --url` and `tamis connect` send the token only to that
/// URL, and renew it.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tamis login https://mcp.example.com/mcp\n  tamis login https://mcp.example.com/mcp --client-id my-app --client-secret '${SECRET}' --port 8976\n  tamis login --list\n  tamis logout https://mcp.example.com/mcp"
)]
pub(super) struct Arguments {
    /// The URL of the server.
    #[arg(value_name = "URL", required_unless_present = "list")]
    url: Option<String>,
    #[command(flatten)]
    headers: HeaderArguments,
    /// The client id from the authorization server, or the https URL of a client's description.
    /// Default: Tamis registers itself.
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// The secret of the client id. It may end with an environment variable, `${NAME}`.
    #[arg(long, value_name = "SECRET", requires = "client_id")]
    client_secret: Option<String>,
    /// A scope of the token. May be given several times. Default: the scopes that the server asks for.
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// The port that the browser returns to, if the authorization server allows only one redirect
    /// address for the client id: http://127.0.0.1:PORT/callback. Default: any free port.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Open no browser; only print the address of the login page.
    #[arg(long)]
    no_browser: bool,
    /// Print the servers that you are logged in to.
    #[arg(long, conflicts_with_all = ["url", "headers", "client_id", "scopes", "port", "no_browser"])]
    list: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Deletes the token of a server. Does not notify the server.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tamis logout https://mcp.example.com/mcp")]
pub(super) struct LogoutArguments {
    /// The URL of the server, as you passed it to `tamis login`.
    #[arg(value_name = "URL")]
    url: String,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let keeping = keeping()?;
    let Some(url) = &arguments.url else {
        let all = keeping.list()?;
        let all: Vec<&StoredLogin> = all.iter().collect();
        return print(&all, arguments.json, "You are logged in to no server.\n");
    };
    let url = connect::url(url)?;
    login::check(&url)?;
    let headers = arguments.headers.resolve()?;
    if headers.contains_key(AUTHORIZATION) {
        bail!("a token in --header replaces a login: leave it out");
    }
    let secret = arguments.client_secret.as_deref().map(serve::expand);
    let secret = secret.transpose().context("--client-secret")?;
    let client = arguments.client_id.clone().map(|id| (id, secret));
    let runtime = connect::runtime()?;
    let kept = runtime.block_on(async {
        let asked = login::ask(&remote::client()?, &url, headers).await;
        let refusal = asked.map_err(|error| {
            let why = crate::causes::root_cause(&error);
            anyhow!("{url} cannot be reached: {why}")
        })?;
        if refusal.is_none() {
            tracing::info!("the server requires no login; some of its tools may");
        }
        let wish = Wish {
            challenge: refusal.and_then(|refusal| refusal.challenge),
            scopes: arguments.scopes.clone(),
            widens: false,
            client,
            port: arguments.port,
            is_quiet: arguments.no_browser,
        };
        login::log_in(&keeping, &url, &wish).await
    });
    runtime.shutdown_background();
    print(&[&kept?], arguments.json, "")
}

pub(super) fn log_out(arguments: &LogoutArguments) -> Result<ExitCode> {
    let url = connect::url(&arguments.url)?;
    if keeping()?.remove(&url)? {
        output::print(&format!("logged out of {url}\n"))?;
    } else {
        output::tell(format_args!("tamis: you were not logged in to {url}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn keeping() -> Result<LoginStore> {
    State::find()?.logins()
}

/// Prints the stored logins, without their secrets.
fn print(all: &[&StoredLogin], as_json: bool, none: &str) -> Result<ExitCode> {
    let mut text = String::new();
    let mut listed = Vec::new();
    for kept in all {
        let scopes = printable::line(&kept.scopes.join(" "));
        let scopes = match scopes.as_str() {
            "" => String::new(),
            scopes => format!(" ({scopes})"),
        };
        let _ = writeln!(text, "logged in to {}{scopes}, {}", kept.url, until(kept));
        listed.push(json!({
            "url": kept.url,
            "issuer": kept.issuer,
            "client_id": kept.client.id,
            "scopes": kept.scopes,
            "expires_at": kept.expires_at,
            "renews": kept.renews(),
        }));
    }
    match (as_json, text.is_empty()) {
        (true, _) => output::print_json(&format!("{:#}\n", json!(listed)))?,
        (false, true) => output::print(none)?,
        (false, false) => output::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn until(kept: &StoredLogin) -> String {
    let Some(end) = kept.expires_at else {
        return "until the server revokes it".to_owned();
    };
    let end = UNIX_EPOCH + Duration::from_secs(end);
    let left = end.duration_since(SystemTime::now()).unwrap_or_default();
    let minutes = left.as_secs().div_ceil(60);
    let left = match minutes {
        0 => "the token has expired".to_owned(),
        1..120 => format!("for {minutes} min"),
        120..2880 => format!("for {} h", minutes / 60),
        _ => format!("for {} days", minutes / 1440),
    };
    match kept.renews() {
        true => format!("{left}, renewed automatically"),
        false => left,
    }
}
