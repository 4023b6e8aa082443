//! How a species stands on the ground: what holds its head, how its body falls.

/// The values of `[ground]` at scale 1, angles in radians. Lengths and speeds grow with a creature's scale; gravity does not.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Ground {
    /// Whether a driven creature is kept on the ground and headings lie in its plane; a swimmer goes where it heads.
    pub follow: bool,
    /// Steepest slope that a head climbs, 0 to 89 degrees as radians; steeper ground is a wall.
    pub max_climb_rad: f32,
    /// The same as metres up per metre across, and two thousandths more: ground as steep as the limit is climbed.
    pub max_climb_slope: f32,
    /// Acceleration of whatever falls, head and body, 0 to 1000 m/s^2.
    pub gravity_m_s2: f32,
    /// Speed that falling ends at, head and body, 0 to 1000 m/s.
    pub max_fall_speed_m_s: f32,
    /// Body Ground Follow: whether the body settles onto the ground that it hangs over.
    pub body_follow: bool,
    /// How far below the body ground is looked for, 0 to 10,000 m. Nothing falls toward ground beyond it.
    pub reach_m: f32,
    /// Gap under which a body at rest stays at rest, 0 to 1000 m. One that falls goes on to the surface.
    pub activation_m: f32,
    /// Most that settling may bend the body between adjacent segments, 0 to 90 degrees as radians.
    pub max_bend_rad: f32,
    /// The guard: whether cross-sections are pushed out of the ground.
    pub prevent_penetration: bool,
}

impl Ground {
    /// Seconds of falling until the terminal speed: the ratio of the two. Near 0 a fall has no visible acceleration.
    /// Infinite without gravity.
    #[must_use]
    pub fn seconds_to_terminal_speed(&self) -> f32 {
        if self.gravity_m_s2 > 0.0 { self.max_fall_speed_m_s / self.gravity_m_s2 } else { f32::INFINITY }
    }
}
