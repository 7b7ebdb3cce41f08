//! The tables themselves.

use super::super::defaults::Unit;
use super::super::{
    Audience, Blocks, Capability, Guard, InputSchema, OnError, ReadToolListing, Sees, Structured,
    Surface, ToolList, case, client, read_tool, record, session,
};
use super::{Key, Table, Takes};

/// Every table, in the order of the reference page.
pub const TABLES: [&Table; 15] = [
    &FILE,
    &CHAIN,
    &STEP,
    &PLUGIN,
    &READ_TOOL,
    &TOOL,
    &PROFILE,
    &SERVER,
    &SERVE,
    &SESSION,
    &RECORD,
    &CLIENT,
    &CLIENT_CAP,
    &TEST,
    &TESTS,
];

/// The tables of the file.
pub const FILE: Table = Table {
    name: "file",
    about: "Which of a server's output goes down which chain of filters.",
    keys: &[
        Key::optional(
            "plugin",
            Takes::Tables(&PLUGIN),
            "",
            "[]",
            "filters beside the built-in ones",
        ),
        Key::optional(
            "chain",
            Takes::Tables(&CHAIN),
            "",
            "[]",
            "filters in order, and what goes through them; the first chain that fits is the one that counts",
        ),
        Key::optional(
            "read-tool",
            Takes::Table(&READ_TOOL),
            "",
            "{}",
            "the tool with which a model gets back what was cut",
        ),
        Key::optional(
            "tool",
            Takes::Named(&TOOL),
            "",
            "{}",
            "what single tools need in order to be there",
        ),
        Key::optional(
            "profile",
            Takes::Named(&PROFILE),
            "",
            "{}",
            "subsets of the tools, for `tamis run --profile`",
        ),
        Key::optional(
            "server",
            Takes::Named(&SERVER),
            "",
            "{}",
            "the servers behind `tamis serve`",
        ),
        Key::optional(
            "serve",
            Takes::Table(&SERVE),
            "",
            "{}",
            "who may come to `tamis serve`, and how",
        ),
        Key::optional(
            "session",
            Takes::Table(&SESSION),
            "",
            "{}",
            "what a session is, and how many calls it may make",
        ),
        Key::optional(
            "record",
            Takes::Table(&RECORD),
            "",
            "{}",
            "what `tamis run --record` may keep of calls, and how much",
        ),
        Key::optional(
            "client",
            Takes::Tables(&CLIENT),
            "",
            "[]",
            "what clients show their models, where the table that Tamis has does not know them",
        ),
        Key::optional(
            "test",
            Takes::Tables(&TEST),
            "",
            "[]",
            "what chains have to make of which input, for `tamis test`",
        ),
        Key::optional(
            "tests",
            Takes::Table(&TESTS),
            "",
            "{ folder = \"tests\" }",
            "a folder with more tests",
        ),
    ],
};

const NAME: Takes = Takes::Text {
    what: "1 to 64 characters on one line",
    pattern: r"^[^\u0000-\u001f\u007f]{1,64}$",
};
const PATTERN: Takes = Takes::Text {
    what: "a name, in which `*` stands for any characters",
    pattern: r"^\S+$",
};
const PATTERNS: Takes = Takes::List {
    items: &PATTERN,
    may_be_empty: false,
};

/// `[[chain]]`
pub const CHAIN: Table = Table {
    name: "chain",
    about: "Filters in order, and what goes through them. The first chain that fits is the one that counts.",
    keys: &[
        Key::optional(
            "name",
            NAME,
            "`chain 1`, …",
            "\"explain\"",
            "for logs and tables; unique",
        ),
        Key::default(
            "on",
            Takes::List {
                items: &Takes::Word(|| Surface::ALL.map(|(name, _)| name).to_vec()),
                may_be_empty: true,
            },
            "[\"result\"]",
            "what it is bound to; `[]`: nothing, for a chain that `[record]` names. `result`: what tools answer; `instructions`: the server's own; `description`: of tools in the list; `prompt`: a prompt's messages; `resource`: a resource's contents; `history`: past results, for `tamis history`",
        ),
        Key::optional(
            "tools",
            PATTERNS,
            "has to be there for `result`, `description` and `history`",
            "[\"*\"]",
            "names of tools, for `result`, `description` and `history`",
        ),
        Key::default(
            "prompts",
            PATTERNS,
            "[\"*\"]",
            "names of prompts, for `prompt`",
        ),
        Key::default(
            "resources",
            PATTERNS,
            "[\"*\"]",
            "URIs of resources, for `resource`",
        ),
        Key::required(
            "steps",
            Takes::Steps,
            "[\"null-stripper\"]",
            "filters in order: a name, or a table with `filter`, the keys of a step, and the filter's own settings",
        ),
        Key::optional(
            "structured",
            Takes::Word(|| Structured::ALL.map(|(name, _)| name).to_vec()),
            "see `structured`",
            "\"text\"",
            "what becomes of `structuredContent`",
        ),
        Key::default(
            "blocks",
            Takes::Word(|| Blocks::ALL.map(|(name, _)| name).to_vec()),
            "\"each\"",
            "`\"merge\"`: text blocks that are all JSON are one document, a list of them",
        ),
        Key::default(
            "guard",
            Takes::Word(|| Guard::ALL.map(|(name, _)| name).to_vec()),
            "\"bytes\"",
            "what an emission has to be less of than what it replaces: `\"bytes\"` (of a document written anew, by a thirty-second at least) or `\"tokens\"` (o200k, counted: exact and slower)",
        ),
        Key::default(
            "shadow",
            Takes::Flag,
            "false",
            "run the steps and note what they would save, but let everything pass",
        ),
        Key::optional(
            "audience",
            Takes::Word(|| Audience::ALL.map(|(name, _)| name).to_vec()),
            "see `[[client]]`",
            "\"enforce\"",
            "`\"enforce\"`: blocks annotated for the user alone are left out; `\"keep\"`",
        ),
        Key::default(
            "input-schema",
            Takes::Word(|| InputSchema::ALL.map(|(name, _)| name).to_vec()),
            "\"short\"",
            "what clients get of a tool's `inputSchema`: `\"short\"` leaves out titles that spell a property's name again, and a `$schema` that makes no difference; `\"keep\"`",
        ),
    ],
};

/// A step's own keys; every other is a setting of its filter.
pub const STEP: Table = Table {
    name: "step",
    about: "One filter in a chain. Every key that is not named here is a setting of the filter.",
    keys: &[
        Key::required(
            "filter",
            Takes::Text {
                what: "a filter's name",
                pattern: "^[a-z0-9][a-z0-9-]{0,63}$",
            },
            "\"null-stripper\"",
            "a built-in filter or a `[[plugin]]`, by name",
        ),
        Key::optional(
            "limits",
            Takes::Limits,
            "the plugin's",
            "{ time = \"1s\" }",
            "what one call may use",
        ),
        Key::optional(
            "on-error",
            ON_ERROR,
            "the plugin's, else `\"pass\"`",
            "\"block\"",
            "what becomes of a document whose filter fails: `\"pass\"`, it goes on as it was; `\"block\"`, the result is withheld",
        ),
        Key::optional(
            "shadow",
            Takes::Flag,
            "the chain's",
            "true",
            "run the step and note what it would save, but let everything pass",
        ),
    ],
};

const ON_ERROR: Takes = Takes::Word(|| OnError::ALL.map(|(name, _)| name).to_vec());

/// `[[plugin]]`
pub const PLUGIN: Table = Table {
    name: "plugin",
    about: "A filter beside the built-in ones.",
    keys: &[
        Key::required(
            "name",
            Takes::Text {
                what: "lower case letters, digits and hyphens, at most 64",
                pattern: "^[a-z0-9][a-z0-9-]{0,63}$",
            },
            "\"house-style\"",
            "what steps call it by; unique, and not the name of a built-in filter",
        ),
        Key::optional(
            "path",
            Takes::Text {
                what: "the path of a .wasm file",
                pattern: r"^[^\u0000-\u001f\u007f]+$",
            },
            "`oci` has to be there",
            "\"filters/house_style.wasm\"",
            "its file, relative to the folder of filters.toml",
        ),
        Key::optional(
            "oci",
            Takes::Text {
                what: "a registry, a repository and a digest",
                pattern: r"^[^\s@]+/[^\s@]+@sha256:[0-9a-f]{64}$",
            },
            "`path` has to be there",
            "\"registry.example/team/house-style@sha256:0000000000000000000000000000000000000000000000000000000000000000\"",
            "in place of `path`: an artifact in an OCI registry; `tamis plugin pull` prints the line",
        ),
        Key::optional(
            "sha256",
            Takes::Text {
                what: "64 hexadecimal digits",
                pattern: "^[0-9A-Fa-f]{64}$",
            },
            "any file",
            "\"0000000000000000000000000000000000000000000000000000000000000000\"",
            "refuse any other file",
        ),
        Key::default(
            "allow",
            Takes::List {
                items: &Takes::Word(|| Capability::ALL.map(Capability::name).to_vec()),
                may_be_empty: true,
            },
            "[]",
            "what it may use of the host",
        ),
        Key::optional(
            "limits",
            Takes::Limits,
            "the defaults",
            "{ time = \"50ms\" }",
            "what one call may use, unless a step has its own",
        ),
        Key::default(
            "on-error",
            ON_ERROR,
            "\"pass\"",
            "`\"block\"`: withhold the result when it fails, unless a step has its own",
        ),
    ],
};

/// `[read-tool]`
pub const READ_TOOL: Table = Table {
    name: "read-tool",
    about: "The tool with which a model gets back what was cut.",
    keys: &[
        Key::default(
            "name",
            Takes::Text {
                what: "1 to 64 letters, digits, `_`, `-` and `.`",
                pattern: r"^[A-Za-z0-9_.-]{1,64}$",
            },
            "\"tamis_read\"",
            "what it is called",
        ),
        Key::default(
            "cap",
            Takes::Count {
                least: read_tool::LEAST_CAP as u64,
                most: read_tool::MOST_CAP as u64,
            },
            "2000",
            "tokens of one answer",
        ),
        Key::default(
            "listed",
            Takes::Flag,
            "true",
            "`false`: calls are answered, but the tool is not in the list",
        ),
    ],
};

const NEED: Takes = Takes::Text {
    what: "a program's name, \"env:NAME\" or \"file:PATH\"",
    pattern: r"^(env:[^\u0000-\u001f\u007f= ]+|file:[^\u0000-\u001f\u007f]+|[^\u0000-\u001f\u007f:/ ]+)$",
};

/// `[tool.NAME]`
pub const TOOL: Table = Table {
    name: "tool",
    about: "When a tool is there for the client.",
    keys: &[
        Key::optional(
            "needs",
            Takes::List {
                items: &Takes::Either(&[
                    NEED,
                    Takes::List {
                        items: &NEED,
                        may_be_empty: false,
                    },
                ]),
                may_be_empty: false,
            },
            "",
            "[\"bandit\"]",
            "what it cannot work without: a program on PATH, `\"env:NAME\"`, `\"file:PATH\"` (relative to the folder of filters.toml), or a list of which one is enough",
        ),
        Key::default(
            "hidden",
            Takes::Flag,
            "false",
            "the tool is not there, whatever it needs",
        ),
    ],
};

/// `[profile.NAME]`
pub const PROFILE: Table = Table {
    name: "profile",
    about: "A subset of the tools, for `tamis run --profile NAME`.",
    keys: &[Key::required(
        "tools",
        PATTERNS,
        "[\"read_*\", \"search\"]",
        "the tools that are there",
    )],
};

const WORDS: Takes = Takes::List {
    items: &Takes::Text {
        what: "a text",
        pattern: "",
    },
    may_be_empty: false,
};

/// `[server.NAME]`
pub const SERVER: Table = Table {
    name: "server",
    about: "A server behind `tamis serve`, at `/NAME/mcp`. It has either `url` or `command`.",
    keys: &[
        Key::optional(
            "url",
            Takes::Text {
                what: "a URL",
                pattern: "^https?://[!-~]+$",
            },
            "",
            "\"https://mcp.example.com/mcp\"",
            "where it speaks Streamable HTTP",
        ),
        Key::optional(
            "command",
            WORDS,
            "",
            "[\"npx\", \"-y\", \"some-server\"]",
            "the program and its arguments, for a server that speaks over standard input and output: a process for each session",
        ),
        Key::optional(
            "env",
            Takes::Object,
            "",
            "{ API_KEY = \"${API_KEY}\" }",
            "with `command`: environment variables of the program, beside those of Tamis that no token, header or `env` of the file names; a value may end with one of Tamis's, `${NAME}`",
        ),
        Key::optional(
            "headers",
            Takes::Object,
            "",
            "{ authorization = \"Bearer ${TOKEN}\" }",
            "sent with every request, in the place of the client's own; a value may end with an environment variable, `${NAME}`",
        ),
        Key::default(
            "login",
            Takes::Flag,
            "false",
            "with `tokens` of `[serve]`: clients come to it by your own login (`tamis login URL`)",
        ),
    ],
};

/// `[serve]`
pub const SERVE: Table = Table {
    name: "serve",
    about: "Who may come to `tamis serve`, and how.",
    keys: &[
        Key::default(
            "listen",
            Takes::Text {
                what: "`HOST:PORT`",
                pattern: "^[^/ ]+:[0-9]+$",
            },
            "\"127.0.0.1:8808\"",
            "the address to listen on; `--listen` comes first. One that is not of this machine alone needs `tokens`",
        ),
        Key::optional(
            "hosts",
            WORDS,
            "those of the loopback interface",
            "[\"tamis.example.com\"]",
            "names in the `Host` header that are answered too, without a port",
        ),
        Key::optional(
            "origins",
            WORDS,
            "those of the loopback interface",
            "[\"https://app.example.com\"]",
            "values of the `Origin` header that are answered too: pages in browsers that may call",
        ),
        Key::optional(
            "traces",
            Takes::Text {
                what: "a URL",
                pattern: "^https?://",
            },
            "there are no spans",
            "\"http://127.0.0.1:4318\"",
            "the OpenTelemetry collector that spans of requests and filters go to, over OTLP/HTTP",
        ),
        Key::default(
            "read-tool",
            Takes::Word(|| ReadToolListing::ALL.map(|(name, _)| name).to_vec()),
            "\"each\"",
            "which server lists the read tool: `\"each\"`; or `\"once\"`, a server of Tamis's own at `/tamis/mcp` for the results of all, whose URL clients need too",
        ),
        Key::optional(
            "tokens",
            Takes::Object,
            "nobody has to bring one",
            "{ alice = \"${TAMIS_TOKEN_ALICE}\" }",
            "what a client has to bring as `Authorization: Bearer …`, by the client's name. It does not reach a server",
        ),
        Key::optional(
            "limits",
            Takes::ServeLimits,
            "",
            "{ processes = 8 }",
            "what callers may take of the proxy",
        ),
        Key::optional(
            "certificate",
            FILE_PATH,
            "clients speak HTTP, not HTTPS",
            "\"tls/chain.pem\"",
            "the PEM file with the certificate, and those between it and its authority; needs `key`",
        ),
        Key::optional(
            "key",
            FILE_PATH,
            "",
            "\"tls/key.pem\"",
            "the PEM file with the certificate's private key",
        ),
    ],
};

/// `[session]`
pub const SESSION: Table = Table {
    name: "session",
    about: "What a session is, and how many calls it may make.",
    keys: &[
        Key::default(
            "key",
            Takes::Text {
                what: "\"connection\", \"argument:NAME\", \"meta:KEY\" or \"header:NAME\"",
                pattern: "^(connection|(argument|meta|header):.+)$",
            },
            "\"connection\"",
            "what tells one session from another: the connection, an argument of the call, a key in the request's `_meta`, a header",
        ),
        Key::optional(
            "calls",
            Takes::Count {
                least: 1,
                most: session::MOST_CALLS,
            },
            "no cap",
            "10",
            "calls that are let through in a window; after that they are answered with `limit-text`, and the server does not see them",
        ),
        Key::optional(
            "window",
            Takes::Amount(Unit::Time),
            "for good",
            "\"60s\"",
            "how long a window lasts, from its first call",
        ),
        Key::optional(
            "limit-text",
            Takes::Text {
                what: "a text",
                pattern: "",
            },
            "a text that ends with `[Tool call limit reached]`",
            "\"[Tool call limit reached]\"",
            "the answer to a call past the cap",
        ),
    ],
};

/// `[record]`
pub const RECORD: Table = Table {
    name: "record",
    about: "What `tamis run --record` may keep of calls, and how much.",
    keys: &[
        Key::optional(
            "redact",
            Takes::Text {
                what: "a chain's name",
                pattern: "",
            },
            "calls are recorded whole, but for tools whose chain hides things: theirs are not",
            "\"secrets\"",
            "arguments and results go down this chain before they are recorded, and what it withholds is not. Each of its steps has to have `on-error = \"block\"`",
        ),
        Key::default(
            "calls",
            Takes::Count {
                least: 1,
                most: record::MOST_CALLS,
            },
            "10000",
            "calls in a folder; then recording ends",
        ),
        Key::default(
            "size",
            Takes::Amount(Unit::Size),
            "\"256MiB\"",
            "the size of a folder's calls; then recording ends",
        ),
    ],
};

/// `[[client]]`
pub const CLIENT: Table = Table {
    name: "client",
    about: "What a client shows its model.",
    keys: &[
        Key::required(
            "name",
            Takes::Text {
                what: "a client's name, in which `*` stands for any characters",
                pattern: r"^[^\u0000-\u001f\u007f]+$",
            },
            "\"my-agent*\"",
            "`clientInfo.name`, in any case",
        ),
        Key::required(
            "sees",
            Takes::Word(|| Sees::ALL.map(|(name, _)| name).to_vec()),
            "\"content\"",
            "what its model reads: `\"structured\"` (alone, where it is there), `\"content\"` (the text alone), `\"both\"` (once, where the text is `structuredContent` to the letter), `\"both-once\"` (once, where it says the same JSON), `\"blocks\"` (all of `content`, as JSON), `\"result\"` (all of the result, as JSON); `\"value\"`: programs compute on the result ([code mode](#code-mode))",
        ),
        Key::optional(
            "version",
            Takes::Text {
                what: "a version",
                pattern: "",
            },
            "",
            "\"1.4.0\"",
            "the version that this was measured on, for people",
        ),
        Key::default(
            "escaped",
            Takes::Flag,
            "false",
            "its model reads the text inside JSON, with escapes, which cost tokens",
        ),
        Key::default(
            "wrapping",
            Takes::Count {
                least: 0,
                most: client::MOST_NOTICE,
            },
            "0",
            "tokens of the client's own words around each result",
        ),
        Key::optional(
            "cap",
            Takes::Table(&CLIENT_CAP),
            "shows all of it",
            "{ over = 25000, first = 2000, notice = 100 }",
            "how much of a long result it shows its model",
        ),
        Key::default(
            "tools",
            Takes::Word(|| ToolList::ALL.map(|(name, _)| name).to_vec()),
            "\"listed\"",
            "what of the list of tools is in each request: `\"listed\"` (each tool), `\"trimmed\"` (the same, with `inputSchema` as the client shortens it), `\"searched\"` (names alone: tools are found by a search), `\"pinned\"` (the same, but for tools with `anthropic/alwaysLoad`)",
        ),
        Key::default(
            "instructions",
            Takes::Flag,
            "false",
            "its model reads the server's `instructions`",
        ),
        Key::default(
            "heeds-audience",
            Takes::Flag,
            "false",
            "it keeps blocks for the user alone from the model itself",
        ),
    ],
};

/// `[client.cap]`
pub const CLIENT_CAP: Table = Table {
    name: "client.cap",
    about: "What a client shows of a long result.",
    keys: &[
        Key::required(
            "over",
            Takes::Count {
                least: 0,
                most: client::MOST_CHARACTERS,
            },
            "25000",
            "results of more characters than this are cut",
        ),
        Key::default(
            "first",
            Takes::Count {
                least: 0,
                most: client::MOST_CHARACTERS,
            },
            "0",
            "characters from the beginning that the model is shown of them",
        ),
        Key::default(
            "last",
            Takes::Count {
                least: 0,
                most: client::MOST_CHARACTERS,
            },
            "0",
            "characters from the end",
        ),
        Key::default(
            "notice",
            Takes::Count {
                least: 0,
                most: client::MOST_NOTICE,
            },
            "0",
            "tokens of the client's own words about it",
        ),
    ],
};

const FILE_PATH: Takes = Takes::Text {
    what: "a path relative to this file",
    pattern: r"^[^\u0000-\u001f\u007f]+$",
};
const TEXTS: Takes = Takes::List {
    items: &Takes::Text {
        what: "a text",
        pattern: r"^[\s\S]+$",
    },
    may_be_empty: false,
};
const SIZE: Takes = Takes::Count {
    least: 0,
    most: case::MOST,
};

/// `[[test]]`
pub const TEST: Table = Table {
    name: "test",
    about: "What a chain has to make of an input. It needs `tool` or `chain`, an input, and something to expect.",
    keys: &[
        Key::optional("name", NAME, "`test 1`, …", "\"no hint\"", "unique"),
        Key::optional(
            "tool",
            Takes::Text {
                what: "a tool's name",
                pattern: "",
            },
            "",
            "\"lens_explain\"",
            "the chain is the one that this tool has, so the test also shows that it is bound; a tool without a chain passes byte for byte. For other kinds of output: the prompt's name, the resource's URI",
        ),
        Key::optional(
            "chain",
            Takes::Text {
                what: "a chain's name",
                pattern: "",
            },
            "",
            "\"explain\"",
            "the chain by its name. With `tool` too: that has to be the tool's chain",
        ),
        Key::optional(
            "on",
            Takes::Word(|| Surface::ALL.map(|(name, _)| name).to_vec()),
            "what the named chain is bound to first, else `\"result\"`",
            "\"result\"",
            "the kind of output",
        ),
        Key::optional(
            "arguments",
            Takes::Object,
            "`{}`; with a recorded call as input, its own",
            "{}",
            "the call's arguments, a table",
        ),
        Key::optional(
            "input",
            Takes::Any,
            "",
            "'{\"error\":null}'",
            "what goes in: a text, or a value of TOML, which becomes JSON",
        ),
        Key::optional(
            "input-file",
            FILE_PATH,
            "",
            "\"fixtures/explain.json\"",
            "what goes in, from a file",
        ),
        Key::optional(
            "expect",
            Takes::Any,
            "",
            "'{}'",
            "all of the output: a text, to the byte; or a value of TOML, compared as JSON",
        ),
        Key::optional(
            "expect-file",
            FILE_PATH,
            "",
            "\"fixtures/explain.filtered.json\"",
            "all of the output, to the byte, in a file",
        ),
        Key::optional(
            "contains",
            TEXTS,
            "",
            "[\"source_preview\"]",
            "texts that have to be in it",
        ),
        Key::optional(
            "lacks",
            TEXTS,
            "",
            "[\"llm_hint\"]",
            "texts that may not be in it",
        ),
        Key::optional(
            "max-tokens",
            SIZE,
            "",
            "2000",
            "its tokens (o200k), at most",
        ),
        Key::optional("max-bytes", SIZE, "", "8000", "its bytes, at most"),
        Key::optional(
            "unchanged",
            Takes::Flag,
            "",
            "true",
            "`true`: byte for byte what went in; `false`: something else",
        ),
        Key::optional(
            "withheld",
            Takes::Flag,
            "",
            "true",
            "`true`: a step with `on-error = \"block\"` kept it from the model",
        ),
    ],
};

/// `[tests]`
pub const TESTS: Table = Table {
    name: "tests",
    about: "A folder with more tests.",
    keys: &[Key::required(
        "folder",
        FILE_PATH,
        "\"tests\"",
        "each folder in it that has an `input.json` or `input.txt` is a test",
    )],
};
