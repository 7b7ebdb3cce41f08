//! Each form of an entry, and its near misses.

use super::*;

#[test]
fn marked_entries() {
    for (line, expected) in [
        ("[DIR] src", ("src", true)),
        ("  [FILE] a.rs", ("a.rs", false)),
        ("[D] src", ("src", true)),
        ("[F] a.rs", ("a.rs", false)),
    ] {
        assert_eq!(marked(line), Some(expected));
        assert!(owns(line), "{line}");
    }
    for line in ["[DIR]src", "[X] a", "DIR] a", "a [DIR] b"] {
        assert_eq!(marked(line), None, "{line}");
        assert!(!owns(line), "{line}");
    }
}

#[test]
fn entries_with_marks_and_sizes() {
    for (line, expected) in [
        ("[FILE] a.rs          14.43 KB", Some(("a.rs", "14.43 KB"))),
        ("[FILE] a b.rs           0 B", Some(("a b.rs", "0 B"))),
        ("[DIR] src                  ", None),
        ("[FILE] a.rs", None),
        ("[FILE] notes of 12 days", None),
        ("[FILE] 12 KB", None),
    ] {
        assert_eq!(sized(marked(line)), expected, "{line}");
    }
    let mut text: String = (1..60)
        .map(|at| {
            format!(
                "[FILE] {:<30} {:>10}\n",
                format!("a{at}.rs"),
                format!("{at}.25 KB")
            )
        })
        .collect();
    text += "[DIR] src                           \n[FILE] big.bin   1.50 MB\n\nTotal: 20 files, 1 directories\n";
    assert!(crate::paths::Paths::of(text.lines()).is_none());
    let said = told(&text, 400).expect("a listing");
    assert!(
        said.starts_with("here: 1 directory, 60 files and their sizes: src/, a1.rs 1.25 KB, "),
        "{said}"
    );
    assert!(
        said.contains(" the largest: big.bin 1.50 MB, a59.rs 59.25 KB, "),
        "{said}"
    );
    // Without sizes, such a list is one of paths.
    let plain: String = (1..20).map(|at| format!("[DIR] a{at}\n")).collect();
    assert_eq!(told(&plain, 400), None);
}

#[test]
fn rows_of_ls() {
    for (line, expected) in [
        (
            "drwxr-xr-x  3 root root 4096 Nov 22 20:00 src",
            ("src", "4096", true),
        ),
        (
            "-rw-r--r--  1 root root    7 Nov 22  2025 a b.rs",
            ("a b.rs", "7", false),
        ),
        ("lrwxrwxrwx 1 u g 7 Nov 22 20:00 a -> b", ("a", "7", false)),
        ("crw-rw-rwt 1 u g 7 Nov 22 20:00 a", ("a", "7", false)),
        ("-rwsr-Sr-T 1 u g 7 Nov 22 20:00 a", ("a", "7", false)),
    ] {
        assert_eq!(long(line), Some(expected));
        assert!(owns(line), "{line}");
    }
    for line in [
        "xrwxr-xr-x 3 root root 4096 Nov 22 20:00 src",
        "drwxr-xr-q 3 root root 4096 Nov 22 20:00 src",
        "drwxr-xr-x 3 root root 4096 Nov 22 20:00 ",
        "drwxr-xr-x 3 root root 4096 Nov 22",
        "drwxr-xr-x",
        "----------",
        "total 12",
    ] {
        assert_eq!(long(line), None, "{line}");
        assert!(!owns(line), "{line}");
    }
}

#[test]
fn branches_of_a_tree() {
    for (line, expected) in [
        ("├── a", (1, "a")),
        ("│   └── b.rs", (5, "b.rs")),
        ("        └── c", (9, "c")),
        ("|   |-- d", (5, "d")),
        ("`-- e", (1, "e")),
        ("├─┬ f@1.0.0", (1, "f@1.0.0")),
        ("│ ├── g@2.0.0 deduped", (3, "g@2.0.0 deduped")),
    ] {
        assert_eq!(branch(line), Some(expected), "{line}");
        assert!(owns(line), "{line}");
    }
    for line in ["a ── b", "── a", "├── ", "│ a ── b", "│   a", "  -- "] {
        assert_eq!(branch(line), None, "{line}");
        assert!(!owns(line), "{line}");
    }
}

fn told(text: &str, room: usize) -> Option<String> {
    let mut paper = Paper::new(room);
    tell(text.lines(), &mut paper).then(|| paper.text().to_owned())
}

const ROW: &str = "-rw-r--r-- 1 u g 7 Nov 22 20:00 a\n";

#[test]
fn most_lines_of_a_listing_are_entries() {
    for entry in [ROW, "├── a\n"] {
        for (entries, others, is) in [(5, 0, true), (4, 0, false), (8, 2, true), (8, 3, false)] {
            let text = entry.repeat(entries) + &"words\n\n".repeat(others);
            assert_eq!(told(&text, 500).is_some(), is, "{text}");
        }
    }
}

#[test]
fn directories_of_ls_are_told_with_their_entries() {
    let directory = "drwxr-xr-x 3 u g 4096 Nov 22 20:00";
    let text = format!(
        "{ROW}{directory} .\n{directory} ..\n{directory} b\n/srv/x:\n{ROW}{ROW}{ROW}{ROW}/srv/y:\n{directory} c\n{directory} d\n{ROW}"
    );
    assert_eq!(
        told(&text, 900).as_deref(),
        Some(
            "here: 1 directory, 1 file and their sizes: b/, a 7\n/srv/x: 0 directories, 4 files and their sizes: a 7, a 7, a 7, a 7\n/srv/y: 2 directories, 1 file and their sizes: c/, d/, a 7\n"
        )
    );
    // Those that do not fit are counted.
    let many: String = (0..30)
        .map(|at| format!("/srv/{at}:\n{}", ROW.repeat(4)))
        .collect();
    for room in [200, 500] {
        let told = told(&many, room).expect("a listing");
        assert!(told.chars().count() <= room, "{told}");
        let shown = told
            .lines()
            .filter(|line| line.starts_with("/srv/"))
            .count();
        assert!(
            told.ends_with(&format!(" and {} more directories\n", 30 - shown)),
            "{told}"
        );
    }
    let all: String = (0..600)
        .map(|at| format!("/{at}:\n{}", ROW.repeat(4)))
        .collect();
    let all = told(&all, 1 << 20).expect("a listing");
    assert_eq!(all.lines().count(), MOST + 1, "{all}");
    let counted = all
        .lines()
        .filter(|line| line.contains(": 0 directories, 4 files"));
    assert_eq!(counted.count(), MOST, "each with its own entries");
    assert!(
        all.ends_with(&format!(" and {} more directories\n", 600 - MOST)),
        "{all}"
    );
    assert!(
        told(&ROW.repeat(NAMED + 1), 900)
            .expect("a listing")
            .ends_with("513 files and their sizes: too many to name\n")
    );
    assert!(
        !told(&ROW.repeat(NAMED), 900)
            .expect("a listing")
            .contains("too many")
    );
}

#[test]
fn directories_inside_of_one_are_named_up_to_a_number() {
    let told = |count: usize| {
        let rows = "drwxr-xr-x 3 u g 4096 Nov 22 20:00 b\n".repeat(count);
        told(&rows, 900).expect("a listing")
    };
    assert!(
        told(NAMED + 1).ends_with("513 directories, 0 files and their sizes: too many to name\n")
    );
    assert!(!told(NAMED).contains("too many"));
}

#[test]
fn outer_entries_of_a_tree_are_told_with_how_many_are_inside() {
    let text = ".\n├── a\n│   ├── b\n│   │   └── c\n│   └── d\n├── e\n└── f\n    └── g\n";
    assert_eq!(
        told(text, 500).as_deref(),
        Some("tree of 7 entries; the outer ones, and how many are inside: a/ 3, e, f/ 1\n")
    );
}

#[test]
fn entries_of_a_tree_may_have_its_signs_in_their_names() {
    let text = ".\n├─┬ a ── b\n│ └── c\n├── --d\n├── e\n├── f\n└── g\n";
    assert_eq!(
        told(text, 500).as_deref(),
        Some(
            "tree of 6 entries; the outer ones, and how many are inside: a ── b/ 1, --d, e, f, g\n"
        )
    );
}

#[test]
fn endings_are_of_names_and_not_of_folders() {
    let counted = endings(["a.rs", "x.y/b", "x/c.rs", "d.tar.gz"].into_iter());
    assert_eq!(counted.sorted(), [(".rs", 2), ("(none)", 1), (".gz", 1)]);
    // What follows a path in its line is no ending.
    let counted = endings(["a.rs,0,rust", "b.rs as admin", "St. Ives"].into_iter());
    assert_eq!(counted.sorted(), [(".rs", 2), ("(none)", 1)]);
}

#[test]
fn of_many_directories_the_largest_are_named() {
    let mut text: String = (0..90)
        .map(|at| format!("/srv/{at}:\ntotal 8\n{}\n", ROW.repeat(16 + at % 7)))
        .collect();
    text += &format!("/srv/large:\ntotal 400\n{}", ROW.repeat(50));
    let told = told(&text, 300).expect("a listing");
    assert!(
        told.starts_with("91 directories, the largest:\n/srv/large: 0 directories, 50 files\n/srv/6: 0 directories, 22 files\n"),
        "{told}"
    );
    let named = told.lines().filter(|line| line.starts_with('/')).count();
    let rest = format!("\n and {} more directories\n", 91 - named);
    assert!(told.ends_with(&rest), "{told}");
}

#[test]
fn several_trees_are_told_by_the_lines_above_them() {
    let tree = |name: &str| format!("{name}\n├── a v1\n│   └── b v2\n└── c v3\n");
    let text = format!(
        "{}\n{}d v0.3.0\n└── e\n",
        tree("d v0.1.0"),
        tree("d v0.2.0")
    );
    let mut paper = Paper::new(500);
    assert!(tell(text.lines(), &mut paper));
    let expected = "3 trees of 7 entries; the line above each, and how many are below: d v0.1.0/ 3, d v0.2.0/ 3, d v0.3.0/ 1\n";
    assert_eq!(paper.text(), expected);
    // Another program wrote between the entries of one tree.
    let text = tree("d").replace("└── c", "warning: e\n└── c") + "f\n└── g\n└── h\n";
    let mut paper = Paper::new(500);
    assert!(tell(text.lines(), &mut paper));
    assert!(
        paper.text().contains("below: d/ 3, f/ 2\n"),
        "{}",
        paper.text()
    );
    let one = tree(".");
    let mut paper = Paper::new(500);
    assert!(!tell(one.lines(), &mut paper), "too few entries");
    let text = one + "├── f\n└── g\n";
    assert!(tell(text.lines(), &mut paper));
    assert!(
        paper.text().starts_with("tree of 5 entries; "),
        "{}",
        paper.text()
    );
}

#[test]
fn the_largest_files_of_a_list_that_is_cut() {
    let row = |at: usize| {
        let size = if at == 71 { 9_120_345 } else { 100 + at };
        format!("-rw-r--r-- 1 root root {size} Nov 22 20:00 part-of-it-{at}.rs\n")
    };
    let text: String = (0..90).map(row).collect();
    let mut paper = Paper::new(500);
    assert!(tell(text.lines(), &mut paper));
    let largest = "more\n the largest: part-of-it-71.rs 9120345, part-of-it-89.rs 189, part-of-it-88.rs 188\n";
    assert!(paper.text().ends_with(largest), "{}", paper.text());
    let mut paper = Paper::new(4_000);
    assert!(tell(text.lines(), &mut paper));
    assert!(!paper.text().contains("largest"), "{}", paper.text());
}
