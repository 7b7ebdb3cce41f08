//! Trees: their size, and the content of their uppermost rows.

use super::*;
use serde_json::{Value, json};
use tamis_sdk::Document;

fn told(rows: &Value) -> Option<(String, Option<String>, String)> {
    let document = Document::nested(rows.to_string(), 128).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
    let tree = Tree::of(&outline, 0)?;
    Some((
        tree.size(),
        tree.largest_branch(),
        tree.told(2_000).text().trim_end().to_owned(),
    ))
}

fn node(name: &str, children: &[Value]) -> Value {
    json!({"name": name, "kind": if children.is_empty() { "leaf" } else { "branch" }, "children": children})
}

#[test]
fn the_upper_two_levels_are_told_with_what_is_below() {
    let deep = node("deep", &[node("x", &[node("y", &[])])]);
    let rows = json!([
        node("a", &[deep, node("b", &[])]),
        node("alone", &[]),
        node("c", &[node("d", &[])])
    ]);
    assert_eq!(
        told(&rows),
        Some((
            ", 8 with all 4 levels of children".to_owned(),
            Some("[0].children".to_owned()),
            " kind at all levels: branch 4, leaf 4\n by row, with the number below:\n [0] a 4: deep 2, b\n [2] c 1: d\n with none: alone".to_owned(),
        ))
    );
    assert_eq!(told(&json!([node("a", &[]), node("b", &[])])), None);
}

#[test]
fn what_stands_out_at_any_level_is_told_with_its_place() {
    let call = |name: String, ms: u32, state: &str, calls: Vec<Value>| json!({"name": name, "ms": ms, "state": state, "calls": calls});
    let mut rows: Vec<Value> = (0..4)
        .map(|at| {
            let inside = |at: usize| {
                let leaf = |leaf: usize| {
                    call(
                        format!("{at}/{leaf}"),
                        (3 + leaf + 3 * at) as u32,
                        "ok",
                        vec![],
                    )
                };
                call(format!("{at}"), 11, "ok", (0..3).map(leaf).collect())
            };
            call(format!("top {at}"), 20, "ok", (0..3).map(inside).collect())
        })
        .collect();
    rows[2]["calls"][1]["calls"][2]["state"] = json!("failed");
    rows[3]["calls"][0]["ms"] = json!(48_112);
    let (.., told) = told(&json!(rows)).expect("a tree");
    // Without room for places, the counts are still told.
    let document = Document::nested(json!(rows).to_string(), 128).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
    let short = Tree::of(&outline, 0).expect("a tree").told(130);
    let short = short.text().trim_end();
    assert!(
        short.ends_with(" state at all levels: ok 51, failed 1"),
        "{short}"
    );
    for expected in [
        " state at all levels: ok 51, failed 1 at [2].calls[1].calls[2]\n",
        " ms at all levels 3..20, but 48112 at [3].calls[0]\n",
    ] {
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn rows_of_a_tree_are_like_those_below_them() {
    let branch = |own: &[&str], below: &[&str]| {
        let members = |names: &[&str], children: Value| -> Value {
            let members = names.iter().map(|name| ((*name).to_owned(), json!(1)));
            let children = ("c".to_owned(), children);
            Value::Object(members.chain([children]).collect())
        };
        let lowest = members(below, json!([]));
        let row = members(below, json!([lowest.clone(), lowest]));
        let top = members(own, json!([row.clone(), row]));
        let document = Document::nested(json!([top.clone(), top]).to_string(), 99).expect("JSON");
        let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
        super::branch(&outline, 0).is_some()
    };
    assert!(branch(&["a"], &["a"]) && branch(&[], &[]));
    // Half of the keys below must be keys above, and a third of the keys above must be below.
    assert!(branch(&["a"], &["x"]) && !branch(&["a"], &["x", "y"]));
    assert!(branch(&["a", "b"], &[]) && !branch(&["a", "b", "d"], &[]));
    assert!(branch(&["a", "b", "d", "e"], &["a"]));
    assert!(!branch(&["a", "b", "d", "e", "f", "g"], &["a"]));
}

#[test]
fn a_tree_inside_of_a_tree_is_like_the_rows_around_it() {
    // Rows of a list `c`, which hold a list `c` of rows that hold none.
    let branch = |own: &[&str], below: &[&str]| {
        let members = |names: &[&str], children: Value| -> Value {
            let members = names.iter().map(|name| ((*name).to_owned(), json!(1)));
            Value::Object(members.chain([("c".to_owned(), children)]).collect())
        };
        let lowest = members(below, json!([]));
        let row = members(own, json!([lowest.clone(), lowest]));
        let document = json!({ "c": [row.clone(), row] });
        let document = Document::nested(document.to_string(), 99).expect("JSON");
        let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
        super::branch(&outline, 1).is_some()
    };
    assert!(branch(&["a"], &["a"]) && branch(&["a", "b"], &["a"]));
    // Two thirds of the keys.
    assert!(!branch(&["a"], &[]) && !branch(&["a", "b", "d"], &["a"]));
    assert!(branch(&["a", "b", "d", "e", "f"], &["a", "b", "d"]));
}

#[test]
fn rows_without_names_leave_their_room_to_members() {
    fn node(level: usize, number: usize) -> Value {
        let mut row =
            json!({"size": number % 5 + 1, "kind": number % 3, "flag": number.is_multiple_of(7)});
        if level < 3 {
            let children = (0..4).map(|child| node(level + 1, number * 4 + child));
            row["children"] = children.collect();
        }
        row
    }
    let rows = json!([node(0, 1), node(0, 2), node(0, 3)]);
    let (_, _, all) = told(&rows).expect("a tree");
    assert_eq!(all.lines().count(), 3, "{all}");
    let document = Document::nested(rows.to_string(), 128).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
    let tree = Tree::of(&outline, 0).expect("a tree");
    let longest = all.lines().map(str::len).max().unwrap_or_default();
    assert_eq!(tree.told(3 * (longest + 1)).text().trim_end(), all);
}
