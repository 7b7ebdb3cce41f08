//! Lines that a tool numbered, with and without other lines around them.

use super::*;

fn lines(text: &str) -> Vec<(usize, &str)> {
    Source::of(text).lines().collect()
}

#[test]
fn numbers_before_all_lines_are_line_numbers() {
    let text = "  7→a\n  8→b\n  9→\n 10→  c\n 11→d";
    assert_eq!(lines(text)[3], (4, "  c"));
    assert_eq!(
        Source::of(text).note().as_deref(),
        Some(
            "the text numbers its own lines: its 7 is line 1 here, and `lines` takes the number here"
        )
    );
    let same = "1: a\n2: b\n3: c\n4: d\n5: e";
    assert_eq!(lines(same)[4], (5, "e"));
    assert_eq!(Source::of(same).note(), None);
    let headed = "Contents of a.rs:\n1: a\n2: b\n3: c\n4: d\n5: e\n(end)";
    assert_eq!(lines(headed)[5], (6, "e"));
    assert_eq!(lines(headed)[6], (7, "(end)"));
}

#[test]
fn other_numbers_stay() {
    for text in [
        "3:17 error\n4:2 error\n4:9 error\n5:1 x\n6:1 x",
        "12:04:33 ERROR a\n12:04:34 b\n12:04:35 c\n12:04:36 d\n12:04:37 e",
        "1: a\n2: b\nno number\n3: c\n4: d\n5: e",
        "1: a\n2: b\n4: c\n5: d\n6: e",
        "1: a\n2| b\n3: c\n4: d\n5: e",
    ] {
        for ((_, read), line) in lines(text).into_iter().zip(text.lines()) {
            assert_eq!(read, line);
        }
    }
}

fn block(first: usize, count: usize, sign: &str) -> String {
    (first..first + count)
        .map(|number| format!("{number:>4}{sign}line {number}\n"))
        .collect()
}

fn texts(text: &str) -> Vec<String> {
    Source::of(text).texts().map(str::to_owned).collect()
}

#[test]
fn a_number_before_a_line_is_no_part_of_it() {
    for sign in ["\t", "→", ": ", " | ", ":"] {
        let text = block(1, 5, sign);
        let expected: Vec<String> = (1..=5).map(|number| format!("line {number}")).collect();
        assert_eq!(texts(&text), expected, "{sign:?}");
        assert_eq!(Source::of(&text).note(), None, "{sign:?}");
        let few = block(1, 4, sign);
        assert_eq!(texts(&few), few.lines().collect::<Vec<_>>(), "{sign:?}");
    }
    let jump = block(1, 4, ": ") + &block(6, 4, ": ");
    assert_eq!(texts(&jump), jump.lines().collect::<Vec<_>>());
    let mixed = block(1, 4, ": ") + &block(5, 4, "\t");
    assert_eq!(texts(&mixed), mixed.lines().collect::<Vec<_>>());
}

#[test]
fn few_lines_are_around_a_numbered_block() {
    let around = |before: usize, after: usize| {
        let (before, after) = ("7: of it\n".repeat(before), "words\n".repeat(after));
        let text = format!("{}{}{after}", before.replace("7: ", ""), block(8, 6, ": "));
        let numbered = texts(&text)
            .iter()
            .filter(|line| line.starts_with("line "))
            .count();
        assert_eq!(Source::of(&text).note().is_some(), numbered > 0, "{text}");
        numbered
    };
    assert_eq!(around(AROUND, 0), 6);
    assert_eq!(around(AROUND + 1, 0), 0);
    assert_eq!(around(0, AROUND), 6);
    assert_eq!(around(0, AROUND + 1), 0);
    // Only lines of the block lose their numbers.
    let text = format!("9: a\n{}3: b\n", block(1, 5, ": "));
    assert_eq!(texts(&text), text.lines().collect::<Vec<_>>(), "{text}");
    let text = format!("words\n{}3: b\n", block(1, 5, ": "));
    let found = texts(&text);
    assert_eq!(
        (&*found[1], &*found[5], &*found[6]),
        ("line 1", "line 5", "3: b")
    );
}

#[test]
fn a_column_of_numbers_is_no_numbering() {
    let rows = |first: usize| (first..first + 40).map(|at| format!("{at}\tproxy\tgood\n"));
    let text: String = rows(5000).collect();
    assert_eq!(texts(&text), text.lines().collect::<Vec<_>>());
    // `cat -n` of such a table.
    let text: String = rows(1).collect();
    assert_eq!(texts(&text)[39], "proxy\tgood");
    // Code has tabs before some lines alone.
    let code = |at: usize| "\t".repeat(at % 3) + "code";
    let text: String = (900..940)
        .map(|at| format!("{at}\t{}\n", code(at)))
        .collect();
    assert_eq!(texts(&text)[1], "\tcode");
}

#[test]
fn two_numberings_are_told() {
    let text = "words\n".to_owned() + &block(40, 6, ": ");
    assert_eq!(
        Source::of(&text).note().as_deref(),
        Some(
            "the text numbers its own lines: its 40 is line 2 here, and `lines` takes the number here"
        )
    );
    // A line without a number does not end the block, but later numbers differ from the lines' own.
    let shifted = "words\n".to_owned() + &block(2, 6, ": ") + "\n" + &block(8, 3, ": ");
    assert_eq!(Source::of(&shifted).lines().last(), Some((11, "line 10")));
    assert!(Source::of(&shifted).note().is_some());
}

#[test]
fn lines_in_fences_may_be_numbered_by_themselves() {
    let block = |first: usize| {
        let code = (first..first + 9).map(|own| format!("{own}\terrors is passed({own})\n"));
        format!("```python\n{}```\n", code.collect::<String>())
    };
    let text = format!("# A\n\n{}\n# B\n\n{}", block(100), block(7));
    let source = Source::of(&text);
    let shown: Vec<&str> = source.texts().collect();
    assert_eq!(shown[3], "errors is passed(100)");
    assert_eq!((shown[14], shown[17]), ("# B", "errors is passed(7)"));
    assert_eq!(
        source.note().as_deref(),
        Some(
            "blocks of code number their own lines: line 4 here is 100 of its block, and `lines` takes the number here"
        )
    );
    // Data.
    let years: String = (2003..2019)
        .map(|year| format!("{year}: ERROR {year}\n"))
        .collect();
    let data = format!("{}```\n{years}```\n", "words\n".repeat(9));
    assert!(
        Source::of(&data)
            .texts()
            .any(|line| line == "2007: ERROR 2007")
    );
    // Rows of a table stay.
    let rows: String = (1..9)
        .map(|id| format!("{}\tpaid\t{id}\n", id + 40))
        .collect();
    let table = format!("```\n{rows}```\n");
    assert!(Source::of(&table).texts().any(|line| line == "41\tpaid\t1"));
}
