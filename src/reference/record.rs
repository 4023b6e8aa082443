//! Twin of `record`: knots laid at chord spacing along the head's achieved way, with their dorsal directions.

use super::travel::stand;
use super::{angle, carry, first_outside, reject, rotate};
use crate::constants::{LEVEL_SHARE, NOISE_SHARE, TWIST_PER_DIAMETER_RAD};
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
            let taken = self.take_back(pair[1]);
            self.lay(if taken { self.knots[1].at } else { pair[0] }, pair[1], floor);
        }
        self.knots[0].at = way[way.len() - 1];
        self.refresh_pen(floor);
    }

    /// Commits every knot of one straight link.
    fn lay(&mut self, from: DVec3, to: DVec3, floor: &Floor<'_>) {
        let mut share = 0.0;
        loop {
            let newest = self.knots[1].at;
            let outside = |u: f64| (from.lerp(to, u) - newest).length() >= self.spacing;
            let Some(exit) = first_outside(share, 16, outside) else { return };
            self.commit(from.lerp(to, exit), floor);
            share = exit;
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
    fn take_back(&mut self, head: DVec3) -> bool {
        let noise = f64::from(NOISE_SHARE) * self.spacing * self.spacing;
        let ahead = |knots: &[Knot], i: usize| (knots[i].at - head).dot(knots[i].at - knots[i + 1].at) > noise;
        let mut taken = false;
        let facing = self.facing;
        let spacing = self.spacing;
        let passed =
            |knots: &[Knot], i: usize| facing.is_some_and(|facing| (knots[i].at - head).dot(facing) * spacing > noise);
        let links = self.per_segment;
        while let Some(oldest) = (1..=links).rev().find(|&i| ahead(&self.knots, i) || passed(&self.knots, i)) {
            self.knots.drain(1..=oldest);
            taken = true;
            for _ in 0..oldest {
                let [.., before, end] = self.knots[..] else { return taken };
                self.knots.push(Knot { at: end.at * 2.0 - before.at, dorsal: end.dorsal });
            }
        }
        taken
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
