//! The places of a document: elements of lists, entries of maps, columns of array rows.

use super::*;
use serde_json::{Value, json};
use tamis_sdk::Document;

/// The paths of all places, with their numbers of values and of holders.
fn places(value: &Value) -> Vec<(String, u32, u32)> {
    let document = Document::nested(value.to_string(), 128).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
    let fields = outline.fields.iter().enumerate().skip(1);
    fields
        .map(|(at, field)| (outline.full_path(at), field.tally.values(), field.holders))
        .collect()
}

fn paths(value: &Value) -> String {
    let paths: Vec<String> = places(value).into_iter().map(|(path, ..)| path).collect();
    paths.join(" ")
}

#[test]
fn elements_of_a_list_are_one_place_and_members_are_counted_once() {
    let text = r#"{"rows":[{"a":1,"b":{"c":2}},{"a":3,"a":4},{"b":{"c":5}}],"odd key":null}"#;
    let document = Document::nested(text.to_owned(), 9).expect("JSON");
    let outline = Outline::of(text, document.root().expect("a root"), 9);
    let found: Vec<_> = outline
        .fields
        .iter()
        .enumerate()
        .map(|(at, field)| {
            (
                outline.full_path(at),
                field.tally.values(),
                field.holders,
                field.first_row,
                field.bytes,
            )
        })
        .collect();
    let at = |path: &str| {
        found
            .iter()
            .find(|it| it.0 == path)
            .map(|it| (it.1, it.2, it.3, it.4))
            .expect(path)
    };
    assert_eq!(at("$.rows[*]"), (3, 3, 0, 45));
    assert_eq!(at("$.rows[*].a"), (3, 2, 0, 3), "twice in one row");
    assert_eq!(at("$.rows[*].b.c"), (2, 2, 0, 2));
    assert_eq!(at("$[\"odd key\"]"), (1, 1, NO_ROW, 4));
    assert_eq!(outline.path(outline.rows(1).expect("rows"), 5), "b.c");
    assert_eq!(outline.rows(0), None);
}

#[test]
fn objects_whose_entries_are_alike_are_maps() {
    let objects = |count: usize, keys: &[&str]| -> Value {
        let entry: serde_json::Map<_, _> = keys
            .iter()
            .map(|key| ((*key).to_owned(), json!(1)))
            .collect();
        (0..count)
            .map(|at| (format!("k{at}"), Value::Object(entry.clone())))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    assert_eq!(paths(&objects(4, &["a"])), "$.* $.*.a");
    assert_eq!(
        paths(&objects(3, &["a"])),
        "$.k0 $.k0.a $.k1 $.k1.a $.k2 $.k2.a"
    );
    assert!(
        !paths(&objects(4, &[])).contains('*'),
        "nothing in them is alike"
    );
    // Half of the keys of each object must be keys of the first, and half of the first's keys must be in each.
    let with = |last: Value| {
        let mut all = objects(3, &["a", "b"]);
        all["k9"] = last;
        paths(&all).starts_with("$.* ")
    };
    assert!(
        with(json!({"a": 1}))
            && with(json!({"a": 1, "c": 2}))
            && with(json!({"a": 1, "b": 1, "c": 1, "d": 1}))
    );
    assert!(!with(json!({"a": 1, "c": 2, "d": 3})) && !with(json!({"c": 1})) && !with(json!([1])));
    assert!(!with(json!({})));
    // Scalars of one kind are a map where there are very many.
    let scalars = |count: usize, key: &str, last: Value| -> String {
        let mut all: serde_json::Map<_, _> = (1..count)
            .map(|at| (format!("k{at}"), json!(at % 2 == 0)))
            .collect();
        all.insert(key.to_owned(), last);
        paths(&all.into())
    };
    assert_eq!(scalars(24, "x", json!(true)), "$.*");
    assert!(!scalars(23, "x", json!(true)).contains('*'));
    assert!(!scalars(24, "x", json!(1)).contains('*'));
    assert!(
        !scalars(24, "error", json!(true)).contains('*'),
        "members that say how something went are none of a map"
    );
    assert_eq!(scalars(129, "error", json!(true)), "$.*");
    // Consecutive rows with the same keys are no maps.
    let row = |at: usize| json!({"p": {"v": at}, "q": {"v": 1}, "r": {"v": 2}, "s": {"v": 3}});
    assert!(paths(&json!([row(1), row(2)])).starts_with("$[*] $[*].p $[*].p.v"));
    let other = json!({"t": {"v": 1}, "u": {"v": 1}, "v": {"v": 2}, "w": {"v": 3}});
    assert_eq!(paths(&json!([row(1), other])), "$[*] $[*].* $[*].*.v");
}

#[test]
fn arrays_whose_lengths_are_alike_are_rows() {
    assert_eq!(paths(&json!([[1, "a"], [2, "b"]])), "$[*] $[*][0] $[*][1]");
    assert_eq!(
        paths(&json!([[1, 2], [3]])),
        "$[*] $[*][0] $[*][1]",
        "the last places may be missing"
    );
    for none in [
        json!([[1, 2, 3], [4]]),
        json!([[1, 2]]),
        json!([[1, 2], 3]),
        json!([[[1]], [[2]]]),
        json!([[], []]),
        json!([vec![1; 33], vec![1; 33]]),
    ] {
        assert!(!paths(&none).contains("[*][1]"), "{none}: {}", paths(&none));
    }
    assert_eq!(paths(&json!([[1], [2]])), "$[*] $[*][0]");
    assert_eq!(
        paths(&json!([[{"a": 1}, 2], [{"a": 3}, 4]])),
        "$[*] $[*][0] $[*][0].a $[*][1]"
    );
    assert!(paths(&json!([vec![1; 32], vec![1; 32]])).ends_with("$[*][31]"));
    // The first row may name the columns. Then it is no row.
    let named = |first: Value| places(&json!([first, [1, "x"], [2, "y"]]))[1].1;
    assert_eq!(named(json!(["id", "name"])), 2);
    for no_names in [
        json!(["id", ""]),
        json!(["id", "id"]),
        json!(["id", 7]),
        json!(["id"]),
        json!(["id", "n".repeat(39)]),
    ] {
        assert_eq!(named(no_names.clone()), 3, "{no_names}");
    }
    assert_eq!(named(json!(["id", "n".repeat(38)])), 2);
    assert_eq!(
        places(&json!([["a", "b"], ["c", "d"]]))[1].1,
        2,
        "words below words"
    );
}

#[test]
fn names_of_places_stand_in_the_first_row_or_beside() {
    let names = |value: &Value, table: &str| {
        let document = Document::nested(value.to_string(), 9).expect("JSON");
        let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
        let at = (0..outline.fields.len())
            .find(|at| outline.full_path(*at) == table)
            .expect(table);
        outline.place_names(at).map(|names| names.join(" "))
    };
    assert_eq!(
        names(&json!([["id", "name"], [1, "x"]]), "$[*]").as_deref(),
        Some("id name")
    );
    let beside = |key: &str, list: Value| {
        names(
            &json!({key: list, "rows": [[1, "x"], [2, "y"]]}),
            "$.rows[*]",
        )
    };
    assert_eq!(
        beside("columns", json!(["id", "name"])).as_deref(),
        Some("id name")
    );
    assert_eq!(beside("others", json!(["id", "name"])), None);
    assert_eq!(beside("columns", json!(["id", "name", "more"])), None);
    assert_eq!(beside("columns", json!(["id", 7])), None);
    assert_eq!(beside("columns", json!({"id": 1, "name": 2})), None);
    let lists = json!({"columns": ["id"], "rows": [{"a": 1}, {"a": 2}]});
    assert_eq!(names(&lists, "$.rows[*]"), None);
}

#[test]
fn few_elements_about_texts_are_told_one_by_one() {
    let text = |bytes: usize| "w".repeat(bytes - 2);
    let is_apart = |value: Value| paths(&json!({ "l": value })).contains("$.l[0]");
    assert!(is_apart(json!([{"a": 1}])) && is_apart(json!([[1]])) && is_apart(json!([text(300)])));
    assert!(!is_apart(json!([1])) && !is_apart(json!([text(299)])) && !is_apart(json!([])));
    let about = |text: Value| json!({"kind": "a", "text": text});
    assert!(is_apart(json!([about(json!(text(300))), {"kind": "b"}])));
    assert!(!is_apart(json!([about(json!(text(299))), {"kind": "b"}])));
    assert!(
        is_apart(json!([about(json!([text(150), text(150)])), {"kind": "b"}])),
        "a text may be a list of lines"
    );
    assert!(!is_apart(
        json!([about(json!([text(150), text(149), 7])), {"kind": "b"}])
    ));
    assert!(
        !is_apart(json!([about(json!(text(300))), 7])),
        "all have to be objects"
    );
    let few = |count: usize| json!(vec![about(json!(text(300))); count]);
    assert!(is_apart(few(8)) && !is_apart(few(9)));
    let wide = |members: usize| -> Value {
        let mut object: serde_json::Map<_, _> = (1..members)
            .map(|at| (format!("k{at}"), json!(at)))
            .collect();
        object.insert("text".to_owned(), json!(text(300)));
        json!([object, object])
    };
    assert!(is_apart(wide(8)) && !is_apart(wide(9)));
}

#[test]
fn places_are_bounded_and_outcomes_have_room_longer() {
    let mut object: serde_json::Map<_, _> = (0..200)
        .map(|at| (format!("k{at}"), json!({"v": [at]})))
        .collect();
    for (at, value) in object.values_mut().enumerate() {
        if at % 2 == 0 {
            *value = json!(at);
        }
    }
    object.insert("error".to_owned(), json!("it failed"));
    let value = Value::Object(object);
    let all = places(&value);
    assert_eq!(
        all.iter()
            .filter(|(path, ..)| path.matches('.').count() == 1 && !path.contains('['))
            .count(),
        MOST_CHILDREN + 1
    );
    assert_eq!(all.last().map(|it| it.0.as_str()), Some("$.error"));
    let document = Document::nested(value.to_string(), 9).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
    assert!(outline.fields[ROOT].is_incomplete && !outline.fields[1].is_incomplete);
    assert!(
        outline.may_look_at(MOST_LOOKS - 1)
            && outline.may_look_at(1)
            && !outline.may_look_at(1)
            && outline.may_look_at(0)
    );
    let small = Document::nested("[1]".to_owned(), 9).expect("JSON");
    let outline = Outline::of("[1]", small.root().expect("a root"), 9);
    assert!(!outline.may_look_at(MOST_LOOKS + 1) && !outline.may_look_at(1));
}

#[test]
fn rows_inside_of_rows_like_themselves_are_outlined_to_a_depth() {
    let mut tree = json!([{"n": 1}]);
    for level in 0..6 {
        tree = json!([{"n": level, "c": tree}]);
    }
    let document = json!([tree[0].clone(), tree[0].clone()]);
    let deepest = places(&document)
        .into_iter()
        .map(|(path, ..)| path.matches(".c").count())
        .max();
    assert_eq!(deepest, Some(3));
    let document = Document::nested(document.to_string(), 99).expect("JSON");
    let outline = Outline::of(document.text(), document.root().expect("a root"), 9);
    let levels: Vec<u32> = (0..outline.fields.len())
        .filter(|at| outline.fields[*at].step == Step::Each)
        .map(|at| outline.levels_above(at, "\"c\""))
        .collect();
    assert_eq!(levels, [0, 1, 2]);
}

#[test]
fn the_first_array_with_elements_says_whether_they_are_rows() {
    let list = |first: Value, second: Value| json!([{"t": first}, {"t": second}]);
    let rows = json!([[1, 2], [3, 4]]);
    let of_rows = "$[*] $[*].t $[*].t[*] $[*].t[*][0] $[*].t[*][1]";
    assert_eq!(paths(&list(json!([]), rows.clone())), of_rows);
    assert_eq!(paths(&list(rows.clone(), json!([[5]]))), of_rows);
    assert_eq!(
        paths(&list(json!([[5], [6, 7, 8]]), rows)),
        "$[*] $[*].t $[*].t[*] $[*].t[*][*]"
    );
    // Rows of one place hold scalars.
    assert_eq!(paths(&json!([[1], [2]])), "$[*] $[*][0]");
    assert_eq!(
        paths(&json!([[{"a": 1}], [{"a": 2}]])),
        "$[*] $[*][*] $[*][*].a"
    );
}

#[test]
fn all_places_together_are_bounded() {
    let outline_of = |value: &Value, look: &dyn Fn(&Outline<'_>)| {
        let document = Document::nested(value.to_string(), 9).expect("JSON");
        look(&Outline::of(
            document.text(),
            document.root().expect("a root"),
            9,
        ));
    };
    let group = |of: usize| -> Value {
        let value = |at: usize| {
            if at.is_multiple_of(2) {
                json!("x")
            } else {
                json!(at)
            }
        };
        let members = (0..100).map(|at| (format!("m{of} {at}"), value(at)));
        Value::Object(members.collect())
    };
    let mut groups: serde_json::Map<_, _> =
        (0..7).map(|at| (format!("g{at}"), group(at))).collect();
    groups.insert("status".to_owned(), json!("ok"));
    outline_of(&Value::Object(groups), &|outline| {
        let is_status = |field: &Field<'_>| field.step == Step::Member("\"status\"");
        let most = MOST_FIELDS + OUTER_FIELDS;
        assert_eq!(outline.fields.len(), most + 1);
        assert!(is_status(&outline.fields[most]));
    });
    // More places than a row has room for.
    let wide: Vec<usize> = (0..=MOST_PLACES as usize).collect();
    for (length, is_incomplete) in [(wide.len() - 1, false), (wide.len(), true)] {
        let list = json!([{"t": [[1, 2], [3, 4]]}, {"t": [wide[..length], [5, 6]]}]);
        outline_of(&list, &|outline| {
            let row = (0..outline.fields.len()).find(|at| outline.full_path(*at) == "$[*].t[*]");
            let row = &outline.fields[row.expect("rows")];
            assert_eq!(row.children.len(), MOST_PLACES as usize, "{length}");
            assert_eq!(row.is_incomplete, is_incomplete, "{length}");
        });
    }
}
