//! Edits of random documents do what they do to the model, and leave the rest alone.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{config, generate, model};
use crate::{Document, Kind, Tape, TapeWanted};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn edits_do_to_a_document_what_they_do_to_the_model(
        text in generate::document(),
        choices in generate::choices(),
    ) {
        let document = Document::json(text.as_str()).unwrap();
        let old = document.tape().unwrap();
        let edits = generate::edits(old, &choices);
        let (operations, operands) = generate::encode(&edits);
        let edited = document.edit(&operations, &operands, TapeWanted::Yes).unwrap();
        let expected = model::parse(&text).edited(&edits);
        let told = || format!("old: {text:?}\nedits: {edits:?}\nnew: {:?}", edited.text());

        prop_assert_eq!(model::parse(edited.text()).print(), expected.print(), "{}", told());
        let rebuilt = Tape::build(edited.text());
        prop_assert_eq!(Ok(edited.tape().unwrap()), rebuilt.as_ref(), "{}", told());
        let text_only = document.edit(&operations, &operands, TapeWanted::No).unwrap();
        prop_assert_eq!(text_only.text(), edited.text(), "{}", told());
        prop_assert_eq!(text_only.kind(), Kind::Json, "{}", told());

        // Two nodes that were neighbours, and are, have the same bytes between their starts: their own,
        // and what separates them.
        let new = edited.tape().unwrap();
        let origins = expected.origins();
        prop_assert_eq!(new.len() as usize, origins.len(), "{}", told());
        for (at, pair) in origins.windows(2).enumerate() {
            if let [Some(was), Some(next)] = *pair && next == was + 1 {
                let bytes = |document: &Document, tape: &Tape, node: usize| {
                    let [this, next] = [node, node + 1].map(|node| tape.node(node as u32).start);
                    document.slice(this, next).to_owned()
                };
                prop_assert_eq!(bytes(&edited, new, at), bytes(&document, old, was), "{}", told());
            }
        }
        // So has every node with no edit on it or in it, and all that is around the root.
        for (at, origin) in origins.iter().enumerate() {
            let Some(origin) = *origin else { continue };
            let (was, is) = (old.node(origin as u32), new.node(at as u32));
            if !edits.iter().any(|edit| (origin..was.next as usize).contains(&edit.node())) {
                let (was, is) = (document.slice(was.start, was.end), edited.slice(is.start, is.end));
                prop_assert_eq!(was, is, "{}", told());
            }
        }
        if origins[0].is_some() {
            let around = |document: &Document, tape: &Tape| {
                let text = document.text();
                let root = tape.root();
                [text[..root.start as usize].to_owned(), text[root.end as usize..].to_owned()]
            };
            prop_assert_eq!(around(&document, old), around(&edited, new), "{}", told());
        }
    }

    #[test]
    fn the_order_of_a_list_does_not_matter(
        text in generate::document(),
        choices in generate::choices(),
        places in vec(any::<u32>(), 256),
    ) {
        let document = Document::json(text.as_str()).unwrap();
        let edits = generate::edits(document.tape().unwrap(), &choices);
        let mut shuffled = edits.clone();
        // Stable, by a number that depends on the node: appends to one container keep their order.
        shuffled.sort_by_key(|edit| places[edit.node() % places.len()]);

        let [in_order, shuffled] = [edits, shuffled].map(|edits| {
            let (operations, operands) = generate::encode(&edits);
            document.edit(&operations, &operands, TapeWanted::Yes).unwrap()
        });
        prop_assert_eq!(in_order.text(), shuffled.text());
        prop_assert_eq!(in_order.tape(), shuffled.tape());
    }

    #[test]
    fn whatever_a_filter_sends_a_result_is_valid_json(
        text in generate::document(),
        operations in vec(prop_oneof![0..4u32, 0..24u32, any::<u32>()], 0..17),
        fours in vec((0..5u32, 0..16u32, 0..12u32, 0..12u32), 0..5),
        operands in "[\\[\\]{}\",:0-9é ]{0,6}|1,2|\"a\":1|\"a\"| [7]|1\\],\\[2",
    ) {
        let document = Document::json(text.as_str()).unwrap();
        let likely = fours.iter().flat_map(|&(operation, node, start, end)| {
            if operation == 0 { [0, node, 0, 0] } else { [operation, node, start, end] }
        });
        let whole = fours.iter().flat_map(|&(operation, node, ..)| {
            [operation, node, 0, if operation == 0 { 0 } else { operands.len() as u32 }]
        });
        for operations in [operations, likely.collect(), whole.collect()] {
            let adjusted = document.edit(&operations, &operands, TapeWanted::Yes);
            let text_only = document.edit(&operations, &operands, TapeWanted::No);
            match (adjusted, text_only) {
                (Ok(adjusted), Ok(text_only)) => {
                    prop_assert_eq!(adjusted.text(), text_only.text());
                    let rebuilt = Tape::build(adjusted.text());
                    prop_assert_eq!(
                        Ok(adjusted.tape().unwrap()), rebuilt.as_ref(),
                        "{:?} {:?} {:?}", text, operations, operands
                    );
                }
                (adjusted, text_only) => prop_assert_eq!(adjusted.err(), text_only.err()),
            }
        }
    }

    #[test]
    fn just_those_lists_are_refused_that_break_a_rule(
        text in generate::document(),
        choices in generate::choices(),
        changed in vec((any::<u16>(), prop_oneof![0..5u32, 0..40u32, any::<u32>()]), 0..3),
        copied in vec(any::<u16>(), 0..3),
    ) {
        let document = Document::json(text.as_str()).unwrap();
        let edits = generate::edits(document.tape().unwrap(), &choices);
        let (mut operations, mut operands) = generate::encode(&edits);
        operands.push_str("1] [2 \"a\":{}, é");
        for place in copied {
            let edits: Vec<[u32; 4]> = operations.as_chunks().0.to_vec();
            if !edits.is_empty() {
                operations.extend(edits[usize::from(place) % edits.len()]);
            }
        }
        for (place, word) in changed {
            let place = usize::from(place);
            match operations.len() {
                0 => operations.push(word),
                len => operations[place % len] = word,
            }
        }
        let edited = document.edit(&operations, &operands, TapeWanted::No);
        prop_assert_eq!(
            edited.is_ok(),
            model::takes(&text, &operations, &operands),
            "{:?} of {:?} by {:?}: {:?}", operations, text, operands, edited.err()
        );
    }
}

/// A list nested to the limit takes nothing deeper, and takes all that is not.
#[test]
fn how_deep_an_operand_may_nest_depends_on_where_it_goes() {
    let nest = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for outer in [1, 2, 64, 127, 128] {
        let text = nest(outer);
        let innermost = outer as u32 - 1;
        for more in [0, 1, 2, 63, 64, 65, 126, 127, 128] {
            let operand = if more == 0 {
                "1".to_owned()
            } else {
                nest(more)
            };
            for operation in [1, 3] {
                let list = [operation, innermost, 0, operand.len() as u32];
                let edited =
                    Document::json(text.as_str())
                        .unwrap()
                        .edit(&list, &operand, TapeWanted::Yes);
                let told = format!("{operation} of {more} in {outer}: {edited:?}");
                assert_eq!(
                    edited.is_ok(),
                    model::takes(&text, &list, &operand),
                    "{told}"
                );
            }
        }
    }
}
