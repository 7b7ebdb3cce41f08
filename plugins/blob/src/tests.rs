use super::Blobs;
use crate::decode::{Alphabet, base64};
use proptest::prelude::*;
use serde_json::{Value, json};
use tamis_sdk::Kind;
use tamis_sdk::testing::{Bench, assert_schema};

fn bench(settings: Value) -> Bench<Blobs> {
    Bench::new(settings)
}

/// Bytes that look random and are the same each time (xorshift).
fn noise(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..count).map(next).collect()
}

fn beginning(head: &[u8], count: usize) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.extend(noise(count - head.len(), 7));
    bytes
}

/// Encodes bytes with another implementation.
fn encode(bytes: &[u8], alphabet: Alphabet) -> String {
    let signs = match alphabet {
        Alphabet::Standard => b"+/",
        Alphabet::Url => b"-_",
    };
    let digits: Vec<u8> = (b'A'..=b'Z')
        .chain(b'a'..=b'z')
        .chain(b'0'..=b'9')
        .chain(*signs)
        .collect();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut bits = 0u32;
        for place in 0..3 {
            bits = bits << 8 | u32::from(*chunk.get(place).unwrap_or(&0));
        }
        for place in 0..4 {
            let is_there = place <= chunk.len();
            let digit = digits[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if is_there { char::from(digit) } else { '=' });
        }
    }
    text
}

fn standard(bytes: &[u8]) -> String {
    encode(bytes, Alphabet::Standard)
}

fn png(count: usize) -> Vec<u8> {
    beginning(b"\x89PNG\r\n\x1a\n", count)
}

/// Lines of this many characters.
fn wrapped(text: &str, width: usize, line_break: &str) -> String {
    let lines = text.as_bytes().chunks(width);
    let lines: Vec<&str> = lines
        .map(|line| std::str::from_utf8(line).expect("ASCII"))
        .collect();
    lines.join(line_break)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn settings_have_their_schema() {
    assert_schema::<Blobs>(concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json"));
}

#[test]
fn a_string_of_json_becomes_a_line_with_kind_size_and_path() {
    let document = json!({
        "page": 1,
        "shots": [{"name": "a"}, {"name": "b", "odd key": {"png": standard(&png(48_213))}}],
        "none": null,
    });
    let found = bench(json!({})).apply(&document.to_string());
    let found: Value = serde_json::from_str(found.text()).expect("JSON");
    assert_eq!(
        found["shots"][1]["odd key"]["png"],
        r#"[image/png, base64, 48,213 bytes: tamis_read {"ref":"abcdefghij234567","path":"$.shots[1][\"odd key\"].png"}]"#
    );
    assert_eq!(found["shots"][0], document["shots"][0]);
    assert_eq!(found["page"], 1);
}

#[test]
fn a_text_names_the_lines() {
    let lines = wrapped(&standard(&png(1000)), 76, "\r\n");
    let text = format!("To: you\n\n{lines}\r\nbye\nimg: {}\n", standard(&png(900)));
    let found = bench(json!({})).sent_as(Kind::Text).apply(&text);
    let call =
        |lines: &str| format!(r#"tamis_read {{"ref":"abcdefghij234567","lines":"{lines}"}}"#);
    let (first, second) = (call("3-20"), call("22-22"));
    let expected = format!(
        "To: you\n\n[image/png, base64, 1,000 bytes: {first}]\r\nbye\nimg: [image/png, base64, 900 bytes: {second}]\n"
    );
    assert_eq!(found.text(), expected);
    assert_eq!(found.kept, [""], "it is kept once");
}

#[test]
fn where_paths_or_lines_are_others_than_upstreams_none_is_named() {
    let blob = standard(&png(600));
    let call = r#"tamis_read {"ref":"abcdefghij234567"}"#;
    let line = format!("[image/png, base64, 600 bytes: {call}]");
    let converted = bench(json!({}))
        .sent_as(Kind::Text)
        .apply(&json!({"a": blob}).to_string());
    assert_eq!(converted.text(), json!({"a": line}).to_string());
    let printed = bench(json!({})).sent_as(Kind::Json).apply(&blob);
    assert_eq!(printed.text(), line);
    let mut deep = json!(blob);
    for _ in 0..40 {
        deep = json!([deep]);
    }
    let deep = bench(json!({})).apply(&deep.to_string());
    assert!(deep.changed && !deep.text().contains("path"));
}

#[test]
fn media_are_told_by_their_bytes() {
    for (head, media) in [
        (&b"\x89PNG\r\n\x1a\n"[..], "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"GIF87a", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", "audio/wav"),
        (b"%PDF-1.7\n", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08\0", "application/gzip"),
        (b"\0asm\x01\0\0\0", "application/wasm"),
        (b"\x7fELF\x02", "ELF"),
        (b"\x01\x02\x03", "binary"),
    ] {
        let found = bench(json!({})).apply(&standard(&beginning(head, 700)));
        let expected = format!("[{media}, base64, 700 bytes: ");
        assert!(found.text().starts_with(&expected), "{}", found.text());
    }
    let words = "It was a bright cold day in April, and the clocks were striking 13. ".repeat(12);
    let found = bench(json!({})).apply(&standard(words.as_bytes()));
    assert!(
        found.text().starts_with("[text, base64, "),
        "{}",
        found.text()
    );
}

#[test]
fn data_uris_go_with_their_heads() {
    let svg = format!("<svg>{}</svg>", "<path d='M0 0'/>".repeat(60));
    let text = format!(
        "![a](data:image/png;base64,{}) ![b](data:image/svg+xml;charset=utf-8;base64,{})",
        standard(&png(600)),
        standard(svg.as_bytes())
    );
    for settings in [json!({}), json!({"bare": false})] {
        let found = bench(settings).sent_as(Kind::Text).apply(&text);
        let read = r#"tamis_read {"ref":"abcdefghij234567","lines":"1-1"}"#;
        assert_eq!(
            found.text(),
            format!(
                "![a]([image/png, base64, 600 bytes: {read}]) ![b]([image/svg+xml, base64, {} bytes: {read}])",
                svg.len()
            )
        );
    }
    let bare = bench(json!({"bare": false}));
    assert!(!bare.apply(&standard(&png(600))).changed);
    assert_eq!(bare.triggers(), [";base64,", "\\u"]);
}

#[test]
fn escapes_are_read_and_the_rest_of_the_string_stays() {
    let blob = standard(&png(1200));
    let escaped = blob.replace('/', "\\/");
    assert_ne!(blob, escaped);
    let text = format!(r#"{{"s":"é \"before\" {escaped}\n after","n":1.50}}"#);
    let found = bench(json!({})).apply(&text);
    let value: Value = serde_json::from_str(found.text()).expect("JSON");
    let said = value["s"].as_str().expect("a string");
    assert!(said.starts_with("é \"before\" [image/png, base64, 1,200 bytes: "));
    assert!(said.ends_with("]\n after") && found.text().ends_with(r#","n":1.50}"#));
    let mail = wrapped(&blob, 76, "\n");
    let found = bench(json!({})).apply(&json!({"mail": mail}).to_string());
    assert!(
        found
            .text()
            .starts_with(r#"{"mail":"[image/png, base64, 1,200 bytes: "#)
    );
}

#[test]
fn the_threshold_is_exact() {
    // 384 bytes are 512 characters.
    for (bytes, changed) in [(384, true), (383, true), (381, false)] {
        let text = standard(&png(bytes));
        assert_eq!(text.len() >= 512, changed);
        assert_eq!(bench(json!({})).apply(&text).changed, changed, "{bytes}");
        let json = json!([text]).to_string();
        assert_eq!(bench(json!({})).apply(&json).changed, changed, "{bytes}");
    }
    let short = bench(json!({"least": 200}));
    assert!(short.apply(&standard(&png(200))).changed);
}

/// Text that only looks like base64, or that should stay.
#[test]
fn lookalikes_stay() {
    let tokens = |count: usize, length: usize| -> Vec<String> {
        let letters = |byte: u8| {
            let digit = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                [usize::from(byte) % 62];
            char::from(digit)
        };
        (0..count)
            .map(|seed| {
                noise(length, seed as u64 + 1)
                    .into_iter()
                    .map(letters)
                    .collect()
            })
            .collect()
    };
    let jwt = format!(
        "eyJhbGciOiJSUzI1NiJ9.{}.{}",
        encode(&noise(900, 3), Alphabet::Url).trim_end_matches('='),
        encode(&noise(256, 4), Alphabet::Url).trim_end_matches('=')
    );
    let hashes: Vec<String> = (0..40).map(|seed| hex(&noise(32, seed))).collect();
    let integrity: Vec<String> = (0..40).map(|seed| standard(&noise(64, seed))).collect();
    let words = "theQuickBrownFoxJumpsOverTheLazyDog42".repeat(40);
    let path = format!(
        "/home/dev/{}",
        "SomeModule2/innerFolder/AnotherName/".repeat(30)
    );
    let minified = "function(e,t){return e.charCodeAt(t)^r[n++]};".repeat(50);
    let blob = standard(&noise(600, 9));
    let cases = [
        ("a long identifier", tokens(1, 2000).remove(0)),
        ("tokens on lines of their own", tokens(40, 64).join("\n")),
        ("camel case", words),
        ("a path", path.clone()),
        ("lines of paths", vec![path; 5].join("\n")),
        ("a JSON Web Token", jwt),
        ("hashes in hexadecimal, one a line", hashes.join("\n")),
        ("hashes in hexadecimal, as one", hashes.concat()),
        ("hashes in base64, one a line", integrity.join("\n")),
        ("hashes with a name", integrity.join(" sha512-")),
        ("code without spaces", minified.clone()),
        (
            "code in one line",
            minified.replace([',', '(', ')', '{', '}', ';', '^'], ""),
        ),
        ("one letter", "A".repeat(4000)),
        ("two letters and a digit", "Ab1/".repeat(1000)),
        ("a ruler", "-".repeat(2000)),
        ("a table's line", "+----".repeat(400)),
        ("DNA", "GATTACA/".repeat(200)),
        ("a number", "1234567890".repeat(100)),
        (
            "base64 over and over, cut",
            "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(100),
        ),
        ("a character too few", blob[..blob.len() - 1].to_owned()),
        ("too much padding", format!("{blob}===")),
        (
            "padding in the middle",
            format!("{}={}", &blob[..400], &blob[400..]),
        ),
        (
            "a URL's escapes",
            format!("https://example.com/?q={}%2B{blob}", &blob[..400]),
        ),
        ("base64url", encode(&noise(600, 5), Alphabet::Url)),
        ("a part of something with dots", format!("v1.{blob}.{blob}")),
        (
            "bits left over",
            format!("{}B==", &standard(&noise(601, 2))[..801]),
        ),
        ("a hex dump", hex_dump(&png(800), Form::Xxd)),
    ];
    for (name, text) in cases {
        for document in [text.clone(), json!({"key": text}).to_string()] {
            let found = bench(json!({})).apply(&document);
            assert!(!found.changed, "{name}: {}", found.text());
            assert!(found.kept.is_empty(), "{name}");
        }
    }
    // Keys stay, whatever their text is.
    let keys = json!({standard(&png(600)): 1}).to_string();
    assert!(!bench(json!({})).apply(&keys).changed);
}

enum Form {
    Xxd,
    Hexdump,
}

fn hex_dump(bytes: &[u8], form: Form) -> String {
    let shown = |line: &[u8]| -> String {
        let char_of = |byte: &u8| match byte {
            b' '..=b'~' => char::from(*byte),
            _ => '.',
        };
        line.iter().map(char_of).collect()
    };
    let mut text = String::new();
    for (number, line) in bytes.chunks(16).enumerate() {
        let offset = number * 16;
        text += &match form {
            Form::Xxd => {
                let groups: Vec<String> = line.chunks(2).map(hex).collect();
                format!("{offset:08x}: {:<39}  {}\n", groups.join(" "), shown(line))
            }
            Form::Hexdump => {
                let halves: Vec<String> = line
                    .chunks(8)
                    .map(|half| half.chunks(1).map(hex).collect::<Vec<_>>().join(" "))
                    .collect();
                format!(
                    "{offset:08x}  {:<48}  |{}|\n",
                    halves.join("  "),
                    shown(line)
                )
            }
        };
    }
    text
}

#[test]
fn other_encodings_on_request() {
    let url = encode(&noise(601, 5), Alphabet::Url);
    let jwt = format!("eyJhbGciOiJSUzI1NiJ9.{}.c2ln", url.trim_end_matches('='));
    let cases = [
        (
            json!({"base64url": true}),
            url.clone(),
            "[binary, base64url, 601 bytes: ",
        ),
        (
            json!({"base64url": true}),
            url.trim_end_matches('=').to_owned(),
            "[binary, base64url, 601 bytes: ",
        ),
        (
            json!({"hex": true}),
            hex(&png(400)),
            "[image/png, hex, 400 bytes: ",
        ),
        (
            json!({"hex": true}),
            hex(&noise(400, 1)).to_uppercase(),
            "[binary, hex, 400 bytes: ",
        ),
        (
            json!({"hex": true}),
            hex_dump(&png(800), Form::Xxd),
            "[image/png, hex dump, 800 bytes: ",
        ),
        (
            json!({"hex": true}),
            hex_dump(&png(801), Form::Hexdump),
            "[image/png, hex dump, 801 bytes: ",
        ),
        (json!({"jwt": true}), jwt, "[JSON Web Token, base64url, "),
    ];
    for (settings, text, expected) in cases {
        let bench = bench(settings.clone());
        for document in [text.clone(), json!({"key": text}).to_string()] {
            let found = bench.apply(&document);
            let said = found.text().trim_start_matches(r#"{"key":""#);
            assert!(said.starts_with(expected), "{settings}: {said}");
            assert!(!bench.apply(found.text()).changed);
        }
    }
    let hex = bench(json!({"hex": true}));
    let hashes: Vec<String> = (0..40)
        .map(|seed| super::tests::hex(&noise(32, seed)))
        .collect();
    for text in [
        hashes.join("\n"),
        "0".repeat(1000),
        "deadbeef".repeat(100),
        (0..100).map(|row| format!("{row:04} 10 20 30\n")).collect(),
    ] {
        assert!(!hex.apply(&text).changed, "{text}");
    }
}

#[test]
fn a_word_after_the_last_line_stays() {
    let lines = wrapped(&standard(&png(570)), 76, "\n");
    let found = bench(json!({}))
        .sent_as(Kind::Text)
        .apply(&format!("{lines}\nDone"));
    assert!(found.text().ends_with("]\nDone"), "{}", found.text());
    let found = bench(json!({}))
        .sent_as(Kind::Text)
        .apply(&format!("{lines}\nend of file"));
    assert!(found.text().ends_with("]\nend of file"), "{}", found.text());
}

#[test]
fn nothing_goes_where_nothing_is_kept() {
    let unkept = bench(json!({})).keeps(false);
    let blob = standard(&png(600));
    assert!(!unkept.apply(&blob).changed);
    assert!(!unkept.apply(&json!({"a": [blob]}).to_string()).changed);
}

#[test]
fn nonsense_is_refused_by_key() {
    let refusal = Bench::<Blobs>::refusal(json!({"least": 199}));
    let refusal = refusal.expect("it is too small");
    assert!(
        refusal.starts_with("`least` is 199: 200 characters or more"),
        "{refusal}"
    );
    assert!(Bench::<Blobs>::refusal(json!({"leest": 1})).is_some());
}

/// Undoes a line: puts the original blob back.
fn put_back(document: &str, path: &str, blob: &str) -> Value {
    let mut value: Value = serde_json::from_str(document).expect("JSON");
    *value.pointer_mut(path).expect("it is there") = json!(blob);
    value
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(250) })]

    #[test]
    fn any_bytes_are_decoded_as_they_were(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for alphabet in [Alphabet::Standard, Alphabet::Url] {
            let text = encode(&bytes, alphabet);
            prop_assert_eq!(base64(text.as_bytes(), alphabet), Some(bytes.clone()));
        }
    }

    /// Random bytes of any length are found at every position, alone and whole, and all other text stays.
    #[test]
    fn a_blob_goes_whole_and_nothing_else(
        count in 500usize..3000, seed: u64, width in prop::sample::select(vec![0, 60, 64, 76]),
        before in "([a-zé ,:\"{}]{0,30}[ :\"])?", after in "([ \",}][a-zé .]{0,30})?",
    ) {
        let whole = standard(&noise(count, seed));
        let blob = if width == 0 { whole } else { wrapped(&whole, width, "\n") };
        let text = format!("{before}{blob}{after}");
        let found = bench(json!({})).sent_as(Kind::Text).apply(&text);
        let said = found.text();
        let head = format!("{before}[binary, base64, ");
        prop_assert!(said.starts_with(&head), "{}", said);
        // A short last line may stay if it could be a word.
        let rest = said.split_once("}]").expect("the line ends").1;
        let left = rest.strip_suffix(after.as_str()).expect("what came after");
        prop_assert!(left.len() <= width, "{}", left);

        let document = json!({"a": [1, {"b c": text}], "n": null}).to_string();
        let found = bench(json!({})).apply(&document);
        prop_assert!(found.changed);
        prop_assert!(found.text().contains(r#"\"path\":\"$.a[1][\\\"b c\\\"]\""#), "{}", found.text());
        prop_assert_eq!(put_back(found.text(), "/a/1/b c", &text), serde_json::from_str::<Value>(&document).expect("JSON"));
    }

    #[test]
    fn filtering_twice_is_filtering_once(
        parts in prop::collection::vec(
            prop_oneof![
                (0usize..900, any::<u64>()).prop_map(|(count, seed)| standard(&noise(count, seed))),
                (0usize..900, any::<u64>()).prop_map(|(count, seed)| wrapped(&standard(&png(count + 8)), 64, if seed % 2 == 0 { "\n" } else { "\r\n" })),
                (0usize..400, any::<u64>()).prop_map(|(count, seed)| hex(&noise(count, seed))),
                (0usize..400).prop_map(|count| hex_dump(&png(count + 8), Form::Xxd)),
                "\\PC{0,20}",
                prop::sample::select(vec!["\n", ".", "=", "data:image/png;base64,", "eyJ", " ", "\"", "-", "/"]).prop_map(str::to_owned),
            ],
            0..12,
        ),
        all: bool,
    ) {
        let text = parts.concat();
        let bench = bench(json!({"least": 200, "base64url": all, "hex": all, "jwt": all}));
        for document in [text.clone(), json!([text]).to_string()] {
            let once = bench.apply(&document);
            let twice = bench.apply(once.text());
            prop_assert_eq!(once.text(), twice.text());
        }
    }
}
