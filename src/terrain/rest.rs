//! Where spheres rest on ground of any kind: on the triangle found under them, or let down near a corner.

use super::corner::Rest;
use super::slope::{NO_FACE, Slope, Slopes, Walls};
use super::{Footing, Part, Terrain};
use crate::constants::CLEARANCE_LEAST_Y;
use crate::lanes::{EachLane, LANES, Lane8, Lanes};

/// How much higher a sphere is than without a wall, in radii, until the wall holds it.
const WALLED_RADII: f32 = 1e-3;

impl Terrain {
    /// Whether the ground is a function of the place seen from above, of whose triangles any can be looked up.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Plane(_) | Self::Heightfield(_) => true,
            Self::Mesh(mesh) => mesh.is_open(),
            Self::None | Self::Set(_) => false,
        }
    }

    /// The triangle at (x, z) of open ground; `None` where there is none.
    #[inline(always)]
    pub(crate) fn slope_at(&self, x: f64, z: f64) -> Option<Slope> {
        match self {
            Self::Plane(plane) => Some(Slope::of_plane(plane, x, z)).filter(|slope| slope.corner[1].is_finite()),
            Self::Heightfield(field) => field.slope_at(x, z),
            Self::Mesh(mesh) => mesh.face_at(x, z).map(|face| mesh.slope_of(face)),
            Self::None | Self::Set(_) => None,
        }
    }

    /// A triangle of open ground by its number.
    #[inline(always)]
    pub(crate) fn slope_of(&self, face: u32) -> Option<Slope> {
        match self {
            Self::Heightfield(field) if face != NO_FACE => Some(field.slope_of(face)),
            Self::Mesh(mesh) if face != NO_FACE => Some(mesh.slope_of(face)),
            _ => None,
        }
    }

    /// The triangle on which (x, z) was found to be, in world metres.
    #[inline(always)]
    fn slope_under(&self, footing: Footing, x: f64, z: f64) -> Option<Slope> {
        match self {
            Self::None => None,
            Self::Plane(plane) => Some(Slope::of_plane(plane, x, z)),
            Self::Heightfield(field) => Some(field.slope_of(footing.face)),
            Self::Mesh(mesh) => Some(mesh.slope_of(footing.face)),
            Self::Set(set) => set.slope_under(footing, x, z),
        }
    }

    /// World height of the centre of a sphere that rests at (x, z) on the triangle which was found there, or beside it; minus
    /// infinity on no ground.
    pub(crate) fn rest_on(&self, footing: Footing, x: f64, z: f64, radius: f32, walls: Walls) -> f64 {
        if let Some((rests, _)) = self.rest_inside(footing, [x, z], radius, walls) {
            return rests;
        }
        let Some(slope) = self.slope_under(footing, x, z) else { return f64::NEG_INFINITY };
        if slope.is_near_corner(x, z, radius) {
            return self.rest_beside(&slope, footing, [x, z], radius, walls).centre_m;
        }
        slope.rest_m(x, z, radius, walls)
    }

    #[inline(always)]
    fn rest_inside(&self, footing: Footing, at: [f64; 2], radius: f32, walls: Walls) -> Option<(f64, f32)> {
        match self {
            Self::Heightfield(field) => field.rest_inside(footing.face, at, radius, walls),
            _ => None,
        }
    }

    /// The same near a corner of the triangle. What is more than three radii over the triangle is another floor; what
    /// goes up from it at 60 degrees is less.
    #[inline(never)]
    fn rest_beside(&self, slope: &Slope, footing: Footing, [x, z]: [f64; 2], radius: f32, walls: Walls) -> Rest {
        let near = slope.height_m(x, z) + f64::from(3.0 * radius);
        let all = if walls == Walls::Count { f64::INFINITY } else { near };
        let on_part = |part: &Part, [dx, dy, dz]: [f64; 3]| {
            let limit = if matches!(part, Part::Mesh(mesh) if !mesh.is_open()) { near } else { all };
            let at = [x - dx, limit - dy, z - dz];
            match part {
                Part::Plane(_) => None,
                Part::Heightfield(field) => Some(field.rest_at_corner(at, radius, walls).raised(dy)),
                Part::Mesh(mesh) => Some(mesh.rest_at_corner(at, radius, walls).raised(dy)),
            }
        };
        let found = match self {
            Self::None | Self::Plane(_) => None,
            Self::Heightfield(field) => Some(field.rest_at_corner([x, all, z], radius, walls)),
            Self::Mesh(mesh) => {
                let limit = if mesh.is_open() { all } else { near };
                Some(mesh.rest_at_corner([x, limit, z], radius, walls))
            }
            Self::Set(set) => set.part_of(footing).and_then(|(part, offset)| on_part(part, offset)),
        };
        found.unwrap_or_else(|| {
            let centre_m = slope.rest_m(x, z, radius, walls);
            Rest { centre_m, touch_m: centre_m - f64::from(radius) }
        })
    }

    /// [`rest_on`](Self::rest_on) in these lanes, with its bits; also in which of them a wall holds the sphere, where walls
    /// count.
    #[inline(always)]
    pub(crate) fn rest_on_lanes<L: Lanes>(
        &self,
        lanes: u32,
        footing: &[Footing; LANES],
        [x, z]: [&[f64; LANES]; 2],
        radius: &Lane8,
        walls: Walls,
    ) -> ([f64; LANES], u32) {
        let (mut base, mut walled, mut rest) = ([f64::NEG_INFINITY; LANES], 0, 0);
        for lane in EachLane(lanes) {
            match self.rest_inside(footing[lane], [x[lane], z[lane]], radius[lane], walls) {
                None => rest |= 1 << lane,
                Some((rests, lean)) => {
                    base[lane] = rests;
                    let leans = Walls::Lean.most_lean() + WALLED_RADII;
                    walled |= u32::from(leans < lean && leans < walls.most_lean()) << lane;
                }
            }
        }
        if rest != 0 {
            walled |= self.rest_beside_lanes::<L>(rest, footing, [x, z], radius, walls, &mut base);
        }
        (base, walled)
    }

    /// The same for the lanes beside an edge.
    #[inline(always)]
    fn rest_beside_lanes<L: Lanes>(
        &self,
        lanes: u32,
        footing: &[Footing; LANES],
        [x, z]: [&[f64; LANES]; 2],
        radius: &Lane8,
        walls: Walls,
        base: &mut [f64; LANES],
    ) -> u32 {
        let mut slopes = Slopes::NONE;
        let (mut near_x, mut near_z, mut corner, mut beside) = ([0.0; LANES], [0.0; LANES], 0, *base);
        let mut walled = 0;
        for lane in EachLane(lanes) {
            if let Some(slope) = self.slope_under(footing[lane], x[lane], z[lane]) {
                slopes.put(lane, &slope, slope.corner);
                base[lane] = slope.corner[1];
                if slope.is_near_corner(x[lane], z[lane], radius[lane]) {
                    corner |= 1 << lane;
                    let at = [x[lane], z[lane]];
                    let rest = self.rest_beside(&slope, footing[lane], at, radius[lane], walls);
                    beside[lane] = rest.centre_m;
                    walled |= u32::from(rest.is_walled(slope.height_m(x[lane], z[lane]), radius[lane])) << lane;
                }
                near_x[lane] = (x[lane] - slope.corner[0]) as f32;
                near_z[lane] = (z[lane] - slope.corner[2]) as f32;
            }
        }
        slopes.derive::<L>(None);
        let place = slopes.place::<L>(L::load(&near_x), L::load(&near_z));
        let radius = L::load(radius);
        let over = slopes.over(&place, radius, walls);
        let leans = slopes.over(&place, radius, Walls::Lean);
        walled |= !corner & L::bits((leans + radius * L::splat(WALLED_RADII)).lt(over));
        let rests = (slopes.height(&place) + over).to_array();
        for lane in EachLane(lanes) {
            base[lane] = if corner & (1 << lane) != 0 { beside[lane] } else { base[lane] + f64::from(rests[lane]) };
        }
        walled & lanes
    }

    /// Whether a wall holds a sphere that rests at such a height.
    pub(crate) fn is_walled(&self, footing: Footing, [x, z]: [f64; 2], radius: f32, rests: f64) -> bool {
        let Some(slope) = self.slope_under(footing, x, z) else { return false };
        if slope.is_near_corner(x, z, radius) {
            let rest = self.rest_beside(&slope, footing, [x, z], radius, Walls::Count);
            return rest.is_walled(slope.height_m(x, z), radius);
        }
        rests > slope.rest_m(x, z, radius, Walls::Lean) + f64::from(WALLED_RADII * radius)
    }
}

impl Rest {
    fn raised(self, by: f64) -> Self {
        Self { centre_m: self.centre_m + by, touch_m: self.touch_m + by }
    }

    /// Whether what it touches is steeper than 60 degrees, and no step: those are touched lower.
    fn is_walled(&self, ground_m: f64, radius: f32) -> bool {
        let radius = f64::from(radius);
        self.centre_m - self.touch_m < 0.98 * f64::from(CLEARANCE_LEAST_Y) * radius
            && self.touch_m > ground_m + 0.9 * radius
    }
}

impl Part {
    /// As [`Terrain::slope_under`].
    pub(super) fn slope_under(&self, face: u32, x: f64, z: f64) -> Slope {
        match self {
            Self::Plane(plane) => Slope::of_plane(plane, x, z),
            Self::Heightfield(field) => field.slope_of(face),
            Self::Mesh(mesh) => mesh.slope_of(face),
        }
    }
}
