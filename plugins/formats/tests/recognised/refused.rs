//! Texts without data, and doubtful tables.

use tamis_formats::read;

#[track_caller]
fn refused(text: &str) {
    if let Some(data) = read(text) {
        panic!("{} in {text:?}: {}", data.format, data.json);
    }
}

#[test]
fn other_kinds_of_text_are_no_data() {
    for text in [
        "",
        "done",
        "It was the best of times, it was the worst of times,\nit was the age of wisdom, it was the age of foolishness,\nit was the epoch of belief, it was the epoch of incredulity,\nit was the season of Light, it was the season of Darkness,\n",
        // Logs.
        "2026-03-11 16:00:01,001 INFO  worker-1  request 7 took 12 ms\n2026-03-11 16:00:02,001 WARN  worker-1  request 8 took 14 ms\n2026-03-11 16:00:03,001 INFO  worker-2  request 9 took 12 ms\n2026-03-11 16:00:04,001 INFO  worker-1  request 9 took 12 ms\n",
        "INFO  worker  request 7\nWARN  worker  request 8\nINFO  worker  request 9\nINFO  worker  request 10\n",
        "[INFO] a: 1\n[WARN] b: 2\n[INFO] c: 3\n[INFO] d: 4\n",
        "   Compiling libc v0.2.1\n   Compiling syn v1.2.3\n   Compiling serde v1.0.2\n   Compiling toml v1.0.2\n",
        "INFO: started\nWARN: slow\nINFO: again\n\nINFO: started\nWARN: slow\nINFO: again\n",
        // Source code.
        "use std::fmt;\nuse std::io;\n\nfn main() {\n    let a = [1, 2];\n    let b = {3};\n}\n",
        "import os, sys\nimport re, io\nimport json, csv\nimport a, b\n",
        "a = [\n    1, 2,\n    3, 4,\n    5, 6,\n]\n",
        "def f(a, b):\n    return {\"a\": [a, b]}\n\ndef g(a, b):\n    return 1, 2\n",
        "int a, b;\nint c, d;\nint e, f;\nint g, h1;\n",
        "{ int x; }\n{ int y; }\n",
        // Differences and traces.
        "diff --git a/x b/x\n@@ -1,3 +1,4 @@\n context\n-old, line\n+new, line\n",
        "+one\n+two\n+three\n+four\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a,1\n+a,2\n",
        "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    f(1, 2)\nValueError: bad, very\n",
        "java.lang.Exception: a, b\n\tat a.b.C(D.java:1)\n\tat a.b.C(D.java:2)\n\tat a.b.C(D.java:3)\n",
        // Lists.
        "total 12\ndrwxr-xr-x  8 root root  4096 Nov 22 20:00 .\n-rw-r--r--  1 root root  4088 Nov 22 20:00 a.rs\n-rw-r--r--  1 root root    88 Nov 22 20:00 b.rs\n",
        "12K\tsrc\n8.0K\tsrc/a\n4.0K\tsrc/b\n16K\tsrc/c\n",
        "12\t3\tsrc/a.rs\n8\t0\tsrc/b.rs\n4\t4\tsrc/c.rs\n1\t1\tsrc/d.rs\n",
        "     12 one\n      3 two\n      1 three\n      1 four\n",
        "src/a.rs:1: use x;\nsrc/a.rs:2: use y;\nsrc/b.rs:9: fn z() {}\n",
        "- one\n- two\n- three\n",
        "# Title\n\nText, with commas.\n\n- a: b\n- c: d\n",
        " a.rs | 2 +-\n b.rs | 14 ++++\n c.rs | 3 ---\n 3 files changed\n",
        "<!doctype html><html><body><p>a</p><p>b</p><p>c</p></body></html>",
        "<html><body><p>a</p><p>b</p><p>c</p></body></html>",
        "<p>Some <b>bold</b> text</p>\n<p>More</p>\n<p>More</p>",
        "# Heading\n\n[a link](x)\n",
        "```\ncode\n```\n",
    ] {
        refused(text);
    }
}

#[test]
fn a_wide_cell_that_reaches_into_the_next_column_refuses_the_table() {
    let text = |state: &str| {
        let row = |state: &str, name: &str| {
            format!(
                "0a1b2c3d4e5f   nginx:1.25   {state:<23}   {:<10}   {name}\n",
                "80/tcp"
            )
        };
        let header = "CONTAINER ID   IMAGE        STATUS                    PORTS        NAMES\n";
        let rows = ["Up 3 days", "Up 2 weeks", state, "Up 5 hours"];
        let rows = rows.iter().enumerate();
        let rows: String = rows
            .map(|(at, state)| row(state, &format!("svc-{at}")))
            .collect();
        format!("{header}{rows}")
    };
    assert!(read(&text("Exited (0) 3 days ago")).is_some());
    refused(&text("Restarting (1) 5 seconds ago"));
}

#[test]
fn tables_in_doubt_are_refused() {
    for text in [
        // No header, a ragged row, a name twice or missing, two rows.
        "1,ada,3\n2,alan,4\n3,grace,5\n4,edsger,6\n",
        "ada,admin,london\nalan,user,york\ngrace,user,bath\nedsger,user,leeds\n",
        "id,name\n1,a\n2\n3,c\n4,d\n",
        "id,name\n1,a\n2,b,c\n3,c\n4,d\n",
        "id,id\n1,a\n2,b\n3,c\n",
        "id,\n1,a\n2,b\n3,c\n",
        "id,name\n1,a\n2,b\n",
        // Quotes that RFC 4180 does not have.
        "id,name\n1,a\"b\n2,b\n3,c\n",
        "id,name\n1,\"a\"b\n2,b\n3,c\n",
        "id,name\n1,\"a\n2,b\n3,c\n",
        // More text without a blank line.
        "id,name\n1,a\n2,b\n3,c\nthat is all\n",
        "the users\nid,name\n1,a\n2,b\n3,c\n",
        "| id | name |\n| 1 | a |\n| 2 | b |\n| 3 | c |\n",
        "| id | name |\n|---|---|\n| 1 | a |\n| 2 |\n| 3 | c |\n",
        "| id | name |\n|---|---|\n| 1 | a |\n| 2 | b |\n| 3 | c\n",
        " id | name \n----+------\n  1 | a   +\n    | b\n  2 | c\n  3 | d\n",
        " id | name \n----+------\n  1 | a\n  2 | c\n  3 | d\n(4 rows)\n",
        // A cell over two columns.
        "NAME   STATUS   AGE\na      Ready    1d\nb-long-name Ready 2d\nc      Ready    3d\n",
        "Name: a\nVersion: 1\nSize: 2\n\nSize: 2\nName: b\nVersion: 2\n",
        "Name: a\nVersion: 1\nName: 2\n\nName: b\nVersion: 2\nSize: 3\n",
        "[1, 2, 3\n",
        "Two:\n{\"a\":1}\nand\n{\"b\":2}\n",
        "```json\n[1,2,3]\n```\nand\n```json\n[4,5]\n```\n",
        "<a><b>1</b><b>2</b><c/><b>3</b><b>4</b><b>5</b></a>",
        "<a><b>1</b><b>2</b><b>3</b>text</a>",
        "<a><b>1</b><b>2</b><b>&nbsp;</b></a>",
        "<a><b x='1' x='2'/><b/><b/></a>",
        "<a><!-- note --><b>1</b><b>2</b><b>3</b></a>",
        "<!DOCTYPE a><a><b>1</b><b>2</b><b>3</b></a>",
    ] {
        refused(text);
    }
}

#[test]
fn tables_that_tamis_wrote_are_not_read_again() {
    for text in [
        "3 rows\nid\tname\n1\ta\n2\tb\n3\t\"4\"\n",
        "Here:\n3 rows; in all: a 1\nid\tname\n1\ta\n2\tb\n3\tc\n",
        "{\"users\":[3 rows; empty cell: null\nid\tname\n1\ta\n2\tb\n3\tc\n]}",
        "#3 id\tname\n1\ta\n2\tb\n3\tc",
    ] {
        refused(text);
        assert!(tamis_formats::holds_own_tables(text), "{text:?}");
    }
    let said = "Query returned 3 rows:\nid\tname\n1\ta\n2\tb\n3\tc\n";
    assert!(read(said).is_some());
}

#[test]
fn depth_is_limited() {
    let json = |depth: usize| format!("Found:\n{}1, 2{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&json(128)).is_some());
    refused(&json(129));
    let xml = |depth: usize| {
        let (open, close) = ("<a>".repeat(depth), "</a>".repeat(depth));
        format!("{open}<b/><b/><b/>{close}")
    };
    assert!(read(&xml(62)).is_some());
    refused(&xml(63));
}

#[test]
fn hostile_texts_are_survived() {
    for text in [
        "[".repeat(1 << 20),
        "(".repeat(1 << 20),
        "<a>".repeat(1 << 18),
        "<a ".repeat(1 << 18),
        "{\"a\":".repeat(1 << 18),
        "a,".repeat(1 << 18),
        "a,b\n".repeat(1 << 18),
        "|".repeat(1 << 20),
        "| a |\n|---|\n".repeat(1 << 16),
        "+-".repeat(1 << 18),
        "A  B\n".repeat(1 << 16),
        "\n".repeat(1 << 20),
        "\"".repeat(1 << 20),
        "k: v\n".repeat(1 << 16),
        "\u{2502}".repeat(1 << 16),
        format!("a\tb\n{}", "\"\t".repeat(1 << 18)),
        format!("{}\n{}\n", "A".repeat(3_000), "-+-".repeat(2_000)),
    ] {
        refused(&text);
    }
}

/// A table of HTML is read under the names of its columns, so it is no XML, as long as it has a cell for each column.
#[test]
fn a_table_of_html_is_a_part_of_a_page() {
    let table = |head: &str, name: &str| {
        let rows: String = (0..9)
            .map(|at| format!("<tr><td>svc-{at}</td><td>{at}</td></tr>\n"))
            .collect();
        format!("<{name} border=\"1\">\n{head}{rows}</{name}>\n")
    };
    let head = "<tr><th align=\"center\">Name</th><th>Hours</th></tr>\n";
    refused(&table(head, "table"));
    let wide = "<tr><th colspan=\"2\">Name</th></tr>\n";
    for text in [
        table(head, "hours"),
        table(wide, "table"),
        table("", "table"),
    ] {
        assert!(read(&text).is_some(), "{text}");
    }
}
