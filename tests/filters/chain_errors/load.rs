//! Load errors are reported at their lines in filters.toml, all at once.

use super::{DOCUMENT, ERROR, Target, chain, exits, plugin, says, tamis};

/// Runs a filters.toml with errors. `marked` is the text that the report underlines.
#[track_caller]
fn refused(config: &str, marked: &str, reasons: &[&str]) {
    let run = tamis(config, &[], DOCUMENT);
    exits(&run, ERROR);
    if !run.stdout.is_empty() {
        run.fail("standard output should be empty");
    }
    let at = config.find(marked).expect("the configuration has the text");
    let line = config[..at].matches('\n').count() + 1;
    let column = at - config[..at].rfind('\n').map_or(0, |end| end + 1) + 1;
    says(&run, &format!("filters.toml:{line}:{column}\n"));
    for reason in reasons {
        says(&run, reason);
    }
}

#[test]
fn plugins_that_cannot_be_used_are_reported_at_their_line() {
    let noop = chain(&[r#""noop""#]);
    let hash = format!("'{}'", "0".repeat(64));
    refused(
        &(plugin(Target::Unknown, "noop", &format!("sha256 = {hash}")) + &noop),
        &hash,
        &["`noop` is not the approved file", "sha256 = \""],
    );
    refused(
        &format!("[[plugin]]\nname = \"noop\"\npath = \"gone.wasm\"\n{noop}"),
        "\"gone.wasm\"",
        &["plugin `noop` cannot be read", "gone.wasm", "No such file"],
    );
    refused(
        &format!("[[plugin]]\nname = \"noop\"\npath = \"filters.toml\"\n{noop}"),
        "\"filters.toml\"",
        &[
            "plugin `noop` cannot be used: this is not WebAssembly",
            "`[[plugin`",
        ],
    );
    refused(
        &(plugin(Target::Unknown, "flood", "allow = [\"tokens\"]") + &chain(&[r#""flood""#])),
        "[\"tokens\"]",
        &[
            "`tamis:filter/log`, which is not granted",
            "allow = [\"log\", \"tokens\"]",
        ],
    );
    refused(
        &(plugin(Target::Wasip2, "imports-net", "") + &chain(&[r#""imports-net""#])),
        "'/",
        &["it imports `wasi:sockets/"],
    );
    refused(
        &(plugin(Target::Unknown, "wrong-contract", "") + &chain(&[r#""wrong-contract""#])),
        "'/",
        &["version 0.2.0 of the filter contract; this Tamis speaks 0.1.0"],
    );
}

#[test]
fn settings_that_are_refused_are_reported_at_their_line() {
    let step = "{ filter = \"spin\", rounds = 7, ruonds = 8 }";
    refused(
        &(plugin(Target::Unknown, "spin", "") + &chain(&["\"null-stripper\"", step])),
        "8 }",
        &["filter `spin`", "unknown field `ruonds`", "this setting"],
    );
    refused(
        &(plugin(Target::Unknown, "spin", "") + &chain(&["{ filter = \"spin\", rounds = -7 }"])),
        "\"spin\", rounds",
        &["filter `spin`", "-7"],
    );
    refused(
        &(plugin(Target::Unknown, "panic", "")
            + &chain(&["{ filter = \"panic\", at_configure = true }"])),
        "\"panic\", at_configure",
        &[
            "filter `panic`: it failed to take its settings: it crashed",
            "fall_over",
        ],
    );
}

#[test]
fn all_that_is_wrong_is_reported_at_once() {
    let config = plugin(Target::Unknown, "flood", "")
        + &plugin(Target::Unknown, "wrong-contract", "")
        + &plugin(Target::Unknown, "spin", "")
        + &chain(&[
            r#""flood""#,
            r#"{ filter = "spin", ruonds = 8 }"#,
            r#""wrong-contract""#,
        ]);
    let run = tamis(&config, &[], DOCUMENT);
    exits(&run, ERROR);
    for reason in ["`flood`", "`wrong-contract`", "`ruonds`", "3 errors"] {
        says(&run, reason);
    }
}
