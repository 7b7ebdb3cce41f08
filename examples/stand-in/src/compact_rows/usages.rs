//! The places in the project that use a symbol.
//!
//! Owns the list of places. A line of code contains `@`, which the symbol's name replaces, so that every symbol is used
//! in the same places.

/// One place that names a symbol.
pub struct Usage {
    pub file: &'static str,
    pub line: usize,
    pub column: usize,
    pub kind: &'static str,
    /// The line of code, sometimes with the next.
    pub code: String,
}

/// Usages of a symbol, in the order of files and lines.
pub fn of(name: &str) -> impl Iterator<Item = Usage> {
    PLACES.iter().map(move |(file, line, kind, code)| Usage {
        file,
        line: *line,
        column: 5 + code.find('@').unwrap_or_default(),
        kind,
        code: code.replace('@', name),
    })
}

const PLACES: [(&str, usize, &str, &str); 28] = [
    (
        "src/calculator.rs",
        20,
        "definition",
        "pub fn @(a: i32, b: i32) -> i32 {",
    ),
    (
        "src/calculator.rs",
        66,
        "call",
        "self.total = @(self.total, value);",
    ),
    (
        "src/calculator.rs",
        71,
        "call",
        "Operator::Add => Ok(@(left, right)),",
    ),
    (
        "src/calculator.rs",
        94,
        "reference",
        "let fold: fn(i32, i32) -> i32 = @;",
    ),
    ("src/history.rs", 5, "import", "use crate::calculator::@;"),
    (
        "src/history.rs",
        48,
        "call",
        "let sum = self.entries.iter().fold(0, |sum, entry| @(sum, entry.result));",
    ),
    ("src/history.rs", 63, "call", "counter = @(counter, 1);"),
    (
        "src/main.rs",
        3,
        "import",
        "use abacus::calculator::{@, Calculator};",
    ),
    ("src/main.rs", 42, "call", "let x = @(1,2)"),
    (
        "src/main.rs",
        58,
        "call",
        "println!(\"{}\", @(first, second));",
    ),
    (
        "src/page.rs",
        61,
        "call",
        "width = @(width, column.len() as i32);",
    ),
    (
        "src/page.rs",
        77,
        "call",
        "let next = @(page,\n    PAGE_STEP);",
    ),
    ("src/parser.rs", 88, "call", "depth = @(depth, 1);"),
    (
        "src/parser.rs",
        103,
        "reference",
        "table.insert('+', @ as Binary);",
    ),
    (
        "tests/arithmetic.rs",
        1,
        "import",
        "use abacus::calculator::@;",
    ),
    ("tests/arithmetic.rs", 8, "call", "assert_eq!(@(2, 2), 4);"),
    ("tests/arithmetic.rs", 9, "call", "assert_eq!(@(-2, 2), 0);"),
    (
        "tests/arithmetic.rs",
        10,
        "call",
        "assert_eq!(@(i32::MAX, 1), i32::MAX);",
    ),
    (
        "tests/arithmetic.rs",
        17,
        "call",
        "assert_eq!(@(0, 0), 0, \"zero | zero\");",
    ),
    (
        "tests/arithmetic.rs",
        25,
        "call",
        "let chained = @(@(1, 2), 3);",
    ),
    (
        "tests/arithmetic.rs",
        33,
        "call",
        "assert!(@(a, b) == @(b, a));",
    ),
    (
        "tests/arithmetic.rs",
        41,
        "call",
        "prop_assert_eq!(@(a, 0), a);",
    ),
    (
        "tests/history.rs",
        12,
        "call",
        "history.push(\"1+1\", @(1, 1));",
    ),
    (
        "tests/history.rs",
        19,
        "call",
        "history.push(r\"2\\2\", @(2, 2));",
    ),
    (
        "tests/page.rs",
        30,
        "call",
        "let shown = render_total(@(40, 2));",
    ),
    (
        "benches/evaluate.rs",
        4,
        "import",
        "use abacus::calculator::@;",
    ),
    (
        "benches/evaluate.rs",
        15,
        "call",
        "bencher.iter(|| @(black_box(1), black_box(2)));",
    ),
    (
        "benches/evaluate.rs",
        22,
        "call",
        "(0..1000).fold(0, |sum, n| @(sum, n))",
    ),
];
