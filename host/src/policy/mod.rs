//! filters.toml: which filters exist, and which chain of them filters which output.
//!
//! Owns the file's grammar, checks, messages and defaults. Knows neither wasmtime nor MCP: a plugin is a
//! path, a setting is JSON, a tool is a name. The loader finds out whether a plugin loads and whether a
//! filter accepts its settings; every spec keeps the spans for reporting that in the same form
//! ([`Report::new`]).
//!
//! Parsing has two stages, so that an unchecked policy cannot run: TOML with spans (`raw`), then the checked
//! types of this file. The first stage does not use serde, which stops at the first error: an operator who
//! sees one mistake at a time saves the file ten times.

mod case;
mod chains;
mod change;
mod client;
mod code;
mod conditions;
mod contents;
mod defaults;
mod draft;
mod effect;
mod environment;
mod filters;
mod gate;
mod grants;
mod include;
mod keys;
mod limits;
mod lock;
mod names;
mod order;
mod parts;
mod pattern;
mod raw;
mod reach;
mod read_tool;
mod record;
mod remote;
mod report;
mod resolve;
mod serve;
mod serve_limits;
mod session;
mod settings;
mod signed_by;
mod source;
mod state;
mod step;
mod steps;
mod surface;
mod syntax;
#[cfg(test)]
mod tests;
mod unmatched;
mod unredacted;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use case::{CaseFolder, Expectations, Given, TestSpec};
pub use change::{KeyChange, describe_change, key_changes};
pub use client::{ClientCap, ClientSpec, Sees, ToolList};
pub use code::Code;
pub use conditions::{Conditions, Fit, Piece, ResultFacts};
pub use contents::{Contents, PluginBytes, PluginPlace};
pub use defaults::{
    COMPILE_GROWTH, COMPILED, CompileGrowth, FolderBounds, LIMITS, LimitKey, LimitRow,
    OUTPUT_SCHEMA, OWN_SCHEMA, REQUEST_ID_BYTES, SAVED_FAILURES, SERVE_LIMITS, SETTINGS_SCHEMA,
    SchemaBounds, ServeLimit, TOOL_NAME_BYTES, TOOLS_TOLD_APART, Unit,
};
pub use draft::Draft;
pub use gate::{Need, ProfileSpec, ToolSpec};
pub use grants::{Capability, Grants};
pub use keys::{BuiltInSettings, Key, TABLES, Table, schema};
pub use limits::{CompileLimits, Limits};
pub use lock::{Lock, LockedPlugin, short};
pub(crate) use names::{nearest as nearest_name, quote};
pub use parts::{Part, PartKind, flat, parts};
pub use pattern::{PatternError, ToolPattern, matches_any};
pub use read_tool::ReadTool;
pub use record::{RecordSpec, step_that_passes};
pub use report::{Finding, Report, Severity};
pub use serve::{ReadToolListing, Secret, ServeSpec, ServerSpec, UpstreamSpec};
pub use serve_limits::ServeLimits;
pub use session::{SessionKey, SessionSpec};
pub use settings::{SettingSpans, Settings};
pub use signed_by::{KeyFile, KeySpec, SignedBy};
pub use source::{MAX_FILE_BYTES, Source, Span, is_remote};
pub use state::{KeyPlace, Placed, StateSpec, is_postgres, is_redis};
pub use surface::{Binding, Surface};
pub use unmatched::ServerTools;
pub use watch::Watch;

/// A filters.toml that passed all checks, except those that need loaded filters.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The file that it came from.
    pub source: Source,
    /// The plugins in the order of the file; [`FilterRef::Plugin`] is an index into this.
    pub plugins: Vec<PluginSpec>,
    /// The chains in the order in which they count: the first chain that matches a tool is the tool's chain.
    pub chains: Vec<ChainSpec>,
    /// The tool with which a model reads originals.
    pub read_tool: ReadTool,
    /// The file's tables for single tools.
    pub tools: Vec<ToolSpec>,
    /// Subsets of the tools, chosen by name.
    pub profiles: Vec<ProfileSpec>,
    /// The servers behind `tamis serve`.
    pub servers: Vec<ServerSpec>,
    /// The allowed callers of `tamis serve`, and their transport.
    pub serve: ServeSpec,
    /// The state that several replicas of `tamis serve` share.
    pub state: StateSpec,
    /// The key of a session, and its limit of calls.
    pub session: SessionSpec,
    /// The calls that may be recorded.
    pub record: RecordSpec,
    /// Descriptions of clients; these come before the built-in table.
    pub clients: Vec<ClientSpec>,
    /// Inputs, and the outputs that chains must produce.
    pub tests: Vec<TestSpec>,
    /// The folder with more tests, joined to the folder of filters.toml, and the value that names it.
    pub test_folder: Option<(PathBuf, Span)>,
    /// The approved plugins, if an operator locked them.
    pub lock: Option<Lock>,
    /// Probable mistakes that still have a meaning. In the order of the file.
    pub warnings: Vec<Finding>,
}

/// A `[[plugin]]`: a filter in addition to the built-in ones.
#[derive(Debug, Clone)]
pub struct PluginSpec {
    /// Unique, and not the name of a built-in filter. Lower case letters, digits, hyphens.
    pub name: String,
    /// Its file or registry.
    pub place: PluginPlace,
    /// Its bytes, once [`PluginSpec::read`] was called.
    pub contents: Contents,
    /// Its bytes must have this hash.
    pub sha256: Option<[u8; 32]>,
    /// Lists of keys: one of each must have signed it. Its own list, then those of the files of the policy.
    pub signed_by: Vec<SignedBy>,
    /// Host imports that it may use.
    pub grants: Grants,
    /// Limits of each of its calls, unless a step has its own.
    pub limits: Limits,
    /// Behaviour of each of its calls on failure, unless a step has its own.
    pub on_error: OnError,
    /// The places of these keys.
    pub origins: Origins,
    /// The header `[[plugin]]`.
    pub span: Span,
    /// The value of `allow`: where to report missing or unneeded grants.
    pub allow_span: Option<Span>,
    /// The value of `path` or `oci`: where to report that the plugin does not load.
    pub place_span: Span,
    /// The value of `sha256`: where to report a different digest.
    pub sha256_span: Option<Span>,
}

/// A `[[chain]]`: a list of filters, and the tools that it is bound to.
#[derive(Debug, Clone)]
pub struct ChainSpec {
    /// Unique; `chain 1`, `chain 2` by position if the file gives none.
    pub name: String,
    /// The output that it is bound to.
    pub binding: Binding,
    /// The steps in order: those of the prefix, then the chain's own, those of named lists in the place of the
    /// names.
    pub steps: Vec<StepSpec>,
    /// Whether several JSON text blocks of a result are one document, a list.
    pub blocks: Blocks,
    /// The condition under which an emission is too large.
    pub guard: Guard,
    /// The treatment of blocks for the user alone; none: as suits the client, see [`Audience`].
    pub audience: Option<Audience>,
    /// How to treat the `inputSchema` of its tools.
    pub input_schema: InputSchema,
    /// Which of its tools clients are asked to list in every request.
    pub pin_tools: PinTools,
    /// The treatment of `structuredContent`; none: [`Structured::Keep`] for tools with a user interface, else
    /// [`Structured::Text`].
    pub structured: Option<Structured>,
    /// The places of the tools' patterns.
    pub tool_spans: Vec<Span>,
    /// The value of `structured`, if present.
    pub structured_span: Option<Span>,
    /// The header `[[chain]]`.
    pub span: Span,
}

/// The places where a plugin or a step sets limits and `on-error`; other values come from elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    limits: Vec<(LimitKey, Span)>,
    /// The value of `on-error`.
    pub on_error: Option<Span>,
}

impl Origins {
    /// The value of a limit.
    pub fn limit(&self, key: LimitKey) -> Option<Span> {
        let mut limits = self.limits.iter();
        limits.find_map(|(known, span)| (*known == key).then_some(*span))
    }
}

/// A filter in a chain, with its settings.
#[derive(Debug, Clone)]
pub struct StepSpec {
    /// The filter.
    pub filter: FilterRef,
    /// The input of the filter's `configure`: every key of the step that is not Tamis's own, in the order of the
    /// file. Shared by the chains that have the step by a name.
    pub settings: Arc<Settings>,
    /// The places of the settings' values in the file.
    pub setting_spans: Arc<SettingSpans>,
    /// The plugin's limits (the defaults for a built-in filter), overridden by the step's own.
    pub limits: Limits,
    /// The step's own, else the plugin's, else [`OnError::Pass`].
    pub on_error: OnError,
    /// The places of the step's own keys.
    pub origins: Origins,
    /// Run the step and record its savings, but discard its change.
    pub shadow: bool,
    /// How the chain comes to have the step; none: the chain itself says it.
    pub via: Option<Via>,
    /// The filter's name in the step: where to report that the filter refuses its settings.
    pub span: Span,
}

/// How a chain comes to have a step that it does not say itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// The name of a list (`[steps]`).
    List(Arc<str>),
    /// The step is part of the prefix.
    Prefix,
}

impl StepSpec {
    /// Whether the step redacts: if it fails, the result is withheld.
    pub fn redacts(&self) -> bool {
        self.on_error == OnError::Block && !self.shadow
    }
}

impl ChainSpec {
    /// Whether a step redacts.
    pub fn redacts(&self) -> bool {
        self.steps.iter().any(StepSpec::redacts)
    }
}

/// A filter, resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FilterRef {
    /// A built-in filter, by name.
    BuiltIn(String),
    /// Index into [`Policy::plugins`].
    Plugin(usize),
}

/// How to treat a result's `structuredContent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Structured {
    /// The result is sent as text alone, since some clients show their model only `structuredContent` if it is
    /// present, and others only the text.
    Text,
    /// The value stays unchanged, with its schema; only the text is filtered.
    Keep,
    /// The value is filtered too, if the result then fits the tool's `outputSchema`; else as `Keep`.
    Rewrite,
}

impl Structured {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, Structured); 3] = [
        ("text", Structured::Text),
        ("keep", Structured::Keep),
        ("rewrite", Structured::Rewrite),
    ];
}

/// How to treat a tool's `inputSchema` in the list that clients get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InputSchema {
    /// Without members that tell a model nothing: titles that repeat a property's name, and `$schema` if it
    /// makes no difference.
    #[default]
    Short,
    /// The schema from the server.
    Keep,
}

impl InputSchema {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, InputSchema); 2] =
        [("short", InputSchema::Short), ("keep", InputSchema::Keep)];
}

/// Which tools to mark, so that clients in which models search for tools list them in every request all the same
/// (`_meta` `anthropic/alwaysLoad`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PinTools {
    /// None but those that the server marks.
    #[default]
    Never,
    /// Those that a third of the last sessions used, by the ledger; before it knows any, some that change nothing.
    Used,
}

impl PinTools {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, PinTools); 2] =
        [("never", PinTools::Never), ("used", PinTools::Used)];
}

/// How to divide the text blocks of a result into documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Blocks {
    /// Each block is a document.
    #[default]
    Each,
    /// If all blocks are JSON, they are one document: a list.
    Merge,
}

impl Blocks {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, Blocks); 2] = [("each", Blocks::Each), ("merge", Blocks::Merge)];
}

/// The unit in which a changed document must be smaller than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Guard {
    /// Bytes; for a document that is written again as a whole, with a margin, since fewer bytes can be more
    /// tokens.
    #[default]
    Bytes,
    /// Tokens (o200k), counted: exact, and slower.
    Tokens,
}

impl Guard {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, Guard); 2] =
        [("bytes", Guard::Bytes), ("tokens", Guard::Tokens)];
}

/// How to treat a block that is for the user alone (`annotations.audience`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Audience {
    /// The block is left out; the original is stored.
    Enforce,
    /// The block stays; the client decides.
    Keep,
}

impl Audience {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, Audience); 2] =
        [("enforce", Audience::Enforce), ("keep", Audience::Keep)];
}

/// How to treat a document whose filter fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnError {
    /// The document continues unchanged: right for filters that save tokens.
    #[default]
    Pass,
    /// The result is withheld: right for filters that redact.
    Block,
}

impl OnError {
    /// Every value with its spelling in filters.toml.
    pub const ALL: [(&'static str, OnError); 2] =
        [("pass", OnError::Pass), ("block", OnError::Block)];
}

impl Policy {
    /// Checks a file. `builtin` are the names of the filters that need no `[[plugin]]`.
    ///
    /// # Errors
    ///
    /// A [`Report`] of all mistakes in the file: in its TOML or, if that is sound, in its content.
    pub fn parse(source: Source, builtin: &[&str]) -> Result<Policy, Report> {
        Draft::parse(source, builtin)?.into_policy()
    }

    /// Reads and checks the file at `path`, which messages also use as its name, and the lock file in its
    /// folder.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or it has mistakes: then the error downcasts to a [`Report`].
    pub fn load(path: &Path, builtin: &[&str]) -> anyhow::Result<Policy> {
        let policy = Policy::parse(Source::read(path)?, builtin)?;
        Ok(match Lock::of(path)? {
            Some(lock) => policy.locked_by(lock),
            None => policy,
        })
    }

    /// Checks a policy from a URL or a registry ([`Source::remote`]). `may_start_programs`: whether its servers may
    /// be programs of this machine.
    ///
    /// # Errors
    ///
    /// As [`Policy::parse`]; or it names a file that is not there, since no folder is its own.
    pub fn parse_remote(
        source: Source,
        builtin: &[&str],
        may_start_programs: bool,
    ) -> Result<Policy, Report> {
        let draft = Draft::parse(source, builtin)?;
        draft
            .with(|policy| remote::findings(policy, may_start_programs))
            .into_policy()
    }

    /// The environment variables whose values are Tamis's own, or one server's. Tamis gives them to no program
    /// that it starts, except those in the `env` of the program's own table.
    pub fn secret_variables(&self) -> BTreeSet<String> {
        serve::secret_variables(&self.serve, &self.state, &self.servers)
    }

    /// The policy, without asking a registry: it has only those of its plugins that were fetched before.
    #[must_use]
    pub fn without_fetching(mut self) -> Policy {
        for plugin in &mut self.plugins {
            plugin.place.forbid_fetching();
        }
        self
    }

    /// The policy without `[server.NAME]`, `[serve]` and `[state]`, and whether it had any. A file that Tamis found by
    /// itself may decide how results are filtered, but not which programs run and who may connect.
    #[must_use]
    pub fn without_servers(mut self) -> (Policy, bool) {
        let had_any = !self.servers.is_empty()
            || self.serve != ServeSpec::default()
            || self.state != StateSpec::default();
        self.servers.clear();
        self.state = StateSpec::default();
        self.serve = ServeSpec::default();
        (self, had_any)
    }

    /// The policy, bound to the plugins of a lock file.
    #[must_use]
    pub fn locked_by(mut self, lock: Lock) -> Policy {
        self.warnings.splice(..0, lock.obsolete(&self));
        self.lock = Some(lock);
        self
    }

    /// The chain of a piece of output, as an index into [`Policy::chains`]: the first that gets it, or may.
    pub fn chain_for(&self, piece: &Piece<'_>) -> Option<usize> {
        let mut chains = self.chains.iter();
        chains.position(|chain| chain.binding.fit(piece) != Fit::No)
    }

    /// The chains that a piece of output may have, in order: the last surely gets it, or none does.
    pub fn chains_for(&self, piece: &Piece<'_>) -> impl Iterator<Item = usize> {
        let fits = self.chains.iter().map(|chain| chain.binding.fit(piece));
        let mut is_settled = false;
        let fits = fits.enumerate().take_while(move |(_, fit)| {
            let was_settled = is_settled;
            is_settled |= *fit == Fit::Yes;
            !was_settled
        });
        fits.filter(|(_, fit)| *fit != Fit::No)
            .map(|(index, _)| index)
    }

    /// Removes all chains except the wanted ones, so that a command that runs once loads only the filters that
    /// it needs. `wanted` gets a chain and its index.
    pub fn keep_chains(&mut self, wanted: impl Fn(usize, &ChainSpec) -> bool) {
        let mut index = 0;
        self.chains.retain(|chain| {
            let keep = wanted(index, chain);
            index += 1;
            keep
        });
    }

    /// The name of a step's filter.
    ///
    /// Empty for a reference from another policy that names nothing here.
    pub fn filter_name<'a>(&'a self, filter: &'a FilterRef) -> &'a str {
        match filter {
            FilterRef::BuiltIn(name) => name,
            FilterRef::Plugin(index) => self.plugins.get(*index).map_or("", |plugin| &plugin.name),
        }
    }
}
