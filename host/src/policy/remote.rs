//! A policy from a URL or a registry: what it may not do, which a file may.
//!
//! No folder is its own, so it names files of this machine by their whole path, or not at all. And whoever can publish
//! it runs no programs on this machine, unless the operator of the machine allows that.

use std::path::Path;

use super::gate::Need;
use super::report::Finding;
use super::serve::UpstreamSpec;
use super::source::Span;
use super::state::KeyPlace;
use super::{PluginPlace, Policy};

/// Mistakes of a remote policy in addition to those of any policy.
pub(super) fn findings(policy: &Policy, may_start_programs: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for plugin in &policy.plugins {
        if let PluginPlace::File(path) = &plugin.place {
            let help =
                "push the plugin to a registry (`tamis plugin push`), and name it with `oci`";
            check(path, "`path`", plugin.place_span, help, &mut findings);
        }
        for list in &plugin.signed_by {
            for key in list.keys.iter().filter_map(|key| key.file.as_ref()) {
                let help = "put the text of the key (PEM) into the list";
                check(&key.path, "`signed-by`", list.span, help, &mut findings);
            }
        }
    }
    for tool in &policy.tools {
        for path in tool.needs.iter().flat_map(files) {
            check(path, "`needs`", tool.span, WHOLE, &mut findings);
        }
    }
    if let Some(key) = &policy.state.key
        && let KeyPlace::File(path) = &key.value
    {
        check(path, "`key-file`", key.span, WHOLE, &mut findings);
    }
    if let Some((certificate, key)) = &policy.serve.tls {
        for (path, name) in [(certificate, "`certificate`"), (key, "`key` of [serve]")] {
            check(path, name, None, WHOLE, &mut findings);
        }
    }
    for server in &policy.servers {
        let UpstreamSpec::Command { words, .. } = &server.upstream else {
            continue;
        };
        if !may_start_programs {
            let message = format!(
                "the server `{}` is a program, and a policy from a URL or a registry may start none",
                server.name
            );
            let label = "allowed: a server with `url`";
            let help = "whoever can publish this policy could run anything here; if that is what you want, start Tamis with --policy-commands";
            findings.push(Finding::error(server.span, message, label).help(help));
        }
        // A name alone is looked for on PATH.
        if let Some(program) = words.first().map(Path::new)
            && program.components().count() > 1
        {
            check(program, "`command`", server.span, WHOLE, &mut findings);
        }
    }
    findings
}

const WHOLE: &str = "name the file by its whole path on the machines that use the policy";

/// Reports a path that was relative: joined to the place of the policy, it is relative still.
fn check(
    path: &Path,
    key: &str,
    span: impl Into<Option<Span>>,
    help: &str,
    findings: &mut Vec<Finding>,
) {
    if path.is_absolute() {
        return;
    }
    let message =
        format!("{key} has a relative path, and a policy from a URL or a registry has no folder");
    findings.push(Finding::error(span, message, "not found from here").help(help));
}

fn files(need: &Need) -> Vec<&Path> {
    match need {
        Need::File(path) => vec![path],
        Need::Any(needs) => needs.iter().flat_map(files).collect(),
        Need::Program(_) | Need::Variable(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::{Policy, Source};

    fn messages(text: &str, may_start_programs: bool) -> String {
        let source = Source::remote(
            "oci://registry.example/team/policy:1",
            "sha256:0",
            text.as_bytes(),
        );
        match Policy::parse_remote(source.expect("text"), &["ansi"], may_start_programs) {
            Ok(_) => String::new(),
            Err(report) => report.to_string(),
        }
    }

    #[test]
    fn a_remote_policy_names_no_file_by_a_relative_path() {
        for (text, expected) in [
            (
                "[[plugin]]\nname = \"p\"\npath = \"p.wasm\"",
                "`path` has a relative path",
            ),
            (
                "[state]\nkey-file = \"key\"",
                "`key-file` has a relative path",
            ),
            (
                "[serve]\ncertificate = \"a.pem\"\nkey = \"/b.pem\"",
                "`certificate` has a relative path",
            ),
            (
                "[serve]\ncertificate = \"/a.pem\"\nkey = \"b.pem\"",
                "`key` of [serve] has a relative path",
            ),
            (
                "[tool.t]\nneeds = [\"file:a\"]",
                "`needs` has a relative path",
            ),
            ("include = [\"team.toml\"]", "is one file"),
            ("include = [\"/etc/hostname\"]", "is one file"),
            (
                "[server.s]\ncommand = [\"bin/run\"]",
                "`command` has a relative path",
            ),
            (
                "[server.s]\ncommand = [\"./run\"]",
                "`command` has a relative path",
            ),
            (
                "[[plugin]]\nname = \"p\"\npath = \"/p.wasm\"\nsigned-by = [\"k.pub\"]",
                "`signed-by` has a relative path",
            ),
        ] {
            let found = messages(text, true);
            assert!(found.contains(expected), "{text}: {found}");
            assert!(
                found.contains("oci://registry.example/team/policy:1"),
                "{found}"
            );
        }
        for text in [
            "[[plugin]]\nname = \"p\"\npath = \"/p.wasm\"",
            "[state]\nkey-file = \"/run/key\"",
            "[server.s]\ncommand = [\"npx\", \"./run\"]",
            "[tests]\nfolder = \"tests\"",
        ] {
            assert_eq!(messages(text, true), "", "{text}");
        }
    }

    #[test]
    fn a_remote_policy_starts_programs_only_where_that_is_allowed() {
        let text = "[server.s]\ncommand = [\"npx\"]";
        assert!(messages(text, false).contains("--policy-commands"));
        assert_eq!(messages(text, true), "");
        assert_eq!(
            messages("[server.s]\nurl = \"https://a.example/mcp\"", false),
            ""
        );
    }
}
