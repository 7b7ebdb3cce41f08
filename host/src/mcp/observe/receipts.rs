//! The ledger's records of a filtered result, of a reading of an original, and of a list of tools.

use super::account::{Account, beginning, ending};
use crate::chain::Receipt;
use crate::ledger::{
    self, AgentName, EarlierUse, Entry, Later, Ledger, ListingEntry, ReadEntry, StepEntry,
};
use crate::lock::lock;
use crate::mcp::read_tool::Answer;
use crate::mcp::shape::FilteredDocument;
use crate::mcp::shown::ClientDisplay;
use crate::policy::ToolList;
use crate::serving;
use crate::system::processes;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Connections of this process, so far.
static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

/// An agent connects to all of its servers when it starts. Slow servers take their time.
const AGENT_STARTS_WITHIN: Duration = Duration::from_secs(30);

/// Fewer agents than this say little of what the next one needs: one may only have looked whether its servers answer.
const FEW_AGENTS: u32 = 3;

/// Callers of whom a connection began lately. Above that, those of whom none did are forgotten.
const CALLERS_KEPT: usize = 1000;

/// Tells which connections over HTTP belong to one agent: those that a caller begins within a short time. A caller
/// that starts two agents within that time counts as one agent.
#[derive(Debug, Default)]
pub struct Agents {
    /// The begin of a caller's first connection of the time, and the agent's name, by the caller's key.
    lately: Mutex<HashMap<String, (Instant, AgentName)>>,
}

impl Agents {
    /// The agent of a connection that begins now; `session` identifies the connection.
    fn agent_of(&self, caller: String, session: &str, now: Instant) -> AgentName {
        let is_over = |begun: &Instant| now.duration_since(*begun) > AGENT_STARTS_WITHIN;
        let mut lately = lock(&self.lately);
        if lately.len() >= CALLERS_KEPT {
            lately.retain(|_, (begun, _)| !is_over(begun));
        }
        if lately.len() >= CALLERS_KEPT && !lately.contains_key(&caller) {
            return AgentName::of_caller(&caller, session);
        }
        let fresh = (now, AgentName::of_caller(&caller, session));
        let known = lately.entry(caller).or_insert_with(|| fresh.clone());
        if is_over(&known.0) {
            *known = fresh;
        }
        known.1.clone()
    }
}

/// The ledger, for one connection.
pub struct Receipts {
    ledger: Ledger,
    /// Identifies this connection.
    session: String,
    /// Identifies the agent, for all of its servers.
    agent: AgentName,
    /// What earlier agents did: looked up once, since a list must not change within a session.
    earlier: OnceLock<EarlierUse>,
}

impl Receipts {
    pub fn new(ledger: Ledger) -> Receipts {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH);
        let begun = begun.unwrap_or_default().as_millis();
        // Connections over HTTP may begin in the same millisecond.
        let session = format!(
            "{}-{begun}-{}",
            process::id(),
            CONNECTIONS.fetch_add(1, Ordering::Relaxed)
        );
        Receipts {
            ledger,
            agent: AgentName::of_machine(session.clone()),
            session,
            earlier: OnceLock::new(),
        }
    }

    /// Sets the agent to the one to which a connection over HTTP belongs. `caller` differs for each caller.
    #[must_use]
    pub fn of_caller(self, caller: String, agents: &Agents) -> Receipts {
        let agent = agents.agent_of(caller, &self.session, Instant::now());
        Receipts { agent, ..self }
    }

    /// Sets the agent to the program that started this process. An agent starts one process for each of its
    /// servers. Together they are one session of the agent, and all their lists are in every request.
    #[must_use]
    pub fn of_parent(self) -> Receipts {
        Receipts {
            agent: AgentName::of_machine(processes::parent()),
            ..self
        }
    }

    /// Whether this machine's agents, or this caller's, may soon use a tool: they often did so, by what the ledger had
    /// when this was asked first. As long as it has too few agents, whether the tool `is_reader`.
    pub(super) fn is_expected(&self, server: &str, tool: &str, is_reader: bool) -> bool {
        let look = || self.ledger.earlier_use(server, &self.agent);
        // If nothing is known, nothing is pinned.
        let unknown = EarlierUse {
            agents: u32::MAX,
            ..EarlierUse::default()
        };
        let earlier = self
            .earlier
            .get_or_init(|| serving::wait(look).unwrap_or(unknown));
        match &*earlier.tools {
            [] => is_reader && earlier.agents < FEW_AGENTS,
            used => used.iter().any(|used| used == beginning(tool)),
        }
    }

    /// Notes a result after a chain ran on it.
    pub(super) fn filtered(&self, account: Account<'_>) {
        let Account {
            subject,
            filtered,
            time,
            before,
            after,
            ..
        } = account;
        let shown = subject
            .result
            .map(|(before, view)| shown(view, before, filtered.result.as_deref()));
        let steps = |document: &FilteredDocument| document.receipts.iter().map(step).collect();
        self.ledger.record(Entry {
            agent: shown.is_some().then(|| self.agent.as_str().to_owned()),
            shown,
            time: SystemTime::now(),
            server: subject.server.to_owned(),
            // A client can call tools that do not exist.
            tool: beginning(subject.tool).to_owned(),
            chain: subject.chain.to_owned(),
            client: subject.client.map(|client| ledger::ClientInfo {
                name: client.name.clone(),
                version: client.version.clone(),
            }),
            session: self.session.clone(),
            before,
            after,
            documents: filtered.documents.iter().map(steps).collect(),
            withheld: filtered.withheld,
            time_spent: time,
            reference: filtered.kept.clone(),
        });
    }

    /// Notes an answer of the read tool; `view` says which part the client shows its model.
    pub(super) fn read(&self, server: &str, answer: &Answer, view: ClientDisplay) {
        let shown = view.shown(&String::from_utf8_lossy(&answer.result));
        self.ledger.record_read(ReadEntry {
            time: SystemTime::now(),
            server: server.to_owned(),
            session: self.session.clone(),
            reference: answer.reference.map(|reference| reference.to_string()),
            answer: shown.texts.concat().into(),
            agent: Some(self.agent.as_str().to_owned()),
        });
    }

    /// Notes a list of tools as the server sent it and as the agent got it (none: the same), both raw JSON.
    /// `tools`: which part of it is in each request.
    pub fn listed(&self, server: &str, before: &[u8], after: Option<&[u8]>, tools: ToolList) {
        let text = |list: &[u8]| String::from_utf8_lossy(list).into_owned();
        let lists = after.map(|after| [text(before), text(after)]);
        let bytes = lists.iter().flatten().map(String::len).sum();
        self.ledger.record_listing(ListingEntry {
            time: SystemTime::now(),
            agent: self.agent.as_str().to_owned(),
            server: server.to_owned(),
            part: "tools",
            tokens: Later::new(bytes, move |count| match &lists {
                None => [0, 0],
                Some(lists) => tokens_of_lists(lists, tools, count),
            }),
        });
    }
}

/// The part of a result that the client would have shown, and the part that it shows.
fn shown(view: ClientDisplay, before: &[u8], after: Option<&str>) -> Later {
    let before = before.to_vec();
    let after = after.map(str::to_owned);
    let after_bytes = after.as_ref().map(String::len);
    let sizes: Vec<usize> = [before.len()].into_iter().chain(after_bytes).collect();
    // What a client cuts has the size of its cap.
    let is_whole = !sizes.iter().any(|&bytes| view.may_cut(bytes));
    let later = Later::new(sizes.iter().sum(), move |count| {
        let bare = view.shown(&String::from_utf8_lossy(&before)).tokens(count);
        let shown = after.as_ref().map(|after| view.shown(after).tokens(count));
        [bare, shown.unwrap_or(bare)]
    });
    if is_whole {
        later.of_results(sizes)
    } else {
        later
    }
}

/// Tokens of a list of tools that are in every request, before and after a change of it. One that has a search shows the
/// names. So counts a tool that Tamis marked: its definition is in each request instead of a search before its first call,
/// which is a request of its own with all that was said so far, and after which the definition is there as well.
fn tokens_of_lists(lists: &[String; 2], tools: ToolList, count: &dyn Fn(&str) -> u64) -> [u64; 2] {
    let lists: [Value; 2] = [0, 1].map(|at| serde_json::from_str(&lists[at]).unwrap_or_default());
    let [before, _] = lists.each_ref().map(listed);
    let searched = before.filter(|tool| !is_always_there(tool));
    let searched: HashSet<&str> = searched.map(name_of).collect();
    lists.each_ref().map(|list| {
        let texts = listed(list).map(|tool| {
            let is_there = match tools {
                ToolList::Listed | ToolList::Trimmed => true,
                ToolList::Searched => false,
                ToolList::Pinned => is_always_there(tool) && !searched.contains(name_of(tool)),
            };
            match is_there {
                true => definition(tool, tools),
                false => name_of(tool).to_owned(),
            }
        });
        texts.map(|text| count(&text)).sum()
    })
}

fn listed(list: &Value) -> impl Iterator<Item = &Value> {
    list["tools"].as_array().into_iter().flatten()
}

fn name_of(tool: &Value) -> &str {
    tool["name"].as_str().unwrap_or_default()
}

fn is_always_there(tool: &Value) -> bool {
    tool["_meta"]["anthropic/alwaysLoad"] == true
}

/// A tool in the form that most requests to models have. No client is known that shows its model more of a tool than its
/// name, its description and its arguments.
fn definition(tool: &Value, tools: ToolList) -> String {
    let mut shown = json!({"name": tool["name"]});
    if let Some(description) = tool.get("description") {
        shown["description"] = description.clone();
    }
    if let Some(mut schema) = tool.get("inputSchema").cloned() {
        if tools == ToolList::Trimmed {
            trim(&mut schema);
        }
        shown["parameters"] = schema;
    }
    json!({"type": "function", "function": shown}).to_string()
}

/// Removes the members that a client itself leaves out of a schema: its draft, and titles.
fn trim(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // A property may have such a name; its value is a schema then.
            members.retain(|key, value| {
                !(value.is_string() && matches!(key.as_str(), "$schema" | "title"))
            });
            members.values_mut().for_each(trim);
        }
        Value::Array(items) => items.iter_mut().for_each(trim),
        _ => {}
    }
}

fn step(receipt: &Receipt) -> StepEntry {
    StepEntry {
        filter: receipt.filter.clone(),
        outcome: ending(receipt),
        failed: receipt.outcome.is_failure(),
        cut: receipt.cut,
        before: receipt.before.text().clone(),
        after: receipt.after.text().clone(),
        time: receipt.time,
    }
}

#[cfg(test)]
mod tests {
    use super::{AGENT_STARTS_WITHIN, Agents, CALLERS_KEPT, ToolList, tokens_of_lists};
    use std::time::{Duration, Instant};

    #[test]
    fn connections_that_a_caller_begins_together_are_of_one_agent() {
        let agents = Agents::default();
        let (first, soon) = (Instant::now(), Instant::now() + AGENT_STARTS_WITHIN / 2);
        let later = first + AGENT_STARTS_WITHIN + Duration::from_secs(1);
        let agent = |caller: &str, session, at| {
            let agent = agents.agent_of(caller.to_owned(), session, at);
            let name = agent.as_str().strip_prefix(&format!("@{caller}."));
            name.expect("the caller's name").to_owned()
        };
        assert_eq!(agent("one", "a", first), "a");
        assert_eq!(agent("one", "b", soon), "a");
        assert_eq!(agent("two", "c", soon), "c");
        assert_eq!(agent("one", "d", later), "d");
        assert_eq!(agent("one", "e", later), "d");
        // Callers are bounded: one more stands for itself, until the others are old.
        for number in 0..CALLERS_KEPT {
            agent(&format!("many {number}"), "many", later);
        }
        assert_eq!(agent("last", "f", later), "f");
        assert_eq!(agent("last", "g", later), "g");
        let old = later + AGENT_STARTS_WITHIN * 2;
        assert_eq!(agent("last", "h", old), "h");
        assert_eq!(agent("last", "i", old), "h");
    }

    #[test]
    fn a_list_costs_what_models_see_of_it() {
        let words = |text: &str| text.len() as u64;
        let list = r#"{"tools":[{"name":"a","description":"d","inputSchema":{"$schema":"s","title":"t"},
            "outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
            {"name":"bc","_meta":{"anthropic/alwaysLoad":true}}]}"#;
        let function = |json: &str| json.len() + r#"{"type":"function","function":}"#.len();
        let first =
            function(r#"{"name":"a","description":"d","parameters":{"$schema":"s","title":"t"}}"#);
        let trimmed = function(r#"{"name":"a","description":"d","parameters":{}}"#);
        let second = function(r#"{"name":"bc"}"#);
        let tokens_of = |lists: [&str; 2], tools| {
            let tokens = tokens_of_lists(&lists.map(str::to_owned), tools, &words);
            tokens.map(|tokens| tokens as usize)
        };
        let tokens = |tools| tokens_of([list; 2], tools)[0];
        assert_eq!(tokens(ToolList::Listed), first + second);
        // A tool without a schema gets none by this.
        assert_eq!(tokens(ToolList::Trimmed), trimmed + second);
        assert_eq!(tokens(ToolList::Searched), "a".len() + "bc".len());
        assert_eq!(tokens(ToolList::Pinned), "a".len() + second);
        assert_eq!(tokens_of(["[", "["], ToolList::Listed), [0, 0]);
        // What Tamis marked counts by its name; its own tool does not.
        let marked = list
            .replace(
                r#""name":"a","#,
                r#""name":"a","_meta":{"anthropic/alwaysLoad":true},"#,
            )
            .replace(
                "]}",
                r#",{"name":"own","_meta":{"anthropic/alwaysLoad":true}}]}"#,
            );
        let [before, after] = tokens_of([list, &marked], ToolList::Pinned);
        assert_eq!(before, tokens(ToolList::Pinned));
        assert_eq!(after, before + function(r#"{"name":"own"}"#));
    }
}
