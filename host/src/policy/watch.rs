//! Notices when the files of a policy were written.
//!
//! Polls the files. Polling needs nothing from the system, sees a file that an editor renamed into place, and
//! works on file systems without notifications. A file counts as written when two polls in a row find the
//! same state, so Tamis never reads a half-written file.

use crate::system::files::Stamp;
use std::path::PathBuf;

/// Files, and their last states.
#[derive(Debug)]
pub struct Watch {
    files: Vec<Watched>,
}

#[derive(Debug)]
struct Watched {
    path: PathBuf,
    /// The state that was last handled. None, if the file is optional: it does not exist.
    settled: Option<Stamp>,
    /// The state that was last seen.
    seen: Option<Stamp>,
}

impl Watch {
    /// The files in their present state. Call this before reading them.
    pub fn new(files: Vec<PathBuf>) -> Watch {
        let mut watch = Watch { files: Vec::new() };
        watch.follow(files);
        watch
    }

    /// Watches other files from now on. Files that it already watches keep their states.
    pub fn follow(&mut self, files: Vec<PathBuf>) {
        let mut before = std::mem::take(&mut self.files);
        for path in files {
            let known = before.iter().position(|file| file.path == path);
            let file = known.map_or_else(
                || {
                    let now = Stamp::at(&path);
                    Watched {
                        path,
                        settled: now,
                        seen: now,
                    }
                },
                |index| before.swap_remove(index),
            );
            self.files.push(file);
        }
    }

    /// Watches these files, too.
    pub fn follow_more(&mut self, files: &[PathBuf]) {
        let mut all: Vec<PathBuf> = self.files.iter().map(|file| file.path.clone()).collect();
        for path in files {
            if !all.contains(path) {
                all.push(path.clone());
            }
        }
        self.follow(all);
    }

    /// Looks at the files. Returns whether some were written since they were last handled, and none is still
    /// changing.
    pub fn poll(&mut self) -> bool {
        let (mut written, mut at_rest) = (false, true);
        for file in &mut self.files {
            let now = Stamp::at(&file.path);
            at_rest &= now == file.seen;
            written |= now != file.settled;
            file.seen = now;
        }
        written && at_rest
    }

    /// Marks the present state of the files as handled. Call this before reading them. Returns the files that
    /// were written since the last call.
    pub fn settle(&mut self) -> Vec<PathBuf> {
        let mut written = Vec::new();
        for file in &mut self.files {
            let now = Stamp::at(&file.path);
            if now != file.settled {
                written.push(file.path.clone());
            }
            (file.settled, file.seen) = (now, now);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_written_when_it_is_at_rest_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("filters.toml");
        fs::write(&file, "1").unwrap();
        let mut watch = Watch::new(vec![file.clone()]);
        assert!(!watch.poll());
        fs::write(&file, "12").unwrap();
        assert!(!watch.poll(), "it may not be all of it");
        fs::write(&file, "123").unwrap();
        assert!(!watch.poll(), "it was not");
        assert!(watch.poll());
        assert!(watch.poll(), "nobody has dealt with it");
        assert_eq!(watch.settle(), std::slice::from_ref(&file));
        assert!(!watch.poll());
        assert_eq!(watch.settle(), [] as [PathBuf; 0]);
    }

    #[test]
    fn another_file_in_its_place_no_file_and_a_file_again_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let (file, new) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "1").unwrap();
        let mut watch = Watch::new(vec![file.clone()]);
        let mut is_seen = || {
            let seen = !watch.poll() && watch.poll();
            watch.settle();
            seen
        };
        // Its content has the same length, and its time is the old one's.
        fs::write(&new, "2").unwrap();
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        fs::File::options()
            .append(true)
            .open(&new)
            .unwrap()
            .set_modified(time)
            .unwrap();
        fs::rename(&new, &file).unwrap();
        assert!(is_seen());
        fs::remove_file(&file).unwrap();
        assert!(is_seen());
        assert!(!is_seen());
        fs::write(&file, "3").unwrap();
        assert!(is_seen());
    }

    #[test]
    fn files_come_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        for file in [&a, &b, &c] {
            fs::write(file, "1").unwrap();
        }
        let mut watch = Watch::new(vec![a.clone(), b.clone()]);
        fs::write(&a, "22").unwrap();
        fs::write(&c, "22").unwrap();
        watch.follow(vec![c, a.clone()]);
        assert_eq!(
            watch.settle(),
            [a],
            "of the new one nobody knew how it looked"
        );
        fs::write(&b, "22").unwrap();
        assert_eq!(watch.settle(), [] as [PathBuf; 0]);
    }
}
