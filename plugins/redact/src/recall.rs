//! Recall: the share of generated tokens that the filter finds, for every form, in the places where results hold them.
//!
//! The forms stand here a second time, with the alphabets and lengths of the vendors. So a row of
//! [`anchors`](crate::anchors) that asks for too much shows. `{a36}` stands for 36 letters and digits; see
//! [`alphabet`].

use super::*;
use serde_json::{Value, json};
use tamis_sdk::testing::Bench;

const SEEDS: u64 = 8;

/// Characters that a template draws from.
fn alphabet(name: char) -> &'static str {
    match name {
        'a' => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'b' => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
        'd' => "0123456789",
        'h' => "0123456789abcdef",
        'l' => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        's' => "abcdefghijklmnopqrstuvwxyz0123456789",
        'u' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'v' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'w' => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
        _ => panic!("no alphabet {name}"),
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    /// A text made of a template. Generated parts begin and end with a letter or digit: few tokens end with a sign, and
    /// a sentence cuts those.
    fn fill(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (field, after) = after.split_once('}').expect("a field ends");
            let (name, count) = field.split_at(1);
            let signs = alphabet(name.chars().next().expect("a name")).as_bytes();
            let count: usize = count.parse().expect("a count");
            text.push_str(before);
            for place in 0..count {
                let among = match place == 0 || place + 1 == count {
                    true => signs.len().min(62),
                    false => signs.len(),
                };
                text.push(char::from(signs[self.below(among)]));
            }
            rest = after;
        }
        text + rest
    }
}

/// Tokens with a form of their vendor.
const API_KEYS: &[&str] = &[
    "A3-{u6}-{u6}-{u5}-{u5}-{u5}",
    "A3-{u6}-{u11}-{u5}-{u5}-{u5}",
    "ops_eyJ{b250}",
    "p8e-{s32}",
    "AGE-SECRET-KEY-1{u58}",
    "LTAI{a20}",
    "sk-ant-api03-{w93}AA",
    "sk-ant-admin01-{w93}AA",
    "AKCp{a69}",
    "cmVmdGtuO{a55}",
    "ATATT3{w186}",
    "ATCTT3{w186}",
    "ATBB{a32}",
    "sc_{s12}.{s5}.acc_{s14}.{w60}",
    "AKIA{v16}",
    "ASIA{v16}",
    "ABIA{v16}",
    "ACCA{v16}",
    "A3T{u1}{v16}",
    "{a3}{d1}Q~{a34}",
    "4b1d{a38}",
    "CLOJARS_{s60}",
    "v1.0-{h24}-{h146}",
    "dapi{h32}",
    "dapi{h32}-2",
    "dnkey-{w26}-{w52}",
    "dop_v1_{h64}",
    "doo_v1_{h64}",
    "dor_v1_{h64}",
    "dp.pt.{a43}",
    "dp.st.dev.{a43}",
    "dp.ct.{a43}",
    "sl.{w135}",
    "duffel_test_{w43}",
    "duffel_live_{w43}",
    "dt0c01.{u24}.{u64}",
    "EZAK{a54}",
    "EZTK{a54}",
    "EAAM{a120}",
    "EAAC{a120}",
    "FLWSECK_TEST-{h12}",
    "FLWSECK_TEST-{h32}-X",
    "FLWPUBK_TEST-{h32}-X",
    "FLWSECK-{h32}-X",
    "fo1_{w43}",
    "fm1a_{b120}",
    "fm1r_{b120}",
    "fm2_{b120}",
    "fio-u-{w64}",
    "AIza{w35}",
    "ya29.{w60}",
    "GOCSPX-{w28}",
    "ghp_{a36}",
    "gho_{a36}",
    "ghu_{a36}",
    "ghs_{a36}",
    "ghr_{a36}",
    "github_pat_{a22}_{a59}",
    "glcbt-{s2}_{w20}",
    "gldt-{w20}",
    "glffct-{w20}",
    "glft-{w20}",
    "glimt-{w25}",
    "glagent-{w50}",
    "gloas-{w64}",
    "glpat-{w20}",
    "glpat-{w30}.{s2}{s7}",
    "glptt-{h40}",
    "GR1348941{w20}",
    "glrt-{w20}",
    "glrt-t1_{w30}.{s2}{s7}",
    "glsoat-{w20}",
    "_gitlab_session={s32}",
    "eyJrIjoi{a90}",
    "glc_{b60}",
    "glsa_{a32}_{h8}",
    "pat.{w22}.{a24}.{a20}",
    "sat.{w22}.{a24}.{a20}",
    "{a14}.atlasv1.{w67}",
    "HRKU-AA{w58}",
    "hf_{l34}",
    "api_org_{l34}",
    "ico-{a32}",
    "s-s4t2ud-{h64}",
    "s-s4t2af-{h64}",
    "lin_api_{a40}",
    "lin_oauth_{h64}",
    "{h32}-us{d2}",
    "{h32}-us{d1}",
    "key-{h32}",
    "pubkey-{h32}",
    "pk.eyJ{a57}.{w22}",
    "sk.eyJ{a57}.{w22}",
    "{a6}_{a29}_mmk",
    "team{s4}.webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}",
    "NRJS-{h19}",
    "NRII-{w32}",
    "NRAK-{u27}",
    "ntn_{d11}{a35}",
    "secret_{a43}",
    "npm_{a36}",
    "API-{u26}",
    "sk-proj-{w74}T3BlbkFJ{w74}",
    "sk-svcacct-{w74}T3BlbkFJ{w74}",
    "sk-admin-{w58}T3BlbkFJ{w58}",
    "sk-{a20}T3BlbkFJ{a20}",
    "sk-{h32}",
    "sk-or-v1-{h64}",
    "sha256~{w43}",
    "pplx-{a48}",
    "access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}",
    "access-production-{h8}-{h4}-{h4}-{h4}-{h12}",
    "pscale_tkn_{w43}",
    "pscale_oauth_{w43}",
    "pscale_pw_{w43}",
    "PMAK-{h24}-{h34}",
    "pnu_{a36}",
    "pul-{h40}",
    "pypi-AgEIcHlwaS5vcmc{w120}",
    "rdme_{s70}",
    "rubygems_{h48}",
    "tk-us-{w48}",
    "SG.{w22}.{w43}",
    "xkeysib-{h64}-{a16}",
    "xsmtpsib-{h64}-{a16}",
    "sntrys_eyJpYXQiO{b120}=_{b43}",
    "sntryu_{h64}",
    "sm_aat_{a16}",
    "sm_pat_{a16}",
    "sm_sat_{a16}",
    "shippo_live_{h40}",
    "shippo_test_{h40}",
    "shpat_{h32}",
    "shpca_{h32}",
    "shppa_{h32}",
    "shpss_{h32}",
    "xapp-1-{u11}-{d13}-{h64}",
    "xoxb-{d12}-{d13}-{a24}",
    "xoxb-{d12}-{a24}",
    "xoxp-{d12}-{d12}-{d13}-{h32}",
    "xoxe.xoxp-1-{u165}",
    "xoxe-1-{u146}",
    "xoxs-{d10}-{d10}-{d10}-{h10}",
    "xoxo-{d10}-{d10}-{d10}-{h10}",
    "xoxa-2-{a40}",
    "xoxr-{a40}",
    "xoxd-{a60}%2B{a60}",
    "hooks.slack.com/services/T{u8}/B{u8}/{a24}",
    "hooks.slack.com/workflows/T{u10}/A{u10}/{d18}/{a24}",
    "hooks.slack.com/triggers/T{u10}/{d13}/{h32}",
    "discord.com/api/webhooks/{d18}/{w68}",
    "hooks.zapier.com/hooks/catch/{d8}/{s7}",
    "sqp_{h40}",
    "squ_{h40}",
    "sqa_{h40}",
    "sgp_{h16}_{h40}",
    "sgp_{h40}",
    "sgp_local_{h40}",
    "EAAA{w60}",
    "sq0atp-{w22}",
    "sq0csp-{w43}",
    "sk_live_{a24}",
    "sk_test_{a24}",
    "sk_prod_{a24}",
    "rk_live_{a24}",
    "rk_test_{a99}",
    "whsec_{a32}",
    "{d9}:AA{w33}",
    "SK{h32}",
    "AAAAAAAAAAAAAAAAAAAAAA{a30}%3D{a55}",
    "tfp_{w44}_{a14}",
    "hvs.{w95}",
    "hvb.{w140}",
    "hvr.{w95}",
    "t1.{w150}.{w86}",
    "AQVN{w36}",
    "YC{w38}",
    "dckr_pat_{w27}",
    "dckr_oat_{w27}",
    "figd_{w40}",
    "r8_{a37}",
    "gsk_{a52}",
    "xai-{a80}",
    "nvapi-{w64}",
    "nfp_{a36}",
    "sbp_{h40}",
    "sb_secret_{w31}",
    "tskey-auth-{a16}-{a32}",
    "lsv2_pt_{h32}_{h10}",
    "pcsk_{a6}_{a63}",
    "CCIPAT_{a22}_{h40}",
    "bkua_{h40}",
    "CFPAT-{w43}",
    "e2b_{h40}",
    "fc-{h32}",
    "tvly-{a32}",
    "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}",
    "phx_{a43}",
];

/// Names of vendors' keys, and templates of their values.
const NAMED: &[(&str, &str)] = &[
    ("ADAFRUIT_API_KEY", "{s32}"),
    ("adobe_client_secret", "{h32}"),
    ("algolia_api_key", "{h32}"),
    ("ALIBABA_SECRET_KEY", "{a30}"),
    ("asana_client_secret", "{h32}"),
    ("JIRA_API_TOKEN", "{a24}"),
    ("aws_secret_access_key", "{b40}"),
    ("BEAMER_API_TOKEN", "b_{s44}"),
    ("bitbucket_client_secret", "{w64}"),
    ("bittrex_secret", "{s32}"),
    ("bittrex_access_key", "{s32}"),
    ("meraki_api_key", "{h40}"),
    ("cloudflare_api_token", "{w40}"),
    ("CLOUDFLARE_GLOBAL_API_KEY", "{h37}"),
    ("codecov_token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("CO_API_KEY", "{a40}"),
    ("coinbase_access_token", "{w64}"),
    ("CONFLUENT_SECRET_KEY", "{b64}"),
    ("contentful_delivery_api_token", "{w43}"),
    ("datadog_api_key", "{h32}"),
    ("DD_APP_KEY", "{h40}"),
    ("discord_token", "{a24}.{w6}.{w38}"),
    ("discordClientSecret", "{w32}"),
    ("DRONECI_TOKEN", "{s32}"),
    ("dropbox_app_secret", "{s15}"),
    ("etsy_access_token", "{s24}"),
    ("facebook_app_secret", "{h32}"),
    ("FASTLY_API_TOKEN", "{w32}"),
    ("finicity_client_secret", "{s20}"),
    ("finnhub-api-key", "{s20}"),
    ("flickr_access_token", "{s32}"),
    ("freshbooks_access_token", "{h64}"),
    ("gitter_access_token", "{h40}"),
    ("GOCARDLESS_TOKEN", "live_{w40}"),
    ("HEROKU_API_KEY", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("hubspot_api_key", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("intercom_api_key", "{w60}"),
    ("jfrog-api-key", "{a73}"),
    ("kraken_secret_key", "{b86}=="),
    ("kucoin_secret_key", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("launchdarkly_access_token", "{w40}"),
    ("linear_client_secret", "{h32}"),
    ("linkedin_client_secret", "{a16}"),
    ("LOB_API_KEY", "live_{h35}"),
    ("mailgun_signing_key", "{h32}-{h8}-{h8}"),
    ("mattermost_access_token", "{s26}"),
    ("messagebird_api_token", "{a25}"),
    ("netlifyAccessToken", "{w43}"),
    ("NEW_RELIC_LICENSE_KEY", "{h36}NRAL"),
    ("nytimes_api_key", "{a32}"),
    ("okta_api_token", "00{w40}"),
    ("plaid_secret_key", "{s30}"),
    ("PRIVATE_AI_API_KEY", "{s32}"),
    ("rapidapi_key", "{w50}"),
    ("sendbird_access_token", "{h40}"),
    ("SENTRY_AUTH_TOKEN", "{h64}"),
    ("snyk_token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("sonar_token", "{w40}"),
    ("squarespace_access_token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("SUMO_ACCESS_KEY", "{a64}"),
    ("travis_token", "{a22}"),
    ("TWILIO_AUTH_TOKEN", "{h32}"),
    ("twitch_api_token", "{s30}"),
    ("twitter_api_secret", "{a50}"),
    ("twitterAccessToken", "{d18}-{a30}"),
    ("zendesk_secret_key", "{a40}"),
    ("access_token", "{w64}"),
    ("refreshToken", "{w43}"),
    ("client-secret", "{a32}"),
    ("signing_key", "{b44}"),
    ("ENCRYPTION_KEY", "{h64}"),
    ("db_password", "{a10}"),
    ("MYSQL_PWD", "{a12}"),
    ("_auth", "{b40}"),
    ("Authorization", "Bearer {w40}"),
    ("Authorization", "Basic {b32}"),
    ("x-api-key", "{a40}"),
];

/// The forms of each preset: text before the secret, the secret, and text after it.
fn forms() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let mut all: Vec<_> = API_KEYS
        .iter()
        .map(|form| ("api-keys", "", *form, ""))
        .collect();
    for jwt in [
        "eyJ{a33}.eyJ{w80}.{w43}",
        "eyJ{a33}.eyJ{w80}.",
        "eyJ{a60}..{w16}.{w100}.{w22}",
        "eyJ{a20}.{w40}.{w86}",
    ] {
        all.push(("jwts", "", jwt, ""));
    }
    for label in ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""] {
        let key = format!(
            "-----BEGIN {label}PRIVATE KEY-----\n{{b64}}\n{{b64}}\n{{b40}}==\n-----END {label}PRIVATE KEY-----"
        );
        all.push(("private-keys", "", key.leak(), ""));
    }
    let end = "KEY BLOCK-----";
    all.push((
        "private-keys",
        "",
        format!(
            "-----BEGIN PGP PRIVATE {end}\n\n{{b64}}\n{{b30}}=\n={{b4}}\n-----END PGP PRIVATE {end}"
        )
        .leak(),
        "",
    ));
    let head = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,";
    all.push(("private-keys", "", format!("-----BEGIN RSA PRIVATE KEY-----\n{head}{{h32}}\n\n{{b64}}\n{{b64}}\n-----END RSA PRIVATE KEY-----").leak(), ""));
    all.push(("private-keys", "", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n{b44}\nPrivate-MAC: {h64}", ""));
    for (before, secret, after) in [
        ("postgres://app:", "{a16}", "@db.example:5432/app"),
        (
            "mongodb+srv://app:",
            "{w20}",
            "@cluster0.example/?retryWrites=true",
        ),
        ("redis://:", "{a24}", "@cache.example:6379/0"),
        ("amqps://user:", "{a6}@{a6}", "@queue.example/vhost"),
        ("https://user:", "{a12}", "@git.example/a.git"),
        (
            "Server=db;Database=a;User Id=sa;Password=",
            "{a6}!{a6}",
            ";",
        ),
        (
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=",
            "{b86}==",
            "",
        ),
        (
            "Endpoint=sb://a.example/;SharedAccessKeyName=r;SharedAccessKey=",
            "{b43}=",
            "",
        ),
        ("Data Source=db;Pwd=", "{a10}", ";"),
        ("https://", "{h8}:{h8}", "@gems.contribsys.com/"),
    ] {
        let secret = if secret == "{h8}:{h8}" {
            "{h8}"
        } else {
            secret
        };
        let before = if before == "https://" {
            "https://0123abcd:"
        } else {
            before
        };
        all.push(("connection-strings", before, secret, after));
    }
    for mail in [
        "{s8}@{s6}.example",
        "first.last+{s3}@mail.{s8}.co.uk",
        "{s5}%40{s6}.com",
        "{s4}_{s3}@xn--{s6}.de",
        "müller{d2}@bücher{d2}.example",
    ] {
        all.push(("emails", "", mail, ""));
    }
    for phone in [
        "+49 30 9{d5}",
        "+1 (415) 555-2{d3}",
        "(415) 555-2{d3}",
        "415-555-2{d3}",
        "415.555.2{d3}",
        "+33 1 42 {d2} {d2} {d2}",
        "+441632960{d3}",
    ] {
        all.push(("phones", "", phone, ""));
    }
    for ip in [
        "192.168.{d1}.{d1}",
        "10.{d1}.0.1{d1}",
        "8.8.4.{d1}",
        "2001:db8::8a2e:37{d1}:733{d1}",
        "fe80::1ff:fe23:4567:89{d1}a",
        "2a00:1450:4001:82{d1}::200e",
    ] {
        all.push(("ips", "", ip, ""));
    }
    // With their check digits.
    for card in [
        "4539578763621486",
        "5500 0055 5555 5559",
        "3714-496353-98431",
        "6011000990139424",
        "2223003122003222",
    ] {
        all.push(("cards", "", card, ""));
    }
    for iban in [
        "DE89370400440532013000",
        "GB29 NWBK 6016 1331 9268 19",
        "FR1420041010050500013M02606",
        "NL91ABNA0417164300",
        "CH9300762011623852957",
    ] {
        all.push(("ibans", "", iban, ""));
    }
    all
}

/// The places in which a secret is tested: a name, and the text.
fn places(text: &str) -> Vec<(&'static str, String)> {
    let escaped: String = text
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    vec![
        ("alone", text.to_owned()),
        ("text", format!("It is {text} since Monday, and 東京.")),
        ("line", format!("first\n{text}\nlast\n")),
        (
            "NAME=value",
            format!("PATH=/bin\nVALUE={text}\nHOME=/root\n"),
        ),
        ("JSON value", json!({"a": 1, "b": [text]}).to_string()),
        ("JSON key", json!({ text: 1 }).to_string()),
        (
            "JSON in a string",
            json!({"out": json!({"b": text}).to_string()}).to_string(),
        ),
        ("\\u escapes", format!("{{\"a\":\"{escaped}\"}}")),
        (
            "\\n escapes",
            format!(
                "[\"first\\n{}\\nlast\"]",
                json!(text).to_string().trim_matches('"')
            ),
        ),
        (
            "JSON in a text",
            format!("Result: {}\nDone.", json!({"b": text, "c": 1})),
        ),
        ("brackets", format!("({text}) [{text}] <{text}>")),
        ("quotes", format!("'{text}', \"{text}\"; {text}")),
        (
            "Markdown link",
            format!("[link](https://host.example/a?v={text})"),
        ),
        ("Markdown code", format!("Use `{text}` here")),
        (
            "URL query",
            format!("https://host.example/a?x=1&v={text}&y=2"),
        ),
        ("YAML", format!("a:\n  b: {text}\n  c: 1\n")),
        (
            "shell",
            format!("curl -H 'X: {text}' \"https://host.example\"; export A=\"{text}\""),
        ),
    ]
}

/// The places for a value with its name.
fn named_places(name: &str, value: &str) -> Vec<(&'static str, String)> {
    let mut member = serde_json::Map::new();
    member.insert(name.to_owned(), json!(value));
    let member = Value::Object(member);
    vec![
        (
            "NAME=value",
            format!("PATH=/bin\n{name}={value}\nHOME=/root\n"),
        ),
        ("TOML", format!("[a]\n{name} = \"{value}\"\n")),
        ("aligned", format!("{name}            = '{value}'\n")),
        ("YAML", format!("a:\n  {name}: {value}\n  c: 1\n")),
        ("JSON value", json!({"a": [member]}).to_string()),
        (
            "JSON in a string",
            json!({"out": member.to_string()}).to_string(),
        ),
        ("JSON in a text", format!("Result: {member:#}\nDone.")),
        ("shell", format!("export {name}='{value}'; run")),
        ("option", format!("run --{name} {value} --verbose")),
        ("option with =", format!("run --{name}=\"{value}\"")),
        ("Markdown", format!("- **{name}**: `{value}`")),
        ("source", format!("const {name} = '{value}';")),
        ("a call", format!("config.set(\"{name}\", \"{value}\");")),
        ("header", format!("{name}: {value}\r\nAccept: */*\r\n")),
    ]
}

/// Whether a text holds a secret, in any spelling of JSON.
fn holds(text: &str, secret: &str) -> bool {
    let inner = match serde_json::from_str::<Value>(text) {
        Ok(Value::String(inner)) => holds(&inner, secret),
        Ok(Value::Array(all)) => all.iter().any(|it| holds(&it.to_string(), secret)),
        Ok(Value::Object(all)) => all
            .iter()
            .any(|(key, it)| holds(key, secret) || holds(&it.to_string(), secret)),
        _ => false,
    };
    inner || text.contains(secret)
}

/// Forms, cases and finds of a preset, and its misses.
#[derive(Default)]
pub struct Row {
    pub forms: usize,
    pub cases: usize,
    pub found: usize,
    missed: Vec<String>,
}

impl Row {
    fn add(&mut self, bench: &Bench<Redact>, case: &Case) {
        let new = bench.apply(&case.text);
        self.cases += 1;
        match new.text().contains(finder::MASK) && !holds(new.text(), &case.secret) {
            true => self.found += 1,
            false => self.missed.push(format!(
                "{}: {:?} became {:?}",
                case.place,
                case.text,
                new.text()
            )),
        }
    }
}

/// A text with a secret in it.
pub struct Case {
    /// The row of the table that it counts in.
    pub row: &'static str,
    preset: &'static str,
    form: usize,
    pub place: &'static str,
    pub text: String,
    secret: String,
}

/// The row of values that only their names tell.
pub const BY_NAME: &str = "api-keys, by their name";

/// Every form at every place, and every named value.
pub fn cases() -> Vec<Case> {
    let (mut all, mut random) = (Vec::new(), Random(7));
    let forms = forms();
    for (form, (preset, before, template, after)) in forms.iter().enumerate() {
        for _ in 0..if template.contains('{') { SEEDS } else { 1 } {
            let secret = random.fill(template);
            for (place, text) in places(&format!("{before}{secret}{after}")) {
                all.push(Case {
                    row: preset,
                    preset,
                    form,
                    place,
                    text,
                    secret: secret.clone(),
                });
            }
        }
    }
    for (form, (name, template)) in NAMED.iter().enumerate() {
        for _ in 0..SEEDS {
            let value = random.fill(template);
            let secret = value.rsplit(' ').next().expect("a value").to_owned();
            for (place, text) in named_places(name, &value) {
                all.push(Case {
                    row: BY_NAME,
                    preset: "api-keys",
                    form: forms.len() + form,
                    place,
                    text,
                    secret: secret.clone(),
                });
            }
        }
    }
    all
}

/// What each row finds of its cases.
pub fn rows(cases: &[Case]) -> Vec<(&'static str, Row)> {
    let mut rows: Vec<(&str, Row)> = Vec::new();
    let (mut bench, mut preset, mut form) = (None, "", None);
    for case in cases {
        if rows.last().is_none_or(|(last, _)| *last != case.row) {
            rows.push((case.row, Row::default()));
        }
        if preset != case.preset {
            preset = case.preset;
            bench = Some(Bench::<Redact>::new(json!({"hide": [preset]})));
        }
        let row = &mut rows.last_mut().expect("a row").1;
        row.forms += usize::from(form != Some(case.form));
        form = Some(case.form);
        row.add(bench.as_ref().expect("a bench"), case);
    }
    rows
}

/// Prints what is missed: `cargo test --release -p redact -- --ignored missed --nocapture`
#[test]
#[ignore = "prints texts"]
fn what_is_missed() {
    for (preset, row) in rows(&cases()) {
        for missed in &row.missed {
            println!("{preset} {missed:.400}");
        }
    }
}

#[test]
fn forms_are_found_at_every_place() {
    for (preset, row) in rows(&cases()) {
        let least = match preset {
            BY_NAME => row.cases * 97 / 100,
            _ => row.cases,
        };
        assert!(
            row.found >= least,
            "{preset}: {} of {}: {:#?}",
            row.found,
            row.cases,
            row.missed.iter().take(5).collect::<Vec<_>>()
        );
    }
}
