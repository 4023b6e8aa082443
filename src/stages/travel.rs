//! travel: moves the heads.
//!
//! Reads headings, phases, speeds, reports, terrain. Writes heads, origins, phases, and the trail for `record`.
//! Driven and previewed heads integrate their heading over the tick with Simpson's rule, cut into pieces by distance, so
//! that the curve does not depend on the tick rate, and backing up retraces it (the rule is symmetric). Reported and
//! observed heads move as they say. Source: the serpentine document, "Achieved travel". Derivation:
//! docs/derivations/travel.md.
//! Parallel: touches its own lanes only.

use super::guidance::{self, flag_bits, phase_turns, yawed};
use super::{Context, Task, Trail, command, sweep};
use crate::batch::{BlockMut, BlockState, Motion, flag, lane3, set_lane3};
use crate::constants::{
    DIRECTION_EPSILON, LATERAL_SHARE, MAX_PIECE_S, MAX_PIECES, PIECES_PER_WAVELENGTH, SETTLE_SHARE, STEP_RADII,
    TURN_PER_PIECE_RAD,
};
use crate::lanes::{Kernel, LANES, Lane8, Lanes, Vec3W, dispatch, sin_turns};
use crate::profile::{Ground, Profile};
use crate::terrain::{GroundLanes, Terrain, Walls, clearance};

/// Radians to turns.
const TURNS: f32 = 0.159_154_94;

/// Runs the stage on one block.
pub(crate) fn move_heads(task: &mut Task<'_, '_>) {
    let Task { block, scratch, context } = task;
    let radius = block.profile.radius_m()[0];
    settle_seeds(block.state);
    let pieces = plan(block.state, block.profile, &mut scratch.trail);
    let mut blocked = 0;
    let drive = Drive {
        state: block.state,
        trail: &mut scratch.trail,
        terrain: context.terrain,
        pieces,
        rate: block.profile.steering_cycles(),
        radius,
        ground: block.profile.ground(),
        blocked: &mut blocked,
    };
    dispatch(context.isa, drive);
    sweep::slide_heads(task, blocked);
    let Task { block, scratch, context } = task;
    for lane in 0..LANES {
        let moved = lane3(&block.state.displacement, lane) != [0.0; 3];
        scratch.counters.moved += u64::from(moved);
        if scratch.trail.curved[lane] {
            scratch.counters.pieces += u64::from(scratch.trail.pieces[lane]);
            let lost = block.state.has(lane, flag::FOLLOWS) && !block.state.has(lane, flag::GROUNDED);
            scratch.counters.off_ground += u64::from(lost && !block.state.has(lane, flag::FALLS));
            scratch.counters.falling += u64::from(block.state.has(lane, flag::FALLS));
        }
        if moved {
            advance_phases(block, lane, scratch.trail.curved[lane] || scratch.trail.slid[lane]);
            stay_near_origin(block, lane, &mut scratch.trail);
        }
    }
    feel_ground(block.state, context, radius);
}

/// Before the first longitudinal travel, sideways movement (a controller settling) takes the whole seed along: the
/// origin moves, and with it everything that is relative to it.
fn settle_seeds(state: &mut BlockState) {
    for lane in 0..LANES {
        if !state.has(lane, flag::FRESH) || state.speed[lane] != 0.0 {
            continue;
        }
        let moved = lane3(&state.displacement, lane);
        let square = dot(moved, moved);
        let along = dot(moved, lane3(&state.forward, lane)).abs();
        if square > 0.0 && along <= SETTLE_SHARE * square.sqrt() {
            for c in 0..3 {
                state.origin[c][lane] += f64::from(moved[c]);
                state.displacement[c][lane] = 0.0;
            }
            state.put(lane, flag::ASKS, true);
        }
    }
}

/// How many pieces each lane's travel takes; the most of them.
fn plan(state: &BlockState, profile: &Profile, trail: &mut Trail) -> usize {
    let mut most = 1;
    for lane in 0..LANES {
        let distance = (state.speed[lane] * state.dt[lane]).abs();
        let waves = distance * profile.steering_cycles() / state.length[lane];
        let turn = sub(lane3(&state.center, lane), lane3(&state.center_before, lane));
        let wanted = [
            waves * PIECES_PER_WAVELENGTH,
            dot(turn, turn).sqrt() * (1.0 / TURN_PER_PIECE_RAD),
            state.dt[lane] * (1.0 / MAX_PIECE_S),
        ];
        let wanted = wanted.into_iter().fold(1.0, |most, x| if x > most { x } else { most });
        let limit = MAX_PIECES as f32;
        let wanted = if wanted < limit { wanted } else { limit };
        // Rounded up: 1.0 stays one piece.
        let pieces = wanted as u32 + u32::from(wanted > wanted as u32 as f32);
        let moves = state.speed[lane] != 0.0 || state.has(lane, flag::FALLS) && state.dt[lane] > 0.0;
        trail.pieces[lane] = if moves { pieces } else { 1 };
        (trail.curved[lane], trail.slid[lane]) = (moves, false);
        most = most.max(trail.pieces[lane] as usize);
    }
    most
}

/// The integration of one block's heads over a tick.
struct Drive<'a> {
    state: &'a mut BlockState,
    trail: &'a mut Trail,
    terrain: &'a Terrain,
    /// The most pieces of any lane.
    pieces: usize,
    /// Cycles per body length.
    rate: f32,
    /// Radius at the head at scale 1, in metres.
    radius: f32,
    ground: &'a Ground,
    /// Bits of the lanes that ran into ground which they do not climb.
    blocked: &'a mut u32,
}

impl Kernel for Drive<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, trail, terrain, pieces, rate, radius, ground, blocked } = self;
        let distance = L::load(&state.speed) * L::load(&state.dt);
        let turns = distance * L::splat(rate) / L::load(&state.length);
        let count = L::from_i32(&trail.pieces.map(|n| n as i32));
        let share = L::splat(1.0) / count;
        let step = distance * share * L::splat(1.0 / 6.0);
        let gait = Gait::<L>::load(state, turns);
        // Where the batch does not move the head, the report is the one piece.
        let mut moved = Vec3W::<L>::load(&state.displacement);
        let start = store_start(state, trail);
        let driven = L::mask_from_bits((0..LANES).fold(0, |m, l| m | (u32::from(trail.curved[l]) << l)));
        let walkers = walkers(state, terrain);
        let mut normal = gait.axis;
        let mut at = L::splat(0.0);
        gait.heading(at, normal).store(&mut trail.heading[0]);
        for piece in 0..pieces {
            let live = L::splat(piece as f32).lt(count) & driven;
            let [mut advance, mut after] = gait.advance(at, share, normal);
            let walking = L::bits(live) & walkers;
            if walking != 0 {
                // Heun's rule over the slope: the mean of the way in the plane here and in the plane where that leads.
                let felt = feel(state, terrain, moved + advance * step, radius);
                let there = plane_of(&felt, walking & !steep_lanes(&felt, ground), normal);
                let [beyond, _] = gait.advance(at, share, there);
                advance = (advance + beyond) * L::splat(0.5);
                let next = Vec3W::select(live, moved + advance * step, moved);
                let felt = feel(state, terrain, next, radius);
                let steep = steep_lanes(&felt, ground);
                let seconds = &(L::load(&state.dt) * share).to_array();
                let walk = Walk { ground, terrain, radius, lanes: walking, steep, seconds };
                moved = walk.stand(state, &felt, moved, next, blocked);
                normal = plane_of(&felt, walking & !steep, normal);
                after = gait.heading(at + share, normal);
            } else {
                moved = Vec3W::select(live, moved + advance * step, moved);
            }
            (start.cast::<L>() + moved).store(&mut trail.position[piece + 1]);
            after.store(&mut trail.heading[piece + 1]);
            at = at + share;
        }
        moved.store(&mut state.displacement);
        L::select(driven, distance, L::splat(0.0)).store(&mut state.travelled);
    }
}

/// The start of the trail: heads relative to their origins.
struct Start([Lane8; 3]);

impl Start {
    #[inline(always)]
    fn cast<L: Lanes>(&self) -> Vec3W<L> {
        Vec3W::load(&self.0)
    }
}

#[inline(always)]
fn store_start(state: &BlockState, trail: &mut Trail) -> Start {
    let mut start = [[0.0; LANES]; 3];
    for c in 0..3 {
        for lane in 0..LANES {
            start[c][lane] = state.head[c][lane] as f32;
        }
    }
    trail.position[0] = start;
    Start(start)
}

/// The heading as a function of the tick's elapsed share.
struct Gait<L: Lanes> {
    from: Vec3W<L>,
    to: Vec3W<L>,
    /// What the yaw turns about at the start: the ground's normal, or the dorsal.
    axis: Vec3W<L>,
    grounded: L::Mask,
    /// Full turn rate, in turns to `to` per tick.
    rate: L,
    /// The angle between the two, in radians.
    angle: L,
    amplitude: L,
    phase: L,
    turns: L,
}

impl<L: Lanes> Gait<L> {
    #[inline(always)]
    fn load(state: &BlockState, turns: L) -> Self {
        let guided = L::mask_from_bits(flag_bits(state, flag::GUIDED));
        Self {
            // Without head guidance the heading turns at once.
            from: Vec3W::select(guided, Vec3W::load(&state.center_before), Vec3W::load(&state.center)),
            to: Vec3W::load(&state.center),
            axis: guidance::axis(state),
            grounded: L::mask_from_bits(flag_bits(state, flag::GROUNDED)),
            rate: L::splat(1.0) / L::load(&state.turn_share),
            angle: L::load(&state.turn_share)
                * (L::load(&state.turn_rate) * L::load(&state.dt)).min(L::splat(std::f32::consts::PI)),
            amplitude: L::select(guided, L::load(&state.amplitude) * L::splat(TURNS), L::splat(0.0)),
            phase: phase_turns(&state.phase),
            turns,
        }
    }

    /// The heading at a share of the tick, over ground of this normal.
    #[inline(always)]
    fn heading(&self, share: L, normal: Vec3W<L>) -> Vec3W<L> {
        let one = L::splat(1.0);
        let u = (share * self.rate).min(one);
        // The share of the chord at a share of the angle: sin(a u) / (sin(a u) + sin(a (1 - u))); to the third order that
        // is enough for all but long ticks.
        let square = self.angle * self.angle * L::splat(1.0 / 6.0);
        let mut turned = u + square * u * (one - u) * (one - u - u);
        let long = L::splat(0.3).lt(self.angle);
        if L::any(long) {
            let angle = self.angle.min(L::splat(3.1)) * L::splat(TURNS);
            let (low, high) = (sin_turns(angle * u), sin_turns(angle * (one - u)));
            turned = L::select(long, low / (low + high).max(L::splat(1e-9)), turned);
        }
        let center = self.from.lerp(self.to, turned);
        let on_slope = guidance::in_plane(center, normal, self.to);
        let center = Vec3W::select(self.grounded, on_slope, center.normalize_or(DIRECTION_EPSILON, self.to));
        let yaw = self.amplitude * sin_turns(self.phase + self.turns * share);
        yawed(center, normal, yaw)
    }

    /// Six times the mean heading from `at` over `share` by Simpson's rule, and the heading at the end.
    #[inline(always)]
    fn advance(&self, at: L, share: L, normal: Vec3W<L>) -> [Vec3W<L>; 2] {
        let middle = self.heading(at + share * L::splat(0.5), normal);
        let after = self.heading(at + share, normal);
        [self.heading(at, normal) + middle * L::splat(4.0) + after, after]
    }
}

/// Bits of the lanes that the batch keeps on the ground.
#[inline(always)]
fn walkers(state: &BlockState, terrain: &Terrain) -> u32 {
    if matches!(terrain, Terrain::None) {
        return 0;
    }
    let driven = (0..LANES).fold(0, |m, l| m | (u32::from(state.motion[l] == Motion::Driven as u32) << l));
    driven & flag_bits(state, flag::FOLLOWS)
}

/// The ground under the heads after they moved so far in this tick.
#[inline(always)]
fn feel<L: Lanes>(state: &BlockState, terrain: &Terrain, moved: Vec3W<L>, radius: f32) -> GroundLanes {
    let (x, z) = (moved.x.to_array(), moved.z.to_array());
    let mut y = [f64::INFINITY; LANES];
    if terrain.has_floors() {
        // What a head steps up to counts as under it.
        y = place(state, 1, &moved.y.to_array());
        for lane in 0..LANES {
            y[lane] += f64::from(radius * state.scale[lane] * STEP_RADII);
        }
    }
    terrain.sample_under_lanes(&place(state, 0, &x), &y, &place(state, 2, &z))
}

/// World coordinates of the heads after they moved so far.
#[inline(always)]
fn place(state: &BlockState, c: usize, moved: &Lane8) -> [f64; LANES] {
    let mut at = [0.0; LANES];
    for lane in 0..LANES {
        at[lane] = state.origin[c][lane] + state.head[c][lane] + f64::from(moved[lane]);
    }
    at
}

/// The felt normals of the lanes that hit ground, for the others what was before.
#[inline(always)]
fn plane_of<L: Lanes>(felt: &GroundLanes, lanes: u32, before: Vec3W<L>) -> Vec3W<L> {
    let hit = (0..LANES).fold(0, |m, l| m | (u32::from(felt.hit[l]) << l));
    Vec3W::select(L::mask_from_bits(hit & lanes), Vec3W::load(&felt.normal), before)
}

/// Bits of the lanes that felt ground too steep to walk on: the foot of a wall, whose slope is no plane to head in.
#[inline(always)]
fn steep_lanes(felt: &GroundLanes, ground: &Ground) -> u32 {
    (0..LANES).fold(0, |m, l| m | (u32::from(is_steep(lane3(&felt.normal, l), ground)) << l))
}

/// Whether ground of this normal is too steep to walk on.
#[inline(always)]
pub(super) fn is_steep([x, y, z]: [f32; 3], ground: &Ground) -> bool {
    let slope = ground.max_climb_slope;
    x * x + z * z > y * y * slope * slope
}

/// How heads go over ground.
struct Walk<'a> {
    ground: &'a Ground,
    terrain: &'a Terrain,
    /// Radius at the head at scale 1, in metres.
    radius: f32,
    /// Bits of the lanes that walk.
    lanes: u32,
    /// Bits of the lanes that are on ground too steep to walk on.
    steep: u32,
    /// Time that passes on this piece.
    seconds: &'a Lane8,
}

impl Walk<'_> {
    /// Puts heads that went from `from` to `to` on the ground that was felt there: the sphere of the head's radius rests
    /// on it. Where the ground rises too steeply they stay, and are blocked; where it falls away they fall.
    #[inline(always)]
    fn stand<L: Lanes>(
        &self,
        state: &mut BlockState,
        felt: &GroundLanes,
        from: Vec3W<L>,
        to: Vec3W<L>,
        blocked: &mut u32,
    ) -> Vec3W<L> {
        let zero = L::splat(0.0);
        let way = Vec3W::new(to.x - from.x, zero, to.z - from.z);
        let radius = L::splat(self.radius) * L::load(&state.scale);
        let climb = way.length() * L::splat(self.ground.max_climb_slope) + radius * L::splat(1e-3);
        let most = climb + radius * L::splat(STEP_RADII);
        let (climb, most, before) = (climb.to_array(), most.to_array(), from.y.to_array());
        let radius = radius.to_array();
        let [x, z] = [(0, to.x), (2, to.z)].map(|(c, moved)| place(state, c, &moved.to_array()));
        let (rests, walled) =
            self.terrain.rest_on_lanes::<L>(self.lanes, &felt.footing, [&x, &z], &radius, Walls::Count);
        let (mut height, mut stays) = (to.y.to_array(), *blocked & self.lanes);
        for lane in 0..LANES {
            if self.lanes & !stays & (1 << lane) == 0 {
                continue;
            }
            if !felt.hit[lane] {
                self.leave(state, lane, false);
                continue;
            }
            let steep = self.steep & (1 << lane) != 0;
            let target = (rests[lane] - state.origin[1][lane] - state.head[1][lane]) as f32;
            let rise = target - before[lane];
            let falls = state.has(lane, flag::FALLS) || rise < -most[lane];
            // On ground that is too steep there are no steps, or it would be climbed one a tick.
            let up_a_wall = walled & (1 << lane) != 0 && rise > 1e-3 * radius[lane];
            if rise > most[lane] || steep && rise > climb[lane] || up_a_wall {
                stays |= 1 << lane;
            } else if falls && !self.fall(state, lane, before[lane], target, &mut height[lane]) {
                self.leave(state, lane, true);
            } else if falls && steep {
                // Ground that it cannot stand on does not stop a fall.
                height[lane] = target;
                self.leave(state, lane, true);
            } else {
                height[lane] = target;
                state.put(lane, flag::GROUNDED, true);
                state.put(lane, flag::FALLS, false);
                state.fall_speed[lane] = 0.0;
                let stood = lane3(&state.ground, lane);
                let leans = if stood == [0.0; 3] { [0.0, 1.0, 0.0] } else { stood };
                set_lane3(&mut state.ground, lane, if steep { leans } else { lane3(&felt.normal, lane) });
            }
        }
        *blocked |= stays;
        Vec3W::select(L::mask_from_bits(stays), from, Vec3W::new(to.x, L::load(&height), to.z))
    }

    /// Falls from `before` for the piece's time. Tells whether that ends on the ground.
    #[inline(always)]
    fn fall(&self, state: &mut BlockState, lane: usize, before: f32, ground: f32, height: &mut f32) -> bool {
        let (speed, seconds) = (state.fall_speed[lane], self.seconds[lane]);
        let free = speed + self.ground.gravity_m_s2 * seconds;
        let faster = if free < self.ground.max_fall_speed_m_s { free } else { self.ground.max_fall_speed_m_s };
        state.fall_speed[lane] = faster;
        *height = before - 0.5 * (speed + faster) * seconds;
        *height <= ground
    }

    #[inline(always)]
    fn leave(&self, state: &mut BlockState, lane: usize, falls: bool) {
        state.put(lane, flag::GROUNDED, false);
        state.put(lane, flag::FALLS, falls);
        state.fall_speed[lane] = if falls { state.fall_speed[lane] } else { 0.0 };
        set_lane3(&mut state.ground, lane, [0.0; 3]);
    }
}

/// Moves a head and its phases by this tick's displacement.
fn advance_phases(block: &mut BlockMut<'_>, lane: usize, self_moved: bool) {
    let (state, profile) = (&mut *block.state, block.profile);
    let moved = lane3(&state.displacement, lane);
    for c in 0..3 {
        state.head[c][lane] += f64::from(moved[c]);
    }
    let distance = if self_moved { state.travelled[lane] } else { reported_distance(state, lane, moved) };
    state.travelled[lane] = distance;
    let length = state.length[lane];
    let turn = turns_of(distance, profile.steering_cycles(), length);
    state.phase[lane] = state.phase[lane].wrapping_add(turn);
    let turn = turns_of(distance, profile.wave_cycles(), length);
    state.wave_phase[lane] = state.wave_phase[lane].wrapping_add(turn);
    if distance != 0.0 {
        state.put(lane, flag::FRESH, false);
    }
}

/// Signed distance along the forward direction on the ground. Observed movement counts once it leaves the noise.
fn reported_distance(state: &mut BlockState, lane: usize, moved: [f32; 3]) -> f32 {
    let mut counted = moved;
    if state.motion[lane] == Motion::Observed as u32 {
        counted = std::array::from_fn(|c| (state.head[c][lane] - state.anchor[c][lane]) as f32);
        if command::is_noise(counted, state.segment[lane]) {
            return 0.0;
        }
    }
    for c in 0..3 {
        state.anchor[c][lane] = state.head[c][lane];
    }
    let forward = along_ground(lane3(&state.forward, lane), lane3(&state.ground, lane));
    let (distance, length) = (dot(counted, forward), dot(counted, counted).sqrt());
    if distance.abs() <= LATERAL_SHARE * length { 0.0 } else { distance }
}

/// The unit direction of `forward` in the plane of the ground; as it is where there is no ground or it points into it.
fn along_ground(forward: [f32; 3], normal: [f32; 3]) -> [f32; 3] {
    let rise = dot(forward, normal);
    let flat: [f32; 3] = std::array::from_fn(|c| forward[c] - normal[c] * rise);
    let square = dot(flat, flat);
    if square < 1e-6 {
        return forward;
    }
    let inv = 1.0 / square.sqrt();
    flat.map(|c| c * inv)
}

/// Travel as turns of 2^-32, rounded symmetrically: forward and back cancel exactly.
fn turns_of(distance: f32, cycles: f32, length: f32) -> u32 {
    let turns = f64::from(distance) * f64::from(cycles) / f64::from(length) * 4_294_967_296.0;
    (turns + if turns < 0.0 { -0.5 } else { 0.5 }) as i64 as u32
}

/// Moves the origin by whole cells when the head is more than one away, and by the virtual travel of a preview.
fn stay_near_origin(block: &mut BlockMut<'_>, lane: usize, trail: &mut Trail) {
    let state = &mut *block.state;
    let cell = f64::from(state.cell[lane]);
    let shift: [f64; 3] = std::array::from_fn(|c| {
        let head = state.head[c][lane];
        if head.abs() > cell { (head / cell) as i64 as f64 * cell } else { 0.0 }
    });
    if state.motion[lane] == Motion::Preview as u32 {
        // The path moves backward past a head that stays: seen from the world, only the origin moved.
        let moved = lane3(&state.displacement, lane);
        for c in 0..3 {
            state.origin[c][lane] -= f64::from(moved[c]);
        }
    }
    if shift == [0.0; 3] {
        return;
    }
    for c in 0..3 {
        state.origin[c][lane] += shift[c];
        state.head[c][lane] -= shift[c];
        state.anchor[c][lane] -= shift[c];
        state.pen[c][lane] -= shift[c] as f32;
        let pieces = trail.pieces[lane] as usize;
        trail.position[..=pieces].iter_mut().for_each(|position| position[c][lane] -= shift[c] as f32);
    }
    for knot in block.shape.ring_of(block.knots, lane) {
        for c in 0..3 {
            knot[c] -= shift[c] as f32;
        }
    }
}

/// Finds the ground normal under each head, and whether a head that the caller moves is near enough to stand on it.
fn feel_ground(state: &mut BlockState, context: &Context<'_>, radius: f32) {
    // Those that the batch itself put on the ground know it already.
    let felt = |state: &BlockState, lane: usize| {
        state.dt[lane] == 0.0
            || state.speed[lane] != 0.0 && state.has(lane, flag::FOLLOWS) && state.motion[lane] == Motion::Driven as u32
    };
    if matches!(context.terrain, Terrain::None) || (0..LANES).all(|lane| felt(state, lane)) {
        return;
    }
    let world = |c: usize| -> [f64; LANES] { std::array::from_fn(|l| state.origin[c][l] + state.head[c][l]) };
    let (x, y, z) = (world(0), world(1), world(2));
    // A head that is a little in the ground stands on it all the same.
    let over = std::array::from_fn(|lane| y[lane] + f64::from(radius * state.scale[lane]));
    let ground = context.terrain.sample_under_lanes(&x, &over, &z);
    for lane in 0..LANES {
        if felt(state, lane) {
            continue;
        }
        let normal = lane3(&ground.normal, lane);
        let gap = y[lane] - ground.height_m[lane];
        let near = ground.hit[lane] && near_ground(gap, radius * state.scale[lane], normal[1]);
        // A swimmer near the bottom is not bound to its slope, nor is a preview, which is nowhere.
        let stands = near && state.has(lane, flag::FOLLOWS) && state.motion[lane] != Motion::Preview as u32;
        state.put(lane, flag::GROUNDED, stands);
        set_lane3(&mut state.ground, lane, if stands { normal } else { [0.0; 3] });
    }
}

/// Whether a head of this radius so high above the ground is near enough to stand on it: within a radius of touching.
pub(crate) fn near_ground(gap: f64, radius: f32, normal_y: f32) -> bool {
    gap.abs() <= f64::from(radius + clearance(radius, normal_y))
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
