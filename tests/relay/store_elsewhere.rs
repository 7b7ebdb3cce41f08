//! Originals that are not in files. Everything that stores and reads originals runs over a store in memory. It stands
//! for a store on another machine, which may be unavailable, and keeps the promises of every store.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;
use tamis::mcp::relay::{Forward, FromUpstream, Origin, Relay};
use tamis::mcp::rewriter::Rewriter;
use tamis::policy::{Policy, Source};
use tamis::sandbox::Sandbox;
use tamis::store::{FileStore, Original, OriginalStore, Reference, Store, StoreLimits};
use tamis::store::{StoreError, Swept};
use tamis::{built_in, chain};

const POLICY: &str = "[[chain]]\ntools = [\"*\"]\nsteps = [{ filter = \"pending-to-meta\", limits = { time = \"10s\" } }]\n";
const MARKER: &str = "ACTION REQUIRED";
const MAX_ORIGINAL_BYTES: u64 = 1 << 20;

/// Originals in memory. Clones share them, as two machines share one store.
#[derive(Debug, Clone, Default)]
struct MemoryStore {
    state: Arc<Mutex<Memory>>,
}

#[derive(Debug, Default)]
struct Memory {
    originals: BTreeMap<Reference, (SystemTime, Vec<u8>)>,
    is_away: bool,
}

impl MemoryStore {
    fn set_away(&self, is_away: bool) {
        self.state.lock().expect("no panic").is_away = is_away;
    }

    fn reach(
        &self,
        doing: &'static str,
        place: String,
    ) -> Result<MutexGuard<'_, Memory>, StoreError> {
        let memory = self.state.lock().expect("no panic");
        match memory.is_away {
            false => Ok(memory),
            true => Err(StoreError::Elsewhere {
                doing,
                place,
                passes: true,
                source: "connection refused".into(),
            }),
        }
    }
}

impl OriginalStore for MemoryStore {
    fn max_original_bytes(&self) -> u64 {
        MAX_ORIGINAL_BYTES
    }

    fn put(&self, reference: Reference, bytes: &[u8]) -> Result<(), StoreError> {
        let mut memory = self.reach("write", self.place(&reference))?;
        let now = SystemTime::now();
        let kept = memory.originals.entry(reference);
        let (_, kept) = kept.or_insert_with(|| (now, bytes.to_owned()));
        match kept == bytes {
            true => Ok(()),
            false => Err(StoreError::Collision(reference)),
        }
    }

    fn get(&self, reference: &Reference) -> Result<Vec<u8>, StoreError> {
        self.get_range(reference, 0..u64::MAX)
    }

    fn get_range(&self, reference: &Reference, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let memory = self.reach("read", self.place(reference))?;
        let Some((_, bytes)) = memory.originals.get(reference) else {
            return Err(StoreError::NotFound(*reference));
        };
        let within = |place: u64| {
            bytes
                .len()
                .min(usize::try_from(place).unwrap_or(usize::MAX))
        };
        Ok(bytes[within(range.start)..within(range.end)].to_owned())
    }

    fn file(&self, _: &Reference, _: &str) -> Result<Option<PathBuf>, StoreError> {
        Ok(None)
    }

    fn place(&self, reference: &Reference) -> String {
        format!("memory://{reference}")
    }

    fn list(&self) -> Result<Vec<Original>, StoreError> {
        let memory = self.reach("list", "memory://".to_owned())?;
        let originals = memory.originals.iter();
        let mut list: Vec<Original> = originals
            .map(|(reference, (last_used, bytes))| Original {
                reference: *reference,
                file_bytes: bytes.len() as u64,
                last_used: *last_used,
            })
            .collect();
        list.sort_by_key(|original| original.last_used);
        Ok(list)
    }

    fn sweep(&self) -> Result<Swept, StoreError> {
        Ok(Swept::default())
    }
}

/// A proxy over a store, without its input and output.
fn proxy(store: &MemoryStore) -> Relay<Rewriter> {
    let source = Source::new("filters.toml", POLICY).expect("a policy");
    let policy = Policy::parse(source, &built_in::names()).expect("a policy");
    let sandbox = Sandbox::new(None).expect("a sandbox");
    let chains = chain::load(policy, &sandbox).expect("chains");
    let store = Store::new(store.clone());
    Relay::new(Arc::new(Rewriter::new(chains, "server", Some(store))))
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// The client's view of a call that the server answers with `result`.
fn call(proxy: &Relay<Rewriter>, result: &str) -> String {
    let request = request("tools/call", &json!({"name": "open", "arguments": {}}));
    let noted = proxy.from_client(request.as_bytes(), Origin::default());
    assert_eq!(noted.forward, Forward::AsItIs);
    let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    match proxy.from_upstream(answer.as_bytes()) {
        FromUpstream::Forward => answer,
        FromUpstream::Rewrite(job) => String::from_utf8(job.run().0).expect("UTF-8"),
        FromUpstream::Refused(refused) => panic!("{refused:?}"),
    }
}

/// An answer of Tamis itself.
fn ask(proxy: &Relay<Rewriter>, method: &str, params: &Value) -> Value {
    let request = request(method, params);
    let noted = proxy.from_client(request.as_bytes(), Origin::default());
    assert_eq!(noted.forward, Forward::Nothing, "it went to the server");
    let mut answers = noted.answers.into_iter();
    let (answer, _) = answers.next().expect("an answer").run();
    serde_json::from_slice(&answer).expect("JSON")
}

/// The text that the read tool returns for an original.
fn read(proxy: &Relay<Rewriter>, reference: &Reference) -> Value {
    let arguments = json!({"ref": reference.to_string(), "part": "result"});
    let params = json!({"name": "tamis_read", "arguments": arguments});
    ask(proxy, "tools/call", &params)["result"].clone()
}

/// A result with a block that the chain removes.
fn result() -> String {
    let hint = MARKER.repeat(30);
    let rows: Vec<String> = (0..20).map(|id| format!("row {id}")).collect();
    let document =
        json!({"rows": rows, "_pending_annotations": {"count": 1, "nodes": ["a"], "hint": hint}});
    json!({"content": [{"type": "text", "text": document.to_string()}]}).to_string()
}

#[test]
fn what_is_cut_is_kept_and_read_back_also_by_another_proxy() {
    let store = MemoryStore::default();
    let one = proxy(&store);
    let answer = call(&one, &result());
    let reference = Reference::of(result().as_bytes());
    assert!(!answer.contains(MARKER), "{answer}");
    assert!(answer.contains(&reference.to_string()), "{answer}");
    let kept = Store::new(store.clone()).get(&reference);
    assert_eq!(kept.expect("it is kept"), result().as_bytes());

    // It cut nothing itself, so it knows the original only from the store.
    let other = proxy(&store);
    for proxy in [&one, &other] {
        let read = read(proxy, &reference);
        let text = read["content"][0]["text"].as_str().expect("a text");
        assert_eq!(read["isError"], false, "{read}");
        assert!(text.contains(MARKER), "{read}");
        let uri = format!("tamis://original/{reference}");
        let resource = ask(proxy, "resources/read", &json!({"uri": uri}));
        assert_eq!(resource["result"]["contents"][0]["text"], result());
    }
}

#[test]
fn while_the_store_is_away_nothing_is_cut() {
    let store = MemoryStore::default();
    let proxy = proxy(&store);
    store.set_away(true);
    let answer = call(&proxy, &result());
    assert!(answer.contains(MARKER), "{answer}");
    assert!(!answer.contains("tamis_read"), "{answer}");
    store.set_away(false);
    assert_eq!(Store::new(store.clone()).list().expect("a list"), []);
    let answer = call(&proxy, &result());
    assert!(!answer.contains(MARKER), "{answer}");

    store.set_away(true);
    let reference = Reference::of(result().as_bytes());
    let read = read(&proxy, &reference);
    assert_eq!(read["isError"], true, "{read}");
    assert!(!read.to_string().contains("memory://"), "{read}");
}

#[test]
fn other_bytes_than_were_kept_are_not_given_out() {
    let store = MemoryStore::default();
    let proxy = proxy(&store);
    call(&proxy, &result());
    let reference = Reference::of(result().as_bytes());
    let other = (SystemTime::now(), b"another's".to_vec());
    let before = store.reach("", String::new()).expect("it is not away");
    { before }.originals.insert(reference, other);
    let kept = Store::new(store.clone()).get(&reference);
    let Err(error @ StoreError::Damaged { .. }) = kept else {
        panic!("{kept:?}");
    };
    assert!(error.to_string().contains("memory://"), "{error}");
    let read = read(&proxy, &reference);
    assert_eq!(read["isError"], true, "{read}");
    assert!(!read.to_string().contains("another's"), "{read}");
}

#[test]
fn every_store_promises_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = StoreLimits {
        max_original_bytes: MAX_ORIGINAL_BYTES,
        ..StoreLimits::default()
    };
    let files = FileStore::open(folder.path(), limits).expect("a store");
    for store in [Store::new(files), Store::new(MemoryStore::default())] {
        let bytes = "a line \n".repeat(300).into_bytes();
        let reference = store.put(&bytes).expect("put");
        assert_eq!(reference, Reference::of(&bytes), "{store:?}");
        assert_eq!(store.put(&bytes).expect("put again"), reference);
        assert_eq!(store.get(&reference).expect("get"), bytes);
        assert_eq!(store.beginning(&reference, 9).expect("a part"), bytes[..9]);
        let never = Reference::of(b"never");
        for missing in [store.get(&never), store.beginning(&never, 9)] {
            assert!(
                matches!(missing, Err(StoreError::NotFound(_))),
                "{missing:?}"
            );
        }
        let large = vec![b'x'; MAX_ORIGINAL_BYTES as usize + 1];
        let refused = store.put(&large);
        assert!(
            matches!(refused, Err(StoreError::TooLarge { .. })),
            "{refused:?}"
        );
        store.put(&large[1..]).expect("the largest");
        let listed = store.list().expect("a list");
        assert_eq!(listed.len(), 2, "{listed:?}");
        assert!(
            listed
                .iter()
                .any(|original| original.reference == reference)
        );
        let bytes: u64 = listed.iter().map(|original| original.file_bytes).sum();
        assert_eq!(store.size_bytes().expect("a size"), bytes);
        store.sweep().expect("nothing has to go");
        assert_eq!(store.list().expect("a list"), listed);
    }
}
