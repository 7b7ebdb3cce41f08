//! A session with one server command: a real MCP client over standard input and output, and a recording of the server's
//! bytes.
//!
//! Owns the child process. Refuses to compare anything. The recording exists because a typed client decodes the bytes,
//! and so cannot show that they are equal.

use std::{
    ffi::OsStr,
    path::PathBuf,
    pin::Pin,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use anyhow::{Context as _, Result};
use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, CallToolResult, JsonObject, Tool},
    service::RunningService,
};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, ReadBuf},
    process::{Child, Command},
    task::JoinHandle,
};

/// No answer of the demo's servers takes a second, so a longer wait is an error.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a server to end after its input is closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// The beginning of Tamis's notes.
pub const NOTE: &str = "[tamis] ";

/// The server's answer at the start of the session.
pub struct Handshake {
    /// The frame that answered `initialize`.
    pub frame: Vec<u8>,
    pub instructions: String,
}

/// A server's answer to a call.
pub struct Answer {
    /// The frame as it arrived, without its line break.
    pub frame: Vec<u8>,
    pub result: CallToolResult,
}

impl Answer {
    fn blocks(&self) -> impl Iterator<Item = &str> {
        let blocks = self.result.content.iter();
        blocks
            .filter_map(|block| block.as_text())
            .map(|block| block.text.as_str())
    }

    /// The text of the result's blocks, one after the other, without Tamis's note.
    pub fn text(&self) -> String {
        self.blocks()
            .filter(|block| !block.starts_with(NOTE))
            .collect()
    }

    /// Tamis's note on a cut.
    pub fn note(&self) -> Option<&str> {
        self.blocks().find(|block| block.starts_with(NOTE))
    }

    /// The part of the result that a model sees: the structured content if present, else the text. Most clients do so.
    pub fn shown(&self) -> String {
        match (&self.result.structured_content, self.note()) {
            (Some(structured), _) => structured.to_string(),
            (None, Some(note)) if self.result.content.len() == 1 => note.to_owned(),
            (None, Some(note)) => format!("{}\n{note}", self.text()),
            (None, None) => self.text(),
        }
    }
}

/// A running server and its client.
pub struct Session {
    client: RunningService<RoleClient, ()>,
    child: Child,
    recording: Recording,
    handshake: Handshake,
    /// Reads the child's standard error to its end.
    errors: JoinHandle<String>,
    /// The command, for messages.
    command: String,
}

impl Session {
    /// Starts `command` (a program and its arguments) and begins a session with it.
    pub async fn start(command: &[&OsStr]) -> Result<Session> {
        let words = command.iter().map(|word| word.to_string_lossy());
        let line = words.collect::<Vec<_>>().join(" ");
        let mut child = Command::new(command.first().context("start a server: no command")?)
            .args(&command[1..])
            // The demo must not use the user's own store.
            .env("TAMIS_STATE_DIR", state_directory()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("start `{line}`"))?;
        let input = child
            .stdin
            .take()
            .context("take the child's standard input")?;
        let output = child
            .stdout
            .take()
            .context("take the child's standard output")?;
        let mut error_output = child
            .stderr
            .take()
            .context("take the child's standard error")?;
        let errors = tokio::spawn(async move {
            let mut bytes = Vec::new();
            // The bytes before an error are still useful.
            let _ = error_output.read_to_end(&mut bytes).await;
            String::from_utf8_lossy(&bytes).into_owned()
        });

        let recording = Recording::default();
        let transport = (
            Recorded {
                inner: output,
                recording: recording.clone(),
            },
            input,
        );
        let client = match within(().serve(transport)).await {
            Ok(client) => client,
            Err(error) => {
                drop(child);
                let said = to_the_end(errors).await;
                return Err(error.context(format!("begin a session with `{line}`{said}")));
            }
        };
        let instructions = client
            .peer_info()
            .and_then(|info| info.instructions.clone());
        let handshake = Handshake {
            frame: recording.take_answer(),
            instructions: instructions.unwrap_or_default(),
        };
        Ok(Session {
            client,
            child,
            recording,
            handshake,
            errors,
            command: line,
        })
    }

    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    pub async fn list_tools(&mut self) -> Result<Vec<Tool>> {
        let tools = within(self.client.list_all_tools()).await;
        let tools = tools.with_context(|| format!("list the tools of `{}`", self.command))?;
        self.recording.take_answer();
        Ok(tools)
    }

    pub async fn call(&mut self, tool: &'static str, arguments: &Value) -> Result<Answer> {
        let mut request = CallToolRequestParams::new(tool);
        request.arguments = match arguments {
            Value::Object(members) => Some(members.clone()),
            _ => Some(JsonObject::new()),
        };
        let result = within(self.client.call_tool(request)).await;
        let result = result.with_context(|| format!("call {tool} of `{}`", self.command))?;
        Ok(Answer {
            frame: self.recording.take_answer(),
            result,
        })
    }

    /// Kills the server (SIGKILL) and starts it again, with a new session.
    pub async fn kill_and_restart(&mut self, command: &[&OsStr]) -> Result<()> {
        self.child
            .kill()
            .await
            .with_context(|| format!("kill `{}`", self.command))?;
        *self = Session::start(command).await?;
        Ok(())
    }

    /// Ends the session and waits for the process. Returns its standard error, formatted by [`to_the_end`].
    pub async fn close(mut self) -> String {
        // A closed client has nothing to cancel.
        let _ = self.client.cancel().await;
        if tokio::time::timeout(EXIT_TIMEOUT, self.child.wait())
            .await
            .is_err()
        {
            let _ = self.child.kill().await;
        }
        to_the_end(self.errors).await
    }
}

/// A directory beside this program.
fn state_directory() -> Result<PathBuf> {
    let own = std::env::current_exe().context("find this program's own path")?;
    Ok(own.with_file_name("demo-state"))
}

/// A server's standard error, as the end of a message: on lines of its own, or empty.
async fn to_the_end(errors: JoinHandle<String>) -> String {
    // A grandchild that outlives the server may hold the pipe open, so the wait has a limit.
    match tokio::time::timeout(EXIT_TIMEOUT, errors).await {
        Ok(Ok(said)) if !said.trim().is_empty() => {
            format!(", which wrote to standard error:\n{}", said.trim_end())
        }
        _ => String::new(),
    }
}

/// Waits for an answer, up to a time limit.
async fn within<T, E>(answer: impl Future<Output = Result<T, E>>) -> Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let answer = tokio::time::timeout(ANSWER_TIMEOUT, answer).await;
    Ok(answer.with_context(|| format!("no answer within {} s", ANSWER_TIMEOUT.as_secs()))??)
}

/// Bytes that a server sent since the last call of `take_answer`.
#[derive(Clone, Default)]
struct Recording(Arc<Mutex<Vec<u8>>>);

impl Recording {
    fn add(&self, bytes: &[u8]) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
    }

    /// The last answer among the recorded frames; the others (notifications) are dropped.
    fn take_answer(&self) -> Vec<u8> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut answers = bytes.split(|byte| *byte == b'\n').filter(|line| {
            let frame = serde_json::from_slice::<Value>(line);
            frame.is_ok_and(|frame| frame.get("id").is_some() && frame.get("method").is_none())
        });
        answers.next_back().unwrap_or_default().to_vec()
    }
}

/// A reader that records the bytes that pass.
struct Recorded<R> {
    inner: R,
    recording: Recording,
}

impl<R: AsyncRead + Unpin> AsyncRead for Recorded<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        let filled = buffer.filled().len();
        let poll = Pin::new(&mut this.inner).poll_read(context, buffer);
        this.recording.add(&buffer.filled()[filled..]);
        poll
    }
}
