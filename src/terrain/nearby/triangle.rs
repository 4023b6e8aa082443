//! The points of a segment and of a triangle that are nearest to each other, for eight triangles at once.
//!
//! Candidates are the segment's ends over the face, the segment against each edge, and the crossing of the face. For two
//! lines the first parameter comes from cross products, since the usual determinant cancels where they are nearly
//! parallel: with it, capsules along an edge were off by a thousandth of their length. Each parameter is then taken once
//! more against the other, clamped.

use super::Packet;
use crate::broadphase::Box3;
use crate::lanes::{Lanes, Vec3W};

/// Squared sine under which two directions count as parallel: what f32 leaves of a cross product.
const PARALLEL: f32 = 1e-12;

/// The planes of eight triangles, and their corners: enough to see that most are not met.
#[derive(Clone, Copy)]
pub(super) struct Planes<L> {
    pub(super) normal: Vec3W<L>,
    offset: L,
    corners: [Vec3W<L>; 3],
    solid: L,
}

/// Eight triangles, and what of them does not depend on the query.
#[derive(Clone, Copy)]
pub(super) struct Triangles<L> {
    planes: Planes<L>,
    edges: [Edge<L>; 3],
}

#[derive(Clone, Copy)]
struct Edge<L> {
    start: Vec3W<L>,
    along: Vec3W<L>,
    inv_square: L,
    /// In the face's plane, toward its inside.
    inward: Vec3W<L>,
}

/// The nearest points and how near they are.
#[derive(Clone, Copy)]
pub(super) struct Witness<L> {
    pub(super) square: L,
    /// On the segment.
    pub(super) body: Vec3W<L>,
    /// On the triangle.
    pub(super) ground: Vec3W<L>,
    /// Where on the triangle: 0 the face, 1 + i the edge from corner i, 4 + i corner i.
    pub(super) feature: L,
}

impl<L: Lanes> Planes<L> {
    #[inline(always)]
    pub(super) fn new(packet: &Packet) -> Self {
        let [a, b, c] = &packet.corners;
        let corners = [Vec3W::load(a), Vec3W::load(b), Vec3W::load(c)];
        let (normal, offset) = (Vec3W::load(&packet.normal), L::load(&packet.offset));
        Self { normal, offset, corners, solid: L::load(&packet.solid) }
    }

    /// Height over the triangles' planes.
    #[inline(always)]
    pub(super) fn height(&self, point: Vec3W<L>) -> L {
        self.normal.dot(point) + self.offset
    }

    /// Where the point, at this height over the planes, is straight below a solid triangle. Those are wound to have their
    /// normals up.
    #[inline(always)]
    pub(super) fn below(&self, point: Vec3W<L>, height: L) -> L::Mask {
        let [a, b, c] = &self.corners;
        let [ax, bx, cx] = [a.x - point.x, b.x - point.x, c.x - point.x];
        let [az, bz, cz] = [a.z - point.z, b.z - point.z, c.z - point.z];
        let zero = L::splat(0.0);
        let column = (bx * cz - bz * cx).le(zero) & (cx * az - cz * ax).le(zero) & (ax * bz - az * bx).le(zero);
        L::splat(0.5).lt(self.solid) & height.lt(zero) & column
    }

    /// Whether the triangles' boxes touch this one.
    #[inline(always)]
    pub(super) fn touches(&self, probe: &Box3) -> L::Mask {
        let [a, b, c] = &self.corners;
        let ([x, y, z], [far_x, far_y, far_z]) = (probe.min, probe.max);
        within(a.x, b.x, c.x, x, far_x) & within(a.y, b.y, c.y, y, far_y) & within(a.z, b.z, c.z, z, far_z)
    }
}

#[inline(always)]
fn within<L: Lanes>(a: L, b: L, c: L, low: f32, high: f32) -> L::Mask {
    a.min(b).min(c).le(L::splat(high)) & L::splat(low).le(a.max(b).max(c))
}

impl<L: Lanes> Triangles<L> {
    #[inline(always)]
    pub(super) fn new(planes: Planes<L>) -> Self {
        let [a, b, c] = planes.corners;
        let normal = planes.normal;
        Self { planes, edges: [Edge::new(a, b, normal), Edge::new(b, c, normal), Edge::new(c, a, normal)] }
    }

    /// Whether it is the face that is touched, and by a way that it stops: what is solid stops from above alone.
    #[inline(always)]
    pub(super) fn is_met_face(&self, witness: &Witness<L>, way: Vec3W<L>) -> L::Mask {
        let half = L::splat(0.5);
        let is_sheet = self.planes.solid.lt(half);
        witness.feature.lt(half) & (is_sheet | self.planes.normal.dot(way).lt(L::splat(0.0)))
    }

    /// Whether the point is over the face, seen along its normal. Not on its border: that is the edges' to find, and a
    /// triangle that f32 makes a line of here has nothing but a border.
    #[inline(always)]
    fn is_over(&self, point: Vec3W<L>) -> L::Mask {
        let zero = L::splat(0.0);
        let [a, b, c] = &self.edges;
        zero.lt(a.inward.dot(point - a.start))
            & zero.lt(b.inward.dot(point - b.start))
            & zero.lt(c.inward.dot(point - c.start))
    }

    /// The nearest points of the triangles and the segment from `a` to `b`; with `POINT`, of the point `a`.
    #[inline(always)]
    pub(super) fn nearest<const POINT: bool>(&self, a: Vec3W<L>, b: Vec3W<L>) -> Witness<L> {
        let (height, normal) = (self.planes.height(a), self.planes.normal);
        let mut best = Witness {
            square: L::select(self.is_over(a), height * height, L::splat(f32::INFINITY)),
            body: a,
            ground: a - normal * height,
            feature: L::splat(0.0),
        };
        if !POINT {
            let other = self.planes.height(b);
            let square = L::select(self.is_over(b), other * other, L::splat(f32::INFINITY));
            best.take(square.lt(best.square), &Witness { square, body: b, ground: b - normal * other, ..best });
            self.cross(a, b, height, other, &mut best);
        }
        let along = Segment::new::<POINT>(a, b);
        for (index, edge) in self.edges.iter().enumerate() {
            edge.near::<POINT>(&along, index, &mut best);
        }
        best
    }

    /// Where the segment passes through the face they meet.
    #[inline(always)]
    fn cross(&self, a: Vec3W<L>, b: Vec3W<L>, from: L, to: L, best: &mut Witness<L>) {
        let zero = L::splat(0.0);
        let crosses = (from * to).lt(zero);
        let through = a.lerp(b, from / L::select(crosses, from - to, L::splat(1.0)));
        let meets = crosses & self.is_over(through);
        best.take(meets, &Witness { square: zero, body: through, ground: through, feature: zero });
    }
}

impl<L: Lanes> Edge<L> {
    #[inline(always)]
    fn new(start: Vec3W<L>, end: Vec3W<L>, normal: Vec3W<L>) -> Self {
        let along = end - start;
        let square = along.length_squared();
        Self { start, along, inv_square: inverse(square), inward: normal.cross(along) }
    }

    #[inline(always)]
    fn near<const POINT: bool>(&self, segment: &Segment<L>, index: usize, best: &mut Witness<L>) {
        let from = segment.start - self.start;
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let along = self.along.dot(from);
        let mut share = along * self.inv_square;
        let mut body = segment.start;
        if POINT {
            share = share.max(zero).min(one);
        } else {
            let both = segment.along.dot(self.along);
            let across = segment.along.cross(self.along);
            let square = across.length_squared();
            let is_skew = L::splat(PARALLEL).lt(square * segment.inv_square * self.inv_square);
            let place = self.along.cross(from).dot(across) / L::select(is_skew, square, one);
            let place = L::select(is_skew, place, zero).max(zero).min(one);
            share = ((along + place * both) * self.inv_square).max(zero).min(one);
            let place = ((share * both - segment.along.dot(from)) * segment.inv_square).max(zero).min(one);
            body = segment.start + segment.along * place;
        }
        let ground = self.start + self.along * share;
        let square = (body - ground).length_squared();
        let code = index as f32;
        let next = if index == 2 { 4.0 } else { 5.0 + code };
        let feature = L::select(share.le(zero), L::splat(4.0 + code), L::splat(1.0 + code));
        let feature = L::select(one.le(share), L::splat(next), feature);
        best.take(square.lt(best.square), &Witness { square, body, ground, feature });
    }
}

/// The body's axis.
struct Segment<L> {
    start: Vec3W<L>,
    along: Vec3W<L>,
    /// 0 where it has no length.
    inv_square: L,
}

impl<L: Lanes> Segment<L> {
    #[inline(always)]
    fn new<const POINT: bool>(a: Vec3W<L>, b: Vec3W<L>) -> Self {
        let zero = L::splat(0.0);
        if POINT {
            return Self { start: a, along: Vec3W::splat([0.0; 3]), inv_square: zero };
        }
        let along = b - a;
        Self { start: a, along, inv_square: inverse(along.length_squared()) }
    }
}

/// 0 of 0: of an edge so small that f32 makes a point of it here.
#[inline(always)]
fn inverse<L: Lanes>(square: L) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let long = zero.lt(square);
    L::select(long, one / L::select(long, square, one), zero)
}

impl<L: Lanes> Witness<L> {
    #[inline(always)]
    fn take(&mut self, mask: L::Mask, other: &Self) {
        self.square = L::select(mask, other.square, self.square);
        self.body = Vec3W::select(mask, other.body, self.body);
        self.ground = Vec3W::select(mask, other.ground, self.ground);
        self.feature = L::select(mask, other.feature, self.feature);
    }
}
