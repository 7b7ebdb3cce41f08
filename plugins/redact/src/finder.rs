//! Finds content to hide in a text, as a reader has it: without escapes.
//!
//! One pass finds literals at which something can begin, another the digits, colons and plus signs. A find is judged
//! where it stands, within bounds, so the time is linear in the text.

use crate::anchors::{FORMS, NAMES};
use crate::numbers;
use crate::settings::{Pattern, Preset, Settings};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use tamis_sdk::Glob;

/// A part of a text that is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find<'f> {
    pub start: usize,
    pub end: usize,
    /// Its kind, for the mask.
    pub kind: &'f str,
}

/// What begins at a literal.
#[derive(Clone, Copy)]
enum Anchor {
    Form(usize),
    Name,
    Jwt,
    Pem,
    Putty,
    Scheme,
    At { length: usize },
    Telegram,
}

pub struct Finder {
    literals: AhoCorasick,
    anchors: Vec<Anchor>,
    presets: Vec<Preset>,
    patterns: Vec<Pattern>,
    allow: Vec<Glob>,
    base64: bool,
}

/// How masks begin: what a mask says is never hidden again.
pub const MASK: &str = "[redacted:";

/// Most bytes between a name and its value, and of a scheme, of a local part or of a host.
const NEAR: usize = 320;
/// Most bytes by which a token is judged; it may be longer.
const LOOKED_AT: usize = 1024;
/// Most bytes by which a value is judged that stands after a name.
const VALUE_BYTES: usize = 256;
/// Most bytes of a private key.
const KEY_BYTES: usize = 64 << 10;
/// Fewest characters of Base64 that the filter decodes.
const LEAST_BASE64: usize = 20;

impl Finder {
    pub fn new(settings: &Settings) -> Result<Finder, String> {
        let (mut literals, mut anchors) = (Vec::new(), Vec::new());
        let has = |preset| settings.hide.contains(&preset);
        let mut add = |literal: &str, anchor: Anchor| {
            literals.push(literal.to_owned());
            anchors.push(anchor);
        };
        if has(Preset::ApiKeys) {
            for (index, form) in FORMS.iter().enumerate() {
                add(form.prefix, Anchor::Form(index));
            }
            for name in NAMES {
                add(name, Anchor::Name);
            }
            add(":AA", Anchor::Telegram);
        }
        if has(Preset::Jwts) {
            add("eyJ", Anchor::Jwt);
        }
        if has(Preset::PrivateKeys) {
            add("-----BEGIN ", Anchor::Pem);
            add("PuTTY-User-Key-File-", Anchor::Putty);
        }
        if has(Preset::ConnectionStrings) {
            add("://", Anchor::Scheme);
            if !has(Preset::ApiKeys) {
                add("password", Anchor::Name);
                add("pwd", Anchor::Name);
            }
        }
        if has(Preset::Emails) {
            add("@", Anchor::At { length: 1 });
            add("%40", Anchor::At { length: 3 });
        }
        let literals = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&literals)
            .map_err(|error| error.to_string())?;
        Ok(Finder {
            literals,
            anchors,
            presets: settings.hide.clone(),
            patterns: settings.own_patterns()?,
            allow: settings.allow_globs(),
            base64: settings.base64,
        })
    }

    fn has(&self, preset: Preset) -> bool {
        self.presets.contains(&preset)
    }

    /// What is hidden of a text, in order, without overlaps.
    pub fn find<'f>(&'f self, text: &str) -> Vec<Find<'f>> {
        let mut finds = self.find_plain(text);
        if self.base64 {
            self.find_encoded(text, &mut finds);
        }
        finds.retain(|find| !self.is_allowed(&text[find.start..find.end]));
        merged(finds)
    }

    fn find_plain<'f>(&'f self, text: &str) -> Vec<Find<'f>> {
        let mut finds = Vec::new();
        if !self.anchors.is_empty() {
            let (mut done, mut no_jwt) = (0, 0);
            for found in self.literals.find_overlapping_iter(text) {
                let anchor = self.anchors[found.pattern().as_usize()];
                // What lies in a find needs no other.
                if found.start() < done {
                    continue;
                }
                if matches!(anchor, Anchor::Jwt) {
                    if found.start() < no_jwt {
                        continue;
                    }
                    no_jwt = run(text.as_bytes(), found.start(), is_url_safe);
                }
                if let Some(find) = self.judge(text, anchor, found.start(), found.end()) {
                    done = done.max(find.end);
                    finds.push(find);
                }
            }
        }
        let wanted = numbers::Wanted {
            cards: self.has(Preset::Cards),
            ibans: self.has(Preset::Ibans),
            phones: self.has(Preset::Phones),
            ips: self.has(Preset::Ips),
        };
        if wanted.any() {
            numbers::find(text, wanted, &mut finds);
        }
        for pattern in &self.patterns {
            for captures in pattern.regex.captures_iter(text) {
                if let Some(found) = captures.get(pattern.group).filter(|it| !it.is_empty()) {
                    finds.push(Find {
                        start: found.start(),
                        end: found.end(),
                        kind: &pattern.name,
                    });
                }
            }
        }
        finds
    }

    fn is_allowed(&self, said: &str) -> bool {
        said.starts_with(MASK) || self.allow.iter().any(|glob| glob.matches(said))
    }

    fn judge(&self, text: &str, anchor: Anchor, start: usize, end: usize) -> Option<Find<'static>> {
        let bytes = text.as_bytes();
        let (start, end, kind) = match anchor {
            Anchor::Form(index) => {
                let form = &FORMS[index];
                if !text[start..].starts_with(form.prefix) {
                    return None;
                }
                let near = &bytes[..bytes.len().min(end + LOOKED_AT)];
                let mut body = run(near, end, form.body);
                let follows = bytes.get(body).is_some_and(u8::is_ascii_alphanumeric);
                if body - end < form.least || form.is_exact && (body - end > form.least || follows)
                {
                    return None;
                }
                // A word of letters alone is no key.
                let has_digit = bytes[end..body].iter().any(u8::is_ascii_digit);
                if !has_digit && !form.is_exact {
                    return None;
                }
                if body == near.len() {
                    body = run(bytes, body, form.body);
                }
                let start = match form.prefix.ends_with('=') {
                    true => end,
                    false => start,
                };
                (start, body, "api-key")
            }
            Anchor::Name => {
                let (start, end) = value_of(text, start, end)?;
                (start, end, "secret")
            }
            Anchor::Jwt => {
                let head = run(bytes, start, is_url_safe);
                let body_at = head + usize::from(bytes.get(head) == Some(&b'.'));
                let body = run(bytes, body_at, is_url_safe);
                if body_at == head || head - start < 12 || body - body_at < 4 {
                    return None;
                }
                let mut end = body;
                // A signature, or the five parts of an encrypted one.
                while bytes.get(end) == Some(&b'.') {
                    let next = run(bytes, end + 1, is_url_safe);
                    if next == end + 1 && next < bytes.len() && bytes[next] != b'.' {
                        break;
                    }
                    end = next;
                }
                (start, end, "jwt")
            }
            Anchor::Pem => {
                let label = &text[end..floor(text, end + 60)];
                let (label, _) = label.split_once("-----")?;
                if !label.contains("PRIVATE KEY") {
                    return None;
                }
                let body = end + label.len() + 5;
                (start, end_of_key(text, body, "-----END "), "private-key")
            }
            Anchor::Putty => (start, end_of_key(text, end, "Private-MAC"), "private-key"),
            Anchor::Scheme => {
                let before = bytes[..start].last().is_some_and(u8::is_ascii_alphanumeric);
                let is_user = |b: u8| !b.is_ascii_whitespace() && !b"/?#\"'<>\\`@".contains(&b);
                let mut stop = run(&bytes[..bytes.len().min(end + NEAR)], end, is_user);
                if !before || bytes.get(stop) != Some(&b'@') {
                    return None;
                }
                // A password may hold an `@` that nobody encoded: the last before the path counts.
                loop {
                    let next = run(&bytes[..bytes.len().min(end + NEAR)], stop + 1, is_user);
                    match bytes.get(next) == Some(&b'@') {
                        true => stop = next,
                        false => break,
                    }
                }
                let user = memchr(b':', &bytes[end..stop])? + end;
                (user + 1 < stop).then_some(())?;
                (user + 1, stop, "password")
            }
            Anchor::At { length } => {
                let (start, end) = email(text, start, start + length)?;
                (start, end, "email")
            }
            Anchor::Telegram => {
                let digits = bytes[..start].iter().rev().take(12);
                let digits = digits.take_while(|b| b.is_ascii_digit()).count();
                let body = run(bytes, start + 1, is_url_safe);
                if !(8..=10).contains(&digits) || body - start - 1 < 35 {
                    return None;
                }
                (start - digits, body, "api-key")
            }
        };
        Some(Find { start, end, kind })
    }

    /// Runs of Base64 whose content holds something to hide.
    fn find_encoded<'f>(&'f self, text: &str, finds: &mut Vec<Find<'f>>) {
        let bytes = text.as_bytes();
        let is_code = |b: u8| is_url_safe(b) || b == b'+' || b == b'/';
        let mut at = 0;
        while at < bytes.len() {
            let end = run(bytes, at, is_code);
            if end - at >= LEAST_BASE64
                && let Some(said) = decoded(&bytes[at..end])
            {
                if !self.find_plain(&said).is_empty() {
                    let padding = run(bytes, end, |b| b == b'=');
                    finds.push(Find {
                        start: at,
                        end: padding,
                        kind: "encoded",
                    });
                }
            }
            at = end + 1;
        }
    }
}

fn is_url_safe(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

/// The end of the run of such bytes at `start`.
fn run(bytes: &[u8], start: usize, is_in: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|b| is_in(**b)).count()
}

fn memchr(byte: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|b| *b == byte)
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}

/// Where a private key ends: after the line with its last words, else with the text, within a bound.
fn end_of_key(text: &str, body: usize, last: &str) -> usize {
    let rest = &text[body..floor(text, body + KEY_BYTES)];
    let Some(at) = rest.find(last) else {
        return body + rest.len();
    };
    let after = body + at + last.len();
    let line = &text[after..floor(text, after + 200)];
    let stop = match last.starts_with('-') {
        true => line.find("-----").map(|at| at + 5),
        false => line.find(['\n', '\\']),
    };
    after + stop.unwrap_or(line.len())
}

/// The value that a name like `api_key` has: `api_key = "…"`, `"token": "…"`, `Authorization: Bearer …`.
fn value_of(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let name = text[start..end].to_ascii_lowercase();
    let is_scheme = name.ends_with(' ');
    let mut at = end;
    if !is_scheme {
        // `api_key_prod`, `tokens`.
        at = run(&bytes[..bytes.len().min(at + 40)], at, is_url_safe);
        let is_mark = |b: u8| {
            matches!(
                b,
                b'"' | b'\'' | b'`' | b' ' | b'\t' | b'\\' | b'*' | b']' | b')'
            )
        };
        let near = &bytes[..bytes.len().min(at + 8)];
        at = run(near, at, is_mark);
        let sign = run(&bytes[..bytes.len().min(at + 3)], at, |b| {
            matches!(b, b'=' | b':' | b'>')
        });
        if sign == at {
            return None;
        }
        let near = &bytes[..bytes.len().min(sign + 8)];
        at = run(near, sign, |b| {
            matches!(b, b'"' | b'\'' | b'`' | b' ' | b'\t' | b'\\' | b'*')
        });
    }
    let rest = &text[at..];
    if rest.starts_with(MASK) || rest.starts_with('<') {
        return None;
    }
    let is_in = |b: u8| !b.is_ascii_whitespace() && !b"\"'`,;<>(){}[]\\|&".contains(&b);
    let near = floor(text, at + VALUE_BYTES);
    let mut stop = run(&bytes[..near], at, is_in);
    // A call or an index is code.
    if matches!(bytes.get(stop), Some(b'(' | b'[' | b'{')) || !is_secret(&text[at..stop], &name) {
        return None;
    }
    if stop == near {
        stop = run(bytes, stop, is_in);
    }
    Some((at, stop))
}

/// Whether a value looks random: no word, no name of a variable, no path.
fn is_secret(value: &str, name: &str) -> bool {
    let least = match name {
        "password" | "passwd" | "pwd" | "passphrase" => 6,
        "basic " => 12,
        _ => 16,
    };
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = value.len() - digits - letters;
    let is_password = least == 6;
    if value.len() < least || value.starts_with(['$', '%', '/', '.']) || value.contains("://") {
        return false;
    }
    // Paths of modules and fields: `config.auth.token2`.
    let is_path = value.contains("::") || value.split('.').filter(|it| !it.is_empty()).count() > 3;
    if is_path {
        return false;
    }
    match is_password {
        true => {
            digits > 0 && letters > 0
                || others > 0 && digits + letters > 3 && !value.contains(['.', '_', '-', '/'])
        }
        false => {
            digits > 1 && letters > 1
                || name == "basic "
                    && value.bytes().any(|b| b.is_ascii_uppercase())
                    && value.bytes().any(|b| b.is_ascii_lowercase())
        }
    }
}

/// The e-mail address around an `@` at `at`, whose domain begins at `after`.
fn email(text: &str, at: usize, after: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_local = |c: char| c.is_alphanumeric() || "._%+-'".contains(c);
    let local = text[floor(text, at.saturating_sub(64))..at].chars().rev();
    let local: usize = local.take_while(|c| is_local(*c)).map(char::len_utf8).sum();
    let start = at - local;
    let local = text[start..at].trim_start_matches(['.', '\'', '%', '-', '+']);
    let start = at - local.len();
    let domain = &text[after..floor(text, after + 255)];
    let is_domain = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let length = domain.find(|c| !is_domain(c)).unwrap_or(domain.len());
    let domain = domain[..length].trim_end_matches(['.', '-']);
    let (_, top) = domain.rsplit_once('.')?;
    let is_top = top.chars().count() >= 2 && top.chars().all(char::is_alphabetic);
    // `git@host:path` names a repository.
    let is_remote = local == "git" && bytes.get(after + domain.len()) == Some(&b':');
    (!local.is_empty() && is_top && !domain.starts_with('.') && !is_remote)
        .then_some((start, after + domain.len()))
}

/// What Base64 of either alphabet says, if that is text.
fn decoded(code: &[u8]) -> Option<String> {
    let (mut out, mut bits, mut count) = (Vec::with_capacity(code.len() / 4 * 3), 0u32, 0);
    for &b in code {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    String::from_utf8(out).ok()
}

/// Finds in order; those that overlap are one, of the kind of the first.
fn merged(mut finds: Vec<Find<'_>>) -> Vec<Find<'_>> {
    finds.sort_by_key(|find| (find.start, std::cmp::Reverse(find.end)));
    let mut merged: Vec<Find<'_>> = Vec::with_capacity(finds.len());
    for find in finds {
        match merged.last_mut() {
            Some(last) if find.start < last.end => last.end = last.end.max(find.end),
            _ => merged.push(find),
        }
    }
    merged
}
