//! One unusual row of 10,000 is shown, whichever of its values differs.

use crate::documents::Dice;
use serde_json::{Value, json};
use summary::Summary;
use tamis_sdk::testing::Bench;

const ROWS: usize = 10_000;

/// Rows with usual columns: some of few values, some all different.
fn usual(dice: &mut Dice, i: usize) -> Value {
    json!({
        "id": 40_000 + i,
        "status": dice.pick(&["ok", "ok", "ok", "pending"]),
        "kind": dice.pick(&["read", "write", "list"]),
        "html_url": format!("https://host.example/runs/{i}"),
        "sha": format!("{:016x}{:016x}", dice.roll(usize::MAX), dice.roll(usize::MAX)),
        "duration": 5 + dice.roll(900),
        "cost": format!("{}.{:02}", dice.roll(80), dice.roll(100)),
        "started": format!("2025-06-{:02}T10:{:02}:00Z", 1 + dice.roll(28), dice.roll(60)),
        "message": format!("request {} of worker {} served in {} ms", dice.roll(9_999), dice.roll(8), dice.roll(700)),
        "owner": {"login": dice.pick(&["ada", "grace", "alan"]), "zone": format!("z-{}", dice.roll(40))},
        "retries": dice.roll(3),
    })
}

/// Makes a row unlike the others. Returns words that the summary must show.
fn plant(dice: &mut Dice, row: &mut Value) -> &'static str {
    match dice.roll(11) {
        0 => {
            row["status"] = json!("quarantined");
            "quarantined"
        }
        1 => {
            row["kind"] = json!("purge");
            "purge"
        }
        2 => {
            row.as_object_mut().expect("a row").remove("owner");
            "missing 1"
        }
        3 => {
            row["duration"] = Value::Null;
            "null 1"
        }
        4 => {
            row["rejected_by"] = json!("the auditor");
            "rejected_by"
        }
        5 => {
            row["duration"] = json!(98_765_432);
            "98765432"
        }
        6 => {
            row["message"] = json!("fatal: the volume is read-only");
            "the volume is read-only"
        }
        7 => {
            row["message"] = json!("no route from here");
            "no route from here"
        }
        8 => {
            row["owner"]["zone"] = json!("unassigned");
            "unassigned"
        }
        9 => {
            row["cost"] = json!("-512.75");
            "-512.75"
        }
        _ => {
            row["retries"] = json!("many");
            "many"
        }
    }
}

#[test]
fn a_row_unlike_ten_thousand_others_is_shown() {
    let documents: u64 = std::env::var("TAMIS_RARE_DOCUMENTS")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(33);
    let mut unseen = Vec::new();
    for seed in 0..documents {
        let dice = &mut Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut rows: Vec<Value> = (0..ROWS).map(|i| usual(dice, i)).collect();
        let place = dice.roll(ROWS);
        let shown = plant(dice, &mut rows[place]);
        let document = json!({"total": ROWS, "runs": rows});
        let applied = Bench::<Summary>::new(json!({"tables": false})).apply(&document.to_string());
        let (summary, calls) = applied.text().rsplit_once("More:").expect("calls");
        let position = format!("[{place}]");
        if !summary.contains(shown) || !summary.contains(&position) || !calls.contains(&position) {
            unseen.push(format!("{shown} at {place}:\n{}", applied.text()));
        }
    }
    let most = documents as usize / 100;
    assert!(
        unseen.len() <= most,
        "{} of {documents}:\n{}",
        unseen.len(),
        unseen.join("\n")
    );
}
