//! Finds where the messages of a transcript begin and end, while it is read.
//!
//! A transcript is a list of messages, or an object that has one under `messages`, or any number of these and
//! of bare messages after one another (JSON Lines). Holds one message at a time, however long the transcript
//! is. Refuses to know the content of a message.

use crate::document::Document;
use crate::json::tree::FRAME_DEPTH;
use anyhow::{Context, Result, ensure};
use memchr::{memchr_iter, memchr2};
use std::io::BufRead;

/// The largest message, in bytes: the highest possible `input` limit of a filter.
const LARGEST_MESSAGE: usize = 256 << 20;

/// A part of a transcript. All of them together are the transcript, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// The text between messages.
    Between,
    /// An element of a list of messages. Nobody has checked that it is JSON.
    Element,
    /// A value by itself. Nobody has checked that it is JSON.
    Alone,
}

/// The position of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Between whole values.
    Top,
    /// The reader is in a list of messages.
    List { next: Next, in_object: bool },
    /// The reader is in an object, after its list of messages.
    Rest,
}

/// The tokens that may come next in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    ElementOrEnd,
    Element,
    CommaOrEnd,
}

pub(super) struct Pieces<R> {
    input: R,
    place: Position,
    line: u64,
    /// Whether a list of messages was found.
    has_list: bool,
}

impl<R: BufRead> Pieces<R> {
    pub(super) fn new(input: R) -> Pieces<R> {
        Pieces {
            input,
            place: Position::Top,
            line: 1,
            has_list: false,
        }
    }

    /// The line that was reached, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether a list of messages was found so far.
    pub(super) fn has_list(&self) -> bool {
        self.has_list
    }

    /// Reads the next piece into `piece`. None: the transcript has ended.
    pub(super) fn next(&mut self, piece: &mut Vec<u8>) -> Result<Option<Piece>> {
        piece.clear();
        let byte = self.skip_space(piece)?;
        match (self.place, byte) {
            (Position::Top, None) if piece.is_empty() => Ok(None),
            (Position::Top, None) => Ok(Some(Piece::Between)),
            (Position::Top, Some(b'[')) => {
                self.take(piece)?;
                self.enter_list(false);
                Ok(Some(Piece::Between))
            }
            (Position::Top, Some(b'{')) if piece.is_empty() => self.object(piece),
            (Position::Top, Some(b'{')) => Ok(Some(Piece::Between)),
            (Position::List { next, in_object }, Some(byte)) => {
                self.in_list(next, in_object, byte, piece)
            }
            (Position::Rest, Some(b'}')) => {
                self.take(piece)?;
                self.place = Position::Top;
                Ok(Some(Piece::Between))
            }
            (Position::Rest, Some(b',')) => {
                self.take(piece)?;
                let key = self.key(piece)?;
                ensure!(
                    key != "messages",
                    "line {}: duplicate `messages`",
                    self.line
                );
                self.checked_value(piece)?;
                Ok(Some(Piece::Between))
            }
            (_, byte) => Err(self.unexpected(byte)),
        }
    }

    fn enter_list(&mut self, in_object: bool) {
        self.has_list = true;
        self.place = Position::List {
            next: Next::ElementOrEnd,
            in_object,
        };
    }

    fn in_list(
        &mut self,
        next: Next,
        in_object: bool,
        byte: u8,
        piece: &mut Vec<u8>,
    ) -> Result<Option<Piece>> {
        let list = |next| Position::List { next, in_object };
        match (byte, next) {
            (b']', Next::ElementOrEnd | Next::CommaOrEnd) => {
                self.take(piece)?;
                self.place = if in_object {
                    Position::Rest
                } else {
                    Position::Top
                };
            }
            (b',', Next::CommaOrEnd) => {
                self.take(piece)?;
                self.place = list(Next::Element);
            }
            (_, Next::CommaOrEnd) | (b']' | b',', _) => return Err(self.unexpected(Some(byte))),
            _ if piece.is_empty() => {
                self.value(piece)?;
                self.place = list(Next::CommaOrEnd);
                return Ok(Some(Piece::Element));
            }
            _ => {}
        }
        Ok(Some(Piece::Between))
    }

    /// An object at the top: up to its list of messages, or all of it where it has none.
    fn object(&mut self, piece: &mut Vec<u8>) -> Result<Option<Piece>> {
        let begun = self.line;
        self.take(piece)?;
        let mut is_first = true;
        loop {
            match self.skip_space(piece)? {
                Some(b'}') => {
                    self.take(piece)?;
                    return Ok(Some(Piece::Alone));
                }
                Some(b',') if !is_first => self.take(piece)?,
                Some(b'"') if is_first => {}
                byte => return Err(self.unexpected(byte)),
            }
            is_first = false;
            let key = self.key(piece)?;
            if key == "messages" && self.skip_space(piece)? == Some(b'[') {
                self.take(piece)?;
                // The text before the list must be JSON, too.
                check(&[piece, &b"]}"[..]].concat(), begun)?;
                self.enter_list(true);
                return Ok(Some(Piece::Between));
            }
            self.value(piece)?;
        }
    }

    /// A key, its colon, and the space behind that.
    fn key(&mut self, piece: &mut Vec<u8>) -> Result<String> {
        let byte = self.skip_space(piece)?;
        if byte != Some(b'"') {
            return Err(self.unexpected(byte));
        }
        let begin = piece.len();
        self.value(piece)?;
        let key = serde_json::from_slice(&piece[begin..])
            .with_context(|| format!("line {}: a key is not a JSON string", self.line))?;
        let byte = self.skip_space(piece)?;
        if byte != Some(b':') {
            return Err(self.unexpected(byte));
        }
        self.take(piece)?;
        self.skip_space(piece)?;
        Ok(key)
    }

    fn checked_value(&mut self, piece: &mut Vec<u8>) -> Result<()> {
        self.skip_space(piece)?;
        let (begin, line) = (piece.len(), self.line);
        self.value(piece)?;
        check(&piece[begin..], line)
    }

    /// Takes white space, and returns the byte behind it. None: the end.
    fn skip_space(&mut self, piece: &mut Vec<u8>) -> Result<Option<u8>> {
        loop {
            let bytes = self.input.fill_buf().context("read the transcript")?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            let count = bytes.iter().take_while(is_space).count();
            let behind = bytes.get(count).copied();
            self.take_many(count, piece)?;
            if behind.is_some() {
                return Ok(behind);
            }
        }
    }

    fn take(&mut self, piece: &mut Vec<u8>) -> Result<()> {
        self.take_many(1, piece)
    }

    /// Takes bytes that are there.
    fn take_many(&mut self, count: usize, piece: &mut Vec<u8>) -> Result<()> {
        let bytes = &self.input.fill_buf().context("read the transcript")?[..count];
        ensure!(
            piece.len() + count <= LARGEST_MESSAGE,
            "line {}: a message is larger than {LARGEST_MESSAGE} bytes, which no filter takes",
            self.line
        );
        self.line += memchr_iter(b'\n', bytes).count() as u64;
        piece.extend_from_slice(bytes);
        self.input.consume(count);
        Ok(())
    }

    /// Takes one value. Right for valid JSON; of anything else it takes something.
    fn value(&mut self, piece: &mut Vec<u8>) -> Result<()> {
        let begun = self.line;
        let mut scan = Scan::default();
        loop {
            let bytes = self.input.fill_buf().context("read the transcript")?;
            if bytes.is_empty() {
                ensure!(
                    scan.form == Form::Scalar,
                    "the transcript ends inside the value that begins at line {begun}"
                );
                return Ok(());
            }
            let (count, is_over) = scan.feed(bytes);
            if count == 0 {
                let byte = bytes[0];
                // A scalar ends before the byte that ends it.
                return match scan.form {
                    Form::Scalar if scan.begun => Ok(()),
                    _ => Err(self.unexpected(Some(byte))),
                };
            }
            self.take_many(count, piece)?;
            if is_over {
                return Ok(());
            }
        }
    }

    fn unexpected(&self, byte: Option<u8>) -> anyhow::Error {
        let line = self.line;
        match byte {
            Some(byte) => {
                let byte = byte.escape_ascii();
                anyhow::anyhow!(
                    "line {line}: `{byte}` cannot be here in a list of messages, or in JSON Lines"
                )
            }
            None => anyhow::anyhow!(
                "the transcript ends at line {line}, in the middle of a list or an object"
            ),
        }
    }
}

/// Makes sure that a value is JSON.
fn check(value: &[u8], line: u64) -> Result<()> {
    let text = std::str::from_utf8(value).with_context(|| format!("line {line}: not UTF-8"))?;
    Document::json_with_depth(text, FRAME_DEPTH)
        .map_err(|error| anyhow::anyhow!("line {line}: {error}"))?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    #[default]
    Scalar,
    /// A string, or a value with brackets.
    Closed,
}

/// Looks for a value's end, over as many buffers as it takes.
#[derive(Default)]
struct Scan {
    form: Form,
    begun: bool,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    /// How many of these bytes belong to the value, and whether it ends with them.
    fn feed(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut at = 0;
        if !self.begun {
            match bytes[0] {
                b'"' => (self.form, self.in_string) = (Form::Closed, true),
                b'{' | b'[' => (self.form, self.depth) = (Form::Closed, 1),
                byte if ends_scalar(byte) => return (0, false),
                _ => {}
            }
            self.begun = true;
            at = 1;
        }
        if self.form == Form::Scalar {
            let rest = &bytes[at..];
            let end = rest.iter().position(|byte| ends_scalar(*byte));
            return end.map_or((bytes.len(), false), |end| (at + end, at + end > 0));
        }
        while at < bytes.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
            } else if self.in_string {
                let Some(found) = memchr2(b'"', b'\\', &bytes[at..]) else {
                    return (bytes.len(), false);
                };
                at += found + 1;
                self.escaped = bytes[at - 1] == b'\\';
                self.in_string = self.escaped;
            } else {
                match bytes[at] {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth -= 1,
                    _ => {}
                }
                at += 1;
            }
            if self.depth == 0 && !self.in_string {
                return (at, true);
            }
        }
        (bytes.len(), false)
    }
}

fn ends_scalar(byte: u8) -> bool {
    b",:]}[{\" \t\r\n".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// The messages of a transcript, read in buffers of this size.
    fn messages(transcript: &str, buffer: usize) -> Result<Vec<String>> {
        let mut pieces = Pieces::new(BufReader::with_capacity(buffer, transcript.as_bytes()));
        let (mut piece, mut all, mut found) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(kind) = pieces.next(&mut piece)? {
            all.extend_from_slice(&piece);
            if kind != Piece::Between {
                found.push(String::from_utf8(piece.clone()).expect("UTF-8"));
            }
        }
        assert_eq!(String::from_utf8_lossy(&all), transcript);
        Ok(found)
    }

    #[test]
    fn messages_are_found_wherever_a_buffer_ends() {
        let first = r#"{"role":"user","content":"a \" ] } \\ b"}"#;
        let second = r#"{"messages_":[1,[2,{"x":"]"}]],"messages":{"a":[]}}"#;
        for transcript in [
            format!("[{first},{second}]"),
            format!(" [ {first} ,\n{second} ] \n"),
            format!(r#"{{"model":"m","a":[{{}}],"messages":[{first},{second}],"max":1}}"#),
            format!("{{ \"messages\" : [ {first} , {second} ] , \"max\" : [1] }}\n"),
            format!("{first}\n{second}\n"),
            format!("{first}\r\n\r\n{second}"),
            format!("{{ \"max\" :\t1 , \"messages\":[{first}, {second}], \"n\": {{ }} }} "),
            format!("[{first}]\n{{\"messages\":[{second}]}}\n"),
        ] {
            for buffer in [1, 2, 3, 7, 4096] {
                let found = messages(&transcript, buffer).expect("a transcript");
                assert_eq!(found, [first, second], "{transcript} by {buffer}");
            }
        }
        assert_eq!(
            messages("[1, \"a\",null]", 2).expect("a list"),
            ["1", "\"a\"", "null"]
        );
        let spaced = r#"{"role" : "user" , "content": [ 1 , {} ] , "n": 1 }"#;
        assert_eq!(messages(spaced, 1).expect("a message"), [spaced]);
        assert!(messages("[]", 1).expect("a list").is_empty());
    }

    #[test]
    fn what_is_no_transcript_is_an_error() {
        for broken in [
            "3",
            "[1 2]",
            "[,]",
            "[1,]",
            "[",
            "[1",
            "[\"a",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{,}",
            "{1:2}",
            "{\"a\":x,\"messages\":[]}",
            "{\"messages\":[]",
            "{\"messages\":[],\"a\":x}",
            "{\"messages\":[] 1}",
            "{\"messages\":[],\"messages\":[]}",
            "[]]",
            "[]}",
            "[}]",
            "[1]x",
        ] {
            for buffer in [1, 4096] {
                assert!(messages(broken, buffer).is_err(), "{broken} by {buffer}");
            }
        }
    }
}
