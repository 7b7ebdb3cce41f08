//! The environment that programs inherit from Tamis: no tokens, no headers, no secrets of other servers.

use rustix::process::Pid;
use serde_json::Value;

use crate::support::proxy::Proxy;
use crate::support::{Folder, Program};

/// Prints its environment.
const SERVER: &str = r#"
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if id is None:
        continue
    result = {}
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]}
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
"#;

const POLICY: &str = r#"
[server.other]
url = "http://127.0.0.1:9/mcp"
headers = { x-key = "${HEADER_KEY}" }

[server.third]
command = ["true"]
env = { API_KEY = "${THIRD_KEY}" }

[serve]
tokens = { alice = "${ALICE}" }
traces = "http://127.0.0.1:9"
"#;

const SECRET: [(&str, &str); 5] = [
    ("ALICE", "secret-of-alice"),
    ("HEADER_KEY", "secret-of-other"),
    ("THIRD_KEY", "secret-of-third"),
    ("OWN_KEY", "secret-of-a"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "key=secret-of-the-collector"),
];

/// The secrets in an environment.
fn secrets(environment: &str) -> Vec<&'static str> {
    let known = SECRET.iter().map(|(_, value)| *value);
    known.filter(|value| environment.contains(*value)).collect()
}

#[tokio::test]
async fn a_program_behind_serve_knows_its_own_secrets_alone() {
    let folder = Folder::new();
    let server = folder.write("server.py", SERVER);
    let own = format!(
        "[server.a]\ncommand = [\"python3\", {server:?}]\nenv = {{ KEY = \"${{OWN_KEY}}\" }}\n{POLICY}"
    );
    let environment = [&SECRET[..], &[("PLAIN", "as it is")]].concat();
    let proxy = Proxy::start_with(&own, &environment);
    let ask = async |message: Value, session: Option<String>| {
        let mut request = proxy.post("a", &message).bearer_auth("secret-of-alice");
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        request.send().await.expect("an answer")
    };
    let begun = ask(crate::support::proxy::initialize(), None).await;
    let session = begun.headers()["mcp-session-id"].to_str().expect("text");
    let answer = ask(
        crate::support::proxy::call(1, "environment"),
        Some(session.to_owned()),
    )
    .await;
    let said = answer.text().await.expect("a body");
    assert_eq!(secrets(&said), ["secret-of-a"], "{said}");
    assert!(said.contains(r#"\"KEY\": \"secret-of-a\""#), "{said}");
    assert!(said.contains(r#"\"PLAIN\": \"as it is\""#), "{said}");
    proxy.end().succeeded();
}

/// `tamis run` with the policy, before the server of these arguments.
fn run(folder: &Folder, arguments: &[&str]) -> crate::support::Running {
    folder.write("filters.toml", POLICY);
    let mut line = vec![
        env!("CARGO_BIN_EXE_tamis"),
        "run",
        "--config",
        "filters.toml",
    ];
    line.extend(arguments);
    let mut program = Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("PLAIN", "as it is");
    for (name, value) in SECRET {
        program = program.env(name, value);
    }
    program.start()
}

#[test]
fn a_program_behind_run_knows_none_of_them() {
    let folder = Folder::new();
    folder.write("server.py", SERVER);
    let mut running = run(&folder, &["--", "python3", "server.py"]);
    running.send(format!(
        "{}\n",
        crate::support::proxy::call(1, "environment")
    ));
    let said = String::from_utf8(running.receive_line()).expect("text");
    // The policy does not name it.
    assert_eq!(secrets(&said), ["secret-of-a"], "{said}");
    assert!(said.contains("as it is"), "{said}");
    running.finish().succeeded();
}

#[test]
fn the_process_that_speaks_http_has_what_its_headers_name() {
    let folder = Folder::new();
    let header = ["--header", "x-key: ${HEADER_KEY}"];
    let url = ["--url", "http://127.0.0.1:9/mcp"];
    let mut running = run(&folder, &[url, header].concat());
    running.send(format!(
        "{}\n",
        crate::support::proxy::call(1, "environment")
    ));
    // No such server exists; by then the process has started.
    let said = String::from_utf8(running.receive_line()).expect("text");
    assert!(said.contains("cannot be reached"), "{said}");
    let children: Vec<Pid> = children(running.pid());
    assert_eq!(children.len(), 1, "{children:?}");
    let path = format!("/proc/{}/environ", children[0].as_raw_nonzero());
    let environment = String::from_utf8_lossy(&std::fs::read(path).expect("its own")).into_owned();
    let known = secrets(&environment);
    assert_eq!(known, ["secret-of-other", "secret-of-a"], "{environment}");
    running.finish().succeeded();
}

/// Child processes of a process.
pub fn children(of: Pid) -> Vec<Pid> {
    let tasks = format!("/proc/{}/task", of.as_raw_nonzero());
    let tasks = std::fs::read_dir(tasks).expect("it runs").flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let all = lists.collect::<Vec<_>>().join(" ");
    let pids = all.split_whitespace().filter_map(|pid| pid.parse().ok());
    pids.filter_map(Pid::from_raw).collect()
}
