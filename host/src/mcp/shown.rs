//! The part of a tool's result that a client shows its model, its form, and its size.
//!
//! Two callers need this. The guard lets a result pass unchanged if the client, with its own cut, would have
//! shown its model less of the unfiltered result than of the filtered one. The ledger compares the content that
//! was shown with the content that would have been shown.

use super::same::{self, InText};
use crate::document::{Document, Node, NodeKind, same_reading};
use crate::json::tree::{FRAME_DEPTH, member, quote, string};
use crate::policy::{ClientCap, ClientSpec, Sees};
use crate::tokens;
use std::cmp::Ordering;

/// How a client shows results. The default is for unknown clients: everything that a model could read, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClientDisplay {
    sees: Option<Sees>,
    escaped: bool,
    wrapping: usize,
    cap: Option<ClientCap>,
}

/// A result as a model reads it.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    /// The remaining pieces, in order.
    pub texts: Vec<String>,
    /// Tokens of the text that the client adds.
    pub words: usize,
    /// Whether the client cut something from the result.
    pub cut: bool,
}

impl ClientDisplay {
    /// The view of clients with this specification.
    pub fn of(spec: Option<&ClientSpec>) -> ClientDisplay {
        spec.map_or_else(ClientDisplay::default, |spec| ClientDisplay {
            sees: Some(spec.sees),
            escaped: spec.escaped,
            wrapping: spec.wrapping,
            cap: spec.cap,
        })
    }

    /// Whether programs compute on results (code mode), so that results must stay the same values.
    pub fn computes(&self) -> bool {
        self.sees == Some(Sees::Value)
    }

    /// Whether a model may be shown `structuredContent` without the text.
    pub fn may_show_value_alone(&self) -> bool {
        matches!(self.sees, None | Some(Sees::Structured))
    }

    /// Whether a model is shown the text and never `structuredContent`.
    pub fn shows_text_alone(&self) -> bool {
        matches!(self.sees, Some(Sees::Content | Sees::Blocks))
    }

    /// Whether the client may cut a result of so many bytes: a look that costs nothing, for results that are short
    /// enough in any case. No text is longer than the JSON that it is in.
    pub fn may_cut(&self, result_bytes: usize) -> bool {
        self.cap.is_some_and(|cap| result_bytes > cap.over)
    }

    /// The part of a result (raw JSON) that the model is shown.
    pub fn shown(&self, result: &str) -> Shown {
        let whole = Shown {
            texts: Vec::new(),
            words: self.wrapping,
            cut: false,
        };
        let texts = self.texts(result);
        if texts.is_empty() {
            return Shown { words: 0, ..whole };
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        if let Some(cap) = self.cap.filter(|cap| bytes > cap.over) {
            let text = texts.join("\n");
            if text.chars().count() > cap.over {
                return Shown {
                    texts: self.written(ends(&text, cap)),
                    words: self.wrapping + cap.notice,
                    cut: true,
                };
            }
        }
        let texts = self.written(texts);
        Shown { texts, ..whole }
    }

    /// The pieces as the model reads them.
    fn written(&self, texts: Vec<String>) -> Vec<String> {
        match self.escaped {
            true => texts.iter().map(|text| quote(text)).collect(),
            false => texts,
        }
    }

    /// Whether the client cuts so much of `before` that the model would be shown less of it than of `after`, in
    /// tokens: two results as raw JSON. If the client cuts nothing, nothing is counted.
    pub fn shows_less(&self, before: &str, after: &str) -> bool {
        if !self.may_cut(before.len()) {
            return false;
        }
        let before = self.shown(before);
        before.cut && self.shown(after).compare(&before) == Ordering::Greater
    }

    /// All that the client takes for its model.
    fn texts(&self, result: &str) -> Vec<String> {
        match self.sees {
            Some(Sees::Value) => return Vec::new(),
            Some(Sees::Result) => return vec![result.to_owned()],
            _ => {}
        }
        let frame = Document::json_with_depth(result, FRAME_DEPTH).ok();
        let Some((frame, tape)) = frame
            .as_ref()
            .and_then(|frame| Some((frame, frame.tape()?)))
        else {
            return vec![result.to_owned()];
        };
        let part = |name| member(frame, tape.root(), name);
        let (content, structured) = (part("content"), part("structuredContent"));
        if self.sees == Some(Sees::Blocks)
            && let Some(content) = content
        {
            return vec![frame.slice(content.start, content.end).to_owned()];
        }
        if content.is_none() && structured.is_none() {
            return vec![result.to_owned()];
        }
        let blocks = content.filter(|node| node.kind == NodeKind::Array);
        let blocks = blocks.into_iter().flat_map(|node| tape.elements(node));
        let texts: Vec<String> = blocks.filter_map(|block| text_of(frame, block)).collect();
        let structured = structured
            .filter(|node| node.kind != NodeKind::Null)
            .map(|node| frame.slice(node.start, node.end));
        let is_said = |structured: &str| match self.sees {
            Some(Sees::Content | Sees::Blocks) => true,
            Some(Sees::Both) => texts == [structured],
            Some(Sees::BothOnce) => matches!(&texts[..], [text] if is_same(text, structured)),
            Some(Sees::Structured | Sees::Result | Sees::Value) => false,
            None => {
                let value = Document::json(structured).map(|value| same::in_text(&value, &texts));
                matches!(value, Ok(InText::All))
            }
        };
        let structured = structured.filter(|structured| !is_said(structured));
        let mut pieces = match (self.sees, structured) {
            (Some(Sees::Structured), Some(_)) => Vec::new(),
            _ => texts,
        };
        pieces.extend(structured.map(str::to_owned));
        pieces
    }
}

impl Shown {
    /// Tokens that the model pays for the result, counted by `count`.
    pub fn tokens(&self, count: &dyn Fn(&str) -> u64) -> u64 {
        self.texts.iter().map(|text| count(text)).sum::<u64>() + self.words as u64
    }

    /// Compares by tokens. If lengths tell, nothing is counted.
    fn compare(&self, other: &Shown) -> Ordering {
        /// A token of the longest kind of text has about twice the bytes of one of the shortest.
        const CLEARLY: usize = 3;
        if self.words <= other.words && self.bytes() < other.bytes() / CLEARLY {
            return Ordering::Less;
        }
        let count = |text: &str| u64::from(tokens::count(text));
        self.tokens(&count).cmp(&other.tokens(&count))
    }

    /// Bytes of the pieces.
    pub fn bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }
}

/// The texts of a block: its own, or that of the resource in it.
pub(super) fn text_of(frame: &Document, block: Node) -> Option<String> {
    let text = member(frame, block, "text");
    let text = text.or_else(|| member(frame, member(frame, block, "resource")?, "text"))?;
    string(frame, text)
}

/// Whether two texts are the same JSON.
fn is_same(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (Document::json(one), Document::json(other)) else {
        return false;
    };
    let (Some(a), Some(b)) = (one.tape(), other.tape()) else {
        return false;
    };
    same_reading((&one, a.root()), (&other, b.root()))
}

/// The beginning and the end of a text that is longer than the cap.
fn ends(text: &str, cap: ClientCap) -> Vec<String> {
    let head_end = text
        .char_indices()
        .nth(cap.first)
        .map_or(text.len(), |(at, _)| at);
    let tail_start = match cap.last.checked_sub(1) {
        None => text.len(),
        Some(back) => text.char_indices().nth_back(back).map_or(0, |(at, _)| at),
    };
    // A cap shows no more than it is over, so these do not overlap.
    [&text[..head_end], &text[tail_start.max(head_end)..]]
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRETTY: &str =
        r#"{"content":[{"type":"text","text":"{ \"a\": 1 }"}],"structuredContent":{"a":1}}"#;

    fn view(sees: Sees) -> ClientDisplay {
        ClientDisplay {
            sees: Some(sees),
            ..ClientDisplay::default()
        }
    }

    fn capped(over: usize, first: usize, last: usize) -> ClientDisplay {
        ClientDisplay {
            cap: Some(ClientCap {
                over,
                first,
                last,
                notice: 7,
            }),
            ..view(Sees::Content)
        }
    }

    fn text_result(text: &str) -> String {
        format!(
            r#"{{"content":[{{"type":"text","text":{}}}]}}"#,
            quote(text)
        )
    }

    #[test]
    fn each_client_shows_its_part() {
        let compact = PRETTY.replace(r#"{ \"a\": 1 }"#, r#"{\"a\":1}"#);
        for (sees, pretty, same) in [
            (Sees::Structured, r#"{"a":1}"#, r#"{"a":1}"#),
            (Sees::Content, r#"{ "a": 1 }"#, r#"{"a":1}"#),
            (Sees::Both, "{ \"a\": 1 }|{\"a\":1}", r#"{"a":1}"#),
            (Sees::BothOnce, r#"{ "a": 1 }"#, r#"{"a":1}"#),
        ] {
            assert_eq!(view(sees).shown(PRETTY).texts.join("|"), pretty, "{sees:?}");
            assert_eq!(view(sees).shown(&compact).texts, [same], "{sees:?}");
        }
        assert_eq!(
            ClientDisplay::default().shown(PRETTY).texts,
            [r#"{ "a": 1 }"#]
        );
        assert_eq!(view(Sees::Value).shown(PRETTY).texts, Vec::<String>::new());
        assert_eq!(view(Sees::Result).shown(PRETTY).texts, [PRETTY]);
        let image = r#"{"content":[{"type":"image","data":"aGk="}],"structuredContent":{"a":1}}"#;
        let blocks = view(Sees::Blocks).shown(image).texts;
        assert_eq!(blocks, [r#"[{"type":"image","data":"aGk="}]"#]);
        let escaped = ClientDisplay {
            escaped: true,
            ..view(Sees::Content)
        };
        assert_eq!(escaped.shown(PRETTY).texts, [r#""{ \"a\": 1 }""#]);
        assert_eq!(ClientDisplay::default().shown("[1").texts, ["[1"]);
    }

    #[test]
    fn a_cap_keeps_the_ends_of_what_is_longer() {
        let cap = capped(6, 2, 3);
        let shown = cap.shown(&text_result("éé345é7"));
        assert_eq!(
            (&shown.texts[..], shown.words),
            (&["éé".to_owned(), "5é7".to_owned()][..], 7)
        );
        assert!(shown.cut);
        let whole = cap.shown(&text_result("éé345é"));
        assert_eq!(
            (&whole.texts[..], whole.cut, whole.words),
            (&["éé345é".to_owned()][..], false, 0)
        );
        assert_eq!(capped(6, 2, 0).shown(&text_result("1234567")).texts, ["12"]);
        assert_eq!(
            capped(6, 0, 0).shown(&text_result("1234567")).texts,
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_the_client_cuts_is_less_only_if_it_costs_less() {
        let long = text_result(&"word ".repeat(1000));
        let middling = text_result(&"word ".repeat(60));
        assert!(capped(1000, 200, 0).shows_less(&long, &middling));
        assert!(!capped(1000, 200, 0).shows_less(&long, &text_result("word")));
        assert!(
            !capped(10_000, 200, 0).shows_less(&long, &middling),
            "it is shown whole"
        );
        assert!(!ClientDisplay::default().shows_less(&long, &middling));
    }
}
