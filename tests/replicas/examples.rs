//! The deployments in `examples/replicas`: each file is valid for the program that reads it, and names what the others
//! have. A misspelled key is an error, wherever it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::services::program;
use crate::support::{Finished, Folder, Program, repository, text};

fn folder() -> PathBuf {
    repository().join("examples/replicas")
}

fn read(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a tool of `tests/.venv`.
fn tool(name: &str, arguments: &[PathBuf]) -> Finished {
    let tool = repository().join("tests/.venv/bin").join(name);
    assert!(
        tool.exists(),
        "{} is missing: run tests/setup.sh",
        tool.display()
    );
    let mut line = vec![tool];
    line.extend(arguments.iter().cloned());
    Program::new(&line, &repository()).run("")
}

/// Holds manifests against the schemas of Kubernetes. For each, whether it is valid; and the whole output.
fn are_valid(manifests: &[PathBuf]) -> (Vec<bool>, String) {
    let script = repository().join("tests/kubernetes.py");
    let run = tool("python", &[&[script], manifests].concat());
    let said = text(&run.stdout) + &text(&run.stderr);
    let is_valid = |path: &PathBuf| said.contains(&format!("{}: valid\n", path.display()));
    (manifests.iter().map(is_valid).collect(), said)
}

/// The manifests of the cluster, without Kustomize's own file.
fn manifests() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("kubernetes")).expect("the manifests");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| {
        path.extension().is_some_and(|ending| ending == "yaml")
            && !path.ends_with("kustomization.yaml")
    });
    paths.sort();
    assert!(paths.len() >= 4, "{paths:?}");
    paths
}

/// The offsets behind the keys of a manifest whose names the schema knows.
fn keys(manifest: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    for line in manifest.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        for (colon, _) in code.match_indices(": ").chain(code.match_indices(":\n")) {
            let name = code[..colon]
                .rsplit([' ', '{', '"'])
                .next()
                .unwrap_or_default();
            // Names that users choose, and those that say which schema it is.
            let is_free = ["app", "cpu", "memory", "apiVersion", "kind"].contains(&name);
            if !is_free && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()) {
                ends.push(start + colon);
            }
        }
        start += line.len();
    }
    ends
}

#[test]
fn the_manifests_are_valid_and_with_any_key_misspelled_they_are_not() {
    let manifests = manifests();
    let (valid, said) = are_valid(&manifests);
    assert!(valid.iter().all(|valid| *valid), "{said}");
    let typos = Folder::new();
    let mut files = Vec::new();
    for path in &manifests {
        let sound = std::fs::read_to_string(path).expect("a manifest");
        for at in keys(&sound) {
            let mut typo = sound.clone();
            typo.insert(at, 'x');
            files.push(typos.write(&format!("{}.yaml", files.len()), typo));
        }
    }
    assert!(files.len() > 100, "only {} keys", files.len());
    let (valid, said) = are_valid(&files);
    for (path, valid) in files.iter().zip(valid) {
        let typo = std::fs::read_to_string(path).expect("a manifest");
        assert!(!valid, "a typo is not noticed: {said}\n{typo}");
    }
}

#[test]
fn kustomize_takes_every_manifest() {
    let kustomization = read("kubernetes/kustomization.yaml");
    let items = |key: &str| -> BTreeSet<String> {
        let (_, rest) = kustomization.split_once(&format!("{key}:\n")).expect(key);
        let items = rest
            .lines()
            .map_while(|line| line.trim_start().strip_prefix("- "));
        items.map(str::to_owned).collect()
    };
    let names = manifests().into_iter().map(|path| {
        let name = path.file_name().expect("a name");
        name.to_string_lossy().into_owned()
    });
    assert_eq!(items("resources"), names.collect());
    for file in items("files") {
        read(&format!("kubernetes/{file}"));
    }
    let known = ["apiVersion", "kind", "resources", "configMapGenerator"];
    let own = kustomization
        .lines()
        .filter(|line| !line.starts_with(['#', ' ']));
    for line in own {
        let (key, _) = line.split_once(':').expect("a key");
        assert!(known.contains(&key), "{line}");
    }
}

#[test]
fn the_compose_file_is_valid_and_with_a_typo_it_is_not() {
    let validate = |path: &Path| {
        let schema = ["--builtin-schema", "vendor.compose-spec"].map(PathBuf::from);
        tool(
            "check-jsonschema",
            &[&schema[..], &[path.to_owned()]].concat(),
        )
    };
    validate(&folder().join("compose.yaml")).succeeded();
    let sound = read("compose.yaml");
    let typos = Folder::new();
    for key in [
        "services",
        "image",
        "command",
        "replicas",
        "environment",
        "volumes",
        "tmpfs",
        "stop_grace_period",
        "depends_on",
        "condition",
        "ports",
        "entrypoint",
    ] {
        let typo = sound.replacen(&format!(" {key}:"), &format!(" x{key}:"), 1);
        let typo = typo.replacen(&format!("\n{key}:"), &format!("\nx{key}:"), 1);
        assert_ne!(typo, sound, "{key}");
        let run = validate(&typos.write("compose.yaml", typo));
        assert!(!run.status.success(), "{key}: {}", run.report());
    }
}

#[test]
fn haproxy_takes_its_configuration_and_not_one_with_a_typo() {
    let Some(haproxy) = program("haproxy", "Debian: apt-get install haproxy") else {
        return;
    };
    let typos = Folder::new();
    let check = |path: &Path| {
        let line = [
            haproxy.as_os_str(),
            "-c".as_ref(),
            "-f".as_ref(),
            path.as_os_str(),
        ];
        Program::new(&line, typos.path()).run("")
    };
    check(&folder().join("haproxy.cfg")).succeeded();
    let sound = read("haproxy.cfg");
    for (word, typo) in [
        ("default_backend replicas", "default_backend replica"),
        ("option httpchk", "option httpchek"),
        (
            "resolvers compose init-addr",
            "resolvers composed init-addr",
        ),
    ] {
        let changed = sound.replace(word, typo);
        assert_ne!(changed, sound, "{word}");
        let run = check(&typos.write("haproxy.cfg", changed));
        assert!(!run.status.success(), "{typo}: {}", run.report());
    }
}

/// Ports and variables that several files name.
#[test]
fn the_files_name_what_the_policy_has() {
    let policy = read("filters.toml");
    let (deployment, compose) = (read("kubernetes/deployment.yaml"), read("compose.yaml"));
    for text in [
        "prometheus.io/port: \"9090\"",
        "{name: metrics, containerPort: 9090}",
        "{path: /readyz, port: metrics}",
        "{path: /healthz, port: metrics}",
        "{name: mcp, containerPort: 8808}",
    ] {
        assert!(deployment.contains(text), "{text}");
    }
    assert!(policy.contains("metrics = \"0.0.0.0:9090\""), "{policy}");
    assert!(policy.contains("listen = \"0.0.0.0:8808\""), "{policy}");
    let variables: BTreeSet<&str> = policy
        .split("${")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
        .collect();
    assert!(variables.len() >= 3, "{variables:?}");
    for variable in variables {
        assert!(
            deployment.contains(&format!("name: {variable}\n")),
            "{variable}"
        );
        assert!(compose.contains(&format!(" {variable}: ")), "{variable}");
    }
}
