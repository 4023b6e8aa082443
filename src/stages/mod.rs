//! The tick's stages, one file each, declared in run order.
//!
//! A stage is a kernel over one block of eight creatures, generic over the lanes. It touches nothing but its block, so
//! any split of blocks over threads gives the same bits.

pub(crate) mod ahead;
pub(crate) mod body;
pub(crate) mod bound;
pub(crate) mod command;
mod counts;
pub(crate) mod frame;
pub(crate) mod guard;
pub(crate) mod guidance;
pub(crate) mod pose;
pub(crate) mod record;
pub(crate) mod settle;
pub(crate) mod sweep;
pub(crate) mod travel;
pub(crate) mod undulate;

pub(crate) use counts::raise;
pub use counts::{Counters, Measures};

use crate::batch::{BlockMut, ForwardAxis, JointLanes, Vec8};
use crate::constants::MAX_PIECES;
use crate::lanes::{Isa, LANES, Lane8, Lanes, Vec3W};
use crate::terrain::{Nearby, Terrain};

/// The stages, in run order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Takes the tick's inputs.
    Command,
    /// Turns the headings.
    Guidance,
    /// Moves the heads.
    Travel,
    /// Lays the path.
    Record,
    /// Lets the path sink onto the ground.
    Settle,
    /// Marches the joints along it.
    Body,
    /// Adds the vertical wave.
    Undulate,
    /// Pushes sections out of the ground.
    Guard,
    /// Boxes the creature.
    Bound,
    /// Turns the bones.
    Frame,
    /// Writes the pose rows.
    Pose,
}

impl Stage {
    /// All of them, in run order.
    pub const ALL: [Self; 11] = [
        Self::Command,
        Self::Guidance,
        Self::Travel,
        Self::Record,
        Self::Settle,
        Self::Body,
        Self::Undulate,
        Self::Guard,
        Self::Bound,
        Self::Frame,
        Self::Pose,
    ];

    /// Its name, as in docs/pipeline.md, the benches and the example's report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Guidance => "guidance",
            Self::Travel => "travel",
            Self::Record => "record",
            Self::Settle => "settle",
            Self::Body => "body",
            Self::Undulate => "undulate",
            Self::Guard => "guard",
            Self::Bound => "bound",
            Self::Frame => "frame",
            Self::Pose => "pose",
        }
    }
}

/// What all blocks of a tick share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub isa: Isa,
    /// Seconds of this tick.
    pub dt: f32,
    pub terrain: &'a Terrain,
    pub active_mask: u32,
    pub forward_axis: ForwardAxis,
    pub pose_origin: [f64; 3],
}

/// Where a joint of each creature is, relative to the origins.
#[inline(always)]
pub(crate) fn position<L: Lanes>(joint: &JointLanes) -> Vec3W<L> {
    Vec3W::new(L::load(&joint[0]), L::load(&joint[1]), L::load(&joint[2]))
}

/// The way of a block's heads in one tick: where each piece of travel ends, relative to the origins, and the heading
/// there. Written by `travel`, read by `record`.
pub(crate) struct Trail {
    /// Pieces of each lane.
    pub pieces: [u32; LANES],
    /// Whether the way between the ends is the Hermite arc of the headings (driven) or straight (reported).
    pub curved: [bool; LANES],
    /// Whether the ground turned it aside: one straight piece then.
    pub slid: [bool; LANES],
    pub position: Box<[Vec8; MAX_PIECES + 1]>,
    pub heading: Box<[Vec8; MAX_PIECES + 1]>,
}

/// Working memory of one thread, kept between ticks.
pub(crate) struct Scratch {
    pub trail: Trail,
    /// For each joint: tangent, dorsal, side.
    pub frames: Vec<[Lane8; 9]>,
    pub counters: Counters,
    pub measures: Measures,
    pub guard: guard::Work,
    /// Knots that each lane laid and took back in this tick.
    pub laid: [u32; LANES],
    pub popped: [u32; LANES],
    pub settling: settle::Settling,
    /// The ground near a head.
    pub nearby: Nearby,
    /// A ring's copy, while it is laid anew.
    pub ring: Vec<crate::lanes::Row4>,
    /// What of it has fallen.
    pub falls: Vec<crate::lanes::Row4>,
}

impl Scratch {
    pub fn new() -> Self {
        const ZERO: Vec8 = [[0.0; LANES]; 3];
        Self {
            trail: Trail {
                pieces: [0; LANES],
                curved: [false; LANES],
                slid: [false; LANES],
                position: Box::new([ZERO; MAX_PIECES + 1]),
                heading: Box::new([ZERO; MAX_PIECES + 1]),
            },
            frames: Vec::new(),
            counters: Counters::default(),
            measures: Measures::default(),
            guard: guard::Work::new(),
            laid: [0; LANES],
            popped: [0; LANES],
            settling: settle::Settling::default(),
            nearby: Nearby::with_capacity(256),
            ring: Vec::new(),
            falls: Vec::new(),
        }
    }
}

/// A block with what its stages work with.
pub(crate) struct Task<'a, 'b> {
    pub block: &'b mut BlockMut<'a>,
    pub scratch: &'b mut Scratch,
    pub context: &'b Context<'b>,
}
