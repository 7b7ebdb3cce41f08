//! Originals in an object store: every replica reads every reference, for its caller alone.

use std::time::{Duration, Instant};

use crate::replica::{CHAIN, Client, KEY, LARGE, Listening, OTHER_KEY, cut, reference_in, replica};
use crate::services::{ObjectStore, SECRET_KEY};
use crate::support::{Folder, exits, text};

/// Time for a replica to notice that the store answers again.
const NOTICES_WITHIN: Duration = Duration::from_secs(20);

fn policy(server: &Listening, state: &str, more: &str) -> String {
    format!(
        "[server.load]\nurl = \"http://{}/mcp\"\n{more}\n[state]\n{state}\n{CHAIN}",
        server.address
    )
}

const SEALED: &str = "originals = \"s3://tamis/some/prefix\"\nkey = \"${TAMIS_STATE_KEY}\"";

fn with_key(store: &ObjectStore, key: &str) -> Vec<(String, String)> {
    let mut environment = store.environment();
    environment.push(("TAMIS_STATE_KEY".to_owned(), key.to_owned()));
    environment
}

#[tokio::test]
async fn every_replica_reads_every_original_and_nobody_else_does() {
    let folder = Folder::new();
    let store = ObjectStore::start(&folder);
    let server = Listening::server(&folder);
    for name in ["a", "b", "other-key"] {
        folder.write(&format!("{name}.toml"), policy(&server, SEALED, ""));
    }
    let start = |name: &str, key: &str| {
        Listening::replica(&folder, name, "127.0.0.1:0", &with_key(&store, key))
    };
    let (a, b) = (start("a", KEY), start("b", KEY));
    let mut alice = Client::new(Some("alice"));
    alice.begin(&a.url(), "alice").await;
    let reference = cut(&alice.rows(&a.url(), 1, LARGE).await);
    // At the other replica, and after the first lost its disk.
    let original = alice.read(&b.url(), &reference).await;
    assert!(original.contains("alice#1"), "{original}");
    a.running.kill();
    std::fs::remove_dir_all(folder.path().join("state-a")).expect("remove the cache");
    let a = start("a", KEY);
    assert_eq!(alice.read(&a.url(), &reference).await, original);

    // Others, with the reference.
    let mut bob = Client::new(Some("bob"));
    bob.begin(&b.url(), "bob").await;
    let answer = bob.read(&b.url(), &reference).await;
    assert!(answer.contains("is unknown or was deleted"), "{answer}");
    // Also if someone who may write to the bucket gives it to them.
    let objects = store.objects();
    let (path, bytes) = &objects[0];
    assert_eq!(objects.len(), 1, "{path:?}");
    assert!(!text(bytes).contains("Ball bearing"), "it is encrypted");
    cut(&bob.rows(&b.url(), 1, LARGE).await);
    let others = store.objects();
    let of_bob = others.iter().find(|(other, _)| other != path);
    let of_bob = of_bob
        .expect("the one of bob")
        .0
        .parent()
        .expect("a folder");
    std::fs::write(of_bob.join(&reference), bytes).expect("write it");
    let answer = bob.read(&b.url(), &reference).await;
    assert!(answer.contains("cannot be read"), "{answer}");
    assert!(!answer.contains("alice"), "{answer}");

    // A replica with another key has sessions of its own, and reads nothing of the others'.
    let stranger = start("other-key", OTHER_KEY);
    let mut alice_there = Client::new(Some("alice"));
    alice_there.begin(&stranger.url(), "alice").await;
    let answer = alice_there.read(&stranger.url(), &reference).await;
    assert!(answer.contains("cannot be read"), "{answer}");
    for replica in [a, b, stranger] {
        let ended = replica.end().succeeded();
        assert!(
            !text(&ended.stderr).contains(SECRET_KEY),
            "{}",
            ended.report()
        );
        assert!(!text(&ended.stderr).contains(KEY), "{}", ended.report());
    }
}

#[tokio::test]
async fn without_a_key_objects_are_plain_and_a_changed_one_is_noticed() {
    let folder = Folder::new();
    let store = ObjectStore::start(&folder);
    let server = Listening::server(&folder);
    folder.write("a.toml", policy(&server, "originals = \"s3://tamis\"", ""));
    let start = || Listening::replica(&folder, "a", "127.0.0.1:0", &store.environment());
    let a = start();
    let mut client = Client::new(None);
    client.begin(&a.url(), "plain").await;
    let reference = cut(&client.rows(&a.url(), 1, LARGE).await);
    let [(path, bytes)] = &store.objects()[..] else {
        panic!("one object: {:?}", store.objects().len());
    };
    assert!(path.ends_with(format!("anyone/{reference}")), "{path:?}");
    assert!(text(bytes).contains("Ball bearing"));
    a.end().succeeded();
    let changed = text(bytes).replace("Ball bearing", "Ball gearing");
    std::fs::write(path, changed).expect("write it");
    std::fs::remove_dir_all(folder.path().join("state-a")).expect("remove the cache");
    let a = start();
    let mut client = Client::new(None);
    client.begin(&a.url(), "plain").await;
    let answer = client.read(&a.url(), &reference).await;
    assert!(answer.contains("cannot be read"), "{answer}");
    a.end().succeeded();
}

#[tokio::test]
async fn while_the_store_is_away_nothing_is_cut_and_no_call_waits_longer_than_its_time() {
    let folder = Folder::new();
    let mut store = ObjectStore::start(&folder);
    let server = Listening::server(&folder);
    let limits = "[serve]\nlimits = { originals-time = \"500ms\" }";
    folder.write("a.toml", policy(&server, SEALED, limits));
    let a = Listening::replica(&folder, "a", "127.0.0.1:0", &with_key(&store, KEY));
    let mut client = Client::new(None);
    client.begin(&a.url(), "patient").await;
    cut(&client.rows(&a.url(), 1, LARGE).await);
    for is_killed in [false, true] {
        match is_killed {
            false => store.service.stop(),
            true => store.service.kill(),
        }
        let begun = Instant::now();
        let number = if is_killed { 100 } else { 200 };
        for call in 0..20 {
            let whole = client.rows(&a.url(), number + call, LARGE).await;
            assert_eq!(reference_in(&whole), None, "{whole}");
            assert!(
                whole.contains(&format!("end\":\"patient#{}", number + call))
                    || whole.contains(&format!("patient#{}", number + call)),
                "{whole}"
            );
        }
        // Three wait for their time, and the trials of each second; the others do not wait.
        let took = begun.elapsed();
        assert!(took < Duration::from_millis(500) * 20, "{took:?}");
        match is_killed {
            false => store.service.go_on(),
            true => store.service.start_again(),
        }
        let back = Instant::now();
        let mut call = number + 1000;
        while reference_in(&client.rows(&a.url(), call, LARGE).await).is_none() {
            assert!(back.elapsed() < NOTICES_WITHIN, "it stays away");
            tokio::time::sleep(Duration::from_millis(50)).await;
            call += 1;
        }
    }
    let metrics = a.metrics().await;
    for metric in [
        "tamis_service_away{service=\"originals\"} 0",
        "tamis_service_requests_total{service=\"originals\"}",
        "tamis_service_failures_total{service=\"originals\"}",
    ] {
        assert!(metrics.contains(metric), "{metric}: {metrics}");
    }
    let ended = a.end().succeeded();
    let log = text(&ended.stderr);
    assert!(log.contains("does not answer"), "{}", ended.report());
    assert!(log.contains("answers again"), "{}", ended.report());
}

#[tokio::test]
async fn an_original_is_read_once_the_store_is_back_and_until_then_the_answer_says_so() {
    let folder = Folder::new();
    let mut store = ObjectStore::start(&folder);
    let server = Listening::server(&folder);
    let limits = "[serve]\nlimits = { originals-time = \"200ms\" }";
    let replicas = ["a", "b"].map(|name| {
        folder.write(&format!("{name}.toml"), policy(&server, SEALED, limits));
        Listening::replica(&folder, name, "127.0.0.1:0", &with_key(&store, KEY))
    });
    let [a, b] = &replicas;
    let mut client = Client::new(None);
    client.begin(&a.url(), "patient").await;
    let reference = cut(&client.rows(&a.url(), 1, LARGE).await);

    // The other replica has it not on its disk, and the store hangs.
    store.service.stop();
    let away = client.read(&b.url(), &reference).await;
    let uri = format!("tamis://original/{reference}");
    let resource = client.resource(&b.url(), &uri).await;
    for answer in [away, resource["error"]["message"].to_string()] {
        let why = "cannot be read at the moment: ask again in a few seconds";
        assert!(answer.contains(why), "{answer}");
    }
    // It comes back while a reading waits.
    let back = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        store.service.go_on();
    };
    let url = b.url();
    let (read, ()) = tokio::join!(client.read(&url, &reference), back);
    assert!(read.contains("patient#1"), "{read}");
    let unknown = client.resource(&url, "tamis://original/unknown").await;
    let why = unknown["error"]["message"].to_string();
    assert!(why.contains("unknown or was deleted"), "{unknown}");
    for replica in replicas {
        replica.end().succeeded();
    }
}

#[test]
fn a_mistake_in_state_is_an_error_with_its_line() {
    let folder = Folder::new();
    let store = ObjectStore::start(&folder);
    let server = Listening::server(&folder);
    let fails = |state: &str, environment: &[(&str, &str)], words: &[&str]| {
        folder.write("a.toml", policy(&server, state, ""));
        let mut all = store.environment();
        for (name, value) in environment {
            all.retain(|(known, _)| known != name);
            all.push(((*name).to_owned(), (*value).to_owned()));
        }
        let run = replica(&folder, "a", "127.0.0.1:0", &all).run("");
        exits(&run, 2, words);
        let said = text(&run.stdout) + &text(&run.stderr);
        assert!(!said.contains("very-secret"), "{said}");
    };
    // The table begins at line 4.
    let bucket = "originals = \"s3://tamis\"";
    fails(
        bucket,
        &[("AWS_SECRET_ACCESS_KEY", "very-secret-and-wrong")],
        &["a.toml:5", "the object store cannot be used"],
    );
    fails(
        "originals = \"s3://no-such-bucket\"",
        &[],
        &["a.toml:5", "the object store cannot be used"],
    );
    fails(
        "originals = \"s4://tamis\"",
        &[],
        &[
            "a.toml:5",
            "is not a valid place for originals",
            "s3://bucket/prefix",
        ],
    );
    fails(
        "originals = \"s3://tamis/a/../b\"",
        &[],
        &["a.toml:5", "is not a valid place for originals"],
    );
    fails(SEALED, &[], &["a.toml:6", "TAMIS_STATE_KEY is not set"]);
    fails(
        SEALED,
        &[("TAMIS_STATE_KEY", "very-secret")],
        &["a.toml:6", "the key is too short: 11 characters"],
    );
    fails(
        "key = \"very-secret\"",
        &[],
        &["a.toml:4", "`key` is not an environment variable"],
    );
    fails(
        "key-file = \"missing\"",
        &[],
        &["a.toml:5", "no key can be read"],
    );
    fails(
        "sessions = \"redis://very-secret@127.0.0.1:1\"\nkey = \"${KEY}\"",
        &[],
        &["a.toml:4", "`sessions` in the file contains credentials"],
    );
    fails(
        "sessions = \"redis://127.0.0.1:1\"",
        &[],
        &["a.toml:5", "`sessions` requires `key`", "openssl rand"],
    );
}
