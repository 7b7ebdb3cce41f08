//! Plugins in an OCI registry: pushed, pulled, named by digest in filters.toml, and never confused.
//!
//! The registry is Debian's (`docker-registry`), on loopback. `setup.sh` installs it if it can. Without it, only tests
//! that need no registry run, and the others say so.

#[allow(dead_code, reason = "other tests name the other guests")]
mod signatures;

use crate::support::built;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::support::built::Target;
use crate::support::registry::Registry;
use crate::support::{Finished, Folder, Program, TAMIS, exits, text};
use serde_json::Value;

const DOCUMENT: &str = r#"{"a":null,"list":[1,2,3]}"#;
const STRIPPED: &str = r#"{"list":[1,2,3]}"#;

/// User `reader`, password `open sesame`, hashed with bcrypt.
const HTPASSWD: &str = "reader:$2y$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy\n";
const PASSWORD: &str = "open sesame";

/// A user with a home, a cache and a project of their own.
struct Home {
    folder: Folder,
}

impl Home {
    fn new() -> Home {
        let home = Home {
            folder: Folder::new(),
        };
        for folder in ["home/project/.git", "work", "state"] {
            std::fs::create_dir_all(home.path(folder)).expect("make a folder");
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, folder: &str, line: &[&str]) -> Program {
        let mut all = vec![TAMIS];
        all.extend(line);
        Program::new(&all, &self.path(folder))
            .env("HOME", self.path("home"))
            .env("DOCKER_CONFIG", self.path("docker"))
            .env("TAMIS_STATE_DIR", self.path("state"))
            .env("TAMIS_CACHE_DIR", self.path("cache"))
            .env("NO_PROXY", "127.0.0.1")
    }

    fn tamis(&self, line: &[&str]) -> Finished {
        self.program("work", line).run("")
    }

    /// Writes a policy with this line in its plugin.
    fn policy(&self, name: &str, line: &str) {
        let text = format!(
            "[[plugin]]\nname = \"mine\"\n{line}\nallow = [\"log\"]\n\n[[chain]]\ntools = [\"*\"]\nsteps = [\"mine\", \"null-stripper\"]\n"
        );
        self.folder.write(name, text);
    }

    fn apply(&self) -> Finished {
        self.program("work", &["apply", "-c", "policy.toml", "--tool", "any"])
            .run(DOCUMENT)
    }

    #[track_caller]
    fn is_applied(&self) {
        let run = self.apply().succeeded();
        assert_eq!(text(&run.stdout), STRIPPED);
    }

    /// The file of a blob in the cache.
    fn cached(&self, digest: &str) -> PathBuf {
        let hex = digest.strip_prefix("sha256:").expect("a digest");
        self.path("cache/plugins/sha256").join(hex)
    }
}

fn plugin() -> PathBuf {
    built::path(Target::Wasip2, "noop")
}

/// Pushes the plugin. Returns the line for filters.toml.
#[track_caller]
fn pushed(home: &Home, registry: &Registry) -> String {
    let reference = format!("{}/team/style:1.0", registry.name);
    let plugin = plugin();
    let run = home.tamis(&[
        "plugin",
        "push",
        plugin.to_str().expect("a path"),
        &reference,
    ]);
    line(&run.succeeded())
}

/// The line for filters.toml in the output.
#[track_caller]
fn line(run: &Finished) -> String {
    let said = text(&run.stdout);
    let line = said.lines().find(|line| line.contains("oci = "));
    line.unwrap_or_else(|| panic!("no line in {said}"))
        .trim()
        .to_owned()
}

/// The digest in such a line.
fn digest(line: &str) -> String {
    let (_, digest) = line.split_once('@').expect("a digest");
    digest.trim_end_matches('"').to_owned()
}

/// The digest of the plugin in the registry's manifest.
fn layer(registry: &Registry, line: &str) -> String {
    let manifest = json(&registry.blob(&digest(line)));
    manifest["layers"][0]["digest"]
        .as_str()
        .expect("a digest")
        .to_owned()
}

fn json(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn a_plugin_is_shared_and_then_used_without_the_registry() {
    let Some(mut registry) = Registry::start(None) else {
        return;
    };
    let author = Home::new();
    let line = pushed(&author, &registry);
    assert_eq!(
        pushed(&author, &registry),
        line,
        "the same plugin, the same digest"
    );

    // The same media types as other tools for WebAssembly use.
    let manifest = json(&registry.blob(&digest(&line)));
    assert_eq!(
        manifest["config"]["mediaType"],
        "application/vnd.wasm.config.v0+json"
    );
    assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
    let config = json(&registry.blob(manifest["config"]["digest"].as_str().expect("a digest")));
    assert_eq!(config["architecture"], "wasm");
    assert_eq!(config["os"], "wasip2");
    assert_eq!(config["layerDigests"][0], manifest["layers"][0]["digest"]);
    assert_eq!(
        config["component"]["exports"][0],
        "tamis:filter/filter@0.1.0"
    );

    // Another user, by tag.
    let reader = Home::new();
    let reference = format!("{}/team/style:1.0", registry.name);
    let run = reader
        .tamis(&["plugin", "pull", &reference, "-o", "style.wasm"])
        .succeeded();
    assert_eq!(self::line(&run), line);
    let written = std::fs::read(reader.path("work/style.wasm")).expect("the plugin");
    assert!(written == std::fs::read(plugin()).expect("the plugin"));

    // And by a policy, which fetches it itself.
    let operator = Home::new();
    operator.policy("work/policy.toml", &line);
    operator.is_applied();
    registry.stop();
    operator.is_applied();
    let quoted = line.trim_start_matches("oci = ").trim_matches('"');
    exits(&operator.tamis(&["check", "policy.toml"]), 0, &[]);
    exits(
        &operator.tamis(&["explain", "-c", "policy.toml", "any"]),
        0,
        &[quoted],
    );
    exits(
        &operator.tamis(&["lock", "policy.toml"]),
        0,
        &["is written"],
    );
    let lock = std::fs::read_to_string(operator.path("work/policy.lock")).expect("a lock file");
    assert!(lock.contains(&line), "{lock}");
    exits(
        &operator.tamis(&["lock", "--check", "policy.toml"]),
        0,
        &["is up to date"],
    );
    operator.is_applied();
    let run = operator
        .tamis(&["plugin", "pull", quoted, "--json"])
        .succeeded();
    let pulled: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(pulled["digest"], digest(&line));

    // Without the fetched plugin, the error says what to do.
    let late = Home::new();
    late.policy("work/policy.toml", &line);
    let said = [
        "plugin-unreadable",
        &registry.name,
        "cannot be asked",
        "tamis plugin pull",
    ];
    exits(&late.apply(), 2, &said);
}

#[test]
fn the_contract_is_shared_as_other_tools_look_for_it() {
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let author = Home::new();
    exits(
        &author.tamis(&["plugin", "wit", "--package", "contract.wasm"]),
        0,
        &["contract.wasm"],
    );
    let package = std::fs::read(author.path("work/contract.wasm")).expect("the package");
    // The repository and the tag that `wkg` makes of `tamis:filter@0.1.0`.
    let repository = format!("{}/tamis/filter", registry.name);
    exits(
        &author.tamis(&["plugin", "push", "contract.wasm", &repository]),
        2,
        &["has no tag", "tamis/filter:0.1.0"],
    );
    let reference = format!("{repository}:0.1.0");
    let run = author
        .tamis(&["plugin", "push", "contract.wasm", &reference, "--json"])
        .succeeded();
    let pushed: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let manifest = json(&registry.blob(pushed["digest"].as_str().expect("a digest")));
    let title = &manifest["annotations"]["org.opencontainers.image.title"];
    assert_eq!(title, "tamis:filter");
    let layer = manifest["layers"][0]["digest"].as_str().expect("a digest");
    assert!(std::fs::read(registry.blob(layer)).expect("the layer") == package);
    let config = json(&registry.blob(manifest["config"]["digest"].as_str().expect("a digest")));
    assert_eq!(config["os"], "wasip2");
    let exports = config["component"]["exports"].as_array().expect("a list");
    for name in ["document", "filter", "plugin"] {
        let name = Value::from(format!("tamis:filter/{name}@0.1.0"));
        assert!(exports.contains(&name), "{exports:?}");
    }
}

#[test]
fn what_a_registry_has_in_its_place_is_refused() {
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let author = Home::new();
    let line = pushed(&author, &registry);
    let blob = registry.blob(&layer(&registry, &line));
    let sound = std::fs::read(&blob).expect("the plugin");
    let mut other = sound.clone();
    *other.last_mut().expect("a byte") ^= 1;

    let home = Home::new();
    home.policy("work/policy.toml", &line);
    std::fs::write(&blob, &other).expect("write");
    let words = ["the plugin does not match the reference"];
    exits(&home.apply(), 2, &words);
    std::fs::write(&blob, [&sound[..], b"more"].concat()).expect("write");
    exits(&home.apply(), 2, &[]);
    std::fs::write(&blob, &sound).expect("write");

    let manifest = registry.blob(&digest(&line));
    let text = std::fs::read_to_string(&manifest).expect("the manifest");
    std::fs::write(
        &manifest,
        text.replace("application/wasm", "application/wasn"),
    )
    .expect("write");
    exits(&home.apply(), 2, &["plugin-unreadable"]);
    std::fs::write(&manifest, text).expect("write");
    home.is_applied();
}

#[test]
fn what_somebody_puts_into_the_cache_is_fetched_again_or_refused() {
    let Some(mut registry) = Registry::start(None) else {
        return;
    };
    let author = Home::new();
    let line = pushed(&author, &registry);
    let layer = layer(&registry, &line);
    let home = Home::new();
    home.policy("work/policy.toml", &line);
    home.is_applied();
    for digest in [digest(&line), layer.clone()] {
        std::fs::write(home.cached(&digest), "other").expect("write");
        let run = home.apply().succeeded();
        assert_eq!(text(&run.stdout), STRIPPED);
        exits(&run, 0, &["does not match its digest"]);
        assert_ne!(
            std::fs::read(home.cached(&digest)).expect("it is there"),
            b"other"
        );
    }
    registry.stop();
    home.is_applied();
    std::fs::write(home.cached(&layer), "other").expect("write");
    exits(
        &home.apply(),
        2,
        &["does not match its digest", "cannot be asked"],
    );
}

#[test]
fn a_registry_that_asks_who_one_is_is_told_and_nobody_else() {
    let Some(registry) = Registry::start(Some(HTPASSWD)) else {
        return;
    };
    let home = Home::new();
    let reference = format!("{}/team/style:1.0", registry.name);
    let plugin = plugin();
    let push = [
        "--log",
        "trace",
        "plugin",
        "push",
        plugin.to_str().expect("a path"),
        &reference,
    ];
    let with = |line: &[&str], password: &str| {
        let run = home
            .program("work", line)
            .env("TAMIS_REGISTRY_USER", "reader")
            .env("TAMIS_REGISTRY_PASSWORD", password)
            .run("");
        let said = text(&run.stdout) + &text(&run.stderr);
        assert!(!said.contains(password), "{said}");
        run
    };
    let login = format!("docker login {}", registry.name);
    exits(&home.tamis(&push), 2, &["401", &login]);
    exits(
        &with(&push, "wrong one"),
        2,
        &["401", "reader", "TAMIS_REGISTRY_USER"],
    );
    let run = with(&push, PASSWORD).succeeded();
    let line = line(&run);
    let pull = ["plugin", "pull", &reference];
    exits(&home.tamis(&pull), 2, &["401", &login]);

    // A policy may name any registry, so it gets only the credentials stored for that one.
    home.policy("work/policy.toml", &line);
    let apply = ["apply", "-c", "policy.toml", "--tool", "any"];
    exits(&with(&apply, PASSWORD), 2, &["plugin-unreadable", "401"]);
    let config = |registry: &str| {
        // "reader:open sesame"
        let config = format!(
            r#"{{"auths":{{"https://{registry}/v1/":{{"auth":"cmVhZGVyOm9wZW4gc2VzYW1l"}}}}}}"#
        );
        home.folder.write("docker/config.json", config);
    };
    config("registry.example");
    exits(&home.apply(), 2, &["401", &login]);
    home.folder
        .write("docker/config.json", r#"{"credsStore":"secretservice"}"#);
    exits(&home.apply(), 2, &["docker-credential-secretservice"]);
    home.folder.write("docker/config.json", "{open sesame");
    let broken = home.apply();
    exits(&broken, 2, &["config.json is broken"]);
    assert!(!text(&broken.stderr).contains(PASSWORD));
    config(&registry.name);
    home.is_applied();
}

#[test]
fn what_is_not_there_or_no_plugin_is_said() {
    let home = Home::new();
    home.folder.write("work/text.wasm", "text");
    for (line, words) in [
        (vec!["pull", "team/style:1.0"], vec!["names no registry"]),
        (
            vec!["pull", "https://r.example/style"],
            vec!["leave `https://` out"],
        ),
        (
            vec!["push", "text.wasm", "localhost:1/style:1"],
            vec!["text"],
        ),
        (
            vec!["pull", "localhost:1/style:1"],
            vec!["localhost:1 cannot be asked"],
        ),
    ] {
        let line: Vec<&str> = [&["plugin"], &line[..]].concat();
        exits(&home.tamis(&line), 2, &words);
    }
    let plugin = plugin();
    let plugin = plugin.to_str().expect("a path");
    exits(
        &home.tamis(&["plugin", "push", plugin, "localhost:1/style"]),
        2,
        &["has no tag"],
    );
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let nowhere = format!("{}/team/nothing:1.0", registry.name);
    exits(
        &home.tamis(&["plugin", "pull", &nowhere]),
        2,
        &["404", &nowhere],
    );
}

#[test]
fn a_projects_policy_fetches_nothing_before_it_is_trusted() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener");
    let registry = listener.local_addr().expect("an address");
    let digest = "0f".repeat(32);
    let home = Home::new();
    let line = format!("oci = \"{registry}/style@sha256:{digest}\"");
    home.policy("home/project/filters.toml", &line);
    let project = |line: &[&str]| home.program("home/project", line).run(DOCUMENT);

    let apply = ["apply", "--tool", "any"];
    exits(&project(&apply), 0, &["you do not trust it"]);
    for line in [&["check", "filters.toml"][..], &["lock"]] {
        let words = [
            "plugin-unreadable",
            "contacts no registry",
            "tamis plugin pull",
        ];
        let run = project(line);
        let said = text(&run.stdout) + &text(&run.stderr);
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    }
    exits(
        &project(&["trust", "--yes"]),
        0,
        &[&digest, "is fetched from", "when it is first used"],
    );
    exits(&project(&["trust", "--list"]), 0, &["trusted"]);
    let asked = listener.accept().map(|_| ()).map_err(|error| error.kind());
    assert_eq!(
        asked,
        Err(std::io::ErrorKind::WouldBlock),
        "the registry was asked"
    );

    // Now it is.
    drop(listener);
    exits(&project(&apply), 2, &["cannot be asked"]);
}
