//! A registry of OCI artifacts: Debian's (`docker-registry`), on loopback.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::support::Folder;

/// A registry that ends when this is dropped.
pub struct Registry {
    child: Child,
    pub folder: Folder,
    config: String,
    /// Its address, as references name it.
    pub name: String,
}

impl Registry {
    /// Starts it, with these users. None, and a line about it, if it is not installed.
    pub fn start(htpasswd: Option<&str>) -> Option<Registry> {
        let folder = Folder::new();
        let data = folder.path().join("data");
        let mut config = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: 127.0.0.1:0\n",
            data.display()
        );
        if let Some(users) = htpasswd {
            let users = folder.write("htpasswd", users);
            config += &format!(
                "auth:\n  htpasswd:\n    realm: test\n    path: {}\n",
                users.display()
            );
        }
        let (child, port) = listen(&folder, &config)?;
        Some(Registry {
            child,
            folder,
            config,
            name: format!("127.0.0.1:{port}"),
        })
    }

    pub fn stop(&mut self) {
        let _ = self.child.kill();
        self.child.wait().expect("it ends");
    }

    /// Starts it again at its address, with what it has stored.
    pub fn start_again(&mut self) {
        let config = self.config.replace("127.0.0.1:0", &self.name);
        let (child, _) = listen(&self.folder, &config).expect("it starts again");
        self.child = child;
    }

    /// The file of a blob.
    pub fn blob(&self, digest: &str) -> PathBuf {
        let hex = digest.strip_prefix("sha256:").expect("a digest");
        let blobs = self
            .folder
            .path()
            .join("data/docker/registry/v2/blobs/sha256");
        blobs.join(&hex[..2]).join(hex).join("data")
    }
}

/// Starts it; its process and its port. None, and a line about it, if it is not installed.
fn listen(folder: &Folder, config: &str) -> Option<(Child, u16)> {
    let config = folder.write("config.yml", config);
    let started = Command::new("docker-registry")
        .arg("serve")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        eprintln!(
            "not tested: registries, since docker-registry is not installed (tests/setup.sh)"
        );
        return None;
    };
    let mut lines = BufReader::new(child.stderr.take().expect("its log")).lines();
    let port = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| {
            let (_, rest) = line.split_once("listening on 127.0.0.1:")?;
            rest.split(|it: char| !it.is_ascii_digit())
                .next()?
                .parse::<u16>()
                .ok()
        })
        .expect("a registry that listens");
    // A program that writes to a closed pipe ends.
    std::thread::spawn(move || lines.for_each(drop));
    Some((child, port))
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
