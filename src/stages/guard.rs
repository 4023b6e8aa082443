//! guard: pushes cross-sections out of the ground.
//!
//! Reads joints, radii, terrain. Writes joints, but never the first. Off unless the profile says `prevent_penetration`.
//! Source: the serpentine document, "Optional surface penetration guard".
//!
//! A section is the sphere of a joint's radius. On planes and heightfields what is a small matter is done at once (`quick`).
//! Else one sweep goes from the front to the tail. A joint that is too deep turns
//! about the joint before it until its sphere rests on the plane that was felt: this keeps the segment's length by
//! construction. Those behind a moved joint are laid toward where the march put them, so that what was moved sideways comes
//! back within a segment, and the tail slips along the path. What a sweep finds is shared with the joints beside it, chords
//! that cut into a crest ask both their ends up, and the next sweep lays the chain with that.
//!
//! The result is a function of the marched joints and the ground alone, with no memory: a creature at rest is marched and
//! guarded to the same bits in each tick, and so is one whose neighbour in the block was spawned.
//! Parallel: its own lanes only.

mod chain;
mod ground;
mod quick;

use super::Task;
use crate::batch::{BlockMut, BlockState, JointLanes, Vec8, flag, lane3};
use crate::constants::{GUARD_CHORD, GUARD_SKIM};
use crate::lanes::{Isa, Kernel, LANES, Lane8, Lanes, Row4, dispatch};
use crate::profile::Profile;
use crate::stages::guidance::flag_bits;
use crate::terrain::{Nearby, Skim, Terrain};
use chain::Chain;
use ground::{Near, Open};

/// The ground at one place of each lane, as a plane: enough to say how deep a sphere near there is.
#[derive(Clone, Copy)]
struct Felt {
    /// Where it was felt.
    at: Vec8,
    /// The way out.
    normal: Vec8,
    /// How deep the sphere was there, in metres along the normal; below 0 outside, minus infinity without ground.
    depth: Lane8,
    /// Metres to the triangle's nearest edge, on open ground.
    room: Lane8,
}

/// What is known of one joint of each lane.
#[derive(Clone, Copy)]
struct Section {
    /// Where the march put it.
    marched: Vec8,
    /// What its neighbours' corrections move it by.
    shift: Vec8,
    /// How far the chords beside it want it to stand off, in metres.
    raise: Lane8,
    /// How far it was pushed, in metres.
    push: Lane8,
    /// How far the segment before it was raised.
    span: Lane8,
    felt: Felt,
    /// What the ground there gains in a metre along x and along z.
    slope: [Lane8; 2],
    /// Lanes in which it is on a sharp edge or beside a corner.
    edge: u32,
    /// Whether the segment that ends here may touch ground where the march put it.
    touches: bool,
}

const NOWHERE: Vec8 = [[0.0; LANES]; 3];
const NOTHING: Felt = Felt { at: NOWHERE, normal: NOWHERE, depth: [f32::NEG_INFINITY; LANES], room: [0.0; LANES] };
const BARE: Section = Section {
    marched: NOWHERE,
    shift: NOWHERE,
    raise: [0.0; LANES],
    push: [0.0; LANES],
    span: [0.0; LANES],
    felt: NOTHING,
    slope: [[0.0; LANES]; 2],
    edge: 0,
    touches: true,
};

/// Working memory, and what was done with it since it was cleared.
pub(crate) struct Work {
    sections: Vec<Section>,
    nearby: Nearby,
    /// A body in front of a mesh: its sections, as the mesh sees them, and which segments may touch it.
    body: Vec<Row4>,
    local: Vec<Row4>,
    touches: Vec<bool>,
    /// Sections pushed.
    pub corrected: u64,
    /// The farthest that one was pushed, in metres.
    pub largest_m: f32,
}

impl Work {
    pub fn new() -> Self {
        Self {
            sections: Vec::new(),
            nearby: Nearby::with_capacity(256),
            body: Vec::new(),
            local: Vec::new(),
            touches: Vec::new(),
            corrected: 0,
            largest_m: 0.0,
        }
    }

    /// Room for bodies of so many joints, so that a thread's first one allocates nothing later.
    pub fn reserve(&mut self, joints: usize) {
        crate::batch::reserve_total(&mut self.sections, joints);
        crate::batch::reserve_total(&mut self.body, joints);
        crate::batch::reserve_total(&mut self.local, joints);
        crate::batch::reserve_total(&mut self.touches, joints);
    }
}

struct Guard<'a> {
    isa: Isa,
    state: &'a BlockState,
    profile: &'a Profile,
    terrain: &'a Terrain,
    joints: &'a mut [JointLanes],
    work: &'a mut Work,
}

/// Runs the stage on one block.
pub(crate) fn keep_out(task: &mut Task<'_, '_>) {
    let super::Scratch { guard, counters, measures, .. } = &mut *task.scratch;
    push_out(task.context.isa, task.block, task.context.terrain, guard);
    counters.sections_corrected += std::mem::take(&mut guard.corrected);
    super::raise(&mut measures.largest_correction_m, std::mem::take(&mut guard.largest_m));
}

/// The same outside a tick.
pub(crate) fn push_out(isa: Isa, block: &mut BlockMut<'_>, terrain: &Terrain, work: &mut Work) {
    if !block.profile.ground().prevent_penetration || matches!(terrain, Terrain::None) {
        return;
    }
    if work.sections.len() < block.joints.len() {
        work.sections.resize(block.joints.len(), BARE);
    }
    dispatch(isa, Guard { isa, state: block.state, profile: block.profile, terrain, joints: block.joints, work });
}

impl Kernel for Guard<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { isa, state, profile, terrain, joints, work } = self;
        let Work { sections, nearby, body, local, touches, corrected, largest_m } = work;
        let sections = &mut sections[..joints.len()];
        let live = flag_bits(state, flag::LIVE);
        let mut chain = Chain::<L>::new(state, profile.radius_m(), joints, sections);
        match terrain {
            Terrain::None => {}
            Terrain::Plane(_) | Terrain::Heightfield(_) => {
                let mut ground = Open::new(terrain, &state.origin);
                let left = chain.push_at_once(&mut ground, live);
                if left != 0 {
                    chain.keep_out(&mut ground, left, &[]);
                }
            }
            // What was gathered near one body is asked for that body alone: a lane at a time.
            Terrain::Mesh(_) | Terrain::Set(_) => {
                let left = if terrain.is_open() {
                    let mut ground = Open::new(terrain, &state.origin);
                    chain.push_at_once(&mut ground, live)
                } else {
                    live
                };
                chain.clear(!live | left);
                for lane in 0..LANES {
                    if left & (1 << lane) != 0 {
                        chain.read(lane, body);
                        let origin = lane3(&state.origin, lane);
                        let skim = Skim {
                            terrain,
                            origin,
                            sections: body,
                            slops: [GUARD_SKIM, GUARD_CHORD],
                            nearby,
                            local,
                            touches,
                        };
                        look_over(isa, skim);
                        if !touches.contains(&true) {
                            continue;
                        }
                        let reach = 0.5 * state.segment[lane] + state.scale[lane] * thickest(profile);
                        let mut near = Near::new(isa, terrain, state, lane, reach, nearby);
                        if near.gather_body(chain.joints, touches) {
                            chain.keep_out(&mut near, 1 << lane, touches);
                        }
                    }
                }
            }
        }
        let mut most = L::splat(0.0);
        for section in chain.sections.iter().skip(1) {
            let push = L::load(&section.push).max(L::load(&section.span));
            *corrected += u64::from(L::bits(L::splat(0.0).lt(push)).count_ones());
            most = push.max(most);
        }
        for push in most.to_array() {
            *largest_m = if push > *largest_m { push } else { *largest_m };
        }
    }
}

/// Compiled once.
#[inline(never)]
fn look_over(isa: Isa, skim: Skim<'_>) {
    dispatch(isa, skim);
}

fn thickest(profile: &Profile) -> f32 {
    profile.radius_m().iter().fold(0.0, |most, &radius| if radius > most { radius } else { most })
}
