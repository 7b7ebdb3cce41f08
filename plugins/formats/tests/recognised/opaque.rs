//! Python's values that JSON lacks: each is a string that says it as the text spells it, and its row is a row.

use crate::loose::{loose, refused, value};
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_formats::{Format, read};

const VALUES: [&str; 33] = [
    "nan",
    "inf",
    "-inf",
    "NaT",
    "<NA>",
    "Ellipsis",
    "{'a', 'b'}",
    "{1, 2}",
    "{('a', 1), ('b', 2)}",
    "set()",
    "frozenset({'a'})",
    "PosixPath('/a/b')",
    "OrderedDict([('a', 1)])",
    "OrderedDict({'a': 1})",
    "defaultdict(<class 'int'>, {'a': 1})",
    "<State.OK: 1>",
    "<State.ODD: 'a>, b'>",
    "<app.Foo object at 0x7f1>",
    "<__main__.Foo object at 0x7f1>",
    "<memory at 0x7f>",
    "User(1, name=\"it's\", tags=['a', 'b)'])",
    "array([1., 2.], dtype=float32)",
    "array([[1, 2],\n       [3, 4]])",
    "Timestamp('2026-05-23 00:00:00+0000', tz='UTC')",
    "np.float64(nan)",
    "Decimal('NaN')",
    "Int64(5)",
    "datetime.datetime(2026, 9, 1, 8, 0, tzinfo=FixedOffset(datetime.timedelta(0), 'UTC'))",
    "...",
    "[...]",
    "{...}",
    "functools.partial(<function f at 0x7f>, 1)",
    "Info(x)",
];

#[test]
fn one_value_that_json_lacks_takes_no_row_away() {
    for spelled in VALUES {
        let row = |at: usize| {
            format!("{{'id': {at}, 'value': {spelled}, 'state': 'up', 'last': {spelled}}}")
        };
        let rows: Vec<String> = (0..20).map(row).collect();
        let expected =
            |at: usize| json!({"id": at, "value": spelled, "state": "up", "last": spelled});
        let expected: Vec<Value> = (0..20).map(expected).collect();
        for text in [
            format!("[{}]", rows.join(", ")),
            format!("[{}]\n", rows.join(",\n ")),
            format!("Result: [{}]", rows.join(", ")),
            format!("Found:\n\n[{}]\n\ndone.\n", rows.join(", ")),
        ] {
            let data = loose(&text);
            assert_eq!(data.format, Format::Repr, "{text}");
            assert_eq!(value(&data), json!(expected), "{text}");
        }
        let text = format!("{{'rows': [{}], 'next': None}}", rows.join(", "));
        assert_eq!(
            value(&loose(&text)),
            json!({"rows": expected, "next": null})
        );
        if !spelled.contains('\n') {
            let text = rows.join("\n") + "\n";
            let data = loose(&text);
            assert_eq!((data.format, data.rows.len()), (Format::ReprLines, 20));
            assert_eq!(value(&data), json!(expected));
        }
    }
}

#[test]
fn objects_are_told_by_their_attributes() {
    let users = [
        "User(id=1, name=\"it's\", tags=['a', 'b)'])",
        "models.User(id=2, name='Ada', tags=[])",
        "User(id=3, name=nan, tags=[Tag(x), Tag(id=4, tags={1, 2})])",
    ];
    let expected = json!([
        {"__class__": "User", "id": 1, "name": "it's", "tags": ["a", "b)"]},
        {"__class__": "models.User", "id": 2, "name": "Ada", "tags": []},
        {"__class__": "User", "id": 3, "name": "nan", "tags": ["Tag(x)", {"__class__": "Tag", "id": 4, "tags": "{1, 2}"}]},
    ]);
    let listed = format!("[{}]", users.join(", "));
    for text in [&listed, &format!("Found:\n\n{listed}\n"), &users.join("\n")] {
        assert_eq!(value(&loose(text)), expected, "{text}");
        assert_eq!(read(text), None, "{text}");
    }
    let text = format!("Result(users={listed}, next=None)\n");
    assert_eq!(
        value(&loose(&text)),
        json!({"__class__": "Result", "users": expected, "next": null})
    );
    for text in [
        "f(a=1, 2)",
        "[User(id==1), User(id==2)]",
        "[User(id=1, id=2), 'a']",
        "[User(id=1, __class__=2)]",
        "User(id=1) and User(id=2)",
        "print(id=1\nprint(id=2)\n",
    ] {
        let read = tamis_formats::read_loosely(text);
        assert!(
            read.is_none_or(|data| !data.json.contains("\"__class__\":")),
            "{text}"
        );
    }
}

#[test]
fn values_in_a_list_are_elements_but_dots_are_not() {
    let text = "[('a', nan), ('b', {'c'}), ('d', <e f>)]";
    let expected = json!([["a", "nan"], ["b", "{'c'}"], ["d", "<e f>"]]);
    assert_eq!(value(&loose(text)), expected);
    // Nobody knows how many elements three dots stand for.
    refused("[{'a': 1, 'b': 'x'}, ..., {'a': 9, 'b': 'y'}]");
    refused("[{'a': 1, 'b': 'x'}, {'a': 9, ...}]");
}

#[test]
fn numbers_as_keys_and_bytes_that_are_no_text() {
    let text = r"[{'id': 1, 'by': {1: 'a', -20: b'\xff\'\x00'}}, {'id': 2, 'by': {1: b'abc', 0: b'\xc3\xa9'}}]";
    let expected = json!([
        {"id": 1, "by": {"1": "a", "-20": r"b'\xff\'\x00'"}},
        {"id": 2, "by": {"1": "abc", "0": "é"}},
    ]);
    assert_eq!(value(&loose(text)), expected);
    // Neither can be written again as the text has it.
    assert_eq!(tamis_formats::read(text), None);
}

#[test]
fn values_whose_end_is_in_doubt_are_refused() {
    let long = format!("User('{}')", "x".repeat(2_000));
    for value in [
        "nano",
        "name",
        "null",
        "1j",
        "0x10",
        "1_000",
        "lambda x: x",
        "User",
        "User (1)",
        "User(1",
        "User(1))",
        "User(1]",
        "User(a < b)",
        "User(it's, 2)",
        "<it's>, 'b': <it's>",
        "<a",
        "<a <b>",
        "<1>",
        "<a\nb>",
        "a > b",
        "{'a', 'b'",
        "{'a' 'b': 1}",
        "{1.5: 'a'}",
        "{-: 'a'}",
        "{(1, 2): 'a'}",
        "{1: 'a', '1': 'b'}",
        "{nan: 'a'}",
        "'a' + 'b'",
        "f('a', \\)",
        "x.y",
        &long,
    ] {
        refused(&format!(
            "[{{'id': 1, 'v': {value}, 'w': 'x'}}, {{'id': 2, 'v': {value}, 'w': 'x'}}]"
        ));
    }
    // Of Python's own spelling nothing is there.
    refused("[User(1), User(2), <a b>]");
}

#[test]
fn such_data_is_read_loosely_alone() {
    for spelled in VALUES {
        assert_eq!(
            read(&format!("[{{'id': 1, 'v': {spelled}, 'w': 'x'}}]")),
            None,
            "{spelled}"
        );
    }
}

proptest! {
    /// The text comes back of the data: each string is either a spelling or one that Python quotes.
    #[test]
    fn rows_come_back(
        cells in prop::collection::vec((prop::sample::select(&VALUES[..]), "[a-z<>(){}\\[\\],: =.]{0,12}"), 1..12)
    ) {
        let row = |(spelled, text): &(&str, String)| {
            format!("{{'v': {spelled}, 'text': '{text}', 'w': nan}}")
        };
        let rows: Vec<String> = cells.iter().map(row).collect();
        let text = format!("[{}]", rows.join(", "));
        let data = loose(&text);
        let read = value(&data);
        let printed = |row: &Value| {
            let v = row["v"].as_str().unwrap_or("?");
            format!("{{'v': {v}, 'text': '{}', 'w': {}}}", row["text"].as_str().unwrap_or("?"), row["w"].as_str().unwrap_or("?"))
        };
        let printed: Vec<String> = read.as_array().into_iter().flatten().map(printed).collect();
        prop_assert_eq!(format!("[{}]", printed.join(", ")), text);
    }

    #[test]
    fn near_misses_are_survived(text in "[\\[\\]{}()<>'\",:a1n.\\\\\n -]{0,60}") {
        for text in [format!("[{text}"), format!("[{{'a': {text}}}]"), format!("[{{'a': nan, 'b': {text}}}]")] {
            if let Some(data) = tamis_formats::read_loosely(&text) {
                crate::check(&text, &data);
            }
        }
    }
}
