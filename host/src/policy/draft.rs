//! A file that was read to its end and may contain mistakes. `tamis check` uses it to report every mistake,
//! and to check the correct parts too.

use super::report::{Finding, Report, Severity};
use super::source::Source;
use super::{Limits, Lock, Policy, resolve};

/// A policy without its broken parts, and their mistakes. It cannot run.
#[derive(Debug)]
pub struct Draft {
    policy: Policy,
    findings: Vec<Finding>,
    /// Whether the table of each plugin is sound.
    sound_plugins: Vec<bool>,
    may_compile: bool,
}

impl Draft {
    /// Reads a file. `builtin` are the names of the filters that need no `[[plugin]]`.
    ///
    /// # Errors
    ///
    /// The file is not TOML.
    pub fn parse(source: Source, builtin: &[&str]) -> Result<Draft, Report> {
        resolve::draft(source, builtin)
    }

    pub(super) fn new(policy: Policy, findings: Vec<Finding>, sound_plugins: Vec<bool>) -> Draft {
        Draft {
            policy,
            findings,
            sound_plugins,
            may_compile: true,
        }
    }

    /// The draft, without compiling its plugins.
    #[must_use]
    pub fn without_compiling(self) -> Draft {
        Draft {
            may_compile: false,
            ..self
        }
    }

    /// The draft, with the default limits on the size of plugins and on compiling them: the author of the file
    /// alone may not raise these limits.
    #[must_use]
    pub fn compiled_by_default_limits(mut self) -> Draft {
        let most = Limits::default().compile;
        let steps = self
            .policy
            .chains
            .iter_mut()
            .flat_map(|chain| &mut chain.steps);
        let plugins = self.policy.plugins.iter_mut();
        let limits = steps.map(|step| &mut step.limits);
        for limits in limits.chain(plugins.map(|plugin| &mut plugin.limits)) {
            limits.compile = limits.compile.at_most(&most);
        }
        self
    }

    /// The draft, with more findings about the file.
    #[must_use]
    pub fn with(mut self, findings: impl FnOnce(&Policy) -> Vec<Finding>) -> Draft {
        self.findings.extend(findings(&self.policy));
        self
    }

    /// Whether plugins may be compiled.
    pub fn may_compile(&self) -> bool {
        self.may_compile
    }

    /// The draft, without asking a registry.
    #[must_use]
    pub fn without_fetching(self) -> Draft {
        Draft {
            policy: self.policy.without_fetching(),
            ..self
        }
    }

    /// The draft, bound to the plugins of a lock file.
    #[must_use]
    pub fn locked_by(mut self, lock: Lock) -> Draft {
        self.findings.extend(lock.obsolete(&self.policy));
        self.policy.lock = Some(lock);
        self
    }

    /// The policy, if it has no mistakes; probable mistakes become its warnings.
    ///
    /// # Errors
    ///
    /// All mistakes.
    pub fn into_policy(self) -> Result<Policy, Report> {
        let report = Report::new(self.policy.source.clone(), self.findings);
        if report.has_errors() {
            return Err(report);
        }
        Ok(Policy {
            warnings: report.into_findings(),
            ..self.policy
        })
    }

    /// The mistakes, and the probable mistakes.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether the policy could run.
    pub fn has_errors(&self) -> bool {
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        self.findings.iter().any(is_error)
    }

    /// The sound parts of the policy, for inspection only.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether the whole table of a plugin was understood.
    pub fn is_sound(&self, plugin: usize) -> bool {
        self.sound_plugins.get(plugin).copied().unwrap_or(false)
    }
}
