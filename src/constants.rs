//! Every tolerance in one place: its unit, its usual value, and what breaks when it is wrong.

/// Largest step that one call advances, in seconds; time beyond it is dropped and reported. Longer: a hitch lasts
/// visibly on. Shorter: slow machines run in slow motion.
pub const MAX_STEP_S: f32 = 0.25;

/// Largest piece that a step is cut into, in seconds. Longer: turning and terrain are met too coarsely at low rates.
pub const MAX_PIECE_S: f32 = 1.0 / 20.0;

/// Most pieces that one creature's travel in one tick is cut into. More: one fast creature stalls its block.
pub const MAX_PIECES: usize = 64;

/// Pieces per wavelength of the gait. Fewer: Simpson's rule leaves the curve (at 12 its error is 3e-5 of the amplitude).
pub const PIECES_PER_WAVELENGTH: f32 = 12.0;

/// Turn of the centre heading per piece, in radians. More: the Hermite arc between pieces leaves the turning circle.
pub const TURN_PER_PIECE_RAD: f32 = 0.25;

/// Observed movement below this share of a segment is noise. Larger: slow snakes move in visible steps. Smaller: a
/// resting controller's jitter drives the gait.
pub const NOISE_SHARE: f32 = 1e-3;

/// Cosine between a head's facing and a link of its path (75 degrees) over which a head that backs up passes the link's
/// knots. Larger: backing up beside the path folds the neck. Smaller: backing away from the path takes all of it back.
pub const PASSED_COSINE: f32 = 0.25;

/// A displacement whose part along the forward direction is below this share of it counts as lateral. Smaller: rounding
/// in a caller's sideways step advances the phase.
pub const LATERAL_SHARE: f32 = 1e-4;

/// The same for settling a fresh seed: below it the whole seed is moved. Smaller: a controller that lands with a
/// little slip writes a corner under the neck.
pub const SETTLE_SHARE: f32 = 0.05;

/// Twist that the dorsal direction may gain per body diameter of travel, in radians (10 degrees). More: visible
/// candy-cane twist after a landing. Less: a belly stays rolled for long.
pub const TWIST_PER_DIAMETER_RAD: f32 = 0.174_532_93;

/// How much of that rate levels a creature that touches no ground. More: loops lose their roll.
pub const LEVEL_SHARE: f32 = 0.5;

/// Cosine between the dorsals of neighbouring knots under which there is a corner between them (15 degrees), across which
/// dorsals are not mixed. Larger: bends show steps. Smaller: bodies twist behind corners.
pub const CORNER_COSINE: f32 = 0.966;

/// Squared length under which a direction has no direction. Larger: valid tiny inputs are refused.
pub const DIRECTION_EPSILON: f32 = 1e-12;

/// Squared sine under which a dorsal is too near its tangent (about 6 degrees) and the neighbour's is carried over.
/// Smaller: frames spin where the path passes through the dorsal direction.
pub const FRAME_EPSILON: f32 = 1e-2;

/// Share of a segment that the march may skip along the chord bound, a little below 1 for rounding. Larger: a skip can
/// pass the exit. Smaller: more steps.
pub const SKIP_SHARE: f32 = 0.995;

/// Least and most scale of a creature.
pub const SCALE_RANGE: [f32; 2] = [0.05, 20.0];

/// Growth a second, as a share of the current scale. More: the tail visibly shoots out. Less: growth takes minutes.
pub const GROWTH_PER_S: f32 = 0.25;

/// Ratio of scale to the history's scale at which the history is resampled. Smaller: corners are rounded often.
/// Larger: the history gets too short for a grown body.
pub const RESAMPLE_RATIO: f32 = 1.25;

/// Share by which settling stays under the bend that it is allowed, for what the chords of bent paths are shorter. Less: bends
/// of bent bodies pass the limit by as much.
pub const BEND_MARGIN: f32 = 0.015;

/// How much more than its path bends a joint may bend for settling where the path bends more than the limit, in radians (0.01
/// degrees). More: visible there. Less: bodies that wind tightly hang in the air like planks.
pub const BEND_SLACK_RAD: f32 = 2e-4;

/// How fast a falling knot that the rest of the body holds back loses the velocity that it does not have, a second: it keeps what
/// gravity gives it in about that time. More: bodies that sink as their heads go on stop and go, each knot from rest, and the
/// more so the higher the rate of ticks. Less: held parts leap when they come free.
pub const HELD_PER_S: f32 = 30.0;

/// How often settling a steep and bent path is tried with more of it held, before none of it sinks in the tick. Fewer: all
/// waits for one fold. More: cost.
pub const FOLD_ROUNDS: usize = 4;

/// A knot that the rest of the body holds back, and which sinks by less than this share of the radius in a tick, stays. Larger:
/// bodies come to rest a little early. Smaller: rounding keeps them moving.
pub const RADIUS_STILL_SHARE: f32 = 1e-5;

/// How many times the sweeps that limit bends of a settling path go back and forth; two suffice as a rule. Fewer: sharper
/// bends where two edges are near. More: cost.
pub const SETTLE_SWEEPS: usize = 6;

/// Turn of a falling knot's dorsal direction toward the ground's normal, as a share of what is missing, a second. More: bodies
/// twist where a part lands. Less: they land on their sides.
pub const SETTLE_DORSAL_PER_S: f32 = 12.0;

/// Height that a head steps up or down without climbing or falling, in radii of the head. More: it snaps over edges that
/// should be walls or ledges. Less: creases between facets stop it.
pub const STEP_RADII: f32 = 1.0;

/// How far the swept head is held over the ground that it stands on, in its radii. More: low obstacles are passed through.
/// Less: it catches on its own ground.
pub const LIFT_RADII: f32 = 0.15;

/// A tick's way from which on a head is swept over a heightfield, in cells: what sticks out of it is two cells wide at
/// least. More: thin ridges are stepped over. Less: sweeps where heights would do.
pub const STRIDE_CELLS: f32 = 0.5;

/// Radius of a lower jaw, as a share of the head's.
pub const JAW_RADIUS_SHARE: f32 = 0.5;

/// Distance that a sliding head keeps from what it slides along, in its radii. More: a visible gap. Less: rounding makes
/// it overlap, and every tick begins with pushing it out.
pub const SWEEP_SKIN_RADII: f32 = 0.01;

/// Planes that a head is turned by in one tick, at most. Fewer: it stops in corners. More: cost.
pub const SLIDE_ROUNDS: usize = 5;

/// Least vertical part of a normal that clearance over a slope is measured by (60 degrees): a sphere on steeper ground
/// leans on its edge. Smaller: heads beside a cliff are thrown up by many radii. Larger: they sink into slopes.
pub const CLEARANCE_LEAST_Y: f32 = 0.5;

/// Largest coordinate, in metres: f64 still resolves 1e-9 m there.
pub const MAX_COORDINATE_M: f64 = 1e7;

/// Largest displacement that one tick takes, in metres. Beyond it a position is surely a mistake.
pub const MAX_DISPLACEMENT_M: f32 = 1e6;

/// Largest speed, in metres a second (and in body lengths a second for a preview).
pub const MAX_SPEED_M_S: f32 = 1e4;

/// Grid of stored knots, as a share of the origin's cell (2^-21): coordinates up to 8 cells stay exact in f32 when the
/// origin moves by whole cells. Coarser: visible steps. Finer: moving the origin rounds.
pub const GRID_SHARE: f32 = 1.0 / 2_097_152.0;

/// Relative error allowed in a segment's length (contract 1).
pub const SEGMENT_TOLERANCE: f64 = 1e-5;

/// A triangle whose height is at most this share of its longest edge has no area: a few steps of f32. Larger: thin real
/// triangles leave holes. Smaller: normals of rounding noise.
pub const DEGENERATE_SHARE: f64 = 1e-6;

/// Sine of the angle between two faces under which the edge between them is flat (0.1 degrees). Larger: a body is stopped
/// by a shallow crest it should ride over. Smaller: rounding makes edges that a sliding body catches on.
pub const FLAT_EDGE_SINE: f64 = 2e-3;

/// Ground so little above a point counts as at it, in metres, so that a point put on the ground finds it again.
/// Larger: ceilings that the point touches are taken for floor.
pub const UNDER_SLACK_M: f64 = 1e-6;

/// A moving body touches where the gap is at most this share of its radius. Larger: it stops visibly early. Smaller:
/// more rounds.
pub const TOUCH_SHARE: f32 = 1e-4;

/// The same as a share of the largest coordinate in a query: a few steps of f32. Smaller: gaps are rounding noise.
pub const TOUCH_ROUNDING: f32 = 4e-7;

/// A surface approached by less than this share of the way is slid along, not hit. Larger: a body sinks in on long
/// ways. Smaller: rounding in a slide stops it at every edge.
pub const SLIDE_SHARE: f32 = 1e-5;

/// Most rounds of a sweep. The gap is a convex function of time, so Newton's rounds never pass the touch; a graze, the
/// slowest, quarters the gap each time. Fewer: grazes are reported early. More: slow grazes.
pub const SWEEP_ROUNDS: usize = 14;

/// The guard leaves a section that is at most this share of its radius deep. Larger: visible sinking. Smaller: rounding and
/// the sag of the path's links keep it busy.
pub const GUARD_SLOP: f32 = 5e-3;

/// On meshes nobody is asked for segments that are at most this share of their radius deep in a triangle's plane. Larger: depth is
/// left that the guard promises not to leave. Smaller: rounding has it ask for all.
pub const GUARD_SKIM: f32 = 5e-3;

/// How far, as a share of its radius, a section may be from where it was felt on a mesh, or was clear, until it is asked for
/// again. Larger: depth is left that the guard promises not to leave. Smaller: all behind a pushed section are asked for.
pub const GUARD_STRAY: f32 = 3e-3;

/// What it pushes deeper ones to. Larger, up to the slop: they are found again. Smaller: a visible step.
pub const GUARD_REST: f32 = 2.5e-3;

/// The guard leaves a segment that is, where it is looked at, at most this share of the radius deep in a crest. Between these
/// places it can be half as deep again. Larger: crests show through. Smaller: bodies stand off sharp crests.
pub const GUARD_CHORD: f32 = 0.048;

/// The guard looks at segments whose ends are at most this share of the radius deep. Smaller: rounding hides a segment. Larger:
/// ends that cannot come out drag their neighbours.
pub const GUARD_CLEAR: f32 = 0.02;

/// What it raises deeper ones to.
pub const GUARD_CHORD_REST: f32 = 0.038;

/// Share of a push that each joint beside it takes. Larger: bodies hover beside a crest. Smaller: they kink.
pub const GUARD_SHARE: f32 = 0.25;

/// How far, as a share of the radius, from where the ground was felt its plane is trusted. Larger: depth left at edges.
/// Smaller: more asking.
pub const GUARD_MOVED: f32 = 0.005;

/// Farthest that the guard pushes without sweeps, and most that it makes a segment's square too long by, as a share of the
/// segment. Larger: the series for its length ends too soon. Smaller: slower.
pub const GUARD_QUICK: f32 = 0.1;

/// Share of a segment up to which what is moved along the path keeps its length without being measured: half the square of
/// it is the error. Larger: segments of wrong length. Smaller: slower.
pub const GUARD_SLIP: f32 = 2e-3;

/// Share of the radius up to which a section moves in plan without its segments being looked at anew. Larger: crests that
/// it moved over show through. Smaller: slower.
pub const GUARD_NEAR: f32 = 0.02;

/// Most sweeps of the guard over a body in a tick. Fewer: chords in sharp crests.
pub const GUARD_SWEEPS: usize = 8;

/// Most turns of one joint in a sweep. Fewer: depth left in narrow creases.
pub const GUARD_ROUNDS: usize = 6;

/// Sets of more parts than this have a tree over them. Fewer: building costs more than it saves. More: every query
/// looks at each part's box.
pub const PARTS_IN_A_LIST: usize = 12;
