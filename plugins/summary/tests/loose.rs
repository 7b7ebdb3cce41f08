//! Texts that hold data with flaws: what is no data is told too.

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(text: &str) -> String {
    let bench: Bench<Summary> = Bench::new(json!({"tables": false}));
    let applied = bench.apply(text);
    assert!(applied.changed, "{text}");
    applied.text().to_owned()
}

#[track_caller]
fn tells(text: &str, parts: &[&str]) {
    let summary = summary(text);
    for part in parts {
        assert!(summary.contains(part), "no {part:?} in {summary}");
    }
}

#[test]
fn cut_json_is_told_as_its_whole_rows() {
    let row = |i: usize| {
        let state = if i == 77 { "disputed" } else { "paid" };
        json!({"id": i, "state": state, "note": "some words of a customer"}).to_string()
    };
    let rows: Vec<String> = (0..200).map(row).collect();
    let text = format!(
        "{{\"total\":900,\"items\":[{},{{\"id\":200,\"sta\n… (truncated)",
        rows.join(",")
    );
    tells(
        &text,
        &[
            "Summary of cut JSON, whole up to $.items[199], ",
            "(truncated)",
            "$.items: 200 rows",
            "disputed 1 at [77]",
        ],
    );
}

#[test]
fn a_failure_below_cut_json_is_told_with_it() {
    let row =
        |i: usize| json!({"id": i, "state": if i == 7 { "disputed" } else { "paid" }}).to_string();
    let rows: Vec<String> = (0..190).map(row).collect();
    let head = format!(
        "Contents of https://a.test/orders:\n[{}, {{\"id\": 190, \"sta",
        rows.join(", ")
    );
    let note = "<error>Content truncated. Call the fetch tool with a start_index of 5000 to get more content.</error>";
    tells(
        &format!("{head}\n\n{note}"),
        &[
            "cut JSON, whole up to $[189], ",
            "$: 190 rows",
            "disputed 1 at [7]",
            note,
        ],
    );
    // One that is not shown hides no row.
    let long = "some words of a long line ".repeat(20);
    let hidden = summary(&format!("{head}\nERROR: the disk is full\n{long}\n{note}"));
    assert!(
        !hidden.contains("cut JSON") && hidden.contains("the disk is full"),
        "{hidden}"
    );
}

#[test]
fn json_without_its_middle_is_told_on_both_sides() {
    let row = |i: usize| {
        let state = if i == 177 { "disputed" } else { "paid" };
        json!({"id": i, "state": state, "note": "some words"})
    };
    let rows: Vec<serde_json::Value> = (0..200).map(row).collect();
    let without = |text: String, gap: &str| {
        let (head, tail) = (text.len() / 3, text.len() * 2 / 3);
        [&text[..head], gap, &text[tail..]].concat()
    };
    let gap = "\n... [9000 characters truncated] ...\n";
    let text = without(json!(rows).to_string(), gap);
    let told = [
        "whole up to $[66] and again from $[67], ",
        "line 2 is no data: ... [9000 characters truncated] ...",
    ];
    tells(&text, &told);
    tells(
        &text,
        &["$: 132 rows", "disputed 1 at [109]", "no data: {\"id\":67,"],
    );
    let object = json!({"results": rows, "total": 200});
    let text = without(format!("{object:#}"), gap);
    tells(
        &text,
        &[
            "and again from $.tail.rows[0], ",
            "$.head.results: 6",
            "$.tail.rows: 6",
            "tail.total: 200",
        ],
    );
}

#[test]
fn lines_that_are_no_rows_are_told() {
    let row = |i: usize| format!("{i},Customer {i},{}.50", 10 + i * 3 % 400);
    let mut lines: Vec<String> = (0..200).map(row).collect();
    lines[150] = "150,broken".to_owned();
    let text = format!("id,customer,total\n{}\n", lines.join("\n"));
    tells(
        &text,
        &[
            "CSV, 199 rows",
            "line 152 is no row: 150,broken\n",
            "$: 199 rows",
        ],
    );
    for at in [20, 40, 60, 80] {
        lines[at] = format!("{at},broken");
    }
    let text = format!("id,customer,total\n{}\n", lines.join("\n"));
    tells(
        &text,
        &[
            "line 22 is no row: 20,broken\n",
            " and 1 more line that is no row",
        ],
    );
    // Those unlike the others are shown first.
    lines[100] = "100,quarantined".to_owned();
    lines[120] = "-99999,broken".to_owned();
    let text = format!("id,customer,total\n{}\n", lines.join("\n"));
    tells(
        &text,
        &[
            "line 22 is no row: 20,broken\n",
            "line 102 is no row: 100,quarantined\n",
            "line 122 is no row: -99999,broken\n",
            " and 3 more lines that are no row",
        ],
    );
}

#[test]
fn each_piece_of_a_text_is_a_table() {
    let row = |i: usize| {
        let state = if i == 33 { "down" } else { "up" };
        format!("| host-{i} | {state} |")
    };
    let rows: Vec<String> = (0..300).map(row).collect();
    let hosts = format!("| Host | State |\n|---|---|\n{}\n", rows.join("\n"));
    let items: Vec<_> = (0..60)
        .map(|i| json!({"id": i, "note": "some words"}))
        .collect();
    let text = format!(
        "## Hosts\n\n{hosts}\nAll is well.\n\n## Raw\n```json\n{}\n```\n",
        json!(items)
    );
    tells(
        &text,
        &[
            "Summary of text in parts, ",
            "$.Hosts: 300 rows",
            "down 1 at [33]",
            "line 306 is no data: All is well.",
            "$.Raw: 60 rows",
        ],
    );
}

#[test]
fn comments_are_told_beside_the_data() {
    let service = |i: usize| {
        let replicas = if i == 22 { 50 } else { 2 };
        format!(
            "service{i}:\n  # see below\n  image: &img{i}\n    tag: \"1.0\"\n  replicas: {replicas}\n  copy: *img{i}\n"
        )
    };
    let services: String = (0..80).map(service).collect();
    tells(
        &format!("# values of all services\n{services}"),
        &[
            "Summary of YAML, ",
            "81 comments\n",
            "replicas: 2 79, 50 1 at .service22",
        ],
    );
}

#[test]
fn a_comment_of_note_is_shown_and_hides_no_data() {
    let service = |i: usize| {
        let note = match i {
            4 => "Error: the replicas are unknown",
            9 => "TODO: remove after the move",
            _ => "the image of the service",
        };
        format!("service{i}:\n  # {note}\n  image: img{i}\n  replicas: 2\n")
    };
    let services: String = (0..80).map(service).collect();
    tells(
        &services,
        &[
            "Summary of YAML, ",
            "80 comments, some of note, first a line that looks like a failure:\n line 18: # Error: the replicas are unknown\n line 38: # TODO: remove after the move\n",
            "replicas=2",
        ],
    );
}

#[test]
fn a_first_row_whose_cells_recur_below_is_no_header() {
    let names = ["alice", "bob", "carol"];
    let row = |i: usize| format!("{},berlin,{i}\n", names[i % 3]);
    let rows: String = (1..300).map(row).collect();
    let applied = Bench::<Summary>::new("{}").apply(&format!("alice,berlin,none\n{rows}"));
    assert!(
        applied.text().contains("text, 300 lines"),
        "{}",
        applied.text()
    );
    let header = format!("name,city,visits\n{rows}");
    tells(&header, &["CSV, 299 rows", " name: "]);
}

#[test]
fn a_short_comment_with_a_word_of_failures_is_shown_before_the_data() {
    let item = |i: usize| format!("<item id=\"{i}\"><name>Item {i}</name></item>\n");
    let items: String = (0..200).map(item).collect();
    let comment = "<!-- exported with errors: 3 items skipped -->";
    let text = format!("<?xml version=\"1.0\"?>\n{comment}\n<catalog>\n{items}</catalog>\n");
    tells(
        &text,
        &["errors: 3 items skipped", "$.catalog.item: 200 rows"],
    );
}

#[test]
fn few_documents_are_told_by_their_members() {
    let page = |page: usize| {
        let row = |i: usize| {
            let state = if (page, i) == (1, 33) { "lost" } else { "ok" };
            json!({"id": page * 60 + i, "state": state, "note": "some words of a row"})
        };
        json!({"page": page, "rows": (0..60).map(row).collect::<Vec<_>>()})
    };
    let other = json!({"warnings": ["the index is corrupt"], "took": 12});
    for (count, title) in [(2, "JSON lines, 2 rows"), (3, "JSON lines, 3 rows")] {
        let pages: Vec<String> = (0..count).map(|i| page(i).to_string()).collect();
        let told = ["state: ok", "lost 1 at [1].rows[33]", title];
        tells(&pages.join("\n"), &told);
    }
    let text = [page(0), page(1), other]
        .map(|it| it.to_string())
        .join("\n");
    let told = ["lost 1 at [1].rows[33]", "the index is corrupt"];
    tells(&text, &told);
    let text = (0..90).map(|i| {
        format!(
            "{:#}\n",
            json!({"id": i, "ok": i != 44, "note": "some words of it"})
        )
    });
    let told = [
        "Summary of JSON documents, ",
        "$: 90 rows",
        "false 1 at [44]",
    ];
    tells(&text.collect::<String>(), &told);
}

#[test]
fn a_name_that_occurs_twice_is_told() {
    let row = |i: usize| {
        let state = if i == 77 { "banned" } else { "ok" };
        format!(
            "{i},\"{}5,683.93\",{},{}%,{}/10/2026,{state}",
            1 + i % 9,
            i + 700,
            i % 50,
            1 + i % 12
        )
    };
    let rows: Vec<String> = (0..200).map(row).collect();
    let text = format!("id,Amount,id,Rate,When,state\n{}\n", rows.join("\n"));
    tells(
        &text,
        &[
            "Summary of CSV, 200 rows, ",
            "\na name that occurs again has a number here: id_2 for id\n",
            " id 0..199\n",
            " id_2 700..899\n",
            "banned 1 at [77]",
        ],
    );
}

#[test]
fn a_name_that_occurs_twice_is_told_of_a_table_in_a_page() {
    let rows: String = (0..40)
        .map(|i| format!("| {i} | user {i} | {} |\n", i + 70))
        .collect();
    let words = "Some words of a page that say nothing of the table.\n".repeat(40);
    let text = format!("# Users\n\n{words}\n| id | name | id |\n|---|---|---|\n{rows}\n{words}");
    tells(
        &text,
        &[
            "table in lines 44-85:\na name that occurs again has a number here: id_2 for id\n",
            " id_2 70..109\n",
        ],
    );
}

#[test]
fn like_pieces_are_told_as_one_table() {
    let piece = |host: usize| {
        let row = |at: usize| {
            let state = if (host, at) == (19, 7) {
                "zombie"
            } else {
                "running"
            };
            format!(
                "{:<6} root   {state:<8} {}M\n",
                100 + host * 50 + at,
                7 * at + 1
            )
        };
        let rows: String = (0..15).map(row).collect();
        format!(
            "Host: web{host}\nUptime: {} days\n\nPID    USER   STATE    MEM\n{rows}\n",
            host / 2
        )
    };
    let text: String = (0..20).map(piece).collect();
    tells(
        &text,
        &[
            "$: 20 entries by key\n",
            " [] 15 each, 300 in all\n",
            " [*].STATE: running 299, zombie 1 at [\"Host: web19\"][7]\n",
            "\"query\":\"SELECT … FROM rows\"",
        ],
    );
    // The read tool calls the list of that name so.
    let summary = summary(
        &text
            .replace("Host: web7\n", "Host: a.rows\n")
            .replace("Host: ", "## "),
    );
    assert!(summary.contains("zombie 1 at .web19[7]"), "{summary}");
    assert!(!summary.contains("SELECT"), "{summary}");
}

#[test]
fn rows_that_a_table_leaves_out_are_told() {
    let row = |i: usize| format!("│ {i:>5} │ {:<100} │\n", format!("user {i}"));
    let rows = |range: std::ops::Range<usize>| range.map(row).collect::<String>();
    let dots = format!("│     · │ {:<100} │\n", "·").repeat(3);
    let rule = "─".repeat(102);
    let text = format!(
        "┌───────┬{rule}┐\n│  id   │ {:<100} │\n│ int64 │ {:<100} │\n├───────┼{rule}┤\n{}{dots}{}└───────┴{rule}┘\n  1200 rows (40 shown)   2 columns\n",
        "name",
        "varchar",
        rows(0..20),
        rows(1180..1200)
    );
    tells(
        &text,
        &[
            "Summary of table, 40 rows, ",
            "\nafter: 1200 rows (40 shown)",
            "\nlines 25-27 stand for rows that are left out\n",
            " id 0..1199\n",
        ],
    );
}

/// A table of columns as `kubectl` prints it, of which one row is unlike the others.
fn pods(rows: usize) -> String {
    let row = |i: usize| {
        let state = if i == 77 { "Evicted" } else { "Running" };
        let name = format!("web-{i}");
        format!("production    {name:<12}1/1     {state:<10}{}d\n", i % 90)
    };
    let rows: String = (0..rows).map(row).collect();
    format!("NAMESPACE     NAME        READY   STATUS    AGE\n{rows}")
}

#[test]
fn a_line_of_a_shell_above_or_below_columns_is_told_and_is_no_row() {
    let told = [
        "Summary of columns, 240 rows, ",
        "$: 240 rows",
        "Evicted 1 at [77]",
    ];
    for above in [
        "$ kubectl get pods -A",
        "=== pods ===",
        "user@host:~$ kubectl get pods",
    ] {
        let text = format!("{above}\n{}", pods(240));
        tells(&text, &told);
        tells(&text, &[&format!("\nbefore: {above}\n")]);
    }
    for below in [
        "[exit 0]",
        "... 120 more lines",
        "user@host:~$",
        "OK",
        "Exit status: 0",
    ] {
        let text = format!("{}{below}\n", pods(240));
        tells(&text, &told);
        tells(&text, &[&format!("\nafter: {below}\n")]);
    }
}

#[test]
fn a_fence_or_a_tag_around_a_table_is_no_row() {
    let told = ["Summary of columns, 240 rows, ", "Evicted 1 at [77]"];
    for title in ["Pods:\n", "$ kubectl get pods\n\n", "$ kubectl get pods\n"] {
        tells(&format!("Found:\n\n```\n{title}{}```\n", pods(240)), &told);
    }
    let text = format!(
        "<returncode>1</returncode>\n<output>\n{}</output>\n",
        pods(240)
    );
    tells(&text, &told);
    tells(&text, &["\nbefore: <returncode>1</returncode> <output>\n"]);
}

#[test]
fn json_in_tags_is_told_as_its_rows() {
    let row = |i: usize| {
        let state = if i == 77 { "disputed" } else { "paid" };
        json!({"id": i, "state": state, "note": "some words of a customer"})
    };
    let rows = json!((0..200).map(row).collect::<Vec<_>>());
    for (before, after) in [
        ("<returncode>1</returncode>\n<output>\n", "\n</output>\n"),
        ("<stdout>\n", "\n</stdout>\n<stderr>\n</stderr>\n"),
        (
            "<result>\n<name>bash</name>\n<output>",
            "</output>\n</result>\n",
        ),
        ("<file path=\"orders.json\">\n", "\n</file>\n"),
    ] {
        let text = format!("{before}{rows}{after}");
        tells(
            &text,
            &["Summary of JSON", "$: 200 rows", "disputed 1 at [77]"],
        );
    }
}

#[test]
fn a_table_of_which_the_middle_is_left_out_is_told_as_one() {
    let lines: Vec<String> = pods(300).lines().map(str::to_owned).collect();
    let note = "... [40 lines truncated] ...";
    let (head, tail) = (lines[..121].join("\n"), lines[161..].join("\n"));
    let text = format!("{head}\n\n{note}\n\n{tail}\n");
    let told = [
        "Summary of columns, 260 rows, ",
        "\nline 123 is no row: ... [40 lines truncated] ...\n",
        "Evicted 1 at [77]",
    ];
    tells(&text, &told);
    let rule = "+------+----------+---------+\n";
    let row = |i: usize| {
        let state = if i == 150 { "zombie" } else { "ok" };
        format!(
            "| {i:<4} | {:<8} | {state:<7} |\n{rule}",
            format!("user_{i}")
        )
    };
    let rows: Vec<String> = (0..240).map(row).collect();
    let head = format!(
        "{rule}| id   | name     | state   |\n{}",
        rule.replace('-', "=")
    );
    let note = "…(2,012 chars omitted)…";
    let (above, below) = (rows[..100].concat(), rows[140..].concat());
    let text = format!(
        "Users report\n\n{head}{}\n\n{note}\n\n{}",
        &above[..above.len() - 40],
        &below[70..]
    );
    tells(
        &text,
        &["Summary of table, 197 rows, ", note, "zombie 1 at ["],
    );
}

#[test]
fn a_table_that_a_server_cut_is_told_with_the_note() {
    let rule = "+------+----------+---------+\n";
    let row = |i: usize| {
        let state = if i == 150 { "zombie" } else { "ok" };
        format!("| {i:<4} | {:<8} | {state:<7} |\n", format!("user_{i}"))
    };
    let rows: String = (0..240).map(row).collect();
    let text = format!("{rule}| id   | name     | state   |\n{rule}{rows}");
    let note = "... [output truncated, 74 more lines]";
    tells(
        &format!("{text}{note}\n"),
        &[
            "Summary of table, 240 rows, ",
            &format!("\nafter: {note}\n"),
            "zombie 1 at [150]",
        ],
    );
    tells(
        &format!("{text}| 240  | use<response clipped>"),
        &[
            "Summary of table, 240 rows, ",
            "\nafter: | 240  | use<response clipped>\n",
        ],
    );
}

#[test]
fn a_small_table_beside_a_large_one_is_told() {
    let mut text = String::from(
        "   status   | count \n------------+-------\n paid       |  1305\n chargeback |     1\n shipped    |  1064\n pending    |   440\n cancelled  |   190\n(5 rows)\n\n id  |        name        |              email               | country |        created         | tags  |                prefs                \n-----+--------------------+----------------------------------+---------+------------------------+-------+-------------------------------------\n",
    );
    for at in 0..150 {
        let (name, email) = (format!("Name {}", at * 7), format!("name.{at}@example.com"));
        let country = ["SE", "GB", "DE", "FR", "US", "NL"][at % 6];
        let (day, tag) = (1 + at % 28, ["b2b", "vip", "new"][at % 3]);
        let lang = ["en", "de"][at % 2];
        text.push_str(&format!(" {at:>3} | {name:<18} | {email:<32} | {country}      | 2025-06-{day:02} 10:01:00+00 | {{{tag}}} | {{\"lang\": \"{lang}\", \"newsletter\": false}}\n"));
    }
    text.push_str("(150 rows)\n");
    let shown = [
        "text in parts",
        "\n$[\"part 1\"]: 5 rows\n",
        "\n chargeback|1\n",
        "$[\"part 2\"]: 150 rows",
    ];
    tells(&text, &shown);
}

#[test]
fn small_tables_beside_a_large_one_have_their_names_and_lines() {
    let mut text = String::from(
        "                Table \"public.orders\"\n   Column    |  Type   | Nullable \n-------------+---------+----------\n id          | integer | not null \n customer_id | integer |          \n total       | numeric |          \nIndexes:\n    \"orders_pkey\" PRIMARY KEY, btree (id)\nForeign-key constraints:\n    \"orders_customer_id_fkey\" FOREIGN KEY (customer_id) REFERENCES customers(id)\nAccess method: heap\n\n id  |        name        | country \n-----+--------------------+---------\n",
    );
    for at in 0..150 {
        let (name, country) = (format!("Name {}", at * 7), ["SE", "GB", "DE"][at % 3]);
        text.push_str(&format!(" {at:>3} | {name:<18} | {country}\n"));
    }
    text.push_str("(150 rows)\n");
    tells(
        &text,
        &["$.rows: 150 rows", "\nsmall tables: orders in lines 2-6\n"],
    );
}

#[test]
fn headings_that_all_repeat_are_told_once() {
    let mut text = String::new();
    for day in 0..200 {
        text.push_str(&format!("---\ntags: [daily]\n---\n# 2026-{}\n\n## Tasks\n- [x] call {day}\n\n## Notes\nMet with somebody about a thing of day {day}, and wrote to others.\n\n", day + 1));
        if day == 77 {
            text.push_str("## Incident\nNobody slept.\n\n");
        }
    }
    let shown = [
        "\n402 headings, 4 different; times, first and last line:\n4: # 2026-1\n200x 6..2198: ## Tasks\n200x 9..2201: ## Notes\n",
        "\n859: ## Incident\n",
    ];
    tells(&text, &shown);
}
