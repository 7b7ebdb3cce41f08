//! The kinds of systems.

/// Systems differ in where programs keep their settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux, and other systems that follow the XDG specification.
    Linux,
    /// Apple's.
    MacOs,
    /// Microsoft's.
    Windows,
}

/// The shell that a command in a message is pasted into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    /// As POSIX has it; also bash and zsh.
    Posix,
    /// Microsoft's.
    PowerShell,
}

impl Platform {
    /// The one that this program runs on.
    pub const fn here() -> Platform {
        if cfg!(target_os = "macos") {
            Platform::MacOs
        } else if cfg!(windows) {
            Platform::Windows
        } else {
            Platform::Linux
        }
    }

    /// The shell that its users have.
    pub(crate) const fn shell(self) -> Shell {
        match self {
            Platform::Linux | Platform::MacOs => Shell::Posix,
            Platform::Windows => Shell::PowerShell,
        }
    }

    /// The program that shows a page, with its first arguments: the URL follows.
    pub(crate) const fn opener(self) -> &'static [&'static str] {
        match self {
            Platform::Linux => &["xdg-open"],
            Platform::MacOs => &["open"],
            // Not `start`: that is a command of a shell, which would read the URL's `&`.
            Platform::Windows => &["rundll32", "url.dll,FileProtocolHandler"],
        }
    }

    /// The character between the programs of a list, as in the variable `BROWSER`.
    pub(crate) const fn list_separator(self) -> char {
        match self {
            Platform::Linux | Platform::MacOs => ':',
            Platform::Windows => ';',
        }
    }
}
