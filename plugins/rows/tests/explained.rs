//! One document for each message of a table that explains itself, and its restored form.

use tamis_document::Document;
use tamis_rows::{Level, Options, encode, restore};

#[track_caller]
fn table(json: &str) -> String {
    let document = Document::json(json).expect("a test's JSON");
    let tape = document.tape().expect("JSON has a tape").words();
    let options = Options {
        level: Level::Table,
        min_rows: 2,
    };
    let text = encode(json, tape, options).map_or_else(|| json.to_owned(), |it| it.text);
    assert_eq!(restore(&text).as_deref(), Ok(json), "restored from\n{text}");
    text
}

/// A list of rows, each with the members that `row` writes.
fn list(rows: usize, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (0..rows)
        .map(|index| format!("{{{}}}", row(index)))
        .collect();
    format!("[{}]", rows.join(","))
}

#[test]
fn a_list_is_its_rows_under_the_names_of_its_columns() {
    assert_eq!(
        table(
            r#"[{"id":1,"name":"Ada","on":true},{"id":2,"name":"Grace","on":false},{"id":3,"name":"Alan","on":null}]"#
        ),
        "3 rows\nid\tname\ton\n1\tAda\ttrue\n2\tGrace\tfalse\n3\tAlan\tnull"
    );
}

#[test]
fn inside_json_a_table_stands_between_its_brackets() {
    assert_eq!(
        table(
            r#"{"total":3,"users":[{"id":1,"name":"Ada"},{"id":2,"name":"Grace"},{"id":3,"name":"Alan"}],"next":null}"#
        ),
        "{\"total\":3,\"users\":[3 rows\nid\tname\n1\tAda\n2\tGrace\n3\tAlan\n],\"next\":null}"
    );
}

#[test]
fn objects_inside_have_their_names_joined_by_dots() {
    assert_eq!(
        table(
            r#"[{"id":1,"org":{"name":"x","at":{"city":"Rome"}}},{"id":2,"org":{"name":"y","at":{"city":"Bonn"}}},{"id":3,"org":{"name":"z","at":{"city":"Oslo"}}}]"#
        ),
        "3 rows\nid\torg.name\torg.at.city\n1\tx\tRome\n2\ty\tBonn\n3\tz\tOslo"
    );
}

#[test]
fn text_that_could_be_something_else_is_a_json_string() {
    assert_eq!(
        table(
            r#"[{"name":"a","value":"12"},{"name":"b","value":"007"},{"name":"c","value":"null"},{"name":"d","value":""},{"name":"e","value":"True"},{"name":"f","value":"[x]"},{"name":"g","value":"a\tb"},{"name":"h","value":"\"q\""},{"name":"i","value":"end "},{"name":"j","value":"say \"hi\", C:\\dir"},{"name":"k","value":"1.2.3"}]"#
        ),
        "11 rows\nname\tvalue\na\t\"12\"\nb\t\"007\"\nc\t\"null\"\nd\t\"\"\ne\t\"True\"\nf\t\"[x]\"\ng\t\"a\\tb\"\nh\t\"\\\"q\\\"\"\ni\t\"end \"\nj\tsay \"hi\", C:\\dir\nk\t1.2.3"
    );
}

#[test]
fn lists_stand_in_cells_as_json() {
    assert_eq!(
        table(
            r#"[{"id":1,"tags":["x","y"],"items":[{"sku":"A"}]},{"id":2,"tags":[],"items":[]},{"id":3,"tags":["z"],"items":[{"sku":"B"}]},{"id":4,"tags":[],"items":[]}]"#
        ),
        "4 rows\nid\ttags\titems\n1\t[\"x\",\"y\"]\t[{\"sku\":\"A\"}]\n2\t[]\t[]\n3\t[\"z\"]\t[{\"sku\":\"B\"}]\n4\t[]\t[]"
    );
}

#[test]
fn a_key_that_some_rows_lack_is_an_empty_cell_in_words() {
    assert_eq!(
        table(
            r#"[{"id":1,"name":"Ada","note":null},{"id":2,"name":"Grace"},{"id":3,"name":"Alan"},{"id":4,"name":"Edsger","note":""}]"#
        ),
        "4 rows; empty cell: no such key\nid\tname\tnote\n1\tAda\tnull\n2\tGrace\t\n3\tAlan\t\n4\tEdsger\t\"\""
    );
}

#[test]
fn null_is_spelled_however_often_it_occurs() {
    let json = list(12, |row| {
        format!(
            r#""id":{row},"at":{},"by":null"#,
            ["null", "\"x\""][row / 11]
        )
    });
    let text = table(&json);
    assert!(
        text.starts_with("12 rows\nid\tat\tby\n0\tnull\tnull\n"),
        "{text}"
    );
    assert!(text.ends_with("\n11\tx\tnull"), "{text}");
}

#[test]
fn an_empty_cell_has_one_meaning_in_a_table() {
    // In one table: a null, an empty string, a missing key, an object that is null, one that is missing.
    let json = list(12, |row| {
        let note = [r#","note":null"#, r#","note":"""#, "", r#","note":"x""#][row % 4];
        let owner = [r#"{"login":"ada","id":7}"#, "null"][row % 2];
        format!(r#""id":{row}{note},"owner":{owner}"#)
    });
    let text = table(&json);
    assert!(
        text.starts_with("12 rows; empty cell: no such key; null if all its cells are null: owner\nid\tnote\towner.login\towner.id\n0\tnull\tada\t7\n1\t\"\"\tnull\tnull\n2\t\tada\t7\n"),
        "{text}"
    );
}

#[test]
fn an_object_of_nulls_is_not_taken_for_null() {
    let json = list(12, |row| {
        let owner = [
            r#"{"login":"ada","id":7}"#,
            "null",
            r#"{"login":null,"id":null}"#,
            r#"{"login":"bob","id":null}"#,
        ][if row == 5 { 2 } else { [0, 1, 3][row % 3] }];
        format!(r#""number":{row},"owner":{owner}"#)
    });
    let text = table(&json);
    assert!(
        text.contains("\n{\"number\":5,\"owner\":{\"login\":null,\"id\":null}}\n"),
        "{text}"
    );
}

#[test]
fn what_all_rows_share_is_said_once() {
    let json = list(20, |row| {
        format!(
            r#""kind":"issue","id":{row},"state":"open","user":{{"name":"u{row}","type":"User"}},"site":{{"a":1}},"labels":[],"by":null"#
        )
    });
    let text = table(&json);
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some(
            "20 rows; in all: kind \"issue\" (before id), state \"open\" (before user.name), user.type \"User\", site {\"a\":1}, labels [], by null"
        )
    );
    assert_eq!(lines.next(), Some("id\tuser.name"));
    assert_eq!(lines.next(), Some("0\tu0"));
}

#[test]
fn an_object_that_is_null_in_some_rows_has_null_in_its_cells() {
    let json = list(8, |row| {
        let owner = [r#"{"login":"ada","id":7}"#, "null"][row % 2];
        format!(r#""number":{row},"owner":{owner}"#)
    });
    let text = table(&json);
    assert!(
        text.starts_with("8 rows; null if all its cells are null: owner\nnumber\towner.login\towner.id\n0\tada\t7\n1\tnull\tnull\n"),
        "{text}"
    );
}

#[test]
fn an_object_that_some_rows_lack_has_empty_cells() {
    let json = list(8, |row| {
        let error = [r#","error":{"code":5,"text":"no"}"#, ""][row % 2];
        format!(r#""number":{row}{error}"#)
    });
    let text = table(&json);
    assert!(
        text.starts_with(
            "8 rows; empty cell: no such key\nnumber\terror.code\terror.text\n0\t5\tno\n1\t\t\n"
        ),
        "{text}"
    );
}

#[test]
fn a_map_has_its_keys_in_a_column() {
    assert_eq!(
        table(r#"{"a":{"on":true,"by":"x"},"12":{"on":false,"by":"y"},"":{"on":true,"by":"z"}}"#),
        "3 entries by key\nkey\ton\tby\na\ttrue\tx\n12\tfalse\ty\n\"\"\ttrue\tz"
    );
    // Nobody could distinguish two columns called `key`.
    let json =
        r#"{"a":{"key":true,"by":"x"},"12":{"key":false,"by":"y"},"":{"key":true,"by":"z"}}"#;
    assert_eq!(table(json), json);
}

#[test]
fn a_row_unlike_the_others_is_json() {
    let json = list(6, |row| {
        if row == 2 {
            r#""size":3,"name":"c""#.to_owned()
        } else {
            format!(r#""name":"file{row}","size":{row}"#)
        }
    });
    assert_eq!(
        table(&json),
        "6 rows\nname\tsize\nfile0\t0\nfile1\t1\n{\"size\":3,\"name\":\"c\"}\nfile3\t3\nfile4\t4\nfile5\t5"
    );
}

#[test]
fn keys_with_dots_are_quoted() {
    assert_eq!(
        table(r#"[{"a.b":1,"12":2,"":3},{"a.b":4,"12":5,"":6},{"a.b":7,"12":8,"":9}]"#),
        "3 rows\n\"a.b\"\t12\t\"\"\n1\t2\t3\n4\t5\t6\n7\t8\t9"
    );
}

#[test]
fn no_row_is_an_empty_line() {
    for gap in [r#""owner":null"#, ""] {
        let json = list(12, |row| {
            [
                format!(r#""owner":{{"name":"somebody {row}"}}"#),
                gap.to_owned(),
            ][row % 2]
                .clone()
        });
        assert!(!table(&json).contains("\n\n"), "{}", table(&json));
    }
}

#[test]
fn lists_that_are_not_alike_stay_json() {
    for json in [
        r#"[{"name":"a","name":"b"},{"name":"c","name":"d"},{"name":"e","name":"f"}]"#,
        r#"[{"name":"alpha","size":1},{"name":"beta","size":2},{"name":"gamma","size":3},null]"#,
        r#"[{"a":1},{"a":2}]"#,
        r#"[["alpha","beta",1],["gamma","delta",2],["epsilon","zeta",3],["eta","theta",4]]"#,
        r#"["a","b"]"#,
        "[]",
        "[{},{}]",
        "[[],[]]",
        r#"[{"a":{}},{"a":{}},{"a":{}}]"#,
    ] {
        assert_eq!(table(json), json);
    }
}

#[test]
fn the_readme_shows_a_table_that_there_is() {
    let readme = include_str!("../README.md");
    let (_, after) = readme
        .split_once("## Tables that explain themselves\n\n```\n")
        .expect("it has an example");
    let example = after.split("\n```").next().unwrap_or_default();
    let json = restore(example).expect("it is an emission");
    assert_eq!(table(&json), example);
}

#[test]
fn what_is_no_emission_is_an_error() {
    for text in [
        "3 rows",
        "3 rows\na\n1",
        "2 rows\na\n1\n2\n3",
        "2 rows; in all: a\nb\n1\n2",
        "2 rows; or so\nb\n1\n2",
        "2 columns\nb\n1\n2",
        "1 rows\na\tb\n1\t2\t3",
        "2 entries by key\na\tb\n1\t2\n3\t4",
        "[1 rows\na\n1\n",
        "[1 rows\na\n1\n}",
        "99999999999999999999999 rows\na\n1",
    ] {
        assert!(restore(text).is_err(), "{text}");
    }
}
