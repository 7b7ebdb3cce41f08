//! The paths of clients' configurations, on every system.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueEnum;
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
    Client::value_variants()
        .iter()
        .flat_map(|client| places(*client, &around))
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
            "/home/me/.gemini/settings.json",
            "/srv/work/.gemini/settings.json",
            "/home/me/.config/opencode/opencode.json",
            "/home/me/.config/opencode/opencode.jsonc",
            "/home/me/.config/opencode/config.json",
            "/srv/work/opencode.json",
            "/srv/work/opencode.jsonc",
            "/srv/work/.opencode/opencode.json",
            "/srv/work/.opencode/opencode.jsonc",
            "/home/me/.qwen/settings.json",
            "/srv/work/.qwen/settings.json",
            "/home/me/.copilot/mcp-config.json",
            "/home/me/.kimi-code/mcp.json",
            "/srv/work/.kimi-code/mcp.json",
            "/home/me/.cline/data/settings/cline_mcp_settings.json",
            "/home/me/.continue/config.yaml",
            "/home/me/.vibe/config.toml",
            "/srv/work/.vibe/config.toml",
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
            ("GEMINI_CLI_HOME", "/g"),
            ("OPENCODE_CONFIG", "/o.json"),
            ("OPENCODE_CONFIG_DIR", "/o"),
            ("QWEN_HOME", "/q"),
            ("COPILOT_HOME", "/p"),
            ("KIMI_CODE_HOME", "/k"),
            ("CLINE_DIR", "/l"),
            ("CONTINUE_GLOBAL_DIR", "/n"),
            ("VIBE_HOME", "/v"),
        ],
    );
    for path in [
        "/c/.claude.json",
        "/x/config.toml",
        "/xdg/zed/settings.json",
        "/xdg/Code/User/mcp.json",
        "/xdg/Claude/claude_desktop_config.json",
        "/g/.gemini/settings.json",
        "/o.json",
        "/xdg/opencode/opencode.json",
        "/o/opencode.jsonc",
        "/q/settings.json",
        "/p/mcp-config.json",
        "/k/mcp.json",
        "/l/data/settings/cline_mcp_settings.json",
        "/n/config.yaml",
        "/v/config.toml",
    ] {
        assert!(moved.iter().any(|it| it == path), "{path}: {moved:?}");
    }
    let cline = [
        ("CLINE_MCP_SETTINGS_PATH", "/m.json", "/m.json"),
        (
            "CLINE_DATA_DIR",
            "/d",
            "/d/settings/cline_mcp_settings.json",
        ),
    ];
    for (variable, value, path) in cline {
        let moved = found(Platform::Linux, &[(variable, value)]);
        assert!(moved.iter().any(|it| it == path), "{path}: {moved:?}");
    }
    // A relative path would differ in every folder.
    let same = found(
        Platform::Linux,
        &[("CODEX_HOME", "x"), ("XDG_CONFIG_HOME", "")],
    );
    assert_eq!(same, found(Platform::Linux, &[]));
}
