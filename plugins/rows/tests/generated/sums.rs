//! Fingerprints of the encoder's output: `sums.txt` shows each change of the output, and what becomes larger or
//! smaller. `TAMIS_BLESS=1` writes the file again.
//!
//! The promise is the same text for the same document, today and tomorrow. The sums are no promise. A change on purpose
//! changes them, and their diff shows the documents that it is about.

use super::documents::document;
use super::families::FAMILIES;
use super::{LEVELS, damaged, encoded};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tamis_rows::{Level, restore};

/// FNV-1a, 64 bits.
struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Self {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The number of tables for ranges of numbers: `1-2: 0, 3-12: 1`.
fn runs(tables: &[(usize, u32)]) -> String {
    let mut runs: Vec<(usize, usize, u32)> = Vec::new();
    for (number, count) in tables {
        match runs.last_mut() {
            Some((_, last, same)) if same == count => *last = *number,
            _ => runs.push((*number, *number, *count)),
        }
    }
    let runs: Vec<String> = runs
        .iter()
        .map(|(first, last, count)| {
            if first == last {
                format!("{first}: {count}")
            } else {
                format!("{first}-{last}: {count}")
            }
        })
        .collect();
    runs.join(", ")
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Table => "table",
        Level::Exact => "exact",
        Level::Dense => "dense",
    }
}

/// Counts of documents, of tables in them, and of bytes, by level.
fn of_generated(out: &mut String) {
    for (index, level) in LEVELS.into_iter().enumerate() {
        for min_rows in [2, 4] {
            let (mut tables, mut before, mut after) = (0, 0, 0);
            let mut fingerprint = Fingerprint::new();
            for seed in 1..=1000 {
                let json = document(seed + 1000 * index as u64);
                let encoded = encoded(&json, level, min_rows);
                let text = encoded.as_ref().map_or(&json, |it| &it.text);
                tables += encoded.as_ref().map_or(0, |it| it.tables.count);
                before += json.len();
                after += text.len();
                fingerprint.add(text);
            }
            let _ = writeln!(
                out,
                "1000 documents, {}, {min_rows} rows or more: {tables} tables, {before} bytes become {after}, {:016x}",
                name(level),
                fingerprint.0
            );
        }
    }
}

fn of_families(out: &mut String) {
    for (family, numbers, write) in FAMILIES {
        let _ = writeln!(out, "\n{family}");
        for level in LEVELS {
            let mut tables = Vec::new();
            let mut bytes = 0;
            let mut fingerprint = Fingerprint::new();
            for number in numbers.clone() {
                let json = write(number);
                let encoded = encoded(&json, level, 2);
                let text = encoded.as_ref().map_or(&json, |it| &it.text);
                assert_eq!(
                    restore(text).as_ref(),
                    Ok(&json),
                    "{family}, {number}: {text}"
                );
                tables.push((number, encoded.as_ref().map_or(0, |it| it.tables.count)));
                bytes += text.len();
                fingerprint.add(text);
            }
            let _ = writeln!(
                out,
                "  {}  tables at {}; {bytes} bytes, {:016x}",
                name(level),
                runs(&tables),
                fingerprint.0
            );
        }
    }
}

fn of_damaged(out: &mut String) {
    let mut restored = Fingerprint::new();
    let mut errors: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut taken = 0;
    for seed in 1..=6000 {
        match restore(&damaged(seed)) {
            Ok(json) => {
                taken += 1;
                restored.add(&json);
            }
            Err(error) => {
                let (count, places) = errors.entry(error.reason).or_default();
                *count += 1;
                *places += error.at as u64 * (seed % 7 + 1);
            }
        }
    }
    let _ = writeln!(
        out,
        "\n6000 damaged texts: {taken} restored, {:016x}",
        restored.0
    );
    for (reason, (count, places)) in errors {
        let _ = writeln!(out, "  {count} times {reason}, at {places}");
    }
}

#[test]
fn the_same_documents_give_the_same_texts() {
    let mut sums = String::new();
    of_generated(&mut sums);
    of_families(&mut sums);
    of_damaged(&mut sums);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/sums.txt");
    if std::env::var_os("TAMIS_BLESS").is_some() {
        std::fs::write(path, &sums).expect("sums.txt is written");
    }
    let kept = std::fs::read_to_string(path).expect("sums.txt is read");
    for (kept, now) in kept.lines().zip(sums.lines()) {
        assert_eq!(
            kept, now,
            "the encoder's output changed: TAMIS_BLESS=1 writes sums.txt anew"
        );
    }
    assert_eq!(kept, sums);
}
