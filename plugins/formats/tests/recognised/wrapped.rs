//! Data between the lines of another program: a command, tags, a fence, how a command ended, a note of the server.

use crate::check;
use tamis_formats::{Format, read, read_loosely};

const PODS: &str = "NAME       READY   STATUS    AGE\nweb-1      1/1     Running   5d\nweb-2      0/1     Pending   5d\ndb         1/1     Running   61d\n";

const PODS_JSON: &str = r#"[{"NAME":"web-1","READY":"1/1","STATUS":"Running","AGE":"5d"},{"NAME":"web-2","READY":"0/1","STATUS":"Pending","AGE":"5d"},{"NAME":"db","READY":"1/1","STATUS":"Running","AGE":"61d"}]"#;

const FRAME: &str = "+----+-------+\n| id | name  |\n+----+-------+\n|  1 | a     |\n| 20 |       |\n|  3 | c     |\n+----+-------+\n";

const FRAME_JSON: &str = r#"[{"id":1,"name":"a"},{"id":20,"name":""},{"id":3,"name":"c"}]"#;

const LIST: &str = r#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"}]"#;

/// Lines that programs write directly below an output.
const BELOW: [&str; 18] = [
    "[exit 0]",
    "$ ",
    "user@host:~$ ",
    "[root@db1 ~]# ",
    "Exit status: 0",
    "exit_code=0",
    "Done in 0.42s.",
    "real    0m0.512s\nuser    0m0.3s",
    "OK",
    "(END)",
    "...",
    "... 120 more lines",
    "… +120 lines (ctrl+o to expand)",
    "[output truncated]",
    "[truncated: showing 100 of 5000 lines]",
    "... [output truncated, 74 more lines]",
    "warning: 2 rows were skipped",
    "[exit 0]\nuser@host:~$ ",
];

/// Lines that programs write directly above an output.
const ABOVE: [&str; 13] = [
    "$ kubectl get pods -A -o wide",
    "> kubectl get pods",
    "+ kubectl get pods",
    "me@host:~/src$ kubectl get pods",
    "=== pods ===",
    "--- pods ---",
    "==> pods <==",
    "## Pods",
    "**Pods**",
    "/home/me/pods.txt",
    "Exit code: 0",
    "[INFO] Connected to db1",
    "Here is the table.",
];

#[track_caller]
fn is(text: &str, format: Format, json: &str, around: (&str, &str)) {
    let data = read(text).unwrap_or_else(|| panic!("nothing in {text:?}"));
    assert_eq!((data.format, &*data.json), (format, json), "{text}");
    assert_eq!((data.text_before(), data.text_after()), around, "{text}");
    check(text, &data);
}

#[test]
fn lines_below_a_table_are_no_rows() {
    for below in BELOW {
        let after = format!("\n{below}\n");
        is(
            &format!("{PODS}{below}\n"),
            Format::Columns,
            PODS_JSON,
            ("", &after),
        );
        is(
            &format!("{FRAME}{below}\n"),
            Format::Box,
            FRAME_JSON,
            ("", &after),
        );
    }
}

#[test]
fn a_list_of_processes_ends_above_a_line_of_a_shell() {
    let ps = "    PID TTY          TIME CMD\n      1 ?        00:00:04 init --a b\n   2031 pts/0    00:00:00 [kthreadd]\n  20310 pts/0-long    00:00:00 ps\n";
    let data = |text: &str| read(text).map(|data| data.rows.len());
    assert_eq!(data(ps), Some(3));
    assert_eq!(data(&format!("{ps}[exit 0]\n")), Some(3));
    assert_eq!(
        data(&format!("{ps}[exit 0]\n  20311 pts/0    00:00:00 sh\n")),
        None
    );
}

#[test]
fn rows_of_one_cell_stay_rows() {
    let rows = |text: &str| read(text).map(|data| data.rows.len());
    let last = |line: &str| rows(&format!("{PODS}{line}\n"));
    // Names that a shell may write too, as only the first cell.
    assert_eq!(last("sr0"), Some(4));
    assert_eq!(last("okay"), Some(4));
    // A row whose first cell looks so.
    assert_eq!(last("[exit 0]   1/1     Running   61d"), Some(4));
    // Other rows have one cell too.
    let disks =
        "NAME       FSTYPE   LABEL\nsda\nsda1       ext4     root\nsdb\nsdb1       ext4     data\n";
    assert_eq!(rows(disks), Some(4));
    for line in ["OK", "[exit 0]"] {
        let text = format!("{disks}{line}\n");
        assert_eq!(read_loosely(&text), None, "{text}");
    }
    assert_eq!(rows(&format!("{disks}... 20 more lines\n")), Some(4));
    // Rows below the line.
    let cut = format!("{PODS}... 20 more lines\nweb-3      1/1     Running   61d\n");
    assert_eq!(rows(&cut), None);
}

#[test]
fn lines_above_a_table_may_be_of_another_program() {
    for above in ABOVE {
        let before = format!("{above}\n");
        is(
            &format!("{above}\n{PODS}"),
            Format::Columns,
            PODS_JSON,
            (&before, "\n"),
        );
    }
    // The upper part of a header, and words above names that are not in capitals.
    assert_eq!(read(&format!("           OF ALL  OF ALL\n{PODS}")), None);
    assert_eq!(read(&format!("The pods\n{}", PODS.to_lowercase())), None);
    // The first row may be any row where those above it are left out.
    assert_eq!(
        read("... 20 lines omitted ...\nid,name\n1,a\n2,b\n3,c\n"),
        None
    );
}

#[test]
fn tags_may_be_around_data() {
    for (before, after) in [
        ("<output>\n", "\n</output>\n"),
        ("<returncode>1</returncode>\n<output>\n", "\n</output>\n"),
        ("<stdout>\n", "\n</stdout>\n<stderr>\n</stderr>\n"),
        (
            "<result>\n<name>bash</name>\n<output>\n",
            "\n</output>\n</result>\n",
        ),
    ] {
        for (data, format, json) in [
            (LIST, Format::Json, LIST),
            (PODS, Format::Columns, PODS_JSON),
            (FRAME, Format::Box, FRAME_JSON),
        ] {
            let text = format!("{before}{}{after}", data.trim_end());
            is(&text, format, json, (before, after));
        }
    }
    let (before, after) = (
        "<result>\n<name>bash</name>\n<output>",
        "</output>\n</result>\n",
    );
    is(
        &format!("{before}{LIST}{after}"),
        Format::Json,
        LIST,
        (before, after),
    );
    for (before, after) in [
        ("<output>\n", "\n</result>\n"),
        ("<output>\n", "\n</output>\n<output>\n"),
        ("<result>\n<output>\n", "\n</result>\n</output>\n"),
        ("<p>one</p>\n<output>\n", "\n</output>\n"),
        ("<output>", "</result>\n"),
    ] {
        assert_eq!(
            read(&format!("{before}{LIST}{after}")),
            None,
            "{before} {after}"
        );
    }
}

#[test]
fn a_fence_ends_the_data_wherever_it_began() {
    for title in [
        "Pods:\n",
        "$ kubectl get pods\n\n",
        "$ kubectl get pods\n",
        "  Pods\n",
        "",
    ] {
        let before = format!("Found:\n\n```\n{title}");
        is(
            &format!("{before}{PODS}```\n"),
            Format::Columns,
            PODS_JSON,
            (&before, "\n```\n"),
        );
        is(
            &format!("{before}{FRAME}```\n"),
            Format::Box,
            FRAME_JSON,
            (&before, "\n```\n"),
        );
    }
    is(
        &format!("Pods:\n\n{PODS}```\n"),
        Format::Columns,
        PODS_JSON,
        ("Pods:\n\n", "\n```\n"),
    );
    let before = "## stdout\n\n```\n";
    let after = "\n```\n\n## stderr\n\n```\nsomething is deprecated\n```\n";
    is(
        &format!("{before}{LIST}{after}"),
        Format::Json,
        LIST,
        (before, after),
    );
    let more = after.replace("something is deprecated", "[1, 2, 3]");
    assert_eq!(read(&format!("{before}{LIST}{more}")), None);
    assert_eq!(read(&format!("{before}{LIST}\n```\n\n```\nwords\n")), None);
}

#[test]
fn a_text_that_is_wrapped_is_read_loosely() {
    let yaml = "- id: 1\n  name: a\n- id: 2\n  name: b\n- id: 3\n  name: c\n";
    for (before, after) in [
        ("$ cat users.yaml\n", ""),
        ("# Users\n$ cat users.yaml\n", "Exit code: 0\n"),
        ("Exit code: 0\nWall time: 3.2 seconds\n", "[exit 0]\n"),
        ("<file path=\"users.yaml\">\n", "</file>\n"),
        (
            "<document index=\"1\">\n<source>users.yaml</source>\n<document_content>\n",
            "</document_content>\n</document>\n",
        ),
        ("```yaml\n", "```\n"),
    ] {
        let text = format!("{before}{yaml}{after}");
        let data = read_loosely(&text).unwrap_or_else(|| panic!("nothing in {text}"));
        assert_eq!((data.format, &*data.json), (Format::Yaml, LIST), "{text}");
        assert_eq!(data.text_before(), before);
        assert_eq!(data.text_after().trim_start(), after);
        check(&text, &data);
    }
    for (before, after) in [
        ("<file path=\"users.yaml\">\n", ""),
        ("<file path=\"users.yaml\">\n", "</files>\n"),
        ("<div id=\"users\">\n", "</div>\n"),
        ("```yaml\n", ""),
        ("Words about it.\n", ""),
    ] {
        let text = format!("{before}{yaml}{after}");
        assert_eq!(read_loosely(&text), None, "{text}");
    }
}

#[test]
fn a_number_of_rows_is_no_row() {
    let rows = |line: &str| {
        let row = |at: usize| format!("2024-01-{:02} 10:36:00  web\n", at + 1);
        let rows: String = (0..20).map(row).collect();
        let text = format!("created              state\n{rows}{line}\n");
        read(&text).map(|data| data.rows.len())
    };
    assert_eq!(rows("20 rows"), Some(20));
    // Other numbers may be cells.
    assert_eq!(rows("21 rows"), Some(21));
}

#[test]
fn a_line_of_a_log_between_rows_refuses_the_table() {
    let text = |line: &str| {
        let row =
            |at: usize| format!("web-{at:<3}    2024-01-02 10:36:00    630 MB      ok       7d\n");
        let rows = |from: usize| (from..from + 20).map(row).collect::<String>();
        let names = "name       started                size        state    age\n";
        format!("{names}{}{line}{}", rows(0), rows(20))
    };
    let rows = |line: &str| read_loosely(&text(line)).map(|data| data.rows.len());
    assert_eq!(rows(""), Some(40));
    assert_eq!(rows("2024-01-01 10:00:00 INFO started\n"), None);
}
