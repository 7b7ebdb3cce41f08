//! Tests of false finds: text without secrets, generated and from the workspace, stays unchanged.

use super::*;
use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

pub const PRESETS: [&str; 9] = [
    "api-keys",
    "jwts",
    "private-keys",
    "connection-strings",
    "emails",
    "phones",
    "cards",
    "ibans",
    "ips",
];

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    fn of(&mut self, signs: &[u8], length: usize) -> String {
        let sign = |_| char::from(signs[self.below(signs.len() as u64) as usize]);
        (0..length).map(sign).collect()
    }

    fn hex(&mut self, length: usize) -> String {
        self.of(b"0123456789abcdef", length)
    }

    fn base64(&mut self, length: usize) -> String {
        self.of(
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            length,
        )
    }
}

/// Generated text of many kinds, without secrets.
pub fn made() -> Vec<(&'static str, String)> {
    let mut r = Random(11);
    let mut all = Vec::new();
    let mut add = |name: &'static str, line: &mut dyn FnMut(&mut Random, u64) -> String| {
        all.push((
            name,
            (0..1500)
                .map(|n| line(&mut r, n) + "\n")
                .collect::<String>(),
        ));
    };
    add("package lock", &mut |r, n| {
        let (name, hash) = (r.of(b"abcdefghijklmnop", 8), r.base64(86));
        format!(
            "    \"node_modules/@scope/{name}\": {{ \"version\": \"{n}.4.{}\", \"resolved\": \"https://registry.npmjs.org/@scope/{name}/-/{name}-{n}.4.1.tgz\", \"integrity\": \"sha512-{hash}==\", \"engines\": {{ \"node\": \">=18\" }} }},",
            r.below(99)
        )
    });
    add("UUIDs", &mut |r, n| {
        format!(
            "{{\"id\":\"{}-{}-4{}-a{}-{}\",\"n\":{n}}}",
            r.hex(8),
            r.hex(4),
            r.hex(3),
            r.hex(3),
            r.hex(12)
        )
    });
    add("git log", &mut |r, n| {
        format!(
            "commit {}\nMerge: {} {}\n    fix: keys of table {n} (#{})",
            r.hex(40),
            r.hex(7),
            r.hex(7),
            r.below(9999)
        )
    });
    add("digests", &mut |r, _| {
        format!(
            "sha256:{}  layer.tar md5={} {}",
            r.hex(64),
            r.hex(32),
            r.hex(128)
        )
    });
    add("versions", &mut |r, n| {
        format!(
            "name{n} = \"{}.{}.{}\" version: 1.2.3.{} v4.{}.0.1 Chrome/120.0.6099.{} pkg==2.0.{}.4",
            r.below(20),
            r.below(40),
            r.below(99),
            r.below(9),
            r.below(9),
            r.below(200),
            r.below(9)
        )
    });
    add("times", &mut |r, n| {
        format!(
            "2026-0{}-1{}T0{}:{}0:59.{:03}Z +02:00 12:34:56 1{:012} 1{:015} 1{:018} {n}",
            1 + r.below(9),
            r.below(10),
            r.below(10),
            r.below(6),
            r.below(1000),
            r.below(999_999_999_999),
            r.below(999_999_999),
            r.below(999_999_999)
        )
    });
    add("a log", &mut |r, n| {
        format!(
            "INFO [worker-{}] order 2026-{:06}-{} took {} ms, {} bytes, request_id={} tokens=1{} token_type=bearer",
            r.below(9),
            r.below(999_999),
            n,
            r.below(5000),
            r.below(9_999_999),
            r.hex(16),
            r.below(9999)
        )
    });
    add("colours", &mut |r, _| {
        format!(
            "color: #{}; background: #{}; margin: 0 {}px",
            r.hex(6),
            r.hex(8),
            r.below(40)
        )
    });
    add("scripts", &mut |r, n| {
        format!(
            "!function(e,t){{var n=t.key||e.token,r=t.password===void 0;return n[{n}]?o.secret(e,{}):this.authKeys[{}].map(s=>s.key)}};const cacheKey=\"{}\",sortKey=`a-${{n}}`;",
            r.below(99),
            r.below(9),
            r.hex(20)
        )
    });
    add("images", &mut |r, _| {
        format!(
            "<img src=\"data:image/png;base64,iVBORw0KGgo{}==\"/>",
            r.base64(400)
        )
    });
    add("paths", &mut |r, n| {
        format!(
            "std::net::ab::cd{n}::{} at src/auth/token.rs:{}:{} in crate::keys::Ed25519KeyPair",
            r.hex(3),
            r.below(900),
            r.below(80)
        )
    });
    add("a difference", &mut |r, n| {
        format!(
            "@@ -{n},7 +{},9 @@\n+2026-03-{:02} release\n+{}\n-    let token = next_token({n});\n+    let password = read_password()?;",
            r.below(9999),
            r.below(28),
            r.below(9_999_999)
        )
    });
    add("pages", &mut |r, n| {
        format!(
            "{{\"nextPageToken\":\"{}\",\"cursor\":\"{}\",\"cache_key\":\"{}\",\"etag\":\"W/{n}\",\"primary_key\":\"{}\"}}",
            r.base64(32),
            r.base64(24),
            r.hex(32),
            r.hex(24)
        )
    });
    add("tables", &mut |r, n| {
        format!(
            "| {n} | {} | {:.4} | {} {} {} | key-{n} | {}% |",
            r.below(999_999),
            r.below(99_999) as f64 / 7.0,
            r.below(99),
            r.below(999),
            r.below(9999),
            r.below(100)
        )
    });
    add("files", &mut |r, n| {
        format!(
            "icon-{n}@2x.png getty@tty{}.service git@github.com:team/repo{n}.git left@1.{}.0 @types/node",
            r.below(9),
            r.below(9)
        )
    });
    add("source", &mut |_, n| {
        format!(
            "let password = config.password{n}; const token = process.env.TOKEN_{n}; auth: {{ type: 'oauth2', tokenUrl: '/token{n}' }}, api_key: Option<String{n}>, secret = get_secret({n}), \"password\": \"${{PASSWORD}}\", token: <your-token-{n}>, PASSWORD=$(cat /run/secrets/{n})"
        )
    });
    all
}

/// Sources, pages and lock files of the workspace, without this folder, whose tests hold secrets.
pub fn read() -> Vec<(&'static str, String)> {
    fn add(folder: &std::path::Path, all: &mut Vec<(&'static str, String)>) {
        let mut entries: Vec<_> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            let (path, name) = (entry.path(), entry.file_name());
            let is_out = matches!(
                name.to_str(),
                Some("target" | "redact" | "node_modules") | None
            ) || name.to_string_lossy().starts_with('.');
            if path.is_dir() && !is_out {
                add(&path, all);
            }
            let kind = match path.extension().and_then(|it| it.to_str()) {
                Some("rs") => "sources of the workspace",
                Some("md") => "pages of the workspace",
                Some("lock" | "toml") => "manifests and lock files",
                _ => continue,
            };
            if let Ok(text) = std::fs::read_to_string(&path)
                && path.is_file()
            {
                all.push((kind, text));
            }
        }
    }
    let mut all = Vec::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    add(root.as_ref(), &mut all);
    for page in ["../docs", "../host"] {
        add(format!("{root}/{page}").as_ref(), &mut all);
    }
    all
}

/// Finds of a preset in texts, and the bytes of the texts.
pub fn finds(preset: &str, texts: &[(&str, String)]) -> (Vec<String>, usize) {
    let bench = Bench::<Redact>::new(json!({"hide": [preset]}));
    let (mut all, mut bytes) = (Vec::new(), 0);
    for (name, text) in texts {
        bytes += text.len();
        let new = bench.apply(text);
        let changed = new
            .text()
            .lines()
            .zip(text.lines())
            .filter(|(new, old)| new != old);
        all.extend(changed.map(|(new, _)| format!("{name}: {new:.300}")));
    }
    (all, bytes)
}

#[test]
fn texts_without_secrets_stay() {
    let (made, read) = (made(), read());
    for preset in PRESETS {
        let (wrong, bytes) = finds(preset, &made);
        assert!(
            wrong.is_empty() && bytes > 1_000_000,
            "{preset}: {} finds: {:#?}",
            wrong.len(),
            wrong.iter().take(4).collect::<Vec<_>>()
        );
        // Pages and tests hold examples of addresses, and a few of passwords.
        if !matches!(preset, "emails" | "ips" | "phones") {
            let (wrong, bytes) = finds(preset, &read);
            assert!(
                bytes > 500_000 && wrong.len() * 50_000 <= bytes,
                "{preset}: {wrong:#?} in {bytes} bytes"
            );
        }
    }
}

/// Prints the false finds: `cargo test --release -p redact -- --ignored false_finds --nocapture`
#[test]
#[ignore = "prints lines"]
fn false_finds_of_each_preset() {
    for (name, texts) in [("made", made()), ("workspace", read())] {
        for preset in PRESETS {
            let (all, _) = finds(preset, &texts);
            all.iter()
                .for_each(|line| println!("{name} {preset} {line:.160}"));
        }
    }
}

/// Prints the finds of each preset in files below a folder of your choice:
/// `TEXTS=/path cargo test --release -p redact -- --ignored finds_in --nocapture`
#[test]
#[ignore = "needs TEXTS=/path"]
fn finds_in_texts() {
    fn strings(value: &Value, all: &mut Vec<String>) {
        match value {
            Value::String(text) => all.push(text.clone()),
            Value::Array(list) => list.iter().for_each(|it| strings(it, all)),
            Value::Object(members) => members.values().for_each(|it| strings(it, all)),
            _ => {}
        }
    }
    fn files(path: &std::path::Path, all: &mut Vec<std::path::PathBuf>) {
        match std::fs::read_dir(path) {
            Ok(entries) => entries
                .flatten()
                .filter(|entry| {
                    !matches!(
                        entry.file_name().to_str(),
                        Some(".git" | "target" | "node_modules")
                    )
                })
                .for_each(|entry| files(&entry.path(), all)),
            Err(_) => all.push(path.to_owned()),
        }
    }
    let mut paths = Vec::new();
    let folders = std::env::var("TEXTS").expect("TEXTS names folders, with colons between");
    folders
        .split(':')
        .for_each(|folder| files(folder.as_ref(), &mut paths));
    let mut texts = Vec::new();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if value.is_object() => strings(&value, &mut texts),
            _ => texts.push(text),
        }
    }
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("{megabytes:.2} MB");
    for preset in PRESETS {
        let settings = serde_json::from_value(json!({"hide": [preset]})).expect("settings");
        let finder = Finder::new(&settings).expect("a finder");
        let bench = Bench::<Redact>::new(json!({"hide": [preset]}));
        let mut count = 0;
        for text in &texts {
            let masks = |text: &str| text.matches(finder::MASK).count();
            count += masks(bench.apply(text).text()).saturating_sub(masks(text));
            for find in finder.find(text) {
                let before: String = text[..find.start]
                    .chars()
                    .rev()
                    .take(24)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect();
                println!("  {preset} {:?} {:?}", before, &text[find.start..find.end]);
            }
        }
        println!(
            "{preset}: {count} finds, {:.1} per MB",
            count as f64 / megabytes
        );
    }
}
