//! Properties of arbitrary bytes: a function for each kind of input from strangers.
//!
//! The programs of `fuzz_targets` run each with bytes from libFuzzer (`make fuzz`). `tests/filters/fuzz_corpora.rs`
//! runs each with the inputs in `corpus`, which were found among them. A function panics if its promise is broken.
//! Inputs of several parts have a byte 0xff between them, which UTF-8 never has.

#[path = "../relay/frame_readers/readers.rs"]
#[allow(dead_code, reason = "other tests need more of it")]
mod readers;

use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;
use tamis::built_in;
use tamis::document::{Document, Kind, Tape, TapeWanted};
use tamis::dry_run::Input;
use tamis::excerpt::{self, Cap, Original, Query};
use tamis::install::{self, Client, Configuration, Server, Wrapping};
use tamis::mcp::http::sse_events;
use tamis::mcp::lines_of_stream;
use tamis::mcp::relay::{
    Asked, Forward, FromUpstream, LocalAnswer, LocalWork, Origin, Relay, Rewrite,
};
use tamis::policy::{Draft, LIMITS, Lock, Policy, Source};
use tamis::recording::{Call, is_call};
use tamis::registry;
use tamis::signature::MAX_SIGNATURES;
use tamis::store;
use tamis_formats::Format;

/// A kind of input.
pub struct Target {
    /// Its name: a folder of `tests/fuzz/corpus`.
    pub name: &'static str,
    /// Its properties.
    pub check: fn(&[u8]),
}

/// All kinds of input.
pub const TARGETS: &[Target] = &[
    Target {
        name: "client_configuration",
        check: client_configuration,
    },
    Target {
        name: "edits",
        check: edits,
    },
    Target {
        name: "events",
        check: events,
    },
    Target {
        name: "formats",
        check: formats,
    },
    Target {
        name: "frames",
        check: frames,
    },
    Target {
        name: "manifest",
        check: manifest,
    },
    Target {
        name: "policy",
        check: policy,
    },
    Target {
        name: "reading",
        check: reading,
    },
    Target {
        name: "recording",
        check: recording,
    },
    Target {
        name: "reference",
        check: reference,
    },
    Target {
        name: "splices",
        check: splices,
    },
];

/// A `filters.toml` is accepted, or refused with findings that can be shown. A draft accepts whatever a policy accepts.
pub fn policy(bytes: &[u8]) {
    let Ok(source) = Source::new("filters.toml", bytes) else {
        return;
    };
    let names = built_in::names();
    let draft = Draft::parse(source.clone(), &names);
    match Policy::parse(source.clone(), &names) {
        Ok(_) => assert!(
            draft.is_ok(),
            "a policy that is taken is refused as a draft"
        ),
        Err(report) => assert!(!report.to_string().is_empty(), "a refusal says why"),
    }
    if let Err(report) = Lock::parse(&source) {
        assert!(!report.to_string().is_empty(), "a refusal says why");
    }
}

/// A document, edits of four words each, and their operands: the result is valid JSON, and its tape is that of its
/// text, so that repeated edits have the same effect on both.
pub fn edits(bytes: &[u8]) {
    let [text, words, operands] = parts(bytes);
    let (Ok(text), Ok(operands)) = (str::from_utf8(text), str::from_utf8(operands)) else {
        return;
    };
    let Ok(document) = Document::json(text) else {
        return;
    };
    let words = numbers(words);
    let adjusted = document.edit(&words, operands, TapeWanted::Yes);
    let text_only = document.edit(&words, operands, TapeWanted::No);
    match (adjusted, text_only) {
        (Ok(adjusted), Ok(text_only)) => {
            assert_eq!(adjusted.text(), text_only.text());
            let rebuilt = Tape::build(adjusted.text()).expect("a result that is JSON");
            assert_eq!(adjusted.tape(), Some(&rebuilt));
            let rebuilt = Document::json(adjusted.text().as_ref()).expect("a result that is JSON");
            let again = [&adjusted, &rebuilt].map(|document| {
                let edited = document.edit(&words, operands, TapeWanted::Yes);
                edited.map(|edited| (edited.text().clone(), edited.tape().cloned()))
            });
            assert_eq!(again[0], again[1]);
        }
        (adjusted, text_only) => assert_eq!(adjusted.err(), text_only.err()),
    }
}

/// A document, splices of four words each, and their replacements. The result equals that of applying them one by one,
/// from the last to the first. JSON stays JSON as long as it is valid.
pub fn splices(bytes: &[u8]) {
    let [text, words, operands] = parts(bytes);
    let (Ok(text), Ok(operands)) = (str::from_utf8(text), str::from_utf8(operands)) else {
        return;
    };
    let words = numbers(words);
    let document = Document::detect(text);
    let found = document.splice(&words, operands);
    let expected = spliced(text, &words, operands);
    assert_eq!(found.is_ok(), expected.is_some(), "{found:?}");
    let (Ok(found), Some(expected)) = (found, expected) else {
        return;
    };
    assert_eq!(found.text().as_ref(), expected);
    let is_json = document.kind() == Kind::Json && Tape::build(&expected).is_ok();
    assert_eq!(found.kind() == Kind::Json, is_json, "{expected}");
}

/// A text after splices, one by one; none if they break a rule.
fn spliced(text: &str, words: &[u32], operands: &str) -> Option<String> {
    let (splices, []) = words.as_chunks::<4>() else {
        return None;
    };
    let mut splices: Vec<[usize; 4]> = splices
        .iter()
        .map(|splice| splice.map(|word| word as usize))
        .collect();
    splices.sort_by_key(|&[start, end, ..]| (start, end));
    let mut spliced = text.to_owned();
    let mut next = text.len();
    for [start, end, from, to] in splices.into_iter().rev() {
        let operand = operands.get(from..to)?;
        text.get(start..end).filter(|_| end <= next)?;
        spliced.replace_range(start..end, operand);
        next = start;
    }
    Some(spliced)
}

/// The file of a recorded call: an accepted one can be written and read again, and a repeated call keeps to the limits.
pub fn recording(bytes: &[u8]) {
    const MOST_MESSAGE_BYTES: usize = 1_000;
    let input = Input::new(bytes);
    let call = match Call::parse(bytes) {
        Ok(call) => call,
        Err(why) => {
            assert!(!why.is_empty() && why.len() <= MOST_MESSAGE_BYTES, "{why}");
            // A file without a recorded call is a document.
            assert_eq!(input.is_err(), is_call(bytes));
            return;
        }
    };
    let input = input.expect("a recorded call is an input");
    assert_eq!(input.bytes, call.result);
    let written = call.to_bytes().expect("what was read can be written");
    let again = Call::parse(&written).expect("what was written can be read");
    assert_eq!(again, call);
    for failure in &call.failures {
        assert_eq!(failure.document().text().as_ref(), failure.document);
        let limits = failure.limits();
        for row in LIMITS {
            let value = limits.value(row.key);
            assert!((row.least..=row.most).contains(&value), "{}", row.name);
        }
    }
}

/// A stream of server-sent events: any division into pieces gives the same events, and no byte is lost.
pub fn events(bytes: &[u8]) {
    let Some((&step, stream)) = bytes.split_first() else {
        return;
    };
    let (whole, bytes) = sse_events([stream]);
    let (pieces, bytes_of_pieces) = sse_events(stream.chunks(usize::from(step).max(1)));
    assert_eq!(whole, pieces);
    assert!(
        bytes == stream && bytes_of_pieces == stream,
        "no byte is lost"
    );
}

/// A text: recognised data is JSON with as many rows as the text has, and no letter or digit of a table is lost.
pub fn formats(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if let Some(json) = tamis_formats::rows_of_arrays(text) {
        assert!(Document::json(json).is_ok(), "rows are JSON");
    }
    tamis_formats::unwrap_blocks(text);
    let Some(data) = tamis_formats::read(text) else {
        return;
    };
    let parts = [data.text_before(), data.source(), data.text_after()];
    assert_eq!(parts.concat(), text);
    let places = data.rows.iter().flat_map(|row| [row.start, row.end]);
    let places: Vec<usize> = places.chain([data.after.start]).collect();
    assert!(places.is_sorted() && places[0] >= data.before.end);
    if !data.format.is_table() {
        assert!(data.rows.is_empty());
        serde_json::from_str::<&RawValue>(&data.json).expect("data is JSON");
        return;
    }
    let rows: Vec<&RawValue> = serde_json::from_str(&data.json).expect("a table is a list");
    if !data.tape.is_empty() {
        let indexed = Document::json(data.json.as_str()).expect("a table is JSON");
        let tape = indexed.tape().expect("JSON has a tape");
        assert_eq!(**tape.words(), data.tape, "{}", data.json);
    }
    assert_eq!(rows.len(), data.rows.len());
    // Python's calls have names that JSON lacks.
    if data.format == Format::ReprLines {
        return;
    }
    let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    for (row, place) in rows.iter().zip(&data.rows) {
        // JSON also has names and escapes.
        assert!(count(row.get()) >= count(&text[place.clone()]), "{row}");
    }
}

/// An original, a part of it, and a query: the answer is within its cap, and its cursors lead to the end.
pub fn reading(bytes: &[u8]) {
    const MOST_TOKENS: usize = 200;
    const MOST_PAGES: usize = 2_000;
    let [original, part, asked] = parts(bytes);
    let (Ok(part), Ok(asked)) = (str::from_utf8(part), str::from_utf8(asked)) else {
        return;
    };
    let original = Original::new(original);
    let part = Some(part).filter(|part| !part.is_empty());
    let path = || Some(asked.to_owned()).filter(|asked| !asked.is_empty());
    let pattern = |regex| Query::Search {
        pattern: asked.to_owned(),
        regex,
        ignore_case: false,
        context: 1,
        path: None,
    };
    let number = asked.parse().unwrap_or(1);
    let queries = [
        Query::Whole,
        Query::Short,
        Query::Path(asked.to_owned()),
        Query::Sql {
            query: asked.to_owned(),
            path: None,
        },
        Query::Sql {
            query: "SELECT * FROM tables".to_owned(),
            path: path(),
        },
        Query::Rows {
            path: path(),
            from: number,
            to: None,
        },
        Query::Lines {
            path: path(),
            from: number,
            to: None,
        },
        pattern(false),
        pattern(true),
        Query::Cursor(asked.to_owned()),
    ];
    let counter = |text: &str| text.len().div_ceil(3);
    let cap = Cap {
        tokens: MOST_TOKENS,
        counter: &counter,
    };
    for query in queries {
        let mut next = excerpt::read(&original, part, &query, cap);
        let mut pages = 0;
        while let Ok(page) = next {
            let tokens = counter(&page.to_string());
            assert!(tokens <= MOST_TOKENS, "{tokens} tokens: {query:?}");
            let Some(cursor) = page.next else { break };
            pages += 1;
            if pages > MOST_PAGES {
                break;
            }
            let cursor = Query::Cursor(cursor.as_str().to_owned());
            next = excerpt::read(&original, part, &cursor, cap);
            assert!(next.is_ok(), "a cursor that was given out: {next:?}");
        }
    }
}

/// References of originals, of plugins in registries, and digests: an accepted one is spelled as it was given.
pub fn reference(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(reference) = text.parse::<store::Reference>() {
        assert_eq!(reference.to_string().len(), 16);
        assert_eq!(
            reference.to_string().parse::<store::Reference>().ok(),
            Some(reference)
        );
    }
    if let Ok(reference) = registry::Reference::parse(text) {
        let again = registry::Reference::parse(&reference.to_string());
        assert_eq!(again.ok().as_ref(), Some(&reference), "{text:?}");
    }
    if let Ok(digest) = text.parse::<registry::Digest>() {
        assert_eq!(digest.to_string().parse().ok(), Some(digest));
    }
}

/// The answer of a registry to a request for a manifest, of a plugin, a policy or signatures.
pub fn manifest(bytes: &[u8]) {
    let (plugin, policy) = (registry::read_manifest(bytes), registry::policy_of(bytes));
    assert!(plugin.is_err() || policy.is_err(), "a plugin is no policy");
    for error in [plugin.err(), policy.err()].into_iter().flatten() {
        assert!(error.to_string().len() < 1_000, "{error}");
    }
    match registry::read_signatures(bytes) {
        Ok(count) => assert!(count <= MAX_SIGNATURES, "{count}"),
        Err(error) => assert!(error.to_string().len() < 1_000, "{error}"),
    }
}

/// A client's configuration: the output of `tamis install` can be read, has Tamis before each server, and can be undone
/// byte for byte (`wrap` checks this, and refuses otherwise).
pub fn client_configuration(bytes: &[u8]) {
    const CLIENTS: [Client; 6] = [
        Client::ClaudeCode,
        Client::Codex,
        Client::Continue,
        Client::OpenCode,
        Client::Zed,
        Client::GeminiCli,
    ];
    let Some((&client, text)) = bytes.split_first() else {
        return;
    };
    let client = CLIENTS[usize::from(client) % CLIENTS.len()];
    let Ok(text) = str::from_utf8(text) else {
        return;
    };
    let Ok(servers) = install::servers(text, client.format(), client.lists()) else {
        return;
    };
    let configuration = Configuration {
        path: "configuration".into(),
        text: text.to_owned(),
        servers,
    };
    let wrapping = Wrapping {
        program: "tamis".to_owned(),
        config: None,
    };
    let free = |server: &&Server| server.obstacle("tamis").is_none();
    let chosen: Vec<&Server> = configuration.servers.iter().filter(free).collect();
    let Ok(wrapped) = configuration.wrap(client, &wrapping, &chosen) else {
        return;
    };
    let now = install::servers(&wrapped.text, client.format(), client.lists());
    let now = now.expect("what Tamis wrote can be read");
    for server in chosen {
        let again = now.iter().find(|again| again.at == server.at);
        let is_wrapped = again.is_some_and(|again| again.is_wrapped("tamis"));
        assert!(is_wrapped, "{:?} in {:?}", server.at, wrapped.text);
    }
}

/// The text that no client may read, and the tool that none may call.
const SECRET: &str = "SECRET";
const HIDDEN: &str = "hidden";

/// The request of a waiting client.
const CALL: &[u8] =
    br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{}}}"#;

/// A policy that redacts the text of every result, and hides one tool.
struct Hiding;

impl Rewrite for Hiding {
    type Trace = ();
    type Bound = ();

    fn bind(&self, asked: Asked<'_, ()>) -> Option<()> {
        (asked.method == "tools/call").then_some(())
    }

    fn answer_locally(&self, asked: Asked<'_, ()>) -> Option<LocalWork> {
        let params: Value = serde_json::from_slice(asked.params?).ok()?;
        let is_hidden = asked.method == "tools/call" && params["name"] == HIDDEN;
        is_hidden.then(|| Box::new(|| LocalAnswer::Error(b"{}".to_vec())) as LocalWork)
    }

    fn result(&self, (): &(), _result: &[u8]) -> Option<Vec<u8>> {
        Some(br#"{"content":[]}"#.to_vec())
    }

    fn tools_list(&self, _result: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn rewrites_tools_list(&self) -> bool {
        false
    }

    fn hides(&self) -> bool {
        true
    }
}

/// Bytes as a body and as lines, first from the server, then from the client. Whatever a reader takes for the answer to
/// the client's request has none of the redacted text. Whatever a reader takes for a call of a hidden tool does not
/// reach the server.
pub fn frames(bytes: &[u8]) {
    let lines = lines_of_stream(bytes);
    let from_server = |frames: &[&[u8]]| {
        let relay = Relay::new(Arc::new(Hiding));
        let noted = relay.from_client(CALL, Origin::default());
        assert_eq!(noted.forward, Forward::AsItIs);
        let passed = frames.iter().map(|frame| match relay.from_upstream(frame) {
            FromUpstream::Forward => frame.to_vec(),
            FromUpstream::Rewrite(job) => job.run().0,
            FromUpstream::Refused(refused) => refused.errors.join(&b'\n'),
        });
        passed.collect::<Vec<_>>()
    };
    let from_client = |frames: &[&[u8]]| {
        let relay = Relay::new(Arc::new(Hiding));
        let passed =
            frames.iter().map(
                |frame| match relay.from_client(frame, Origin::default()).forward {
                    Forward::AsItIs => frame.to_vec(),
                    Forward::Instead(frame) => frame,
                    Forward::Nothing => Vec::new(),
                },
            );
        passed.collect::<Vec<_>>()
    };
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let (body, stream) = (from_server(&[bytes]).concat(), from_server(&lines).concat());
    for answer in readers::in_body(&body)
        .iter()
        .chain(&readers::in_lines(&stream))
    {
        let tells = answer.is_for(7) && answer.holds(SECRET);
        assert!(!tells, "{}", String::from_utf8_lossy(bytes));
    }
    let (body, stream) = (from_client(&[bytes]).concat(), from_client(&lines).concat());
    let calls = readers::calls_in_body(&body, HIDDEN) || readers::calls_in_lines(&stream, HIDDEN);
    assert!(!calls, "{}", String::from_utf8_lossy(bytes));
}

/// Numbers separated by spaces: as text, so that no byte of one ends its part.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.split(|byte| *byte == b' ');
    let words = words.filter_map(|word| str::from_utf8(word).ok()?.parse().ok());
    words.collect()
}

/// Three parts with 0xff between them; a missing part is empty.
fn parts(bytes: &[u8]) -> [&[u8]; 3] {
    let mut parts = bytes.splitn(3, |byte| *byte == 0xff);
    [(); 3].map(|()| parts.next().unwrap_or_default())
}
