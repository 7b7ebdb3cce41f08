//! Tools that declare the form of their results: with any chain, no client that checks the declaration complains.
//! Rewritten results fit it and are smaller.
//!
//! The clients are the Python SDK and both lines of the TypeScript SDK, which check by themselves; the test checks
//! again. `setup.sh` installs the clients.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use crate::support::stage::{Client, Server, program};
use crate::support::transcript::Transcript;
use crate::support::{Finished, Folder, tamis_run};
use serde_json::{Value, json};
use tamis::built_in;

const CLIENTS: [Client; 3] = [Client::Python, Client::TypeScript1, Client::TypeScript2];

/// Steps that change much; unknown filters are left out.
const STEPS: &[&str] = &[
    "ansi",
    "unwrap",
    "yaml",
    "repr",
    "null-stripper",
    "summary",
    "row-encoder",
    "paths",
    "truncate",
];

/// Tools whose schemas require a member that `null-stripper` removes, so that their results stay unchanged, and one
/// tool without such a member.
const STIFF: &[&str] = &[
    "closed",
    "enums",
    "json_in_a_string",
    "map",
    "nullable",
    "required_null",
    "tree",
];

fn policy(mode: &str, steps: &[&str]) -> String {
    let steps = steps.iter().filter(|step| built_in::find(step).is_some());
    let steps: Vec<String> = steps
        .map(|step| format!("{{ filter = \"{step}\", limits = {{ time = \"10s\" }} }}"))
        .collect();
    assert!(!steps.is_empty(), "no step is built in");
    format!(
        "[[chain]]\ntools = [\"*\"]\nstructured = \"{mode}\"\nsteps = [{}]\n",
        steps.join(", ")
    )
}

/// A session with a call of each of these tools, with Tamis or without.
fn session(
    client: Client,
    server: &[OsString],
    tools: &[(String, Value)],
    policy: Option<String>,
) -> Finished {
    let folder = Folder::new();
    let calls = tools
        .iter()
        .map(|(tool, arguments)| json!({"do": "call", "tool": tool, "arguments": arguments}));
    let mut steps = vec![json!({"do": "list-tools"})];
    steps.extend(calls);
    let scenario = json!({"roots": [], "steps": steps}).to_string();
    let mut line = client.command();
    line.push(folder.write("scenario.json", scenario).into());
    match policy {
        None => line.extend_from_slice(server),
        Some(policy) => {
            let config = folder.write("filters.toml", policy);
            line.extend(tamis_run(&config, server));
        }
    }
    program(&line, folder.path()).run("").succeeded()
}

fn schemas() -> Vec<OsString> {
    let server = Path::new(env!("CARGO_BIN_EXE_tamis")).with_file_name("stand-in");
    assert!(server.exists(), "no {}: run `make build`", server.display());
    vec![server.into(), "schemas".into()]
}

/// Schemas by tool, as a client has them listed.
fn listed(session: &Finished) -> BTreeMap<String, Value> {
    let transcript = Transcript::of(session);
    let pages = transcript.outcomes("list-tools");
    let pages = pages
        .into_iter()
        .flat_map(|pages| pages.as_array().into_iter().flatten());
    let tools = pages.flat_map(|page| page["tools"].as_array().into_iter().flatten());
    tools
        .map(|tool| {
            (
                tool["name"].as_str().unwrap_or_default().to_owned(),
                tool["outputSchema"].clone(),
            )
        })
        .collect()
}

/// The result of each tool. Fails if a client complained.
fn results(session: &Finished, tools: &[(String, Value)]) -> BTreeMap<String, Value> {
    let transcript = Transcript::of(session);
    for step in &transcript.steps {
        if step.get("error").is_some() || step["result"]["isError"] == true {
            session.fail(&format!("a client has something to complain of: {step}"));
        }
    }
    let result = |(tool, _): &(String, Value)| match transcript.outcomes(&format!("call {tool}"))[..]
    {
        [result] => (tool.clone(), result.clone()),
        _ => session.fail(&format!("`{tool}` was not called once")),
    };
    tools.iter().map(result).collect()
}

fn nobody_complains(client: Client, server: &[OsString], arguments: &Value, only: Option<&str>) {
    let bare = session(client, server, &[], None);
    let schemas = listed(&bare);
    let tools: Vec<(String, Value)> = schemas
        .iter()
        .filter(|(name, schema)| !schema.is_null() && only.is_none_or(|only| only == *name))
        .map(|(name, _)| (name.clone(), arguments.clone()))
        .collect();
    assert_eq!(
        tools.len(),
        only.map_or(20, |_| 1),
        "{client:?}: {schemas:?}"
    );
    let sent = results(&session(client, server, &tools, None), &tools);

    let text = session(client, server, &tools, Some(policy("text", STEPS)));
    for (tool, result) in results(&text, &tools) {
        let is_text = result
            .get("structuredContent")
            .is_none_or(|it| *it == sent[&tool]["structuredContent"]);
        assert!(is_text, "{client:?}, text, {tool}: {result}");
        assert!(
            result["content"][0]["text"].is_string(),
            "{client:?}, text, {tool}: {result}"
        );
    }
    let announced = listed(&text)
        .into_values()
        .filter(|schema| !schema.is_null());
    assert_eq!(
        announced.count(),
        0,
        "{client:?}: a schema is listed that nothing keeps"
    );

    let keep = session(client, server, &tools, Some(policy("keep", STEPS)));
    for (tool, result) in results(&keep, &tools) {
        assert_eq!(
            result["structuredContent"], sent[&tool]["structuredContent"],
            "{client:?}, keep, {tool}"
        );
        assert_eq!(
            listed(&keep)[&tool],
            schemas[&tool],
            "{client:?}, keep, {tool}"
        );
    }

    for (steps, is_mild) in [(STEPS, false), (&["null-stripper"], true)] {
        let rewrite = session(client, server, &tools, Some(policy("rewrite", steps)));
        let announced = listed(&rewrite);
        for (tool, result) in results(&rewrite, &tools) {
            let (structured, before) = (
                &result["structuredContent"],
                &sent[&tool]["structuredContent"],
            );
            let what = format!("{client:?}, rewrite, {steps:?}, {tool}: {structured}");
            assert_eq!(announced[&tool], schemas[&tool], "{what}");
            let schema = jsonschema::validator_for(&schemas[&tool]).expect("a schema");
            if let Err(error) = schema.validate(structured) {
                panic!("{what}: {error}");
            }
            let (now, was) = (structured.to_string().len(), before.to_string().len());
            let may_stay = !is_mild || only.is_some() || STIFF.contains(&&*tool);
            assert!(
                now < was || may_stay && structured == before,
                "{now} of {was} bytes: {what}"
            );
        }
    }
}

#[test]
fn python_and_twenty_schemas() {
    nobody_complains(CLIENTS[0], &schemas(), &json!({}), None);
}

#[test]
fn typescript_1_and_twenty_schemas() {
    nobody_complains(CLIENTS[1], &schemas(), &json!({}), None);
}

#[test]
fn typescript_2_and_twenty_schemas() {
    nobody_complains(CLIENTS[2], &schemas(), &json!({}), None);
}

#[test]
fn all_clients_and_the_tool_of_server_everything() {
    let folder = Folder::new();
    let server = Server::Everything.command(&folder);
    for client in CLIENTS {
        nobody_complains(
            client,
            &server,
            &json!({"location": "Chicago"}),
            Some("get-structured-content"),
        );
    }
}

/// A list of one tool with this schema, and its schema as it is spelled.
fn list_of(schema: &str) -> String {
    format!(
        r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}]}}"#
    )
}

#[test]
fn hostile_schemas_take_little_memory() {
    let doubling = |name: &str| {
        let levels = (0..40).map(|level| {
            let next = level + 1;
            let both = format!(r##"{{"{name}":"#/$defs/a{next}"}}"##);
            format!(r#""a{level}":{{"allOf":[{both},{both}]}}"#)
        });
        let levels: Vec<String> = levels.collect();
        format!(
            r##"{{"type":"object","allOf":[{{"{name}":"#/$defs/a0"}}],"$defs":{{{},"a40":{{}}}}}}"##,
            levels.join(",")
        )
    };
    let patterns: Vec<String> = (0..10_000)
        .map(|number| format!(r#""^[a-z]{{1,200}}{number}.*[0-9]{{1,200}}$":{{"type":"string"}}"#))
        .collect();
    let keys: Vec<String> = (0..40_000)
        .map(|key| format!(r#""key{key}":"a""#))
        .collect();
    let keys = format!("{{{}}}", keys.join(","));
    let nested = format!(
        r#"{{"type":"object","properties":{{"a":{}{{}}{}}}}}"#,
        r#"{"items":"#.repeat(100_000),
        "}".repeat(100_000)
    );
    let large = format!(
        r#"{{"type":"object","description":"{}"}}"#,
        "x".repeat(20 << 20)
    );
    let patterns = format!(
        r#"{{"type":"object","patternProperties":{{{}}}}}"#,
        patterns.join(",")
    );
    for (name, schema) in [
        ("$ref", doubling("$ref")),
        ("an escaped $ref", doubling("\\u0024ref")),
        ("patterns", patterns),
        ("nested", nested),
        ("large", large),
    ] {
        println!("{name}");
        let stage = crate::support::mcp::Stage::new(&policy("rewrite", &["null-stripper"]));
        stage.answers("initialize", r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#);
        stage.answers("tools/list", list_of(&schema));
        let text = Value::from(keys.as_str());
        stage.tool(
            "t",
            format!(
                r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{keys}}}"#
            ),
        );
        let mut client = stage.start();
        client.greet("test");
        // The list may be too deep for the client of this test.
        let id = client.send("tools/list", &json!({}));
        client.line(id);
        let result = client.call("t", &json!({}));
        assert!(result["content"][0]["text"].is_string(), "{name}");
        client.program().stayed_small();
        client.finish().succeeded();
    }
}
