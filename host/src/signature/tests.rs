use super::public_key::Algorithm;
use super::*;

/// A key, a message of one byte, and its signature, all of RFC 8032 (test 2).
const ED25519: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----\n";
const ED25519_MESSAGE: &[u8] = &[0x72];
const ED25519_SIGNATURE: &str =
    "kqAJqfDUyrhyDoILX2QlQKKye1QWUD+Ps3YiI+vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA==";

/// Keys of types that are not known: RSA, and the curve P-384.
const RSA: &str = "-----BEGIN PUBLIC KEY-----\nMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDSeL8278pWqUVn3gR963OUXqYQ\nq4b9rodGcqfkAejbpaXGZCqP4WN3h5AWzy6wo4mjS/PINVrpXhG5Qs+pa+5fOyss\nueV4e83XXuocJ5VCpU0hVFo/5VhVb/Fy1CElaKRLePiOLHUluCduF0MdDhV8J6VH\n6msqXS2LDoJFVkQiWwIDAQAB\n-----END PUBLIC KEY-----\n";
const P384: &str = "-----BEGIN PUBLIC KEY-----\nMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE3dRiBhThKmRAPNw9ur6UyP7MxiQvqzkk\noMubdCjtzmLYsRvOsQZ1csDCuk6I63sGxNB+1D4fQ8EYAckD0jTf2XJY1QpsqlGf\n+hzyz1e39yigZ8KREoPtVwBLxQ+XRg+z\n-----END PUBLIC KEY-----\n";

/// A key of openssl, which Python's hashlib and PyNaCl encrypted in cosign's form; its password; and its public key.
const ENCRYPTED: &str = "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\neyJrZGYiOnsibmFtZSI6InNjcnlwdCIsInBhcmFtcyI6eyJOIjozMjc2OCwiciI6\nOCwicCI6MX0sInNhbHQiOiJaOFhiL2w4ODBrcWw4MUJsbjJEVDBhVTJtSllncFpr\nUG9UQ2hDZE1Lc1ZZPSJ9LCJjaXBoZXIiOnsibmFtZSI6Im5hY2wvc2VjcmV0Ym94\nIiwibm9uY2UiOiJkT1NtdkNYQ21pK3hzRXp2MERZSGdPb2FDZktNWCtoUyJ9LCJj\naXBoZXJ0ZXh0IjoiNzdBbGtNYUR2NlVVVFM0VGdNcWQwNnNPK2tQWERLdTdFUHQ0\nV2lSZGdwOU9sUEdld1ZwTzViMzByaTgxeFdIdXAwQ05xR3Z5L29CbFloYllGQlp4\nNlNrckhXejB6UWNZN29ncFE1R0Fpb0Y2aFhqWFQyK3o3VlNSWUM1RHFDRlV3cVN4\nVWlOT3FvYTRYVG41U3lQRHhLSE81YzlXWW1BKzdmWjBSNnBSRXpaMDdyY0h2bTJw\nVkN2N3F0TEc5c0U4ck5NNnNxbUpwL1FRdGc9PSJ9\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n";
const PASSWORD: &str = "open sesame";
const OF_ENCRYPTED: &str = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEW5sonzlGMv+Qy0v9kZcfReIKhb/d\nFdzcukmM2sfP8iJ6rKc7PNd+q6ffWKHc0iRPRfFSMDP/p2UeKKiy9rIDvQ==\n-----END PUBLIC KEY-----\n";

#[test]
fn a_published_signature_is_verified() {
    let key = PublicKey::from_pem(ED25519).expect("a key");
    assert_eq!(key.to_pem(), ED25519);
    let signature = Signature::from_base64(ED25519_SIGNATURE).expect("a signature");
    assert!(key.verifies(ED25519_MESSAGE, &signature));
    assert!(!key.verifies(b"other", &signature));
    let other = ED25519_SIGNATURE.replacen('k', "l", 1);
    let other = Signature::from_base64(&other).expect("a signature");
    assert!(!key.verifies(ED25519_MESSAGE, &other));
}

#[test]
fn a_key_verifies_its_own_signatures_alone() {
    let (one, pem) = PrivateKey::generate(None).expect("a key");
    let (other, _) = PrivateKey::generate(None).expect("a key");
    let signature = one.sign(b"message").expect("a signature");
    assert!(one.public().verifies(b"message", &signature));
    assert!(!one.public().verifies(b"massage", &signature));
    assert!(!other.public().verifies(b"message", &signature));
    let ed25519 = PublicKey::from_pem(ED25519).expect("a key");
    assert!(!ed25519.verifies(b"message", &signature));

    // What is written is read again.
    let again = PrivateKey::from_pem(&pem, None).expect("a key");
    assert_eq!(again.public(), one.public());
    let public = PublicKey::from_pem(&one.public().to_pem()).expect("a key");
    assert_eq!(public, one.public());
    let text = signature.to_base64();
    assert_eq!(Signature::from_base64(&text), Some(signature));
}

#[test]
fn what_is_no_usable_key_is_refused() {
    let (_, private) = PrivateKey::generate(None).expect("a key");
    let relabelled = |label: &str| ED25519.replace("PUBLIC KEY", label);
    // A point in another form.
    let point = PublicKey::new(Algorithm::P256, &[2; 65]).to_pem();
    for (text, expected) in [
        ("", "has no key in PEM"),
        ("ssh-ed25519 AAAA", "has no key in PEM"),
        (&private, "a private key, and not a public key"),
        (
            &relabelled("CERTIFICATE"),
            "`CERTIFICATE`, and not a public key",
        ),
        (&relabelled("\u{1b}[2J"), r"`\u{1b}[2J`"),
        (RSA, "unknown type"),
        (P384, "unknown type"),
        (&point, "unknown type"),
        (&format!("{ED25519}{ED25519}"), "more than one key"),
        (&ED25519.replace("-----END", "---END"), "damaged"),
        (&ED25519.replace("AyEA", "A*EA"), "damaged"),
        (&ED25519.replace("Zgw=", "Zgw"), "damaged"),
        (&ED25519.replace("Zgw=", ""), "unknown type"),
    ] {
        let error = PublicKey::from_pem(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let secret = private.lines().nth(1).expect("a line");
    for (text, expected) in [
        (ED25519.to_owned(), "a public key, and not a private key"),
        (private.replace("PRIVATE", "EC PRIVATE"), "openssl pkcs8"),
        (
            private.replace("PRIVATE", "ENCRYPTED PRIVATE"),
            "openssl encrypted",
        ),
        (relabelled("PRIVATE KEY"), "unknown type"),
        (private.replacen('M', "*", 1), "damaged"),
        (format!("{private}{private}"), "more than one key"),
    ] {
        let error = PrivateKey::from_pem(&text, None).err().expect(expected);
        let error = format!("{error} {error:?}");
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(!error.contains(secret), "{error}");
    }
}

#[test]
fn a_payload_is_about_one_artifact() {
    let digest = format!("sha256:{}", "0f".repeat(32));
    let payload = Payload::for_artifact("registry.example/style", &digest);
    // To the byte, as cosign writes it.
    let text = format!(
        r#"{{"critical":{{"identity":{{"docker-reference":"registry.example/style"}},"image":{{"docker-manifest-digest":"{digest}"}},"type":"cosign container image signature"}},"optional":null}}"#
    );
    assert_eq!(payload.bytes(), text.as_bytes());
    assert!(payload.is_about(&digest));
    assert!(!payload.is_about(&digest.replace("0f", "f0")));
    assert!(!payload.is_about(""));
    for other in [
        text.replace(
            "cosign container image signature",
            "atomic container signature",
        ),
        text.replace("docker-manifest-digest", "digest"),
        text.replace(&format!("\"{digest}\""), &format!("[\"{digest}\"]")),
        text[1..].to_owned(),
        format!("[{text}]"),
        String::new(),
    ] {
        let payload = Payload::from_bytes(other.clone().into_bytes()).expect("small");
        assert!(!payload.is_about(&digest), "{other}");
    }
    let bound = usize::try_from(MAX_PAYLOAD_BYTES).expect("small");
    assert!(Payload::from_bytes(vec![b' '; bound]).is_some());
    assert!(Payload::from_bytes(vec![b' '; bound + 1]).is_none());
}

#[test]
fn a_file_of_signatures_is_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let plugin = folder.path().join("style.wasm");
    let beside = path_beside(&plugin);
    assert_eq!(beside, folder.path().join("style.wasm.sig"));
    assert_eq!(read_beside(&plugin).expect("none is no error"), []);
    let one = Signature::from_base64(ED25519_SIGNATURE).expect("a signature");
    let text = |count: usize| with_another(&vec![one.clone(); count - 1], &one);
    let write = |text: &str| std::fs::write(&beside, text).expect("write");
    for count in [1, 2, MAX_SIGNATURES] {
        write(&text(count));
        assert_eq!(read_beside(&plugin).expect("signatures").len(), count);
    }
    // As cosign prints it, and an editor on Windows saves it.
    for text in [
        ED25519_SIGNATURE.to_owned(),
        format!("\r\n{ED25519_SIGNATURE}\r\n"),
    ] {
        write(&text);
        let read = read_beside(&plugin).expect("a signature");
        assert_eq!(read, std::slice::from_ref(&one));
    }
    for (text, expected) in [
        (
            text(MAX_SIGNATURES + 1),
            "17 signatures, and 16 are allowed",
        ),
        (format!("{ED25519_SIGNATURE}\n{{}}\n"), "line 2 is not"),
        ("A".repeat(1028), "line 1 is not"),
        ("\n".repeat(100_000), "larger than"),
    ] {
        write(&text);
        let error = read_beside(&plugin).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn an_encrypted_key_opens_with_its_password_alone() {
    let key = PrivateKey::from_pem(ENCRYPTED, Some(PASSWORD)).expect("a key");
    assert_eq!(key.public().to_pem(), OF_ENCRYPTED);
    let old = ENCRYPTED.replace("SIGSTORE", "COSIGN");
    assert!(PrivateKey::from_pem(&old, Some(PASSWORD)).is_ok());
    let refused = |text: &str, password| PrivateKey::from_pem(text, password).err();
    assert_eq!(refused(ENCRYPTED, None), Some(KeyError::NoPassword));
    for other in ["", "open sesamf"] {
        assert_eq!(
            refused(ENCRYPTED, Some(other)),
            Some(KeyError::WrongPassword)
        );
    }

    // And one that is made here.
    let (key, text) = PrivateKey::generate(Some(PASSWORD)).expect("a key");
    assert!(text.starts_with("-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n"));
    let again = PrivateKey::from_pem(&text, Some(PASSWORD)).expect("a key");
    assert_eq!(again.public(), key.public());
    assert_eq!(refused(&text, Some("other")), Some(KeyError::WrongPassword));

    let (label, content) = pem::read(&text, "").expect("a block");
    let content = String::from_utf8(content).expect("JSON");
    for (from, to, expected) in [
        ("scrypt", "bcrypt", KeyError::UnknownEncryption),
        ("nacl", "salt", KeyError::UnknownEncryption),
        ("65536", "1073741824", KeyError::UnknownEncryption),
        ("65536", "65535", KeyError::UnknownEncryption),
        ("65536", "1", KeyError::UnknownEncryption),
        ("65536", "32768", KeyError::WrongPassword),
        ("\"r\":8", "\"r\":800", KeyError::UnknownEncryption),
        ("\"p\":1", "\"p\":100", KeyError::UnknownEncryption),
        ("\"salt\":\"", "\"salt\":\"*", KeyError::Damaged),
        ("\"nonce\":\"", "\"nonce\":\"AAAA", KeyError::Damaged),
        (
            "\"ciphertext\":\"",
            "\"ciphertext\":\"AAAA",
            KeyError::WrongPassword,
        ),
        ("{", "", KeyError::Damaged),
    ] {
        assert!(content.contains(from), "{from}");
        let other = content.replacen(from, to, 1);
        let other = pem::write(label, other.as_bytes());
        assert_eq!(refused(&other, Some(PASSWORD)), Some(expected), "{from}");
    }
}
