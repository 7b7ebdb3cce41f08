//! The ledger of all replicas in PostgreSQL: each call once, also if PostgreSQL or a replica was away.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::replica::{CHAIN, Client, LARGE, Listening, SMALL, cut};
use crate::services::Postgres;
use crate::support::{Folder, Program, TAMIS, exits, text};

/// How long rows may take to be copied.
const COPIED_WITHIN: Duration = Duration::from_secs(30);

fn stats(folder: &Folder, url: &str, more: &[&str]) -> Program {
    let line = [&[TAMIS, "stats", "--from", "${TAMIS_POSTGRES_URL}"], more].concat();
    Program::new(&line, folder.path())
        .env("TAMIS_POSTGRES_URL", url)
        .env("TAMIS_STATE_DIR", folder.path().join("no-state"))
        .env("TMPDIR", folder.path())
}

/// The calls and the tokens that were read back, once PostgreSQL has so many calls.
fn calls(folder: &Folder, url: &str, expected: u64) -> Value {
    let begun = Instant::now();
    loop {
        let run = stats(folder, url, &["--json"]).run("");
        // PostgreSQL listens before it is ready.
        if text(&run.stderr).contains("FATAL: the database system is") {
            assert!(begun.elapsed() < COPIED_WITHIN, "{}", run.report());
            std::thread::sleep(Duration::from_millis(100));
            continue;
        }
        let run = run.succeeded();
        let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        let calls = report["total"]["calls"].as_u64().unwrap_or_default();
        if calls >= expected || begun.elapsed() > COPIED_WITHIN {
            assert_eq!(calls, expected, "{report:#}");
            return report;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[tokio::test]
async fn every_call_of_every_replica_is_in_postgres_once() {
    let folder = Folder::new();
    let Some(mut postgres) = Postgres::start(&folder) else {
        return;
    };
    let server = Listening::server(&folder);
    let policy = format!(
        "[server.load]\nurl = \"http://{}/mcp\"\n[state]\nledger = \"${{TAMIS_POSTGRES_URL}}\"\n{CHAIN}",
        server.address
    );
    let environment = [("TAMIS_POSTGRES_URL".to_owned(), postgres.url())];
    let start = |name: &str| {
        folder.write(&format!("{name}.toml"), &policy);
        Listening::replica(&folder, name, "127.0.0.1:0", &environment)
    };
    let (a, b) = (start("a"), start("b"));
    let mut made = 0;
    for (replica, calls) in [(&a, 7), (&b, 5)] {
        let mut client = Client::new(None);
        client.begin(&replica.url(), "counted").await;
        for number in 0..calls {
            client.rows(&replica.url(), number, SMALL).await;
            made += 1;
        }
        let reference = cut(&client.rows(&replica.url(), 99, LARGE).await);
        client.read(&replica.url(), &reference).await;
        made += 1;
    }
    let report = calls(&folder, &postgres.url(), made);
    assert!(
        report["total"]["net_saved_tokens"].as_i64() > Some(0),
        "{report:#}"
    );
    let by_day = text(
        &stats(&folder, &postgres.url(), &["--by", "filter"])
            .run("")
            .succeeded()
            .stdout,
    );
    assert!(
        by_day.contains("truncate") && by_day.contains("row-encoder"),
        "{by_day}"
    );

    // A replica that is killed has lost nothing that it had written, and copies nothing twice.
    a.running.kill();
    let a = start("a");
    // While PostgreSQL is away, receipts wait.
    postgres.service.kill();
    let mut client = Client::new(None);
    client.begin(&a.url(), "counted").await;
    for number in 0..3 {
        client.rows(&a.url(), number, SMALL).await;
        made += 1;
    }
    std::thread::sleep(Duration::from_secs(3));
    postgres.service.start_again();
    calls(&folder, &postgres.url(), made);
    for replica in [a, b] {
        let ended = replica.end().succeeded();
        assert!(
            !text(&ended.stderr).contains(Postgres::PASSWORD),
            "{}",
            ended.report()
        );
    }
    calls(&folder, &postgres.url(), made);

    // What cannot be read says so, without the password.
    let wrong = postgres.url().replace(Postgres::PASSWORD, "very-secret");
    let run = stats(&folder, &wrong, &[]).run("");
    exits(&run, 2, &["PostgreSQL", "password authentication failed"]);
    assert!(!text(&run.stderr).contains("very-secret"));
    let run = stats(&folder, "redis://x", &[]).run("");
    exits(&run, 2, &["--from", "postgres://"]);
    folder.write("c.toml", &policy);
    let environment = [("TAMIS_POSTGRES_URL".to_owned(), wrong)];
    let run = crate::replica::replica(&folder, "c", "127.0.0.1:0", &environment).run("");
    exits(&run, 2, &["c.toml:4", "PostgreSQL cannot be used"]);
    assert!(!text(&run.stderr).contains("very-secret"));
}
