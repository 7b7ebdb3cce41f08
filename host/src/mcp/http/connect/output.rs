//! Standard output, shared by several writers: whole lines.

use crate::mcp::lines::line_of;
use std::io::Write;
use std::sync::Mutex;

#[derive(Debug, Default)]
pub(super) struct Output(Mutex<()>);

impl Output {
    /// Writes a message as a line. If the reader has closed the pipe, this process ends.
    pub(super) fn line(&self, message: &[u8]) {
        if message.trim_ascii().is_empty() {
            return;
        }
        let line = line_of(message);
        tokio::task::block_in_place(|| {
            let _alone = self.0.lock();
            let mut out = std::io::stdout().lock();
            if out.write_all(&line).and_then(|()| out.flush()).is_err() {
                std::process::exit(0);
            }
        });
    }
}
