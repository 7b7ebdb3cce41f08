//! A policy from a registry or a URL: every replica has it within ten seconds, none has one that nobody signed, and
//! `/readyz` and the metrics say which one is in force.

mod web;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::replica::{CHAIN, Client, LARGE, Listening, reference_in};
use crate::support::proxy::client;
use crate::support::registry::Registry;
use crate::support::{COMPILED, Finished, Folder, Program, Running, TAMIS, exits, text};

/// How soon every replica has a new policy.
const WITHIN: Duration = Duration::from_secs(10);

/// How long a busy machine may take for an answer. Without an end, a replica that no longer answers would be waited for.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

/// A folder with keys and policies, and a server for the policies.
struct Team {
    folder: Folder,
    server: Listening,
}

impl Team {
    fn new() -> Team {
        let folder = Folder::new();
        let server = Listening::server(&folder);
        let team = Team { folder, server };
        for name in ["team", "other"] {
            exits(&team.tamis(&["plugin", "keygen", name]), 0, &[]);
        }
        team
    }

    fn program(&self, line: &[&str]) -> Program {
        let line = [&[TAMIS], line].concat();
        Program::new(&line, self.folder.path())
            .env("HOME", self.folder.path())
            .env("DOCKER_CONFIG", self.folder.path().join("docker"))
            .env("TAMIS_CACHE_DIR", COMPILED)
            .env("TAMIS_STATE_DIR", self.folder.path().join("state"))
            .env("NO_PROXY", "127.0.0.1")
    }

    fn tamis(&self, line: &[&str]) -> Finished {
        self.program(line).run("")
    }

    /// Writes a policy: this text, and the server.
    fn policy(&self, text: &str) {
        let server = format!(
            "[server.load]\nurl = \"http://{}/mcp\"\n",
            self.server.address
        );
        self.folder
            .write("filters.toml", format!("{text}\n{server}"));
    }

    /// Publishes a policy; its digest.
    #[track_caller]
    fn publish(&self, text: &str, place: &str, key: &str) -> String {
        self.policy(text);
        let line = ["publish", "filters.toml", place, "--key", key, "--json"];
        let run = self.tamis(&line).succeeded();
        let published: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        published["digest"].as_str().expect("a digest").to_owned()
    }

    /// The program of a replica, with a state directory of its own.
    fn replica(&self, name: &str, place: &str, more: &[&str]) -> Program {
        let line = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "info",
            "--config",
            place,
        ];
        let state = self.folder.path().join(format!("state-{name}"));
        let program = self.program(&[&line, more].concat());
        program
            .env("TAMIS_STATE_DIR", state)
            .limit(Duration::from_secs(300))
    }

    fn start(&self, name: &str, place: &str, more: &[&str]) -> Replica {
        Replica::start(self.replica(name, place, more))
    }

    /// The only copy of a policy in the state directory of a replica.
    fn copy(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(format!("state-{name}/policies"));
        let files = std::fs::read_dir(&folder).expect("copies");
        let mut paths = files.map(|file| file.expect("an entry").path());
        // Not a file that is being written.
        let found = paths.find(|path| path.extension().is_some_and(|ending| ending == "json"));
        found.expect("a copy")
    }
}

/// Checks that a replica does not start, and says why.
#[track_caller]
fn refuses(program: Program, words: &[&str]) {
    let mut running = program.start();
    let line = text(&running.receive_line());
    if !line.is_empty() {
        running.fail(&format!("it should not have started: {line}"));
    }
    exits(&running.finish(), 2, words);
}

struct Replica {
    running: Running,
    url: String,
}

impl Replica {
    #[track_caller]
    fn start(program: Program) -> Replica {
        let mut running = program.start();
        let line = text(&running.receive_line());
        let Some(url) = line.trim().strip_prefix("listening on ") else {
            running.fail("it does not listen");
        };
        let url = url.to_owned();
        Replica { running, url }
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let asked = client().get(format!("{}{path}", self.url));
        let answer = asked.timeout(ANSWERS_WITHIN).send().await;
        let answer = answer.expect("an answer");
        (
            answer.status().as_u16(),
            answer.text().await.expect("a body"),
        )
    }

    /// What `/readyz` says of the policy.
    async fn policy(&self) -> Value {
        let (status, text) = self.get("/readyz").await;
        assert_eq!(status, 200, "{text}");
        let ready: Value = serde_json::from_str(&text).expect("JSON");
        ready["policy"].clone()
    }

    /// Waits until `/readyz` says this of the policy.
    #[track_caller]
    fn wait(&self, what: &str, holds: impl Fn(&Value) -> bool) -> impl Future<Output = Value> {
        let place = std::panic::Location::caller();
        async move {
            let begun = Instant::now();
            loop {
                let policy = self.policy().await;
                if holds(&policy) {
                    return policy;
                }
                assert!(
                    begun.elapsed() < WITHIN,
                    "{place}: {what}: {policy}\n{}",
                    self.running.log()
                );
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Waits until a policy with this digest is in force.
    #[track_caller]
    fn has(&self, digest: &str) -> impl Future<Output = Value> {
        self.wait("another policy", move |policy| policy["digest"] == digest)
    }
}

const NO_CHAIN: &str = "";

/// Whether a replica cuts large results.
async fn cuts(replica: &Replica) -> bool {
    let answers = async {
        let mut client = Client::new(None);
        client.begin(&replica.url, "alice").await;
        client.rows(&replica.url, 1, LARGE).await
    };
    let text = tokio::time::timeout(ANSWERS_WITHIN, answers).await;
    reference_in(&text.expect("it answers")).is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_replica_has_a_published_policy_within_ten_seconds() {
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let team = Team::new();
    let place = format!("oci://{}/team/policy:prod", registry.name);
    let first = team.publish(NO_CHAIN, &place, "team.key");
    let again = team.publish(NO_CHAIN, &place, "team.key");
    assert_eq!(first, again, "the same policy, the same digest");
    let key = ["--policy-key", "other.pub", "--policy-key", "team.pub"];
    let replicas = [team.start("a", &place, &key), team.start("b", &place, &key)];
    for replica in &replicas {
        let policy = replica.policy().await;
        assert_eq!(policy["digest"], *first);
        assert_eq!(policy["source"], *place);
        assert!(
            policy["error"].is_null() && policy["copy"].is_null(),
            "{policy}"
        );
        assert!(policy["checked"].as_u64() > Some(1_700_000_000), "{policy}");
        assert!(!cuts(replica).await);
    }
    // Clients come all the time, also while a policy is replaced.
    let comers = replicas.each_ref().map(|replica| {
        let url = replica.url.clone();
        tokio::spawn(async move {
            loop {
                Client::new(None).begin(&url, "alice").await;
            }
        })
    });
    let second = team.publish(CHAIN, &place, "team.key");
    assert_ne!(first, second);
    for replica in &replicas {
        let policy = replica.has(&second).await;
        assert!(policy["error"].is_null(), "{policy}");
        assert!(cuts(replica).await);
        let (_, metrics) = replica.get("/metrics").await;
        let info = format!("tamis_policy_info{{digest=\"{second}\",source=\"{place}\"}} 1");
        for line in [
            &*info,
            "tamis_policy_failing 0",
            "tamis_policy_failures_total 0",
        ] {
            assert!(
                metrics.lines().any(|found| found == line),
                "{line}: {metrics}"
            );
        }
        for name in ["in_force_since", "checked"] {
            let name = format!("tamis_policy_{name}_timestamp_seconds 1");
            assert!(metrics.contains(&name), "{name}: {metrics}");
        }
        let log = replica.running.log();
        assert!(log.contains("chain 1"), "the log says what changed: {log}");
    }
    for comer in comers {
        assert!(!comer.is_finished(), "a client was refused");
        comer.abort();
    }
}

#[tokio::test]
async fn a_policy_that_nobody_signed_or_that_is_broken_changes_nothing() {
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let team = Team::new();
    let place = format!("oci://{}/team/policy:prod", registry.name);
    let key = ["--policy-key", "team.pub"];
    let first = team.publish(CHAIN, &place, "team.key");
    let replica = team.start("a", &place, &key);
    let stays = |word: &'static str| {
        let first = first.clone();
        let holds = move |policy: &Value| {
            assert_eq!(policy["digest"], *first, "it stays");
            policy["error"]
                .as_str()
                .is_some_and(|error| error.contains(word))
        };
        replica.wait(word, holds)
    };

    // Of another key, without a signature, and signed, but not a policy that works.
    team.publish(NO_CHAIN, &place, "other.key");
    stays("its signatures (1) are of other keys").await;
    let refused = team.replica("b", &place, &key);
    refuses(refused, &["is not signed by P-256", "other keys"]);
    team.policy("# unsigned");
    let line = ["publish", "filters.toml", &place, "--unsigned"];
    exits(&team.tamis(&line), 0, &["not signed", "@sha256:"]);
    stays("nobody signed it").await;
    refuses(team.replica("b", &place, &key), &["nobody signed it"]);
    let (_, metrics) = replica.get("/metrics").await;
    assert!(metrics.contains("tamis_policy_failing 1"), "{metrics}");
    assert!(cuts(&replica).await, "the policy in force filters");
    let broken = "[[plugin]]\nname = \"p\"\npath = \"/none.wasm\"\n[[chain]]\ntools = [\"*\"]\nsteps = [\"p\"]";
    let broken = team.publish(broken, &place, "team.key");
    assert_ne!(broken, first);
    stays("/none.wasm").await;
    let before = replica.running.log();
    let named = before
        .matches("cannot be used; the previous policy stays")
        .count();
    assert_eq!(named, 3, "each once: {before}");
    assert!(
        before.contains(&format!("{place}:3:8")),
        "the place of the mistake: {before}"
    );

    // The one in force is published again.
    assert_eq!(team.publish(CHAIN, &place, "team.key"), first);
    replica
        .wait("no error", |policy| policy["error"].is_null())
        .await;
    let log = replica.running.log();
    assert!(log.contains("is sound again"), "{log}");
    let (_, metrics) = replica.get("/metrics").await;
    assert!(metrics.contains("tamis_policy_failing 0"), "{metrics}");
}

#[tokio::test]
async fn a_replica_starts_with_its_copy_while_the_registry_is_away() {
    let Some(mut registry) = Registry::start(None) else {
        return;
    };
    let team = Team::new();
    let place = format!("oci://{}/team/policy:prod", registry.name);
    let key = ["--policy-key", "team.pub"];
    let first = team.publish(CHAIN, &place, "team.key");
    let replica = team.start("a", &place, &key);
    registry.stop();
    replica
        .wait("the registry is away", |policy| policy["error"].is_string())
        .await;
    assert_eq!(replica.policy().await["digest"], *first);
    drop(replica);

    let replica = team.start("a", &place, &key);
    let policy = replica.policy().await;
    assert_eq!(policy["digest"], *first);
    assert_eq!(policy["copy"], true);
    let error = policy["error"].as_str().expect("an error");
    assert!(error.contains("cannot be asked"), "{error}");
    assert!(cuts(&replica).await);
    registry.start_again();
    let policy = replica
        .wait("no error", |policy| policy["error"].is_null())
        .await;
    assert!(policy["copy"].is_null(), "{policy}");
    let second = team.publish(NO_CHAIN, &place, "team.key");
    replica.has(&second).await;
    // It is stored right after it was put in force.
    let copy = team.copy("a");
    while !std::fs::read_to_string(&copy).is_ok_and(|copy| copy.contains(&second)) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(replica);

    // Who has no copy, or one of another key, or one that somebody changed, does not start.
    registry.stop();
    let away = ["cannot be asked"];
    refuses(team.replica("b", &place, &key), &away);
    let other = ["--policy-key", "other.pub"];
    let words = ["the stored copy", "is not used", "cannot be asked"];
    refuses(team.replica("a", &place, &other), &words);
    let sound = std::fs::read_to_string(&copy).expect("the copy");
    let stored: Value = serde_json::from_str(&sound).expect("JSON");
    let with = |key: &str, value: &str| {
        let mut changed = stored.clone();
        changed[key] = value.into();
        changed.to_string()
    };
    // "[server.a]", and the manifest of nothing.
    for changed in [
        with("policy", "W3NlcnZlci5hXQ=="),
        with("manifest", "e30="),
        with("digest", &format!("sha256:{}", "0f".repeat(32))),
        with("place", "oci://registry.example/policy:prod"),
        with("policy", "*"),
        sound.replace("\"signatures\":[", "\"signatures\":[[]"),
        sound[..sound.len() / 2].to_owned(),
    ] {
        std::fs::write(&copy, &changed).expect("write");
        refuses(team.replica("a", &place, &key), &away);
    }
    std::fs::write(&copy, &sound).expect("write");
    let replica = team.start("a", &place, &key);
    assert_eq!(replica.policy().await["digest"], *second);
}

#[tokio::test]
async fn a_digest_in_the_name_is_one_policy_for_all_times() {
    let Some(mut registry) = Registry::start(None) else {
        return;
    };
    let team = Team::new();
    let place = format!("oci://{}/team/policy:prod", registry.name);
    let first = team.publish(CHAIN, &place, "team.key");
    let pinned = format!("{place}@{first}");
    // The digest says which policy is meant, and needs no key.
    let replica = team.start("a", &pinned, &[]);
    assert_eq!(replica.policy().await["source"], *place);
    let second = team.publish(NO_CHAIN, &place, "other.key");
    let follower = team.start("b", &place, &["--policy-key", "other.pub"]);
    follower.has(&second).await;
    assert_eq!(replica.policy().await["digest"], *first);
    // A key counts beside it.
    let other = team.replica("c", &pinned, &["--policy-key", "other.pub"]);
    refuses(other, &["is not signed by"]);

    // What the registry has under this digest is something else.
    let manifest = registry.blob(&first);
    let sound = std::fs::read(&manifest).expect("the manifest");
    let mut changed = sound.clone();
    let last = changed.len() - 2;
    changed.insert(last, b' ');
    std::fs::write(&manifest, &changed).expect("write");
    refuses(team.replica("c", &pinned, &[]), &["policy"]);
    std::fs::write(&manifest, &sound).expect("write");
    let none = format!("{place}@sha256:{}", "0f".repeat(32));
    refuses(team.replica("c", &none, &[]), &["404"]);
    // The replica that had it needs no registry.
    drop(replica);
    registry.stop();
    let replica = team.start("a", &pinned, &[]);
    let policy = replica.policy().await;
    assert_eq!(policy["digest"], *first);
    assert!(
        policy["copy"].is_null(),
        "a pinned policy cannot be old: {policy}"
    );
}

#[tokio::test]
async fn a_policy_from_elsewhere_starts_no_program_and_has_no_folder() {
    let Some(registry) = Registry::start(None) else {
        return;
    };
    let team = Team::new();
    let place = format!("oci://{}/team/policy:prod", registry.name);
    let key = ["--policy-key", "team.pub"];
    team.publish("[server.files]\ncommand = [\"cat\"]", &place, "team.key");
    let words = ["the server `files` is a program", "--policy-commands"];
    refuses(team.replica("a", &place, &key), &words);
    let allowed = ["--policy-key", "team.pub", "--policy-commands"];
    drop(team.start("a", &place, &allowed));

    let relative = "[state]\nkey-file = \"key\"";
    team.policy(relative);
    let line = ["publish", "filters.toml", &place, "--key", "team.key"];
    let words = ["`key-file` has a relative path", "filters.toml:2:12"];
    exits(&team.tamis(&line), 2, &words);

    // Nothing says when to trust it; options without such a policy; another command.
    refuses(team.replica("a", &place, &[]), &["--policy-key team.pub"]);
    for (option, value) in [
        ("--policy-key", Some("team.pub")),
        ("--unsigned-policy", None),
        ("--policy-commands", None),
        ("--policy-header", Some("A: b")),
    ] {
        let option: Vec<&str> = std::iter::once(option).chain(value).collect();
        let replica = team.replica("a", "filters.toml", &option);
        refuses(
            replica,
            &[option[0], "is for a policy from a URL or a registry"],
        );
    }
    let explain = ["explain", "--config", &place, "rows"];
    exits(&team.tamis(&explain), 2, &["only `tamis serve --config`"]);
    let both = ["--policy-key", "team.pub", "--policy-header", "A: b"];
    refuses(team.replica("a", &place, &both), &["docker login"]);

    // A plugin is no policy.
    let plugin = format!("{}/team/style:1", registry.name);
    let wasm = crate::support::built::path(crate::support::built::Target::Wasip2, "noop");
    let wasm = wasm.to_str().expect("text");
    exits(&team.tamis(&["plugin", "push", wasm, &plugin]), 0, &[]);
    let replica = team.replica("a", &format!("oci://{plugin}"), &key);
    refuses(
        replica,
        &["it is not a policy, but application/vnd.wasm.config"],
    );
}
