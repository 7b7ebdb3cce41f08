//! Forms of secrets that vendors document, and words that name a secret value beside them.
//! The forms are those that the vendors publish: the documentation of AWS IAM identifiers, GitHub's and GitLab's
//! token prefixes, Slack's token types, Stripe's key types, and so on. A form asks for less than the vendor writes
//! where lengths have changed over the years.

/// A character of a token.
pub type Class = fn(u8) -> bool;

/// A token: a prefix of its vendor and a body.
#[derive(Clone, Copy)]
pub struct Form {
    pub prefix: &'static str,
    pub body: Class,
    /// Fewest characters of the body.
    pub least: usize,
    /// The body has exactly `least` characters, and no letter or digit follows.
    pub is_exact: bool,
    /// No letter or digit precedes the prefix, because the prefix is short or is the end of a word.
    pub is_bounded: bool,
    /// The body has digits and letters of both cases. Without them, words would match.
    pub is_mixed: bool,
}

/// A token with a fixed part in its middle or at its end.
#[derive(Clone, Copy)]
pub struct Core {
    pub literal: &'static str,
    pub before: Class,
    /// Fewest and most characters before the literal.
    pub before_count: (usize, usize),
    pub after: Class,
    /// Fewest and most characters after the literal.
    pub after_count: (usize, usize),
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

fn upper_dashed(b: u8) -> bool {
    upper(b) || b == b'-'
}

fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}

fn hex_dashed(b: u8) -> bool {
    hex(b) || b == b'-'
}

fn digits(b: u8) -> bool {
    b.is_ascii_digit()
}

fn path(b: u8) -> bool {
    word(b) || b == b'/'
}

fn base64(b: u8) -> bool {
    letters(b) || matches!(b, b'+' | b'/' | b'=')
}

fn any_base64(b: u8) -> bool {
    base64(b) || word(b)
}

fn percent(b: u8) -> bool {
    letters(b) || b == b'%'
}

fn tilde(b: u8) -> bool {
    dotted(b) || b == b'~'
}

fn webhook(b: u8) -> bool {
    path(b) || b == b'@'
}

fn dashes_equal(b: u8) -> bool {
    dotted(b) || b == b'='
}

fn access_key(b: u8) -> bool {
    dashes_equal(b) || base64(b)
}

const fn form(prefix: &'static str, body: Class, least: usize) -> Form {
    Form {
        prefix,
        body,
        least,
        is_exact: false,
        is_bounded: false,
        is_mixed: false,
    }
}

const fn bounded(prefix: &'static str, body: Class, least: usize) -> Form {
    Form {
        is_bounded: true,
        ..form(prefix, body, least)
    }
}

const fn exact(prefix: &'static str, body: Class, least: usize) -> Form {
    Form {
        is_exact: true,
        ..bounded(prefix, body, least)
    }
}

const fn core(
    literal: &'static str,
    before: Class,
    before_count: (usize, usize),
    after: Class,
    after_count: (usize, usize),
) -> Core {
    Core {
        literal,
        before,
        before_count,
        after,
        after_count,
    }
}

/// Tokens that begin with a prefix of their vendor.
pub const FORMS: &[Form] = &[
    // Clouds and hosts.
    exact("AKIA", upper, 16),
    exact("ASIA", upper, 16),
    exact("ABIA", upper, 16),
    exact("ACCA", upper, 16),
    exact("A3T", upper, 17),
    bounded("LTAI", letters, 12),
    bounded("AKID", letters, 32),
    form("AIza", word, 35),
    form("ya29.", dotted, 20),
    form("GOCSPX-", word, 28),
    form("AccountKey=", base64, 40),
    form("SharedAccessKey=", base64, 30),
    form("dop_v1_", hex, 64),
    form("doo_v1_", hex, 64),
    form("dor_v1_", hex, 64),
    form("HRKU-AA", word, 30),
    bounded("fo1_", word, 43),
    bounded("fm1a_", base64, 100),
    bounded("fm1r_", base64, 100),
    bounded("fm2_", base64, 100),
    bounded("tk-us-", word, 48),
    bounded("v1.0-", hex_dashed, 120),
    form("AQVN", word, 35),
    exact("YC", word, 38),
    bounded("t1.", dashes_equal, 86),
    bounded("nfp_", letters, 36),
    bounded("rnd_", letters, 28),
    form("sbp_", hex, 40),
    form("sb_secret_", word, 22),
    form("pscale_tkn_", dashes_equal, 32),
    form("pscale_oauth_", dashes_equal, 32),
    form("pscale_pw_", dashes_equal, 32),
    exact("4b1d", letters, 38),
    form("tskey-", word, 20),
    bounded("pul-", hex, 40),
    form("hvs.", word, 20),
    form("hvb.", word, 20),
    form("hvr.", word, 20),
    Form {
        is_mixed: true,
        ..exact("s.", letters, 24)
    },
    exact("dapi", hex, 32),
    form("sha256~", word, 43),
    form("dt0c01.", dotted, 80),
    form("dt0s01.", dotted, 80),
    // Code and packages.
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
    form("glffct-", dotted, 20),
    form("glft-", dotted, 20),
    form("glimt-", dotted, 20),
    form("glagent-", dotted, 20),
    form("gloas-", dotted, 20),
    form("GR1348941", word, 20),
    form("_gitlab_session=", letters, 32),
    form("npm_", letters, 36),
    form("pypi-", word, 50),
    form("rubygems_", hex, 48),
    form("CLOJARS_", letters, 60),
    form("clojars_", letters, 60),
    form("dckr_pat_", word, 20),
    form("dckr_oat_", word, 20),
    form("AKCp", letters, 60),
    form("cmVmdGtuO", letters, 50),
    form("ATATT3", any_base64, 40),
    form("ATCTT3", any_base64, 40),
    bounded("ATBB", letters, 28),
    form("BBDC-", base64, 40),
    form("CCIPAT_", word, 40),
    form("bkua_", letters, 40),
    form("sgp_", word, 40),
    form("squ_", hex, 40),
    form("sqp_", hex, 40),
    form("sqa_", hex, 40),
    form("sntrys_", any_base64, 32),
    form("sntryu_", hex, 64),
    form("sntrya_", hex, 64),
    form("dp.pt.", letters, 40),
    form("dp.st.", dotted, 40),
    form("dp.ct.", letters, 40),
    form("dp.sa.", letters, 40),
    form("dp.scim.", letters, 40),
    form("dp.audit.", letters, 40),
    exact("API-", upper, 26),
    bounded("pnu_", letters, 36),
    bounded("ico-", letters, 32),
    bounded("CFPAT-", word, 40),
    form("PMAK-", word, 50),
    bounded("rdme_", letters, 70),
    form("lin_api_", letters, 32),
    form("lin_oauth_", letters, 32),
    form("figd_", word, 30),
    form("fio-u-", dashes_equal, 60),
    bounded("ntn_", letters, 40),
    bounded("secret_", letters, 43),
    bounded("tfp_", dashes_equal, 40),
    form("ops_eyJ", base64, 100),
    bounded("A3-", upper_dashed, 31),
    form("AGE-SECRET-KEY-1", upper, 50),
    bounded("pat.", dotted, 68),
    bounded("sat.", dotted, 68),
    bounded("p8e-", letters, 32),
    // Models.
    form("sk-ant-", word, 20),
    form("sk-proj-", word, 20),
    form("sk-svcacct-", word, 20),
    form("sk-admin-", word, 20),
    form("sk-or-v1-", hex, 40),
    bounded("sk-", letters, 32),
    bounded("hf_", letters, 30),
    form("api_org_", letters, 34),
    bounded("xai-", letters, 60),
    bounded("gsk_", letters, 40),
    bounded("r8_", letters, 36),
    bounded("pplx-", letters, 40),
    form("nvapi-", word, 50),
    bounded("tvly-", word, 28),
    form("lsv2_pt_", word, 40),
    form("lsv2_sk_", word, 40),
    form("pcsk_", word, 40),
    exact("e2b_", hex, 40),
    exact("fc-", hex, 32),
    // Messages.
    form("xoxb-", word, 10),
    form("xoxp-", word, 10),
    form("xoxa-", word, 10),
    form("xoxr-", word, 10),
    form("xoxs-", word, 10),
    form("xoxo-", word, 10),
    form("xoxc-", word, 10),
    form("xoxd-", percent, 10),
    form("xoxe-", word, 10),
    form("xoxe.", dotted, 10),
    form("xapp-", word, 10),
    form("hooks.slack.com/services/", path, 20),
    form("hooks.slack.com/workflows/", path, 20),
    form("hooks.slack.com/triggers/", path, 20),
    form("discord.com/api/webhooks/", path, 30),
    form("discordapp.com/api/webhooks/", path, 30),
    form(".webhook.office.com/webhookb2/", webhook, 60),
    form("hooks.zapier.com/hooks/catch/", path, 12),
    form("SG.", dotted, 50),
    exact("key-", hex, 32),
    exact("pubkey-", hex, 32),
    exact("SK", hex, 32),
    form("xkeysib-", word, 64),
    form("xsmtpsib-", word, 64),
    bounded("EAACEdEose0cBA", letters, 10),
    bounded("EAAM", letters, 100),
    bounded("EAAC", letters, 100),
    bounded("EAAG", letters, 100),
    bounded("AAAAAAAAAAAAAAAAAAAAAA", percent, 80),
    // Payment, commerce and maps.
    form("sk_live_", letters, 10),
    form("sk_test_", letters, 10),
    form("sk_prod_", letters, 10),
    form("rk_live_", letters, 10),
    form("rk_test_", letters, 10),
    form("rk_prod_", letters, 10),
    form("whsec_", base64, 20),
    form("shpat_", hex, 32),
    form("shpca_", hex, 32),
    form("shppa_", hex, 32),
    form("shpss_", hex, 32),
    bounded("EAAA", word, 50),
    form("sq0atp-", word, 22),
    form("sq0csp-", word, 40),
    form("shippo_live_", hex, 40),
    form("shippo_test_", hex, 40),
    form("duffel_live_", dashes_equal, 40),
    form("duffel_test_", dashes_equal, 40),
    form("FLWSECK_TEST-", word, 12),
    form("FLWSECK-", word, 32),
    form("FLWPUBK_TEST-", word, 32),
    exact("EZAK", letters, 54),
    exact("EZTK", letters, 54),
    form("access-sandbox-", hex_dashed, 36),
    form("access-development-", hex_dashed, 36),
    form("access-production-", hex_dashed, 36),
    form("pk.eyJ", dotted, 60),
    form("sk.eyJ", dotted, 60),
    form("tk.eyJ", dotted, 60),
    form("pat-na1-", word, 30),
    form("pat-eu1-", word, 30),
    // Operations.
    form("glsa_", word, 32),
    form("glc_", base64, 32),
    form("eyJrIjoi", base64, 70),
    form("NRAK-", letters, 27),
    form("NRII-", word, 32),
    form("NRJS-", hex, 19),
    form("dnkey-", dashes_equal, 60),
    bounded("sl.", word, 100),
    exact("sm_aat_", letters, 16),
    exact("sm_pat_", letters, 16),
    exact("sm_sat_", letters, 16),
    form("s-s4t2ud-", hex, 64),
    form("s-s4t2af-", hex, 64),
    bounded("phx_", letters, 40),
];

/// Tokens with a fixed part after their beginning.
pub const CORES: &[Core] = &[
    // A secret of an application in Entra: three characters and a digit, `Q~`, 31 to 34 characters.
    core("Q~", tilde, (4, 4), tilde, (31, 34)),
    core(".atlasv1.", letters, (14, 14), any_base64, (60, 70)),
    core("_mmk", word, (36, 36), digits, (0, 0)),
    // Mailchimp's data centre ends its key.
    core("-us", hex, (32, 32), digits, (1, 2)),
    core(":AA", digits, (8, 10), word, (32, 40)),
    core(".acc_", dotted, (12, 44), access_key, (40, 160)),
    core(".acc-", dotted, (12, 44), access_key, (40, 160)),
];

/// Words beside which a value is a secret: `api_key = "…"`. In lower case.
pub const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "credential",
    "creds",
    "authorization",
    // The word before it decides, so the filter judges these two with that word.
    "key",
    "auth",
    // Schemes of HTTP: the value follows at once.
    "bearer ",
    "basic ",
];

/// Names of passwords. Their values may be short.
pub const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode", "pwd"];

/// Words that make a secret of a `key` that follows at once: `apikey`.
pub const KEYS: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "app",
    "auth",
    "client",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "signing",
    "ssh",
];

/// Words before `key` or `token` that make the name harmless: keys of tables, and tokens with which a client asks for
/// the next page.
pub const OPEN: &[&str] = &[
    "bos",
    "bucket",
    "cache",
    "cancel",
    "cancellation",
    "cluster",
    "continuation",
    "continue",
    "cursor",
    "dedup",
    "delta",
    "end",
    "eos",
    "event",
    "field",
    "foreign",
    "group",
    "hash",
    "host",
    "hot",
    "idempotency",
    "index",
    "item",
    "last",
    "lookup",
    "map",
    "mask",
    "message",
    "meta",
    "natural",
    "next",
    "object",
    "pad",
    "page",
    "pagination",
    "partition",
    "primary",
    "progress",
    "pub",
    "public",
    "query",
    "range",
    "registry",
    "resume",
    "row",
    "s3",
    "schema",
    "sep",
    "sequence",
    "shard",
    "skip",
    "sort",
    "start",
    "state",
    "storage",
    "sync",
    "translation",
    "unique",
    "unk",
];

/// Last words of names that describe a secret and hold none: `token_type`.
pub const ABOUT: &[&str] = &[
    "algorithm",
    "alias",
    "arn",
    "at",
    "budget",
    "count",
    "created",
    "encryption",
    "endpoint",
    "expiration",
    "expires",
    "expiry",
    "file",
    "filename",
    "fingerprint",
    "format",
    "hint",
    "index",
    "length",
    "limit",
    "limits",
    "method",
    "name",
    "names",
    "path",
    "policy",
    "provider",
    "ref",
    "ring",
    "scope",
    "scopes",
    "size",
    "source",
    "status",
    "store",
    "ttl",
    "type",
    "updated",
    "uri",
    "url",
    "usage",
    "used",
    "version",
];
