//! Marks in lines of logs that may be levels: a letter, a number, or the first word after the time.
//!
//! Owns their forms and their places. Refuses to know whether they are levels: that depends on all lines (`levels`).

use crate::levels::{
    LEVEL_BYTES, after, after_digits, end_of, index, is_of_form, is_word, place_of_word,
};
use crate::search::{has as part, split};

/// The indexes of the levels of syslog's numbers, from 0.
const OF_NUMBER: [usize; 8] = [
    index("EMERGENCY"),
    index("ALERT"),
    index("CRITICAL"),
    index("ERROR"),
    index("WARNING"),
    index("NOTICE"),
    index("INFO"),
    index("DEBUG"),
];
/// Letters that are levels, and the indexes of these.
const LETTERS: [u8; 6] = *b"FEWIDV";
const OF_LETTER: [usize; 6] = [
    index("FATAL"),
    index("ERROR"),
    index("WARN"),
    index("INFO"),
    index("DEBUG"),
    index("TRACE"),
];

/// Whether a word after an open bracket, from `start` to `end`, begins a link of a page: `[[note 7]]`, `[note 7](…)`,
/// `[it][note 7]`.
#[inline(never)]
pub fn is_link(line: &[u8], start: usize, end: usize) -> bool {
    let (before, word, after) = (&line[..start], &line[start..end], &line[end..]);
    let Some(close) = after.iter().position(|byte| *byte == b']') else {
        return false;
    };
    let (inside, rest) = after.split_at(close);
    let is_capital = word.iter().all(u8::is_ascii_uppercase);
    if before.ends_with(b"[[") {
        return rest.starts_with(b"]]") && !(is_capital && inside.is_empty());
    }
    // A name in brackets is before the level in some logs.
    let text = before.split(|byte| *byte == b'[').next();
    let is_after_text = text.is_some_and(|text| text.iter().any(u8::is_ascii_lowercase));
    let mut targets = [&b"http"[..], b"/", b"./", b"../", b"#"].into_iter();
    match rest {
        [_, b'(', target @ ..] => {
            inside.first() == Some(&b' ') || targets.any(|start| target.starts_with(start))
        }
        _ => before.ends_with(b"][") && is_after_text && inside.first() == Some(&b' '),
    }
}

/// The index of the level that a line's letter, number or first word is, if it is one, and whether it is a number.
#[inline(never)]
pub fn mark(line: &str, time: Option<&str>) -> Option<(usize, bool)> {
    let written = level_of_letter(line, time)
        .or_else(|| level_of_first_word(line, time?))
        .or_else(|| level_of_klog(line, time));
    match written {
        Some(level) => Some((level, false)),
        None => level_of_number(line).map(|level| (level, true)),
    }
}

/// The level in a letter that begins a line or follows its time: `E/Tag( 812): …`, `[E] …`, `05-20 12:00:00.123  812  903
/// E Tag: …`, `2026-05-20T12:00:00.123+0000 E NETWORK …`.
fn level_of_letter(line: &str, time: Option<&str>) -> Option<usize> {
    let rest = &line[time.map_or(0, |time| end_of(line, time))..];
    let rest = after(rest, b" ])\t:");
    // The numbers of a process and a thread.
    let numbers = rest.len() - after(rest, b" 0123456789").len();
    let numbers = numbers * usize::from(time.is_some());
    let rest = rest.as_bytes();
    let is_open = rest.first() == Some(&b'[');
    let [letter, sign, message @ ..] = &rest[numbers + usize::from(is_open)..] else {
        return None;
    };
    let at = place_of_letter(*letter)?;
    let is_part = || {
        let first = message.iter().find(|byte| **byte != b' ');
        first.is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'-')
    };
    let is_level = match sign {
        // `I/O error (5): …` has no tag.
        b'/' => message.iter().take(2).all(|byte| is_word(*byte)) && part(line, "): "),
        b']' => is_open,
        b' ' if time.is_some() => numbers > 0 || is_part(),
        _ => false,
    };
    is_level.then_some(at)
}

/// The index of the level that a letter is.
fn place_of_letter(letter: u8) -> Option<usize> {
    let at = LETTERS.iter().position(|known| *known == letter)?;
    Some(OF_LETTER[at])
}

/// The level in the first word after the time of a line, in any case and in short: `2026-05-20T12:00:00Z  error  shop/a.go:7`.
fn level_of_first_word(line: &str, time: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let start = (end_of(line, time)..bytes.len()).find(|at| is_word(bytes[*at]))?;
    let length = bytes[start..].iter().take_while(|byte| is_word(**byte));
    let length = length.count();
    // `debug.views` is a part of the program.
    let is_whole = matches!(
        bytes.get(start + length),
        None | Some(b' ' | b'\t' | b':' | b']' | b'|')
    );
    place_of_word(bytes, start, length, true).filter(|_| is_whole)
}

/// The level in the letter before a date of klog, at the beginning, after the time, or after the name of a program:
/// `E0520 12:00:28.123456 …`, `E20260520 12:00:28 …`.
fn level_of_klog(line: &str, time: Option<&str>) -> Option<usize> {
    let after_time = &line[time.map_or(0, |time| end_of(line, time))..];
    let after_name = split(line, "]: ").map_or("", |(_, rest)| rest);
    let mut places = [after(after_time, b" ])\t"), after_name].into_iter();
    places.find_map(|text| {
        let rest = text.get(1..)?;
        let message = after_digits(rest);
        let is_hours = message
            .as_bytes()
            .get(..4)
            .is_some_and(|it| is_of_form(it, b" 00:"));
        let is_date = is_hours && matches!(rest.len() - message.len(), 4 | 8);
        place_of_letter(text.as_bytes()[0]).filter(|_| is_date)
    })
}

/// The level in the number of a line of syslog or of Cisco, or after the facility of the kernel: `<3>May 20 …`,
/// `<131>1 2026-…`, `%LINK-3-UPDOWN: …`, `kern  :err   : …`.
fn level_of_number(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let number = if let Some(rest) = line.strip_prefix('<') {
        let (number, message) = split(rest, ">")?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = number.parse().ok().filter(|_| is_number)?;
        // `<1> a` is an item of a list, and no priority is higher.
        (number < 192 && !message.starts_with(' ')).then_some(number)?
    } else if let (Some(b':'), Some(b':')) = (bytes.get(6), bytes.get(13)) {
        let length = bytes[7..13].iter().take_while(|byte| **byte != b' ');
        return place_of_word(bytes, 7, length.count(), true);
    } else {
        let (before, facility) = split(&line[..line.floor_char_boundary(LEVEL_BYTES)], "%")?;
        if before.bytes().next_back().is_some_and(is_word) {
            return None;
        }
        let (first, rest) = split(facility, "-")?;
        let is_part = |byte: u8| is_word(byte) && !byte.is_ascii_lowercase();
        let is_facility = first.len() > 1 && first.bytes().all(is_part);
        let number = |rest: &str| match rest.as_bytes() {
            [number @ b'0'..=b'7', b'-', ..] if is_facility => Some(u32::from(number - b'0')),
            _ => None,
        };
        // `%PLATFORM-ENV-1-FAN: …`
        number(rest).or_else(|| number(split(rest, "-")?.1))?
    };
    Some(OF_NUMBER[number as usize % 8])
}
