//! What the guard feels of the ground: planes, one for each place.

use super::{Felt, Section};
use crate::batch::{BlockState, JointLanes, lane3};
use crate::constants::GUARD_SLOP;
use crate::lanes::{EachLane, Isa, Kernel, LANES, Lane8, Lanes, Vec3W, WideLanes, closest_between_segments, dispatch};
use crate::terrain::{Cells, Contact, Hit, NO_FACE, Nearby, Place, Slopes, Terrain, Walls, into_crest};

/// What a crest lets a section down by, in radii: below this it is sharp.
const SHARP: f32 = -0.04;

/// Triangles that a segment is followed over, at most.
const MOST_CROSSED: usize = 256;

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

/// Ground whose triangles are looked up: a sphere is held against the triangle straight below or above its centre, and what
/// lies beyond that one's edges. That is how heads are put on the ground, so a path laid there is right by the same measure.
pub(super) struct Open<'a> {
    map: Map<'a>,
    under: Under,
    /// Ground that has a free side below.
    pub(super) is_sheet: bool,
    /// Lanes that came to the border of it.
    pub(super) rim: u32,
}

/// The triangles under the joints that were felt last, and how they were come to.
struct Under {
    slopes: Slopes,
    beside: [[u32; 3]; LANES],
    /// Lanes that came from a triangle which is not beside the present one.
    jumped: u32,
    /// For the others, the direction in plan across the edge that was crossed.
    across: [Lane8; 2],
}

impl Under {
    const NOTHING: Self =
        Self { slopes: Slopes::NONE, beside: [[NO_FACE; 3]; LANES], jumped: 0, across: [[1.0; LANES], [0.0; LANES]] };

    /// How far a point is straight under the triangle's plane, of which its place may be outside.
    #[inline(always)]
    fn under<L: Lanes>(&self, place: &Place<L>, y: L) -> L {
        self.slopes.height(place) - y
    }

    /// Looks up the triangles under these lanes.
    #[inline(always)]
    fn look_up<L: Lanes>(&mut self, lanes: u32, ground: &Map<'_>, at: Vec3W<L>) {
        let came = self.slopes.face;
        let mut left = lanes;
        if let Some(cells) = &ground.cells {
            left = cells.look_up(lanes, &ground.origin[1], [at.x, at.z], &mut self.slopes, &mut self.beside);
        }
        if left != 0 {
            let [x, z] = [at.x.to_array(), at.z.to_array()];
            for lane in EachLane(left) {
                self.look_up_one(lane, ground, [x[lane], z[lane]]);
            }
        }
        self.slopes.derive::<L>(ground.cells.as_ref().map(Cells::size_m));
        for lane in EachLane(lanes) {
            self.jumped |= 1 << lane;
            for k in 0..3 {
                if self.beside[lane][k] == came[lane] && came[lane] != NO_FACE {
                    self.jumped &= !(1 << lane);
                    [self.across[0][lane], self.across[1][lane]] = self.slopes.across(k, lane);
                }
            }
        }
    }

    /// Lanes whose triangle has a border.
    fn borders(&self) -> u32 {
        (0..LANES).fold(0, |lanes, lane| lanes | (u32::from(self.beside[lane].contains(&NO_FACE)) << lane))
    }

    #[inline(never)]
    fn look_up_one(&mut self, lane: usize, ground: &Map<'_>, [x, z]: [f32; 2]) {
        let origin = lane3(ground.origin, lane);
        match ground.terrain.slope_at(origin[0] + f64::from(x), origin[2] + f64::from(z)) {
            None => {
                self.slopes.clear(lane);
                self.beside[lane] = [NO_FACE; 3];
            }
            Some(slope) => {
                self.slopes.put(lane, &slope, origin);
                self.beside[lane] = slope.beside;
            }
        }
    }
}

/// Open ground as eight creatures see it.
struct Map<'a> {
    terrain: &'a Terrain,
    origin: &'a [[f64; LANES]; 3],
    cells: Option<Cells<'a>>,
}

impl Map<'_> {
    /// How deep spheres are, of which those in these lanes are near a corner.
    #[inline(always)]
    fn depth_at_corners<L: Lanes>(&self, lanes: u32, ball: &Ball<L>, up: L) -> L {
        let (mut depth, up, radius) = (ball.depth.to_array(), up.to_array(), ball.radius.to_array());
        let plane = ball.plane.to_array();
        for lane in EachLane(lanes) {
            let [x, y, z] = of_lane(ball.at, lane);
            let origin = lane3(self.origin, lane);
            let [x, y, z] = [origin[0] + f64::from(x), origin[1] + f64::from(y), origin[2] + f64::from(z)];
            let limit = y + f64::from(plane[lane] + 3.0 * radius[lane]);
            depth[lane] = (self.terrain.rest_at_corner([x, limit, z], radius[lane]) - y) as f32 * up[lane];
        }
        L::load(&depth)
    }
}

/// A sphere as the march left it.
#[derive(Clone, Copy)]
pub(super) struct Ball<L> {
    pub at: Vec3W<L>,
    pub radius: L,
    /// How deep it is in the ground.
    pub depth: L,
    /// How far its centre is straight under the triangle's plane there.
    pub plane: L,
    /// Lanes in which it is on a sharp edge or beside a corner.
    pub edge: u32,
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
    /// Metres straight up that a metre across the crest is.
    pub secant: L,
}

impl<'a> Open<'a> {
    #[inline(always)]
    pub(super) fn new(terrain: &'a Terrain, origin: &'a [[f64; LANES]; 3]) -> Self {
        let cells = match terrain {
            Terrain::Heightfield(field) => Some(Cells::new(field, origin)),
            _ => None,
        };
        Self { map: Map { terrain, origin, cells }, under: Under::NOTHING, is_sheet: terrain.has_floors(), rim: 0 }
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
        let ground = &mut self.under;
        let mut place = ground.slopes.place(next.at.x, next.at.z);
        let beyond = lanes & !L::bits(L::splat(0.0).le(place.room));
        let (mut over, mut under) = (next.plane, next.plane);
        if beyond != 0 {
            over = ground.under(&place, next.at.y);
            ground.look_up(beyond, &self.map, next.at);
            under = ground.under(&ground.slopes.place(last.at.x, last.at.z), last.at.y);
            place = ground.slopes.place(next.at.x, next.at.z);
        }
        let normal = Vec3W::<L>::load(&ground.slopes.normal);
        next.plane = ground.under(&place, next.at.y);
        let (bears, gain) = ground.slopes.bear(&place, next.radius, Walls::Lean);
        let mut normal = normal;
        let beside = place.room.lt(next.radius);
        if L::any(beside) {
            // Between the plane's normal and that of what holds it: straight up in a valley.
            let one = L::splat(1.0);
            let held = Vec3W::new(-gain[0], one, -gain[1]).normalize_or(0.0, normal);
            normal = Vec3W::select(beside, (normal + held).normalize_or(1e-6, held), normal);
        }
        let lean = L::load(&ground.slopes.normal[1]);
        next.depth = (next.plane + bears + next.radius / lean) * normal.y;
        if self.is_sheet {
            let near = lanes & !L::bits(next.radius.le(place.room));
            self.rim |= near & ground.borders();
        }
        // On a sharp edge, or beside a corner, segments are looked at on their whole length.
        let mut corner = lanes & L::bits(bears.lt(next.radius * L::splat(SHARP)));
        if L::any(beside) {
            let near = lanes & L::bits(ground.slopes.near_corners(&place, next.radius));
            corner |= near;
            if near != 0 {
                next.depth = self.map.depth_at_corners(near, next, normal.y);
            }
        }
        next.depth.store(&mut section.felt.depth);
        normal.store(&mut section.felt.normal);
        place.room.store(&mut section.felt.room);
        gain[0].store(&mut section.slope[0]);
        gain[1].store(&mut section.slope[1]);
        next.edge = corner;
        section.edge = corner;
        // The nearest that a way down from an edge comes to it is behind it.
        corner |= last.edge;
        if beyond | corner == 0 {
            return None;
        }
        let zero = L::splat(0.0);
        let (first, second) = (under - last.plane, over - next.plane);
        let is_crest = zero.lt(first) & zero.lt(second);
        let share = first / L::select(is_crest, first + second, L::splat(1.0));
        // As far under the edge as under its planes, and less across it.
        let radius = last.radius + (next.radius - last.radius) * share;
        let high = L::splat(0.0) - (last.plane + share * (over - last.plane));
        let across = [L::load(&ground.across[0]), L::load(&ground.across[1])];
        let own = [L::load(&ground.slopes.gain[0]), L::load(&ground.slopes.gain[1])];
        let [depth, secant, share] = into_crest(next.at - last.at, across, own, high, share, radius);
        let depth = L::select(is_crest, depth, L::splat(f32::NEG_INFINITY));
        // Beside a corner there are more crests than the one between.
        let jumped = beyond & ground.jumped | corner;
        Some(Crest { crossed: beyond & !jumped, jumped, share, depth, secant })
    }

    /// Feels one other place.
    #[inline(never)]
    fn feel_elsewhere(&mut self, lane: usize, at: [f32; 3], radius: f32, felt: &mut Felt) {
        let origin = lane3(self.map.origin, lane);
        let [x, z] = [0, 2].map(|c| origin[c] + f64::from(at[c]));
        let Some(slope) = self.map.terrain.slope_at(x, z) else {
            return put(felt, lane, at, [0.0, 1.0, 0.0], f32::NEG_INFINITY);
        };
        let rest = if slope.is_near_corner(x, z, radius) {
            let limit = slope.height_m(x, z) + f64::from(3.0 * radius);
            self.map.terrain.rest_at_corner([x, limit, z], radius)
        } else {
            slope.rest_m(x, z, radius, Walls::Lean)
        };
        let rest = rest - (origin[1] + f64::from(at[1]));
        let normal = slope.normal();
        put(felt, lane, at, normal, rest as f32 * normal[1]);
    }

    /// Goes from triangle to triangle along a segment, and feels it on each crest that it crosses. Yields the share of the
    /// way at which it is deepest, as a share of its radius.
    #[inline(never)]
    fn search_way(&self, lane: usize, [from, to]: [[f32; 3]; 2], radius: [f32; 2], felt: &mut Felt) -> f32 {
        let origin = lane3(self.map.origin, lane);
        put(felt, lane, from, [0.0, 1.0, 0.0], f32::NEG_INFINITY);
        let [x, z] = [0, 2].map(|c| origin[c] + f64::from(from[c]));
        let (mut next, mut best, mut deepest, mut came) =
            (self.map.terrain.slope_at(x, z), 0.5, f32::NEG_INFINITY, NO_FACE);
        for _ in 0..MOST_CROSSED {
            let Some(slope) = next else { break };
            let to_slope = [0, 1, 2].map(|c| (slope.corner[c] - origin[c]) as f32);
            let corner = |k: usize| {
                let [x, z] = slope.points[k % 3];
                Vec3W::splat([x + to_slope[0], slope.gain[0] * x + slope.gain[1] * z + to_slope[1], z + to_slope[2]])
            };
            let way = Vec3W::<WideLanes>::splat([to[0] - from[0], to[1] - from[1], to[2] - from[2]]);
            for k in (0..3).filter(|&k| slope.is_crest(k)) {
                let (edge, start) = (corner(k + 1) - corner(k), Vec3W::splat(from));
                let (share, on) = closest_between_segments(start, way, corner(k), edge);
                let away = (start + way * share) - (corner(k) + edge * on);
                let (share, over) = (share.to_array()[0], away.y.to_array()[0]);
                let here = radius[0] + (radius[1] - radius[0]) * share;
                let depth = here - away.length().to_array()[0];
                if over > 0.0 && depth > deepest * here {
                    (best, deepest) = (share, depth / here);
                    let at = [0, 1, 2].map(|c| from[c] + (to[c] - from[c]) * share);
                    put(felt, lane, at, [0.0, 1.0, 0.0], depth);
                }
            }
            let seen = |at: [f32; 3]| [0, 2].map(|c| (origin[c] + f64::from(at[c]) - slope.corner[c]) as f32);
            let Some(crossing) = slope.leave([seen(from), seen(to)], came) else { break };
            if crossing.is_crest {
                // Over the edge, the nearest places of the two have been looked at.
                let share = crossing.share;
                let at = [0, 1, 2].map(|c| from[c] + (to[c] - from[c]) * share);
                let [x, z] = seen(at);
                let over =
                    (origin[1] + f64::from(at[1]) - slope.corner[1]) as f32 - (slope.gain[0] * x + slope.gain[1] * z);
                let here = radius[0] + (radius[1] - radius[0]) * share;
                let [share_w, over_w, here_w] = [share, over, here].map(WideLanes::splat);
                let (across, gain) = (crossing.across.map(WideLanes::splat), slope.gain.map(WideLanes::splat));
                let [depth, _, share] = into_crest(way, across, gain, over_w, share_w, here_w);
                let (depth, share) = (depth.to_array()[0], share.to_array()[0]);
                if over < 0.0 && depth > deepest * here {
                    (best, deepest) = (share, depth / here);
                    put(felt, lane, at, [0.0, 1.0, 0.0], depth);
                }
            }
            came = slope.face;
            next = self.map.terrain.slope_of(crossing.beside);
        }
        best
    }
}

impl Ground for Open<'_> {
    const HOLDS: bool = true;

    #[inline(always)]
    fn feel<L: Lanes>(&mut self, lanes: u32, _: Vec3W<L>, at: Vec3W<L>, radius: L, felt: &mut Felt) {
        for lane in EachLane(lanes) {
            self.feel_elsewhere(lane, of_lane(at, lane), radius.to_array()[lane], felt);
        }
    }

    #[inline(always)]
    fn feel_way<L: Lanes>(&mut self, lanes: u32, ends: [Vec3W<L>; 2], radius: [L; 2], felt: &mut Felt) -> L {
        let mut share = [0.5; LANES];
        for lane in EachLane(lanes) {
            let radius = [radius[0].to_array()[lane], radius[1].to_array()[lane]];
            share[lane] = self.search_way(lane, [of_lane(ends[0], lane), of_lane(ends[1], lane)], radius, felt);
        }
        L::load(&share)
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
