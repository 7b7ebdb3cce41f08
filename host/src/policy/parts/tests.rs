//! Everything that a file may say is told.

use super::super::Source;
use super::*;

const ALL: &str = r#"
signed-by = ["all.pub"]
[server.files]
command = ["sh", "-c", "true"]
env = { KEY = "${KEY}", OTHER = "in the file" }
[server.docs]
url = "https://mcp.example.com/mcp"
headers = { authorization = "Bearer ${TOKEN}" }
login = true
[serve]
listen = "0.0.0.0:1"
hosts = ["a.example"]
origins = ["https://b.example"]
certificate = "c.pem"
key = "k.pem"
traces = "http://127.0.0.1:4318"
read-tool = "once"
tokens = { alice = "${ALICE}" }
limits = { processes = 8 }
[[plugin]]
name = "p"
path = "p.wasm"
signed-by = ["a.pub", "b.pub"]
allow = ["log"]
limits = { time = "7ms" }
on-error = "block"
[[chain]]
name = "one"
tools = ["t"]
blocks = "merge"
guard = "tokens"
audience = "keep"
input-schema = "keep"
pin-tools = "used"
structured = "text"
steps = [{ filter = "p", program = ".a | .b" }, { filter = "a", team = ["x ${TEAM}"], shadow = true, limits = { memory = "2MiB" } }]
[[chain]]
name = "clean"
on = []
steps = [{ filter = "a", on-error = "block" }]
[tool.x]
hidden = true
needs = ["bandit", "env:HOME"]
[profile.small]
tools = ["x"]
[session]
key = "meta:k"
calls = 3
window = "60s"
limit-text = "enough"
[record]
redact = "clean"
calls = 7
size = "2KiB"
[read-tool]
name = "r"
cap = 300
listed = false
[[client]]
name = "c"
sees = "both"
[[test]]
name = "t"
tool = "t"
input = "x"
lacks = ["y"]
"#;

fn policy(text: &str) -> Policy {
    let source = Source::new("/p/filters.toml", text);
    let policy = source.and_then(|source| Policy::parse(source, &["a", "b"]));
    policy.unwrap_or_else(|report| panic!("{report}"))
}

/// Everything that may be in a file is told: taking a line away or changing it makes another list.
#[test]
fn every_key_is_told() {
    let all = policy(ALL);
    let told: String = parts(&all)
        .iter()
        .flat_map(|part| {
            let line = |(key, value): &(String, String)| format!("{part} {key} = {value}\n");
            part.pairs.iter().map(line).collect::<Vec<_>>()
        })
        .collect();
    for word in [
        r#"[server.files] command = ["sh","-c","true"]"#,
        "[server.files] env.KEY = the environment variable KEY",
        "[server.files] env.OTHER = a text in the file (11 bytes, sha256 ",
        r#"[server.docs] headers.authorization = "Bearer " and the environment variable TOKEN"#,
        "[server.docs] login = true",
        r#"[serve] listen = "0.0.0.0:1""#,
        "[serve] limits.processes = 8",
        r#"[serve] hosts = ["a.example"]"#,
        r#"[serve] origins = ["https://b.example"]"#,
        r#"[serve] certificate = "/p/c.pem""#,
        r#"[serve] key = "/p/k.pem""#,
        r#"[serve] traces = "http://127.0.0.1:4318""#,
        r#"[serve] read-tool = "once""#,
        "[serve] tokens.alice = the environment variable ALICE",
        r#"[[plugin]] p path = "/p/p.wasm""#,
        r#"[[plugin]] p signed-by = ["a.pub","b.pub"]"#,
        r#"[[plugin]] p signed-by, list 2 = ["all.pub"]"#,
        r#"[[plugin]] p allow = ["log"]"#,
        "[[plugin]] p limits.time = 7ms",
        r#"[[plugin]] p on-error = "block""#,
        r#"[[chain]] one tools = ["t"]"#,
        "[[chain]] one steps[0] = p",
        r#"[[chain]] one steps[0].program = ".a | .b""#,
        r#"[[chain]] one steps[0].on-error = "block""#,
        r#"[[chain]] one steps[1] from the environment = ["TEAM"]"#,
        r#"[[chain]] one steps[1].team = ["x ${TEAM}"]"#,
        "[[chain]] one steps[1].shadow = true",
        "[[chain]] one steps[1].limits.memory = 2MiB",
        r#"[[chain]] one blocks = "merge""#,
        r#"[[chain]] one guard = "tokens""#,
        r#"[[chain]] one audience = "keep""#,
        r#"[[chain]] one input-schema = "keep""#,
        r#"[[chain]] one pin-tools = "used""#,
        r#"[[chain]] one structured = "text""#,
        "[[chain]] clean on = []",
        r#"[tool.x] needs = ["bandit","env:HOME"]"#,
        "[tool.x] hidden = true",
        r#"[profile.small] tools = ["x"]"#,
        r#"[session] key = "meta:k""#,
        "[session] calls = 3",
        "[session] window = 60s",
        r#"[session] limit-text = "enough""#,
        r#"[record] redact = "clean""#,
        "[record] calls = 7",
        "[record] size = 2KiB",
        r#"[read-tool] name = "r""#,
        "[read-tool] cap = 300",
        "[read-tool] listed = false",
        r#"[[client]] "1 (c)" sees = "both""#,
        r#"[[test]] t lacks = ["y"]"#,
    ] {
        assert!(told.contains(word), "{word}\n{told}");
    }
    assert!(!told.contains("in the file\""), "a value is shown: {told}");
}

/// Not in [`ALL`], which has several servers.
#[test]
fn a_required_tool_is_told() {
    let told = parts(&policy("[tool.x]\nrequired = true\n"));
    let pairs = [("required".to_owned(), "true".to_owned())];
    assert_eq!(told[0].pairs, pairs);
}

#[test]
fn defaults_say_nothing() {
    assert_eq!(parts(&policy("")), []);
}
