//! Makes upstreams and the check of callers from the policy.

use crate::cli::connect;
use crate::mcp::http::Upstream;
use crate::mcp::http::access::Access;
use crate::mcp::http::local::Local;
use crate::mcp::http::remote::{self, Remote};
use crate::mcp::observe::traces::Traces;
use crate::policy::{
    Finding, Policy, ReadToolListing, Report, Secret, ServeSpec, ServerSpec, Source, UpstreamSpec,
};
use crate::secrets;
use anyhow::{Context, Result, anyhow, bail};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;
use std::sync::Arc;
use tokio::runtime::Handle;

/// The servers, by name.
pub(super) fn servers(policy: &Policy) -> Result<Vec<(String, Upstream)>> {
    let path = policy.source.path().display();
    if policy.servers.is_empty() {
        bail!(
            "{path} contains no server: add one, for example\n\n  [server.docs]\n  url = \"https://mcp.example.com/mcp\"\n\nServers of a project's filters.toml take effect only if you name the file with --config."
        );
    }
    let client = remote::client().context("read the system's certificates")?;
    let mut servers = Vec::new();
    for server in &policy.servers {
        let name = &server.name;
        let upstream = match &server.upstream {
            UpstreamSpec::Http {
                url,
                headers,
                login,
            } => {
                let headers = header_map(&policy.source, server, headers)?;
                let at: Url = url
                    .parse()
                    .map_err(|error| anyhow!("[server.{name}]: {url} is not a URL: {error}"))?;
                // No user can be asked here: the proxy is for others.
                let login = login
                    .then(|| connect::login(&at, &headers, false))
                    .flatten();
                Upstream::Remote(Box::new(Remote::new(client.clone(), at, headers, login)))
            }
            UpstreamSpec::Command { words, env, ready } => {
                let command = words.iter().map(Into::into).collect();
                let env: Result<_> = env
                    .iter()
                    .map(|(name, value)| {
                        let key = format!("`{name}` in `env`");
                        Ok((name.clone(), value_of(&policy.source, server, &key, value)?))
                    })
                    .collect();
                Upstream::Local(Local::new(command, env?).with_ready(*ready))
            }
        };
        servers.push((name.clone(), upstream));
    }
    if policy.serve.read_tool == ReadToolListing::Once {
        // A server without tools: the relay in front of it lists the read tool, as it does for any server.
        let program = std::env::current_exe().context("find this program")?;
        let command = vec![program.into(), "mcp".into(), "--empty".into()];
        let name = ServeSpec::READ_TOOL_SERVER.to_owned();
        servers.push((name, Upstream::Local(Local::new(command, Vec::new()))));
    }
    Ok(servers)
}

fn header_map(
    source: &Source,
    server: &ServerSpec,
    headers: &[(String, Secret)],
) -> Result<HeaderMap> {
    let mut map = HeaderMap::new();
    let server_name = &server.name;
    for (name, value) in headers {
        let value = value_of(source, server, &format!("header `{name}`"), value)?;
        let name: HeaderName = name
            .parse()
            .with_context(|| format!("header `{name}` of [server.{server_name}]"))?;
        let mut value = HeaderValue::from_str(&value)
            .with_context(|| format!("header `{name}` of [server.{server_name}]"))?;
        value.set_sensitive(true);
        map.insert(name, value);
    }
    Ok(map)
}

/// A value in the table of a server. One that ends with a variable that is not set is an error at the
/// place where the file names it. `key`: where in the table it is.
fn value_of(source: &Source, server: &ServerSpec, key: &str, value: &Secret) -> Result<String> {
    let variable = match value.resolve() {
        Ok(value) => return Ok(value),
        Err(variable) => variable,
    };
    let named = format!("${{{variable}}}");
    let start = server.span.start;
    let rest = source.text().get(start..).unwrap_or_default();
    let span = rest.find(&named).map_or(server.span, |at| {
        (start + at..start + at + named.len()).into()
    });
    let message = format!("the environment variable {variable} is not set");
    let label = format!("{key} of [server.{}] needs it", server.name);
    let finding = Finding::error(span, message, label).help(format!(
        "set {variable} before Tamis starts, or write the value here"
    ));
    Err(Report::new(source.clone(), vec![finding]).into())
}

/// The check of callers.
pub(super) fn access(serve: &ServeSpec) -> Result<Access> {
    let mut tokens = Vec::new();
    for (client, token) in &serve.tokens {
        let token =
            resolve(token).with_context(|| format!("the token of `{client}` in [serve]"))?;
        if token.is_empty() {
            bail!("the token of `{client}` in [serve] is empty");
        }
        tokens.push((client.clone(), token));
    }
    let (hosts, origins) = (serve.hosts.clone(), serve.origins.clone());
    Ok(Access::new(hosts, origins, tokens))
}

/// The collector of spans, if the policy names one.
pub(super) fn traces(collector: Option<&str>, runtime: &Handle) -> Result<Option<Arc<Traces>>> {
    let Some(url) = collector else {
        return Ok(None);
    };
    let client = remote::client().context("read the system's certificates")?;
    let traces = Traces::to(url, client, runtime.clone());
    let traces = traces.with_context(|| format!("`traces` of [serve], {url}"))?;
    Ok(Some(Arc::new(traces)))
}

/// A text that may end with an environment variable, with its value.
pub(in crate::cli) fn expand(text: &str) -> Result<String> {
    let secret = Secret::parse(text);
    let secret = secret.ok_or_else(|| {
        anyhow!("allowed is a text of printable ASCII, which may end with ${{NAME}}")
    })?;
    secrets::note(secret.variable().map(str::to_owned));
    resolve(&secret)
}

fn resolve(secret: &Secret) -> Result<String> {
    let value = secret.resolve();
    value.map_err(|name| anyhow!("the environment variable {name} is not set"))
}
