//! Commands and options of cargo features that this program was built without. Each of them says so.

use anyhow::{Result, bail};
use std::ffi::OsString;
use std::process::ExitCode;

/// Not in this build of Tamis.
#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// What the command takes in other builds.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

/// The error of what needs a feature.
fn missing<T>(what: &str, feature: &str) -> Result<T> {
    bail!(
        "this Tamis was built without {what}: use a released one, or build it with the cargo feature `{feature}`"
    )
}

#[cfg(not(feature = "http"))]
pub(in crate::cli) mod serve {
    use super::{ExitCode, Result, missing};

    pub(in crate::cli) use super::Arguments;

    pub(in crate::cli) fn run(_: &Arguments) -> Result<ExitCode> {
        missing("HTTP", "http")
    }
}

#[cfg(not(feature = "http"))]
pub(in crate::cli) mod connect {
    use super::{ExitCode, OsString, Result, missing};

    pub(in crate::cli) use super::Arguments;

    #[derive(clap::Args, Clone, Default)]
    pub(in crate::cli) struct HeaderArguments {
        #[arg(long = "header", value_name = "HEADER", hide = true)]
        headers: Vec<String>,
    }

    impl HeaderArguments {
        pub(in crate::cli) fn any(&self) -> bool {
            !self.headers.is_empty()
        }

        pub(in crate::cli) fn pairs(&self) -> Result<Vec<(String, String)>> {
            if self.any() {
                return missing("HTTP", "http");
            }
            Ok(Vec::new())
        }
    }

    /// A program, its arguments, and its environment variables.
    type CommandAndEnv = (Vec<OsString>, Vec<(String, String)>);

    pub(in crate::cli) fn run(_: &Arguments) -> Result<ExitCode> {
        missing("HTTP", "http")
    }

    pub(in crate::cli) fn command(_: &str, _: &HeaderArguments) -> Result<CommandAndEnv> {
        missing("HTTP", "http")
    }

    pub(in crate::cli) fn command_to_ask(
        _: &str,
        _: &[(String, String)],
        _: bool,
    ) -> Result<CommandAndEnv> {
        missing("HTTP", "http")
    }

    pub(in crate::cli) fn host(_: &str) -> Result<String> {
        missing("HTTP", "http")
    }

    pub(in crate::cli) fn url(_: &str) -> Result<()> {
        missing("HTTP", "http")
    }
}

#[cfg(not(feature = "login"))]
pub(in crate::cli) mod login {
    use super::{ExitCode, Result, missing};

    pub(in crate::cli) use super::Arguments;
    pub(in crate::cli) use super::Arguments as LogoutArguments;

    pub(in crate::cli) fn run(_: &Arguments) -> Result<ExitCode> {
        missing("logins", "login")
    }

    pub(in crate::cli) fn log_out(_: &Arguments) -> Result<ExitCode> {
        missing("logins", "login")
    }
}
