use super::*;

fn entry(line: &str) -> Option<(&str, &str)> {
    of_line(line).map(|entry| (entry.amount, entry.name))
}

fn told(lines: &[String]) -> Option<String> {
    let lines = lines.iter().map(String::as_str);
    let ranked = of(lines.clone())?;
    let mut paper = Paper::new(4_000);
    ranked.tell((1..).zip(lines), &mut paper);
    Some(paper.text().to_owned())
}

#[test]
fn amounts_and_names_of_programs() {
    for (line, expected) in [
        ("4.0K\t./src/a.rs", Some(("4.0K", "./src/a.rs"))),
        ("    114 error", Some(("114", "error"))),
        (
            "  12.31%  git  [.] inflate",
            Some(("12.31%", "git  [.] inflate")),
        ),
        (
            "-rw-r--r-- root/root      3381 2026-11-29 02:46 src/a b.rs",
            Some(("3381", "src/a b.rs")),
        ),
        (
            "  5309813      4 -rw-r--r--   1 root     root          445 Nov 29 02:46 ./Cargo.toml",
            Some(("445", "./Cargo.toml")),
        ),
        (
            "100644 blob 7aed687a43778789be8c0481fdc483becf42fd7e     578\tsrc/a.rs",
            Some(("578", "src/a.rs")),
        ),
        ("1. Install it", None),
        ("(5 items)", None),
        ("0007 a code", None),
        ("12:30 a time", None),
        ("10.1.1.1 - - [29/Nov/2026]", None),
        ("2026-11-29 a day", None),
        ("114", None),
        ("-rw-r--r-- 1 root root 3381 Nov 29 02:46 a.rs", None),
        ("total 4", None),
    ] {
        assert_eq!(entry(line), expected, "{line}");
    }
}

#[test]
fn the_largest_entries_are_told_in_any_order_and_the_number_of_the_smallest() {
    let mut lines: Vec<String> = (0..60)
        .map(|at| format!("{}.0K\t./src/part_{at}.rs", 4 + 4 * (at % 3)))
        .collect();
    lines[17] = "1.5M\t./src/tables.rs".to_owned();
    lines[40] = "900K\t./src/names.rs".to_owned();
    let told = told(&lines).unwrap();
    let top = "the largest: tables.rs 1.5M, names.rs 900K, part_2.rs 12.0K,";
    assert!(told.contains(top), "{told}");
    assert!(
        told.starts_with("60 lines of an amount and a name; names without ./src/\n"),
        "{told}"
    );
    assert!(told.contains(", and 36 more\n"), "{told}");
    assert!(
        told.ends_with("the smallest: 4.0K in 20 lines, first part_0.rs\n"),
        "{told}"
    );
}

#[test]
fn all_numbers_of_an_entry_are_told_and_the_first_orders_them() {
    let mut lines: Vec<String> = (0..30)
        .map(|at| {
            format!(
                "  {} {} {} src/m{at}.rs",
                10 + at * 7 % 30,
                90 + at,
                700 + at
            )
        })
        .collect();
    lines.push("  990  3600 21000 total".to_owned());
    let told = told(&lines).unwrap();
    assert!(
        told.contains("the largest by the first: total 990 3600 21000, m17.rs 39 107 717,"),
        "{told}"
    );
}

#[test]
fn numbers_of_lines_processes_and_times_are_no_amounts() {
    let numbered = |at: usize| format!("  {}\tlet a = {at};", at + 1);
    let process = |at: usize| format!("{} /usr/bin/worker", 400 + at * 13);
    let epoch = |at: usize| format!("{} request served", 1_732_093_900 - at * 7 % 90);
    let clock = |at: usize| format!("{:.3} step", (at / 2) as f64 * 0.01);
    let equal = |_: usize| "64 bytes from 10.0.0.1".to_owned();
    let cells = |at: usize| format!("{}\tAnna\t{}", at * 37 % 100, at);
    let account = |at: usize| format!("{}  Anna {at}  2025-09-08  {}.43", at * 37 % 101 + 5, at);
    let state = |at: usize| format!("{}.5  {}", at * 37 % 101, ["ok", "failed"][at % 2]);
    let system = |at: usize| format!(" {}  {}  0 {at}  942 26540  0", at * 7 % 5, at % 2);
    let forms: [&dyn Fn(usize) -> String; 9] = [
        &numbered, &process, &epoch, &clock, &equal, &cells, &account, &state, &system,
    ];
    for form in forms {
        let lines: Vec<String> = (0..80).map(form).collect();
        assert_eq!(told(&lines), None, "{}", lines[3]);
    }
}

#[test]
fn messages_are_counted_and_shares_have_names() {
    let message = |at: usize| format!("{:>7} served page {at}", at * 37 % 101 + 5);
    let share = |at: usize| format!("  {}.5%  app  libc.so  [.] call", at * 37 % 101);
    let ordered = |at: usize| format!("{}\tUP{at:03}\t[*] fixed", 900 - at * 8);
    let forms: [&dyn Fn(usize) -> String; 3] = [&message, &share, &ordered];
    for form in forms {
        let lines: Vec<String> = (0..80).map(form).collect();
        assert!(told(&lines).is_some(), "{}", lines[3]);
    }
}

#[test]
fn little_room_is_for_the_largest_and_for_how_many_the_others_are() {
    let lines: Vec<String> = (0..60)
        .map(|at| format!("{}\t./src/part_{at}.rs", 4 + at * 37 % 101))
        .collect();
    let lines = || lines.iter().map(String::as_str);
    let ranked = of(lines()).unwrap();
    for room in 0..400 {
        let mut paper = Paper::new(room);
        ranked.tell((1..).zip(lines()), &mut paper);
        let told = paper.text();
        assert!(
            told.chars().count() <= room && !told.contains(":,"),
            "{told}"
        );
        let list = told.lines().find(|line| line.starts_with("the largest: "));
        if let Some((list, more)) = list.and_then(|list| list.rsplit_once(", and ")) {
            let shown = list.matches("part_").count();
            assert_eq!(more, format!("{} more", 60 - shown), "{told}");
        }
    }
}

#[test]
fn the_folder_of_all_names_has_its_own() {
    let entry = |at: usize| match at {
        0 => "drwxr-xr-x root/root         0 2026-11-29 02:46 shop-1.0/".to_owned(),
        at => format!(
            "-rw-r--r-- root/root {:>9} 2026-11-29 02:46 shop-1.0/{at}.rs",
            at * 90
        ),
    };
    let lines: Vec<String> = (0..30).map(entry).collect();
    let told = told(&lines).unwrap();
    assert!(told.ends_with("\nthe smallest: 0 shop-1.0/\n"), "{told}");
}

#[test]
fn an_amount_after_other_words_is_no_count() {
    let mut lines: Vec<String> = (0..30)
        .map(|at| format!("{}.0K\t./src/part_{at}.rs", 4 + at * 37 % 101))
        .collect();
    lines.push("12ééé blob h 1234567 n".to_owned());
    assert_eq!(told(&lines), None);
    // A device of `find -ls` has no size, and a module of git has none.
    let mut lines: Vec<String> = (0..30)
        .map(|at| format!("100644 blob 7aed687a {}\tsrc/{at}.rs", 90 + at * 37 % 101))
        .collect();
    assert!(told(&lines).is_some());
    lines.push("160000 commit 7aed687a -\tlibs/a".to_owned());
    assert_eq!(told(&lines), None);
}

#[test]
fn names_that_report_failures_are_not_owned() {
    let list = |plain: usize| {
        let mut lines: Vec<String> = (0..plain)
            .map(|at| {
                let letter = |by: usize| char::from(b'a' + (at / by % 26) as u8);
                format!("{:>7} w{}{}", at * 37 % 101 + 5, letter(1), letter(26))
            })
            .collect();
        lines.push("    990 INFO".to_owned());
        lines
    };
    let owns = |lines: &[String], line: &str| {
        let ranked = of(lines.iter().map(String::as_str)).unwrap();
        ranked.owns(line)
    };
    let (few, many) = (list(14), list(200));
    for name in ["FATAL", "FAILED"] {
        let line = format!("      1 {name}");
        assert!(!owns(&few, &line) && !owns(&many, &line), "{name}");
    }
    for name in ["FAIL:tests/api.py", "ERROR:app/db.py:57", "[ERROR]/app"] {
        let line = format!("      3 {name}");
        assert!(!owns(&few, &line) && !owns(&many, &line), "{name}");
    }
    for name in ["error", "failed"] {
        let line = format!("    114 {name}");
        assert!(!owns(&few, &line) && owns(&many, &line), "{name}");
    }
    for name in ["src/error.rs", "FATAL.txt", "./failed/a", "word", "INFO"] {
        let line = format!("    114 {name}");
        assert!(owns(&few, &line) && owns(&many, &line), "{name}");
    }
}

#[test]
fn a_number_that_is_not_understood_may_be_the_largest() {
    let list = |more: &str| {
        let mut lines: Vec<String> = (0..30)
            .map(|at| format!("{}.0K\t./src/part_{at}.rs", 4 + at * 37 % 101))
            .collect();
        lines.insert(7, more.to_owned());
        lines
    };
    let told = |more: &str| told(&list(more));
    let empty = told("  0B\t./empty").unwrap();
    assert!(empty.ends_with("the smallest: 0B empty\n"), "{empty}");
    for more in ["1,5G\t./big", "  1,5G\t./big", "9P\t./big", "  12"] {
        assert_eq!(told(more), None, "{more}");
    }
    assert!(told("total of all").is_some());
}

#[test]
fn statuses_of_pages_are_no_amounts() {
    let page = |at: usize| {
        let status = [200, 404, 301, 500][at * 37 % 4];
        format!("{status} https://example.org/{at}")
    };
    let lines: Vec<String> = (0..40).map(page).collect();
    assert_eq!(told(&lines), None);
    let lines: Vec<String> = lines
        .iter()
        .map(|line| line.replace("https://example.org", ""))
        .collect();
    assert_eq!(told(&lines), None);
    let size = |at: usize| format!("{} /srv/{at}", 100 + at * 3_700 % 497);
    assert!(told(&(0..40).map(size).collect::<Vec<_>>()).is_some());
    let page = |at: usize| format!("{} https://example.org/{at}", 90 + at * 3_700 % 10_100);
    let lines: Vec<String> = (0..40).map(page).collect();
    assert!(told(&lines).is_some());
}

#[test]
fn failures_among_the_smallest_are_told() {
    let mut lines: Vec<String> = (0..60)
        .map(|at| format!("{:>7} word-{at}", at * 37 % 101 + 50))
        .collect();
    for name in ["FATAL", "failed"] {
        lines[31] = format!("      1 {name}");
        // The smallest is told, too.
        lines[32] = "      0 none".to_owned();
        assert!(of(lines.iter().map(String::as_str)).is_some());
        let mut paper = Paper::new(2_000);
        crate::lines::tell(&lines.join("\n"), 80, &mut paper);
        let told = paper.text();
        assert!(told.contains(&format!("32: 1 {name}")), "{told}");
    }
}

#[test]
fn rows_below_a_rule_are_no_list() {
    let row = |at: usize| format!("{:>8} {:>6} f_{at}@src/a.c", at * 37 % 101 + 5, at % 9);
    let mut lines: Vec<String> = (0..60).map(row).collect();
    assert!(told(&lines).is_some());
    // The table of another kind of rows at the end of a report of lizard.
    lines[0] = "=".repeat(48);
    assert_eq!(told(&lines), None);
}
