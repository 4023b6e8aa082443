//! Command lines: one line for what is wrong, and exit code 2.

use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// What a command line asks for besides a run.
#[derive(Debug)]
pub enum Refusal {
    /// Help or the version: to print, and no fault.
    Shown(String),
    /// One line that says what is wrong.
    Wrong(String),
}

/// Why a run ends early.
pub enum Stop {
    /// What was asked for cannot be had: exit code 2.
    Asked(String),
    /// Something broke on the way: exit code 1.
    Broke(String),
}

pub fn asked(error: impl std::fmt::Display) -> Stop {
    Stop::Asked(error.to_string())
}

pub fn broke(error: impl std::fmt::Display) -> Stop {
    Stop::Broke(error.to_string())
}

/// Reads the arguments, the program's name first.
pub fn parse<C: Parser, T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> Result<C, Refusal> {
    C::try_parse_from(arguments).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Refusal::Shown(error.to_string()),
        _ => Refusal::Wrong(first_paragraph(&error.to_string())),
    })
}

/// A whole program: its command line read, run, and its end told in one line where it is early.
pub fn run<C: Parser>(program: &str, run: impl FnOnce(&C) -> Result<(), Stop>) -> ExitCode {
    let (code, message) = match parse(std::env::args_os()) {
        Err(Refusal::Shown(text)) => {
            print(&text);
            return ExitCode::SUCCESS;
        }
        Err(Refusal::Wrong(line)) => (2, line),
        Ok(cli) => match run(&cli) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(Stop::Asked(message)) => (2, message),
            Err(Stop::Broke(message)) => (1, message),
        },
    };
    // Where stderr is gone, the exit code has to do.
    _ = writeln!(std::io::stderr(), "{program}: {}", one_line(&message));
    ExitCode::from(code)
}

/// Prints to a reader that may have gone away.
pub fn print(text: &str) {
    _ = std::io::stdout().write_all(text.as_bytes());
}

/// The fault without clap's tips and usage, on one line.
fn first_paragraph(message: &str) -> String {
    let paragraph = message.split("\n\n").next().unwrap_or_default();
    one_line(paragraph.strip_prefix("error: ").unwrap_or(paragraph))
}

/// Line breaks and indents become single spaces.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number of simulated seconds, for a command line.
pub fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=86_400.0).contains(&value) { Ok(value) } else { Err(format!("{value} is not in 0..=86400")) }
}
