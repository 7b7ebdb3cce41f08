use std::sync::Arc;
use std::time::Instant;
use tamis::document::Document;
use tamis::mcp::relay::{FromUpstream, Origin, Relay};
use tamis::mcp::rewriter::Rewriter;
use tamis::policy::{Policy, Source};
use tamis::sandbox::{CallInfo, Sandbox};
use tamis::{built_in, chain};
fn time<T>(name: &str, mut f: impl FnMut() -> T) {
    let mut t: Vec<f64> = (0..3000)
        .map(|_| {
            let b = Instant::now();
            let x = f();
            let e = b.elapsed().as_secs_f64() * 1e6;
            drop(x);
            e
        })
        .collect();
    t.sort_by(f64::total_cmp);
    println!("{name:<50} p50 {:.1} µs  p10 {:.1}", t[1500], t[300]);
}
const CHAIN: &str = "[[chain]]\ntools = [\"rows\"]\nsteps = [\"null-stripper\", \"row-encoder\", { filter = \"truncate\", limit = 20000 }]\n";
const RED: &str = "[[chain]]\nname = \"hide-secrets\"\non = [\"*\"]\nsteps = [{ filter = \"redact\", hide = [\"api-keys\", \"jwts\", \"private-keys\", \"connection-strings\", \"emails\"] }]\n";
const ANSI: &str = "[[chain]]\nname = \"hide-secrets\"\non = [\"*\"]\nsteps = [{filter = \"ansi\", on-error=\"block\"}]\n";
fn main() {
    let frame = std::fs::read("/tmp/perf/frame8.json").unwrap();
    let text = std::str::from_utf8(&frame).unwrap();
    time("serde IgnoredAny", || {
        serde_json::from_slice::<serde::de::IgnoredAny>(&frame).is_ok()
    });
    time("Document::json", || Document::json(text).unwrap());
    time("Document::json + tape", || {
        let d = Document::json(text).unwrap();
        d.tape().map(|t| t.root().kind);
        d
    });
    time("from_utf8", || std::str::from_utf8(&frame).is_ok());
    let sandbox = Sandbox::new(None).unwrap();
    for (name, policy) in [
        ("chain", CHAIN.to_owned()),
        ("ansi + chain", format!("{ANSI}{CHAIN}")),
        ("redact + chain", format!("{RED}{CHAIN}")),
    ] {
        let source = Source::new("filters.toml", &*policy).unwrap();
        let policy = Policy::parse(source, &built_in::names()).ok().unwrap();
        let chains = chain::load(policy, &sandbox).unwrap();
        if name != "chain" {
            let call = CallInfo::of_message("load", None);
            time(&format!("{name}: Chains::redact"), || {
                let (r, s) = tamis::sandbox::Spent::collect(|| {
                    chains.redact(&Document::json(text).unwrap(), &call)
                });
                (r, s)
            });
        }
        let relay = Relay::new(Arc::new(Rewriter::new(chains, "load", None)));
        let ask = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rows","arguments":{}}}"#;
        time(&format!("{name}: from_client"), || {
            relay.from_client(ask, Origin::default());
        });
        let mut t0 = vec![];
        let mut t1 = vec![];
        let mut t2 = vec![];
        for _ in 0..3000 {
            relay.from_client(ask, Origin::default());
            let b = Instant::now();
            let FromUpstream::Rewrite(job) = relay.from_upstream(&frame) else {
                panic!()
            };
            t0.push(b.elapsed().as_secs_f64() * 1e6);
            let b = Instant::now();
            let (made, spent) = job.run();
            t1.push(b.elapsed().as_secs_f64() * 1e6);
            let b = Instant::now();
            drop(spent);
            t2.push(b.elapsed().as_secs_f64() * 1e6);
            drop(made);
        }
        for (n, t) in [
            ("from_upstream", &mut t0),
            ("job", &mut t1),
            ("drop spent", &mut t2),
        ] {
            t.sort_by(f64::total_cmp);
            println!("{name}: {n:<30} p50 {:.1} µs p10 {:.1}", t[1500], t[300]);
        }
    }
}
