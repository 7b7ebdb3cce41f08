//! The whole of an output of which an event holds a part: the file that the agent saved it in.
//!
//! The event names the file, so nothing of it is believed: it must be a regular file of this user, of
//! the size that the event says, and hold the part that the event holds.

use crate::system::{files, owners};
use std::io::Read;
use std::path::Path;

/// A larger output is left to the agent, which shows the beginning and names the file: filtering it would
/// take longer than agents wait for a hook.
const MOST_BYTES: u64 = 32 << 20;

/// Reads the file. `bytes`: the size, where the event says it. An error says why the file is not used.
pub(super) fn read(path: &str, bytes: Option<u64>) -> Result<String, String> {
    let error = |error: std::io::Error| error.to_string();
    if !Path::new(path).is_absolute() {
        return Err("the path is not absolute".to_owned());
    }
    // A pipe would be waited for, a link may lead anywhere.
    let file = files::open_unlinked(Path::new(path)).map_err(error)?;
    let found = file.metadata().map_err(error)?;
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if !owners::is_own(&file).map_err(error)? {
        return Err("it belongs to another user".to_owned());
    }
    if let Some(bytes) = bytes.filter(|bytes| *bytes != found.len()) {
        let found = found.len();
        return Err(format!("it has {found} bytes, and not {bytes}"));
    }
    if found.len() > MOST_BYTES {
        return Err(format!("it is larger than {MOST_BYTES} bytes"));
    }
    let mut content = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut content)
        .map_err(error)?;
    if content.len() as u64 != found.len() {
        return Err("it changed while it was read".to_owned());
    }
    String::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_a_regular_file_of_the_size_that_was_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.txt");
        fs::write(&path, "12345").expect("write");
        let text = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
        assert_eq!(read(&text(&path), Some(5)).as_deref(), Ok("12345"));
        assert_eq!(read(&text(&path), None).as_deref(), Ok("12345"));
        let error = read(&text(&path), Some(6)).expect_err("another size");
        assert_eq!(error, "it has 5 bytes, and not 6");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).expect("a pipe");
        let large = folder.path().join("large");
        let file = fs::File::create(&large).expect("a file");
        file.set_len(MOST_BYTES + 1).expect("make it large");
        let binary = folder.path().join("binary");
        fs::write(&binary, b"\xff").expect("write");
        for (path, reason) in [
            // glibc and musl begin the message with different letters.
            (text(&link), "ymbolic link"),
            (text(&pipe), "it is not a regular file"),
            (text(folder.path()), "it is not a regular file"),
            ("/dev/zero".to_owned(), "it is not a regular file"),
            (text(&large), "it is larger than 33554432 bytes"),
            (text(&binary), "it is not UTF-8"),
            ("out.txt".to_owned(), "the path is not absolute"),
            (text(&folder.path().join("none")), "No such file"),
        ] {
            let error = read(&path, None).expect_err("it is refused");
            assert!(error.contains(reason), "{path}: {error}");
        }
    }
}
