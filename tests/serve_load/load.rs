//! Many clients that call without a pause, and the counts for a test.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::client::{Client, Outcome};

/// Calls of each client after the last kill: all must be answered.
const LAST_CALLS: usize = 5;

/// Clients that leave do so after at most this time, about that of an answer under load.
const GONE_AFTER_US: u64 = 20_000;

/// Clients at work.
pub struct Load {
    clients: JoinSet<Tally>,
    answered: Arc<watch::Sender<u64>>,
    over: watch::Sender<bool>,
}

/// The outcomes of all calls.
#[derive(Debug, Default)]
pub struct Tally {
    pub answered: u64,
    pub failed: u64,
    pub forgotten: u64,
    pub broken: u64,
    pub gone: u64,
}

/// Numbers from a seed (xorshift).
pub struct Random(u64);

impl Random {
    /// Takes the seed from TAMIS_LOAD_SEED, else from the clock, and prints it.
    pub fn new() -> Random {
        let given = std::env::var("TAMIS_LOAD_SEED").ok();
        let given = given.map(|seed| seed.parse().expect("TAMIS_LOAD_SEED is a number"));
        let seed = given.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.expect("it is after 1970").as_nanos() as u64 | 1
        });
        println!("TAMIS_LOAD_SEED={seed}");
        Random(seed)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn fork(&mut self) -> Random {
        Random(self.below(u64::MAX) | 1)
    }
}

impl Load {
    /// Lets clients work until `settle`. With `going`, they leave some of their calls.
    pub fn start(clients: Vec<Client>, going: bool, random: &mut Random) -> Load {
        let answered = Arc::new(watch::Sender::new(0));
        let over = watch::Sender::new(false);
        let mut working = JoinSet::new();
        for client in clients {
            let random = going.then(|| random.fork());
            working.spawn(work(
                client,
                random,
                Arc::clone(&answered),
                over.subscribe(),
            ));
        }
        Load {
            clients: working,
            answered,
            over,
        }
    }

    /// Waits for this many more answers.
    pub async fn answers(&mut self, count: u64) {
        let mut answered = self.answered.subscribe();
        let until = *answered.borrow() + count;
        tokio::select! {
            waited = answered.wait_for(|answered| *answered >= until) => {
                waited.expect("clients are there");
            }
            Some(ended) = self.clients.join_next() => {
                panic!("a client ended before it was told to: {:?}", ended.err());
            }
        }
    }

    /// After the last kill, each client makes a few calls, and all are answered.
    pub async fn settle(mut self) -> Tally {
        self.over.send_replace(true);
        let mut all = Tally::default();
        while let Some(ended) = self.clients.join_next().await {
            let one = ended.expect("no client panics");
            all.answered += one.answered;
            all.failed += one.failed;
            all.forgotten += one.forgotten;
            all.broken += one.broken;
            all.gone += one.gone;
        }
        println!("{all:?}");
        all
    }
}

async fn work(
    mut client: Client,
    mut random: Option<Random>,
    answered: Arc<watch::Sender<u64>>,
    over: watch::Receiver<bool>,
) -> Tally {
    let mut tally = Tally::default();
    client.begin().await;
    while !*over.borrow() {
        if let Some(random) = &mut random {
            tally.gone += 1;
            if random.below(4) == 0 {
                let part = random.below(1000) as f64 / 1000.0;
                client.begin_request_and_go(part).await;
            } else {
                let after = Duration::from_micros(random.below(GONE_AFTER_US));
                client.call_and_go(after).await;
            }
        }
        match client.call().await {
            Outcome::Answered => {
                tally.answered += 1;
                answered.send_modify(|answered| *answered += 1);
            }
            Outcome::Failed => tally.failed += 1,
            Outcome::Forgotten => {
                tally.forgotten += 1;
                client.begin().await;
            }
            Outcome::Broken => {
                tally.broken += 1;
                client.begin().await;
            }
        }
    }
    for _ in 0..LAST_CALLS {
        let mut outcome = client.call().await;
        // This call, and then the next one, may notice the last kill.
        if outcome == Outcome::Failed {
            outcome = client.call().await;
        }
        if matches!(outcome, Outcome::Forgotten | Outcome::Broken) {
            client.begin().await;
            outcome = client.call().await;
        }
        assert_eq!(outcome, Outcome::Answered, "{}", client.name);
        tally.answered += 1;
    }
    client.end().await;
    tally
}
