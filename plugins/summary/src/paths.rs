//! Lists of paths: by folder and by ending.

use crate::counts::Counts;
use crate::listing;
use crate::paper::{Paper, listed};

/// Fewer paths than this are no list of them.
const LEAST: usize = 6;

/// Whether a text is a list of paths.
pub fn are<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let (mut all, mut are_paths) = (0, 0);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        all += 1;
        are_paths += usize::from(path(line).is_some());
    }
    // A line or two may say something else: "Results are cut."
    are_paths >= LEAST && (are_paths + 2 >= all || are_paths * 10 >= all * 9)
}

/// Counts by directory and by ending of lines that are paths; empty if they are not.
pub fn told<'t>(lines: impl Iterator<Item = &'t str> + Clone, room: usize) -> String {
    if !are(lines.clone()) {
        return String::new();
    }
    let (directories, files) = listing::marks(lines.clone());
    let lines = lines.filter_map(path);
    let are_paths = lines.clone().count();
    let mut common: Option<&str> = None;
    for line in lines.clone() {
        common = Some(match common {
            None => line,
            Some(common) => shared(common, line),
        });
    }
    let common = common.unwrap_or_default();
    let base = common.rfind('/').map_or("", |end| &common[..=end]);
    let endings = listing::endings(lines.clone());
    let folders = folders(lines, base);
    let mut paper = Paper::new(room);
    let what = if base.is_empty() {
        String::new()
    } else {
        format!(", all in {base}")
    };
    let marks = if directories + files == are_paths {
        format!(": {directories} directories, {files} files")
    } else {
        String::new()
    };
    paper.cut_line(&format!(" {are_paths} paths{marks}{what}"));
    if folders.len() > 1 {
        let said: Vec<String> = folders
            .iter()
            .map(|(folder, count)| format!("{} {count}", &folder[base.len()..]))
            .map(|said| {
                if said.starts_with(' ') {
                    format!("here{said}")
                } else {
                    said
                }
            })
            .collect();
        let room = paper.left() / 2;
        paper.cut_line(&format!(" by folder: {}", listed(&said, room)));
    }
    let room = paper.left().min(200).saturating_sub(20);
    paper.cut_line(&format!(" by ending: {}", endings.listed(room)));
    paper.text().to_owned()
}

/// Folders under `base` with the number of paths in each: large ones are split into those inside.
fn folders<'t>(lines: impl Iterator<Item = &'t str> + Clone, base: &'t str) -> Vec<(&'t str, u32)> {
    const SHOWN: usize = 16;
    let inside = |folder: &'t str| {
        let mut counts = Counts::new();
        let lines = lines.clone().filter(|line| line.starts_with(folder));
        for line in lines {
            let next = line[folder.len()..].find('/');
            counts.add(next.map_or(folder, |end| &line[..folder.len() + end + 1]));
        }
        counts
    };
    let all = inside(base);
    let least = (all.total() / 8).max(4);
    let mut folders = all.items;
    // A folder that was split stands for the paths directly in it.
    let mut split = vec![base];
    while folders.len() < SHOWN {
        let large = folders
            .iter()
            .enumerate()
            .filter(|(_, (folder, count))| *count > least && !split.contains(folder))
            .max_by_key(|(place, (_, count))| (*count, std::cmp::Reverse(*place)));
        let Some((place, &(folder, _))) = large else {
            break;
        };
        split.push(folder);
        let parts = inside(folder).items;
        if folders.len() + parts.len() <= SHOWN + 4 {
            folders.splice(place..=place, parts);
        }
    }
    folders
}

/// The path that a line is, without a mark before it.
pub fn path(line: &str) -> Option<&str> {
    let line = line.trim();
    match listing::marked(line) {
        Some((path, _)) => Some(path.trim()),
        None => is_path(line).then_some(line),
    }
}

fn is_path(line: &str) -> bool {
    line.contains('/')
        && line.len() < 400
        && !line.contains("://")
        && !line.contains(": ")
        && has_words_of_a_path(line)
        && !line.starts_with(['<', '{', '[', '#', '*', '-', '"', '|'])
}

/// A path may have a few blanks; `epoch 3/400 loss=0.2` has none of a path's words.
fn has_words_of_a_path(line: &str) -> bool {
    let blanks = line.bytes().filter(|byte| *byte == b' ').count();
    if blanks == 0 {
        return true;
    }
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = line.as_bytes();
    let is_share = (1..bytes.len())
        .any(|at| bytes[at] == b'/' && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1)));
    // `FAIL src/a.test.js`, `tests/a.py::b PASSED`: what a run says of a path.
    let is_outcome = |word: &str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
    let mut words = line.split(' ');
    let has_outcome = words.next().is_some_and(is_outcome) || words.any(is_outcome);
    blanks < 4 && !is_share && !has_outcome && !line.contains(['=', '%']) && !line.contains("::")
}

/// What two texts begin with.
fn shared<'t>(left: &'t str, right: &str) -> &'t str {
    let same = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b);
    &left[..left.floor_char_boundary(same.count())]
}
