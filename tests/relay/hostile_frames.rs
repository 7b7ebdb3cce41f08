//! Hostile frames pass `tamis run` byte for byte, with one exception. A carriage return outside of strings, which is a
//! line break for some readers, becomes a space.
//!
//! The frames are in `frames/` (see the README there); those with a counter are made here. Each goes in both
//! directions, one by one and all in one stream, without a chain and with a chain for another tool. No SDK is involved:
//! the upstream is `cat`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{Finished, Folder, Program, excerpt, tamis_run};

/// The least number of frames in the corpus.
const LEAST_FRAMES: usize = 280;

/// The policies under which no frame may change.
const NO_CHAIN: &str = "";
const OTHER_TOOL: &str = "[[chain]]\ntools = [\"no_such_tool\"]\nsteps = [\"null-stripper\"]\n";

/// Sent before each frame in the runs one by one, so that a request waits for an answer to 1 and 2.
const ASKED: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"unbound","arguments":{}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n",
];

/// Sent after each frame in the runs one by one, to see that all of it is back.
const AFTER: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/after\"}\n";

struct Frame {
    /// File and line, or the name of the flood.
    name: String,
    /// With its line break.
    bytes: Vec<u8>,
}

fn corpus() -> Vec<Frame> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/frames");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("list tests/frames")
        .map(|entry| entry.expect("list tests/frames").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    let mut frames: Vec<Frame> = files.iter().flat_map(|path| read_family(path)).collect();
    frames.extend(floods());
    frames
}

fn read_family(path: &Path) -> Vec<Frame> {
    let family = path.file_stem().expect("a file has a name").display();
    let text = fs::read_to_string(path).expect("a family is UTF-8");
    let lines = text.split('\n').enumerate();
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(index, line)| {
            let mut bytes = written_out(line);
            bytes.push(b'\n');
            Frame {
                name: format!("{family}.txt line {}", index + 1),
                bytes,
            }
        })
        .collect()
}

/// The bytes of a line of a family.
fn written_out(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some((plain, marked)) = rest.split_once('‹') {
        let (inside, after) = marked.split_once('›').expect("‹ is closed by ›");
        bytes.extend(plain.as_bytes());
        match inside.split_once('×') {
            Some((count, text)) => {
                let count = count.parse().expect("a count stands before ×");
                bytes.extend(text.as_bytes().repeat(count));
            }
            None => bytes.extend(inside.split_whitespace().map(|pair| {
                u8::from_str_radix(pair, 16).expect("two hexadecimal digits between ‹ and ›")
            })),
        }
        rest = after;
    }
    bytes.extend(rest.as_bytes());
    bytes
}

/// Many frames at once, each with its number at `#`.
fn floods() -> Vec<Frame> {
    let table = [
        (
            "progress",
            4000,
            r##"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":#,"total":4e3}}"##,
        ),
        (
            "cancelled",
            4000,
            r##"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":#}}"##,
        ),
        (
            "calls",
            4000,
            r##"{"jsonrpc":"2.0","id":"call-#","method":"tools/call","params":{"name":"unbound","arguments":{"n":#.0}}}"##,
        ),
        (
            "answers",
            4000,
            r##"{"jsonrpc":"2.0","id":"call-#","result":{"content":[{"type":"text","text":"{\"a\":null}"}]}}"##,
        ),
        (
            "tasks",
            5000,
            r##"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t-#","status":"working"}}}"##,
        ),
        (
            "log messages",
            4000,
            r##"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":#}}}"##,
        ),
        ("empty lines", 4000, ""),
        ("letters", 4000, "#"),
        ("open brackets", 4000, "[{\"#\":"),
    ];
    table
        .into_iter()
        .map(|(name, count, pattern)| {
            let mut flood = String::new();
            for number in 0..count {
                let _ = writeln!(flood, "{}", pattern.replace('#', &number.to_string()));
            }
            Frame {
                name: format!("flood of {name}"),
                bytes: flood.into_bytes(),
            }
        })
        .collect()
}

/// The bytes that must arrive for sent lines.
fn arriving(sent: &[u8]) -> Vec<u8> {
    let lines = sent.split_inclusive(|byte| *byte == b'\n');
    lines.flat_map(arriving_line).collect()
}

fn arriving_line(line: &[u8]) -> Vec<u8> {
    let ending = match line {
        [.., b'\r', b'\n'] => 2,
        [.., b'\r' | b'\n'] => 1,
        _ => 0,
    };
    let (inner, ending) = line.split_at(line.len() - ending);
    let mut arriving = Vec::with_capacity(line.len());
    let (mut in_string, mut after_backslash) = (false, false);
    for &byte in inner {
        let is_return = byte == b'\r' && !in_string;
        arriving.push(if is_return { b' ' } else { byte });
        if byte == b'"' && !after_backslash {
            in_string = !in_string;
        }
        after_backslash = in_string && byte == b'\\' && !after_backslash;
    }
    arriving.extend_from_slice(ending);
    arriving
}

/// The first difference of two byte strings, for a human.
fn difference(expected: &[u8], found: &[u8]) -> String {
    let same = expected
        .iter()
        .zip(found)
        .take_while(|(expected, found)| expected == found)
        .count();
    let around = |bytes: &[u8]| {
        let from = same.saturating_sub(60).min(bytes.len());
        excerpt(&bytes[from..bytes.len().min(same + 200)])
    };
    format!(
        "{} bytes expected, {} found, different from byte {same} on\nexpected: …{}…\n   found: …{}…",
        expected.len(),
        found.len(),
        around(expected),
        around(found),
    )
}

/// Sends each frame through `cat` and back, and waits for the message after it before the next. After a failure it
/// continues, so that the report names all.
fn one_by_one(policy: &str) {
    let folder = Folder::new();
    let config = folder.write("filters.toml", policy);
    let mut tamis = Program::new(&tamis_run(&config, &["cat"]), folder.path()).start();
    let mut changed = Vec::new();
    for frame in corpus() {
        let mut sent: Vec<u8> = ASKED.iter().flat_map(|line| line.bytes()).collect();
        sent.extend(&frame.bytes);
        tamis.send(sent.clone());
        tamis.send(AFTER);
        let mut back = Vec::new();
        while !back.ends_with(AFTER.as_bytes()) {
            match tamis.receive_line() {
                line if line.is_empty() => tamis.fail(&format!("ended at {}", frame.name)),
                line => back.extend(line),
            }
        }
        back.truncate(back.len() - AFTER.len());
        let expected = arriving(&sent);
        if back != expected {
            changed.push((frame.name, difference(&expected, &back)));
        }
    }
    if let Some((_, difference)) = changed.first() {
        let names: Vec<&str> = changed.iter().map(|(name, _)| name.as_str()).collect();
        tamis.fail(&format!(
            "{} frames did not come back as they were: {}\nthe first: {difference}",
            names.len(),
            names.join(", ")
        ));
    }
    tamis.stayed_small();
    tamis.finish().succeeded();
}

#[test]
fn each_frame_comes_back_with_no_chain() {
    one_by_one(NO_CHAIN);
}

#[test]
fn each_frame_comes_back_with_a_chain_on_another_tool() {
    one_by_one(OTHER_TOOL);
}

/// All frames as one stream; `end` is the end of the last line.
fn stream(end: &str) -> Vec<u8> {
    let mut stream = Vec::new();
    for frame in corpus() {
        stream.extend(frame.bytes);
    }
    stream.extend(br#"{"jsonrpc":"2.0","method":"notifications/last"}"#);
    stream.extend(end.as_bytes());
    stream
}

/// Runs an upstream made of `sh`. It finds the corpus in `down` and writes its input to `up`. The client closes its
/// side after this many bytes came back.
fn with_upstream(
    script: &str,
    policy: &str,
    down: &[u8],
    up: &[u8],
    back: usize,
) -> (Finished, Vec<u8>) {
    let folder = Folder::new();
    let config = folder.write("filters.toml", policy);
    folder.write("down", down);
    let line = tamis_run(&config, &["sh", "-c", script]);
    let mut tamis = Program::new(&line, folder.path()).start();
    tamis.send(up);
    tamis.wait_for_bytes(back);
    tamis.stayed_small();
    let finished = tamis.finish().succeeded();
    let kept = fs::read(folder.path().join("up")).unwrap_or_default();
    (finished, kept)
}

#[test]
fn one_stream_from_the_server_arrives() {
    for policy in [NO_CHAIN, OTHER_TOOL] {
        for end in ["\n", "", "\r\n"] {
            let down = stream(end);
            let script = "cat down; cat >up";
            // The last line may lack its line break.
            let back = down.len() - 100;
            let (finished, _) = with_upstream(script, policy, &down, b"", back);
            let down = arriving(&down);
            if finished.stdout != down {
                finished.fail(&difference(&down, &finished.stdout));
            }
        }
    }
}

#[test]
fn one_stream_from_the_client_arrives() {
    for policy in [NO_CHAIN, OTHER_TOOL] {
        for end in ["\n", "", "\r\n"] {
            let up = stream(end);
            // It reports this once it has all lines except the last.
            let most = up.len() - 100;
            let script = format!("head -c {most} >up; echo; cat >>up");
            let (finished, kept) = with_upstream(&script, policy, b"", &up, 1);
            let up = arriving(&up);
            if kept != up {
                finished.fail(&difference(&up, &kept));
            }
        }
    }
}

#[test]
fn streams_in_both_directions_at_once_arrive() {
    for policy in [NO_CHAIN, OTHER_TOOL] {
        let both = stream("\n");
        let script = "cat down & cat >up; wait";
        let (finished, kept) = with_upstream(script, policy, &both, &both, both.len());
        let both = arriving(&both);
        if kept != both {
            finished.fail(&difference(&both, &kept));
        }
        // The upstream answers nothing, so Tamis may send errors to the client after the frames.
        let (sent, told) = finished
            .stdout
            .split_at(both.len().min(finished.stdout.len()));
        if sent != both {
            finished.fail(&difference(&both, sent));
        }
        let told = String::from_utf8_lossy(told);
        if let Some(line) = told.lines().find(|line| !line.contains("\"error\"")) {
            finished.fail(&format!("after the upstream's last frame: {line}"));
        }
    }
}

#[test]
fn the_corpus_is_large_and_says_what_it_means() {
    let frames = corpus();
    let count = frames.len();
    assert!(
        count >= LEAST_FRAMES,
        "{count} frames, {LEAST_FRAMES} wanted"
    );
    let notation = [
        ("a‹FF 00›b", &b"a\xff\x00b"[..]),
        ("‹3×[›‹2×ab›", b"[[[abab"),
        ("‹›", b""),
        (r#"{"a":"\u0000"}"#, br#"{"a":"\u0000"}"#),
    ];
    for (line, bytes) in notation {
        assert_eq!(written_out(line), bytes, "{line}");
    }
    assert_eq!(
        arriving(b"{\r\"\r\\\"\r\"\r}\r\n\r"),
        b"{ \"\r\\\"\r\" }\r\n\r"
    );
    for (name, least_bytes) in [("strings.txt", 16 << 20), ("flood of tasks", 300_000)] {
        let largest = frames
            .iter()
            .filter(|frame| frame.name.starts_with(name))
            .map(|frame| frame.bytes.len())
            .max();
        assert!(largest >= Some(least_bytes), "{name}: {largest:?}");
    }
}
