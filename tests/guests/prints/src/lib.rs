//! `prints`: writes to standard output and standard error, as a forgotten `println!` does.

use serde::Deserialize;
use std::io::Write;
use tamis_sdk::{Call, Description, Document, Filter, Verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Number of lines on each of the two.
    lines: u32,
    /// Ends each line with a line break.
    #[serde(default = "yes")]
    line_breaks: bool,
}

fn yes() -> bool {
    true
}

struct Prints(Settings);

impl Filter for Prints {
    type Settings = Settings;

    fn describe() -> Description {
        Description::new("prints", "0.1.0", "prints")
    }

    fn configure(settings: Settings) -> Result<Self, String> {
        println!("standard output at configure");
        Ok(Prints(settings))
    }

    fn apply(&self, _document: &Document, _call: &Call) -> Result<Verdict, String> {
        for _ in 0..self.0.lines {
            print!("standard output at apply");
            eprint!("standard error at apply");
            if self.0.line_breaks {
                println!();
                eprintln!();
            }
        }
        let flushed = std::io::stdout().flush();
        flushed.map_err(|error| error.to_string())?;
        Ok(Verdict::Unchanged)
    }
}

tamis_sdk::export!(Prints);
