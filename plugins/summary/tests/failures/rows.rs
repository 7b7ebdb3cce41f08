//! Failures in rows and members of data.

use serde_json::{Value, json};

use crate::{among, assert_found, summary, words};

#[test]
fn a_message_unlike_the_others_of_a_column() {
    let document = rows(200, |at| {
        let message = match at {
            111 => "ERROR: connection refused by db-3".to_owned(),
            at => format!("{} {at}", words(at)),
        };
        json!({"id": at, "message": message})
    });
    let summary = summary(&Value::Array(document).to_string());
    assert!(
        summary.contains("ERROR: connection refused by db-3"),
        "{summary}"
    );
}

#[test]
fn the_state_of_a_container() {
    let field = |at: usize| format!("    {}: {}", words(at).replace(' ', "-"), at % 3);
    for line in [
        "Reason: OOMKilled",
        "Reason: CrashLoopBackOff",
        "Exit Code:    137",
    ] {
        assert_found(&among(field, &format!("      {line}")), line);
    }
}

fn rows(count: usize, row: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(row).collect()
}

#[test]
fn errors_beside_data_are_told() {
    let edges = rows(
        150,
        |at| json!({"i": at, "title": words(at), "a": {"login": "x"}}),
    );
    let error = json!({
        "message": "Something went wrong while executing your query",
        "locations": [{"line": 2, "column": 3}], "path": ["search", "edges", 53],
        "extensions": {"code": "TIMEOUT"}
    });
    for count in [1, 3] {
        let errors = vec![error.clone(); count];
        let document = json!({
            "data": {"search": {"issueCount": 150, "pageInfo": {"hasNextPage": true, "endCursor": "x"}, "edges": edges}},
            "errors": errors
        });
        let summary = summary(&document.to_string());
        for part in ["Something went wrong", "TIMEOUT"] {
            assert!(
                summary.contains(part) || part == "TIMEOUT" && count == 1,
                "{part}: {summary}"
            );
        }
    }
}

#[test]
fn members_that_are_left_out_are_counted() {
    let member = |at: usize| {
        (
            format!("key_{at}"),
            if at.is_multiple_of(2) {
                json!(at)
            } else {
                json!(words(at))
            },
        )
    };
    let document: serde_json::Map<String, Value> = (0..400).map(member).collect();
    let summary = summary(&Value::Object(document).to_string());
    let told = summary
        .lines()
        .filter(|line| line.starts_with("key_"))
        .count();
    let more: usize = summary
        .lines()
        .filter_map(|line| {
            line.strip_prefix(" and ")?
                .split(' ')
                .next()?
                .parse::<usize>()
                .ok()
        })
        .sum();
    assert_eq!(told + more, 400, "{summary}");
}

#[test]
fn the_one_button_among_links() {
    let text = (0..400)
        .map(|at| match at {
            300 => "  - alert [ref=e300]: Payment failed\n".to_owned(),
            301 => "  - button \"Retry payment\" [disabled] [ref=e301]\n".to_owned(),
            at => format!("  - link \"{}\" [ref=e{}]\n", words(at), at * 7 % 1_000),
        })
        .collect::<String>();
    let summary = summary(&text);
    for part in ["Payment failed", "\"Retry payment\" disabled e301"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
}

#[test]
fn numbers_in_strings_keep_their_range_beside_other_strings() {
    let document = rows(240, |at| {
        let total = match at {
            200 => "1000000.00".to_owned(),
            203 => "NaN".to_owned(),
            at => format!("{}.{:02}", 10 + at % 80, at % 100),
        };
        json!({"id": at, "total": total, "name": words(at)})
    });
    let summary = summary(&Value::Array(document).to_string());
    let part =
        r#"239 decimals "10.00".."89.79", but "1000000.00" at [200], 1 other ("NaN") at [203]"#;
    assert!(summary.contains(part), "{part}: {summary}");
}

#[test]
fn a_value_in_lists_of_some_rows_is_not_called_missing() {
    let document = rows(100, |at| {
        let author = json!({"name": words(at), "id": at});
        let author = if at % 3 == 0 {
            json!([author, author])
        } else {
            author
        };
        json!({"title": words(at * 3), "author": author})
    });
    let summary = summary(&Value::Array(document).to_string());
    assert!(!summary.contains("(missing)"), "{summary}");
    assert!(
        summary.contains("66 objects, 34 lists of 2, 68 in all"),
        "{summary}"
    );
}

#[test]
fn a_page_of_rows_begins_after_those_that_are_shown() {
    let wide = |at: usize| {
        let members = (0..40).map(|column| {
            (
                format!("column_{column}"),
                json!(format!("{} {at}", words(at + column))),
            )
        });
        Value::Object(members.collect())
    };
    let summary = summary(&Value::Array(rows(100, wide)).to_string());
    let shown = summary.lines().find_map(|line| {
        line.trim()
            .strip_prefix("first ")?
            .split(':')
            .next()?
            .parse::<usize>()
            .ok()
    });
    let from = summary
        .split("\"rows\":\"")
        .nth(1)
        .and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
    assert_eq!(from, Some(shown.unwrap_or(0)), "{summary}");
}

#[test]
fn what_is_in_a_bad_state() {
    let section = |at: usize, state: &str| {
        let kept = words(at);
        format!("## Host {at}\n\n- **Owner:** {kept}\n- **Status:** {state}\n\n")
    };
    let page = |bad: &str| -> String {
        (0..90)
            .map(|at| section(at, if at == 57 { bad } else { "ok" }))
            .collect()
    };
    for (bad, shown) in [
        ("unreachable", "289: - **Status:** unreachable"),
        ("❌ failed", "289: - **Status:** ❌ failed"),
    ] {
        let summary = summary(&page(bad));
        assert!(summary.contains(shown), "{summary}");
    }
    let settings = |at: usize| format!("{}={}", words(at).replace(' ', ""), at % 7);
    for line in ["ActiveState=failed", "master_link_status:down"] {
        assert_found(&among(settings, line), line);
    }
}

#[test]
fn a_row_with_another_number_of_cells() {
    let line = |at: usize| format!("{at},{},{},{}", at * 7 % 50, at * 3 % 9, words(at));
    for odd in ["151,17,6", "151,17,6,page item,4"] {
        assert_found(&among(line, odd), odd);
    }
    // Commas in cells are none of the table's.
    let text: String = (0..300)
        .map(|at| {
            if at % 9 == 0 {
                format!("{},\"a, b\"\n", line(at))
            } else {
                line(at) + "\n"
            }
        })
        .collect();
    let summary = summary(&text);
    assert!(!summary.contains("like few others"), "{summary}");
}

#[test]
fn the_first_rows_of_a_report_by_weight() {
    let rows: String = (0..90)
        .map(|at| {
            let share = 31.4 / f64::from(at + 1);
            format!(
                "{share:>9.2}%  shopd  libc.so.6  [.] {}_{at}\n",
                words(at as usize).replace(' ', "_")
            )
        })
        .collect();
    let header = "# To display the header, use --header\n#\n# Samples: 81K of event 'cycles'\n#\n# Overhead  Command  Symbol\n#\n";
    let summary = summary(&format!("{header}{rows}"));
    let first = rows.lines().next().unwrap_or_default();
    assert!(summary.contains(&format!("7: {first}")), "{summary}");
    assert!(!summary.contains("To display"), "{summary}");
}

#[test]
fn a_state_in_a_table_of_a_page() {
    let row = |at: usize| match at {
        133 => "<tr><td>job-133</td><td><span class=\"s\">failed</span></td></tr>\n".to_owned(),
        at => format!("<tr><td>job-{at}</td><td>ok</td></tr>\n"),
    };
    let rows: String = (0..300).map(row).collect();
    let text = format!(
        "<!DOCTYPE html><html><head><title>Jobs</title></head><body><table><tr><th>Job</th><th>State</th></tr>{rows}</table></body></html>"
    );
    let told = summary(&text);
    assert!(told.contains("ok 299, failed 1 at [133]"), "{told}");
    assert!(told.contains(" [133] job-133|failed\n"), "{told}");
    let told = summary(&text.replace(">ok<", ">failed<"));
    assert!(!told.contains("[133]"), "{told}");
    // A table that is no data, because of a note over both columns.
    let note = "<tr><td colspan=2>all jobs</td></tr>";
    let told = summary(&text.replace("</table>", &format!("{note}</table>")));
    assert!(told.contains("row 135: job-133 | failed\n"), "{told}");
}

#[test]
fn large_tables_of_a_page_take_no_room_from_failures() {
    let table = |rows: usize, failing: usize| {
        let row = |at: usize| {
            let state = if at == failing { "failed" } else { "ok" };
            format!("<tr><td>job-{rows}-{at}</td><td>{state}</td></tr>")
        };
        let rows: String = (0..rows).map(row).collect();
        format!("<table><tr><th>Job</th><th>State</th></tr>{rows}</table>\n")
    };
    let tables = [
        table(60, 60),
        table(4, 1),
        table(50, 50),
        table(5, 2),
        table(40, 40),
        table(30, 27),
        table(20, 20),
    ];
    let tables = tables.concat();
    let text = format!(
        "<!DOCTYPE html><html><head><title>Jobs</title></head><body>{tables}</body></html>"
    );
    let told = summary(&text);
    for row in ["job-4-1", "job-5-2", "job-30-27"] {
        assert!(told.contains(&format!("{row} | failed\n")), "{told}");
    }
    assert!(
        told.contains(" and 1 more table, in which odd values are not looked for\n"),
        "{told}"
    );
    assert!(!told.contains("look like failures"), "{told}");
}

#[test]
fn members_that_say_what_is_wrong_come_first() {
    let rows = |of: Value| {
        let row = |at: usize| {
            let mut row = json!({"client": format!("10.1.0.9:{}", 50_000 + at), "packets": at % 7, "syn": 2 + usize::from(at == 55),
                "ack": usize::from(at != 55), "rst": usize::from(at == 55), "fin": usize::from(at != 55), "kept": usize::from(at == 55),
                "why": if at == 55 { "reset" } else { "active" }, "state": if at == 55 { "closed" } else { "active" }});
            let (row_of, of) = (row.as_object_mut(), of.as_object().cloned());
            if let (Some(row), Some(of)) = (row_of, of) {
                row.extend(of);
            }
            row
        };
        (0..160).map(row).collect::<Vec<_>>()
    };
    let text = json!({
        "file": "/srv/data/network/captures/of/the/day/net.pcap",
        "analysed": "2026-11-28T09:03:57.728739",
        "total_packets": 1399,
        "packets_found": 399,
        "filter": {"server_ip": null, "server_port": null},
        "summary": {"total": 80, "good_handshakes": 0, "failed_handshakes": 80, "reset": 1, "checksum_errors": 0, "normal": 79},
        "issues": ["1 connection that ended early", "80 handshakes without an end"],
        "problems": [],
        "missing": null,
        "connections": rows(json!({"handshake_completed": false})),
    });
    let told = summary(&text.to_string());
    for part in [
        "summary.failed_handshakes: 80\n",
        "issues: [\"1 connection that ended early\",\"80 handshakes without an end\"]",
        " constant: handshake_completed=false\n",
    ] {
        assert!(told.contains(part), "{part:?} is not told:\n{told}");
    }
    for part in ["problems", "missing", "checksum_errors"] {
        assert!(!told.contains(part), "{part:?} is told:\n{told}");
    }
    for flag in ["ok", "healthy", "isReady", "valid", "success"] {
        let of = |value: bool| summary(&json!(rows(json!({ flag: value }))).to_string());
        let (bad, good) = (of(false), of(true));
        assert!(bad.contains(&format!(" constant: {flag}=false\n")), "{bad}");
        assert!(
            !good.contains(&format!("\n constant: {flag}=true\n {}", "state")),
            "{good}"
        );
    }
}

#[test]
fn a_page_of_many_headings_is_told_by_its_records() {
    let task = |at: usize| {
        let more = if at == 33 {
            " BLOCKED by the legal department."
        } else {
            ""
        };
        format!(
            "### Migrate module {at}\n\n**ID:** `{}`\n\n**Description:** Move module {at} to the new build.{more}\n\n\n\n**Dependencies:** none\n\n**Creation Time:** Sun Nov 29 2026\n\n\n",
            words(at).replace(' ', "-")
        )
    };
    let tasks: String = (0..60).map(task).collect();
    let told = summary(&format!(
        "\n# Dashboard\n\n## Status\n\n- **pending**: 59 tasks\n- **active**: 1 task\n\n{tasks}"
    ));
    for expected in [
        "62 headings:\n",
        ": - **pending**: 59 tasks\n",
        "BLOCKED by the legal department.\n",
        "(60 such headings)\n",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn columns_of_tables_of_a_page_have_the_room_that_the_rest_leaves() {
    let heads: String = (0..12)
        .map(|at| format!("<th>Column_of_the_table_{at}</th>"))
        .collect();
    let row = |at: usize| {
        let cell = |column: usize| format!("<td>{}</td>", ["ok", "fine"][(at + column) % 2]);
        format!("<tr>{}</tr>", (0..12).map(cell).collect::<String>())
    };
    let rows: String = (0..60).map(row).collect();
    let table = format!("<h2>Jobs</h2><table><tr>{heads}</tr>{rows}</table>");
    let tables = table.repeat(3);
    let told = summary(&format!(
        "<!DOCTYPE html><html><head><title>Jobs</title></head><body>{tables}</body></html>"
    ));
    assert_eq!(
        told.matches(" Column_of_the_table_8: ok 30, fine 30\n")
            .count(),
        3,
        "{told}"
    );
    assert_eq!(told.matches("h2 Jobs\n").count(), 3, "{told}");
}
