//! A private key that is encrypted with a password, in cosign's form.
//!
//! The form is JSON: scrypt makes a key of the password, and NaCl's secretbox (XSalsa20 and Poly1305) encrypts
//! the private key with it.

use super::KeyError;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use poly1305::Poly1305;
use ring::rand::{SecureRandom, SystemRandom};
use salsa20::XSalsa20;
use salsa20::cipher::{KeyInit, KeyIvInit, StreamCipher};
use serde_json::{Value, json};

/// The label of the block of PEM.
pub(super) const LABEL: &str = "ENCRYPTED SIGSTORE PRIVATE KEY";
/// The label that cosign wrote before.
pub(super) const OLD_LABEL: &str = "ENCRYPTED COSIGN PRIVATE KEY";

const KDF: &str = "scrypt";
const CIPHER: &str = "nacl/secretbox";

/// How much work a password costs: cosign's figure, 64 MiB and a fifth of a second.
const LOG_N: u8 = 16;
/// Twice that, so that a file cannot take all memory.
const MAX_LOG_N: u32 = 17;
const BLOCK: u32 = 8;
const LANES: u32 = 1;

const SALT_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const KEY_BYTES: usize = 32;
const TAG_BYTES: usize = 16;

/// The private key in the content of a block.
pub(super) fn decrypt(content: &[u8], password: &str) -> Result<Vec<u8>, KeyError> {
    let content: Value = serde_json::from_slice(content).map_err(|_| KeyError::Damaged)?;
    let kdf = &content["kdf"];
    if kdf["name"] != KDF || content["cipher"]["name"] != CIPHER {
        return Err(KeyError::UnknownEncryption);
    }
    let params = &kdf["params"];
    let n = params["N"].as_u64().ok_or(KeyError::Damaged)?;
    let is_known = n.is_power_of_two()
        && (1..=MAX_LOG_N).contains(&n.trailing_zeros())
        && params["r"] == BLOCK
        && params["p"] == LANES;
    let log_n = u8::try_from(n.trailing_zeros()).ok().filter(|_| is_known);
    let log_n = log_n.ok_or(KeyError::UnknownEncryption)?;
    let salt = decoded(&kdf["salt"])?;
    let nonce = decoded(&content["cipher"]["nonce"])?;
    let nonce = <[u8; NONCE_BYTES]>::try_from(nonce).map_err(|_| KeyError::Damaged)?;
    let sealed = decoded(&content["ciphertext"])?;
    let (tag, sealed) = sealed
        .split_at_checked(TAG_BYTES)
        .ok_or(KeyError::Damaged)?;
    let (mut cipher, authenticator) = secretbox(&derived(password, &salt, log_n)?, &nonce);
    // Nobody can ask this again and again from afar, so the time of comparing tells nothing.
    if authenticator.compute_unpadded(sealed).as_slice() != tag {
        return Err(KeyError::WrongPassword);
    }
    let mut key = sealed.to_vec();
    cipher.apply_keystream(&mut key);
    Ok(key)
}

/// The content of a block with this private key.
pub(super) fn encrypt(key: &[u8], password: &str) -> Result<Vec<u8>, KeyError> {
    let (mut salt, mut nonce) = ([0; SALT_BYTES], [0; NONCE_BYTES]);
    let random = SystemRandom::new();
    for bytes in [&mut salt[..], &mut nonce[..]] {
        random.fill(bytes).map_err(|_| KeyError::NoRandomness)?;
    }
    let (mut cipher, authenticator) = secretbox(&derived(password, &salt, LOG_N)?, &nonce);
    let mut sealed = key.to_vec();
    cipher.apply_keystream(&mut sealed);
    let tag = authenticator.compute_unpadded(&sealed);
    let content = json!({
        "kdf": {
            "name": KDF,
            "params": {"N": 1_u64 << LOG_N, "r": BLOCK, "p": LANES},
            "salt": BASE64_STANDARD.encode(salt),
        },
        "cipher": {"name": CIPHER, "nonce": BASE64_STANDARD.encode(nonce)},
        "ciphertext": BASE64_STANDARD.encode([tag.as_slice(), &sealed].concat()),
    });
    Ok(content.to_string().into_bytes())
}

fn decoded(value: &Value) -> Result<Vec<u8>, KeyError> {
    let text = value.as_str().ok_or(KeyError::Damaged)?;
    BASE64_STANDARD.decode(text).map_err(|_| KeyError::Damaged)
}

fn derived(password: &str, salt: &[u8], log_n: u8) -> Result<[u8; KEY_BYTES], KeyError> {
    let mut key = [0; KEY_BYTES];
    scrypt::Params::new(log_n, BLOCK, LANES)
        .ok()
        .and_then(|params| scrypt::scrypt(password.as_bytes(), salt, &params, &mut key).ok())
        .ok_or(KeyError::UnknownEncryption)?;
    Ok(key)
}

/// The two parts of a secretbox: the first bytes of the stream are the key of the authenticator, the rest is for
/// the text.
fn secretbox(key: &[u8; KEY_BYTES], nonce: &[u8; NONCE_BYTES]) -> (XSalsa20, Poly1305) {
    let mut cipher = XSalsa20::new(key.into(), nonce.into());
    let mut one_time = [0; KEY_BYTES];
    cipher.apply_keystream(&mut one_time);
    (cipher, Poly1305::new(&one_time.into()))
}
