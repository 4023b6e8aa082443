//! What a tick counts and measures. Sums and maxima are commutative, so any split of the blocks gives the same.

/// Declares a struct of numbers of one type that are joined one by one, and can be listed with their names.
macro_rules! record {
    ($(#[$about:meta])* $name:ident of $number:ty, joined by $join:expr; $($(#[$doc:meta])* $field:ident,)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $number,)*
        }

        impl $name {
            /// Takes another one in.
            pub fn add(&mut self, other: &Self) {
                $($join(&mut self.$field, other.$field);)*
            }

            /// All with their names.
            pub fn by_name(&self) -> impl Iterator<Item = (&'static str, $number)> {
                [$((stringify!($field), self.$field)),*].into_iter()
            }
        }
    };
}

record! {
    /// What happened, counted.
    Counters of u64, joined by sum;
    /// Creatures that moved.
    moved,
    /// Pieces that driven travel was cut into.
    pieces,
    /// Knots added to path histories.
    knots_laid,
    /// Knots taken back, by backing up or turning back.
    knots_popped,
    /// Histories laid anew for growth.
    resampled,
    /// Knots with ground in reach, as far along their paths as something hangs.
    knots_supported,
    /// Knots that gained speed.
    knots_accelerating,
    /// Knots that sank.
    knots_descending,
    /// Bodies that were marched along a path which settling had moved in this tick.
    bodies_settled,
    /// Heads of driven creatures in the air over ground.
    falling,
    /// Heads of driven creatures that slid along ground which they do not climb.
    slid,
    /// Heads of driven creatures that such ground stopped.
    stopped,
    /// Driven creatures that found no ground under them.
    off_ground,
    /// Cross-sections that the guard pushed out of the ground, and segments that it raised over a crest.
    sections_corrected,
    /// Creatures quarantined in this tick.
    quarantined,
}

record! {
    /// The largest of what was measured. Those of paths are over the paths that settling had to look at.
    Measures of f32, joined by raise;
    /// From a knot down to where it touches its ground, in metres.
    largest_target_m,
    /// Speed of a knot's fall, in m/s.
    largest_fall_speed_m_s,
    /// How far a knot sank in this tick, in metres.
    largest_step_m,
    /// How far a knot has sunk since it was laid, in metres.
    largest_drop_m,
    /// From a knot to the path as it was laid, across the path, in metres.
    largest_deviation_m,
    /// How far the guard pushed a cross-section or raised a segment, in metres.
    largest_correction_m,
    /// Between adjacent segments of any body, in radians.
    largest_bend_rad,
}

fn sum(all: &mut u64, more: u64) {
    *all += more;
}

/// Makes `most` at least `value`.
pub(crate) fn raise(most: &mut f32, value: f32) {
    *most = if value > *most { value } else { *most };
}
