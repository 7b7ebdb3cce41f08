//! Splits a shell's command line into words, as far as its output depends on them.
//!
//! Owns quotes, operators, redirections and substitutions. Refuses to know programs. Syntax that it does not
//! understand is an error, never a guess.

/// A command line that is not understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotUnderstood;

/// One program and its arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// A substitution puts `SUBSTITUTED` into a word.
    pub(super) words: Vec<String>,
    /// A file is its standard input.
    pub(super) reads_file: bool,
    /// Its standard output goes to a file.
    pub(super) writes_file: bool,
}

/// A command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Pipelines, of commands.
    pub(super) pipelines: Vec<Vec<Simple>>,
    /// Command lines whose output becomes part of a word.
    pub(super) substitutions: Vec<String>,
}

/// Stands for text that is unknown before the command runs.
pub(super) const SUBSTITUTED: char = '\u{1}';

/// Takes a command line apart.
pub(super) fn parse(text: &str) -> Result<Line, NotUnderstood> {
    let mut parser = Parser {
        rest: text.chars().peekable(),
        line: Line::default(),
        pipeline: Vec::new(),
        simple: Simple::default(),
        redirect: None,
    };
    parser.run()?;
    Ok(parser.line)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Redirect {
    Input,
    Output,
    Other,
}

struct Parser<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    line: Line,
    pipeline: Vec<Simple>,
    simple: Simple,
    /// The next word is a file, not an argument.
    redirect: Option<Redirect>,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), NotUnderstood> {
        while let Some(&next) = self.rest.peek() {
            match next {
                ' ' | '\t' | '\r' => {
                    self.rest.next();
                }
                '#' => while self.rest.next_if(|c| *c != '\n').is_some() {},
                // Groups print the output of their commands.
                '\n' | ';' | '(' | ')' => {
                    self.rest.next();
                    self.end_pipeline()?;
                }
                '&' => {
                    self.rest.next();
                    if self.take('>') {
                        self.take('>');
                        self.redirect(Redirect::Output)?;
                    } else {
                        self.take('&');
                        self.end_pipeline()?;
                    }
                }
                '|' => {
                    self.rest.next();
                    if self.take('|') {
                        self.end_pipeline()?;
                    } else {
                        self.take('&');
                        self.end_simple()?;
                    }
                }
                '<' | '>' => self.angle(next, None)?,
                _ => self.word()?,
            }
        }
        self.end_pipeline()
    }

    fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn redirect(&mut self, redirect: Redirect) -> Result<(), NotUnderstood> {
        match self.redirect.replace(redirect) {
            None => Ok(()),
            Some(_) => Err(NotUnderstood),
        }
    }

    /// `<`, `>` and their operands; `number`: the descriptor before it.
    fn angle(&mut self, angle: char, number: Option<&str>) -> Result<(), NotUnderstood> {
        self.rest.next();
        if self.take('(') {
            let inner = self.until_closed()?;
            self.line.substitutions.push(inner);
            // The program reads the output of the substitution as a file.
            self.simple.words.push(SUBSTITUTED.to_string());
            return Ok(());
        }
        let is_output = number.is_none_or(|number| number == "1");
        if angle == '<' {
            // A text in place, or a file for reading and writing.
            if self.take('<') || self.take('>') {
                return Err(NotUnderstood);
            }
            if self.take('&') {
                return self.redirect(Redirect::Other);
            }
            return self.redirect(Redirect::Input);
        }
        self.take('>');
        self.take('|');
        if self.take('&') {
            return self.redirect(Redirect::Other);
        }
        self.redirect(if is_output {
            Redirect::Output
        } else {
            Redirect::Other
        })
    }

    fn word(&mut self) -> Result<(), NotUnderstood> {
        let mut word = String::new();
        let mut is_plain = true;
        while let Some(&next) = self.rest.peek() {
            match next {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => break,
                '<' | '>' => {
                    let is_number = is_plain && !word.is_empty();
                    if is_number && word.bytes().all(|byte| byte.is_ascii_digit()) {
                        return self.angle(next, Some(&word));
                    }
                    break;
                }
                // A function's definition, or a pattern.
                '(' => return Err(NotUnderstood),
                _ => {}
            }
            self.rest.next();
            match next {
                '\'' => {
                    is_plain = false;
                    word.push_str(&self.single_quoted()?);
                }
                '"' => {
                    is_plain = false;
                    self.double_quoted(&mut word)?;
                }
                '\\' => match self.rest.next() {
                    Some('\n') => {}
                    Some(escaped) => word.push(escaped),
                    None => return Err(NotUnderstood),
                },
                '`' => self.backquoted(&mut word)?,
                '$' => self.dollar(&mut word, true)?,
                _ => word.push(next),
            }
        }
        match self.redirect.take() {
            Some(Redirect::Input) => self.simple.reads_file = true,
            Some(Redirect::Output) => {
                self.simple.writes_file |=
                    word != "/dev/stdout" && word != "/dev/tty" && word != "/dev/stderr"
            }
            Some(Redirect::Other) => {}
            None => self.simple.words.push(word),
        }
        Ok(())
    }

    fn single_quoted(&mut self) -> Result<String, NotUnderstood> {
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some('\'') => return Ok(text),
                Some(next) => text.push(next),
                None => return Err(NotUnderstood),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut String) -> Result<(), NotUnderstood> {
        loop {
            match self.rest.next() {
                Some('"') => return Ok(()),
                Some('\\') => word.extend(self.rest.next()),
                Some('`') => self.backquoted(word)?,
                Some('$') => self.dollar(word, false)?,
                Some(next) => word.push(next),
                None => return Err(NotUnderstood),
            }
        }
    }

    fn backquoted(&mut self, word: &mut String) -> Result<(), NotUnderstood> {
        let mut inner = String::new();
        loop {
            match self.rest.next() {
                Some('`') => break,
                Some('\\') => inner.extend(self.rest.next()),
                Some(next) => inner.push(next),
                None => return Err(NotUnderstood),
            }
        }
        self.line.substitutions.push(inner);
        word.push(SUBSTITUTED);
        Ok(())
    }

    fn dollar(&mut self, word: &mut String, may_quote: bool) -> Result<(), NotUnderstood> {
        match self.rest.peek() {
            Some('(') => {
                self.rest.next();
                let inner = self.until_closed()?;
                // Arithmetic has parentheses of its own, and prints a number.
                if !inner.starts_with('(') {
                    self.line.substitutions.push(inner);
                }
                word.push(SUBSTITUTED);
            }
            Some('{') => {
                while self.rest.next().ok_or(NotUnderstood)? != '}' {}
                word.push(SUBSTITUTED);
            }
            Some('\'') if may_quote => return Err(NotUnderstood),
            Some(next) if next.is_alphanumeric() || "_@*?#!-".contains(*next) => {
                self.rest.next();
                while self
                    .rest
                    .next_if(|next| next.is_alphanumeric() || *next == '_')
                    .is_some()
                {}
                word.push(SUBSTITUTED);
            }
            _ => word.push('$'),
        }
        Ok(())
    }

    /// The text up to the parenthesis that closes the one just read.
    fn until_closed(&mut self) -> Result<String, NotUnderstood> {
        let mut text = String::new();
        let mut depth = 1;
        let mut quote = None;
        loop {
            let next = self.rest.next().ok_or(NotUnderstood)?;
            match (quote, next) {
                (None, '(') => depth += 1,
                (None, ')') => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(text);
                    }
                }
                (None, '\'' | '"') => quote = Some(next),
                (Some(open), _) if open == next => quote = None,
                _ => {}
            }
            text.push(next);
            if next == '\\' && quote != Some('\'') {
                text.extend(self.rest.next());
            }
        }
    }

    fn end_simple(&mut self) -> Result<(), NotUnderstood> {
        if self.redirect.is_some() {
            return Err(NotUnderstood);
        }
        let simple = std::mem::take(&mut self.simple);
        if simple != Simple::default() {
            self.pipeline.push(simple);
        }
        Ok(())
    }

    fn end_pipeline(&mut self) -> Result<(), NotUnderstood> {
        self.end_simple()?;
        let pipeline = std::mem::take(&mut self.pipeline);
        if !pipeline.is_empty() {
            self.line.pipelines.push(pipeline);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<Vec<String>>> {
        let line = parse(text).expect("it is understood");
        let pipelines = line.pipelines.into_iter();
        pipelines
            .map(|pipeline| pipeline.into_iter().map(|simple| simple.words).collect())
            .collect()
    }

    #[test]
    fn words_pipes_and_lists() {
        assert_eq!(
            words("a 'b c' \"d\\\"e\" | f\\ g && h; i & j || k # l\nm"),
            [
                vec![vec!["a", "b c", "d\"e"], vec!["f g"]],
                vec![vec!["h"]],
                vec![vec!["i"]],
                vec![vec!["j"]],
                vec![vec!["k"]],
                vec![vec!["m"]]
            ]
        );
        assert_eq!(words("make 2>&1 >&2 2>/dev/null"), [[["make"]]]);
        let line = parse("cat < a > b").expect("it is understood");
        let simple = &line.pipelines[0][0];
        assert!(simple.reads_file && simple.writes_file);
        let line = parse("echo $(cat 'x)') `id` $((1 + 2)) $HOME").expect("it is understood");
        assert_eq!(line.substitutions, ["cat 'x)'", "id"]);
    }

    #[test]
    fn not_understood() {
        for text in [
            "cat <<EOF\nx\nEOF",
            "cat <<<x",
            "echo 'x",
            "echo \"x",
            "echo $(x",
            "f() { cat x; }",
            "echo $'x'",
            "cat >",
            "echo `x",
            "a \\",
        ] {
            assert_eq!(parse(text), Err(NotUnderstood), "{text}");
        }
    }
}
