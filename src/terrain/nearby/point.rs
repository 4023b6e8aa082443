//! Queries of a point and of a ray.

use super::sweep::keep_earlier;
use super::triangle::{Planes, Triangles};
use super::{Closest, FaceId, Hit, Nearby, Packet, add_scaled, dot, extent, lane3, negate, sub};
use crate::lanes::{LANES, Lane8, Lanes, Vec3W};
use crate::terrain::set::PartId;

/// Below it, the square of a distance has no direction.
const NO_DISTANCE: f32 = 1e-18;

/// The nearest triangle so far.
struct Nearest {
    square: f32,
    ground: [f32; 3],
    normal: [f32; 3],
    is_solid: bool,
    id: FaceId,
}

impl Nearby {
    /// The point of the ground nearest to a local point, or `None` where nothing was gathered or a coordinate is not
    /// finite. It is the nearest of all if it is nearer than the gathered box's sides.
    #[inline(always)]
    #[must_use]
    pub fn closest_point<L: Lanes>(&self, point: [f32; 3]) -> Option<Closest> {
        if extent(&[point]) == f32::INFINITY {
            return None;
        }
        let mut best: Option<Nearest> = None;
        for packet in &self.packets {
            let triangles = Triangles::<L>::new(Planes::new(packet));
            let at = Vec3W::splat(point);
            let witness = triangles.nearest::<true>(at, at);
            let mut ground = [[0.0; LANES]; 3];
            witness.ground.store(&mut ground);
            nearest_of(packet, &witness.square.to_array(), &ground, &mut best);
        }
        let mut answer = None;
        if let Some(best) = &best {
            answer = Some(self.answer::<L>(point, best));
        }
        for space in &self.spaces {
            let height = space.height(point);
            let ground = add_scaled(point, space.normal, -height);
            let found = Closest { point: ground, distance: height, normal: space.normal, id: space.id };
            let is_nearer = match answer {
                None => true,
                Some(best) => {
                    let before: f32 = best.distance.abs();
                    height.abs() < before || height.abs() == before && space.id < best.id
                }
            };
            answer = if is_nearer { Some(found) } else { answer };
        }
        answer
    }

    #[inline(always)]
    fn answer<L: Lanes>(&self, point: [f32; 3], best: &Nearest) -> Closest {
        let away = sub(point, best.ground);
        let length = best.square.sqrt();
        let is_inside = best.is_solid && self.is_inside::<L>(point, best.id.part);
        let is_before = dot(best.normal, away) >= 0.0;
        let normal = if best.square > NO_DISTANCE {
            let sign = if is_inside { -length } else { length };
            [away[0] / sign, away[1] / sign, away[2] / sign]
        } else if is_before || best.is_solid {
            best.normal
        } else {
            negate(best.normal)
        };
        let distance = if is_inside { -length } else { length };
        Closest { point: best.ground, distance, normal, id: best.id }
    }

    /// Whether a point is straight below a solid triangle of this part.
    #[inline(always)]
    fn is_inside<L: Lanes>(&self, point: [f32; 3], part: PartId) -> bool {
        let mut is_inside = false;
        for packet in &self.packets {
            let (planes, at) = (Planes::<L>::new(packet), Vec3W::splat(point));
            let below = L::bits(planes.below(at, planes.height(at)));
            for lane in 0..LANES {
                is_inside |= below & (1 << lane) != 0 && packet.id[lane].part == part;
            }
        }
        is_inside
    }

    /// The highest surface at or below a local point; of solid ground the surface above as well, at time 0. As
    /// [`ray`](Self::ray) straight down.
    #[inline(always)]
    #[must_use]
    pub fn ray_down<L: Lanes>(&self, from: [f32; 3], max: f32) -> Option<Hit> {
        self.ray::<L>(from, [0.0, -1.0, 0.0], max)
    }

    /// The first ground that a ray meets, from a local point along `direction`, at most `max` times as far; a mesh from
    /// either side, what is solid from above. From inside a plane the time is 0. `None` where nothing is met or an argument
    /// is not finite.
    #[inline(always)]
    #[must_use]
    pub fn ray<L: Lanes>(&self, from: [f32; 3], direction: [f32; 3], max: f32) -> Option<Hit> {
        let square = dot(direction, direction);
        if extent(&[from, direction, [max; 3]]) == f32::INFINITY || square == 0.0 {
            return None;
        }
        let mut best: Option<Hit> = None;
        for packet in &self.packets {
            let times = ray_times::<L>(packet, from, direction, square, max);
            for lane in 0..LANES {
                if times[lane] <= max {
                    let normal = lane3(&packet.normal, lane);
                    let normal = if dot(normal, direction) > 0.0 { negate(normal) } else { normal };
                    let point = add_scaled(from, direction, times[lane]);
                    keep_earlier(&mut best, Hit { time: times[lane], normal, point, id: packet.id[lane] });
                }
            }
        }
        for space in &self.spaces {
            let (height, fall) = (space.height(from), -dot(space.normal, direction));
            let time = if height <= 0.0 { 0.0 } else { height / fall };
            if height <= 0.0 || fall > 0.0 && time <= max {
                let point = add_scaled(from, direction, time);
                keep_earlier(&mut best, Hit { time, normal: space.normal, point, id: space.id });
            }
        }
        best
    }
}

#[inline(always)]
fn nearest_of(packet: &Packet, square: &Lane8, ground: &[Lane8; 3], best: &mut Option<Nearest>) {
    for lane in 0..LANES {
        let id = packet.id[lane];
        let is_nearer = match best {
            None => true,
            Some(best) => square[lane] < best.square || square[lane] == best.square && id < best.id,
        };
        if is_nearer {
            *best = Some(Nearest {
                square: square[lane],
                ground: lane3(ground, lane),
                normal: lane3(&packet.normal, lane),
                is_solid: packet.solid[lane] > 0.5,
                id,
            });
        }
    }
}

/// When the ray meets each triangle, or infinity. A ray passes inside where it has the three edges on one side; as in a
/// mesh's own query from above, an edge's side changes sign exactly when its ends are swapped.
#[inline(always)]
fn ray_times<L: Lanes>(packet: &Packet, from: [f32; 3], direction: [f32; 3], square: f32, max: f32) -> Lane8 {
    let (from, along) = (Vec3W::<L>::splat(from), Vec3W::splat(direction));
    let a = Vec3W::load(&packet.corners[0]) - from;
    let b = Vec3W::load(&packet.corners[1]) - from;
    let c = Vec3W::load(&packet.corners[2]) - from;
    let [at_a, at_b, at_c] = [along.dot(b.cross(c)), along.dot(c.cross(a)), along.dot(a.cross(b))];
    let zero = L::splat(0.0);
    let left = zero.le(at_a) & zero.le(at_b) & zero.le(at_c);
    let right = at_a.le(zero) & at_b.le(zero) & at_c.le(zero);
    let sum = at_a + at_b + at_c;
    let area = sum.lt(zero) | zero.lt(sum);
    let whole = L::select(area, sum, L::splat(1.0));
    let met = (a * at_a + b * at_b + c * at_c).dot(along) / (whole * L::splat(square));
    // A solid triangle's normal is up and out: from behind it is no surface.
    let normal = Vec3W::load(&packet.normal);
    let faces = normal.dot(along).lt(zero) | L::load(&packet.solid).lt(L::splat(0.5));
    let hit = (left | right) & area & faces & zero.le(met) & met.le(L::splat(max));
    L::select(hit, met, L::splat(f32::INFINITY)).to_array()
}
