//! What `git status` prints: the number of files in each state, and the names of those in states that few files have.
//!
//! Owns its long form and its short form. Refuses to know other output of git.

use crate::paper::{Paper, cut, one_line};
use crate::trim::is_blank;

/// Fewest files of a status.
const LEAST: usize = 8;
/// Most states that are told.
const STATES: usize = 64;
/// Files of a state that few files have are all named, else the first of them.
const FEW: usize = 8;
const FIRST: usize = 2;
/// Lines about the branch, and about what to do next.
const NOTES: usize = 6;
const CHARACTERS: usize = 160;

/// The parts of the long form.
const PARTS: [(&str, &str); 5] = [
    ("Changes to be committed:", "staged"),
    ("Changes not staged for commit:", "not staged"),
    ("Unmerged paths:", "unmerged"),
    ("Untracked files:", "untracked"),
    ("Ignored files:", "ignored"),
];

/// The files in one state.
struct State<'t> {
    name: String,
    count: usize,
    /// The first, each with the number of its line.
    files: Vec<(usize, &'t str)>,
}

/// What `git status` tells.
#[derive(Default)]
pub struct Status<'t> {
    states: Vec<State<'t>>,
    notes: Vec<(usize, &'t str)>,
    is_short: bool,
}

/// Whether a line may name a file and its state.
pub fn may_be(line: &str) -> bool {
    line.starts_with('\t') || short(line).is_some()
}

/// The status that a text is; none for another text.
pub fn of<'t>(lines: impl Iterator<Item = (usize, &'t str)> + Clone) -> Option<Status<'t>> {
    let all = lines.filter(|(_, line)| !is_blank(line));
    of_long(all.clone()).or_else(|| of_short(all))
}

fn of_long<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Option<Status<'t>> {
    let mut status = Status::default();
    let (mut part, mut others) = (None, 0);
    for (number, line) in lines {
        let head = PARTS.iter().find(|(head, _)| line.trim_end() == *head);
        if let Some((_, name)) = head {
            part = Some(*name);
        } else if let Some(part) = part
            && let Some(entry) = line.strip_prefix('\t')
        {
            match entry.split_once(": ") {
                Some((state, file)) if !matches!(part, "untracked" | "ignored") => {
                    status.add(format!("{part} {state}"), number, file.trim());
                }
                _ => status.add(part.to_owned(), number, entry),
            }
        } else if !line.starts_with("  (") {
            others += 1;
            if others > NOTES {
                return None;
            }
            status.note(number, line);
        }
    }
    (part.is_some() && status.count() >= LEAST).then_some(status)
}

fn of_short<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Option<Status<'t>> {
    let mut status = Status {
        is_short: true,
        ..Status::default()
    };
    let mut others = 0;
    for (number, line) in lines {
        let is_first = status.states.is_empty() && status.notes.is_empty();
        let trimmed = || is_first.then(|| of_trimmed(line)).flatten();
        if let Some((state, file)) = short(line).or_else(trimmed) {
            status.add(state, number, file);
        } else {
            // The branch.
            others += usize::from(!line.starts_with("## "));
            status.note(number, line);
            if others > 1 {
                return None;
            }
        }
    }
    (status.count() >= LEAST).then_some(status)
}

/// The same for a line without its first blank, as the first one of a text whose blanks were trimmed.
fn of_trimmed(line: &str) -> Option<(String, &str)> {
    let (state, _) = short(&format!(" {line}"))?;
    Some((state, line.get(2..)?))
}

/// The state and the file of a line in the short form: ` M src/a.rs`, `R  a -> b`, `?? new`.
fn short(line: &str) -> Option<(String, &str)> {
    let [staged, other, b' ', first, ..] = line.as_bytes() else {
        return None;
    };
    let name = |sign: &u8| {
        Some(match sign {
            b'M' => "modified",
            b'A' => "added",
            b'D' => "deleted",
            b'R' => "renamed",
            b'C' => "copied",
            b'T' => "typechange",
            _ => return None,
        })
    };
    let file = line.get(3..)?;
    // Names with blanks are quoted.
    let is_file =
        *first != b' ' && (!file.contains(' ') || file.contains('"') || file.contains(" -> "));
    let state = match [staged, other] {
        _ if !is_file => return None,
        [b'?', b'?'] => "untracked".to_owned(),
        [b'!', b'!'] => "ignored".to_owned(),
        [b'U', b'U' | b'A' | b'D'] | [b'A' | b'D', b'U'] | [b'A', b'A'] | [b'D', b'D'] => {
            "unmerged".to_owned()
        }
        [b' ', other] => format!("not staged {}", name(other)?),
        [staged, b' '] => format!("staged {}", name(staged)?),
        [staged, other] => format!("staged {}, then {}", name(staged)?, name(other)?),
    };
    Some((state, file))
}

impl<'t> Status<'t> {
    fn add(&mut self, name: String, number: usize, file: &'t str) {
        let at = self.states.iter().position(|state| state.name == name);
        let at = at.unwrap_or_else(|| {
            if self.states.len() < STATES {
                self.states.push(State {
                    name,
                    count: 0,
                    files: Vec::new(),
                });
            }
            self.states.len() - 1
        });
        let state = &mut self.states[at];
        state.count += 1;
        if state.files.len() <= FEW {
            state.files.push((number, file));
        }
    }

    fn note(&mut self, number: usize, line: &'t str) {
        if self.notes.len() < NOTES {
            self.notes.push((number, line));
        }
    }

    fn count(&self) -> usize {
        self.states.iter().map(|state| state.count).sum()
    }

    /// Whether a line names a file. Those that are not merged are failures.
    pub fn owns(&self, line: &str) -> bool {
        match self.is_short {
            true => short(line).is_some_and(|(state, _)| state != "unmerged"),
            false => line.starts_with('\t') && !line.starts_with("\tboth "),
        }
    }

    /// Writes the number of files in each state, then the files in states that few have.
    pub fn tell(&self, paper: &mut Paper) {
        let counts = self
            .states
            .iter()
            .map(|state| format!("{} {}", state.name, state.count));
        let counts: Vec<String> = counts.collect();
        paper.cut_line(&format!("git status: {}", counts.join("; ")));
        let shown = |(number, line): (usize, &str)| {
            let line = cut(line.trim(), CHARACTERS);
            format!("{number}: {}", one_line(&line))
        };
        for note in &self.notes {
            paper.cut_line(&shown(*note));
        }
        let mut states: Vec<&State<'_>> = self.states.iter().collect();
        states.sort_by_key(|state| state.count);
        for state in states {
            let all = match state.count {
                0..=FEW => state.count,
                _ => FIRST,
            };
            let files = state.files.iter().take(all);
            let files: Vec<String> = files.map(|file| shown(*file)).collect();
            let rest = match state.count - files.len() {
                0 => String::new(),
                rest => format!("\n and {rest} more"),
            };
            if !paper.line(&format!("{}:\n{}{rest}", state.name, files.join("\n"))) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        let mut paper = Paper::new(2_000);
        of((1..).zip(text.lines()))?.tell(&mut paper);
        Some(paper.text().to_owned())
    }

    #[test]
    fn the_long_form() {
        let modified: String = (1..=200)
            .map(|at| format!("\tmodified:   file_{at}.txt\n"))
            .collect();
        let text = format!(
            "On branch main\nChanges to be committed:\n  (use \"git restore\" to unstage)\n\tdeleted:    a.txt\n\trenamed:    b.txt -> c.txt\n\nChanges not staged for commit:\n  (use \"git add\")\n{modified}\nUntracked files:\n  (use \"git add\")\n\t.env.production\n\tnew\n\n"
        );
        let told = told(&text).expect("a status");
        assert_eq!(
            told,
            "git status: staged deleted 1; staged renamed 1; not staged modified 200; untracked 2\n1: On branch main\nstaged deleted:\n4: a.txt\nstaged renamed:\n5: b.txt -> c.txt\nuntracked:\n212: .env.production\n213: new\nnot staged modified:\n9: file_1.txt\n10: file_2.txt\n and 198 more\n"
        );
    }

    #[test]
    fn the_short_form() {
        let modified: String = (1..=200).map(|at| format!(" M file_{at}.txt\n")).collect();
        let text = format!(
            "## main...origin/main\nD  a.txt\nR  b.txt -> c.txt\nMM d.txt\nUU e.txt\n{modified}?? .env\n"
        );
        let told = told(&text).expect("a status");
        assert!(told.starts_with("git status: staged deleted 1; staged renamed 1; staged modified, then modified 1; unmerged 1; not staged modified 200; untracked 1\n1: ## main"), "{told}");
        assert!(told.contains("\nuntracked:\n206: .env\n"), "{told}");
    }

    #[test]
    fn other_texts() {
        let rows: String = (0..40)
            .map(|at| format!("\tmodified:   file_{at}.txt\n"))
            .collect();
        let svn: String = (0..40)
            .map(|at| format!("M       file_{at}.txt\n"))
            .collect();
        let words: String = (0..40)
            .map(|at| format!("A  thing of {at} words\n"))
            .collect();
        for text in [rows, svn, words] {
            assert_eq!(told(&text), None, "{text}");
        }
    }
}
