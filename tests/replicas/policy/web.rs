//! A policy at a URL: asked for only what is new, with the operator's headers, and from nowhere else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::{CHAIN, NO_CHAIN, Team, cuts, exits, refuses, text};

/// A web server with files, which tags each version.
#[derive(Clone, Default)]
struct Site {
    files: Arc<Mutex<BTreeMap<String, File>>>,
    asked: Arc<Mutex<Vec<(String, HeaderMap, StatusCode)>>>,
}

#[derive(Clone)]
enum File {
    Bytes(Vec<u8>),
    Redirect(&'static str),
    Status(StatusCode),
    /// No answer at all.
    Never,
}

impl Site {
    /// Serves at this port; 0: at any. The address, and the server.
    async fn serve(&self, port: u16) -> (String, JoinHandle<()>) {
        let router = Router::new().fallback(answer).with_state(self.clone());
        let listener = TcpListener::bind(("127.0.0.1", port)).await;
        let listener = listener.expect("a port");
        let address = listener.local_addr().expect("an address");
        let served = async move { axum::serve(listener, router).await.expect("it serves") };
        (format!("http://{address}"), tokio::spawn(served))
    }

    fn put(&self, path: &str, file: File) {
        self.files
            .lock()
            .expect("a lock")
            .insert(path.to_owned(), file);
    }

    /// Uploads the policy of a team, and its signature before it.
    fn upload(&self, team: &Team) {
        for name in ["filters.toml.sig", "filters.toml"] {
            let bytes = std::fs::read(team.folder.path().join(name)).expect("a file");
            self.put(&format!("/{name}"), File::Bytes(bytes));
        }
    }

    /// The requests since the last time.
    fn asked(&self) -> Vec<(String, HeaderMap, StatusCode)> {
        std::mem::take(&mut *self.asked.lock().expect("a lock"))
    }
}

async fn answer(State(site): State<Site>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let file = site.files.lock().expect("a lock").get(&path).cloned();
    let headers = request.headers().clone();
    let answer = match file {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(File::Status(status)) => status.into_response(),
        Some(File::Redirect(to)) => (StatusCode::FOUND, [("location", to)]).into_response(),
        Some(File::Never) => std::future::pending().await,
        Some(File::Bytes(bytes)) => {
            let tag = format!("\"{:x}\"", Sha256::digest(&bytes)[0]);
            if headers
                .get("if-none-match")
                .is_some_and(|known| *known == *tag)
            {
                StatusCode::NOT_MODIFIED.into_response()
            } else {
                ([("etag", tag)], bytes).into_response()
            }
        }
    };
    let asked = (path, headers, answer.status());
    site.asked.lock().expect("a lock").push(asked);
    answer
}

/// The digest of a file of the team.
fn digest(team: &Team) -> String {
    let bytes = std::fs::read(team.folder.path().join("filters.toml")).expect("a file");
    format!("sha256:{:x}", Sha256::digest(bytes))
}

impl Team {
    /// Signs a policy, and uploads it; its digest.
    #[track_caller]
    fn upload(&self, site: &Site, policy: &str, key: &str) -> String {
        self.policy(policy);
        let sign = ["publish", "filters.toml", "--key", key];
        exits(&self.tamis(&sign), 0, &["filters.toml.sig", "signed by"]);
        site.upload(self);
        digest(self)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_at_a_url_is_asked_for_only_what_is_new() {
    let (team, site) = (Team::new(), Site::default());
    let (address, server) = site.serve(0).await;
    let first = team.upload(&site, CHAIN, "team.key");
    let place = format!("{address}/filters.toml?v=secret");
    let key = [
        "--policy-key",
        "team.pub",
        "--policy-header",
        "X-Team: ${TEAM}",
    ];
    let start = |name| super::Replica::start(team.replica(name, &place, &key).env("TEAM", "red"));
    let replica = start("a");
    let policy = replica.policy().await;
    assert_eq!(policy["digest"], *first);
    assert_eq!(policy["source"], format!("{address}/filters.toml"));
    assert!(cuts(&replica).await);
    let asked = site.asked();
    let paths: Vec<&str> = asked.iter().map(|(path, ..)| &**path).collect();
    assert_eq!(paths, ["/filters.toml", "/filters.toml.sig"]);
    assert!(
        asked
            .iter()
            .all(|(_, headers, _)| headers["x-team"] == "red")
    );
    replica
        .wait("another question", |_| {
            let asked = site.asked.lock().expect("a lock");
            asked
                .iter()
                .any(|(_, _, status)| *status == StatusCode::NOT_MODIFIED)
        })
        .await;
    let asked = site.asked();
    assert_eq!(
        asked.len(),
        1,
        "the signature is not asked for again: {asked:?}"
    );

    let second = team.upload(&site, NO_CHAIN, "team.key");
    replica.has(&second).await;
    assert!(!cuts(&replica).await);
    let first_changed = team.upload(&site, CHAIN, "other.key");
    let policy = replica
        .wait("an error", |policy| policy["error"].is_string())
        .await;
    assert_eq!(
        (&policy["digest"], &first_changed),
        (&second.clone().into(), &first)
    );
    site.put("/filters.toml.sig", File::Status(StatusCode::NOT_FOUND));
    let nobody = |policy: &serde_json::Value| {
        let error = policy["error"].as_str();
        error.is_some_and(|error| error.contains("nobody signed it"))
    };
    replica.wait("no signature", nobody).await;
    site.put("/filters.toml.sig", File::Bytes(b"no signature".to_vec()));
    let no_signature = |policy: &serde_json::Value| {
        let error = policy["error"].as_str();
        error.is_some_and(|error| error.contains("is not a signature in base64"))
    };
    replica.wait("not a signature", no_signature).await;
    let log = replica.running.log();
    assert!(!log.contains("secret"), "a query may be a secret: {log}");

    // While the server is away, a replica starts with its copy, which is verified.
    drop(replica);
    server.abort();
    let _ = server.await;
    let replica = start("a");
    let policy = replica.policy().await;
    assert_eq!(
        (&policy["digest"], &policy["copy"]),
        (&second.clone().into(), &true.into())
    );
    drop(replica);
    let copy = team.copy("a");
    let stored = std::fs::read_to_string(&copy).expect("the copy");
    let mut stored: serde_json::Value = serde_json::from_str(&stored).expect("JSON");
    stored["policy"] = "W3NlcnZlci5hXQ==".into();
    std::fs::write(&copy, stored.to_string()).expect("write");
    let words = ["the stored copy", "is not used", "cannot be reached"];
    refuses(team.replica("a", &place, &key).env("TEAM", "red"), &words);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_url_has_in_place_of_a_policy_is_refused() {
    let (team, site) = (Team::new(), Site::default());
    let (address, _server) = site.serve(0).await;
    let first = team.upload(&site, CHAIN, "team.key");
    let url = format!("{address}/filters.toml");
    let key = ["--policy-key", "team.pub"];
    let starts = |place: &str, more: &[&str]| drop(team.start("a", place, more));
    let fails = |place: &str, more: &[&str], words: &[&str]| {
        refuses(team.replica("b", place, more), words);
    };
    starts(&url, &key);
    starts(&format!("{url}#{}", first.replace(':', "=")), &[]);
    starts(&url, &["--unsigned-policy"]);
    fails(&url, &[], &["--policy-key team.pub", "--unsigned-policy"]);
    fails(
        &url,
        &["--policy-key", "other.pub"],
        &["its signatures (1) are of other keys"],
    );
    let other = format!("{url}#sha256={}", "0f".repeat(32));
    fails(
        &other,
        &[],
        &["does not have the digest in its name", &first],
    );
    fails(
        &format!("{url}#main"),
        &key,
        &["the part after `#` is not a digest"],
    );
    fails(
        "http://policies.example/filters.toml",
        &key,
        &["use https://"],
    );
    fails(
        "https://me:word@policies.example/a",
        &key,
        &["--policy-header"],
    );

    for (file, words) in [
        (
            File::Redirect("https://evil.example/a?b=secret"),
            &["redirects (302 Found) to https://evil.example,"][..],
        ),
        (
            File::Status(StatusCode::FORBIDDEN),
            &["answers 403", "--policy-header"],
        ),
        (File::Status(StatusCode::NOT_FOUND), &["answers 404"]),
        (File::Status(StatusCode::BAD_GATEWAY), &["answers 502"]),
        (
            File::Bytes(vec![b'#'; (1 << 20) + 1]),
            &["is larger than 1048576 bytes"],
        ),
        (File::Never, &["takes too long"]),
    ] {
        site.put("/filters.toml", file);
        fails(&url, &["--unsigned-policy"], words);
    }
    let run = team.replica("b", &url, &["--unsigned-policy"]).run("");
    assert!(!text(&run.stderr).contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_of_the_next_policy_may_come_first() {
    let (team, site) = (Team::new(), Site::default());
    let (address, _server) = site.serve(0).await;
    team.upload(&site, CHAIN, "team.key");
    // Both signatures, then the policy: a replica that starts in between finds a signed one.
    team.policy(NO_CHAIN);
    let sign = ["publish", "filters.toml", "--key", "team.key", "--add"];
    exits(&team.tamis(&sign), 0, &[]);
    let signatures = std::fs::read(team.folder.path().join("filters.toml.sig")).expect("a file");
    assert_eq!(text(&signatures).lines().count(), 2);
    site.put("/filters.toml.sig", File::Bytes(signatures));
    let place = format!("{address}/filters.toml");
    let replica = team.start("a", &place, &["--policy-key", "team.pub"]);
    assert!(cuts(&replica).await);
    site.upload(&team);
    replica.has(&digest(&team)).await;
    let log = replica.running.log();
    assert!(!log.contains("cannot be used"), "{log}");
    assert!(!cuts(&replica).await);
}
