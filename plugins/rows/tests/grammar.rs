//! One document for each rule of the grammar: its encoded and its restored form.

use tamis_document::Document;
use tamis_rows::{Level, Options, encode, restore};

fn encoded(json: &str, level: Level) -> String {
    let document = Document::json(json).expect("a test's JSON");
    let tape = document.tape().expect("JSON has a tape").words();
    let options = Options { level, min_rows: 2 };
    let text = encode(json, tape, options).map_or_else(|| json.to_owned(), |it| it.text);
    assert_eq!(restore(&text).as_deref(), Ok(json), "restored from\n{text}");
    text
}

fn exact(json: &str) -> String {
    encoded(json, Level::Exact)
}

fn dense(json: &str) -> String {
    encoded(json, Level::Dense)
}

#[test]
fn an_empty_cell_says_nothing_but_as_above() {
    // Many nulls beside a column whose cells repeat.
    let rows: Vec<String> = (0..12)
        .map(|row| {
            let note = ["null", "\"gift wrap\"", "null", "\"\""][row % 4];
            format!(
                r#"{{"id":{row},"note":{note},"state":"{}"}}"#,
                ["open", "shipped"][row / 6]
            )
        })
        .collect();
    let json = format!("[{}]", rows.join(","));
    let text = dense(&json);
    assert!(
        text.starts_with(
            "#12 id\tnote\tstate\"\n0\tnull\topen\n1\tgift wrap\t\n2\tnull\t\n3\t\"\"\t\n"
        ),
        "{text}"
    );
    assert!(!exact(&json).contains("\t\t"), "{}", exact(&json));
}

#[test]
fn null_empty_and_missing_differ() {
    assert_eq!(
        exact(
            r#"[{"id":1,"note":null,"zip":"0"},{"id":2,"note":"","zip":"1"},{"id":3,"zip":"2"}]"#
        ),
        "#3 id\tnote\tzip:s\n1\tnull\t0\n2\t\"\"\t1\n3\t~\t2"
    );
}

#[test]
fn cells_that_are_missing_at_the_end_are_left_out() {
    assert_eq!(
        exact(r#"[{"name":"a","size":1},{"name":"b"},{"name":"c","size":null},{}]"#),
        "#4 name\tsize\na\t1\nb\nc\tnull\n~"
    );
}

#[test]
fn scalars_keep_their_spelling_and_strings_their_type() {
    assert_eq!(
        exact(
            r#"[{"key":"a","value":1e2},{"key":"b","value":"1e2"},{"key":"c","value":-0},{"key":"d","value":"true"}]"#
        ),
        "#4 key\tvalue\na\t1e2\nb\t\"1e2\"\nc\t-0\nd\t\"true\""
    );
}

#[test]
fn what_looks_like_the_encoding_is_quoted() {
    assert_eq!(
        exact(
            r#"[{"key":"a","value":"a, b"},{"key":"b","value":"c|d"},{"key":"c","value":"a#1"},{"key":"~","value":"[x]"},{"key":"!a","value":"null"},{"key":"\"q\"","value":"end "},{"key":"in \"q\"","value":"a\tb"}]"#
        ),
        "#7 key\tvalue\na\ta, b\nb\tc|d\nc\ta#1\n\"~\"\t\"[x]\"\n\"!a\"\t\"null\"\n\"\\\"q\\\"\"\t\"end \"\nin \"q\"\ta\\tb"
    );
}

#[test]
fn objects_are_taken_apart() {
    assert_eq!(
        exact(
            r#"[{"id":1,"org":{"name":"x","size":5}},{"id":2,"org":{"name":"y","size":6}},{"id":3,"org":null},{"id":4}]"#
        ),
        "#4 id\torg.name\torg.size\n1\tx\t5\n2\ty\t6\n3\t~null\n4"
    );
}

#[test]
fn constants_stand_in_the_header() {
    assert_eq!(
        exact(r#"[{"id":1,"state":"open","zip":"42"},{"id":2,"state":"open","zip":"42"}]"#),
        "#2 id\tstate=open\tzip:s=42\n1\n2"
    );
}

#[test]
fn lists_stand_in_cells() {
    assert_eq!(
        exact(
            r#"[{"id":1,"items":[{"sku":"A","qty":1},{"sku":"B, b","qty":2}],"tags":["x","y"]},{"id":2,"items":[],"tags":[]},{"id":3,"items":[{"sku":"C"}],"tags":["1",1]},{"id":4,"items":[{"sku":"D","qty":3}],"tags":["z"]},{"id":5,"items":[{"sku":"E","qty":4}],"tags":["z"]}]"#
        ),
        "#5 id\titems[sku,qty]\ttags[]\n1\tA,1;\"B, b\",2\tx,y\n2\t[]\t[]\n3\tC\t\"1\",1\n4\tD,3\tz\n5\tE,4\tz"
    );
}

#[test]
fn a_map_has_its_keys_in_front() {
    assert_eq!(
        exact(
            r#"{"a":{"on":true,"by":"x"},"b":{"on":false,"by":"y"},"":{"on":true},"1":{"on":true,"by":"z"}}"#
        ),
        "#4 *\ton\tby\na\ttrue\tx\nb\tfalse\ty\n\"\"\ttrue\n1\ttrue\tz"
    );
}

#[test]
fn rows_that_differ_stand_whole() {
    assert_eq!(
        exact(
            r#"[{"name":"a","size":1},{"name":"b","size":2},{"size":3,"name":"c"},{"name":"d","size":4}]"#
        ),
        "#4 name\tsize\na\t1\nb\t2\n!{\"size\":3,\"name\":\"c\"}\nd\t4"
    );
}

#[test]
fn a_key_twice_leaves_the_object_alone() {
    let json = r#"[{"name":"a","name":"b"},{"name":"c","name":"d"}]"#;
    assert_eq!(exact(json), json);
    let json =
        r#"{"a":{"on":1,"by":2},"a":{"on":1,"by":2},"b":{"on":1,"by":2},"c":{"on":1,"by":2}}"#;
    assert_eq!(exact(json), json);
}

#[test]
fn the_same_columns_are_named_once() {
    assert_eq!(
        exact(
            r#"{"a.rs":[{"name":"f","line":1},{"name":"g","line":2},{"name":"h","line":3}],"b.rs":[{"name":"i","line":4},{"name":"j","line":5},{"name":"k","line":6}]}"#
        ),
        "{\"a.rs\":#3 name\tline\nf\t1\ng\t2\nh\t3\n,\"b.rs\":#3 ^\ni\t4\nj\t5\nk\t6\n}"
    );
}

#[test]
fn awkward_keys_are_quoted() {
    assert_eq!(
        exact(r#"[{"a.b":1,"12":2,"":3},{"a.b":4,"12":5,"":6},{"a.b":7,"12":8,"":9}]"#),
        "#3 \"a.b\"\t\"12\"\t\"\"\n1\t2\t3\n4\t5\t6\n7\t8\t9"
    );
}

#[test]
fn dense_has_prefixes_and_empty_cells_for_what_repeats() {
    assert_eq!(
        dense(
            r#"[{"name":"f","file":"src/a.rs"},{"name":"g","file":"src/a.rs"},{"name":"h","file":"src/a.rs"},{"name":"i","file":"src/a.rs"},{"name":"j","file":"src/b.rs"}]"#
        ),
        "#5 name\tfile\"^src/\nf\ta.rs\ng\t\nh\t\ni\t\nj\tb.rs"
    );
}

#[test]
fn dense_has_lists_in_rows_below() {
    assert_eq!(
        dense(
            r#"[{"id":1,"log":[{"at":5,"say":"w,a"},{"at":6,"say":"x,a"},{"at":7,"say":"y,b"},{"at":8,"say":"z,b"},{"at":9,"say":"z,c"}]},{"id":2,"log":[]},{"id":3,"log":[{"at":null,"say":"v,d"},{"at":6,"say":"x,d"},{"at":7,"say":"y,d"},{"at":8,"say":"z,d"},{"at":9,"say":"z,d"},{"at":10,"say":"y,e"},{"at":11,"say":"x,e"}]}]"#
        ),
        "#3 id\t>log[at,say]\n1\n\t5\tw,a\n\t6\tx,a\n\t7\ty,b\n\t8\tz,b\n\t9\tz,c\n2\n3\n\tnull\tv,d\n\t6\tx,d\n\t7\ty,d\n\t8\tz,d\n\t9\tz,d\n\t10\ty,e\n\t11\tx,e"
    );
}

#[test]
fn dense_has_columns_for_short_arrays() {
    assert_eq!(
        dense(
            r#"[{"name":"x","at":[1.5,2]},{"name":"y","at":[3,-4]},{"name":"z","at":[5,6]},{"name":"u","at":[7,8]},{"name":"v","at":[9,0]}]"#
        ),
        "#5 name\tat.0\tat.1\nx\t1.5\t2\ny\t3\t-4\nz\t5\t6\nu\t7\t8\nv\t9\t0"
    );
}

#[test]
fn small_gains_are_left_alone() {
    for json in [
        r#"[{"a":1},{"a":2}]"#,
        r#"[[1,2],[3,4]]"#,
        r#"["a","b"]"#,
        "[]",
        "[{},{}]",
    ] {
        assert_eq!(exact(json), json);
        assert_eq!(dense(json), json);
    }
}

#[test]
fn what_is_no_emission_is_an_error() {
    for text in [
        "",
        "#",
        "#2",
        "#2 ",
        "#3 a\n1",
        "#1 a\n1\t2",
        "#1 ^\n1",
        "[1",
        "{\"a\"}",
        "[1]x",
    ] {
        assert!(restore(text).is_err(), "{text}");
    }
}

#[test]
fn an_error_says_what_is_wrong_and_where() {
    let error = restore("#").expect_err("there is no number");
    assert_eq!(error.to_string(), "expected the number of rows at byte 1");
}

#[test]
fn what_is_nested_too_deep_is_refused() {
    let json = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let columns = |depth: usize| {
        let header = format!("{}a{}", "a[".repeat(depth), "]".repeat(depth));
        format!("#1 {header}\n1")
    };
    let path = |depth: usize| format!("1 rows\nx\t{}a\n1\t2", "a.".repeat(depth));
    for (text, is_read) in [
        (json(257), true),
        (json(258), false),
        (json(300), false),
        (columns(32), true),
        (columns(33), false),
        (columns(40), false),
        (path(31), true),
        (path(32), false),
        (path(40), false),
    ] {
        assert_eq!(restore(&text).is_ok(), is_read, "{text}");
    }
}
