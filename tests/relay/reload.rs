//! A policy that changes while the proxy runs, as a client and an operator see it: a saved policy is in force, a call
//! never mixes two policies, and a broken file changes nothing.
//!
//! SIGHUP tells the proxy to read the policy, and the test waits for the result in the log. Only one test waits for the
//! proxy to look by itself.

mod lists;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::support::mcp::{Client, Stage};
use crate::support::{Program, tamis_run};
use rustix::process::Signal;
use serde_json::{Value, json};
use tamis::signature::PrivateKey;

/// A proxy whose policy changes, and the position in its log.
struct Proxy {
    stage: Stage,
    client: Client,
    read: usize,
}

impl Proxy {
    fn start(stage: Stage, options: &[&str]) -> Proxy {
        let options: Vec<&str> = [options, &["--log", "info"]].concat();
        Proxy::over(stage.proxy(&options), stage)
    }

    /// Starts the proxy before a server of the test.
    fn before(stage: Stage, server: &[&str]) -> Proxy {
        let mut line = tamis_run(&stage.path().join("filters.toml"), server);
        line.splice(2..2, ["--log".into(), "info".into()]);
        Proxy::over(stage.in_state(Program::new(&line, stage.path())), stage)
    }

    fn over(program: Program, stage: Stage) -> Proxy {
        let mut client = Client::of(program);
        // After this answer the first policy is in force.
        client.ask("ping", &json!({}));
        Proxy {
            stage,
            client,
            read: 0,
        }
    }

    /// Replaces the policy by another file, as editors do.
    fn save(&self, policy: &str) {
        self.put("filters.toml", policy.as_bytes());
    }

    fn put(&self, name: &str, content: &[u8]) {
        let path = self.stage.path().join(name);
        let new = path.with_extension("new");
        std::fs::write(&new, content).expect("write the file");
        std::fs::rename(new, path).expect("put it in its place");
    }

    fn hang_up(&mut self) {
        self.client.program().signal(Signal::HUP);
    }

    /// Waits until the log contains a text after the last position.
    fn until(&mut self, text: &str) {
        self.read = self.client.program().wait_for_log(self.read, text);
    }

    fn has_said(&mut self, text: &str) -> bool {
        self.client.program().log()[self.read..].contains(text)
    }

    /// Saves a policy and waits until the log has this message about it.
    fn change(&mut self, policy: &str, said: &str) {
        self.save(policy);
        self.hang_up();
        self.until(said);
    }
}

/// A policy with a mark that two of its filters leave, each in its own member. It redacts, so an unfiltered result
/// would not pass.
fn marked(number: usize) -> String {
    let step = |member: &str| {
        let mark = format!("{}{number}", &member[..1]);
        format!(
            "{{ filter = \"reshape\", limits = {{ time = \"10s\" }}, on-error = \"block\", rename = {{ {member} = \"{mark}\" }} }}"
        )
    };
    format!(
        "[[chain]]\nname = \"p{number}\"\ntools = [\"*\"]\nsteps = [\n{},\n{},\n]\n",
        step("success"),
        step("error")
    )
}

/// The mark in an answer: that of the only policy that filtered it.
fn mark(result: &Value) -> usize {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    let keys = document.as_object().into_iter().flat_map(|it| it.keys());
    let marks: Vec<Option<usize>> = keys
        .filter(|key| *key != "path")
        .map(|key| key.get(1..)?.parse().ok())
        .collect();
    match marks[..] {
        [Some(one), Some(two)] if one == two => one,
        _ => panic!("not the marks of one policy: {result}"),
    }
}

/// A broken policy, and words of the log about it.
fn broken(number: usize) -> (String, String) {
    let plugin = format!("[[plugin]]\nname = \"gone\"\npath = \"gone-{number}.wasm\"\n");
    let chain = |step: &str| format!("[[chain]]\ntools = [\"*\"]\nsteps = [{step}]\n");
    match number / 2 % 4 {
        0 => (
            format!("{}broken-{number} = = 1\n", marked(number)),
            format!("broken-{number} = = 1"),
        ),
        1 => (
            chain(&format!("\"no-such-{number}\"")),
            format!("no-such-{number}"),
        ),
        2 => (
            chain(&format!("{{ filter = \"reshape\", no-such-{number} = 1 }}")),
            format!("no-such-{number}"),
        ),
        _ => (
            format!("{plugin}{}", chain("\"gone\"")),
            format!("gone-{number}.wasm"),
        ),
    }
}

fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_tamis")).with_file_name("stand-in")
}

/// The number of mapped pieces of code, and resident kilobytes.
fn memory(proxy: &mut Proxy) -> (usize, usize) {
    let pid = proxy.client.program().pid().as_raw_nonzero();
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).expect(name);
    let is_code = |line: &&str| line.split(' ').nth(1).is_some_and(|it| it.contains('x'));
    let status = read("status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = resident.and_then(|line| line.trim().strip_suffix(" kB"));
    let resident = resident.and_then(|kilobytes| kilobytes.parse().ok());
    (
        read("maps").lines().filter(is_code).count(),
        resident.expect("VmRSS"),
    )
}

const ROUNDS: usize = 100;
/// Least calls of a round: calls continue until the policy is read.
const CALLS_A_ROUND: usize = 100;
/// Most calls of a round, beyond which something is wrong.
const CALLS_TOO_MANY: usize = 100_000;

#[test]
fn of_10_000_calls_none_fails_and_each_is_dealt_with_by_one_policy() {
    let server = stand_in();
    let server = server.to_str().expect("a plain path");
    let mut proxy = Proxy::before(Stage::new(&marked(0)), &[server, "sessions"]);
    proxy.client.greet("test");
    let (mut in_force, mut early) = (0, None);
    let (mut made, mut while_read) = (0, 0);
    for round in 1..=ROUNDS {
        let is_broken = round % 2 == 1;
        let (policy, said) = if is_broken {
            broken(round)
        } else {
            (marked(round), format!("chain `p{round}` added"))
        };
        let next = if is_broken { in_force } else { round };
        proxy.save(&policy);
        let mut calls = Calls::new(round);
        calls.send(&mut proxy, CALLS_A_ROUND / 2);
        proxy.hang_up();
        while !proxy.has_said(&said) || calls.made < CALLS_A_ROUND {
            assert!(calls.made < CALLS_TOO_MANY, "the log never says: {said}");
            calls.send(&mut proxy, 10);
            calls.receive(&mut proxy, 10, &[in_force, next]);
        }
        proxy.until(&said);
        while_read += calls.made;
        calls.receive(&mut proxy, usize::MAX, &[in_force, next]);
        calls.send(&mut proxy, 10);
        calls.receive(&mut proxy, usize::MAX, &[next]);
        made += calls.made;
        in_force = next;
        if round == ROUNDS / 5 {
            early = Some(memory(&mut proxy));
        }
    }
    assert!(made >= ROUNDS * CALLS_A_ROUND, "{made} calls");

    // The code of replaced policies is freed.
    let (early, late) = (early.expect("a fifth of the rounds"), memory(&mut proxy));
    println!(
        "{made} calls, {while_read} of them while a policy was read; pieces of code and kilobytes after {} rounds: {early:?}, after {ROUNDS}: {late:?}",
        ROUNDS / 5
    );
    assert!(late.0 < early.0 + 4, "{early:?} {late:?}");
    assert!(late.1 < early.1 + 16 * 1024, "{early:?} {late:?}");
    proxy.client.finish().succeeded();
}

/// The calls of one round.
struct Calls {
    round: usize,
    made: usize,
    /// The expected answers, and the ids of their requests.
    waiting: VecDeque<(String, u64)>,
}

impl Calls {
    fn new(round: usize) -> Calls {
        Calls {
            round,
            made: 0,
            waiting: VecDeque::new(),
        }
    }

    fn send(&mut self, proxy: &mut Proxy, count: usize) {
        for _ in 0..count {
            self.made += 1;
            let path = format!("round {}, call {}", self.round, self.made);
            let call = json!({"name": "read_note", "arguments": {"path": path}});
            let id = proxy.client.send("tools/call", &call);
            self.waiting.push_back((path, id));
        }
    }

    /// Takes this many answers: each is the requested one, filtered by one of these policies.
    fn receive(&mut self, proxy: &mut Proxy, count: usize, policies: &[usize]) {
        for (path, id) in self.waiting.drain(..count.min(self.waiting.len())) {
            let answer = proxy.client.answer(id);
            let mark = mark(&answer["result"]);
            assert!(policies.contains(&mark), "not {policies:?}: {answer}");
            let text = answer["result"]["content"][0]["text"].as_str();
            let text = text.unwrap_or_default();
            assert!(text.contains(&path), "not to {path}: {answer}");
        }
    }
}

/// Answers a call of `held` only after `release` is called, and then both.
const HOLDING: &str = r#"
result='{"content":[{"type":"text","text":"{\"success\":1,\"error\":2,\"path\":3}"}]}'
while IFS= read -r line; do
    case $line in *'"id":'*'"method":'*) ;; *) continue ;; esac
    id=${line#*'"id":'} id=${id%%,*}
    case $line in
        *'"held"'*) held="$held $id"; continue ;;
        *'"ping"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id"; continue ;;
        *'"release"'*) ;;
        *) held= ;;
    esac
    for one in $held $id; do printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$one" "$result"; done
    held=
done
"#;

#[test]
fn a_call_ends_on_the_policy_that_it_began_with() {
    let mut proxy = Proxy::before(Stage::new(&marked(1)), &["sh", "-c", HOLDING]);
    let call = |proxy: &mut Proxy, tool: &str| {
        let params = json!({"name": tool, "arguments": {}});
        proxy.client.send("tools/call", &params)
    };
    // A later request is answered, so the call has begun.
    let begun = |proxy: &mut Proxy| {
        let ping = proxy.client.send("ping", &json!({}));
        proxy.client.answer(ping);
    };
    let held = call(&mut proxy, "held");
    begun(&mut proxy);
    proxy.change(&marked(2), "chain `p2` added, chain `p1` removed");
    // A policy that hides the tool does not affect a call in progress.
    let also_held = call(&mut proxy, "held");
    begun(&mut proxy);
    let gate = "[tool.held]\nhidden = true\n[session]\ncalls = 1\n";
    proxy.change(&format!("{}{gate}", marked(3)), "chain `p3` added");
    let refused = call(&mut proxy, "held");
    let refused = proxy.client.answer(refused);
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let released = call(&mut proxy, "release");
    let marks = [held, also_held, released].map(|id| mark(&proxy.client.answer(id)["result"]));
    assert_eq!(marks, [1, 2, 3]);
    proxy.client.finish().succeeded();
}

#[test]
fn a_broken_file_is_shown_and_changes_nothing_until_it_is_sound_again() {
    let stage = Stage::new(&marked(1));
    let document = json!({"success": 1, "error": 2}).to_string();
    let result = json!({"content": [{"type": "text", "text": document}]});
    stage.answers("tools/call", result.to_string());
    let mut proxy = Proxy::start(stage, &[]);
    let mut marks = Vec::new();
    let mut call = |proxy: &mut Proxy| {
        let mark = mark(&proxy.client.call("any", &json!({})));
        marks.push(mark);
    };
    call(&mut proxy);
    let broken = marked(2).replace("rename", "renames");
    proxy.change(&broken, "the previous policy stays in force");
    proxy.until("filters.toml:5:");
    proxy.until("renames = { success");
    call(&mut proxy);
    proxy.change(&marked(3), "which is sound again: chain `p3` added");
    call(&mut proxy);
    let file = proxy.stage.path().join("filters.toml");
    std::fs::remove_file(&file).expect("remove the policy");
    proxy.hang_up();
    proxy.until("the file is missing");
    call(&mut proxy);
    proxy.change(&marked(3), "no effective change");
    call(&mut proxy);
    assert_eq!(marks, [1, 1, 3, 3, 3]);
    let log = proxy.client.finish().succeeded();
    let log = String::from_utf8_lossy(&log.stderr).into_owned();
    let errors = log.lines().filter(|line| line.contains("ERROR")).count();
    assert!(errors >= 2, "{log}");
}

#[test]
fn what_is_saved_is_in_force_soon_without_a_signal() {
    let mut proxy = Proxy::before(Stage::new(&marked(1)), &["sh", "-c", HOLDING]);
    let call = |proxy: &mut Proxy| mark(&proxy.client.call("any", &json!({})));
    assert_eq!(call(&mut proxy), 1);
    proxy.save(&marked(2));
    proxy.until("chain `p2` added");
    assert_eq!(call(&mut proxy), 2);
    // Written in place, in two parts.
    let path = proxy.stage.path().join("filters.toml");
    std::fs::write(path, marked(3)).expect("write the policy");
    proxy.until("chain `p3` added");
    assert_eq!(call(&mut proxy), 3);
    proxy.client.finish().succeeded();
}

#[test]
fn a_plugin_that_is_written_anew_is_used_and_one_that_is_half_there_is_not() {
    let filter = |name| {
        tamis::built_in::find(name)
            .expect("a built-in filter")
            .wasm
            .unpack()
    };
    let policy = "[[plugin]]\nname = \"own\"\npath = \"own.wasm\"\nlimits = { time = \"10s\" }\n\
        [[chain]]\ntools = [\"*\"]\nsteps = [\"own\"]\n";
    let stage = Stage::new(policy);
    std::fs::write(stage.path().join("own.wasm"), filter("null-stripper")).expect("a plugin");
    let document = json!({"a": null, "b": "\u{1b}[1mbold\u{1b}[0m"});
    let result = json!({"content": [{"type": "text", "text": document.to_string()}]});
    stage.answers("tools/call", result.to_string());
    let mut proxy = Proxy::start(stage, &[]);
    let call = |proxy: &mut Proxy| {
        let text = proxy.client.call("any", &json!({}))["content"][0]["text"].take();
        let text = text.as_str().expect("a text").to_owned();
        (text.contains("null"), text.contains("[1m"))
    };
    assert_eq!(call(&mut proxy), (false, true));
    let ansi = filter("ansi");
    proxy.put("own.wasm", &ansi[..ansi.len() / 2]);
    proxy.hang_up();
    proxy.until("plugin `own` cannot be used");
    assert_eq!(call(&mut proxy), (false, true));
    // The rest of the file comes later, without a signal.
    proxy.put("own.wasm", &ansi);
    proxy.until("which is sound again: plugin `own` changed");
    assert_eq!(call(&mut proxy), (true, false));
    proxy.client.finish().succeeded();
}

#[test]
fn an_exchanged_key_changes_nothing_until_the_new_key_signed() {
    let wasm = tamis::built_in::find("null-stripper")
        .expect("a built-in filter")
        .wasm
        .unpack();
    let policy = "signed-by = [\"team.pub\"]\n[[plugin]]\nname = \"own\"\npath = \"own.wasm\"\n\
        [[chain]]\ntools = [\"*\"]\nsteps = [\"own\"]\n";
    let stage = Stage::new(policy);
    let pair = || PrivateKey::generate(None).expect("a key").0;
    let (old, new) = (pair(), pair());
    let signature = |key: &PrivateKey| key.sign(&wasm).expect("a signature").to_base64();
    for (name, content) in [
        ("own.wasm", &wasm[..]),
        ("own.wasm.sig", signature(&old).as_bytes()),
        ("team.pub", old.public().to_pem().as_bytes()),
    ] {
        std::fs::write(stage.path().join(name), content).expect("write the file");
    }
    let result = json!({"content": [{"type": "text", "text": r#"{"a":null,"b":1}"#}]});
    stage.answers("tools/call", result.to_string());
    let mut proxy = Proxy::start(stage, &[]);
    let call = |proxy: &mut Proxy| {
        let text = proxy.client.call("any", &json!({}))["content"][0]["text"].take();
        assert_eq!(text, r#"{"b":1}"#);
    };
    call(&mut proxy);
    // Without a signal: these files are followed, too.
    proxy.put("team.pub", new.public().to_pem().as_bytes());
    proxy.until("plugin `own` is not signed by `team.pub`");
    call(&mut proxy);
    proxy.put("own.wasm.sig", signature(&new).as_bytes());
    proxy.until("which is sound again: plugin `own` changed");
    call(&mut proxy);
    proxy.client.finish().succeeded();
}

#[test]
fn calls_that_were_counted_count_under_the_next_policy() {
    let limited = |calls: u32| format!("{}[session]\ncalls = {calls}\n", marked(1));
    let mut proxy = Proxy::before(Stage::new(&limited(2)), &["sh", "-c", HOLDING]);
    let refused = |proxy: &mut Proxy| {
        let result = proxy.client.call("any", &json!({}));
        result["isError"] == true
    };
    let before = [
        refused(&mut proxy),
        refused(&mut proxy),
        refused(&mut proxy),
    ];
    proxy.change(&limited(3), "[session] changed");
    let after = [refused(&mut proxy), refused(&mut proxy)];
    assert_eq!((before, after), ([false, false, true], [false, true]));
    proxy.client.finish().succeeded();
}

#[test]
fn with_no_reload_the_policy_stays_and_a_hangup_ends_the_proxy() {
    let stage = Stage::new(&marked(1));
    let mut line = tamis_run(&stage.path().join("filters.toml"), &["sh", "-c", HOLDING]);
    line.insert(2, "--no-reload".into());
    let mut client = Client::of(stage.in_state(Program::new(&line, stage.path())));
    assert_eq!(mark(&client.call("any", &json!({}))), 1);
    stage.policy(&marked(2));
    client.program().signal(Signal::HUP);
    // It ends by itself, although its input is open.
    assert_eq!(client.program().receive_line(), b"");
    let finished = client.finish();
    assert_eq!(finished.status.code(), Some(129), "{}", finished.report());
}
