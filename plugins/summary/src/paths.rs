//! Lists of paths: by folder and by ending.

use crate::counts::Counts;
use crate::paper::{Paper, listed};

/// Fewer paths than this are no list of them.
const LEAST: usize = 6;

/// Counts by directory and by ending of lines that are paths; empty if they are not.
pub fn told<'t>(lines: impl Iterator<Item = &'t str> + Clone, room: usize) -> String {
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    let (mut all, mut are_paths) = (0, 0);
    for line in lines.clone() {
        all += 1;
        are_paths += usize::from(is_path(line));
    }
    // A line or two may say something else: "Results are cut."
    if all < LEAST || are_paths + 2 < all || are_paths * 10 < all * 9 {
        return String::new();
    }
    let lines = lines.filter(|line| is_path(line));
    let mut common: Option<&str> = None;
    for line in lines.clone() {
        common = Some(match common {
            None => line,
            Some(common) => shared(common, line),
        });
    }
    let common = common.unwrap_or_default();
    let base = common.rfind('/').map_or("", |end| &common[..=end]);
    let mut endings = Counts::new();
    for line in lines.clone() {
        let name = line.rsplit('/').next().unwrap_or(line);
        endings.add(name.rfind('.').map_or("(none)", |dot| &name[dot..]));
    }
    let folders = folders(lines, base);
    let mut paper = Paper::new(room);
    let what = if base.is_empty() {
        String::new()
    } else {
        format!(", all in {base}")
    };
    paper.cut_line(&format!(" {are_paths} paths{what}"));
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

fn is_path(line: &str) -> bool {
    line.contains('/')
        && line.len() < 400
        && !line.contains("://")
        && !line.contains(": ")
        && line.bytes().filter(|byte| *byte == b' ').count() < 4
        && !line.starts_with(['<', '{', '[', '#', '*', '-', '"', '|'])
}

/// What two texts begin with.
fn shared<'t>(left: &'t str, right: &str) -> &'t str {
    let same = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b);
    &left[..left.floor_char_boundary(same.count())]
}
