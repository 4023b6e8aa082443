//! Twin of `record`: knots laid at chord spacing along the head's achieved way, with their dorsal directions.

use super::travel::stand;
use super::{angle, carry, first_outside, reject, rotate};
use crate::constants::{LEVEL_SHARE, NOISE_SHARE, PASSED_COSINE, TWIST_PER_DIAMETER_RAD};
use crate::terrain::Terrain;
use glam::DVec3;

/// A point of the path history, in world metres.
#[derive(Clone, Copy, Debug)]
pub struct Knot {
    /// Position.
    pub at: DVec3,
    /// Dorsal direction.
    pub dorsal: DVec3,
}

/// The path history of one creature.
#[derive(Clone, Debug)]
pub struct Path {
    /// Newest first; the first is the pen at the head, the second the newest committed knot.
    pub knots: Vec<Knot>,
    /// Chord between committed knots, in metres.
    pub spacing: f64,
    /// Knots per segment length: how far back a turn is capped.
    pub per_segment: usize,
    /// Body diameter at the head: the unit of travel of the allowed twist.
    pub diameter: f64,
    /// Which way a head that backs up faces.
    pub facing: Option<DVec3>,
}

/// What the path lies on in one tick.
#[derive(Clone, Copy, Debug, Default)]
pub struct Floor<'a> {
    /// Ground that knots are put on: of driven creatures that stand on it.
    pub terrain: Option<&'a Terrain>,
    /// The head's radius.
    pub radius: f64,
    /// Ground normal under the head, where it stands on ground.
    pub normal: Option<DVec3>,
}

impl Path {
    /// Follows the head along its way, whose last point is where it is now. What the way passes behind is taken back
    /// first; then the path goes straight from where it ends to the head.
    pub fn follow(&mut self, way: &[DVec3], floor: &Floor<'_>) {
        for pair in way.windows(2) {
            let taken = self.take_back(pair[1], floor);
            self.lay(if taken { self.knots[1].at } else { pair[0] }, pair[1], floor);
        }
        self.knots[0].at = way[way.len() - 1];
        self.refresh_pen(floor);
    }

    /// Commits every knot of one straight link. Where the ground put the last knot over a spacing away from where it was on
    /// the link, the next lies a spacing from that place.
    fn lay(&mut self, from: DVec3, to: DVec3, floor: &Floor<'_>) {
        let (mut share, mut first) = (0.0, true);
        while (to - self.knots[1].at).length() >= self.spacing {
            let here = from.lerp(to, share);
            let far = (here - self.knots[1].at).length() >= self.spacing;
            let center = if far && !first { here } else { self.knots[1].at };
            let outside = |u: f64| (from.lerp(to, u) - center).length() >= self.spacing;
            let Some(exit) = first_outside(share, 16, outside) else { return };
            self.commit(from.lerp(to, exit), floor);
            (share, first) = (exit, false);
        }
    }

    fn commit(&mut self, at: DVec3, floor: &Floor<'_>) {
        let stood = floor.terrain.and_then(|terrain| stand(terrain, at, floor.radius));
        let (at, normal) = stood.map_or((at, floor.normal), |(at, normal)| (at, Some(normal)));
        let dorsal = self.dorsal_at(at, normal);
        self.knots.insert(1, Knot { at, dorsal });
        self.knots.pop();
    }

    /// The pen's dorsal direction, from the newest committed knot's.
    fn refresh_pen(&mut self, floor: &Floor<'_>) {
        self.knots[0].dorsal = self.dorsal_at(self.knots[0].at, floor.normal);
    }

    /// The dorsal at the end of a link from the newest knot: carried round the bend, then turned toward the ground's
    /// normal, or level, by so much a body diameter.
    fn dorsal_at(&self, at: DVec3, normal: Option<DVec3>) -> DVec3 {
        let [newest, second] = [self.knots[1], self.knots[2]];
        let link = at - newest.at;
        let before = newest.at - second.at;
        // A link this short has no direction yet.
        let tangent = if link.length() > 0.1 * self.spacing { link } else { before };
        let carried = reject(carry(newest.dorsal, before, tangent), tangent).normalize();
        let limit = f64::from(TWIST_PER_DIAMETER_RAD) * link.length() / self.diameter;
        toward_upright(carried, tangent.normalize(), normal, limit)
    }

    /// Takes back knots of the last segment length that are ahead of the head's plane across their link, and all newer
    /// ones; the far end grows straight instead. Tells whether there were any.
    fn take_back(&mut self, head: DVec3, floor: &Floor<'_>) -> bool {
        let (mut taken, most) = (0, self.knots.len());
        while taken < most {
            let Some(oldest) = (1..=self.per_segment).rev().find(|&i| self.is_ahead(i, head)) else { break };
            let oldest = oldest.min(most - taken);
            self.knots.drain(1..=oldest);
            taken += oldest;
            for _ in 0..oldest {
                let grown = self.grown(floor);
                self.knots.push(grown);
            }
        }
        taken > 0
    }

    /// Whether knot i lies ahead of the head's plane across its own link; or, where the head backs up, of the plane across
    /// its facing, if the link leads that way.
    fn is_ahead(&self, i: usize, head: DVec3) -> bool {
        let (past, link) = (self.knots[i].at - head, self.knots[i].at - self.knots[i + 1].at);
        let noise = f64::from(NOISE_SHARE) * self.spacing;
        let passes =
            |facing: DVec3| past.dot(facing) > noise && link.dot(facing) > f64::from(PASSED_COSINE) * self.spacing;
        past.dot(link) > noise * self.spacing || self.facing.is_some_and(passes)
    }

    /// What the far end grows by: straight on; on ground a spacing along it, straight on seen from above.
    fn grown(&self, floor: &Floor<'_>) -> Knot {
        let [.., before, end] = &self.knots[..] else { return self.knots[0] };
        let step = end.at - before.at;
        let level = DVec3::new(step.x, 0.0, step.z);
        let on = |length: f64| stand(floor.terrain?, end.at + level.normalize() * length, floor.radius);
        let along = || {
            let rise = on(self.spacing)?.0.y - end.at.y;
            on(self.spacing * self.spacing / self.spacing.hypot(rise))
        };
        let ground = if level.length() < 0.1 * self.spacing { None } else { along() };
        ground.map_or(Knot { at: end.at + step, dorsal: end.dorsal }, |(at, dorsal)| Knot { at, dorsal })
    }

    /// Moves everything.
    pub fn shift(&mut self, by: DVec3) {
        self.knots.iter_mut().for_each(|knot| knot.at += by);
    }
}

/// `dorsal` turned about `tangent` toward the normal by at most `limit`. Without ground it levels at a share of that
/// rate, the less the steeper, and stays where it is upside down (a loop brings it round by itself).
pub fn toward_upright(dorsal: DVec3, tangent: DVec3, normal: Option<DVec3>, limit: f64) -> DVec3 {
    let wish = reject(normal.unwrap_or(DVec3::Y), tangent);
    let flatness = wish.length_squared();
    if flatness < 1e-6 || (normal.is_none() && dorsal.dot(wish) <= 0.0) {
        return dorsal;
    }
    let limit = if normal.is_some() { limit } else { limit * f64::from(LEVEL_SHARE) * flatness };
    let signed = angle(dorsal, wish) * if dorsal.cross(wish).dot(tangent) < 0.0 { -1.0 } else { 1.0 };
    rotate(dorsal, tangent, signed.clamp(-limit, limit))
}
