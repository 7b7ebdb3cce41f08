//! Each form of a commit, and its near misses.

use super::*;

const FULL: &str = "68c764cc0123456789abcdef0123456789abcdef";

#[test]
fn commits_begin_with_their_hash() {
    assert_eq!(hash(&format!("commit {FULL}")), Some(FULL));
    assert_eq!(hash(&format!("commit {FULL} (HEAD)")), Some(FULL));
    for line in [
        "commit 68c764cc",
        "commit",
        "a commit",
        &format!("commit {}", FULL.replace('a', "A")),
        &format!("commit {}", "a".repeat(65)),
    ] {
        assert_eq!(hash(line), None, "{line}");
    }
    assert!(hash(&format!("commit {}", "a".repeat(64))).is_some());
}

#[test]
fn commits_of_a_line() {
    for (line, expected) in [
        ("eb80eb3 subject", ("eb80eb3", "subject")),
        ("* | \\ / eb80eb3 a b ", ("eb80eb3", "a b")),
        ("eb80eb3 (tag) a", ("eb80eb3", "(tag) a")),
        ("eb80eb3 (a: b) c", ("eb80eb3", "(a: b) c")),
        (
            "eb80eb3|Ada|2026-11-22|a b",
            ("eb80eb3", "Ada|2026-11-22|a b"),
        ),
        ("eb80eb3\t3 days ago\ta b", ("eb80eb3", "3 days ago\ta b")),
        ("eb80eb3;a@b.org;a b", ("eb80eb3", "a@b.org;a b")),
    ] {
        assert_eq!(of_line(line), Some(expected), "{line}");
    }
    for subject in ["a", "blob of text", "3 more tests", "commit less"] {
        let line = format!("{FULL} {subject}");
        assert_eq!(of_line(&line), Some((FULL, subject)));
    }
    for line in [
        "eb80eb a",
        "eb80eb3|nginx|running",
        "eb80eb3\tsrc/a.rs",
        "eb80eb3",
        "eb80eb3 ",
        "eb80egg a",
        "eb80eb3 (A 2026-11-22 18:00:00 12) x",
        &format!("{FULL}0 a"),
        // Objects, and what names them.
        &format!("{FULL} blob 3934"),
        &format!("{FULL} tree   179 212 5750 1"),
        &format!("{FULL} commit refs/tags/v1"),
        &format!("{FULL} refs/heads/main"),
        "",
    ] {
        assert_eq!(of_line(line), None, "{line}");
    }
    let are = |commits: usize, others: usize| {
        let text = "eb80eb3 a\n\n".repeat(commits) + &"words\n".repeat(others);
        are_lines(text.lines(), text.lines().count())
    };
    assert!(are(6, 0) && !are(5, 0) && are(9, 1) && !are(9, 2));
    let mut paper = Paper::new(100);
    tell_lines("eb80eb3 a\nx\n* 0123456789 b\n".lines(), &mut paper);
    assert_eq!(paper.text(), "2 commits:\neb80eb3 a\n01234567 b\n");
}

#[test]
fn days_and_times_in_two_forms() {
    for (date, day, time) in [
        (
            "Sun Nov 22 18:37:25 2026 +0000",
            "Sun Nov 22 2026",
            "18:37:25",
        ),
        ("2026-11-22 18:37:25 +0000", "2026-11-22", "18:37:25"),
        ("2 days ago", "2 days ago", ""),
        ("2026-11-22", "2026-11-22", ""),
        ("a b c d e", "a b c d e", ""),
    ] {
        assert_eq!(day_and_time(date), (day.to_owned(), time), "{date}");
    }
}

#[test]
fn commits_are_told_by_day() {
    let commit = |time: &str, subject: &str| {
        format!(
            "commit {FULL}\nAuthor: a\nDate:   2026-11-2{time} +0000\nDate: no\n\n    {subject}\n    more\n\n src/a.rs | 3\n"
        )
    };
    let text = [
        commit("1 18:00:00", "one"),
        commit("1 19:00:00", "two"),
        commit("2 18:00:00", "three"),
        format!("commit {FULL}\n    no date\n"),
    ]
    .concat();
    let told = |text: &str| {
        let mut paper = Paper::new(500);
        tell(text.lines(), &mut paper);
        paper.text().to_owned()
    };
    assert_eq!(count(text.lines()), 4);
    assert_eq!(
        told(&text),
        "4 commits, by day:\n2026-11-21:\n68c764cc 18:00:00 one (src/a.rs | 3)\n68c764cc 19:00:00 two (src/a.rs | 3)\n2026-11-22:\n68c764cc 18:00:00 three (src/a.rs | 3)\n68c764cc no date\n"
    );
    assert_eq!(
        told(&commit("1 18:00:00", "one")),
        "2026-11-21:\n68c764cc 18:00:00 one (src/a.rs | 3)\n more\n"
    );
    assert_eq!(told("words\n"), "");
}

#[test]
fn authors_are_counted_and_the_only_commit_of_one_is_named() {
    let commit = |at: usize, author: &str| {
        format!(
            "commit {at:040x}\nAuthor: {author} <a@b.c>\nDate:   Thu Oct 1 10:00:00 2026 +0000\n\n    Subject {at}\n\n"
        )
    };
    let told = |text: &str| {
        let mut paper = Paper::new(2_000);
        tell(text.lines(), &mut paper);
        paper.text().to_owned()
    };
    let mut text: String = (1..6).map(|at| commit(at, "Ann Lee")).collect();
    assert!(
        told(&text).contains("author of all: Ann Lee\n"),
        "{}",
        told(&text)
    );
    text.push_str(&commit(77, "Mal"));
    let expected = "2 authors: Ann Lee 5, Mal 1 (00000000)\n";
    assert!(told(&text).contains(expected), "{}", told(&text));
    assert!(!told(&commit(1, "Ann")).contains("author"));
    // Lines outside the head of a commit name no author, and neither does a commit that is cut.
    let outside = format!("Author: Bob\n{text}\nAuthor: Bob\nsome text\nAuthor: Zed\n");
    assert!(told(&outside).contains(expected), "{}", told(&outside));
    let cut = format!(
        "{}commit {:040x}\n",
        (1..6).map(|at| commit(at, "Ann Lee")).collect::<String>(),
        9
    );
    assert!(!told(&cut).contains("author"), "{}", told(&cut));
    let bots: String = (0..9)
        .map(|at| commit(at, "").replace("a@b.c", &format!("bot{}", at % 2)))
        .collect();
    assert!(
        told(&bots).contains("2 authors: bot0 5, bot1 4\n"),
        "{}",
        told(&bots)
    );
    let many: String = (0..2_100)
        .map(|at| commit(at, &format!("Dev {at}")))
        .collect();
    assert!(
        told(&many).starts_with("more than 2048 authors\n"),
        "{}",
        told(&many)
    );
}

#[test]
fn tags_and_the_lines_of_a_graph_are_part_of_a_list_of_commits() {
    for subject in [
        "(tag: v2.4) fix it",
        "(HEAD -> main, tag: v2.1, origin/main) fix",
        "fix(api:v1) x",
        "Tidy (closes: 342)",
    ] {
        let line = format!("f3ada8f7 {subject}");
        assert_eq!(of_line(&line), Some(("f3ada8f7", subject)));
    }
    for blame in [
        "(Ada 2026-11-20 10:00:00 +0000 12) x",
        "a.rs (Ada 2026-11-20 12) x",
        "(Ada Fri, 20 Nov 2026 10:00:00 +0000  7) x",
    ] {
        assert_eq!(of_line(&format!("f3ada8f7 {blame}")), None, "{blame}");
    }
    let graph: String = (0..20)
        .map(|at| {
            format!(
                "*   {:07x} Merge of {at}\n|\\  \n| * {:07x} fix failed login\n|/  \n",
                0xfa1b2c3 + at,
                0xbadbad0 + at
            )
        })
        .collect();
    assert!(are_lines(graph.lines(), graph.lines().count()), "{graph}");
}

#[test]
fn a_commit_has_the_sums_of_its_changes() {
    let changes = |lines: &str| {
        let mut changes = Changes::default();
        lines.lines().for_each(|line| changes.note(line));
        changes.told()
    };
    for (lines, expected) in [
        ("", ""),
        (
            " a.rs | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)\n",
            " (a.rs | 3 ++-)",
        ),
        (
            " a.rs | 3 +++\n b.rs | 1 -\n 2 files changed, 3 insertions(+), 1 deletion(-)\n create mode 100644 a.rs\n",
            " (2 files changed, 3 insertions(+), 1 deletion(-))",
        ),
        // `--stat=80,40,2` leaves out files, and `--shortstat` all.
        (
            " a.rs | 3 +++\n ...\n 9 files changed, 7 insertions(+)\n",
            " (9 files changed, 7 insertions(+))",
        ),
        (
            " 2 files changed, 4 deletions(-)\n",
            " (2 files changed, 4 deletions(-))",
        ),
        (
            " a.png | Bin 0 -> 12 bytes\n 1 file changed, 0 insertions(+), 0 deletions(-)\n",
            " (a.png | Bin 0 -> 12 bytes)",
        ),
        ("3\t1\tsrc/a.rs\n10\t0\tsrc/b.rs\n", " (2 files)"),
        ("-\t-\tsrc/a.png\n", " (- - src/a.png)"),
        ("M\tsrc/a.rs\nR100\tsrc/b.rs\tsrc/c.rs\n", " (2 files)"),
        // The lines of a diff only look like sums.
        (
            "diff --git a/x b/x\n@@ -1 +1 @@\n 4 files changed, 1 deletion(-)\n a | b\n1\t2\tc\n",
            " (x)",
        ),
        ("diff --git a/x b/x\ndiff --git a/y b/y\n", " (2 files)"),
        ("1\t0\tx\ndiff --git a/x b/x\n", " (1 0 x)"),
        ("    4 files changed, 1 deletion(-)\n    a | b\n", ""),
    ] {
        assert_eq!(changes(lines), expected, "{lines}");
    }
    // Commits of a line each have theirs, too.
    let text: String = (0..9)
        .map(|at| format!("eb80eb{at} fix {at}\n src/a.rs | {at} ++\n src/b.rs | 1 +\n 2 files changed, 1{at} insertions(+)\n"))
        .collect();
    assert!(are_lines(text.lines(), text.lines().count()));
    let mut paper = Paper::new(1_000);
    tell_lines(text.lines(), &mut paper);
    assert!(
        paper
            .text()
            .starts_with("9 commits:\neb80eb0 fix 0 (2 files changed, 10 insertions(+))\neb80eb1 fix 1 (2 files changed, 11 insertions(+))\n"),
        "{}",
        paper.text()
    );
}

#[test]
fn commits_with_labelled_parts_are_told_as_those_of_git() {
    let told = |text: &str| {
        let mut paper = Paper::new(2_000);
        tell(text.lines(), &mut paper);
        paper.text().to_owned()
    };
    let outside = |text: &str| outside((1..).zip(text.lines())).told("");
    let expected = "2 authors: Ann Lee 2, Mal 1 (00000003)\n3 commits, by day:\n2026-10-18:\n00000001 15:25:00 Fix 1\n00000002 15:25:00 Fix 2\n00000003 15:25:00 Fix 3\n";
    let log = |form: fn(&str, &str, usize) -> String| {
        let author = |at| if at == 3 { "Mal" } else { "Ann Lee" };
        let hash = |at: usize| format!("{at:08}68c764cc0123456789abcdef01234567");
        (1..4)
            .map(|at| form(&hash(at), author(at), at))
            .collect::<String>()
    };
    let server = log(|hash, author, at| {
        format!(
            "Commit: {hash}\nAuthor: {author}\nDate: 2026-10-18 15:25:00+00:00\nMessage: Fix {at}\n\nThe old code failed.\nDate: no\n src/a | b\n\n\n"
        )
    });
    assert_eq!(outside(&server), None);
    assert_eq!(told(&server), expected);
    let ended = format!("Commit history:\n{server}error: the rest failed\nSummary: 3 failed\n");
    let ends = outside(&ended).expect("lines of others");
    assert!(
        ends.starts_with("3 lines") && ends.contains("1: Commit history:"),
        "{ends}"
    );
    let python = log(|hash, author, at| {
        format!(
            "Commit: '{hash}'\nAuthor: <git.Actor \"{author} <a@b.c>\">\nDate: 2026-10-18 15:25:00+00:00\nMessage: 'Fix {at}\\n\\nIt failed.'\n\n"
        )
    });
    assert_eq!(told(&python), expected);
    let fields = log(|hash, author, at| {
        format!(
            "hash: {}\nauthor: {author}\ndate: 2026-10-18T15:25:00Z\nsubject: Fix {at}\n\n",
            &hash[..12]
        )
    });
    assert_eq!(told(&fields), expected);
    let mixed = log(|hash, author, at| {
        format!("commit {hash}\nAuthor: {author}\nDate: 2026-10-18 15:25:00\nMessage: Fix {at}\n\n")
    });
    assert_eq!(told(&mixed), expected);
    let page = log(|hash, author, at| {
        format!(
            "- **Commit:** `{hash}`\n- **Author:** {author}\n- **Date:** 2026-10-18 15:25:00\n- **Message:** Fix {at}\n\n"
        )
    });
    assert_eq!(told(&page), expected);
    // A hash alone begins no commit, and neither does a digest.
    for other in [
        "Commit: 68c764cc0123\nBuild: 7\n\n",
        "hash: 68c764cc0123\ntitle: a\n\n",
        "Commit: Ann <a@b.c>\nAuthor: Ann\nDate: a\n",
        "Author: Ann\nDate: a\nMessage: b\n",
    ] {
        assert_eq!(count(other.repeat(3).lines()), 0, "{other}");
    }
}

#[test]
fn records_with_an_id_are_no_commits() {
    let lines = |text: &dyn Fn(usize) -> String| -> bool {
        let line = |at: usize| format!("{:08x} {}", at * 40_503_773 + 0xa1b2_c3d4, text(at));
        let text: Vec<String> = (0..40).map(line).collect();
        are_lines(text.iter().map(String::as_str), text.len())
    };
    assert!(!lines(&|at| format!(
        "active user{at}@acme.com 2026-03-01 08:{at:02}"
    )));
    assert!(!lines(&|at| format!("backup of 2026-03-{at:02} done")));
    assert!(lines(&|at| format!("fixes the part {at}")));
    let word = |at: usize| ["cart", "price", "order"][at % 3];
    assert!(lines(&|at| format!(
        "2026-03-{at:02} fixes the {}",
        word(at)
    )));
}
