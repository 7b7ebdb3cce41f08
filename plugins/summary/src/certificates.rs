//! Certificates, requests and lists of revoked ones as `openssl … -text` prints them: most lines are bytes of keys.
//!
//! Owns which of their fields are told. Refuses to know what the fields mean.

use crate::paper::{Paper, REST, cut, one_line};
use crate::search::begins;
use crate::trim::{is_blank, trim};

/// The first title is among so many lines.
const LOOKED_AT: usize = 64;
/// Fewest lines of bytes.
const LEAST: usize = 8;
/// Most fields that are told.
const MOST: usize = 512;
/// The same of each certificate.
const FIELDS: usize = 10;
const CHARACTERS: usize = 300;

/// Beginnings of fields that are told.
const TOLD: [&str; 10] = [
    "Issuer:",
    "Subject:",
    "Not Before:",
    "Not After :",
    "Last Update:",
    "Next Update:",
    "Public-Key:",
    "CA:",
    "DNS:",
    "IP Address:",
];

/// Whether a line is one of several bytes: `97:31:02:9f:e7:fd`.
fn is_bytes(line: &str) -> bool {
    let bytes = trim(line).as_bytes();
    let is_byte = |(at, byte): (usize, &u8)| match at % 3 {
        2 => *byte == b':',
        _ => byte.is_ascii_hexdigit(),
    };
    bytes.len() >= 8 && bytes.iter().enumerate().all(is_byte)
}

/// Whether a line begins a certificate, a request, or a list of revoked ones.
fn is_title(line: &str) -> bool {
    matches!(
        trim(line),
        "Certificate:" | "Certificate Request:" | "Certificate Revocation List (CRL):"
    )
}

/// Writes the fields of each with the numbers of their lines. False if the text has none, or if most of it is something
/// else.
pub fn tell<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone, paper: &mut Paper) -> bool {
    // Few texts have a title.
    if !lines
        .clone()
        .take(LOOKED_AT)
        .any(|(_, line)| is_title(line))
    {
        return false;
    }
    let (mut titles, mut bytes, mut all) = (0usize, 0usize, 0usize);
    for (_, line) in lines.clone().filter(|(_, line)| !is_blank(line)) {
        titles += usize::from(is_title(line));
        bytes += usize::from(is_bytes(line));
        all += 1;
    }
    // Of a key of 2,048 bits and its signature, 36 of 60 lines are bytes.
    if titles == 0 || bytes < LEAST || bytes * 4 < all {
        return false;
    }
    let things = if titles == 1 {
        "certificate"
    } else {
        "certificates"
    };
    paper.cut_line(&format!(
        "{titles} {things} or the like; their fields, without the bytes of keys and signatures:"
    ));
    let mut told: Vec<(usize, &str)> = Vec::new();
    let (mut fields, mut hidden) = (0usize, 0usize);
    for (number, line) in lines {
        if is_title(line) {
            fields = 0;
        }
        let line = trim(line);
        if !begins(line, &TOLD) {
            continue;
        }
        fields += 1;
        if fields <= FIELDS && told.len() < MOST {
            told.push((number, line));
        } else {
            hidden += 1;
        }
    }
    let line =
        |(number, line): &(usize, &str)| format!("{number}: {}", one_line(&cut(line, CHARACTERS)));
    hidden += paper.fitting(told.iter(), line, REST);
    paper.count_rest(hidden, "fields");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(at: usize) -> String {
        let bytes = "                    00:9b:a9:ab:bf:61:4a:97:\n".repeat(20);
        format!(
            "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Signature Algorithm: ecdsa-with-SHA256\n        \
             Issuer: CN = Root\n        Validity\n            Not Before: May  5 09:37:37 2026 GMT\n            \
             Not After : May  {at} 09:37:37 2027 GMT\n        Subject: CN = api-{at}.example.org\n{bytes}        \
             X509v3 extensions:\n            X509v3 Subject Alternative Name: \n                DNS:api-{at}.example.org\n"
        )
    }

    fn told(text: &str, room: usize) -> Option<String> {
        let mut paper = Paper::new(room);
        let lines = (1..).zip(text.lines());
        tell(lines, &mut paper).then(|| paper.text().to_owned())
    }

    #[test]
    fn fields_of_a_certificate_are_told_without_bytes() {
        let expected = "1 certificate or the like; their fields, without the bytes of keys and signatures:\n\
             5: Issuer: CN = Root\n7: Not Before: May  5 09:37:37 2026 GMT\n\
             8: Not After : May  9 09:37:37 2027 GMT\n9: Subject: CN = api-9.example.org\n32: DNS:api-9.example.org\n";
        assert_eq!(told(&certificate(9), 600).as_deref(), Some(expected));
    }

    #[test]
    fn fields_that_do_not_fit_are_counted() {
        let text: String = (1..9).map(certificate).collect();
        let told = told(&text, 500).unwrap();
        assert!(told.starts_with("8 certificates or the like;"), "{told}");
        let shown = told.lines().count() - 2;
        assert!(
            told.ends_with(&format!("\n and {} more fields\n", 8 * 5 - shown)),
            "{told}"
        );
    }

    #[test]
    fn other_texts_have_none() {
        let prose =
            "Certificate:\nSignature Algorithm: a\n".to_owned() + &"A sentence.\n".repeat(90);
        for text in [&prose, &certificate(9).replace("Certificate:", "")] {
            assert_eq!(told(text, 600), None);
        }
    }
}
