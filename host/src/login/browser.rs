//! Showing a page to the user, and hearing where the page sends the browser in the end.

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, StatusCode, Uri};
use axum::routing::get;
use reqwest::Url;
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::printable;
use crate::secrets;
use crate::system::Platform;

/// Names the program that shows pages.
pub(super) const VARIABLE: &str = "BROWSER";

/// The path that the browser is sent to in the end.
const PATH: &str = "/callback";

/// Long enough to find a second factor; then the waiting side gets an error.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// The time for the browser to get the last page.
const LAST_PAGE: Duration = Duration::from_secs(2);

/// The values in the authorization server's redirect of the browser.
pub(super) struct Callback {
    pub(super) code: String,
    pub(super) issuer: Option<String>,
}

/// The local server that waits for the browser.
pub(super) struct Door {
    listener: TcpListener,
    port: u16,
}

impl Door {
    /// Opens the server at `port` if that is free; at any other if it need not be that one.
    pub(super) async fn open(port: Option<u16>, must_be: bool) -> Result<Door> {
        let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener = match port {
            Some(port) if must_be => {
                let bound = bind(port).await;
                bound.with_context(|| format!("wait for the browser at port {port}"))?
            }
            Some(port) if let Ok(listener) = bind(port).await => listener,
            _ => bind(0).await.context("wait for the browser")?,
        };
        let port = listener
            .local_addr()
            .context("wait for the browser")?
            .port();
        Ok(Door { listener, port })
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the browser. Who comes with another `state` is not from the page that was shown.
    pub(super) async fn wait(self, state: &str) -> Result<Callback> {
        let (found, mut finding) = mpsc::channel(1);
        let state = state.to_owned();
        let page = move |uri: Uri| {
            let heard = hear(&uri, &state);
            let found = found.clone();
            async move {
                let (status, message) = match &heard {
                    None => (StatusCode::BAD_REQUEST, "This is not the expected login."),
                    Some(Ok(_)) => (StatusCode::OK, "Done. You can close this page."),
                    Some(Err(_)) => (
                        StatusCode::OK,
                        "The login was refused. You can close this page.",
                    ),
                };
                if let Some(heard) = heard {
                    let _ = found.try_send(heard);
                }
                // The address has the code in it: it is not to be passed on.
                let headers = [
                    (CONTENT_TYPE, "text/plain; charset=utf-8"),
                    (CACHE_CONTROL, "no-store"),
                    (HeaderName::from_static("referrer-policy"), "no-referrer"),
                ];
                (status, headers, format!("Tamis: {message}\n"))
            }
        };
        let router = Router::new().route(PATH, get(page));
        let (close, closed) = tokio::sync::oneshot::channel::<()>();
        let server = axum::serve(self.listener, router).with_graceful_shutdown(async {
            let _ = closed.await;
        });
        let server = tokio::spawn(server.into_future());
        let heard = tokio::time::timeout(PATIENCE, finding.recv()).await;
        let _ = close.send(());
        let stop = server.abort_handle();
        let _ = tokio::time::timeout(LAST_PAGE, server).await;
        stop.abort();
        match heard {
            Ok(Some(heard)) => heard,
            Ok(None) => bail!("the login ended before the browser returned"),
            Err(_) => bail!("no login within {} minutes", PATIENCE.as_secs() / 60),
        }
    }
}

/// The callback in a browser's request; none: the request is not from the page that was shown.
fn hear(uri: &Uri, state: &str) -> Option<Result<Callback>> {
    let url = Url::parse(&format!("http://127.0.0.1{uri}")).ok()?;
    let parameter = |name: &str| {
        let mut pairs = url.query_pairs();
        pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
    };
    if parameter("state").as_deref() != Some(state) {
        return None;
    }
    let issuer = parameter("iss");
    if let Some(code) = parameter("code") {
        return Some(Ok(Callback { code, issuer }));
    }
    let error = parameter("error").unwrap_or_else(|| "it says nothing".to_owned());
    let why = parameter("error_description").map_or_else(String::new, |why| format!(": {why}"));
    let line: String = format!("{error}{why}").chars().take(300).collect();
    Some(Err(anyhow::anyhow!(
        "the authorization server refused: {}",
        printable::line(&line)
    )))
}

/// Shows a page, if a program for it exists.
pub(super) fn show(page: &Url) {
    let mut command = command(page);
    secrets::remove_from(&mut command);
    // Standard output may be the protocol's.
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.spawn() {
        // It may stay as long as the browser does.
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => tracing::info!("no browser was opened: {error}"),
    }
}

/// `BROWSER` as other programs read it: the first of several (`:`, on Windows `;`), with the page in the place of `%s`.
fn command(page: &Url) -> Command {
    let named = std::env::var(VARIABLE).unwrap_or_default();
    let system = Platform::here();
    let mut programs = named.split(system.list_separator());
    let first = programs.find(|word| !word.trim().is_empty());
    let mut words = first.unwrap_or_default().split_whitespace();
    let Some(program) = words.next() else {
        let [program, first @ ..] = system.opener() else {
            return Command::new(page.as_str());
        };
        let mut command = Command::new(program);
        command.args(first).arg(page.as_str());
        return command;
    };
    let mut command = Command::new(program);
    let mut has_place = false;
    for word in words {
        has_place |= word.contains("%s");
        command.arg(word.replace("%s", page.as_str()));
    }
    if !has_place {
        command.arg(page.as_str());
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_that_was_shown_is_believed() {
        let heard = |query: &str| {
            let uri: Uri = format!("/callback?{query}").parse().expect("a URI");
            let heard = hear(&uri, "s");
            heard.map(|heard| match heard {
                Ok(callback) => format!("{} {:?}", callback.code, callback.issuer),
                Err(error) => error.to_string(),
            })
        };
        assert_eq!(heard("code=c"), None);
        assert_eq!(heard("code=c&state=t"), None);
        assert_eq!(heard("error=access_denied"), None);
        assert_eq!(heard("code=c&state=s").as_deref(), Some("c None"));
        assert_eq!(
            heard("code=c&state=s&iss=https%3A%2F%2Fa").as_deref(),
            Some("c Some(\"https://a\")")
        );
        assert_eq!(
            heard("error=access_denied&error_description=no%1B%5B1m&state=s").as_deref(),
            Some("the authorization server refused: access_denied: no\\u{1b}[1m")
        );
    }
}
