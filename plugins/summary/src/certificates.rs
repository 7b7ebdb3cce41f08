//! Certificates, requests and lists of revoked ones as `openssl … -text` prints them: most lines are bytes of keys.
//!
//! Owns which of their fields are told. Refuses to know what the fields mean.

use crate::encoded;
use crate::paper::{Paper, REST, cut, one_line};
use crate::search::begins;
use crate::trim::{is_blank, trim, trim_start};

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

/// The certificates of a text.
pub struct Certificates {
    titles: usize,
}

/// Finds the certificates that nearly all lines belong to. None if the text has none, or if more of it is something else.
pub fn of<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone) -> Option<Certificates> {
    // Few texts have a title.
    let mut first = lines.clone().take(LOOKED_AT);
    if !first.any(|(_, line)| is_title(line)) {
        return None;
    }
    let (mut titles, mut bytes, mut own, mut all) = (0usize, 0usize, 0usize, 0usize);
    // How far the title is indented that the lines are below, and whether they are of a block of base64.
    let (mut title, mut is_encoded) = (None, false);
    for (_, line) in lines.filter(|(_, line)| !is_blank(line)) {
        all += 1;
        let body = trim(line);
        let indent = line.len() - trim_start(line).len();
        if is_title(line) {
            titles += 1;
            (title, is_encoded) = (Some(indent), false);
        } else if body.starts_with("-----BEGIN ") || body.starts_with("-----END ") {
            is_encoded = body.starts_with("-----BEGIN ");
        } else if is_encoded {
            is_encoded = encoded::is_line(body) || body.len() <= 64 && !body.contains(' ');
            if !is_encoded {
                title = None;
                continue;
            }
        } else if title.is_none_or(|title| indent <= title) {
            title = None;
            continue;
        }
        own += 1;
        bytes += usize::from(is_bytes(line));
    }
    // Of a key of 2,048 bits and its signature, 36 of 60 lines are bytes.
    let are_told = titles > 0 && bytes >= LEAST && bytes * 4 >= all && own * 10 >= all * 9;
    are_told.then_some(Certificates { titles })
}

impl Certificates {
    /// Writes the fields of each with the numbers of their lines.
    pub fn tell<'t>(&self, lines: impl Iterator<Item = (usize, &'t str)>, paper: &mut Paper) {
        let titles = self.titles;
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
        let line = |(number, line): &(usize, &str)| {
            format!("{number}: {}", one_line(&cut(line, CHARACTERS)))
        };
        hidden += paper.fitting(told.iter(), line, REST);
        paper.count_rest(hidden, "fields");
    }
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
        of(lines.clone())?.tell(lines, &mut paper);
        Some(paper.text().to_owned())
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
    fn failures_are_told_before_fields() {
        let failure = "error: unable to load certificate 97 of bundle.pem\n";
        let text: String = (1..99).map(certificate).collect::<String>() + failure;
        let mut paper = Paper::new(900);
        crate::lines::tell(&text, 80, &mut paper);
        let told = paper.text();
        let place = |part: &str| told.find(part);
        assert!(place("unable to load certificate 97").is_some(), "{told}");
        assert!(
            place("unable to load") < place("98 certificates or the like"),
            "{told}"
        );
    }

    #[test]
    fn other_texts_have_none() {
        let prose =
            "Certificate:\nSignature Algorithm: a\n".to_owned() + &"A sentence.\n".repeat(90);
        let log = |lines| certificate(9) + &"12:00:01 INFO deploy: step is done\n".repeat(lines);
        assert!(told(&log(3), 600).is_some());
        for text in [
            &prose,
            &certificate(9).replace("Certificate:", ""),
            &log(20),
        ] {
            assert_eq!(told(text, 600), None);
        }
    }
}
