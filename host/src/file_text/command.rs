//! The output of a shell's command: text of a file, or not.
//!
//! Programs are known by name. A command counts as one that prints text of a file if it is not understood,
//! or if an unknown program gets an argument like a file.

use super::Handling;
use super::words::{self, Line, SUBSTITUTED, Simple};

/// A longer command is not looked at.
const MOST_BYTES: usize = 64 << 10;
/// Commands in commands (`bash -c`, `$(…)`).
const MOST_DEPTH: u32 = 4;

/// The kind of output of one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prints {
    Nothing,
    /// Text of its own.
    Other,
    /// Text of a file, or nobody knows.
    FileText,
    /// The text that it reads from the pipe.
    Input,
    /// An original that Tamis stored.
    Original,
}

/// How the output of a shell's command line is treated.
pub(super) fn handling(command: &str) -> Handling {
    handling_at(command, 0)
}

/// How to show the output of a command that comes as words.
pub(super) fn handling_of_words(words: &[&str]) -> Handling {
    let simple = Simple {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        ..Simple::default()
    };
    of(pipeline(&[simple], 0))
}

fn of(prints: Prints) -> Handling {
    match prints {
        Prints::Nothing | Prints::Other => Handling::Filter,
        Prints::Original => Handling::Leave,
        Prints::FileText | Prints::Input => Handling::Exact,
    }
}

fn handling_at(command: &str, depth: u32) -> Handling {
    if command.len() > MOST_BYTES || depth > MOST_DEPTH {
        return Handling::Exact;
    }
    match words::parse(command) {
        Ok(line) => of(line_prints(&line, depth)),
        Err(words::NotUnderstood) => Handling::Exact,
    }
}

fn line_prints(line: &Line, depth: u32) -> Prints {
    let is_file_text = |text: &String| handling_at(text, depth + 1) != Handling::Filter;
    if line.substitutions.iter().any(is_file_text) {
        return Prints::FileText;
    }
    let mut all = Prints::Nothing;
    for commands in &line.pipelines {
        all = match (all, pipeline(commands, depth)) {
            (known, Prints::Nothing) => known,
            (Prints::Original, _) | (_, Prints::Original) => return Prints::Original,
            (Prints::FileText, _) | (_, Prints::FileText | Prints::Input) => Prints::FileText,
            _ => Prints::Other,
        };
    }
    all
}

fn pipeline(commands: &[Simple], depth: u32) -> Prints {
    let mut prints = Prints::Nothing;
    for (place, simple) in commands.iter().enumerate() {
        prints = match (prints, command(simple, place > 0, depth)) {
            (Prints::Original, _) | (_, Prints::Original) => Prints::Original,
            (Prints::FileText, _) | (_, Prints::FileText) => Prints::FileText,
            (before, Prints::Input) => before,
            (_, now) => now,
        };
    }
    match commands.last() {
        Some(last) if last.writes_file && prints != Prints::Original => Prints::Nothing,
        _ => prints,
    }
}

/// Words of the shell before a command.
const KEYWORDS: &[&str] = &[
    "{", "!", "do", "then", "else", "if", "elif", "while", "until",
];
/// Words of the shell that print nothing, and end a command or begin one that is not run here.
const SILENT: &[&str] = &["}", "done", "fi", "esac", "for"];
/// Programs that run the program that is their argument.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "ionice", "time",
    "timeout", "stdbuf", "setsid", "unbuffer",
];
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "fish"];
const INTERPRETERS: &[&str] = &[
    "python", "python2", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua",
];
/// Programs that run unknown commands, in another place or any number of times.
const UNSEEN: &[&str] = &[
    "eval", "xargs", "parallel", "watch", "ssh", "script", "expect", "case", "function",
];

/// Programs that print files, or parts of them, and the pipe where they are given none: the options
/// that take a value as the next word, and how many arguments come before the files.
const READERS: &[(&str, &str, usize)] = &[
    ("cat", "", 0),
    ("bat", "lrH", 0),
    ("batcat", "lrH", 0),
    ("head", "nc", 0),
    ("tail", "nc", 0),
    ("sed", "", 1),
    ("awk", "Fv", 1),
    ("gawk", "Fv", 1),
    ("mawk", "Fv", 1),
    ("nl", "bnwsvi", 0),
    ("less", "", 0),
    ("more", "", 0),
    ("tac", "s", 0),
    ("rev", "", 0),
    ("cut", "dfbc", 0),
    ("paste", "d", 0),
    ("tr", "", 2),
    ("sort", "ktSo", 0),
    ("uniq", "fsw", 0),
    ("fold", "w", 0),
    ("fmt", "w", 0),
    ("column", "tsNc", 0),
    ("expand", "t", 0),
    ("unexpand", "t", 0),
    ("pr", "", 0),
    ("tee", "", usize::MAX),
    ("strings", "n", 0),
    ("xxd", "lsc", 0),
    ("hexdump", "nsC", 0),
    ("od", "ANtj", 0),
    ("base64", "w", 0),
    ("iconv", "ft", 0),
    ("comm", "", 0),
    ("join", "t12jo", 0),
    ("zcat", "", 0),
    ("gunzip", "", 0),
    ("xzcat", "", 0),
    ("bzcat", "", 0),
];

/// Programs that print text of their own, also where their arguments are files.
const OWN_TEXT: &[&str] = &[
    "ls",
    "tree",
    "du",
    "df",
    "stat",
    "file",
    "wc",
    "ps",
    "top",
    "free",
    "date",
    "pwd",
    "printenv",
    "which",
    "type",
    "whoami",
    "id",
    "uname",
    "hostname",
    "uptime",
    "echo",
    "printf",
    "mkdir",
    "rm",
    "cp",
    "mv",
    "touch",
    "ln",
    "chmod",
    "chown",
    "cd",
    "pushd",
    "popd",
    "export",
    "set",
    "unset",
    "source",
    ".",
    "true",
    "false",
    "test",
    "[",
    "[[",
    "sleep",
    "kill",
    "wait",
    "tar",
    "zip",
    "sha256sum",
    "sha1sum",
    "md5sum",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "seq",
    "nproc",
    "systemctl",
    "journalctl",
    "dmesg",
    "apt",
    "apt-get",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "brew",
    "make",
    "gmake",
    "ninja",
    "cmake",
    "bazel",
    "cargo",
    "rustc",
    "go",
    "gcc",
    "g++",
    "clang",
    "npm",
    "pnpm",
    "yarn",
    "tsc",
    "jest",
    "vitest",
    "mocha",
    "eslint",
    "pytest",
    "tox",
    "mypy",
    "ruff",
    "mvn",
    "gradle",
    "gradlew",
    "dotnet",
    "swift",
    "javac",
    "java",
    "helm",
    "terraform",
    "aws",
    "gcloud",
    "az",
    "curl",
    "wget",
    "psql",
    "mysql",
    "sqlite3",
    "ip",
    "ss",
    "lsof",
    "mount",
    "lsblk",
    "jobs",
];

fn command(simple: &Simple, is_piped: bool, depth: u32) -> Prints {
    let mut words: &[String] = &simple.words;
    while let Some((first, rest)) = words.split_first() {
        if KEYWORDS.contains(&first.as_str()) || is_assignment(first) {
            words = rest;
        } else {
            break;
        }
    }
    if words.is_empty() {
        return Prints::Nothing;
    }
    let reads_pipe = is_piped && !simple.reads_file;
    program(words, simple.reads_file, reads_pipe, depth)
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn program(words: &[String], reads_file: bool, reads_pipe: bool, depth: u32) -> Prints {
    let Some((path, arguments)) = words.split_first() else {
        return Prints::Nothing;
    };
    if path.contains(SUBSTITUTED) || depth > MOST_DEPTH {
        return Prints::FileText;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    if WRAPPERS.contains(&name) {
        let inner = wrapped(name, arguments);
        return program(inner, reads_file, reads_pipe, depth + 1);
    }
    if SILENT.contains(&name) {
        // `done < file`: the commands before it have read the file.
        return match reads_file {
            true => Prints::FileText,
            false => Prints::Nothing,
        };
    }
    if UNSEEN.contains(&name) {
        return Prints::FileText;
    }
    if let Some((_, values, before_files)) = READERS.iter().find(|(reader, ..)| *reader == name) {
        let files = operands(arguments, values);
        let script = arguments.iter().any(|word| is_script_option(name, word));
        let before = if script { 0 } else { *before_files };
        let is_filter = reads_pipe && !(script && has_file_script(name, arguments));
        return match is_filter && files.len() <= before {
            true => Prints::Input,
            false => Prints::FileText,
        };
    }
    match name {
        _ if SHELLS.contains(&name) => shell(arguments, reads_file, reads_pipe, depth),
        _ if INTERPRETERS.contains(&name) => interpreter(arguments),
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" => {
            search(name, arguments, reads_pipe)
        }
        "git" => git(arguments),
        "tamis" if arguments.first().is_some_and(|first| first == "read") => Prints::Original,
        "gh" | "glab" | "hg" | "svn" | "jj" => {
            let of_files = ["diff", "cat", "show", "annotate", "blame"];
            match arguments
                .iter()
                .any(|word| of_files.contains(&word.as_str()))
            {
                true => Prints::FileText,
                false => Prints::Other,
            }
        }
        "find" | "fd" | "fdfind" => {
            let runs = |word: &String| {
                word.starts_with("-exec")
                    || word.starts_with("-ok")
                    || name != "find" && ["-x", "-X", "--exec", "--exec-batch"].contains(&&**word)
            };
            match arguments.iter().any(runs) {
                true => Prints::FileText,
                false => Prints::Other,
            }
        }
        "docker" | "podman" | "kubectl" | "oc" | "nerdctl" | "crictl" => {
            let elsewhere = ["exec", "run", "cp", "rsh"];
            match arguments
                .iter()
                .any(|word| elsewhere.contains(&word.as_str()))
            {
                true => Prints::FileText,
                false => Prints::Other,
            }
        }
        // The whole of a file, printed again.
        "jq" | "yq" => match operands(arguments, "").first() {
            Some(filter) if *filter != "." => Prints::Other,
            _ if reads_pipe => Prints::Input,
            _ => Prints::FileText,
        },
        _ if OWN_TEXT.contains(&name) => Prints::Other,
        _ if reads_file || arguments.iter().any(|word| may_be_file(word)) => Prints::FileText,
        // A program that filters the pipe, or one that prints text of its own.
        _ if reads_pipe => Prints::Input,
        _ => Prints::Other,
    }
}

/// The command that a wrapper runs.
fn wrapped<'w>(name: &str, arguments: &'w [String]) -> &'w [String] {
    let mut at = 0;
    let mut has_duration = name != "timeout";
    while let Some(word) = arguments.get(at) {
        let takes_value = ["-n", "-u", "-g", "-k", "-s", "-c"].contains(&word.as_str())
            && name != "time"
            && name != "command";
        if takes_value {
            at += 2;
        } else if word.starts_with('-') || is_assignment(word) {
            at += 1;
        } else if !has_duration {
            has_duration = true;
            at += 1;
        } else {
            break;
        }
    }
    arguments.get(at..).unwrap_or_default()
}

/// The arguments that are no options. `values`: letters of the options whose value is the next word.
fn operands<'w>(arguments: &'w [String], values: &str) -> Vec<&'w str> {
    let mut operands = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "-" {
        } else if let Some(option) = word.strip_prefix('-') {
            let mut letters = option.chars();
            let (first, second) = (letters.next(), letters.next());
            if second.is_none() && first.is_some_and(|first| values.contains(first)) {
                words.next();
            }
        } else {
            operands.push(word.as_str());
        }
    }
    operands
}

/// Whether an option holds the script, so that the first argument is a file.
fn is_script_option(name: &str, word: &str) -> bool {
    let is_long = word.starts_with("--expression") || word.starts_with("--file");
    match name {
        "sed" => is_long || short_option(word, 'e') || short_option(word, 'f'),
        "awk" | "gawk" | "mawk" => is_long || word.starts_with("-f") || word.starts_with("-e"),
        _ => false,
    }
}

/// With `-e SCRIPT` the script is a word of its own, which looks like a file: an unclear command prints
/// text of a file.
fn has_file_script(name: &str, arguments: &[String]) -> bool {
    arguments.iter().any(|word| is_script_option(name, word))
}

fn short_option(word: &str, letter: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
}

fn may_be_file(word: &str) -> bool {
    !word.starts_with('-')
        && !word.contains("://")
        && word.contains(['/', '.', SUBSTITUTED])
        && word.parse::<f64>().is_err()
}

fn shell(arguments: &[String], reads_file: bool, reads_pipe: bool, depth: u32) -> Prints {
    let at = arguments.iter().position(|word| short_option(word, 'c'));
    if let Some(text) = at.and_then(|at| arguments.get(at + 1)) {
        return match handling_at(text, depth + 1) {
            Handling::Filter => Prints::Other,
            Handling::Exact => Prints::FileText,
            Handling::Leave => Prints::Original,
        };
    }
    match operands(arguments, "o").is_empty() || reads_file || reads_pipe {
        true => Prints::FileText,
        // A script prints text of its own.
        false => Prints::Other,
    }
}

fn interpreter(arguments: &[String]) -> Prints {
    let first = arguments
        .iter()
        .find(|word| !["-u", "-B", "-W"].contains(&word.as_str()));
    match first {
        Some(module) if module == "-m" || module == "--version" => Prints::Other,
        Some(script) if !script.starts_with('-') => Prints::Other,
        _ => Prints::FileText,
    }
}

/// A search of folders lists where it found something; any other prints lines of a file.
fn search(name: &str, arguments: &[String], reads_pipe: bool) -> Prints {
    let has = |letters: &str, long: &[&str]| {
        arguments.iter().any(|word| match word.strip_prefix("--") {
            Some(option) => long.iter().any(|long| option.starts_with(long)),
            None => word.starts_with('-') && word.contains(|c: char| letters.contains(c)),
        })
    };
    let has_number = arguments.iter().any(|word| {
        word.strip_prefix('-')
            .is_some_and(|digits| digits.parse::<u32>().is_ok())
    });
    let is_context = has(
        "ABC",
        &["context", "after-context", "before-context", "passthru"],
    );
    let files = operands(arguments, "ABCmefgtT");
    let has_pattern = has("ef", &["regexp", "file"]);
    let files = &files[files.len().min(usize::from(!has_pattern))..];
    if reads_pipe && files.is_empty() && !has("r", &["recursive"]) {
        return Prints::Input;
    }
    if has("lcLq", &["files", "count", "quiet", "json"]) && !is_context {
        return Prints::Other;
    }
    let has_no_names = has(if name == "rg" { "hI" } else { "h" }, &["no-filename"]);
    let searches_folders = match name {
        "grep" | "egrep" | "fgrep" | "zgrep" => has("rR", &["recursive", "dereference-recursive"]),
        _ => true,
    };
    let is_one_file = match files {
        [file] => {
            let name = file.rsplit('/').next().unwrap_or(file);
            name.trim_start_matches('.').contains('.')
        }
        _ => false,
    };
    match is_context || has_number || has_no_names || !searches_folders || is_one_file {
        true => Prints::FileText,
        false => Prints::Other,
    }
}

/// Commands of git that print no text of files.
const GIT_OWN_TEXT: &[&str] = &[
    "status",
    "branch",
    "tag",
    "remote",
    "fetch",
    "pull",
    "push",
    "commit",
    "add",
    "checkout",
    "switch",
    "merge",
    "rebase",
    "reset",
    "clone",
    "init",
    "config",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "rev-parse",
    "rev-list",
    "reflog",
    "shortlog",
    "describe",
    "worktree",
    "submodule",
    "stash",
    "clean",
    "gc",
    "fsck",
    "count-objects",
    "for-each-ref",
    "name-rev",
    "bisect",
    "cherry-pick",
    "revert",
    "rm",
    "mv",
    "restore",
    "notes",
    "log",
    "whatchanged",
    "version",
    "help",
    "var",
];

fn git(arguments: &[String]) -> Prints {
    let mut words = arguments.iter();
    let subcommand = loop {
        match words.next().map(String::as_str) {
            Some("-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace") => {
                words.next();
            }
            Some(option) if option.starts_with('-') => {}
            Some(subcommand) => break subcommand,
            None => return Prints::Other,
        }
    };
    let is_patch = |word: &str| {
        ["--patch", "--unified", "--cc", "--stdout", "show"]
            .iter()
            .any(|long| word.starts_with(long))
            || word.starts_with("-p")
            || word.starts_with("-U")
            || word.starts_with("-L")
            || word == "-u"
            || word == "-c"
            || word == "-v"
            || word == "-vv" && subcommand != "branch"
    };
    match GIT_OWN_TEXT.contains(&subcommand) {
        // `branch -v`, `remote show` and `push -u` print no text of files; a patch does.
        true if ![
            "log",
            "stash",
            "whatchanged",
            "reflog",
            "commit",
            "status",
            "add",
        ]
        .contains(&subcommand) =>
        {
            Prints::Other
        }
        true if !words.any(|word| is_patch(word)) => Prints::Other,
        _ => Prints::FileText,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_print_text_of_files() {
        for text in [
            "cat src/main.rs",
            "/usr/bin/cat a",
            "\\cat a",
            "LANG=C cat a",
            "env -u X LANG=C cat a",
            "cd src && cat main.rs",
            "sudo -u root head -n 20 a",
            "timeout 5 tail -100 a",
            "sed -n '1,80p' a",
            "nl -ba a",
            "nl -ba a | sed -n '3,9p'",
            "git diff",
            "git -C sub --no-pager diff HEAD~1 -- a",
            "git show HEAD:a",
            "git log -p -2",
            "git stash show -p",
            "git blame a",
            "git unknown-alias",
            "bash -c 'cat a'",
            "bash -lc \"cd x; sed -n 1p a\"",
            "make; cat a",
            "cat a | sort | uniq -c",
            "cat < a",
            "echo \"$(cat a)\"",
            "echo `cat a`",
            "diff <(cat a) <(make)",
            "for f in *.rs; do cat $f; done",
            "while read l; do echo $l; done < a",
            "find . -name '*.rs' -exec cat {} +",
            "ls | xargs cat",
            "cat <<EOF\nx\nEOF",
            "python3 -c 'print(open(\"a\").read())'",
            "python3 - <<'E'\nE",
            "perl -ne print a",
            "awk 'NR<20' a",
            "grep -n x a.rs",
            "grep -rn -C3 x src",
            "grep -rnA 5 x src",
            "grep -rh x src",
            "rg -A2 x",
            "rg x src/a.rs",
            "$CMD a",
            "unknown-program src/a.rs",
            "ssh host cat a",
            "docker exec c cat a",
            "jq . a.json",
            "f() { cat a; }; f",
            "eval cat a",
            "gh pr diff 3",
            "echo 'not closed",
            "tail -n +20 a | head -n 5",
            "make | cat a -",
        ] {
            assert_eq!(handling(text), Handling::Exact, "{text}");
        }
    }

    #[test]
    fn commands_that_print_text_of_their_own() {
        for text in [
            "make",
            "make 2>&1 | tail -50",
            "cargo test --workspace 2>&1 | head -n 100",
            "RUST_BACKTRACE=1 cargo test | grep -E 'FAIL|ok' | sort | uniq -c | sort -rn",
            "npm test && npm run build",
            "make -j$(nproc) all",
            "ls -la src/",
            "cd a && ls -R | sed 's/x/y/'",
            "find . -name '*.rs' | head",
            "git status",
            "git log --oneline -20 | cat",
            "git log --stat",
            "git branch -vv",
            "grep -rn needle .",
            "grep -rln needle src",
            "rg needle",
            "kubectl get pods -o json",
            "curl -s https://example.com/a.json | jq '.[0]'",
            "curl -s https://example.com/a.json | jq .",
            "docker ps",
            "gh issue list",
            "python3 manage.py test",
            "python3 -m pytest tests/a.py",
            "bash scripts/build.sh",
            "timeout 60 make",
            "echo hello; sleep 1; date",
            "cat a > b && make",
            "ps aux | awk '{print $2}'",
            "./configure",
            "if make; then echo ok; fi",
            "(cd a && make)",
            "find . | sort | tee files.txt",
            "seq 1 100 | tr '\\n' ' '",
            "ps aux | cut -d ' ' -f 1",
        ] {
            assert_eq!(handling(text), Handling::Filter, "{text}");
        }
    }

    #[test]
    fn an_original_that_is_read_back_stays() {
        for text in [
            r#"tamis read '{"ref":"fl3zeusg3y6ua7uu","lines":"1-80"}'"#,
            "/opt/tamis read fl3zeusg3y6ua7uu --grep x | head -50",
            "cd a; tamis read fl3zeusg3y6ua7uu",
        ] {
            assert_eq!(handling(text), Handling::Leave, "{text}");
        }
        assert_eq!(handling("tamis stats"), Handling::Filter);
    }

    #[test]
    fn no_command_makes_it_fail() {
        let deep = "bash -c \"".repeat(50) + "cat";
        let long = "a ".repeat(100_000);
        for text in [
            "",
            " ",
            ";;|",
            "|",
            "&&",
            "-",
            "''",
            deep.as_str(),
            long.as_str(),
            "\\",
        ] {
            let _ = handling(text);
        }
    }
}
