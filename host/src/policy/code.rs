//! Codes of findings. Scripts and editors rely on them, because messages are written for people and change.
//!
//! A code never changes its meaning. A test holds `docs/check.md` to this table.

/// A kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    FileUnreadable,
    FileSize,
    FileEncoding,
    Syntax,
    UnknownKey,
    MissingKey,
    WrongType,
    UnknownValue,
    InvalidValue,
    OutOfRange,
    Empty,
    IncludeUnreadable,
    IncludeOutside,
    IncludedTable,
    IncludeLock,
    TrustLapsed,
    DuplicateName,
    UnknownFilter,
    Circle,
    StepsUnused,
    KeyWithoutEffect,
    StructuredShowsHidden,
    RedactionPasses,
    RedactionOverridden,
    StepOnMessages,
    RedactionReach,
    RecordedWhole,
    PluginUnreadable,
    PluginHash,
    PluginLock,
    PluginSignature,
    KeyUnreadable,
    LockStale,
    PluginInvalid,
    PluginNotCompiled,
    PluginContract,
    PluginImport,
    PluginUnused,
    GrantMissing,
    GrantUnused,
    SettingsUnknownKey,
    SettingsMissingKey,
    SettingsWrongType,
    SettingsUnknownValue,
    SettingsOutOfRange,
    SettingsRefused,
    SettingsNearMiss,
    SettingsSchema,
    VariableMissing,
    VariableInCode,
    PatternLiteral,
    PatternShadowed,
    ChainShadowed,
    ChainDuplicate,
    ChainShadowMode,
    ChainUnbound,
    NoChain,
    StepRepeated,
    StepUntested,
    StepSlow,
    StepFailed,
    StepNoOriginal,
    OrderTableFirst,
    OrderCutFirst,
    OrderTableLast,
    OrderHideFirst,
    OrderOpenFirst,
    OrderReadFirst,
    OrderPrepared,
    BudgetTime,
    BudgetMemory,
    BudgetOutput,
    BudgetUnreached,
    ToolUnknown,
    ToolUnmatched,
    ToolWithoutChain,
    ToolHidden,
}

impl Code {
    /// All of them, in the order of the reference page.
    pub const ALL: [Code; 77] = [
        Code::FileUnreadable,
        Code::FileSize,
        Code::FileEncoding,
        Code::Syntax,
        Code::UnknownKey,
        Code::MissingKey,
        Code::WrongType,
        Code::UnknownValue,
        Code::InvalidValue,
        Code::OutOfRange,
        Code::Empty,
        Code::IncludeUnreadable,
        Code::IncludeOutside,
        Code::IncludedTable,
        Code::IncludeLock,
        Code::TrustLapsed,
        Code::DuplicateName,
        Code::UnknownFilter,
        Code::Circle,
        Code::StepsUnused,
        Code::KeyWithoutEffect,
        Code::StructuredShowsHidden,
        Code::RedactionPasses,
        Code::RedactionOverridden,
        Code::StepOnMessages,
        Code::RedactionReach,
        Code::RecordedWhole,
        Code::PluginUnreadable,
        Code::PluginHash,
        Code::PluginLock,
        Code::PluginSignature,
        Code::KeyUnreadable,
        Code::LockStale,
        Code::PluginInvalid,
        Code::PluginNotCompiled,
        Code::PluginContract,
        Code::PluginImport,
        Code::PluginUnused,
        Code::GrantMissing,
        Code::GrantUnused,
        Code::SettingsUnknownKey,
        Code::SettingsMissingKey,
        Code::SettingsWrongType,
        Code::SettingsUnknownValue,
        Code::SettingsOutOfRange,
        Code::SettingsRefused,
        Code::SettingsNearMiss,
        Code::SettingsSchema,
        Code::VariableMissing,
        Code::VariableInCode,
        Code::PatternLiteral,
        Code::PatternShadowed,
        Code::ChainShadowed,
        Code::ChainDuplicate,
        Code::ChainShadowMode,
        Code::ChainUnbound,
        Code::NoChain,
        Code::StepRepeated,
        Code::StepUntested,
        Code::StepSlow,
        Code::StepFailed,
        Code::StepNoOriginal,
        Code::OrderTableFirst,
        Code::OrderCutFirst,
        Code::OrderTableLast,
        Code::OrderHideFirst,
        Code::OrderOpenFirst,
        Code::OrderReadFirst,
        Code::OrderPrepared,
        Code::BudgetTime,
        Code::BudgetMemory,
        Code::BudgetOutput,
        Code::BudgetUnreached,
        Code::ToolUnknown,
        Code::ToolUnmatched,
        Code::ToolWithoutChain,
        Code::ToolHidden,
    ];

    /// Its name in reports, and its meaning.
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Code::FileUnreadable => ("file-unreadable", "Tamis cannot read the file"),
            Code::FileSize => ("file-size", "the file is far too large for a policy"),
            Code::FileEncoding => ("file-encoding", "the file is not UTF-8"),
            Code::Syntax => ("syntax", "the file is not valid TOML"),
            Code::UnknownKey => ("unknown-key", "unknown key"),
            Code::MissingKey => ("missing-key", "a required key is missing"),
            Code::WrongType => ("wrong-type", "the value has the wrong type"),
            Code::UnknownValue => ("unknown-value", "the value is not one of the allowed words"),
            Code::InvalidValue => (
                "invalid-value",
                "the value has the right type, but is not valid",
            ),
            Code::OutOfRange => ("out-of-range", "a number, time or size is out of bounds"),
            Code::Empty => ("empty", "a list or text must not be empty"),
            Code::IncludeUnreadable => ("include-unreadable", "Tamis cannot read an included file"),
            Code::IncludeOutside => (
                "include-outside",
                "a project's file includes a file that is outside of the project",
            ),
            Code::IncludedTable => (
                "included-table",
                "an included file has a table that it cannot have, or that another file has too",
            ),
            Code::IncludeLock => (
                "include-lock",
                "an included file does not match the lock file, or is missing there",
            ),
            Code::TrustLapsed => (
                "trust-lapsed",
                "the file, or a part of it, changed after you trusted it, so Tamis uses no policy in this project",
            ),
            Code::DuplicateName => (
                "duplicate-name",
                "the name is used twice, or taken by a built-in filter",
            ),
            Code::UnknownFilter => ("unknown-filter", "a step names an unknown filter"),
            Code::Circle => (
                "circle",
                "a list of steps, or an included file, contains itself",
            ),
            Code::StepsUnused => (
                "steps-unused",
                "no chain uses a named list of steps, or runs the prefix",
            ),
            Code::KeyWithoutEffect => (
                "key-without-effect",
                "the key has no effect with the other keys",
            ),
            Code::StructuredShowsHidden => (
                "structured-shows-hidden",
                "`structuredContent` would show what a step redacts",
            ),
            Code::RedactionPasses => (
                "redaction-passes",
                "a step that redacts would pass the content if it fails",
            ),
            Code::RedactionOverridden => (
                "redaction-overridden",
                "a file replaces or leaves out what redacts in a file that it includes",
            ),
            Code::StepOnMessages => (
                "step-on-messages",
                "a filter that cannot run on whole messages is in a chain with `on = [\"*\"]`",
            ),
            Code::RedactionReach => (
                "redaction-reach",
                "a chain redacts a part of what a server sends, and no chain redacts the rest",
            ),
            Code::RecordedWhole => (
                "recorded-whole",
                "a step of the chain that redacts recordings would pass a call if the step fails",
            ),
            Code::PluginUnreadable => ("plugin-unreadable", "Tamis cannot read a plugin's file"),
            Code::PluginHash => ("plugin-hash", "a plugin's file does not match its `sha256`"),
            Code::PluginLock => (
                "plugin-lock",
                "a plugin's file does not match the lock file, or is missing there",
            ),
            Code::PluginSignature => (
                "plugin-signature",
                "no key in `signed-by` signed the plugin",
            ),
            Code::KeyUnreadable => ("key-unreadable", "Tamis cannot use a key in `signed-by`"),
            Code::LockStale => (
                "lock-stale",
                "the lock file contains a plugin or an included file that filters.toml does not have",
            ),
            Code::PluginInvalid => (
                "plugin-invalid",
                "a plugin's file is not a filter: it is not WebAssembly, does not follow the contract, or fails at once",
            ),
            Code::PluginNotCompiled => (
                "plugin-not-compiled",
                "a plugin of a project that you do not trust is not compiled, unless you pass `--compile`",
            ),
            Code::PluginContract => (
                "plugin-contract",
                "a plugin was built for another version of the contract",
            ),
            Code::PluginImport => (
                "plugin-import",
                "a plugin imports something that no grant allows",
            ),
            Code::PluginUnused => ("plugin-unused", "no chain uses the plugin"),
            Code::GrantMissing => (
                "grant-missing",
                "a plugin imports or wants a grant that `allow` does not give",
            ),
            Code::GrantUnused => (
                "grant-unused",
                "`allow` gives a grant that the plugin does not want",
            ),
            Code::SettingsUnknownKey => ("settings-unknown-key", "unknown setting of a filter"),
            Code::SettingsMissingKey => (
                "settings-missing-key",
                "a required setting of a filter is missing",
            ),
            Code::SettingsWrongType => ("settings-wrong-type", "a setting has the wrong type"),
            Code::SettingsUnknownValue => (
                "settings-unknown-value",
                "a setting is not one of the values that the filter accepts",
            ),
            Code::SettingsOutOfRange => (
                "settings-out-of-range",
                "a setting is out of the filter's bounds",
            ),
            Code::SettingsRefused => ("settings-refused", "the filter itself refuses its settings"),
            Code::SettingsNearMiss => (
                "settings-near-miss",
                "a setting looks like a key of the step",
            ),
            Code::SettingsSchema => (
                "settings-schema",
                "Tamis cannot use the schema of a plugin's settings",
            ),
            Code::VariableMissing => (
                "variable-missing",
                "an environment variable that a setting names is not set",
            ),
            Code::VariableInCode => (
                "variable-in-code",
                "`${NAME}` is where Tamis reads no environment variable: in a program, a path or a name",
            ),
            Code::PatternLiteral => (
                "pattern-literal",
                "a pattern contains a character that is special elsewhere, but not here",
            ),
            Code::PatternShadowed => (
                "pattern-shadowed",
                "an earlier chain or pattern matches everything that this pattern matches",
            ),
            Code::ChainShadowed => (
                "chain-shadowed",
                "earlier chains match everything that this chain matches",
            ),
            Code::ChainDuplicate => ("chain-duplicate", "two chains do the same"),
            Code::ChainShadowMode => (
                "chain-shadow-mode",
                "every step of a chain is in shadow mode, so the chain changes nothing",
            ),
            Code::ChainUnbound => (
                "chain-unbound",
                "a chain is bound to nothing, and redacts no recording",
            ),
            Code::NoChain => (
                "no-chain",
                "the policy has no chain: all results pass unchanged",
            ),
            Code::StepRepeated => ("step-repeated", "a step repeats the one before it"),
            Code::StepSlow => (
                "step-slow",
                "`tamis test`: a step took longer than its limit `time`",
            ),
            Code::StepFailed => (
                "step-failed",
                "`tamis test`: a step failed in a test that passes",
            ),
            Code::StepNoOriginal => (
                "step-no-original",
                "a step needs an original, and its chain redacts, so it stores none",
            ),
            Code::StepUntested => (
                "step-untested",
                "`tamis test`: a step changes nothing in any test",
            ),
            Code::OrderTableFirst => (
                "order-table-first",
                "a step removes members that a later step needs for good tables",
            ),
            Code::OrderCutFirst => (
                "order-cut-first",
                "a step cuts before a step that makes the document smaller without loss",
            ),
            Code::OrderTableLast => (
                "order-table-last",
                "a step looks for lists after an earlier step wrote them as tables",
            ),
            Code::OrderHideFirst => (
                "order-hide-first",
                "a step redacts content after an earlier step cut or encoded it",
            ),
            Code::OrderOpenFirst => (
                "order-open-first",
                "a step redacts before a later step opens or cleans the text",
            ),
            Code::OrderReadFirst => (
                "order-read-first",
                "a step opens or cleans texts after an earlier step read them",
            ),
            Code::OrderPrepared => (
                "order-prepared",
                "a step prepares for another step, which is missing",
            ),
            Code::BudgetTime => ("budget-time", "a chain may take longer than clients wait"),
            Code::BudgetMemory => (
                "budget-memory",
                "a step's `memory` is too small for a document as large as its `input`",
            ),
            Code::BudgetOutput => (
                "budget-output",
                "a step's `output` is smaller than its `input`",
            ),
            Code::BudgetUnreached => (
                "budget-unreached",
                "a step's budget is larger than anything that earlier steps leave",
            ),
            Code::ToolUnknown => ("tool-unknown", "the name in a `[tool.NAME]` looks mistyped"),
            Code::ToolUnmatched => (
                "tool-unmatched",
                "a name or pattern fits no tool of the server (`--tools`, `-- SERVER`)",
            ),
            Code::ToolWithoutChain => ("tool-without-chain", "no chain matches a `[tool.NAME]`"),
            Code::ToolHidden => ("tool-hidden", "a chain names a hidden tool"),
        }
    }

    /// Its name, which stays: `unknown-key`.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// Its meaning, in a few words.
    pub const fn about(self) -> &'static str {
        self.row().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_in_order() {
        for (index, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, index, "{}", code.name());
        }
        assert_eq!(Code::ToolHidden as usize + 1, Code::ALL.len());
    }

    #[test]
    fn names_are_plain_and_unique() {
        for code in Code::ALL {
            assert!(super::super::names::is_plugin_name(code.name()));
            let same = Code::ALL.iter().filter(|other| other.name() == code.name());
            assert_eq!(same.count(), 1, "{}", code.name());
        }
    }
}
