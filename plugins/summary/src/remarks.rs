//! Lines that begin with `#` in settings and between the lines of a log: comments, and no headings.
//!
//! Owns how such a text is told from a document. Refuses to know what its lines say.

use crate::levels::begins_with_time;
use crate::trim::trim_start;

/// Lines after which a text is a document if few of them are settings or have a time.
const FIRST: usize = 64;

/// Whether lines that begin with `#` are comments: most others begin with a time, or are settings below comments of several
/// lines.
#[inline(never)]
pub fn are_comments<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> bool {
    let (mut marked, mut runs) = (0usize, 0usize);
    let (mut others, mut timed, mut settings) = (0usize, 0usize, 0usize);
    // The signs that the line above begins with.
    let mut above = 0;
    for (_, line) in lines {
        let signs = line.bytes().take_while(|byte| *byte == b'#').count();
        let before = std::mem::replace(&mut above, signs);
        let start = trim_start(line);
        if start.is_empty() {
            continue;
        }
        if signs > 0 || start.starts_with('#') {
            marked += 1;
            runs += usize::from(signs > 0 && before == signs);
            continue;
        }
        others += 1;
        timed += usize::from(begins_with_time(line));
        settings += usize::from(is_setting(start));
        if others == FIRST && timed * 2 < others && settings * 2 < others {
            return false;
        }
    }
    let are_of_log = timed * 10 >= others * 8;
    let are_of_settings = settings * 10 >= others * 7 && runs * 3 >= marked;
    others > 0 && (are_of_log || are_of_settings)
}

/// Whether a line is a setting, an item or a section: `key: value`, `KEY=value`, `- item`, `[section]`, `server {`.
fn is_setting(line: &str) -> bool {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.\"'/@".contains(byte);
    let start = line.strip_prefix("- ").unwrap_or(line);
    let key = start.bytes().take_while(|byte| is_key(byte)).count();
    let rest = start[key..].trim_start_matches(' ');
    let is_pair = key > 0 && (rest.starts_with('=') || rest == ":" || rest.starts_with(": "));
    let end = line.trim_end();
    let is_section = line.starts_with('[') && end.ends_with(']');
    is_pair || start.len() < line.len() || is_section || end.ends_with(['{', '}', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> bool {
        are_comments(text.lines().enumerate())
    }

    #[test]
    fn comments_of_settings_and_of_logs() {
        let setting = |i: usize| format!("# what it is\n# and what it is for\nkey{i}: value\n\n");
        assert!(of(&(0..40).map(setting).collect::<String>()));
        let line = |i: usize| match i % 20 {
            0 => format!("\n# node-{i}\n\n"),
            _ => format!("Mar  3 10:{:02}:00 web sshd[{i}]: closed\n", i % 60),
        };
        assert!(of(&(0..90).map(line).collect::<String>()));
    }

    #[test]
    fn headings_of_documents_and_of_records() {
        let section = |i: usize| format!("# Part {i}\n\nSome words of a sentence.\n- an item\n\n");
        assert!(!of(&(0..40).map(section).collect::<String>()));
        let record =
            |i: usize| format!("## Result {i}\nTitle: a page\nURL: https://a.test/{i}\n\n");
        assert!(!of(&(0..40).map(record).collect::<String>()));
        let nested = |i: usize| format!("# Part {i}\n## Inner\nState: open\n\n");
        assert!(!of(&(0..40).map(nested).collect::<String>()));
        let named = |i: usize| format!("# Database {i}\nDB_HOST=db{i}\nDB_PORT=5432\n\n");
        assert!(!of(&(0..40).map(named).collect::<String>()));
    }
}
