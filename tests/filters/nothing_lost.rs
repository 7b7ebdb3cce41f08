//! Nothing is lost, with any filter and document. The read tool alone returns cut content, byte for byte, even after
//! the proxy was killed. Without a cut, the client gets everything that upstream sent.
//!
//! Every built-in filter, also a future one, runs on every document (`TAMIS_DATA=FOLDER` adds
//! `FOLDER/corpus/**/*.json`), in each mode of a chain.

mod documents;
mod json;
mod texts;

use crate::support::manifests;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::iter;
use std::sync::Mutex;
use std::time::Instant;

use self::documents::Sent;
use self::json::Json;
use crate::support::excerpt;
use crate::support::mcp::{Stage, frame, references};
use serde_json::Value;
use tamis::built_in::{self, Role};

/// Roles of filters that write JSON as other JSON, so that the outputs can only be compared by words, not by values.
const OTHER_JSON: [Role; 2] = [Role::Encodes, Role::Parses];

/// Each mode, and its keys of a chain.
const MODES: &[(&str, &str)] = &[
    ("text", "structured = \"text\""),
    ("keep", "structured = \"keep\""),
    ("rewrite", "structured = \"rewrite\""),
    ("merge", "structured = \"text\"\nblocks = \"merge\""),
];

/// Most differences that a failure shows.
const SHOWN: usize = 5;

#[test]
fn whatever_a_filter_cuts_is_read_back_after_a_kill() {
    let documents = documents::all();
    eprintln!("{} documents", documents.len());
    let filters = Mutex::new(built_in::FILTERS.iter().filter(|it| cuts(it.name)));
    let next = || filters.lock().expect("no panic").next();
    let of_some_filters = || {
        let mut failures = String::new();
        while let Some(filter) = next() {
            let begun = Instant::now();
            let outcome = Outcome::of(&documents, &[filter.name], MODES);
            let name = filter.name;
            eprintln!("{name}: {outcome}, {:.1} s", begun.elapsed().as_secs_f32());
            if outcome.changed == 0 {
                let _ = writeln!(
                    failures,
                    "`{name}` changed no document: give it `tests.settings` in its manifest"
                );
            }
            failures += &outcome.failures;
        }
        failures
    };
    // No other test takes as long.
    let failures = std::thread::scope(|scope| {
        let other = scope.spawn(of_some_filters);
        of_some_filters() + &other.join().expect("no panic")
    });
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn whatever_all_filters_together_cut_is_read_back_after_a_kill() {
    let documents = documents::all();
    let names: Vec<&str> = built_in::names()
        .into_iter()
        .filter(|it| cuts(it))
        .collect();
    // A process each, since a busy machine needs more time for all than a process has.
    for mode in MODES {
        let outcome = Outcome::of(&documents, &names, std::slice::from_ref(mode));
        eprintln!("all, {}: {outcome}", mode.0);
        assert!(outcome.cut > 0, "nothing was cut");
        assert!(outcome.failures.is_empty(), "{}", outcome.failures);
    }
}

/// Whether the filter's cuts can be read back. Redacted content cannot.
fn cuts(filter: &str) -> bool {
    !manifests::has_role(&[filter], Role::Redacts)
}

/// The results of all documents through one chain, in some modes.
#[derive(Default)]
struct Outcome {
    changed: usize,
    cut: usize,
    read_back_bytes: usize,
    failures: String,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outcome {
            changed,
            cut,
            read_back_bytes,
            ..
        } = self;
        write!(
            f,
            "{changed} changed with `keep`, {cut} cut in these modes, {read_back_bytes} bytes read back"
        )
    }
}

fn policy(steps: &[&str], modes: &[(&str, &str)]) -> String {
    let steps: String = steps
        .iter()
        .map(|name| format!("  {},\n", manifests::step(name)))
        .collect();
    let chain = |(mode, keys): &(&str, &str)| {
        format!(
            "[[chain]]\nname = \"{mode}\"\ntools = [\"{mode}_*\"]\nsteps = [\n{steps}]\n{keys}\n"
        )
    };
    modes.iter().map(chain).collect()
}

impl Outcome {
    fn of(documents: &[Sent], steps: &[&str], modes: &[(&str, &str)]) -> Outcome {
        let stage = Stage::new(&policy(steps, modes));
        let mut tools = Vec::new();
        for (mode, _) in modes {
            for (index, document) in documents.iter().enumerate() {
                let name = format!("{mode}_{index}");
                stage.tool(&name, &document.bytes);
                tools.push((name, document));
            }
        }
        let listed: Vec<Value> = tools
            .iter()
            .map(|(name, _)| serde_json::json!({"name": name, "inputSchema": {"type": "object"}}))
            .collect();
        stage.answers(
            "tools/list",
            serde_json::json!({"tools": listed}).to_string(),
        );

        let mut outcome = Outcome::default();
        let mut cut: BTreeMap<String, &Sent> = BTreeMap::new();
        let mut client = stage.start();
        client.ask("tools/list", &serde_json::json!({}));
        let times = steps
            .iter()
            .map(|step| manifests::of(step).facts.tests.calls);
        let times = times.max().unwrap_or(1);
        let calls: Vec<&(String, &Sent)> = tools
            .iter()
            .flat_map(|call| iter::repeat_n(call, times))
            .collect();
        let ids: Vec<u64> = calls
            .iter()
            .map(|(name, _)| {
                client.send(
                    "tools/call",
                    &serde_json::json!({"name": name, "arguments": {}}),
                )
            })
            .collect();
        for (id, (name, sent)) in ids.into_iter().zip(calls) {
            let line = client.line(id);
            if line == frame(id, &sent.bytes) {
                continue;
            }
            // Otherwise a copy of the text is removed, with any filter.
            outcome.changed += usize::from(name.starts_with("keep_"));
            let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
            let emitted = line.strip_prefix(head.as_bytes());
            let Some(emitted) = emitted.and_then(|rest| rest.strip_suffix(b"}\n")) else {
                outcome.fail(name, sent, &line, "bytes beside the result changed");
                continue;
            };
            let (emitted, before) = (
                String::from_utf8_lossy(emitted),
                String::from_utf8_lossy(&sent.bytes),
            );
            let known: BTreeSet<&str> = references(&before).collect();
            let told: BTreeSet<&str> = references(&emitted)
                .filter(|it| !known.contains(it))
                .collect();
            for reference in &told {
                cut.insert((*reference).to_owned(), sent);
            }
            outcome.cut += usize::from(!told.is_empty());
            if told.is_empty()
                && let Err(lost) = holds_all(&before, &emitted, steps)
            {
                outcome.fail(name, sent, &line, &lost);
            }
        }
        // Killed, not asked to end: the originals of sent results must exist.
        client.kill();

        let mut client = stage.start();
        for (reference, sent) in cut {
            match client.read_back("tamis_read", &reference) {
                Ok(whole) if whole.as_bytes() == sent.bytes => {
                    outcome.read_back_bytes += whole.len()
                }
                Ok(whole) => outcome.fail(
                    &reference,
                    sent,
                    whole.as_bytes(),
                    "other bytes were read back",
                ),
                Err(error) => outcome.fail(&reference, sent, b"", &error),
            }
        }
        outcome
    }

    fn fail(&mut self, what: &str, sent: &Sent, got: &[u8], why: &str) {
        if self.failures.matches("\n== ").count() >= SHOWN {
            return;
        }
        let (sent_name, before, got) = (&sent.name, excerpt(&sent.bytes), excerpt(got));
        let _ = writeln!(
            self.failures,
            "\n== {what}, {sent_name}: {why}\nsent {before}\ngot  {got}"
        );
    }
}

/// Checks that an uncut output has everything that upstream sent.
fn holds_all(before: &str, emitted: &str, steps: &[&str]) -> Result<(), String> {
    let (Some(mut before), Some(emitted)) = (json::parse(before), json::parse(emitted)) else {
        return Err("no JSON".to_owned());
    };
    let emitted_blocks = blocks(&emitted);
    for block in blocks(&before) {
        if block.get("type").and_then(Json::text) != Some("text")
            && !emitted_blocks.contains(&block)
        {
            return Err(format!("a block is not what it was: {block:?}"));
        }
    }
    let texts: Vec<String> = blocks(&before)
        .into_iter()
        .filter_map(|block| Some(block.get("text")?.text()?.to_owned()))
        .collect();
    let mut emitted = documents_of(&emitted);
    // A line in place of `structuredContent` that has the texts in strings.
    if let Some(around) = emitted.iter().find_map(around_texts) {
        emitted.push(around.opened());
        put_placeholders(&mut before, &texts);
    }
    let before = documents_of(&before);
    let mut words = (BTreeSet::new(), BTreeSet::new());
    emitted
        .iter()
        .for_each(|document| document.words_said(&mut words.1));
    // A null may be missing.
    let essence = |documents: Vec<Json>| documents.iter().map(Json::essence).collect::<Vec<_>>();
    let (before, emitted) = (essence(before), essence(emitted));
    before
        .iter()
        .for_each(|document| bare(document).words(&mut words.0));
    // Some words are expressed by the form of a filter's output.
    let manifests = steps.iter().map(|step| manifests::of(step));
    let implied = manifests.flat_map(|manifest| &manifest.facts.tests.implied_words);
    words.1.extend(implied.cloned());
    let lost: Vec<&String> = words.0.difference(&words.1).take(20).collect();
    if !lost.is_empty() {
        return Err(format!("words are lost: {lost:?}"));
    }
    if OTHER_JSON
        .iter()
        .any(|role| manifests::has_role(steps, *role))
    {
        return Ok(());
    }
    let is_lost =
        |document: &&Json| !matches!(document, Json::Text(_)) && !is_among(document, &emitted);
    match before.iter().find(is_lost) {
        Some(document) => Err(format!("a document is another one: {document:?}")),
        None => Ok(()),
    }
}

/// What a line says about `structuredContent` around the texts.
fn around_texts(document: &Json) -> Option<Json> {
    let line = document
        .text()?
        .strip_prefix("structuredContent, where (text")?;
    json::parse(line.split_once(" above: ")?.1)
}

/// Writes the members of `structuredContent` that are the texts as that line does.
fn put_placeholders(result: &mut Json, texts: &[String]) {
    let Json::Object(members) = result else {
        return;
    };
    let structured = members
        .iter_mut()
        .find(|(key, _)| key == "structuredContent");
    let Some((_, Json::Object(members))) = structured else {
        return;
    };
    let name = match texts {
        [_] => "(text)",
        _ => "(texts)",
    };
    for (_, value) in members {
        let elements = value.elements().iter().map(Json::text);
        if elements.eq(texts.iter().map(|text| Some(text.as_str()))) {
            *value = Json::List(vec![Json::Text(name.to_owned())]);
        } else if matches!(texts, [text] if value.text() == Some(text)) {
            *value = Json::Text(name.to_owned());
        }
    }
}

fn blocks(result: &Json) -> Vec<&Json> {
    let Json::Object(members) = result else {
        return Vec::new();
    };
    let contents = members.iter().filter(|(key, _)| key == "content");
    contents
        .flat_map(|(_, content)| content.elements())
        .collect()
}

/// The documents of a result: its texts, and `structuredContent`.
fn documents_of(result: &Json) -> Vec<Json> {
    let texts = blocks(result)
        .into_iter()
        .filter_map(|block| block.get("text"));
    let mut documents: Vec<Json> = texts.map(Json::opened).collect();
    if let Json::Object(members) = result {
        let structured = members.iter().filter(|(key, _)| key == "structuredContent");
        documents.extend(structured.map(|(_, value)| value.opened()));
    }
    documents
}

/// The document inside an object that a server added only as a wrapper.
fn bare(document: &Json) -> &Json {
    match document {
        Json::Object(members) => match &members[..] {
            [(key, value)] if key == "result" || key == "content" => value,
            _ => document,
        },
        _ => document,
    }
}

/// Whether a value is one of these, or one of their members or elements, or consists of such values.
fn is_among(value: &Json, documents: &[Json]) -> bool {
    let members = documents.iter().flat_map(|document| match document {
        Json::Object(members) => &members[..],
        _ => &[],
    });
    let members = members.map(|(_, value)| value);
    let all: Vec<&Json> = documents.iter().chain(members).collect();
    let is_there = |value: &Json| {
        all.iter()
            .any(|it| *it == value || it.elements().contains(value))
    };
    is_there(value)
        || is_there(bare(value))
        || matches!(bare(value), Json::List(elements) if elements.iter().all(is_there))
}
