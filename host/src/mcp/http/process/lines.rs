//! Who a line belongs to, which a process wrote or will read.

use crate::json;
use crate::mcp::frame::{Frame, MessageView, RequestId};
use std::borrow::Cow;

/// The member with which a request names the stream of a message (protocol 2026-07-28).
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// The stream that a notification names.
pub(super) fn named_stream(
    line: &[u8],
    view: &MessageView,
    by_id: impl Fn(&RequestId) -> Option<u64>,
    by_token: impl Fn(&[u8]) -> Option<u64>,
) -> Option<u64> {
    let params = &line[view.params.clone()?];
    let [token, meta] = json::members(params, ["progressToken", "_meta"]);
    if let Some(number) = token.and_then(|span| by_token(&params[span])) {
        return Some(number);
    }
    let meta = &params[meta?];
    let [id] = json::members(meta, [SUBSCRIPTION]);
    by_id(&RequestId::parse(&meta[id?])?)
}

/// The progress token of a request, as spelled.
pub(super) fn token(frame: &[u8], view: &MessageView) -> Option<Box<[u8]>> {
    let params = &frame[view.params.clone()?];
    let [meta] = json::members(params, ["_meta"]);
    let meta = &params[meta?];
    let [token] = json::members(meta, ["progressToken"]);
    Some(meta[token?].into())
}

/// A request with a number in place of its id and its progress token.
pub(in crate::mcp::http) fn renumbered(frame: &[u8], number: u64) -> Option<Vec<u8>> {
    let Frame::Message(view) = Frame::read(frame) else {
        return None;
    };
    let number = number.to_string();
    let mut edits = vec![(view.id.clone()?, number.as_bytes())];
    if let Some(params) = view.params.clone() {
        let [meta] = json::members(&frame[params.clone()], ["_meta"]);
        if let Some(meta) = meta {
            let start = params.start + meta.start;
            let [token] = json::members(&frame[start..params.start + meta.end], ["progressToken"]);
            edits.extend(
                token.map(|span| (start + span.start..start + span.end, number.as_bytes())),
            );
        }
    }
    Some(replace(frame, edits))
}

fn replace(bytes: &[u8], mut edits: Vec<(json::Span, &[u8])>) -> Vec<u8> {
    edits.sort_by_key(|(span, _)| span.start);
    let (mut out, mut copied) = (Vec::with_capacity(bytes.len()), 0);
    for (span, new) in edits {
        out.extend_from_slice(&bytes[copied..span.start]);
        out.extend_from_slice(new);
        copied = span.end;
    }
    out.extend_from_slice(&bytes[copied..]);
    out
}

/// A line without carriage returns: they would end lines of a stream of events.
pub(super) fn on_one_line(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\r', line).is_none() {
        return Cow::Borrowed(line);
    }
    let line = line.iter().map(|byte| match byte {
        b'\r' => b' ',
        other => *other,
    });
    Cow::Owned(line.collect())
}

/// The requests that a message may answer, if it is an answer: the reference clients accept an answer to `"1"`
/// for `1`.
pub(super) fn answered(line: &[u8], view: &MessageView) -> Vec<RequestId> {
    if !is_answer(view) {
        return Vec::new();
    }
    let id = view.id.clone();
    let id = id.and_then(|span| RequestId::parse(&line[span]));
    let unquoted = id.as_ref().and_then(RequestId::unquoted);
    unquoted.into_iter().chain(id).collect()
}

/// Whether a message is an answer for the client that waits for its id.
pub(super) fn is_answer(view: &MessageView) -> bool {
    view.is_answer() || view.method.is_none()
}

/// The ids by which some reader may assign a line to a request, if some reader takes the line for an answer. The
/// list may be empty.
pub(super) fn seems_to_answer(line: &[u8]) -> Option<Vec<RequestId>> {
    let is_noise = |byte: &&u8| {
        byte.is_ascii_whitespace() || matches!(byte, 0 | 0xef | 0xbb | 0xbf | 0xfe | 0xff)
    };
    let first = line.iter().find(|byte| !is_noise(byte))?;
    if !matches!(first, b'{' | b'[') {
        return None;
    }
    let has = |name| !json::taken_for(line, name).is_empty();
    let is_result = has("result") || has("error");
    let ids = json::taken_for(line, "id").into_iter();
    let ids = ids.filter_map(|span| RequestId::parse(&line[span]));
    let ids: Vec<RequestId> = ids
        .flat_map(|id| [id.unquoted(), Some(id)])
        .flatten()
        .collect();
    // Servers write other things to their standard output, too.
    let is_one = is_result && (!ids.is_empty() || has("jsonrpc")) || mentions_an_answer(line);
    is_one.then_some(ids)
}

/// Whether a line that cannot be parsed contains the words of an answer, in any encoding.
fn mentions_an_answer(line: &[u8]) -> bool {
    let letters = line.iter().filter(|byte| !matches!(byte, 0 | b' ' | b'\t'));
    let text: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    let has = |word: &[u8]| memchr::memmem::find(&text, word).is_some();
    has(b"jsonrpc")
        && (has(b"result\":") || has(b"error\":") || has(b"result':") || has(b"error':"))
}

/// A message with the id and the progress token that the client gave, if the process knows others. None: it has
/// neither.
pub(super) fn restored(
    line: &[u8],
    view: &MessageView,
    id: Option<&[u8]>,
    token: Option<&[u8]>,
) -> Option<Vec<u8>> {
    let mut edits: Vec<(json::Span, &[u8])> = Vec::new();
    if is_answer(view) {
        edits.extend(view.id.clone().zip(id));
    } else if let Some(params) = view.params.clone() {
        let within = |span: json::Span| params.start + span.start..params.start + span.end;
        let names = ["progressToken", "_meta"];
        let [own, meta] = json::members(&line[params.clone()], names);
        edits.extend(own.map(within).zip(token));
        if let Some(meta) = meta.map(within) {
            let [subscription] = json::members(&line[meta.clone()], [SUBSCRIPTION]);
            let subscription =
                subscription.map(|span| meta.start + span.start..meta.start + span.end);
            edits.extend(subscription.zip(id));
        }
    }
    (!edits.is_empty()).then(|| replace(line, edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_an_answer_is_told_from_what_servers_print() {
        let one = || Some(vec![RequestId::Integer(1)]);
        let utf16: Vec<u8> = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (line, expected) in [
            (
                &br#"{"jsonrpc":"2.0","id":1,"result":{"a":[1,]},}"#[..],
                one(),
            ),
            (br#"{"ID":1,"Result":{}}"#, one()),
            (b"\xef\xbb\xbf{\"id\":1,\"error\":{},", one()),
            (
                br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#,
                Some(vec![]),
            ),
            (
                br#"{'jsonrpc': '2.0', 'id': 1, 'result': {}}"#,
                Some(vec![]),
            ),
            (&utf16, Some(vec![])),
            (br#"[INFO] {"jsonrpc" "result":"#, Some(vec![])),
            (br#"sent {"jsonrpc":"2.0","id":1,"result":{}}"#, None),
            (br#"{"level":"error","error":"no such file"}"#, None),
            (br#"{'error': None}"#, None),
            (b"Listening on stdio", None),
            (b"", None),
        ] {
            let text = String::from_utf8_lossy(line);
            assert_eq!(seems_to_answer(line), expected, "{text}");
        }
    }
}
