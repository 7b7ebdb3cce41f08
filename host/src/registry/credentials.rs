//! This user's credentials at a registry, as `docker login` and similar programs wrote them.

use super::Error;
use crate::file;
use serde_json::Value;
use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Largest configuration: one of a hundred registries has a tenth of this.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The identity of this user.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// No credentials, and the advice to a user who is refused for it.
    None { remedy: String },
    /// A user and a password.
    User {
        name: String,
        password: String,
        /// The source of the credentials.
        origin: String,
    },
}

impl Credentials {
    /// The credentials of a registry in Docker's configuration: `config.json` in DOCKER_CONFIG, else in
    /// `~/.docker`.
    ///
    /// # Errors
    ///
    /// The file exists, and cannot be understood.
    pub fn of_docker(registry: &str) -> Result<Credentials, Error> {
        let login = format!(
            "log in with `docker login {registry}`, or another tool that writes Docker's config.json"
        );
        let Some(path) = docker_config() else {
            return Ok(Credentials::None { remedy: login });
        };
        let broken =
            |cause: &str| Error::Credentials(format!("{} is broken: {cause}", path.display()));
        let bytes = match file::read(&path, MAX_CONFIG_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Credentials::None { remedy: login });
            }
            Err(error) => return Err(broken(&error.to_string())),
        };
        // The parser's message could hold a piece of a password.
        let config: Value = serde_json::from_slice(&bytes).map_err(|_| broken("it is not JSON"))?;
        // Docker's own registry is written down by its address.
        let host = match registry {
            "docker.io" => "index.docker.io",
            other => other,
        };
        let entries = config["auths"].as_object().into_iter().flatten();
        let entry = entries
            .filter(|(name, _)| host_of(name) == host)
            .map(|(_, entry)| entry)
            .find(|entry| entry["auth"].is_string() || entry["username"].is_string());
        let Some(entry) = entry else {
            let helper = config["credHelpers"][registry]
                .as_str()
                .or_else(|| config["credsStore"].as_str());
            return Ok(Credentials::None {
                remedy: match helper {
                    None => login,
                    Some(helper) => format!(
                        "{} leaves passwords to the program docker-credential-{}, which Tamis does not ask: `tamis plugin pull` takes them from TAMIS_REGISTRY_USER and TAMIS_REGISTRY_PASSWORD",
                        path.display(),
                        helper.escape_debug()
                    ),
                },
            });
        };
        let pair = match entry["auth"].as_str() {
            Some(auth) => base64(auth)
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .and_then(|text| {
                    let (name, password) = text.split_once(':')?;
                    Some((name.to_owned(), password.to_owned()))
                })
                .ok_or_else(|| {
                    broken(&format!(
                        "`auth` of {registry} is not NAME:PASSWORD in base64"
                    ))
                })?,
            None => {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                (text("username"), text("password"))
            }
        };
        Ok(Credentials::User {
            name: pair.0,
            password: pair.1,
            origin: path.display().to_string(),
        })
    }

    /// The credentials in TAMIS_REGISTRY_USER and TAMIS_REGISTRY_PASSWORD, else in Docker's configuration. Only
    /// for a registry from the command line: a policy may name any registry, which must not get them.
    ///
    /// # Errors
    ///
    /// One is set without the other, or Docker's configuration cannot be understood.
    pub fn of_environment(registry: &str) -> Result<Credentials, Error> {
        let (user, word) = ("TAMIS_REGISTRY_USER", "TAMIS_REGISTRY_PASSWORD");
        match (std::env::var(user), std::env::var(word)) {
            (Ok(name), Ok(password)) => Ok(Credentials::User {
                name,
                password,
                origin: format!("{user} and {word}"),
            }),
            (Err(_), Err(_)) => Credentials::of_docker(registry),
            (Ok(_), Err(_)) => Err(Error::Credentials(format!(
                "{user} is set, and {word} is not"
            ))),
            (Err(_), Ok(_)) => Err(Error::Credentials(format!(
                "{word} is set, and {user} is not"
            ))),
        }
    }

    /// The advice to a user who is refused.
    pub(super) fn remedy(&self) -> String {
        match self {
            Credentials::None { remedy } => {
                format!("it requires a user and a password, and none are configured; {remedy}")
            }
            Credentials::User { name, origin, .. } => format!(
                "check the password of {} (from {origin}), and the rights of this user",
                name.escape_debug()
            ),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Credentials::None { .. } => "(none)",
            Credentials::User { .. } => "(a user)",
        })
    }
}

fn docker_config() -> Option<PathBuf> {
    let folder = match std::env::var_os("DOCKER_CONFIG").filter(|value| !value.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => std::env::home_dir()?.join(".docker"),
    };
    Some(folder.join("config.json"))
}

/// The registry of a key in `auths`, which may be written as a URL.
fn host_of(key: &str) -> &str {
    let key = key.split_once("://").map_or(key, |(_, rest)| rest);
    key.split('/').next().unwrap_or(key)
}

/// Decodes base64 with or without its padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for digit in text.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_read_and_never_shown() {
        for (text, expected) in [
            ("", &b""[..]),
            ("YQ==", b"a"),
            ("YWI=", b"ab"),
            ("dTpwQHNz", b"u:p@ss"),
            ("+/+/", b"\xfb\xff\xbf"),
        ] {
            assert_eq!(base64(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(base64("a b"), None);
        let credentials = Credentials::User {
            name: "u".to_owned(),
            password: "secret".to_owned(),
            origin: "o".to_owned(),
        };
        assert!(!format!("{credentials:?} {}", credentials.remedy()).contains("secret"));
    }

    #[test]
    fn a_key_may_be_a_url() {
        for key in [
            "r.example:5000",
            "https://r.example:5000",
            "https://r.example:5000/v1/",
        ] {
            assert_eq!(host_of(key), "r.example:5000");
        }
    }
}
