//! Second stage: from the tables of a file to a checked policy.

use toml::de::DeTable;

use super::chains::Chains;
use super::draft::Draft;
use super::filters::Filters;
use super::raw::{Fields, Findings};
use super::report::Report;
use super::source::Source;
use super::{Policy, case, client, effect, gate, keys, read_tool, record, serve, session, syntax};

pub(super) fn draft(source: Source, builtin: &[&str]) -> Result<Draft, Report> {
    // Values borrow from the text; the clone shares it.
    let text = source.clone();
    let (root, errors) = DeTable::parse_recoverable(text.text());
    if !errors.is_empty() {
        let findings = syntax::findings(&source, root.get_ref(), &errors);
        return Err(Report::new(source, findings));
    }
    let mut findings = Findings::new(&text);
    let root = Fields::new(root.get_ref(), root.span().into(), "the file");
    root.deny_unknown(&keys::FILE.names(), &mut findings);

    let mut filters = Filters::new(builtin);
    if let Some(value) = root.get("plugin") {
        for fields in findings.tables(value, "plugin", "a plugin") {
            filters.declare(&source, fields, &mut findings);
        }
    }
    let mut chains = Chains::default();
    if let Some(value) = root.get("chain") {
        for fields in findings.tables(value, "chain", "a chain") {
            chains.declare(fields, &mut filters, &mut findings);
        }
    }
    let read_tool = root
        .get("read-tool")
        .map(|value| read_tool::read(value, &mut findings))
        .unwrap_or_default();
    let tools = root
        .get("tool")
        .map(|value| gate::tools(value, &source, &mut findings))
        .unwrap_or_default();
    let profiles = root
        .get("profile")
        .map(|value| gate::profiles(value, &mut findings))
        .unwrap_or_default();
    let servers = root
        .get("server")
        .map(|value| serve::servers(value, &source, &mut findings))
        .unwrap_or_default();
    let serve = root
        .get("serve")
        .map(|value| serve::serve(value, &source, &mut findings))
        .unwrap_or_default();
    serve::check_read_tool_server(&serve, &servers, &mut findings);
    let session = root
        .get("session")
        .map(|value| session::read(value, &mut findings))
        .unwrap_or_default();
    let record = root
        .get("record")
        .map(|value| record::read(value, &chains, &mut findings))
        .unwrap_or_default();
    let mut clients = Vec::new();
    if let Some(value) = root.get("client") {
        for fields in findings.tables(value, "client", "a client") {
            clients.extend(client::read(fields, &mut findings));
        }
    }
    let mut tests = Vec::new();
    if let Some(value) = root.get("test") {
        let mut reader = case::Reader::new(chains.specs());
        for fields in findings.tables(value, "test", "a test") {
            tests.extend(reader.declare(fields, &source, &mut findings));
        }
    }
    let test_folder = root
        .get("tests")
        .and_then(|value| case::folder(value, &source, &mut findings));
    chains.check_names(&mut findings);
    chains.warn_unreachable(&mut findings);
    effect::tools(&tools, &chains, &mut findings);
    if findings.errors() == 0 {
        // The step that was to use a plugin may be the one whose filter is unknown, and chains that look
        // alike may differ in what could not be read: so only where all was.
        filters.warn_unused(&mut findings);
        effect::chains(&chains, &mut findings);
        effect::redaction(&chains, &mut findings);
        record::warn_unbound(&record, &chains, &mut findings);
    }
    let sound_plugins = filters.sound();
    let policy = Policy {
        source,
        plugins: filters.into_specs(),
        chains: chains.into_specs(),
        read_tool,
        tools,
        profiles,
        servers,
        serve,
        session,
        record,
        clients,
        tests,
        test_folder,
        lock: None,
        warnings: Vec::new(),
    };
    Ok(Draft::new(policy, findings.into_list(), sound_plugins))
}
