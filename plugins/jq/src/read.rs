//! Converts documents to values of jq.
//!
//! jaq's own reader would change members that a program never touched. It drops the sign of `-0` and all but the last
//! of two members with one key, and refuses an unpaired surrogate.

use crate::DuplicateKeys;
use bytes::Bytes;
use jaq_json::{Map, Num, Rc, Val};
use tamis_sdk::{Document, Node, NodeKind};

/// Most digits of an integer. On longer numbers, arithmetic takes more than linear time, and they are infinite as
/// floating-point numbers. They keep their spelling.
const LONGEST_INTEGER: usize = 300;

/// The value of a JSON document.
pub fn document(document: &Document, duplicates: DuplicateKeys) -> Result<Val, String> {
    let Some(root) = document.root() else {
        return Ok(Val::Null);
    };
    let reader = Reader {
        text: Bytes::copy_from_slice(document.text().as_bytes()),
        duplicates,
    };
    reader.value(root)
}

struct Reader {
    text: Bytes,
    duplicates: DuplicateKeys,
}

impl Reader {
    fn bytes(&self, node: Node<'_>) -> &[u8] {
        &self.text[node.start() as usize..node.end() as usize]
    }

    // Recurses as deep as the document nests, at most 128 levels.
    fn value(&self, node: Node<'_>) -> Result<Val, String> {
        Ok(match node.kind() {
            NodeKind::Null => Val::Null,
            NodeKind::False => Val::Bool(false),
            NodeKind::True => Val::Bool(true),
            NodeKind::Number => Val::Num(number(&String::from_utf8_lossy(self.bytes(node)))),
            NodeKind::String | NodeKind::Key => self.string(node),
            NodeKind::Array => {
                let mut elements = Vec::with_capacity(node.children() as usize);
                for element in node.elements() {
                    elements.push(self.value(element)?);
                }
                Val::Arr(Rc::new(elements))
            }
            NodeKind::Object => {
                let mut members =
                    Map::with_capacity_and_hasher(node.children() as usize, Default::default());
                for (key, value) in node.members() {
                    let before = members.insert(self.string(key), self.value(value)?);
                    if before.is_some() && self.duplicates == DuplicateKeys::Error {
                        return Err(format!(
                            "the key {} is there twice in one object (byte {}), and a program sees but the last: `duplicate-keys = \"last\"` takes that",
                            crate::program::short(&self.string(key)),
                            key.start()
                        ));
                    }
                }
                Val::obj(members)
            }
        })
    }

    fn string(&self, node: Node<'_>) -> Val {
        let inside = node.start() as usize + 1..node.end() as usize - 1;
        if node.is_escaped() {
            Val::utf8_str(unescape(&self.text[inside]))
        } else {
            Val::utf8_str(self.text.slice(inside))
        }
    }
}

fn number(text: &str) -> Num {
    let is_integer = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_integer
        && text != "-0"
        && text.len() <= LONGEST_INTEGER
        && let Some(integer) = Num::from_str_radix(text, 10)
    {
        return integer;
    }
    // As it is spelled, unless a program calculates with it.
    Num::Dec(Rc::new(text.to_owned()))
}

/// Decodes the text between the quotes of a JSON string. An unpaired surrogate becomes the three bytes that UTF-8 would
/// have for it. [`crate::write`] spells these as an escape again.
fn unescape(mut escaped: &[u8]) -> Vec<u8> {
    let mut said = Vec::with_capacity(escaped.len());
    while let Some(at) = escaped.iter().position(|&byte| byte == b'\\') {
        said.extend_from_slice(&escaped[..at]);
        let escape = escaped.get(at + 1).copied().unwrap_or(b'\\');
        escaped = escaped.get(at + 2..).unwrap_or_default();
        match escape {
            b'b' => said.push(0x08),
            b'f' => said.push(0x0c),
            b'n' => said.push(b'\n'),
            b'r' => said.push(b'\r'),
            b't' => said.push(b'\t'),
            b'u' => {
                let (unit, mut rest) = hexadecimal(escaped);
                let mut code = unit;
                if (0xd800..0xdc00).contains(&unit) && rest.starts_with(b"\\u") {
                    let (low, after) = hexadecimal(&rest[2..]);
                    if (0xdc00..0xe000).contains(&low) {
                        code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                        rest = after;
                    }
                }
                escaped = rest;
                match char::from_u32(code) {
                    Some(character) => {
                        said.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    None => said.extend_from_slice(&[
                        0xed,
                        0x80 | ((code >> 6) & 0x3f) as u8,
                        0x80 | (code & 0x3f) as u8,
                    ]),
                }
            }
            other => said.push(other),
        }
    }
    said.extend_from_slice(escaped);
    said
}

/// The value of four hexadecimal digits, and the text after them.
fn hexadecimal(text: &[u8]) -> (u32, &[u8]) {
    let (digits, rest) = text.split_at(text.len().min(4));
    let value = |code: u32, digit: &u8| code * 16 + char::from(*digit).to_digit(16).unwrap_or(0);
    (digits.iter().fold(0, value), rest)
}
