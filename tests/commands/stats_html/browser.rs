//! A real browser: Chromium without a window, which runs no network and leaves nothing behind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Finished, Folder, Program};

/// What Debian and others call it.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// A browser is many processes, which take their time on a loaded machine.
const LIMIT: Duration = Duration::from_secs(300);

/// Room for a phone and a screen beside each other.
pub const WINDOW: (u32, u32) = (1700, 2600);

/// Whether a page is shown as on a light or a dark desktop.
#[derive(Debug, Clone, Copy)]
pub enum Scheme {
    Light,
    Dark,
}

pub struct Browser(PathBuf);

impl Browser {
    /// None where there is none, which is said.
    pub fn find() -> Option<Browser> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path)
            .flat_map(|folder| NAMES.map(|name| folder.join(name)))
            .find(|program| program.is_file());
        if found.is_none() {
            eprintln!(
                "SKIPPED: no Chromium is installed (Debian: apt-get install chromium): nobody looked at the pages"
            );
        }
        found.map(Browser)
    }

    /// The document as it is when everything is loaded and has run.
    pub fn dom(&self, page: &Path, scheme: Scheme) -> String {
        // Waits, in the browser's own time, for what the frames still have to say.
        let finished = self.run(page, scheme, &["--virtual-time-budget=5000", "--dump-dom"]);
        String::from_utf8(finished.stdout).expect("a document is text")
    }

    /// A picture of it, in this file.
    pub fn shoot(&self, page: &Path, scheme: Scheme, picture: &Path) {
        let option = format!("--screenshot={}", picture.display());
        self.run(page, scheme, &[&option]);
    }

    fn run(&self, page: &Path, scheme: Scheme, options: &[&str]) -> Finished {
        let folder = Folder::new();
        let profile = format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        );
        let window = format!("--window-size={},{}", WINDOW.0, WINDOW.1);
        let scheme = match scheme {
            Scheme::Light => "--blink-settings=preferredColorScheme=1",
            Scheme::Dark => "--blink-settings=preferredColorScheme=0",
        };
        let url = format!("file://{}", page.display());
        let program = self.0.to_str().expect("a path");
        let mut line = vec![
            program,
            "--headless",
            // Tests may run as root, where its own sandbox cannot be had; the pages are ours.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--hide-scrollbars",
            &profile,
            &window,
            scheme,
        ];
        line.extend(options);
        line.push(&url);
        Program::new(&line, folder.path())
            .env("HOME", folder.path())
            .limit(LIMIT)
            .run("")
            .succeeded()
    }
}
