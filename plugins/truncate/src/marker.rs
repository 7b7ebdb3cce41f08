//! The marker at a cut: text with placeholders, which can be filled and recognised again.

use std::ops::Range;
use tamis_sdk::Kept;

/// A placeholder in a marker.
#[derive(Clone, Copy, PartialEq)]
enum Placeholder {
    Shown,
    Total,
    Ref,
    Call,
    Path,
}

impl Placeholder {
    const ALL: [Placeholder; 5] = [
        Placeholder::Shown,
        Placeholder::Total,
        Placeholder::Ref,
        Placeholder::Call,
        Placeholder::Path,
    ];

    fn name(self) -> &'static str {
        match self {
            Placeholder::Shown => "{shown}",
            Placeholder::Total => "{total}",
            Placeholder::Ref => "{ref}",
            Placeholder::Call => "{call}",
            Placeholder::Path => "{path}",
        }
    }

    /// Whether the next character could be taken for a part of the placeholder.
    fn may_hold(self, character: char) -> bool {
        match self {
            Placeholder::Shown | Placeholder::Total => character.is_ascii_digit(),
            Placeholder::Ref => character.is_ascii_alphanumeric(),
            Placeholder::Call | Placeholder::Path => false,
        }
    }

    /// Whether the placeholder may have been filled with this text.
    fn takes(self, text: &str) -> bool {
        !text.is_empty()
            && match self {
                Placeholder::Shown | Placeholder::Total => {
                    text.bytes().all(|byte| byte.is_ascii_digit())
                }
                Placeholder::Ref => text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                Placeholder::Call | Placeholder::Path => !text.contains('\n'),
            }
    }
}

/// More bytes than any number, reference, call or path has.
const PLACEHOLDER_BYTES: u32 = 4096;

/// The values of `{shown}` and `{total}`.
pub struct Numbers {
    pub shown: usize,
    pub total: usize,
}

/// A marker: text, then placeholders, each with the text after it.
pub struct Marker {
    begin: String,
    rest: Vec<(Placeholder, String)>,
}

impl Marker {
    pub fn parse(text: &str) -> Result<Marker, String> {
        let mut marker = Marker {
            begin: String::new(),
            rest: Vec::new(),
        };
        let mut left = text;
        while let Some(open) = left.find('{') {
            let (before, from) = left.split_at(open);
            marker.last().push_str(before);
            let name = &from[1..];
            let name = &name[..name.find(|it: char| !it.is_ascii_lowercase()).unwrap_or(0)];
            let after = &from[1 + name.len()..];
            if name.is_empty() || !after.starts_with('}') {
                marker.last().push('{');
                left = &from[1..];
                continue;
            }
            let whole = &from[..name.len() + 2];
            let placeholder = Placeholder::ALL
                .into_iter()
                .find(|placeholder| placeholder.name() == whole);
            let Some(placeholder) = placeholder else {
                let known = Placeholder::ALL.map(Placeholder::name).join(", ");
                return Err(format!("`marker` names {whole}: it may name {known}"));
            };
            marker.rest.push((placeholder, String::new()));
            left = &after[1..];
        }
        marker.last().push_str(left);
        if marker.begin.is_empty() {
            return Err(format!(
                "`marker` is {text:?}: it has to begin with text, so that one sees where it begins"
            ));
        }
        let between = marker.rest.iter().find(|(_, after)| after.is_empty());
        if let Some((placeholder, _)) = between {
            return Err(format!(
                "`marker` is {text:?}: text has to follow {}, so that one sees where it ends",
                placeholder.name()
            ));
        }
        let joined = marker.rest.iter().find(|(placeholder, after)| {
            let next = after.chars().next();
            next.is_some_and(|next| placeholder.may_hold(next))
        });
        if let Some((placeholder, after)) = joined {
            return Err(format!(
                "`marker` is {text:?}: after {} comes {after:?}, which could be a part of it: begin that with a space or a sign",
                placeholder.name()
            ));
        }
        Ok(marker)
    }

    fn last(&mut self) -> &mut String {
        match self.rest.last_mut() {
            Some((_, after)) => after,
            None => &mut self.begin,
        }
    }

    fn names(&self, one_of: &[Placeholder]) -> bool {
        self.rest
            .iter()
            .any(|(placeholder, _)| one_of.contains(placeholder))
    }

    pub fn names_total(&self) -> bool {
        self.names(&[Placeholder::Total])
    }

    pub fn names_original(&self) -> bool {
        self.names(&[Placeholder::Ref, Placeholder::Call, Placeholder::Path])
    }

    /// The size of the longest filled marker.
    pub fn longest_bytes(&self) -> u32 {
        let text = |text: &String| text.len() as u32;
        let rest = self
            .rest
            .iter()
            .map(|(_, after)| PLACEHOLDER_BYTES + text(after));
        text(&self.begin) + rest.sum::<u32>()
    }

    /// The filled marker; none if it names an original and none is stored.
    pub fn fill(&self, numbers: &Numbers, original: Option<&Kept>) -> Option<String> {
        let mut filled = self.begin.clone();
        for (placeholder, after) in &self.rest {
            match placeholder {
                Placeholder::Shown => filled.push_str(&numbers.shown.to_string()),
                Placeholder::Total => filled.push_str(&numbers.total.to_string()),
                Placeholder::Ref => filled.push_str(&original?.reference),
                Placeholder::Call => filled.push_str(&original?.call),
                Placeholder::Path => filled.push_str(original?.path.as_ref()?),
            }
            filled.push_str(after);
        }
        Some(filled)
    }

    /// Whether a text is the filled marker.
    pub fn is(&self, text: &str) -> bool {
        self.end_of(text) == Some(text.len())
    }

    /// The occurrences of the filled marker in a text that begin in `window`; ascending. They may overlap: `...` occurs
    /// twice in `....`.
    pub fn occurrences(&self, text: &str, window: Range<usize>) -> Vec<Range<usize>> {
        let first = self.begin.chars().next().map_or(1, char::len_utf8);
        let mut occurrences = Vec::new();
        let mut from = text.ceil_char_boundary(window.start);
        while let Some(found) = text[from..].find(self.begin.as_str()) {
            let start = from + found;
            if start >= window.end {
                break;
            }
            if let Some(length) = self.end_of(&text[start..]) {
                occurrences.push(start..start + length);
            }
            from = start + first;
        }
        occurrences
    }

    /// The end of the marker at the beginning of a text.
    fn end_of(&self, text: &str) -> Option<usize> {
        let mut left = text.strip_prefix(self.begin.as_str())?;
        for (placeholder, after) in &self.rest {
            let most = PLACEHOLDER_BYTES as usize + after.len();
            let near = &left[..left.floor_char_boundary(most)];
            let filled = &left[..near.find(after.as_str())?];
            if !placeholder.takes(filled) {
                return None;
            }
            left = &left[filled.len() + after.len()..];
        }
        Some(text.len() - left.len())
    }
}
