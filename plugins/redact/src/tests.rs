//! Tests: secrets of every kind are hidden in any spelling; ordinary text stays.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::testing::{Bench, assert_schema};

pub const ALL: &str = r#"{"hide":["api-keys","jwts","private-keys","connection-strings","emails","phones","cards","ibans","ips"]}"#;

pub fn bench() -> Bench<Redact> {
    Bench::new(ALL)
}

fn redacted(settings: &str, text: &str) -> String {
    Bench::<Redact>::new(settings).apply(text).text().to_owned()
}

/// A long string with escapes is searched by itself. Secrets in it and around it are found.
#[test]
fn nothing_hides_beside_long_strings_with_escapes() {
    let long = |inside: &str| {
        format!(
            "line one\n{}\n{inside}\nlast line",
            "plain words ".repeat(20)
        )
    };
    let (quiet, address) = (long("nothing"), "ada@example.org");
    for (text, places) in [
        (json!([address, quiet, "x"]), vec!["/0"]),
        (json!(["x", quiet, address, quiet, "y"]), vec!["/2"]),
        (json!([quiet, quiet, address]), vec!["/2"]),
        (json!([quiet, long(address), quiet]), vec!["/1"]),
        (
            json!({"a": quiet, "b": {"c": address}, "d": long(address), "e": "x"}),
            vec!["/b/c", "/d"],
        ),
        (
            json!([
                long(&json!({"a": long(address), "b": address}).to_string()),
                address
            ]),
            vec!["/0", "/1"],
        ),
    ] {
        let json = text.to_string();
        let new: Value =
            serde_json::from_str(&redacted(r#"{"hide":["emails"]}"#, &json)).expect("JSON");
        assert!(!new.to_string().contains("ada@"), "{new}");
        for place in places {
            let said = new
                .pointer(place)
                .expect("it stays")
                .as_str()
                .expect("a text");
            assert!(said.contains("[redacted:email]"), "{place} of {new}");
        }
    }
    let keyed = json!({address: quiet, "k": 1}).to_string();
    assert!(!redacted(r#"{"hide":["emails"]}"#, &keyed).contains("ada@"));
}

#[test]
fn the_schema_is_that_of_the_settings() {
    assert_schema::<Redact>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

/// Letters and digits that look random and are the same in each run.
fn random(length: usize, seed: u64) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
    let mut state = seed | 1;
    let mut sign = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(SIGNS[(state >> 33) as usize % SIGNS.len()])
    };
    let mut said: String = (0..length).map(|_| sign()).collect();
    if length > 2 {
        said.replace_range(1..2, "7");
    }
    said
}

/// A secret of each vendor's form, generated so that no file holds text that looks like one.
fn secrets(seed: u64) -> Vec<(String, &'static str)> {
    let hex = |length: usize| -> String {
        let said = random(length, seed).to_lowercase();
        said.bytes()
            .map(|b| char::from(b"0123456789abcdef"[usize::from(b % 16)]))
            .collect()
    };
    let mut all: Vec<(String, &str)> = anchors::FORMS
        .iter()
        .filter(|form| !form.prefix.ends_with('='))
        .map(|form| {
            let body: String = match ((form.body)(b'g'), (form.body)(b'a')) {
                (true, _) => random(form.least, seed),
                (false, true) => {
                    hex(form.least).replacen(|c: char| c.is_ascii_alphabetic(), "7", 1)
                }
                (false, false) => random(form.least, seed).to_uppercase(),
            };
            (format!("{}{body}", form.prefix), "api-key")
        })
        .collect();
    let jwt = format!(
        "eyJ{}.eyJ{}.{}",
        random(30, seed),
        random(40, seed),
        random(43, seed)
    );
    all.push((jwt, "jwt"));
    let label = "PRIVATE KEY-----";
    all.push((
        format!(
            "-----BEGIN RSA {label}\n{}\n{}\n-----END RSA {label}",
            random(64, seed),
            random(64, seed + 1)
        ),
        "private-key",
    ));
    all.push((
        format!("{}@{}.example", random(8, seed), random(6, seed)),
        "email",
    ));
    for card in [
        "4539578763621486",
        "5500 0055 5555 5559",
        "3714-496353-98431",
        "6011000990139424",
    ] {
        all.push((card.to_owned(), "card"));
    }
    for iban in [
        "DE89370400440532013000",
        "GB29 NWBK 6016 1331 9268 19",
        "FR1420041010050500013M02606",
    ] {
        all.push((iban.to_owned(), "iban"));
    }
    for ip in [
        "192.168.17.4",
        "10.0.0.1",
        "2001:db8::8a2e:370:7334",
        "fe80::1ff:fe23:4567:890a",
    ] {
        all.push((ip.to_owned(), "ip"));
    }
    for phone in [
        "+49 30 901820",
        "+1 (415) 555-2671",
        "(415) 555-2671",
        "415-555-2671",
    ] {
        all.push((phone.to_owned(), "phone"));
    }
    all
}

#[test]
fn every_kind_is_found_in_texts_and_in_json() {
    let bench = bench();
    for (secret, kind) in secrets(3) {
        let mask = format!("[redacted:{kind}]");
        for text in [
            secret.clone(),
            format!("before {secret} after"),
            format!("key = \"{secret}\"\nnext"),
            format!("({secret})"),
            format!("über {secret}, 東京"),
        ] {
            let new = bench.apply(&text).text().to_owned();
            assert!(
                !new.contains(&secret) && new.contains("[redacted:"),
                "{text} became {new}"
            );
            assert_eq!(bench.apply(&new).text(), new, "twice");
        }
        let new = bench.apply(&secret).text().to_owned();
        assert_eq!(new, mask, "{secret}");
        let escaped: String = secret
            .chars()
            .map(|c| format!("\\u{:04x}", c as u32))
            .collect();
        let twice = json!(json!({"inner": [format!("x {secret}")]}).to_string()).to_string();
        let thrice = json!(format!("{{\"a\":\"{escaped}\"}}")).to_string();
        for json in [
            json!({"a": secret, "b": [1, {"c": format!("is {secret}")}]}).to_string(),
            json!({ secret.clone(): 1 }).to_string(),
            format!("{{\"a\":\"{escaped}\"}}"),
            format!("{{\"{escaped}\":null}}"),
            format!("[{twice},{thrice}]"),
        ] {
            let new = bench.apply(&json).text().to_owned();
            let value: Value = serde_json::from_str(&new).expect("JSON");
            assert!(!says(&value, &secret), "{json} became {new}");
            assert!(new.contains("[redacted:"), "{json} became {new}");
            assert_eq!(bench.apply(&new).text(), new, "twice");
        }
    }
}

/// Whether a value holds a text anywhere, also in JSON inside of strings.
fn says(value: &Value, secret: &str) -> bool {
    match value {
        Value::String(text) => {
            let inner = serde_json::from_str::<Value>(text).ok();
            text.contains(secret)
                || inner.is_some_and(|it| {
                    it.is_string() | it.is_object() | it.is_array() && says(&it, secret)
                })
        }
        Value::Array(all) => all.iter().any(|it| says(it, secret)),
        Value::Object(all) => all
            .iter()
            .any(|(key, it)| key.contains(secret) || says(it, secret)),
        _ => false,
    }
}

#[test]
fn ordinary_text_stays() {
    let bench = bench();
    for text in [
        "let token = self.token.clone();",
        "password: String,",
        "fn password(&self) -> &str { &self.password }",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "git clone git@github.com:team/project.git",
        "import { x } from '@scope/package@1.2.3'",
        "version 1.2.3, 10.4.1-rc.2, at 12:34:56, 2026-03-01T10:59:59Z",
        "550e8400-e29b-41d4-a716-446655440000",
        "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "std::net::Ipv6Addr, abc::def, a::b",
        "https://example.com/path?id=7#part",
        "task-force, disk-based, risk-free",
        "total 4 drwxr-xr-x 2 root root 4096",
        "1234567890123456",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "tokens: 1200, secrets: none, api_key: Option<String>",
        "the password is required",
    ] {
        assert_eq!(bench.apply(text).text(), text);
    }
}

#[test]
fn a_value_beside_its_name_is_hidden() {
    let bench = bench();
    let value = random(24, 5);
    for text in [
        format!("API_KEY={value}"),
        format!("api-key: {value}\n"),
        format!("{{\"client_secret\": \"{value}\"}}\nand more"),
        format!("Authorization: Bearer {value}"),
        format!("https://host.example/?access_token={value}&x=1"),
        format!("export PASSWORD='{}9'", &value[..7]),
    ] {
        let new = bench.apply(&text).text().to_owned();
        assert!(
            new.contains("[redacted:") && !new.contains(&value[..7]),
            "{text} became {new}"
        );
    }
    let url = format!("postgres://user:{}@db.example:5432/x", &value[..9]);
    assert_eq!(
        redacted(r#"{"hide":["connection-strings"]}"#, &url),
        "postgres://user:[redacted:password]@db.example:5432/x"
    );
}

#[test]
fn members_patterns_and_exceptions_are_the_operators() {
    let settings = r#"{"members":["*password*"],"patterns":[{"name":"ticket","match":"TICKET-([0-9]{6})","group":1}],"hide":["emails"],"allow":["*@example.com"]}"#;
    let bench = Bench::<Redact>::new(settings);
    let json = r#"{"Password":{"a":[1,2]},"x":"TICKET-123456","mail":"a@example.com b@other.example","n":null}"#;
    let new = r#"{"Password":"[redacted:member]","x":"TICKET-[redacted:ticket]","mail":"a@example.com [redacted:email]","n":null}"#;
    assert_eq!(bench.apply(json).text(), new);
    assert_eq!(bench.apply(new).text(), new);
    let removed = redacted(
        r#"{"members":["token"],"with":"remove"}"#,
        r#"{"token":7,"a":1}"#,
    );
    assert_eq!(removed, r#"{"token":"","a":1}"#);
}

#[test]
fn each_kind_has_its_replacement_and_the_log_has_counts_alone() {
    let settings = r#"{"hide":["emails","ips"],"members":["pin"],"patterns":[{"name":"ticket","match":"T-[0-9]+"}],"with":{"email":"pseudonym","ticket":"remove","*":"mask"}}"#;
    let bench = Bench::<Redact>::new(settings).in_one_session();
    let applied = bench.apply(
        r#"{"a":"x@y.example z@y.example x@y.example","t":"T-12.","ip":"198.51.100.7","pin":1234}"#,
    );
    assert_eq!(
        applied.text(),
        r#"{"a":"[redacted:email-1] [redacted:email-2] [redacted:email-1]","t":".","ip":"[redacted:ip]","pin":"[redacted:member]"}"#
    );
    assert_eq!(
        applied.log,
        ["info: redacted: 3 email, 1 ip, 1 member, 1 ticket"]
    );
    assert!(bench.apply(r#"{"a":"nothing"}"#).log.is_empty());
    // Without `*`, other kinds are masked.
    let masked = redacted(
        r#"{"hide":["ips"],"with":{"email":"remove"}}"#,
        "198.51.100.7",
    );
    assert_eq!(masked, "[redacted:ip]");
    let unknown: Settings =
        serde_json::from_str(r#"{"hide":["ips"],"with":{"emails":"mask"}}"#).expect("settings");
    let error = unknown.check().expect_err("an unknown kind");
    assert!(
        error.contains("unknown kind \"emails\", allowed: api-key, card, email,"),
        "{error}"
    );
}

#[test]
fn base64_is_looked_into_when_told() {
    // `a@example.org is mine`
    let code = "YUBleGFtcGxlLm9yZyBpcyBtaW5l";
    let text = format!("data {code}== end");
    assert_eq!(redacted(r#"{"hide":["emails"]}"#, &text), text);
    assert_eq!(
        redacted(r#"{"hide":["emails"],"base64":true}"#, &text),
        "data [redacted:encoded] end"
    );
}

#[test]
fn two_keys_do_not_become_one() {
    let new = redacted(
        r#"{"hide":["emails"]}"#,
        r#"{"a@x.example":1,"b@x.example":2}"#,
    );
    assert_eq!(new, r#"{"[redacted:email]":1,"[redacted:email]-2":2}"#);
    // In a string too, where a number becomes a string.
    let inner = r#"{"a@x.example":4539578763621486,"b@x.example":2}"#;
    let new = redacted(
        r#"{"hide":["emails","cards"]}"#,
        &json!([inner]).to_string(),
    );
    let masked = r#"{"[redacted:email]":"[redacted:card]","[redacted:email]-2":2}"#;
    assert_eq!(new, json!([masked]).to_string());
    // Nor the key that a document before has renamed.
    let new = redacted(
        r#"{"hide":["emails"]}"#,
        r#"[{"a@x.example":1,"[redacted:email]":{"b@x.example":2}}]"#,
    );
    assert_eq!(
        new,
        r#"[{"[redacted:email]-2":1,"[redacted:email]":{"[redacted:email]":2}}]"#
    );
}

#[test]
fn settings_that_hide_nothing_are_refused() {
    for (settings, named) in [
        ("{}", "nothing is hidden"),
        (r#"{"patterns":[{"name":"a","match":"("}]}"#, "match"),
        (
            r#"{"patterns":[{"name":"a","match":"x*"}]}"#,
            "matches nothing at all",
        ),
        (
            r#"{"patterns":[{"name":"a","match":"x","group":1}]}"#,
            "group",
        ),
        (r#"{"patterns":[{"name":"A b","match":"x"}]}"#, "name"),
        (r#"{"members":[""]}"#, "members"),
    ] {
        let settings: Settings = serde_json::from_str(settings).expect("settings");
        let error = Redact::configure(settings).err().expect("refused");
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn hostile_text_takes_linear_time() {
    let bench = bench();
    for piece in [
        "eyJ",
        "token=",
        "figd_",
        "sk-",
        "a@",
        "-----BEGIN PRIVATE KEY-----",
        "1-",
        "4111 ",
        "::",
        "://a:",
        "+1",
        "SG.",
        "\\\"",
        "GB29",
        "AAAA",
        "a.atlasv1.",
        "-us1",
        "password=",
        ";pwd=a",
        "-----BEGIN PRIVATE KEY-----\nMIIE",
        "PuTTY-User-Key-File-2: ",
        "{\"token\":\"",
        "12:34:",
    ] {
        let time = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let begun = std::time::Instant::now();
            bench.apply(&text);
            begun.elapsed()
        };
        // Eight times the text: quadratic work would take 64 times as long. A busy machine takes longer too, now for
        // one and now for the other, so both are measured again.
        let is_linear = |_| {
            let most = time(5_000) * 24 + std::time::Duration::from_millis(100);
            time(40_000) < most
        };
        assert!((0..8).any(is_linear), "{piece} takes more than linear time");
    }
}

/// A cut key may have headers (RFC 1421) before its lines, and another key or certificate after them.
#[test]
fn a_cut_private_key_with_headers_is_found_before_another_begins() {
    let (label, line) = ("RSA PRIVATE KEY-----", random(64, 5));
    let headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n";
    let certificate = format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        random(64, 9)
    );
    let cut = format!("-----BEGIN {label}\n{headers}\n{line}\n{line}\n");
    for text in [cut.clone(), format!("{cut}{certificate}")] {
        for text in [text.clone(), text.replace('\n', "\\n")] {
            let new = bench().apply(&text).text().to_owned();
            assert!(!new.contains(&line), "{new}");
            assert_eq!(
                new.contains("CERTIFICATE"),
                text.contains("CERTIFICATE"),
                "{new}"
            );
        }
    }
}

#[test]
fn a_private_key_is_found_cut_and_as_a_member_and_its_name_alone_is_none() {
    let bench = bench();
    let (label, line) = ("PRIVATE KEY-----", random(64, 5));
    let cut = format!("a\n-----BEGIN RSA {label}\n{line}\n{line}\n{}", &line[..30]);
    assert_eq!(
        bench.apply(&format!("{cut}\n\nText goes on here")).text(),
        "a\n[redacted:private-key]\n\nText goes on here"
    );
    let log = format!(r"key=-----BEGIN {label}\n{line}\n{line}\n-----END {label}\n and more");
    let new = bench.apply(&log).text().to_owned();
    assert_eq!(new, r"key=[redacted:private-key]\n and more");
    for text in [
        format!("A key begins with -----BEGIN {label} and a line end."),
        format!("-----BEGIN {label}\n...\n-----END {label}"),
        "if key.starts_with(\"-----BEGIN PRIVATE KEY-----\") { return load(key, passphrase_of(path)); }".to_owned(),
    ] {
        assert_eq!(bench.apply(&text).text(), text);
    }
}

#[test]
fn a_pseudonym_is_of_the_content_for_a_session_and_48_at_most() {
    let bench = Bench::<Redact>::new(r#"{"hide":["emails","api-keys"],"with":"pseudonym"}"#);
    let bench = bench.in_one_session();
    let new = bench.apply("a@x.example b@x.example a@x.example");
    let masks = "[redacted:email-1] [redacted:email-2] [redacted:email-1]";
    assert_eq!(new.text(), masks);
    assert_eq!(bench.apply(masks).text(), masks);
    assert_eq!(bench.apply("b@x.example").text(), "[redacted:email-2]");
    // A token is the same with its name and without.
    let token = format!("ghp_{}", random(36, 3));
    for text in [
        format!("token={token}"),
        format!("{{\"api_key\":\"{token}\"}}"),
        token,
    ] {
        let new = bench.apply(&text).text().to_owned();
        assert!(new.contains("[redacted:api-key-1]"), "{new}");
    }
    for n in 4..=48 {
        let new = bench.apply(&format!("m{n}@y.example"));
        assert_eq!(new.text(), format!("[redacted:email-{}]", n - 1));
    }
    assert_eq!(bench.apply("last@y.example").text(), "[redacted:email]");
    assert_eq!(bench.apply("a@x.example").text(), "[redacted:email-1]");
}

#[test]
fn the_example_of_the_readme_holds() {
    let readme = include_str!("../README.md");
    let examples: Vec<&str> = readme
        .split("```json\n")
        .skip(1)
        .filter_map(|it| it.split_once("\n```"))
        .map(|(json, _)| json)
        .collect();
    let settings = r#"{"hide":["api-keys","jwts","private-keys","connection-strings","emails"]}"#;
    assert_eq!(redacted(settings, examples[0]), examples[1]);
}

#[test]
fn limits_are_those_that_the_readme_names() {
    let bench = bench();
    let (token, value) = (format!("ghp_{}", random(36, 3)), random(32, 9));
    for text in [
        format!("{}\u{200b}{}", &token[..20], &token[20..]),
        format!("{}\u{ad}{}", &token[..20], &token[20..]),
        format!("{}…", &token[..20]),
        json!([&token[..20], &token[20..]]).to_string(),
        json!({"name": "API_KEY", "value": value}).to_string(),
        format!("airtable = \"{value}\""),
        json!({"password": "hunter"}).to_string(),
        "de89370400440532013000".to_owned(),
    ] {
        assert_eq!(bench.apply(&text).text(), text);
    }
}

#[test]
fn addresses_that_name_nobody_stay() {
    let bench = bench();
    for text in [
        "127.0.0.1:80",
        "0.0.0.0",
        "::1",
        "255.255.255.0",
        "Chrome/120.0.0.1",
        "version 1.2.3.4",
        "RFC 5280 section 4.2.1.13",
        // Numbers of 64 bits with the check digit of a card.
        "4640401278902814207, 3966727403013869059",
    ] {
        assert_eq!(bench.apply(text).text(), text);
    }
}

#[test]
fn names_of_no_secrets_keep_their_values() {
    let (bench, value) = (bench(), random(32, 9));
    for name in [
        "nextPageToken",
        "continuation_token",
        "cache_key",
        "primary-key",
        "public_key",
        "token_type",
        "secret_arn",
        "monkey",
        "author",
        "progressToken",
    ] {
        for text in [
            format!("{name}={value}"),
            json!({ name: value }).to_string(),
        ] {
            assert_eq!(bench.apply(&text).text(), text);
        }
    }
}

proptest! {
    #[test]
    fn text_outside_of_finds_keeps_its_spelling(text in "[ -~\n\u{e9}\u{6771}]{0,40}", seed in 1u64..1000) {
        let secret = format!("ghp_{}", random(36, seed));
        let old = format!("{text} {secret} {text}");
        let new = Bench::<Redact>::new(r#"{"hide":["api-keys"]}"#).apply(&old).text().to_owned();
        let mut rest = old.as_str();
        for (n, piece) in new.split("[redacted:").enumerate() {
            let piece = if n == 0 { piece } else { piece.split_once(']').map_or(piece, |(_, after)| after) };
            let at = rest.find(piece);
            prop_assert!(at.is_some_and(|at| n > 0 || at == 0), "{old:?} became {new:?}");
            rest = &rest[at.unwrap_or(0) + piece.len()..];
        }
    }

    #[test]
    fn no_text_fails(text in ".{0,200}", json in "[\\[\\]{}\":,\\\\a-f0-9@. é東-]{0,120}") {
        for settings in [ALL, r#"{"hide":["api-keys","emails"],"base64":true,"with":"remove","members":["a*"]}"#] {
            let bench = Bench::<Redact>::new(settings);
            for text in [&text, &json] {
                let is_json = serde_json::from_str::<Value>(text).is_ok();
                let new = bench.apply(text).text().to_owned();
                prop_assert!(!is_json || serde_json::from_str::<Value>(&new).is_ok(), "{text} became {new}");
            }
        }
    }

    #[test]
    fn a_planted_secret_leaves_nothing(before in "[ -~\n]{0,30}", after in "[ -~\n]{0,30}", which in 0usize..70, seed in 1u64..1000) {
        let all = secrets(seed);
        let (secret, kind) = &all[which % all.len()];
        // A letter or digit right beside it makes it another word.
        let text = format!("{before} {secret} {after}");
        let new = bench().apply(&text).text().to_owned();
        prop_assert!(!new.contains(secret.as_str()), "{}: {} became {}", kind, text, new);
        let json = json!({"k": [text]}).to_string();
        let new: Value = serde_json::from_str(bench().apply(&json).text()).expect("JSON");
        prop_assert!(!says(&new, secret), "{} became {}", json, new);
    }

    #[test]
    fn what_is_redacted_stays_so(text in "[ -~\n]{0,80}") {
        let once = bench().apply(&text).text().to_owned();
        let twice = bench().apply(&once).text().to_owned();
        prop_assert_eq!(once, twice);
    }
}

#[test]
fn half_a_character_hides_nothing() {
    let bench = bench();
    let secret = random(34, 9);
    let escaped: String = format!("ghp_{secret}")
        .chars()
        .map(|c| format!("\\u{:04x}", c as u32))
        .collect();
    for half in [
        "\\ud800",
        "\\udc00",
        "\\ud800\\ud800",
        "\\\\\\udfff",
        "\\ud83e\\udd80 \\udbff",
    ] {
        for json in [
            format!(r#"{{"a":"{half} {escaped}"}}"#),
            format!(r#"{{"a":"{escaped} {half}"}}"#),
            format!(r#"{{"{half} {escaped}":1}}"#),
            format!(r#"["{half} plain ghp_{secret}"]"#),
        ] {
            let new = bench.apply(&json).text().to_owned();
            let value: Value = serde_json::from_str(&new).expect("JSON");
            assert!(
                new.contains("[redacted:") && !says(&value, &secret),
                "{json} became {new}"
            );
        }
    }
    let harmless = r#"{"a":"\ud800 is half"}"#;
    assert_eq!(bench.apply(harmless).text(), harmless);
}

#[test]
fn a_secret_that_json_among_words_spells_with_escapes_is_found() {
    for (text, secret) in [
        (
            r#"Note: [{"mail":"ann\u0040example.com","n":1}] and more"#,
            "example.com",
        ),
        (
            r#"Note: {"url":"postgres:\/\/ann:s3cr3t-pass@db.example.com\/x"} and more"#,
            "s3cr3t",
        ),
    ] {
        let told = redacted(ALL, text);
        assert!(!told.contains(secret), "{told}");
    }
    // Without a secret, such a text stays as it is.
    let text = r#"Note: [{"name":"Zo\u00eb","n":1}] and more"#;
    assert!(!bench().apply(text).changed);
}
