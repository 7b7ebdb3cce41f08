//! The pages in docs/clients: their examples are what `tamis install` reads and writes.
//!
//! `TAMIS_BLESS=1` writes the generated parts and the blocks after the installation again.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tamis::install::{Client, Format, Launch, Platform, Scope, Surroundings, places, servers};
use tamis::mcp::clients;
use tamis::policy::{ClientSpec, Sees, ToolList};

use super::{Home, TAMIS};
use crate::docs::generated;
use crate::support::repository;

/// Where the pages say that Tamis is.
const PROGRAM: &str = "/usr/local/bin/tamis";

/// The name of a client for `--client`, and of its page.
fn name(client: Client) -> String {
    let value = client.to_possible_value().expect("every client has one");
    value.get_name().to_owned()
}

fn page(client: Client) -> String {
    format!("docs/clients/{}.md", name(client))
}

fn read(page: &str) -> String {
    std::fs::read_to_string(repository().join(page))
        .unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The block of code behind a mark.
fn block(page: &str, text: &str, mark: &str) -> Option<String> {
    let (_, after) = text.split_once(&format!("<!-- {mark} -->\n```"))?;
    let (_, code) = after.split_once('\n').expect("a fence ends");
    let (code, _) = code
        .split_once("```\n")
        .unwrap_or_else(|| panic!("{page}: the block {mark} does not end"));
    Some(code.to_owned())
}

/// How `clientInfo.name` begins. None: it has not been seen.
fn calls_itself(client: Client) -> Option<&'static str> {
    Some(match client {
        Client::ClaudeCode => "claude-code",
        Client::VsCode => "visual studio code",
        Client::Codex => "codex",
        Client::GeminiCli => "gemini-cli-mcp-client",
        Client::OpenCode => "opencode",
        Client::QwenCode => "qwen-cli-mcp-client",
        Client::CopilotCli => "copilot",
        Client::KimiCode => "kimi",
        Client::Cline => "@cline/core",
        Client::Continue => "continue-cli-client",
        Client::MistralVibe => "mcp",
        Client::ClaudeDesktop | Client::Cursor | Client::Zed | Client::Windsurf => return None,
    })
}

fn spec(client: Client) -> Option<&'static ClientSpec> {
    let name = calls_itself(client)?;
    let spec = clients::known(&[]).find(|spec| spec.name.matches(name));
    Some(spec.unwrap_or_else(|| panic!("clients.toml has no {name}")))
}

#[test]
fn every_client_has_a_page_and_every_page_a_client() {
    let clients: BTreeSet<String> = Client::value_variants()
        .iter()
        .map(|client| format!("{}.md", name(*client)))
        .collect();
    let folder = std::fs::read_dir(repository().join("docs/clients")).expect("the pages");
    let pages: BTreeSet<String> = folder
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.into_string().expect("Unicode")
        })
        .collect();
    assert_eq!(pages, clients, "pages in docs/clients, clients of Tamis");

    let mut table = String::from(
        "| client | `--client` | configuration | version tried | its model gets of a result |\n|---|---|---|---|---|\n",
    );
    for client in Client::value_variants() {
        let text = read(&page(*client));
        let title = client.title();
        assert!(text.starts_with(&format!("# {title}\n")), "{title}");
        for part in [
            "Configuration",
            "Install",
            "Over HTTP",
            "Verify",
            "What its model gets",
            "Limits",
            "Update and remove",
        ] {
            let heading = format!("\n## {part}\n");
            assert!(text.contains(&heading), "{title} lacks {heading}");
        }
        let name = name(*client);
        let format = match client.format() {
            Format::Json => "JSON",
            Format::Toml => "TOML",
            Format::Yaml => "YAML",
        };
        let spec = spec(*client);
        let version = spec.map_or("", |spec| &spec.version);
        let version = if version.is_empty() { "none" } else { version };
        let result = spec.map_or("not known", |spec| seen(spec.sees));
        table += &format!(
            "| [{title}](clients/{name}.md) | `{name}` | {format} | {version} | {result} |\n"
        );
    }
    generated(
        "docs/clients.md",
        "<!-- clients -->\n",
        "<!-- /clients -->",
        &table,
    );
}

#[test]
fn the_example_of_every_client_is_changed_as_its_page_shows_and_restored() {
    for client in Client::value_variants() {
        let (page, name) = (page(*client), name(*client));
        let text = read(&page);
        let before = block(&page, &text, "before").unwrap_or_else(|| panic!("{page}: no before"));
        let after = block(&page, &text, "after").unwrap_or_else(|| panic!("{page}: no after"));
        let home = Home::new();
        let path = of_user(*client, Platform::Linux, &home.path("home"), &|_| None);
        let path = path[0].clone();
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("make folders");
        std::fs::write(&path, &before).expect("write");
        home.tamis(&["install", "--yes", "--client", &name])
            .succeeded();
        let found = std::fs::read_to_string(&path)
            .expect("a file")
            .replace(TAMIS, PROGRAM);
        if std::env::var_os("TAMIS_BLESS").is_some() {
            let fence = text.split_once("<!-- after -->\n").expect("a mark").1;
            let fence = &fence[..=fence.find('\n').expect("a line")];
            let begin = format!("<!-- after -->\n{fence}");
            generated(&page, &begin, "```\n", &found);
        } else {
            assert_eq!(found, after, "{page}: run the test with TAMIS_BLESS=1");
        }
        assert!(
            found.contains("--server") && found.contains("mcp"),
            "{page}"
        );
        home.tamis(&["uninstall", "--yes"]).succeeded();
        let restored = std::fs::read_to_string(&path).expect("a file");
        assert_eq!(restored, before, "{page}: after `tamis uninstall`");
    }
}

/// The addresses that the pages give for `tamis serve`.
const FILES: &str = "http://127.0.0.1:8808/files/mcp";
const READER: &str = "http://127.0.0.1:8808/tamis/mcp";

#[test]
fn the_http_example_of_every_client_has_both_servers() {
    for client in Client::value_variants() {
        let page = page(*client);
        let text = block(&page, &read(&page), "http").unwrap_or_else(|| panic!("{page}: no http"));
        let found = servers(&text, client.format(), client.lists());
        let found = found.unwrap_or_else(|error| panic!("{page}: {error}\n{text}"));
        let found: Vec<(&str, String)> = found
            .iter()
            .map(|server| {
                let to = match &server.launch {
                    Launch::Remote(url) => url.clone(),
                    Launch::Stdio(stdio) => stdio.line().join(" "),
                    Launch::Unclear(why) => panic!("{page}: {}: {why}", server.name()),
                };
                (server.name(), to)
            })
            .collect();
        let expected = match client {
            // It starts programs alone.
            Client::ClaudeDesktop => [FILES, READER].map(|url| format!("{PROGRAM} connect {url}")),
            _ => [FILES, READER].map(str::to_owned),
        };
        let [files, reader] = expected;
        assert_eq!(found, [("files", files), ("tamis", reader)], "{page}");
    }
}

/// The user's own configurations.
fn of_user(
    client: Client,
    platform: Platform,
    home: &Path,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<PathBuf> {
    let around = Surroundings {
        platform,
        home,
        folder: Path::new("/srv/work"),
        variable,
    };
    let places = places(client, &around).into_iter();
    places
        .filter(|place| place.scope == Scope::User)
        .map(|place| place.path)
        .collect()
}

/// Paths as a table has them.
fn code(paths: impl IntoIterator<Item = PathBuf>) -> String {
    let paths = paths.into_iter();
    let paths: Vec<String> = paths.map(|path| format!("`{}`", path.display())).collect();
    paths.join(", ")
}

#[test]
fn the_pages_have_the_places_of_every_configuration() {
    for client in Client::value_variants() {
        let asked = RefCell::new(BTreeSet::new());
        let variable = |name: &str| {
            asked.borrow_mut().insert(name.to_owned());
            (name == "APPDATA").then(|| OsString::from("%APPDATA%"))
        };
        let paths = |platform, home| code(of_user(*client, platform, Path::new(home), &variable));
        let linux = paths(Platform::Linux, "~");
        let mac = paths(Platform::MacOs, "~");
        let windows = paths(Platform::Windows, "%USERPROFILE%").replace('/', "\\");
        let mut table = String::from("| whose | system | file |\n|---|---|---|\n");
        if linux == mac {
            table += &format!("| yours | Linux, macOS | {linux} |\n");
        } else {
            table += &format!("| yours | Linux | {linux} |\n| yours | macOS | {mac} |\n");
        }
        table += &format!("| yours | Windows | {windows} |\n");
        let around = Surroundings {
            platform: Platform::Linux,
            home: Path::new("/home/me"),
            folder: Path::new("/srv/work"),
            variable: &|_| None,
        };
        let in_project = places(*client, &around).into_iter();
        let in_project = in_project.filter_map(|place| {
            let path = place.path.strip_prefix("/srv/work").ok()?;
            Some(path.to_owned())
        });
        let in_project = code(in_project);
        if !in_project.is_empty() {
            table += &format!("| the project's | all | {in_project} |\n");
        }
        asked.borrow_mut().remove("APPDATA");
        let variables: Vec<String> = asked
            .borrow()
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        if !variables.is_empty() {
            table += &format!(
                "\nTamis follows these variables, as the client does: {}.\n",
                variables.join(", ")
            );
        }
        generated(
            &page(*client),
            "<!-- places -->\n",
            "<!-- /places -->",
            &table,
        );
    }
}

fn seen(sees: Sees) -> &'static str {
    match sees {
        Sees::Structured => "`structuredContent` alone if it is present, else the text",
        Sees::Content => "the text",
        Sees::Both => "the text and `structuredContent`; once if they are equal byte for byte",
        Sees::BothOnce => "the text and `structuredContent`; once if they are the same JSON",
        Sees::Blocks => "all blocks of `content`, as JSON",
        Sees::Result => "the whole result, as JSON",
        Sees::Value => "nothing: programs of the model compute on the result",
    }
}

/// The table of a client that Tamis knows.
fn facts(client: Client, spec: &ClientSpec) -> String {
    if spec.version.is_empty() {
        return format!(
            "Of a result: {}. The rest was not measured, so Tamis counts results whole.\n",
            seen(spec.sees)
        );
    }
    let long = match spec.cap {
        None => "whole".to_owned(),
        Some(cap) => {
            let part = match (cap.first, cap.last) {
                (first, 0) => format!("the first {first}"),
                (first, last) => format!("the first {first} and the last {last}"),
            };
            format!("over {} characters: {part}, and a notice", cap.over)
        }
    };
    let tools = match spec.tools {
        ToolList::Listed => "in each request, whole",
        ToolList::Trimmed => "in each request, with shortened input schemas",
        ToolList::Searched => "names alone; the model searches for tools",
        ToolList::Pinned => {
            "names alone; the model searches for tools. `tamis_read` is listed whole, and so are tools that earlier sessions often used, or some that change nothing ([`pin-tools`](../filters-toml.md#tools-that-models-search-for))"
        }
    };
    let instructions = if spec.instructions { "yes" } else { "no" };
    format!(
        "As Tamis counts it, measured with {} {} ([agents](../agents.md) has the figures and their date):\n\n\
         | part | its model gets |\n|---|---|\n\
         | a result | {} |\n| a long result | {long} |\n| the list of tools | {tools} |\n\
         | the server's `instructions` | {instructions} |\n",
        client.title(),
        spec.version,
        seen(spec.sees),
    )
}

#[test]
fn the_pages_have_what_tamis_knows_of_every_client() {
    for client in Client::value_variants() {
        let expected = match spec(*client) {
            Some(spec) => facts(*client, spec),
            None => "Not measured. Tamis counts results whole, and writes them in a form that suits every client.\n".to_owned(),
        };
        generated(
            &page(*client),
            "<!-- model -->\n",
            "<!-- /model -->",
            &expected,
        );
    }
}
