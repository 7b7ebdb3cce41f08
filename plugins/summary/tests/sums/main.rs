//! Fingerprints of the filter's output for documents of many kinds. `sums.txt` and `mixed.txt` show each change of the
//! output, and its kind of document. The summaries themselves are in `tests/golden`. `TAMIS_BLESS=1` writes the files
//! again.

mod chance;
mod documents;
mod mixed_documents;
mod mixed_texts;
mod texts;

use serde_json::json;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use summary::Summary;
use tamis_sdk::Kind;
use tamis_sdk::testing::Bench;

/// A kind of document, made from a number. For each limit in the filter, the range has numbers on both sides.
type Family = (&'static str, RangeInclusive<usize>, fn(usize) -> String);

/// FNV-1a, 64 bits.
fn fingerprint(mut hash: u64, text: &str) -> u64 {
    for byte in text.bytes().chain([0xff]) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

fn bench(number: usize, tables: bool) -> Bench<Summary> {
    let above = ["1000 chars", "2500 chars", "6000 bytes", "500 tokens"]
        [(number + 2 * usize::from(tables)) % 4];
    let cell = [10, 24, 25, 60, 200][number % 5];
    Bench::new(json!({
        "above": above,
        "tables": tables,
        "rows": number % 5,
        "distinct": number % 7,
        "cell": cell,
        "keep": ["kept", "$.some.kept", "list[*].kept"],
        "whole": 0,
    }))
}

fn line(
    out: &mut String,
    name: &str,
    (_, numbers, write): &Family,
    bench: fn(usize) -> Bench<Summary>,
) {
    let (mut summaries, mut characters, mut hash) = (0, 0, 0xcbf2_9ce4_8422_2325);
    for number in numbers.clone() {
        let document = write(number);
        let applied = bench(number).apply(&document);
        // Unchanged documents differ from those with an equal result.
        hash = fingerprint(hash, if applied.changed { applied.text() } else { "" });
        summaries += usize::from(applied.changed);
        if applied.changed {
            characters += applied.text().chars().count();
        }
    }
    let _ = writeln!(
        out,
        "  {name}: {summaries} of {} are summed up in {characters} characters, {hash:016x}",
        numbers.clone().count()
    );
}

#[test]
fn the_same_documents_give_the_same_summaries() {
    let mut sums = String::new();
    for family in documents::FAMILIES.iter().chain(texts::FAMILIES) {
        let _ = writeln!(sums, "{}", family.0);
        line(&mut sums, "as it is", family, |number| bench(number, false));
        line(&mut sums, "with tables", family, |number| {
            bench(number, true)
        });
        line(&mut sums, "sent as text", family, |number| {
            bench(number, false).sent_as(Kind::Text)
        });
        line(&mut sums, "an error", family, |number| {
            bench(number, false).is_error(true)
        });
    }
    assert_kept("sums.txt", &sums);
}

/// Covers cases in which many numbers matter, or affect each other.
#[test]
fn mixed_documents_give_the_same_summaries() {
    let mut sums = String::new();
    let both = |number: usize| bench(number, number.is_multiple_of(2));
    for family in mixed_documents::FAMILIES {
        let _ = writeln!(sums, "{}", family.0);
        line(&mut sums, "as it is, or with tables", family, both);
    }
    for family in mixed_texts::FAMILIES {
        let _ = writeln!(sums, "{}", family.0);
        line(&mut sums, "as it is", family, both);
        line(&mut sums, "an error", family, |number| {
            bench(number, false).is_error(true)
        });
    }
    assert_kept("mixed.txt", &sums);
}

fn assert_kept(file: &str, sums: &str) {
    let path = format!("{}/tests/sums/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(&path, sums).expect("the file is written");
    }
    let kept = std::fs::read_to_string(&path).expect("the file is read");
    let mut family = "";
    for (kept, now) in kept.lines().zip(sums.lines()) {
        if !now.starts_with(' ') {
            family = now;
        }
        assert_eq!(kept, now, "{family}: TAMIS_BLESS=1 writes {file} anew");
    }
    assert_eq!(kept, sums);
}
