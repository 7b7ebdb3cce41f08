//! Signatures in a registry: pushed in cosign's form, fetched once with the plugin, and refused if they are of another
//! key, another artifact, or another form.

use super::{DOCUMENT, Home, Registry, STRIPPED, digest, json, line, plugin, pushed};
use crate::support::{exits, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A home with a pair of keys.
fn author() -> Home {
    let home = Home::new();
    exits(
        &home.tamis(&["plugin", "keygen", "team"]),
        0,
        &["team.key", "keep it secret", "signed-by = [\"team.pub\"]"],
    );
    home
}

/// The reference in a line for filters.toml.
fn reference(line: &str) -> &str {
    line.trim_start_matches("oci = ").trim_matches('"')
}

#[track_caller]
fn sign(home: &Home, line: &str) {
    let sign = ["plugin", "sign", reference(line), "--key", "team.key"];
    exits(&home.tamis(&sign), 0, &["signed, by P-256 sha256:"]);
}

/// A home whose policy names the plugin and this public key.
fn operator(author: &Home, line: &str) -> Home {
    let home = Home::new();
    std::fs::copy(author.path("work/team.pub"), home.path("work/team.pub")).expect("copy the key");
    home.policy(
        "work/policy.toml",
        &format!("{line}\nsigned-by = [\"team.pub\"]"),
    );
    home
}

impl Registry {
    /// The file of the manifest with the signatures of a plugin.
    fn signatures(&self, line: &str) -> PathBuf {
        let tag = format!("{}.sig", digest(line).replace(':', "-"));
        let folder = "data/docker/registry/v2/repositories/team/style/_manifests/tags";
        let link = self.folder.path().join(folder).join(tag);
        let digest = std::fs::read_to_string(link.join("current/link"));
        self.blob(&digest.expect("a manifest of signatures"))
    }
}

fn write(path: &Path, manifest: &Value) {
    std::fs::write(path, manifest.to_string()).expect("write");
}

/// A file of the plugin with one more custom section: another plugin that does the same.
fn another(home: &Home) -> PathBuf {
    let bytes = std::fs::read(plugin()).expect("the plugin");
    home.folder
        .write("another.wasm", [&bytes[..], b"\0\x05\x04note"].concat())
}

#[test]
fn a_signed_plugin_is_used_without_the_registry() {
    let Some(mut registry) = Registry::start(None) else {
        return;
    };
    let author = author();
    let line = pushed(&author, &registry);
    let operator = operator(&author, &line);
    let refused = [
        "error[plugin-signature]",
        "policy.toml:3:7",
        "plugin `mine` is not signed by `team.pub`: nobody signed it",
        "tamis plugin sign",
    ];
    exits(&operator.apply(), 2, &refused);
    let verify = |key: &str| author.tamis(&["plugin", "verify", reference(&line), "--key", key]);
    exits(&verify("team.pub"), 1, &["nobody signed it"]);

    // The operator has fetched the plugin, and is given the signature that came later.
    sign(&author, &line);
    operator.is_applied();
    exits(
        &verify("team.pub"),
        0,
        &["signed\n", "team.pub  P-256 sha256:"],
    );
    let again = ["plugin", "sign", reference(&line), "--key", "team.key"];
    exits(&author.tamis(&again), 0, &["has a signature already"]);

    // In cosign's form.
    let manifest = json(&registry.signatures(&line));
    let layers = manifest["layers"].as_array().expect("layers");
    assert_eq!(layers.len(), 1);
    assert_eq!(
        layers[0]["mediaType"],
        "application/vnd.dev.cosign.simplesigning.v1+json"
    );
    let payload = registry.blob(layers[0]["digest"].as_str().expect("a digest"));
    assert_eq!(
        json(&payload),
        json!({
            "critical": {
                "identity": {"docker-reference": format!("{}/team/style", registry.name)},
                "image": {"docker-manifest-digest": digest(&line)},
                "type": "cosign container image signature",
            },
            "optional": null,
        })
    );

    // A signature of somebody else stays beside it.
    exits(&author.tamis(&["plugin", "keygen", "vendor"]), 0, &[]);
    let vendor = ["plugin", "sign", reference(&line), "--key", "vendor.key"];
    exits(&author.tamis(&vendor), 0, &["signed, by"]);
    let both = json(&registry.signatures(&line));
    assert_eq!(both["layers"][0], layers[0]);
    exits(
        &verify("vendor.pub"),
        0,
        &["vendor.pub", "an unknown key, or other bytes"],
    );

    // Pulled with the plugin, even before a policy needs them.
    let early = self::operator(&author, &line);
    let pull = early.tamis(&["plugin", "pull", reference(&line)]);
    exits(&pull, 0, &["signatures: 2", "tamis plugin verify"]);
    registry.stop();
    early.is_applied();
    operator.is_applied();
    exits(&operator.tamis(&["check", "policy.toml"]), 0, &[]);
    exits(
        &operator.tamis(&["lock", "policy.toml"]),
        0,
        &["is written"],
    );

    // From now on only a signature in the cache counts, and it is verified each time.
    std::fs::copy(author.path("work/vendor.pub"), early.path("work/team.pub")).expect("copy");
    early.is_applied();
    exits(&author.tamis(&["plugin", "keygen", "other"]), 0, &[]);
    std::fs::copy(author.path("work/other.pub"), early.path("work/team.pub")).expect("copy");
    let words = ["plugin-signature", "cannot be fetched", "cannot be asked"];
    exits(&early.apply(), 2, &words);
    let hex = digest(&line).replace("sha256:", "");
    let cached = operator.path("cache/plugins/signatures").join(hex);
    for other in ["[]", "{}", "[[\"\", \"\"]]"] {
        std::fs::write(&cached, other).expect("write");
        exits(&operator.apply(), 2, &["plugin-signature"]);
    }
}

#[test]
fn a_signature_of_another_key_artifact_or_form_is_refused() {
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let author = author();
    let line = pushed(&author, &registry);
    sign(&author, &line);
    let other = another(&author);
    let push = |version: &str| {
        let reference = format!("{}/team/style:{version}", registry.name);
        let other = other.to_str().expect("a path");
        self::line(
            &author
                .tamis(&["plugin", "push", other, &reference])
                .succeeded(),
        )
    };
    let other = push("2.0");
    assert_ne!(digest(&other), digest(&line));
    sign(&author, &other);

    let file = registry.signatures(&line);
    let sound = json(&file);
    let of_other = json(&registry.signatures(&other));
    // A fresh user each time, so that nothing is cached.
    let refused = |manifest: &Value, words: &[&str]| {
        write(&file, manifest);
        exits(&operator(&author, &line).apply(), 2, words);
    };
    refused(
        &of_other,
        &["plugin-signature", "is about another artifact"],
    );
    let layer = &sound["layers"][0];
    let with = |change: &dyn Fn(&mut Value)| {
        let mut manifest = sound.clone();
        change(&mut manifest["layers"][0]);
        manifest
    };
    let annotation = "dev.cosignproject.cosign/signature";
    let of_payload = of_other["layers"][0]["annotations"][annotation].clone();
    refused(
        &with(&|layer| layer["annotations"][annotation] = of_payload.clone()),
        &["plugin-signature", "of other keys, or of other bytes"],
    );
    for signature in [json!(""), json!("{}"), json!(null), json!("A".repeat(2000))] {
        refused(
            &with(&|layer| layer["annotations"][annotation] = signature.clone()),
            &["plugin-signature", "nobody signed it"],
        );
    }
    refused(
        &with(&|layer| layer["mediaType"] = json!("text/plain")),
        &["plugin-signature", "nobody signed it"],
    );
    refused(
        &with(&|layer| layer["size"] = json!(1 << 20)),
        &[
            "plugin-signature",
            "a signed payload is larger than 16384 bytes",
        ],
    );
    let mut many = sound.clone();
    many["layers"] = json!(vec![layer; 17]);
    refused(
        &many,
        &[
            "plugin-signature",
            "it has 17 signatures, and 16 are allowed",
        ],
    );

    // The payload itself.
    write(&file, &sound);
    let payload = registry.blob(layer["digest"].as_str().expect("a digest"));
    let signed = std::fs::read(&payload).expect("the payload");
    let altered = text(&signed).replace("container image", "container  mage");
    std::fs::write(&payload, &altered).expect("write");
    let words = [
        "plugin-signature",
        "a signed payload does not match the reference",
    ];
    exits(&operator(&author, &line).apply(), 2, &words);
    std::fs::write(&payload, &signed).expect("write");
    operator(&author, &line).is_applied();

    // The right key is one of several; another alone is not enough.
    exits(&author.tamis(&["plugin", "keygen", "other"]), 0, &[]);
    let home = operator(&author, &line);
    std::fs::copy(author.path("work/other.pub"), home.path("work/other.pub")).expect("copy");
    home.policy(
        "work/policy.toml",
        &format!("{line}\nsigned-by = [\"other.pub\"]"),
    );
    let words = [
        "not signed by `other.pub`",
        "its signatures (1) are of other keys",
    ];
    exits(&home.apply(), 2, &words);
    let both = format!("{line}\nsigned-by = [\"other.pub\", \"team.pub\"]");
    home.policy("work/policy.toml", &both);
    home.is_applied();
}

#[test]
fn openssl_and_tamis_verify_each_others_signatures() {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("not tested: signatures of openssl, which is not installed");
        return;
    }
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let author = author();
    let openssl = |line: &[&str]| {
        let run = Command::new("openssl")
            .args(line)
            .current_dir(author.path("work"))
            .output()
            .expect("openssl runs");
        assert!(run.status.success(), "{line:?}: {}", text(&run.stderr));
    };
    let line = pushed(&author, &registry);
    let kinds: [&[&str]; 2] = [
        &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        &["-algorithm", "ED25519"],
    ];
    for (index, kind) in kinds.iter().enumerate() {
        // Its key, Tamis's signature.
        openssl(&[&["genpkey", "-out", "team.key"], *kind].concat());
        std::fs::remove_file(author.path("work/team.pub")).expect("remove");
        openssl(&["pkey", "-in", "team.key", "-pubout", "-out", "team.pub"]);
        let name = ["P-256", "Ed25519"][index];
        let sign = ["plugin", "sign", reference(&line), "--key", "team.key"];
        exits(&author.tamis(&sign), 0, &["signed, by", name]);
        let layer = json(&registry.signatures(&line))["layers"][index].take();
        let payload = registry.blob(layer["digest"].as_str().expect("a digest"));
        let annotation = &layer["annotations"]["dev.cosignproject.cosign/signature"];
        author
            .folder
            .write("work/base64", annotation.as_str().expect("a signature"));
        openssl(&["base64", "-d", "-A", "-in", "base64", "-out", "signature"]);
        let verify = "pkeyutl -verify -pubin -inkey team.pub -rawin -sigfile signature -in";
        let mut verify: Vec<&str> = verify.split(' ').collect();
        verify.push(payload.to_str().expect("a path"));
        openssl(&verify);
        operator(&author, &line).is_applied();

        // Its signature, as `cosign sign-blob` writes it.
        std::fs::copy(plugin(), author.path("work/mine.wasm")).expect("copy");
        let sign = "pkeyutl -sign -inkey team.key -rawin -in mine.wasm -out signature";
        openssl(&sign.split(' ').collect::<Vec<_>>());
        openssl(&["base64", "-A", "-in", "signature", "-out", "mine.wasm.sig"]);
        let verify = ["plugin", "verify", "mine.wasm", "--key", "team.pub"];
        exits(&author.tamis(&verify), 0, &["mine.wasm: signed", name]);
        author.policy(
            "work/policy.toml",
            "path = \"mine.wasm\"\nsigned-by = [\"team.pub\"]",
        );
        let run = author.apply().succeeded();
        assert_eq!(text(&run.stdout), STRIPPED);
    }
}

#[test]
fn a_projects_policy_fetches_no_signatures_before_it_is_trusted() {
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let author = author();
    let line = pushed(&author, &registry);
    let home = Home::new();
    std::fs::copy(
        author.path("work/team.pub"),
        home.path("home/project/team.pub"),
    )
    .expect("copy");
    let plugin = format!("{line}\nsigned-by = [\"team.pub\"]");
    home.policy("home/project/filters.toml", &plugin);
    // The plugin is in the cache, its signatures are not.
    exits(&home.tamis(&["plugin", "pull", reference(&line)]), 0, &[]);
    sign(&author, &line);
    let project = |line: &[&str]| home.program("home/project", line).run(DOCUMENT);
    let check = project(&["check", "filters.toml"]);
    let said = text(&check.stdout) + &text(&check.stderr);
    assert!(said.contains("contacts no registry"), "{said}");
    let key = ["signed by team.pub (P-256 sha256:"];
    exits(&project(&["trust", "--yes"]), 0, &key);
    let run = project(&["apply", "--tool", "any"]).succeeded();
    assert_eq!(text(&run.stdout), STRIPPED);
}

#[test]
fn what_cannot_be_signed_or_verified_is_said() {
    let home = author();
    std::fs::copy(plugin(), home.path("work/mine.wasm")).expect("copy");
    home.folder.write("work/text.wasm", "text");
    let digest = format!("localhost:1/style@sha256:{}", "0f".repeat(32));
    for (line, words) in [
        (
            vec!["sign", "text.wasm", "--key", "team.key"],
            "text.wasm is not WebAssembly",
        ),
        (
            vec!["sign", "none.wasm", "--key", "team.key"],
            "read none.wasm",
        ),
        (
            vec!["sign", "localhost:1/style:1", "--key", "team.key"],
            "has no digest",
        ),
        (
            vec!["sign", &digest, "--key", "team.key"],
            "localhost:1 cannot be asked",
        ),
        (
            vec!["sign", "mine.wasm", "--key", "team.pub"],
            "a public key, and not a private key",
        ),
        (
            vec!["sign", "mine.wasm", "--key", "none.key"],
            "read none.key",
        ),
        (
            vec!["sign", "mine.wasm", "--key", "text.wasm"],
            "has no key in PEM",
        ),
        (
            vec!["verify", "mine.wasm", "--key", "team.key"],
            "a private key, and not a public key",
        ),
        (
            vec!["verify", &digest, "--key", "team.pub"],
            "localhost:1 cannot be asked",
        ),
        (vec!["verify", "mine.wasm"], "--key"),
        (vec!["keygen", "team"], "team.pub exists"),
        (vec!["keygen", "none/team"], "write none/team.key"),
    ] {
        let line: Vec<&str> = [&["plugin"], &line[..]].concat();
        exits(&home.tamis(&line), 2, &[words]);
    }
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let nothing = format!("{}/team/none@sha256:{}", registry.name, "0f".repeat(32));
    let sign = ["plugin", "sign", &nothing, "--key", "team.key"];
    exits(&home.tamis(&sign), 2, &["404"]);
}
