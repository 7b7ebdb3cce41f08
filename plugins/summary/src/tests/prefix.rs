//! Texts whose lines all begin with a time, a name, or the same text.

use crate::lines::Reading;
use crate::paper::Paper;
use crate::source::Source;

/// The report of eslint, with few lines of a runner around.
fn report() -> String {
    let mut text = "Run npx eslint src\n\n".to_owned();
    for file in 0..6 {
        text += &format!("/srv/app/src/page{file}.js\n");
        for line in 1..5 {
            text += &format!("  {line}:17  error    'w{line}' is not defined    no-undef\n");
            text += &format!("  {line}:30  warning  Unexpected console statement  no-console\n");
        }
        text.push('\n');
    }
    text + "✖ 48 problems (24 errors, 24 warnings)\n"
}

fn told(text: &str) -> String {
    let mut paper = Paper::new(2_400);
    Reading::of(text).tell(120, &mut paper);
    paper.text().to_owned()
}

/// A text whose lines have a beginning each, by their numbers from 0.
fn behind(text: &str, prefix: impl Fn(usize) -> String) -> String {
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| format!("{}{line}\n", prefix(at)))
        .collect()
}

fn time(at: usize) -> String {
    format!("2026-11-29T03:{:02}:{:02}.1234567Z ", at / 60, at % 60)
}

/// The summary of a text behind a beginning is that of the text, and a note.
fn assert_same(text: &str, prefix: impl Fn(usize) -> String, note: &str) {
    let note = match note.contains("left out") {
        true => note.to_owned(),
        false => format!("{note}, left out below"),
    };
    let behind = behind(text, prefix);
    let summary = told(&behind);
    let (first, rest) = summary.split_once('\n').unwrap_or_default();
    assert_eq!(first, format!("lines begin with {note}"));
    let plain = told(text);
    // The share of a longer text is larger, so more of the same may follow.
    let reports: Vec<&str> = plain.lines().take(12).collect();
    let found: Vec<&str> = rest.lines().take(12).collect();
    assert_eq!(found, reports, "{behind}");
}

#[test]
fn reports_behind_a_time_are_told_as_without() {
    let text = report();
    assert!(told(&text).contains("48 reports of a compiler or linter: error 24, warning 24"));
    assert_same(
        &text,
        time,
        "a time (the first 2026-11-29T03:00:00.1234567Z, the last 2026-11-29T03:01:02.1234567Z)",
    );
    assert_same(
        &text,
        |at| format!("[03:{:02}:{:02}] ", at / 60, at % 60),
        "a time (the first 03:00:00, the last 03:01:02)",
    );
    assert_same(
        &text,
        |at| format!("lint\tRun eslint\t{}", time(at)),
        "a name (lint / Run eslint) and a time (the first 2026-11-29T03:00:00.1234567Z, the last 2026-11-29T03:01:02.1234567Z)",
    );
    assert_same(
        &text,
        |at| format!("Nov  9 03:{:02}:{:02} host1 app[812]: ", at / 60, at % 60),
        "a time (the first Nov  9 03:00:00, the last Nov  9 03:01:02) and `host1 app[812]:`",
    );
}

#[test]
fn reports_behind_a_name_or_the_same_text_are_told_as_without() {
    let text = report();
    for (prefix, note) in [
        ("web-1  | ", "a name (web-1)"),
        ("[pod/web-7d9f/app] ", "a name (pod/web-7d9f/app)"),
        ("[stdout] ", "a name (stdout)"),
        ("| ", "`|`"),
        ("+ ", "`+`"),
        ("> ", "`>`"),
        ("remote: ", "`remote:`"),
        ("    ", "blanks"),
    ] {
        assert_same(&text, |_| prefix.to_owned(), note);
    }
    let names = |at: usize| ["web-1  | ", "db-1   | "][at % 2].to_owned();
    let note = "a name (web-1, db-1), left out below except in failures";
    assert_same(&text, names, note);
    assert_same(
        &text,
        |at| format!("#12 {}.{:03} ", at / 50, at),
        "a step (12) and seconds",
    );
}

#[test]
fn the_first_line_and_a_few_others_may_lack_the_beginning() {
    let text = format!("\u{feff}{}", behind(&report(), time));
    let summary = told(&text);
    assert!(summary.contains("48 reports"), "{summary}");
    let inside = text.replacen("2026-11-29T03:00:07.1234567Z ", "", 1);
    let lines = Source::of(&inside);
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!(lines[0], (1, "Run npx eslint src"));
    let others = format!("{inside}{}", "no time\n".repeat(8));
    assert_eq!(Source::of(&others).note_of_prefix(), None);
}

#[test]
fn reports_that_a_runner_marks_are_told() {
    let marked = report()
        .replace("\n  1:17 ", "\n##[error]  1:17 ")
        .replace("\n  1:30 ", "\n##[warning]  1:30 ");
    assert_same(
        &marked,
        time,
        "a time (the first 2026-11-29T03:00:00.1234567Z, the last 2026-11-29T03:01:02.1234567Z)",
    );
    assert!(told(&marked).contains("48 reports of a compiler or linter: error 24, warning 24"));
    let line = "##[error]src/a.ts(3,5): error TS2322: Type 'a' is no 'b'.\n";
    let summary = told(&behind(&line.repeat(12), time));
    assert!(
        summary.contains("12 reports of a compiler or linter: error 12"),
        "{summary}"
    );
}

#[test]
fn logs_of_runners() {
    let report = |at: usize| format!("src/a.c:{at}:5: error: expected ';'");
    let reports = |before: &dyn Fn(usize) -> String| {
        let lines = (0..30).map(|at| before(at) + &report(at) + "\n");
        lines.collect::<String>()
    };
    let gitlab = reports(&|at| format!("2026-11-29T03:04:{at:02}.123456Z 01O "));
    let jenkins = reports(&|at| format!("[2026-11-29T03:04:{at:02}.123Z] "));
    let buildkit = format!(
        "#1 [internal] load build definition\n#1 DONE 0.0s\n#5 [2/4] COPY . .\n#5 CACHED\n#6 [3/4] RUN make\n{}#6 ERROR: process did not complete: exit code: 2\n",
        reports(&|at| format!("#6 0.{at:03} "))
    );
    let actions = format!(
        "{}{}",
        time(0) + "##[group]Run make\n",
        reports(&|at| time(at) + "##[error]")
            + &time(40)
            + "##[error]Process completed with exit code 1.\n"
    );
    let note = "lines begin with a step (1, 5, 6) and seconds, left out below except in failures";
    let error = "36: #6 ERROR: process did not complete: exit code: 2";
    let summary = told(&buildkit);
    assert!(
        summary.starts_with(note) && summary.contains(error),
        "{summary}"
    );
    for text in [gitlab, jenkins, buildkit, actions] {
        let summary = told(&text);
        assert!(
            summary.contains("30 reports of a compiler or linter: error 30"),
            "{summary}"
        );
    }
}

#[test]
fn tests_behind_a_time_are_told_as_without() {
    let mut text = String::new();
    for test in 0..40 {
        text += &format!("tests/test_a.py::test_{test} PASSED\n");
    }
    text += "_______ test_x _______\n>       assert total(3) == 12\nE       assert 9 == 12\nE        +  where 9 = total(3)\n";
    text += "1 failed, 40 passed in 0.31s\n";
    let summary = told(&behind(&text, time));
    assert!(summary.starts_with("lines begin with a time"), "{summary}");
    for line in [
        "42: >       assert total(3) == 12",
        "43: E       assert 9 == 12",
        "45: 1 failed, 40 passed in 0.31s",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
}

#[test]
fn failures_of_several_programs_have_their_names() {
    let mut text = String::new();
    for test in 0..40 {
        text += &format!("tests/test_a.py::test_{test} PASSED\n");
    }
    text += "E       assert 9 == 12\n1 failed, 40 passed in 0.31s\n";
    let names = |at: usize| ["web-1  | ", "db-1   | "][at % 2].to_owned();
    let summary = told(&behind(&text, names));
    let note = "lines begin with a name (web-1, db-1), left out below except in failures\n";
    assert!(summary.starts_with(note), "{summary}");
    for line in [
        "41: web-1  | E       assert 9 == 12",
        "42: db-1   | 1 failed, 40 passed in 0.31s",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
    let step = |at: usize| format!("lint\tRun step {}\t{}", at / 3, time(at));
    let summary = told(&behind(&text, step));
    let note = "lint / Run step 7 and 6 more) and a time";
    assert!(summary.contains(note), "{summary}");
    assert!(summary.contains("Run step 13"), "{summary}");
}

#[test]
fn a_log_of_sentences_behind_a_text_is_no_prose() {
    let mut text = String::new();
    for at in 0..60 {
        text += &format!(
            "2026-11-28 06:{at:02}:07 The worker took order {at} from the queue, and stored it.\n"
        );
    }
    text += "2026-11-28 07:00:07 The worker was killed by signal 9, and 14 orders were lost on the way.\n";
    let behind = behind(&text, |_| "[stdout] ".to_owned());
    let summary = told(&behind);
    assert!(
        summary.contains("61: 2026-11-28 07:00:07 The worker was killed by signal 9"),
        "{summary}"
    );
}

#[test]
fn other_beginnings_stay() {
    let log = |levels: [&str; 3]| {
        let line = |at: usize| format!("{} request {at} took {at} ms", levels[at % 3]);
        (0..40).map(|at| line(at) + "\n").collect::<String>()
    };
    let levels = log(["INFO", "WARN", "ERROR"]);
    let sentences = log(["GET", "PUT", "POST"]);
    let maven = log(["[INFO]", "[WARNING]", "[ERROR]"]);
    for text in [
        behind(&levels, time),
        behind(&sentences, time),
        behind(&levels, |_| "app: ".to_owned()),
        format!("{maven}[INFO] Tests run: 3, Failures: 0, 3 passed\n"),
        behind(&sentences, |_| "    ".to_owned()),
        behind(&sentences, |_| "- ".to_owned()),
        behind(&sentences, |_| "[GET] ".to_owned()),
        // The line of a failure tells the place.
        behind(
            &(sentences.clone() + "a.ts:57:11 - error TS2554: Expected 2 arguments.\n"),
            time,
        ),
        "- [ ] item 12 of 3 passed\n".repeat(20),
        report(),
        // The place of a report is no beginning.
        "/srv/a.c:3:5: error: expected ';'\n".repeat(20),
        "Makefile:12:1: error: missing separator\n".repeat(20),
    ] {
        let source = Source::of(&text);
        assert_eq!(source.note_of_prefix(), None, "{text}");
        assert!(source.texts().eq(text.lines()), "{text}");
    }
}
