//! A file that was read to its end and may contain mistakes. `tamis check` uses it to report every mistake,
//! and to check the correct parts too.

use super::report::{Finding, Report, Severity};
use super::source::Source;
use super::{Limits, Lock, Policy, resolve};

/// A policy without its broken parts, and what is wrong with them. It cannot run.
#[derive(Debug)]
pub struct Draft {
    policy: Policy,
    findings: Vec<Finding>,
    /// For each plugin, whether its table is sound.
    sound_plugins: Vec<bool>,
    may_compile: bool,
}

impl Draft {
    /// Reads a file. `builtin` are the names of the filters that need no `[[plugin]]`.
    ///
    /// # Errors
    ///
    /// It is not TOML.
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

    /// The draft, of which no plugin is compiled.
    #[must_use]
    pub fn without_compiling(self) -> Draft {
        Draft {
            may_compile: false,
            ..self
        }
    }

    /// The draft, in which no plugin may hold more, nor take more to be compiled, than by default: whoever wrote it
    /// does not decide that alone.
    #[must_use]
    pub fn compiled_by_default_limits(mut self) -> Draft {
        let most = Limits::default().compile;
        let steps = self.policy.chains.iter_mut().flat_map(|it| &mut it.steps);
        let plugins = self.policy.plugins.iter_mut();
        let limits = steps.map(|step| &mut step.limits);
        for limits in limits.chain(plugins.map(|plugin| &mut plugin.limits)) {
            limits.compile = limits.compile.at_most(&most);
        }
        self
    }

    /// Whether plugins may be compiled.
    pub fn may_compile(&self) -> bool {
        self.may_compile
    }

    /// The draft, for which no registry is asked.
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
        self.findings.extend(lock.obsolete(&self.policy.plugins));
        self.policy.lock = Some(lock);
        self
    }

    /// The policy, if nothing is wrong with it; with what is probably a mistake as its warnings.
    ///
    /// # Errors
    ///
    /// Everything that is wrong.
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

    /// What is wrong, and what is probably a mistake.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether the policy could run.
    pub fn has_errors(&self) -> bool {
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        self.findings.iter().any(is_error)
    }

    /// What there is of the policy, to be looked at.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether all that the file says of a plugin was understood.
    pub fn is_sound(&self, plugin: usize) -> bool {
        self.sound_plugins.get(plugin).copied().unwrap_or(false)
    }
}
