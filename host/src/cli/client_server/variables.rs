//! Variables in a client's configuration, filled in as the client does.
//!
//! Clients differ in the forms that they know. All forms are filled in for all clients, unless that is a guess.
//! An unset variable stays in the words of a command, since a program that is started may fill it in.

use std::path::{MAIN_SEPARATOR_STR, Path};

/// The values of variables.
pub(in crate::cli) struct Variables<'a> {
    pub(in crate::cli) home: &'a Path,
    /// The project's folder.
    pub(in crate::cli) folder: &'a Path,
    /// The environment.
    pub(in crate::cli) environment: &'a dyn Fn(&str) -> Option<String>,
}

/// The treatment of an unset variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Unset {
    Stays,
    Fails,
}

impl Variables<'_> {
    /// The text with its variables filled in: `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `{env:NAME}`,
    /// `${workspaceFolder}`, `${userHome}`, and `$NAME` if it is the whole text.
    ///
    /// # Errors
    ///
    /// The reason, for a variable that only the client knows, and for an unset one that is required.
    pub(in crate::cli) fn fill(&self, text: &str, unset: Unset) -> Result<String, String> {
        if let Some(name) = text.strip_prefix('$')
            && is_name(name)
        {
            return match (self.environment)(name) {
                Some(value) => Ok(value),
                None if unset == Unset::Stays => Ok(text.to_owned()),
                None => Err(not_set(name)),
            };
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let has_dollar = rest[..open].ends_with('$');
            let start = open - usize::from(has_dollar);
            let Some(length) = rest[open..].find('}') else {
                break;
            };
            let inner = &rest[open + 1..open + length];
            filled.push_str(&rest[..start]);
            match self.value(inner, has_dollar)? {
                Value::Set(value) => filled.push_str(&value),
                Value::Unset(name) if unset == Unset::Fails => return Err(not_set(name)),
                // A brace of something else may stand before one of a variable.
                Value::Unset(_) | Value::None => {
                    filled.push_str(&rest[start..=open]);
                    rest = &rest[open + 1..];
                    continue;
                }
            }
            rest = &rest[open + length + 1..];
        }
        Ok(filled + rest)
    }

    fn value<'t>(&self, inner: &'t str, has_dollar: bool) -> Result<Value<'t>, String> {
        let of_environment = |name: &'t str, default: Option<&str>| {
            let value =
                (self.environment)(name).filter(|value| default.is_none() || !value.is_empty());
            match value.or_else(|| default.map(str::to_owned)) {
                Some(value) => Value::Set(value),
                None => Value::Unset(name),
            }
        };
        if let Some(name) = inner.strip_prefix("env:").filter(|rest| is_name(rest)) {
            return Ok(of_environment(name, None));
        }
        let of_client = ["input:", "command:", "config:", "file:"];
        if of_client.iter().any(|kind| inner.starts_with(kind)) {
            let shown = crate::printable::line(&inner.chars().take(60).collect::<String>());
            return Err(format!(
                "its configuration has `{{{shown}}}`, which only the client can fill in"
            ));
        }
        if !has_dollar {
            return Ok(Value::None);
        }
        let path = |path: &Path| Ok(Value::Set(path.to_string_lossy().into_owned()));
        match inner {
            "workspaceFolder" => return path(self.folder),
            "userHome" => return path(self.home),
            "workspaceFolderBasename" => {
                let name = self.folder.file_name().unwrap_or_default();
                return Ok(Value::Set(name.to_string_lossy().into_owned()));
            }
            "/" | "pathSeparator" => return Ok(Value::Set(MAIN_SEPARATOR_STR.to_owned())),
            _ => {}
        }
        Ok(match inner.split_once(":-") {
            Some((name, default)) if is_name(name) => of_environment(name, Some(default)),
            None if is_name(inner) => of_environment(inner, None),
            _ => Value::None,
        })
    }
}

enum Value<'t> {
    Set(String),
    /// The name of a variable that is not set.
    Unset(&'t str),
    /// The text is no variable.
    None,
}

fn not_set(name: &str) -> String {
    format!("the environment variable {name}, which its configuration names, is not set")
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 100
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_clients_form_is_filled_in() {
        let environment = |name: &str| match name {
            "TOKEN" => Some("secret".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let variables = Variables {
            home: Path::new("/home/me"),
            folder: Path::new("/home/dev/project"),
            environment: &environment,
        };
        for (text, filled) in [
            ("plain", "plain"),
            ("${TOKEN}", "secret"),
            ("$TOKEN", "secret"),
            ("Bearer ${env:TOKEN}!", "Bearer secret!"),
            ("{env:TOKEN}", "secret"),
            ("${NONE:-other}/${EMPTY:-x}", "other/x"),
            (
                "${workspaceFolder}/a ${userHome}",
                "/home/dev/project/a /home/me",
            ),
            (
                "{\"a\": {\"b\": \"${TOKEN}\"}}",
                "{\"a\": {\"b\": \"secret\"}}",
            ),
            ("${NONE} {x} ${", "${NONE} {x} ${"),
            ("cost: $5 {", "cost: $5 {"),
        ] {
            assert_eq!(variables.fill(text, Unset::Stays).as_deref(), Ok(filled));
        }
        for text in ["${NONE}", "$NONE", "{env:NONE}"] {
            let error = variables.fill(text, Unset::Fails).expect_err(text);
            assert!(error.contains("variable NONE"), "{error}");
        }
        for text in ["${input:key}", "{file:~/.key}"] {
            let error = variables.fill(text, Unset::Stays).expect_err(text);
            assert!(error.contains("only the client"), "{error}");
        }
    }
}
