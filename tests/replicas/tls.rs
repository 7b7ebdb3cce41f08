//! What replicas share over TLS: Redis, PostgreSQL and the object store, with certificates of an authority of the
//! operator's own. A service whose certificate nobody signed whom Tamis trusts gets nothing.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::replica::{CHAIN, Client, KEY, LARGE, Listening, SMALL, cut};
use crate::services::{Certificates, ObjectStore, Postgres, Redis, free_port, haproxy};
use crate::support::{Folder, Program, TAMIS, exits, text};

/// How long rows may take to be copied.
const COPIED_WITHIN: Duration = Duration::from_secs(30);

/// HAProxy, which takes connections with TLS for the object store.
fn balancing(port: u16, certificate: &str, store: u16) -> String {
    format!(
        "defaults\n  mode http\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n\
         frontend tls\n  bind 127.0.0.1:{port} ssl crt {certificate}\n  default_backend store\n\
         backend store\n  server store 127.0.0.1:{store}\n"
    )
}

#[tokio::test]
async fn replicas_share_over_tls_and_with_nobody_whom_they_do_not_trust() {
    let folder = Folder::new();
    let Some(certificates) = Certificates::make(&folder, "ours") else {
        return;
    };
    let Some(strangers) = Certificates::make(&folder, "strangers") else {
        return;
    };
    let tls = Some(&certificates);
    let (Some(redis), Some(postgres)) = (Redis::with(&folder, tls), Postgres::with(&folder, tls))
    else {
        return;
    };
    let store = ObjectStore::start(&folder);
    // HAProxy reads certificate and key from one file.
    let read = |path| std::fs::read_to_string(path).expect("read");
    let both = read(&certificates.certificate) + &read(&certificates.key);
    let both = folder.write("both.pem", both);
    let port = free_port();
    let both = both.to_str().expect("text");
    let configuration = balancing(port, both, store.service.port());
    let Some(_balancer) = haproxy(&folder, &configuration, port) else {
        return;
    };

    let server = Listening::server(&folder);
    let policy = format!(
        "[server.load]\nurl = \"http://{}/mcp\"\n[state]\nkey = \"${{TAMIS_STATE_KEY}}\"\nsessions = \"${{TAMIS_REDIS_URL}}\"\n\
         originals = \"s3://tamis/tls\"\nledger = \"${{TAMIS_POSTGRES_URL}}\"\n[session]\ncalls = 5\n{CHAIN}",
        server.address
    );
    let environment = |trusted: &Certificates| {
        let mut all = redis.environment();
        all.extend(store.environment());
        all.retain(|(name, _)| name != "AWS_ENDPOINT_URL");
        all.extend([
            (
                "AWS_ENDPOINT_URL".to_owned(),
                format!("https://127.0.0.1:{port}"),
            ),
            ("TAMIS_STATE_KEY".to_owned(), KEY.to_owned()),
            ("TAMIS_POSTGRES_URL".to_owned(), postgres.url()),
            trusted.environment(),
        ]);
        all
    };
    let [a, b] = ["a", "b"].map(|name| {
        folder.write(&format!("{name}.toml"), &policy);
        Listening::replica(&folder, name, "127.0.0.1:0", &environment(&certificates))
    });
    let mut client = Client::new(None);
    client.begin(&a.url(), "private").await;
    let reference = cut(&client.rows(&a.url(), 0, LARGE).await);
    assert!(
        client
            .read(&b.url(), &reference)
            .await
            .contains("private#0")
    );
    // Five calls in all, of which one is made, whichever replica is asked.
    for number in 1..6 {
        let replica = [&a, &b][number as usize % 2];
        let result = client.rows(&replica.url(), number, SMALL).await;
        let is_over = result.contains("[Tool call limit reached]");
        assert_eq!(is_over, number == 5, "{number}: {result}");
    }
    let stats = |trusted: &Certificates| {
        let line = [TAMIS, "stats", "--from", "${TAMIS_POSTGRES_URL}", "--json"];
        let (name, value) = trusted.environment();
        Program::new(&line, folder.path())
            .env("TAMIS_POSTGRES_URL", postgres.url())
            .env("TAMIS_STATE_DIR", folder.path().join("no-state"))
            .env(&name, value)
            .run("")
    };
    let begun = Instant::now();
    loop {
        let report = stats(&certificates).succeeded();
        let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
        if report["total"]["calls"] == 5 {
            break;
        }
        assert!(begun.elapsed() < COPIED_WITHIN, "{report:#}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for replica in [a, b] {
        let ended = replica.end().succeeded();
        let log = text(&ended.stderr);
        for secret in [Redis::PASSWORD, Postgres::PASSWORD] {
            assert!(!log.contains(secret), "{}", ended.report());
        }
    }

    // Who trusts another authority talks to none of them, and says why.
    let run = stats(&strangers);
    exits(&run, 2, &["PostgreSQL", "certificate"]);
    folder.write("c.toml", &policy);
    let c = Listening::replica(&folder, "c", "127.0.0.1:0", &environment(&strangers));
    let mut client = Client::new(None);
    client.begin(&c.url(), "stranger").await;
    let result = client.rows(&c.url(), 0, SMALL).await;
    assert!(result.contains("cannot be counted"), "{result}");
    let ended = c.end().succeeded();
    let log = text(&ended.stderr);
    for service in ["object store", "sessions", "receipts"] {
        let said = log.lines().find(|line| line.contains(service));
        let is_said = said.is_some_and(|line| line.contains("invalid peer certificate"));
        assert!(is_said, "{service}: {}", ended.report());
    }
    assert_eq!(store.objects().len(), 1, "it wrote nothing");
    let report: Value = serde_json::from_slice(&stats(&certificates).stdout).expect("JSON");
    assert_eq!(report["total"]["calls"], 5, "{report:#}");
}
