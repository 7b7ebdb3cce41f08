//! The demo: one server twice, bare and through Tamis, with the same calls to both.
//!
//! Owns the command line, the order of things and the exit status. What is called and what is
//! claimed about it is in [`calls`], the sessions in [`session`], the proof in [`verify`], the
//! print in [`report`]. Refuses to know how Tamis filters: all it has is a command to run, and a
//! claim that does not hold ends with status 1.

mod calls;
mod report;
mod session;
mod verify;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use calls::Effect;
use report::{Report, Row};
use session::Session;

/// Calls a server bare and through Tamis, checks what came back, and prints what was saved.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The tamis binary [default: beside this one]
    #[arg(long, value_name = "PATH")]
    tamis: Option<PathBuf>,
    /// The stand-in server's binary [default: beside this one]
    #[arg(long, value_name = "PATH")]
    stand_in: Option<PathBuf>,
    /// The policy [default: examples/lenspr/filters.toml, here or above this binary]
    #[arg(long, value_name = "PATH")]
    config: Option<PathBuf>,
    /// Print figures as JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Where the policy lies in the repository.
const CONFIG: &str = "examples/lenspr/filters.toml";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok((report, tamis_said)) => {
            if arguments.json {
                anstream::println!("{}", report.to_json());
            } else {
                report.print();
            }
            if report.failures.is_empty() {
                return ExitCode::SUCCESS;
            }
            for failure in &report.failures {
                anstream::eprintln!("tamis-demo: not as claimed: {failure}");
            }
            if !tamis_said.is_empty() {
                anstream::eprintln!("tamis-demo: that was through tamis{tamis_said}");
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            anstream::eprintln!("tamis-demo: {error}");
            for cause in error.chain().skip(1) {
                anstream::eprintln!("  because: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Runs both sessions. Returns the report, and what Tamis wrote to standard error.
#[tokio::main(flavor = "current_thread")]
async fn run(arguments: &Arguments) -> Result<(Report, String)> {
    let stand_in = binary(arguments.stand_in.as_deref(), "stand-in", "--stand-in")?;
    let tamis = binary(arguments.tamis.as_deref(), "tamis", "--tamis")?;
    let config = match &arguments.config {
        Some(path) => path.clone(),
        None => find_config()?,
    };

    let mut bare = Session::start(&[stand_in.as_os_str(), "lenspr".as_ref()]).await?;
    let mut through = Session::start(&[
        tamis.as_os_str(),
        "run".as_ref(),
        "--config".as_ref(),
        config.as_os_str(),
        "--".as_ref(),
        stand_in.as_os_str(),
        "lenspr".as_ref(),
    ])
    .await?;
    let outcome = compare(&mut bare, &mut through).await;
    let tamis_said = through.close().await;
    bare.close().await;
    match outcome {
        Ok(report) => Ok((report, tamis_said)),
        Err(error) => Err(error.context(format!(
            "compare answers, bare and through tamis{tamis_said}"
        ))),
    }
}

/// Makes every call to both servers, and checks every claim.
async fn compare(bare: &mut Session, through: &mut Session) -> Result<Report> {
    let mut report = Report::new()?;

    let (before, after) = (bare.handshake(), through.handshake());
    report.check(
        "the handshake",
        verify::same_frame(&before.frame, &after.frame),
    );
    report.add(Row {
        tool: "(instructions)".into(),
        effect: Effect::Untouched,
        before: before.instructions.clone(),
        after: after.instructions.clone(),
    });

    let calls = calls::all();
    let (before, after) = (bare.list_tools().await?, through.list_tools().await?);
    report.check("tools/list", verify::tools(&before, &after, &calls));

    let mut cut = Vec::new();
    for call in calls {
        let before = bare.call(call.tool, &call.arguments).await?;
        let after = through.call(call.tool, &call.arguments).await?;
        let checked = match call.effect {
            Effect::Untouched => verify::same_frame(&before.frame, &after.frame),
            effect => verify::filtered(effect, &before, &after),
        };
        report.check(&call.title(), checked);
        if let Some(note) = after.note() {
            cut.push((call.title(), before.text(), note.to_owned()));
        }
        report.add(Row {
            tool: call.title(),
            effect: call.effect,
            before: before.shown(),
            after: after.shown(),
        });
    }
    // At the end: the ids of calls, which are compared byte for byte, count on in one session.
    for (title, before, note) in cut {
        let all = read_back(through, &note).await?;
        report.check(&title, verify::read_back(&before, &all));
    }
    Ok(report)
}

/// Asks for what a note says was cut.
async fn read_back(through: &mut Session, note: &str) -> Result<String> {
    let arguments = note
        .split_once(verify::READ_TOOL)
        .and_then(|(_, arguments)| serde_json::from_str(arguments).ok())
        .with_context(|| format!("find the call that this note names: {note}"))?;
    let answer = through.call(verify::READ_TOOL, &arguments).await?;
    // The first line says what is shown.
    let text = answer.text();
    let (_, all) = text
        .split_once('\n')
        .context("read the answer of tamis_read")?;
    Ok(all.to_owned())
}

fn binary(given: Option<&Path>, name: &str, option: &str) -> Result<PathBuf> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let own = std::env::current_exe().context("find this program's own path")?;
    let path = own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    ensure!(
        path.exists(),
        "there is no {name} at {}: build it, or give its path with {option}",
        path.display()
    );
    Ok(path)
}

fn find_config() -> Result<PathBuf> {
    let own = std::env::current_exe().context("find this program's own path")?;
    let here = [PathBuf::new()];
    let places = here
        .iter()
        .map(PathBuf::as_path)
        .chain(own.ancestors().skip(1));
    let mut candidates = places.map(|place| place.join(CONFIG));
    candidates
        .find(|path| path.is_file())
        .with_context(|| format!("there is no {CONFIG} here or above this program: give --config"))
}
