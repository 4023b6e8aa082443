//! Lanes: every implementation gives the bits of the scalar one, and the functions are as exact as they say.

use glam::DVec3;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serpentarium::lanes::{
    LANES, Lane8, Lanes, Rings, ScalarLanes, Vec3W, WideLanes, asin, closest_between_segments, cos_turns,
    round_nearest, sin_turns,
};

/// Bits of everything that one set of inputs gives.
type Bits = Vec<u32>;

/// Inputs of one round: three vectors, and what the integer moves take.
#[derive(Clone, Debug)]
struct Inputs {
    a: Lane8,
    b: Lane8,
    c: Lane8,
    small: Lane8,
    index: [u32; LANES],
    cursor: [u32; LANES],
    rows: Vec<[f32; 4]>,
    count: usize,
}

#[inline(always)]
fn push<L: Lanes>(bits: &mut Bits, value: L) {
    // A NaN's payload is not promised, that it is one is.
    bits.extend(value.to_array().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }));
}

/// As `push`, for operations that only move bits.
#[inline(always)]
fn push_exact<L: Lanes>(bits: &mut Bits, value: L) {
    bits.extend(value.to_array().map(f32::to_bits));
}

#[inline(always)]
fn arithmetic<L: Lanes>(i: &Inputs, bits: &mut Bits) {
    let (a, b) = (L::load(&i.a), L::load(&i.b));
    push(bits, a + b);
    push(bits, a - b);
    push(bits, a * b);
    push(bits, a / b);
    push(bits, -a);
    push(bits, a.sqrt());
    push(bits, a.abs());
    push(bits, round_nearest(L::load(&i.small)));
    push(bits, sin_turns(L::load(&i.small)));
    push(bits, cos_turns(L::load(&i.small)));
}

#[inline(always)]
fn comparisons<L: Lanes>(i: &Inputs, bits: &mut Bits) {
    let (a, b, c) = (L::load(&i.a), L::load(&i.b), L::load(&i.c));
    let (lt, le) = (a.lt(b), b.le(c));
    bits.extend([L::bits(lt), L::bits(le), L::bits(lt & le), L::bits(lt | le), L::bits(!lt), u32::from(L::any(lt))]);
    bits.push(L::bits(L::mask_from_bits(i.index[0] & 0xff)));
    push_exact(bits, L::select(lt, a, c));
    push_exact(bits, L::select(!le, b, c));
    push_exact(bits, L::select(L::mask_from_bits(i.index[1]), a, b));
    push_exact(bits, a.max(b));
    push_exact(bits, a.min(b));
    push_exact(bits, L::splat(i.a[3]));
}

#[inline(always)]
fn moves<L: Lanes>(i: &Inputs, bits: &mut Bits) {
    let small = L::load(&i.small);
    bits.extend(small.to_i32().map(|n| n as u32));
    push_exact(bits, L::from_i32(&i.index.map(|n| n.wrapping_mul(2_654_435_761) as i32)));
    let a = L::load(&i.a);
    push_exact(bits, a.ten_bits::<0>());
    push_exact(bits, a.ten_bits::<10>());
    push_exact(bits, a.ten_bits::<20>());
    let fields = [0, 1, 2].map(|k| {
        let mut field = [0.0; LANES];
        field.iter_mut().zip(i.index).for_each(|(f, n)| *f = (n.wrapping_mul(7 + k) % 1024) as f32 + 0.25 * k as f32);
        L::load(&field)
    });
    push_exact(bits, L::from_ten_bits(fields));
    let back = i.index.map(|n| (n % 50_000) as f32);
    let gathered = L::gather_rings(Rings::new(&i.rows), &i.cursor, L::load(&back));
    gathered.iter().flatten().for_each(|&v| push_exact(bits, v));
    let [[x, y, z, w], _] = gathered;
    let mut out = vec![[0.0; 12]; 40];
    L::scatter_rows12([x, y, z, w, a, small, w, z, y, x, small, a], &mut out, 2, 4, i.count);
    bits.extend(out.iter().flatten().map(|x| x.to_bits()));
}

#[inline(always)]
fn all<L: Lanes>(i: &Inputs) -> Bits {
    let mut bits = Vec::new();
    arithmetic::<L>(i, &mut bits);
    comparisons::<L>(i, &mut bits);
    moves::<L>(i, &mut bits);
    bits
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn all_avx2(i: &Inputs) -> Bits {
    all::<serpentarium::lanes::Avx2Lanes>(i)
}

fn check_equal(i: &Inputs) {
    let scalar = all::<ScalarLanes>(i);
    assert_eq!(all::<WideLanes>(i), scalar, "wide against scalar, {i:?}");
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        assert_eq!(unsafe { all_avx2(i) }, scalar, "avx2 against scalar, {i:?}");
    }
}

/// Any bit pattern, with the special values more often than they deserve.
fn any_float() -> impl Strategy<Value = f32> {
    let special =
        [0.0, -0.0, 1e-45, -1e-45, 1e-38, f32::MAX, -f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0];
    prop_oneof![proptest::sample::select(special.to_vec()), any::<u32>().prop_map(f32::from_bits), -10.0_f32..10.0]
}

/// Numbers below 2^21, quarters and halves among them.
fn small_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        proptest::sample::select(vec![
            0.0,
            -0.0,
            1e-45,
            -1e-45,
            1.2e-38,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            0.25,
            -0.75,
            2_097_151.8
        ]),
        -2.0_f32..2.0,
        -2_097_151.0_f32..2_097_151.0,
        (-8_388_000_i32..8_388_000).prop_map(|n| n as f32 * 0.25),
    ]
}

fn inputs() -> impl Strategy<Value = Inputs> {
    let lane8 = || proptest::array::uniform8(any_float());
    let row = || proptest::array::uniform4(any_float());
    let rows = proptest::sample::select(vec![2, 4, 8])
        .prop_flat_map(move |capacity| proptest::collection::vec(row(), (capacity + 1) * LANES));
    let words = || proptest::array::uniform8(any::<u32>());
    (lane8(), lane8(), lane8(), proptest::array::uniform8(small_float()), words(), words(), rows, 0..=LANES)
        .prop_map(|(a, b, c, small, index, cursor, rows, count)| Inputs { a, b, c, small, index, cursor, rows, count })
}

/// Ends of two segments on a coarse grid, so that many are points, parallel, in one line or crossing.
fn segments() -> impl Strategy<Value = [[f64; 3]; 4]> {
    prop::array::uniform4(prop::array::uniform3(
        (-4..=4_i8, 0..=1_i8).prop_map(|(x, fine)| f64::from(x) + 0.37 * f64::from(fine)),
    ))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::default() })]

    #[test]
    fn implementations_agree_bit_for_bit(i in inputs()) {
        check_equal(&i);
    }

    #[test]
    fn sine_and_cosine_are_exact_to_their_bound(x in small_float()) {
        let turns = f64::from(x).fract() * std::f64::consts::TAU;
        let (sin, cos) = (sin_turns(ScalarLanes::splat(x)).to_array()[0], cos_turns(ScalarLanes::splat(x)).to_array()[0]);
        prop_assert!((f64::from(sin) - turns.sin()).abs() <= 2.5e-7, "sin {x}: {sin} {}", turns.sin());
        prop_assert!((f64::from(cos) - turns.cos()).abs() <= 2.5e-7, "cos {x}: {cos} {}", turns.cos());
    }

    #[test]
    fn arc_sine_is_exact_to_its_bound(x in 0.0_f32..=1.0) {
        let angle = asin(ScalarLanes::splat(x)).to_array()[0];
        prop_assert!((f64::from(angle) - f64::from(x).asin()).abs() <= 3e-7, "{x}: {angle} {}", f64::from(x).asin());
    }

    #[test]
    fn closest_points_of_segments_are_the_nearest(ends in segments()) {
        let [p, p2, q, q2] = ends.map(DVec3::from);
        let wide = |v: DVec3| Vec3W::<ScalarLanes>::splat(v.as_vec3().into());
        let (s, t) = closest_between_segments(wide(p), wide(p2 - p), wide(q), wide(q2 - q));
        let (s, t) = (s.to_array()[0], t.to_array()[0]);
        prop_assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t), "{s} {t}");
        let apart = (p.lerp(p2, s.into()) - q.lerp(q2, t.into())).length();
        // Along the first segment the distance to the second is convex: thirds close in on its least.
        let from_second = |share: f64| {
            let (at, way) = (p.lerp(p2, share), q2 - q);
            let along = ((at - q).dot(way) / way.length_squared().max(1e-300)).clamp(0.0, 1.0);
            (at - q.lerp(q2, along)).length()
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let third = (high - low) / 3.0;
            let is_left = from_second(low + third) < from_second(high - third);
            *(if is_left { &mut high } else { &mut low }) = if is_left { high - third } else { low + third };
        }
        let least = from_second(0.5 * (low + high));
        prop_assert!(apart <= least + 2e-3, "{apart}, least {least}");
    }

    #[test]
    fn rounding_is_to_nearest_even(x in small_float()) {
        prop_assert_eq!(round_nearest(ScalarLanes::splat(x)).to_array()[0], x.round_ties_even());
    }

    #[test]
    fn larger_and_smaller_are_compare_and_select(a in any_float(), b in any_float()) {
        let (x, y) = (ScalarLanes::splat(a), ScalarLanes::splat(b));
        let (max, min) = (if b < a { a } else { b }, if a < b { a } else { b });
        prop_assert_eq!(x.max(y).to_array()[0].to_bits(), max.to_bits());
        prop_assert_eq!(x.min(y).to_array()[0].to_bits(), min.to_bits());
    }
}

#[test]
fn sine_is_exact_at_quarter_turns() {
    for (x, sin) in [(0.0, 0.0), (0.25, 1.0), (0.5, 0.0), (0.75, -1.0), (-0.25, -1.0), (1_000.25, 1.0), (-7.0, 0.0)] {
        assert_eq!(sin_turns(ScalarLanes::splat(x)).to_array()[0], sin, "{x}");
    }
}

#[test]
fn larger_and_smaller_yield_the_second_on_ties_and_nan() {
    let pairs = [(0.0, -0.0), (-0.0, 0.0), (f32::NAN, 1.0), (1.0, f32::NAN), (2.0, 2.0)];
    for (a, b) in pairs {
        let (x, y) = (WideLanes::splat(a), WideLanes::splat(b));
        assert_eq!(x.max(y).to_array()[0].to_bits(), b.to_bits(), "max {a} {b}");
        assert_eq!(x.min(y).to_array()[0].to_bits(), b.to_bits(), "min {a} {b}");
    }
}

#[test]
fn gathered_links_are_the_rows_of_their_rings() {
    let (capacity, cursor) = (4_u32, [0, 1, 2, 3, 4, 5, u32::MAX, 9]);
    // Row r of ring `lane` says so; the last is the first's copy.
    let rows: Vec<[f32; 4]> = (0..8 * 5).map(|i| [(i / 5) as f32, ((i % 5) % 4) as f32, 0.5, i as f32]).collect();
    for back in 0..9 {
        let [older, newer] = WideLanes::gather_rings(Rings::new(&rows), &cursor, WideLanes::splat(back as f32));
        for lane in 0..LANES {
            let row = |back: u32| (cursor[lane].wrapping_sub(back) % capacity) as f32;
            assert_eq!(older[0].to_array()[lane], lane as f32);
            assert_eq!(older[1].to_array()[lane], row(back), "lane {lane}, back {back}");
            assert_eq!(newer[1].to_array()[lane], row(back.wrapping_sub(1)), "lane {lane}, newer than {back}");
        }
    }
}

#[test]
fn integers_move_exactly() {
    let wide = WideLanes::from_ten_bits([WideLanes::splat(1023.0), WideLanes::splat(512.9), WideLanes::splat(1.0)]);
    assert_eq!(wide.to_array()[5].to_bits(), 1023 | 512 << 10 | 1 << 20);
    assert_eq!(wide.ten_bits::<10>().to_array()[2], 512.0);
    let extremes = [i32::MIN, i32::MAX, 16_777_217, -16_777_219, 0, 1, -1, 2_147_483_583];
    assert_eq!(WideLanes::from_i32(&extremes).to_array(), extremes.map(|n| n as f32));
}
