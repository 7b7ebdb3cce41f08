//! The content of tools, prompts and resources: one block of each kind, as small as possible.

use rmcp::model::{ContentBlock, ResourceContents};

/// A red dot: a PNG of one pixel.
pub const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A WAV file without a sample.
pub const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

pub fn image() -> ContentBlock {
    ContentBlock::image(PNG, "image/png")
}

pub fn audio() -> ContentBlock {
    ContentBlock::audio(WAV, "audio/wav")
}

/// A resource that is part of an answer.
pub fn resource(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
}
