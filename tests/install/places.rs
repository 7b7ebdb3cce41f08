//! Where clients keep their configurations, on every system.

use std::ffi::OsString;
use std::path::Path;

use tamis::install::{Client, Platform, Surroundings, places};

fn found(platform: Platform, variables: &[(&str, &str)]) -> Vec<String> {
    let variable = |name: &str| {
        let mut variables = variables.iter();
        let (_, value) = variables.find(|(other, _)| *other == name)?;
        Some(OsString::from(value))
    };
    let around = Surroundings {
        platform,
        home: Path::new("/home/me"),
        folder: Path::new("/srv/work"),
        variable: &variable,
    };
    let clients = [
        Client::ClaudeCode,
        Client::ClaudeDesktop,
        Client::Cursor,
        Client::VsCode,
        Client::Codex,
        Client::Zed,
        Client::Windsurf,
    ];
    clients
        .into_iter()
        .flat_map(|client| places(client, &around))
        .map(|place| place.path.display().to_string())
        .collect()
}

#[test]
fn each_client_keeps_them_where_its_system_has_settings() {
    assert_eq!(
        found(Platform::Linux, &[]),
        [
            "/home/me/.claude.json",
            "/srv/work/.mcp.json",
            "/home/me/.config/Claude/claude_desktop_config.json",
            "/home/me/.cursor/mcp.json",
            "/srv/work/.cursor/mcp.json",
            "/home/me/.config/Code/User/mcp.json",
            "/home/me/.config/Code - Insiders/User/mcp.json",
            "/home/me/.config/VSCodium/User/mcp.json",
            "/srv/work/.vscode/mcp.json",
            "/home/me/.codex/config.toml",
            "/srv/work/.codex/config.toml",
            "/home/me/.config/zed/settings.json",
            "/srv/work/.zed/settings.json",
            "/home/me/.codeium/windsurf/mcp_config.json",
        ]
    );
    let mac = found(Platform::MacOs, &[("XDG_CONFIG_HOME", "/xdg")]);
    let settings = "/home/me/Library/Application Support";
    for path in [
        &format!("{settings}/Claude/claude_desktop_config.json"),
        &format!("{settings}/Code/User/mcp.json"),
        "/home/me/.config/zed/settings.json",
        "/home/me/.claude.json",
    ] {
        assert!(mac.iter().any(|it| it == path), "{path}: {mac:?}");
    }
    let windows = found(
        Platform::Windows,
        &[("APPDATA", "C:/Users/me/AppData/Roaming")],
    );
    let settings = "C:/Users/me/AppData/Roaming";
    for path in [
        &format!("{settings}/Claude/claude_desktop_config.json"),
        &format!("{settings}/Code/User/mcp.json"),
        &format!("{settings}/Zed/settings.json"),
        "/home/me/.codex/config.toml",
    ] {
        assert!(windows.iter().any(|it| it == path), "{path}: {windows:?}");
    }
}

#[test]
fn variables_move_them() {
    let moved = found(
        Platform::Linux,
        &[
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CODEX_HOME", "/x"),
            ("XDG_CONFIG_HOME", "/xdg"),
        ],
    );
    for path in [
        "/c/.claude.json",
        "/x/config.toml",
        "/xdg/zed/settings.json",
        "/xdg/Code/User/mcp.json",
        "/xdg/Claude/claude_desktop_config.json",
    ] {
        assert!(moved.iter().any(|it| it == path), "{path}: {moved:?}");
    }
    // A relative one would be another in every folder.
    let same = found(
        Platform::Linux,
        &[("CODEX_HOME", "x"), ("XDG_CONFIG_HOME", "")],
    );
    assert_eq!(same, found(Platform::Linux, &[]));
}
