use super::lines;
use crate::RowEncoder;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_document::scan::compact;
use tamis_sdk::testing::Bench;

fn bench() -> Bench<RowEncoder> {
    Bench::new(json!({}))
}

/// The encoded text. It must be shorter, must leave the text around the data unchanged, and must restore to the JSON
/// that the data is read as.
#[track_caller]
fn encoded(text: &str) -> Option<String> {
    let applied = bench().apply(text);
    if !applied.changed {
        return None;
    }
    let data = tamis_formats::read(text).expect("only data is encoded");
    let table = applied
        .text()
        .strip_prefix(data.text_before())
        .and_then(|rest| rest.strip_suffix(data.text_after()));
    let table = table.unwrap_or_else(|| panic!("{}", applied.text()));
    let restored = tamis_rows::restore(table).unwrap_or_else(|error| panic!("{error}: {table}"));
    assert_eq!(restored, compact(&data.json));
    assert!(applied.text().len() < text.len());
    let tokens = |text: &str| {
        let o200k = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
        o200k.count(text)
    };
    assert!(tokens(applied.text()) < tokens(text), "{}", applied.text());
    assert!(!bench().apply(applied.text()).changed, "{}", applied.text());
    Some(applied.text().to_owned())
}

const PSQL: &str = "\
Query returned:
  id   |        state        |      note
-------+---------------------+----------------
 10040 | refunded            |
 10069 | refunded            | gift wrap
 10080 | waiting for payment |
 10093 | refunded            | leave at door
(4 rows)
";

#[test]
fn a_table_of_a_database_loses_its_padding() {
    assert_eq!(
        encoded(PSQL).as_deref(),
        Some(
            "Query returned:\n4 rows\nid\tstate\tnote\n10040\trefunded\t\"\"\n10069\trefunded\tgift wrap\n\
            10080\twaiting for payment\t\"\"\n10093\trefunded\tleave at door\n(4 rows)\n"
        )
    );
}

#[test]
fn json_after_a_sentence_becomes_a_table() {
    let rows: Vec<Value> = (0..6)
        .map(|id| json!({"id": id, "name": format!("name {id}"), "state": "open"}))
        .collect();
    let text = format!("Contents of orders:\n{}\n", json!(rows));
    let table = encoded(&text).expect("a table");
    assert!(
        table.starts_with("Contents of orders:\n6 rows\nid\tname\tstate\n0\tname 0\topen\n"),
        "{table}"
    );
}

#[test]
fn json_after_a_sentence_that_is_no_table_loses_its_white_space() {
    let text = format!(
        "Here it is:\n{:#}\n",
        json!({"a": {"b": [1, 2, 3], "c": {"d": "e"}}, "f": "g"})
    );
    assert_eq!(
        encoded(&text).as_deref(),
        Some("Here it is:\n{\"a\":{\"b\":[1,2,3],\"c\":{\"d\":\"e\"}},\"f\":\"g\"}\n")
    );
}

#[test]
fn entries_of_xml_become_a_table() {
    let orders: String = (0..6)
        .map(|id| {
            format!("  <order id=\"{id}\"><state>open</state><total>{id}.50</total></order>\n")
        })
        .collect();
    let text = format!("<?xml version=\"1.0\"?>\n<orders>\n{orders}</orders>\n");
    let table = encoded(&text).expect("a table");
    assert!(
        table.starts_with("<?xml version=\"1.0\"?>\n{\"orders\":{\"order\":[6 rows"),
        "{table}"
    );
}

#[test]
fn only_the_level_table_takes_texts_and_it_can_be_told_not_to() {
    assert!(bench().apply(PSQL).changed);
    for settings in [
        json!({"texts": false}),
        json!({"level": "exact"}),
        json!({"level": "dense"}),
    ] {
        assert!(
            !Bench::<RowEncoder>::new(&settings).apply(PSQL).changed,
            "{settings}"
        );
    }
}

#[test]
fn csv_that_is_as_short_as_a_table_stays() {
    let text: String = (0..40)
        .map(|id| format!("{id},name {id},{}\n", id * 7))
        .collect();
    assert_eq!(encoded(&format!("id,name,total\n{text}")), None);
}

/// Lines that a long command prints.
fn progress() -> String {
    let step = |id: usize| {
        format!(
            "step {id}: object_{id}.o of 40 linked into libshop_{}.a after {} ms\n",
            id % 7,
            id * 13
        )
    };
    format!(
        "Building:\n{}All done.\n",
        (0..40).map(step).collect::<String>()
    )
}

#[test]
fn lines_of_one_form_say_it_once() {
    let text = progress();
    let applied = bench().apply(&text);
    let begins = "Building:\n40 lines of the form \"step {1}: object_{1}.o of 40 linked into libshop_{2}.a after {3} ms\", with these values:\n0\t0\t0\n1\t1\t13\n";
    assert!(applied.text().starts_with(begins), "{}", applied.text());
    assert!(applied.text().ends_with("\n39\t4\t507\nAll done.\n"));
    assert_eq!(lines::restore(applied.text()), Some(text));
    assert!(!bench().apply(applied.text()).changed);
}

#[test]
fn lines_of_other_forms_stay() {
    for text in [
        progress()
            .lines()
            .take(7)
            .map(|line| format!("{line}\n"))
            .collect(),
        progress().replace("ms", "ms {}"),
        progress().replace("step", "\u{1b}[32mstep\u{1b}[0m"),
        (0..40)
            .map(|id| format!("    [{id}, {}, 0x{id}],\n", id * 7))
            .collect(),
        "warning: unused variable `x1` here\n".repeat(40),
        (0..40)
            .map(|id| format!("line {id} with {} words\n", ["few", "many"][id % 2]))
            .collect(),
        "word ".repeat(10_000),
    ] {
        assert!(!bench().apply(&text).changed, "{text}");
    }
}

proptest! {
    #[test]
    fn lines_come_back_as_they_were(
        runs in prop::collection::vec(("[a-z]{3,9} [a-z.:/=(-]{1,6}", "[ a-z.:,_-]{0,9}", 1usize..30, prop::collection::vec("[0-9]{1,6}(\\.[0-9]{1,3})?|[a-f0-9]{7}|", 60)), 1..4),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        ended in any::<bool>(),
    ) {
        let mut text = String::new();
        for (first, second, count, values) in runs {
            for row in 0..count {
                text += &format!("{first} {} building{second} {} {row}{end}", values[row], values[row + 30]);
            }
        }
        if !ended {
            text.truncate(text.len() - end.len());
        }
        if let Some(encoded) = lines::encode(&text) {
            prop_assert_eq!(lines::restore(&encoded), Some(text.clone()), "{}", encoded);
        }
        let applied = bench().apply(&text);
        prop_assert!(!applied.changed || !bench().apply(applied.text()).changed);
    }

    #[test]
    fn the_way_back_is_there_for_all_texts(
        notation in 0usize..7,
        rows in prop::collection::vec(("[a-z0-9]{1,6}", "[a-z .:'\"-]{0,12}", 0u32..100), 3..20),
        before in prop::sample::select(vec!["", "Found:\n\n", "The rows:\n```\n"]),
    ) {
        let after = if before.ends_with("```\n") { "```\n" } else { "" };
        let cells: Vec<[String; 3]> = rows.into_iter().map(|(a, b, c)| [c.to_string(), a, b.trim().to_owned()]).collect();
        let objects = || cells.iter().map(|[id, a, b]| json!({"id": id, "name": a, "note": b}));
        let line = |open: &str, sign: &str, close: &str, width: usize, row: &[String; 3]| {
            let cells: Vec<String> = row.iter().map(|cell| format!("{cell:<width$}")).collect();
            format!("{open}{}{close}\n", cells.join(sign))
        };
        let table = |open: &str, sign: &str, close: &str, width: usize, rule: &str| {
            let names = ["id", "name", "note"].map(str::to_owned);
            let rows: String = cells.iter().map(|row| line(open, sign, close, width, row)).collect();
            format!("{}{rule}{rows}", line(open, sign, close, width, &names))
        };
        let rule = "-".repeat(14);
        let text = match notation {
            0 => table("", "\t", "", 0, ""),
            1 => table("| ", " | ", " |", 12, &format!("|{rule}|{rule}|{rule}|\n")),
            2 => table(" ", " | ", "", 12, &format!("{rule}+{rule}+{rule}\n")),
            3 => objects().map(|row| format!("{row}\n")).collect(),
            4 => format!("{:#}\n", Value::from(objects().collect::<Vec<_>>())),
            5 => objects().map(|row| format!("{}\n", row.to_string().replace("\"id\":", "'id': "))).collect(),
            _ => format!("<all>{}</all>\n", cells.iter().map(|[id, a, _]| format!("<e id=\"{id}\"><name>{a}</name></e>\n")).collect::<String>()),
        };
        let text = format!("{before}{text}{after}");
        // A text that is JSON as a whole reaches the filter as JSON.
        if serde_json::from_str::<Value>(&text).is_err() {
            encoded(&text);
        }
    }
}
