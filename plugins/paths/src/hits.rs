//! Lines of the form `path:line:text`, as `grep -n` prints them: hits in one file are grouped under its name.

use crate::list;

/// The text with each run of hits in one file under the file's path and a colon, indented by a space. None if fewer
/// than `fewest` lines are hits, or if another line would be misread.
pub fn encode(text: &str, fewest: usize) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut hits) = (0, 0);
    while let Some(line) = lines.get(at) {
        let Some(path) = hit(line) else {
            // A reader would take indented lines for hits.
            if line.starts_with(' ') || line.contains('\r') || list::is_header(line) {
                return None;
            }
            out.push_str(line);
            out.push('\n');
            at += 1;
            continue;
        };
        let run = lines[at..]
            .iter()
            .take_while(|line| hit(line) == Some(path))
            .count();
        hits += run;
        if run == 1 {
            out.push_str(line);
            out.push('\n');
        } else {
            out.push_str(path);
            out.push('\n');
            for line in &lines[at..at + run] {
                out.push(' ');
                out.push_str(&line[path.len()..]);
                out.push('\n');
            }
        }
        at += run;
    }
    out.pop();
    (hits >= fewest).then_some(out)
}

/// The text before [`encode`].
pub fn decode(text: &str) -> Option<String> {
    let mut lines = text.split('\n').peekable();
    let mut decoded = Vec::new();
    let mut path = "";
    while let Some(line) = lines.next() {
        let next_is_hit = lines.peek().is_some_and(|next| next.starts_with(' '));
        match line.strip_prefix(' ') {
            Some(hit) => decoded.push(format!("{path}{hit}")),
            None if next_is_hit => path = line,
            None => decoded.push(line.to_owned()),
        }
    }
    (!path.is_empty()).then(|| decoded.join("\n"))
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
