//! Checks the sizes that the examples promise. A size is a range: an answer must be as large as the real one, but may
//! change.

use std::ops::RangeInclusive;

use super::*;

/// Calls a tool and returns the text of its one block.
fn call(tool: &str, arguments: Value) -> String {
    let tools = tools();
    let tool = tools
        .iter()
        .find(|candidate| candidate.definition.name == tool)
        .unwrap_or_else(|| panic!("no tool named {tool}"));
    let result = (tool.answer)(&object(arguments));
    assert_eq!(
        result.content.len(),
        1,
        "blocks of {}",
        tool.definition.name
    );
    result.content[0]
        .as_text()
        .expect("a text block")
        .text
        .clone()
}

fn call_json(tool: &str, arguments: Value) -> Value {
    let text = call(tool, arguments);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{tool} is not JSON: {error}\n{text}"))
}

fn target() -> Value {
    json!({ "node_id": project::TARGET })
}

#[track_caller]
fn assert_size(what: &str, size: usize, expected: RangeInclusive<usize>) {
    assert!(
        expected.contains(&size),
        "{what} is {size}, expected {expected:?}"
    );
}

#[test]
fn instructions_carry_101_notes_of_65_kb() {
    let notes = notes::all();
    let size_of = |chosen: &dyn Fn(&str) -> bool| -> usize {
        let chosen = notes.iter().filter(|note| chosen(&note.key));
        chosen
            .map(|note| "### \n\n".len() + note.key.len() + note.value.len())
            .sum()
    };
    assert_eq!(notes.len(), 101, "notes");
    assert_eq!(
        notes
            .iter()
            .filter(|note| note.key.starts_with("_log_"))
            .count(),
        97,
        "log entries"
    );
    assert_size(
        "the log",
        size_of(&|key| key.starts_with("_log_")),
        34_000..=36_500,
    );
    assert_size(
        "self_evaluation",
        size_of(&|key| key == "self_evaluation"),
        15_500..=16_700,
    );
    assert_size("handoff", size_of(&|key| key == "handoff"), 11_500..=12_700);
    assert!(notes.iter().any(|note| note.key == "handoff_at"));
    assert!(notes.iter().any(|note| note.key == "current_session"));
    assert_size(
        "the instructions",
        notes::instructions().len(),
        63_000..=68_000,
    );
}

#[test]
fn every_note_is_in_the_instructions_and_in_session_read() {
    let instructions = notes::instructions();
    let read = call_json("lens_session_read", json!({}));
    for (place, note) in notes::all().iter().enumerate() {
        assert!(
            instructions.contains(&format!("### {}\n{}\n", note.key, note.value)),
            "{} is not in the instructions",
            note.key
        );
        assert_eq!(read["data"]["notes"][place], note.to_json());
    }
}

#[test]
fn handoff_repeats_the_recent_changes() {
    let (handoff, instructions) = (notes::handoff(), notes::instructions());
    let recent = instructions.lines().filter(|line| line.starts_with("- **"));
    // The handoff is a note, so the instructions repeat its own changes.
    let recent: Vec<&str> = recent.take(5).collect();
    assert_eq!(recent.len(), 5, "recent changes");
    for change in recent {
        assert!(handoff.contains(change), "the handoff lacks: {change}");
    }
}

#[test]
fn explain_is_about_3000_lines_with_five_long_callers() {
    let explain = call_json("lens_explain", target());
    let callers = &explain["data"]["context"]["callers"];
    let callers = callers.as_array().expect("callers");
    assert_eq!(callers.len(), 5);
    let lines = |node: &Value| {
        node["source_code"]
            .as_str()
            .map_or(0, |code| code.lines().count())
    };
    for caller in callers {
        assert_size(
            &format!("code of {}", caller["id"]),
            lines(caller),
            400..=600,
        );
    }
    // The number of lines as a person reads them: one for each member, and code as code.
    let layout = call("lens_explain", target()).lines().count();
    let all = layout + lines(&explain["data"]) + callers.iter().map(lines).sum::<usize>();
    assert_size("lines of lens_explain", all, 2_800..=3_200);
    assert_size(
        "lines beside the callers' code",
        all - callers.iter().map(lines).sum::<usize>(),
        100..=190,
    );
    assert!(explain["data"]["llm_hint"].is_string());
}

#[test]
fn update_asks_for_annotations_with_a_long_order() {
    let update = call_json(
        "lens_update_node",
        json!({ "node_id": project::TARGET, "new_source": "pass" }),
    );
    let pending = &update["_pending_annotations"];
    let hint = pending["hint"].as_str().expect("a hint");
    assert!(hint.starts_with("ACTION REQUIRED"), "the hint is: {hint}");
    assert!(
        hint.len() >= 200,
        "the hint has {} characters: {hint}",
        hint.len()
    );
    assert_eq!(pending["count"], 3);
    assert_eq!(pending["nodes"].as_array().map(Vec::len), Some(3));
}

#[test]
fn usages_come_in_three_groups_of_unequal_size() {
    let usages = call_json("lens_find_usages", target());
    let size = |group: &str| usages["data"][group].as_array().map_or(0, Vec::len);
    let sizes = ["callers", "importers", "inheritors"].map(size);
    assert_size("usages", sizes.iter().sum(), 200..=400);
    assert_eq!(usages["data"]["total_usages"], sizes.iter().sum::<usize>());
    assert!(
        sizes[0] > 100 && sizes[1] > 50 && sizes[2] > 10,
        "groups are {sizes:?}"
    );
}

#[test]
fn tests_are_found_again_by_the_search_that_a_cap_recommends() {
    let tests = call_json("lens_list_tests", target());
    let found = call_json("lens_search", json!({ "query": "test_apply_discounts" }));
    assert_size(
        "tests",
        tests["data"]["tests"].as_array().map_or(0, Vec::len),
        16..=100,
    );
    assert_eq!(found["data"]["results"], tests["data"]["tests"]);
}

#[test]
fn plain_success_has_the_whole_envelope() {
    let text = call("lens_health", json!({}));
    assert!(
        text.starts_with("{\n  \"success\": true,\n  \"data\": {\n    \""),
        "{text}"
    );
    let rest = "\n  },\n  \"error\": null,\n  \"hint\": null,\n  \"warnings\": [],\n  \"affected_nodes\": []\n}";
    assert!(text.ends_with(rest), "{text}");
}

#[test]
fn failures_come_in_both_kinds() {
    let unknown = call_json("lens_get_node", json!({ "node_id": "storefront.nowhere" }));
    assert_eq!(unknown["success"], false);
    assert_eq!(unknown["data"], Value::Null);
    let result = answers::get_node(&JsonObject::new());
    assert_eq!(result.is_error, Some(true));
}

#[test]
fn answers_are_ascii_and_the_same_every_time() {
    for tool in tools() {
        let arguments = object(json!({
            "node_id": project::TARGET, "new_source": "pass", "query": "test_",
        }));
        let print = || serde_json::to_string(&(tool.answer)(&arguments)).expect("print");
        let name = &tool.definition.name;
        assert_eq!(
            print(),
            print(),
            "{name} answers differently the second time"
        );
        if name != "raw_export" {
            let text = call(name, Value::Object(arguments.clone()));
            assert!(text.is_ascii(), "{name} is not ASCII: {text}");
        }
    }
}

#[test]
fn only_graph_stats_is_structured_and_it_says_the_same_twice() {
    for tool in tools() {
        let result = (tool.answer)(&object(json!({ "node_id": project::TARGET, "query": "x" })));
        let structured = tool.definition.name == "lens_graph_stats";
        assert_eq!(
            result.structured_content.is_some(),
            structured,
            "{}",
            tool.definition.name
        );
        assert_eq!(
            tool.definition.output_schema.is_some(),
            structured,
            "{}",
            tool.definition.name
        );
        if structured {
            let text = call(&tool.definition.name, json!({}));
            assert_eq!(
                serde_json::from_str::<Value>(&text).ok(),
                result.structured_content
            );
        }
    }
}
