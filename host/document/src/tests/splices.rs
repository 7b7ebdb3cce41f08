//! Splices: a property against a naive model, and the rules.

use proptest::collection::vec;
use proptest::prelude::*;

use super::config;
use crate::{Document, Kind};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn splices_replace_what_they_name(
        pieces in vec(("[a-cé漢]{0,5}", "[a-cé漢]{0,5}", "[x-zß]{0,4}"), 0..8),
        tail in "[a-cé漢]{0,5}",
        places in vec(any::<u32>(), 8),
    ) {
        // Each piece: text that stays, text that goes, text that comes. Two that are next to each other
        // with nothing between them keep their order, so empty ones are left out of the shuffle.
        let (mut text, mut expected, mut operands) = (String::new(), String::new(), String::new());
        let mut splices = Vec::new();
        for (stays, goes, comes) in &pieces {
            text.push_str(stays);
            let start = text.len() as u32;
            text.push_str(goes);
            let from = operands.len() as u32;
            operands.push_str(comes);
            if !goes.is_empty() {
                splices.push([start, text.len() as u32, from, operands.len() as u32]);
            }
            expected.push_str(stays);
            expected.push_str(if goes.is_empty() { "" } else { comes });
        }
        text.push_str(&tail);
        expected.push_str(&tail);
        splices.sort_by_key(|splice| places[splice[0] as usize % places.len()]);

        let spliced = Document::text_only(text.as_str()).splice(&splices.concat(), &operands);
        let spliced = spliced.unwrap();
        prop_assert_eq!(&**spliced.text(), expected, "{:?} {:?} {:?}", text, splices, operands);
    }

    #[test]
    fn any_words_give_a_text_or_an_error(
        text in "[a-cé漢]{0,5}",
        ranges in vec(prop_oneof![0..8u32, any::<u32>()], 0..13),
        operands in "[a-cé漢]{0,5}",
    ) {
        // Not to panic is the property.
        let _ = Document::detect(text.as_str()).splice(&ranges, &operands);
    }
}

#[track_caller]
fn check(text: &str, ranges: &[u32], operands: &str, expected: Result<&str, &str>) {
    let spliced = Document::text_only(text).splice(ranges, operands);
    let found = spliced
        .as_ref()
        .map(|document| &**document.text())
        .map_err(|error| error.name());
    assert_eq!(found, expected, "{text:?} {ranges:?} {operands:?}");
}

#[test]
fn every_rule_has_its_name() {
    check("abc", &[], "", Ok("abc"));
    check("abc", &[1, 2, 0, 1], "X", Ok("aXc"));
    check("abc", &[3, 3, 0, 1, 0, 0, 0, 1], "X", Ok("XabcX"));
    check(
        "abc",
        &[1, 1, 0, 1, 1, 1, 1, 2, 1, 2, 2, 3],
        "XYZ",
        Ok("aXYZc"),
    );
    check("abc", &[1, 2, 0, 0, 1, 1, 0, 1], "X", Ok("aXc"));
    check("abc", &[1, 2, 0], "X", Err("not-fours"));
    check("abc", &[1, 4, 0, 0], "X", Err("out-of-range"));
    check("abc", &[2, 1, 0, 0], "X", Err("out-of-range"));
    check("aéc", &[1, 2, 0, 0], "X", Err("not-on-character"));
    check("abc", &[0, 2, 0, 0, 1, 3, 0, 0], "X", Err("overlap"));
    check("abc", &[0, 2, 0, 0, 1, 1, 0, 0], "X", Err("overlap"));
    check("abc", &[1, 2, 0, 0, 1, 2, 0, 0], "X", Err("overlap"));
    check("abc", &[0, 0, 0, 2], "X", Err("operand-out-of-range"));
    check("abc", &[0, 0, 1, 0], "X", Err("operand-out-of-range"));
    check("abc", &[0, 0, 0, 1], "é", Err("operand-not-on-character"));
    check("abc", &[0, 0, 1, 2], "é", Err("operand-not-on-character"));
    check("abc", &[0, 0, 1, 1], "é", Err("operand-not-on-character"));
}

#[test]
fn one_operand_cannot_be_named_without_end() {
    let operand = "x".repeat(1 << 20);
    let named = |times: usize| [0, 0, 0, 1 << 20].repeat(times);
    let document = Document::text_only("");
    assert_eq!(
        document.splice(&named(17), &operand).unwrap().text().len(),
        17 << 20
    );
    let error = document.splice(&named(18), &operand).unwrap_err();
    assert_eq!(error.name(), "too-much-inserted", "{error}");
}

#[test]
fn json_stays_json_while_it_is_valid() {
    let json = Document::detect("{\"a\":[1]}");
    assert_eq!(json.splice(&[6, 7, 0, 2], "22").unwrap().kind(), Kind::Json);
    assert_eq!(
        json.splice(&[0, 5, 0, 0, 8, 9, 0, 0], "").unwrap().kind(),
        Kind::Json
    );
    assert_eq!(json.splice(&[8, 9, 0, 0], "").unwrap().kind(), Kind::Text);
    assert_eq!(
        Document::text_only("{}")
            .splice(&[0, 0, 0, 1], " ")
            .unwrap()
            .kind(),
        Kind::Text
    );
    assert_eq!(
        Document::detect("{]")
            .splice(&[1, 2, 0, 1], "}")
            .unwrap()
            .kind(),
        Kind::Text
    );
}
