//! The folder of a newcomer who follows a page: a clone of the repository with the files that the pages use, the
//! programs on the `PATH`, and the page's blocks of code.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::{COMPILED, Finished, Folder, Program, TAMIS, repository};

/// Replaces npm's runner, which would fetch the newest version: the tests have the server installed.
const NPX: &str = r#"#!/bin/sh
[ "$1" = -y ] || { echo "npx: without -y it would ask" >&2; exit 1; }
package=$2
shift 2
exec node "$SERVERS/$package/dist/index.js" "$@"
"#;

/// A block of code of a page.
pub struct Block {
    pub language: String,
    pub text: String,
}

/// The blocks of code in a page, in its order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        // Blocks in a list are indented.
        let line = line.strip_prefix("   ").unwrap_or(line);
        match line.strip_prefix("```") {
            Some(language) => {
                inside = !inside;
                if inside {
                    blocks.push(Block {
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
            }
            None if inside => {
                let block = blocks.last_mut().expect("a block is open");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    blocks
}

/// A clone of the repository with the files that the steps use, and the programs on the newcomer's `PATH`.
pub struct Desk {
    pub folder: Folder,
}

impl Desk {
    pub fn new() -> Desk {
        let folder = Folder::new();
        folder.write("tools/npx", NPX);
        let npx = folder.path().join("tools/npx");
        std::fs::set_permissions(&npx, PermissionsExt::from_mode(0o755)).expect("a mode");
        // The output of `make build`.
        let release = folder.path().join("clone/target/release");
        std::fs::create_dir_all(&release).expect("make a folder");
        symlink(TAMIS, release.join("tamis")).expect("link the program");
        copy_names(
            &repository().join("examples"),
            &folder.path().join("clone/examples"),
        );
        let lock = std::fs::read(repository().join("Cargo.lock")).expect("Cargo.lock");
        folder.write("clone/Cargo.lock", lock);
        Desk { folder }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("clone")
    }

    pub fn program(&self, line: &[&str]) -> Program {
        let path = std::env::var("PATH").expect("a PATH");
        let tools = self.folder.path().join("tools");
        Program::new(line, &self.root())
            .env("PATH", format!("{}:{path}", tools.display()))
            .env("HOME", self.folder.path())
            .env("SERVERS", repository().join("tests/node_modules"))
            .env("TAMIS_STATE_DIR", self.folder.path().join("state"))
            .env("TAMIS_CACHE_DIR", COMPILED)
    }

    /// Runs a whole block in a shell that stops at the first failing command.
    pub fn shell(&self, commands: &str) -> Finished {
        let script = format!("set -eu\n{commands}");
        self.program(&["sh", "-c", &script]).run("").succeeded()
    }
}

/// Copies the names of files without their content.
fn copy_names(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("make a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_names(&entry.path(), &to);
        } else {
            std::fs::write(to, "").expect("write a file");
        }
    }
}
