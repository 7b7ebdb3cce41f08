//! The marker at a cut: text with places that are filled, and recognised again.

use std::ops::Range;
use tamis_sdk::Kept;

/// A place in a marker that is filled.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Shown,
    Total,
    Ref,
    Call,
    Path,
}

impl Place {
    const ALL: [Place; 5] = [
        Place::Shown,
        Place::Total,
        Place::Ref,
        Place::Call,
        Place::Path,
    ];

    fn name(self) -> &'static str {
        match self {
            Place::Shown => "{shown}",
            Place::Total => "{total}",
            Place::Ref => "{ref}",
            Place::Call => "{call}",
            Place::Path => "{path}",
        }
    }

    /// Whether the next character could be taken for a part of the place.
    fn may_hold(self, character: char) -> bool {
        match self {
            Place::Shown | Place::Total => character.is_ascii_digit(),
            Place::Ref => character.is_ascii_alphanumeric(),
            Place::Call | Place::Path => false,
        }
    }

    /// Whether the place may have been filled with this text.
    fn takes(self, text: &str) -> bool {
        !text.is_empty()
            && match self {
                Place::Shown | Place::Total => text.bytes().all(|byte| byte.is_ascii_digit()),
                Place::Ref => text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                Place::Call | Place::Path => !text.contains('\n'),
            }
    }
}

/// More bytes than any number, reference, call or path has.
const PLACE_BYTES: u32 = 4096;

/// The values of `{shown}` and `{total}`.
pub struct Numbers {
    pub shown: usize,
    pub total: usize,
}

/// A marker: text, then places, each with the text after it.
pub struct Marker {
    begin: String,
    rest: Vec<(Place, String)>,
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
            let place = Place::ALL.into_iter().find(|place| place.name() == whole);
            let Some(place) = place else {
                let known = Place::ALL.map(Place::name).join(", ");
                return Err(format!("`marker` names {whole}: it may name {known}"));
            };
            marker.rest.push((place, String::new()));
            left = &after[1..];
        }
        marker.last().push_str(left);
        if marker.begin.is_empty() {
            return Err(format!(
                "`marker` is {text:?}: it has to begin with text, so that one sees where it begins"
            ));
        }
        let between = marker.rest.iter().find(|(_, after)| after.is_empty());
        if let Some((place, _)) = between {
            return Err(format!(
                "`marker` is {text:?}: text has to follow {}, so that one sees where it ends",
                place.name()
            ));
        }
        let joined = marker.rest.iter().find(|(place, after)| {
            let next = after.chars().next();
            next.is_some_and(|next| place.may_hold(next))
        });
        if let Some((place, after)) = joined {
            return Err(format!(
                "`marker` is {text:?}: after {} comes {after:?}, which could be a part of it: begin that with a space or a sign",
                place.name()
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

    fn names(&self, one_of: &[Place]) -> bool {
        self.rest.iter().any(|(place, _)| one_of.contains(place))
    }

    pub fn names_total(&self) -> bool {
        self.names(&[Place::Total])
    }

    pub fn names_original(&self) -> bool {
        self.names(&[Place::Ref, Place::Call, Place::Path])
    }

    /// The size of the longest filled marker.
    pub fn longest_bytes(&self) -> u32 {
        let text = |text: &String| text.len() as u32;
        let rest = self.rest.iter().map(|(_, after)| PLACE_BYTES + text(after));
        text(&self.begin) + rest.sum::<u32>()
    }

    /// The filled marker; none if it names an original and none is stored.
    pub fn fill(&self, numbers: &Numbers, original: Option<&Kept>) -> Option<String> {
        let mut filled = self.begin.clone();
        for (place, after) in &self.rest {
            match place {
                Place::Shown => filled.push_str(&numbers.shown.to_string()),
                Place::Total => filled.push_str(&numbers.total.to_string()),
                Place::Ref => filled.push_str(&original?.reference),
                Place::Call => filled.push_str(&original?.call),
                Place::Path => filled.push_str(original?.path.as_ref()?),
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
    pub fn places(&self, text: &str, window: Range<usize>) -> Vec<Range<usize>> {
        let first = self.begin.chars().next().map_or(1, char::len_utf8);
        let mut places = Vec::new();
        let mut from = text.ceil_char_boundary(window.start);
        while let Some(found) = text[from..].find(self.begin.as_str()) {
            let start = from + found;
            if start >= window.end {
                break;
            }
            if let Some(length) = self.end_of(&text[start..]) {
                places.push(start..start + length);
            }
            from = start + first;
        }
        places
    }

    /// The end of the marker at the beginning of a text.
    fn end_of(&self, text: &str) -> Option<usize> {
        let mut left = text.strip_prefix(self.begin.as_str())?;
        for (place, after) in &self.rest {
            let most = PLACE_BYTES as usize + after.len();
            let near = &left[..left.floor_char_boundary(most)];
            let filled = &left[..near.find(after.as_str())?];
            if !place.takes(filled) {
                return None;
            }
            left = &left[filled.len() + after.len()..];
        }
        Some(text.len() - left.len())
    }
}
