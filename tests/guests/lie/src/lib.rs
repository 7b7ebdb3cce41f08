//! `lie`: gives invalid answers. It uses the contract's own types, because the builders of the SDK would not allow
//! them.

use serde::Deserialize;
use tamis_sdk::guest::bindings::tamis::filter::types::{Edits, Rewrite, Splices};
use tamis_sdk::{Call, Description, Document, Filter, Kind, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The kind of invalid answer. Those about JSON are for the document `{"a":[1,"é"],"b":null}`, whose nodes are: 0
    /// the object, 1 `"a"`, 2 the array, 3 `1`, 4 `"é"`, 5 `"b"`, 6 `null`.
    lie: Lie,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Lie {
    EditsOddWords,
    EditsNoSuchOperation,
    EditsNoSuchNode,
    EditsRemoveRoot,
    EditsRemoveMemberByValue,
    EditsRenameValue,
    EditsReplaceKey,
    EditsAppendToNumber,
    EditsTwiceOneNode,
    EditsInsideRemoved,
    EditsRemoveWithOperand,
    EditsOperandOutOfRange,
    EditsOperandBackwards,
    EditsOperandInsideCharacter,
    EditsOperandNotJson,
    EditsOperandTwoValues,
    EditsOperandEmpty,
    EditsRenameToNumber,
    EditsTooDeep,
    EditsTooMuch,
    EditsLastOneWrong,
    SplicesOddWords,
    SplicesOutOfRange,
    SplicesBackwards,
    SplicesInsideCharacter,
    SplicesOverlap,
    SplicesOperandOutOfRange,
    SplicesOperandInsideCharacter,
    SplicesTooMuch,
    RewriteNotJson,
    RewriteEmptyJson,
    RewriteTooDeep,
    AnError,
}

const REMOVE: u32 = 0;
const REPLACE: u32 = 1;
const RENAME: u32 = 2;
const APPEND: u32 = 3;

fn edits(operations: &[u32], text: &str) -> Verdict {
    Verdict::Edited(Edits {
        operations: operations.to_vec(),
        text: text.to_owned(),
    })
}

fn splices(ranges: &[u32], text: &str) -> Verdict {
    Verdict::Spliced(Splices {
        ranges: ranges.to_vec(),
        text: text.to_owned(),
    })
}

fn json(text: impl Into<String>) -> Verdict {
    Verdict::Rewritten(Rewrite {
        kind: Kind::Json,
        text: text.into(),
    })
}

impl Lie {
    fn tell(self) -> Result<Verdict, String> {
        const MEGABYTE: usize = 1 << 20;
        Ok(match self {
            Lie::EditsOddWords => edits(&[REMOVE, 1, 0], ""),
            Lie::EditsNoSuchOperation => edits(&[4, 1, 0, 0], ""),
            Lie::EditsNoSuchNode => edits(&[REMOVE, 7, 0, 0], ""),
            Lie::EditsRemoveRoot => edits(&[REMOVE, 0, 0, 0], ""),
            Lie::EditsRemoveMemberByValue => edits(&[REMOVE, 6, 0, 0], ""),
            Lie::EditsRenameValue => edits(&[RENAME, 4, 0, 3], r#""c""#),
            Lie::EditsReplaceKey => edits(&[REPLACE, 1, 0, 3], r#""c""#),
            Lie::EditsAppendToNumber => edits(&[APPEND, 3, 0, 1], "2"),
            Lie::EditsTwiceOneNode => edits(&[REPLACE, 3, 0, 1, REPLACE, 3, 0, 1], "2"),
            Lie::EditsInsideRemoved => edits(&[REMOVE, 1, 0, 0, REPLACE, 3, 0, 1], "2"),
            Lie::EditsRemoveWithOperand => edits(&[REMOVE, 1, 0, 1], "2"),
            Lie::EditsOperandOutOfRange => edits(&[REPLACE, 3, 0, u32::MAX], "2"),
            Lie::EditsOperandBackwards => edits(&[REPLACE, 3, 1, 0], "2"),
            Lie::EditsOperandInsideCharacter => edits(&[REPLACE, 4, 0, 2], r#""é""#),
            Lie::EditsOperandNotJson => edits(&[REPLACE, 3, 0, 4], "nul!"),
            Lie::EditsOperandTwoValues => edits(&[REPLACE, 3, 0, 3], "2,3"),
            Lie::EditsOperandEmpty => edits(&[APPEND, 2, 0, 0], ""),
            Lie::EditsRenameToNumber => edits(&[RENAME, 1, 0, 1], "2"),
            Lie::EditsTooDeep => {
                let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
                edits(&[REPLACE, 3, 0, 256], &deep)
            }
            Lie::EditsTooMuch => {
                let text = format!("\"{}\"", "x".repeat(MEGABYTE));
                let append = [APPEND, 2, 0, text.len() as u32];
                edits(&append.repeat(64), &text)
            }
            Lie::EditsLastOneWrong => edits(&[REMOVE, 1, 0, 0, REMOVE, 6, 0, 0], ""),
            Lie::SplicesOddWords => splices(&[0, 1, 0], ""),
            Lie::SplicesOutOfRange => splices(&[0, u32::MAX, 0, 0], ""),
            Lie::SplicesBackwards => splices(&[2, 1, 0, 0], ""),
            // `é` is the bytes 9 and 10.
            Lie::SplicesInsideCharacter => splices(&[0, 10, 0, 0], ""),
            Lie::SplicesOverlap => splices(&[0, 3, 0, 0, 2, 4, 0, 0], ""),
            Lie::SplicesOperandOutOfRange => splices(&[0, 1, 1, 2], "x"),
            Lie::SplicesOperandInsideCharacter => splices(&[0, 1, 0, 1], "é"),
            Lie::SplicesTooMuch => {
                let text = "x".repeat(MEGABYTE);
                splices(&[0, 0, 0, text.len() as u32].repeat(64), &text)
            }
            Lie::RewriteNotJson => json(r#"{"a":1,}"#),
            Lie::RewriteEmptyJson => json(""),
            Lie::RewriteTooDeep => json(format!("{}{}", "[".repeat(200), "]".repeat(200))),
            Lie::AnError => return Err("this document is not for me".to_owned()),
        })
    }
}

struct Liar(Settings);

impl Filter for Liar {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("lie", "0.1.0", "answers what is no answer").may_grow()
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        Ok(Liar(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        self.0.lie.tell()
    }
}

tamis_sdk::export!(Liar);
