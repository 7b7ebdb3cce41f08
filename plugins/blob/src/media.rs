//! The kind of bytes, by their beginning.

/// The media type of the first bytes; none if it is unknown.
pub fn sniffed(bytes: &[u8]) -> Option<&'static str> {
    const BEGINNINGS: [(&[u8], &str); 12] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"\0asm", "application/wasm"),
        (b"\x7fELF", "ELF"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"SQLite format 3\0", "SQLite"),
    ];
    if bytes.starts_with(b"RIFF") {
        return match bytes.get(8..12) {
            Some(b"WEBP") => Some("image/webp"),
            Some(b"WAVE") => Some("audio/wav"),
            _ => None,
        };
    }
    let found = BEGINNINGS
        .iter()
        .find(|(begin, _)| bytes.starts_with(begin));
    found.map(|(_, media)| *media)
}

/// Whether bytes are text that a person could read.
pub fn is_text(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let is_odd = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
    text.chars().filter(is_odd).count() * 50 <= text.len()
}
