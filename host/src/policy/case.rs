//! `[[test]]` and `[tests]`: inputs, and the output that a chain must produce.
//!
//! Owns the content of a test. Does not check whether a test's files exist, because a proxy does not need
//! them; the test runner does.

use std::collections::HashMap;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

use super::code::Code;
use super::names;
use super::raw::{self, Fields, Findings, Value};
use super::report::{Finding, Report};
use super::source::{Source, Span};
use super::surface::Surface;
use super::{ChainSpec, Policy, keys, settings, syntax};

/// Most tokens or bytes that a test can allow: far more than any output has.
pub(super) const MOST: u64 = 1_000_000_000;

/// Keys of a test that a folder replaces by files.
const FILE_KEYS: [&str; 4] = ["input", "input-file", "expect", "expect-file"];

/// The tool of a folder whose `test.toml` names none.
const TOOL: &str = "tool";

/// Keys for the expected output.
const EXPECT_KEYS: [&str; 9] = [
    "expect",
    "expect-file",
    "contains",
    "lacks",
    "max-tokens",
    "max-bytes",
    "unchanged",
    "withheld",
    "hidden",
];

/// A `[[test]]`, or the `test.toml` of a folder.
#[derive(Debug, Clone)]
pub struct TestSpec {
    /// Unique in a file. Default: `test 1`, `test 2` by position.
    pub name: String,
    /// Index of the expected chain, in [`Policy::chains`]. None: the tool's chain.
    pub chain: Option<usize>,
    /// Name of the tool or prompt, URI of the resource. None: the test does not depend on it.
    pub tool: Option<String>,
    /// The kind of output that the input represents.
    pub surface: Surface,
    /// The call's arguments: a JSON object. None: the test does not say.
    pub arguments: Option<String>,
    /// The server's name. None: that of a recorded call.
    pub server: Option<String>,
    /// The client's name. None: that of a recorded call.
    pub client: Option<String>,
    /// The input of the chain.
    pub input: Given,
    /// The expected output.
    pub expect: Expectations,
    /// The header `[[test]]`, or none for a folder without a `test.toml`.
    pub span: Option<Span>,
}

/// An input or expected output in a test.
#[derive(Debug, Clone)]
pub enum Given {
    /// A string in the file.
    Text {
        /// The string.
        text: String,
        /// The value.
        span: Span,
    },
    /// Another value in the file, as compact JSON.
    Json {
        /// The JSON.
        text: String,
        /// The value.
        span: Span,
    },
    /// A file.
    File {
        /// Joined to the folder of filters.toml.
        path: PathBuf,
        /// The value, if the file names it and it was not found.
        span: Option<Span>,
    },
}

/// The expectations of a test, at least one.
#[derive(Debug, Clone, Default)]
pub struct Expectations {
    /// All of the output.
    pub golden: Option<Given>,
    /// Texts that the output must contain.
    pub contains: Vec<String>,
    /// Texts that the output must not contain.
    pub lacks: Vec<String>,
    /// Most tokens of the output.
    pub max_tokens: Option<u64>,
    /// Most bytes of the output.
    pub max_bytes: Option<u64>,
    /// Whether the output equals the input.
    pub unchanged: Option<bool>,
    /// Whether the output is withheld from the model.
    pub withheld: Option<bool>,
    /// Whether clients do not see the tool.
    pub hidden: Option<bool>,
}

/// The files of a folder that is a test.
#[derive(Debug, Clone)]
pub struct CaseFolder {
    /// The test's name.
    pub name: String,
    /// `input.json` or `input.txt`.
    pub input: PathBuf,
    /// `expected.json` or `expected.txt`.
    pub expected: PathBuf,
    /// Whether that file exists. If not, it is still expected unless the test has other expectations.
    pub has_expected: bool,
    /// The content of `arguments.json`.
    pub arguments: Option<String>,
}

/// The chains and tools that a test can name.
pub(super) struct Reader<'c> {
    chains: Vec<&'c ChainSpec>,
    taken: HashMap<String, Span>,
    count: usize,
}

impl<'c> Reader<'c> {
    pub(super) fn new(chains: impl Iterator<Item = &'c ChainSpec>) -> Reader<'c> {
        Reader {
            chains: chains.collect(),
            taken: HashMap::new(),
            count: 0,
        }
    }

    /// Reads one `[[test]]`.
    pub(super) fn declare(
        &mut self,
        fields: Fields<'_>,
        source: &Source,
        findings: &mut Findings<'_>,
    ) -> Option<TestSpec> {
        self.count += 1;
        fields.deny_unknown(&keys::TEST.names(), findings);
        let name = self.name(fields, findings);
        let input = given(fields, "input", "input-file", source, findings);
        // Whether a tool is listed does not depend on a result.
        let needs_none = fields.get("hidden").is_some() && fields.get("tool").is_some();
        let input = input.or_else(|| {
            needs_none.then(|| Given::Text {
                text: String::new(),
                span: fields.span,
            })
        });
        if input.is_none() && fields.get("input").is_none() && fields.get("input-file").is_none() {
            let finding = Finding::error(fields.span, "a test requires an input", "has none");
            let help = "for example: input-file = \"fixtures/result.json\"; a short one can be here: input = \"…\"";
            findings.push(finding.help(help).code(Code::MissingKey));
        }
        let golden = given(fields, "expect", "expect-file", source, findings);
        let spec = self.read(fields, input, golden, findings)?;
        Some(TestSpec { name, ..spec })
    }

    fn name(&mut self, fields: Fields<'_>, findings: &mut Findings<'_>) -> String {
        let named = fields
            .get("name")
            .and_then(|value| findings.string(value, "`name`", "a name"));
        let (name, span) = match named {
            Some((name, span)) => {
                names::check_title(name, span, "a test's name", findings);
                (name.to_owned(), span)
            }
            None => (format!("test {}", self.count), fields.span),
        };
        match self.taken.get(&name) {
            None => {
                self.taken.insert(name.clone(), span);
            }
            Some(first) => {
                let message = format!("two tests have the name {}", names::quote(&name));
                let finding = Finding::error(span, message, "again").also(*first, "first here");
                let help = "a test without a name is named by its position: `test 1`, `test 2`";
                findings.push(finding.help(help).code(Code::DuplicateName));
            }
        }
        name
    }

    /// Reads all but the name and the files.
    fn read(
        &self,
        fields: Fields<'_>,
        input: Option<Given>,
        golden: Option<Given>,
        findings: &mut Findings<'_>,
    ) -> Option<TestSpec> {
        let mut text = |key: &str, what| {
            let value = fields.get(key)?;
            findings.string(value, &format!("`{key}`"), what)
        };
        let tool = text("tool", "a tool's name");
        let server = text("server", "a server's name");
        let client = text("client", "a client's name");
        let chain = text("chain", "a chain's name");
        let chain = chain.map(|(name, span)| (self.chain(name, span, findings), span));
        let on = fields.get("on").and_then(|value| {
            let surface = findings.choice(value, "on", "a kind of output", &Surface::ALL);
            Some((surface?, Span::from(value.span())))
        });
        let index = chain.and_then(|(index, _)| index);
        let surface = match (on, index) {
            (Some((surface, span)), Some(index)) => {
                self.check_surface(index, surface, span, findings);
                surface
            }
            (Some((surface, _)), None) => surface,
            // For a named chain, the first surface that it is bound to.
            (None, Some(index)) => {
                let first = self.chains[index].binding.on.first();
                first.copied().unwrap_or(Surface::Result)
            }
            (None, None) => Surface::Result,
        };
        let is_named = fields.get("tool").or(fields.get("chain")).is_some();
        if !is_named && surface != Surface::Instructions {
            let finding = Finding::error(
                fields.span,
                "a test requires `tool` or `chain`",
                "has neither",
            );
            let help = "`tool = \"NAME\"` runs the chain of a tool, `chain = \"NAME\"` the chain with that name";
            findings.push(finding.help(help).code(Code::MissingKey));
        }
        let arguments = match fields.get("arguments") {
            None => Some(None),
            Some(value) => arguments(value, findings).map(Some),
        };
        let expect = expectations(fields, golden, findings);
        Some(TestSpec {
            name: String::new(),
            chain: index,
            tool: tool.map(|(tool, _)| tool.to_owned()),
            surface,
            arguments: arguments?,
            server: server.map(|(name, _)| name.to_owned()),
            client: client.map(|(name, _)| name.to_owned()),
            input: input?,
            expect,
            span: Some(fields.span),
        })
    }

    fn chain(&self, name: &str, span: Span, findings: &mut Findings<'_>) -> Option<usize> {
        let found = self.chains.iter().position(|chain| chain.name == name);
        if found.is_none() {
            let known: Vec<&str> = self
                .chains
                .iter()
                .map(|chain| chain.name.as_str())
                .collect();
            let message = format!("unknown chain {}", names::quote(name));
            findings.unknown(span, message, name, &known, Code::UnknownValue);
        }
        found
    }

    fn check_surface(
        &self,
        chain: usize,
        surface: Surface,
        span: Span,
        findings: &mut Findings<'_>,
    ) {
        let chain = self.chains[chain];
        if chain.binding.on.contains(&surface) {
            return;
        }
        let on: Vec<&str> = chain.binding.on.iter().map(|on| on.name()).collect();
        let message = format!(
            "chain {} is not bound to `{}`",
            names::quote(&chain.name),
            surface.name()
        );
        let label = format!("it is bound to {}", names::list(&on));
        findings.push(Finding::error(span, message, label));
    }
}

/// The folder that `[tests]` names, with its place.
pub(super) fn folder(
    value: &Value<'_>,
    source: &Source,
    findings: &mut Findings<'_>,
) -> Option<(PathBuf, Span)> {
    if value.get_ref().is_array() {
        let help = "a single test is [[test]], with two brackets and no s";
        let help = Some(help.to_owned());
        findings.wrong_type(value, "`tests`", "a table [tests]", help);
        return None;
    }
    let fields = findings.table(value, "`tests`", "a table [tests]")?;
    fields.deny_unknown(&keys::TESTS.names(), findings);
    let value = fields.require("folder", keys::TESTS.example("folder"), findings)?;
    let (path, span) = findings.string(value, "`folder`", "the path of a folder")?;
    Some((path_of(path, "folder", span, source, findings)?, span))
}

impl TestSpec {
    /// The test in a folder. `test`: its `test.toml`, if it has one.
    ///
    /// # Errors
    ///
    /// The mistakes in `test.toml`.
    pub fn of_folder(
        folder: CaseFolder,
        test: Option<&Source>,
        policy: &Policy,
    ) -> Result<TestSpec, Report> {
        let file = |path| Given::File { path, span: None };
        let input = file(folder.input);
        let golden = file(folder.expected);
        let spec = match test {
            Some(source) => read_file(source, input, golden, folder.has_expected, policy)?,
            None => TestSpec {
                name: String::new(),
                chain: None,
                tool: Some(TOOL.to_owned()),
                surface: Surface::Result,
                arguments: None,
                server: None,
                client: None,
                input,
                expect: Expectations {
                    golden: Some(golden),
                    ..Expectations::default()
                },
                span: None,
            },
        };
        Ok(TestSpec {
            name: folder.name,
            arguments: folder.arguments.or(spec.arguments),
            ..spec
        })
    }
}

/// Reads a `test.toml`.
fn read_file(
    source: &Source,
    input: Given,
    golden: Given,
    has_golden: bool,
    policy: &Policy,
) -> Result<TestSpec, Report> {
    let text = source.clone();
    let (root, errors) = DeTable::parse_recoverable(text.text());
    if !errors.is_empty() {
        let findings = syntax::findings(source, root.get_ref(), &errors);
        return Err(Report::new(source.clone(), findings));
    }
    let mut findings = Findings::new(&text);
    let root = Fields::new(root.get_ref(), root.span().into(), "a test");
    let keys: Vec<&str> = keys::TEST
        .names()
        .into_iter()
        .filter(|key| !FILE_KEYS.contains(key) && *key != "name")
        .collect();
    root.deny_unknown(&keys, &mut findings);
    let golden = (has_golden || !says_what_to_expect(root)).then_some(golden);
    let spec = Reader::new(policy.chains.iter()).read(root, Some(input), golden, &mut findings);
    match spec {
        Some(spec) if findings.errors() == 0 => Ok(spec),
        _ => Err(Report::new(source.clone(), findings.into_list())),
    }
}

fn arguments(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<String> {
    if !value.get_ref().is_table() {
        let help = "for example: arguments = { path = \"src\", limit = 20 }".to_owned();
        findings.wrong_type(value, "`arguments`", "a table", Some(help));
        return None;
    }
    json(value, findings)
}

fn json(value: &Value<'_>, findings: &mut Findings<'_>) -> Option<String> {
    let (json, _) = settings::json(value, 1, findings)?;
    Some(json.to_string())
}

/// Reads an input or expected output: a value in the file, or the path of another file.
fn given(
    fields: Fields<'_>,
    inline: &'static str,
    by_file: &'static str,
    source: &Source,
    findings: &mut Findings<'_>,
) -> Option<Given> {
    let (value, file) = (fields.get(inline), fields.get(by_file));
    if let (Some(value), Some(file)) = (value, file) {
        let message = format!("a test has `{inline}` or `{by_file}`, not both");
        let finding = Finding::error(Span::from(file.span()), message, "one is too many");
        findings.push(finding.also(value.span().into(), "the other"));
        return None;
    }
    if let Some(file) = file {
        let expected = "the path of a file";
        let (path, span) = findings.string(file, &format!("`{by_file}`"), expected)?;
        let path = path_of(path, by_file, span, source, findings)?;
        let span = Some(span);
        return Some(Given::File { path, span });
    }
    let value = value?;
    let span = value.span().into();
    if let DeValue::String(text) = value.get_ref() {
        let text = text.to_string();
        return Some(Given::Text { text, span });
    }
    let text = json(value, findings)?;
    Some(Given::Json { text, span })
}

fn path_of(
    path: &str,
    key: &str,
    span: Span,
    source: &Source,
    findings: &mut Findings<'_>,
) -> Option<PathBuf> {
    if path.is_empty() || path.chars().any(char::is_control) {
        let message = format!("`{key}` is not a path: {}", names::quote(path));
        let label = "allowed: a path relative to this file";
        findings.push(Finding::error(span, message, label));
        return None;
    }
    Some(source.resolve(path))
}

fn expectations(
    fields: Fields<'_>,
    golden: Option<Given>,
    findings: &mut Findings<'_>,
) -> Expectations {
    let has_golden = golden.is_some();
    let mut flag = |key: &str| {
        let value = fields.get(key)?;
        findings.boolean(value, &format!("`{key}`"))
    };
    let (unchanged, withheld, hidden) = (flag("unchanged"), flag("withheld"), flag("hidden"));
    let mut texts = |key: &str| {
        fields.get(key).map_or_else(Vec::new, |value| {
            let expected = "a list of texts";
            let items = findings.filled_list(value, &format!("`{key}`"), expected);
            let mut texts = Vec::with_capacity(items.len());
            for item in items {
                texts.extend(text(item, findings));
            }
            texts
        })
    };
    let (contains, lacks) = (texts("contains"), texts("lacks"));
    let mut number = |key: &str| {
        let value = fields.get(key)?;
        count(value, key, findings)
    };
    let (max_tokens, max_bytes) = (number("max-tokens"), number("max-bytes"));
    if unchanged == Some(true) && has_golden {
        let value = fields.get("unchanged").expect("it was read");
        let message = "`unchanged` and the expected output both define the output";
        let finding = Finding::error(
            Span::from(value.span()),
            message,
            "leave out one of the two",
        );
        findings.push(finding);
    }
    if !has_golden && !says_what_to_expect(fields) {
        let message = "a test requires an expectation";
        let finding = Finding::error(fields.span, message, "expects nothing");
        let help = format!(
            "allowed: {}; `tamis test --bless` writes the file that `expect-file` names",
            names::list(&EXPECT_KEYS)
        );
        findings.push(finding.help(help).code(Code::MissingKey));
    }
    Expectations {
        golden,
        contains,
        lacks,
        max_tokens,
        max_bytes,
        unchanged,
        withheld,
        hidden,
    }
}

/// Whether the test names an expectation, even a mistaken one.
fn says_what_to_expect(fields: Fields<'_>) -> bool {
    EXPECT_KEYS.iter().any(|key| fields.get(key).is_some())
}

fn text(item: &Value<'_>, findings: &mut Findings<'_>) -> Option<String> {
    let (text, span) = findings.string(item, "a text", "a text")?;
    if text.is_empty() {
        let label = "allowed: a text of at least one character";
        let finding = Finding::error(span, "every output contains the empty text", label);
        findings.push(finding.code(Code::Empty));
        return None;
    }
    Some(text.to_owned())
}

fn count(value: &Value<'_>, key: &str, findings: &mut Findings<'_>) -> Option<u64> {
    let expected = format!("a whole number from 0 to {MOST}");
    let DeValue::Integer(number) = value.get_ref() else {
        findings.wrong_type(value, &format!("`{key}`"), &expected, None);
        return None;
    };
    let number = raw::integer(number).and_then(|number| u64::try_from(number).ok());
    let number = number.filter(|number| *number <= MOST);
    if number.is_none() {
        let span: Span = value.span().into();
        let message = format!("`{key}` is out of bounds");
        let finding = Finding::error(span, message, format!("allowed: {expected}"));
        findings.push(finding.code(Code::OutOfRange));
    }
    number
}
