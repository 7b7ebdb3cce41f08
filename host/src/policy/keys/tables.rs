//! The tables of keys.

use super::super::defaults::Unit;
use super::super::{
    Audience, Blocks, Capability, Guard, InputSchema, OnError, PinTools, ReadToolListing, Sees,
    Structured, Surface, ToolList, case, client, read_tool, record, session,
};
use super::{Key, Table, Takes};

/// Every table, in the order of the reference page.
pub const TABLES: [&Table; 17] = [
    &FILE,
    &CHAIN,
    &WHEN,
    &STEP,
    &PLUGIN,
    &READ_TOOL,
    &TOOL,
    &PROFILE,
    &SERVER,
    &SERVE,
    &STATE,
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
    about: "Which output of a server runs through which filters.",
    keys: &[
        Key::optional(
            "include",
            Takes::List {
                items: &FILE_PATH,
                may_be_empty: false,
            },
            "no files",
            "[\"team.toml\"]",
            "[files with more tables](#included-files), relative to this file",
        ),
        Key::optional(
            "signed-by",
            KEYS,
            "no key",
            "[\"team.pub\"]",
            "[keys](#signatures): one of them must have signed each plugin of the policy, also those of other files",
        ),
        Key::optional(
            "plugin",
            Takes::Tables(&PLUGIN),
            "",
            "[]",
            "your own filters",
        ),
        Key::optional(
            "steps",
            Takes::NamedSteps,
            "",
            "{ tidy = [\"null-stripper\"] }",
            "[lists of steps](#lists-of-steps) that chains use by name",
        ),
        Key::optional(
            "prefix",
            Takes::Steps,
            "no steps",
            "[\"null-stripper\"]",
            "[steps that each chain runs first](#prefix), unless it has `prefix = false`",
        ),
        Key::optional(
            "chain",
            Takes::Tables(&CHAIN),
            "",
            "[]",
            "lists of filters, each bound to tools, prompts or resources; the first chain that matches counts",
        ),
        Key::optional(
            "read-tool",
            Takes::Table(&READ_TOOL),
            "",
            "{}",
            "the tool with which a model reads what was cut",
        ),
        Key::optional(
            "tool",
            Takes::Named(&TOOL),
            "",
            "{}",
            "requirements of single tools, and tools to hide",
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
            "who may connect to `tamis serve`, and how",
        ),
        Key::optional(
            "state",
            Takes::Table(&STATE),
            "",
            "{}",
            "where several replicas of `tamis serve` keep [what they share](replicas.md)",
        ),
        Key::optional(
            "session",
            Takes::Table(&SESSION),
            "",
            "{}",
            "the key of a session, and its limit of calls",
        ),
        Key::optional(
            "record",
            Takes::Table(&RECORD),
            "",
            "{}",
            "which calls `tamis run --record` stores, redacted how, and how many",
        ),
        Key::optional(
            "client",
            Takes::Tables(&CLIENT),
            "",
            "[]",
            "what clients show their models, for clients that Tamis does not know",
        ),
        Key::optional(
            "test",
            Takes::Tables(&TEST),
            "",
            "[]",
            "inputs and expected outputs of chains, for `tamis test`",
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
/// Public keys.
const KEYS: Takes = Takes::List {
    items: &Takes::Text {
        what: "the path of a public key, or the key in PEM",
        pattern: "",
    },
    may_be_empty: false,
};
const PATTERN: Takes = Takes::Text {
    what: "a name; `*` matches any characters, a first `!` makes it an exception",
    pattern: r"^\S+$",
};
const PATTERNS: Takes = Takes::List {
    items: &PATTERN,
    may_be_empty: false,
};

/// `[[chain]]`
pub const CHAIN: Table = Table {
    name: "chain",
    about: "A list of filters, and the tools, prompts or resources that it is bound to. The first chain that matches counts.",
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
            "what the chain filters. `result`: results of tools; `instructions`: the server's instructions; `description`: descriptions of tools in the list; `prompt`: a prompt's messages; `resource`: a resource's contents; `history`: old results, for `tamis history`; `[\"arguments\"]`: [arguments of calls](#arguments), before the server gets them; `[\"*\"]`: [every message](#every-message) of the server, before all other chains; `[]`: nothing, for a chain that `[record]` names",
        ),
        Key::optional(
            "tools",
            PATTERNS,
            "required for `result`, `description`, `history` and `arguments`",
            "[\"*\"]",
            "names of tools, for `result`, `description`, `history` and `arguments`",
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
        Key::optional(
            "servers",
            PATTERNS,
            "all",
            "[\"git*\"]",
            "names of servers: of `[server.NAME]`, of `tamis run --server`, else of the server's program",
        ),
        Key::optional(
            "errors",
            Takes::Flag,
            "both",
            "true",
            "`true`: only results that say that the tool failed (`isError`); `false`: only the others",
        ),
        Key::optional(
            "when",
            Takes::Table(&WHEN),
            "always",
            "{ larger-than = \"20KB\" }",
            "[more conditions](#conditions), for results of tools",
        ),
        Key::required(
            "steps",
            Takes::Steps,
            "[\"null-stripper\"]",
            "filters in order: a name of a filter or of a [list of steps](#lists-of-steps), or a table with `filter`, the keys of a step, and the filter's own settings. `[]`: the results pass",
        ),
        Key::default(
            "prefix",
            Takes::Flag,
            "true",
            "run the steps of the [prefix](#prefix) first. Chains with `on = [\"*\"]`, `[\"arguments\"]` or `[]` never run them",
        ),
        Key::optional(
            "structured",
            Takes::Word(|| Structured::ALL.map(|(name, _)| name).to_vec()),
            "see `structured`",
            "\"text\"",
            "how `structuredContent` is sent",
        ),
        Key::default(
            "blocks",
            Takes::Word(|| Blocks::ALL.map(|(name, _)| name).to_vec()),
            "\"each\"",
            "`\"each\"`: each text block is a document; `\"merge\"`: if all text blocks are JSON, they become one document, a list; else, if they are 16 or more, one text",
        ),
        Key::default(
            "guard",
            Takes::Word(|| Guard::ALL.map(|(name, _)| name).to_vec()),
            "\"bytes\"",
            "the unit in which a changed document must be smaller than before: `\"bytes\"` (a rewritten document by at least a thirty-second) or `\"tokens\"` (o200k; exact, but slower)",
        ),
        Key::default(
            "shadow",
            Takes::Flag,
            "false",
            "run the steps and record what they would save, but pass every result unchanged. The steps of the prefix are not meant",
        ),
        Key::default(
            "overridable",
            Takes::Flag,
            "false",
            "for a chain that redacts, in a file that others [include](#included-files): they may replace it, and put their own chains before it",
        ),
        Key::optional(
            "audience",
            Takes::Word(|| Audience::ALL.map(|(name, _)| name).to_vec()),
            "see `[[client]]`",
            "\"enforce\"",
            "`\"enforce\"`: leave out blocks that are annotated for the user alone; `\"keep\"`: leave them in. Without the key, a result with no other blocks stays",
        ),
        Key::default(
            "input-schema",
            Takes::Word(|| InputSchema::ALL.map(|(name, _)| name).to_vec()),
            "\"short\"",
            "how a tool's `inputSchema` is listed: `\"short\"` leaves out titles that repeat a property's name, and a `$schema` without effect; `\"keep\"` lists it unchanged",
        ),
        Key::default(
            "pin-tools",
            Takes::Word(|| PinTools::ALL.map(|(name, _)| name).to_vec()),
            "\"never\"",
            "`\"used\"`: if the client's model [searches for tools](#tools-that-models-search-for), list those at once that a third of its last sessions used, and in the first sessions some that change nothing",
        ),
    ],
};

/// `when` of a chain.
pub const WHEN: Table = Table {
    name: "chain.when",
    about: "Conditions under which a chain counts. All must hold; if not, the next chain that matches counts.",
    keys: &[
        Key::optional(
            "arguments",
            Takes::Object,
            "any",
            "{ path = \"*.log\" }",
            "for each argument of the call, a pattern of its value. `*` matches any characters; a value that is no string is compared as JSON",
        ),
        Key::optional(
            "reads-file",
            Takes::Flag,
            "any call",
            "true",
            "the call reads a file: its tool is named so (`read_file`, `view`) and an argument is the path of a file of text, or its command only prints files (`cat`, `sed`, `head`, `git show`). A file of JSON counts if it is an object, such as `package.json`; lists and lines are data. It is a guess: hide nothing by it",
        ),
        Key::optional(
            "larger-than",
            Takes::Amount(Unit::Size),
            "any size",
            "\"20KB\"",
            "the result, as the server sent it, is larger than this",
        ),
        Key::optional(
            "client",
            PATTERNS,
            "all",
            "[\"claude-code\"]",
            "names of clients, in any case",
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
            "limits of one call",
        ),
        Key::optional(
            "on-error",
            ON_ERROR,
            "the plugin's; `\"block\"` for `redact`; else `\"pass\"`",
            "\"block\"",
            "if the filter fails: `\"pass\"` continues with the document unchanged; `\"block\"` withholds the result",
        ),
        Key::optional(
            "shadow",
            Takes::Flag,
            "the chain's",
            "true",
            "run the step and record what it would save, but discard its change",
        ),
    ],
};

const ON_ERROR: Takes = Takes::Word(|| OnError::ALL.map(|(name, _)| name).to_vec());

/// `[[plugin]]`
pub const PLUGIN: Table = Table {
    name: "plugin",
    about: "A filter of your own.",
    keys: &[
        Key::required(
            "name",
            Takes::Text {
                what: "lower case letters, digits and hyphens, at most 64",
                pattern: "^[a-z0-9][a-z0-9-]{0,63}$",
            },
            "\"house-style\"",
            "its name in steps; unique, and not the name of a built-in filter",
        ),
        Key::optional(
            "path",
            Takes::Text {
                what: "the path of a .wasm file",
                pattern: r"^[^\u0000-\u001f\u007f]+$",
            },
            "required without `oci`",
            "\"filters/house_style.wasm\"",
            "its file, relative to the folder of filters.toml",
        ),
        Key::optional(
            "oci",
            Takes::Text {
                what: "a registry, a repository and a digest",
                pattern: r"^[^\s@]+/[^\s@]+@sha256:[0-9a-f]{64}$",
            },
            "required without `path`",
            "\"registry.example/team/house-style@sha256:0000000000000000000000000000000000000000000000000000000000000000\"",
            "instead of `path`: an artifact in an OCI registry; `tamis plugin pull` prints the line",
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
        Key::optional(
            "signed-by",
            KEYS,
            "no key",
            "[\"team.pub\"]",
            "[keys](#signatures): one of them must have signed the plugin. Paths are relative to this file",
        ),
        Key::default(
            "allow",
            Takes::List {
                items: &Takes::Word(|| Capability::ALL.map(Capability::name).to_vec()),
                may_be_empty: true,
            },
            "[]",
            "grants: the functions of Tamis that the plugin may use",
        ),
        Key::optional(
            "limits",
            Takes::Limits,
            "the defaults",
            "{ time = \"50ms\" }",
            "limits of one call and of compiling, unless a step has its own",
        ),
        Key::default(
            "on-error",
            ON_ERROR,
            "\"pass\"",
            "`\"block\"`: withhold the result if the filter fails, unless a step has its own",
        ),
    ],
};

/// `[read-tool]`
pub const READ_TOOL: Table = Table {
    name: "read-tool",
    about: "The tool with which a model reads what was cut.",
    keys: &[
        Key::default(
            "name",
            Takes::Text {
                what: "1 to 64 letters, digits, `_`, `-` and `.`",
                pattern: r"^[A-Za-z0-9_.-]{1,64}$",
            },
            "\"tamis_read\"",
            "its name",
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
            "`false`: answer calls, but do not list the tool",
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
    about: "When the client sees a tool.",
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
            "requirements without which the tool is hidden: a program on PATH, `\"env:NAME\"`, `\"file:PATH\"` (relative to the folder of filters.toml), or a list of alternatives",
        ),
        Key::default(
            "hidden",
            Takes::Flag,
            "false",
            "hide the tool, regardless of `needs`",
        ),
        Key::default(
            "required",
            Takes::Flag,
            "false",
            "if no tool of the server fits the name, list no tool at all, and refuse every call. For policies with one server",
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
        "the tools that the client sees",
    )],
};

const WORDS: Takes = Takes::List {
    items: &Takes::Text {
        what: "a string",
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
            "address of a server that speaks Streamable HTTP",
        ),
        Key::optional(
            "command",
            WORDS,
            "",
            "[\"npx\", \"-y\", \"some-server\"]",
            "program and arguments of a server that speaks over standard input and output; each session has its own process",
        ),
        Key::optional(
            "env",
            Takes::Object,
            "",
            "{ API_KEY = \"${API_KEY}\" }",
            "with `command`: more environment variables for the program. It inherits those of Tamis, except the ones that a token, a header or an `env` of the file names. A value may end with a variable, `${NAME}`",
        ),
        Key::default(
            "ready",
            Takes::Count {
                least: 0,
                most: super::super::serve::MOST_READY,
            },
            "0",
            "with `command`: so many processes are started ahead, so a session begins at once, however slowly the program starts. They do not count in `processes` and `all-processes`",
        ),
        Key::optional(
            "headers",
            Takes::Object,
            "",
            "{ authorization = \"Bearer ${TOKEN}\" }",
            "headers of every request, in place of the client's own; a value may end with an environment variable, `${NAME}`",
        ),
        Key::default(
            "login",
            Takes::Flag,
            "false",
            "with `tokens` of `[serve]`: clients use this server with your own login (`tamis login URL`)",
        ),
    ],
};

/// `[serve]`
pub const SERVE: Table = Table {
    name: "serve",
    about: "Who may connect to `tamis serve`, and how.",
    keys: &[
        Key::default(
            "listen",
            Takes::Text {
                what: "`HOST:PORT`",
                pattern: "^[^/ ]+:[0-9]+$",
            },
            "\"127.0.0.1:8808\"",
            "the address to listen on; `--listen` takes precedence. An address that other machines can reach requires `tokens`",
        ),
        Key::optional(
            "metrics",
            Takes::Text {
                what: "`HOST:PORT`",
                pattern: "^[^/ ]+:[0-9]+$",
            },
            "`/metrics` at `listen` alone",
            "\"0.0.0.0:9090\"",
            "a second address, for `/metrics`, `/healthz` and `/readyz` alone: over HTTP, without a token",
        ),
        Key::optional(
            "hosts",
            WORDS,
            "those of the loopback interface",
            "[\"tamis.example.com\"]",
            "more names that the `Host` header may contain, without a port",
        ),
        Key::optional(
            "origins",
            WORDS,
            "those of the loopback interface",
            "[\"https://app.example.com\"]",
            "more values that the `Origin` header may have: web pages that may call",
        ),
        Key::optional(
            "traces",
            Takes::Text {
                what: "a URL",
                pattern: "^https?://",
            },
            "no spans",
            "\"http://127.0.0.1:4318\"",
            "the OpenTelemetry collector for spans of requests and filters, over OTLP/HTTP",
        ),
        Key::default(
            "read-tool",
            Takes::Word(|| ReadToolListing::ALL.map(|(name, _)| name).to_vec()),
            "\"each\"",
            "which server lists the read tool: `\"each\"` server; or `\"once\"`: an extra server at `/tamis/mcp`, for the originals of all servers. Clients need its URL too",
        ),
        Key::optional(
            "tokens",
            Takes::Object,
            "no access token required",
            "{ alice = \"${TAMIS_TOKEN_ALICE}\" }",
            "access tokens by client name. A client sends its own as `Authorization: Bearer …`. The token does not reach a server",
        ),
        Key::optional(
            "limits",
            Takes::ServeLimits,
            "",
            "{ processes = 8 }",
            "bounds on what callers may use",
        ),
        Key::optional(
            "certificate",
            FILE_PATH,
            "clients speak HTTP, not HTTPS",
            "\"tls/chain.pem\"",
            "PEM file with the certificate and its chain; requires `key`",
        ),
        Key::optional(
            "key",
            FILE_PATH,
            "",
            "\"tls/key.pem\"",
            "PEM file with the certificate's private key",
        ),
    ],
};

/// `[state]`
pub const STATE: Table = Table {
    name: "state",
    about: "Where several replicas of `tamis serve` keep [what they share](replicas.md).",
    keys: &[
        Key::optional(
            "originals",
            Takes::Text {
                what: "a URL of an object store",
                pattern: "^(s3|az|gs)://",
            },
            "files on the replica's disk",
            "\"s3://bucket/prefix\"",
            "the object store of originals, for all replicas: `s3://BUCKET/PREFIX`, `az://CONTAINER/PREFIX` or `gs://BUCKET/PREFIX`. The provider's usual environment variables hold credentials and endpoint",
        ),
        Key::optional(
            "sessions",
            Takes::Text {
                what: "a URL of Redis or Valkey",
                pattern: "^(rediss?://|redis\\+unix://|\\$\\{)",
            },
            "each replica counts calls, and has values of filters, for itself",
            "\"${TAMIS_REDIS_URL}\"",
            "Redis or Valkey, for windows of calls and for values that filters store in a session; requires `key`",
        ),
        Key::optional(
            "ledger",
            Takes::Text {
                what: "a URL of PostgreSQL",
                pattern: "^(postgres(ql)?://|\\$\\{)",
            },
            "each replica's own ledger alone",
            "\"${TAMIS_POSTGRES_URL}\"",
            "PostgreSQL, for a copy of the ledgers of all replicas: `tamis stats --from` reads it",
        ),
        Key::optional(
            "key",
            Takes::Text {
                what: "an environment variable",
                pattern: "^\\$\\{[A-Za-z0-9_]+\\}$",
            },
            "a session belongs to the replica that began it, and objects are not encrypted",
            "\"${TAMIS_STATE_KEY}\"",
            "the environment variable with the key that all replicas have, of at least 32 characters. It seals ids of sessions and encrypts objects",
        ),
        Key::optional(
            "key-file",
            FILE_PATH,
            "",
            "\"/run/secrets/tamis-state-key\"",
            "file with the key, in place of `key`",
        ),
        Key::optional(
            "previous-key",
            Takes::Text {
                what: "an environment variable",
                pattern: "^\\$\\{[A-Za-z0-9_]+\\}$",
            },
            "",
            "\"${TAMIS_STATE_KEY_BEFORE}\"",
            "the environment variable with the key before this one. It opens what it sealed, and seals nothing",
        ),
    ],
};

/// `[session]`
pub const SESSION: Table = Table {
    name: "session",
    about: "The key of a session, and its limit of calls.",
    keys: &[
        Key::default(
            "key",
            Takes::Text {
                what: "\"connection\", \"argument:NAME\", \"meta:KEY\" or \"header:NAME\"",
                pattern: "^(connection|(argument|meta|header):.+)$",
            },
            "\"connection\"",
            "what identifies a session: the connection, an argument of the call, a key in the request's `_meta`, a header",
        ),
        Key::optional(
            "calls",
            Takes::Count {
                least: 1,
                most: session::MOST_CALLS,
            },
            "no limit",
            "10",
            "calls that a session may make in a window. Tamis answers further calls with `limit-text`, and the server does not receive them",
        ),
        Key::optional(
            "window",
            Takes::Amount(Unit::Time),
            "never ends",
            "\"60s\"",
            "duration of a window, from its first call",
        ),
        Key::optional(
            "limit-text",
            Takes::Text {
                what: "a string",
                pattern: "",
            },
            "a text ending in `[Tool call limit reached]`",
            "\"[Tool call limit reached]\"",
            "the answer to a call over the limit",
        ),
    ],
};

/// `[record]`
pub const RECORD: Table = Table {
    name: "record",
    about: "Which calls `tamis run --record` stores, redacted how, and how many.",
    keys: &[
        Key::optional(
            "redact",
            Takes::Text {
                what: "a chain's name",
                pattern: "",
            },
            "calls are recorded whole, except calls of tools whose own chain redacts, which are not recorded",
            "\"secrets\"",
            "a chain that runs on arguments and results before they are recorded. A call that it withholds is not recorded. Each of its steps requires `on-error = \"block\"`",
        ),
        Key::default(
            "calls",
            Takes::Count {
                least: 1,
                most: record::MOST_CALLS,
            },
            "10000",
            "most calls in a folder; then recording ends",
        ),
        Key::default(
            "size",
            Takes::Amount(Unit::Size),
            "\"256MiB\"",
            "largest size of a folder's calls; then recording ends",
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
                what: "a client's name; `*` matches any characters",
                pattern: r"^[^\u0000-\u001f\u007f]+$",
            },
            "\"my-agent*\"",
            "`clientInfo.name`, in any case",
        ),
        Key::required(
            "sees",
            Takes::Word(|| Sees::ALL.map(|(name, _)| name).to_vec()),
            "\"content\"",
            "what its model reads: `\"structured\"` (`structuredContent` alone, if present), `\"content\"` (the text alone), `\"both\"` (once, if the text equals `structuredContent` byte for byte), `\"both-once\"` (once, if the text is the same JSON), `\"blocks\"` (all of `content`, as JSON), `\"result\"` (the whole result, as JSON), `\"value\"` (programs compute on the result: [code mode](#code-mode))",
        ),
        Key::optional(
            "version",
            Takes::Text {
                what: "a version",
                pattern: "",
            },
            "",
            "\"1.4.0\"",
            "the version on which this was measured; for readers only",
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
            "tokens that the client adds around each result",
        ),
        Key::optional(
            "cap",
            Takes::Table(&CLIENT_CAP),
            "the whole result",
            "{ over = 25000, first = 2000, notice = 100 }",
            "which part of a long result it shows its model",
        ),
        Key::default(
            "tools",
            Takes::Word(|| ToolList::ALL.map(|(name, _)| name).to_vec()),
            "\"listed\"",
            "how each request lists the tools: `\"listed\"` (in full), `\"trimmed\"` (with `inputSchema` shortened by the client), `\"searched\"` (names alone; the model searches for tools), `\"pinned\"` (as `searched`, except tools with `anthropic/alwaysLoad`)",
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
            "the client itself withholds blocks for the user from its model",
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
            "the client cuts results with more characters than this",
        ),
        Key::default(
            "first",
            Takes::Count {
                least: 0,
                most: client::MOST_CHARACTERS,
            },
            "0",
            "characters that it shows from the beginning",
        ),
        Key::default(
            "last",
            Takes::Count {
                least: 0,
                most: client::MOST_CHARACTERS,
            },
            "0",
            "characters that it shows from the end",
        ),
        Key::default(
            "notice",
            Takes::Count {
                least: 0,
                most: client::MOST_NOTICE,
            },
            "0",
            "tokens that the client adds about the cut",
        ),
    ],
};

const FILE_PATH: Takes = Takes::Text {
    what: "a path relative to this file",
    pattern: r"^[^\u0000-\u001f\u007f]+$",
};
const TEXTS: Takes = Takes::List {
    items: &Takes::Text {
        what: "a string",
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
    about: "An input, and the expected output. Requires `tool` or `chain`, an input, and an expectation.",
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
            "tests the chain of this tool, and so also its binding. The results of a tool without a chain pass byte for byte. For other values of `on`: the prompt's name, the resource's URI",
        ),
        Key::optional(
            "chain",
            Takes::Text {
                what: "a chain's name",
                pattern: "",
            },
            "",
            "\"explain\"",
            "tests the chain with this name. With `tool`: the test fails if the tool has another chain",
        ),
        Key::optional(
            "on",
            Takes::Word(|| Surface::ALL.map(|(name, _)| name).to_vec()),
            "the first value of the chain's own `on`, else `\"result\"`",
            "\"result\"",
            "the kind of output",
        ),
        Key::optional(
            "arguments",
            Takes::Object,
            "those of a recorded call, else `{}`",
            "{}",
            "the call's arguments",
        ),
        Key::optional(
            "server",
            Takes::Text {
                what: "a server's name",
                pattern: "",
            },
            "that of a recorded call, else none",
            "\"github\"",
            "the server that answers",
        ),
        Key::optional(
            "client",
            Takes::Text {
                what: "a client's name",
                pattern: "",
            },
            "that of a recorded call, else none",
            "\"claude-code\"",
            "the client that calls",
        ),
        Key::optional(
            "input",
            Takes::Any,
            "",
            "'{\"error\":null}'",
            "the input: a string, or a value of TOML, which becomes JSON",
        ),
        Key::optional(
            "input-file",
            FILE_PATH,
            "",
            "\"fixtures/explain.json\"",
            "a file with the input",
        ),
        Key::optional(
            "expect",
            Takes::Any,
            "",
            "'{}'",
            "the whole output: a string, compared byte for byte; or a value of TOML, compared as JSON",
        ),
        Key::optional(
            "expect-file",
            FILE_PATH,
            "",
            "\"fixtures/explain.filtered.json\"",
            "a file with the whole output, compared byte for byte",
        ),
        Key::optional(
            "contains",
            TEXTS,
            "",
            "[\"source_preview\"]",
            "texts that the output must contain",
        ),
        Key::optional(
            "lacks",
            TEXTS,
            "",
            "[\"llm_hint\"]",
            "texts that the output must not contain",
        ),
        Key::optional(
            "max-tokens",
            SIZE,
            "",
            "2000",
            "most tokens (o200k) of the output",
        ),
        Key::optional("max-bytes", SIZE, "", "8000", "most bytes of the output"),
        Key::optional(
            "unchanged",
            Takes::Flag,
            "",
            "true",
            "`true`: the output equals the input byte for byte; `false`: it differs",
        ),
        Key::optional(
            "withheld",
            Takes::Flag,
            "",
            "true",
            "`true`: a step that redacts withholds the result",
        ),
        Key::optional(
            "hidden",
            Takes::Flag,
            "",
            "true",
            "`true`: clients do not see the tool (`[tool.NAME]`). A test that expects nothing else needs no input",
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
        "each folder inside it with an `input.json` or `input.txt` is a test",
    )],
};
