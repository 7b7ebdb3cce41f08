//! The recognition of a path, and the description of paths by folder.

use super::*;

#[test]
fn lines_that_are_paths() {
    let long = |length: usize| format!("/{}", "a".repeat(length - 1));
    for line in [
        "/a",
        "src/a.rs",
        "./a",
        "C:/a",
        "a b/c d/e",
        "src/a b c d.rs",
        "a:b/c",
        "docs/A x.md",
        "docs/3x y/4",
        "docs/plan A for x.md",
        &long(399),
    ] {
        assert_eq!(path(line), Some(line), "{line}");
    }
    assert_eq!(path("  [FILE] a b = c  "), Some("a b = c"));
    for line in [
        "",
        "a.rs",
        "<a/b",
        "{a/b",
        "[a/b",
        "#a/b",
        "*a/b",
        "-a/b",
        "\"a/b",
        "|a/b",
        "https://a/b",
        "see: a/b",
        "a b c d e/f",
        "epoch 3/400 now",
        "a/b x=1",
        "a/b 3%",
        "tests/a.py::b c",
        "FAIL src/a.js",
        "src/a.py PASSED",
        &long(400),
        "W,\"27,683.93\",354,53%,11/10/2026,00490",
        "W,3,53%,a/b",
        "W,3,2026/1/10",
        "11/10/2026",
        "11/10/26|W|3/17/2026",
        "app:x:1000:1000::/home/app:/usr/sbin/nologin",
    ] {
        assert_eq!(path(line), None, "{line}");
    }
    // Without blanks, signs are part of a name.
    for line in [
        "a/b=c",
        "a/3%",
        "tests/a.py::b",
        "tests/a.py::A::b",
        "3/4",
        "2026/11/10/a.log",
        "logs/2026/11/10",
        "a,b/50%25.txt",
        "1/2/3456/7",
        "1/2/3/4/5/6",
    ] {
        assert_eq!(path(line), Some(line), "{line}");
    }
}

#[test]
fn most_lines_of_a_list_are_paths() {
    let is = |paths: usize, others: usize| {
        let text = "src/a\n\n".repeat(paths) + &"words\n".repeat(others);
        Paths::of(text.lines()).map(|found| found.all.len())
    };
    assert_eq!(is(6, 0), Some(6));
    assert_eq!(is(5, 0), None);
    assert_eq!(is(6, 2), Some(6));
    assert_eq!(is(6, 3), None);
    assert_eq!(is(27, 3), Some(27));
    assert_eq!(is(26, 3), None);
}

fn told(text: &str, room: usize) -> Option<String> {
    let mut paper = Paper::new(room);
    Paths::of(text.lines())?
        .tell(&mut paper)
        .then(|| paper.text().to_owned())
}

#[test]
fn paths_are_told_by_folder_and_by_ending() {
    let text = "/s/a/1.rs\n/s/a/2.rs\n/s/b/3.md\n/s/4.rs\n/s/5.rs\n/s/b/c/6.rs\n";
    assert_eq!(
        told(text, 400).as_deref(),
        Some(" 6 paths, all in /s/\n by folder: a/ 2, b/ 2, here 2\n by ending: .rs 5, .md 1\n")
    );
    let marked = "[DIR] a/x\n[FILE] a/1\n[FILE] a/2\n[FILE] b/3\n[FILE] b/4\n[FILE] b/5\n";
    assert_eq!(
        told(marked, 400).as_deref(),
        Some(" 6 paths: 1 directories, 5 files\n by folder: a/ 3, b/ 3\n by ending: (none) 6\n")
    );
    let partly = marked.replace("[FILE] a/1", "a/1");
    assert!(told(&partly, 400).is_some_and(|told| told.starts_with(" 6 paths\n")));
    let one = "/s/a/1\n".repeat(6);
    assert_eq!(
        told(&one, 400).as_deref(),
        Some(" 6 paths, all in /s/a/\n by ending: (none) 6\n")
    );
}

#[test]
fn large_folders_are_split_and_all_paths_are_counted() {
    let text: String = (0..90)
        .map(|at| {
            format!(
                "/s/{}/{}/f{at}.rs\n",
                if at < 80 { "big" } else { "small" },
                at % 5
            )
        })
        .collect();
    let found = Paths::of(text.lines()).expect("paths");
    let folders = folders(&found.all, "/s/");
    let all: Vec<(&str, u32)> = folders.clone();
    assert_eq!(all.iter().map(|(_, count)| count).sum::<u32>(), 90);
    let expected: Vec<String> = (0..5)
        .map(|at| format!("/s/big/{at}/"))
        .chain(["/s/small/".to_owned()])
        .collect();
    let names: Vec<&str> = all.iter().map(|(folder, _)| *folder).collect();
    assert_eq!(names, expected);
    assert_eq!(all[5].1, 10);
}

#[test]
fn folders_are_split_while_few_are_shown() {
    let count = |others: usize| {
        let large = (0..40).map(|at| format!("/s/large/{}/f{at}\n", at % 2));
        let others = (0..others).map(|at| format!("/s/other_{at}/f\n"));
        let text: String = large.chain(others).collect();
        let found = Paths::of(text.lines()).expect("paths");
        folders(&found.all, "/s/").len()
    };
    assert_eq!(count(14), 16, "the large one is two");
    assert_eq!(count(15), 16);
}

#[test]
fn words_before_paths_are_no_folders() {
    let text =
        "src/a/1.rs\n".repeat(12) + &"deleting old/b/2.md\n".repeat(4) + "deleting old/3.md\n";
    assert_eq!(
        told(&text, 400).as_deref(),
        Some(
            " 12 paths, all in src/a/\n by ending: .rs 12\n 5 lines that begin with \"deleting \", then old/\n by folder: b/ 4, here 1\n by ending: .md 5\n"
        )
    );
    // One sort of line begins as another does.
    let text = "removed 'a/1.rs'\n".repeat(6) + "removed directory 'a/b'\n";
    assert_eq!(
        told(&text, 400).as_deref(),
        Some(
            " 6 lines that begin with \"removed '\", then a/\n by ending: .rs 6\n 1 line that begins with \"removed directory '\", then a/\n by ending: (none) 1\n"
        )
    );
    // Blanks before a state are part of it.
    let text = " M a/1.rs\n".repeat(6) + &"M  a/2.rs\n".repeat(7);
    let told_states = told(&text, 400).unwrap_or_default();
    for part in [
        " 6 lines that begin with \" M \"",
        " 7 lines that begin with \"M  \"",
    ] {
        assert!(told_states.contains(part), "{told_states}");
    }
    // A folder below another may have a blank.
    let text = "./a/1.rs\n".repeat(6) + &"./My Documents/1.rs\n".repeat(6);
    assert_eq!(
        told(&text, 400).as_deref(),
        Some(" 12 paths, all in ./\n by folder: a/ 6, My Documents/ 6\n by ending: .rs 12\n")
    );
    // Where many lines begin differently, they are no list.
    let starts = |count: usize| {
        (0..count)
            .map(|at| format!("get{at} a/b\n").repeat(2))
            .collect::<String>()
    };
    assert!(told(&starts(8), 400).is_some());
    assert!(told(&starts(9), 400).is_none());
}

#[test]
fn an_arrow_is_in_no_folder() {
    let text = "M src/a/1.rs\n".repeat(8)
        + &"R src/a/2.rs -> lib/a/2.rs\n".repeat(4)
        + "R src/b/3.md -> lib/a/2.rs\n";
    assert_eq!(
        told(&text, 400).as_deref(),
        Some(
            " 8 lines that begin with \"M \", then src/a/\n by ending: .rs 8\n 5 lines that begin with \"R \", then src/, 5 followed by another path\n by folder: a/ 4, b/ 1\n by ending: .rs 4, .md 1\n"
        )
    );
    let text = "a/1\n".repeat(8) + &"a/2 \u{2192} b/3\n".repeat(4);
    assert_eq!(
        told(&text, 400).as_deref(),
        Some(" 12 paths, all in a/, 4 followed by another path\n by ending: (none) 12\n")
    );
    let text = "removed 'a/1.rs'\n".repeat(8) + &"renamed 'a/1.rs' -> 'b/1.rs'\n".repeat(4);
    assert!(told(&text, 400).is_some_and(|told| {
        told.contains("then a/, 4 followed by another path\n by ending: .rs 4\n")
    }));
    // `to` parts two paths with one ending.
    let of = |line: &str| told(&("removed a/1.rs\n".repeat(8) + &line.repeat(4)), 400);
    for line in [
        "moved a/x/1.rs to b/x/1.rs\n",
        "moved 'a/x/1.rs' to 'b/x/1.rs'\n",
        "moved a/x/1.rs --> b/x/1.rs\n",
    ] {
        let told = of(line).unwrap_or_default();
        assert!(
            told.contains("then a/x/, 4 followed by another path\n by ending: .rs 4\n"),
            "{told}"
        );
    }
    let told = of("moved a/x/ls.1 to b/ps.1\n").unwrap_or_default();
    assert!(told.contains("then a/x/, 4 followed"), "{told}");
    let told = of("moved a/How to cook/1.rs\n").unwrap_or_default();
    assert!(told.contains("then a/How to cook/\n"), "{told}");
    let told = of("moved a/From v0.md to v1.md\n").unwrap_or_default();
    assert!(!told.contains("another path"), "{told}");
    // After a verb, `to` parts paths with any endings, and paths that end alike or begin at a root.
    for line in [
        "converted a/x/1.rs to b/x/1.md\n",
        "converted a/x/1.rs to 1.md\n",
        "compiled a/x/1.rs into b/x/1.o\n",
        "saved a/x/1.rs as b/x/1.o\n",
        "linked 'a/x/1.rs' to '/usr/lib/one'\n",
    ] {
        let told = of(line).unwrap_or_default();
        assert!(
            told.contains("then a/x/, 4 followed by another path\n by ending: .rs 4\n"),
            "{told}"
        );
    }
    for line in [
        "copied a/x/tool to b/tool\n",
        "copied a/x/tool to /usr/bin/t\n",
    ] {
        let told = of(line).unwrap_or_default();
        assert!(
            told.contains("then a/x/, 4 followed by another path\n by ending: (none) 4\n"),
            "{told}"
        );
    }
    for line in [
        "moved a/From v1.2 to v1.3/1.md\n",
        "moved a/Such as this/1.md\n",
    ] {
        let told = of(line).unwrap_or_default();
        assert!(!told.contains("another path"), "{told}");
    }
    // No verb is before these.
    let text = "a/1.rs\n".repeat(8) + &"a/Node.js to Deno/1.md\n".repeat(4);
    let told = self::told(&text, 400).unwrap_or_default();
    assert!(!told.contains("another path"), "{told}");
    // Where most lines have an arrow, they are no list.
    assert!(self::told(&"R a/2.rs -> b/3.rs\n".repeat(9), 400).is_none());
}

#[test]
fn words_in_the_name_of_a_folder_part_no_paths() {
    for folder in ["docs/ASP.NET to Core/", "talks/Intro.key to Advanced/"] {
        let lines = (0..9).map(|at| format!("created {folder}x{at}.md\n"));
        let told_of = told(
            &("removed a/1.rs\n".repeat(12) + &lines.collect::<String>()),
            400,
        );
        let told_of = told_of.unwrap_or_default();
        let expected = format!("then {folder}\n by ending: .md 9\n");
        assert!(told_of.contains(&expected), "{told_of}");
    }
}
