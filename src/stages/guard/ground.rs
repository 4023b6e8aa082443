//! What the guard feels of the ground: planes, one for each place.

use super::{Felt, NOTHING, NOWHERE, Section};
use crate::batch::{BlockState, JointLanes, Vec8, lane3};
use crate::constants::GUARD_SLOP;
use crate::lanes::{Isa, Kernel, LANES, Lane8, Lanes, Vec3W, WideLanes, dispatch};
use crate::terrain::{Contact, Hit, Nearby, Slope, SlopeId, Terrain};

/// Halvings of a quarter of a segment, in which its deepest place is looked for: to a 64th.
const SEARCHES: usize = 4;

/// Ground that spheres are held against.
pub(super) trait Ground {
    /// Whether what was felt at a place holds nearby.
    const HOLDS: bool;

    /// Feels the ground under spheres in these lanes; `from` are places outside the ground from which the spheres came.
    fn feel<L: Lanes>(&mut self, lanes: u32, from: Vec3W<L>, at: Vec3W<L>, radius: L, felt: &mut Felt);

    /// Feels where on their way from one place to the other spheres are deepest, as a share of their radius, which goes
    /// from one to the other; yields the share of the way.
    fn feel_way<L: Lanes>(&mut self, lanes: u32, ends: [Vec3W<L>; 2], radius: [L; 2], felt: &mut Felt) -> L;
}

/// Planes and heightfields: the sphere is held against the interpolated slope straight below or above its centre. That
/// is how heads are put on the ground, so a path laid there is right by the same measure.
pub(super) struct Open<'a> {
    terrain: &'a Terrain,
    origin: &'a [[f64; LANES]; 3],
    /// The triangles under the joints that were felt last.
    slopes: Slopes,
    /// Those under other places.
    elsewhere: Slopes,
}

/// A triangle of each lane, from its creature's origin.
struct Slopes {
    x: Lane8,
    z: Lane8,
    per_m: [Lane8; 2],
    side: Lane8,
    ends: [Lane8; 2],
    /// Room per cell; what is added to it where there is no diagonal.
    room: [Lane8; 2],
    /// Height and normal at the corner, and what they gain along x and z.
    corner: [Lane8; 4],
    gain: [[Lane8; 4]; 2],
    cell: [SlopeId; LANES],
    /// Lanes that came from a triangle which is not beside the present one.
    jumped: u32,
}

/// Where a point is on a triangle, in cells.
#[derive(Clone, Copy)]
pub(super) struct Place<L> {
    x: L,
    z: L,
    /// Cells to the nearest edge.
    inside: L,
}

impl Slopes {
    /// No ground, on which no point is, so that each is looked up.
    const NONE: Self = Self {
        x: [0.0; LANES],
        z: [0.0; LANES],
        per_m: [[0.0; LANES]; 2],
        side: [f32::NAN; LANES],
        ends: [[0.0; LANES]; 2],
        room: [[0.0; LANES]; 2],
        corner: [[f32::NEG_INFINITY; LANES], [0.0; LANES], [1.0; LANES], [0.0; LANES]],
        gain: [[[0.0; LANES]; 4]; 2],
        cell: [SlopeId { column: 0, row: 0, is_east: false }; LANES],
        jumped: 0,
    };

    #[inline(always)]
    fn place<L: Lanes>(&self, at: Vec3W<L>) -> Place<L> {
        let (low, high) = (L::load(&self.ends[0]), L::load(&self.ends[1]));
        let x = (at.x - L::load(&self.x)) * L::load(&self.per_m[0]);
        let z = (at.z - L::load(&self.z)) * L::load(&self.per_m[1]);
        // The last is NaN without ground, and the minimum yields its second operand then.
        let inside = (x - low).min(z - low).min((high - x).min(high - z));
        Place { x, z, inside: inside.min((x - z) * L::load(&self.side) + L::load(&self.room[1])) }
    }

    /// Height, from the creature's origin, and unit normal.
    #[inline(always)]
    fn at<L: Lanes>(&self, place: Place<L>) -> (L, Vec3W<L>) {
        let Place { x, z, .. } = place;
        let (nx, ny, nz) = (self.mix(1, x, z), self.mix(2, x, z).max(L::splat(Slope::LEAST_Y)), self.mix(3, x, z));
        let inv = L::splat(1.0) / (nx * nx + ny * ny + nz * nz).sqrt();
        (self.mix(0, x, z), Vec3W::new(nx * inv, ny * inv, nz * inv))
    }

    /// How deep a sphere is under the plane of the triangle, of which the place may be outside.
    #[inline(always)]
    fn depth<L: Lanes>(&self, at: Vec3W<L>, radius: L) -> L {
        let (height, normal) = self.at(self.place(at));
        (height - at.y) * normal.y + radius
    }

    #[inline(always)]
    fn mix<L: Lanes>(&self, part: usize, x: L, z: L) -> L {
        let (along_x, along_z) = (L::load(&self.gain[0][part]), L::load(&self.gain[1][part]));
        L::load(&self.corner[part]) + (x * along_x + z * along_z)
    }

    #[inline(never)]
    fn look_up(&mut self, lane: usize, terrain: &Terrain, origin: [f64; 3], at: [f32; 3]) {
        let [x, z] = [0, 2].map(|c| origin[c] + f64::from(at[c]));
        self.jumped |= 1 << lane;
        let Some(slope) = terrain.slope_at(x, z) else {
            self.side[lane] = f32::NAN;
            self.corner[0][lane] = f32::NEG_INFINITY;
            return;
        };
        let [x, y, z] = [0, 1, 2].map(|c| (slope.corner[c] - origin[c]) as f32);
        (self.x[lane], self.z[lane], self.side[lane]) = (x, z, slope.side);
        (self.room[0][lane], self.room[1][lane]) = (slope.room_m, if slope.side == 0.0 { f32::INFINITY } else { 0.0 });
        if slope.cell.is_beside(self.cell[lane]) {
            self.jumped &= !(1 << lane);
        }
        self.cell[lane] = slope.cell;
        let [nx, ny, nz] = slope.normal;
        for (part, value) in [y, nx, ny, nz].into_iter().enumerate() {
            self.corner[part][lane] = value;
        }
        for axis in 0..2 {
            (self.per_m[axis][lane], self.ends[axis][lane]) = (slope.per_m[axis], slope.ends[axis]);
            for part in 0..4 {
                self.gain[axis][part][lane] = slope.gain[axis][part];
            }
        }
    }

    /// Looks up the triangles under these lanes.
    #[inline(always)]
    fn look_up_lanes<L: Lanes>(&mut self, lanes: u32, terrain: &Terrain, origin: &[[f64; LANES]; 3], at: Vec3W<L>) {
        let [x, y, z] = [at.x.to_array(), at.y.to_array(), at.z.to_array()];
        for lane in 0..LANES {
            if lanes & (1 << lane) != 0 {
                self.look_up(lane, terrain, lane3(origin, lane), [x[lane], y[lane], z[lane]]);
            }
        }
    }
}

/// A sphere as the march left it.
#[derive(Clone, Copy)]
pub(super) struct Ball<L> {
    pub at: Vec3W<L>,
    pub radius: L,
    pub depth: L,
}

/// Between two places the triangle changes: a crest, where each of the two lies under the other's plane.
#[derive(Clone, Copy)]
pub(super) struct Crest<L> {
    /// Lanes in which the two places are on triangles beside each other.
    pub crossed: u32,
    /// Lanes in which they are on others, with more between.
    pub jumped: u32,
    /// Share of the way at which the planes of the two meet, and how deep it is there; minus infinity in a valley.
    pub share: L,
    pub depth: L,
}

impl<'a> Open<'a> {
    #[inline(always)]
    pub(super) fn new(terrain: &'a Terrain, origin: &'a [[f64; LANES]; 3]) -> Self {
        Self { terrain, origin, slopes: Slopes::NONE, elsewhere: Slopes::NONE }
    }

    /// Feels the ground under the next spheres in these lanes, with its slope and with how far it holds; and between them
    /// and the last.
    #[inline(always)]
    pub(super) fn feel_next<L: Lanes>(
        &mut self,
        lanes: u32,
        last: &Ball<L>,
        next: &mut Ball<L>,
        section: &mut Section,
    ) -> Option<Crest<L>> {
        let mut place = self.slopes.place(next.at);
        let beyond = lanes & !L::bits(L::splat(0.0).le(place.inside));
        let (mut over, mut under) = (next.depth, next.depth);
        if beyond != 0 {
            over = self.slopes.depth(next.at, next.radius);
            self.slopes.look_up_lanes(beyond, self.terrain, self.origin, next.at);
            under = self.slopes.depth(last.at, last.radius);
            place = self.slopes.place(next.at);
        }
        let (height, normal) = self.slopes.at(place);
        next.depth = (height - next.at.y) * normal.y + next.radius;
        next.depth.store(&mut section.felt.depth);
        normal.store(&mut section.felt.normal);
        (place.inside * L::load(&self.slopes.room[0])).store(&mut section.felt.room);
        for axis in 0..2 {
            let slope = L::load(&self.slopes.gain[axis][0]) * L::load(&self.slopes.per_m[axis]);
            slope.store(&mut section.slope[axis]);
        }
        if beyond == 0 {
            return None;
        }
        let zero = L::splat(0.0);
        let (first, second) = (under - last.depth, over - next.depth);
        let is_crest = zero.lt(first) & zero.lt(second);
        let share = first / L::select(is_crest, first + second, L::splat(1.0));
        let depth = L::select(is_crest, last.depth + share * (over - last.depth), L::splat(f32::NEG_INFINITY));
        let jumped = beyond & self.slopes.jumped;
        Some(Crest { crossed: beyond & !jumped, jumped, share, depth })
    }
}

impl Open<'_> {
    /// Feels other places: rarely, so that it is compiled once, for the lanes that all machines have. The bits are the same.
    #[inline(never)]
    fn feel_elsewhere(&mut self, lanes: u32, at: &Vec8, radius: &Lane8, felt: &mut Felt) {
        let (place, mask) = (Vec3W::<WideLanes>::load(at), WideLanes::mask_from_bits(lanes));
        self.elsewhere.look_up_lanes(lanes, self.terrain, self.origin, place);
        let on = self.elsewhere.place(place);
        let (height, normal) = self.elsewhere.at(on);
        let depth = (height - place.y) * normal.y + WideLanes::load(radius);
        let room = on.inside * WideLanes::load(&self.elsewhere.room[0]);
        WideLanes::select(mask, room, WideLanes::load(&felt.room)).store(&mut felt.room);
        Vec3W::select(mask, place, Vec3W::load(&felt.at)).store(&mut felt.at);
        Vec3W::select(mask, normal, Vec3W::load(&felt.normal)).store(&mut felt.normal);
        WideLanes::select(mask, depth, WideLanes::load(&felt.depth)).store(&mut felt.depth);
    }
}

impl Open<'_> {
    /// Over one crest the depth rises to it and falls behind it. So a coarse search finds its slopes, and a fine one the crest.
    #[inline(never)]
    fn search_way(&mut self, lanes: u32, ends: [&Vec8; 2], radius: [&Lane8; 2], felt: &mut Felt) -> Lane8 {
        let ends = ends.map(Vec3W::<WideLanes>::load);
        let radius = radius.map(WideLanes::load);
        let mut best = (WideLanes::splat(0.5), WideLanes::splat(f32::NEG_INFINITY));
        for quarter in 1..4 {
            self.try_share(lanes, ends, radius, WideLanes::splat(0.25 * quarter as f32), &mut best, felt);
        }
        let mut step = 0.125;
        for _ in 0..SEARCHES {
            let middle = best.0;
            for side in [-step, step] {
                self.try_share(lanes, ends, radius, middle + WideLanes::splat(side), &mut best, felt);
            }
            step *= 0.5;
        }
        best.0.to_array()
    }

    /// Takes a share of the way where it is deeper there than at the best one.
    #[inline(always)]
    fn try_share(
        &mut self,
        lanes: u32,
        [from, to]: [Vec3W<WideLanes>; 2],
        [first, second]: [WideLanes; 2],
        share: WideLanes,
        best: &mut (WideLanes, WideLanes),
        felt: &mut Felt,
    ) {
        let mut place = NOWHERE;
        from.lerp(to, share).store(&mut place);
        let radius = first + (second - first) * share;
        let mut here = NOTHING;
        self.feel_elsewhere(lanes, &place, &radius.to_array(), &mut here);
        let deep = WideLanes::load(&here.depth) / radius;
        let is_deeper = best.1.lt(deep);
        *best = (WideLanes::select(is_deeper, share, best.0), WideLanes::select(is_deeper, deep, best.1));
        let chosen = WideLanes::bits(is_deeper);
        for lane in 0..LANES {
            if chosen & (1 << lane) != 0 {
                put(felt, lane, lane3(&here.at, lane), lane3(&here.normal, lane), here.depth[lane]);
            }
        }
    }
}

impl Ground for Open<'_> {
    const HOLDS: bool = true;

    #[inline(always)]
    fn feel<L: Lanes>(&mut self, lanes: u32, _: Vec3W<L>, at: Vec3W<L>, radius: L, felt: &mut Felt) {
        let mut place = [[0.0; LANES]; 3];
        at.store(&mut place);
        self.feel_elsewhere(lanes, &place, &radius.to_array(), felt);
    }

    #[inline(always)]
    fn feel_way<L: Lanes>(&mut self, lanes: u32, ends: [Vec3W<L>; 2], radius: [L; 2], felt: &mut Felt) -> L {
        let [mut from, mut to] = [[[0.0; LANES]; 3]; 2];
        ends[0].store(&mut from);
        ends[1].store(&mut to);
        L::load(&self.search_way(lanes, [&from, &to], [&radius[0].to_array(), &radius[1].to_array()], felt))
    }
}

#[inline(always)]
fn put(felt: &mut Felt, lane: usize, at: [f32; 3], normal: [f32; 3], depth: f32) {
    felt.depth[lane] = depth;
    for c in 0..3 {
        felt.at[c][lane] = at[c];
        felt.normal[c][lane] = normal[c];
    }
}

/// Meshes and sets near the body of one lane: the sphere is held against the triangles themselves. A triangle between the
/// joint before and the sphere's centre is one that the body went through, and the way out is to that joint's side;
/// else it is to the side where the centre is.
pub(super) struct Near<'a> {
    isa: Isa,
    terrain: &'a Terrain,
    origin: [f64; 3],
    lane: usize,
    /// How far around a body the ground matters.
    reach: f32,
    nearby: &'a mut Nearby,
}

impl<'a> Near<'a> {
    #[inline(always)]
    pub(super) fn new(
        isa: Isa,
        terrain: &'a Terrain,
        state: &BlockState,
        lane: usize,
        reach: f32,
        nearby: &'a mut Nearby,
    ) -> Self {
        Self { isa, terrain, origin: lane3(&state.origin, lane), lane, reach, nearby }
    }

    /// Collects the ground around the segments that may touch it; false where there is none.
    #[inline(always)]
    pub(super) fn gather_body(&mut self, joints: &[JointLanes], touches: &[bool]) -> bool {
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for (i, joint) in joints.iter().enumerate() {
            if !(touches[i] || touches.get(i + 1) == Some(&true)) {
                continue;
            }
            for c in 0..3 {
                let at = joint[c][self.lane];
                min[c] = if at < min[c] { at } else { min[c] };
                max[c] = if at > max[c] { at } else { max[c] };
            }
        }
        let (mut center, mut half) = ([0.0; 3], [0.0; 3]);
        for c in 0..3 {
            center[c] = self.origin[c] + f64::from(0.5 * (min[c] + max[c]));
            half[c] = 0.5 * (max[c] - min[c]) + self.reach;
        }
        self.terrain.gather(center, half, self.nearby);
        !self.nearby.is_empty()
    }

    #[inline(always)]
    fn local(&self, at: [f32; 3]) -> [f32; 3] {
        let mut world = self.origin;
        for c in 0..3 {
            world[c] += f64::from(at[c]);
        }
        self.nearby.local(world)
    }
}

/// What a sphere at `to` touches that came from `from`, or what a capsule between them touches; a kernel of its own, so that
/// it is compiled once for each set of instructions and not for each place that asks.
struct Touch<'a> {
    nearby: &'a Nearby,
    from: [f32; 3],
    to: [f32; 3],
    radius: f32,
    is_capsule: bool,
    found: &'a mut Option<Contact>,
}

impl Kernel for Touch<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { nearby, from, to, radius, is_capsule, found } = self;
        // Nearly all segments touch nothing on their whole length.
        let shy = if is_capsule { 1.0 } else { 1.0 - GUARD_SLOP };
        let Some(contact) = nearby.deepest::<L>(from, to, radius * shy) else { return };
        if is_capsule {
            *found = Some(contact);
            return;
        }
        let way = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        *found = match nearby.ray::<L>(from, way, 1.0) {
            Some(Hit { normal, point, id, .. }) => {
                let [x, y, z] = normal;
                let over = x * (to[0] - point[0]) + y * (to[1] - point[1]) + z * (to[2] - point[2]);
                Some(Contact { depth: radius - over, normal, point, id })
            }
            None => nearby.deepest::<L>(to, to, radius),
        };
    }
}

impl Near<'_> {
    /// The contact, and the ends as its point is given.
    #[inline(never)]
    fn touch(&mut self, ends: [[f32; 3]; 2], radius: f32, is_capsule: bool) -> Option<(Contact, [[f32; 3]; 2])> {
        let mut local = ends.map(|end| self.local(end));
        if !local.iter().all(|&end| self.nearby.covers(end, radius)) {
            // Far from where the march put it: what is around it now.
            let mut world = self.origin;
            for c in 0..3 {
                world[c] += f64::from(ends[1][c]);
            }
            self.terrain.gather(world, [2.0 * self.reach; 3], self.nearby);
            local = ends.map(|end| self.local(end));
        }
        let ([from, to], mut found) = (local, None);
        dispatch(self.isa, Touch { nearby: self.nearby, from, to, radius, is_capsule, found: &mut found });
        found.map(|contact| (contact, local))
    }
}

impl Ground for Near<'_> {
    const HOLDS: bool = false;

    #[inline(always)]
    fn feel<L: Lanes>(&mut self, lanes: u32, from: Vec3W<L>, at: Vec3W<L>, radius: L, felt: &mut Felt) {
        let lane = self.lane;
        if lanes & (1 << lane) != 0 {
            let ends = [of_lane(from, lane), of_lane(at, lane)];
            put(felt, lane, ends[1], [0.0, 1.0, 0.0], f32::NEG_INFINITY);
            if let Some((contact, _)) = self.touch(ends, radius.to_array()[lane], false) {
                put(felt, lane, ends[1], contact.normal, contact.depth);
            }
        }
    }

    #[inline(always)]
    fn feel_way<L: Lanes>(&mut self, lanes: u32, ends: [Vec3W<L>; 2], radius: [L; 2], felt: &mut Felt) -> L {
        let lane = self.lane;
        let [first, second] = radius.map(|radius| radius.to_array()[lane]);
        let ends = ends.map(|end| of_lane(end, lane));
        let mut share = [0.5; LANES];
        if lanes & (1 << lane) != 0
            && let Some((contact, [from, to])) = self.touch(ends, if first < second { second } else { first }, true)
        {
            share[lane] = share_of(contact.point, from, to);
            // A cone, and not a cylinder.
            let thinner =
                if first < second { (second - first) * (1.0 - share[lane]) } else { (first - second) * share[lane] };
            put(felt, lane, ends[1], contact.normal, contact.depth - thinner);
        }
        L::load(&share)
    }
}

/// Where on the way from one point to the other the nearest to a third is.
fn share_of(point: [f32; 3], from: [f32; 3], to: [f32; 3]) -> f32 {
    let (mut along, mut square) = (0.0, 0.0);
    for c in 0..3 {
        along += (point[c] - from[c]) * (to[c] - from[c]);
        square += (to[c] - from[c]) * (to[c] - from[c]);
    }
    let share = if square > 0.0 { along / square } else { 0.5 };
    let share = if share > 0.0 { share } else { 0.0 };
    if share < 1.0 { share } else { 1.0 }
}

#[inline(always)]
fn of_lane<L: Lanes>(at: Vec3W<L>, lane: usize) -> [f32; 3] {
    [at.x.to_array()[lane], at.y.to_array()[lane], at.z.to_array()[lane]]
}
