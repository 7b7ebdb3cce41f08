//! Lines of the form `path:line:text`, as `grep -n` prints them: hits in one file are grouped
//! under its name, and hits below one directory under that.

use crate::{list, tree};

/// The text with each run of hits in one file under the file's path and a colon, and each run of hits below one
/// directory under that directory, indented by a space. None if fewer than `fewest` lines are hits, or if another line
/// would be misread.
pub fn encode(text: &str, fewest: usize) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut hits) = (0, 0);
    while let Some(line) = lines.get(at) {
        let run: Vec<(&str, &str)> = lines[at..]
            .iter()
            .map_while(|line| hit(line).map(|path| (path, *line)))
            .collect();
        if run.is_empty() {
            // A reader would take indented lines for hits.
            if line.starts_with(' ') || line.contains('\r') || list::is_header(line) {
                return None;
            }
            push_line(&mut out, 0, line);
            at += 1;
            continue;
        }
        hits += run.len();
        at += run.len();
        let files: Vec<&[(&str, &str)]> = run.chunk_by(|one, other| one.0 == other.0).collect();
        let directory = shared_directory(&files);
        if !directory.is_empty() {
            push_line(&mut out, 0, directory);
        }
        let (depth, skip) = (usize::from(!directory.is_empty()), directory.len());
        for file in files {
            if let [(_, line)] = file {
                push_line(&mut out, depth, &line[skip..]);
                continue;
            }
            for (place, (path, line)) in file.iter().enumerate() {
                if place == 0 {
                    push_line(&mut out, depth, &path[skip..]);
                }
                push_line(&mut out, depth + 1, &line[path.len()..]);
            }
        }
    }
    out.pop();
    (hits >= fewest).then_some(out)
}

fn push_line(out: &mut String, depth: usize, line: &str) {
    out.extend(std::iter::repeat_n(' ', depth));
    out.push_str(line);
    out.push('\n');
}

/// The directory of all files, if the text becomes shorter with it on a line of its own; otherwise empty.
fn shared_directory<'t>(files: &[&[(&'t str, &'t str)]]) -> &'t str {
    let mut directories = files.iter().map(|file| tree::directory(file[0].0));
    let first = directories.next().unwrap_or_default();
    let shared = directories.fold(first, tree::common_directory);
    // Each line below it has one more space, and a file of several hits a line of its own.
    let in_groups = files
        .iter()
        .map(|file| file.len() + usize::from(file.len() > 1));
    let costs = in_groups.sum::<usize>() + shared.len() + 1;
    // A name that begins with a space would be one of another depth.
    let is_clear = files
        .iter()
        .all(|file| !file[0].0[shared.len()..].starts_with(' '));
    match is_clear && files.len() * shared.len() > costs {
        true => shared,
        false => "",
    }
}

/// The text before [`encode`].
pub fn decode(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let decoded = decode_lines(&lines);
    (decoded != lines).then(|| decoded.join("\n"))
}

fn decode_lines(lines: &[&str]) -> Vec<String> {
    let mut decoded = Vec::with_capacity(lines.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let below = lines[at + 1..].iter().map_while(|it| it.strip_prefix(' '));
        let below: Vec<&str> = below.collect();
        at += 1 + below.len();
        match below.as_slice() {
            [] => decoded.push((*line).to_owned()),
            hits if line.ends_with('/') => {
                let hits = decode_lines(hits).into_iter();
                decoded.extend(hits.map(|hit| format!("{line}{hit}")));
            }
            hits => decoded.extend(hits.iter().map(|hit| format!("{line}{hit}"))),
        }
    }
    decoded
}

/// The path of a hit, with its colon.
pub fn hit(line: &str) -> Option<&str> {
    let colon = line.find(':')?;
    let rest = &line[colon + 1..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let path = &line[..colon];
    let fits = (1..=9).contains(&digits)
        && rest[digits..].starts_with(':')
        && !line.contains('\r')
        // A text without a directory and an extension may be a time: `12:30:45`.
        && path.contains(['/', '.'])
        && list::is_path(path);
    fits.then(|| &line[..=colon])
}
