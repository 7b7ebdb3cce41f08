//! Properties of the edits: a parser reads the right command in a wrapped file, and unwrapping restores the same bytes,
//! in any form of file.

use proptest::prelude::*;
use std::path::PathBuf;

use tamis::install::{
    Chosen, Client, Configuration, Format, Launch, Server, Unusable, Wrapping, servers, unwrapped,
    wrapped,
};

const LISTS: &[&[&str]] = &[&["mcpServers"]];

fn wrapping() -> Wrapping {
    Wrapping {
        program: "/opt/a \"b\"/tamis".to_owned(),
        config: Some("/etc/ü/filters.toml".to_owned()),
    }
}

/// The command to put in front in this text. A client with its servers in an array splits a command like a shell, so
/// its path must not contain blanks.
fn wrapping_in(text: &str) -> Wrapping {
    let is_array = text.contains("[[mcpServers]]") || text.contains("mcpServers = [");
    let program = if is_array {
        "/opt/x"
    } else {
        "/opt/a \"b\"/tamis"
    };
    Wrapping {
        program: program.to_owned(),
        ..wrapping()
    }
}

/// Blanks and comments, as they may be between two tokens.
fn gap() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just(""),
        3 => Just(" "),
        2 => Just("\n"),
        1 => Just("\r\n"),
        1 => Just("\t"),
        1 => Just("\n      "),
        1 => Just("/* a, \"b\" ] } */"),
        1 => Just("// c, ] \"args\"\n"),
        1 => Just("//\r\n  "),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

/// A string in any spelling.
fn word() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z0-9@/._-]{1,6}",
        1 => Just("é数".to_owned()),
        1 => Just("\\u0041".to_owned()),
        1 => Just("\\\"".to_owned()),
        1 => Just("\\\\".to_owned()),
        1 => Just("\\ud83d\\ude00".to_owned()),
        1 => Just("\\/".to_owned()),
        1 => Just("--".to_owned()),
        1 => Just("run".to_owned()),
        1 => Just("#,]".to_owned()),
    ];
    prop::collection::vec(piece, 1..3).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// The content of brackets or braces: items with gaps, and perhaps a final comma.
fn items(item: BoxedStrategy<String>, most: usize) -> impl Strategy<Value = String> {
    let item = (gap(), item, gap()).prop_map(|(before, item, after)| before + &item + &after);
    (prop::collection::vec(item, 0..=most), gap(), any::<bool>()).prop_map(
        |(items, end, trailing)| {
            let comma = if trailing && !items.is_empty() {
                ","
            } else {
                ""
            };
            items.join(",") + comma + &end
        },
    )
}

fn member(key: &'static str, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (gap(), gap(), value)
        .prop_map(move |(before, after, value)| format!("\"{key}\"{before}:{after}{value}"))
        .boxed()
}

/// A server whose command is a list with its arguments.
fn list_server() -> BoxedStrategy<String> {
    let list = (gap(), word(), items(word().boxed(), 3), gap())
        .prop_map(|(before, first, rest, after)| match rest.trim() {
            "" => format!("[{before}{first}{after}]"),
            _ => format!("[{before}{first}{after},{rest}]"),
        })
        .prop_filter("a comment may hide the end", |list| !list.contains("//"))
        .boxed();
    (member("command", list), gap(), gap())
        .prop_map(|(command, before, after)| format!("{{{before}{command}{after}}}"))
        .boxed()
}

/// A server: its members in any order.
fn server() -> BoxedStrategy<String> {
    let list = items(word().boxed(), 3)
        .prop_map(|items| format!("[{items}]"))
        .boxed();
    let other = prop_oneof![Just("{}".to_owned()), Just("null".to_owned()), word()].boxed();
    (
        member("command", word().boxed()),
        prop::option::of(member("args", list)),
        prop::option::of(member("env", other)),
        gap(),
        gap(),
        any::<u8>(),
        any::<bool>(),
    )
        .prop_map(
            |(command, arguments, env, before, after, order, trailing)| {
                let mut members = vec![command];
                members.extend(arguments);
                members.extend(env);
                let count = members.len();
                members.rotate_left(usize::from(order) % count);
                if order > 127 {
                    members.reverse();
                }
                let members = members.join(&format!("{after},{before}"));
                let comma = if trailing { "," } else { "" };
                format!("{{{before}{members}{comma}{after}}}")
            },
        )
        .boxed()
}

fn file() -> impl Strategy<Value = String> {
    let server = prop_oneof![3 => server(), 1 => list_server()];
    let servers = prop::collection::vec((server, gap(), gap()), 0..4).prop_map(|servers| {
        let servers = servers.into_iter().enumerate();
        let servers =
            servers.map(|(n, (server, before, after))| format!("{before}\"s{n}\":{after}{server}"));
        servers.collect::<Vec<_>>().join(",")
    });
    (any::<bool>(), gap(), servers, gap(), gap()).prop_map(|(mark, before, servers, inside, after)| {
        let mark = if mark { "\u{feff}" } else { "" };
        format!("{mark}{before}{{\"x\":1,\"mcpServers\":{{{inside}{servers}{inside}}}{after}}}{before}")
    })
}

fn line(server: &Server) -> Vec<String> {
    match &server.launch {
        Launch::Stdio(stdio) => stdio.line().into_iter().map(str::to_owned).collect(),
        other => panic!("{other:?}"),
    }
}

/// Wraps all servers, checks the result with a parser, and unwraps them.
fn there_and_back(text: &str, format: Format, lists: &[&[&str]]) {
    let wrapping = wrapping_in(text);
    let before = servers(text, format, lists).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let chosen: Vec<&Server> = before
        .iter()
        .filter(|server| server.obstacle("").is_none())
        .collect();
    let marked: Vec<Chosen> = chosen
        .iter()
        .enumerate()
        .map(|(n, server)| Chosen {
            server,
            has_reader: n % 2 == 0,
        })
        .collect();
    let between =
        wrapped(text, format, &wrapping, &marked, &[]).expect("edits of different places");
    let after = servers(&between, format, lists)
        .unwrap_or_else(|error| panic!("{error}\n{text}\n---\n{between}"));
    assert_eq!(after.len(), before.len());
    let mut pairs = Vec::new();
    for Chosen {
        server: old,
        has_reader,
    } in &marked
    {
        let new = after
            .iter()
            .find(|it| it.at == old.at)
            .expect("it is there");
        let mut expected = vec![wrapping.program.clone()];
        expected.extend(wrapping.words(old.name(), *has_reader));
        expected.extend(line(old));
        assert_eq!(line(new), expected, "\n{text}\n---\n{between}");
        assert!(new.is_wrapped(&wrapping.program));
        pairs.push((new, old.has_arguments()));
    }
    let back = unwrapped(&between, &pairs).expect("edits of different places");
    assert_eq!(back, text, "\n---\n{between}");
    // Also one at a time, and without knowing whether a list exists.
    for (server, _) in &pairs {
        let text = unwrapped(&between, &[(*server, true)]).expect("edits of different places");
        let after = servers(&text, format, lists).expect("it can be read");
        let new = after
            .iter()
            .find(|it| it.at == server.at)
            .expect("it is there");
        let old = before
            .iter()
            .find(|it| it.at == server.at)
            .expect("it is there");
        assert_eq!(line(new), line(old));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn json_comes_back_as_it_was(text in file()) {
        there_and_back(&text, Format::Json, LISTS);
    }

    #[test]
    fn a_list_that_wraps_a_server_gets_the_read_tool(text in file()) {
        let there = servers(&text, Format::Json, LISTS).expect("JSON");
        let configuration = Configuration { path: PathBuf::from("x"), text, servers: there };
        let chosen: Vec<&Server> = configuration
            .servers
            .iter()
            .filter(|server| server.obstacle("").is_none())
            .collect();
        prop_assume!(!chosen.is_empty());
        // The call itself checks that this can be undone.
        let wrapped = configuration.wrap(Client::Cursor, &wrapping(), &chosen).expect("it is possible");
        prop_assert_eq!(wrapped.added.len(), 1);
        prop_assert!(wrapped.servers.iter().all(|chosen| chosen.has_reader));
    }

    #[test]
    fn no_file_makes_it_fail(text in "\\PC{0,60}", at in 0usize..400) {
        for (format, whole) in [
            (Format::Json, r#"{"mcpServers": {"a": {"command": "x", "args": ["b"]}, "c": {"url": "y"}}} // z"#),
            (Format::Yaml, "mcpServers:\n  - name: a\n    command: x\n    args: [b]\n  - name: c\n    args:\n      - y # z\n    command: z"),
            (Format::Toml, "[mcpServers.a]\ncommand = 'x'\nargs = [\"b\"] # z\n[mcpServers]\nc = {url = 1}\n"),
        ] {
            let _ = servers(&text, format, LISTS);
            let at = whole.floor_char_boundary(at.min(whole.len()));
            let mixed = format!("{}{text}{}", &whole[..at], &whole[at..]);
            if servers(&mixed, format, LISTS).is_ok() {
                there_and_back(&mixed, format, LISTS);
            }
            let _ = servers(&whole[..at], format, LISTS);
        }
    }
}

#[test]
fn toml_comes_back_as_it_was() {
    let pieces = [
        "[mcpServers.a]\ncommand = \"x\"\n",
        "[mcpServers.a]\r\ncommand = \"x\" # c\r\nargs = []\r\n",
        "[mcpServers.a]\nargs = [ # c\n  'a', # b, c ]\n]\ncommand = '''\nx'''",
        "mcpServers.a.command = 'x'",
        "\u{feff}mcpServers.a . 'command' = 'x'\n\n",
        "mcpServers = { a = { command = 'x' }, b = { args = [], command = \"y\", env = {} } }\n",
        "[mcpServers]\n  a.command = 'x'\n  a.args = ['--']\n  [mcpServers.b]\n\tcommand = 'run'\n\targs = [\n\t]\n",
        "[mcpServers.\"a b\"]\ncommand = \"x\"\nargs = [\n    \"a\",\n    # b\n    \"c\",\n]\n",
        "[[mcpServers]]\nname = 'a'\ncommand = 'x'\n\n[mcpServers.env]\nA = 'b'\n[[mcpServers]]\nargs = ['y']\nname = 'b'\ncommand = 'x'",
        "mcpServers = [{ name = 'a', command = 'x' }, { command = 'y', args = [], name = 'b' }]\n",
    ];
    for text in pieces {
        there_and_back(text, Format::Toml, LISTS);
        let crlf = text.replace("\r\n", "\n").replace('\n', "\r\n");
        there_and_back(&crlf, Format::Toml, LISTS);
    }
}

#[test]
fn yaml_comes_back_as_it_was() {
    let pieces = [
        "mcpServers:\n  - name: a\n    command: x\n",
        "mcpServers:\n- name: a\n  args: [-y, 'it''s', \"q # x\"] # c\n  command: \"x\"",
        "\u{feff}# c\n---\nname: n\nmcpServers: # here\n    - command: x # c\n      name: a\n      args:\n      - -y\n      # c\n      - --db-path # d\n\n      env:\n        A: |\n          - text\nrules:\n  - Be brief.\n",
        "mcpServers:\n  - args:\n      - one\n    name: a\n    command: x\n  - name: b\n    command: y\n    args: []\n  - name: c\n    url: https://example.com\n  - name: d\n    command: z",
    ];
    for text in pieces {
        there_and_back(text, Format::Yaml, LISTS);
        there_and_back(&text.replace('\n', "\r\n"), Format::Yaml, LISTS);
        let there = servers(text, Format::Yaml, LISTS).expect("YAML");
        let (path, text) = (PathBuf::from("x"), text.to_owned());
        let configuration = Configuration {
            path,
            text,
            servers: there,
        };
        let servers = configuration.servers.iter();
        let chosen: Vec<&Server> = servers.filter(|it| it.obstacle("").is_none()).collect();
        assert!(!chosen.is_empty());
        let wrapped = configuration.wrap(Client::Continue, &wrapping(), &chosen);
        assert_eq!(wrapped.expect("it can be undone").added.len(), 1);
    }
}

#[test]
fn yaml_of_another_form_is_left_to_people() {
    for text in [
        "mcpServers: [{name: a, command: x}]\n",
        "mcpServers:\n  a:\n    command: x\n",
        "mcpServers:\n  - &s\n    name: a\n    command: x\n",
        "mcpServers:\n  - name: a\n    <<: *s\n",
        "mcpServers:\n  - name: a\n    command: x\n    command: y\n",
        "mcpServers:\n  - name: a\n\tcommand: x\n",
        "a: [\n]\nmcpServers:\n  - name: a\n    command: x\n",
        "a: b\n---\nmcpServers:\n  - name: a\n    command: x\n",
    ] {
        let found = servers(text, Format::Yaml, LISTS);
        assert!(matches!(found, Err(Unusable::ByHand)), "{text}: {found:?}");
    }
    for (server, why) in [
        (
            "command: |\n      x",
            "`command` is not a string on one line",
        ),
        ("command: *x", "`command` is not a string on one line"),
        ("command: x\n    args: *x", "`args` is not a list"),
        ("command: x\n    args: [a, {b: c}]", "`args` is not a list"),
        (
            "command: x\n    args:\n      - a\n        b",
            "`args` is not a list",
        ),
        ("args: []", "it has no command"),
    ] {
        let text = format!("mcpServers:\n  - name: a\n    {server}\n");
        let found = servers(&text, Format::Yaml, LISTS).expect("YAML");
        match &found[0].launch {
            Launch::Unclear(said) => assert!(said.contains(why), "{text}: {said}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    let twice = "mcpServers:\n  - name: a\n    command: x\nmcpServers:\n";
    let error = servers(twice, Format::Yaml, LISTS).expect_err("it is defined twice");
    assert!(error.to_string().contains("line 4"), "{error}");
}
