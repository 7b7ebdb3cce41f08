//! A plugin or a policy in a registry: a manifest, which names a configuration and one layer, the plugin or the policy
//! itself.
//!
//! The layout of a plugin is the Wasm OCI artifact of the CNCF's TAG Runtime, which other tools for WebAssembly read and
//! write too. That of a policy is an artifact with an empty configuration, as `oras` writes it.

use super::reference::Digest;
use super::{Error, MAX_PLUGIN_BYTES, MAX_POLICY_BYTES};
use serde_json::{Value, json};
use wit_component::DecodedWasm;

/// The media type of a manifest.
pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// The media type of its configuration.
const CONFIG: &str = "application/vnd.wasm.config.v0+json";
/// The prefix of configurations of all versions.
const ANY_CONFIG: &str = "application/vnd.wasm.config.";
/// The media type of the plugin.
const LAYER: &str = "application/wasm";

/// The kind of artifact that a policy is.
const POLICY: &str = "application/vnd.tamis.policy.v1";
/// The media type of the policy in it.
const POLICY_LAYER: &str = "application/toml";
/// The configuration of an artifact that needs none, by the specification of images.
const EMPTY_CONFIG: &str = "application/vnd.oci.empty.v1+json";
const EMPTY: &[u8] = b"{}";
/// The name under which other tools write the layer to a file.
const POLICY_FILE: &str = "filters.toml";

/// A component begins with this, a module with another version and layer.
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// When the configuration says that it was made. The same plugin is the same artifact, whenever it is pushed.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// The description of a plugin or a WIT package, for people.
#[derive(Debug, Clone)]
pub struct Title {
    /// The plugin's own name.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// Its purpose, in one line.
    pub summary: String,
}

impl Title {
    /// The title of a WIT package: types without code. None: the bytes are something else.
    pub fn of_package(wasm: &[u8]) -> Option<Title> {
        let DecodedWasm::WitPackage(types, package) = wit_component::decode(wasm).ok()? else {
            return None;
        };
        let package = &types.packages[package];
        let comment = package.docs.contents.as_deref().unwrap_or_default();
        let version = package.name.version.as_ref();
        Some(Title {
            name: format!("{}:{}", package.name.namespace, package.name.name),
            version: version.map(ToString::to_string).unwrap_or_default(),
            summary: comment.lines().next().unwrap_or_default().to_owned(),
        })
    }
}

/// The blobs of an artifact.
pub(super) struct Artifact {
    pub manifest: Vec<u8>,
    pub config: Vec<u8>,
}

/// The plugin's entry in a manifest.
pub(super) struct Layer {
    pub digest: Digest,
    pub bytes: u64,
}

impl Artifact {
    /// The artifact of a plugin.
    pub fn of(wasm: &[u8], title: &Title) -> Artifact {
        let layer = Digest::of(wasm).to_string();
        let mut config = json!({
            "created": CREATED,
            "architecture": "wasm",
            "os": if wasm.starts_with(COMPONENT) { "wasip2" } else { "wasip1" },
            "layerDigests": [layer],
        });
        if let Some((imports, exports)) = interfaces(wasm) {
            config["component"] = json!({"exports": exports, "imports": imports});
        }
        let config = config.to_string().into_bytes();
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": {
                "mediaType": CONFIG,
                "digest": Digest::of(&config).to_string(),
                "size": config.len(),
            },
            "layers": [{"mediaType": LAYER, "digest": layer, "size": wasm.len()}],
            "annotations": {
                "org.opencontainers.image.title": title.name,
                "org.opencontainers.image.version": title.version,
                "org.opencontainers.image.description": title.summary,
            },
        });
        Artifact {
            manifest: manifest.to_string().into_bytes(),
            config,
        }
    }

    /// The artifact of a policy.
    pub fn of_policy(policy: &[u8]) -> Artifact {
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "artifactType": POLICY,
            "config": {
                "mediaType": EMPTY_CONFIG,
                "digest": Digest::of(EMPTY).to_string(),
                "size": EMPTY.len(),
            },
            "layers": [{
                "mediaType": POLICY_LAYER,
                "digest": Digest::of(policy).to_string(),
                "size": policy.len(),
                "annotations": {"org.opencontainers.image.title": POLICY_FILE},
            }],
        });
        Artifact {
            manifest: manifest.to_string().into_bytes(),
            config: EMPTY.to_vec(),
        }
    }
}

impl Layer {
    /// The policy that a manifest names.
    ///
    /// # Errors
    ///
    /// It is no manifest, or names something else.
    pub fn of_policy(manifest: &[u8]) -> Result<Layer, Error> {
        let other = |found: &str| Error::NotPolicy {
            found: found.escape_debug().take(100).collect(),
        };
        let manifest: Value = serde_json::from_slice(manifest)
            .map_err(|_| other("something that is not a manifest"))?;
        let config = manifest["config"]["mediaType"].as_str();
        let kind = manifest["artifactType"].as_str().or(config);
        if kind != Some(POLICY) {
            return Err(other(kind.unwrap_or("an artifact without a type")));
        }
        let layers = manifest["layers"].as_array();
        let [layer] = layers.map_or(&[][..], Vec::as_slice) else {
            return Err(other("an artifact that is not one file"));
        };
        let kind = layer["mediaType"].as_str().unwrap_or("nothing");
        if kind != POLICY_LAYER {
            return Err(other(kind));
        }
        let digest = layer["digest"].as_str().and_then(|text| text.parse().ok());
        let (Some(digest), Some(bytes)) = (digest, layer["size"].as_u64()) else {
            return Err(other("a layer without digest or size"));
        };
        if bytes > MAX_POLICY_BYTES {
            return Err(Error::TooLarge {
                what: "the policy",
                most: MAX_POLICY_BYTES,
            });
        }
        Ok(Layer { digest, bytes })
    }

    /// The plugin that a manifest names.
    ///
    /// # Errors
    ///
    /// It is no manifest, or names something else.
    pub fn of(manifest: &[u8]) -> Result<Layer, Error> {
        let other = |found: &str| Error::NotWasm {
            found: found.escape_debug().take(100).collect(),
        };
        let manifest: Value = serde_json::from_slice(manifest)
            .map_err(|_| other("something that is not a manifest"))?;
        if manifest["manifests"].is_array() {
            return Err(other("an index of several artifacts"));
        }
        let config = manifest["config"]["mediaType"]
            .as_str()
            .unwrap_or("nothing");
        if !config.starts_with(ANY_CONFIG) {
            return Err(other(config));
        }
        let layers = manifest["layers"].as_array();
        let [layer] = layers.map_or(&[][..], Vec::as_slice) else {
            return Err(other("an artifact that is not one file"));
        };
        let kind = layer["mediaType"].as_str().unwrap_or("nothing");
        if kind != LAYER {
            return Err(other(kind));
        }
        let digest = layer["digest"].as_str().and_then(|text| text.parse().ok());
        let (Some(digest), Some(bytes)) = (digest, layer["size"].as_u64()) else {
            return Err(other("a layer without digest or size"));
        };
        if bytes > MAX_PLUGIN_BYTES {
            return Err(Error::TooLarge {
                what: "the plugin",
                most: MAX_PLUGIN_BYTES,
            });
        }
        Ok(Layer { digest, bytes })
    }
}

/// A component's imports and exports, by name; none of a module. A WIT package exports its interfaces and worlds.
fn interfaces(wasm: &[u8]) -> Option<(Vec<String>, Vec<String>)> {
    match wit_component::decode(wasm).ok()? {
        DecodedWasm::Component(types, world) => {
            let world = &types.worlds[world];
            let names = |items: Vec<_>| {
                items
                    .into_iter()
                    .map(|key| types.name_world_key(key))
                    .collect()
            };
            Some((
                names(world.imports.keys().collect()),
                names(world.exports.keys().collect()),
            ))
        }
        DecodedWasm::WitPackage(types, package) => {
            let package = &types.packages[package];
            let interfaces = package.interfaces.keys().chain(package.worlds.keys());
            let exports = interfaces.map(|name| package.name.interface_id(name));
            Some((Vec::new(), exports.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_its_plugin() {
        let title = Title {
            name: "style".to_owned(),
            version: "1.0.0".to_owned(),
            summary: "\"quoted\"".to_owned(),
        };
        let artifact = Artifact::of(b"\0asm", &title);
        let layer = Layer::of(&artifact.manifest).expect("a manifest");
        assert_eq!((layer.digest, layer.bytes), (Digest::of(b"\0asm"), 4));
        let again = Artifact::of(b"\0asm", &title);
        assert_eq!(again.manifest, artifact.manifest);
    }

    #[test]
    fn a_policy_is_no_plugin_and_a_plugin_no_policy() {
        let policy = b"[[chain]]";
        let artifact = Artifact::of_policy(policy);
        let layer = Layer::of_policy(&artifact.manifest).expect("a manifest");
        assert_eq!((layer.digest, layer.bytes), (Digest::of(policy), 9));
        assert!(Layer::of(&artifact.manifest).is_err());
        let title = Title {
            name: "style".to_owned(),
            version: "1".to_owned(),
            summary: String::new(),
        };
        let plugin = Artifact::of(b"\0asm", &title);
        let refused = |manifest: &[u8]| {
            Layer::of_policy(manifest)
                .err()
                .expect("refused")
                .to_string()
        };
        assert!(refused(&plugin.manifest).contains("application/vnd.wasm.config.v0+json"));
        let text = String::from_utf8(artifact.manifest).expect("text");
        for (from, to, expected) in [
            ("application/toml", "text/html", "text/html"),
            ("\"size\":9", "\"size\":9000000", "larger than"),
            ("\"size\":9", "\"size\":-9", "without digest or size"),
            ("\"layers\":[", "\"layers\":[{},", "not one file"),
            ("{", "<", "not a manifest"),
        ] {
            let message = refused(text.replacen(from, to, 1).as_bytes());
            assert!(message.contains(expected), "{from}: {message}");
        }
    }

    #[test]
    fn what_names_something_else_is_refused() {
        let digest = Digest::of(b"");
        let manifest = |config: &str, layers: Value| {
            json!({"config": {"mediaType": config}, "layers": layers}).to_string()
        };
        let layer = json!({"mediaType": LAYER, "digest": digest.to_string(), "size": 1});
        let with = |key: &str, value: Value| {
            let mut layer = layer.clone();
            layer[key] = value;
            manifest(CONFIG, json!([layer]))
        };
        for (manifest, expected) in [
            ("<html>".to_owned(), "not a manifest"),
            (json!({"manifests": []}).to_string(), "an index"),
            (
                manifest(
                    "application/vnd.docker.container.image.v1+json",
                    json!([layer]),
                ),
                "docker.container",
            ),
            (manifest(CONFIG, json!([])), "not one file"),
            (manifest(CONFIG, json!([layer, layer])), "not one file"),
            (
                with("mediaType", json!("text/plain\u{1b}")),
                r"text/plain\u{1b}",
            ),
            (with("digest", json!("sha256:1")), "without digest"),
            (with("size", json!(-1)), "without digest"),
            (with("size", json!(u64::MAX)), "larger than"),
        ] {
            let error = Layer::of(manifest.as_bytes()).err().expect("refused");
            let error = error.to_string();
            assert!(error.contains(expected), "{manifest}: {error}");
        }
        assert!(Layer::of(manifest(CONFIG, json!([layer])).as_bytes()).is_ok());
    }
}
