//! What stands in the place of a result: which one it repeats, and how to have it again.

use crate::recent::Seen;
use std::fmt;
use tamis_sdk::{quote, thousands};

pub struct Line<'a> {
    pub first: &'a Seen,
    /// Of the document that is left out.
    pub bytes: u32,
    /// The call that reads it.
    pub read: &'a str,
    /// The argument that brings all of it, where the tool takes that.
    pub full: Option<&'a str>,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seen {
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
