//! A client that speaks raw frames, and a server that answers with files.
//!
//! The client works on bytes, without an SDK. Owns the spelling of requests (the server relies on it), and reading an
//! original page by page. Knows nothing of filters.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{COMPILED, Finished, Folder, Program, Running, tamis_run};

/// Most pages of an original.
const PAGES: usize = 10_000;

/// Answers each request with a file: `METHOD/NAME` with the requested name, else `METHOD.any`.
const SERVER: &str = r#"
while IFS= read -r line; do
    case $line in *'"id":'*'"method":'*) ;; *) continue ;; esac
    id=${line#*'"id":'} id=${id%%,*}
    method=${line#*'"method":"'} method=${method%%'"'*}
    name=${line#*'"name":"'} name=${name%%'"'*}
    file=$0/$method/$name
    [ -f "$file" ] || file=$0/$method.any
    if [ -f "$file" ]; then
        printf '{"jsonrpc":"2.0","id":%s,"result":' "$id"
        cat "$file"
        printf '}\n'
    else
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no %s %s"}}\n' "$id" "$method" "$name"
    fi
done
"#;

/// The frame that carries a result of the server.
pub fn frame(id: u64, result: &[u8]) -> Vec<u8> {
    let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
    [head.as_bytes(), result, b"}\n"].concat()
}

/// A folder with a server's answers, a policy, and the state of the proxies before it.
pub struct Stage {
    folder: Folder,
}

impl Stage {
    pub fn new(policy: &str) -> Stage {
        let stage = Stage {
            folder: Folder::new(),
        };
        stage.policy(policy);
        stage
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    pub fn policy(&self, policy: &str) {
        self.folder.write("filters.toml", policy);
    }

    /// Sets the server's answer to a method with any name.
    pub fn answers(&self, method: &str, result: impl AsRef<[u8]>) {
        self.folder.write(&format!("answers/{method}.any"), result);
    }

    /// Sets the server's answer to a method with this name.
    pub fn answers_for(&self, method: &str, name: &str, result: impl AsRef<[u8]>) {
        self.folder
            .write(&format!("answers/{method}/{name}"), result);
    }

    /// Sets a tool's result.
    pub fn tool(&self, name: &str, result: impl AsRef<[u8]>) {
        self.answers_for("tools/call", name, result);
    }

    /// The command line of the proxy, with more options.
    pub fn proxy(&self, options: &[&str]) -> Program {
        let mut line = self.line();
        line.splice(2..2, options.iter().map(Into::into));
        self.in_state(Program::new(&line, self.path()))
    }

    /// The proxy, started through another command.
    pub fn within(&self, command: &[&str]) -> Program {
        let mut line = self.line();
        line.splice(0..0, command.iter().map(Into::into));
        self.in_state(Program::new(&line, self.path()))
    }

    fn line(&self) -> Vec<OsString> {
        tamis_run(&self.path().join("filters.toml"), &self.server())
    }

    /// The command of the server.
    pub fn server(&self) -> Vec<OsString> {
        let answers = self.path().join("answers");
        vec!["sh".into(), "-c".into(), SERVER.into(), answers.into()]
    }

    /// A program with its state in this folder.
    pub fn in_state(&self, program: Program) -> Program {
        program
            .env("TAMIS_STATE_DIR", self.state())
            .env("TAMIS_CACHE_DIR", COMPILED)
            .limit(Duration::from_secs(120))
    }

    pub fn start(&self) -> Client {
        Client::of(self.proxy(&[]))
    }
}

/// The client of a program that speaks MCP over standard input and output.
pub struct Client {
    running: Running,
    asked: u64,
    /// Answers that came during the wait for another.
    early: HashMap<u64, Vec<u8>>,
    /// Messages other than answers, in order.
    notices: Vec<Vec<u8>>,
}

impl Client {
    pub fn of(program: Program) -> Client {
        Client {
            running: program.start(),
            asked: 0,
            early: HashMap::new(),
            notices: Vec::new(),
        }
    }

    /// Sends a request, without waiting for its answer.
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.running.send(format!("{request}\n"));
        id
    }

    pub fn notify(&mut self, method: &str) {
        let notice = json!({"jsonrpc": "2.0", "method": method});
        self.running.send(format!("{notice}\n"));
    }

    /// The line that answers a request, with its line break.
    pub fn line(&mut self, id: u64) -> Vec<u8> {
        loop {
            if let Some(line) = self.early.remove(&id) {
                return line;
            }
            let line = self.running.receive_line();
            if !line.ends_with(b"\n") {
                self.fail(&format!("it ended before it answered request {id}"));
            }
            match id_of(&line) {
                Some(of) => self.early.insert(of, line).map_or((), drop),
                None => self.notices.push(line),
            }
        }
    }

    /// The messages other than answers since the last call. It includes everything that the proxy wrote earlier: a
    /// `ping` is answered after it.
    pub fn notices(&mut self) -> Vec<Value> {
        self.ask("ping", &json!({}));
        let notices = std::mem::take(&mut self.notices);
        let parse = |line: Vec<u8>| serde_json::from_slice(&line);
        let notices: Result<_, _> = notices.into_iter().map(parse).collect();
        notices.unwrap_or_else(|error| self.fail(&format!("{error} in a notice")))
    }

    /// The program, for actions outside MCP.
    pub fn program(&mut self) -> &mut Running {
        &mut self.running
    }

    pub fn answer(&mut self, id: u64) -> Value {
        let line = self.line(id);
        match serde_json::from_slice(&line) {
            Ok(answer) => answer,
            Err(error) => self.fail(&format!("{error}: {}", String::from_utf8_lossy(&line))),
        }
    }

    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// A tool's result.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask("tools/call", &params)["result"].take()
    }

    /// The handshake of a client that gives this name.
    pub fn greet(&mut self, name: &str) -> Value {
        let client = json!({"name": name, "version": "1.0"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let greeting = self.ask("initialize", &params);
        self.notify("notifications/initialized");
        greeting
    }

    /// The whole original, page by page, or the error of the read tool.
    pub fn read_back(&mut self, tool: &str, reference: &str) -> Result<String, String> {
        let mut arguments = json!({"ref": reference, "part": "result"});
        let mut whole = String::new();
        for _ in 0..PAGES {
            let result = self.call(tool, &arguments);
            let said = result["content"][0]["text"].as_str().unwrap_or_default();
            if result["isError"] != false {
                return Err(format!("{arguments}: {result}"));
            }
            let (header, page) = said.split_once('\n').ok_or("a page without a header")?;
            whole += page;
            let Some((_, next)) = header.split_once("next: ref `") else {
                return Ok(whole);
            };
            arguments["ref"] = next.trim_end_matches('`').into();
        }
        Err(format!("{reference}: its pages do not end"))
    }

    /// Sends SIGKILL to the proxy and its group. Returns its output until then.
    pub fn kill(self) -> Finished {
        self.running.kill()
    }

    /// Closes its input and waits for its end.
    pub fn finish(self) -> Finished {
        self.running.finish()
    }

    pub fn fail(&mut self, what: &str) -> ! {
        self.running.fail(what)
    }
}

/// The id of an answer as servers and Tamis spell it. The answer may be invalid JSON.
pub fn id_of(line: &[u8]) -> Option<u64> {
    let line = String::from_utf8_lossy(&line[..line.len().min(80)]);
    let (_, rest) = line.split_once(r#""id":"#)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[..digits].parse().ok()
}

/// The reference in each call of the read tool that a text names, as in `tamis_read {"ref":"…"}`, at any depth of
/// strings inside strings.
pub fn references(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("ref").filter_map(|(at, name)| {
        let rest = text[at + name.len()..].trim_start_matches('\\');
        let rest = rest
            .strip_prefix("\":")?
            .trim_start()
            .trim_start_matches('\\');
        let rest = rest.strip_prefix('"')?;
        let reference = rest.get(..16)?;
        is_reference(reference).then_some(reference)
    })
}

/// Whether a word looks like a reference.
pub fn is_reference(word: &str) -> bool {
    word.len() == 16
        && word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte))
}
