//! Readers of messages like real ones: some strict, some lax, each in its own way.
//!
//! Owns each reader's interpretation of bytes. Knows nothing of Tamis, and shares no code with it: tests compare the
//! proxy's interpretation with this one. Needs only the standard library.

/// A value with its members in order, duplicates included.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// As it is spelled.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The deviations that a reader accepts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reader {
    pub name: &'static str,
    /// Names match in any case, as in Go, cJSON and .NET.
    pub folds: bool,
    /// The first of two equal members counts.
    pub first_wins: bool,
    /// A byte order mark is skipped, and UTF-16 and UTF-32 are detected, as in Python's `json.loads`.
    pub guesses_encoding: bool,
    /// An extra comma, and a value after another.
    pub forgives_commas: bool,
    /// Control characters in strings.
    pub forgives_controls: bool,
    /// Batches in batches.
    pub flattens: bool,
}

/// The division of a stream into lines.
#[derive(Debug, Clone, Copy)]
pub enum Lines {
    /// At `\n` alone.
    Feeds,
    /// At `\r`, `\n` and `\r\n` (Python, Java).
    Universal,
    /// At each separator of Python's `str.splitlines`.
    Unicode,
}

const STRICT: Reader = Reader {
    name: "strict",
    folds: false,
    first_wins: false,
    guesses_encoding: false,
    forgives_commas: false,
    forgives_controls: false,
    flattens: false,
};

pub const READERS: [Reader; 8] = [
    STRICT,
    Reader {
        name: "first wins",
        first_wins: true,
        ..STRICT
    },
    Reader {
        name: "folds",
        folds: true,
        ..STRICT
    },
    Reader {
        name: "folds, first wins",
        folds: true,
        first_wins: true,
        ..STRICT
    },
    Reader {
        name: "guesses the encoding",
        guesses_encoding: true,
        ..STRICT
    },
    Reader {
        name: "forgives commas",
        forgives_commas: true,
        ..STRICT
    },
    Reader {
        name: "laxest",
        folds: true,
        guesses_encoding: true,
        forgives_commas: true,
        forgives_controls: true,
        flattens: true,
        ..STRICT
    },
    Reader {
        name: "laxest, first wins",
        folds: true,
        first_wins: true,
        guesses_encoding: true,
        forgives_commas: true,
        forgives_controls: true,
        flattens: true,
    },
];

/// An answer, as a reader sees it.
#[derive(Debug, Clone)]
pub struct Answer {
    pub id: Option<Json>,
    pub result: Json,
}

impl Answer {
    /// Whether it answers the request with this id, by the most lax comparison: that of JavaScript's `Number`.
    pub fn is_for(&self, id: u64) -> bool {
        let number = |text: &str| match text.trim().strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok().map(|it| it as f64),
            None => text.trim().parse::<f64>().ok(),
        };
        let said = match &self.id {
            Some(Json::Number(spelled)) => number(spelled),
            Some(Json::Text(text)) => number(text),
            Some(Json::List(items)) => match &items[..] {
                [Json::Number(spelled)] => number(spelled),
                _ => None,
            },
            _ => None,
        };
        said == Some(id as f64)
    }

    /// Whether a text of the result contains a word.
    pub fn holds(&self, word: &str) -> bool {
        holds(&self.result, word)
    }
}

fn holds(value: &Json, word: &str) -> bool {
    match value {
        Json::Text(text) => text.contains(word),
        Json::List(items) => items.iter().any(|item| holds(item, word)),
        Json::Object(members) => members
            .iter()
            .any(|(key, value)| key.contains(word) || holds(value, word)),
        _ => false,
    }
}

/// All answers that some reader finds in a stream of lines.
pub fn in_lines(stream: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    for lines in [Lines::Feeds, Lines::Universal, Lines::Unicode] {
        for line in lines.split(stream) {
            answers.extend(in_body(line));
        }
    }
    // With two or more bytes a character, a line feed is no single byte.
    answers.extend(in_body(stream));
    answers
}

/// All answers that some reader finds in a body.
pub fn in_body(text: &[u8]) -> Vec<Answer> {
    READERS
        .iter()
        .flat_map(|reader| reader.answers(text))
        .collect()
}

/// Whether some reader finds a call of a tool in a body.
pub fn calls_in_body(text: &[u8], tool: &str) -> bool {
    READERS.iter().any(|reader| reader.calls(text, tool))
}

/// Whether some reader finds a call of a tool in a stream of lines.
pub fn calls_in_lines(stream: &[u8], tool: &str) -> bool {
    let all = [Lines::Feeds, Lines::Universal, Lines::Unicode];
    let mut lines = all.iter().flat_map(|lines| lines.split(stream));
    lines.any(|line| calls_in_body(line, tool)) || calls_in_body(stream, tool)
}

/// All answers that some reader finds in a stream of events.
pub fn in_events(stream: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    for lines in [Lines::Universal, Lines::Unicode] {
        let mut data: Vec<&[u8]> = Vec::new();
        let lines = lines.split(stream);
        for line in lines.iter().copied().chain([&b""[..]]) {
            if let Some(value) = line.strip_prefix(b"data:") {
                data.push(value.strip_prefix(b" ").unwrap_or(value));
            } else if line.is_empty() {
                answers.extend(in_body(&data.join(&b'\n')));
                data.clear();
            }
        }
    }
    answers
}

impl Lines {
    fn split(self, stream: &[u8]) -> Vec<&[u8]> {
        let (mut lines, mut start, mut at) = (Vec::new(), 0, 0);
        while at < stream.len() {
            let length = match (self, &stream[at..]) {
                (Lines::Feeds, [b'\n', ..]) => 1,
                (Lines::Feeds, _) => 0,
                (_, [b'\r', b'\n', ..]) => 2,
                (_, [b'\r' | b'\n', ..]) => 1,
                (Lines::Unicode, [0x0b | 0x0c | 0x1c..=0x1e, ..]) => 1,
                (Lines::Unicode, [0xc2, 0x85, ..]) => 2,
                (Lines::Unicode, [0xe2, 0x80, 0xa8 | 0xa9, ..]) => 3,
                _ => 0,
            };
            if length > 0 {
                lines.push(&stream[start..at]);
                start = at + length;
            }
            at += length.max(1);
        }
        lines.push(&stream[start..]);
        lines
    }
}

impl Reader {
    /// The answers in a text.
    pub fn answers(&self, text: &[u8]) -> Vec<Answer> {
        let mut answers = Vec::new();
        for value in self.values(text) {
            self.collect(value, 0, &mut answers);
        }
        answers
    }

    /// Whether a text asks for a tool.
    pub fn calls(&self, text: &[u8], tool: &str) -> bool {
        let values = self.values(text);
        values.iter().any(|value| self.is_call(value, tool, 0))
    }

    fn is_call(&self, value: &Json, tool: &str, depth: usize) -> bool {
        match value {
            Json::Object(members) => {
                let has = |members: &[(String, Json)], name, wanted: &str| {
                    self.member(members, name) == Some(Json::Text(wanted.to_owned()))
                };
                has(members, "method", "tools/call")
                    && matches!(self.member(members, "params"), Some(Json::Object(params)) if has(&params, "name", tool))
            }
            Json::List(items) if depth == 0 || self.flattens && depth < 20 => {
                items.iter().any(|item| self.is_call(item, tool, depth + 1))
            }
            _ => false,
        }
    }

    /// The values in a text: one, or several if the reader accepts that.
    fn values(&self, text: &[u8]) -> Vec<Json> {
        let decoded = self.decoded(text);
        let mut parser = Parser {
            reader: *self,
            bytes: &decoded,
            at: 0,
        };
        let mut values = Vec::new();
        while let Some(value) = parser.value() {
            parser.space();
            let is_over = parser.at == decoded.len();
            if !is_over && !self.forgives_commas {
                return Vec::new();
            }
            values.push(value);
            if is_over {
                break;
            }
            if parser.peek() == Some(b',') {
                parser.at += 1;
            }
        }
        values
    }

    fn collect(&self, value: Json, depth: usize, answers: &mut Vec<Answer>) {
        match value {
            Json::Object(members) => {
                let id = self.member(&members, "id");
                if let Some(result) = self.member(&members, "result") {
                    answers.push(Answer { id, result });
                }
            }
            Json::List(items) if depth == 0 || self.flattens && depth < 20 => {
                for item in items {
                    self.collect(item, depth + 1, answers);
                }
            }
            _ => {}
        }
    }

    fn member(&self, members: &[(String, Json)], name: &str) -> Option<Json> {
        let is_it = |key: &str| match self.folds {
            true => folded(key) == name,
            false => key == name,
        };
        let mut found = members.iter().filter(|(key, _)| is_it(key));
        let found = match self.first_wins {
            true => found.next(),
            false => found.next_back(),
        };
        found.map(|(_, value)| value.clone())
    }

    fn decoded(&self, text: &[u8]) -> Vec<u8> {
        if !self.guesses_encoding {
            return text.to_vec();
        }
        let wide = |text: &[u8], width: usize, little: bool| -> Vec<u8> {
            let units = text.chunks_exact(width).map(|unit| {
                let fold = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
                match little {
                    true => unit.iter().rev().fold(0, fold),
                    false => unit.iter().fold(0, fold),
                }
            });
            let text: String = match width {
                2 => char::decode_utf16(units.map(|unit| unit as u16))
                    .map(|unit| unit.unwrap_or('?'))
                    .collect(),
                _ => units
                    .map(|unit| char::from_u32(unit).unwrap_or('?'))
                    .collect(),
            };
            text.into_bytes()
        };
        match text {
            [0xef, 0xbb, 0xbf, rest @ ..] => rest.to_vec(),
            [0xff, 0xfe, 0, 0, rest @ ..] => wide(rest, 4, true),
            [0, 0, 0xfe, 0xff, rest @ ..] => wide(rest, 4, false),
            [0xff, 0xfe, rest @ ..] => wide(rest, 2, true),
            [0xfe, 0xff, rest @ ..] => wide(rest, 2, false),
            [0, 0, 0, _, ..] => wide(text, 4, false),
            [_, 0, 0, 0, ..] => wide(text, 4, true),
            [0, _, ..] => wide(text, 2, false),
            [_, 0, ..] => wide(text, 2, true),
            _ => text.to_vec(),
        }
    }
}

/// A key for a reader that ignores case, and for which a NUL ends a string.
fn folded(key: &str) -> String {
    let until_nul = key.chars().take_while(|letter| *letter != '\0');
    let letters = until_nul.map(|letter| match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\u{130}' | '\u{131}' => 'i',
        other => other.to_ascii_lowercase(),
    });
    letters.collect()
}

struct Parser<'a> {
    reader: Reader,
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Option<Json> {
        self.space();
        match self.peek()? {
            b'"' => Some(Json::Text(self.string()?)),
            b'{' => {
                let mut members = Vec::new();
                self.items(b'}', |parser| {
                    let key = parser.string()?;
                    parser.space();
                    parser.take(b':')?;
                    members.push((key, parser.value()?));
                    Some(())
                })?;
                Some(Json::Object(members))
            }
            b'[' => {
                let mut items = Vec::new();
                self.items(b']', |parser| {
                    items.push(parser.value()?);
                    Some(())
                })?;
                Some(Json::List(items))
            }
            _ => self.word(),
        }
    }

    fn items(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.space();
        if self.take(end).is_some() {
            return Some(());
        }
        loop {
            self.space();
            item(self)?;
            self.space();
            if self.take(end).is_some() {
                return Some(());
            }
            self.take(b',')?;
            self.space();
            if self.reader.forgives_commas && self.take(end).is_some() {
                return Some(());
            }
        }
    }

    fn word(&mut self) -> Option<Json> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        match word {
            "null" => Some(Json::Null),
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            _ if is_number(word) => Some(Json::Number(word.to_owned())),
            _ => None,
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut bytes = Vec::new();
        let push = |bytes: &mut Vec<u8>, letter: char| {
            bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        };
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return Some(String::from_utf8_lossy(&bytes).into_owned()),
                b'\\' => {
                    let escape = self.peek()?;
                    self.at += 1;
                    match escape {
                        b'"' | b'\\' | b'/' => bytes.push(escape),
                        b'b' => bytes.push(8),
                        b'f' => bytes.push(12),
                        b'n' => bytes.push(b'\n'),
                        b'r' => bytes.push(b'\r'),
                        b't' => bytes.push(b'\t'),
                        b'u' => {
                            let unit = self.unit()?;
                            let low = match unit {
                                0xd800..=0xdbff if self.bytes[self.at..].starts_with(b"\\u") => {
                                    self.at += 2;
                                    Some(self.unit()?)
                                }
                                _ => None,
                            };
                            let units = [Some(unit), low].into_iter().flatten();
                            for letter in char::decode_utf16(units) {
                                push(&mut bytes, letter.unwrap_or('\u{fffd}'));
                            }
                        }
                        _ => return None,
                    }
                }
                0..0x20 if !self.reader.forgives_controls => return None,
                other => bytes.push(other),
            }
        }
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let is_whole = whole == 1 || whole > 1 && !digits.starts_with('0');
    let begins = digits.starts_with(|first: char| first.is_ascii_digit());
    is_whole && begins && !digits.ends_with('.') && word.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The readers that find an answer to request 1 in a text.
    fn found(text: &[u8]) -> Vec<&'static str> {
        let finds = |reader: &&Reader| {
            let answers = reader.answers(text);
            answers
                .iter()
                .any(|answer| answer.is_for(1) && answer.holds("x"))
        };
        READERS
            .iter()
            .filter(finds)
            .map(|reader| reader.name)
            .collect()
    }

    #[test]
    fn readers_differ_as_they_should() {
        let all: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
        assert_eq!(found(br#"{"id":1,"result":["x"]}"#), all);
        assert_eq!(
            found(br#"{"id":"0x1","method":null,"result":{"x":0}}"#),
            all
        );
        let lax = ["laxest", "laxest, first wins"];
        assert_eq!(found(br#"[[{"id":1,"result":"x"}]]"#), lax);
        assert_eq!(found(b"{\"id\":1,\"result\":\"\rx\"}"), lax);
        let folding = [&["folds", "folds, first wins"][..], &lax].concat();
        assert_eq!(found(r#"{"ID":1,"reſult":"x"}"#.as_bytes()), folding);
        assert_eq!(found(br#"{"id":1,"result\u0000y":"x"}"#), folding);
        let commas = [&["forgives commas"][..], &lax].concat();
        assert_eq!(found(br#"{"id":1,"result":"x",}"#), commas);
        assert_eq!(found(br#"{} {"id":1,"result":"x"}"#), commas);
        let guessing = [&["guesses the encoding"][..], &lax].concat();
        assert_eq!(found(b"\xef\xbb\xbf{\"id\":1,\"result\":\"x\"}"), guessing);
        let wide = r#"{"id":1,"result":"x"}"#.encode_utf16();
        let wide: Vec<u8> = wide.flat_map(u16::to_be_bytes).collect();
        assert_eq!(found(&wide), guessing);
        let first = ["first wins", "folds, first wins", "laxest, first wins"];
        assert_eq!(found(br#"{"id":1,"result":"x","result":"y"}"#), first);
        assert_eq!(found(b"{'id':1}"), [""; 0]);
        assert_eq!(in_lines(b"[0\r{\"id\":1,\"result\":\"x\"}\r]").len(), 16);
        let call = br#"{"Method":"tools/call","params":{"name":"other","name":"t","NAME":"t"}}"#;
        assert!(calls_in_body(call, "t") && calls_in_body(call, "other"));
        assert!(!calls_in_body(
            br#"{"method":"tools/call","params":{"name":"u"}}"#,
            "t"
        ));
        assert!(calls_in_lines(
            b"[0\r{\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\r]",
            "t"
        ));
        assert!(!in_events(b": \xe2\x80\xa8data: {\"id\":1,\"result\":\"x\"}\n\n").is_empty());
    }
}
