//! A stand-in for an editor bridge: a server that builds, tests and inspects a game project, with answers of any
//! length.
//!
//! Owns the tools and their answers. Refuses to shorten anything: `examples/spill` does that.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::server::{AnsweringTool, Upstream};

/// Compiler errors of the build that fails.
const ERRORS: usize = 127;
/// Lines of the log.
const LOG_LINES: usize = 100;

const MODULES: [&str; 6] = [
    "Inventory",
    "Weather",
    "Dialogue",
    "Vehicles",
    "Foliage",
    "Quests",
];
const CLASSES: [&str; 7] = [
    "SlotComponent",
    "StormSubsystem",
    "BranchNode",
    "WheelSetup",
    "ScatterVolume",
    "ObjectiveTracker",
    "PickupActor",
];
const MEMBERS: [&str; 5] = [
    "TryMerge",
    "OnRep_State",
    "RefreshBounds",
    "ApplyDelta",
    "ResolveOwner",
];

/// The whole server.
pub fn upstream() -> Upstream {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let number = |about: &str| json!({ "type": "number", "description": about });
    let plugin =
        json!({ "plugin": text("Name of the plugin; `Broken` is one that does not compile.") });
    let lines = json!({ "lines": number("How many lines to return at most.") });
    let nearby =
        json!({ "actor": text("Where to look."), "radius": number("How far, in centimetres.") });
    let asset = json!({ "asset": text("Path of an asset, such as /Game/Items/Lantern.") });
    let tile = json!({ "x": number("Column of the tile."), "y": number("Row of the tile.") });
    let filter = json!({ "filter": text("Part of a test's name.") });
    Upstream {
        name: "editor-bridge",
        version: "0.1.0",
        instructions: "Builds, tests and inspects the open project.".to_owned(),
        tools: vec![
            tool("get_status", "Says what is open.", &json!({}), get_status),
            tool(
                "build_plugin",
                "Compiles a plugin and lists errors.",
                &plugin,
                build_plugin,
            ),
            tool(
                "get_logs",
                "Gives the last lines of the log.",
                &lines,
                get_logs,
            ),
            tool(
                "query_nearby",
                "Lists actors near another.",
                &nearby,
                query_nearby,
            ),
            tool(
                "find_usages",
                "Lists what refers to an asset.",
                &asset,
                find_usages,
            ),
            tool(
                "scan_tile_objects",
                "Lists what stands on a tile.",
                &tile,
                scan_tile_objects,
            ),
            tool("run_tests", "Runs automation tests.", &filter, run_tests),
        ],
        prompts: Vec::new(),
    }
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: &Value,
    answer: fn(&JsonObject) -> CallToolResult,
) -> AnsweringTool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties.clone());
    let mut definition = Tool::new(name, description, schema);
    definition.annotations = Some(ToolAnnotations::new().read_only(name != "build_plugin"));
    AnsweringTool { definition, answer }
}

fn reply(answer: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(answer.to_string())])
}

/// The element for a number: the list repeats, with a length that shares no factor with the others.
fn pick<'l>(list: &[&'l str], n: usize) -> &'l str {
    list[n % list.len()]
}

fn get_status(_: &JsonObject) -> CallToolResult {
    reply(
        &json!({ "success": true, "project": "Lanternfall", "map": "/Game/Maps/Harbour", "unsaved": [] }),
    )
}

/// Fails for the plugin `Broken`, and otherwise succeeds with little to say.
fn build_plugin(arguments: &JsonObject) -> CallToolResult {
    let broken = arguments.get("plugin").and_then(Value::as_str) == Some("Broken");
    let errors: Vec<Value> = (0..if broken { ERRORS } else { 0 })
        .map(compiler_error)
        .collect();
    reply(&json!({
        "success": !broken,
        "return_code": if broken { 6 } else { 0 },
        "build_time_seconds": 41.7,
        "errors": errors,
        "warnings": [],
        "log_file": "Saved/Logs/Build.log",
    }))
}

fn compiler_error(n: usize) -> Value {
    let (module, class) = (pick(&MODULES, n), pick(&CLASSES, n / 2));
    let member = pick(&MEMBERS, n / 3);
    let (code, message) = match n % 3 {
        0 => (
            "C2039",
            format!("'{member}': is not a member of 'U{class}'"),
        ),
        1 => (
            "C2664",
            format!(
                "'void U{class}::{member}(TWeakObjectPtr<A{module}Actor>,const FGameplayTag &)': cannot \
                 convert argument {} from 'const TObjectPtr<U{class}>'",
                n % 2 + 1
            ),
        ),
        _ => (
            "C2065",
            format!("'{module}{class}{n}': undeclared identifier"),
        ),
    };
    json!({
        "file": format!("Plugins/Broken/Source/{module}/Private/{class}{n}.cpp"),
        "line": 40 + n * 7 % 900,
        "column": 5 + n * 3 % 60,
        "code": code,
        "message": message,
        "context": format!("    if (const U{class}* {module}{n} = Get{class}(); {module}{n}->{member}(Tag_{n:02}, *this))"),
        "note": format!("declared in Source/{module}/Public/{class}.h({})", 20 + n % 80),
    })
}

/// Coloured lines of more than 200 characters each.
fn get_logs(_: &JsonObject) -> CallToolResult {
    let line = |n: usize| {
        let (module, class) = (pick(&MODULES, n), pick(&CLASSES, n / 2));
        let (colour, level) = match n % 9 {
            0 => (31, "Error"),
            1 | 2 => (33, "Warning"),
            _ => (37, "Display"),
        };
        format!(
            "[2026.03.11-16.{:02}.{:02}:{:03}][{n:3}]\u{1b}[{colour}mLog{module}: {level}: {class}_{n} on \
             /Game/Maps/Harbour.Harbour:PersistentLevel.{module}Actor_{n} could not be streamed in before its \
             deadline; the last known state is kept and the request is queued again\u{1b}[0m",
            n / 60,
            n % 60,
            n * 37 % 1000
        )
    };
    let logs: Vec<String> = (0..LOG_LINES).map(line).collect();
    reply(&json!({ "success": true, "count": logs.len(), "logs": logs }))
}

fn query_nearby(_: &JsonObject) -> CallToolResult {
    let actor = |n: usize| {
        let class = pick(&CLASSES, n);
        json!({
            "name": format!("{class}_{n}"),
            "class": format!("/Script/Lanternfall.{class}"),
            "location": { "x": n * 113 % 4000, "y": n * 71 % 4000, "z": n * 13 % 300 },
            "distance": 25 * n + 11,
            "tags": [pick(&MODULES, n), "streamed"],
            "hidden": n.is_multiple_of(11),
        })
    };
    let actors: Vec<Value> = (0..90).map(actor).collect();
    reply(&json!({ "success": true, "origin": "PlayerStart_0", "radius": 4000, "actors": actors }))
}

fn find_usages(_: &JsonObject) -> CallToolResult {
    let usage = |n: usize| {
        let module = pick(&MODULES, n);
        json!({
            "asset": format!("/Game/{module}/{}_{n}", pick(&CLASSES, n / 2)),
            "kind": if n.is_multiple_of(4) { "soft" } else { "hard" },
            "property": format!("{}.{}", pick(&CLASSES, n), pick(&MEMBERS, n)),
            "package": format!("/Game/{module}"),
        })
    };
    let usages: Vec<Value> = (0..140).map(usage).collect();
    reply(
        &json!({ "success": true, "asset": "/Game/Items/Lantern", "total": 140, "usages": usages }),
    )
}

fn scan_tile_objects(_: &JsonObject) -> CallToolResult {
    let object = |n: usize| {
        json!({
            "id": 9000 + n,
            "mesh": format!("SM_{}_{:02}", pick(&MODULES, n), n % 20),
            "x": n * 29 % 1024, "y": n * 17 % 1024, "rotation": n * 45 % 360, "scale": 1.0,
            "layer": pick(&["ground", "props", "roofs"], n),
        })
    };
    let objects: Vec<Value> = (0..260).map(object).collect();
    reply(&json!({ "success": true, "tile": [4, 7], "objects": objects }))
}

fn run_tests(_: &JsonObject) -> CallToolResult {
    let name = |n: usize| {
        format!(
            "Project.{}.{}.{}",
            pick(&MODULES, n),
            pick(&CLASSES, n / 2),
            pick(&MEMBERS, n / 3)
        )
    };
    let test = |n: usize| {
        let state = if n.is_multiple_of(13) {
            "failed"
        } else {
            "passed"
        };
        json!({ "name": name(n), "state": state, "seconds": (n % 40) as f64 / 8.0 })
    };
    let failure = |n: usize| {
        json!({
            "name": name(n),
            "message": format!("Expected '{}' to be 3, but it was {}.", pick(&MEMBERS, n), n % 3),
            "stack": (0..6).map(|depth| format!("{}.cpp:{}", pick(&CLASSES, n + depth), 30 + depth * 19)).collect::<Vec<_>>(),
        })
    };
    let tests: Vec<Value> = (0..182).map(test).collect();
    let failures: Vec<Value> = (0..182).step_by(13).map(failure).collect();
    reply(&json!({
        "success": false,
        "passed": tests.len() - failures.len(),
        "failed": failures.len(),
        "duration_seconds": 96.25,
        "failures": failures,
        "tests": tests,
    }))
}

#[cfg(test)]
mod tests;
