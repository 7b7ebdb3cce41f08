//! Lists of paths: counts by folder and by ending.
//!
//! Owns the definition of a path. Refuses to know listings in other forms.

use crate::counts::Counts;
use crate::hashing::same;
use crate::listing;
use crate::paper::{Paper, cut, listed, one_line};
use crate::search::{begins, find, has, split};
use crate::trim::trim;
use tamis_formats::words;

/// Fewest paths of a list.
const LEAST: usize = 6;
/// Most different starts of lines before paths.
const STARTS: usize = 8;
/// Characters of such a start.
const START_CHARACTERS: usize = 40;

/// The paths of a text.
pub struct Paths<'t> {
    all: Vec<&'t str>,
    /// The number of paths marked as directories, and as files.
    directories: usize,
    files: usize,
    /// Starts of lines before paths, such as `deleting old/a` has, and these paths with the number of their start.
    starts: Vec<&'t str>,
    after_starts: Vec<(usize, &'t str)>,
}

impl<'t> Paths<'t> {
    /// The paths of a text that is a list of them.
    #[inline(never)]
    pub fn of(lines: impl Iterator<Item = &'t str>) -> Option<Paths<'t>> {
        let mut found = Paths {
            all: Vec::new(),
            directories: 0,
            files: 0,
            starts: Vec::new(),
            after_starts: Vec::new(),
        };
        let (mut others, mut with_blanks) = (0, 0);
        for whole in lines {
            let line = trim(whole);
            if line.is_empty() {
                continue;
            }
            let marked = listing::marked(line);
            if listing::sized(marked).is_some() {
                return None;
            }
            let Some(path) = path_of(line, marked) else {
                others += 1;
                continue;
            };
            if let Some((start, path)) = after_words(whole, path).filter(|_| marked.is_none()) {
                with_blanks += usize::from(path.contains(' '));
                if !found.note(start, path) {
                    return None;
                }
                continue;
            }
            with_blanks += usize::from(marked.is_none() && path.contains(' '));
            found.all.push(path);
            match marked {
                Some((_, true)) => found.directories += 1,
                Some((_, false)) => found.files += 1,
                None => {}
            }
        }
        let count = found.all.len() + found.after_starts.len();
        // One or two lines may hold other text: "Results are cut."
        // Few names have blanks. Where most lines have, they say something of the paths.
        let is_list = count >= LEAST
            && (others <= 2 || count * 10 >= (count + others) * 9)
            && with_blanks * 2 <= count;
        is_list.then_some(found)
    }

    /// Notes a path after the start of a line. False if too many lines start differently.
    fn note(&mut self, start: &'t str, path: &'t str) -> bool {
        let known = self.starts.iter().position(|known| *known == start);
        if known.is_none() {
            self.starts.push(start);
        }
        let at = known.unwrap_or(self.starts.len() - 1);
        self.after_starts.push((at, path));
        self.starts.len() <= STARTS
    }

    /// Describes the list by counts of directories and endings. False if there is no room.
    pub fn tell(&self, paper: &mut Paper) -> bool {
        let text = self.told(paper.left());
        !text.is_empty() && paper.line(text.trim_end())
    }

    fn told(&self, room: usize) -> String {
        let (directories, files, are_paths) = (self.directories, self.files, self.all.len());
        let mut paper = Paper::new(room);
        let marks = if directories + files == are_paths {
            format!(": {directories} directories, {files} files")
        } else {
            String::new()
        };
        if are_paths > 0 {
            let head = format!("{are_paths} paths{marks}");
            tell_group(&head, false, &self.all, &mut paper);
        }
        for (at, start) in self.starts.iter().enumerate() {
            let of_start = self.after_starts.iter().filter(|(of, _)| *of == at);
            let paths: Vec<&str> = of_start.map(|(_, path)| *path).collect();
            let lines = match paths.len() {
                1 => "1 line that begins".to_owned(),
                count => format!("{count} lines that begin"),
            };
            let start = cut(start, START_CHARACTERS);
            let head = format!("{lines} with \"{}\"", one_line(&start));
            tell_group(&head, true, &paths, &mut paper);
        }
        paper.text().to_owned()
    }
}

/// A path before an arrow, or before `to` and another path, without the one after it: `a/1.rs -> b/1.rs`.
#[inline(never)]
fn source(path: &str, is_after_words: bool) -> &str {
    // Most paths have no blank.
    if memchr::memchr(b' ', path.as_bytes()).is_none() {
        return path;
    }
    let mut signs = [" -> ", " \u{2192} ", " --> "].iter();
    let mut words = [" to ", " into ", " as "].iter();
    let end = signs.find_map(|sign| find(path, sign)).or_else(|| {
        words.find_map(|word| {
            let (from, to) = split(path, word)?;
            are_two(from, to, is_after_words).then_some(from.len())
        })
    });
    let source = &path[..end.unwrap_or(path.len())];
    source.strip_suffix('\'').unwrap_or(source)
}

/// Whether these are two paths, one before `to` and one after it: `docs/How to cook/a.md` is one, and so is
/// `docs/From v0.md to v1.md`. `is_after_words`: a word before says what was done, so that their endings may differ.
fn are_two(from: &str, to: &str, is_after_words: bool) -> bool {
    let [from, to] = [from, to].map(|path| path.trim_matches('\''));
    let [last, last_to] = [from, to].map(|path| behind(path, b'/').unwrap_or(path));
    let [ending, ending_to] = [last, last_to].map(ending);
    let has_folder = last_to.len() < to.len();
    let is_same = last == last_to || ending.is_some() && ending == ending_to;
    // The number of a version is no ending.
    let is_file = ending.is_some_and(|it| it.bytes().any(|byte| byte.is_ascii_alphabetic()));
    begins(to, &["/", "./", "../"])
        || has_folder && is_same
        || is_after_words && is_file && (has_folder || ending_to.is_some() && !is_same)
}

/// What follows the last of a sign.
#[inline(never)]
fn behind(text: &str, sign: u8) -> Option<&str> {
    let at = text.bytes().rposition(|byte| byte == sign)?;
    Some(&text[at + 1..])
}

/// The ending of a file's name.
#[inline(never)]
fn ending(name: &str) -> Option<&str> {
    const LONGEST: usize = 8;
    let ending = behind(name, b'.')?;
    let is_ending = ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_ending && (1..=LONGEST).contains(&ending.len())).then_some(ending)
}

/// Describes paths. `is_after_words`: words are before them in their lines.
fn tell_group(head: &str, is_after_words: bool, lines: &[&str], paper: &mut Paper) {
    let sources = lines.iter().map(|path| source(path, is_after_words));
    let mut paths: Vec<&str> = sources.collect();
    let inside = [", all in ", ", then "][usize::from(is_after_words)];
    // A source is the beginning of its line.
    let pairs = |paths: &[&str]| {
        let all = lines.iter().zip(paths);
        all.filter(|(line, path)| line.len() != path.len()).count()
    };
    let mut arrows = String::new();
    if pairs(&paths) > 0 {
        // What stands in a folder that all share is in its name: `docs/ASP.NET to Core/`.
        let shared_by_all = lines.iter().copied().reduce(shared).unwrap_or_default();
        let folder = shared_by_all.rfind('/').unwrap_or_default();
        let differ = lines.iter().any(|line| *line != shared_by_all);
        for (path, line) in paths.iter_mut().zip(lines) {
            if differ && path.len() < folder {
                *path = line;
            }
        }
        arrows = match pairs(&paths) {
            0 => arrows,
            count => format!(", {count} followed by another path"),
        };
    }
    let paths = &paths;
    let common = paths.iter().copied().reduce(shared).unwrap_or_default();
    let base = common.rfind('/').map_or("", |end| &common[..=end]);
    let folders = folders(paths, base);
    let place = if base.is_empty() {
        String::new()
    } else {
        format!("{inside}{base}")
    };
    paper.cut_line(&format!(" {head}{place}{arrows}"));
    if folders.len() > 1 {
        let told: Vec<String> = folders
            .iter()
            .map(|(folder, count)| match &folder[base.len()..] {
                "" => format!("here {count}"),
                folder => format!("{folder} {count}"),
            })
            .collect();
        let room = paper.left() / 2;
        paper.cut_list(" by folder: ", &listed(&told, room));
    }
    let endings = listing::endings(paths.iter().copied());
    let room = paper.left().min(200).saturating_sub(20);
    paper.cut_list(" by ending: ", &endings.listed(room));
}

/// Folders under `base` with their numbers of paths. Large folders are split into their subfolders.
fn folders<'t>(paths: &[&'t str], base: &'t str) -> Vec<(&'t str, u32)> {
    const SHOWN: usize = 16;
    let inside = |folder: &'t str| {
        let mut counts = Counts::new();
        for path in paths {
            let (start, rest) = match path.as_bytes().split_at_checked(folder.len()) {
                Some((start, rest)) if same(start, folder) => (start.len(), rest),
                _ => continue,
            };
            let next = memchr::memchr(b'/', rest);
            counts.add(next.map_or(folder, |end| &path[..start + end + 1]));
        }
        counts
    };
    let all = inside(base);
    let least = (all.total() / 8).max(4);
    let mut folders = all.items;
    // A folder that was split counts the paths directly in it.
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

/// The path in a line, without a mark before it.
pub fn path(line: &str) -> Option<&str> {
    let line = trim(line);
    path_of(line, listing::marked(line))
}

fn path_of<'t>(line: &'t str, marked: Option<(&'t str, bool)>) -> Option<&'t str> {
    match marked {
        Some((path, _)) => Some(path.trim()),
        None => is_path(line).then_some(line),
    }
}

/// The start of a line, and the path that follows: a tool says of the path what it did, or a folder has a blank in its
/// name. `path`: the line without blanks around it.
#[inline(never)]
fn after_words<'t>(line: &'t str, path: &'t str) -> Option<(&'t str, &'t str)> {
    let slash = memchr::memchr(b'/', path.as_bytes())?;
    let blank = path.as_bytes()[..slash]
        .iter()
        .rposition(|byte| *byte == b' ')?;
    let quoted = &path[blank + 1..];
    let path = quoted.strip_prefix('\'').unwrap_or(quoted);
    let start = path.as_ptr().addr() - line.as_ptr().addr();
    Some((&line[..start], path.strip_suffix('\'').unwrap_or(path)))
}

fn is_path(line: &str) -> bool {
    let begins_otherwise = line.starts_with(['<', '{', '[', '(', '#', '*', '-', '"', '|']);
    if begins_otherwise || line.len() >= 400 {
        return false;
    }
    /// A line with so many colons before its first slash is one of `/etc/passwd`.
    const FIELDS: usize = 3;
    let has_sign = |sign: u8| words::has_any_of(line.as_bytes(), |part| part.are(sign));
    let has_fields = || {
        let before = line.bytes().take_while(|byte| *byte != b'/');
        before.filter(|byte| *byte == b':').count() >= FIELDS
    };
    // Tabs separate columns: `ok`, a package and its time.
    has_sign(b'/')
        && !has_sign(b'\t')
        && !(has_sign(b':') && (has(line, "://") || has(line, ": ") || has_fields()))
        && (!has_sign(b' ') || has_words_of_a_path(line))
        && !is_row(line.as_bytes())
}

/// Whether a line is a row of a table whose slashes are those of dates, or one with shares: `W,12,53%,11/10/2026`.
#[inline(never)]
fn is_row(line: &[u8]) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| b",;|\" ".contains(byte));
    let mut percents = memchr::memchr_iter(b'%', line);
    let has_cells = memchr::memchr2(b',', b';', line).is_some();
    if has_cells && percents.any(|at| is_end(line.get(at + 1))) {
        return true;
    }
    // The slashes so far that are those of a date.
    let mut behind = 0;
    while let Some(slash) = memchr::memchr(b'/', &line[behind..]) {
        let slash = behind + slash;
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        let digits = |from: usize| line[from..].iter().take_while(is_digit).count();
        let before = line[behind..slash]
            .iter()
            .rev()
            .take_while(is_digit)
            .count();
        let start = slash - before;
        let day = digits(slash + 1);
        let second = slash + 1 + day;
        let year = match line.get(second) {
            Some(b'/') => digits(second + 1),
            _ => 0,
        };
        let end = second + 1 + year;
        let is_date =
            (1..=4).contains(&before) && (1..=2).contains(&day) && (1..=4).contains(&year);
        if !is_date || start > 0 && !is_end(line.get(start - 1)) || !is_end(line.get(end)) {
            return false;
        }
        behind = end;
    }
    true
}

/// A path may have a few blanks; `epoch 3/400 loss=0.2` has no words of a path.
fn has_words_of_a_path(line: &str) -> bool {
    let blanks = line.bytes().filter(|byte| *byte == b' ').count();
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = line.as_bytes();
    let is_share = (1..bytes.len())
        .any(|at| bytes[at] == b'/' && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1)));
    // `FAIL src/a.test.js`, `tests/a.py::b PASSED`: the outcome of a test, not a path.
    let is_outcome = |word: &str| word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
    // `src/a.ts 78ms (unchanged)`, `d41d8cd98f00b204… src/a.ts`: a file and other words.
    let first = line.split(' ').next().unwrap_or_default();
    let is_file =
        first.contains('/') && first.rsplit('/').next().is_some_and(|it| it.contains('.'));
    let is_digest = first.len() >= 32 && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_file || is_digest {
        return false;
    }
    let mut words = line.split(' ');
    let has_outcome = words.next().is_some_and(is_outcome) || words.any(is_outcome);
    blanks < 4 && !is_share && !has_outcome && !line.contains(['=', '%']) && !has(line, "::")
}

/// The common beginning of two texts.
fn shared<'t>(left: &'t str, right: &str) -> &'t str {
    // Most paths begin with what those before them share.
    if right
        .as_bytes()
        .get(..left.len())
        .is_some_and(|start| same(start, left))
    {
        return left;
    }
    let same = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b);
    &left[..left.floor_char_boundary(same.count())]
}

#[cfg(test)]
#[path = "tests/paths.rs"]
mod tests;
