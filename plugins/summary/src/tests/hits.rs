//! Each form of a hit, and its near misses.

use super::*;

#[test]
fn a_hit_has_a_file_a_place_and_a_text() {
    for (line, expected) in [
        ("src/a.rs:3: text", ("src/a.rs", "3", " text")),
        ("src/a.rs:3:5:text", ("src/a.rs", "3:5", "text")),
        ("src/a.rs:3:5 text", ("src/a.rs", "3", "5 text")),
        ("src/a.rs:3:", ("src/a.rs", "3", "")),
        ("a.rs:31:27: a: b", ("a.rs", "31:27", " a: b")),
        ("notes.org:3:* TODO", ("notes.org", "3", "* TODO")),
        (
            "acme.com:3:  server_name x",
            ("acme.com", "3", "  server_name x"),
        ),
        ("acme.com:3:listen 80;", ("acme.com", "3", "listen 80;")),
        (".env.local:3:KEY=1", (".env.local", "3", "KEY=1")),
        ("acme.com/index.html:3:x", ("acme.com/index.html", "3", "x")),
    ] {
        assert_eq!(of_line(line), Some(expected), "{line}");
        assert!(may_be(line), "{line}");
    }
    for line in [
        "word:3: x",
        "a b.rs:3: x",
        "src/a.rs:x: y",
        "src/a.rs:3",
        "src/a.rs:3 x",
        "src/a.rs",
        "3.5:3: x",
        "db-1.acme.com:5432: accepting connections",
        "www.acme.org:443: open",
        "10.0.0.7:22: open",
    ] {
        assert_eq!(of_line(line), None, "{line}");
    }
    assert!(may_be("3:text") && may_be("a.rs-3-text") && !may_be("text"));
}

#[test]
fn lines_around_hits() {
    for line in [
        "--",
        "src/a.rs-3- text",
        "src/a.rs-31-text",
        "src/my-file.rs-3-x",
    ] {
        assert!(is_context(line), "{line}");
    }
    for line in [
        "-",
        "---",
        "3-5-a.rs-3-",
        "word-3- x",
        "src/a.rs-3 x",
        "src/a.rs-x- y",
        "src/a.rs--3",
        "a-b-c-d-e-f-g-h-i-j.rs-3-x",
    ] {
        assert!(!is_context(line), "{line}");
    }
}

#[test]
fn counts_of_files() {
    assert_eq!(count_of_line("src/a.rs:31"), Some(("src/a.rs", 31)));
    for line in [
        "src/a.rs:",
        "src/a.rs:3x",
        "src/a.rs: 3",
        "word:3",
        "src/a.rs:99999999999999999999",
    ] {
        assert_eq!(count_of_line(line), None, "{line}");
    }
}

#[test]
fn files_have_a_dot_or_a_slash() {
    let long = |length: usize| format!("{}.c", "a".repeat(length - 2));
    for file in ["a.c", "src/a", ".x", &long(399)] {
        assert!(is_file(file), "{file}");
    }
    for text in [
        "",
        "abc",
        "9.c",
        "a b.c",
        "a:b.c",
        "\"a.c",
        "(a.c",
        "{a.c",
        "<a.c",
        "a|b.c",
        &long(400),
    ] {
        assert!(!is_file(text), "{text}");
    }
}

fn found(text: &str) -> Option<(usize, usize, bool)> {
    let hits = of(text.lines(), text.lines().count())?;
    assert_eq!(hits.hits.len(), hits.count);
    Some((hits.count, hits.files.len().unwrap_or(0), hits.has_headings))
}

#[test]
fn a_text_is_of_hits_if_half_of_its_lines_are() {
    let hit = "a.rs:3:x\n";
    let around = "a.rs-4-x\n";
    let other = "words\n";
    for (hits, arounds, others, is) in [
        (3, 0, 0, true),
        (2, 9, 0, false),
        (3, 0, 3, true),
        (3, 0, 4, false),
        (3, 2, 5, true),
        (3, 2, 6, false),
    ] {
        let text = [
            hit.repeat(hits),
            around.repeat(arounds),
            other.repeat(others),
        ]
        .concat();
        let expected = is.then_some((hits, 1, false));
        assert_eq!(found(&text), expected, "{text}");
        let spaced = text.replace('\n', "\n\n");
        assert_eq!(found(&spaced), expected, "blank lines are nothing: {text}");
    }
}

#[test]
fn hits_below_the_names_of_their_files() {
    let text = "src/a.rs\n3:x\n7-around\n9:y\n\nsrc/b.rs\n1:z\n";
    assert_eq!(found(text), Some((3, 2, true)));
    let hits = of(text.lines(), 7).expect("hits");
    let places: Vec<_> = hits
        .hits
        .iter()
        .map(|hit| (hit.file, hit.place, hit.text))
        .collect();
    assert_eq!(
        places,
        [
            ("src/a.rs", "3", "x"),
            ("src/a.rs", "9", "y"),
            ("src/b.rs", "1", "z")
        ]
    );
    // Numbers that do not rise are no places, and lines after a blank one belong to no file.
    assert_eq!(found("src/a.rs\n9:x\n3:y\n3:z\n2:z\n1:z\n"), None);
    assert_eq!(found("src/a.rs\n\n1:x\n2:y\n3:z\n"), None);
    assert_eq!(found("src/a.rs\n1:x\n2:y\n"), None, "two are too few");
    // One line in five may be anything.
    let mostly =
        |others: usize| format!("src/a.rs\n1:x\n2:y\n3:z\n{}", "some words\n".repeat(others));
    assert_eq!(found(&mostly(1)), Some((3, 1, true)));
    assert_eq!(found(&mostly(2)), None);
}

#[test]
fn hits_of_one_file_between_the_lines_around_them() {
    let text = "3-a\n4:x\n5-b\n--\n90-c\n91:y\n92:z\n93-\n";
    assert_eq!(found(text), Some((3, 1, true)));
    assert_eq!(
        told(text, 400),
        "3 lines found in one file; their numbers are of that file\n 4: x\n 91: y\n 92: z\n"
    );
    let many = |hits: usize| {
        let group = |at: usize| format!("{}-a\n{}:x\n{}-b\n--\n", 9 * at, 9 * at + 1, 9 * at + 2);
        (1..=hits).map(group).collect::<String>()
    };
    let told = told(&many(60), 300);
    let shown = told.lines().filter(|line| line.ends_with(": x")).count();
    assert!(shown > 10, "{told}");
    assert!(
        told.ends_with(&format!("\n and {} more\n", 60 - shown)),
        "{told}"
    );
    // Numbers that do not rise are no places, and no line is around others that all have `:`.
    assert_eq!(found(&text.replace("91:", "4:")), None);
    assert_eq!(found("3:x\n9:y\n12:z\n"), None);
    assert_eq!(found("3-x\n9-y\n12-z\n"), None);
    let below_words = format!("Found 3 matches:\n\n{text}");
    assert_eq!(found(&below_words), Some((3, 1, true)));
    // A list with a blank line in it is no output of a search.
    assert_eq!(found("1-a\n2:b\n\n3:x\n4:y\n5:z\n"), None);
}

fn told(text: &str, room: usize) -> String {
    let mut paper = Paper::new(room);
    of(text.lines(), text.lines().count())
        .expect("hits")
        .tell(&mut paper);
    paper.text().to_owned()
}

#[test]
fn hits_are_told_by_file() {
    let text = "src/a.rs:3: x\nsrc/a.rs:9:2: y\nsrc/b.rs:1: z\n";
    assert_eq!(
        told(text, 400),
        "3 lines found, in 2 files, all in src/\na.rs\n 3: x\n 9:2: y\nb.rs:1: z\n"
    );
    let apart = text.replace("src/b", "b");
    assert_eq!(
        told(&apart, 400),
        "3 lines found, in 2 files\nsrc/a.rs\n 3: x\n 9:2: y\nb.rs:1: z\n"
    );
    let long = format!("src/a.rs:1: {}\n", "w".repeat(300)).repeat(3);
    for (room, length) in [(2_000, 200), (500, 90)] {
        let told = told(&long, room);
        let line = told.lines().nth(2).expect("a hit");
        assert_eq!(line.matches('w').count(), length - 1, "{told}");
    }
}

#[test]
fn hits_that_do_not_fit_are_counted_by_file() {
    let text: String = (0..60)
        .map(|at| format!("src/f{}.rs:{at}: some words\n", at / 20))
        .collect();
    for room in [120, 300, 600, 1_000] {
        let told = told(&text, room);
        assert!(told.chars().count() <= room, "{room}: {told}");
        let shown = told
            .lines()
            .filter(|line| line.ends_with(": some words"))
            .count();
        assert!(
            told.contains(&format!(" and {} more", 60 - shown)),
            "{told}"
        );
        let rest = told.lines().last().expect("a line");
        let counted: usize = rest
            .split([' ', ','])
            .skip(4)
            .filter_map(|word| word.parse::<usize>().ok())
            .sum();
        assert!(
            counted == 60 - shown || rest.contains('…') || rest.ends_with("more"),
            "{told}"
        );
    }
}

#[test]
fn files_with_counts() {
    let told = |text: &str| {
        let mut paper = Paper::new(300);
        tell_counts(text.lines(), &mut paper).then(|| paper.text().to_owned())
    };
    assert_eq!(
        told("src/a.rs:3\nsrc/b.rs:12\n\nsrc/c/d.rs:7\n").as_deref(),
        Some(
            "3 lines of the form file:count, all in src/; the counts sum up to 22\nby count: b.rs 12, c/d.rs 7, a.rs 3\n"
        )
    );
    assert_eq!(told("a.rs:3\nb.rs:12\n"), None);
    let nine = "a.rs:1\n".repeat(9);
    assert!(told(&format!("{nine}words\n")).is_some());
    assert_eq!(told(&format!("{nine}words\nwords\n")), None);
}

#[test]
fn the_folder_of_all() {
    for (paths, expected) in [
        (&["src/a/x", "src/a/y"][..], "src/a/"),
        (&["src/ab", "src/ac"], "src/"),
        (&["src/a"], "src/"),
        (&["a", "b"], ""),
        (&["é/a", "è/a"], ""),
        (&[], ""),
    ] {
        assert_eq!(base(paths.iter().copied()), expected, "{paths:?}");
    }
}

#[test]
fn as_many_hits_are_written_as_fit() {
    let text: String = (0..12)
        .map(|at| {
            format!(
                "src/part_{}.rs:{}: text {}\n",
                at / 5,
                at + 1,
                "é".repeat(at % 4)
            )
        })
        .collect();
    let hits = of(text.lines(), 12).expect("hits");
    let (all, count) = hits.written("src/", 80, usize::MAX);
    assert_eq!((all.len(), count), (12, 12));
    assert_eq!(all[..2], ["part_0.rs\n 1: text", " 2: text é"]);
    let mut used = 0;
    for (place, line) in all.iter().enumerate() {
        assert_eq!(hits.written("src/", 80, used).1, place);
        used += characters(line) + 1;
        assert_eq!(hits.written("src/", 80, used - 1).1, place, "one too few");
        assert_eq!(
            hits.written("src/", 80, used),
            (all[..=place].to_vec(), place + 1)
        );
    }
}
