//! Literals at which secrets of a known form begin, and the forms.
//!
//! The forms are those that the vendors publish: the documentation of AWS IAM identifiers, GitHub's and GitLab's
//! token prefixes, Slack's token types, Stripe's key types, and so on.

/// A character of the part after the prefix.
pub type Class = fn(u8) -> bool;

/// The body of a token after its prefix.
#[derive(Clone, Copy)]
pub struct Form {
    pub prefix: &'static str,
    pub body: Class,
    pub least: usize,
    /// The token has exactly `least` characters after the prefix, and no letter or digit follows.
    pub is_exact: bool,
}

fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

fn dotted(b: u8) -> bool {
    word(b) || b == b'.'
}

fn letters(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

fn upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}

fn path(b: u8) -> bool {
    letters(b) || b == b'/'
}

fn base64(b: u8) -> bool {
    letters(b) || matches!(b, b'+' | b'/' | b'=')
}

const fn form(prefix: &'static str, body: Class, least: usize) -> Form {
    Form {
        prefix,
        body,
        least,
        is_exact: false,
    }
}

const fn exact(prefix: &'static str, body: Class, least: usize) -> Form {
    Form {
        is_exact: true,
        ..form(prefix, body, least)
    }
}

/// Tokens that begin with a prefix of their vendor.
pub const FORMS: &[Form] = &[
    exact("AKIA", upper, 16),
    exact("ASIA", upper, 16),
    exact("ABIA", upper, 16),
    exact("ACCA", upper, 16),
    form("ghp_", letters, 30),
    form("gho_", letters, 30),
    form("ghu_", letters, 30),
    form("ghs_", letters, 30),
    form("ghr_", letters, 30),
    form("github_pat_", word, 22),
    form("glpat-", dotted, 20),
    form("gldt-", dotted, 20),
    form("glrt-", dotted, 20),
    form("glptt-", dotted, 20),
    form("glcbt-", dotted, 20),
    form("glsoat-", dotted, 20),
    form("xoxb-", word, 10),
    form("xoxp-", word, 10),
    form("xoxa-", word, 10),
    form("xoxr-", word, 10),
    form("xoxs-", word, 10),
    form("xoxc-", word, 10),
    form("xoxd-", dotted, 10),
    form("xoxe-", word, 10),
    form("xoxe.", dotted, 10),
    form("xapp-", word, 10),
    form("hooks.slack.com/services/", path, 20),
    form("discord.com/api/webhooks/", |b| word(b) || b == b'/', 30),
    form("sk_live_", letters, 10),
    form("sk_test_", letters, 10),
    form("rk_live_", letters, 10),
    form("rk_test_", letters, 10),
    form("whsec_", base64, 20),
    form("sk-ant-", word, 20),
    form("sk-proj-", word, 20),
    form("sk-svcacct-", word, 20),
    form("sk-admin-", word, 20),
    form("sk-or-v1-", hex, 40),
    form("sk-", letters, 32),
    form("AIza", word, 35),
    form("ya29.", dotted, 20),
    form("GOCSPX-", word, 28),
    form("npm_", letters, 36),
    form("pypi-", word, 50),
    exact("SK", hex, 32),
    form("SG.", dotted, 50),
    exact("key-", hex, 32),
    form("dop_v1_", hex, 64),
    form("doo_v1_", hex, 64),
    form("dor_v1_", hex, 64),
    form("AccountKey=", base64, 40),
    form("SharedAccessKey=", base64, 30),
    form("hf_", letters, 30),
    form("shpat_", hex, 32),
    form("shpca_", hex, 32),
    form("shppa_", hex, 32),
    form("shpss_", hex, 32),
    exact("dapi", hex, 32),
    form("hvs.", word, 20),
    form("hvb.", word, 20),
    form("dckr_pat_", word, 20),
    form("glsa_", word, 32),
    form("glc_", base64, 32),
    form("lin_api_", letters, 32),
    form("sntrys_", |b| base64(b) || b == b'_', 32),
    form("figd_", word, 30),
    form("ATATT3", |b| base64(b) || word(b), 40),
    form("rubygems_", hex, 48),
    form("AGE-SECRET-KEY-1", upper, 50),
    form("xai-", letters, 60),
    form("gsk_", letters, 40),
    form("r8_", letters, 36),
    form("pat-na1-", word, 30),
    form("pat-eu1-", word, 30),
    form("nfp_", letters, 36),
    form("PMAK-", word, 50),
    form("EAACEdEose0cBA", letters, 10),
];

/// Words before a value that is a secret: `api_key = "…"`. In lower case, with `_` where `-`, a space or nothing may
/// stand.
pub const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "access-key",
    "accesskey",
    "private_key",
    "private-key",
    "credential",
    "bearer ",
    "basic ",
];
