//! Heads against ground that they do not climb: the second part of `travel`.
//!
//! Reads headings, jaws, terrain, the trail. Writes displacements and trails of the heads that the ground turned aside. A
//! capsule is fitted to the whole head, its lower jaw at its own angle included, and swept along the way; what is left of
//! the way after a hit goes on along the plane that was hit, several in turn. Source: the serpentine document, "Explicit
//! guiding Head". Parallel: touches its own lanes only.
//!
//! Where the ground is a function of the place (a plane, a heightfield, most terrain meshes), heights tell already where the
//! way is free: only heads that were stopped there come here, those so fast that they step over triangles whole, and those
//! that are not on it. Other meshes have walls and ceilings that no height tells of, so over them all heads do.

use super::guidance::flag_bits;
use super::travel::is_steep;
use super::{Counters, Task};
use crate::batch::{BlockMut, BlockState, HeadLanes, Motion, flag, lane3, set_lane3};
use crate::constants::{JAW_RADIUS_SHARE, LIFT_RADII, SLIDE_ROUNDS, STEP_RADII, STRIDE_CELLS, SWEEP_SKIN_RADII};
use crate::lanes::{Isa, Kernel, LANES, Lanes, ScalarLanes, cos_turns, dispatch, sin_turns};
use crate::profile::{Head, Profile};
use crate::terrain::{Contact, Hit, Nearby, Terrain, Walls};
use glam::Vec3;

/// Slides the heads of a block that were blocked, and over meshes all that move themselves over ground.
pub(crate) fn slide_heads(task: &mut Task<'_, '_>, blocked: u32) {
    let Task { block, scratch, context } = task;
    let (floors, sheets) = (!context.terrain.is_open(), context.terrain.has_floors());
    let stride = context.terrain.finest_m() * STRIDE_CELLS;
    let strides = |speed: f32, dt: f32| (speed * dt).abs() > stride;
    // Under a mesh is no ground, and above it may be one.
    let off = if sheets { !flag_bits(block.state, flag::GROUNDED) } else { 0 };
    if blocked | off == 0 && !floors && !(0..LANES).any(|lane| strides(block.state.speed[lane], block.state.dt[lane])) {
        return;
    }
    for lane in 0..LANES {
        let state = &*block.state;
        let walks = state.motion[lane] == Motion::Driven as u32 && state.has(lane, flag::FOLLOWS);
        let is_blocked = blocked & (1 << lane) != 0;
        let is_off = off & (1 << lane) != 0;
        let is_asked = floors || is_blocked || is_off || strides(state.speed[lane], state.dt[lane]);
        if !walks || !scratch.trail.curved[lane] || !is_asked {
            continue;
        }
        let moved = Vec3::from(lane3(&state.displacement, lane));
        let distance = state.speed[lane] * state.dt[lane];
        let wanted = if is_blocked { level(lane3(&state.effective, lane)) * distance } else { moved };
        let way = Vec3::new(wanted.x, if state.has(lane, flag::FALLS) { 0.0 } else { wanted.y }, wanted.z);
        let volume = volume(block, lane, is_blocked);
        let start = if floors || is_off { Start::PushedOut } else { Start::Kept };
        let climbs = if is_blocked { block.profile.ground().max_climb_slope } else { f32::INFINITY };
        let slid = slide(context.isa, context.terrain, &volume, way, (start, climbs), &mut scratch.nearby);
        if slid.hits == 0 && !is_blocked {
            continue;
        }
        let fallen = if state.has(lane, flag::FALLS) { moved.y } else { 0.0 };
        let mut to = land(block, context.terrain, lane, slid.moved + Vec3::Y * fallen);
        let into = slid.moved.dot(slid.normal);
        if to == Vec3::ZERO && into < 0.0 {
            // A hair's breadth too near to a wall: along it, then.
            to = land(block, context.terrain, lane, slid.moved - slid.normal * into + Vec3::Y * fallen);
        }
        turn_aside(block, &mut scratch.trail, lane, to, distance);
        count(&mut scratch.counters, to, distance);
    }
}

fn count(counters: &mut Counters, moved: Vec3, distance: f32) {
    let stopped = moved.length_squared() <= 1e-6 * distance * distance;
    counters.stopped += u64::from(stopped);
    counters.slid += u64::from(!stopped);
}

/// Where a head ends that slid so far: on the ground there, or where it was if that is out of its reach.
fn land(block: &mut BlockMut<'_>, terrain: &Terrain, lane: usize, moved: Vec3) -> Vec3 {
    let ground = block.profile.ground();
    let state = &mut *block.state;
    let radius = block.profile.radius_m()[0] * state.scale[lane];
    let at = |c: usize| state.origin[c][lane] + state.head[c][lane] + f64::from(moved[c]);
    let run = (moved.x * moved.x + moved.z * moved.z).sqrt();
    let most = run * ground.max_climb_slope + radius * STEP_RADII;
    let start = state.origin[1][lane] + state.head[1][lane];
    let Some(felt) = terrain.sample_under(at(0), start + f64::from(most), at(2)) else {
        return moved;
    };
    let steep = is_steep(felt.normal, ground);
    let rests = terrain.rest_on(felt.footing, at(0), at(2), radius, Walls::Count);
    let rise = (rests - start) as f32;
    let up_a_wall = rise > 1e-3 * radius && terrain.is_walled(felt.footing, [at(0), at(2)], radius, rests);
    if state.has(lane, flag::FALLS) && rise < moved.y {
        return moved;
    }
    if rise > most || steep && rise > most - radius * STEP_RADII || up_a_wall {
        return Vec3::ZERO;
    }
    let falls = rise < -most;
    state.put(lane, flag::FALLS, falls);
    state.put(lane, flag::GROUNDED, !falls);
    state.fall_speed[lane] = 0.0;
    set_lane3(&mut state.ground, lane, if falls { [0.0; 3] } else { felt.normal });
    Vec3::new(moved.x, if falls { 0.0 } else { rise }, moved.z)
}

/// Makes one straight piece of a lane's trail, and of its distance what it really came forward.
fn turn_aside(block: &mut BlockMut<'_>, trail: &mut super::Trail, lane: usize, moved: Vec3, distance: f32) {
    let state = &mut *block.state;
    // What is left of the way in a corner is rounding: there the head rests.
    let moved = if moved.length_squared() <= 1e-6 * distance * distance { Vec3::ZERO } else { moved };
    let forward = moved.dot(Vec3::from(lane3(&state.effective, lane)));
    let (low, high) = if distance < 0.0 { (distance, 0.0) } else { (0.0, distance) };
    let forward = if forward < low { low } else { forward };
    state.travelled[lane] = if forward > high { high } else { forward };
    set_lane3(&mut state.displacement, lane, moved.into());
    let start = Vec3::from(lane3(&trail.position[0], lane));
    set_lane3(&mut trail.position[1], lane, (start + moved).into());
    (trail.pieces[lane], trail.curved[lane], trail.slid[lane]) = (1, false, true);
}

/// What is swept for a head: a capsule in world metres.
pub(crate) struct HeadVolume {
    /// Where joint 0 is; the capsule's ends are relative to it.
    pub at: [f64; 3],
    pub ends: [Vec3; 2],
    pub radius: f32,
}

/// What is swept for a head that walks: a little off the ground that it stands on, which is no obstacle. Where the neck is
/// blocked, a head thinner than it counts as thick, or it would lead the neck into what stopped it.
fn volume(block: &BlockMut<'_>, lane: usize, is_blocked: bool) -> HeadVolume {
    let mut volume = head_volume(block.profile, block.state, block.head_inputs, lane);
    let neck = block.profile.radius_m()[0] * block.state.scale[lane];
    volume.radius = if is_blocked && neck > volume.radius { neck } else { volume.radius };
    if block.state.has(lane, flag::GROUNDED | flag::FALLS) {
        let clearance = block.profile.radius_m()[0] * block.state.scale[lane];
        let grounded = block.state.has(lane, flag::GROUNDED);
        let up = if grounded { Vec3::from(lane3(&block.state.ground, lane)) } else { Vec3::Y };
        let lift = up * (volume.radius - clearance + LIFT_RADII * volume.radius);
        volume.ends = volume.ends.map(|end| end + lift);
    }
    volume
}

/// The guide's skull and lower jaw in one capsule.
pub(crate) fn head_volume(profile: &Profile, state: &BlockState, inputs: &[HeadLanes], lane: usize) -> HeadVolume {
    let guide = state.guide[lane] as usize;
    let (head, scale) = (&profile.heads()[guide], state.scale[lane]);
    let forward = Vec3::from(lane3(&state.effective, lane));
    let grounded = state.has(lane, flag::GROUNDED);
    let up = Vec3::from(lane3(if grounded { &state.ground } else { &state.dorsal }, lane));
    let up = (up - forward * up.dot(forward)).try_normalize().unwrap_or(Vec3::Y);
    let side = forward.cross(up);
    let [right, above, ahead] = head.offset_m;
    let base = (side * right + up * above + forward * ahead) * scale;
    let [a, b, radius] = fit(head, inputs[guide].jaw[lane], scale, base, forward, up);
    let at = std::array::from_fn(|c| state.origin[c][lane] + state.head[c][lane]);
    HeadVolume { at, ends: [a, b], radius: radius.x }
}

/// The capsule round a skull from its base to its snout, and the jaw: two ends and, in x, the radius.
fn fit(head: &Head, jaw: f32, scale: f32, base: Vec3, forward: Vec3, up: Vec3) -> [Vec3; 3] {
    let radius = head.radius_m * scale;
    let reach = head.length_m * scale - radius;
    let snout = base + forward * if reach > 0.0 { reach } else { 0.0 };
    if head.jaw_length_m == 0.0 || jaw == 0.0 {
        return [base, snout, Vec3::splat(radius)];
    }
    let turns = ScalarLanes::splat(jaw * (1.0 / std::f32::consts::TAU));
    let (sin, cos) = (sin_turns(turns).to_array()[0], cos_turns(turns).to_array()[0]);
    let thin = radius * JAW_RADIUS_SHARE;
    let hinge = base + forward * (head.jaw_hinge_m * scale);
    let tip = hinge + (forward * cos - up * sin) * (head.jaw_length_m * scale - thin);
    let end = (snout + tip) * 0.5;
    let off = |point: Vec3| {
        let axis = end - base;
        let share = (point - base).dot(axis) / axis.length_squared();
        let share = if share > 0.0 { if share < 1.0 { share } else { 1.0 } } else { 0.0 };
        (point - base - axis * share).length_squared().sqrt()
    };
    let (skull, jaw) = (radius + off(snout), thin + off(tip));
    [base, end, Vec3::splat(if skull > jaw { skull } else { jaw })]
}

/// How far a head came.
pub(crate) struct Slid {
    pub moved: Vec3,
    /// Planes that turned it.
    pub hits: u32,
    /// Normal of the first.
    pub normal: Vec3,
    /// Share of the way that was free.
    pub free: f32,
}

/// Moves a volume along `way` as far as the ground lets it, sliding along what it meets; along, and not up or down, what is
/// steeper than it `climbs`.
pub(crate) fn slide(
    isa: Isa,
    terrain: &Terrain,
    volume: &HeadVolume,
    way: Vec3,
    (start, climbs): (Start, f32),
    nearby: &mut Nearby,
) -> Slid {
    let [a, b] = volume.ends.map(Vec3::abs);
    let reach = a + b + Vec3::splat(2.0 * volume.radius) + way.abs();
    terrain.gather(volume.at, reach.into(), nearby);
    let mut slid = Slid { moved: Vec3::ZERO, hits: 0, normal: Vec3::ZERO, free: 1.0 };
    if nearby.is_empty() {
        slid.moved = way;
        return slid;
    }
    let mut radius = volume.radius;
    match start {
        Start::PushedOut => slid.push_out(isa, nearby, volume),
        Start::Kept => {
            let depth = deepest(isa, nearby, volume.ends, radius).map_or(0.0, |contact| contact.depth);
            let thinner = radius - depth * (1.0 + SWEEP_SKIN_RADII);
            radius = if thinner > 0.0 { thinner } else { 0.0 };
        }
    }
    slid.go(isa, nearby, &HeadVolume { radius, ..*volume }, way, climbs);
    slid
}

/// What becomes of a head that is in the ground where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// It comes out first.
    PushedOut,
    /// It goes on from there, as if it were so much thinner: on a heightfield heads are put by heights, which let them nearer to
    /// the foot of a wall than their volume is. Pushed out of it, they would come back and be pushed out again.
    Kept,
}

impl Slid {
    /// What is in the ground from the start comes out first.
    fn push_out(&mut self, isa: Isa, nearby: &Nearby, volume: &HeadVolume) {
        let skin = volume.radius * SWEEP_SKIN_RADII;
        for _ in 0..SLIDE_ROUNDS {
            let Some(contact) = deepest(isa, nearby, volume.ends.map(|end| end + self.moved), volume.radius) else {
                return;
            };
            if contact.depth <= 0.0 {
                return;
            }
            self.moved += Vec3::from(contact.normal) * (contact.depth + skin);
            self.hits += 1;
        }
    }

    fn go(&mut self, isa: Isa, nearby: &Nearby, volume: &HeadVolume, way: Vec3, climbs: f32) {
        let skin = volume.radius * SWEEP_SKIN_RADII;
        let (mut left, mut before) = (way, Vec3::ZERO);
        for _ in 0..SLIDE_ROUNDS {
            let length = left.length_squared().sqrt();
            if length <= 1e-6 * volume.radius {
                return;
            }
            let ends = volume.ends.map(|end| end + self.moved);
            let Some(hit) = sweep(isa, nearby, ends, volume.radius, left) else {
                self.moved += left;
                return;
            };
            let normal = upright(hit.normal.into(), climbs);
            if self.hits == 0 {
                (self.normal, self.free) = (normal, hit.time);
            }
            self.hits += 1;
            // A skin stays between, measured along the normal.
            let toward = -left.dot(normal) / length;
            let back = if toward > 0.1 { skin / toward } else { 10.0 * skin };
            let free = hit.time * length - back;
            self.moved += left * if free > 0.0 { free / length } else { 0.0 };
            left = along(left * (1.0 - hit.time), normal, before);
            before = normal;
        }
    }
}

/// The normal of what is met: of a wall its level part, along which no way leads up it or into it.
fn upright(normal: Vec3, climbs: f32) -> Vec3 {
    let square = normal.x * normal.x + normal.z * normal.z;
    if square <= normal.y * normal.y * climbs * climbs {
        return normal;
    }
    Vec3::new(normal.x, 0.0, normal.z) / square.sqrt()
}

/// A heading seen from above, as a direction; as it is where it is straight up.
fn level([x, y, z]: [f32; 3]) -> Vec3 {
    let square = x * x + z * z;
    if square > 1e-6 { Vec3::new(x, 0.0, z) / square.sqrt() } else { Vec3::new(x, y, z) }
}

/// What is left of a way on a plane; in the crease of two planes, what is left along both.
fn along(left: Vec3, normal: Vec3, before: Vec3) -> Vec3 {
    let along = left - normal * left.dot(normal);
    if before == Vec3::ZERO || along.dot(before) >= 0.0 {
        return along;
    }
    let crease = normal.cross(before);
    let square = crease.length_squared();
    if square > 1e-6 { crease * (left.dot(crease) / square) } else { Vec3::ZERO }
}

/// One query, in lanes. Never inlined: loops round it would be unrolled, each round with all of a sweep's code in it.
#[inline(never)]
fn sweep(isa: Isa, nearby: &Nearby, ends: [Vec3; 2], radius: f32, way: Vec3) -> Option<Hit> {
    let mut hit = None;
    dispatch(isa, Sweep { nearby, ends, radius, way, hit: &mut hit });
    hit
}

#[inline(never)]
fn deepest(isa: Isa, nearby: &Nearby, ends: [Vec3; 2], radius: f32) -> Option<Contact> {
    let mut contact = None;
    dispatch(isa, Deepest { nearby, ends, radius, contact: &mut contact });
    contact
}

struct Sweep<'a> {
    nearby: &'a Nearby,
    ends: [Vec3; 2],
    radius: f32,
    way: Vec3,
    hit: &'a mut Option<Hit>,
}

impl Kernel for Sweep<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let [a, b] = self.ends;
        *self.hit = self.nearby.sweep::<L>(a.into(), b.into(), self.radius, self.way.into());
    }
}

struct Deepest<'a> {
    nearby: &'a Nearby,
    ends: [Vec3; 2],
    radius: f32,
    contact: &'a mut Option<Contact>,
}

impl Kernel for Deepest<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let [a, b] = self.ends;
        *self.contact = self.nearby.deepest::<L>(a.into(), b.into(), self.radius);
    }
}
