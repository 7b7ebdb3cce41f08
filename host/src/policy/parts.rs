//! A policy as tables of keys and values, for people to judge and for comparing.
//!
//! The list is complete by construction: this file destructures every checked type without `..`, so the
//! compiler reports a forgotten key. `tamis trust` and the report of a reload both use this list. A default
//! value has no pair.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::case::{Expectations, Given, TestSpec};
use super::client::{ClientCap, ClientSpec, ToolList};
use super::defaults::{LIMITS, SERVE_LIMITS, Unit};
use super::gate::{Need, ProfileSpec, ToolSpec};
use super::limits::Limits;
use super::lock::{Lock, LockedPlugin, short};
use super::pattern::ToolPattern;
use super::read_tool::ReadTool;
use super::record::RecordSpec;
use super::serve::{ReadToolListing, Secret, ServeSpec, ServerSpec, UpstreamSpec};
use super::session::{SessionKey, SessionSpec};
use super::state::{KeyPlace, Placed, StateSpec};
use super::surface::{Binding, Surface};
use super::{
    Audience, Blocks, Capability, ChainSpec, FilterRef, Grants, Guard, InputSchema, KeySpec,
    OnError, PinTools, PluginPlace, PluginSpec, Policy, SignedBy, StepSpec, Structured,
};
use crate::hex;

/// The kind of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// `[server.NAME]`
    Server,
    /// `[serve]`
    Serve,
    /// `[state]`
    State,
    /// `[[plugin]]`
    Plugin,
    /// `[[chain]]`
    Chain,
    /// `[tool.NAME]`
    Tool,
    /// `[profile.NAME]`
    Profile,
    /// `[session]`
    Session,
    /// `[record]`
    Record,
    /// `[read-tool]`
    ReadTool,
    /// `[[client]]`
    Client,
    /// `[[test]]`
    Test,
    /// `[tests]`
    Tests,
    /// A plugin in the lock file.
    Locked,
}

/// A table of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The kind of the table.
    pub kind: PartKind,
    /// The name, unique among tables of this kind; empty if the kind has at most one table.
    pub name: String,
    /// Keys, each once, with values as spelled in filters.toml, in an order independent of the file's.
    pub pairs: Vec<(String, String)>,
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In quotes where it could be taken for something else.
        let name = bare(&self.name);
        match self.kind {
            PartKind::Server => write!(out, "[server.{name}]"),
            PartKind::Serve => write!(out, "[serve]"),
            PartKind::State => write!(out, "[state]"),
            PartKind::Plugin => write!(out, "[[plugin]] {name}"),
            PartKind::Chain => write!(out, "[[chain]] {name}"),
            PartKind::Tool => write!(out, "[tool.{name}]"),
            PartKind::Profile => write!(out, "[profile.{name}]"),
            PartKind::Session => write!(out, "[session]"),
            PartKind::Record => write!(out, "[record]"),
            PartKind::ReadTool => write!(out, "[read-tool]"),
            PartKind::Client => write!(out, "[[client]] {name}"),
            PartKind::Test => write!(out, "[[test]] {name}"),
            PartKind::Tests => write!(out, "[tests]"),
            PartKind::Locked => write!(out, "filters.lock: {name}"),
        }
    }
}

/// The parts as one list, each key with its table, and each once.
pub fn flat(parts: &[Part]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for part in parts {
        if part.pairs.is_empty() {
            pairs.push((part.to_string(), "is there".to_owned()));
        }
        let keys = part.pairs.iter();
        pairs.extend(keys.map(|(key, value)| (format!("{part} {key}"), value.clone())));
    }
    let chains = parts.iter().filter(|part| part.kind == PartKind::Chain);
    let chains: Vec<&str> = chains.map(|part| part.name.as_str()).collect();
    if chains.len() > 1 {
        // The first that fits a tool is its chain.
        pairs.push(("order of the chains".to_owned(), json!(chains).to_string()));
    }
    pairs
}

/// Collects the pairs of a table.
#[derive(Default)]
struct Pairs(Vec<(String, String)>);

impl Pairs {
    fn put(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.0.push((key.into(), value.into().to_string()));
    }

    /// A value that is not JSON.
    fn put_text(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.0.push((key.into(), value.into()));
    }

    fn put_some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    fn put_list(&mut self, key: &str, values: Vec<String>) {
        if !values.is_empty() {
            self.put(key, values);
        }
    }

    fn put_true(&mut self, key: &str, is_so: bool) {
        if is_so {
            self.put(key, true);
        }
    }

    /// A value that is one of a few words, where it is not the default.
    fn put_word<T: Copy + PartialEq, const N: usize>(
        &mut self,
        key: &str,
        value: T,
        default: T,
        words: &[(&'static str, T); N],
    ) {
        if value != default {
            self.put(key, word(value, words));
        }
    }

    fn into_part(self, kind: PartKind, name: impl Into<String>) -> Part {
        Part {
            kind,
            name: name.into(),
            pairs: self.0,
        }
    }
}

/// A key of the file's own, in quotes where it could be taken for another: `"limits.time"`.
fn bare(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => Value::from(key).to_string(),
    }
}

fn word<T: Copy + PartialEq, const N: usize>(
    value: T,
    words: &[(&'static str, T); N],
) -> &'static str {
    let found = words.iter().find(|(_, known)| *known == value);
    found.map_or("", |(name, _)| name)
}

/// The tables of a policy, except those with only default values. No plugin is read.
pub fn parts(policy: &Policy) -> Vec<Part> {
    let Policy {
        source: _,
        plugins,
        chains,
        read_tool,
        tools,
        profiles,
        servers,
        serve,
        state,
        session,
        record,
        clients,
        tests,
        test_folder,
        lock,
        // They follow from the rest.
        warnings: _,
    } = policy;
    let mut parts: Vec<Part> = servers.iter().map(server).collect();
    parts.extend(self::serve(serve));
    parts.extend(self::state(state));
    parts.extend(plugins.iter().map(plugin));
    parts.extend(chains.iter().map(|chain| self::chain(policy, chain)));
    parts.extend(tools.iter().map(tool));
    parts.extend(profiles.iter().map(profile));
    parts.extend(self::session(session));
    parts.extend(self::record(record));
    parts.extend(self::read_tool(read_tool));
    parts.extend(clients.iter().enumerate().map(client));
    parts.extend(tests.iter().map(|test| self::test(policy, test)));
    if let Some((folder, _)) = test_folder {
        let mut pairs = Pairs::default();
        pairs.put("folder", path(folder));
        parts.push(pairs.into_part(PartKind::Tests, ""));
    }
    parts.extend(lock.iter().flat_map(locked));
    parts
}

fn server(server: &ServerSpec) -> Part {
    let ServerSpec {
        name,
        upstream,
        span: _,
    } = server;
    let mut pairs = Pairs::default();
    match upstream {
        UpstreamSpec::Http {
            url,
            headers,
            login,
        } => {
            pairs.put("url", url.as_str());
            put_secrets(&mut pairs, "headers", headers);
            pairs.put_true("login", *login);
        }
        UpstreamSpec::Command { words, env, ready } => {
            pairs.put("command", words.clone());
            put_secrets(&mut pairs, "env", env);
            pairs.put_some("ready", Some(*ready).filter(|ready| *ready > 0));
        }
    }
    pairs.into_part(PartKind::Server, name)
}

/// Adds the variables that are sent, and their destinations. A value in the file appears only as a digest, so
/// that a change is visible and the value is not.
fn put_secrets(pairs: &mut Pairs, key: &str, secrets: &[(String, Secret)]) {
    for (name, secret) in secrets {
        pairs.put_text(format!("{key}.{}", bare(name)), shown(secret));
    }
}

/// A secret, as a person may see it.
fn shown(secret: &Secret) -> String {
    match secret {
        Secret::Variable { before, name } => match before.as_str() {
            "" => format!("the environment variable {name}"),
            before => format!("{} and the environment variable {name}", literal(before)),
        },
        Secret::Literal(value) => literal(value),
    }
}

fn literal(text: &str) -> String {
    // A scheme such as `Bearer ` is no secret, and shows the use of the variable.
    if text.len() <= 8 && text.ends_with(' ') {
        return Value::from(text).to_string();
    }
    format!("a text in the file ({})", digest(text))
}

fn digest(text: &str) -> String {
    let sha256: [u8; 32] = Sha256::digest(text).into();
    format!("{} bytes, sha256 {}", text.len(), short(&sha256))
}

fn serve(serve: &ServeSpec) -> Option<Part> {
    let ServeSpec {
        listen,
        metrics,
        hosts,
        origins,
        tls,
        traces,
        read_tool,
        tokens,
        limits,
    } = serve;
    let mut pairs = Pairs::default();
    pairs.put_some("listen", listen.as_deref());
    pairs.put_some("metrics", metrics.as_deref());
    pairs.put_list("hosts", hosts.clone());
    pairs.put_list("origins", origins.clone());
    if let Some((certificate, key)) = tls {
        pairs.put("certificate", path(certificate));
        pairs.put("key", path(key));
    }
    pairs.put_some("traces", traces.as_deref());
    pairs.put_word(
        "read-tool",
        *read_tool,
        ReadToolListing::default(),
        &ReadToolListing::ALL,
    );
    put_secrets(&mut pairs, "tokens", tokens);
    for row in &SERVE_LIMITS {
        let value = limits.value(row.key);
        if value != row.default {
            pairs.put_text(format!("limits.{}", row.name), row.unit.show(value));
        }
    }
    (!pairs.0.is_empty()).then(|| pairs.into_part(PartKind::Serve, ""))
}

fn state(state: &StateSpec) -> Option<Part> {
    let StateSpec {
        originals,
        sessions,
        ledger,
        key,
        previous_key,
    } = state;
    let mut pairs = Pairs::default();
    pairs.put_some(
        "originals",
        originals.as_ref().map(|url| url.value.as_str()),
    );
    put_secret(&mut pairs, "sessions", sessions.as_ref());
    put_secret(&mut pairs, "ledger", ledger.as_ref());
    match key.as_ref().map(|key| &key.value) {
        Some(KeyPlace::Variable(secret)) => pairs.put_text("key", shown(secret)),
        Some(KeyPlace::File(file)) => pairs.put("key-file", path(file)),
        None => {}
    }
    put_secret(&mut pairs, "previous-key", previous_key.as_ref());
    (!pairs.0.is_empty()).then(|| pairs.into_part(PartKind::State, ""))
}

fn put_secret(pairs: &mut Pairs, key: &str, secret: Option<&Placed<Secret>>) {
    if let Some(secret) = secret {
        pairs.put_text(key, shown(&secret.value));
    }
}

fn plugin(plugin: &PluginSpec) -> Part {
    let PluginSpec {
        name,
        place,
        // Their bytes have a digest of their own (`trust::Fingerprint`).
        contents: _,
        sha256,
        signed_by,
        grants,
        limits,
        on_error,
        origins: _,
        span: _,
        allow_span: _,
        place_span: _,
        sha256_span: _,
    } = plugin;
    let mut pairs = Pairs::default();
    match place {
        PluginPlace::File(file) => pairs.put("path", path(file)),
        // Whether it may be fetched follows from trust.
        PluginPlace::Registry {
            reference,
            may_fetch: _,
        } => pairs.put("oci", reference.to_string()),
    }
    pairs.put_some("sha256", sha256.as_ref().map(|sha256| hex::encode(sha256)));
    for (index, SignedBy { keys, span: _ }) in signed_by.iter().enumerate() {
        // The plugin's own list, or those of files. Files of keys have a digest of their own
        // (`trust::Fingerprint`).
        let key = match index {
            0 => "signed-by".to_owned(),
            more => format!("signed-by, list {}", more + 1),
        };
        pairs.put_list(&key, keys.iter().map(KeySpec::name).collect());
    }
    pairs.put_list("allow", granted(*grants));
    put_limits(&mut pairs, "limits", limits, &Limits::default());
    pairs.put_word("on-error", *on_error, OnError::default(), &OnError::ALL);
    pairs.into_part(PartKind::Plugin, name)
}

fn granted(grants: Grants) -> Vec<String> {
    let names = grants.iter().map(Capability::name);
    names.map(str::to_owned).collect()
}

/// The limits that are others than those in `base`. Each field of [`Limits`] has a row: `Limits::from_values`
/// makes all of them from these.
fn put_limits(pairs: &mut Pairs, key: &str, limits: &Limits, base: &Limits) {
    for row in &LIMITS {
        let value = limits.value(row.key);
        if value != base.value(row.key) {
            pairs.put_text(format!("{key}.{}", row.name), row.unit.show(value));
        }
    }
}

fn chain(policy: &Policy, chain: &ChainSpec) -> Part {
    let ChainSpec {
        name,
        binding,
        steps,
        blocks,
        guard,
        audience,
        input_schema,
        pin_tools,
        structured,
        tool_spans: _,
        structured_span: _,
        span: _,
    } = chain;
    let Binding {
        on,
        tools,
        prompts,
        resources,
        conditions,
    } = binding;
    let mut pairs = Pairs::default();
    if on[..] != [Surface::Result] {
        let on: Vec<&str> = on.iter().map(|surface| surface.name()).collect();
        pairs.put("on", on);
    }
    pairs.put_list("tools", patterns(tools));
    pairs.put_list("prompts", patterns(prompts));
    pairs.put_list("resources", patterns(resources));
    pairs.put_list("conditions", conditions.listed());
    for (index, step) in steps.iter().enumerate() {
        put_step(&mut pairs, policy, &format!("steps[{index}]"), step);
    }
    pairs.put_word("blocks", *blocks, Blocks::default(), &Blocks::ALL);
    pairs.put_word("guard", *guard, Guard::default(), &Guard::ALL);
    let audience = audience.map(|choice| word(choice, &Audience::ALL));
    pairs.put_some("audience", audience);
    let default = InputSchema::default();
    pairs.put_word("input-schema", *input_schema, default, &InputSchema::ALL);
    pairs.put_word("pin-tools", *pin_tools, PinTools::default(), &PinTools::ALL);
    let structured = structured.map(|choice| word(choice, &Structured::ALL));
    pairs.put_some("structured", structured);
    pairs.into_part(PartKind::Chain, name)
}

fn put_step(pairs: &mut Pairs, policy: &Policy, key: &str, step: &StepSpec) {
    let StepSpec {
        filter,
        settings,
        setting_spans: _,
        limits,
        on_error,
        origins: _,
        shadow,
        // The step is listed in each chain, so its list does not matter.
        via: _,
        span: _,
    } = step;
    pairs.put_text(key, policy.filter_name(filter));
    pairs.put_list(&format!("{key} from the environment"), step.variables());
    for (name, value) in settings.iter() {
        pairs.put(format!("{key}.{}", bare(name)), value.clone());
    }
    let base = match filter {
        FilterRef::BuiltIn(_) => Limits::default(),
        FilterRef::Plugin(index) => policy
            .plugins
            .get(*index)
            .map_or_else(Limits::default, |plugin| plugin.limits),
    };
    put_limits(pairs, &format!("{key}.limits"), limits, &base);
    let key_of = |name: &str| format!("{key}.{name}");
    pairs.put_word(
        &key_of("on-error"),
        *on_error,
        OnError::default(),
        &OnError::ALL,
    );
    pairs.put_true(&key_of("shadow"), *shadow);
}

fn tool(tool: &ToolSpec) -> Part {
    let ToolSpec {
        name,
        needs,
        hidden,
        required,
        span: _,
    } = tool;
    let mut pairs = Pairs::default();
    if !needs.is_empty() {
        pairs.put("needs", needs.iter().map(need).collect::<Vec<Value>>());
    }
    pairs.put_true("hidden", *hidden);
    pairs.put_true("required", *required);
    pairs.into_part(PartKind::Tool, name)
}

fn need(need: &Need) -> Value {
    match need {
        Need::Program(name) => name.as_str().into(),
        Need::Variable(name) => format!("env:{name}").into(),
        Need::File(file) => format!("file:{}", path(file)).into(),
        Need::Any(needs) => needs.iter().map(self::need).collect::<Vec<Value>>().into(),
    }
}

fn profile(profile: &ProfileSpec) -> Part {
    let ProfileSpec {
        name,
        tools,
        span: _,
        tool_spans: _,
    } = profile;
    let mut pairs = Pairs::default();
    pairs.put_list("tools", patterns(tools));
    pairs.into_part(PartKind::Profile, name)
}

fn session(session: &SessionSpec) -> Option<Part> {
    let SessionSpec {
        key,
        calls,
        window,
        limit_text,
    } = session;
    let mut pairs = Pairs::default();
    match key {
        SessionKey::Connection => {}
        SessionKey::Argument(name) => pairs.put("key", format!("argument:{name}")),
        SessionKey::Meta(name) => pairs.put("key", format!("meta:{name}")),
        SessionKey::Header(name) => pairs.put("key", format!("header:{name}")),
    }
    pairs.put_some("calls", *calls);
    if let Some(window) = window {
        pairs.put_text("window", time(*window));
    }
    if *limit_text != SessionSpec::default().limit_text {
        pairs.put("limit-text", limit_text.as_str());
    }
    (!pairs.0.is_empty()).then(|| pairs.into_part(PartKind::Session, ""))
}

fn time(time: Duration) -> String {
    Unit::Time.show(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

fn record(record: &RecordSpec) -> Option<Part> {
    let RecordSpec {
        redact,
        calls,
        bytes,
    } = record;
    let default = RecordSpec::default();
    let mut pairs = Pairs::default();
    pairs.put_some("redact", redact.as_deref());
    if *calls != default.calls {
        pairs.put("calls", *calls);
    }
    if *bytes != default.bytes {
        pairs.put_text("size", Unit::Size.show(*bytes));
    }
    (!pairs.0.is_empty()).then(|| pairs.into_part(PartKind::Record, ""))
}

fn read_tool(read_tool: &ReadTool) -> Option<Part> {
    let ReadTool {
        name,
        cap_tokens,
        listed,
    } = read_tool;
    let default = ReadTool::default();
    let mut pairs = Pairs::default();
    if *name != default.name {
        pairs.put("name", name.as_str());
    }
    if *cap_tokens != default.cap_tokens {
        pairs.put("cap", *cap_tokens);
    }
    if *listed != default.listed {
        pairs.put("listed", *listed);
    }
    (!pairs.0.is_empty()).then(|| pairs.into_part(PartKind::ReadTool, ""))
}

fn client((index, client): (usize, &ClientSpec)) -> Part {
    let ClientSpec {
        name,
        version,
        sees,
        escaped,
        wrapping,
        cap,
        tools,
        instructions,
        heeds_audience,
    } = client;
    let mut pairs = Pairs::default();
    if !version.is_empty() {
        pairs.put("version", version.as_str());
    }
    pairs.put("sees", word(*sees, &super::Sees::ALL));
    pairs.put("escaped", *escaped);
    pairs.put("wrapping", *wrapping);
    if let Some(ClientCap {
        over,
        first,
        last,
        notice,
    }) = cap
    {
        let cap = json!({"over": over, "first": first, "last": last, "notice": notice});
        pairs.put("cap", cap);
    }
    pairs.put_word("tools", *tools, ToolList::default(), &ToolList::ALL);
    pairs.put("instructions", *instructions);
    pairs.put("heeds-audience", *heeds_audience);
    // Patterns may be there twice; the first that fits counts.
    pairs.into_part(
        PartKind::Client,
        format!("{} ({})", index + 1, name.as_str()),
    )
}

fn test(policy: &Policy, test: &TestSpec) -> Part {
    let TestSpec {
        name,
        chain,
        tool,
        surface,
        arguments,
        server,
        client,
        input,
        expect,
        span: _,
    } = test;
    let Expectations {
        golden,
        contains,
        lacks,
        max_tokens,
        max_bytes,
        unchanged,
        withheld,
        hidden,
    } = expect;
    let mut pairs = Pairs::default();
    let chain = chain.and_then(|index| policy.chains.get(index));
    pairs.put_some("chain", chain.map(|chain| chain.name.as_str()));
    pairs.put_some("tool", tool.as_deref());
    if *surface != Surface::Result {
        pairs.put("on", surface.name());
    }
    pairs.put_some("arguments", arguments.as_deref());
    pairs.put_some("server", server.as_deref());
    pairs.put_some("client", client.as_deref());
    put_given(&mut pairs, "input", input);
    if let Some(golden) = golden {
        put_given(&mut pairs, "expect", golden);
    }
    pairs.put_list("contains", contains.clone());
    pairs.put_list("lacks", lacks.clone());
    pairs.put_some("max-tokens", *max_tokens);
    pairs.put_some("max-bytes", *max_bytes);
    pairs.put_some("unchanged", *unchanged);
    pairs.put_some("withheld", *withheld);
    pairs.put_some("hidden", *hidden);
    pairs.into_part(PartKind::Test, name)
}

/// The text of a test is much, and nothing is done with it but filtering it.
fn put_given(pairs: &mut Pairs, key: &str, given: &Given) {
    match given {
        Given::Text { text, span: _ } | Given::Json { text, span: _ } => {
            pairs.put_text(key, digest(text));
        }
        Given::File {
            path: file,
            span: _,
        } => pairs.put(format!("{key}-file"), path(file)),
    }
}

fn locked(lock: &Lock) -> Vec<Part> {
    let included = lock.included.iter().map(|(path, sha256)| {
        let mut pairs = Pairs::default();
        pairs.put("sha256", hex::encode(sha256));
        pairs.into_part(PartKind::Locked, format!("included file {path}"))
    });
    let plugins = lock.plugins.iter();
    plugins
        .map(|plugin| {
            let LockedPlugin {
                name,
                place,
                is_artifact: _,
                sha256,
                version,
                contract,
            } = plugin;
            let mut pairs = Pairs::default();
            pairs.put(plugin.place_key(), place.as_str());
            pairs.put("sha256", hex::encode(sha256));
            pairs.put("version", version.as_str());
            pairs.put("contract", contract.as_str());
            pairs.into_part(PartKind::Locked, name)
        })
        .chain(included)
        .collect()
}

fn patterns(patterns: &[ToolPattern]) -> Vec<String> {
    let patterns = patterns.iter();
    patterns
        .map(|pattern| pattern.as_str().to_owned())
        .collect()
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
