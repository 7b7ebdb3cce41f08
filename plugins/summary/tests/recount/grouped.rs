//! What a summary says of the numbers beside the same name, recomputed: `by key: 500 0..3, but 861 at [37].buckets[2]`.

use crate::paths::{at, find};
use serde_json::Value;

/// `told`: the words after `by `. `holders`: the objects with the numbers, under `member`. `table`: the path of the rows.
#[track_caller]
pub fn check(document: &Value, told: &str, holders: &[&Value], member: &str, table: &str) {
    let (key, groups) = told.split_once(": ").expect(told);
    for group in groups.split("; ") {
        let mut parts = group.split(", but ");
        let (name, range) = parts
            .next()
            .and_then(|it| it.rsplit_once(' '))
            .expect(group);
        let (from, to) = range.split_once("..").expect(group);
        let is_of = |holder: &&&Value| match holder[key].as_str() {
            Some(text) => text == name.trim_matches('"'),
            None => format!("{}", holder[key]) == name,
        };
        let number = |holder: &Value| holder[member].as_f64().expect(group);
        let mut numbers: Vec<f64> = holders.iter().filter(is_of).map(|it| number(it)).collect();
        for alone in parts {
            let (value, place) = alone.split_once(" at ").expect(alone);
            let value: f64 = value.parse().expect(alone);
            let there = at(document, &format!("{table}{place}"));
            let is_there = there.iter().any(|it| {
                let (inside, _) = find(it, member);
                inside.iter().any(|it| it.as_f64() == Some(value))
            });
            assert!(is_there, "{alone} of {told}");
            let known = numbers.iter().position(|number| *number == value);
            numbers.remove(known.expect(alone));
        }
        numbers.sort_by(f64::total_cmp);
        let ends = [numbers.first(), numbers.last()];
        let parsed = [from, to].map(|end| end.parse::<f64>().expect(group));
        assert_eq!(
            ends,
            [Some(&parsed[0]), Some(&parsed[1])],
            "{group} of {told}"
        );
    }
}
