//! A result with very many texts of one letter: the work is linear in the number of texts, and the memory stays small.

use std::fs;

use crate::support::mcp::{Client, Stage};
use serde_json::json;

/// Texts of the larger result, 1.2 MB.
const MOST: usize = 40_000;

fn result(texts: usize) -> String {
    let text = r#"{"type":"text","text":"a"}"#;
    format!("{{\"content\":[{}]}}", vec![text; texts].join(","))
}

/// The processor time of the proxy, in ticks. Other programs do not change it, unlike the clock's time.
fn ticks(client: &mut Client) -> u64 {
    let pid = client.program().pid().as_raw_nonzero();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    // The name is in brackets, and may contain any character.
    let (_, stat) = stat.rsplit_once(") ").expect("a name");
    let fields: Vec<&str> = stat.split(' ').collect();
    let ticks = |field: &str| field.parse::<u64>().expect("a number");
    ticks(fields[11]) + ticks(fields[12])
}

/// The ticks of one call, the least of some.
fn ticks_of_call(client: &mut Client, tool: &str, texts: usize) -> u64 {
    let took = (0..3).map(|_| {
        let before = ticks(client);
        let result = client.call(tool, &json!({}));
        assert_eq!(result["content"].as_array().map(Vec::len), Some(texts));
        ticks(client) - before
    });
    took.min().expect("some")
}

#[test]
fn work_grows_as_the_number_of_texts_does() {
    for steps in [
        r#"["null-stripper"]"#,
        r#"["ansi", { filter = "redact", hide = ["api-keys"] }]"#,
    ] {
        let stage = Stage::new(&format!("[[chain]]\ntools = [\"*\"]\nsteps = {steps}\n"));
        stage.tool("fewer", result(MOST / 4));
        stage.tool("more", result(MOST));
        let mut client = stage.start();
        let fewer = ticks_of_call(&mut client, "fewer", MOST / 4);
        let more = ticks_of_call(&mut client, "more", MOST);
        println!("{fewer} ticks for {} texts, {more} for {MOST}", MOST / 4);
        // Four times as many take four times as long; with work for each pair of texts it is sixteen times.
        if more > 8 * fewer.max(5) {
            client.fail(&format!("{fewer} ticks became {more}"));
        }
        client.program().stayed_small();
        client.finish().succeeded();
    }
}
