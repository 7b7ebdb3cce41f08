//! The demo: makes the same calls to each stand-in server twice, directly and through Tamis.
//!
//! Owns the command line, the order of steps and the exit status. [`calls`] has the calls and claims, [`claims`] the
//! numbers, [`session`] the sessions, [`verify`] the proof, [`report`] the output. Refuses to know how Tamis filters:
//! it has only a command to run. A false claim ends with status 1.

mod calls;
mod claims;
mod report;
mod session;
mod verify;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use serde_json::{Value, json};

use calls::{Effect, System};
use claims::CallAnswers;
use report::{Report, Row};
use session::Session;

/// Calls servers directly and through Tamis, checks the answers, and prints the savings.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The tamis binary [default: beside this one]
    #[arg(long, value_name = "PATH")]
    tamis: Option<PathBuf>,
    /// The stand-in servers' binary [default: beside this one]
    #[arg(long, value_name = "PATH")]
    stand_in: Option<PathBuf>,
    /// The folder with the examples' policies [default: examples, here or above this binary]
    #[arg(long, value_name = "PATH")]
    examples: Option<PathBuf>,
    /// Print figures as JSON instead of tables
    #[arg(long)]
    json: bool,
}

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

/// Runs all sessions. Returns the report, and what Tamis wrote to standard error.
#[tokio::main(flavor = "current_thread")]
async fn run(arguments: &Arguments) -> Result<(Report, String)> {
    let stand_in = binary(arguments.stand_in.as_deref(), "stand-in", "--stand-in")?;
    let tamis = binary(arguments.tamis.as_deref(), "tamis", "--tamis")?;
    let examples = match &arguments.examples {
        Some(path) => path.clone(),
        None => find_examples()?,
    };

    let mut report = Report::new()?;
    let mut said = String::new();
    for system in calls::all() {
        let config = examples.join(system.example).join("filters.toml");
        let mut bare = Session::start(&[stand_in.as_os_str(), system.stand_in.as_ref()]).await?;
        let command = [
            tamis.as_os_str(),
            "run".as_ref(),
            "--config".as_ref(),
            config.as_os_str(),
            "--".as_ref(),
            stand_in.as_os_str(),
            system.stand_in.as_ref(),
        ];
        let mut through = Session::start(&command).await?;
        let title = system.title;
        let outcome = compare(system, &mut bare, &mut through, &command, &mut report).await;
        let tamis_said = through.close().await;
        bare.close().await;
        if let Err(error) = outcome {
            return Err(error.context(format!(
                "compare answers of {title}, bare and through tamis{tamis_said}"
            )));
        }
        said += &tamis_said;
    }
    Ok((report, said))
}

/// Makes every call to both servers, and checks every claim.
async fn compare(
    mut system: System,
    bare: &mut Session,
    through: &mut Session,
    command: &[&OsStr],
    report: &mut Report,
) -> Result<()> {
    for call in &mut system.calls {
        if !call.needs.is_empty() && !call.needs.iter().any(|program| is_on_path(program)) {
            call.effect = Effect::Unavailable;
        }
    }
    report.begin(system.title);

    let (before, after) = (bare.handshake(), through.handshake());
    report.check(
        "the handshake",
        verify::handshake(system.instructions, &before.frame, &after.frame),
    );
    let instructions = (before.instructions.clone(), after.instructions.clone());
    let mut cut = Vec::new();
    if system.instructions != Effect::Untouched {
        let row = Row {
            tool: "(instructions)".into(),
            effect: system.instructions,
            before: instructions.0.clone(),
            after: instructions.1.clone(),
        };
        cut.push((row.tool.clone(), row.before.clone(), row.after.clone()));
        report.add(row);
    }
    let (before, after) = (bare.list_tools().await?, through.list_tools().await?);
    report.check("tools/list", verify::tools(&before, &after, &system.calls));

    let mut seen = Vec::new();
    for call in &system.calls {
        let before = bare.call(call.tool, &call.arguments).await?;
        let after = through.call(call.tool, &call.arguments).await?;
        let title = call.title();
        report.check(&title, verify::filtered(call.effect, &before, &after));
        let shown = after.shown();
        if shown.contains(verify::READ_TOOL) {
            cut.push((title.clone(), before.text(), shown));
        } else if !matches!(
            call.effect,
            Effect::Untouched | Effect::Stripped | Effect::Unavailable
        ) {
            report.check(
                &title,
                Err("it does not name the call that reads all of it".into()),
            );
        }
        report.add(Row {
            tool: title,
            effect: call.effect,
            before: before.shown(),
            after: after.shown(),
        });
        seen.push(CallAnswers {
            tool: call.tool,
            effect: call.effect,
            before: before.text(),
            after: after.text(),
        });
    }
    // At the end, because originals must outlive the process that stored them.
    through.kill_and_restart(command).await?;
    for (title, before, after) in cut {
        let all = read_back(through, &after).await?;
        report.check(&title, verify::read_back(&before, &all));
    }
    if let Effect::NotesBudgeted = system.instructions {
        claims::instructions(report, &instructions.0, &instructions.1);
    }
    claims::of(report, &seen);
    if system.example == "sessions" {
        claims::call_limit(report, through).await?;
    }
    Ok(())
}

/// Reads the original that an answer names.
async fn read_back(through: &mut Session, shown: &str) -> Result<String> {
    let mut arguments = verify::named_call(shown)
        .with_context(|| format!("find the call that this answer names: {shown}"))?;
    // As the server sent it: without a query, the shortest form is returned.
    arguments["lines"] = Value::from("1-");
    let mut all = String::new();
    loop {
        let answer = through.call(verify::READ_TOOL, &arguments).await?;
        // The first line names the part shown, and the call for the next part.
        let text = answer.text();
        let (header, page) = text
            .split_once('\n')
            .context("read the answer of tamis_read")?;
        all.push_str(page);
        let next = header.split_once("next: ref `");
        let Some((next, _)) = next.and_then(|(_, rest)| rest.split_once('`')) else {
            return Ok(all);
        };
        ensure!(
            !page.is_empty(),
            "tamis_read names a next part and gives nothing of this one: {header}"
        );
        arguments = json!({ "ref": next });
    }
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&name).is_file())
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

fn find_examples() -> Result<PathBuf> {
    let own = std::env::current_exe().context("find this program's own path")?;
    let here = [PathBuf::new()];
    let places = here
        .iter()
        .map(PathBuf::as_path)
        .chain(own.ancestors().skip(1));
    // Cargo puts programs into a folder of this name too.
    let mut candidates = places.map(|place| place.join("examples"));
    candidates
        .find(|path| path.join("lenspr/filters.toml").is_file())
        .context("there is no folder `examples` here or above this program: give --examples")
}
