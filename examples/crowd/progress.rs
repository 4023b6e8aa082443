//! How far a run is: a bar on a terminal, a line now and then elsewhere, nothing if quiet. All of it on stderr.

use crate::report::grouped;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A bar is redrawn so often, at most.
const REDRAW: Duration = Duration::from_millis(80);
/// Lines in a whole run, where there is no terminal.
const LINES: u64 = 10;

enum Output {
    Nothing,
    Bar(ProgressBar),
    Lines { written: u64 },
}

/// Progress of one run.
pub struct Progress {
    output: Output,
    count: u32,
    ticks: u64,
    seconds: f64,
    begun: Instant,
    shown: Option<Instant>,
}

impl Progress {
    pub fn new(quiet: bool, count: u32, ticks: u64, seconds: f64) -> Self {
        let output = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Output::Nothing,
            (false, true) => Output::Bar(bar(ticks)),
            (false, false) => Output::Lines { written: 0 },
        };
        Self { output, count, ticks, seconds, begun: Instant::now(), shown: None }
    }

    /// After so many ticks, which took `step_s` seconds in `step`.
    pub fn tick(&mut self, done: u64, step_s: f64) {
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= REDRAW) || done == self.ticks;
        match &mut self.output {
            Output::Bar(_) if due => self.shown = Some(Instant::now()),
            Output::Lines { written } if done * LINES / self.ticks.max(1) > *written => {
                *written = done * LINES / self.ticks.max(1);
            }
            _ => return,
        }
        self.show(done, &self.line(done, step_s));
    }

    /// What goes on after the last tick.
    pub fn note(&self, what: &str) {
        if let Output::Bar(bar) = &self.output {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    }

    /// Leaves no bar behind.
    pub fn clear(&self) {
        if let Output::Bar(bar) = &self.output {
            bar.finish_and_clear();
        }
    }

    fn show(&self, done: u64, line: &str) {
        match &self.output {
            Output::Nothing => {}
            Output::Bar(bar) => {
                bar.set_position(done);
                bar.set_message(line.to_owned());
            }
            // A reader that went away is no reason to stop.
            Output::Lines { .. } => _ = writeln!(std::io::stderr(), "{line}"),
        }
    }

    fn line(&self, done: u64, step_s: f64) -> String {
        let share = done as f64 / self.ticks.max(1) as f64;
        let simulated = share * self.seconds;
        let left = self.begun.elapsed().as_secs_f64() * (1.0 - share) / share.max(1e-9);
        let pace = simulated / step_s.max(1e-9);
        let (serpents, seconds) = (grouped(u64::from(self.count)), self.seconds);
        format!("{simulated:.1} of {seconds:.1} s | {serpents} serpents | {pace:.1} x real time | {} left", clock(left))
    }
}

fn bar(ticks: u64) -> ProgressBar {
    // The template is fixed; were it ever wrong, the plain bar does.
    let style = ProgressStyle::with_template("{wide_bar} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(ticks).with_style(style.progress_chars("━╸─"))
}

fn clock(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_time_crowd_pace_and_rest() {
        let progress = Progress::new(true, 10_000, 600, 10.0);
        let line = progress.line(300, 0.5);
        assert!(line.starts_with("5.0 of 10.0 s | 10 000 serpents | 10.0 x real time | 0:0"), "{line}");
        assert_eq!(clock(125.2), "2:06");
    }
}
