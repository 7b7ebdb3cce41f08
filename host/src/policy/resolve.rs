//! Second stage: from the tables of a file, and of those that it includes, to a checked policy.

use toml::de::DeTable;

use super::chains::Chains;
use super::code::Code;
use super::draft::Draft;
use super::filters::Filters;
use super::raw::{Fields, Findings, Value};
use super::report::{Finding, Report};
use super::source::{Source, Span};
use super::steps::Lists;
use super::{
    Policy, ToolSpec, case, client, effect, gate, keys, names, read_tool, record, serve, session,
    state, syntax,
};

/// The tables of one file.
pub(super) struct File<'t> {
    /// Its place among the files; 0 for the policy's own.
    pub(super) index: usize,
    /// The index of the file that includes it; none: it is the policy's own.
    pub(super) by: Option<usize>,
    pub(super) source: &'t Source,
    root: Fields<'t>,
}

impl File<'_> {
    /// Whether another file includes it.
    pub(super) fn is_included(&self) -> bool {
        self.index > 0
    }
}

pub(super) fn draft(source: Source, builtin: &[&str]) -> Result<Draft, Report> {
    let (source, of_names) = source.with_included();
    let files: Vec<Source> = std::iter::once(source.clone())
        .chain(source.included().cloned())
        .collect();
    // Values borrow from the texts.
    let texts: Vec<String> = files.iter().map(Source::padded).collect();
    let mut roots = Vec::with_capacity(texts.len());
    let mut broken = Vec::new();
    for (text, file) in texts.iter().zip(&files) {
        let (root, errors) = DeTable::parse_recoverable(text);
        broken.extend(syntax::findings(file, root.get_ref(), &errors));
        roots.push(root);
    }
    if !broken.is_empty() {
        return Err(Report::new(source, broken));
    }
    let mut findings = Findings::new(&source);
    findings.extend(of_names);
    let mut all: Vec<File<'_>> = Vec::with_capacity(files.len());
    let includer_of = |index: usize| {
        let included = source.files()?.files.get(index.checked_sub(1)?)?;
        Some(included.by.map_or(0, |by| by + 1))
    };
    for (index, (root, of)) in roots.iter().zip(&files).enumerate() {
        let root = Fields::new(root.get_ref(), root.span().into(), "the file");
        root.deny_unknown(&keys::FILE.names(), &mut findings);
        all.push(File {
            index,
            by: includer_of(index),
            source: of,
            root,
        });
    }
    Ok(read(&source, &all, builtin, findings))
}

/// Reads the tables of all files.
fn read<'t>(
    source: &'t Source,
    files: &[File<'t>],
    builtin: &[&str],
    mut findings: Findings<'t>,
) -> Draft {
    let findings = &mut findings;
    let mut filters = Filters::new(builtin);
    for (file, value) in each(files, "signed-by") {
        filters.require_signatures(file, value, findings);
    }
    for (file, value) in each(files, "plugin") {
        for fields in findings.tables(value, "plugin", "a plugin") {
            filters.declare(file, fields, findings);
        }
    }
    let mut lists = Lists::default();
    for (file, value) in each(files, "steps") {
        lists.declare(value, file.is_included(), &mut filters, findings);
    }
    // A file's prefix comes after those of the files that it includes.
    for file in included_first(files, 0) {
        if let Some(value) = files[file].root.get("prefix") {
            lists.declare_prefix(value, file, &mut filters, findings);
        }
    }
    let mut chains = Chains::of(files);
    for (file, value) in each(files, "chain") {
        for fields in findings.tables(value, "chain", "a chain") {
            chains.declare(file, fields, &mut lists, &mut filters, findings);
        }
    }
    lists.finish(&mut filters, findings);
    chains.check_names(findings);
    chains.put_in_order();
    let read_tool = one(files, "read-tool", findings)
        .map(|(_, value)| read_tool::read(value, findings))
        .unwrap_or_default();
    let tools = tools(files, findings);
    let mut profiles = Vec::new();
    for (_, value) in each(files, "profile") {
        profiles.extend(gate::profiles(value, findings));
    }
    let of_profiles = profiles
        .iter()
        .map(|profile| (profile.name.as_str(), profile.span));
    check_unique("profile", of_profiles, findings);
    let servers = own_table(files, "server", findings)
        .map(|value| serve::servers(value, source, findings))
        .unwrap_or_default();
    let serve = own_table(files, "serve", findings)
        .map(|value| serve::serve(value, source, findings))
        .unwrap_or_default();
    let state = own_table(files, "state", findings)
        .map(|value| state::read(value, source, findings))
        .unwrap_or_default();
    serve::check_read_tool_server(&serve, &servers, findings);
    gate::check_required(&tools, servers.len(), findings);
    let session = one(files, "session", findings)
        .map(|(_, value)| session::read(value, findings))
        .unwrap_or_default();
    let record = one(files, "record", findings)
        .map(|(_, value)| record::read(value, &chains, findings))
        .unwrap_or_default();
    let mut clients = Vec::new();
    for (_, value) in each(files, "client") {
        for fields in findings.tables(value, "client", "a client") {
            clients.extend(client::read(fields, findings));
        }
    }
    let mut tests = Vec::new();
    let mut reader = case::Reader::new(chains.specs());
    for (file, value) in each(files, "test") {
        for fields in findings.tables(value, "test", "a test") {
            tests.extend(reader.declare(fields, file.source, findings));
        }
    }
    let test_folder = one(files, "tests", findings)
        .and_then(|(file, value)| case::folder(value, file.source, findings));
    chains.warn_unreachable(findings);
    effect::tools(&tools, &chains, findings);
    if findings.errors() == 0 {
        // If a filter is unknown, its step may have been meant for a plugin that now seems unused. Chains that
        // look alike may differ in a part that could not be read. So both are checked only in a file without
        // errors.
        filters.warn_unused(findings);
        lists.warn_unused(findings);
        effect::chains(&chains, findings);
        effect::redaction(&chains, findings);
        effect::no_chain(&chains, findings);
        record::warn_unbound(&record, &chains, findings);
    }
    let sound_plugins = filters.sound();
    let policy = Policy {
        source: source.clone(),
        plugins: filters.into_specs(),
        chains: chains.into_specs(),
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
        lock: None,
        warnings: Vec::new(),
    };
    Draft::new(policy, findings.take(), sound_plugins)
}

/// A key of each file that has it, the policy's own file first.
fn each<'f, 't>(
    files: &'f [File<'t>],
    key: &'static str,
) -> impl Iterator<Item = (&'f File<'t>, &'t Value<'t>)> {
    let all = files.iter();
    all.filter_map(move |file| Some((file, file.root.get(key)?)))
}

/// The indexes of a file and of all that it includes, each after those that it includes itself.
fn included_first(files: &[File<'_>], index: usize) -> Vec<usize> {
    let inner = files.iter().filter(|file| file.by == Some(index));
    let mut all: Vec<usize> = inner
        .flat_map(|file| included_first(files, file.index))
        .collect();
    all.push(index);
    all
}

/// A table that one file can have.
fn one<'f, 't>(
    files: &'f [File<'t>],
    key: &'static str,
    findings: &mut Findings<'_>,
) -> Option<(&'f File<'t>, &'t Value<'t>)> {
    let mut all = each(files, key);
    let first = all.next()?;
    for (_, again) in all {
        let message = format!("`[{key}]` is in two files");
        let finding = Finding::error(Span::from(again.span()), message, "again");
        let finding = finding
            .also(first.1.span().into(), "first here")
            .help("keep it in one of the files");
        findings.push(finding.code(Code::IncludedTable));
    }
    Some(first)
}

/// A table that only the policy's own file may have. An included file may decide how results are filtered, but
/// not which programs run and who may connect.
fn own_table<'t>(
    files: &[File<'t>],
    key: &'static str,
    findings: &mut Findings<'_>,
) -> Option<&'t Value<'t>> {
    for (_, value) in each(files, key).filter(|(file, _)| file.is_included()) {
        let message = format!("an included file cannot have `[{key}]`");
        let label = "allowed in the policy's own file";
        let finding = Finding::error(Span::from(value.span()), message, label);
        findings.push(finding.code(Code::IncludedTable));
    }
    let (_, value) = each(files, key).find(|(file, _)| !file.is_included())?;
    Some(value)
}

/// The tables `[tool.NAME]` of all files.
fn tools(files: &[File<'_>], findings: &mut Findings<'_>) -> Vec<ToolSpec> {
    let mut tools: Vec<(usize, ToolSpec)> = Vec::new();
    for (file, value) in each(files, "tool") {
        let of_file = gate::tools(value, file.source, findings);
        tools.extend(of_file.into_iter().map(|tool| (file.index, tool)));
    }
    let named = tools
        .iter()
        .map(|(_, spec)| (spec.name.as_str(), spec.span));
    check_unique("tool", named, findings);
    gate::check_hidden(&tools, findings);
    tools.into_iter().map(|(_, tool)| tool).collect()
}

/// Reports a name that two files use. (TOML itself refuses one that a file uses twice.)
fn check_unique<'n>(
    table: &str,
    named: impl Iterator<Item = (&'n str, Span)>,
    findings: &mut Findings<'_>,
) {
    let mut known = std::collections::HashMap::new();
    for (name, span) in named {
        if let Some(first) = known.get(name) {
            let message = format!("two files have [{table}.{}]", names::clip(name));
            let finding = Finding::error(span, message, "again").also(*first, "first here");
            let help = "an included file's table cannot be replaced: keep one of the two";
            findings.push(finding.help(help).code(Code::DuplicateName));
            continue;
        }
        known.insert(name, span);
    }
}
