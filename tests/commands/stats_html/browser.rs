//! A real browser: Chromium without a window, a network or permanent files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Finished, Folder, Program};

/// Its names in Debian and other systems.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// A browser has many processes, which are slow on a busy machine.
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
    /// None if it is not installed, which is printed.
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

    /// The document after everything is loaded and has run.
    pub fn dom(&self, page: &Path, scheme: Scheme) -> String {
        // Waits, in the browser's own time, for the facts from the frames.
        let finished = self.run(page, scheme, &["--virtual-time-budget=5000", "--dump-dom"]);
        String::from_utf8(finished.stdout).expect("a document is text")
    }

    /// Writes a picture of the page to this file.
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
            // Tests may run as root, without the browser's own sandbox. The pages are ours.
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
