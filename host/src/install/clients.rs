//! The clients, and the files with their lists of servers.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::Format;
use crate::project;
pub use crate::system::Platform;

/// A program that starts MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Client {
    /// Anthropic's agent for the terminal.
    ClaudeCode,
    /// Anthropic's desktop application.
    ClaudeDesktop,
    /// The editor.
    Cursor,
    /// Visual Studio Code, its Insiders build, and VSCodium.
    #[value(name = "vscode")]
    VsCode,
    /// OpenAI's agent for the terminal.
    Codex,
    /// The editor.
    Zed,
    /// The editor.
    Windsurf,
    /// Google's agent for the terminal.
    GeminiCli,
    /// The open-source agent for the terminal.
    #[value(name = "opencode")]
    OpenCode,
    /// Alibaba's agent for the terminal.
    QwenCode,
    /// GitHub's agent for the terminal.
    CopilotCli,
    /// Moonshot's agent for the terminal.
    KimiCode,
    /// The agent for the terminal; the extension of VS Code shares its settings.
    Cline,
    /// The agent for the terminal and for editors.
    Continue,
    /// Mistral's agent for the terminal.
    #[value(name = "vibe")]
    MistralVibe,
}

impl Client {
    /// The client's name for people.
    pub fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::ClaudeDesktop => "Claude Desktop",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
            Client::Codex => "Codex",
            Client::Zed => "Zed",
            Client::Windsurf => "Windsurf",
            Client::GeminiCli => "Gemini CLI",
            Client::OpenCode => "opencode",
            Client::QwenCode => "Qwen Code",
            Client::CopilotCli => "Copilot CLI",
            Client::KimiCode => "Kimi Code",
            Client::Cline => "Cline",
            Client::Continue => "Continue",
            Client::MistralVibe => "Mistral Vibe",
        }
    }

    /// How its configuration is written.
    pub fn format(self) -> Format {
        match self {
            Client::Codex | Client::MistralVibe => Format::Toml,
            Client::Continue => Format::Yaml,
            _ => Format::Json,
        }
    }

    /// The keys that lead to its servers; `*` is any key.
    pub fn lists(self) -> &'static [&'static [&'static str]] {
        match self {
            // Servers for one project alone are listed under its path.
            Client::ClaudeCode => &[&["mcpServers"], &["projects", "*", "mcpServers"]],
            Client::VsCode => &[&["servers"]],
            Client::Codex | Client::MistralVibe => &[&["mcp_servers"]],
            Client::Zed => &[&["context_servers"]],
            Client::OpenCode => &[&["mcp"]],
            _ => &[&["mcpServers"]],
        }
    }

    /// The paths in a project where this client may have a configuration.
    fn in_project(self) -> &'static [&'static str] {
        match self {
            Client::ClaudeCode => &[".mcp.json"],
            Client::Cursor => &[".cursor/mcp.json"],
            Client::VsCode => &[".vscode/mcp.json"],
            Client::Codex => &[".codex/config.toml"],
            Client::Zed => &[".zed/settings.json"],
            Client::GeminiCli => &[".gemini/settings.json"],
            Client::OpenCode => &[
                "opencode.json",
                "opencode.jsonc",
                ".opencode/opencode.json",
                ".opencode/opencode.jsonc",
            ],
            Client::QwenCode => &[".qwen/settings.json"],
            Client::KimiCode => &[".kimi-code/mcp.json"],
            Client::MistralVibe => &[".vibe/config.toml"],
            Client::ClaudeDesktop
            | Client::Windsurf
            | Client::CopilotCli
            | Client::Cline
            | Client::Continue => &[],
        }
    }
}

/// Whose configuration it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The user's own.
    User,
    /// A project's, which may be shared with others; the folder that the project is in.
    Project(PathBuf),
}

/// A path where a configuration may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose format it is in.
    pub client: Client,
    /// The file, which need not be there.
    pub path: PathBuf,
    /// Whose configuration it is.
    pub scope: Scope,
}

/// The facts that decide where configurations are.
pub struct Surroundings<'a> {
    /// The system.
    pub platform: Platform,
    /// The user's home folder.
    pub home: &'a Path,
    /// The folder that the project is looked for in.
    pub folder: &'a Path,
    /// The environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Surroundings<'_> {
    fn absolute(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute() || self.platform == Platform::Windows)
    }

    /// The folder of programs' settings, other than those that use a folder of their own in the home.
    fn settings(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.xdg_config(),
            Platform::MacOs => self.home.join("Library/Application Support"),
            Platform::Windows => self.app_data(),
        }
    }

    fn xdg_config(&self) -> PathBuf {
        self.absolute("XDG_CONFIG_HOME")
            .unwrap_or_else(|| self.home.join(".config"))
    }

    fn app_data(&self) -> PathBuf {
        self.absolute("APPDATA")
            .unwrap_or_else(|| self.home.join("AppData").join("Roaming"))
    }
}

/// All places where a client may have its configuration, the user's own first. The reader finds out which
/// of them exist.
pub fn places(client: Client, around: &Surroundings<'_>) -> Vec<Place> {
    let user = |path| Place {
        client,
        path,
        scope: Scope::User,
    };
    let mut places: Vec<Place> = of_user(client, around).into_iter().map(user).collect();
    let folders = project::folders(around.folder, Some(around.home));
    if let Some(root) = folders.last() {
        for folder in &folders {
            places.extend(client.in_project().iter().map(|name| Place {
                client,
                path: folder.join(name),
                scope: Scope::Project(root.to_path_buf()),
            }));
        }
    }
    places
}

fn of_user(client: Client, around: &Surroundings<'_>) -> Vec<PathBuf> {
    let home = around.home;
    match client {
        Client::ClaudeCode => {
            let folder = around.absolute("CLAUDE_CONFIG_DIR");
            vec![folder.as_deref().unwrap_or(home).join(".claude.json")]
        }
        Client::ClaudeDesktop => {
            vec![around.settings().join("Claude/claude_desktop_config.json")]
        }
        Client::Cursor => vec![home.join(".cursor/mcp.json")],
        Client::VsCode => ["Code", "Code - Insiders", "VSCodium"]
            .iter()
            .flat_map(|name| of_profiles(&around.settings().join(name).join("User")))
            .collect(),
        Client::Codex => {
            let folder = around.absolute("CODEX_HOME");
            vec![
                folder
                    .unwrap_or_else(|| home.join(".codex"))
                    .join("config.toml"),
            ]
        }
        Client::Zed => {
            let folder = match around.platform {
                Platform::Linux => around.xdg_config().join("zed"),
                Platform::MacOs => home.join(".config/zed"),
                Platform::Windows => around.app_data().join("Zed"),
            };
            vec![folder.join("settings.json")]
        }
        Client::Windsurf => vec![home.join(".codeium/windsurf/mcp_config.json")],
        Client::GeminiCli => {
            let folder = around.absolute("GEMINI_CLI_HOME");
            vec![
                folder
                    .as_deref()
                    .unwrap_or(home)
                    .join(".gemini/settings.json"),
            ]
        }
        Client::OpenCode => {
            // It follows the XDG specification on every system.
            let mut files: Vec<PathBuf> = around.absolute("OPENCODE_CONFIG").into_iter().collect();
            let own = around.xdg_config().join("opencode");
            for folder in [Some(own), around.absolute("OPENCODE_CONFIG_DIR")] {
                let names = ["opencode.json", "opencode.jsonc", "config.json"];
                files.extend(
                    folder
                        .iter()
                        .flat_map(|folder| names.map(|name| folder.join(name))),
                );
            }
            files
        }
        Client::QwenCode => vec![in_folder(around, "QWEN_HOME", ".qwen").join("settings.json")],
        Client::CopilotCli => {
            vec![in_folder(around, "COPILOT_HOME", ".copilot").join("mcp-config.json")]
        }
        Client::KimiCode => {
            vec![in_folder(around, "KIMI_CODE_HOME", ".kimi-code").join("mcp.json")]
        }
        Client::Cline => {
            let own = || {
                let folder = around.absolute("CLINE_DATA_DIR");
                folder
                    .unwrap_or_else(|| in_folder(around, "CLINE_DIR", ".cline").join("data"))
                    .join("settings/cline_mcp_settings.json")
            };
            vec![
                around
                    .absolute("CLINE_MCP_SETTINGS_PATH")
                    .unwrap_or_else(own),
            ]
        }
        Client::Continue => {
            vec![in_folder(around, "CONTINUE_GLOBAL_DIR", ".continue").join("config.yaml")]
        }
        Client::MistralVibe => vec![in_folder(around, "VIBE_HOME", ".vibe").join("config.toml")],
    }
}

/// A client's own folder: the one that a variable names, else one in the home.
fn in_folder(around: &Surroundings<'_>, variable: &str, name: &str) -> PathBuf {
    around
        .absolute(variable)
        .unwrap_or_else(|| around.home.join(name))
}

/// VS Code's default profile, and the others by name.
fn of_profiles(user: &Path) -> Vec<PathBuf> {
    let mut profiles: Vec<PathBuf> = fs::read_dir(user.join("profiles"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    profiles.sort();
    profiles.insert(0, user.to_owned());
    profiles
        .into_iter()
        .map(|folder| folder.join("mcp.json"))
        .collect()
}
