//! A server in a client's configuration: how it is started, and where the text says so.

use std::ops::Range;

use super::details::Details;

/// A server as a configuration has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The keys that lead to it; the last is its name.
    pub at: Vec<String>,
    /// How the client reaches it.
    pub launch: Launch,
    /// Its other settings.
    pub details: Details,
    /// The ranges to cut to remove it; empty if they are not known.
    pub whole: Vec<Range<usize>>,
}

/// How a client reaches a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// The client starts it.
    Stdio(Stdio),
    /// The server is elsewhere, at this address.
    Remote(String),
    /// Something that is left alone: why.
    Unclear(String),
}

/// A command with its arguments, and where they are in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stdio {
    /// The program.
    pub command: Word,
    /// Its arguments.
    pub arguments: Arguments,
}

/// A string in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The position of the string, with its quotes.
    pub span: Range<usize>,
    /// Its decoded text.
    pub value: String,
}

/// A command's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// A list.
    Listed {
        /// Between its brackets.
        inside: Range<usize>,
        /// Its words.
        words: Vec<Word>,
        /// The ranges to cut to remove the list; empty if they are not known.
        whole: Vec<Range<usize>>,
        /// The text between two words, if it is not a comma with the text before the first.
        separator: Option<String>,
    },
    /// A list whose first word is the command, and these are the others.
    Behind {
        /// Between its brackets.
        inside: Range<usize>,
        /// Its words, without the command.
        words: Vec<Word>,
    },
    /// The list is missing; one can be put there.
    Missing {
        /// The position for the list.
        at: usize,
        /// The text to put before the list.
        before: String,
        /// The text to put after it.
        after: String,
    },
}

impl Server {
    /// Its name.
    pub fn name(&self) -> &str {
        self.at.last().map_or("", String::as_str)
    }

    /// Whether it has a list of arguments.
    pub fn has_arguments(&self) -> bool {
        let arguments = match &self.launch {
            Launch::Stdio(stdio) => &stdio.arguments,
            _ => return false,
        };
        !matches!(arguments, Arguments::Missing { .. })
    }

    /// The keys that lead to the list that it is in.
    pub fn list(&self) -> &[String] {
        &self.at[..self.at.len().saturating_sub(1)]
    }

    /// The project that it is for, where a user's configuration has servers by project.
    pub fn project(&self) -> Option<&str> {
        match self.at.as_slice() {
            [_, project, _, _] => Some(project),
            _ => None,
        }
    }
}

impl Stdio {
    /// Its arguments.
    pub fn words(&self) -> &[Word] {
        match &self.arguments {
            Arguments::Listed { words, .. } | Arguments::Behind { words, .. } => words,
            Arguments::Missing { .. } => &[],
        }
    }

    /// Command and arguments, one after the other.
    pub fn line(&self) -> Vec<&str> {
        let words = self.words().iter();
        std::iter::once(self.command.value.as_str())
            .chain(words.map(|word| word.value.as_str()))
            .collect()
    }
}
