//! Standard output: whole lines, whoever writes them.

use std::io::Write;
use std::sync::Mutex;

#[derive(Debug, Default)]
pub(super) struct Output(Mutex<()>);

impl Output {
    /// Writes a message as a line. If nobody reads any more, this process has nothing left to do.
    pub(super) fn line(&self, message: &[u8]) {
        let mut line = Vec::with_capacity(message.len() + 1);
        line.extend_from_slice(message.trim_ascii());
        for byte in &mut line {
            // In JSON a line break can only be space between tokens; here it ends the message.
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        if line.is_empty() {
            return;
        }
        line.push(b'\n');
        tokio::task::block_in_place(|| {
            let _alone = self.0.lock();
            let mut out = std::io::stdout().lock();
            if out.write_all(&line).and_then(|()| out.flush()).is_err() {
                std::process::exit(0);
            }
        });
    }
}
