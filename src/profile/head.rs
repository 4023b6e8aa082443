//! Heads: what each is, and how a builder describes one.

use super::file::RawHead;
use toml::Value;

/// A head at scale 1, immutable inside its [`Profile`](super::Profile); lengths in metres, angles in radians.
///
/// A head's base is its origin. It is placed relative to the Body front and the forward direction there, first by
/// `offset_m`, then turned by `yaw_rad` about the dorsal axis and by `pitch_rad` about its own right axis.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Head {
    /// Unique within its profile; 1 to 64 characters.
    pub name: String,
    /// The base from the Body front, `[right, up, forward]` in metres; each at most the body's length either way.
    pub offset_m: [f32; 3],
    /// To the left positive (counter-clockwise seen from above), -pi to pi.
    pub yaw_rad: f32,
    /// Upward positive, -pi/2 to pi/2.
    pub pitch_rad: f32,
    /// From the base to the snout's tip, 0.00001 m to the body's length.
    pub length_m: f32,
    /// Half the greatest width: clearance, sweeps. 0.00001 m to a quarter of the body's length.
    pub radius_m: f32,
    /// From the hinge to the lower jaw's tip, 0 (no jaw: its row stays shut) to the body's length.
    pub jaw_length_m: f32,
    /// The hinge's place forward of the base, 0 m to the head's length.
    pub jaw_hinge_m: f32,
    /// How far the lower jaw opens, 0 to pi.
    pub max_jaw_rad: f32,
}

impl Head {
    /// Begins a head for [`ProfileBuilder::head`](super::ProfileBuilder::head).
    pub fn builder(name: &str) -> HeadBuilder {
        HeadBuilder { raw: RawHead { name: Some(name.into()), ..RawHead::default() } }
    }
}

/// Describes one head in a file's units. Each method is the key of `[[heads]]` of its name; ranges are those of
/// [`Head`]'s fields, and [`ProfileBuilder::build`](super::ProfileBuilder::build) checks them.
///
/// What is left out: the head sits at the Body front, straight ahead, and is 0.032 body lengths long; its radius is
/// 0.29 of its own length, its jaw 0.88, hinged at 0.09, and opens 45 degrees.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadBuilder {
    raw: RawHead,
}

impl HeadBuilder {
    /// `offset_m`: the base from the Body front, `[right, up, forward]` in metres.
    pub fn offset_m(mut self, offset_m: [f64; 3]) -> Self {
        self.raw.offset_m = Some(Value::from(offset_m.to_vec()));
        self
    }

    /// `yaw_deg`: degrees to the left, -180 to 180.
    pub fn yaw_deg(mut self, yaw_deg: f64) -> Self {
        self.raw.yaw_deg = Some(yaw_deg.into());
        self
    }

    /// `pitch_deg`: degrees upward, -90 to 90.
    pub fn pitch_deg(mut self, pitch_deg: f64) -> Self {
        self.raw.pitch_deg = Some(pitch_deg.into());
        self
    }

    /// `length_m`: metres from the base to the snout's tip.
    pub fn length_m(mut self, length_m: f64) -> Self {
        self.raw.length_m = Some(length_m.into());
        self
    }

    /// `radius_m`: half the greatest width in metres.
    pub fn radius_m(mut self, radius_m: f64) -> Self {
        self.raw.radius_m = Some(radius_m.into());
        self
    }

    /// `jaw_length_m`: metres from the hinge to the lower jaw's tip.
    pub fn jaw_length_m(mut self, jaw_length_m: f64) -> Self {
        self.raw.jaw_length_m = Some(jaw_length_m.into());
        self
    }

    /// `jaw_hinge_m`: the hinge's place forward of the base in metres.
    pub fn jaw_hinge_m(mut self, jaw_hinge_m: f64) -> Self {
        self.raw.jaw_hinge_m = Some(jaw_hinge_m.into());
        self
    }

    /// `max_jaw_deg`: how far the lower jaw opens in degrees, 0 to 180.
    pub fn max_jaw_deg(mut self, max_jaw_deg: f64) -> Self {
        self.raw.max_jaw_deg = Some(max_jaw_deg.into());
        self
    }

    /// The raw head, with what was left out taken from the body's length (assumed proportions of a slender snake).
    pub(super) fn into_raw(mut self, body_length_m: f64) -> RawHead {
        let raw = &mut self.raw;
        let length_m = raw.length_m.as_ref().and_then(Value::as_float).unwrap_or(0.032 * body_length_m);
        let share = |share: f64| Some(Value::from(share * length_m));
        raw.length_m = Some(Value::from(length_m));
        raw.radius_m = raw.radius_m.take().or(share(0.29));
        raw.jaw_length_m = raw.jaw_length_m.take().or(share(0.88));
        raw.jaw_hinge_m = raw.jaw_hinge_m.take().or(share(0.09));
        raw.max_jaw_deg = raw.max_jaw_deg.take().or(Some(Value::from(45.0)));
        self.raw
    }
}
