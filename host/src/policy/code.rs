//! Names for kinds of findings: what scripts and editors go by, since messages are written for people
//! and change.
//!
//! A name never changes its meaning. The page `docs/check.md` is held to this table.

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
    DuplicateName,
    UnknownFilter,
    KeyWithoutEffect,
    StructuredShowsHidden,
    RecordedWhole,
    PluginUnreadable,
    PluginHash,
    PluginLock,
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
    PatternLiteral,
    PatternShadowed,
    ChainShadowed,
    ChainDuplicate,
    ChainShadowMode,
    ChainUnbound,
    StepRepeated,
    StepUntested,
    OrderTableFirst,
    OrderCutFirst,
    OrderTableLast,
    OrderHideFirst,
    OrderReadFirst,
    OrderPrepared,
    BudgetTime,
    BudgetMemory,
    BudgetOutput,
    BudgetUnreached,
    ToolUnknown,
    ToolWithoutChain,
    ToolHidden,
}

impl Code {
    /// All of them, in the order of the reference page.
    pub const ALL: [Code; 56] = [
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
        Code::DuplicateName,
        Code::UnknownFilter,
        Code::KeyWithoutEffect,
        Code::StructuredShowsHidden,
        Code::RecordedWhole,
        Code::PluginUnreadable,
        Code::PluginHash,
        Code::PluginLock,
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
        Code::PatternLiteral,
        Code::PatternShadowed,
        Code::ChainShadowed,
        Code::ChainDuplicate,
        Code::ChainShadowMode,
        Code::ChainUnbound,
        Code::StepRepeated,
        Code::StepUntested,
        Code::OrderTableFirst,
        Code::OrderCutFirst,
        Code::OrderTableLast,
        Code::OrderHideFirst,
        Code::OrderReadFirst,
        Code::OrderPrepared,
        Code::BudgetTime,
        Code::BudgetMemory,
        Code::BudgetOutput,
        Code::BudgetUnreached,
        Code::ToolUnknown,
        Code::ToolWithoutChain,
        Code::ToolHidden,
    ];

    /// Its name in reports, and what it stands for.
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Code::FileUnreadable => ("file-unreadable", "the file cannot be read"),
            Code::FileSize => ("file-size", "the file is far larger than a policy"),
            Code::FileEncoding => ("file-encoding", "the file is not UTF-8"),
            Code::Syntax => ("syntax", "the file is not TOML"),
            Code::UnknownKey => ("unknown-key", "a key that the table does not have"),
            Code::MissingKey => ("missing-key", "a key that the table has to have"),
            Code::WrongType => ("wrong-type", "a value of another type than its key takes"),
            Code::UnknownValue => ("unknown-value", "a word that is not one of those allowed"),
            Code::InvalidValue => (
                "invalid-value",
                "a value of the right type that makes no sense",
            ),
            Code::OutOfRange => ("out-of-range", "a number, time or size out of its bounds"),
            Code::Empty => ("empty", "a list or text that needs something in it"),
            Code::DuplicateName => ("duplicate-name", "a name that is there twice, or taken"),
            Code::UnknownFilter => ("unknown-filter", "a step names a filter that there is not"),
            Code::KeyWithoutEffect => (
                "key-without-effect",
                "a key that means nothing beside the others",
            ),
            Code::StructuredShowsHidden => (
                "structured-shows-hidden",
                "`structuredContent` would show what a step is there to hide",
            ),
            Code::RecordedWhole => (
                "recorded-whole",
                "a step of the chain that redacts recordings would let a call through when it fails",
            ),
            Code::PluginUnreadable => ("plugin-unreadable", "a plugin's file cannot be read"),
            Code::PluginHash => (
                "plugin-hash",
                "a plugin's file is another than its `sha256` says",
            ),
            Code::PluginLock => (
                "plugin-lock",
                "a plugin's file is another than the lock file says, or is not in it",
            ),
            Code::LockStale => (
                "lock-stale",
                "the lock file has a plugin that filters.toml does not have",
            ),
            Code::PluginInvalid => (
                "plugin-invalid",
                "a plugin's file is no filter: not WebAssembly, not of the contract, or it fails at once",
            ),
            Code::PluginNotCompiled => (
                "plugin-not-compiled",
                "a plugin of a project that is not trusted, which is not compiled unless it is asked for",
            ),
            Code::PluginContract => (
                "plugin-contract",
                "a plugin was built for another version of the contract",
            ),
            Code::PluginImport => ("plugin-import", "a plugin imports what no grant allows"),
            Code::PluginUnused => ("plugin-unused", "no chain has the plugin as a step"),
            Code::GrantMissing => (
                "grant-missing",
                "a plugin imports or wants what `allow` does not grant",
            ),
            Code::GrantUnused => (
                "grant-unused",
                "`allow` grants what the plugin does not want",
            ),
            Code::SettingsUnknownKey => (
                "settings-unknown-key",
                "a setting that the filter does not have",
            ),
            Code::SettingsMissingKey => (
                "settings-missing-key",
                "a setting that the filter has to have",
            ),
            Code::SettingsWrongType => (
                "settings-wrong-type",
                "a setting of another type than the filter takes",
            ),
            Code::SettingsUnknownValue => (
                "settings-unknown-value",
                "a setting that is not one of the values that the filter takes",
            ),
            Code::SettingsOutOfRange => (
                "settings-out-of-range",
                "a setting out of the filter's bounds",
            ),
            Code::SettingsRefused => ("settings-refused", "the filter itself refuses its settings"),
            Code::SettingsNearMiss => (
                "settings-near-miss",
                "a setting that looks like a key of the step",
            ),
            Code::SettingsSchema => (
                "settings-schema",
                "the schema of a plugin's settings cannot be used",
            ),
            Code::PatternLiteral => (
                "pattern-literal",
                "a character of a pattern that is special elsewhere stands for itself here",
            ),
            Code::PatternShadowed => (
                "pattern-shadowed",
                "an earlier chain or pattern takes all that fits this one",
            ),
            Code::ChainShadowed => (
                "chain-shadowed",
                "earlier chains take all that fits this one",
            ),
            Code::ChainDuplicate => ("chain-duplicate", "two chains do the same"),
            Code::ChainShadowMode => (
                "chain-shadow-mode",
                "every step of a chain only notes what it would do",
            ),
            Code::ChainUnbound => (
                "chain-unbound",
                "a chain that is bound to nothing, and redacts no recording",
            ),
            Code::StepRepeated => ("step-repeated", "a step that repeats the one before it"),
            Code::StepUntested => (
                "step-untested",
                "`tamis test`: a step that changes nothing in any test",
            ),
            Code::OrderTableFirst => (
                "order-table-first",
                "a step takes away what makes a list a good table, before the step that makes the table",
            ),
            Code::OrderCutFirst => (
                "order-cut-first",
                "a step cuts before one that makes the document smaller without a loss",
            ),
            Code::OrderTableLast => (
                "order-table-last",
                "a step looks for lists in what is a table by then",
            ),
            Code::OrderHideFirst => (
                "order-hide-first",
                "a step that hides things comes after one that cuts or encodes them",
            ),
            Code::OrderReadFirst => (
                "order-read-first",
                "a step opens or cleans texts after one that reads them",
            ),
            Code::OrderPrepared => (
                "order-prepared",
                "a step prepares for another, and there is none",
            ),
            Code::BudgetTime => ("budget-time", "a chain may take longer than clients wait"),
            Code::BudgetMemory => (
                "budget-memory",
                "a step's `memory` has no room for a document as large as its `input`",
            ),
            Code::BudgetOutput => (
                "budget-output",
                "a step's `output` is less than its `input`",
            ),
            Code::BudgetUnreached => (
                "budget-unreached",
                "a step's budget lies above what the steps before it leave",
            ),
            Code::ToolUnknown => (
                "tool-unknown",
                "a `[tool.NAME]` of which the name looks mistyped",
            ),
            Code::ToolWithoutChain => ("tool-without-chain", "no chain fits a `[tool.NAME]`"),
            Code::ToolHidden => ("tool-hidden", "a chain names a tool that is hidden"),
        }
    }

    /// Its name, which stays: `unknown-key`.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// What it stands for, in a few words.
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
