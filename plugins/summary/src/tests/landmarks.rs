//! Headings, definitions and lines of code, and their near misses.

use super::*;

#[test]
fn definitions_have_a_word_and_a_name() {
    for line in [
        "fn a() {",
        "pub fn a()",
        "pub(crate) async unsafe fn a() -> B",
        "def a(b):",
        "class A:",
        "class A {",
        "export default class A {",
        "impl<T> A<T> for B {",
        "type A = B;",
        "struct A;",
        "enum A {",
        "trait A {",
        "func (a *B) c() {",
        "public static final class A {",
        "interface A {",
        "module a;",
        "mod a {",
        "namespace a {",
        "record A(int b)",
        "object A {",
        "function a(b) {",
        "fn _a()",
        "abstract class A  {",
        "input A {",
        "union A = B | C",
        "scalar A",
        "scalar A @b(c: \"d\")",
        "directive @a(b: C) on OBJECT",
        "extend type A {",
        "schema {",
        "schema @a {",
    ] {
        assert!(is_definition(line), "{line}");
    }
    for line in [
        "",
        "fn",
        "pub",
        "Fn a() {",
        "the fn a() {",
        "fn 9a() {",
        "type of a thing",
        "class of its own",
        "let a = 1;",
        "functional a()",
        "def a",
        " fn a() {",
        "object lessons are good",
        "input size (bytes)",
        "input Size (bytes)",
        "input = {",
        "scalar product of a and b",
        "scalar Product (of two)",
        "union of = all",
        "directive a(b)",
        "schema of {",
    ] {
        assert!(!is_definition(line), "{line}");
    }
}

#[test]
fn lines_of_code() {
    for line in [
        "a();",
        "if a {",
        "}",
        "f(",
        "a[",
        "]",
        "x: y),",
        "// a",
        "/* a",
        "#!/bin/sh",
        "import a",
        "from a import b",
        "use a",
        "return",
        "for a",
        "else",
        "a = b",
        "a=b",
        "name: value,",
        "@a",
        "\"a\": b",
        "echo a",
        "done",
        "fi",
        "try:",
        "assert a",
    ] {
        assert!(is_code(line), "{line}");
    }
    for line in [
        "| a = b;",
        "> a;",
        "! a;",
        "- a;",
        "* a;",
        "words of a text",
        "a b = c",
        "= a",
        "One. Two,",
        "a.",
        "up{instance=\"10.0.0.5:9090\"} 0",
    ] {
        assert!(!is_code(line), "{line}");
    }
}

#[test]
fn a_third_of_the_lines_of_code_is_code() {
    let is = |code: usize, others: usize| {
        let text = [
            "a = b;\n\n".repeat(code),
            "words of it\n# a\n".repeat(others),
        ]
        .concat();
        looks_like_code((1..).zip(text.lines()), code + others)
    };
    assert!(is(7, 13) && !is(7, 14) && is(1, 0) && !is(0, 0) && !is(0, 5));
    let fenced = format!("```\n{}```\nwords\n", "a = b;\n".repeat(9));
    assert!(
        !looks_like_code((1..).zip(fenced.lines()), 12),
        "what is in a fence is not looked at"
    );
    assert!(looks_like_code(
        (1..).zip("~~~\nwords\n~~~\na = b;\n".lines()),
        4
    ));
}

fn found(text: &str, is_code: bool) -> (usize, Option<bool>, Vec<(usize, usize)>) {
    let landmarks = Landmarks::of((1..).zip(text.lines()), is_code);
    let places = landmarks
        .found
        .iter()
        .map(|it| (it.number, it.depth))
        .collect();
    let sort = landmarks.sort().map(|sort| sort == Sort::Headings);
    (landmarks.count, sort, places)
}

#[test]
fn headings_stand_after_a_blank_line_and_outside_of_fences() {
    let text = "Read:\n# A\n## B\n### C\nx\n# none\n\n# D\n####### no\n#no\n```\n\n# no\n```\n\n###### E\n";
    assert_eq!(
        found(text, false),
        (5, Some(true), vec![(2, 1), (3, 2), (4, 3), (8, 1), (16, 6)])
    );
    assert_eq!(found(text, true).0, 0, "in code these are comments");
    assert_eq!(found("# A\n\n# B\n", false).1, None, "two are too few");
    let no_fences =
        "# A\n\n```npm install```\n\n## B\n\n````\n```\n\n# no\n````\n\n## C\n\n```\n\n## D\n";
    assert_eq!(
        found(no_fences, false),
        (4, Some(true), vec![(1, 1), (5, 2), (13, 2), (17, 2)])
    );
    let five = "a\nb\nc\nd\n# no\n";
    assert_eq!(found(five, false).0, 0);
    assert_eq!(found("a\nb\nc\n# yes\n", false).0, 1);
}

#[test]
fn definitions_are_not_too_deep() {
    let text = "fn a() {\n        fn b() {\n         fn c() {\n\n    fn d() {\n# A\n";
    assert_eq!(
        found(text, true),
        (3, Some(false), vec![(1, 0), (2, 8), (5, 4)])
    );
    // With as many headings as definitions, headings count.
    let both = "# A\n\n# B\n\n# C\n\nfn a() {\nfn b() {\nfn c() {\n";
    assert_eq!(found(both, false).1, Some(true));
    assert_eq!(
        found(&(both.to_owned() + "fn d() {\n"), false).1,
        Some(false)
    );
}

#[test]
fn outer_landmarks_are_told_where_not_all_fit() {
    let text = "# A\n\n## B\n\n## C\n\n# D\n\n### E\n\n";
    let told = |room: usize| {
        let mut paper = Paper::new(room);
        Landmarks::of((1..).zip(text.lines()), false).tell(&mut paper);
        paper.text().to_owned()
    };
    assert_eq!(
        told(200),
        "5 headings:\n1: # A\n3: ## B\n5: ## C\n7: # D\n9: ### E\n"
    );
    // 7 + 8 + 8 + 7 + 9 characters, and 60 for the line above.
    assert_eq!(told(60 + 39), told(200));
    assert!(
        told(60 + 38).starts_with("4 of 5 headings, the outer ones:\n1: # A\n3: ## B\n5: ## C\n")
    );
    assert!(told(60 + 29).starts_with("2 of 5 headings, the outer ones:\n1: # A\n7: # D"));
    let code = "pub fn a() {\n}\n  fn b() {  \nfn c() -> D {";
    let mut paper = Paper::new(300);
    Landmarks::of((1..).zip(code.lines()), true).tell(&mut paper);
    assert_eq!(
        paper.text(),
        "3 definitions:\n1: pub fn a()\n3: fn b()\n4: fn c() -> D\n"
    );
}

#[test]
fn of_very_many_landmarks_the_first_are_kept() {
    let told = |count: usize| {
        let text = "# A\n\n".repeat(count);
        let mut paper = Paper::new(300);
        Landmarks::of((1..).zip(text.lines()), false).tell(&mut paper);
        paper.text().lines().next().map(str::to_owned)
    };
    assert_eq!(told(MOST).as_deref(), Some("20000 headings:"));
    assert_eq!(
        told(MOST + 1).as_deref(),
        Some("20001 headings, of the first 20000:")
    );
}

#[test]
fn headings_that_differ_in_numbers_are_told_by_the_first_and_the_last() {
    let heading = |at: usize| match at {
        41 => "## Ticket 41 (reopened)\n\ntext\n\n".to_owned(),
        at => format!("## Ticket {at}\n\ntext\n\n"),
    };
    let text: String = (1..=70).map(heading).collect();
    let text = format!("# Tickets\n\n{text}## End\n");
    let told = |room: usize| {
        let mut paper = Paper::new(room);
        Landmarks::of((1..).zip(text.lines()), false).tell(&mut paper);
        paper.text().to_owned()
    };
    assert_eq!(
        told(600),
        "72 headings:\n1: # Tickets\n3: ## Ticket 1 … 159: ## Ticket 40 (40 such headings)\n163: ## Ticket 41 (reopened)\n167: ## Ticket 42 … 279: ## Ticket 70 (29 such headings)\n283: ## End\n"
    );
    // Where all fit, each is told.
    assert!(told(4_000).contains("\n87: ## Ticket 22\n"));
    assert!(told(150).ends_with(" more headings\n"), "{}", told(150));
}

#[test]
fn a_heading_that_stands_out_is_told_whatever_its_run() {
    let told = |heading: &dyn Fn(usize) -> String| {
        let text: String = (0..120)
            .map(|at| format!("## {}\n\ntext\n\n", heading(at)))
            .collect();
        let mut paper = Paper::new(600);
        Landmarks::of((1..).zip(text.lines()), false).tell(&mut paper);
        paper.text().to_owned()
    };
    let with = |odd: &[usize]| {
        let errors = |at: usize| if odd.contains(&at) { 4 } else { 0 };
        told(&|at| format!("Shard {at}: {} errors", errors(at)))
    };
    let run = "120 headings:\n1: ## Shard 0: 0 errors … 477: ## Shard 119: 0 errors (120 such headings)\n";
    assert_eq!(with(&[]), run);
    assert_eq!(with(&[71]), format!("{run} 285: ## Shard 71: 4 errors\n"));
    let many = with(&[11, 12, 21, 22, 31, 32, 41, 42, 51, 52, 61, 62]);
    assert!(
        many.starts_with(&format!("{run} 45: ## Shard 11: 4 errors\n"))
            && many.ends_with("\n and 8 more like these\n"),
        "{many}"
    );
    // An odd number needs no word.
    let ran = told(&|at| format!("Shard {at}: {} ran", if at == 40 { 12 } else { 300 }));
    assert!(ran.ends_with("\n 161: ## Shard 40: 12 ran\n"), "{ran}");
    // Where all report a failure, none stands out.
    // All differ, and one is far from the others.
    let far = |at: usize| if at == 40 { 99_999 } else { 100 + at * 7 % 90 };
    let took = told(&|at| format!("Shard {at}: {} ms", far(at)));
    assert!(took.ends_with("\n 161: ## Shard 40: 99999 ms\n"), "{took}");
    let all = told(&|at| format!("Shard {at}: failed"));
    assert!(all.ends_with("(120 such headings)\n"), "{all}");
}

#[test]
fn inner_headings_have_the_room_that_the_outer_ones_leave() {
    let told = |text: &str, room: usize| {
        let mut paper = Paper::new(room);
        Landmarks::of((1..).zip(text.lines()), false).tell(&mut paper);
        assert!(paper.text().chars().count() <= room);
        paper.text().to_owned()
    };
    let tasks: String = (0..60)
        .map(|at| format!("### Task {at}\n\ntext\n\n"))
        .collect();
    assert_eq!(
        told(&format!("# Tasks\n\n## Status\n\n{tasks}"), 600),
        "62 headings:\n1: # Tasks\n3: ## Status\n5: ### Task 0 … 241: ### Task 59 (60 such headings)\n"
    );
    let name = |at: usize| {
        char::from(b'a' + (at % 26) as u8)
            .to_string()
            .repeat(3 + at / 26)
    };
    let names: String = (0..60)
        .map(|at| format!("### {}\n\ntext\n\n", name(at)))
        .collect();
    let told = told(&format!("# Names\n\n## Status\n\n{names}## End\n\n"), 600);
    assert!(told.starts_with("3"), "{told}");
    assert!(
        told.contains(" of 63 headings, the outer ones and the first of the next level:\n1: # Names\n3: ## Status\n5: ### aaa\n9: ### bbb\n")
            && told.ends_with("\n245: ## End\n"),
        "{told}"
    );
}

#[test]
fn functions_with_a_name_given_to_them_are_definitions() {
    for line in [
        "res.status = function status(code) {",
        "res.links = function(links) {",
        "exports.x = function (",
        "module.exports.y = async (a) => {",
        "module.exports = class A {",
        "Foo.prototype.bar = function* () {",
        "const a = () => {",
        "export const a = async (",
        "export const a: Handler = (b, c = (d)) => b + c;",
        "var a = b => {",
        "let a = async b => {",
        "const a = (b: number): string => {",
        "function M.x(a)",
    ] {
        assert!(is_definition(line) || is_assigned(line, true), "{line}");
    }
    for line in [
        "x = lambda a: a",
        "const a = b.map(c => c.d);",
        "const a = (b || c).map(d => e);",
        "const a = (",
        "const a = functional(b);",
        "a = (b)",
        "if (a = function () {",
        "var a = class",
        "a == function () {",
        "9 = function () {",
        "the value = function (x)",
        "",
    ] {
        assert!(!is_definition(line) && !is_assigned(line, true), "{line}");
    }
    let text: String = (0..29)
        .map(|at| format!("res.f{at} = function f{at}(a) {{\n  let b = () => {{\n  }};\n}};\n"))
        .collect();
    let mut paper = Paper::new(700);
    Landmarks::of((1..).zip(text.lines()), true).tell(&mut paper);
    let told = paper.text();
    assert!(
        told.starts_with("58 definitions:\n")
            || told
                .starts_with("29 of 58 definitions, the outer ones:\n1: res.f0 = function f0(a)"),
        "{told}"
    );
}
