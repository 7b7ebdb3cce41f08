//! A message of the client, and the server's whole answer.

use super::output::Output;
use super::request::Request;
use super::session::Session;
use crate::json;
use crate::mcp::frame::{Frame, RequestId};
use crate::mcp::http::events::Events;
use crate::mcp::http::remote::REDIRECTS;
use crate::mcp::http::{headers, mirror};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use reqwest::Response;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;

/// How long to wait before a stream is resumed, unless the server sets a time.
const RETRY: Duration = Duration::from_secs(1);

/// The longest wait that a server may ask for.
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// A stream that broke this often without a message in between is given up.
const TRIES: u32 = 5;

/// The largest answer that is read: an answer without an end would exhaust this process's memory.
const ANSWER_BYTES: usize = 256 << 20;

pub(super) struct Exchange {
    session: Arc<Session>,
    output: Arc<Output>,
    request: Request,
    /// Requests without an answer.
    unanswered: Vec<RequestId>,
}

/// The place where a stream can be resumed.
#[derive(Default)]
struct Resume {
    event: Option<String>,
    retry: Option<Duration>,
}

impl Exchange {
    pub(super) fn new(session: &Arc<Session>, output: &Arc<Output>, request: Request) -> Exchange {
        Exchange {
            session: Arc::clone(session),
            output: Arc::clone(output),
            unanswered: request.ids.clone(),
            request,
        }
    }

    /// Sends the message, and writes everything that comes back. Each request gets an answer.
    pub(super) async fn run(mut self) {
        if let Err(why) = self.ask().await {
            if self.unanswered.is_empty() {
                tracing::warn!("a notification did not reach the server: {why}");
            }
            for error in self.request.errors(&self.unanswered, &why) {
                self.output.line(&error);
            }
        }
    }

    async fn ask(&mut self) -> Result<(), String> {
        let id = self.session.id();
        let mut answer = self.session.post(&self.request).await?;
        let is_forgotten = answer.status() == StatusCode::NOT_FOUND && id.is_some();
        if is_forgotten && !self.request.is("initialize") {
            self.greet_anew(id.as_ref()).await?;
            answer = self.session.post(&self.request).await?;
        }
        let given = answer.headers().get(headers::SESSION).cloned();
        let status = answer.status();
        if !status.is_success() {
            return self.refused(answer).await;
        }
        if is_stream(&answer) {
            let mut resume = Resume::default();
            self.stream(answer, &mut resume).await;
            self.go_on(resume).await?;
        } else {
            let body = read(answer).await?;
            self.message(&body);
        }
        if self.request.is("initialize") {
            // The agreed version was noted when the answer came.
            self.session.note_id(given);
        }
        if self.request.is("notifications/initialized") {
            self.listen();
        }
        if self.unanswered.is_empty() {
            return Ok(());
        }
        Err("the server ended its answer before it answered".to_owned())
    }

    /// Repeats the client's handshake, since the server no longer knows the session.
    async fn greet_anew(&self, id: Option<&axum::http::HeaderValue>) -> Result<(), String> {
        let Some(greeting) = self.session.forgotten(id) else {
            return Ok(());
        };
        tracing::warn!("the server has forgotten the session; a new one is begun");
        let answer = self.session.post(&greeting).await?;
        let given = answer.headers().get(headers::SESSION).cloned();
        if !answer.status().is_success() {
            return Err(
                "the server has forgotten the session, and does not begin a new one".to_owned(),
            );
        }
        // Its answer is not the client's: it has one.
        let body = read(answer).await?;
        let text = String::from_utf8_lossy(&body);
        let json = text.lines().filter_map(|line| {
            let data = line.strip_prefix("data:").unwrap_or(line);
            serde_json::from_str::<Value>(data).ok()
        });
        let mut json = json.filter(|message| !message["result"].is_null());
        let agreed = json.next().unwrap_or_default();
        let agreed = agreed["result"]["protocolVersion"].as_str();
        self.session.greeted(&greeting, agreed);
        self.session.note_id(given);
        let ready = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        if let Some(ready) = Request::read(ready) {
            let _ = self.session.post(&ready).await;
        }
        self.listen();
        Ok(())
    }

    /// Resumes a stream that ended before all requests were answered.
    async fn go_on(&mut self, mut resume: Resume) -> Result<(), String> {
        let mut tries = 0;
        while !self.unanswered.is_empty()
            && let Some(event) = resume.event.clone()
        {
            tries += 1;
            if tries > TRIES {
                return Err("the stream of the answer broke off, again and again".to_owned());
            }
            tokio::time::sleep(resume.retry.unwrap_or(RETRY)).await;
            let answer = match self.session.listen(Some(&event)).await {
                Ok(answer) if answer.status().is_success() && is_stream(&answer) => answer,
                Ok(answer) if answer.status().is_client_error() => {
                    let status = answer.status();
                    return Err(format!(
                        "the stream of the answer broke off, and the server does not go on with it ({status})"
                    ));
                }
                _ => continue,
            };
            if self.stream(answer, &mut resume).await {
                tries = 0;
            }
        }
        Ok(())
    }

    /// Writes the messages of a stream, until its end or all is answered. Whether any came.
    async fn stream(&mut self, mut answer: Response, resume: &mut Resume) -> bool {
        let (mut events, mut any) = (Events::default(), false);
        while let Ok(Some(bytes)) = answer.chunk().await {
            events.push(&bytes);
            while let Some(event) = events.next() {
                any = true;
                if let Some(id) = event.field("id") {
                    resume.event = Some(id);
                }
                if let Some(retry) = event.field("retry").and_then(|text| text.parse().ok()) {
                    resume.retry = Some(Duration::from_millis(retry).min(LONGEST_RETRY));
                }
                if let Some(data) = event.data() {
                    self.message(&data);
                }
            }
            if events.unfinished().len() > ANSWER_BYTES {
                return any;
            }
        }
        any
    }

    /// Writes a message of the server's.
    fn message(&mut self, body: &[u8]) {
        let body = body.trim_ascii();
        if body.is_empty() {
            return;
        }
        let views = match Frame::read(body) {
            Frame::Message(view) => vec![view],
            Frame::Batch(views) => views,
            Frame::Opaque => {
                tracing::warn!("the server sent something that is no message of JSON-RPC");
                return;
            }
        };
        let answers = views
            .iter()
            .filter(|view| view.is_answer() || view.method.is_none());
        for id in answers.filter_map(|view| RequestId::parse(&body[view.id.clone()?])) {
            let unquoted = id.unquoted();
            let is_it = |one: &RequestId| *one == id || Some(one) == unquoted.as_ref();
            if self.unanswered.iter().any(is_it) {
                self.learn(body);
            }
            self.unanswered.retain(|one| !is_it(one));
        }
        match self.without_faulty_tools(body) {
            Some(changed) => self.output.line(&changed),
            None => self.output.line(body),
        }
    }

    /// A list of tools without those whose schema requires impossible headers. The protocol requires an HTTP
    /// client to leave them out, and their calls would be refused. None: the list stays unchanged.
    fn without_faulty_tools(&self, answer: &[u8]) -> Option<Vec<u8>> {
        if !self.request.is("tools/list") || !self.session.stands_alone() {
            return None;
        }
        let within = |outer: &json::Span, inner: json::Span| {
            outer.start + inner.start..outer.start + inner.end
        };
        let [result] = json::members(answer, ["result"]);
        let result = result?;
        let [tools] = json::members(&answer[result.clone()], ["tools"]);
        let tools = within(&result, tools?);
        let all: Vec<&RawValue> = serde_json::from_slice(&answer[tools.clone()]).ok()?;
        let is_sound = |tool: &&&RawValue| {
            let tool: Value = serde_json::from_str(tool.get()).unwrap_or_default();
            let fault = mirror::fault(&tool["inputSchema"]);
            if let Some(why) = &fault {
                let name = tool["name"].as_str().unwrap_or_default();
                tracing::warn!(tool = name, "the tool is left out of the list: {why}");
            }
            fault.is_none()
        };
        let sound: Vec<&str> = all.iter().filter(is_sound).map(|tool| tool.get()).collect();
        if sound.len() == all.len() {
            return None;
        }
        let list = format!("[{}]", sound.join(","));
        Some(
            [
                &answer[..tools.start],
                list.as_bytes(),
                &answer[tools.end..],
            ]
            .concat(),
        )
    }

    /// Learns from the server's answer how later requests must look.
    fn learn(&self, answer: &[u8]) {
        if self.request.is("initialize") {
            let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
            let agreed = answer["result"]["protocolVersion"].as_str();
            self.session.greeted(&self.request, agreed);
        } else if self.request.is("tools/list") {
            let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
            self.session.marked.learn(&answer["result"]);
        }
    }

    /// The server refused: with an error in the protocol's form, which is the client's to read, or in another.
    async fn refused(&mut self, answer: Response) -> Result<(), String> {
        let status = answer.status();
        if status.is_redirection() {
            return Err(format!("{REDIRECTS} ({status})"));
        }
        let challenge = answer.headers().contains_key("www-authenticate");
        let body = read(answer).await.unwrap_or_default();
        let [error, id] = json::members(&body, ["error", "id"]);
        let own = self.request.only_id();
        if let (Some(error), Some(own)) = (error.filter(|span| body[span.start] == b'{'), own) {
            // A server that could not read the request does not know its id, and some make one up.
            let id = id.and_then(|span| RequestId::parse(&body[span]));
            let message = if id.is_some_and(|id| self.unanswered.contains(&id)) {
                body
            } else {
                let error = &body[error];
                [
                    br#"{"jsonrpc":"2.0","id":"#,
                    own,
                    br#","error":"#,
                    error,
                    b"}",
                ]
                .concat()
            };
            self.message(&message);
            return Ok(());
        }
        if status == StatusCode::UNAUTHORIZED || challenge {
            return Err(format!(
                "the server wants to know who you are ({status}): give it a token, for example --header 'Authorization: Bearer ${{TOKEN}}'"
            ));
        }
        let text = String::from_utf8_lossy(&body);
        let text: String = text.trim().chars().take(200).collect();
        let reason = if text.is_empty() {
            String::new()
        } else {
            format!(": {text}")
        };
        Err(format!("the server refused the message ({status}){reason}"))
    }

    /// Listens for messages that the server sends unasked, for as long as the server allows it.
    fn listen(&self) {
        if !self.session.takes_to_listen() {
            return;
        }
        let (session, output) = (Arc::clone(&self.session), Arc::clone(&self.output));
        tokio::spawn(async move {
            let Some(nothing) = Request::read(b"{}") else {
                return;
            };
            let mut listening = Exchange::new(&session, &output, nothing);
            let (mut resume, mut tries) = (Resume::default(), 0);
            while tries < TRIES {
                match session.listen(resume.event.as_deref()).await {
                    Ok(answer) if answer.status().is_success() && is_stream(&answer) => {
                        tries = if listening.stream(answer, &mut resume).await {
                            0
                        } else {
                            tries + 1
                        };
                    }
                    // It has nothing to say by itself, or no such session any more.
                    Ok(answer) if answer.status().is_client_error() => return,
                    _ => tries += 1,
                }
                tokio::time::sleep(resume.retry.unwrap_or(RETRY)).await;
            }
        });
    }
}

fn is_stream(answer: &Response) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start()
        .to_ascii_lowercase()
        .starts_with("text/event-stream")
}

async fn read(mut answer: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(bytes) = answer
        .chunk()
        .await
        .map_err(|_| "the server broke off its answer")?
    {
        body.extend_from_slice(&bytes);
        if body.len() > ANSWER_BYTES {
            return Err(format!(
                "the server's answer is larger than {} MiB",
                ANSWER_BYTES >> 20
            ));
        }
    }
    Ok(body)
}
