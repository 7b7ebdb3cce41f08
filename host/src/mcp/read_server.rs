//! An MCP server over standard input and output whose only tool is the read tool.
//!
//! One such server runs next to the wrapped servers of a client, so that the client lists the read tool once.
//! It reads every original in the user's store, whichever `tamis run` stored it.
//!
//! Owns: the loop over lines, the versions of the protocol, JSON-RPC's errors. Refuses to know: how an original
//! is read (`read_tool`), policies. It uses no SDK: an SDK would bring an async runtime, whose start the client
//! waits for, and has no limit on the length of a message.

mod closed;

use super::clients::Client;
use super::lines::LineBuffer;
use super::observe::Observer;
use super::read_tool;
use super::relay::LocalAnswer;
use super::resource;
use super::shown::ClientDisplay;
use super::version;
use crate::lock::lock;
use crate::policy::{ClientSpec, ReadTool};
use crate::store::Store;
use crate::system::Read;
use crate::system::pipes::{self, Input, Stop};
use crate::system::signals::{self, HANGUP, INTERRUPT, TERMINATE};
use serde_json::{Map, Value, json};
use std::io;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Longest message that is read: a call of the read tool has a thousandth of this.
const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// Most requests in one message (protocol 2025-03-26): the server holds each answer until it has all of them.
const MAX_BATCH: usize = 100;

/// How long an answer that the client does not read may delay the end after a signal.
const END_GRACE: Duration = Duration::from_secs(2);

/// The name of this server in the log and the ledger.
const NAME: &str = "tamis";

/// The server.
pub struct ReadServer {
    settings: ReadTool,
    /// The operator's specifications of clients.
    clients: Vec<ClientSpec>,
    /// The store; none: it cannot be used, and every call is answered with the reason.
    store: Option<Store>,
    observer: Observer,
    client: Mutex<Option<Client>>,
    /// The server lists and reads nothing, and answers every request with this text.
    closed: Option<&'static str>,
}

/// An error of JSON-RPC.
struct Refused {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl ReadServer {
    /// `store`: none if it cannot be used. Tamis tells `observer` of every reading.
    pub fn new(
        settings: ReadTool,
        clients: Vec<ClientSpec>,
        store: Option<Store>,
        observer: Observer,
    ) -> ReadServer {
        ReadServer {
            settings,
            clients,
            store,
            observer,
            client: Mutex::default(),
            closed: None,
        }
    }

    /// Notes who asks, where a request says it.
    fn note_client(&self, params: &Map<String, Value>) {
        let raw = |key: &str| params.get(key).map(Value::to_string);
        let (info, meta) = (raw("clientInfo"), raw("_meta"));
        let (info, meta) = (info.as_deref(), meta.as_deref());
        let client = Client::named_in(info.map(str::as_bytes), meta.map(str::as_bytes));
        if let Some(client) = client {
            *lock(&self.client) = Some(client);
        }
    }

    /// The client's specification.
    fn spec(&self) -> Option<ClientSpec> {
        let client = lock(&self.client);
        let spec = client
            .as_ref()
            .and_then(|client| client.spec(&self.clients));
        spec.cloned()
    }

    /// Answers until the client closes standard input or stops reading, which is success, or until a signal.
    /// Returns the exit code: 0, or 128 and the signal's number.
    ///
    /// # Errors
    ///
    /// Signals cannot be watched, or standard input cannot be read.
    pub fn run(&self) -> io::Result<u8> {
        let signal = Arc::new(AtomicI32::new(0));
        let stop = watch_signals(Arc::clone(&signal))?;
        let mut input = Input::client()?;
        let mut buffer = LineBuffer::new();
        let mut is_skipping = false;
        loop {
            let count = match input.read_or_stop(Some(&stop), buffer.spare())? {
                Read::Bytes(0) => break,
                Read::Bytes(count) => count,
                Read::CalledOff => return Ok(exit_code(signal.load(Ordering::Relaxed))),
            };
            if buffer.advance(count) {
                let mut start = 0;
                while let Some(end) = buffer.line_end(start) {
                    let line = &buffer.complete()[start..end];
                    start = end;
                    if std::mem::take(&mut is_skipping) {
                        continue;
                    }
                    if !self.answer_line(line) {
                        return Ok(0);
                    }
                }
                buffer.consume();
            }
            if buffer.unfinished().len() > MAX_MESSAGE_BYTES {
                buffer.drop_unfinished();
                if !std::mem::replace(&mut is_skipping, true) && !write(&too_long()) {
                    return Ok(0);
                }
            }
        }
        if !is_skipping {
            let last = buffer.unfinished().to_vec();
            self.answer_line(&last);
        }
        Ok(match signal.load(Ordering::Relaxed) {
            0 => 0,
            signal => exit_code(signal),
        })
    }

    /// Whether the client still reads.
    fn answer_line(&self, line: &[u8]) -> bool {
        if line.len() > MAX_MESSAGE_BYTES {
            return write(&too_long());
        }
        match self.answer(line) {
            Some(answer) => write(&answer),
            None => true,
        }
    }

    /// The answer to a line, without its end; none if it needs none.
    fn answer(&self, line: &[u8]) -> Option<String> {
        if line.trim_ascii().is_empty() {
            return None;
        }
        let message: Value = match serde_json::from_slice(line) {
            Ok(message) => message,
            Err(error) => {
                let message = format!("this is not JSON: {error}");
                return Some(refusal(&Value::Null, version::PARSE_ERROR, &message));
            }
        };
        let Value::Array(batch) = message else {
            return self.answer_message(&message);
        };
        if batch.is_empty() || batch.len() > MAX_BATCH {
            let message = format!(
                "this is a batch of {} messages; allowed: 1 to {MAX_BATCH}",
                batch.len()
            );
            return Some(refusal(&Value::Null, version::INVALID_REQUEST, &message));
        }
        let answers: Vec<String> = batch
            .iter()
            .filter_map(|message| self.answer_message(message))
            .collect();
        (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
    }

    fn answer_message(&self, message: &Value) -> Option<String> {
        let invalid = |id: &Value, why: &str| Some(refusal(id, version::INVALID_REQUEST, why));
        let Value::Object(message) = message else {
            return invalid(&Value::Null, "a message is an object");
        };
        let id = match message.get("id") {
            None => None,
            Some(id) if id.is_string() || id.is_number() => Some(id),
            Some(_) => return invalid(&Value::Null, "an id is a string or a number"),
        };
        let method = match message.get("method") {
            Some(Value::String(method)) => method,
            // An answer: nothing was asked, so nobody waits for it.
            None if message.contains_key("result") || message.contains_key("error") => return None,
            _ => return invalid(id.unwrap_or(&Value::Null), "a request has a `method`"),
        };
        // A notification.
        let id = id?;
        let empty = Map::new();
        let params = match message.get("params") {
            None | Some(Value::Null) => &empty,
            Some(Value::Object(params)) => params,
            Some(_) => {
                let why = "`params` is an object";
                return Some(refusal(id, version::INVALID_PARAMS, why));
            }
        };
        Some(match self.result(method, params) {
            Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            Err(refused) => refused.answer(id),
        })
    }

    /// The result of a request, as raw JSON.
    fn result(&self, method: &str, params: &Map<String, Value>) -> Result<String, Refused> {
        let named = params
            .get("_meta")
            .and_then(|meta| meta.get(version::OF_REQUEST)?.as_str());
        if let Some(named) = named
            && named != version::WITHOUT_SESSIONS
            && !version::WITH_SESSIONS.contains(&named)
        {
            return Err(Refused {
                code: version::UNSUPPORTED_VERSION,
                message: format!("protocol version {named} is not supported"),
                data: Some(json!({"supported": versions(), "requested": named})),
            });
        }
        // From 2026-07-28 on a result says that it is one.
        let stands_alone = named == Some(version::WITHOUT_SESSIONS);
        let complete = |mut result: Value| {
            if stands_alone || method == "server/discover" {
                result["resultType"] = "complete".into();
                if method != "tools/call" {
                    result["ttlMs"] = 0.into();
                    result["cacheScope"] = "private".into();
                }
            }
            result.to_string()
        };
        if let Some(why) = self.closed {
            let answer = closed::result(why, method, params)?;
            return Ok(match method {
                "initialize" | "ping" => answer.to_string(),
                _ => complete(answer),
            });
        }
        self.note_client(params);
        match method {
            "initialize" => Ok(greeting(params).to_string()),
            "server/discover" => Ok(complete(discovery())),
            "ping" => Ok("{}".to_owned()),
            "tools/list" => {
                if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
                    return Err(invalid_params("the list has one page: leave out `cursor`"));
                }
                let definition = read_tool::definition(&self.settings);
                let tool: Value = serde_json::from_str(&definition).map_err(|error| {
                    tracing::error!("the read tool's definition: {error}");
                    invalid_params("the read tool cannot be listed")
                })?;
                let spec = self.spec();
                // If programs compute on results, nothing of them is cut, so nothing can be read.
                let is_read = !ClientDisplay::of(spec.as_ref()).computes();
                let tools = if self.settings.listed && is_read {
                    vec![tool]
                } else {
                    Vec::new()
                };
                let list = complete(json!({ "tools": tools }));
                let tools = spec.map(|spec| spec.tools).unwrap_or_default();
                self.observer
                    .listed(NAME, br#"{"tools":[]}"#, Some(list.as_bytes()), tools);
                Ok(list)
            }
            "tools/call" => {
                let name = params.get("name").and_then(Value::as_str);
                if name != Some(&self.settings.name) {
                    let message = format!(
                        "unknown tool `{}`; this server has `{}`",
                        name.unwrap_or_default(),
                        self.settings.name
                    );
                    return Err(invalid_params(&message));
                }
                let result = self.call(params.get("arguments"));
                if !stands_alone {
                    return Ok(String::from_utf8_lossy(&result).into_owned());
                }
                let result = serde_json::from_slice(&result).unwrap_or_default();
                Ok(complete(result))
            }
            "resources/read" => self.resource(params),
            _ => Err(Refused {
                code: version::METHOD_NOT_FOUND,
                message: format!("unknown method `{method}`"),
                data: None,
            }),
        }
    }

    /// Calls the read tool.
    fn call(&self, arguments: Option<&Value>) -> Vec<u8> {
        let Some(store) = &self.store else {
            return read_tool::refusal("originals cannot be read: the operator's log says why");
        };
        let arguments = match arguments {
            None | Some(Value::Null) => "{}".to_owned(),
            Some(arguments) => arguments.to_string(),
        };
        let begun = Instant::now();
        let answer = read_tool::answer(&self.settings, store, arguments.as_bytes());
        let view = ClientDisplay::of(self.spec().as_ref());
        self.observer
            .read_back(NAME, &answer, view, begun.elapsed());
        answer.result
    }

    /// The resource that the read tool links to.
    fn resource(&self, params: &Map<String, Value>) -> Result<String, Refused> {
        let uri = params.get("uri").and_then(Value::as_str);
        let (Some(store), Some(uri)) = (&self.store, uri.filter(|uri| resource::is_own(uri)))
        else {
            return Err(invalid_params(
                "this server reads only the resources that its tool links to",
            ));
        };
        match resource::answer(store, uri) {
            LocalAnswer::Result(result) => Ok(String::from_utf8_lossy(&result).into_owned()),
            LocalAnswer::Error(error) => {
                let error: Value = serde_json::from_slice(&error).unwrap_or_default();
                Err(Refused {
                    code: error["code"].as_i64().unwrap_or(version::INVALID_PARAMS),
                    message: error["message"].as_str().unwrap_or_default().to_owned(),
                    data: error.get("data").cloned(),
                })
            }
        }
    }
}

/// The version for a client whose own is unknown.
const NEWEST_WITH_SESSIONS: &str = "2025-11-25";

fn versions() -> Vec<&'static str> {
    let all = version::WITH_SESSIONS.into_iter();
    all.chain([version::WITHOUT_SESSIONS]).collect()
}

/// The result of `initialize`.
fn greeting(params: &Map<String, Value>) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let known = asked.filter(|asked| version::WITH_SESSIONS.contains(asked));
    json!({
        "protocolVersion": known.unwrap_or(NEWEST_WITH_SESSIONS),
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
    })
}

/// The result of `server/discover`.
fn discovery() -> Value {
    json!({
        "supportedVersions": versions(),
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
    })
}

fn server_info() -> Value {
    json!({"name": NAME, "version": env!("CARGO_PKG_VERSION")})
}

fn invalid_params(message: &str) -> Refused {
    Refused {
        code: version::INVALID_PARAMS,
        message: message.to_owned(),
        data: None,
    }
}

impl Refused {
    fn answer(&self, id: &Value) -> String {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
    }
}

fn refusal(id: &Value, code: i64, message: &str) -> String {
    let refused = Refused {
        code,
        message: message.to_owned(),
        data: None,
    };
    refused.answer(id)
}

fn too_long() -> String {
    let message = format!("a message has at most {MAX_MESSAGE_BYTES} bytes");
    refusal(&Value::Null, version::INVALID_REQUEST, &message)
}

/// Whether the client still reads.
fn write(answer: &str) -> bool {
    let line = format!("{answer}\n");
    pipes::write_to_client(line.as_bytes())
        .inspect_err(|error| tracing::debug!(%error, "write to the client"))
        .is_ok()
}

/// Returns what is stopped at a signal; `signal` then has its number.
fn watch_signals(signal: Arc<AtomicI32>) -> io::Result<Stop> {
    let (stopper, stop) = pipes::stop_pair()?;
    let mut stopper = Some(stopper);
    signals::watch(&[TERMINATE, INTERRUPT, HANGUP], move |number| {
        signal.store(number, Ordering::Relaxed);
        drop(stopper.take());
        // The client may have stopped reading in the middle of an answer.
        thread::sleep(END_GRACE);
        std::process::exit(exit_code(number).into());
    })?;
    Ok(stop)
}

fn exit_code(signal: i32) -> u8 {
    128_u8.saturating_add(u8::try_from(signal).unwrap_or(u8::MAX))
}
