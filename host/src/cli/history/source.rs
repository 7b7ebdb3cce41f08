//! A transcript that is read twice: first to check and count, then to write it again.
//!
//! A file is read in its place. A pipe, which can be read only once, is held in memory while it is small, else
//! in a file without a name.

use crate::system::files;
use anyhow::{Context, Result};
use std::env;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The most bytes of a pipe that are held in memory.
const IN_MEMORY_BYTES: u64 = 8 << 20;
const BUFFER_BYTES: usize = 256 << 10;

pub(super) enum Source {
    Memory(Vec<u8>),
    File { file: File, begin: u64, len: u64 },
}

impl Source {
    /// A file, or standard input for `-` and nothing.
    pub(super) fn open(path: Option<&Path>) -> Result<Source> {
        match path.filter(|path| *path != Path::new("-")) {
            Some(path) => {
                let name = path.display();
                let file = File::open(path).with_context(|| format!("read {name}"))?;
                Source::of(file).with_context(|| format!("read {name}"))
            }
            None => files::standard_input()
                .map_err(anyhow::Error::from)
                .and_then(Source::of)
                .context("read standard input"),
        }
    }

    fn of(mut file: File) -> Result<Source> {
        // Windows has no facts about a pipe.
        if !file.metadata().is_ok_and(|facts| facts.is_file()) {
            return Source::keep(file);
        }
        let begin = file.stream_position()?;
        // Bytes that are added from now on do not count: both readings must find the same.
        let len = file.metadata()?.len().saturating_sub(begin);
        Ok(Source::File { file, begin, len })
    }

    fn keep(mut input: File) -> Result<Source> {
        let mut begin = Vec::new();
        (&input).take(IN_MEMORY_BYTES).read_to_end(&mut begin)?;
        if (begin.len() as u64) < IN_MEMORY_BYTES {
            return Ok(Source::Memory(begin));
        }
        let mut file = without_name().context("make a temporary file")?;
        let written = file
            .write_all(&begin)
            .and_then(|()| io::copy(&mut input, &mut file));
        let rest = written.context("keep it in a temporary file (TMPDIR says where)")?;
        Ok(Source::File {
            file,
            begin: 0,
            len: begin.len() as u64 + rest,
        })
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Source::Memory(bytes) => bytes.len() as u64,
            Source::File { len, .. } => *len,
        }
    }

    /// Reads it from its beginning.
    pub(super) fn reader(&mut self) -> Result<Box<dyn BufRead + '_>> {
        Ok(match self {
            Source::Memory(bytes) => Box::new(Cursor::new(&bytes[..])),
            Source::File { file, begin, len } => {
                file.seek(SeekFrom::Start(*begin))
                    .context("read the transcript")?;
                let file = (&*file).take(*len);
                Box::new(BufReader::with_capacity(BUFFER_BYTES, file))
            }
        })
    }
}

/// A file that is deleted when the process ends.
fn without_name() -> io::Result<File> {
    let directory = env::temp_dir();
    loop {
        // The standard library's hasher keys are its only source of random bits.
        let number = RandomState::new().build_hasher().finish();
        let path = directory.join(format!("tamis-{number:016x}"));
        match files::temporary(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made,
        }
    }
}
