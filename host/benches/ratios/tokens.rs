//! Counting tokens: the time grows with a text's length alone, also of texts on which tokenizers take quadratic time.

use std::hint::black_box;

use tamis::tokens;

use super::{answer, in_turns, print_header, print_row};

pub fn measure() {
    tokens::load();
    print_header("tokens of a text, counted", "the text", "usual text");
    for (name, bytes, rounds) in [
        ("8 KB of JSON", 8 << 10, 400),
        ("64 KB of JSON", 64 << 10, 100),
        ("1 MB of JSON", 1 << 20, 10),
    ] {
        compare(name, &answer(bytes), rounds);
    }
    for (name, letters, bytes) in [
        ("8 MB of one letter", "a", 8 << 20),
        ("a word of 64 MB", "thequickbrownfoxjumps", 64 << 20),
    ] {
        compare(name, &letters.repeat(bytes / letters.len()), 5);
    }
    println!();
}

/// Measures a text beside JSON of as many bytes.
fn compare(name: &str, text: &str, rounds: usize) {
    let usual = answer(text.len());
    let count = |text: &str| {
        black_box(tokens::count(black_box(text)));
    };
    print_row(name, in_turns(rounds, || count(text), || count(&usual)));
}
