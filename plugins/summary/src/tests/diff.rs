//! The lines of a diff, counted and told, and its near misses.

use super::*;

fn read(text: &str) -> Option<Diff<'_>> {
    of((1..).zip(text.lines()))
}

#[test]
fn heads_of_hunks_announce_lines() {
    for (line, expected) in [
        ("@@ -1,3 +1,4 @@", (3, 4)),
        ("@@ -1 +1,0 @@ fn a()", (1, 0)),
        ("@@ -10,30 +1 @@", (30, 1)),
    ] {
        let rest = Rest::of(line).map(|rest| (rest.old, rest.new));
        assert_eq!(rest, Some(expected), "{line}");
    }
    for line in [
        "@@ -1,3 +1,4",
        "@@ +1 -1 @@",
        "@ -1 +1 @@",
        "@@ -1,x +1 @@",
        "@@@ -1 +1 @@@",
    ] {
        assert!(Rest::of(line).is_none(), "{line}");
    }
}

const TEXT: &str = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1,3 +1,3 @@ fn a()\n one\n-two\n+TWO\n three\n@@ -9 +9,2 @@\n nine\n+ten\n\\ No newline\ndiff --git a/old b/new\nsimilarity index 90%\n@@ -1,2 +0,0 @@\n-a\n---- b\n";

#[test]
fn lines_that_come_and_go_are_counted_by_file() {
    let diff = read(TEXT).expect("a diff");
    let files: Vec<_> = diff
        .files
        .iter()
        .map(|it| (it.name, it.place, it.added, it.removed))
        .collect();
    assert_eq!(files, [("x.rs", 1, 2, 1), ("new", 13, 0, 2)]);
    let hunks: Vec<_> = diff
        .hunks
        .iter()
        .map(|it| (it.file, it.place, it.lines))
        .collect();
    assert_eq!(hunks, [(0, 4, 5), (0, 9, 3), (1, 15, 3)]);
    assert_eq!(
        (diff.added, diff.removed, diff.count, diff.number_of_files),
        (2, 3, 3, 2)
    );
    // A line that does not belong to the files ends no hunk.
    let between = "+++ b/x\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+b\n+c\n";
    let diff = read(between).expect("a diff");
    assert_eq!((diff.added, diff.removed), (2, 1));
    // Without git's headers the file stands before its hunks.
    let plain = "--- a/x\t2026\n+++ b/x\t2026\n@@ -1 +1 @@\n-a\n+b\n";
    let diff = read(plain).expect("a diff");
    assert_eq!((diff.files[0].name, diff.added, diff.removed), ("x", 1, 1));
    // A file that goes has its old name.
    let gone = "--- a/x\tMon\n+++ /dev/null\tTue\n@@ -1 +0,0 @@\n-a\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+b\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-c\n+d\n";
    let diff = read(gone).expect("a diff");
    let files: Vec<_> = diff
        .files
        .iter()
        .map(|it| (it.name, it.change.as_str()))
        .collect();
    assert_eq!(files, [("x", "deleted"), ("y", "new"), ("z", "")]);
    // The line of the old file begins the part of a file.
    let places: Vec<_> = diff.files.iter().map(|it| it.place).collect();
    assert_eq!(places, [1, 5, 9]);
    for none in [
        "",
        "diff --git a/x b/x\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        "+++ +++\n@@ -1 +1 @@\n-a\n",
        "-a\n+b\n",
    ] {
        assert!(read(none).is_none(), "{none}");
    }
    // A line that belongs to no hunk ends it.
    let ended = "diff --git a/x b/x\n@@ -1,9 +1,9 @@\n-a\nwords\n-b\n";
    assert_eq!(read(ended).expect("a diff").removed, 1);
    let more = "diff --git a/x b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n+c\n-d\n";
    let diff = read(more).expect("a diff");
    assert_eq!(
        (diff.added, diff.removed),
        (1, 1),
        "no more than were announced"
    );
}

#[test]
fn lines_of_a_diff_are_its_own() {
    for line in [
        " a",
        "+a",
        "-a",
        "@@",
        "\\ No",
        "diff --git a b",
        "index 1..2",
        "commit 1",
        "Author: a",
        "Date: b",
        "Merge: c",
        "similarity index",
        "rename from",
        "new file mode",
        "deleted file",
        "old mode",
        "new mode",
    ] {
        assert!(owns(line), "{line}");
    }
    for line in ["", "a", "diff a b", "indexes", "modes"] {
        assert!(!owns(line), "{line}");
    }
}

fn told(text: &str, room: usize) -> String {
    let mut paper = Paper::new(room);
    read(text)
        .expect("a diff")
        .tell((1..).zip(text.lines()), &mut paper);
    paper.text().to_owned()
}

#[test]
fn hunks_that_fit_are_told_whole() {
    assert_eq!(
        told(TEXT, 900),
        "diff: 2 files, 3 hunks, +2 -3; by file, from line:\n1: x.rs +2 -1\n13: new +0 -2\nx.rs\n4: @@ -1,3 +1,3 @@ fn a()\n one\n-two\n+TWO\n three\n9: @@ -9 +9,2 @@\n nine\n+ten\nnew\n15: @@ -1,2 +0,0 @@\n-a\n---- b\n"
    );
    let one = "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(
        told(one, 300),
        "diff: 1 files, 1 hunks, +1 -1; by file, from line:\n1: x +1 -1\n2: @@ -1 +1 @@\n-a\n+b\n"
    );
    let large: String = (0..30)
        .map(|at| {
            format!(
                "@@ -{at}1,2 +{at}1,{} @@\n-a\n+{}\n",
                at % 3 + 1,
                "w\n+".repeat(at % 3)
            )
        })
        .collect();
    let large = format!("diff --git a/x b/x\n{large}");
    for room in [160, 260, 500, 900] {
        let told = told(&large, room);
        assert!(told.chars().count() <= room, "{room}: {told}");
        let shown = told.lines().filter(|line| line.contains(": @@ ")).count();
        let more = if shown == 0 { "" } else { "other " };
        assert!(
            told.contains(&format!("{} {more}hunks, from line: ", 30 - shown)),
            "{told}"
        );
    }
}

#[test]
fn all_files_are_told_if_they_fit() {
    let text: String = (0..20)
        .map(|at| {
            format!("--- a/src/file{at}.rs\n+++ b/src/file{at}.rs\n@@ -1 +1 @@\n-a{at}\n+b\n")
        })
        .collect();
    for room in [900, 1_100, 1_400] {
        let told = told(&text, room);
        assert!(told.contains("\n96: src/file19.rs +1 -1\n"), "{told}");
        assert!(told.contains("hunks, from line: "), "{told}");
        assert!(told.chars().count() <= room);
    }
    assert!(told(&text, 500).contains(" more files\n"));
}

#[test]
fn a_labelled_commit_above_a_diff_is_part_of_it() {
    let text = "Commit: 68c764cc0123456789abcdef0123456789abcdef\nAuthor: Ann\nDate: 2026-10-18 15:25:00+00:00\nMessage: Fix it\n\nThe old code failed.\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nerror: no more\n";
    let told = told(text, 600);
    assert!(
        told.starts_with("2026-10-18:\n68c764cc 15:25:00 Fix it\n The old code failed.\n"),
        "{told}"
    );
    let outside = read(text).expect("a diff").outside.told("");
    assert_eq!(
        outside.as_deref(),
        Some("1 line is of another form:\n13: error: no more")
    );
}

#[test]
fn words_that_change_are_no_lines() {
    let text = "diff --git a/x.md b/x.md\n--- a/x.md\n+++ b/x.md\n@@ -1,4 +1,4 @@\n# Title\n- error: [-one-]{+two+} items\n+ not added\n\n  and {+the+} rest\nlet a = [-1;-]{+2;+}\n";
    let said = told(text, 600);
    assert!(
        said.starts_with("diff: 1 files, 1 hunks; by file, from line:\n1: x.md\n4: @@ -1,4 +1,4 @@\n# Title\n- error: [-one-]"),
        "{said}"
    );
    assert!(said.ends_with("let a = [-1;-]{+2;+}\n"), "{said}");
    let diff = read(text).expect("a diff");
    assert_eq!(
        (diff.added, diff.removed, diff.outside.told("")),
        (0, 0, None)
    );
    // In lines with signs, such words are text.
    let plain = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a [-1-]\n+b {+2+}\n";
    let diff = read(plain).expect("a diff");
    assert_eq!((diff.added, diff.removed), (1, 1));
}
