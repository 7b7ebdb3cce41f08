//! Servers that start with an empty cache: several at once, as a client starts them.
//!
//! No test here reads a clock. They check that nothing is compiled, or once for all, and the answers before a filter is
//! ready. A test decides that moment by holding the lock of a plugin's code.

use crate::support::built;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;

use crate::support::built::Target;
use crate::support::mcp::{Client, Stage};
use crate::support::{Finished, Folder, Program, TAMIS};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use tamis::built_in;
use tamis::policy::Limits;
use tamis::sandbox::Sandbox;

/// The log's message for each component that is compiled rather than found.
const COMPILED: &str = "of WebAssembly in";

/// A server's result: large enough for a table under the default policy.
fn rows() -> Value {
    let row = |id: u64| json!({"id": id, "name": format!("row {id}"), "state": "open"});
    let rows: Vec<Value> = (0..40).map(row).collect();
    json!({"content": [{"type": "text", "text": json!(rows).to_string()}]})
}

/// A stage with an empty folder for compiled code.
struct Cold(Stage);

impl Cold {
    fn new(policy: &str) -> Cold {
        let stage = Stage::new(policy);
        stage.answers("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}).to_string());
        stage.answers("ping", "{}");
        let tool = json!({"name": "rows", "inputSchema": {"type": "object"}});
        stage.answers("tools/list", json!({"tools": [tool]}).to_string());
        stage.tool("rows", rows().to_string());
        Cold(stage)
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    fn proxy(&self, options: &[&str]) -> Program {
        let options = [options, &["--log", "debug"]].concat();
        self.0.proxy(&options).env("TAMIS_CACHE_DIR", self.cache())
    }

    /// Runs a session with a proxy. Returns a call's result, and the proxy's end.
    fn session(&self) -> (Value, Finished) {
        let mut client = Client::of(self.proxy(&[]));
        client.greet("test");
        client.ask("tools/list", &json!({}));
        let result = client.call("rows", &json!({}));
        (result, client.finish().succeeded())
    }

    /// Runs four sessions at once. Returns their results, and the number of compilations.
    fn four_at_once(&self) -> (Vec<Value>, usize) {
        let sessions: Vec<(Value, Finished)> = thread::scope(|scope| {
            let started = [(); 4].map(|()| scope.spawn(|| self.session()));
            let joined = started.map(|session| session.join().expect("a session"));
            joined.into()
        });
        let compiled = sessions.iter().map(|(_, done)| compilations(done)).sum();
        let results = sessions.into_iter().map(|(result, _)| result).collect();
        (results, compiled)
    }

    /// Takes the lock of the only code compiled so far, as its compiler would.
    fn hold_the_lock(&self) -> File {
        let folder = self.cache().join("turns/wasm");
        let mut entries = std::fs::read_dir(&folder).expect("the folder of locks");
        let path = entries.next().expect("a lock").expect("an entry").path();
        assert!(entries.next().is_none(), "one plugin, one lock");
        let lock = File::create(path).expect("empty it");
        flock(&lock, FlockOperation::LockExclusive).expect("nobody else holds it");
        lock
    }
}

fn compilations(done: &Finished) -> usize {
    String::from_utf8_lossy(&done.stderr)
        .matches(COMPILED)
        .count()
}

/// A policy with a plugin that sets a member of the result.
fn plugin(guest: &Path) -> String {
    format!(
        "[[plugin]]\nname = \"own\"\npath = \"{}\"\n\n[[chain]]\nname = \"own\"\ntools = [\"*\"]\nsteps = [\"own\", \"row-encoder\"]\n",
        guest.display()
    )
}

fn has_no_code(folder: &Path) -> bool {
    !folder.join("code").exists()
}

#[test]
fn every_built_in_filter_is_part_of_the_binary_as_machine_code() {
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let numbers = sandbox.numbers();
    for filter in built_in::FILTERS {
        let limits = Limits::default();
        for stack_bytes in [limits.stack_bytes, limits.stack_bytes / 2] {
            let limits = Limits {
                stack_bytes,
                ..limits
            };
            sandbox
                .load_built_in(filter.name, filter.wasm, &limits)
                .unwrap_or_else(|error| panic!("{}: {error}", filter.name));
            assert_eq!(numbers.compiled(), 0, "{} was compiled", filter.name);
        }
    }
}

#[test]
fn four_servers_that_start_at_once_with_built_in_filters_compile_nothing() {
    let stage = Cold::new(include_str!("../../host/src/cli/default.toml"));
    let (results, compiled) = stage.four_at_once();
    for result in &results {
        assert_ne!(*result, rows(), "it is filtered");
        assert_eq!(*result, results[0]);
    }
    assert_eq!(compiled, 0);
    assert!(has_no_code(&stage.cache()));
}

#[test]
fn four_servers_that_start_at_once_compile_a_plugin_once() {
    let stage = Cold::new(&plugin(&built::path(Target::Unknown, "noop")));
    let (results, compiled) = stage.four_at_once();
    assert!(results.iter().all(|result| *result == results[0]));
    assert_ne!(results[0], rows(), "it is filtered");
    assert_eq!(compiled, 1);
    assert_eq!(stage.four_at_once().1, 0, "the cache is warm");
}

#[test]
fn a_client_is_greeted_and_gets_its_tools_while_a_plugin_is_compiled_and_results_wait() {
    let stage = Cold::new(&plugin(&built::path(Target::Unknown, "noop")));
    let (filtered, _) = stage.session();
    let lock = stage.hold_the_lock();

    let mut client = Client::of(stage.proxy(&[]));
    let greeting = client.greet("test");
    assert_eq!(greeting["result"]["serverInfo"]["name"], "s");
    let listed = client.ask("tools/list", &json!({}));
    assert_eq!(listed["result"]["tools"][0]["name"], "rows");
    let call = client.send("tools/call", &json!({"name": "rows", "arguments": {}}));
    drop(lock);
    assert_eq!(client.answer(call)["result"], filtered);
    let done = client.finish().succeeded();
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    // The client's earlier result came before the filters were ready.
    assert!(log.contains("the filters are ready"), "{log}");
}

#[test]
fn instructions_wait_if_a_chain_is_bound_to_them() {
    let guest = built::path(Target::Unknown, "noop");
    let chain = "[[chain]]\nname = \"text\"\non = [\"instructions\"]\nsteps = [\"own\", { filter = \"truncate\", limit = 100 }]\n";
    let stage = Cold::new(&format!("{}\n{chain}", plugin(&guest)));
    let long = "word ".repeat(400);
    stage.0.answers("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}, "instructions": long}).to_string());
    let greet = || {
        let mut client = Client::of(stage.proxy(&[]));
        let greeting = client.greet("test")["result"].take();
        client.finish().succeeded();
        greeting
    };
    let first = greet();
    assert_ne!(first["instructions"], json!(long), "it is filtered");
    assert_eq!(greet(), first, "the same with the cache warm");
}

#[test]
fn a_plugin_that_cannot_be_used_ends_the_proxy_and_nothing_passes() {
    let stage = Cold::new(&plugin(&built::path(Target::Unknown, "wrong-contract")));
    let mut client = Client::of(stage.proxy(&[]));
    client.send("tools/call", &json!({"name": "rows", "arguments": {}}));
    let done = client.finish();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.code() != Some(2) || !said.contains("filters.toml") || !said.contains("own") {
        done.fail("it should have ended with what is wrong with the plugin");
    }
    if String::from_utf8_lossy(&done.stdout).contains("row 1") {
        done.fail("a result passed");
    }
}

#[test]
fn a_plugin_that_is_not_there_is_said_before_the_server_starts() {
    let stage = Cold::new(&plugin(Path::new("no-such.wasm")));
    let mark = stage.0.path().join("started");
    let server = ["touch", mark.to_str().expect("Unicode")];
    let line = crate::support::tamis_run(&stage.0.path().join("filters.toml"), &server);
    let done = stage
        .0
        .in_state(Program::new(&line, stage.0.path()))
        .run("");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.code() != Some(2) || !said.contains("no-such.wasm") || mark.exists() {
        done.fail("it should have said so at once");
    }
}

#[test]
fn install_compiles_the_plugins_that_servers_will_need() {
    let stage = Cold::new(&plugin(&built::path(Target::Unknown, "noop")));
    let home = Folder::new();
    let config = json!({"mcpServers": {"s": {"command": "cat", "args": []}}});
    home.write(".cursor/mcp.json", config.to_string());
    let policy = stage.0.path().join("filters.toml");
    let policy = policy.to_str().expect("Unicode");
    let install = |policy: &str| {
        let line = [TAMIS, "install", "--yes", "--config", policy];
        let program = Program::new(&line, home.path())
            .env("HOME", home.path())
            .env("TAMIS_STATE_DIR", home.path().join("state"))
            .env("TAMIS_CACHE_DIR", stage.cache());
        program.run("").succeeded()
    };
    install(policy);
    let (result, done) = stage.session();
    assert_ne!(result, rows(), "it is filtered");
    assert_eq!(compilations(&done), 0);
}

#[test]
fn a_program_that_is_compiled_for_each_call_at_first_gives_what_its_snapshot_gives() {
    let policy = "[[chain]]\nname = \"j\"\ntools = [\"*\"]\nsteps = [{ filter = \"jq\", program = \"map({id, state})\" }]\n";
    let stage = Cold::new(policy);
    // The server ends with its client. So the snapshot is taken, or not, while calls continue.
    let mut client = Client::of(stage.proxy(&[]));
    client.greet("test");
    let first = client.call("rows", &json!({}));
    assert_ne!(first, rows(), "it is filtered");
    client
        .program()
        .wait_for_log(0, "its snapshot after `configure` was taken");
    assert_eq!(client.call("rows", &json!({})), first);
    client.finish().succeeded();
    let (again, done) = stage.session();
    assert_eq!(again, first);
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        log.contains("its snapshot after `configure` was found"),
        "{log}"
    );
}
