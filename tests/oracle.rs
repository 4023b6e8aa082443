//! Each stage against its slow f64 twin in `serpentarium::reference`, by tolerance; whole runs; and the same bits on
//! every kind of lanes.

#[path = "oracle/bits.rs"]
mod bits;
#[path = "oracle/runs.rs"]
mod runs;
#[path = "oracle/special.rs"]
mod special;
#[path = "oracle/stages.rs"]
mod stages;
#[path = "oracle/support.rs"]
mod support;
