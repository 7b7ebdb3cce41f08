//! The line that replaces a result: the result that it repeats, and the call that returns it again.

use crate::recent::ShownResult;
use std::fmt;
use tamis_sdk::{quote, thousands};

pub struct Line<'a> {
    pub first: &'a ShownResult,
    /// Size of the omitted document.
    pub bytes: u32,
    /// The call that reads the document.
    pub read: &'a str,
    /// The argument that returns the whole result, if the tool accepts one.
    pub full: Option<&'a str>,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShownResult {
            tool, arguments, ..
        } = self.first;
        let bytes = thousands(u64::from(self.bytes));
        out.write_str("[tamis] Same as the result of ")?;
        match (tool.as_str(), arguments.as_str()) {
            ("", _) => out.write_str("a call")?,
            (tool, "{}") => out.write_str(tool)?,
            (tool, arguments) => write!(out, "{tool} {arguments}")?,
        }
        let read = self.read;
        write!(
            out,
            " earlier in this session ({bytes} bytes). Again in full: {read}"
        )?;
        if let Some(full) = self.full {
            write!(out, ", or this call with {}:true", quote(full))?;
        }
        Ok(())
    }
}
