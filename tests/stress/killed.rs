//! Proxies that are killed at work, several at once with one state directory. No answer that a client received names a
//! missing original, and nothing is torn.

use std::path::Path;
use std::thread;

use crate::support::mcp::{Stage, id_of, references};
use crate::support::{Program, tamis_run};
use serde_json::json;
use tamis::store::{Reference, Store, StoreLimits};

/// Number of proxies at once.
const AT_ONCE: u64 = 4;

/// Number of kills and restarts of each proxy.
const ROUNDS: u64 = 50;

/// Waiting calls in each proxy.
const CALLS: u64 = 40;

/// All results differ: each begins with the word of its server and the call's id.
const SERVER: &str = r#"
while IFS= read -r line; do
    case $line in *'"id":'*) ;; *) continue ;; esac
    id=${line#*'"id":'} id=${id%%,*}
    printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"{\\"from\\":\\"%s-%s\\",' "$id" "$1" "$id"
    cat "$0"
    printf '}\n'
done
"#;

const POLICY: &str = r#"
[[chain]]
tools = ["*"]
steps = [{ filter = "pending-to-meta", limits = { time = "10s" } }]

[read-tool]
cap = 100000
"#;

/// The rest of every result, after its first member.
fn rest() -> String {
    let rows: Vec<_> = (0..400)
        .map(|id| json!({"id": id, "text": format!("row {id}: \"quoted\" and ünïcode")}))
        .collect();
    let hint = "ACTION REQUIRED: ".repeat(200);
    let document = json!({"rows": rows, "_pending_annotations": {"count": 2, "nodes": ["a", "b"], "hint": hint}});
    let document = document.to_string();
    // Without its opening brace, as the rest of a string, of a block and of a result.
    let text = json!(document[1..]).to_string();
    format!("{}}}]}}", &text[1..])
}

/// The answer of the server `word` to a request.
fn sent(word: &str, id: u64, rest: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{{\"from\":\"{word}-{id}\",{rest}"#)
}

/// A reference that a client received, and its bytes.
struct Received {
    reference: String,
    word: String,
    id: u64,
}

/// Starts a proxy with waiting calls, and kills it after it wrote a number of bytes, which the seed decides. Returns
/// the whole lines that its client received.
fn killed(stage: &Stage, config: &Path, tail: &Path, seed: u64) -> Vec<Received> {
    let word = format!("{seed:x}");
    let tail = tail.to_str().expect("a plain path");
    let line = tamis_run(config, &["sh", "-c", SERVER, tail, &word]);
    let mut random = Random(seed);
    let mut running = stage.in_state(Program::new(&line, stage.path())).start();
    let calls: String = (1..=CALLS)
        .map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "x", "arguments": {}}}))
        .map(|call| format!("{call}\n"))
        .collect();
    running.send(calls);
    // The number of bytes spreads the kills over the steps of one answer: waiting for it, storing it, writing it.
    let bytes = random.below(CALLS * 24_000) as usize;
    running.wait_for_bytes(bytes);
    let finished = running.kill();
    let mut lines: Vec<&[u8]> = finished
        .stdout
        .split_inclusive(|byte| *byte == b'\n')
        .collect();
    lines.retain(|line| line.ends_with(b"\n"));
    let mut received = Vec::new();
    for line in lines {
        let id = id_of(line).unwrap_or_else(|| finished.fail("an answer without an id"));
        let text = String::from_utf8_lossy(line);
        received.extend(references(&text).map(|reference| Received {
            reference: reference.to_owned(),
            word: word.clone(),
            id,
        }));
    }
    received
}

#[test]
fn no_kill_takes_what_a_client_was_told_of() {
    let stage = Stage::new(POLICY);
    let (config, tail) = (stage.path().join("filters.toml"), stage.path().join("tail"));
    let rest = rest();
    std::fs::write(&tail, &rest).expect("write the server's answer");
    let received = thread::scope(|scope| {
        let proxies = (0..AT_ONCE).map(|proxy| {
            let (stage, config, tail) = (&stage, &config, &tail);
            scope.spawn(move || {
                let seeds = (0..ROUNDS).map(|round| round * AT_ONCE + proxy);
                seeds
                    .flat_map(|seed| killed(stage, config, tail, seed))
                    .collect::<Vec<_>>()
            })
        });
        let proxies: Vec<_> = proxies.collect();
        let received = proxies
            .into_iter()
            .map(|it| it.join().expect("no proxy failed"));
        received.flatten().collect::<Vec<Received>>()
    });
    eprintln!(
        "{} kills, {} answers with a reference",
        AT_ONCE * ROUNDS,
        received.len()
    );
    assert!(
        received.len() as u64 > AT_ONCE * ROUNDS,
        "{} answers are too few",
        received.len()
    );

    // A fresh proxy has every original: each as a resource, and some with the read tool, which counts tokens.
    let mut client = stage.start();
    for (place, received) in received.iter().enumerate() {
        let Received {
            reference,
            word,
            id,
        } = received;
        let expected = sent(word, *id, &rest);
        let uri = format!("tamis://original/{reference}");
        let answer = client.ask("resources/read", &json!({"uri": uri}));
        let text = answer["result"]["contents"][0]["text"].as_str();
        if text != Some(&expected) {
            client.fail(&format!(
                "{word}-{id} was told of {reference}, which is {answer}"
            ));
        }
        if place % 100 == 0 {
            let whole = client.read_back("tamis_read", reference);
            assert_eq!(whole.as_deref(), Ok(&*expected), "{word}-{id}: {reference}");
        }
    }
    client.finish().succeeded();

    // No original is torn, whether a client knows it or not.
    let store = Store::open(&stage.state(), StoreLimits::default()).expect("open the store");
    let listed = store.list().expect("list");
    let files = count(&stage.state().join("originals"));
    assert_eq!(listed.len(), files, "files that are no originals");
    for original in &listed {
        let bytes = store.get(&original.reference).expect("a whole original");
        assert_eq!(Reference::of(&bytes), original.reference);
        assert!(bytes.ends_with(rest.as_bytes()), "{}", original.reference);
    }
    // The command reads them too, with a process for each.
    for original in listed.iter().step_by(listed.len().div_ceil(20)) {
        let reference = original.reference.to_string();
        let line = [env!("CARGO_BIN_EXE_tamis"), "read", &reference];
        let read = stage
            .in_state(Program::new(&line, stage.path()))
            .run("")
            .succeeded();
        assert_eq!(Reference::of(&read.stdout), original.reference);
    }

    // Partial files of killed processes are removed, once they are old enough to belong to none.
    let partial = stage.state().join("partial");
    let halves = count(&partial);
    for half in std::fs::read_dir(&partial).expect("partial") {
        let half = std::fs::File::open(half.expect("a half").path()).expect("open");
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(1 << 20);
        half.set_modified(long_ago).expect("set its time");
    }
    let swept = store.sweep().expect("sweep");
    eprintln!("{} originals, {halves} halves", listed.len());
    assert_eq!((swept.strays, count(&partial)), (halves as u64, 0));
    assert_eq!(swept.removed, 0, "young originals went");
}

fn count(directory: &Path) -> usize {
    std::fs::read_dir(directory).expect("a directory").count()
}

/// Splitmix.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit
    }
}
