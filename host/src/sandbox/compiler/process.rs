//! Compiles in another process of this program. That process has only the plugin: no environment, no files, and
//! limits on memory and time.

use super::serve::{CompileJob, Outcome};
use super::{CodeOptions, Made};
use crate::policy::CompileLimits;
use crate::sandbox::error::LoadError;
use crate::system::processes;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

/// Most threads of the process: each holds a function of its own in memory.
const MOST_THREADS: usize = 8;
/// How much of the process's error output is read.
const SAID_BYTES: u64 = 16 * 1024;

/// The output and status of a process that ended.
struct End {
    output: Vec<u8>,
    errors: String,
    status: ExitStatus,
}

/// Makes another process compile a plugin.
pub(super) fn make(
    program: &Path,
    wasm: &[u8],
    options: CodeOptions,
    limits: &CompileLimits,
) -> Result<Made, LoadError> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let job = CompileJob {
        memory_bytes: limits.memory_for(wasm.len()),
        time: limits.time_for(wasm.len()),
        options,
        threads: processors.min(MOST_THREADS),
    };
    match run(program, wasm, &job) {
        // Fewer functions at a time take less memory: the result must not depend on the number of processors.
        Err(LoadError::CompileMemory { .. }) if job.threads > 1 => {
            run(program, wasm, &CompileJob { threads: 1, ..job })
        }
        made => made,
    }
}

fn run(program: &Path, wasm: &[u8], job: &CompileJob) -> Result<Made, LoadError> {
    let failed = |doing: &str, error: &dyn std::fmt::Display| LoadError::Compiler {
        why: format!("{doing}: {error}"),
    };
    let end = match converse(program, wasm, job) {
        Ok(Some(end)) => end,
        Ok(None) => return Err(LoadError::CompileTime { limit: job.time }),
        Err(error) => return Err(failed("start it", &error)),
    };
    if end.output.len() as u64 > job.memory_bytes {
        let limit_bytes = job.memory_bytes;
        return Err(LoadError::CompileMemory { limit_bytes });
    }
    if !end.status.success() {
        return Err(death(&end, job));
    }
    match Outcome::read(end.output) {
        Some(Outcome::Made(bytes)) => match Made::of_process(bytes) {
            Some(made) => Ok(made),
            None => Err(failed("read what it made", &"it is cut short")),
        },
        Some(Outcome::DoesNotCompile(why)) => Err(LoadError::Compile(anyhow::Error::msg(why))),
        Some(Outcome::CannotBeAdapted(why)) => Err(LoadError::Adapt(anyhow::Error::msg(why))),
        None => Err(failed("read its answer", &"it gave none")),
    }
}

/// Why a process ended without an answer.
fn death(end: &End, job: &CompileJob) -> LoadError {
    // Messages of Rust and the system if no memory is left.
    let of_system = processes::OUT_OF_MEMORY.iter().copied();
    let mut lacks_memory = of_system.chain(["memory allocation of "]);
    if processes::used_up_its_time(end.status) {
        return LoadError::CompileTime { limit: job.time };
    }
    // Who kills a process is the system where it has no memory left.
    if processes::was_killed(end.status) || lacks_memory.any(|phrase| end.errors.contains(phrase)) {
        let limit_bytes = job.memory_bytes;
        return LoadError::CompileMemory { limit_bytes };
    }
    let line = end.errors.lines().find(|line| !line.trim().is_empty());
    let message: String = line.unwrap_or("no word").escape_debug().take(300).collect();
    LoadError::Compiler {
        why: format!("it ended with {}: {message}", end.status),
    }
}

/// Gives a process a plugin and takes its answer; none: it exceeded its time.
fn converse(program: &Path, wasm: &[u8], job: &CompileJob) -> std::io::Result<Option<End>> {
    let deadline = Instant::now() + job.time;
    // Variables for servers and clients are not for strangers' plugins.
    let mut child = processes::without_environment(&mut Command::new(program))
        .args(job.arguments())
        .env("RAYON_NUM_THREADS", job.threads.to_string())
        // Its own bound counts what an allocator may write to, used or not: `bound_this_process`.
        .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut input), Some(output), Some(errors)) = pipes else {
        return end_of(child, None);
    };
    let most = job.memory_bytes.saturating_add(1);
    thread::scope(|scope| {
        let reading = thread::Builder::new();
        let output = reading_of(reading, scope, output, most)?;
        let errors = reading_of(thread::Builder::new(), scope, errors, SAID_BYTES)?;
        let writing = thread::Builder::new().spawn_scoped(scope, move || {
            // One that ended before it has read all of it says why elsewhere.
            let _ = input.write_all(wasm);
        });
        let left = || deadline.saturating_duration_since(Instant::now());
        let heard = match &writing {
            Err(_) => None,
            Ok(_) => output
                .recv_timeout(left())
                .ok()
                .and_then(|output| Some((output, errors.recv_timeout(left()).ok()?))),
        };
        // Its end closes the pipes, so that no thread is left.
        let end = end_of(child, heard);
        writing?;
        end
    })
}

/// Waits for a process that has closed its outputs, and makes an end of any other.
fn end_of(mut child: Child, heard: Option<(Vec<u8>, Vec<u8>)>) -> std::io::Result<Option<End>> {
    let Some((output, errors)) = heard else {
        // One that has ended just now is no failure.
        let _ = child.kill();
        child.wait()?;
        return Ok(None);
    };
    Ok(Some(End {
        output,
        errors: String::from_utf8_lossy(&errors).into_owned(),
        status: child.wait()?,
    }))
}

fn reading_of<'scope>(
    builder: thread::Builder,
    scope: &'scope thread::Scope<'scope, '_>,
    pipe: impl Read + Send + 'scope,
    most: u64,
) -> std::io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    builder.spawn_scoped(scope, move || {
        let mut bytes = Vec::new();
        // After an error the bytes are too few, and the caller finds that.
        let _ = pipe.take(most).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    })?;
    Ok(receiver)
}
