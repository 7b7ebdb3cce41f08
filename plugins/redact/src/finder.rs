//! Finds content to hide in a text whose escapes are decoded.
//!
//! One pass finds the candidates ([`scan`](crate::scan)). The filter judges each candidate within bounds, so the time
//! is linear in the text.

use crate::anchors::{CORES, Core, FORMS, Form, NAMES};
use crate::named;
use crate::numbers;
use crate::scan::{Candidate, CandidateBytes, Case, Scan};
use crate::settings::{Pattern, Preset, Settings};
use std::ops::Range;
use tamis_sdk::Glob;

/// A part of a text that is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find<'f> {
    pub start: usize,
    pub end: usize,
    /// The kind that the mask names.
    pub kind: &'f str,
}

/// The rule for a literal that the scan finds.
#[derive(Clone, Copy)]
enum Anchor {
    Form(usize),
    Core(usize),
    Name(usize),
    Jwt,
    Pem,
    Putty,
    Scheme,
    EncodedAt,
}

pub struct Finder {
    scan: Scan,
    anchors: Vec<Anchor>,
    wanted: numbers::Kinds,
    patterns: Vec<Pattern>,
    allow: Vec<Glob>,
    base64: bool,
    /// Which names make the value beside them a secret: all, or those of passwords.
    names: Option<named::Kinds>,
}

/// The kind of a value that only its name marks as a secret.
pub const NAMED: &str = "secret";
/// How masks begin. The filter never hides a mask.
pub const MASK: &str = "[redacted:";

/// Most bytes of the user and password of a URL.
const NEAR: usize = 320;
/// Most bytes by which a token is judged. The token may be longer.
const LOOKED_AT: usize = 1024;
/// Most bytes of a private key.
const KEY_BYTES: usize = 64 << 10;
/// Fewest characters of Base64 that the filter decodes.
const LEAST_BASE64: usize = 20;

impl Finder {
    pub fn new(settings: &Settings) -> Result<Finder, String> {
        let (mut literals, mut anchors) = (Vec::new(), Vec::new());
        let has = |preset| settings.hide.contains(&preset);
        let mut add = |literal: &str, case: Case, anchor: Anchor| {
            literals.push((literal.to_owned(), case));
            anchors.push(anchor);
        };
        for (index, form) in FORMS.iter().enumerate() {
            let is_connection = form.prefix.ends_with("Key=") && has(Preset::ConnectionStrings);
            if has(Preset::ApiKeys) || is_connection {
                add(form.prefix, Case::Exact, Anchor::Form(index));
            }
        }
        if has(Preset::ApiKeys) {
            for (index, core) in CORES.iter().enumerate() {
                add(core.literal, Case::Exact, Anchor::Core(index));
            }
        }
        let names = match (has(Preset::ApiKeys), has(Preset::ConnectionStrings)) {
            (true, _) => Some(named::Kinds::All),
            (false, true) => Some(named::Kinds::Passwords),
            (false, false) => None,
        };
        for (index, name) in NAMES.iter().enumerate() {
            if names.is_some_and(|kinds| kinds.has(name)) {
                add(name, Case::Any, Anchor::Name(index));
            }
        }
        if has(Preset::Jwts) {
            add("eyJ", Case::Exact, Anchor::Jwt);
        }
        if has(Preset::PrivateKeys) {
            add("-----BEGIN ", Case::Exact, Anchor::Pem);
            add("PuTTY-User-Key-File-", Case::Exact, Anchor::Putty);
        }
        if has(Preset::ConnectionStrings) {
            add("://", Case::Exact, Anchor::Scheme);
        }
        if has(Preset::Emails) {
            add("%40", Case::Exact, Anchor::EncodedAt);
        }
        let wanted = numbers::Kinds {
            cards: has(Preset::Cards),
            ibans: has(Preset::Ibans),
            phones: has(Preset::Phones),
            ips: has(Preset::Ips),
        };
        let bytes = CandidateBytes {
            ats: has(Preset::Emails),
            ..wanted.candidates()
        };
        let follows = |literal: usize, b: u8| match anchors[literal] {
            Anchor::Form(index) => (FORMS[index].body)(b),
            Anchor::Core(index) => (CORES[index].after)(b),
            _ => false,
        };
        Ok(Finder {
            scan: Scan::new(literals, bytes, follows),
            anchors,
            wanted,
            patterns: settings.own_patterns()?,
            allow: settings.allow_globs(),
            base64: settings.base64,
            names,
        })
    }

    /// The start of the secret in a member's value, if the key names a secret.
    pub fn named_value(&self, key: &str, value: &str) -> Option<usize> {
        let start = named::member(self.names?, key, value)?;
        (!self.is_allowed(&value[start..])).then_some(start)
    }

    /// The parts of a text to hide, in order, without overlaps.
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
        // Ends of the last finds: of tokens, of values beside a name, of numbers. No JWT begins before the last.
        let (mut done, mut named, mut counted, mut no_jwt) = (0, 0, 0, 0);
        // The `@` after the password of a URL belongs to no address.
        let mut password_end = usize::MAX;
        self.scan.run(text, |candidate| match candidate {
            Candidate::Literal(literal, start, end) => {
                let anchor = self.anchors[literal];
                let is_name = matches!(anchor, Anchor::Name(_));
                // A find inside of another find adds nothing.
                if start < done || is_name && start < named {
                    return;
                }
                if matches!(anchor, Anchor::Jwt) {
                    if start < no_jwt {
                        return;
                    }
                    no_jwt = run(text.as_bytes(), start, is_url_safe);
                }
                if let Some(find) = self.judge(text, anchor, start, end) {
                    if matches!(anchor, Anchor::Scheme) {
                        password_end = find.end;
                    }
                    match is_name {
                        true => named = find.end,
                        false => done = find.end,
                    }
                    finds.push(find);
                }
            }
            Candidate::Byte(at) if text.as_bytes()[at] == b'@' => {
                if at < done || at == password_end {
                    return;
                }
                let found = email(text, at, at + 1);
                finds.extend(found.map(|(start, end)| Find {
                    start,
                    end,
                    kind: "email",
                }));
            }
            Candidate::Byte(at) if at >= counted => {
                if let Some(find) = numbers::find(text, at, self.wanted) {
                    counted = find.end;
                    finds.push(find);
                }
            }
            Candidate::Byte(_) => {}
        });
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

    /// Whether [`Finder::candidates`] finds all candidates.
    pub fn finds_all_candidates(&self) -> bool {
        !self.base64 && self.patterns.is_empty()
    }

    /// Adds the offsets in bytes, in order, at which a part of a JSON document as it is spelled can hold something to
    /// hide. A string or key without an offset and without escapes holds nothing to hide.
    pub fn candidates(&self, document: &str, part: Range<usize>, candidates: &mut Vec<u32>) {
        let (text, before, first) = (&document[part.clone()], part.start as u32, candidates.len());
        let mut counted = 0;
        self.scan.run(text, |candidate| match candidate {
            // Within a string without escapes, a word begins at the same places as in the document.
            Candidate::Literal(literal, start, _) if self.is_in_word(text, literal, start) => {}
            // The scan finds a literal at its end or soon after, so starts may be out of order.
            Candidate::Literal(_, start, _) => candidates.push(before + start as u32),
            Candidate::Byte(at) if text.as_bytes()[at] == b'@' => {
                if email(text, at, at + 1).is_some() {
                    candidates.push(before + at as u32);
                }
            }
            Candidate::Byte(at) if at >= counted => {
                if let Some(find) = numbers::find(text, at, self.wanted) {
                    counted = find.end;
                    candidates.push(before + find.start as u32);
                }
            }
            Candidate::Byte(_) => {}
        });
        candidates[first..].sort_unstable();
    }

    /// Whether a word goes on at a literal that is a token's only where a word begins.
    fn is_in_word(&self, text: &str, literal: usize, start: usize) -> bool {
        match self.anchors[literal] {
            Anchor::Form(index) => FORMS[index].is_bounded && !is_boundary(text.as_bytes(), start),
            _ => false,
        }
    }

    fn is_allowed(&self, said: &str) -> bool {
        said.starts_with(MASK) || self.allow.iter().any(|glob| glob.matches(said))
    }

    fn judge(&self, text: &str, anchor: Anchor, start: usize, end: usize) -> Option<Find<'static>> {
        let bytes = text.as_bytes();
        let (start, end, kind) = match anchor {
            Anchor::Form(index) => {
                let (start, end) = token(bytes, &FORMS[index], start, end)?;
                (start, end, "api-key")
            }
            Anchor::Core(index) => {
                let (start, end) = around(bytes, &CORES[index], start, end)?;
                (start, end, "api-key")
            }
            Anchor::Name(index) => {
                let (start, end) = named::value(text, NAMES[index], start, end)?;
                (start, end, NAMED)
            }
            Anchor::Jwt => (start, jwt(bytes, start)?, "jwt"),
            Anchor::Pem => {
                let begin = &text[start..end];
                let label = &text[end..floor(text, end + 60)];
                let (label, _) = label.split_once("-----")?;
                if !label.contains("PRIVATE KEY") {
                    return None;
                }
                let body = end + label.len() + 5;
                (
                    start,
                    end_of_key(text, body, begin, "-----END ")?,
                    "private-key",
                )
            }
            Anchor::Putty => {
                let end = end_of_key(text, end, &text[start..end], "Private-MAC")?;
                (start, end, "private-key")
            }
            Anchor::Scheme => {
                let before = bytes[..start].last().is_some_and(u8::is_ascii_alphanumeric);
                let is_user = |b: u8| !b.is_ascii_whitespace() && !b"/?#\"'<>\\`@".contains(&b);
                let mut stop = run(&bytes[..bytes.len().min(end + NEAR)], end, is_user);
                if !before || bytes.get(stop) != Some(&b'@') {
                    return None;
                }
                // A password may hold an `@` that is not encoded: the last one before the path counts.
                loop {
                    let next = run(&bytes[..bytes.len().min(end + NEAR)], stop + 1, is_user);
                    match bytes.get(next) == Some(&b'@') {
                        true => stop = next,
                        false => break,
                    }
                }
                let user = memchr(b':', &bytes[end..stop])? + end;
                // A variable is no password: `${PASSWORD}`, `{password}`, `%s`, `***`.
                let is_variable = matches!(bytes[user + 1], b'$' | b'{' | b'%' | b'*' | b'[');
                (user + 1 < stop && !is_variable).then_some(())?;
                (user + 1, stop, "password")
            }
            Anchor::EncodedAt => {
                let (start, end) = email(text, start, end)?;
                (start, end, "email")
            }
        };
        Some(Find { start, end, kind })
    }

    /// Adds runs of Base64 whose content holds something to hide.
    fn find_encoded<'f>(&'f self, text: &str, finds: &mut Vec<Find<'f>>) {
        let bytes = text.as_bytes();
        let is_code = |b: u8| is_url_safe(b) || b == b'+' || b == b'/';
        let mut at = 0;
        while at < bytes.len() {
            let end = run(bytes, at, is_code);
            if end - at >= LEAST_BASE64
                && let Some(said) = decoded(&bytes[at..end])
                && !self.find_plain(&said).is_empty()
            {
                let padding = run(bytes, end, |b| b == b'=');
                finds.push(Find {
                    start: at,
                    end: padding,
                    kind: "encoded",
                });
            }
            at = end + 1;
        }
    }
}

pub fn is_url_safe(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

/// The end of the run of such bytes at `start`.
pub fn run(bytes: &[u8], start: usize, is_in: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|b| is_in(**b)).count()
}

fn memchr(byte: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|b| *b == byte)
}

/// The nearest character boundary at or before an offset.
pub fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}

/// The end of a JWT: a header and a payload, often a signature. An encrypted JWT has five parts, the second of which
/// may be empty.
fn jwt(bytes: &[u8], start: usize) -> Option<usize> {
    let head = run(bytes, start, is_url_safe);
    let (mut end, mut parts, mut second) = (head, 1, 0);
    while parts < 5 && bytes.get(end) == Some(&b'.') {
        let next = run(bytes, end + 1, is_url_safe);
        if parts == 1 {
            second = next - end - 1;
        }
        // A dot ends a sentence, unless the JWT is unsigned and ends with a dot.
        if next == end + 1 && parts > 2 {
            break;
        }
        end = next;
        parts += 1;
    }
    let is_encrypted = second == 0 && parts == 5;
    (head - start >= 12 && (second >= 4 || is_encrypted)).then_some(end)
}

/// The bounds of a token whose prefix is from `start` to `end`.
fn token(bytes: &[u8], form: &Form, start: usize, end: usize) -> Option<(usize, usize)> {
    if form.is_bounded && !is_boundary(bytes, start) {
        return None;
    }
    let near = &bytes[..bytes.len().min(end + LOOKED_AT)];
    let mut body = run(near, end, form.body);
    let mut least = form.least;
    if form.is_exact {
        let follows = bytes.get(body).is_some_and(u8::is_ascii_alphanumeric);
        (body - end == form.least && !follows).then_some(())?;
        least = 0;
    }
    (body - end >= least && is_random(&bytes[end..body], form)).then_some(())?;
    if body == near.len() {
        body = run(bytes, body, form.body);
    }
    // A dot ends the sentence.
    while bytes[body - 1] == b'.' {
        body -= 1;
    }
    let start = match form.prefix.ends_with('=') {
        true => end,
        false => start,
    };
    Some((start, body))
}

/// Whether a body looks random. Letters alone in one case are a word.
fn is_random(body: &[u8], form: &Form) -> bool {
    let has = |is_in: fn(&u8) -> bool| body.iter().any(is_in);
    let digit = has(u8::is_ascii_digit);
    let cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    match (form.is_mixed, form.is_exact) {
        (true, _) => digit && cases,
        (_, true) => true,
        _ => digit || cases,
    }
}

/// The bounds of a token around a fixed part.
fn around(bytes: &[u8], core: &Core, start: usize, end: usize) -> Option<(usize, usize)> {
    let (least, most) = core.before_count;
    let before = bytes[..start].iter().rev().take(most + 1);
    let before = before.take_while(|b| (core.before)(**b)).count();
    let (fewest, mut after_most) = core.after_count;
    if fewest == 0 && after_most == 0 {
        after_most = 1;
    }
    let near = &bytes[..bytes.len().min(end + after_most + 2)];
    let mut body = run(near, end, core.after);
    while body > end && bytes[body - 1] == b'.' {
        body -= 1;
    }
    let follows = bytes.get(body).is_some_and(u8::is_ascii_alphanumeric);
    let fits = (least..=most).contains(&before)
        && (core.after_count.0..=core.after_count.1).contains(&(body - end))
        && !follows
        && bytes[start - before..start]
            .iter()
            .any(u8::is_ascii_alphanumeric);
    fits.then_some((start - before, body))
}

/// Whether a word begins at an offset: after no letter and no digit, or after an escape, as in `\n` and `%3D`.
pub fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let back = |count: usize| at.checked_sub(count).map(|at| bytes[at]);
    let Some(before) = back(1) else {
        return true;
    };
    !before.is_ascii_alphanumeric()
        || back(2) == Some(b'\\') && matches!(before, b'n' | b'r' | b't' | b'b' | b'f')
        || back(3) == Some(b'%') && before.is_ascii_hexdigit()
        || back(6) == Some(b'\\') && back(5) == Some(b'u')
        // The end of a terminal's colour code: `ESC [ 32 m`.
        || before == b'm' && back(2).is_some_and(|b| b.is_ascii_digit() || b == b'[')
}

/// The end of a private key: after its `last` words, else after its last line. None: the text only names a key. A key
/// ends before the next `first`, so the filter searches no text twice.
fn end_of_key(text: &str, body: usize, first: &str, last: &str) -> Option<usize> {
    const LINE: usize = 40;
    let rest = &text[body..floor(text, body + KEY_BYTES)];
    let rest = rest.find(first).map_or(rest, |next| &rest[..next]);
    let Some(at) = rest.find(last) else {
        // The key is cut: its lines follow each other.
        let bytes = rest.as_bytes();
        let is_in = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
        let (mut at, mut end) = (end_of_headers(rest), None);
        while at < bytes.len() {
            // Ends of lines, their escapes, and the quotes of lines of source.
            let mut start = at;
            while start < bytes.len() && !is_in(bytes[start]) {
                let is_escape =
                    bytes[start] == b'\\' && matches!(bytes.get(start + 1), Some(b'n' | b'r'));
                start += if is_escape { 2 } else { 1 };
            }
            let stop = run(bytes, start, is_in);
            if stop == start || start - at > 16 || stop - start < LINE && end.is_none() {
                break;
            }
            end = Some(stop);
            if stop - start < LINE {
                break;
            }
            at = stop;
        }
        return end.map(|end| body + end);
    };
    // A key has lines. A sentence that quotes `-----BEGIN PRIVATE KEY-----` has none.
    let has_line = rest[..at]
        .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '/' | '='))
        .any(|line| line.len() >= LINE / 2);
    has_line.then_some(())?;
    let after = body + at + last.len();
    let line = &text[after..floor(text, after + 200)];
    let stop = match last.starts_with('-') {
        true => line.find("-----").map(|at| at + 5),
        false => line.find(['\n', '\\']),
    };
    Some(after + stop.unwrap_or(line.len()))
}

/// The end of a private key's headers (`DEK-Info: AES-128-CBC,…`), after which its lines begin. Lines may end with an
/// escape.
fn end_of_headers(body: &str) -> usize {
    const MOST: usize = 8;
    const LONGEST: usize = 200;
    let mut at = 0;
    for _ in 0..MOST {
        let rest = body[at..].trim_start_matches(['\\', 'r', 'n', '\r', '\n', ' ', '"', ',']);
        let start = body.len() - rest.len();
        let near = &rest[..floor(rest, LONGEST)];
        let line = near.find(['\n', '\r', '\\', '"']).map(|end| &near[..end]);
        match line.filter(|line| line.contains(": ")) {
            Some(line) => at = start + line.len(),
            None => break,
        }
    }
    at
}

/// Endings that are no top-level domains (IANA's list of them).
const NO_DOMAINS: &[&str] = &[
    "gz", "jar", "tar", "whl", "xz", "bmp", "css", "gif", "html", "ico", "jpeg", "jpg", "js",
    "json", "jsx", "less", "lock", "mjs", "mount", "path", "png", "scope", "scss", "service",
    "slice", "socket", "svg", "target", "tgz", "timer", "toml", "ts", "tsx", "webp", "xml", "yaml",
    "yml",
];

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
    // Names of files and units hold an `@` too: `icon@2x.png`, `getty@tty1.service`.
    let is_top = top.chars().count() >= 2
        && top.chars().all(char::is_alphabetic)
        && !NO_DOMAINS.iter().any(|it| it.eq_ignore_ascii_case(top));
    // `git@host:path` names a repository.
    let is_remote = local == "git" && bytes.get(after + domain.len()) == Some(&b':');
    (!local.is_empty() && is_top && !domain.starts_with('.') && !is_remote)
        .then_some((start, after + domain.len()))
}

/// The text that Base64 of either alphabet encodes, if it is text.
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

/// Finds in order. Overlapping finds become one, of the kind of the first one with a form.
fn merged(mut finds: Vec<Find<'_>>) -> Vec<Find<'_>> {
    finds.sort_by_key(|find| (find.start, std::cmp::Reverse(find.end)));
    let mut merged: Vec<Find<'_>> = Vec::with_capacity(finds.len());
    for find in finds {
        match merged.last_mut() {
            Some(last) if find.start < last.end => {
                last.end = last.end.max(find.end);
                // A token gets the same pseudonym with its name and without.
                if last.kind == NAMED {
                    last.kind = find.kind;
                }
            }
            _ => merged.push(find),
        }
    }
    merged
}
