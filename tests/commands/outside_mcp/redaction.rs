//! Redaction of a tool's output by a hook, and withheld outputs if its policy is unusable.

use super::{claude, tamis_with};
use crate::support::{Folder, text};
use serde_json::json;

#[test]
fn a_hook_redacts_every_string_and_makes_no_text_of_a_picture() {
    let policy = r#"
[[chain]]
on = ["*"]
steps = [{ filter = "redact", hide = ["emails"] }]
[[chain]]
tools = ["*"]
steps = [{ filter = "summary", above = "1000 chars" }]
"#;
    let folder = Folder::new();
    let picture = "iVBORw0KGgo".repeat(400);
    let response = json!({
        "type": "image",
        "file": {"base64": picture, "owner": "a@example.org"},
        "filenames": ["/home/b@example.org"],
        "content": [{"mimeType": "image/png", "data": picture}, {"mimeType": "text/plain", "data": "c@example.org"}],
    });
    let event = claude("mcp__files__look", &json!({}), &response).to_string();
    let event = event.replace("\"type\":", "\"half\":\"\\ud83d d@example.org\",\"type\":");
    let done = tamis_with(policy, &folder, &["hook"], event.as_bytes());
    let answer = text(&done.succeeded().stdout);
    assert!(!answer.contains("@example.org"), "{answer}");
    assert_eq!(answer.matches(&picture).count(), 2, "{answer}");
    assert_eq!(answer.matches("[redacted:email]").count(), 3, "{answer}");
    // With an unusable policy, no string passes, however short, except names of forms.
    let unusable = policy.replace("1000 chars", "1 chars");
    let done = tamis_with(&unusable, &folder, &["hook"], event.as_bytes());
    let answer = text(&done.succeeded().stdout);
    assert!(!answer.contains("@example.org"), "{answer}");
    assert_eq!(answer.matches("Withheld").count(), 4, "{answer}");
    assert!(answer.contains(r#""type":"image""#), "{answer}");
    assert_eq!(answer.matches(&picture).count(), 2, "{answer}");
}

#[test]
fn a_hook_takes_the_first_chain_by_either_name() {
    let policy = r#"
[[chain]]
tools = ["read_mail"]
steps = [{ filter = "redact", hide = ["emails"] }]
[[chain]]
tools = ["*"]
steps = ["ansi"]
"#;
    let folder = Folder::new();
    let response = json!([{"type": "text", "text": "from a@example.org"}]);
    let event = claude("mcp__x__read_mail", &json!({}), &response).to_string();
    let done = tamis_with(policy, &folder, &["hook"], event.as_bytes());
    let answer = text(&done.succeeded().stdout);
    assert!(answer.contains("from [redacted:email]"), "{answer}");
}
