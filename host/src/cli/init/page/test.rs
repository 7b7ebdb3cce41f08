//! A `[[test]]` that holds when it is written.

use super::words::{arguments, quote};
use crate::numbers::grouped;
use serde_json::{Map, Value};
use std::fmt::Write;

/// A test that holds.
#[derive(Debug, Clone)]
pub(in super::super) struct Test {
    /// The name of the chain; none: by its position.
    pub(in super::super) name: Option<String>,
    pub(in super::super) tool: String,
    /// The server; none: the chain does not depend on it.
    pub(in super::super) server: Option<String>,
    /// The arguments of the call that gave the result.
    pub(in super::super) arguments: Map<String, Value>,
    /// Relative to the folder of filters.toml.
    pub(in super::super) input_file: String,
    /// The tokens of the whole output, as `tamis test` counts them.
    pub(in super::super) tokens_before: u64,
    pub(in super::super) tokens_after: u64,
    /// A word that passes the chain.
    pub(in super::super) word: Option<String>,
}

impl Test {
    pub(super) fn text(&self) -> String {
        let mut text = String::from("[[test]]\n");
        if let Some(name) = &self.name {
            let _ = writeln!(text, "name = {}", quote(name));
        }
        if let Some(server) = &self.server {
            let _ = writeln!(text, "server = {}", quote(server));
        }
        let _ = writeln!(text, "tool = {}", quote(&self.tool));
        if let Some(arguments) = arguments(&self.arguments) {
            let _ = writeln!(text, "arguments = {arguments}");
        }
        let _ = writeln!(text, "input-file = {}", quote(&self.input_file));
        if let Some(word) = &self.word {
            let _ = writeln!(text, "contains = [{}]", quote(word));
        }
        let _ = writeln!(
            text,
            "max-tokens = {}   # of the whole result, which has {} unfiltered",
            self.tokens_after,
            grouped(self.tokens_before)
        );
        text
    }
}
