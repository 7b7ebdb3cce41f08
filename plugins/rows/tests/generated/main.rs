//! Generated documents that are hard to encode, encoded and restored.
//!
//! `TAMIS_FUZZ_DOCUMENTS` is their number (20,000 by default), and `TAMIS_FUZZ_SEED` the first.

mod documents;
mod families;
mod sums;

use documents::{Dice, document};
use tamis_document::Document;
use tamis_rows::{Encoded, Level, Options, encode, restore};

const LEVELS: [Level; 3] = [Level::Table, Level::Exact, Level::Dense];

fn encoded(json: &str, level: Level, min_rows: usize) -> Option<Encoded> {
    let whole = Document::json(json).expect("the generator writes JSON");
    let tape = whole.tape().expect("JSON has a tape").words();
    encode(json, tape, Options { level, min_rows })
}

/// The document without whitespace outside of strings, made without the tape.
fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for char in json.chars() {
        if in_string {
            out.push(char);
            in_string = escaped || char != '"';
            escaped = !escaped && char == '\\';
        } else if !char.is_ascii_whitespace() {
            out.push(char);
            in_string = char == '"';
        }
    }
    out
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is `{value}`: a number is wanted"))
    })
}

#[test]
fn restoring_gives_back_what_was_encoded() {
    let documents = from_environment("TAMIS_FUZZ_DOCUMENTS", 20_000);
    let first = from_environment("TAMIS_FUZZ_SEED", 1);
    let mut with_tables = [0u64; LEVELS.len()];
    for seed in first..first + documents {
        let json = document(seed);
        let compact = compact(&json);
        for (index, level) in LEVELS.into_iter().enumerate() {
            let Some(encoded) = encoded(&json, level, 2) else {
                assert_eq!(
                    compact.len(),
                    json.len(),
                    "seed {seed}: not even compact: {json}"
                );
                continue;
            };
            let text = &encoded.text;
            if encoded.tables.count == 0 {
                assert_eq!(*text, compact, "seed {seed}");
                continue;
            }
            with_tables[index] += 1;
            assert!(
                text.len() < compact.len(),
                "seed {seed}, {level:?}: larger than\n{compact}\n{text}"
            );
            match restore(text) {
                Ok(restored) => assert_eq!(
                    restored, compact,
                    "seed {seed}, {level:?}, encoded as\n{text}\n"
                ),
                Err(error) => panic!("seed {seed}, {level:?}: {error} in\n{text}\nof\n{compact}"),
            }
            assert!(
                Document::detect(text.as_str()).tape().is_none(),
                "seed {seed}: a text with tables is JSON: {text}"
            );
        }
    }
    // The generator is useless if it makes hardly any tables.
    assert!(
        with_tables.iter().all(|count| count * 6 > documents),
        "{with_tables:?} of {documents} have tables"
    );
}

/// Other text than the encoder's output must not cause a panic.
#[test]
fn damaged_text_does_not_panic() {
    for seed in 1..=from_environment("TAMIS_FUZZ_DOCUMENTS", 20_000) / 4 {
        // Both outcomes are fine.
        drop(restore(&damaged(seed)));
    }
}

/// Output of the encoder with a few changed characters.
fn damaged(seed: u64) -> String {
    let level = LEVELS[(seed % 3) as usize];
    let json = document(seed);
    let text = encoded(&json, level, 2).map_or(json, |it| it.text);
    let mut dice = Dice(seed);
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + dice.roll(3) {
        let Some(last) = chars.len().checked_sub(1) else {
            break;
        };
        let at = dice.roll(last + 1);
        match dice.roll(4) {
            0 => drop(chars.remove(at)),
            1 => chars.truncate(at),
            2 => chars.insert(at, chars[dice.roll(last + 1)]),
            _ => {
                let odd = dice.pick(&[
                    "\t", "\n", "~", "!", "\"", "\\", "[", ",", "é", "#", "^", ".", " ", ";", "(",
                    "9",
                ]);
                chars[at] = odd.chars().next().unwrap_or('x');
            }
        }
    }
    chars.into_iter().collect()
}

/// The estimate that decides about a table may be off by a few tokens, if cells are as odd as these. Over many
/// documents, such losses must be rare, small, and negligible against the savings.
#[test]
fn tables_hardly_ever_cost_more_tokens() {
    let documents = from_environment("TAMIS_FUZZ_DOCUMENTS", 20_000) / 10;
    if documents < 2000 {
        println!("{documents} documents are too few to tell rare from often");
        return;
    }
    let first = from_environment("TAMIS_FUZZ_SEED", 1);
    let o200k = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    // The estimate for tables that explain themselves is better.
    for (level, one_in, most) in [
        (Level::Table, 1000, 4),
        (Level::Exact, 200, 20),
        (Level::Dense, 200, 20),
    ] {
        let (mut with_tables, mut larger, mut worst) = (0u64, 0u64, 0);
        let (mut lost, mut saved) = (0, 0);
        for seed in first..first + documents {
            let json = document(seed);
            let Some(encoded) = encoded(&json, level, 2).filter(|it| it.tables.count > 0) else {
                continue;
            };
            with_tables += 1;
            let before = o200k.count(&compact(&json));
            let after = o200k.count(&encoded.text);
            if after > before {
                larger += 1;
                worst = worst.max(after - before);
                lost += after - before;
            } else {
                saved += before - after;
            }
        }
        println!(
            "{level:?}: {larger} of {with_tables} cost more tokens, at most {worst}, {lost} in all; the others save {saved}"
        );
        assert!(
            larger * one_in <= with_tables,
            "{level:?}: {larger} of {with_tables} cost more"
        );
        assert!(worst <= most, "{level:?}: one costs {worst} more");
        assert!(
            lost * 1000 <= saved,
            "{level:?}: {lost} tokens lost, {saved} saved"
        );
    }
}
