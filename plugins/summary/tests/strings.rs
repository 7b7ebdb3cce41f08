//! Data in a string of a JSON document is told as the same data by itself, and its paths lead through the string.

use serde_json::json;
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new(json!({"tables": false})).apply(text);
    assert!(applied.changed, "not summarised: {text:.100}");
    applied.text().to_owned()
}

#[test]
fn all_of_a_failure_is_told_in_a_list_of_lines() {
    let line = |at: usize| {
        let (minute, second, took) = (at / 60, at % 60, at * 37 % 400);
        format!(
            "2026-06-01 01:{minute:02}:{second:02},000 INFO [worker-{}] app.orders: request {at} took {took} ms",
            at % 5
        )
    };
    let mut lines: Vec<String> = (0..200).map(line).collect();
    let failure = [
        "2026-06-01 01:01:20,000 ERROR [worker-3] app.billing: charge failed for customer 4711",
        "Traceback (most recent call last):",
        "  File \"/app/billing.py\", line 88, in charge",
        "    gateway.submit(card, amount)",
        "GatewayTimeout: no answer from psp-2 after 30 s",
    ];
    lines.splice(80..80, failure.map(str::to_owned));
    let told = summary(&json!({"from": 0, "to": 205, "total": 205, "lines": lines}).to_string());
    for (at, line) in failure.iter().enumerate() {
        let line = format!("\n{}: {}\n", 81 + at, line.trim_start());
        assert!(told.contains(&line), "no {line:?} in {told}");
    }
}

#[test]
fn characters_are_told_however_they_are_spelled() {
    let names = ["Zoë", "Jürgen", "中文"];
    let row = |at: usize| json!({"id": at, "name": names[at % 3]});
    let rows: Vec<String> = (0..300).map(|at| row(at).to_string()).collect();
    let in_ascii = |text: String| {
        let mut out = String::new();
        for c in text.chars() {
            match c.is_ascii() {
                true => out.push(c),
                false => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            }
        }
        out
    };
    for text in [format!("[{}]", rows.join(", ")), rows.join("\n")] {
        let told = summary(&in_ascii(text));
        assert!(
            told.contains("\n name: Zoë 100, Jürgen 100, 中文 100\n"),
            "{told}"
        );
    }
}

/// Each line about the data of `text` is also in the summary of a result that holds the text as `stdout`, with the path
/// of that string. `about`: a line that must be among them.
#[track_caller]
fn is_told_alike(text: &str, about: &str) {
    let result = json!({"exit_code": 0, "stdout": text, "stderr": ""});
    let (alone, held) = (summary(text), summary(&result.to_string()));
    assert!(alone.contains(about), "no {about:?} in {alone}");
    let lines = alone.lines().filter(|line| line.starts_with([' ', '$']));
    for line in lines {
        let line = line.replace('$', "$.stdout");
        assert!(held.contains(&line), "no {line:?} in {held}");
    }
    assert!(held.contains("\nexit_code: 0\n"), "{held}");
    let more = held.lines().last().expect("a line");
    let asks = |call: &str| more.contains(&call.replace('$', "$.stdout"));
    let by_path = asks(r#""path":"$"#) && asks(r#""path":"$","query":"SELECT … FROM "#);
    assert!(by_path, "{more}");
}

fn state(row: usize) -> &'static str {
    if row == 83 { "CRITICAL" } else { "fine" }
}

#[test]
fn an_object_of_like_lists_comes_with_a_query() {
    let list = |file: usize| -> Vec<_> {
        (0..3).map(|at| json!({"rule": format!("rule-{}", at % 2), "line": file + at, "text": "what is wrong there"})).collect()
    };
    let files: serde_json::Map<_, _> = (0..90)
        .map(|file| (format!("src/file_{file}.rs"), list(file).into()))
        .collect();
    let told = summary(&json!({"total": 270, "by_file": files}).to_string());
    let query = r#"; or "path":"$.by_file","query":"SELECT … FROM rows""#;
    assert!(told.contains(query), "{told}");
    let apart = json!({"total": 9, "by_kind": {"a": [{"x": 1, "words": "some words of it ".repeat(200)}], "b": [{"y": 1, "text": "some words of it ".repeat(200)}],
        "c": [{"z": 1}], "d": [{"w": 1, "note": "some words of it ".repeat(200)}]}});
    let told = summary(&apart.to_string());
    assert!(!told.contains(r#""path":"$.by_kind","query""#), "{told}");
}

#[test]
fn rows_of_csv() {
    let rows = (0..400).map(|at| format!("svc-{at},{},{}\n", at * 7 % 100, state(at)));
    let text = format!("name,load,state\n{}", rows.collect::<String>());
    is_told_alike(&text, "\n state: fine 399, CRITICAL 1 at [83]\n");
}

#[test]
fn json_lines() {
    let row = |at| json!({"at": at, "state": state(at), "words": "some words of it"}).to_string();
    let rows: Vec<String> = (0..200).map(row).collect();
    is_told_alike(&rows.join("\n"), "\n state: fine 199, CRITICAL 1 at [83]\n");
}

#[test]
fn lists_of_yaml() {
    let row = |at| {
        format!(
            "- name: pod-{at}\n  state: {}\n  restarts: {}\n",
            state(at),
            at % 4
        )
    };
    let rows: String = (0..200).map(row).collect();
    is_told_alike(
        &format!("total: 200\nitems:\n{rows}"),
        "\n$.items: 200 rows\n",
    );
}

#[test]
fn tables_in_a_page() {
    let rows = (0..200).map(|at| format!("| svc-{at} | {} | {} |\n", at * 7 % 100, state(at)));
    let prose = "Some words about what the tables below have, and why.\n\n".repeat(9);
    let text = format!(
        "# Report\n\n{prose}## Services\n\n| name | load | state |\n|---|---|---|\n{}\n## End\n\nDone.\n",
        rows.collect::<String>()
    );
    is_told_alike(&text, "\n$.Services: 200 rows\n");
}

#[test]
fn a_text_that_is_one_string_is_told_as_what_it_says() {
    let mut log: Vec<String> = (0..400)
        .map(|at| {
            format!(
                "2026-06-01 01:{:02}:{:02} INFO request {at} done",
                at / 60,
                at % 60
            )
        })
        .collect();
    log[290] = "2026-06-01 01:04:50 ERROR \"psp-2\" did not answer".to_owned();
    let told = summary(&json!(log.join("\n")).to_string());
    assert!(
        told.starts_with("Summary of text in a JSON string, 400 lines, "),
        "{told}"
    );
    assert!(
        told.contains("291: 2026-06-01 01:04:50 ERROR \"psp-2\" did not answer\n"),
        "{told}"
    );
    // As Python prints it.
    let told = summary(&format!("'{}'", log.join("\\n")));
    assert!(
        told.starts_with("Summary of text in a Python string, 400 lines, "),
        "{told}"
    );
    let row = |at: usize| {
        format!(
            "node-{at},{},{}\n",
            at * 7 % 50,
            if at == 337 { "down" } else { "up" }
        )
    };
    let csv: String = (0..600).map(row).collect();
    let told = summary(&json!(format!("name,load,state\n{csv}")).to_string());
    assert!(told.starts_with("Summary of CSV, 600 rows, "), "{told}");
    assert!(told.contains("down"), "{told}");
}

#[test]
fn what_warns_in_a_part_of_a_page_is_told() {
    let mut page = "<h1>Runbook</h1>".to_owned();
    for at in 0..400 {
        page.push_str(&format!(
            "<p>Paragraph {at} of the page says what to do with the {at} servers.</p>"
        ));
        if at == 130 {
            page.push_str("<ac:structured-macro ac:name=\"warning\"><ac:rich-text-body><p>Do not run step 4 on the primary.</p></ac:rich-text-body></ac:structured-macro>");
        }
    }
    let told = summary(&json!({"id": "98312", "body": {"value": page}}).to_string());
    for line in [
        "\nwarning: Do not run step 4 on the primary.\n",
        "\nfirst paragraph: Paragraph 0 of the page says what to do with the 0 servers.\n",
        "\nlast paragraph: Paragraph 399 of the page says what to do with the 399 servers.\n",
        "\nh1 Runbook\n",
    ] {
        assert!(told.contains(line), "no {line:?} in {told}");
    }
    let classes = page.replace(
        "<ac:structured-macro ac:name=\"warning\">",
        "<div class=\"alert alert-danger\">",
    );
    let told = summary(
        &classes
            .replace("</ac:structured-macro>", "</div>")
            .replace("ac:rich-text-body", "div"),
    );
    assert!(
        told.contains("\nwarning: Do not run step 4 on the primary.\n"),
        "{told}"
    );
}

#[test]
fn a_paragraph_and_a_warning_of_a_page_end_with_their_elements() {
    let page = |above: &str, below: &str| -> String {
        let paragraph =
            |at: usize| format!("<p>Paragraph {at} says what to do with the {at} servers.</p>");
        let all: String = (0..200).map(paragraph).collect();
        summary(&format!("<h1>Runbook</h1>{above}{all}{below}</div>"))
    };
    let first = "\nfirst paragraph: Paragraph 0 says what to do with the 0 servers.\n";
    // A short one goes not on with what is below.
    let told = page(
        "<p>Hi</p><h2>The next part</h2>",
        "<p>Bye</p><div>No paragraph at all, but below.</div>",
    );
    assert!(told.contains(first), "{told}");
    assert!(!told.contains("last paragraph"), "{told}");
    // Nor does one without an end tag.
    let told = page(
        "<p>Each of these servers is restarted by <b>night</b><p>Words of the next paragraph here",
        "",
    );
    assert!(
        told.contains("first paragraph: Each of these servers is restarted by night\n"),
        "{told}"
    );
    for (warning, expected) in [
        ("<div class=\"warning\"></div>", None),
        (
            "<div class=\"alert-danger\" style=\"display:none\">An error occurred in the form.</div>",
            None,
        ),
        (
            "<div class=\"alert-danger\" hidden>An error occurred in the form.</div>",
            None,
        ),
        ("<ac:structured-macro ac:name=\"warning\"/>", None),
        (
            "<div class=\"alert-danger\"><p class=\"danger\">Do not run step 4.</p></div>",
            Some("Do not run step 4."),
        ),
        (
            "<div class=\"warning\">Stop!</div><div>Words that warn of nothing.</div>",
            Some("Stop!"),
        ),
        (
            "<aside class=\"warning\"><h4>A title of some words</h4><p>Stop the primary first.</p></aside>",
            Some("A title of some words Stop the primary first."),
        ),
    ] {
        let told = page(warning, "");
        assert!(told.contains(first), "{told}");
        let warnings: Vec<&str> = told
            .lines()
            .filter_map(|line| line.strip_prefix("warning: "))
            .collect();
        assert_eq!(warnings, Vec::from_iter(expected), "{told}");
        assert!(!told.contains("more warning"), "{told}");
    }
    // What is cut has a mark.
    let link = "<a href=\"https://docs.test/a/long/address/of/a/page\">here</a> and ";
    let told = page(
        &format!(
            "<p>The words of this paragraph are {}.</p>",
            link.repeat(20)
        ),
        "",
    );
    let line = told
        .lines()
        .find(|line| line.starts_with("first paragraph: "));
    assert!(line.is_some_and(|line| line.ends_with('…')), "{told}");
}
