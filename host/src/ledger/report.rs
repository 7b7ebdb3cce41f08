//! Reading the ledger: sums by tool, filter, day or client.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use rusqlite::{Transaction, named_params, params};

use super::LedgerError;
use super::agent_name::AgentName;
use super::database::{Database, unix_ms, whole_ms};

/// The kind of a report's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    Tool,
    Filter,
    /// Days of this machine's time zone.
    Day,
    Client,
    /// One run of an agent, with all of its servers, named by when it began and who it is.
    Session,
}

/// A question to the ledger.
#[derive(Debug, Clone)]
pub struct Question {
    pub by: GroupBy,
    /// None: all recorded calls.
    pub since: Option<Since>,
    /// Only calls of this upstream.
    pub server: Option<String>,
}

/// The start of the time of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// This long before now.
    Ago(Duration),
    /// The first moment of a day, in this machine's time zone.
    Day { year: u16, month: u8, day: u8 },
}

/// A text that says no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a day (2026-11-01) or a time back from now (7d, 12h, 2w)")]
pub struct NotASince;

/// Sums of the ledger's calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The start of the time, in Unix milliseconds; none: everything.
    pub since_unix_ms: Option<i64>,
    /// The rows: days by name, others by their saving, the largest first.
    pub rows: Vec<Row>,
    /// All calls together.
    pub total: Row,
    /// Receipts of all upstreams that were dropped, so that they are in no sum.
    pub dropped: u64,
    /// Receipts of all upstreams whose tokens are in part estimates: they arrived too fast to be counted.
    pub estimated: u64,
    /// The upstreams with calls at any time.
    pub servers: Vec<String>,
    /// Sessions in which Tamis cost more than it saved.
    pub lost: Lost,
}

/// Sessions that lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lost {
    pub sessions: u64,
    /// The number of all sessions.
    pub of: u64,
    /// The sum of their lost tokens.
    pub tokens: u64,
}

/// One sum. Tokens are o200k.
///
/// Withheld results are counted as calls, and are in no sum of bytes or tokens: their content was hidden, not
/// saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The tool, filter, day or client. None: calls of clients that did not say their name, and
    /// answers to reads of originals whose call is not in the ledger.
    pub name: Option<String>,
    pub calls: u64,
    pub withheld: u64,
    /// Calls in which a filter (that of the row, by filter) did not do its work.
    pub failures: u64,
    pub bytes_before: u64,
    pub bytes_after: u64,
    /// By filter: of its documents. Else: of the results as clients would have shown them without Tamis.
    pub tokens_before: u64,
    /// By filter: of its output. Else: of the results as clients showed them.
    pub tokens_after: u64,
    /// Answers that returned cut content to a model.
    pub reads: u64,
    /// Tokens of those answers.
    pub reread_tokens: u64,
    /// Requests that carried Tamis's additions: one for each call at least.
    pub requests: u64,
    /// Tokens that Tamis added to those requests: its own tool, and text in descriptions; negative if it
    /// removed more. By filter: none.
    pub listing_tokens: i64,
    /// Wall time of filtering.
    pub time: Duration,
    /// By filter: the outcomes of its documents. Else empty.
    pub outcomes: Vec<OutcomeCount>,
}

/// How often a filter's step ended in this way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeCount {
    /// The outcome's name, as in receipts and logs.
    pub outcome: String,
    pub documents: u64,
}

impl Report {
    /// Whether nothing fits the question.
    pub fn is_empty(&self) -> bool {
        self.total.calls == 0 && self.total.reads == 0
    }
}

impl Row {
    /// Tokens that the filters took out; less than none where they added some.
    pub fn saved_tokens(&self) -> i64 {
        signed(self.tokens_before) - signed(self.tokens_after)
    }

    /// The saved tokens, less the tokens read back and those that Tamis added to every request.
    pub fn net_saved_tokens(&self) -> i64 {
        self.saved_tokens() - signed(self.reread_tokens) - self.listing_tokens
    }

    /// The saving in per cent of the tokens before; none if they are zero.
    pub fn saved_percent(&self) -> Option<f64> {
        self.percent(self.saved_tokens())
    }

    /// The saving in per cent, less the tokens read back and those that Tamis added to every request.
    pub fn net_saved_percent(&self) -> Option<f64> {
        self.percent(self.net_saved_tokens())
    }

    fn percent(&self, tokens: i64) -> Option<f64> {
        (self.tokens_before > 0).then(|| 100.0 * tokens as f64 / self.tokens_before as f64)
    }
}

/// Answers a question from the ledger in `state_directory`. None: no ledger exists yet.
///
/// # Errors
///
/// The file is not a ledger, is of a newer Tamis, or cannot be read.
pub fn report(state_directory: &Path, question: &Question) -> Result<Option<Report>, LedgerError> {
    let reports = reports(state_directory, std::slice::from_ref(question), || {})?;
    Ok(reports.and_then(|mut reports| reports.pop()))
}

/// Answers several questions, in their order, of the same moment. `answered` is told of each answer.
///
/// # Errors
///
/// As [`report`].
pub fn reports(
    state_directory: &Path,
    questions: &[Question],
    answered: impl Fn(),
) -> Result<Option<Vec<Report>>, LedgerError> {
    let Some(mut database) = Database::open(state_directory)? else {
        return Ok(None);
    };
    let reports = database.read(|transaction| {
        let answers = questions.iter().map(|question| {
            let since = question.since.map(|since| since.unix_ms(transaction));
            let scope = Scope {
                transaction,
                since_unix_ms: since.transpose()?,
                server: question.server.as_deref(),
            };
            scope.report(question.by).inspect(|_| answered())
        });
        answers.collect()
    })?;
    Ok(Some(reports))
}

/// Date and minute in this machine's time zone, as SQLite knows it: `2026-11-01 09:30`. None: the time is
/// out of its reach.
pub fn local_minute(time: SystemTime) -> Option<String> {
    let seconds = unix_ms(time) / 1000;
    let connection = rusqlite::Connection::open_in_memory().ok()?;
    let ask = "SELECT strftime('%Y-%m-%d %H:%M', ?1, 'unixepoch', 'localtime')";
    connection
        .query_row(ask, [seconds], |found| found.get(0))
        .ok()
}

/// The part of the ledger that a report is about.
struct Scope<'a> {
    transaction: &'a Transaction<'a>,
    since_unix_ms: Option<i64>,
    server: Option<&'a str>,
}

/// Rows under construction; the key is their name.
type Rows = BTreeMap<Option<String>, Row>;

/// The condition for calls in the report.
const CALLS: &str = "c.time_ms >= :since AND (:server IS NULL OR c.server = :server)";

/// The condition for reads in the report.
const READS: &str = "coalesce(c.time_ms, r.time_ms) >= :since \
    AND (:server IS NULL OR coalesce(c.server, r.server) = :server)";

/// The key of one run of an agent; connections of form 1 stand for themselves.
const SESSION: &str = "coalesce(c.agent, c.session)";

/// Tokens of a call, as far as they are known.
const SHOWN: [&str; 2] = [
    "coalesce(c.shown_before, c.tokens_before)",
    "coalesce(c.shown_after, c.tokens_after)",
];

/// Tokens that Tamis had added to each request of the agent of a row by then, at all of its servers.
fn listed(of: &str) -> String {
    format!(
        "(SELECT sum(l.tokens) FROM listings l WHERE l.agent = {of}.agent AND l.id = \
         (SELECT max(n.id) FROM listings n WHERE n.agent = l.agent AND n.server = l.server \
         AND n.part = l.part AND n.time_ms <= {of}.time_ms))"
    )
}

/// The filter that reads of a call count against: the one that cut the most.
const CUTTER: &str = "(SELECT s.filter FROM steps s WHERE s.call = r.call GROUP BY s.filter \
    ORDER BY max(s.cut) DESC, sum(s.tokens_before - s.tokens_after) DESC, s.filter LIMIT 1)";

impl Scope<'_> {
    fn report(&self, by: GroupBy) -> rusqlite::Result<Report> {
        let mut rows = match by {
            GroupBy::Tool => self.by_call("c.tool")?,
            GroupBy::Day => self.by_call("date(c.time_ms / 1000, 'unixepoch', 'localtime')")?,
            GroupBy::Client => self.by_call("c.client")?,
            GroupBy::Session => self.by_session()?,
            GroupBy::Filter => self.by_filter()?,
        };
        if by == GroupBy::Day {
            rows.sort_by(|one, other| one.name.cmp(&other.name));
        } else {
            // The sort is stable, and they come by name.
            rows.sort_by_key(|row| (row.name.is_none(), -row.net_saved_tokens()));
        }
        Ok(Report {
            since_unix_ms: self.since_unix_ms,
            rows,
            total: self.by_call("NULL")?.pop().unwrap_or_default(),
            dropped: self.dropped()?,
            estimated: self.estimated()?,
            servers: self.servers()?,
            lost: self.lost()?,
        })
    }

    /// Sums by session, named by when the session began.
    fn by_session(&self) -> rusqlite::Result<Vec<Row>> {
        let mut rows = self.by_call(SESSION)?;
        let mut name = self.transaction.prepare(&format!(
            "SELECT strftime('%Y-%m-%d %H:%M', min(c.time_ms) / 1000, 'unixepoch', 'localtime') \
             || ' ' || coalesce(c.client, '(unnamed)') FROM calls c WHERE {SESSION} = ?1"
        ))?;
        for row in &mut rows {
            if let Some(key) = row.name.take() {
                row.name = name.query_row([key], |found| found.get(0))?;
            }
        }
        Ok(rows)
    }

    fn lost(&self) -> rusqlite::Result<Lost> {
        let sessions = self.by_call(SESSION)?;
        let sessions = sessions.iter().filter(|row| row.calls > 0);
        let mut lost = Lost::default();
        for net in sessions.map(Row::net_saved_tokens) {
            lost.of += 1;
            if net < 0 {
                lost.sessions += 1;
                lost.tokens += net.unsigned_abs();
            }
        }
        Ok(lost)
    }

    /// Sums of calls that have the same `key`.
    fn by_call(&self, key: &str) -> rusqlite::Result<Vec<Row>> {
        let mut rows = Rows::new();
        self.add_sums(
            &mut rows,
            &format!(
                "SELECT {key}, count(*), sum(c.withheld), sum(c.failed), {} \
                 FROM calls c WHERE {CALLS} GROUP BY 1",
                sums("c", SHOWN)
            ),
        )?;
        self.add_reads(&mut rows, key)?;
        self.add_listings(&mut rows, key)?;
        Ok(rows.into_values().collect())
    }

    fn by_filter(&self) -> rusqlite::Result<Vec<Row>> {
        let mut rows = Rows::new();
        let of_steps = format!("FROM steps s JOIN calls c ON c.id = s.call WHERE {CALLS}");
        self.add_sums(
            &mut rows,
            &format!(
                "SELECT s.filter, count(DISTINCT c.id), \
                 count(DISTINCT CASE WHEN c.withheld THEN c.id END), \
                 count(DISTINCT CASE WHEN s.failed THEN c.id END), {} {of_steps} GROUP BY 1",
                sums("s", ["s.tokens_before", "s.tokens_after"])
            ),
        )?;
        self.each(
            &format!("SELECT s.filter, s.outcome, sum(s.documents) {of_steps} GROUP BY 1, 2"),
            |found| {
                let count = OutcomeCount {
                    outcome: found.get(1)?,
                    documents: number(found, 2)?,
                };
                row(&mut rows, found)?.outcomes.push(count);
                Ok(())
            },
        )?;
        self.add_reads(&mut rows, CUTTER)?;
        Ok(rows.into_values().collect())
    }

    fn add_sums(&self, rows: &mut Rows, query: &str) -> rusqlite::Result<()> {
        self.each(query, |found| {
            let row = row(rows, found)?;
            row.calls = number(found, 1)?;
            row.withheld = number(found, 2)?;
            row.failures = number(found, 3)?;
            row.bytes_before = number(found, 4)?;
            row.bytes_after = number(found, 5)?;
            row.tokens_before = number(found, 6)?;
            row.tokens_after = number(found, 7)?;
            row.time = Duration::from_micros(number(found, 8)?);
            Ok(())
        })
    }

    /// Reads count where and when the call was made; by themselves, if the call is unknown.
    fn add_reads(&self, rows: &mut Rows, key: &str) -> rusqlite::Result<()> {
        let query = format!(
            "SELECT {key}, count(*), sum(r.tokens) FROM reads r LEFT JOIN calls c ON c.id = r.call \
             WHERE {READS} GROUP BY 1"
        );
        self.each(&query, |found| {
            let row = row(rows, found)?;
            row.reads = number(found, 1)?;
            row.reread_tokens = number(found, 2)?;
            Ok(())
        })
    }

    /// Tamis's additions cost tokens in every request: one for each call, and one for each answer to a read.
    fn add_listings(&self, rows: &mut Rows, key: &str) -> rusqlite::Result<()> {
        let of_calls = format!(
            "SELECT {key}, count(*), coalesce(sum({}), 0) FROM calls c \
             WHERE {CALLS} AND c.agent IS NOT NULL GROUP BY 1",
            listed("c")
        );
        let of_reads = format!(
            "SELECT {key}, count(*), coalesce(sum({}), 0) FROM reads r LEFT JOIN calls c ON c.id = r.call \
             WHERE r.agent IS NOT NULL AND {READS} GROUP BY 1",
            listed("r")
        );
        for query in [of_calls, of_reads] {
            self.each(&query, |found| {
                let row = row(rows, found)?;
                row.requests += number(found, 1)?;
                row.listing_tokens += found.get::<_, i64>(2)?;
                Ok(())
            })?;
        }
        Ok(())
    }

    fn dropped(&self) -> rusqlite::Result<u64> {
        self.transaction.query_row(
            "SELECT coalesce(sum(receipts), 0) FROM drops WHERE time_ms >= ?1",
            [self.since_unix_ms.unwrap_or(0)],
            |found| number(found, 0),
        )
    }

    fn estimated(&self) -> rusqlite::Result<u64> {
        self.transaction.query_row(
            "SELECT (SELECT count(*) FROM calls WHERE is_estimated AND time_ms >= ?1) \
             + (SELECT count(*) FROM reads WHERE is_estimated AND time_ms >= ?1)",
            [self.since_unix_ms.unwrap_or(0)],
            |found| number(found, 0),
        )
    }

    fn servers(&self) -> rusqlite::Result<Vec<String>> {
        let mut query = self
            .transaction
            .prepare("SELECT DISTINCT server FROM calls ORDER BY 1")?;
        query.query_map([], |found| found.get(0))?.collect()
    }

    fn each(
        &self,
        query: &str,
        mut each: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let mut query = self.transaction.prepare(query)?;
        let since = self.since_unix_ms.unwrap_or(0);
        let mut found = query.query(named_params! {":since": since, ":server": self.server})?;
        while let Some(found) = found.next()? {
            each(found)?;
        }
        Ok(())
    }
}

/// The sums that are taken of calls, and of steps.
fn sums(of: &str, tokens: [&str; 2]) -> String {
    let mut sums = String::new();
    let bytes = ["bytes_before", "bytes_after"].map(|column| format!("{of}.{column}"));
    for column in bytes.iter().map(String::as_str).chain(tokens) {
        sums += &format!("coalesce(sum({column}) FILTER (WHERE NOT c.withheld), 0), ");
    }
    sums + &format!("sum({of}.time_us)")
}

/// The row that a line of an answer belongs to: its first column is the name.
fn row<'a>(rows: &'a mut Rows, found: &rusqlite::Row<'_>) -> rusqlite::Result<&'a mut Row> {
    let name: Option<String> = found.get(0)?;
    Ok(rows.entry(name.clone()).or_insert_with(|| Row {
        name,
        ..Row::default()
    }))
}

/// A count or sum, which is never negative.
fn number(found: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = found.get(column)?;
    Ok(u64::try_from(number).unwrap_or(0))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Since {
    pub(super) fn unix_ms(self, transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
        match self {
            Since::Ago(duration) => {
                Ok(unix_ms(SystemTime::now()).saturating_sub(whole_ms(duration)))
            }
            // SQLite knows the time zone, and when its clocks changed.
            Since::Day { year, month, day } => transaction.query_row(
                "SELECT 1000 * unixepoch(?1, 'utc')",
                [format!("{year:04}-{month:02}-{day:02}")],
                |found| found.get(0),
            ),
        }
    }
}

impl FromStr for Since {
    type Err = NotASince;

    fn from_str(text: &str) -> Result<Since, NotASince> {
        ago(text).or_else(|| day(text)).ok_or(NotASince)
    }
}

fn ago(text: &str) -> Option<Since> {
    let unit = text.chars().last()?;
    let hours = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 7 * 24,
        _ => return None,
    };
    let count: u32 = digits(text.strip_suffix(unit)?)?;
    Some(Since::Ago(Duration::from_secs(
        u64::from(count) * hours * 60 * 60,
    )))
}

fn day(text: &str) -> Option<Since> {
    let mut parts = text.split('-');
    let mut part = |length| parts.next().filter(|part: &&str| part.len() == length);
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let (year, month, day): (u16, u8, u8) = (digits(year)?, digits(month)?, digits(day)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    let is_whole = parts.next().is_none();
    (is_whole && (1..=days).contains(&day)).then_some(Since::Day { year, month, day })
}

/// A number without sign.
fn digits<N: FromStr>(text: &str) -> Option<N> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

/// Agents of the past by which a tool is judged.
const JUDGED_BY: u32 = 12;

/// Most tools of a server that are often used: with more, a search costs less than to list them all.
pub(super) const MOST_USED: usize = 16;

/// What earlier agents did with the tools of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierUse {
    /// Number of those agents, [`JUDGED_BY`] at most.
    pub agents: u32,
    /// The tools that a third of them used, the most used first, at most [`MOST_USED`].
    pub tools: Vec<String>,
}

/// What the last agents of the same kind did with the tools of a server, but for the one that asks.
pub(super) fn earlier_use(
    state_directory: &Path,
    server: &str,
    asking: &AgentName,
) -> Result<EarlierUse, LedgerError> {
    let Some(mut database) = Database::open(state_directory)? else {
        return Ok(EarlierUse::default());
    };
    let Range { start, end } = asking.alike();
    let asking = asking.as_str();
    database.read(|transaction| {
        let mut lately = transaction.prepare(
            "SELECT agent FROM listings WHERE server = ?1 AND agent <> ?2 AND agent >= ?3 AND agent < ?4 \
             GROUP BY agent ORDER BY max(id) DESC LIMIT ?5",
        )?;
        let lately = lately.query_map(params![server, asking, start, end, JUDGED_BY], |found| {
            found.get(0)
        })?;
        let lately: Vec<String> = lately.collect::<rusqlite::Result<_>>()?;
        let mut used = transaction
            .prepare("SELECT DISTINCT tool FROM calls WHERE agent = ?1 AND server = ?2")?;
        let mut users: BTreeMap<String, u32> = BTreeMap::new();
        for agent in &lately {
            for tool in used.query_map([agent, server], |found| found.get(0))? {
                *users.entry(tool?).or_default() += 1;
            }
        }
        let agents = lately.len() as u32;
        let often = users.into_iter().filter(|(_, by)| by * 3 >= agents);
        let mut often: Vec<_> = often.collect();
        often.sort_by_key(|(_, by)| Reverse(*by));
        often.truncate(MOST_USED);
        Ok(EarlierUse {
            agents,
            tools: often.into_iter().map(|(tool, _)| tool).collect(),
        })
    })
}
