//! `signed-by`: a plugin's file that none of the keys signed is refused, and so is an exchanged key.

use super::{DOCUMENT, Finished, Home, STRIPPED, WITH_PLUGIN, exits, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const NAME: &str = "home/project/filters.toml";
const PLUGIN: &str = "home/project/mine.wasm";
const SIGNATURES: &str = "home/project/mine.wasm.sig";
const KEY: &str = "home/project/team.pub";

/// A project whose own plugin must be signed, and is.
fn signed() -> Home {
    let home = Home::new();
    home.write(NAME, with_keys("[\"team.pub\"]"));
    home.guest(PLUGIN);
    for name in ["team", "other"] {
        exits(
            &home.tamis(&["plugin", "keygen", name]),
            0,
            &["the private key"],
        );
    }
    sign(&home, "team.key");
    home
}

fn with_keys(keys: &str) -> String {
    WITH_PLUGIN.replace("allow", &format!("signed-by = {keys}\nallow"))
}

fn sign(home: &Home, key: &str) {
    let sign = ["plugin", "sign", "mine.wasm", "--key", key];
    exits(
        &home.tamis(&sign),
        0,
        &["mine.wasm: signed, by P-256", "mine.wasm.sig"],
    );
}

fn apply(home: &Home) -> Finished {
    let line = ["apply", "--config", "filters.toml", "--tool", "any"];
    home.program("home/project", &line).run(DOCUMENT)
}

#[track_caller]
fn is_applied(home: &Home) {
    let run = apply(home).succeeded();
    let said = (text(&run.stdout), text(&run.stderr));
    assert_eq!(said, (STRIPPED.to_owned(), String::new()));
}

#[track_caller]
fn is_refused(home: &Home, words: &[&str]) {
    let run = apply(home);
    exits(&run, 2, words);
    assert!(run.stdout.is_empty());
}

#[test]
fn a_file_that_no_key_signed_is_refused() {
    let home = signed();
    is_applied(&home);
    exits(&home.tamis(&["check", "filters.toml"]), 0, &[]);
    let inspect = home.tamis(&["plugin", "inspect", "mine.wasm"]);
    exits(
        &inspect,
        0,
        &["signatures  1; whose they are: tamis plugin verify mine.wasm"],
    );

    // Another build, which the key did not sign.
    home.exchanged(PLUGIN);
    let place = ["filters.toml:3:8", "error[plugin-signature]"];
    is_refused(
        &home,
        &[place[0], place[1], "are of other keys, or of other bytes"],
    );
    let verify = [
        "plugin",
        "verify",
        "mine.wasm",
        "--key",
        "team.pub",
        "--json",
    ];
    let run = home.tamis(&verify);
    exits(&run, 1, &[]);
    let verified: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(verified["signed"], false);
    assert_eq!(
        verified["signatures"],
        serde_json::json!([{"file": null, "key": null}])
    );
    exits(&home.tamis(&["lock"]), 2, &["plugin-signature"]);
    assert!(!home.path("home/project/filters.lock").exists());
    sign(&home, "team.key");
    is_applied(&home);
    assert_eq!(
        signatures(&home).lines().count(),
        1,
        "the old one is of no use"
    );

    // None, another key's, and no signature at all.
    let sound = signatures(&home);
    fs::remove_file(home.path(SIGNATURES)).expect("remove");
    let help = "if you made the plugin, sign it: tamis plugin sign mine.wasm --key KEY";
    is_refused(
        &home,
        &[place[0], "nobody signed it", help, "one of these keys must"],
    );
    sign(&home, "other.key");
    is_refused(&home, &[place[0], "its signatures (1) are of other keys"]);
    for broken in ["text of a page", "AAAA\nBBBB\n{}"] {
        home.write(SIGNATURES, broken);
        is_refused(&home, &[place[0], place[1], "mine.wasm.sig: line"]);
    }
    home.write(SIGNATURES, sound.repeat(17));
    is_refused(&home, &[place[1], "17 signatures, and 16 are allowed"]);
    home.write(SIGNATURES, sound);
    is_applied(&home);
}

fn signatures(home: &Home) -> String {
    fs::read_to_string(home.path(SIGNATURES)).expect("signatures")
}

/// Each signature is hashed anew for each key.
#[test]
fn signatures_that_would_take_too_long_are_refused() {
    let home = signed();
    let keys = vec!["\"team.pub\""; 32].join(", ");
    home.write(NAME, with_keys(&format!("[{keys}]")));
    let sixteen = signatures(&home).repeat(16);
    home.write(SIGNATURES, &sixteen);
    is_applied(&home);
    let file = fs::OpenOptions::new().write(true).open(home.path(PLUGIN));
    let file = file.expect("the plugin");
    file.set_len(9 << 20).expect("a longer file");
    is_refused(
        &home,
        &["signatures (16) with the keys (32) takes too long for 9437184 bytes"],
    );
}

#[test]
fn every_list_of_keys_must_be_met() {
    let home = signed();
    // A file's list is above its tables, and applies to the plugins of all files.
    home.write("home/project/team.toml", "signed-by = [\"other.pub\"]\n");
    let including = format!(
        "include = [\"team.toml\"]\n\n{}",
        with_keys("[\"team.pub\"]")
    );
    home.write(NAME, &including);
    is_refused(&home, &["is not signed by `other.pub`", "team.toml:1:13"]);
    let add = ["plugin", "sign", "mine.wasm", "--key", "other.key", "--add"];
    exits(&home.tamis(&add), 0, &["signed"]);
    assert_eq!(signatures(&home).lines().count(), 2);
    is_applied(&home);
    // It has both already, so nothing is replaced.
    for line in [&add[..], &add[..add.len() - 1]] {
        exits(&home.tamis(line), 0, &["has a signature already"]);
    }
    is_applied(&home);

    home.write(
        NAME,
        format!("signed-by = [\"other.pub\"]\n\n{WITH_PLUGIN}"),
    );
    is_applied(&home);
    let below = WITH_PLUGIN.replace("steps", "signed-by = [\"team.pub\"]\nsteps");
    home.write(NAME, below);
    is_refused(
        &home,
        &["unknown-key", "move `signed-by` above the first table"],
    );
}

#[test]
fn a_key_is_a_file_or_pem_and_nothing_else() {
    let home = signed();
    let key = fs::read_to_string(home.path(KEY)).expect("a key");
    let inline = |pem: &str| with_keys(&format!("['''\n{pem}''']"));
    home.write(NAME, inline(&key));
    is_applied(&home);
    let other = fs::read_to_string(home.path("home/project/other.pub")).expect("a key");
    home.write(NAME, inline(&other));
    is_refused(&home, &["is not signed by `P-256 sha256:"]);
    home.write(NAME, inline(&key.replace("PUBLIC", "PRIVATE")));
    is_refused(
        &home,
        &["invalid-value", "a private key, and not a public key"],
    );

    for (keys, words) in [
        ("\"team.pub\"", ["wrong-type", "put it in brackets"]),
        ("[]", ["empty", "`signed-by` is empty"]),
        ("[1]", ["wrong-type", "the path of a public key"]),
        ("[\"\"]", ["invalid-value", "no path here"]),
        ("[\"C:\\new.pub\"]", ["invalid-value", "single quotes"]),
        ("[\"none.pub\"]", ["key-unreadable", "`none.pub`"]),
        (
            "[\"none.pub\", \"team.pub\"]",
            ["key-unreadable", "filters.toml:4:14"],
        ),
        ("[\"mine.wasm\"]", ["key-unreadable", "`mine.wasm`"]),
        ("[\"filters.toml\"]", ["key-unreadable", "no key in PEM"]),
        ("[\"team.key\"]", ["key-unreadable", "a private key"]),
    ] {
        home.write(NAME, with_keys(keys));
        is_refused(&home, &words);
    }
    let many = vec!["\"team.pub\""; 33].join(", ");
    home.write(NAME, with_keys(&format!("[{many}]")));
    is_refused(&home, &["out-of-range", "allowed: 32 keys"]);
}

#[test]
fn an_exchanged_key_ends_trust() {
    let home = signed();
    home.write("home/project/filters.toml", with_keys("[\"team.pub\"]"));
    let shown = home.tamis(&["trust", "--yes"]);
    exits(&shown, 0, &["signed by team.pub (P-256 sha256:"]);
    home.uses_project();
    let team = fs::read(home.path(KEY)).expect("a key");
    fs::copy(home.path("home/project/other.pub"), home.path(KEY)).expect("copy");
    home.closes_project(&["key `team.pub` ("]);
    let check = home.tamis(&["check", "filters.toml"]);
    let said = text(&check.stdout) + &text(&check.stderr);
    assert!(
        said.contains("filters.toml:4:14") && said.contains("trust-lapsed"),
        "{said}"
    );
    exits(
        &home.tamis(&["trust", "--list"]),
        0,
        &["not used: key `team.pub`"],
    );

    // Signed by the new key, it is still for its user to decide.
    sign(&home, "other.key");
    home.closes_project(&["key `team.pub` ("]);
    fs::remove_file(home.path(KEY)).expect("remove");
    home.closes_project(&["key `team.pub` cannot be read"]);
    let words = ["key `team.pub` cannot be read, so it cannot be trusted"];
    exits(&home.tamis(&["trust", "--yes"]), 2, &words);
    home.write(KEY, &team);
    let run = home
        .program("home/project/src", &["apply", "--tool", "any"])
        .run(DOCUMENT);
    exits(&run, 2, &["plugin-signature"]);
    sign(&home, "team.key");
    home.uses_project();

    fs::copy(home.path("home/project/other.pub"), home.path(KEY)).expect("copy");
    let words = ["- key team.pub = sha256 ", "+ key team.pub = sha256 "];
    exits(&home.tamis(&["trust", "--yes"]), 0, &words);
}

#[test]
fn an_encrypted_key_signs_with_its_password() {
    let home = signed();
    let with = |line: &[&str], variable: &str, password: &str| {
        let run = home.program("home/project", line).env(variable, password);
        let run = run.run("");
        let said = text(&run.stdout) + &text(&run.stderr);
        assert!(!said.contains(password), "{said}");
        run
    };
    let (variable, password) = ("TAMIS_KEY_PASSWORD", "open sesame");
    let keygen = with(&["plugin", "keygen", "closed"], variable, password);
    exits(&keygen, 0, &["the private key, encrypted: keep it secret"]);
    let key = fs::read_to_string(home.path("home/project/closed.key")).expect("a key");
    assert!(
        key.starts_with("-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n"),
        "{key}"
    );
    let sign = ["plugin", "sign", "mine.wasm", "--key", "closed.key"];
    exits(&home.tamis(&sign), 2, &["it is encrypted", variable]);
    exits(
        &with(&sign, variable, "close sesame"),
        2,
        &["the password does not fit"],
    );
    exits(
        &with(&sign, "COSIGN_PASSWORD", password),
        0,
        &["signed, by"],
    );
    let verify = ["plugin", "verify", "mine.wasm", "--key", "closed.pub"];
    exits(&home.tamis(&verify), 0, &["mine.wasm: signed"]);
}

#[test]
fn a_private_key_is_its_owners_and_is_not_printed() {
    let home = signed();
    let key = home.path("home/project/team.key");
    let mode = fs::metadata(&key).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text_of_key = fs::read_to_string(&key).expect("a key");
    for line in [
        &["plugin", "keygen", "team"][..],
        &[
            "--log",
            "trace",
            "plugin",
            "sign",
            "mine.wasm",
            "--key",
            "team.key",
        ],
        &["plugin", "verify", "mine.wasm", "--key", "team.key"],
        &["check", "filters.toml"],
    ] {
        home.write(NAME, with_keys("[\"team.key\"]"));
        let run = home.tamis(line);
        let said = text(&run.stdout) + &text(&run.stderr);
        for line in text_of_key.lines().filter(|line| !line.starts_with('-')) {
            assert!(!said.contains(line), "{said}");
        }
    }
    assert_eq!(fs::read_to_string(&key).expect("a key"), text_of_key);
    fs::remove_file(home.path("home/project/team.pub")).expect("remove");
    exits(
        &home.tamis(&["plugin", "keygen", "team"]),
        2,
        &["team.key exists"],
    );
    assert_eq!(fs::read_to_string(&key).expect("a key"), text_of_key);
}
