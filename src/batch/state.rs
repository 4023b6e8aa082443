//! What a block of eight creatures remembers from tick to tick, besides its history and joints.

use crate::lanes::{LANES, Lane8};

/// One vector of each creature of a block: component, then lane.
pub type Vec8 = [Lane8; 3];

/// Copies one creature's value between blocks. Implemented for everything that a block state is made of.
trait LaneField {
    fn copy_lane(&mut self, to: usize, from: &Self, from_lane: usize);
}
impl<T: Copy> LaneField for [T; LANES] {
    fn copy_lane(&mut self, to: usize, from: &Self, from_lane: usize) {
        self[to] = from[from_lane];
    }
}
impl<T: Copy> LaneField for [[T; LANES]; 3] {
    fn copy_lane(&mut self, to: usize, from: &Self, from_lane: usize) {
        for (a, b) in self.iter_mut().zip(from) {
            a[to] = b[from_lane];
        }
    }
}

macro_rules! block_state {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// The state of eight creatures, one a lane: `field[lane]`, or `field[component][lane]` for vectors.
        ///
        /// Positions are in metres, relative to the creature's own `origin`; directions are unit vectors in world axes;
        /// times are seconds; phases are turns in units of 2^-32.
        #[derive(Clone, Debug)]
        #[repr(C)]
        pub struct BlockState {
            $($(#[$doc])* pub $name: $type,)*
        }
        impl BlockState {
            /// Makes lane `to` a copy of `from_lane` in `from`.
            pub(crate) fn copy_lane(&mut self, to: usize, from: &Self, from_lane: usize) {
                $(self.$name.copy_lane(to, &from.$name, from_lane);)*
            }
        }
    };
}

block_state! {
    /// World position of the creature's local zero, in metres.
    origin: [[f64; LANES]; 3],
    /// The origin that the previous tick's joints are relative to.
    previous_origin: [[f64; LANES]; 3],
    /// The guide's position, which is joint 0.
    head: [[f64; LANES]; 3],
    /// Where observed movement was last taken into the phase.
    anchor: [[f64; LANES]; 3],
    /// The front of the recorded path: where the head was recorded last.
    pen: Vec8,
    /// Heading asked for.
    target: Vec8,
    /// Centre heading at the start of this tick.
    center_before: Vec8,
    /// Centre heading: the target, limited by the turn rate.
    center: Vec8,
    /// Effective heading: the centre heading with the gait's yaw.
    effective: Vec8,
    /// Effective heading of the tick before.
    effective_before: Vec8,
    /// Share of the tick after which the centre heading has reached `center`: above 0, at most 1.
    turn_share: Lane8,
    /// Forward direction that a report's travel is measured along.
    forward: Vec8,
    /// Dorsal direction at the head: the axis of the yaw.
    dorsal: Vec8,
    /// Dorsal direction of the newest committed knot.
    knot_dorsal: Vec8,
    /// Ground normal under the head; (0, 0, 0) where there is none within reach.
    ground: Vec8,
    /// World displacement of the head in this tick.
    displacement: Vec8,
    /// Signed distance of this tick, in metres.
    travelled: Lane8,
    /// Seconds that pass for this creature in this tick; 0 where it is at rest by pause, mask or quarantine.
    dt: Lane8,
    /// How fast a head that is off the ground falls, in metres a second.
    fall_speed: Lane8,
    /// Speed in this tick, in metres a second, of creatures that move themselves; 0 for others.
    speed: Lane8,
    /// Size, as a factor on the profile.
    scale: Lane8,
    /// Size that `scale` grows to.
    target_scale: Lane8,
    /// Size for which the history's spacing was chosen.
    history_scale: Lane8,
    /// Length of the body, in metres.
    length: Lane8,
    /// Length of a segment, in metres.
    segment: Lane8,
    /// Distance between knots, in metres.
    spacing: Lane8,
    /// Edge of the cell that the origin moves by, a power of two, in metres.
    cell: Lane8,
    /// Highest turn rate of the centre heading, in radians a second.
    turn_rate: Lane8,
    /// Amplitude of the gait's yaw, in radians.
    amplitude: Lane8,
    /// Factor on the time step.
    time_scale: Lane8,
    /// Lower corner of the box around all joints and heads with their radii.
    bounds_min: Vec8,
    /// Upper corner of that box.
    bounds_max: Vec8,
    /// Phase of the steering gait.
    phase: [u32; LANES],
    /// Phase of the vertical wave.
    wave_phase: [u32; LANES],
    /// Ring index of the pen's provisional knot; older knots lie below it, modulo the ring's capacity.
    cursor: [u32; LANES],
    /// Newest knots that lie on the ground and whose rows of `falls` were not written: see the `settle` stage.
    walked: [u32; LANES],
    /// See [`flag`].
    flags: [u32; LANES],
    /// The caller's mask: a creature advances while it shares a bit with the batch's active mask.
    mask: [u32; LANES],
    /// Which head guides.
    guide: [u32; LANES],
    /// See [`Motion`](super::Motion).
    motion: [u32; LANES],
}

/// Bits of [`BlockState::flags`].
pub mod flag {
    /// The lane holds a creature.
    pub const LIVE: u32 = 1;
    /// Paused by the caller.
    pub const PAUSED: u32 = 2;
    /// Took a non-finite input and waits for release.
    pub const QUARANTINED: u32 = 4;
    /// No longitudinal travel since the history was seeded.
    pub const FRESH: u32 = 8;
    /// A report was made for this tick.
    pub const REPORTED: u32 = 16;
    /// The report named its forward direction.
    pub const FORWARD: u32 = 32;
    /// Guided by the head: turn limit and yaw apply.
    pub const GUIDED: u32 = 64;
    /// Kept on the ground while it moves itself.
    pub const FOLLOWS: u32 = 128;
    /// On the ground in this tick.
    pub const GROUNDED: u32 = 256;
    /// The quarantine was reported.
    pub const KNOWN: u32 = 512;
    /// Some of the path hangs over ground, or nobody knows: `settle` looks at all of it.
    pub const HANGS: u32 = 1024;
    /// Moves itself, and is in the air over ground.
    pub const FALLS: u32 = 8192;
    /// What hangs is held where it is: `settle` passes until something changes.
    pub const STILL: u32 = 2048;
    /// The ground changed, or the path was moved over it: `settle` asks anew what is under it.
    pub const ASKS: u32 = 4096;
}

impl BlockState {
    /// A block without creatures: every lane is harmless to compute with.
    pub(crate) fn empty() -> Self {
        const Z: [f64; LANES] = [0.0; LANES];
        const AHEAD: Vec8 = [[0.0; LANES], [0.0; LANES], [-1.0; LANES]];
        const UP: Vec8 = [[0.0; LANES], [1.0; LANES], [0.0; LANES]];
        let (zero, one) = ([0.0; LANES], [1.0; LANES]);
        Self {
            origin: [Z; 3],
            previous_origin: [Z; 3],
            head: [Z; 3],
            anchor: [Z; 3],
            pen: [zero; 3],
            target: AHEAD,
            center_before: AHEAD,
            center: AHEAD,
            effective: AHEAD,
            effective_before: AHEAD,
            turn_share: one,
            forward: AHEAD,
            dorsal: UP,
            knot_dorsal: UP,
            ground: [zero; 3],
            displacement: [zero; 3],
            travelled: zero,
            dt: zero,
            fall_speed: zero,
            speed: zero,
            scale: one,
            target_scale: one,
            history_scale: one,
            length: one,
            segment: one,
            spacing: one,
            cell: one,
            turn_rate: zero,
            amplitude: zero,
            time_scale: one,
            bounds_min: [zero; 3],
            bounds_max: [zero; 3],
            phase: [0; LANES],
            wave_phase: [0; LANES],
            cursor: [0; LANES],
            walked: [0; LANES],
            flags: [0; LANES],
            mask: [!0; LANES],
            guide: [0; LANES],
            motion: [0; LANES],
        }
    }

    /// Whether any bit of `bits` is set for the lane.
    #[inline(always)]
    pub fn has(&self, lane: usize, bits: u32) -> bool {
        self.flags[lane] & bits != 0
    }

    /// Sets or clears `bits` for the lane.
    #[inline(always)]
    pub(crate) fn put(&mut self, lane: usize, bits: u32, on: bool) {
        self.flags[lane] = if on { self.flags[lane] | bits } else { self.flags[lane] & !bits };
    }
}

/// One creature's vector out of a block's.
#[inline(always)]
pub fn lane3<T: Copy>(field: &[[T; LANES]; 3], lane: usize) -> [T; 3] {
    [field[0][lane], field[1][lane], field[2][lane]]
}

/// Writes one creature's vector into a block's.
#[inline(always)]
pub(crate) fn set_lane3<T: Copy>(field: &mut [[T; LANES]; 3], lane: usize, value: [T; 3]) {
    for (component, value) in field.iter_mut().zip(value) {
        component[lane] = value;
    }
}
