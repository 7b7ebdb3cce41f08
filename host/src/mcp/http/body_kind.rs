//! The type, character set and coding of a body, by its headers.
//!
//! Clients differ in the headers that they follow. Some decode by the named character set, some by the look of
//! the bytes; some look for a type anywhere in the header. So if a policy hides content, a body counts as a kind
//! only if all clients agree on that kind.

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

/// The kind of a body by its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyType {
    Json,
    /// A stream of events.
    Events,
    Nothing,
    Other,
}

/// The headers' description of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BodyKind {
    pub(super) body_type: BodyType,
    /// The body is compressed, or coded in another way that Tamis does not decode.
    pub(super) is_coded: bool,
    /// All readers agree: the body has one type, and no character set but UTF-8.
    pub(super) is_plain: bool,
}

impl BodyKind {
    pub(super) fn of(headers: &HeaderMap) -> BodyKind {
        let text = |value: &HeaderValue| value.to_str().unwrap_or("?").to_ascii_lowercase();
        let mut codings = headers.get_all(CONTENT_ENCODING).iter().map(text);
        let mut kinds = headers.get_all(CONTENT_TYPE).iter().map(text);
        let kind = kinds.next().unwrap_or_default();
        let mut parts = kind.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let is_utf8 = |parameter: &str| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            let value = value.trim().trim_matches('"');
            parameter.is_empty()
                || name.trim() == "charset" && matches!(value, "utf-8" | "utf8" | "us-ascii")
        };
        BodyKind {
            body_type: match name {
                "" => BodyType::Nothing,
                "text/event-stream" => BodyType::Events,
                "application/json" => BodyType::Json,
                name if name.ends_with("+json") => BodyType::Json,
                _ => BodyType::Other,
            },
            is_coded: !codings.all(|coding| matches!(coding.trim(), "" | "identity")),
            is_plain: parts.all(is_utf8) && kinds.next().is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_headers_say_of_a_body() {
        use BodyType::{Events, Json, Nothing, Other};
        for (header, body_type, is_plain) in [
            ("", Nothing, true),
            ("application/json", Json, true),
            ("Application/JSON ; charset=\"UTF-8\";", Json, true),
            ("application/problem+json", Json, true),
            ("text/event-stream; charset=utf-8", Events, true),
            ("application/json; charset=utf-16", Json, false),
            ("application/json; charset=utf-7", Json, false),
            ("text/event-stream; x=application/json", Events, false),
            ("application/json, text/event-stream", Other, true),
            ("text/event-streams", Other, true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(header));
            let kind = BodyKind::of(&headers);
            assert_eq!(
                (kind.body_type, kind.is_plain),
                (body_type, is_plain),
                "{header}"
            );
            assert!(!kind.is_coded);
            headers.append(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
            assert!(!BodyKind::of(&headers).is_plain, "{header} and another");
        }
        for (coding, is_coded) in [("identity", false), ("gzip", true), ("identity, br", true)] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
            assert_eq!(BodyKind::of(&headers).is_coded, is_coded, "{coding}");
        }
    }
}
