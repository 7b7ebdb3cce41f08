//! A failure is shown in whatever text it stands, and what passed is not told as a failure.

use serde_json::{Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    if !applied.changed {
        return text.to_owned();
    }
    applied.text().to_owned()
}
#[test]
#[ignore]
fn attack() {
    for name in std::env::var("ATTACK").unwrap().split(' ') {
        let file = std::fs::read(format!("/tmp/atk3/f/{name}.json")).unwrap();
        let value: Value = serde_json::from_slice(&file).unwrap();
        let text = value["content"][0]["text"].as_str().unwrap().to_owned();
        println!("=== {name} {}B {}", text.len(), json!(0));
        let s = summary(&text);
        if s == text {
            println!("UNCHANGED");
        } else {
            println!("{s}");
        }
    }
}
