//! Exact token counts. Claude has no public tokenizer, so o200k_base stands for all of them, and
//! whatever prints a count says so.

/// Name of the encoding, for whatever prints counts.
pub const ENCODING: &str = "o200k";

/// Number of o200k_base tokens of a text.
pub fn count(text: &str) -> u32 {
    let encoding = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    u32::try_from(encoding.count(text)).unwrap_or(u32::MAX)
}
