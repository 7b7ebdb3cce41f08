//! Tags and texts of HTML, in order, by the tokenizer of the crate `html5gum`. Elements that are not shown are left out
//! here, with their content.

use crate::element::Element;
use html5gum::Tokenizer;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use std::convert::Infallible;

/// A tag or a text.
pub enum Token<'a> {
    Start(&'a Tag),
    End(Element),
    Text(&'a str),
}

/// A start tag, with its relevant attributes.
pub struct Tag {
    pub element: Element,
    attributes: Vec<(Attribute, String)>,
}

/// The attributes that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    Alt,
    Checked,
    Class,
    ColumnSpan,
    Href,
    Label,
    LazySource,
    Placeholder,
    Role,
    Source,
    Start,
    Title,
    Type,
    Value,
}

impl Attribute {
    fn of(name: &[u8]) -> Option<Attribute> {
        use Attribute::*;
        Some(match name {
            b"alt" => Alt,
            b"checked" => Checked,
            b"class" => Class,
            b"colspan" => ColumnSpan,
            b"href" => Href,
            b"aria-label" => Label,
            b"data-src" => LazySource,
            b"placeholder" => Placeholder,
            b"role" => Role,
            b"src" | b"data" => Source,
            b"start" => Start,
            b"title" => Title,
            b"type" => Type,
            b"value" => Value,
            _ => return None,
        })
    }
}

impl Tag {
    /// The value of an attribute: the first, if it occurs twice.
    pub fn get(&self, attribute: Attribute) -> Option<&str> {
        let mut values = self.attributes.iter();
        let value = values.find(|(known, _)| *known == attribute);
        value.map(|(_, value)| value.as_str())
    }
}

/// An objection to a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The text is in another language: JSX, or a template.
    Source,
    /// An element that is not shown does not end, so the text after it would be removed.
    Unended,
}

/// An element that is not shown, with those of the same name inside it.
struct Hidden {
    name: Vec<u8>,
    depth: usize,
}

/// Reads the tags and texts of a text. Returns an objection, if any. Then `take` did not get everything.
///
/// `take` is one type for all callers, because the tokenizer is half a megabyte of code for each type.
pub fn read(html: &str, take: &mut dyn FnMut(Token<'_>)) -> Result<(), Doubt> {
    let mut reader = Reader::default();
    let mut emitter = CallbackEmitter::new(
        |event: CallbackEvent<'_>, _: html5gum::Span<()>| -> Option<Infallible> {
            reader.event(event, take);
            None
        },
    );
    emitter.naively_switch_states(true);
    let tokenizer = Tokenizer::new_with_emitter(html, emitter);
    let Ok(()) = tokenizer.finish();
    if reader.is_source {
        return Err(Doubt::Source);
    }
    // `plaintext` has no end.
    match &reader.hidden {
        Some(_) => Err(Doubt::Unended),
        None => Ok(()),
    }
}

struct Reader {
    tag: Tag,
    name: Vec<u8>,
    /// Whether the current tag is a start tag.
    is_open: bool,
    attribute: Option<Attribute>,
    hidden: Option<Hidden>,
    is_source: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            tag: Tag {
                element: Element::Unknown,
                attributes: Vec::new(),
            },
            name: Vec::new(),
            is_open: false,
            attribute: None,
            hidden: None,
            is_source: false,
        }
    }
}

impl Reader {
    fn event(&mut self, event: CallbackEvent<'_>, take: &mut dyn FnMut(Token<'_>)) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.is_open = true;
                self.attribute = None;
                self.name.clear();
                self.name.extend_from_slice(name);
                self.tag.element = Element::of(name);
                self.tag.attributes.clear();
            }
            CallbackEvent::AttributeName { name } if self.is_open => self.attribute_name(name),
            CallbackEvent::AttributeValue { value } if self.is_open && self.attribute.is_some() => {
                let value = String::from_utf8_lossy(value).into_owned();
                // JSX: `href={url}`.
                self.is_source |= self.hidden.is_none() && value.starts_with('{');
                if let Some((_, last)) = self.tag.attributes.last_mut() {
                    *last = value;
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => self.start(self_closing, take),
            CallbackEvent::EndTag { name } => self.end(name, take),
            CallbackEvent::String { value } if self.hidden.is_none() => {
                take(Token::Text(&String::from_utf8_lossy(value)));
            }
            // The tokenizer reports PHP as a comment.
            CallbackEvent::Comment { value } => {
                self.is_source |= value.starts_with(b"?php") || value.starts_with(b"?=");
            }
            _ => {}
        }
    }

    fn attribute_name(&mut self, name: &[u8]) {
        // Attributes of JSX, Vue and Angular, which do not occur in a rendered page.
        self.is_source |= self.hidden.is_none()
            && (matches!(
                name,
                b"classname" | b"htmlfor" | b"v-if" | b"v-for" | b"v-model"
            ) || name.starts_with(b"*ng")
                || name.starts_with(b"@")
                || name.starts_with(b"{"));
        let attribute = Attribute::of(name);
        let is_new = attribute.is_some_and(|attribute| self.tag.get(attribute).is_none());
        self.attribute = attribute.filter(|_| is_new);
        if let Some(attribute) = self.attribute {
            self.tag.attributes.push((attribute, String::new()));
        }
    }

    fn start(&mut self, self_closing: bool, take: &mut dyn FnMut(Token<'_>)) {
        self.is_open = false;
        if let Some(hidden) = &mut self.hidden {
            if hidden.name == self.name {
                hidden.depth += usize::from(!self_closing);
            }
            // In `svg` these end here. But the tokenizer continues as in HTML, and would take text for their content.
            let is_raw = matches!(
                self.name.as_slice(),
                b"script" | b"style" | b"title" | b"textarea" | b"xmp" | b"iframe"
            );
            self.is_source |= self_closing && is_raw;
            return;
        }
        if self.tag.element == Element::Hidden {
            let is_foreign = self.name == b"svg";
            if !(is_foreign && self_closing) {
                self.hidden = Some(Hidden {
                    name: self.name.clone(),
                    depth: 1,
                });
            }
            return;
        }
        take(Token::Start(&self.tag));
        // The content of this element is for old browsers, and the tokenizer reads no tags in it.
        if self.name == b"iframe" {
            self.hidden = Some(Hidden {
                name: self.name.clone(),
                depth: 1,
            });
        }
    }

    fn end(&mut self, name: &[u8], take: &mut dyn FnMut(Token<'_>)) {
        self.is_open = false;
        if let Some(hidden) = &mut self.hidden {
            if hidden.name == name {
                hidden.depth -= 1;
                if hidden.depth == 0 {
                    self.hidden = None;
                }
            }
            return;
        }
        take(Token::End(Element::of(name)));
    }
}
