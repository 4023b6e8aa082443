//! What a run says of itself: a table to read and the same as JSON.

use crate::invariants::Invariants;
use serde::{Serialize, Serializer};
use std::fmt::Write;

/// Named numbers in a given order.
#[derive(Clone, Debug, Default)]
pub struct Named(pub Vec<(&'static str, f64)>);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Named {
    fn sum(&self) -> f64 {
        self.0.iter().map(|(_, value)| value).sum()
    }

    /// What is not zero, in lines of four.
    fn write_nonzero(&self, title: &str, text: &mut String) {
        let named: Vec<_> = self.0.iter().filter(|(_, value)| *value != 0.0).collect();
        for (i, four) in named.chunks(4).enumerate() {
            let parts = four.iter().map(|(name, value)| {
                let whole = value.fract() == 0.0;
                let value = if whole { grouped(*value as u64) } else { format!("{value:.4}") };
                format!("{} {value}", name.replace('_', " "))
            });
            let title = if i == 0 { title } else { "" };
            _ = writeln!(text, "{title:<12} {}", parts.collect::<Vec<_>>().join(", "));
        }
    }
}

/// The invariants with what belongs beside them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    #[serde(flatten)]
    pub measured: Invariants,
    pub quarantined: u64,
    /// Hexadecimal.
    pub state_hash: String,
}

/// A finished run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub count: u32,
    pub joints: usize,
    pub ticks: u64,
    pub hz: u32,
    pub seconds: f64,
    pub threads: usize,
    pub instructions: &'static str,
    pub profile: String,
    pub quality: String,
    pub terrain: String,
    pub contact: String,
    pub guard: bool,
    pub seed: u64,
    /// Time in `step`, by the clock, over ticks x count x joints.
    pub ns_per_joint: f64,
    /// Time in each stage, summed over threads, over the same.
    pub stages: Named,
    /// Simulated time over time in `step`.
    pub realtime_factor: f64,
    pub step_s: f64,
    /// Spawning, and steering between the steps.
    pub spawn_s: f64,
    pub steering_s: f64,
    pub dropped_s: f64,
    pub bytes_per_serpent: f64,
    pub peak_rss_bytes: u64,
    pub invariants: Findings,
    /// What the ticks counted, summed.
    pub counters: Named,
    /// The largest of what they measured.
    pub measures: Named,
    pub quarantined: u64,
    pub state_hash: String,
}

impl Report {
    /// The report as JSON text.
    pub fn json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| error.to_string())
    }

    /// The report to read.
    pub fn table(&self) -> String {
        let mut text = String::new();
        self.write_stages(&mut text);
        self.write_run(&mut text);
        self.write_findings(&mut text);
        text
    }

    fn write_stages(&self, text: &mut String) {
        let all = self.stages.sum();
        _ = writeln!(text, "{:<12} {:>10} {:>9}", "stage", "ns/joint", "share");
        for (name, ns) in &self.stages.0 {
            _ = writeln!(text, "{name:<12} {ns:>10.2} {:>7.1} %", 100.0 * ratio(*ns, all));
        }
        let threads = if self.threads == 1 { "1 thread".into() } else { format!("{} threads", self.threads) };
        _ = writeln!(text, "{:<12} {all:>10.2} {:>7.1} %   time of {threads}", "all stages", 100.0);
        _ = writeln!(text, "{:<12} {:>10.2}             by the clock", "step", self.ns_per_joint);
    }

    fn write_run(&self, text: &mut String) {
        let Self { count, joints, ticks, hz, profile, terrain, quality, seed, .. } = self;
        let crowd = format!("{} x {profile} of {joints} joints on {terrain}", grouped(u64::from(*count)));
        _ = writeln!(
            text,
            "\n{crowd}, {ticks} ticks at {hz} Hz, quality {quality}, {}, seed {seed}",
            self.instructions
        );
        let pace = format!("{:.1} s in {:.3} s, {:.1} x real time", self.seconds, self.step_s, self.realtime_factor);
        _ = writeln!(text, "time         {pace} (spawning {:.3} s, steering {:.3} s)", self.spawn_s, self.steering_s);
        let peak = self.peak_rss_bytes as f64 / (1u64 << 20) as f64;
        _ = writeln!(text, "memory       {:.0} bytes a serpent, process peak {peak:.1} MiB", self.bytes_per_serpent);
    }

    fn write_findings(&self, text: &mut String) {
        let found = &self.invariants.measured;
        let path = found.max_path_deviation.map_or("not measured".into(), |most| format!("{most:.4} segments"));
        let ground = format!(
            "{:.2} % of the radius, along segments {:.2} %, {:.2} mm",
            100.0 * found.max_penetration_share,
            100.0 * found.max_chord_penetration_share,
            1000.0 * found.max_penetration_m,
        );
        _ = writeln!(
            text,
            "invariants   segment error {:.1e}, off path {path}, bend {:.1} deg, twist beyond bend {:.2} deg, \
             in ground {ground}, over ground {:.0} %, overlap {:.0} %, non-finite {}, quarantined {}",
            found.max_segment_error,
            found.max_bend_deg,
            found.max_twist_excess_deg,
            100.0 * found.max_gap_share,
            100.0 * found.max_overlap_share,
            found.non_finite,
            self.quarantined,
        );
        for (title, named) in [("counted", &self.counters), ("at most", &self.measures)] {
            named.write_nonzero(title, text);
        }
        _ = writeln!(text, "state        {}", self.state_hash);
    }
}

/// 0 where nothing is divided by nothing: JSON knows no NaN.
pub fn ratio(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let starts = digits.len() % 3;
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && i % 3 == starts {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// The most memory that the process has held; 0 where the system does not tell.
pub fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    1024 * kibibytes.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_has_what_other_tools_read() {
        let stages = Named(vec![("travel", 2.0), ("body", 6.0), ("frame", 1.5)]);
        let report = Report { count: 3, stages, ..Report::default() };
        let text = report.json().unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let keys = "count joints ticks hz threads profile quality terrain contact guard seed ns_per_joint stages counters measures \
                    realtime_factor bytes_per_serpent peak_rss_bytes invariants quarantined state_hash";
        keys.split_whitespace().for_each(|key| assert!(json.get(key).is_some(), "{key}"));
        let keys = "max_segment_error max_path_deviation max_twist_excess_deg max_bend_deg max_penetration_share \
                    max_chord_penetration_share max_overlap_share non_finite quarantined state_hash";
        keys.split_whitespace().for_each(|key| assert!(json["invariants"].get(key).is_some(), "{key}"));
        assert_eq!(json["stages"]["body"], 6.0);
        let place = |stage: &str| text.find(stage).unwrap();
        assert!(place("travel") < place("body") && place("body") < place("frame"), "run order");
    }

    #[test]
    fn an_empty_run_has_a_table_without_broken_numbers() {
        let table = Report::default().table();
        assert!(!table.contains("NaN") && !table.contains("inf"), "{table}");
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        let expected = [(0, "0"), (999, "999"), (1000, "1 000"), (10_000, "10 000"), (1_000_000, "1 000 000")];
        expected.into_iter().for_each(|(number, text)| assert_eq!(grouped(number), text));
    }
}
